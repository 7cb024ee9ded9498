/// io/gltf/gltf_write.h: a glTF document under construction, and the contents of its BIN chunk.
#ifndef SUP_IO_GLTF_GLTF_WRITE_H
#define SUP_IO_GLTF_GLTF_WRITE_H

#include "io/gltf/gltf.h"

struct sup_out_file;

// The constants that glTF takes from OpenGL.
enum {
    GLTF_UBYTE = 5121,
    GLTF_BYTE = 5120,
    GLTF_SHORT = 5122,
    GLTF_USHORT = 5123,
    GLTF_UINT = 5125,
    GLTF_FLOAT = 5126,
    GLTF_ARRAY_BUFFER = 34962,
    GLTF_ELEMENT_BUFFER = 34963,
};

/// Bytes of a component of that type.
static inline uint32_t gltf_component_bytes(uint32_t type)
{
    return type == GLTF_FLOAT || type == GLTF_UINT ? 4 : type == GLTF_USHORT || type == GLTF_SHORT ? 2 : 1;
}
/// A whole number of an object, 0 if absent.
static inline uint64_t gltf_number_of(const sup_json* object, const char* key)
{
    const sup_json* value = sup_json_get(object, key);
    return value ? sup_json_index(value, 0) : 0;
}

// ---------------------------------------------------------------------------------------------- document

/// A piece of the BIN chunk: referenced bytes, written in order, each padded to four.
typedef struct gltf_blob {
    const void*       data;
    size_t            bytes;
    struct gltf_blob* next;
} gltf_blob;

/// A document under construction. Running out of memory sets `failed` and continues, so that one check at the end is enough.
typedef struct gltf_edit {
    sup_arena*     arena;
    sup_json*      root;
    gltf_blob*     first;
    gltf_blob*     last;
    uint64_t       bytes;          ///< of the BIN chunk so far
    uint32_t       accessor_count; ///< made here, not those of the source
    uint32_t       accessor_capacity;
    gltf_accessor* accessors; ///< with their data, in order of creation
    bool           failed;
} gltf_edit;

// SUP_API: the readers of io_extra build documents with these too.
SUP_API void gltf_edit_create(gltf_edit* edit, sup_arena* arena); ///< an empty document
/// A copy of the source: all its buffers and image files become one buffer. Returns how many image files stay outside because
/// their type is unknown.
uint32_t gltf_edit_open(gltf_edit* edit, const gltf_source* source, sup_arena* arena);

// Values from the edit's arena. Parents may be NULL, so that callers can go on after a failure.
SUP_API sup_json* gltf_edit_get(sup_json* object, const char* key);
SUP_API sup_json* gltf_edit_object(gltf_edit* edit, sup_json* parent, const char* key); ///< the one there is, or a new one
SUP_API sup_json* gltf_edit_array(gltf_edit* edit, sup_json* parent, const char* key);  ///< likewise
SUP_API sup_json* gltf_edit_new(gltf_edit* edit, sup_json_type type);
SUP_API sup_json* gltf_edit_copy(gltf_edit* edit, const sup_json* value);
SUP_API void      gltf_edit_put(gltf_edit* edit, sup_json* object, const char* key, sup_json* value);
SUP_API void      gltf_edit_number(gltf_edit* edit, sup_json* object, const char* key, double value);
SUP_API void      gltf_edit_string(gltf_edit* edit, sup_json* object, const char* key, const char* text);
SUP_API void      gltf_edit_numbers(gltf_edit* edit, sup_json* object, const char* key, const float* values, uint32_t count);
SUP_API void      gltf_edit_push_number(gltf_edit* edit, sup_json* array, double value);
SUP_API void      gltf_edit_push_string(gltf_edit* edit, sup_json* array, const char* text);
/// Appends to one of the document's own arrays ("nodes") and returns the index there.
SUP_API uint32_t gltf_edit_add(gltf_edit* edit, const char* list, sup_json* value);
/// The items of an array as pointers; NULL and 0 if there are none.
sup_json** gltf_edit_items(gltf_edit* edit, sup_json* array, uint32_t* count);

/// A bufferView over new bytes. data NULL: only reserves them; the writer supplies them later. stride and target 0: none.
SUP_API uint32_t gltf_edit_view(gltf_edit* edit, const void* data, uint64_t bytes, uint32_t stride, uint32_t target);
/// An accessor of components 1 (SCALAR), 2, 3, 4 or 16 into a view; data is its first element (NULL: not kept).
SUP_API uint32_t gltf_edit_accessor(gltf_edit* edit, uint32_t view, uint64_t offset, const gltf_accessor* what, sup_json** out);
/// View and accessor over floats in one call; bounds adds the minimum and maximum of each component.
SUP_API uint32_t gltf_edit_floats(gltf_edit* edit, const float* values, uint32_t count, uint32_t components, uint32_t target,
                                  bool bounds);

/// Lists an extension as used, once.
SUP_API void gltf_edit_use(gltf_edit* edit, const char* extension);
/// The same, and readers must support it.
void gltf_edit_require(gltf_edit* edit, const char* extension);
/// Whether all references of a document to its accessors, views and targets are known here, so that some can be removed.
bool gltf_prunable(const sup_json* root);
/// Removes unreferenced accessors, views and bytes; only from prunable documents. Returns the new number of every accessor,
/// SUP_NONE if removed; NULL: out of memory.
uint32_t* gltf_prune(gltf_edit* edit);
/// Removes morph targets of a mesh and their weights.
void gltf_targets_drop(sup_json* node, sup_json* mesh);
/// Removes channels that move nothing visible, and animations that have no others.
void gltf_channels_drop(gltf_edit* edit);
/// All pieces of the BIN chunk concatenated, as a reader would find them. False: out of memory.
SUP_API bool gltf_edit_gather(gltf_edit* edit, sup_bytes* out);
/// Reads the document as if it were a file: with the meshes, unit and axis of `base`, from which it was opened. The edit's
/// arena moves into the character.
sup_result gltf_edit_read(gltf_edit* edit, const sup_character* base, const sup_allocator* allocator, sup_character** out,
                          sup_error* error);
/// The document and its bytes as a GLB; the path is for messages.
sup_result gltf_edit_write(gltf_edit* edit, struct sup_out_file* file, sup_arena* arena, const char* path, sup_error* error);
/// Converts a character that no longer matches its file, or came from an OBJ or PLY, into one read from a document of its own.
/// *out is NULL if it already is one.
sup_result gltf_character_whole(const sup_character* character, const sup_allocator* allocator, sup_character** out,
                                sup_error* error);
/// A character with the same points whose equal stored vertices are merged. *out is NULL if that saves little or is impossible.
sup_result gltf_character_join(const sup_character* character, const sup_allocator* allocator, sup_character** out,
                               sup_error* error);
/// "image/png" and the like, NULL if the bytes are not a known picture format.
SUP_API const char* gltf_image_kind(sup_bytes image);

// ---------------------------------------------------------------------------------------------- what is written

/// The document that a bake adds to, and the numbers of the character's parts and joints in it.
typedef struct gltf_document {
    const gltf_source* source;
    const uint32_t*    joint_nodes;     ///< node of each joint, SUP_NONE if it has none
    const uint32_t*    clip_animations; ///< animation of each clip, SUP_NONE if it has none
    uint32_t           root;            ///< node that rotates and scales a fresh document; SUP_NONE: none
    /// With the document's stored vertices: the one given, or a copy whose points are split at seams.
    const sup_character* character;
} gltf_document;

/// Maps the parts, joints and clips of a character that came from glTF.
sup_result gltf_document_read(const sup_character* character, sup_arena* arena, gltf_document* out, sup_error* error);
/// A fresh document from any character, in memory. `influences`: at most this many per vertex, the largest; 0: all. Use four in
/// files for many readers.
sup_result gltf_document_create(const sup_character* character, uint32_t influences, sup_arena* arena, gltf_document* out, sup_error* error);

/// The document a character came from with its new weights, or with other joints below its meshes: its materials, pictures,
/// attributes, other meshes, cameras and clips stay. *out->source is NULL if the document cannot express it (one node stands
/// for two joints); then a fresh one is needed.
sup_result gltf_document_rerig(const sup_character* character, uint32_t influences, sup_arena* arena, gltf_document* out, sup_error* error);
/// Whichever of the three fits. The file's own weights keep their influences.
sup_result gltf_document_choose(const sup_character* character, uint32_t influences, sup_arena* arena, gltf_document* out, sup_error* error);

/// Maps of `count` stored vertices from `first` on as attributes of a primitive.
void gltf_maps_write(gltf_edit* edit, const sup_character* character, uint32_t first, uint32_t count, sup_json* attributes);
/// Replaces the weights and maps in a copy of its source by the character's. False: they need joints that its skins do not
/// have, or one mesh for several parts, or memory (edit->failed); then the document is unchanged.
bool gltf_rewrite_weights(gltf_edit* edit, const sup_character* character);

/// The accessor of the times written last.
typedef struct gltf_times {
    const float* times;
    uint32_t     count, accessor;
} gltf_times;

/// A sampler with the keys of a channel, appended to an animation. `shared` starts as zeros.
uint32_t gltf_clip_keys(gltf_edit* edit, const sup_channel* channel, gltf_times* shared, sup_json* animation);
/// Channels and samplers of a clip, appended to an animation. Weights only where part_nodes is not NULL.
void gltf_clip_write(gltf_edit* edit, const sup_clip* clip, const uint32_t* joint_nodes, const uint32_t* part_nodes,
                     sup_json* animation);
/// Gives nodes that the clip moves their rest transform as translation, rotation and scale instead of a matrix, which cannot be
/// animated.
void gltf_clip_unlock(gltf_edit* edit, const sup_character* character, const sup_clip* clip, const uint32_t* joint_nodes,
                      sup_json* const* nodes);
/// Makes sure that our own reader accepts the output: the rest transforms stay finite in the form that the nodes now have, a
/// matrix or three parts, below `place` (NULL: nothing). `nodes` is indexed through joint_nodes, or by joints if that is NULL.
sup_result gltf_rest_check(const sup_character* character, const sup_transform* place, const uint32_t* joint_nodes,
                           sup_json* const* nodes, sup_arena* arena, sup_error* error);
/// One-key channels for every joint whose local transform differs from the one at rest.
void gltf_clip_hold(gltf_edit* edit, const sup_character* character, const sup_pose* pose, float time,
                    const uint32_t* joint_nodes, sup_json* const* nodes, sup_json* animation);
/// One more sampler and one more channel of an animation.
SUP_API uint32_t gltf_clip_sampler(gltf_edit* edit, sup_json* animation, uint32_t input, uint32_t output,
                                   const char* interpolation);
SUP_API void     gltf_clip_channel(gltf_edit* edit, sup_json* animation, uint32_t sampler, uint32_t node, const char* path);

// ---------------------------------------------------------------------------------------------- packing

/// How the bytes of a view are packed with EXT_meshopt_compression.
typedef struct gltf_packing {
    uint64_t    unpacked; ///< offset in the fallback buffer, which is never read
    uint32_t    count, stride;
    size_t      bytes; ///< packed
    const char* mode;
    const char* filter; ///< NULL: none
} gltf_packing;

/// Adds the extension to the view added last, whose bytes are the packed ones.
void gltf_meshopt_mark(gltf_edit* edit, const gltf_packing* what);
/// Adds the fallback buffer, and lists the extension as required.
sup_result gltf_meshopt_fallback(gltf_edit* edit, uint64_t unpacked, sup_error* error);

// ---------------------------------------------------------------------------------------------- pull-back

/// How viewers pose the stored vertices of one part, to be undone: they morph first and skin afterwards.
typedef struct gltf_pull {
    bool            flat;  ///< no skin and no node above: world space
    uint32_t        joint; ///< unskinned: the joint that carries the mesh; SUP_NONE: skinned
    uint32_t        slot_count;
    const uint32_t* slots;             ///< the skin's joints
    const double (*inverse_binds)[12]; ///< per slot, as stored, row by row
    double (*matrices)[12];            ///< per slot at one instant, from gltf_pull_pose; a single one if unskinned
    uint32_t vertex_count;
    const uint32_t (*joints)[4]; ///< slots, as stored
    const float (*weights)[4];   ///< as the copy stores them, not normalized
    const sup_vec3* positions;   ///< as stored
    const sup_vec3* normals;     ///< as stored
    const uint32_t* points;      ///< the character's point of each vertex
} gltf_pull;

void gltf_pull_pose(gltf_pull* pull, const sup_pose* pose);
/// The worst condition of any vertex' blend at this pose, 1 if it is surely below 1e3; infinite if one cannot be inverted.
float gltf_pull_condition(const gltf_pull* pull);
/// The viewer's matrix of one vertex, row by row; not for flat parts.
void gltf_pull_matrix(const gltf_pull* pull, uint32_t vertex, double out[12]);
/// The condition of one vertex' blend, 1 if it is surely below 32.
float gltf_pull_condition_at(const gltf_pull* pull, uint32_t vertex);
/// Displacements of vertices begin up to end for world points and normals (of all of the part's stored vertices). bounds:
/// smallest and largest displacement. Returns how many had no finite result and stay where they are stored.
uint32_t gltf_pull_vertices(const gltf_pull* pull, uint32_t begin, uint32_t end, const sup_vec3* points,
                            const sup_vec3* normals, sup_vec3* out_positions, sup_vec3* out_normals, float bounds[6]);

#endif
