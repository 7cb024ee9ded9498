/// supple/scene.h: characters, clips and poses.
///
/// A character is one mesh, one skeleton, the weights between them, and the clips that move them. sup_character_create checks
/// and completes a description once. Later only functions that take a non-const character change it: many threads may read it.
#ifndef SUPPLE_SCENE_H
#define SUPPLE_SCENE_H

#include "supple/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------- mesh

/// One mesh of the file inside the joined mesh. Its points, vertices, faces and morphs are contiguous.
typedef struct sup_part {
    const char* name;
    uint32_t    point_begin, point_count;
    uint32_t    vertex_begin, vertex_count;
    uint32_t    face_begin, face_count;
    uint32_t    morph_begin, morph_count;
    uint32_t    joint;     ///< the one joint it follows when it has no skin, else SUP_NONE
    sup_affine  place;     ///< from the file's own mesh space to the character's rest space
    sup_affine  unplace;   ///< its inverse
    uint32_t    source_id; ///< the reader's own number for it (glTF: the node), SUP_NONE when made by code
} sup_part;

/// *Points* are what is simulated. *Vertices* are what the file stores: a point on a texture seam is several vertices.
/// *Faces* are the polygons of the file; triangles are derived from them (a fan over each face).
typedef struct sup_mesh {
    uint32_t        point_count;
    const sup_vec3* points; ///< rest shape, in the character's rest space

    uint32_t        face_count;
    const uint32_t* face_begin;      ///< face_count + 1 offsets into the corners
    uint32_t        corner_count;    ///< = face_begin[face_count]
    const uint32_t* corner_points;   ///< the point at each corner
    const uint32_t* corner_vertices; ///< the stored vertex at each corner

    uint32_t        triangle_count;
    const uint32_t* triangles; ///< three points each

    uint32_t        vertex_count;
    const uint32_t* vertex_points;   ///< the point of each stored vertex, as welding found it
    const sup_vec3* vertex_normals;  ///< authored, unit, rest space; NULL: none anywhere; zero vector: none for that vertex
    const sup_vec4* vertex_tangents; ///< likewise, w is the handedness

    uint32_t        part_count;
    const sup_part* parts;
    float           diagonal; ///< of the rest bounding box
} sup_mesh;

/// What sup_mesh_examine finds out about a mesh as a surface.
typedef struct sup_mesh_report {
    bool     closed; ///< every edge has two faces that run along it in opposite directions, every point one fan
    uint32_t edges;
    uint32_t components;
    uint32_t boundary_edges;     ///< edges with one face
    uint32_t boundary_loops;     ///< holes
    uint32_t nonmanifold_edges;  ///< edges with more than two faces, or two that run the same way
    uint32_t nonmanifold_points; ///< points whose faces form more than one fan
    uint32_t degenerate_faces;   ///< zero area or a repeated point
    uint32_t loose_points;       ///< points that no face uses
    uint32_t doubled_faces;      ///< faces with the points of an earlier face; the other counts leave them out
} sup_mesh_report;

SUP_API sup_result sup_mesh_examine(const sup_mesh* mesh, sup_mesh_report* report, sup_error* error);

/// The strain of the skin around each point: area ratio - 1 (x), larger and smaller principal stretch - 1 (y, z), averaged over
/// the triangles around it by their area at rest. A sheet pulled to twice its length has (1, 1, 0). Returns how many points
/// have no finite result; they get zeros, as do points without area. scratch: SUP_TENSION_SCRATCH doubles per point.
#define SUP_TENSION_SCRATCH 4
SUP_API uint32_t sup_mesh_tension(const sup_mesh* mesh, const sup_vec3* points, double* scratch, sup_vec3* out);

// ---------------------------------------------------------------------------------------------- skeleton, weights

/// Joints in topological order: a parent's index is smaller than its children's. Nodes of the file that carry meshes or
/// stand between joints are joints here too, with skin_joint false.
typedef struct sup_joint {
    const char*   name;
    uint32_t      parent;       ///< SUP_NONE for a root
    bool          skin_joint;   ///< a joint of a skin in the file; only these are counted and drawn
    bool          has_bind;     ///< inverse_bind is given although it is not a skin joint (a second bind of one)
    bool          has_matrix;   ///< the local transform at rest is `matrix`, which may have shear
    sup_transform rest;         ///< local; holds where a clip has no channel
    sup_affine    matrix;       ///< local at rest
    sup_affine    inverse_bind; ///< from rest space to the joint
    uint32_t      source_id;    ///< the reader's own number for it (glTF: the node)
} sup_joint;

/// A straight segment of a joint, in rest space: one to each child; a leaf gets a tail of 0.3 times its parent's length.
typedef struct sup_bone {
    uint32_t joint;
    uint32_t child; ///< SUP_NONE for a leaf's tail
    sup_vec3 head, tail;
} sup_bone;

typedef struct sup_skeleton {
    uint32_t         joint_count;
    const sup_joint* joints;
    uint32_t         skin_joint_count;
    uint32_t         bone_count;
    const sup_bone*  bones; ///< of skin joints only
} sup_skeleton;

/// Influences of all points in one flat list: those of point p are begin[p] up to begin[p + 1], largest first,
/// positive, summing to 1.
typedef struct sup_weights {
    const uint32_t* begin; ///< point_count + 1
    const uint32_t* joints;
    const float*    values;
    uint32_t        influences_max;   ///< of any point
    float           sum_min, sum_max; ///< as the file had them, before normalizing
} sup_weights;

/// Displacement of one part's points before skinning, in rest space.
typedef struct sup_morph {
    const char*     name;
    uint32_t        part;
    float           rest_weight;
    const sup_vec3* deltas; ///< the part's point_count
} sup_morph;

/// A named value from 0 to 1 per point.
typedef struct sup_map {
    const char*  name; ///< as in the file, with its underscore: "_STIFFNESS"
    const float* values;
} sup_map;

// ---------------------------------------------------------------------------------------------- clips

typedef enum sup_path { SUP_PATH_TRANSLATION, SUP_PATH_ROTATION, SUP_PATH_SCALE, SUP_PATH_WEIGHTS } sup_path;
typedef enum sup_interpolation { SUP_INTERPOLATE_LINEAR, SUP_INTERPOLATE_STEP, SUP_INTERPOLATE_CUBIC } sup_interpolation;

/// Keys of one property of one joint (or the morph weights of one part). Before the first key the first value holds, after
/// the last the last.
typedef struct sup_channel {
    uint32_t          target; ///< joint, or part for SUP_PATH_WEIGHTS
    sup_path          path;
    sup_interpolation interpolation;
    uint32_t          key_count; ///< at least 1
    uint32_t          width;     ///< 3, 4, or the part's morph count
    const float*      times;     ///< seconds, strictly rising
    const float*      values;    ///< key_count x width; CUBIC: in-tangent, value, out-tangent for each key
} sup_channel;

typedef struct sup_clip {
    const char*        name;
    double             seconds; ///< time of the last key; the clip runs from 0
    uint32_t           channel_count;
    const sup_channel* channels;
    uint32_t           source_id; ///< the reader's own number for it (glTF: the animation)
    bool               baked;     ///< the file marks it as a bake: its morph weights play the frames of a deformed skin
} sup_clip;

/// A sculpt: the full set of points as they should be at a time of a clip.
typedef struct sup_example {
    const char*     name;
    const char*     clip;          ///< the clip it belongs to; NULL: any
    double          time;          ///< seconds in the clip
    bool            in_rest_space; ///< a morph target of the bind pose rather than a posed sculpt
    const sup_vec3* points;
} sup_example;

// ---------------------------------------------------------------------------------------------- character

typedef enum sup_axis { SUP_AXIS_Y, SUP_AXIS_Z, SUP_AXIS_X } sup_axis;

typedef struct sup_character {
    const char*  name;
    sup_mesh     mesh;
    sup_skeleton skeleton;
    sup_weights  weights;

    uint32_t           morph_count;
    const sup_morph*   morphs;
    uint32_t           map_count;
    const sup_map*     maps;
    uint32_t           clip_count;
    const sup_clip*    clips;
    uint32_t           example_count;
    const sup_example* examples;

    double   metres_per_unit;
    double   size_factor;  ///< physics takes the character to be this many times larger (sup_load); 0 means 1
    bool     unit_assumed; ///< the file does not name its unit; the value is a convention
    sup_axis up;
    bool     up_assumed;

    uint32_t           warning_count; ///< what was wrong with the input and how it was repaired, for people to read
    const char* const* warnings;

    sup_arena* arena; ///< everything above lives here
    /// What the reader keeps so that the file can be written again (sup_bake_* in io.h); NULL when made by code. In the arena.
    const void* source;
    /// A name in formats.def; "gltf weights" when the weights no longer come from the file, "gltf surface" when the joints do
    /// not either (sup_character_weigh, sup_character_inherit).
    const char* source_format;
} sup_character;

/// One mesh as a reader found it. Arrays are borrowed for the call.
typedef struct sup_part_desc {
    const char*     name;
    uint32_t        vertex_count;
    const sup_vec3* positions;
    const sup_vec3* normals;  ///< or NULL
    const sup_vec4* tangents; ///< or NULL
    uint32_t        face_count;
    const uint32_t* face_sizes; ///< NULL: all triangles
    const uint32_t* corners;    ///< vertex indices, face after face
    const uint32_t* triangles;  ///< or NULL; a fan over each face from its first corner, if the reader has them already
    bool            lasting;    ///< corners and triangles outlive the character, which may point to them instead of copying
    bool            lasting_positions; ///< and so do the positions
    uint32_t        width;             ///< influences stored per vertex; 0: no skin, follows `joint`
    const uint32_t* joints;            ///< vertex_count x width, indices into the description's joints
    const float*    weights;           ///< likewise; zeros are dropped, the rest sorted and normalized
    uint32_t        joint;             ///< for width 0; SUP_NONE: a new joint that stays where it is
    bool            weld;              ///< join vertices of equal position bits, weights and morph deltas into points
    const uint32_t* point_ids;         ///< or NULL; the point of each vertex, from the `_POINT` attribute of a file we wrote
    sup_affine      place;             ///< from this mesh's space to rest space; all zero means identity
    uint32_t        source_id;
    uint32_t        morph_count;
    const struct sup_morph_desc* morphs;
    uint32_t                     map_count;
    const struct sup_map_desc*   maps;
} sup_part_desc;

typedef struct sup_morph_desc {
    const char*     name;
    float           rest_weight;
    const sup_vec3* deltas; ///< per vertex, in the mesh's own space
} sup_morph_desc;

typedef struct sup_map_desc {
    const char*  name;
    const float* values; ///< per vertex; vertices of one point are averaged; clamped to 0..1 with a warning
} sup_map_desc;

typedef struct sup_example_desc {
    const char*     name;
    const char*     clip;
    double          time;
    bool            in_rest_space;
    const sup_vec3* positions; ///< per stored vertex of all parts, in order; copies of one point are averaged
} sup_example_desc;

/// Everything a reader or a scene hands over. Zero-initialize, then fill in what is known.
/// Joints may come in any order; channel targets are indices into `joints` and `parts` as given here.
typedef struct sup_character_desc {
    const char*          name;
    uint32_t             part_count;
    const sup_part_desc* parts;
    uint32_t             joint_count;
    const sup_joint* joints; ///< rest, matrix where has_matrix, inverse_bind of skin joints and has_bind; others are computed
    uint32_t         clip_count;
    const sup_clip*  clips;
    uint32_t         example_count;
    const sup_example_desc* examples;
    double                  metres_per_unit; ///< 0: one meter, assumed
    double                  size_factor;     ///< 0: 1
    bool                    unit_assumed;
    sup_axis                up;
    bool                    up_assumed;
    uint32_t                warning_count;
    const char* const*      warnings;
    const sup_progress*     progress; ///< called between stages, with fraction 1; false cancels: SUP_ERROR_CANCELLED
} sup_character_desc;

/// Checks, welds, orders and completes. On failure *out is untouched and the error names part, joint or clip.
SUP_API sup_result sup_character_create(const sup_character_desc* desc, const sup_allocator* allocator, sup_character** out,
                                        sup_error* error);
SUP_API void       sup_character_destroy(sup_character* character);
/// A second character that shares the arrays of the first, which must outlive it. Weights, clips, maps and sculpts that one of
/// them gets later do not appear in the other.
SUP_API sup_result sup_character_borrow(const sup_character* from, const sup_allocator* allocator, sup_character** out,
                                        sup_error* error);

/// A finer copy, every face divided `levels` times (1 to 6): Loop's rule where a part is all triangles, Catmull and Clark's
/// elsewhere. Weights, morphs, maps and examples are interpolated by the same coefficients; clips and joints stay. Authored
/// normals are dropped: the finer surface has its own. The copy has no source; sup_character_subdivide_dressed in io.h keeps
/// materials and textures.
SUP_API sup_result sup_character_subdivide(const sup_character* character, uint32_t levels, const sup_allocator* allocator,
                                           sup_character** out, sup_error* error);

/// Appends a copy of the clip, checked as at creation; its targets are joints and parts of this character. On failure nothing
/// changes. Older pointers to the character's clips stay valid, but `clips` is a new array.
SUP_API sup_result sup_character_add_clip(sup_character* character, const sup_clip* clip, sup_error* error);

/// The clip of that name, NULL when there is none. An exact match first, then one that ignores case.
SUP_API const sup_clip* sup_character_clip(const sup_character* character, const char* name);
SUP_API uint32_t        sup_character_joint(const sup_character* character, const char* name); ///< SUP_NONE
SUP_API const sup_map*  sup_character_map(const sup_character* character, const char* name);   ///< NULL
/// Meters per unit for physics: gravity, masses and every length of the world are converted by it. Equal to metres_per_unit,
/// except for a character of implausible size whose unit the user did not set.
SUP_API double sup_character_physics_unit(const sup_character* character);
/// The longest side, in units, of the box around the skin in the rest pose; 0 where points are not finite.
SUP_API sup_result sup_character_extent(const sup_character* character, const sup_allocator* allocator, double* out,
                                        sup_error* error);
/// Shell-style match with * and ?, as in `--set 'layers.stiffness@Spine*=0.3'`.
SUP_API bool sup_glob_match(const char* pattern, const char* text);

// ---------------------------------------------------------------------------------------------- pose

/// One instant of the skeleton. Owns its arrays in the arena it was made in.
typedef struct sup_pose {
    uint32_t       joint_count, morph_count;
    sup_transform* local;         ///< what clips and hosts set
    float*         morph_weights; ///< likewise
    sup_affine*    global;        ///< joint to world, from sup_pose_update
    sup_affine*    skin;          ///< global x inverse bind
} sup_pose;

SUP_API sup_result sup_pose_create(const sup_character* character, sup_arena* arena, sup_pose* out, sup_error* error);
/// Bytes that sup_pose_place needs; it lays out the pose in the caller's memory (64-byte aligned).
SUP_API size_t sup_pose_size(const sup_character* character);
SUP_API void   sup_pose_place(const sup_character* character, void* memory, sup_pose* out);
/// The file's rest transforms (not necessarily the bind pose). Updates global and skin too.
SUP_API void sup_pose_rest(const sup_character* character, sup_pose* pose);
/// The pose in which every skin matrix is the identity, as nearly as the file's transforms allow.
SUP_API void sup_pose_bind(const sup_character* character, sup_pose* pose);
/// The clip at any time; joints without a channel keep their rest transform. NULL clip: rest. Updates global and skin.
SUP_API void sup_clip_sample(const sup_character* character, const sup_clip* clip, double time, sup_pose* pose);
/// The part of a clip from `start` to `end` as a clip of end - start seconds: its pose at t is the source's at start + t, also
/// between keys, up to float rounding. start must not exceed end. Keys live in the arena, names stay borrowed.
SUP_API sup_result sup_clip_cut(const sup_clip* clip, double start, double end, sup_arena* arena, sup_clip* out,
                                sup_error* error);
SUP_API sup_result sup_channel_cut(const sup_channel* channel, double start, double end, sup_arena* arena, sup_channel* out,
                                   sup_error* error);
/// Interpolates two poses: shortest-arc slerp of the local rotations, lerp of the rest, never of matrices. Updates global and
/// skin.
SUP_API void sup_pose_blend(const sup_character* character, const sup_pose* a, const sup_pose* b, double ratio, sup_pose* out);
SUP_API void sup_pose_copy(const sup_pose* from, sup_pose* to);
/// Computes global and skin from `local`, after a host set that.
SUP_API void sup_pose_update(const sup_character* character, sup_pose* pose);
/// Rest points with the pose's morph weights applied. Returns character->mesh.points when no weight is set, else out.
SUP_API const sup_vec3* sup_pose_morph(const sup_character* character, const sup_pose* pose, sup_vec3* out);

// ---------------------------------------------------------------------------------------------- normals

/// Angle-weighted unit normals of all points of the rest shape: those of sup_normals_evaluate where none are authored, without
/// building the frames that a deformation needs.
SUP_API void sup_mesh_normals(const sup_mesh* mesh, sup_vec3* out);

/// A rest frame for every point, built once, that turns authored normals with the deformed surface. Read-only afterwards.
typedef struct sup_normals sup_normals;

SUP_API sup_result sup_normals_create(const sup_character* character, sup_arena* arena, const sup_normals** out,
                                      sup_error* error);
/// Unit normals of all stored vertices for deformed points, and tangents unless vertex_tangents is NULL. Authored ones turn
/// with their point's frame, so hard edges survive; the others are angle-weighted face normals. Never zero.
/// scratch: sup_normals_scratch bytes. Does not allocate.
SUP_API size_t sup_normals_scratch(const sup_normals* normals);
SUP_API void   sup_normals_evaluate(const sup_normals* normals, const sup_vec3* points, void* scratch, const sup_tasks* tasks,
                                    sup_vec3* vertex_normals, sup_vec4* vertex_tangents);

/// The layout of a vertex buffer: bytes from one vertex to the next, and the byte offset of each attribute within a vertex.
/// SUP_NONE skips an attribute; no other bytes are written. Positions and normals are three floats, tangents four, unaligned.
typedef struct sup_vertex_layout {
    uint32_t stride;
    uint32_t position, normal, tangent;
} sup_vertex_layout;

/// Writes deformed points straight into a vertex buffer, one entry per stored vertex: vertex_count x stride bytes. Normals
/// and tangents have the bits of sup_normals_evaluate. The buffer must not overlap `points`.
SUP_API void sup_vertices_write(const sup_normals* normals, const sup_vec3* points, const sup_vertex_layout* layout,
                                void* scratch, const sup_tasks* tasks, void* vertices);

#ifdef __cplusplus
}
#endif
#endif
