/// run/skin_character.h: the skin set of a character's own points, for the skinning deformers.
#ifndef SUP_RUN_SKIN_CHARACTER_H
#define SUP_RUN_SKIN_CHARACTER_H

#include "solve/skinning/skinning.h"
#include "supple/deformer.h"

typedef struct skin_character {
    const sup_skin_set* set;
    const sup_vec3*     rest; ///< of the character's own points; other points in a frame are morphed ones
} skin_character;

/// Binds the mesh's points with the character's weights and the joints' rest positions.
sup_result skin_character_bind(const sup_character* character, sup_arena* arena, skin_character* out, sup_error* error);
/// A call for this frame, complete except for the method.
sup_skin_call skin_character_call(const skin_character* skin, const sup_frame* frame, void* scratch, sup_vec3* out);

#endif
