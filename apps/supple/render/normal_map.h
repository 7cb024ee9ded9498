/// normal_map.h: the detail that a fine surface has and a coarse one lacks, as pictures over their shared texture coordinates.
#ifndef SUPPLE_APP_NORMAL_MAP_H
#define SUPPLE_APP_NORMAL_MAP_H

#include "commands/bake_run.h"
#include "render/normal_cover.h"

/// Adds weight x the fine normal in the coarse tangent frame to the sums, where both cover. weights: by point of the coarse
/// mesh.
void normal_add(const normal_side* coarse, const normal_cover* under, const normal_side* fine, const normal_cover* over,
                const float* weights, const sup_tasks* tasks, sup_vec3* sums);
/// Sums to a picture: (n + 1) / 2 in 16 bits, high byte first, extended `margin` texels beyond what is covered.
sup_result normal_pixels(const sup_vec3* sums, uint32_t size, uint32_t margin, sup_arena* arena, uint8_t** out,
                         sup_error* error);

/// Plays both characters and writes OUTPUT.normal.png (a pose), or OUTPUT.compressed.png, OUTPUT.stretched.png and
/// OUTPUT.tension.npy (a clip), with OUTPUT the path without its ending; OUTPUT.MESH.normal.png and so on where the faces do
/// not share one map. `coarse` has tangents.
sup_result normal_map_write(const bake_job* job, const sup_character* coarse, const sup_character* fine, uint32_t size,
                            sup_arena* arena, sup_error* error);
/// Only OUTPUT.tension.npy, for the mesh that is baked.
sup_result tension_write(const bake_job* job, sup_arena* arena, sup_error* error);

#endif
