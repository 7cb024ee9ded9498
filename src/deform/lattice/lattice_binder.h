/// deform/lattice/lattice_binder.h: what the stages of binding pass to each other.
#ifndef SUP_DEFORM_LATTICE_BINDER_H
#define SUP_DEFORM_LATTICE_BINDER_H

#include "deform/lattice/lattice.h"
#include "run/binding.h"
#include "solve/lattice/lattice_nodes.h"
#include "solve/lattice/lattice_weights.h"

enum { LATTICE_THIN_NAMES = 4 };
#define LATTICE_THIN_CELLS 1.5 // a thinner part shares cells with other parts: it follows only its bones

typedef struct binder {
    const sup_bind_input*   in;
    const lattice_params*   params;
    lattice_bound*          b;
    sup_arena*              arena;
    sup_arena*              scratch;
    sup_error*              error;
    sup_clean               surface;
    uint32_t                cells; ///< along the longest side
    sup_lattice_weights     lattice;
    uint32_t                owner_count;
    uint32_t*               owner_joints;
    uint32_t*               owners; ///< of each bone
    const uint32_t*         bone_joints;            ///< of each owner of bones
    uint32_t *              bone_begin, *bone_list; ///< bones of each joint, ascending
    sup_diffusion_run*      runs;   ///< of the groups
    float*                  all;    ///< weights: groups x particles x 8
    uint32_t                groups;
    uint32_t*               group_of;    ///< of each kept group: its number among all, ascending
    uint32_t*               joint_lists; ///< per particle influences, as in sup_weights
    uint32_t*               begin;
    float*                  values;
    uint32_t*               dominant; ///< the joint that moves each particle most
    uint32_t*               depth;    ///< links to the border
    float*                  places;   ///< of the points, in their cells
    const sup_vec3*         core;     ///< per slot: outward from the bone, 0 there and about a cell long at the skin
    const sup_lattice_node* nodes;    ///< per particle; NULL: measure=cells
    const sup_volumes*      skin_parts;   ///< the skin's own triangles around each joint; NULL: parts are sets of cells
    uint32_t *              skin_part_joints, *skin_joint_parts; ///< the joint of each of those parts, the part of each joint
    bool                    coarse_cells; ///< the skin has so many triangles that nodes measure its parts
    const float*            loose;        ///< per slot: how much of the chain's pose may be changed; NULL: all of it
    uint32_t                thin_count, thin_named; ///< parts under thin_cells thick, and how many of them the note lists
    uint32_t                thin_joints[LATTICE_THIN_NAMES];
    double                  thin_cells, thinnest_cells;
} binder;

/// Weights of the particles, and the skin set that poses them.
sup_result lattice_make_weights(binder* m);
/// A diffusion that can be canceled while it runs.
sup_result lattice_solve(const sup_diffusion* d, float* w, float* work, const sup_bind_input* in, double share,
                         sup_error* error);
/// The filled octants of each particle, first as masses, then by slot.
sup_result lattice_make_masses(binder* m, float** relative);
sup_result lattice_place_masses(binder* m, const float* relative);
/// Pins, thickness, and the sliders that vary per particle.
sup_result lattice_make_flesh(binder* m);
/// Where softness is painted: b->bare, and the chunks that need work there.
sup_result lattice_find_paint(binder* m);
/// The parts whose skin the paint reaches.
sup_result lattice_find_painted_parts(binder* m);
/// Parts, and how their volumes are measured.
sup_result lattice_make_volumes(binder* m);

/// The skin's own triangles around each joint into skin_parts, if the file's weights and measure=skin allow it.
sup_result lattice_find_skin_parts(binder* m);
/// Fills b->voxels with cells: as many as asked for, or as limbs need and a particle budget allows.
sup_result lattice_fill_cells(binder* m);
/// The part of every cell, following the parts of the skin's own triangles, which go into skin_parts; part_count stays 0 if
/// they gain nothing.
sup_result lattice_label_skin(binder* m, const uint32_t* cell_joints, uint32_t** labels, uint32_t* part_count,
                              uint32_t** part_joints, uint32_t** joint_parts);

/// Notes for the user: problems of the character, each with its cure.
sup_result lattice_note(const binder* m);

/// Squared distance in cells to the nearest bone of a joint; foot: the closest point on it, or NULL.
double lattice_bone_distance2(const binder* m, uint32_t joint, sup_vec3 place, sup_vec3* foot);

#endif
