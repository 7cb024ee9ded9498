// A camera that follows a traveling character, smoothly and along the ground like a dolly, so that steps, sways and jumps stay
// visible.
#include "stage_internal.h"

#include <stdlib.h>

enum { SAMPLES = 64, SMOOTH = 8 };        // instants sampled to detect travel; instants on either side while smoothing
static const double SMOOTH_SECONDS = 0.5; // on either side: about a step, so that the sway of a walk is not followed
static const double TRAVEL = 0.5;         // of its size: a character that moves less stays in place

static sup_vec3 across_up(const stage* s, sup_vec3 p)
{
    sup_axis up = s->d.character->up;
    return vec(up == SUP_AXIS_X ? 0 : p.x, up == SUP_AXIS_Y ? 0 : p.y, up == SUP_AXIS_Z ? 0 : p.z);
}

// The mean of all (focused) points under linear skinning is a sum over joints.
static sup_vec3 middle(stage* s, double time)
{
    stage_path* path = &s->path;
    sup_vec3    sum = vec(0, 0, 0);
    sup_clip_sample(s->d.character, s->d.clip, time, &path->pose);
    for (uint32_t j = 0; j < path->pose.joint_count; j++) {
        const sup_affine* a = &path->pose.skin[j];
        sup_vec3          m = path->moments[j];
        float             w = (float)(path->masses[j] / path->count);
        sum = add(sum, vec(a->m[0][0] * m.x + a->m[0][1] * m.y + a->m[0][2] * m.z + a->m[0][3] * w,
                           a->m[1][0] * m.x + a->m[1][1] * m.y + a->m[1][2] * m.z + a->m[1][3] * w,
                           a->m[2][0] * m.x + a->m[2][1] * m.y + a->m[2][2] * m.z + a->m[2][3] * w));
    }
    sum = across_up(s, sum);
    return isfinite(sum.x) && isfinite(sum.y) && isfinite(sum.z) ? sum : vec(0, 0, 0);
}

// The value at `time` of the best-fitting line around it: a mean would lag at both ends of the clip.
static sup_vec3 smoothed(stage* s, double time)
{
    double   count = 0, t1 = 0, t2 = 0;
    sup_vec3 sum = vec(0, 0, 0), slope = vec(0, 0, 0);
    for (int i = -SMOOTH; i <= SMOOTH; i++) {
        double t = SMOOTH_SECONDS * i / SMOOTH;
        if (i != 0 && (time + t < s->d.start || time + t > s->d.end)) continue;
        sup_vec3 at = middle(s, time + t);
        count += 1, t1 += t, t2 += t * t;
        sum = add(sum, at);
        slope = mad(slope, (float)t, at);
    }
    double det = count * t2 - t1 * t1;
    if (!(det > 1e-12)) return scale(sum, (float)(1 / count));
    return mad(scale(sum, (float)(t2 / det)), (float)(-t1 / det), slope);
}

static sup_result add_points(stage* s, sup_error* error)
{
    const sup_character* c = s->d.character;
    stage_path*          path = &s->path;
    uint32_t             joints = c->skeleton.joint_count;
    path->masses = sup_arena_alloc(s->arena, joints, sizeof *path->masses);
    path->moments = sup_arena_alloc(s->arena, joints, sizeof *path->moments);
    double* sums = sup_arena_alloc(s->arena, (size_t)3 * joints, sizeof *sums);
    if (!path->masses || !path->moments || !sums)
        return sup_fail(error, SUP_ERROR_MEMORY, "out of memory while preparing the camera of '%s'", c->name);
    for (uint32_t p = 0; p < c->mesh.point_count; p++) {
        if (s->focused && !s->focused[p]) continue;
        path->count += 1;
        for (uint32_t i = c->weights.begin[p]; i < c->weights.begin[p + 1]; i++) {
            double w = (double)c->weights.values[i];
            path->masses[c->weights.joints[i]] += w;
            for (int a = 0; a < 3; a++) sums[3 * (size_t)c->weights.joints[i] + a] += w * (double)(&c->mesh.points[p].x)[a];
        }
    }
    for (uint32_t j = 0; j < joints; j++)
        path->moments[j] =
            scale(vec((float)sums[3 * j], (float)sums[3 * j + 1], (float)sums[3 * j + 2]), (float)(1 / path->count));
    return sup_pose_create(c, s->arena, &path->pose, error);
}

sup_result stage_path_create(stage* s, sup_error* error)
{
    double extent = 0;
    if (s->d.follow == FOLLOW_OFF || !s->d.clip || !(s->d.end > s->d.start) || s->d.character->mesh.point_count == 0)
        return SUP_OK;
    sup_result result = sup_character_extent(s->d.character, NULL, &extent, error);
    if (result == SUP_OK) result = add_points(s, error);
    if (result != SUP_OK) return result;
    sup_vec3 low = vec(INFINITY, INFINITY, INFINITY), high = scale(low, -1.0f);
    for (int i = 0; i <= SAMPLES; i++) {
        sup_vec3 at = middle(s, s->d.start + (s->d.end - s->d.start) * i / SAMPLES);
        low = vec(fminf(low.x, at.x), fminf(low.y, at.y), fminf(low.z, at.z));
        high = vec(fmaxf(high.x, at.x), fmaxf(high.y, at.y), fmaxf(high.z, at.z));
    }
    s->path.followed = s->d.follow == FOLLOW_ON || (double)length(sub(high, low)) > TRAVEL * extent;
    return SUP_OK;
}

sup_vec3 stage_path_at(stage* s, double time) { return s->path.followed ? smoothed(s, time) : vec(0, 0, 0); }
