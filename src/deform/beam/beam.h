/// deform/beam/beam.h: the inside of the beam deformer. beam_net.c lays nodes over the mesh, beam_motion.c moves them in time,
/// beam.c binds both and runs them, beam_wide.c holds the loops over points.
#ifndef SUP_DEFORM_BEAM_H
#define SUP_DEFORM_BEAM_H

#include "base/internal.h"
#include "deform/curve_link.h"
#include "deform/curve_net.h"
#include "deform/modal.h"
#include "deform/sections.h"
#include "geom/curves.h"
#include "solve/beam_modes.h"

typedef struct beam_params {
    int         way, curves;
    float       spacing, snap;
    const char* groups;
    int         intervals, modes;
    float       cycles, damping;
    int         law, ramp, start, continuity;
    bool        settle;
    int         extrapolation, integrator, frames, transfer;
    bool        turning, expert;
    float       a1, a2, a3;
    float       sway, strength;
} beam_params;

enum beam_law { LAW_UNIFORM, LAW_MASS, LAW_STIFFNESS };
enum beam_start { START_LIFTED, START_REST };
enum beam_continuity { CONTINUITY_AUTO, CONTINUITY_CARRY, CONTINUITY_HERMITE, CONTINUITY_RESTART };
enum beam_extrapolation { EXTRAPOLATION_OFF, EXTRAPOLATION_STATIC, EXTRAPOLATION_DYNAMIC };
enum beam_integrator { INTEGRATOR_EXACT, INTEGRATOR_PAPER, INTEGRATOR_NEWMARK };
enum beam_transfer { TRANSFER_DISPLACEMENT, TRANSFER_FRAME };

sup_result beam_net_create(const sup_bind_input* in, const beam_params* p, sup_arena* arena, sup_curve_net* out, sup_error* error);
/// Values at mesh points (three floats each) read off at the nodes: rows[n][stride], N + 1 rows of doubles.
void beam_net_read(const sup_curve_net* net, const sup_vec3* at_points, double* rows);

/// A force on a curve, known ahead: its share in every mode, and the state of each mode at its keys.
typedef struct beam_force {
    uint32_t      curve, key_count;
    const double* times;
    const bool*   steps;
    const double* values; ///< three per key, in the rest frame
    const double* share;  ///< per mode
    const double* states; ///< [key][mode][6]: value and rate
} beam_force;

/// How the nodes move. Arrays of a segment or an example are [mode][stride].
typedef struct beam_motion {
    sup_beam_modes beam;
    uint32_t       modes;   ///< K that may swing
    const float*   vectors; ///< [inner node][K]
    double         unit;    ///< seconds in which `cycles` is counted: from the first example to the last; 1 where a pose drives
    sup_ramp       ramp;
    bool           smooth;             ///< several examples: the curve through them carries, not a ramp
    const sup_oscillator* free;        ///< per mode, in units of `unit`
    const sup_oscillator* oscillators; ///< [segment][K]
    const bool*           still;       ///< [K]: moves with the carrier alone
    const bool*           hermite;     ///< [K]
    uint32_t              segments;
    const float*          shape;   ///< [example][K][stride]: W, inner shape of each example
    const float*          change;  ///< [segment][K][stride]: Y
    const float*          rate;    ///< [segment + 1][K][stride]: v0, per segment; the last: what is left at the end
    const float*          slope;   ///< [example][K][stride]: tangents per second
    uint32_t              growing; ///< modes whose carried rates grow
    double                growth;  ///< the largest |mu| of these
    uint32_t              frames;
    const float*          stepped; ///< [segment][frames + 1][N - 1][stride]: PAPER and NEWMARK; NULL: exact
    uint32_t              force_count;
    const beam_force*     forces;
} beam_motion;

sup_result beam_motion_create(const sup_bind_input* in, const beam_params* p, const sup_curve_net* net, const sup_segments* segments,
                              sup_arena* arena, beam_motion* out, sup_error* error);

/// Where in time: segment, ratio in it, seconds behind the last example, and how many segments far it goes on beyond.
typedef struct beam_moment {
    double   time, ratio, beyond, reach;
    uint32_t segment;
} beam_moment;

/// Coefficients of all modes at a moment, [K][stride]: what the nodes deviate by from their carrier.
void beam_motion_sway(const beam_motion* m, const sup_curve_net* net, const sup_segments* s, const beam_params* p,
                      const beam_moment* at, float* coefficients);
/// Adds what known forces do.
void beam_motion_push(const beam_motion* m, const sup_curve_net* net, double time, float* coefficients);

/// Pose-driven: one exact step of state (value and rate, [2][K][stride]) under the pull of the target; out: value - target.
void beam_motion_step(const beam_motion* m, const sup_curve_net* net, double dt, const float* weights_from, const float* weights_to,
                      uint32_t examples, double* state, float* coefficients);
void beam_motion_reset(const beam_motion* m, const sup_curve_net* net, const float* weights, uint32_t examples, double* state);

// beam_wide.c ---------------------------------------------------------------------------------------------------------------

/// rows[n + 1][column] = sum over modes of vectors[n][k] coefficients[k][column]; the first and the last row are 0.
SUP_WIDE_DECLARE(void, beam_rows,
                 (const float* vectors, uint32_t inner, uint32_t modes, const float* coefficients, uint32_t stride,
                  float* rows));
/// q[i] += scale x what the point takes from the rows, for points begin to end.
SUP_WIDE_DECLARE(void, beam_take,
                 (const uint32_t* offsets, const float* shares, const float* rows, float scale, uint32_t begin, uint32_t end,
                  sup_vec3* q));

#endif
