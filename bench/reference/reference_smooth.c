#include "bench/reference/reference.h"

#include <math.h>
#include <string.h>

static sup_vec3 minus(sup_vec3 a, sup_vec3 b) { return (sup_vec3){ a.x - b.x, a.y - b.y, a.z - b.z }; }
static sup_vec3 cross(sup_vec3 a, sup_vec3 b)
{
    return (sup_vec3){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}
static float    dot(sup_vec3 a, sup_vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static sup_vec3 unit(sup_vec3 a)
{
    float length = sqrtf(dot(a, a)), scale = length > 0 ? 1 / length : 0;
    return (sup_vec3){ a.x * scale, a.y * scale, a.z * scale };
}

/// Smooths into s->one and fills the normals of the result.
static void smooth(const reference_surface* s, uint32_t iterations, const sup_vec3* points)
{
    memcpy(s->one, points, s->point_count * sizeof *points);
    for (uint32_t turn = 0; turn < iterations; ++turn) {
        for (uint32_t p = 0; p < s->point_count; ++p) {
            uint32_t begin = s->ring_begin[p], end = s->ring_begin[p + 1];
            sup_vec3 own = s->one[p], sum = { 0, 0, 0 };
            s->two[p] = own;
            if (s->pinned[p] || begin == end) continue;
            for (uint32_t k = begin; k < end; ++k) {
                sup_vec3 q = s->one[s->ring[k]];
                sum.x += q.x, sum.y += q.y, sum.z += q.z;
            }
            float n = 1.0f / (float)(end - begin);
            s->two[p].x += 0.5f * (sum.x * n - own.x);
            s->two[p].y += 0.5f * (sum.y * n - own.y);
            s->two[p].z += 0.5f * (sum.z * n - own.z);
        }
        memcpy(s->one, s->two, s->point_count * sizeof *points);
    }
    memset(s->normals, 0, s->point_count * sizeof *s->normals);
    for (uint32_t t = 0; t < s->triangle_count; ++t) {
        const uint32_t* corner = s->triangles + 3 * (size_t)t;
        sup_vec3        n = cross(minus(s->one[corner[1]], s->one[corner[0]]), minus(s->one[corner[2]], s->one[corner[0]]));
        for (int k = 0; k < 3; ++k) {
            sup_vec3* to = &s->normals[corner[k]];
            to->x += n.x, to->y += n.y, to->z += n.z;
        }
    }
}

static void frame(const reference_surface* s, uint32_t p, sup_vec3 axes[3])
{
    sup_vec3 edge = minus(s->one[s->ring[s->ring_begin[p]]], s->one[p]);
    axes[2] = unit(s->normals[p]);
    axes[1] = unit(cross(axes[2], edge));
    axes[0] = cross(axes[1], axes[2]);
}

void reference_smooth_bind(const reference_surface* s, uint32_t iterations, const sup_vec3* rest)
{
    smooth(s, iterations, rest);
    for (uint32_t p = 0; p < s->point_count; ++p) {
        s->details[p] = (sup_vec3){ 0, 0, 0 };
        if (s->ring_begin[p] == s->ring_begin[p + 1]) continue;
        sup_vec3 axes[3], d = minus(rest[p], s->one[p]);
        frame(s, p, axes);
        s->details[p] = (sup_vec3){ dot(axes[0], d), dot(axes[1], d), dot(axes[2], d) };
    }
}

void reference_smooth(const reference_surface* s, uint32_t iterations, const sup_vec3* points, sup_vec3* out)
{
    smooth(s, iterations, points);
    for (uint32_t p = 0; p < s->point_count; ++p) {
        out[p] = s->one[p];
        if (s->ring_begin[p] == s->ring_begin[p + 1]) continue;
        sup_vec3 axes[3], d = s->details[p];
        frame(s, p, axes);
        out[p].x += axes[0].x * d.x + axes[1].x * d.y + axes[2].x * d.z;
        out[p].y += axes[0].y * d.x + axes[1].y * d.y + axes[2].y * d.z;
        out[p].z += axes[0].z * d.x + axes[1].z * d.y + axes[2].z * d.z;
    }
}
