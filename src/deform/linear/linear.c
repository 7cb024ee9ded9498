// Linear blend skinning: p' = sum over joints of weight x matrix x p. The default first link of every chain.
#include "base/internal.h"
#include "run/skin_character.h"

static sup_result bind(const sup_bind_input* in, sup_arena* arena, sup_binding* out, sup_error* error)
{
    skin_character* skin = SUP_NEW(arena, skin_character, 1);
    if (!skin) return sup_fail_memory(error, "linear");
    sup_result r = skin_character_bind(in->character, arena, skin, error);
    if (r) return r;
    *out = (sup_binding){ .data = skin, .scratch_size = sup_skin_scratch(skin->set) };
    return SUP_OK;
}

static void evaluate(const sup_binding* binding, const void* params, const sup_frame* frame, void* state, void* scratch,
                     sup_vec3* out)
{
    (void)params;
    (void)state;
    const skin_character* skin = binding->data;
    sup_skin_call         call = skin_character_call(skin, frame, scratch, out);
    sup_skin_evaluate(skin->set, &call);
}

const sup_deformer sup_deformer_linear = {
    .name = "linear",
    .summary = "Linear blend skinning: fast and everywhere, but joints collapse when they bend or twist far",
    .paper = "Magnenat-Thalmann, Laperriere, Thalmann: Joint-dependent local deformations for hand animation and object "
             "grasping, 1988",
    .skinning = SUP_SKINNING_LINEAR,
    .bind = bind,
    .evaluate = evaluate,
};
