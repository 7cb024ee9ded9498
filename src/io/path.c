// Endings of file names, which choose formats.
#include "io/path.h"

const char* sup_path_ending(const char* path)
{
    const char* dot = strrchr(path + sup_path_own_folder(path), '.');
    return dot ? dot + 1 : "";
}

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

bool sup_path_ends_in(const char* path, const char* endings)
{
    const char* ending = sup_path_ending(path);
    size_t      length = strlen(ending);
    for (const char* word = endings; *word && length > 0;) {
        size_t n = strcspn(word, " "), same = 0;
        while (n == length && same < n && word[same] == lower(ending[same])) ++same;
        if (same == length) return true;
        word += n + strspn(word + n, " ");
    }
    return false;
}
