// Which joint bounds are violated: hardly ever any.
#include "solve/particles/constraints_joints.h"

uint32_t SUP_WIDE(sup_joint_bounds_sift)(const sup_joint_bound* items, const sup_vec3* joints, float keep, const sup_vec4* x)
{
    uint32_t particles[SUP_LANES], centers[SUP_LANES];
    f8       particle, joint, distance, at[4], c[3];
    f8_load3((const float*)(const void*)items, &particle, &joint, &distance); // integers keep their bits
    memcpy(particles, &particle, sizeof particles);
    memcpy(centers, &joint, sizeof centers);
    f8_gather4(&x->x, particles, at);
    for (int k = 0; k < SUP_LANES; ++k) {
        const sup_vec3* p = &joints[centers[k]];
        c[0][k] = p->x, c[1][k] = p->y, c[2][k] = p->z;
    }
    f8 dx = at[0] - c[0], dy = at[1] - c[1], dz = at[2] - c[2];
    distance *= f8_all(keep);
    return i8_bits(f8_less(dx * dx + dy * dy + dz * dz, distance * distance));
}
