/// io/gltf/gltf_document.h: making a fresh document: gltf_write_document makes skeleton and clips, gltf_write_surface meshes
/// and materials.
#ifndef SUP_IO_GLTF_GLTF_DOCUMENT_H
#define SUP_IO_GLTF_GLTF_DOCUMENT_H

#include "io/appearance.h"
#include "io/gltf/gltf_write.h"

typedef struct gltf_maker {
    gltf_edit            edit;
    const sup_character* character;
    const appearance*    appearance; ///< NULL: none
    sup_json**           joints; ///< their nodes
    uint32_t*            joint_nodes; ///< and the indices of these
    uint32_t             root;   ///< node above the joints, or SUP_NONE
    sup_json*            root_json;
    uint32_t             skin;       ///< SUP_NONE: no part has one
    uint32_t*            slots;      ///< of each joint in the skin, SUP_NONE
    uint32_t             influences; ///< most influences of a vertex; 0: all
    uint32_t*            part_nodes; ///< SUP_NONE for parts without faces
    gltf_part*           parts;
    const sup_vec3*      normals; ///< per point at rest, for vertices without an authored normal; NULL: all have one
    sup_error*           error;
} gltf_maker;

/// Memory of the document's arena; NULL sets the failure flag of the edit.
static inline void* gltf_make(gltf_maker* m, size_t count, size_t size)
{
    void* p = sup_arena_alloc(m->edit.arena, count, size);
    if (!p) m->edit.failed = true;
    return p;
}

sup_json* gltf_named_node(gltf_maker* m, const char* name, uint32_t* index);
/// A node for each joint, in the scene.
sup_result gltf_joints_write(gltf_maker* m);
/// The node list of the visible scene; a new scene if the document has none.
sup_json* gltf_scene_nodes(gltf_maker* m);
/// One skin for all parts, with every joint that some skinned point follows.
void gltf_skin_write(gltf_maker* m);
/// An animation for each clip, SUP_NONE for those without channels.
uint32_t* gltf_clips_write(gltf_maker* m);
/// Normals for vertices that have none authored. False: out of memory.
bool gltf_rest_normals(gltf_maker* m);
/// Every piece of the BIN chunk as a buffer of its own, in place: opening the document concatenates them again, which is where
/// its views expect them.
bool gltf_buffers_list(gltf_maker* m, gltf_source* source);

/// The contents of one primitive.
typedef struct gltf_piece {
    const sup_part* part;
    uint32_t        index;        ///< among those of the part
    uint32_t        begin, count; ///< stored vertices
    const uint32_t* face_pieces;  ///< NULL: all faces
} gltf_piece;

/// Meshes, materials and the nodes that show them.
void gltf_parts_write(gltf_maker* m);
void gltf_shape_write(gltf_maker* m, const gltf_piece* p, sup_json* attributes);   ///< POSITION, NORMAL
void gltf_weights_write(gltf_maker* m, const gltf_piece* p, sup_json* attributes); ///< JOINTS_n, WEIGHTS_n
void gltf_morphs_write(gltf_maker* m, const gltf_piece* p, sup_json* mesh, sup_json* primitive);

#endif
