// Hashes of programs, words and files.
#include "identity.h"

#include "build_id.h"
#include "supple/base.h"
#include "system/system.h"

#include <stdlib.h>
#include <string.h>

const char* identity_program(void) { return SUP_VERSION " " SUPPLE_BUILD_ID; }

uint64_t identity_text(uint64_t hash, const char* text) { return sup_hash(hash, text, strlen(text) + 1); } // with its end

enum { PIECE = 1 << 18 }; // large files are hashed in pieces

bool identity_file(const char* path, uint64_t* out)
{
    FILE*  file = path_open(path, "rb");
    char*  piece = file ? malloc(PIECE) : NULL;
    size_t got;
    *out = SUP_HASH_START;
    while (piece && (got = fread(piece, 1, PIECE, file)) > 0) *out = sup_hash(*out, piece, got);
    bool good = piece && !ferror(file);
    free(piece);
    if (file) fclose(file);
    return good;
}

bool identity_flag_is_path(const flag_row* row)
{
    return row->argument && (strstr(row->argument, "FILE") || strcmp(row->argument, "DIR") == 0);
}

bool identity_flag_path(const flag_row* row, const char* value, char* out, size_t size)
{
    if (!value || !identity_flag_is_path(row)) return false;
    const char* sign = strchr(row->argument, '=') ? strchr(value, '=') : NULL;
    path_info   info;
    snprintf(out, size, "%s", sign ? sign + 1 : value);
    if (path_look(out, &info) == 0) return info.kind == PATH_FILE;
    char* mesh = strrchr(out, '#');
    if (mesh) *mesh = 0;
    return mesh && path_look(out, &info) == 0 && info.kind == PATH_FILE;
}
