#include "geom/surface/clean.h"

#include "base/internal.h"
#include "base/sort.h"

#include <math.h>
#include <string.h>

// A triangle whose height is below this share of its longest side is a line: half a unit in the last place of its coordinates.
static const double line_height = 1.0 / (1 << 24);

// A surface with this many times the area of its bounding box encloses nothing. Characters have 0.2 to 0.8, one with a thousand
// hair cards about 2; in a soup of faces as large as the mesh it is about a hundredth of their number.
static const double crowding_most = 16;

static void difference(const sup_vec3* a, const sup_vec3* b, double out[3])
{
    out[0] = (double)a->x - (double)b->x;
    out[1] = (double)a->y - (double)b->y;
    out[2] = (double)a->z - (double)b->z;
}

static double square(const double v[3]) { return v[0] * v[0] + v[1] * v[1] + v[2] * v[2]; }

static void cross(const double e[3], const double f[3], double out[3])
{
    out[0] = e[1] * f[2] - e[2] * f[1];
    out[1] = e[2] * f[0] - e[0] * f[2];
    out[2] = e[0] * f[1] - e[1] * f[0];
}

static bool is_flat(const sup_vec3* points, const uint32_t* c)
{
    if (c[0] == c[1] || c[1] == c[2] || c[2] == c[0]) return true;
    if (!points) return false;
    double e[3], f[3], g[3], n[3];
    difference(&points[c[1]], &points[c[0]], e);
    difference(&points[c[2]], &points[c[0]], f);
    difference(&points[c[2]], &points[c[1]], g);
    cross(e, f, n);
    double longest = square(e) > square(f) ? square(e) : square(f);
    longest = square(g) > longest ? square(g) : longest;
    return !(square(n) > line_height * line_height * longest * longest); // twice the area is height times longest side
}

static void rising(const uint32_t* c, uint32_t out[3])
{
    uint32_t low = c[0] < c[1] ? c[0] : c[1], high = c[0] < c[1] ? c[1] : c[0];
    out[0] = low < c[2] ? low : c[2];
    out[2] = high > c[2] ? high : c[2];
    out[1] = c[2] < low ? low : c[2] > high ? high : c[2];
}

/// Marks all but the first of the faces with the same points. Sorted by the highest, then, stably, by the other two.
static sup_result mark_doubled(const uint32_t* triangles, uint32_t count, sup_arena* scratch, uint8_t* out, sup_clean* clean,
                               sup_error* error)
{
    sup_sort_item *items = SUP_NEW(scratch, sup_sort_item, count), *spare = SUP_NEW(scratch, sup_sort_item, count);
    uint32_t       kept = 0, c[3], last[3] = { 0 };
    if (!items || !spare) return sup_fail_memory(error, "a surface");
    for (uint32_t t = 0; t < count; ++t) {
        rising(triangles + 3 * (size_t)t, c);
        if (!out[t]) items[kept++] = (sup_sort_item){ c[2], t };
    }
    sup_sort(items, spare, kept);
    for (uint32_t i = 0; i < kept; ++i) {
        rising(triangles + 3 * (size_t)items[i].value, c);
        items[i].key = (uint64_t)c[0] << 32 | c[1];
    }
    sup_sort(items, spare, kept);
    for (uint32_t i = 0; i < kept; ++i) {
        rising(triangles + 3 * (size_t)items[i].value, c);
        out[items[i].value] = i > 0 && !memcmp(c, last, sizeof c);
        clean->doubled += out[items[i].value];
        memcpy(last, c, sizeof c);
    }
    return SUP_OK;
}

static sup_result list_rest(const uint32_t* triangles, uint32_t count, const uint8_t* left_out, sup_arena* arena,
                            sup_clean* out, sup_error* error)
{
    uint32_t  kept = count - out->flat - out->doubled;
    uint32_t* list = SUP_NEW(arena, uint32_t, 3 * (size_t)kept);
    if (!list) return sup_fail_memory(error, "a surface");
    out->triangles = list;
    out->triangle_count = kept;
    for (uint32_t t = 0; t < count; ++t) {
        if (left_out[t]) continue;
        memcpy(list, triangles + 3 * (size_t)t, 3 * sizeof *list);
        list += 3;
    }
    return SUP_OK;
}

static double measure_crowding(const sup_vec3* points, const sup_clean* clean)
{
    double area = 0, low[3] = { INFINITY, INFINITY, INFINITY }, high[3] = { -INFINITY, -INFINITY, -INFINITY }, e[3], f[3], n[3];
    for (size_t i = 0; i < 3 * (size_t)clean->triangle_count; i += 3) {
        const uint32_t* c = clean->triangles + i;
        difference(&points[c[1]], &points[c[0]], e);
        difference(&points[c[2]], &points[c[0]], f);
        cross(e, f, n);
        area += 0.5 * sqrt(square(n));
        for (int k = 0; k < 9; ++k) {
            double x = (double)(&points[c[k / 3]].x)[k % 3];
            low[k % 3] = fmin(low[k % 3], x), high[k % 3] = fmax(high[k % 3], x);
        }
    }
    for (int a = 0; a < 3; ++a) e[a] = high[a] - low[a];
    double box = 2 * (e[0] * e[1] + e[1] * e[2] + e[2] * e[0]);
    return box > 0 ? area / box : 0;
}

sup_result sup_clean_surface(const sup_vec3* points, uint32_t triangle_count, const uint32_t* triangles, sup_arena* arena,
                             sup_clean* out, sup_error* error)
{
    sup_arena* scratch = sup_arena_beside(arena);
    uint8_t*   left_out = scratch ? SUP_NEW(scratch, uint8_t, triangle_count) : NULL;
    sup_result result = left_out ? SUP_OK : sup_fail_memory(error, "a surface");
    *out = (sup_clean){ .triangle_count = triangle_count, .triangles = triangles };
    for (uint32_t t = 0; !result && t < triangle_count; ++t) {
        left_out[t] = is_flat(points, triangles + 3 * (size_t)t);
        out->flat += left_out[t];
    }
    if (!result) result = mark_doubled(triangles, triangle_count, scratch, left_out, out, error);
    if (!result && out->flat + out->doubled) result = list_rest(triangles, triangle_count, left_out, arena, out, error);
    if (!result && points) out->crowding = measure_crowding(points, out);
    sup_arena_destroy(scratch);
    return result;
}

sup_result sup_clean_body(const sup_vec3* points, uint32_t triangle_count, const uint32_t* triangles, sup_arena* arena,
                          sup_clean* out, sup_error* error)
{
    sup_result result = sup_clean_surface(points, triangle_count, triangles, arena, out, error);
    if (result || !(out->crowding > crowding_most)) return result;
    return sup_fail(error, SUP_ERROR_INPUT,
                    "the surface is %.0f times as large as the box around it: its faces cross each other, so it has no inside; "
                    "repair the mesh",
                    out->crowding);
}
