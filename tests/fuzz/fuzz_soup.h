/// tests/fuzz/fuzz_soup.h: any bytes as triangles: many on one edge, equal, flat, in several pieces, inside out.
///
/// Places are whole numbers from -8 to 7, so that points fall together and faces lie on each other often; one byte scales them.
#ifndef SUP_TESTS_FUZZ_SOUP_H
#define SUP_TESTS_FUZZ_SOUP_H

#include "supple/base.h"

#include <stdlib.h>

enum { SOUP_POINTS_MAX = 48, SOUP_TRIANGLES_MAX = 200, SOUP_CHOICES = 4 };

typedef struct soup {
    uint8_t  choices[SOUP_CHOICES]; ///< the first bytes, for whoever uses it
    uint32_t point_count, triangle_count;
    sup_vec3 points[SOUP_POINTS_MAX];
    uint32_t triangles[3 * SOUP_TRIANGLES_MAX];
} soup;

typedef struct soup_bytes {
    const uint8_t* at;
    size_t         left;
} soup_bytes;

static inline uint8_t soup_byte(soup_bytes* b) { return b->left ? (b->left--, *b->at++) : 0; }

/// Choices, scale, number of points, their places in three bytes each (place, and a fraction that is mostly zero), then
/// corners.
static inline soup soup_make(const uint8_t* data, size_t size)
{
    static const float scales[16] = { 1, 1, 1, 1, 1, 1, 1, 1, 1e-3f, 1e3f, 1e-20f, 1e-38f, 1e8f, 1e20f, 1e30f, 4e37f };
    soup               s = { .point_count = 0 };
    soup_bytes         b = { data, size };
    for (int i = 0; i < SOUP_CHOICES; ++i) s.choices[i] = soup_byte(&b);
    float scale = scales[soup_byte(&b) % 16];
    s.point_count = 3 + soup_byte(&b) % (SOUP_POINTS_MAX - 2);
    for (uint32_t i = 0; i < 3 * s.point_count; ++i) {
        uint8_t byte = soup_byte(&b);
        (&s.points[0].x)[i] = scale * ((float)(byte & 15) - 8 + (float)(byte >> 4) / 64);
    }
    while (b.left >= 3 && s.triangle_count < SOUP_TRIANGLES_MAX) {
        for (int k = 0; k < 3; ++k) s.triangles[3 * s.triangle_count + (uint32_t)k] = soup_byte(&b) % s.point_count;
        ++s.triangle_count;
    }
    return s;
}

/// A box with triangles as a seed: `choices` first. Returns its size.
static inline size_t soup_box(const uint8_t choices[SOUP_CHOICES], bool stacked, uint8_t out[256])
{
    static const uint8_t corners[] = { 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5, 0, 1, 5, 0, 5, 4,
                                       2, 6, 7, 2, 7, 3, 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6 };
    size_t               size = 0;
    for (int i = 0; i < SOUP_CHOICES; ++i) out[size++] = choices[i];
    out[size++] = 0;
    out[size++] = 5; // eight points
    for (int k = 0; k < 8; ++k) {
        out[size++] = k & 1 ? 14 : 2;
        out[size++] = k & 2 ? 10 : 6;
        out[size++] = k & 4 ? 10 : 6;
    }
    for (size_t i = 0; i < sizeof corners; ++i) out[size++] = corners[i];
    for (int i = 0; stacked && i < 90; ++i) out[size++] = corners[i % 6];
    return size;
}

#endif
