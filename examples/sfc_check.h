// Whether a runtime file (sfc.h) is whole: a copy that was cut short or damaged, or one that somebody means harm with, gets a
// sentence, and what passes is played without touching what is not there.
#include "sfc.h"

#include <stddef.h>

static int sfc_outside(uint32_t first, uint32_t count, uint32_t all) { return first > all || count > all - first; }

// Lengths, and everything that says where something else stands.
static int sfc_lost(const sfc* f)
{
    static const uint32_t width[ARRAYS] = { 48, 32, 24, 20, 12, 8, 12, 4, 2, 2 }; // bytes of a record
    uint32_t              count[ARRAYS], turning, any = 0;
    if (f->at[0] != sizeof *f) return 1;
    for (int i = 0; i < ARRAYS; ++i) {
        if (f->at[i] > f->at[i + 1] || (f->at[i + 1] - f->at[i]) % width[i]) return 1;
        count[i] = (f->at[i + 1] - f->at[i]) / width[i];
    }
    turning = count[STAND];
    any |=
        count[PLACE] != f->points || f->points > f->numbers / 3 || (turning && turning != f->points) || count[REST] != turning;
    any |= count[STRENGTH] && count[STRENGTH] != f->points;
    const uint32_t *m = sfc_get(f, MOVE), *r = sfc_get(f, ROW);
    for (uint32_t i = 0; i < count[MOVE] && !any; ++i, m += 6) // a shape is a power of two, then its numbers
        any = m[0] >= count[PIECE] || sfc_outside(m[1], m[2], count[ELEMENT]) || sfc_outside(m[3], m[4], f->numbers) ||
              m[5] >= count[SHAPE] || sfc_outside(m[5] + 1, m[4], count[SHAPE]);
    for (uint32_t i = 0; i < count[ROW] && !any; ++i, r += 5)
        any = sfc_outside(r[0], r[1], count[ELEMENT]) || r[3] > 65536 || sfc_outside(r[4], 3 * r[3], f->numbers);
    const uint16_t* stand = sfc_get(f, STAND);
    for (uint32_t i = 0; i < turning && !any; ++i, stand += 2)
        any = stand[0] != 65535 && sfc_outside(3 * f->points, 9u * stand[0] + 18, f->numbers);
    return any != 0;
}

static const char* sfc_wrong(const void* bytes, size_t size) // NULL, or a sentence
{
    const sfc* f = bytes;
    uint32_t   hash = 2166136261u;
    if (size < sizeof *f || f->magic != 0x1a434653) return "this is no .sfc file";
    if (f->version != 3) return "this .sfc file is newer than its player, or older: it reads version 3";
    for (size_t i = 12; i < size; ++i) hash = (hash ^ ((const uint8_t*)bytes)[i]) * 16777619u;
    return hash != f->hash || f->at[ARRAYS] != size || sfc_lost(f) ? "this .sfc file is cut short or damaged" : NULL;
}
