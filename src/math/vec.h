/// math/vec.h: small vectors, quaternions and matrices as values. Everything here is + - * / sqrt in a fixed order, so the bits
/// are the same wherever it is compiled.
#ifndef SUP_MATH_VEC_H
#define SUP_MATH_VEC_H

#include "supple/base.h"

#include <math.h>

/// A vector shorter than this (in the unit measured, or its square where noted) has no direction.
#define SUP_EPS_LENGTH 1e-20f

static inline sup_vec3 v3(float x, float y, float z) { return (sup_vec3){ x, y, z }; }
static inline sup_vec3 v3_add(sup_vec3 a, sup_vec3 b) { return v3(a.x + b.x, a.y + b.y, a.z + b.z); }
static inline sup_vec3 v3_sub(sup_vec3 a, sup_vec3 b) { return v3(a.x - b.x, a.y - b.y, a.z - b.z); }
static inline sup_vec3 v3_scale(sup_vec3 a, float s) { return v3(a.x * s, a.y * s, a.z * s); }
static inline sup_vec3 v3_mul(sup_vec3 a, sup_vec3 b) { return v3(a.x * b.x, a.y * b.y, a.z * b.z); }
/// a + s b
static inline sup_vec3 v3_mad(sup_vec3 a, float s, sup_vec3 b) { return v3(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z); }
static inline sup_vec3 v3_lerp(sup_vec3 a, sup_vec3 b, float t) { return v3_mad(a, t, v3_sub(b, a)); }
static inline float    v3_dot(sup_vec3 a, sup_vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline sup_vec3 v3_cross(sup_vec3 a, sup_vec3 b)
{
    return v3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
static inline float    v3_length2(sup_vec3 a) { return v3_dot(a, a); }
static inline float    v3_length(sup_vec3 a) { return sqrtf(v3_dot(a, a)); }
static inline float    v3_distance(sup_vec3 a, sup_vec3 b) { return v3_length(v3_sub(a, b)); }
static inline sup_vec3 v3_min(sup_vec3 a, sup_vec3 b)
{
    return v3(a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z);
}
static inline sup_vec3 v3_max(sup_vec3 a, sup_vec3 b)
{
    return v3(a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y, a.z > b.z ? a.z : b.z);
}
static inline bool v3_finite(sup_vec3 a) { return isfinite(a.x) && isfinite(a.y) && isfinite(a.z); }
/// The unit vector, or the fallback if it has no direction.
static inline sup_vec3 v3_normalize(sup_vec3 a, sup_vec3 fallback)
{
    float length = v3_length(a);
    if (!(length > SUP_EPS_LENGTH) || !isfinite(length)) return fallback;
    return v3_scale(a, 1.0f / length);
}
/// A unit vector perpendicular to a unit vector; always the same for the same input.
static inline sup_vec3 v3_across(sup_vec3 n)
{
    sup_vec3 axis = fabsf(n.x) < 0.57f ? v3(1, 0, 0) : v3(0, 1, 0);
    return v3_normalize(v3_cross(n, axis), v3(0, 0, 1));
}
static inline float sup_clampf(float x, float low, float high) { return x < low ? low : x > high ? high : x; }
static inline float sup_smoothstep(float a, float b, float x)
{
    float t = sup_clampf((x - a) / (b - a), 0.0f, 1.0f);
    return t * t * (3.0f - 2.0f * t);
}

// ---------------------------------------------------------------------------------------------- quaternions

static inline sup_quat quat(float x, float y, float z, float w) { return (sup_quat){ x, y, z, w }; }
static inline sup_quat quat_identity(void) { return quat(0, 0, 0, 1); }
static inline float    quat_dot(sup_quat a, sup_quat b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
static inline sup_quat quat_conjugate(sup_quat q) { return quat(-q.x, -q.y, -q.z, q.w); }
/// Applies b, then a.
static inline sup_quat quat_mul(sup_quat a, sup_quat b)
{
    return quat(a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z);
}
/// Unit quaternion; zero or non-finite input gives the identity.
static inline sup_quat quat_normalize(sup_quat q)
{
    float length = sqrtf(quat_dot(q, q));
    if (!(length > SUP_EPS_LENGTH) || !isfinite(length)) return quat_identity();
    float s = 1.0f / length;
    return quat(q.x * s, q.y * s, q.z * s, q.w * s);
}
/// The same for rotations read from or written to files. Normalizing a normalized quaternion changes its last bit, and a
/// rotation that is written, read and written again must keep its bits: one whose length is 1 within rounding is left alone.
static inline sup_quat quat_normalize_once(sup_quat q)
{
    const float rounding = 6e-7f; // of the square: five units in the last place of 1
    return fabsf(quat_dot(q, q) - 1) <= rounding ? q : quat_normalize(q);
}
static inline sup_vec3 quat_rotate(sup_quat q, sup_vec3 p)
{
    sup_vec3 u = v3(q.x, q.y, q.z);
    sup_vec3 t = v3_scale(v3_cross(u, p), 2.0f);
    return v3_add(v3_mad(p, q.w, t), v3_cross(u, t));
}

// ---------------------------------------------------------------------------------------------- affine maps

static inline sup_affine affine_identity(void) { return (sup_affine){ { { 1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, 1, 0 } } }; }
static inline sup_vec3   affine_direction(const sup_affine* a, sup_vec3 p)
{
    return v3(a->m[0][0] * p.x + a->m[0][1] * p.y + a->m[0][2] * p.z, a->m[1][0] * p.x + a->m[1][1] * p.y + a->m[1][2] * p.z,
              a->m[2][0] * p.x + a->m[2][1] * p.y + a->m[2][2] * p.z);
}
static inline sup_vec3 affine_translation(const sup_affine* a) { return v3(a->m[0][3], a->m[1][3], a->m[2][3]); }
static inline sup_vec3 affine_point(const sup_affine* a, sup_vec3 p)
{
    return v3_add(affine_direction(a, p), affine_translation(a));
}
/// Applies b, then a.
static inline sup_affine affine_mul(const sup_affine* a, const sup_affine* b)
{
    sup_affine r;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 4; ++j)
            r.m[i][j] =
                a->m[i][0] * b->m[0][j] + a->m[i][1] * b->m[1][j] + a->m[i][2] * b->m[2][j] + (j == 3 ? a->m[i][3] : 0.0f);
    return r;
}
static inline sup_affine affine_from_rotation(sup_quat q, sup_vec3 t)
{
    float xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z, xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
    float wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
    return (sup_affine){ { { 1 - 2 * (yy + zz), 2 * (xy - wz), 2 * (xz + wy), t.x },
                           { 2 * (xy + wz), 1 - 2 * (xx + zz), 2 * (yz - wx), t.y },
                           { 2 * (xz - wy), 2 * (yz + wx), 1 - 2 * (xx + yy), t.z } } };
}
static inline sup_affine affine_from_transform(const sup_transform* t)
{
    sup_affine a = affine_from_rotation(t->rotation, t->translation);
    for (int i = 0; i < 3; ++i) {
        a.m[i][0] *= t->scale.x;
        a.m[i][1] *= t->scale.y;
        a.m[i][2] *= t->scale.z;
    }
    return a;
}
static inline float affine_determinant(const sup_affine* a)
{
    return a->m[0][0] * (a->m[1][1] * a->m[2][2] - a->m[1][2] * a->m[2][1]) -
           a->m[0][1] * (a->m[1][0] * a->m[2][2] - a->m[1][2] * a->m[2][0]) +
           a->m[0][2] * (a->m[1][0] * a->m[2][1] - a->m[1][1] * a->m[2][0]);
}
/// False, with *out untouched, if there is no finite inverse.
bool affine_invert(const sup_affine* a, sup_affine* out);
/// Largest over smallest singular value of the 3x3 part; infinity when singular.
float affine_condition(const sup_affine* a);
/// Translation, rotation and scale of an affine map; shear is lost and reported by returning false. A mirror goes into scale.x.
bool affine_decompose(const sup_affine* a, sup_transform* out);
/// The rotation whose matrix is the 3x3 part, which must be a rotation already.
sup_quat quat_from_affine(const sup_affine* a);

static inline sup_transform transform_identity(void) { return (sup_transform){ v3(0, 0, 0), quat_identity(), v3(1, 1, 1) }; }
static inline sup_rigid     rigid_identity(void) { return (sup_rigid){ quat_identity(), v3(0, 0, 0) }; }
static inline sup_vec3      rigid_point(const sup_rigid* r, sup_vec3 p)
{
    return v3_add(quat_rotate(r->rotation, p), r->translation);
}
/// Shortest arc; uses our own trigonometry.
sup_quat quat_slerp(sup_quat a, sup_quat b, float t);
/// Rotation by angle (radians) about a unit axis.
sup_quat quat_axis_angle(sup_vec3 axis, float angle);
/// About x, then y, then z of the fixed frame (radians): R = Rz Ry Rx, as `--pose` turns a joint.
sup_quat quat_euler_xyz(sup_vec3 angles);

#endif
