// Table 1 of Chaudhry et al. 2014: what 30 frames of curves cost, solved with the paper's dense inverse, with the banded matrix
// and with modes. One thread.
#include "bench/bench.h"
#include "bench/reference/reference.h"
#include "deform/beam/beam.h"

#include <stdio.h>

enum { FRAMES = 30, MODES = 8, REPEATS = 40 };

typedef struct table_row {
    const char* name;
    uint32_t    curves, nodes;
} table_row;

static const table_row table[] = {
    { "arm", 22, 34 },  { "leg1", 32, 68 }, { "leg2", 32, 68 },  { "leg3", 32, 66 },
    { "leg4", 32, 66 }, { "neck", 32, 21 }, { "torso", 32, 17 }, { "tail", 32, 28 },
};

typedef struct beams {
    uint32_t       intervals, inner, columns, stride;
    double         a1, a2;
    sup_arena*     arena;
    double *       load, *q, *first, *next, *matrix, *right;
    sup_beam_modes modes;
    float *        vectors, *shape, *coefficients, *rows;
    sup_oscillator oscillators[MODES];
    double         check; ///< keeps the compiler from removing the work
} beams;

static bool open_beams(const table_row* row, bool dynamic, beams* b, sup_error* error)
{
    uint32_t N = row->nodes - 1, n = N - 1, columns = 3 * row->curves, stride = (columns + 8) / 8 * 8;
    *b = (beams){ .intervals = N, .inner = n, .columns = columns, .stride = stride, .a2 = dynamic ? 1 : 0 };
    b->arena = sup_arena_create(NULL);
    if (!b->arena || sup_beam_modes_create(N, b->arena, &b->modes, error)) return false;
    b->a1 = 39.478 / b->modes.lambda[0];
    b->load = sup_arena_alloc(b->arena, (size_t)n * stride, sizeof(double));
    b->q = sup_arena_alloc(b->arena, (size_t)(FRAMES + 1) * n * stride, sizeof(double));
    b->first = sup_arena_alloc(b->arena, (size_t)n * n, sizeof(double));
    b->next = sup_arena_alloc(b->arena, (size_t)n * n, sizeof(double));
    b->matrix = sup_arena_alloc(b->arena, (size_t)n * n, sizeof(double));
    b->right = sup_arena_alloc(b->arena, n, sizeof(double));
    b->vectors = sup_arena_alloc(b->arena, (size_t)n * MODES, sizeof(float));
    b->shape = sup_arena_alloc(b->arena, (size_t)MODES * stride, sizeof(float));
    b->coefficients = sup_arena_alloc(b->arena, (size_t)MODES * stride, sizeof(float));
    b->rows = sup_arena_alloc(b->arena, (size_t)(N + 1) * stride + 8, sizeof(float));
    if (!b->load || !b->q || !b->first || !b->next || !b->matrix || !b->right || !b->vectors || !b->shape || !b->coefficients ||
        !b->rows)
        return false;
    for (uint32_t i = 0; i < n * stride; ++i) b->load[i] = (double)(i * 7919u % 101u) / 101 - 0.5;
    for (uint32_t i = 0; i < MODES * stride; ++i) b->shape[i] = (float)(i * 104729u % 97u) / 97 - 0.5f;
    for (uint32_t i = 0; i < n; ++i)
        for (uint32_t k = 0; k < MODES; ++k) b->vectors[i * MODES + k] = (float)b->modes.vectors[i * n + k];
    for (uint32_t k = 0; k < MODES; ++k)
        b->oscillators[k] = sup_oscillator_make(b->a2, 0, b->a1 * b->modes.lambda[k], SUP_RAMP_LINEAR);
    return true;
}

static void fill_matrix(const beams* b, double shift)
{
    double N = b->intervals, s = b->a1 * N * N * N * N;
    for (uint32_t i = 0; i < b->inner; ++i)
        for (uint32_t j = 0; j < b->inner; ++j) {
            uint32_t apart = i > j ? i - j : j - i;
            double   x = apart == 0 ? 6.0 + (i == 0) + (i == b->inner - 1) : apart == 1 ? -4 : apart == 2 ? 1 : 0;
            b->matrix[i * b->inner + j] = s * x + (i == j ? shift : 0);
        }
}

static double dense_frames(beams* b)
{
    double   M = FRAMES, inertia = b->a2 * M * M, start = bench_now();
    uint32_t n = b->inner;
    for (uint32_t c = 0; c < b->columns; ++c) {
        const double* load = b->load + (size_t)c * n; // a separate load for each column
        double*       q = b->q + (size_t)c * (FRAMES + 1) * n;
        for (uint32_t i = 0; i < n; ++i) q[i] = 0;
        for (uint32_t m = 0; m < FRAMES; ++m)
            reference_beam_frame(n, m ? b->next : b->first, load, (m + 1) / M, m ? inertia : 0, q + (size_t)m * n,
                                 q + (size_t)(m ? m - 1 : 0) * n, b->right, q + (size_t)(m + 1) * n);
    }
    b->check += b->q[7 * n + 3];
    return 1e3 * (bench_now() - start);
}

static double banded_frames(beams* b)
{
    sup_arena*   arena = sup_arena_create(NULL);
    sup_beam_run run = { .intervals = b->intervals,
                         .frames = FRAMES,
                         .columns = b->columns,
                         .stride = b->stride,
                         .a1 = b->a1,
                         .a2 = b->a2,
                         .load = b->load,
                         .q = b->q };
    double       start = bench_now();
    if (!arena || sup_beam_run_all(&run, arena, NULL)) b->check = -1;
    double ms = 1e3 * (bench_now() - start);
    sup_arena_destroy(arena);
    return ms;
}

static double modal_frames(beams* b)
{
    double start = bench_now();
    for (uint32_t m = 1; m <= FRAMES; ++m) {
        for (uint32_t k = 0; k < MODES; ++k) {
            double       t = (double)m / FRAMES;
            float        share = (float)(sup_oscillator_sway(&b->oscillators[k], t).value - t);
            const float* in = b->shape + (size_t)k * b->stride;
            SUP_WIDE_PICK(sup_modal_blend)(b->stride, &in, &share, 1, false, b->coefficients + (size_t)k * b->stride);
        }
        SUP_WIDE_PICK(beam_rows)(b->vectors, b->inner, MODES, b->coefficients, b->stride, b->rows);
        b->check += (double)b->rows[b->stride + 3];
    }
    return 1e3 * (bench_now() - start);
}

static double best_of(double (*frames)(beams*), beams* b)
{
    double best = frames(b);
    for (uint32_t i = 0; i < REPEATS; ++i) {
        double ms = frames(b);
        if (ms < best) best = ms;
    }
    return best;
}

static sup_result bench_table_row(const table_row* row, bool dynamic, bench_report* report, void* user, sup_error* error)
{
    beams b;
    bool  good = open_beams(row, dynamic, &b, error);
    if (good) {
        double M = FRAMES;
        fill_matrix(&b, 2 * b.a2 * M * M);
        good = reference_beam_inverse(b.inner, b.matrix, b.first);
        fill_matrix(&b, b.a2 * M * M);
        good = good && reference_beam_inverse(b.inner, b.matrix, b.next);
    }
    if (good) {
        static const char* const kinds[] = { "banded", "modal" };
        double                   dense = best_of(dense_frames, &b);
        for (int kind = 0; kind < 2; ++kind) {
            bench_row out = { .points = row->curves * row->nodes, .threads = 1, .reference_ms = dense };
            snprintf(out.name, sizeof out.name, "beam/%s-%ux%u%s/%s", row->name, row->curves, row->nodes,
                     dynamic ? "" : "-static", kinds[kind]);
            out.ms = best_of(kind ? modal_frames : banded_frames, &b);
            if (!report(user, &out)) break;
        }
    }
    sup_arena_destroy(b.arena);
    return good ? SUP_OK : sup_fail(error, SUP_ERROR_MEMORY, "out of memory for beams");
}

sup_result bench_beams(const bench_options* options, bench_report* report, void* user, sup_error* error)
{
    for (uint32_t i = 0; i < SUP_COUNT_OF(table); ++i)
        for (int dynamic = 1; dynamic >= 0; --dynamic) {
            char name[64];
            snprintf(name, sizeof name, "beam/%s-%ux%u%s/", table[i].name, table[i].curves, table[i].nodes,
                     dynamic ? "" : "-static");
            char banded[80], modal[80];
            snprintf(banded, sizeof banded, "%sbanded", name);
            snprintf(modal, sizeof modal, "%smodal", name);
            if (!bench_begin(options, banded) && !bench_begin(options, modal)) continue;
            sup_result r = bench_table_row(&table[i], dynamic, report, user, error);
            if (r) return r;
        }
    return SUP_OK;
}
