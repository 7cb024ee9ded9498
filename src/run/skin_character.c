#include "run/skin_character.h"

#include "base/internal.h"
#include "math/vec.h"

sup_result skin_character_bind(const sup_character* c, sup_arena* arena, skin_character* out, sup_error* error)
{
    sup_vec3* centers = SUP_NEW(arena, sup_vec3, c->skeleton.joint_count);
    if (!centers) return sup_fail_memory(error, "a skin");
    for (uint32_t j = 0; j < c->skeleton.joint_count; ++j) {
        sup_affine bind;
        if (affine_invert(&c->skeleton.joints[j].inverse_bind, &bind)) centers[j] = affine_translation(&bind);
    }
    sup_skin_desc desc = { .point_count = c->mesh.point_count,
                           .points = c->mesh.points,
                           .begin = c->weights.begin,
                           .joints = c->weights.joints,
                           .values = c->weights.values,
                           .joint_count = c->skeleton.joint_count,
                           .joint_centers = centers };
    out->rest = c->mesh.points;
    return sup_skin_create(&desc, arena, &out->set, error);
}

sup_skin_call skin_character_call(const skin_character* skin, const sup_frame* frame, void* scratch, sup_vec3* out)
{
    return (sup_skin_call){ .skin = frame->end->skin,
                            .points = frame->points == skin->rest ? NULL : frame->points,
                            .tasks = frame->tasks,
                            .scratch = scratch,
                            .out = out };
}
