// The sums of solve/particles/subvolumes_run.c over blocks of eight points of a part. Each lane sums in double, and the lanes
// are added in a fixed order.
#include "solve/particles/subvolumes_internal.h"

typedef double d4 __attribute__((vector_size(32)));

typedef struct sum8 {
    d4 low, high;
} sum8;

static inline void sum8_add(sum8* s, f8 x)
{
    s->low += __builtin_convertvector(__builtin_shufflevector(x, x, 0, 1, 2, 3), d4);
    s->high += __builtin_convertvector(__builtin_shufflevector(x, x, 4, 5, 6, 7), d4);
}

static inline double sum8_total(const sum8* s)
{
    d4 both = s->low + s->high;
    return (both[0] + both[1]) + (both[2] + both[3]);
}

// A sixth of the sum of (p - a) x (q - a) over the triangles a, p, q around a.
double SUP_WIDE(sup_subvolume_slopes)(const sup_subvolumes* s, const subvolume_part* part, const subvolume_workspace* workspace)
{
    const float* places = &workspace->places->x;
    sum8         total = { 0 };
    for (uint32_t b = 0; b < part->block_count; ++b) {
        const uint32_t *row = s->paths + 8 * (size_t)s->path_begin[part->block_begin + b],
                       *end = s->paths + 8 * (size_t)s->path_begin[part->block_begin + b + 1];
        f8 a[4], q[4], p[3], g[4] = { 0 };
        f8_load4(places + 32 * (size_t)b, a);
        f8_gather4(places, row, q);
        for (int i = 0; i < 3; ++i) p[i] = q[i] - a[i];
        while ((row += 8) < end) {
            f8_gather4(places, row, q);
            f8 x = q[0] - a[0], y = q[1] - a[1], z = q[2] - a[2];
            g[0] += p[1] * z - p[2] * y;
            g[1] += p[2] * x - p[0] * z;
            g[2] += p[0] * y - p[1] * x;
            p[0] = x, p[1] = y, p[2] = z;
        }
        f8     sixth = f8_all(1.0f / 6.0f);
        float* out = &workspace->gradients[8 * (size_t)b].x;
        for (int i = 0; i < 3; ++i) f8_store(out + 8 * i, g[i] *= sixth);
        f8_store(out + 24, a[3]);
        sum8_add(&total, g[0] * a[0] + g[1] * a[1] + g[2] * a[2]);
    }
    return sum8_total(&total);
}

double SUP_WIDE(sup_subvolume_stiffness)(const subvolume_part* part, const subvolume_workspace* workspace, float* largest)
{
    sum8 total = { 0 };
    f8   most = f8_all(0);
    for (uint32_t b = 0; b < part->block_count; ++b) {
        const float* g = &workspace->gradients[8 * (size_t)b].x;
        f8           x = f8_load(g), y = f8_load(g + 8), z = f8_load(g + 16), share = f8_load(g + 24);
        f8           square = x * x + y * y + z * z;
        sum8_add(&total, share * square);
        most = f8_max(share * share * square, most);
    }
    *largest = 0;
    for (int i = 0; i < SUP_LANES; ++i) *largest = most[i] > *largest ? most[i] : *largest;
    return sum8_total(&total);
}

double SUP_WIDE(sup_subvolume_flux)(const sup_subvolumes* s, const subvolume_part* part, const subvolume_workspace* workspace,
                                    const sup_vec4* v)
{
    sum8 total = { 0 };
    for (uint32_t b = 0; b < part->block_count; ++b) {
        const float* g = &workspace->gradients[8 * (size_t)b].x;
        f8           at[4];
        f8_gather4(&v->x, s->points + 8 * (size_t)(part->block_begin + b), at);
        sum8_add(&total, f8_load(g) * at[0] + f8_load(g + 8) * at[1] + f8_load(g + 16) * at[2]);
    }
    return sum8_total(&total);
}

// Padding moves the part's first point by zero.
void SUP_WIDE(sup_subvolume_move)(const sup_subvolumes* s, const subvolume_part* part, const subvolume_workspace* workspace,
                                  float scale, sup_vec4* x)
{
    for (uint32_t b = 0; b < part->block_count; ++b) {
        const uint32_t* list = s->points + 8 * (size_t)(part->block_begin + b);
        const float*    g = &workspace->gradients[8 * (size_t)b].x;
        f8              way = f8_all(scale) * f8_load(g + 24);
        float           ways[32];
        f8_store4(ways, (f8[4]){ way * f8_load(g), way * f8_load(g + 8), way * f8_load(g + 16), f8_all(0) });
        for (int i = 0; i < SUP_LANES; ++i) {
            f4 at = f4_load(&x[list[i]].x) + f4_load(ways + 4 * i);
            memcpy(&x[list[i]], &at, sizeof at);
        }
    }
}
