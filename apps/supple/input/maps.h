/// maps.h: --map NAME=FILE, a value for each point that parameters, forces, masks and pictures may read.
#ifndef SUPPLE_APP_MAPS_H
#define SUPPLE_APP_MAPS_H

#include "commands/options.h"
#include "commands/progress.h"
#include "supple/deformer.h"

/// The name as in files: 'belly' and '_Belly' become '_BELLY'. NULL: out of memory.
char* map_name(const char* text, size_t length, sup_arena* arena);
/// Notes maps of --map that no chain, --heat or --mask reads, with the names that would be read.
void maps_report_unread(const options* o, sup_chain* const* chains, uint32_t count, progress* bar);

#endif
