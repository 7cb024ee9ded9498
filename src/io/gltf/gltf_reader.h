/// io/gltf/gltf_reader.h: what the stages of the glTF reader share. They run in this order, each in its file:
///   gltf_file      container, document, buffers and images (gltf_uri finds them)
///   gltf_meshopt   unpacks compressed buffers
///   gltf_nodes     the tree, its rest transforms, the scene
///   gltf_mesh      geometry of the meshes in the scene
///   gltf_skin      joints, and the rest space that all parts share
///   gltf_dress     weights for clothes that have none
///   gltf_clip      animations
///   gltf_read      assembles the description
#ifndef SUP_IO_GLTF_GLTF_READER_H
#define SUP_IO_GLTF_GLTF_READER_H

#include "base/internal.h"
#include "io/gltf/gltf.h"

/// An affine map in double: rest transforms are chains of products, and their inverses must cancel them.
typedef struct gltf_matrix {
    double m[3][4];
} gltf_matrix;

typedef struct gltf_node {
    const sup_json* value;
    const char*     name;
    uint32_t        parent;
    uint32_t        depth;
    uint32_t        mesh, skin; ///< SUP_NONE: none
    bool            in_scene;
    bool            skin_joint;
    bool            has_matrix;
    sup_transform   rest;
    sup_affine      matrix; ///< local at rest
    gltf_matrix     global; ///< at rest
    uint32_t        joint;  ///< in the description; SUP_NONE: neither a joint nor a mesh nor an ancestor of one
    uint32_t        part;   ///< made from its mesh
    bool            bound;  ///< inverse_bind is final
    gltf_matrix     inverse_bind;
    uint32_t        copies; ///< joints made from it
} gltf_node;

/// Geometry of one mesh, all triangle primitives concatenated. Read once, whatever the number of nodes.
typedef struct gltf_mesh {
    const sup_json* value;
    const char*     name;
    bool            read;
    uint32_t        uses; ///< parts made from it
    uint32_t        primitive_count;
    gltf_primitive* primitives;
    uint32_t        vertex_count;
    const sup_vec3* positions;
    const sup_vec3* normals;
    const sup_vec4* tangents;
    uint32_t        face_count;
    const uint32_t* face_sizes; ///< NULL: all triangles
    const uint32_t* corners;
    const uint32_t* triangles; ///< the file's own index array, or NULL
    uint32_t        width;
    bool            borrowed;   ///< positions are the file's own bytes
    uint32_t*       slots;      ///< vertex_count x width, indices into a skin's joints; NULL: slot_bytes
    const uint8_t*  slot_bytes; ///< the file's own, if each has four bytes
    const float*    weights;
    const uint32_t* point_ids;
    uint32_t        morph_count;
    sup_morph_desc* morphs;
    uint32_t        map_count;
    sup_map_desc*   maps;
} gltf_mesh;

typedef struct gltf_skin {
    const sup_json* value;
    const char*     name;
    uint32_t        joint_count;
    uint32_t*       nodes;
    gltf_matrix*    inverse_binds;   ///< as the file has them
    bool            used;            ///< by a part
    double          low[3], high[3]; ///< box around the used parts, in mesh space
    gltf_matrix     place;           ///< from mesh space to rest space
    uint32_t*       joints;          ///< in the description
} gltf_skin;

typedef struct gltf_reader {
    const sup_read_input* in;
    const gltf_given*     given; ///< NULL: read from the input's bytes
    sup_error*            error;
    sup_arena*            keep;   ///< becomes the character's
    sup_arena*            work;   ///< freed with the reader
    gltf_source*          source; ///< in keep
    uint64_t              budget; ///< bytes that geometry and keys may still take
    sup_result            result; ///< the result when gltf_take returned NULL

    uint32_t   node_count;
    gltf_node* nodes;
    uint32_t*  order; ///< nodes, parents first
    uint32_t   mesh_count;
    gltf_mesh* meshes;
    uint32_t   skin_count;
    gltf_skin* skins;

    bool           lone; ///< there will be at most one part: corners and triangles stay, for the character to reference
    uint32_t       part_count;
    gltf_part*     origins; ///< of the parts, in keep
    sup_part_desc* parts;
    uint32_t       joint_count, joint_capacity;
    sup_joint*     joints;
    uint32_t       clip_count;
    sup_clip*      clips;

    uint32_t     warning_count;
    const char** warnings;
} gltf_reader;

#define GLTF_TRY(call)                                                                                                         \
    do {                                                                                                                       \
        sup_result try_result = (call);                                                                                        \
        if (try_result != SUP_OK) return try_result;                                                                           \
    } while (0)

// Stages.
sup_result gltf_file_open(gltf_reader* r);
sup_result gltf_meshopt_unpack(gltf_reader* r);
sup_result gltf_nodes_read(gltf_reader* r);
sup_result gltf_parts_find(gltf_reader* r); ///< and the geometry of their meshes
sup_result gltf_skins_read(gltf_reader* r);
sup_result gltf_parts_place(gltf_reader* r);
sup_result gltf_parts_dress(gltf_reader* r); ///< weights for clothes that the user names
sup_result gltf_clips_read(gltf_reader* r);

// Helpers of all stages.

/// Whether the host brought a codec for this extension.
bool gltf_meshopt_known(const gltf_reader* r, const char* extension);

/// The names of all meshes in the scene, as "'Body', 'Shirt'", truncated if there are many.
const char* gltf_part_names(gltf_reader* r);
/// Adds a warning for the user; beyond a number of them only a last one that says so.
void gltf_warn(gltf_reader* r, const char* format, ...) SUP_FORMAT(2, 3);
/// Formats text in the work arena, or "?" when out of memory (the next allocation reports it).
const char* gltf_text(gltf_reader* r, const char* format, ...) SUP_FORMAT(2, 3);
/// Memory of the work arena that counts against the budget: instances and shared accessors let a small file ask for any amount.
/// NULL: r->result is the code to return.
void* gltf_take(gltf_reader* r, uint64_t count, size_t size);
/// The same for memory that will be needed later.
sup_result gltf_charge(gltf_reader* r, uint64_t count, size_t size);
/// The items of the array `key` of an object by index; none if it is absent.
sup_result gltf_list(gltf_reader* r, const sup_json* object, const char* key, sup_arena* arena, uint32_t* count,
                     const sup_json*** out);
/// The index under `key`, SUP_NONE if absent; fails if it is not an index below limit. `owner` is for the message.
sup_result gltf_index(gltf_reader* r, const sup_json* object, const char* key, uint32_t limit, const char* owner,
                      uint32_t* out);
/// The name of an object, or "KIND INDEX" if it has none.
const char* gltf_name(gltf_reader* r, const sup_json* object, const char* kind, uint32_t index);

/// Reports progress; SUP_ERROR_CANCELLED if the user cancelled.
sup_result gltf_report(gltf_reader* r);
/// gltf_accessor_find that also fills in sparse values.
sup_result gltf_accessor_load(gltf_reader* r, uint32_t index, const char* used_for, gltf_accessor* out);
/// All components as floats: the file's own bytes if they are suitable, else a copy.
sup_result gltf_accessor_floats(gltf_reader* r, const gltf_accessor* accessor, const float** out);
/// The same into the caller's memory.
void gltf_accessor_fill(const gltf_accessor* accessor, float* out);
/// Fails with the accessor's name when one of its values is NaN or infinite.
sup_result gltf_accessor_finite(gltf_reader* r, const gltf_accessor* accessor, const float* values, const char* used_for);

bool gltf_uri_is_data(const char* uri, size_t length);
/// Bytes of a data: URI.
sup_result gltf_uri_data(sup_arena* arena, const char* uri, size_t length, const char* what, sup_bytes* out, sup_error* error);
/// Bytes of a data: URI, or of a file beside ours. `what` names the owner in messages ("buffer 1").
sup_result gltf_uri_load(gltf_reader* r, const char* uri, size_t length, const char* what, sup_bytes* out, sup_error* error);

// Matrices.
gltf_matrix gltf_matrix_identity(void);
gltf_matrix gltf_matrix_mul(const gltf_matrix* a, const gltf_matrix* b); ///< first b, then a
bool        gltf_matrix_invert(const gltf_matrix* a, gltf_matrix* out);  ///< false: singular or not finite
gltf_matrix gltf_matrix_from(const sup_affine* a);
sup_affine  gltf_matrix_affine(const gltf_matrix* a);
gltf_matrix gltf_matrix_transform(const sup_transform* t);
void        gltf_matrix_point(const gltf_matrix* a, const double p[3], double out[3]);

#endif
