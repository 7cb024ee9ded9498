// Any triangles as cells: the border stays empty, cells and particles know each other, everything is found again.
#include "fuzz.h"

#include "fuzz_read.h"
#include "fuzz_soup.h"
#include "geom/volume/voxels.h"

#include <string.h>

static void check(const sup_voxels* v, const soup* s)
{
    for (uint32_t c = 0; c < v->cell_count; ++c) {
        uint32_t at = v->cells[c], x[3] = { at % v->size[0], at / v->size[0] % v->size[1], at / v->size[0] / v->size[1] };
        for (int a = 0; a < 3; ++a)
            if (x[a] < 1 || x[a] + 2 > v->size[a]) abort();
        for (uint32_t k = 0; k < 8; ++k) {
            uint32_t p = v->particles[8 * (size_t)c + k];
            if (p >= v->particle_count || sup_voxels_octant(v, p, 7 ^ k) != c || !(v->octants[p] >> (7 ^ k) & 1)) abort();
        }
    }
    for (uint32_t k = 0; k < v->link_begin[v->particle_count]; ++k)
        if (v->links[k] >= v->particle_count) abort();
    for (uint32_t i = 0; i < 3 * s->triangle_count; ++i) {
        float place[3];
        if (sup_voxels_find(v, s->points[s->triangles[i]], place) >= v->cell_count) abort(); // a corner lies in a cell
    }
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    size_t          live = 0;
    sup_allocator   memory = { fuzz_allocate, fuzz_release, &live };
    sup_arena*      arena = sup_arena_create(&memory);
    soup            s = soup_make(data, size);
    sup_error       error = { SUP_OK, "" };
    sup_voxels      v;
    const uint32_t* nearest = NULL;
    sup_voxels_desc desc = { .point_count = s.point_count,
                             .points = s.points,
                             .triangle_count = s.triangle_count,
                             .triangles = s.triangles,
                             .cells = 1 + s.choices[0] % 32 };
    if (!arena) return 0;
    sup_result result = sup_voxels_create(&desc, arena, &v, &error);
    if (result != SUP_OK && (error.code != result || !error.text[0])) abort();
    fuzz_good |= result == SUP_OK;
    if (result == SUP_OK) check(&v, &s);
    if (result == SUP_OK && sup_voxels_nearest(&v, arena, &nearest, &error) == SUP_OK)
        for (uint32_t i = 0; i < v.size[0] * v.size[1] * v.size[2]; ++i)
            if (nearest[i] >= v.cell_count) abort();
    sup_arena_destroy(arena);
    if (live) abort();
    return 0;
}

void fuzz_seeds(fuzz_seed_fn* seed, void* user)
{
    uint8_t bytes[256];
    for (int stacked = 0; stacked < 2; ++stacked) seed(user, bytes, soup_box((const uint8_t[]){ 7, 0, 0, 0 }, stacked, bytes));
}
