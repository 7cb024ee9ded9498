// The examples as coefficients, every coefficient an oscillator: h = sigma + beta k^p for a function of wave number k.
#include "deform/fourier/fourier.h"
#include "math/trig.h"
#include "math/vec.h"

#include <string.h>

typedef struct fourier_maker {
    sup_mode_maker        modes;
    const fourier_params* p;
    const fourier_net*    net;
    const sup_segments*   s;
    fourier_motion*       out;
} fourier_maker;

// ---------------------------------------------------------------------------------------------- modes

/// Stiffness for a wave number: p = 2 a string, p = 4 a bending strip.
static double power_of(const fourier_maker* m, double k) { return m->p->order ? k * k * k * k : k * k; }

/// The expert's numbers are physical, per second; otherwise cycles of the lowest mode, per whole motion.
static sup_oscillator make_mode(const fourier_maker* m, double k)
{
    const fourier_params* p = m->p;
    if (p->expert) {
        double h = p->thickness, beta = p->young * h * h * h / (12 * (1 - (double)p->poisson * p->poisson));
        double T = m->modes.unit; // seconds to segments
        return sup_oscillator_make(p->density / (T * T), p->viscosity / T, p->restoring + beta * power_of(m, k),
                                   (sup_ramp)p->ramp);
    }
    double spread = p->spread >= 0 ? (double)p->spread : p->order ? 0.1 : 1.0;
    double stiffness = 1 + spread * power_of(m, k / (2 * SUP_PI));
    return sup_mode_oscillator(p->cycles, p->damping, p->law, stiffness, (sup_ramp)p->ramp);
}

/// Modes are (kind, wave index); held functions share one that never deviates.
static uint32_t mode_key(sup_fourier_kind kind, uint32_t function)
{
    uint32_t held = sup_fourier_held(kind);
    if (kind != SUP_FOURIER_CLOSED && function < held) return 0;
    if (kind == SUP_FOURIER_CLOSED) return 1 + (function + 1) / 2;
    uint32_t first = 2 + SUP_FOURIER_TERMS_MAX;
    return kind <= SUP_FOURIER_TANGENT ? first + function - held : first + 2 * SUP_FOURIER_TERMS_MAX + function - held;
}

enum { KEYS = 2 + 5 * SUP_FOURIER_TERMS_MAX };

/// Adjacent coefficients for every mode, each list padded to the lanes.
static sup_result make_modes(fourier_maker* m)
{
    sup_mode_maker*    modes = &m->modes;
    const fourier_net* net = m->net;
    uint32_t           count[KEYS] = { 0 }, number[KEYS];
    double             wave[KEYS] = { 0 };
    uint32_t*          index = SUP_NEW(m->modes.arena, uint32_t, net->coefficient_count);
    uint32_t*          mode = SUP_NEW(m->modes.arena, uint32_t, net->coefficient_count);
    if (!index || !mode) return sup_fail_memory(m->modes.error, "fourier");
    for (uint32_t c = 0; c < net->curves.curve_count; ++c)
        for (uint32_t f = 0; f < net->series[c].functions; ++f) {
            uint32_t key = mode_key(net->series[c].kind, f);
            ++count[key];
            if (wave[key] == 0) wave[key] = sup_fourier_wave(net->series[c].kind, f);
        }
    for (uint32_t key = 0; key < KEYS; ++key) {
        if (count[key] == 0) continue;
        number[key] = modes->modes;
        sup_oscillator o = key == 0 ? sup_oscillator_make(0, 0, 0, (sup_ramp)m->p->ramp) : make_mode(m, wave[key]);
        double         w = sup_oscillator_frequency(&o);
        if (key && isfinite(w)) m->out->fastest = fmax(m->out->fastest, w);
        modes->free[modes->modes] = o;
        modes->begin[modes->modes + 1] = modes->begin[modes->modes] + (uint32_t)sup_align(3 * (size_t)count[key], SUP_LANES);
        ++modes->modes;
        count[key] = 0; // from here on: how many have been placed
    }
    for (uint32_t c = 0, i = 0; c < net->curves.curve_count; ++c)
        for (uint32_t f = 0; f < net->series[c].functions; ++f, ++i) {
            uint32_t key = mode_key(net->series[c].kind, f);
            mode[i] = number[key];
            index[i] = modes->begin[number[key]] + 3 * count[key]++;
        }
    m->out->index = index;
    m->out->mode = mode;
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- fit

static void read_samples(const fourier_maker* m, const sup_curve* c, double* samples)
{
    uint32_t columns = 3 * m->s->count;
    for (uint32_t i = 0; i < c->count; ++i) {
        sup_curve_point p = m->net->curves.points[c->begin + i];
        for (uint32_t j = 0; j < m->s->count; ++j) {
            sup_vec3 q = v3_lerp(m->s->q[j][p.a], m->s->q[j][p.b], p.ratio);
            double*  to = samples + (size_t)i * columns + 3 * j;
            to[0] = q.x, to[1] = q.y, to[2] = q.z;
        }
    }
}

static sup_result fit_curve(fourier_maker* m, uint32_t number, sup_arena* work)
{
    const fourier_series* s = &m->net->series[number];
    const sup_curve*      c = &m->net->curves.curves[number];
    uint32_t              columns = 3 * m->s->count;
    double *              samples = SUP_NEW(work, double, (size_t)c->count*columns), *weights = SUP_NEW(work, double, c->count);
    double*               fitted = SUP_NEW(work, double, (size_t)s->functions* columns);
    if (!samples || !weights || !fitted) return sup_fail_memory(m->modes.error, "fourier");
    const double* v = m->net->v + c->begin;
    read_samples(m, c, samples);
    sup_fourier_weights(s->kind, v, c->count, weights);
    sup_result r =
        sup_fourier_fit(s->kind, s->terms, v, weights, c->count, samples, columns, work, fitted, NULL, m->modes.error);
    if (r) return r;
    for (uint32_t f = 0; f < s->functions; ++f)
        for (uint32_t j = 0; j < m->s->count; ++j)
            memcpy(m->modes.shape[j] + m->out->index[s->packed + f], fitted + (size_t)f * columns + 3 * j, 3 * sizeof(double));
    return SUP_OK;
}

static sup_result fit_all(fourier_maker* m)
{
    sup_result r = sup_mode_maker_shapes(&m->modes);
    for (uint32_t c = 0; !r && c < m->net->curves.curve_count; ++c) {
        sup_arena* work = sup_arena_beside(m->modes.arena);
        r = work ? fit_curve(m, c, work) : sup_fail_memory(m->modes.error, "fourier");
        sup_arena_destroy(work);
    }
    return r;
}

// ---------------------------------------------------------------------------------------------- forces

static uint32_t enter_force(const void* link, const sup_force* f, uint32_t curve, sup_modal_entry* out)
{
    const fourier_maker*  m = link;
    const fourier_series* s = &m->net->series[curve];
    double                shares[SUP_FOURIER_FUNCTIONS_MAX];
    bool                  line = f->end > f->begin;
    double   units = m->p->expert ? 1 / (m->modes.unit * m->modes.unit) : 1; // an expert's mass is already in seconds
    uint32_t count = 0;
    sup_fourier_force(s->kind, s->terms, (double)(line ? f->begin : f->ratio), (double)(line ? f->end : f->ratio), shares);
    for (uint32_t i = sup_fourier_held(s->kind); i < s->functions; ++i)
        out[count++] = (sup_modal_entry){ m->out->mode[s->packed + i], m->out->index[s->packed + i], units * shares[i] };
    return count;
}

static uint32_t point_under(const void* link, uint32_t curve)
{
    const sup_curves* curves = &((const fourier_maker*)link)->net->curves;
    const sup_curve*  c = &curves->curves[curve];
    return curves->points[c->begin + c->count / 2].a;
}

sup_result fourier_motion_create(const sup_bind_input* in, const fourier_params* p, const fourier_net* net, sup_arena* arena,
                                 sup_curve_dynamics* d, fourier_motion* out, sup_error* error)
{
    fourier_maker m = { .p = p, .net = net, .s = &d->segments, .out = out };
    *out = (fourier_motion){ 0 };
    sup_result r = sup_mode_maker_begin(in, "fourier", KEYS, arena, d, &m.modes, error);
    if (!r) r = make_modes(&m);
    if (!r) r = fit_all(&m);
    if (!r) r = sup_mode_maker_modal(&m.modes, p->ramp, p->continuity, p->hold);
    sup_curve_forced on = { "fourier", &net->curves, &m, enter_force, SUP_FOURIER_FUNCTIONS_MAX, point_under };
    return sup_mode_maker_end(&m.modes, &on, r);
}
