// supple compare: several chains over one clip, against each other and against the truth.
#include "commands.h"
#include "input/chains.h"
#include "input/maps.h"
#include "input/sculpts.h"
#include "report/compare.h"
#include "report/html.h"
#include "report/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------- limits

static void judge_chain(const comparison* c, const measured* m, verdict* list)
{
    const measure_frame* f = m->frames;
    uint32_t             loss = 0;
    for (uint32_t i = 1; i < c->job.frames; i++)
        if (worse_than(-f[i].volume, -f[loss].volume)) loss = i;
    if (isfinite(c->limits.volume_loss) && worse_than(-f[loss].volume, c->limits.volume_loss)) {
        verdict_add(list, "%s loses %.2f %% of its volume at frame %u (%.3f s); the limit is %.4g %%", m->text,
                    -100.0 * f[loss].volume, loss, f[loss].time, 100.0 * c->limits.volume_loss);
    }
    uint32_t worst = m->error_frame;
    if (isfinite(c->limits.error) && worse_than(f[worst].error, c->limits.error)) {
        verdict_add(list, "%s is %.4g units from the truth at frame %u (%.3f s); the limit is %.4g", m->text, f[worst].error,
                    worst, f[worst].time, c->limits.error);
    }
    worst = m->intersections_frame;
    if (isinf(f[worst].intersections) && isfinite(c->limits.intersections)) {
        verdict_add(list, "%s has more triangles in one place at frame %u (%.3f s) than can be counted; the limit is %.0f",
                    m->text, worst, f[worst].time, c->limits.intersections);
    } else if (f[worst].intersections > c->limits.intersections) {
        verdict_add(list, "%s has %.0f pairs of triangles that pass through each other at frame %u (%.3f s); the limit is %.0f",
                    m->text, f[worst].intersections, worst, f[worst].time, c->limits.intersections);
    }
    worst = m->stretch_frame;
    if (isfinite(c->limits.stretch) && worse_than(f[worst].stretch, c->limits.stretch)) {
        verdict_add(list, "%s stretches an edge %.3g times at frame %u (%.3f s); the limit is %.4g", m->text, f[worst].stretch,
                    worst, f[worst].time, c->limits.stretch);
    }
}

// ---------------------------------------------------------------------------------------------- telling

static const char* part_name(const comparison* c, const measure_frame* f)
{
    return f->part_index == SUP_NONE ? "-" : sup_meter_part_at(c->job.meter, f->part_index)->name;
}

static bool uncounted(const comparison* c)
{
    for (uint32_t i = 0; i < c->count; i++)
        if (isinf(c->chains[i].frames[c->chains[i].intersections_frame].intersections)) return true;
    return isinf(c->rest_intersections);
}

static void print_table(const comparison* c)
{
    table t;
    char  crossings[24];
    bool  truth = c->job.truth != NULL;
    table_begin(&t, truth ? "chain|>ms/frame|>volume max|>end|worst part|>intersections|>stretch|>roughness|>jerk|>error "
                            "max|>rms|>erms|>rms between"
                          : "chain|>ms/frame|>volume max|>end|worst part|>intersections|>stretch|>roughness|>jerk");
    for (uint32_t i = 0; i < c->count; i++) {
        const measured*      m = &c->chains[i];
        const measure_frame* f = m->frames;
        table_add(&t, "%s", m->text);
        table_add(&t, "%.3f", 1000.0 * m->evaluate / c->job.frames);
        table_add(&t, "%+.2f %%", 100.0 * f[m->volume_frame].volume);
        table_add(&t, "%+.2f %%", 100.0 * f[c->job.frames - 1].volume);
        table_add(&t, "%+.2f %% %s", 100.0 * f[m->part_frame].part, part_name(c, &f[m->part_frame]));
        crossings_text(f[m->intersections_frame].intersections, crossings, sizeof crossings);
        table_add(&t, "%s", crossings);
        table_add(&t, "%.2f", f[m->stretch_frame].stretch);
        table_add(&t, "%.2f", m->roughness_max);
        table_add(&t, "%.3g", m->jerk_rms);
        if (!truth) continue;
        table_add(&t, "%.4g", m->errors.max);
        table_add(&t, "%.4g", sup_errors_rms(&m->errors));
        table_add(&t, "%.4g", sup_errors_erms(&m->errors, (double)c->job.character->mesh.diagonal));
        if (m->inbetween.count) table_add(&t, "%.4g", sup_errors_rms(&m->inbetween));
        else table_add(&t, "-");
    }
    table_print(&t, 0);
    const motion* m = c->job.motion;
    crossings_text(c->rest_intersections, crossings, sizeof crossings);
    printf("\n%u frame%s of %s%s%s, %u points. Volumes against rest; intersections are pairs of triangles, %s at rest; stretch "
           "is the "
           "worst edge's ratio.\n",
           c->job.frames, c->job.frames == 1 ? "" : "s", m->clip ? "'" : "", m->clip ? m->clip->name : "a pose",
           m->clip ? "'" : "", c->job.character->mesh.point_count, crossings);
    if (uncounted(c)) printf("A dash: more triangles lie in one place than can be counted; merge duplicate faces.\n");
    uint32_t holes = sup_meter_holes(c->job.meter);
    if (holes) printf("The mesh has %u hole%s, closed by fans for the volumes.\n", holes, holes == 1 ? "" : "s");
    if (truth)
        printf("Errors are distances in file units; erms is 1000 sqrt(sum of squares / (3 points frames)), diagonal = 1; "
               "rms between leaves out the frames that are examples.\n");
}

static void set_number(sup_arena* arena, sup_json* object, const char* key, double value)
{
    sup_json_set(arena, object, key, sup_json_new_number(arena, value));
}

static void set_errors(sup_arena* arena, sup_json* chain, const char* key, const sup_errors* e, double diagonal)
{
    sup_json* json = sup_json_set(arena, chain, key, sup_json_new(arena, e->count ? SUP_JSON_OBJECT : SUP_JSON_NULL));
    if (!e->count) return; // every frame is an example: there is nothing between
    set_number(arena, json, "max", e->max);
    set_number(arena, json, "rms", sup_errors_rms(e));
    set_number(arena, json, "erms", sup_errors_erms(e, diagonal));
}

// Every part's own extremes, and the crossings of every frame: what holds for the worst part need not hold for all.
static void set_series(const comparison* c, const measured* m, sup_arena* arena, sup_json* json)
{
    uint32_t  count = sup_meter_part_count(c->job.meter);
    sup_json* parts = sup_json_set(arena, json, "parts", sup_json_new(arena, SUP_JSON_ARRAY));
    sup_json* crossings = sup_json_set(arena, json, "self_intersections", sup_json_new(arena, SUP_JSON_ARRAY));
    for (uint32_t part = 0; part < count && parts; part++) {
        double least = INFINITY, most = -INFINITY;
        for (uint32_t i = 0; i < c->job.frames; i++) {
            double change = m->parts[(size_t)i * count + part];
            if (isfinite(change)) least = fmin(least, change), most = fmax(most, change);
        }
        if (least > most) continue; // no volume at rest to compare with
        sup_json* of = sup_json_push(parts, sup_json_new(arena, SUP_JSON_OBJECT));
        if (!of) return;
        sup_json_set(arena, of, "joint", sup_json_new_string(arena, sup_meter_part_at(c->job.meter, part)->name));
        set_number(arena, of, "change_least", least);
        set_number(arena, of, "change_most", most);
    }
    for (uint32_t i = 0; i < c->job.frames && crossings; i++)
        sup_json_push(crossings, sup_json_new_number(arena, m->frames[i].intersections));
}

static sup_json* describe_chain(const comparison* c, const measured* m, sup_arena* arena)
{
    const measure_frame* f = m->frames;
    sup_json*            json = sup_json_new(arena, SUP_JSON_OBJECT);
    char                 hash[17];
    snprintf(hash, sizeof hash, "%016" PRIx64, m->hash);
    sup_json_set(arena, json, "chain", sup_json_new_string(arena, m->text));
    // More digits would be noise.
    set_number(arena, json, "ms_per_frame", floor(1e9 * m->evaluate / c->job.frames + 0.5) / 1e6);
    set_number(arena, json, "volume_change_max", f[m->volume_frame].volume);
    set_number(arena, json, "volume_change_end", f[c->job.frames - 1].volume);
    sup_json_set(arena, json, "self_intersections_max", crossings_json(arena, f[m->intersections_frame].intersections));
    set_number(arena, json, "stretch_max", f[m->stretch_frame].stretch);
    sup_json_set(arena, json, "hash", sup_json_new_string(arena, hash));
    if (c->job.truth) {
        set_errors(arena, json, "error", &m->errors, (double)c->job.character->mesh.diagonal);
        set_errors(arena, json, "error_inbetween", &m->inbetween, (double)c->job.character->mesh.diagonal);
    }
    set_number(arena, json, "part_change_max", f[m->part_frame].part);
    sup_json_set(arena, json, "part", sup_json_new_string(arena, part_name(c, &f[m->part_frame])));
    set_series(c, m, arena, json);
    set_number(arena, json, "roughness_max", m->roughness_max);
    set_number(arena, json, "speed_max", m->speed_max);
    set_number(arena, json, "jerk_rms", m->jerk_rms);
    sup_json* fallbacks = sup_json_set(arena, json, "fallbacks", sup_json_new(arena, SUP_JSON_OBJECT));
    for (uint32_t i = 0; i < m->stats.count; i++)
        set_number(arena, fallbacks, m->stats.items[i].name, (double)m->stats.items[i].times);
    return fallbacks ? json : NULL;
}

static sup_json* describe(const comparison* c, sup_arena* arena)
{
    sup_json* json = sup_json_new(arena, SUP_JSON_OBJECT);
    set_number(arena, json, "frames", c->job.frames);
    set_number(arena, json, "diagonal", (double)c->job.character->mesh.diagonal);
    sup_json* chains = sup_json_set(arena, json, "chains", sup_json_new(arena, SUP_JSON_ARRAY));
    sup_json* last = chains;
    for (uint32_t i = 0; i < c->count && last; i++) last = sup_json_push(chains, describe_chain(c, &c->chains[i], arena));
    sup_json_set(arena, json, "self_intersections_rest", crossings_json(arena, c->rest_intersections));
    return last ? json : NULL;
}

// ---------------------------------------------------------------------------------------------- running

static int run_chains(comparison* c, const chain_list* list, sup_arena* arena)
{
    sup_error error = { 0 };
    c->chains = sup_arena_alloc(arena, list->count, sizeof *c->chains);
    if (!c->chains) return fail_memory();
    for (uint32_t i = 0; i < list->count; i++) {
        sup_chain* chain = NULL;
        progress_span(c->job.bar, (double)i / list->count, (i + 0.1) / list->count);
        const motion* m = c->job.motion;
        if (m->loop) list->descs[i].cycle_begin = m->start, list->descs[i].cycle_end = m->end;
        int code = chain_bind(c->o, list, i, c->job.character, c->job.motion->clip, c->job.tasks, c->job.bar, &chain);
        if (code != EXIT_DONE) return code;
        if (!chain) continue;
        progress_span(c->job.bar, (i + 0.1) / list->count, (i + 1.0) / list->count);
        sup_result result = measure_chain(&c->job, chain, arena, &c->chains[c->count++], &error);
        if (result != SUP_OK) {
            progress_end(c->job.bar);
            return fail_with(&error);
        }
    }
    sup_chain** bound = sup_arena_alloc(arena, c->count, sizeof *bound);
    if (!bound) return fail_memory();
    for (uint32_t i = 0; i < c->count; i++) bound[i] = c->chains[i].chain;
    maps_report_unread(c->o, bound, c->count, c->job.bar);
    if (c->count) return EXIT_DONE;
    report_error("no deformer could be bound to '%s'; name one with --deform", c->job.character->name);
    return EXIT_FAILED;
}

static int print_result(comparison* c, sup_arena* arena)
{
    verdict     broken = { .arena = arena };
    const char* page = options_text(c->o, FLAG_HTML, NULL);
    if (options_has(c->o, FLAG_JSON)) {
        if (!print_json(describe(c, arena))) return EXIT_FAILED;
    } else if (!options_has(c->o, FLAG_QUIET)) print_table(c);
    for (uint32_t i = 0; i < c->count; i++) chain_report_lost(c->chains[i].text, &c->chains[i].stats);
    for (uint32_t i = 0; i < c->count; i++) judge_chain(c, &c->chains[i], &broken);
    c->verdict = broken.text;
    int code = page ? compare_write_html(c, page, arena) : EXIT_DONE;
    if (code != EXIT_DONE) return code;
    if (page && !options_has(c->o, FLAG_QUIET) && !options_has(c->o, FLAG_JSON)) printf("Report: %s\n", page);
    return broken.text ? EXIT_LIMIT : EXIT_DONE;
}

static int count_rest_intersections(comparison* c)
{
    void* scratch = sup_scratch_create(sup_meter_scratch(c->job.meter), NULL);
    if (!scratch) return fail_memory();
    c->rest_intersections =
        crossings_number(sup_meter_intersections(c->job.meter, c->job.character->mesh.points, scratch, c->job.tasks, NULL, 0));
    c->job.uncounted = isinf(c->rest_intersections);
    sup_scratch_destroy(scratch);
    return EXIT_DONE;
}

static int compare_character(comparison* c, sup_character* character, motion* m, truth_set* t, sup_arena* arena)
{
    sup_pose   pose;
    sup_error  error = { 0 };
    chain_list list;
    sup_meter* meter = NULL;
    int        code = motion_choose(c->o, c->job.character, arena, &pose, m);
    if (code == EXIT_DONE) code = limits_read(c->o, (double)c->job.character->mesh.diagonal, &c->limits);
    if (code == EXIT_DONE) code = measure_frames(c->o, t, m, &c->job.frames);
    if (code == EXIT_DONE && t->count) code = truth_load(t, c->job.character, arena);
    if (code == EXIT_DONE) code = examples_apply(c->o, m, character);
    if (code == EXIT_DONE) code = examples_from_truth(c->o, m, t, character);
    if (code == EXIT_DONE) code = chain_list_read(c->o, c->job.character, m->clip, arena, &list);
    if (code != EXIT_DONE) return code;
    if (sup_meter_create(c->job.character, NULL, &meter, &error) != SUP_OK) return fail_with(&error);
    if (t->gap > 1e-6 * (double)c->job.character->mesh.diagonal && !options_has(c->o, FLAG_QUIET))
        report_note("copies of one point in the truth are up to %g units apart; their mean is used", t->gap);

    c->job.meter = meter;
    c->job.motion = m;
    c->job.truth = t->count ? t : NULL;
    code = count_rest_intersections(c);
    progress_begin(c->job.bar, "compare", options_has(c->o, FLAG_QUIET));
    if (code == EXIT_DONE) code = run_chains(c, &list, arena);
    progress_end(c->job.bar);
    if (code == EXIT_DONE) code = print_result(c, arena);
    for (uint32_t i = 0; i < c->count; i++) measured_free(&c->chains[i]);
    sup_meter_destroy(meter);
    return code;
}

// Checks everything that costs nothing before the file is read.
static int read_flags(const options* o, sup_arena* arena, motion* m, truth_set* t, limits* l)
{
    int code = motion_flags(o, m);
    if (code == EXIT_DONE) code = examples_flags(o);
    if (code == EXIT_DONE && options_has(o, FLAG_KEYS) && !options_has(o, FLAG_TRUTH)) {
        report_error("--keys takes examples from the meshes of --truth: add --truth FILE...");
        code = EXIT_USAGE;
    }
    if (code == EXIT_DONE && options_has(o, FLAG_KEYS) && options_has(o, FLAG_EXAMPLE)) {
        report_error("--keys and --example cannot be combined; leave one out");
        code = EXIT_USAGE;
    }
    if (code == EXIT_DONE) code = limits_read(o, 1.0, l);
    if (code == EXIT_DONE && options_has(o, FLAG_MAX_ERROR) && !options_has(o, FLAG_TRUTH)) {
        report_error("--max-error needs meshes to measure against: add --truth FILE...");
        code = EXIT_USAGE;
    }
    picture_camera camera;
    if (code == EXIT_DONE && options_has(o, FLAG_CAMERA) && !picture_camera_read(options_text(o, FLAG_CAMERA, ""), &camera)) {
        report_error(
            "--camera '%s' is not a camera; write front, back, left, right, top, three-quarter, or orbit:AZIMUTH,ELEVATION",
            options_text(o, FLAG_CAMERA, ""));
        code = EXIT_USAGE;
    }
    if (code == EXIT_DONE) code = truth_list(o, arena, t);
    if (code != EXIT_DONE || !options_has(o, FLAG_HTML)) return code;
    sup_error error = { 0 };
    return html_probe(options_text(o, FLAG_HTML, NULL), &error) ? EXIT_DONE : fail_with(&error);
}

int cmd_compare(const options* o)
{
    progress       bar;
    comparison     c = { .o = o, .job = { .bar = &bar } };
    motion         m = { 0 };
    truth_set      t = { 0 };
    sup_character* character = NULL;
    sup_pool*      pool = NULL;
    sup_arena*     arena = sup_arena_create(NULL);
    if (!arena) return fail_memory();
    int code = read_flags(o, arena, &m, &t, &c.limits);
    if (code == EXIT_DONE) code = character_load(o, o->words[0], options_has(o, FLAG_QUIET), &character);
    if (code == EXIT_DONE) code = pool_make(o, &pool);
    if (code == EXIT_DONE) {
        c.job.character = character;
        c.job.tasks = sup_pool_tasks(pool);
        code = compare_character(&c, character, &m, &t, arena);
    }
    sup_character_destroy(character);
    sup_pool_destroy(pool);
    sup_arena_destroy(arena);
    return code;
}
