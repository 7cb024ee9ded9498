/// run/grip.h: how a link with state answers to a spring of the world. It adds up the particles that the spring reaches and
/// is told their acceleration, of which each takes its share.
#ifndef SUP_RUN_GRIP_H
#define SUP_RUN_GRIP_H

#include "math/rotation.h"
#include "supple/deformer.h"

/// Sums over particles, by share. All zero: none yet.
typedef struct sup_grip {
    double share, square, mass; ///< of the shares, of their squares, of share times kilograms
    double place[3], velocity[3], rest[3], turn[3][3];
} sup_grip;

/// One particle: where it is and how fast at the start of the step, where it was at rest, and how its surroundings are turned.
void sup_grip_add(sup_grip* grip, float share, double mass, sup_vec3 place, sup_vec3 velocity, sup_vec3 rest,
                  const sup_mat3* turn);
/// What a particle of share 1 is accelerated by over the step: the newtons of the spring as long as it would be if nothing else
/// pulled, and no more than bring the particles to its end. Nothing where nothing is reached.
sup_vec3 sup_grip_pull(const sup_grip* grip, const sup_force* force, double dt);

#endif
