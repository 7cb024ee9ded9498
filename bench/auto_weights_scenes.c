// Automatic weights: 30,000 points and 40 joints, a size at which rigging tools are compared.
#include "bench/bench.h"
#include "supple/rig.h"

#include <stdlib.h>
#include <string.h>

enum { JOINTS = 40 };

typedef struct weighing {
    const sup_character* character;
    sup_bone             bones[2 * JOINTS];
    uint32_t             bone_count;
    const sup_tasks*     tasks;
    size_t               memory;
    sup_error*           error;
    sup_result           result;
} weighing;

static float squared_length(const sup_bone* b)
{
    float x = b->tail.x - b->head.x, y = b->tail.y - b->head.y, z = b->tail.z - b->head.z;
    return x * x + y * y + z * z;
}

/// The character's own bones, the longest ones cut in two until there are as many joints as wanted.
static bool cut_bones(weighing* w)
{
    const sup_skeleton* s = &w->character->skeleton;
    bool                owns[JOINTS] = { false };
    uint32_t            owners = 0;
    if (s->bone_count > JOINTS || s->joint_count > JOINTS) return false;
    memcpy(w->bones, s->bones, s->bone_count * sizeof *w->bones);
    w->bone_count = s->bone_count;
    for (uint32_t b = 0; b < w->bone_count; ++b) {
        owners += !owns[w->bones[b].joint];
        owns[w->bones[b].joint] = true;
    }
    for (uint32_t joint = s->joint_count; owners < JOINTS; ++owners, ++joint) {
        sup_bone* longest = w->bones;
        for (uint32_t b = 1; b < w->bone_count; ++b)
            if (squared_length(&w->bones[b]) > squared_length(longest)) longest = &w->bones[b];
        sup_vec3 middle = { (longest->head.x + longest->tail.x) / 2, (longest->head.y + longest->tail.y) / 2,
                            (longest->head.z + longest->tail.z) / 2 };
        w->bones[w->bone_count++] = (sup_bone){ joint, longest->child, middle, longest->tail };
        longest->tail = middle;
    }
    return true;
}

static double weigh_once(void* user)
{
    weighing*                w = user;
    sup_arena*               arena = sup_arena_create(NULL);
    sup_auto_weights         made;
    sup_auto_weights_options options = { .tasks = w->tasks };
    double                   begin = bench_now();
    if (!arena) w->result = sup_fail(w->error, SUP_ERROR_MEMORY, "out of memory for weights");
    else w->result = sup_weights_automatic(&w->character->mesh, w->bone_count, w->bones, &options, arena, &made, w->error);
    double ms = 1e3 * (bench_now() - begin);
    if (w->result == SUP_OK) w->memory = made.bytes;
    sup_arena_destroy(arena);
    return ms;
}

static sup_result time_weights(weighing* w, const bench_options* options, bench_report* report, void* user)
{
    for (uint32_t threads = 1;; threads = options->threads) {
        sup_pool* pool = sup_pool_create(threads);
        if (!pool) return sup_fail(w->error, SUP_ERROR_MEMORY, "no memory for %u threads", threads);
        w->tasks = sup_pool_tasks(pool);
        bench_row row = { .name = "weights/beast-30k", .points = w->character->mesh.point_count, .threads = threads };
        row.ms = bench_best(weigh_once, w, options->repeat);
        row.memory = w->memory;
        sup_pool_destroy(pool);
        if (w->result != SUP_OK) return w->result;
        if (!report(user, &row)) return sup_fail(w->error, SUP_ERROR_CANCELLED, "stopped");
        if (threads == options->threads) return SUP_OK;
    }
}

sup_result bench_weights(const bench_options* options, bench_report* report, void* user, sup_error* error)
{
    if (!bench_begin(options, "weights/beast-30k")) return SUP_OK;
    sup_character* beast = NULL;
    sup_result     result = sup_load("builtin:beast?points=30000", NULL, &beast, error);
    weighing       w = { .character = beast, .error = error };
    if (result == SUP_OK && !cut_bones(&w)) result = sup_fail(error, SUP_ERROR_INPUT, "the beast has over %d joints", JOINTS);
    if (result == SUP_OK) result = time_weights(&w, options, report, user);
    sup_character_destroy(beast);
    return result;
}
