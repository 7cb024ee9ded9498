/// deform/fourier/fourier.h: internals of the fourier deformer. fourier_net.c lays curves over the mesh and defines what every
/// skin point takes from them, fourier_motion.c fits the examples and finds the modes, fourier.c binds both and runs the stages
/// of a frame (deform/curves/curve_dynamics.h), fourier_wide.c holds the loops over points, fourier_notes.c adds notes,
/// fourier_save.c writes a runtime file.
#ifndef SUP_DEFORM_FOURIER_H
#define SUP_DEFORM_FOURIER_H

#include "base/internal.h"
#include "deform/curves/curve_dynamics.h"
#include "solve/curves/fourier_series.h"

typedef struct fourier_params {
    int         way, curves;
    float       spacing, snap;
    const char* groups;
    int         terms, ends, order;
    float       cycles, damping, spread;
    int         law, ramp, continuity;
    float       hold;
    bool        settle;
    int         residual;
    bool        trust, turning, lean, expert;
    float       density, viscosity, young, poisson, thickness, restoring;
    float       sway, strength;
} fourier_params;

/// Radians over the whole motion below which a wave only follows, late: gamma is t^3 to 1%.
#define FOURIER_SLOW_SWING 0.5

enum fourier_ends { ENDS_LINE, ENDS_TANGENT, ENDS_FREE };
enum fourier_residual { RESIDUAL_EXACT, RESIDUAL_HALF, RESIDUAL_NONE };

/// One curve as a series: its functions' coefficients are `functions` triples from `packed` on. Points take the first `taken`:
/// the rest stay 0 in every frame.
typedef struct fourier_series {
    sup_fourier_kind kind;
    uint32_t         terms, functions, packed, taken;
} fourier_series;

/// The place of a skin point: at v on up to two curves, with its share of each.
typedef struct fourier_place {
    uint32_t curve[2]; ///< SUP_NONE: none
    float    v[2], share[2];
} fourier_place;

/// Eight points that take from the same curves.
typedef struct fourier_group {
    uint32_t count, point[SUP_LANES];
    uint32_t curve[2];
    size_t   table; ///< first of its rows: functions of the first curve, then of the second, eight floats each
} fourier_group;

typedef struct fourier_net {
    sup_curves           curves;
    const double*        v; ///< per point of the network
    fourier_series*      series;
    uint32_t             coefficient_count; ///< triples, over all curves
    uint32_t             lowered, flat;     ///< curves with fewer terms than asked for, and without length
    uint32_t             first_flat;        ///< where there are any
    fourier_place*       places;            ///< per skin point
    uint32_t             group_count;
    const fourier_group* groups;
    float*               table;
    uint32_t             uncovered; ///< points that no curve reaches
    uint32_t             far;       ///< points farther from their neighboring curves than these are from each other
    uint32_t             least;     ///< terms of the curve that has the fewest, if `lowered`
} fourier_net;

sup_result fourier_net_create(const sup_bind_input* in, const fourier_params* p, sup_arena* arena, fourier_net* out,
                              sup_error* error);

/// Groups points for fourier_take, once it is known how many functions of every series they take.
sup_result fourier_net_group(fourier_net* net, uint32_t point_count, sup_arena* arena, sup_error* error);
/// Every point takes only a share of its curves.
void fourier_net_limit_swing(fourier_net* net, uint32_t point_count, const float* share);

/// The modes of the coefficients. Those of a mode are adjacent (for blending); those of a curve are in `packed` order (for the
/// points).
typedef struct fourier_motion {
    const uint32_t* index;   ///< per packed coefficient: index of its x among the modes
    const uint32_t* mode;    ///< per packed coefficient
    double          fastest; ///< natural frequency, radians over the whole motion
} fourier_motion;

/// Also fills `d` with their dynamics and the forces on them.
sup_result fourier_motion_create(const sup_bind_input* in, const fourier_params* p, const fourier_net* net, sup_arena* arena,
                                 sup_curve_dynamics* d, fourier_motion* out, sup_error* error);

/// What bind produces.
typedef struct fourier_bound {
    sup_curve_dynamics     dynamics; ///< must be first, see curve_dynamics.h
    fourier_net            net;
    fourier_motion         motion;
    int                    residual;
    const uint16_t* const* halves; ///< HALF: per example three per point, times `scales`
    const float*           scales;
    float                  strength, sway; ///< frame parameters as set at bind: a runtime file plays with these
    bool                   settle, trusted;
    const char*            save_note;
} fourier_bound;

/// Adds notes about the curves, the examples and the settings, each with its cure.
void fourier_note_curves(const sup_bind_input* in, const fourier_params* p, const fourier_bound* b);
/// What users of a runtime file must know; false: out of memory.
bool  fourier_note(const sup_bind_input* in, const fourier_bound* b, sup_arena* arena, const char** out);
float fourier_strength(const fourier_bound* b, uint32_t point); ///< as set at bind
bool  fourier_weakened(const fourier_bound* b);                 ///< whether that differs from 1 anywhere
/// Reorders coefficients from modes to curves.
void       fourier_pack(const fourier_bound* b, const float* coefficients, float* packed);
sup_result fourier_save(const sup_binding* binding, sup_arena* arena, const void** bytes, size_t* size, sup_error* error);

// fourier_wide.c --------------------------------------------------------------------------------------------------------------

/// q[point] += sum over the functions of both curves of table x coefficient, for groups begin to end.
SUP_WIDE_DECLARE(void, fourier_take,
                 (const fourier_net* net, const float* coefficients, uint32_t begin, uint32_t end, sup_vec3* q));
/// out = sum of share[i] in[i] over `count` halves, a multiple of 8.
SUP_WIDE_DECLARE(void, fourier_halves,
                 (uint32_t count, const uint16_t* const* in, const float* share, uint32_t inputs, float* out));

#endif
