// A subdivided character that keeps what its file says: the document gets subdivided primitives and is read again, so that
// materials, pictures, joints and clips need no code path of their own.
#include "base/internal.h"
#include "io/gltf/gltf_ngon.h"
#include "io/gltf/gltf_write.h"
#include "math/vec.h"
#include "scene/subdivide_character.h"

#include <string.h>

enum { SET = 4, POINT_MAX = 1 << 24 };

typedef struct divider {
    const sup_character*  base; // read completely from `source`
    const gltf_source*    source;
    const sup_character*  fine;
    const sup_subdivided* parts;
    gltf_edit             edit;
    uint32_t*             slots; // of each joint in the current skin
} divider;

// A primitive and its vertices: those of the subdivided part from begin on.
typedef struct piece {
    uint32_t  part, group, begin, count;
    sup_json* primitive;
    sup_json* attributes;
} piece;

static void* make(divider* d, size_t count, size_t size)
{
    void* p = sup_arena_alloc(d->edit.arena, count, size);
    if (!p) d->edit.failed = true;
    return p;
}

static uint32_t fine_point(const divider* d, const piece* p, uint32_t vertex)
{
    // Numbered by the subdivided character: if the numbers of subdivision could not be kept, its points were welded again.
    const sup_mesh* fine = &d->fine->mesh;
    return fine->vertex_points[fine->parts[p->part].vertex_begin + p->begin + vertex];
}

// ---------------------------------------------------------------------------------------------- shape

static void write_indices(divider* d, const piece* p)
{
    const sup_subdivided* s = &d->parts[p->part];
    uint32_t              count = 0, at = 0, previous = SUP_NONE;
    bool                  polygons = false;
    for (uint32_t f = 0; f < s->face_count; ++f) {
        uint32_t size = s->face_begin[f + 1] - s->face_begin[f];
        if (s->vertex_groups[s->corner_vertices[s->face_begin[f]]] != p->group) continue;
        count += 3 * (size - 2);
        polygons |= size > 3;
    }
    uint32_t* indices = make(d, count, sizeof *indices);
    if (!indices) return;
    for (uint32_t f = 0; f < s->face_count; ++f) {
        const uint32_t* c = s->corner_vertices + s->face_begin[f];
        uint32_t        size = s->face_begin[f + 1] - s->face_begin[f], start = 0;
        if (s->vertex_groups[c[0]] != p->group) continue;
        while (polygons && start + 1 < size && c[start] == previous) ++start;
        previous = c[start];
        for (uint32_t k = 2; k < size; ++k) {
            indices[at++] = c[start] - p->begin;
            indices[at++] = c[(start + k - 1) % size] - p->begin;
            indices[at++] = c[(start + k) % size] - p->begin;
        }
    }
    uint32_t      view = gltf_edit_view(&d->edit, indices, (uint64_t)count * sizeof *indices, 0, GLTF_ELEMENT_BUFFER);
    gltf_accessor what = { .count = count, .components = 1, .component_type = GLTF_UINT };
    gltf_edit_number(&d->edit, p->primitive, "indices", gltf_edit_accessor(&d->edit, view, 0, &what, NULL));
    sup_json_remove(p->primitive, "mode");
    if (polygons) gltf_ngon_mark(&d->edit, p->primitive);
}

static void write_positions(divider* d, const piece* p)
{
    const sup_part* part = &d->base->mesh.parts[p->part];
    sup_vec3*       at = make(d, p->count, sizeof *at);
    for (uint32_t v = 0; v < p->count && at; ++v)
        at[v] = affine_point(&part->unplace, d->fine->mesh.points[fine_point(d, p, v)]);
    if (at)
        gltf_edit_number(&d->edit, p->attributes, "POSITION",
                         gltf_edit_floats(&d->edit, &at->x, p->count, 3, GLTF_ARRAY_BUFFER, true));
}

// Normals and tangents are left to the readers, which compute those of the finer surface.
static void write_morphs(divider* d, const piece* p)
{
    const sup_part* part = &d->fine->mesh.parts[p->part];
    if (!sup_json_get(p->primitive, "targets")) return;
    sup_json_remove(p->primitive, "targets");
    sup_json* targets = gltf_edit_array(&d->edit, p->primitive, "targets");
    for (uint32_t i = 0; i < part->morph_count; ++i) {
        const sup_morph* morph = &d->fine->morphs[part->morph_begin + i];
        sup_vec3*        deltas = make(d, p->count, sizeof *deltas);
        sup_json*        target = gltf_edit_new(&d->edit, SUP_JSON_OBJECT);
        if (!deltas || !target || !targets) return;
        for (uint32_t v = 0; v < p->count; ++v)
            deltas[v] =
                affine_direction(&d->base->mesh.parts[p->part].unplace, morph->deltas[fine_point(d, p, v) - part->point_begin]);
        gltf_edit_number(&d->edit, target, "POSITION",
                         gltf_edit_floats(&d->edit, &deltas->x, p->count, 3, GLTF_ARRAY_BUFFER, true));
        sup_json_push(targets, target);
    }
}

// ---------------------------------------------------------------------------------------------- weights

static void find_slots(divider* d, uint32_t skin)
{
    const sup_skeleton* s = &d->base->skeleton;
    const sup_json*     joints = sup_json_get(sup_json_at(sup_json_get(d->edit.root, "skins"), skin), "joints");
    for (uint32_t j = 0; j < s->joint_count; ++j) d->slots[j] = SUP_NONE;
    uint32_t slot = 0;
    for (const sup_json* item = joints ? joints->first : NULL; item; item = item->next, ++slot) {
        uint32_t node = sup_json_index(item, SUP_NONE);
        for (uint32_t j = 0; j < s->joint_count; ++j)
            if (s->joints[j].source_id == node && d->slots[j] == SUP_NONE) d->slots[j] = slot;
    }
}

static void write_weights(divider* d, const piece* p)
{
    const sup_weights* w = &d->fine->weights;
    const sup_part*    part = &d->fine->mesh.parts[p->part];
    uint32_t           most = 0;
    for (uint32_t i = part->point_begin; i < part->point_begin + part->point_count; ++i)
        if (w->begin[i + 1] - w->begin[i] > most) most = w->begin[i + 1] - w->begin[i];
    for (uint32_t set = 0; set * SET < most; ++set) {
        char      name[32];
        uint16_t* joints = make(d, (size_t)p->count * SET, sizeof *joints);
        float*    weights = make(d, (size_t)p->count * SET, sizeof *weights);
        if (!joints || !weights) return;
        for (uint32_t v = 0; v < p->count; ++v) {
            uint32_t point = fine_point(d, p, v), first = w->begin[point] + set * SET;
            for (uint32_t k = 0; k < SET && first + k < w->begin[point + 1]; ++k) {
                uint32_t slot = d->slots[w->joints[first + k]];
                if (slot == SUP_NONE) continue;
                joints[v * SET + k] = (uint16_t)slot;
                weights[v * SET + k] = w->values[first + k];
            }
        }
        uint32_t      view = gltf_edit_view(&d->edit, joints, (uint64_t)p->count * SET * sizeof *joints, 0, GLTF_ARRAY_BUFFER);
        gltf_accessor what = { .count = p->count, .components = SET, .component_type = GLTF_USHORT };
        sup_format(name, sizeof name, "JOINTS_%u", set);
        gltf_edit_number(&d->edit, p->attributes, name, gltf_edit_accessor(&d->edit, view, 0, &what, NULL));
        sup_format(name, sizeof name, "WEIGHTS_%u", set);
        gltf_edit_number(&d->edit, p->attributes, name,
                         gltf_edit_floats(&d->edit, weights, p->count, SET, GLTF_ARRAY_BUFFER, false));
    }
}

// ---------------------------------------------------------------------------------------------- attributes

static bool is_made(const char* name)
{
    static const char* const made[] = { "POSITION", "NORMAL", "TANGENT", "_POINT" };
    for (size_t i = 0; i < SUP_COUNT_OF(made); ++i)
        if (strcmp(name, made[i]) == 0) return true;
    return strncmp(name, "JOINTS_", 7) == 0 || strncmp(name, "WEIGHTS_", 8) == 0;
}

// Texture coordinates, colors and custom attributes: interpolated linearly between the vertices, so that pictures stay in
// place. `first` is the primitive's first vertex in the file.
static void write_attribute(divider* d, const piece* p, const char* name, uint32_t accessor, uint32_t first)
{
    gltf_accessor     a;
    sup_error         ignored;
    const sup_shares* s = &d->parts[p->part].vertices;
    if (gltf_accessor_find(d->source, accessor, name, &a, &ignored) != SUP_OK || a.components > 4) {
        sup_json_remove(p->attributes, name);
        return;
    }
    float* values = make(d, (size_t)p->count * a.components, sizeof *values);
    for (uint32_t v = 0; v < p->count && values; ++v)
        for (uint32_t c = 0; c < a.components; ++c) {
            double sum = 0;
            for (uint32_t k = s->begin[p->begin + v]; k < s->begin[p->begin + v + 1]; ++k)
                if (s->index[k] - first < a.count)
                    sum += (double)s->share[k] * (double)gltf_accessor_float(&a, s->index[k] - first, c);
            values[(size_t)v * a.components + c] = (float)sum;
        }
    if (values)
        gltf_edit_number(&d->edit, p->attributes, name,
                         gltf_edit_floats(&d->edit, values, p->count, a.components, GLTF_ARRAY_BUFFER, false));
}

static void write_attributes(divider* d, const piece* p, uint32_t first)
{
    for (sup_json *a = p->attributes->first, *next; a; a = next) {
        next = a->next;
        if (is_made(a->key)) sup_json_remove(p->attributes, a->key);
        else write_attribute(d, p, a->key, sup_json_index(a, SUP_NONE), first);
    }
    // Maps that were added after reading, and smooth values for those of the file.
    for (uint32_t i = 0; i < d->fine->map_count; ++i) {
        const sup_map* map = &d->fine->maps[i];
        float*         values = map->name[0] == '_' ? make(d, p->count, sizeof *values) : NULL;
        for (uint32_t v = 0; v < p->count && values; ++v) values[v] = map->values[fine_point(d, p, v)];
        if (values)
            gltf_edit_number(&d->edit, p->attributes, map->name,
                             gltf_edit_floats(&d->edit, values, p->count, 1, GLTF_ARRAY_BUFFER, false));
    }
    const sup_part* part = &d->fine->mesh.parts[p->part];
    if (part->point_count > POINT_MAX) return;
    float* ids = make(d, p->count, sizeof *ids);
    for (uint32_t v = 0; v < p->count && ids; ++v) ids[v] = (float)(fine_point(d, p, v) - part->point_begin);
    if (ids)
        gltf_edit_number(&d->edit, p->attributes, "_POINT",
                         gltf_edit_floats(&d->edit, ids, p->count, 1, GLTF_ARRAY_BUFFER, false));
}

// ---------------------------------------------------------------------------------------------- whole

// Which primitive every stored vertex belongs to.
static uint32_t* find_groups(const sup_character* c, const gltf_source* source, sup_arena* arena)
{
    uint32_t* groups = SUP_NEW(arena, uint32_t, c->mesh.vertex_count);
    for (uint32_t i = 0; i < c->mesh.part_count && groups; ++i)
        for (uint32_t k = 0; k < source->parts[i].primitive_count; ++k) {
            const gltf_primitive* p = &source->parts[i].primitives[k];
            for (uint32_t v = 0; v < p->vertex_count; ++v) groups[c->mesh.parts[i].vertex_begin + p->vertex_begin + v] = k;
        }
    return groups;
}

static void write_part(divider* d, uint32_t index)
{
    const gltf_part*      from = &d->source->parts[index];
    const sup_subdivided* s = &d->parts[index];
    uint32_t              count, begin = 0;
    sup_json**            meshes = gltf_edit_items(&d->edit, gltf_edit_get(d->edit.root, "meshes"), &count);
    sup_json** primitives = meshes ? gltf_edit_items(&d->edit, gltf_edit_get(meshes[from->mesh], "primitives"), &count) : NULL;
    if (from->skin != SUP_NONE) find_slots(d, from->skin);
    for (uint32_t k = 0; k < from->primitive_count && primitives && !d->edit.failed; ++k) {
        piece p = { .part = index, .group = k, .begin = begin, .primitive = primitives[from->primitives[k].primitive] };
        p.attributes = gltf_edit_get(p.primitive, "attributes");
        while (begin + p.count < s->vertex_count && s->vertex_groups[begin + p.count] == k) ++p.count;
        begin += p.count;
        if (!p.attributes) continue;
        write_attributes(d, &p, from->primitives[k].vertex_begin);
        write_positions(d, &p);
        write_indices(d, &p);
        write_morphs(d, &p);
        if (from->skin != SUP_NONE) write_weights(d, &p);
    }
}

// Restores the computed values that the file's arrays round, or cannot hold.
static void take_over(sup_character* out, sup_character* fine)
{
    const sup_mesh *a = &out->mesh, *b = &fine->mesh;
    sup_part*       parts = a->point_count == b->point_count && a->part_count == b->part_count
                                ? sup_arena_copy(out->arena, a->parts, a->part_count, sizeof *parts)
                                : NULL;
    for (uint32_t i = 0; i < a->part_count && parts; ++i) {
        if (parts[i].point_count != b->parts[i].point_count) return;
        parts[i].joint = b->parts[i].joint;
    }
    if (!parts || out->skeleton.joint_count != fine->skeleton.joint_count) return;
    out->mesh.parts = parts;
    out->weights = fine->weights;
    out->example_count = fine->example_count;
    out->examples = fine->examples;
    sup_arena_adopt(out->arena, fine->arena);
}

sup_result gltf_edit_read(gltf_edit* edit, const sup_character* base, const sup_allocator* allocator, sup_character** out,
                          sup_error* error)
{
    gltf_given   given = { .root = edit->root };
    const char** names = SUP_NEW(edit->arena, const char*, base->mesh.part_count);
    if (edit->failed || !names || !gltf_edit_gather(edit, &given.binary)) return sup_fail_memory(error, "a finer document");
    gltf_edit_number(edit, gltf_edit_get(edit->root, "buffers")->first, "byteLength", (double)given.binary.size);
    for (uint32_t i = 0; i < base->mesh.part_count; ++i) names[i] = base->mesh.parts[i].name;
    sup_read_input in = { .path = base->name,
                          .bytes = { NULL, given.binary.size },
                          .allocator = allocator,
                          .arena = edit->arena,
                          .meshes = names,
                          .mesh_count = base->mesh.part_count };
    sup_result     result = gltf_read_given(&in, &given, out, error);
    if (result != SUP_OK) return result;
    (*out)->metres_per_unit = base->metres_per_unit;
    (*out)->unit_assumed = base->unit_assumed;
    (*out)->size_factor = base->size_factor;
    (*out)->up = base->up;
    (*out)->up_assumed = base->up_assumed;
    // Clips that were added to the file's own.
    for (uint32_t i = (*out)->clip_count; i < base->clip_count && result == SUP_OK; ++i)
        result = sup_character_add_clip(*out, &base->clips[i], error);
    if (result == SUP_OK) return SUP_OK;
    sup_character_destroy(*out);
    *out = NULL;
    return result;
}

static sup_result divide(const sup_character* base, uint32_t levels, sup_arena* keep, sup_arena* work,
                         const sup_allocator* allocator, sup_character** out, sup_error* error)
{
    divider         d = { .base = base, .source = base->source };
    sup_subdivided* parts = NULL;
    sup_character*  fine = NULL;
    uint32_t*       groups = find_groups(base, d.source, work);
    d.slots = SUP_NEW(work, uint32_t, base->skeleton.joint_count);
    bool* done = SUP_NEW(work, bool, base->mesh.part_count);
    if (!groups || !d.slots || !done) return sup_fail_memory(error, "a finer document");
    sup_result result = sup_parts_subdivide(base, levels, groups, work, &parts, error);
    if (result == SUP_OK) result = sup_character_refine(base, parts, allocator, &fine, error);
    if (result != SUP_OK) return result;
    d.fine = fine;
    d.parts = parts;
    gltf_edit_open(&d.edit, d.source, keep);
    for (uint32_t i = 0; i < base->mesh.part_count && !d.edit.failed; ++i) {
        for (uint32_t k = 0; k < i && !done[i]; ++k) done[i] = d.source->parts[k].mesh == d.source->parts[i].mesh;
        if (!done[i]) write_part(&d, i); // a mesh that two nodes show is subdivided once
    }
    result = gltf_edit_read(&d.edit, base, allocator, out, error);
    if (result == SUP_OK) take_over(*out, fine);
    sup_character_destroy(fine);
    return result;
}

// A character that is no longer all of its file, or came from an OBJ or PLY, as a document of its own.
sup_result gltf_character_whole(const sup_character* c, const sup_allocator* allocator, sup_character** out, sup_error* error)
{
    *out = NULL;
    if (gltf_kinship_of(c) == GLTF_WHOLE) return SUP_OK;
    sup_arena* arena = sup_arena_create(allocator);
    sup_bytes  bytes;
    sup_result result = arena ? sup_character_write_memory(c, arena, &bytes, error) : sup_fail_memory(error, "a document");
    if (result == SUP_OK) {
        sup_read_input in = { .path = c->name, .bytes = bytes, .allocator = allocator, .arena = arena };
        result = gltf_read(&in, out, error);
    }
    sup_arena_destroy(arena);
    if (result == SUP_OK) (*out)->size_factor = c->size_factor;
    return result;
}

sup_result sup_character_subdivide_dressed(const sup_character* c, uint32_t levels, const sup_allocator* allocator,
                                           sup_character** out, sup_error* error)
{
    SUP_ASSERT(c && out);
    if (!c->source) return sup_character_subdivide(c, levels, allocator, out, error);
    sup_character* own = NULL;
    sup_arena *    keep = sup_arena_create(allocator), *work = sup_arena_create(allocator);
    sup_result     result = keep && work ? SUP_OK : sup_fail_memory(error, "a finer document");
    if (result == SUP_OK) result = gltf_character_whole(c, allocator, &own, error);
    if (result == SUP_OK) result = divide(own ? own : c, levels, keep, work, allocator, out, error);
    sup_character_destroy(own);
    sup_arena_destroy(keep);
    sup_arena_destroy(work);
    return result;
}
