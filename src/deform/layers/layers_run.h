/// deform/layers/layers_run.h: the memory of one step, and the stages that run on it.
#ifndef SUP_DEFORM_LAYERS_RUN_H
#define SUP_DEFORM_LAYERS_RUN_H

#include "deform/layers/layers.h"
#include "math/wide.h"

enum { LAYERS_GRAIN = 256 };

/// One step, laid out in scratch.
typedef struct layers_run {
    const layers_bound*  b;
    const layers_params* p;       ///< after limits
    layers_params        limited;
    const sup_frame*     frame;
    const sup_tasks*     tasks;
    layers_arrays        s;

    sup_pose   now, last;      ///< of the substep, and of the previous one; relative to the origin
    sup_pose   bent;           ///< the bind pose moved into place, where the pre-roll begins
    sup_vec3 * start, *end;    ///< particles as skinned by the chain, at both ends of the step
    sup_vec3*  targets;        ///< of the bone layer, for the substep
    sup_mat3*  matrices;       ///< skinning matrices of each point, until the contact search
    sup_mat3*  turns;          ///< rotations of the bone layer, for the substep: blended linearly, whatever the skinning
    sup_vec3*  accelerations;  ///< per point
    sup_vec4*  h;              ///< where particles would be by themselves; w: share of the way to the goal
    sup_vec4*  from;           ///< at the start of the substep
    float*     blends;         ///< h.w of each particle
    float*     decays;         ///< per point: factor on the velocity per substep
    float*     firm;           ///< per point: share of the way to its place over the bone, per substep
    float*     tethers;        ///< per point
    float*     reaches;        ///< per point: how far the tether reaches in the substep
    float*     couplings;      ///< per point
    float*     volume_weights; ///< per point
    float*     bulges;         ///< per part
    sup_vec3*  joints;         ///< current positions
    sup_vec4 * y, *c0;         ///< a reference shape that muscles have moved
    float*     activations;    ///< per joint
    float*     maxima;         ///< per chunk
    uint32_t*  strained;       ///< pairs, in chunks of LAYERS_GRAIN
    uint32_t*  strained_counts;
    sup_solid* solids;
    float*     rows; ///< of the cage, for the ride
    sup_vec3*  morphed; ///< points of the riding mesh, at rest
    void *     skin_scratch, *match_scratch, *volume_scratch, *contact_scratch, *planes_scratch;

    float              dt;       ///< of a substep
    uint32_t           substeps;
    bool               ramping; ///< moving from the bind pose to the first pose
    bool               held;    ///< the bone layer follows the skeleton exactly
    bool               muscles; ///< y and c0 are in use
    sup_contact_call   contact_call;
    sup_planes_call    planes_call;
    bool*              pushed; ///< per point: something pushes it
    bool               apart; ///< planes are in use
    bool               crowded; ///< too much of the skin is in one place
    uint32_t           crossing, released;
    uint32_t           cold, shortened, skipped, lost;
} layers_run;

/// Lays out the scratch; with NULL it only counts. Returns the size in bytes.
size_t layers_run_cut(const layers_bound* b, void* scratch, layers_run* out);

/// A pose relative to the origin.
void layers_take_pose(const layers_run* r, const sup_pose* from, sup_pose* to);
/// The particles as the chain's skinning poses them. Matrices: NULL, or `stride` of them.
void layers_skin(const layers_run* r, const sup_pose* pose, sup_vec3* out, sup_mat3* matrices);

/// layers_start.c: steps of the pre-roll that bend the character into its first pose.
uint32_t layers_ramp_steps(const layers_bound* b, const sup_frame* frame);
/// The pose at i / n of the step.
void layers_pose(layers_run* r, uint32_t i, uint32_t n, sup_pose* out);
/// The first step after the pre-roll: starts with the skin's speed.
void layers_set_out(layers_run* r);

/// layers_forces.c: gravity relative to rest and the forces of the world, per point.
void layers_accelerate(layers_run* r);
/// layers_muscle.c: activations and the reference shape they move.
void layers_flex(layers_run* r);
/// layers_solve.c: one substep, `index` from 1.
void layers_substep(layers_run* r, uint32_t index);
/// With the poses of both ends of the step in `last` and `now`: adds the root's motion, except where tissue lags behind it, to
/// `start`.
void layers_lead(layers_run* r);
/// Searches once for everything that may touch during the step.
void layers_search(layers_run* r);
void layers_show_contacts(layers_run* r);

// ---------------------------------------------------------------------------------------------- kernels

/// Particles begin to end: where they would be by themselves, and their rotation.
SUP_WIDE_DECLARE(void, layers_predict, (const layers_run* r, uint32_t begin, uint32_t end));
/// Which of the eight points from k on are near or beyond the end of their tethers: one bit each, per layer.
SUP_WIDE_DECLARE(void, layers_sift_tethers, (const layers_run* r, uint32_t k, uint32_t out[LAYER_BONE]));
/// Moves firm tissue of points begin to end (multiples of 8) toward its place over the bone.
SUP_WIDE_DECLARE(void, layers_hold_firm, (const layers_run* r, uint32_t begin, uint32_t end));
/// Lists the strained pairs among begin to end. Returns how many.
SUP_WIDE_DECLARE(uint32_t, layers_sift_pairs, (const layers_run* r, uint32_t begin, uint32_t end, uint32_t* out));
/// Velocities of particles begin to end, with damping. Returns the largest speed relative to the skinned motion.
SUP_WIDE_DECLARE(float, layers_velocities, (const layers_run* r, uint32_t begin, uint32_t end));

#endif
