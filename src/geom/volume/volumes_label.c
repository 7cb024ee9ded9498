#include "geom/volume/volumes_label.h"

#include "base/internal.h"
#include "base/sort.h"
#include "math/vec.h"

#include <string.h>

// A smaller group of triangles is not a part of a body but the fringe of one; it joins the part above.
enum { FEWEST_TRIANGLES = 30 };
// A border between parts that are not cut from each other is accidental if it is below this share of the smaller one's border.
#define STRAY_SHARE 0.15
enum { STRAY_EDGES = 2 };

typedef struct work {
    const sup_label_desc* desc;
    sup_arena *           keep, *temp;
    uint32_t              fewest;
    uint32_t*             skin;       // per joint: itself, or the nearest skin joint above; itself where there is none
    uint32_t*             above;      // per joint: the nearest skin joint above, SUP_NONE for roots
    uint32_t*             bone_begin; // per joint + 1: its bones
    uint32_t*             bone_to;    // per joint: the bone that leads to it, SUP_NONE where none does
    sup_vec3*             planes;     // per joint: across the joint, pointing from the parent's bone to its own
    double*               pull;       // per joint: weights of the current triangle
    uint32_t*             labels;     // per triangle: a joint at first, then a part
    uint32_t*             counts;     // per joint: triangles
    uint32_t*             target;     // per joint: where its triangles go
    uint32_t*             part;       // per joint, SUP_NONE where it has none
} work;

static bool reserve(work* w)
{
    uint32_t n = w->desc->joint_count;
    w->skin = SUP_NEW(w->temp, uint32_t, n);
    w->above = SUP_NEW(w->temp, uint32_t, n);
    w->bone_begin = SUP_NEW(w->temp, uint32_t, (size_t)n + 1);
    w->bone_to = SUP_NEW(w->temp, uint32_t, n);
    w->planes = SUP_NEW(w->temp, sup_vec3, n);
    w->pull = SUP_NEW(w->temp, double, n);
    w->labels = SUP_NEW(w->keep, uint32_t, w->desc->triangle_count);
    w->counts = SUP_NEW(w->temp, uint32_t, n);
    w->target = SUP_NEW(w->temp, uint32_t, n);
    w->part = SUP_NEW(w->temp, uint32_t, n);
    return w->skin && w->above && w->bone_begin && w->bone_to && w->planes && w->pull && w->labels && w->counts && w->target &&
           w->part;
}

static sup_vec3 bone_direction(const sup_label_bone* b) { return v3_normalize(v3_sub(b->tail, b->head), v3(0, 0, 0)); }

static void prepare(work* w)
{
    const sup_label_desc* d = w->desc;
    for (uint32_t j = 0; j < d->joint_count; ++j) {
        uint32_t up = d->parents[j];
        w->above[j] = up == SUP_NONE ? SUP_NONE : d->skin_joints[up] ? up : w->above[up];
        w->skin[j] = d->skin_joints[j] || w->above[j] == SUP_NONE ? j : w->above[j];
        w->target[j] = j;
        w->part[j] = w->bone_to[j] = SUP_NONE;
    }
    for (uint32_t b = 0; b < d->bone_count; ++b) {
        w->bone_begin[d->bones[b].joint + 1]++;
        if (d->bones[b].child != SUP_NONE) w->bone_to[d->bones[b].child] = b;
    }
    for (uint32_t j = 0; j < d->joint_count; ++j) w->bone_begin[j + 1] += w->bone_begin[j];
    for (uint32_t j = 0; j < d->joint_count; ++j) {
        sup_vec3 sum = w->bone_to[j] == SUP_NONE ? v3(0, 0, 0) : bone_direction(&d->bones[w->bone_to[j]]);
        for (uint32_t b = w->bone_begin[j]; b < w->bone_begin[j + 1]; ++b) sum = v3_add(sum, bone_direction(&d->bones[b]));
        w->planes[j] = v3_normalize(sum, v3(0, 0, 0));
    }
}

// ---------------------------------------------------------------------------------------------- labels

/// The skin joint with the largest sum of weights at the three corners; ties go to the first.
static uint32_t strongest_joint(work* w, const uint32_t* corners)
{
    const sup_label_desc* d = w->desc;
    uint32_t              best = SUP_NONE;
    for (int k = 0; k < 3; ++k)
        for (uint32_t i = d->begin[corners[k]]; i < d->begin[corners[k] + 1]; ++i)
            w->pull[w->skin[d->joints[i]]] += (double)d->values[i];
    for (int k = 0; k < 3; ++k)
        for (uint32_t i = d->begin[corners[k]]; i < d->begin[corners[k] + 1]; ++i) {
            uint32_t j = w->skin[d->joints[i]];
            if (best == SUP_NONE || w->pull[j] > w->pull[best] || (w->pull[j] == w->pull[best] && j < best)) best = j;
        }
    for (int k = 0; k < 3; ++k)
        for (uint32_t i = d->begin[corners[k]]; i < d->begin[corners[k] + 1]; ++i) w->pull[w->skin[d->joints[i]]] = 0;
    return best == SUP_NONE ? 0 : best;
}

/// The joint's bone nearest to a place, and how far along it that is; SUP_NONE for a joint without bones.
static uint32_t nearest_bone(const work* w, uint32_t joint, sup_vec3 at, float* along)
{
    float    nearest = INFINITY;
    uint32_t best = SUP_NONE;
    for (uint32_t b = w->bone_begin[joint]; b < w->bone_begin[joint + 1]; ++b) {
        const sup_label_bone* bone = &w->desc->bones[b];
        sup_vec3              line = v3_sub(bone->tail, bone->head), from = v3_sub(at, bone->head);
        float                 square = v3_length2(line), t = square > 0 ? v3_dot(from, line) / square : 0;
        float                 away = v3_length2(v3_sub(from, v3_scale(line, sup_clampf(t, 0, 1))));
        if (!(away < nearest)) continue;
        nearest = away;
        best = b;
        *along = t;
    }
    return best;
}

static float plane_share(const sup_label_desc* d, uint32_t bone) { return d->shares ? d->shares[bone] : 0.5f; }

/// The joint at the nearer end of the nearest bone: planes through the middles of bones divide the body.
static uint32_t label_by_middles(const work* w, uint32_t joint, sup_vec3 at)
{
    float    t = 0;
    uint32_t b = nearest_bone(w, joint, at, &t);
    return b != SUP_NONE && w->desc->bones[b].child != SUP_NONE && t > plane_share(w->desc, b) ? w->desc->bones[b].child
                                                                                               : joint;
}

/// The bone itself, its parent behind the plane across its head, its child beyond the plane across its tail.
static uint32_t label_by_ends(const work* w, uint32_t joint, sup_vec3 at)
{
    float    t = 0;
    uint32_t b = nearest_bone(w, joint, at, &t);
    if (b == SUP_NONE) return joint;
    const sup_label_bone* bone = &w->desc->bones[b];
    if (bone->child != SUP_NONE && v3_dot(v3_sub(at, bone->tail), w->planes[bone->child]) > 0) return bone->child;
    if (w->bone_to[joint] != SUP_NONE && v3_dot(v3_sub(at, bone->head), w->planes[joint]) < 0)
        return w->desc->bones[w->bone_to[joint]].joint;
    return joint;
}

static void label_triangles(work* w)
{
    const sup_label_desc* d = w->desc;
    for (uint32_t t = 0; t < d->triangle_count; ++t) {
        const uint32_t* c = d->triangles + 3 * (size_t)t;
        sup_vec3 sum = v3_add(v3_add(d->points[c[0]], d->points[c[1]]), d->points[c[2]]), at = v3_scale(sum, 1.0f / 3.0f);
        uint32_t joint = strongest_joint(w, c);
        w->labels[t] = d->cut == SUP_CUT_ENDS ? label_by_ends(w, joint, at) : label_by_middles(w, joint, at);
        w->counts[w->labels[t]]++;
    }
}

// ---------------------------------------------------------------------------------------------- merging

static uint32_t destination(const work* w, uint32_t joint)
{
    while (w->target[joint] != joint) joint = w->target[joint];
    return joint;
}

static void move_triangles(work* w, uint32_t from, uint32_t to)
{
    w->target[from] = to;
    w->counts[to] += w->counts[from];
    w->counts[from] = 0;
}

/// The nearest joint above that has triangles, SUP_NONE where none has.
static uint32_t filled_above(const work* w, uint32_t joint)
{
    for (uint32_t j = w->above[joint]; j != SUP_NONE; j = w->above[j])
        if (destination(w, j) != joint && w->counts[destination(w, j)] > 0) return destination(w, j);
    return SUP_NONE;
}

/// Edges between two parts that are not cut from each other: the key holds both, lower first. Sorted; returns how many.
static uint32_t list_strange_edges(const work* w, const sup_sort_item* sides, uint32_t side_count, uint32_t* borders,
                                   sup_sort_item* out, sup_sort_item* spare)
{
    uint32_t count = 0;
    for (uint32_t i = 1; i < side_count; ++i) {
        if (sides[i].key != sides[i - 1].key) continue;
        uint32_t a = destination(w, w->labels[sides[i - 1].value]), b = destination(w, w->labels[sides[i].value]);
        if (a == b) continue;
        borders[a]++;
        borders[b]++;
        if (filled_above(w, a) == b || filled_above(w, b) == a) continue;
        out[count++] = (sup_sort_item){ a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a, 0 };
    }
    sup_sort(out, spare, count);
    return count;
}

static uint32_t root_of(const work* w, uint32_t joint)
{
    while (w->above[joint] != SUP_NONE) joint = w->above[joint];
    return joint;
}

/// Merges two parts and all that lies between them: both climb, the lower first (children come after parents), until they meet,
/// possibly at a joint that had no triangles. Parts of two skeletons only touch.
static void join_parts(work* w, uint32_t a, uint32_t b)
{
    if (root_of(w, a) != root_of(w, b)) return;
    for (a = destination(w, a), b = destination(w, b); a != b;) {
        uint32_t low = a > b ? a : b, up = destination(w, w->above[low]);
        move_triangles(w, low, up);
        a = destination(w, a), b = destination(w, b);
    }
}

static bool merge_strangers(work* w)
{
    const sup_label_desc* d = w->desc;
    size_t                capacity = 3 * (size_t)d->triangle_count;
    sup_sort_item *       sides = SUP_NEW(w->temp, sup_sort_item, capacity), *edges = SUP_NEW(w->temp, sup_sort_item, capacity);
    sup_sort_item*        spare = SUP_NEW(w->temp, sup_sort_item, capacity);
    uint32_t*             borders = SUP_NEW(w->temp, uint32_t, d->joint_count);
    uint32_t              side_count = 0;
    if (!sides || !edges || !spare || !borders) return false;
    for (uint32_t t = 0; t < d->triangle_count; ++t)
        for (uint32_t k = 0; k < 3; ++k) {
            uint64_t a = d->triangles[3 * (size_t)t + k], b = d->triangles[3 * (size_t)t + (k + 1) % 3];
            if (a != b) sides[side_count++] = (sup_sort_item){ a < b ? a << 32 | b : b << 32 | a, t };
        }
    sup_sort(sides, spare, side_count);
    // Lists all pairs before joining the first, or the result would depend on the order of joints.
    uint32_t count = list_strange_edges(w, sides, side_count, borders, edges, spare);
    for (uint32_t begin = 0, end; begin < count; begin = end) {
        for (end = begin + 1; end < count && edges[end].key == edges[begin].key;) ++end;
        uint32_t a = (uint32_t)(edges[begin].key >> 32), b = (uint32_t)edges[begin].key;
        uint32_t smaller = borders[a] < borders[b] ? borders[a] : borders[b];
        if (end - begin > STRAY_EDGES && (double)(end - begin) >= STRAY_SHARE * smaller) join_parts(w, a, b);
    }
    return true;
}

/// Upwards, children before parents; what stays small at a root joins the first part below it.
static void merge_fringes(work* w)
{
    uint32_t n = w->desc->joint_count;
    for (uint32_t j = n; j-- > 0;)
        if (w->counts[j] > 0 && w->counts[j] < w->fewest && w->above[j] != SUP_NONE)
            move_triangles(w, j, destination(w, w->above[j]));
    for (uint32_t j = 0; j < n; ++j) {
        if (w->counts[j] == 0 || w->counts[j] >= w->fewest) continue;
        for (uint32_t k = j + 1; k < n; ++k)
            if (w->counts[k] > 0 && root_of(w, k) == j) {
                move_triangles(w, j, k);
                break;
            }
    }
}

// ---------------------------------------------------------------------------------------------- parts

/// The part that a joint's part is cut from: that of the nearest ancestor that has one.
static uint32_t part_above(const work* w, uint32_t joint)
{
    for (uint32_t j = w->above[joint]; j != SUP_NONE; j = w->above[j]) {
        uint32_t part = w->part[destination(w, j)];
        if (part != SUP_NONE) return part == w->part[joint] ? SUP_NONE : part;
    }
    return SUP_NONE;
}

static bool make_parts(work* w, sup_labels* out)
{
    const sup_label_desc* d = w->desc;
    uint32_t              count = 0;
    for (uint32_t j = 0; j < d->joint_count; ++j)
        if (w->counts[j] > 0) w->part[j] = count++;
    uint32_t* joints = SUP_NEW(w->keep, uint32_t, count);
    uint32_t* sizes = SUP_NEW(w->keep, uint32_t, count);
    uint32_t* parents = SUP_NEW(w->keep, uint32_t, count);
    uint32_t* carriers = SUP_NEW(w->keep, uint32_t, count);
    sup_vec3* cuts = SUP_NEW(w->keep, sup_vec3, count);
    uint32_t* joint_parts = SUP_NEW(w->keep, uint32_t, d->joint_count);
    if (!joints || !sizes || !parents || !carriers || !cuts || !joint_parts) return false;
    for (uint32_t j = 0; j < d->joint_count; ++j) {
        uint32_t p = w->part[j];
        joint_parts[j] = w->part[destination(w, w->skin[j])];
        if (p == SUP_NONE) continue;
        joints[p] = j;
        sizes[p] = w->counts[j];
        parents[p] = w->bone_to[j] != SUP_NONE ? part_above(w, j) : SUP_NONE;
        if (parents[p] == SUP_NONE) continue;
        const sup_label_bone* bone = &d->bones[w->bone_to[j]];
        carriers[p] = bone->joint;
        float share = d->cut == SUP_CUT_ENDS ? 1 : plane_share(d, w->bone_to[j]);
        cuts[p] = v3_lerp(bone->head, bone->tail, share);
    }
    for (uint32_t t = 0; t < d->triangle_count; ++t) w->labels[t] = w->part[destination(w, w->labels[t])];
    *out = (sup_labels){ count, w->labels, joints, sizes, joint_parts, parents, cuts, carriers };
    return true;
}

sup_result sup_volumes_label(const sup_label_desc* desc, sup_arena* arena, sup_labels* out, sup_error* error)
{
    SUP_ASSERT(desc->joint_count > 0 || desc->triangle_count == 0);
    work w = { .desc = desc, .keep = arena, .temp = sup_arena_beside(arena) };
    bool whole = w.temp && reserve(&w);
    w.fewest = desc->fewest ? desc->fewest : FEWEST_TRIANGLES;
    if (whole) {
        prepare(&w);
        label_triangles(&w);
        whole = !desc->merge || merge_strangers(&w);
    }
    if (whole) {
        merge_fringes(&w);
        whole = make_parts(&w, out);
    }
    sup_arena_destroy(w.temp);
    return whole ? SUP_OK : sup_fail_memory(error, "the parts of a body");
}
