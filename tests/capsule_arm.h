/// tests/capsule_arm.h: the arm of the elbow scene, for everything that is measured on it.
#ifndef SUP_TESTS_CAPSULE_ARM_H
#define SUP_TESTS_CAPSULE_ARM_H

#include "math/trig.h"
#include "math/vec.h"
#include "support.h"

#include <stdlib.h>

/// 60 cm along x and round ends, radius 5 cm tapering by 15 %, `rings` x 24 points and two ends; joints at 0, 30 and 60 cm; the
/// weight passes smoothly from the first to the second within 5 cm of the elbow. `unit`: how many of its units are a meter.
/// `clip`: or NULL.
static inline sup_character* capsule_arm(uint32_t rings, float unit, const sup_clip* clip)
{
    enum { SIDES = 24 };
    const double length = 0.6, radius = 0.05, taper = 0.15, turn = 6.283185307179586;
    uint32_t     count = rings * SIDES + 2, faces = 0, corner = 0;
    sup_vec3*    points = calloc(count, sizeof *points);
    uint32_t*    sizes = calloc((rings + 1) * SIDES, sizeof *sizes);
    uint32_t *   corners = calloc(4 * (rings + 1) * SIDES, sizeof *corners), *joints = calloc(2 * count, sizeof *joints);
    float*       weights = calloc(2 * count, sizeof *weights);
    double       last = radius * (1 - taper), quarter = turn / 4, profile = quarter * radius + length + quarter * last;
    for (uint32_t r = 0; r < rings; ++r) {
        double along = profile * (r + 1) / (rings + 1) - quarter * radius, x = along;
        double wide = radius * (1 - taper * x / length);
        if (along < 0) x = -radius * sup_sin(-along / radius), wide = radius * sup_cos(along / radius);
        if (along > length)
            x = length + last * sup_sin((along - length) / last), wide = last * sup_cos((along - length) / last);
        for (uint32_t s = 0; s < SIDES; ++s)
            points[r * SIDES + s] =
                v3((float)x, (float)(wide * sup_cos(turn * s / SIDES)), (float)(wide * sup_sin(turn * s / SIDES)));
    }
    points[count - 2] = v3(-(float)radius, 0, 0);
    points[count - 1] = v3((float)(length + last), 0, 0);
    for (uint32_t i = 0; i < count; ++i) {
        joints[2 * i + 1] = 1;
        weights[2 * i + 1] = sup_smoothstep(0.25f, 0.35f, points[i].x);
        weights[2 * i] = 1 - weights[2 * i + 1];
        points[i] = v3_scale(points[i], unit);
    }
    for (uint32_t r = 0; r <= rings; ++r)
        for (uint32_t s = 0; s < SIDES; ++s) {
            uint32_t t = (s + 1) % SIDES, lo = (r - 1) * SIDES, hi = r * SIDES;
            if (r == 0) corners[corner++] = count - 2, corners[corner++] = t, corners[corner++] = s;
            else if (r == rings) corners[corner++] = lo + s, corners[corner++] = lo + t, corners[corner++] = count - 1;
            else corners[corner++] = lo + s, corners[corner++] = lo + t, corners[corner++] = hi + t, corners[corner++] = hi + s;
            sizes[faces++] = r == 0 || r == rings ? 3 : 4;
        }
    static const char* const names[] = { "shoulder", "elbow", "tip" };
    sup_joint                js[3];
    for (uint32_t j = 0; j < 3; ++j) {
        js[j] = (sup_joint){ .name = names[j],
                             .parent = j ? j - 1 : SUP_NONE,
                             .skin_joint = true,
                             .rest = transform_identity(),
                             .inverse_bind = affine_identity(),
                             .source_id = SUP_NONE };
        js[j].rest.translation.x = j ? 0.3f * unit : 0;
        js[j].inverse_bind.m[0][3] = -0.3f * (float)j * unit;
    }
    sup_part_desc      part = { .name = "arm",
                                .vertex_count = count,
                                .positions = points,
                                .face_count = faces,
                                .face_sizes = sizes,
                                .corners = corners,
                                .width = 2,
                                .joints = joints,
                                .weights = weights,
                                .joint = SUP_NONE,
                                .source_id = SUP_NONE };
    sup_character_desc desc = { .name = "arm",
                                .part_count = 1,
                                .parts = &part,
                                .joint_count = 3,
                                .joints = js,
                                .clip_count = clip ? 1 : 0,
                                .clips = clip,
                                .metres_per_unit = 1.0 / (double)unit };
    sup_character*     character = test_character(&desc);
    free(points), free(sizes), free(corners), free(joints), free(weights);
    return character;
}

#endif
