// supple deformers: the list, or one's parameters, printed from the same tables as everything else.
#include "commands.h"
#include "input/common.h"
#include "report/report.h"

#include <stdio.h>
#include <string.h>

static void needs_text(uint32_t needs, char* text, size_t size)
{
    static const struct {
        uint32_t    bit;
        const char* name;
    } rows[] = { { SUP_NEEDS_EXAMPLES, "examples" },
                 { SUP_NEEDS_CLIP, "clip" },
                 { SUP_NEEDS_WEIGHTS, "weights" },
                 { SUP_NEEDS_CLOSED, "closed" } };
    size_t at = 0;
    snprintf(text, size, "nothing");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (needs & rows[i].bit) at += (size_t)snprintf(text + at, size - at, "%s%s", at ? ", " : "", rows[i].name);
}

static void print_list(void)
{
    table t;
    table_begin(&t, "name|needs|moves|summary");
    for (uint32_t i = 0; i < sup_deformer_count(); i++) {
        const sup_deformer* d = sup_deformer_at(i);
        char                needs[64];
        needs_text(d->needs, needs, sizeof needs);
        table_add(&t, "%s", d->name);
        table_add(&t, "%s", needs);
        table_add(&t, "%s", d->dynamic ? "in time" : "with the pose");
        table_add(&t, "%s", d->summary);
    }
    table_print(&t, 0);
    puts("\n'supple deformers NAME' lists the parameters of one.");
}

// The cells "range" and "default" of one row.
static void value_texts(const sup_param* p, char* range, char* standard, size_t size)
{
    snprintf(range, size, "%g .. %g", p->min, p->max);
    snprintf(standard, size, "%g", p->standard);
    if (p->type == SUP_PARAM_BOOL) {
        snprintf(range, size, "false, true");
        snprintf(standard, size, "%s", p->standard != 0.0 ? "true" : "false");
    } else if (p->type == SUP_PARAM_TEXT) {
        snprintf(range, size, "text");
        snprintf(standard, size, "'%s'", p->standard_text ? p->standard_text : "");
    } else if (p->type == SUP_PARAM_CHOICE) {
        size_t at = 0;
        range[0] = 0;
        for (int i = 0; p->choices[i] && at < size; i++) {
            at += (size_t)snprintf(range + at, size - at, "%s%s", i ? ", " : "", p->choices[i]);
            if (i == (int)p->standard) snprintf(standard, size, "%s", p->choices[i]);
        }
    }
}

// 'a=1|b>0,wind' as "a=1 or b>0, wind".
static void only_with_text(const char* text, char* out, size_t size)
{
    size_t at = 0;
    out[0] = 0;
    for (; text && *text && at < size; text++) {
        if (*text == '|' || *text == ',') at += (size_t)snprintf(out + at, size - at, "%s", *text == '|' ? " or " : ", ");
        else at += (size_t)snprintf(out + at, size - at, "%c", *text);
    }
}

static void print_params(const sup_deformer* d)
{
    static const char* const types[] = { [SUP_PARAM_FLOAT] = "float",
                                         [SUP_PARAM_INT] = "int",
                                         [SUP_PARAM_BOOL] = "bool",
                                         [SUP_PARAM_CHOICE] = "choice",
                                         [SUP_PARAM_TEXT] = "text" };
    static const char* const varies[] = {
        [SUP_VARIES_NOT] = "no", [SUP_VARIES_POINT] = "per point", [SUP_VARIES_BONE] = "per bone"
    };
    table t;
    table_begin(&t, "name|type|range|default|unit|stage|varies|only with|help");
    for (uint32_t i = 0; i < d->param_count; i++) {
        const sup_param* p = &d->params[i];
        char             range[128], standard[128], only[160];
        value_texts(p, range, standard, sizeof range);
        table_add(&t, "%s", p->name);
        table_add(&t, "%s", types[p->type]);
        table_add(&t, "%s", range);
        table_add(&t, "%s", standard);
        table_add(&t, "%s", p->unit ? p->unit : "");
        table_add(&t, "%s", p->stage == SUP_STAGE_BIND ? "bind" : "frame");
        table_add(&t, "%s", varies[p->varies]);
        only_with_text(p->only_with, only, sizeof only);
        table_add(&t, "%s", only);
        table_add(&t, "%s", p->help);
    }
    table_print(&t, 0);
}

static void print_one(const sup_deformer* d)
{
    char needs[64];
    needs_text(d->needs, needs, sizeof needs);
    printf("%s: %s\nfrom   %s\nneeds  %s\nmoves  %s\n\n", d->name, d->summary, d->paper, needs,
           d->dynamic ? "in time: it has a state that is stepped" : "with the pose alone");
    if (d->param_count) print_params(d);
    else puts("It has no parameters.");
    for (const sup_preset* p = d->presets; p && p->name; p++) {
        printf("%spreset %s: %s (", p == d->presets ? "\n" : "", p->name, p->summary);
        for (uint32_t i = 0; p->values[i][0]; i++) printf("%s%s=%s", i ? ", " : "", p->values[i][0], p->values[i][1]);
        puts(")");
    }
    if (d->param_count)
        printf("\nSet one with: --deform '%s(%s=VALUE)' or --set %s.%s=VALUE\n", d->name, d->params[0].name, d->name,
               d->params[0].name);
}

static int unknown_deformer(const char* name)
{
    const char* names[64];
    uint32_t    count = 0;
    for (; count < sup_deformer_count() && count < 64; count++) names[count] = sup_deformer_at(count)->name;
    const char* near = sup_word_nearest(name, names, count);
    if (near) report_error("there is no deformer '%s'; did you mean '%s'?", name, near);
    else report_error("there is no deformer '%s'; 'supple deformers' lists them", name);
    return EXIT_FAILED;
}

static int print_described(const sup_deformer* one)
{
    sup_arena* arena = sup_arena_create(NULL);
    if (!arena) return fail_memory();
    sup_json* json = one ? sup_deformer_describe(one, arena) : sup_json_new(arena, SUP_JSON_ARRAY);
    for (uint32_t i = 0; json && !one && i < sup_deformer_count(); i++)
        if (!sup_json_push(json, sup_deformer_describe(sup_deformer_at(i), arena))) json = NULL;
    int code = print_json(json) ? EXIT_DONE : EXIT_FAILED;
    sup_arena_destroy(arena);
    return code;
}

int cmd_deformers(const options* o)
{
    const sup_deformer* one = NULL;
    if (o->word_count) {
        one = sup_deformer_find(o->words[0]);
        if (!one) return unknown_deformer(o->words[0]);
    }
    if (options_has(o, FLAG_JSON)) return print_described(one);
    if (one) print_one(one);
    else print_list();
    return EXIT_DONE;
}
