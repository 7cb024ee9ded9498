/// io_extra/assimp.h: what the stages of the assimp reader share. They convert assimp's scene to a glTF document in memory,
/// which our own reader then reads: everything after that (welding, placing, baking into the source) has a single path. In
/// order:
///   assimp_files     how assimp accesses files
///   assimp_nodes     the tree and the names in it
///   assimp_material  materials and pictures
///   assimp_mesh      geometry and weights of one mesh
///   assimp_parts     meshes and skins of the nodes
///   assimp_clip      animations
///   assimp_cameras   cameras and lights
///   assimp_read      runs them, units and axes
///   assimp_apart     all of that in a process of its own
#ifndef SUP_IO_EXTRA_ASSIMP_H
#define SUP_IO_EXTRA_ASSIMP_H

#include "base/internal.h"
#include "io/gltf/gltf_write.h"

#include <assimp/scene.h>

typedef struct assimp_node {
    const struct aiNode* from;
    const char*          name;   ///< UTF-8
    uint32_t             parent; ///< SUP_NONE at the top
    sup_json*            json;
    bool                 animated;
    uint32_t             carrier; ///< node that shows its morphs, SUP_NONE
    uint32_t             morphs;  ///< how many
} assimp_node;

/// Influences of one mesh, those of vertex v from begin[v] up to begin[v + 1], largest first, summing to 1.
typedef struct assimp_weights {
    const uint32_t* begin;
    const uint32_t* bones; ///< index in the mesh; mNumBones: the mesh's own node, for vertices without a bone
    const float*    values;
    uint32_t        most;  ///< of any vertex
    bool            loose; ///< some vertices follow the mesh's own node
} assimp_weights;

/// One of assimp's meshes, converted once whatever the number of nodes that show it.
typedef struct assimp_mesh {
    bool            made;
    sup_json*       primitive; ///< without joints; NULL: nothing to show
    uint32_t        vertex_count;
    const uint32_t* vertices; ///< the kept ones of assimp's: equal ones are merged
    assimp_weights  weights;  ///< begin NULL: no skin
} assimp_mesh;

typedef struct assimp_reader {
    const sup_read_input* in;
    sup_error*            error;
    sup_arena*            keep; ///< the document's
    sup_arena*            work;
    const struct aiScene* scene;
    bool                  fbx;
    gltf_edit             edit;

    uint32_t     node_count;
    assimp_node* nodes; ///< as many first nodes of the document, parents first
    uint32_t     table_size;
    uint32_t*    table; ///< first node of each name, by hash
    sup_json*    top;   ///< nodes of the scene
    assimp_mesh* meshes;
    uint32_t*    texture_sets; ///< of each material: how many sets of coordinates its picture needs
    uint32_t     polygons;     ///< with more than three corners

    uint32_t     warning_count;
    const char** warnings;
} assimp_reader;

enum { ASSIMP_WARNINGS_MAX = 32 };

#define ASSIMP_TRY(call)                                                                                                       \
    do {                                                                                                                       \
        sup_result try_result = (call);                                                                                        \
        if (try_result != SUP_OK) return try_result;                                                                           \
    } while (0)

void        assimp_warn(assimp_reader* r, const char* format, ...) SUP_FORMAT(2, 3);
const char* assimp_text(assimp_reader* r, const struct aiString* text); ///< as UTF-8, never NULL
/// Reads a file beside or below ours; false if it does not exist or is not allowed.
bool assimp_file_read(const sup_read_input* in, const char* relative, sup_arena* arena, sup_bytes* out);

/// Makes a document from the input's bytes.
typedef sup_result assimp_make_fn(const sup_read_input* in, sup_arena* keep, sup_arena* work, gltf_given* given,
                                  sup_error* error);
/// The same in a process of its own, which may crash: then the error says so. The document is in `keep`. A process that already
/// has threads cannot be forked: there the document is made directly.
sup_result assimp_apart(assimp_make_fn* make, const sup_read_input* in, sup_arena* keep, sup_arena* work, gltf_given* given,
                        sup_error* error);

const struct aiScene* assimp_import(const sup_read_input* in, sup_arena* work);

sup_result assimp_nodes_make(assimp_reader* r);
uint32_t   assimp_node_find(const assimp_reader* r, const char* name); ///< SUP_NONE
/// "Arm_$AssimpFbx$_Rotation" is one of several nodes that represent "Arm": the length of that name, 0 for others.
size_t assimp_pivot_length(const char* name);

sup_result assimp_materials_make(assimp_reader* r);
sup_result assimp_mesh_make(assimp_reader* r, uint32_t index);
sup_result assimp_parts_make(assimp_reader* r);
sup_result assimp_clips_make(assimp_reader* r);
sup_result assimp_cameras_make(assimp_reader* r);

#endif
