// Rotations as points of a flat space: the products of a quaternion's components, sqrt(2) q q^T with equal ones merged. q and
// -q are the same point, and the distance of two points is the chord 2 sin(angle / 2).
#include "deform/curves/pose_turns.h"

#include "base/internal.h"
#include "math/vec.h"

// Squared chord by which a rotation must leave the span of the others (0.06 degrees) to extend it.
#define HULL_LEAST 1e-6

/// The joint and the joints between it and its skin ancestor (SUP_NONE: the top), from the top down. Returns how many; `out`
/// may be NULL.
static uint32_t walk_up(const sup_skeleton* s, uint32_t joint, uint32_t* above, uint32_t* out)
{
    uint32_t length = 1;
    *above = s->joints[joint].parent;
    for (; *above != SUP_NONE && !s->joints[*above].skin_joint; *above = s->joints[*above].parent) ++length;
    for (uint32_t i = length, at = joint; out && i-- > 0; at = s->joints[at].parent) out[i] = at;
    return length;
}

sup_result sup_turn_joints(const sup_skeleton* s, sup_arena* arena, pose_joint** out, uint32_t* count, uint32_t** out_paths,
                           sup_error* error)
{
    pose_joint* joints = SUP_NEW(arena, pose_joint, s->joint_count);
    uint32_t*   paths = NULL;
    size_t      total = 0;
    if (!joints) return sup_fail_memory(error, "poses");
    for (int pass = 0; pass < 2; ++pass) { // count, then fill
        uint32_t root = SUP_NONE, root_end = 0;
        if (pass && !(paths = SUP_NEW(arena, uint32_t, total + 1))) return sup_fail_memory(error, "poses");
        *count = 0;
        total = 0;
        for (uint32_t j = 0; j < s->joint_count; ++j) {
            uint32_t above, begin = (uint32_t)total;
            if (!s->joints[j].skin_joint) continue;
            total += walk_up(s, j, &above, pass ? paths + total : NULL);
            if (root == SUP_NONE) {
                root = j;
                root_end = (uint32_t)total;
            } else
                joints[(*count)++] = (pose_joint){ j, above == SUP_NONE ? root : above, begin, (uint32_t)total,
                                                   0, above == SUP_NONE ? root_end : 0 };
        }
    }
    *out = joints;
    *out_paths = paths;
    return SUP_OK;
}

sup_quat sup_turn_of(const pose_joint* j, const uint32_t* paths, const sup_pose* pose, uint32_t* lost)
{
    sup_quat q = quat_identity();
    for (uint32_t i = j->base_end; i-- > j->base_begin;) q = quat_mul(q, quat_conjugate(pose->local[paths[i]].rotation));
    for (uint32_t i = j->path_begin; i < j->path_end; ++i) q = quat_mul(q, pose->local[paths[i]].rotation);
    float length2 = quat_dot(q, q);
    if (!(length2 > SUP_EPS_LENGTH) || !isfinite(length2)) ++*lost;
    return quat_normalize(q);
}

// As |a - b|^2 |a + b|^2: exact for small angles, independent of the sign.
double sup_turn_distance2(sup_quat a, sup_quat b)
{
    double minus = 0, plus = 0;
    double p[4] = { a.x, a.y, a.z, a.w }, q[4] = { b.x, b.y, b.z, b.w };
    for (int i = 0; i < 4; ++i) {
        minus += (p[i] - q[i]) * (p[i] - q[i]);
        plus += (p[i] + q[i]) * (p[i] + q[i]);
    }
    return minus * plus;
}

void sup_turn_row(const sup_quat* turns, uint32_t center_count, sup_quat turn, double beside, float* row, float* total)
{
    for (uint32_t k = 0; k < center_count; ++k) {
        double d = sup_turn_distance2(turn, turns[k]) - beside;
        row[k] = (float)(d < 0 ? 0 : d);
        total[k] += row[k];
    }
}

// ---------------------------------------------------------------------------------------------- hulls

/// The point of a rotation in the flat space, relative to `origin` (NULL: to its own).
static void place(sup_quat turn, const double* origin, double out[POSE_PLACE])
{
    double q[4] = { turn.x, turn.y, turn.z, turn.w };
    int    at = 0;
    for (int i = 0; i < 4; ++i)
        for (int k = i; k < 4; ++k, ++at)
            out[at] = (i == k ? 1.4142135623730951 : 2.0) * q[i] * q[k] - (origin ? origin[at] : 0.0);
}

static double dot(const double* a, const double* b)
{
    double sum = 0;
    for (int i = 0; i < POSE_PLACE; ++i) sum += a[i] * b[i];
    return sum;
}

void sup_hull_span(const sup_quat* turns, uint32_t count, pose_hull* out)
{
    *out = (pose_hull){ .axis_count = 0 };
    place(turns[0], NULL, out->origin);
    for (uint32_t k = 1; k < count && out->axis_count < POSE_PLACE; ++k) {
        double at[POSE_PLACE];
        place(turns[k], out->origin, at);
        for (int twice = 0; twice < 2; ++twice) // a single pass leaves the rounding of what was subtracted
            for (uint32_t a = 0; a < out->axis_count; ++a) {
                double along = dot(out->axes[a], at);
                for (int i = 0; i < POSE_PLACE; ++i) at[i] -= along * out->axes[a][i];
            }
        double length2 = dot(at, at);
        if (length2 < HULL_LEAST) continue;
        for (int i = 0; i < POSE_PLACE; ++i) out->axes[out->axis_count][i] = at[i] / sqrt(length2);
        ++out->axis_count;
    }
}

double sup_hull_beside(const pose_hull* hull, sup_quat turn)
{
    double at[POSE_PLACE];
    place(turn, hull->origin, at);
    double left = dot(at, at);
    for (uint32_t k = 0; k < hull->axis_count; ++k) {
        double along = dot(hull->axes[k], at);
        left -= along * along;
    }
    return left > 0 ? left : 0;
}
