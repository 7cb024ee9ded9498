// Merges stored vertices that are equal in every attribute and target, and indexes the triangles. Files without indices, where
// each triangle has vertices of its own, shrink to a fraction; what they show stays bit-identical.
#include "base/internal.h"
#include "io/gltf/gltf_write.h"

#include <string.h>

enum { STREAMS_MAX = 256, ROWS_MAX = 1 << 28 }; // bytes gathered for comparison

typedef struct joined_stream {
    sup_json*     owner; // object that references the accessor
    const char*   key;
    gltf_accessor from;
    uint32_t      size; // bytes of an element
} joined_stream;

typedef struct joiner {
    gltf_edit            edit;
    const sup_character* character;
    const gltf_source*   source;
    sup_arena*           work;
    joined_stream*       streams;
    uint32_t             stream_count;
    uint32_t             saved; // vertices saved over all primitives
} joiner;

// Adds what an object ("attributes", or a target) references. False: one of them is unavailable.
static bool add_streams(joiner* j, sup_json* object, uint32_t count)
{
    for (sup_json* value = object ? object->first : NULL; value; value = value->next) {
        joined_stream* s = &j->streams[j->stream_count];
        sup_error      ignored;
        if (j->stream_count == STREAMS_MAX) return false;
        *s = (joined_stream){ .owner = object, .key = value->key };
        if (gltf_accessor_find(j->source, sup_json_index(value, SUP_NONE), "joining", &s->from, &ignored) != SUP_OK)
            return false;
        if (s->from.count != count || !s->from.data) return false;
        s->size = s->from.components * gltf_component_bytes(s->from.component_type);
        ++j->stream_count;
    }
    return true;
}

// For each vertex, the first one with the same bytes and the same point; NULL: out of memory, or too large.
static uint32_t* find_twins(joiner* j, const uint32_t* points, uint32_t count)
{
    size_t row = sizeof *points, capacity = 1;
    for (uint32_t i = 0; i < j->stream_count; ++i) row += j->streams[i].size;
    while (capacity < 2 * (size_t)count) capacity *= 2;
    if (row * count > ROWS_MAX) return NULL;
    uint8_t*  rows = sup_arena_alloc(j->work, count, row);
    uint32_t* table = SUP_NEW(j->work, uint32_t, capacity);
    uint32_t* twins = SUP_NEW(j->work, uint32_t, count);
    if (!rows || !table || !twins) return NULL;
    memset(table, 0xff, capacity * sizeof *table);
    for (uint32_t v = 0; v < count; ++v) {
        uint8_t* at = rows + v * row;
        memcpy(at, &points[v], sizeof *points);
        at += sizeof *points;
        for (uint32_t i = 0; i < j->stream_count; at += j->streams[i++].size)
            memcpy(at, j->streams[i].from.data + (size_t)v * j->streams[i].from.stride, j->streams[i].size);
        size_t slot = sup_hash(SUP_HASH_START, rows + v * row, row) & (capacity - 1);
        while (table[slot] != SUP_NONE && memcmp(rows + table[slot] * row, rows + v * row, row) != 0)
            slot = (slot + 1) & (capacity - 1);
        if (table[slot] == SUP_NONE) table[slot] = v;
        twins[v] = table[slot];
    }
    return twins;
}

static void put_stream(joiner* j, const joined_stream* s, const uint32_t* kept, uint32_t count)
{
    uint32_t stride = (uint32_t)sup_align(s->size, 4);
    uint8_t* data = sup_arena_alloc(j->edit.arena, count, stride);
    j->edit.failed |= !data;
    if (!data) return;
    for (uint32_t i = 0; i < count; ++i)
        memcpy(data + (size_t)i * stride, s->from.data + (size_t)kept[i] * s->from.stride, s->size);
    gltf_accessor   what = { .count = count,
                             .components = s->from.components,
                             .component_type = s->from.component_type,
                             .normalized = s->from.normalized,
                             .stride = stride,
                             .data = data };
    sup_json*       json = NULL;
    const sup_json* old =
        sup_json_at(sup_json_get(j->source->root, "accessors"), sup_json_index(sup_json_get(s->owner, s->key), 0));
    uint32_t view = gltf_edit_view(&j->edit, data, (uint64_t)count * stride, stride, GLTF_ARRAY_BUFFER);
    uint32_t accessor = gltf_edit_accessor(&j->edit, view, 0, &what, &json);
    for (int i = 0; i < 2 && json; ++i) {
        const char* bound = i ? "max" : "min";
        if (sup_json_get(old, bound)) gltf_edit_put(&j->edit, json, bound, gltf_edit_copy(&j->edit, sup_json_get(old, bound)));
    }
    gltf_edit_number(&j->edit, s->owner, s->key, accessor);
}

static void put_indices(joiner* j, sup_json* primitive, const uint32_t* new_of, uint32_t count)
{
    uint32_t      index = sup_json_index(sup_json_get(primitive, "indices"), SUP_NONE);
    gltf_accessor old = { .count = count };
    sup_error     ignored;
    if (index != SUP_NONE && gltf_accessor_find(j->source, index, "joining", &old, &ignored) != SUP_OK) old.count = 0;
    uint32_t* indices = SUP_NEW(j->edit.arena, uint32_t, old.count);
    j->edit.failed |= !indices;
    if (!indices) return;
    for (uint32_t i = 0; i < old.count; ++i) {
        uint32_t v = index == SUP_NONE ? i : gltf_accessor_index(&old, i, 0);
        indices[i] = v < count ? new_of[v] : 0;
    }
    const gltf_accessor what = {
        .count = old.count, .components = 1, .component_type = GLTF_UINT, .stride = 4, .data = (const uint8_t*)indices
    };
    uint32_t view = gltf_edit_view(&j->edit, indices, 4 * (uint64_t)old.count, 0, GLTF_ELEMENT_BUFFER);
    gltf_edit_number(&j->edit, primitive, "indices", gltf_edit_accessor(&j->edit, view, 0, &what, NULL));
}

static void put_points(joiner* j, sup_json* attributes, const uint32_t* points, const uint32_t* kept, uint32_t count)
{
    float* values = SUP_NEW(j->edit.arena, float, count);
    j->edit.failed |= !values;
    for (uint32_t i = 0; i < count && values; ++i) values[i] = (float)points[kept[i]];
    gltf_edit_number(&j->edit, attributes, "_POINT", gltf_edit_floats(&j->edit, values, count, 1, GLTF_ARRAY_BUFFER, false));
}

// False: the document must stay as it is.
static bool join_primitive(joiner* j, const sup_part* part, const gltf_primitive* p, sup_json* primitive)
{
    uint32_t  n = p->vertex_count, count = 0;
    uint32_t* points = SUP_NEW(j->work, uint32_t, n);
    uint32_t* kept = SUP_NEW(j->work, uint32_t, n);
    sup_json* attributes = gltf_edit_get(primitive, "attributes");
    sup_json* targets = gltf_edit_get(primitive, "targets");
    j->edit.failed |= !points || !kept;
    if (j->edit.failed) return false;
    for (uint32_t v = 0; v < n; ++v)
        points[v] = j->character->mesh.vertex_points[part->vertex_begin + p->vertex_begin + v] - part->point_begin;
    sup_json_remove(attributes, "_POINT");
    j->stream_count = 0;
    bool good = add_streams(j, attributes, n);
    for (sup_json* t = targets ? targets->first : NULL; t && good; t = t->next) good = add_streams(j, t, n);
    uint32_t* twins = good ? find_twins(j, points, n) : NULL;
    if (!twins) return false;
    for (uint32_t v = 0; v < n; ++v) {
        if (twins[v] == v) kept[count] = v, twins[v] = count++; // from here on its new number
        else twins[v] = twins[twins[v]];
    }
    for (uint32_t i = 0; i < j->stream_count; ++i) put_stream(j, &j->streams[i], kept, count);
    put_indices(j, primitive, twins, n);
    put_points(j, attributes, points, kept, count);
    j->saved += n - count;
    return !j->edit.failed;
}

static bool join_all(joiner* j)
{
    const gltf_source* source = j->source;
    uint32_t           mesh_count, count;
    sup_json**         meshes = gltf_edit_items(&j->edit, gltf_edit_get(j->edit.root, "meshes"), &mesh_count);
    uint8_t*           seen = SUP_NEW(j->work, uint8_t, mesh_count);
    if (!meshes || !seen) return false;
    for (uint32_t i = 0; i < source->part_count; ++i) {
        const gltf_part* from = &source->parts[i];
        const sup_part*  part = &j->character->mesh.parts[i];
        if (from->mesh >= mesh_count || seen[from->mesh]++) return false; // several nodes show it
        sup_json** list = gltf_edit_items(&j->edit, gltf_edit_get(meshes[from->mesh], "primitives"), &count);
        // _POINT numbers points only if every primitive has it, and floats are exact to 2^24.
        if (!list || count != from->primitive_count || part->point_count >= 1u << 24) return false;
        for (uint32_t k = 0; k < from->primitive_count; ++k)
            if (!join_primitive(j, part, &from->primitives[k], list[from->primitives[k].primitive])) return false;
    }
    return true;
}

static bool same_points(const sup_mesh* a, const sup_mesh* b)
{
    return a->point_count == b->point_count && memcmp(a->points, b->points, a->point_count * sizeof *a->points) == 0;
}

sup_result gltf_character_join(const sup_character* character, const sup_allocator* allocator, sup_character** out,
                               sup_error* error)
{
    *out = NULL;
    if (gltf_kinship_of(character) != GLTF_WHOLE || !gltf_prunable(gltf_source_of(character)->root)) return SUP_OK;
    sup_arena* keep = sup_arena_create(allocator);
    joiner     j = { .character = character, .source = gltf_source_of(character), .work = sup_arena_create(allocator) };
    sup_result result = keep && j.work ? SUP_OK : sup_fail_memory(error, "joined vertices");
    if (result == SUP_OK) {
        j.streams = SUP_NEW(j.work, joined_stream, STREAMS_MAX);
        if (j.source->part_count == character->mesh.part_count && j.streams) gltf_edit_open(&j.edit, j.source, keep);
        bool joined = j.edit.root && join_all(&j);
        // Few merged vertices are not worth a new document.
        if (joined && 10 * (uint64_t)j.saved > character->mesh.vertex_count)
            result = gltf_edit_read(&j.edit, character, allocator, out, error);
        if (result == SUP_OK && *out && !same_points(&(*out)->mesh, &character->mesh)) {
            sup_character_destroy(*out);
            *out = NULL;
        }
    }
    sup_arena_destroy(keep);
    sup_arena_destroy(j.work);
    return result;
}
