#include "support.h"

#include "bench/reference/reference.h"
#include "solve/curves/beam_modes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void near(double value, double expected, double tolerance, const char* what)
{
    if (!(fabs(value - expected) <= tolerance)) fail_msg("%s is %.13g and should be %.13g", what, value, expected);
}

typedef struct beam {
    sup_arena*     arena;
    sup_beam_modes modes;
} beam;

static beam beam_of(uint32_t intervals)
{
    beam      b = { .arena = sup_arena_create(NULL) };
    sup_error error;
    assert_ok(sup_beam_modes_create(intervals, b.arena, &b.modes, &error), error);
    return b;
}

static double random_unit(uint64_t* seed)
{
    *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(*seed >> 11) * 0x1p-53;
}

static const double target[7] = { .02, .05, .09, .10, .06, .03, .01 };

static void eigenvalues_and_vectors_are_those_of_the_reference(void** state)
{
    (void)state;
    static const double lambda[] = { 404.7273784616, 2432.4551091995, 6954.5435459838, 13119.5448908005, 18560.7290755546 };
    static const double first[] = { 0.2064920064, 0.5044803236, 0.6369625647, 0.5044803236, 0.2064920064 };
    beam                b = beam_of(6);
    for (int k = 0; k < 5; ++k) near(b.modes.lambda[k], lambda[k], 1e-9, "lambda");
    for (int n = 0; n < 5; ++n) near(b.modes.vectors[n * 5], first[n], 1e-10, "first vector");
    sup_arena_destroy(b.arena);
    static const double lowest[][2] = { { 8, 442.50 }, { 16, 484.88 }, { 34, 497.01 }, { 68, 499.67 }, { 256, 500.50 } };
    for (int i = 0; i < 5; ++i) {
        b = beam_of((uint32_t)lowest[i][0]);
        near(b.modes.lambda[0], lowest[i][1], 0.01, "lowest");
        double N = lowest[i][0], worst = 0;
        assert_true(b.modes.lambda[b.modes.count - 1] < 16 * N * N * N * N);
        uint32_t n = b.modes.count;
        for (uint32_t p = 0; p < n; p += n / 7 + 1)
            for (uint32_t q = 0; q < n; ++q) {
                double dot = 0;
                for (uint32_t r = 0; r < n; ++r) dot += b.modes.vectors[r * n + p] * b.modes.vectors[r * n + q];
                worst = fmax(worst, fabs(dot - (p == q)));
            }
        assert_true(worst < 1e-12);
        sup_arena_destroy(b.arena);
    }
}

/// The effect of given ends on the neighboring rows.
static void add_boundary(const sup_beam_ends* s, uint32_t intervals, double* g)
{
    double N = intervals, n4 = N * N * N * N;
    size_t last = intervals - 2;
    g[0] += n4 * (-4 * s->d0 - 2 * s->s0 / N);
    g[1] += n4 * s->d0;
    g[(last - 1)] += n4 * s->d1;
    g[last] += n4 * (-4 * s->d1 + 2 * s->s1 / N);
}

static void the_lift_is_the_cubic_between_the_ends(void** state)
{
    (void)state;
    static const double expected[5] = { 0.0426754386, 0.0528070175, 0.0525000000, 0.0438596491, 0.0289912281 };
    sup_beam_ends       ends = sup_beam_ends_of(target, 6, 1);
    near(ends.s0, .18, 1e-12, "s0");
    near(ends.s1, -.12, 1e-12, "s1");
    for (uint32_t n = 1; n < 6; ++n) near(sup_beam_lift(&ends, 6, n), expected[n - 1], 1e-10, "lift");
    // It is -A^-1 g.
    for (uint32_t N = 3; N <= 6; ++N) {
        beam   b = beam_of(N);
        double g[5] = { 0 };
        add_boundary(&ends, N, g);
        for (uint32_t i = 0; i < N - 1; ++i) {
            double sum = 0;
            for (uint32_t k = 0; k < N - 1; ++k)
                for (uint32_t j = 0; j < N - 1; ++j)
                    sum -= b.modes.vectors[i * (N - 1) + k] * b.modes.vectors[j * (N - 1) + k] * g[j] / b.modes.lambda[k];
            near(sup_beam_lift(&ends, N, i + 1), sum, 1e-13, "-A^-1 g");
        }
        sup_arena_destroy(b.arena);
    }
}

static void the_factor_is_the_one_of_the_reference(void** state)
{
    (void)state;
    static const double d[] = { 109.072, 107.529613613026, 107.516584195829, 107.516347190172, 108.812345310095 };
    static const double l1[] = { 0, -0.047528238228, -0.047637141352, -0.047641601555, -0.047641652811 };
    static const double l2[] = { 0, 0, 0.011882059557, 0.012052493787, 0.012053954371 };
    sup_arena*          arena = sup_arena_create(NULL);
    sup_beam_factor     f;
    sup_error           error;
    assert_ok(sup_beam_factor_create(6, 1e-3, 100, arena, &f, &error), error);
    for (int i = 0; i < 5; ++i) {
        near(1 / f.d[i], d[i], 1e-10, "D");
        near(f.l1[i], l1[i], 1e-11, "L1");
        near(f.l2[i], l2[i], 1e-11, "L2");
    }
    sup_arena_destroy(arena);
}

static sup_beam_run run_of(uint32_t intervals, uint32_t frames, double a1, double a2, double a3, const double* load, double* q)
{
    return (sup_beam_run){
        .intervals = intervals, .frames = frames, .columns = 1, .stride = 1, .a1 = a1, .a2 = a2, .a3 = a3, .load = load, .q = q
    };
}

static void a_known_force_gives_the_reference_run(void** state)
{
    (void)state;
    static const double rows[4][5] = {
        { 0.011028196592, 0.015596915058, 0.022457034908, 0.016052891000, 0.005037832823 },
        { 0.059294933577, 0.096442662184, 0.130106849592, 0.095014961198, 0.031539156514 },
        { 0.155142807632, 0.275988552198, 0.359236813751, 0.265474297201, 0.091643886780 },
        { 0.306503827633, 0.583797049673, 0.742585529392, 0.553296025588, 0.197234908395 },
    };
    static const double stiff[] = { 0.148341472499, 0.176862532203, 0.151628508111, 0.070402385423, -0.022085847739 };
    static const double damped[] = { 0.1404344098, 0.1590858220, 0.1307222722, 0.0549828400, -0.0278867809 };
    static const double still[] = { 0.147510558804, 0.174983755686, 0.149459876543, 0.068843404808, -0.022664879792 };
    sup_beam_ends       ends = { .1, .2, -.05, .3 };
    sup_arena*          arena = sup_arena_create(NULL);
    sup_error           error;
    double              q[25], g[5] = { 0 }, load[5], f[5] = { 1, 2, 3, 2, 1 };
    add_boundary(&ends, 6, g);
    struct {
        double        a1, a2, a3;
        const double* last;
    } cases[] = { { 1e-3, 1, 0, rows[3] }, { .05, 1, 0, stiff }, { .05, 1, 2, damped }, { .05, 0, 0, still } };
    for (int c = 0; c < 4; ++c) {
        for (int i = 0; i < 5; ++i) load[i] = f[i] - cases[c].a1 * g[i];
        sup_beam_run run = run_of(6, 4, cases[c].a1, cases[c].a2, cases[c].a3, load, q);
        assert_ok(sup_beam_run_all(&run, arena, &error), error);
        for (int i = 0; i < 5; ++i) near(q[20 + i], cases[c].last[i], 1e-10, "last frame");
        for (int m = 0; c == 0 && m < 4; ++m)
            for (int i = 0; i < 5; ++i) near(q[5 * (m + 1) + i], rows[m][i], 1e-10, "frame");
    }
    sup_beam_run none = run_of(6, 4, 0, 0, 0, load, q);
    assert_int_equal(sup_beam_run_all(&none, arena, &error), SUP_ERROR_INPUT);
    sup_arena_destroy(arena);
}

/// The paper's own way, two dense inverses and a product per frame, kept in bench/reference.
static void the_dense_inverse_gives_the_banded_frames(void** state)
{
    (void)state;
    enum { N = 17, INNER = N - 1, FRAMES = 12 };
    for (int dynamic = 0; dynamic < 2; ++dynamic) {
        sup_arena* arena = sup_arena_create(NULL);
        sup_error  error;
        double     load[INNER], q[(FRAMES + 1) * INNER], dense[(FRAMES + 1) * INNER] = { 0 }, right[INNER];
        double     matrix[INNER * INNER], inverse[2][INNER * INNER], a1 = 0.02, a2 = dynamic, M = FRAMES;
        for (int i = 0; i < INNER; ++i) load[i] = (i * 7 % 5) - 1.5;
        for (int k = 0; k < 2; ++k) {
            for (int i = 0; i < INNER * INNER; ++i) {
                int    r = i / INNER, apart = abs(r - i % INNER);
                double x = apart == 0 ? 6 + (r == 0) + (r == INNER - 1) : apart == 1 ? -4 : apart == 2 ? 1 : 0;
                matrix[i] = a1 * x * N * N * N * N + (apart ? 0 : (k ? 1 : 2) * a2 * M * M);
            }
            assert_true(reference_beam_inverse(INNER, matrix, inverse[k]));
        }
        for (int m = 0; m < FRAMES; ++m)
            reference_beam_frame(INNER, inverse[m > 0], load, (m + 1) / M, m ? a2 * M * M : 0, dense + m * INNER,
                                 dense + (m ? m - 1 : 0) * INNER, right, dense + (m + 1) * INNER);
        sup_beam_run run = run_of(N, FRAMES, a1, a2, 0, load, q);
        assert_ok(sup_beam_run_all(&run, arena, &error), error);
        for (int i = 0; i < (FRAMES + 1) * INNER; ++i) near(q[i], dense[i], 1e-12, "frame");
        sup_arena_destroy(arena);
    }
}

/// The load that leads to a target, by modes: f - a1 g = V diag(1 / phi_M) V^T target.
static void load_for(const sup_beam_modes* m, const sup_beam_run* run, const double* to, double* load)
{
    double phi[400];
    for (uint32_t i = 0; i < m->count; ++i) load[i] = 0;
    for (uint32_t k = 0; k < m->count; ++k) {
        double w = 0;
        sup_beam_scalar_run(run, m->lambda[k], phi);
        for (uint32_t i = 0; i < m->count; ++i) w += m->vectors[i * m->count + k] * to[i];
        for (uint32_t i = 0; i < m->count; ++i) load[i] += m->vectors[i * m->count + k] * w / phi[run->frames];
    }
}

static void a_target_gives_the_reference_force_and_frames(void** state)
{
    (void)state;
    static const double force[] = { -3.2521227995, 1.2703510194, 5.1565109663, -3.9061898919, -0.6543553137 };
    static const double rows[3][5] = { { 0.0068339081, 0.0096172645, 0.0097101621, 0.0036244727, 0.0029708731 },
                                       { 0.0203299091, 0.0337817263, 0.0360790404, 0.0191556305, 0.0106199061 },
                                       { 0.0355437920, 0.0626923938, 0.0688985525, 0.0401462494, 0.0205085566 } };
    static const double phi_last[] = { 5.010597202197e-02, 8.239912250704e-03, 2.876245476948e-03, 1.524481409028e-03,
                                       1.077553846151e-03 };
    beam                b = beam_of(6);
    sup_error           error;
    double              q[25], load[5], g[5] = { 0 }, phi[5];
    sup_beam_run        run = run_of(6, 4, .05, 1, 0, load, q);
    sup_beam_ends       ends = sup_beam_ends_of(target, 6, 1);
    add_boundary(&ends, 6, g);
    load_for(&b.modes, &run, target + 1, load);
    for (int k = 0; k < 5; ++k) {
        sup_beam_scalar_run(&run, b.modes.lambda[k], phi);
        near(phi[4], phi_last[k], 1e-13, "phi_M");
        near(load[k] + .05 * g[k], force[k], 1e-9, "f");
    }
    assert_ok(sup_beam_run_all(&run, b.arena, &error), error);
    for (int m = 0; m < 3; ++m)
        for (int i = 0; i < 5; ++i) near(q[5 * (m + 1) + i], rows[m][i], 1e-10, "frame");
    for (int i = 0; i < 5; ++i) near(q[20 + i], target[1 + i], 1e-13, "target");
    sup_arena_destroy(b.arena);
}

static void the_exact_form_gives_the_reference_values(void** state)
{
    (void)state;
    static const double gammas[] = { 0.2685857904, 0.5162723975, 0.4893224110, 0.4997302662, 0.4723230996 };
    static const double rest[] = { 0.0175945797, 0.0271462615, 0.0269284739, 0.0116855584, 0.0072339502 };
    static const double lifted[] = { 0.0223577864, 0.0383136187, 0.0411861127, 0.0230522589, 0.0121509926 };
    static const double damped[] = { 0.0225014912, 0.0384497644, 0.0413524944, 0.0231429524, 0.0122271784 };
    beam                b = beam_of(6);
    sup_beam_ends       ends = sup_beam_ends_of(target, 6, 1);
    double              out[3][5] = { { 0 } };
    for (int k = 0; k < 5; ++k) {
        double         h = .05 * b.modes.lambda[k], w = 0, wl = 0;
        sup_oscillator o = sup_oscillator_make(1, 0, h, SUP_RAMP_LINEAR);
        sup_oscillator z = sup_oscillator_make(1, 2 * .1 * sqrt(h), h, SUP_RAMP_LINEAR);
        double         gamma = sup_oscillator_sway(&o, .5).value, soft = sup_oscillator_sway(&z, .5).value;
        near(gamma, gammas[k], 1e-9, "gamma");
        for (int i = 0; i < 5; ++i) {
            w += b.modes.vectors[i * 5 + k] * target[1 + i];
            wl += b.modes.vectors[i * 5 + k] * (target[1 + i] - sup_beam_lift(&ends, 6, (uint32_t)i + 1));
        }
        for (int i = 0; i < 5; ++i) {
            out[0][i] += b.modes.vectors[i * 5 + k] * gamma * w;
            out[1][i] += b.modes.vectors[i * 5 + k] * gamma * wl;
            out[2][i] += b.modes.vectors[i * 5 + k] * soft * wl;
        }
    }
    for (int i = 0; i < 5; ++i) {
        double lift = .5 * sup_beam_lift(&ends, 6, (uint32_t)i + 1);
        near(out[0][i], rest[i], 1e-10, "rest");
        near(lift + out[1][i], lifted[i], 1e-10, "lifted");
        near(lift + out[2][i], damped[i], 1e-10, "damped");
    }
    sup_arena_destroy(b.arena);
}

static void banded_and_modal_runs_agree_and_end_in_the_target(void** state)
{
    (void)state;
    static const uint32_t sizes[] = { 34, 68, 128 };
    for (int c = 0; c < 6; ++c) {
        uint32_t  N = sizes[c % 3], n = N - 1, M = 30, scheme = (uint32_t)c / 3;
        beam      b = beam_of(N);
        sup_error error;
        uint64_t  seed = 3;
        double *  to = sup_arena_alloc(b.arena, n, 8), *load = sup_arena_alloc(b.arena, 3 * n, 8), worst = 0, apart = 0;
        double *  q = sup_arena_alloc(b.arena, (size_t)(M + 1) * n * 3, 8), *single = sup_arena_alloc(b.arena, n, 8);
        double*   modal = sup_arena_alloc(b.arena, (size_t)(M + 1) * n, 8);
        for (uint32_t i = 0; i < n; ++i) to[i] = 0.2 * sin(3.14159 * (i + 1) / N) + 0.02 * (random_unit(&seed) - 0.5);
        sup_beam_run run = { .intervals = N,
                             .frames = M,
                             .columns = 3,
                             .stride = 3,
                             .a1 = 0.08,
                             .a2 = 1,
                             .a3 = 0.5,
                             .scheme = scheme,
                             .load = load,
                             .q = q,
                             .spare = sup_arena_alloc(b.arena, (size_t)6 * n, 8) };
        load_for(&b.modes, &run, to, single);
        for (uint32_t i = 0; i < n; ++i)
            for (uint32_t k = 0; k < 3; ++k) load[3 * i + k] = single[i] * (k + 1.0);
        assert_ok(sup_beam_run_all(&run, b.arena, &error), error);
        double phi[31];
        for (uint32_t k = 0; k < n; ++k) {
            double w = 0;
            sup_beam_scalar_run(&run, b.modes.lambda[k], phi);
            for (uint32_t i = 0; i < n; ++i) w += b.modes.vectors[i * n + k] * to[i];
            for (uint32_t m = 0; m <= M; ++m)
                for (uint32_t i = 0; i < n; ++i) modal[m * n + i] += b.modes.vectors[i * n + k] * w * phi[m] / phi[M];
        }
        for (uint32_t i = 0; i < n; ++i) {
            worst = fmax(worst, fabs(q[(size_t)(M * n + i) * 3] - to[i]));
            near(modal[M * n + i], to[i], 1e-12, "modal target");
            for (uint32_t m = 0; m <= M; ++m) apart = fmax(apart, fabs(q[(size_t)(m * n + i) * 3 + 1] - 2 * modal[m * n + i]));
        }
        print_message("  N %u scheme %u: final pose %.1e, banded against modal %.1e\n", N, scheme, worst, apart);
        assert_true(worst < 1e-9 && apart < 2e-9);
        if (N <= 68) assert_true(worst < 1e-10 && apart < 1e-9);
        sup_arena_destroy(b.arena);
    }
}

static void newmark_is_second_order_and_the_paper_first(void** state)
{
    (void)state;
    beam           b = beam_of(16);
    double         a1 = 39.7 / b.modes.lambda[0], phi[1025], error[2][2];
    sup_oscillator o = sup_oscillator_make(1, 0, a1 * b.modes.lambda[0], SUP_RAMP_SMOOTHSTEP);
    for (int scheme = 0; scheme < 2; ++scheme)
        for (int fine = 0; fine < 2; ++fine) {
            uint32_t     M = fine ? 240 : 30;
            sup_beam_run run = {
                .intervals = 16, .frames = M, .a1 = a1, .a2 = 1, .ramp = SUP_RAMP_SMOOTHSTEP, .scheme = scheme
            };
            sup_beam_scalar_run(&run, b.modes.lambda[0], phi);
            error[scheme][fine] = fabs(phi[M / 2] - sup_oscillator_sway(&o, 0.5).value / o.share);
        }
    double paper = log(error[0][0] / error[0][1]) / log(8), newmark = log(error[1][0] / error[1][1]) / log(8);
    print_message("  order %.2f (paper), %.2f (Newmark)\n", paper, newmark);
    assert_true(paper > 0.85 && paper < 1.15 && newmark > 1.9 && newmark < 2.1);
    sup_arena_destroy(b.arena);
}

// Eq. (11) of the paper: f <- f target / q^M, node by node. Kept so that nobody reintroduces it.
static void the_printed_ratio_iteration_does_not_converge(void** state)
{
    (void)state;
    sup_arena*    arena = sup_arena_create(NULL);
    sup_error     error;
    double        f[5], load[5], g[5] = { 0 }, q[25], least = 1e9;
    sup_beam_ends ends = sup_beam_ends_of(target, 6, 1);
    add_boundary(&ends, 6, g);
    // Its start: one step of length 1, (a1 A + 2 a2) target + a1 g.
    for (int i = 0; i < 5; ++i) {
        static const double stencil[5] = { 1, -4, 6, -4, 1 };
        double              sum = 0;
        for (int k = -2; k <= 2; ++k)
            if (i + k >= 0 && i + k < 5) sum += stencil[k + 2] * target[1 + i + k];
        if (i == 0 || i == 4) sum += target[1 + i];
        f[i] = .05 * (1296 * sum + g[i]) + 2 * target[1 + i];
    }
    for (int round = 0; round < 400; ++round) {
        double       error2 = 0, size2 = 0;
        sup_beam_run run = run_of(6, 4, .05, 1, 0, load, q);
        for (int i = 0; i < 5; ++i) load[i] = f[i] - .05 * g[i];
        assert_ok(sup_beam_run_all(&run, arena, &error), error);
        for (int i = 0; i < 5; ++i) {
            error2 += (q[20 + i] - target[1 + i]) * (q[20 + i] - target[1 + i]);
            size2 += target[1 + i] * target[1 + i];
            f[i] *= target[1 + i] / q[20 + i];
        }
        if (round > 0 && sqrt(error2 / size2) < least) least = sqrt(error2 / size2);
    }
    print_message("  least residual of 400 iterations %.3f\n", least);
    assert_true(least >= 0.076);
    sup_arena_destroy(arena);
}

// Two beams that meet: same position and slope at the joint.
static void connected_beams_stay_connected_and_smooth(void** state)
{
    (void)state;
    enum { N = 34 };
    beam   b = beam_of(N);
    double q[2][N + 1], jump = 0, kink = 0, scale = 0;
    for (int n = 0; n <= N; ++n) { // one smooth shape over both
        q[0][n] = 0.1 * sin(2.0 * n / N) + 0.05 * n / N;
        q[1][n] = 0.1 * sin(2.0 + 2.0 * n / N) + 0.05 + 0.05 * n / N;
    }
    sup_beam_ends ends[2] = { sup_beam_ends_of(q[0], N, 1), sup_beam_ends_of(q[1], N, 1) };
    ends[0].s1 = ends[1].s0 = (q[1][1] - q[0][N - 1]) * N / 2;
    for (int f = 1; f < 20; ++f) {
        double t = f / 20.0, at[2][N + 1];
        for (int c = 0; c < 2; ++c) {
            for (uint32_t n = 0; n <= N; ++n)
                at[c][n] = t * (n == 0 ? q[c][0] : n == N ? q[c][N] : sup_beam_lift(&ends[c], N, n));
            for (uint32_t k = 0; k < N - 1; ++k) {
                double         h = 0.08 * b.modes.lambda[k], w = 0;
                sup_oscillator o = sup_oscillator_make(1, 0.3 * sqrt(h), h, SUP_RAMP_LINEAR);
                for (uint32_t n = 1; n < N; ++n)
                    w += b.modes.vectors[(n - 1) * (N - 1) + k] * (q[c][n] - sup_beam_lift(&ends[c], N, n));
                double y = sup_oscillator_sway(&o, t).value * w;
                for (uint32_t n = 1; n < N; ++n) at[c][n] += b.modes.vectors[(n - 1) * (N - 1) + k] * y;
            }
        }
        jump = fmax(jump, fabs(at[0][N] - at[1][0]));
        // Slopes at the joint to second order: a first difference would count the curvature.
        double left = 1.5 * at[0][N] - 2 * at[0][N - 1] + 0.5 * at[0][N - 2],
               right = -1.5 * at[1][0] + 2 * at[1][1] - 0.5 * at[1][2];
        kink = fmax(kink, fabs(left - right) * N);
        for (int n = 1; n <= N; ++n) scale = fmax(scale, fabs(at[0][n] - at[0][n - 1]) * N);
    }
    print_message("  slope jump %.4f of %.3f\n", kink, scale);
    assert_true(jump < 1e-15);
    assert_true(kink < 0.02 * scale);
    sup_arena_destroy(b.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eigenvalues_and_vectors_are_those_of_the_reference),
        cmocka_unit_test(the_lift_is_the_cubic_between_the_ends),
        cmocka_unit_test(the_factor_is_the_one_of_the_reference),
        cmocka_unit_test(a_known_force_gives_the_reference_run),
        cmocka_unit_test(the_dense_inverse_gives_the_banded_frames),
        cmocka_unit_test(a_target_gives_the_reference_force_and_frames),
        cmocka_unit_test(the_exact_form_gives_the_reference_values),
        cmocka_unit_test(banded_and_modal_runs_agree_and_end_in_the_target),
        cmocka_unit_test(newmark_is_second_order_and_the_paper_first),
        cmocka_unit_test(the_printed_ratio_iteration_does_not_converge),
        cmocka_unit_test(connected_beams_stay_connected_and_smooth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
