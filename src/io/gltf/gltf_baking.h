/// io/gltf/gltf_baking.h: the state of one bake into a GLB.
#ifndef SUP_IO_GLTF_GLTF_BAKING_H
#define SUP_IO_GLTF_GLTF_BAKING_H

#include "base/parts.h"
#include "io/bake.h"
#include "io/gltf/gltf_write.h"

enum { GLTF_WEIGHT_SET = 4 }; ///< influences that every viewer supports

#define GLTF_CONDITION_MAX 1e3f ///< pulling floats back through a worse-conditioned blend loses more than three digits

/// A part of the character and the mesh that will carry its targets.
typedef struct baked_part {
    const sup_part*  part;
    const gltf_part* from;
    gltf_pull        pull;
    uint32_t (*slots)[GLTF_WEIGHT_SET]; ///< what `pull` reads; the copy's if a piece has new ones
    float (*weights)[GLTF_WEIGHT_SET];
    bool      wide;              ///< has more influences than a set
    uint32_t  uneven;            ///< vertices whose weights did not sum to 1
    double    sum_low, sum_high; ///< of them
    uint32_t  repaired;          ///< vertices whose blend folded flat and was repaired
    double    repaired_most;     ///< the largest change to one of their weights
    bool      flat;              ///< folds flat and cannot be repaired
    double    flat_value;        ///< its condition
    sup_json* mesh;              ///< in the copy, its own
    uint32_t  carrier;           ///< node in the copy that has the mesh
    uint32_t  existing;          ///< targets it had before
    uint32_t  fresh;             ///< targets of this bake: one a frame, or its components
} baked_part;

/// The targets of one primitive in a frame.
typedef struct baked_piece {
    baked_part* part;
    uint32_t    primitive;    ///< index in the mesh
    uint32_t    begin, count; ///< vertices inside the part
    bool        normals;
    bool        wide; ///< has more than a set of weights
    bool        new_weights, new_joints;
    bool        new_surface; ///< positions and normals are written as in `pull`
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
    sup_out_file*      spill;            ///< temporary file for the targets' data; sparse and packed ones only
    uint8_t*           packed;           ///< scratch for the largest piece; only for packed targets
    size_t             packed_capacity;
    uint64_t           unpacked_bytes; ///< of all packed targets so far
    uint32_t*          kept;           ///< scratch for the largest piece; only for sparse targets
    sup_vec3*          positions;      ///< scratch for the largest piece
    sup_vec3*          normals;
    bool               split;         ///< the document has other stored vertices than the frames
    const sup_normals* normals_maker; ///< for those; NULL: they have the normals of their points
    void*              normals_scratch;
    sup_vec3*          vertex_normals;
    sup_out_file*      binary;     ///< the GLB itself, or the file beside a .gltf
    char*              beside;     ///< path of that file, NULL: a GLB
    char*              uri;        ///< its name as a URI, NULL: a GLB
    size_t             json_bytes; ///< of the JSON chunk, padding included
    char*              json;
    struct gltf_pack*  pack;    ///< of a budget; NULL: a target for each frame
    const sup_vec3*    tension; ///< of a pose's points; NULL: not requested
    uint64_t           bad;     ///< vertices without a finite result
    bool               started;
} gltf_baking;

/// The packing of a budget; NULL: none was asked for, or this build has none, and the linker drops what packs.
static inline struct gltf_pack* gltf_baking_pack(const gltf_baking* b) { return SUP_HAS_BUDGETS ? b->pack : NULL; }

/// Finds the parts' stored vertices and how viewers will skin them.
sup_result gltf_baking_collect(gltf_baking* baking, const sup_character* character, sup_arena* arena, sup_error* error);
/// Decides which parts cannot keep their skin: over all frames of the clip, or for the one pose held.
sup_result gltf_baking_judge(gltf_baking* baking, sup_bake* bake, const sup_pose* held, sup_error* error);
/// Replaces weights that do not sum to 1, or that need more than one set, by those that the reader made of them.
sup_result gltf_weights_normalize(gltf_baking* baking, baked_part* part, const sup_character* character, sup_arena* arena,
                                  sup_error* error);
/// Changes weights that fold a vertex flat in some frame until they do not; if that is impossible, the part is flat.
sup_result gltf_weights_unfold(gltf_baking* baking, sup_bake* bake, const sup_pose* held, sup_error* error);
void       gltf_weights_note(sup_bake* bake, const baked_part* part);
void       gltf_weights_put(gltf_edit* edit, const baked_piece* piece, sup_json* attributes);
/// How much a pose stretches the skin, as the attribute _TENSION of every vertex and, if requested, as its color.
sup_result gltf_tension_find(gltf_baking* baking, sup_bake* bake, const sup_vec3* points, sup_error* error);
void       gltf_tension_put(gltf_baking* baking, const sup_bake* bake, const baked_piece* piece, sup_json* attributes);
/// Gives every part a mesh of its own with room for the targets, adds the animation, and pads existing ones.
sup_result gltf_baking_edit(gltf_baking* baking, sup_bake* bake, const sup_pose* held, sup_error* error);
/// The new animation, and the weights of the others padded with zeros.
sup_result gltf_baking_animate(gltf_baking* baking, sup_bake* bake, const sup_pose* held, sup_json* const* nodes,
                               sup_error* error);

/// Cuts a copy of one of the source's animations to the `span` seconds from `start` on. Returns how many channels were dropped
/// because their keys cannot be decoded here.
uint32_t gltf_animation_cut(gltf_baking* baking, sup_json* animation, double start, double span);

/// Bytes waiting in the spill file.
typedef struct gltf_spilled {
    const void* data;
    uint32_t    count, stride;
    bool        vertices; ///< vertex attributes of a mesh: their view needs a stride
    bool        list;     ///< a list of vertex indices, rising
} gltf_spilled;

/// A view over them, packed with --meshopt.
sup_result gltf_spill(gltf_baking* baking, sup_bake* bake, const gltf_spilled* what, uint32_t* view, sup_error* error);
/// Spills vectors of vertices, and adds the accessor over them.
sup_result gltf_spill_vectors(gltf_baking* baking, sup_bake* bake, sup_json* accessor, const sup_vec3* values, uint32_t count,
                              sup_error* error);

/// Writes one piece of one frame, whose displacements are in the scratch, to the spill file and the document. Displacements
/// without effect become zero; bounds cover what is left.
sup_result gltf_sparse_write(gltf_baking* baking, sup_bake* bake, const baked_piece* piece, size_t target, float bounds[6],
                             sup_error* error);
/// The same with --meshopt: memory for pieces of up to `most` vertices, one piece of one frame, and the document's entries.
sup_result gltf_meshopt_begin(gltf_baking* baking, sup_bake* bake, uint32_t most, sup_error* error);
sup_result gltf_meshopt_write(gltf_baking* baking, sup_bake* bake, const baked_piece* piece, size_t target, sup_error* error);
sup_result gltf_meshopt_end(gltf_baking* baking, sup_error* error);
/// The header, the JSON chunk and the bytes of the document.
sup_result gltf_baking_write(sup_bake* bake, gltf_baking* baking, sup_error* error);
/// Copies everything spilled behind the document.
sup_result gltf_sparse_copy(gltf_baking* baking, sup_bake* bake, sup_error* error);

#endif
