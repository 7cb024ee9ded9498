#include "scenes/tube.h"

#include "base/internal.h"

#include <math.h>

uint32_t sup_tube_point_count(const sup_tube* tube)
{
    return tube->rings * 4 * tube->side + 2 * (tube->side - 1) * (tube->side - 1);
}

uint32_t sup_tube_face_count(const sup_tube* tube) { return (tube->rings - 1) * 4 * tube->side + 2 * tube->side * tube->side; }

void sup_square_rim(uint32_t columns, uint32_t rows, uint32_t step, uint32_t* i, uint32_t* j)
{
    SUP_ASSERT(step < 2 * (columns + rows));
    if (step < columns) *i = step, *j = 0;
    else if (step < columns + rows) *i = columns, *j = step - columns;
    else if (step < 2 * columns + rows) *i = 2 * columns + rows - step, *j = rows;
    else *i = 0, *j = 2 * (columns + rows) - step;
}

float sup_square_turn(float u, float v)
{
    float rim = fabsf(u) > fabsf(v) ? fabsf(u) : fabsf(v);
    if (!(rim > 0.0f)) return 0.0f;
    u /= rim, v /= rim;
    float t; // eighths of the way around
    if (u >= 1.0f) t = v;
    else if (v >= 1.0f) t = 2.0f - u;
    else if (u <= -1.0f) t = 4.0f - v;
    else t = 6.0f + u;
    return (t < 0.0f ? t + 8.0f : t) * 0.125f;
}

static sup_tube_spot spot_at(uint32_t ring, float u, float v)
{
    float rim = fabsf(u) > fabsf(v) ? fabsf(u) : fabsf(v);
    return (sup_tube_spot){ ring, u, v, rim, sup_square_turn(u, v) };
}

sup_tube_spot sup_tube_find(const sup_tube* tube, uint32_t point)
{
    uint32_t side = tube->side, around = 4 * side, i, j, ring;
    if (point < tube->rings * around) {
        ring = point / around;
        sup_square_rim(side, side, point % around, &i, &j);
    } else {
        uint32_t inner = point - tube->rings * around, patch = (side - 1) * (side - 1);
        ring = inner < patch ? 0 : tube->rings - 1;
        inner %= patch;
        i = 1 + inner % (side - 1);
        j = 1 + inner / (side - 1);
    }
    return spot_at(ring, 2.0f * (float)i / (float)side - 1.0f, 2.0f * (float)j / (float)side - 1.0f);
}

uint32_t sup_tube_patch_point(const sup_tube* tube, bool last, uint32_t i, uint32_t j)
{
    uint32_t side = tube->side, around = 4 * side, ring = last ? tube->rings - 1 : 0;
    uint32_t base = ring * around;
    if (j == 0) return base + i;
    if (i == side) return base + side + j;
    if (j == side) return base + 3 * side - i;
    if (i == 0) return base + 4 * side - j;
    uint32_t patch = (side - 1) * (side - 1);
    return tube->rings * around + (last ? patch : 0) + (j - 1) * (side - 1) + i - 1;
}

void sup_tube_faces(const sup_tube* tube, uint32_t* corners)
{
    uint32_t  side = tube->side, around = 4 * side;
    uint32_t* at = corners;
    for (uint32_t r = 0; r + 1 < tube->rings; ++r)
        for (uint32_t s = 0; s < around; ++s) {
            uint32_t next = (s + 1) % around;
            *at++ = r * around + s;
            *at++ = r * around + next;
            *at++ = (r + 1) * around + next;
            *at++ = (r + 1) * around + s;
        }
    for (int last = 0; last < 2; ++last)
        for (uint32_t j = 0; j < side; ++j)
            for (uint32_t i = 0; i < side; ++i) {
                // Along v the first patch faces -x; the far end is traversed in reverse.
                uint32_t a = last ? 1 : 0, b = last ? 0 : 1;
                *at++ = sup_tube_patch_point(tube, last, i, j);
                *at++ = sup_tube_patch_point(tube, last, i + a, j + b);
                *at++ = sup_tube_patch_point(tube, last, i + 1, j + 1);
                *at++ = sup_tube_patch_point(tube, last, i + b, j + a);
            }
}
