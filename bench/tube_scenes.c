// The tidiest possible rig: rings of points along a row of joints, each point weighted to the four joints around it.
#include "bench/bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { JOINTS = 40, SIDES = 60, INFLUENCES = 4, EXAMPLES_MOST = 16 };

typedef struct tube {
    uint32_t  points, faces;
    sup_vec3* positions;
    uint32_t *sizes, *corners, *joints;
    float*    weights;
    sup_vec3* sculpts; // one set of points after the other
} tube;

static bool tube_allocate(tube* t, uint32_t rings, uint32_t examples)
{
    t->points = rings * SIDES;
    t->faces = (rings - 1) * SIDES;
    t->positions = malloc(t->points * sizeof *t->positions);
    t->sizes = malloc(t->faces * sizeof *t->sizes);
    t->corners = malloc(t->faces * 4 * sizeof *t->corners);
    t->joints = malloc((size_t)t->points * INFLUENCES * sizeof *t->joints);
    t->weights = malloc((size_t)t->points * INFLUENCES * sizeof *t->weights);
    t->sculpts = malloc(((size_t)t->points * examples + 1) * sizeof *t->sculpts);
    return t->sculpts && t->positions && t->sizes && t->corners && t->joints && t->weights;
}

static void tube_free(tube* t)
{
    free(t->positions);
    free(t->sizes);
    free(t->corners);
    free(t->joints);
    free(t->weights);
    free(t->sculpts);
}

/// Joint j is at x = j; weights fall off as a bell over the four nearest.
static void tube_fill(tube* t, uint32_t rings)
{
    for (uint32_t p = 0; p < t->points; ++p) {
        double x = (double)JOINTS * (p / SIDES) / (rings - 1), angle = 6.283185307179586 * (p % SIDES) / SIDES;
        t->positions[p] = (sup_vec3){ (float)x, (float)cos(angle), (float)sin(angle) };
        int first = (int)floor(x) - 1;
        first = first < 0 ? 0 : first > JOINTS - INFLUENCES ? JOINTS - INFLUENCES : first;
        for (int k = 0; k < INFLUENCES; ++k) {
            double distance = x - (first + k);
            t->joints[p * INFLUENCES + (uint32_t)k] = (uint32_t)(first + k);
            t->weights[p * INFLUENCES + (uint32_t)k] = (float)exp(-0.7 * distance * distance);
        }
    }
    for (uint32_t f = 0; f < t->faces; ++f) {
        uint32_t ring = f / SIDES * SIDES, side = f % SIDES, next = (side + 1) % SIDES;
        t->sizes[f] = 4;
        t->corners[4 * f] = ring + side;
        t->corners[4 * f + 1] = ring + next;
        t->corners[4 * f + 2] = ring + SIDES + next;
        t->corners[4 * f + 3] = ring + SIDES + side;
    }
}

/// In rest space: waves along the tube, different ones in every sculpt.
static void tube_sculpt(tube* t, uint32_t examples, sup_example_desc* out)
{
    for (uint32_t e = 0; e < examples; ++e) {
        sup_vec3* points = t->sculpts + (size_t)e * t->points;
        for (uint32_t p = 0; p < t->points; ++p) {
            float swell = 1.0f + 0.1f * (float)sin(0.4 * (e + 1.0) * t->positions[p].x);
            points[p] = (sup_vec3){ t->positions[p].x, t->positions[p].y * swell, t->positions[p].z * swell };
        }
        out[e] = (sup_example_desc){ "sculpt", "curl", (e + 1.0) / examples, true, points };
    }
}

sup_result bench_tube_create(uint32_t points, uint32_t examples, sup_character** out, sup_error* error)
{
    sup_example_desc   sculpts[EXAMPLES_MOST];
    static const float times[] = { 0, 1 };
    static const float turns[] = { 0, 0, 0, 1, 0.04f, 0, 0.06f, 0.9974f }; // a curl and a twist of some ten degrees a joint
    sup_joint          joints[JOINTS] = { 0 };
    sup_channel        channels[JOINTS];
    char               names[JOINTS][16];
    for (uint32_t j = 0; j < JOINTS; ++j) {
        snprintf(names[j], sizeof names[j], "joint%u", j);
        joints[j] = (sup_joint){ .name = names[j], .parent = j ? j - 1 : SUP_NONE, .skin_joint = true, .source_id = SUP_NONE };
        joints[j].rest = (sup_transform){ { j ? 1.0f : 0.0f, 0, 0 }, { 0, 0, 0, 1 }, { 1, 1, 1 } };
        joints[j].inverse_bind = (sup_affine){ { { 1, 0, 0, -(float)j }, { 0, 1, 0, 0 }, { 0, 0, 1, 0 } } };
        channels[j] = (sup_channel){
            .target = j, .path = SUP_PATH_ROTATION, .key_count = 2, .width = 4, .times = times, .values = turns
        };
    }
    if (examples > EXAMPLES_MOST) examples = EXAMPLES_MOST;
    uint32_t   rings = points / SIDES > 2 ? points / SIDES : 2;
    tube       t = { 0 };
    sup_result result = SUP_ERROR_MEMORY;
    if (!tube_allocate(&t, rings, examples))
        sup_fail(error, SUP_ERROR_MEMORY, "out of memory while making a tube of %u points", points);
    else {
        tube_fill(&t, rings);
        tube_sculpt(&t, examples, sculpts);
        sup_part_desc part = { .name = "tube",
                               .vertex_count = t.points,
                               .positions = t.positions,
                               .face_count = t.faces,
                               .face_sizes = t.sizes,
                               .corners = t.corners,
                               .width = INFLUENCES,
                               .joints = t.joints,
                               .weights = t.weights,
                               .joint = SUP_NONE,
                               .source_id = SUP_NONE };
        sup_clip clip = { .name = "curl", .seconds = 1, .channel_count = JOINTS, .channels = channels, .source_id = SUP_NONE };
        sup_character_desc desc = { .name = "tube",
                                    .part_count = 1,
                                    .parts = &part,
                                    .joint_count = JOINTS,
                                    .joints = joints,
                                    .clip_count = 1,
                                    .clips = &clip,
                                    .example_count = examples,
                                    .examples = sculpts,
                                    .metres_per_unit = 1 };
        result = sup_character_create(&desc, NULL, out, error);
    }
    tube_free(&t);
    return result;
}
