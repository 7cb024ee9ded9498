/// deform/lattice/lattice.h: what the files of this deformer share. lattice.c describes the method.
#ifndef SUP_DEFORM_LATTICE_H
#define SUP_DEFORM_LATTICE_H

#include "base/internal.h"
#include "geom/volume/voxels.h"
#include "math/rotation.h"
#include "math/vec.h"
#include "math/wide.h"
#include "solve/lattice/lattice_embed.h"
#include "solve/lattice/lattice_gaps.h"
#include "solve/lattice/lattice_volume.h"
#include "solve/lattice/regions.h"
#include "solve/skinning/skinning.h"
#include "supple/deformer.h"

typedef struct lattice_params {
    int         cells;
    int         region;
    float       shape_hz, pose_hz, damping_ratio;
    float       bone_radius, limit;
    float       volume;
    int         sweeps;
    float       fade;
    const char* parts;
    int         measure;
    int         weights;
    int         blend;
    float       spread, strength;
    int         reference, integrator;
    float       delta;
    bool        smooth_embedding;
    float       gravity;
    bool        gravity_rest;
    float       drag, density, inertia;
} lattice_params;

enum { MEASURE_SKIN, MEASURE_CELLS };
enum { WEIGHTS_AUTO, WEIGHTS_SCREENED, WEIGHTS_DIFFUSE, WEIGHTS_FILE };
enum { BLEND_DUALQUAT, BLEND_LINEAR };
enum { REFERENCE_POSE, REFERENCE_REST };
enum { INTEGRATOR_IMPLICIT, INTEGRATOR_SYMPLECTIC };

/// In the order of lattice_rows.
enum {
    ROW_CELLS,
    ROW_REGION,
    ROW_SHAPE_HZ,
    ROW_POSE_HZ,
    ROW_DAMPING_RATIO,
    ROW_BONE_RADIUS,
    ROW_LIMIT,
    ROW_VOLUME,
    ROW_SWEEPS,
    ROW_FADE,
    ROW_PARTS,
    ROW_MEASURE,
    ROW_WEIGHTS,
    ROW_BLEND,
    ROW_SPREAD,
    ROW_STRENGTH,
    ROW_REFERENCE,
    ROW_INTEGRATOR,
    ROW_DELTA,
    ROW_SMOOTH,
    ROW_GRAVITY,
    ROW_GRAVITY_REST,
    ROW_DRAG,
    ROW_DENSITY,
    ROW_INERTIA,
    ROW_COUNT,
};
extern const sup_param lattice_rows[ROW_COUNT];

/// Rows that vary over points are extended to particles: scale and offset per slot.
enum { SOFT_SHAPE, SOFT_POSE, SOFT_DAMPING, SOFT_GRAVITY, SOFT_COUNT };
extern const uint32_t lattice_soft_rows[SOFT_COUNT];

typedef struct lattice_body lattice_body;

/// A place on a bone, and its share in a corner of the parts' faces. Those of one corner are adjacent.
typedef struct lattice_carried {
    uint32_t member, joint;
    sup_vec3 rest;
    float    share;
} lattice_carried;

/// The points of the mesh whose mean defines a center of the volume.
typedef struct lattice_middle {
    uint32_t        count;
    const uint32_t* points;
} lattice_middle;

/// Chunks of the regions, from begin to end.
typedef struct lattice_reach {
    uint32_t begin, end;
} lattice_reach;

/// What bind produces. Arrays over particles are in slots (solve/lattice/regions.h).
typedef struct lattice_bound {
    const sup_character* character;
    sup_skinning         skinning;
    uint32_t             point_count, count, joint_count;
    uint32_t             root; ///< the first skin joint
    double               h;    ///< side of a cell, units
    sup_voxels           voxels;
    sup_regions          regions;
    const sup_skin_set*  skin;
    sup_lattice_volume   volume;
    sup_lattice_gaps     gaps;
    const uint32_t*      part_joints; ///< the joint of each part
    const uint32_t*      joint_parts; ///< the part of each joint, or SUP_NONE
    sup_field            volume_field;
    sup_lattice_embed    embed;
    const sup_vec3*      rest;     ///< per slot
    const float*         free;     ///< per slot: 0 where it is pinned to its bone, else 1
    const float*         loose;    ///< per slot: how much of the chain's pose may be changed, 0 in thin parts; NULL: all
    const float*         thin;     ///< per slot: 1 / (units from the bone to the skin there)^2
    const float*         mass;     ///< per slot, kilograms for a density of 1 kg/m^3
    const float*         exposure; ///< per slot: share of its octants that is outside
    sup_field            soft[SOFT_COUNT];
    const float*         bare; ///< per slot: 1 where softness is not painted, else 0; NULL: painted nowhere, or everywhere
    const uint8_t*       painted_parts;     ///< per part: paint reaches its skin; only if bare is not NULL
    lattice_reach        goals, fits, sums; ///< where painted flesh is, the regions it matches, and the sums these need
    bool                 dualquat;          ///< dual quaternions pose the corners, whatever the chain does
    bool                 keeps_file;        ///< the skin keeps the file's weights, and the lattice adds to it
    const sup_skin_set*  point_skin;        ///< of the mesh's points, where they are measured or rotated; NULL: not needed
    bool                 twists;            ///< dual quaternions rotate the corners where bones twist; the chain is linear
    const sup_vec3*      bone_axes;         ///< per joint, unit, at rest
    const uint32_t *     influence_begin, *influence_joints; ///< weights per slot
    const float*         influence_values;
    const uint32_t*      member_points; ///< of each corner of the parts' faces, SUP_NONE: not a mesh point; NULL: see node_skin
    const sup_skin_set*  node_skin;     ///< keeps_file: of the corners of the parts' faces that lie between points; NULL: none
    uint32_t             carried_count;
    lattice_carried*     carried;
    lattice_middle*      middles;
    uint32_t             body_count;
    const lattice_body*  bodies; ///< as the world lists them
    size_t               body_scratch;
    const uint32_t*      dominant; ///< per slot: the joint that moves it most

} lattice_bound;

sup_result lattice_bind(const sup_bind_input* in, sup_arena* arena, sup_binding* out, sup_error* error);
/// The part of every cell, numbered from the root; fills part_count, part_joints and the part of every joint, SUP_NONE if it
/// has no cells. `dominant`: the joint of every cell.
sup_result lattice_label_parts(const sup_bind_input* in, const lattice_bound* b, const uint32_t* dominant, sup_arena* arena,
                               uint32_t** labels, uint32_t* part_count, uint32_t** part_joints, uint32_t** joint_parts,
                               sup_error* error);

/// The joint at the nearer end of the nearest bone of `joint`: itself, or the child that the bone leads to.
uint32_t lattice_near_end(const sup_skeleton* s, uint32_t joint, sup_vec3 place);
/// Joints that one group of the parameter `parts` matches are replaced by the first of them.
void lattice_group_joints(const sup_bind_input* in, const char* text, uint32_t* joined);
/// The parts, as text for the parameter `parts`.
sup_result lattice_save(const sup_binding* binding, sup_arena* arena, const void** bytes, size_t* size, sup_error* error);

/// A linear map from values at points to values at particles: least squares at the skin, harmonic inside. Columns of eight:
/// values is point_count x 8 in, out particle_count x 8. Reports `share_done` as the progress of bind, which may be canceled.
sup_result lattice_extend(const lattice_bound* b, const float* places, const float* values, float* out,
                          const sup_bind_input* in, double share_done, sup_arena* scratch, sup_error* error);

/// State: this header, then planes of `count` floats.
typedef struct lattice_state {
    float    key[8]; ///< what the springs were computed for
    uint32_t moving; ///< the velocity of the pose is known
    uint32_t unused[7];
} lattice_state;

enum { PLANE_D, PLANE_W = 3, PLANE_Y = 6, PLANE_U = 9, PLANE_Q = 12, PLANE_PULL = 16, PLANE_HOLD, PLANE_KEEP, PLANE_COUNT };

/// Bytes of one flesh.
static inline size_t lattice_flesh_size(const lattice_bound* b)
{
    return sizeof(lattice_state) + (size_t)PLANE_COUNT * b->count * sizeof(float);
}
/// Where softness is painted, the bare flesh follows the visible one.
static inline size_t lattice_state_size(const lattice_bound* b) { return (b->bare ? 2 : 1) * lattice_flesh_size(b); }
static inline void*  lattice_bare_state(const lattice_bound* b, void* state) { return (uint8_t*)state + lattice_flesh_size(b); }
static inline float* lattice_plane(const lattice_bound* b, void* state, uint32_t plane)
{
    return (float*)((uint8_t*)state + sizeof(lattice_state)) + (size_t)plane * b->count;
}

/// Outside the paint, replaces the flesh by the bare one.
void lattice_take_bare(const lattice_bound* b, const sup_tasks* tasks, lattice_reach chunks, void* state);

size_t lattice_scratch_size(const lattice_bound* b);
void   lattice_reset(const sup_binding* binding, const void* params, const sup_frame* frame, void* state, void* scratch);
void   lattice_evaluate(const sup_binding* binding, const void* params, const sup_frame* frame, void* state, void* scratch,
                        sup_vec3* out);
void   lattice_draw(const sup_binding* binding, const sup_pose* pose, const void* state, const sup_vec3* skin,
                    const sup_canvas* canvas);

/// Scratch of one evaluate.
typedef struct lattice_scratch {
    sup_vec3* pose;      ///< per slot: y, the target, with volume corrected
    sup_vec3* skinned;   ///< per slot: y before the correction
    sup_vec3* plain;     ///< per slot: as the chain itself poses it, if that differs
    sup_vec3* points;    ///< per point: the same, if the chain's own points belong to another pose
    sup_vec3* turned;    ///< per point: skinned like the corners, if that differs
    sup_mat3* matrices;  ///< per slot
    sup_vec3* push;      ///< per slot: acceleration
    sup_vec3* bare_push; ///< the same for the bare flesh
    sup_vec3* bare;      ///< per slot: x of the bare flesh
    sup_vec3* moved;     ///< per slot: x, where particles are pushed from outside or by their neighbors
    sup_vec3* before;    ///< per slot: x at the start of the substep, if there are bodies
    float*    turns;     ///< two per joint
    float*    blend;     ///< per slot, per point and per node: share of the dual quaternion blend
    float*    point_blend;
    float*    node_blend;
    float*    clearance; ///< per slot: how much of the correction it takes; less where skin meets skin
    float*    hold;      ///< per slot: 1 / (how far it may be from its skinned place)^2
    void*     gaps;
    float*    stiffness; ///< per slot: the pull to the pose, kp dt^2, where softness varies; INFINITY outside the paint
    float*    near;      ///< per slot: how strongly a force reaches it
    float*    planes;    ///< planes of `count` floats, see lattice_step
    float*    work;      ///< of the regions
    float*    x;         ///< per slot: four floats for the embedding
    void*     volume;
    float*    strength;
    double*   targets;
    double*   reached;      ///< per part: the volume of the pose
    double*   bare_reached; ///< per part: the volume of the bare flesh
    double*   linear;       ///< per part: the volume as the chain poses it
    sup_vec3* known;        ///< per corner of the parts' faces, if all of them are on the skin: where the chain puts it
    sup_vec3* offsets;      ///< per corner of the parts' faces: offset of the file's skin from its place in the cell
    void*     node_skin;
    uint32_t* cold;
    bool*     still;   ///< per chunk
    sup_vec3* morphed; ///< per point
    void*     skin;
    void*     pose_memory;
    void*     bodies;
} lattice_scratch;

/// Fills s->blend where bones twist. False: nowhere.
bool lattice_find_blends(const lattice_bound* b, const sup_frame* frame, const sup_pose* pose, const lattice_scratch* s);
/// The same for points and nodes, times the clearance of the corners around them.
void lattice_find_skin_blends(const lattice_bound* b, const sup_frame* frame, const lattice_scratch* s);

/// Where the corners are skinned, their targets (with volumes restored), and their clearance.
void lattice_make_pose(const lattice_bound* b, const lattice_params* p, const sup_frame* frame, const sup_pose* pose,
                       const lattice_scratch* s, bool* twisted);
bool lattice_keeps_volume(const lattice_bound* b, const lattice_params* p);
/// The mesh's points, rotated like the corners. `rest`: rest points to use in place of the mesh's own; NULL: none.
void lattice_turn_points(const lattice_bound* b, const sup_frame* frame, const sup_pose* pose, const sup_vec3* rest,
                         const lattice_scratch* s);

/// One substep of the clock, for the wide kernels. Planes are `count` floats.
typedef struct lattice_step {
    const lattice_bound* b;
    void*                state;
    lattice_reach        goals, fits, sums; ///< all chunks, or those around the paint
    double*              reached;           ///< out, per part, for the bare flesh: its volume; NULL: not needed
    sup_regions_job      regions;
    const sup_vec3*      pose;   ///< y at the end of the step
    float                part;   ///< how far y has moved there from the previous pose; 1: fully
    const sup_vec3*      origin; ///< of the regions' reference: the root's
    const sup_rigid*     rest;   ///< reference=rest: the root's motion; NULL: pose
    const sup_vec3*      push;   ///< NULL: none
    float*               d[3];
    float*               w[3];
    float*               y[3];
    float*               u[3];
    float*               pull; ///< implicit: ks dt^2; symplectic: alpha
    float*               hold; ///< implicit: 1 / (1 + (ks + kp) dt^2); symplectic: delta
    float*               keep; ///< share of the speed that remains
    float*               in[3];
    float*               reference[3];
    float*               start[3];
    float*               ahead[3];
    float*               apart[3]; ///< reference=rest: y - its reference
    float*               goal[3];
    float*               held;  ///< hold, including the pull that grows with the displacement
    float                limit; ///< 1 / limit^2; 0: none
    float                dt;
    bool                 symplectic;
    bool                 last;   ///< last iteration
    float                settle; ///< factor on keep
    uint32_t*            cold;
    bool*                still; ///< per chunk
} lattice_step;

/// Where the particles would be without springs, and the input of the regions. True: all of them are exactly on their pose.
SUP_WIDE_DECLARE(bool, lattice_predict, (const lattice_step* s, uint32_t chunk));
/// Applies the springs to the goals; in the last iteration also the velocities.
SUP_WIDE_DECLARE(void, lattice_update, (const lattice_step* s, uint32_t chunk));

/// Accelerations by the world into s->push; false: there are none.
bool lattice_pushes(const lattice_step* j, const lattice_params* p, const sup_frame* frame, const lattice_scratch* s);
/// BVHs of the meshes among the bodies.
sup_result lattice_bind_bodies(const sup_world_plan* plan, sup_notes* notes, sup_arena* arena, lattice_bound* b,
                               sup_error* error);
/// Moves particles out of the bodies of the world, over the part of the step between `from` and `to`, at whose start they were
/// at `before`. Returns how many were inside.
uint32_t lattice_push_bodies(const lattice_bound* b, const sup_frame* frame, double from, double to, void* scratch,
                             const sup_vec3* before, sup_vec3* x);

#endif
