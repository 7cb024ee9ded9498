/// studio_site.h: what `supple studio` serves: the files of the page, those of the command line, and what these reference. All
/// are known before the server starts, so a request can only choose among them.
#ifndef SUPPLE_APP_STUDIO_SITE_H
#define SUPPLE_APP_STUDIO_SITE_H

#include "supple/io.h"
#include "supple/json.h"

typedef struct site_file {
    const char* name;   ///< in the page's folder, or as the user or the referencing file writes it
    const char* path;   ///< on the disk
    size_t      folder; ///< the part of the path that must contain it, also after links; SIZE_MAX: the user named it
    uint32_t    of;     ///< the given file that references it; SUP_NONE: the command line
} site_file;

typedef struct site_list {
    uint32_t   count, capacity;
    site_file* files;
} site_list;

typedef struct studio_site {
    sup_arena*  arena;
    site_list   page;    ///< files of the page
    site_list   given;   ///< a file's index here is its id
    const char* session; ///< JSON: {"server","version","convert":[endings],"files":[{"id","name","bytes","of"}]}
    size_t      session_size;
} studio_site;

/// Lists the page's folder and the given files; prints what is wrong and returns an exit code.
int  studio_site_open(studio_site* site, const char* page, const char* const* given, uint32_t given_count);
void studio_site_close(studio_site* site);

/// The file with that name, NULL: none.
const site_file* site_list_find(const site_list* list, const char* name);
/// Its bytes. Fails if it has left its folder or became unreadable.
sup_result site_file_read(const site_file* file, sup_arena* arena, sup_bytes* out, sup_error* error);

#endif
