/// io/path.h: operations on file names that readers need.
#ifndef SUP_IO_PATH_H
#define SUP_IO_PATH_H

#include "base/internal.h"
#include "supple/io.h"

#include <string.h>

/// The length of the folder part of a path, with its slash; 0 if it has none.
static inline size_t sup_path_folder(const char* path)
{
    size_t folder = 0;
    for (size_t i = 0; path[i]; ++i)
        if (path[i] == '/' || path[i] == '\\') folder = i + 1;
    return folder;
}

/// Whether the character separates folders in the user's own paths: \ is an ordinary character everywhere but on Windows.
static inline bool sup_path_parts(char c)
{
#if defined(_WIN32)
    return c == '/' || c == '\\';
#else
    return c == '/';
#endif
}

/// sup_path_folder for a path that the user gave.
static inline size_t sup_path_own_folder(const char* path)
{
    size_t folder = 0;
    for (size_t i = 0; path[i]; ++i)
        if (sup_path_parts(path[i])) folder = i + 1;
    return folder;
}

/// Whether a relative path goes neither up nor to a root: a file from the network must not read the rest of the disk.
static inline bool sup_path_stays_below(const char* relative)
{
    if (!relative[0] || relative[0] == '/' || relative[0] == '\\' || strchr(relative, ':')) return false;
    for (const char* part = relative; *part;) {
        size_t n = strcspn(part, "/\\");
        if (n == 2 && part[0] == '.' && part[1] == '.') return false;
        part += n + (part[n] != 0);
    }
    return true;
}

/// Readers speak of meshes and lines; this adds the file's name. error: may be NULL.
static inline void sup_path_name(const char* path, sup_error* error)
{
    if (!error || strstr(error->text, path)) return;
    char text[sizeof error->text];
    memcpy(text, error->text, sizeof text);
    sup_format(error->text, sizeof error->text, "%s: %s", path, text);
}

/// Reads a file that another one references: path, whose first `folder` characters are the folder of that file.
static inline sup_result sup_path_read(const sup_files* files, const char* path, size_t folder, sup_arena* arena,
                                       sup_bytes* out, sup_error* error)
{
    return files->read_below ? files->read_below(files->user, path, folder, arena, out, error)
                             : files->read(files->user, path, arena, out, error);
}

/// "walks/fox.glb" is "fox": the default name of a character. NULL: out of memory.
static inline const char* sup_path_stem(sup_arena* arena, const char* path)
{
    const char* name = path + sup_path_folder(path);
    const char* dot = strrchr(name, '.');
    return sup_arena_text(arena, name, dot && dot > name ? (size_t)(dot - name) : strlen(name));
}

#endif
