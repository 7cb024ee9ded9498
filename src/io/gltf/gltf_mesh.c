// Geometry: the triangle primitives of a mesh concatenated, with all vertex data that the character needs. The file's own
// arrays are referenced where possible, so that a large mesh is not in memory twice.
#include "io/gltf/gltf_ngon.h"
#include "io/gltf/gltf_reader.h"

#include <math.h>
#include <string.h>

enum { MODE_TRIANGLES = 4, MODE_STRIP = 5, MODE_FAN = 6 };

// Influences come in sets of four. Real files have up to four sets without gaps; 64 influences are enough for all.
enum { SETS_USUAL = 4, SETS_MAX = 16 };

typedef struct primitive {
    const sup_json* value;
    const sup_json* attributes;
    const sup_json* target; // the morph target being read
    uint32_t        mode;
} primitive;

// The mesh being read.
typedef struct reading {
    gltf_reader* r;
    gltf_mesh*   mesh;
    primitive*   primitives; // as mesh->primitives
    uint32_t*    ids;        // an accessor index for each of them
    char         what[160];  // result of describe
} reading;

// Words for messages, until the next call.
static const char* describe(reading* m, uint32_t p, const char* attribute)
{
    sup_format(m->what, sizeof m->what, "mesh '%.60s' primitive %u %.40s", m->mesh->name, m->mesh->primitives[p].primitive,
               attribute);
    return m->what;
}

// ---------------------------------------------------------------------------------------------- which primitives

static sup_result add_primitive(reading* m, const sup_json* value, uint32_t index)
{
    gltf_reader*    r = m->r;
    gltf_mesh*      mesh = m->mesh;
    const sup_json* attributes = sup_json_get(value, "attributes");
    uint32_t        mode = sup_json_index(sup_json_get(value, "mode"), MODE_TRIANGLES);
    uint32_t        id;
    if (mode > MODE_FAN)
        return sup_fail(r->error, SUP_ERROR_INPUT, "mesh '%s' primitive %u: mode %u is unknown", mesh->name, index, mode);
    if (mode < MODE_TRIANGLES) {
        gltf_warn(r, "mesh '%s' primitive %u is points or lines; it is left out", mesh->name, index);
        return SUP_OK;
    }
    gltf_primitive* slot = &mesh->primitives[mesh->primitive_count];
    slot->primitive = index;
    const char* what = describe(m, mesh->primitive_count, "POSITION");
    GLTF_TRY(gltf_index(r, attributes, "POSITION", r->source->accessor_count, what, &id));
    gltf_accessor positions = { 0 };
    if (id != SUP_NONE) GLTF_TRY(gltf_accessor_load(r, id, what, &positions));
    if (positions.count == 0) {
        gltf_warn(r, "mesh '%s' primitive %u has no positions; it is left out", mesh->name, index);
        return SUP_OK;
    }
    if (positions.count > UINT32_MAX / 2 - mesh->vertex_count)
        return sup_fail(r->error, SUP_ERROR_INPUT, "mesh '%s' has more than 2147483647 vertices; split it", mesh->name);
    const sup_json* targets = sup_json_get(value, "targets");
    if (targets && targets->count > mesh->morph_count) mesh->morph_count = targets->count;
    m->primitives[mesh->primitive_count++] = (primitive){ value, attributes, targets ? targets->first : NULL, mode };
    slot->vertex_begin = mesh->vertex_count;
    slot->vertex_count = positions.count;
    mesh->vertex_count += positions.count;
    return SUP_OK;
}

static sup_result list_primitives(reading* m)
{
    const sup_json* values = sup_json_get(m->mesh->value, "primitives");
    uint32_t        count = values && values->type == SUP_JSON_ARRAY ? values->count : 0, index = 0;
    m->primitives = SUP_NEW(m->r->work, primitive, count);
    m->mesh->primitives = SUP_NEW(m->r->keep, gltf_primitive, count);
    m->ids = SUP_NEW(m->r->work, uint32_t, count);
    if (!m->primitives || !m->mesh->primitives || !m->ids) return sup_fail_memory(m->r->error, "a mesh");
    if (count)
        for (const sup_json* v = values->first; v; v = v->next) GLTF_TRY(add_primitive(m, v, index++));
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- per vertex

// The accessor of primitive p in m->ids, which must have this many components for every vertex.
static sup_result load_checked(reading* m, uint32_t p, uint32_t components, const char* attribute, gltf_accessor* out)
{
    const char* what = describe(m, p, attribute);
    GLTF_TRY(gltf_accessor_load(m->r, m->ids[p], what, out));
    if (out->components != components)
        return sup_fail(m->r->error, SUP_ERROR_INPUT, "%s: it has %u components instead of %u", what, out->components,
                        components);
    if (out->count != m->mesh->primitives[p].vertex_count)
        return sup_fail(m->r->error, SUP_ERROR_INPUT, "%s: it has %u elements for %u vertices", what, out->count,
                        m->mesh->primitives[p].vertex_count);
    return SUP_OK;
}

// Fills m->ids with the attribute's accessors; counts the primitives that have it.
static sup_result find_attribute(reading* m, const char* attribute, uint32_t* have)
{
    *have = 0;
    for (uint32_t p = 0; p < m->mesh->primitive_count; ++p) {
        m->ids[p] = SUP_NONE;
        if (!sup_json_get(m->primitives[p].attributes, attribute)) continue; // the usual case needs no message
        GLTF_TRY(gltf_index(m->r, m->primitives[p].attributes, attribute, m->r->source->accessor_count,
                            describe(m, p, attribute), &m->ids[p]));
        *have += 1;
    }
    return SUP_OK;
}

// Normals with NaN occur in the wild and are repaired later; any other attribute would move points to nowhere.
static sup_result check_floats(reading* m, uint32_t p, const char* attribute, const gltf_accessor* a, const float* values)
{
    if (strcmp(attribute, "NORMAL") == 0 || strcmp(attribute, "TANGENT") == 0) return SUP_OK;
    return gltf_accessor_finite(m->r, a, values, describe(m, p, attribute));
}

// The accessors of m->ids concatenated as floats; primitives without one get the fallback.
static sup_result join_floats(reading* m, const char* attribute, uint32_t components, float fallback, const float** out)
{
    gltf_mesh*    mesh = m->mesh;
    gltf_accessor a;
    if (mesh->primitive_count == 1 && m->ids[0] != SUP_NONE) {
        GLTF_TRY(load_checked(m, 0, components, attribute, &a));
        GLTF_TRY(gltf_accessor_floats(m->r, &a, out));
        return check_floats(m, 0, attribute, &a, *out);
    }
    float* all = gltf_take(m->r, mesh->vertex_count, components * sizeof(float));
    if (!all) return m->r->result;
    for (uint32_t p = 0; p < mesh->primitive_count; ++p) {
        float* at = all + (size_t)mesh->primitives[p].vertex_begin * components;
        if (m->ids[p] == SUP_NONE) {
            for (size_t i = 0; i < (size_t)mesh->primitives[p].vertex_count * components; ++i) at[i] = fallback;
            continue;
        }
        GLTF_TRY(load_checked(m, p, components, attribute, &a));
        gltf_accessor_fill(&a, at);
        GLTF_TRY(check_floats(m, p, attribute, &a, at));
    }
    *out = all;
    return SUP_OK;
}

static sup_result read_floats(reading* m, const char* attribute, uint32_t components, float fallback, const float** out)
{
    uint32_t have;
    GLTF_TRY(find_attribute(m, attribute, &have));
    return have ? join_floats(m, attribute, components, fallback, out) : SUP_OK;
}

// ---------------------------------------------------------------------------------------------- weights

static void widen_slots(const gltf_accessor* a, uint32_t width, uint32_t* out)
{
    const uint8_t* from = a->data;
    const size_t   step = a->stride, count = a->count;
    for (size_t v = 0; v < count; ++v, from += step, out += width)
        for (uint32_t c = 0; c < 4; ++c) out[c] = from[c];
}

static sup_result read_slots(reading* m, uint32_t set, uint32_t* slots)
{
    gltf_mesh*  mesh = m->mesh;
    const char* attribute = gltf_text(m->r, "JOINTS_%u", set);
    for (uint32_t p = 0; p < mesh->primitive_count; ++p) {
        gltf_accessor a;
        if (m->ids[p] == SUP_NONE) continue;
        GLTF_TRY(load_checked(m, p, 4, attribute, &a));
        if (a.component_type != 5121 && a.component_type != 5123 && a.component_type != 5125)
            return sup_fail(m->r->error, SUP_ERROR_INPUT, "%s: joints must be unsigned whole numbers",
                            describe(m, p, attribute));
        uint32_t* out = slots + (size_t)mesh->primitives[p].vertex_begin * mesh->width + 4 * set;
        bool      bytes = a.data && a.component_type == 5121; // as most files have them
        if (bytes) widen_slots(&a, mesh->width, out);
        for (uint32_t v = 0; !bytes && v < a.count; ++v, out += mesh->width)
            for (uint32_t c = 0; c < 4; ++c) out[c] = gltf_accessor_index(&a, v, c);
    }
    return SUP_OK;
}

// Joint indices of four consecutive bytes, as most files have them, are used in place.
static sup_result lend_slots(reading* m)
{
    uint32_t      have;
    gltf_accessor a;
    if (m->mesh->primitive_count != 1) return SUP_OK;
    GLTF_TRY(find_attribute(m, "JOINTS_0", &have));
    if (have == 0) return SUP_OK;
    GLTF_TRY(load_checked(m, 0, 4, "JOINTS_0", &a));
    if (a.component_type == 5121 && a.stride == 4) m->mesh->slot_bytes = a.data;
    return SUP_OK;
}

static sup_result read_weight_set(reading* m, uint32_t set, float* weights)
{
    gltf_mesh*   mesh = m->mesh;
    const float* values = NULL;
    GLTF_TRY(read_floats(m, gltf_text(m->r, "WEIGHTS_%u", set), 4, 0, &values));
    for (uint32_t v = 0; values && v < mesh->vertex_count; ++v)
        memcpy(weights + (size_t)v * mesh->width + 4 * set, values + (size_t)v * 4, 4 * sizeof(float));
    return SUP_OK;
}

static sup_result read_weights(reading* m)
{
    gltf_mesh* mesh = m->mesh;
    uint32_t   sets = 0, have;
    for (uint32_t set = 0; set < SETS_MAX && (set < SETS_USUAL || sets == set); ++set) {
        GLTF_TRY(find_attribute(m, gltf_text(m->r, "JOINTS_%u", set), &have));
        if (have) sets = set + 1;
    }
    if (sets == 0) return SUP_OK;
    mesh->width = 4 * sets;
    if (sets == 1) GLTF_TRY(lend_slots(m));
    uint32_t* slots = mesh->slot_bytes ? NULL : gltf_take(m->r, (uint64_t)mesh->vertex_count * mesh->width, sizeof *slots);
    if (!slots && !mesh->slot_bytes) return m->r->result;
    for (uint32_t set = 0; slots && set < sets; ++set) {
        GLTF_TRY(find_attribute(m, gltf_text(m->r, "JOINTS_%u", set), &have));
        GLTF_TRY(read_slots(m, set, slots));
    }
    mesh->slots = slots;
    if (sets == 1) {
        GLTF_TRY(read_floats(m, "WEIGHTS_0", 4, 0, &mesh->weights));
        if (mesh->weights) return SUP_OK;
    }
    float* weights = gltf_take(m->r, (uint64_t)mesh->vertex_count * mesh->width, sizeof *weights);
    if (!weights) return m->r->result;
    for (uint32_t set = 0; set < sets; ++set) GLTF_TRY(read_weight_set(m, set, weights));
    mesh->weights = weights;
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- triangles

static uint64_t triangle_count(uint32_t mode, uint32_t indices)
{
    if (mode == MODE_TRIANGLES) return indices / 3;
    return indices > 2 ? indices - 2 : 0;
}

// The corners of triangle t as positions in the index list (specification 3.7.2.1).
static void triangle_corners(uint32_t mode, uint32_t t, uint32_t out[3])
{
    switch (mode) {
    case MODE_STRIP: out[0] = t, out[1] = t + 1 + t % 2, out[2] = t + 2 - t % 2; break;
    case MODE_FAN: out[0] = t + 1, out[1] = t + 2, out[2] = 0; break;
    default: out[0] = 3 * t, out[1] = 3 * t + 1, out[2] = 3 * t + 2; break;
    }
}

// The fast path: plain lists of 16 or 32 bit numbers, which nearly all files have. False: another kind, or an invalid index.
static bool read_corners_quickly(const gltf_primitive* of, const gltf_accessor* indices, uint32_t count, uint32_t* out)
{
    size_t   bytes = indices->component_type == 5125 ? 4 : indices->component_type == 5123 ? 2 : 0;
    uint32_t most = 0;
    if (bytes == 0 || !indices->data || indices->stride != bytes) return false;
    const uint8_t* from = indices->data; // two plain loops, which the compiler vectorizes
    const uint32_t first = of->vertex_begin;
    for (uint32_t i = 0; bytes == 4 && i < count; ++i) {
        uint32_t vertex;
        memcpy(&vertex, from + 4 * (size_t)i, 4);
        most = vertex > most ? vertex : most;
        out[i] = first + vertex;
    }
    for (uint32_t i = 0; bytes == 2 && i < count; ++i) {
        uint16_t vertex;
        memcpy(&vertex, from + 2 * (size_t)i, 2);
        most = vertex > most ? vertex : most;
        out[i] = first + vertex;
    }
    return most < of->vertex_count;
}

static sup_result read_corners(reading* m, uint32_t p, const gltf_accessor* indices, uint32_t triangles, uint32_t* out)
{
    gltf_primitive* primitive_at = &m->mesh->primitives[p];
    bool            plain = indices && m->primitives[p].mode == MODE_TRIANGLES;
    if (plain && read_corners_quickly(primitive_at, indices, 3 * triangles, out)) return SUP_OK;
    for (uint32_t t = 0; t < triangles; ++t) {
        uint32_t at[3];
        triangle_corners(m->primitives[p].mode, t, at);
        for (int c = 0; c < 3; ++c) {
            uint32_t vertex = indices ? gltf_accessor_index(indices, at[c], 0) : at[c];
            if (vertex >= primitive_at->vertex_count)
                return sup_fail(m->r->error, SUP_ERROR_INPUT,
                                "mesh '%s' primitive %u: index %u is not below its %u vertices; the file is damaged",
                                m->mesh->name, primitive_at->primitive, vertex, primitive_at->vertex_count);
            *out++ = primitive_at->vertex_begin + vertex;
        }
    }
    return SUP_OK;
}

// FB_ngon_encoding: consecutive triangles that share their first vertex are one polygon. Compacts the corners in place, writes
// the face sizes to `sizes`, and returns the number of faces.
static uint32_t merge_fans(const uint32_t* triangles, uint32_t count, bool fans, uint32_t* sizes, uint32_t* corners,
                           uint32_t* corner_count)
{
    uint32_t faces = 0, at = 0;
    for (uint32_t t = 0; t < count; ++t) {
        uint32_t a = triangles[3 * t], b = triangles[3 * t + 1], c = triangles[3 * t + 2];
        // Only a fan that continues from its last edge is a polygon.
        bool goes_on = fans && t > 0 && corners[at - sizes[faces - 1]] == a && corners[at - 1] == b;
        if (goes_on) {
            corners[at++] = c;
            sizes[faces - 1]++;
            continue;
        }
        corners[at] = a, corners[at + 1] = b, corners[at + 2] = c;
        at += 3;
        sizes[faces++] = 3;
    }
    *corner_count = at;
    return faces;
}

static bool holds_polygons(const reading* m, uint32_t p)
{
    return m->primitives[p].mode == MODE_TRIANGLES &&
           sup_json_get(sup_json_get(m->primitives[p].value, "extensions"), GLTF_NGON);
}

static sup_result find_indices(reading* m, uint32_t p, gltf_accessor* out)
{
    const char* what = describe(m, p, "indices");
    *out = (gltf_accessor){ 0 };
    GLTF_TRY(gltf_index(m->r, m->primitives[p].value, "indices", m->r->source->accessor_count, what, &m->ids[p]));
    if (m->ids[p] == SUP_NONE) return SUP_OK;
    GLTF_TRY(gltf_accessor_load(m->r, m->ids[p], what, out));
    if (out->components != 1 || (out->component_type != 5121 && out->component_type != 5123 && out->component_type != 5125))
        return sup_fail(m->r->error, SUP_ERROR_INPUT, "%s: indices must be single unsigned whole numbers", what);
    return SUP_OK;
}

// The file's own index array if it can be used as it is: the only primitive of the only part, 32 bits wide.
static const uint32_t* borrowed_indices(const reading* m, const gltf_accessor* indices)
{
    bool fit = m->r->lone && m->mesh->primitive_count == 1 && m->primitives[0].mode == MODE_TRIANGLES && indices->data &&
               indices->component_type == 5125 && indices->stride == 4 && (uintptr_t)indices->data % sizeof(uint32_t) == 0;
    const uint32_t* list = (const uint32_t*)(const void*)indices->data;
    uint32_t        most = 0;
    for (uint32_t i = 0; fit && i < indices->count; ++i) most = list[i] > most ? list[i] : most;
    return fit && most < m->mesh->vertex_count ? list : NULL; // if not, the slow path says where
}

// Memory for corners; in the character's arena if it may keep them.
static uint32_t* take_corners(reading* m, uint64_t count)
{
    if (!m->r->lone) return gltf_take(m->r, count, sizeof(uint32_t));
    m->r->result = gltf_charge(m->r, count, sizeof(uint32_t));
    uint32_t* corners = m->r->result == SUP_OK ? SUP_NEW(m->r->keep, uint32_t, count) : NULL;
    if (!corners && m->r->result == SUP_OK) m->r->result = sup_fail_memory(m->r->error, "the geometry");
    return corners;
}

// How many triangles each primitive has, and all together.
static sup_result count_triangles(reading* m, uint32_t* counts, uint64_t* total, const uint32_t** borrowed)
{
    gltf_accessor indices;
    *total = 0;
    for (uint32_t p = 0; p < m->mesh->primitive_count; ++p) {
        GLTF_TRY(find_indices(m, p, &indices));
        uint32_t count = m->ids[p] == SUP_NONE ? m->mesh->primitives[p].vertex_count : indices.count;
        if (m->primitives[p].mode == MODE_TRIANGLES && count % 3)
            gltf_warn(m->r, "mesh '%s' primitive %u ends with an incomplete triangle; it is left out", m->mesh->name,
                      m->mesh->primitives[p].primitive);
        uint64_t triangles = triangle_count(m->primitives[p].mode, count);
        counts[p] = (uint32_t)triangles;
        *total += triangles;
        if (p == 0 && m->ids[0] != SUP_NONE) *borrowed = borrowed_indices(m, &indices);
    }
    if (*total > UINT32_MAX / 6)
        return sup_fail(m->r->error, SUP_ERROR_INPUT, "mesh '%s' has too many triangles; split it", m->mesh->name);
    return SUP_OK;
}

static sup_result read_triangles(reading* m)
{
    gltf_mesh*      mesh = m->mesh;
    bool            polygons = false;
    uint64_t        total;
    const uint32_t* borrowed = NULL;
    uint32_t*       counts = SUP_NEW(m->r->work, uint32_t, mesh->primitive_count);
    if (!counts) return sup_fail_memory(m->r->error, "a mesh");
    GLTF_TRY(count_triangles(m, counts, &total, &borrowed));
    for (uint32_t p = 0; p < mesh->primitive_count; ++p) polygons |= holds_polygons(m, p);
    mesh->triangles = borrowed;
    mesh->corners = borrowed;
    mesh->face_count = (uint32_t)total;
    if (borrowed && !polygons) return gltf_charge(m->r, total, 3 * sizeof(uint32_t));
    uint32_t* corners = take_corners(m, total * 3);
    if (!corners) return m->r->result;
    uint32_t* sizes = polygons ? gltf_take(m->r, total, sizeof *sizes) : NULL;
    if (polygons && !sizes) return m->r->result;
    uint32_t at = 0, faces = 0;
    for (uint32_t p = 0; p < mesh->primitive_count; ++p) {
        gltf_accessor indices;
        uint32_t      taken = 3 * counts[p];
        GLTF_TRY(find_indices(m, p, &indices));
        if (!borrowed) GLTF_TRY(read_corners(m, p, m->ids[p] == SUP_NONE ? NULL : &indices, counts[p], corners + at));
        if (polygons)
            faces += merge_fans(borrowed ? borrowed : corners + at, counts[p], holds_polygons(m, p), sizes + faces,
                                corners + at, &taken);
        at += taken;
    }
    if (polygons) mesh->face_count = faces;
    mesh->face_sizes = sizes;
    mesh->corners = corners;
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- morphs and maps

static sup_result read_morph(reading* m, uint32_t target)
{
    const float* deltas = NULL;
    for (uint32_t p = 0; p < m->mesh->primitive_count; ++p) {
        const sup_json** next = &m->primitives[p].target;
        GLTF_TRY(gltf_index(m->r, *next, "POSITION", m->r->source->accessor_count, describe(m, p, "morph target"), &m->ids[p]));
        if (*next) *next = (*next)->next;
    }
    GLTF_TRY(join_floats(m, "morph target", 3, 0, &deltas));
    m->mesh->morphs[target].deltas = (const sup_vec3*)(const void*)deltas;
    return SUP_OK;
}

static sup_result read_morphs(reading* m)
{
    gltf_mesh* mesh = m->mesh;
    mesh->morphs = SUP_NEW(m->r->work, sup_morph_desc, mesh->morph_count);
    if (!mesh->morphs) return sup_fail_memory(m->r->error, "the morph targets");
    const sup_json* names = sup_json_get(sup_json_get(mesh->value, "extras"), "targetNames");
    const sup_json* name = names ? names->first : NULL;
    for (uint32_t t = 0; t < mesh->morph_count; ++t) {
        mesh->morphs[t].name = sup_json_string(name, NULL);
        if (!mesh->morphs[t].name) mesh->morphs[t].name = gltf_text(m->r, "target %u", t);
        if (name) name = name->next;
        GLTF_TRY(read_morph(m, t));
    }
    return SUP_OK;
}

// False: one is not a whole number.
static bool fill_ids(const gltf_accessor* a, uint32_t* ids)
{
    bool whole = true;
    if (a->component_type == 5126 && a->data) { // as our writer has them
        for (uint32_t v = 0; v < a->count; ++v) {
            float value;
            memcpy(&value, a->data + v * a->stride, sizeof value);
            bool fits = value >= 0 && value < 2147483648.0f;
            ids[v] = (uint32_t)(int32_t)(fits ? value : 0); // through int32_t, for which processors have an instruction
            whole &= fits & ((float)(int32_t)ids[v] == value);
        }
        return whole;
    }
    for (uint32_t v = 0; v < a->count; ++v) {
        ids[v] = gltf_accessor_index(a, v, 0);
        whole &= ids[v] != SUP_NONE;
    }
    return whole;
}

// `_POINT`: the point of each vertex, written by our own writer. Used only if every vertex has one.
static sup_result read_point_ids(reading* m)
{
    gltf_mesh* mesh = m->mesh;
    uint32_t   have;
    GLTF_TRY(find_attribute(m, "_POINT", &have));
    if (have == 0) return SUP_OK;
    uint32_t* ids = gltf_take(m->r, mesh->vertex_count, sizeof *ids);
    if (!ids) return m->r->result;
    bool whole = have == mesh->primitive_count;
    for (uint32_t p = 0; p < mesh->primitive_count && whole; ++p) {
        gltf_accessor a;
        GLTF_TRY(load_checked(m, p, 1, "_POINT", &a));
        whole = fill_ids(&a, ids + mesh->primitives[p].vertex_begin);
    }
    if (whole) mesh->point_ids = ids;
    else
        gltf_warn(m->r, "mesh '%s': its _POINT numbers are missing or not integers; its vertices are welded again", mesh->name);
    return SUP_OK;
}

// Integers that are not normalized are ids (features, batches), not weights.
static sup_result is_map(reading* m, const char* name, bool* yes)
{
    for (uint32_t p = 0; p < m->mesh->primitive_count; ++p) {
        gltf_accessor a;
        if (m->ids[p] == SUP_NONE) continue;
        GLTF_TRY(gltf_accessor_load(m->r, m->ids[p], describe(m, p, name), &a));
        *yes = a.components == 1 && (a.component_type == 5126 || a.normalized);
        if (!*yes) return SUP_OK;
    }
    return SUP_OK;
}

static sup_result read_map(reading* m, const char* name)
{
    gltf_mesh* mesh = m->mesh;
    uint32_t   have;
    bool       yes = false;
    GLTF_TRY(find_attribute(m, name, &have));
    GLTF_TRY(is_map(m, name, &yes));
    if (!yes) {
        gltf_warn(m->r, "mesh '%s': attribute %.60s does not hold single values from 0 to 1 and is not a map", mesh->name,
                  name);
        return SUP_OK;
    }
    const float* values = NULL;
    GLTF_TRY(join_floats(m, name, 1, 1, &values)); // 1 where there is no map
    mesh->maps[mesh->map_count++] = (sup_map_desc){ name, values };
    return SUP_OK;
}

// Every name once, whatever the number of primitives that have it.
static sup_result read_maps(reading* m)
{
    enum { NAMES_MAX = 64 }; // as many as a person could distinguish
    const char* names[NAMES_MAX];
    uint32_t    count = 0;
    m->mesh->maps = SUP_NEW(m->r->work, sup_map_desc, NAMES_MAX);
    if (!m->mesh->maps) return sup_fail_memory(m->r->error, "the maps");
    for (uint32_t p = 0; p < m->mesh->primitive_count; ++p) {
        const sup_json* attributes = m->primitives[p].attributes;
        for (const sup_json* a = attributes ? attributes->first : NULL; a && count < NAMES_MAX; a = a->next) {
            uint32_t known = 0;
            if (!a->key || a->key[0] != '_' || strcmp(a->key, "_POINT") == 0 || strcmp(a->key, "_TENSION") == 0) continue;
            while (known < count && strcmp(names[known], a->key) != 0) ++known;
            if (known < count) continue;
            names[count++] = a->key;
            GLTF_TRY(read_map(m, a->key));
        }
    }
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- whole meshes

static sup_result read_mesh(gltf_reader* r, gltf_mesh* mesh)
{
    reading m = { .r = r, .mesh = mesh };
    mesh->read = true;
    GLTF_TRY(list_primitives(&m));
    if (mesh->primitive_count == 0) return SUP_OK;
    const float *positions = NULL, *normals = NULL, *tangents = NULL;
    GLTF_TRY(read_floats(&m, "POSITION", 3, 0, &positions));
    if (mesh->primitive_count == 1) {
        gltf_accessor stored;
        GLTF_TRY(load_checked(&m, 0, 3, "POSITION", &stored));
        mesh->borrowed = (const void*)stored.data == (const void*)positions;
    }
    GLTF_TRY(read_floats(&m, "NORMAL", 3, 0, &normals));
    GLTF_TRY(read_floats(&m, "TANGENT", 4, 0, &tangents));
    mesh->positions = (const sup_vec3*)(const void*)positions;
    mesh->normals = (const sup_vec3*)(const void*)normals;
    mesh->tangents = (const sup_vec4*)(const void*)tangents;
    GLTF_TRY(read_triangles(&m));
    GLTF_TRY(read_weights(&m));
    GLTF_TRY(read_morphs(&m));
    GLTF_TRY(read_point_ids(&m));
    return read_maps(&m);
}

// Another node that shows the same mesh: nothing is read again, but the character holds another copy.
static sup_result charge_again(gltf_reader* r, const gltf_mesh* mesh)
{
    uint64_t per_vertex = 3 + 3 * (uint64_t)mesh->morph_count + 2 * (uint64_t)mesh->width + mesh->map_count + 8;
    return gltf_charge(r, mesh->vertex_count * per_vertex + 3 * (uint64_t)mesh->face_count, sizeof(float));
}

static sup_result add_part(gltf_reader* r, uint32_t index)
{
    gltf_node* node = &r->nodes[index];
    gltf_mesh* mesh = &r->meshes[node->mesh];
    if (mesh->read) GLTF_TRY(charge_again(r, mesh));
    else GLTF_TRY(read_mesh(r, mesh));
    if (mesh->face_count == 0) {
        gltf_warn(r, "mesh '%s' of node '%s' has no triangles; it is left out", mesh->name, node->name);
        return SUP_OK;
    }
    uint32_t skin = node->skin;
    if (skin != SUP_NONE && mesh->width == 0) {
        gltf_warn(r, "node '%s' has a skin but mesh '%s' has no weights; it follows its node", node->name, mesh->name);
        skin = SUP_NONE;
    }
    mesh->uses++;
    node->part = r->part_count++;
    r->origins[node->part] = (gltf_part){ index, node->mesh, skin, mesh->primitive_count, mesh->primitives };
    return SUP_OK;
}

// The name of a part made from the node.
static const char* part_name(const gltf_reader* r, const gltf_node* node)
{
    bool named = sup_json_string(sup_json_get(node->value, "name"), "")[0] != 0;
    return named ? node->name : r->meshes[node->mesh].name;
}

static bool is_shown(const gltf_node* node) { return node->in_scene && node->mesh != SUP_NONE; }

const char* gltf_part_names(gltf_reader* r)
{
    char   text[180] = "";
    size_t at = 0;
    for (uint32_t i = 0; i < r->node_count && at < sizeof text; ++i)
        if (is_shown(&r->nodes[i]))
            at += sup_format(text + at, sizeof text - at, "%s'%s'", at ? ", " : "", part_name(r, &r->nodes[i]));
    return gltf_text(r, "%s%s", text, at < sizeof text ? "" : "...");
}

// Whether the user selected it; the mesh's own name counts as well. `used` marks the selections that matched.
static bool is_wanted(const gltf_reader* r, const gltf_node* node, bool* used)
{
    bool wanted = r->in->mesh_count == 0;
    for (uint32_t i = 0; i < r->in->mesh_count; ++i) {
        bool fits = sup_glob_match(r->in->meshes[i], part_name(r, node)) ||
                    sup_glob_match(r->in->meshes[i], r->meshes[node->mesh].name);
        used[i] |= fits;
        wanted |= fits;
    }
    return wanted;
}

static sup_result add_parts(gltf_reader* r)
{
    uint32_t wanted = 0;
    bool*    used = SUP_NEW(r->work, bool, r->in->mesh_count);
    if (!used) return sup_fail_memory(r->error, "the parts");
    for (uint32_t i = 0; i < r->node_count; ++i) wanted += is_shown(&r->nodes[i]) && is_wanted(r, &r->nodes[i], used);
    r->lone = wanted == 1;
    for (uint32_t i = 0; i < r->node_count; ++i)
        if (is_shown(&r->nodes[i]) && is_wanted(r, &r->nodes[i], used)) GLTF_TRY(add_part(r, i));
    for (uint32_t i = 0; i < r->in->mesh_count; ++i)
        if (!used[i])
            return sup_fail(r->error, SUP_ERROR_INPUT, "no mesh is named '%s'; there are: %s", r->in->meshes[i],
                            gltf_part_names(r));
    return SUP_OK;
}

sup_result gltf_parts_find(gltf_reader* r)
{
    const sup_json** values;
    GLTF_TRY(gltf_list(r, r->source->root, "meshes", r->work, &r->mesh_count, &values));
    r->meshes = SUP_NEW(r->work, gltf_mesh, r->mesh_count);
    if (!r->meshes) return sup_fail_memory(r->error, "the meshes");
    for (uint32_t i = 0; i < r->mesh_count; ++i) {
        r->meshes[i].value = values[i];
        r->meshes[i].name = gltf_name(r, values[i], "mesh", i);
    }
    uint32_t shown = 0;
    for (uint32_t i = 0; i < r->node_count; ++i) shown += is_shown(&r->nodes[i]);
    r->origins = SUP_NEW(r->keep, gltf_part, shown);
    if (!r->origins) return sup_fail_memory(r->error, "the parts");
    GLTF_TRY(add_parts(r));
    if (r->part_count == 0)
        return sup_fail(r->error, SUP_ERROR_INPUT, "the file has no mesh with triangles; export one with the skeleton");
    return SUP_OK;
}
