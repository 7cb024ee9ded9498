/// deform/beam/beam.h: the inside of the beam deformer. beam_net.c lays nodes over the mesh, beam_motion.c moves them in time,
/// beam.c binds both and runs them, beam_wide.c holds the loops over points.
#ifndef SUP_DEFORM_BEAM_H
#define SUP_DEFORM_BEAM_H

#include "base/internal.h"
#include "deform/curves/curve_link.h"
#include "deform/curves/curve_net.h"
#include "deform/curves/residual.h"
#include "geom/curves/curves.h"
#include "solve/curves/beam_modes.h"

typedef struct beam_params {
    int         way, curves;
    float       spacing, snap;
    const char *groups, *edges;
    int         intervals, modes;
    float       cycles, damping;
    int         law, ramp, start, continuity; ///< continuity: sup_continuity
    float       hold;
    bool        settle;
    int         extrapolation, integrator, frames, transfer;
    bool        trust, turning, expert;
    float       a1, a2, a3;
    float       sway, strength;
} beam_params;

enum beam_law { LAW_UNIFORM, LAW_MASS, LAW_STIFFNESS };
enum beam_start { START_LIFTED, START_REST };
enum beam_extrapolation { EXTRAPOLATION_OFF, EXTRAPOLATION_STATIC, EXTRAPOLATION_DYNAMIC };
enum beam_integrator { INTEGRATOR_EXACT, INTEGRATOR_PAPER, INTEGRATOR_NEWMARK };
enum beam_transfer { TRANSFER_DISPLACEMENT, TRANSFER_FRAME };

sup_result beam_net_create(const sup_bind_input* in, const beam_params* p, sup_arena* arena, sup_curve_net* out, sup_error* error);
/// Values at mesh points (three floats each) read off at the nodes: rows[n][stride], N + 1 rows of doubles.
void beam_net_read(const sup_curve_net* net, const sup_vec3* at_points, double* rows);

/// How the nodes move. Coefficients of a mode are [stride], one mode behind the other.
typedef struct beam_motion {
    sup_beam_modes         beam;
    const float*           vectors; ///< [inner node][modes that may swing]
    sup_modal              modal;
    uint32_t               frames;
    const float*           stepped; ///< [segment][frames + 1][N - 1][stride]: PAPER and NEWMARK; NULL: exact
    uint32_t               force_count;
    const sup_modal_force* forces;
} beam_motion;

/// `fade`: of sup_modal_desc.
sup_result beam_motion_create(const sup_bind_input* in, const beam_params* p, const sup_curve_net* net, const sup_segments* segments,
                              double fade, sup_arena* arena, beam_motion* out, sup_error* error);

// beam_wide.c ---------------------------------------------------------------------------------------------------------------

/// rows[n + 1][column] = sum over modes of vectors[n][k] coefficients[k][column]; the first and the last row are 0.
SUP_WIDE_DECLARE(void, beam_rows,
                 (const float* vectors, uint32_t inner, uint32_t modes, const float* coefficients, uint32_t stride,
                  float* rows));

#endif
