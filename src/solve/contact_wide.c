// Every triangle of one pack against the eight of another.
#include "solve/contact_internal.h"

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
        mask &= (f8_all(a->min[k][lane]) <= f8_load(b->max[k])) & (f8_load(b->min[k]) <= f8_all(a->max[k][lane]));
    return mask;
}

/// Lanes in which three heights are not all above and not all below.
INLINE i8 straddles(f8 x, f8 y, f8 z, f8 low, f8 high)
{
    return (f8_min(f8_min(x, y), z) <= high) & (f8_max(f8_max(x, y), z) >= low);
}

INLINE i8 planes_cross(const contact_pack* a, uint32_t lane, const contact_pack* b, float margin, float reach)
{
    f8 unit = f8_max(f8_all(a->unit[lane]), f8_load(b->unit)), square = f8_all(0), normal[3], place[3], h[3];
    for (int k = 0; k < 3; ++k) {
        f8 d = f8_all(a->way[k][lane]) - f8_load(b->way[k]);
        square += d * d;
    }
    f8 ways = f8_sqrt(square) + f8_all(a->stray[lane]) + f8_load(b->stray);
    f8 high = f8_all(margin) * unit + ways, low = -(f8_all(reach) * unit + ways);
    for (int k = 0; k < 3; ++k) {
        spread(a->corners[k], lane, place);
        h[k] = dot8(b->normal, place) - f8_load(b->offset);
    }
    i8 mask = straddles(h[0], h[1], h[2], low, high);
    spread(a->normal, lane, normal);
    for (int k = 0; k < 3; ++k) h[k] = dot8(b->corners[k], normal) - f8_all(a->offset[lane]);
    return mask & straddles(h[0], h[1], h[2], low, high);
}

INLINE i8 corners_face(const contact_pack* a, uint32_t lane, const contact_pack* b)
{
    f8 normal[3], facing[3], least = f8_all(1);
    spread(a->normal, lane, normal);
    for (int k = 0; k < 3; ++k) {
        spread(a->facing[k], lane, facing);
        least = f8_min(least, f8_min(dot8(b->normal, facing), dot8(b->facing[k], normal)));
    }
    return least < f8_all(CONTACT_FACING);
}

void SUP_WIDE(sup_contact_sift)(const contact_pack* a, const contact_pack* b, float margin, float reach,
                                uint32_t out[CONTACT_PACK])
{
    for (uint32_t lane = 0; lane < CONTACT_PACK; ++lane) {
        i8 mask = boxes_overlap(a, lane, b);
        out[lane] = i8_bits(mask);
        if (!out[lane]) continue;
        out[lane] = i8_bits(mask & corners_face(a, lane, b));
        if (!out[lane]) continue;
        out[lane] &= i8_bits(planes_cross(a, lane, b, margin, reach));
    }
}
