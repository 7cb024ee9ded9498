/// run/grip.h: how a link with state applies a spring of the world. The link sums the particles that the spring reaches and
/// gets their acceleration, of which each particle takes its share.
#ifndef SUP_RUN_GRIP_H
#define SUP_RUN_GRIP_H

#include "math/rotation.h"
#include "supple/deformer.h"

/// Sums over particles, weighted by share. Zero-initialize.
typedef struct sup_grip {
    double share, square, mass; ///< of the shares, of their squares, of share times kilograms
    double place[3], velocity[3], rest[3], turn[3][3];
} sup_grip;

/// One particle: position and velocity at the start of the step, rest position, and the rotation of its surroundings.
void sup_grip_add(sup_grip* grip, float share, double mass, sup_vec3 place, sup_vec3 velocity, sup_vec3 rest,
                  const sup_mat3* turn);
/// What a particle of share 1 is accelerated by over the step: the newtons of the spring as long as it would be if nothing else
/// pulled, and no more than bring the particles to its end. Nothing where nothing is reached.
sup_vec3 sup_grip_pull(const sup_grip* grip, const sup_force* force, double dt);

#endif
