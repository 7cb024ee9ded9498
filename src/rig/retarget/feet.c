// Marker sets see ankles better than soles: in some captures a standing foot points up or down by ten degrees or more
// throughout, which no one notices on a stick figure and everyone on a skin.
#include "rig/retarget/feet.h"

#include "base/internal.h"
#include "math/vec.h"

static const float SPEED_MAX = 0.15f;  // of a standing ankle, in legs per second
static const float HEIGHT_MAX = 0.1f;  // above its lowest point, in legs
static const float ANGLE_MIN = 0.19f;  // radians: below eleven degrees is how people stand
static const float ANGLE_MAX = 0.6f;   // radians: above this it is a pose
static const float SECONDS_MIN = 0.3f; // of standing still
static const float AGREEMENT = 0.98f;  // length of the mean of unit vectors: they lie within about ten degrees of each other

static sup_vec3 ankle_at(const sup_mocap* mocap, uint32_t frame, uint32_t joint, sup_quat* rotations, sup_vec3* positions)
{
    figure_play(mocap, frame, rotations, positions);
    return positions[joint];
}

sup_quat feet_level(const sup_mocap* mocap, uint32_t first, uint32_t frame_count, const figure* f, uint32_t joint,
                    sup_quat* rotations, sup_vec3* positions)
{
    sup_quat none = quat_identity();
    if (!(f->leg > 0) || !(mocap->frame_time > 0) || frame_count < 3) return none;
    float    lowest = INFINITY;
    sup_vec3 sum = v3(0, 0, 0), before = v3(0, 0, 0);
    uint32_t count = 0;
    for (uint32_t i = 0; i < frame_count; ++i)
        lowest = fminf(lowest, v3_dot(ankle_at(mocap, first + i, joint, rotations, positions), f->up));
    float step = SPEED_MAX * f->leg * (float)mocap->frame_time;
    for (uint32_t i = 0; i < frame_count; ++i) {
        sup_vec3 at = ankle_at(mocap, first + i, joint, rotations, positions);
        bool     still = i > 0 && v3_distance(at, before) < step;
        before = at;
        if (!still || v3_dot(at, f->up) > lowest + HEIGHT_MAX * f->leg) continue;
        // The world's up in the frame of the reference pose.
        sup_quat turn = quat_mul(rotations[joint], quat_conjugate(f->rotations[joint]));
        sum = v3_add(sum, quat_rotate(quat_conjugate(turn), f->up));
        count++;
    }
    if ((float)count * (float)mocap->frame_time < SECONDS_MIN) return none;
    sup_vec3 mean = v3_scale(sum, 1 / (float)count);
    if (!(v3_length(mean) > AGREEMENT)) return none;
    mean = v3_normalize(mean, f->up);
    float angle = v3_length(v3_cross(f->up, mean)); // the angle is small, so its sine suffices
    if (angle < ANGLE_MIN || angle > ANGLE_MAX || v3_dot(f->up, mean) < 0) return none;
    return figure_arc(f->up, mean, f->forward);
}
