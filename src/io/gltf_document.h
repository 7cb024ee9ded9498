/// io/gltf_document.h: the making of a fresh document: gltf_write_document does skeleton and clips, gltf_write_surface meshes
/// and materials.
#ifndef SUP_IO_GLTF_DOCUMENT_H
#define SUP_IO_GLTF_DOCUMENT_H

#include "io/dress.h"
#include "io/gltf_write.h"

typedef struct gltf_maker {
    gltf_edit            edit;
    const sup_character* character;
    const dress*         dress;  ///< NULL: none
    sup_json**           joints; ///< their nodes
    uint32_t             root;   ///< node above the joints, or SUP_NONE
    sup_json*            root_json;
    uint32_t             skin;       ///< SUP_NONE: no part has one
    uint32_t*            slots;      ///< of each joint in the skin, SUP_NONE
    uint32_t*            part_nodes; ///< SUP_NONE for parts without faces
    gltf_part*           parts;
    const sup_vec3*      normals; ///< at rest, per point, for vertices without one of their own; NULL: all have one
    sup_error*           error;
} gltf_maker;

/// Memory of the document's arena; NULL notes the failure in the edit.
static inline void* gltf_make(gltf_maker* m, size_t count, size_t size)
{
    void* p = sup_arena_alloc(m->edit.arena, count, size);
    if (!p) m->edit.failed = true;
    return p;
}

sup_json* gltf_named_node(gltf_maker* m, const char* name, uint32_t* index);
/// Meshes, materials and the nodes that show them.
void gltf_parts_write(gltf_maker* m);

#endif
