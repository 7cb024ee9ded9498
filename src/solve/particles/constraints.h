/// solve/particles/constraints.h: pure kernels of position-based dynamics (Mueller et al. 2007; Deul and Bender 2013, section
/// 3).
///
/// A *particle* is a sup_vec4: x, y, z, and its inverse mass in w, 0 if it is pinned. A constraint C(x) with gradients
/// grad_j moves every particle by
///     dx_i = -w_i grad_i C / sum_j w_j |grad_j|^2
/// (the paper prints grad_i in the sum; with that, one step does not satisfy a constraint). A kernel without a direction moves
/// nothing and returns false: a neighboring constraint will separate the particles, and a made-up direction would not repeat.
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
/// Sets the position of a particle; its inverse mass stays.
static inline void sup_particle_pin(sup_vec4* x, sup_vec3 place)
{
    x->x = place.x;
    x->y = place.y;
    x->z = place.z;
}

// ---------------------------------------------------------------------------------------------- joint bounds

/// C = |x - center| - distance >= 0 with a kinematic center: pushes a particle that is too close straight outward. Returns
/// whether it moved. A particle at the center (closer than 1e-6 of the distance) has no direction and stays, as do pinned ones.
static inline bool sup_keep_distance(sup_vec4* x, sup_vec3 center, float distance)
{
    sup_vec3 out = v3_sub(sup_particle_place(x), center);
    float    square = v3_length2(out);
    if (!(square < distance * distance) || !(square > 1e-12f * distance * distance) || !(x->w > 0)) return false;
    sup_particle_move(x, distance / sqrtf(square) - 1.0f, out);
    return true;
}

/// Keeps one particle away from one joint.
typedef struct sup_joint_bound {
    uint32_t particle, joint;
    float    distance; ///< at rest, less if other joints move the particle too; multiplied by `keep` at run time
} sup_joint_bound;

typedef struct sup_joint_bounds {
    uint32_t               count;
    const sup_joint_bound* items; ///< by particle, then joint
} sup_joint_bounds;

/// Bounds for particles close to a joint: within `reach` (1.2) local radii. The radius of a joint is the mean distance of the
/// skin points around it that lie within 45 degrees of the plane perpendicular to its bones (of all points it moves, if none
/// do). Only particles with more than half of their weight on the joint and its parent belong to it: a knee must not push a
/// belly that has a trace of the leg's weight.
typedef struct sup_joint_bounds_desc {
    uint32_t        particle_count;
    const sup_vec4* particles;   ///< at rest; pinned ones are skipped
    uint32_t        skin_count;  ///< the first particles, which are the points of the weights
    uint32_t        layer_count; ///< particle = point + layer x skin_count
    uint32_t        joint_count;
    const sup_vec3* joints;  ///< at rest
    const sup_vec3* axes;    ///< unit direction along the bones that meet there; zero: none
    const uint32_t* parents; ///< per joint
    const uint32_t* begin;   ///< weights of the points, as in sup_weights
    const uint32_t* weight_joints;
    const float*    weight_values; ///< NULL: equal shares
    float           reach;
} sup_joint_bounds_desc;

sup_result sup_joint_bounds_create(const sup_joint_bounds_desc* desc, sup_arena* arena, sup_joint_bounds* out,
                                   sup_error* error);
/// One sequential iteration. `joints`: current positions; `keep`: fraction of the rest distance that is enforced, 0 turns it
/// off.
void sup_joint_bounds_project(const sup_joint_bounds* bounds, const sup_vec3* joints, float keep, sup_vec4* x);

// ---------------------------------------------------------------------------------------------- contacts

/// A contact of up to four particles: C = normal . sum weights_k x_k - distance, so the gradient of particle k is
/// weights_k normal. Weights sum to 0, so momentum is kept.
typedef struct sup_touch {
    sup_vec3 normal;
    float    weights[4];
    float    gap; ///< normal . sum weights_k x_k: the distance between the two, negative when they penetrate
} sup_touch;

/// A point above the plane of a triangle: weights (1, -u, -v, -w) with the barycentric coordinates of its projection (equal to
/// the derivative of the plane form). `side` is 1 if the triangle's normal points outside, -1 if inside. False if the triangle
/// has no area. The projection may lie outside the triangle: check the weights.
bool sup_point_triangle(sup_vec3 p, sup_vec3 a, sup_vec3 b, sup_vec3 c, float side, sup_touch* out);

/// Separates the particles to `distance`. Returns how much the gap grew: 0 if it was wide enough or all are pinned. A NULL
/// particle does not move, and its weight does not matter.
float sup_touch_part(sup_vec4* const x[4], const sup_touch* touch, float distance);

/// The material of a contact: Coulomb friction and restitution.
typedef struct sup_friction {
    float friction;    ///< 0 ... 1
    float restitution; ///< fraction of the approach speed at which they separate; 0: none
} sup_friction;

/// Changes velocities at a contact. `approach`: the positive speed at which the surfaces met before the contact was solved;
/// `pushed`: the speed that the position solve added along the normal. The normal velocity becomes nonnegative and at least
/// restitution x `approach`; what `pushed` added beyond that is removed, so that separating pressed surfaces does not throw
/// them. The tangential velocity loses at most friction x (that change + `pushed`): without `pushed`, a resting contact, whose
/// normal velocity is 0, would have no friction. `still`: 0, or the velocity of a body that the particles touch.
void sup_touch_friction(sup_vec4* const v[4], const float inverse_masses[4], const sup_touch* touch,
                        const sup_friction* friction, float approach, float pushed, sup_vec3 still);
/// How much it changes the relative velocity `relative` of two places.
sup_vec3 sup_touch_velocity(sup_vec3 relative, sup_vec3 normal, const sup_friction* friction, float approach, float pushed);

// ---------------------------------------------------------------------------------------------- volume

/// One Newton step of V(x) = target: dx_i = scale share_i grad_i with scale = missing / `stiffness`, where missing = target -
/// V, share_i = inverse mass x weight, and stiffness = the sum of share |grad|^2. `largest`: the largest share^2 |grad|^2; if a
/// particle would move farther than `limit` (0: no limit), the whole step is shortened. Returns the fraction taken: 1, less if
/// shortened, 0 if there is no direction or a number is not finite: then nothing should move.
float sup_volume_step(double missing, double stiffness, float largest, float limit, double* scale);

#endif
