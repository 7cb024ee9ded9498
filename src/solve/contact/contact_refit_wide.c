// The eight triangles of a pack: their boxes and normals; for packs that are looked at in pairs, planes and ways too.
#include "solve/contact/contact_internal.h"

static const float length_least = 1e-20f; // as in math/vec.h: shorter has no direction

typedef struct v8 {
    f8 x, y, z;
} v8;

static inline v8 sub(v8 a, v8 b) { return (v8){ a.x - b.x, a.y - b.y, a.z - b.z }; }
static inline v8 add(v8 a, v8 b) { return (v8){ a.x + b.x, a.y + b.y, a.z + b.z }; }
static inline v8 scale(v8 a, f8 s) { return (v8){ a.x * s, a.y * s, a.z * s }; }
static inline f8 dot(v8 a, v8 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline v8 cross(v8 a, v8 b) { return (v8){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x }; }
static inline v8 least(v8 a, v8 b) { return (v8){ f8_min(a.x, b.x), f8_min(a.y, b.y), f8_min(a.z, b.z) }; }
static inline v8 most(v8 a, v8 b) { return (v8){ f8_max(a.x, b.x), f8_max(a.y, b.y), f8_max(a.z, b.z) }; }
static inline v8 select(i8 mask, v8 a, v8 b)
{
    return (v8){ f8_select(mask, a.x, b.x), f8_select(mask, a.y, b.y), f8_select(mask, a.z, b.z) };
}
static inline v8 all(float x, float y, float z) { return (v8){ f8_all(x), f8_all(y), f8_all(z) }; }
static inline i8 finite(f8 x) { return f8_abs(x) < f8_all(__builtin_inff()); }
static inline i8 finite3(v8 a) { return finite(a.x) & finite(a.y) & finite(a.z); }

static inline v8 gather(const sup_vec4* x, const uint32_t* index)
{
    f8 rows[4];
    f8_gather4(&x->x, index, rows);
    return (v8){ rows[0], rows[1], rows[2] };
}

static inline void store3(float to[3][CONTACT_PACK], v8 a)
{
    f8_store(to[0], a.x);
    f8_store(to[1], a.y);
    f8_store(to[2], a.z);
}

typedef struct lanes {
    const contact_lanes* made;
    uint32_t             first, count;
    i8                   real;
} lanes;

static inline lanes lanes_of(const sup_contact* c, uint32_t p)
{
    uint32_t first = contact_pack_begin(c, p);
    return (lanes){ &c->lanes[p], first, contact_pack_begin(c, p + 1) - first, i8_load(c->lanes[p].real) };
}

/// Area vectors are for the normals of points, which look them up by slot.
static inline void write_areas(const contact_search* s, const lanes* l, v8 area)
{
    float rows[32];
    f8_store4(rows, (f8[4]){ area.x, area.y, area.z, f8_all(0) });
    for (uint32_t k = 0; k < l->count; ++k) memcpy(&s->m.areas[l->first + k], rows + 4 * k, 12);
}

/// Swept from where the corners are to where they are expected.
static inline void measure_boxes(const contact_search* s, const lanes* l, contact_pack* pack, const v8 from[3], const v8 to[3])
{
    v8 low = to[0], high = to[0], sum = all(0, 0, 0);
    for (int k = 0; k < 3; ++k) {
        low = least(low, least(from[k], to[k]));
        high = most(high, most(from[k], to[k]));
        sum = add(sum, add(from[k], to[k]));
    }
    f8    grow = f8_all(s->c->grow) * f8_load(l->made->unit);
    i8    real = i8_load(l->made->solid) & finite3(sum);
    float nowhere = __builtin_inff();
    low = select(real, sub(low, (v8){ grow, grow, grow }), all(nowhere, nowhere, nowhere));
    high = select(real, add(high, (v8){ grow, grow, grow }), all(-nowhere, -nowhere, -nowhere));
    store3(pack->min, low);
    store3(pack->max, high);
}

/// Only what two triangles do not do together brings them nearer: the mean way is taken apart from what a corner adds to it.
static inline void measure_ways(const lanes* l, contact_pack* pack, const v8 from[3], const v8 to[3])
{
    v8 ways[3], mean = all(0, 0, 0);
    f8 square = f8_all(0);
    for (int k = 0; k < 3; ++k) {
        ways[k] = sub(to[k], from[k]);
        mean = add(mean, scale(ways[k], f8_all(1.0f / 3)));
    }
    for (int k = 0; k < 3; ++k) {
        v8 apart = sub(ways[k], mean);
        square = f8_max(square, dot(apart, apart));
    }
    store3(pack->way, select(l->real, mean, all(0, 0, 0)));
    f8_store(pack->stray, f8_select(l->real, f8_sqrt(square), f8_all(0)));
}

static inline void measure_normals(const contact_search* s, const lanes* l, contact_pack* pack, const v8 to[3])
{
    v8 none = all(0, 0, 0), area = cross(sub(to[1], to[0]), sub(to[2], to[0]));
    area = select(finite3(area) & l->real, scale(area, f8_all(s->c->side)), none);
    f8 length = f8_sqrt(dot(area, area));
    i8 sound = (length > f8_all(length_least)) & finite(length);
    write_areas(s, l, area);
    store3(pack->normal, select(sound, scale(area, f8_all(1) / f8_select(sound, length, f8_all(1))), none));
}

static void bound_pack(const contact_pack* pack, contact_node* node)
{
    for (int axis = 0; axis < 3; ++axis) {
        float low = pack->min[axis][0], high = pack->max[axis][0];
        for (uint32_t k = 1; k < CONTACT_PACK; ++k) {
            low = contact_min(low, pack->min[axis][k]);
            high = contact_max(high, pack->max[axis][k]);
        }
        node->min[axis] = low;
        node->max[axis] = high;
    }
}

/// Where the corners are, and where they are expected.
static inline void gather_ways(const contact_search* s, const lanes* l, v8 from[3], v8 to[3])
{
    v8 shift = all(s->shift.x, s->shift.y, s->shift.z);
    for (int k = 0; k < 3; ++k) {
        to[k] = gather(s->to, l->made->corners[k]);
        from[k] = add(gather(s->from, l->made->corners[k]), shift);
    }
}

void SUP_WIDE(sup_contact_measure)(const contact_search* s, uint32_t begin, uint32_t end)
{
    for (uint32_t p = begin; p < end; ++p) {
        contact_pack* pack = &s->m.packs[p];
        lanes         l = lanes_of(s->c, p);
        v8            from[3], to[3];
        gather_ways(s, &l, from, to);
        measure_normals(s, &l, pack, to);
        measure_boxes(s, &l, pack, from, to);
        bound_pack(pack, &s->m.nodes[s->c->pack_count + p]);
    }
}

/// The least cosine between an axis and the normals of a pack's triangles and of their corners.
static inline float least_cosine(const contact_search* s, const lanes* l, const contact_pack* pack, v8 axis)
{
    f8 least = f8_all(1),
       cosine = dot(axis, (v8){ f8_load(pack->normal[0]), f8_load(pack->normal[1]), f8_load(pack->normal[2]) });
    least = f8_min(least, f8_select(l->real, cosine, least));
    for (int k = 0; k < 3; ++k)
        least = f8_min(least, f8_select(l->real, dot(axis, gather(s->m.facings, l->made->corners[k])), least));
    float lowest = least[0];
    for (int k = 1; k < SUP_LANES; ++k) lowest = contact_min(lowest, least[k]);
    return lowest;
}

void SUP_WIDE(sup_contact_cones)(const contact_search* s, uint32_t begin, uint32_t end)
{
    for (uint32_t p = begin; p < end; ++p) {
        contact_node*       node = &s->m.nodes[s->c->pack_count + p];
        const contact_pack* pack = &s->m.packs[p];
        lanes               l = lanes_of(s->c, p);
        float               sum[3] = { 0 };
        for (uint32_t k = 0; k < l.count; ++k)
            for (int i = 0; i < 3; ++i) sum[i] += pack->normal[i][k];
        float length = __builtin_sqrtf(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
        contact_open_cone(node);
        if (!(length > length_least)) continue; // normals that cancel out
        for (int i = 0; i < 3; ++i) sum[i] *= 1.0f / length;
        float least = least_cosine(s, &l, pack, all(sum[0], sum[1], sum[2]));
        if (!(least > 0.01f)) continue; // a missing normal is zero and opens the cone
        memcpy(node->axis, sum, sizeof sum);
        node->cosine = least;
        least = 1 - least * least;
        node->sine = __builtin_sqrtf(least > 0 ? least : 0);
    }
}

void SUP_WIDE(sup_contact_detail)(const contact_search* s, uint32_t begin, uint32_t end)
{
    for (uint32_t i = begin; i < end; ++i) {
        contact_pack* pack = &s->m.packs[s->m.wanted[i]];
        lanes         l = lanes_of(s->c, s->m.wanted[i]);
        v8            from[3], to[3], none = all(0, 0, 0);
        v8            normal = { f8_load(pack->normal[0]), f8_load(pack->normal[1]), f8_load(pack->normal[2]) };
        gather_ways(s, &l, from, to);
        measure_ways(&l, pack, from, to);
        f8_store(pack->offset, f8_select(l.real, dot(normal, to[0]), f8_all(0)));
        f8_store(pack->unit, f8_load(l.made->unit));
        for (int k = 0; k < 3; ++k) {
            store3(pack->corners[k], select(l.real, to[k], none));
            store3(pack->facing[k], select(l.real, gather(s->m.facings, l.made->corners[k]), none));
        }
    }
}
