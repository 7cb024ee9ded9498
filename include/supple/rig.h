/// supple/rig.h: making and moving rigs: motion capture put on a character, rigs of research data, automatic weights, and
/// rigs found in mesh sequences.
#ifndef SUPPLE_RIG_H
#define SUPPLE_RIG_H

#include "supple/json.h"
#include "supple/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------- captured motion

/// One joint of a captured skeleton. It has no rest rotation: the rest pose is the sum of the offsets.
typedef struct sup_mocap_joint {
    const char*     name;
    uint32_t        parent;       ///< smaller than its own index; SUP_NONE for the root
    sup_vec3        offset;       ///< from the parent
    bool            end;          ///< the end of a chain's last bone; nothing hangs on it
    const sup_quat* rotations;    ///< local, one per frame, successive ones in one hemisphere; NULL: never turns
    const sup_vec3* translations; ///< local, one per frame, in place of the offset; NULL: stays at the offset
} sup_mocap_joint;

/// A moving skeleton without a mesh, as motion capture files hold it. Units and axes are the file's own.
typedef struct sup_mocap {
    const char*            name;
    uint32_t               joint_count; ///< including the ends
    const sup_mocap_joint* joints;
    uint32_t               frame_count; ///< may be 0
    double                 frame_time;  ///< seconds
    uint32_t               warning_count;
    const char* const*     warnings;
} sup_mocap;

/// The target's joint follows this joint of the motion. NULL source: it follows none.
typedef struct sup_joint_pair {
    const char* target;
    const char* source;
} sup_joint_pair;

typedef struct sup_retarget_options {
    uint32_t              pair_count; ///< pairs take precedence over names
    const sup_joint_pair* pairs;
    bool                  keep_first; ///< keep the first frame even if it only shows a reference pose, as in many files
} sup_retarget_options;

/// How the partner of a joint was found.
typedef enum sup_pair_how {
    SUP_PAIR_TOLD,  ///< by options->pairs
    SUP_PAIR_NAME,  ///< by the names of both
    SUP_PAIR_SHAPE, ///< guessed from the shape of a skeleton whose names say nothing
} sup_pair_how;

/// What retargeting found.
typedef struct sup_retarget_report {
    uint32_t           pair_count; ///< joints of the target that follow one of the motion
    const uint32_t*    targets;
    const uint32_t*    sources;
    const uint8_t*     how;          ///< sup_pair_how of each pair
    const char* const* roles;        ///< the body part of the target's joint: "left upper leg"; "" for equal names alone
    uint32_t           guess_count;  ///< pairs that are SUP_PAIR_SHAPE
    bool               side_guessed; ///< which side of the figure is its left is a guess
    uint32_t           lone_count;   ///< skin joints without a partner; they keep their rest transform on their parent
    const uint32_t*    lone;
    float              scale;           ///< target's leg over the motion's leg; root motion is scaled by it
    bool               dropped_first;   ///< the first frame only showed a reference pose and was left out
    uint32_t           dropped_count;   ///< frames left out: that one, and those that rush out of its pose
    bool               rest_from_frame; ///< the motion's rest pose is not a standing figure; one of its frames serves instead
} sup_retarget_report;

/// Puts the motion on the character. Joints are matched by options->pairs, by their names and, where names say nothing, by the
/// shape of the skeleton (report->how says which). The two rest poses are aligned, root motion is scaled by leg length, and the
/// lowest point of the feet stays as high above the ground as in the motion. The clip has linear keys at the motion's frames,
/// begins where the character stands, and lives in the arena, as does what the report points to. NULL options: defaults; NULL
/// report: none wanted.
SUP_API sup_result sup_retarget(const sup_character* character, const sup_mocap* mocap, const sup_retarget_options* options,
                                sup_arena* arena, sup_clip* out, sup_retarget_report* report, sup_error* error);

/// The report as JSON:
/// {"name","frames_left_out","guessed","side_guessed","rest_from_frame","scale","pairs":[{"joint","follows",
/// "as","by"}],"without_partner":[]}; by: "map", "name" or "shape". NULL: out of memory.
SUP_API sup_json* sup_retarget_describe(const sup_character* character, const sup_mocap* mocap,
                                        const sup_retarget_report* report, sup_arena* arena);

/// A clip of one character as captured motion for others: the skeleton in its bind pose, sampled `fps` times a second. Lives
/// in the arena.
SUP_API sup_result sup_mocap_of_clip(const sup_character* character, const sup_clip* clip, double fps, sup_arena* arena,
                                     sup_mocap* out, sup_error* error);

// ---------------------------------------------------------------------------------------------- poses by hand

/// Turns a joint of a pose by degrees about x, then y, then z of its frame, as the three angles of `--pose` and pose files do.
/// Call sup_pose_update afterwards.
SUP_API void sup_pose_turn(sup_pose* pose, uint32_t joint, const double degrees[3]);
/// A clip from key poses (docs/poses.md): {"supple_poses": 1, "clip", "over", "between", "keys": [{"time", "turn": {"joint":
/// [x, y, z]}, "move": {"joint": [x, y, z]}}]}. Lives in the arena, except for channels that it shares with the clip it is laid
/// over.
SUP_API sup_result sup_clip_from_poses(const sup_character* character, const sup_json* tree, sup_arena* arena, sup_clip* out,
                                       sup_error* error);

// ---------------------------------------------------------------------------------------------- bones with matrices

/// The direction a character faces over the clip (NULL: at rest), found from pairs of left and right joints, toes, and a head
/// far in front of the hips: a unit vector perpendicular to its up axis, snapped to an axis within 25 degrees. If it turns
/// around, the direction it starts with. If nothing shows it, the convention: +Z, or -Y where Z is up.
SUP_API sup_vec3 sup_character_facing(const sup_character* character, const sup_clip* clip, const sup_allocator* allocator);

/// One bone of a research rig: an edge of a graph of points. It turns about its head.
typedef struct sup_rig_bone {
    const char* name;
    uint32_t    parent; ///< the bone that ends at this one's head, SUP_NONE
    sup_vec3    head, tail;
} sup_rig_bone;

typedef struct sup_rig {
    uint32_t            bone_count;
    const sup_rig_bone* bones; ///< in the order of the columns of weights; a parent may come later
} sup_rig;

/// A table of numbers, column by column.
typedef struct sup_matrix {
    uint32_t      rows, columns;
    const double* values; ///< values[column * rows + row]
} sup_matrix;

/// A new character: the mesh of another one under a rig, with a row of weights for each stored vertex (or point) and a column
/// for each bone. The first one's joints, clips and examples are not copied. The first is not changed.
SUP_API sup_result sup_rig_attach(const sup_character* character, const sup_rig* rig, const sup_matrix* weights,
                                  const sup_allocator* allocator, sup_character** out, sup_error* error);

/// A clip from the bones' affine matrices in world space, each the transposed 3x4 (four rows of three numbers), for a
/// character made by sup_rig_attach. One matrix of 4 x bones rows and three columns is one pose; one of 12 x bones rows has a
/// frame in each column. Fails where a matrix has shear, which a joint cannot represent.
SUP_API sup_result sup_rig_clip(const sup_character* character, const sup_rig* rig, const sup_matrix* motion, const char* name,
                                double fps, sup_arena* arena, sup_clip* out, sup_error* error);

// ---------------------------------------------------------------------------------------------- weights for clothes

typedef struct sup_surface {
    uint32_t        point_count;
    const sup_vec3* points;
    uint32_t        triangle_count;
    const uint32_t* triangles; ///< three points each
} sup_surface;

SUP_API float sup_surface_diagonal(const sup_surface* surface); ///< of its box

/// A match is good within this fraction of the body's diagonal, if the normals of both surfaces agree within this angle.
#define SUP_TRANSFER_DISTANCE 0.05
#define SUP_TRANSFER_ANGLE 0.52359878f // 30 degrees

/// A body with weights and clothes without, both at rest in one space. Zero-initialize, then fill in what is known.
typedef struct sup_transfer_input {
    sup_surface      body;
    const uint32_t*  begin; ///< body.point_count + 1: the influences of point p are begin[p] up to begin[p + 1]
    const uint32_t*  joints;
    const float*     values; ///< positive, summing to 1
    uint32_t         joint_count;
    sup_surface      clothes;        ///< a seam must share its points, or the pieces come apart
    float            distance_max;   ///< of a good match; 0: SUP_TRANSFER_DISTANCE of the body's diagonal
    float            angle_max;      ///< radians; 0: SUP_TRANSFER_ANGLE
    uint32_t         influences_max; ///< kept for a point, at most 16; 0: four
    const sup_tasks* tasks;
} sup_transfer_input;

/// Influences of the clothes' points, largest first, positive, summing to 1. Lives in the arena.
typedef struct sup_transfer {
    const uint32_t* begin; ///< clothes.point_count + 1
    const uint32_t* joints;
    const float*    values;
    uint32_t        matched; ///< points that took the weights of the nearest place on the body
    uint32_t        filled;  ///< points without a good match that took the weights of the points around them
    uint32_t        adrift;  ///< points of pieces without any good match; they took the nearest weights all the same
} sup_transfer;

/// Transfers the body's weights to clothes. The same input gives the same bits for any number of workers.
SUP_API sup_result sup_transfer_weights(const sup_transfer_input* in, sup_arena* arena, sup_transfer* out, sup_error* error);

/// Finds parts that look like clothes that were never bound: they have no skin, no joint of the skeleton carries them, and no
/// point of them is farther from a skinned part than SUP_TRANSFER_DISTANCE of its diagonal. out: one for each part.
SUP_API sup_result sup_clothes_find(const sup_character* character, bool* out, sup_error* error);

// ---------------------------------------------------------------------------------------------- automatic weights

typedef enum sup_weights_method {
    SUP_WEIGHTS_SCREENED, ///< screened Poisson: every particle is pulled to its nearest bone and to its neighbors
    SUP_WEIGHTS_DIFFUSE,  ///< weights diffuse from the bones over neighbors for some steps (Chen et al. 2012)
} sup_weights_method;

/// Zero is the default of every field.
typedef struct sup_auto_weights_options {
    sup_weights_method  method;
    uint32_t            cells;          ///< along the longest side of the mesh, 4 to 256; 0: from the thinnest limb
    uint32_t            influences_max; ///< per point; 0: all above 0.001, at most 16
    double              spread;         ///< larger makes sharper transitions at the joints, 0.01 to 100; 0: 1
    uint32_t            steps;          ///< SUP_WEIGHTS_DIFFUSE: 0: until every particle is reached
    const float*        strength;       ///< per joint, 1 is usual; NULL: 1
    const float*        mask;           ///< sup_character_weigh: per point, 1 takes the new weights, 0 keeps the old; NULL: 1
    bool                keep_cells;     ///< fill in cell_size, cell_centers, cell_joints and cell_values
    const sup_tasks*    tasks;
    const sup_progress* progress; ///< called several times a second; false cancels: SUP_ERROR_CANCELLED
} sup_auto_weights_options;

/// Joints stored for each cell, the strongest first.
#define SUP_CELL_JOINTS 4

typedef struct sup_auto_weights {
    sup_weights     weights; ///< in the arena
    uint32_t        cells;   ///< along the longest side
    uint32_t        cell_count, particle_count;
    float           cell_size;       ///< the side of a cell, units; set with keep_cells, like the arrays, which are in the arena
    const sup_vec3* cell_centers;    ///< cell_count
    const uint32_t* cell_joints;     ///< cell_count x SUP_CELL_JOINTS; SUP_NONE: no more
    const float*    cell_values;     ///< the weight of each at the center of the cell
    uint32_t        lost_components; ///< pieces that no bone passes through: they follow the nearest bones
    uint32_t        lost_points;     ///< points on them
    uint32_t        outside_bones;   ///< bones more than two cells outside the mesh
    uint32_t        outside_joint;   ///< the joint of the first of them
    uint32_t        outside_count;   ///< joints inside the mesh whose bones are outside for more than half their length
    const uint32_t* outside_joints;  ///< in the arena
    uint32_t        idle_count;      ///< joints that have bones but no point with a weight above a twentieth
    const uint32_t* idle_joints;     ///< in the arena
    uint32_t        iterations;      ///< of the slowest group of eight joints
    bool            open;            ///< the mesh has holes; its inside was found by winding numbers
    size_t          bytes;           ///< of memory used
} sup_auto_weights;

/// Weights of every point for the joints that own bones: nonnegative, summing to 1. Works on any mesh with a face and any
/// skeleton with a bone: the mesh is filled with cells and weights spread through them, so a hand beside a hip stays separate.
/// The same bits for any number of workers.
SUP_API sup_result sup_weights_automatic(const sup_mesh* mesh, uint32_t bone_count, const sup_bone* bones,
                                         const sup_auto_weights_options* options, sup_arena* arena, sup_auto_weights* out,
                                         sup_error* error);

/// The same for a whole character, in place: replaces its weights and marks its source as changed (source_format).
/// Rigid parts on a joint of the skeleton stay as they are. NULL bones: the skeleton's own.
SUP_API sup_result sup_character_weigh(sup_character* character, uint32_t bone_count, const sup_bone* bones,
                                       const sup_auto_weights_options* options, sup_auto_weights* out, sup_error* error);

// ---------------------------------------------------------------------------------------------- rough joints

/// Zero is the default of every field.
typedef struct sup_center_options {
    uint32_t         cells; ///< along the longest side of the mesh, 4 to 256; 0: 80
    const sup_tasks* tasks;
} sup_center_options;

typedef struct sup_center {
    float    cell;     ///< side of a cell, units
    uint32_t moved;    ///< places that moved by more than half a cell
    uint32_t outside;  ///< places more than four cells outside the mesh: they stay
    float    farthest; ///< largest displacement, units
} sup_center;

/// Moves places to the center of the volume around them, each perpendicular to the line from its parent to its children, so
/// that it keeps its position along the limb. parents: index of a place, SUP_NONE for a root.
SUP_EXPERIMENTAL SUP_API sup_result sup_places_center(const sup_mesh* mesh, uint32_t count, const uint32_t* parents,
                                                      sup_vec3* places, const sup_center_options* options,
                                                      const sup_allocator* allocator, sup_center* out, sup_error* error);
/// The same for joints as sup_skeleton_attach takes them: rest and inverse_bind of skin joints change, axes and the skin at
/// rest do not. tails (of joints without children, where has_tail) move too; both may be NULL.
SUP_EXPERIMENTAL SUP_API sup_result sup_joints_center(const sup_mesh* mesh, uint32_t count, sup_joint* joints, sup_vec3* tails,
                                                      const bool* has_tail, const sup_center_options* options,
                                                      const sup_allocator* allocator, sup_center* out, sup_error* error);

typedef struct sup_turn {
    float before, after; ///< fraction of the bones' length that lies inside the mesh
    float farthest;      ///< largest turn of a limb, degrees
} sup_turn;

/// Fits a skeleton of another figure into the mesh: shifts it as a whole, then turns limbs and makes them a little shorter or
/// longer until their bones lie inside. Whether arms hang or are spread, what is inside already stays. parents[i] < i, or
/// SUP_NONE.
SUP_EXPERIMENTAL SUP_API sup_result sup_places_turn(const sup_mesh* mesh, uint32_t count, const uint32_t* parents,
                                                    sup_vec3* places, const sup_center_options* options,
                                                    const sup_allocator* allocator, sup_turn* out, sup_error* error);

/// A new character: the mesh of another one with these joints (rest and inverse_bind as in sup_character_desc) in place of its
/// own. Every point follows the first skin joint: call sup_character_weigh next. Clips and examples are not copied.
SUP_API sup_result sup_skeleton_attach(const sup_character* character, uint32_t joint_count, const sup_joint* joints,
                                       const sup_allocator* allocator, sup_character** out, sup_error* error);

// ---------------------------------------------------------------------------------------------- a rig from shapes

#define SUP_DECOMPOSE_BONES_MAX 256

/// One mesh in several shapes. Arrays are borrowed for the call.
typedef struct sup_decompose_input {
    uint32_t        point_count, frame_count;
    const sup_vec3* rest;
    const sup_vec3* frames;     ///< frame after frame
    uint32_t        face_count; ///< faces tell which points are neighbors, for `smooth`; 0: unknown
    const uint32_t* face_begin; ///< face_count + 1
    const uint32_t* corners;
} sup_decompose_input;

/// Zero is the default of every field.
typedef struct sup_decompose_options {
    uint32_t            bones;      ///< 0: 10, or as many as `error` needs
    double              error;      ///< add bones until E_RMS is at most this; 0: no such goal
    uint32_t            bones_max;  ///< most bones that `error` may lead to; 0: 100
    uint32_t            influences; ///< per point, at most 16; 0: 4
    uint32_t            rounds;     ///< most final rounds; 0: 60
    uint64_t            seed;       ///< for other starts; 0: a new bone starts at the point with the largest error
    double              smooth;     ///< smoothness of the weights over the mesh: 0 none, 1 much
    double              rigid;      ///< how strongly a bone follows the motion of its own skin; 0: 0.004, negative: not at all
    bool                flat;       ///< joints without parents instead of a skeleton
    const sup_tasks*    tasks;
    const sup_progress* progress; ///< gets the bone count and E_RMS of every round
} sup_decompose_options;

/// Bones, weights and motion. Lives in the arena.
typedef struct sup_decomposition {
    uint32_t         point_count, frame_count, influences;
    uint32_t         bone_count; ///< fewer than requested if fewer reproduce the motion exactly
    const uint32_t*  bones;      ///< point_count x influences, largest weight first
    const float*     weights;    ///< likewise: nonnegative, summing to 1; 0 in unused slots
    const sup_rigid* motion;     ///< frame_count x bone_count: from rest to the frame
    const uint32_t*  parents;    ///< SUP_NONE for the root; each comes before its children
    const sup_vec3*  heads;      ///< in rest space: where a bone meets its parent
    uint32_t         rounds;     ///< rounds that ran
    uint32_t         moved;      ///< weak bones that were moved to a better place
    double           erms;       ///< 1000 sqrt(sum of squares / (3 points frames)) with the rest diagonal = 1
    double           rms, max;   ///< distances of points, in units
} sup_decomposition;

/// Smooth skinning decomposition with rigid bones (Le & Deng 2012): fits bones, weights and motion to all shapes at once. The
/// same bits for any number of workers.
SUP_EXPERIMENTAL SUP_API sup_result sup_decompose(const sup_decompose_input* in, const sup_decompose_options* options,
                                                  sup_arena* arena, sup_decomposition* out, sup_error* error);

/// A new character: the mesh of another one, whose points were the rest shape, with the decomposition's joints and weights,
/// and its motion as a clip. Morphs are dropped, since the bones now make their shapes. times: of the frames, in seconds,
/// rising; NULL: fps frames a second from 0 on.
SUP_EXPERIMENTAL SUP_API sup_result sup_decomposition_attach(const sup_character* character, const sup_decomposition* fit,
                                                             const char* clip, double fps, const double* times,
                                                             const sup_allocator* allocator, sup_character** out,
                                                             sup_error* error);

#ifdef __cplusplus
}
#endif
#endif
