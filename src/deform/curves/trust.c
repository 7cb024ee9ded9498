#include "deform/curves/trust_internal.h"

#include "base/scratch_layout.h"
#include "math/trig.h"
#include "math/vec.h"

#include <math.h>
#include <string.h>

/// Poses this near to the path (0.06 degrees in every joint) are on it.
#define ON_THE_WAY 1e-3

/// Slides that count as a radian, in diagonals.
#define SLIDE_UNIT 0.1f
/// Share of a segment, at both ends, over which the ratio of time becomes that of the pose: all points leave an example with
/// the speed that its neighbors give them.
#define WINDOW 0.3f
/// Of its length: how far a path without time extends beyond both ends.
#define BEYOND 1.0f

enum { GRAIN_BLOCKS = 512 };

/// The position of a joint relative to the one above, in units of the world. Additional roots do not slide.
static sup_vec3 slide_of(const pose_joint* j, const sup_pose* pose)
{
    const sup_affine* above = &pose->global[j->above];
    sup_affine        inverse;
    if (j->base_end > j->base_begin || !affine_invert(above, &inverse)) return v3(0, 0, 0);
    sup_vec3 column = v3(above->m[0][0], above->m[1][0], above->m[2][0]);
    sup_vec3 at = v3_scale(affine_point(&inverse, affine_translation(&pose->global[j->joint])), v3_length(column));
    return v3_finite(at) ? at : v3(0, 0, 0);
}

/// Squared distance of two poses of a joint, in rotation and slide.
static double distance2(float unit, sup_quat turn_a, sup_vec3 slide_a, sup_quat turn_b, sup_vec3 slide_b)
{
    sup_quat q = quat_mul(quat_conjugate(turn_a), turn_b);
    double   x = q.x, y = q.y, z = q.z, w = q.w, by = unit > 0 ? 1 / (double)unit : 0;
    double   angle = 2 * sup_atan2(sqrt(x * x + y * y + z * z), fabs(w)); // the shorter rotation
    return angle * angle + by * by * (double)v3_length2(v3_sub(slide_b, slide_a));
}

sup_result sup_turns_create(const sup_character* c, uint32_t pose_count, const sup_pose* poses, sup_arena* arena,
                            sup_turns* out, sup_error* error)
{
    pose_joint* joints = NULL;
    uint32_t *  paths = NULL, count = 0, lost = 0;
    sup_result  r = sup_turn_joints(&c->skeleton, arena, &joints, &count, &paths, error);
    sup_quat*   turns = r ? NULL : SUP_NEW(arena, sup_quat, (size_t)count * pose_count + 1);
    sup_vec3*   slides = r ? NULL : SUP_NEW(arena, sup_vec3, (size_t)count * pose_count + 1);
    if (r) return r;
    if (!turns || !slides) return sup_fail_memory(error, "poses");
    for (uint32_t k = 0; k < pose_count; ++k)
        for (uint32_t j = 0; j < count; ++j) {
            turns[(size_t)k * count + j] = sup_turn_of(&joints[j], paths, &poses[k], &lost);
            slides[(size_t)k * count + j] = slide_of(&joints[j], &poses[k]);
        }
    *out = (sup_turns){ count, pose_count, joints, paths, turns, slides, SLIDE_UNIT * c->mesh.diagonal };
    return SUP_OK;
}

double trust_distance2(const sup_turns* t, uint32_t joint, uint32_t from, uint32_t to)
{
    size_t a = (size_t)from * t->joint_count + joint, b = (size_t)to * t->joint_count + joint;
    return distance2(t->unit, t->turns[a], t->slides[a], t->turns[b], t->slides[b]);
}

// ---------------------------------------------------------------------------------------------- a frame

static trust_workspace cut_workspace(const sup_trust* t, void* scratch, size_t* total)
{
    sup_layout      l = { .base = scratch };
    size_t          entries = ((size_t)t->block_count + t->like_count) * SUP_LANES;
    trust_workspace r;
    r.away = sup_layout_add(&l, (size_t)t->turns.pose_count * t->turns.joint_count, sizeof *r.away);
    r.own = sup_layout_add(&l, t->mover_count, sizeof *r.own);
    r.sums = sup_layout_add(&l, t->mover_count, sizeof *r.sums);
    r.score = sup_layout_add(&l, t->mover_count, sizeof *r.score);
    r.share = sup_layout_add(&l, entries, sizeof *r.share);
    r.shift = sup_layout_add(&l, entries, sizeof *r.shift);
    if (total) *total = l.used;
    return r;
}

size_t sup_trust_scratch(const sup_trust* t)
{
    size_t total = 0;
    if (t->block_count) cut_workspace(t, NULL, &total);
    return total;
}

float trust_whole_off(const sup_trust* trust, uint32_t path, const float* away)
{
    const sup_turns* t = &trust->turns;
    const float *    from = away + (size_t)trust->paths[path].from * t->joint_count,
                *to = away + (size_t)trust->paths[path].to * t->joint_count;
    const float* lengths = trust->lengths + (size_t)path * t->joint_count;
    double       n = 0, l = 0, g = 0;
    for (uint32_t j = 0; j < t->joint_count; ++j)
        n += (double)from[j], l += (double)lengths[j], g += 0.5 * ((double)from[j] + (double)lengths[j] - (double)to[j]);
    double s = l > 0 && g > 0 ? (g < l ? g / l : 1) : 0, off = n - 2 * s * g + s * s * l;
    return off > 0 ? (float)(off / t->joint_count) : 0;
}

void trust_sum_movers(const sup_trust* trust, uint32_t path, const trust_workspace* work)
{
    const sup_turns* t = &trust->turns;
    const uint32_t * begin = trust->turn_begin, *list = trust->turn_list;
    const float *    from = work->away + (size_t)trust->paths[path].from * t->joint_count,
                *to = work->away + (size_t)trust->paths[path].to * t->joint_count;
    const float *lengths = trust->lengths + (size_t)path * t->joint_count,
                *rates = trust->rates + (size_t)path * trust->mover_count;
    for (uint32_t m = 0; m < trust->mover_count; ++m) {
        sup_trust_sums sum = { 0, 0, 0, 0 };
        for (uint32_t i = begin[m]; i < begin[m + 1]; ++i) {
            uint32_t j = list[i];
            sum.n += from[j], sum.l += lengths[j], sum.g += 0.5f * (from[j] + lengths[j] - to[j]);
        }
        work->own[m] = sum;
    }
    float off = trust->doubts ? trust_whole_off(trust, path, work->away) : 0;
    for (uint32_t m = 0; m < trust->mover_count; ++m) {
        float          count = (float)(begin[m + 1] - begin[m]), all = count;
        float          lacks = 1 - work->own[m].l / (WAY_OWN * fmaxf(count, 1));
        sup_trust_sums sum = work->own[m];
        work->sums[m] = sum, work->sums[m].rate = rates[m];
        if (trust->doubts) work->sums[m].n += trust->doubts[m] * count * off * off;
        if (!(lacks > 0) || count == 0) continue;
        for (uint32_t i = begin[m]; i < begin[m + 1]; ++i) {
            const pose_joint*     j = &t->joints[list[i]];
            uint32_t              number = j->joint == m ? j->above : j->joint;
            const sup_trust_sums* beside = &work->own[number];
            sum.n += beside->n, sum.l += beside->l, sum.g += beside->g;
            all += (float)(begin[number + 1] - begin[number]);
        }
        float by = lacks * lacks * count / all;
        work->sums[m].n += by * sum.n, work->sums[m].l += by * sum.l, work->sums[m].g += by * sum.g;
    }
}

/// How far the current pose is from some of the poses: from `from` on in steps of `step`.
static void measure(const sup_trust* trust, const sup_pose* pose, uint32_t from, uint32_t step, uint32_t count, float* away)
{
    const sup_turns* t = &trust->turns;
    uint32_t         lost = 0;
    for (uint32_t j = 0; j < t->joint_count; ++j) {
        sup_quat turn = sup_turn_of(&t->joints[j], t->paths, pose, &lost);
        sup_vec3 slide = slide_of(&t->joints[j], pose);
        for (uint32_t k = 0; k < count; ++k) {
            size_t at = (size_t)(from + k * step) * t->joint_count + j;
            away[at] = (float)distance2(t->unit, t->turns[at], t->slides[at], turn, slide);
        }
    }
}

/// Whether the whole pose is where time says it is on the path.
static bool on_path(const sup_trust* trust, const sup_path_place* place, const float* away)
{
    const sup_turns* t = &trust->turns;
    const float *    from = away + (size_t)trust->paths[place->number].from * t->joint_count,
                *to = away + (size_t)trust->paths[place->number].to * t->joint_count;
    double worst = 0, r = place->ratio;
    for (uint32_t j = 0; j < t->joint_count; ++j) {
        double n = from[j], l = trust->lengths[(size_t)place->number * t->joint_count + j], g = 0.5 * (n + l - (double)to[j]);
        double off = n - 2 * r * g + r * r * l;
        if (off > worst) worst = off;
    }
    return worst <= ON_THE_WAY * ON_THE_WAY;
}

typedef struct trust_job {
    const sup_trust*      trust;
    const sup_trust_sums* sums;
    float                 ratio, near;
    float *               share, *shift;
} trust_job;

static void shares_task(void* data, uint32_t begin, uint32_t end)
{
    const trust_job* j = data;
    SUP_WIDE_PICK(sup_trust_shares)(j->trust, j->sums, j->ratio, j->near, begin, end, j->share, j->shift);
}

/// Shared blocks first.
static sup_trusted find_shares(trust_job job, const sup_tasks* tasks)
{
    const sup_trust* t = job.trust;
    shares_task(&job, t->block_count, t->block_count + t->like_count);
    sup_tasks_run(tasks, t->block_count, GRAIN_BLOCKS, shares_task, &job);
    return (sup_trusted){ job.share, job.shift };
}

sup_trusted sup_trust_find(const sup_trust* t, const sup_pose* pose, const sup_path_place* place, const sup_tasks* tasks,
                           void* scratch)
{
    sup_trusted none = { NULL, NULL };
    if (t->block_count == 0 || t->turns.joint_count == 0) return none;
    trust_workspace work = cut_workspace(t, scratch, NULL);
    sup_pose_path   ends = t->paths[place->number];
    if (ends.from < ends.to) measure(t, pose, ends.from, ends.to - ends.from, 2, work.away);
    else measure(t, pose, ends.to, ends.from - ends.to, 2, work.away); // around a loop
    if (on_path(t, place, work.away)) return none;
    trust_sum_movers(t, place->number, &work);
    float near = place->left ? 1 : fminf(place->ratio, 1 - place->ratio) / WINDOW;
    return find_shares((trust_job){ t, work.sums, place->ratio, near, work.share, work.shift }, tasks);
}

/// Of a mover: the exponent of its share, as in sup_trust_shares. Beyond its ends the path continues straight for a while.
static float score_of(const sup_trust_sums* sum, float count)
{
    float n = sum->n / count, l = sum->l / count, g = sum->g / count;
    float s = l > 0 ? fminf(fmaxf(g / l, -BEYOND), 1 + BEYOND) : 0, off = fmaxf(n - 2 * s * g + s * s * l, 0);
    return off * sum->rate / count;
}

sup_trusted sup_trust_find_any(const sup_trust* t, const sup_pose* pose, const sup_tasks* tasks, void* scratch)
{
    sup_trusted none = { NULL, NULL };
    if (t->block_count == 0 || t->turns.joint_count == 0 || t->path_count == 0) return none;
    trust_workspace work = cut_workspace(t, scratch, NULL);
    measure(t, pose, 0, 1, t->turns.pose_count, work.away);
    for (uint32_t w = 0; w < t->path_count; ++w) {
        trust_sum_movers(t, w, &work);
        for (uint32_t m = 0; m < t->mover_count; ++m) {
            uint32_t count = t->turn_begin[m + 1] - t->turn_begin[m];
            float    score = count ? score_of(&work.sums[m], (float)count) : 0;
            if (w == 0 || score < work.score[m]) work.score[m] = score;
        }
    }
    // Neighboring movers may switch paths at different times: exponents are what is mixed, so that nothing jumps.
    for (uint32_t m = 0; m < t->mover_count; ++m) {
        float count = (float)(t->turn_begin[m + 1] - t->turn_begin[m]);
        work.sums[m] = (sup_trust_sums){ work.score[m] * count, 0, 0, count };
    }
    return find_shares((trust_job){ t, work.sums, 0, 1, work.share, work.shift }, tasks);
}
