// A first guess of how far out on the body every point is, and of the outward direction, from the skeleton: its tree is laid
// out from one end, and each point is projected to the bones that move it.
#include "base/internal.h"
#include "deform/curves/curve_link.h"
#include "math/vec.h"

#include <math.h>

/// Ends of the skeleton whose paths to all other ends are equally long are twins, left and right; the tolerance.
#define TWIN 0.01f
/// How far beyond its bone a point may lie, in bone lengths: before it, after it, and after the last of a chain.
#define BEFORE (-0.25f)
#define BEHIND 1.25f
#define BEYOND_TIP 2.0f
/// Cosine between a bone and the mean of its joint's.
#define ONE_WAY 0.7f
enum { ENDS_MAX = 256 };

typedef struct tree {
    const sup_character* character;
    const sup_skeleton*  s;
    uint32_t             joints, nodes; ///< after the joints: the tail of every bone that ends a chain
    uint32_t*            up;            ///< per node: its parent, or SUP_NONE
    float*               step;          ///< and the distance to it
    bool*                kept;          ///< it or a descendant has skin
    uint32_t*            below;         ///< number of kept children
    uint32_t*            skin;          ///< per joint: points that it moves most
    float*               place;         ///< per node: distance from the chosen end
    uint32_t*            first;         ///< per joint: its first bone; a joint's bones are adjacent
} tree;

static bool grow_tree(tree* t, sup_arena* arena)
{
    const sup_skeleton* s = t->s;
    t->joints = s->joint_count, t->nodes = s->joint_count + s->bone_count;
    t->up = SUP_NEW(arena, uint32_t, t->nodes), t->step = SUP_NEW(arena, float, t->nodes);
    t->kept = SUP_NEW(arena, bool, t->nodes), t->below = SUP_NEW(arena, uint32_t, t->nodes);
    t->skin = SUP_NEW(arena, uint32_t, t->nodes), t->place = SUP_NEW(arena, float, t->nodes);
    sup_vec3* heads = SUP_NEW(arena, sup_vec3, t->joints);
    if (!t->up || !t->step || !t->kept || !t->below || !t->skin || !t->place || !heads) return false;
    const sup_weights* w = &t->character->weights;
    for (uint32_t p = 0; p < t->character->mesh.point_count; ++p)
        if (w->begin[p] < w->begin[p + 1]) ++t->skin[w->joints[w->begin[p]]];
    for (uint32_t j = 0; j < t->joints; ++j) {
        sup_affine bind;
        t->up[j] = s->joints[j].parent;
        if (affine_invert(&s->joints[j].inverse_bind, &bind)) heads[j] = affine_translation(&bind);
        if (t->up[j] != SUP_NONE) t->step[j] = v3_distance(heads[j], heads[t->up[j]]); // parents come before their children
        t->kept[j] = s->joints[j].skin_joint;
    }
    for (uint32_t i = 0; i < s->bone_count; ++i) {
        uint32_t node = t->joints + i;
        t->up[node] = s->bones[i].joint;
        t->step[node] = v3_distance(s->bones[i].head, s->bones[i].tail);
        t->kept[node] = s->bones[i].child == SUP_NONE && t->skin[s->bones[i].joint] > 0;
        t->skin[node] = t->kept[node] ? t->skin[s->bones[i].joint] : 0;
    }
    for (uint32_t i = t->nodes; i-- > 0;)
        if (t->kept[i] && t->up[i] != SUP_NONE) t->kept[t->up[i]] = true;
    for (uint32_t i = 0; i < t->nodes; ++i)
        if (t->kept[i] && t->up[i] != SUP_NONE) ++t->below[t->up[i]];
    return true;
}

/// Path lengths from one node to all others. In a tree: up to the root, then down.
static void measure(const tree* t, uint32_t from, float* out)
{
    for (uint32_t i = 0; i < t->nodes; ++i) out[i] = -1;
    float length = 0;
    for (uint32_t i = from; i != SUP_NONE; i = t->up[i]) out[i] = length, length += t->step[i];
    for (uint32_t i = 0; i < t->nodes; ++i)
        if (out[i] < 0) out[i] = t->up[i] == SUP_NONE ? length : out[t->up[i]] + t->step[i];
}

/// Whether all bones of a joint point in about the same direction: then it is an end, like a wrist with five fingers.
static bool leads_one_way(const tree* t, uint32_t joint)
{
    const sup_skeleton* s = t->s;
    sup_vec3            sum = v3(0, 0, 0);
    for (int pass = 0; pass < 2; ++pass)
        for (uint32_t i = joint < t->joints ? t->first[joint] : s->bone_count; i < s->bone_count && s->bones[i].joint == joint;
             ++i) {
            sup_vec3 d = v3_normalize(v3_sub(s->bones[i].tail, s->bones[i].head), v3(0, 0, 0));
            if (pass == 0) sum = v3_add(sum, d);
            else if (!(v3_dot(v3_normalize(sum, d), d) > ONE_WAY)) return false;
        }
    return v3_length2(sum) > 0;
}

/// The root if only one path leads from it; else the end with most skin that has no twin.
static uint32_t choose_end(tree* t, sup_arena* arena)
{
    uint32_t ends[ENDS_MAX], count = 0, root = SUP_NONE, roots = 0;
    float*   sums = SUP_NEW(arena, float, ENDS_MAX);
    for (uint32_t i = 0; i < t->nodes; ++i) {
        if (!t->kept[i]) continue;
        if (t->below[i] == 0 && count < ENDS_MAX) ends[count++] = i;
        if (t->up[i] == SUP_NONE) root = i, ++roots;
    }
    while (roots == 1 && t->below[root] == 1 && t->skin[root] == 0) // joints above the skin
        for (uint32_t i = 0, above = root; root == above && i < t->nodes; ++i)
            if (t->kept[i] && t->up[i] == above) root = i;
    if (roots == 1 && leads_one_way(t, root)) return root;
    if (count == 0 || !sums) return root;
    for (uint32_t i = 0; i < count; ++i) {
        measure(t, ends[i], t->place);
        for (uint32_t k = 0; k < count; ++k) sums[i] += t->place[ends[k]];
    }
    uint32_t best = SUP_NONE, best_alone = SUP_NONE;
    for (uint32_t i = 0; i < count; ++i) {
        bool twin = false;
        for (uint32_t k = 0; k < count; ++k)
            twin = twin || (k != i && sums[k] > (1 - TWIN) * sums[i] && sums[k] < (1 + TWIN) * sums[i]);
        if (best == SUP_NONE || t->skin[ends[i]] > t->skin[best]) best = ends[i];
        if (!twin && (best_alone == SUP_NONE || t->skin[ends[i]] > t->skin[best_alone])) best_alone = ends[i];
    }
    return best_alone == SUP_NONE ? best : best_alone;
}

/// Place and direction on the nearest bone of a joint.
static void stand(const tree* t, uint32_t joint, sup_vec3 p, float* place, sup_vec3* direction)
{
    const sup_skeleton* s = t->s;
    float               least = 3e38f;
    *place = t->place[joint], *direction = v3(0, 0, 0);
    for (uint32_t i = t->first[joint]; i < s->bone_count && s->bones[i].joint == joint; ++i) {
        const sup_bone* b = &s->bones[i];
        sup_vec3        d = v3_sub(b->tail, b->head);
        float           l2 = v3_length2(d), x = l2 > 0 ? v3_dot(v3_sub(p, b->head), d) / l2 : 0;
        float           off = v3_length2(v3_sub(p, v3_mad(b->head, sup_clampf(x, 0, 1), d))), length = sqrtf(l2);
        if (!(off < least) || !(l2 > 0)) continue;
        least = off;
        uint32_t end = b->child == SUP_NONE ? t->joints + i : b->child;
        float    sign = t->place[end] >= t->place[joint] ? 1.0f : -1.0f;
        x = sup_clampf(x, BEFORE, b->child == SUP_NONE ? BEYOND_TIP : BEHIND);
        *place = t->place[joint] + sign * x * length;
        *direction = v3_scale(d, sign / length);
    }
}

sup_result sup_curve_guides(const sup_character* c, const char* who, sup_arena* arena, sup_guides* out, sup_error* error)
{
    uint32_t   n = c->mesh.point_count;
    sup_arena* work = sup_arena_beside(arena);
    tree       t = { .character = c, .s = &c->skeleton };
    *out = (sup_guides){ SUP_NEW(arena, float, n), SUP_NEW(arena, sup_vec3, n) };
    bool good = work && out->place && out->direction && grow_tree(&t, work);
    t.first = good ? SUP_NEW(work, uint32_t, t.joints) : NULL;
    good = t.first != NULL;
    if (good) {
        for (uint32_t j = 0; j < t.joints; ++j) t.first[j] = t.s->bone_count;
        for (uint32_t i = t.s->bone_count; i-- > 0;) t.first[t.s->bones[i].joint] = i;
        uint32_t end = choose_end(&t, work);
        if (end != SUP_NONE) measure(&t, end, t.place);
        for (uint32_t p = 0; p < n; ++p)
            for (uint32_t k = c->weights.begin[p]; k < c->weights.begin[p + 1]; ++k) {
                float    place;
                sup_vec3 direction;
                stand(&t, c->weights.joints[k], c->mesh.points[p], &place, &direction);
                out->place[p] += c->weights.values[k] * place;
                out->direction[p] = v3_mad(out->direction[p], c->weights.values[k], direction);
            }
    }
    sup_arena_destroy(work);
    return good ? SUP_OK : sup_fail_memory(error, who);
}
