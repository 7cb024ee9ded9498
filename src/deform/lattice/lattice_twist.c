// How much of a dual quaternion blend each point takes: all of it where its bones twist against each other, which linear
// blending pinches, and none where they bend, which dual quaternions bulge.
#include "deform/lattice/lattice.h"

#include <math.h>

#define NO_TURN 1e-6f     // sine squared of half an angle: less counts as no rotation
#define FAINT_TWIST 2e-4f // likewise, of 1.6 degrees: linear blending loses 0.01 % of the radius there, not worth correcting

// Sine squared of half the angle by which every joint twists about its own bone relative to its parent, and by which it swings:
// two per joint. Returns whether any is twisted.
static bool measure_turns(const lattice_bound* b, const sup_pose* pose, float* turns)
{
    const sup_joint* joints = b->character->skeleton.joints;
    bool             any = false;
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
        any |= turns[2 * j] > FAINT_TWIST;
    }
    return any;
}

typedef struct blend_job {
    const lattice_bound*   b;
    const lattice_scratch* s;
    const uint32_t *       begin, *joints;
    const float*           values;
    float*                 out;
    bool                   points; ///< not slots: `out` has how much of its rotation the skin may take
} blend_job;

static void blend_task(void* data, uint32_t first, uint32_t last)
{
    const blend_job* j = data;
    const float*     turns = j->s->turns;
    for (uint32_t p = first; p < last; ++p) {
        float twist = 0, swing = 0, share = j->points ? j->out[p] : j->b->loose ? j->b->loose[p] : 1.0f;
        j->out[p] = 0;
        if (j->begin[p + 1] - j->begin[p] < 2) continue; // a single bone rotates it the same either way
        for (uint32_t i = j->begin[p]; i < j->begin[p + 1]; ++i) {
            twist += j->values[i] * turns[2 * j->joints[i]];
            swing += j->values[i] * turns[2 * j->joints[i] + 1];
        }
        if (!(twist > FAINT_TWIST)) continue;
        j->out[p] = (twist - FAINT_TWIST) / (twist + swing) * share;
    }
}

enum { GRAIN = 1024 };

bool lattice_find_blends(const lattice_bound* b, const sup_frame* frame, const sup_pose* pose, const lattice_scratch* s)
{
    if (!measure_turns(b, pose, s->turns)) return false;
    blend_job slots = { b, s, b->influence_begin, b->influence_joints, b->influence_values, s->blend, false };
    sup_tasks_run(frame->tasks, b->count, GRAIN, blend_task, &slots);
    return true;
}

void lattice_find_skin_blends(const lattice_bound* b, const sup_frame* frame, const lattice_scratch* s)
{
    const sup_weights* w = &b->character->weights;
    blend_job          points = { b, s, w->begin, w->joints, w->values, s->point_blend, true };
    if (b->point_skin) { // clearance of the corners of a point's cell, and how much of it may be changed
        sup_lattice_embed_products(&b->embed, s->clearance, b->loose, frame->tasks, s->point_blend);
        sup_tasks_run(frame->tasks, b->point_count, GRAIN, blend_task, &points);
    }
    uint32_t members = b->node_skin ? b->volume.member_count : 0;
    for (uint32_t m = 0; m < members; ++m) {
        s->node_blend[m] = 0;
        for (uint32_t k = 0; k < LATTICE_NODE_SLOTS; ++k) {
            size_t   row = LATTICE_NODE_SLOTS * (size_t)m + k;
            uint32_t slot = b->volume.members[row];
            s->node_blend[m] += b->volume.places[row] * s->blend[slot] * s->clearance[slot];
        }
    }
}
