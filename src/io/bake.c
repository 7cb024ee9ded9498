// The frame of every bake: picks the format, keeps the file beside its target, and counts frames.
#include "io/bake.h"

#include "base/internal.h"
#include "base/parts.h"
#include "io/elsewhere.h"
#include "io/path.h"
#include "io/vat/vat.h"
#include "math/vec.h"

#include <math.h>
#include <string.h>

enum { WARNING_MAX = 1024, SPILL_ROOM = 1 << 16 };

typedef struct sup_bake_file {
    sup_out_file*         file;
    bool                  keep;
    struct sup_bake_file* next;
} sup_bake_file;

static const char* written_endings(const sup_file_format* format)
{
    if (!format->bake_begin) return "";
    return format->bake_endings ? format->bake_endings : format->endings;
}

// ".glb, .obj": the endings that an output may have.
static void list_endings(char* text, size_t size)
{
    size_t at = 0;
    text[0] = 0;
    for (uint32_t i = 0; i < sup_format_count(); ++i) {
        for (const char* word = written_endings(sup_format_at(i)); *word;) {
            size_t length = strcspn(word, " ");
            if (at < size) at += sup_format(text + at, size - at, "%s.%.*s", at ? ", " : "", (int)length, word);
            word += length + strspn(word + length, " ");
        }
    }
}

static sup_result find_format(const char* path, const sup_file_format** out, sup_error* error)
{
    char        list[256];
    const char* ending = sup_path_ending(path);
    for (uint32_t i = 0; i < sup_format_count(); ++i) {
        if (!sup_path_ends_in(path, written_endings(sup_format_at(i)))) continue;
        *out = sup_format_at(i);
        return SUP_OK;
    }
    list_endings(list, sizeof list);
    if (sup_out_is_directory(path))
        return sup_fail(error, SUP_ERROR_FILE, "cannot write '%s': it is a directory; give a file name inside it, ending in %s",
                        path, list);
    if (!*ending)
        return sup_fail(error, SUP_ERROR_INPUT,
                        "cannot write '%s': the name has no ending that gives the format; those that can be written are %s",
                        path, list);
    if (sup_format_for(path))
        return sup_fail(error, SUP_ERROR_INPUT,
                        "cannot write '%s': .%s files can be read but not baked to; those that can be written end in %s", path,
                        ending, list);
    if (sup_elsewhere_cure(path, true))
        return sup_fail(error, SUP_ERROR_INPUT, "cannot write '%s': .%s files cannot be written; %s", path, ending,
                        sup_elsewhere_cure(path, true));
    return sup_fail(error, SUP_ERROR_INPUT,
                    "cannot write '%s': the ending '.%s' is not known; those that can be written are %s", path, ending, list);
}

static sup_result check_desc(const sup_bake_desc* desc, sup_error* error)
{
    SUP_ASSERT(desc->path && desc->character && desc->frame_count > 0);
    if (!(desc->fps > 0) || !isfinite(desc->fps))
        return sup_fail(error, SUP_ERROR_INPUT, "a bake needs a positive number of frames per second, not %g", desc->fps);
    if (!(desc->start >= 0) || !isfinite(desc->start))
        return sup_fail(error, SUP_ERROR_INPUT, "a bake cannot start at %g seconds; clips run from 0", desc->start);
    if (!isfinite(desc->end)) return sup_fail(error, SUP_ERROR_INPUT, "a bake cannot end at %g seconds", desc->end);
    return SUP_OK;
}

// Key times are floats; frames are counted with this slack.
static bool is_all(const sup_bake_desc* desc, double span)
{
    double slack = 1e-6 / desc->fps + 0x1p-23 * desc->clip->seconds;
    return desc->start == 0 && span >= desc->clip->seconds - slack;
}

double sup_bake_clip_end(const sup_bake* bake)
{
    double end = bake->desc.start + bake->span;
    return bake->desc.still > 0 && bake->desc.still < end ? bake->desc.still : end;
}

static sup_result cut_clip(sup_bake* bake, sup_error* error)
{
    const sup_bake_desc* desc = &bake->desc;
    double               frames = (desc->frame_count - 1) / desc->fps, asked = desc->end - desc->start;
    bake->span = asked > frames ? asked : frames;
    bake->part = desc->clip;
    if (!desc->clip || is_all(desc, sup_bake_clip_end(bake) - desc->start)) return SUP_OK;
    sup_clip* part = SUP_NEW(bake->arena, sup_clip, 1);
    if (!part) return sup_fail_memory(error, "a bake");
    bake->part = part;
    return sup_clip_cut(desc->clip, desc->start, sup_bake_clip_end(bake), bake->arena, part, error);
}

static bool copy_text(sup_arena* arena, const char** text)
{
    if (!*text) return true;
    *text = sup_arena_text(arena, *text, strlen(*text));
    return *text != NULL;
}

static sup_result check_kept(const sup_bake* bake, const char* path, sup_error* error)
{
    if (!bake->desc.kept || !bake->desc.kept(bake->desc.kept_user, path)) return SUP_OK;
    return sup_fail(error, SUP_ERROR_INPUT,
                    "'%s' is an input file, and the bake would replace it; choose another name, or add --overwrite", path);
}

static sup_result open_file(sup_bake* bake, const char* path, void* buffer, size_t capacity, sup_out_file** out,
                            sup_error* error)
{
    return bake->in_memory ? sup_out_open_memory(path, bake->arena, out, error)
                           : sup_out_open(path, bake->arena, buffer, capacity, out, error);
}

static sup_result begin(const sup_bake_desc* desc, bool in_memory, const sup_allocator* allocator, sup_bake** out,
                        sup_error* error)
{
    SUP_ASSERT(desc && out);
    sup_result result = check_desc(desc, error);
    if (result != SUP_OK) return result;
    const sup_file_format* format = NULL;
    result = find_format(desc->path, &format, error);
    if (result != SUP_OK) return result;
    if ((desc->vat && !SUP_HAS_TEXTURES) || (desc->budget && !SUP_HAS_BUDGETS))
        return sup_fail(error, SUP_ERROR_INPUT,
                        "this build writes no animation textures and no budgets; use the program for them");
    if (desc->vat && SUP_HAS_TEXTURES) result = sup_vat_choose(desc, &format, error);
    if (result != SUP_OK) return result;
    if (desc->budget && strcmp(format->name, "gltf") != 0)
        return sup_fail(error, SUP_ERROR_INPUT,
                        "'%s' cannot be written within a budget, which applies to morph targets; write a .glb", desc->path);

    sup_arena* arena = sup_arena_create(allocator);
    if (!arena) return sup_fail_memory(error, "a bake");
    sup_bake* bake = SUP_NEW(arena, sup_bake, 1);
    if (bake) {
        *bake =
            (sup_bake){ .desc = *desc, .character = desc->character, .format = format, .arena = arena, .allocator = allocator };
        bake->in_memory = in_memory;
        if (!copy_text(arena, &bake->desc.path) || !copy_text(arena, &bake->desc.name) || !copy_text(arena, &bake->desc.chain))
            bake = NULL;
    }
    if (!bake) {
        sup_arena_destroy(arena);
        return sup_fail_memory(error, "a bake");
    }
    result = cut_clip(bake, error);
    if (result == SUP_OK && !format->bake_files) result = check_kept(bake, desc->path, error);
    if (result == SUP_OK && !format->bake_files) result = open_file(bake, desc->path, NULL, SUP_OUT_ROOM, &bake->file, error);
    if (result == SUP_OK) result = format->bake_begin(bake, error);
    if (result == SUP_OK) *out = bake;
    else sup_bake_destroy(bake);
    return result;
}

sup_result sup_bake_begin(const sup_bake_desc* desc, const sup_allocator* allocator, sup_bake** out, sup_error* error)
{
    return begin(desc, false, allocator, out, error);
}

sup_result sup_bake_begin_memory(const sup_bake_desc* desc, const sup_allocator* allocator, sup_bake** out, sup_error* error)
{
    return begin(desc, true, allocator, out, error);
}

const sup_bake_report* sup_bake_report_get(const sup_bake* bake) { return bake->report; }

bool sup_bake_output(const sup_bake* bake, uint32_t index, const char** name, sup_bytes* out)
{
    SUP_ASSERT(bake->done && bake->in_memory);
    if (bake->file && index-- == 0) return sup_out_bytes(bake->file, name, out), true;
    for (const sup_bake_file* f = bake->files; f; f = f->next)
        if (f->keep && index-- == 0) return sup_out_bytes(f->file, name, out), true;
    return false;
}

// ---------------------------------------------------------------------------------------------- values that are not finite

static bool all_finite(const sup_vec3* v, uint32_t count)
{
    bool finite = true;
    for (uint32_t i = 0; i < count; ++i) finite &= v3_finite(v[i]);
    return finite;
}

// The same policy for every format, applied before all of them: a point that is not finite stays at its rest position and is
// counted. Writers only see finite numbers.
static sup_result make_finite(sup_bake* bake, sup_bake_frame* frame, sup_error* error)
{
    const sup_mesh* mesh = &bake->character->mesh;
    if (all_finite(frame->points, mesh->point_count) && all_finite(frame->vertex_normals, mesh->vertex_count)) return SUP_OK;
    if (!bake->points) bake->points = SUP_NEW(bake->arena, sup_vec3, mesh->point_count);
    if (!bake->normals) bake->normals = SUP_NEW(bake->arena, sup_vec3, mesh->vertex_count);
    if (!bake->points || !bake->normals) return sup_fail_memory(error, "a frame of a bake");
    for (uint32_t i = 0; i < mesh->point_count; ++i) {
        bool good = v3_finite(frame->points[i]);
        bake->points[i] = good ? frame->points[i] : mesh->points[i];
        bake->bad_points += !good;
    }
    for (uint32_t i = 0; i < mesh->vertex_count; ++i) {
        sup_vec3 rest = mesh->vertex_normals ? mesh->vertex_normals[i] : v3(0, 0, 1);
        bake->normals[i] = v3_finite(frame->vertex_normals[i]) ? frame->vertex_normals[i] : rest;
    }
    frame->points = bake->points;
    frame->vertex_normals = bake->normals;
    return SUP_OK;
}

static void note_bad_points(sup_bake* bake)
{
    if (!bake->bad_points) return;
    sup_bake_warn(bake,
                  "%llu baked positions were not finite numbers and are written as in the rest shape; a joint's transform or a "
                  "setting of the chain is too large",
                  (unsigned long long)bake->bad_points);
}

// ---------------------------------------------------------------------------------------------- frames

sup_result sup_bake_frame_write(sup_bake* bake, const sup_bake_frame* given, sup_error* error)
{
    sup_bake_frame        own = *given;
    const sup_bake_frame* frame = &own;
    SUP_ASSERT(!bake->done && frame->index == bake->next_frame && frame->index < bake->desc.frame_count);
    SUP_ASSERT(frame->pose && frame->points && frame->vertex_normals);
    sup_result result = make_finite(bake, &own, error);
    if (result == SUP_OK) result = bake->format->bake_frame(bake, frame, error);
    if (result == SUP_OK) bake->next_frame++;
    return result;
}

static void withdraw_files(sup_bake* bake, const sup_bake_file* end)
{
    for (sup_bake_file* f = bake->files; f != end; f = f->next)
        if (f->keep) sup_out_withdraw(f->file);
}

// First all files are complete on disk, then they are renamed, so that a full disk leaves none of them.
static sup_result commit_files(sup_bake* bake, uint64_t* size, sup_error* error)
{
    if (bake->file) {
        *size += sup_out_size(bake->file);
        sup_result result = sup_out_close(bake->file, error);
        if (result != SUP_OK) return result;
    }
    for (sup_bake_file* f = bake->files; f; f = f->next) {
        if (!f->keep) continue;
        *size += sup_out_size(f->file);
        sup_result result = sup_out_close(f->file, error);
        if (result != SUP_OK) return result;
    }
    for (sup_bake_file* f = bake->files; f; f = f->next) {
        sup_result result = f->keep ? sup_out_commit(f->file, error) : SUP_OK;
        if (result == SUP_OK) continue;
        withdraw_files(bake, f);
        return result;
    }
    sup_result result = bake->file ? sup_out_commit(bake->file, error) : SUP_OK; // committed last, because it names the others
    if (result != SUP_OK) withdraw_files(bake, NULL);
    else if (bake->stale) sup_out_remove(bake->stale);
    return result;
}

sup_result sup_bake_end(sup_bake* bake, uint64_t* bytes, const char** warnings, sup_error* error)
{
    SUP_ASSERT(!bake->done && bake->next_frame == bake->desc.frame_count);
    uint64_t size = 0;
    note_bad_points(bake);
    sup_result result = bake->format->bake_end(bake, error);
    if (result == SUP_OK) result = commit_files(bake, &size, error);
    if (result != SUP_OK) return result;
    bake->done = true;
    if (bytes) *bytes = size;
    if (warnings) *warnings = bake->warnings;
    return SUP_OK;
}

void sup_bake_destroy(sup_bake* bake)
{
    if (!bake) return;
    sup_out_discard(bake->file);
    sup_character_destroy(bake->own);
    for (sup_bake_file* f = bake->files; f; f = f->next) sup_out_discard(f->file);
    sup_arena_destroy(bake->arena);
}

// ---------------------------------------------------------------------------------------------- files of a format

static sup_result add_file(sup_bake* bake, const char* path, void* buffer, size_t capacity, bool keep, sup_out_file** out,
                           sup_error* error)
{
    sup_bake_file* entry = SUP_NEW(bake->arena, sup_bake_file, 1);
    if (!entry) return sup_fail_memory(error, "the output file");
    sup_result result = keep ? check_kept(bake, path, error) : SUP_OK;
    if (result == SUP_OK) result = open_file(bake, path, buffer, capacity, &entry->file, error);
    if (result != SUP_OK) return result;
    entry->keep = keep;
    if (bake->last_file) bake->last_file->next = entry;
    else bake->files = entry;
    bake->last_file = entry;
    *out = entry->file;
    return SUP_OK;
}

sup_result sup_bake_open(sup_bake* bake, const char* path, void* buffer, size_t capacity, sup_out_file** out, sup_error* error)
{
    return add_file(bake, path, buffer, capacity, true, out, error);
}

sup_result sup_bake_spill(sup_bake* bake, sup_out_file** out, sup_error* error)
{
    return add_file(bake, bake->desc.path, NULL, SPILL_ROOM, false, out, error);
}

// The length of the path before the dot of its ending; the ending picks the format, so every bake has one.
static size_t stem_length(const char* path) { return (size_t)(sup_path_ending(path) - path) - 1; }

char* sup_bake_path(sup_bake* bake, const char* words)
{
    const char* path = bake->desc.path;
    size_t      length = strlen(path), more = strlen(words), stem = stem_length(path);
    char*       out = sup_arena_alloc(bake->arena, length + more + 2, 1);
    if (!out) return NULL;
    memcpy(out, path, stem);
    out[stem] = '_';
    for (size_t i = 0; i < more; ++i) {
        unsigned char c = (unsigned char)words[i];
        bool          plain =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c > 127;
        out[stem + 1 + i] = (char)(plain ? c : '_');
    }
    memcpy(out + stem + 1 + more, path + stem, length - stem);
    return out;
}

sup_result sup_bake_rest_normals(sup_bake* bake, const sup_vec3** out, sup_error* error)
{
    const sup_character* character = bake->desc.character;
    const sup_normals*   normals;
    sup_result           result = sup_normals_create(character, bake->arena, &normals, error);
    if (result != SUP_OK) return result;
    sup_vec3* values = SUP_NEW(bake->arena, sup_vec3, character->mesh.vertex_count);
    void*     scratch = sup_arena_alloc(bake->arena, sup_normals_scratch(normals), 1);
    if (!values || !scratch) return sup_fail_memory(error, "normals at rest");
    sup_normals_evaluate(normals, character->mesh.points, scratch, NULL, values, NULL);
    *out = values;
    return SUP_OK;
}

char* sup_bake_beside(sup_bake* bake, const char* tail)
{
    const char* path = bake->desc.path;
    size_t      stem = stem_length(path), more = strlen(tail);
    char*       out = sup_arena_alloc(bake->arena, stem + more + 1, 1);
    if (!out) return NULL;
    memcpy(out, path, stem);
    memcpy(out + stem, tail, more + 1);
    return out;
}

void sup_bake_warn(sup_bake* bake, const char* format, ...)
{
    char    line[WARNING_MAX];
    va_list arguments;
    va_start(arguments, format);
    sup_format_list(line, sizeof line, format, arguments);
    va_end(arguments);
    size_t before = bake->warnings ? strlen(bake->warnings) + 1 : 0;
    size_t length = strlen(line);
    char*  text = sup_arena_alloc(bake->arena, before + length + 1, 1);
    if (!text) return; // the file is valid without the note; the next allocation that matters reports the failure
    if (before) {
        memcpy(text, bake->warnings, before - 1);
        text[before - 1] = '\n';
    }
    memcpy(text + before, line, length);
    bake->warnings = text;
}
