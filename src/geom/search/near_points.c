#include "geom/search/near_points.h"

#include "base/internal.h"
#include "geom/search/descent.h"
#include "math/vec.h"

#include <math.h>

static void grow(sup_box* box, const sup_box* by)
{
    for (int k = 0; k < 3; ++k) {
        box->min[k] = fminf(box->min[k], by->min[k]);
        box->max[k] = fmaxf(box->max[k], by->max[k]);
    }
}

// Not by sup_bvh_refit, which gives triangles without area no box.
static void fit_boxes(const sup_near_points* near, sup_box* nodes)
{
    const sup_bvh* tree = &near->tree;
    for (uint32_t l = 0; l < tree->leaf_count; ++l) {
        sup_box* box = &nodes[tree->leaf_count + l];
        *box = (sup_box){ { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };
        for (uint32_t s = tree->leaf_begin[l]; s < tree->leaf_begin[l + 1]; ++s) {
            sup_vec3 p = near->points[tree->order[s]];
            grow(box, &(sup_box){ { p.x, p.y, p.z }, { p.x, p.y, p.z } });
        }
    }
    for (uint32_t n = tree->leaf_count; n-- > 1;) {
        nodes[n] = nodes[2 * (size_t)n];
        grow(&nodes[n], &nodes[2 * (size_t)n + 1]);
    }
}

sup_result sup_near_points_create(const sup_vec3* points, uint32_t count, sup_arena* arena, sup_near_points* out,
                                  sup_error* error)
{
    *out = (sup_near_points){ .points = count ? points : NULL };
    if (!count) return SUP_OK;
    sup_arena* brief = sup_arena_beside(arena);
    uint32_t*  corners = brief ? SUP_NEW(brief, uint32_t, 3 * (size_t)count) : NULL;
    for (size_t i = 0; corners && i < 3 * (size_t)count; ++i) corners[i] = (uint32_t)(i / 3);
    sup_result r = corners ? sup_bvh_create(points, corners, count, arena, &out->tree, error)
                           : sup_fail_memory(error, "a search for what is near");
    sup_arena_destroy(brief);
    sup_box* nodes = r == SUP_OK ? SUP_NEW(arena, sup_box, 2 * (size_t)out->tree.leaf_count) : NULL;
    if (r == SUP_OK && !nodes) r = sup_fail_memory(error, "a search for what is near");
    if (r == SUP_OK) fit_boxes(out, nodes);
    out->nodes = nodes;
    return r;
}

// Rounded like the squares in v3_distance, so it never exceeds that of a point in the box: nothing that could win is skipped.
// An empty box is infinitely far.
static float box_square(const sup_box* box, sup_vec3 p)
{
    const float* x = &p.x;
    float        off[3];
    for (int k = 0; k < 3; ++k) off[k] = fmaxf(fmaxf(box->min[k] - x[k], x[k] - box->max[k]), 0);
    return v3_length2(v3(off[0], off[1], off[2]));
}

float sup_near_points_distance(const sup_near_points* near, sup_vec3 from, float most)
{
    float            best = INFINITY;
    const sup_bvh*   tree = &near->tree;
    sup_descent_room room;
    if (!near->points) return INFINITY;
    sup_descent d =
        sup_descent_begin(room, tree->leaf_count, (sup_descent_step){ .node = 1, .bound = box_square(&near->nodes[1], from) });
    while (sup_descent_next(&d)) {
        float bound = sqrtf((float)d.at.bound);
        if (!(bound < best && bound < most)) continue;
        if (d.at.node < tree->leaf_count) {
            const sup_box* left = &near->nodes[2 * (size_t)d.at.node];
            sup_descent_open_nearer(&d, box_square(left, from), box_square(left + 1, from));
            continue;
        }
        uint32_t leaf = d.at.node - tree->leaf_count;
        for (uint32_t s = tree->leaf_begin[leaf]; s < tree->leaf_begin[leaf + 1]; ++s)
            best = fminf(best, v3_distance(from, near->points[tree->order[s]]));
    }
    return best < most ? best : INFINITY;
}
