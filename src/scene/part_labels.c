#include "scene/part_labels.h"

#include "base/internal.h"

sup_result sup_character_label_parts(const sup_character* character, uint32_t triangle_count, const uint32_t* triangles,
                                     sup_arena* arena, sup_labels* out, sup_error* error)
{
    const sup_skeleton* s = &character->skeleton;
    uint32_t*           parents = SUP_NEW(arena, uint32_t, s->joint_count);
    bool*               skins = SUP_NEW(arena, bool, s->joint_count);
    sup_label_bone*     bones = SUP_NEW(arena, sup_label_bone, s->bone_count);
    if (!parents || !skins || !bones) return sup_fail_memory(error, "the parts of a character");
    for (uint32_t j = 0; j < s->joint_count; ++j) {
        parents[j] = s->joints[j].parent;
        skins[j] = s->joints[j].skin_joint;
    }
    for (uint32_t b = 0; b < s->bone_count; ++b)
        bones[b] = (sup_label_bone){ s->bones[b].joint, s->bones[b].child, s->bones[b].head, s->bones[b].tail };
    sup_label_desc desc = { .point_count = character->mesh.point_count,
                            .points = character->mesh.points,
                            .triangle_count = triangle_count,
                            .triangles = triangles,
                            .joint_count = s->joint_count,
                            .parents = parents,
                            .skin_joints = skins,
                            .bone_count = s->bone_count,
                            .bones = bones,
                            .begin = character->weights.begin,
                            .joints = character->weights.joints,
                            .values = character->weights.values,
                            .cut = SUP_CUT_MIDDLES };
    return sup_volumes_label(&desc, arena, out, error);
}
