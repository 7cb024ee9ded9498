// One instant of the skeleton: local transforms in, global and skin matrices out.
#include "base/internal.h"
#include "scene/exact.h"
#include "scene/posing.h"

#include <string.h>

enum { PIECE = 64 }; // alignment of each array, a cache line

// Offsets of the four arrays in one block; returns its size.
static size_t lay_out(const sup_character* character, size_t offsets[4])
{
    size_t joints = character->skeleton.joint_count,
           sizes[4] = { joints * sizeof(sup_transform), character->morph_count * sizeof(float), joints * sizeof(sup_affine),
                        joints * sizeof(sup_affine) };
    size_t at = 0;
    for (int i = 0; i < 4; ++i) {
        offsets[i] = at;
        at += sup_align(sizes[i], PIECE);
    }
    return at;
}

size_t sup_pose_size(const sup_character* character)
{
    size_t offsets[4];
    return lay_out(character, offsets);
}

void sup_pose_place(const sup_character* character, void* memory, sup_pose* out)
{
    SUP_ASSERT(memory && (uintptr_t)memory % PIECE == 0);
    size_t offsets[4];
    lay_out(character, offsets);
    uint8_t* base = memory;
    *out = (sup_pose){ .joint_count = character->skeleton.joint_count,
                       .morph_count = character->morph_count,
                       .local = (sup_transform*)(void*)(base + offsets[0]),
                       .morph_weights = (float*)(void*)(base + offsets[1]),
                       .global = (sup_affine*)(void*)(base + offsets[2]),
                       .skin = (sup_affine*)(void*)(base + offsets[3]) };
    sup_pose_rest(character, out);
}

sup_result sup_pose_create(const sup_character* character, sup_arena* arena, sup_pose* out, sup_error* error)
{
    void* memory = sup_arena_alloc(arena, sup_pose_size(character), 1); // at least one joint, so at least one piece
    if (!memory) return sup_fail_memory(error, "a pose");
    sup_pose_place(character, memory, out);
    return SUP_OK;
}

void sup_pose_set_rest(const sup_character* character, sup_pose* pose)
{
    for (uint32_t j = 0; j < pose->joint_count; ++j) pose->local[j] = character->skeleton.joints[j].rest;
    for (uint32_t m = 0; m < pose->morph_count; ++m) pose->morph_weights[m] = character->morphs[m].rest_weight;
}

void sup_pose_rest(const sup_character* character, sup_pose* pose)
{
    sup_pose_set_rest(character, pose);
    sup_pose_update(character, pose);
}

// The global matrix of a joint for a given local transform, below its parent's current matrix in the pose.
static exact_affine global_of(const sup_character* character, const sup_pose* pose, uint32_t joint, const sup_transform* local)
{
    const sup_joint* j = &character->skeleton.joints[joint];
    exact_affine     own = sup_exact_local(j, local);
    if (j->parent == SUP_NONE) return own;
    exact_affine above = exact_from(&pose->global[j->parent]);
    return exact_mul(&above, &own);
}

void sup_pose_update(const sup_character* character, sup_pose* pose)
{
    SUP_ASSERT(pose->joint_count == character->skeleton.joint_count);
    for (uint32_t j = 0; j < pose->joint_count; ++j) {
        exact_affine global = global_of(character, pose, j, &pose->local[j]);
        exact_affine bind = exact_from(&character->skeleton.joints[j].inverse_bind);
        exact_affine skin = exact_mul(&global, &bind);
        pose->global[j] = exact_round(&global);
        pose->skin[j] = exact_round(&skin);
    }
}

static double deviation(const exact_affine* a, const exact_affine* b)
{
    double sum = 0;
    for (int i = 0; i < 12; ++i) {
        double d = a->m[i / 4][i % 4] - b->m[i / 4][i % 4];
        sum += d * d;
    }
    return sum;
}

void sup_pose_bind(const sup_character* character, sup_pose* pose)
{
    sup_pose_set_rest(character, pose);
    for (uint32_t j = 0; j < pose->joint_count; ++j) {
        const sup_joint* joint = &character->skeleton.joints[j];
        exact_affine     inverse_bind = exact_from(&joint->inverse_bind), wanted, down;
        exact_affine above = joint->parent == SUP_NONE ? (exact_affine){ { { 1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, 1, 0 } } }
                                                       : exact_from(&pose->global[joint->parent]);
        exact_affine global = global_of(character, pose, j, &joint->rest);
        if ((joint->skin_joint || joint->has_bind) && sup_exact_invert(&inverse_bind, &wanted) &&
            sup_exact_invert(&above, &down)) {
            exact_affine  local = exact_mul(&down, &wanted);
            sup_affine    rounded = exact_round(&local);
            sup_transform found;
            affine_decompose(&rounded, &found);
            exact_affine bound = global_of(character, pose, j, &found);
            // A file that rests in its bind pose keeps its own transform: it may hold shear that `found` has lost.
            if (deviation(&bound, &wanted) < deviation(&global, &wanted)) {
                pose->local[j] = found;
                global = bound;
            }
        }
        pose->global[j] = exact_round(&global);
    }
    sup_pose_update(character, pose);
}

static float mix(float a, float b, double ratio) { return (float)((double)a * (1 - ratio) + (double)b * ratio); }

static sup_vec3 mix_vec3(sup_vec3 a, sup_vec3 b, double ratio)
{
    return v3(mix(a.x, b.x, ratio), mix(a.y, b.y, ratio), mix(a.z, b.z, ratio));
}

void sup_pose_blend(const sup_character* character, const sup_pose* a, const sup_pose* b, double ratio, sup_pose* out)
{
    for (uint32_t j = 0; j < out->joint_count; ++j) {
        sup_transform x = a->local[j], y = b->local[j];
        // Equal ends keep their bits, or a resting joint would lose its own matrix.
        if (ratio <= 0 || !memcmp(&x, &y, sizeof x)) out->local[j] = x;
        else if (ratio >= 1) out->local[j] = y;
        else
            out->local[j] = (sup_transform){ mix_vec3(x.translation, y.translation, ratio),
                                             quat_normalize(quat_slerp(x.rotation, y.rotation, (float)ratio)),
                                             mix_vec3(x.scale, y.scale, ratio) };
    }
    double held = ratio <= 0 ? 0 : ratio >= 1 ? 1 : ratio;
    for (uint32_t m = 0; m < out->morph_count; ++m) out->morph_weights[m] = mix(a->morph_weights[m], b->morph_weights[m], held);
    sup_pose_update(character, out);
}

void sup_pose_copy(const sup_pose* from, sup_pose* to)
{
    SUP_ASSERT(from->joint_count == to->joint_count && from->morph_count == to->morph_count);
    memcpy(to->local, from->local, from->joint_count * sizeof *from->local);
    memcpy(to->global, from->global, from->joint_count * sizeof *from->global);
    memcpy(to->skin, from->skin, from->joint_count * sizeof *from->skin);
    if (from->morph_count) memcpy(to->morph_weights, from->morph_weights, from->morph_count * sizeof *from->morph_weights);
}

const sup_vec3* sup_pose_morph(const sup_character* character, const sup_pose* pose, sup_vec3* out)
{
    const sup_mesh* mesh = &character->mesh;
    bool            copied = false;
    for (uint32_t m = 0; m < pose->morph_count; ++m) {
        float weight = pose->morph_weights[m];
        if (weight == 0) continue;
        if (!copied) memcpy(out, mesh->points, mesh->point_count * sizeof *out);
        copied = true;
        const sup_morph* morph = &character->morphs[m];
        const sup_part*  part = &mesh->parts[morph->part];
        for (uint32_t p = 0; p < part->point_count; ++p)
            out[part->point_begin + p] = v3_mad(out[part->point_begin + p], weight, morph->deltas[p]);
    }
    return copied ? out : mesh->points;
}
