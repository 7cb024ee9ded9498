/// deform/pose_space/pose_sections.h: the rotation of whole sections of a limb by sculpts (deform/curves/sections.h), as
/// corrections over pose: the field interpolates the rotation vector and the shift of every station like two more points.
#ifndef SUP_DEFORM_POSE_SECTIONS_H
#define SUP_DEFORM_POSE_SECTIONS_H

#include "deform/curves/sections.h"

/// Removes the motion of sections from the shapes (per center, of all points), which are replaced: two vectors per station are
/// appended to the points. Without a limb, or one that turns, nothing changes.
sup_result pose_sections_take(const sup_bind_input* in, uint32_t center_count, sup_vec3** shapes, sup_arena* temporary,
                              sup_arena* arena, sup_sections* out, sup_error* error);
/// Whether a section that turns or shifts at some center carries the point.
bool pose_sections_move(const sup_sections* sections, uint32_t center_count, uint32_t point);

/// The stations of a frame from the field's output, two vectors each. `turns` has room for six floats per station.
void pose_sections_prepare(const sup_sections* sections, const sup_vec3* given, float* turns, sup_station* out);
/// Adds the motion of a point's section to its correction.
sup_vec3 pose_sections_add(const sup_sections* sections, const sup_station* stations, uint32_t point, sup_vec3 rest,
                           sup_vec3 correction);

#endif
