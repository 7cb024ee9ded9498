// Clearance between skin and skin: bars of cells that a pose folds, or that lie side by side.
#include "solve/lattice/lattice_gaps.h"

#include "box_lattice.h"

#include <math.h>

typedef struct bars {
    sup_arena*       arena;
    sup_voxels       voxels;
    sup_lattice_gaps gaps;
    sup_vec3 *       rest, *x;
    float *          clearance, *hold;
    void*            scratch;
} bars;

// Outward is away from the axis that each box has along z, through its nearest side.
static bars make(const sup_vec3 (*boxes)[2], uint32_t count, uint32_t cells)
{
    bars      b = { .arena = sup_arena_create(NULL) };
    sup_error error;
    box_lattice(boxes, count, cells, b.arena, &b.voxels);
    uint32_t  n = b.voxels.particle_count, *slots = SUP_NEW(b.arena, uint32_t, n);
    sup_vec3* outward = SUP_NEW(b.arena, sup_vec3, n);
    b.rest = SUP_NEW(b.arena, sup_vec3, n);
    b.x = SUP_NEW(b.arena, sup_vec3, n);
    b.clearance = SUP_NEW(b.arena, float, n);
    b.hold = SUP_NEW(b.arena, float, n);
    for (uint32_t p = 0; p < n; ++p) {
        slots[p] = p;
        b.rest[p] = b.x[p] = sup_voxels_position(&b.voxels, p);
        for (uint32_t k = 0; k < count; ++k) {
            sup_vec3 low = boxes[k][0], high = boxes[k][1], off = v3_sub(b.x[p], v3_lerp(low, high, 0.5f));
            off = v3(powf(2 * off.x / (high.x - low.x), 5), powf(2 * off.y / (high.y - low.y), 5), 0); // to the nearest side
            if (b.x[p].y < low.y - 0.6f || b.x[p].y > high.y + 0.6f) continue;
            outward[p] = v3_scale(v3(off.x, off.y, 0), 1 / fmaxf(v3_length(v3(off.x, off.y, 0)), 1e-6f));
        }
    }
    sup_lattice_gaps_desc desc = { .voxels = &b.voxels, .slots = slots, .slot_count = n, .outward = outward };
    assert_ok(sup_lattice_gaps_create(&desc, b.arena, &b.gaps, &error), error);
    b.scratch = sup_arena_alloc(b.arena, 1, sup_lattice_gaps_scratch(&b.gaps));
    return b;
}

static bool find(bars* b)
{
    sup_lattice_gaps_call call = { .points = b->x, .scratch = b->scratch, .clearance = b->clearance, .hold = b->hold };
    return sup_lattice_gaps_find(&b->gaps, &call);
}

static const sup_vec3 bar[][2] = { { { 0, 0, 0 }, { 3.98f, 3.98f, 31.98f } } };
static const sup_vec3 pair[][2] = { { { 0, 0, 0 }, { 3.98f, 3.98f, 15.98f } }, { { 0, 5.02f, 0 }, { 3.98f, 8.98f, 15.98f } } };

// Half of the bar folded back over the other, `gap` cells above it.
static void fold(bars* b, float gap)
{
    for (uint32_t p = 0; p < b->voxels.particle_count; ++p)
        if (b->rest[p].z > 16) b->x[p] = v3(b->rest[p].x, 8 + gap - b->rest[p].y, 32 - b->rest[p].z);
}

static void what_a_pose_folds_together_has_no_room(void** state)
{
    (void)state;
    bars b = make(bar, 1, 32);
    assert_false(find(&b));
    for (uint32_t p = 0; p < b.voxels.particle_count; ++p) assert_true(b.clearance[p] == 1 && b.hold[p] == 0);
    fold(&b, 0.3f);
    assert_true(find(&b));
    uint32_t met = 0, free = 0;
    for (uint32_t p = 0; p < b.voxels.particle_count; ++p) {
        if (b.rest[p].z < 2 || b.rest[p].z > 12) continue; // not the fold itself
        if (b.rest[p].y > 3.5f) assert_true(b.clearance[p] < 0.01f && b.hold[p] > 1e4f), ++met;
        if (b.rest[p].y < 0.5f) assert_true(b.hold[p] < 16), ++free; // a quarter of a cell and more
    }
    assert_true(met > 20 && free > 20);
    fold(&b, 4);
    find(&b);
    for (uint32_t p = 0; p < b.voxels.particle_count; ++p)
        if (b.rest[p].z < 12) assert_true(b.clearance[p] == 1 && b.hold[p] == 0);
    sup_arena_destroy(b.arena);
}

// A limb that linear skinning has flattened must be inflated again.
static void the_two_sides_of_a_flat_limb_do_not_hold_each_other(void** state)
{
    (void)state;
    static const sup_vec3 slab[][2] = { { { 0, 0, 0 }, { 15.98f, 3.98f, 15.98f } } };
    bars                  b = make(slab, 1, 16);
    for (uint32_t p = 0; p < b.voxels.particle_count; ++p) b.x[p].y = 2 + 0.2f * (b.rest[p].y - 2);
    find(&b);
    for (uint32_t p = 0; p < b.voxels.particle_count; ++p)
        if (fabsf(b.rest[p].z - 8) < 1.5f && fabsf(b.rest[p].x - 8) < 1.5f) assert_true(b.clearance[p] > 0.5f);
    sup_arena_destroy(b.arena);
}

// Two thighs that share cells have no border between them, but the mesh has skin there: a sheet that faces up, three cells
// below one that faces down.
static void skin_between_limbs_that_share_cells_is_seen(void** state)
{
    (void)state;
    enum { SIDE = 13, SHEET = SIDE * SIDE, POINTS = 2 * SHEET, TRIANGLES = 4 * (SIDE - 1) * (SIDE - 1) };
    static const sup_vec3 block[][2] = { { { 0, 0, 0 }, { 15.98f, 7.98f, 15.98f } } };
    static sup_vec3       points[POINTS];
    static uint32_t       triangles[3 * TRIANGLES], cells[POINTS];
    static float          places[3 * POINTS];
    bars                  b = make(block, 1, 16);
    uint32_t              n = b.voxels.particle_count, count = 0, *slots = SUP_NEW(b.arena, uint32_t, n), met = 0;
    sup_vec3*             outward = SUP_NEW(b.arena, sup_vec3, n);
    sup_lattice_node*     nodes = SUP_NEW(b.arena, sup_lattice_node, n);
    for (uint32_t p = 0; p < n; ++p) {
        slots[p] = p;
        outward[p] = v3(0, b.rest[p].y < 3.9f ? 1.0f : b.rest[p].y > 4.1f ? -1.0f : 0, 0); // of the limbs, not of the block
        nodes[p] = (sup_lattice_node){ .base = p, .beside = { p, p, p } };
    }
    for (uint32_t p = 0; p < POINTS; ++p) {
        points[p] = v3(2 + (float)(p % SHEET / SIDE), p < SHEET ? 2.5f : 5.5f, 2 + (float)(p % SIDE));
        cells[p] = sup_voxels_find(&b.voxels, points[p], places + 3 * p);
    }
    for (uint32_t p = 0; p < POINTS; ++p) {
        if (p % SHEET / SIDE == SIDE - 1 || p % SIDE == SIDE - 1) continue;
        bool     up = p < SHEET;
        uint32_t one = up ? p + 1 : p + SIDE, other = up ? p + SIDE : p + 1,
                 quad[6] = { p, one, other, other, one, p + SIDE + 1 };
        for (uint32_t k = 0; k < 6; ++k) triangles[count++] = quad[k];
    }
    sup_error             error;
    sup_lattice_gaps_desc desc = { .voxels = &b.voxels,
                                   .slots = slots,
                                   .slot_count = n,
                                   .nodes = nodes,
                                   .outward = outward,
                                   .point_count = POINTS,
                                   .triangle_count = count / 3,
                                   .points = points,
                                   .triangles = triangles,
                                   .point_cells = cells,
                                   .point_places = places };
    assert_ok(sup_lattice_gaps_create(&desc, b.arena, &b.gaps, &error), error);
    assert_in_range(b.gaps.count, SHEET, POINTS);
    b.scratch = sup_arena_alloc(b.arena, 1, sup_lattice_gaps_scratch(&b.gaps));
    assert_false(find(&b));
    for (uint32_t p = 0; p < n; ++p) b.x[p].y = 4 + 0.2f * (b.rest[p].y - 4); // 0.6 cells are left between the sheets
    assert_true(find(&b));
    for (uint32_t p = 0; p < n; ++p)
        if (fabsf(b.rest[p].y - 4) < 1.5f && fabsf(b.rest[p].x - 8) < 4 && fabsf(b.rest[p].z - 8) < 4)
            assert_true(b.clearance[p] == 0 && b.hold[p] == INFINITY), ++met;
    assert_true(met > 50);
    sup_arena_destroy(b.arena);
}

// Half of the bar rotated about its axis by 50 degrees within a cell: skin of both halves meets at the seam, and all of it
// faces outward.
static void what_a_twist_brings_together_is_no_contact(void** state)
{
    (void)state;
    bars      b = make(bar, 1, 32);
    uint32_t  n = b.voxels.particle_count;
    sup_mat3* turned = SUP_NEW(b.arena, sup_mat3, n);
    float *   twisted = SUP_NEW(b.arena, float, n), least = 1, c = 0.6427876f, s = 0.7660444f;
    for (uint32_t p = 0; p < n; ++p) {
        sup_vec3 off = v3(b.rest[p].x - 2, b.rest[p].y - 2, 0);
        twisted[p] = 1;
        turned[p] = (sup_mat3){ { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } };
        if (b.rest[p].z <= 16) continue;
        turned[p] = (sup_mat3){ { { c, -s, 0 }, { s, c, 0 }, { 0, 0, 1 } } };
        b.x[p] = v3(2 + c * off.x - s * off.y, 2 + s * off.x + c * off.y, b.rest[p].z);
    }
    find(&b);
    for (uint32_t p = 0; p < n; ++p) least = fminf(least, b.clearance[p]);
    assert_true(least < 0.01f); // as any pose would
    sup_lattice_gaps_call call = {
        .points = b.x, .matrices = turned, .twisted = twisted, .scratch = b.scratch, .clearance = b.clearance, .hold = b.hold
    };
    sup_lattice_gaps_find(&b.gaps, &call);
    for (uint32_t p = 0; p < n; ++p)
        if (fabsf(b.rest[p].x - 2) < 1.5f) assert_true(b.clearance[p] > 0.5f); // the edges of a square bar do meet its sides
    sup_arena_destroy(b.arena);
}

static void neighbors_at_rest_leave_each_other_half_of_what_is_between(void** state)
{
    (void)state;
    bars b = make(pair, 2, 16);
    assert_true(find(&b));
    float least = 2, most = 0;
    for (uint32_t p = 0; p < b.voxels.particle_count; ++p) {
        if (fabsf(b.rest[p].z - 8) > 4) continue;
        if (fabsf(b.rest[p].y - 4.5f) < 0.9f) least = fminf(least, b.clearance[p]);
        else if (fabsf(b.rest[p].y - 4.5f) > 4) most = fmaxf(most, b.clearance[p]);
    }
    assert_true(least < 0.5f && most > 0.5f);
    for (uint32_t p = 0; p < b.voxels.particle_count; ++p) b.x[p].y += b.rest[p].y > 4.5f ? 3.0f : 0.0f;
    assert_false(find(&b));
    sup_arena_destroy(b.arena);
}

static void broken_places_hold_nothing(void** state)
{
    (void)state;
    bars b = make(bar, 1, 32);
    fold(&b, 0.3f);
    b.x[7].y = NAN;
    assert_false(find(&b));
    b.x[7].y = INFINITY;
    assert_false(find(&b));
    b.x[7].y = 1e30f;
    find(&b); // one cell for everything; no more memory, no loop without end
    for (uint32_t p = 0; p < b.voxels.particle_count; ++p)
        assert_true(b.hold[p] >= 0 && b.clearance[p] >= 0 && b.clearance[p] <= 1);
    sup_arena_destroy(b.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_pose_folds_together_has_no_room),
        cmocka_unit_test(the_two_sides_of_a_flat_limb_do_not_hold_each_other),
        cmocka_unit_test(skin_between_limbs_that_share_cells_is_seen),
        cmocka_unit_test(what_a_twist_brings_together_is_no_contact),
        cmocka_unit_test(neighbors_at_rest_leave_each_other_half_of_what_is_between),
        cmocka_unit_test(broken_places_hold_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
