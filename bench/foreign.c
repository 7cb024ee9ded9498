// A GLB as other programs write it: triangles, stored texture island by texture island, so that every point on a border is
// stored twice and far from its copy, and nothing says which vertices are one point.
#include "bench/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDES = 60, ISLANDS = 6, COLUMNS = SIDES / ISLANDS, INFLUENCES = 4, JSON_ROOM = 16384 };

typedef struct foreign {
    const sup_character* tube;
    uint32_t             rings, vertices, indices;
    FILE*                file;
} foreign;

/// The point of the tube that a stored vertex is.
static uint32_t point_of(const foreign* f, uint32_t vertex)
{
    uint32_t across = COLUMNS + 1, island = vertex / (f->rings * across), place = vertex % (f->rings * across);
    return place / across * SIDES + (island * COLUMNS + place % across) % SIDES;
}

static void put(const foreign* f, const void* data, size_t bytes) { (void)fwrite(data, 1, bytes, f->file); }

static void put_long(const foreign* f, uint32_t x)
{
    uint8_t bytes[4] = { (uint8_t)x, (uint8_t)(x >> 8), (uint8_t)(x >> 16), (uint8_t)(x >> 24) };
    put(f, bytes, sizeof bytes);
}

static void put_vertices(const foreign* f)
{
    const sup_mesh*    mesh = &f->tube->mesh;
    const sup_weights* w = &f->tube->weights;
    for (uint32_t v = 0; v < f->vertices; ++v) put(f, &mesh->points[point_of(f, v)], 12);
    for (uint32_t v = 0; v < f->vertices; ++v) { // around the axis
        sup_vec3 p = mesh->points[point_of(f, v)], normal = { 0, p.y, p.z };
        put(f, &normal, 12);
    }
    for (uint32_t v = 0; v < f->vertices; ++v) {
        float uv[2] = { (float)(v % (COLUMNS + 1)) / COLUMNS, mesh->points[point_of(f, v)].x / 40 };
        put(f, uv, sizeof uv);
    }
    for (uint32_t v = 0; v < f->vertices; ++v) {
        uint8_t  joints[INFLUENCES] = { 0 };
        uint32_t from = w->begin[point_of(f, v)], count = w->begin[point_of(f, v) + 1] - from;
        for (uint32_t k = 0; k < count && k < INFLUENCES; ++k) joints[k] = (uint8_t)w->joints[from + k];
        put(f, joints, sizeof joints);
    }
    for (uint32_t v = 0; v < f->vertices; ++v) {
        float    weights[INFLUENCES] = { 0 };
        uint32_t from = w->begin[point_of(f, v)], count = w->begin[point_of(f, v) + 1] - from;
        for (uint32_t k = 0; k < count && k < INFLUENCES; ++k) weights[k] = w->values[from + k];
        put(f, weights, sizeof weights);
    }
}

static void put_indices(const foreign* f)
{
    static const uint32_t corners[6][2] = { { 0, 0 }, { 0, 1 }, { 1, 1 }, { 0, 0 }, { 1, 1 }, { 1, 0 } }; // ring, column
    for (uint32_t island = 0; island < ISLANDS; ++island)
        for (uint32_t ring = 0; ring + 1 < f->rings; ++ring)
            for (uint32_t column = 0; column < COLUMNS; ++column)
                for (int c = 0; c < 6; ++c)
                    put_long(f, (island * f->rings + ring + corners[c][0]) * (COLUMNS + 1) + column + corners[c][1]);
}

static void put_matrices(const foreign* f)
{
    for (uint32_t j = 0; j < f->tube->skeleton.joint_count; ++j) {
        float m[16] = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -(float)j, 0, 0, 1 };
        put(f, m, sizeof m);
    }
}

/// The document, padded to four bytes. Returns its length and that of its binary data.
static size_t make_json(const foreign* f, char* text, uint32_t* bytes)
{
    static const struct {
        const char *name, *type;
        int         component, size;
    } attributes[] = { { "POSITION", "VEC3", 5126, 12 },
                       { "NORMAL", "VEC3", 5126, 12 },
                       { "TEXCOORD_0", "VEC2", 5126, 8 },
                       { "JOINTS_0", "VEC4", 5121, 4 },
                       { "WEIGHTS_0", "VEC4", 5126, 16 } };
    enum { ATTRIBUTES = 5 };
    uint32_t joints = f->tube->skeleton.joint_count, at = 0;
    char     list[JSON_ROOM / 8] = "", views[JSON_ROOM / 4] = "", accessors[JSON_ROOM / 4] = "", nodes[JSON_ROOM / 4] = "",
                          numbers[JSON_ROOM / 8] = "";
    size_t l = 0, v = 0, a = 0, n = 0, k = 0;
    for (int i = 0; i < ATTRIBUTES; ++i) {
        uint32_t size = f->vertices * (uint32_t)attributes[i].size;
        l += (size_t)snprintf(list + l, sizeof list - l, "%s\"%s\":%d", i ? "," : "", attributes[i].name, i);
        v += (size_t)snprintf(views + v, sizeof views - v, "{\"buffer\":0,\"byteOffset\":%u,\"byteLength\":%u},", at, size);
        a += (size_t)snprintf(
            accessors + a, sizeof accessors - a, "{\"bufferView\":%d,\"componentType\":%d,\"count\":%u,\"type\":\"%s\"%s},", i,
            attributes[i].component, f->vertices, attributes[i].type, i ? "" : ",\"min\":[0,-1,-1],\"max\":[40,1,1]");
        at += size;
    }
    for (uint32_t j = 0; j < joints; ++j) {
        n += (size_t)snprintf(nodes + n, sizeof nodes - n, ",{\"translation\":[%d,0,0]", j ? 1 : 0);
        n += (size_t)snprintf(nodes + n, sizeof nodes - n, j + 1 < joints ? ",\"children\":[%u]}" : "}", j + 2);
        k += (size_t)snprintf(numbers + k, sizeof numbers - k, "%s%u", j ? "," : "", j + 1);
    }
    size_t length = (size_t)snprintf(
        text, JSON_ROOM,
        "{\"asset\":{\"version\":\"2.0\",\"generator\":\"bench\"},\"scene\":0,\"scenes\":[{\"nodes\":[0,1]}],"
        "\"nodes\":[{\"mesh\":0,\"skin\":0}%s],\"skins\":[{\"joints\":[%s],\"inverseBindMatrices\":6}],"
        "\"meshes\":[{\"primitives\":[{\"attributes\":{%s},\"indices\":5}]}],"
        "\"bufferViews\":[%s{\"buffer\":0,\"byteOffset\":%u,\"byteLength\":%u},{\"buffer\":0,\"byteOffset\":%u,\"byteLength\":%"
        "u}],"
        "\"accessors\":[%s{\"bufferView\":5,\"componentType\":5125,\"count\":%u,\"type\":\"SCALAR\"},"
        "{\"bufferView\":6,\"componentType\":5126,\"count\":%u,\"type\":\"MAT4\"}],\"buffers\":[{\"byteLength\":%u}]}",
        nodes, numbers, list, views, at, 4 * f->indices, at + 4 * f->indices, 64 * joints, accessors, f->indices, joints,
        at + 4 * f->indices + 64 * joints);
    while (length % 4 && length < JSON_ROOM) text[length++] = ' ';
    *bytes = at + 4 * f->indices + 64 * joints;
    return length;
}

bool bench_foreign_write(const sup_character* tube, const char* path)
{
    foreign  f = { .tube = tube, .rings = tube->mesh.point_count / SIDES, .file = fopen(path, "wb") };
    char*    text = malloc(JSON_ROOM);
    uint32_t bytes = 0;
    f.vertices = ISLANDS * f.rings * (COLUMNS + 1);
    f.indices = (f.rings - 1) * SIDES * 6;
    if (f.file && text) {
        uint32_t length = (uint32_t)make_json(&f, text, &bytes);
        put(&f, "glTF\2\0\0", 8);
        put_long(&f, 12 + 8 + length + 8 + bytes);
        put_long(&f, length);
        put(&f, "JSON", 4);
        put(&f, text, length);
        put_long(&f, bytes);
        put(&f, "BIN", 4);
        put_vertices(&f);
        put_indices(&f);
        put_matrices(&f);
    }
    bool good = f.file && text && !ferror(f.file);
    if (f.file) good = fclose(f.file) == 0 && good;
    free(text);
    return good;
}
