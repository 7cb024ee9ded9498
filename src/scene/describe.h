/// scene/describe.h: what a character made from another keeps of it, whatever becomes of its skeleton.
#ifndef SUP_SCENE_DESCRIBE_H
#define SUP_SCENE_DESCRIBE_H

#include "supple/scene.h"

/// Name, size, axes and warnings of a character, and parts for as many as it has; no joints, clips or examples.
static inline sup_character_desc sup_character_describe(const sup_character* c, const sup_part_desc* parts)
{
    return (sup_character_desc){ .name = c->name,
                                 .part_count = c->mesh.part_count,
                                 .parts = parts,
                                 .metres_per_unit = c->metres_per_unit,
                                 .size_factor = c->size_factor,
                                 .unit_assumed = c->unit_assumed,
                                 .up = c->up,
                                 .up_assumed = c->up_assumed,
                                 .warning_count = c->warning_count,
                                 .warnings = c->warnings };
}

#endif
