/// solve/lattice/lattice_volume.h: parts of a lattice that keep their volume, by moving particles outward along a field (Chen
/// et al. 2012, section 4.3, corrected).
///
/// A part is a set of cells. Its volume is that of the skin around it: enclosed by the mesh's own triangles, with cuts closed
/// by fans, if they are closed and neither coarser nor much finer than the cells; otherwise by the faces of its cells drawn
/// between nodes on the skin (solve/lattice/lattice_nodes.h); or by the cells themselves. Inner faces of cells cancel, so only
/// boundary faces count, each a bilinear patch a b c d of (det(a,b,c) + det(a,c,d) + det(a,b,d) + det(b,c,d)) / 12, which is
/// exact for trilinear cells; a triangle has c = d. Along x + l v it is a cubic in l.
///   v = share s M u / |M u|     s u = the slope of a screened distance to the skin, smooth; M = the particle's skinning matrix
///   v = share M c               c = outward from the core, growing evenly: undoes a swelling without crumpling the skin
/// Shares are of two kinds. The smooth shares of all parts sum to 1 and blend into each other across the cuts, so that the skin
/// has no dents there; a few rounds move all parts at once by the inverse of their rest rates. The small remainder is corrected
/// exactly, part by part, with shares that fall to 0 at the cuts, so that parts do not disturb each other.
#ifndef SUP_SOLVE_LATTICE_LATTICE_VOLUME_H
#define SUP_SOLVE_LATTICE_LATTICE_VOLUME_H

#include "geom/volume/volumes.h"
#include "geom/volume/voxels.h"
#include "math/rotation.h"
#include "math/vec.h"
#include "math/wide.h"
#include "solve/lattice/lattice_nodes.h"

enum { LATTICE_NODE_SLOTS = 8, LATTICE_SHARES = 4, LATTICE_FIELDS = 2 };

typedef struct sup_lattice_volume_desc {
    const sup_voxels*       voxels;
    const uint32_t*         slots; ///< index of each particle in the arrays given to sup_lattice_volume_apply
    uint32_t                slot_count;
    uint32_t                part_count;
    const uint32_t*         labels; ///< part of each cell, SUP_NONE: none
    const sup_lattice_node* nodes;  ///< per particle; NULL: volumes of cells
    /// The mesh, for the volume of its own triangles; none: nodes represent it.
    uint32_t        point_count, triangle_count;
    const uint32_t* triangles;
    const uint32_t* point_cells;  ///< of each point
    const float*    point_places; ///< three per point, in its cell
    /// The parts of the mesh, cuts closed where the bones carry them; NULL: its triangles get the labels of their cells, if
    /// they are neither coarser nor much finer than the cells.
    const sup_volumes*  surface;
    const float*        loose;    ///< per slot: factor on s and c; NULL: 1
    const sup_vec3*     core;     ///< c of each slot, in cells; NULL: only the first field exists
    float               fade;     ///< 0 to 0.5 of a part's length; 0: as in the paper, parts one after the other
    bool                trial;    ///< for sup_lattice_volume_growth only
    const sup_progress* progress; ///< called now and then with 0.8: false cancels, SUP_ERROR_CANCELLED
} sup_lattice_volume_desc;

typedef struct sup_lattice_part {
    uint32_t block_begin, block_end;   ///< of eight boundary faces
    uint32_t member_begin, member_end; ///< padded to eight
    uint32_t origin;                   ///< slot of a particle near the center: volumes are measured relative to it
    uint32_t cells;
    uint32_t carrier;              ///< the part whose smooth field moves most of its skin: usually itself
    double   rest;                 ///< volume at rest, in cells
    float    most[LATTICE_FIELDS]; ///< largest length of its own field
    float    rate[LATTICE_FIELDS]; ///< growth of its volume along its smooth field, at rest
} sup_lattice_part;

/// A member at the center of points of the mesh: it moves as their mean does.
typedef struct sup_lattice_middle {
    uint32_t member, begin, end; ///< slots, and their weights for its place and for its part's own field
} sup_lattice_middle;

/// A range of a part's members, or of its blocks of faces: chunks of work of similar size.
typedef struct sup_lattice_piece {
    uint32_t part, begin, end;
} sup_lattice_piece;

typedef struct sup_lattice_volume {
    double                  h;
    uint32_t                part_count, slot_count, member_count;
    const sup_lattice_part* parts;
    const uint32_t*         faces; ///< per block four rows of eight members (within the part); empty lanes repeat member 0
    /// Corners of the faces: eight slots each (those of its cell, nearest first), the weights for their places and for their
    /// own field.
    const uint32_t*           members;
    const float*              places;
    const float*              fields;
    uint32_t                  member_piece_count, face_piece_count;
    const sup_lattice_piece * member_pieces, *face_pieces; ///< part by part
    uint32_t                  middle_count;                ///< members ascending
    const sup_lattice_middle* middles;
    const uint32_t*           middle_slots;
    const float *             middle_places, *middle_fields;
    const sup_lattice_node*   nodes;        ///< nodes of the members
    const uint32_t*           member_nodes; ///< of each member
    const uint8_t*            rides;        ///< per member: rides on the skin or on bones, not on a particle
    const float*              carried;      ///< per member: 1 on bones, where its offset is its whole place
    const sup_vec3*           outward;      ///< u of each slot, 0 on the medial axis
    const float*              reach;        ///< s of each slot
    const sup_vec3*           core;         ///< c of each slot; NULL: none
    const uint32_t*           owners;       ///< per slot: the part whose own field moves it, or SUP_NONE
    const float*              fade;         ///< its share of that field
    const uint32_t*           share_begin;  ///< slot_count + 1: smooth shares (apart), or the parts around a particle
    const uint32_t*           share_parts;
    const float*              shares;
    uint32_t                  share_stride; ///< the same in LATTICE_SHARES rows of this length, for wide kernels; 0: none
    const uint32_t*           row_parts;
    const float*              row_shares;
    const uint32_t*           couple_begin; ///< part_count + 1: how the smooth fields of other parts change this one at rest
    const uint32_t*           couple_parts;
    const float*              couples[LATTICE_FIELDS];
    uint32_t cell_parts; ///< parts measured by their cells although nodes were given: the skin encloses too little
    bool     exact;      ///< the mesh's own triangles are measured
    bool     apart;      ///< no particle is moved by the own fields of two parts
} sup_lattice_volume;

sup_result sup_lattice_volume_create(const sup_lattice_volume_desc* desc, sup_arena* arena, sup_lattice_volume* out,
                                     sup_error* error);

/// No part ends worse than the chain poses it. A part that would moves back toward the fallback as far as necessary.
typedef struct sup_lattice_volume_bounds {
    const sup_vec3* fallback; ///< per slot
    const double* linear; ///< per part: its volume as the chain poses it: the bound on its distance from rest, or 0.2 % if less
    const double* there;  ///< per part: its volume at the fallback; NULL: measure it
    bool          whole;  ///< the whole may not swell either
} sup_lattice_volume_bounds;

/// One correction. Positions are moved in place. A part within its slack is left alone.
typedef struct sup_lattice_volume_call {
    sup_vec3*       points;    ///< per slot
    const sup_mat3* matrices;  ///< per slot
    bool            core;      ///< along the second field
    const float*    stiffness; ///< per slot, positive: a part moves its softest flesh most, stiffer flesh correspondingly less;
                               ///< INFINITY: not at all; NULL: uniform
    const float*    clearance; ///< per slot: scales the field, 0 where skin meets skin (solve/lattice/lattice_gaps.h); NULL: 1
    const sup_vec3* middle;    ///< per slot: in no round does it move farther from here than its clearance; NULL: no limit
    const float*    hold;      ///< per slot: 1 / clearance^2
    const sup_vec3* offsets;   ///< per member, added to its place; NULL: none
    const sup_vec3* known;     ///< per member: its place before anything moves; NULL: compute it
    const double*   targets;   ///< per part, relative to the rest volume; NULL: 1
    const float*    strength;  ///< per part, 0 leaves it alone, 1 meets the target; NULL: 1
    const double*   goals;     ///< per part, the volume itself, in place of targets and strength; NULL: none
    const uint8_t*  parts;     ///< per part: 0 where it is at its goal because nothing in it moves; then it need not be nearer
                               ///< to rest than the fallback is; NULL: all may be off
    bool                             rough; ///< skip the exact step at the end
    double                           grow;  ///< cells that a round may move outward at most; 0: as many as inward
    double                           slack; ///< share of the rest volume that a part may stay away from its goal; 0: none
    uint32_t                         sweeps;
    const sup_tasks*                 tasks;
    void*                            scratch; ///< sup_lattice_volume_scratch bytes, 64-byte aligned
    const sup_lattice_volume_bounds* bounds;  ///< NULL: none. Checked between the smooth rounds and the exact step
    double*                          start;   ///< per part: the volume before; NULL: not needed
    double*                          reached; ///< per part: the volume after; NULL: not needed
} sup_lattice_volume_call;

/// What could not be done, for the caller to count.
typedef struct sup_lattice_volume_report {
    uint32_t inside_out;   ///< parts left alone: their field does not enlarge them
    uint32_t out_of_reach; ///< parts that stay farther than 2 % from their goal
    uint32_t held_back;    ///< parts that moved back to stay within their bounds
    bool     moved;
} sup_lattice_volume_report;

size_t                    sup_lattice_volume_scratch(const sup_lattice_volume* volume);
sup_lattice_volume_report sup_lattice_volume_apply(const sup_lattice_volume* volume, const sup_lattice_volume_call* call);
/// The volume of every part, in cells at rest size. offsets, known and scratch as above.
void sup_lattice_volume_measure(const sup_lattice_volume* volume, const sup_vec3* points, const sup_vec3* offsets,
                                const sup_vec3* known, const sup_tasks* tasks, void* scratch, double* out);

/// How fast its own field enlarges a part at rest: its growth in cells per cell of l. Small where cuts leave little free to
/// move.
double sup_lattice_volume_growth(const sup_lattice_volume* volume, uint32_t part, const sup_vec3* rest,
                                 const sup_mat3* unturned, void* scratch);

/// The smallest |l| with a0 + a1 l + a2 l^2 + a3 l^3 = target, within the interval around 0 on which the cubic increases and
/// within |l| <= limit; the end of the interval if there is none. a1 must be positive. *met: l is a root.
double sup_lattice_cubic_root(const double a[4], double target, double limit, bool* met);

/// Eight slots at a time: s M u / |M u| or M c as vectors, from begin up to end.
SUP_WIDE_DECLARE(void, sup_lattice_outward,
                 (const sup_lattice_volume* volume, const sup_mat3* matrices, bool core, uint32_t begin, uint32_t end,
                  sup_vec3* out));

/// No farther than the clearance: `hold` is 1 / clearance^2.
static inline sup_vec3 sup_lattice_within(sup_vec3 off, float hold)
{
    float over = hold * v3_length2(off);
    return over > 1 ? v3_scale(off, 1 / sqrtf(over)) : off;
}

/// How slots move with their parts: the `lengths` of the parts, blended by the smooth shares.
typedef struct sup_lattice_shift_job {
    const sup_lattice_volume* volume;
    const float*              lengths;
    const float*              shares; ///< as row_shares
    const sup_vec3*           toward; ///< per slot: along this, times the blended length in cells
    const sup_vec3*           back;   ///< per slot: or back to this, by as much as the blended length is below the shares' sum
    const sup_vec3*           middle; ///< per slot: and no farther from here than its clearance
    const float*              hold;   ///< per slot: 1 / clearance^2; NULL: no limit
    sup_vec3*                 points;
} sup_lattice_shift_job;
SUP_WIDE_DECLARE(void, sup_lattice_shift, (const sup_lattice_shift_job* job, uint32_t begin, uint32_t end));

/// Vectors as four floats, the last 0: kernels that gather them can load one at once.
SUP_WIDE_DECLARE(void, sup_lattice_spots, (const sup_vec3* from, uint32_t begin, uint32_t end, float* out));

/// Members of a part: places relative to the origin in cells, and the field.
typedef struct sup_lattice_field_job {
    const sup_lattice_volume* volume;
    const sup_lattice_part*   part;
    uint32_t                  begin, end; ///< of its members for the field, of its blocks for the cubic
    const float*              points;     ///< per slot four floats, as filled by sup_lattice_spots
    const sup_vec3 *          offsets, *known;
    const float*              outward;         ///< likewise per slot; NULL: places only
    float *                   places, *fields; ///< four floats per member of this part
} sup_lattice_field_job;
SUP_WIDE_DECLARE(void, sup_lattice_field, (const sup_lattice_field_job* job));
/// The four coefficients, along the field, of what some faces contribute to the part's volume, in cells.
SUP_WIDE_DECLARE(void, sup_lattice_cubic, (const sup_lattice_field_job* job, double out[4]));

#endif
