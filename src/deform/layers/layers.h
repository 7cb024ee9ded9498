/// deform/layers/layers.h: what the files of the deformer `layers` share.
///
/// The skin is copied three times toward the bones: fat, muscle, bone. All four share one topology. Points are renumbered by
/// the ordering of geom/shortest_paths.h and padded to a multiple of eight; particle l x stride + i is layer l of point i.
#ifndef SUP_DEFORM_LAYERS_H
#define SUP_DEFORM_LAYERS_H

#include "base/internal.h"
#include "geom/surface/topology.h"
#include "math/vec.h"
#include "solve/contact/contact.h"
#include "solve/contact/planes.h"
#include "solve/particles/ride.h"
#include "solve/particles/shape_match.h"
#include "solve/particles/subvolumes.h"
#include "solve/skinning/skinning.h"
#include "supple/deformer.h"

enum { LAYER_SKIN, LAYER_FAT, LAYER_MUSCLE, LAYER_BONE, LAYERS };

typedef struct layers_params {
    int         anchor;
    float       project_fat, project_muscle, project_bone;
    int         ring;
    float       density;
    int         cut;
    const char* planes;
    float       stiffness[LAYERS];
    int         substeps, iterations, elastic_every;
    float       coupling, joint_keep, squeeze, tether;
    float       volume, bulge;
    bool        contact;
    float       thickness, friction, restitution;
    float       damping, smoothing, gravity, drag, inertia;
    float       muscle;
    float       anatomy;
    bool        paper_order;
    const char* cage;
} layers_params;

enum {
    ROW_ANCHOR,
    ROW_PROJECT_FAT,
    ROW_PROJECT_MUSCLE,
    ROW_PROJECT_BONE,
    ROW_STIFFNESS_SKIN,
    ROW_STIFFNESS_FAT,
    ROW_STIFFNESS_MUSCLE,
    ROW_STIFFNESS_BONE,
    ROW_RING,
    ROW_SUBSTEPS,
    ROW_ITERATIONS,
    ROW_ELASTIC_EVERY,
    ROW_COUPLING,
    ROW_JOINT_KEEP,
    ROW_SQUEEZE,
    ROW_TETHER,
    ROW_VOLUME,
    ROW_BULGE,
    ROW_CUT,
    ROW_PLANES,
    ROW_CONTACT,
    ROW_THICKNESS,
    ROW_FRICTION,
    ROW_RESTITUTION,
    ROW_DAMPING,
    ROW_SMOOTHING,
    ROW_GRAVITY,
    ROW_DRAG,
    ROW_INERTIA,
    ROW_MUSCLE,
    ROW_DENSITY,
    ROW_PAPER_ORDER,
    ROW_CAGE,
    ROW_ANATOMY,
    ROWS
};

extern const sup_param layers_rows[ROWS];

enum { ANCHOR_BLENDED, ANCHOR_DOMINANT };
enum { CUT_MIDDLES, CUT_ENDS };

/// Radius of the material's regions, as a share of the tissue's depth. A mesh with shorter edges has narrower regions.
#define LAYERS_REGION 0.3

/// Flesh within this many local radii of a joint belongs to the joint.
#define LAYERS_JOINT_REACH 1.2f

/// What bind found and repaired, reported to the user: counted when the motion starts.
typedef struct layers_mended {
    uint32_t holes, split_points, turned, weightless, anchors_at_skin, anchors_outside, limited, contacts_off, flat_parts,
        crossing, contacts_crowded, coincident;
} layers_mended;

/// Points that were one in the mesh and are split here because their faces form several fans.
typedef struct layers_glue {
    uint32_t        count;
    const uint32_t* begin; ///< count + 1
    const uint32_t* points;
} layers_glue;

/// Pairs of skin points that may come no closer than a share of their rest distance. Padded to a multiple of eight with pairs
/// of a single point.
typedef struct layers_pairs {
    uint32_t        count;
    const uint32_t *a, *b;
    const float*    lengths;
} layers_pairs;

typedef struct layers_bound {
    const sup_character* character; ///< with a cage: the cage, as a character
    sup_skinning         skinning;
    uint32_t             count, stride; ///< points; with padding
    const uint32_t*      source;        ///< the mesh point of each; with a cage, its cage point
    const uint32_t*      mesh_points;   ///< the mesh point of each; with a cage, the one with the largest share
    bool                 caged;         ///< a cage carries the tissue
    const sup_character* rider;         ///< what rides on the cage: the given character; NULL: there is no cage
    const sup_ride*      ride;          ///< how the mesh rides on the cage; NULL: there is none
    const uint32_t*      first;         ///< per point of the mesh: its (first) point here
    layers_glue          glue;
    uint32_t             triangle_count;
    const uint32_t*      triangles;
    sup_topology         topology; ///< of these triangles; only while binding
    const uint32_t*      weight_begin;
    const uint32_t*      weight_joints;
    const float*         weight_values;
    const sup_vec3*      joint_centers; ///< at rest
    const sup_vec3*      normals;       ///< at rest, of the skin, outward
    const float*         edges;         ///< local mean edge length at rest
    float                mean_edge;
    sup_vec3             middle;         ///< center of the rest points; the regions' reference is relative to it, to round less
    const sup_vec3*      anchors;        ///< per point
    const sup_vec3*      rest;           ///< particles
    const float*         inverse_masses; ///< of particles, in units of the mean mass; 0 for bones
    double               mass_unit;      ///< kilograms per unit of mass
    const float*         firm;           ///< per point, 0 ... 1: firm up to the skin
    const float*         joint_firm;     ///< mean over the points that a joint moves most
    const float*         tether_least;   ///< per point: shorter tethers are raised to this
    const float*         ratios;         ///< per point: local stiffness over the stiffness asked for

    sup_match           match;
    sup_match           match_smooth; ///< direct sums, for damping
    const sup_skin_set* skin;         ///< the points; their weights are those of all layers

    sup_joint_bounds             bounds;
    layers_pairs                 pairs; ///< of skin points that keep a share of their rest distance
    const sup_volumes*           volumes;
    const sup_subvolumes*        subvolumes;
    const uint32_t*              part_joints;
    const float*                 volume_shares; ///< per point, 0 ... 1: share of its volume correction by mass
    const sup_contact*           contact;
    const sup_planes*            planes;
    uint32_t                     solid_count;  ///< bodies of the world
    const sup_solid_mesh* const* solid_meshes; ///< NULL for spheres and capsules

    sup_field     fields[ROWS];
    layers_mended mended;
    size_t        pose_size;
    uint32_t      root; ///< the joint that origin follows
    sup_pose      bind; ///< nothing crosses there except what is meant to
} layers_bound;

/// What is kept from step to step. Arrays of LAYERS x stride particles follow: x, v, q, and q of the previous substep. The
/// number of contacts kept for drawing.
enum { LAYERS_SHOWN_CONTACTS = 256 };

typedef struct layers_state {
    uint32_t settled;                ///< the pre-roll has come to rest
    float    speed;                  ///< largest in the last step, relative to the skinned motion, units / s
    uint32_t held;                   ///< the last step held the first pose
    uint32_t ramp;                   ///< steps in which the pre-roll goes from the bind pose to the first one; 0: none
    uint32_t ramp_left;              ///< remaining steps of the pre-roll when that began
    uint32_t crowd_wait, crowd_left; ///< steps without contacts after a place was too crowded, and how many are left
    sup_vec3 origin;                 ///< all positions are relative to this: floats are coarse far from the world's origin
    uint32_t shown;
    uint32_t shown_points[LAYERS_SHOWN_CONTACTS][2]; ///< a point on either side
} layers_state;

typedef struct layers_arrays {
    layers_state* head;
    sup_vec4*     x;
    sup_vec4*     v;
    sup_quat*     q;
    sup_quat*     before;
    void*         planes;
} layers_arrays;

layers_arrays layers_state_cut(const layers_bound* b, void* state);
size_t        layers_state_size(const layers_bound* b);
size_t        layers_scratch_size(const layers_bound* b);

/// layers_points.c: points, triangles, order, weights, normals, edges. `bind`: memory for the topology, freed when binding
/// ends.
sup_result layers_bind_points(const sup_bind_input* in, sup_arena* arena, sup_arena* bind, layers_bound* b, sup_error* error);
/// layers_anchors.c: bone anchors, guards, and the places of the particles.
sup_result layers_bind_anchors(const sup_bind_input* in, sup_arena* arena, layers_bound* b, sup_error* error);
/// layers_regions.c: masses and regions.
sup_result layers_bind_regions(const sup_bind_input* in, sup_arena* arena, sup_arena* temporary, layers_bound* b,
                               sup_error* error);
/// layers_compliance.c: makes the material the same in any mesh: how much rings count in a cage's regions, and the factor on
/// the stiffness at a point.
void  layers_ring_counts(const layers_bound* b, float* out);
float layers_stiffness_ratio(const layers_bound* b, const sup_rings* rings, uint32_t point);
/// layers_bind.c: skin sets and everything the solver needs.
sup_result layers_bind(const sup_bind_input* in, sup_arena* arena, sup_binding* out, sup_error* error);

/// layers_planes.c: where planes between sub-volumes lie along each bone; NULL: at the midpoints.
sup_result layers_read_planes(const sup_bind_input* in, sup_arena* arena, const float** out, sup_error* error);

/// layers_say.c: notes about problems of the character, each with its cure.
sup_result layers_note(const sup_bind_input* in, sup_arena* temporary, layers_bound* b, sup_error* error);

/// layers_step.c
void layers_reset(const sup_binding* binding, const void* params, const sup_frame* frame, void* state, void* scratch);
void layers_evaluate(const sup_binding* binding, const void* params, const sup_frame* frame, void* state, void* scratch,
                     sup_vec3* out);
void layers_present(const sup_binding* binding, const void* params, const sup_frame* frame, const sup_vec3* ways, void* scratch,
                    sup_vec3* out);
/// layers_draw.c
void layers_draw(const sup_binding* binding, const sup_pose* pose, const void* state, const sup_vec3* skin,
                 const sup_canvas* canvas);

static inline float layers_value(const layers_bound* b, int row, float parameter, uint32_t point)
{
    const sup_param* p = &layers_rows[row];
    if (!b->fields[row].scale) return sup_clampf(parameter, (float)p->min, (float)p->max); // uniform: no call
    return sup_field_value(p, &b->fields[row], parameter, b->source[point]);
}

#endif
