// The performance goals of `bend`: a plate factored, fixed loads summed, a moving load, rings on a foundation. One thread;
// frames are those of the whole chain, skinning included.
#include "bench/bench.h"
#include "solve/plate/plate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLATE = 64, FRAMES = 30, RING_POINTS = 10000 };

// ---------------------------------------------------------------------------------------------- the plate

/// Milliseconds to fill and factor the matrix of 64 x 64 nodes. Its memory is not counted: a bound chain keeps none of it.
static double factor_plate(void* user)
{
    (void)user;
    sup_arena* arena = sup_arena_create(NULL);
    sup_plate  plate;
    double     start = bench_now(), ms = 1e300;
    if (arena && sup_plate_create(PLATE + 1, PLATE + 1, 1.0 / (PLATE + 1), 1.0 / (PLATE + 1), arena, &plate, NULL) == SUP_OK)
        ms = (bench_now() - start) * 1e3;
    if (arena) sup_arena_destroy(arena);
    return ms;
}

// ---------------------------------------------------------------------------------------------- chains

/// Forces of every kind and a pressure, all of them changing, on the torso of the beast.
static const char fixed_loads[] =
    "{\"forces\":["
    "{\"name\":\"poke\",\"bone\":\"spine_1\",\"radius\":0.3,\"value\":[0,0,8],"
    "\"keys\":[{\"time\":0,\"value\":0.1},{\"time\":1,\"value\":1}]},"
    "{\"name\":\"line\",\"curve\":{\"bone\":\"spine_2\",\"ratio\":0.5},\"from\":0.2,\"to\":0.6,\"value\":[0,-5,0]},"
    "{\"name\":\"blow\",\"region\":{\"curves\":[11,14],\"from\":0.3,\"to\":0.6},\"value\":[6,0,0]}],"
    "\"keys\":{\"bend.young\":[{\"time\":0,\"value\":1000},{\"time\":1,\"value\":700}]}}";
/// A ball that rolls along the flank.
static const char moving_load[] = "{\"bodies\":[{\"name\":\"ball\",\"sphere\":{\"center\":[0.24,0.40,0.1],\"radius\":0.09},"
                                  "\"keys\":[{\"time\":0},{\"time\":1,\"move\":[0,0.05,-0.3]}]}]}";
/// Keys of the stiffness: no earlier solution can be reused.
static const char changing[] = "{\"forces\":[{\"name\":\"lift\",\"curve\":12,\"from\":0.1,\"to\":0.6,\"value\":[0,50,0]},"
                               "{\"name\":\"push\",\"curve\":5,\"ratio\":0.3,\"value\":[0,0,80]}],"
                               "\"keys\":{\"bend.young\":[{\"time\":0,\"value\":1000},{\"time\":1,\"value\":500}]}}";

typedef struct bending {
    sup_instance* instance;
    void*         scratch;
    sup_vec3*     out;
    uint32_t      frame;
} bending;

static double bend_frame(void* user)
{
    bending* b = user;
    double   time = (double)(b->frame++ % FRAMES) / FRAMES, start = bench_now();
    sup_instance_evaluate(b->instance, time, b->scratch, NULL, b->out);
    return (bench_now() - start) * 1e3;
}

static sup_result time_chain(const sup_character* character, const char* links, const char* world, const bench_options* options,
                             double* ms, sup_error* error)
{
    sup_arena* arena = sup_arena_create(NULL);
    if (!arena) return sup_fail(error, SUP_ERROR_MEMORY, "out of memory while timing bend");
    sup_chain* chain = NULL;
    sup_json*  tree = NULL;
    bending    b = { 0 };
    sup_result r = sup_json_parse(world, strlen(world), "bench", arena, &tree, error);
    if (!r) r = sup_chain_create(&(sup_chain_desc){ .character = character, .links = links, .world = tree }, &chain, error);
    if (!r) r = sup_instance_create(&(sup_instance_desc){ .chain = chain, .preroll = SUP_NO_PREROLL }, &b.instance, error);
    if (!r) {
        b.scratch = sup_arena_alloc(arena, sup_chain_scratch_size(chain) + 64, 1);
        b.out = sup_arena_alloc(arena, character->mesh.point_count, sizeof *b.out);
        if (!b.scratch || !b.out) r = sup_fail(error, SUP_ERROR_MEMORY, "out of memory while timing bend");
    }
    if (!r) *ms = bench_best(bend_frame, &b, options->repeat);
    if (b.instance) sup_instance_destroy(b.instance);
    if (chain) sup_chain_destroy(chain);
    sup_arena_destroy(arena);
    return r;
}

sup_result bench_bending(const bench_options* options, bench_report* report, void* user, sup_error* error)
{
    static const struct {
        const char *name, *character, *links, *world;
    } scenes[] = {
        { "bend/plate-64x64", NULL, NULL, NULL },
        { "bend/fixed-loads", "beast", "bend(pressure=0.1)", fixed_loads },
        { "bend/moving-load", "beast", "bend(closed=foundation)", moving_load },
        { "bend/rings-21x20", NULL, "bend(way=around,curves=21,closed=foundation,terms=20)", changing },
    };
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; ++i) {
        bench_row      row = { .threads = 1, .points = PLATE * PLATE };
        sup_character* character = NULL;
        sup_result     r = SUP_OK;
        snprintf(row.name, sizeof row.name, "%s", scenes[i].name);
        if (!bench_begin(options, row.name)) continue;
        if (!scenes[i].links) row.ms = bench_best(factor_plate, NULL, options->repeat);
        else {
            r = scenes[i].character ? sup_builtin_create(scenes[i].character, 0, NULL, &character, error)
                                    : bench_tube_create(RING_POINTS, 0, &character, error);
            if (!r) r = time_chain(character, scenes[i].links, scenes[i].world, options, &row.ms, error);
            if (!r) row.points = character->mesh.point_count;
            if (character) sup_character_destroy(character);
        }
        if (r) return r;
        if (!report(user, &row)) return sup_fail(error, SUP_ERROR_CANCELLED, "stopped");
    }
    return SUP_OK;
}
