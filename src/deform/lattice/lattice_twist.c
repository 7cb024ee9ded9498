// How much of a dual quaternion blend each point takes: all of it where its bones twist against each other, which linear
// blending pinches, and none where they bend, which dual quaternions bulge.
#include "deform/lattice/lattice.h"

#include <math.h>

#define NO_TURN 1e-6f // sine squared of half an angle: less is no turn at all

// Sine squared of half the angle by which every joint is twisted about its own bone against its parent, and by which it is
// swung away from it: two of each.
static void measure_turns(const lattice_bound* b, const sup_pose* pose, float* turns)
{
    const sup_joint* joints = b->character->skeleton.joints;
    for (uint32_t j = 0; j < b->joint_count; ++j) {
        uint32_t parent = joints[j].parent;
        turns[2 * j] = turns[2 * j + 1] = 0;
        if (parent == SUP_NONE || !joints[j].skin_joint || !joints[parent].skin_joint) continue;
        sup_transform own, above;
        affine_decompose(&pose->skin[j], &own);
        affine_decompose(&pose->skin[parent], &above);
        sup_quat q = quat_normalize(quat_mul(quat_conjugate(above.rotation), own.rotation));
        sup_vec3 a = b->bone_axes[j];
        float    along = q.x * a.x + q.y * a.y + q.z * a.z, both = along * along + q.w * q.w;
        if (!(both <= 2)) continue; // not finite
        turns[2 * j] = both > NO_TURN ? along * along / both : 0.0f;
        turns[2 * j + 1] = fmaxf(1 - both, 0.0f);
    }
}

typedef struct blend_job {
    const uint32_t *begin, *joints;
    const float *   values, *loose, *turns;
    float*          out;
} blend_job;

static void blend_task(void* data, uint32_t first, uint32_t last)
{
    const blend_job* j = data;
    for (uint32_t p = first; p < last; ++p) {
        float twist = 0, swing = 0;
        if (j->begin[p + 1] - j->begin[p] < 2) { // one bone alone turns it the same either way
            j->out[p] = 0;
            continue;
        }
        for (uint32_t i = j->begin[p]; i < j->begin[p + 1]; ++i) {
            twist += j->values[i] * j->turns[2 * j->joints[i]];
            swing += j->values[i] * j->turns[2 * j->joints[i] + 1];
        }
        j->out[p] = twist > NO_TURN ? twist / (twist + swing) * (j->loose ? j->loose[p] : 1.0f) : 0.0f;
    }
}

void lattice_find_blends(const lattice_bound* b, const sup_frame* frame, const sup_pose* pose, const lattice_scratch* s)
{
    enum { GRAIN = 4096 };
    const sup_weights* w = &b->character->weights;
    measure_turns(b, pose, s->turns);
    blend_job slots = { b->influence_begin, b->influence_joints, b->influence_values, b->loose, s->turns, s->blend };
    sup_tasks_run(frame->tasks, b->count, GRAIN, blend_task, &slots);
    blend_job points = { w->begin, w->joints, w->values, b->point_loose, s->turns, s->point_blend };
    if (b->point_skin) sup_tasks_run(frame->tasks, b->point_count, GRAIN, blend_task, &points);
    uint32_t members = b->node_skin ? b->volume.member_count : 0;
    for (uint32_t m = 0; m < members; ++m) {
        s->node_blend[m] = 0;
        for (uint32_t k = 0; k < LATTICE_NODE_SLOTS; ++k)
            s->node_blend[m] +=
                b->volume.places[k * (size_t)members + m] * s->blend[b->volume.members[k * (size_t)members + m]];
    }
}
