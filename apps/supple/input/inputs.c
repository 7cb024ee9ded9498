// Refuses outputs that would replace an input, unless --overwrite is given.
#include "inputs.h"

#include "identity.h"
#include "report/partner_report.h"
#include "report/report.h"
#include "system/system.h"

#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------- what was read

static char* strdup_path(const char* path)
{
    char real[4096];
    path_resolve(path, real, sizeof real);
    char* copy = malloc(strlen(real) + 1);
    return copy ? strcpy(copy, real) : NULL;
}

static void remember(inputs* in, const char* path, const sup_bytes* bytes)
{
    path_info info;
    if (path_look(path, &info) != 0) return;
    if (in->count == in->capacity) {
        uint32_t            capacity = in->capacity ? 2 * in->capacity : 32;
        struct input_place* more = realloc(in->places, capacity * sizeof *more);
        if (!more) {
            in->failed = true;
            return;
        }
        in->places = more;
        in->capacity = capacity;
    }
    struct input_place* place = &in->places[in->count++];
    *place = (struct input_place){ .place = { info.place[0], info.place[1] } };
    if (!in->track) return;
    place->hash = sup_hash(SUP_HASH_START, bytes->data, bytes->size);
    place->path = strdup_path(path);
    in->failed |= !place->path;
}

static sup_result read_and_remember(void* user, const char* path, sup_arena* arena, sup_bytes* out, sup_error* error)
{
    const sup_files* files = sup_files_system();
    sup_result       result = files->read(files->user, path, arena, out, error);
    if (result == SUP_OK) remember(user, path, out);
    return result;
}

static sup_result read_below(void* user, const char* path, size_t folder, sup_arena* arena, sup_bytes* out, sup_error* error)
{
    const sup_files* files = sup_files_system();
    sup_result       result = files->read_below(files->user, path, folder, arena, out, error);
    if (result == SUP_OK) remember(user, path, out);
    return result;
}

void inputs_begin(inputs* in)
{
    *in = (inputs){ .files = *sup_files_system() };
    in->files.read = read_and_remember;
    in->files.read_below = read_below;
    in->files.user = in;
}

void inputs_free(inputs* in)
{
    partners_free(in->partners);
    for (uint32_t i = 0; i < in->count; i++) free(in->places[i].path);
    free(in->places);
}

bool inputs_hold(void* user, const char* path)
{
    const inputs* in = user;
    path_info     info;
    if (path_look(path, &info) != 0) return false;
    for (uint32_t i = 0; i < in->count; i++)
        if (memcmp(in->places[i].place, info.place, sizeof info.place) == 0) return true;
    return in->failed; // refuse rather than lose a file
}

// ---------------------------------------------------------------------------------------------- outputs

enum { OUTPUTS_FIRST = -1 }; // the word, then the flags

static bool is_output(flag_id id) { return id == FLAG_HTML || id == FLAG_SAVE || id == FLAG_WRITE; }

// The path within 'NAME=FILE' or 'FILE'.
static const char* path_of(const given_flag* f)
{
    const char* sign = f->value ? strchr(f->value, '=') : NULL;
    return sign ? sign + 1 : f->value;
}

static uint32_t output_words(const options* o) { return strstr(o->verb->words, "OUT") && o->word_count > 1; }

// The output with that number, NULL if there is none.
static const char* output_at(const options* o, int index)
{
    if (index == OUTPUTS_FIRST) return output_words(o) ? o->words[o->word_count - 1] : NULL;
    return is_output(o->flags[index].id) ? path_of(&o->flags[index]) : NULL;
}

static bool same_file(const path_info* a, const char* path)
{
    path_info b;
    return path && path_look(path, &b) == 0 && b.kind == PATH_FILE && path_same(a, &b);
}

// 'FILE#MESH' names a mesh in FILE.
static bool same_file_or_part(const path_info* a, const char* path)
{
    char        file[4096];
    const char* sign = path ? strrchr(path, '#') : NULL;
    size_t      length = sign ? (size_t)(sign - path) : 0;
    if (same_file(a, path)) return true;
    if (!length || length >= sizeof file) return false;
    memcpy(file, path, length);
    file[length] = 0;
    return same_file(a, file);
}

static bool named_as_input(const options* o, const char* output)
{
    path_info info;
    bool      found = false;
    if (path_look(output, &info) != 0) return false;
    for (uint32_t i = 0; i + output_words(o) < o->word_count; i++) found |= same_file(&info, o->words[i]);
    for (uint32_t i = 0; i < o->flag_count; i++)
        if (!is_output(o->flags[i].id))
            found |= same_file_or_part(&info, o->flags[i].value) || same_file_or_part(&info, path_of(&o->flags[i]));
    return found;
}

bool inputs_need(const options* o, const char* output)
{
    return !options_has(o, FLAG_OVERWRITE) && (named_as_input(o, output) || inputs_hold(o->inputs, output));
}

static int refuse(const char* output)
{
    report_error("'%s' is an input file, and it would be replaced; choose another name, or add --overwrite", output);
    return EXIT_FAILED;
}

int inputs_check_words(const options* o)
{
    for (int i = OUTPUTS_FIRST; i < (int)o->flag_count && !options_has(o, FLAG_OVERWRITE); i++) {
        const char* output = output_at(o, i);
        if (output && named_as_input(o, output)) return refuse(output);
    }
    return EXIT_DONE;
}

int inputs_check_read(const options* o)
{
    for (int i = OUTPUTS_FIRST; i < (int)o->flag_count && !options_has(o, FLAG_OVERWRITE); i++) {
        const char* output = output_at(o, i);
        if (output && inputs_hold(o->inputs, output)) return refuse(output);
    }
    return EXIT_DONE;
}
