// Every triangle of one pack against the eight of another.
#include "solve/contact/contact_internal.h"

#define INLINE static inline __attribute__((always_inline))

INLINE f8 dot8(const float a[3][CONTACT_PACK], const f8 b[3])
{
    return f8_load(a[0]) * b[0] + f8_load(a[1]) * b[1] + f8_load(a[2]) * b[2];
}

/// One lane of a for all.
INLINE void spread(const float from[3][CONTACT_PACK], uint32_t lane, f8 out[3])
{
    for (int k = 0; k < 3; ++k) out[k] = f8_all(from[k][lane]);
}

INLINE i8 boxes_overlap(const contact_pack* a, uint32_t lane, const contact_pack* b)
{
    i8 mask = i8_all(-1);
    for (int k = 0; k < 3; ++k)
        mask &=
            f8_at_most(f8_all(a->min[k][lane]), f8_load(b->max[k])) & f8_at_most(f8_load(b->min[k]), f8_all(a->max[k][lane]));
    return mask;
}

/// Lanes in which three heights are not all above and not all below.
INLINE i8 straddles(const f8 h[3], f8 low, f8 high)
{
    return f8_at_most(f8_min(f8_min(h[0], h[1]), h[2]), high) & f8_at_most(low, f8_max(f8_max(h[0], h[1]), h[2]));
}

INLINE i8 beyond(f8 x, f8 y, f8 low, f8 high)
{
    return (f8_less(high, x) & f8_less(high, y)) | (f8_less(x, low) & f8_less(y, low));
}

/// One lane of a and all of b.
typedef struct facing {
    f8 normal[3], a[3], b[3]; // of a's normal; cosines of each corner and the other's face
} facing;

INLINE i8 corners_face(const contact_sift* s, uint32_t lane, facing* f)
{
    f8 corner[3], least = f8_all(1);
    spread(s->a->normal, lane, f->normal);
    for (int k = 0; k < 3; ++k) {
        spread(s->a->facing[k], lane, corner);
        f->a[k] = dot8(s->b->normal, corner);
        f->b[k] = dot8(s->b->facing[k], f->normal);
        least = f8_min(least, f8_min(f->a[k], f->b[k]));
    }
    return f8_less(least, f8_all(CONTACT_FACING));
}

typedef struct planes {
    f8 a[3], b[3], low, high;
    i8 still;
} planes;

INLINE i8 planes_cross(const contact_sift* s, uint32_t lane, const f8 normal[3], planes* p)
{
    const contact_pack *a = s->a, *b = s->b;
    f8                  unit = f8_max(f8_all(a->unit[lane]), f8_load(b->unit)), square = f8_all(0), place[3];
    for (int k = 0; k < 3; ++k) {
        f8 d = f8_all(a->way[k][lane]) - f8_load(b->way[k]);
        square += d * d;
    }
    f8 ways = f8_sqrt(square) + f8_all(a->stray[lane]) + f8_load(b->stray);
    p->high = f8_all(s->margin) * unit + ways;
    p->low = -(f8_all(s->reach) * unit + ways);
    p->still = f8_less(ways, f8_all(CONTACT_STILL * s->margin) * unit);
    for (int k = 0; k < 3; ++k) {
        spread(a->corners[k], lane, place);
        p->a[k] = dot8(b->normal, place) - f8_load(b->offset);
        p->b[k] = dot8(b->corners[k], normal) - f8_all(a->offset[lane]);
    }
    return straddles(p->a, p->low, p->high) & straddles(p->b, p->low, p->high);
}

/// Lanes in which both have an edge that counts.
INLINE i8 edges_near(const planes* p, int32_t owns_a, i8 owns_b)
{
    f8 low = p->low * f8_all(CONTACT_EDGE_REACH);
    i8 any_a = i8_all(0), any_b = i8_all(0);
    for (int k = 0; k < 3; ++k) {
        int next = (k + 1) % 3;
        if (owns_a & OWN_EDGE << k) any_a |= ~beyond(p->a[k], p->a[next], low, p->high);
        any_b |= ~beyond(p->b[k], p->b[next], low, p->high) & i8_differ(owns_b & i8_all(OWN_EDGE << k), i8_all(0));
    }
    return any_a & any_b;
}

INLINE void look_closer(const contact_sift* s, uint32_t lane, i8 near, const facing* f, const planes* p, contact_sieve* out)
{
    int32_t owns_a = s->lanes_a->owns[lane];
    i8      owns_b = i8_load(s->lanes_b->owns);
    f8      limit = f8_all(CONTACT_FACING);
    for (int k = 0; k < 3; ++k) {
        i8 own_b = i8_differ(owns_b & i8_all(OWN_POINT << k), i8_all(0));
        out->point_of_a[k] =
            owns_a & OWN_POINT << k ? i8_bits(near & f8_less(f->a[k], limit) & ~beyond(p->a[k], p->a[k], p->low, p->high)) : 0;
        out->point_of_b[k] = i8_bits(near & own_b & f8_less(f->b[k], limit) & ~beyond(p->b[k], p->b[k], p->low, p->high));
        f8_store(out->a[k], p->a[k]);
        f8_store(out->b[k], p->b[k]);
    }
    out->edges = i8_bits(near & f8_less(dot8(s->b->normal, f->normal), limit) & edges_near(p, owns_a, owns_b));
    out->still = i8_bits(p->still);
    f8_store(out->low, p->low);
    f8_store(out->high, p->high);
}

/// Lanes of a whose boxes overlap that around all of b.
INLINE uint32_t lanes_near(const contact_sift* s)
{
    i8 mask = i8_all(-1);
    for (int k = 0; k < 3; ++k)
        mask &= f8_at_most(f8_load(s->a->min[k]), f8_all(s->node_b->max[k])) &
                f8_at_most(f8_all(s->node_b->min[k]), f8_load(s->a->max[k]));
    return i8_bits(mask);
}

void SUP_WIDE(sup_contact_sift)(const contact_sift* s, contact_sieve out[CONTACT_PACK])
{
    uint32_t lanes = lanes_near(s);
    for (uint32_t lane = 0; lane < CONTACT_PACK; ++lane) {
        facing f;
        planes p;
        out[lane].near = 0;
        if (!(lanes >> lane & 1)) continue;
        i8 near = boxes_overlap(s->a, lane, s->b);
        if (!i8_bits(near)) continue;
        near &= corners_face(s, lane, &f);
        if (!i8_bits(near)) continue;
        near &= planes_cross(s, lane, f.normal, &p);
        out[lane].near = i8_bits(near);
        if (out[lane].near) look_closer(s, lane, near, &f, &p, &out[lane]);
    }
}
