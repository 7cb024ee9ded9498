// Puts automatic weights on a character, and a skeleton under a mesh that has none.
#include "base/internal.h"
#include "math/vec.h"
#include "rig/redescribe.h"
#include "supple/rig.h"

#include <string.h>

// The most old and new influences together; beyond that the lightest new ones are dropped first.
enum { BLEND_MAX = 128 };
#define LEAST_WEIGHT 1e-3

// ---------------------------------------------------------------------------------------------- weights

// A part that is attached to a joint of the skeleton is rigid on purpose: a visor, a sword. One attached to a node outside the
// skeleton was never bound.
static bool stays_rigid(const sup_character* c, const sup_part* part)
{
    for (uint32_t j = part->joint; j != SUP_NONE; j = c->skeleton.joints[j].parent)
        if (c->skeleton.joints[j].skin_joint) return true;
    return false;
}

// How much of a point's weights is replaced: nothing on rigid parts, else the value of the mask.
static float* make_shares(const sup_character* c, const sup_part* parts, const float* mask)
{
    float* share = SUP_NEW(c->arena, float, c->mesh.point_count);
    for (uint32_t i = 0; share && i < c->mesh.part_count; ++i)
        for (uint32_t p = parts[i].point_begin; p < parts[i].point_begin + parts[i].point_count; ++p)
            share[p] = parts[i].joint != SUP_NONE ? 0 : mask ? sup_clampf(mask[p], 0, 1) : 1;
    return share;
}

typedef struct blend {
    uint32_t count, joints[BLEND_MAX];
    double   values[BLEND_MAX];
} blend;

static void add(blend* b, const sup_weights* from, uint32_t point, double share)
{
    for (uint32_t i = from->begin[point]; i < from->begin[point + 1] && share > 0; ++i) {
        uint32_t k = 0;
        while (k < b->count && b->joints[k] != from->joints[i]) ++k;
        if (k == BLEND_MAX) continue;
        if (k == b->count) b->values[b->count++] = 0;
        b->joints[k] = from->joints[i];
        b->values[k] += share * (double)from->values[i];
    }
}

// Sorts by weight, drops faint influences and those beyond the limit, and normalizes.
static void settle(blend* b, uint32_t most, double least)
{
    for (uint32_t i = 1; i < b->count; ++i)
        for (uint32_t k = i; k && b->values[k] > b->values[k - 1]; --k) {
            double   value = b->values[k];
            uint32_t joint = b->joints[k];
            b->values[k] = b->values[k - 1];
            b->joints[k] = b->joints[k - 1];
            b->values[k - 1] = value;
            b->joints[k - 1] = joint;
        }
    if (most && b->count > most) b->count = most;
    while (b->count > 1 && b->values[b->count - 1] < least) --b->count;
    double sum = 0;
    for (uint32_t i = 0; i < b->count; ++i) sum += b->values[i];
    for (uint32_t i = 0; i < b->count; ++i) b->values[i] /= sum;
}

static void blend_point(const sup_weights* old, const sup_weights* fresh, float share, uint32_t point, uint32_t most,
                        blend* out)
{
    out->count = 0;
    add(out, fresh, point, (double)share);
    add(out, old, point, 1 - (double)share);
    settle(out, share > 0 ? most : 0, share > 0 ? LEAST_WEIGHT : 0); // what the mask keeps stays exactly as it was
}

// Blends the old weights with the new ones.
static sup_result merge(const sup_character* c, const float* share, uint32_t most, sup_weights* fresh, sup_error* error)
{
    uint32_t  points = c->mesh.point_count;
    blend     b;
    uint32_t* begin = SUP_NEW(c->arena, uint32_t, (size_t)points + 1);
    if (!share || !begin) return sup_fail_memory(error, "weights");
    for (uint32_t p = 0; p < points; ++p) {
        blend_point(&c->weights, fresh, share[p], p, most, &b);
        begin[p + 1] = begin[p] + b.count;
    }
    uint32_t* joints = SUP_NEW(c->arena, uint32_t, begin[points]);
    float*    values = SUP_NEW(c->arena, float, begin[points]);
    if (!joints || !values) return sup_fail_memory(error, "weights");
    sup_weights mixed = { .begin = begin, .joints = joints, .values = values, .sum_min = 1, .sum_max = 1 };
    for (uint32_t p = 0; p < points; ++p) {
        blend_point(&c->weights, fresh, share[p], p, most, &b);
        if (b.count > mixed.influences_max) mixed.influences_max = b.count;
        for (uint32_t i = 0; i < b.count; ++i) {
            joints[begin[p] + i] = b.joints[i];
            values[begin[p] + i] = (float)b.values[i];
        }
    }
    *fresh = mixed;
    return SUP_OK;
}

sup_result sup_character_weigh(sup_character* c, uint32_t bone_count, const sup_bone* bones,
                               const sup_auto_weights_options* options, sup_auto_weights* out, sup_error* error)
{
    if (!bones) {
        bones = c->skeleton.bones;
        bone_count = c->skeleton.bone_count;
    }
    if (bone_count == 0)
        return sup_fail(error, SUP_ERROR_INPUT,
                        "'%s' has no skeleton, which automatic weights need; give one with --skeleton FILE", c->name);
    sup_part* parts = sup_arena_copy(c->arena, c->mesh.parts, c->mesh.part_count, sizeof *parts);
    if (!parts) return sup_fail_memory(error, "weights");
    bool rigid = false;
    for (uint32_t i = 0; i < c->mesh.part_count; ++i) {
        if (!stays_rigid(c, &parts[i])) parts[i].joint = SUP_NONE;
        rigid |= parts[i].joint != SUP_NONE;
    }
    sup_result   result = sup_weights_automatic(&c->mesh, bone_count, bones, options, c->arena, out, error);
    const float* mask = options ? options->mask : NULL;
    if (result == SUP_OK && (rigid || mask))
        result = merge(c, make_shares(c, parts, mask), options ? options->influences_max : 0, &out->weights, error);
    if (result != SUP_OK) return result;
    c->mesh.parts = parts;
    c->weights = out->weights;
    // OBJ and PLY files contain no weights to differ from.
    if (c->source_format && strcmp(c->source_format, "gltf") == 0) c->source_format = "gltf weights";
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- skeleton

// The points stay the same and all follow one joint until weights are computed.
static sup_result describe_part(const sup_character* from, uint32_t index, uint32_t joint, sup_arena* arena, sup_part_desc* out,
                                sup_error* error)
{
    const sup_part* part = &from->mesh.parts[index];
    sup_result      result = sup_part_redescribe(from, index, arena, out, error);
    if (result != SUP_OK) return result;
    uint32_t* joints = SUP_NEW(arena, uint32_t, part->vertex_count);
    float*    weights = SUP_NEW(arena, float, part->vertex_count);
    uint32_t* ids = out->weld ? SUP_NEW(arena, uint32_t, part->vertex_count) : NULL;
    if (!joints || !weights || (out->weld && !ids)) return sup_fail_memory(error, "a character");
    for (uint32_t v = 0; v < part->vertex_count; ++v) {
        joints[v] = joint;
        weights[v] = 1;
        if (ids) ids[v] = from->mesh.vertex_points[part->vertex_begin + v] - part->point_begin;
    }
    out->width = 1;
    out->joints = joints;
    out->weights = weights;
    out->point_ids = ids;
    return SUP_OK;
}

static sup_result attach(const sup_character* from, uint32_t joint_count, const sup_joint* joints, sup_arena* arena,
                         const sup_allocator* allocator, sup_character** out, sup_error* error)
{
    const sup_mesh* mesh = &from->mesh;
    uint32_t        first = SUP_NONE;
    for (uint32_t j = 0; j < joint_count && first == SUP_NONE; ++j)
        if (joints[j].skin_joint) first = j;
    if (first == SUP_NONE)
        return sup_fail(error, SUP_ERROR_INPUT, "the skeleton for '%s' has no joints; give another file with --skeleton",
                        from->name);
    sup_part_desc* parts = SUP_NEW(arena, sup_part_desc, mesh->part_count);
    if (!parts) return sup_fail_memory(error, "a character");
    for (uint32_t i = 0; i < mesh->part_count; ++i) {
        sup_result result = describe_part(from, i, first, arena, &parts[i], error);
        if (result != SUP_OK) return result;
    }
    return sup_character_redescribe(from, joint_count, joints, parts, allocator, out, error);
}

sup_result sup_skeleton_attach(const sup_character* character, uint32_t joint_count, const sup_joint* joints,
                               const sup_allocator* allocator, sup_character** out, sup_error* error)
{
    SUP_ASSERT(character && out);
    sup_arena* arena = sup_arena_create(allocator);
    sup_result result =
        arena ? attach(character, joint_count, joints, arena, allocator, out, error) : sup_fail_memory(error, "a character");
    sup_arena_destroy(arena);
    return result;
}
