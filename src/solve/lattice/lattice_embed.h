/// solve/lattice/lattice_embed.h: points of a mesh carried by the particles of the cells they are in.
///
/// Trilinear: eight points of one cell at a time. Smooth: a quadratic B-spline over the 27 particles around the nearest one.
/// The skin lies at the border, where some of the 27 do not exist, so weights are corrected to reproduce linear fields
/// (moving least squares with the spline as kernel); away from the border the correction vanishes.
#ifndef SUP_SOLVE_LATTICE_LATTICE_EMBED_H
#define SUP_SOLVE_LATTICE_LATTICE_EMBED_H

#include "geom/volume/voxels.h"
#include "math/wide.h"

enum { LATTICE_SMOOTH_MAX = 27 };

typedef struct sup_lattice_embed_desc {
    const sup_voxels* voxels;
    const uint32_t*   slots; ///< index of each particle in the arrays given to sup_lattice_embed_run
    uint32_t          point_count;
    const sup_vec3*   points; ///< at rest
    bool              smooth;
} sup_lattice_embed_desc;

typedef struct sup_lattice_embed {
    uint32_t        point_count;
    uint32_t        block_count; ///< up to eight points of one cell
    const uint32_t* corners;     ///< 8 slots of each block
    const uint32_t* index;       ///< 8 points of each; empty lanes repeat the first
    const uint8_t*  lanes;       ///< lanes that hold a point
    const float*    places;      ///< per block three rows of eight: place in the cell, 0 to 1
    const uint32_t* cells;       ///< of each point
    uint32_t        loose_count; ///< points of no triangle that lie in no cell
    const uint32_t* loose;

    const uint32_t* begin; ///< smooth: point_count + 1; NULL: trilinear
    const uint32_t* near;  ///< slots
    const float*    weights;
    uint32_t        fallbacks; ///< points that fall back to trilinear: they have too few neighbors
} sup_lattice_embed;

sup_result sup_lattice_embed_create(const sup_lattice_embed_desc* desc, sup_arena* arena, sup_lattice_embed* out,
                                    sup_error* error);

typedef struct sup_lattice_embed_call {
    const sup_lattice_embed* embed;
    const float*             x;     ///< per slot four floats: a vector and 0
    const sup_vec3*          plus;  ///< per point, added; NULL: nothing
    const sup_vec3*          minus; ///< per point, subtracted; NULL: nothing
    const sup_vec3*          loose; ///< per point: places of the loose ones
    sup_vec3*                out;   ///< per point
} sup_lattice_embed_call;

void sup_lattice_embed_run(const sup_lattice_embed_call* call, const sup_tasks* tasks);

/// Blocks begin up to end; points begin up to end of a smooth one.
SUP_WIDE_DECLARE(void, sup_lattice_embed_blocks, (const sup_lattice_embed_call* call, uint32_t begin, uint32_t end));
/// The products of two values of each slot (b NULL: a alone), interpolated at each point from the corners of its cell.
void sup_lattice_embed_products(const sup_lattice_embed* embed, const float* a, const float* b, const sup_tasks* tasks,
                                float* out);
typedef struct sup_lattice_products_job {
    const sup_lattice_embed* embed;
    const float *            a, *b;
    float*                   out;
} sup_lattice_products_job;
SUP_WIDE_DECLARE(void, sup_lattice_embed_product, (const sup_lattice_products_job* job, uint32_t begin, uint32_t end));
SUP_WIDE_DECLARE(void, sup_lattice_embed_smooth, (const sup_lattice_embed_call* call, uint32_t begin, uint32_t end));

#endif
