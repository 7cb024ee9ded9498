// Learns materials from motion: the parameter values of a chain that come closest to a truth.
#include "fit_params.h"

#include "fit_simplex.h"
#include "input/sculpts.h"
#include "report/chain_measure.h"
#include "report/output.h"
#include "report/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { USUAL_MAX = 6, EVALUATIONS_USUAL = 200 };
// Ranges of a larger ratio are searched by their logarithm: a stiffness of 1 is as far from 10 as 10 from 100.
static const double LOG_RATIO = 100.0;

typedef struct tuned {
    uint32_t         link, ordinal; ///< ordinal among the links of its name, from 1
    const char*      name;          ///< of the deformer
    const sup_param* row;
    double           start, value;
} tuned;

typedef struct search {
    const options* o;
    sup_character* character;
    motion         motion;
    sup_pose       pose; ///< held if there is no clip
    truth_set      truth;
    uint32_t       frames;
    uint8_t*       role; ///< of each frame: TRAIN, HELD or EXAMPLE
    sup_chain_desc desc;
    sup_chain*     chain; ///< bound with the start values
    tuned          params[SIMPLEX_MAX];
    uint32_t       count;
    bool           rebind; ///< one of them belongs to the bind stage
    sup_pool*      pool;
    sup_arena*     arena;
    sup_vec3*      points;
    progress       bar;
    uint32_t       asked, asked_max;
    double         train, held; ///< rms of the last evaluation
    sup_error      error;
    int            code;
} search;

enum { TRAIN, HELD, EXAMPLE };

// ---------------------------------------------------------------------------------------------- which parameters

static double number_in(const sup_param* row, const void* params)
{
    const char* at = (const char*)params + row->offset;
    switch (row->type) {
    case SUP_PARAM_FLOAT: return (double)*(const float*)(const void*)at;
    case SUP_PARAM_BOOL: return *(const bool*)(const void*)at;
    case SUP_PARAM_INT:
    case SUP_PARAM_CHOICE: return *(const int*)(const void*)at;
    case SUP_PARAM_TEXT: break;
    }
    return 0.0;
}

static int add_param(search* s, uint32_t link, const sup_param* row)
{
    const sup_deformer* d = sup_chain_link(s->chain, link);
    if (s->count == SIMPLEX_MAX) {
        report_error("at most %d parameters can be fitted at once; name fewer with --params", SIMPLEX_MAX);
        return EXIT_USAGE;
    }
    uint32_t ordinal = 1;
    for (uint32_t i = 0; i < link; i++) ordinal += sup_chain_link(s->chain, i) == d;
    double start = number_in(row, sup_chain_params(s->chain, link));
    s->params[s->count++] = (tuned){ link, ordinal, d->name, row, start, start };
    s->rebind |= row->stage == SUP_STAGE_BIND;
    return EXIT_DONE;
}

static bool is_material(const sup_param* row)
{
    static const char* const words[] = { "cycles", "damping", "spread", "frequency", "stiffness" };
    if (row->type != SUP_PARAM_FLOAT || !(row->max > row->min)) return false;
    if (row->stage == SUP_STAGE_FRAME) return true;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(row->name, words[i])) return true;
    return false;
}

// The usual choice: live sliders, and what names a material.
static int choose_usual(search* s)
{
    uint32_t links = sup_chain_link_count(s->chain), left_out = 0;
    for (uint32_t i = 0; i < links; i++) {
        const sup_deformer* d = sup_chain_link(s->chain, i);
        if (d->skinning != SUP_SKINNING_NONE && links > 1) continue;
        for (uint32_t k = 0; k < d->param_count; k++) {
            if (!is_material(&d->params[k])) continue;
            if (s->count == USUAL_MAX) left_out++;
            else add_param(s, i, &d->params[k]);
        }
    }
    if (left_out && !options_has(s->o, FLAG_QUIET))
        report_note("the first %d parameters are fitted, %u more are not; name them with --params", USUAL_MAX, left_out);
    if (s->count) return EXIT_DONE;
    report_error("'%s' has no parameter that can be fitted", sup_chain_text(s->chain));
    return EXIT_FAILED;
}

// "damping" in all links that have it, "beam.damping" in those with that name.
static int choose_named(search* s, const char* text, size_t length)
{
    const char* dot = memchr(text, '.', length);
    size_t      owner = dot ? (size_t)(dot - text) : 0;
    const char* name = dot ? dot + 1 : text;
    size_t      name_length = length - (size_t)(name - text);
    uint32_t    before = s->count;
    for (uint32_t i = 0; i < sup_chain_link_count(s->chain); i++) {
        const sup_deformer* d = sup_chain_link(s->chain, i);
        if (dot && (strlen(d->name) != owner || memcmp(d->name, text, owner) != 0)) continue;
        for (uint32_t k = 0; k < d->param_count; k++) {
            const sup_param* row = &d->params[k];
            if (strlen(row->name) != name_length || memcmp(row->name, name, name_length) != 0) continue;
            if (row->type != SUP_PARAM_FLOAT) {
                report_error("--params '%.*s': only numbers that change smoothly can be fitted", (int)length, text);
                return EXIT_USAGE;
            }
            int code = add_param(s, i, row);
            if (code != EXIT_DONE) return code;
        }
    }
    if (s->count > before) return EXIT_DONE;
    report_error("--params '%.*s': no link of '%s' has it; 'supple deformers NAME' lists a link's", (int)length, text,
                 sup_chain_text(s->chain));
    return EXIT_USAGE;
}

static int choose_params(search* s)
{
    const char* list = options_text(s->o, FLAG_PARAMS, NULL);
    if (!list) return choose_usual(s);
    while (*list) {
        size_t length = strcspn(list, ",");
        int    code = length ? choose_named(s, list, length) : EXIT_DONE;
        if (code != EXIT_DONE) return code;
        list += length + (list[length] == ',');
    }
    return EXIT_DONE;
}

// ---------------------------------------------------------------------------------------------- one evaluation

static bool by_log(const sup_param* row) { return row->min > 0 && row->max > LOG_RATIO * row->min; }

// Parameters hold floats, and so does the search, or it would see steps that do not exist.
static double from_unit(const sup_param* row, double u)
{
    double value = by_log(row) ? row->min * pow(row->max / row->min, u) : row->min + u * (row->max - row->min);
    return (double)(float)fmin(fmax(value, row->min), row->max);
}

static double to_unit(const sup_param* row, double value)
{
    double u = by_log(row) ? log(value / row->min) / log(row->max / row->min) : (value - row->min) / (row->max - row->min);
    return fmin(fmax(u, 0.0), 1.0);
}

// A chain rebound with these values if binding depends on them, else the existing one.
static sup_result bound_chain(search* s, const double* values, sup_chain** out)
{
    *out = s->chain;
    if (!s->rebind) return SUP_OK;
    const char*    settings[256];
    char           texts[SIMPLEX_MAX][128];
    sup_chain_desc desc = s->desc;
    if (desc.setting_count + s->count > sizeof settings / sizeof *settings)
        return sup_fail(&s->error, SUP_ERROR_INPUT, "too many --set at once for a fit");
    for (uint32_t i = 0; i < desc.setting_count; i++) settings[i] = desc.settings[i];
    for (uint32_t i = 0; i < s->count; i++) {
        const tuned* t = &s->params[i];
        snprintf(texts[i], sizeof texts[i], "%s#%u.%s=%.9g", t->name, t->ordinal, t->row->name, values[i]);
        settings[desc.setting_count + i] = texts[i];
    }
    desc.settings = settings;
    desc.setting_count += s->count;
    return sup_chain_create(&desc, out, &s->error);
}

static sup_result play(search* s, sup_chain* chain, const double* values, sup_errors* sums)
{
    const motion*     m = &s->motion;
    sup_instance_desc desc = motion_instance(m, chain, sup_pool_tasks(s->pool));
    sup_instance*     instance = NULL;
    desc.snapshots = 1; // never seeks back
    sup_result result = sup_instance_create(&desc, &instance, &s->error);
    for (uint32_t i = 0; i < s->count && result == SUP_OK && !s->rebind; i++)
        result = sup_instance_set(instance, s->params[i].link, s->params[i].row->name, values[i], &s->error);
    void* scratch = sup_scratch_create(sup_chain_scratch_size(chain), NULL);
    if (!scratch && result == SUP_OK) result = sup_fail(&s->error, SUP_ERROR_MEMORY, "out of memory while fitting parameters");
    for (uint32_t f = 0; f < s->frames && result == SUP_OK; f++) {
        sup_instance_evaluate(instance, sup_frame_time(m->start, m->fps, f), scratch, NULL, s->points);
        if (s->role[f] != EXAMPLE)
            sup_errors_add(&sums[s->role[f]], s->points, s->truth.points[f], s->character->mesh.point_count, NULL);
    }
    sup_scratch_destroy(scratch);
    sup_instance_destroy(instance);
    return result;
}

static sup_result evaluate(search* s, const double* values)
{
    sup_errors sums[2] = { 0 };
    sup_chain* chain = NULL;
    sup_result result = bound_chain(s, values, &chain);
    if (result == SUP_OK) result = play(s, chain, values, sums);
    if (chain != s->chain) sup_chain_destroy(chain);
    s->train = sup_errors_rms(&sums[TRAIN]);
    s->held = sums[HELD].count ? sup_errors_rms(&sums[HELD]) : 0.0;
    return result;
}

static bool value_at(void* user, const double* u, double* out)
{
    search* s = user;
    double  values[SIMPLEX_MAX];
    for (uint32_t i = 0; i < s->count; i++) values[i] = from_unit(s->params[i].row, u[i]);
    if (evaluate(s, values) != SUP_OK) return false;
    *out = s->train;
    s->asked++;
    snprintf(s->bar.note, sizeof s->bar.note, "rms %.4f %%", 100.0 * s->train / (double)s->character->mesh.diagonal);
    if (progress_report(&s->bar, (double)s->asked / s->asked_max)) return true;
    sup_fail(&s->error, SUP_ERROR_CANCELLED, "stopped");
    return false;
}

// ---------------------------------------------------------------------------------------------- telling

static sup_json* value_json(const sup_param* row, const void* params, sup_arena* arena)
{
    double value = number_in(row, params);
    char   text[32];
    if (row->type == SUP_PARAM_CHOICE) return sup_json_new_string(arena, row->choices[(int)value]);
    if (row->type == SUP_PARAM_TEXT)
        return sup_json_new_string(arena, *(const char* const*)(const void*)((const char*)params + row->offset));
    if (row->type == SUP_PARAM_BOOL) return sup_json_new_string(arena, value != 0.0 ? "on" : "off");
    snprintf(text, sizeof text, "%.7g", value); // enough for a float
    return sup_json_new_number(arena, strtod(text, NULL));
}

static bool is_standard(const sup_param* row, const void* params)
{
    if (row->type != SUP_PARAM_TEXT) return number_in(row, params) == (double)(float)row->standard;
    const char* text = *(const char* const*)(const void*)((const char*)params + row->offset);
    return !text || strcmp(text, row->standard_text ? row->standard_text : "") == 0;
}

// The chain with its settings and the values found. Values for single bones come from the preset that was given.
static sup_json* preset_json(const search* s, const sup_chain* chain)
{
    sup_arena*      arena = s->arena;
    sup_json*       root = sup_json_new(arena, SUP_JSON_OBJECT);
    const sup_json* given = sup_json_get(s->desc.preset, "links");
    sup_json_set(arena, root, "supple", sup_json_new_number(arena, 1));
    sup_json* links = sup_json_set(arena, root, "links", sup_json_new(arena, SUP_JSON_ARRAY));
    for (uint32_t i = 0; i < sup_chain_link_count(chain); i++) {
        const sup_deformer* d = sup_chain_link(chain, i);
        const void*         params = sup_chain_params(chain, i);
        sup_json*           entry = sup_json_push(links, sup_json_new(arena, SUP_JSON_OBJECT));
        sup_json_set(arena, entry, "name", sup_json_new_string(arena, d->name));
        sup_json* set = sup_json_set(arena, entry, "set", sup_json_new(arena, SUP_JSON_OBJECT));
        for (uint32_t k = 0; k < d->param_count; k++) {
            bool fitted = false;
            for (uint32_t t = 0; t < s->count; t++) fitted |= s->params[t].link == i && s->params[t].row == &d->params[k];
            if (fitted || !is_standard(&d->params[k], params))
                sup_json_set(arena, set, d->params[k].name, value_json(&d->params[k], params, arena));
        }
        for (const sup_json* e = given ? given->first : NULL; e; e = e->next) {
            const sup_json* bones = sup_json_get(e, "bones");
            if (bones && strcmp(sup_json_string(sup_json_get(e, "name"), ""), d->name) == 0)
                sup_json_set(arena, entry, "bones", sup_json_clone(arena, bones));
        }
    }
    const char* world = options_text(s->o, FLAG_WORLD, sup_json_string(sup_json_get(s->desc.preset, "world"), NULL));
    if (world) sup_json_set(arena, root, "world", sup_json_new_string(arena, world));
    return root;
}

static bool to_output(void* user, const char* bytes, size_t length) { return output_write(user, bytes, length, NULL); }

static int write_preset(search* s, const char* path)
{
    double      values[SIMPLEX_MAX];
    output_file file;
    sup_chain*  chain = NULL;
    bool        rebind = s->rebind;
    for (uint32_t i = 0; i < s->count; i++) values[i] = s->params[i].value;
    s->rebind = true; // so that the chain itself holds the values
    sup_result result = bound_chain(s, values, &chain);
    s->rebind = rebind;
    if (result != SUP_OK) return fail_with(&s->error);
    const sup_json*     json = preset_json(s, chain);
    const sup_text_sink sink = { to_output, &file };
    bool                good = output_begin(&file, path, &s->error);
    good = good && sup_json_write(json, 2, &sink) && output_write(&file, "\n", 1, &s->error) && output_keep(&file, &s->error);
    if (!good && s->error.code == SUP_OK) sup_fail(&s->error, SUP_ERROR_FILE, "cannot write '%s': the disk may be full", path);
    output_drop(&file);
    sup_chain_destroy(chain);
    return good ? EXIT_DONE : fail_with(&s->error);
}

typedef struct outcome {
    double   train[2], held[2]; ///< rms before and after
    uint32_t frames[2], evaluations;
    double   seconds;
} outcome;

static void set_pair(sup_arena* arena, sup_json* to, const char* key, const double rms[2], uint32_t frames)
{
    sup_json* json = sup_json_set(arena, to, key, sup_json_new(arena, frames ? SUP_JSON_OBJECT : SUP_JSON_NULL));
    if (!frames) return;
    sup_json_set(arena, json, "frames", sup_json_new_number(arena, frames));
    sup_json_set(arena, json, "rms_before", sup_json_new_number(arena, rms[0]));
    sup_json_set(arena, json, "rms_after", sup_json_new_number(arena, rms[1]));
}

static sup_json* describe(const search* s, const char* path, const outcome* r)
{
    sup_arena* arena = s->arena;
    sup_json*  json = sup_json_new(arena, SUP_JSON_OBJECT);
    sup_json_set(arena, json, "output", sup_json_new_string(arena, path));
    sup_json_set(arena, json, "chain", sup_json_new_string(arena, sup_chain_text(s->chain)));
    sup_json* list = sup_json_set(arena, json, "params", sup_json_new(arena, SUP_JSON_ARRAY));
    for (uint32_t i = 0; i < s->count; i++) {
        const tuned* t = &s->params[i];
        sup_json*    p = sup_json_push(list, sup_json_new(arena, SUP_JSON_OBJECT));
        sup_json_set(arena, p, "link", sup_json_new_string(arena, t->name));
        sup_json_set(arena, p, "name", sup_json_new_string(arena, t->row->name));
        sup_json_set(arena, p, "start", sup_json_new_number(arena, t->start));
        sup_json_set(arena, p, "value", sup_json_new_number(arena, t->value));
    }
    set_pair(arena, json, "train", r->train, r->frames[TRAIN]);
    set_pair(arena, json, "held_out", r->held, r->frames[HELD]);
    sup_json_set(arena, json, "diagonal", sup_json_new_number(arena, (double)s->character->mesh.diagonal));
    sup_json_set(arena, json, "evaluations", sup_json_new_number(arena, r->evaluations));
    return sup_json_set(arena, json, "seconds", sup_json_new_number(arena, floor(r->seconds * 1e3 + 0.5) / 1e3)) ? json : NULL;
}

static void print_outcome(const search* s, const char* path, const outcome* r)
{
    table  t;
    double percent = 100.0 / (double)s->character->mesh.diagonal;
    table_begin(&t, "parameter|>before|>after");
    for (uint32_t i = 0; i < s->count; i++) {
        table_add(&t, "%s.%s", s->params[i].name, s->params[i].row->name);
        table_add(&t, "%.5g", s->params[i].start);
        table_add(&t, "%.5g", s->params[i].value);
    }
    table_print(&t, 0);
    printf("\n%s: rms on %u frames of the search %.4f -> %.4f %% of the diagonal", path, r->frames[TRAIN],
           percent * r->train[0], percent * r->train[1]);
    if (r->frames[HELD])
        printf(", on %u held out %.4f -> %.4f %%", r->frames[HELD], percent * r->held[0], percent * r->held[1]);
    printf("; %u evaluations in %.1f s\n", r->evaluations, r->seconds);
}

// ---------------------------------------------------------------------------------------------- running

// Between examples every second frame is held out; examples are met by construction and count for neither.
static int share_frames(search* s, outcome* r)
{
    uint32_t between = 0;
    s->role = sup_arena_alloc(s->arena, s->frames, sizeof *s->role);
    s->points = sup_arena_alloc(s->arena, s->character->mesh.point_count, sizeof *s->points);
    if (!s->role || !s->points) return fail_memory();
    for (uint32_t f = 0; f < s->frames; f++) {
        double time = sup_frame_time(s->motion.start, s->motion.fps, f);
        if (measure_is_example(s->character, s->motion.clip, time)) s->role[f] = EXAMPLE;
        else s->role[f] = between++ % 2 ? HELD : TRAIN;
        if (s->role[f] != EXAMPLE) r->frames[s->role[f]]++;
    }
    if (between == 0) {
        report_error("every frame of the truth is an example; there is nothing between them to learn from");
        return EXIT_FAILED;
    }
    if (between == 1 && !options_has(s->o, FLAG_QUIET))
        report_warning("one frame is all there is to learn from; nothing can be held out to check the result");
    return EXIT_DONE;
}

static int search_params(search* s, outcome* r, const char* path)
{
    double u[SIMPLEX_MAX], values[SIMPLEX_MAX], best = 0.0, begin = now_seconds();
    for (uint32_t i = 0; i < s->count; i++) {
        u[i] = to_unit(s->params[i].row, s->params[i].start);
        values[i] = s->params[i].start;
    }
    if (evaluate(s, values) != SUP_OK) return fail_with(&s->error);
    r->train[0] = s->train;
    r->held[0] = s->held;
    simplex_job job = {
        .count = s->count, .value = value_at, .user = s, .evaluations_max = s->asked_max, .step = 0.15, .tolerance = 1e-3
    };
    progress_begin(&s->bar, "fit", options_has(s->o, FLAG_QUIET));
    s->bar.notes = true;
    r->evaluations = simplex_search(&job, u, &best);
    progress_end(&s->bar);
    if (r->evaluations == 0) return fail_with(&s->error);
    for (uint32_t i = 0; i < s->count; i++) {
        // Rounding through the unit box may be slightly worse than the start itself.
        if (best < r->train[0]) s->params[i].value = from_unit(s->params[i].row, u[i]);
        values[i] = s->params[i].value;
    }
    if (evaluate(s, values) != SUP_OK) return fail_with(&s->error);
    r->train[1] = s->train;
    r->held[1] = s->held;
    r->seconds = now_seconds() - begin;
    if (r->frames[HELD] && r->held[1] > r->held[0] * 1.001 && !options_has(s->o, FLAG_QUIET))
        report_warning("the held-out frames got worse: the result is overfitted; fit fewer --params, or give more frames");
    return write_preset(s, path);
}

static int prepare(search* s, outcome* r)
{
    double most = 0;
    if (!options_number(s->o, FLAG_EVALUATIONS, 10, 100000, EVALUATIONS_USUAL, &most)) return EXIT_USAGE;
    s->asked_max = (uint32_t)most;
    int code = motion_flags(s->o, &s->motion);
    if (code == EXIT_DONE) code = examples_flags(s->o);
    if (code == EXIT_DONE) code = truth_list(s->o, s->arena, &s->truth);
    if (code == EXIT_DONE) code = chain_read(s->o, s->arena, &s->desc);
    if (code == EXIT_DONE) code = pool_make(s->o, &s->pool);
    if (code == EXIT_DONE) code = character_load(s->o, s->o->words[0], options_has(s->o, FLAG_QUIET), &s->character);
    if (code == EXIT_DONE) code = motion_choose(s->o, s->character, s->arena, &s->pose, &s->motion);
    if (code == EXIT_DONE) code = measure_frames(s->o, &s->truth, &s->motion, &s->frames);
    if (code == EXIT_DONE) code = truth_load(&s->truth, s->character, s->arena);
    if (code == EXIT_DONE) code = examples_apply(s->o, &s->motion, s->character);
    if (code == EXIT_DONE) code = examples_from_truth(s->o, &s->motion, &s->truth, s->character);
    if (code == EXIT_DONE) code = share_frames(s, r);
    if (code != EXIT_DONE) return code;
    s->desc.character = s->character;
    s->desc.clip = s->motion.clip;
    s->desc.tasks = sup_pool_tasks(s->pool);
    if (sup_chain_create(&s->desc, &s->chain, &s->error) != SUP_OK) return fail_with(&s->error);
    for (uint32_t i = 0; i < sup_chain_note_count(s->chain) && !options_has(s->o, FLAG_QUIET); i++)
        report_note("%s", sup_chain_note(s->chain, i));
    return choose_params(s);
}

int fit_params(const options* o)
{
    const char* path = options_text(o, FLAG_WRITE, NULL);
    if (o->word_count != 1 || !path || !options_has(o, FLAG_TRUTH)) {
        report_error("to fit parameters write: supple fit FILE --deform CHAIN --truth FILE... --write PRESET.json");
        return EXIT_USAGE;
    }
    search  s = { .o = o, .arena = sup_arena_create(NULL) };
    outcome r = { 0 };
    if (!s.arena) return fail_memory();
    int code = prepare(&s, &r);
    if (code == EXIT_DONE) code = search_params(&s, &r, path);
    if (code == EXIT_DONE && options_has(o, FLAG_JSON)) code = print_json(describe(&s, path, &r)) ? EXIT_DONE : EXIT_FAILED;
    else if (code == EXIT_DONE && !options_has(o, FLAG_QUIET)) print_outcome(&s, path, &r);
    sup_chain_destroy(s.chain);
    sup_character_destroy(s.character);
    sup_pool_destroy(s.pool);
    sup_arena_destroy(s.arena);
    return code;
}
