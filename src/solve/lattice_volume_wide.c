#include "solve/lattice_volume.h"

typedef struct v8 {
    fr x, y, z;
} v8;

static inline v8 add(v8 a, v8 b) { return (v8){ a.x + b.x, a.y + b.y, a.z + b.z }; }
static inline v8 cross(v8 a, v8 b) { return (v8){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x }; }
static inline fr dot(v8 a, v8 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

static inline fr root(fr x)
{
    fr r;
    for (int i = 0; i < SUP_REGISTER; ++i) r[i] = __builtin_sqrtf(x[i]);
    return r;
}

static inline v8 gather(const float* planes, uint32_t stride, const uint32_t* index)
{
    return (v8){ fr_gather(planes, 1, index), fr_gather(planes + stride, 1, index), fr_gather(planes + 2 * stride, 1, index) };
}

void SUP_WIDE(sup_lattice_field)(const sup_lattice_field_job* j)
{
    const sup_lattice_volume* v = j->volume;
    const sup_vec3            o = j->points[j->part->origin];
    fr                        scale = fr_all((float)(1.0 / v->h)), tiny = fr_all(1e-12f), one = fr_all(1);
    for (uint32_t m = j->part->member_begin; m < j->part->member_end; m += SUP_REGISTER) {
        const uint32_t* slot = v->members + m;
        float*          to = j->planes + (m - j->part->member_begin);
        const float*    p = &j->points->x;
        fr_store(to, scale * (fr_gather(p, 3, slot) - fr_all(o.x)));
        fr_store(to + j->stride, scale * (fr_gather(p + 1, 3, slot) - fr_all(o.y)));
        fr_store(to + 2 * j->stride, scale * (fr_gather(p + 2, 3, slot) - fr_all(o.z)));
        if (!j->matrices) continue;
        const float *a = &j->matrices->m[0][0], *u = &v->outward->x;
        fr           row[3], ux = fr_gather(u, 3, slot), uy = fr_gather(u + 1, 3, slot), uz = fr_gather(u + 2, 3, slot);
        for (int i = 0; i < 3; ++i)
            row[i] = fr_gather(a + 3 * i, 9, slot) * ux + fr_gather(a + 3 * i + 1, 9, slot) * uy +
                     fr_gather(a + 3 * i + 2, 9, slot) * uz;
        fr length2 = row[0] * row[0] + row[1] * row[1] + row[2] * row[2];
        ir sound = length2 > tiny; // a direction that skinning has folded away is none
        fr size = fr_select(sound, fr_load(v->weights + m) / root(fr_select(sound, length2, one)), fr_all(0));
        for (uint32_t i = 0; i < 3; ++i) fr_store(to + (3 + i) * j->stride, size * row[i]);
    }
}

// With S = (a x b) . (c + d) + (a + b) . (c x d), twelve times the volume of a patch, and all four corners moving along l:
// products of polynomials.
void SUP_WIDE(sup_lattice_cubic)(const sup_lattice_field_job* j, double out[4])
{
    const float* field = j->planes + 3 * (size_t)j->stride;
    bool         moves = j->matrices != NULL;
    for (int i = 0; i < 4; ++i) out[i] = 0;
    for (uint32_t block = j->part->block_begin; block < j->part->block_end; ++block) {
        float sums[4][SUP_LANES];
        for (uint32_t lane = 0; lane < SUP_LANES; lane += SUP_REGISTER) {
            const uint32_t* index = j->volume->faces + 4 * SUP_LANES * (size_t)block + lane;
            v8              x[4], m[4];
            for (int k = 0; k < 4; ++k) x[k] = gather(j->planes, j->stride, index + 8 * k);
            v8 f = add(x[0], x[1]), e = add(x[2], x[3]), ab = cross(x[0], x[1]), cd = cross(x[2], x[3]);
            fr_store(sums[0] + lane, dot(ab, e) + dot(f, cd));
            if (!moves) continue;
            for (int k = 0; k < 4; ++k) m[k] = gather(field, j->stride, index + 8 * k);
            v8 df = add(m[0], m[1]), de = add(m[2], m[3]);
            v8 ab1 = add(cross(x[0], m[1]), cross(m[0], x[1])), ab2 = cross(m[0], m[1]);
            v8 cd1 = add(cross(x[2], m[3]), cross(m[2], x[3])), cd2 = cross(m[2], m[3]);
            fr_store(sums[1] + lane, (dot(ab1, e) + dot(ab, de)) + (dot(df, cd) + dot(f, cd1)));
            fr_store(sums[2] + lane, (dot(ab2, e) + dot(ab1, de)) + (dot(df, cd1) + dot(f, cd2)));
            fr_store(sums[3] + lane, dot(ab2, de) + dot(df, cd2));
        }
        for (int i = 0; i < (moves ? 4 : 1); ++i) out[i] += (double)f8_sum(f8_load(sums[i]));
    }
    for (int i = 0; i < 4; ++i) out[i] /= 12;
}
