// Pictures of materials: PNG through libpng, JPEG through libjpeg, unchanged into memory; sampled bilinearly.
#include "picture_texture.h"

#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE_MAX = 16384 };

// ---------------------------------------------------------------------------------------------- decoding

#if defined(SUPPLE_PNG) || defined(SUPPLE_JPEG)
static bool take_capacity(texture* t, uint32_t width, uint32_t height)
{
    if (width == 0 || height == 0 || width > SIDE_MAX || height > SIDE_MAX) return false;
    t->width = width;
    t->height = height;
    t->pixels = malloc((size_t)width * height * 3);
    return t->pixels != NULL;
}
#endif

#ifdef SUPPLE_PNG
#include <png.h>

static bool decode_png(sup_bytes bytes, texture* t)
{
    png_image source = { .version = PNG_IMAGE_VERSION };
    if (!png_image_begin_read_from_memory(&source, bytes.data, bytes.size)) return false;
    source.format = PNG_FORMAT_RGBA; // alpha is read and ignored: without it libpng would composite the picture onto black
    uint8_t* rgba = NULL;
    bool     good = source.width <= SIDE_MAX && source.height <= SIDE_MAX && (rgba = malloc(PNG_IMAGE_SIZE(source))) != NULL &&
                png_image_finish_read(&source, NULL, rgba, 0, NULL) && take_capacity(t, source.width, source.height);
    for (size_t i = 0; good && i < (size_t)t->width * t->height; i++) memcpy(t->pixels + 3 * i, rgba + 4 * i, 3);
    free(rgba);
    png_image_free(&source);
    return good;
}
#endif

#ifdef SUPPLE_JPEG
#include <jpeglib.h>

typedef struct jpeg_trap {
    struct jpeg_error_mgr manager;
    jmp_buf               back;
} jpeg_trap;

static void leave(j_common_ptr info) { longjmp(((jpeg_trap*)(void*)info->err)->back, 1); }
static void keep_quiet(j_common_ptr info) { (void)info; }

static bool decode_jpeg(sup_bytes bytes, texture* t)
{
    struct jpeg_decompress_struct info;
    jpeg_trap                     trap;
    info.err = jpeg_std_error(&trap.manager);
    trap.manager.error_exit = leave;
    trap.manager.output_message = keep_quiet;
    jpeg_create_decompress(&info);
    if (setjmp(trap.back)) {
        jpeg_destroy_decompress(&info);
        return false;
    }
    jpeg_mem_src(&info, bytes.data, (unsigned long)bytes.size);
    jpeg_read_header(&info, TRUE);
    info.out_color_space = JCS_RGB;
    jpeg_start_decompress(&info);
    bool good = take_capacity(t, info.output_width, info.output_height);
    while (good && info.output_scanline < info.output_height) {
        JSAMPROW row = t->pixels + (size_t)info.output_scanline * t->width * 3;
        jpeg_read_scanlines(&info, &row, 1);
    }
    jpeg_abort_decompress(&info);
    jpeg_destroy_decompress(&info);
    return good;
}
#endif

static bool begins_with(sup_bytes bytes, const char* magic, size_t size)
{
    return bytes.size >= size && memcmp(bytes.data, magic, size) == 0;
}

const char* texture_read(const sup_picture* from, texture* out)
{
    memset(out, 0, sizeof *out);
    if (!from->bytes.data || from->bytes.size == 0) return "it is missing; put it beside the model";
    bool png = begins_with(from->bytes, "\x89PNG", 4), jpeg = begins_with(from->bytes, "\xff\xd8\xff", 3), good = false;
    if (!png && !jpeg) return "it is neither PNG nor JPEG; convert it to one";
#ifdef SUPPLE_PNG
    if (png) good = decode_png(from->bytes, out);
#else
    if (png) return "this build reads no PNG; install libpng-dev and build again";
#endif
#ifdef SUPPLE_JPEG
    if (jpeg) good = decode_jpeg(from->bytes, out);
#else
    if (jpeg) return "this build reads no JPEG; install libjpeg62-turbo-dev and build again";
#endif
    if (good) {
        out->wrap_x = from->wrap_x;
        out->wrap_y = from->wrap_y;
        for (int i = 0; i < 256; i++) {
            float c = (float)i / 255.0f;
            out->linear[i] = c <= 0.04045f ? c / 12.92f : powf((c + 0.055f) / 1.055f, 2.4f);
        }
        return NULL;
    }
    texture_free(out);
    return "it is damaged or larger than 16384 pixels; export it again";
}

void texture_free(texture* t)
{
    free(t->pixels);
    t->pixels = NULL;
}

// ---------------------------------------------------------------------------------------------- looking up

static uint32_t wrap(int64_t at, uint32_t size, sup_wrap how)
{
    int64_t n = size;
    if (how == SUP_WRAP_CLAMP) return (uint32_t)(at < 0 ? 0 : at >= n ? n - 1 : at);
    int64_t period = how == SUP_WRAP_MIRROR ? 2 * n : n, rest = (at % period + period) % period;
    return (uint32_t)(rest < n ? rest : period - 1 - rest);
}

static picture_color pixel(const texture* t, int64_t x, int64_t y)
{
    const uint8_t* p = t->pixels + 3 * ((size_t)wrap(y, t->height, t->wrap_y) * t->width + wrap(x, t->width, t->wrap_x));
    return (picture_color){ t->linear[p[0]], t->linear[p[1]], t->linear[p[2]] };
}

picture_color texture_at(const texture* t, float u, float v)
{
    if (!(fabsf(u) < 1e6f) || !(fabsf(v) < 1e6f)) return (picture_color){ 1, 1, 1 };
    float         x = u * (float)t->width - 0.5f, y = v * (float)t->height - 0.5f;
    float         left = floorf(x), top = floorf(y), fx = x - left, fy = y - top;
    picture_color sum = { 0, 0, 0 };
    for (int k = 0; k < 4; k++) {
        float         weight = (k & 1 ? fx : 1.0f - fx) * (k & 2 ? fy : 1.0f - fy);
        picture_color c = pixel(t, (int64_t)left + (k & 1), (int64_t)top + (k >> 1));
        sum.r += weight * c.r;
        sum.g += weight * c.g;
        sum.b += weight * c.b;
    }
    return sum;
}
