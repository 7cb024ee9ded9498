/// deform/curves/modal.h: curve coefficients over time. A link that moves curves expresses every example as a list of
/// coefficients; those of one *mode* share an oscillator (solve/curves/oscillator.h). This file computes the deviation from the
/// carrier (the interpolated examples), which is zero at every example:
///     one segment        (gamma(t) - r(t)) Y
///     several, a cycle   y(t) - H(t), H the cubic through the examples, y by carried rates or by the dynamic Hermite form
///     after the last     psi(tau) v: it rings out
/// If examples have a duration (`fade`), the carrier falls back to the plain skin between those that are farther apart, with
/// the least force (solve/curves/least_force.h), and coefficients follow it.
#ifndef SUP_DEFORM_CURVES_MODAL_H
#define SUP_DEFORM_CURVES_MODAL_H

#include "deform/curves/segments.h"
#include "math/wide.h"
#include "solve/curves/oscillator.h"

typedef enum sup_continuity {
    SUP_CONTINUITY_AUTO, ///< prescribed where that is well posed; other modes do not swing
    SUP_CONTINUITY_CARRY,
    SUP_CONTINUITY_HERMITE,
    SUP_CONTINUITY_RESTART,
} sup_continuity;

typedef struct sup_modal_desc {
    const sup_segments*   segments;
    double                cycle_begin, cycle_end; ///< the motion repeats; equal: it does not
    uint32_t              modes;
    const sup_oscillator* free;  ///< per mode, in units of sup_modal_unit
    const uint32_t*       begin; ///< modes + 1: coefficients of each, multiples of the lanes
    const double* const*  shape; ///< per example its coefficients
    sup_ramp              ramp;
    sup_continuity        continuity;
    double                fade; ///< a of the least force, per second; 0: a cubic joins the examples. AUTO only
} sup_modal_desc;

/// A moment in time: between which examples, and the ratio between them.
typedef struct sup_modal_moment {
    uint32_t segment, from, to;
    double   ratio, span; ///< span: seconds of the segment
    double   beyond;      ///< seconds after the last example
    double   reach;       ///< set by a caller: the forces of the last segment keep growing, over this many segments
} sup_modal_moment;

typedef struct sup_modal {
    uint32_t              examples, segments, modes;
    const uint32_t*       begin;
    uint32_t              block;  ///< coefficients of one example
    const double*         times;  ///< examples + 1; in a cycle the last repeats the first
    double                period; ///< 0: no cycle
    double                unit;   ///< seconds per unit of the oscillators: the whole motion
    sup_ramp              ramp;
    double                end_rate; ///< of the cubic at both ends, relative to the end segments' slope
    bool                  smooth;   ///< the carrier is the cubic through the examples, not a ramp
    double                fade;     ///< above 0: the path of least force instead
    const sup_oscillator* free;
    const sup_oscillator* oscillators; ///< [segment][mode]
    const bool*           still;       ///< [mode]: only follows the carrier
    bool                  swings;      ///< some mode is not still
    const bool*           hermite;     ///< [mode]
    const float*          shape;       ///< [example][block]
    const float*          change;      ///< [segment][block]
    const float*          rate;        ///< [segment + 1][block]: at the start of each, per segment; the last: rate at the end
    const float*          slope;       ///< [example][block]: tangents per second
    uint32_t              growing;     ///< modes whose carried rates grow, as requested
    double                growth;      ///< their largest |mu|
    uint32_t              seamless;    ///< modes of a cycle in the Hermite form because no carried rate repeats
} sup_modal;

/// Seconds in which a link counts its cycles: from the first example to the last, or once around; 1 if the pose drives.
double sup_modal_unit(const sup_segments* segments, double cycle_begin, double cycle_end);
/// The ramp between two examples that best matches how the pose moves from one to the other; linear if there is no motion, or
/// more than two examples. Uses memory beside the arena.
sup_result sup_modal_ramp(const sup_bind_input* in, const sup_segments* segments, sup_arena* arena, sup_ramp* out,
                          sup_error* error);
sup_result sup_modal_create(const sup_modal_desc* desc, sup_arena* arena, sup_modal* out, sup_error* error);

sup_modal_moment sup_modal_find(const sup_modal* modal, double time);
/// Catmull-Rom tangent at an example, per second; at the ends of a clip, the initial slope of the ramp.
sup_tangent sup_modal_tangent(const sup_modal* modal, uint32_t example);
/// If `fade` is above 0: the speed at an example as shares of the previous one, of itself and of the next, per second.
void sup_modal_speed(const sup_modal* modal, uint32_t example, double share[3]);
/// The examples that carry at a moment and their shares; returns their number, at most four.
uint32_t sup_modal_carry(const sup_modal* modal, const sup_modal_moment* at, uint32_t examples[4], double shares[4]);
/// Deviation of all coefficients from their carrier; false if all are 0.
bool sup_modal_sway(const sup_modal* modal, const sup_modal_moment* at, bool settle, float* out);
/// out = sum of shares of the examples' own coefficients; `add`: adds to out.
void sup_modal_shape(const sup_modal* modal, uint32_t count, const uint32_t* examples, const double* shares, bool add,
                     float* out);

/// Driven by the pose: one exact step of the state ([2][block]: value and rate) toward the weighted examples.
void sup_modal_step(const sup_modal* modal, double dt, const float* from, const float* to, double* state, float* out);
void sup_modal_reset(const sup_modal* modal, const float* weights, double* state);

// forces ----------------------------------------------------------------------------------------------------------------------

/// A force known in advance, on some coefficients: x at `index`, y and z after it.
typedef struct sup_modal_entry {
    uint32_t mode, index;
    double   share;
} sup_modal_entry;

typedef struct sup_modal_force {
    uint32_t               key_count;
    const double*          times;
    const bool*            steps;  ///< or NULL
    const double*          values; ///< three per key, in the rest frame
    double                 period; ///< 0, or the time after which it repeats: then the last key ends it
    uint32_t               entry_count;
    const sup_modal_entry* entries;
    const double*          states;    ///< [key][mode][6]: value and rate; made by sup_modal_force_prepare
    const bool*            following; ///< [mode]: follows the force directly: it has no inertia, or no swing of it repeats
} sup_modal_force;

/// In a loop only what lies within one pass counts, and repeats. end = begin: changes nothing.
sup_result sup_modal_force_wrap(sup_modal_force* force, double begin, double end, sup_arena* arena, sup_error* error);
/// Starts at rest under the first value; if it repeats, in the one state that returns after a period.
sup_result sup_modal_force_prepare(const sup_modal* modal, sup_modal_force* force, sup_arena* arena, sup_error* error);
/// Adds the effect of the force at a time.
void sup_modal_force_add(const sup_modal* modal, const sup_modal_force* force, double time, float* out);

/// The oscillator of a mode, in seconds instead of units.
sup_oscillator sup_modal_in_seconds(const sup_modal* modal, uint32_t mode);

/// out = sum of share[i] in[i] over `count` floats, a multiple of 8; `add`: on top of out.
SUP_WIDE_DECLARE(void, sup_modal_blend,
                 (uint32_t count, const float* const* in, const float* share, uint32_t inputs, bool add, float* out));

#endif
