#include "solve/particles/constraints.h"

#include <math.h>

// ---------------------------------------------------------------------------------------------- contacts

// Thinner than this (sine of the angle at the first corner, squared) a triangle has no direction worth the name.
#define FLAT_SINE2 1e-10f
#define PARALLEL_SINE2 1e-6f

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

/// Parameters of the closest points of two segments e and f, d from the first's start to the second's (Ericson 2005, 5.1.9).
static void closest_on_segments(sup_vec3 e, sup_vec3 f, sup_vec3 d, float* s, float* t)
{
    float ee = v3_length2(e), ff = v3_length2(f), ef = v3_dot(e, f), ed = v3_dot(e, d), fd = v3_dot(f, d);
    float denominator = ee * ff - ef * ef;
    *s = denominator > PARALLEL_SINE2 * ee * ff ? sup_clampf((ed * ff - ef * fd) / denominator, 0, 1)
                                                : sup_clampf(ed / ee, 0, 1);
    *t = sup_clampf((ef * *s - fd) / ff, 0, 1);
    *s = sup_clampf((ef * *t + ed) / ee, 0, 1);
}

static bool parallel_edges(sup_vec3 e, sup_vec3 f, sup_vec3 d, sup_vec3 hint, sup_touch* out)
{
    float s, t;
    closest_on_segments(e, f, d, &s, &t);
    sup_vec3 between = v3_sub(v3_mad(d, t, f), v3_scale(e, s));
    float    length = v3_length(between);
    if (!(length > SUP_EPS_LENGTH) || !isfinite(length)) return false;
    float side = v3_dot(between, hint) < 0 ? -1.0f : 1.0f;
    out->normal = v3_scale(between, side / length);
    out->weights[0] = s - 1;
    out->weights[1] = -s;
    out->weights[2] = 1 - t;
    out->weights[3] = t;
    out->gap = side * length;
    return true;
}

bool sup_edge_edge(sup_vec3 p1, sup_vec3 p2, sup_vec3 p3, sup_vec3 p4, float side, sup_vec3 hint, sup_touch* out)
{
    sup_vec3 e = v3_sub(p2, p1), f = v3_sub(p4, p3), d = v3_sub(p3, p1), n = v3_cross(e, f);
    float    square = v3_length2(n), squares = v3_length2(e) * v3_length2(f);
    if (!(squares > 0) || !isfinite(squares)) return false;
    if (!(square > PARALLEL_SINE2 * squares)) return parallel_edges(e, f, d, hint, out);
    float s = v3_dot(v3_cross(d, f), n) / square, t = v3_dot(v3_cross(d, e), n) / square;
    out->normal = v3_scale(n, side / sqrtf(square));
    out->weights[0] = s - 1;
    out->weights[1] = -s;
    out->weights[2] = 1 - t;
    out->weights[3] = t;
    out->gap = v3_dot(d, out->normal);
    return isfinite(out->gap);
}

float sup_edge_side(sup_vec3 p1, sup_vec3 p2, sup_vec3 p3, sup_vec3 p4, sup_vec3 first_normal, sup_vec3 second_normal)
{
    sup_vec3 n = v3_cross(v3_sub(p2, p1), v3_sub(p4, p3));
    return v3_dot(n, v3_sub(first_normal, second_normal)) < 0 ? -1.0f : 1.0f;
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

void sup_touch_friction(sup_vec4* const v[4], const float inverse_masses[4], const sup_touch* touch, const sup_friction* friction,
                        float approach, float pushed, sup_vec3 still)
{
    sup_vec3 relative = v3_scale(still, -1);
    float    sum = 0;
    for (int k = 0; k < 4; ++k)
        if (v[k]) {
            relative = v3_mad(relative, touch->weights[k], v3(v[k]->x, v[k]->y, v[k]->z));
            sum += inverse_masses[k] * touch->weights[k] * touch->weights[k];
        }
    float along = v3_dot(relative, touch->normal);
    if (!(sum > 0) || !isfinite(along)) return;
    float wanted = approach > 0 ? friction->restitution * approach : 0, change = wanted - along;
    if (change < -pushed) change = -pushed; // faster than it was pushed: it leaves by itself
    sup_vec3 slide = v3_mad(relative, -along, touch->normal);
    float    speed = v3_length(slide), brake = friction->friction * (change > 0 ? change + pushed : pushed);
    sup_vec3 dv = v3_scale(touch->normal, change);
    if (speed > 0 && brake > 0) dv = v3_mad(dv, -(brake < speed ? brake / speed : 1.0f), slide);
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
