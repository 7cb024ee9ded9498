/// io/gltf/gltf_pack.h: a bake within a budget. What the viewer's skinning does not explain, in the rest frame, becomes
/// principal components: morph targets with animated weights, as few and as coarse as the error allows.
#ifndef SUP_IO_GLTF_GLTF_PACK_H
#define SUP_IO_GLTF_GLTF_PACK_H

#include "io/gltf/gltf_baking.h"

enum { PACK_LEVELS = 3 };

/// What a stream of a document contains.
typedef enum stream_use {
    USE_NONE,
    USE_VERTEX,    ///< attributes of meshes
    USE_TARGET,    ///< morph targets
    USE_VALUES,    ///< values of sparse accessors
    USE_LIST,      ///< their lists of vertices
    USE_KEYS,      ///< of joints, and their times
    USE_BINDS,     ///< matrices of skins, whose view must not be shared
    USE_WEIGHTS,   ///< keys of morph targets
    USE_TRIANGLES, ///< indices
    USE_SEQUENCE,  ///< indices whose order within a triangle matters
    USE_IMAGE,
    USE_COUNT
} stream_use;

/// The part of a region's displacements that follows one course over time.
typedef struct pack_component {
    float* shape;                 ///< all x, then all y, then all z, each by rank
    float* turn;                  ///< the same for the normals; NULL if the piece has none
    float  shape_peak, turn_peak; ///< the largest absolute value
    double course_peak;
} pack_component;

/// Vertices of one piece that share components: all of them, or those that a group of bones moves most.
typedef struct pack_region {
    uint32_t        piece;    ///< index in the baking
    uint32_t        count;    ///< vertices
    uint32_t*       vertices; ///< inside the piece, rising
    const uint32_t* ranks;    ///< each vertex's index in the packed file, and in components; NULL: unchanged
    uint32_t        above;    ///< the region of the next coarser level that contains this one
    double*         gram;     ///< frames x frames: inner products of the displacements
    double*         vectors;  ///< courses over time, one row of frames each; NULL: not computed yet
    double*         values;   ///< energies, falling
    double          energy;   ///< the total, including courses that were not computed
    uint32_t        courses;  ///< number of courses computed
    uint32_t        ready;    ///< components whose shapes are computed
    pack_component* components;
    // The search's choice.
    uint32_t used;
    double   step; ///< of the shapes, stored units
    // For the maximum error: the step over the error, the total bytes, the error of the worst vertex and the sum of all
    // squares, in stored units.
    double ratio, bytes, worst, squares;
} pack_region;

static inline uint32_t gltf_pack_rank(const pack_region* region, uint32_t i) { return region->ranks ? region->ranks[i] : i; }

typedef struct pack_level {
    uint32_t     count;
    pack_region* regions;
} pack_level;

/// One try of the search: its predicted bytes and error.
typedef struct pack_try {
    uint32_t level;
    double   step; ///< rounding step of the shapes, world units; 0: each region has its own
    uint32_t components;
    double   bytes;
    double   rms, worst; ///< world units; worst 0: not measured
} pack_try;

typedef struct gltf_pack {
    gltf_baking* baking;
    sup_bake*    bake;
    uint32_t     frames;
    size_t       vertex_count; ///< of all pieces
    size_t*      first;        ///< of each piece among them
    float*       shifts;       ///< frames x vertices x 3: displacements in the space that is morphed
    float*       turns;        ///< likewise of the normals
    sup_vec3*    points;       ///< frames x points of the character: the target
    double*      scales;       ///< per piece: world units of one stored unit
    sup_pose     held;         ///< for characters that no clip moves
    pack_level   levels[PACK_LEVELS];
    uint32_t     level; ///< the chosen level
    double       turn_step;
    bool         meshopt;
    bool         small; ///< displacements may be stored as small integers
    pack_try*    tries;
    uint32_t     try_count, try_capacity;
    double       detail;           ///< resolution of the document, world units: nothing smaller is kept
    double       key_detail;       ///< the same for keys of joints, which are rounded last
    uint64_t     bytes[USE_COUNT]; ///< of the last file written, by stream_use
    double       fixed_bytes;      ///< of the document without components
    bool         every_course;     ///< a few were not enough: keep all courses
    float*       shape;            ///< scratch for one component of the largest region
    float*       turn;
} gltf_pack;

/// Rounds what the copy stores to the precision it needs, before the first frame is pulled back.
sup_result gltf_pack_begin(gltf_baking* baking, sup_bake* bake, const sup_pose* held, sup_error* error);
sup_result gltf_pack_frame(gltf_baking* baking, const sup_bake_frame* frame, sup_error* error);
/// Searches, writes the document, reads it back and compares.
sup_result gltf_pack_end(gltf_baking* baking, sup_bake* bake, sup_error* error);

sup_result gltf_pack_regions(gltf_pack* pack, sup_error* error);
/// Inner products of all displacements of the finest level, summed for the coarser ones.
sup_result gltf_pack_gram(gltf_pack* pack, sup_error* error);
/// Computes the courses of a region, unless they exist.
sup_result gltf_pack_courses(gltf_pack* pack, pack_region* region, sup_error* error);
/// Discards courses and components, to be computed again.
void gltf_pack_forget(gltf_pack* pack);
/// Computes components up to `count` of a region that has that many courses.
sup_result gltf_pack_shapes(gltf_pack* pack, pack_region* region, uint32_t count, sup_error* error);
/// The goal of the search, in world units; one of them is not zero.
typedef struct pack_goal {
    double rms, worst, bytes;
    double step; ///< initial step, 0: any; otherwise searches only the chosen level
} pack_goal;

/// Stores the choice in the regions of pack->level, and its prediction in *out.
sup_result gltf_pack_search(gltf_pack* pack, const pack_goal* goal, pack_try* out, sup_error* error);
/// How many steps to try for the maximum error.
typedef enum pack_effort {
    EFFORT_FIRST, ///< the one that is usually best: enough to compare levels
    EFFORT_REST,  ///< the others, at a level that was tried with the first
    EFFORT_AGAIN, ///< for another error: those that each region chose
} pack_effort;

/// The same for the maximum error at one level; gives up (step 0) if it takes more than `most` bytes.
sup_result gltf_pack_try_worst(gltf_pack* pack, uint32_t level, double worst, double most, pack_effort effort, pack_try* out,
                               sup_error* error);

/// One quantized component.
typedef struct pack_code {
    float* shape;  ///< 3 x count, whole multiples of a power of two
    float* turn;   ///< the same for normals; NULL: not requested
    bool   turned; ///< some of them are not zero
    double unit;   ///< quantum of the shape
    double weight; ///< factor on the component's course: the weights of the target
    double grid;   ///< quantum of the weights
    double error;  ///< energy of the shape's rounding error, stored units
} pack_code;

/// Rounds component k to multiples of `step`. shape and turn of `out` hold 3 x count floats.
void gltf_pack_code(const gltf_pack* pack, const pack_region* region, uint32_t k, double step, pack_code* out);
/// Estimates the bytes it takes in the file and the energy of its rounding error, without rounding it.
double gltf_pack_cost(const gltf_pack* pack, const pack_region* region, uint32_t k, double step, double* error);
/// Bytes of the vertex list that the components of a region share.
double gltf_pack_list_cost(const gltf_pack* pack, const pack_region* region);
/// Bytes of JSON and keys that every component of the region takes.
double gltf_pack_least_cost(const gltf_pack* pack, const pack_region* region);
/// Its weight in a frame.
float gltf_pack_weight(const gltf_pack* pack, const pack_region* region, uint32_t k, const pack_code* code, uint32_t frame);

/// Writes targets of the chosen components to the document, and the weights that animate them.
uint32_t   gltf_pack_count(const gltf_pack* pack, const baked_part* part);
sup_result gltf_pack_targets(gltf_pack* pack, sup_json* const* lists, sup_error* error);
/// A row for each key: the mesh's existing targets, then those of the bake. NULL: out of memory.
float* gltf_pack_weights(gltf_pack* pack, const baked_part* part, uint32_t keys, sup_arena* arena);

// ---------------------------------------------------------------------------------------------- packing

/// Floats that are whole multiples of one power of two, as the exponential filter stores them. False: they are not.
bool gltf_exponential(const float* values, size_t count, uint32_t* out);
// ---------------------------------------------------------------------------------------------- reading again

/// The error of the file.
typedef struct pack_errors {
    double rms, worst;               ///< of the points, the character's units
    double normal_rms, normal_worst; ///< degrees
} pack_errors;

/// Reads the bytes of a GLB and plays its last clip: compares the points with those of the frames.
sup_result gltf_pack_check(gltf_pack* pack, sup_bytes bytes, pack_errors* out, sup_error* error);
/// Compares the normals of the chosen components with the baked ones.
sup_result gltf_pack_check_normals(gltf_pack* pack, pack_errors* out, sup_error* error);
/// Predicts the ratio of the points' error in world space to the one the search measures, which counts stored vertices and has
/// one scale for each piece: from some frames of the chosen components.
sup_result gltf_pack_predict(gltf_pack* pack, double* ratio, sup_error* error);
/// Predicts the maximum error in world space of any vertex in any frame with the chosen components.
sup_result gltf_pack_predict_worst(gltf_pack* pack, double* worst, sup_error* error);

/// Rounding of streams before they are packed; 0: none.
typedef struct squeeze_grids {
    float rotations; ///< keys of joints
    float uvs;
    float maps;    ///< custom attributes whose values all lie within 0 to 1
    bool  corners; ///< triangles may be reordered and their corners rotated: polygons become triangles
} squeeze_grids;

/// Drops keys of joints that interpolation reproduces: rotations within `turn` (of a quaternion's components; 0: only constant
/// ones), the rest exactly.
sup_result gltf_thin(gltf_edit* edit, double turn, sup_error* error);
/// Packs every stream of a document with EXT_meshopt_compression, exactly apart from the rounding (extra NULL: only orders
/// them), and counts the bytes by use. A document with unknown extensions stays unchanged.
sup_result gltf_squeeze(gltf_edit* edit, const sup_extra* extra, const squeeze_grids* grids, uint64_t bytes[USE_COUNT],
                        sup_error* error);

#endif
