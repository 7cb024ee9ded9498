/// solve/planes_internal.h: what the files of solve/planes share.
#ifndef SUP_SOLVE_PLANES_INTERNAL_H
#define SUP_SOLVE_PLANES_INTERNAL_H

#include "base/internal.h"
#include "geom/bvh.h"
#include "math/vec.h"
#include "math/wide.h"
#include "solve/planes.h"

// Pairs are listed for some substeps to come: a point may stray so far, mean edges, from the way that was expected of it.
// Further, and all is looked for anew.
#define PLANES_STRAY 0.15f
// What planes hold apart, in heights of the lower triangle at rest.
#define PLANES_GAP 0.03f

enum { PLANES_PACK = 8 }; // triangles side by side, a lane each

/// The triangles of two leaves; lanes without one have the first point three times.
typedef struct planes_pack {
    uint32_t corners[3][PLANES_PACK];
    float    unit[PLANES_PACK];     // the largest of the corners; below 0: no triangle
    float    gap[PLANES_PACK];      // that it keeps, as long as it was so far apart
    int32_t  crossing[PLANES_PACK]; // all bits: at rest
} planes_pack;

struct sup_planes {
    uint32_t           point_count, pack_count; // packs: a power of two
    sup_bvh            bvh;
    const planes_pack* packs;
    const float*       units;
    uint32_t           twin_count;
    const uint32_t*    twins;      // points that go where another goes, and that one: two each
    uint32_t           capacity;   // blocks
    uint32_t           plane_room; // planes
};

/// A pack on its way: corners as expected at both ends of what is looked ahead, without what all move by.
typedef struct planes_way {
    float from[3][3][PLANES_PACK], to[3][3][PLANES_PACK]; // corner, axis, lane
    float min[3][PLANES_PACK], max[3][PLANES_PACK];       // around both, with room to stray
    float normal[3][PLANES_PACK];                         // unit, at the end; or zero
    float stray[PLANES_PACK];
} planes_way;

typedef struct planes_box {
    float min[4], max[4]; // three are used
} planes_box;

/// Two triangles that may come near each other, and a direction in which the first lies beyond the second, as far as one is
/// known.
typedef struct planes_pair {
    uint32_t a, b; // pack x 8 + lane
    float    axis[3];
} planes_pair;

/// Eight pairs. Lanes beyond the last pair have the first point six times.
typedef struct planes_block {
    uint32_t corners[6][SUP_LANES]; // three of either
    float    axis[3][SUP_LANES];
    float    gap[SUP_LANES];                            // that is held, units of length
    float    middle[3][SUP_LANES], distance[SUP_LANES]; // where the plane is, once it is known
} planes_block;

/// A pair that needs its plane: as the substep began, unit normal towards the first triangle, a place on it, and how far the
/// nearest corners were on either side. Then carried.
typedef struct planes_plane {
    uint32_t corners[6];
    sup_vec3 normal, at;
    float    half, gap, push;
} planes_plane;

/// Kept from substep to substep, per point: what planes held back in the mean of late, mean edges, and since how many substeps
/// nothing crosses where they are released. 0: they are not.
typedef struct planes_burden {
    float    held;
    uint32_t released;
    uint32_t since; // how many substeps it has been released
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
    uint32_t pair_count;
} planes_header;

// Pairs of packs are looked at in waves of WAVE chunks of CHUNK pairs.
enum { PLANES_CHUNK = 16, PLANES_WAVE = 32, PLANES_ROOM = PLANES_CHUNK * PLANES_PACK * PLANES_PACK };

typedef struct planes_memory {
    planes_header* header;
    sup_vec4 *     begin,
        *way; // the places that the list was made from, and how far they go in one substep; way.w: may stray, squared
    planes_way*   ways;
    planes_box*   nodes;                    // 2 x packs
    uint32_t*     couples;                  // of packs, two each: a wave
    planes_pair*  slices;                   // of a wave
    uint32_t*     counts;                   // per chunk
    planes_block* blocks;                   // the list
    uint8_t*      doubtful;                 // per block: lanes whose direction says nothing
    uint8_t*      planar;                   // per block: lanes that have a plane
    uint8_t*      open;                     // per block: lanes that cross
    float*        strays;                   // per piece of points
    planes_plane *planes, *placed;          // of the substep, as it begins and carried
    uint32_t*     cluster;                  // per point: another of its cluster, in the end itself
    uint32_t*     touched;                  // points of planes, in the order they were met
    uint32_t*     place_of;                 // per point: into touched, SUP_NONE
    sup_vec3 *    wanted, *carried, *fixed; // per touched
    float*        share;                    // per touched: of the way from carried to wanted
    planes_group* groups;                   // per touched: of its cluster, at the root
} planes_memory;

planes_memory sup_planes_divide(const sup_planes* p, void* scratch, size_t* bytes);

/// One substep under way.
typedef struct planes_run {
    const sup_planes*      p;
    const sup_planes_call* call;
    planes_memory          m;
    planes_burden*         burdens;
    const sup_vec4*        from;
    sup_vec4*              x;
    sup_vec3               shift;  // what all move by
    float                  ahead;  // how many substeps the list looks ahead
    float                  passed; // of them at the end of this one
    uint32_t               couple_count, plane_count, touched_count;
    bool                   final; // looking at what was kept: being apart is enough
} planes_run;

/// planes_search.c: fills the list. False: there is too much.
bool sup_planes_search(planes_run* r);

/// Nearest places of two triangles, in double: how far apart, and the unit direction from the second to the first, and the
/// place in the middle. False: they are not apart, or no numbers.
bool sup_planes_between(const sup_vec3 a[3], const sup_vec3 b[3], float* distance, sup_vec3* normal, sup_vec3* middle);

SUP_WIDE_DECLARE(void, sup_planes_measure, (const planes_run* r, uint32_t begin, uint32_t end));
/// The pairs of triangles of two packs, or within one, that may come near each other. Returns how many.
SUP_WIDE_DECLARE(uint32_t, sup_planes_sift, (const planes_run* r, uint32_t first, uint32_t second, planes_pair* out));
/// Blocks begin to end: lanes that are not shown to be apart from `from` to x, by the gap or at all.
SUP_WIDE_DECLARE(void, sup_planes_test, (const planes_run* r, uint32_t begin, uint32_t end));
/// The largest square of how far points stray, over what they may.
SUP_WIDE_DECLARE(float, sup_planes_stray, (const planes_run* r, uint32_t begin, uint32_t end));

#endif
