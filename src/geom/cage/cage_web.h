/// geom/cage/cage_web.h: a closed surface that can be edited, and that tells before each edit whether it would cross itself.
#ifndef SUP_GEOM_CAGE_CAGE_WEB_H
#define SUP_GEOM_CAGE_CAGE_WEB_H

#include "geom/cage/cage_internal.h"
#include "geom/search/bvh.h"

/// Most triangles around one point that edits can handle; a point with more is left alone.
enum { CAGE_FAN = 24 };

typedef struct cage_web {
    cage_surface* s;     ///< dead triangles have SUP_NONE for their first corner
    uint32_t*     head;  ///< per point: one of its corners, SUP_NONE for a dead point
    uint32_t*     next;  ///< per corner: the next of the same point
    sup_box*      boxes; ///< per triangle

    uint32_t  size[3], entry_count, entry_used, entry_free;
    uint32_t* buckets; ///< first entries
    struct cage_entry {
        uint32_t triangle, next;
    } * entries;
    uint32_t  entry_capacity;
    uint32_t* stamps; ///< per triangle: the search that met it last
    uint32_t  stamp;
} cage_web;

/// Triangles of a point.
typedef struct cage_fan {
    uint32_t count;
    uint32_t triangles[2 * CAGE_FAN];
} cage_fan;

sup_result cage_web_create(const cage_grid* grid, cage_surface* s, sup_arena* arena, cage_web* out, sup_error* error);
/// False: too many.
bool cage_web_fan(const cage_web* web, uint32_t point, cage_fan* out);
/// How many triangles a point has.
uint32_t cage_web_valence(const cage_web* web, uint32_t point);
/// Other ends of the edges of a point, each once; returns how many.
uint32_t cage_web_ring(const cage_web* web, const cage_fan* fan, uint32_t point, uint32_t out[2 * CAGE_FAN]);
/// Whether these triangles would pass through each other or through any but the `gone` ones. Three positions each.
bool cage_web_blocked(cage_web* web, const sup_vec3 (*triangles)[3], uint32_t count, const cage_fan* gone);
/// Whether that many triangles, of a few cells each, can move without running out of entries.
bool cage_web_workspace(const cage_web* web, uint32_t count);
/// Updates the box of a triangle after its corners or their positions changed.
void cage_web_moved(cage_web* web, uint32_t triangle);
/// Removes a corner from its point's list, and adds one.
void cage_web_unlink(cage_web* web, uint32_t point, uint32_t corner);
void cage_web_link(cage_web* web, uint32_t point, uint32_t corner);

/// How close to equilateral a triangle is: 1 with three equal edges, 0 without area. Also returns twice its vector area.
float cage_quality(const sup_vec3 t[3], sup_vec3* normal);

/// cage_relax.c: flips edges and slides points until triangles are even. `quadrics`: ten numbers per point, the planes it
/// represents.
void cage_relax(cage_web* web, const double (*quadrics)[10]);

#endif
