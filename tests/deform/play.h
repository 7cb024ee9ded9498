/// tests/deform/play.h: a chain and an instance with their memory, for tests that play clips.
#ifndef SUP_TESTS_PLAY_H
#define SUP_TESTS_PLAY_H

#include "spring.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

typedef struct play {
    sup_chain*    chain;
    sup_instance* instance;
    void*         scratch;
    sup_vec3*     out;
    uint32_t      points;
    sup_stats     stats;
} play;

/// Filled with NaN: nothing may read what was not written.
static inline void* play_memory(size_t bytes)
{
    size_t capacity = (bytes + 64) / 64 * 64;
    void*  p = aligned_alloc(64, capacity);
    assert_non_null(p);
    memset(p, 0xff, capacity);
    return p;
}

static inline play play_chain(sup_chain_desc chain, sup_instance_desc instance)
{
    play      p = { .points = chain.character->mesh.point_count };
    sup_error error;
    if (!chain.extra) chain.extra = test_deformers, chain.extra_count = SUP_COUNT_OF(test_deformers);
    assert_ok(sup_chain_create(&chain, &p.chain, &error), error);
    instance.chain = p.chain;
    // Tests play without a pre-roll unless they ask for one: here negative selects the usual one.
    instance.preroll = instance.preroll == 0 ? SUP_NO_PREROLL : instance.preroll < 0 ? 0 : instance.preroll;
    assert_ok(sup_instance_create(&instance, &p.instance, &error), error);
    p.scratch = play_memory(sup_chain_scratch_size(p.chain));
    p.out = play_memory((p.points + 1) * sizeof(sup_vec3));
    return p;
}

static inline uint64_t play_hash(play* p, double time)
{
    sup_instance_evaluate(p->instance, time, p->scratch, &p->stats, p->out);
    return sup_hash_points(p->out, p->points);
}

static inline void play_end(play* p)
{
    free(p->out), free(p->scratch);
    sup_instance_destroy(p->instance);
    sup_chain_destroy(p->chain);
}

/// Mean distance of the points of a slice from its middle.
static inline double play_slice_radius(const sup_vec3* rest, const sup_vec3* points, uint32_t count, float x)
{
    sup_vec3 sum = v3(0, 0, 0);
    double   radius = 0;
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; ++i)
        if (fabsf(rest[i].x - x) < 0.012f) sum = v3_add(sum, points[i]), ++n;
    for (uint32_t i = 0; i < count; ++i)
        if (fabsf(rest[i].x - x) < 0.012f) radius += (double)v3_distance(points[i], v3_scale(sum, 1.0f / (float)n)) / n;
    return radius;
}

#endif
