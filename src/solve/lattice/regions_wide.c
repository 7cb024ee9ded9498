// Box sums and fits. A record is a row of floats of one particle, so a pass adds whole rows; to build, fit and read goals,
// eight rows are transposed into eight lanes.
#include "solve/lattice/regions.h"

#include "math/rotation.h"

// 8 x 8: lane i of row j becomes lane j of row i.
static inline void transpose(f8 r[8])
{
    f8 a[8], b[8];
    for (int i = 0; i < 4; ++i) {
        a[2 * i] = __builtin_shufflevector(r[2 * i], r[2 * i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
        a[2 * i + 1] = __builtin_shufflevector(r[2 * i], r[2 * i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    }
    for (int i = 0; i < 2; ++i)
        for (int k = 0; k < 2; ++k) {
            b[4 * i + 2 * k] = __builtin_shufflevector(a[4 * i + k], a[4 * i + 2 + k], 0, 1, 8, 9, 4, 5, 12, 13);
            b[4 * i + 2 * k + 1] = __builtin_shufflevector(a[4 * i + k], a[4 * i + 2 + k], 2, 3, 10, 11, 6, 7, 14, 15);
        }
    for (int i = 0; i < 4; ++i) {
        r[i] = __builtin_shufflevector(b[i], b[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        r[i + 4] = __builtin_shufflevector(b[i], b[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
}

// ---------------------------------------------------------------------------------------------- passes

// Row strides: floats from one row to the next.
typedef struct rows {
    const float* from;
    float*       to;
    uint32_t     from_stride, to_stride;
    uint32_t     vectors; ///< of a row that are summed
} rows;

// Strides, vectors and width are constants at the call, so the loops unroll and the sums stay in registers.
static inline void pass_rows(const uint32_t* near, uint32_t width, rows w, uint32_t begin, uint32_t end)
{
    for (uint32_t s = begin; s < end; ++s) {
        const uint32_t* n = near + (size_t)s * width;
        f8              sum[3];
        for (uint32_t v = 0; v < w.vectors; ++v) sum[v] = f8_load(w.from + (size_t)n[0] * w.from_stride + 8 * v);
        for (uint32_t k = 1; k < width; ++k)
            for (uint32_t v = 0; v < w.vectors; ++v) sum[v] += f8_load(w.from + (size_t)n[k] * w.from_stride + 8 * v);
        for (uint32_t v = 0; v < w.vectors; ++v) f8_store(w.to + (size_t)s * w.to_stride + 8 * v, sum[v]);
    }
}

static void pass_more(const sup_regions* r, int axis, const rows* w, uint32_t begin, uint32_t end)
{
    uint32_t low = 0, high = r->more_counts[axis];
    while (low < high) { // the first pair at or after `begin`
        uint32_t middle = (low + high) / 2;
        if (r->more[axis][2 * middle] < begin) low = middle + 1;
        else high = middle;
    }
    for (; low < r->more_counts[axis] && r->more[axis][2 * low] < end; ++low) {
        float*       sum = w->to + (size_t)r->more[axis][2 * low] * w->to_stride;
        const float* add = w->from + (size_t)r->more[axis][2 * low + 1] * w->from_stride;
        for (uint32_t v = 0; v < w->vectors; ++v) f8_store(sum + 8 * v, f8_load(sum + 8 * v) + f8_load(add + 8 * v));
    }
}

static inline void pass(const sup_regions* r, int axis, rows w, uint32_t begin, uint32_t end)
{
    switch (r->width) {
    case 3: pass_rows(r->near[axis], 3, w, begin, end); break;
    case 5: pass_rows(r->near[axis], 5, w, begin, end); break;
    case 7: pass_rows(r->near[axis], 7, w, begin, end); break;
    default: pass_rows(r->near[axis], 9, w, begin, end); break;
    }
    if (r->more_counts[axis]) pass_more(r, axis, &w, begin, end);
}

static inline void pass_records(const sup_regions* r, int axis, const float* from, float* to, uint32_t begin, uint32_t end)
{
    pass(r, axis, (rows){ from, to, REGIONS_RECORD, REGIONS_RECORD, REGIONS_RECORD / 8 }, begin, end);
}

// ---------------------------------------------------------------------------------------------- sums

static inline void build_records(const sup_regions_job* j, uint32_t s)
{
    f8 m = f8_load(j->regions->mass + s), zero = f8_all(0), row[24];
    f8 y[3] = { f8_load(j->y[0] + s), f8_load(j->y[1] + s), f8_load(j->y[2] + s) };
    f8 md[3] = { m * f8_load(j->d[0] + s), m * f8_load(j->d[1] + s), m * f8_load(j->d[2] + s) };
    f8 my[3] = { m * y[0], m * y[1], m * y[2] };
    for (int i = 0; i < 9; ++i) row[i] = md[i / 3] * y[i % 3];
    row[9] = my[0] * y[0], row[10] = my[0] * y[1], row[11] = my[0] * y[2];
    row[12] = my[1] * y[1], row[13] = my[1] * y[2], row[14] = my[2] * y[2];
    for (int i = 0; i < 3; ++i) row[15 + i] = md[i], row[18 + i] = my[i], row[21 + i] = zero;
    for (int v = 0; v < 3; ++v) transpose(row + 8 * v);
    float* out = j->one + (size_t)s * REGIONS_RECORD;
    for (int i = 0; i < 8; ++i)
        for (int v = 0; v < 3; ++v) f8_store(out + i * REGIONS_RECORD + 8 * v, row[8 * v + i]);
}

void SUP_WIDE(sup_regions_sum)(const sup_regions_job* job, uint32_t chunk)
{
    const sup_regions* r = job->regions;
    uint32_t           begin = r->chunks[chunk], end = r->chunks[chunk + 1];
    for (uint32_t s = begin; s < end; s += SUP_LANES) build_records(job, s);
    pass_records(r, 0, job->one, job->two, begin, end);
    pass_records(r, 1, job->two, job->one, begin, end);
}

// ---------------------------------------------------------------------------------------------- fits

// The motions of the regions around eight slots, from their sums; as goal records.
static inline uint32_t fit_eight(const sup_regions_job* j, uint32_t s, const float* sums, float* out)
{
    f8 row[24], a[9], q[4], turn[9], goal[16];
    for (int i = 0; i < 8; ++i)
        for (int v = 0; v < 3; ++v) row[8 * v + i] = f8_load(sums + i * REGIONS_RECORD + 8 * v);
    for (int v = 0; v < 3; ++v) transpose(row + 8 * v);
    f8 unit = f8_load(j->regions->units + s), moment = f8_load(j->regions->moment + s);
    f8 dbar[3] = { row[15] * unit, row[16] * unit, row[17] * unit };
    f8 c0[3] = { row[18] * unit, row[19] * unit, row[20] * unit };
    // Computed once for both halves: then it is exactly symmetric, and without displacement the rotation is exactly the
    // identity.
    f8               spread[6] = { row[9] - c0[0] * row[18],  row[10] - c0[0] * row[19], row[11] - c0[0] * row[20],
                                   row[12] - c0[1] * row[19], row[13] - c0[1] * row[20], row[14] - c0[2] * row[20] };
    static const int square[9] = { 0, 1, 2, 1, 3, 4, 2, 4, 5 };
    for (int i = 0; i < 4; ++i) q[i] = f8_load(j->q[i] + s);
    f8 one = f8_all(1), two = f8_all(2), x = q[0], y = q[1], z = q[2], w = q[3];
    f8 before[9] = { one - two * (y * y + z * z), two * (x * y - w * z),       two * (x * z + w * y),
                     two * (x * y + w * z),       one - two * (x * x + z * z), two * (y * z - w * x),
                     two * (x * z - w * y),       two * (y * z + w * x),       one - two * (x * x + y * y) };
    for (int i = 0; i < 9; ++i) a[i] = spread[square[i]] + (row[i] - dbar[i / 3] * row[18 + i % 3]) + moment * before[i];
    uint32_t cold = SUP_WIDE(rotation_fit8)(a, q, turn);
    for (int i = 0; i < 4; ++i) f8_store(j->q[i] + s, q[i]);
    for (int i = 0; i < 9; ++i) goal[i] = i % 4 ? turn[i] : turn[i] - one;
    for (int i = 0; i < 3; ++i) {
        goal[9 + i] = dbar[i] - (goal[3 * i] * c0[0] + goal[3 * i + 1] * c0[1] + goal[3 * i + 2] * c0[2]);
        goal[12 + i] = f8_all(0);
    }
    goal[15] = f8_all(0);
    transpose(goal);
    transpose(goal + 8);
    for (int i = 0; i < 8; ++i) {
        f8_store(out + i * REGIONS_GOAL, goal[i]);
        f8_store(out + i * REGIONS_GOAL + 8, goal[8 + i]);
    }
    return cold;
}

uint32_t SUP_WIDE(sup_regions_fit)(const sup_regions_job* job, uint32_t begin, uint32_t end)
{
    enum { TILE = 64 }; // sums of this many slots stay in the first-level cache
    uint32_t cold = 0;
    for (uint32_t at = begin; at < end; at += TILE) {
        uint32_t stop = at + TILE < end ? at + TILE : end;
        pass_records(job->regions, 2, job->one, job->two, at, stop);
        for (uint32_t s = at; s < stop; s += SUP_LANES)
            cold += fit_eight(job, s, job->two + (size_t)s * REGIONS_RECORD, job->back + (size_t)s * REGIONS_GOAL);
    }
    return cold;
}

// ---------------------------------------------------------------------------------------------- goals

static inline void read_goals(const sup_regions_job* j, uint32_t s, const float* sums)
{
    f8 g[16], share = f8_load(j->regions->shares + s);
    for (int i = 0; i < 8; ++i) {
        g[i] = f8_load(sums + i * REGIONS_RECORD);
        g[8 + i] = f8_load(sums + i * REGIONS_RECORD + 8);
    }
    transpose(g);
    transpose(g + 8);
    f8 y[3] = { f8_load(j->y[0] + s), f8_load(j->y[1] + s), f8_load(j->y[2] + s) };
    for (int i = 0; i < 3; ++i)
        f8_store(j->goal[i] + s, share * (g[3 * i] * y[0] + g[3 * i + 1] * y[1] + g[3 * i + 2] * y[2] + g[9 + i]));
}

void SUP_WIDE(sup_regions_goal)(const sup_regions_job* job, uint32_t chunk)
{
    const sup_regions* r = job->regions;
    uint32_t           begin = r->chunks[chunk], end = r->chunks[chunk + 1];
    // The sums are no longer needed: their memory holds the goals, at the same strides, so that empty places are zero here too.
    enum { G = REGIONS_GOAL / 8 };
    pass(r, 2, (rows){ job->back, job->two, REGIONS_GOAL, REGIONS_RECORD, G }, begin, end);
    pass(r, 1, (rows){ job->two, job->one, REGIONS_RECORD, REGIONS_RECORD, G }, begin, end);
    pass(r, 0, (rows){ job->one, job->two, REGIONS_RECORD, REGIONS_RECORD, G }, begin, end);
    for (uint32_t s = begin; s < end; s += SUP_LANES) read_goals(job, s, job->two + (size_t)s * REGIONS_RECORD);
}
