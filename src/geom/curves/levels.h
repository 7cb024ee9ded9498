/// geom/curves/levels.h: divides a surface by the level lines of a coordinate. Many thin bands are cut; a band falls into
/// regions, and regions with one ring below and one above chain into branches: limbs, and bodies between them. A region with
/// more rings is a fork, one with a single ring a tip.
#ifndef SUP_GEOM_CURVES_LEVELS_H
#define SUP_GEOM_CURVES_LEVELS_H

#include "geom/curves/curves.h"
#include "geom/surface/topology.h"

typedef struct sup_branch {
    float    length; ///< by mean distances of its level lines
    float    area;
    bool     tip[2]; ///< whether it ends in a tip, below and above
    bool     alive;
    uint32_t component;
    uint32_t ends[2];    ///< region of the fork; SUP_NONE at a tip
    uint32_t head, tail; ///< its regions from below, by `next`; SUP_NONE: none
} sup_branch;

typedef struct sup_region {
    uint32_t component, band;
    uint32_t below, above;           ///< how many rings
    uint32_t ring_below, ring_above; ///< of those, while there is only one: indices of several are mixed
    double   area, slope;            ///< slope: integral of the coordinate's over the region
    double   low, high;              ///< range of the coordinate: the borders of its band, or its own end at a tip
    float    width;                  ///< mean distance from its lower to its upper level
    uint32_t next, group, goes_to;   ///< list link; forks that became one; the fork that absorbed it
    uint32_t branch;                 ///< after sup_levels_settle: SUP_NONE at a fork
    float    from;                   ///< how far along the branch it begins
    bool     fork, marked;
} sup_region;

typedef struct sup_levels {
    const sup_curve_mesh* mesh;
    const sup_topology*   topology;
    const float*          u;
    sup_arena*            work;
    double *              low, *high;    ///< per component: of the coordinate
    uint32_t*             border_begin;  ///< per component + 1: borders of its bands, one more than bands
    double*               borders;       ///< rising
    uint32_t*             band;          ///< per point
    uint32_t *            begin, *first; ///< per triangle: its first entry in `region`, and the band of that
    uint32_t*             region;        ///< of every triangle in every band that it reaches into
    uint32_t              region_count, branch_count;
    sup_region*           regions;
    sup_branch*           branches;
    uint32_t *            up, *down, *up_mix, *down_mix; ///< of forks: branches that leave and arrive, numbers mixed
    struct sup_heap*      heap;
} sup_levels;

/// `height`: of bands, unless there would be too many. Finds all branches, however short. Memory comes from `work`.
sup_result sup_levels_create(const sup_curve_mesh* mesh, const sup_topology* topology, const float* u, float height,
                             sup_arena* work, sup_levels* out, sup_error* error);
/// Drops branches shorter than `least`: tips join the fork they leave from, adjacent forks become one.
void sup_levels_simplify(sup_levels* levels, float least);
/// The length of the longest branch left.
float sup_levels_longest(const sup_levels* levels);
/// Numbers the remaining branches without gaps and places every region on them. No simplifying afterwards.
void sup_levels_settle(sup_levels* levels);
/// Marks the points of some branches. Only before settling.
void sup_levels_mark(const sup_levels* levels, const bool* branches, bool* marked);
/// Where a point is: its branch (SUP_NONE: at a fork) and how far along.
uint32_t sup_levels_place(const sup_levels* levels, uint32_t point, float* along);
/// The position along a branch, from its lower end, with this much of its area behind it.
float sup_levels_area_at(const sup_levels* levels, uint32_t branch, float area);

/// A ring to be cut: where on its branch; found: at which level, and a triangle that it passes (SUP_NONE: none).
typedef struct sup_level_ring {
    uint32_t branch;
    float    along, level;
    uint32_t triangle;
    uint32_t curve; ///< for the caller: its number once it is cut
} sup_level_ring;
/// Corrects `along` to where the ring really is: beside a fork that was absorbed rather than on it.
sup_result sup_levels_find(const sup_levels* levels, sup_level_ring* rings, uint32_t count, sup_error* error);

#endif
