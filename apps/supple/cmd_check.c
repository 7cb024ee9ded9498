// supple check: the skin doctor. Sweeps every joint, and says which ones hurt and what would help.
#include "chains.h"
#include "check.h"
#include "commands.h"
#include "examples.h"
#include "html.h"
#include "maps.h"
#include "measure.h"
#include "offers.h"
#include "report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// More chains than this fill the table with rows: then the first and the best of each joint are shown.
enum { ROWS_PER_JOINT = 3 };

// ---------------------------------------------------------------------------------------------- telling

static void add_row(table* t, const checkup* c, const check_joint* joint, uint32_t chain, bool first)
{
    const check_result* r = &joint->results[chain];
    char                where[80];
    checkup_where(joint, r->worst, where, sizeof where);
    table_add(t, "%s", first ? joint->name : "");
    table_add(t, "%s", !first ? "" : joint->sweeps.assumed ? "usual" : "clips");
    table_add(t, "%s", sup_chain_text(c->chains[chain]));
    table_add(t, "%+.1f %%", 100.0 * r->values[r->worst].volume);
    table_add(t, "%s", where);
    if (isfinite(r->intersections)) table_add(t, "%.0f", r->intersections);
    else table_add(t, "-");
    table_add(t, "%.2f", r->stretch);
    table_add(t, "%.2f", r->roughness);
}

static void print_table(const checkup* c, uint32_t top, const offers* more)
{
    table t;
    table_begin(&t, "joint|range|chain|>volume|worst when|>intersections|>stretch|>roughness");
    for (uint32_t j = 0; j < top; j++) {
        const check_joint* joint = &c->joints[j];
        for (uint32_t k = 0; k < c->chain_count; k++)
            if (c->chain_count <= ROWS_PER_JOINT || k == 0 || k == joint->best) add_row(&t, c, joint, k, k == 0);
    }
    table_print(&t, 0);
    if (checkup_crowded(c))
        printf("\nIntersections are not counted: at rest each triangle passes through %u others. Merge doubled faces first.\n",
               (unsigned)(2 * (uint64_t)c->rest_intersections / c->character->mesh.triangle_count));
    printf("\n%u of %u joints, worst first. Volume of the skin around the joint; intersections beyond the %u at rest.\n\n", top,
           c->joint_count, c->rest_intersections);
    for (uint32_t j = 0; j < top; j++) printf("%2u. %s.\n", j + 1, c->joints[j].advice);
    for (uint32_t i = 0; i < more->count; i++) {
        char text[300];
        offer_text(c, &more->items[i], text, sizeof text);
        printf("%s%s.\n", i ? "" : "\n", text);
    }
}

static void set_number(sup_arena* arena, sup_json* object, const char* key, double value)
{
    sup_json_set(arena, object, key, sup_json_new_number(arena, value));
}

static sup_json* describe_sweeps(const joint_sweeps* s, sup_arena* arena)
{
    sup_json* list = sup_json_new(arena, SUP_JSON_ARRAY);
    for (uint32_t i = 0; i < s->sweep_count; i++) {
        const sweep* w = &s->sweeps[i];
        sup_json*    json = sup_json_push(list, sup_json_new(arena, SUP_JSON_OBJECT));
        sup_json_set(arena, json, "motion", sup_json_new_string(arena, w->twist ? "twist" : "bend"));
        sup_json* axis = sup_json_set(arena, json, "axis", sup_json_new(arena, SUP_JSON_ARRAY));
        sup_json_push(axis, sup_json_new_number(arena, (double)w->axis.x));
        sup_json_push(axis, sup_json_new_number(arena, (double)w->axis.y));
        sup_json_push(axis, sup_json_new_number(arena, (double)w->axis.z));
        set_number(arena, json, "from", w->low);
        set_number(arena, json, "to", w->high);
    }
    return list;
}

static sup_json* describe_result(const checkup* c, const check_joint* joint, uint32_t chain, sup_arena* arena)
{
    const check_result* r = &joint->results[chain];
    sup_json*           json = sup_json_new(arena, SUP_JSON_OBJECT);
    sup_json_set(arena, json, "chain", sup_json_new_string(arena, sup_chain_text(c->chains[chain])));
    set_number(arena, json, "volume_change", r->values[r->worst].volume);
    sup_json_set(arena, json, "worst_motion",
                 sup_json_new_string(arena, sweep_of(&joint->sweeps, r->worst)->twist ? "twist" : "bend"));
    set_number(arena, json, "worst_angle", joint->sweeps.angles[r->worst]);
    set_number(arena, json, "volume_loss", fmax(0.0, -r->values[r->loss].volume));
    if (isfinite(r->intersections)) set_number(arena, json, "intersections_added", r->intersections);
    else sup_json_set(arena, json, "intersections_added", sup_json_new(arena, SUP_JSON_NULL));
    set_number(arena, json, "stretch_max", r->stretch);
    set_number(arena, json, "roughness_max", r->roughness);
    set_number(arena, json, "badness", r->badness);
    return json;
}

static sup_json* describe(const checkup* c, uint32_t top, const offers* more, sup_arena* arena)
{
    sup_json* json = sup_json_new(arena, SUP_JSON_OBJECT);
    set_number(arena, json, "joints_checked", c->joint_count);
    set_number(arena, json, "self_intersections_rest", c->rest_intersections);
    sup_json* chains = sup_json_set(arena, json, "chains", sup_json_new(arena, SUP_JSON_ARRAY));
    for (uint32_t k = 0; k < c->chain_count; k++)
        sup_json_push(chains, sup_json_new_string(arena, sup_chain_text(c->chains[k])));
    sup_json* offered = sup_json_set(arena, json, "offers", sup_json_new(arena, SUP_JSON_ARRAY));
    for (uint32_t i = 0; i < more->count; i++) {
        const offer* one = &more->items[i];
        sup_json*    about = sup_json_push(offered, sup_json_new(arena, SUP_JSON_OBJECT));
        sup_json_set(arena, about, "chain", sup_json_new_string(arena, one->chain));
        sup_json_set(arena, about, "seconds",
                     one->seconds < 0.0 ? sup_json_new(arena, SUP_JSON_NULL) : sup_json_new_number(arena, one->seconds));
    }
    sup_json *joints = sup_json_set(arena, json, "joints", sup_json_new(arena, SUP_JSON_ARRAY)), *last = joints;
    for (uint32_t j = 0; j < top; j++) {
        const check_joint* joint = &c->joints[j];
        sup_json*          one = sup_json_push(joints, sup_json_new(arena, SUP_JSON_OBJECT));
        sup_json_set(arena, one, "joint", sup_json_new_string(arena, joint->name));
        set_number(arena, one, "badness", joint->badness);
        sup_json_set(arena, one, "range", sup_json_new_string(arena, joint->sweeps.assumed ? "usual" : "clips"));
        sup_json_set(arena, one, "sweeps", describe_sweeps(&joint->sweeps, arena));
        sup_json* results = sup_json_set(arena, one, "chains", sup_json_new(arena, SUP_JSON_ARRAY));
        for (uint32_t k = 0; k < c->chain_count; k++) sup_json_push(results, describe_result(c, joint, k, arena));
        sup_json_set(arena, one, "best", sup_json_new_string(arena, sup_chain_text(c->chains[joint->best])));
        last = sup_json_set(arena, one, "advice", sup_json_new_string(arena, joint->advice));
    }
    return last ? json : NULL;
}

// ---------------------------------------------------------------------------------------------- limits

typedef double limited_value(const check_joint* joint, uint32_t chain);

static double volume_loss(const check_joint* joint, uint32_t k)
{
    return -joint->results[k].values[joint->results[k].loss].volume;
}
static double intersections(const check_joint* joint, uint32_t k) { return joint->results[k].intersections; }
static double stretch(const check_joint* joint, uint32_t k) { return joint->results[k].stretch; }

// How many joints are over the limit, and the one that is farthest over it.
static uint32_t over_limit(const checkup* c, uint32_t k, limited_value* value, double limit, const check_joint** worst)
{
    uint32_t count = 0;
    for (uint32_t j = 0; j < c->joint_count; j++) {
        if (c->joints[j].idle || !(value(&c->joints[j], k) > limit)) continue;
        if (count++ == 0 || value(&c->joints[j], k) > value(*worst, k)) *worst = &c->joints[j];
    }
    return count;
}

static void judge_chain(const checkup* c, const limits* l, uint32_t k, verdict* v)
{
    const check_joint* worst = NULL;
    const char*        name = sup_chain_text(c->chains[k]);
    char               where[80], more[60] = "";
    uint32_t           count = over_limit(c, k, volume_loss, l->volume_loss, &worst);
#define MORE() (count > 1 ? (void)snprintf(more, sizeof more, "; %u joints are over it", count) : (void)(more[0] = 0))
    if (count) {
        MORE();
        checkup_where(worst, worst->results[k].loss, where, sizeof where);
        verdict_add(v, "%s loses %.1f %% of the volume around '%s', %s; the limit is %.4g %%%s", name,
                    100.0 * volume_loss(worst, k), worst->name, where, 100.0 * l->volume_loss, more);
    }
    if ((count = over_limit(c, k, intersections, l->intersections, &worst)) && checkup_crowded(c)) {
        verdict_add(
            v, "%s: so many triangles pass through each other at rest that those of a pose are not counted; the limit is %.0f",
            name, l->intersections);
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
        say_error("--top needs a whole number");
        return EXIT_USAGE;
    }
    int code = limits_read(o, 1.0, &f->limits);
    if (code != EXIT_DONE || !options_has(o, FLAG_HTML)) return code;
    return html_probe(options_text(o, FLAG_HTML, NULL), &error) ? EXIT_DONE : fail_with(&error);
}

// A shape that is told by the clip's time has no answer for a pose outside of it. Asked of the skin itself: one pose, held, at
// several times. False: out of memory.
static bool follows_time(const sup_character* c, const sup_chain* chain, const sup_clip* clip, bool* out)
{
    static const double     shares[] = { 0.0, 0.3, 0.5, 0.8 };
    const sup_instance_desc desc = { .chain = chain, .snapshots = 1 };
    size_t                  bytes = c->mesh.point_count * sizeof(sup_vec3);
    sup_instance*           instance = NULL;
    sup_error               error;
    void*                   scratch = sup_scratch_create(sup_chain_scratch_size(chain), NULL);
    sup_vec3 *              first = malloc(bytes + 64), *points = malloc(bytes + 64);
    bool                    good = scratch && first && points && sup_instance_create(&desc, &instance, &error) == SUP_OK;
    *out = false;
    for (size_t i = 0; good && clip && !sup_chain_dynamic(chain) && i < sizeof shares / sizeof *shares; i++) {
        sup_instance_evaluate(instance, shares[i] * clip->seconds, scratch, NULL, i ? points : first);
        *out |= i && memcmp(first, points, bytes) != 0;
    }
    sup_instance_destroy(instance);
    sup_scratch_destroy(scratch);
    free(first);
    free(points);
    return good;
}

static int bind_chains(checkup* c, sup_character* character, const options* o, sup_arena* arena, const sup_clip** bound_to)
{
    chain_list      list;
    const sup_clip* clip = NULL;
    int             code = EXIT_DONE;
    // Deformers that look ahead or take examples are bound to a clip; the poses are held all the same.
    if (options_has(o, FLAG_CLIP)) code = clip_choose(o, c->character, &clip);
    else if (c->character->clip_count) clip = &c->character->clips[0];
    if (code == EXIT_DONE) code = examples_apply(o, &(motion){ .clip = clip, .fps = 30 }, character);
    if (code == EXIT_DONE) code = chain_list_read(o, c->character, clip, arena, &list);
    if (code != EXIT_DONE) return code;
    c->chosen = list.chosen;
    *bound_to = clip;
    c->chains = sup_arena_alloc(arena, list.count, sizeof(sup_chain*));
    if (!c->chains) return fail_memory();
    for (uint32_t i = 0; i < list.count; i++) {
        sup_chain* chain = NULL;
        code = chain_bind(o, &list, i, c->character, clip, c->tasks, c->bar, &chain);
        if (code != EXIT_DONE) return code;
        bool timed = false;
        if (chain && !list.chosen && !follows_time(c->character, chain, clip, &timed)) {
            sup_chain_destroy(chain);
            return fail_memory();
        }
        if (timed && !options_has(o, FLAG_QUIET))
            say_note("%s is left out: it follows the time of '%s', not the pose; name it with --deform to see it at the start",
                     sup_chain_text(chain), clip->name);
        if (timed) sup_chain_destroy(chain);
        else if (chain) c->chains[c->chain_count++] = chain;
    }
    maps_say_unread(o, c->chains, c->chain_count, c->bar);
    if (c->chain_count) return EXIT_DONE;
    say_error("no deformer could be bound to '%s'; name one with --deform", c->character->name);
    return EXIT_FAILED;
}

static int tell(checkup* c, const options* o, const check_flags* f, const offers* more, sup_arena* arena)
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

static int check_character(checkup* c, sup_character* character, const options* o, const check_flags* f, sup_arena* arena)
{
    sup_error  error = { 0 };
    sup_meter* meter = NULL;
    offers     more = { 0 };
    if (c->character->skeleton.skin_joint_count == 0) {
        say_error("'%s' has no skin: there is no joint to check; give it joints with --skeleton FILE", c->character->name);
        return EXIT_FAILED;
    }
    progress_begin(c->bar, "check", options_has(o, FLAG_QUIET));
    int code = sup_meter_create(c->character, NULL, &meter, &error) == SUP_OK ? EXIT_DONE : fail_with(&error);
    c->meter = meter;
    const sup_clip* clip = NULL;
    if (code == EXIT_DONE) code = bind_chains(c, character, o, arena, &clip);
    if (code == EXIT_DONE) {
        sup_result result = checkup_prepare(c, o, arena, &error);
        if (result == SUP_OK) result = checkup_run(c, arena, &error);
        bool heard = options_has(o, FLAG_JSON) || !options_has(o, FLAG_QUIET);
        if (result == SUP_OK && !c->chosen && heard) result = offers_make(c, clip, &more, &error);
        progress_end(c->bar);
        if (result != SUP_OK) code = fail_with(&error);
    }
    progress_end(c->bar);
    if (code == EXIT_DONE) code = tell(c, o, f, &more, arena);
    for (uint32_t i = 0; i < c->chain_count; i++) sup_chain_destroy(c->chains[i]);
    sup_meter_destroy(meter);
    return code;
}

int cmd_check(const options* o)
{
    progress       bar;
    checkup        c = { .bar = &bar };
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
        c.character = character;
        c.tasks = sup_pool_tasks(pool);
        c.preroll = f.preroll;
        code = check_character(&c, character, o, &f, arena);
    }
    sup_character_destroy(character);
    sup_pool_destroy(pool);
    sup_arena_destroy(arena);
    return code;
}
