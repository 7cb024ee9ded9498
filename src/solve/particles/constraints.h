/// solve/particles/constraints.h: pure kernels of position-based dynamics (Mueller et al. 2007; Deul and Bender 2013, section
/// 3).
///
/// A *particle* is a sup_vec4: x, y, z and in w its inverse mass, 0 for one that is pinned. A constraint C(x) with gradients
/// grad_j moves every particle by
///     dx_i = -w_i grad_i C / sum_j w_j |grad_j|^2
/// (the paper prints grad_i in the sum; with that a constraint is not met after one step). Kernels that find no direction
/// move nothing and say so; a neighbor will part what they could not, and an invented direction would not repeat.
#ifndef SUP_SOLVE_PARTICLES_CONSTRAINTS_H
#define SUP_SOLVE_PARTICLES_CONSTRAINTS_H

#include "math/vec.h"

static inline sup_vec3 sup_particle_place(const sup_vec4* x) { return v3(x->x, x->y, x->z); }
static inline void     sup_particle_move(sup_vec4* x, float s, sup_vec3 d)
{
    x->x += s * d.x;
    x->y += s * d.y;
    x->z += s * d.z;
}
/// Puts a particle in its place; its inverse mass stays.
static inline void sup_particle_pin(sup_vec4* x, sup_vec3 place)
{
    x->x = place.x;
    x->y = place.y;
    x->z = place.z;
}

// ---------------------------------------------------------------------------------------------- joint bounds

/// C = |x - center| - distance >= 0 with a kinematic center: pushes a particle that has come too close straight out. True when
/// it moved. One at the center itself (nearer than 1e-6 of the distance) has no way out and stays, as do pinned ones.
static inline bool sup_keep_distance(sup_vec4* x, sup_vec3 center, float distance)
{
    sup_vec3 out = v3_sub(sup_particle_place(x), center);
    float    square = v3_length2(out);
    if (!(square < distance * distance) || !(square > 1e-12f * distance * distance) || !(x->w > 0)) return false;
    sup_particle_move(x, distance / sqrtf(square) - 1.0f, out);
    return true;
}

/// One particle kept away from one joint.
typedef struct sup_joint_bound {
    uint32_t particle, joint;
    float    distance; ///< at rest, less where other joints move the particle too; times `keep` at run time
} sup_joint_bound;

typedef struct sup_joint_bounds {
    uint32_t               count;
    const sup_joint_bound* items; ///< by particle, then joint
} sup_joint_bounds;

/// Which particles are close to which joints: nearer than `reach` (1.2) local radii of the joint, which is the mean distance
/// to it of the skin points around it, those that lie within 45 degrees of the plane across its bones (all the points it
/// moves where none do). Only particles that follow the joint and its parent by more than half are its own: a belly with a
/// trace of the leg's weight must not be pushed by the knee.
typedef struct sup_joint_bounds_desc {
    uint32_t        particle_count;
    const sup_vec4* particles;   ///< at rest; pinned ones are left out
    uint32_t        skin_count;  ///< the first particles, and the points of the weights
    uint32_t        layer_count; ///< particle = point + layer x skin_count
    uint32_t        joint_count;
    const sup_vec3* joints;  ///< at rest
    const sup_vec3* axes;    ///< along the bones that meet there, unit; zero: none
    const uint32_t* parents; ///< per joint
    const uint32_t* begin;   ///< weights of the points, as in sup_weights
    const uint32_t* weight_joints;
    const float*    weight_values; ///< NULL: equal shares
    float           reach;
} sup_joint_bounds_desc;

sup_result sup_joint_bounds_create(const sup_joint_bounds_desc* desc, sup_arena* arena, sup_joint_bounds* out,
                                   sup_error* error);
/// One round in order. `joints`: where they are now; `keep`: share of the rest distance that is defended, 0 turns it off.
void sup_joint_bounds_project(const sup_joint_bounds* bounds, const sup_vec3* joints, float keep, sup_vec4* x);

// ---------------------------------------------------------------------------------------------- contacts

/// A contact of up to four particles: C = normal . sum weights_k x_k - distance, so the gradient of particle k is
/// weights_k normal. Weights sum to 0: nothing pushes itself away.
typedef struct sup_touch {
    sup_vec3 normal;
    float    weights[4];
    float    gap; ///< normal . sum weights_k x_k: the distance of the two, negative when they are through each other
} sup_touch;

/// A point above the plane of a triangle: weights (1, -u, -v, -w) with the barycentric coordinates of its foot (equal to the
/// derivative of the plane form). `side` 1 or -1: where outside is, seen from the triangle's own direction. False where the
/// triangle has no area. The foot may lie outside the triangle: look at the weights.
bool sup_point_triangle(sup_vec3 p, sup_vec3 a, sup_vec3 b, sup_vec3 c, float side, sup_touch* out);

/// Lines p1 p2 and p3 p4: normal (p2 - p1) x (p4 - p3) over its length times `side`, weights (-(1-s), -s, 1-t, t) at the
/// closest points of the two lines. Nearly parallel (|n|^2 < 1e-6 |e|^2 |f|^2): the closest points of the segments, and the
/// normal is what is between them, on the side of `hint` (not zero). False where that has no length, or an edge has none. `s`
/// and `t` beyond 0 and 1 mean that the lines, not the edges, come closest there; they are not clamped.
bool sup_edge_edge(sup_vec3 p1, sup_vec3 p2, sup_vec3 p3, sup_vec3 p4, float side, sup_vec3 hint, sup_touch* out);

/// Which way the normal of an edge-edge contact must point to part them: 1 or -1, by the mean outward normals of the faces at
/// each edge: n . (N_first - N_second) > 0 is wanted for grad_first = -n. Decided once when found, kept for the step.
float sup_edge_side(sup_vec3 p1, sup_vec3 p2, sup_vec3 p3, sup_vec3 p4, sup_vec3 first_normal, sup_vec3 second_normal);

/// Parts the particles to `distance`; returns by how much the gap has grown, 0 when it was wide enough or all are pinned. A
/// particle may be NULL: what is there does not move (and its weight is of no account).
float sup_touch_part(sup_vec4* const x[4], const sup_touch* touch, float distance);

/// How two surfaces rub: Coulomb friction and restitution.
typedef struct sup_rubbing {
    float friction;    ///< 0 ... 1
    float restitution; ///< share of the approach speed they part with; 0: none
} sup_rubbing;

/// Changes velocities at a contact. The normal velocity may not be negative, and becomes at least restitution x `approach`
/// (the speed, positive, at which they came together before the contact was solved). What solving positions has `pushed` it
/// beyond that is taken back: parting what was pressed together must not throw it. The tangential one loses at most friction
/// x (that change + `pushed`), where `pushed` is the speed that solving positions has already added along the normal: without
/// it a resting contact, whose normal velocity is 0, would not rub at all.
/// `still`: 0, or the velocity of what the particles touch when it is no particle (a body).
void sup_touch_friction(sup_vec4* const v[4], const float inverse_masses[4], const sup_touch* touch, const sup_rubbing* rubbing,
                        float approach, float pushed, sup_vec3 still);

// ---------------------------------------------------------------------------------------------- volume

/// One Newton step of V(x) = target: dx_i = scale share_i grad_i with scale = missing / `stiffness`, where missing is target - V,
/// share_i inverse mass x weight, and stiffness the sum of share |grad|^2. `largest`: of share^2 |grad|^2; no particle moves
/// further than `limit` (0: any), the whole step is shortened. Returns the fraction taken: 1, less when shortened, 0 when there
/// is no direction or a number is not finite: then nothing is to move.
float sup_volume_step(double missing, double stiffness, float largest, float limit, double* scale);

#endif
