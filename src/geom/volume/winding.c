#include "geom/volume/winding.h"

#include "base/internal.h"
#include "geom/search/descent.h"
#include "math/trig.h"

#include <math.h>

// Nodes at least this many radii away count as one dipole.
#define FAR_RADII 2.0

static double dot3(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void cross3(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static void from(const sup_vec3* p, const double origin[3], double out[3])
{
    out[0] = (double)p->x - origin[0];
    out[1] = (double)p->y - origin[1];
    out[2] = (double)p->z - origin[2];
}

static double length3(const double a[3]) { return sqrt(dot3(a, a)); }

// Area-weighted, so a leaf's center lies where its surface is.
static void add_triangle(const sup_winding* w, uint32_t slot, double area[3], double center[3], double* weight)
{
    static const double zero[3] = { 0 };
    double              a[3], ab[3], ac[3], n[3];
    const uint32_t*     c = w->bvh.corners + 3 * (size_t)slot;
    from(&w->points[c[0]], zero, a);
    from(&w->points[c[1]], a, ab);
    from(&w->points[c[2]], a, ac);
    cross3(ab, ac, n);
    double size = length3(n) / 2;
    for (int i = 0; i < 3; ++i) {
        area[i] += n[i] / 2;
        center[i] += size * (a[i] + (ab[i] + ac[i]) / 3);
    }
    *weight += size;
}

static void make_leaf(const sup_winding* w, uint32_t leaf, sup_dipole* out, double* weight)
{
    double center[3] = { 0 };
    *weight = 0;
    *out = (sup_dipole){ { 0 }, { 0 }, 0 };
    uint32_t begin = w->bvh.leaf_begin[leaf], end = w->bvh.leaf_begin[leaf + 1];
    for (uint32_t s = begin; s < end; ++s) add_triangle(w, s, out->area, center, weight);
    for (int i = 0; i < 3 && *weight > 0; ++i) out->center[i] = center[i] / *weight;
    for (uint32_t i = 3 * begin; i<3 * end&& * weight> 0; ++i) {
        double arm[3];
        from(&w->points[w->bvh.corners[i]], out->center, arm);
        out->radius = fmax(out->radius, length3(arm));
    }
}

static void join(const sup_dipole* a, double weight_a, const sup_dipole* b, double weight_b, sup_dipole* out)
{
    double total = weight_a + weight_b, arm_a[3], arm_b[3];
    *out = (sup_dipole){ { 0 }, { 0 }, 0 };
    if (!(total > 0)) return;
    for (int i = 0; i < 3; ++i) {
        out->center[i] = (a->center[i] * weight_a + b->center[i] * weight_b) / total;
        out->area[i] = a->area[i] + b->area[i];
        arm_a[i] = a->center[i] - out->center[i];
        arm_b[i] = b->center[i] - out->center[i];
    }
    if (weight_a > 0) out->radius = length3(arm_a) + a->radius;
    if (weight_b > 0) out->radius = fmax(out->radius, length3(arm_b) + b->radius);
}

sup_result sup_winding_create(const sup_vec3* points, const uint32_t* triangles, uint32_t triangle_count, sup_arena* arena,
                              sup_winding* out, sup_error* error)
{
    *out = (sup_winding){ .points = points, .tests = SUP_WINDING_TESTS };
    sup_result result = sup_bvh_create(points, triangles, triangle_count, arena, &out->bvh, error);
    if (result != SUP_OK) return result;
    uint32_t    leaves = out->bvh.leaf_count;
    sup_dipole* nodes = SUP_NEW(arena, sup_dipole, 2 * (size_t)leaves);
    double*     weights = SUP_NEW(arena, double, 2 * (size_t)leaves);
    if (!nodes || !weights) return sup_fail_memory(error, "winding numbers");
    for (uint32_t l = 0; l < leaves; ++l) make_leaf(out, l, &nodes[leaves + l], &weights[leaves + l]);
    for (uint32_t n = leaves - 1; n > 0; --n) {
        join(&nodes[2 * n], weights[2 * n], &nodes[2 * n + 1], weights[2 * n + 1], &nodes[n]);
        weights[n] = weights[2 * n] + weights[2 * n + 1];
    }
    out->nodes = nodes;
    return SUP_OK;
}

// Van Oosterom and Strackee 1983.
static double solid_angle(const sup_winding* w, uint32_t slot, const double place[3])
{
    const uint32_t* corners = w->bvh.corners + 3 * (size_t)slot;
    double          a[3], b[3], c[3], n[3];
    from(&w->points[corners[0]], place, a);
    from(&w->points[corners[1]], place, b);
    from(&w->points[corners[2]], place, c);
    double la = length3(a), lb = length3(b), lc = length3(c);
    cross3(b, c, n);
    double below = la * lb * lc + dot3(a, b) * lc + dot3(b, c) * la + dot3(c, a) * lb;
    double above = dot3(a, n);
    return above == 0 && below == 0 ? 0 : 2 * sup_atan2(above, below);
}

// A node at any distance. Closer than its own radius a dipole means nothing, but the result must stay bounded.
static double dipole_angle(const sup_dipole* node, const double arm[3], double distance)
{
    double away = fmax(distance, node->radius);
    return away > 0 ? dot3(node->area, arm) / (away * away * away) : 0;
}

double sup_winding_counted(const sup_winding* w, const double place[3], uint32_t* tested)
{
    sup_descent_room room;
    double           sum = 0;
    *tested = 0;
    if (!w->bvh.triangle_count) return 0;
    sup_descent d = sup_descent_begin(room, w->bvh.leaf_count, (sup_descent_step){ .node = 1 });
    while (sup_descent_next(&d)) {
        const sup_dipole* node = &w->nodes[d.at.node];
        double            arm[3] = { node->center[0] - place[0], node->center[1] - place[1], node->center[2] - place[2] };
        double            distance = length3(arm);
        if (distance > FAR_RADII * node->radius && distance > 0) {
            sum += dot3(node->area, arm) / (distance * distance * distance);
        } else if (*tested >= w->tests) {
            sum += dipole_angle(node, arm, distance);
        } else if (!sup_descent_open(&d)) {
            uint32_t leaf = d.at.node - w->bvh.leaf_count;
            for (uint32_t s = w->bvh.leaf_begin[leaf]; s < w->bvh.leaf_begin[leaf + 1]; ++s) sum += solid_angle(w, s, place);
            *tested += w->bvh.leaf_begin[leaf + 1] - w->bvh.leaf_begin[leaf];
        }
    }
    return sum / (4 * SUP_PI);
}

// Triangles tested for all places together, about half a second of work. Around characters a place needs 10 to 30; in a soup of
// large triangles that are near everywhere, a thousand.
#define TESTS_ALL 8e6
#define TESTS_MEAN 32.0 // mean per place, which is always allowed whatever the number of places
enum { TESTS_LEAST = 32 };

void sup_winding_bound(sup_winding* w, double tested, double places, double share)
{
    double most = fmax(TESTS_ALL, TESTS_MEAN * places);
    if (tested <= most * share) return;
    double tests = fmax(TESTS_LEAST, floor(most / places));
    if (tests < w->tests) w->tests = (uint32_t)tests;
}

double sup_winding_number(const sup_winding* w, const double place[3])
{
    uint32_t tested;
    return sup_winding_counted(w, place, &tested);
}
