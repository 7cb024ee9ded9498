// Checks a runtime file (sfc.h): a truncated, damaged or malicious one gets a sentence, and one that passes is played without
// reading out of bounds.
#include "sfc.h"

#include <string.h>

static int sfc_outside(uint32_t first, uint32_t count, uint32_t all) { return first > all || count > all - first; }

// Lengths, and every offset and index.
static int sfc_lost(const sfc* f)
{
    static const uint32_t width[10] = { 48, 32, 24, 20, 12, 8, 12, 4, 2, 2 }; // bytes of a record
    uint32_t              at[11], any = 0;
    memcpy(at, &f->element, sizeof at);
    if (at[0] != sizeof *f) return 1;
    for (int i = 0; i < 10; ++i)
        if (at[i] > at[i + 1] || (at[i + 1] - at[i]) % width[i]) return 1;
    uint32_t elements = (f->piece - f->element) / 48, pieces = (f->move - f->piece) / 32, shapes = (f->end - f->shape) / 2;
    uint32_t turning = (f->strength - f->stand) / 4, strong = (f->shape - f->strength) / 2;
    any |= (f->stand - f->place) / 12 != f->points || f->points > f->numbers / 3 || (f->lean - f->rest) / 12 != turning;
    any |= (turning && turning != f->points) || (strong && strong != f->points);
    for (const uint32_t *m = SFC_GET(uint32_t, f, move), *end = SFC_GET(uint32_t, f, row); m < end && !any; m += 6)
        any = m[0] >= pieces || sfc_outside(m[1], m[2], elements) || sfc_outside(m[3], m[4], f->numbers) || m[5] >= shapes ||
              sfc_outside(m[5] + 1, m[4], shapes); // a shape has a power of two, then its numbers
    for (const uint32_t *r = SFC_GET(uint32_t, f, row), *end = SFC_GET(uint32_t, f, rest); r < end && !any; r += 5)
        any = sfc_outside(r[0], r[1], elements) || r[3] > 65536 || sfc_outside(r[4], 3 * r[3], f->numbers);
    const uint16_t* stand = SFC_GET(uint16_t, f, stand);
    for (uint32_t i = 0; i < turning && !any; ++i, stand += 2)
        any = stand[0] != 65535 && sfc_outside(3 * f->points, 9u * stand[0] + 18, f->numbers);
    return any != 0;
}

static const char* sfc_wrong(const void* bytes, size_t size) // NULL, or a sentence
{
    const sfc* f = (const sfc*)bytes;
    uint32_t   hash = 2166136261u;
    if (size < sizeof *f || f->magic != 0x1a434653) return "this is no .sfc file";
    if (f->version != 3) return "this .sfc file is newer than its player, or older: it reads version 3";
    for (size_t i = 12; i < size; ++i) hash = (hash ^ ((const uint8_t*)bytes)[i]) * 16777619u;
    return hash != f->hash || f->end != size || sfc_lost(f) ? "this .sfc file is cut short or damaged" : NULL;
}
