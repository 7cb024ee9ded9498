#include "run/examples.h"

#include "base/internal.h"
#include "math/vec.h"

#include <string.h>

#define CONDITION_MOST 1e3f // beyond this condition number the inverse amplifies the rounding of a sculpt until it is visible

sup_result sup_example_puller_create(const sup_bind_input* in, bool dualquat, sup_arena* arena, sup_example_puller* out,
                                     sup_error* error)
{
    uint32_t points = in->character->mesh.point_count;
    *out = (sup_example_puller){ .in = in, .dualquat = dualquat };
    sup_result r = skin_character_bind(in->character, arena, &out->skin, error);
    if (r) return r;
    out->skinned = SUP_NEW(arena, sup_vec3, (size_t)points + SUP_LANES);
    out->posed = SUP_NEW(arena, sup_vec3, (size_t)points + SUP_LANES);
    out->matrices = SUP_NEW(arena, sup_mat3, (size_t)points + SUP_LANES);
    out->scratch = sup_arena_alloc(arena, sup_skin_scratch(out->skin.set) + 64, 1);
    if (!out->skinned || !out->posed || !out->matrices || !out->scratch) return sup_fail_memory(error, "example shapes");
    return SUP_OK;
}

sup_result sup_example_pose(const sup_bind_input* in, const sup_example* example, sup_pose* pose, sup_error* error)
{
    const sup_clip* clip = in->clip;
    if (example->clip && (!clip || strcmp(clip->name, example->clip) != 0)) {
        clip = sup_character_clip(in->character, example->clip);
        if (!clip)
            return sup_fail(error, SUP_ERROR_INPUT, "example '%s' belongs to the clip '%s', which '%s' does not have",
                            example->name, example->clip, in->character->name);
    }
    if (!clip)
        return sup_fail(error, SUP_ERROR_INPUT, "example '%s' does not say which clip it belongs to; give one with --clip",
                        example->name);
    sup_clip_sample(in->character, clip, example->time, pose);
    return SUP_OK;
}

static bool pull_point(const sup_mat3* b, sup_vec3 d, sup_vec3* q)
{
    sup_affine a = { { { b->m[0][0], b->m[0][1], b->m[0][2], 0 },
                       { b->m[1][0], b->m[1][1], b->m[1][2], 0 },
                       { b->m[2][0], b->m[2][1], b->m[2][2], 0 } } },
               inverse;
    bool good = affine_determinant(&a) > 0 && affine_condition(&a) <= CONDITION_MOST && affine_invert(&a, &inverse);
    if (good) *q = affine_direction(&inverse, d);
    else {
        sup_quat turn = quat_identity();
        rotation_cold(b, &turn);
        *q = quat_rotate(quat_conjugate(turn), d);
    }
    return good;
}

sup_result sup_example_pull(const sup_example_puller* p, const sup_example* example, const sup_pose* pose, sup_vec3* q,
                            uint32_t* stand_ins, sup_error* error)
{
    const sup_mesh* mesh = &p->in->character->mesh;
    uint32_t        bad = 0;
    if (!example->in_rest_space) {
        sup_result r = sup_prefix_pose(p->in->before, pose, example->time, p->posed, error);
        if (r) return r;
        sup_skin_call call = { .dualquat = p->dualquat,
                               .blend = 1,
                               .skin = pose->skin,
                               .tasks = p->in->tasks,
                               .scratch = p->scratch,
                               .out = p->skinned,
                               .matrices = p->matrices };
        sup_skin_evaluate(p->skin.set, &call);
    }
    for (uint32_t i = 0; i < mesh->point_count; ++i) {
        if (example->in_rest_space) q[i] = v3_sub(example->points[i], mesh->points[i]);
        else bad += !pull_point(&p->matrices[i], v3_sub(example->points[i], p->posed[i]), &q[i]);
        if (!v3_finite(q[i]))
            return sup_fail(error, SUP_ERROR_INPUT, "example '%s': point %u is not a finite number", example->name, i);
    }
    if (stand_ins) *stand_ins = bad;
    return SUP_OK;
}
