// Courses over time that the displacements of each region share. The displacements are a matrix, frames x coordinates, and the
// eigenvectors of its inner products (frames x frames) explain most of it with the fewest courses.
//
// The eigensolver takes the cube of the frames. A long clip has far fewer significant courses than frames: those are found in a
// small subspace that the products themselves span. Whatever the subspace, the courses are orthonormal, so what they leave
// unexplained is known exactly; if that is too much, the subspace grows.
#include "base/internal.h"
#include "io/gltf/gltf_pack.h"
#include "math/eigen.h"

#include <math.h>
#include <string.h>

#define NO_COMPONENTS "the displacements of the clip have no components; leave the budget out"

enum {
    LANES = 4,
    ACROSS = 4,      // rows that a row is multiplied with at once
    TILE = 64,       // vertices whose values in all frames stay in the cache
    SMALL = 96,      // up to this many frames are solved directly
    SPACE_FIRST = 48 // initial number of courses to find
};

// Courses may be left out up to this share of the budget's detail, root mean square over a piece.
#define COURSE_SHARE 0.1

// ---------------------------------------------------------------------------------------------- products

typedef struct gram_task {
    const double* rows; // frames x width
    size_t        width;
    uint32_t      frames;
    double*       out;
} gram_task;

typedef double lanes __attribute__((vector_size(LANES * sizeof(double)), aligned(sizeof(double)), may_alias));

static double sum_of(lanes v) { return (v[0] + v[1]) + (v[2] + v[3]); }

static void multiply_one(const double* a, const double* b, size_t n, double* out)
{
    lanes sum = { 0 };
    for (size_t i = 0; i < n; i += LANES) sum += *(const lanes*)(a + i) * *(const lanes*)(b + i);
    *out += sum_of(sum);
}

static void multiply_four(const double* a, const double* b, size_t n, double* out)
{
    lanes s0 = { 0 }, s1 = { 0 }, s2 = { 0 }, s3 = { 0 };
    for (size_t i = 0; i < n; i += LANES) {
        lanes x = *(const lanes*)(a + i);
        s0 += x * *(const lanes*)(b + i);
        s1 += x * *(const lanes*)(b + n + i);
        s2 += x * *(const lanes*)(b + 2 * n + i);
        s3 += x * *(const lanes*)(b + 3 * n + i);
    }
    out[0] += sum_of(s0), out[1] += sum_of(s1), out[2] += sum_of(s2), out[3] += sum_of(s3);
}

static void multiply_rows(void* data, uint32_t begin, uint32_t end)
{
    const gram_task* t = data;
    for (uint32_t f = begin; f < end; ++f) {
        const double* row = t->rows + f * t->width;
        double*       out = t->out + (size_t)f * t->frames;
        uint32_t      g = 0;
        for (; g + ACROSS <= f + 1; g += ACROSS) multiply_four(row, t->rows + g * t->width, t->width, out + g);
        for (; g <= f; ++g) multiply_one(row, t->rows + g * t->width, t->width, out + g);
    }
}

// The values of some vertices in all frames.
static void gather(const gltf_pack* pack, const pack_region* region, uint32_t begin, uint32_t count, double* out)
{
    for (uint32_t f = 0; f < pack->frames; ++f) {
        const float* row = pack->shifts + 3 * (f * pack->vertex_count + pack->first[region->piece]);
        for (uint32_t i = 0; i < count; ++i)
            for (uint32_t c = 0; c < 3; ++c) *out++ = (double)row[3 * (size_t)region->vertices[begin + i] + c];
        for (uint32_t i = 3 * count; i % LANES; ++i) *out++ = 0;
    }
}

static void region_gram(gltf_pack* pack, pack_region* region, double* rows)
{
    uint32_t frames = pack->frames;
    for (uint32_t at = 0; at < region->count; at += TILE) {
        uint32_t count = region->count - at < TILE ? region->count - at : TILE;
        gather(pack, region, at, count, rows);
        gram_task task = { rows, sup_align(3 * (size_t)count, LANES), frames, region->gram };
        sup_tasks_run(pack->bake->desc.tasks, frames, 32, multiply_rows, &task);
    }
    for (uint32_t f = 0; f < frames; ++f)
        for (uint32_t g = f + 1; g < frames; ++g) region->gram[(size_t)f * frames + g] = region->gram[(size_t)g * frames + f];
}

sup_result gltf_pack_gram(gltf_pack* pack, sup_error* error)
{
    size_t  frames = pack->frames, squares = frames * frames;
    double* rows = SUP_NEW(pack->bake->arena, double, frames * 3 * TILE);
    bool    ready = rows != NULL;
    for (uint32_t at = 0; at < PACK_LEVELS; ++at)
        for (uint32_t r = 0; r < pack->levels[at].count && ready; ++r) {
            pack->levels[at].regions[r].gram = SUP_NEW(pack->bake->arena, double, squares);
            ready = pack->levels[at].regions[r].gram != NULL;
        }
    if (!ready) return sup_fail_memory(error, "the components of a clip");
    for (uint32_t at = 0; at < PACK_LEVELS; ++at)
        for (uint32_t r = 0; r < pack->levels[at].count; ++r) {
            pack_region* region = &pack->levels[at].regions[r];
            if (at == 0) region_gram(pack, region, rows);
            for (size_t f = 0; f < frames; ++f) region->energy += region->gram[f * frames + f];
            if (at + 1 == PACK_LEVELS) continue;
            double* above = pack->levels[at + 1].regions[region->above].gram;
            for (size_t i = 0; i < squares; ++i) above[i] += region->gram[i];
        }
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- courses

static pack_region* whole_piece(const gltf_pack* pack, uint32_t piece)
{
    pack_region* r = pack->levels[PACK_LEVELS - 1].regions;
    while (r->piece != piece) ++r;
    return r;
}

// The energy that courses may leave out.
static double spare_energy(const gltf_pack* pack, const pack_region* region)
{
    double length = COURSE_SHARE * pack->detail / pack->scales[region->piece];
    return pack->every_course ? 0 : length * length * (double)pack->frames * (double)region->count;
}

// An upper bound on the courses that a region of the piece needs. A region's products are part of the piece's, so no region has
// more energy in the courses beyond this count than the whole piece has there.
static uint32_t count_courses(const gltf_pack* pack, const pack_region* whole)
{
    double   left = whole->energy, most = spare_energy(pack, whole);
    uint32_t n = 0;
    if (whole->courses == pack->frames) { // sums from the smallest up: a difference would be too inexact for those
        for (left = 0, n = pack->frames; n > 0 && left + fmax(whole->values[n - 1], 0) <= most;)
            left += fmax(whole->values[--n], 0);
        return n;
    }
    for (; n < whole->courses && left > most; ++n) left -= whole->values[n];
    return n;
}

static double dot(const double* a, const double* b, size_t n)
{
    double sums[LANES] = { 0 };
    size_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (size_t k = 0; k < LANES; ++k) sums[k] += a[i + k] * b[i + k];
    for (; i < n; ++i) sums[0] += a[i] * b[i];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

// out = row x the region's products
static void through_products(const gltf_pack* pack, const pack_region* region, const double* row, double* out)
{
    uint32_t n = pack->frames;
    for (uint32_t f = 0; f < n; ++f) out[f] = dot(region->gram + (size_t)f * n, row, n);
}

// Orthonormalizes the rows, twice because once leaves rounding errors; returns how many remain.
static uint32_t orthonormal(double* rows, uint32_t count, uint32_t n)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; ++i) {
        double *row = rows + (size_t)i * n, *to = rows + (size_t)kept * n, before = dot(row, row, n);
        for (int pass = 0; pass < 2; ++pass)
            for (uint32_t j = 0; j < kept; ++j) {
                const double* other = rows + (size_t)j * n;
                double        share = dot(row, other, n);
                for (uint32_t f = 0; f < n; ++f) row[f] -= share * other[f];
            }
        double after = dot(row, row, n);
        if (!(after > 1e-24 * before)) continue;
        for (uint32_t f = 0; f < n; ++f) to[f] = row[f] / sqrt(after);
        ++kept;
    }
    return kept;
}

// Rows that approximately span the largest eigenvectors: products of some frames with all, multiplied by the products again.
static uint32_t span(const gltf_pack* pack, const pack_region* region, uint32_t count, double* rows, double* spare)
{
    enum { AGAIN = 2 };
    uint32_t n = pack->frames;
    for (uint32_t i = 0; i < count; ++i)
        memcpy(rows + (size_t)i * n, region->gram + (size_t)((uint64_t)i * n / count) * n, n * sizeof *rows);
    count = orthonormal(rows, count, n);
    for (int again = 0; again < AGAIN; ++again) {
        for (uint32_t i = 0; i < count; ++i) {
            through_products(pack, region, rows + (size_t)i * n, spare);
            memcpy(rows + (size_t)i * n, spare, n * sizeof *rows);
        }
        count = orthonormal(rows, count, n);
    }
    return count;
}

// The best courses within the span of the `count` orthonormal rows.
static bool solve_within(gltf_pack* pack, pack_region* region, const double* rows, uint32_t count, double* work)
{
    uint32_t n = pack->frames;
    double * small = work, *vectors = small + (size_t)count * count, *values = vectors + (size_t)count * count;
    double*  scratch = values + count;
    double*  row = scratch + sup_eigen_scratch(count);
    for (uint32_t i = 0; i < count; ++i) {
        through_products(pack, region, rows + (size_t)i * n, row);
        for (uint32_t j = 0; j <= i; ++j)
            small[(size_t)i * count + j] = small[(size_t)j * count + i] = dot(rows + (size_t)j * n, row, n);
    }
    if (!sup_eigen_symmetric(count, small, values, vectors, scratch)) return false;
    memcpy(region->values, values, count * sizeof *values);
    memset(region->vectors, 0, (size_t)count * n * sizeof *region->vectors);
    for (uint32_t i = 0; i < count; ++i)
        for (uint32_t j = 0; j < count; ++j) {
            double share = vectors[(size_t)i * count + j], *to = region->vectors + (size_t)i * n;
            for (uint32_t f = 0; f < n; ++f) to[f] += share * rows[(size_t)j * n + f];
        }
    region->courses = count;
    return true;
}

// Computes all courses.
static bool solve_all(gltf_pack* pack, pack_region* region, double* work)
{
    size_t squares = (size_t)pack->frames * pack->frames;
    memcpy(work, region->gram, squares * sizeof *work); // the solver destroys it
    region->courses = pack->frames;
    return sup_eigen_symmetric(pack->frames, work, region->values, region->vectors, work + squares);
}

static bool solve_whole(gltf_pack* pack, pack_region* region, double* work)
{
    uint32_t n = pack->frames, count = SPACE_FIRST;
    if (n <= SMALL || pack->every_course) return solve_all(pack, region, work);
    double* rows = work + (size_t)n * n + 8 * (size_t)n;
    for (; count < n / 2; count *= 2) {
        uint32_t kept = span(pack, region, count, rows, work);
        double   left = region->energy;
        if (!solve_within(pack, region, rows, kept, work)) return false;
        for (uint32_t i = 0; i < kept; ++i) left -= region->values[i];
        if (left <= spare_energy(pack, region) || kept < count) return true;
    }
    return solve_all(pack, region, work);
}

static sup_result solve(gltf_pack* pack, pack_region* region, pack_region* whole, sup_error* error)
{
    uint32_t   n = pack->frames, count = region == whole ? n : count_courses(pack, whole);
    sup_arena* arena = pack->bake->arena;
    sup_arena* work = sup_arena_beside(arena);
    double*    scratch = work ? SUP_NEW(work, double, 2 * (size_t)count * count + 8 * (size_t)n) : NULL;
    region->vectors = SUP_NEW(arena, double, (size_t)count* n);
    region->values = SUP_NEW(arena, double, count);
    bool ready = scratch && region->vectors && region->values;
    bool solved = ready && (region == whole ? solve_whole(pack, region, scratch)
                            : count == n    ? solve_all(pack, region, scratch)
                                            : solve_within(pack, region, whole->vectors, count, scratch));
    sup_arena_destroy(work);
    if (!ready) return sup_fail_memory(error, "the components of a clip");
    region->components = SUP_NEW(arena, pack_component, region->courses);
    if (!region->components) return sup_fail_memory(error, "the components of a clip");
    return solved ? SUP_OK : sup_fail(error, SUP_ERROR_INPUT, NO_COMPONENTS);
}

sup_result gltf_pack_courses(gltf_pack* pack, pack_region* region, sup_error* error)
{
    pack_region* whole = whole_piece(pack, region->piece);
    if (region->vectors) return SUP_OK;
    if (!whole->vectors) {
        sup_result result = solve(pack, whole, whole, error);
        if (result != SUP_OK || region == whole) return result;
    }
    return solve(pack, region, whole, error);
}

void gltf_pack_forget(gltf_pack* pack)
{
    for (uint32_t at = 0; at < PACK_LEVELS; ++at)
        for (uint32_t r = 0; r < pack->levels[at].count; ++r) {
            pack_region* region = &pack->levels[at].regions[r];
            region->vectors = NULL;
            region->courses = region->ready = 0;
        }
}
