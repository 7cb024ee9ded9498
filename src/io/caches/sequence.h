/// io/caches/sequence.h: many files of one mesh as a character with a clip of points.
#ifndef SUP_IO_CACHES_SEQUENCE_H
#define SUP_IO_CACHES_SEQUENCE_H

#include "supple/io.h"

/// Whether the path names many files: a folder, or a name with ####, %04d, * or ? that is not itself a file. Also false if
/// `files` cannot list.
bool sup_sequence_named(const char* path, const sup_files* files, const sup_allocator* allocator);

/// The first file is the rest shape; every other one is a morph target, and a clip at `options->fps` plays them.
sup_result sup_sequence_load(const char* path, const sup_files* files, const sup_load_options* options, sup_character** out,
                             sup_error* error);

#endif
