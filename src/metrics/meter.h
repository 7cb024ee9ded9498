/// metrics/meter.h: what a meter holds; each file of this folder fills and reads its own part.
#ifndef SUP_METRICS_METER_H
#define SUP_METRICS_METER_H

#include "geom/search/bvh.h"
#include "geom/surface/topology.h"
#include "geom/volume/volumes.h"
#include "supple/metrics.h"

struct sup_meter {
    sup_arena*           arena;
    const sup_character* character;

    // meter_stretch.c: edges of the faces that have a length at rest
    uint32_t        edge_count;
    const uint32_t* edges; ///< two points each
    const double*   edge_lengths;

    // roughness.c
    const uint32_t* fan_begin; ///< point_count + 1: triangles around each point
    const uint32_t* fan;
    const double*   rest_areas;      ///< 0 for points that do not count
    const double*   rest_curvatures; ///< mean
    double          rest_area;

    // meter_parts.c
    sup_volumes           whole; ///< one part: the mesh with its holes closed
    double                rest_volume;
    sup_volumes           volumes;
    const sup_meter_part* parts;
    const uint32_t*       part_of; ///< each triangle

    // intersections.c
    sup_bvh bvh;
};

sup_result sup_meter_make_stretch(sup_meter* meter, const sup_topology* faces, sup_error* error);
sup_result sup_meter_make_roughness(sup_meter* meter, const sup_topology* triangles, sup_error* error);
sup_result sup_meter_make_parts(sup_meter* meter, sup_error* error);

#endif
