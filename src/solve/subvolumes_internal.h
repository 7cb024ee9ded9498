/// solve/subvolumes_internal.h: what a set of sub-volumes is made of, for the files that make and run it.
#ifndef SUP_SOLVE_SUBVOLUMES_INTERNAL_H
#define SUP_SOLVE_SUBVOLUMES_INTERNAL_H

#include "solve/subvolumes.h"

/// A corner of a fan. Either a center that rides on joints, or the mean of points of the part.
typedef struct subvolume_extra {
    uint32_t center;     // SUP_NONE: the mean of `members`
    uint32_t begin, end; // into members: local points
} subvolume_extra;

typedef struct subvolume_part {
    uint32_t point_begin, point_count; // into `points`; local point k is points[point_begin + k]
    uint32_t extra_begin, extra_count; // local corner point_count + k is extras[extra_begin + k]
    uint32_t triangle_begin, triangle_end;
    uint32_t work; // first vector of its piece of scratch: places, then gradients, of points and extras
    double   rest; // volume
    bool     idle; // nothing to keep
} subvolume_part;

struct sup_subvolumes {
    const sup_volumes*     volumes;
    uint32_t               part_count, flat_count;
    bool                   inside_out;
    const subvolume_part*  parts;
    const uint32_t*        points;
    const subvolume_extra* extras;
    const uint32_t*        members;
    const uint32_t*        corners; // three local ones each
    uint32_t               color_count;
    const uint32_t*        color_begin; // into color_parts
    const uint32_t*        color_parts;
    uint32_t               work_count; // vectors of scratch
};

/// The centers that ride: where they are and how fast.
typedef struct subvolume_center {
    sup_vec3 at, velocity;
} subvolume_center;

/// Fills places and gradients of a part and returns its volume. Gradients of means have gone to their members.
double sup_subvolume_measure(const sup_subvolumes* s, const subvolume_part* part, const sup_vec4* x,
                             const subvolume_center* centers, sup_vec3* work);

#endif
