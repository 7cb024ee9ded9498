// From curves to the skin: every point between two neighboring curves takes their motion, interpolated bilinearly between the
// nodes and between the curves. The mean of four nodes instead would jump from cell to cell.
#include "geom/curves/curves_internal.h"
#include "math/vec.h"

typedef struct near_place {
    uint32_t curve, a, b; ///< nodes
    float    t, square;
    sup_vec3 at;
} near_place;

/// Segments of a curve that share a bounding ball: most are farther than the best so far, and one test rejects them all.
enum { BLOCK = 16 };
/// Curves that one point may test. On real characters it is a few, at most some hundreds; where thousands lie in one place all
/// of them are as near as the first ones.
enum { LOOKS_MAX = 1024 };

typedef struct ball {
    sup_vec3 center;
    float    radius;
} ball;

static uint32_t steps_of(const sup_polylines* l, uint32_t curve)
{
    uint32_t n = l->begin[curve + 1] - l->begin[curve];
    return n == 1 || l->closed[curve] ? n : n - 1;
}

/// Whether all of the ball is surely farther than the root of `square`.
static bool ball_is_beyond(const ball* b, sup_vec3 p, float square)
{
    float away = v3_distance(b->center, p) - b->radius;
    return away > 0 && away * away * 0.999f > square;
}

/// Takes the nearest of the curve's segments from `begin` to `end` if it is nearer than *best.
static void nearest_steps(const sup_polylines* l, uint32_t curve, uint32_t begin, uint32_t end, sup_vec3 p, near_place* best)
{
    uint32_t first = l->begin[curve], n = l->begin[curve + 1] - first;
    for (uint32_t i = begin; i < end; ++i) {
        uint32_t a = first + i, b = first + (i + 1) % n;
        sup_vec3 d = v3_sub(l->nodes[b], l->nodes[a]);
        float    l2 = v3_length2(d), t = l2 > 0 ? sup_clampf(v3_dot(v3_sub(p, l->nodes[a]), d) / l2, 0, 1) : 0;
        sup_vec3 at = v3_mad(l->nodes[a], t, d);
        float    square = v3_length2(v3_sub(p, at));
        if (square < best->square) *best = (near_place){ curve, a, b, t, square, at };
    }
}

/// How far p is between the two places: its projection onto the line from one to the other.
static float between(sup_vec3 p, const near_place* one, const near_place* two)
{
    sup_vec3 d = v3_sub(two->at, one->at);
    float    l2 = v3_length2(d);
    return l2 > 0 ? sup_clampf(v3_dot(v3_sub(p, one->at), d) / l2, 0, 1) : 0;
}

struct transfer_job {
    const sup_polylines* lines;
    const sup_vec3*      points;
    const uint32_t*      limbs;
    const uint32_t*      limb_begin; ///< curves of each limb, a list; the last limb + 1 holds none
    uint32_t             limb_count;
    curve_tree           of_limbs, all;
    float                reach;
    sup_curve_share*     out;
    const sup_vec3*      centers;
    const ball*          around;      ///< one a curve
    const ball*          blocks;      ///< one for every BLOCK steps
    const uint32_t*      block_begin; ///< of each curve
};

/// The place of one curve nearest to p; meaningless if all of it is farther than the root of `known`.
static near_place nearest_on(const transfer_job* j, uint32_t curve, sup_vec3 p, float known)
{
    near_place best = { .curve = curve, .square = 3e38f };
    uint32_t   steps = steps_of(j->lines, curve), first = j->block_begin[curve], end = j->block_begin[curve + 1];
    for (uint32_t k = first; k < end; ++k) {
        if (ball_is_beyond(&j->blocks[k], p, fminf(known, best.square))) continue;
        uint32_t from = (k - first) * BLOCK;
        nearest_steps(j->lines, curve, from, steps < from + BLOCK ? steps : from + BLOCK, p, &best);
    }
    return best;
}

static void join(sup_curve_share* o, const transfer_job* j, const near_place* one, const near_place* two, float alpha)
{
    *o = (sup_curve_share){ .node = { one->a, one->b, two ? two->a : one->a, two ? two->b : one->b },
                            .curve = { one->curve, two ? two->curve : SUP_NONE },
                            .t = { one->t, two ? two->t : 0 },
                            .alpha = alpha,
                            .fade = o->fade };
    o->share[0] = (1 - alpha) * (1 - one->t) * o->fade;
    o->share[1] = (1 - alpha) * one->t * o->fade;
    o->share[2] = two ? alpha * (1 - two->t) * o->fade : 0;
    o->share[3] = two ? alpha * two->t * o->fade : 0;
    if (!two) return;
    // The projection of p's place onto the line between the two centers.
    sup_vec3 c1 = j->centers[one->curve], d = v3_sub(j->centers[two->curve], c1), p3 = v3_lerp(one->at, two->at, alpha);
    float    l2 = v3_length2(d);
    o->beta = l2 > 0 ? sup_clampf(v3_dot(v3_sub(p3, c1), d) / l2, 0, 1) : 0;
}

typedef struct near_search {
    const transfer_job* job;
    const curve_tree*   tree;
    sup_vec3            p;
    near_place          best; ///< the first of equally near curves
    uint32_t            looks;
} near_search;

/// A lower bound of the squared distance to the list.
static float list_square(const near_search* s, uint32_t begin, uint32_t end)
{
    return end - begin > CURVE_LEAF ? curve_box_square(&s->tree->boxes[begin + (end - begin) / 2], s->p) : 0;
}

static void look_at_list(near_search* s, uint32_t begin, uint32_t end)
{
    if (end - begin > CURVE_LEAF) {
        uint32_t middle = begin + (end - begin) / 2;
        float    left = list_square(s, begin, middle), right = list_square(s, middle, end);
        bool     turned = right < left; // the nearer half first
        if (!turned && left * 0.999f <= s->best.square) look_at_list(s, begin, middle);
        if (right * 0.999f <= s->best.square) look_at_list(s, middle, end);
        if (turned && left * 0.999f <= s->best.square) look_at_list(s, begin, middle);
        return;
    }
    for (uint32_t k = begin; k < end && s->looks < LOOKS_MAX; ++k) {
        uint32_t curve = s->tree->order[k];
        ++s->looks;
        if (ball_is_beyond(&s->job->around[curve], s->p, s->best.square)) continue;
        near_place n = nearest_on(s->job, curve, s->p, s->best.square);
        if (n.square < s->best.square || (n.square == s->best.square && curve < s->best.curve)) s->best = n;
    }
}

/// The place nearest to p on the curves of its limb, or on all if it has none. `guess`: the curve of the previous point,
/// because consecutive points are mostly neighbors in space.
static near_place nearest_of_all(const transfer_job* j, sup_vec3 p, uint32_t limb, uint32_t guess)
{
    const sup_polylines* l = j->lines;
    near_search          s = { .job = j, .tree = limb == SUP_NONE ? &j->all : &j->of_limbs, .p = p, .best.square = 3e38f };
    bool                 fits = guess < l->curve_count && (limb == SUP_NONE || !l->curves || l->curves[guess].limb == limb);
    if (fits) s.best = nearest_on(j, guess, p, 3e38f);
    if (limb == SUP_NONE) look_at_list(&s, 0, l->curve_count);
    else look_at_list(&s, j->limb_begin[limb], j->limb_begin[limb + 1]);
    return s.best;
}

/// `guess`: the curve of the previous point; set to this one's.
static void place_point(const transfer_job* j, uint32_t i, uint32_t* guess)
{
    const sup_polylines* l = j->lines;
    sup_vec3             p = j->points[i];
    uint32_t             limb = j->limbs ? j->limbs[i] : 0;
    bool                 own = limb != SUP_NONE && limb < j->limb_count && j->limb_begin[limb + 1] > j->limb_begin[limb];
    near_place           one, two;
    uint32_t             below = l->below ? l->below[i] : SUP_NONE;
    if (below != SUP_NONE) { // its position between two curves is known
        uint32_t before = l->curves[below].sides[1];
        one = nearest_on(j, below, p, 3e38f);
        if (before != SUP_NONE) two = nearest_on(j, before, p, 3e38f);
        j->out[i].fade = 1;
        join(&j->out[i], j, &one, before == SUP_NONE ? NULL : &two, before == SUP_NONE ? 0 : l->ratio[i]);
        return;
    }
    one = nearest_of_all(j, p, own ? limb : SUP_NONE, *guess);
    *guess = one.curve;
    sup_curve_share* o = &j->out[i];
    // A point of a limb without curves fades out with its distance from the nearest one.
    float away = sqrtf(one.square);
    o->fade = own ? 1.0f : 1.0f - sup_smoothstep(0.0f, j->reach > 0 ? j->reach : 1e-30f, away);
    if (one.square >= 3e38f || o->fade <= 0) {
        *o = (sup_curve_share){ .curve = { SUP_NONE, SUP_NONE } };
        return;
    }
    // Of the two sides, the one that the point lies toward.
    bool  found = false;
    float best = 0;
    for (uint32_t s = 0; s < 2; ++s) {
        uint32_t c = l->curves ? l->curves[one.curve].sides[s] : SUP_NONE;
        if (c == SUP_NONE || c == one.curve) continue;
        near_place n = nearest_on(j, c, p, 3e38f);
        float      alpha = between(p, &one, &n);
        if (!found || alpha > best) two = n, best = alpha;
        found = true;
    }
    join(o, j, &one, found ? &two : NULL, found ? best : 0);
}

static void place_task(void* data, uint32_t begin, uint32_t end)
{
    uint32_t guess = 0;
    for (uint32_t i = begin; i < end; ++i) place_point(data, i, &guess);
}

void sup_polylines_centers(const sup_polylines* l, const sup_vec3* nodes, sup_vec3* out)
{
    for (uint32_t c = 0; c < l->curve_count; ++c) {
        uint32_t begin = l->begin[c], n = l->begin[c + 1] - begin, steps = l->closed[c] ? n : n - 1;
        double   sum[3] = { 0, 0, 0 }, total = 0;
        for (uint32_t i = 0; i < steps; ++i) {
            sup_vec3 a = nodes[begin + i], b = nodes[begin + (i + 1) % n];
            double   w = 0.5 * (double)v3_distance(a, b);
            sum[0] += w * ((double)a.x + b.x), sum[1] += w * ((double)a.y + b.y), sum[2] += w * ((double)a.z + b.z);
            total += 2 * w;
        }
        out[c] = total > 0 ? v3((float)(sum[0] / total), (float)(sum[1] / total), (float)(sum[2] / total)) : nodes[begin];
    }
}

/// The curves of each limb as one list, and all curves as one.
static bool group_curves(transfer_job* j, sup_arena* arena)
{
    const sup_polylines* l = j->lines;
    for (uint32_t c = 0; c < l->curve_count; ++c)
        if (l->curves && l->curves[c].limb >= j->limb_count) j->limb_count = l->curves[c].limb + 1;
    if (j->limb_count == 0) j->limb_count = 1;
    uint32_t* begin = SUP_NEW(arena, uint32_t, (size_t)j->limb_count + 2);
    uint32_t* list = SUP_NEW(arena, uint32_t, l->curve_count);
    uint32_t* all = SUP_NEW(arena, uint32_t, l->curve_count);
    if (!begin || !list || !all) return false;
    for (uint32_t c = 0; c < l->curve_count; ++c) ++begin[(l->curves ? l->curves[c].limb : 0) + 2];
    for (uint32_t i = 0; i < j->limb_count; ++i) begin[i + 2] += begin[i + 1];
    for (uint32_t c = 0; c < l->curve_count; ++c) list[begin[(l->curves ? l->curves[c].limb : 0) + 1]++] = c;
    for (uint32_t c = 0; c < l->curve_count; ++c) all[c] = c;
    j->limb_begin = begin;
    return curve_tree_create(l, j->centers, list, begin, j->limb_count, arena, &j->of_limbs) &&
           curve_tree_create(l, j->centers, all, (const uint32_t[]){ 0, l->curve_count }, 1, arena, &j->all);
}

/// The bounding ball of the curve's segments from `begin` to `end` around a center.
static ball ball_of(const sup_polylines* l, uint32_t curve, uint32_t begin, uint32_t end, sup_vec3 center)
{
    uint32_t first = l->begin[curve], n = l->begin[curve + 1] - first;
    ball     made = { .center = center };
    for (uint32_t i = begin; i <= end; ++i) made.radius = fmaxf(made.radius, v3_distance(l->nodes[first + i % n], center));
    return made;
}

static bool make_balls(transfer_job* j, sup_arena* arena)
{
    const sup_polylines* l = j->lines;
    ball*                around = SUP_NEW(arena, ball, l->curve_count);
    uint32_t*            begin = SUP_NEW(arena, uint32_t, (size_t)l->curve_count + 1);
    if (!around || !begin) return false;
    for (uint32_t c = 0; c < l->curve_count; ++c) begin[c + 1] = begin[c] + (steps_of(l, c) + BLOCK - 1) / BLOCK;
    ball* blocks = SUP_NEW(arena, ball, begin[l->curve_count]);
    if (!blocks) return false;
    for (uint32_t c = 0; c < l->curve_count; ++c) {
        uint32_t steps = steps_of(l, c), n = l->begin[c + 1] - l->begin[c];
        around[c] = ball_of(l, c, 0, steps, j->centers[c]);
        for (uint32_t k = begin[c]; k < begin[c + 1]; ++k) {
            uint32_t from = (k - begin[c]) * BLOCK, to = steps < from + BLOCK ? steps : from + BLOCK;
            blocks[k] = ball_of(l, c, from, to, l->nodes[l->begin[c] + (from + to) / 2 % n]);
        }
    }
    j->around = around;
    j->blocks = blocks;
    j->block_begin = begin;
    return true;
}

void transfer_stand(const transfer_job* j, sup_vec3 p, const uint32_t curve[2], const float share[2], sup_curve_share* out)
{
    *out = (sup_curve_share){ .curve = { curve[0], curve[1] }, .fade = share[0] + share[1], .mixed = true };
    for (uint32_t k = 0; k < 2; ++k) {
        if (curve[k] == SUP_NONE) continue;
        near_place n = nearest_on(j, curve[k], p, 3e38f);
        out->node[2 * k] = n.a, out->node[2 * k + 1] = n.b, out->t[k] = n.t;
        out->share[2 * k] = share[k] * (1 - n.t), out->share[2 * k + 1] = share[k] * n.t;
    }
}

sup_result sup_curve_transfer_create(const sup_polylines* lines, const sup_curve_skin* skin, sup_arena* arena,
                                     sup_curve_transfer* out, sup_error* error)
{
    uint32_t         count = skin->point_count;
    sup_curve_share* made = SUP_NEW(arena, sup_curve_share, count);
    sup_vec3*        centers = SUP_NEW(arena, sup_vec3, lines->curve_count);
    transfer_job     job = {
            .lines = lines, .points = skin->points, .limbs = skin->limbs, .reach = skin->reach, .out = made, .centers = centers
    };
    if (!made || !centers) return sup_fail_memory(error, "curves");
    sup_polylines_centers(lines, lines->nodes, centers);
    if (!group_curves(&job, arena) || !make_balls(&job, arena)) return sup_fail_memory(error, "curves");
    sup_tasks_run(NULL, count, 1024, place_task, &job);
    sup_vec3 low = v3(3e38f, 3e38f, 3e38f), high = v3(-3e38f, -3e38f, -3e38f);
    *out = (sup_curve_transfer){ .point_count = count, .points = made, .lines = *lines };
    for (uint32_t i = 0; i < count; ++i) {
        out->alone += made[i].curve[0] == SUP_NONE;
        low = v3_min(low, skin->points[i]), high = v3_max(high, skin->points[i]);
    }
    out->size = count ? v3_distance(low, high) : 0;
    return skin->triangle_count ? transfer_blend(&job, skin, made, arena, out, error) : SUP_OK;
}

// ---------------------------------------------------------------------------------------------- applying

/// The axes at a place between two curves: along p1 p2, away from the line of centers, across both. False if it has none.
static bool frame_at(sup_vec3 p1, sup_vec3 p2, sup_vec3 p3, sup_vec3 o3, float least, sup_vec3 axes[3])
{
    sup_vec3 a = v3_sub(p2, p1), r = v3_sub(p3, o3);
    float    length = v3_length(a);
    if (!(length > least)) return false;
    axes[0] = v3_scale(a, 1.0f / length);
    r = v3_mad(r, -v3_dot(r, axes[0]), axes[0]);
    length = v3_length(r);
    if (!(length > least)) return false;
    axes[1] = v3_scale(r, 1.0f / length);
    axes[2] = v3_cross(axes[0], axes[1]);
    return true;
}

static sup_vec3 displaced(const sup_curve_share* o, const sup_vec3* rest, const sup_vec3* moved)
{
    sup_vec3 d = v3(0, 0, 0);
    for (int k = 0; k < 4; ++k)
        if (o->share[k] != 0) d = v3_mad(d, o->share[k], v3_sub(moved[o->node[k]], rest[o->node[k]]));
    return d;
}

static sup_vec3 framed(const sup_curve_transfer* t, uint32_t i, sup_vec3 p, const sup_vec3* moved, const sup_vec3* centers,
                       const sup_vec3* moved_centers)
{
    const sup_curve_share* o = &t->points[i];
    const sup_vec3*        rest = t->lines.nodes;
    if (o->curve[1] == SUP_NONE || o->fade < 1 || o->mixed) return displaced(o, rest, moved);
    sup_vec3 axes[3], turned[3], at[2][4];
    for (int k = 0; k < 2; ++k) { // at rest and moved: p1, p2, p3, O3
        const sup_vec3 *n = k ? moved : rest, *c = k ? moved_centers : centers;
        at[k][0] = v3_lerp(n[o->node[0]], n[o->node[1]], o->t[0]);
        at[k][1] = v3_lerp(n[o->node[2]], n[o->node[3]], o->t[1]);
        at[k][2] = v3_lerp(at[k][0], at[k][1], o->alpha);
        at[k][3] = v3_lerp(c[o->curve[0]], c[o->curve[1]], o->beta);
    }
    float least = 1e-6f * t->size;
    if (!frame_at(at[0][0], at[0][1], at[0][2], at[0][3], least, axes) ||
        !frame_at(at[1][0], at[1][1], at[1][2], at[1][3], least, turned))
        return displaced(o, rest, moved);
    // Only the difference of the frames acts, so that the identity stays exact.
    sup_vec3 d = v3_sub(p, at[0][2]), out = v3_sub(at[1][2], at[0][2]);
    for (int k = 0; k < 3; ++k) {
        float along = v3_dot(axes[k], d);
        out = v3_add(out, v3_scale(v3_sub(turned[k], axes[k]), along));
    }
    return out;
}

void sup_curve_transfer_apply(const sup_curve_transfer* t, const sup_vec3* rest, const sup_vec3* moved, const sup_vec3* centers,
                              const sup_vec3* moved_centers, uint32_t begin, uint32_t end, sup_vec3* out)
{
    for (uint32_t i = begin; i < end; ++i)
        out[i] =
            centers ? framed(t, i, rest[i], moved, centers, moved_centers) : displaced(&t->points[i], t->lines.nodes, moved);
    for (uint32_t k = sup_transfer_more_from(t, begin); k < t->more_count && t->more[k] < end; ++k)
        out[t->more[k]] = v3_add(out[t->more[k]], displaced(&t->more_shares[k], t->lines.nodes, moved));
}

uint32_t sup_transfer_more_from(const sup_curve_transfer* t, uint32_t begin)
{
    uint32_t low = 0, high = t->more_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (t->more[middle] < begin) low = middle + 1;
        else high = middle;
    }
    return low;
}
