#include "deform/curves/segments.h"

#include "base/scratch_layout.h"
#include "math/vec.h"
#include "run/examples.h"

#include <string.h>

/// Condition number of B from which a point starts to leave linear blending, and from which it has left it.
#define SQUEEZED_FROM 1.1f
#define SQUEEZED_TO 1.6f
/// Share of the area errors that is linear blending's (the rest is dual quaternions') from which a point is lifted, and fully
/// lifted.
#define WORSE_FROM 0.5f
#define WORSE_TO 0.75f
enum { SPREAD_ROUNDS = 4 };
// Of a smooth share from 0 to 1: less is invisible, and costs as much.
#define SQUEEZED_LEAST 0.02f
// Of 1 - cos^2 of half the angle between two rotations: within a tenth of a degree they are equal.
#define SAME_TURN 1e-6f
// Seconds, eleven days: a later time is a mistake.
#define TIME_MOST 1e6

enum { GRAIN = 4096 };

/// Poses of one clip's examples, as the rotations of the joints that differ between them.
struct pose_line {
    uint32_t        first, count; ///< examples
    uint32_t        joint_count;
    const uint32_t* joints;
    const sup_quat* turns; ///< count x joint_count
};

typedef struct segment_maker {
    const sup_bind_input* in;
    const char*           who;
    bool                  lean;
    sup_arena*            arena;
    sup_arena*            beside;
    sup_error*            error;
    sup_segments*         out;
    const sup_example**   chosen; ///< NULL: the plain skin
    uint32_t              count;
    sup_pose*             poses;
    sup_example_puller    puller;
    float*                squeezed; ///< per point: 0 not at all, 1 fully
    sup_push*             push;
    sup_vec3*             lifted; ///< of the turned points: dual quaternion skin
    sup_mat3*             turns;
    void*                 scratch;
    sup_vec3*             dual;      ///< all points by dual quaternions
    double*               errors[2]; ///< per point: squared errors of areas, linear and dual
} segment_maker;

// ---------------------------------------------------------------------------------------------- which examples

/// A character without clips stands still: its examples are ordered in time, at rest.
static bool belongs(const sup_bind_input* in, const sup_example* e)
{
    if (!in->clip) return !e->clip && in->character->clip_count == 0;
    return !e->clip || strcmp(e->clip, in->clip->name) == 0;
}

static double time_of(const sup_example* e) { return e ? e->time : 0.0; }

/// By clip (if the pose drives), then by time; insertion sort is stable.
static bool comes_before(const segment_maker* m, const sup_example* a, const sup_example* b)
{
    if (m->out->posed) {
        int order = strcmp(a->clip ? a->clip : "", b->clip ? b->clip : "");
        if (order != 0) return order < 0;
    }
    return a->time < b->time;
}

static sup_result choose(segment_maker* m)
{
    const sup_character* c = m->in->character;
    uint32_t             own = 0;
    for (uint32_t i = 0; i < c->example_count; ++i) own += belongs(m->in, &c->examples[i]);
    if (c->example_count == 0)
        return sup_fail(m->error, SUP_ERROR_INPUT, "%s: '%s' has no example shapes; give them with --example T=FILE", m->who,
                        c->name);
    m->out->posed = own == 0;
    m->chosen = SUP_NEW(m->beside, const sup_example*, (size_t)c->example_count + 1);
    if (!m->chosen) return sup_fail_memory(m->error, "example shapes");
    for (uint32_t i = 0; i < c->example_count; ++i) {
        const sup_example* e = &c->examples[i];
        if (!m->out->posed && !belongs(m->in, e)) continue;
        if (!(e->time >= 0 && e->time <= TIME_MOST))
            return sup_fail(m->error, SUP_ERROR_INPUT, "%s: example '%s' stands at %g s; give a time of the clip", m->who,
                            e->name, e->time);
        uint32_t k = m->count++;
        for (; k > 0 && comes_before(m, e, m->chosen[k - 1]); --k) m->chosen[k] = m->chosen[k - 1];
        m->chosen[k] = e;
    }
    for (uint32_t k = 1; k < m->count; ++k) {
        const sup_example *a = m->chosen[k - 1], *b = m->chosen[k];
        if (!comes_before(m, a, b))
            return sup_fail(m->error, SUP_ERROR_INPUT, "%s: examples '%s' and '%s' stand at the same time, %g s; move one",
                            m->who, a->name, b->name, b->time);
    }
    if (m->count == 1 && m->chosen[0]->time > 0) { // one sculpt: from the plain skin to it
        m->chosen[1] = m->chosen[0];
        m->chosen[0] = NULL;
        m->count = 2;
        m->out->implied = true;
    }
    return SUP_OK;
}

static sup_result pose_examples(segment_maker* m)
{
    const sup_bind_input* in = m->in;
    m->poses = SUP_NEW(m->beside, sup_pose, m->count);
    if (!m->poses) return sup_fail_memory(m->error, "example shapes");
    for (uint32_t i = 0; i < m->count; ++i) {
        sup_result r = sup_pose_create(in->character, m->beside, &m->poses[i], m->error);
        if (r) return r;
        if (!m->chosen[i]) {
            if (in->clip && !m->out->posed) sup_clip_sample(in->character, in->clip, 0.0, &m->poses[i]);
            else sup_pose_rest(in->character, &m->poses[i]);
        } else if (!m->chosen[i]->clip && !in->clip && (m->chosen[i]->in_rest_space || in->character->clip_count == 0))
            sup_pose_rest(in->character, &m->poses[i]);
        else {
            r = sup_example_pose(in, m->chosen[i], &m->poses[i], m->error);
            if (r) return r;
        }
    }
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- pulling back

static float squeeze_of(const sup_mat3* b)
{
    sup_affine a = { { { b->m[0][0], b->m[0][1], b->m[0][2], 0 },
                       { b->m[1][0], b->m[1][1], b->m[1][2], 0 },
                       { b->m[2][0], b->m[2][1], b->m[2][2], 0 } } };
    if (!(affine_determinant(&a) > 0)) return 1;
    float condition = affine_condition(&a);
    return condition < SQUEEZED_TO ? sup_smoothstep(SQUEEZED_FROM, SQUEEZED_TO, condition) : 1;
}

static sup_vec3 mat3_times(const sup_mat3* m, sup_vec3 p)
{
    return v3(m->m[0][0] * p.x + m->m[0][1] * p.y + m->m[0][2] * p.z, m->m[1][0] * p.x + m->m[1][1] * p.y + m->m[1][2] * p.z,
              m->m[2][0] * p.x + m->m[2][1] * p.y + m->m[2][2] * p.z);
}

/// The base of a squeezed point before anything is added, and the map of what is added.
static sup_vec3 lifted_base(const sup_push* p, uint32_t k, sup_vec3 point, sup_vec3 skinned, const sup_vec3* lifted)
{
    return v3_mad(point, p->lifted[k], v3_sub(lifted[k], skinned));
}

static double twice_area(const sup_vec3* points, const uint32_t* c)
{
    return (double)v3_length(v3_cross(v3_sub(points[c[1]], points[c[0]]), v3_sub(points[c[2]], points[c[0]])));
}

/// Which skinning better preserves the areas of the sculpt, wherever the sculpt rotates to: a collapsed wrist has small ones,
/// while a twist spread differently only shears them.
static void compare_areas(segment_maker* m, uint32_t i)
{
    const sup_mesh* mesh = &m->in->character->mesh;
    const sup_vec3 *sculpt = m->chosen[i]->points, *skins[2] = { m->puller.skinned, m->dual };
    sup_skin_call   call = { .dualquat = true,
                             .blend = 1,
                             .skin = m->poses[i].skin,
                             .tasks = m->in->tasks,
                             .scratch = m->puller.scratch,
                             .out = m->dual };
    sup_skin_evaluate(m->puller.skin.set, &call);
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        const uint32_t* c = mesh->triangles + 3 * (size_t)t;
        double          area = twice_area(sculpt, c);
        for (int w = 0; w < 2; ++w) {
            double off = twice_area(skins[w], c) - area;
            for (int k = 0; k < 3; ++k) m->errors[w][c[k]] += off * off;
        }
    }
}

/// Points that are squeezed and better with dual quaternions; smoothed a little, so that neighbors agree.
static bool find_lifted(segment_maker* m)
{
    const sup_mesh* mesh = &m->in->character->mesh;
    float*          sums = SUP_NEW(m->beside, float, 2 * (size_t)mesh->point_count);
    if (!sums) return false;
    for (uint32_t p = 0; p < mesh->point_count; ++p) {
        double both = m->errors[0][p] + m->errors[1][p];
        m->squeezed[p] *= both > 0 ? sup_smoothstep(WORSE_FROM, WORSE_TO, (float)(m->errors[0][p] / both)) : 0;
    }
    for (uint32_t round = 0; round < SPREAD_ROUNDS; ++round) {
        for (size_t i = 0; i < 2 * (size_t)mesh->point_count; ++i) sums[i] = 0;
        for (uint32_t t = 0; t < mesh->triangle_count; ++t)
            for (uint32_t k = 0; k < 3; ++k)
                for (uint32_t j = 0; j < 3; ++j) {
                    uint32_t p = mesh->triangles[3 * t + k];
                    sums[2 * p] += m->squeezed[mesh->triangles[3 * t + j]], sums[2 * p + 1] += 1;
                }
        for (uint32_t p = 0; p < mesh->point_count; ++p)
            if (sums[2 * p + 1] > 0) m->squeezed[p] = sums[2 * p] / sums[2 * p + 1];
    }
    for (uint32_t p = 0; p < mesh->point_count; ++p)
        if (m->squeezed[p] < SQUEEZED_LEAST) m->squeezed[p] = 0;
    return true;
}

/// The set of squeezed points with what pulling them back needs.
static sup_result make_turned(segment_maker* m)
{
    const sup_character* c = m->in->character;
    sup_push*            push = m->push;
    uint32_t             n = 0, influences = 0, joints_all = c->skeleton.joint_count;
    for (uint32_t p = 0; p < c->mesh.point_count; ++p)
        if (m->squeezed[p] > 0) ++n, influences += c->weights.begin[p + 1] - c->weights.begin[p];
    push->turned_count = n;
    if (n == 0) return SUP_OK;
    uint32_t* turned = SUP_NEW(m->arena, uint32_t, n);
    float*    lifted = SUP_NEW(m->arena, float, n);
    uint32_t *begin = SUP_NEW(m->beside, uint32_t, (size_t)n + 1), *joints = SUP_NEW(m->beside, uint32_t, influences);
    float*    values = SUP_NEW(m->beside, float, influences);
    sup_vec3 *points = SUP_NEW(m->beside, sup_vec3, n), *centers = SUP_NEW(m->beside, sup_vec3, joints_all);
    m->lifted = SUP_NEW(m->beside, sup_vec3, (size_t)n + SUP_LANES);
    m->turns = SUP_NEW(m->beside, sup_mat3, (size_t)n + SUP_LANES);
    if (!turned || !lifted || !begin || !joints || !values || !points || !centers || !m->lifted || !m->turns)
        return sup_fail_memory(m->error, "example shapes");
    for (uint32_t p = 0, k = 0, at = 0; p < c->mesh.point_count; ++p) {
        if (!(m->squeezed[p] > 0)) continue;
        turned[k] = p;
        lifted[k] = m->squeezed[p];
        points[k] = c->mesh.points[p];
        for (uint32_t i = c->weights.begin[p]; i < c->weights.begin[p + 1]; ++i, ++at)
            joints[at] = c->weights.joints[i], values[at] = c->weights.values[i];
        begin[++k] = at;
    }
    for (uint32_t j = 0; j < joints_all; ++j) {
        sup_affine bind;
        if (affine_invert(&c->skeleton.joints[j].inverse_bind, &bind)) centers[j] = affine_translation(&bind);
    }
    push->turned = turned;
    push->lifted = lifted;
    sup_skin_desc desc = { .point_count = n,
                           .points = points,
                           .begin = begin,
                           .joints = joints,
                           .values = values,
                           .joint_count = joints_all,
                           .joint_centers = centers };
    sup_result    r = sup_skin_create(&desc, m->arena, &push->turned_set, m->error);
    if (r) return r;
    m->scratch = sup_arena_alloc(m->beside, sup_skin_scratch(push->turned_set) + 64, 1);
    return m->scratch ? SUP_OK : sup_fail_memory(m->error, "example shapes");
}

static sup_result pull_example(segment_maker* m, uint32_t i, sup_vec3* q)
{
    const sup_example* e = m->chosen[i];
    uint32_t           stand_ins = 0;
    if (!e) return SUP_OK; // the arena is zeroed
    sup_result r = sup_example_pull(&m->puller, e, &m->poses[i], q, &stand_ins, m->error);
    if (!r && stand_ins > m->out->stand_ins) m->out->stand_ins = stand_ins;
    return r;
}

/// Pulls squeezed points of a posed example again, from their lifted base. `posed` and `skinned` are the puller's for this
/// example.
static void pull_turned(segment_maker* m, uint32_t i, sup_vec3* q)
{
    const sup_push* p = m->push;
    sup_skin_call   call = { .dualquat = true,
                             .blend = 1,
                             .skin = m->poses[i].skin,
                             .tasks = m->in->tasks,
                             .scratch = m->scratch,
                             .out = m->lifted,
                             .matrices = m->turns };
    sup_skin_evaluate(p->turned_set, &call);
    for (uint32_t k = 0; k < p->turned_count; ++k) {
        uint32_t   v = p->turned[k];
        sup_vec3   d = v3_sub(m->chosen[i]->points[v], lifted_base(p, k, m->puller.posed[v], m->puller.skinned[v], m->lifted));
        sup_affine a = { 0 }, inverse;
        for (int row = 0; row < 3; ++row)
            for (int c = 0; c < 3; ++c) a.m[row][c] = m->turns[k].m[row][c];
        if (affine_invert(&a, &inverse)) q[v] = affine_direction(&inverse, d);
    }
}

static sup_result pull_all(segment_maker* m)
{
    uint32_t   points = m->in->character->mesh.point_count;
    sup_vec3** q = SUP_NEW(m->arena, sup_vec3*, m->count);
    m->squeezed = SUP_NEW(m->beside, float, points);
    m->dual = SUP_NEW(m->beside, sup_vec3, (size_t)points + SUP_LANES);
    for (int w = 0; w < 2; ++w) m->errors[w] = SUP_NEW(m->beside, double, points);
    if (!q || !m->squeezed || !m->dual || !m->errors[0] || !m->errors[1]) return sup_fail_memory(m->error, "example shapes");
    sup_result r = sup_example_puller_create(m->in, m->in->skinning == SUP_SKINNING_DUALQUAT, m->beside, &m->puller, m->error);
    for (uint32_t i = 0; i < m->count && !r; ++i) {
        q[i] = SUP_NEW(m->arena, sup_vec3, (size_t)points + SUP_LANES);
        if (!q[i]) return sup_fail_memory(m->error, "example shapes");
        r = pull_example(m, i, q[i]);
        if (r || !m->chosen[i] || m->chosen[i]->in_rest_space || m->puller.dualquat || !m->lean) continue;
        for (uint32_t p = 0; p < points; ++p) {
            float s = squeeze_of(&m->puller.matrices[p]);
            if (s > m->squeezed[p]) m->squeezed[p] = s;
        }
        compare_areas(m, i);
    }
    if (!r && !find_lifted(m)) r = sup_fail_memory(m->error, "example shapes");
    if (!r) r = make_turned(m);
    // Again, now that the lifted points are known.
    for (uint32_t i = 0; i < m->count && !r && m->push->turned_count; ++i) {
        if (!m->chosen[i] || m->chosen[i]->in_rest_space) continue;
        r = pull_example(m, i, q[i]);
        if (!r) pull_turned(m, i, q[i]);
    }
    m->out->q = (const sup_vec3* const*)q;
    return r;
}

// ---------------------------------------------------------------------------------------------- lines of poses

static bool turns_differ(sup_quat a, sup_quat b)
{
    float d = quat_dot(a, b);
    return d * d < 1.0f - SAME_TURN;
}

static sup_result make_line(segment_maker* m, uint32_t first, uint32_t count, struct pose_line* out)
{
    uint32_t  joints = m->in->character->skeleton.joint_count, n = 0;
    uint32_t* which = SUP_NEW(m->arena, uint32_t, joints);
    if (!which) return sup_fail_memory(m->error, "example shapes");
    for (uint32_t j = 0; j < joints; ++j) {
        bool moves = false;
        for (uint32_t i = 1; i < count; ++i)
            moves |= turns_differ(m->poses[first].local[j].rotation, m->poses[first + i].local[j].rotation);
        if (moves) which[n++] = j;
    }
    sup_quat* turns = SUP_NEW(m->arena, sup_quat, (size_t)n * count);
    if (!turns) return sup_fail_memory(m->error, "example shapes");
    for (uint32_t i = 0; i < count; ++i)
        for (uint32_t k = 0; k < n; ++k) turns[i * n + k] = m->poses[first + i].local[which[k]].rotation;
    *out = (struct pose_line){ first, count, n, which, turns };
    return SUP_OK;
}

static sup_result make_lines(segment_maker* m)
{
    struct pose_line* lines = SUP_NEW(m->arena, struct pose_line, m->count);
    if (!lines) return sup_fail_memory(m->error, "example shapes");
    m->out->lines = lines;
    for (uint32_t i = 0; i < m->count;) {
        uint32_t    n = 1;
        const char* clip = m->chosen[i] && m->chosen[i]->clip ? m->chosen[i]->clip : "";
        while (i + n < m->count && (!m->chosen[i] || strcmp(m->chosen[i + n]->clip ? m->chosen[i + n]->clip : "", clip) == 0))
            ++n;
        sup_result r = make_line(m, i, n, &lines[m->out->line_count++]);
        if (r) return r;
        i += n;
    }
    return SUP_OK;
}

/// Half the chord between two rotations, squared and signed: the dot product of differences of aligned quaternions.
static sup_quat aligned(sup_quat q, sup_quat to) { return quat_dot(q, to) < 0 ? quat(-q.x, -q.y, -q.z, -q.w) : q; }

static sup_quat minus(sup_quat a, sup_quat b) { return quat(a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w); }

void sup_segments_weights_at(const sup_segments* s, const sup_pose* pose, float* weights)
{
    for (uint32_t i = 0; i < s->count; ++i) weights[i] = 0;
    for (uint32_t l = 0; l < s->line_count; ++l) {
        const struct pose_line* line = &s->lines[l];
        float                   least = 3e38f, best_ratio = 0;
        uint32_t                best = 0;
        for (uint32_t i = 0; i + 1 < line->count; ++i) {
            float along = 0, length = 0, away = 0;
            for (uint32_t k = 0; k < line->joint_count; ++k) {
                sup_quat a = line->turns[i * line->joint_count + k];
                sup_quat d = minus(aligned(line->turns[(i + 1) * line->joint_count + k], a), a);
                sup_quat x = minus(aligned(pose->local[line->joints[k]].rotation, a), a);
                along += quat_dot(x, d), length += quat_dot(d, d), away += quat_dot(x, x);
            }
            float ratio = length > 0 ? sup_clampf(along / length, 0, 1) : 0;
            away += ratio * ratio * length - 2 * ratio * along;
            if (away < least) least = away, best = i, best_ratio = ratio;
        }
        weights[line->first + best] += 1 - best_ratio;
        if (line->count > 1) weights[line->first + best + 1] += best_ratio;
    }
}

uint32_t sup_segments_paths(const sup_segments* s, sup_pose_path* paths)
{
    uint32_t count = 0;
    for (uint32_t l = 0; l < s->line_count; ++l) {
        uint32_t first = s->lines[l].first, last = first + s->lines[l].count - 1;
        if (first == last) paths[count++] = (sup_pose_path){ first, first };
        for (uint32_t i = first; i < last; ++i) paths[count++] = (sup_pose_path){ i, i + 1 };
    }
    return count;
}

// ---------------------------------------------------------------------------------------------- time

uint32_t sup_segments_find(const sup_segments* s, double time, double* ratio, double* beyond)
{
    if (beyond) *beyond = 0;
    *ratio = 0;
    if (s->count < 2 || !(time > s->times[0])) return 0;
    if (time >= s->times[s->count - 1]) {
        if (beyond) *beyond = time - s->times[s->count - 1];
        *ratio = 1;
        return s->count - 2;
    }
    uint32_t low = 0, high = s->count - 1; // times[low] <= time < times[high]
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        if (s->times[middle] <= time) low = middle;
        else high = middle;
    }
    *ratio = (time - s->times[low]) / (s->times[low + 1] - s->times[low]);
    return low;
}

static sup_tangent tangent_at(const sup_segments* s, uint32_t i)
{
    sup_tangent t = { i > 0 ? i - 1 : i, i + 1 < s->count ? i + 1 : i, 0 };
    if (t.from < i && i < t.to) t.scale = 1.0 / (s->times[t.to] - s->times[t.from]);
    return t;
}

void sup_segments_hermite(const sup_segments* s, uint32_t i, double t, double shares[4])
{
    double h01 = t * t * (3 - 2 * t), h[2] = { t * (1 - t) * (1 - t), t * t * (t - 1) };
    double span = i + 1 < s->count ? s->times[i + 1] - s->times[i] : 0;
    shares[0] = shares[3] = 0;
    shares[1] = 1 - h01;
    shares[2] = h01;
    for (uint32_t k = 0; k < 2; ++k) {
        sup_tangent m = tangent_at(s, i + k);
        shares[m.from + 1 - i] -= h[k] * span * m.scale;
        shares[m.to + 1 - i] += h[k] * span * m.scale;
    }
}

// ---------------------------------------------------------------------------------------------- pushing forward

sup_result sup_push_create(const sup_bind_input* in, sup_arena* arena, sup_push* out, sup_error* error)
{
    *out = (sup_push){ .character = in->character, .dualquat = in->skinning == SUP_SKINNING_DUALQUAT };
    return skin_character_bind(in->character, arena, &out->skin, error);
}

/// Layout of scratch, in order.
typedef struct push_workspace {
    sup_vec3* morphed; ///< rest points, and the rest points + q
    sup_mat3* matrices;
    sup_vec3* posed; ///< of the turned points, or of all
    sup_vec3* rest;  ///< of the turned points, if morphs move them
    void*     skin;
} push_workspace;

static push_workspace cut_workspace(const sup_push* p, void* scratch, size_t* total)
{
    size_t points = (size_t)p->character->mesh.point_count + SUP_LANES,
           some = p->dualquat ? points : p->turned_count + SUP_LANES;
    size_t         one = sup_skin_scratch(p->skin.set), two = p->turned_set ? sup_skin_scratch(p->turned_set) : 0;
    sup_layout     l = { .base = scratch };
    push_workspace r;
    r.morphed = sup_layout_add(&l, points, sizeof *r.morphed);
    r.matrices = sup_layout_add(&l, some, sizeof *r.matrices);
    r.posed = sup_layout_add(&l, some, sizeof *r.posed);
    r.rest = sup_layout_add(&l, (size_t)p->turned_count + SUP_LANES, sizeof *r.rest);
    r.skin = sup_layout_add(&l, (one > two ? one : two) + 64, 1);
    if (total) *total = l.used;
    return r;
}

size_t sup_push_scratch(const sup_push* push)
{
    size_t total;
    cut_workspace(push, NULL, &total);
    return total;
}

typedef struct push_job {
    const sup_push*       push;
    const sup_frame*      frame;
    const sup_vec3 *      rest, *q;
    const push_workspace* work;
    sup_vec3*             to;
} push_job;

static void add_rest_task(void* data, uint32_t begin, uint32_t end)
{
    const push_job* j = data;
    const float *   a = (const float*)j->rest, *b = (const float*)j->q;
    float*          to = (float*)j->to;
    for (size_t i = 3 * (size_t)begin; i < 3 * (size_t)end; ++i) to[i] = a[i] + b[i];
}

static void add_before_task(void* data, uint32_t begin, uint32_t end)
{
    const push_job* j = data;
    for (uint32_t i = begin; i < end; ++i) j->to[i] = v3_add(j->to[i], v3_sub(j->frame->points[i], j->frame->skinned[i]));
}

static void add_turned_by_matrix_task(void* data, uint32_t begin, uint32_t end)
{
    const push_job* j = data;
    for (uint32_t i = begin; i < end; ++i) j->to[i] = v3_add(j->frame->points[i], mat3_times(&j->work->matrices[i], j->q[i]));
}

static void turn_task(void* data, uint32_t begin, uint32_t end)
{
    const push_job* j = data;
    const sup_push* p = j->push;
    for (uint32_t k = begin; k < end; ++k) {
        uint32_t i = p->turned[k];
        sup_vec3 base = lifted_base(p, k, j->frame->points[i], j->frame->skinned[i], j->work->posed);
        j->to[i] = v3_add(base, mat3_times(&j->work->matrices[k], j->q[i]));
    }
}

static void push_turned(const sup_push* p, push_job* job, const sup_frame* frame, bool morphed)
{
    sup_skin_call call = { .dualquat = true,
                           .blend = 1,
                           .skin = frame->end->skin,
                           .points = morphed ? job->work->rest : NULL,
                           .tasks = frame->tasks,
                           .scratch = job->work->skin,
                           .out = job->work->posed,
                           .matrices = job->work->matrices };
    sup_skin_evaluate(p->turned_set, &call);
    sup_tasks_run(frame->tasks, p->turned_count, GRAIN, turn_task, job);
}

void sup_push_forward(const sup_push* p, const sup_frame* frame, sup_vec3* q, void* scratch, sup_vec3* out)
{
    uint32_t       n = p->character->mesh.point_count;
    push_workspace work = cut_workspace(p, scratch, NULL);
    push_job       job = { .push = p, .frame = frame, .q = q, .work = &work, .to = out };
    if (p->dualquat) {
        sup_skin_call call = { .dualquat = true,
                               .blend = 1,
                               .skin = frame->end->skin,
                               .tasks = frame->tasks,
                               .scratch = work.skin,
                               .out = work.posed,
                               .matrices = work.matrices };
        sup_skin_evaluate(p->skin.set, &call);
        sup_tasks_run(frame->tasks, n, GRAIN, add_turned_by_matrix_task, &job);
        return;
    }
    // Linear blending is linear in the point: the skin of rest + q includes both the skin of rest and B q.
    job.rest = sup_pose_morph(p->character, frame->end, work.morphed);
    bool morphed = job.rest != p->character->mesh.points;
    for (uint32_t k = 0; morphed && k < p->turned_count; ++k) work.rest[k] = job.rest[p->turned[k]];
    job.to = work.morphed;
    sup_tasks_run(frame->tasks, n, GRAIN, add_rest_task, &job);
    sup_skin_call call = {
        .skin = frame->end->skin, .points = work.morphed, .tasks = frame->tasks, .scratch = work.skin, .out = out
    };
    sup_skin_evaluate(p->skin.set, &call);
    job.to = out;
    if (frame->points != frame->skinned) sup_tasks_run(frame->tasks, n, GRAIN, add_before_task, &job);
    if (p->turned_count) push_turned(p, &job, frame, morphed);
}

// ---------------------------------------------------------------------------------------------- all of it

sup_result sup_segments_create(const sup_bind_input* in, const char* who, sup_arena* arena, sup_segments* out, sup_error* error)
{
    return sup_segments_create_as(in, who, true, arena, out, error);
}

sup_result sup_segments_create_as(const sup_bind_input* in, const char* who, bool lean, sup_arena* arena, sup_segments* out,
                                  sup_error* error)
{
    sup_segments  made = { 0 };
    segment_maker m = { .in = in,
                        .who = who,
                        .lean = lean,
                        .arena = arena,
                        .beside = sup_arena_beside(arena),
                        .error = error,
                        .out = &made,
                        .push = &made.push };
    sup_result    r = m.beside ? choose(&m) : sup_fail_memory(error, "example shapes");
    if (!r) r = pose_examples(&m);
    if (!r) r = sup_push_create(in, arena, &made.push, error);
    if (!r) r = pull_all(&m);
    if (!r) r = sup_turns_create(in->character, m.count, m.poses, arena, &made.turns, error);
    if (!r && made.posed) r = make_lines(&m);
    double*      times = r ? NULL : SUP_NEW(arena, double, m.count);
    const char** names = r ? NULL : SUP_NEW(arena, const char*, m.count);
    if (!r && (!times || !names)) r = sup_fail_memory(error, "example shapes");
    for (uint32_t i = 0; !r && i < m.count; ++i) {
        times[i] = made.posed ? 0.0 : time_of(m.chosen[i]);
        names[i] = m.chosen[i] ? m.chosen[i]->name : "the plain skin";
    }
    made.count = m.count;
    made.times = times;
    made.names = names;
    sup_arena_destroy(m.beside);
    if (!r) *out = made;
    return r;
}
