#include "deform/curves/modal.h"

#include "base/internal.h"
#include "math/vec.h"
#include "solve/curves/least_force.h"

#include <math.h>
#include <string.h>

/// A cycle's start rate is solved from (1 - product of mu) v = ...: below this the solution would be a resonance.
#define SEAM_LEAST 0.05
/// Of a cycle: the times of its two ends differ by the file's float rounding.
#define SAME_TIME 1e-9
/// Sum over joints of squared quaternion differences: poses nearer than a milliradian do not define a path between them.
#define TURNED_LEAST 1e-6

typedef struct modal_maker {
    const sup_modal_desc* d;
    sup_arena*            arena;
    sup_error*            error;
    sup_modal*            out;
} modal_maker;

// ---------------------------------------------------------------------------------------------- times

static bool cyclic(const sup_segments* s, double begin, double end) { return end > begin && s->count > 1 && !s->posed; }

/// Number of examples that count: in a cycle those of one pass.
static uint32_t examples_of(const sup_segments* s, double begin, double end)
{
    uint32_t n = s->count;
    if (cyclic(s, begin, end))
        while (n > 1 && s->times[n - 1] - s->times[0] >= (end - begin) * (1 - SAME_TIME)) --n; // the last repeats the first
    return n;
}

double sup_modal_unit(const sup_segments* s, double begin, double end)
{
    uint32_t n = examples_of(s, begin, end);
    if (s->posed || n < 2) return 1;
    return cyclic(s, begin, end) ? end - begin : s->times[n - 1] - s->times[0];
}

static sup_result make_times(modal_maker* m)
{
    const sup_segments* s = m->d->segments;
    sup_modal*          o = m->out;
    o->examples = examples_of(s, m->d->cycle_begin, m->d->cycle_end);
    o->unit = sup_modal_unit(s, m->d->cycle_begin, m->d->cycle_end);
    double* times = SUP_NEW(m->arena, double, (size_t)o->examples + 1);
    if (!times) return sup_fail_memory(m->error, "curve motion");
    for (uint32_t i = 0; i < o->examples; ++i) times[i] = s->times[i];
    if (s->posed || o->examples < 2) o->segments = 0;
    else if (cyclic(s, m->d->cycle_begin, m->d->cycle_end)) {
        o->period = m->d->cycle_end - m->d->cycle_begin;
        o->segments = o->examples;
        times[o->examples] = times[0] + o->period;
    } else o->segments = o->examples - 1;
    o->times = times;
    return SUP_OK;
}

static double seconds_of(const sup_modal* m, uint32_t segment) { return m->times[segment + 1] - m->times[segment]; }

/// In a cycle the first example follows the last; elsewhere the ends have only one neighbor.
static uint32_t next_of(const sup_modal* m, uint32_t i) { return i + 1 < m->examples ? i + 1 : m->period > 0 ? 0 : i; }

static uint32_t before_of(const sup_modal* m, uint32_t i) { return i ? i - 1 : m->period > 0 ? m->examples - 1 : 0; }

sup_tangent sup_modal_tangent(const sup_modal* m, uint32_t i)
{
    sup_tangent t = { before_of(m, i), next_of(m, i), 0 };
    if (m->period > 0) t.scale = 1 / (seconds_of(m, i) + seconds_of(m, t.from));
    else if (t.to > t.from) t.scale = (t.from == i || t.to == i ? m->end_rate : 1) / (m->times[t.to] - m->times[t.from]);
    return t;
}

// ---------------------------------------------------------------------------------------------- ramps

/// How far a pose has come from one to another, 0 to 1: its projection to the line between the rotations of all joints.
static double progress(const sup_character* c, const sup_pose* from, const sup_pose* to, const sup_pose* at)
{
    double along = 0, length = 0;
    for (uint32_t j = 0; j < c->skeleton.joint_count; ++j) {
        sup_quat a = from->local[j].rotation, b = to->local[j].rotation, x = at->local[j].rotation;
        float    sb = quat_dot(a, b) < 0 ? -1.0f : 1.0f, sx = quat_dot(a, x) < 0 ? -1.0f : 1.0f;
        double   d[4] = { sb * b.x - a.x, sb * b.y - a.y, sb * b.z - a.z, sb * b.w - a.w };
        double   e[4] = { sx * x.x - a.x, sx * x.y - a.y, sx * x.z - a.z, sx * x.w - a.w };
        for (int i = 0; i < 4; ++i) along += e[i] * d[i], length += d[i] * d[i];
    }
    return length > TURNED_LEAST ? along / length : -1;
}

sup_result sup_modal_ramp(const sup_bind_input* in, const sup_segments* s, sup_arena* arena, sup_ramp* out, sup_error* error)
{
    enum { SAMPLES = 16 };
    sup_pose poses[3];
    double   off[3] = { 0, 0, 0 };
    *out = SUP_RAMP_LINEAR;
    if (s->count != 2 || s->posed || !in->clip) return SUP_OK;
    sup_arena* beside = sup_arena_beside(arena);
    sup_result r = beside ? SUP_OK : sup_fail_memory(error, "curve motion");
    for (int i = 0; i < 3 && !r; ++i) {
        r = sup_pose_create(in->character, beside, &poses[i], error);
        if (!r && i < 2) sup_clip_sample(in->character, in->clip, s->times[i], &poses[i]);
    }
    for (int i = 1; i < SAMPLES && !r; ++i) {
        double t = (double)i / SAMPLES;
        sup_clip_sample(in->character, in->clip, s->times[0] + t * (s->times[1] - s->times[0]), &poses[2]);
        double gone = progress(in->character, &poses[0], &poses[1], &poses[2]);
        for (int k = 0; k < 3 && gone >= 0; ++k) {
            double d = gone - sup_ramp_value((sup_ramp)k, t);
            off[k] += d * d;
        }
    }
    for (int k = 1; k < 3; ++k)
        if (off[k] < off[*out]) *out = (sup_ramp)k;
    sup_arena_destroy(beside);
    return r;
}

// ---------------------------------------------------------------------------------------------- modes

static sup_result make_modes(modal_maker* m)
{
    sup_modal*      o = m->out;
    uint32_t        k = o->modes;
    sup_continuity  how = m->d->continuity;
    bool *          still = SUP_NEW(m->arena, bool, k), *hermite = SUP_NEW(m->arena, bool, k);
    sup_oscillator* list = SUP_NEW(m->arena, sup_oscillator, (size_t)k * o->segments);
    sup_oscillator* free = SUP_NEW(m->arena, sup_oscillator, k);
    uint32_t*       begin = SUP_NEW(m->arena, uint32_t, (size_t)k + 1);
    if (!still || !hermite || !list || !free || !begin) return sup_fail_memory(m->error, "curve motion");
    memcpy(free, m->d->free, k * sizeof *free);
    memcpy(begin, m->d->begin, ((size_t)k + 1) * sizeof *begin);
    for (uint32_t i = 0; i < k; ++i) {
        bool   grows = false, fits = true;
        double all = 1;
        for (uint32_t j = 0; j < o->segments; ++j) {
            sup_oscillator* x = &list[(size_t)j * k + i];
            *x = sup_oscillator_last(&free[i], seconds_of(o, j) / o->unit);
            grows |= x->carry_grows;
            fits &= x->hermite_fits;
            all *= x->mu;
            if (o->segments > 1 && x->carry_grows && fabs(x->mu) > o->growth) o->growth = fabs(x->mu);
        }
        bool seam = o->period > 0 && how != SUP_CONTINUITY_RESTART && !free[i].still && fabs(1 - all) < SEAM_LEAST;
        // Auto: prescribed rates where that is well posed, otherwise the mode follows the carrier, which is as smooth. Carried
        // rates build up where examples alternate.
        bool several = o->segments > 1, prescribed = how == SUP_CONTINUITY_AUTO || how == SUP_CONTINUITY_HERMITE || seam;
        hermite[i] = several && fits && prescribed;
        still[i] = free[i].still || (several && !fits && (how == SUP_CONTINUITY_AUTO || seam));
        o->swings |= !still[i];
        o->growing += o->segments > 1 && how == SUP_CONTINUITY_CARRY && grows;
        o->seamless += seam;
    }
    o->free = free;
    o->begin = begin;
    o->still = still;
    o->hermite = hermite;
    o->oscillators = list;
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- examples

/// One coefficient over all segments: rates that are carried on, or tangents where the mode uses the Hermite form.
static void make_rates(const modal_maker* m, uint32_t mode, uint32_t c, const float* change, const float* slope, float* rate)
{
    const sup_modal* o = m->out;
    bool             restart = m->d->continuity == SUP_CONTINUITY_RESTART;
    double           v = 0, all = 1, left = 0;
    for (int pass = 0; pass < 2; ++pass) {
        if (pass == 0 && (o->period == 0 || o->hermite[mode] || restart)) continue;
        for (uint32_t j = 0; j < o->segments; ++j) {
            const sup_oscillator* x = &o->oscillators[(size_t)j * o->modes + mode];
            size_t                at = (size_t)j * o->block + c;
            if (o->hermite[mode]) v = slope[at] * seconds_of(o, j);
            left = x->gamma_rate * (double)change[at] + x->mu * v;
            if (o->hermite[mode]) left = slope[(size_t)next_of(o, j) * o->block + c] * seconds_of(o, j);
            if (pass) rate[at] = (float)v;
            if (pass) rate[at + o->block] = (float)left;
            all *= x->mu;
            uint32_t next = j + 1 < o->segments ? j + 1 : 0;
            if (j + 1 < o->segments || o->period > 0) v = restart ? 0 : left * seconds_of(o, next) / seconds_of(o, j);
        }
        // Starting from 0 the rate comes back as v; starting from u it comes back as v + all u, which must be u.
        if (pass == 0) v = o->still[mode] ? 0 : v / (1 - all);
    }
}

static sup_result make_shapes(modal_maker* m)
{
    sup_modal* o = m->out;
    size_t     n = o->block;
    float*     shape = SUP_NEW(m->arena, float, n * o->examples + SUP_LANES);
    float*     change = SUP_NEW(m->arena, float, n * o->segments + SUP_LANES);
    float*     rate = SUP_NEW(m->arena, float, n*((size_t)o->segments + 1) + SUP_LANES);
    float*     slope = SUP_NEW(m->arena, float, n*((size_t)o->examples + 1) + SUP_LANES);
    if (!shape || !change || !rate || !slope) return sup_fail_memory(m->error, "curve motion");
    for (uint32_t j = 0; j < o->examples; ++j)
        for (size_t i = 0; i < n; ++i) shape[j * n + i] = (float)m->d->shape[j][i];
    for (uint32_t j = 0; j < o->segments; ++j)
        for (size_t i = 0; i < n; ++i) change[j * n + i] = (float)(m->d->shape[next_of(o, j)][i] - m->d->shape[j][i]);
    for (uint32_t j = 0; j < o->examples && o->smooth; ++j) {
        sup_tangent t = sup_modal_tangent(o, j);
        for (size_t i = 0; i < n; ++i) slope[j * n + i] = (float)(t.scale * (m->d->shape[t.to][i] - m->d->shape[t.from][i]));
    }
    for (uint32_t k = 0; k < o->modes; ++k)
        for (uint32_t c = o->begin[k]; c < o->begin[k + 1]; ++c) make_rates(m, k, c, change, slope, rate);
    o->shape = shape;
    o->change = change;
    o->rate = rate;
    o->slope = slope;
    return SUP_OK;
}

sup_result sup_modal_create(const sup_modal_desc* desc, sup_arena* arena, sup_modal* out, sup_error* error)
{
    sup_modal made = {
        .ramp = desc->ramp, .end_rate = sup_ramp_rate(desc->ramp, 0), .modes = desc->modes, .block = desc->begin[desc->modes]
    };
    modal_maker m = { desc, arena, error, &made };
    sup_result  r = make_times(&m);
    made.smooth = made.segments > 1 && desc->continuity != SUP_CONTINUITY_RESTART;
    made.fade = made.smooth && desc->continuity == SUP_CONTINUITY_AUTO ? desc->fade : 0;
    if (!r) r = make_modes(&m);
    if (!r) r = make_shapes(&m);
    if (!r) *out = made;
    return r;
}

// ---------------------------------------------------------------------------------------------- a moment

sup_modal_moment sup_modal_find(const sup_modal* m, double time)
{
    sup_modal_moment at = { .span = 1 };
    if (m->segments == 0) return at;
    const double *t = m->times, end = m->times[m->segments];
    if (m->period > 0) {
        time = t[0] + (time - t[0]) - m->period * floor((time - t[0]) / m->period);
        if (!(time >= t[0] && time < end)) time = t[0]; // rounding at the seam
    }
    uint32_t low = 0, high = m->segments; // t[low] <= time < t[high]
    if (!(time > t[0])) at.ratio = 0;
    else if (time >= end) low = m->segments - 1, at.ratio = 1, at.beyond = time - end;
    else {
        while (high - low > 1) {
            uint32_t middle = (low + high) / 2;
            if (t[middle] <= time) low = middle;
            else high = middle;
        }
        at.ratio = (time - t[low]) / (t[low + 1] - t[low]);
    }
    at.segment = at.from = low;
    at.to = next_of(m, low);
    at.span = seconds_of(m, low);
    return at;
}

void sup_modal_speed(const sup_modal* m, uint32_t i, double share[3])
{
    uint32_t before = before_of(m, i);
    bool     first = before == i, last = next_of(m, i) == i;
    sup_least_force_speed(m->fade, first ? 0 : seconds_of(m, before), last ? 0 : seconds_of(m, i), share);
}

/// Shares of two examples and of the speeds at them; those come from the examples and their neighbors.
static uint32_t carry_fading(const sup_modal* m, const sup_modal_moment* at, uint32_t examples[4], double shares[4])
{
    double   path[4], speed[2][3];
    uint32_t ends[2] = { at->from, at->to };
    sup_least_force_path(m->fade, at->span, at->ratio * at->span, path);
    for (int i = 0; i < 2; ++i) sup_modal_speed(m, ends[i], speed[i]);
    examples[2] = before_of(m, at->from), examples[3] = next_of(m, at->to);
    shares[0] = path[0] + path[2] * speed[0][1] + path[3] * speed[1][0];
    shares[1] = path[1] + path[2] * speed[0][2] + path[3] * speed[1][1];
    shares[2] = path[2] * speed[0][0];
    shares[3] = path[3] * speed[1][2];
    return 4;
}

uint32_t sup_modal_carry(const sup_modal* m, const sup_modal_moment* at, uint32_t examples[4], double shares[4])
{
    double t = at->ratio;
    examples[0] = at->from, shares[0] = 1;
    if (m->segments == 0 || t <= 0) return 1;
    if (t >= 1) return examples[0] = at->to, 1; // bit for bit
    examples[1] = at->to;
    if (!m->smooth) {
        shares[1] = sup_ramp_value(m->ramp, t), shares[0] = 1 - shares[1];
        return 2;
    }
    if (m->fade > 0) return carry_fading(m, at, examples, shares);
    double h01 = t * t * (3 - 2 * t), a = t * (1 - t) * (1 - t) * at->span, b = t * t * (t - 1) * at->span;
    double one = a * sup_modal_tangent(m, at->from).scale, two = b * sup_modal_tangent(m, at->to).scale;
    examples[2] = before_of(m, at->from), examples[3] = next_of(m, at->to);
    shares[0] = 1 - h01 - two, shares[1] = h01 + one, shares[2] = -one, shares[3] = two;
    return 4;
}

static void blend(const float* const* in, const double* share, uint32_t inputs, uint32_t begin, uint32_t end, bool add,
                  float* out)
{
    const float* from[4];
    float        s[4];
    uint32_t     n = 0;
    for (uint32_t i = 0; i < inputs; ++i)
        if (share[i] != 0) from[n] = in[i] + begin, s[n++] = (float)share[i];
    SUP_WIDE_PICK(sup_modal_blend)(end - begin, from, s, n, add, out + begin);
}

void sup_modal_shape(const sup_modal* m, uint32_t count, const uint32_t* examples, const double* shares, bool add, float* out)
{
    if (!add) memset(out, 0, m->block * sizeof *out);
    for (uint32_t i = 0; i < count; ++i) {
        const float* in = m->shape + (size_t)examples[i] * m->block;
        blend(&in, &shares[i], 1, 0, m->block, true, out);
    }
}

bool sup_modal_sway(const sup_modal* m, const sup_modal_moment* at, bool settle, float* out)
{
    memset(out, 0, m->block * sizeof *out);
    bool on = at->reach > 1, ringing = at->beyond > 0 && settle;
    if (m->segments == 0 || at->ratio <= 0 || (at->ratio >= 1 && !ringing && !on)) return false; // an example: exact
    if (!m->swings || (m->fade > 0 && !ringing && !on)) return false;
    double       T = at->span, t = at->ratio;
    size_t       segment = (size_t)at->segment * m->block;
    const float* in[4] = { m->change + segment, m->rate + segment, m->slope + (size_t)at->from * m->block,
                           m->slope + (size_t)at->to * m->block };
    for (uint32_t k = 0; k < m->modes; ++k) {
        const sup_oscillator* o = &m->oscillators[(size_t)at->segment * m->modes + k];
        double                share[4] = { 0, 0, 0, 0 };
        if (m->still[k]) continue;
        if (on) {
            share[0] = sup_oscillator_beyond(o, at->reach) - at->reach;
            blend(in, share, 1, m->begin[k], m->begin[k + 1], false, out);
            continue;
        }
        if (at->beyond > 0) {
            const float* left = m->rate + (size_t)m->segments * m->block;
            share[0] = sup_oscillator_settle(o, at->beyond / T);
            blend(&left, share, 1, m->begin[k], m->begin[k + 1], false, out);
            continue;
        }
        sup_sway w = m->hermite[k] ? sup_oscillator_hermite(o, t) : sup_oscillator_sway(o, t);
        if (!m->smooth) share[0] = w.value - sup_ramp_value(m->ramp, t);
        else {
            double h01 = t * t * (3 - 2 * t), h10 = t * (1 - t) * (1 - t), h11 = t * t * (t - 1);
            share[0] = w.value - h01;
            share[1] = w.start;
            share[2] = -h10 * T;
            share[3] = w.end * T - h11 * T;
        }
        blend(in, share, 4, m->begin[k], m->begin[k + 1], false, out);
    }
    return true;
}

// ---------------------------------------------------------------------------------------------- driven by the pose

static double target_at(const sup_modal* m, size_t c, const float* weights)
{
    double sum = 0;
    for (uint32_t j = 0; j < m->examples; ++j)
        if (weights[j] != 0) sum += (double)weights[j] * m->shape[(size_t)j * m->block + c];
    return sum;
}

void sup_modal_step(const sup_modal* m, double dt, const float* from, const float* to, double* state, float* out)
{
    for (uint32_t k = 0; k < m->modes; ++k) {
        const sup_oscillator* o = &m->free[k];
        sup_oscillator_step   step = sup_oscillator_prepare(o, dt / m->unit);
        for (uint32_t c = m->begin[k]; c < m->begin[k + 1]; ++c) {
            double b = target_at(m, c, to), a = dt > 0 ? target_at(m, c, from) : b;
            if (m->still[k] || o->h == 0) state[c] = b, state[m->block + c] = 0;
            else sup_oscillator_advance(&step, o->h * a, o->h * b, &state[c], &state[m->block + c]);
            out[c] = (float)(state[c] - b);
        }
    }
}

void sup_modal_reset(const sup_modal* m, const float* weights, double* state)
{
    for (uint32_t c = 0; c < m->block; ++c) {
        state[c] = target_at(m, c, weights);
        state[m->block + c] = 0;
    }
}

// ---------------------------------------------------------------------------------------------- forces

/// A force at a time between its keys.
static void force_at(const sup_modal_force* f, double time, double out[3])
{
    uint32_t key = 0;
    while (key + 1 < f->key_count && f->times[key + 1] <= time) ++key;
    bool   held = key + 1 == f->key_count || time <= f->times[key] || (f->steps && f->steps[key]);
    double ratio = held ? 0 : (time - f->times[key]) / (f->times[key + 1] - f->times[key]);
    for (uint32_t c = 0; c < 3; ++c) {
        double from = f->values[3 * key + c];
        out[c] = held ? from : from + ratio * (f->values[3 * (key + 1) + c] - from);
    }
}

sup_result sup_modal_force_wrap(sup_modal_force* f, double begin, double end, sup_arena* arena, sup_error* error)
{
    if (!(end > begin)) return SUP_OK;
    double *times = SUP_NEW(arena, double, (size_t)f->key_count + 2), *values;
    bool*   steps = SUP_NEW(arena, bool, (size_t)f->key_count + 2);
    values = SUP_NEW(arena, double, 3 * ((size_t)f->key_count + 2));
    if (!times || !steps || !values) return sup_fail_memory(error, "curve forces");
    uint32_t n = 0;
    times[n++] = begin;
    force_at(f, begin, values);
    for (uint32_t i = 0; i < f->key_count; ++i) {
        bool step = f->steps && f->steps[i];
        if (f->times[i] <= begin) steps[0] = step; // of the previous key
        if (f->times[i] <= begin || f->times[i] >= end) continue;
        memcpy(values + 3 * n, f->values + 3 * i, 3 * sizeof *values);
        steps[n] = step;
        times[n++] = f->times[i];
    }
    force_at(f, end, values + 3 * n);
    times[n++] = end;
    f->times = times, f->values = values, f->steps = steps;
    f->key_count = n;
    f->period = end - begin;
    return SUP_OK;
}

sup_oscillator sup_modal_in_seconds(const sup_modal* m, uint32_t k)
{
    const sup_oscillator* o = &m->free[k];
    return sup_oscillator_make(o->rho, o->eta / m->unit, o->h / (m->unit * m->unit), SUP_RAMP_LINEAR);
}

/// From key to key, one component of one mode: y and v at every key, from those at the first.
static void run_keys(const sup_modal* m, const sup_modal_force* f, const sup_oscillator* x, uint32_t k, uint32_t c, bool still,
                     double* states)
{
    for (uint32_t i = 1; i < f->key_count; ++i) {
        const double*       before = states + ((size_t)(i - 1) * m->modes + k) * 6 + c;
        double*             now = states + ((size_t)i * m->modes + k) * 6 + c;
        sup_oscillator_step step = sup_oscillator_prepare(x, f->times[i] - f->times[i - 1]);
        double              y = before[0], v = before[3], from = f->values[3 * (i - 1) + c];
        sup_oscillator_advance(&step, from, f->steps && f->steps[i - 1] ? from : f->values[3 * i + c], &y, &v);
        if (still) y = x->h > 0 ? f->values[3 * i + c] / x->h : 0, v = 0;
        now[0] = y, now[3] = v;
    }
}

/// What one period does to a state without any force: false if some state comes back nearly unchanged, so that a force would
/// resonate.
static bool find_return(const sup_modal_force* f, const sup_oscillator* x, double out[2][2])
{
    sup_oscillator_step step = sup_oscillator_prepare(x, f->period);
    for (int i = 0; i < 2; ++i) {
        double y = i == 0, v = i == 1;
        sup_oscillator_advance(&step, 0, 0, &y, &v);
        out[0][i] = y, out[1][i] = v;
    }
    if (x->rho == 0) out[0][1] = out[1][0] = out[1][1] = 0; // its rate is not part of the state
    return (1 - out[0][0]) * (1 - out[1][1]) - out[0][1] * out[1][0] > SEAM_LEAST * SEAM_LEAST;
}

sup_result sup_modal_force_prepare(const sup_modal* m, sup_modal_force* f, sup_arena* arena, sup_error* error)
{
    double* states = SUP_NEW(arena, double, (size_t)f->key_count * m->modes * 6);
    bool*   following = SUP_NEW(arena, bool, m->modes);
    if (!states || !following) return sup_fail_memory(error, "curve forces");
    for (uint32_t k = 0; k < m->modes; ++k) {
        sup_oscillator x = sup_modal_in_seconds(m, k);
        double         a[2][2] = { { 0 } };
        following[k] = x.still || (f->period > 0 && !find_return(f, &x, a));
        for (uint32_t c = 0; c < 3; ++c) {
            double *first = states + (size_t)k * 6 + c, *last = first + (size_t)(f->key_count - 1) * m->modes * 6;
            bool    solved = f->period > 0 && !following[k];
            if (!solved && x.h > 0) first[0] = f->values[c] / x.h; // the first value has acted forever
            run_keys(m, f, &x, k, c, following[k], states);
            if (!solved) continue;
            // From 0 it arrives at b; from s at a s + b, which must be s.
            double det = (1 - a[0][0]) * (1 - a[1][1]) - a[0][1] * a[1][0], y = last[0], v = last[3];
            first[0] = ((1 - a[1][1]) * y + a[0][1] * v) / det;
            first[3] = (a[1][0] * y + (1 - a[0][0]) * v) / det;
            run_keys(m, f, &x, k, c, false, states);
        }
    }
    f->states = states;
    f->following = following;
    return SUP_OK;
}

void sup_modal_force_add(const sup_modal* m, const sup_modal_force* f, double time, float* out)
{
    uint32_t key = 0;
    if (f->period > 0) time -= f->period * floor((time - f->times[0]) / f->period);
    while (key + 1 < f->key_count && f->times[key + 1] <= time) ++key;
    double dt = time > f->times[key] ? time - f->times[key] : 0;
    bool   last = key + 1 == f->key_count, held = last || (f->steps && f->steps[key]);
    double span = last ? 1 : f->times[key + 1] - f->times[key], y[3] = { 0, 0, 0 };
    for (uint32_t e = 0; e < f->entry_count; ++e) {
        const sup_modal_entry* entry = &f->entries[e];
        if (e == 0 || entry->mode != f->entries[e - 1].mode) {
            sup_oscillator      x = sup_modal_in_seconds(m, entry->mode);
            sup_oscillator_step step = sup_oscillator_prepare(&x, dt);
            const double*       state = f->states + ((size_t)key * m->modes + entry->mode) * 6;
            for (uint32_t c = 0; c < 3; ++c) {
                double from = f->values[3 * key + c],
                       to = held ? from : from + (f->values[3 * (key + 1) + c] - from) * dt / span, v = state[3 + c];
                y[c] = state[c];
                if (f->following[entry->mode]) y[c] = x.h > 0 ? to / x.h : 0;
                else sup_oscillator_advance(&step, from, to, &y[c], &v);
            }
        }
        for (uint32_t c = 0; c < 3; ++c) out[entry->index + c] += (float)(entry->share * y[c]);
    }
}
