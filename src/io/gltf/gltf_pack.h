/// io/gltf/gltf_pack.h: a bake within a budget. What the viewer's skinning leaves over, in the rest frame, becomes principal
/// components: morph targets with animated weights, as few and as coarse as the error allows.
#ifndef SUP_IO_GLTF_GLTF_PACK_H
#define SUP_IO_GLTF_GLTF_PACK_H

#include "io/gltf/gltf_baking.h"

enum { PACK_LEVELS = 3 };

/// What the streams of a document are for.
typedef enum stream_use {
    USE_NONE,
    USE_VERTEX,    ///< attributes of meshes
    USE_TARGET,    ///< morph targets
    USE_VALUES,    ///< of sparse accessors
    USE_LIST,      ///< of vertices, likewise
    USE_KEYS,      ///< of joints, and their times
    USE_BINDS,     ///< matrices of skins, which may not share a view with anything else
    USE_WEIGHTS,   ///< keys of morph targets
    USE_TRIANGLES, ///< indices
    USE_SEQUENCE,  ///< indices whose order within a triangle matters
    USE_IMAGE,
    USE_COUNT
} stream_use;

/// What the displacements of a region have in common with one course over time.
typedef struct pack_component {
    float* shape;                 ///< all x, then all y, then all z, each by rank
    float* turn;                  ///< likewise of the normals; NULL where the piece has none
    float  shape_peak, turn_peak; ///< the number farthest from zero
    double course_peak;
} pack_component;

/// Vertices of one piece whose displacements get components of their own: all of them, or those that a group of bones moves
/// most.
typedef struct pack_region {
    uint32_t        piece;    ///< index in the baking
    uint32_t        count;    ///< vertices
    uint32_t*       vertices; ///< inside the piece, rising
    const uint32_t* ranks;    ///< where each of them comes in the packed file, and in components; NULL: as they are
    uint32_t        above;    ///< region of the next coarser level that holds this one
    double*         gram;     ///< frames x frames: products of the displacements
    double*         vectors;  ///< courses over time, one row of frames each; NULL: not made yet
    double*         values;   ///< energies, falling
    double          energy;   ///< all there is, of more courses than were made too
    uint32_t        courses;  ///< that were made
    uint32_t        ready;    ///< components whose shapes are there
    pack_component* components;
    // What the search chose.
    uint32_t used;
    double   step; ///< of the shapes, stored units
    // For the farthest point: the step over the error, what it all takes, how far the farthest vertex is off and the sum of all
    // squares, stored units.
    double ratio, bytes, worst, squares;
} pack_region;

static inline uint32_t gltf_pack_rank(const pack_region* region, uint32_t i) { return region->ranks ? region->ranks[i] : i; }

typedef struct pack_level {
    uint32_t     count;
    pack_region* regions;
} pack_level;

/// One try of the search: what it would cost and how far off it would be.
typedef struct pack_try {
    uint32_t level;
    double   step; ///< that shapes are rounded to, world units; 0: each region its own
    uint32_t components;
    double   bytes;
    double   rms, worst; ///< world units; worst 0: not looked at
} pack_try;

typedef struct gltf_pack {
    gltf_baking* baking;
    sup_bake*    bake;
    uint32_t     frames;
    size_t       vertex_count; ///< of all pieces
    size_t*      first;        ///< of each piece among them
    float*       shifts;       ///< frames x vertices x 3: displacements in the space that is morphed
    float*       turns;        ///< likewise of the normals
    sup_vec3*    points;       ///< frames x points of the character: what the file must show
    double*      scales;       ///< per piece: world units of one stored unit
    sup_pose     held;         ///< where no clip moves the character
    pack_level   levels[PACK_LEVELS];
    uint32_t     level; ///< chosen
    double       turn_step;
    bool         meshopt;
    bool         small; ///< displacements may be small integers
    pack_try*    tries;
    uint32_t     try_count, try_capacity;
    double       detail;           ///< length below which nothing is kept, world units
    double       key_detail;       ///< likewise for keys of joints, which are rounded last
    uint64_t     bytes[USE_COUNT]; ///< of the last file that was made, by stream_use
    double       fixed_bytes;      ///< of the document without components
    bool         every_course;     ///< few were not enough: no course is left out
    float*       shape;            ///< scratch for one component of the largest region
    float*       turn;
} gltf_pack;

/// Rounds what the copy stores to what it needs, before the first frame is pulled back.
sup_result gltf_pack_begin(gltf_baking* baking, sup_bake* bake, const sup_pose* held, sup_error* error);
sup_result gltf_pack_frame(gltf_baking* baking, const sup_bake_frame* frame, sup_error* error);
/// Searches, writes the document, reads it again and compares.
sup_result gltf_pack_end(gltf_baking* baking, sup_bake* bake, sup_error* error);

sup_result gltf_pack_regions(gltf_pack* pack, sup_error* error);
/// Products of all displacements of the finest level, summed up for the coarser ones.
sup_result gltf_pack_gram(gltf_pack* pack, sup_error* error);
/// Makes the courses of a region, if they are not there.
sup_result gltf_pack_courses(gltf_pack* pack, pack_region* region, sup_error* error);
/// Courses and components are to be made again.
void gltf_pack_forget(gltf_pack* pack);
/// Makes components up to `count` of a region that has so many courses.
sup_result gltf_pack_shapes(gltf_pack* pack, pack_region* region, uint32_t count, sup_error* error);
/// What the search is after, in world units; one of them is not zero.
typedef struct pack_goal {
    double rms, worst, bytes;
    double step; ///< where to begin, 0: anywhere; then only at the level that was chosen
} pack_goal;

/// Leaves the choice in the regions of pack->level, and what it should be in *out.
sup_result gltf_pack_search(gltf_pack* pack, const pack_goal* goal, pack_try* out, sup_error* error);
/// How many steps are tried for the farthest point.
typedef enum pack_effort {
    EFFORT_FIRST, ///< the one that is usually best: enough to tell levels apart
    EFFORT_REST,  ///< the others, at a level that was tried first
    EFFORT_AGAIN, ///< for another error: those that each region chose
} pack_effort;

/// The same for the farthest point at one level; given up (step 0) where it takes more than `most` bytes.
sup_result gltf_pack_try_worst(gltf_pack* pack, uint32_t level, double worst, double most, pack_effort effort, pack_try* out,
                               sup_error* error);

/// One component on its grids.
typedef struct pack_code {
    float* shape;  ///< 3 x count, whole multiples of a power of two
    float* turn;   ///< likewise; NULL: nobody asks for normals
    bool   turned; ///< some of them are not zero
    double unit;   ///< whose multiples the shape has
    double weight; ///< times the component's course: the weights of the target
    double grid;   ///< that they are rounded to
    double error;  ///< energy that rounding the shape adds, stored units
} pack_code;

/// Rounds component k to multiples of `step`. shape and turn of `out` have room for 3 x count floats.
void gltf_pack_code(const gltf_pack* pack, const pack_region* region, uint32_t k, double step, pack_code* out);
/// Bytes that it will take in the file, and the energy that rounding adds; without rounding it.
double gltf_pack_cost(const gltf_pack* pack, const pack_region* region, uint32_t k, double step, double* error);
/// Bytes of the list of vertices that the components of a region share.
double gltf_pack_list_cost(const gltf_pack* pack, const pack_region* region);
/// Bytes of the document and of keys that any component of the region takes.
double gltf_pack_least_cost(const gltf_pack* pack, const pack_region* region);
/// Its weight in a frame.
float gltf_pack_weight(const gltf_pack* pack, const pack_region* region, uint32_t k, const pack_code* code, uint32_t frame);

/// Targets of the chosen components in the document, and the weights that show them.
uint32_t   gltf_pack_count(const gltf_pack* pack, const baked_part* part);
sup_result gltf_pack_targets(gltf_pack* pack, sup_json* const* lists, sup_error* error);
/// A row for each key: targets that the mesh had before, then those of the bake. NULL: out of memory.
float* gltf_pack_weights(gltf_pack* pack, const baked_part* part, uint32_t keys, sup_arena* arena);

// ---------------------------------------------------------------------------------------------- packing

/// Floats that are whole multiples of one power of two as the exponential filter takes them. False: they are not.
bool gltf_exponential(const float* values, size_t count, uint32_t* out);
// ---------------------------------------------------------------------------------------------- reading again

/// How far the file is off.
typedef struct pack_errors {
    double rms, worst;               ///< of the points, the character's units
    double normal_rms, normal_worst; ///< degrees
} pack_errors;

/// Reads the bytes of a GLB and plays its last clip: the points are compared with those of the frames.
sup_result gltf_pack_check(gltf_pack* pack, sup_bytes bytes, pack_errors* out, sup_error* error);
/// The normals that the chosen components show against those that were wanted.
sup_result gltf_pack_check_normals(gltf_pack* pack, pack_errors* out, sup_error* error);
/// By how much the error of the points in the world is more than what the search sees, which counts stored vertices and knows
/// one scale for each piece: from some frames of the chosen components.
sup_result gltf_pack_foresee(gltf_pack* pack, double* ratio, sup_error* error);
/// How far off in the world the chosen components leave the farthest vertex of any frame.
sup_result gltf_pack_foresee_worst(gltf_pack* pack, double* worst, sup_error* error);

/// What streams are rounded to before they are packed; 0: not at all.
typedef struct squeeze_grids {
    float rotations; ///< keys of joints
    float uvs;
    float maps;    ///< attributes of one's own whose values all lie within 0 to 1
    bool  corners; ///< triangles need not keep their order, nor which corner is their first: polygons become triangles
} squeeze_grids;

/// Leaves out keys of joints that are found again between others: rotations to `turn` (of a quaternion's four numbers; 0: only
/// what never changes), the rest exactly.
sup_result gltf_thin(gltf_edit* edit, double turn, sup_error* error);
/// Packs every stream of a document by EXT_meshopt_compression, exactly but for the grids (extra NULL: only puts them in
/// order), and counts the bytes by use. A document with extensions that we do not know stays as it is.
sup_result gltf_squeeze(gltf_edit* edit, const sup_extra* extra, const squeeze_grids* grids, uint64_t bytes[USE_COUNT],
                        sup_error* error);

#endif
