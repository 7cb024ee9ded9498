// Budgets as people write them: 1mm, 0.5 %, 2MB.
#include "budget.h"

#include "amounts.h"
#include "report/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------- reading

// In the character's units.
static int read_length(const options* o, flag_id id, const sup_character* character, double* out)
{
    static const unit_row units[] = { { "mm", 0.001 }, { "cm", 0.01 }, { "m", 1.0 }, { "%", 0.0 } };
    const char*           text = options_text(o, id, NULL);
    const unit_row*       unit;
    double                value;
    if (!text) return EXIT_DONE;
    if (!amount_read(text, units, sizeof units / sizeof *units, &value, &unit)) {
        report_error(
            "--%s '%s' is not a length; write one like 1mm, 0.2cm or 0.001m, or a percentage of the diagonal like 0.1%%",
            options_flag_name(id), text);
        return EXIT_USAGE;
    }
    if (unit->value == 0.0) *out = value / 100.0 * (double)character->mesh.diagonal;
    else *out = value * unit->value / character->metres_per_unit;
    return EXIT_DONE;
}

static int read_size(const options* o, uint64_t* out)
{
    double bytes = 0;
    int    code = amount_size(o, FLAG_MAX_SIZE, 1, 4e9, &bytes);
    if (code == EXIT_DONE && bytes > 0) *out = (uint64_t)bytes;
    return code;
}

// What importers support. If compressed files need a package that not everybody has, or are not supported at all, they are not
// written.
static const struct {
    const char* name;
    bool        plain;
    bool        small; // supports KHR_mesh_quantization
    const char* lost;  // what is lost, for a note; NULL: nothing
} clients[] = {
    { "web", false, false, NULL },
    { "three", false, false, NULL },
    { "unreal", true, false,
      "Unreal's importer does not read EXT_meshopt_compression: the file is several times larger than with --for web" },
    { "unity", true, true,
      "Unity's glTFast reads EXT_meshopt_compression only with an extra package: the file uses small integers "
      "(KHR_mesh_quantization) instead and is several times larger than with --for web" },
    { "godot", true, false,
      "Godot's importer does not read EXT_meshopt_compression: the file is several times larger than with --for web" },
};

static int read_client(const options* o, bool given, sup_bake_budget* out)
{
    const char* names[sizeof clients / sizeof *clients];
    const char* text = options_text(o, FLAG_FOR, NULL);
    if (!text) return EXIT_DONE;
    if (!given) {
        report_error("--for chooses how a budget is met; add --max-error, --rms-error or --max-size");
        return EXIT_USAGE;
    }
    for (size_t i = 0; i < sizeof clients / sizeof *clients; i++) {
        names[i] = clients[i].name;
        if (strcmp(clients[i].name, text) != 0) continue;
        out->plain = clients[i].plain;
        out->small = clients[i].small;
        if (clients[i].lost && !options_has(o, FLAG_QUIET)) report_note("%s", clients[i].lost);
        return EXIT_DONE;
    }
    const char* near = sup_word_nearest(text, names, sizeof clients / sizeof *clients);
    report_error("--for '%s' is not known; there are web, three, unreal, unity and godot%s%s%s", text,
                 near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
    return EXIT_USAGE;
}

int budget_read(const options* o, const sup_character* character, sup_bake_budget* out, bool* given)
{
    static const flag_id flags[] = { FLAG_BAKE_ERROR, FLAG_RMS_ERROR, FLAG_MAX_SIZE };
    uint32_t             count = 0;
    *out = (sup_bake_budget){ 0 };
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) count += options_has(o, flags[i]);
    *given = count > 0;
    if (count > 1) {
        report_error("one budget at a time: give --max-error, --rms-error or --max-size");
        return EXIT_USAGE;
    }
    if (*given && (options_has(o, FLAG_SPARSE) || options_has(o, FLAG_MESHOPT))) {
        report_error("a budget chooses how the file is packed; leave --sparse and --meshopt out");
        return EXIT_USAGE;
    }
    int code = read_client(o, *given, out);
    if (code == EXIT_DONE) code = read_length(o, FLAG_BAKE_ERROR, character, &out->worst);
    if (code == EXIT_DONE) code = read_length(o, FLAG_RMS_ERROR, character, &out->rms);
    if (code == EXIT_DONE) code = read_size(o, &out->bytes);
    return code;
}

// ---------------------------------------------------------------------------------------------- telling

static double millimetres(const sup_character* character, double length)
{
    return length * character->metres_per_unit * 1000.0;
}

static void print_tries(const sup_bake_report* report, const sup_character* character)
{
    table t;
    table_begin(&t, "method|>components|>kB|>rms mm|>worst mm");
    for (uint32_t i = 0; i < report->try_count; i++) {
        const sup_bake_try* one = &report->tries[i];
        table_add(&t, "%s", one->method);
        table_add(&t, "%u", one->components);
        table_add(&t, "%.1f", one->bytes / 1e3);
        table_add(&t, "%.4f", millimetres(character, one->rms));
        table_add(&t, one->worst > 0 ? "%.4f" : "-", millimetres(character, one->worst));
    }
    table_print(&t, 0);
}

void budget_print(const sup_bake_report* report, const sup_character* character, bool tries)
{
    const struct {
        const char* name;
        uint64_t    bytes;
    } parts[] = { { "shapes", report->shape_bytes }, { "weights", report->weight_bytes }, { "joint keys", report->key_bytes },
                  { "mesh", report->surface_bytes }, { "pictures", report->image_bytes }, { "document", report->rest_bytes } };
    if (tries) print_tries(report, character);
    if (report->components == 0) printf("%s\n", report->method);
    else
        printf("%u morph target%s: %s; %u estimates, %u file%s made and read again\n", report->components,
               report->components == 1 ? "" : "s", report->method, report->try_count, report->rounds,
               report->rounds == 1 ? "" : "s");
    printf("read again: %.4f mm rms, %.4f mm at worst; normals %.2f degrees rms, %.1f at worst\n",
           millimetres(character, report->rms), millimetres(character, report->worst), report->normal_rms,
           report->normal_worst);
    printf("%.1f kB:", (double)report->bytes / 1e3);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].bytes) printf(" %s %.1f", parts[i].name, (double)parts[i].bytes / 1e3);
    puts("");
}

static void put(sup_arena* arena, sup_json* json, const char* key, double value)
{
    sup_json_set(arena, json, key, sup_json_new_number(arena, value));
}

sup_json* budget_describe(const sup_bake_report* report, const sup_character* character, sup_arena* arena)
{
    sup_json* json = sup_json_new(arena, SUP_JSON_OBJECT);
    if (!json) return NULL;
    sup_json_set(arena, json, "way", sup_json_new_string(arena, report->method));
    put(arena, json, "components", report->components);
    put(arena, json, "rms_mm", millimetres(character, report->rms));
    put(arena, json, "worst_mm", millimetres(character, report->worst));
    put(arena, json, "normals_rms_degrees", report->normal_rms);
    put(arena, json, "normals_worst_degrees", report->normal_worst);
    sup_json* bytes = sup_json_set(arena, json, "bytes", sup_json_new(arena, SUP_JSON_OBJECT));
    put(arena, bytes, "shapes", (double)report->shape_bytes);
    put(arena, bytes, "weights", (double)report->weight_bytes);
    put(arena, bytes, "joint_keys", (double)report->key_bytes);
    put(arena, bytes, "mesh", (double)report->surface_bytes);
    put(arena, bytes, "pictures", (double)report->image_bytes);
    put(arena, bytes, "document", (double)report->rest_bytes);
    put(arena, json, "files_read_again", report->rounds);
    sup_json* tries = sup_json_set(arena, json, "tries", sup_json_new(arena, SUP_JSON_ARRAY));
    for (uint32_t i = 0; i < report->try_count && tries; i++) {
        const sup_bake_try* one = &report->tries[i];
        sup_json*           row = sup_json_push(tries, sup_json_new(arena, SUP_JSON_OBJECT));
        sup_json_set(arena, row, "way", sup_json_new_string(arena, one->method));
        put(arena, row, "components", one->components);
        put(arena, row, "bytes", one->bytes);
        put(arena, row, "rms_mm", millimetres(character, one->rms));
        if (one->worst > 0) put(arena, row, "worst_mm", millimetres(character, one->worst));
    }
    return json;
}
