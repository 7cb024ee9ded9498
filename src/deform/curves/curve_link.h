/// deform/curves/curve_link.h: what links that move curves over a character share: the parts that curves are laid over, the
/// forces that push them, and how they are drawn.
#ifndef SUP_DEFORM_CURVES_CURVE_LINK_H
#define SUP_DEFORM_CURVES_CURVE_LINK_H

#include "deform/curves/segments.h"
#include "geom/curves/curves.h"
#include "geom/curves/field.h"

/// How curves are laid over a character: one parameter with these choices for all links, sup_curve_way as a number.
extern const char* const sup_curve_ways[];
/// How the skin between curves follows them.
extern const char* const sup_curve_transfers[];

typedef struct sup_curve_plan {
    int         way;
    uint32_t    curves;
    float       spacing, snap;  ///< spacing: of the diagonal; snap: PLANES
    const char *groups, *edges; ///< PLANES, LOOPS; NULL or empty: none
} sup_curve_plan;

/// Lays the network of a plan. Coordinates and parts come from the skeleton, or without one from the shape.
sup_result sup_curves_lay(const sup_bind_input* in, const char* who, const sup_curve_plan* plan, sup_arena* arena,
                          sup_curves* out, sup_error* error);
/// A first guess of every point's position along the limbs.
sup_result sup_curve_guides(const sup_character* character, const char* who, sup_arena* arena, sup_guides* out,
                            sup_error* error);

/// Part of every point: the map of the glob `groups` that is largest there; without groups the dominant joint.
sup_result sup_curve_labels(const sup_bind_input* in, const char* who, const char* groups, sup_arena* arena,
                            const uint32_t** out, sup_error* error);

sup_curve_mesh sup_curve_mesh_of(const sup_mesh* mesh);

/// Whether the world pushes on curves: then a link has work even without sculpts.
bool sup_curve_forces_any(const sup_world_plan* world);
/// Without sculpts: one example that adds nothing.
sup_result sup_segments_plain(const sup_bind_input* in, const char* who, sup_arena* arena, sup_segments* out, sup_error* error);

/// Values of a force at its keys (three per key), turned from the world into the rest frame of the skin at `point`.
sup_result sup_curve_force_values(const sup_bind_input* in, uint32_t force, uint32_t point, sup_pose* pose, sup_arena* arena,
                                  double** out, sup_error* error);
/// The curve a force acts on: by its number, or the nearest to its place on a bone. Fails if there is no such curve.
sup_result sup_curve_of_force(const sup_force* force, const char* who, const sup_curves* curves, const sup_vec3* points,
                              uint32_t* out, sup_error* error);

/// The curves as lines named "curves" on the skin, limbs in different colors.
void sup_curves_draw(const sup_curves* curves, const sup_vec3* skin, const sup_canvas* canvas);

#endif
