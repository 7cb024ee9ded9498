/// deform/curves/residual.h: the examples that count at a moment, and how their displacements of the points are processed
/// before they return to the skin. Shared by the links that move curves between sculpts; they differ in how the curves swing.
#ifndef SUP_DEFORM_CURVES_RESIDUAL_H
#define SUP_DEFORM_CURVES_RESIDUAL_H

#include "deform/curves/modal.h"
#include "deform/curves/sections.h"

/// At most four in time, two of each clip if the pose drives.
enum { SUP_RESIDUAL_MAX = 16 };
typedef struct sup_residual {
    uint32_t count, example[SUP_RESIDUAL_MAX];
    double   share[SUP_RESIDUAL_MAX];
} sup_residual;

/// Does nothing if the share is 0.
void sup_residual_add(sup_residual* residual, uint32_t example, double share);
/// Driven by the pose; fills `weights`, one per example, for that pose.
sup_residual sup_residual_by_pose(const sup_segments* segments, const sup_pose* pose, float* weights);
sup_residual sup_residual_by_time(const sup_modal* modal, const sup_modal_moment* at);

/// How far the examples are trusted at a moment of the clip (deform/curves/trust.h). Before the first and after the last
/// example the neighboring path counts; `free`: growth after the last is intended. Not `on`: trusted everywhere.
typedef struct sup_residual_trust {
    sup_trusted trusted;
    uint32_t    from, to;
} sup_residual_trust;
sup_residual_trust sup_residual_trust_find(const sup_trust* trust, const sup_modal* modal, const sup_modal_moment* at,
                                           bool free, const sup_frame* frame, bool on, void* scratch);
/// If the pose drives. Not `on`: trusted everywhere.
sup_residual_trust sup_residual_trust_live(const sup_trust* trust, const sup_frame* frame, bool on, void* scratch);
/// Binds it: points, followed by stations. A single example is trusted everywhere.
sup_result sup_residual_trust_create(const sup_character* character, const sup_segments* segments, const sup_sections* sections,
                                     sup_arena* arena, sup_trust* out, sup_error* error);

/// Whether the clip visibly leaves the path between the examples, or moves along it differently from the ramp (of two).
typedef struct sup_beside {
    bool off, ahead;
} sup_beside;
sup_result sup_residual_beside(const sup_bind_input* in, const sup_trust* trust, const sup_segments* segments, sup_ramp ramp,
                               sup_arena* arena, sup_beside* out, sup_error* error);

/// What a link's curves make of coefficients: their swing at every point, overwriting `out`.
typedef struct sup_swing {
    const void* link;
    void (*take)(const void* link, const float* coefficients, void* scratch, sup_vec3* out);
    void* scratch;
    bool  rings; ///< it rings out after the last example, as set at bind
    float sway;  ///< the factor on it, as set at bind
} sup_swing;

/// Curves are longer than a sculpt: what it does to one of them swings all along it. So a point takes only so much of its
/// curves' swing that it lags and rings by at most three quarters of what the examples change there, and what does not change
/// stays still. Found by sampling the swing over the whole motion. 0 to 1 per point.
sup_result sup_residual_limit_swing(const sup_segments* segments, const sup_modal* modal, const sup_swing* swing,
                                    uint32_t point_count, sup_arena* arena, float** out, sup_error* error);

/// Points per task in a frame.
enum { SUP_POINT_GRAIN = 4096 };

/// out = the blend of the examples' lists from `offset` on, by their shares. `floats`: a multiple of eight; lists are padded.
void sup_residual_blend(const sup_residual* residual, const float* const* lists, size_t offset, uint32_t floats, float* out);
/// Section rotations when examples have these shares, as far as they are trusted (entries after those of the points).
void sup_residual_turn(const sup_sections* sections, const uint32_t* examples, const float* shares, uint32_t count,
                       const sup_residual_trust* trust, uint32_t point_count, sup_station* stations);

#endif
