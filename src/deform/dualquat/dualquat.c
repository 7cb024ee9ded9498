// Dual quaternion skinning: rotations are blended as rotations, so a twist keeps its radius. If bones are scaled, their
// stretches are first blended linearly about the joints, then the rigid parts by dual quaternions. `blend` (which can be
// painted per point) returns toward linear where the bulge on the outside of a bend is unwanted.
#include "base/internal.h"
#include "run/skin_character.h"

typedef struct dualquat_params {
    float blend;
} dualquat_params;

static const sup_param rows[] = {
    { "blend", SUP_PARAM_FLOAT, SUP_STAGE_FRAME, offsetof(dualquat_params, blend), .varies = SUP_VARIES_POINT, .min = 0,
      .max = 1, .standard = 1, .unit = "",
      .help = "1 is dual quaternion, 0 is linear; paint _DUALQUAT_BLEND where a joint bulges too far" },
};

typedef struct bound {
    skin_character skin;
    sup_field      blend;
    uint32_t       point_count;
    size_t         blend_bytes; // of the per-point values that precede the set's scratch
} bound;

static sup_result bind(const sup_bind_input* in, sup_arena* arena, sup_binding* out, sup_error* error)
{
    bound* b = SUP_NEW(arena, bound, 1);
    if (!b) return sup_fail_memory(error, "dualquat");
    sup_result r = skin_character_bind(in->character, arena, &b->skin, error);
    if (r) return r;
    b->blend = in->fields[0];
    b->point_count = in->character->mesh.point_count;
    b->blend_bytes = b->blend.scale ? sup_align(b->point_count * sizeof(float), 64) : 0;
    *out = (sup_binding){ .data = b, .scratch_size = b->blend_bytes + sup_skin_scratch(b->skin.set) };
    return SUP_OK;
}

static void evaluate(const sup_binding* binding, const void* params, const sup_frame* frame, void* state, void* scratch,
                     sup_vec3* out)
{
    (void)state;
    const bound*           b = binding->data;
    const dualquat_params* p = params;
    sup_skin_call          call = skin_character_call(&b->skin, frame, (uint8_t*)scratch + b->blend_bytes, out);
    call.dualquat = true;
    call.blend = p->blend;
    if (b->blend.scale) {
        float* blend = scratch;
        for (uint32_t i = 0; i < b->point_count; ++i) blend[i] = sup_field_value(&rows[0], &b->blend, p->blend, i);
        call.blend_points = blend;
    }
    sup_stats_add(frame->stats, "dualquat.no_rotation", sup_skin_evaluate(b->skin.set, &call));
}

const sup_deformer sup_deformer_dualquat = {
    .name = "dualquat",
    .summary = "Dual quaternion skinning: twists keep their radius, bends bulge on the outside",
    .paper = "Kavan, Collins, Zara, O'Sullivan: Geometric skinning with approximate dual quaternion blending, 2008",
    .skinning = SUP_SKINNING_DUALQUAT,
    .params = rows,
    .param_count = SUP_COUNT_OF(rows),
    .params_size = sizeof(dualquat_params),
    .bind = bind,
    .evaluate = evaluate,
};
