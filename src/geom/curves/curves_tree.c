// Boxes over many curves, halved along their widest axis, so that a point tests the few that may be nearest to it. A mesh of
// loose triangles has as many curves as triangles, and comparing all with all takes minutes.
#include "base/sort.h"
#include "geom/curves/curves_internal.h"
#include "math/vec.h"

#include <math.h>

static float axis_of(sup_vec3 v, uint32_t axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

static sup_box no_box(void) { return (sup_box){ { 3e38f, 3e38f, 3e38f }, { -3e38f, -3e38f, -3e38f } }; }

static void take_in(sup_box* box, sup_vec3 p)
{
    for (uint32_t k = 0; k < 3; ++k) {
        float x = axis_of(p, k);
        if (x < box->min[k]) box->min[k] = x;
        if (x > box->max[k]) box->max[k] = x;
    }
}

/// Points on a curve are rounded, so the box is wider by that error: no point is ever nearer than the box.
static sup_box box_of_curve(const sup_polylines* l, uint32_t curve)
{
    sup_box box = no_box();
    for (uint32_t i = l->begin[curve]; i < l->begin[curve + 1]; ++i) take_in(&box, l->nodes[i]);
    for (uint32_t k = 0; k < 3; ++k) {
        float rounded = 1e-6f * fmaxf(fabsf(box.min[k]), fabsf(box.max[k]));
        box.min[k] -= rounded, box.max[k] += rounded;
    }
    return box;
}

typedef struct tree_maker {
    const sup_polylines* lines;
    const sup_vec3*      centers;
    uint32_t*            order;
    sup_box*             boxes;
    sup_sort_item *      items, *spare;
} tree_maker;

/// Sorts the list along the axis in which its centers spread most.
static void put_in_order(const tree_maker* m, uint32_t begin, uint32_t end)
{
    sup_box  box = no_box();
    uint32_t widest = 0;
    for (uint32_t i = begin; i < end; ++i) take_in(&box, m->centers[m->order[i]]);
    for (uint32_t k = 1; k < 3; ++k)
        if (box.max[k] - box.min[k] > box.max[widest] - box.min[widest]) widest = k;
    for (uint32_t i = begin; i < end; ++i)
        m->items[i] = (sup_sort_item){ sup_sort_key(axis_of(m->centers[m->order[i]], widest)), m->order[i] };
    sup_sort(m->items + begin, m->spare, end - begin);
    for (uint32_t i = begin; i < end; ++i) m->order[i] = m->items[i].value;
}

static sup_box halve(const tree_maker* m, uint32_t begin, uint32_t end)
{
    sup_box  box = no_box();
    uint32_t middle = begin + (end - begin) / 2;
    if (end - begin <= CURVE_LEAF) {
        for (uint32_t i = begin; i < end; ++i) {
            sup_box one = box_of_curve(m->lines, m->order[i]);
            take_in(&box, v3(one.min[0], one.min[1], one.min[2])), take_in(&box, v3(one.max[0], one.max[1], one.max[2]));
        }
        return box;
    }
    put_in_order(m, begin, end);
    for (int right = 0; right < 2; ++right) {
        sup_box half = right ? halve(m, middle, end) : halve(m, begin, middle);
        take_in(&box, v3(half.min[0], half.min[1], half.min[2])), take_in(&box, v3(half.max[0], half.max[1], half.max[2]));
    }
    return m->boxes[middle] = box;
}

bool curve_tree_create(const sup_polylines* lines, const sup_vec3* centers, uint32_t* order, const uint32_t* begin,
                       uint32_t list_count, sup_arena* arena, curve_tree* out)
{
    uint32_t   count = begin[list_count];
    sup_arena* work = sup_arena_beside(arena);
    tree_maker m = { lines, centers, order, SUP_NEW(arena, sup_box, count), NULL, NULL };
    if (work) m.items = SUP_NEW(work, sup_sort_item, count), m.spare = SUP_NEW(work, sup_sort_item, count);
    bool good = m.boxes && m.items && m.spare;
    for (uint32_t k = 0; k < list_count && good; ++k) halve(&m, begin[k], begin[k + 1]);
    sup_arena_destroy(work);
    *out = (curve_tree){ order, m.boxes };
    return good;
}

float curve_box_square(const sup_box* box, sup_vec3 p)
{
    float square = 0;
    for (uint32_t k = 0; k < 3; ++k) {
        float x = axis_of(p, k), away = fmaxf(box->min[k] - x, x - box->max[k]);
        if (away > 0) square += away * away;
    }
    return square;
}
