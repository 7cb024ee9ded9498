// npy, what numpy.load reads: frames x points x 3 little-endian floats in C order, points in our order (not stored vertices).
#include "io/points.h"

#include <string.h>

enum { MAGIC = 6, SHORT_HEAD = 10, LONG_HEAD = 12, AXES_MAX = 3 };

// ---------------------------------------------------------------------------------------------- in

// The header is the text of a Python dictionary: {'descr': '<f4', 'fortran_order': False, 'shape': (31, 8, 3), }
typedef struct npy_head {
    char     order; // '<' or '>'
    uint32_t size;  // bytes of a number
    uint32_t axes;
    uint64_t shape[AXES_MAX];
} npy_head;

static const char* find_value(const char* text, const char* end, const char* key)
{
    size_t length = strlen(key);
    for (const char* p = text; p + length + 2 <= end; ++p) {
        if ((*p != '\'' && *p != '"') || memcmp(p + 1, key, length) != 0 || p[1 + length] != *p) continue;
        for (p += length + 2; p < end && (*p == ' ' || *p == ':'); ++p) {
        }
        return p;
    }
    return end;
}

static bool read_shape(const char* p, const char* end, npy_head* out)
{
    if (p >= end || *p++ != '(') return false;
    for (;;) {
        while (p < end && (*p == ' ' || *p == ',')) ++p;
        if (p < end && *p == ')') return out->axes > 0;
        if (p >= end || *p < '0' || *p > '9' || out->axes == AXES_MAX) return false;
        uint64_t n = 0;
        for (; p < end && *p >= '0' && *p <= '9'; ++p) n = n <= UINT32_MAX ? n * 10 + (uint64_t)(*p - '0') : n;
        out->shape[out->axes++] = n;
    }
}

static sup_result read_head(const char* text, const char* end, npy_head* out, sup_error* error)
{
    const char* type = find_value(text, end, "descr");
    const char* fortran = find_value(text, end, "fortran_order");
    if (end - type < 5 || (type[0] != '\'' && type[0] != '"') || (type[1] != '<' && type[1] != '>') || type[2] != 'f' ||
        (type[3] != '4' && type[3] != '8') || type[4] != type[0])
        return sup_fail(error, SUP_ERROR_INPUT, "the array is not of float32 or float64; save it with .astype('<f4')");
    if (end - fortran < 5 || memcmp(fortran, "False", 5) != 0)
        return sup_fail(error, SUP_ERROR_INPUT, "the array is in Fortran order; save numpy.ascontiguousarray of it");
    out->order = type[1];
    out->size = (uint32_t)(type[3] - '0');
    bool good = read_shape(find_value(text, end, "shape"), end, out) && out->axes >= 2 && out->shape[out->axes - 1] == 3;
    return good ? SUP_OK
                : sup_fail(error, SUP_ERROR_INPUT, "the array's shape is not (frames, points, 3) or (points, 3); reshape it");
}

static double big_or_little_double(const uint8_t* p, bool swapped)
{
    uint64_t bits = 0;
    double   value;
    for (int i = 0; i < 8; ++i) bits |= (uint64_t)p[swapped ? 7 - i : i] << (8 * i);
    memcpy(&value, &bits, sizeof value);
    return value;
}

static sup_result take_doubles(const uint8_t* from, sup_arena* arena, bool swapped, sup_points* out, sup_error* error)
{
    size_t count = 3 * (size_t)out->frame_count * out->point_count;
    float* floats = SUP_NEW(arena, float, count);
    if (!floats) return sup_fail_memory(error, "the points of a cache");
    for (size_t i = 0; i < count; ++i) floats[i] = (float)big_or_little_double(from + 8 * i, swapped);
    out->points = (const sup_vec3*)(const void*)floats;
    return SUP_OK;
}

sup_result npy_points(sup_bytes bytes, sup_arena* arena, sup_points* out, sup_error* error)
{
    const uint8_t* b = bytes.data;
    if (bytes.size < LONG_HEAD || memcmp(b, "\x93NUMPY", MAGIC) != 0)
        return sup_fail(error, SUP_ERROR_INPUT,
                        "this is not an npy file: it does not begin with the magic bytes of numpy.save");
    size_t   begin = b[MAGIC] == 1 ? SHORT_HEAD : LONG_HEAD;
    uint64_t length = b[8] | (uint64_t)b[9] << 8;
    if (b[MAGIC] != 1) length |= (uint64_t)b[10] << 16 | (uint64_t)b[11] << 24;
    if (b[MAGIC] < 1 || b[MAGIC] > 3)
        return sup_fail(error, SUP_ERROR_INPUT, "npy of version %u is not known, only 1 to 3", b[MAGIC]);
    if (length > bytes.size - begin) return sup_fail(error, SUP_ERROR_INPUT, "the header is truncated; the file is damaged");
    npy_head   head = { 0 };
    sup_result result = read_head((const char*)b + begin, (const char*)b + begin + length, &head, error);
    if (result != SUP_OK) return result;
    uint64_t frames = head.axes == 3 ? head.shape[0] : 1, points = head.shape[head.axes - 2];
    size_t   offset = begin + (size_t)length;
    result = points_check(bytes, offset, frames, points, head.size, error);
    if (result != SUP_OK) return result;
    *out = (sup_points){ .frame_count = (uint32_t)frames, .point_count = (uint32_t)points };
    bool swapped = head.order == '>';
    return head.size == 4 ? points_take(bytes, offset, arena, swapped, out, error)
                          : take_doubles(b + offset, arena, swapped, out, error);
}

// ---------------------------------------------------------------------------------------------- out

static sup_result begin_bake(sup_bake* bake, sup_error* error)
{
    char   head[128] = "\x93NUMPY\x01";
    size_t capacity = sizeof head - SHORT_HEAD; // numpy wants the data at a multiple of 64
    size_t length = sup_format(head + SHORT_HEAD, capacity, "{'descr': '<f4', 'fortran_order': False, 'shape': (%u, %u, 3), }",
                               bake->desc.frame_count, bake->desc.character->mesh.point_count);
    SUP_ASSERT(length < capacity);
    memset(head + SHORT_HEAD + length, ' ', capacity - length - 1);
    head[sizeof head - 1] = '\n';
    head[8] = (char)capacity;
    return sup_out_write(bake->file, head, sizeof head, error);
}

static sup_result write_frame(sup_bake* bake, const sup_bake_frame* frame, sup_error* error)
{
    return sup_out_write(bake->file, frame->points, bake->desc.character->mesh.point_count * sizeof(sup_vec3), error);
}

static sup_result end_bake(sup_bake* bake, sup_error* error)
{
    (void)bake;
    (void)error;
    return SUP_OK;
}

const sup_file_format sup_format_npy = {
    .name = "npy",
    .summary = "NumPy array of frames x points x 3 floats",
    .endings = "npy",
    .bake_begin = begin_bake,
    .bake_frame = write_frame,
    .bake_end = end_bake,
};
