// Geometry of one of assimp's meshes as a primitive. assimp gives every corner a vertex of its own: equal ones are merged here,
// or a baked frame would cost four times as much. Polygons stay polygons (FB_ngon_encoding).
#include "io/gltf/gltf_ngon.h"
#include "io_extra/assimp.h"
#include "math/vec.h"

#include <string.h>

enum { INFLUENCES_MAX = 64, INDEX_SHORT_MAX = 65535 };

typedef struct maker {
    assimp_reader*       r;
    const struct aiMesh* from;
    assimp_mesh*         mesh;
    uint32_t*            joined; // kept vertex of each of assimp's
} maker;

static sup_result out_of_memory(maker* m) { return sup_fail_memory(m->r->error, "a mesh"); }

static sup_vec3 vec3_of(struct aiVector3D v) { return v3((float)v.x, (float)v.y, (float)v.z); }

// ---------------------------------------------------------------------------------------------- weights

// Real files contain zeros, sums from 0.9 to 1.4, dummies, and repeated bones.
static bool counts(const maker* m, const struct aiVertexWeight* w)
{
    return w->mVertexId < m->from->mNumVertices && w->mWeight > 0 && isfinite(w->mWeight);
}

static bool gather(maker* m, uint32_t* begin, uint32_t** bones, float** values)
{
    uint32_t count = m->from->mNumVertices;
    for (uint32_t b = 0; b < m->from->mNumBones; ++b) {
        const struct aiBone* bone = m->from->mBones[b];
        for (uint32_t i = 0; i < bone->mNumWeights; ++i)
            if (counts(m, &bone->mWeights[i])) begin[bone->mWeights[i].mVertexId + 1]++;
    }
    for (uint32_t v = 0; v < count; ++v) begin[v + 1] += begin[v];
    uint32_t* end = sup_arena_copy(m->r->work, begin, count, sizeof *end);
    *bones = SUP_NEW(m->r->work, uint32_t, begin[count]);
    *values = SUP_NEW(m->r->work, float, begin[count]);
    if (!end || !*bones || !*values) return false;
    for (uint32_t b = 0; b < m->from->mNumBones; ++b) {
        const struct aiBone* bone = m->from->mBones[b];
        for (uint32_t i = 0; i < bone->mNumWeights; ++i) {
            const struct aiVertexWeight* w = &bone->mWeights[i];
            if (!counts(m, w)) continue;
            // Largest first; equal ones stay in the order of the bones.
            uint32_t at = end[w->mVertexId]++;
            while (at > begin[w->mVertexId] && (*values)[at - 1] < (float)w->mWeight) {
                (*values)[at] = (*values)[at - 1];
                (*bones)[at] = (*bones)[at - 1];
                --at;
            }
            (*values)[at] = (float)w->mWeight;
            (*bones)[at] = b;
        }
    }
    return true;
}

// Writes a vertex' influences to the final lists; returns how many there are.
static uint32_t settle(maker* m, const uint32_t* bones, const float* values, uint32_t count, uint32_t* out_bones,
                       float* out_values)
{
    uint32_t n = 0;
    double   sum = 0;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t known = 0;
        while (known < n && out_bones[known] != bones[i]) ++known;
        if (known == INFLUENCES_MAX) break;
        if (known == n) {
            out_bones[n] = bones[i];
            out_values[n++] = 0;
        }
        out_values[known] += values[i];
        sum += (double)values[i];
    }
    if (n == 0) {
        out_bones[0] = m->from->mNumBones;
        out_values[0] = 1;
        m->mesh->weights.loose = true;
        return 1;
    }
    for (uint32_t i = 0; i < n; ++i) out_values[i] = (float)((double)out_values[i] / sum);
    return n;
}

static sup_result make_weights(maker* m)
{
    uint32_t  count = m->from->mNumVertices, total = 0;
    uint32_t* begin = SUP_NEW(m->r->work, uint32_t, (size_t)count + 1);
    uint32_t* out_begin = SUP_NEW(m->r->work, uint32_t, (size_t)count + 1);
    uint32_t* bones;
    float*    values;
    if (!begin || !out_begin || !gather(m, begin, &bones, &values)) return out_of_memory(m);
    uint32_t* out_bones = SUP_NEW(m->r->work, uint32_t, (size_t)begin[count] + count);
    float*    out_values = SUP_NEW(m->r->work, float, (size_t)begin[count] + count);
    if (!out_bones || !out_values) return out_of_memory(m);
    assimp_weights* w = &m->mesh->weights;
    for (uint32_t v = 0; v < count; ++v) {
        uint32_t n =
            settle(m, bones + begin[v], values + begin[v], begin[v + 1] - begin[v], out_bones + total, out_values + total);
        if (n > w->most) w->most = n;
        total += n;
        out_begin[v + 1] = total;
    }
    w->begin = out_begin;
    w->bones = out_bones;
    w->values = out_values;
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- joining

typedef struct stream {
    const void* data;
    size_t      size; // of one element
} stream;

enum { STREAMS_FIXED = 2 + AI_MAX_NUMBER_OF_TEXTURECOORDS + AI_MAX_NUMBER_OF_COLOR_SETS };

static uint32_t list_streams(const maker* m, stream* out)
{
    const struct aiMesh* from = m->from;
    uint32_t             n = 0;
    out[n++] = (stream){ from->mVertices, sizeof *from->mVertices };
    if (from->mNormals) out[n++] = (stream){ from->mNormals, sizeof *from->mNormals };
    for (int i = 0; i < AI_MAX_NUMBER_OF_TEXTURECOORDS; ++i)
        if (from->mTextureCoords[i]) out[n++] = (stream){ from->mTextureCoords[i], sizeof *from->mTextureCoords[i] };
    for (int i = 0; i < AI_MAX_NUMBER_OF_COLOR_SETS; ++i)
        if (from->mColors[i]) out[n++] = (stream){ from->mColors[i], sizeof *from->mColors[i] };
    for (uint32_t i = 0; i < from->mNumAnimMeshes; ++i) {
        const struct aiAnimMesh* shape = from->mAnimMeshes[i];
        if (shape->mVertices && shape->mNumVertices == from->mNumVertices)
            out[n++] = (stream){ shape->mVertices, sizeof *shape->mVertices };
    }
    return n;
}

static bool same_vertex(const maker* m, const stream* streams, uint32_t stream_count, uint32_t a, uint32_t b)
{
    for (uint32_t s = 0; s < stream_count; ++s) {
        const char* data = streams[s].data;
        if (memcmp(data + a * streams[s].size, data + b * streams[s].size, streams[s].size) != 0) return false;
    }
    const assimp_weights* w = &m->mesh->weights;
    if (!w->begin) return true;
    uint32_t count = w->begin[a + 1] - w->begin[a];
    return count == w->begin[b + 1] - w->begin[b] &&
           memcmp(w->bones + w->begin[a], w->bones + w->begin[b], count * sizeof *w->bones) == 0 &&
           memcmp(w->values + w->begin[a], w->values + w->begin[b], count * sizeof *w->values) == 0;
}

static sup_result join_vertices(maker* m)
{
    uint32_t count = m->from->mNumVertices, kept = 0;
    size_t   size = 16;
    while (size < 2 * (size_t)count) size *= 2;
    stream*   streams = SUP_NEW(m->r->work, stream, STREAMS_FIXED + (size_t)m->from->mNumAnimMeshes);
    uint32_t* table = SUP_NEW(m->r->work, uint32_t, size); // a kept vertex plus one
    uint32_t* vertices = SUP_NEW(m->r->work, uint32_t, count);
    m->joined = SUP_NEW(m->r->work, uint32_t, count);
    if (!streams || !table || !vertices || !m->joined) return out_of_memory(m);
    uint32_t stream_count = list_streams(m, streams);
    for (uint32_t v = 0; v < count; ++v) {
        uint64_t hash = SUP_HASH_START;
        for (uint32_t s = 0; s < stream_count && s < 4; ++s)
            hash = sup_hash(hash, (const char*)streams[s].data + v * streams[s].size, streams[s].size);
        size_t slot = (hash ^ hash >> 32) & (size - 1);
        while (table[slot] && !same_vertex(m, streams, stream_count, vertices[table[slot] - 1], v))
            slot = (slot + 1) & (size - 1);
        if (!table[slot]) {
            vertices[kept++] = v;
            table[slot] = kept;
        }
        m->joined[v] = table[slot] - 1;
    }
    m->mesh->vertex_count = kept;
    m->mesh->vertices = vertices;
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- faces

static sup_vec3 corner(const maker* m, const struct aiFace* face, uint32_t c)
{
    return vec3_of(m->from->mVertices[face->mIndices[c % face->mNumIndices]]);
}

// Whether all triangles of the fan that starts at this corner face the polygon's way.
static bool is_flat_fan(const maker* m, const struct aiFace* face, uint32_t start, sup_vec3 normal)
{
    sup_vec3 origin = corner(m, face, start);
    for (uint32_t k = 2; k < face->mNumIndices; ++k) {
        sup_vec3 a = v3_sub(corner(m, face, start + k - 1), origin), b = v3_sub(corner(m, face, start + k), origin);
        if (v3_dot(v3_cross(a, b), normal) < 0) return false;
    }
    return true;
}

// A fan over a concave polygon must start at the dent. The file's own start if that works.
static uint32_t choose_start(const maker* m, const struct aiFace* face)
{
    enum { CORNERS_TRIED = 64 }; // a test of n starts takes n^2 triangles; larger polygons stay as they are
    sup_vec3 normal = v3(0, 0, 0), origin = corner(m, face, 0);
    if (face->mNumIndices == 3 || face->mNumIndices > CORNERS_TRIED) return 0;
    for (uint32_t k = 2; k < face->mNumIndices; ++k)
        normal = v3_add(normal, v3_cross(v3_sub(corner(m, face, k - 1), origin), v3_sub(corner(m, face, k), origin)));
    for (uint32_t start = 0; start < face->mNumIndices; ++start)
        if (is_flat_fan(m, face, start, normal)) return start;
    return 0;
}

static bool is_face(const maker* m, const struct aiFace* face)
{
    if (face->mNumIndices < 3) return false;
    for (uint32_t c = 0; c < face->mNumIndices; ++c)
        if (face->mIndices[c] >= m->from->mNumVertices) return false;
    return true;
}

static void write_fan(const maker* m, const struct aiFace* face, uint32_t* previous, uint32_t* out)
{
    uint32_t n = face->mNumIndices, start = choose_start(m, face);
    for (uint32_t k = 0; k < n && m->joined[face->mIndices[(start + k) % n]] == *previous; ++k) start = (start + 1) % n;
    *previous = m->joined[face->mIndices[start]];
    for (uint32_t k = 2; k < n; ++k) {
        *out++ = *previous;
        *out++ = m->joined[face->mIndices[(start + k - 1) % n]];
        *out++ = m->joined[face->mIndices[(start + k) % n]];
    }
}

static sup_result make_faces(maker* m)
{
    uint64_t count = 0;
    uint32_t left = 0, polygons = 0, previous = SUP_NONE;
    for (uint32_t f = 0; f < m->from->mNumFaces; ++f) {
        const struct aiFace* face = &m->from->mFaces[f];
        if (!is_face(m, face)) {
            ++left;
            continue;
        }
        count += 3 * ((uint64_t)face->mNumIndices - 2);
        polygons += face->mNumIndices > 3;
    }
    const char* name = assimp_text(m->r, &m->from->mName);
    if (left && count) assimp_warn(m->r, "mesh '%.80s' has %u points or lines; they are left out", name, left);
    if (count == 0) return SUP_OK;
    if (count > UINT32_MAX / 2)
        return sup_fail(m->r->error, SUP_ERROR_INPUT, "mesh '%.80s' has too many faces; split it", name);
    bool      narrow = m->mesh->vertex_count <= INDEX_SHORT_MAX;
    uint32_t* indices = SUP_NEW(m->r->keep, uint32_t, (size_t)count);
    if (!indices) return out_of_memory(m);
    uint32_t* at = indices;
    for (uint32_t f = 0; f < m->from->mNumFaces; ++f) {
        const struct aiFace* face = &m->from->mFaces[f];
        if (!is_face(m, face)) continue;
        if (!polygons) previous = SUP_NONE; // nothing to separate
        write_fan(m, face, &previous, at);
        at += 3 * (face->mNumIndices - 2);
    }
    if (narrow) {
        uint16_t* packed = (uint16_t*)(void*)indices; // in place: the narrower list never overtakes
        for (size_t i = 0; i < count; ++i) packed[i] = (uint16_t)indices[i];
    }
    gltf_edit*    edit = &m->r->edit;
    gltf_accessor what = { .count = (uint32_t)count, .components = 1, .component_type = narrow ? GLTF_USHORT : GLTF_UINT };
    uint32_t      view = gltf_edit_view(edit, indices, count * (narrow ? 2 : 4), 0, GLTF_ELEMENT_BUFFER);
    m->mesh->primitive = gltf_edit_new(edit, SUP_JSON_OBJECT);
    gltf_edit_number(edit, m->mesh->primitive, "indices", gltf_edit_accessor(edit, view, 0, &what, NULL));
    if (polygons) gltf_ngon_mark(edit, m->mesh->primitive);
    m->r->polygons += polygons;
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- attributes

static float* floats(maker* m, uint32_t components)
{
    float* out = SUP_NEW(m->r->keep, float, (size_t)m->mesh->vertex_count* components);
    if (!out) m->r->edit.failed = true;
    return out;
}

static void put_floats(maker* m, sup_json* owner, const char* name, const float* values, uint32_t components, bool bounds)
{
    gltf_edit_number(&m->r->edit, owner, name,
                     gltf_edit_floats(&m->r->edit, values, m->mesh->vertex_count, components, GLTF_ARRAY_BUFFER, bounds));
}

static void put_vectors(maker* m, sup_json* owner, const char* name, const struct aiVector3D* values,
                        const struct aiVector3D* minus, bool bounds)
{
    float* out = floats(m, 3);
    for (uint32_t i = 0; out && i < m->mesh->vertex_count; ++i) {
        uint32_t v = m->mesh->vertices[i];
        sup_vec3 value = vec3_of(values[v]);
        if (minus) value = v3_sub(value, vec3_of(minus[v]));
        memcpy(out + 3 * (size_t)i, &value, sizeof value);
    }
    if (out) put_floats(m, owner, name, out, 3, bounds);
}

// Invalid normals are replaced by that of an adjacent face.
static void put_normals(maker* m, sup_json* attributes)
{
    sup_vec3* spare = SUP_NEW(m->r->work, sup_vec3, m->mesh->vertex_count);
    float*    out = floats(m, 3);
    if (!spare || !out) return;
    for (uint32_t f = 0; f < m->from->mNumFaces; ++f) {
        const struct aiFace* face = &m->from->mFaces[f];
        if (!is_face(m, face)) continue;
        sup_vec3 a = corner(m, face, 0);
        sup_vec3 n = v3_normalize(v3_cross(v3_sub(corner(m, face, 1), a), v3_sub(corner(m, face, 2), a)), v3(0, 1, 0));
        for (uint32_t c = 0; c < face->mNumIndices; ++c) spare[m->joined[face->mIndices[c]]] = n;
    }
    for (uint32_t i = 0; i < m->mesh->vertex_count; ++i) {
        sup_vec3 n = vec3_of(m->from->mNormals[m->mesh->vertices[i]]);
        sup_vec3 fallback = v3_length2(spare[i]) > 0.5f ? spare[i] : v3(0, 1, 0);
        n = v3_finite(n) ? v3_normalize(n, fallback) : fallback;
        memcpy(out + 3 * (size_t)i, &n, sizeof n);
    }
    put_floats(m, attributes, "NORMAL", out, 3, false);
}

static void put_texture_coordinates(maker* m, sup_json* attributes)
{
    uint32_t set = 0;
    for (uint32_t s = 0; s < AI_MAX_NUMBER_OF_TEXTURECOORDS; ++s) {
        const struct aiVector3D* from = m->from->mTextureCoords[s];
        float*                   out = from ? floats(m, 2) : NULL;
        char                     name[32];
        if (!out) continue;
        for (uint32_t i = 0; i < m->mesh->vertex_count; ++i) {
            struct aiVector3D uv = from[m->mesh->vertices[i]];
            bool              good = isfinite(uv.x) && isfinite(uv.y);
            out[2 * (size_t)i] = good ? (float)uv.x : 0;
            out[2 * (size_t)i + 1] = good ? 1 - (float)uv.y : 0; // glTF counts from the top
        }
        sup_format(name, sizeof name, "TEXCOORD_%u", set++);
        put_floats(m, attributes, name, out, 2, false);
    }
    // A picture must find the coordinates it asks for, if only one spot of it.
    uint32_t material = m->from->mMaterialIndex;
    for (; material < m->r->scene->mNumMaterials && set < m->r->texture_sets[material]; ++set) {
        char         name[32];
        const float* zeros = floats(m, 2);
        sup_format(name, sizeof name, "TEXCOORD_%u", set);
        if (zeros) put_floats(m, attributes, name, zeros, 2, false);
    }
}

static void put_colors(maker* m, sup_json* attributes)
{
    uint32_t set = 0;
    for (uint32_t s = 0; s < AI_MAX_NUMBER_OF_COLOR_SETS; ++s) {
        const struct aiColor4D* from = m->from->mColors[s];
        float*                  out = from ? floats(m, 4) : NULL;
        char                    name[32];
        if (!out) continue;
        for (uint32_t i = 0; i < m->mesh->vertex_count; ++i) {
            struct aiColor4D c = from[m->mesh->vertices[i]];
            const float      values[4] = { c.r, c.g, c.b, c.a };
            for (uint32_t k = 0; k < 4; ++k) out[4 * (size_t)i + k] = values[k] >= 0 ? fminf(values[k], 1) : 0;
        }
        sup_format(name, sizeof name, "COLOR_%u", set++);
        put_floats(m, attributes, name, out, 4, false);
    }
}

// assimp's shapes are absolute, glTF's are displacements.
static void put_targets(maker* m)
{
    if (m->from->mNumAnimMeshes == 0) return;
    sup_json* targets = gltf_edit_array(&m->r->edit, m->mesh->primitive, "targets");
    for (uint32_t i = 0; i < m->from->mNumAnimMeshes; ++i) {
        const struct aiAnimMesh* shape = m->from->mAnimMeshes[i];
        bool                     whole = shape->mVertices && shape->mNumVertices == m->from->mNumVertices;
        sup_json*                target = gltf_edit_new(&m->r->edit, SUP_JSON_OBJECT);
        if (!whole)
            assimp_warn(m->r, "mesh '%.80s': its shape %u has other vertices and moves nothing", m->from->mName.data, i);
        put_vectors(m, target, "POSITION", whole ? shape->mVertices : m->from->mVertices, m->from->mVertices, true);
        if (whole && shape->mNormals && m->from->mNormals)
            put_vectors(m, target, "NORMAL", shape->mNormals, m->from->mNormals, false);
        if (targets && target) sup_json_push(targets, target);
    }
}

sup_result assimp_mesh_make(assimp_reader* r, uint32_t index)
{
    maker m = { .r = r, .from = r->scene->mMeshes[index], .mesh = &r->meshes[index] };
    m.mesh->made = true;
    if (!m.from->mVertices || m.from->mNumVertices == 0 || m.from->mNumFaces == 0) return SUP_OK;
    if (m.from->mNumBones) ASSIMP_TRY(make_weights(&m));
    ASSIMP_TRY(join_vertices(&m));
    ASSIMP_TRY(make_faces(&m));
    if (!m.mesh->primitive) return r->edit.failed ? out_of_memory(&m) : SUP_OK;
    sup_json* attributes = gltf_edit_object(&r->edit, m.mesh->primitive, "attributes");
    put_vectors(&m, attributes, "POSITION", m.from->mVertices, NULL, true);
    if (m.from->mNormals) put_normals(&m, attributes);
    put_texture_coordinates(&m, attributes);
    put_colors(&m, attributes);
    put_targets(&m);
    if (m.from->mMaterialIndex < r->scene->mNumMaterials)
        gltf_edit_number(&r->edit, m.mesh->primitive, "material", m.from->mMaterialIndex);
    return r->edit.failed ? out_of_memory(&m) : SUP_OK;
}
