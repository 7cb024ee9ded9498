// A cage around any triangles: closed, manifold, without crossings, and its values come from the mesh.
#include "fuzz.h"

#include "fuzz_read.h"
#include "fuzz_soup.h"
#include "geom/cage/cage.h"
#include "geom/search/intersect.h"
#include "geom/surface/topology.h"

#include <math.h>
#include <string.h>

enum { TARGET = 8 };

static void check_surface(const sup_cage* c, sup_arena* arena)
{
    uint32_t     begin[64 * TARGET + 1];
    sup_topology t;
    sup_error    error = { SUP_OK, "" };
    if (c->triangle_count > 64 * TARGET) return; // a soup that could not be made simpler; the tests look at those
    for (uint32_t i = 0; i <= c->triangle_count; ++i) begin[i] = 3 * i;
    if (sup_topology_create(&(sup_polygons){ c->point_count, c->triangle_count, begin, c->triangles }, arena, &t, &error))
        return;
    if (t.boundary_edges || t.nonmanifold_edges || t.nonmanifold_points || t.loose_points) abort();
    for (uint32_t i = 0; i < c->triangle_count; ++i)
        for (uint32_t k = 0; k < i; ++k) {
            sup_vec3 a[3], b[3];
            for (int j = 0; j < 3; ++j) a[j] = c->points[c->triangles[3 * i + j]], b[j] = c->points[c->triangles[3 * k + j]];
            if (sup_triangles_cross(a, b)) abort();
        }
}

static void check(const sup_cage* c, const soup* s, sup_arena* arena)
{
    for (uint32_t p = 0; p < c->point_count; ++p) {
        double sum = 0;
        if (!isfinite(c->points[p].x) || !isfinite(c->points[p].y) || !isfinite(c->points[p].z)) abort();
        for (uint32_t i = c->source_begin[p]; i < c->source_begin[p + 1]; ++i) {
            if (c->sources[i] >= s->point_count) abort();
            sum += (double)c->shares[i];
        }
        if (!(fabs(sum - 1) < 1e-4)) abort();
    }
    check_surface(c, arena);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    size_t        live = 0;
    sup_allocator memory = { fuzz_allocate, fuzz_release, &live };
    sup_arena*    arena = sup_arena_create(&memory);
    soup          s = soup_make(data, size);
    sup_error     error = { SUP_OK, "" };
    sup_cage      c;
    sup_cage_desc desc = { .point_count = s.point_count,
                           .points = s.points,
                           .triangle_count = s.triangle_count,
                           .triangles = s.triangles,
                           .target = TARGET };
    if (!arena) return 0;
    sup_result result = sup_cage_create(&desc, arena, &c, &error);
    if (result != SUP_OK && (error.code != result || !error.text[0])) abort();
    fuzz_good |= result == SUP_OK && c.point_count > 0;
    if (result == SUP_OK && c.point_count) check(&c, &s, arena);
    sup_arena_destroy(arena);
    if (live) abort();
    return 0;
}

void fuzz_seeds(fuzz_seed_fn* seed, void* user)
{
    uint8_t bytes[256];
    for (int stacked = 0; stacked < 2; ++stacked) seed(user, bytes, soup_box((const uint8_t[]){ 7, 0, 0, 0 }, stacked, bytes));
}

uint32_t fuzz_cost(void) { return 4; } // a grid each time
