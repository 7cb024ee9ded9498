/// tests/deform/lattice_rig.h: a bar of cells with two bones, and the lattice deformer driven step by step, so that tests can
/// see its particles.
#ifndef SUP_TESTS_LATTICE_RIG_H
#define SUP_TESTS_LATTICE_RIG_H

#include "deform/lattice/lattice.h"
#include "play.h"
#include "run/runner.h"

#include <math.h>

/// A box of 6 x 6 x 40 along z (a hair less, so that its sides lie inside the outer cells), rings of 24 points, with joints at
/// z 0 and 20 and a tail to 40.
static inline sup_character* make_bar_weighted(bool painted)
{
    enum { RINGS = 41, SIDE = 6, RING = 4 * SIDE, POINTS = RINGS * RING + 2 };
    static sup_vec3 points[POINTS];
    static uint32_t sizes[RINGS * RING + 2 * RING], corners[4 * RINGS * RING + 6 * RING], joints[POINTS];
    static float    weights[POINTS];
    uint32_t        faces = 0, n = 0;
    for (uint32_t r = 0; r < RINGS; ++r)
        for (uint32_t k = 0; k < RING; ++k) {
            float t = (float)(k % SIDE), w = 5.95f / SIDE, a = -2.975f;
            float x = k < 6    ? a + t * w
                      : k < 12 ? -a
                      : k < 18 ? -a - t * w
                               : a,
                  y = k < 6    ? a
                      : k < 12 ? a + t * w
                      : k < 18 ? -a
                               : -a - t * w;
            points[r * RING + k] = v3(x, y, (float)r);
        }
    points[POINTS - 2] = v3(0, 0, 0), points[POINTS - 1] = v3(0, 0, 40);
    for (uint32_t r = 0; r + 1 < RINGS; ++r)
        for (uint32_t k = 0; k < RING; ++k) {
            uint32_t next = (k + 1) % RING;
            sizes[faces++] = 4;
            corners[n++] = r * RING + k, corners[n++] = r * RING + next;
            corners[n++] = (r + 1) * RING + next, corners[n++] = (r + 1) * RING + k;
        }
    for (uint32_t k = 0; k < RING; ++k) {
        uint32_t next = (k + 1) % RING, top = (RINGS - 1) * RING;
        sizes[faces++] = 3, corners[n++] = POINTS - 2, corners[n++] = next, corners[n++] = k;
        sizes[faces++] = 3, corners[n++] = POINTS - 1, corners[n++] = top + k, corners[n++] = top + next;
    }
    for (uint32_t p = 0; p < POINTS; ++p) joints[p] = painted && points[p].z > 20, weights[p] = 1;
    sup_joint bones[3] = { { .name = "lower", .parent = SUP_NONE },
                           { .name = "upper", .parent = 0 },
                           { .name = "tip", .parent = 1 } };
    for (int i = 0; i < 3; ++i) {
        bones[i].skin_joint = true;
        bones[i].rest = (sup_transform){ v3(0, 0, i ? 20.0f : 0.0f), quat_identity(), v3(1, 1, 1) };
        bones[i].inverse_bind = affine_identity();
        bones[i].inverse_bind.m[2][3] = -20.0f * (float)i;
    }
    sup_part_desc      part = { .name = "bar",
                                .vertex_count = POINTS,
                                .positions = points,
                                .face_count = faces,
                                .face_sizes = sizes,
                                .corners = corners,
                                .width = 1,
                                .joints = joints,
                                .weights = weights,
                                .joint = SUP_NONE,
                                .source_id = SUP_NONE };
    sup_character_desc desc = {
        .name = "bar", .part_count = 1, .parts = &part, .joint_count = 3, .joints = bones, .metres_per_unit = 0.01
    };
    return test_character(&desc);
}

/// No painted weights: all points belong to the first joint.
static inline sup_character* make_bar(void) { return make_bar_weighted(false); }

typedef struct rig {
    sup_character*       c;
    sup_chain*           chain;
    sup_arena*           arena;
    const lattice_bound* b;
    const link*          link;
    lattice_params       params;
    void *               state, *scratch;
    sup_pose             now, before;
    sup_world            world;
    sup_stats            stats;
    sup_vec3 *           points, *out;
    sup_sampler          sampler;
    double               time;
} rig;

static inline void rig_sample(const sup_sampler* sampler, double time, sup_pose* out)
{
    (void)time;
    sup_pose_copy(&((const rig*)sampler->user)->now, out);
}

/// `r` must not move: the sampler points to it.
static inline void rig_make(rig* r, sup_character* c, const char* links)
{
    sup_error error;
    *r = (rig){ .c = c, .arena = sup_arena_create(NULL) };
    assert_ok(sup_chain_create(&(sup_chain_desc){ .character = c, .links = links }, &r->chain, &error), error);
    r->link = &r->chain->links[1];
    r->b = r->link->binding.data;
    memcpy(&r->params, r->link->params, sizeof r->params);
    r->state = play_memory(r->link->binding.state_size);
    r->scratch = play_memory(r->link->binding.scratch_size);
    r->points = play_memory((r->b->point_count + 1) * sizeof(sup_vec3));
    r->out = play_memory((r->b->point_count + 1) * sizeof(sup_vec3));
    assert_ok(sup_pose_create(c, r->arena, &r->now, &error), error);
    assert_ok(sup_pose_create(c, r->arena, &r->before, &error), error);
    sup_pose_bind(c, &r->now);
    sup_pose_copy(&r->now, &r->before);
    r->sampler = (sup_sampler){ rig_sample, r };
}

/// Continues with another chain's lattice of the same cells.
static inline void rig_take(rig* r, const sup_chain* chain)
{
    free(r->state), free(r->scratch);
    r->link = &chain->links[1];
    r->b = r->link->binding.data;
    r->state = play_memory(r->link->binding.state_size);
    r->scratch = play_memory(r->link->binding.scratch_size);
}

static inline void rig_end(rig* r)
{
    free(r->state), free(r->scratch), free(r->points), free(r->out);
    sup_arena_destroy(r->arena);
    sup_chain_destroy(r->chain);
    sup_character_destroy(r->c);
}

static inline void rig_turn(rig* r, uint32_t joint, sup_vec3 axis, float degrees)
{
    r->now.local[joint].rotation = quat_axis_angle(axis, degrees * 0.01745329252f);
    sup_pose_update(r->c, &r->now);
}

/// The link before the lattice in a chain: linear skinning in the current pose.
static inline void rig_skin(rig* r)
{
    const sup_weights* w = &r->c->weights;
    for (uint32_t p = 0; p < r->b->point_count; ++p) {
        sup_vec3 sum = v3(0, 0, 0);
        for (uint32_t i = w->begin[p]; i < w->begin[p + 1]; ++i)
            sum = v3_mad(sum, w->values[i], affine_point(&r->now.skin[w->joints[i]], r->c->mesh.points[p]));
        r->points[p] = sum;
    }
}

static inline sup_frame rig_frame(rig* r, double dt)
{
    rig_skin(r);
    return (sup_frame){ .time = r->time,
                        .dt = dt,
                        .start = &r->before,
                        .end = &r->now,
                        .points = r->points,
                        .skinned = r->points,
                        .carry = rigid_identity(),
                        .world = &r->world,
                        .stats = &r->stats,
                        .sampler = &r->sampler };
}

/// Starts at rest in the current pose.
static inline void rig_reset(rig* r)
{
    sup_frame f = rig_frame(r, 0);
    f.settling = true;
    sup_pose_copy(&r->now, &r->before);
    r->link->deformer->reset(&r->link->binding, &r->params, &f, r->state, r->scratch);
    r->link->deformer->evaluate(&r->link->binding, &r->params, &f, r->state, r->scratch, r->out);
}

static inline void rig_step(rig* r, double dt)
{
    r->time += dt;
    sup_frame f = rig_frame(r, dt);
    r->link->deformer->evaluate(&r->link->binding, &r->params, &f, r->state, r->scratch, r->out);
    sup_pose_copy(&r->now, &r->before);
}

static inline sup_vec3 rig_plane3(const rig* r, uint32_t plane, uint32_t slot)
{
    const float* p = lattice_plane(r->b, r->state, plane) + slot;
    return v3(p[0], p[r->b->count], p[2 * (size_t)r->b->count]);
}
static inline sup_vec3 rig_displacement(const rig* r, uint32_t slot) { return rig_plane3(r, PLANE_D, slot); }
static inline sup_vec3 rig_place(const rig* r, uint32_t slot)
{
    return v3_add(rig_plane3(r, PLANE_Y, slot), rig_plane3(r, PLANE_D, slot));
}

/// The greatest displacement from the pose, in cells.
static inline double rig_worst(const rig* r)
{
    double worst = 0;
    for (uint32_t i = 0; i < r->b->count; ++i) worst = fmax(worst, (double)v3_length(rig_displacement(r, i)) / r->b->h);
    return worst;
}

/// Volume change of every part, as fractions.
static inline void rig_volumes(rig* r, double* change)
{
    sup_vec3* x = malloc(r->b->count * sizeof *x);
    void*     scratch = play_memory(sup_lattice_volume_scratch(&r->b->volume));
    for (uint32_t i = 0; i < r->b->count; ++i) x[i] = rig_place(r, i);
    sup_lattice_volume_measure(&r->b->volume, x, NULL, NULL, NULL, scratch, change);
    for (uint32_t i = 0; i < r->b->volume.part_count; ++i) change[i] = change[i] / r->b->volume.parts[i].rest - 1;
    free(x), free(scratch);
}

static inline uint32_t rig_part(const rig* r, const char* joint)
{
    for (uint32_t i = 0; i < r->b->volume.part_count; ++i)
        if (strcmp(r->c->skeleton.joints[r->b->part_joints[i]].name, joint) == 0) return i;
    fail_msg("no part of %s", joint);
    return 0;
}

#endif
