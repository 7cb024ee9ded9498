// One character under one deformer, and the textbook loop beside it. The pose is fixed for deformers without state, so that
// reading the clip is not counted; dynamic ones play the clip at 30 frames a second.
#include "bench/bench.h"
#include "bench/reference/reference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPEATS_LEAST = 10, REPEATS_MOST = 5000, FRAMES = 30, ATTEMPTS = 4 };
static const double SECONDS = 0.33, SECONDS_MOST = 2.0;

double bench_ns_per_point(const bench_row* row) { return row->points ? row->ms * 1e6 / row->points : 0; }
double bench_speedup(const bench_row* row) { return row->ms > 0 ? row->reference_ms / row->ms : 0; }
double bench_copy_fraction(const bench_row* row, const bench_machine* machine)
{
    double speed = row->threads > 1 ? machine->copy_gb_s_threads : machine->copy_gb_s;
    if (!(row->ms > 0) || !(speed > 0)) return 0;
    return row->points * (double)BENCH_POINT_BYTES / (row->ms * 1e-3) * 1e-9 / speed;
}

double bench_best(bench_action* act, void* user, uint32_t repeat)
{
    double   begin = bench_now();
    uint32_t least = repeat ? repeat : REPEATS_LEAST, most = repeat ? repeat : REPEATS_MOST;
    double   best = act(user), spent = bench_now() - begin;
    if (spent < SECONDS_MOST || repeat) best = 1e300; // the first one warms the caches
    for (uint32_t i = 0; i < most && (repeat || spent < (i < least ? SECONDS_MOST : SECONDS)); ++i) {
        double ms = act(user);
        if (ms < best) best = ms;
        spent = bench_now() - begin;
    }
    return best;
}

bool bench_wanted(const bench_options* options, const char* name)
{
    return !options->scene || sup_glob_match(options->scene, name);
}

bool bench_begin(const bench_options* options, const char* name)
{
    if (!bench_wanted(options, name)) return false;
    if (options->begin) options->begin(name);
    return true;
}

// ---------------------------------------------------------------------------------------------- the textbook

typedef struct textbook {
    const sup_character*  character;
    const sup_pose*       pose;
    bool                  dualquat;
    reference_influences* influences;
    reference_dual*       duals;
    sup_vec3*             out;
} textbook;

/// The four largest, rescaled, as files for graphics cards keep them.
static reference_influences four_largest(const sup_weights* weights, uint32_t point)
{
    reference_influences four = { { 0 }, { 0 } };
    float                sum = 0;
    uint32_t             begin = weights->begin[point], count = weights->begin[point + 1] - begin;
    for (uint32_t k = 0; k < 4 && k < count; ++k) sum += weights->values[begin + k];
    for (uint32_t k = 0; k < 4 && k < count; ++k) {
        four.joint[k] = (uint16_t)weights->joints[begin + k];
        four.weight[k] = weights->values[begin + k] / sum;
    }
    return four;
}

static double textbook_frame(void* user)
{
    textbook*         t = user;
    const sup_mesh*   mesh = &t->character->mesh;
    const sup_affine* skin = t->pose->skin;
    double            start = bench_now();
    if (t->dualquat)
        reference_dualquat(mesh->point_count, mesh->points, t->influences, t->pose->joint_count, skin, t->duals, t->out);
    else reference_linear(mesh->point_count, mesh->points, t->influences, skin, t->out);
    return (bench_now() - start) * 1e3;
}

static sup_result time_textbook(const sup_character* character, const sup_pose* pose, sup_skinning skinning, uint32_t repeat,
                                double* ms, sup_error* error)
{
    *ms = 0;
    // The loop stores joints in two bytes, as files do.
    if (skinning == SUP_SKINNING_NONE || pose->joint_count > UINT16_MAX) return SUP_OK;
    uint32_t count = character->mesh.point_count;
    textbook t = { character, pose, skinning == SUP_SKINNING_DUALQUAT, NULL, NULL, NULL };
    t.influences = malloc((count + 1) * sizeof *t.influences);
    t.duals = malloc((pose->joint_count + 1) * sizeof *t.duals);
    t.out = malloc((count + 1) * sizeof *t.out);
    bool good = t.influences && t.duals && t.out;
    if (good) {
        for (uint32_t p = 0; p < count; ++p) t.influences[p] = four_largest(&character->weights, p);
        *ms = bench_best(textbook_frame, &t, repeat);
    }
    free(t.influences);
    free(t.duals);
    free(t.out);
    return good ? SUP_OK : sup_fail(error, SUP_ERROR_MEMORY, "out of memory while timing the textbook loop");
}

/// The number of smoothing iterations in the current chain.
static uint32_t iterations_of(const sup_deformer* deformer, const char* links)
{
    const char* said = links ? strstr(links, "iterations=") : NULL;
    if (said) return (uint32_t)strtoul(said + strlen("iterations="), NULL, 10);
    for (uint32_t i = 0; i < deformer->param_count; ++i)
        if (strcmp(deformer->params[i].name, "iterations") == 0) return (uint32_t)deformer->params[i].standard;
    return 0;
}

// ---------------------------------------------------------------------------------------------- memory

/// An allocator that counts the bytes held.
static void* count_allocate(void* user, size_t bytes)
{
    void* memory = malloc(bytes);
    if (memory) *(uint64_t*)user += bytes;
    return memory;
}

static void count_release(void* user, void* memory, size_t bytes)
{
    if (memory) *(uint64_t*)user -= bytes;
    free(memory);
}

// ---------------------------------------------------------------------------------------------- ours

typedef struct playing {
    sup_instance* instance;
    double        start, seconds; ///< of one pass
    uint32_t      frames;         ///< of one pass
    void*         scratch;
    sup_vec3*     out;
    double        cpu_ms; ///< of a frame in the best pass so far
} playing;

/// Seeking back to the start is not counted.
static double play(void* user)
{
    playing* p = user;
    if (p->frames > 1) sup_instance_evaluate(p->instance, p->start, p->scratch, NULL, p->out);
    double start = bench_now(), cpu = bench_cpu();
    for (uint32_t i = 1; i <= p->frames; ++i)
        sup_instance_evaluate(p->instance, p->start + p->seconds * i / p->frames, p->scratch, NULL, p->out);
    double ms = (bench_now() - start) * 1e3 / p->frames;
    cpu = (bench_cpu() - cpu) * 1e3 / p->frames;
    if (cpu < p->cpu_ms) p->cpu_ms = cpu;
    return ms;
}

static sup_result time_chain(const sup_chain* chain, const sup_character* character, const sup_clip* clip, const sup_pose* pose,
                             uint32_t threads, const bench_options* options, sup_arena* arena, bench_row* row, size_t* state,
                             sup_error* error)
{
    bool      dynamic = sup_chain_dynamic(chain) && clip;
    playing   p = { .frames = 1, .cpu_ms = 1e300 };
    sup_pool* pool = threads > 1 ? sup_pool_create(threads) : NULL;
    if (threads > 1 && !pool) return sup_fail(error, SUP_ERROR_MEMORY, "%u threads could not be started", threads);
    sup_instance_desc desc = { .chain = chain,
                               .clip = dynamic ? clip : NULL,
                               .pose = dynamic ? NULL : pose,
                               .preroll = SUP_NO_PREROLL,
                               .tasks = sup_pool_tasks(pool) };
    if (dynamic) {
        p.seconds = clip->seconds < 1 ? clip->seconds : 1;
        p.frames = (uint32_t)(p.seconds * FRAMES) + 1;
        if (options->step > 0) {
            p.frames = (uint32_t)(p.seconds / options->step);
            p.seconds = p.frames * options->step;
        }
    }
    p.scratch = sup_arena_alloc(arena, sup_chain_scratch_size(chain) + 64, 1);
    p.out = sup_arena_alloc(arena, character->mesh.point_count + 1, sizeof *p.out);
    sup_result result = p.scratch && p.out ? SUP_OK : sup_fail(error, SUP_ERROR_MEMORY, "out of memory while timing a chain");
    if (result == SUP_OK) result = sup_instance_create(&desc, &p.instance, error);
    if (result == SUP_OK) {
        *state = sup_instance_state_size(p.instance);
        double ms = bench_best(play, &p, options->repeat);
        if (ms < row->ms) row->ms = ms;
        if (p.cpu_ms < row->cpu_ms) row->cpu_ms = p.cpu_ms;
    }
    if (p.instance) sup_instance_destroy(p.instance);
    sup_pool_destroy(pool);
    return result;
}

/// Whether the character has what the deformer needs; whether its surface is closed is found out by binding.
static bool fits(const sup_character* c, const sup_deformer* d)
{
    if ((d->needs & SUP_NEEDS_EXAMPLES) && !c->example_count) return false;
    if ((d->needs & SUP_NEEDS_CLIP) && !c->clip_count) return false;
    sup_mesh_report report;
    sup_error       error;
    if ((d->needs & SUP_NEEDS_CLOSED) && (sup_mesh_examine(&c->mesh, &report, &error) || !report.closed)) return false;
    return true;
}

static sup_result bench_rows(bench_row* row, const sup_character* character, const sup_deformer* deformer,
                             const bench_options* options, sup_arena* arena, bench_report* report, void* user, sup_error* error)
{
    const sup_clip* clip = character->clip_count ? &character->clips[0] : NULL;
    uint64_t        held = 0;
    sup_allocator   counting = { count_allocate, count_release, &held };
    sup_chain_desc  desc = { .character = character,
                             .clip = clip,
                             .links = options->links ? options->links : deformer->name,
                             .step = options->step,
                             .allocator = &counting };
    sup_chain*      chain = NULL;
    sup_pose        pose;
    sup_result      result = sup_pose_create(character, arena, &pose, error);
    if (result == SUP_OK) {
        sup_clip_sample(character, clip, clip ? 0.5 * clip->seconds : 0, &pose);
        if (strcmp(deformer->name, "smooth") == 0)
            result = bench_textbook_smooth(character, &pose, iterations_of(deformer, options->links), options->repeat,
                                           &row->reference_ms, error);
        else result = time_textbook(character, &pose, deformer->skinning, options->repeat, &row->reference_ms, error);
    }
    double binding = bench_cpu();
    if (result == SUP_OK) result = sup_chain_create(&desc, &chain, error);
    row->bind_ms = (bench_cpu() - binding) * 1e3;
    for (uint32_t turn = 0; result == SUP_OK && turn < (options->threads > 1 ? 2u : 1u); ++turn) {
        row->threads = turn ? options->threads : 1;
        row->ms = row->cpu_ms = 1e300;
        // On a busy machine a thread may stay behind its caller on the same core for good: new threads get a new place.
        double begin = bench_now();
        for (int attempt = 0; result == SUP_OK && attempt < (turn ? ATTEMPTS : 1); ++attempt) {
            if (attempt && bench_now() - begin > SECONDS_MOST) break;
            size_t state = 0;
            result = time_chain(chain, character, clip, &pose, row->threads, options, arena, row, &state, error);
            row->memory = held + state + sup_chain_scratch_size(chain);
        }
        if (result == SUP_OK && !report(user, row)) result = sup_fail(error, SUP_ERROR_CANCELLED, "stopped");
    }
    if (chain) sup_chain_destroy(chain);
    return result;
}

sup_result bench_character(const char* scene, const sup_character* character, const sup_deformer* deformer,
                           const bench_options* options, bench_report* report, void* user, sup_error* error)
{
    bench_row row = { .points = character->mesh.point_count };
    snprintf(row.name, sizeof row.name, "%s/%s", scene, deformer->name);
    if (!fits(character, deformer) || !bench_begin(options, row.name)) return SUP_OK;
    sup_arena* arena = sup_arena_create(NULL);
    if (!arena) return sup_fail(error, SUP_ERROR_MEMORY, "out of memory while timing %s", row.name);
    sup_result result = bench_rows(&row, character, deformer, options, arena, report, user, error);
    sup_arena_destroy(arena);
    return result;
}
