// A decomposition as a character: bones become a rig, weights a table, motion a clip.
#include "base/internal.h"
#include "math/vec.h"
#include "rig/retarget/key_time.h"
#include "supple/rig.h"

#include <string.h>

static sup_result make_rig(const sup_decomposition* fit, sup_arena* arena, sup_rig* out, sup_error* error)
{
    enum { NAME = 16 };
    sup_rig_bone* bones = SUP_NEW(arena, sup_rig_bone, fit->bone_count);
    char*         names = SUP_NEW(arena, char, (size_t)fit->bone_count* NAME);
    if (!bones || !names) return sup_fail_memory(error, "a rig");
    for (uint32_t b = 0; b < fit->bone_count; ++b) {
        char* name = names + (size_t)b * NAME;
        sup_format(name, NAME, "bone_%s%u", b < 9 ? "0" : "", b + 1);
        bones[b] = (sup_rig_bone){ .name = name, .parent = fit->parents[b], .head = fit->heads[b], .tail = fit->heads[b] };
    }
    *out = (sup_rig){ fit->bone_count, bones };
    return SUP_OK;
}

// A row for every stored vertex, a column for every bone.
static sup_result make_weights(const sup_decomposition* fit, const sup_mesh* mesh, sup_arena* arena, sup_matrix* out,
                               sup_error* error)
{
    double* values = SUP_NEW(arena, double, (size_t)mesh->vertex_count * fit->bone_count);
    if (!values) return sup_fail_memory(error, "weights");
    for (uint32_t v = 0; v < mesh->vertex_count; ++v)
        for (uint32_t i = 0; i < fit->influences; ++i) {
            size_t at = (size_t)mesh->vertex_points[v] * fit->influences + i;
            if (fit->weights[at] > 0) values[(size_t)fit->bones[at] * mesh->vertex_count + v] = (double)fit->weights[at];
        }
    *out = (sup_matrix){ mesh->vertex_count, fit->bone_count, values };
    return SUP_OK;
}

// Frames as columns; in each a table of 4 x bones rows and three columns: the transposed matrices (sup_rig_clip).
static sup_result make_motion(const sup_decomposition* fit, sup_arena* arena, sup_matrix* out, sup_error* error)
{
    size_t  rows = 12 * (size_t)fit->bone_count;
    double* values = SUP_NEW(arena, double, rows * fit->frame_count);
    if (!values) return sup_fail_memory(error, "a motion");
    for (uint32_t f = 0; f < fit->frame_count; ++f)
        for (uint32_t b = 0; b < fit->bone_count; ++b) {
            const sup_rigid* r = &fit->motion[(size_t)f * fit->bone_count + b];
            sup_affine       m = affine_from_rotation(r->rotation, r->translation);
            for (size_t i = 0; i < 3; ++i)
                for (size_t k = 0; k < 4; ++k)
                    values[f * rows + i * 4 * fit->bone_count + 4 * (size_t)b + k] = (double)m.m[i][k];
        }
    *out = (sup_matrix){ (uint32_t)rows, fit->frame_count, values };
    return SUP_OK;
}

// Replaces the key times of a clip, which all channels share.
static sup_result move_keys(const double* times, uint32_t count, sup_arena* arena, sup_clip* clip, sup_error* error)
{
    float*       keys = SUP_NEW(arena, float, count);
    sup_channel* channels = sup_arena_copy(arena, clip->channels, clip->channel_count, sizeof *channels);
    if (!keys || !channels) return sup_fail_memory(error, "a motion");
    for (uint32_t i = 0; i < count; ++i) keys[i] = sup_key_time(times[i]);
    for (uint32_t i = 0; i < clip->channel_count; ++i) channels[i].times = keys;
    clip->channels = channels;
    clip->seconds = (double)keys[count - 1];
    return SUP_OK;
}

// The shapes already contain the morphs, so the bones reproduce them; with their weights at rest they would count twice.
static sup_result leave_morphs(const sup_character* character, sup_arena* arena, sup_character* out, sup_error* error)
{
    sup_part* parts = sup_arena_copy(arena, character->mesh.parts, character->mesh.part_count, sizeof *parts);
    if (!parts) return sup_fail_memory(error, "a rig");
    for (uint32_t i = 0; i < character->mesh.part_count; ++i) parts[i].morph_begin = parts[i].morph_count = 0;
    *out = *character;
    out->mesh.parts = parts;
    out->morph_count = 0;
    return SUP_OK;
}

static sup_result attach(const sup_character* character, const sup_decomposition* fit, const char* clip, double fps,
                         const double* times, const sup_allocator* allocator, sup_arena* work, sup_character** out, sup_error* error)
{
    sup_rig        rig;
    sup_matrix     weights, motion;
    sup_clip       made_clip;
    sup_character  bare;
    sup_character* made = NULL;
    sup_result     result = make_rig(fit, work, &rig, error);
    if (result == SUP_OK) result = make_weights(fit, &character->mesh, work, &weights, error);
    if (result == SUP_OK) result = make_motion(fit, work, &motion, error);
    if (result == SUP_OK) result = leave_morphs(character, work, &bare, error);
    if (result == SUP_OK) result = sup_rig_attach(&bare, &rig, &weights, allocator, &made, error);
    if (result != SUP_OK) return result;
    result = sup_rig_clip(made, &rig, &motion, clip, times ? 1 : fps, work, &made_clip, error);
    if (result == SUP_OK && times) result = move_keys(times, fit->frame_count, work, &made_clip, error);
    if (result == SUP_OK) result = sup_character_add_clip(made, &made_clip, error);
    if (result == SUP_OK) *out = made;
    else sup_character_destroy(made);
    return result;
}

sup_result sup_decomposition_attach(const sup_character* character, const sup_decomposition* fit, const char* clip, double fps,
                                    const double* times, const sup_allocator* allocator, sup_character** out, sup_error* error)
{
    SUP_ASSERT(character && fit && clip && (times || fps > 0) && out);
    if (fit->point_count != character->mesh.point_count)
        return sup_fail(error, SUP_ERROR_INPUT, "the fit has %u points, but '%s' has %u; fit its own shapes", fit->point_count,
                        character->name, character->mesh.point_count);
    sup_arena* work = sup_arena_create(allocator);
    sup_result result = work ? attach(character, fit, clip, fps, times, allocator, work, out, error) : sup_fail_memory(error, "a rig");
    sup_arena_destroy(work);
    return result;
}
