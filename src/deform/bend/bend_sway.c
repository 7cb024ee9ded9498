// Dynamics: every curve swings about the equilibrium of its loads, mode by mode, exactly over a step.
//     m y'' + 2 zeta sqrt(h m) y' + h y = h T,       h = EI lambda / l^4 (+ sigma),  T the mode's part of the rest position
// A force that ends, a material that softens, and a body that comes and goes all move T or h.
#include "deform/bend/bend.h"
#include "math/trig.h"
#include "math/vec.h"
#include "solve/curves/beam_modes.h"

#include <math.h>
#include <string.h>

sup_result bend_modes_create(const bend_params* p, const bend_net* net, sup_arena* arena, bend_modes* out, sup_error* error)
{
    bend_modes made = { 0 };
    uint32_t   N = net->on.intervals, K = (uint32_t)p->modes + 1 < N - 1 ? (uint32_t)p->modes + 1 : N - 1;
    if (p->dynamics) {
        sup_beam_modes beam;
        sup_arena*     beside = sup_arena_beside(arena);
        float *        closed = SUP_NEW(arena, float, (size_t)(N + 1) * K), *open = SUP_NEW(arena, float, (size_t)(N + 1) * K);
        float *        wave = SUP_NEW(arena, float, K), *open_wave = SUP_NEW(arena, float, K);
        sup_result     r = beside && closed && open && wave && open_wave ? SUP_OK : sup_fail_memory(error, "bend");
        if (!r) r = sup_beam_modes_create(N, beside, &beam, error);
        for (uint32_t k = 0; k < K && !r; ++k) {
            double w = 2 * SUP_PI * ((k + 1) / 2), high = sqrt((k ? 2.0 : 1.0) / N);
            wave[k] = (float)(w * w * w * w);
            open_wave[k] = (float)beam.lambda[k];
            for (uint32_t n = 0; n < N; ++n) {
                closed[n * K + k] = (float)(high * (k % 2 || k == 0 ? sup_cos(w * n / N) : sup_sin(w * n / N)));
                if (n > 0) open[n * K + k] = (float)beam.vectors[(n - 1) * beam.count + k];
            }
        }
        sup_arena_destroy(beside);
        if (r) return r;
        made = (bend_modes){ K, closed, open, wave, open_wave };
    }
    *out = made;
    return SUP_OK;
}

size_t bend_sway_size(const bend_bound* b)
{
    return b->modes.count ? (size_t)b->net.on.curves.curve_count * b->modes.count * 9 * sizeof(double) : 0;
}

/// The equilibrium of the curve under its loads, mode by mode.
static void rest_of(const bend_bound* b, uint32_t c, const bend_workspace* work, uint32_t k, double out[3])
{
    const bend_net* net = &b->net;
    const float*    vectors = net->on.curves.curves[c].closed ? b->modes.closed : b->modes.open;
    out[0] = out[1] = out[2] = 0;
    for (uint32_t n = 0; n < net->on.intervals; ++n) {
        size_t at = (size_t)n * net->on.stride + 3 * c;
        double v = vectors[n * b->modes.count + k];
        for (int i = 0; i < 3; ++i) out[i] += v * (work->rows[at + i] + (b->shapes.count ? (double)work->target[at + i] : 0.0));
    }
}

static double stiffness_of(const bend_bound* b, uint32_t c, uint32_t k, const bend_workspace* work)
{
    double l = b->net.girth[c], l4 = l * l * l * l;
    bool   closed = b->net.on.curves.curves[c].closed;
    double h = l4 > 0 ? work->now[c].stiffness * (closed ? b->modes.wave : b->modes.open_wave)[k] / l4 : 0;
    return h + (closed && b->loads.founded ? work->now[c].sigma : 0);
}

void bend_sway_reset(const bend_bound* b, const bend_params* p, const bend_workspace* work, double* state)
{
    (void)p;
    for (uint32_t c = 0; c < b->net.on.curves.curve_count; ++c)
        for (uint32_t k = 0; k < b->modes.count; ++k) {
            double *s = state + ((size_t)c * b->modes.count + k) * 9, t[3], h = stiffness_of(b, c, k, work);
            rest_of(b, c, work, k, t);
            for (int i = 0; i < 3; ++i) s[i] = t[i], s[3 + i] = 0, s[6 + i] = h * t[i];
        }
}

static void add_mode(const bend_bound* b, uint32_t c, uint32_t k, const double by[3], const bend_workspace* work)
{
    const bend_net* net = &b->net;
    bool            closed = net->on.curves.curves[c].closed;
    const float*    vectors = closed ? b->modes.closed : b->modes.open;
    for (uint32_t n = 0; n <= net->on.intervals; ++n) {
        float v = vectors[(closed && n == net->on.intervals ? 0 : n) * b->modes.count + k];
        for (int i = 0; i < 3; ++i) work->sway[(size_t)n * net->on.stride + 3 * c + i] += (float)(v * by[i]);
    }
}

void bend_sway_step(const bend_bound* b, const bend_params* p, double dt, const bend_workspace* work, double* state)
{
    uint32_t N = b->net.on.intervals;
    memset(work->sway, 0, (size_t)(N + 1) * b->net.on.stride * sizeof(float));
    for (uint32_t c = 0; c < b->net.on.curves.curve_count; ++c)
        for (uint32_t k = 0; k < b->modes.count; ++k) {
            double *s = state + ((size_t)c * b->modes.count + k) * 9, t[3], by[3], h = stiffness_of(b, c, k, work);
            bool    moves = false;
            rest_of(b, c, work, k, t);
            for (int i = 0; i < 3; ++i) moves = moves || s[i] != 0 || s[3 + i] != 0 || s[6 + i] != 0 || t[i] != 0;
            if (!moves) continue;
            double         mass = work->now[c].mass;
            sup_oscillator o = sup_oscillator_make(mass, 2 * (double)p->damping * sqrt(h * mass), h, SUP_RAMP_LINEAR);
            if (!(h > 0 && mass > 0)) { // nothing pulls it back: it follows its loads
                for (int i = 0; i < 3; ++i) s[i] = t[i], s[3 + i] = 0, s[6 + i] = h * t[i];
                continue;
            }
            sup_oscillator_step step = sup_oscillator_prepare(&o, dt);
            for (int i = 0; i < 3; ++i) {
                sup_oscillator_advance(&step, dt > 0 ? s[6 + i] : h * t[i], h * t[i], &s[i], &s[3 + i]);
                s[6 + i] = h * t[i];
                by[i] = s[i] - t[i];
            }
            add_mode(b, c, k, by, work);
        }
    for (size_t i = 0; i < (size_t)(N + 1) * b->net.on.stride; ++i) work->rows[i] += work->sway[i];
}
