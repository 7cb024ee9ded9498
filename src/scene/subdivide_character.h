/// scene/subdivide_character.h: the steps of sup_character_subdivide, for callers that also carry over a file's surface.
#ifndef SUP_SCENE_SUBDIVIDE_CHARACTER_H
#define SUP_SCENE_SUBDIVIDE_CHARACTER_H

#include "geom/surface/subdivide.h"
#include "supple/scene.h"

/// The finer mesh of each part, its indices counted within the part. groups: of every stored vertex of the character, or NULL.
SUP_API sup_result sup_parts_subdivide(const sup_character* character, uint32_t levels, const uint32_t* groups,
                                       sup_arena* arena, sup_subdivided** out, sup_error* error);
/// The character with these parts.
SUP_API sup_result sup_character_refine(const sup_character* character, const sup_subdivided* parts,
                                        const sup_allocator* allocator, sup_character** out, sup_error* error);

#endif
