// supple weights: automatic weights for a mesh and a skeleton, written as a skinned GLB.
#include "commands.h"
#include "input/maps.h"
#include "input/skeletons.h"
#include "progress.h"
#include "report/report.h"
#include "supple/io.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static int read_flags(const options* o, sup_auto_weights_options* out)
{
    double      cells = 0, influences = 0;
    const char* method = options_text(o, FLAG_METHOD, "screened");
    if (!options_number(o, FLAG_CELLS, 4, 256, 0, &cells)) return EXIT_USAGE;
    if (!options_number(o, FLAG_MAX_INFLUENCES, 1, 64, 0, &influences)) return EXIT_USAGE;
    if (!options_number(o, FLAG_SPREAD, 0.01, 100, 1, &out->spread)) return EXIT_USAGE;
    if (cells != floor(cells) || influences != floor(influences)) {
        report_error("--cells and --max-influences are whole numbers");
        return EXIT_USAGE;
    }
    out->cells = (uint32_t)cells;
    out->influences_max = (uint32_t)influences;
    if (strcmp(method, "diffuse") == 0) out->method = SUP_WEIGHTS_DIFFUSE;
    else if (strcmp(method, "screened") != 0) {
        report_error("--method '%s' is not known; write screened or diffuse", method);
        return EXIT_USAGE;
    }
    return EXIT_DONE;
}

// --mask names a map with or without its underscore, in any case.
static int find_mask(const options* o, const sup_character* c, const float** out)
{
    const char* name = options_text(o, FLAG_MASK, NULL);
    if (!name) return EXIT_DONE;
    if (options_has(o, FLAG_SKELETON) || options_has(o, FLAG_CENTER)) {
        report_error("--mask keeps old weights, and with %s there are none; leave one of them out",
                     options_has(o, FLAG_SKELETON) ? "--skeleton" : "--center");
        return EXIT_USAGE;
    }
    char   upper[64] = "_";
    size_t at = name[0] != '_';
    for (size_t i = 0; name[i] && at + 1 < sizeof upper; i++) upper[at++] = (char)toupper((unsigned char)name[i]);
    const sup_map* map = sup_character_map(c, upper);
    if (!map) map = sup_character_map(c, name);
    if (!map) {
        report_error("'%s' has no map '%s'; give one with --map %s=FILE", c->name, name, name);
        return EXIT_FAILED;
    }
    *out = map->values;
    return EXIT_DONE;
}

static sup_json* describe(const options* o, const sup_character* c, const sup_auto_weights* a, uint64_t bytes, double seconds,
                          sup_arena* arena)
{
    const struct {
        const char* key;
        double      value;
    } numbers[] = { { "bytes", (double)bytes },
                    { "points", c->mesh.point_count },
                    { "joints", c->skeleton.skin_joint_count },
                    { "cells", a->cell_count },
                    { "cells_longest", a->cells },
                    { "particles", a->particle_count },
                    { "iterations", a->iterations },
                    { "influences_max", a->weights.influences_max },
                    { "lost_pieces", a->lost_components },
                    { "lost_points", a->lost_points },
                    { "outside_bones", a->outside_bones },
                    { "outside_joints", a->outside_count },
                    { "idle_joints", a->idle_count },
                    { "memory", (double)a->bytes },
                    { "seconds", floor(seconds * 1e6 + 0.5) / 1e6 } };
    sup_json* json = sup_json_new(arena, SUP_JSON_OBJECT);
    sup_json* last = sup_json_set(arena, json, "output", sup_json_new_string(arena, o->words[1]));
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        last = sup_json_set(arena, json, numbers[i].key, sup_json_new_number(arena, numbers[i].value));
    return last ? json : NULL;
}

static int make_weights(const options* o, const sup_auto_weights_options* how, sup_character** character, sup_arena* arena)
{
    bool             quiet = options_has(o, FLAG_QUIET);
    sup_error        error = { 0 };
    sup_auto_weights a;
    uint64_t         bytes = 0;
    double           begin = now_seconds();
    int              code = skeleton_weigh(o, how, quiet, character, &a);
    double           seconds = now_seconds() - begin;
    if (code != EXIT_DONE) return code;
    progress notes = { .quiet = quiet };
    maps_report_unread(o, NULL, 0, &notes);
    interrupts_hold();
    sup_result written = sup_character_write(*character, o->words[1], NULL, &bytes, &error);
    interrupts_release();
    if (written != SUP_OK) return fail_with(&error);
    const sup_character* c = *character;
    if (options_has(o, FLAG_JSON)) return print_json(describe(o, c, &a, bytes, seconds, arena)) ? EXIT_DONE : EXIT_FAILED;
    if (!quiet)
        printf("%s: weights of %u points for %u joints, at most %u a point, in %.3f s with %.1f MB of memory; %.1f MB\n",
               o->words[1], c->mesh.point_count, c->skeleton.skin_joint_count, a.weights.influences_max, seconds,
               (double)a.bytes / 1e6, (double)bytes / 1e6);
    return EXIT_DONE;
}

// Refuses a path that cannot become a GLB before the work begins.
static int check_output(const char* path)
{
    if (sup_path_ends_in(path, "glb")) return EXIT_DONE;
    report_error("weights writes .glb files, and the output is '%s'; write: supple weights FILE OUT.glb", path);
    return EXIT_FAILED;
}

int cmd_weights(const options* o)
{
    sup_auto_weights_options how = { 0 };
    sup_character*           character = NULL;
    sup_pool*                pool = NULL;
    sup_arena*               arena = sup_arena_create(NULL);
    if (!arena) return fail_memory();
    int code = read_flags(o, &how);
    if (code == EXIT_DONE) code = check_output(o->words[1]);
    if (code == EXIT_DONE) code = character_load(o, o->words[0], options_has(o, FLAG_QUIET), &character);
    if (code == EXIT_DONE) code = pool_make(o, &pool);
    if (code == EXIT_DONE) code = find_mask(o, character, &how.mask);
    how.tasks = sup_pool_tasks(pool);
    if (code == EXIT_DONE) code = make_weights(o, &how, &character, arena);
    sup_character_destroy(character);
    sup_pool_destroy(pool);
    sup_arena_destroy(arena);
    return code;
}
