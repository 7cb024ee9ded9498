/// solve/contact/contact_internal.h: the types of contacts with bodies, for the files that create, find and solve them.
#ifndef SUP_SOLVE_CONTACT_CONTACT_INTERNAL_H
#define SUP_SOLVE_CONTACT_CONTACT_INTERNAL_H

#include "base/internal.h"
#include "math/wide.h"
#include "solve/contact/contact.h"

// A projection may lie this far outside a triangle (barycentric).
#define CONTACT_SLACK 0.05f

/// Which of its corners a slot owns: every point has one slot. FLAT: the triangle has no area.
enum { OWN_POINT = 1, OWN_FLAT = 64 };

/// The triangles of a pack, one per lane. A lane without a triangle has the first point, no unit, and no bits set.
enum { CONTACT_PACK = 8 };
typedef struct contact_lanes {
    uint32_t corners[3][CONTACT_PACK];
    float    unit[CONTACT_PACK];
    int32_t  solid[CONTACT_PACK]; // all bits: there is a triangle, and it has an area
} contact_lanes;

struct sup_contact {
    uint32_t             point_count;
    float                margin, reach;
    sup_bvh              bvh;
    const float*         units; // per point: mean length of its edges at rest
    const float*         slot_units;
    float                grow; // how much boxes grow, mean edges
    float                unit_max;
    const uint8_t*       owns;       // per slot: OWN_...
    uint32_t             pack_count; // a power of two
    uint32_t             filled;     // of those, the first ones in use; the rest are empty
    const contact_lanes* lanes;      // per pack
    uint32_t             solid_count;
    size_t               solid_bytes; // of scratch, for meshes that move
};

/// The boxes of two leaves side by side, one per lane; a lane without a triangle is empty. The hierarchy ends here: pack k is
/// node pack_count + k.
typedef struct contact_pack {
    float min[3][CONTACT_PACK], max[3][CONTACT_PACK];
} contact_pack;

/// For round bodies: the surface is where the point is now, or only what lies in front of it on the side it came from; a
/// surface that has turned by more than this (cosine) belongs to the other side.
enum { CONTACT_ROUND = 1, CONTACT_ROUND_IN_FRONT = 2 };
#define CONTACT_TURNED 0.7f

/// A place of the skin and a body. Round bodies recompute their normal in every iteration; others keep a plane for the step.
typedef struct contact_body {
    uint32_t point, solid;
    uint32_t others[2];                        // SUP_NONE: a point; otherwise a place in a triangle
    float    shares[3];                        // weights of the point and the others
    sup_vec3 anchor_start, anchor_end, normal; // in the body's space
    sup_vec3 at, out, moved;                   // in the world, at the substep's end; moved: by the anchor during it
    float    unit, pushed, approach;
    uint32_t round, swept;
} contact_body;

/// A body at the end of a substep.
typedef struct contact_place {
    sup_affine begin, end;
    sup_vec3   a, b; // of sphere and capsule, in the world
} contact_place;

/// What the search hands to the step.
typedef struct contact_header {
    uint32_t body_count, solid_count;
} contact_header;

/// The caller's scratch, divided.
typedef struct contact_memory {
    contact_header* header;
    contact_body*   bodies;
    contact_place*  places;
    sup_solid*      solids;
    size_t          kept; // bytes so far

    // for the search alone
    sup_box*      nodes; // 2 x packs
    contact_pack* packs;
    uint8_t*      solid_scratch;
} contact_memory;

contact_memory sup_contact_divide(const sup_contact* c, void* scratch, size_t* bytes);

/// A search in progress.
typedef struct contact_search {
    const sup_contact*      c;
    const sup_contact_call* call;
    contact_memory          m;
    const sup_vec4 *        from, *to;
    sup_vec3                shift; // motion that all share; `from` already includes it
} contact_search;

/// The first slot of a pack; the next pack's first slot ends it.
static inline uint32_t contact_pack_begin(const sup_contact* c, uint32_t pack)
{
    return c->bvh.leaf_begin[c->bvh.leaf_count > 1 ? 2 * pack : pack];
}

/// The closest place of a triangle: squared distance, with the corners' weights in b.
float sup_contact_triangle_square(sup_vec3 p, sup_vec3 a, sup_vec3 b, sup_vec3 c, float weights[3]);
/// When the signed volume of four moving places ((p1 - p0) x (p2 - p0)) . (p3 - p0) falls (`rising`: climbs) through 0; false
/// if never.
bool sup_contact_crossing(const sup_vec3 from[4], const sup_vec3 to[4], float* time);

/// For packs begin to end: the boxes of their triangles and of their nodes.
SUP_WIDE_DECLARE(void, sup_contact_measure, (const contact_search* s, uint32_t begin, uint32_t end));
/// contact_solid.c
void   sup_contact_find_bodies(contact_search* s, uint32_t solid_count, const sup_solid* solids, sup_contact_report* report);
size_t sup_solid_mesh_bytes(const sup_solid_mesh* mesh);

#endif
