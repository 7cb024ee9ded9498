/// solve/contact/planes_internal.h: what the files of solve/planes share.
#ifndef SUP_SOLVE_CONTACT_PLANES_INTERNAL_H
#define SUP_SOLVE_CONTACT_PLANES_INTERNAL_H

#include "base/internal.h"
#include "math/vec.h"
#include "math/wide.h"
#include "solve/contact/planes.h"

// Pairs are listed for some substeps to come: a point may stray so far from the way that was expected of it, in mean heights of
// the triangles around it at rest, of which the nearest that share no point with them are about one away. Further, and it is
// looked for anew.
#define PLANES_STRAY 0.17f
// What planes hold apart, in heights of the lower triangle at rest.
#define PLANES_GAP 0.03f
// A pair may press in a step if it comes so near, mean edges, to the distance it keeps. Held poses rest alike with 0.1 and 0.3
// (fastest point 0.005 to 0.015 % of the diagonal a second on six characters); less misses what strays from its expected way
// (worst edge of the beast's jump 7 to 10).
#define PLANES_MARGIN 0.2f
// They press where the cosine between their normals is below this, in full where it is lower by the ramp: the inner sides of a
// thin part do not.
#define PLANES_FACING 0.2f
#define PLANES_FACING_RAMP 0.4f
// And where the direction that parts them is nearly that of their normals: from this cosine on, in full beyond the ramp.
#define PLANES_STRAIGHT 0.6f
#define PLANES_STRAIGHT_RAMP 0.3f
// What is nearly so when the step begins, or is expected to be when it ends, is listed: with the limits themselves, pairs would
// come and go with every prediction.
#define PLANES_FACING_SOON 0.4f
#define PLANES_STRAIGHT_SOON 0.3f
// Of the distance that a pair lacks, what it gains in a substep: skin that is pressed together comes apart over some.
#define PLANES_RECOVERY 0.05f
// Nor is it pushed apart by more than this in a round, mean edges: what bones force together would be crushed.
#define PLANES_PUSH_MOST 0.2f
// Where two nearly touch, the way between their nearest places is noise: so much of their size along their normals is added.
#define PLANES_ALONG_NORMALS 0.5f
// Where the direction that parts them hardly does, compared with the way between their nearest places, they press less: in full
// from this share of it on.
#define PLANES_PARTING 0.3f
// A corner goes so many times the mean of what its pairs ask for: more, and it is thrown to and fro, and a held pose never
// comes to rest. Where the pose moves one side against the other by so many mean edges a second it is up to FIRM times the
// mean, for there they meet faster than means part them.
#define PLANES_CALM 1.0f
#define PLANES_FIRM 8.0f
#define PLANES_FIRM_SPEED 2.0f
// The lean grows by so much of what pushes a point in a substep, planes included, and loses so much of itself: in the end it is
// three times what still pushes, so that means and planes have little left to bear. What loses less presses on where nothing
// touches any more (0.01: the beast's jump crosses 20 times, 0.02: never). And the most, mean edges.
#define PLANES_LEAN_GAIN 0.1f
#define PLANES_LEAN_LOSS 0.03f
#define PLANES_LEAN_MOST 0.5f
// What is released is not pushed ahead any more; so much of it goes in a substep, for all at once would throw the skin. (An arm
// that a dance puts through the head: kept, 11 of 436 frames cross more than under linear skinning; so, none.)
#define PLANES_LEAN_RELEASED 0.5f
// Slower than so many mean edges a second everywhere, a pose is held: what is pressed sticks where it is as long as it would go
// less than so many mean edges in a substep. That is what pairs and planes, taken anew in each of them, disagree by.
#define PLANES_STILL 0.01f
#define PLANES_STICK 0.01f

// It sticks once the pose has been held for so many substeps: what begins tangled, as skinning leaves it, comes apart before.
enum { PLANES_SETTLE = 300 };

enum { PLANES_PACK = 8 }; // triangles side by side, a lane each

/// The triangles of two leaves; lanes without one have the first point three times.
typedef struct planes_pack {
    uint32_t corners[3][PLANES_PACK];
    float    stray[PLANES_PACK];    // the largest of the corners; below 0: no triangle
    float    gap[PLANES_PACK];      // that it keeps, as long as it was so far apart
    float    unit[PLANES_PACK];     // of its corners the largest: mean length of their edges,
    float    over[PLANES_PACK];     // and how far what rides on them stands out
    int32_t  crossing[PLANES_PACK]; // all bits: at rest
} planes_pack;

struct sup_planes {
    uint32_t           point_count;
    uint32_t           pack_count, leaf_count; // leaves of the hierarchy: a power of two, those behind the last pack are empty
    const planes_pack* packs;
    const float*       strays; // per point: how far it may stray
    const float*       gives;
    const sup_vec3*    rest;
    const float*       units;          // per point: mean length of its edges at rest
    const float*       over;           // per point: how far what rides on it stands out over it; NULL: nothing does
    uint32_t           press_capacity; // blocks
    uint32_t           twin_count;
    const uint32_t*    twins;          // points that go where another goes, and that one: two each
    uint32_t           capacity;       // blocks of the list
    uint32_t           plane_capacity; // planes
};

/// Boxes around the triangles of a pack on their way, with room to stray, without what all move by. Not a number: empty.
typedef struct planes_bounds {
    float min[3][PLANES_PACK], max[3][PLANES_PACK];
    float normal[3][PLANES_PACK], reach[PLANES_PACK]; // as the way ends; how far beyond its box it presses on what it faces
} planes_bounds;

typedef struct planes_box {
    float min[4], max[4]; // three are used
} planes_box;

/// Two triangles that may come near each other, and a direction in which the first lies beyond the second, as far as one is
/// known.
typedef struct planes_pair {
    uint32_t a, b; // pack x 8 + lane
    int16_t  axis[3];
} planes_pair;

/// Eight pairs: their triangles, and a direction in which the first lies beyond the second, in parts of 32767. Any direction
/// that parts them will do, so it need not be exact. Lanes beyond the last pair have the first triangle twice.
typedef struct planes_block {
    uint32_t a[SUP_LANES], b[SUP_LANES];
    int16_t  axis[3][SUP_LANES];
} planes_block;

#define PLANES_AXIS 32767.0f

/// A pair that needs its plane: as the substep began, unit normal towards the first triangle, a place on it, and how far the
/// nearest corners were on either side; 0: they cross.
typedef struct planes_plane {
    uint32_t corners[6]; // into touched
    sup_vec3 normal, at;
    float    half, gap;
} planes_plane;

/// Eight pairs that may press in this step.
typedef struct planes_presses {
    uint32_t corners[6][SUP_LANES];
    float    normal[3][SUP_LANES];                     // from the second triangle to the first
    float    want[SUP_LANES], keep[SUP_LANES];         // the distance that is kept, and in this substep
    float    most[SUP_LANES];                          // that it is pushed apart by, in a round
    float    firm[SUP_LANES];                          // times the mean that it presses with
    float    strength[SUP_LANES], approach[SUP_LANES]; // 0 to 1; speed before the solve
    float    pushed[6][SUP_LANES];                     // each corner, in this substep
    uint32_t real, active;                             // lanes that may press, and that did
} planes_presses;

/// A plane, carried.
typedef struct planes_placed {
    sup_vec3 normal, at;
    float    gap, push;
} planes_placed;

/// Kept from substep to substep, per point: what planes held back in the mean of late, mean edges; since how many substeps
/// nothing crosses where they are released, 0: they are not.
typedef struct planes_burden {
    float    held;
    uint32_t released;
    sup_vec3 lean;     // by which it is pushed ahead
    uint32_t held_for; // substeps for which the pose has been held, at most PLANES_SETTLE
} planes_burden;

/// A cluster: the middles of its points before and after, and what carries the ones to the others.
typedef struct planes_group {
    double   before[3], after[3], moment[9];
    sup_quat turn;
    uint32_t count, held_count;
    float    held;
    bool     open; // something in it crosses
} planes_group;

typedef struct planes_header {
    uint32_t substeps, done; // of the step
    uint32_t first;          // the substep before which the list was made
    bool     listed, crowded;
    bool     pose_held;
    uint32_t pair_count;
    uint32_t press_count, lost; // pairs that may press, and for which there was no room
    uint32_t released;          // points, after the substep before
    uint32_t held_count;        // points that planes held in the last substep
    sup_vec3 shift;             // what all were expected to move by in a substep
} planes_header;

enum { PLANES_GRAIN = 512 }; // points of a task
// Pairs of packs are looked at in waves of WAVE chunks of CHUNK pairs.
enum { PLANES_CHUNK = 16, PLANES_WAVE = 16, PLANES_ROOM = PLANES_CHUNK * PLANES_PACK * PLANES_PACK };

typedef struct planes_memory {
    planes_header* header;
    // Through the step. The places that the list was made from, and how far they go in one substep; way.w: may stray, squared.
    sup_vec4 *      begin, *way;
    planes_bounds*  bounds;
    planes_box*     nodes;  // 2 x leaves
    uint8_t*        fresh;  // 2 x leaves: something below it is looked at anew; of a leaf: which lanes
    planes_block*   blocks; // the list
    uint8_t*        dead;   // per block: lanes that are no longer in the list
    planes_presses* presses;
    uint8_t*        near;   // per block of those: lanes that are too near
    float*          crowd;  // per point: strengths of the near pairs that it is in; 0 between iterations
    sup_vec3*       pushed; // per point: by all pairs in this substep
    // Through a substep.
    uint8_t*       doubtful; // per block: lanes whose direction says nothing
    uint8_t*       planar;   // per block: lanes that have a plane
    uint8_t*       open;     // per block: lanes that cross
    uint8_t*       stirred;  // per point: strayed; then: moved by planes, or released
    float*         strays;   // per piece of points
    uint32_t*      looks;    // doubtful pairs: block x 8 + lane
    planes_plane*  planes;
    uint32_t*      cluster;  // per touched: another of its cluster, in the end itself
    uint32_t*      group_of; // per touched, into groups
    uint32_t*      touched;  // points of planes, in the order they were met
    uint32_t*      place_of; // per point: into touched, SUP_NONE
    planes_placed* placed;
    sup_vec3 *     wanted, *carried, *fixed; // per touched
    float*         share;                    // per touched: of the way from carried to wanted
    planes_group*  groups;
    // Of a search.
    uint32_t*    couples; // of packs, two each: a wave
    planes_pair* slices;  // of a wave
    uint32_t*    counts;  // per chunk
} planes_memory;

/// Three corners of either triangle of a pair.
static inline void planes_corners(const sup_planes* p, uint32_t a, uint32_t b, uint32_t out[6])
{
    const planes_pack *first = &p->packs[a / PLANES_PACK], *second = &p->packs[b / PLANES_PACK];
    for (int k = 0; k < 3; ++k) {
        out[k] = first->corners[k][a % PLANES_PACK];
        out[k + 3] = second->corners[k][b % PLANES_PACK];
    }
}

/// That a pair keeps.
static inline float planes_gap(const sup_planes* p, uint32_t a, uint32_t b)
{
    float first = p->packs[a / PLANES_PACK].gap[a % PLANES_PACK], second = p->packs[b / PLANES_PACK].gap[b % PLANES_PACK];
    return first < second ? first : second;
}

planes_memory sup_planes_divide(const sup_planes* p, void* scratch, size_t* bytes);

/// One substep under way.
typedef struct planes_run {
    const sup_planes*      p;
    const sup_planes_call* call;
    planes_memory          m;
    planes_burden*         burdens;
    const sup_vec4*        from;
    sup_vec4*              x;
    float                  span;   // substeps from `from` to x
    float                  ahead;  // substeps that the list looks ahead from where it was made
    float                  since;  // from here on what is looked at anew has to be seen
    float                  passed; // of them at the end of this one
    uint32_t               couple_count, plane_count, touched_count, group_count, look_count;
    uint32_t               grouped_count; ///< of the touched points, those that list_groups saw
    bool                   final;         // looking at what was kept: being apart is enough
    bool                   partial;       // only at what was stirred
    bool                   relisted;      // all was, since planes were looked for
} planes_run;

/// planes_search.c: fills the list. False: there is too much.
bool sup_planes_search(planes_run* r);
/// The same for the triangles of points that have strayed; the others stay in the list.
bool sup_planes_search_again(planes_run* r);

/// planes_press.c: of the list, those that may press in a step from `from` to x.
void sup_planes_find_presses(planes_run* r);

/// Nearest places of two triangles, in double: how far apart, and the unit direction from the second to the first, and the
/// place in the middle. False: they are not apart, or no numbers.
bool sup_planes_between(const sup_vec3 a[3], const sup_vec3 b[3], float* distance, sup_vec3* normal, sup_vec3* middle);

/// Boxes of packs begin to end that have something fresh, and which lanes that are.
SUP_WIDE_DECLARE(void, sup_planes_measure, (const planes_run* r, uint32_t begin, uint32_t end));
/// The pairs of triangles of couples of packs begin to end that may come near each other. Returns how many.
SUP_WIDE_DECLARE(uint32_t, sup_planes_sift, (const planes_run* r, uint32_t begin, uint32_t end, planes_pair* out));
/// Blocks begin to end: lanes that are not shown to be apart from `from` to x, by the gap or at all.
SUP_WIDE_DECLARE(void, sup_planes_test, (const planes_run* r, uint32_t begin, uint32_t end));
/// Blocks begin to end: lanes that may come near enough to press, into doubtful.
SUP_WIDE_DECLARE(void, sup_planes_near, (const planes_run* r, uint32_t begin, uint32_t end));
/// Of blocks of presses begin to end, as the step begins: who may press, and how far apart they keep.
SUP_WIDE_DECLARE(void, sup_planes_meet, (const planes_run* r, uint32_t begin, uint32_t end));
/// Their directions and distances as a substep begins at `from`.
SUP_WIDE_DECLARE(void, sup_planes_aim, (const planes_run* r, uint32_t begin, uint32_t end));
/// How far each corner of block k is pushed at x. Those that are near share what the crowd around their corners leaves them.
SUP_WIDE_DECLARE(void, sup_planes_push, (const planes_run* r, uint32_t k, float pushes[6][SUP_LANES]));
/// Which of them are too near at x.
SUP_WIDE_DECLARE(void, sup_planes_sift_presses, (const planes_run* r, uint32_t begin, uint32_t end));
/// The largest square of how far points stray, over what they may.
SUP_WIDE_DECLARE(float, sup_planes_stray, (const planes_run* r, uint32_t begin, uint32_t end));

#endif
