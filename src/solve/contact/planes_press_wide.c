// Pressing pairs, eight lanes at a time: closest places, distances at rest, and which pairs are too near.
#include "solve/contact/planes_internal.h"

#define INLINE static inline __attribute__((always_inline))

INLINE f8 dot8(const f8 a[3], const f8 b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

INLINE void less8(const f8 a[3], const f8 b[3], f8 out[3])
{
    for (int i = 0; i < 3; ++i) out[i] = a[i] - b[i];
}

INLINE f8 unit8(f8 x) { return f8_min(f8_max(x, f8_all(0)), f8_all(1)); }

/// a / b, or 0 where b is not above 0.
INLINE f8 over8(f8 a, f8 b)
{
    i8 some = b > f8_all(0);
    return f8_select(some, a / f8_select(some, b, f8_all(1)), f8_all(0));
}

/// Corners of the first triangles, then of the second.
typedef struct corners8 {
    f8 x[6][3];
} corners8;

INLINE corners8 particles_of(const sup_vec4* x, uint32_t corners[6][SUP_LANES])
{
    corners8 out;
    for (int k = 0; k < 6; ++k) {
        f8 v[4];
        f8_gather4(&x->x, corners[k], v);
        for (int i = 0; i < 3; ++i) out.x[k][i] = v[i];
    }
    return out;
}

INLINE corners8 points_of(const sup_vec3* x, uint32_t corners[6][SUP_LANES])
{
    corners8 out;
    for (int k = 0; k < 6; ++k)
        for (int lane = 0; lane < SUP_LANES; ++lane) {
            sup_vec3 at = x[corners[k][lane]];
            out.x[k][0][lane] = at.x, out.x[k][1][lane] = at.y, out.x[k][2][lane] = at.z;
        }
    return out;
}

// ---------------------------------------------------------------------------------------------- nearest places

/// The offset from the closest place of the second triangle to that of the first, its square, and the weights of both places.
typedef struct nearest8 {
    f8 square, way[3], weights[6];
} nearest8;

INLINE void offer(nearest8* n, i8 valid, const f8 way[3], const f8 weights[6])
{
    f8 square = dot8(way, way);
    i8 better = (square < n->square) & valid;
    n->square = f8_select(better, square, n->square);
    for (int i = 0; i < 3; ++i) n->way[i] = f8_select(better, way[i], n->way[i]);
    for (int i = 0; i < 6; ++i) n->weights[i] = f8_select(better, weights[i], n->weights[i]);
}

// Segments (Ericson 2005, 5.1.9). Parallel ones start at the beginning of the first.
INLINE void try_edges(nearest8* n, const corners8* c, int i, int k)
{
    f8 e[3], f[3], d[3], way[3], weights[6], zero = f8_all(0), one = f8_all(1);
    less8(c->x[(i + 1) % 3], c->x[i], e);
    less8(c->x[3 + (k + 1) % 3], c->x[3 + k], f);
    less8(c->x[3 + k], c->x[i], d);
    f8 ee = dot8(e, e), ff = dot8(f, f), ef = dot8(e, f), ed = dot8(e, d), fd = dot8(f, d), area = ee * ff - ef * ef;
    f8 s = f8_select(area > f8_all(1e-6f) * ee * ff, unit8(over8(ed * ff - ef * fd, area)), zero);
    f8 t = unit8(over8(ef * s - fd, ff));
    s = unit8(over8(ef * t + ed, ee));
    for (int a = 0; a < 3; ++a) way[a] = s * e[a] - t * f[a] - d[a];
    for (int a = 0; a < 6; ++a) weights[a] = zero;
    weights[i] = one - s, weights[(i + 1) % 3] = s;
    weights[3 + k] = one - t, weights[3 + (k + 1) % 3] = t;
    offer(n, i8_all(-1), way, weights);
}

/// Where a corner projects into the interior of the other triangle; its edges are tested anyway.
INLINE void try_corner(nearest8* n, const corners8* c, int corner)
{
    int base = corner < 3 ? 3 : 0;
    f8  e[3], f[3], d[3], way[3], weights[6], zero = f8_all(0), one = f8_all(1);
    less8(c->x[base + 1], c->x[base], e);
    less8(c->x[base + 2], c->x[base], f);
    less8(c->x[corner], c->x[base], d);
    f8 ee = dot8(e, e), ff = dot8(f, f), ef = dot8(e, f), ed = dot8(e, d), fd = dot8(f, d), area = ee * ff - ef * ef;
    f8 u = over8(ed * ff - fd * ef, area), v = over8(fd * ee - ed * ef, area);
    i8 inside = (area > zero) & (u >= zero) & (v >= zero) & (u + v <= one);
    for (int a = 0; a < 3; ++a) {
        way[a] = d[a] - u * e[a] - v * f[a];
        if (base == 0) way[a] = -way[a];
    }
    for (int a = 0; a < 6; ++a) weights[a] = zero;
    weights[corner] = one;
    weights[base] = one - u - v, weights[base + 1] = u, weights[base + 2] = v;
    offer(n, inside, way, weights);
}

/// How far the first triangles lie beyond the second along a direction.
INLINE f8 gap_of(const corners8* c, const f8 n[3])
{
    f8 low = dot8(c->x[0], n), high = dot8(c->x[3], n);
    for (int k = 1; k < 3; ++k) low = f8_min(low, dot8(c->x[k], n)), high = f8_max(high, dot8(c->x[k + 3], n));
    return low - high;
}

/// Unit normal of three corners; returns twice the area. Zero where there is no area.
INLINE f8 face8(const f8 x[3][3], f8 n[3])
{
    f8 e[3], f[3];
    less8(x[1], x[0], e);
    less8(x[2], x[0], f);
    n[0] = e[1] * f[2] - e[2] * f[1], n[1] = e[2] * f[0] - e[0] * f[2], n[2] = e[0] * f[1] - e[1] * f[0];
    f8 length = f8_sqrt(dot8(n, n));
    for (int i = 0; i < 3; ++i) n[i] = over8(n[i], length);
    return length;
}

/// Two triangles and what separates them: a unit direction from the second to the first, nearly the one between their closest
/// places; the gap along it, and that gap as a share of their distance; the weights of those places.
typedef struct parted8 {
    f8 normal[3], distance, share, weights[6], first[3], second[3]; // first, second: the faces' own normals
} parted8;

/// Returns where both the offset and the direction separate them. Not inlined: six copies took two thirds of this file's code.
static __attribute__((noinline)) i8 part(const corners8* c, parted8* out)
{
    nearest8 n = { .square = f8_all(__builtin_inff()) };
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) try_edges(&n, c, i, k);
    for (int k = 0; k < 6; ++k) try_corner(&n, c, k);
    i8 truly = gap_of(c, n.way) > f8_all(0);
    f8 size = f8_sqrt(face8(c->x, out->first));
    size = f8_all(0.25f * PLANES_ALONG_NORMALS) * (size + f8_sqrt(face8(c->x + 3, out->second)));
    for (int i = 0; i < 3; ++i) n.way[i] += size * (out->second[i] - out->first[i]);
    f8 length = f8_sqrt(dot8(n.way, n.way));
    for (int i = 0; i < 3; ++i) out->normal[i] = over8(n.way[i], length);
    for (int i = 0; i < 6; ++i) out->weights[i] = n.weights[i];
    out->distance = gap_of(c, out->normal);
    out->share = over8(out->distance, f8_sqrt(n.square));
    return truly & (out->distance > f8_all(0));
}

// ---------------------------------------------------------------------------------------------- step, substep, iteration

INLINE f8 facing_of(const parted8* p) { return dot8(p->first, p->second); }

INLINE f8 straight_of(const parted8* p) { return f8_all(0.5f) * (dot8(p->normal, p->second) - dot8(p->normal, p->first)); }

/// How much a pair counts: the inner sides of a thin part face away from each other; pairs that lie obliquely, or are separated
/// only far from where they are near, would press sideways.
INLINE f8 strength_of(const parted8* p)
{
    return unit8((f8_all(PLANES_FACING) - facing_of(p)) * f8_all(1 / PLANES_FACING_RAMP)) *
           unit8((straight_of(p) - f8_all(PLANES_STRAIGHT)) * f8_all(1 / PLANES_STRAIGHT_RAMP)) *
           unit8(p->share * f8_all(1 / PLANES_PARTING));
}

INLINE i8 faces_soon(const parted8* p)
{
    return (facing_of(p) < f8_all(PLANES_FACING_SOON)) & (straight_of(p) > f8_all(PLANES_STRAIGHT_SOON));
}

INLINE f8 mean_of(const float* values, uint32_t corners[6][SUP_LANES], const f8 weights[6])
{
    f8 sum = f8_all(0);
    for (int k = 0; k < 6; ++k) {
        f8 v;
        for (int lane = 0; lane < SUP_LANES; ++lane) v[lane] = values[corners[k][lane]];
        sum += weights[k] * v;
    }
    return sum;
}

/// The mean edge at the closest places, and the distance that a pair keeps there: at most that at rest. Returns which pairs are
/// apart at rest; clothes that cross what they cover may pass.
INLINE i8 keep_of(const planes_run* r, uint32_t corners[6][SUP_LANES], const f8 weights[6], f8* unit, f8* keep)
{
    parted8  at_rest;
    corners8 rest = points_of(r->p->rest, corners);
    i8       apart = part(&rest, &at_rest);
    *unit = f8_all(0.5f) * mean_of(r->p->units, corners, weights);
    *keep = f8_all(r->call->thickness) * *unit;
    if (r->p->over) *keep += mean_of(r->p->over, corners, weights);
    *keep = f8_min(*keep, at_rest.distance);
    return apart;
}

/// Which of a block's pairs may press during the step, judged at its start and at its expected end.
INLINE uint32_t may_press(const planes_run* r, const planes_block* b)
{
    uint32_t corners[6][SUP_LANES];
    float    reaches[SUP_LANES], axis[3][SUP_LANES];
    for (uint32_t l = 0; l < SUP_LANES; ++l) {
        uint32_t one[6];
        planes_corners(r->p, b->a[l], b->b[l], one);
        for (int k = 0; k < 6; ++k) corners[k][l] = one[k];
        for (int i = 0; i < 3; ++i) axis[i][l] = (float)b->axis[i][l] / PLANES_AXIS;
        reaches[l] = r->m.bounds[b->a[l] / PLANES_PACK].reach[b->a[l] % PLANES_PACK] +
                     r->m.bounds[b->b[l] / PLANES_PACK].reach[b->b[l] % PLANES_PACK];
    }
    f8       n[3] = { f8_load(axis[0]), f8_load(axis[1]), f8_load(axis[2]) }, reach = f8_load(reaches), unit, keep;
    corners8 from = particles_of(r->from, corners), to = particles_of(r->x, corners);
    parted8  now, soon;
    if (!i8_bits((gap_of(&from, n) < reach) | (gap_of(&to, n) < reach))) return 0;
    i8 apart = part(&from, &now), crosses = ~part(&to, &soon);
    f8 gap = f8_min(now.distance, gap_of(&to, now.normal));
    i8 may = apart & (gap < reach) & (crosses | faces_soon(&now) | faces_soon(&soon));
    if (!i8_bits(may)) return 0;
    may &= keep_of(r, corners, now.weights, &unit, &keep);
    return i8_bits(may & (gap < keep + f8_all(PLANES_MARGIN) * unit));
}

void SUP_WIDE(sup_planes_near)(const planes_run* r, uint32_t begin, uint32_t end)
{
    for (uint32_t k = begin; k < end; ++k) {
        uint32_t real = r->m.header->pair_count - SUP_LANES * k, bits = may_press(r, &r->m.blocks[k]);
        if (real < SUP_LANES) bits &= (1u << real) - 1;
        r->m.doubtful[k] = (uint8_t)(bits & ~(uint32_t)r->m.dead[k]);
    }
}

/// How firmly a pair presses, from how fast the pose moves one side against the other.
INLINE f8 firmness_of(const sup_planes_call* call, const planes_presses* p, const parted8* now, f8 unit)
{
    f8 way[3] = { f8_all(0), f8_all(0), f8_all(0) };
    if (!call->before) return f8_all(PLANES_FIRM);
    for (int k = 0; k < 6; ++k) {
        float step[3][SUP_LANES];
        for (int lane = 0; lane < SUP_LANES; ++lane) {
            sup_vec3 d = v3_sub(call->after[p->corners[k][lane]], call->before[p->corners[k][lane]]);
            step[0][lane] = d.x, step[1][lane] = d.y, step[2][lane] = d.z;
        }
        f8 weight = k < 3 ? now->weights[k] : -now->weights[k];
        for (int i = 0; i < 3; ++i) way[i] += weight * f8_load(step[i]);
    }
    f8 speed = over8(f8_sqrt(dot8(way, way)) * f8_all(call->rate / PLANES_FIRM_SPEED), unit);
    return f8_all(PLANES_CALM) + f8_all(PLANES_FIRM - PLANES_CALM) * unit8(speed);
}

void SUP_WIDE(sup_planes_meet)(const planes_run* r, uint32_t begin, uint32_t end)
{
    for (uint32_t k = begin; k < end; ++k) {
        planes_presses* p = &r->m.presses[k];
        parted8         now;
        corners8        from = particles_of(r->from, p->corners);
        f8              unit, keep;
        part(&from, &now);
        keep_of(r, p->corners, now.weights, &unit, &keep);
        f8_store(p->most, f8_all(PLANES_PUSH_MOST) * unit);
        f8_store(p->firm, firmness_of(r->call, p, &now, unit));
        f8_store(p->want, keep);
        for (int lane = 0; lane < SUP_LANES; ++lane) p->approach[lane] = 0;
    }
}

void SUP_WIDE(sup_planes_aim)(const planes_run* r, uint32_t begin, uint32_t end)
{
    for (uint32_t k = begin; k < end; ++k) {
        planes_presses* p = &r->m.presses[k];
        memset(p->pushed, 0, sizeof p->pushed);
        p->active = 0;
        if (!p->real) continue;
        parted8  now;
        corners8 x = particles_of(r->from, p->corners);
        i8       apart = part(&x, &now);
        f8       want = f8_load(p->want), missing = f8_max(want - now.distance, f8_all(0));
        // Pairs that came to cross within the step keep the direction they had.
        for (int i = 0; i < 3; ++i) f8_store(p->normal[i], f8_select(apart, now.normal[i], f8_load(p->normal[i])));
        f8_store(p->strength, f8_select(apart, strength_of(&now), f8_load(p->strength)));
        f8_store(p->keep, f8_select(apart, want - f8_all(1 - PLANES_RECOVERY) * missing, f8_load(p->keep)));
    }
}

void SUP_WIDE(sup_planes_sift_presses)(const planes_run* r, uint32_t begin, uint32_t end)
{
    for (uint32_t k = begin; k < end; ++k) {
        planes_presses* p = &r->m.presses[k];
        r->m.near[k] = 0;
        if (!p->real) continue;
        f8       n[3] = { f8_load(p->normal[0]), f8_load(p->normal[1]), f8_load(p->normal[2]) };
        corners8 x = particles_of(r->x, p->corners);
        i8       near = (gap_of(&x, n) < f8_load(p->keep)) & (f8_load(p->strength) > f8_all(0));
        r->m.near[k] = (uint8_t)(i8_bits(near) & p->real);
    }
}

enum { BALANCE_ROUNDS = 5 };

/// Heights of both triangles' corners above the first corner of the first, and their inverse masses.
typedef struct heights8 {
    f8 h[6], inverse[6], mass[6];
} heights8;

/// How much more momentum the second side gets than the first when the first moves up to `top` and the second down to `bottom`;
/// `slope`: by how much that falls for each unit that both planes rise.
INLINE f8 imbalance(const heights8* c, f8 top, f8 bottom, f8* slope)
{
    f8 sum = f8_all(0), zero = f8_all(0);
    *slope = zero;
    for (int k = 0; k < 3; ++k) {
        f8 up = top - c->h[k], down = c->h[k + 3] - bottom;
        sum += c->mass[k + 3] * f8_max(down, zero) - c->mass[k] * f8_max(up, zero);
        *slope += f8_select(up > zero, c->mass[k], zero) + f8_select(down > zero, c->mass[k + 3], zero);
    }
    return sum;
}

/// How far the first side goes of what is missing, so that both get the same momentum: between all taken by the second and all
/// by the first. A side without inverse masses stays. The imbalance falls piecewise linearly, one piece per corner: Newton's
/// steps while they stay inside the bracket, otherwise bisection.
INLINE f8 share_out(const heights8* c, f8 low, f8 high, f8 missing)
{
    f8 first = c->inverse[0] + c->inverse[1] + c->inverse[2], second = c->inverse[3] + c->inverse[4] + c->inverse[5];
    f8 least = f8_select(second > f8_all(0), f8_all(0), missing), most = f8_select(first > f8_all(0), missing, f8_all(0));
    f8 share = f8_all(0.5f) * (least + most), slope;
    for (int i = 0; i < BALANCE_ROUNDS; ++i) {
        f8 more = imbalance(c, low + share, high - (missing - share), &slope), next = share + over8(more, slope);
        i8 little = more > f8_all(0);
        least = f8_select(little, share, least);
        most = f8_select(little, most, share);
        share = f8_select((next >= least) & (next <= most), next, f8_all(0.5f) * (least + most));
    }
    return share;
}

void SUP_WIDE(sup_planes_push)(const planes_run* r, uint32_t k, float pushes[6][SUP_LANES])
{
    planes_presses* p = &r->m.presses[k];
    f8              n[3] = { f8_load(p->normal[0]), f8_load(p->normal[1]), f8_load(p->normal[2]) }, zero = f8_all(0);
    heights8        c;
    f8              low = f8_all(__builtin_inff()), high = -low, crowd = zero, origin = zero;
    for (int i = 0; i < 6; ++i) {
        f8 x[4];
        f8_gather4(&r->x->x, p->corners[i], x);
        f8 h = dot8(n, x);
        if (i == 0) origin = h;
        c.h[i] = h - origin;
        c.inverse[i] = x[3];
        c.mass[i] = over8(f8_all(1), x[3]);
        if (i < 3) low = f8_min(c.h[i], low);
        else high = f8_max(c.h[i], high);
    }
    f8 missing = f8_load(p->strength) * f8_min(f8_load(p->keep) - (low - high), f8_load(p->most));
    f8 up = share_out(&c, low, high, missing), top = low + up, bottom = high - (missing - up);
    for (int i = 0; i < 6; ++i) {
        f8 push = f8_select(c.inverse[i] > zero, f8_max(i < 3 ? top - c.h[i] : c.h[i] - bottom, zero), zero), others;
        for (int lane = 0; lane < SUP_LANES; ++lane) others[lane] = r->m.crowd[p->corners[i][lane]];
        crowd = f8_max(f8_select(push > zero, others, zero), crowd);
        f8_store(pushes[i], push);
    }
    f8 share = f8_min(over8(f8_load(p->firm), crowd), f8_all(1));
    i8 some = (missing > zero) & (missing < f8_all(__builtin_inff()));
    for (int i = 0; i < 6; ++i) f8_store(pushes[i], f8_select(some, share * f8_load(pushes[i]), zero));
}
