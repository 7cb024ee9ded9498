/// identity.h: what determines the bits of a run: the program, the words of the command, and the bytes of the files it reads.
#ifndef SUPPLE_APP_IDENTITY_H
#define SUPPLE_APP_IDENTITY_H

#include "commands/options.h"

#include <stddef.h>

/// Version and build: programs with the same text give the same bits, on any machine.
const char* identity_program(void);
/// Hashes a text with its terminator, so that two consecutive texts differ from their concatenation.
uint64_t identity_text(uint64_t hash, const char* text);
/// sup_hash of all bytes of a file. False: it cannot be read.
bool identity_file(const char* path, uint64_t* out);
/// Whether the flag's value is a path, or 'NAME=path'.
bool identity_flag_is_path(const flag_row* row);
/// The path in the value of such a flag: 'NAME=FILE', 'FILE#MESH' and 'FILE' all contain FILE. False: it contains none.
bool identity_flag_path(const flag_row* row, const char* value, char* out, size_t size);

#endif
