// Nodes in time. Every mode of every curve and component is one oscillator (deform/modal); here the beams' modes are found, the
// examples written in them, and the paper's own stepper is run beside.
#include "deform/beam/beam.h"
#include "deform/curves/curve_forces.h"
#include "math/vec.h"

#include <string.h>

#define PI 3.14159265358979323846
/// Fastest mode that swings: four frames a cycle, or it would only flicker.
#define FRAMES_PER_CYCLE 4.0
#define STEPPED_BYTES_MAX (1u << 30)

typedef struct motion_maker {
    const sup_bind_input* in;
    const beam_params*    p;
    const sup_curve_net*  net;
    const sup_segments*   s;
    sup_arena*            arena;
    sup_arena*            beside;
    sup_error*            error;
    beam_motion*          out;
    double                unit;
    uint32_t              modes;
    sup_oscillator*       free;
    uint32_t*             begin;
    double**              shape;
} motion_maker;

// ---------------------------------------------------------------------------------------------- modes

/// One mode of the beam in units of `unit`: from cycles and damping, or the expert's a1, a2, a3.
static sup_oscillator make_mode(const motion_maker* m, uint32_t k)
{
    const beam_params* p = m->p;
    const double*      lambda = m->out->beam.lambda;
    if (p->expert) return sup_oscillator_make(p->a2, p->a3, p->a1 * lambda[k], (sup_ramp)p->ramp);
    double w1 = 2 * PI * p->cycles, w = w1 * sqrt(lambda[k] / lambda[0]);
    double eta = 2 * p->damping * (p->law == LAW_MASS ? w1 : p->law == LAW_STIFFNESS ? w * w / w1 : w);
    return sup_oscillator_make(1, eta, w * w, (sup_ramp)p->ramp);
}

static sup_result make_modes(motion_maker* m)
{
    beam_motion* o = m->out;
    uint32_t     most = m->p->modes < (int)o->beam.count ? (uint32_t)m->p->modes : o->beam.count, k = 0;
    m->free = SUP_NEW(m->beside, sup_oscillator, most);
    m->begin = SUP_NEW(m->beside, uint32_t, (size_t)most + 1);
    if (!m->free || !m->begin) return sup_fail_memory(m->error, "beam");
    for (; k < most; ++k) {
        m->free[k] = make_mode(m, k);
        if (sup_oscillator_frequency(&m->free[k]) > 2 * PI / FRAMES_PER_CYCLE * m->p->frames) break;
        m->begin[k + 1] = (k + 1) * m->net->stride;
    }
    m->modes = k;
    float* vectors = SUP_NEW(m->arena, float, (size_t)o->beam.count* k);
    if (!vectors) return sup_fail_memory(m->error, "beam");
    for (uint32_t n = 0; n < o->beam.count; ++n)
        for (uint32_t i = 0; i < k; ++i) vectors[n * k + i] = (float)o->beam.vectors[n * o->beam.count + i];
    o->vectors = vectors;
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- examples

/// What the dynamics act on: the inner nodes without the lift (or with it, in a start from rest), [N - 1][stride] in place.
static void lower(const motion_maker* m, double* rows)
{
    uint32_t N = m->net->intervals, stride = m->net->stride;
    if (m->p->start == START_REST) return;
    for (uint32_t c = 0; c < m->net->columns; ++c) {
        sup_beam_ends ends = sup_beam_ends_of(rows + c, N, stride);
        // Where a closed curve begins is nobody's choice: its slope there must not lift the rest of it.
        if (m->net->curves.curves[c / 3].closed) ends.s0 = ends.s1 = 0;
        for (uint32_t n = 1; n < N; ++n) rows[(size_t)n * stride + c] -= sup_beam_lift(&ends, N, n);
    }
}

static void project(const motion_maker* m, const double* rows, double* shape)
{
    const sup_beam_modes* beam = &m->out->beam;
    uint32_t              stride = m->net->stride;
    for (uint32_t k = 0; k < m->modes; ++k)
        for (uint32_t c = 0; c < m->net->columns; ++c) {
            double sum = 0;
            for (uint32_t n = 0; n < beam->count; ++n)
                sum += beam->vectors[n * beam->count + k] * rows[(size_t)(n + 1) * stride + c];
            shape[(size_t)k * stride + c] = sum;
        }
}

static sup_result make_shapes(motion_maker* m)
{
    double* rows = SUP_NEW(m->beside, double, ((size_t)m->net->intervals + 1) * m->net->stride);
    m->shape = SUP_NEW(m->beside, double*, m->s->count);
    if (!rows || !m->shape) return sup_fail_memory(m->error, "beam");
    for (uint32_t j = 0; j < m->s->count; ++j) {
        m->shape[j] = SUP_NEW(m->beside, double, (size_t)m->modes * m->net->stride + 1);
        if (!m->shape[j]) return sup_fail_memory(m->error, "beam");
        beam_net_read(m->net, m->s->q[j], rows);
        lower(m, rows);
        project(m, rows, m->shape[j]);
    }
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- the paper's stepper

/// a1, a2, a3 as the paper's equation has them, in units of one segment.
static void constants_of(const motion_maker* m, uint32_t segment, sup_beam_run* run)
{
    const double* times = m->out->modal.times;
    double        lasts = (times[segment + 1] - times[segment]) / m->unit, w1 = 2 * PI * m->p->cycles;
    run->a1 = m->p->expert ? m->p->a1 : w1 * w1 / m->out->beam.lambda[0];
    run->a2 = m->p->expert ? m->p->a2 : 1;
    run->a3 = m->p->expert ? m->p->a3 : 2 * m->p->damping * w1; // the paper has one number for all modes
    run->a2 /= lasts * lasts;
    run->a3 /= lasts;
}

/// Rows and columns of one run of the stepper, and what it is fed with.
typedef struct stepper {
    size_t  frame; ///< doubles of one frame
    double *from, *to, *load, *q, *spare, *phi, *share;
} stepper;

static bool make_stepper(const motion_maker* m, stepper* s)
{
    uint32_t stride = m->net->stride, frames = (uint32_t)m->p->frames;
    s->frame = (size_t)m->out->beam.count * stride;
    s->from = SUP_NEW(m->beside, double, s->frame + 2 * stride), s->to = SUP_NEW(m->beside, double, s->frame + 2 * stride);
    s->load = SUP_NEW(m->beside, double, s->frame), s->q = SUP_NEW(m->beside, double, s->frame*(frames + 1));
    s->spare = SUP_NEW(m->beside, double, 2 * s->frame), s->phi = SUP_NEW(m->beside, double, (size_t)frames + 1);
    s->share = SUP_NEW(m->beside, double, stride);
    return s->from && s->to && s->load && s->q && s->spare && s->phi && s->share;
}

/// The force that leads from one example to the next: each mode's by what the stepper makes of a unit force.
static void find_load(const motion_maker* m, const sup_beam_run* run, const stepper* s)
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

/// Runs the stepper over one segment and keeps what it deviates by from the ramp.
static sup_result step_segment(const motion_maker* m, uint32_t j, const stepper* s, float* keep)
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
    beam_net_read(m->net, m->s->q[(j + 1) % m->out->modal.examples], s->to), lower(m, s->to);
    for (size_t i = 0; i < s->frame; ++i) s->to[stride + i] -= s->from[stride + i], s->load[i] = 0;
    find_load(m, &run, s);
    sup_result r = sup_beam_run_all(&run, m->beside, m->error);
    for (uint32_t f = 0; !r && f < frames; ++f) {
        double ramp = sup_ramp_value(run.ramp, (double)f / frames);
        for (size_t i = 0; i < s->frame; ++i)
            keep[f * s->frame + i] = (float)(s->q[f * s->frame + i] - ramp * s->to[stride + i]);
    }
    return r; // the last frame is the example: the arena is zeroed
}

static sup_result make_stepped(motion_maker* m)
{
    uint32_t frames = (uint32_t)m->p->frames, segments = m->out->modal.segments;
    size_t   one = (size_t)m->out->beam.count * m->net->stride * (frames + 1), total = one * segments;
    stepper  s = { 0 };
    if (total > STEPPED_BYTES_MAX / sizeof(float))
        return sup_fail(m->error, SUP_ERROR_INPUT,
                        "beam: %u frames between %u examples would take %u MB; lower beam.frames, or use integrator=exact",
                        frames, m->s->count, (uint32_t)(total * sizeof(float) >> 20));
    float*     stepped = SUP_NEW(m->arena, float, total);
    sup_result r = stepped && make_stepper(m, &s) ? SUP_OK : sup_fail_memory(m->error, "beam");
    for (uint32_t j = 0; j < segments && !r; ++j) r = step_segment(m, j, &s, stepped + j * one);
    m->out->stepped = stepped;
    return r;
}

// ---------------------------------------------------------------------------------------------- forces

/// Share of a point or line force in every mode; a point force is N at its node, so that its integral is 1.
static uint32_t enter_force(const void* link, const sup_force* f, uint32_t curve, sup_modal_entry* out)
{
    const motion_maker* m = link;
    uint32_t            N = m->net->intervals, inner = m->out->beam.count;
    double              begin = f->begin, end = f->end;
    if (!(end > begin)) begin = f->ratio - 0.5 / N, end = f->ratio + 0.5 / N;
    for (uint32_t k = 0; k < m->modes; ++k) out[k] = (sup_modal_entry){ k, k * m->net->stride + 3 * curve, 0 };
    for (uint32_t n = 1; n < N; ++n) { // the part of the line that lies in the node's own interval
        double low = (n - 0.5) / N, high = (n + 0.5) / N;
        double covered = (end < high ? end : high) - (begin > low ? begin : low);
        if (!(covered > 0)) continue;
        for (uint32_t k = 0; k < m->modes; ++k)
            out[k].share += N * covered / (end - begin) * m->out->beam.vectors[(n - 1) * inner + k];
    }
    return m->modes;
}

static uint32_t point_under(const void* link, uint32_t curve)
{
    const sup_curve_net* net = ((const motion_maker*)link)->net;
    return net->sources[curve * (net->intervals + 1) + net->intervals / 2].point[0];
}

// ---------------------------------------------------------------------------------------------- all of it

sup_result beam_motion_create(const sup_bind_input* in, const beam_params* p, const sup_curve_net* net,
                              const sup_segments* segments, double fade, sup_arena* arena, beam_motion* out, sup_error* error)
{
    beam_motion  made = { .frames = (uint32_t)p->frames };
    motion_maker m = { .in = in, .p = p, .net = net, .s = segments, .arena = arena, .error = error, .out = &made };
    m.beside = sup_arena_beside(arena);
    m.unit = sup_modal_unit(segments, in->cycle_begin, in->cycle_end);
    sup_result r =
        m.beside ? sup_beam_modes_create((uint32_t)p->intervals, arena, &made.beam, error) : sup_fail_memory(error, "beam");
    if (!r) r = make_modes(&m);
    if (!r) r = make_shapes(&m);
    if (!r) {
        bool           exact = p->integrator == INTEGRATOR_EXACT; // the steppers begin every segment at rest
        sup_modal_desc desc = { .segments = segments,
                                .cycle_begin = in->cycle_begin,
                                .cycle_end = in->cycle_end,
                                .modes = m.modes,
                                .free = m.free,
                                .begin = m.begin,
                                .shape = (const double* const*)m.shape,
                                .ramp = (sup_ramp)p->ramp,
                                .continuity = exact ? (sup_continuity)p->continuity : SUP_CONTINUITY_RESTART,
                                .fade = fade };
        r = sup_modal_create(&desc, arena, &made.modal, error);
    }
    if (!r && p->integrator != INTEGRATOR_EXACT && made.modal.segments) r = make_stepped(&m);
    sup_curve_forced on = { "beam", &net->curves, &m, enter_force, m.modes, point_under };
    sup_curve_forces forces = { 0 };
    if (!r) r = sup_curve_forces_create(in, &on, &made.modal, arena, &forces, error);
    made.force_count = forces.count, made.forces = forces.forces;
    sup_arena_destroy(m.beside);
    if (!r) *out = made;
    return r;
}
