// Eight triangles at a time: one cross product and two angles serve three corners.
#include "math/trig.h"
#include "scene/normals.h"

#include <float.h>

#define FLAT_SHAPE2 1e-12f // square of twice the area over the longest edge squared

typedef struct f8x3 {
    f8 x, y, z;
} f8x3;

static inline f8x3 subtract(f8x3 a, f8x3 b) { return (f8x3){ a.x - b.x, a.y - b.y, a.z - b.z }; }
static inline f8   dot(f8x3 a, f8x3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

// acos(c) = sqrt(1 - |c|) P(|c|), mirrored for c < 0. P is our minimax fit of degree 5: 6.4e-7 radians at most.
static inline f8 arc_cosine(f8 c)
{
    f8 x = f8_min(f8_abs(c), f8_all(1.0f));
    f8 p = f8_all(-0.004911177711f);
    p = p * x + f8_all(0.02062006749f);
    p = p * x + f8_all(-0.04592723207f);
    p = p * x + f8_all(0.08817105423f);
    p = p * x + f8_all(-0.2145428168f);
    p = p * x + f8_all(1.57079569f);
    f8 angle = f8_sqrt(f8_all(1.0f) - x) * p;
    return f8_select(c < f8_all(0.0f), f8_all((float)SUP_PI) - angle, angle);
}

/// Corner `which` of eight triangles; lanes beyond the last repeat it.
static inline f8x3 gather(const uint32_t* triangles, uint32_t begin, uint32_t last, int which, const sup_vec3* points)
{
    float x[SUP_LANES], y[SUP_LANES], z[SUP_LANES];
    for (uint32_t i = 0; i < SUP_LANES; ++i) {
        uint32_t        t = begin + i < last ? begin + i : last;
        const sup_vec3* p = &points[triangles[3 * (size_t)t + (size_t)which]];
        x[i] = p->x, y[i] = p->y, z[i] = p->z;
    }
    return (f8x3){ f8_load(x), f8_load(y), f8_load(z) };
}

void SUP_WIDE(sup_normals_triangles)(const uint32_t* triangles, uint32_t begin, uint32_t end, const sup_vec3* points,
                                     sup_triangle_normal* out)
{
    f8 zero = f8_all(0.0f), one = f8_all(1.0f);
    for (uint32_t t = begin; t < end; t += SUP_LANES) {
        f8x3 a = gather(triangles, t, end - 1, 0, points);
        f8x3 b = gather(triangles, t, end - 1, 1, points);
        f8x3 c = gather(triangles, t, end - 1, 2, points);
        f8x3 ab = subtract(b, a), ac = subtract(c, a), bc = subtract(c, b);
        f8x3 n = { ab.y * ac.z - ab.z * ac.y, ab.z * ac.x - ab.x * ac.z, ab.x * ac.y - ab.y * ac.x };
        f8   ab2 = dot(ab, ab), ac2 = dot(ac, ac), bc2 = dot(bc, bc), n2 = dot(n, n);
        f8   longest2 = f8_max(f8_max(ab2, ac2), bc2);
        // Comparisons with NaN are false, so such triangles count as flat too.
        i8 sound = (n2 > f8_all(FLAT_SHAPE2) * longest2 * longest2) & (n2 < f8_all(FLT_MAX)) & (ab2 * bc2 > zero) &
                   (ab2 * ac2 > zero) & (longest2 * longest2 < f8_all(FLT_MAX));
        f8 scale = one / f8_sqrt(f8_select(sound, n2, one));
        f8 at_a = arc_cosine(dot(ab, ac) / f8_sqrt(f8_select(sound, ab2 * ac2, one)));
        f8 at_b = arc_cosine(zero - dot(ab, bc) / f8_sqrt(f8_select(sound, ab2 * bc2, one)));
        f8 at_c = f8_max(f8_all((float)SUP_PI) - at_a - at_b, zero);

        const f8 columns[6] = { n.x * scale, n.y * scale, n.z * scale, at_a, at_b, at_c };
        float    rows[6][SUP_LANES];
        for (int i = 0; i < 6; ++i) f8_store(rows[i], f8_select(sound, columns[i], zero));
        uint32_t count = end - t < SUP_LANES ? end - t : SUP_LANES;
        for (uint32_t i = 0; i < count; ++i)
            out[t + i] = (sup_triangle_normal){
                { rows[0][i], rows[1][i], rows[2][i] }, 0.0f, { rows[3][i], rows[4][i], rows[5][i] }, 0.0f
            };
    }
}
