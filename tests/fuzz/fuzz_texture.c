// Any bytes as a picture of a material: PNG and JPEG, where the build reads them.
#include "fuzz.h"

#include "apps/supple/render/picture_texture.h"

#include <stdlib.h>
#include <string.h>

// What the harness is linked with asks here for its memory (--wrap=malloc).
static long allowed_now = -1, refused_now;
void*       __real_malloc(size_t bytes);
void*       __wrap_malloc(size_t bytes);

void* __wrap_malloc(size_t bytes)
{
    if (allowed_now == 0) return refused_now++, NULL;
    if (allowed_now > 0) allowed_now--;
    return __real_malloc(bytes);
}

long fuzz_starve(long allowed)
{
    long refused = refused_now;
    allowed_now = allowed;
    refused_now = 0;
    return refused;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    sup_picture from = { .name = "a", .bytes = { data, size }, .wrap_x = SUP_WRAP_MIRROR };
    texture     t;
    const char* why = texture_read(&from, &t);
    if ((why == NULL) != (t.pixels != NULL)) abort();
    if (t.pixels) {
        picture_color c = texture_at(&t, -1.25f, 3.5f);
        if (!(c.r >= 0 && c.r <= 1.001f)) abort();
    }
    texture_free(&t);
    return 0;
}

// A seed that is no picture would lead nowhere.
static void expect_picture(const uint8_t* bytes, size_t size)
{
    sup_picture from = { .name = "a", .bytes = { bytes, size } };
    texture     t;
    const char* why = texture_read(&from, &t);
    if (why && !strstr(why, "this build reads no")) abort();
    texture_free(&t);
}

void fuzz_seeds(fuzz_seed_fn* seed, void* user)
{
    // One dot each, as libpng and libjpeg write it.
    static const uint8_t png[] = { 0x89, 'P',  'N',  'G',  13,   10,  26,  10,   0,    0,    0,    13,   'I',  'H',
                                   'D',  'R',  0,    0,    0,    1,   0,   0,    0,    1,    8,    0,    0,    0,
                                   0,    0x3a, 0x7e, 0x9b, 0x55, 0,   0,   0,    10,   'I',  'D',  'A',  'T',  0x78,
                                   0x9c, 0x63, 0x60, 0,    0,    0,   2,   0,    1,    0x48, 0xaf, 0xa4, 0x71, 0,
                                   0,    0,    0,    'I',  'E',  'N', 'D', 0xae, 0x42, 0x60, 0x82 };
    static const uint8_t jpeg[] = {
        0xff, 0xd8, 0xff, 0xdb, 0, 67, 0, 1, 1, 1, 1,    1,    1,    1,    1,    1,  1, 1, 1,    1, 1,    1,    1,    1,
        1,    1,    1,    1,    1, 1,  1, 1, 1, 1, 1,    1,    1,    1,    1,    1,  1, 1, 1,    1, 1,    1,    1,    1,
        1,    1,    1,    1,    1, 1,  1, 1, 1, 1, 1,    1,    1,    1,    1,    1,  1, 1, 1,    1, 1,    1,    1,    0xff,
        0xc0, 0,    11,   8,    0, 1,  0, 1, 1, 1, 0x11, 0,    0xff, 0xc4, 0,    20, 0, 1, 0,    0, 0,    0,    0,    0,
        0,    0,    0,    0,    0, 0,  0, 0, 0, 9, 0xff, 0xc4, 0,    20,   0x10, 1,  0, 0, 0,    0, 0,    0,    0,    0,
        0,    0,    0,    0,    0, 0,  0, 0, 0, 0, 0xff, 0xda, 0,    8,    1,    1,  0, 0, 0x3f, 0, 0x54, 0xdf, 0xff, 0xd9
    };
    expect_picture(png, sizeof png);
    expect_picture(jpeg, sizeof jpeg);
    seed(user, png, sizeof png);
    seed(user, jpeg, sizeof jpeg);
}
