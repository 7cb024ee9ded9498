/// run/examples.h: example sculpts seen from the rest shape. What a sculpt adds to the skin of its pose is pulled back
/// through the skinning, so that it turns with its limb when it is pushed forward in another pose.
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

/// Memory of the arena, for as long as examples are pulled.
sup_result sup_example_puller_create(const sup_bind_input* in, bool dualquat, sup_arena* arena, sup_example_puller* out,
                                     sup_error* error);

/// The pose that the example was sculpted in: its own clip at its time, or the clip that is bound where it names none.
sup_result sup_example_pose(const sup_bind_input* in, const sup_example* example, sup_pose* pose, sup_error* error);

/// q = B^-1 (sculpt - points of the links before) for every point, B the 3x3 of its skinning at the pose. Where B has no use
/// (condition over 1e3, or a determinant that is not positive) the rotation nearest to it stands in; *stand_ins (or NULL)
/// counts these. An example in rest space is sculpt - rest.
sup_result sup_example_pull(const sup_example_puller* puller, const sup_example* example, const sup_pose* pose, sup_vec3* q,
                            uint32_t* stand_ins, sup_error* error);

#endif
