// A GLB taken apart into its document and its buffer, and put together again.
#include "hostile.h"

#include <stdlib.h>
#include <string.h>

enum { MAGIC = 0x46546C67, JSON_CHUNK = 0x4E4F534A, BIN_CHUNK = 0x004E4942, APPEND_MAX = 1 << 26 };

// ---------------------------------------------------------------------------------------------- open and close

bool pieces_open(pieces* p, sup_bytes glb, sup_arena* arena)
{
    uint32_t head[5], chunk[2];
    *p = (pieces){ .arena = arena };
    if (glb.size < 28) return false;
    memcpy(head, glb.data, sizeof head);
    if (head[0] != MAGIC || head[4] != JSON_CHUNK || head[3] > glb.size - 28) return false;
    if (sup_json_parse((const char*)glb.data + 20, head[3], "source", arena, &p->root, NULL) != SUP_OK) return false;
    memcpy(chunk, glb.data + 20 + head[3], sizeof chunk);
    if (chunk[1] != BIN_CHUNK || chunk[0] > glb.size - 28 - head[3]) return false;
    p->bin_size = chunk[0];
    p->bin = sup_arena_copy(arena, glb.data + 28 + head[3], p->bin_size, 1);
    return p->bin != NULL;
}

typedef struct text {
    uint8_t* at;
    size_t   size, capacity;
} text;

static bool put(void* user, const char* bytes, size_t length)
{
    text* t = user;
    if (t->size + length > t->capacity) {
        uint8_t* more = realloc(t->at, t->capacity = 2 * (t->size + length));
        if (!more) return false;
        t->at = more;
    }
    memcpy(t->at + t->size, bytes, length);
    t->size += length;
    return true;
}

sup_bytes pieces_close(pieces* p)
{
    if (p->whole.data) return p->whole;
    text          t = { 0 };
    sup_text_sink sink = { put, &t };
    uint8_t*      out = NULL;
    if (sup_json_write(p->root, 0, &sink)) {
        while (t.size % 4) put(&t, " ", 1);
        size_t   bin = (p->bin_size + 3) / 4 * 4, size = 28 + t.size + bin;
        uint32_t head[5] = { MAGIC, 2, (uint32_t)size, (uint32_t)t.size, JSON_CHUNK }, chunk[2] = { (uint32_t)bin, BIN_CHUNK };
        out = sup_arena_alloc(p->arena, size, 1);
        if (out) {
            memcpy(out, head, sizeof head);
            memcpy(out + 20, t.at, t.size);
            memcpy(out + 20 + t.size, chunk, sizeof chunk);
            memcpy(out + 28 + t.size, p->bin, p->bin_size);
            p->whole = (sup_bytes){ out, size };
        }
    }
    free(t.at);
    return p->whole;
}

// ---------------------------------------------------------------------------------------------- values

sup_json* pieces_get(const sup_json* object, const char* key)
{
    const sup_json* found = sup_json_get(object, key);
    for (sup_json* c = object ? object->first : NULL; found && c; c = c->next)
        if (c == found) return c;
    return NULL;
}

static sup_json* item(const sup_json* list, uint32_t index)
{
    sup_json* c = list ? list->first : NULL;
    while (c && index--) c = c->next;
    return c;
}

sup_json* pieces_pick(chance* c, const sup_json* list)
{
    return list && list->count ? item(list, chance_below(c, list->count)) : NULL;
}

sup_json* pieces_primitive(pieces* p, chance* c)
{
    sup_json* mesh = pieces_pick(c, pieces_get(p->root, "meshes"));
    return pieces_pick(c, pieces_get(mesh, "primitives"));
}

void pieces_number(pieces* p, sup_json* object, const char* key, double value)
{
    if (object && object->type == SUP_JSON_OBJECT) sup_json_set(p->arena, object, key, sup_json_new_number(p->arena, value));
}

void pieces_numbers(pieces* p, sup_json* object, const char* key, const float* values, uint32_t count)
{
    sup_json* list = sup_json_new(p->arena, SUP_JSON_ARRAY);
    for (uint32_t i = 0; i < count; ++i) sup_json_push(list, sup_json_new_number(p->arena, (double)values[i]));
    if (object && object->type == SUP_JSON_OBJECT) sup_json_set(p->arena, object, key, list);
}

// ---------------------------------------------------------------------------------------------- accessors

static uint32_t bytes_of(uint32_t type)
{
    return type == 5120 || type == 5121 ? 1 : type == 5122 || type == 5123 ? 2 : type == 5125 || type == 5126 ? 4 : 0;
}

static uint32_t components_of(const char* type)
{
    static const char* const names[] = { "SCALAR", "VEC2", "VEC3", "VEC4", "MAT4" };
    static const uint32_t    sizes[] = { 1, 2, 3, 4, 16 };
    for (int i = 0; i < 5; ++i)
        if (strcmp(type, names[i]) == 0) return sizes[i];
    return 0;
}

bool pieces_elements(pieces* p, const sup_json* accessor_index, elements* out)
{
    const sup_json* a = item(sup_json_get(p->root, "accessors"), sup_json_index(accessor_index, SUP_NONE));
    const sup_json* v = item(sup_json_get(p->root, "bufferViews"), sup_json_index(sup_json_get(a, "bufferView"), SUP_NONE));
    if (!a || !v) return false;
    *out = (elements){ .count = sup_json_index(sup_json_get(a, "count"), 0),
                       .components = components_of(sup_json_string(sup_json_get(a, "type"), "")),
                       .type = sup_json_index(sup_json_get(a, "componentType"), 0) };
    uint64_t size = (uint64_t)out->components * bytes_of(out->type);
    uint64_t begin =
        (uint64_t)sup_json_index(sup_json_get(a, "byteOffset"), 0) + sup_json_index(sup_json_get(v, "byteOffset"), 0);
    out->stride = sup_json_index(sup_json_get(v, "byteStride"), 0);
    if (!out->stride) out->stride = (uint32_t)size;
    if (!size || !out->count || begin + (uint64_t)(out->count - 1) * out->stride + size > p->bin_size) return false;
    out->at = p->bin + begin;
    return true;
}

float* elements_float(const elements* e, uint32_t i)
{
    uint8_t* at = e->at + (size_t)i * e->stride;
    return e->type == 5126 && (uintptr_t)at % 4 == 0 ? (float*)(void*)at : NULL;
}

uint32_t elements_index(const elements* e, uint32_t i, uint32_t component)
{
    uint32_t value = 0, size = bytes_of(e->type);
    memcpy(&value, e->at + (size_t)i * e->stride + (size_t)component * size, size);
    return value;
}

void elements_index_set(const elements* e, uint32_t i, uint32_t component, uint32_t value)
{
    uint32_t size = bytes_of(e->type);
    memcpy(e->at + (size_t)i * e->stride + (size_t)component * size, &value, size);
}

uint32_t pieces_append(pieces* p, const void* data, uint32_t count, uint32_t components, uint32_t type)
{
    static const char* const names[17] = { [1] = "SCALAR", [2] = "VEC2", [3] = "VEC3", [4] = "VEC4", [16] = "MAT4" };
    size_t                   bytes = (size_t)count * components * bytes_of(type), begin = (p->bin_size + 3) / 4 * 4;
    sup_json*                views = pieces_get(p->root, "bufferViews");
    sup_json*                accessors = pieces_get(p->root, "accessors");
    sup_json*                buffer = item(pieces_get(p->root, "buffers"), 0);
    uint8_t*                 bin = begin + bytes < APPEND_MAX ? sup_arena_alloc(p->arena, begin + bytes, 1) : NULL;
    if (!bin || !views || !accessors || !buffer) return 0;
    memcpy(bin, p->bin, p->bin_size);
    if (bytes) memcpy(bin + begin, data, bytes);
    p->bin = bin;
    p->bin_size = begin + bytes;
    sup_json* view = sup_json_push(views, sup_json_new(p->arena, SUP_JSON_OBJECT));
    pieces_number(p, view, "buffer", 0);
    pieces_number(p, view, "byteOffset", (double)begin);
    pieces_number(p, view, "byteLength", (double)bytes);
    sup_json* a = sup_json_push(accessors, sup_json_new(p->arena, SUP_JSON_OBJECT));
    pieces_number(p, a, "bufferView", views->count - 1);
    pieces_number(p, a, "componentType", type);
    pieces_number(p, a, "count", count);
    sup_json_set(p->arena, a, "type", sup_json_new_string(p->arena, names[components]));
    pieces_number(p, buffer, "byteLength", (double)((p->bin_size + 3) / 4 * 4));
    return accessors->count - 1;
}
