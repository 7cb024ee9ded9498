// Builds the tables of boxes; the passes over them are in regions_wide.c.
#include "solve/lattice/regions.h"

#include "base/internal.h"

#include <string.h>

// At most four neighbors on each of four steps to either side.
enum { CHUNK = 320, LINE_MAX = 256 };
#define MOMENT 1e-3 // of rotational inertia, in cells^2 and region mass

typedef struct maker {
    const sup_voxels* v;
    uint32_t          reach;
    uint32_t*         slots;
    uint32_t*         particles;
    uint32_t*         line; ///< work: one particle's neighbors along an axis
    sup_arena*        scratch;
} maker;

// ---------------------------------------------------------------------------------------------- lines

static int64_t stride_of(const sup_voxels* v, int axis)
{
    return axis == 0 ? 1 : axis == 1 ? (int64_t)v->size[0] : (int64_t)v->size[0] * v->size[1];
}

// Appends the particles reached from p in `side` steps (1 or -1) along an axis, up to `reach` steps, each once.
static uint32_t walk_side(const sup_voxels* v, uint32_t p, int64_t step, uint32_t reach, uint32_t count, uint32_t* out)
{
    uint32_t first = count, last = count;
    for (uint32_t far = 0; far < reach; ++far) {
        uint32_t begin = far ? first : 0, end = far ? last : 1;
        for (uint32_t i = begin; i < end; ++i) {
            uint32_t at = far ? out[i] : p;
            for (uint32_t k = v->link_begin[at]; k < v->link_begin[at + 1]; ++k) {
                uint32_t q = v->links[k];
                bool     known = (int64_t)v->corners[q] - (int64_t)v->corners[at] != step;
                for (uint32_t j = last; j < count && !known; ++j) known = out[j] == q;
                if (!known && count < LINE_MAX) out[count++] = q;
            }
        }
        first = last;
        last = count;
    }
    return count;
}

// The particles within reach of p along an axis through unbroken steps, p first.
static uint32_t walk_line(const sup_voxels* v, uint32_t p, int axis, uint32_t reach, uint32_t out[LINE_MAX])
{
    out[0] = p;
    uint32_t count = walk_side(v, p, -stride_of(v, axis), reach, 1, out);
    return walk_side(v, p, stride_of(v, axis), reach, count, out);
}

// ---------------------------------------------------------------------------------------------- slots

static sup_result make_slots(maker* m, sup_arena* arena, sup_regions* r, sup_error* error)
{
    const sup_voxels* v = m->v;
    uint32_t          count = v->particle_count, begin = 0, reached = 0, slot = 0, chunks = 0;
    m->slots = SUP_NEW(arena, uint32_t, count);
    m->particles = SUP_NEW(arena, uint32_t, (size_t)count + (size_t)SUP_LANES * (count / CHUNK + 2));
    uint32_t* ends = SUP_NEW(arena, uint32_t, (size_t)count / CHUNK + 3);
    if (!m->slots || !m->particles || !ends) return sup_fail_memory(error, "regions");
    int64_t plane = stride_of(v, 2);
    for (uint32_t p = 0; p < count; ++p) {
        for (uint32_t k = v->link_begin[p]; k < v->link_begin[p + 1]; ++k) {
            uint32_t q = v->links[k];
            int64_t  apart = (int64_t)v->corners[q] - (int64_t)v->corners[p];
            if (apart != plane && apart != -plane && q > reached) reached = q;
        }
        m->particles[slot] = p;
        m->slots[p] = slot++;
        bool last = p + 1 == count;
        if (!last && (reached > p || p + 1 - begin < CHUNK)) continue;
        while (slot % SUP_LANES) m->particles[slot++] = SUP_NONE;
        ends[++chunks] = slot;
        begin = p + 1;
    }
    r->count = slot;
    r->particle_count = count;
    r->slots = m->slots;
    r->particles = m->particles;
    r->chunk_count = chunks;
    r->chunks = ends;
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- tables

static sup_result make_table(maker* m, int axis, sup_arena* arena, sup_regions* r, sup_error* error)
{
    uint32_t* near = SUP_NEW(arena, uint32_t, (size_t)r->count * r->width);
    uint32_t  more = 0;
    if (!near) return sup_fail_memory(error, "regions");
    for (uint32_t s = 0; s < r->count; ++s)
        if (r->particles[s] != SUP_NONE) {
            uint32_t n = walk_line(m->v, r->particles[s], axis, m->reach, m->line);
            more += n > r->width ? n - r->width : 0;
        }
    uint32_t* pairs = SUP_NEW(arena, uint32_t, 2 * (size_t)more);
    if (!pairs) return sup_fail_memory(error, "regions");
    for (uint32_t s = 0; s < r->count; ++s) {
        uint32_t n = r->particles[s] == SUP_NONE ? 0 : walk_line(m->v, r->particles[s], axis, m->reach, m->line);
        for (uint32_t i = 0; i < r->width; ++i) near[(size_t)s * r->width + i] = i < n ? r->slots[m->line[i]] : r->count;
        for (uint32_t i = r->width; i < n; ++i) {
            uint32_t at = 2 * r->more_counts[axis]++;
            pairs[at] = s;
            pairs[at + 1] = r->slots[m->line[i]];
        }
    }
    r->near[axis] = near;
    r->more[axis] = pairs;
    return SUP_OK;
}

// One pass over single numbers; the record after the last is zero.
static void pass(const sup_regions* r, int axis, const double* from, double* to)
{
    for (uint32_t s = 0; s < r->count; ++s) {
        to[s] = 0;
        for (uint32_t i = 0; i < r->width; ++i) to[s] += from[r->near[axis][(size_t)s * r->width + i]];
    }
    for (uint32_t i = 0; i < r->more_counts[axis]; ++i) to[r->more[axis][2 * i]] += from[r->more[axis][2 * i + 1]];
    to[r->count] = 0;
}

static sup_result make_masses(const maker* m, const float* mass, sup_arena* arena, sup_regions* r, sup_error* error)
{
    float*  mt = SUP_NEW(arena, float, r->count);
    float*  shares = SUP_NEW(arena, float, r->count);
    float*  units = SUP_NEW(arena, float, r->count);
    float*  moment = SUP_NEW(arena, float, r->count);
    double* a = SUP_NEW(m->scratch, double, (size_t)r->count + 1);
    double* b = SUP_NEW(m->scratch, double, (size_t)r->count + 1);
    if (!mt || !shares || !units || !moment || !a || !b) return sup_fail_memory(error, "regions");
    for (uint32_t s = 0; s < r->count; ++s) a[s] = r->particles[s] != SUP_NONE;
    pass(r, 2, a, b);
    pass(r, 1, b, a);
    pass(r, 0, a, b);
    for (uint32_t s = 0; s < r->count; ++s) {
        a[s] = 0;
        if (r->particles[s] == SUP_NONE) continue;
        shares[s] = (float)(1 / b[s]);
        mt[s] = (float)((double)mass[r->particles[s]] / b[s]);
        a[s] = (double)mt[s];
    }
    a[r->count] = 0;
    pass(r, 0, a, b);
    pass(r, 1, b, a);
    pass(r, 2, a, b);
    for (uint32_t s = 0; s < r->count; ++s) {
        if (r->particles[s] == SUP_NONE) continue;
        units[s] = (float)(1 / b[s]);
        moment[s] = (float)(MOMENT * b[s] * m->v->h * m->v->h);
    }
    r->mass = mt;
    r->shares = shares;
    r->units = units;
    r->moment = moment;
    return SUP_OK;
}

sup_result sup_regions_create(const sup_voxels* voxels, uint32_t reach, const float* mass, sup_arena* arena, sup_regions* out,
                              sup_error* error)
{
    SUP_ASSERT(reach >= 1 && reach <= REGIONS_REACH_MAX);
    uint32_t line[LINE_MAX];
    maker    m = { .v = voxels, .reach = reach, .line = line, .scratch = sup_arena_beside(arena) };
    *out = (sup_regions){ .width = 2 * reach + 1 };
    sup_result result = m.scratch ? make_slots(&m, arena, out, error) : sup_fail_memory(error, "regions");
    for (int axis = 0; axis < 3 && result == SUP_OK; ++axis) result = make_table(&m, axis, arena, out, error);
    if (result == SUP_OK) result = make_masses(&m, mass, arena, out, error);
    sup_arena_destroy(m.scratch);
    return result;
}

void sup_regions_place(sup_regions_job* job, float* work)
{
    size_t records = ((size_t)job->regions->count + 1) * REGIONS_RECORD, nothing = job->regions->count;
    job->one = work;
    job->two = work + records;
    job->back = work + 2 * records;
    memset(job->one + nothing * REGIONS_RECORD, 0, REGIONS_RECORD * sizeof(float));
    memset(job->two + nothing * REGIONS_RECORD, 0, REGIONS_RECORD * sizeof(float));
    memset(job->back + nothing * REGIONS_GOAL, 0, REGIONS_GOAL * sizeof(float));
}
