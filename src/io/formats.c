// The list of formats, and reading by name: the one place that knows endings and "builtin:".
#include "base/internal.h"
#include "io/caches/sequence.h"
#include "io/elsewhere.h"
#include "io/path.h"
#include "io/recognize.h"
#include "supple/io.h"

#include <string.h>

#define SUP_FILE_FORMAT(name) extern const sup_file_format sup_format_##name;
#include "io/formats.def"
#undef SUP_FILE_FORMAT

#define SUP_FILE_FORMAT(name) &sup_format_##name,
static const sup_file_format* const formats[] = {
#include "io/formats.def"
};
#undef SUP_FILE_FORMAT

// Fewer points do not make a body; more do not fit an ordinary machine's memory while they are made.
enum { BUILTIN_POINTS_MIN = 100, BUILTIN_POINTS_MAX = 2000000 };

uint32_t sup_format_count(void) { return SUP_COUNT_OF(formats); }

const sup_file_format* sup_format_at(uint32_t index)
{
    SUP_ASSERT(index < SUP_COUNT_OF(formats));
    return formats[index];
}

static const sup_file_format* find_format(const char* path, const sup_extra* extra)
{
    for (uint32_t f = 0; f < SUP_COUNT_OF(formats); ++f)
        if (sup_path_ends_in(path, formats[f]->endings)) return formats[f];
    for (uint32_t f = 0; extra && f < extra->format_count; ++f)
        if (sup_path_ends_in(path, extra->formats[f]->endings)) return extra->formats[f];
    return NULL;
}

const sup_file_format* sup_format_for(const char* path)
{
    SUP_ASSERT(path);
    return find_format(path, NULL);
}

// Appends the readable endings of a format, as " .glb .gltf .obj". Returns the length so far.
static size_t list_endings(const sup_file_format* format, char* list, size_t size, size_t at)
{
    for (const char* word = format->read ? format->endings : ""; *word;) {
        size_t n = strcspn(word, " ");
        if (at < size) at += sup_format(list + at, size - at, " .%.*s", (int)n, word);
        word += n;
        word += *word == ' ';
    }
    return at;
}

static sup_result fail_ending(const char* path, const sup_extra* extra, sup_error* error)
{
    char        list[700] = "";
    size_t      at = 0;
    const char* cure = sup_elsewhere_cure(path, false);
    if (cure) return sup_fail(error, SUP_ERROR_INPUT, "'%s' is of a format that cannot be read; %s", path, cure);
    for (uint32_t f = 0; f < SUP_COUNT_OF(formats); ++f) at = list_endings(formats[f], list, sizeof list, at);
    for (uint32_t f = 0; extra && f < extra->format_count; ++f) at = list_endings(extra->formats[f], list, sizeof list, at);
    return sup_fail(error, SUP_ERROR_INPUT, "the ending of '%s' is unknown; these are read:%s, and builtin:NAME",
                    path, list);
}

// "NAME" or "NAME?points=N".
static sup_result load_builtin(const char* words, const sup_load_options* options, sup_character** out, sup_error* error)
{
    static const char key[] = "points=";
    char              name[64];
    uint64_t          points = 0;
    size_t            length = strcspn(words, "?");
    sup_format(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), words);
    if (words[length] == '?') {
        const char* query = words + length + 1;
        if (strncmp(query, key, sizeof key - 1) != 0)
            return sup_fail(error, SUP_ERROR_INPUT, "builtin:%s does not know '%s'; write builtin:%s?points=N", name, query,
                            name);
        const char* digit = query + sizeof key - 1;
        bool        whole = *digit != 0;
        for (; *digit && whole; ++digit) {
            whole = *digit >= '0' && *digit <= '9';
            if (whole && points <= BUILTIN_POINTS_MAX) points = points * 10 + (uint64_t)(*digit - '0');
        }
        if (!whole || points < BUILTIN_POINTS_MIN || points > BUILTIN_POINTS_MAX)
            return sup_fail(error, SUP_ERROR_INPUT, "builtin:%s?%s: points must be a whole number from %d to %d", name, query,
                            BUILTIN_POINTS_MIN, BUILTIN_POINTS_MAX);
    }
    sup_character* character = NULL;
    sup_result     result = sup_builtin_create(name, (uint32_t)points, options->allocator, &character, error);
    if (result != SUP_OK) return result;
    if (options->unit > 0) {
        character->metres_per_unit = options->unit;
        character->unit_assumed = false;
    }
    if (sup_up_given(options->up)) {
        character->up = sup_up_axis(options->up);
        character->up_assumed = false;
    }
    *out = character;
    return SUP_OK;
}

// Content comes before the name.
static const sup_file_format* recognize(sup_bytes bytes, const sup_extra* extra)
{
    for (uint32_t f = 0; f < SUP_COUNT_OF(formats); ++f)
        if (formats[f]->recognize && formats[f]->recognize(bytes)) return formats[f];
    for (uint32_t f = 0; extra && f < extra->format_count; ++f)
        if (extra->formats[f]->recognize && extra->formats[f]->recognize(bytes)) return extra->formats[f];
    return NULL;
}

static bool is_own(const sup_file_format* format)
{
    for (uint32_t f = 0; f < SUP_COUNT_OF(formats); ++f)
        if (formats[f] == format) return true;
    return false;
}

// By content, then by name. `misnamed` is set if the name contradicts the content.
static sup_result choose_format(const sup_read_input* in, const sup_file_format** out, bool* misnamed, sup_error* error)
{
    const sup_file_format* named = find_format(in->path, in->extra);
    const sup_file_format* format = recognize(in->bytes, in->extra);
    bool                   packed = named && !is_own(named);
    const char*            why = format ? NULL : sup_no_character(in->bytes, packed);
    if (why) return sup_fail(error, SUP_ERROR_INPUT, "'%s' is not a character: %s", in->path, why);
    // An OBJ is recognized by a word or two, and formats of assimp are text as well: there the name wins.
    if (format && named && named != format && !is_own(named) && strcmp(format->name, "obj") == 0) format = named;
    *misnamed = format && format != named;
    *out = format ? format : named;
    if (*out && (*out)->read) return SUP_OK;
    if (named && !named->read && !sup_elsewhere_cure(in->path, false))
        return sup_fail(error, SUP_ERROR_INPUT, "'%s' holds no character: %s; name the file with the mesh", in->path,
                        named->summary);
    return fail_ending(in->path, in->extra, error);
}

// Prepends a warning about the name to the reader's own.
static void warn_of_name(const char* path, const sup_file_format* format, sup_character* character)
{
    char         text[300];
    const char** all = SUP_NEW(character->arena, const char*, (size_t)character->warning_count + 1);
    sup_format(text, sizeof text, "'%.100s' has another ending, but its contents are %.*s: it is read as that",
               path + sup_path_folder(path), (int)strcspn(format->summary, ",:"), format->summary);
    char* line = sup_arena_text(character->arena, text, strlen(text));
    if (!all || !line) return; // the character is valid without the warning
    for (uint32_t i = 0; i < character->warning_count; ++i) all[i] = character->warnings[i];
    all[character->warning_count] = line;
    character->warnings = all;
    character->warning_count++;
}

// A file that assimp would read, in a program that was built without it.
static bool lacks_assimp(const char* path, const sup_extra* extra)
{
    return extra && extra->format_count == 0 && sup_path_ends_in(path, "fbx dae blend 3ds x lwo ms3d b3d stl off");
}

static sup_result load_file(const char* path, const sup_load_options* options, sup_character** out, sup_error* error)
{
    const sup_files* files = options->files;
    if (!files) files = sup_files_system();
    if (files && sup_sequence_named(path, files, options->allocator))
        return sup_sequence_load(path, files, options, out, error);
    const sup_file_format* format = find_format(path, options->extra);
    if (!files) return sup_fail(error, SUP_ERROR_FILE, "cannot read '%s': this program has no access to files", path);

    sup_arena* arena = sup_arena_create(options->allocator);
    if (!arena) return sup_fail_memory(error, path);
    sup_read_input in = { .path = path,
                          .files = files,
                          .unit = options->unit,
                          .up = options->up,
                          .allocator = options->allocator,
                          .arena = arena,
                          .extra = options->extra,
                          .meshes = options->meshes,
                          .mesh_count = options->mesh_count,
                          .dress = options->dress,
                          .dress_count = options->dress_count,
                          .progress = options->progress,
                          .wait = options->wait };
    bool           misnamed = false;
    sup_result     result = files->read(files->user, path, arena, &in.bytes, error);
    if (result == SUP_ERROR_FILE && (!format || (!format->read && sup_elsewhere_cure(path, false))))
        result = fail_ending(path, options->extra, error);
    if (result == SUP_OK && !format && lacks_assimp(path, options->extra))
        result = sup_fail(error, SUP_ERROR_INPUT,
                          "cannot read '%s': this build has no assimp, which reads such files; convert it to .glb, or use a "
                          "build that has it",
                          path);
    if (result == SUP_OK) result = choose_format(&in, &format, &misnamed, error);
    if (result == SUP_OK) result = format->read(&in, out, error);
    if (result != SUP_OK) sup_path_name(path, error);
    else if (misnamed) warn_of_name(path, format, *out);
    sup_arena_destroy(arena);
    return result;
}

// Formats with a single mesh cannot select one; a user who names another mesh gets an error.
static sup_result check_choice(const sup_load_options* options, const sup_character* character, sup_error* error)
{
    const sup_mesh* mesh = &character->mesh;
    if (options->dress_count)
        return sup_fail(error, SUP_ERROR_INPUT,
                        "'%s' cannot take --dress '%s': only files with other meshes beside a skinned one can",
                        character->name, options->dress[0]);
    for (uint32_t p = 0; options->mesh_count && p < mesh->part_count; ++p) {
        bool wanted = false;
        for (uint32_t i = 0; i < options->mesh_count; ++i) wanted |= sup_glob_match(options->meshes[i], mesh->parts[p].name);
        if (!wanted)
            return sup_fail(error, SUP_ERROR_INPUT, "'%s' cannot be limited to mesh '%s': it is read whole, as mesh '%s'",
                            character->name, options->meshes[0], mesh->parts[p].name);
    }
    return SUP_OK;
}

sup_result sup_load(const char* path, const sup_load_options* options, sup_character** out, sup_error* error)
{
    SUP_ASSERT(path && out);
    static const char             builtin[] = "builtin:";
    static const sup_load_options standard = { 0 };
    if (!options) options = &standard;
    bool           built = strncmp(path, builtin, sizeof builtin - 1) == 0;
    sup_character* character = NULL;
    sup_result     result = built ? load_builtin(path + sizeof builtin - 1, options, &character, error)
                                  : load_file(path, options, &character, error);
    if (result == SUP_OK && !(character->source_format && strcmp(character->source_format, "gltf") == 0))
        result = check_choice(options, character, error);
    // Built-in characters, and files whose unit the user gives, have the size they claim.
    if (result == SUP_OK && !built && !(options->unit > 0)) result = sup_size_judge(character, options->allocator, error);
    if (result == SUP_OK) *out = character;
    else sup_character_destroy(character);
    return result;
}
