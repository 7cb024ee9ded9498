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

enum { POSES_MAX = 24, ROWS_GRAIN = 16 }; // poses from which the extremes are taken
#define PASS_BYTES 1e9                    // of the maps that are made at a time; more of them play the clip once more

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

// ---------------------------------------------------------------------------------------------- sums

typedef struct adding {
    const normal_side * coarse, *fine;
    const normal_cover *under, *over;
    const float*        weights;
    sup_vec3*           sums;
} adding;

static relief_step texel_step(const normal_side* side, const uint32_t v[3], uint32_t size)
{
    const float(*uv)[2] = side->uv;
    double bx = (double)uv[v[1]][0] - uv[v[0]][0], by = (double)uv[v[1]][1] - uv[v[0]][1];
    double cx = (double)uv[v[2]][0] - uv[v[0]][0], cy = (double)uv[v[2]][1] - uv[v[0]][1];
    double det = (bx * cy - cx * by) * size; // not 0: the triangle covers a texel
    return (relief_step){ { (float)(cy / det), (float)(-cx / det) }, { (float)(-by / det), (float)(bx / det) } };
}

static sup_vec3 fine_normal(const normal_side* fine, const uint32_t v[3], const normal_texel* t, uint32_t size)
{
    sup_vec3 n = unit(mixed(fine->normals, v, t));
    if (!fine->relief) return n;
    const uint32_t points[3] = { fine->mesh->vertex_points[v[0]], fine->mesh->vertex_points[v[1]],
                                 fine->mesh->vertex_points[v[2]] };
    const float    weights[3] = { 1 - t->b - t->c, t->b, t->c };
    relief_step    step = texel_step(fine, v, size);
    return relief_normal(fine->relief, points, weights, &step, n);
}

static void add_rows(void* data, uint32_t begin, uint32_t end)
{
    const adding* a = data;
    size_t        size = a->under->size;
    for (size_t i = begin * size; i < end * size; i++) {
        const normal_texel *u = &a->under->texels[i], *o = &a->over->texels[i];
        if (u->triangle == SUP_NONE || o->triangle == SUP_NONE) continue;
        const uint32_t *v = a->coarse->triangles[u->triangle], *f = a->fine->triangles[o->triangle];
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
        sup_vec3 m = fine_normal(a->fine, f, o, a->over->size);
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
    const uint32_t*      squares; ///< of the stored vertices
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
                        "'%s' has no texture coordinates, which a normal map needs; unwrap it in a modeling program", c->name);
    a->side.mesh = &c->mesh;
    a->side.normals = a->vertex_normals;
    a->side.tangents = a->vertex_tangents;
    result = relief_begin(a->instance, &c->mesh, a->points, arena, &a->relief, error);
    if (result != SUP_OK) return result;
    if (a->relief.count) a->side.relief = &a->relief;
    return normal_triangles_list(&c->mesh, arena, &a->side, error);
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
    for (uint32_t i = 0; i < a->side.triangle_count; i++) {
        const uint32_t* v = a->side.triangles[i];
        sup_vec3        p[3];
        for (int k = 0; k < 3; k++) p[k] = a->points[m->vertex_points[v[k]]];
        const float(*uv)[2] = a->side.uv;
        float y1 = uv[v[1]][1] - uv[v[0]][1], y2 = uv[v[2]][1] - uv[v[0]][1];
        float det = (uv[v[1]][0] - uv[v[0]][0]) * y2 - (uv[v[2]][0] - uv[v[0]][0]) * y1, sign = det < 0 ? -1.0f : 1.0f;
        if (!isfinite(det) || det == 0) continue;
        sup_vec3 direction = unit((sup_vec3){ sign * ((p[1].x - p[0].x) * y2 - (p[2].x - p[0].x) * y1),
                                              sign * ((p[1].y - p[0].y) * y2 - (p[2].y - p[0].y) * y1),
                                              sign * ((p[1].z - p[0].z) * y2 - (p[2].z - p[0].z) * y1) });
        for (int k = 0; k < 3; k++) {
            float     angle = corner_angle(p[k], p[(k + 1) % 3], p[(k + 2) % 3]);
            sup_vec4* t = &a->vertex_tangents[v[k]];
            t->x += angle * direction.x, t->y += angle * direction.y, t->z += angle * direction.z;
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

// `mesh`: between the name of the output and the ending; NULL: nothing.
static char* path_of(const bake_job* job, const char* mesh, const char* ending, sup_arena* arena)
{
    const char *dot_at = strrchr(job->output, '.'), *slash = strrchr(job->output, '/');
    size_t      stem = dot_at && (!slash || dot_at > slash) ? (size_t)(dot_at - job->output) : strlen(job->output);
    size_t      size = stem + (mesh ? strlen(mesh) + 1 : 0) + strlen(ending) + 1;
    char*       path = sup_arena_alloc(arena, size, 1);
    if (path) snprintf(path, size, "%.*s%s%s%s", (int)stem, job->output, mesh ? "." : "", mesh ? mesh : "", ending);
    return path;
}

static sup_result write_picture(const bake_job* job, const sup_vec3* sums, uint32_t size, const char* mesh, const char* ending,
                                sup_error* error)
{
    uint8_t *  pixels, *bytes = NULL;
    size_t     length = 0;
    sup_arena* arena = sup_arena_create(NULL);
    char*      path = path_of(job, mesh, ending, arena);
    sup_result result = path ? normal_pixels(sums, size, size / 128 + 4, arena, &pixels, error)
                             : sup_fail(error, SUP_ERROR_MEMORY, "out of memory for a normal map; make it smaller");
    if (result == SUP_OK &&
        !(image_encode_png16(pixels, size, size, &bytes, &length, error) && write_file(path, NULL, 0, bytes, length, error)))
        result = error->code;
    free(bytes);
    sup_arena_destroy(arena);
    return result;
}

// A numpy table: frames x stored vertices.
static sup_result write_table(const bake_job* job, const float* values, uint32_t frames, uint32_t vertices, sup_arena* arena,
                              sup_error* error)
{
    char head[128] = "\x93NUMPY\x01", *path = path_of(job, NULL, TENSION, arena);
    head[8] = 118, head[9] = 0; // bytes after these ten
    int length = snprintf(head + 10, 118, "{'descr': '<f4', 'fortran_order': False, 'shape': (%u, %u), }", frames, vertices);
    memset(head + 10 + length, ' ', (size_t)(118 - length));
    head[127] = '\n';
    bool good = path && write_file(path, head, sizeof head, values, (size_t)frames * vertices * sizeof *values, error);
    return good ? SUP_OK : error->code;
}

// ---------------------------------------------------------------------------------------------- whole

typedef struct driver {
    float *  tension, *weights;
    float*   table; // of all frames, by stored vertex
    double * rest, *now;
    uint64_t lost; // points without tension
} driver;

// The map of one square.
typedef struct map {
    uint32_t     square;
    normal_cover under, over;
    sup_vec3 *   low, *high; // compressed and stretched; a pose has only the first
} map;

// What is made while the clip is played once.
typedef struct pass {
    map*       maps;
    uint32_t   count;
    bool       extremes;
    bool       first; // it has the driver too
    sup_arena* arena;
} pass;

static sup_result driver_begin(const sup_mesh* m, uint32_t frames, sup_arena* arena, driver* out, sup_error* error)
{
    *out = (driver){ .tension = sup_arena_alloc(arena, m->point_count, sizeof(float)),
                     .weights = sup_arena_alloc(arena, m->point_count, sizeof(float)),
                     .table = sup_arena_alloc(arena, (size_t)frames * m->vertex_count, sizeof(float)),
                     .rest = sup_arena_alloc(arena, m->point_count, sizeof(double)),
                     .now = sup_arena_alloc(arena, m->point_count, sizeof(double)) };
    if (out->tension && out->weights && out->table && out->rest && out->now) return SUP_OK;
    return sup_fail(error, SUP_ERROR_MEMORY, "out of memory for the tension of %u frames", frames);
}

static void add_tension(const sup_mesh* mesh, const sup_vec3* points, uint32_t frame, bool keep, driver* d)
{
    uint32_t lost = find_tension(mesh, points, d->rest, d->now, d->tension);
    if (!keep) return;
    d->lost += lost;
    for (uint32_t v = 0; v < mesh->vertex_count; v++)
        d->table[(size_t)frame * mesh->vertex_count + v] = d->tension[mesh->vertex_points[v]];
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
static void add_pose(const bake_job* job, actor* coarse, actor* fine, const pass* p, driver* d, double time)
{
    actor_show(fine, time, job->tasks);
    find_tangents(coarse);
    for (int side = 0; side < (p->extremes ? 2 : 1); side++) {
        for (uint32_t i = 0; i < coarse->character->mesh.point_count; i++) {
            float t = p->extremes ? fmaxf(side ? d->tension[i] : -d->tension[i], 0.0f) : 1.0f;
            d->weights[i] = fminf(t, 1.0f) * fminf(t, 1.0f) * fminf(t, 1.0f) * fminf(t, 1.0f) + 1e-9f;
        }
        for (uint32_t i = 0; i < p->count; i++)
            normal_add(&coarse->side, &p->maps[i].under, &fine->side, &p->maps[i].over, d->weights, job->tasks,
                       side ? p->maps[i].high : p->maps[i].low);
    }
}

static sup_result play(const bake_job* job, actor* coarse, actor* fine, const pass* p, driver* d, sup_error* error)
{
    uint32_t frames = sup_frame_count(job->motion.start, job->motion.end, job->motion.fps, job->motion.loop);
    uint32_t every = (frames + POSES_MAX - 1) / POSES_MAX;
    for (uint32_t i = 0; i < frames; i++) {
        double time = sup_frame_time(job->motion.start, job->motion.fps, i);
        if (!progress_report(job->bar, (double)i / frames)) return sup_fail(error, SUP_ERROR_CANCELLED, "stopped");
        actor_show(coarse, time, job->tasks);
        add_tension(&coarse->character->mesh, coarse->points, i, p->first, d);
        if (i % every == 0 && p->count) add_pose(job, coarse, fine, p, d, time);
    }
    return SUP_OK;
}

static void note_cover(const bake_job* job, const normal_squares* squares, const map* m)
{
    char        text[320], of[140] = "the normal map";
    const char* name = squares->names[m->square];
    if (squares->count > 1) snprintf(of, sizeof of, "the normal map of '%s'", name);
    if (!m->under.covered)
        snprintf(text, sizeof text,
                 "'%s' has no normal map: its texture coordinates have no area, or are not numbers; unwrap it in a modeling "
                 "program",
                 name);
    else if (m->under.overlapping * 100 < m->under.covered) return;
    else
        snprintf(text, sizeof text,
                 "%.0f %% of %s belongs to more than one place of the surface (mirrored or stacked texture coordinates): the "
                 "first one counts%s",
                 100.0 * fmin(1, (double)m->under.overlapping / (double)m->under.covered), of,
                 squares->count > 1 ? "" : "; --mesh bakes one mesh alone");
    progress_note(job->bar, text);
}

static sup_result map_begin(const bake_job* job, const actor* coarse, const actor* fine, const normal_squares* squares,
                            uint32_t size, const pass* p, map* m, sup_error* error)
{
    const sup_progress* bar = &job->bar->sink;
    size_t              texels = (size_t)size * size;
    sup_result result = normal_cover_make(&coarse->side, coarse->squares, m->square, size, bar, p->arena, &m->under, error);
    if (result == SUP_OK) note_cover(job, squares, m);
    if (result == SUP_OK)
        result = normal_cover_make(&fine->side, fine->squares, m->square, size, bar, p->arena, &m->over, error);
    if (result == SUP_ERROR_INPUT && squares->count > 1) {
        const sup_error why = *error;
        return sup_fail(error, result, "'%s': %s", squares->names[m->square], why.text);
    }
    m->low = sup_arena_alloc(p->arena, texels, sizeof *m->low);
    m->high = sup_arena_alloc(p->arena, p->extremes ? texels : 1, sizeof *m->high);
    if (result != SUP_OK || (m->low && m->high)) return result;
    return sup_fail(error, SUP_ERROR_MEMORY, "out of memory for a normal map of %u texels; make it smaller", size);
}

static sup_result write_maps(const bake_job* job, const normal_squares* squares, const pass* p, uint32_t size, sup_error* error)
{
    sup_result result = SUP_OK;
    for (uint32_t i = 0; i < p->count && result == SUP_OK; i++) {
        const map*  m = &p->maps[i];
        const char* mesh = squares->count > 1 ? squares->names[m->square] : NULL;
        if (!m->under.covered) continue;
        result = write_picture(job, m->low, size, mesh, p->extremes ? COMPRESSED : NORMAL, error);
        if (result == SUP_OK && p->extremes) result = write_picture(job, m->high, size, mesh, STRETCHED, error);
    }
    return result;
}

static sup_result make_pass(const bake_job* job, actor* coarse, actor* fine, const normal_squares* squares, uint32_t first,
                            uint32_t count, uint32_t size, driver* d, sup_error* error)
{
    pass p = { .count = count, .extremes = job->motion.clip != NULL, .first = first == 0, .arena = sup_arena_create(NULL) };
    p.maps = sup_arena_alloc(p.arena, count, sizeof *p.maps);
    sup_result result = p.maps ? SUP_OK : sup_fail(error, SUP_ERROR_MEMORY, "out of memory for a normal map");
    for (uint32_t i = 0; i < count && result == SUP_OK; i++) {
        p.maps[i].square = first + i;
        result = map_begin(job, coarse, fine, squares, size, &p, &p.maps[i], error);
    }
    if (result == SUP_OK && squares->count == 1 && !p.maps[0].under.covered)
        result =
            sup_fail(error, SUP_ERROR_INPUT,
                     "the texture coordinates cover no texel of a normal map of %u: they have no area, or are not numbers; "
                     "unwrap the mesh again, or make the map larger",
                     size);
    if (result == SUP_OK) result = play(job, coarse, fine, &p, d, error);
    if (result == SUP_OK) result = write_maps(job, squares, &p, size, error);
    sup_arena_destroy(p.arena);
    return result;
}

static void note_names(const bake_job* job, const normal_squares* squares)
{
    char   text[400];
    size_t used =
        (size_t)snprintf(text, sizeof text, "%u normal maps, for meshes that do not share one picture: ", squares->count);
    for (uint32_t i = 0; i < squares->count && used < sizeof text - 1; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", i ? ", " : "", squares->names[i]);
    if (used >= sizeof text) strcpy(text + sizeof text - 5, " ...");
    progress_note(job->bar, text);
}

static sup_result make_maps(const bake_job* job, actor* coarse, actor* fine, const normal_squares* squares, uint32_t size,
                            sup_arena* arena, sup_error* error)
{
    const sup_mesh* mesh = &coarse->character->mesh;
    uint32_t        frames = sup_frame_count(job->motion.start, job->motion.end, job->motion.fps, job->motion.loop);
    double          each = (double)size * size * (2 * sizeof(normal_texel) + 2 * sizeof(sup_vec3));
    uint32_t        at_once = (uint32_t)fmax(1, fmin(PASS_BYTES / each, squares->count));
    driver          d;
    sup_result      result = driver_begin(mesh, frames, arena, &d, error);
    for (uint32_t i = 0; i < squares->count && result == SUP_OK; i += at_once) {
        uint32_t left = squares->count - i;
        result = make_pass(job, coarse, fine, squares, i, left < at_once ? left : at_once, size, &d, error);
    }
    if (result == SUP_OK && squares->count > 1) note_names(job, squares);
    if (result == SUP_OK) warn_lost(d.lost);
    if (result == SUP_OK && job->motion.clip) result = write_table(job, d.table, frames, mesh->vertex_count, arena, error);
    return result;
}

// Checked before anything is written, so that no map exists if one of them is refused.
static sup_result check_path(const bake_job* job, const char* mesh, const char* ending, sup_arena* arena, sup_error* error)
{
    char* path = path_of(job, mesh, ending, arena);
    if (!path) return sup_fail(error, SUP_ERROR_MEMORY, "out of memory for a normal map");
    if (!job->flags || !inputs_need(job->flags, path)) return SUP_OK;
    return sup_fail(error, SUP_ERROR_INPUT,
                    "'%s' is an input file, and it would be replaced; choose another name, or add --overwrite", path);
}

static sup_result check_paths(const bake_job* job, const normal_squares* squares, sup_arena* arena, sup_error* error)
{
    static const char* const endings[] = { COMPRESSED, STRETCHED, NORMAL };
    bool                     clip = job->motion.clip != NULL;
    sup_result               result = clip ? check_path(job, NULL, TENSION, arena, error) : SUP_OK;
    for (uint32_t k = 0; k < squares->count; k++)
        for (size_t i = clip ? 0 : 2; i < (clip ? 2 : 3) && result == SUP_OK; i++)
            result = check_path(job, squares->count > 1 ? squares->names[k] : NULL, endings[i], arena, error);
    return result;
}

sup_result normal_map_write(const bake_job* job, const sup_character* coarse, const sup_character* fine, uint32_t size,
                            sup_arena* arena, sup_error* error)
{
    actor          a = { 0 }, b = { 0 };
    normal_squares squares = { 0 };
    sup_result     result = actor_begin(job, coarse, size, arena, &a, error);
    if (result == SUP_OK) result = normal_squares_find(&a.side, coarse, arena, &squares, error);
    if (result == SUP_OK) result = check_paths(job, &squares, arena, error);
    if (result == SUP_OK) result = normal_squares_of(&squares, coarse, arena, &a.squares, error);
    if (result == SUP_OK) result = actor_begin(job, fine, size, arena, &b, error);
    if (result == SUP_OK) result = normal_squares_of(&squares, fine, arena, &b.squares, error);
    if (result == SUP_OK) result = make_maps(job, &a, &b, &squares, size, arena, error);
    actor_end(&a);
    actor_end(&b);
    return result;
}

static sup_result play_tension(const bake_job* job, actor* a, sup_arena* arena, sup_error* error)
{
    uint32_t   frames = sup_frame_count(job->motion.start, job->motion.end, job->motion.fps, job->motion.loop);
    pass       p = { .first = true };
    driver     d;
    sup_result result = driver_begin(&a->character->mesh, frames, arena, &d, error);
    if (result == SUP_OK) result = play(job, a, NULL, &p, &d, error);
    if (result == SUP_OK) warn_lost(d.lost);
    return result == SUP_OK ? write_table(job, d.table, frames, a->character->mesh.vertex_count, arena, error) : result;
}

sup_result tension_write(const bake_job* job, sup_arena* arena, sup_error* error)
{
    actor      a = { 0 };
    sup_result result = check_path(job, NULL, TENSION, arena, error);
    if (result == SUP_OK) result = actor_begin(job, job->character, 0, arena, &a, error);
    if (result == SUP_OK) result = play_tension(job, &a, arena, error);
    actor_end(&a);
    return result;
}
