/// io/gltf/gltf_baking.h: the state of one bake into a GLB.
#ifndef SUP_IO_GLTF_GLTF_BAKING_H
#define SUP_IO_GLTF_GLTF_BAKING_H

#include "io/bake.h"
#include "io/gltf/gltf_write.h"

enum { GLTF_WEIGHT_SET = 4 }; ///< influences that every viewer knows

#define GLTF_CONDITION_MAX 1e3f ///< floats pulled back through worse blends lose more than three digits

/// One part of the character and the mesh that will carry its targets.
typedef struct baked_part {
    const sup_part*  part;
    const gltf_part* from;
    gltf_pull        pull;
    uint32_t (*slots)[GLTF_WEIGHT_SET]; ///< what `pull` reads; the copy's where a piece has new ones
    float (*weights)[GLTF_WEIGHT_SET];
    bool      wide;              ///< had more than a set
    uint32_t  uneven;            ///< vertices whose weights did not sum to 1
    double    sum_low, sum_high; ///< of them
    uint32_t  mended;            ///< vertices that folded flat
    double    mended_most;       ///< by how much a weight of theirs was changed
    bool      flat;              ///< folds flat and cannot be helped
    double    flat_value;        ///< its condition
    sup_json* mesh;              ///< in the copy, its own
    uint32_t  carrier;           ///< node in the copy that has the mesh
    uint32_t  existing;          ///< targets it had before
    uint32_t  fresh;             ///< targets of this bake: one a frame, or its components
} baked_part;

/// The targets of one primitive: what a frame writes for it.
typedef struct baked_piece {
    baked_part* part;
    uint32_t    primitive;    ///< index in the mesh
    uint32_t    begin, count; ///< vertices inside the part
    bool        normals;
    bool        wide; ///< has more than a set of weights
    bool        new_weights, new_joints;
    bool        new_surface; ///< positions and normals are written as `pull` has them
} baked_piece;

typedef struct gltf_baking {
    gltf_document      document;
    gltf_edit          edit;
    uint32_t           part_count, piece_count;
    baked_part*        parts;
    baked_piece*       pieces;
    uint64_t           frame_bytes;      ///< of one frame's targets
    const char*        name;             ///< of the new animation
    sup_json**         accessors;        ///< of the positions: frame by frame, piece by piece
    sup_json**         normal_accessors; ///< likewise; only for spilled targets
    sup_out_file*      spill;            ///< the targets' data until the document is whole; sparse and packed ones only
    uint8_t*           packed;           ///< scratch for the largest piece; only for packed targets
    size_t             packed_capacity;
    uint64_t           unpacked_bytes; ///< of all packed targets so far
    uint32_t*          kept;           ///< scratch for the largest piece; only for sparse targets
    sup_vec3*          positions;      ///< scratch for the largest piece
    sup_vec3*          normals;
    bool               split;         ///< the document has other stored vertices than the frames
    const sup_normals* normals_maker; ///< for them; NULL: they have those of their points
    void*              normals_scratch;
    sup_vec3*          vertex_normals;
    sup_out_file*      binary;     ///< the GLB itself, or the file beside a .gltf
    char*              beside;     ///< path of that file, NULL: a GLB
    char*              uri;        ///< its name as a URI, NULL: a GLB
    size_t             json_bytes; ///< of the JSON chunk, padding included
    char*              json;
    struct gltf_pack*  pack; ///< of a budget; NULL: a target for each frame
    const sup_vec3*    tension; ///< of the points of a pose; NULL: not asked for
    uint64_t           bad; ///< vertices without a finite answer
    bool               started;
} gltf_baking;

/// Finds the parts' stored vertices and how viewers will pose them.
sup_result gltf_baking_collect(gltf_baking* baking, const sup_character* character, sup_arena* arena, sup_error* error);
/// Decides which parts cannot keep their skin: over all frames of the clip, or for the one pose that is held.
sup_result gltf_baking_judge(gltf_baking* baking, sup_bake* bake, const sup_pose* held, sup_error* error);
/// Weights that do not sum to 1 and those of more than a set become what the reader made of them.
sup_result gltf_weights_normalize(gltf_baking* baking, baked_part* part, const sup_character* character, sup_arena* arena,
                                  sup_error* error);
/// Weights that fold their vertex flat in some frame are changed until they do not; a part where that is not possible is flat.
sup_result gltf_weights_unfold(gltf_baking* baking, sup_bake* bake, const sup_pose* held, sup_error* error);
void       gltf_weights_note(sup_bake* bake, const baked_part* part);
void       gltf_weights_put(gltf_edit* edit, const baked_piece* piece, sup_json* attributes);
/// How a pose strains the skin, as the attribute _TENSION of every vertex and where it was asked for as its color.
sup_result gltf_tension_find(gltf_baking* baking, sup_bake* bake, const sup_vec3* points, sup_error* error);
void       gltf_tension_put(gltf_baking* baking, const sup_bake* bake, const baked_piece* piece, sup_json* attributes);
/// Gives every part a mesh of its own and room for the targets, adds the animation, pads those there are.
sup_result gltf_baking_edit(gltf_baking* baking, sup_bake* bake, const sup_pose* held, sup_error* error);
/// The new animation, and the weights of the others padded with zeros.
sup_result gltf_baking_animate(gltf_baking* baking, sup_bake* bake, const sup_pose* held, sup_json* const* nodes,
                               sup_error* error);

/// Cuts a copy of one of the source's animations to what it shows from `start` on for `span` seconds. Returns how many channels
/// went because their keys are not known here.
uint32_t gltf_animation_cut(gltf_baking* baking, sup_json* animation, double start, double span);

/// Bytes that wait in the spill.
typedef struct gltf_spilled {
    const void* data;
    uint32_t    count, stride;
    bool        vertices; ///< of a mesh: their view has a stride
    bool        list;     ///< of vertices, rising
} gltf_spilled;

/// A view over them, packed with --meshopt.
sup_result gltf_spill(gltf_baking* baking, sup_bake* bake, const gltf_spilled* what, uint32_t* view, sup_error* error);
/// Vectors of vertices so, and the accessor that shows them.
sup_result gltf_spill_vectors(gltf_baking* baking, sup_bake* bake, sup_json* accessor, const sup_vec3* values, uint32_t count,
                              sup_error* error);

/// One piece of one frame, whose displacements stand in the scratch: into the spill and the document. Those that change
/// nothing become zero; bounds are those of what is left.
sup_result gltf_sparse_write(gltf_baking* baking, sup_bake* bake, const baked_piece* piece, size_t target, float bounds[6],
                             sup_error* error);
/// The same with --meshopt: room for pieces of up to `most` vertices, one piece of one frame, and what the document says.
sup_result gltf_meshopt_begin(gltf_baking* baking, sup_bake* bake, uint32_t most, sup_error* error);
sup_result gltf_meshopt_write(gltf_baking* baking, sup_bake* bake, const baked_piece* piece, size_t target, sup_error* error);
sup_result gltf_meshopt_end(gltf_baking* baking, sup_error* error);
/// The header, the JSON chunk and the bytes of the document.
sup_result gltf_baking_write(sup_bake* bake, gltf_baking* baking, sup_error* error);
/// All that was spilled, behind the document.
sup_result gltf_sparse_copy(gltf_baking* baking, sup_bake* bake, sup_error* error);

#endif
