// Sums over boxes, fits and goals, compared with a direct computation in double.
#include "solve/lattice/regions.h"

#include "base/internal.h"
#include "box_lattice.h"
#include "math/rotation.h"
#include "math/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------- lattices

typedef struct world {
    sup_arena*      arena;
    sup_voxels      voxels;
    sup_regions     regions;
    float*          work;
    float*          planes; // y 3, d 3, q 4, goal 3
    sup_regions_job job;
} world;

static world make_world(const sup_vec3 (*boxes)[2], uint32_t box_count, uint32_t cells, uint32_t reach)
{
    world     w = { .arena = sup_arena_create(NULL) };
    sup_error error;
    box_lattice(boxes, box_count, cells, w.arena, &w.voxels);
    float* mass = SUP_NEW(w.arena, float, w.voxels.particle_count);
    for (uint32_t p = 0; p < w.voxels.particle_count; ++p)
        mass[p] = 0.5f + 0.125f * (float)__builtin_popcount(w.voxels.octants[p]);
    assert_ok(sup_regions_create(&w.voxels, reach, mass, w.arena, &w.regions, &error), error);
    uint32_t n = w.regions.count;
    w.planes = SUP_NEW(w.arena, float, 13 * (size_t)n);
    for (int i = 0; i < 3; ++i) {
        w.job.y[i] = w.planes + (size_t)i * n;
        w.job.d[i] = w.planes + (size_t)(3 + i) * n;
        w.job.goal[i] = w.planes + (size_t)(10 + i) * n;
    }
    for (int i = 0; i < 4; ++i) w.job.q[i] = w.planes + (size_t)(6 + i) * n;
    for (uint32_t s = 0; s < n; ++s) w.job.q[3][s] = 1;
    for (uint32_t s = 0; s < n; ++s) {
        if (w.regions.particles[s] == SUP_NONE) continue;
        sup_vec3 at = sup_voxels_position(&w.voxels, w.regions.particles[s]);
        w.planes[s] = at.x, w.planes[n + s] = at.y, w.planes[2 * n + s] = at.z;
    }
    w.work = SUP_NEW(w.arena, float, sup_regions_work(&w.regions));
    return w;
}

static const sup_vec3 bar[][2] = { { { 0, 0, 0 }, { 0.99f, 0.99f, 4 } } };
// Two fingers a quarter of a cell apart on one palm: corners between them split.
static const sup_vec3 fork[][2] = { { { 0, 0, 0 }, { 1.99f, 1, 1 } },
                                    { { 0, 0, 0.5f }, { 0.95f, 1, 4 } },
                                    { { 1.04f, 0, 0.5f }, { 1.99f, 1, 4 } } };

static void set_displacement(world* w, uint32_t s, sup_vec3 d)
{
    uint32_t n = w->regions.count;
    w->planes[3 * n + s] = d.x, w->planes[4 * n + s] = d.y, w->planes[5 * n + s] = d.z;
}

static sup_vec3 place_of(const world* w, uint32_t s) { return v3(w->job.y[0][s], w->job.y[1][s], w->job.y[2][s]); }
static sup_vec3 goal_of(const world* w, uint32_t s) { return v3(w->job.goal[0][s], w->job.goal[1][s], w->job.goal[2][s]); }
static sup_vec3 shift_of(const world* w, uint32_t s) { return v3(w->job.d[0][s], w->job.d[1][s], w->job.d[2][s]); }

static float noise(uint32_t* seed) { return (float)(int32_t)(*seed = *seed * 1664525u + 1013904223u) * 4.6566e-10f; }

static void shake(world* w, float size)
{
    uint32_t seed = 5;
    for (uint32_t s = 0; s < w->regions.count; ++s)
        if (w->regions.particles[s] != SUP_NONE) {
            float x = noise(&seed), y = noise(&seed), z = noise(&seed);
            set_displacement(w, s, v3(size * x, size * y, size * z));
        }
}

typedef struct kernels {
    void (*sum)(const sup_regions_job*, uint32_t);
    uint32_t (*fit)(const sup_regions_job*, uint32_t, uint32_t);
    void (*goal)(const sup_regions_job*, uint32_t);
} kernels;

static kernels best(void)
{
    return (kernels){ SUP_WIDE_PICK(sup_regions_sum), SUP_WIDE_PICK(sup_regions_fit), SUP_WIDE_PICK(sup_regions_goal) };
}

static void match(world* w, kernels k)
{
    w->job.regions = &w->regions;
    sup_regions_place(&w->job, w->work);
    for (uint32_t c = 0; c < w->regions.chunk_count; ++c) k.sum(&w->job, c);
    k.fit(&w->job, 0, w->regions.count);
    for (uint32_t c = 0; c < w->regions.chunk_count; ++c) k.goal(&w->job, c);
}

// ---------------------------------------------------------------------------------------------- plainly

// How often each particle is a member of the region of `center`: by z, then y, then x, as the gather's transpose visits them.
static void members(const world* w, uint32_t center, double* times, double* spare)
{
    const sup_regions* r = &w->regions;
    memset(times, 0, (r->count + 1) * sizeof *times);
    times[center] = 1;
    for (int axis = 2; axis >= 0; --axis) {
        memset(spare, 0, (r->count + 1) * sizeof *spare);
        for (uint32_t s = 0; s < r->count; ++s)
            if (times[s] != 0)
                for (uint32_t i = 0; i < r->width; ++i) spare[r->near[axis][s * r->width + i]] += times[s];
        for (uint32_t i = 0; i < r->more_counts[axis]; ++i) spare[r->more[axis][2 * i + 1]] += times[r->more[axis][2 * i]];
        memcpy(times, spare, (r->count + 1) * sizeof *times);
        times[r->count] = 0;
    }
}

// Goals of all slots in double, by listing every region's members.
static void plain_goals(const world* w, double (*goal)[3])
{
    const sup_regions* r = &w->regions;
    double *           times = calloc(r->count + 1, sizeof *times), *spare = calloc(r->count + 1, sizeof *spare);
    for (uint32_t s = 0; s < r->count; ++s) goal[s][0] = goal[s][1] = goal[s][2] = 0;
    for (uint32_t c = 0; c < r->count; ++c) {
        if (r->particles[c] == SUP_NONE) continue;
        members(w, c, times, spare);
        double mass = 0, c0[3] = { 0 }, cx[3] = { 0 }, a[3][3] = { { 0 } };
        for (uint32_t s = 0; s < r->count; ++s) {
            double m = times[s] * (double)r->mass[s];
            mass += m;
            for (int i = 0; i < 3; ++i) {
                c0[i] += m * (double)w->job.y[i][s];
                cx[i] += m * ((double)w->job.y[i][s] + (double)w->job.d[i][s]);
            }
        }
        for (int i = 0; i < 3; ++i) c0[i] /= mass, cx[i] /= mass;
        for (uint32_t s = 0; s < r->count; ++s)
            for (int i = 0; i < 9; ++i)
                a[i / 3][i % 3] += times[s] * (double)r->mass[s] *
                                   ((double)w->job.y[i / 3][s] + (double)w->job.d[i / 3][s] - cx[i / 3]) *
                                   ((double)w->job.y[i % 3][s] - c0[i % 3]);
        sup_mat3 m;
        sup_quat q = quat_identity();
        for (int i = 0; i < 9; ++i) m.m[i / 3][i % 3] = (float)(a[i / 3][i % 3] + (i % 4 ? 0 : (double)r->moment[c]));
        for (int i = 0; i < 3; ++i) rotation_extract(&m, &q);
        sup_affine turn = affine_from_rotation(q, v3(0, 0, 0));
        for (uint32_t s = 0; s < r->count; ++s)
            for (int i = 0; i < 3 && times[s] != 0; ++i) {
                double t = cx[i] - (double)w->job.y[i][s];
                for (int k = 0; k < 3; ++k) t += (double)turn.m[i][k] * ((double)w->job.y[k][s] - c0[k]);
                goal[s][i] += times[s] * t * (double)r->shares[s];
            }
    }
    free(times), free(spare);
}

// ---------------------------------------------------------------------------------------------- claims

static void box_members_of_a_full_bar_are_counted_by_hand(void** state)
{
    (void)state;
    world w = make_world(bar, 1, 12, 2); // 3 x 3 x 12 cells, 4 x 4 x 13 particles
    assert_int_equal(w.voxels.particle_count, 208);
    uint32_t corner[3];
    for (uint32_t s = 0; s < w.regions.count; ++s) {
        if (w.regions.particles[s] == SUP_NONE) continue;
        sup_voxels_corner(&w.voxels, w.regions.particles[s], corner);
        double         n = 1;
        const uint32_t last[3] = { 3, 3, 12 };
        for (int a = 0; a < 3; ++a) {
            uint32_t at = corner[a] - 1, low = at < 2 ? at : 2, high = last[a] - at < 2 ? last[a] - at : 2;
            n *= low + high + 1;
        }
        assert_float_equal(1.0 / (double)w.regions.shares[s], n, 1e-4);
    }
    sup_arena_destroy(w.arena);
}

static void passes_equal_direct_lists(void** state)
{
    (void)state;
    for (int shape = 0; shape < 2; ++shape)
        for (uint32_t reach = 1; reach <= 4; ++reach) {
            world w = shape ? make_world(fork, 3, 12, reach) : make_world(bar, 1, 10, reach);
            shake(&w, 0.1f);
            double(*want)[3] = calloc(w.regions.count, sizeof *want);
            plain_goals(&w, want);
            for (int round = 0; round < 6; ++round) match(&w, best()); // the moment term takes the rotation of the round before
            for (uint32_t s = 0; s < w.regions.count; ++s)
                for (int i = 0; i < 3; ++i) assert_float_equal(w.job.goal[i][s], want[s][i], 4e-4);
            free(want);
            sup_arena_destroy(w.arena);
        }
}

static void fingers_that_share_corners_stay_apart(void** state)
{
    (void)state;
    world    w = make_world(fork, 3, 12, 1);
    uint32_t twins = 0;
    for (uint32_t p = 0; p < w.voxels.particle_count; ++p)
        for (uint32_t q = p + 1; q < w.voxels.particle_count; ++q) twins += w.voxels.corners[p] == w.voxels.corners[q];
    assert_true(twins > 0);
    sup_arena_destroy(w.arena);
}

static void a_lattice_at_its_reference_wants_exactly_nothing(void** state)
{
    (void)state;
    world w = make_world(fork, 3, 12, 2);
    match(&w, best());
    for (uint32_t s = 0; s < w.regions.count; ++s)
        for (int i = 0; i < 3; ++i) assert_true(w.job.goal[i][s] == 0.0f);
    sup_arena_destroy(w.arena);
}

static void a_turned_lattice_is_where_it_wants_to_be(void** state)
{
    (void)state;
    world    w = make_world(fork, 3, 12, 2);
    sup_quat q = quat_axis_angle(v3_normalize(v3(1, 2, -1), v3(0, 0, 1)), 0.8f);
    for (uint32_t s = 0; s < w.regions.count; ++s)
        set_displacement(&w, s, v3_sub(v3_add(quat_rotate(q, place_of(&w, s)), v3(0.3f, 0, 1)), place_of(&w, s)));
    for (int round = 0; round < 4; ++round) match(&w, best());
    for (uint32_t s = 0; s < w.regions.count; ++s)
        if (w.regions.particles[s] != SUP_NONE) assert_true(v3_distance(goal_of(&w, s), shift_of(&w, s)) < 2e-5f);
    sup_arena_destroy(w.arena);
}

static void goals_keep_momentum_and_turning_momentum(void** state)
{
    (void)state;
    world w = make_world(bar, 1, 10, 2);
    shake(&w, 0.08f);
    for (int round = 0; round < 6; ++round) match(&w, best());
    double linear[3] = { 0 }, angular[3] = { 0 }, size = 0;
    for (uint32_t s = 0; s < w.regions.count; ++s) {
        if (w.regions.particles[s] == SUP_NONE) continue;
        double   m = (double)w.regions.mass[s] / (double)w.regions.shares[s];
        sup_vec3 x = v3_add(place_of(&w, s), shift_of(&w, s)), pull = v3_sub(goal_of(&w, s), shift_of(&w, s)),
                 turn = v3_cross(x, pull);
        linear[0] += m * (double)pull.x, linear[1] += m * (double)pull.y, linear[2] += m * (double)pull.z;
        angular[0] += m * (double)turn.x, angular[1] += m * (double)turn.y, angular[2] += m * (double)turn.z;
        size += m * (double)v3_length(pull);
    }
    for (int i = 0; i < 3; ++i) {
        assert_true(fabs(linear[i]) < 1e-5 * size);
        assert_true(fabs(angular[i]) < 2e-4 * size);
    }
    sup_arena_destroy(w.arena);
}

// A bar thrown with a spin and shaken: the implicit step of the lattice without a pose to hold it.
static void a_free_lattice_keeps_its_momentum_through_time(void** state)
{
    (void)state;
    enum { STEPS = 200 };
    const double dt = 0.005, pull = 2500 * dt * dt; // 8 Hz
    world        w = make_world(bar, 1, 10, 2);
    uint32_t     n = w.regions.count, seed = 9;
    double(*x)[3] = calloc(n, sizeof *x), (*v)[3] = calloc(n, sizeof *v), before[6] = { 0 }, after[6] = { 0 }, swing = 0;
    for (uint32_t s = 0; s < n; ++s)
        for (int i = 0; i < 3 && w.regions.particles[s] != SUP_NONE; ++i) x[s][i] = (double)w.job.y[i][s];
    for (uint32_t s = 0; s < n; ++s) { // along (1, 2, 0), about z at 2 rad/s
        if (w.regions.particles[s] == SUP_NONE) continue;
        v[s][0] = 1 - 2 * x[s][1] + 0.3 * (double)noise(&seed);
        v[s][1] = 2 + 2 * x[s][0] + 0.3 * (double)noise(&seed);
        v[s][2] = 0.3 * (double)noise(&seed);
    }
    for (int step = 0; step <= STEPS; ++step) {
        double* total = step ? after : before;
        memset(total, 0, sizeof before);
        for (uint32_t s = 0; s < n; ++s) {
            if (w.regions.particles[s] == SUP_NONE) continue;
            double m = (double)w.regions.mass[s] / (double)w.regions.shares[s];
            for (int i = 0; i < 3; ++i) {
                int j = (i + 1) % 3, k = (i + 2) % 3;
                total[i] += m * v[s][i];
                total[3 + i] += m * (x[s][j] * v[s][k] - x[s][k] * v[s][j]);
            }
            set_displacement(&w, s,
                             v3((float)(x[s][0] + dt * v[s][0]) - w.job.y[0][s],
                                (float)(x[s][1] + dt * v[s][1]) - w.job.y[1][s],
                                (float)(x[s][2] + dt * v[s][2]) - w.job.y[2][s]));
        }
        match(&w, best());
        for (uint32_t s = 0; s < n; ++s)
            for (int i = 0; i < 3 && w.regions.particles[s] != SUP_NONE; ++i) {
                double ahead = x[s][i] + dt * v[s][i], goal = (double)w.job.y[i][s] + (double)w.job.goal[i][s];
                double next = (ahead + pull * goal) / (1 + pull);
                if (step == 0) swing = fmax(swing, fabs(goal - ahead));
                v[s][i] = (next - x[s][i]) / dt;
                x[s][i] = next;
            }
    }
    double linear = 0, turning = 0;
    for (int i = 0; i < 3; ++i) {
        linear = fmax(linear, fabs(after[i] - before[i]) / fabs(before[1]));
        turning = fmax(turning, fabs(after[3 + i] - before[3 + i]) / fabs(before[5]));
    }
    print_message("after %d steps: momentum off by %.1e, turning momentum by %.1e\n", STEPS, linear, turning);
    assert_true(swing > 1e-4);
    assert_true(linear < 1e-4);
    assert_true(turning < 0.02); // what the implicit step and the lag of the moment term take in a second
    free(x), free(v);
    sup_arena_destroy(w.arena);
}

static void a_single_cell_and_a_line_of_cells_are_regions_too(void** state)
{
    (void)state;
    static const sup_vec3 cube[][2] = { { { 0, 0, 0 }, { 1, 1, 1 } } };
    static const sup_vec3 stick[][2] = { { { 0, 0, 0 }, { 0.09f, 0.09f, 1 } } };
    for (int i = 0; i < 2; ++i) {
        world w = i ? make_world(stick, 1, 10, 3) : make_world(cube, 1, 1, 1);
        shake(&w, 0.01f);
        match(&w, best());
        for (uint32_t s = 0; s < w.regions.count; ++s) assert_true(v3_length(goal_of(&w, s)) < 0.1f);
        sup_arena_destroy(w.arena);
    }
}

static void both_widths_give_the_same_bits(void** state)
{
    (void)state;
    world a = make_world(fork, 3, 14, 2), b = make_world(fork, 3, 14, 2);
    shake(&a, 0.1f), shake(&b, 0.1f);
    match(&a, best());
    match(&b, (kernels){ sup_regions_sum_v1, sup_regions_fit_v1, sup_regions_goal_v1 });
    assert_memory_equal(a.planes, b.planes, 13 * a.regions.count * sizeof(float));
    sup_arena_destroy(a.arena), sup_arena_destroy(b.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(box_members_of_a_full_bar_are_counted_by_hand),
        cmocka_unit_test(passes_equal_direct_lists),
        cmocka_unit_test(fingers_that_share_corners_stay_apart),
        cmocka_unit_test(a_lattice_at_its_reference_wants_exactly_nothing),
        cmocka_unit_test(a_turned_lattice_is_where_it_wants_to_be),
        cmocka_unit_test(goals_keep_momentum_and_turning_momentum),
        cmocka_unit_test(a_free_lattice_keeps_its_momentum_through_time),
        cmocka_unit_test(a_single_cell_and_a_line_of_cells_are_regions_too),
        cmocka_unit_test(both_widths_give_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
