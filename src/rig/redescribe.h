/// rig/redescribe.h: the mesh of a character converted back to a description, to give it other joints.
#ifndef SUP_RIG_REDESCRIBE_H
#define SUP_RIG_REDESCRIBE_H

#include "supple/scene.h"

/// Stored vertices, faces, normals, morphs and maps of one part in rest space; everything but its weights. `weld` is set if
/// there are fewer points than vertices. Refers to memory of the arena and of the character.
sup_result sup_part_redescribe(const sup_character* character, uint32_t part, sup_arena* arena, sup_part_desc* out,
                               sup_error* error);
/// A character from such parts under other joints. Clips and examples are dropped: they belong to the old joints.
sup_result sup_character_redescribe(const sup_character* character, uint32_t joint_count, const sup_joint* joints,
                                    const sup_part_desc* parts, const sup_allocator* allocator, sup_character** out,
                                    sup_error* error);

#endif
