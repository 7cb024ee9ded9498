/// deform/curves/residual.h: the examples that count at a moment, and what is done to the displacements they make of the points
/// before these go back to the skin. Links that move curves between sculpts carry alike; they differ in how the curves swing.
#ifndef SUP_DEFORM_CURVES_RESIDUAL_H
#define SUP_DEFORM_CURVES_RESIDUAL_H

#include "deform/curves/modal.h"
#include "deform/curves/sections.h"

/// At most four in time, two of each clip where the pose drives.
enum { SUP_RESIDUAL_MAX = 16 };
typedef struct sup_residual {
    uint32_t count, example[SUP_RESIDUAL_MAX];
    double   share[SUP_RESIDUAL_MAX];
} sup_residual;

/// Nothing happens where the share is 0.
void sup_residual_add(sup_residual* residual, uint32_t example, double share);
/// Driven by the pose; `weights`, one per example, become those of the pose.
sup_residual sup_residual_by_pose(const sup_segments* segments, const sup_pose* pose, float* weights);
sup_residual sup_residual_by_time(const sup_modal* modal, const sup_modal_moment* at);

/// How far the examples are trusted at a moment of the clip (deform/curves/trust.h). Before the first and beyond the last
/// example it is the path beside it that counts; `free`: what grows beyond the last is meant. Not `on`: everywhere.
typedef struct sup_residual_trust {
    sup_trusted trusted;
    uint32_t    from, to;
} sup_residual_trust;
sup_residual_trust sup_residual_trust_find(const sup_trust* trust, const sup_modal* modal, const sup_modal_moment* at,
                                           bool free, const sup_frame* frame, bool on, void* scratch);
/// Where the pose drives. Not `on`: everywhere.
sup_residual_trust sup_residual_trust_live(const sup_trust* trust, const sup_frame* frame, bool on, void* scratch);
/// Binds it: points, and stations behind them. One example alone is trusted everywhere.
sup_result sup_residual_trust_create(const sup_character* character, const sup_segments* segments, const sup_sections* sections,
                                     sup_arena* arena, sup_trust* out, sup_error* error);

/// Whether the clip leaves the path between the examples, or goes along it otherwise than the ramp (of two), by enough to see.
typedef struct sup_beside {
    bool off, ahead;
} sup_beside;
sup_result sup_residual_beside(const sup_bind_input* in, const sup_trust* trust, const sup_segments* segments, sup_ramp ramp,
                               sup_arena* arena, sup_beside* out, sup_error* error);

/// What a link's curves make of coefficients: their swing at every point, written over `out`.
typedef struct sup_swing {
    const void* link;
    void (*take)(const void* link, const float* coefficients, void* scratch, sup_vec3* out);
    void* scratch;
    bool  rings; ///< it rings out behind the last example, as set when binding
    float sway;  ///< what it is scaled by, likewise
} sup_swing;

/// Curves are longer than a sculpt: what it does to one of them swings all along it. So a point takes only a share of its
/// curves' swing, such that it lags and rings by three quarters of what the examples change there at most, and what does not
/// change stands still. Found by looking at the swing at moments of the whole motion. 0 to 1 a point.
sup_result sup_residual_limit_swing(const sup_segments* segments, const sup_modal* modal, const sup_swing* swing,
                                    uint32_t point_count, sup_arena* arena, float** out, sup_error* error);

/// Points of one task in a frame.
enum { SUP_POINT_GRAIN = 4096 };

/// out = what the examples have in their lists from `offset` on, by their shares. `floats`: a multiple of eight, lists are
/// padded.
void sup_residual_blend(const sup_residual* residual, const float* const* lists, size_t offset, uint32_t floats, float* out);
/// What sections turn by when examples have these shares, as far as they are trusted (entries behind those of the points).
void sup_residual_turn(const sup_sections* sections, const uint32_t* examples, const float* shares, uint32_t count,
                       const sup_residual_trust* trust, uint32_t point_count, sup_station* stations);

#endif
