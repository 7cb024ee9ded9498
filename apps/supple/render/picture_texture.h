/// picture_texture.h: the pictures of materials, ready to be sampled.
#ifndef SUPPLE_APP_PICTURE_TEXTURE_H
#define SUPPLE_APP_PICTURE_TEXTURE_H

#include "picture.h"
#include "supple/io.h"

struct texture {
    uint32_t width, height;
    uint8_t* pixels;      ///< sRGB, three bytes each; NULL: unreadable
    float    linear[256]; ///< linear value of each byte
    sup_wrap wrap_x, wrap_y;
};

/// NULL, or why it cannot be read, as the end of a sentence. Free it with texture_free either way.
const char*   texture_read(const sup_picture* from, texture* out);
void          texture_free(texture* t);
picture_color texture_at(const texture* t, float u, float v); ///< linear

#endif
