/// output.h: a file that is written beside its target and replaces it only when complete.
#ifndef SUPPLE_APP_OUTPUT_H
#define SUPPLE_APP_OUTPUT_H

#include "supple/base.h"

typedef struct output_file {
    const char* path;         ///< as given by the user
    char        target[4096]; ///< with symbolic links resolved
    char        part[4096];   ///< the temporary file beside it, created by output_begin
    unsigned    mode;         ///< permissions of the file that is replaced
    bool        replaces, open;
} output_file;

/// Fails early for what would fail late: a missing folder, a folder in place of the file, no permission.
bool output_begin(output_file* o, const char* path, sup_error* error);
bool output_write(output_file* o, const void* bytes, size_t size, sup_error* error);
/// Renames the temporary file to its target.
bool output_keep(output_file* o, sup_error* error);
/// Removes the temporary file. Harmless after output_keep and on a zeroed one.
void output_drop(output_file* o);

/// Creates the folders of a path (`whole`: including the path itself). Prints what is wrong, with the cure, and returns
/// EXIT_FAILED.
int output_folders(const char* path, bool whole, const char* cure);

#endif
