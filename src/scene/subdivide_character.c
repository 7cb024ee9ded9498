// Subdivides a character: everything stored per point is interpolated with the same shares.
#include "scene/subdivide_character.h"
#include "base/internal.h"
#include "math/vec.h"
#include "scene/describe.h"

#include <string.h>

enum { LEVELS_MAX = 6 };
#define CORNERS_TOTAL_MAX 4e8    // of the finer mesh: what fits a machine with 64 GB
#define INFLUENCES_TOTAL_MAX 5e8 // of a part, each point at its maximum: 4 GB

typedef struct refiner {
    const sup_character*  from;
    const sup_subdivided* parts;
    sup_arena*            arena;
    sup_error*            error;
} refiner;

static sup_vec3* refine_vectors(const refiner* r, const sup_subdivided* s, const sup_vec3* from)
{
    sup_vec3* out = SUP_NEW(r->arena, sup_vec3, s->vertex_count);
    for (uint32_t v = 0; v < s->vertex_count && out; ++v) {
        uint32_t p = s->vertex_points[v];
        double   x = 0, y = 0, z = 0;
        for (uint32_t k = s->points.begin[p]; k < s->points.begin[p + 1]; ++k) {
            double   w = (double)s->points.share[k];
            sup_vec3 a = from[s->points.index[k]];
            x += w * (double)a.x, y += w * (double)a.y, z += w * (double)a.z;
        }
        out[v] = v3((float)x, (float)y, (float)z);
    }
    return out;
}

static float* refine_floats(const refiner* r, const sup_subdivided* s, const float* from)
{
    float* out = SUP_NEW(r->arena, float, s->vertex_count);
    for (uint32_t v = 0; v < s->vertex_count && out; ++v) {
        uint32_t p = s->vertex_points[v];
        double   sum = 0;
        for (uint32_t k = s->points.begin[p]; k < s->points.begin[p + 1]; ++k)
            sum += (double)s->points.share[k] * (double)from[s->points.index[k]];
        out[v] = sup_clampf((float)sum, 0, 1);
    }
    return out;
}

// ---------------------------------------------------------------------------------------------- weights

typedef struct mix {
    uint32_t  count;
    uint32_t* touched; // joints
    double*   sums;    // by joint
} mix;

static void mix_point(const refiner* r, const sup_part* part, const sup_subdivided* s, uint32_t p, mix* m)
{
    const sup_weights* w = &r->from->weights;
    for (uint32_t i = 0; i < m->count; ++i) m->sums[m->touched[i]] = 0;
    m->count = 0;
    for (uint32_t k = s->points.begin[p]; k < s->points.begin[p + 1]; ++k) {
        uint32_t old = part->point_begin + s->points.index[k];
        for (uint32_t i = w->begin[old]; i < w->begin[old + 1]; ++i) {
            double share = (double)s->points.share[k] * (double)w->values[i];
            if (!(share > 0)) continue;
            if (m->sums[w->joints[i]] == 0) m->touched[m->count++] = w->joints[i];
            m->sums[w->joints[i]] += share;
        }
    }
}

// All influences of the points that a new one is made from: leaving some out would tear smooth skin.
static sup_result refine_weights(const refiner* r, const sup_part* part, const sup_subdivided* s, sup_part_desc* out)
{
    uint32_t joints = r->from->skeleton.joint_count, width = 1;
    mix      m = { .touched = SUP_NEW(r->arena, uint32_t, joints), .sums = SUP_NEW(r->arena, double, joints) };
    if (!m.touched || !m.sums) return sup_fail_memory(r->error, "a finer character");
    for (uint32_t p = 0; p < s->point_count; ++p) {
        mix_point(r, part, s, p, &m);
        if (m.count > width) width = m.count;
    }
    if ((double)s->vertex_count * width > INFLUENCES_TOTAL_MAX)
        return sup_fail(r->error, SUP_ERROR_INPUT,
                        "a point of '%s' would follow %u joints, because it lies between many points; divide fewer times, or "
                        "repair the mesh where one point has hundreds of edges",
                        part->name, width);
    uint32_t* slots = SUP_NEW(r->arena, uint32_t, (size_t)s->vertex_count * width);
    float*    weights = SUP_NEW(r->arena, float, (size_t)s->vertex_count* width);
    if (!slots || !weights) return sup_fail_memory(r->error, "a finer character");
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        mix_point(r, part, s, s->vertex_points[v], &m);
        for (uint32_t i = 0; i < m.count; ++i) {
            slots[(size_t)v * width + i] = m.touched[i];
            weights[(size_t)v * width + i] = (float)m.sums[m.touched[i]];
        }
    }
    for (uint32_t i = 0; i < m.count; ++i) m.sums[m.touched[i]] = 0;
    out->width = width;
    out->joints = slots;
    out->weights = weights;
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- parts

static sup_result refine_morphs(const refiner* r, const sup_part* part, const sup_subdivided* s, sup_part_desc* out)
{
    sup_morph_desc* morphs = SUP_NEW(r->arena, sup_morph_desc, part->morph_count);
    sup_map_desc*   maps = SUP_NEW(r->arena, sup_map_desc, r->from->map_count);
    if (!morphs || !maps) return sup_fail_memory(r->error, "a finer character");
    for (uint32_t i = 0; i < part->morph_count; ++i) {
        const sup_morph* from = &r->from->morphs[part->morph_begin + i];
        morphs[i] = (sup_morph_desc){ from->name, from->rest_weight, refine_vectors(r, s, from->deltas) };
        if (!morphs[i].deltas) return sup_fail_memory(r->error, "a finer character");
    }
    for (uint32_t i = 0; i < r->from->map_count; ++i) {
        const sup_map* from = &r->from->maps[i];
        maps[i] = (sup_map_desc){ from->name, refine_floats(r, s, from->values + part->point_begin) };
        if (!maps[i].values) return sup_fail_memory(r->error, "a finer character");
    }
    out->morph_count = part->morph_count;
    out->morphs = morphs;
    out->map_count = r->from->map_count;
    out->maps = maps;
    return SUP_OK;
}

static sup_result refine_part(const refiner* r, uint32_t index, sup_part_desc* out)
{
    const sup_part*       part = &r->from->mesh.parts[index];
    const sup_subdivided* s = &r->parts[index];
    uint32_t*             sizes = SUP_NEW(r->arena, uint32_t, s->face_count);
    sup_vec3*             positions = refine_vectors(r, s, r->from->mesh.points + part->point_begin);
    if (!sizes || !positions) return sup_fail_memory(r->error, "a finer character");
    for (uint32_t f = 0; f < s->face_count; ++f) sizes[f] = s->face_begin[f + 1] - s->face_begin[f];
    *out = (sup_part_desc){ .name = part->name,
                            .vertex_count = s->vertex_count,
                            .positions = positions,
                            .face_count = s->face_count,
                            .face_sizes = sizes,
                            .corners = s->corner_vertices,
                            .joint = part->joint,
                            .weld = true,
                            .point_ids = s->vertex_points,
                            .source_id = part->source_id };
    sup_result result = refine_morphs(r, part, s, out);
    return result == SUP_OK && part->joint == SUP_NONE ? refine_weights(r, part, s, out) : result;
}

static sup_result refine_examples(const refiner* r, uint32_t vertices, sup_example_desc** out)
{
    const sup_character* c = r->from;
    *out = SUP_NEW(r->arena, sup_example_desc, c->example_count);
    if (!*out) return sup_fail_memory(r->error, "a finer character");
    for (uint32_t i = 0; i < c->example_count; ++i) {
        sup_vec3* positions = SUP_NEW(r->arena, sup_vec3, vertices);
        uint32_t  at = 0;
        if (!positions) return sup_fail_memory(r->error, "a finer character");
        for (uint32_t p = 0; p < c->mesh.part_count; ++p) {
            sup_vec3* own = refine_vectors(r, &r->parts[p], c->examples[i].points + c->mesh.parts[p].point_begin);
            if (!own) return sup_fail_memory(r->error, "a finer character");
            memcpy(positions + at, own, r->parts[p].vertex_count * sizeof *own);
            at += r->parts[p].vertex_count;
        }
        (*out)[i] = (sup_example_desc){ c->examples[i].name, c->examples[i].clip, c->examples[i].time,
                                        c->examples[i].in_rest_space, positions };
    }
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- whole

sup_result sup_parts_subdivide(const sup_character* c, uint32_t levels, const uint32_t* groups, sup_arena* arena,
                               sup_subdivided** out, sup_error* error)
{
    const sup_mesh* mesh = &c->mesh;
    double          corners = mesh->corner_count;
    for (uint32_t i = 0; i < levels; ++i) corners *= 4;
    if (levels > LEVELS_MAX || corners > CORNERS_TOTAL_MAX)
        return sup_fail(
            error, SUP_ERROR_INPUT,
            "'%s' has %u faces; divided %u times it would be too large; divide at most %u times, and fewer for a fine mesh",
            c->name, mesh->face_count, levels, LEVELS_MAX);
    *out = SUP_NEW(arena, sup_subdivided, mesh->part_count);
    sup_result result = *out ? SUP_OK : sup_fail_memory(error, "a finer character");
    for (uint32_t i = 0; i < mesh->part_count && result == SUP_OK; ++i) {
        const sup_part* part = &mesh->parts[i];
        uint32_t        first = mesh->face_begin[part->face_begin];
        uint32_t        count = mesh->face_begin[part->face_begin + part->face_count] - first;
        uint32_t*       begin = SUP_NEW(arena, uint32_t, (size_t)part->face_count + 1);
        uint32_t *      points = SUP_NEW(arena, uint32_t, count), *vertices = SUP_NEW(arena, uint32_t, count);
        uint32_t*       of = SUP_NEW(arena, uint32_t, part->vertex_count);
        if (!begin || !points || !vertices || !of) {
            result = sup_fail_memory(error, "a finer character");
            break;
        }
        for (uint32_t f = 0; f <= part->face_count; ++f) begin[f] = mesh->face_begin[part->face_begin + f] - first;
        for (uint32_t k = 0; k < count; ++k) {
            points[k] = mesh->corner_points[first + k] - part->point_begin;
            vertices[k] = mesh->corner_vertices[first + k] - part->vertex_begin;
        }
        for (uint32_t v = 0; v < part->vertex_count; ++v)
            of[v] = mesh->vertex_points[part->vertex_begin + v] - part->point_begin;
        sup_subdivide_input in = { part->point_count,
                                   part->vertex_count,
                                   part->face_count,
                                   begin,
                                   points,
                                   vertices,
                                   of,
                                   groups ? groups + part->vertex_begin : NULL };
        result = sup_subdivide(&in, levels, arena, &(*out)[i], error);
    }
    return result;
}

sup_result sup_character_refine(const sup_character* c, const sup_subdivided* parts, const sup_allocator* allocator,
                                sup_character** out, sup_error* error)
{
    refiner        r = { .from = c, .parts = parts, .arena = sup_arena_create(allocator), .error = error };
    sup_part_desc* descs = r.arena ? SUP_NEW(r.arena, sup_part_desc, c->mesh.part_count) : NULL;
    sup_result     result = descs ? SUP_OK : sup_fail_memory(error, "a finer character");
    uint32_t       vertices = 0;
    for (uint32_t i = 0; i < c->mesh.part_count && result == SUP_OK; ++i) {
        result = refine_part(&r, i, &descs[i]);
        vertices += parts[i].vertex_count;
    }
    sup_example_desc* examples = NULL;
    if (result == SUP_OK) result = refine_examples(&r, vertices, &examples);
    if (result == SUP_OK) {
        sup_character_desc desc = sup_character_describe(c, descs);
        desc.joint_count = c->skeleton.joint_count, desc.joints = c->skeleton.joints;
        desc.clip_count = c->clip_count, desc.clips = c->clips;
        desc.example_count = c->example_count, desc.examples = examples;
        result = sup_character_create(&desc, allocator, out, error);
    }
    sup_arena_destroy(r.arena);
    return result;
}

sup_result sup_character_subdivide(const sup_character* character, uint32_t levels, const sup_allocator* allocator,
                                   sup_character** out, sup_error* error)
{
    SUP_ASSERT(character && out);
    sup_arena*      arena = sup_arena_create(allocator);
    sup_subdivided* parts = NULL;
    sup_result      result = arena ? sup_parts_subdivide(character, levels, NULL, arena, &parts, error)
                                   : sup_fail_memory(error, "a finer character");
    if (result == SUP_OK) result = sup_character_refine(character, parts, allocator, out, error);
    sup_arena_destroy(arena);
    return result;
}
