// 16-bit PNG and float EXR, the pictures that shaders read numbers from. Nothing is compressed: every row has a fixed position,
// so that the output can be read back before it is committed.
#include "base/internal.h"
#include "io/vat/vat.h"

#include <math.h>
#include <string.h>

enum { PNG_HEAD = 33, PNG_CHUNK = 12, STORED = 5, ZLIB_HEAD = 2, ADLER = 65521, EXR_ROW = 8 };

static size_t row_bytes(const vat_image* image) { return (size_t)image->width * (image->floats ? 12 : 6); }

// ---------------------------------------------------------------------------------------------- PNG

static uint8_t* big(uint8_t* at, uint32_t value)
{
    for (int i = 0; i < 4; ++i) at[i] = (uint8_t)(value >> (24 - 8 * i));
    return at + 4;
}

static void make_crc(uint32_t table[256])
{
    for (uint32_t n = 0; n < 256; ++n) {
        uint32_t c = n;
        for (int k = 0; k < 8; ++k) c = c & 1 ? 0xedb88320u ^ c >> 1 : c >> 1;
        table[n] = c;
    }
}

// A chunk whose data already follows its header; returns its total size.
static size_t close_chunk(const vat_image* image, uint8_t* chunk, const char* type, size_t size)
{
    uint32_t c = ~0u;
    memcpy(big(chunk, (uint32_t)size), type, 4);
    for (size_t i = 4; i < 8 + size; ++i) c = image->crc[(c ^ chunk[i]) & 255] ^ c >> 8;
    big(chunk + 8 + size, ~c);
    return PNG_CHUNK + size;
}

static sup_result begin_png(vat_image* image, sup_error* error)
{
    static const uint8_t signature[8] = { 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n' };
    uint8_t              head[PNG_HEAD];
    memcpy(head, signature, 8);
    make_crc(image->crc);
    image->adler[0] = 1;
    uint8_t* data = big(big(head + 16, image->width), image->height);
    memcpy(data, (const uint8_t[5]){ 16, 2, 0, 0, 0 }, 5); // bits, RGB, deflate, filter per row, not interlaced
    close_chunk(image, head + 8, "IHDR", 13);
    return sup_out_write(image->file, head, sizeof head, error);
}

static void add_adler(vat_image* image, const uint8_t* bytes, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        image->adler[0] = (image->adler[0] + bytes[i]) % ADLER;
        image->adler[1] = (image->adler[1] + image->adler[0]) % ADLER;
    }
}

// Every row is a chunk with one stored (uncompressed) deflate block.
static sup_result put_png(vat_image* image, const float* values, sup_error* error)
{
    uint8_t* at = image->bytes + 8;
    size_t   size = row_bytes(image) + 1;
    bool     last = image->row + 1 == image->height;
    if (image->row == 0) memcpy(at, (const uint8_t[2]){ 0x78, 0x01 }, 2), at += ZLIB_HEAD;
    memcpy(at, (const uint8_t[STORED]){ last, (uint8_t)size, (uint8_t)(size >> 8), (uint8_t)~size, (uint8_t)(~size >> 8) },
           STORED);
    uint8_t* row = at + STORED;
    row[0] = 0; // no filter
    for (size_t i = 0; i < 3 * (size_t)image->width; ++i) {
        float    v = values[i] > 0 ? values[i] < 1 ? values[i] : 1 : 0;
        uint32_t level = (uint32_t)floor((double)v * 65535 + 0.5);
        row[1 + 2 * i] = (uint8_t)(level >> 8);
        row[2 + 2 * i] = (uint8_t)level;
    }
    add_adler(image, row, size);
    at = row + size;
    if (last) at = big(at, image->adler[1] << 16 | image->adler[0]);
    size_t written = close_chunk(image, image->bytes, "IDAT", (size_t)(at - image->bytes) - 8);
    if (last) written += close_chunk(image, image->bytes + written, "IEND", 0);
    return sup_out_write(image->file, image->bytes, written, error);
}

static sup_result get_png(const vat_image* image, uint32_t row, float* values, sup_error* error)
{
    size_t     size = row_bytes(image), pitch = PNG_CHUNK + STORED + 1 + size;
    uint64_t   at = PNG_HEAD + 8 + ZLIB_HEAD + STORED + 1 + (uint64_t)row * pitch;
    sup_result result = sup_out_read_at(image->file, at, image->bytes, size, error);
    for (size_t i = 0; i < size / 2; ++i) values[i] = (float)(image->bytes[2 * i] << 8 | image->bytes[2 * i + 1]) / 65535.0f;
    return result;
}

// ---------------------------------------------------------------------------------------------- EXR

typedef struct exr_head {
    uint8_t bytes[512];
    size_t  size;
} exr_head;

static void add(exr_head* h, const void* data, size_t size)
{
    SUP_ASSERT(h->size + size <= sizeof h->bytes);
    memcpy(h->bytes + h->size, data, size);
    h->size += size;
}

static void add_attribute(exr_head* h, const char* name, const char* type, const void* data, uint32_t size)
{
    add(h, name, strlen(name) + 1);
    add(h, type, strlen(type) + 1);
    add(h, &size, 4);
    add(h, data, size);
}

static exr_head make_exr_head(const vat_image* image)
{
    static const uint8_t magic[8] = { 0x76, 0x2f, 0x31, 0x01, 2 }, none = 0;
    exr_head             h = { { 0 }, 0 }, channels = { { 0 }, 0 };
    const int32_t        window[4] = { 0, 0, (int32_t)image->width - 1, (int32_t)image->height - 1 };
    const float          one = 1, center[2] = { 0, 0 };
    for (int c = 0; c < 3; ++c) {
        const uint32_t channel[4] = { 2, 0, 1, 1 }; // floats, linear, every pixel
        add(&channels, (const char[2]){ "BGR"[c], 0 }, 2);
        add(&channels, channel, sizeof channel);
    }
    add(&channels, &none, 1);
    add(&h, magic, sizeof magic);
    add_attribute(&h, "channels", "chlist", channels.bytes, (uint32_t)channels.size);
    add_attribute(&h, "compression", "compression", &none, 1);
    add_attribute(&h, "dataWindow", "box2i", window, sizeof window);
    add_attribute(&h, "displayWindow", "box2i", window, sizeof window);
    add_attribute(&h, "lineOrder", "lineOrder", &none, 1);
    add_attribute(&h, "pixelAspectRatio", "float", &one, sizeof one);
    add_attribute(&h, "screenWindowCenter", "v2f", center, sizeof center);
    add_attribute(&h, "screenWindowWidth", "float", &one, sizeof one);
    add(&h, &none, 1);
    return h;
}

static uint64_t exr_row(const vat_image* image, uint32_t row)
{
    return make_exr_head(image).size + 8 * (uint64_t)image->height + (uint64_t)row * (EXR_ROW + row_bytes(image));
}

static sup_result begin_exr(vat_image* image, sup_error* error)
{
    exr_head   h = make_exr_head(image);
    sup_result result = sup_out_write(image->file, h.bytes, h.size, error);
    uint64_t   first = exr_row(image, 0);
    for (uint32_t row = 0; row < image->height && result == SUP_OK; ++row) {
        uint64_t at = first + (uint64_t)row * (EXR_ROW + row_bytes(image));
        result = sup_out_write(image->file, &at, sizeof at, error);
    }
    return result;
}

static sup_result put_exr(vat_image* image, const float* values, sup_error* error)
{
    const uint32_t head[2] = { image->row, (uint32_t)row_bytes(image) };
    float*         out = (float*)(void*)(image->bytes + EXR_ROW);
    memcpy(image->bytes, head, sizeof head);
    for (uint32_t c = 0; c < 3; ++c)
        for (uint32_t x = 0; x < image->width; ++x) out[(size_t)c * image->width + x] = values[3 * (size_t)x + 2 - c];
    return sup_out_write(image->file, image->bytes, EXR_ROW + row_bytes(image), error);
}

static sup_result get_exr(const vat_image* image, uint32_t row, float* values, sup_error* error)
{
    const float* in = (const float*)(const void*)image->bytes;
    sup_result   result = sup_out_read_at(image->file, exr_row(image, row) + EXR_ROW, image->bytes, row_bytes(image), error);
    for (uint32_t c = 0; c < 3; ++c)
        for (uint32_t x = 0; x < image->width; ++x) values[3 * (size_t)x + 2 - c] = in[(size_t)c * image->width + x];
    return result;
}

// ---------------------------------------------------------------------------------------------- either

sup_result vat_image_begin(vat_image* image, sup_arena* arena, sup_error* error)
{
    image->row = 0;
    image->bytes = sup_arena_alloc(arena, row_bytes(image) + 64, 1);
    if (!image->bytes) return sup_fail_memory(error, "a row of a texture");
    return image->floats ? begin_exr(image, error) : begin_png(image, error);
}

sup_result vat_image_put(vat_image* image, const float* values, sup_error* error)
{
    sup_result result = image->floats ? put_exr(image, values, error) : put_png(image, values, error);
    ++image->row;
    return result;
}

sup_result vat_image_get(const vat_image* image, uint32_t row, float* values, sup_error* error)
{
    return image->floats ? get_exr(image, row, values, error) : get_png(image, row, values, error);
}
