// A fox of 155 m, a warrior of 7 mm: some files are not in the unit they claim. Skin under gravity at such a size hangs like a
// sack or is rigid like stone, so physics assumes a plausible size. Points, files and printed lengths keep the file's unit:
// only gravity, masses and the lengths of the world use the assumed one.
#include "supple/io.h"

#include "base/internal.h"
#include "io/gltf/gltf.h"

#include <math.h>
#include <string.h>

// Longest sides in meters. A hand and a whale are near the ends; --unit overrides.
static const double SMALLEST = 0.2, LARGEST = 20.0;
// Unit mistakes are powers of ten (centimeters for meters). The one that brings the size nearest to the middle of that range, 2
// m, is assumed: above 2 / sqrt(10), up to 2 * sqrt(10).
static const double LEAST = 0.632455532033676, MOST = 6.32455532033676;

static double power_of_ten(int exponent)
{
    double power = 1;
    for (int i = exponent < 0 ? -exponent : exponent; i > 0; --i) power *= 10;
    return exponent < 0 ? 1 / power : power; // so that 0.01 has the bits of a literal 0.01
}

static double find_factor(double metres)
{
    int exponent = 0;
    while (metres * power_of_ten(exponent) > MOST) --exponent;
    while (metres * power_of_ten(exponent) <= LEAST) ++exponent;
    return power_of_ten(exponent);
}

// The value for --unit.
static void write_unit(double metres, char* out, size_t size)
{
    static const struct {
        const char* word;
        double      metres;
    } known[] = { { "m", 1 }, { "cm", 0.01 }, { "mm", 0.001 }, { "km", 1000 }, { "in", 0.0254 }, { "ft", 0.3048 } };
    for (size_t i = 0; i < SUP_COUNT_OF(known); ++i)
        if (fabs(metres - known[i].metres) <= 1e-9 * metres) {
            sup_format(out, size, "%s", known[i].word);
            return;
        }
    sup_format(out, size, "%g", metres);
}

static sup_result add_warning(sup_character* c, const char* text, sup_error* error)
{
    const char** list = SUP_NEW(c->arena, const char*, (size_t)c->warning_count + 1);
    const char*  kept = sup_arena_text(c->arena, text, strlen(text));
    if (!list || !kept) return sup_fail_memory(error, "a character");
    for (uint32_t i = 0; i < c->warning_count; ++i) list[i] = c->warnings[i];
    list[c->warning_count++] = kept;
    c->warnings = list;
    return SUP_OK;
}

sup_result sup_size_judge(sup_character* c, const sup_allocator* allocator, sup_error* error)
{
    double     extent;
    sup_result result = sup_character_extent(c, allocator, &extent, error);
    double     metres = extent * c->metres_per_unit;
    if (result != SUP_OK || !(metres > 0) || !isfinite(metres)) return result;
    if (metres >= SMALLEST && metres <= LARGEST) return SUP_OK;
    const gltf_source* source = gltf_source_of(c);
    double             unit = source && source->unit > 0 ? source->unit : c->metres_per_unit;
    char               own[32], other[32], text[400];
    c->size_factor = find_factor(metres);
    write_unit(unit, own, sizeof own);
    write_unit(unit * c->size_factor, other, sizeof other);
    sup_format(text, sizeof text,
               "'%.100s' is %.3g m large at %g m per unit; characters are %g to %g m, so physics assumes %.3g m: "
               "--unit %s makes that its size, --unit %s keeps the file's",
               c->name, metres, unit, SMALLEST, LARGEST, metres * c->size_factor, other, own);
    return add_warning(c, text, error);
}
