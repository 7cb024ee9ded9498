// Finds which stored vertices are one point. Files split a point wherever a texture or a normal has a seam; a simulation must
// not come apart there.
#include "scene/build.h"
#include "scene/exact.h"

#include <math.h>
#include <string.h>

/// Products of four lengths (squares of areas) stay within single precision, so geometry downstream never overflows.
#define COORDINATE_MOST 1e9f

// A sum of words times odd constants, mixed for a hash table at the end: the products do not wait for each other, as they would
// in a chain. Different start values separate the attributes.
static const uint64_t WORD = 0x9e3779b97f4a7c15ull, START_WEIGHTS = 0xd6e8feb86659fd93ull, START_MORPHS = 0xa0761d6478bd642full;

static uint64_t word_hash(uint64_t salt, uint32_t word) { return (salt ^ word) * (salt * WORD | 1); }

static uint64_t finish_hash(uint64_t sum)
{
    sum ^= sum >> 32;
    return sum * START_WEIGHTS;
}

// The bits of a float, with -0 as +0.
static uint32_t bits(float x)
{
    uint32_t word;
    x += 0.0f;
    memcpy(&word, &x, sizeof word);
    return word;
}

static uint64_t hash_vec3(uint64_t salt, sup_vec3 a)
{
    return word_hash(salt, bits(a.x)) + word_hash(salt + WORD, bits(a.y)) + word_hash(salt + 2 * WORD, bits(a.z));
}

static bool same_vec3(sup_vec3 a, sup_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

// Finds vertices that are one point. Rows of cleaned influences have space for two vertices.
typedef struct welder {
    sup_build*           build;
    const sup_part_desc* d;
    uint32_t             part;
    uint32_t*            joints[2];
    float*               values[2];
} welder;

static uint32_t clean_row(const welder* w, uint32_t v, int capacity)
{
    return sup_build_row(w->build, w->part, v, w->joints[capacity], w->values[capacity]);
}

// Influences are compared as they will be kept. At a seam they are nearly always stored alike, which needs no cleaning.
static bool same_influences(const welder* w, uint32_t a, uint32_t b)
{
    uint32_t width = w->d->width, differ = 0;
    size_t   at = (size_t)a * width, to = (size_t)b * width;
    for (uint32_t k = 0; k < width; ++k)
        differ |= (w->d->joints[at + k] ^ w->d->joints[to + k]) | (w->d->weights[at + k] != w->d->weights[to + k]);
    if (differ == 0) return true;
    uint32_t count = clean_row(w, a, 0);
    return count == clean_row(w, b, 1) && memcmp(w->joints[0], w->joints[1], count * sizeof **w->joints) == 0 &&
           memcmp(w->values[0], w->values[1], count * sizeof **w->values) == 0;
}

// Equal in everything but the position.
static bool same_rest(const welder* w, uint32_t a, uint32_t b)
{
    if (w->d->width && !same_influences(w, a, b)) return false;
    for (uint32_t m = 0; m < w->d->morph_count; ++m)
        if (!same_vec3(w->d->morphs[m].deltas[a], w->d->morphs[m].deltas[b])) return false;
    return true;
}

static uint64_t hash_place(const welder* w, uint32_t v) { return hash_vec3(WORD, w->d->positions[v]); }

static uint64_t hash_rest(const welder* w, uint32_t v)
{
    uint64_t sum = 0, salt = START_WEIGHTS;
    uint32_t count = w->d->width ? clean_row(w, v, 0) : 0;
    for (uint32_t i = 0; i < count; ++i, salt += 2 * WORD)
        sum += word_hash(salt, w->joints[0][i]) + word_hash(salt + WORD, bits(w->values[0][i]));
    for (uint32_t m = 0; m < w->d->morph_count; ++m) sum += hash_vec3(START_MORPHS + 3 * m * WORD, w->d->morphs[m].deltas[v]);
    return sum;
}

// Marks an entry that stands for a vertex, not yet for a point.
static const uint32_t OPEN = 0x80000000u;

// Prefetch distances: table slots are all over memory but known before they are needed; so are the vertices they name.
enum { AHEAD_TABLE = 32, AHEAD_VERTEX = 16, PROBES_MOST = 8 };

typedef struct weld_table {
    uint32_t* entries; // a vertex plus 1, and above it as many bits of the hash as fit; 0: free
    size_t    mask;
    uint32_t  low; // the bits of the vertex
    uint64_t  hashes[AHEAD_TABLE];
} weld_table;

static size_t place_of(const weld_table* t, uint64_t hash) { return (hash >> 16) & t->mask; } // the lowest bits are the weakest

static uint32_t tag_of(const weld_table* t, uint64_t hash) { return (uint32_t)(hash >> 32) & ~t->low; }

static void prefetch_entry(const welder* w, weld_table* t, bool whole, uint32_t v)
{
    uint64_t hash = finish_hash(hash_place(w, v) + (whole ? hash_rest(w, v) : 0));
    t->hashes[v % AHEAD_TABLE] = hash;
    __builtin_prefetch(&t->entries[place_of(t, hash)], 1);
}

// Prefetches what v will be compared with, if anything.
static void prefetch_vertex(const welder* w, const weld_table* t, uint32_t v)
{
    uint64_t hash = t->hashes[v % AHEAD_TABLE];
    uint32_t entry = t->entries[place_of(t, hash)];
    if (entry == 0 || ((entry ^ tag_of(t, hash)) & ~t->low)) return;
    uint32_t u = (entry & t->low) - 1;
    __builtin_prefetch(&w->d->positions[u]);
    if (w->d->width) {
        size_t row = (size_t)u * w->d->width, own = (size_t)v * w->d->width;
        __builtin_prefetch(w->d->joints + row);
        __builtin_prefetch(w->d->joints + own);
        __builtin_prefetch(w->d->weights + row);
        __builtin_prefetch(w->d->weights + own);
    }
}

// firsts[v]: the first stored vertex that is the same point as v, and OPEN. Open addressing: probing past other vertices is
// rare. False: too many vertices share a hash.
static bool find_firsts(const welder* w, weld_table* t, bool whole, uint32_t* firsts)
{
    uint32_t n = w->d->vertex_count;
    uint64_t mismatches = 0, most = whole ? UINT64_MAX : PROBES_MOST * ((uint64_t)n + AHEAD_TABLE);
    for (uint32_t v = 0; v < AHEAD_TABLE && v < n; ++v) prefetch_entry(w, t, whole, v);
    for (uint32_t v = 0; v < n; ++v) {
        uint64_t hash = t->hashes[v % AHEAD_TABLE];
        uint32_t tag = tag_of(t, hash), entry;
        size_t   at = place_of(t, hash);
        if (n - v > AHEAD_TABLE) prefetch_entry(w, t, whole, v + AHEAD_TABLE);
        if (n - v > AHEAD_VERTEX) prefetch_vertex(w, t, v + AHEAD_VERTEX);
        for (; (entry = t->entries[at]) != 0; at = (at + 1) & t->mask) {
            uint32_t u = (entry & t->low) - 1;
            if (((entry ^ tag) & ~t->low) == 0 && same_vec3(w->d->positions[u], w->d->positions[v]) && same_rest(w, u, v))
                break;
            if (++mismatches > most) return false;
        }
        if (entry == 0) t->entries[at] = tag | (v + 1);
        firsts[v] = (entry == 0 ? v : (entry & t->low) - 1) | OPEN;
    }
    return true;
}

// The next number for v's point, if it has none yet.
static inline void number(uint32_t* points, uint32_t v, uint32_t* count)
{
    if (!(points[v] & OPEN)) return;
    uint32_t first = points[v] & ~OPEN;
    if (points[first] & OPEN) points[first] = (*count)++;
    points[v] = points[first];
}

// Numbers the classes by the first face corner that uses them, then the unused ones as stored. `points` holds firsts before and
// numbers afterwards. Returns the count.
static uint32_t number_by_use(const sup_part_desc* d, uint32_t* points)
{
    uint32_t        count = 0;
    const uint32_t* corners = d->corners;
    for (size_t c = 0; !d->face_sizes && c < 3 * (size_t)d->face_count; ++c) number(points, corners[c], &count);
    for (uint32_t f = 0; d->face_sizes && f < d->face_count; corners += d->face_sizes[f++])
        for (uint32_t c = 0; d->face_sizes[f] >= 3 && c < d->face_sizes[f]; ++c) number(points, corners[c], &count);
    for (uint32_t v = 0; v < d->vertex_count; ++v) number(points, v, &count);
    return count;
}

static sup_result weld(sup_build* build, uint32_t part, uint32_t* points, uint32_t* count)
{
    const sup_part_desc* d = &build->desc->parts[part];
    welder               w = { .build = build, .d = d, .part = part };
    weld_table           t = { .low = 1 };
    size_t               size = 16;
    while (t.low < d->vertex_count) t.low = 2 * t.low + 1;
    while (size < (size_t)d->vertex_count + d->vertex_count / 2 && size <= SIZE_MAX / 4) size *= 2;
    t.mask = size - 1;
    t.entries = SUP_NEW(build->scratch, uint32_t, size);
    bool allocated = t.entries != NULL;
    for (int i = 0; i < 2; ++i) {
        w.joints[i] = SUP_NEW(build->scratch, uint32_t, d->width);
        w.values[i] = SUP_NEW(build->scratch, float, d->width);
        allocated = allocated && w.joints[i] && w.values[i];
    }
    if (!allocated) return sup_fail_memory(build->error, "welded points");
    // If many vertices share a position and differ otherwise, all attributes are hashed.
    if (!find_firsts(&w, &t, false, points)) {
        memset(t.entries, 0, size * sizeof *t.entries);
        (void)find_firsts(&w, &t, true, points);
    }
    *count = number_by_use(d, points);
    return SUP_OK;
}

// Point numbers written by an earlier bake are honored if they can be true: every number up to the largest occurs, and vertices
// with one number share a position.
static sup_result use_stored_numbers(sup_build* build, const sup_part_desc* d, uint32_t* points, uint32_t* count, bool* valid)
{
    uint32_t* firsts = SUP_NEW(build->scratch, uint32_t, d->vertex_count); // plus 1
    if (!firsts) return sup_fail_memory(build->error, "welded points");
    uint32_t seen = 0, most = 0;
    *valid = false;
    for (uint32_t v = 0; v < d->vertex_count; ++v) {
        uint32_t id = d->point_ids[v];
        if (id >= d->vertex_count) return SUP_OK;
        if (!firsts[id]) {
            firsts[id] = v + 1;
            seen++;
        } else if (!same_vec3(d->positions[firsts[id] - 1], d->positions[v])) {
            return SUP_OK;
        }
        if (id + 1 > most) most = id + 1;
        points[v] = id;
    }
    *count = most;
    *valid = seen == most;
    return SUP_OK;
}

static sup_result number_part(sup_build* build, uint32_t index, uint32_t* points, uint32_t* count)
{
    const sup_part_desc* d = &build->desc->parts[index];
    if (d->point_ids) {
        bool       valid;
        sup_result result = use_stored_numbers(build, d, points, count, &valid);
        if (result || valid) return result;
        sup_note(&build->warnings, "the point numbers stored with '%s' do not match its vertices; welded again",
                 build->parts[index].name);
    }
    if (d->weld || d->point_ids) return weld(build, index, points, count);
    for (uint32_t v = 0; v < d->vertex_count; ++v) points[v] = v;
    *count = d->vertex_count;
    return SUP_OK;
}

// The positions of a lone part whose memory outlives the character are the points, if nothing is welded, renumbered or
// transformed.
static bool borrows_points(const sup_build* build)
{
    return build->desc->part_count == 1 && build->desc->parts->lasting_positions && build->points_are_vertices &&
           !build->part_builds->placed;
}

// Rest positions, their box, and a check that the transforms kept them finite.
static sup_result place_points(sup_build* build)
{
    sup_mesh* mesh = &build->out->mesh;
    bool      borrowed = borrows_points(build);
    sup_vec3* positions = borrowed ? NULL : SUP_NEW(build->keep, sup_vec3, mesh->point_count);
    if (!positions && !borrowed) return sup_fail_memory(build->error, "points");
    sup_vec3 low = v3(0, 0, 0), high = low;
    for (uint32_t i = 0; i < mesh->part_count; ++i) {
        const sup_part*      part = &build->parts[i];
        const sup_part_desc* d = &build->desc->parts[i];
        for (uint32_t p = part->point_begin; p < part->point_begin + part->point_count; ++p) {
            uint32_t v = build->point_vertices[p] - part->vertex_begin;
            sup_vec3 at = d->positions[v];
            if (build->part_builds[i].placed) at = affine_point(&part->place, at);
            if (!v3_finite(at))
                return sup_fail(build->error, SUP_ERROR_INPUT,
                                "the transform of '%s' makes vertex %u too large for a float; repair the file", part->name, v);
            if (positions) positions[p] = at;
            low = p ? v3_min(low, at) : at;
            high = p ? v3_max(high, at) : at;
        }
    }
    double x = (double)high.x - (double)low.x, y = (double)high.y - (double)low.y, z = (double)high.z - (double)low.z;
    mesh->points = borrowed ? build->desc->parts->positions : positions;
    mesh->diagonal = (float)sqrt(x * x + y * y + z * z);
    sup_vec3 most = v3_min(low, v3_scale(high, -1));
    if (fminf(fminf(most.x, most.y), most.z) < -COORDINATE_MOST)
        return sup_fail(
            build->error, SUP_ERROR_INPUT,
            "'%s' is too large: it reaches more than a billion units from the origin; scale it down",
            build->out->name);
    return SUP_OK;
}

sup_result sup_build_points(sup_build* build)
{
    sup_mesh* mesh = &build->out->mesh;
    build->vertex_points = SUP_NEW(build->keep, uint32_t, build->vertex_count);
    if (!build->vertex_points) return sup_fail_memory(build->error, "points");
    for (uint32_t i = 0; i < mesh->part_count; ++i) {
        sup_part*  part = &build->parts[i];
        uint32_t*  points = build->vertex_points + part->vertex_begin;
        sup_result result = number_part(build, i, points, &part->point_count);
        if (result) return result;
        part->point_begin = mesh->point_count;
        for (uint32_t v = 0; v < part->vertex_count; ++v) points[v] += part->point_begin;
        mesh->point_count += part->point_count;
    }
    build->point_vertices = SUP_NEW(build->scratch, uint32_t, mesh->point_count);
    if (!build->point_vertices) return sup_fail_memory(build->error, "points");
    for (uint32_t v = build->vertex_count; v--;) build->point_vertices[build->vertex_points[v]] = v;
    uint32_t moved = 0;
    for (uint32_t v = 0; v < build->vertex_count; ++v) moved |= build->vertex_points[v] ^ v;
    build->points_are_vertices = moved == 0;
    mesh->vertex_points = build->vertex_points;
    return place_points(build);
}
