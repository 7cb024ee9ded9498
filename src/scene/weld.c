// Which stored vertices are one point. Files split a point wherever a texture or a normal has a seam; what is simulated must
// not come apart there.
#include "scene/build.h"
#include "scene/exact.h"

#include <string.h>

// A sum of words times odd constants, made ready for a table at the end: the products do not wait for each other, as those of
// a chain would (30 ns for each vertex of four influences). Starts of different attributes keep them apart.
static const uint64_t WORD = 0x9e3779b97f4a7c15ull, START_WEIGHTS = 0xd6e8feb86659fd93ull, START_MORPHS = 0xa0761d6478bd642full;

static uint64_t word_hash(uint64_t salt, uint32_t word) { return (salt ^ word) * (salt * WORD | 1); }

static uint32_t finish_hash(uint64_t sum)
{
    sum ^= sum >> 32;
    sum *= START_WEIGHTS;
    return (uint32_t)(sum >> 32);
}

// The bits of a number, with one zero only.
static uint32_t bits(float x)
{
    uint32_t word;
    memcpy(&word, &x, sizeof word);
    return word == 0x80000000u ? 0 : word;
}

static uint64_t hash_vec3(uint64_t salt, sup_vec3 a)
{
    return word_hash(salt, bits(a.x)) + word_hash(salt + WORD, bits(a.y)) + word_hash(salt + 2 * WORD, bits(a.z));
}

static bool same_vec3(sup_vec3 a, sup_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

static uint32_t* hash_vertices(sup_build* build, const sup_part_desc* d, const sup_part_build* p)
{
    uint32_t* hashes = SUP_NEW(build->scratch, uint32_t, d->vertex_count);
    if (!hashes) return NULL;
    for (uint32_t v = 0; v < d->vertex_count; ++v) {
        uint64_t sum = hash_vec3(WORD, d->positions[v]), salt = START_WEIGHTS;
        for (uint32_t i = p->begin ? p->begin[v] : 0; p->begin && i < p->begin[v + 1]; ++i, salt += 2 * WORD)
            sum += word_hash(salt, p->joints[i]) + word_hash(salt + WORD, bits(p->values[i]));
        for (uint32_t m = 0; m < d->morph_count; ++m) sum += hash_vec3(START_MORPHS + 3 * m * WORD, d->morphs[m].deltas[v]);
        hashes[v] = finish_hash(sum);
    }
    return hashes;
}

static bool same_vertex(const sup_part_desc* d, const sup_part_build* p, uint32_t a, uint32_t b)
{
    if (!same_vec3(d->positions[a], d->positions[b])) return false;
    if (p->begin) {
        uint32_t count = p->begin[a + 1] - p->begin[a];
        if (count != p->begin[b + 1] - p->begin[b] ||
            memcmp(p->joints + p->begin[a], p->joints + p->begin[b], count * sizeof *p->joints) ||
            memcmp(p->values + p->begin[a], p->values + p->begin[b], count * sizeof *p->values))
            return false;
    }
    for (uint32_t m = 0; m < d->morph_count; ++m)
        if (!same_vec3(d->morphs[m].deltas[a], d->morphs[m].deltas[b])) return false;
    return true;
}

// firsts[v]: the first stored vertex that is the same point as v. Open addressing over vertex numbers.
static bool find_firsts(sup_build* build, const sup_part_desc* d, const sup_part_build* p, uint32_t* firsts)
{
    enum { AHEAD = 16 }; // places of the table are all over the memory, and known before they are needed
    size_t size = 16;
    while (size < (size_t)d->vertex_count + d->vertex_count / 2 && size <= SIZE_MAX / 4) size *= 2;
    uint32_t* table = SUP_NEW(build->scratch, uint32_t, size); // vertex plus 1, 0 for free
    uint32_t* hashes = hash_vertices(build, d, p);
    if (!table || !hashes) return false;
    for (uint32_t v = 0; v < d->vertex_count; ++v) {
        size_t at = hashes[v] & (size - 1);
        if (v + AHEAD < d->vertex_count) __builtin_prefetch(&table[hashes[v + AHEAD] & (size - 1)], 1);
        while (table[at] && (hashes[table[at] - 1] != hashes[v] || !same_vertex(d, p, table[at] - 1, v)))
            at = (at + 1) & (size - 1);
        if (!table[at]) table[at] = v + 1;
        firsts[v] = table[at] - 1;
    }
    return true;
}

// Numbers the classes by the first face corner that uses them, then the unused ones as stored. Returns the count.
static uint32_t number_by_use(const sup_part_desc* d, const uint32_t* firsts, uint32_t* numbers, uint32_t* points)
{
    uint32_t count = 0;
    for (uint32_t v = 0; v < d->vertex_count; ++v) numbers[v] = SUP_NONE;
    const uint32_t* corners = d->corners;
    for (uint32_t f = 0; f < d->face_count; ++f) {
        uint32_t size = d->face_sizes ? d->face_sizes[f] : 3;
        for (uint32_t c = 0; size >= 3 && c < size; ++c)
            if (numbers[firsts[corners[c]]] == SUP_NONE) numbers[firsts[corners[c]]] = count++;
        corners += size;
    }
    for (uint32_t v = 0; v < d->vertex_count; ++v) {
        if (numbers[firsts[v]] == SUP_NONE) numbers[firsts[v]] = count++;
        points[v] = numbers[firsts[v]];
    }
    return count;
}

static sup_result weld(sup_build* build, uint32_t part, uint32_t* points, uint32_t* count)
{
    const sup_part_desc* d = &build->desc->parts[part];
    uint32_t*            firsts = SUP_NEW(build->scratch, uint32_t, d->vertex_count);
    uint32_t*            numbers = SUP_NEW(build->scratch, uint32_t, d->vertex_count);
    if (!firsts || !numbers || !find_firsts(build, d, &build->part_builds[part], firsts))
        return sup_fail_memory(build->error, "welded points");
    *count = number_by_use(d, firsts, numbers, points);
    return SUP_OK;
}

// Point numbers noted by an earlier writing are obeyed when they can be true: every number up to the largest occurs, and
// vertices of one number stand at one place.
static sup_result obey_ids(sup_build* build, const sup_part_desc* d, uint32_t* points, uint32_t* count, bool* valid)
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
        sup_result result = obey_ids(build, d, points, count, &valid);
        if (result || valid) return result;
        sup_note(&build->warnings, "the point numbers stored with '%s' do not fit its vertices; welded anew",
                       build->parts[index].name);
    }
    if (d->weld || d->point_ids) return weld(build, index, points, count);
    for (uint32_t v = 0; v < d->vertex_count; ++v) points[v] = v;
    *count = d->vertex_count;
    return SUP_OK;
}

// Rest positions, their box, and a check that placing them did not leave the numbers.
static sup_result place_points(sup_build* build)
{
    sup_mesh* mesh = &build->out->mesh;
    sup_vec3* positions = SUP_NEW(build->keep, sup_vec3, mesh->point_count);
    if (!positions) return sup_fail_memory(build->error, "points");
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
                                "the transform of '%s' throws vertex %u out of the numbers; repair the file", part->name, v);
            positions[p] = at;
            low = p ? v3_min(low, at) : at;
            high = p ? v3_max(high, at) : at;
        }
    }
    double x = (double)high.x - (double)low.x, y = (double)high.y - (double)low.y, z = (double)high.z - (double)low.z;
    mesh->points = positions;
    mesh->diagonal = (float)sqrt(x * x + y * y + z * z);
    if (!isfinite(mesh->diagonal))
        return sup_fail(build->error, SUP_ERROR_INPUT, "'%s' is too large for its numbers; scale it down", build->out->name);
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
