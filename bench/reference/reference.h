/// bench/reference/reference.h: skinning as every textbook writes it, without optimization: the yardstick of the benchmark and,
/// in double, the oracle of the tests. Shares no code with the library.
#ifndef SUP_BENCH_REFERENCE_H
#define SUP_BENCH_REFERENCE_H

#include "supple/base.h"

/// Four influences of a point as files and graphics cards keep them; weights sum to 1, unused ones are 0.
typedef struct reference_influences {
    float    weight[4];
    uint16_t joint[4];
} reference_influences;

/// Blends four matrices for each point and multiplies.
void reference_linear(uint32_t point_count, const sup_vec3* points, const reference_influences* influences,
                      const sup_affine* skin, sup_vec3* out);

/// A rotation and a translation as a dual quaternion.
typedef struct reference_dual {
    sup_quat real, dual;
} reference_dual;

/// For matrices that are a rotation and a translation.
reference_dual reference_dual_from(const sup_affine* a);
/// Blends four dual quaternions for each point, with signs aligned to the first, normalizes and transforms. duals: space for
/// joint_count, filled from the matrices here.
void reference_dualquat(uint32_t point_count, const sup_vec3* points, const reference_influences* influences,
                        uint32_t joint_count, const sup_affine* skin, reference_dual* duals, sup_vec3* out);

/// A surface for corrective smoothing: neighbors by edges in one list, the fixed points, and workspace.
typedef struct reference_surface {
    uint32_t        point_count, triangle_count;
    const uint32_t* ring_begin; ///< point_count + 1
    const uint32_t* ring;
    const bool*     pinned;
    const uint32_t* triangles;
    sup_vec3 *      one, *two, *normals, *details; ///< point_count each
} reference_surface;

/// Fills the details: what smoothing removes from the rest shape, in the frames of the smoothed one.
void reference_smooth_bind(const reference_surface* surface, uint32_t iterations, const sup_vec3* rest);
/// Moves half-way to the neighbors' mean `iterations` times, makes normals and frames, adds the details back.
void reference_smooth(const reference_surface* surface, uint32_t iterations, const sup_vec3* points, sup_vec3* out);

/// Chaudhry et al. 2014 as printed: the inverses of the first step's matrix and of the others', n x n by Gauss-Jordan
/// elimination, then a product per frame. False if singular.
bool reference_beam_inverse(uint32_t n, double* matrix, double* inverse);
/// One frame of one column: to = inverse (ramp load + inertia (2 at - before)).
void reference_beam_frame(uint32_t n, const double* inverse, const double* load, double ramp, double inertia, const double* at,
                          const double* before, double* right, double* to);

/// One point in double, any number of influences.
void reference_linear_point(sup_vec3 point, uint32_t count, const uint32_t* joints, const float* weights,
                            const sup_affine* skin, double out[3]);
/// The same with dual quaternions and stretched joints: the stretches S of M = R S are blended linearly about the joints' rest
/// centers, the rotations by dual quaternions. Signs are aligned to the largest weight. For matrices with positive determinant.
void reference_dualquat_point(sup_vec3 point, uint32_t count, const uint32_t* joints, const float* weights,
                              const sup_affine* skin, const sup_vec3* centers, double out[3]);

#endif
