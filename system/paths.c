// Functions on paths that follow from path_look on every system.
#include "system/system.h"

bool path_is_folder(const char* path)
{
    path_info info;
    return path_look(path, &info) == 0 && info.kind == PATH_FOLDER;
}

bool path_same(const path_info* a, const path_info* b) { return a->place[0] == b->place[0] && a->place[1] == b->place[1]; }

const char* path_name(const char* path)
{
    const char* name = path;
    for (const char* c = path; *c; c++)
        if (path_parts(*c)) name = c + 1;
    return name;
}
