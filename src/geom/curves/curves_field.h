/// geom/curves/curves_field.h: what the makers of rings and lines share.
#ifndef SUP_GEOM_CURVES_CURVES_FIELD_H
#define SUP_GEOM_CURVES_CURVES_FIELD_H

#include "geom/curves/curves_internal.h"
#include "geom/curves/levels.h"

typedef struct field_maker {
    curve_maker*    m;
    sup_arena*      work;
    float*          u; ///< per point: the coordinate
    sup_levels      levels;
    float           spacing;
    sup_level_ring* rings; ///< by branch, rising; once cut, those with a curve come first
    uint32_t        ring_count;
    uint32_t*       first;  ///< per branch + 1: its rings
    uint32_t*       branch; ///< per point
    float*          along;
} field_maker;

/// Replaces the rings by lines across them, `count` where the rings are longest.
sup_result field_lines_make(field_maker* f, uint32_t count, sup_curves* net, sup_error* error);

#endif
