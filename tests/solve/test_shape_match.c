// Regions of oriented particles: what a fit finds, what goals keep, and that wide and narrow sums agree.
#include "support.h"

#include "base/internal.h"
#include "geom/surface/topology.h"
#include "math/rotation.h"
#include "math/vec.h"
#include "solve/particles/shape_match.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDE = 6, HIGH = 5, POINTS = WIDE * HIGH, STRIDE = 32, LAYERS = 3, PARTICLES = LAYERS * STRIDE };

// Three sheets on top of each other, triangulated squares, all masses different.
typedef struct sheets {
    sup_arena* arena;
    sup_match  match;
    sup_vec3   rest[PARTICLES];
    float      masses[PARTICLES];
    sup_vec4   x[PARTICLES], h[PARTICLES];
    sup_quat   q[PARTICLES];
    void*      scratch;
} sheets;

static sheets* make_counting(uint32_t ring, bool intervals, const float* counts)
{
    sheets*      s = aligned_alloc(64, (sizeof *s + 63) / 64 * 64);
    sup_error    error;
    uint32_t     faces[2 * (WIDE - 1) * (HIGH - 1)][3], begin[2 * (WIDE - 1) * (HIGH - 1) + 1], n = 0;
    float        radii[PARTICLES];
    sup_topology t;
    sup_rings    rings;
    memset(s, 0, sizeof *s);
    s->arena = sup_arena_create(NULL);
    for (uint32_t y = 0; y + 1 < HIGH; ++y)
        for (uint32_t x = 0; x + 1 < WIDE; ++x) {
            uint32_t a = x + WIDE * y;
            memcpy(faces[n++], (uint32_t[]){ a, a + 1, a + 1 + WIDE }, sizeof faces[0]);
            memcpy(faces[n++], (uint32_t[]){ a, a + 1 + WIDE, a + WIDE }, sizeof faces[0]);
        }
    for (uint32_t f = 0; f <= n; ++f) begin[f] = 3 * f;
    assert_ok(sup_topology_create(&(sup_polygons){ STRIDE, n, begin, faces[0] }, s->arena, &t, &error), error);
    assert_ok(sup_rings_create(STRIDE, t.ring_begin, t.ring, ring, s->arena, &rings, &error), error);
    for (uint32_t i = 0; i < PARTICLES; ++i) {
        uint32_t k = i % STRIDE;
        radii[i] = 0.5f;
        if (k >= POINTS) continue;
        s->rest[i] = v3((float)(k % WIDE) - 2.5f, (float)(k / WIDE) - 2.0f, (float)(i / STRIDE));
        s->masses[i] = 1.0f + 0.1f * (float)(i * 7 % 11);
    }
    sup_match_desc desc = { LAYERS, STRIDE, &rings, s->rest, s->masses, radii, intervals, counts };
    assert_ok(sup_match_create(&desc, s->arena, &s->match, &error), error);
    s->scratch = aligned_alloc(64, (sup_match_scratch(&s->match) + 63) / 64 * 64);
    return s;
}

static sheets* make(uint32_t ring, bool intervals) { return make_counting(ring, intervals, NULL); }

static void end(sheets* s)
{
    sup_arena_destroy(s->arena);
    free(s->scratch);
    free(s);
}

// Places by a function of the rest place; rotations start as the identity.
static void place(sheets* s, sup_vec3 (*where)(sup_vec3), float share)
{
    for (uint32_t i = 0; i < PARTICLES; ++i) {
        if (i % STRIDE >= POINTS) continue;
        sup_vec3 p = where(s->rest[i]);
        s->x[i] = s->h[i] = (sup_vec4){ p.x, p.y, p.z, 1 };
        s->h[i].w = share;
        s->q[i] = quat_identity();
    }
}

static sup_match_run run_of(sheets* s)
{
    return (sup_match_run){ .match = &s->match,
                            .y = s->match.y,
                            .c0 = s->match.c0,
                            .x = s->x,
                            .q = s->q,
                            .h = s->h,
                            .goal_layers = LAYERS,
                            .scratch = s->scratch };
}

static sup_quat the_turn(void) { return quat_normalize(quat(0.2f, -0.1f, 0.3f, 0.9f)); }
static sup_vec3 turned(sup_vec3 p) { return v3_add(quat_rotate(the_turn(), p), v3(5, -3, 2)); }
static sup_vec3 bent(sup_vec3 p) { return v3(p.x + 0.02f * p.z * p.x, p.y, p.z - 0.05f * p.x * p.x + 0.03f * p.y); }

static void a_rigid_motion_is_its_own_goal(void** state)
{
    (void)state;
    for (uint32_t ring = 1; ring <= 3; ++ring) {
        sheets* s = make(ring, ring == 3);
        place(s, turned, 1);
        sup_match_run run = run_of(s);
        for (uint32_t i = 0; i < PARTICLES; ++i)
            if (i % STRIDE < POINTS) s->q[i] = the_turn();
        sup_match_turn(&run, 0, run.match->layers * run.match->stride);
        sup_match_iterate(&run);
        for (uint32_t i = 0; i < PARTICLES; ++i) {
            if (i % STRIDE >= POINTS) continue;
            assert_true(v3_distance(v3(s->x[i].x, s->x[i].y, s->x[i].z), turned(s->rest[i])) < 1e-5f);
            assert_true(fabsf(quat_dot(s->q[i], the_turn())) > 1 - 1e-5f);
        }
        end(s);
    }
}

static void keeps_the_center_of_mass(const float* counts)
{
    sheets* s = make_counting(1, false, counts);
    place(s, bent, 1);
    double before[3] = { 0 }, after[3] = { 0 }, moved = 0;
    for (uint32_t i = 0; i < PARTICLES; ++i) {
        double m = s->masses[i];
        before[0] += m * s->x[i].x, before[1] += m * s->x[i].y, before[2] += m * s->x[i].z;
    }
    sup_match_run run = run_of(s);
    sup_match_turn(&run, 0, run.match->layers * run.match->stride);
    sup_match_iterate(&run);
    for (uint32_t i = 0; i < PARTICLES; ++i) {
        double m = s->masses[i];
        after[0] += m * s->x[i].x, after[1] += m * s->x[i].y, after[2] += m * s->x[i].z;
        moved += v3_distance(v3(s->x[i].x, s->x[i].y, s->x[i].z), v3(s->h[i].x, s->h[i].y, s->h[i].z));
    }
    assert_true(moved > 0.1); // there was something to do
    for (int k = 0; k < 3; ++k) assert_true(fabs(after[k] - before[k]) < 1e-4);
    end(s);
}

// With m / n as the weights the goals keep the center of mass of all, also where rings count less than their centers.
static void goals_keep_the_center_of_mass(void** state)
{
    (void)state;
    float counts[PARTICLES];
    for (uint32_t i = 0; i < PARTICLES; ++i) counts[i] = 0.05f + 0.1f * (float)(i * 3 % 10);
    keeps_the_center_of_mass(NULL);
    keeps_the_center_of_mass(counts);
}

// A ring that hardly counts leaves a point to its siblings: in a sheet bent along a parabola, each follows its own column.
static void what_counts_less_pulls_less(void** state)
{
    (void)state;
    float  few[PARTICLES];
    double moved[2] = { 0 };
    for (uint32_t i = 0; i < PARTICLES; ++i) few[i] = 0.01f;
    for (int k = 0; k < 2; ++k) {
        sheets* s = make_counting(1, false, k ? few : NULL);
        place(s, bent, 1);
        sup_match_run run = run_of(s);
        sup_match_turn(&run, 0, run.match->layers * run.match->stride);
        sup_match_iterate(&run);
        for (uint32_t i = 0; i < PARTICLES; ++i)
            moved[k] += (double)v3_distance(v3(s->x[i].x, s->x[i].y, s->x[i].z), v3(s->h[i].x, s->h[i].y, s->h[i].z));
        end(s);
    }
    assert_true(moved[1] < 0.2 * moved[0]);
}

// Sums over runs in double give what sums over lists give.
static void runs_and_lists_agree(void** state)
{
    (void)state;
    sheets *a = make(2, false), *b = make(2, true);
    place(a, bent, 0.5f), place(b, bent, 0.5f);
    sup_match_run first = run_of(a), second = run_of(b);
    for (int i = 0; i < 4; ++i) {
        sup_match_turn(&first, 0, first.match->layers * first.match->stride), sup_match_turn(&second, 0, second.match->layers * second.match->stride);
        sup_match_iterate(&first), sup_match_iterate(&second);
    }
    for (uint32_t i = 0; i < PARTICLES; ++i)
        assert_true(v3_distance(v3(a->x[i].x, a->x[i].y, a->x[i].z), v3(b->x[i].x, b->x[i].y, b->x[i].z)) < 5e-6f);
    end(a), end(b);
}

// The lowest layer is held, each particle rotated by a tenth of a radian in its place. By hand, for a particle of the middle
// layer with everything else at rest: its goal is the mean of the places that its other regions have for it, which is its own,
// and, with the weight w, of that of the held one: 0.1 to the side. Sums over ranges give the same.
static void a_held_region_counts_as_much_as_it_is_told(void** state)
{
    (void)state;
    for (int intervals = 0; intervals < 2; ++intervals)
        for (float w = 0; w <= 1; w += 0.5f) {
            sheets*       s = make(2, intervals);
            sup_match_run run = run_of(s);
            run.goal_layers = LAYERS - 1;
            for (uint32_t i = 0; i < PARTICLES; ++i) {
                if (i % STRIDE >= POINTS) continue;
                s->x[i] = s->h[i] = (sup_vec4){ s->rest[i].x, s->rest[i].y, s->rest[i].z, 1 };
                s->h[i].w = i < run.goal_layers * STRIDE ? 1 : w;
                s->q[i] = i < run.goal_layers * STRIDE ? quat_identity() : quat_axis_angle(v3(0, 1, 0), 0.1f);
            }
            memset(s->scratch, 0, sup_match_scratch(&s->match));
            sup_match_hold(&run, run.goal_layers * STRIDE, PARTICLES); // and no moments: the regions above do not turn
            sup_match_iterate(&run);
            for (uint32_t k = 0; k < POINTS; ++k) {
                uint32_t i = STRIDE + k;
                float    others = 1 / s->match.share[i] - 1, side = 0.0998334f; // sin 0.1
                assert_true(fabsf(s->x[i].x - s->rest[i].x + w * side / (others + w)) < 2e-6f);
            }
            end(s);
        }
}

// h + 0 (g - h): nothing moves; the layers from goal_layers on never do.
static void the_share_and_the_layers_are_obeyed(void** state)
{
    (void)state;
    sheets* s = make(1, false);
    place(s, bent, 0);
    sup_match_run run = run_of(s);
    sup_match_turn(&run, 0, run.match->layers * run.match->stride);
    sup_match_iterate(&run);
    for (uint32_t i = 0; i < PARTICLES; ++i) assert_true(s->x[i].x == s->h[i].x && s->x[i].z == s->h[i].z);
    place(s, bent, 1);
    run.goal_layers = 1;
    sup_match_turn(&run, 0, run.match->layers * run.match->stride);
    sup_match_hold(&run, STRIDE, PARTICLES);
    sup_match_iterate(&run);
    float moved = 0;
    for (uint32_t i = 0; i < STRIDE; ++i) moved += fabsf(s->x[i].z - s->h[i].z);
    assert_true(moved > 0.01f);
    for (uint32_t i = STRIDE; i < PARTICLES; ++i) assert_true(s->x[i].z == s->h[i].z);
    end(s);
}

// 8.6: a ball of mass m and radius r has the moment m r^2 / 5 Q. A lone particle has nothing else: its region rotates with it.
static void moments_are_those_of_balls(void** state)
{
    (void)state;
    sheets* s = make(1, false);
    float   mt = s->masses[8] * s->match.share[8];
    assert_true(fabsf(s->match.spin[8] * s->match.spin[8] - mt * 0.25f / 5) < 1e-7f);
    end(s);
}

static void rigid_velocities_are_not_damped_and_momentum_is_kept(void** state)
{
    (void)state;
    sheets*       s = make(1, false);
    sup_vec4      v[PARTICLES] = { { 0, 0, 0, 0 } }, w[PARTICLES];
    sup_vec3      spin = v3(0.3f, -0.2f, 0.5f);
    double        p[3] = { 0 }, l[3] = { 0 };
    sup_match_run run = run_of(s);
    place(s, bent, 1);
    for (uint32_t i = 0; i < PARTICLES; ++i) {
        if (i % STRIDE >= POINTS) continue;
        sup_vec3 u = v3_add(v3(1, 2, 3), v3_cross(spin, v3(s->x[i].x, s->x[i].y, s->x[i].z)));
        v[i] = (sup_vec4){ u.x, u.y, u.z, 0 };
    }
    memcpy(w, v, sizeof w);
    sup_match_damp(&run, 1, w);
    for (uint32_t i = 0; i < PARTICLES; ++i)
        assert_true(fabsf(w[i].x - v[i].x) + fabsf(w[i].y - v[i].y) + fabsf(w[i].z - v[i].z) < 1e-4f);
    // a ripple: neighbors against each other
    for (uint32_t i = 0; i < PARTICLES; ++i)
        if (i % STRIDE < POINTS) v[i] = (sup_vec4){ (float)(i * 5 % 7) - 3, (float)(i * 3 % 5) - 2, (float)(i % 3) - 1, 0 };
    memcpy(w, v, sizeof w);
    sup_match_damp(&run, 0.5f, w);
    double energy = 0, left = 0;
    for (uint32_t i = 0; i < PARTICLES; ++i) {
        double   m = s->masses[i];
        sup_vec3 d = v3(w[i].x - v[i].x, w[i].y - v[i].y, w[i].z - v[i].z);
        sup_vec3 t = v3_cross(v3(s->x[i].x, s->x[i].y, s->x[i].z), d);
        p[0] += m * d.x, p[1] += m * d.y, p[2] += m * d.z;
        l[0] += m * t.x, l[1] += m * t.y, l[2] += m * t.z;
        energy += m * (v[i].x * v[i].x + v[i].y * v[i].y + v[i].z * v[i].z);
        left += m * (w[i].x * w[i].x + w[i].y * w[i].y + w[i].z * w[i].z);
    }
    assert_true(left < 0.6 * energy);
    for (int k = 0; k < 3; ++k) assert_true(fabs(p[k]) < 1e-3 && fabs(l[k]) < 2e-3);
    end(s);
}

// A reference that moved: its centers are those of its own points.
static void another_reference_brings_its_own_centers(void** state)
{
    (void)state;
    sheets*  s = make(1, false);
    sup_vec4 y[PARTICLES], c0[PARTICLES];
    for (uint32_t i = 0; i < PARTICLES; ++i) y[i] = s->match.y[i], y[i].x += i % STRIDE < POINTS ? 2.0f : 0.0f;
    sup_match_centers(&s->match, y, NULL, c0);
    for (uint32_t i = 0; i < PARTICLES; ++i) {
        if (i % STRIDE >= POINTS) continue;
        assert_true(fabsf(c0[i].x - s->match.c0[i].x - 2) < 1e-5f && fabsf(c0[i].y - s->match.c0[i].y) < 1e-6f);
        assert_true(c0[i].w == s->match.c0[i].w);
    }
    end(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rigid_motion_is_its_own_goal),
        cmocka_unit_test(goals_keep_the_center_of_mass),
        cmocka_unit_test(what_counts_less_pulls_less),
        cmocka_unit_test(runs_and_lists_agree),
        cmocka_unit_test(a_held_region_counts_as_much_as_it_is_told),
        cmocka_unit_test(the_share_and_the_layers_are_obeyed),
        cmocka_unit_test(moments_are_those_of_balls),
        cmocka_unit_test(rigid_velocities_are_not_damped_and_momentum_is_kept),
        cmocka_unit_test(another_reference_brings_its_own_centers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
