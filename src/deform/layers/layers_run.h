/// deform/layers/layers_run.h: the memory of one step, and the stages that run on it.
#ifndef SUP_DEFORM_LAYERS_RUN_H
#define SUP_DEFORM_LAYERS_RUN_H

#include "deform/layers/layers.h"
#include "math/wide.h"

enum { LAYERS_GRAIN = 256 };

/// One step, cut out of scratch.
typedef struct layers_run {
    const layers_bound*  b;
    const layers_params* p;       ///< as limited
    layers_params        limited;
    const sup_frame*     frame;
    const sup_tasks*     tasks;
    layers_arrays        s;

    sup_pose   now, last;      ///< of the substep, and of the one before; relative to the origin
    sup_pose   bent;           ///< the bind pose in its place, where the pre-roll begins
    sup_vec3 * start, *end;    ///< particles as the chain skins them, at both ends of the step
    sup_vec3*  targets;        ///< of the bone layer, in the substep
    sup_mat3*  matrices;       ///< of the skinning at each point, until contacts are looked for
    sup_mat3*  turns;          ///< of the bone layer, in the substep: blended linearly, whatever the skinning
    sup_vec3*  accelerations;  ///< per point
    sup_vec4*  h;              ///< where particles would be by themselves; w: their share of the way to the goal
    sup_vec4*  from;           ///< at the start of the substep
    float*     blends;         ///< h.w of each particle
    float*     decays;         ///< per point: what is left of a velocity after a substep
    float*     firm;           ///< per point: share of the way to its place over the bone
    float*     tethers;        ///< per point
    float*     reaches;        ///< per point: how far the tether lets go in the substep
    float*     couplings;      ///< per point
    float*     volume_weights; ///< per point
    float*     bulges;         ///< per part
    sup_vec3*  joints;         ///< where they are
    sup_vec4 * y, *c0;         ///< a reference that muscles have moved
    float*     activations;    ///< per joint
    float*     maxima;         ///< per piece
    uint32_t*  strained;       ///< pairs, in pieces of LAYERS_GRAIN
    uint32_t*  strained_counts;
    sup_solid* solids;
    float*     rows; ///< of the cage, for the ride
    sup_vec3*  morphed; ///< points of what rides, at rest
    void *     skin_scratch, *match_scratch, *volume_scratch, *contact_scratch, *planes_scratch;

    float              dt;       ///< of a substep
    uint32_t           substeps;
    bool               ramping; ///< on the way from the bind pose into the first one
    bool               held;    ///< the bone layer follows exactly
    bool               muscles; ///< y and c0 are in use
    sup_contact_call   contact_call;
    sup_planes_call    planes_call;
    bool*              pushed; ///< points, by what they touch
    bool               apart; ///< planes keep apart what is apart
    bool               crowded; ///< too much of the skin is in one place
    uint32_t           crossing, released;
    uint32_t           cold, shortened, skipped, lost;
} layers_run;

/// Cuts the scratch; with NULL it only counts. Returns its bytes.
size_t layers_run_cut(const layers_bound* b, void* scratch, layers_run* out);

/// A pose relative to the origin.
void layers_take_pose(const layers_run* r, const sup_pose* from, sup_pose* to);
/// The particles as the chain's skinning poses them. Matrices may be NULL: else `stride` of them.
void layers_skin(const layers_run* r, const sup_pose* pose, sup_vec3* out, sup_mat3* matrices);

/// layers_start.c: steps of the pre-roll that bend the character into its first pose.
uint32_t layers_ramp_steps(const layers_bound* b, const sup_frame* frame);
/// The pose at i / n of the step.
void layers_pose(layers_run* r, uint32_t i, uint32_t n, sup_pose* out);
/// The first step after the pre-roll: the skin's speed.
void layers_set_out(layers_run* r);

/// layers_forces.c: gravity relative to rest and the pushes of the world, per point.
void layers_accelerate(layers_run* r);
/// layers_muscle.c: activations and the reference they move.
void layers_flex(layers_run* r);
/// layers_solve.c: one substep, `index` from 1.
void layers_substep(layers_run* r, uint32_t index);
/// With the poses of both ends of the step in `last` and `now`: the root's motion, as far as tissue does not lag behind it,
/// goes into `start`.
void layers_lead(layers_run* r);
/// What may touch in the step, found once.
void layers_search(layers_run* r);
void layers_show_contacts(layers_run* r);

// ---------------------------------------------------------------------------------------------- kernels

/// Particles begin to end: where they would be by themselves, and how turned.
SUP_WIDE_DECLARE(void, layers_predict, (const layers_run* r, uint32_t begin, uint32_t end));
/// Which of eight points from k on are near the end of their tethers, or beyond: a bit each, per layer.
SUP_WIDE_DECLARE(void, layers_sift_tethers, (const layers_run* r, uint32_t k, uint32_t out[LAYER_BONE]));
/// Firm tissue of points begin to end (multiples of 8) goes towards its place over the bone.
SUP_WIDE_DECLARE(void, layers_hold_firm, (const layers_run* r, uint32_t begin, uint32_t end));
/// The strained ones of the pairs begin to end. Returns how many.
SUP_WIDE_DECLARE(uint32_t, layers_sift_pairs, (const layers_run* r, uint32_t begin, uint32_t end, uint32_t* out));
/// Of particles begin to end, with damping. Returns the largest speed relative to the skinned motion.
SUP_WIDE_DECLARE(float, layers_velocities, (const layers_run* r, uint32_t begin, uint32_t end));

#endif
