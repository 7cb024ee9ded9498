// Which particles are kept away from which joints. Candidates are (joint, point) pairs: a point belongs to the joints that move
// it and to their children, because a joint sits between its parent's skin and its own. The two together must have the most
// weight.
#include "solve/particles/constraints_joints.h"
#include "base/internal.h"
#include "base/sort.h"

#include <math.h>

// Skin farther from the joint than this many times the nearest skin lies beside it, not around it (the chest beside a
// shoulder).
#define BESIDE 2.0f
// Sine of how far from the joint's plane a point may lie to count for its radius: 45 degrees.
#define AROUND 0.70710678f

typedef struct work {
    const sup_joint_bounds_desc* desc;
    uint32_t *                   child_begin, *children;
    sup_sort_item*               pairs; // key: joint and point
    uint32_t                     pair_count;
    float*                       radius; // per joint
} work;

static bool list_children(work* w, sup_arena* temp)
{
    uint32_t n = w->desc->joint_count;
    w->child_begin = SUP_NEW(temp, uint32_t, (size_t)n + 2);
    w->children = SUP_NEW(temp, uint32_t, n);
    if (!w->child_begin || !w->children) return false;
    for (uint32_t j = 0; j < n; ++j)
        if (w->desc->parents[j] != SUP_NONE) w->child_begin[w->desc->parents[j] + 2]++;
    for (uint32_t j = 0; j < n; ++j) w->child_begin[j + 2] += w->child_begin[j + 1];
    for (uint32_t j = 0; j < n; ++j)
        if (w->desc->parents[j] != SUP_NONE) w->children[w->child_begin[w->desc->parents[j] + 1]++] = j;
    return true;
}

/// How far a point is a joint's own: 1 when joint and parent alone move it, 0 at half of its weight and below. It fades so that
/// no fold starts where others take over.
static float belonging(const sup_joint_bounds_desc* d, uint32_t point, uint32_t joint)
{
    uint32_t begin = d->begin[point], end = d->begin[point + 1];
    float    sum = 0;
    for (uint32_t i = begin; i < end; ++i)
        if (d->weight_joints[i] == joint || d->weight_joints[i] == d->parents[joint])
            sum += d->weight_values ? d->weight_values[i] : 1.0f / (float)(end - begin);
    return sup_clampf(2 * sum - 1, 0, 1);
}

/// Whether a joint moves a point so much that the point belongs to children that do not move it. Children that do are listed
/// separately; a root with thousands of children would otherwise list them all for every point it moves.
static bool dominates(const sup_joint_bounds_desc* d, uint32_t point, uint32_t influence)
{
    float count = (float)(d->begin[point + 1] - d->begin[point]);
    return 2 * (d->weight_values ? d->weight_values[influence] : 1.0f / count) - 1 > 0;
}

static bool list_pairs(work* w, sup_arena* temp)
{
    const sup_joint_bounds_desc* d = w->desc;
    size_t                       count = 0;
    for (uint32_t p = 0; p < d->skin_count; ++p)
        for (uint32_t i = d->begin[p]; i < d->begin[p + 1]; ++i)
            count +=
                1 + (dominates(d, p, i) ? w->child_begin[d->weight_joints[i] + 1] - w->child_begin[d->weight_joints[i]] : 0);
    sup_sort_item *items = SUP_NEW(temp, sup_sort_item, count), *spare = SUP_NEW(temp, sup_sort_item, count);
    if (!items || !spare || count > UINT32_MAX) return false;
    uint32_t made = 0;
    for (uint32_t p = 0; p < d->skin_count; ++p)
        for (uint32_t i = d->begin[p]; i < d->begin[p + 1]; ++i) {
            uint32_t j = d->weight_joints[i];
            items[made++] = (sup_sort_item){ (uint64_t)j << 32 | p, 0 };
            for (uint32_t k = w->child_begin[j]; dominates(d, p, i) && k < w->child_begin[j + 1]; ++k)
                items[made++] = (sup_sort_item){ (uint64_t)w->children[k] << 32 | p, 0 };
        }
    sup_sort(items, spare, made);
    for (uint32_t i = 0; i < made; ++i)
        if ((i == 0 || items[i].key != items[i - 1].key) &&
            belonging(d, (uint32_t)items[i].key, (uint32_t)(items[i].key >> 32)) > 0)
            items[w->pair_count++] = items[i];
    w->pairs = items;
    return true;
}

/// The mean distance of the skin around a joint, from its range of pairs.
static float local_radius(const work* w, uint32_t joint, uint32_t begin, uint32_t end)
{
    const sup_joint_bounds_desc* d = w->desc;
    for (int across = 1; across >= 0; --across) { // those across the bones first; all if there are none
        float    nearest = INFINITY;
        double   sum = 0;
        uint32_t count = 0;
        for (int pass = 0; pass < 2; ++pass)
            for (uint32_t i = begin; i < end; ++i) {
                sup_vec3 out = v3_sub(sup_particle_place(&d->particles[(uint32_t)w->pairs[i].key]), d->joints[joint]);
                float    far = v3_length(out);
                if (across && fabsf(v3_dot(out, d->axes[joint])) > AROUND * far) continue;
                if (pass == 0) nearest = far < nearest ? far : nearest;
                else if (far <= BESIDE * nearest) sum += (double)far, ++count;
            }
        if (count) return (float)(sum / count);
    }
    return 0;
}

static void find_radii(work* w)
{
    for (uint32_t begin = 0, end; begin < w->pair_count; begin = end) {
        uint32_t joint = (uint32_t)(w->pairs[begin].key >> 32);
        for (end = begin + 1; end < w->pair_count && w->pairs[end].key >> 32 == joint;) ++end;
        w->radius[joint] = local_radius(w, joint, begin, end);
    }
}

/// The bound of a pair in a layer; false if the particle is too far away, pinned, or at the joint itself.
static bool bound_of(const work* w, uint64_t pair, uint32_t layer, sup_joint_bound* out)
{
    const sup_joint_bounds_desc* d = w->desc;
    uint32_t                     joint = (uint32_t)(pair >> 32), particle = (uint32_t)pair + layer * d->skin_count;
    float                        far = v3_distance(sup_particle_place(&d->particles[particle]), d->joints[joint]);
    if (!(d->particles[particle].w > 0) || !(far < d->reach * w->radius[joint]) || !(far > 0)) return false;
    *out = (sup_joint_bound){ particle, joint, far * belonging(d, (uint32_t)pair, joint) };
    return true;
}

static bool make_bounds(work* w, sup_arena* temp, sup_arena* arena, sup_joint_bounds* out)
{
    const sup_joint_bounds_desc* d = w->desc;
    sup_joint_bound              bound;
    uint32_t                     count = 0, made = 0;
    for (uint32_t l = 0; l < d->layer_count; ++l)
        for (uint32_t i = 0; i < w->pair_count; ++i) count += bound_of(w, w->pairs[i].key, l, &bound);
    sup_joint_bound* items = SUP_NEW(arena, sup_joint_bound, count);
    sup_joint_bound* raw = SUP_NEW(temp, sup_joint_bound, count);
    sup_sort_item *  order = SUP_NEW(temp, sup_sort_item, count), *spare = SUP_NEW(temp, sup_sort_item, count);
    if (!items || !raw || !order || !spare) return false;
    for (uint32_t l = 0; l < d->layer_count; ++l)
        for (uint32_t i = 0; i < w->pair_count; ++i)
            if (bound_of(w, w->pairs[i].key, l, &raw[made])) {
                order[made] = (sup_sort_item){ (uint64_t)raw[made].particle << 32 | raw[made].joint, made };
                ++made;
            }
    sup_sort(order, spare, count);
    for (uint32_t i = 0; i < count; ++i) items[i] = raw[order[i].value];
    *out = (sup_joint_bounds){ count, items };
    return true;
}

sup_result sup_joint_bounds_create(const sup_joint_bounds_desc* desc, sup_arena* arena, sup_joint_bounds* out, sup_error* error)
{
    SUP_ASSERT((uint64_t)desc->layer_count * desc->skin_count <= desc->particle_count);
    work       w = { .desc = desc };
    sup_arena* temp = sup_arena_beside(arena);
    bool       whole =
        temp && (w.radius = SUP_NEW(temp, float, desc->joint_count)) && list_children(&w, temp) && list_pairs(&w, temp);
    if (whole) {
        find_radii(&w);
        whole = make_bounds(&w, temp, arena, out);
    }
    sup_arena_destroy(temp);
    return whole ? SUP_OK : sup_fail_memory(error, "the bounds around joints");
}

/// Projects bound i and, if it moved its particle, the particle's remaining bounds. Returns the first bound not visited.
static uint32_t project_from(const sup_joint_bounds* bounds, uint32_t i, const sup_vec3* joints, float keep, sup_vec4* x)
{
    const sup_joint_bound* b = &bounds->items[i];
    bool                   moved = false;
    do {
        moved |= sup_keep_distance(&x[b->particle], joints[b->joint], keep * b->distance);
        ++b, ++i;
    } while (moved && i < bounds->count && b->particle == b[-1].particle);
    return i;
}

void sup_joint_bounds_project(const sup_joint_bounds* bounds, const sup_vec3* joints, float keep, sup_vec4* x)
{
    uint32_t whole = bounds->count / SUP_LANES * SUP_LANES, done = 0;
    for (uint32_t i = 0; i < whole; i += SUP_LANES)
        for (uint32_t broken = SUP_WIDE_PICK(sup_joint_bounds_sift)(bounds->items + i, joints, keep, x), k = 0; broken >> k;
             ++k)
            if (broken >> k & 1 && i + k >= done) done = project_from(bounds, i + k, joints, keep, x);
    for (uint32_t i = done > whole ? done : whole; i < bounds->count;) i = project_from(bounds, i, joints, keep, x);
}
