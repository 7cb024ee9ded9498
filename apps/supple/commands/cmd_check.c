// supple check: the skin doctor. Sweeps every joint, and reports which ones look bad and what would help.
#include "commands.h"
#include "input/chains.h"
#include "input/maps.h"
#include "input/sculpts.h"
#include "offers.h"
#include "report/chain_measure.h"
#include "report/check_report.h"
#include "report/html.h"
#include "report/limits.h"
#include "report/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// With more chains than this, the table only shows the first and the best of each joint.
enum { ROWS_PER_JOINT = 3 };

// ---------------------------------------------------------------------------------------------- telling

static void add_row(table* t, const sup_checkup* c, const sup_check_joint* joint, uint32_t chain, bool first)
{
    const sup_check_result* r = &joint->results[chain];
    char                    where[80], crossings[24];
    sup_checkup_where(joint, r->worst, where, sizeof where);
    table_add(t, "%s", first ? joint->name : "");
    table_add(t, "%s", !first ? "" : joint->sweeps.assumed ? "usual" : "clips");
    table_add(t, "%s", sup_chain_text(c->chains[chain]));
    table_add(t, "%+.1f %%", 100.0 * r->values[r->worst].volume);
    table_add(t, "%s", where);
    crossings_text(r->intersections, crossings, sizeof crossings);
    table_add(t, "%s", crossings);
    table_add(t, "%.2f", r->stretch);
    table_add(t, "%.2f", r->roughness);
}

static void print_table(const sup_checkup* c, uint32_t top, const offers* more)
{
    table t;
    table_begin(&t, "joint|range|chain|>volume|worst when|>intersections|>stretch|>roughness");
    for (uint32_t j = 0; j < top; j++) {
        const sup_check_joint* joint = &c->joints[j];
        for (uint32_t k = 0; k < c->chain_count; k++)
            if (c->chain_count <= ROWS_PER_JOINT || k == 0 || k == joint->best) add_row(&t, c, joint, k, k == 0);
    }
    table_print(&t, 0);
    if (sup_checkup_uncounted(c))
        printf("\nIntersections are not counted: even at rest more triangles lie in one place than can be counted. Merge "
               "duplicate faces first.\n");
    printf("\n%u of %u joints, worst first. Volume of the skin around the joint", top, c->joint_count);
    if (!sup_checkup_uncounted(c)) printf("; intersections beyond the %u at rest", c->rest_intersections);
    printf(".\n\n");
    for (uint32_t j = 0; j < top; j++) printf("%2u. %s.\n", j + 1, c->joints[j].advice);
    for (uint32_t i = 0; i < more->count; i++) {
        char text[300];
        offer_text(c, &more->items[i], text, sizeof text);
        printf("%s%s.\n", i ? "" : "\n", text);
    }
}

static sup_json* describe(const sup_checkup* c, uint32_t top, const offers* more, sup_arena* arena)
{
    sup_json* json = sup_checkup_describe(c, top, arena);
    sup_json* offered = sup_json_set(arena, json, "offers", sup_json_new(arena, SUP_JSON_ARRAY));
    for (uint32_t i = 0; i < more->count; i++) {
        const offer* one = &more->items[i];
        sup_json*    about = sup_json_push(offered, sup_json_new(arena, SUP_JSON_OBJECT));
        sup_json_set(arena, about, "chain", sup_json_new_string(arena, one->chain));
        sup_json_set(arena, about, "seconds",
                     one->seconds < 0.0 ? sup_json_new(arena, SUP_JSON_NULL) : sup_json_new_number(arena, one->seconds));
    }
    return offered ? json : NULL;
}

// ---------------------------------------------------------------------------------------------- limits

typedef double limited_value(const sup_check_joint* joint, uint32_t chain);

static double volume_loss(const sup_check_joint* joint, uint32_t k)
{
    return -joint->results[k].values[joint->results[k].loss].volume;
}
static double intersections(const sup_check_joint* joint, uint32_t k) { return joint->results[k].intersections; }
static double stretch(const sup_check_joint* joint, uint32_t k) { return joint->results[k].stretch; }

// The number of joints over the limit, and the one that exceeds it most.
static uint32_t over_limit(const sup_checkup* c, uint32_t k, limited_value* value, double limit, const sup_check_joint** worst)
{
    uint32_t count = 0;
    for (uint32_t j = 0; j < c->joint_count; j++) {
        if (c->joints[j].idle || !(value(&c->joints[j], k) > limit)) continue;
        if (count++ == 0 || value(&c->joints[j], k) > value(*worst, k)) *worst = &c->joints[j];
    }
    return count;
}

static void judge_chain(const sup_checkup* c, const limits* l, uint32_t k, verdict* v)
{
    const sup_check_joint* worst = NULL;
    const char*            name = sup_chain_text(c->chains[k]);
    char                   where[80], more[60] = "";
    uint32_t               count = over_limit(c, k, volume_loss, l->volume_loss, &worst);
#define MORE() (count > 1 ? (void)snprintf(more, sizeof more, "; %u joints are over it", count) : (void)(more[0] = 0))
    if (count) {
        MORE();
        sup_checkup_where(worst, worst->results[k].loss, where, sizeof where);
        verdict_add(v, "%s loses %.1f %% of the volume around '%s', %s; the limit is %.4g %%%s", name,
                    100.0 * volume_loss(worst, k), worst->name, where, 100.0 * l->volume_loss, more);
    }
    if ((count = over_limit(c, k, intersections, l->intersections, &worst)) && isinf(intersections(worst, k))) {
        bool rest = sup_checkup_uncounted(c);
        verdict_add(v, "%s: more triangles lie in one place %s%s%s than can be counted; the limit is %.0f", name,
                    rest ? "at rest" : "when '", rest ? "" : worst->name, rest ? "" : "' turns", l->intersections);
    } else if (count) {
        MORE();
        verdict_add(v, "%s adds %.0f pairs of triangles that pass through each other when '%s' turns; the limit is %.0f%s",
                    name, intersections(worst, k), worst->name, l->intersections, more);
    }
    if ((count = over_limit(c, k, stretch, l->stretch, &worst))) {
        MORE();
        verdict_add(v, "%s stretches an edge %.3g times when '%s' turns; the limit is %.4g%s", name, stretch(worst, k),
                    worst->name, l->stretch, more);
    }
#undef MORE
}

// ---------------------------------------------------------------------------------------------- running

typedef struct check_flags {
    double preroll, top;
    limits limits;
} check_flags;

static int read_flags(const options* o, check_flags* f)
{
    sup_error error = { 0 };
    if (!options_number(o, FLAG_PREROLL, 0.0, 600.0, 0.5, &f->preroll)) return EXIT_USAGE;
    if (!options_number(o, FLAG_TOP, 1.0, 10000.0, 10.0, &f->top)) return EXIT_USAGE;
    if (f->top != floor(f->top)) {
        report_error("--top needs a whole number");
        return EXIT_USAGE;
    }
    int code = limits_read(o, 1.0, &f->limits);
    if (code != EXIT_DONE || !options_has(o, FLAG_HTML)) return code;
    return html_probe(options_text(o, FLAG_HTML, NULL), &error) ? EXIT_DONE : fail_with(&error);
}

typedef struct check_job {
    sup_checkup_desc desc;
    const sup_clip*  clip; // for binding the chains
    sup_chain**      chains;
    progress*        bar;
} check_job;

static int bind_chain(check_job* job, const options* o, const chain_list* list, uint32_t index)
{
    const sup_character* character = job->desc.character;
    sup_chain*           chain = NULL;
    sup_error            error = { 0 };
    bool                 timed = false;
    int                  code = chain_bind(o, list, index, character, job->clip, job->desc.tasks, job->bar, &chain);
    if (code != EXIT_DONE || !chain) return code;
    if (!list->chosen && sup_chain_follows_time(chain, character, job->clip, &timed, &error) != SUP_OK) {
        sup_chain_destroy(chain);
        return fail_with(&error);
    }
    if (timed && !options_has(o, FLAG_QUIET))
        report_note(
            "%s is left out: it depends on the time of '%s', not on the pose; name it with --deform to check it at the start",
            sup_chain_text(chain), job->clip->name);
    if (timed) sup_chain_destroy(chain);
    else job->chains[job->desc.chain_count++] = chain;
    return EXIT_DONE;
}

static int bind_chains(check_job* job, sup_character* character, const options* o, sup_arena* arena)
{
    chain_list list;
    int        code = EXIT_DONE;
    // Deformers that look ahead or use examples are bound to a clip; the poses are still held.
    if (options_has(o, FLAG_CLIP)) code = clip_choose(o, character, &job->clip);
    else if (character->clip_count) job->clip = &character->clips[0];
    if (code == EXIT_DONE) code = examples_apply(o, &(motion){ .clip = job->clip, .fps = 30 }, character);
    if (code == EXIT_DONE) code = chain_list_read(o, character, job->clip, arena, &list);
    if (code != EXIT_DONE) return code;
    job->desc.chosen = list.chosen;
    job->chains = sup_arena_alloc(arena, list.count, sizeof(sup_chain*));
    if (!job->chains) return fail_memory();
    job->desc.chains = (const sup_chain* const*)job->chains;
    for (uint32_t i = 0; i < list.count && code == EXIT_DONE; i++) code = bind_chain(job, o, &list, i);
    if (code != EXIT_DONE) return code;
    maps_report_unread(o, job->chains, job->desc.chain_count, job->bar);
    if (job->desc.chain_count) return EXIT_DONE;
    report_error("no deformer could be bound to '%s'; name one with --deform", character->name);
    return EXIT_FAILED;
}

static int print_result(const sup_checkup* c, const options* o, const check_flags* f, const offers* more, sup_arena* arena)
{
    uint32_t    top = f->top < c->joint_count ? (uint32_t)f->top : c->joint_count;
    verdict     v = { .arena = arena };
    const char* page = options_text(o, FLAG_HTML, NULL);
    if (options_has(o, FLAG_JSON)) {
        if (!print_json(describe(c, top, more, arena))) return EXIT_FAILED;
    } else if (!options_has(o, FLAG_QUIET)) print_table(c, top, more);
    for (uint32_t k = 0; k < c->chain_count; k++) judge_chain(c, &f->limits, k, &v);
    int code = page ? check_write_html(c, o, top, v.text, page, arena) : EXIT_DONE;
    if (code != EXIT_DONE) return code;
    if (page && !options_has(o, FLAG_QUIET) && !options_has(o, FLAG_JSON)) printf("Report: %s\n", page);
    return v.text ? EXIT_LIMIT : EXIT_DONE;
}

// The names of --joint, and the rest of what flags say.
static int describe_job(check_job* job, const options* o, sup_arena* arena)
{
    uint32_t     count = options_count(o, FLAG_JOINT);
    const char** joints = sup_arena_alloc(arena, (size_t)count + 1, sizeof *joints);
    if (!joints) return fail_memory();
    for (uint32_t i = 0; i < count; i++) joints[i] = options_nth(o, FLAG_JOINT, i);
    job->desc.joints = joints;
    job->desc.joint_count = count;
    job->desc.full = options_has(o, FLAG_FULL);
    return EXIT_DONE;
}

static int check_character(check_job* job, sup_character* character, const options* o, const check_flags* f, sup_arena* arena)
{
    sup_error   error = { 0 };
    sup_meter*  meter = NULL;
    offers      more = { 0 };
    sup_checkup c;
    if (character->skeleton.skin_joint_count == 0) {
        report_error("'%s' has no skin: there is no joint to check; give it joints with --skeleton FILE", character->name);
        return EXIT_FAILED;
    }
    progress_begin(job->bar, "check", options_has(o, FLAG_QUIET));
    job->desc.progress = &job->bar->sink;
    int code = sup_meter_create(character, NULL, &meter, &error) == SUP_OK ? EXIT_DONE : fail_with(&error);
    job->desc.meter = meter;
    if (code == EXIT_DONE) code = describe_job(job, o, arena);
    if (code == EXIT_DONE) code = bind_chains(job, character, o, arena);
    if (code == EXIT_DONE) {
        sup_result result = sup_checkup_run(&job->desc, arena, &c, &error);
        bool       heard = options_has(o, FLAG_JSON) || !options_has(o, FLAG_QUIET);
        if (result == SUP_OK && !job->desc.chosen && heard) result = offers_make(&c, job->clip, &more, &error);
        progress_end(job->bar);
        if (result != SUP_OK) code = fail_with(&error);
    }
    progress_end(job->bar);
    if (code == EXIT_DONE) code = print_result(&c, o, f, &more, arena);
    for (uint32_t i = 0; i < job->desc.chain_count; i++) sup_chain_destroy(job->chains[i]);
    sup_meter_destroy(meter);
    return code;
}

int cmd_check(const options* o)
{
    progress       bar;
    check_job      job = { .bar = &bar };
    check_flags    f;
    sup_character* character = NULL;
    sup_pool*      pool = NULL;
    sup_arena*     arena = sup_arena_create(NULL);
    if (!arena) return fail_memory();
    int code = read_flags(o, &f);
    if (code == EXIT_DONE) code = examples_flags(o);
    if (code == EXIT_DONE) code = character_load(o, o->words[0], options_has(o, FLAG_QUIET), &character);
    if (code == EXIT_DONE) code = pool_make(o, &pool);
    if (code == EXIT_DONE) {
        job.desc.character = character;
        job.desc.tasks = sup_pool_tasks(pool);
        job.desc.preroll = f.preroll;
        code = check_character(&job, character, o, &f, arena);
    }
    sup_character_destroy(character);
    sup_pool_destroy(pool);
    sup_arena_destroy(arena);
    return code;
}
