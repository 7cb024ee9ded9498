/// run/grip.h: how a dynamic link applies a spring of the world. The link sums up the particles that the spring reaches and
/// gets one acceleration, of which each particle takes its share.
#ifndef SUP_RUN_GRIP_H
#define SUP_RUN_GRIP_H

#include "math/rotation.h"
#include "supple/deformer.h"

/// Sums over particles, weighted by share. Zero-initialize.
typedef struct sup_grip {
    double share, square, mass; ///< of the shares, of their squares, of share times kilograms
    double place[3], velocity[3], rest[3], turn[3][3];
} sup_grip;

/// Adds a particle: its position and velocity at the start of the step, its rest position, and the local rotation of the
/// tissue.
void sup_grip_add(sup_grip* grip, float share, double mass, sup_vec3 place, sup_vec3 velocity, sup_vec3 rest,
                  const sup_mat3* turn);
/// The acceleration over the step of a particle with share 1: the force of the spring at the length it would have if nothing
/// else pulled, limited so that the particles do not overshoot its end. Zero if it reaches nothing.
sup_vec3 sup_grip_pull(const sup_grip* grip, const sup_force* force, double dt);

#endif
