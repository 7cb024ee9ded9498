// PNG through libpng: into memory first, so that a file is written in one go.
#include "picture.h"
#include "report/output.h"

#include <stdlib.h>
#include <string.h>

#ifdef SUPPLE_PNG

#include <png.h>
#include <setjmp.h>

typedef struct growing {
    uint8_t* bytes;
    size_t   size, capacity;
} growing;

static void append(png_structp png, png_bytep data, size_t size)
{
    growing* g = png_get_io_ptr(png);
    if (g->size + size > g->capacity) {
        size_t   capacity = 2 * (g->size + size);
        uint8_t* grown = realloc(g->bytes, capacity);
        if (!grown) png_error(png, "out of memory");
        g->bytes = grown;
        g->capacity = capacity;
    }
    memcpy(g->bytes + g->size, data, size);
    g->size += size;
}

static void flush(png_structp png) { (void)png; }
static void stay_silent(png_structp png, png_const_charp text) { (void)png, (void)text; }
static void jump_out(png_structp png, png_const_charp text)
{
    (void)text;
    longjmp(png_jmpbuf(png), 1);
}

bool image_png_available(void) { return true; }

// Rows of RGB with 8 bits (colors of the screen) or 16 (numbers: no gamma).
static bool encode(const void* pixels, uint32_t width, uint32_t height, int depth, uint8_t** bytes, size_t* size, sup_error* error)
{
    growing* g = calloc(1, sizeof *g); // behind a pointer: longjmp may lose the values of automatic variables
    if (!g) return sup_fail(error, SUP_ERROR_MEMORY, "out of memory while packing the picture") == SUP_OK;
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, jump_out, stay_silent);
    png_infop   info = png ? png_create_info_struct(png) : NULL;
    if (!info || setjmp(png_jmpbuf(png))) {
        if (png) png_destroy_write_struct(&png, &info);
        free(g->bytes);
        free(g);
        sup_fail(error, SUP_ERROR_MEMORY, "out of memory while packing the picture; make it smaller");
        return false;
    }
    png_set_write_fn(png, g, append, flush);
    png_set_compression_level(png, depth == 8 ? 9 : 6);
    png_set_IHDR(png, info, width, height, depth, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_BASE,
                 PNG_FILTER_TYPE_BASE);
    if (depth == 8) png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
    png_write_info(png, info);
    size_t row = (size_t)width * 3 * (size_t)(depth / 8);
    for (uint32_t y = 0; y < height; y++) png_write_row(png, (png_const_bytep)pixels + row * y);
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    *bytes = g->bytes;
    *size = g->size;
    free(g);
    return true;
}

bool image_encode_png(const image* i, uint8_t** bytes, size_t* size, sup_error* error)
{
    return encode(i->pixels, i->width, i->height, 8, bytes, size, error);
}

bool image_encode_png16(const uint8_t* pixels, uint32_t width, uint32_t height, uint8_t** bytes, size_t* size, sup_error* error)
{
    return encode(pixels, width, height, 16, bytes, size, error);
}

#else

bool image_png_available(void) { return false; }

bool image_encode_png(const image* i, uint8_t** bytes, size_t* size, sup_error* error)
{
    (void)i, (void)bytes, (void)size;
    sup_fail(error, SUP_ERROR_INPUT,
             "this build writes no PNG: it was built without libpng; install libpng-dev and build again");
    return false;
}

bool image_encode_png16(const uint8_t* pixels, uint32_t width, uint32_t height, uint8_t** bytes, size_t* size, sup_error* error)
{
    (void)pixels;
    return image_encode_png(&(image){ .width = width, .height = height }, bytes, size, error);
}

#endif

bool image_write_png(const image* i, const char* path, sup_error* error)
{
    uint8_t*    bytes = NULL;
    size_t      size = 0;
    output_file file;
    if (!image_encode_png(i, &bytes, &size, error)) return false;
    bool good = output_begin(&file, path, error) && output_write(&file, bytes, size, error) && output_keep(&file, error);
    output_drop(&file);
    free(bytes);
    return good;
}
