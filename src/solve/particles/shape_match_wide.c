// The passes of solve/particles/shape_match.h over blocks of eight regions. A lane is a region; every lane adds its members in
// list order, so neither the machine's vector width nor the split into tasks changes a bit.
#include "math/rotation.h"
#include "math/wide.h"
#include "solve/particles/shape_match.h"

// Registers per block.
enum { PARTS = SUP_LANES / SUP_REGISTER };

// ---------------------------------------------------------------------------------------------- sums of rotations

// Ten products of a (scaled) quaternion, summed, and the matrix they form. Sums go by register: an f8 is two of them on
// machines without wider ones, and twelve such sums would not fit.
typedef struct products {
    fr xx, yy, zz, ww, xy, xz, yz, wx, wy, wz;
} products;

static inline void products_add(products* s, const fr q[4])
{
    s->xx += q[0] * q[0], s->yy += q[1] * q[1], s->zz += q[2] * q[2], s->ww += q[3] * q[3];
    s->xy += q[0] * q[1], s->xz += q[0] * q[2], s->yz += q[1] * q[2];
    s->wx += q[3] * q[0], s->wy += q[3] * q[1], s->wz += q[3] * q[2];
}

static inline void products_matrix(const products* s, fr m[9])
{
    fr two = fr_all(2.0f), a = s->ww + s->xx, b = s->ww - s->xx, c = s->yy + s->zz, d = s->yy - s->zz;
    m[0] = a - c, m[4] = b + d, m[8] = b - d;
    m[1] = two * (s->xy - s->wz), m[2] = two * (s->xz + s->wy), m[3] = two * (s->xy + s->wz);
    m[5] = two * (s->yz - s->wx), m[6] = two * (s->xz - s->wy), m[7] = two * (s->yz + s->wx);
}

// ---------------------------------------------------------------------------------------------- where a block stands

typedef struct block {
    uint32_t        first;     // particle
    size_t          layer;     // first particle of its layer, times four
    const uint32_t *row, *end; // its lists
    size_t          siblings[2];
    int             sibling_count;
} block;

// lane: the first of the block's eight to process.
static inline block block_at(const sup_match* m, uint32_t index, uint32_t lane)
{
    uint32_t layer = index / m->blocks, k = index % m->blocks;
    block    b = { .first = layer * m->stride + 8 * k + lane,
                   .layer = 4 * (size_t)layer * m->stride,
                   .row = m->slots + 8 * (size_t)m->slot_begin[k] + lane,
                   .end = m->slots + 8 * (size_t)m->slot_begin[k + 1] };
    if (layer > 0) b.siblings[b.sibling_count++] = 4 * (size_t)(b.first - m->stride);
    if (layer + 1 < m->layers) b.siblings[b.sibling_count++] = 4 * (size_t)(b.first + m->stride);
    return b;
}

// ---------------------------------------------------------------------------------------------- fits

static inline void add_member(const fr x[4], const fr y[4], const fr center[4], const fr c0[4], fr a[9], fr c[3])
{
    fr mx = y[3] * (x[0] - center[0]), my = y[3] * (x[1] - center[1]), mz = y[3] * (x[2] - center[2]);
    fr u = y[0] - c0[0], v = y[1] - c0[1], w = y[2] - c0[2];
    c[0] += mx, c[1] += my, c[2] += mz;
    a[0] += mx * u, a[1] += mx * v, a[2] += mx * w;
    a[3] += my * u, a[4] += my * v, a[5] += my * w;
    a[6] += mz * u, a[7] += mz * v, a[8] += mz * w;
}

// Rotation and translation from the sums. c is the sum of mt (x - center).
static inline uint32_t finish_fit(const sup_match_view* view, uint32_t first, const f8 a[9], const f8 c[3], const f8 center[3])
{
    f8 wide[4], unused[9];
    f8_load4(&view->run->q[first].x, wide);
    uint32_t cold = SUP_WIDE(rotation_fit8)(a, wide, unused);
    f8_store4(&view->run->q[first].x, wide);
    for (uint32_t lane = 0; lane < SUP_LANES; lane += SUP_REGISTER) {
        fr       q[4], r[9], t[4], c0[4];
        products own = { 0 }; // the same sums as for the goals, so that rounding cancels there
        fr_load4(&view->run->q[first + lane].x, q);
        fr_load4(&view->run->c0[first + lane].x, c0);
        products_add(&own, q);
        products_matrix(&own, r);
        for (int i = 0; i < 3; ++i)
            t[i] = f8_part(center[i], lane) + f8_part(c[i], lane) * c0[3] -
                   (r[3 * i] * c0[0] + r[3 * i + 1] * c0[1] + r[3 * i + 2] * c0[2]);
        t[3] = fr_load(view->run->match->roots + first + lane);
        fr_store4(&view->t[first + lane].x, t);
    }
    return cold;
}

// The sums of the regions in one register.
static inline void fit_sums(const sup_match_view* view, block b, uint32_t lane, f8 out_a[9], f8 out_c[3], f8 out_center[3])
{
    const sup_match_run* run = view->run;
    const float *        xs = &run->x->x, *ys = &run->y->x, *ps = &view->moments->x;
    fr                   a[9] = { 0 }, c[3] = { 0 }, center[4], c0[4], x[4], y[4], m[9];
    fr_load4(xs + 4 * (size_t)b.first, center);
    fr_load4(&run->c0[b.first].x, c0);
    for (const uint32_t* row = b.row; row < b.end; row += 8) {
        fr_gather4(xs + b.layer, row, x);
        fr_gather4(ys + b.layer, row, y);
        add_member(x, y, center, c0, a, c);
    }
    fr root = fr_load(run->match->roots + b.first), counts = root * root;
    for (int i = 0; i < 9; ++i) a[i] *= counts;
    for (int i = 0; i < 3; ++i) c[i] *= counts;
    for (int s = 0; s < b.sibling_count; ++s) {
        fr_load4(xs + b.siblings[s], x);
        fr_load4(ys + b.siblings[s], y);
        add_member(x, y, center, c0, a, c);
    }
    products sum = { 0 };
    fr_load4(ps + 4 * (size_t)b.first, x);
    products_add(&sum, x);
    for (const uint32_t* row = b.row; row < b.end; row += 8) {
        fr_gather4(ps + b.layer, row, x);
        for (int i = 0; i < 4; ++i) x[i] *= root;
        products_add(&sum, x);
    }
    for (int s = 0; s < b.sibling_count; ++s) {
        fr_load4(ps + b.siblings[s], x);
        products_add(&sum, x);
    }
    products_matrix(&sum, m);
    for (int i = 0; i < 9; ++i) f8_put_part(&out_a[i], lane, a[i] + m[i]);
    for (int i = 0; i < 3; ++i) f8_put_part(&out_c[i], lane, c[i]), f8_put_part(&out_center[i], lane, center[i]);
}

uint32_t SUP_WIDE(match_fit)(const sup_match_view* view, uint32_t begin, uint32_t end)
{
    uint32_t cold = 0;
    for (uint32_t index = begin; index < end; ++index) {
        f8 a[9], c[3], center[3];
        for (uint32_t lane = 0; lane < SUP_LANES; lane += SUP_REGISTER)
            fit_sums(view, block_at(view->run->match, index, lane), lane, a, c, center);
        cold += finish_fit(view, block_at(view->run->match, index, 0).first, a, c, center);
    }
    return cold;
}

uint32_t SUP_WIDE(match_turn8)(const sup_match_view* view, uint32_t first, float a[9][8], float c[3][8])
{
    f8 wide[9], sum[3], center[3];
    for (int i = 0; i < 9; ++i) wide[i] = f8_load(a[i]);
    for (int i = 0; i < 3; ++i) sum[i] = f8_load(c[i]), center[i] = f8_all((float)view->origin[i]);
    return finish_fit(view, first, wide, sum, center);
}

// t = x - R y, with R as the goals compute it; w: how much the region counts.
void SUP_WIDE(match_hold)(const sup_match_view* view, uint32_t begin, uint32_t end)
{
    const sup_match_run* run = view->run;
    for (uint32_t i = begin; i < end; i += SUP_REGISTER) {
        fr       q[4], r[9], x[4], y[4], h[4];
        products own = { 0 };
        fr_load4(&run->q[i].x, q);
        fr_load4(&run->h[i].x, h);
        fr_load4(&run->x[i].x, x);
        fr_load4(&run->y[i].x, y);
        products_add(&own, q);
        products_matrix(&own, r);
        for (int c = 0; c < 3; ++c) x[c] -= r[3 * c] * y[0] + r[3 * c + 1] * y[1] + r[3 * c + 2] * y[2];
        x[3] = h[3];
        fr_store4(&view->t[i].x, x);
    }
}

// ---------------------------------------------------------------------------------------------- goals

static inline void add_goal(const fr q[4], const fr t[4], products* sum, fr s[3])
{
    products_add(sum, q);
    s[0] += t[0], s[1] += t[1], s[2] += t[2];
}

void SUP_WIDE(match_goals)(const sup_match_view* view, uint32_t begin, uint32_t end)
{
    const sup_match_run* run = view->run;
    const float *        qs = &run->q->x, *ts = &view->t->x;
    size_t               held = 4 * (size_t)run->goal_layers * run->match->stride;
    for (uint32_t index = PARTS * begin; index < PARTS * end; ++index) {
        block b = block_at(run->match, index / PARTS, index % PARTS * SUP_REGISTER);
        fr q[4], t[4], s[3], own[4], share = fr_load(run->match->share + b.first), spin = fr_load(run->match->spin + b.first);
        fr_load4(qs + 4 * (size_t)b.first, q);
        for (int i = 0; i < 4; ++i) own[i] = spin * q[i];
        fr_store4(&view->moments[b.first].x, own);
        products sum = { 0 };
        fr_load4(ts + 4 * (size_t)b.first, t);
        s[0] = t[0], s[1] = t[1], s[2] = t[2];
        products_add(&sum, q);
        for (const uint32_t* row = b.row; row < b.end; row += 8) {
            fr_gather4(qs + b.layer, row, q);
            fr_gather4(ts + b.layer, row, t);
            fr counts = t[3] * t[3];
            for (int i = 0; i < 4; ++i) q[i] *= t[3];
            for (int i = 0; i < 3; ++i) t[i] *= counts;
            add_goal(q, t, &sum, s);
        }
        for (int k = 0; k < b.sibling_count; ++k) {
            fr_load4(qs + b.siblings[k], q);
            fr_load4(ts + b.siblings[k], t);
            if (b.siblings[k] >= held) {
                fr one = fr_all(1), root = fr_sqrt(t[3]);
                share = share / (one - share * (one - t[3]));
                for (int i = 0; i < 4; ++i) q[i] *= root;
                for (int i = 0; i < 3; ++i) t[i] *= t[3];
            }
            add_goal(q, t, &sum, s);
        }
        fr m[9], y[4], h[4], x[4];
        products_matrix(&sum, m);
        fr_load4(&run->y[b.first].x, y);
        fr_load4(&run->h[b.first].x, h);
        fr_load4(&run->x[b.first].x, x);
        for (int i = 0; i < 3; ++i) {
            fr goal = share * (m[3 * i] * y[0] + m[3 * i + 1] * y[1] + m[3 * i + 2] * y[2] + s[i]);
            x[i] = h[i] + h[3] * (goal - h[i]);
        }
        fr_store4(&run->x[b.first].x, x);
    }
}

// ---------------------------------------------------------------------------------------------- damping

// Sums for a region's rigid velocity: mt dx, mt v, mt dx x v, and the six of mt dx dx^T.
typedef struct rigid_sums {
    fr d[3], v[3], l[3], xx, yy, zz, xy, xz, yz;
} rigid_sums;

static inline void add_moving(const fr x[4], const fr v[4], fr mt, const fr center[4], rigid_sums* s)
{
    fr dx = x[0] - center[0], dy = x[1] - center[1], dz = x[2] - center[2], mx = mt * dx, my = mt * dy, mz = mt * dz;
    s->d[0] += mx, s->d[1] += my, s->d[2] += mz;
    s->v[0] += mt * v[0], s->v[1] += mt * v[1], s->v[2] += mt * v[2];
    s->l[0] += my * v[2] - mz * v[1], s->l[1] += mz * v[0] - mx * v[2], s->l[2] += mx * v[1] - my * v[0];
    s->xx += mx * dx, s->yy += my * dy, s->zz += mz * dz, s->xy += mx * dy, s->xz += mx * dz, s->yz += my * dz;
}

// Shares of the trace of a region's inertia: what is added to the diagonal so that a collinear region can be solved (about the
// float rounding of the sums), and the smallest determinant, relative to the cube of the trace, that it is divided by.
#define INERTIA_ADDED 1e-6f
#define INERTIA_SINGULAR 1e-30f

// I w = L about the center of mass; a collinear region is solved with a small share of its trace added.
static inline void angular_velocity(const rigid_sums* s, const fr c[3], const fr v[3], fr inverse, fr w[3])
{
    fr l[3] = { s->l[0] - (s->d[1] * v[2] - s->d[2] * v[1]), s->l[1] - (s->d[2] * v[0] - s->d[0] * v[2]),
                s->l[2] - (s->d[0] * v[1] - s->d[1] * v[0]) };
    fr xx = s->xx - s->d[0] * c[0], yy = s->yy - s->d[1] * c[1], zz = s->zz - s->d[2] * c[2];
    fr xy = s->xy - s->d[0] * c[1], xz = s->xz - s->d[0] * c[2], yz = s->yz - s->d[1] * c[2];
    fr scale = inverse, trace = (fr_all(2.0f) * (xx + yy + zz)) * scale, small = fr_all(INERTIA_ADDED) * trace;
    fr a = (yy + zz) * scale + small, b = (xx + zz) * scale + small, d = (xx + yy) * scale + small;
    fr e = -xy * scale, f = -xz * scale, g = -yz * scale;
    fr m00 = b * d - g * g, m01 = f * g - e * d, m02 = e * g - f * b;
    fr m11 = a * d - f * f, m12 = e * f - a * g, m22 = a * b - e * e;
    fr det = a * m00 + e * m01 + f * m02;
    ir good = det > fr_all(INERTIA_SINGULAR) * trace * trace * trace;
    good &= trace > fr_all(0.0f);
    fr k = fr_select(good, scale / fr_select(good, det, fr_all(1.0f)), fr_all(0.0f));
    w[0] = k * (m00 * l[0] + m01 * l[1] + m02 * l[2]);
    w[1] = k * (m01 * l[0] + m11 * l[1] + m12 * l[2]);
    w[2] = k * (m02 * l[0] + m12 * l[1] + m22 * l[2]);
}

void SUP_WIDE(match_velocities)(const sup_match_view* view, uint32_t begin, uint32_t end)
{
    const sup_match_run* run = view->run;
    const float *        xs = &run->x->x, *ys = &run->match->y->x, *vs = &view->v->x;
    for (uint32_t index = PARTS * begin; index < PARTS * end; ++index) {
        block      b = block_at(run->match, index / PARTS, index % PARTS * SUP_REGISTER);
        rigid_sums s = { 0 };
        fr         center[4], x[4], y[4], v[4], w[4], c0[4];
        fr_load4(xs + 4 * (size_t)b.first, center);
        fr_load4(ys + 4 * (size_t)b.first, y);
        fr_load4(vs + 4 * (size_t)b.first, v);
        fr_load4(&run->match->c0[b.first].x, c0);
        add_moving(center, v, y[3], center, &s);
        fr root = fr_load(run->match->roots + b.first), counts = root * root;
        for (const uint32_t* row = b.row; row < b.end; row += 8) {
            fr_gather4(xs + b.layer, row, x);
            fr_gather4(ys + b.layer, row, y);
            fr_gather4(vs + b.layer, row, v);
            add_moving(x, v, counts * y[3], center, &s);
        }
        for (int k = 0; k < b.sibling_count; ++k) {
            fr_load4(xs + b.siblings[k], x);
            fr_load4(ys + b.siblings[k], y);
            fr_load4(vs + b.siblings[k], v);
            add_moving(x, v, y[3], center, &s);
        }
        fr mean[3], c[3];
        for (int i = 0; i < 3; ++i) mean[i] = s.v[i] * c0[3], c[i] = s.d[i] * c0[3];
        angular_velocity(&s, c, mean, c0[3], w);
        for (int i = 0; i < 3; ++i) c[i] += center[i];
        // velocity at the origin: v = v_c - w x c
        v[0] = mean[0] - (w[1] * c[2] - w[2] * c[1]);
        v[1] = mean[1] - (w[2] * c[0] - w[0] * c[2]);
        v[2] = mean[2] - (w[0] * c[1] - w[1] * c[0]);
        v[3] = w[3] = counts;
        fr_store4(&view->t[b.first].x, v);
        fr_store4(&view->turn[b.first].x, w);
    }
}

void SUP_WIDE(match_damp)(const sup_match_view* view, uint32_t begin, uint32_t end)
{
    const sup_match_run* run = view->run;
    const float *        ts = &view->t->x, *ws = &view->turn->x;
    for (uint32_t index = PARTS * begin; index < PARTS * end; ++index) {
        block b = block_at(run->match, index / PARTS, index % PARTS * SUP_REGISTER);
        if (b.first >= run->goal_layers * run->match->stride) continue;
        fr t[4], w[4], v[3], turn[3], x[4], own[4], share = fr_load(run->match->share + b.first);
        fr_load4(ts + 4 * (size_t)b.first, t);
        fr_load4(ws + 4 * (size_t)b.first, w);
        for (int i = 0; i < 3; ++i) v[i] = t[i], turn[i] = w[i];
        for (const uint32_t* row = b.row; row < b.end; row += 8) {
            fr_gather4(ts + b.layer, row, t);
            fr_gather4(ws + b.layer, row, w);
            for (int i = 0; i < 3; ++i) v[i] += t[3] * t[i], turn[i] += t[3] * w[i];
        }
        for (int k = 0; k < b.sibling_count; ++k) {
            fr_load4(ts + b.siblings[k], t);
            fr_load4(ws + b.siblings[k], w);
            for (int i = 0; i < 3; ++i) v[i] += t[i], turn[i] += w[i];
        }
        fr_load4(&run->x[b.first].x, x);
        fr_load4(&view->v[b.first].x, own);
        fr mean[3] = { share * (v[0] + (turn[1] * x[2] - turn[2] * x[1])), share * (v[1] + (turn[2] * x[0] - turn[0] * x[2])),
                       share * (v[2] + (turn[0] * x[1] - turn[1] * x[0])) };
        for (int i = 0; i < 3; ++i) own[i] += fr_all(view->share) * (mean[i] - own[i]);
        fr_store4(&view->v[b.first].x, own);
    }
}
