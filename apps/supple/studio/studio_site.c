// Lists the files that requests may ask for.
#include "studio_site.h"

#include "input/common.h"
#include "input/worlds.h"
#include "report/report.h"
#include "supple/io_extra.h"
#include "system/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A page has some twenty files, three folders deep. More means that --page names something else, perhaps a home folder.
enum { PAGE_FILES_MAX = 500, PAGE_DEPTH_MAX = 4 };
// Pictures and buffers of one character: far more than any has.
enum { GIVEN_FILES_MAX = 4096 };

// ---------------------------------------------------------------------------------------------- lists

const site_file* site_list_find(const site_list* list, const char* name)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (strcmp(list->files[i].name, name) == 0) return &list->files[i];
    return NULL;
}

static bool add(site_list* list, uint32_t most, sup_arena* arena, site_file file)
{
    if (list->count == most) return false;
    if (list->count == list->capacity) {
        uint32_t   capacity = list->capacity ? 2 * list->capacity : 32;
        site_file* more = sup_arena_alloc(arena, capacity, sizeof *more);
        if (!more) return false;
        if (list->count) memcpy(more, list->files, list->count * sizeof *more);
        list->files = more;
        list->capacity = capacity;
    }
    file.name = sup_arena_text(arena, file.name, strlen(file.name));
    file.path = sup_arena_text(arena, file.path, strlen(file.path));
    if (!file.name || !file.path) return false;
    list->files[list->count++] = file;
    return true;
}

sup_result site_file_read(const site_file* file, sup_arena* arena, sup_bytes* out, sup_error* error)
{
    const sup_files* files = sup_files_system();
    if (file->folder == SIZE_MAX) return files->read(files->user, file->path, arena, out, error);
    return files->read_below(files->user, file->path, file->folder, arena, out, error);
}

// ---------------------------------------------------------------------------------------------- the page

static int list_page(studio_site* site, const char* folder, size_t root, int depth)
{
    const sup_files* files = sup_files_system();
    const char**     names = NULL;
    uint32_t         count = 0;
    sup_error        error = { 0 };
    if (files->list(files->user, folder, site->arena, &names, &count, &error) != SUP_OK) return fail_with(&error);
    for (uint32_t i = 0; i < count; i++) {
        char      path[4096];
        path_info info;
        bool      hidden = names[i][0] == '.'; // . and .., and what editors and version control leave
        if (hidden || snprintf(path, sizeof path, "%s/%s", folder, names[i]) >= (int)sizeof path) continue;
        if (path_look(path, &info) != 0) continue;
        int code = EXIT_DONE;
        if (info.kind == PATH_FOLDER && depth < PAGE_DEPTH_MAX) code = list_page(site, path, root, depth + 1);
        else if (info.kind == PATH_FILE &&
                 !add(&site->page, PAGE_FILES_MAX, site->arena, (site_file){ path + root + 1, path, root, SUP_NONE })) {
            report_error(
                "'%.*s' holds more than the page of the studio; name the folder that 'make studio' leaves, build/studio",
                (int)root, folder);
            code = EXIT_FAILED;
        }
        if (code != EXIT_DONE) return code;
    }
    return EXIT_DONE;
}

static int open_page(studio_site* site, const char* page)
{
    if (!path_is_folder(page)) {
        report_error("the studio's page is not in '%s'; 'make studio' makes it, and --page DIR names its folder", page);
        return EXIT_FAILED;
    }
    int code = list_page(site, page, strlen(page), 0);
    if (code == EXIT_DONE && !site_list_find(&site->page, "index.html")) {
        report_error("'%s' has no index.html: it is not the studio's page; 'make studio' makes that in build/studio", page);
        code = EXIT_FAILED;
    }
    return code;
}

// ---------------------------------------------------------------------------------------------- given files

/// Records which files are read, and for which given file.
typedef struct recorder {
    studio_site* site;
    uint32_t     of;
} recorder;

static void record(recorder* r, const char* path, size_t folder)
{
    site_list* list = &r->site->given;
    for (uint32_t i = 0; i < list->count; i++)
        if (list->files[i].of == r->of && strcmp(list->files[i].path, path) == 0) return;
    // A file beyond the limit is one that the page reports as missing.
    add(list, GIVEN_FILES_MAX, r->site->arena, (site_file){ path + folder, path, folder, r->of });
}

static sup_result read_given(void* user, const char* path, sup_arena* arena, sup_bytes* out, sup_error* error)
{
    (void)user;
    const sup_files* files = sup_files_system();
    return files->read(files->user, path, arena, out, error);
}

static sup_result read_beside(void* user, const char* path, size_t folder, sup_arena* arena, sup_bytes* out, sup_error* error)
{
    const sup_files* files = sup_files_system();
    sup_result       result = files->read_below(files->user, path, folder, arena, out, error);
    if (result == SUP_OK) record(user, path, folder);
    return result;
}

// The files that a character references are those that our own reader asks for. A file that it refuses references none; the
// page says why.
static void list_references(recorder* r, const char* path)
{
    const sup_files  files = { .read = read_given, .read_below = read_beside, .user = r };
    sup_load_options load = { .files = &files, .extra = sup_extra_get() };
    sup_character*   character = NULL;
    sup_error        error = { 0 };
    if (sup_load(path, &load, &character, &error) == SUP_OK) sup_character_destroy(character);
}

// Absolute paths are not relative to anything.
static const char* beside(const char* path, const char* name, sup_arena* arena)
{
    return name && !path_is_absolute(name) && strncmp(name, "builtin:", 8) != 0 ? path_beside(path, name, arena) : NULL;
}

// A preset references its world, a world the meshes of its bodies.
static void list_json_references(recorder* r, const char* path, int depth)
{
    sup_arena*       arena = sup_arena_create(NULL);
    sup_bytes        bytes = { 0 };
    sup_json*        tree = NULL;
    sup_error        error = { 0 };
    const sup_files* files = sup_files_system();
    size_t           folder = (size_t)(path_name(path) - path);
    if (arena && files->read(files->user, path, arena, &bytes, &error) == SUP_OK &&
        sup_json_parse((const char*)bytes.data, bytes.size, path, arena, &tree, &error) == SUP_OK) {
        const char*     world = sup_json_string(sup_json_get(tree, "world"), NULL);
        const sup_json* bodies = sup_json_get(tree, "bodies");
        const char*     world_path = beside(path, world, arena);
        if (world_path && depth == 0 && read_beside(r, world_path, folder, arena, &bytes, &error) == SUP_OK)
            list_json_references(r, world_path, 1);
        for (const sup_json* body = bodies && bodies->type == SUP_JSON_ARRAY ? bodies->first : NULL; body; body = body->next) {
            const char* file = beside(path, sup_json_string(sup_json_get(body, "mesh"), NULL), arena);
            if (file && read_beside(r, file, folder, arena, &bytes, &error) == SUP_OK) list_references(r, file);
        }
    }
    sup_arena_destroy(arena);
}

static int open_given(studio_site* site, const char* path)
{
    path_info info;
    recorder  r = { site, site->given.count };
    bool      builtin = strncmp(path, "builtin:", 8) == 0;
    int       why = builtin ? 0 : path_look(path, &info);
    if (why || (!builtin && info.kind != PATH_FILE)) {
        report_error("cannot read '%s': %s", path, why ? strerror(why) : "it is not a plain file; name a file");
        return EXIT_FAILED;
    }
    if (!add(&site->given, GIVEN_FILES_MAX, site->arena,
             (site_file){ builtin ? path : path_name(path), path, SIZE_MAX, SUP_NONE }))
        return fail_memory();
    size_t length = strlen(path);
    if (builtin) return EXIT_DONE;
    if (length > 5 && strcmp(path + length - 5, ".json") == 0) list_json_references(&r, path, 0);
    else if (sup_format_for(path)) list_references(&r, path); // assimp's formats are read when the page asks for them
    return EXIT_DONE;
}

// ---------------------------------------------------------------------------------------------- the session

typedef struct text {
    char*  at;
    size_t size;
} text;

static bool count_text(void* user, const char* piece, size_t length)
{
    (void)piece;
    ((text*)user)->size += length;
    return true;
}

static bool copy_text(void* user, const char* piece, size_t length)
{
    text* t = user;
    memcpy(t->at + t->size, piece, length);
    t->size += length;
    return true;
}

static void push_words(sup_arena* arena, sup_json* list, const char* words)
{
    while (*words) {
        size_t length = strcspn(words, " ");
        char*  word = sup_arena_text(arena, words, length);
        if (length && word) sup_json_push(list, sup_json_new_string(arena, word));
        words += length + (words[length] == ' ');
    }
}

static int describe(studio_site* site)
{
    sup_arena*       a = site->arena;
    sup_json*        root = sup_json_new(a, SUP_JSON_OBJECT);
    sup_json*        endings = sup_json_set(a, root, "convert", sup_json_new(a, SUP_JSON_ARRAY));
    sup_json*        list = sup_json_set(a, root, "files", sup_json_new(a, SUP_JSON_ARRAY));
    const sup_extra* extra = sup_extra_get();
    sup_json_set(a, root, "server", sup_json_new(a, SUP_JSON_TRUE));
    sup_json_set(a, root, "version", sup_json_new_string(a, SUP_VERSION));
    for (uint32_t i = 0; i < extra->format_count; i++) push_words(a, endings, extra->formats[i]->endings);
    for (uint32_t i = 0; i < site->given.count; i++) {
        const site_file* f = &site->given.files[i];
        path_info        info = { 0 };
        bool             known = path_look(f->path, &info) == 0;
        sup_json*        one = sup_json_push(list, sup_json_new(a, SUP_JSON_OBJECT));
        sup_json_set(a, one, "id", sup_json_new_number(a, i));
        sup_json_set(a, one, "name", sup_json_new_string(a, f->name));
        if (known) sup_json_set(a, one, "bytes", sup_json_new_number(a, (double)info.bytes));
        if (f->of == SUP_NONE) continue;
        sup_json_set(a, one, "of", sup_json_new_number(a, f->of));
    }
    text t = { 0 };
    if (!root || !sup_json_write(root, 0, &(sup_text_sink){ count_text, &t })) return fail_memory();
    t.at = sup_arena_alloc(a, t.size + 1, 1);
    if (!t.at) return fail_memory();
    t.size = 0;
    sup_json_write(root, 0, &(sup_text_sink){ copy_text, &t });
    site->session = t.at;
    site->session_size = t.size;
    return EXIT_DONE;
}

int studio_site_open(studio_site* site, const char* page, const char* const* given, uint32_t given_count)
{
    *site = (studio_site){ .arena = sup_arena_create(NULL) };
    if (!site->arena) return fail_memory();
    int code = open_page(site, page);
    for (uint32_t i = 0; i < given_count && code == EXIT_DONE; i++) code = open_given(site, given[i]);
    return code == EXIT_DONE ? describe(site) : code;
}

void studio_site_close(studio_site* site)
{
    sup_arena_destroy(site->arena);
    *site = (studio_site){ 0 };
}
