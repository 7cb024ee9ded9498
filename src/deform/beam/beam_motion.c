// Nodes in time. Every mode of every curve and component is one oscillator; between examples it is driven so that the examples
// are met exactly. What is computed here is the deviation from the carrier (the examples interpolated), zero at every example:
//   one segment        (gamma_k(t) - r(t)) Y_k
//   several            y_k(t) - H_k(t), H the cubic through the examples, y_k by carried rates or by the dynamic Hermite form
//   behind the last    psi_k(tau) v_k: it rings out
#include "deform/beam/beam.h"
#include "math/vec.h"

#include <string.h>

#define PI 3.14159265358979323846
/// Fastest mode that swings: four frames a cycle, or it would only flicker.
#define FRAMES_PER_CYCLE 4.0
/// Carried rates that keep more than this from segment to segment swing up where examples alternate; captured sequences get
/// worse.
#define CARRY_AUTO 0.4
#define STEPPED_BYTES_MAX (1u << 30)

typedef struct motion_maker {
    const sup_bind_input* in;
    const beam_params*    p;
    const sup_curve_net*  net;
    const sup_segments*   s;
    sup_arena*            arena;
    sup_error*            error;
    beam_motion*          out;
    size_t                block; ///< floats of one [K][stride]
    uint32_t              examples;
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

static double seconds_of(const motion_maker* m, uint32_t segment) { return m->s->times[segment + 1] - m->s->times[segment]; }

static sup_result make_modes(motion_maker* m)
{
    beam_motion* o = m->out;
    uint32_t     most = m->p->modes < (int)o->beam.count ? (uint32_t)m->p->modes : o->beam.count, k = 0;
    o->unit = o->segments ? m->s->times[m->s->count - 1] - m->s->times[0] : 1.0;
    sup_oscillator* free = SUP_NEW(m->arena, sup_oscillator, most);
    if (!free) return sup_fail_memory(m->error, "beam");
    for (; k < most; ++k) {
        free[k] = make_mode(m, k);
        if (sup_oscillator_frequency(&free[k]) > 2 * PI / FRAMES_PER_CYCLE * m->p->frames) break;
    }
    o->modes = k;
    o->free = free;
    m->block = (size_t)k * m->net->stride;
    float*          vectors = SUP_NEW(m->arena, float, (size_t)o->beam.count* k);
    bool *          still = SUP_NEW(m->arena, bool, k), *hermite = SUP_NEW(m->arena, bool, k);
    sup_oscillator* list = SUP_NEW(m->arena, sup_oscillator, (size_t)k * o->segments);
    if (!vectors || !still || !hermite || !list) return sup_fail_memory(m->error, "beam");
    for (uint32_t n = 0; n < o->beam.count; ++n)
        for (uint32_t i = 0; i < k; ++i) vectors[n * k + i] = (float)o->beam.vectors[n * o->beam.count + i];
    for (uint32_t i = 0; i < k; ++i) {
        bool grows = false, fits = true;
        for (uint32_t j = 0; j < o->segments; ++j) {
            sup_oscillator* x = &list[j * k + i];
            *x = sup_oscillator_last(&free[i], seconds_of(m, j) / o->unit);
            grows |= x->carry_grows;
            fits &= x->hermite_fits;
            if (o->segments > 1 && x->carry_grows && fabs(x->mu) > o->growth) o->growth = fabs(x->mu);
        }
        // Auto: prescribed rates where that is well posed, else the mode goes with the carrier. Carried rates swing up where
        // examples alternate: on captured sequences they cost up to 10% of the error between keys.
        bool several = o->segments > 1, automatic = m->p->continuity == CONTINUITY_AUTO;
        hermite[i] = several && fits && (automatic || m->p->continuity == CONTINUITY_HERMITE);
        still[i] = free[i].still || (several && automatic && !fits);
        o->growing += o->segments > 1 && m->p->continuity == CONTINUITY_CARRY && grows;
    }
    o->vectors = vectors;
    o->still = still;
    o->hermite = hermite;
    o->oscillators = list;
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
        if (m->net->curves.curves[c / 3].closed) // one slope on both sides of the seam
            ends.s0 = ends.s1 = 0.5 * N * (rows[stride + c] - rows[(size_t)(N - 1) * stride + c]);
        for (uint32_t n = 1; n < N; ++n) rows[(size_t)n * stride + c] -= sup_beam_lift(&ends, N, n);
    }
}

static void project(const motion_maker* m, const double* rows, float* shape)
{
    const beam_motion* o = m->out;
    uint32_t           stride = m->net->stride;
    for (uint32_t k = 0; k < o->modes; ++k)
        for (uint32_t c = 0; c < m->net->columns; ++c) {
            double sum = 0;
            for (uint32_t n = 0; n < o->beam.count; ++n)
                sum += o->beam.vectors[n * o->beam.count + k] * rows[(size_t)(n + 1) * stride + c];
            shape[(size_t)k * stride + c] = (float)sum;
        }
}

/// Carried rates, or the tangents where a mode takes the Hermite form; the last entry is what is left behind the last example.
static void make_rates(motion_maker* m, const float* change, const float* slope, float* rate)
{
    const beam_motion* o = m->out;
    uint32_t           stride = m->net->stride;
    if (m->p->continuity == CONTINUITY_RESTART)
        for (uint32_t j = 0; j < o->segments; ++j) { // every segment begins at rest; only the last leaves something
            if (j + 1 < o->segments) continue;
            for (uint32_t k = 0; k < o->modes; ++k)
                for (uint32_t c = 0; c < stride; ++c)
                    rate[(size_t)(j + 1) * m->block + (size_t)k * stride + c] =
                        (float)o->oscillators[j * o->modes + k].gamma_rate *
                        change[(size_t)j * m->block + (size_t)k * stride + c];
        }
    else
        for (uint32_t k = 0; k < o->modes; ++k)
            for (uint32_t c = 0; c < stride; ++c) {
                double v = 0;
                for (uint32_t j = 0; j < o->segments; ++j) {
                    size_t                at = (size_t)j * m->block + (size_t)k * stride + c;
                    const sup_oscillator* x = &o->oscillators[j * o->modes + k];
                    double                end = (double)x->gamma_rate * change[at] + x->mu * v;
                    if (o->hermite[k]) {
                        v = slope[at] * seconds_of(m, j);
                        end = slope[at + m->block] * seconds_of(m, j);
                    }
                    rate[at] = (float)v;
                    rate[at + m->block] = (float)end;
                    if (j + 1 < o->segments) v = end * seconds_of(m, j + 1) / seconds_of(m, j);
                }
            }
}

static sup_result make_shapes(motion_maker* m)
{
    beam_motion* o = m->out;
    uint32_t     rows = m->net->intervals + 1, stride = m->net->stride;
    double*      at = SUP_NEW(m->arena, double, (size_t)rows* stride);
    float *      shape = SUP_NEW(m->arena, float, m->block * m->examples + 8),
          *change = SUP_NEW(m->arena, float, m->block * o->segments + 8);
    float *rate = SUP_NEW(m->arena, float, m->block*((size_t)o->segments + 1) + 8),
          *slope = SUP_NEW(m->arena, float, m->block * m->examples + 8);
    if (!at || !shape || !change || !rate || !slope) return sup_fail_memory(m->error, "beam");
    for (uint32_t j = 0; j < m->examples; ++j) {
        beam_net_read(m->net, m->s->q[j], at);
        lower(m, at);
        project(m, at, shape + j * m->block);
    }
    for (size_t i = 0; i < m->block * o->segments; ++i) change[i] = shape[i + m->block] - shape[i];
    for (uint32_t j = 0; j < m->examples && o->smooth; ++j) {
        sup_tangent t = sup_segments_tangent(m->s, j);
        for (size_t i = 0; i < m->block; ++i)
            slope[j * m->block + i] = (float)(t.scale * ((double)shape[t.to * m->block + i] - shape[t.from * m->block + i]));
    }
    make_rates(m, change, slope, rate);
    o->shape = shape;
    o->change = change;
    o->rate = rate;
    o->slope = slope;
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- the paper's stepper

/// a1, a2, a3 as the paper's equation has them, in units of one segment.
static void constants_of(const motion_maker* m, uint32_t segment, sup_beam_run* run)
{
    double lasts = seconds_of(m, segment) / m->out->unit, w1 = 2 * PI * m->p->cycles;
    run->a1 = m->p->expert ? m->p->a1 : w1 * w1 / m->out->beam.lambda[0];
    run->a2 = m->p->expert ? m->p->a2 : 1;
    run->a3 = m->p->expert ? m->p->a3 : 2 * m->p->damping * w1; // the paper has one number for all modes
    run->a2 /= lasts * lasts;
    run->a3 /= lasts;
}

/// Runs the stepper over every segment with the force that leads to the next example, and keeps what it deviates by from the
/// ramp.
static sup_result make_stepped(motion_maker* m)
{
    beam_motion* o = m->out;
    uint32_t     inner = o->beam.count, stride = m->net->stride, frames = (uint32_t)m->p->frames;
    size_t       frame = (size_t)inner * stride, total = frame * (frames + 1) * o->segments;
    if (total > STEPPED_BYTES_MAX / sizeof(float))
        return sup_fail(m->error, SUP_ERROR_INPUT,
                        "beam: %u frames between %u examples would take %u MB; lower beam.frames, or use integrator=exact",
                        frames, m->examples, (uint32_t)(total * sizeof(float) >> 20));
    sup_arena* beside = sup_arena_beside(m->arena);
    float*     stepped = SUP_NEW(m->arena, float, total);
    double *   from = NULL, *to = NULL, *load = NULL, *q = NULL, *spare = NULL, *phi = NULL, *share = NULL;
    if (beside) {
        from = SUP_NEW(beside, double, frame + 2 * stride), to = SUP_NEW(beside, double, frame + 2 * stride);
        load = SUP_NEW(beside, double, frame), q = SUP_NEW(beside, double, frame*(frames + 1));
        spare = SUP_NEW(beside, double, 2 * frame), phi = SUP_NEW(beside, double, (size_t)frames + 1);
        share = SUP_NEW(beside, double, stride);
    }
    sup_result r = SUP_OK;
    if (!beside || !stepped || !from || !to || !load || !q || !spare || !phi || !share) r = sup_fail_memory(m->error, "beam");
    for (uint32_t j = 0; !r && j < o->segments; ++j) {
        sup_beam_run run = { m->net->intervals,
                             frames,
                             m->net->columns,
                             stride,
                             0,
                             0,
                             0,
                             (sup_ramp)m->p->ramp,
                             m->p->integrator == INTEGRATOR_NEWMARK ? SUP_BEAM_NEWMARK : SUP_BEAM_PAPER,
                             load,
                             q,
                             spare };
        constants_of(m, j, &run);
        beam_net_read(m->net, m->s->q[j], from), lower(m, from);
        beam_net_read(m->net, m->s->q[j + 1], to), lower(m, to);
        for (size_t i = 0; i < frame; ++i) to[stride + i] -= from[stride + i], load[i] = 0;
        for (uint32_t k = 0; k < inner; ++k) {
            const double* v = o->beam.vectors + k;
            sup_beam_scalar_run(&run, o->beam.lambda[k], phi);
            for (uint32_t c = 0; c < m->net->columns; ++c) {
                share[c] = 0;
                for (uint32_t n = 0; n < inner; ++n) share[c] += v[(size_t)n * inner] * to[(size_t)(n + 1) * stride + c];
                share[c] /= phi[frames];
            }
            for (uint32_t n = 0; n < inner; ++n)
                for (uint32_t c = 0; c < m->net->columns; ++c) load[(size_t)n * stride + c] += v[(size_t)n * inner] * share[c];
        }
        r = sup_beam_run_all(&run, beside, m->error);
        for (uint32_t f = 0; !r && f <= frames; ++f) {
            double ramp = sup_ramp_value(run.ramp, (double)f / frames);
            float* keep = stepped + ((size_t)j * (frames + 1) + f) * frame;
            for (size_t i = 0; i < frame; ++i) keep[i] = f == frames ? 0 : (float)(q[f * frame + i] - ramp * to[stride + i]);
        }
    }
    sup_arena_destroy(beside);
    o->stepped = stepped;
    return r;
}

// ---------------------------------------------------------------------------------------------- forces

/// Share of a point or line force in every mode; a point force is N at its node, so that its integral is 1.
static void force_shares(const motion_maker* m, const sup_force* f, double* share)
{
    uint32_t N = m->net->intervals, inner = m->out->beam.count;
    double   begin = f->begin, end = f->end;
    if (!(end > begin)) begin = f->ratio - 0.5 / N, end = f->ratio + 0.5 / N;
    for (uint32_t n = 1; n < N; ++n) { // the part of the line that lies in the node's own interval
        double low = (n - 0.5) / N, high = (n + 0.5) / N;
        double covered = (end < high ? end : high) - (begin > low ? begin : low);
        if (!(covered > 0)) continue;
        for (uint32_t k = 0; k < m->out->modes; ++k)
            share[k] += N * covered / (end - begin) * m->out->beam.vectors[(n - 1) * inner + k];
    }
}

static sup_oscillator in_seconds(const beam_motion* m, uint32_t k)
{
    const sup_oscillator* o = &m->free[k];
    return sup_oscillator_make(o->rho, o->eta / m->unit, o->h / (m->unit * m->unit), SUP_RAMP_LINEAR);
}

static sup_result make_force(motion_maker* m, uint32_t number, sup_pose* pose, beam_force* out)
{
    const beam_motion* o = m->out;
    sup_force          f;
    const double*      times;
    const bool*        steps;
    sup_world_plan_force(m->in->world, number, 0, &f);
    out->key_count = sup_world_plan_force_keys(m->in->world, number, &times, NULL, &steps);
    out->times = times;
    out->steps = steps;
    sup_result r = sup_curve_of_force(&f, "beam", &m->net->curves, m->in->character->mesh.points, &out->curve, m->error);
    if (r) return r;
    uint32_t under = m->net->sources[out->curve * (m->net->intervals + 1) + m->net->intervals / 2].point[0];
    double*  share = SUP_NEW(m->arena, double, o->modes);
    double * values, *states = SUP_NEW(m->arena, double, (size_t)out->key_count * o->modes * 6);
    if (!share || !states) return sup_fail_memory(m->error, "beam");
    force_shares(m, &f, share);
    r = sup_curve_force_values(m->in, number, under, pose, m->arena, &values, m->error);
    if (r) return r;
    for (uint32_t k = 0; k < o->modes; ++k) {
        sup_oscillator x = in_seconds(o, k);
        for (uint32_t i = 0; i < out->key_count; ++i)
            for (uint32_t c = 0; c < 3; ++c) {
                double* now = states + ((size_t)i * o->modes + k) * 6 + c;
                if (i == 0) { // the first value has held for ever
                    now[0] = x.h > 0 ? values[c] / x.h : 0;
                    continue;
                }
                const double*       before = states + ((size_t)(i - 1) * o->modes + k) * 6 + c;
                sup_oscillator_step step = sup_oscillator_prepare(&x, times[i] - times[i - 1]);
                double              y = before[0], v = before[3], from = values[3 * (i - 1) + c];
                sup_oscillator_advance(&step, from, steps && steps[i - 1] ? from : values[3 * i + c], &y, &v);
                now[0] = y, now[3] = v;
            }
    }
    out->values = values;
    out->share = share;
    out->states = states;
    return SUP_OK;
}

static sup_result make_forces(motion_maker* m)
{
    uint32_t count = m->in->world ? sup_world_plan_force_count(m->in->world) : 0;
    if (count == 0) return SUP_OK;
    beam_force* forces = SUP_NEW(m->arena, beam_force, count);
    sup_pose    pose;
    if (!forces) return sup_fail_memory(m->error, "beam");
    sup_result r = sup_pose_create(m->in->character, m->arena, &pose, m->error);
    for (uint32_t i = 0; i < count && !r; ++i) {
        sup_force f;
        sup_world_plan_force(m->in->world, i, 0, &f);
        if (f.kind == SUP_FORCE_CURVE) r = make_force(m, i, &pose, &forces[m->out->force_count++]);
    }
    m->out->forces = forces;
    return r;
}

sup_result beam_motion_create(const sup_bind_input* in, const beam_params* p, const sup_curve_net* net,
                              const sup_segments* segments, sup_arena* arena, beam_motion* out, sup_error* error)
{
    beam_motion  made = { .ramp = (sup_ramp)p->ramp, .frames = (uint32_t)p->frames };
    motion_maker m = { in, p, net, segments, arena, error, &made, 0, segments->count };
    made.segments = segments->posed || segments->count < 2 ? 0 : segments->count - 1;
    made.smooth = made.segments > 1 && p->continuity != CONTINUITY_RESTART && p->integrator == INTEGRATOR_EXACT;
    sup_result r = sup_beam_modes_create((uint32_t)p->intervals, arena, &made.beam, error);
    if (!r) r = make_modes(&m);
    if (!r) r = make_shapes(&m);
    if (!r && p->integrator != INTEGRATOR_EXACT && made.segments) r = make_stepped(&m);
    if (!r) r = make_forces(&m);
    if (!r) *out = made;
    return r;
}

// ---------------------------------------------------------------------------------------------- a moment

/// One mode's coefficients from up to four arrays.
static void blend_mode(const beam_motion* m, const sup_curve_net* net, uint32_t k, uint32_t segment, const double s[4],
                       float* out)
{
    size_t       block = (size_t)m->modes * net->stride, at = (size_t)segment * block + (size_t)k * net->stride;
    const float* in[4];
    float        share[4];
    uint32_t     n = 0;
    for (int i = 0; i < 4; ++i) {
        if (s[i] == 0) continue;
        in[n] = i == 0 ? m->change + at : i == 1 ? m->rate + at : m->slope + at + (i == 3 ? block : 0);
        share[n++] = (float)s[i];
    }
    SUP_WIDE_PICK(sup_modal_blend)(net->stride, in, share, n, false, out);
}

void beam_motion_sway(const beam_motion* m, const sup_curve_net* net, const sup_segments* s, const beam_params* p,
                      const beam_moment* at, float* out)
{
    memset(out, 0, (size_t)m->modes * net->stride * sizeof *out);
    if (m->segments == 0) return;
    double T = s->times[at->segment + 1] - s->times[at->segment], t = at->ratio;
    for (uint32_t k = 0; k < m->modes; ++k) {
        const sup_oscillator* o = &m->oscillators[at->segment * m->modes + k];
        double                share[4] = { 0, 0, 0, 0 };
        if (m->still[k]) continue;
        if (at->reach > 1 && p->extrapolation == EXTRAPOLATION_DYNAMIC)
            share[0] = sup_oscillator_beyond(o, at->reach) - at->reach;
        else if (at->beyond > 0) {
            if (!p->settle || at->reach > 1) continue;
            share[1] = sup_oscillator_settle(o, at->beyond / T);
            blend_mode(m, net, k, m->segments, share, out + (size_t)k * net->stride);
            continue;
        } else if (t <= 0 || t >= 1) continue; // an example: exact
        else if (!m->smooth) {
            share[0] = sup_oscillator_sway(o, t).value - sup_ramp_value(m->ramp, t);
        } else {
            sup_sway w = m->hermite[k] ? sup_oscillator_hermite(o, t) : sup_oscillator_sway(o, t);
            double   h01 = t * t * (3 - 2 * t), h10 = t * (1 - t) * (1 - t), h11 = t * t * (t - 1);
            share[0] = w.value - h01;
            share[1] = w.start;
            share[2] = -h10 * T;
            share[3] = w.end * T - h11 * T;
        }
        blend_mode(m, net, k, at->segment, share, out + (size_t)k * net->stride);
    }
}

void beam_motion_push(const beam_motion* m, const sup_curve_net* net, double time, float* out)
{
    for (uint32_t i = 0; i < m->force_count; ++i) {
        const beam_force* f = &m->forces[i];
        uint32_t          key = 0;
        while (key + 1 < f->key_count && f->times[key + 1] <= time) ++key;
        double dt = time > f->times[key] ? time - f->times[key] : 0;
        bool   last = key + 1 == f->key_count, held = last || (f->steps && f->steps[key]);
        double span = last ? 1 : f->times[key + 1] - f->times[key];
        for (uint32_t k = 0; k < m->modes; ++k) {
            sup_oscillator      x = in_seconds(m, k);
            sup_oscillator_step step = sup_oscillator_prepare(&x, dt);
            const double*       state = f->states + ((size_t)key * m->modes + k) * 6;
            for (uint32_t c = 0; c < 3; ++c) {
                double from = f->values[3 * key + c],
                       to = held ? from : from + (f->values[3 * (key + 1) + c] - from) * dt / span;
                double y = state[c], v = state[3 + c];
                sup_oscillator_advance(&step, from, to, &y, &v);
                out[(size_t)k * net->stride + 3 * f->curve + c] += (float)(f->share[k] * y);
            }
        }
    }
}

// ---------------------------------------------------------------------------------------------- driven by the pose

static double target_at(const beam_motion* m, size_t block, size_t i, const float* weights, uint32_t examples)
{
    double sum = 0;
    for (uint32_t j = 0; j < examples; ++j)
        if (weights[j] != 0) sum += (double)weights[j] * m->shape[j * block + i];
    return sum;
}

void beam_motion_step(const beam_motion* m, const sup_curve_net* net, double dt, const float* from, const float* to,
                      uint32_t examples, double* state, float* out)
{
    size_t block = (size_t)m->modes * net->stride;
    for (uint32_t k = 0; k < m->modes; ++k) {
        const sup_oscillator* o = &m->free[k];
        sup_oscillator_step   step = sup_oscillator_prepare(o, dt / m->unit);
        for (uint32_t c = 0; c < net->columns; ++c) {
            size_t i = (size_t)k * net->stride + c;
            double b = target_at(m, block, i, to, examples), a = dt > 0 ? target_at(m, block, i, from, examples) : b;
            if (m->still[k] || o->h == 0) state[i] = b, state[block + i] = 0;
            else sup_oscillator_advance(&step, o->h * a, o->h * b, &state[i], &state[block + i]);
            out[i] = (float)(state[i] - b);
        }
    }
}

void beam_motion_reset(const beam_motion* m, const sup_curve_net* net, const float* weights, uint32_t examples, double* state)
{
    size_t block = (size_t)m->modes * net->stride;
    for (size_t i = 0; i < block; ++i) {
        state[i] = target_at(m, block, i, weights, examples);
        state[block + i] = 0;
    }
}
