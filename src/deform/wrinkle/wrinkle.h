/// deform/wrinkle/wrinkle.h: a surface prepared for folds; shared by wrinkle.c (parameters, frames), wrinkle_bind.c (strain),
/// wrinkle_limits.c (how wide folds may be, how fast they may rise), wrinkle_contact.c (where skin reaches other skin),
/// wrinkle_field.c (directions and phases) and wrinkle_wide.c (runs it).
///
/// Every point has a tangent frame at rest whose first axis is the direction in which the skin is usually compressed there.
/// Four *families* of folds stand in it: wave vectors at 0, 45, 90 and 135 degrees to that axis. Each family has a phase that
/// is solved once over the surface and never moves. A frame only decides how high each family stands, so folds rise and fall in
/// place and cannot swim.
#ifndef SUP_DEFORM_WRINKLE_H
#define SUP_DEFORM_WRINKLE_H

#include "geom/search/bvh.h"
#include "geom/surface/topology.h"
#include "math/trig.h"
#include "math/wide.h"
#include "supple/deformer.h"

enum {
    WRINKLE_FAMILIES = 4,
    WRINKLE_LANES = 8,  ///< points of one group
    WRINKLE_ROWS = 6,   ///< neighbors used to measure strain: one in each sixth of a turn
    WRINKLE_GRAIN = 64, ///< groups of one task
    WRINKLE_POINTS = 1,
    WRINKLE_SHADING = 2,
};

/// No fold of skin is steeper than this: a compression of 30 %, a lost squared length of 0.51.
#define WRINKLE_LOST_MAX 0.51f
#define WRINKLE_STEEPEST 1.048f
/// Radians per wavelength.
#define WRINKLE_TURN ((float)(2 * SUP_PI))
/// A value of `limits` that no compression reaches.
#define WRINKLE_UNLIMITED 2.0f

typedef float wrinkle_f4 __attribute__((vector_size(16))); ///< one value per family

/// What carries a point: the joints that move it most, and its normal at rest.
typedef struct wrinkle_carrier {
    sup_vec3 normal;
    float    first; ///< share of the first joint
    uint32_t joints[2];
} wrinkle_carrier;

/// Every point looks at WRINKLE_ROWS others around it, about a third of a wavelength away where the mesh is fine: strain counts
/// as it is over a fold and not from point to point, whatever the mesh. They stand in rows of eight lanes: row r of a group
/// holds the r-th neighbor of each of its points, or the point itself where there is none. The two tangents of the deformed
/// surface are sums over neighbors of coefficient x (neighbor - point); at rest they are orthonormal.
typedef struct wrinkle_surface {
    uint32_t        point_count, group_count;
    const uint32_t* index; ///< groups x rows x lanes
    const float*    first; ///< likewise: coefficients of the first tangent
    const float*    second;
    float*          rise;   ///< by point: compression over which folds reach their full height; padded by eight
    float*          limits; ///< likewise: compression at which folds have disappeared again
    float* waves; ///< groups x families x lanes, units: height in amplitudes x wavelength / 2 pi x share of the folds that
                  ///< points carry
    wrinkle_f4*       memory;  ///< by point: lost squared length that stays without compression (creases)
    uint8_t*          active;  ///< by group: WRINKLE_POINTS if some point carries folds, WRINKLE_SHADING if some has finer ones
    const sup_ripple* ripples; ///< points x families: amplitude-1 waves that points do not carry; NULL: none
    const wrinkle_carrier* carriers; ///< by point
} wrinkle_surface;

/// One job of the kernels.
typedef struct wrinkle_job {
    const wrinkle_surface* surface;
    const sup_vec3*        points;
    const sup_affine*      skin;      ///< by joint
    uint8_t                which;     ///< the kinds of `active` groups to run
    float                  unscale;   ///< 1 over the squared scale of the whole character in this pose
    float                  threshold; ///< compression at which folds begin
    float                  strength;
    const float*           strengths; ///< by point instead; NULL: uniform
    float                  crease;
    const float*           creases; ///< by point instead
    wrinkle_f4*            slopes;  ///< by point: steepest slope of each family, for shading; NULL: moves points instead
    wrinkle_f4*            spread;  ///< by point: the incoming points, one load each
    sup_vec3*              out;
} wrinkle_job;

/// Groups begin up to end: spread = points.
SUP_WIDE_DECLARE(void, sup_wrinkle_spread, (const wrinkle_job* job, uint32_t begin, uint32_t end));
/// From strain to slopes, and from slopes to skin.
SUP_WIDE_DECLARE(void, sup_wrinkle_fold, (const wrinkle_job* job, uint32_t begin, uint32_t end));

/// 1 - C of the surface at one point, in its frame: the missing squared length; negative where it is stretched.
typedef struct wrinkle_strain {
    float xx, xy, yy;
} wrinkle_strain;

/// What bind computes about the surface before the kernels' layout.
typedef struct wrinkle_frames {
    const sup_mesh*     mesh;
    const sup_topology* topology;
    sup_vec3*           axes[2];         ///< tangents at rest, orthonormal; zero where there is no plane
    sup_vec3*           normals;         ///< likewise
    uint32_t (*neighbors)[WRINKLE_ROWS]; ///< the point itself marks an empty slot
    float (*coefficients)[WRINKLE_ROWS][2];
} wrinkle_frames;

/// Frames with any first axis.
sup_result sup_wrinkle_frames_create(const sup_mesh* mesh, const sup_topology* topology, const float* wavelengths,
                                     sup_arena* arena, wrinkle_frames* out, sup_error* error);
/// 0 where there is no plane.
wrinkle_strain sup_wrinkle_strain(const wrinkle_frames* f, const sup_vec3* points, float unscale, uint32_t point);
/// Keeps only compression: both principal values at least 0.
wrinkle_strain sup_wrinkle_compressed(wrinkle_strain s);
/// The scale of the whole character in the pose: the mean of the middle stretches of its joints, weighted by how many points
/// each moves most.
typedef struct wrinkle_scale {
    uint32_t     joint_count;
    const float* shares; ///< per joint, summing to 1
} wrinkle_scale;
sup_result sup_wrinkle_scale_create(const sup_character* character, sup_arena* arena, wrinkle_scale* out, sup_error* error);
float      sup_wrinkle_scale(const wrinkle_scale* scale, const sup_pose* pose);

/// The triangles at rest, and data of the last pose examined.
typedef struct wrinkle_tree {
    sup_bvh  bvh;
    sup_box* nodes;
    sup_box* slots;
    uint8_t* open;  ///< by node, scratch
    uint8_t* marks; ///< by slot, scratch
    uint32_t point_count;
    int64_t  left; ///< tests that the search for crossings may still spend; below 0: given up for all poses
} wrinkle_tree;
sup_result sup_wrinkle_tree_create(const sup_mesh* mesh, sup_arena* arena, wrinkle_tree* out, sup_error* error);
/// Lowers `limits` to the compression of skin that folds and crosses other skin in this pose. Returns whether any dropped much.
/// All are 0 once the search gives up.
bool sup_wrinkle_contact(wrinkle_tree* tree, const sup_vec3* points, const float* pressed, float threshold,
                         const sup_tasks* tasks, float* limits);
/// Lowers `limits` around those places too.
sup_result sup_wrinkle_contact_spread(const wrinkle_frames* f, const float* wavelengths, sup_arena* temporary, float* limits,
                                      sup_error* error);

/// Every value becomes the minimum over all values of value + `rise` x the distance in wavelengths. Values not below `none` do
/// not spread.
sup_result sup_wrinkle_spread_least(const wrinkle_frames* f, const float* wavelengths, float rise, float none,
                                    sup_arena* temporary, float* values, sup_error* error);
/// The share of their height that folds keep beside places that the clips compress more.
sup_result sup_wrinkle_focus(const wrinkle_frames* f, const float* wavelengths, const wrinkle_strain* most, sup_arena* arena,
                             float* shares, sup_error* error);

/// Turns the frames so that the first axis is the usual direction of compression: where the character's clips press most, else
/// along the bones. `most` gets the largest compression of any sampled pose at each point, in the turned frames; all zero
/// without clips (then *sampled is false). limits: compression at which folds have to be gone.
sup_result sup_wrinkle_directions(const sup_bind_input* in, wrinkle_frames* f, const float* wavelengths, sup_arena* temporary,
                                  wrinkle_tree* tree, float threshold, wrinkle_strain* most, float* limits, bool* sampled,
                                  sup_error* error);
/// The height of each family at every point, in amplitudes: from -2 to 0, or as much higher as `lift` (0 to 1) says.
/// irregularity: radians by which phases wander. ripples: the same waves around every point, without a lift.
sup_result sup_wrinkle_phases(const wrinkle_frames* f, const float* wavelengths, float irregularity, float lift,
                              sup_arena* temporary, wrinkle_f4* out, sup_ripple* ripples, sup_error* error);
/// How often neighbors' values are averaged, so that a field varies over a wavelength and not from point to point.
uint32_t sup_wrinkle_smoothings(const sup_mesh* mesh, const sup_topology* topology, const float* wavelengths);
/// Limits wavelengths to the body: the deepest fold stays within a share of the largest ball inside that touches the skin
/// there. outside: folds also stand up, and the gap to other skin counts.
sup_result sup_wrinkle_fit(const sup_mesh* mesh, const sup_topology* topology, const wrinkle_tree* tree, bool outside,
                           const sup_tasks* tasks, sup_arena* arena, float* wavelengths, sup_error* error);
/// A bound on the compression of the skin at every point per radian of every joint, each about its worst axis.
sup_result sup_wrinkle_speeds(const sup_character* c, const wrinkle_frames* f, sup_arena* arena, float* out, sup_error* error);
/// The distance of every point from the edge of a hole, along edges; infinite where there is none.
sup_result sup_wrinkle_border(const wrinkle_frames* f, sup_arena* temporary, const float** out, sup_error* error);
/// The unit wave vector of a family at rest.
sup_vec3 sup_wrinkle_wave(const wrinkle_frames* f, uint32_t point, uint32_t family);

/// Distributes a compression over the families: amounts of lost squared length that sum to its trace.
wrinkle_f4 sup_wrinkle_split(wrinkle_strain s);

#endif
