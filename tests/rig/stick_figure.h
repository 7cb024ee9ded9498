/// tests/rig/stick_figure.h: characters made of joints at given places, with a triangle of skin on each.
#ifndef TEST_STICK_FIGURE_H
#define TEST_STICK_FIGURE_H

#include "support.h"

#include "math/vec.h"
#include "supple/rig.h"

enum { STICKS_MAX = 96 };

typedef struct stick {
    const char* name;
    int         parent; // -1: root
    sup_vec3    at;     // in the world
    int         part;   // of the mesh, from 0; no gaps
} stick;

static inline sup_character* stick_character(const stick* rows, uint32_t count)
{
    static const sup_vec3 corner[3] = { { 0, 0, 0 }, { 0.01f, 0, 0 }, { 0, 0.01f, 0 } };
    sup_joint             joints[STICKS_MAX];
    sup_part_desc         parts[4] = { 0 };
    sup_vec3              positions[4][3 * STICKS_MAX];
    uint32_t              corners[3 * STICKS_MAX], influences[4][3 * STICKS_MAX], part_count = 0;
    float                 weights[3 * STICKS_MAX];
    assert_true(count <= STICKS_MAX);
    for (uint32_t j = 0; j < count; ++j) {
        sup_part_desc* part = &parts[rows[j].part];
        joints[j] = (sup_joint){ .name = rows[j].name,
                                 .parent = rows[j].parent < 0 ? SUP_NONE : (uint32_t)rows[j].parent,
                                 .skin_joint = true,
                                 .rest = transform_identity(),
                                 .inverse_bind = affine_identity() };
        joints[j].rest.translation = rows[j].parent < 0 ? rows[j].at : v3_sub(rows[j].at, rows[rows[j].parent].at);
        for (int i = 0; i < 3; ++i) joints[j].inverse_bind.m[i][3] = -(&rows[j].at.x)[i];
        for (uint32_t i = 0; i < 3; ++i) {
            corners[3 * j + i] = 3 * j + i;
            weights[3 * j + i] = 1;
            influences[rows[j].part][part->vertex_count] = j;
            positions[rows[j].part][part->vertex_count++] = v3_add(rows[j].at, corner[i]);
        }
        part->face_count++;
        if ((uint32_t)rows[j].part >= part_count) part_count = (uint32_t)rows[j].part + 1;
    }
    for (uint32_t i = 0; i < part_count; ++i) {
        parts[i].name = i ? "other" : "body";
        parts[i].positions = positions[i];
        parts[i].corners = corners;
        parts[i].width = 1;
        parts[i].joints = influences[i];
        parts[i].weights = weights;
    }
    sup_character_desc desc = {
        .name = "stick", .part_count = part_count, .parts = parts, .joint_count = count, .joints = joints
    };
    return test_character(&desc);
}

/// The same joints as a captured skeleton; rotations and translations are the caller's.
static inline sup_mocap stick_mocap(const stick* rows, uint32_t count, sup_mocap_joint* joints)
{
    for (uint32_t j = 0; j < count; ++j)
        joints[j] =
            (sup_mocap_joint){ .name = rows[j].name,
                               .parent = rows[j].parent < 0 ? SUP_NONE : (uint32_t)rows[j].parent,
                               .offset = rows[j].parent < 0 ? rows[j].at : v3_sub(rows[j].at, rows[rows[j].parent].at) };
    return (sup_mocap){ .name = "motion", .joint_count = count, .joints = joints, .frame_time = 0.5 };
}

#endif
