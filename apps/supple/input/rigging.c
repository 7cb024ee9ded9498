// Supplies what a character's file lacks: a skeleton with weights, and motion.
#include "rigging.h"

#include "inputs.h"
#include "report/partner_report.h"
#include "report/report.h"
#include "skeletons.h"
#include "supple/io.h"
#include "system/system.h"

#include <stdio.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------- skeleton and weights

// Research motion needs the rig again to be interpreted.
typedef struct rigging {
    const options* o;
    sup_arena*     arena;
    bool           silent;
    bool           rigged;
    sup_rig        rig;
} rigging;

// What was wrong with the weight table; the file's own faults have been reported.
static void note_new_warnings(const sup_character* made, const sup_character* from)
{
    for (uint32_t i = 0; i < made->warning_count; i++) {
        bool said = false;
        for (uint32_t k = 0; k < from->warning_count && !said; k++) said = strcmp(made->warnings[i], from->warnings[k]) == 0;
        if (!said) report_warning("%s", made->warnings[i]);
    }
}

static int attach_skeleton(rigging* r, sup_character** character)
{
    const char* skeleton = options_text(r->o, FLAG_SKELETON, NULL);
    const char* weights = options_text(r->o, FLAG_WEIGHTS, NULL);
    sup_error   error = { 0 };
    sup_matrix  values;
    if (!skeleton && !weights) return EXIT_DONE;
    if (!skeleton) {
        report_error("--weights needs --skeleton FILE.tgf too: a .tgf skeleton and a .dmat table of weights belong together");
        return EXIT_USAGE;
    }
    if (!weights) {
        int code = skeleton_weigh(r->o, NULL, r->silent, character, NULL);
        if (code != EXIT_DONE || !sup_path_ends_in(skeleton, "tgf")) return code;
        r->rigged = true;
        return sup_rig_load(skeleton, NULL, r->arena, &r->rig, &error) == SUP_OK ? EXIT_DONE : fail_with(&error);
    }
    if (sup_rig_load(skeleton, NULL, r->arena, &r->rig, &error) != SUP_OK) return fail_with(&error);
    if (sup_matrix_load(weights, NULL, r->arena, &values, &error) != SUP_OK) return fail_with(&error);
    sup_character* made = NULL;
    if (sup_rig_attach(*character, &r->rig, &values, NULL, &made, &error) != SUP_OK) return fail_with(&error);
    if (!r->silent) note_new_warnings(made, *character);
    sup_character_inherit(made, *character);
    *character = made;
    r->rigged = true;
    return EXIT_DONE;
}

// ---------------------------------------------------------------------------------------------- motion

static int retarget(const rigging* r, const char* path, const sup_character* character, partners* p)
{
    sup_error            error = { 0 };
    sup_joint_pair*      pairs = NULL;
    sup_retarget_options how = { 0 };
    const char*          map = options_text(r->o, FLAG_MOTION_MAP, NULL);
    if (sup_mocap_load(path, NULL, p->arena, &p->mocap, &error) != SUP_OK) return fail_with(&error);
    for (uint32_t i = 0; i < p->mocap.warning_count && !r->silent; i++) report_warning("%s: %s", path, p->mocap.warnings[i]);
    if (map && sup_motion_map_load(map, NULL, p->arena, &pairs, &how.pair_count, &error) != SUP_OK) return fail_with(&error);
    how.pairs = pairs;
    return sup_retarget(character, &p->mocap, &how, p->arena, &p->clip, &p->report, &error) == SUP_OK ? EXIT_DONE
                                                                                                      : fail_with(&error);
}

static int add_captured(const rigging* r, const char* path, sup_character* character)
{
    sup_error error = { 0 };
    partners* p = partners_create();
    if (!p) return fail_memory();
    // Kept for the report. If a character is loaded several times, the last one counts.
    partners_free(r->o->inputs->partners);
    r->o->inputs->partners = p;
    int code = retarget(r, path, character, p);
    if (code != EXIT_DONE) return code;
    if (!r->silent && !options_has(r->o, FLAG_QUIET)) note_partners(character, &p->mocap, &p->report);
    return sup_character_add_clip(character, &p->clip, &error) == SUP_OK ? EXIT_DONE : fail_with(&error);
}

static int add_matrices(const rigging* r, const char* path, sup_character* character)
{
    static const double FPS = 30; // tables have no frame rate
    sup_error           error = { 0 };
    sup_matrix          motion;
    sup_clip            clip;
    if (!r->rigged) {
        report_error("--motion '%s' holds matrices of bones; give their --skeleton FILE.tgf and --weights FILE.dmat too", path);
        return EXIT_USAGE;
    }
    if (sup_matrix_load(path, NULL, r->arena, &motion, &error) != SUP_OK) return fail_with(&error);
    const char* name = path_name(path);
    char*       stem = sup_arena_text(r->arena, name, (size_t)(strrchr(name, '.') - name));
    if (!stem) return fail_memory();
    if (sup_rig_clip(character, &r->rig, &motion, stem, FPS, r->arena, &clip, &error) != SUP_OK) return fail_with(&error);
    return sup_character_add_clip(character, &clip, &error) == SUP_OK ? EXIT_DONE : fail_with(&error);
}

static int add_poses(const rigging* r, const char* path, sup_character* character)
{
    sup_error        error = { 0 };
    sup_bytes        bytes;
    sup_json*        tree = NULL;
    sup_clip         clip;
    const sup_files* files = sup_files_system();
    if (files->read(files->user, path, r->arena, &bytes, &error) != SUP_OK) return fail_with(&error);
    if (sup_json_parse((const char*)bytes.data, bytes.size, path, r->arena, &tree, &error) != SUP_OK) return fail_with(&error);
    if (sup_clip_from_poses(character, tree, r->arena, &clip, &error) != SUP_OK) return fail_with(&error);
    if (sup_character_clip(character, clip.name)) {
        report_error("'%s' has a clip '%s' already; give the poses in '%s' another \"clip\"", character->name, clip.name, path);
        return EXIT_FAILED;
    }
    return sup_character_add_clip(character, &clip, &error) == SUP_OK ? EXIT_DONE : fail_with(&error);
}

static int add_motion(const rigging* r, const char* path, sup_character* character)
{
    if (sup_path_ends_in(path, "json")) return add_poses(r, path, character);
    return sup_path_ends_in(path, "dmat") || sup_path_ends_in(path, "tmat") ? add_matrices(r, path, character)
                                                                            : add_captured(r, path, character);
}

int rigging_apply(const options* o, bool silent, sup_character** character)
{
    const char* motion = options_text(o, FLAG_MOTION, NULL);
    if (options_has(o, FLAG_MOTION_MAP) && !motion) {
        report_error("--motion-map needs --motion FILE");
        return EXIT_USAGE;
    }
    if (o->verb->bit == VERB_WEIGHTS) return EXIT_DONE; // which rigs by itself, and reports
    rigging r = { .o = o, .arena = sup_arena_create(NULL), .silent = silent };
    if (!r.arena) return fail_memory();
    int code = attach_skeleton(&r, character);
    if (code == EXIT_DONE && motion) code = add_motion(&r, motion, *character);
    sup_arena_destroy(r.arena);
    return code;
}

// ---------------------------------------------------------------------------------------------- inspect

static bool describe(const sup_mocap* m, sup_arena* arena)
{
    sup_json* out = sup_json_new(arena, SUP_JSON_OBJECT);
    sup_json* joints = sup_json_new(arena, SUP_JSON_ARRAY);
    uint32_t  count = 0;
    for (uint32_t j = 0; j < m->joint_count; j++) {
        if (m->joints[j].end) continue;
        sup_json_push(joints, sup_json_new_string(arena, m->joints[j].name));
        count++;
    }
    sup_json_set(arena, out, "joints", sup_json_new_number(arena, count));
    sup_json_set(arena, out, "names", joints);
    sup_json_set(arena, out, "frames", sup_json_new_number(arena, m->frame_count));
    sup_json_set(arena, out, "frame_time", sup_json_new_number(arena, m->frame_time));
    sup_json* warnings = sup_json_set(arena, out, "warnings", sup_json_new(arena, SUP_JSON_ARRAY));
    for (uint32_t i = 0; i < m->warning_count; i++) sup_json_push(warnings, sup_json_new_string(arena, m->warnings[i]));
    return print_json(warnings ? out : NULL);
}

static void print(const sup_mocap* m, const char* path)
{
    uint32_t count = 0;
    for (uint32_t j = 0; j < m->joint_count; j++) count += !m->joints[j].end;
    printf("%s: motion of %u joints, %u frames of %g s (%.2f s); no mesh: play it on a character with --motion\njoints    ",
           path, count, m->frame_count, m->frame_time, m->frame_count ? (m->frame_count - 1) * m->frame_time : 0.0);
    for (uint32_t j = 0, shown = 0; j < m->joint_count; j++)
        if (!m->joints[j].end) printf("%s%s", shown++ ? ", " : "", m->joints[j].name);
    puts("\n");
    if (m->warning_count == 0) puts("nothing wrong was found");
    for (uint32_t i = 0; i < m->warning_count; i++) printf("wrong     %s\n", m->warnings[i]);
}

bool rigging_inspect(const options* o, const char* path, int* code)
{
    sup_error error = { 0 };
    sup_mocap mocap;
    if (!sup_path_ends_in(path, "bvh")) return false;
    sup_arena* arena = sup_arena_create(NULL);
    if (!arena) *code = fail_memory();
    else if (sup_mocap_load(path, NULL, arena, &mocap, &error) != SUP_OK) *code = fail_with(&error);
    else if (options_has(o, FLAG_JSON)) *code = describe(&mocap, arena) ? EXIT_DONE : EXIT_FAILED;
    else {
        print(&mocap, path);
        *code = EXIT_DONE;
    }
    sup_arena_destroy(arena);
    return true;
}
