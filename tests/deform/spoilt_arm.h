/// tests/deform/spoilt_arm.h: the arm of the elbow scene as plain arrays, for tests of damaged characters.
#ifndef SUP_TESTS_SPOILT_ARM_H
#define SUP_TESTS_SPOILT_ARM_H

#include "elbow.h"

/// The arm of the elbow scene as plain arrays, to be damaged.
typedef struct stuff {
    uint32_t  points, triangles, width;
    sup_vec3* at;      ///< room for twice as many
    uint32_t* corners; ///< likewise
    uint32_t* joints;
    float*    weights;
    sup_joint bones[3];
    double    unit;

    const sup_clip* clip; ///< or NULL
} stuff;

/// Takes the character.
static inline stuff stuff_of(sup_character* c)
{
    stuff s = { c->mesh.point_count, c->mesh.triangle_count, 2, NULL, NULL, NULL, NULL, { { 0 } }, 1, NULL };
    s.at = calloc(2 * s.points, sizeof *s.at);
    s.corners = calloc(6 * s.triangles, sizeof *s.corners);
    s.joints = calloc(4 * s.points, sizeof *s.joints);
    s.weights = calloc(4 * s.points, sizeof *s.weights);
    memcpy(s.at, c->mesh.points, s.points * sizeof *s.at);
    memcpy(s.corners, c->mesh.triangles, 3 * s.triangles * sizeof *s.corners);
    for (uint32_t p = 0; p < s.points; ++p)
        for (uint32_t i = c->weights.begin[p], k = 0; i < c->weights.begin[p + 1] && k < 2; ++i, ++k) {
            s.joints[2 * p + k] = c->weights.joints[i];
            s.weights[2 * p + k] = c->weights.values[i];
        }
    memcpy(s.bones, c->skeleton.joints, sizeof s.bones);
    s.bones[0].name = "shoulder", s.bones[1].name = "elbow", s.bones[2].name = "tip";
    sup_character_destroy(c);
    return s;
}

static inline stuff stuff_make(void) { return stuff_of(elbow_make(60, 0.3, 1)); }

static inline sup_character* stuff_character(const stuff* s)
{
    sup_part_desc      part = { .name = "skin",
                                .vertex_count = s->points,
                                .positions = s->at,
                                .face_count = s->triangles,
                                .corners = s->corners,
                                .width = s->width,
                                .joints = s->joints,
                                .weights = s->weights,
                                .joint = s->width ? SUP_NONE : 0,
                                .source_id = SUP_NONE };
    sup_character_desc desc = { .name = "odd",
                                .part_count = 1,
                                .parts = &part,
                                .joint_count = 3,
                                .joints = s->bones,
                                .clip_count = s->clip != NULL,
                                .clips = s->clip,
                                .metres_per_unit = s->unit };
    return test_character(&desc);
}

static inline void stuff_free(stuff* s) { free(s->at), free(s->corners), free(s->joints), free(s->weights); }

#endif
