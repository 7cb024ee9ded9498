// Plays one chain over a clip and measures every frame.
#include "chain_measure.h"

#include "commands/bake_run.h"
#include "limits.h"
#include "report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// An example this close to a frame is that frame.
static const double EXAMPLE_SNAP = 0.0005;
// Parts smaller than this share of the whole have no volume worth a percentage.
static const double PART_SHARE_MIN = 1e-4;

typedef struct bench {
    sup_vec3*   points;
    void*       meter_scratch;
    double*     volumes; // of the parts
    float*      per_point;
    sup_motion* motion;
} bench;

static sup_result prepare(const measure_job* job, sup_arena* arena, bench* b, measured* out, sup_error* error)
{
    const motion*           m = job->motion;
    const sup_instance_desc desc = motion_instance(m, out->chain, job->tasks);
    sup_result              result = sup_instance_create(&desc, &out->instance, error);
    uint32_t                points = job->character->mesh.point_count, parts = sup_meter_part_count(job->meter);
    if (result == SUP_OK) result = sup_motion_create(points, 1.0 / m->fps, arena, &b->motion, error);
    if (result != SUP_OK) return result;
    b->points = sup_arena_alloc(arena, points, sizeof *b->points);
    b->volumes = sup_arena_alloc(arena, parts, sizeof *b->volumes);
    b->per_point = sup_arena_alloc(arena, points, sizeof *b->per_point);
    b->meter_scratch = sup_scratch_create(sup_meter_scratch(job->meter), NULL);
    out->scratch = sup_scratch_create(sup_chain_scratch_size(out->chain), NULL);
    out->frames = sup_arena_alloc(arena, job->frames, sizeof *out->frames);
    out->parts = sup_arena_alloc(arena, (size_t)job->frames * parts, sizeof *out->parts);
    out->text = sup_arena_text(arena, sup_chain_text(out->chain), strlen(sup_chain_text(out->chain)));
    if (b->points && b->volumes && b->per_point && b->meter_scratch && out->scratch && out->frames && out->parts && out->text)
        return SUP_OK;
    return sup_fail(error, SUP_ERROR_MEMORY, "out of memory while preparing %u frames of %u points; take a shorter span",
                    job->frames, points);
}

static void take_volumes(const measure_job* job, const bench* b, const sup_pose* pose, measure_frame* f, double* parts)
{
    double rest = sup_meter_rest_volume(job->meter);
    f->volume = rest != 0.0 ? sup_meter_volume(job->meter, b->points) / rest - 1.0 : 0.0;
    f->part_index = SUP_NONE;
    sup_meter_part_volumes(job->meter, pose, b->points, b->volumes);
    for (uint32_t p = 0; p < sup_meter_part_count(job->meter); p++) {
        double part_rest = sup_meter_part_at(job->meter, p)->rest_volume;
        // An inside-out or negligible part would turn any motion into a meaningless percentage.
        parts[p] = part_rest > PART_SHARE_MIN * fabs(rest) ? b->volumes[p] / part_rest - 1.0 : 0.0;
        if (f->part_index == SUP_NONE || worse_than(fabs(parts[p]), fabs(f->part))) {
            f->part = parts[p];
            f->part_index = p;
        }
    }
}

bool measure_is_example(const sup_character* c, const sup_clip* clip, double time)
{
    for (uint32_t i = 0; i < c->example_count; i++) {
        const sup_example* e = &c->examples[i];
        bool               ours = !e->clip || (clip && strcmp(e->clip, clip->name) == 0);
        if (ours && fabs(e->time - time) <= EXAMPLE_SNAP) return true;
    }
    return false;
}

static void take_errors(const measure_job* job, const bench* b, uint32_t index, measure_frame* f, measured* out)
{
    uint32_t        count = job->character->mesh.point_count;
    const sup_vec3* truth = job->truth->points[index];
    sup_errors      alone = { 0 };
    sup_errors_add(&alone, b->points, truth, count, NULL);
    f->error = alone.max;
    f->rms = sup_errors_rms(&alone);
    sup_errors_add(&out->errors, b->points, truth, count, NULL);
    if (!measure_is_example(job->character, job->motion->clip, f->time))
        sup_errors_add(&out->inbetween, b->points, truth, count, NULL);
}

double crossings_number(uint32_t pairs) { return pairs == SUP_METER_UNCOUNTED ? INFINITY : (double)pairs; }

void crossings_text(double number, char* text, size_t capacity)
{
    if (isfinite(number)) snprintf(text, capacity, "%.0f", number);
    else snprintf(text, capacity, "-");
}

sup_json* crossings_json(sup_arena* arena, double number)
{
    return isfinite(number) ? sup_json_new_number(arena, number) : sup_json_new(arena, SUP_JSON_NULL);
}

static double count_crossings(const sup_meter* meter, const sup_vec3* points, void* scratch, const sup_tasks* tasks)
{
    return crossings_number(sup_meter_intersections(meter, points, scratch, tasks, NULL, 0));
}

static void take_frame(const measure_job* job, const bench* b, uint32_t i, measured* out)
{
    const sup_meter* meter = job->meter;
    measure_frame*   f = &out->frames[i];
    double           jerk_max;
    f->time = sup_frame_time(job->motion->start, job->motion->fps, i);

    double begin = now_seconds();
    sup_instance_evaluate(out->instance, f->time, out->scratch, &out->stats, b->points);
    out->evaluate += now_seconds() - begin;
    out->hash = hash_frames(out->hash, sup_hash_points(b->points, job->character->mesh.point_count));

    take_volumes(job, b, sup_instance_pose(out->instance), f, out->parts + (size_t)i * sup_meter_part_count(meter));
    // A search that gives up costs as much as dozens that succeed: one is enough to know.
    bool uncounted = job->uncounted || (i > 0 && isinf(f[-1].intersections));
    f->intersections = uncounted ? INFINITY : count_crossings(meter, b->points, b->meter_scratch, job->tasks);
    f->stretch = sup_meter_stretch(meter, b->points, NULL);
    f->roughness = sup_meter_roughness(meter, b->points, NULL);
    sup_motion_push(b->motion, b->points, &f->speed, &f->jerk, &jerk_max);
    if (job->truth) take_errors(job, b, i, f, out);
}

// How bad a frame looks: against the truth if there is one, else by the part that changed most.
static double badness(const measure_job* job, const measure_frame* f) { return job->truth ? f->rms : fabs(f->part); }

static void summarize(const measure_job* job, measured* out)
{
    double jerk_squares = 0.0;
    for (uint32_t i = 0; i < job->frames; i++) {
        const measure_frame *f = &out->frames[i], *all = out->frames;
        if (worse_than(fabs(f->volume), fabs(all[out->volume_frame].volume))) out->volume_frame = i;
        if (worse_than(fabs(f->part), fabs(all[out->part_frame].part))) out->part_frame = i;
        if (f->intersections > all[out->intersections_frame].intersections) out->intersections_frame = i;
        if (worse_than(f->stretch, all[out->stretch_frame].stretch)) out->stretch_frame = i;
        if (worse_than(f->error, all[out->error_frame].error)) out->error_frame = i;
        if (worse_than(badness(job, &all[out->best]), badness(job, f))) out->best = i;
        if (worse_than(badness(job, f), badness(job, &all[out->worst]))) out->worst = i;
        if (worse_than(f->roughness, out->roughness_max)) out->roughness_max = f->roughness;
        if (worse_than(f->speed, out->speed_max)) out->speed_max = f->speed;
        jerk_squares += f->jerk * f->jerk;
    }
    // The first three frames have no third difference.
    out->jerk_rms = job->frames > 3 ? sqrt(jerk_squares / (job->frames - 3)) : 0.0;
}

int measure_frames(const options* o, const truth_set* t, motion* m, uint32_t* frames)
{
    if (t->count == 0) {
        *frames = sup_frame_count(m->start, m->end, m->fps, m->loop);
        return EXIT_DONE;
    }
    if (!options_has(o, FLAG_FPS)) {
        *frames = t->count;
        if (t->count > 1 && !(m->end > m->start)) {
            report_error("%u truth meshes need a motion; this is one held pose: give one mesh, or a --clip",
                         t->count);
            return EXIT_FAILED;
        }
        if (t->count < 2) return EXIT_DONE;
        // The last mesh is at the end; in a cycle the end equals the first frame.
        double usual = m->fps;
        m->fps = (t->count - (m->loop ? 0 : 1)) / (m->end - m->start);
        if (fabs(m->fps - usual) > 0.01 && sup_frame_count(m->start, m->end, usual, m->loop) == t->count)
            report_note(
                "the %u frames of the truth are spread over the clip, %.2f a second; if they were made at %g, give --fps %g",
                t->count, m->fps, usual, usual);
        return EXIT_DONE;
    }
    *frames = sup_frame_count(m->start, m->end, m->fps, m->loop);
    if (*frames == t->count) return EXIT_DONE;
    report_error(
        "there are %u truth meshes for %u frames at %g a second; leave --fps out to spread them over the clip, or change "
        "--start and --end",
        t->count, *frames, m->fps);
    return EXIT_FAILED;
}

sup_result measure_chain(const measure_job* job, sup_chain* chain, sup_arena* arena, measured* out, sup_error* error)
{
    bench b = { 0 };
    *out = (measured){ .chain = chain, .hash = SUP_HASH_START };
    sup_result result = prepare(job, arena, &b, out, error);
    for (uint32_t i = 0; i < job->frames && result == SUP_OK; i++) {
        if (progress_report(job->bar, (double)i / job->frames)) take_frame(job, &b, i, out);
        else result = sup_fail(error, SUP_ERROR_CANCELLED, "stopped");
    }
    if (result == SUP_OK) summarize(job, out);
    sup_scratch_destroy(b.meter_scratch);
    return result;
}

void measured_free(measured* m)
{
    sup_instance_destroy(m->instance);
    sup_chain_destroy(m->chain);
    sup_scratch_destroy(m->scratch);
    *m = (measured){ 0 };
}

void measured_points(measured* m, const measure_job* job, uint32_t frame, sup_vec3* out)
{
    sup_instance_evaluate(m->instance, sup_frame_time(job->motion->start, job->motion->fps, frame), m->scratch, NULL, out);
}
