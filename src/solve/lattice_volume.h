/// solve/lattice_volume.h: parts of a lattice that keep their volume, by moving particles outwards along a field
/// (Chen et al. 2012, section 4.3, corrected).
///
/// A part is a set of cells; its volume is exact for trilinear cells: inner faces cancel, so only its boundary faces count,
/// each a bilinear patch a b c d of (det(a,b,c) + det(a,c,d) + det(a,b,d) + det(b,c,d)) / 12. Along x + l v it is a cubic in l.
///   v = fade s M u / |M u|      u = outwards at rest, s = 1 / (1 + cells to the boundary), M = the particle's skinning matrix
/// fade falls to 0 where a part is cut from its neighbor, so that parts do not disturb each other.
#ifndef SUP_SOLVE_LATTICE_VOLUME_H
#define SUP_SOLVE_LATTICE_VOLUME_H

#include "geom/voxels.h"
#include "math/rotation.h"
#include "math/wide.h"

typedef struct sup_lattice_volume_desc {
    const sup_voxels* voxels;
    const uint32_t*   slots; ///< where each particle is in the arrays given to sup_lattice_volume_apply
    uint32_t          slot_count;
    uint32_t          part_count;
    const uint32_t*   labels; ///< part of each cell, SUP_NONE: none
    float             fade;   ///< 0 to 0.5 of a part's length
} sup_lattice_volume_desc;

typedef struct sup_lattice_part {
    uint32_t block_begin, block_end;   ///< of eight boundary faces
    uint32_t member_begin, member_end; ///< padded to eight
    uint32_t origin;                   ///< slot of a particle in the middle: volumes are measured from there
    uint32_t cells;                    ///< rest volume
    float    most;                     ///< largest length of its field
} sup_lattice_part;

typedef struct sup_lattice_volume {
    double                  h;
    uint32_t                part_count;
    const sup_lattice_part* parts;
    const uint32_t*         faces;   ///< per block four rows of eight members (within the part); empty lanes repeat member 0
    const uint32_t*         members; ///< slots
    const float*            weights; ///< fade s of each
    const sup_vec3*         outward; ///< u of each slot, 0 on the middle
    uint32_t                member_count;
    bool                    apart; ///< no two parts move the same particle
} sup_lattice_volume;

sup_result sup_lattice_volume_create(const sup_lattice_volume_desc* desc, sup_arena* arena, sup_lattice_volume* out,
                                     sup_error* error);

/// One correction. Positions are moved in place.
typedef struct sup_lattice_volume_call {
    sup_vec3*        points;   ///< per slot
    const sup_mat3*  matrices; ///< per slot
    const double*    targets;  ///< per part, times the rest volume; NULL: 1
    const float*     strength; ///< per part, 0 leaves it alone, 1 meets the target; NULL: 1
    uint32_t         sweeps;
    const sup_tasks* tasks;
    float*           scratch; ///< sup_lattice_volume_scratch bytes, 64-byte aligned
} sup_lattice_volume_call;

/// What could not be done, for the caller to count.
typedef struct sup_lattice_volume_report {
    uint32_t inside_out; ///< parts left alone: their field does not enlarge them
    uint32_t extreme;    ///< parts that stop at their greatest or least volume
} sup_lattice_volume_report;

size_t                    sup_lattice_volume_scratch(const sup_lattice_volume* volume);
sup_lattice_volume_report sup_lattice_volume_apply(const sup_lattice_volume* volume, const sup_lattice_volume_call* call);
/// The volume of every part in cells at rest size. scratch as above.
void sup_lattice_volume_measure(const sup_lattice_volume* volume, const sup_vec3* points, float* scratch, double* out);

/// How fast the field enlarges a part at rest: its growth in cells per cell of l. Where cuts leave little free, little.
double sup_lattice_volume_growth(const sup_lattice_volume* volume, uint32_t part, const sup_vec3* rest,
                                 const sup_mat3* unturned, float* scratch);

/// The l of least size with a0 + a1 l + a2 l^2 + a3 l^3 = target, within the interval around 0 on which the cubic rises and
/// within |l| <= limit; the end of the interval when there is none. a1 must be positive. *met: it is a root.
double sup_lattice_cubic_root(const double a[4], double target, double limit, bool* met);

/// Eight members at a time: places relative to the origin in cells, and the field. planes: six rows of `stride` floats.
typedef struct sup_lattice_field_job {
    const sup_lattice_volume* volume;
    const sup_lattice_part*   part;
    const sup_vec3*           points;
    const sup_mat3*           matrices; ///< NULL: places only
    float*                    planes;   ///< of this part's members
    uint32_t                  stride;
} sup_lattice_field_job;
SUP_WIDE_DECLARE(void, sup_lattice_field, (const sup_lattice_field_job* job));
/// The four coefficients of the part's volume along the field, in cells.
SUP_WIDE_DECLARE(void, sup_lattice_cubic, (const sup_lattice_field_job* job, double out[4]));

#endif
