/// solve/contact/planes_internal.h: types and constants that the planes*.c files share.
#ifndef SUP_SOLVE_CONTACT_PLANES_INTERNAL_H
#define SUP_SOLVE_CONTACT_PLANES_INTERNAL_H

#include "base/internal.h"
#include "math/vec.h"
#include "math/wide.h"
#include "solve/contact/planes.h"

// Pairs are listed for several substeps ahead. A point may stray this far from its expected path before it is searched again,
// in mean heights at rest of the triangles around it (the nearest triangles that share no point with them are about one height
// away).
#define PLANES_STRAY 0.17f
// The gap that planes hold, in heights of the lower triangle at rest.
#define PLANES_GAP 0.03f
// A pair may press in a step if it comes this near, in mean edges, to the distance it keeps. Held poses come to rest equally
// well with 0.1 and 0.3 (fastest point 0.005 to 0.015 % of the diagonal per second on six characters); a smaller margin misses
// points that stray from their expected path (worst edge of the beast's jump 7 to 10).
#define PLANES_MARGIN 0.2f
// Pairs press where the cosine between their normals is below this, in full where it is lower by the ramp: the inner sides of a
// thin part do not.
#define PLANES_FACING 0.2f
#define PLANES_FACING_RAMP 0.4f
// And where the direction that separates them is close to their normals: from this cosine on, in full above the ramp.
#define PLANES_STRAIGHT 0.6f
#define PLANES_STRAIGHT_RAMP 0.3f
// A pair that nearly qualifies at the start of the step, or is expected to at its end, is listed too: with the exact limits,
// pairs would come and go with every prediction.
#define PLANES_FACING_SOON 0.4f
#define PLANES_STRAIGHT_SOON 0.3f
// Share of its missing distance that a pair gains in a substep: skin that is pressed together comes apart over several.
#define PLANES_RECOVERY 0.05f
// Most that one iteration pushes it apart, mean edges: more would crush what bones force together.
#define PLANES_PUSH_MOST 0.2f
// Where two triangles nearly touch, the direction between their closest places is noise: this share of their size is added
// along their normals.
#define PLANES_ALONG_NORMALS 0.5f
// Where the direction that separates them has a small gap compared with their distance, they press less: in full from this
// share on.
#define PLANES_PARTING 0.3f
// A corner moves by this many times the mean of what its pairs ask for: with more it is thrown back and forth, and a held pose
// never comes to rest. Where the pose moves one side against the other at this speed, in mean edges per second, the factor
// rises to FIRM, since there the sides meet faster than means separate them.
#define PLANES_CALM 1.0f
#define PLANES_FIRM 8.0f
#define PLANES_FIRM_SPEED 2.0f
// In each substep the lean of a point loses a share LOSS and gains a share GAIN of what pushes the point, planes included. It
// converges to three times the remaining push, so means and planes have little left to bear. With a smaller loss it keeps
// pressing where nothing touches any more (0.01: the beast's jump crosses 20 times, 0.02: never). MOST limits it, mean edges.
#define PLANES_LEAN_GAIN 0.1f
#define PLANES_LEAN_LOSS 0.03f
#define PLANES_LEAN_MOST 0.5f
// A released point is not pushed ahead any more; its lean fades by this share per substep, since losing all of it at once would
// throw the skin. (An arm that a dance puts through the head: with the lean kept, 11 of 436 frames cross more than under linear
// skinning; with the fade, none.)
#define PLANES_LEAN_RELEASED 0.5f
// A pose is held when it moves everywhere slower than this many mean edges per second: a pressed point then sticks as long as
// it would move less than this many mean edges in a substep, which is what pairs and planes, recomputed in each, disagree by.
#define PLANES_STILL 0.01f
#define PLANES_STICK 0.01f

// It sticks once the pose has been held for this many substeps: what skinning leaves tangled at the start comes apart first.
enum { PLANES_SETTLE = 300 };

enum { PLANES_PACK = 8 }; // triangles side by side, one per lane

/// The triangles of two leaves; an empty lane has the first point three times.
typedef struct planes_pack {
    uint32_t corners[3][PLANES_PACK];
    float    stray[PLANES_PACK];    // the largest among the corners; below 0: no triangle
    float    gap[PLANES_PACK];      // the gap it keeps, as long as it was that far apart
    float    unit[PLANES_PACK];     // the largest among its corners: mean length of their edges,
    float    over[PLANES_PACK];     // and how far what rides on them protrudes
    int32_t  crossing[PLANES_PACK]; // all bits: it crosses another at rest
} planes_pack;

struct sup_planes {
    uint32_t           point_count;
    uint32_t           pack_count, leaf_count; // leaves of the hierarchy: a power of two; those after the last pack are empty
    const planes_pack* packs;
    const float*       strays; // per point: how far it may stray
    const float*       gives;
    const sup_vec3*    rest;
    const float*       units;          // per point: mean length of its edges at rest
    const float*       over;           // per point: how far what rides on it protrudes; NULL: nothing rides
    uint32_t           press_capacity; // blocks
    uint32_t           twin_count;
    const uint32_t*    twins;          // pairs: a point that always moves with another, and that other
    uint32_t           capacity;       // blocks of the list
    uint32_t           plane_capacity; // planes
};

/// Boxes around the moving triangles of a pack, with room to stray, without the motion that all share. NaN: empty.
typedef struct planes_bounds {
    float min[3][PLANES_PACK], max[3][PLANES_PACK];
    float normal[3][PLANES_PACK], reach[PLANES_PACK]; // at the path's end; how far beyond its box it presses on what it faces
} planes_bounds;

typedef struct planes_box {
    float min[4], max[4]; // three are used
} planes_box;

/// Two triangles that may come near each other, and a direction along which the first lies beyond the second, if one is known.
typedef struct planes_pair {
    uint32_t a, b; // pack x 8 + lane
    int16_t  axis[3];
} planes_pair;

/// Eight pairs: their triangles, and a direction along which the first lies beyond the second, in units of 1 / 32767. Any
/// direction that separates them works, so it need not be exact. Lanes after the last pair have the first triangle twice.
typedef struct planes_block {
    uint32_t a[SUP_LANES], b[SUP_LANES];
    int16_t  axis[3][SUP_LANES];
} planes_block;

#define PLANES_AXIS 32767.0f

/// A pair that needs its plane. At the start of the substep: the unit normal toward the first triangle, a place on the plane,
/// and how far the closest corners were on either side; 0: they cross.
typedef struct planes_plane {
    uint32_t corners[6]; // into touched
    sup_vec3 normal, at;
    float    half, gap;
} planes_plane;

/// Eight pairs that may press in this step.
typedef struct planes_presses {
    uint32_t corners[6][SUP_LANES];
    float    normal[3][SUP_LANES];                     // from the second triangle to the first
    float    want[SUP_LANES], keep[SUP_LANES];         // the distance to keep, and that for this substep
    float    most[SUP_LANES];                          // most that an iteration pushes it apart
    float    firm[SUP_LANES];                          // factor on the mean it presses with
    float    strength[SUP_LANES], approach[SUP_LANES]; // 0 to 1; speed before the solve
    float    pushed[6][SUP_LANES];                     // of each corner, in this substep
    uint32_t real, active;                             // lanes that may press, and lanes that did
} planes_presses;

/// A plane, carried along.
typedef struct planes_placed {
    sup_vec3 normal, at;
    float    gap, push;
} planes_placed;

/// Kept per point from substep to substep: what planes recently held back on average, in mean edges; and for how many substeps
/// nothing has crossed where planes are released, 0 where they are not.
typedef struct planes_burden {
    float    held;
    uint32_t released;
    sup_vec3 lean;     // how far it is pushed ahead
    uint32_t held_for; // substeps for which the pose has been held, up to PLANES_SETTLE
} planes_burden;

/// A cluster: the centers of its points before and after, and the rigid motion between them.
typedef struct planes_group {
    double   before[3], after[3], moment[9];
    sup_quat turn;
    uint32_t count, held_count;
    float    held;
    bool     open; // something in it crosses
} planes_group;

typedef struct planes_header {
    uint32_t substeps, done; // of the step
    uint32_t first;          // the substep before which the list was built
    bool     listed, crowded;
    bool     pose_held;
    uint32_t pair_count;
    uint32_t press_count, lost; // pairs that may press, and pairs that did not fit
    uint32_t released;          // points, after the previous substep
    uint32_t held_count;        // points that planes held in the last substep
    sup_vec3 shift;             // expected motion per substep that all points share
} planes_header;

enum { PLANES_GRAIN = 512 }; // points per task
// Pairs of packs are tested in waves of WAVE chunks of CHUNK pairs.
enum { PLANES_CHUNK = 16, PLANES_WAVE = 16, PLANES_ROOM = PLANES_CHUNK * PLANES_PACK * PLANES_PACK };

typedef struct planes_memory {
    planes_header* header;
    // For the whole step. The positions that the list was built from and their motion per substep; way.w: how far they may
    // stray, squared.
    sup_vec4 *      begin, *way;
    planes_bounds*  bounds;
    planes_box*     nodes;  // 2 x leaves
    uint8_t*        fresh;  // 2 x leaves: something below is to be tested again; for a leaf: which lanes
    planes_block*   blocks; // the list
    uint8_t*        dead;   // per block: lanes removed from the list
    planes_presses* presses;
    uint8_t*        near;   // per block of those: lanes that are too near
    float*          crowd;  // per point: summed strengths of its near pairs; 0 between iterations
    sup_vec3*       pushed; // per point: by all its pairs in this substep
    // For one substep.
    uint8_t*       doubtful; // per block: lanes whose direction proves nothing
    uint8_t*       planar;   // per block: lanes with a plane
    uint8_t*       open;     // per block: lanes that cross
    uint8_t*       stirred;  // per point: strayed; later: moved by planes, or released
    float*         strays;   // per piece of points
    uint32_t*      looks;    // doubtful pairs: block x 8 + lane
    planes_plane*  planes;
    uint32_t*      cluster;  // per touched point: another of its cluster; in the end the root
    uint32_t*      group_of; // per touched point, into groups
    uint32_t*      touched;  // points of planes, in the order in which they were found
    uint32_t*      place_of; // per point: index into touched, or SUP_NONE
    planes_placed* placed;
    sup_vec3 *     wanted, *carried, *fixed; // per touched point
    float*         share;                    // per touched point: of the way from carried to wanted
    planes_group*  groups;
    // For a search.
    uint32_t*    couples; // of packs, two each: one wave
    planes_pair* slices;  // of one wave
    uint32_t*    counts;  // per chunk
} planes_memory;

/// The three corners of each triangle of a pair.
static inline void planes_corners(const sup_planes* p, uint32_t a, uint32_t b, uint32_t out[6])
{
    const planes_pack *first = &p->packs[a / PLANES_PACK], *second = &p->packs[b / PLANES_PACK];
    for (int k = 0; k < 3; ++k) {
        out[k] = first->corners[k][a % PLANES_PACK];
        out[k + 3] = second->corners[k][b % PLANES_PACK];
    }
}

/// The gap that a pair keeps.
static inline float planes_gap(const sup_planes* p, uint32_t a, uint32_t b)
{
    float first = p->packs[a / PLANES_PACK].gap[a % PLANES_PACK], second = p->packs[b / PLANES_PACK].gap[b % PLANES_PACK];
    return first < second ? first : second;
}

planes_memory sup_planes_divide(const sup_planes* p, void* scratch, size_t* bytes);

/// One substep in progress.
typedef struct planes_run {
    const sup_planes*      p;
    const sup_planes_call* call;
    planes_memory          m;
    planes_burden*         burdens;
    const sup_vec4*        from;
    sup_vec4*              x;
    float                  span;   // substeps from `from` to x
    float                  ahead;  // substeps that the list looks ahead from where it was built
    float                  since;  // a new search covers the path from here on
    float                  passed; // substeps that have passed at the end of this one
    uint32_t               couple_count, plane_count, touched_count, group_count, look_count;
    uint32_t               grouped_count; ///< how many of the touched points list_groups has seen
    bool                   final;         // testing what was kept: being apart is enough
    bool                   partial;       // only what was stirred
    bool                   relisted;      // the list was rebuilt since planes were looked for
} planes_run;

/// planes_search.c: fills the list. False: too much to list.
bool sup_planes_search(planes_run* r);
/// The same for the triangles of points that have strayed; the rest stays in the list.
bool sup_planes_search_again(planes_run* r);

/// planes_press.c: finds the listed pairs that may press in a step from `from` to x.
void sup_planes_find_presses(planes_run* r);

/// Closest places of two triangles, in double precision: their distance, the unit direction from the second to the first, and
/// the midpoint. False: they are not apart, or a number is not finite.
bool sup_planes_between(const sup_vec3 a[3], const sup_vec3 b[3], float* distance, sup_vec3* normal, sup_vec3* middle);

/// For packs begin to end: boxes of those with something fresh, and which lanes are fresh.
SUP_WIDE_DECLARE(void, sup_planes_measure, (const planes_run* r, uint32_t begin, uint32_t end));
/// The triangle pairs that may come near each other in the pack pairs begin to end. Returns how many.
SUP_WIDE_DECLARE(uint32_t, sup_planes_sift, (const planes_run* r, uint32_t begin, uint32_t end, planes_pair* out));
/// For blocks begin to end: lanes not proven apart from `from` to x, by the gap or at all.
SUP_WIDE_DECLARE(void, sup_planes_test, (const planes_run* r, uint32_t begin, uint32_t end));
/// For blocks begin to end: lanes that may come near enough to press, into doubtful.
SUP_WIDE_DECLARE(void, sup_planes_near, (const planes_run* r, uint32_t begin, uint32_t end));
/// For blocks of presses begin to end, at the start of the step: which lanes may press, and the distance they keep.
SUP_WIDE_DECLARE(void, sup_planes_meet, (const planes_run* r, uint32_t begin, uint32_t end));
/// Their directions and distances as a substep begins at `from`.
SUP_WIDE_DECLARE(void, sup_planes_aim, (const planes_run* r, uint32_t begin, uint32_t end));
/// How far each corner of block k is pushed at x. Each near pair gets the share that the crowd at its corners leaves it.
SUP_WIDE_DECLARE(void, sup_planes_push, (const planes_run* r, uint32_t k, float pushes[6][SUP_LANES]));
/// Which of them are too near at x.
SUP_WIDE_DECLARE(void, sup_planes_sift_presses, (const planes_run* r, uint32_t begin, uint32_t end));
/// The largest squared stray distance of a point, relative to what it may stray.
SUP_WIDE_DECLARE(float, sup_planes_stray, (const planes_run* r, uint32_t begin, uint32_t end));

#endif
