// Normal maps from a fine surface to a coarse one. Both have the same texture coordinates, so a texel links a place on one to a
// place on the other: no rays, and nothing is missed where skin meets skin.
#include "normal_map.h"

#include "input/chains.h"
#include "input/inputs.h"
#include "picture.h"
#include "report/output.h"
#include "report/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POSES_MAX = 24, ROWS_GRAIN = 16 };       // poses from which the extremes are taken
enum { COVERS_MAX = 64, ASK_TEXELS = 1 << 24 }; // how often triangles may cover the picture; texels between cancellation checks

// Appended to the output's name without its ending.
static const char COMPRESSED[] = ".compressed.png", STRETCHED[] = ".stretched.png", TENSION[] = ".tension.npy",
                  NORMAL[] = ".normal.png";

static sup_vec3 mixed(const sup_vec3* of, const uint32_t v[3], const normal_texel* t)
{
    float a = 1 - t->b - t->c;
    return (sup_vec3){ a * of[v[0]].x + t->b * of[v[1]].x + t->c * of[v[2]].x,
                       a * of[v[0]].y + t->b * of[v[1]].y + t->c * of[v[2]].y,
                       a * of[v[0]].z + t->b * of[v[1]].z + t->c * of[v[2]].z };
}

static float dot(sup_vec3 a, sup_vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

static sup_vec3 unit(sup_vec3 a)
{
    float length = sqrtf(dot(a, a)), s = length > 0 ? 1 / length : 0;
    return (sup_vec3){ a.x * s, a.y * s, a.z * s };
}

// ---------------------------------------------------------------------------------------------- cover

static sup_result list_triangles(const sup_mesh* m, sup_arena* arena, normal_cover* out, sup_error* error)
{
    out->triangles = sup_arena_alloc(arena, m->triangle_count + 1, sizeof *out->triangles);
    if (!out->triangles) return sup_fail(error, SUP_ERROR_MEMORY, "out of memory for a normal map; make it smaller");
    for (uint32_t f = 0; f < m->face_count; f++)
        for (uint32_t k = m->face_begin[f] + 2; k < m->face_begin[f + 1] && out->triangle_count < m->triangle_count; k++) {
            uint32_t* t = out->triangles[out->triangle_count++];
            t[0] = m->corner_vertices[m->face_begin[f]], t[1] = m->corner_vertices[k - 1], t[2] = m->corner_vertices[k];
        }
    return SUP_OK;
}

// Texels whose center lies inside. A triangle beyond the picture is drawn where the picture repeats, by its center. Returns how
// many texels it tested.
static uint64_t draw_triangle(const normal_side* side, normal_cover* c, uint32_t index)
{
    const uint32_t* v = c->triangles[index];
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
static sup_result draw_triangles(const normal_side* side, const sup_progress* bar, normal_cover* c, sup_error* error)
{
    uint64_t texels = (uint64_t)c->size * c->size, looked = 0, asked = 0;
    for (uint32_t i = 0; i < c->triangle_count; i++) {
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
    if (c->covered) return SUP_OK;
    return sup_fail(error, SUP_ERROR_INPUT,
                    "the texture coordinates cover no texel of a normal map of %u: they have no area, or are not numbers; "
                    "unwrap the mesh again, or make the map larger",
                    c->size);
}

static sup_result cover_make(const normal_side* side, uint32_t size, const sup_progress* bar, sup_arena* arena,
                             normal_cover* out, sup_error* error)
{
    *out = (normal_cover){ .size = size, .texels = sup_arena_alloc(arena, (size_t)size * size, sizeof *out->texels) };
    if (!out->texels)
        return sup_fail(error, SUP_ERROR_MEMORY, "out of memory for a normal map of %u texels; make it smaller", size);
    for (size_t i = 0; i < (size_t)size * size; i++) out->texels[i].triangle = SUP_NONE;
    sup_result result = list_triangles(side->mesh, arena, out, error);
    return result == SUP_OK ? draw_triangles(side, bar, out, error) : result;
}

// ---------------------------------------------------------------------------------------------- sums

typedef struct adding {
    const normal_side * coarse, *fine;
    const normal_cover *under, *over;
    const float*        weights;
    sup_vec3*           sums;
} adding;

static sup_vec3 fine_normal(const normal_side* fine, const uint32_t v[3], const normal_texel* t)
{
    sup_vec3 n = unit(mixed(fine->normals, v, t));
    if (!fine->relief) return n;
    const uint32_t points[3] = { fine->mesh->vertex_points[v[0]], fine->mesh->vertex_points[v[1]],
                                 fine->mesh->vertex_points[v[2]] };
    const float    weights[3] = { 1 - t->b - t->c, t->b, t->c };
    return relief_normal(fine->relief, points, weights, n);
}

static void add_rows(void* data, uint32_t begin, uint32_t end)
{
    const adding* a = data;
    size_t        size = a->under->size;
    for (size_t i = begin * size; i < end * size; i++) {
        const normal_texel *u = &a->under->texels[i], *o = &a->over->texels[i];
        if (u->triangle == SUP_NONE || o->triangle == SUP_NONE) continue;
        const uint32_t *v = a->under->triangles[u->triangle], *f = a->over->triangles[o->triangle];
        const sup_vec4* t = a->coarse->tangents;
        float           w[3] = { 1 - u->b - u->c, u->b, u->c }, weight = 0;
        sup_vec3        n = unit(mixed(a->coarse->normals, v, u)), d = { 0, 0, 0 };
        for (int k = 0; k < 3; k++) {
            d.x += w[k] * t[v[k]].x, d.y += w[k] * t[v[k]].y, d.z += w[k] * t[v[k]].z;
            weight += w[k] * a->weights[a->coarse->mesh->vertex_points[v[k]]];
        }
        // As in viewers: the tangent is orthogonalized per pixel, the bitangent is perpendicular to both.
        float along = dot(n, d);
        d = unit((sup_vec3){ d.x - along * n.x, d.y - along * n.y, d.z - along * n.z });
        sup_vec3 b = { n.y * d.z - n.z * d.y, n.z * d.x - n.x * d.z, n.x * d.y - n.y * d.x };
        sup_vec3 m = fine_normal(a->fine, f, o);
        sup_vec3 more = { weight * dot(d, m), weight * t[v[0]].w * dot(b, m), weight * fmaxf(dot(n, m), 0) };
        if (!isfinite(more.x + more.y + more.z)) continue; // a pose that is not finite contributes nothing; the bake reports it
        a->sums[i].x += more.x, a->sums[i].y += more.y, a->sums[i].z += more.z;
    }
}

void normal_add(const normal_side* coarse, const normal_cover* under, const normal_side* fine, const normal_cover* over,
                const float* weights, const sup_tasks* tasks, sup_vec3* sums)
{
    adding a = { coarse, fine, under, over, weights, sums };
    sup_tasks_run(tasks, under->size, ROWS_GRAIN, add_rows, &a);
}

// A texel beyond the border takes the mean of its neighbors, ring by ring, so that filtering only reads skin.
static void pad(sup_vec3* n, uint32_t size, uint32_t margin, uint8_t* known)
{
    for (uint32_t ring = 1; ring <= margin; ring++) {
        bool any = false;
        for (uint32_t y = 0; y < size; y++)
            for (uint32_t x = 0; x < size; x++) {
                size_t i = (size_t)y * size + x;
                if (known[i]) continue;
                sup_vec3 sum = { 0, 0, 0 };
                for (int dy = -1; dy <= 1; dy++)
                    for (int dx = -1; dx <= 1; dx++) {
                        uint32_t nx = x + (uint32_t)dx, ny = y + (uint32_t)dy;
                        if (nx >= size || ny >= size) continue;
                        size_t k = (size_t)ny * size + nx;
                        if (known[k] && known[k] <= ring) sum.x += n[k].x, sum.y += n[k].y, sum.z += n[k].z;
                    }
                if (dot(sum, sum) == 0) continue;
                n[i] = unit(sum);
                known[i] = (uint8_t)(ring + 1);
                any = true;
            }
        if (!any) return;
    }
}

sup_result normal_pixels(const sup_vec3* sums, uint32_t size, uint32_t margin, sup_arena* arena, uint8_t** out,
                         sup_error* error)
{
    size_t    count = (size_t)size * size;
    uint8_t * known = sup_arena_alloc(arena, count, 1), *pixels = sup_arena_alloc(arena, 6 * count, 1);
    sup_vec3* n = sup_arena_alloc(arena, count, sizeof *n);
    if (!known || !pixels || !n) return sup_fail(error, SUP_ERROR_MEMORY, "out of memory for a normal map; make it smaller");
    for (size_t i = 0; i < count; i++) {
        known[i] = dot(sums[i], sums[i]) > 0;
        n[i] = unit(sums[i]);
    }
    pad(n, size, margin, known);
    for (size_t i = 0; i < count; i++) {
        const float value[3] = { known[i] ? n[i].x : 0, known[i] ? n[i].y : 0, known[i] ? n[i].z : 1 };
        for (size_t k = 0; k < 3; k++) {
            double   level = floor(((double)value[k] + 1) * 0.5 * 65535 + 0.5);
            uint32_t bits = level < 0 ? 0 : level > 65535 ? 65535 : (uint32_t)level;
            pixels[6 * i + 2 * k] = (uint8_t)(bits >> 8), pixels[6 * i + 2 * k + 1] = (uint8_t)bits;
        }
    }
    *out = pixels;
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- playing

// One of the two characters, with its own chain.
typedef struct actor {
    const sup_character* character;
    sup_chain*           chain;
    sup_instance*        instance;
    const sup_normals*   normals;
    void *               scratch, *normals_scratch;
    sup_vec3 *           points, *vertex_normals;
    sup_vec4*            vertex_tangents;
    normal_side          side;
    normal_cover         cover;
    relief               relief;
} actor;

// size: of a map; 0: no map, and the mesh needs no texture coordinates.
static sup_result actor_begin(const bake_job* job, const sup_character* c, uint32_t size, sup_arena* arena, actor* a,
                              sup_error* error)
{
    motion m = job->motion;
    *a = (actor){ .character = c };
    // The copy's version of the clip: clips keep their order.
    if (m.clip) m.clip = &c->clips[m.clip - job->character->clips];
    sup_chain_desc chain = job->chain;
    chain.character = c;
    chain.clip = m.clip;
    if (m.loop) chain.cycle_begin = m.start, chain.cycle_end = m.end;
    chain.tasks = job->tasks;
    sup_result result = sup_chain_create(&chain, &a->chain, error);
    if (result != SUP_OK) return result;
    sup_instance_desc instance = motion_instance(&m, a->chain, job->tasks);
    instance.snapshots = 1;
    result = sup_instance_create(&instance, &a->instance, error);
    if (result == SUP_OK) result = sup_normals_create(c, arena, &a->normals, error);
    if (result == SUP_OK) result = sup_character_uvs(c, arena, &a->side.uv, error);
    if (result != SUP_OK) return result;
    a->scratch = sup_scratch_create(sup_chain_scratch_size(a->chain), NULL);
    a->normals_scratch = sup_scratch_create(sup_normals_scratch(a->normals), NULL);
    a->points = sup_arena_alloc(arena, c->mesh.point_count, sizeof *a->points);
    a->vertex_normals = sup_arena_alloc(arena, c->mesh.vertex_count, sizeof *a->vertex_normals);
    a->vertex_tangents = sup_arena_alloc(arena, c->mesh.vertex_count, sizeof *a->vertex_tangents);
    if (!a->scratch || !a->normals_scratch || !a->points || !a->vertex_normals || !a->vertex_tangents)
        return sup_fail(error, SUP_ERROR_MEMORY, "out of memory for a normal map; make it smaller");
    if (!size) return SUP_OK;
    if (!a->side.uv)
        return sup_fail(error, SUP_ERROR_INPUT,
                        "'%s' has no texture coordinates, which a normal map needs; unwrap it in a modeling program",
                        c->name);
    a->side.mesh = &c->mesh;
    a->side.normals = a->vertex_normals;
    a->side.tangents = a->vertex_tangents;
    result = relief_begin(a->instance, &c->mesh, a->points, arena, &a->relief, error);
    if (result != SUP_OK) return result;
    if (a->relief.count) a->side.relief = &a->relief;
    return cover_make(&a->side, size, &job->bar->sink, arena, &a->cover, error);
}

static float corner_angle(sup_vec3 at, sup_vec3 a, sup_vec3 b)
{
    sup_vec3 u = unit((sup_vec3){ a.x - at.x, a.y - at.y, a.z - at.z }),
             v = unit((sup_vec3){ b.x - at.x, b.y - at.y, b.z - at.z });
    return acosf(fminf(fmaxf(dot(u, v), -1), 1));
}

// Tangents of the pose, along the picture as it lies on the posed surface: what skinning makes of those in the file, which were
// computed the same way at rest. Handedness stays the file's.
static void find_tangents(actor* a)
{
    const sup_mesh* m = &a->character->mesh;
    for (uint32_t v = 0; v < m->vertex_count; v++) {
        float hand = m->vertex_tangents ? m->vertex_tangents[v].w : 1;
        a->vertex_tangents[v] = (sup_vec4){ 0, 0, 0, hand };
    }
    for (uint32_t i = 0; i < a->cover.triangle_count; i++) {
        const uint32_t* v = a->cover.triangles[i];
        sup_vec3        p[3];
        for (int k = 0; k < 3; k++) p[k] = a->points[m->vertex_points[v[k]]];
        const float(*uv)[2] = a->side.uv;
        float y1 = uv[v[1]][1] - uv[v[0]][1], y2 = uv[v[2]][1] - uv[v[0]][1];
        float det = (uv[v[1]][0] - uv[v[0]][0]) * y2 - (uv[v[2]][0] - uv[v[0]][0]) * y1, sign = det < 0 ? -1.0f : 1.0f;
        if (!isfinite(det) || det == 0) continue;
        sup_vec3 way = unit((sup_vec3){ sign * ((p[1].x - p[0].x) * y2 - (p[2].x - p[0].x) * y1),
                                        sign * ((p[1].y - p[0].y) * y2 - (p[2].y - p[0].y) * y1),
                                        sign * ((p[1].z - p[0].z) * y2 - (p[2].z - p[0].z) * y1) });
        for (int k = 0; k < 3; k++) {
            float     angle = corner_angle(p[k], p[(k + 1) % 3], p[(k + 2) % 3]);
            sup_vec4* t = &a->vertex_tangents[v[k]];
            t->x += angle * way.x, t->y += angle * way.y, t->z += angle * way.z;
        }
    }
    for (uint32_t v = 0; v < m->vertex_count; v++) {
        sup_vec4* t = &a->vertex_tangents[v];
        sup_vec3  d = unit((sup_vec3){ t->x, t->y, t->z });
        *t = (sup_vec4){ d.x, d.y, d.z, t->w };
    }
}

static void actor_show(actor* a, double time, const sup_tasks* tasks)
{
    sup_instance_evaluate(a->instance, time, a->scratch, NULL, a->points);
    sup_normals_evaluate(a->normals, a->points, a->normals_scratch, tasks, a->vertex_normals, NULL);
    relief_show(a->instance, a->scratch, &a->relief);
}

static void actor_end(actor* a)
{
    sup_instance_destroy(a->instance);
    sup_chain_destroy(a->chain);
    sup_scratch_destroy(a->scratch);
    sup_scratch_destroy(a->normals_scratch);
}

// The area of the triangles around each point over that at rest, minus 1. Returns how many are not finite: they become 0.
static uint32_t find_tension(const sup_mesh* m, const sup_vec3* points, double* rest, double* now, float* out)
{
    for (int pass = 0; pass < 2; pass++) {
        double*         sums = pass ? now : rest;
        const sup_vec3* at = pass ? points : m->points;
        memset(sums, 0, m->point_count * sizeof *sums);
        for (uint32_t i = 0; i < m->triangle_count; i++) {
            const uint32_t* c = m->triangles + 3 * (size_t)i;
            sup_vec3        a = at[c[0]], b = at[c[1]], d = at[c[2]];
            sup_vec3        u = { b.x - a.x, b.y - a.y, b.z - a.z }, v = { d.x - a.x, d.y - a.y, d.z - a.z };
            sup_vec3        n = { u.y * v.z - u.z * v.y, u.z * v.x - u.x * v.z, u.x * v.y - u.y * v.x };
            for (int k = 0; k < 3; k++) sums[c[k]] += sqrt((double)dot(n, n));
        }
    }
    uint32_t lost = 0;
    for (uint32_t p = 0; p < m->point_count; p++) {
        out[p] = rest[p] > 0 ? (float)(now[p] / rest[p] - 1) : 0;
        if (!isfinite(out[p])) out[p] = 0, lost++;
    }
    return lost;
}

// ---------------------------------------------------------------------------------------------- files

static bool write_file(const char* path, const void* head, size_t head_size, const void* bytes, size_t size, sup_error* error)
{
    output_file file = { 0 };
    uint8_t*    all = malloc(head_size + size + 1);
    if (!all) return sup_fail(error, SUP_ERROR_MEMORY, "out of memory for '%s'", path) == SUP_OK;
    if (head_size) memcpy(all, head, head_size);
    memcpy(all + head_size, bytes, size);
    bool good =
        output_begin(&file, path, error) && output_write(&file, all, head_size + size, error) && output_keep(&file, error);
    output_drop(&file);
    free(all);
    return good;
}

static char* path_of(const bake_job* job, const char* ending, sup_arena* arena)
{
    const char *dot_at = strrchr(job->output, '.'), *slash = strrchr(job->output, '/');
    size_t      stem = dot_at && (!slash || dot_at > slash) ? (size_t)(dot_at - job->output) : strlen(job->output);
    char*       path = sup_arena_alloc(arena, stem + strlen(ending) + 1, 1);
    if (path) memcpy(path, job->output, stem), strcpy(path + stem, ending);
    return path;
}

static sup_result write_map(const bake_job* job, const sup_vec3* sums, uint32_t size, const char* ending, sup_arena* arena,
                            sup_error* error)
{
    uint8_t *  pixels, *bytes = NULL;
    size_t     length = 0;
    char*      path = path_of(job, ending, arena);
    sup_result result = normal_pixels(sums, size, size / 128 + 4, arena, &pixels, error);
    if (result != SUP_OK) return result;
    bool good = path && image_encode_png16(pixels, size, size, &bytes, &length, error) &&
                write_file(path, NULL, 0, bytes, length, error);
    free(bytes);
    return good ? SUP_OK : error->code;
}

// A numpy table: frames x stored vertices.
static sup_result write_tension(const bake_job* job, const float* values, uint32_t frames, uint32_t vertices, sup_arena* arena,
                                sup_error* error)
{
    char head[128] = "\x93NUMPY\x01", *path = path_of(job, TENSION, arena);
    head[8] = 118, head[9] = 0; // bytes after these ten
    int length = snprintf(head + 10, 118, "{'descr': '<f4', 'fortran_order': False, 'shape': (%u, %u), }", frames, vertices);
    memset(head + 10 + length, ' ', (size_t)(118 - length));
    head[127] = '\n';
    bool good = path && write_file(path, head, sizeof head, values, (size_t)frames * vertices * sizeof *values, error);
    return good ? SUP_OK : error->code;
}

// ---------------------------------------------------------------------------------------------- whole

typedef struct maps {
    sup_vec3 *low, *high; // compressed and stretched
    float *   tension, *weights;
    float*    table; // of all frames, by stored vertex
    double *  rest, *now;
} maps;

static sup_result maps_begin(const sup_mesh* m, uint32_t size, uint32_t frames, sup_arena* arena, maps* out, sup_error* error)
{
    size_t texels = (size_t)size * size;
    *out = (maps){ .low = sup_arena_alloc(arena, texels, sizeof *out->low),
                   .high = sup_arena_alloc(arena, texels, sizeof *out->high),
                   .tension = sup_arena_alloc(arena, m->point_count, sizeof(float)),
                   .weights = sup_arena_alloc(arena, m->point_count, sizeof(float)),
                   .table = sup_arena_alloc(arena, (size_t)frames * m->vertex_count, sizeof(float)),
                   .rest = sup_arena_alloc(arena, m->point_count, sizeof(double)),
                   .now = sup_arena_alloc(arena, m->point_count, sizeof(double)) };
    if (out->low && out->high && out->tension && out->weights && out->table && out->rest && out->now) return SUP_OK;
    return sup_fail(error, SUP_ERROR_MEMORY, "out of memory for a normal map of %u texels; make it smaller", size);
}

// Returns how many points have none.
static uint64_t add_tension(const sup_mesh* mesh, const sup_vec3* points, uint32_t frame, maps* m)
{
    uint64_t lost = find_tension(mesh, points, m->rest, m->now, m->tension);
    for (uint32_t v = 0; v < mesh->vertex_count; v++)
        m->table[(size_t)frame * mesh->vertex_count + v] = m->tension[mesh->vertex_points[v]];
    return lost;
}

static void warn_lost(uint64_t lost)
{
    if (lost)
        report_warning(
            "the tension of %llu points was not a finite number and is written as 0; a joint's transform or a setting "
            "of the chain is too large",
            (unsigned long long)lost);
}

// Poses are weighted by the fourth power of their tension: the extremes, without seams from one to the other.
static void add_pose(const bake_job* job, actor* coarse, actor* fine, maps* m, double time, bool extremes)
{
    actor_show(fine, time, job->tasks);
    find_tangents(coarse);
    for (int side = 0; side < (extremes ? 2 : 1); side++) {
        for (uint32_t p = 0; p < coarse->character->mesh.point_count; p++) {
            float t = extremes ? fmaxf(side ? m->tension[p] : -m->tension[p], 0.0f) : 1.0f;
            m->weights[p] = fminf(t, 1.0f) * fminf(t, 1.0f) * fminf(t, 1.0f) * fminf(t, 1.0f) + 1e-9f;
        }
        normal_add(&coarse->side, &coarse->cover, &fine->side, &fine->cover, m->weights, job->tasks, side ? m->high : m->low);
    }
}

static void note_cover(const bake_job* job, const normal_cover* c)
{
    char text[240];
    if (c->overlapping * 100 < c->covered) return;
    snprintf(text, sizeof text,
             "%.0f %% of the normal map belongs to more than one place of the surface (mirrored or stacked texture "
             "coordinates): the first one counts; --mesh bakes one mesh alone",
             100.0 * (double)c->overlapping / (double)c->covered);
    progress_note(job->bar, text);
}

static sup_result play(const bake_job* job, actor* coarse, actor* fine, uint32_t size, sup_arena* arena, sup_error* error)
{
    const sup_mesh* mesh = &coarse->character->mesh;
    bool            extremes = job->motion.clip != NULL;
    uint32_t        frames = sup_frame_count(job->motion.start, job->motion.end, job->motion.fps, job->motion.loop);
    uint32_t        every = (frames + POSES_MAX - 1) / POSES_MAX;
    uint64_t        lost = 0;
    maps            m;
    sup_result      result = maps_begin(mesh, size, frames, arena, &m, error);
    for (uint32_t i = 0; i < frames && result == SUP_OK; i++) {
        double time = sup_frame_time(job->motion.start, job->motion.fps, i);
        if (!progress_report(job->bar, (double)i / frames)) return sup_fail(error, SUP_ERROR_CANCELLED, "stopped");
        actor_show(coarse, time, job->tasks);
        lost += add_tension(mesh, coarse->points, i, &m);
        if (i % every == 0) add_pose(job, coarse, fine, &m, time, extremes);
    }
    if (result == SUP_OK) warn_lost(lost);
    if (result == SUP_OK) result = write_map(job, m.low, size, extremes ? COMPRESSED : NORMAL, arena, error);
    if (result == SUP_OK && extremes) result = write_map(job, m.high, size, STRETCHED, arena, error);
    if (result == SUP_OK && extremes) result = write_tension(job, m.table, frames, mesh->vertex_count, arena, error);
    return result;
}

// Checked before anything is written, so that no map exists if one of them is refused.
static sup_result check_path(const bake_job* job, const char* ending, sup_arena* arena, sup_error* error)
{
    char* path = path_of(job, ending, arena);
    if (!path) return sup_fail(error, SUP_ERROR_MEMORY, "out of memory for a normal map");
    if (!job->flags || !inputs_need(job->flags, path)) return SUP_OK;
    return sup_fail(error, SUP_ERROR_INPUT,
                    "'%s' is an input file, and it would be replaced; choose another name, or add --overwrite",
                    path);
}

static sup_result check_paths(const bake_job* job, sup_arena* arena, sup_error* error)
{
    static const char* const endings[] = { COMPRESSED, STRETCHED, TENSION, NORMAL };
    sup_result               result = SUP_OK;
    for (size_t i = job->motion.clip ? 0 : 3; i < (job->motion.clip ? 3 : 4) && result == SUP_OK; i++)
        result = check_path(job, endings[i], arena, error);
    return result;
}

sup_result normal_map_write(const bake_job* job, const sup_character* coarse, const sup_character* fine, uint32_t size,
                            sup_arena* arena, sup_error* error)
{
    actor      a = { 0 }, b = { 0 };
    sup_result result = check_paths(job, arena, error);
    if (result == SUP_OK) result = actor_begin(job, coarse, size, arena, &a, error);
    if (result == SUP_OK) result = actor_begin(job, fine, size, arena, &b, error);
    if (result == SUP_OK) note_cover(job, &a.cover);
    if (result == SUP_OK) result = play(job, &a, &b, size, arena, error);
    actor_end(&a);
    actor_end(&b);
    return result;
}

static sup_result play_tension(const bake_job* job, actor* a, sup_arena* arena, sup_error* error)
{
    const sup_mesh* mesh = &a->character->mesh;
    uint32_t        frames = sup_frame_count(job->motion.start, job->motion.end, job->motion.fps, job->motion.loop);
    uint64_t        lost = 0;
    maps            m;
    sup_result      result = maps_begin(mesh, 1, frames, arena, &m, error);
    for (uint32_t i = 0; i < frames && result == SUP_OK; i++) {
        if (!progress_report(job->bar, (double)i / frames)) return sup_fail(error, SUP_ERROR_CANCELLED, "stopped");
        actor_show(a, sup_frame_time(job->motion.start, job->motion.fps, i), job->tasks);
        lost += add_tension(mesh, a->points, i, &m);
    }
    if (result == SUP_OK) warn_lost(lost);
    return result == SUP_OK ? write_tension(job, m.table, frames, mesh->vertex_count, arena, error) : result;
}

sup_result tension_write(const bake_job* job, sup_arena* arena, sup_error* error)
{
    actor      a = { 0 };
    sup_result result = check_path(job, TENSION, arena, error);
    if (result == SUP_OK) result = actor_begin(job, job->character, 0, arena, &a, error);
    if (result == SUP_OK) result = play_tension(job, &a, arena, error);
    actor_end(&a);
    return result;
}
