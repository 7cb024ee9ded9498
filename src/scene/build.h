/// scene/build.h: the stages of sup_character_create. Each stage reads the description and what earlier stages left in the
/// build, and puts what lasts into the character's arena. A stage returns SUP_OK, or fails and fills the error.
#ifndef SUP_SCENE_BUILD_H
#define SUP_SCENE_BUILD_H

#include "base/internal.h"
#include "supple/scene.h"

/// Indices are 32 bits wide and sums of two of them must not wrap.
#define SUP_BUILD_LIMIT 0x7fffffffu

/// What the check found out about one part of the description, and what later stages add.
typedef struct sup_part_build {
    uint32_t face_count;   ///< with at least three corners
    uint32_t corner_count; ///< of those faces
    uint32_t joint;        ///< for rigid parts, in topological order; SUP_NONE for skinned ones
    bool     placed;       ///< place is not exactly the identity
    bool     bare;         ///< some vertex has no weights; set by the influences stage
    uint32_t weight_count; ///< influences above zero of its vertices
} sup_part_build;

typedef struct sup_build {
    const sup_character_desc* desc;
    sup_arena*                keep;    ///< the character's
    sup_arena*                scratch; ///< freed when create returns
    sup_error*                error;
    sup_character*            out;

    sup_part*       parts; ///< also out->mesh.parts
    sup_part_build* part_builds;
    uint32_t        vertex_count, face_count, corner_count; ///< of all parts
    uint32_t*       vertex_points;
    uint32_t*       point_vertices; ///< the first stored vertex of each point, counted over all parts
    bool            points_are_vertices; ///< one to one, in the same order

    sup_joint* joints; ///< also out->skeleton.joints
    uint32_t   joint_count;
    uint32_t*  joint_places; ///< from a joint of the description to its index in topological order
    void*      row;          ///< where sup_build_row sorts

    sup_notes warnings; ///< what was repaired; if memory for a note runs out, the last stage fails
} sup_build;

/// A copy of the name in the character's arena; "noun index" if it has none. NULL: out of memory.
const char* sup_build_name(sup_build* build, const char* name, const char* noun, uint32_t index);

/// The influences of a stored vertex of a skinned part as kept: sorted, duplicate joints merged, normalized. Returns how many;
/// both lists must hold the part's width. Valid from the influences stage on.
uint32_t sup_build_row(const sup_build* build, uint32_t part, uint32_t vertex, uint32_t* joints, float* values);

// The stages, in the order they run.
sup_result sup_build_check(sup_build* build);      ///< parts: pointers, ranges, finite numbers, names, places
sup_result sup_build_skeleton(sup_build* build);   ///< topological order, binds
sup_result sup_build_influences(sup_build* build); ///< checks the weights of stored vertices
sup_result sup_build_points(sup_build* build);     ///< which vertices are one point, and the points' positions
sup_result sup_build_surface(sup_build* build);    ///< faces, triangles, normals, tangents
sup_result sup_build_weights(sup_build* build);    ///< influences of every point
sup_result sup_build_bones(sup_build* build);      ///< segments between skin joints
sup_result sup_build_shapes(sup_build* build);     ///< morphs, maps, examples
sup_result sup_build_clips(sup_build* build);

#endif
