/// deform/curves/segments.h: example sculpts over time, in the rest frame, for `beam`, `fourier` and `bend`; and back onto the
/// skin.
///
/// Between two examples lies a *segment*. What an example adds to the skin of its pose is pulled back through the point's own
/// 3x3 (run/examples.h), so that a displacement rotates with its limb; a curve link moves displacements there, and pushes the
/// result forward: out = points + B q. Where linear blending squeezes points at an example (the inside of an elbow, a twisted
/// wrist), B^-1 would inflate displacements and the skin would swell halfway: such points use dual quaternion skinning instead,
/// in proportion to the squeeze, and its 3x3, at bind and in every frame. Either way every example is reproduced exactly.
#ifndef SUP_DEFORM_CURVES_SEGMENTS_H
#define SUP_DEFORM_CURVES_SEGMENTS_H

#include "deform/curves/trust.h"
#include "run/skin_character.h"

/// How displacements in the rest frame reach the skin of a frame.
typedef struct sup_push {
    const sup_character* character;
    skin_character       skin;
    bool                 dualquat;
    uint32_t             turned_count; ///< points that are squeezed
    const uint32_t*      turned;
    const float*         lifted;     ///< per point: blend from the skin to the dual quaternion one
    const sup_skin_set*  turned_set; ///< NULL: none
} sup_push;

typedef struct sup_segments {
    uint32_t               count;     ///< examples, at least 1
    const double*          times;     ///< strictly ascending; all zero if `posed`
    const char* const*     names;     ///< for messages
    const sup_vec3* const* q;         ///< per example one displacement per point
    bool                   implied;   ///< the first is not a sculpt but the plain skin at the start of the clip
    uint32_t               stand_ins; ///< points whose B was unusable at some example
    sup_push               push;
    sup_turns              turns; ///< poses of the examples
    // If a pose drives instead of time: examples by clip, each clip one line of poses.
    bool                    posed;
    uint32_t                line_count;
    const struct pose_line* lines;
} sup_segments;

/// Examples of the bound clip in order of time; a single one after the start is preceded by the plain skin at 0. If there is no
/// clip, or it has no examples, those of all clips, driven by the pose: `posed`. Fails on no examples, on two at one time, and
/// on non-finite values, and names them. `who`: the deformer.
sup_result sup_segments_create(const sup_bind_input* in, const char* who, sup_arena* arena, sup_segments* out,
                               sup_error* error);

/// The same; without `lean` squeezed points stay on linear blending, for a host that has nothing else.
sup_result sup_segments_create_as(const sup_bind_input* in, const char* who, bool lean, sup_arena* arena, sup_segments* out,
                                  sup_error* error);

/// Without examples: no displacements, only the push (for forces).
sup_result sup_push_create(const sup_bind_input* in, sup_arena* arena, sup_push* out, sup_error* error);

/// The segment that contains the time: example i and i + 1, and the ratio between them from 0 to 1, clamped before the first
/// and after the last; *beyond (or NULL) is the number of seconds after the last.
uint32_t sup_segments_find(const sup_segments* segments, double time, double* ratio, double* beyond);

/// `posed`: weight of every example at the pose. Each clip's examples form a line through poses; the pose's projection on it
/// says which two count. Clips add up.
void sup_segments_weights_at(const sup_segments* segments, const sup_pose* pose, float* weights);

/// `posed`: paths from each example of a clip to its next; room for one per example. Returns how many.
uint32_t sup_segments_paths(const sup_segments* segments, sup_pose_path* paths);

/// Shares of the examples i - 1 .. i + 2 in the cubic through them with Catmull-Rom tangents, in order; allows unequal
/// durations.
void sup_segments_hermite(const sup_segments* segments, uint32_t i, double ratio, double shares[4]);
/// Tangent at example i, per second: scale x (example to - example from). At the first and last example it is 0.
typedef struct sup_tangent {
    uint32_t from, to;
    double   scale;
} sup_tangent;

size_t sup_push_scratch(const sup_push* push);
/// out = frame points + B q. q is overwritten.
void sup_push_forward(const sup_push* push, const sup_frame* frame, sup_vec3* q, void* scratch, sup_vec3* out);

#endif
