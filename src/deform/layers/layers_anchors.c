// Where the layers are: every skin point has a bone anchor, and its copies lie between the two.
//
//   anchor b = sum of weight x closest point of the joint's bones (dominant: the first joint alone, as in the paper; it jumps
//          where two bones meet)
//   layer x0 + p (b - x0), p = project_fat < project_muscle < project_bone < 1
// Guards, in this order: no offset (the point lies on the bone), an offset that leaves the body or runs along it, layers that
// fold, layers that meet.
#include "deform/layers/layers.h"
#include "geom/search/bvh.h"

#include <math.h>
#include <string.h>

static const float  no_way = 1e-3f;        // mean edges: an anchor nearer than this does not count
static const float  leaving_share = 0.45f; // of the distance at which the offset leaves the body
static const double long_way = 1.5;        // thicknesses: an anchor farther away than this belongs to another limb
static const float  fold_limit = 0.05f;    // of the cosine and area that a layer's triangle must keep
static const float  fold_step = 0.85f;     // factor on the depth of a folded triangle's points, each round
static const float  shallow = 0.5f;        // of its depth: a point that loses more would be a pit in the flesh around it
enum { EVEN_ROUNDS = 40, FOLD_ROUNDS = 40 };
static const float least_gap = 0.02f; // mean edges between layers

typedef struct binder {
    layers_bound*        b;
    const layers_params* p;
    uint32_t             bone_count;
    sup_bone*            bones;                    // the skeleton's, with leaves as long as the skin they carry
    const uint32_t *     bone_begin, *joint_bones; // of each joint, ascending
    sup_bvh              bvh;
    sup_box *            nodes, *slots;
    sup_vec3*            ways;   // anchor - skin
    float*               scales; // of each point's depth, from the limiter
    uint64_t             looks;  // boxes and triangles tested by rays
    const sup_progress*  progress;
    bool                 stopped; // by the caller
} binder;

// Rays test up to 500 boxes and triangles per triangle of a character. Through unordered faces, which have no inside, they test
// all of them; and there are rays for every point, in up to EVEN_ROUNDS rounds.
enum { LOOKS_MOST = 4096 };
static bool crowded(const binder* m) { return m->looks > LOOKS_MOST * (uint64_t)m->b->triangle_count; }

static bool go_on(binder* m, double share)
{
    if (!m->stopped && !sup_progress_report(m->progress, share, "layers")) m->stopped = true;
    return !m->stopped && !crowded(m);
}

// ---------------------------------------------------------------------------------------------- leaves

// A leaf's tail is a guess (0.3 parent lengths). A hand or a head reaches farther; if all of that were flesh, it would flop. So
// a leaf gets the length of the skin it carries, less the thickness at its end.
static void lengthen_leaf(const layers_bound* b, sup_bone* bone, const uint32_t* points, uint32_t point_count)
{
    sup_vec3 along = v3_sub(bone->tail, bone->head);
    float    length = v3_length(along), farthest = 0, sum = 0;
    uint32_t count = 0;
    if (!(length > 0)) return;
    along = v3_scale(along, 1.0f / length);
    for (int pass = 0; pass < 2; ++pass)
        for (uint32_t i = 0; i < point_count; ++i) {
            sup_vec3 to = v3_sub(b->rest[points[i]], bone->head);
            float    s = v3_dot(to, along);
            if (!pass && s > farthest) farthest = s;
            if (pass && s > 0.5f * farthest) sum += v3_length(v3_mad(to, -s, along)), ++count;
        }
    if (!count) return;
    float thick = sum / (float)count, reach = farthest - fminf(thick, 0.5f * farthest);
    if (reach > length) bone->tail = v3_mad(bone->head, reach, along);
}

/// Groups items by joint: `begin` has joint_count + 1 entries, `list` is ascending within each. False: out of memory.
static bool group(uint32_t joint_count, uint32_t count, const uint32_t* joint_of, sup_arena* arena, const uint32_t** begin,
                  const uint32_t** list)
{
    uint32_t *at = SUP_NEW(arena, uint32_t, (size_t)joint_count + 2), *out = SUP_NEW(arena, uint32_t, count);
    if (!at || !out) return false;
    for (uint32_t i = 0; i < count; ++i) ++at[joint_of[i] + 2];
    for (uint32_t j = 0; j < joint_count; ++j) at[j + 2] += at[j + 1];
    for (uint32_t i = 0; i < count; ++i) out[at[joint_of[i] + 1]++] = i;
    *begin = at;
    *list = out;
    return true;
}

static bool lengthen_leaves(binder* m, uint32_t joint_count, sup_arena* temporary)
{
    const layers_bound* b = m->b;
    uint32_t *          joints = SUP_NEW(temporary, uint32_t, m->bone_count), *firsts = SUP_NEW(temporary, uint32_t, b->count);
    const uint32_t *    begin, *points;
    if (!joints || !firsts) return false;
    for (uint32_t i = 0; i < m->bone_count; ++i) joints[i] = m->bones[i].joint;
    for (uint32_t k = 0; k < b->count; ++k) firsts[k] = b->weight_joints[b->weight_begin[k]];
    if (!group(joint_count, m->bone_count, joints, temporary, &m->bone_begin, &m->joint_bones) ||
        !group(joint_count, b->count, firsts, temporary, &begin, &points))
        return false;
    for (uint32_t i = 0; i < m->bone_count; ++i) {
        uint32_t j = joints[i];
        if (m->bones[i].child == SUP_NONE) lengthen_leaf(b, &m->bones[i], points + begin[j], begin[j + 1] - begin[j]);
    }
    return true;
}

// ---------------------------------------------------------------------------------------------- feet

static sup_vec3 closest_on_bones(const binder* m, uint32_t joint, sup_vec3 p)
{
    sup_vec3 best = m->b->joint_centers[joint];
    float    nearest = INFINITY;
    for (uint32_t i = m->bone_begin[joint]; i < m->bone_begin[joint + 1]; ++i) {
        const sup_bone* bone = &m->bones[m->joint_bones[i]];
        sup_vec3        along = v3_sub(bone->tail, bone->head);
        float           length2 = v3_length2(along);
        float           s = length2 > SUP_EPS_LENGTH ? v3_dot(v3_sub(p, bone->head), along) / length2 : 0.0f;
        sup_vec3        place = v3_mad(bone->head, sup_clampf(s, 0, 1), along);
        float           d = v3_distance(place, p);
        if (d < nearest) nearest = d, best = place;
    }
    return best;
}

static sup_vec3 anchor_of(const binder* m, uint32_t k)
{
    const layers_bound* b = m->b;
    uint32_t            first = b->weight_begin[k], last = b->weight_begin[k + 1];
    if (m->p->anchor == ANCHOR_DOMINANT) return closest_on_bones(m, b->weight_joints[first], b->rest[k]);
    sup_vec3 sum = v3(0, 0, 0);
    float    total = 0;
    for (uint32_t i = first; i < last; ++i) {
        sum = v3_mad(sum, b->weight_values[i], closest_on_bones(m, b->weight_joints[i], b->rest[k]));
        total += b->weight_values[i];
    }
    return total > 0 ? v3_scale(sum, 1.0f / total) : b->rest[k];
}

// ---------------------------------------------------------------------------------------------- the way through the body

static bool box_hit(const sup_box* box, sup_vec3 o, sup_vec3 d, double most)
{
    const float from[3] = { o.x, o.y, o.z }, way[3] = { d.x, d.y, d.z };
    double      low = 0, high = most;
    for (int i = 0; i < 3; ++i) {
        if (way[i] == 0) {
            if (from[i] < box->min[i] || from[i] > box->max[i]) return false;
            continue;
        }
        double a = ((double)box->min[i] - from[i]) / way[i], b = ((double)box->max[i] - from[i]) / way[i];
        if (a > b) {
            double swap = a;
            a = b, b = swap;
        }
        if (a > low) low = a;
        if (b < high) high = b;
    }
    return low <= high * (1 + 1e-6) + 1e-12;
}

// Where the ray o + s d exits through the triangle's back; negative if it does not.
static double leaves_through(const sup_vec3* points, const uint32_t* c, sup_vec3 o, sup_vec3 d)
{
    double          e[3], f[3], t[3], dir[3] = { d.x, d.y, d.z };
    const sup_vec3 *p = &points[c[0]], *q = &points[c[1]], *r = &points[c[2]];
    e[0] = (double)q->x - p->x, e[1] = (double)q->y - p->y, e[2] = (double)q->z - p->z;
    f[0] = (double)r->x - p->x, f[1] = (double)r->y - p->y, f[2] = (double)r->z - p->z;
    t[0] = (double)o.x - p->x, t[1] = (double)o.y - p->y, t[2] = (double)o.z - p->z;
    double n[3] = { e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0] };
    double facing = n[0] * dir[0] + n[1] * dir[1] + n[2] * dir[2];
    if (!(facing > 0)) return -1; // it enters, or is parallel
    double s = -(n[0] * t[0] + n[1] * t[1] + n[2] * t[2]) / facing;
    double g[3] = { dir[1] * t[2] - dir[2] * t[1], dir[2] * t[0] - dir[0] * t[2], dir[0] * t[1] - dir[1] * t[0] };
    double u = (f[0] * g[0] + f[1] * g[1] + f[2] * g[2]) / facing, v = -(e[0] * g[0] + e[1] * g[1] + e[2] * g[2]) / facing;
    return u >= 0 && v >= 0 && u + v <= 1 ? s : -1;
}

// The first place where the ray from point k leaves the body, as a share of d; infinity if it does not within `most`.
static double way_out(const binder* m, uint32_t k, sup_vec3 d, double most, uint64_t* looks)
{
    const layers_bound* b = m->b;
    sup_vec3            o = b->rest[k];
    uint32_t            stack[64], depth = 0;
    double              best = INFINITY;
    stack[depth++] = 1;
    while (depth) {
        uint32_t node = stack[--depth];
        ++*looks;
        if (!box_hit(&m->nodes[node], o, d, best < most ? best : most)) continue;
        if (node < m->bvh.leaf_count) {
            stack[depth++] = 2 * node + 1;
            stack[depth++] = 2 * node;
            continue;
        }
        uint32_t leaf = node - m->bvh.leaf_count;
        for (uint32_t s = m->bvh.leaf_begin[leaf]; s < m->bvh.leaf_begin[leaf + 1]; ++s) {
            const uint32_t* c = m->bvh.corners + 3 * (size_t)s;
            if (c[0] == k || c[1] == k || c[2] == k) continue;
            ++*looks;
            double at = leaves_through(b->rest, c, o, d);
            if (at > 1e-6 && at <= most && at < best) best = at;
        }
    }
    return best;
}

enum { WAY_GRAIN = 64, WAY_SLICE = 64 }; // points per task, and tasks between two reports

typedef struct way_job {
    binder*   m;
    uint8_t*  outside;
    uint8_t*  at_skin;
    sup_vec3* anchors;
    uint32_t  first;            // point of the slice
    uint64_t  looks[WAY_SLICE]; // of each task
} way_job;

static void way_task(void* data, uint32_t begin, uint32_t end)
{
    way_job*      j = data;
    binder*       m = j->m;
    layers_bound* b = m->b;
    uint64_t*     looks = &j->looks[begin / WAY_GRAIN];
    for (uint32_t k = j->first + begin; k < j->first + end; ++k) {
        sup_vec3 way = v3_sub(anchor_of(m, k), b->rest[k]), inwards = v3_scale(b->normals[k], -1);
        double   thick = v3_length2(inwards) > 0 ? way_out(m, k, inwards, 100.0 * b->mean_edge, looks) : INFINITY;
        if (v3_length(way) < no_way * b->mean_edge) {
            // half of the thickness behind the point, or an edge length if nothing is there
            way = v3_scale(inwards, isfinite(thick) ? 0.5f * (float)thick : b->edges[k]);
            j->at_skin[k] = 1;
        }
        double out = v3_length2(way) > 0 ? way_out(m, k, way, 1.0, looks) : INFINITY;
        j->outside[k] = out < 1.0;
        // A finger, or an ear without bones of its own: halfway through it. A share of the offset could be any depth.
        if ((double)v3_length(way) > long_way * thick) way = v3_scale(inwards, leaving_share * (float)thick);
        else if (out < 1.0) way = v3_scale(way, leaving_share * (float)out);
        m->ways[k] = way;
        j->anchors[k] = v3_add(b->rest[k], way);
    }
}

// ---------------------------------------------------------------------------------------------- layers

// Depths of the three layers below the skin at a point, ascending, as shares of its offset.
static void depths_at(const binder* m, uint32_t k, float out[LAYERS])
{
    const layers_bound* b = m->b;
    out[LAYER_SKIN] = 0;
    out[LAYER_FAT] = sup_clampf(layers_value(b, ROW_PROJECT_FAT, m->p->project_fat, k), 0, 0.91f);
    out[LAYER_MUSCLE] = sup_clampf(layers_value(b, ROW_PROJECT_MUSCLE, m->p->project_muscle, k), out[LAYER_FAT] + 0.02f, 0.93f);
    out[LAYER_BONE] = sup_clampf(layers_value(b, ROW_PROJECT_BONE, m->p->project_bone, k), out[LAYER_MUSCLE] + 0.02f, 0.95f);
}

static void place_point(const binder* m, uint32_t k, sup_vec3* rest)
{
    const layers_bound* b = m->b;
    float               depth[LAYERS], length = v3_length(m->ways[k]), last = 0;
    sup_vec3            along = v3_normalize(m->ways[k], v3_scale(b->normals[k], -1));
    depths_at(m, k, depth);
    for (int l = 1; l < LAYERS; ++l) {
        float d = depth[l] * length * m->scales[k], least = last + least_gap * b->mean_edge;
        last = d > least ? d : least;
        rest[(size_t)l * b->stride + k] = v3_mad(rest[k], last, along);
    }
}

// A triangle of a layer that has flipped, or lost nearly all of its area, compared with the skin's.
static bool folded(const binder* m, const sup_vec3* rest, const uint32_t* c, int layer)
{
    const layers_bound* b = m->b;
    const sup_vec3*     in = rest + (size_t)layer * b->stride;
    sup_vec3            skin = v3_cross(v3_sub(rest[c[1]], rest[c[0]]), v3_sub(rest[c[2]], rest[c[0]]));
    sup_vec3            own = v3_cross(v3_sub(in[c[1]], in[c[0]]), v3_sub(in[c[2]], in[c[0]]));
    float               keep = 0;
    for (int i = 0; i < 3; ++i) {
        float depth[LAYERS];
        depths_at(m, c[i], depth);
        keep += (1 - depth[layer] * m->scales[c[i]]) / 3;
    }
    return v3_dot(own, skin) <= fold_limit * keep * keep * v3_length2(skin) && v3_length2(skin) > 0;
}

// Marks the points of folded triangles; false if there are none.
static bool mark_folds(const binder* m, const sup_vec3* rest, bool* marked)
{
    const layers_bound* b = m->b;
    bool                found = false;
    for (uint32_t k = 0; k < b->count; ++k) marked[k] = false;
    for (uint32_t t = 0; t < b->triangle_count; ++t) {
        const uint32_t* c = b->triangles + 3 * (size_t)t;
        bool            bad = false;
        for (int l = 1; l < LAYERS && !bad; ++l) bad = folded(m, rest, c, l);
        if (bad) marked[c[0]] = marked[c[1]] = marked[c[2]] = found = true;
    }
    return found;
}

// Undoes the depths of every patch with a point that has become too shallow. False if there are none.
static bool restore_depths(binder* m, sup_vec3* rest, bool* marked, uint32_t* queue)
{
    const layers_bound* b = m->b;
    bool                found = false;
    for (uint32_t k = 0; k < b->count; ++k) marked[k] = m->scales[k] < shallow;
    uint32_t head = 0, tail = 0;
    for (uint32_t k = 0; k < b->count; ++k)
        if (marked[k]) queue[tail++] = k;
    while (head < tail) {
        uint32_t k = queue[head++];
        for (uint32_t i = b->topology.ring_begin[k]; i < b->topology.ring_begin[k + 1]; ++i) {
            uint32_t j = b->topology.ring[i];
            if (marked[j] || !(m->scales[j] < 1)) continue;
            marked[j] = true;
            queue[tail++] = j;
        }
    }
    for (uint32_t k = 0; k < b->count; ++k) {
        if (!marked[k]) continue;
        m->scales[k] = 1, found = true;
        place_point(m, k, rest);
    }
    return found;
}

// Where neighboring points have anchors on bones far apart (a hip, an armpit), the anchors move toward their neighbors' mean
// until no layer folds: the closer the three anchors, the closer a layer's triangle is to the skin's. Depths stay, and so does
// flesh.
static void even_anchors(binder* m, sup_vec3* rest, bool* marked, sup_vec3* sums, uint32_t* counts)
{
    const layers_bound* b = m->b;
    for (uint32_t round = 0; round < EVEN_ROUNDS && go_on(m, 0.3 + 0.1 * round / EVEN_ROUNDS) && mark_folds(m, rest, marked);
         ++round) {
        for (uint32_t k = 0; k < b->count; ++k) sums[k] = v3_add(rest[k], m->ways[k]), counts[k] = 1;
        for (uint32_t t = 0; t < b->triangle_count; ++t)
            for (int i = 0; i < 3; ++i) {
                uint32_t k = b->triangles[3 * (size_t)t + i], j = b->triangles[3 * (size_t)t + (i + 1) % 3];
                if (!marked[k]) continue;
                sums[k] = v3_add(sums[k], v3_add(rest[j], m->ways[j]));
                ++counts[k];
            }
        for (uint32_t k = 0; k < b->count && !crowded(m); ++k) {
            if (!marked[k]) continue;
            sup_vec3 way = v3_sub(v3_scale(sums[k], 1.0f / (float)counts[k]), rest[k]);
            double   out = way_out(m, k, way, 1.0, &m->looks);
            float    length = v3_length(way), most = v3_distance(m->b->anchors[k], rest[k]); // thin flesh stays thin: an ear
            if (out < 1.0) way = v3_scale(way, leaving_share * (float)out);
            else if (length > most) way = v3_scale(way, most / length);
            m->ways[k] = way;
            place_point(m, k, rest);
        }
    }
}

// Makes folded layers shallower.
static void unfold(binder* m, sup_vec3* rest, bool* marked)
{
    const layers_bound* b = m->b;
    for (uint32_t round = 0; round < FOLD_ROUNDS && mark_folds(m, rest, marked); ++round)
        for (uint32_t k = 0; k < b->count; ++k) {
            if (!marked[k]) continue;
            m->scales[k] *= fold_step;
            place_point(m, k, rest);
        }
}

/// False: faces block each other everywhere, or the caller canceled.
static bool find_ways(binder* m, const sup_tasks* tasks, way_job* job)
{
    layers_bound* b = m->b;
    for (job->first = 0; job->first < b->count; job->first += WAY_GRAIN * WAY_SLICE) {
        uint32_t left = b->count - job->first, count = left < WAY_GRAIN * WAY_SLICE ? left : WAY_GRAIN * WAY_SLICE;
        memset(job->looks, 0, sizeof job->looks);
        sup_tasks_run(tasks, count, WAY_GRAIN, way_task, job);
        for (uint32_t i = 0; i < WAY_SLICE; ++i) m->looks += job->looks[i];
        if (!go_on(m, 0.1 + 0.2 * job->first / b->count)) return false;
    }
    for (uint32_t k = 0; k < b->count; ++k) {
        b->mended.anchors_outside += job->outside[k];
        b->mended.anchors_at_skin += job->at_skin[k];
        m->scales[k] = 1;
    }
    return true;
}

typedef struct evening {
    bool*     marked;
    sup_vec3* sums;
    uint32_t* counts;
} evening;

static void set_layers(binder* m, sup_vec3* rest, const evening* e)
{
    layers_bound* b = m->b;
    for (uint32_t k = 0; k < b->count; ++k) place_point(m, k, rest);
    unfold(m, rest, e->marked);
    if (restore_depths(m, rest, e->marked, e->counts)) {
        even_anchors(m, rest, e->marked, e->sums, e->counts);
        if (go_on(m, 0.4)) unfold(m, rest, e->marked);
    }
    for (uint32_t k = 0; k < b->count; ++k) b->mended.limited += m->scales[k] < 1;
}

static sup_result bind_anchors(const sup_bind_input* in, binder* m, sup_arena* arena, sup_arena* temporary, sup_error* error)
{
    const sup_skeleton* s = &in->character->skeleton;
    layers_bound*       b = m->b;
    m->bones = sup_arena_copy(temporary, s->bones, s->bone_count, sizeof *s->bones);
    sup_result r = sup_bvh_create(b->rest, b->triangles, b->triangle_count, temporary, &m->bvh, error);
    if (r) return r;
    sup_vec3 *anchors = SUP_NEW(arena, sup_vec3, b->stride), *rest = (sup_vec3*)b->rest;
    evening   e = { SUP_NEW(temporary, bool, b->stride), SUP_NEW(temporary, sup_vec3, b->stride),
                    SUP_NEW(temporary, uint32_t, b->stride) };
    way_job   job = { .m = m,
                      .outside = SUP_NEW(temporary, uint8_t, b->stride),
                      .at_skin = SUP_NEW(temporary, uint8_t, b->stride),
                      .anchors = anchors };
    m->ways = SUP_NEW(temporary, sup_vec3, b->stride);
    m->scales = SUP_NEW(temporary, float, b->stride);
    m->nodes = SUP_NEW(temporary, sup_box, 2 * (size_t)m->bvh.leaf_count);
    m->slots = SUP_NEW(temporary, sup_box, b->triangle_count);
    if (!m->bones || !anchors || !e.marked || !e.sums || !e.counts || !job.outside || !job.at_skin || !m->ways || !m->scales ||
        !m->nodes || !m->slots)
        return sup_fail_memory(error, "layers");
    sup_bvh_refit(&m->bvh, b->rest, in->tasks, m->nodes, m->slots);
    if (!lengthen_leaves(m, s->joint_count, temporary)) return sup_fail_memory(error, "layers");
    b->anchors = anchors;
    if (find_ways(m, in->tasks, &job)) set_layers(m, rest, &e);
    for (uint32_t k = 0; k < b->count; ++k) anchors[k] = v3_add(rest[k], m->ways[k]);
    if (m->stopped) return sup_fail(error, SUP_ERROR_CANCELLED, "stopped");
    if (crowded(m))
        return sup_fail(error, SUP_ERROR_INPUT,
                        "layers: the faces of '%s' cross each other everywhere, so it has no inside; repair the mesh",
                        in->character->name);
    return SUP_OK;
}

sup_result layers_bind_anchors(const sup_bind_input* in, sup_arena* arena, layers_bound* b, sup_error* error)
{
    sup_arena* temporary = sup_arena_beside(arena);
    if (!temporary) return sup_fail_memory(error, "layers");
    binder     m = { .b = b, .p = in->params, .bone_count = in->character->skeleton.bone_count, .progress = in->progress };
    sup_result r = bind_anchors(in, &m, arena, temporary, error);
    sup_arena_destroy(temporary);
    return r;
}
