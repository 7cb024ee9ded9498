// Texels of a normal map, and which meshes share one.
#include "normal_cover.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COVERS_MAX = 64, ASK_TEXELS = 1 << 24 }; // how often triangles may cover the picture; texels between cancellation checks
enum { PROBE = 256, NAME_MAX = 100 };           // texels of a side with which overlaps are looked for; bytes of a name

sup_result normal_triangles_list(const sup_mesh* m, sup_arena* arena, normal_side* side, sup_error* error)
{
    uint32_t(*out)[3] = sup_arena_alloc(arena, m->triangle_count + 1, sizeof *out);
    if (!out) return sup_fail(error, SUP_ERROR_MEMORY, "out of memory for a normal map; make it smaller");
    for (uint32_t f = 0; f < m->face_count; f++)
        for (uint32_t k = m->face_begin[f] + 2; k < m->face_begin[f + 1] && side->triangle_count < m->triangle_count; k++) {
            uint32_t* t = out[side->triangle_count++];
            t[0] = m->corner_vertices[m->face_begin[f]], t[1] = m->corner_vertices[k - 1], t[2] = m->corner_vertices[k];
        }
    side->triangles = (const uint32_t(*)[3])out;
    return SUP_OK;
}

// Texels whose center lies inside. A triangle beyond the picture is drawn where the picture repeats, by its center. Returns how
// many texels it tested.
static uint64_t draw_triangle(const normal_side* side, normal_cover* c, uint32_t index)
{
    const uint32_t* v = side->triangles[index];
    double          x[3], y[3], size = c->size, mx = 0, my = 0;
    for (int i = 0; i < 3; i++) {
        x[i] = (double)side->uv[v[i]][0], y[i] = (double)side->uv[v[i]][1];
        mx += x[i] / 3, my += y[i] / 3;
    }
    if (!(fabs(mx) < 1e6 && fabs(my) < 1e6)) return 0;
    for (int i = 0; i < 3; i++) x[i] = (x[i] - floor(mx)) * size, y[i] = (y[i] - floor(my)) * size;
    double det = (x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0]);
    if (!(fabs(det) > 1e-12)) return 0;
    double low_x = fmax(0, ceil(fmin(x[0], fmin(x[1], x[2])) - 0.5)),
           high_x = fmin(size - 1, floor(fmax(x[0], fmax(x[1], x[2])) - 0.5));
    double low_y = fmax(0, ceil(fmin(y[0], fmin(y[1], y[2])) - 0.5)),
           high_y = fmin(size - 1, floor(fmax(y[0], fmax(y[1], y[2])) - 0.5));
    for (double row = low_y; row <= high_y; row++)
        for (double column = low_x; column <= high_x; column++) {
            double px = column + 0.5 - x[0], py = row + 0.5 - y[0];
            double b = (px * (y[2] - y[0]) - (x[2] - x[0]) * py) / det, q = ((x[1] - x[0]) * py - px * (y[1] - y[0])) / det;
            if (b < 0 || q < 0 || b + q > 1) continue;
            normal_texel* t = &c->texels[(size_t)row * c->size + (size_t)column];
            // Two triangles that meet at an edge do not overlap.
            bool inside = b > 1e-6 && q > 1e-6 && b + q < 1 - 1e-6;
            if (t->triangle == SUP_NONE) c->covered++;
            else if (inside) c->overlapping++;
            if (t->triangle == SUP_NONE) *t = (normal_texel){ index, (float)b, (float)q };
        }
    return (uint64_t)(fmax(high_x - low_x + 1, 0) * fmax(high_y - low_y + 1, 0));
}

// Meaningless coordinates spread every triangle over the whole picture; stacked and mirrored ones cover it a few times.
static sup_result draw_triangles(const normal_side* side, const uint32_t* of_vertex, uint32_t which, const sup_progress* bar,
                                 normal_cover* c, sup_error* error)
{
    uint64_t texels = (uint64_t)c->size * c->size, looked = 0, asked = 0;
    for (uint32_t i = 0; i < side->triangle_count; i++) {
        if (of_vertex[side->triangles[i][0]] != which) continue;
        looked += draw_triangle(side, c, i);
        if (looked > COVERS_MAX * texels)
            return sup_fail(error, SUP_ERROR_INPUT,
                            "the texture coordinates cover the picture more than %d times over, so texels cannot be assigned; "
                            "unwrap the mesh again, or choose one with --mesh",
                            COVERS_MAX);
        if (looked - asked < ASK_TEXELS) continue;
        asked = looked;
        if (!sup_progress_report(bar, 0, "normal map")) return sup_fail(error, SUP_ERROR_CANCELLED, "stopped");
    }
    return SUP_OK;
}

sup_result normal_cover_make(const normal_side* side, const uint32_t* of_vertex, uint32_t which, uint32_t size,
                             const sup_progress* bar, sup_arena* arena, normal_cover* out, sup_error* error)
{
    *out = (normal_cover){ .size = size, .texels = sup_arena_alloc(arena, (size_t)size * size, sizeof *out->texels) };
    if (!out->texels)
        return sup_fail(error, SUP_ERROR_MEMORY, "out of memory for a normal map of %u texels; make it smaller", size);
    for (size_t i = 0; i < (size_t)size * size; i++) out->texels[i].triangle = SUP_NONE;
    return draw_triangles(side, of_vertex, which, bar, out, error);
}

// ---------------------------------------------------------------------------------------------- squares

static uint32_t* parts_of_vertices(const sup_mesh* m, sup_arena* arena)
{
    uint32_t* parts = sup_arena_alloc(arena, m->vertex_count, sizeof *parts);
    for (uint32_t p = 0; parts && p < m->part_count; p++)
        for (uint32_t i = 0; i < m->parts[p].vertex_count; i++) parts[m->parts[p].vertex_begin + i] = p;
    return parts;
}

// What a vertex is drawn with: its picture, or without one its mesh. Texture coordinates of an OBJ's corners: all one picture.
static uint32_t key_of(const sup_paint* paint, const uint32_t* parts, bool apart, uint32_t vertex)
{
    if (paint->corner_entries) return 0;
    uint32_t picture = paint->vertex_pictures ? paint->vertex_pictures[vertex] : SUP_NONE;
    return picture != SUP_NONE ? picture : paint->picture_count + (apart ? parts[vertex] : 0);
}

// Whether meshes without a picture lie over each other on the square. Meshes that only touch share a texel here and there.
static sup_result find_overlap(const normal_side* side, const sup_paint* paint, const uint32_t* parts, bool* out,
                               sup_error* error)
{
    static const uint32_t texels = PROBE * PROBE;
    uint8_t*              taken = calloc(texels, 1);
    uint64_t              shared = 0, all = 0;
    for (uint32_t p = 0; p < side->mesh->part_count && taken; p++) {
        const sup_part* part = &side->mesh->parts[p];
        if (!part->vertex_count || key_of(paint, parts, false, part->vertex_begin) != paint->picture_count) continue;
        sup_arena*   arena = sup_arena_create(NULL);
        normal_cover cover;
        sup_error    unmeant = { 0 }; // refused by name when its map is made
        bool         drawn = arena && normal_cover_make(side, parts, p, PROBE, NULL, arena, &cover, &unmeant) == SUP_OK;
        if (unmeant.code == SUP_ERROR_INPUT) shared = all = texels; // it lies over everything, itself too
        for (uint32_t i = 0; drawn && i < texels; i++) {
            if (cover.texels[i].triangle == SUP_NONE) continue;
            shared += taken[i], all++;
            taken[i] = 1;
        }
        sup_arena_destroy(arena);
    }
    *out = shared * 100 > all;
    sup_result result = taken ? SUP_OK : sup_fail(error, SUP_ERROR_MEMORY, "out of memory for a normal map");
    free(taken);
    return result;
}

// A mesh's name as part of a file's: letters, digits, - and _ stay; the same name twice gets a number.
static const char* file_name(const normal_squares* s, const char* name, sup_arena* arena)
{
    char* out = sup_arena_alloc(arena, NAME_MAX + 16, 1);
    if (!out) return NULL;
    size_t length = 0;
    for (; name[length] && length < NAME_MAX; length++) {
        char at = name[length];
        bool plain = (at & 0x80) || (at >= '0' && at <= '9') || (at >= 'a' && at <= 'z') || (at >= 'A' && at <= 'Z');
        out[length] = plain || at == '-' || at == '_' ? at : '_';
    }
    uint32_t same = 1;
    for (uint32_t i = 0; i < s->count; i++)
        if (!strncmp(s->names[i], out, length) && (!s->names[i][length] || s->names[i][length] == '.')) same++;
    if (same > 1) snprintf(out + length, 16, ".%u", same);
    return out;
}

static sup_result name_squares(const normal_side* side, const sup_paint* paint, const uint32_t* parts, sup_arena* arena,
                               normal_squares* s, sup_error* error)
{
    uint32_t keys = paint->picture_count + side->mesh->part_count + 1;
    s->of_key = sup_arena_alloc(arena, keys, sizeof *s->of_key);
    s->names = sup_arena_alloc(arena, keys, sizeof *s->names);
    if (!s->of_key || !s->names) return sup_fail(error, SUP_ERROR_MEMORY, "out of memory for a normal map");
    for (uint32_t i = 0; i < keys; i++) s->of_key[i] = SUP_NONE;
    for (uint32_t i = 0; i < side->triangle_count; i++) {
        uint32_t vertex = side->triangles[i][0], key = key_of(paint, parts, s->apart, vertex);
        if (s->of_key[key] != SUP_NONE) continue;
        const char* name = file_name(s, side->mesh->parts[parts[vertex]].name, arena);
        if (!name) return sup_fail(error, SUP_ERROR_MEMORY, "out of memory for a normal map");
        s->names[s->count] = name;
        s->of_key[key] = s->count++;
    }
    return SUP_OK;
}

sup_result normal_squares_find(const normal_side* side, const sup_character* character, sup_arena* arena, normal_squares* out,
                               sup_error* error)
{
    sup_paint paint;
    uint32_t* parts = parts_of_vertices(side->mesh, arena);
    *out = (normal_squares){ 0 };
    sup_result result = parts ? sup_character_paint(character, arena, &paint, error)
                              : sup_fail(error, SUP_ERROR_MEMORY, "out of memory for a normal map");
    if (result == SUP_OK) result = find_overlap(side, &paint, parts, &out->apart, error);
    return result == SUP_OK ? name_squares(side, &paint, parts, arena, out, error) : result;
}

sup_result normal_squares_of(const normal_squares* squares, const sup_character* character, sup_arena* arena,
                             const uint32_t** out, sup_error* error)
{
    sup_paint       paint;
    const sup_mesh* m = &character->mesh;
    uint32_t *      parts = parts_of_vertices(m, arena), *of = sup_arena_alloc(arena, m->vertex_count, sizeof *of);
    if (!parts || !of) return sup_fail(error, SUP_ERROR_MEMORY, "out of memory for a normal map");
    sup_result result = sup_character_paint(character, arena, &paint, error);
    if (result != SUP_OK) return result;
    for (uint32_t i = 0; i < m->vertex_count; i++) of[i] = squares->of_key[key_of(&paint, parts, squares->apart, i)];
    *out = of;
    return SUP_OK;
}
