// Nodes in time. Every mode of every curve and component is one oscillator (deform/curves/modal.h); this file finds the beams'
// modes, expresses the examples in them, and runs the paper's own stepper for comparison.
#include "deform/beam/beam.h"
#include "math/trig.h"
#include "math/vec.h"

#include <string.h>

/// Fastest mode that swings: four frames per cycle; faster ones would only flicker.
#define FRAMES_PER_CYCLE 4.0
#define STEPPED_BYTES_MAX (1u << 30)

typedef struct beam_maker {
    sup_mode_maker       modes;
    const beam_params*   p;
    const sup_curve_net* net;
    const sup_segments*  s;
    beam_motion*         out;
} beam_maker;

// ---------------------------------------------------------------------------------------------- modes

/// One mode of the beam in the maker's units: from cycles and damping, or the expert's a1, a2, a3.
static sup_oscillator make_mode(const beam_maker* m, uint32_t k)
{
    const beam_params* p = m->p;
    const double*      lambda = m->out->beam.lambda;
    if (p->expert) return sup_oscillator_make(p->a2, p->a3, p->a1 * lambda[k], (sup_ramp)p->ramp);
    return sup_mode_oscillator(p->cycles, p->damping, p->law, lambda[k] / lambda[0], (sup_ramp)p->ramp);
}

static sup_result make_modes(beam_maker* m)
{
    beam_motion* o = m->out;
    uint32_t     most = m->p->modes < (int)o->beam.count ? (uint32_t)m->p->modes : o->beam.count, k = 0;
    for (; k < most; ++k) {
        m->modes.free[k] = make_mode(m, k);
        if (sup_oscillator_frequency(&m->modes.free[k]) > 2 * SUP_PI / FRAMES_PER_CYCLE * m->p->frames) break;
        m->modes.begin[k + 1] = (k + 1) * m->net->stride;
    }
    m->modes.modes = k;
    float* vectors = SUP_NEW(m->modes.arena, float, (size_t)o->beam.count* k);
    if (!vectors) return sup_fail_memory(m->modes.error, "beam");
    for (uint32_t n = 0; n < o->beam.count; ++n)
        for (uint32_t i = 0; i < k; ++i) vectors[n * k + i] = (float)o->beam.vectors[n * o->beam.count + i];
    o->vectors = vectors;
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- examples

/// What the dynamics act on: the inner nodes without the lift (or with it, in a start from rest), [N - 1][stride] in place.
static void lower(const beam_maker* m, double* rows)
{
    uint32_t N = m->net->intervals, stride = m->net->stride;
    if (m->p->start == START_REST) return;
    for (uint32_t c = 0; c < m->net->columns; ++c) {
        sup_beam_ends ends = sup_beam_ends_of(rows + c, N, stride);
        // Where a closed curve begins is arbitrary: its slope there must not lift the rest of it.
        if (m->net->curves.curves[c / 3].closed) ends.s0 = ends.s1 = 0;
        for (uint32_t n = 1; n < N; ++n) rows[(size_t)n * stride + c] -= sup_beam_lift(&ends, N, n);
    }
}

static void project(const beam_maker* m, const double* rows, double* shape)
{
    const sup_beam_modes* beam = &m->out->beam;
    uint32_t              stride = m->net->stride;
    for (uint32_t k = 0; k < m->modes.modes; ++k)
        for (uint32_t c = 0; c < m->net->columns; ++c) {
            double sum = 0;
            for (uint32_t n = 0; n < beam->count; ++n)
                sum += beam->vectors[n * beam->count + k] * rows[(size_t)(n + 1) * stride + c];
            shape[(size_t)k * stride + c] = sum;
        }
}

static sup_result make_shapes(beam_maker* m)
{
    double*    rows = SUP_NEW(m->modes.beside, double, ((size_t)m->net->intervals + 1) * m->net->stride);
    sup_result r = rows ? sup_mode_maker_shapes(&m->modes) : sup_fail_memory(m->modes.error, "beam");
    for (uint32_t j = 0; !r && j < m->s->count; ++j) {
        beam_net_read(m->net, m->s->q[j], rows);
        lower(m, rows);
        project(m, rows, m->modes.shape[j]);
    }
    return r;
}

// ---------------------------------------------------------------------------------------------- the paper's stepper

/// a1, a2, a3 as the paper's equation has them, in units of one segment.
static void constants_of(const beam_maker* m, uint32_t segment, sup_beam_run* run)
{
    const double* times = m->modes.d->modal.times;
    double        lasts = (times[segment + 1] - times[segment]) / m->modes.unit, w1 = 2 * SUP_PI * m->p->cycles;
    run->a1 = m->p->expert ? m->p->a1 : w1 * w1 / m->out->beam.lambda[0];
    run->a2 = m->p->expert ? m->p->a2 : 1;
    run->a3 = m->p->expert ? m->p->a3 : 2 * m->p->damping * w1; // the paper has one number for all modes
    run->a2 /= lasts * lasts;
    run->a3 /= lasts;
}

/// Rows and columns of one run of the stepper, and its input.
typedef struct stepper {
    size_t  frame; ///< doubles of one frame
    double *from, *to, *load, *q, *spare, *phi, *share;
} stepper;

static bool make_stepper(const beam_maker* m, stepper* s)
{
    uint32_t stride = m->net->stride, frames = (uint32_t)m->p->frames;
    s->frame = (size_t)m->out->beam.count * stride;
    s->from = SUP_NEW(m->modes.beside, double, s->frame + 2 * stride),
    s->to = SUP_NEW(m->modes.beside, double, s->frame + 2 * stride);
    s->load = SUP_NEW(m->modes.beside, double, s->frame), s->q = SUP_NEW(m->modes.beside, double, s->frame*(frames + 1));
    s->spare = SUP_NEW(m->modes.beside, double, 2 * s->frame), s->phi = SUP_NEW(m->modes.beside, double, (size_t)frames + 1);
    s->share = SUP_NEW(m->modes.beside, double, stride);
    return s->from && s->to && s->load && s->q && s->spare && s->phi && s->share;
}

/// The force that leads from one example to the next: per mode, from the stepper's response to a unit force.
static void find_load(const beam_maker* m, const sup_beam_run* run, const stepper* s)
{
    const sup_beam_modes* beam = &m->out->beam;
    uint32_t              inner = beam->count, stride = m->net->stride;
    for (uint32_t k = 0; k < inner; ++k) {
        const double* v = beam->vectors + k;
        sup_beam_scalar_run(run, beam->lambda[k], s->phi);
        for (uint32_t c = 0; c < m->net->columns; ++c) {
            s->share[c] = 0;
            for (uint32_t n = 0; n < inner; ++n) s->share[c] += v[(size_t)n * inner] * s->to[(size_t)(n + 1) * stride + c];
            s->share[c] /= s->phi[run->frames];
        }
        for (uint32_t n = 0; n < inner; ++n)
            for (uint32_t c = 0; c < m->net->columns; ++c)
                s->load[(size_t)n * stride + c] += v[(size_t)n * inner] * s->share[c];
    }
}

/// Runs the stepper over one segment and keeps its deviation from the ramp.
static sup_result step_segment(const beam_maker* m, uint32_t j, const stepper* s, float* keep)
{
    uint32_t     stride = m->net->stride, frames = (uint32_t)m->p->frames;
    sup_beam_run run = { .intervals = m->net->intervals,
                         .frames = frames,
                         .columns = m->net->columns,
                         .stride = stride,
                         .ramp = (sup_ramp)m->p->ramp,
                         .scheme = m->p->integrator == INTEGRATOR_NEWMARK ? SUP_BEAM_NEWMARK : SUP_BEAM_PAPER,
                         .load = s->load,
                         .q = s->q,
                         .spare = s->spare };
    constants_of(m, j, &run);
    beam_net_read(m->net, m->s->q[j], s->from), lower(m, s->from);
    beam_net_read(m->net, m->s->q[(j + 1) % m->modes.d->modal.examples], s->to), lower(m, s->to);
    for (size_t i = 0; i < s->frame; ++i) s->to[stride + i] -= s->from[stride + i], s->load[i] = 0;
    find_load(m, &run, s);
    sup_result r = sup_beam_run_all(&run, m->modes.beside, m->modes.error);
    for (uint32_t f = 0; !r && f < frames; ++f) {
        double ramp = sup_ramp_value(run.ramp, (double)f / frames);
        for (size_t i = 0; i < s->frame; ++i)
            keep[f * s->frame + i] = (float)(s->q[f * s->frame + i] - ramp * s->to[stride + i]);
    }
    return r; // the last frame is the example: the arena is zeroed
}

static sup_result make_stepped(beam_maker* m)
{
    uint32_t frames = (uint32_t)m->p->frames, segments = m->modes.d->modal.segments;
    size_t   one = (size_t)m->out->beam.count * m->net->stride * (frames + 1), total = one * segments;
    stepper  s = { 0 };
    if (total > STEPPED_BYTES_MAX / sizeof(float))
        return sup_fail(m->modes.error, SUP_ERROR_INPUT,
                        "beam: %u frames between %u examples would take %u MB; lower beam.frames, or use integrator=exact",
                        frames, m->s->count, (uint32_t)(total * sizeof(float) >> 20));
    float*     stepped = SUP_NEW(m->modes.arena, float, total);
    sup_result r = stepped && make_stepper(m, &s) ? SUP_OK : sup_fail_memory(m->modes.error, "beam");
    for (uint32_t j = 0; j < segments && !r; ++j) r = step_segment(m, j, &s, stepped + j * one);
    m->out->stepped = stepped;
    return r;
}

// ---------------------------------------------------------------------------------------------- forces

/// Share of a point or line force in every mode; a point force is N at its node, so that its integral is 1.
static uint32_t enter_force(const void* link, const sup_force* f, uint32_t curve, sup_modal_entry* out)
{
    const beam_maker* m = link;
    uint32_t          N = m->net->intervals, inner = m->out->beam.count;
    double            begin = f->begin, end = f->end;
    if (!(end > begin)) begin = f->ratio - 0.5 / N, end = f->ratio + 0.5 / N;
    for (uint32_t k = 0; k < m->modes.modes; ++k) out[k] = (sup_modal_entry){ k, k * m->net->stride + 3 * curve, 0 };
    for (uint32_t n = 1; n < N; ++n) { // the part of the line inside the node's own interval
        double low = (n - 0.5) / N, high = (n + 0.5) / N;
        double covered = (end < high ? end : high) - (begin > low ? begin : low);
        if (!(covered > 0)) continue;
        for (uint32_t k = 0; k < m->modes.modes; ++k)
            out[k].share += N * covered / (end - begin) * m->out->beam.vectors[(n - 1) * inner + k];
    }
    return m->modes.modes;
}

static uint32_t point_under(const void* link, uint32_t curve)
{
    const sup_curve_net* net = ((const beam_maker*)link)->net;
    return net->sources[curve * (net->intervals + 1) + net->intervals / 2].point[0];
}

// ---------------------------------------------------------------------------------------------- all of it

sup_result beam_motion_create(const sup_bind_input* in, const beam_params* p, const sup_curve_net* net, sup_arena* arena,
                              sup_curve_dynamics* d, beam_motion* out, sup_error* error)
{
    beam_maker m = { .p = p, .net = net, .s = &d->segments, .out = out };
    bool       exact = p->integrator == INTEGRATOR_EXACT; // the steppers start every segment at rest
    *out = (beam_motion){ .frames = (uint32_t)p->frames };
    sup_result r = sup_mode_maker_begin(in, "beam", (uint32_t)p->modes, arena, d, &m.modes, error);
    if (!r) r = sup_beam_modes_create((uint32_t)p->intervals, arena, &out->beam, error);
    if (!r) r = make_modes(&m);
    if (!r) r = make_shapes(&m);
    if (!r) r = sup_mode_maker_modal(&m.modes, p->ramp, exact ? p->continuity : SUP_CONTINUITY_RESTART, p->hold);
    if (!r && !exact && d->modal.segments) r = make_stepped(&m);
    sup_curve_forced on = { "beam", &net->curves, &m, enter_force, m.modes.modes, point_under };
    return sup_mode_maker_end(&m.modes, &on, r);
}
