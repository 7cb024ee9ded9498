/// geom/volume/volumes.h: a triangle mesh divided into parts that each enclose a volume. Where neighbors meet, both are closed
/// by the same fans of triangles to the same *center*, so their volumes add up to that of the whole. Holes are closed first.
///
/// Closing works on directed edges, not on walks: the edges along which the triangles of a part do not cancel always form
/// closed loops, whatever the mesh, so a fan from each of them to one center closes the part. Every connected net of borders
/// has one center; three parts that meet in a point share theirs.
#ifndef SUP_GEOM_VOLUME_VOLUMES_H
#define SUP_GEOM_VOLUME_VOLUMES_H

#include "supple/base.h"

/// Part p is cut from part `parent[p]` at a point that rides on a carrier (a joint).
typedef struct sup_volumes_desc {
    uint32_t        point_count;
    uint32_t        triangle_count;
    const uint32_t* triangles;
    uint32_t        part_count;   ///< at least 1
    const uint32_t* labels;       ///< part of each triangle; NULL: all 0
    const uint32_t* parents;      ///< per part, SUP_NONE for none; NULL: none anywhere
    const sup_vec3* cut_points;   ///< per part, at rest; where it has a parent
    const uint32_t* cut_carriers; ///< per part, into the carriers given to sup_volumes_measure
} sup_volumes_desc;

/// Indices of *extended* points: the mesh's points, then the middle of each hole, then the centers.
typedef struct sup_volumes {
    uint32_t        point_count, hole_count, center_count, part_count;
    const uint32_t* begin;   ///< part_count + 1 triangles
    const uint32_t* corners; ///< three extended points each: every part is a closed surface

    const uint32_t* hole_begin;  ///< hole_count + 1
    const uint32_t* hole_points; ///< the loop around it, whose mean is the middle

    const uint32_t* center_begin;  ///< center_count + 1 cuts; none: the center is the mean of its border's points
    const uint32_t* center_cuts;   ///< parts
    const double*   center_shares; ///< of each cut, summing to 1
    const uint32_t* border_begin;  ///< center_count + 1
    const uint32_t* border_points;

    const sup_vec3* cut_points;
    const uint32_t* cut_carriers;
} sup_volumes;

sup_result sup_volumes_create(const sup_volumes_desc* desc, sup_arena* arena, sup_volumes* out, sup_error* error);

/// The position of an extended point. carriers: NULL at rest.
void sup_volumes_point(const sup_volumes* volumes, const sup_vec3* points, const sup_affine* carriers, uint32_t index,
                       double out[3]);
/// How thick every part is at rest: four times its volume over the area of its own skin, without cuts and holes. For a cylinder
/// that is the diameter, for a ball two thirds of it.
void sup_volumes_thickness(const sup_volumes* volumes, const sup_vec3* points, double* out);
/// The volume of every part, positive where triangles face outwards. In double, in fixed order; allocates nothing.
void sup_volumes_measure(const sup_volumes* volumes, const sup_vec3* points, const sup_affine* carriers, double* out);

#endif
