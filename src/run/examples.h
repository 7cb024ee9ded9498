/// run/examples.h: corrections of example sculpts in rest space. The difference of a sculpt to the skin of its pose is pulled
/// back through the skinning, so that it turns with its limb when another pose pushes it forward.
#ifndef SUP_RUN_EXAMPLES_H
#define SUP_RUN_EXAMPLES_H

#include "run/skin_character.h"

/// What pulling needs, made once for all examples.
typedef struct sup_example_puller {
    const sup_bind_input* in;
    skin_character        skin;
    bool                  dualquat; ///< B is the 3x3 of dual quaternion skinning, else of linear blending
    sup_vec3 *            skinned, *posed;
    sup_mat3*             matrices;
    void*                 scratch;
} sup_example_puller;

/// Lives in the arena; needed as long as examples are pulled back.
sup_result sup_example_puller_create(const sup_bind_input* in, bool dualquat, sup_arena* arena, sup_example_puller* out,
                                     sup_error* error);

/// The pose that the example was sculpted in: its clip at its time; if it names no clip, the one that is bound.
sup_result sup_example_pose(const sup_bind_input* in, const sup_example* example, sup_pose* pose, sup_error* error);

/// q = B^-1 (sculpt - points of the links before) for every point, B the 3x3 of its skinning at the pose. Where B has no use
/// (condition over 1e3, or a determinant that is not positive) the rotation nearest to it stands in; *stand_ins (or NULL)
/// counts these. An example in rest space is sculpt - rest.
sup_result sup_example_pull(const sup_example_puller* puller, const sup_example* example, const sup_pose* pose, sup_vec3* q,
                            uint32_t* stand_ins, sup_error* error);

#endif
