#include "solve/particles/constraints.h"

#include <math.h>

// ---------------------------------------------------------------------------------------------- contacts

// A thinner triangle (squared sine of the angle at its first corner) has no usable direction.
#define FLAT_SINE2 1e-10f

bool sup_point_triangle(sup_vec3 p, sup_vec3 a, sup_vec3 b, sup_vec3 c, float side, sup_touch* out)
{
    sup_vec3 ab = v3_sub(b, a), ac = v3_sub(c, a), ap = v3_sub(p, a), n = v3_cross(ab, ac);
    float    square = v3_length2(n);
    if (!(square > FLAT_SINE2 * v3_length2(ab) * v3_length2(ac)) || !isfinite(square)) return false;
    float v = v3_dot(v3_cross(ap, ac), n) / square, w = v3_dot(v3_cross(ab, ap), n) / square;
    out->normal = v3_scale(n, side / sqrtf(square));
    out->weights[0] = 1;
    out->weights[1] = v + w - 1;
    out->weights[2] = -v;
    out->weights[3] = -w;
    out->gap = v3_dot(ap, out->normal);
    return isfinite(out->gap);
}

float sup_touch_part(sup_vec4* const x[4], const sup_touch* touch, float distance)
{
    float missing = distance - touch->gap, sum = 0;
    if (!(missing > 0)) return 0;
    for (int k = 0; k < 4; ++k)
        if (x[k]) sum += x[k]->w * touch->weights[k] * touch->weights[k];
    if (!(sum > 0) || !isfinite(missing)) return 0;
    for (int k = 0; k < 4; ++k)
        if (x[k]) sup_particle_move(x[k], x[k]->w * touch->weights[k] * missing / sum, touch->normal);
    return missing;
}

sup_vec3 sup_touch_velocity(sup_vec3 relative, sup_vec3 normal, const sup_friction* friction, float approach, float pushed)
{
    float along = v3_dot(relative, normal);
    if (!isfinite(along)) return v3(0, 0, 0);
    float wanted = approach > 0 ? friction->restitution * approach : 0, change = wanted - along;
    if (change < -pushed) change = -pushed; // it separates faster than it was pushed, by itself
    sup_vec3 slide = v3_mad(relative, -along, normal);
    float    speed = v3_length(slide), brake = friction->friction * (change > 0 ? change + pushed : pushed);
    sup_vec3 dv = v3_scale(normal, change);
    return speed > 0 && brake > 0 ? v3_mad(dv, -(brake < speed ? brake / speed : 1.0f), slide) : dv;
}

void sup_touch_friction(sup_vec4* const v[4], const float inverse_masses[4], const sup_touch* touch,
                        const sup_friction* friction, float approach, float pushed, sup_vec3 still)
{
    sup_vec3 relative = v3_scale(still, -1);
    float    sum = 0;
    for (int k = 0; k < 4; ++k)
        if (v[k]) {
            relative = v3_mad(relative, touch->weights[k], v3(v[k]->x, v[k]->y, v[k]->z));
            sum += inverse_masses[k] * touch->weights[k] * touch->weights[k];
        }
    if (!(sum > 0)) return;
    sup_vec3 dv = sup_touch_velocity(relative, touch->normal, friction, approach, pushed);
    for (int k = 0; k < 4; ++k)
        if (v[k]) sup_particle_move(v[k], inverse_masses[k] * touch->weights[k] / sum, dv);
}

// ---------------------------------------------------------------------------------------------- volume

float sup_volume_step(double missing, double stiffness, float largest, float limit, double* scale)
{
    float fraction = 1;
    *scale = missing / stiffness;
    if (!(stiffness > 0) || !isfinite(*scale) || !isfinite(largest)) return 0;
    double furthest = fabs(*scale) * sqrt((double)largest);
    if (limit > 0 && furthest > (double)limit) {
        fraction = (float)((double)limit / furthest);
        *scale *= (double)fraction;
    }
    return fraction;
}
