/// solve/contact/contact_internal.h: what contacts are made of, for the files that make, find and solve them.
#ifndef SUP_SOLVE_CONTACT_CONTACT_INTERNAL_H
#define SUP_SOLVE_CONTACT_CONTACT_INTERNAL_H

#include "base/internal.h"
#include "base/sort.h"
#include "math/wide.h"
#include "solve/contact/contact.h"

// Faces look at each other when the cosine between their normals is below this (particles.md, 2.5).
#define CONTACT_FACING 0.2f
// Further at rest than this many mean edges, places are strangers. Nearer ones meet unless one was behind the other: the other
// side of a thin part, or around a limb (BEHIND), or in the same place (SAME).
#define CONTACT_REST_EDGES 2.5f
#define CONTACT_REST_BEHIND 0.25f
#define CONTACT_REST_SAME 0.15f
// Two sides of one limb that look away from each other, up to this many mean edges apart: when it is squashed they would be
// taken for places that have gone through each other, and be turned inside out.
#define CONTACT_REST_AWAY 12.0f
// Edges count where they cross at an angle (sine squared) and along the way their faces look: nearly parallel ones have a
// normal that points anywhere, and their ends meet triangles anyway.
#define CONTACT_EDGE_SINE2 0.06f
#define CONTACT_EDGE_FACING 0.2f
// While its contact lasts a foot may wander this far outside its triangle (barycentric), or an edge; beyond it the contact
// sleeps.
#define CONTACT_WANDER 0.3f
// Edges are pushed apart from this share of the depth of points: several cross where one point has gone in, and would fight.
#define CONTACT_EDGE_REACH 0.5f
// Feet may stand this far outside a triangle (barycentric), or an edge.
#define CONTACT_SLACK 0.05f

enum { CONTACT_SERIAL = 4000 }; // more contacts than this are solved in colors

/// Which of a slot's corners and edges (corner k to k + 1) it speaks for: each point and edge has one slot.
enum {
    OWN_POINT = 1,
    OWN_EDGE = 8,
    OWN_FLAT = 64,
    OWN_FAR = 128
}; // FAR: a corner has neighbors by another way than the surface

/// A triangle at rest: its middle and how far its corners are from there, its plane, and the shortest mean edge at a corner.
typedef struct contact_rest {
    sup_vec3 middle, normal; // normal zero: none
    float    radius, offset, unit;
} contact_rest;

/// The triangles of a pack by lanes; those without one have the first point, no unit and no bits.
enum { CONTACT_PACK = 8 };
typedef struct contact_lanes {
    uint32_t corners[3][CONTACT_PACK];
    float    unit[CONTACT_PACK];
    int32_t  real[CONTACT_PACK], solid[CONTACT_PACK]; // all bits: there is a triangle, and it has an area
    int32_t  owns[CONTACT_PACK];                      // OWN_...
} contact_lanes;

struct sup_contact {
    uint32_t            point_count;
    float               side; // 1, or -1 where triangles face inwards
    float               margin, reach;
    bool                off;
    bool                crowded; // at rest, beyond what can be looked at
    uint32_t            capacity;
    sup_bvh             bvh;
    const sup_vec3*     rest;
    const sup_vec3*     rest_normals; // per point, outwards
    const float*        units;        // per point: mean length of its edges at rest
    const float*        slot_units;
    const contact_rest* slot_rests;
    float               grow; // of boxes, mean edges
    float               unit_max;
    const uint8_t*      owns;      // per slot: OWN_...
    const bool*         crossing;  // per slot: passes through another at rest
    const uint32_t*     fan_begin; // per point + 1: slots around it
    const uint32_t*     fan;
    const uint32_t*     near_begin; // per point + 1: neighbors along the surface and itself, rising
    const uint32_t*     near;
    const uint32_t*     touch_begin; // per point + 1: slots that it touches at rest, for those that rest
    const uint32_t*     touched;
    const uint32_t*     pieces;  // per point: the connected piece of the mesh it is in
    uint32_t            piece_count;
    const uint8_t*      tangled; // a bit per pair of pieces that pass through each other at rest; NULL: too many pieces to tell
    uint32_t            resting_count;
    const uint32_t*     resting;     // points that touch something at rest, rising
    const uint32_t*     resting_bit; // per point, SUP_NONE
    uint32_t            pack_count;  // a power of two
    uint32_t            filled;      // of them the first; the others are empty
    const contact_lanes* lanes;      // per pack
    uint32_t            solid_count;
    size_t              solid_bytes; // of scratch, for meshes that move
};

/// A box, and a cone around all normals within: cosine and sine of its half angle, cosine -1 when it is 90 degrees or more.
typedef struct contact_node {
    float min[3], cosine;
    float max[3], sine;
    float axis[3], unused;
} contact_node;

/// The triangles of two leaves side by side, a lane each, for looking at eight of them at once. At the end of the step: unit
/// normal (zero: none) and plane (offset: normal . corner); the mean way of the corners, and by how much one of them strays from
/// it. Lanes without a triangle have an empty box. The hierarchy that is searched ends here: pack k is node pack_count + k.
typedef struct contact_pack {
    float min[3][CONTACT_PACK], max[3][CONTACT_PACK];
    float normal[3][CONTACT_PACK], offset[CONTACT_PACK], way[3][CONTACT_PACK], stray[CONTACT_PACK], unit[CONTACT_PACK];
    float corners[3][3][CONTACT_PACK], facing[3][3][CONTACT_PACK]; // of each corner: place and normal
} contact_pack;

// A way shorter than this share of the margin does not matter.
#define CONTACT_STILL 0.2f

/// A lane of one pack against the eight of another, a bit for each of those. Where none is near, nothing else is said.
typedef struct contact_sieve {
    uint32_t near;                       // boxes overlap, neither is all above or below the other's plane, and some corner looks at the other
    uint32_t point_of_a[3], point_of_b[3]; // of them: this corner, which the triangle speaks for, looks at the other and is near its plane
    uint32_t edges;                      // of them: faces look at each other, and both have an edge near the other's plane
    uint32_t still;                      // they hardly move against each other: what is beyond the margin at the end of the step was so all the time
    float    a[3][CONTACT_PACK], b[3][CONTACT_PACK]; // heights of the corners above the other's plane
    float    low[CONTACT_PACK], high[CONTACT_PACK];  // between which they can matter
} contact_sieve;

typedef struct contact_sift {
    const contact_pack *a, *b;
    const contact_node * node_b; // its box
    const contact_lanes *lanes_a, *lanes_b;
    float                margin, reach;
} contact_sift;

SUP_WIDE_DECLARE(void, sup_contact_sift, (const contact_sift* s, contact_sieve out[CONTACT_PACK]));
enum { CONTACT_POINT, CONTACT_EDGE };

typedef struct contact_item {
    uint32_t p[4];
    float    rank;     // swept: time - 2; else how far apart; less is more urgent
    float    s, t;     // swept: where they met (weights of corners 2 and 3, or along the edges)
    float    side;     // where outside is
    sup_vec3 hint;     // edges: the normal when they were found
    float    unit;     // mean edge
    float    strength; // 0 ... 1: less near the limits of what counts, so that nothing comes and goes at once
    float    pushed;   // this substep
    float    approach; // speed before the solve
    uint32_t id[2];    // who: a point and a slot, or two edges (3 x slot + corner)
    uint16_t kind, swept;
} contact_item;

/// What is left of a contact of the step before.
typedef struct contact_cached {
    uint32_t id[2], kind;
    float    strength;
} contact_cached;

/// Of all, rising by who they are; `list` goes on for the capacity.
typedef struct contact_habits {
    uint32_t      count;
    contact_cached list[];
} contact_habits;

/// Of round bodies: the surface is where the place is now, or only as far as that is in front, on the side that it came from; a
/// surface that has turned further (cosine) is that of the other side.
enum { CONTACT_ROUND = 1, CONTACT_ROUND_IN_FRONT = 2 };
#define CONTACT_TURNED 0.7f

/// A place of the skin and a body. Round ones find their normal anew in every iteration; others keep a plane for the step.
typedef struct contact_body {
    uint32_t point, solid;
    uint32_t others[2]; // SUP_NONE: the place is the point; else it lies in a triangle
    float    shares[3]; // of point and others in it
    sup_vec3 anchor_start, anchor_end, normal; // in the body's space
    sup_vec3 at, out, moved;                   // in the world, at the end of the substep; moved: by the anchor, within it
    float    unit, pushed, approach;
    uint32_t round, swept;
} contact_body;

/// A body in its place at the end of a substep.
typedef struct contact_place {
    sup_affine begin, end;
    sup_vec3   a, b; // of sphere and capsule, in the world
} contact_place;

/// What a search leaves for the step.
typedef struct contact_header {
    uint32_t count, body_count, color_count, solid_count;
    uint32_t color_begin[65];
} contact_header;

/// What a chunk of pairs of packs gave.
typedef struct chunk_count {
    uint32_t kept, lost, couples; // contacts; couples of triangles that were looked at one by one
} chunk_count;

/// The caller's scratch, divided.
typedef struct contact_memory {
    contact_header* header;
    contact_item*   list; // capacity
    contact_body*   bodies;
    uint32_t*       order; // of the list, by color
    contact_place*  places;
    sup_solid*      solids;
    uint32_t*       best; // per point: the most urgent triangle, into found; then: pushes, per task
    size_t          kept; // bytes so far

    // for searching alone
    contact_node*  nodes; // 2 x packs
    contact_pack*  packs;
    sup_vec3*      areas;        // per slot: area vector, outwards
    sup_vec3*      normals;      // per point, unit; zero: none
    sup_vec4*      facings;      // the same, for lanes
    uint32_t*      wanted;       // packs of a wave that are still without details
    uint8_t*       ready;        // per pack: has them
    uint32_t*      pairs;        // of packs, two each
    contact_item*  slices;       // WAVE chunks
    chunk_count*   counts;       // per chunk of a wave
    contact_item*  found;        // 2 x capacity
    contact_cached* cached;       // capacity
    sup_sort_item *keys, *spare; // 2 x capacity
    uint64_t*      colors;       // per point
    uint8_t*        solid_scratch;
} contact_memory;

// Pairs of packs are looked at in waves of WAVE chunks of CHUNK pairs; a chunk has room for SLICE contacts.
enum { CHUNK = 32, WAVE = 16, SLICE = 512, PAIRS = CHUNK * WAVE };

contact_memory sup_contact_divide(const sup_contact* c, void* scratch, size_t* bytes);

/// One search under way.
typedef struct contact_search {
    const sup_contact*      c;
    const sup_contact_call* call;
    contact_memory          m;
    const sup_vec4 *        from, *to;
    sup_vec3                shift;  // what all move by; `from` is taken as if that had happened already
    contact_habits*         cached; // state
    const uint8_t*          parted; // state: a bit for each that rests
    uint32_t                pair_count, wanted_count;
    bool                    crowded; // so much in one place that the search was given up
} contact_search;

/// Without the library's care for numbers that are none, which costs a call.
static inline float contact_min(float a, float b) { return a < b ? a : b; }
static inline float contact_max(float a, float b) { return a > b ? a : b; }

/// Normals at 90 degrees and more from each other: no cone.
static inline void contact_open_cone(contact_node* n)
{
    n->cosine = -1;
    n->sine = 0;
    n->axis[0] = n->axis[1] = n->axis[2] = 0;
}
/// All comparisons at once: what they say is not to be guessed. A fourth float behind each does not matter.
static inline bool contact_overlap(const float* min_a, const float* max_a, const float* min_b, const float* max_b)
{
    return (i4_bits((f4_load(min_a) <= f4_load(max_b)) & (f4_load(min_b) <= f4_load(max_a))) & 7) == 7;
}

static inline sup_vec3 contact_from(const contact_search* s, uint32_t p)
{
    return v3_add(sup_particle_place(&s->from[p]), s->shift);
}
static inline sup_vec3 contact_to(const contact_search* s, uint32_t p) { return sup_particle_place(&s->to[p]); }

/// How far what rides on both sides stands out over them, where they touch.
static inline float contact_over(const sup_contact_call* call, const uint32_t p[4], const float weights[4])
{
    float sum = 0;
    for (int k = 0; call->over && k < 4; ++k) sum += (weights[k] < 0 ? -weights[k] : weights[k]) * call->over[p[k]];
    return sum;
}

/// The first slot of a pack; that of the next one ends it.
static inline uint32_t contact_pack_begin(const sup_contact* c, uint32_t pack)
{
    return c->bvh.leaf_begin[c->bvh.leaf_count > 1 ? 2 * pack : pack];
}

/// Is it in a rising list?
static inline bool contact_listed(const uint32_t* list, uint32_t begin, uint32_t end, uint32_t what)
{
    while (begin < end) {
        uint32_t middle = begin + (end - begin) / 2;
        if (list[middle] == what) return true;
        if (list[middle] < what) begin = middle + 1;
        else end = middle;
    }
    return false;
}

/// Nearest place of a triangle, squared distance; weights of the corners in b.
float sup_contact_triangle_square(sup_vec3 p, sup_vec3 a, sup_vec3 b, sup_vec3 c, float weights[3]);
/// Of two segments.
float sup_contact_segment_square(sup_vec3 p1, sup_vec3 p2, sup_vec3 p3, sup_vec3 p4);
/// When the signed volume of four moving places ((p1 - p0) x (p2 - p0)) . (p3 - p0) falls (or, `rising`, climbs) through 0;
/// false when never.
bool sup_contact_crossing(const sup_vec3 from[4], const sup_vec3 to[4], float* time);

/// Is a point behind a triangle next to its own, with `gap` below 0, and was so when the step began? The skin is folded outwards
/// there, a crest, and nothing has gone through. For edges likewise.
bool sup_contact_is_ridge(const contact_search* s, uint32_t p, const uint32_t* corners, float gap);
bool sup_contact_edges_next(const sup_contact* c, const uint32_t e[4]);
/// Was this one there in the step before?
bool sup_contact_is_cached(const contact_search* s, const contact_item* item);
/// What was found takes on what it was in the step before, and what was not fades: contact_cache.c. Returns how many there are.
uint32_t sup_contact_last(contact_search* s, uint32_t count);

/// Are two points in pieces that pass through each other at rest?
static inline bool sup_contact_pass_through(const sup_contact* c, uint32_t p, uint32_t q)
{
    size_t bit = (size_t)c->pieces[p] * c->piece_count + c->pieces[q];
    return c->tangled && c->tangled[bit / 8] >> bit % 8 & 1;
}

/// Packs begin to end: boxes and normals of their triangles, and the boxes of their nodes.
SUP_WIDE_DECLARE(void, sup_contact_measure, (const contact_search* s, uint32_t begin, uint32_t end));
/// After the normals of points: the cones around all normals of packs begin to end, for their nodes.
SUP_WIDE_DECLARE(void, sup_contact_cones, (const contact_search* s, uint32_t begin, uint32_t end));
/// The wanted ones begin to end: all else that packs hold.
SUP_WIDE_DECLARE(void, sup_contact_detail, (const contact_search* s, uint32_t begin, uint32_t end));
/// Pairs of packs: contact_narrow.c
void sup_contact_narrow(void* data, uint32_t begin, uint32_t end);
/// Bodies: contact_solid.c
void   sup_contact_find_bodies(contact_search* s, uint32_t solid_count, const sup_solid* solids, sup_contact_report* report);
size_t sup_solid_mesh_bytes(const sup_solid_mesh* mesh);

#endif
