/// io/surface_draft.h: files with one mesh and no skeleton.
#ifndef SUP_IO_SURFACE_DRAFT_H
#define SUP_IO_SURFACE_DRAFT_H

#include "base/internal.h"
#include "supple/io.h"

/// A character with one part, both named after the file; unit and axis as requested, else the defaults.
sup_result sup_surface_create(const sup_read_input* in, const sup_part_desc* part, uint32_t warning_count,
                              const char* const* warnings, sup_arena* arena, sup_character** out, sup_error* error);

#endif
