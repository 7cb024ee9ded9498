/// run/binding.h: what the binds of several links share.
#ifndef SUP_RUN_BINDING_H
#define SUP_RUN_BINDING_H

#include "base/internal.h"
#include "geom/surface/clean.h"
#include "supple/deformer.h"

/// Notes that the character is so small or large that its unit is probably wrong.
void sup_note_size(const sup_bind_input* in);
/// The faces that physics uses, with a note if that is not all of them. Fails if none is left.
sup_result sup_bind_surface(const sup_bind_input* in, const char* who, sup_arena* arena, sup_clean* out, sup_error* error);
/// Reports the progress of binding a link, 0 to 1; fails if the user cancelled.
sup_result sup_bind_report(const sup_bind_input* in, const char* who, double share, sup_error* error);
/// Of every point of a mesh body, weighted by area and not normalized. NULL: out of memory.
sup_vec3* sup_body_normals(const sup_body* body, sup_arena* arena);

#endif
