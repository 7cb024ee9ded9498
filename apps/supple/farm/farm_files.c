// Texts, and files by patterns: * and ? in any part of a path, ** for any depth of folders.
#include "farm.h"
#include "report/report.h"
#include "supple/io.h"
#include "supple/io_extra.h"
#include "supple/scene.h"
#include "system/system.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 16, FILES_MAX = 1000000 };

bool texts_add(sup_arena* arena, texts* list, const char* text)
{
    if (!text) return false;
    if (list->count == list->capacity) {
        uint32_t     capacity = list->capacity ? 2 * list->capacity : 8;
        const char** more = sup_arena_alloc(arena, capacity, sizeof *more);
        if (!more) return false;
        if (list->count) memcpy(more, list->items, list->count * sizeof *more);
        list->items = more;
        list->capacity = capacity;
    }
    list->items[list->count++] = text;
    return true;
}

const char* text_make(sup_arena* arena, const char* format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int   length = vsnprintf(NULL, 0, format, arguments);
    char* text = length < 0 ? NULL : sup_arena_alloc(arena, (size_t)length + 1, 1);
    if (text) vsnprintf(text, (size_t)length + 1, format, again);
    va_end(arguments);
    va_end(again);
    return text;
}

static int by_name(const void* a, const void* b) { return strcmp(*(const char* const*)a, *(const char* const*)b); }

static bool list(sup_arena* arena, const char* folder, texts* out)
{
    const sup_files* files = sup_files_system();
    const char**     names;
    uint32_t         count = 0;
    if (files->list(files->user, folder, arena, &names, &count, NULL) != SUP_OK) return true; // no such folder
    qsort(names, count, sizeof *names, by_name);
    for (uint32_t i = 0; i < count; i++)
        if (names[i][0] != '.' && !texts_add(arena, out, names[i])) return false;
    return true;
}

static const char* join(sup_arena* arena, const char* folder, const char* name)
{
    size_t length = strlen(folder);
    return text_make(arena, "%s%s%s", folder, length && !path_parts(folder[length - 1]) ? "/" : "", name);
}

// Matches the rest of a pattern below a known folder.
static bool expand(sup_arena* arena, const char* folder, const char* pattern, int depth, texts* out)
{
    size_t length = strcspn(pattern, "/");
    bool   last = !pattern[length], any = length == 2 && memcmp(pattern, "**", 2) == 0;
    char   part[512];
    texts  names = { 0 };
    if (depth > DEPTH_MAX || length >= sizeof part || out->count > FILES_MAX) return true;
    memcpy(part, pattern, length);
    part[length] = 0;
    if (any && !last && !expand(arena, folder, pattern + 3, depth + 1, out)) return false;
    if (!strpbrk(part, "*?")) {
        const char* path = join(arena, folder, part);
        path_info   info;
        if (!path) return false;
        if (!last) return expand(arena, path, pattern + length + 1, depth, out);
        return path_look(path, &info) != 0 || texts_add(arena, out, path);
    }
    if (!list(arena, folder, &names)) return false;
    for (uint32_t i = 0; i < names.count; i++) {
        if (!any && !sup_glob_match(part, names.items[i])) continue;
        const char* path = join(arena, folder, names.items[i]);
        if (!path) return false;
        bool is_folder = path_is_folder(path);
        if (is_folder && any && !expand(arena, path, pattern, depth + 1, out)) return false;
        if (is_folder && !any && !last && !expand(arena, path, pattern + length + 1, depth, out)) return false;
        if (!is_folder && last && !texts_add(arena, out, path)) return false;
    }
    return true;
}

static bool reads_character(const char* path)
{
    const sup_extra* extra = sup_extra_get();
    for (uint32_t i = 0; i < sup_format_count(); i++)
        // A motion alone is not a character.
        if (sup_format_at(i)->read && strcmp(sup_format_at(i)->name, "bvh") != 0 &&
            sup_path_ends_in(path, sup_format_at(i)->endings))
            return true;
    for (uint32_t i = 0; extra && i < extra->format_count; i++)
        if (sup_path_ends_in(path, extra->formats[i]->endings)) return true;
    return false;
}

static bool add_folder(sup_arena* arena, const char* folder, texts* out)
{
    texts    names = { 0 };
    uint32_t before = out->count;
    if (!list(arena, folder, &names)) return false;
    for (uint32_t i = 0; i < names.count; i++) {
        const char* path = join(arena, folder, names.items[i]);
        if (!path) return false;
        if (!path_is_folder(path) && reads_character(path) && !texts_add(arena, out, path)) return false;
    }
    if (out->count > before) return true;
    report_error(
        "the folder '%s' holds no characters; give one with .glb, .gltf, .fbx or other files that 'supple inspect' reads",
        folder);
    return false;
}

bool farm_files(sup_arena* arena, const char* pattern, texts* out)
{
    if (path_is_folder(pattern)) return add_folder(arena, pattern, out);
    if (strncmp(pattern, "builtin:", 8) == 0 || !strpbrk(pattern, "*?")) return texts_add(arena, out, pattern);
    uint32_t before = out->count;
    bool     rooted = path_parts(pattern[0]);
    if (!expand(arena, rooted ? "/" : "", pattern + rooted, 0, out)) return false;
    if (out->count > before) return true;
    report_error("nothing matches '%s'; patterns have * and ? in any part of a path and ** for any depth of folders", pattern);
    return false;
}
