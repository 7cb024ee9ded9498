// Writes Alembic: every part is a PolyMesh under a transform of its own, in an Ogawa container. Uses no library: the container
// is groups and data blocks, each referenced by its offset, and what Alembic adds are headers of objects and properties.
//
// Frames are written as they come; only the offsets of their blocks are kept. Groups follow at the end, children before
// parents, and the head of the file is filled in last.
#include "base/internal.h"
#include "io/appearance.h"
#include "io/bake.h"
#include "io/identifier.h"
#include "io/text_out.h"
#include "math/vec.h"

#include <string.h>

#define DATA ((uint64_t)1 << 63) // a child that is a data block, not a group; alone: an empty block

enum { BOOLEAN = 0, UINT32 = 5, INT32 = 6, FLOAT32 = 10, FLOAT64 = 11 }; // Alembic's type numbers
enum { COMPOUND, SCALAR, ARRAY };
enum { LIBRARY = 10803, HEADERS = 4096, KEY = 16 };

typedef struct property {
    const char* name;
    const char* meta;
    uint32_t    kind, type, extent;
    uint32_t    samples; // 1 where it never changes
    uint64_t    group;
} property;

// The blocks of one property, one for each frame; consecutive equal frames share a block.
typedef struct moving {
    uint64_t* blocks;
    uint64_t  last[2]; // key of the previous frame
} moving;

typedef struct mesh_object {
    const sup_part* part;
    char            shape[SUP_IDENTIFIER + 8];
    moving          points, normals, bounds;
    uint64_t        content[2]; // hash of all its samples
} mesh_object;

typedef struct archive {
    sup_out_file* file;
    sup_error*    error;
    sup_result    result;
    uint32_t      object_count;
    mesh_object*  objects;
    char (*names)[SUP_IDENTIFIER];
    const float* uvs; // of stored vertices, v upwards
    const bool*  parts_with;
    const appearance* appearance;
    void*        scratch;
} archive;

// ---------------------------------------------------------------------------------------------- blocks and groups

static void put(archive* a, const void* data, size_t bytes)
{
    if (a->result == SUP_OK && bytes) a->result = sup_out_write(a->file, data, bytes, a->error);
}

static uint64_t put_block(archive* a, const void* data, uint64_t bytes)
{
    uint64_t at = sup_out_size(a->file);
    put(a, &bytes, sizeof bytes);
    put(a, data, bytes);
    return at | DATA;
}

static uint64_t put_group(archive* a, const uint64_t* children, uint64_t count)
{
    uint64_t at = sup_out_size(a->file);
    put(a, &count, sizeof count);
    put(a, children, count * sizeof *children);
    return at;
}

// Readers treat two samples with the same key as equal; none recomputes it.
static void make_key(const void* data, size_t bytes, uint64_t key[2])
{
    uint64_t length = bytes;
    key[0] = sup_hash(SUP_HASH_START, data, bytes);
    key[1] = sup_hash(sup_hash(~SUP_HASH_START, &length, sizeof length), data, bytes);
}

static uint64_t put_sample(archive* a, const uint64_t key[2], const void* data, size_t bytes)
{
    if (bytes == 0) return DATA;
    uint64_t at = sup_out_size(a->file), size = KEY + (uint64_t)bytes;
    put(a, &size, sizeof size);
    put(a, key, KEY);
    put(a, data, bytes);
    return at | DATA;
}

// A sample that never changes, as the group of its property: a block, and for arrays an empty one for the dimensions.
static uint64_t put_still(archive* a, mesh_object* o, uint32_t kind, const void* data, size_t bytes)
{
    uint64_t key[2];
    make_key(data, bytes, key);
    for (int k = 0; o && k < 2; ++k) o->content[k] = sup_hash(o->content[k], key, sizeof key);
    uint64_t children[2] = { put_sample(a, key, data, bytes), DATA };
    return put_group(a, children, kind == ARRAY ? 2 : 1);
}

static void put_frame(archive* a, mesh_object* o, moving* m, uint32_t frame, const void* data, size_t bytes)
{
    uint64_t key[2];
    make_key(data, bytes, key);
    for (int k = 0; k < 2; ++k) o->content[k] = sup_hash(o->content[k], key, sizeof key);
    bool same = frame > 0 && memcmp(key, m->last, sizeof key) == 0;
    m->blocks[frame] = same ? m->blocks[frame - 1] : put_sample(a, key, data, bytes);
    memcpy(m->last, key, sizeof key);
}

// The group of an animated property. samples becomes 1 if it never changes.
static uint64_t put_moving(archive* a, const moving* m, uint32_t kind, uint32_t frames, uint32_t* samples)
{
    uint32_t width = kind == ARRAY ? 2 : 1;
    uint64_t no_dimensions = DATA, count = frames;
    bool     still = true;
    for (uint32_t f = 1; f < frames; ++f) still = still && m->blocks[f] == m->blocks[0];
    if (still) count = 1;
    *samples = (uint32_t)count;
    uint64_t at = sup_out_size(a->file), children = width * count;
    put(a, &children, sizeof children);
    for (uint64_t f = 0; f < count; ++f) {
        put(a, &m->blocks[f], sizeof(uint64_t));
        if (width == 2) put(a, &no_dimensions, sizeof no_dimensions);
    }
    return at;
}

// ---------------------------------------------------------------------------------------------- headers

typedef struct headers {
    size_t  size;
    uint8_t bytes[HEADERS];
} headers;

static void add(headers* h, const void* data, size_t bytes)
{
    SUP_ASSERT(h->size + bytes <= HEADERS);
    memcpy(h->bytes + h->size, data, bytes);
    h->size += bytes;
}

static void add_property(headers* h, const property* p)
{
    uint32_t name = (uint32_t)strlen(p->name), meta = (uint32_t)strlen(p->meta);
    uint32_t most = name > meta ? name : meta, clock = 1;
    if (p->samples > most) most = p->samples;
    uint32_t hint = most < 256 ? 0 : most < 65536 ? 1 : 2, width = 1u << hint;
    uint32_t info = p->kind | hint << 2 | 0xffu << 20; // metadata follows the header, not in a table
    if (p->kind != COMPOUND) {
        info |= p->type << 4 | 0x400 | p->extent << 12; // all samples have the same size
        if (p->samples > 1) info |= 0x100;              // uses the bake's time sampling, the second one; else the archive's own
        else info |= 0x800;                             // constant
    }
    add(h, &info, 4);
    if (p->kind != COMPOUND) add(h, &p->samples, width);
    if (p->kind != COMPOUND && p->samples > 1) add(h, &clock, width);
    add(h, &name, width);
    add(h, p->name, name);
    add(h, &meta, width);
    add(h, p->meta, meta);
}

static uint64_t put_compound(archive* a, const property* list, uint32_t count)
{
    enum { MOST = 8 };
    headers  h = { 0 };
    uint64_t children[MOST];
    SUP_ASSERT(count < MOST);
    for (uint32_t i = 0; i < count; ++i) {
        add_property(&h, &list[i]);
        children[i] = list[i].group;
    }
    children[count] = put_block(a, h.bytes, h.size);
    return put_group(a, children, count + 1);
}

static void add_object(headers* h, const char* name, const char* meta)
{
    uint32_t size = (uint32_t)strlen(name), meta_size = (uint32_t)strlen(meta);
    uint8_t  inline_meta = 0xff;
    add(h, &size, 4);
    add(h, name, size);
    add(h, &inline_meta, 1);
    add(h, &meta_size, 4);
    add(h, meta, meta_size);
}

// ---------------------------------------------------------------------------------------------- one mesh

// Faces are clockwise in Alembic.
static void turned_corners(const sup_mesh* mesh, const sup_part* part, const uint32_t* corners, uint32_t less, uint32_t* out)
{
    for (uint32_t f = part->face_begin; f < part->face_begin + part->face_count; ++f)
        for (uint32_t c = mesh->face_begin[f + 1]; c > mesh->face_begin[f]; --c) *out++ = corners[c - 1] - less;
}

static uint32_t corner_count(const sup_mesh* mesh, const sup_part* part)
{
    return mesh->face_begin[part->face_begin + part->face_count] - mesh->face_begin[part->face_begin];
}

static property face_counts(archive* a, mesh_object* o, const sup_mesh* mesh)
{
    uint32_t* counts = a->scratch;
    for (uint32_t f = 0; f < o->part->face_count; ++f) {
        const uint32_t* begin = mesh->face_begin + o->part->face_begin + f;
        counts[f] = begin[1] - begin[0];
    }
    uint64_t group = put_still(a, o, ARRAY, counts, o->part->face_count * sizeof *counts);
    return (property){ ".faceCounts", "", ARRAY, INT32, 1, 1, group };
}

static property corners(archive* a, mesh_object* o, const char* name, const sup_mesh* mesh, const uint32_t* of, uint32_t less)
{
    turned_corners(mesh, o->part, of, less, a->scratch);
    uint64_t group = put_still(a, o, ARRAY, a->scratch, corner_count(mesh, o->part) * sizeof(uint32_t));
    bool     faces = strcmp(name, ".faceIndices") == 0;
    return (property){ name, "", ARRAY, faces ? INT32 : UINT32, 1, 1, group };
}

#define NORMALS "arrayExtent=1;geoScope=fvr;interpretation=normal;isGeomParam=true;podExtent=3;podName=float32_t"
#define PLACES "arrayExtent=1;geoScope=fvr;interpretation=vector;isGeomParam=true;podExtent=2;podName=float32_t"

static property normals(archive* a, mesh_object* o, const sup_mesh* mesh, uint32_t frames)
{
    property list[2] = { { ".vals", NORMALS, ARRAY, FLOAT32, 3, 0, 0 } };
    list[0].group = put_moving(a, &o->normals, ARRAY, frames, &list[0].samples);
    list[1] = corners(a, o, ".indices", mesh, mesh->corner_vertices, o->part->vertex_begin);
    return (property){ "N", NORMALS, COMPOUND, 0, 0, 0, put_compound(a, list, 2) };
}

// Texture coordinates: those of stored vertices, or the appearance's where corners of one vertex differ (OBJ).
static bool places(archive* a, mesh_object* o, const sup_mesh* mesh, uint32_t index, property* out)
{
    const sup_part* part = o->part;
    property        list[2] = { { ".vals", PLACES, ARRAY, FLOAT32, 2, 1, 0 } };
    if (a->appearance && a->appearance->uvs) {
        uint32_t count = a->appearance->character.mesh.vertex_count;
        float*   turned = a->scratch;
        for (size_t i = 0; i < 2 * (size_t)count; ++i) turned[i] = i % 2 ? 1 - a->appearance->uvs[i] : a->appearance->uvs[i];
        list[0].group = put_still(a, o, ARRAY, turned, 2 * (size_t)count * sizeof(float));
        list[1] = corners(a, o, ".indices", mesh, a->appearance->character.mesh.corner_vertices, 0);
    } else if (a->uvs && a->parts_with[index]) {
        const float* uvs = a->uvs + 2 * (size_t)part->vertex_begin;
        list[0].group = put_still(a, o, ARRAY, uvs, 2 * (size_t)part->vertex_count * sizeof(float));
        list[1] = corners(a, o, ".indices", mesh, mesh->corner_vertices, part->vertex_begin);
    } else return false;
    *out = (property){ "uv", PLACES, COMPOUND, 0, 0, 0, put_compound(a, list, 2) };
    return true;
}

#define MESH "schema=AbcGeom_PolyMesh_v1;schemaBaseType=AbcGeom_GeomBase_v1"
#define XFORM "schema=AbcGeom_Xform_v3"

// An object's group: its properties, its children, and their headers with two hashes: of its properties and of its children.
static uint64_t put_object(archive* a, const mesh_object* o, const property* schema, const headers* children, uint64_t child)
{
    headers h = { 0 };
    if (children) h = *children;
    add(&h, o->content, sizeof o->content);
    add(&h, o->content, sizeof o->content);
    uint64_t list[3] = { put_compound(a, schema, 1) };
    uint32_t count = 1;
    if (children) list[count++] = child;
    list[count++] = put_block(a, h.bytes, h.size);
    return put_group(a, list, count);
}

static uint64_t put_mesh(archive* a, uint32_t index, const sup_mesh* mesh, uint32_t part_index, uint32_t frames)
{
    mesh_object* o = &a->objects[index];
    uint32_t     count = 0;
    property     list[6];
    property     bounds = { ".selfBnds", "interpretation=box", SCALAR, FLOAT64, 6, 0, 0 };
    property     points = { "P", "geoScope=vtx;interpretation=point", ARRAY, FLOAT32, 3, 0, 0 };
    bounds.group = put_moving(a, &o->bounds, SCALAR, frames, &bounds.samples);
    points.group = put_moving(a, &o->points, ARRAY, frames, &points.samples);
    list[count++] = bounds;
    list[count++] = points;
    list[count++] = corners(a, o, ".faceIndices", mesh, mesh->corner_points, o->part->point_begin);
    list[count++] = face_counts(a, o, mesh);
    list[count++] = normals(a, o, mesh, frames);
    count += places(a, o, mesh, part_index, &list[count]);
    property geometry = { ".geom", MESH, COMPOUND, 0, 0, 0, put_compound(a, list, count) };
    uint64_t shape = put_object(a, o, &geometry, NULL, 0);

    uint8_t  yes = 1;
    property inherits = { ".inherits", "", SCALAR, BOOLEAN, 1, 1, put_still(a, o, SCALAR, &yes, 1) };
    property xform = { ".xform", XFORM, COMPOUND, 0, 0, 0, put_compound(a, &inherits, 1) };
    headers  h = { 0 };
    add_object(&h, o->shape, MESH ";schemaObjTitle=AbcGeom_PolyMesh_v1:.geom");
    return put_object(a, o, &xform, &h, shape);
}

// ---------------------------------------------------------------------------------------------- the archive

static uint64_t put_top(archive* a, const uint64_t* children)
{
    static const char meta[] = XFORM ";schemaObjTitle=AbcGeom_Xform_v3:.xform";
    uint64_t          size = 0, hash[4] = { SUP_HASH_START, 1, 2, 3 }, at, none = 0, count = a->object_count + 2;
    for (uint32_t i = 0; i < a->object_count; ++i) size += 9 + strlen(a->names[i]) + sizeof meta - 1;
    at = sup_out_size(a->file) | DATA;
    size += sizeof hash;
    put(a, &size, sizeof size);
    for (uint32_t i = 0; i < a->object_count; ++i) {
        headers h = { 0 };
        add_object(&h, a->names[i], meta);
        put(a, h.bytes, h.size);
        for (int k = 0; k < 4; ++k) hash[k] = sup_hash(hash[k], a->objects[i].content, sizeof a->objects[i].content);
    }
    put(a, hash, sizeof hash);
    uint64_t group = sup_out_size(a->file);
    put(a, &count, sizeof count);
    put(a, &none, sizeof none); // no properties
    put(a, children, a->object_count * sizeof *children);
    put(a, &at, sizeof at);
    return group;
}

// The archive's own time sampling, for constants, and the bake's: number of samples, spacing, and the first time.
static uint64_t put_clocks(archive* a, const sup_bake* bake)
{
    headers  h = { 0 };
    uint32_t one = 1;
    double   second = 1, zero = 0, step = 1 / bake->desc.fps;
    add(&h, &one, 4);
    add(&h, &second, 8);
    add(&h, &one, 4);
    add(&h, &zero, 8);
    add(&h, &bake->desc.frame_count, 4);
    add(&h, &step, 8);
    add(&h, &one, 4);
    add(&h, &zero, 8);
    return put_block(a, h.bytes, h.size);
}

// "key=value;": values can contain neither separator.
static uint64_t put_words(archive* a, const sup_bake* bake)
{
    char about[300], text[500], fps[SUP_NUMBER_MAX], unit[SUP_NUMBER_MAX];
    sup_print_double(bake->desc.fps, fps);
    sup_print_double(bake->desc.character->metres_per_unit, unit);
    sup_format(about, sizeof about, "%.80s by %.120s, y up, 1 unit is %s m",
               bake->desc.clip && bake->desc.clip->name ? bake->desc.clip->name : "a pose",
               bake->desc.chain ? bake->desc.chain : "a chain", unit);
    for (char* c = about; *c; ++c)
        if (*c == ';' || *c == '=' || (unsigned char)*c < ' ') *c = *c == '=' ? ':' : ',';
    sup_format(text, sizeof text,
               "_ai_AlembicVersion=Alembic 1.8.3;_ai_Application=Supple " SUP_VERSION ";_ai_DCC_FPS=%s;_ai_Description=%s", fps,
               about);
    return put_block(a, text, strlen(text));
}

// ---------------------------------------------------------------------------------------------- bake

static bool make_moving(sup_arena* arena, moving* m, uint32_t frames)
{
    m->blocks = SUP_NEW(arena, uint64_t, frames);
    return m->blocks != NULL;
}

static sup_result make_objects(sup_bake* bake, archive* a, sup_error* error)
{
    const sup_mesh* mesh = &bake->desc.character->mesh;
    uint32_t        frames = bake->desc.frame_count, n = 0;
    a->objects = SUP_NEW(bake->arena, mesh_object, mesh->part_count);
    a->names = sup_arena_alloc(bake->arena, mesh->part_count, sizeof *a->names);
    if (!a->objects || !a->names) return sup_fail_memory(error, "an archive");
    for (uint32_t p = 0; p < mesh->part_count; ++p) {
        if (mesh->parts[p].vertex_count == 0) continue;
        mesh_object* o = &a->objects[n];
        const char*  otherwise = bake->desc.character->name ? bake->desc.character->name : "Mesh";
        sup_identifier(mesh->parts[p].name, otherwise, (const char(*)[SUP_IDENTIFIER])a->names, n, a->names[n]);
        sup_format(o->shape, sizeof o->shape, "%sShape", a->names[n]);
        o->part = &mesh->parts[p];
        o->content[0] = SUP_HASH_START;
        o->content[1] = ~SUP_HASH_START;
        if (!make_moving(bake->arena, &o->points, frames) || !make_moving(bake->arena, &o->normals, frames) ||
            !make_moving(bake->arena, &o->bounds, frames))
            return sup_fail_memory(error, "an archive");
        ++n;
    }
    a->object_count = n;
    return SUP_OK;
}

static sup_result begin(sup_bake* bake, sup_error* error)
{
    static const uint8_t head[16] = { 'O', 'g', 'a', 'w', 'a', 0, 0, 1 };
    const sup_character* character = bake->desc.character;
    archive*             a = SUP_NEW(bake->arena, archive, 1);
    if (!a) return sup_fail_memory(error, "an archive");
    bake->state = a;
    a->file = bake->file;
    sup_result result = make_objects(bake, a, error);
    if (result == SUP_OK) result = text_uvs(character, bake->arena, &a->uvs, &a->parts_with, error);
    if (result == SUP_OK) result = appearance_make(character, bake->arena, &a->appearance, error);
    if (result != SUP_OK) return result;
    size_t capacity =
        sizeof(sup_vec3) * (size_t)(character->mesh.vertex_count > character->mesh.point_count ? character->mesh.vertex_count
                                                                                               : character->mesh.point_count);
    size_t corner_capacity = sizeof(uint32_t) * (size_t)character->mesh.corner_count;
    size_t appearance_size = a->appearance ? 2 * sizeof(float) * (size_t)a->appearance->character.mesh.vertex_count : 0;
    if (corner_capacity > capacity) capacity = corner_capacity;
    a->scratch = sup_arena_alloc(bake->arena, capacity > appearance_size ? capacity : appearance_size, 1);
    if (!a->scratch) return sup_fail_memory(error, "a frame of an archive");
    if (character->up != SUP_AXIS_Y)
        sup_bake_warn(bake, "an Alembic file does not say which way is up and its readers assume y: the character was turned");
    return sup_out_write(bake->file, head, sizeof head, error);
}

static sup_vec3 upright(sup_axis up, sup_vec3 v)
{
    if (up == SUP_AXIS_Z) return v3(v.x, v.z, -v.y);
    return up == SUP_AXIS_X ? v3(-v.y, v.x, v.z) : v;
}

static sup_result frame(sup_bake* bake, const sup_bake_frame* now, sup_error* error)
{
    archive*  a = bake->state;
    sup_axis  up = bake->desc.character->up;
    sup_vec3* values = a->scratch;
    a->error = error;
    for (uint32_t i = 0; i < a->object_count && a->result == SUP_OK; ++i) {
        mesh_object*    o = &a->objects[i];
        const sup_part* part = o->part;
        double          box[6];
        for (uint32_t p = 0; p < part->point_count; ++p) {
            sup_vec3 v = values[p] = upright(up, now->points[part->point_begin + p]);
            for (int k = 0; k < 3; ++k) {
                double x = (double)(&v.x)[k];
                if (p == 0 || x < box[k]) box[k] = x;
                if (p == 0 || x > box[3 + k]) box[3 + k] = x;
            }
        }
        put_frame(a, o, &o->points, now->index, values, part->point_count * sizeof *values);
        for (uint32_t v = 0; v < part->vertex_count; ++v) values[v] = upright(up, now->vertex_normals[part->vertex_begin + v]);
        put_frame(a, o, &o->normals, now->index, values, part->vertex_count * sizeof *values);
        put_frame(a, o, &o->bounds, now->index, box, sizeof box);
    }
    return a->result;
}

static sup_result end(sup_bake* bake, sup_error* error)
{
    archive*        a = bake->state;
    const sup_mesh* mesh = &bake->desc.character->mesh;
    uint64_t*       transforms = SUP_NEW(bake->arena, uint64_t, a->object_count + 1);
    uint32_t        versions[2] = { 0, LIBRARY };
    const uint8_t   whole = 0xff;
    if (!transforms) return sup_fail_memory(error, "an archive");
    a->error = error;
    for (uint32_t i = 0; i < a->object_count; ++i)
        transforms[i] = put_mesh(a, i, mesh, (uint32_t)(a->objects[i].part - mesh->parts), bake->desc.frame_count);
    uint64_t root[6] = { put_block(a, &versions[0], 4), put_block(a, &versions[1], 4),
                         put_top(a, transforms),        put_words(a, bake),
                         put_clocks(a, bake),           DATA };
    uint64_t at = put_group(a, root, 6);
    if (a->result == SUP_OK) a->result = sup_out_write_at(a->file, 8, &at, sizeof at, error);
    if (a->result == SUP_OK) a->result = sup_out_write_at(a->file, 5, &whole, 1, error);
    return a->result;
}

const sup_file_format sup_format_alembic = {
    .name = "alembic",
    .summary = "Alembic (Ogawa): meshes with points and normals for every frame",
    .endings = "abc",
    .bake_begin = begin,
    .bake_frame = frame,
    .bake_end = end,
};
