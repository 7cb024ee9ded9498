#include "deform/fourier/fourier_file.h"

#include "base/internal.h"
#include "math/vec.h"

#include <math.h>
#include <string.h>

enum { SFC_VERSION = 3, SFC_HASHED = 12, SFC_HEAD = 80 };

// ---------------------------------------------------------------------------------------------- bytes

/// Room for `more` after `used`; NULL if memory ran out.
static void* reserve(sfc_file* f, void* old, size_t used, size_t more, size_t* capacity)
{
    if (f->failed) return NULL;
    if (used + more <= *capacity) return old;
    size_t wanted = 2 * (used + more) + 64;
    void*  made = sup_arena_alloc(f->arena, wanted, 1);
    if (!made) {
        f->failed = true;
        return NULL;
    }
    if (used) memcpy(made, old, used);
    *capacity = wanted;
    return made;
}

void sfc_put(sfc_file* f, enum sfc_kind array, uint64_t value, uint32_t bytes)
{
    sfc_array* a = &f->arrays[array];
    uint8_t*   to = reserve(f, a->bytes, a->size, bytes, &a->capacity);
    if (!to) return;
    a->bytes = to;
    for (uint32_t i = 0; i < bytes; ++i) to[a->size++] = (uint8_t)(value >> 8 * i);
}

void sfc_put_float(sfc_file* f, enum sfc_kind array, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    sfc_put(f, array, bits, 4);
}

static void put_double(sfc_file* f, enum sfc_kind array, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    sfc_put(f, array, bits, 8);
}

static uint32_t share16(float x) { return (uint32_t)(sup_clampf(x, 0, 1) * 65535.0f + 0.5f); }

void sfc_put_share(sfc_file* f, enum sfc_kind array, float x) { sfc_put(f, array, share16(x), 2); }

double sfc_share(float x) { return share16(x) / (double)UINT16_MAX; }

// ---------------------------------------------------------------------------------------------- functions and moves

// Relative to the number or to 1: functions that differ by less are stored once. A float of the file rounds a thousand times
// more.
#define SAME_FUNCTION 1e-11

static bool alike(const sup_fourier_element* x, const sup_fourier_element* y)
{
    const double *a = &x->amplitude, *b = &y->amplitude;
    for (uint32_t i = 0; i < sizeof *x / sizeof *a; ++i)
        if (fabs(a[i] - b[i]) > SAME_FUNCTION * (1 + fabs(a[i]))) return false;
    return true;
}

sfc_function sfc_add_function(sfc_file* f, const sup_fourier_element* elements, uint32_t count)
{
    sfc_function made = { f->element_count, count };
    for (uint32_t at = 0; at + count <= f->element_count; ++at) {
        uint32_t same = 0;
        while (same < count && alike(&elements[same], &f->elements[at + same])) ++same;
        if (same == count) return (sfc_function){ at, count };
    }
    size_t               one = sizeof *elements;
    sup_fourier_element* to = reserve(f, f->elements, f->element_count * one, count * one, &f->element_capacity);
    if (!to) return (sfc_function){ 0 };
    f->elements = to;
    memcpy(to + f->element_count, elements, count * one);
    f->element_count += count;
    for (uint32_t i = 0; i < count; ++i) {
        const sup_fourier_element* e = &elements[i];
        put_double(f, SFC_ELEMENT, e->amplitude), put_double(f, SFC_ELEMENT, e->power);
        put_double(f, SFC_ELEMENT, e->growth), put_double(f, SFC_ELEMENT, e->from);
        put_double(f, SFC_ELEMENT, e->wave), put_double(f, SFC_ELEMENT, e->phase);
    }
    return made;
}

sfc_function sfc_add_motion(sfc_file* f, const sup_closed_form* form)
{
    sup_fourier_element e[SUP_CLOSED_POWERS + SUP_CLOSED_SWINGS];
    uint32_t            n = 0;
    for (uint32_t i = 0; i < SUP_CLOSED_POWERS; ++i)
        if (form->powers[i] != 0) e[n++] = (sup_fourier_element){ .amplitude = form->powers[i], .power = i };
    for (uint32_t i = 0; i < SUP_CLOSED_SWINGS; ++i)
        if (form->swing[i].amplitude != 0) e[n++] = form->swing[i];
    return sfc_add_function(f, e, n);
}

uint32_t sfc_add_piece(sfc_file* f, double from, double until, double zero, double unit)
{
    put_double(f, SFC_PIECE, from), put_double(f, SFC_PIECE, until);
    put_double(f, SFC_PIECE, zero), put_double(f, SFC_PIECE, unit);
    return (uint32_t)(f->arrays[SFC_PIECE].size / 32) - 1;
}

uint32_t sfc_add_shape(sfc_file* f, double* values, uint32_t count)
{
    uint32_t at = (uint32_t)(f->arrays[SFC_SHAPE].size / 2);
    double   most = 0;
    int      power;
    for (uint32_t i = 0; i < count; ++i) most = fmax(most, fabs(values[i]));
    if (!(most > 0)) return SUP_NONE;
    frexp(most, &power); // most < 2^power
    power -= 15;
    sfc_put(f, SFC_SHAPE, (uint16_t)power, 2);
    for (uint32_t i = 0; i < count; ++i) {
        double steps = fmin(floor(ldexp(values[i], -power) + 0.5), 32767);
        sfc_put(f, SFC_SHAPE, (uint16_t)(int16_t)steps, 2);
        values[i] = ldexp(steps, power);
    }
    return at;
}

void sfc_add_move(sfc_file* f, uint32_t piece, sfc_function function, uint32_t first, uint32_t count, uint32_t shape)
{
    if (function.count == 0 || shape == SUP_NONE) return;
    sfc_put(f, SFC_MOVE, piece, 4), sfc_put(f, SFC_MOVE, function.first, 4), sfc_put(f, SFC_MOVE, function.count, 4);
    sfc_put(f, SFC_MOVE, first, 4), sfc_put(f, SFC_MOVE, count, 4), sfc_put(f, SFC_MOVE, shape, 4);
}

// ---------------------------------------------------------------------------------------------- all of it

sup_result sfc_finish(sfc_file* f, const void** bytes, size_t* size, sup_error* error)
{
    size_t   at = SFC_HEAD, all = SFC_HEAD;
    uint32_t hash = 2166136261u; // FNV-1a
    for (int i = 0; i < SFC_ARRAYS; ++i) all += f->arrays[i].size;
    if (all > UINT32_MAX)
        return sup_fail(error, SUP_ERROR_INPUT, "fourier: a runtime file of %.1f GB is too large; take residual=none",
                        1e-9 * (double)all);
    uint8_t* out = sup_arena_alloc(f->arena, all, 1);
    sfc_file head = { .arena = f->arena };
    if (f->failed || !out) return sup_fail_memory(error, "a runtime file");
    sfc_put(&head, 0, 0x1a434653u, 4); // "SFC", end of text
    sfc_put(&head, 0, SFC_VERSION, 4), sfc_put(&head, 0, 0, 4), sfc_put(&head, 0, f->numbers, 4);
    put_double(&head, 0, f->begin), put_double(&head, 0, f->period), sfc_put(&head, 0, f->points, 4);
    for (int i = 0; i < SFC_ARRAYS; ++i) {
        sfc_put(&head, 0, at, 4);
        if (f->arrays[i].size) memcpy(out + at, f->arrays[i].bytes, f->arrays[i].size);
        at += f->arrays[i].size;
    }
    sfc_put(&head, 0, at, 4);
    if (head.failed) return sup_fail_memory(error, "a runtime file");
    SUP_ASSERT(head.arrays[0].size == SFC_HEAD);
    memcpy(out, head.arrays[0].bytes, SFC_HEAD);
    for (size_t i = SFC_HASHED; i < all; ++i) hash = (hash ^ out[i]) * 16777619u;
    for (int i = 0; i < 4; ++i) out[8 + i] = (uint8_t)(hash >> 8 * i);
    *bytes = out;
    *size = all;
    return SUP_OK;
}
