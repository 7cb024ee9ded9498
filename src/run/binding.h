/// run/binding.h: what links do alike while they are bound.
#ifndef SUP_RUN_BINDING_H
#define SUP_RUN_BINDING_H

#include "base/internal.h"
#include "geom/surface/clean.h"
#include "supple/deformer.h"

/// A note where the character is so small or large that its unit is probably wrong.
void sup_note_size(const sup_bind_input* in);
/// The faces that physics sees, with a note where that is not all of them. Fails where none is left.
sup_result sup_bind_surface(const sup_bind_input* in, const char* who, sup_arena* arena, sup_clean* out, sup_error* error);
/// Tells how far the bind of one link is, 0 to 1; fails when whoever waits wants no more of it.
sup_result sup_bind_report(const sup_bind_input* in, const char* who, double share, sup_error* error);
/// Of every point of a mesh body, weighted by area and not normalized. NULL: out of memory.
sup_vec3* sup_body_normals(const sup_body* body, sup_arena* arena);

#endif
