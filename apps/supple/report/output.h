/// output.h: a file that is written beside its target and takes its place only when whole.
#ifndef SUPPLE_APP_OUTPUT_H
#define SUPPLE_APP_OUTPUT_H

#include "supple/base.h"

typedef struct output_file {
    const char* path;         ///< as the user named it
    char        target[4096]; ///< behind symbolic links
    char        part[4096];   ///< the file beside it, made empty by output_begin
    unsigned    mode;         ///< rights of the file that is replaced
    bool        replaces, open;
} output_file;

/// Says early what would fail late: a missing folder, a folder in the place of the file, no rights.
bool output_begin(output_file* o, const char* path, sup_error* error);
bool output_write(output_file* o, const void* bytes, size_t size, sup_error* error);
/// The part becomes the file.
bool output_keep(output_file* o, sup_error* error);
/// Leaves nothing behind. Harmless after output_keep and on a zeroed one.
void output_drop(output_file* o);

/// Makes the folders of a path (`whole`: and the path itself as one). Says what is wrong, with the cure, and returns
/// EXIT_FAILED.
int output_folders(const char* path, bool whole, const char* cure);

#endif
