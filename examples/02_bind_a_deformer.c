// A deformer of your own, without touching the library: it goes into a chain through sup_chain_desc.extra.
// This one, "puff", blows the skin up along its normals.
#include <supple/supple.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct puff_params {
    float amount;
} puff_params;

// One row per parameter: the chain text, presets, keys and help all come from it.
static const sup_param params[] = {
    { "amount", SUP_PARAM_FLOAT, SUP_STAGE_FRAME, offsetof(puff_params, amount), .min = 0, .max = 0.1, .standard = 0.01,
      .unit = "m", .help = "How far the skin moves outwards" },
};

// Slow work, once per character. What evaluate needs lives in the arena and is never written again.
static sup_result puff_bind(const sup_bind_input* in, sup_arena* arena, sup_binding* out, sup_error* error)
{
    (void)arena;
    if (in->character->mesh.triangle_count == 0)
        return sup_fail(error, SUP_ERROR_INPUT, "puff: '%s' has no faces, so it has no outside", in->character->name);
    *out = (sup_binding){ .data = in->character, .scratch_size = in->character->mesh.point_count * sizeof(sup_vec3) };
    return SUP_OK;
}

// One instant. It cannot allocate or fail: memory comes in as scratch.
static void puff_evaluate(const sup_binding* binding, const void* values, const sup_frame* frame, void* state, void* scratch,
                          sup_vec3* out)
{
    (void)state;
    const sup_character* character = binding->data;
    const sup_mesh*      mesh = &character->mesh;
    const sup_vec3*      p = frame->points; // from the link before
    sup_vec3*            normal = scratch;
    float                amount = ((const puff_params*)values)->amount / (float)character->metres_per_unit;
    memset(normal, 0, mesh->point_count * sizeof *normal);
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t* c = &mesh->triangles[3 * t];
        sup_vec3        u = { p[c[1]].x - p[c[0]].x, p[c[1]].y - p[c[0]].y, p[c[1]].z - p[c[0]].z };
        sup_vec3        v = { p[c[2]].x - p[c[0]].x, p[c[2]].y - p[c[0]].y, p[c[2]].z - p[c[0]].z };
        for (int k = 0; k < 3; k++) {
            normal[c[k]].x += u.y * v.z - u.z * v.y;
            normal[c[k]].y += u.z * v.x - u.x * v.z;
            normal[c[k]].z += u.x * v.y - u.y * v.x;
        }
    }
    for (uint32_t i = 0; i < mesh->point_count; i++) {
        sup_vec3 n = normal[i];
        float    length = sqrtf(n.x * n.x + n.y * n.y + n.z * n.z), s = length > 0.0f ? amount / length : 0.0f;
        out[i] = (sup_vec3){ p[i].x + s * n.x, p[i].y + s * n.y, p[i].z + s * n.z };
    }
}

static const sup_deformer puff = { .name = "puff",
                                   .summary = "Blows the skin up along its normals",
                                   .paper = "none",
                                   .params = params,
                                   .param_count = 1,
                                   .params_size = sizeof(puff_params),
                                   .bind = puff_bind,
                                   .evaluate = puff_evaluate };

int main(void)
{
    sup_error                 error = { 0 };
    sup_character*            character = NULL;
    sup_chain*                chain = NULL;
    sup_instance*             instance = NULL;
    const sup_deformer* const mine[] = { &puff };
    if (sup_load("builtin:arm", NULL, &character, &error) != SUP_OK) return fprintf(stderr, "%s\n", error.text), 1;
    const sup_chain_desc desc = {
        .character = character, .links = "linear,puff(amount=0.005)", .extra = mine, .extra_count = 1
    };
    if (sup_chain_create(&desc, &chain, &error) != SUP_OK) return fprintf(stderr, "%s\n", error.text), 1;
    if (sup_instance_create(&(sup_instance_desc){ .chain = chain }, &instance, &error) != SUP_OK)
        return fprintf(stderr, "%s\n", error.text), 1;

    void*     scratch = sup_scratch_create(sup_chain_scratch_size(chain), NULL);
    sup_vec3* skin = malloc(character->mesh.point_count * sizeof *skin);
    if (!scratch || !skin) return 1;
    sup_instance_evaluate(instance, 0.0, scratch, NULL, skin);
    double gain = sup_metric_volume(&character->mesh, skin) / sup_metric_volume(&character->mesh, character->mesh.points) - 1.0;
    printf("%s: %s makes it %+.1f %% bigger\n", character->name, sup_chain_text(chain), 100.0 * gain);

    free(skin);
    sup_scratch_destroy(scratch);
    sup_instance_destroy(instance);
    sup_chain_destroy(chain);
    sup_character_destroy(character);
    return gain > 0.01 ? 0 : 1;
}
