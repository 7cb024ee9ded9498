/// supple/io.h: files in and out, and the built-in characters.
#ifndef SUPPLE_IO_H
#define SUPPLE_IO_H

#include "supple/rig.h"
#include "supple/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A whole file in memory.
typedef struct sup_bytes {
    const uint8_t* data;
    size_t         size;
} sup_bytes;

/// How readers open files: a browser or a game brings its own. The bytes must live in the arena (or longer).
typedef struct sup_files {
    sup_result (*read)(void* user, const char* path, sup_arena* arena, sup_bytes* out, sup_error* error);
    void* user;
    /// The names of everything in a folder, without the folder and in any order; "" is the current one. NULL: cannot list, so
    /// sequences of files cannot be read.
    sup_result (*list)(void* user, const char* folder, sup_arena* arena, const char*** names, uint32_t* count,
                       sup_error* error);
    /// Like read, for a path that a file mentions: its first `folder` characters are that file's folder, and only what is
    /// inside it may be read; no link may lead out of it. NULL: `read` is called.
    sup_result (*read_below)(void* user, const char* path, size_t folder, sup_arena* arena, sup_bytes* out, sup_error* error);
} sup_files;

/// The file system; NULL where there is none (WebAssembly). Rejects directories, files over 4 GiB and, in read_below, links
/// that lead out of the folder.
SUP_API const sup_files* sup_files_system(void);

typedef struct sup_read_input sup_read_input;
typedef struct sup_extra      sup_extra;
typedef struct sup_bake       sup_bake;
typedef struct sup_bake_frame sup_bake_frame;

/// A file format: one row of formats.def, one file of code.
typedef struct sup_file_format {
    const char* name;    ///< "gltf"
    const char* summary; ///< "glTF 2.0"
    const char* endings; ///< "glb gltf", lower case
    /// Reads a character. NULL: cannot read.
    sup_result (*read)(const sup_read_input* in, sup_character** out, sup_error* error);
    /// Whether the bytes are of this format; asked before the ending is. NULL: only the ending decides.
    bool (*recognize)(sup_bytes bytes);
    /// Starts a bake; NULL: cannot write. See sup_bake_begin.
    sup_result (*bake_begin)(sup_bake* bake, sup_error* error);
    sup_result (*bake_frame)(sup_bake* bake, const sup_bake_frame* frame, sup_error* error);
    sup_result (*bake_end)(sup_bake* bake, sup_error* error);
    const char* bake_endings; ///< the endings that a bake may write; NULL: all of them
    bool        bake_files;   ///< a bake writes several files (a sequence, one per mesh) rather than the one that is named
} sup_file_format;

/// Which axis is up: what the file or its format says, or what the user sets.
typedef enum sup_up { SUP_UP_FILE, SUP_UP_Y, SUP_UP_Z, SUP_UP_X } sup_up;

static inline bool     sup_up_given(sup_up up) { return up == SUP_UP_Y || up == SUP_UP_Z || up == SUP_UP_X; }
static inline sup_axis sup_up_axis(sup_up up) { return up == SUP_UP_Z ? SUP_AXIS_Z : up == SUP_UP_X ? SUP_AXIS_X : SUP_AXIS_Y; }

/// What a reader sees.
struct sup_read_input {
    const char*          path; ///< for messages, and to find files that the file mentions
    sup_bytes            bytes;
    const sup_files*     files;
    double               unit; ///< meters per unit, set by the user; 0: the format's own
    sup_up               up;   ///< set by the user
    const sup_allocator* allocator;
    /// Where `bytes` lives if the reader may keep it: the memory moves into the character. NULL: borrowed for the call.
    sup_arena*       arena;
    const sup_extra* extra; ///< or NULL
    // As in sup_load_options.
    const char* const*  meshes;
    uint32_t            mesh_count;
    const char* const*  dress;
    uint32_t            dress_count;
    const sup_progress* progress;
    double              wait;
};

/// How a block of bytes is packed by EXT_meshopt_compression.
typedef enum sup_meshopt_mode { SUP_MESHOPT_ATTRIBUTES, SUP_MESHOPT_TRIANGLES, SUP_MESHOPT_INDICES } sup_meshopt_mode;
typedef enum sup_meshopt_filter {
    SUP_MESHOPT_NONE,
    SUP_MESHOPT_OCTAHEDRAL,
    SUP_MESHOPT_QUATERNION,
    SUP_MESHOPT_EXPONENTIAL
} sup_meshopt_filter;

/// Features that need libraries which not every build has. supple/io_extra.h has one to pass to loading and baking.
struct sup_extra {
    uint32_t                      format_count;
    const sup_file_format* const* formats; ///< tried after our own
    /// Unpacks count x stride bytes from `packed`; NULL: compressed files are rejected. False: the bytes are damaged.
    bool (*meshopt_decode)(sup_meshopt_mode mode, sup_meshopt_filter filter, uint32_t count, uint32_t stride, sup_bytes packed,
                           uint8_t* out);
    size_t (*meshopt_bound)(uint32_t count, uint32_t stride); ///< most bytes that packed attributes can take
    /// Packs count x stride bytes of attributes, exactly. Returns the bytes written, 0 when `capacity` is too small.
    size_t (*meshopt_encode)(uint32_t count, uint32_t stride, const void* data, uint8_t* out, size_t capacity);
    /// Puts triangles into an order that packs well; count indices, all below `vertices`. False: out of memory.
    bool (*meshopt_order)(uint32_t count, uint32_t vertices, uint32_t* indices);
    /// The same for indices of 2 or 4 bytes: a sequence, or triangles, whose corners may be rotated within each.
    size_t (*meshopt_index_bound)(uint32_t count);
    size_t (*meshopt_encode_indices)(sup_meshopt_mode mode, uint32_t count, uint32_t stride, const void* data, uint8_t* out,
                                     size_t capacity);
};

SUP_API uint32_t               sup_format_count(void);
SUP_API const sup_file_format* sup_format_at(uint32_t index);
SUP_API const sup_file_format* sup_format_for(const char* path); ///< by ending; NULL: unknown
/// What follows the last dot of a file's name, as written: "GLB" of "walks/fox.v2.GLB"; "" without a dot.
SUP_API const char* sup_path_ending(const char* path);
/// Whether that, ignoring case, is one of the words, which are lower case and separated by spaces: "glb gltf".
SUP_API bool sup_path_ends_in(const char* path, const char* endings);

typedef struct sup_load_options {
    double               unit;  ///< meters per unit; 0: the file's
    sup_up               up;    ///< SUP_UP_FILE: the file's
    const sup_files*     files; ///< NULL: the file system
    const sup_allocator* allocator;
    const sup_extra*     extra;      ///< more formats; NULL: only those of formats.def
    double               fps;        ///< of a sequence of files; 0: 30
    const char* const*   meshes;     ///< names (with * and ?) of the meshes to read; the others stay in the file as they are
    uint32_t             mesh_count; ///< 0: all
    const char* const*   dress;      ///< names of clothes: meshes without a skin that take weights from the nearest skin
    uint32_t             dress_count;
    const sup_progress*  progress; ///< called several times a second while a character is read; false cancels
    double wait; ///< seconds after which the process that reads for assimp is ended; 0: 80, plus 80 per megabyte
} sup_load_options;

/// Reads a character: a file by its ending, or a built-in one ("builtin:beast", "builtin:arm?points=30000"), or OBJ or PLY
/// files of one mesh as a clip: a folder of them, "walk_####.obj", "walk_%04d.obj" or a glob, in the order of their numbers.
/// NULL options: defaults. The error for an unknown ending lists the known ones. If the longest side is not between 0.2 and
/// 20 m and the options do not set the unit, the character gets a warning and a size_factor, the power of ten that brings it
/// nearest to 2 m, which only physics uses.
SUP_API sup_result sup_load(const char* path, const sup_load_options* options, sup_character** out, sup_error* error);

/// What sup_load does about implausible sizes, for characters from other sources: sets size_factor, and warns with the unit
/// to set.
SUP_API sup_result sup_size_judge(sup_character* character, const sup_allocator* allocator, sup_error* error);

/// Reads captured motion (.bvh), a skeleton of research data (.tgf) or a table of its weights or motion (.dmat, .tmat).
/// The results live in the arena. NULL options: defaults; only `files` is used.
SUP_API sup_result sup_mocap_load(const char* path, const sup_load_options* options, sup_arena* arena, sup_mocap* out,
                                  sup_error* error);
SUP_API sup_result sup_rig_load(const char* path, const sup_load_options* options, sup_arena* arena, sup_rig* out,
                                sup_error* error);
SUP_API sup_result sup_matrix_load(const char* path, const sup_load_options* options, sup_arena* arena, sup_matrix* out,
                                   sup_error* error);
/// Pairs for sup_retarget_options from a file of lines "joint of the character = joint of the motion", or of JSON.
SUP_API sup_result sup_motion_map_load(const char* path, const sup_load_options* options, sup_arena* arena,
                                       sup_joint_pair** pairs, uint32_t* count, sup_error* error);

/// A skeleton from a file, for sup_character_rig. Lives in the arena.
typedef struct sup_skeleton_file {
    uint32_t   joint_count;
    sup_joint* joints; ///< as sup_skeleton_attach takes them; sup_joints_center may move them
    sup_vec3*  tails;  ///< of joints at the end of a chain, where has_tail
    bool*      has_tail;
    float      scale; ///< that made a captured skeleton as tall as the mesh; 1: it fits as it is
    sup_turn   turn;  ///< if it was scaled: how its limbs were turned into the mesh
} sup_skeleton_file;

/// Reads a skeleton for the character's mesh from captured motion (.bvh), research data (.tgf) or another character.
SUP_API sup_result sup_skeleton_load(const char* path, const sup_load_options* options, const sup_character* character,
                                     sup_arena* arena, sup_skeleton_file* out, sup_error* error);
/// The character's own joints: those of its skin, else every node that carries no mesh.
SUP_API sup_result sup_skeleton_copy(const sup_character* character, sup_arena* arena, sup_skeleton_file* out,
                                     sup_error* error);
/// Attaches the skeleton to the mesh with automatic weights: *character becomes a new one, which inherits from the first
/// (sup_character_inherit). NULL skeleton: the same character keeps its own joints and clips. On failure nothing changes.
SUP_API sup_result sup_character_rig(sup_character** character, sup_skeleton_file* skeleton,
                                     const sup_auto_weights_options* how, sup_arena* arena, sup_auto_weights* out,
                                     sup_error* error);

/// The base color at each face corner (linear RGB, 0 to 1): the material's factor, multiplied by the colors of a glTF's
/// vertices; textures count as white. Materials belong to faces, so corners of one point may differ. Vertex colors of an OBJ, a
/// PLY or a built-in character replace the material's. False without colors or memory; out is undefined then.
SUP_API bool sup_character_corner_colors(const sup_character* character, sup_vec3* out);
/// The same for each point; where materials meet, the first face's.
SUP_API bool sup_character_colors(const sup_character* character, sup_vec3* out);

typedef enum sup_wrap { SUP_WRAP_REPEAT, SUP_WRAP_CLAMP, SUP_WRAP_MIRROR } sup_wrap;

/// A picture as stored in the file: PNG, JPEG or whatever its bytes say.
typedef struct sup_picture {
    const char* name;
    sup_bytes   bytes; ///< data NULL: it is missing
    sup_wrap    wrap_x, wrap_y;
} sup_picture;

/// The base color textures, and the texture coordinates of the stored vertices.
typedef struct sup_paint {
    uint32_t           picture_count;
    const sup_picture* pictures;
    const uint32_t*    vertex_pictures; ///< one per stored vertex; SUP_NONE: no picture
    const float (*vertex_uv)[2];        ///< likewise; 0 0 is the upper left corner
    /// Where a stored vertex has several texture coordinates (OBJ): the entry of the two arrays above for each face corner.
    /// NULL: that of its stored vertex.
    const uint32_t* corner_entries;
} sup_paint;

/// The base color textures of a glTF (and of files that assimp read) or of an OBJ's materials. None for other files. Lives in
/// the arena and borrows the character's bytes.
SUP_API sup_result sup_character_paint(const sup_character* character, sup_arena* arena, sup_paint* out, sup_error* error);

/// The first set of texture coordinates (TEXCOORD_0) of a glTF, one for each stored vertex; 0 0 is the upper left corner. *out
/// is NULL if the file has none; vertices of meshes without any get infinity. sup_character_tangents turns other files into a
/// glTF.
SUP_API sup_result sup_character_uvs(const sup_character* character, sup_arena* arena, const float (**out)[2],
                                     sup_error* error);
/// A copy whose glTF document has normals and tangents for every vertex with texture coordinates; existing ones stay. A
/// tangent is the angle-weighted mean of those of the triangles around the vertex, made orthogonal to its normal.
SUP_API sup_result sup_character_tangents(const sup_character* character, const sup_allocator* allocator, sup_character** out,
                                          sup_error* error);

/// How many materials of the file have a base color texture, which sup_character_colors ignores.
SUP_API uint32_t sup_character_pictures(const sup_character* character);

/// Destroys `from`, whose mesh `character` has under another rig (sup_rig_attach, sup_skeleton_attach), and moves to
/// `character` what the file says about the surface: an OBJ's text and materials, a PLY's colors, a glTF's document.
SUP_API void sup_character_inherit(sup_character* character, sup_character* from);

/// As sup_character_subdivide, and keeps what the file says about the surface: materials, textures, texture coordinates
/// (interpolated linearly, seams included), colors, and whatever else a glTF holds. The result can be baked and written like a
/// file that was read.
SUP_API sup_result sup_character_subdivide_dressed(const sup_character* character, uint32_t levels,
                                                   const sup_allocator* allocator, sup_character** out, sup_error* error);

/// A built-in character by name, without "builtin:"; points 0 is its usual size. The error for an unknown name lists the known.
SUP_API sup_result  sup_builtin_create(const char* name, uint32_t points, const sup_allocator* allocator, sup_character** out,
                                       sup_error* error);
SUP_API uint32_t    sup_builtin_count(void);
SUP_API const char* sup_builtin_name(uint32_t index);
SUP_API const char* sup_builtin_summary(uint32_t index);

// ---------------------------------------------------------------------------------------------- points

/// A recorded motion: all points of all frames.
typedef struct sup_points {
    uint32_t        frame_count, point_count;
    const sup_vec3* points;  ///< frame after frame
    const double*   times;   ///< of each frame, NULL where the format has none (npy)
    bool            seconds; ///< the unit of times: seconds (mdd), else frames (pc2)
} sup_points;

/// Reads a point cache (.pc2, .mdd, .npy of frames x points x 3 or points x 3) from memory; the path's ending picks the
/// format. The result lives in the arena or in `bytes`, which must live as long.
SUP_API sup_result sup_points_parse(const char* path, sup_bytes bytes, sup_arena* arena, sup_points* out, sup_error* error);
/// The same from a file. NULL files: the file system.
SUP_API sup_result sup_points_read(const char* path, const sup_files* files, sup_arena* arena, sup_points* out,
                                   sup_error* error);

// ---------------------------------------------------------------------------------------------- write

/// Writes a GLB, whole or not at all: the glTF file the character came from, with its present weights and joints; without one
/// (source is NULL) a new file with mesh, skeleton, weights, clips, morphs and maps. bytes may be NULL.
SUP_API sup_result sup_character_write(const sup_character* character, const char* path, const sup_allocator* allocator,
                                       uint64_t* bytes, sup_error* error);

/// The same into the arena.
SUP_API sup_result sup_character_write_memory(const sup_character* character, sup_arena* arena, sup_bytes* out,
                                              sup_error* error);

// ---------------------------------------------------------------------------------------------- bake

/// The size or the error that a GLB must keep to; one of the first three is not zero. Lengths are in the character's units.
typedef struct sup_bake_budget {
    double   rms;   ///< root mean square of the error of all points in all frames
    double   worst; ///< error of the worst point in any frame
    uint64_t bytes; ///< of the file
    bool     plain; ///< pack nothing: for readers without EXT_meshopt_compression
    bool     small; ///< with plain: displacements may be small integers (KHR_mesh_quantization)
} sup_bake_budget;

/// One candidate in the search for the file that meets a budget: an estimate, before it is written.
typedef struct sup_bake_try {
    const char* method;
    uint32_t    components;
    double      bytes;
    double      rms, worst; ///< 0: not measured
} sup_bake_try;

/// The result of a budget. Errors are those of the finished file, read back and played.
typedef struct sup_bake_report {
    const char*         method;                   ///< in words
    uint32_t            components;               ///< morph targets of the clip; 0: none, it is a texture
    double              rms, worst;               ///< of the points, in the character's units
    double              normal_rms, normal_worst; ///< degrees
    uint64_t            bytes;                    ///< of the file; those that follow sum to it
    uint64_t            shape_bytes;              ///< of morph targets
    uint64_t            weight_bytes;             ///< keys of morph targets
    uint64_t            key_bytes;                ///< keys of joints
    uint64_t            surface_bytes;            ///< vertices and indices
    uint64_t            image_bytes;
    uint64_t            rest_bytes; ///< the JSON and everything else
    uint32_t            rounds;     ///< how often a file was made, read back and compared
    uint32_t            try_count;
    const sup_bake_try* tries;
} sup_bake_report;

/// A bake as textures that a shader reads, by the convention of OpenVAT: "walk.glb" is the mesh at rest with one more set of
/// texture coordinates, "walk_vat.png" the positions, "walk_vnrm.png" the normals, "walk-remap_info.json" the bounds.
typedef enum sup_vat {
    SUP_VAT_NONE,
    SUP_VAT_PNG,    ///< 16 bits a channel
    SUP_VAT_EXR,    ///< floats
    SUP_VAT_PACKED, ///< one PNG: normals in the lower half
} sup_vat;

/// What to write, given before the first frame.
typedef struct sup_bake_desc {
    const char*          path; ///< its ending picks the format
    const sup_character* character;
    const sup_clip*      clip;  ///< the motion that was baked; NULL: a held pose
    const char*          name;  ///< of the new clip; NULL: made from clip and chain
    const char*          chain; ///< text of the chain, for names and notes
    double               start, fps;
    double               end;   ///< second of the clip; 0 or before the last frame: that frame's. Output is 0 to end - start
    double               still; ///< the frames hold the pose of this second of the clip from there on; 0: it plays on
    uint32_t             frame_count;
    bool                 loop;    ///< the first frame follows the last one
    bool                 flat;    ///< drop the skin: world-space targets, whatever the skinning
    bool                 sparse;  ///< GLB: targets without the displacements that are zero, where that is smaller
    bool                 meshopt; ///< GLB: targets packed bit for bit by EXT_meshopt_compression; needs `extra`
    const sup_extra*     extra;   ///< or NULL
    const sup_bake_budget*
                        budget;   ///< GLB: as few components as it takes instead of a target per frame; NULL: all frames
    const sup_tasks*    tasks;    ///< for the search; NULL: inline
    const sup_progress* progress; ///< of the search; NULL: none
    /// Called for each file that the bake would replace; true: the file must stay, and the bake fails. NULL: any may be
    /// replaced.
    bool (*kept)(void* user, const char* path);
    void*   kept_user;
    bool    linear;         ///< the chain is linear blend skinning and nothing else: formats with a skeleton may use it
    sup_vat vat;            ///< the path must end in .glb; a character without a whole glTF needs sup_character_tangents
    bool    tension;        ///< sup_mesh_tension of every vertex: one more texture, or for a pose the attribute _TENSION
    bool    tension_colors; ///< GLB of a pose: tension as COLOR_0, replacing the file's
} sup_bake_desc;

/// One frame in order. Arrays are borrowed for the call.
struct sup_bake_frame {
    uint32_t        index;
    double          time;
    const sup_pose* pose;           ///< of the deformed points
    const sup_vec3* points;         ///< world space
    const sup_vec3* vertex_normals; ///< per stored vertex, unit
};

/// Opens a temporary file beside the target. Only sup_bake_end replaces the target; until then it stays as it was.
/// A directory, a missing folder or missing permissions fail here, before any work.
SUP_API sup_result sup_bake_begin(const sup_bake_desc* desc, const sup_allocator* allocator, sup_bake** out, sup_error* error);
/// The same without touching the disk: desc->path determines format and names. sup_bake_output returns the bytes after
/// sup_bake_end.
SUP_API sup_result sup_bake_begin_memory(const sup_bake_desc* desc, const sup_allocator* allocator, sup_bake** out,
                                         sup_error* error);
/// One of the files of a bake in memory; index 0 is the one at desc->path. They live until destroy. False: no such index.
SUP_API bool       sup_bake_output(const sup_bake* bake, uint32_t index, const char** name, sup_bytes* out);
SUP_API sup_result sup_bake_frame_write(sup_bake* bake, const sup_bake_frame* frame, sup_error* error);
/// Completes the file and renames it. bytes and warnings may be NULL; warnings are newline-separated and live until destroy.
SUP_API sup_result sup_bake_end(sup_bake* bake, uint64_t* bytes, const char** warnings, sup_error* error);
/// The result of the budget, after sup_bake_end; NULL without a budget. Lives until destroy.
SUP_API const sup_bake_report* sup_bake_report_get(const sup_bake* bake);
/// Frees the bake; before sup_bake_end it also removes what was written.
SUP_API void sup_bake_destroy(sup_bake* bake);

#ifdef __cplusplus
}
#endif
#endif
