/// deform/pose_space/pose_sections.h: what sculpts turn whole sections of a limb by (deform/curves/sections.h), as corrections
/// over pose: the rotation vector and the shift of every station are two more points that the field interpolates.
#ifndef SUP_DEFORM_POSE_SECTIONS_H
#define SUP_DEFORM_POSE_SECTIONS_H

#include "deform/curves/sections.h"

/// Takes them out of the shapes (per center, of all points), which are replaced: behind the points stand two for each station.
/// No limb, or none that turns: nothing happens.
sup_result pose_sections_take(const sup_bind_input* in, uint32_t center_count, sup_vec3** shapes, sup_arena* temporary,
                              sup_arena* arena, sup_sections* out, sup_error* error);
/// Whether a point goes with a section that turns or shifts at some center.
bool pose_sections_move(const sup_sections* sections, uint32_t center_count, uint32_t point);

/// Stations of a frame from what the field gave for them, two vectors each. `turns`: room for six floats a station.
void pose_sections_prepare(const sup_sections* sections, const sup_vec3* given, float* turns, sup_station* out);
/// The correction of a point with what its section does.
sup_vec3 pose_sections_add(const sup_sections* sections, const sup_station* stations, uint32_t point, sup_vec3 rest,
                           sup_vec3 correction);

#endif
