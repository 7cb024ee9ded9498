/// deform/beam/beam.h: internals of the beam deformer. beam_net.c lays nodes over the mesh, beam_motion.c finds their modes,
/// beam.c binds both and runs the stages of a frame (deform/curves/curve_dynamics.h), beam_wide.c holds the loops over points.
#ifndef SUP_DEFORM_BEAM_H
#define SUP_DEFORM_BEAM_H

#include "base/internal.h"
#include "deform/curves/curve_dynamics.h"
#include "deform/curves/curve_net.h"
#include "geom/curves/curves.h"
#include "solve/curves/beam_modes.h"

typedef struct beam_params {
    int         way, curves;
    float       spacing, snap;
    const char *groups, *edges;
    int         intervals, modes;
    float       cycles, damping;
    int         law, ramp, start, continuity; ///< law: sup_curve_law, continuity: sup_continuity
    float       hold;
    bool        settle;
    int         extrapolation, integrator, frames, transfer; ///< extrapolation: sup_curve_growth
    bool        trust, turning, expert;
    float       a1, a2, a3;
    float       sway, strength;
} beam_params;

enum beam_start { START_LIFTED, START_REST };
enum beam_integrator { INTEGRATOR_EXACT, INTEGRATOR_PAPER, INTEGRATOR_NEWMARK };
enum beam_transfer { TRANSFER_DISPLACEMENT, TRANSFER_FRAME };

sup_result beam_net_create(const sup_bind_input* in, const beam_params* p, sup_arena* arena, sup_curve_net* out,
                           sup_error* error);
/// Samples values of mesh points (three floats each) at the nodes: rows[n][stride], N + 1 rows of doubles.
void beam_net_read(const sup_curve_net* net, const sup_vec3* at_points, double* rows);

/// The modes of the nodes. Coefficients of a mode are [stride], one mode after the other.
typedef struct beam_motion {
    sup_beam_modes beam;
    const float*   vectors; ///< [inner node][modes that may swing]
    uint32_t       frames;
    const float*   stepped; ///< [segment][frames + 1][N - 1][stride]: PAPER and NEWMARK; NULL: exact
} beam_motion;

/// Also fills `d` with their dynamics and the forces on them.
sup_result beam_motion_create(const sup_bind_input* in, const beam_params* p, const sup_curve_net* net, sup_arena* arena,
                              sup_curve_dynamics* d, beam_motion* out, sup_error* error);

// beam_wide.c ---------------------------------------------------------------------------------------------------------------

/// rows[n + 1][column] = sum over modes of vectors[n][k] coefficients[k][column]; the first and the last row are 0.
SUP_WIDE_DECLARE(void, beam_rows,
                 (const float* vectors, uint32_t inner, uint32_t modes, const float* coefficients, uint32_t stride,
                  float* rows));

#endif
