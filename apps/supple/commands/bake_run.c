// One bake: bind the chain, evaluate frame after frame, hand each to the writer.
#include "bake_run.h"

#include "input/chains.h"
#include "input/inputs.h"
#include "input/maps.h"
#include "report/judging.h"
#include "report/output.h"
#include "supple/io_extra.h"
#include "supple/metrics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Everything one bake holds, released in one place however it ends.
typedef struct workbench {
    sup_chain*         chain;
    sup_instance*      instance;
    sup_bake*          bake;
    const sup_normals* normals;
    void*              scratch;
    void*              normals_scratch;
    sup_vec3*          points;
    sup_vec3*          vertex_normals;
    judge              judge;
    bool               judging;
} workbench;

static sup_result bind(const bake_job* job, workbench* top, sup_error* error)
{
    sup_chain_desc chain = job->chain;
    chain.character = job->character;
    chain.clip = job->motion.clip;
    if (job->motion.loop) chain.cycle_begin = job->motion.start, chain.cycle_end = job->motion.end;
    chain.tasks = job->tasks;
    chain.progress = &job->bar->sink;
    sup_result result = sup_chain_create(&chain, &top->chain, error);
    if (result != SUP_OK) return result;
    chain_report_notes(top->chain, job->bar);
    if (job->flags) maps_report_unread(job->flags, &top->chain, 1, job->bar);

    sup_instance_desc instance = motion_instance(&job->motion, top->chain, job->tasks);
    instance.snapshots = 1; // a bake never seeks back
    return sup_instance_create(&instance, &top->instance, error);
}

/// A line for every link that says what it consists of: "fourier: 32 curves, ..."; NULL: none does.
static const char* count_links(const sup_chain* chain, sup_arena* arena)
{
    char   text[1024], one[160];
    size_t used = 0;
    for (uint32_t i = 0; i < sup_chain_link_count(chain) && used + 2 * sizeof one < sizeof text; i++)
        if (sup_chain_count(chain, i, one, sizeof one))
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s: %s", used ? "\n" : "",
                                     sup_chain_link(chain, i)->name, one);
    return used ? sup_arena_text(arena, text, used) : NULL;
}

static sup_result allocate(const bake_job* job, sup_arena* arena, workbench* top, bake_outcome* out, sup_error* error)
{
    const sup_mesh* mesh = &job->character->mesh;
    sup_result      result = sup_normals_create(job->character, arena, &top->normals, error);
    if (result != SUP_OK) return result;
    top->scratch = sup_scratch_create(sup_chain_scratch_size(top->chain), NULL);
    top->normals_scratch = sup_scratch_create(sup_normals_scratch(top->normals), NULL);
    top->points = sup_arena_alloc(arena, mesh->point_count, sizeof *top->points);
    top->vertex_normals = sup_arena_alloc(arena, mesh->vertex_count, sizeof *top->vertex_normals);
    out->hashes = sup_arena_alloc(arena, out->frames, sizeof *out->hashes);
    if (job->keep) out->kept = sup_arena_alloc(arena, mesh->point_count, sizeof *out->kept);
    out->chain = sup_arena_text(arena, sup_chain_text(top->chain), strlen(sup_chain_text(top->chain)));
    out->counts = count_links(top->chain, arena);
    if (top->scratch && top->normals_scratch && top->points && top->vertex_normals && out->hashes && out->chain &&
        (out->kept || !job->keep))
        return SUP_OK;
    return sup_fail(error, SUP_ERROR_MEMORY, "out of memory while preparing %u frames of %u points; bake a shorter span",
                    out->frames, mesh->point_count);
}

static sup_result open_output(const bake_job* job, workbench* top, const bake_outcome* out, sup_error* error)
{
    const sup_bake_desc desc = {
        .still = job->motion.still,
        .path = job->output,
        .character = job->character,
        .clip = job->motion.clip,
        .name = job->name,
        .chain = out->chain,
        .start = job->motion.start,
        .end = job->motion.end,
        .fps = job->motion.fps,
        .loop = job->motion.loop,
        .frame_count = out->frames,
        .flat = job->flat,
        .sparse = job->sparse,
        .meshopt = job->meshopt,
        .vat = job->vat,
        .tension = job->tension,
        .tension_colors = job->tension_colors,
        .extra = sup_extra_get(),
        .budget = job->budget,
        .tasks = job->tasks,
        .progress = &job->bar->sink,
        .kept = job->inputs ? inputs_hold : NULL,
        .kept_user = job->inputs,
        .linear = strcmp(out->chain, "linear") == 0,
    };
    return sup_bake_begin(&desc, NULL, &top->bake, error);
}

uint64_t hash_frames(uint64_t hash, uint64_t number)
{
    uint8_t bytes[8];
    for (int i = 0; i < 8; i++) bytes[i] = (uint8_t)(number >> (8 * i));
    return sup_hash(hash, bytes, sizeof bytes);
}

// The user stopped the bake: saves a checkpoint if one was requested.
static sup_result stop(const bake_job* job, const workbench* top, const bake_outcome* out, sup_error* error)
{
    checkpoint* c = job->checkpoint;
    char        text[4300];
    if (!c) return sup_fail(error, SUP_ERROR_CANCELLED, "stopped");
    sup_result result = checkpoint_save(c, top->instance, &out->stats, true, error);
    if (result != SUP_OK) return result;
    snprintf(text, sizeof text, "%u of %u frames are saved in '%s': the same command resumes from there", c->done, out->frames,
             c->path);
    progress_note(job->bar, text);
    return sup_fail(error, SUP_ERROR_CANCELLED, "stopped");
}

// While a frame takes many steps, such as a pre-roll or the first pass of a loop, checkpoints are saved in between.
static sup_result evaluate_frame(const bake_job* job, const workbench* top, uint32_t frame, bake_outcome* out, sup_error* error)
{
    enum { STEPS_BETWEEN = 4 };
    checkpoint* c = job->checkpoint;
    double      time = sup_frame_time(job->motion.start, job->motion.fps, frame), begin = now_seconds();
    while (c && !sup_instance_advance(top->instance, time, STEPS_BETWEEN, top->scratch, &out->stats)) {
        if (!progress_report(job->bar, (double)frame / out->frames)) return stop(job, top, out, error);
        sup_result result = checkpoint_save(c, top->instance, &out->stats, false, error);
        if (result != SUP_OK) return result;
    }
    sup_instance_evaluate(top->instance, time, top->scratch, &out->stats, top->points);
    out->evaluate += now_seconds() - begin;
    return c ? checkpoint_write(c, frame, top->points, error) : SUP_OK;
}

// The next frame: evaluated, or read from a checkpoint. The first one is made before a file is opened.
static sup_result next_frame(const bake_job* job, const workbench* top, uint32_t frame, bake_outcome* out, sup_error* error)
{
    checkpoint* c = job->checkpoint;
    if (c && frame < c->resumed) {
        sup_instance_show_pose(top->instance, sup_frame_time(job->motion.start, job->motion.fps, frame));
        return checkpoint_read(c, frame, top->points, error);
    }
    sup_result result = frame > 0 ? evaluate_frame(job, top, frame, out, error) : SUP_OK;
    return result == SUP_OK && c ? checkpoint_save(c, top->instance, &out->stats, false, error) : result;
}

static sup_result write_frames(const bake_job* job, workbench* top, bake_outcome* out, sup_error* error)
{
    const sup_mesh* mesh = &job->character->mesh;
    double          rest_volume = sup_metric_volume(mesh, mesh->points);
    out->hash = SUP_HASH_START;
    for (uint32_t i = 0; i < out->frames; i++) {
        if (!progress_report(job->bar, (double)i / out->frames)) return stop(job, top, out, error);
        sup_result result = next_frame(job, top, i, out, error);
        if (result != SUP_OK) return result;
        double time = sup_frame_time(job->motion.start, job->motion.fps, i);
        out->hashes[i] = sup_hash_points(top->points, mesh->point_count);
        out->hash = hash_frames(out->hash, out->hashes[i]);
        double change = rest_volume != 0.0 ? sup_metric_volume(mesh, top->points) / rest_volume - 1.0 : 0.0;
        bool   worst = i == 0 || fabs(change) > fabs(out->volume_change);
        if (worst) {
            out->volume_change = change;
            out->worst_frame = i;
        }
        if (job->keep && (job->keep_frame == SUP_NONE ? worst : job->keep_frame == i))
            memcpy(out->kept, top->points, mesh->point_count * sizeof *out->kept);

        if (top->judging && sup_verdict_takes(i, out->frames))
            judge_frame(&top->judge, time, sup_instance_pose(top->instance), top->points);
        sup_normals_evaluate(top->normals, top->points, top->normals_scratch, job->tasks, top->vertex_normals, NULL);
        const sup_bake_frame frame = { i, time, sup_instance_pose(top->instance), top->points, top->vertex_normals };
        result = sup_bake_frame_write(top->bake, &frame, error);
        if (result != SUP_OK) return result;
    }
    return progress_report(job->bar, 1.0) ? SUP_OK : sup_fail(error, SUP_ERROR_CANCELLED, "stopped");
}

static sup_result close_output(workbench* top, sup_arena* arena, bake_outcome* out, sup_error* error)
{
    const char* warnings = NULL;
    sup_result  result = sup_bake_end(top->bake, &out->bytes, &warnings, error);
    if (result == SUP_OK && warnings && *warnings) out->warnings = sup_arena_text(arena, warnings, strlen(warnings));
    const sup_bake_report* report = result == SUP_OK ? sup_bake_report_get(top->bake) : NULL;
    if (!report) return result;
    sup_bake_report* copy = sup_arena_copy(arena, report, 1, sizeof *report);
    if (copy) copy->tries = sup_arena_copy(arena, report->tries, report->try_count, sizeof *report->tries);
    out->budget = copy;
    if (copy) copy->method = sup_arena_text(arena, copy->method, strlen(copy->method));
    return copy && copy->tries && copy->method ? SUP_OK
                                               : sup_fail(error, SUP_ERROR_MEMORY, "out of memory for the report of a budget");
}

// The link that 'fourier' or 'fourier#2' names; SUP_NONE: none.
static uint32_t find_link(const sup_chain* chain, const char* name, size_t length)
{
    const char*   sign = memchr(name, '#', length);
    unsigned long wanted = sign ? strtoul(sign + 1, NULL, 10) : 1, found = 0;
    size_t        word = sign ? (size_t)(sign - name) : length;
    for (uint32_t i = 0; i < sup_chain_link_count(chain); i++) {
        const char* own = sup_chain_link(chain, i)->name;
        if (strlen(own) == word && strncmp(own, name, word) == 0 && ++found == wanted) return i;
    }
    return SUP_NONE;
}

// Runtime files of the links, beside the bake.
static sup_result save_links(const bake_job* job, const workbench* top, sup_arena* arena, sup_error* error)
{
    for (uint32_t i = 0; i < job->save_count; i++) {
        const char *text = job->saves[i], *sign = strchr(text, '=');
        const void* bytes;
        size_t      size;
        output_file file;
        if (!sign || sign == text || !sign[1])
            return sup_fail(error, SUP_ERROR_INPUT, "--save '%s': give LINK=FILE, like fourier=out.sfc", text);
        uint32_t link = find_link(top->chain, text, (size_t)(sign - text));
        if (link == SUP_NONE)
            return sup_fail(error, SUP_ERROR_INPUT, "--save '%s': the chain '%s' has no such link", text,
                            sup_chain_text(top->chain));
        sup_result result = sup_chain_save(top->chain, link, arena, &bytes, &size, error);
        if (result != SUP_OK) return result;
        bool done =
            output_begin(&file, sign + 1, error) && output_write(&file, bytes, size, error) && output_keep(&file, error);
        output_drop(&file);
        if (!done) return SUP_ERROR_FILE;
        interrupts_kept();
        const char* note = sup_chain_save_note(top->chain, link);
        if (note) progress_note(job->bar, note);
        if (link > 1)
            progress_note(job->bar,
                          "the runtime file holds only its own link; the links between it and the skinning are not in it");
    }
    return SUP_OK;
}

// The chain's own names live as long as the chain: the part's name is the character's, the better chain a constant.
static sup_result begin_judging(const bake_job* job, workbench* top, sup_error* error)
{
    top->judging = job->judged && job->character->mesh.triangle_count <= JUDGE_TRIANGLES_MAX;
    return top->judging ? judge_begin(&top->judge, job->character, &job->motion, top->chain, job->tasks, error) : SUP_OK;
}

static sup_result end_judging(workbench* top, bake_outcome* out, sup_error* error)
{
    sup_result result = top->judging ? judge_end(&top->judge, error) : SUP_OK;
    if (top->judging) out->verdict = top->judge.verdict;
    return result;
}

static sup_result find_checkpoint(const bake_job* job, workbench* top, sup_arena* arena, bake_outcome* out, sup_error* error)
{
    checkpoint* c = job->checkpoint;
    char        text[80];
    if (!c) return SUP_OK;
    c->key.frames = out->frames;
    c->key.points = job->character->mesh.point_count;
    sup_result result = checkpoint_open(c, top->instance, &out->stats, arena, error);
    if (result != SUP_OK || !c->found) return result;
    snprintf(text, sizeof text, "resuming from a checkpoint: %u of %u frames are done", c->resumed, out->frames);
    progress_note(job->bar, text);
    return SUP_OK;
}

sup_result bake_run(const bake_job* job, sup_arena* arena, bake_outcome* out, sup_error* error)
{
    workbench top = { 0 };
    *out = (bake_outcome){ .frames = sup_frame_count(job->motion.start, job->motion.end, job->motion.fps, job->motion.loop) };
    progress_span(job->bar, 0.0, 0.2);
    sup_result result = bind(job, &top, error);
    if (result == SUP_OK) result = save_links(job, &top, arena, error);
    if (result == SUP_OK) result = allocate(job, arena, &top, out, error);
    if (result == SUP_OK) result = begin_judging(job, &top, error);
    if (result == SUP_OK) result = find_checkpoint(job, &top, arena, out, error);
    bool resumed = job->checkpoint && job->checkpoint->resumed;
    // The pre-roll is a hundred steps before any output is open; a checkpoint is saved before it ends.
    if (job->checkpoint) interrupts_hold();
    if (result == SUP_OK && !resumed) result = evaluate_frame(job, &top, 0, out, error);
    interrupts_hold();
    if (result == SUP_OK) result = open_output(job, &top, out, error);
    progress_span(job->bar, 0.2, job->budget ? 0.7 : 1.0);
    if (result == SUP_OK) result = write_frames(job, &top, out, error);
    progress_span(job->bar, 0.7, 1.0);
    if (result == SUP_OK) result = end_judging(&top, out, error);
    if (result == SUP_OK) result = close_output(&top, arena, out, error);
    if (result == SUP_OK) interrupts_kept();

    if (job->checkpoint) checkpoint_close(job->checkpoint, result == SUP_OK);
    judge_free(&top.judge);
    sup_bake_destroy(top.bake);
    interrupts_release();
    if (job->checkpoint) interrupts_release();
    sup_instance_destroy(top.instance);
    sup_chain_destroy(top.chain);
    sup_scratch_destroy(top.scratch);
    sup_scratch_destroy(top.normals_scratch);
    return result;
}
