// Fixed loads, solved once: the effect of a newton on a curve on the skin, limbs mixed where they meet, is one number per point
// it reaches. A frame only rotates the forces, divides them by the current stiffness and sums.
#include "deform/bend/bend.h"
#include "math/trig.h"
#include "math/vec.h"

#include <math.h>
#include <string.h>

/// With more entries per point than this it is faster to go over curves.
enum { ENTRIES_PER_POINT = 32 };
/// Points times curves and loads, some seconds of work. Characters have hundreds of curves; a triangle soup has one per
/// triangle.
#define TAKES_MOST 1e8
/// Mixing leaves long tails: anything below this share of a load's largest displacement is dropped.
#define TAIL 1e-5f

typedef struct fixed_maker {
    const bend_params* p;
    bend_bound*        b;
    sup_arena *        arena, *beside;
    bend_workspace     work; ///< only what is needed to get from rows to points
    uint32_t           most, count;
    uint32_t *         point, *value;
    float*             share; ///< four per entry
    bool               full;
} fixed_maker;

/// The stored shape of a load, at a node.
static double shape_at(const fixed_maker* m, uint32_t curve, const float* shape, const float* terms, uint32_t n)
{
    const bend_loads* l = &m->b->loads;
    if (!terms) return shape[n];
    double length = m->b->net.girth[curve], sum = 0;
    for (uint32_t k = 0; k <= 2 * l->terms; ++k) {
        double w = length > 0 ? 2 * SUP_PI * ((k + 1) / 2) / length : 0, w4 = w * w * w * w;
        sum +=
            (double)l->basis[n * (2 * l->terms + 1) + k] * terms[k] / (m->b->fixed.sigma[curve] + m->b->stiffness[curve] * w4);
    }
    return sum;
}

/// Clears one curve after use: clearing all rows of a thousand curves a thousand times would take longer than everything else.
static void clear_curve(const fixed_maker* m, uint32_t curve)
{
    const sup_curve_net* on = &m->b->net.on;
    for (uint32_t n = 0; n <= on->intervals; ++n)
        for (uint32_t k = 0; k < 3; ++k) m->work.rows[(size_t)n * on->stride + 3 * curve + k] = 0;
    m->work.moving[curve] = 0;
}

static void rows_to_points(const fixed_maker* m)
{
    const bend_net* net = &m->b->net;
    memset(m->work.q, 0, m->b->point_count * sizeof *m->work.q);
    sup_curve_net_take(&net->on, m->work.rows, 1, 0, m->b->point_count, m->work.q);
}

static sup_vec3 largest(const fixed_maker* m)
{
    sup_vec3 most = v3(0, 0, 0);
    for (uint32_t p = 0; p < m->b->point_count; ++p) {
        sup_vec3 q = m->work.q[p];
        most = v3_max(most, v3(fabsf(q.x), fabsf(q.y), fabsf(q.z)));
    }
    return most;
}

static void keep(fixed_maker* m, uint32_t point, uint32_t value, sup_vec3 share)
{
    if (m->count == m->most) m->full = true;
    if (m->full) return;
    m->point[m->count] = point;
    m->value[m->count] = value;
    float* to = m->share + 4 * (size_t)m->count++;
    to[0] = share.x, to[1] = share.y, to[2] = share.z, to[3] = 0;
}

/// Sorts by points, in the order in which the entries came.
static sup_result sort_entries(const fixed_maker* m, bool vectors, bend_mixing* out, sup_error* error)
{
    uint32_t  points = 0, per = vectors ? 4 : 1;
    uint32_t* first = SUP_NEW(m->beside, uint32_t, (size_t)m->b->point_count + 1);
    uint32_t *list = SUP_NEW(m->arena, uint32_t, m->b->point_count),
             *begin = SUP_NEW(m->arena, uint32_t, (size_t)m->b->point_count + 1);
    uint32_t* value = SUP_NEW(m->arena, uint32_t, m->count);
    float*    shares = SUP_NEW(m->arena, float, (size_t)m->count* per);
    if (!first || !list || !begin || !value || !shares) return sup_fail_memory(error, "bend");
    for (uint32_t i = 0; i < m->count; ++i) ++first[m->point[i] + 1];
    for (uint32_t p = 0; p < m->b->point_count; ++p) {
        if (first[p + 1]) list[points] = p, begin[points + 1] = begin[points] + first[p + 1], ++points;
        first[p + 1] += first[p];
    }
    for (uint32_t i = 0; i < m->count; ++i) {
        uint32_t at = first[m->point[i]]++;
        value[at] = m->value[i];
        memcpy(shares + (size_t)at * per, m->share + 4 * (size_t)i, per * sizeof *shares);
    }
    *out = (bend_mixing){ points, list, begin, value, shares, vectors };
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- loads

/// Three items at a time: one per component.
static sup_result fix_items(fixed_maker* m, sup_error* error)
{
    const bend_loads* l = &m->b->loads;
    const bend_net*   net = &m->b->net;
    for (uint32_t i = 0; i < l->item_count && !m->full; i += 3) {
        for (uint32_t k = 0; k < 3 && i + k < l->item_count; ++k) {
            const bend_item* item = &l->items[i + k];
            m->work.moving[item->curve] = 1;
            for (uint32_t n = 0; n <= net->on.intervals; ++n)
                m->work.rows[(size_t)n * net->on.stride + 3 * item->curve + k] +=
                    (float)shape_at(m, item->curve, item->shape, item->terms, n);
        }
        rows_to_points(m);
        sup_vec3 most = largest(m);
        for (uint32_t k = 0; k < 3 && i + k < l->item_count; ++k)
            for (uint32_t p = 0; p < m->b->point_count; ++p) {
                float share = (&m->work.q[p].x)[k];
                if (fabsf(share) > TAIL * (&most.x)[k]) keep(m, p, i + k, v3(share, 0, 0));
            }
        for (uint32_t k = 0; k < 3 && i + k < l->item_count; ++k) clear_curve(m, l->items[i + k].curve);
    }
    return m->full ? SUP_OK : sort_entries(m, false, &m->b->fixed.forces, error);
}

static sup_result fix_pressure(fixed_maker* m, sup_error* error)
{
    const bend_loads* l = &m->b->loads;
    const bend_net*   net = &m->b->net;
    m->count = 0;
    for (uint32_t c = 0; c < net->on.curves.curve_count && !m->full; ++c) {
        bool            on = l->founded && net->on.curves.curves[c].closed;
        const sup_vec3* s = l->pressure + (size_t)c * l->rows;
        m->work.moving[c] = 1;
        for (uint32_t n = 0; n <= net->on.intervals; ++n)
            for (uint32_t k = 0; k < 3; ++k) {
                float  column[2 * 64 + 1];
                float* to = &m->work.rows[(size_t)n * net->on.stride + 3 * c + k];
                for (uint32_t t = 0; on && t <= 2 * l->terms; ++t) column[t] = (&s[t].x)[k];
                *to = on ? (float)shape_at(m, c, NULL, column, n) : (&s[n].x)[k];
            }
        rows_to_points(m);
        sup_vec3 most = largest(m);
        float    tail = TAIL * v3_length(most);
        for (uint32_t p = 0; p < m->b->point_count; ++p) {
            sup_vec3 q = m->work.q[p];
            if (fabsf(q.x) > tail || fabsf(q.y) > tail || fabsf(q.z) > tail) keep(m, p, c, q);
        }
        clear_curve(m, c);
    }
    return m->full ? SUP_OK : sort_entries(m, true, &m->b->fixed.pressure, error);
}

static sup_result fix_all(fixed_maker* m, sup_error* error)
{
    bend_bound*     b = m->b;
    const bend_net* net = &b->net;
    size_t          rows = (size_t)(net->on.intervals + 1) * net->on.stride + 8;
    m->most = ENTRIES_PER_POINT * b->point_count;
    m->point = SUP_NEW(m->beside, uint32_t, m->most);
    m->value = SUP_NEW(m->beside, uint32_t, m->most);
    m->share = SUP_NEW(m->beside, float, 4 * (size_t)m->most);
    m->work.q = SUP_NEW(m->beside, sup_vec3, (size_t)b->point_count + SUP_LANES);
    m->work.rows = SUP_NEW(m->beside, float, rows);
    m->work.moving = SUP_NEW(m->beside, uint8_t, net->on.curves.curve_count);
    if (!m->point || !m->value || !m->share || !m->work.q || !m->work.rows || !m->work.moving)
        return sup_fail_memory(error, "bend");
    bool   pressed = m->p->pressure != 0 || b->pressure.scale;
    double shapes = b->loads.item_count / 3.0 + (pressed ? net->on.curves.curve_count : 0);
    m->full = shapes * b->point_count > TAKES_MOST;
    sup_result r = fix_items(m, error);
    if (!r && !m->full && pressed) r = fix_pressure(m, error);
    b->fixed.ready = !m->full;
    b->fixed.pressed = pressed;
    return r;
}

sup_result bend_fixed_create(const bend_params* p, bend_bound* b, sup_arena* arena, sup_error* error)
{
    uint32_t count = b->net.on.curves.curve_count;
    double*  sigma = SUP_NEW(arena, double, count);
    if (!sigma) return sup_fail_memory(error, "bend");
    for (uint32_t c = 0; c < count; ++c) sigma[c] = bend_support(b, p, c);
    b->fixed = (bend_fixed){ .sigma = sigma };
    if (b->framed || p->dynamics) return SUP_OK;
    fixed_maker m = { .p = p, .b = b, .arena = arena, .beside = sup_arena_beside(arena) };
    sup_result  r = m.beside ? fix_all(&m, error) : sup_fail_memory(error, "bend");
    sup_arena_destroy(m.beside);
    return r;
}

// ---------------------------------------------------------------------------------------------- a frame

static bool as_bound(const bend_bound* b, const bend_curve_now* now)
{
    for (uint32_t c = 0; c < b->net.on.curves.curve_count; ++c)
        if (now[c].stiffness != b->stiffness[c] || now[c].sigma != b->fixed.sigma[c]) return false;
    return true;
}

bool bend_fixed_holds(const bend_bound* b, const bend_params* p, const bend_workspace* work)
{
    bool pressure = p->pressure != 0 || b->pressure.scale;
    if (!b->fixed.ready || p->weight != 0) return false;
    if (pressure && !b->fixed.pressed) return false;
    // A foundation bends differently when its stiffness changes, and so do the shapes of examples.
    return !(b->loads.founded || b->shapes.count) || as_bound(b, work->now);
}

typedef struct mix_job {
    const bend_mixing* mix;
    const float*       values;
    sup_vec3*          q;
} mix_job;

static void mix_task(void* data, uint32_t begin, uint32_t end)
{
    const mix_job* j = data;
    SUP_WIDE_PICK(bend_mix)(j->mix, j->values, begin, end, j->q);
}

static bool mix_in(const bend_mixing* mix, const float* values, uint32_t count, const sup_frame* frame, sup_vec3* q)
{
    bool    any = false;
    mix_job job = { mix, values, q };
    for (uint32_t i = 0; i < count && !any; ++i) any = values[i] != 0;
    if (any) sup_tasks_run(frame->tasks, mix->count, BEND_GRAIN, mix_task, &job);
    return any;
}

bool bend_fixed_apply(const bend_bound* b, const bend_params* p, const sup_frame* frame, const bend_workspace* work)
{
    const bend_loads* l = &b->loads;
    memset(work->q, 0, b->point_count * sizeof *work->q);
    for (uint32_t i = 0; i < l->item_count; ++i) {
        sup_vec3 v = bend_item_value(b, &l->items[i], frame, work);
        float*   to = work->values + 4 * (size_t)i;
        to[0] = v.x, to[1] = v.y, to[2] = v.z, to[3] = 0;
    }
    bool moves = mix_in(&b->fixed.forces, work->values, 4 * l->item_count, frame, work->q);
    if (!b->fixed.pressed) return moves;
    for (uint32_t c = 0; c < b->net.on.curves.curve_count; ++c) work->values[c] = bend_pressure_value(b, p, c, work);
    return mix_in(&b->fixed.pressure, work->values, b->net.on.curves.curve_count, frame, work->q) || moves;
}
