/// picture_math.h: the few vector operations that pictures need.
#ifndef SUPPLE_APP_PICTURE_MATH_H
#define SUPPLE_APP_PICTURE_MATH_H

#include "picture.h"

#include <math.h>

#define PI 3.14159265358979323846

static inline sup_vec3 vec(float x, float y, float z) { return (sup_vec3){ x, y, z }; }
static inline sup_vec3 add(sup_vec3 a, sup_vec3 b) { return vec(a.x + b.x, a.y + b.y, a.z + b.z); }
static inline sup_vec3 sub(sup_vec3 a, sup_vec3 b) { return vec(a.x - b.x, a.y - b.y, a.z - b.z); }
static inline sup_vec3 scale(sup_vec3 a, float s) { return vec(a.x * s, a.y * s, a.z * s); }
static inline sup_vec3 mad(sup_vec3 a, float s, sup_vec3 b) { return vec(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z); }
static inline float    dot(sup_vec3 a, sup_vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline sup_vec3 cross(sup_vec3 a, sup_vec3 b)
{
    return vec(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
static inline float length(sup_vec3 a) { return sqrtf(dot(a, a)); }
/// The fallback if it has no direction.
static inline sup_vec3 unit_or(sup_vec3 a, sup_vec3 fallback)
{
    float l = length(a);
    return l > 1e-20f ? scale(a, 1.0f / l) : fallback;
}
/// Two unit vectors perpendicular to n (unit) and to each other.
static inline void frame_about(sup_vec3 n, sup_vec3* s, sup_vec3* t)
{
    sup_vec3 other = fabsf(n.x) < 0.6f ? vec(1, 0, 0) : vec(0, 1, 0);
    *s = unit_or(cross(n, other), vec(0, 0, 1));
    *t = cross(n, *s);
}
static inline float clampf(float v, float low, float high) { return v < low ? low : v > high ? high : v; }
static inline float mix(float a, float b, float t) { return a + (b - a) * t; }
static inline float smooth_step(float low, float high, float v)
{
    float t = clampf((v - low) / (high - low), 0.0f, 1.0f);
    return t * t * (3.0f - 2.0f * t);
}

#endif
