// The texture coordinates of a glTF, and tangents along them for normal maps.
#include "base/internal.h"
#include "io/gltf/gltf_write.h"
#include "math/trig.h"
#include "math/vec.h"

#include <math.h>
#include <string.h>

typedef struct tangents {
    const sup_character* c;
    const float (*uv)[2];
    sup_vec3* normals;
    sup_vec3* sums;  // of tangents, by stored vertex
    float*    hands; // of handedness
} tangents;

static const sup_json* primitives_of(const gltf_source* source, uint32_t part)
{
    return sup_json_get(sup_json_at(sup_json_get(source->root, "meshes"), source->parts[part].mesh), "primitives");
}

sup_result sup_character_uvs(const sup_character* c, sup_arena* arena, const float (**out)[2], sup_error* error)
{
    SUP_ASSERT(c && arena && out);
    const gltf_source* source = gltf_source_of(c);
    bool               any = false;
    float(*uv)[2] = sup_arena_alloc(arena, c->mesh.vertex_count, sizeof *uv);
    *out = NULL;
    if (!uv) return sup_fail_memory(error, "texture coordinates");
    for (uint32_t v = 0; v < c->mesh.vertex_count; ++v) uv[v][0] = uv[v][1] = INFINITY;
    for (uint32_t i = 0; source && i < c->mesh.part_count && i < source->part_count; ++i)
        for (uint32_t k = 0; k < source->parts[i].primitive_count; ++k) {
            const gltf_primitive* p = &source->parts[i].primitives[k];
            const sup_json*       attributes = sup_json_get(sup_json_at(primitives_of(source, i), p->primitive), "attributes");
            gltf_accessor         a;
            sup_error             ignored;
            uint32_t              index = sup_json_index(sup_json_get(attributes, "TEXCOORD_0"), SUP_NONE);
            if (index == SUP_NONE || gltf_accessor_find(source, index, "TEXCOORD_0", &a, &ignored) != SUP_OK) continue;
            if (a.components != 2 || a.count != p->vertex_count) continue;
            any = true;
            for (uint32_t v = 0; v < a.count; ++v)
                for (uint32_t n = 0; n < 2; ++n)
                    uv[c->mesh.parts[i].vertex_begin + p->vertex_begin + v][n] = gltf_accessor_float(&a, v, n);
        }
    if (any) *out = (const float(*)[2])uv;
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- tangents

static float corner_angle(sup_vec3 at, sup_vec3 a, sup_vec3 b)
{
    sup_vec3 u = v3_normalize(v3_sub(a, at), v3(0, 0, 0)), v = v3_normalize(v3_sub(b, at), v3(0, 0, 0));
    return (float)sup_acos((double)v3_dot(u, v));
}

static void add_triangle(tangents* t, const uint32_t v[3])
{
    const sup_mesh* m = &t->c->mesh;
    sup_vec3        p[3];
    for (int i = 0; i < 3; ++i) p[i] = m->points[m->vertex_points[v[i]]];
    const float *a = t->uv[v[0]], *b = t->uv[v[1]], *c = t->uv[v[2]];
    float        x1 = b[0] - a[0], y1 = b[1] - a[1], x2 = c[0] - a[0], y2 = c[1] - a[1], det = x1 * y2 - x2 * y1;
    if (!isfinite(det) || det == 0) return;
    // v grows downwards in the picture and the bitangent upwards: glTF's second axis is -v as stored here.
    sup_vec3 tangent = v3_sub(v3_scale(v3_sub(p[1], p[0]), y2), v3_scale(v3_sub(p[2], p[0]), y1));
    tangent = v3_normalize(v3_scale(tangent, det < 0 ? -1.0f : 1.0f), v3(0, 0, 0));
    for (int i = 0; i < 3; ++i) {
        float angle = corner_angle(p[i], p[(i + 1) % 3], p[(i + 2) % 3]);
        t->sums[v[i]] = v3_mad(t->sums[v[i]], angle, tangent);
        t->hands[v[i]] += det < 0 ? angle : -angle;
    }
}

static void find_normals(tangents* t, sup_vec3* of_points)
{
    const sup_mesh* m = &t->c->mesh;
    sup_mesh_normals(m, of_points);
    for (uint32_t v = 0; v < m->vertex_count; ++v) {
        bool own = m->vertex_normals && v3_length2(m->vertex_normals[v]) > 0;
        t->normals[v] = own ? m->vertex_normals[v] : of_points[m->vertex_points[v]];
    }
}

// Directions transform by the inverse map to the mesh's own space, normals by the transpose of the map from it.
static sup_vec3 to_own(const sup_part* part, sup_vec3 d, bool normal)
{
    const sup_affine* a = &part->place;
    if (!normal) return v3_normalize(affine_direction(&part->unplace, d), v3(1, 0, 0));
    return v3_normalize(v3(a->m[0][0] * d.x + a->m[1][0] * d.y + a->m[2][0] * d.z,
                           a->m[0][1] * d.x + a->m[1][1] * d.y + a->m[2][1] * d.z,
                           a->m[0][2] * d.x + a->m[1][2] * d.y + a->m[2][2] * d.z),
                        v3(0, 1, 0));
}

static void write_primitive(const tangents* t, gltf_edit* edit, const sup_part* part, const gltf_primitive* p, sup_json* json)
{
    sup_json* attributes = gltf_edit_get(json, "attributes");
    sup_vec3* normals = SUP_NEW(edit->arena, sup_vec3, p->vertex_count);
    sup_vec4* values = SUP_NEW(edit->arena, sup_vec4, p->vertex_count);
    edit->failed |= !normals || !values;
    if (edit->failed || !sup_json_get(attributes, "TEXCOORD_0")) return;
    for (uint32_t i = 0; i < p->vertex_count; ++i) {
        uint32_t v = part->vertex_begin + p->vertex_begin + i;
        sup_vec3 n = t->normals[v], d = v3_mad(t->sums[v], -v3_dot(n, t->sums[v]), n);
        d = v3_normalize(d, v3_across(n));
        normals[i] = to_own(part, n, true);
        d = to_own(part, d, false);
        d = v3_normalize(v3_mad(d, -v3_dot(d, normals[i]), normals[i]), v3_across(normals[i]));
        values[i] = (sup_vec4){ d.x, d.y, d.z, t->hands[v] < 0 ? -1.0f : 1.0f };
    }
    if (!sup_json_get(attributes, "NORMAL"))
        gltf_edit_number(edit, attributes, "NORMAL",
                         gltf_edit_floats(edit, &normals->x, p->vertex_count, 3, GLTF_ARRAY_BUFFER, false));
    if (!sup_json_get(attributes, "TANGENT"))
        gltf_edit_number(edit, attributes, "TANGENT",
                         gltf_edit_floats(edit, &values->x, p->vertex_count, 4, GLTF_ARRAY_BUFFER, false));
}

static sup_result write_all(const tangents* t, sup_arena* keep, const sup_allocator* allocator, sup_character** out,
                            sup_error* error)
{
    const gltf_source* source = t->c->source;
    gltf_edit          edit;
    gltf_edit_open(&edit, source, keep);
    for (uint32_t i = 0; i < t->c->mesh.part_count && !edit.failed; ++i) {
        uint32_t   count;
        sup_json** meshes = gltf_edit_items(&edit, gltf_edit_get(edit.root, "meshes"), &count);
        sup_json** list =
            meshes ? gltf_edit_items(&edit, gltf_edit_get(meshes[source->parts[i].mesh], "primitives"), &count) : NULL;
        for (uint32_t k = 0; list && k < source->parts[i].primitive_count; ++k) {
            const gltf_primitive* p = &source->parts[i].primitives[k];
            write_primitive(t, &edit, &t->c->mesh.parts[i], p, list[p->primitive]);
        }
    }
    return gltf_edit_read(&edit, t->c, allocator, out, error);
}

// Maps that were added after reading.
static sup_result keep_maps(const sup_character* from, sup_character* to, sup_error* error)
{
    uint32_t n = from->mesh.point_count;
    if (to->mesh.point_count != n || to->map_count == from->map_count) return SUP_OK;
    sup_map* maps = sup_arena_copy(to->arena, from->maps, from->map_count, sizeof *maps);
    for (uint32_t i = 0; i < from->map_count && maps; ++i) {
        maps[i].name = sup_arena_text(to->arena, from->maps[i].name, strlen(from->maps[i].name));
        maps[i].values = sup_arena_copy(to->arena, from->maps[i].values, n, sizeof *maps[i].values);
        if (!maps[i].name || !maps[i].values) return sup_fail_memory(error, "maps");
    }
    if (!maps) return sup_fail_memory(error, "maps");
    to->maps = maps;
    to->map_count = from->map_count;
    return SUP_OK;
}

static sup_result make(const sup_character* c, sup_arena* keep, sup_arena* work, const sup_allocator* allocator,
                       sup_character** out, sup_error* error)
{
    const sup_mesh* m = &c->mesh;
    tangents        t = { .c = c,
                          .normals = SUP_NEW(work, sup_vec3, m->vertex_count),
                          .sums = SUP_NEW(work, sup_vec3, m->vertex_count),
                          .hands = SUP_NEW(work, float, m->vertex_count) };
    sup_vec3*       of_points = SUP_NEW(work, sup_vec3, m->point_count);
    if (!t.normals || !t.sums || !t.hands || !of_points) return sup_fail_memory(error, "tangents");
    sup_result result = sup_character_uvs(c, work, &t.uv, error);
    if (result != SUP_OK) return result;
    find_normals(&t, of_points);
    for (uint32_t f = 0; f < m->face_count && t.uv; ++f)
        for (uint32_t k = m->face_begin[f] + 2; k < m->face_begin[f + 1]; ++k) {
            const uint32_t* at = m->corner_vertices;
            add_triangle(&t, (const uint32_t[3]){ at[m->face_begin[f]], at[k - 1], at[k] });
        }
    result = write_all(&t, keep, allocator, out, error);
    return result == SUP_OK ? keep_maps(c, *out, error) : result;
}

sup_result sup_character_tangents(const sup_character* c, const sup_allocator* allocator, sup_character** out, sup_error* error)
{
    SUP_ASSERT(c && out);
    sup_character* own = NULL;
    sup_arena *    keep = sup_arena_create(allocator), *work = sup_arena_create(allocator);
    sup_result     result = keep && work ? SUP_OK : sup_fail_memory(error, "tangents");
    if (result == SUP_OK) result = gltf_character_whole(c, allocator, &own, error);
    if (result == SUP_OK) result = make(own ? own : c, keep, work, allocator, out, error);
    sup_character_destroy(own);
    sup_arena_destroy(keep);
    sup_arena_destroy(work);
    return result;
}
