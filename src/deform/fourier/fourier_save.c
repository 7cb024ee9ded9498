// The runtime file of a binding (.sfc, docs/deformers/fourier.md): what a game evaluates at any time, in a few dozen lines.
#include "deform/fourier/fourier.h"
#include "math/vec.h"

#include <string.h>

enum { SFC_VERSION = 1, SFC_SMOOTH = 1, SFC_CYCLE = 2, NOWHERE = 0xffff };

/// Grows in two passes: without memory it only counts.
typedef struct sfc_out {
    uint8_t* bytes;
    size_t   size;
} sfc_out;

/// Little-endian on every machine.
static void put(sfc_out* o, uint64_t value, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; ++i) {
        if (o->bytes) o->bytes[o->size] = (uint8_t)(value >> 8 * i);
        ++o->size;
    }
}

static void put_float(sfc_out* o, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put(o, bits, 4);
}

static void put_double(sfc_out* o, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put(o, bits, 8);
}

static uint32_t share16(float x) { return (uint32_t)(sup_clampf(x, 0, 1) * 65535.0f + 0.5f); }

static void pad(sfc_out* o)
{
    while (o->size % 8) put(o, 0, 1);
}

/// An oscillator of one segment, and the forces that make it go: e0 + e1 r(t) for every unit of change, start rate, end rate.
static void put_oscillator(sfc_out* o, const sup_modal* m, uint32_t segment, uint32_t k)
{
    static const sup_oscillator none = { 0 };
    bool                        still = k == SUP_NONE || m->still[k];
    const sup_oscillator*       x = still ? &none : &m->oscillators[(size_t)segment * m->modes + k];
    double                      force[3][2] = { { 0, x->share }, { 0, -x->psi * x->share }, { 0, 0 } };
    if (!still && m->hermite[k])
        for (int i = 0; i < 2; ++i) {
            force[0][i] = x->hermite[i][0];
            force[1][i] = -x->hermite[i][0] * x->psi - x->hermite[i][1] * x->psi_rate;
            force[2][i] = x->hermite[i][1];
        }
    put_double(o, x->rho), put_double(o, x->eta), put_double(o, x->h);
    for (int i = 0; i < 6; ++i) put_double(o, force[i / 2][i % 2]);
    put_double(o, still ? 1 : m->hermite[k] ? 2 : 0);
}

// ---------------------------------------------------------------------------------------------- functions

/// A player knows two kinds of functions: powers of v, and cos(k v - phase). What is held at the ends of a curve is a cubic.
enum { POWERS = 4 };

/// Numbers of a player's modes: the powers, then two for every mode of ours, cosine and sine.
static uint32_t player_mode(const fourier_bound* b, const fourier_series* s, uint32_t function)
{
    uint32_t held = sup_fourier_held(s->kind), m = b->motion.mode[s->packed + function];
    if (function < held) return function;
    bool sine = s->kind != SUP_FOURIER_CLOSED || function % 2 == 0;
    return POWERS + 2 * m + (sine && function != 0);
}

/// The series' coefficients as a player sums them, for one component: held values and slopes become powers.
static void to_powers(const fourier_series* s, const double* in, double* out)
{
    memcpy(out, in, s->functions * sizeof *out);
    if (s->kind == SUP_FOURIER_LINE) out[1] = in[1] - in[0];
    if (s->kind != SUP_FOURIER_TANGENT) return;
    double rise = in[1] - in[0];
    out[1] = in[2], out[2] = 3 * rise - 2 * in[2] - in[3], out[3] = in[2] + in[3] - 2 * rise;
}

static void put_functions(sfc_out* o, const fourier_bound* b, const double* waves)
{
    const fourier_net* n = &b->net;
    for (uint32_t i = 0; i < POWERS; ++i) put_double(o, -(double)i - 1), put_double(o, 0);
    for (uint32_t i = 0; i < 2 * b->motion.modal.modes; ++i)
        put_double(o, waves[i / 2]), put_double(o, i % 2 ? 1.57079632679489661923 : 0);
    for (uint32_t c = 0; c < n->curves.curve_count; ++c) put(o, n->series[c].packed, 4);
    put(o, n->coefficient_count, 4);
    for (uint32_t c = 0; c < n->curves.curve_count; ++c)
        for (uint32_t f = 0; f < n->series[c].functions; ++f) put(o, player_mode(b, &n->series[c], f), 2);
    pad(o);
}

/// One coefficient of an array of a segment: 0 where it begins, 1 the change, 2 and 3 the rates at both ends (of smooth ones).
static double value_of(const fourier_bound* b, uint32_t segment, int array, uint32_t coefficient, uint32_t component)
{
    const sup_modal* m = &b->motion.modal;
    size_t           n = m->block, at = b->motion.index[coefficient] + component;
    uint32_t         to = segment + 1 < m->examples ? segment + 1 : 0;
    if (array == 0) return (double)m->shape[segment * n + at];
    if (m->segments == 0) return 0;
    if (array == 1) return (double)m->change[segment * n + at];
    if (array == 2 && !m->still[b->motion.mode[coefficient]]) return (double)m->rate[segment * n + at];
    return (double)m->slope[(array == 2 ? segment : to) * n + at] * (m->times[segment + 1] - m->times[segment]);
}

static void put_coefficients(sfc_out* o, const fourier_bound* b)
{
    const sup_modal* m = &b->motion.modal;
    for (uint32_t j = 0; j < (m->segments ? m->segments : 1); ++j)
        for (int array = 0; array < (m->smooth ? 4 : 2); ++array)
            for (uint32_t c = 0; c < b->net.curves.curve_count; ++c) {
                const fourier_series* s = &b->net.series[c];
                double                in[SUP_FOURIER_FUNCTIONS_MAX], out[3][SUP_FOURIER_FUNCTIONS_MAX];
                for (uint32_t k = 0; k < 3; ++k) {
                    for (uint32_t f = 0; f < s->functions; ++f) in[f] = value_of(b, j, array, s->packed + f, k);
                    to_powers(s, in, out[k]);
                }
                for (uint32_t i = 0; i < 3 * s->functions; ++i) put_float(o, (float)out[i % 3][i / 3]);
            }
    pad(o);
}

static void put_points(sfc_out* o, const fourier_bound* b)
{
    for (uint32_t i = 0; i < b->point_count; ++i) {
        const fourier_place* p = &b->net.places[i];
        for (int k = 0; k < 2; ++k) {
            put(o, p->curve[k] == SUP_NONE ? NOWHERE : p->curve[k], 2);
            put(o, share16(p->v[k]), 2);
            put(o, share16(p->share[k]), 2);
        }
    }
    pad(o);
}

static void put_residual(sfc_out* o, const fourier_bound* b, const sup_vec3* left)
{
    for (uint32_t j = 0; j < b->motion.modal.examples; ++j) {
        if (b->residual == RESIDUAL_EXACT)
            for (uint32_t i = 0; i < b->point_count; ++i) {
                sup_vec3 d = left[(size_t)j * b->point_count + i];
                put_float(o, d.x), put_float(o, d.y), put_float(o, d.z);
            }
        else if (b->residual == RESIDUAL_HALF) {
            put_float(o, b->scales[j]);
            for (uint32_t i = 0; i < 3 * b->point_count; ++i) put(o, b->halves[j][i], 2);
        }
        pad(o);
    }
}

static void put_all(sfc_out* o, const fourier_bound* b, const double* waves, const sup_vec3* left)
{
    const sup_modal* m = &b->motion.modal;
    put(o, 0x1a434653u, 4); // "SFC", end of text
    put(o, SFC_VERSION, 4);
    put(o, (m->smooth ? SFC_SMOOTH : 0) | (m->period > 0 ? SFC_CYCLE : 0), 4);
    put(o, b->point_count, 4);
    put(o, b->net.curves.curve_count, 4);
    put(o, b->net.coefficient_count, 4);
    put(o, m->examples, 4);
    put(o, m->segments, 4);
    put(o, POWERS + 2 * m->modes, 4);
    put(o, (uint32_t)m->ramp, 4);
    put(o, b->residual == RESIDUAL_NONE ? 0 : b->residual == RESIDUAL_HALF ? 1 : 2, 4);
    put(o, 0, 4);
    for (uint32_t i = 0; i <= m->segments; ++i) put_double(o, m->times[i]);
    for (uint32_t i = 0; i < m->examples; ++i) put_double(o, m->smooth ? sup_modal_tangent(m, i).scale : 0);
    for (uint32_t j = 0; j < m->segments; ++j)
        for (uint32_t i = 0; i < POWERS + 2 * m->modes; ++i) put_oscillator(o, m, j, i < POWERS ? SUP_NONE : (i - POWERS) / 2);
    put_functions(o, b, waves);
    put_coefficients(o, b);
    put_points(o, b);
    put_residual(o, b, left);
}

static sup_result check(const fourier_bound* b, sup_error* error)
{
    if (b->segments.posed)
        return sup_fail(
            error, SUP_ERROR_INPUT,
            "fourier: a runtime file plays over time, and here the pose drives; bind with the clip of the examples");
    if (b->sections.station_count)
        return sup_fail(error, SUP_ERROR_INPUT,
                        "fourier: the examples turn sections of limbs by up to %g degrees, which a runtime file does not hold; "
                        "set fourier.turning=0",
                        (double)b->sections.angle * 57.29577951308232);
    if (b->motion.force_count)
        return sup_fail(error, SUP_ERROR_INPUT, "fourier: a runtime file holds no forces; save without them");
    for (uint32_t c = 0; c < b->net.curves.curve_count; ++c)
        if (b->net.series[c].kind == SUP_FOURIER_CANTILEVER)
            return sup_fail(error, SUP_ERROR_INPUT,
                            "fourier: a runtime file holds powers and waves, no clamped strips; save with ends=line");
    if (b->net.curves.curve_count >= NOWHERE)
        return sup_fail(error, SUP_ERROR_INPUT, "fourier: %u curves are too many for a runtime file; at most 65534",
                        b->net.curves.curve_count);
    return SUP_OK;
}

/// What the series miss of every example, in floats.
static sup_result find_left(const fourier_bound* b, sup_arena* arena, sup_vec3** out, sup_error* error)
{
    size_t    n = b->point_count, examples = b->motion.modal.examples;
    sup_vec3* left = SUP_NEW(arena, sup_vec3, n * examples + SUP_LANES);
    float*    packed = SUP_NEW(arena, float, 3 * (size_t)b->net.coefficient_count + SUP_LANES);
    if (!left || !packed) return sup_fail_memory(error, "a runtime file");
    for (uint32_t j = 0; j < examples; ++j) {
        fourier_pack(b, b->motion.modal.shape + (size_t)j * b->motion.modal.block, packed);
        SUP_WIDE_PICK(fourier_take)(&b->net, packed, 0, b->net.group_count, left + j * n);
        for (uint32_t i = 0; i < n; ++i) left[j * n + i] = v3_sub(b->segments.q[j][i], left[j * n + i]);
    }
    *out = left;
    return SUP_OK;
}

sup_result fourier_save(const sup_binding* binding, sup_arena* arena, const void** bytes, size_t* size, sup_error* error)
{
    const fourier_bound* b = binding->data;
    sup_vec3*            left = NULL;
    sfc_out              out = { 0 };
    sup_result           r = check(b, error);
    if (!r && b->residual == RESIDUAL_EXACT) r = find_left(b, arena, &left, error);
    if (r) return r;
    double* waves = SUP_NEW(arena, double, b->motion.modal.modes);
    if (!waves) return sup_fail_memory(error, "a runtime file");
    for (uint32_t c = 0; c < b->net.curves.curve_count; ++c)
        for (uint32_t f = 0; f < b->net.series[c].functions; ++f)
            waves[b->motion.mode[b->net.series[c].packed + f]] = sup_fourier_wave(b->net.series[c].kind, f);
    put_all(&out, b, waves, left);
    out = (sfc_out){ .bytes = sup_arena_alloc(arena, out.size, 1) };
    if (!out.bytes) return sup_fail_memory(error, "a runtime file");
    put_all(&out, b, waves, left);
    *bytes = out.bytes;
    *size = out.size;
    return SUP_OK;
}
