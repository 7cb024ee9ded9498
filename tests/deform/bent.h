/// tests/deform/bent.h: a character at rest under `bend` and a world, for its tests.
#ifndef SUP_TESTS_BENT_H
#define SUP_TESTS_BENT_H

#include "play.h"

#include <math.h>

typedef struct bent {
    sup_arena* arena;
    play       p;
    sup_vec3*  plain;
} bent;

// At rest, under a world; times are seconds of a held pose.
static inline bent bent_by(const sup_character* c, const char* links, const char* world)
{
    bent b = { .arena = sup_arena_create(NULL) };
    b.p = play_chain((sup_chain_desc){ .character = c, .links = links, .world = world ? test_json(world, b.arena) : NULL },
                     (sup_instance_desc){ .preroll = 0 });
    b.plain = SUP_NEW(b.arena, sup_vec3, b.p.points);
    memcpy(b.plain, c->mesh.points, b.p.points * sizeof *b.plain);
    return b;
}

static inline void bent_end(bent* b)
{
    play_end(&b->p);
    sup_arena_destroy(b->arena);
}

static inline double most_moved(bent* b, double time, uint32_t* point)
{
    double most = 0;
    if (point) *point = 0;
    play_hash(&b->p, time);
    for (uint32_t i = 0; i < b->p.points; ++i) {
        double d = (double)v3_distance(b->p.out[i], b->plain[i]);
        if (!(d <= most)) {
            most = d;
            if (point) *point = i;
        }
    }
    return most;
}

static inline double most_under(const sup_character* c, const char* links, const char* world)
{
    bent   b = bent_by(c, links, world);
    double most = most_moved(&b, 0, NULL);
    bent_end(&b);
    return most;
}

static inline void fails_with(const sup_character* c, const char* links, const char* world, const char* words)
{
    sup_arena* arena = sup_arena_create(NULL);
    sup_chain* chain = NULL;
    sup_error  error;
    sup_result r = sup_chain_create(
        &(sup_chain_desc){ .character = c, .links = links, .world = world ? test_json(world, arena) : NULL }, &chain, &error);
    if (r == SUP_OK) fail_msg("%s with %s does not fail", links, world ? world : "no world");
    if (!strstr(error.text, words)) fail_msg("'%s' does not say '%s'", error.text, words);
    sup_arena_destroy(arena);
}

/// How much faster than the skin its displacement changes along the steepest edge.
static inline double steepest(const bent* b, const sup_mesh* mesh)
{
    double most = 0;
    for (uint32_t t = 0; t < mesh->triangle_count; ++t)
        for (int k = 0; k < 3; ++k) {
            uint32_t i = mesh->triangles[3 * t + k], j = mesh->triangles[3 * t + (k + 1) % 3];
            sup_vec3 u = v3_sub(b->p.out[i], b->plain[i]), v = v3_sub(b->p.out[j], b->plain[j]);
            most = fmax(most, (double)(v3_distance(u, v) / v3_distance(b->plain[i], b->plain[j])));
        }
    return most;
}

#endif
