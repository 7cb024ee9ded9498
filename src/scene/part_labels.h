/// scene/part_labels.h: the part of each triangle of a character, as the meter and the deformers that keep volumes see it.
#ifndef SUP_SCENE_PART_LABELS_H
#define SUP_SCENE_PART_LABELS_H

#include "geom/volume/volumes_label.h"
#include "supple/scene.h"

/// Parts cut in the middle of bones, for these triangles over the character's points. All memory comes from the arena.
sup_result sup_character_label_parts(const sup_character* character, uint32_t triangle_count, const uint32_t* triangles,
                                     sup_arena* arena, sup_labels* out, sup_error* error);

#endif
