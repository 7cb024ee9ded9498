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

static void put_modes(sfc_out* o, const sup_modal* m)
{
    for (uint32_t k = 0; k < m->modes; ++k) {
        put_double(o, m->free[k].rho);
        put_double(o, m->free[k].eta);
        put_double(o, m->free[k].h);
        put(o, m->still[k] ? 1 : m->hermite[k] ? 2 : 0, 8);
    }
}

static void put_curves(sfc_out* o, const fourier_bound* b)
{
    const fourier_net* n = &b->net;
    for (uint32_t c = 0; c < n->curves.curve_count; ++c) {
        put(o, n->series[c].kind, 2);
        put(o, n->series[c].terms, 2);
    }
    for (uint32_t i = 0; i < n->coefficient_count; ++i) put(o, b->motion.mode[i], 2);
    while (o->size % 4) put(o, 0, 1);
}

static void put_coefficients(sfc_out* o, const fourier_bound* b)
{
    const sup_modal* m = &b->motion.modal;
    uint32_t         rates = m->smooth ? m->segments + 1 : 0;
    for (uint32_t j = 0; j < m->examples + rates; ++j) {
        const float* from = j < m->examples ? m->shape + (size_t)j * m->block : m->rate + (size_t)(j - m->examples) * m->block;
        for (uint32_t i = 0; i < b->net.coefficient_count; ++i)
            for (uint32_t k = 0; k < 3; ++k) put_float(o, from[b->motion.index[i] + k]);
    }
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
}

static void put_residual(sfc_out* o, const fourier_bound* b, const sup_vec3* left)
{
    for (uint32_t j = 0; j < b->motion.modal.examples; ++j) {
        if (b->residual == RESIDUAL_EXACT)
            for (uint32_t i = 0; i < b->point_count; ++i) {
                sup_vec3 d = left[(size_t)j * b->point_count + i];
                put_float(o, d.x), put_float(o, d.y), put_float(o, d.z);
            }
        if (b->residual != RESIDUAL_HALF) continue;
        put_float(o, b->scales[j]);
        for (uint32_t i = 0; i < 3 * b->point_count; ++i) put(o, b->halves[j][i], 2);
        while (o->size % 4) put(o, 0, 1);
    }
}

static void put_all(sfc_out* o, const fourier_bound* b, const sup_vec3* left)
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
    put(o, m->modes, 4);
    put(o, (uint32_t)m->ramp, 4);
    put(o, b->residual == RESIDUAL_NONE ? 0 : b->residual == RESIDUAL_HALF ? 1 : 2, 4);
    put(o, 0, 4);
    put_double(o, m->unit);
    for (uint32_t i = 0; i <= m->examples; ++i) put_double(o, m->times[i]);
    put_modes(o, m);
    put_curves(o, b);
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
    put_all(&out, b, left);
    out = (sfc_out){ .bytes = sup_arena_alloc(arena, out.size, 1) };
    if (!out.bytes) return sup_fail_memory(error, "a runtime file");
    put_all(&out, b, left);
    *bytes = out.bytes;
    *size = out.size;
    return SUP_OK;
}
