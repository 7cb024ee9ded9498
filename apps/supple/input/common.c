// From flags to a character, a clip, a pose, a chain and workers.
#include "common.h"

#include "boneless.h"
#include "commands/progress.h"
#include "inputs.h"
#include "maps.h"
#include "report/report.h"
#include "rigging.h"
#include "supple/io_extra.h"
#include "system/system.h"
#include "worlds.h"

#include <ctype.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int fail_with(const sup_error* error)
{
    if (error->code == SUP_ERROR_CANCELLED) {
        report_error("%s", interrupts_words());
        return 128 + (interrupts_signal() ? interrupts_signal() : SIGINT);
    }
    report_error("%s", error->text);
    return EXIT_FAILED;
}

int fail_memory(void)
{
    report_error("out of memory; close other programs or use a smaller file");
    return EXIT_FAILED;
}

// Where the value after NAME= begins, NULL if there is no name or no '='.
static const char* split_assignment(const char* text, size_t* name_length)
{
    const char* equals = strchr(text, '=');
    if (!equals || equals == text || !equals[1]) return NULL;
    *name_length = (size_t)(equals - text);
    return equals + 1;
}

// ---------------------------------------------------------------------------------------------- character

static bool parse_unit(const char* text, double* metres)
{
    static const struct {
        const char* name;
        double      metres;
    } units[] = { { "m", 1.0 }, { "cm", 0.01 }, { "mm", 0.001 }, { "km", 1000.0 }, { "in", 0.0254 }, { "ft", 0.3048 } };
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strcmp(text, units[i].name) == 0) {
            *metres = units[i].metres;
            return true;
        }
    }
    char* end = NULL;
    *metres = strtod(text, &end);
    return end != text && !*end && isfinite(*metres) && *metres >= 1e-9 && *metres <= 1e9;
}

static bool parse_up(const char* text, sup_up* up)
{
    int letter = tolower((unsigned char)text[0]);
    *up = letter == 'y' ? SUP_UP_Y : letter == 'z' ? SUP_UP_Z : letter == 'x' ? SUP_UP_X : SUP_UP_FILE;
    return *up != SUP_UP_FILE && !text[1];
}

// Numbers of a map file: a JSON array, or numbers separated by blanks. count is how many there were; only the first `capacity`
// are kept.
static sup_result read_numbers(const char* path, sup_arena* arena, float* values, uint32_t capacity, uint32_t* count,
                               sup_error* error)
{
    const sup_files* files = sup_files_system();
    sup_bytes        bytes;
    sup_result       result = files->read(files->user, path, arena, &bytes, error);
    if (result != SUP_OK) return result;
    char* text = sup_arena_text(arena, (const char*)bytes.data, bytes.size);
    if (!text) return sup_fail(error, SUP_ERROR_MEMORY, "out of memory while reading the map '%s'", path);
    *count = 0;

    char* at = text + strspn(text, " \t\r\n");
    if (*at == '[') {
        sup_json* array = NULL;
        result = sup_json_parse(text, bytes.size, path, arena, &array, error);
        if (result != SUP_OK) return result;
        for (const sup_json* item = array->first; item; item = item->next, ++*count) {
            if (item->type != SUP_JSON_NUMBER || !isfinite(item->number))
                return sup_fail(error, SUP_ERROR_INPUT,
                                "map '%s': item %u is not a number; write one number from 0 to 1 per point", path, *count + 1);
            if (*count < capacity) values[*count] = (float)item->number;
        }
        return SUP_OK;
    }
    while (*at) {
        char*  end = at;
        double value = strtod(at, &end);
        if (end == at || !isfinite(value))
            return sup_fail(error, SUP_ERROR_INPUT,
                            "map '%s': value %u is not a number ('%.*s'); write one number from 0 to 1 per line", path,
                            *count + 1, (int)strcspn(at, "\r\n") > 20 ? 20 : (int)strcspn(at, "\r\n"), at);
        if (*count < capacity) values[*count] = (float)value;
        ++*count;
        at = end + strspn(end, " \t\r\n,");
    }
    return SUP_OK;
}

// Converts what the file holds (a value per point, or per stored vertex) to points within 0..1.
static float* map_to_points(const sup_mesh* mesh, const float* values, uint32_t count, sup_arena* arena, bool* clamped)
{
    float*    out = sup_arena_alloc(arena, mesh->point_count, sizeof *out);
    uint32_t* copies = sup_arena_alloc(arena, mesh->point_count, sizeof *copies);
    if (!out || !copies) return NULL;
    bool per_point = count == mesh->point_count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t point = per_point ? i : mesh->vertex_points[i];
        float    value = values[i] < 0.0f ? 0.0f : values[i] > 1.0f ? 1.0f : values[i];
        if (value != values[i]) *clamped = true;
        out[point] += value;
        copies[point]++;
    }
    for (uint32_t p = 0; p < mesh->point_count; p++)
        if (copies[p]) out[p] /= (float)copies[p];
    return out;
}

// Adds the map, replacing one with that name.
static sup_result put_map(sup_character* c, const char* name, const float* values, sup_error* error)
{
    sup_map* maps = sup_arena_alloc(c->arena, c->map_count + 1, sizeof *maps);
    if (!maps) return sup_fail(error, SUP_ERROR_MEMORY, "out of memory while adding the map '%s'", name);
    uint32_t slot = c->map_count;
    for (uint32_t i = 0; i < c->map_count; i++) {
        maps[i] = c->maps[i];
        if (strcmp(maps[i].name, name) == 0) slot = i;
    }
    maps[slot] = (sup_map){ name, values };
    c->map_count += slot == c->map_count;
    c->maps = maps;
    return SUP_OK;
}

static int add_map(sup_character* c, const char* text)
{
    size_t      length = 0;
    const char* path = split_assignment(text, &length);
    if (!path) {
        report_error("--map '%s' is not NAME=FILE", text);
        return EXIT_USAGE;
    }
    // Files name maps _STIFFNESS (glTF demands the underscore): users may omit it and write lower case.
    char* name = map_name(text, length, c->arena);
    if (!name) return fail_memory();

    const sup_mesh* mesh = &c->mesh;
    uint32_t        capacity = mesh->vertex_count > mesh->point_count ? mesh->vertex_count : mesh->point_count, count = 0;
    float*          values = sup_arena_alloc(c->arena, capacity, sizeof *values);
    if (!values) return fail_memory();
    sup_error error = { 0 };
    if (read_numbers(path, c->arena, values, capacity, &count, &error) != SUP_OK) return fail_with(&error);
    if (count != mesh->point_count && count != mesh->vertex_count) {
        report_error("map '%s' has %u values; '%s' has %u points and %u vertices: write one value for each of either", path,
                     count, c->name, mesh->point_count, mesh->vertex_count);
        return EXIT_FAILED;
    }
    bool   clamped = false;
    float* points = map_to_points(mesh, values, count, c->arena, &clamped);
    if (!points) return fail_memory();
    if (clamped) report_warning("map '%s' has values outside 0 to 1; they were clamped", path);
    return put_map(c, name, points, &error) == SUP_OK ? EXIT_DONE : fail_with(&error);
}

// Says before reading a large file what it will take. A text mesh takes seven times its bytes, a binary one four to five.
static void note_large(const char* path)
{
    enum { LARGE = 100000000, TIMES = 8 };
    path_info about;
    if (path_look(path, &about) != 0 || about.kind != PATH_FILE || about.bytes < LARGE) return;
    double bytes = (double)about.bytes, free_bytes = system_free_memory();
    report_note("'%s' is %.0f MB; reading it takes up to %.1f GB of memory, and %.1f GB are free", path, 1e-6 * bytes,
                1e-9 * TIMES * bytes, 1e-9 * free_bytes);
}

int subdivide_levels(const options* o, uint32_t* out)
{
    double levels;
    if (!options_number(o, FLAG_SUBDIVIDE, 1, 6, 0, &levels)) return EXIT_USAGE;
    *out = (uint32_t)levels;
    if (levels == floor(levels)) return EXIT_DONE;
    report_error("--subdivide needs a whole number, from 1 to 6");
    return EXIT_USAGE;
}

// Replaces the character by its subdivided version.
static int subdivide_apply(const options* o, sup_character** character)
{
    uint32_t levels = 0;
    int      code = subdivide_levels(o, &levels);
    if (code != EXIT_DONE) return code;
    if (levels == 0 || options_has(o, FLAG_NORMAL_MAP)) return EXIT_DONE; // a normal map needs both meshes
    sup_error      error = { 0 };
    sup_character* fine = NULL;
    if (sup_character_subdivide_dressed(*character, levels, NULL, &fine, &error) != SUP_OK) return fail_with(&error);
    sup_character_destroy(*character);
    *character = fine;
    return EXIT_DONE;
}

int character_load(const options* o, const char* path, bool silent, sup_character** out)
{
    sup_load_options load = { .files = &o->inputs->files, .extra = sup_extra_get() };
    const char*      unit = options_text(o, FLAG_UNIT, NULL);
    const char*      up = options_text(o, FLAG_UP, NULL);
    if (unit && !parse_unit(unit, &load.unit)) {
        report_error("--unit '%s' is not a unit; write m, cm, mm, km, in, ft, or meters as a number", unit);
        return EXIT_USAGE;
    }
    if (up && !parse_up(up, &load.up)) {
        report_error("--up '%s' is not an axis; write y, z or x", up);
        return EXIT_USAGE;
    }
    if (!options_number(o, FLAG_FPS, 0.001, 10000.0, 30.0, &load.fps)) return EXIT_USAGE;
    load.mesh_count = options_count(o, FLAG_MESH);
    load.dress_count = options_count(o, FLAG_DRESS);
    const char** names = calloc((size_t)load.mesh_count + load.dress_count + 1, sizeof *names);
    if (!names) return fail_memory();
    for (uint32_t i = 0; i < load.mesh_count; i++) names[i] = options_nth(o, FLAG_MESH, i);
    for (uint32_t i = 0; i < load.dress_count; i++) names[load.mesh_count + i] = options_nth(o, FLAG_DRESS, i);
    load.meshes = names;
    load.dress = names + load.mesh_count;
    if (!options_has(o, FLAG_QUIET)) note_large(path);
    sup_error  error = { 0 };
    sup_result result = sup_load(path, &load, out, &error);
    free(names);
    if (result != SUP_OK) return fail_with(&error);
    int code = inputs_check_read(o);
    for (uint32_t i = 0; i < (*out)->warning_count && !silent; i++) report_warning("%s", (*out)->warnings[i]);
    if (code == EXIT_DONE) code = rigging_apply(o, silent, out);
    if (code == EXIT_DONE) code = boneless_apply(o, silent, out);
    for (uint32_t i = 0; i < options_count(o, FLAG_MAP) && code == EXIT_DONE; i++)
        code = add_map(*out, options_nth(o, FLAG_MAP, i));
    if (code == EXIT_DONE) code = subdivide_apply(o, out);
    if (code != EXIT_DONE) {
        sup_character_destroy(*out);
        *out = NULL;
    }
    return code;
}

// ---------------------------------------------------------------------------------------------- clip and pose

void note_no_joint(const sup_character* character, const char* name)
{
    const sup_skeleton* s = &character->skeleton;
    const char**        names = calloc((size_t)s->joint_count + 1, sizeof *names);
    for (uint32_t j = 0; names && j < s->joint_count; j++) names[j] = s->joints[j].name;
    const char* near = names ? sup_word_nearest(name, names, s->joint_count) : NULL;
    if (near) report_error("'%s' has no joint '%s'; did you mean '%s'?", character->name, name, near);
    else report_error("'%s' has no joint '%s'; 'supple inspect' lists them", character->name, name);
    free(names);
}

// "'Survey', 'Walk', 'Run'", truncated where the buffer ends.
static void list_clips(const sup_character* character, char* text, size_t size)
{
    size_t at = 0;
    text[0] = 0;
    for (uint32_t i = 0; i < character->clip_count && at < size; i++)
        at += (size_t)snprintf(text + at, size - at, "%s'%s'", i ? ", " : "", character->clips[i].name);
}

// The last clip that a bake wrote.
static const sup_clip* baked_clip(const sup_character* character)
{
    for (uint32_t i = character->clip_count; i-- > 0;)
        if (character->clips[i].baked) return &character->clips[i];
    return NULL;
}

int clip_choose(const options* o, const sup_character* character, const sup_clip** out)
{
    const char* wanted = options_text(o, FLAG_CLIP, NULL);
    char        names[900];
    list_clips(character, names, sizeof names);
    *out = NULL;
    if (wanted) {
        *out = sup_character_clip(character, wanted);
        if (*out) return EXIT_DONE;
        if (character->clip_count) report_error("'%s' has no clip '%s'; it has %s", character->name, wanted, names);
        else
            report_error("'%s' has no clip '%s': it has no clips at all; leave --clip out, or give --pose", character->name,
                         wanted);
        return EXIT_FAILED;
    }
    if (character->clip_count == 0) return EXIT_DONE;
    if (options_has(o, FLAG_MOTION)) { // it was added after the file's own
        *out = &character->clips[character->clip_count - 1];
        return EXIT_DONE;
    }
    // Other verbs on a baked file mean the bake; a bake starts from the motion again.
    const sup_clip* baked = o->verb->bit == VERB_BAKE ? NULL : baked_clip(character);
    *out = baked ? baked : &character->clips[0];
    if (character->clip_count > 1 && !options_has(o, FLAG_QUIET))
        report_note("taking the %sclip '%s'; choose with --clip from %s", baked ? "baked " : "", (*out)->name, names);
    return EXIT_DONE;
}

static int turn_joint(const sup_character* character, const char* text, sup_pose* pose)
{
    size_t      length = 0;
    const char* value = split_assignment(text, &length);
    double      degrees[3];
    for (int i = 0; value && i < 3; i++) {
        char* end = NULL;
        degrees[i] = strtod(value, &end);
        bool good = end != value && isfinite(degrees[i]) && *end == (i < 2 ? ',' : 0);
        value = good ? end + 1 : NULL;
    }
    if (!value) {
        report_error("--pose '%s' is not JOINT=X,Y,Z with three angles in degrees", text);
        return EXIT_USAGE;
    }
    char name[256];
    snprintf(name, sizeof name, "%.*s", (int)(length < 255 ? length : 255), text);
    uint32_t joint = sup_character_joint(character, name);
    if (joint == SUP_NONE) {
        note_no_joint(character, name);
        return EXIT_FAILED;
    }
    sup_pose_turn(pose, joint, degrees);
    return EXIT_DONE;
}

int pose_read(const options* o, const sup_character* character, sup_arena* arena, sup_pose* out)
{
    sup_error error = { 0 };
    if (sup_pose_create(character, arena, out, &error) != SUP_OK) return fail_with(&error);
    sup_pose_rest(character, out);
    for (uint32_t i = 0; i < options_count(o, FLAG_POSE); i++) {
        const char* text = options_nth(o, FLAG_POSE, i);
        while (*text) {
            size_t length = strcspn(text, ";");
            char*  one = sup_arena_text(arena, text, length);
            if (!one) return fail_memory();
            int code = *one ? turn_joint(character, one, out) : EXIT_DONE;
            if (code != EXIT_DONE) return code;
            text += length + (text[length] == ';');
        }
    }
    sup_pose_update(character, out);
    return EXIT_DONE;
}

// ---------------------------------------------------------------------------------------------- chain and workers

static int read_json(const char* path, sup_arena* arena, const sup_json** out)
{
    sup_error        error = { 0 };
    sup_bytes        bytes;
    sup_json*        tree = NULL;
    const sup_files* files = sup_files_system();
    if (files->read(files->user, path, arena, &bytes, &error) != SUP_OK) return fail_with(&error);
    if (sup_json_parse((const char*)bytes.data, bytes.size, path, arena, &tree, &error) != SUP_OK) return fail_with(&error);
    *out = tree;
    return EXIT_DONE;
}

static sup_result read_text(void* user, const char* path, sup_arena* arena, const char** out, sup_error* error)
{
    (void)user;
    sup_bytes        bytes;
    const sup_files* files = sup_files_system();
    sup_result       r = files->read(files->user, path, arena, &bytes, error);
    if (r) return r;
    char* text = sup_arena_alloc(arena, bytes.size + 1, 1);
    if (!text) return sup_fail(error, SUP_ERROR_MEMORY, "out of memory while reading '%s'", path);
    if (bytes.size && memchr(bytes.data, 0, bytes.size))
        return sup_fail(error, SUP_ERROR_INPUT, "'%s' is not a text file", path);
    if (bytes.size) memcpy(text, bytes.data, bytes.size);
    *out = text;
    return SUP_OK;
}

int chain_read(const options* o, sup_arena* arena, sup_chain_desc* out)
{
    uint32_t     count = options_count(o, FLAG_SET);
    const char** settings = sup_arena_alloc(arena, count, sizeof *settings);
    if (!settings) return fail_memory();
    for (uint32_t i = 0; i < count; i++) settings[i] = options_nth(o, FLAG_SET, i);
    out->links = options_text(o, FLAG_DEFORM, NULL);
    out->settings = settings;
    out->setting_count = count;
    out->read_text = read_text;

    double step = 0.0;
    if (!options_number(o, FLAG_STEP, 0.1, 100.0, 0.0, &step)) return EXIT_USAGE;
    out->step = step / 1000.0; // 0: the step that the links ask for

    const char* preset = options_text(o, FLAG_PRESET, NULL);
    const char* world = options_text(o, FLAG_WORLD, NULL);
    if (preset) {
        int code = read_json(preset, arena, &out->preset);
        if (code != EXIT_DONE) return code;
        // A preset may name its world, relative to itself.
        const char* named = sup_json_string(sup_json_get(out->preset, "world"), NULL);
        if (!world && named) world = path_beside(preset, named, arena);
        if (named && !world) return fail_memory();
    }
    if (!world) return EXIT_DONE;
    int code = read_json(world, arena, &out->world);
    return code == EXIT_DONE ? world_meshes_load(world, arena, out) : code;
}

int pool_make(const options* o, sup_pool** out)
{
    double threads = 0.0;
    if (!options_number(o, FLAG_THREADS, 0, 256, 0, &threads)) return EXIT_USAGE;
    if (threads != floor(threads)) {
        report_error("--threads needs a whole number; 0 is one per core");
        return EXIT_USAGE;
    }
    *out = sup_pool_create((uint32_t)threads);
    if (!*out) report_warning("no worker threads could be started; the result is the same, only slower");
    return EXIT_DONE;
}
