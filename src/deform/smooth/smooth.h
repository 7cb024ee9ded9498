/// deform/smooth/smooth.h: memory layout of a smoothed surface, shared by smooth.c, smooth_order.c (builds it) and
/// smooth_wide.c (runs it).
///
/// Points stand in *slots*: along a walk over the surface, so that neighbors are near in memory, and within each *chunk* of
/// slots by how many neighbors they have. A *run* of slots with equal counts is a loop of known length, without a branch that
/// the machine could guess wrong.
#ifndef SUP_DEFORM_SMOOTH_H
#define SUP_DEFORM_SMOOTH_H

#include "geom/surface/topology.h"
#include "math/wide.h"
#include "supple/scene.h"

/// Four floats per point: one load and one add serve all three coordinates.
typedef float smooth_f4 __attribute__((vector_size(16)));

enum { SMOOTH_CHUNK = 1024 }; // slots: 16 KB of points fit the first-level cache

/// Slots begin up to end: all with `valence` neighbors, and surrounded by polygons that are cut into `quads` quads. Pinned and
/// loose points have neither.
typedef struct smooth_run {
    uint32_t begin, end;
    uint32_t valence, quads;
    size_t   ring; ///< first slot's neighbors in smooth_surface.ring
    size_t   quad; ///< first slot's quads in smooth_surface.quads
} smooth_run;

/// Twice the area vector of the polygons around a point is the sum over its quads a b c d of (c - a) x (d - b): in a closed
/// fan the point itself cancels out, and a quad costs one cross product. A triangle has d = a.
typedef struct smooth_quad {
    uint32_t a, b, c, d; ///< slots
} smooth_quad;

typedef struct smooth_surface {
    uint32_t           point_count;
    uint32_t           chunk_count;
    const uint32_t*    chunk_runs; ///< chunk_count + 1
    const smooth_run*  runs;
    const uint32_t*    order; ///< the point of each slot, padded by eight
    const uint32_t*    ring;  ///< slots
    const smooth_quad* quads;
    float*             details[3]; ///< by slot, in the frame of the smoothed rest shape; padded by eight
    float              step;
} smooth_surface;

/// Builds everything except the details. `pinned` points do not move.
sup_result sup_smooth_surface_create(const sup_mesh* mesh, const sup_topology* topology, const bool* pinned, sup_arena* arena,
                                     smooth_surface* out, sup_error* error);

/// The arguments of all kernels; each reads what it needs.
typedef struct smooth_job {
    const smooth_surface* surface;
    const sup_vec3*       points;    ///< the input, by point
    const smooth_f4*      from;      ///< smoothed, by slot
    smooth_f4*            to;        ///< by slot
    float                 strength;  ///< of all points
    const float*          strengths; ///< or by point
    sup_vec3*             out;       ///< by point
    uint32_t*             frameless; ///< per chunk: points without a frame
} smooth_job;

/// Chunks begin up to end: copies the points to their slots in `to`.
SUP_WIDE_DECLARE(void, sup_smooth_spread, (const smooth_job* job, uint32_t begin, uint32_t end));
/// to = one step from `from` toward the neighbors' mean.
SUP_WIDE_DECLARE(void, sup_smooth_average, (const smooth_job* job, uint32_t begin, uint32_t end));
/// surface->details from `points` (the rest shape) and `from` (smoothed).
SUP_WIDE_DECLARE(void, sup_smooth_measure, (const smooth_job* job, uint32_t begin, uint32_t end));
/// out = points + strength (from + frame x details - points).
SUP_WIDE_DECLARE(void, sup_smooth_correct, (const smooth_job* job, uint32_t begin, uint32_t end));

#endif
