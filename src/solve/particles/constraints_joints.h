/// solve/particles/constraints_joints.h: the kernel of sup_joint_bounds_project.
#ifndef SUP_SOLVE_PARTICLES_CONSTRAINTS_JOINTS_H
#define SUP_SOLVE_PARTICLES_CONSTRAINTS_JOINTS_H

#include "math/wide.h"
#include "solve/particles/constraints.h"

/// Which of eight bounds are violated, one bit each.
SUP_WIDE_DECLARE(uint32_t, sup_joint_bounds_sift,
                 (const sup_joint_bound* items, const sup_vec3* joints, float keep, const sup_vec4* x));

#endif
