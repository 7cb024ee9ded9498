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
    WRINKLE_ROWS = 6,   ///< neighbors that strain is measured by: one in each sixth of a turn
    WRINKLE_GRAIN = 64, ///< groups of one task
    WRINKLE_POINTS = 1,
    WRINKLE_SHADING = 2,
};

/// No skin folds steeper than this: what is pressed by 30 %, a lost squared length of 0.51.
#define WRINKLE_LOST_MAX 0.51f
#define WRINKLE_STEEPEST 1.048f
/// Radians of a wave.
#define WRINKLE_TURN ((float)(2 * SUP_PI))
/// Of `limits`: no compression comes near.
#define WRINKLE_UNLIMITED 2.0f

typedef float wrinkle_f4 __attribute__((vector_size(16))); ///< one value for each family

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
    float*          rise;   ///< by point: compression over which folds rise to their whole height; eight more behind
    float*          limits; ///< likewise: compression at which folds are gone again
    float* waves; ///< groups x families x lanes, units: height in amplitudes x wavelength / 2 pi x share of the folds that
                  ///< points carry
    wrinkle_f4* memory; ///< by point: lost squared length that stays when nothing presses (creases)
    uint8_t*    active; ///< by group: WRINKLE_POINTS where some point carries folds, WRINKLE_SHADING where some has finer ones
    const sup_ripple*      ripples;  ///< points x families: those of amplitude 1 that points do not carry; NULL: there are none
    const wrinkle_carrier* carriers; ///< by point
} wrinkle_surface;

/// One job of the kernels.
typedef struct wrinkle_job {
    const wrinkle_surface* surface;
    const sup_vec3*        points;
    const sup_affine*      skin;      ///< by joint
    uint8_t                which;     ///< of the kinds of `active`
    float                  unscale;   ///< 1 over the square of the scale of the whole character in this pose
    float                  threshold; ///< compression at which folds begin
    float                  strength;
    const float*           strengths; ///< by point instead; NULL: uniform
    float                  crease;
    const float*           creases; ///< by point instead
    wrinkle_f4*            slopes;  ///< by point: steepest slope of each family, for shading; NULL: points are moved instead
    wrinkle_f4*            spread;  ///< by point: the incoming points, a load each
    sup_vec3*              out;
} wrinkle_job;

/// Groups begin up to end: spread = points.
SUP_WIDE_DECLARE(void, sup_wrinkle_spread, (const wrinkle_job* job, uint32_t begin, uint32_t end));
/// From the strain to slopes, and from these to skin.
SUP_WIDE_DECLARE(void, sup_wrinkle_fold, (const wrinkle_job* job, uint32_t begin, uint32_t end));

/// 1 - C of the surface at one point, in its frame: what squared length is missing; negative where it is stretched.
typedef struct wrinkle_strain {
    float xx, xy, yy;
} wrinkle_strain;

/// What bind knows of the surface before it is laid out for the kernels.
typedef struct wrinkle_frames {
    const sup_mesh*     mesh;
    const sup_topology* topology;
    sup_vec3*           axes[2];         ///< tangents at rest, orthonormal; zero where there is no plane
    sup_vec3*           normals;         ///< likewise
    uint32_t (*neighbors)[WRINKLE_ROWS]; ///< the point itself: none
    float (*coefficients)[WRINKLE_ROWS][2];
} wrinkle_frames;

/// Frames with any first axis.
sup_result sup_wrinkle_frames_create(const sup_mesh* mesh, const sup_topology* topology, const float* wavelengths,
                                     sup_arena* arena, wrinkle_frames* out, sup_error* error);
/// 0 where there is no plane.
wrinkle_strain sup_wrinkle_strain(const wrinkle_frames* f, const sup_vec3* points, float unscale, uint32_t point);
/// Only what is compressed: both principal values at least 0.
wrinkle_strain sup_wrinkle_compressed(wrinkle_strain s);
/// How much larger the pose makes the whole character: the mean of the middle stretches of its joints, by how many points each
/// moves most.
typedef struct wrinkle_scale {
    uint32_t     joint_count;
    const float* shares; ///< per joint, summing to 1
} wrinkle_scale;
sup_result sup_wrinkle_scale_create(const sup_character* character, sup_arena* arena, wrinkle_scale* out, sup_error* error);
float      sup_wrinkle_scale(const wrinkle_scale* scale, const sup_pose* pose);

/// The triangles at rest; the rest is of the pose that was looked at last.
typedef struct wrinkle_tree {
    sup_bvh  bvh;
    sup_box* nodes;
    sup_box* slots;
    uint8_t* open;  ///< by node, scratch
    uint8_t* marks; ///< by slot, scratch
    uint32_t point_count;
    int64_t  left; ///< tests that the search for crossings has saved up; below 0: given up for all poses
} wrinkle_tree;
sup_result sup_wrinkle_tree_create(const sup_mesh* mesh, sup_arena* arena, wrinkle_tree* out, sup_error* error);
/// Lowers `limits` to how far skin is pressed where it folds and crosses other skin in this pose. Returns whether any fell far.
/// All are 0 once the search is given up.
bool sup_wrinkle_contact(wrinkle_tree* tree, const sup_vec3* points, const float* pressed, float threshold,
                         const sup_tasks* tasks, float* limits);
/// Lowers `limits` around those places too.
sup_result sup_wrinkle_contact_spread(const wrinkle_frames* f, const float* wavelengths, sup_arena* temporary, float* limits,
                                      sup_error* error);

/// Every value becomes the least of all values + `rise` x the wavelengths of the way to them. Values that are not below `none`
/// start no way.
sup_result sup_wrinkle_spread_least(const wrinkle_frames* f, const float* wavelengths, float rise, float none,
                                    sup_arena* temporary, float* values, sup_error* error);
/// What share of their height folds have beside places that the clips press more.
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
/// How often values of neighbors are averaged so that a field changes over a wavelength and not from point to point.
uint32_t sup_wrinkle_smoothings(const sup_mesh* mesh, const sup_topology* topology, const float* wavelengths);
/// Makes wavelengths fit the body: the deepest fold stays within a share of the largest ball inside it that touches the skin
/// there. outside: folds stand up as well, and the gap to other skin counts.
sup_result sup_wrinkle_fit(const sup_mesh* mesh, const sup_topology* topology, const wrinkle_tree* tree, bool outside,
                           const sup_tasks* tasks, sup_arena* arena, float* wavelengths, sup_error* error);
/// By how much the skin at every point is pressed when every joint turns by one radian, each about its worst axis: a bound.
sup_result sup_wrinkle_speeds(const sup_character* c, const wrinkle_frames* f, sup_arena* arena, float* out, sup_error* error);
/// How far every point is from the edge of a hole, over edges; infinite where there is none.
sup_result sup_wrinkle_border(const wrinkle_frames* f, sup_arena* temporary, const float** out, sup_error* error);
/// The wave vector of a family, unit, at rest.
sup_vec3 sup_wrinkle_wave(const wrinkle_frames* f, uint32_t point, uint32_t family);

/// Splits a compression among the families: amounts of lost squared length that sum to its trace.
wrinkle_f4 sup_wrinkle_split(wrinkle_strain s);

#endif
