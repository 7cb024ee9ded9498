// Accessors: typed views of the buffers. Everything is checked here once, in 64 bits, so that later code need not check.
#include "io/gltf/gltf_reader.h"

#include <math.h>
#include <string.h>

// An accessor without a bufferView is all zeros and costs the file nothing: it may use at most this many times the file's own
// size (plus an allowance for small files).
enum { ZEROS_FACTOR = 16, ZEROS_FREE = 1 << 20 };

// An accessor's layout, before its bytes are read.
typedef struct shape {
    uint32_t index;
    uint32_t count, components, component_type, component_bytes;
    uint32_t rows;        // components of a column
    uint32_t column_step; // bytes between columns: columns of small matrices are padded to 4 bytes
    uint32_t element_bytes;
    bool     normalized;
} shape;

static uint32_t component_bytes(uint32_t type)
{
    switch (type) {
    case 5120:
    case 5121: return 1;
    case 5122:
    case 5123: return 2;
    case 5125:
    case 5126: return 4;
    default: return 0;
    }
}

static bool type_rows(const char* type, uint32_t* rows, uint32_t* columns)
{
    static const struct {
        const char* name;
        uint8_t     rows, columns;
    } types[] = { { "SCALAR", 1, 1 }, { "VEC2", 2, 1 }, { "VEC3", 3, 1 }, { "VEC4", 4, 1 },
                  { "MAT2", 2, 2 },   { "MAT3", 3, 3 }, { "MAT4", 4, 4 } };
    for (size_t i = 0; i < SUP_COUNT_OF(types); ++i)
        if (strcmp(types[i].name, type) == 0) {
            *rows = types[i].rows;
            *columns = types[i].columns;
            return true;
        }
    return false;
}

static sup_result read_shape(const sup_json* value, const char* used_for, shape* s, sup_error* error)
{
    uint32_t columns;
    s->component_type = sup_json_index(sup_json_get(value, "componentType"), 0);
    s->component_bytes = component_bytes(s->component_type);
    if (!s->component_bytes)
        return sup_fail(error, SUP_ERROR_INPUT, "accessor %u (%s): componentType %u is unknown", s->index, used_for,
                        s->component_type);
    const char* type = sup_json_string(sup_json_get(value, "type"), "?");
    if (!type_rows(type, &s->rows, &columns))
        return sup_fail(error, SUP_ERROR_INPUT, "accessor %u (%s): type '%.20s' is unknown", s->index, used_for, type);
    s->count = sup_json_index(sup_json_get(value, "count"), SUP_NONE);
    if (s->count == SUP_NONE)
        return sup_fail(error, SUP_ERROR_INPUT, "accessor %u (%s): count is not a whole number below 4294967295", s->index,
                        used_for);
    const sup_json* normalized = sup_json_get(value, "normalized");
    s->normalized = normalized && normalized->type == SUP_JSON_TRUE && s->component_type != 5126;
    s->components = s->rows * columns;
    s->column_step = s->rows * s->component_bytes;
    if (columns > 1) s->column_step = (uint32_t)sup_align(s->column_step, 4);
    s->element_bytes = s->column_step * columns;
    return SUP_OK;
}

// `count` elements of `bytes` bytes at `value`'s bufferView and byteOffset; NULL with the error filled if they are out of
// range.
static const uint8_t* find_bytes(const gltf_source* source, const sup_json* value, const shape* s, const char* used_for,
                                 uint32_t count, uint32_t bytes, size_t* stride, sup_error* error)
{
    uint32_t view_index = sup_json_index(sup_json_get(value, "bufferView"), SUP_NONE);
    if (view_index >= source->view_count) {
        sup_fail(error, SUP_ERROR_INPUT, "accessor %u (%s): its bufferView does not exist; the file is damaged", s->index,
                 used_for);
        return NULL;
    }
    const sup_json* view = source->views[view_index];
    uint32_t        buffer = sup_json_index(sup_json_get(view, "buffer"), SUP_NONE);
    if (buffer >= source->buffer_count || !source->buffers[buffer].data) {
        sup_fail(error, SUP_ERROR_INPUT, "accessor %u (%s): bufferView %u has no buffer with bytes; the file is damaged",
                 s->index, used_for, view_index);
        return NULL;
    }
    // Numbers above 32 bits come back as SUP_NONE, which no buffer reaches; sums of a few stay far below 64 bits.
    const sup_json* view_at = sup_json_get(view, "byteOffset");
    const sup_json* value_at = sup_json_get(value, "byteOffset");
    uint64_t        view_offset = view_at ? sup_json_index(view_at, SUP_NONE) : 0;
    uint64_t        view_bytes = sup_json_index(sup_json_get(view, "byteLength"), SUP_NONE);
    uint64_t        offset = value_at ? sup_json_index(value_at, SUP_NONE) : 0;
    uint64_t        step = sup_json_index(sup_json_get(view, "byteStride"), 0);
    if (step == 0) step = bytes;
    if (step < bytes) {
        sup_fail(error, SUP_ERROR_INPUT, "accessor %u (%s): byteStride %u of bufferView %u is below the element's %u bytes",
                 s->index, used_for, (uint32_t)step, view_index, bytes);
        return NULL;
    }
    uint64_t end = count ? offset + step * (count - 1ull) + bytes : offset;
    if (view_offset + view_bytes > source->buffers[buffer].size || end > view_bytes) {
        sup_fail(error, SUP_ERROR_INPUT, "accessor %u (%s): it reaches beyond its buffer %u; the file is damaged", s->index,
                 used_for, buffer);
        return NULL;
    }
    *stride = (size_t)step;
    return source->buffers[buffer].data + view_offset + offset;
}

// Tightly packed, with sparse values filled in and columns without padding: later readers need not know of either.
static void pack_element(const shape* s, const uint8_t* from, uint8_t* to)
{
    uint32_t column = s->rows * s->component_bytes;
    for (uint32_t at = 0; at < s->element_bytes; at += s->column_step, to += column) memcpy(to, from + at, column);
}

static uint32_t read_index(const uint8_t* p, uint32_t type)
{
    uint16_t u16;
    uint32_t u32;
    if (type == 5121) return p[0];
    if (type == 5123) return memcpy(&u16, p, 2), u16;
    return memcpy(&u32, p, 4), u32;
}

static sup_result apply_sparse(const gltf_source* source, const sup_json* sparse, const shape* s, const char* used_for,
                               uint8_t* packed, uint32_t packed_bytes, sup_error* error)
{
    const sup_json* at = sup_json_get(sparse, "indices");
    uint32_t        count = sup_json_index(sup_json_get(sparse, "count"), SUP_NONE);
    uint32_t        type = sup_json_index(sup_json_get(at, "componentType"), 0);
    if (count > s->count || (type != 5121 && type != 5123 && type != 5125))
        return sup_fail(error, SUP_ERROR_INPUT, "accessor %u (%s): its sparse part has a wrong count or index type", s->index,
                        used_for);
    size_t         index_step = 0, value_step = 0;
    const uint8_t* indices = find_bytes(source, at, s, used_for, count, component_bytes(type), &index_step, error);
    if (!indices) return SUP_ERROR_INPUT;
    const uint8_t* values =
        find_bytes(source, sup_json_get(sparse, "values"), s, used_for, count, s->element_bytes, &value_step, error);
    if (!values) return SUP_ERROR_INPUT;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t element = read_index(indices + i * index_step, type);
        if (element >= s->count)
            return sup_fail(error, SUP_ERROR_INPUT, "accessor %u (%s): sparse index %u is not below its count %u", s->index,
                            used_for, element, s->count);
        pack_element(s, values + i * value_step, packed + (size_t)element * packed_bytes);
    }
    return SUP_OK;
}

// r NULL: allocate nothing.
static sup_result resolve(const gltf_source* source, gltf_reader* r, uint32_t index, const char* used_for, gltf_accessor* out,
                          sup_error* error)
{
    shape           s = { .index = index };
    const sup_json* value = source->accessor_values[index];
    GLTF_TRY(read_shape(value, used_for, &s, error));
    const sup_json* sparse = sup_json_get(value, "sparse");
    uint32_t        packed_bytes = s.components * s.component_bytes;
    const uint8_t*  data = NULL;
    size_t          stride = packed_bytes;
    if (sup_json_get(value, "bufferView")) {
        data = find_bytes(source, value, &s, used_for, s.count, s.element_bytes, &stride, error);
        if (!data) return SUP_ERROR_INPUT;
    } else if ((uint64_t)s.count * packed_bytes > (uint64_t)source->bytes * ZEROS_FACTOR + ZEROS_FREE) {
        return sup_fail(error, SUP_ERROR_INPUT,
                        "accessor %u (%s): it asks for %u elements without any data; the file is damaged", index, used_for,
                        s.count);
    }
    if (sparse || (data && s.element_bytes != packed_bytes)) {
        if (!r)
            return sup_fail(error, SUP_ERROR_INPUT, "accessor %u (%s): it was not needed when the file was read", index,
                            used_for);
        GLTF_TRY(gltf_charge(r, s.count, packed_bytes));
        uint8_t* packed = sup_arena_alloc(r->keep, s.count, packed_bytes);
        if (!packed) return sup_fail_memory(error, "a sparse accessor");
        if (data)
            for (uint32_t i = 0; i < s.count; ++i) pack_element(&s, data + i * stride, packed + (size_t)i * packed_bytes);
        if (sparse) GLTF_TRY(apply_sparse(source, sparse, &s, used_for, packed, packed_bytes, error));
        data = packed;
        stride = packed_bytes;
    }
    *out = (gltf_accessor){ index, s.count, s.components, s.component_type, s.normalized, data, stride };
    return SUP_OK;
}

static sup_result find(const gltf_source* source, gltf_reader* r, uint32_t index, const char* used_for, gltf_accessor* out,
                       sup_error* error)
{
    if (index >= source->accessor_count)
        return sup_fail(error, SUP_ERROR_INPUT, "%s: accessor %u does not exist; the file is damaged", used_for, index);
    if (source->accessors[index].components) {
        *out = source->accessors[index];
        return SUP_OK;
    }
    if (!source->accessor_values) // a document in memory only has those that were used
        return sup_fail(error, SUP_ERROR_INPUT, "accessor %u (%s): it was not needed when the file was read", index, used_for);
    return resolve(source, r, index, used_for, out, error);
}

sup_result gltf_accessor_find(const gltf_source* source, uint32_t index, const char* used_for, gltf_accessor* out,
                              sup_error* error)
{
    return find(source, NULL, index, used_for, out, error);
}

sup_result gltf_accessor_load(gltf_reader* r, uint32_t index, const char* used_for, gltf_accessor* out)
{
    GLTF_TRY(gltf_report(r)); // every array of a file passes here
    GLTF_TRY(find(r->source, r, index, used_for, out, r->error));
    r->source->accessors[index] = *out;
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- values

static float largest(float a, float b) { return a > b ? a : b; }

float gltf_accessor_float(const gltf_accessor* a, uint32_t i, uint32_t c)
{
    SUP_ASSERT(i < a->count && c < a->components);
    if (!a->data) return 0;
    const uint8_t* p = a->data + i * a->stride;
    int16_t        s16;
    uint16_t       u16;
    uint32_t       u32;
    float          f32;
    // The specification's formulas for normalized integers.
    switch (a->component_type) {
    case 5120: return a->normalized ? largest((float)(int8_t)p[c] / 127.0f, -1.0f) : (float)(int8_t)p[c];
    case 5121: return a->normalized ? (float)p[c] / 255.0f : (float)p[c];
    case 5122: memcpy(&s16, p + 2 * c, 2); return a->normalized ? largest((float)s16 / 32767.0f, -1.0f) : (float)s16;
    case 5123: memcpy(&u16, p + 2 * c, 2); return a->normalized ? (float)u16 / 65535.0f : (float)u16;
    case 5125: memcpy(&u32, p + 4 * c, 4); return a->normalized ? (float)(u32 / 4294967295.0) : (float)u32;
    default: memcpy(&f32, p + 4 * c, 4); return f32;
    }
}

uint32_t gltf_accessor_index(const gltf_accessor* a, uint32_t i, uint32_t c)
{
    SUP_ASSERT(i < a->count && c < a->components);
    if (!a->data) return 0;
    const uint8_t* p = a->data + i * a->stride;
    if (a->component_type == 5121) return p[c];
    if (a->component_type == 5123 || a->component_type == 5125)
        return read_index(p + c * (a->component_type == 5123 ? 2 : 4), a->component_type);
    float value = gltf_accessor_float(a, i, c);
    return value >= 0 && value < 4294967040.0f && value == floorf(value) ? (uint32_t)value : SUP_NONE;
}

// The exponent of infinities and NaN is all ones. Integer code, which the compiler vectorizes.
static bool all_finite(const float* values, size_t count)
{
    uint32_t bad = 0;
    for (size_t i = 0; i < count; ++i) {
        uint32_t bits;
        memcpy(&bits, &values[i], 4);
        bad |= (bits & 0x7f800000u) == 0x7f800000u;
    }
    return !bad;
}

sup_result gltf_accessor_finite(gltf_reader* r, const gltf_accessor* a, const float* values, const char* used_for)
{
    if (all_finite(values, (size_t)a->count * a->components)) return SUP_OK;
    return sup_fail(r->error, SUP_ERROR_INPUT,
                    "%s: accessor %u holds a number that is not finite (NaN or infinity); export it again", used_for, a->index);
}

void gltf_accessor_fill(const gltf_accessor* a, float* out)
{
    if (a->component_type == 5126 && a->data) {
        size_t bytes = (size_t)a->components * 4;
        for (uint32_t i = 0; i < a->count; ++i) memcpy(out + (size_t)i * a->components, a->data + i * a->stride, bytes);
        return;
    }
    for (uint32_t i = 0; i < a->count; ++i)
        for (uint32_t c = 0; c < a->components; ++c) out[(size_t)i * a->components + c] = gltf_accessor_float(a, i, c);
}

sup_result gltf_accessor_floats(gltf_reader* r, const gltf_accessor* a, const float** out)
{
    bool fit = a->component_type == 5126 && a->data && (uintptr_t)a->data % sizeof(float) == 0 &&
               a->stride == (size_t)a->components * sizeof(float);
    if (fit) {
        *out = (const float*)(const void*)a->data;
        return gltf_charge(r, a->count, a->components * sizeof(float));
    }
    float* copy = gltf_take(r, a->count, a->components * sizeof(float));
    if (!copy) return r->result;
    gltf_accessor_fill(a, copy);
    *out = copy;
    return SUP_OK;
}
