#include "solve/particles/shape_match.h"

#include "base/internal.h"
#include "math/vec.h"

#include <math.h>
#include <string.h>

// Chunks of about 5 us: the last thread to finish keeps the others waiting for half a chunk.
enum { GRAIN = 12 }; // blocks per task: 96 regions
enum { COLUMN = 4 }; // blocks of points per task, in all layers

// ---------------------------------------------------------------------------------------------- making

static sup_result make_slots(const sup_match_desc* d, sup_arena* arena, sup_match* m, sup_error* error)
{
    const sup_rings* r = d->rings;
    uint32_t*        begin = SUP_NEW(arena, uint32_t, (size_t)m->blocks + 1);
    if (!begin) return sup_fail_memory(error, "regions");
    for (uint32_t b = 0; b < m->blocks; ++b) {
        uint32_t most = 1;
        for (uint32_t p = 8 * b; p < 8 * b + 8; ++p)
            if (r->begin[p + 1] - r->begin[p] > most) most = r->begin[p + 1] - r->begin[p];
        begin[b + 1] = begin[b] + most - 1;
    }
    uint32_t* slots = SUP_NEW(arena, uint32_t, 8 * (size_t)begin[m->blocks]);
    if (!slots) return sup_fail_memory(error, "regions");
    for (size_t i = 0; i < 8 * (size_t)begin[m->blocks]; ++i) slots[i] = m->stride - 1;
    for (uint32_t p = 0; p < m->stride; ++p) {
        uint32_t* at = slots + 8 * (size_t)begin[p / 8] + p % 8;
        for (uint32_t k = r->begin[p]; k < r->begin[p + 1]; ++k)
            if (r->items[k] != p) *at = r->items[k], at += 8;
    }
    m->slot_begin = begin;
    m->slots = slots;
    return SUP_OK;
}

// Center and mass of one region, in double.
static sup_vec4 region_center(const sup_match* m, const sup_vec4* y, uint32_t particle)
{
    uint32_t layer = particle / m->stride, p = particle % m->stride, base = layer * m->stride;
    double   sum[4] = { 0 }, counts = (double)m->roots[particle] * m->roots[particle];
    uint32_t first = 8 * m->slot_begin[p / 8] + p % 8, last = 8 * m->slot_begin[p / 8 + 1];
    for (uint32_t k = first; k < last; k += 8) {
        const sup_vec4* v = &y[base + m->slots[k]];
        double          w = v->w * counts;
        sum[0] += w * v->x, sum[1] += w * v->y, sum[2] += w * v->z, sum[3] += w;
    }
    for (int s = -1; s <= 1; ++s) {
        if ((s < 0 && layer == 0) || (s > 0 && layer + 1 == m->layers)) continue;
        const sup_vec4* v = &y[(size_t)particle + (size_t)s * m->stride];
        double          w = v->w;
        sum[0] += w * v->x, sum[1] += w * v->y, sum[2] += w * v->z, sum[3] += w;
    }
    if (!(sum[3] > 0)) return (sup_vec4){ 0, 0, 0, 0 };
    return (sup_vec4){ (float)(sum[0] / sum[3]), (float)(sum[1] / sum[3]), (float)(sum[2] / sum[3]), (float)(1 / sum[3]) };
}

typedef struct center_job {
    const sup_match* match;
    const sup_vec4*  y;
    sup_vec4*        c0;
} center_job;

static void center_task(void* data, uint32_t begin, uint32_t end)
{
    const center_job* j = data;
    for (uint32_t i = begin; i < end; ++i) j->c0[i] = region_center(j->match, j->y, i);
}

void sup_match_centers(const sup_match* match, const sup_vec4* y, const sup_tasks* tasks, sup_vec4* c0)
{
    center_job job = { match, y, c0 };
    sup_tasks_run(tasks, match->layers * match->stride, 8 * GRAIN, center_task, &job);
}

// How many regions hold a particle: its own, those of its siblings, and its neighbors', each by how much it counts the
// particle.
static float regions_of(const sup_match* m, const sup_rings* r, uint32_t point, uint32_t layer)
{
    float n = 1 + (float)(layer > 0) + (float)(layer + 1 < m->layers);
    for (uint32_t k = r->begin[point]; k < r->begin[point + 1]; ++k) {
        float root = m->roots[layer * m->stride + r->items[k]];
        if (r->items[k] != point) n += root * root;
    }
    return n;
}

sup_result sup_match_create(const sup_match_desc* d, sup_arena* arena, sup_match* out, sup_error* error)
{
    SUP_ASSERT(!d->intervals || !d->counts);
    SUP_ASSERT(d->stride % 8 == 0 && d->rings->point_count == d->stride && d->layers > 0);
    sup_match  m = { .layers = d->layers, .stride = d->stride, .blocks = d->stride / 8 };
    sup_result r = make_slots(d, arena, &m, error);
    if (r) return r;
    size_t    count = (size_t)d->layers * d->stride;
    sup_vec4 *y = SUP_NEW(arena, sup_vec4, count), *c0 = SUP_NEW(arena, sup_vec4, count);
    float *   spin = SUP_NEW(arena, float, count), *share = SUP_NEW(arena, float, count), *roots = SUP_NEW(arena, float, count);
    if (!y || !c0 || !spin || !share || !roots) return sup_fail_memory(error, "regions");
    for (size_t i = 0; i < count; ++i) roots[i] = d->counts ? sqrtf(d->counts[i]) : 1;
    m.roots = roots;
    for (size_t i = 0; i < count; ++i) {
        uint32_t p = (uint32_t)(i % d->stride), layer = (uint32_t)(i / d->stride);
        float    n = regions_of(&m, d->rings, p, layer), mt = d->masses[i] / n;
        y[i] = (sup_vec4){ d->rest[i].x, d->rest[i].y, d->rest[i].z, mt };
        spin[i] = sqrtf(mt * d->radii[i] * d->radii[i] / 5.0f);
        share[i] = 1.0f / n;
    }
    m.y = y, m.c0 = c0, m.spin = spin, m.share = share;
    for (size_t i = 0; i < count; ++i) c0[i] = region_center(&m, y, (uint32_t)i);
    if (d->intervals) {
        sup_intervals* runs = SUP_NEW(arena, sup_intervals, 1);
        if (!runs) return sup_fail_memory(error, "regions");
        if ((r = sup_intervals_create(d->rings, arena, runs, error))) return r;
        m.intervals = runs;
    }
    *out = m;
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- scratch

enum { RECORD = 12 }; // doubles per particle in a prefix sum: nine of a matrix, three of a vector

static uint32_t piece_count(const sup_match* m) { return (m->layers * m->blocks + GRAIN - 1) / GRAIN; }

size_t sup_match_scratch(const sup_match* m)
{
    size_t count = (size_t)m->layers * m->stride, bytes = 3 * count * sizeof(sup_vec4);
    bytes += sup_align(piece_count(m) * sizeof(uint32_t), 64);
    if (m->intervals) bytes += (size_t)m->layers * (m->stride + 1) * RECORD * sizeof(double) + 64;
    return bytes;
}

static sup_match_view view_of(const sup_match_run* run)
{
    const sup_match* m = run->match;
    size_t           count = (size_t)m->layers * m->stride;
    uint8_t*         p = run->scratch;
    sup_match_view   v = { .run = run, .moments = (sup_quat*)p };
    v.t = (sup_vec4*)(p += count * sizeof(sup_vec4));
    v.turn = (sup_vec4*)(p += count * sizeof(sup_vec4));
    v.cold = (uint32_t*)(p += count * sizeof(sup_vec4));
    v.sums = (double*)(p + sup_align(piece_count(m) * sizeof(uint32_t), 64));
    return v;
}

// ---------------------------------------------------------------------------------------------- direct sums

void sup_match_turn(const sup_match_run* run, uint32_t begin, uint32_t end)
{
    sup_match_view view = view_of(run);
    const float*   spin = run->match->spin;
    for (uint32_t i = begin; i < end; ++i) {
        sup_quat q = run->q[i];
        view.moments[i] = quat(spin[i] * q.x, spin[i] * q.y, spin[i] * q.z, spin[i] * q.w);
    }
}

void sup_match_hold(const sup_match_run* run, uint32_t begin, uint32_t end)
{
    sup_match_view view = view_of(run);
    SUP_WIDE_PICK(match_hold)(&view, begin, end);
}

static void fit_task(void* data, uint32_t begin, uint32_t end)
{
    const sup_match_view* v = data;
    v->cold[begin / GRAIN] = SUP_WIDE_PICK(match_fit)(v, begin, end);
}

// Blocks of points, in all layers that are fitted.
static void goal_task(void* data, uint32_t begin, uint32_t end)
{
    const sup_match_view* v = data;
    const sup_match_run*  run = v->run;
    uint32_t              blocks = run->match->blocks;
    for (uint32_t l = 0; l < run->goal_layers; ++l) SUP_WIDE_PICK(match_goals)(v, l * blocks + begin, l * blocks + end);
    if (run->after) run->after(run->user, 8 * begin, 8 * end);
}

// ---------------------------------------------------------------------------------------------- sums over runs

// Prefix sums in double: in float a region's own contribution is lost in the sum over the whole body.
static void record_task(void* data, uint32_t begin, uint32_t end)
{
    const sup_match_view* v = data;
    const sup_match_run*  run = v->run;
    uint32_t              stride = run->match->stride;
    for (uint32_t layer = begin; layer < end; ++layer) {
        double* sum = v->sums + (size_t)layer * (stride + 1) * RECORD;
        memset(sum, 0, RECORD * sizeof *sum);
        for (uint32_t k = 0; k < stride; ++k, sum += RECORD) {
            size_t     i = (size_t)layer * stride + k;
            sup_vec4   x = run->x[i], y = run->y[i];
            sup_quat   p = v->moments[i];
            sup_affine turn;
            double     m[3] = { y.w * (x.x - v->origin[0]), y.w * (x.y - v->origin[1]), y.w * (x.z - v->origin[2]) };
            double     own = (double)p.x * p.x + (double)p.y * p.y + (double)p.z * p.z + (double)p.w * p.w;
            turn = affine_from_rotation(own > 0 ? quat_normalize(p) : quat_identity(), v3(0, 0, 0));
            for (int a = 0; a < 3; ++a) {
                double row[3] = { m[a] * y.x, m[a] * y.y, m[a] * y.z };
                for (int b = 0; b < 3; ++b) sum[RECORD + 3 * a + b] = sum[3 * a + b] + row[b] + own * turn.m[a][b];
                sum[RECORD + 9 + a] = sum[9 + a] + m[a];
            }
        }
    }
}

// The sums of one region from the prefix sums: its ranges on its own layer, and its siblings.
static void region_sum(const sup_match_view* v, uint32_t particle, double out[RECORD])
{
    const sup_match*     m = v->run->match;
    const sup_intervals* r = m->intervals;
    uint32_t             layer = particle / m->stride, p = particle % m->stride;
    const double*        sums = v->sums + (size_t)layer * (m->stride + 1) * RECORD;
    memset(out, 0, RECORD * sizeof *out);
    for (uint32_t k = r->begin[p]; k < r->begin[p + 1]; ++k) {
        const double *low = sums + (size_t)r->pairs[k].first * RECORD, *high = sums + (size_t)r->pairs[k].last * RECORD;
        for (int i = 0; i < RECORD; ++i) out[i] += high[i] - low[i];
    }
    for (int s = -1; s <= 1; s += 2) {
        if ((s < 0 && layer == 0) || (s > 0 && layer + 1 == m->layers)) continue;
        const double* low = v->sums + ((size_t)(layer + (uint32_t)s) * (m->stride + 1) + p) * RECORD;
        for (int i = 0; i < RECORD; ++i) out[i] += low[RECORD + i] - low[i];
    }
}

static void run_fit_task(void* data, uint32_t begin, uint32_t end)
{
    const sup_match_view* v = data;
    const sup_match*      m = v->run->match;
    uint32_t              cold = 0;
    for (uint32_t block = begin; block < end; ++block) {
        uint32_t first = block / m->blocks * m->stride + block % m->blocks * 8;
        float    a[9][8], c[3][8];
        for (uint32_t lane = 0; lane < 8; ++lane) {
            double   s[RECORD];
            sup_vec4 c0 = v->run->c0[first + lane];
            region_sum(v, first + lane, s);
            for (int i = 0; i < 3; ++i) {
                a[3 * i][lane] = (float)(s[3 * i] - s[9 + i] * c0.x);
                a[3 * i + 1][lane] = (float)(s[3 * i + 1] - s[9 + i] * c0.y);
                a[3 * i + 2][lane] = (float)(s[3 * i + 2] - s[9 + i] * c0.z);
                c[i][lane] = (float)s[9 + i];
            }
        }
        cold += SUP_WIDE_PICK(match_turn8)(v, first, a, c);
    }
    v->cold[begin / GRAIN] = cold;
}

static void goal_record_task(void* data, uint32_t begin, uint32_t end)
{
    const sup_match_view* v = data;
    uint32_t              stride = v->run->match->stride;
    for (uint32_t layer = begin; layer < end; ++layer) {
        double* sum = v->sums + (size_t)layer * (stride + 1) * RECORD;
        memset(sum, 0, RECORD * sizeof *sum);
        for (uint32_t k = 0; k < stride; ++k, sum += RECORD) {
            size_t     i = (size_t)layer * stride + k;
            sup_quat   q = v->run->q[i];
            sup_vec4   t = v->t[i];
            sup_affine turn = affine_from_rotation(q, v3(t.x, t.y, t.z));
            double     real = q.x != 0 || q.y != 0 || q.z != 0 || q.w != 0; // padding points have none
            if (layer >= v->run->goal_layers) real *= t.w;
            for (int a = 0; a < 3; ++a) {
                for (int b = 0; b < 3; ++b) sum[RECORD + 3 * a + b] = sum[3 * a + b] + real * turn.m[a][b];
                sum[RECORD + 9 + a] = sum[9 + a] + real * (turn.m[a][3] - v->origin[a]);
            }
        }
    }
}

static void run_goal_task(void* data, uint32_t begin, uint32_t end)
{
    const sup_match_view* v = data;
    const sup_match_run*  run = v->run;
    uint32_t              stride = run->match->stride;
    for (uint32_t i = begin; i < end; ++i) {
        sup_quat q = run->q[i];
        float    spin = run->match->spin[i], goal[3];
        v->moments[i] = quat(spin * q.x, spin * q.y, spin * q.z, spin * q.w);
        if (q.x == 0 && q.y == 0 && q.z == 0 && q.w == 0) continue;
        double   s[RECORD];
        sup_vec4 y = run->y[i], h = run->h[i];
        float    share = run->match->share[i];
        if (i / stride + 1 == run->goal_layers && run->goal_layers < run->match->layers)
            share /= 1 - share * (1 - v->t[i + stride].w);
        region_sum(v, i, s);
        for (int a = 0; a < 3; ++a)
            goal[a] = (float)(share * (s[3 * a] * y.x + s[3 * a + 1] * y.y + s[3 * a + 2] * y.z + s[9 + a]) + v->origin[a]);
        run->x[i].x = h.x + h.w * (goal[0] - h.x);
        run->x[i].y = h.y + h.w * (goal[1] - h.y);
        run->x[i].z = h.z + h.w * (goal[2] - h.z);
    }
}

// ---------------------------------------------------------------------------------------------- one iteration

uint32_t sup_match_iterate(const sup_match_run* run)
{
    const sup_match* m = run->match;
    sup_match_view   view = view_of(run);
    uint32_t         blocks = run->goal_layers * m->blocks, cold = 0;
    if (m->intervals) {
        const sup_vec4* root = &run->x[(size_t)(m->layers - 1) * m->stride];
        view.origin[0] = root->x, view.origin[1] = root->y, view.origin[2] = root->z;
        sup_tasks_run(run->tasks, m->layers, 1, record_task, &view);
        sup_tasks_run(run->tasks, blocks, GRAIN, run_fit_task, &view);
        sup_tasks_run(run->tasks, m->layers, 1, goal_record_task, &view);
        sup_tasks_run(run->tasks, 8 * blocks, 8 * GRAIN, run_goal_task, &view);
        if (run->after) sup_tasks_run(run->tasks, m->stride, 8 * GRAIN, run->after, run->user);
    } else {
        sup_tasks_run(run->tasks, blocks, GRAIN, fit_task, &view);
        sup_tasks_run(run->tasks, m->blocks, COLUMN, goal_task, &view);
    }
    for (uint32_t i = 0; i < (blocks + GRAIN - 1) / GRAIN; ++i) cold += view.cold[i];
    return cold;
}

static void velocity_task(void* data, uint32_t begin, uint32_t end) { SUP_WIDE_PICK(match_velocities)(data, begin, end); }
static void damp_task(void* data, uint32_t begin, uint32_t end) { SUP_WIDE_PICK(match_damp)(data, begin, end); }

void sup_match_damp(const sup_match_run* run, float share, sup_vec4* v)
{
    sup_match_view view = view_of(run);
    view.v = v;
    view.share = share;
    sup_tasks_run(run->tasks, run->match->layers * run->match->blocks, GRAIN, velocity_task, &view);
    sup_tasks_run(run->tasks, run->match->layers * run->match->blocks, GRAIN, damp_task, &view);
}
