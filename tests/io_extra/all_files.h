/// tests/io_extra/all_files.h: what lies below a folder, sorted by name.
#ifndef SUP_TESTS_ALL_FILES_H
#define SUP_TESTS_ALL_FILES_H

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct all_files {
    uint32_t count;
    char*    paths[2000];
} all_files;

/// Adds the files below a folder, in no order. Hidden ones and folders of the name `but` are left out.
static inline void all_files_add(all_files* all, const char* folder, const char* but)
{
    DIR* dir = opendir(folder);
    if (!dir) return;
    for (struct dirent* entry; (entry = readdir(dir)) && all->count < sizeof all->paths / sizeof *all->paths;) {
        char        path[1200];
        struct stat info;
        if (entry->d_name[0] == '.' || strcmp(entry->d_name, but) == 0) continue;
        int length = snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (length >= (int)sizeof path || stat(path, &info) != 0) continue;
        if (S_ISDIR(info.st_mode)) all_files_add(all, path, but);
        else all->paths[all->count++] = strdup(path);
    }
    closedir(dir);
}

static inline int all_files_order(const void* a, const void* b) { return strcmp(*(char* const*)a, *(char* const*)b); }

static inline void all_files_sort(all_files* all) { qsort(all->paths, all->count, sizeof *all->paths, all_files_order); }

static inline void all_files_free(all_files* all)
{
    while (all->count) free(all->paths[--all->count]);
}

#endif
