/// tests/io/gltf_builder.h: small glTF files made in memory, one line for each thing in them.
#ifndef SUP_TESTS_GLTF_BUILDER_H
#define SUP_TESTS_GLTF_BUILDER_H

#include "support.h"

#include "io/gltf/gltf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTE = 5120, UBYTE = 5121, SHORT = 5122, USHORT = 5123, UINT = 5125, FLOAT = 5126 };

typedef struct growing {
    char*  data;
    size_t size, capacity;
} growing;

/// Items of the arrays of a document as text, and one buffer. `more` is put into the top object as it is.
typedef struct builder {
    growing  binary, views, accessors, nodes, meshes, skins, animations, scenes, more;
    uint32_t view_count, accessor_count, node_count;
    growing  file; ///< what builder_glb or builder_gltf made
} builder;

static inline void grow(growing* g, const void* data, size_t size)
{
    if (g->size + size + 1 > g->capacity) {
        g->capacity = 2 * (g->size + size + 64);
        g->data = realloc(g->data, g->capacity);
    }
    if (size) memcpy(g->data + g->size, data, size);
    g->size += size;
    g->data[g->size] = 0;
}

/// Adds an item to an array, as printf would write it.
static inline void item(growing* g, const char* format, ...) __attribute__((format(printf, 2, 3)));
static inline void item(growing* g, const char* format, ...)
{
    char    text[4096];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    assert_in_range(length, 0, sizeof text - 1);
    if (g->size) grow(g, ",", 1);
    grow(g, text, (size_t)length);
}

static inline uint32_t add_view(builder* b, const void* data, size_t size, const char* extra)
{
    while (b->binary.size % 4) grow(&b->binary, "", 1);
    item(&b->views, "{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu%s}", b->binary.size, size, extra);
    grow(&b->binary, data, size);
    return b->view_count++;
}

/// An accessor over bytes of its own; extra is more members with a comma in front.
static inline uint32_t add_accessor(builder* b, const void* data, size_t size, uint32_t count, const char* type, int component,
                                    const char* extra)
{
    uint32_t view = add_view(b, data, size, "");
    item(&b->accessors, "{\"bufferView\":%u,\"count\":%u,\"type\":\"%s\",\"componentType\":%d%s}", view, count, type, component,
         extra);
    return b->accessor_count++;
}

#define add_array(b, array, count, type, component) add_accessor((b), (array), sizeof(array), (count), (type), (component), "")

static inline uint32_t add_node(builder* b, const char* format, ...) __attribute__((format(printf, 2, 3)));
static inline uint32_t add_node(builder* b, const char* format, ...)
{
    char    text[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    item(&b->nodes, "%s", text);
    return b->node_count++;
}

static inline void builder_free(builder* b)
{
    growing* all[] = { &b->binary, &b->views,      &b->accessors, &b->nodes, &b->meshes,
                       &b->skins,  &b->animations, &b->scenes,    &b->more,  &b->file };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) free(all[i]->data);
    *b = (builder){ 0 };
}

static inline void put_section(growing* out, const char* name, const growing* items)
{
    if (!items->size) return;
    grow(out, ",\"", 2);
    grow(out, name, strlen(name));
    grow(out, "\":[", 3);
    grow(out, items->data, items->size);
    grow(out, "]", 1);
}

/// The document; uri is the buffer's, NULL for none.
static inline void build_json(const builder* b, const char* uri, growing* out)
{
    const char* head = "{\"asset\":{\"version\":\"2.0\"}";
    char        text[64];
    grow(out, head, strlen(head));
    put_section(out, "nodes", &b->nodes);
    put_section(out, "meshes", &b->meshes);
    put_section(out, "skins", &b->skins);
    put_section(out, "animations", &b->animations);
    put_section(out, "scenes", &b->scenes);
    put_section(out, "accessors", &b->accessors);
    put_section(out, "bufferViews", &b->views);
    if (b->binary.size) {
        snprintf(text, sizeof text, ",\"buffers\":[{\"byteLength\":%zu", b->binary.size);
        grow(out, text, strlen(text));
        if (uri) {
            grow(out, ",\"uri\":\"", 8);
            grow(out, uri, strlen(uri));
            grow(out, "\"", 1);
        }
        grow(out, "}]", 2);
    }
    if (b->more.size) {
        grow(out, ",", 1);
        grow(out, b->more.data, b->more.size);
    }
    grow(out, "}", 1);
}

static inline void put32(growing* g, uint32_t value) { grow(g, &value, 4); }

static inline sup_bytes builder_glb(builder* b)
{
    growing json = { 0 };
    build_json(b, NULL, &json);
    while (json.size % 4) grow(&json, " ", 1);
    while (b->binary.size % 4) grow(&b->binary, "", 1);
    b->file.size = 0;
    grow(&b->file, "glTF", 4);
    put32(&b->file, 2);
    put32(&b->file, (uint32_t)(12 + 8 + json.size + (b->binary.size ? 8 + b->binary.size : 0)));
    put32(&b->file, (uint32_t)json.size);
    grow(&b->file, "JSON", 4);
    grow(&b->file, json.data, json.size);
    if (b->binary.size) {
        put32(&b->file, (uint32_t)b->binary.size);
        grow(&b->file, "BIN\0", 4);
        grow(&b->file, b->binary.data, b->binary.size);
    }
    free(json.data);
    return (sup_bytes){ (const uint8_t*)b->file.data, b->file.size };
}

/// As text with its buffer at the uri.
static inline sup_bytes builder_gltf(builder* b, const char* uri)
{
    b->file.size = 0;
    build_json(b, uri, &b->file);
    return (sup_bytes){ (const uint8_t*)b->file.data, b->file.size };
}

// ---------------------------------------------------------------------------------------------- contents

static const float triangle_positions[9] = { 0, 0, 0, 1, 0, 0, 0, 1, 0 };

/// Mesh 0: one triangle without indices, shown by node 0.
static inline void add_triangle(builder* b)
{
    uint32_t positions = add_array(b, triangle_positions, 3, "VEC3", FLOAT);
    item(&b->meshes, "{\"name\":\"tri\",\"primitives\":[{\"attributes\":{\"POSITION\":%u}}]}", positions);
    add_node(b, "{\"name\":\"shown\",\"mesh\":0}");
}

/// A mesh of one primitive with attributes as given, shown by a node.
static inline void show_mesh(builder* b, const char* attributes, const char* extra)
{
    item(&b->meshes, "{\"name\":\"tri\",\"primitives\":[{\"attributes\":{%s}%s}]}", attributes, extra);
    add_node(b, "{\"name\":\"shown\",\"mesh\":0}");
}

// ---------------------------------------------------------------------------------------------- reading

/// Files in memory, for sup_files.
typedef struct memory_file {
    const char* path;
    const void* data;
    size_t      size;
} memory_file;

static inline sup_result read_memory(void* user, const char* path, sup_arena* arena, sup_bytes* out, sup_error* error)
{
    for (const memory_file* f = user; f && f->path; ++f)
        if (strcmp(f->path, path) == 0) {
            uint8_t* copy = sup_arena_copy(arena, f->data, f->size, 1);
            if (!copy) return sup_fail(error, SUP_ERROR_MEMORY, "out of memory");
            *out = (sup_bytes){ copy, f->size };
            return SUP_OK;
        }
    return sup_fail(error, SUP_ERROR_FILE, "cannot read '%s': no such file here", path);
}

static inline sup_result read_with(sup_bytes bytes, const memory_file* beside, const sup_allocator* allocator,
                                   sup_character** out, sup_error* error)
{
    sup_files      files = { .read = read_memory, .user = (void*)(uintptr_t)beside };
    sup_read_input in = { .path = "folder/small.glb", .bytes = bytes, .files = &files, .allocator = allocator };
    *error = (sup_error){ 0 };
    return gltf_read(&in, out, error);
}

/// Builds a GLB and reads it; the builder stays.
static inline sup_character* read_glb(builder* b)
{
    sup_character* c = NULL;
    sup_error      error;
    assert_ok(read_with(builder_glb(b), NULL, NULL, &c, &error), error);
    assert_string_equal(c->source_format, "gltf");
    return c;
}

/// Builds a GLB that must be refused with these words in the sentence, and ends the builder.
static inline void refuse_glb(builder* b, const char* words)
{
    sup_character* c = NULL;
    sup_error      error;
    if (read_with(builder_glb(b), NULL, NULL, &c, &error) == SUP_OK) {
        sup_character_destroy(c);
        fail_msg("read although it should be refused for: %s", words);
    }
    if (!strstr(error.text, words)) fail_msg("'%s' does not say '%s'", error.text, words);
    assert_null(c);
    builder_free(b);
}

static inline void done(sup_character* c, builder* b)
{
    sup_character_destroy(c);
    builder_free(b);
}

static inline void assert_point(sup_vec3 p, float x, float y, float z)
{
    assert_float_equal(p.x, x, 1e-5);
    assert_float_equal(p.y, y, 1e-5);
    assert_float_equal(p.z, z, 1e-5);
}

#endif
