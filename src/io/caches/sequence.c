// Sequences of OBJ or PLY files as clips of points. Each frame is a morph target, and the clip interpolates linearly from one
// to the next, so that everything that plays a character plays a sequence.
#include "io/caches/sequence.h"

#include "base/internal.h"
#include "base/sort.h"
#include "io/path.h"
#include "math/vec.h"

enum { FRAMES_MAX = 10000, DIGITS_MAX = 18 };

typedef struct frame_name {
    const char* name;
    size_t      prefix; // characters before the number
    uint64_t    number;
    const char* ending; // with its dot
} frame_name;

typedef struct sequence {
    const char*             path;
    const char*             folder;  // with its slash, or empty
    const char*             pattern; // of file names; NULL: a folder was named
    const sup_files*        files;
    const sup_load_options* options;
    sup_error*              error;
    sup_arena*              work;
    frame_name*             frames;
    uint32_t                frame_count;
    const char*             unnumbered; // the first file that matches but has no number; NULL: none
    uint32_t                unnumbered_count;
    const char*             name;

    sup_character*  first;
    sup_morph_desc* morphs;
} sequence;

// ---------------------------------------------------------------------------------------------- names

static bool is_digit(char c) { return (unsigned char)(c - '0') < 10; }

// The length of "%d" or "%04d" at the start of the text; 0: none.
static size_t printf_length(const char* text)
{
    size_t i = 1;
    if (text[0] != '%') return 0;
    while (is_digit(text[i])) ++i;
    return text[i] == 'd' ? i + 1 : 0;
}

static bool is_pattern(const char* name)
{
    for (; *name; ++name)
        if (*name == '#' || *name == '*' || *name == '?' || printf_length(name)) return true;
    return false;
}

// Matches like a glob, with #### and %04d for a number: its width must be met, and only numbers that need more digits exceed
// it.
static bool matches(const char* pattern, const char* name)
{
    for (; *pattern; ++name) {
        size_t hashes = strspn(pattern, "#"), directive = printf_length(pattern);
        if (hashes || directive) {
            size_t least = hashes, digits = 0;
            for (size_t i = 1; i + 1 < directive; ++i) least = least * 10 + (size_t)(pattern[i] - '0');
            while (is_digit(name[digits])) ++digits;
            if (digits == 0 || digits < least || (least && digits > least && name[0] == '0')) return false;
            return matches(pattern + hashes + directive, name + digits);
        }
        if (*pattern == '*') {
            for (;; ++name) {
                if (matches(pattern + 1, name)) return true;
                if (!*name) return false;
            }
        }
        if (!*name || (*pattern != '?' && *pattern != *name)) return false;
        ++pattern;
    }
    return !*name;
}

static bool read_name(const char* name, frame_name* out)
{
    const char* dot = strrchr(name, '.');
    size_t      end = (size_t)(dot - name), begin = end;
    while (begin > 0 && is_digit(name[begin - 1])) --begin;
    *out = (frame_name){ .name = name, .prefix = begin, .ending = dot };
    for (size_t i = end - begin > DIGITS_MAX ? end - DIGITS_MAX : begin; i < end; ++i)
        out->number = out->number * 10 + (uint64_t)(name[i] - '0');
    return begin < end;
}

// Formats that keep vertex order and contain no clips.
static const sup_file_format* frame_format(const char* name)
{
    const sup_file_format* format = sup_format_for(name);
    return format && (strcmp(format->name, "obj") == 0 || strcmp(format->name, "ply") == 0) ? format : NULL;
}

static sup_result collect(sequence* s, const char* const* names, uint32_t count)
{
    s->frames = SUP_NEW(s->work, frame_name, count);
    if (!s->frames) return sup_fail_memory(s->error, "a sequence");
    for (uint32_t i = 0; i < count; ++i) {
        if (names[i][0] == '.' || !frame_format(names[i])) continue;
        if (s->pattern && !matches(s->pattern, names[i])) continue;
        if (read_name(names[i], &s->frames[s->frame_count])) {
            s->frame_count++;
        } else if (!s->unnumbered_count++ || strcmp(names[i], s->unnumbered) < 0) {
            s->unnumbered = names[i];
        }
    }
    if (s->frame_count < 2)
        return sup_fail(
            s->error, SUP_ERROR_INPUT,
            "'%s' is not a sequence: it needs at least two .obj or .ply files whose names end in numbers, and there "
            "%s %u; name a file to read it alone",
            s->path, s->frame_count == 1 ? "is" : "are", s->frame_count);
    if (s->frame_count > FRAMES_MAX)
        return sup_fail(s->error, SUP_ERROR_INPUT, "'%s' are %u files; a sequence has at most %d, so name some of them",
                        s->path, s->frame_count, FRAMES_MAX);
    return SUP_OK;
}

static bool same_series(const frame_name* a, const frame_name* b)
{
    return a->prefix == b->prefix && memcmp(a->name, b->name, a->prefix) == 0 && strcmp(a->ending, b->ending) == 0;
}

static sup_result order(sequence* s)
{
    sup_sort_item* items = SUP_NEW(s->work, sup_sort_item, s->frame_count);
    sup_sort_item* spare = SUP_NEW(s->work, sup_sort_item, s->frame_count);
    frame_name*    sorted = SUP_NEW(s->work, frame_name, s->frame_count);
    if (!items || !spare || !sorted) return sup_fail_memory(s->error, "a sequence");
    for (uint32_t i = 0; i < s->frame_count; ++i) {
        if (!same_series(&s->frames[0], &s->frames[i]))
            return sup_fail(s->error, SUP_ERROR_INPUT,
                            "'%s' holds more than one series ('%s' and '%s'); name one, like '%s%.*s*%s'", s->path,
                            s->frames[0].name, s->frames[i].name, s->folder, (int)s->frames[0].prefix, s->frames[0].name,
                            s->frames[0].ending);
        items[i] = (sup_sort_item){ s->frames[i].number, i };
    }
    sup_sort(items, spare, s->frame_count);
    for (uint32_t i = 0; i < s->frame_count; ++i) {
        sorted[i] = s->frames[items[i].value];
        if (i && sorted[i].number == sorted[i - 1].number)
            return sup_fail(s->error, SUP_ERROR_INPUT, "'%s%s' and '%s' have the same number; remove one", s->folder,
                            sorted[i].name, sorted[i - 1].name);
    }
    s->frames = sorted;
    return SUP_OK;
}

// What the file names share apart from their number, or the folder if that is nothing.
static sup_result choose_name(sequence* s)
{
    const char* text = s->frames[0].name;
    size_t      length = s->pattern ? s->frames[0].prefix : 0;
    while (length && strchr("_-. ", text[length - 1])) --length;
    if (length == 0) {
        text = s->folder;
        length = strlen(text);
        while (length && (text[length - 1] == '/' || text[length - 1] == '\\')) --length;
        size_t begin = length;
        while (begin && text[begin - 1] != '/' && text[begin - 1] != '\\') --begin;
        text += begin;
        length -= begin;
        if (length == 0 || strspn(text, ".") >= length) text = "sequence", length = strlen(text);
    }
    s->name = sup_arena_text(s->work, text, length);
    return s->name ? SUP_OK : sup_fail_memory(s->error, "a name");
}

// Folder and pattern of a path.
static bool split(sequence* s, sup_arena* arena)
{
    size_t folder = sup_path_folder(s->path), length = strlen(s->path);
    if (is_pattern(s->path + folder)) {
        s->pattern = s->path + folder;
        s->folder = sup_arena_text(arena, s->path, folder);
        return s->folder != NULL;
    }
    char* text = SUP_NEW(arena, char, length + 2);
    if (!text) return false;
    memcpy(text, s->path, length);
    if (length && folder != length) text[length] = '/';
    s->folder = text;
    return true;
}

bool sup_sequence_named(const char* path, const sup_files* files, const sup_allocator* allocator)
{
    sequence s = { .path = path };
    size_t   folder = sup_path_folder(path);
    if (!files->list || (!is_pattern(path + folder) && sup_format_for(path))) return false;
    sup_arena*   arena = sup_arena_create(allocator);
    const char** names = NULL;
    uint32_t     count = 0;
    bool         named = arena && split(&s, arena) && files->list(files->user, s.folder, arena, &names, &count, NULL) == SUP_OK;
    for (uint32_t i = 0; named && s.pattern && i < count; ++i) named = strcmp(names[i], s.pattern) != 0;
    sup_arena_destroy(arena);
    return named;
}

// ---------------------------------------------------------------------------------------------- frames

static sup_result read_frame(sequence* s, uint32_t index, sup_character** out)
{
    const char* name = s->frames[index].name;
    size_t      folder = strlen(s->folder), length = strlen(name);
    char*       path = SUP_NEW(s->work, char, folder + length + 1);
    if (!path) return sup_fail_memory(s->error, "a name");
    memcpy(path, s->folder, folder);
    memcpy(path + folder, name, length);
    sup_load_options plain = {
        .unit = s->options->unit, .up = s->options->up, .files = s->files, .allocator = s->options->allocator
    };
    return sup_load(path, &plain, out, s->error);
}

static sup_result compare_topology(sequence* s, uint32_t index, const sup_mesh* mesh)
{
    const sup_mesh* first = &s->first->mesh;
    const char *    name = s->frames[index].name, *other = s->frames[0].name;
    if (mesh->vertex_count != first->vertex_count)
        return sup_fail(s->error, SUP_ERROR_INPUT,
                        "'%s%s' has %u vertices but '%s' has %u; the files of a sequence share one mesh", s->folder, name,
                        mesh->vertex_count, other, first->vertex_count);
    if (mesh->face_count != first->face_count)
        return sup_fail(s->error, SUP_ERROR_INPUT,
                        "'%s%s' has %u faces but '%s' has %u; the files of a sequence share one mesh", s->folder, name,
                        mesh->face_count, other, first->face_count);
    for (uint32_t f = 0; f < mesh->face_count; ++f) {
        uint32_t begin = mesh->face_begin[f], size = mesh->face_begin[f + 1] - begin;
        if (begin != first->face_begin[f] || size != first->face_begin[f + 1] - begin ||
            memcmp(mesh->corner_vertices + begin, first->corner_vertices + begin, size * sizeof(uint32_t)) != 0)
            return sup_fail(s->error, SUP_ERROR_INPUT,
                            "face %u of '%s%s' has other vertices than in '%s'; the files of a sequence share one mesh", f,
                            s->folder, name, other);
    }
    return SUP_OK;
}

static sup_result read_frames(sequence* s)
{
    s->morphs = SUP_NEW(s->work, sup_morph_desc, s->frame_count - 1);
    if (!s->morphs) return sup_fail_memory(s->error, "a sequence");
    sup_result result = read_frame(s, 0, &s->first);
    for (uint32_t i = 1; result == SUP_OK && i < s->frame_count; ++i) {
        sup_character* frame = NULL;
        result = read_frame(s, i, &frame);
        if (result == SUP_OK) result = compare_topology(s, i, &frame->mesh);
        sup_vec3* deltas = result == SUP_OK ? SUP_NEW(s->work, sup_vec3, frame->mesh.vertex_count) : NULL;
        if (result == SUP_OK && !deltas) result = sup_fail_memory(s->error, "a sequence");
        for (uint32_t v = 0; result == SUP_OK && v < frame->mesh.vertex_count; ++v)
            deltas[v] = v3_sub(frame->mesh.points[v], s->first->mesh.points[v]);
        s->morphs[i - 1] = (sup_morph_desc){ .name = s->frames[i].name, .deltas = deltas };
        sup_character_destroy(frame);
    }
    return result;
}

// Every key is one target fully on; the first is the rest shape, all off.
static sup_result make_clip(sequence* s, sup_channel* channel, sup_clip* clip)
{
    double   fps = s->options->fps > 0 ? s->options->fps : 30;
    uint32_t width = s->frame_count - 1;
    float*   times = SUP_NEW(s->work, float, s->frame_count);
    float*   values = SUP_NEW(s->work, float, (size_t)s->frame_count* width);
    if (!times || !values) return sup_fail_memory(s->error, "a sequence");
    for (uint32_t i = 0; i < s->frame_count; ++i) {
        times[i] = (float)(i / fps);
        if (i) values[(size_t)i * width + i - 1] = 1;
    }
    *channel = (sup_channel){ .path = SUP_PATH_WEIGHTS,
                              .interpolation = SUP_INTERPOLATE_LINEAR,
                              .key_count = s->frame_count,
                              .width = width,
                              .times = times,
                              .values = values };
    *clip = (sup_clip){ .name = s->name, .channel_count = 1, .channels = channel, .source_id = SUP_NONE };
    return SUP_OK;
}

static sup_result create(sequence* s, sup_character** out)
{
    const sup_character* first = s->first;
    const sup_mesh*      mesh = &first->mesh;
    sup_channel          channel;
    sup_clip             clip;
    uint32_t*            sizes = SUP_NEW(s->work, uint32_t, mesh->face_count);
    sup_map_desc*        maps = SUP_NEW(s->work, sup_map_desc, first->map_count);
    if (!sizes || !maps) return sup_fail_memory(s->error, "a sequence");
    sup_result result = make_clip(s, &channel, &clip);
    if (result != SUP_OK) return result;
    for (uint32_t f = 0; f < mesh->face_count; ++f) sizes[f] = mesh->face_begin[f + 1] - mesh->face_begin[f];
    for (uint32_t m = 0; m < first->map_count; ++m) maps[m] = (sup_map_desc){ first->maps[m].name, first->maps[m].values };
    char        text[200];
    const char* warning = text;
    bool        one = s->unnumbered_count == 1;
    sup_format(text, sizeof text, "%u %s no number at the end of the name and %s left out ('%.60s')", s->unnumbered_count,
               one ? "file has" : "files have", one ? "is" : "are", s->unnumbered ? s->unnumbered : "");
    sup_part_desc      part = { .name = s->name,
                                .vertex_count = mesh->vertex_count,
                                .positions = mesh->points,
                                .normals = mesh->vertex_normals,
                                .face_count = mesh->face_count,
                                .face_sizes = sizes,
                                .corners = mesh->corner_vertices,
                                .joint = SUP_NONE,
                                .source_id = SUP_NONE,
                                .morph_count = s->frame_count - 1,
                                .morphs = s->morphs,
                                .map_count = first->map_count,
                                .maps = maps };
    sup_character_desc desc = { .name = s->name,
                                .part_count = 1,
                                .parts = &part,
                                .clip_count = 1,
                                .clips = &clip,
                                .metres_per_unit = first->metres_per_unit,
                                .unit_assumed = first->unit_assumed,
                                .up = first->up,
                                .up_assumed = first->up_assumed,
                                .warning_count = s->unnumbered_count > 0,
                                .warnings = &warning,
                                .progress = s->options->progress };
    return sup_character_create(&desc, s->options->allocator, out, s->error);
}

sup_result sup_sequence_load(const char* path, const sup_files* files, const sup_load_options* options, sup_character** out,
                             sup_error* error)
{
    sequence     s = { .path = path, .files = files, .options = options, .error = error };
    const char** names = NULL;
    uint32_t     count = 0;
    s.work = sup_arena_create(options->allocator);
    sup_result result = s.work && split(&s, s.work) ? SUP_OK : sup_fail_memory(error, "a sequence");
    if (result == SUP_OK) result = files->list(files->user, s.folder, s.work, &names, &count, error);
    if (result == SUP_OK) result = collect(&s, names, count);
    if (result == SUP_OK) result = order(&s);
    if (result == SUP_OK) result = choose_name(&s);
    if (result == SUP_OK) result = read_frames(&s);
    if (result == SUP_OK) result = create(&s, out);
    // Materials and texture coordinates are those of the first file.
    if (result == SUP_OK) sup_character_inherit(*out, s.first);
    else sup_character_destroy(s.first);
    sup_arena_destroy(s.work);
    return result;
}
