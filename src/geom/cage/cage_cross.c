// Pairs of triangles of one surface that pass through each other, by buckets of space.
#include "base/internal.h"
#include "geom/cage/cage_internal.h"
#include "geom/search/bvh.h"
#include "geom/search/intersect.h"
#include "math/vec.h"

#include <math.h>

// Most buckets along a side, and the size of a bucket relative to a triangle.
enum { SIDE_MOST = 96 };
#define BUCKET_TRIANGLES 1.5f

typedef struct buckets {
    float    low[3], scale;
    uint32_t size[3];
    sup_box* boxes;
} buckets;

static sup_box box_of(const sup_vec3* points, const uint32_t* c)
{
    sup_vec3 low = v3_min(points[c[0]], v3_min(points[c[1]], points[c[2]]));
    sup_vec3 high = v3_max(points[c[0]], v3_max(points[c[1]], points[c[2]]));
    return (sup_box){ { low.x, low.y, low.z }, { high.x, high.y, high.z } };
}

static uint32_t slot(const buckets* b, int a, float x)
{
    float i = floorf((x - b->low[a]) * b->scale);
    return i < 0 ? 0 : i > (float)(b->size[a] - 1) ? b->size[a] - 1 : (uint32_t)i;
}

static void lay_out(buckets* b, const sup_vec3* points, const uint32_t* triangles, uint32_t count)
{
    float  high[3] = { -INFINITY, -INFINITY, -INFINITY }, widest = 0;
    double mean = 0;
    for (int a = 0; a < 3; ++a) b->low[a] = INFINITY;
    for (uint32_t t = 0; t < count; ++t) {
        b->boxes[t] = box_of(points, triangles + 3 * (size_t)t);
        float longest = 0;
        for (int a = 0; a < 3; ++a) {
            b->low[a] = fminf(b->low[a], b->boxes[t].min[a]);
            high[a] = fmaxf(high[a], b->boxes[t].max[a]);
            longest = fmaxf(longest, b->boxes[t].max[a] - b->boxes[t].min[a]);
        }
        mean += (double)longest;
    }
    for (int a = 0; a < 3; ++a) widest = fmaxf(widest, high[a] - b->low[a]);
    float side = fmaxf(BUCKET_TRIANGLES * (float)(mean / (count ? count : 1)), widest / (SIDE_MOST - 1));
    b->scale = side > 0 ? 1 / side : 0;
    for (int a = 0; a < 3; ++a) {
        float n = floorf((high[a] - b->low[a]) * b->scale) + 1;
        b->size[a] = n >= 1 && n <= SIDE_MOST ? (uint32_t)n : n > SIDE_MOST ? SIDE_MOST : 1;
    }
}

static void spread(const buckets* b, uint32_t count, uint32_t* begin, uint32_t* items)
{
    for (uint32_t t = 0; t < count; ++t) {
        const sup_box* box = &b->boxes[t];
        for (uint32_t z = slot(b, 2, box->min[2]); z <= slot(b, 2, box->max[2]); ++z)
            for (uint32_t y = slot(b, 1, box->min[1]); y <= slot(b, 1, box->max[1]); ++y)
                for (uint32_t x = slot(b, 0, box->min[0]); x <= slot(b, 0, box->max[0]); ++x) {
                    uint32_t* at = &begin[x + b->size[0] * (y + (size_t)b->size[1] * z)];
                    if (items) items[*at] = t;
                    ++*at;
                }
    }
}

static bool cross(const sup_vec3* p, const uint32_t* s, const uint32_t* t)
{
    sup_vec3 a[3] = { p[s[0]], p[s[1]], p[s[2]] }, b[3] = { p[t[0]], p[t[1]], p[t[2]] };
    return sup_triangles_cross(a, b);
}

static uint64_t pair_count(const uint32_t* begin, uint32_t total)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < total; ++i) sum += (uint64_t)(begin[i + 1] - begin[i]) * (begin[i + 1] - begin[i]) / 2;
    return sum;
}

static void cross_bucket(const buckets* b, const sup_vec3* points, const uint32_t* triangles, const uint32_t* items,
                         uint32_t count, uint8_t* own)
{
    for (uint32_t k = 0; k < count; ++k)
        for (uint32_t l = 0; l < k; ++l) {
            uint32_t s = items[l], t = items[k];
            if ((own[s] && own[t]) || !sup_box_overlap(&b->boxes[s], &b->boxes[t])) continue;
            if (cross(points, triangles + 3 * (size_t)s, triangles + 3 * (size_t)t)) own[s] = own[t] = 1;
        }
}

sup_result cage_crossings(const sup_vec3* points, const uint32_t* triangles, uint32_t count, uint64_t tests_most,
                          sup_arena* scratch, uint8_t* marks, uint32_t* out, sup_error* error)
{
    sup_arena* temporary = sup_arena_beside(scratch);
    buckets    b = { .boxes = temporary ? SUP_NEW(temporary, sup_box, count) : NULL };
    uint8_t*   own = temporary ? SUP_NEW(temporary, uint8_t, count) : NULL;
    uint32_t * begin = NULL, *items = NULL, total = 0;
    if (b.boxes && own) {
        lay_out(&b, points, triangles, count);
        total = b.size[0] * b.size[1] * b.size[2];
        begin = SUP_NEW(temporary, uint32_t, (size_t)total + 2);
    }
    if (begin) {
        spread(&b, count, begin + 2, NULL);
        for (uint32_t i = 2; i < total + 2; ++i) begin[i] += begin[i - 1];
        items = SUP_NEW(temporary, uint32_t, begin[total + 1]);
        if (items) spread(&b, count, begin + 1, items);
    }
    *out = 0;
    bool too_many = items && pair_count(begin, total) > tests_most;
    for (uint32_t i = 0; items && !too_many && i < total; ++i)
        cross_bucket(&b, points, triangles, items + begin[i], begin[i + 1] - begin[i], own);
    for (uint32_t t = 0; items && t < count; ++t) {
        *out += too_many || own[t];
        if (marks) marks[t] = too_many || own[t];
    }
    sup_arena_destroy(temporary);
    return items ? SUP_OK : sup_fail_memory(error, "a cage");
}
