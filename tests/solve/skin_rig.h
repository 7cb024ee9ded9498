/// tests/solve/skin_rig.h: random rigs for the skinning tests.
#ifndef SUP_TESTS_SKIN_RIG_H
#define SUP_TESTS_SKIN_RIG_H

#include "support.h"

#include "bench/reference/reference.h"
#include "math/vec.h"
#include "solve/skinning/skinning.h"

#include <math.h>
#include <string.h>

/// A random rig: points in a unit cube, some influences each, random joints, and a pose.
typedef struct rig {
    sup_arena*    arena;
    sup_skin_desc desc;
    sup_affine*   skin;
    sup_vec3*     out;
    sup_mat3*     matrices;
    uint32_t      seed;
} rig;

static inline double draw(rig* r) // 0 to 1
{
    r->seed = r->seed * 1664525u + 1013904223u;
    return (r->seed >> 8) * (1.0 / 16777216.0);
}

static inline sup_quat draw_rotation(rig* r)
{
    sup_vec3 axis = v3((float)draw(r) - 0.5f, (float)draw(r) - 0.5f, (float)draw(r) - 0.5f);
    return quat_axis_angle(v3_normalize(axis, v3(1, 0, 0)), (float)(draw(r) * 6.0 - 3.0));
}

/// The map that rotates by q, scales before that, and takes `center` to `to`.
static inline sup_affine pose_about(sup_vec3 center, sup_quat q, sup_vec3 scale, sup_vec3 to)
{
    sup_transform t = { v3(0, 0, 0), q, scale };
    sup_affine    a = affine_from_transform(&t);
    sup_vec3      moved = affine_direction(&a, center);
    a.m[0][3] = to.x - moved.x;
    a.m[1][3] = to.y - moved.y;
    a.m[2][3] = to.z - moved.z;
    return a;
}

/// scaled: joints stretch along their axes too.
static inline rig make_rig(uint32_t points, uint32_t joints, uint32_t influences_max, bool scaled, uint32_t seed)
{
    rig       r = { .arena = sup_arena_create(NULL), .seed = seed };
    sup_vec3* rest = sup_arena_alloc(r.arena, points, sizeof *rest);
    sup_vec3* centers = sup_arena_alloc(r.arena, joints, sizeof *centers);
    uint32_t* begin = sup_arena_alloc(r.arena, points + 1, sizeof *begin);
    uint32_t* list = sup_arena_alloc(r.arena, (size_t)points * influences_max, sizeof *list);
    float*    values = sup_arena_alloc(r.arena, (size_t)points * influences_max, sizeof *values);
    r.skin = sup_arena_alloc(r.arena, joints, sizeof *r.skin);
    r.out = sup_arena_alloc(r.arena, points, sizeof *r.out);
    r.matrices = sup_arena_alloc(r.arena, points, sizeof *r.matrices);
    for (uint32_t j = 0; j < joints; ++j) {
        centers[j] = v3((float)draw(&r), (float)draw(&r), (float)draw(&r));
        float    size = scaled ? 0.5f + (float)draw(&r) : 1;
        sup_vec3 scale = scaled ? v3(size, 0.7f + 0.6f * (float)draw(&r), 1.0f) : v3(1, 1, 1);
        sup_vec3 to = v3_add(centers[j], v3((float)draw(&r) * 0.2f, (float)draw(&r) * 0.2f, 0));
        r.skin[j] = pose_about(centers[j], draw_rotation(&r), scale, to);
    }
    for (uint32_t p = 0; p < points; ++p) {
        rest[p] = v3((float)draw(&r), (float)draw(&r), (float)draw(&r));
        uint32_t count = 1 + (uint32_t)(draw(&r) * influences_max), start = (uint32_t)(draw(&r) * joints);
        if (count > joints) count = joints;
        double sum = 0;
        for (uint32_t i = 0; i < count; ++i) { // joints in a row from a random one, so that blocks have mixed unions
            list[begin[p] + i] = (start + i) % joints;
            sum += values[begin[p] + i] = (float)(0.05 + draw(&r));
        }
        for (uint32_t i = 0; i < count; ++i) values[begin[p] + i] /= (float)sum;
        begin[p + 1] = begin[p] + count;
    }
    r.desc = (sup_skin_desc){ .point_count = points,
                              .points = rest,
                              .begin = begin,
                              .joints = list,
                              .values = values,
                              .joint_count = joints,
                              .joint_centers = centers };
    return r;
}

static inline const sup_skin_set* make_set(rig* r)
{
    const sup_skin_set* set = NULL;
    sup_error           error;
    assert_ok(sup_skin_create(&r->desc, r->arena, &set, &error), error);
    return set;
}

/// Fills in scratch and outputs and runs.
static inline uint32_t pose(rig* r, const sup_skin_set* set, sup_skin_call call)
{
    if (!call.skin) call.skin = r->skin;
    if (!call.out) call.out = r->out;
    call.scratch = sup_arena_alloc(r->arena, 1, sup_skin_scratch(set));
    return sup_skin_evaluate(set, &call);
}

/// Largest distance of the rig's output from the double reference.
static inline double worst(const rig* r, bool dualquat)
{
    const sup_skin_desc* d = &r->desc;
    double               largest = 0;
    for (uint32_t p = 0; p < d->point_count; ++p) {
        double   q[3];
        uint32_t b = d->begin[p], n = d->begin[p + 1] - b;
        if (dualquat) reference_dualquat_point(d->points[p], n, d->joints + b, d->values + b, r->skin, d->joint_centers, q);
        else reference_linear_point(d->points[p], n, d->joints + b, d->values + b, r->skin, q);
        double dx = r->out[p].x - q[0], dy = r->out[p].y - q[1], dz = r->out[p].z - q[2];
        largest = fmax(largest, sqrt(dx * dx + dy * dy + dz * dz));
    }
    return largest;
}

#endif
