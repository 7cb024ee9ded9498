// Makes names for objects of files that allow few characters and require unique names.
#include "io/identifier.h"

#include "base/internal.h"

#include <string.h>

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

void sup_identifier(const char* name, const char* otherwise, const char (*taken)[SUP_IDENTIFIER], uint32_t count,
                    char out[SUP_IDENTIFIER])
{
    enum { KEPT = SUP_IDENTIFIER - 16 }; // leaves space for a number
    char   base[KEPT];
    size_t n = 0;
    if (!name || !name[0]) name = otherwise;
    if (!is_letter(name[0])) base[n++] = '_';
    for (const char* c = name; *c && n + 1 < KEPT; ++c)
        base[n++] = (char)(is_letter(*c) || (*c >= '0' && *c <= '9') ? *c : '_');
    base[n] = 0;
    sup_format(out, SUP_IDENTIFIER, "%s", base);
    for (uint32_t number = 2, i = 0; i < count;) {
        if (strcmp(taken[i], out) != 0) {
            ++i;
            continue;
        }
        sup_format(out, SUP_IDENTIFIER, "%s_%u", base, number++);
        i = 0;
    }
}
