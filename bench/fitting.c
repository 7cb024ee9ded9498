// A rig from shapes: as many points and frames as horse-gallop has (8431 points, 24 frames), from the beast's walk.
#include "bench/bench.h"
#include "supple/rig.h"

#include <stdlib.h>

enum { FRAMES = 24, BONES = 10, REPEAT = 3 };

typedef struct fitting {
    sup_decompose_input in;
    const sup_tasks*    tasks;
    sup_error*          error;
    sup_result          result;
} fitting;

static double fit_once(void* user)
{
    fitting*                    f = user;
    sup_arena*                  arena = sup_arena_create(NULL);
    sup_decomposition           out;
    const sup_decompose_options options = { .bones = BONES, .tasks = f->tasks };
    double                      begin = bench_now();
    if (!arena) f->result = sup_fail(f->error, SUP_ERROR_MEMORY, "out of memory for a fit");
    else f->result = sup_decompose(&f->in, &options, arena, &out, f->error);
    double ms = 1e3 * (bench_now() - begin);
    sup_arena_destroy(arena);
    return ms;
}

static sup_result time_fit(fitting* f, const bench_options* options, bench_report* report, void* user)
{
    for (uint32_t threads = 1;; threads = options->threads) {
        sup_pool* pool = sup_pool_create(threads);
        if (!pool) return sup_fail(f->error, SUP_ERROR_MEMORY, "no memory for %u threads", threads);
        f->tasks = sup_pool_tasks(pool);
        bench_row row = { .name = "fit/beast-8k", .points = f->in.point_count, .threads = threads };
        row.ms = bench_best(fit_once, f, options->repeat ? options->repeat : REPEAT);
        sup_pool_destroy(pool);
        if (f->result != SUP_OK) return f->result;
        if (!report(user, &row)) return sup_fail(f->error, SUP_ERROR_CANCELLED, "stopped");
        if (threads == options->threads) return SUP_OK;
    }
}

// The walk with dual quaternions, which no linear rig reproduces without error.
static sup_result play(const sup_character* c, const sup_clip* clip, sup_vec3* frames, sup_error* error)
{
    sup_chain*     chain = NULL;
    sup_instance*  instance = NULL;
    sup_chain_desc desc = { .character = c, .clip = clip, .links = "dualquat" };
    sup_result     result = sup_chain_create(&desc, &chain, error);
    if (result == SUP_OK)
        result = sup_instance_create(&(sup_instance_desc){ .chain = chain, .clip = clip, .preroll = SUP_NO_PREROLL }, &instance,
                                     error);
    void* scratch = chain ? sup_scratch_create(sup_chain_scratch_size(chain), NULL) : NULL;
    if (result == SUP_OK && !scratch) result = sup_fail(error, SUP_ERROR_MEMORY, "out of memory for a fit");
    for (uint32_t f = 0; f < FRAMES && result == SUP_OK; ++f)
        sup_instance_evaluate(instance, clip->seconds * f / FRAMES, scratch, NULL, frames + (size_t)f * c->mesh.point_count);
    sup_scratch_destroy(scratch);
    sup_instance_destroy(instance);
    sup_chain_destroy(chain);
    return result;
}

sup_result bench_fit(const bench_options* options, bench_report* report, void* user, sup_error* error)
{
    if (!bench_begin(options, "fit/beast-8k")) return SUP_OK;
    sup_character* beast = NULL;
    sup_result     result = sup_load("builtin:beast?points=8431", NULL, &beast, error);
    if (result != SUP_OK) return result;
    const sup_clip* walk = sup_character_clip(beast, "walk");
    sup_vec3*       frames = malloc((size_t)FRAMES * beast->mesh.point_count * sizeof *frames);
    if (!walk) result = sup_fail(error, SUP_ERROR_INPUT, "the beast has no walk");
    else result = frames ? play(beast, walk, frames, error) : sup_fail(error, SUP_ERROR_MEMORY, "out of memory for a fit");
    fitting f = {
        .in = { .point_count = beast->mesh.point_count, .frame_count = FRAMES, .rest = beast->mesh.points, .frames = frames },
        .error = error
    };
    if (result == SUP_OK) result = time_fit(&f, options, report, user);
    free(frames);
    sup_character_destroy(beast);
    return result;
}
