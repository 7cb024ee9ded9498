// The meshes and materials of a fresh document: one primitive for each material of the source's surface, or a single one of
// clay color.
#include "base/internal.h"
#include "io/gltf/gltf_document.h"
#include "io/gltf/gltf_ngon.h"
#include "math/vec.h"

#include <string.h>

enum { INDEX_SHORT_MAX = 65535, SLOT_BYTE_MAX = 255, SET = 4, POINT_MAX = 1 << 24 };

static bool is_of(const gltf_piece* p, uint32_t face) { return !p->face_pieces || p->face_pieces[face] == p->index; }

static bool has_polygons(const sup_mesh* mesh, const gltf_piece* p)
{
    const sup_part* part = p->part;
    for (uint32_t f = part->face_begin; f < part->face_begin + part->face_count; ++f)
        if (mesh->face_begin[f + 1] - mesh->face_begin[f] > 3 && is_of(p, f)) return true;
    return false;
}

// Polygons are separated by their first vertex (gltf_ngon.h), so each starts with another one than `previous`.
static uint32_t choose_start(const uint32_t* corners, uint32_t size, uint32_t previous)
{
    uint32_t start = 0;
    while (start + 1 < size && corners[start] == previous) ++start;
    return start;
}

static uint32_t write_indices(gltf_maker* m, const gltf_piece* p)
{
    const sup_mesh* mesh = &m->character->mesh;
    const sup_part* part = p->part;
    uint32_t        count = 0, at = 0, previous = SUP_NONE;
    bool            polygons = has_polygons(mesh, p);
    for (uint32_t f = part->face_begin; f < part->face_begin + part->face_count; ++f) {
        uint32_t corners = mesh->face_begin[f + 1] - mesh->face_begin[f];
        if (corners >= 3 && is_of(p, f)) count += 3 * (corners - 2);
    }
    bool      narrow = p->count <= INDEX_SHORT_MAX;
    uint32_t* wide = gltf_make(m, count, sizeof *wide);
    if (!wide || count == 0) return SUP_NONE;
    for (uint32_t f = part->face_begin; f < part->face_begin + part->face_count; ++f) {
        const uint32_t* corners = mesh->corner_vertices + mesh->face_begin[f];
        uint32_t        size = mesh->face_begin[f + 1] - mesh->face_begin[f];
        if (size < 3 || !is_of(p, f)) continue;
        uint32_t start = polygons ? choose_start(corners, size, previous) : 0;
        previous = corners[start];
        for (uint32_t k = 2; k < size; ++k) {
            wide[at++] = previous - p->begin;
            wide[at++] = corners[(start + k - 1) % size] - p->begin;
            wide[at++] = corners[(start + k) % size] - p->begin;
        }
    }
    uint32_t bytes = narrow ? 2 : 4;
    if (narrow) {
        uint16_t* packed = (uint16_t*)(void*)wide; // in place: the narrower list never overtakes
        for (uint32_t i = 0; i < count; ++i) packed[i] = (uint16_t)wide[i];
    }
    uint32_t      view = gltf_edit_view(&m->edit, wide, (uint64_t)count * bytes, 0, GLTF_ELEMENT_BUFFER);
    gltf_accessor what = { .count = count,
                           .components = 1,
                           .component_type = narrow ? GLTF_USHORT : GLTF_UINT,
                           .data = (const uint8_t*)wide,
                           .stride = bytes };
    return gltf_edit_accessor(&m->edit, view, 0, &what, NULL);
}

// A mesh without a skin is stored in the space of its parent joint.
static sup_affine part_space(const gltf_maker* m, const sup_part* part)
{
    return part->joint == SUP_NONE ? affine_identity() : m->character->skeleton.joints[part->joint].inverse_bind;
}

// The points themselves if a piece is stored as in the character; else NULL.
static const sup_vec3* stored_as_is(const sup_mesh* mesh, const gltf_piece* p, const sup_affine* space)
{
    const sup_affine still = affine_identity();
    uint32_t         first = p->count ? mesh->vertex_points[p->begin] : 0;
    if (memcmp(space, &still, sizeof still) != 0) return NULL;
    for (uint32_t v = 0; v < p->count; ++v)
        if (mesh->vertex_points[p->begin + v] != first + v) return NULL;
    return mesh->points + first;
}

static sup_vec3 vertex_normal(const gltf_maker* m, uint32_t vertex)
{
    const sup_mesh* mesh = &m->character->mesh;
    if (mesh->vertex_normals && v3_length2(mesh->vertex_normals[vertex]) > 0) return mesh->vertex_normals[vertex];
    return m->normals[mesh->vertex_points[vertex]];
}

void gltf_shape_write(gltf_maker* m, const gltf_piece* p, sup_json* attributes)
{
    const sup_mesh* mesh = &m->character->mesh;
    sup_affine      space = part_space(m, p->part), back;
    const sup_vec3* as_is = stored_as_is(mesh, p, &space);
    sup_vec3*       positions = as_is ? NULL : gltf_make(m, p->count, sizeof *positions);
    sup_vec3*       normals = gltf_make(m, p->count, sizeof *normals);
    if ((!positions && !as_is) || !normals) return;
    if (!affine_invert(&space, &back)) back = affine_identity();
    for (uint32_t v = 0; positions && v < p->count; ++v)
        positions[v] = affine_point(&space, mesh->points[mesh->vertex_points[p->begin + v]]);
    for (uint32_t v = 0; v < p->count; ++v) {
        // Normals transform by the inverse transpose, here the transpose of the inverse map.
        sup_vec3 n = vertex_normal(m, p->begin + v);
        sup_vec3 turned = v3(back.m[0][0] * n.x + back.m[1][0] * n.y + back.m[2][0] * n.z,
                             back.m[0][1] * n.x + back.m[1][1] * n.y + back.m[2][1] * n.z,
                             back.m[0][2] * n.x + back.m[1][2] * n.y + back.m[2][2] * n.z);
        normals[v] = v3_normalize(turned, v3(0, 1, 0));
    }
    gltf_edit_number(&m->edit, attributes, "POSITION",
                     gltf_edit_floats(&m->edit, as_is ? &as_is->x : &positions->x, p->count, 3, GLTF_ARRAY_BUFFER, true));
    gltf_edit_number(&m->edit, attributes, "NORMAL",
                     gltf_edit_floats(&m->edit, &normals->x, p->count, 3, GLTF_ARRAY_BUFFER, false));
}

// Influences in sets of four: JOINTS_0 and WEIGHTS_0, JOINTS_1 and WEIGHTS_1, ...
void gltf_weights_write(gltf_maker* m, const gltf_piece* p, sup_json* attributes)
{
    const sup_character* c = m->character;
    uint32_t             most = 0;
    for (uint32_t i = p->part->point_begin; i < p->part->point_begin + p->part->point_count; ++i) {
        uint32_t count = c->weights.begin[i + 1] - c->weights.begin[i];
        if (count > most) most = count;
    }
    if (m->influences && most > m->influences) most = m->influences;
    bool narrow = c->skeleton.joint_count <= SLOT_BYTE_MAX;
    for (uint32_t set = 0; set * SET < most; ++set) {
        uint8_t* joints = gltf_make(m, p->count, SET * (narrow ? 1 : 2));
        float*   weights = gltf_make(m, (size_t)p->count * SET, sizeof *weights);
        if (!joints || !weights) return;
        for (uint32_t v = 0; v < p->count; ++v) {
            uint32_t point = c->mesh.vertex_points[p->begin + v], begin = c->weights.begin[point];
            uint32_t count = c->weights.begin[point + 1] - begin;
            double   sum = 0;
            if (count > most) count = most;
            for (uint32_t i = 0; i < count; ++i) sum += (double)c->weights.values[begin + i];
            for (uint32_t k = 0; k < SET && set * SET + k < count; ++k) {
                uint32_t i = begin + set * SET + k, slot = m->slots[c->weights.joints[i]];
                weights[v * SET + k] = (float)((double)c->weights.values[i] / sum);
                if (weights[v * SET + k] == 0) continue; // with a zero weight the joint must be 0
                if (narrow) joints[v * SET + k] = (uint8_t)slot;
                else ((uint16_t*)(void*)joints)[v * SET + k] = (uint16_t)slot;
            }
        }
        char          name[32];
        uint32_t      bytes = SET * (narrow ? 1 : 2);
        uint32_t      view = gltf_edit_view(&m->edit, joints, (uint64_t)p->count * bytes, 0, GLTF_ARRAY_BUFFER);
        gltf_accessor what = { .count = p->count,
                               .components = SET,
                               .component_type = narrow ? GLTF_UBYTE : GLTF_USHORT,
                               .data = joints,
                               .stride = bytes };
        sup_format(name, sizeof name, "JOINTS_%u", set);
        gltf_edit_number(&m->edit, attributes, name, gltf_edit_accessor(&m->edit, view, 0, &what, NULL));
        sup_format(name, sizeof name, "WEIGHTS_%u", set);
        gltf_edit_number(&m->edit, attributes, name,
                         gltf_edit_floats(&m->edit, weights, p->count, SET, GLTF_ARRAY_BUFFER, false));
    }
}

void gltf_maps_write(gltf_edit* edit, const sup_character* c, uint32_t first, uint32_t count, sup_json* attributes)
{
    for (uint32_t i = 0; i < c->map_count; ++i) {
        // Custom attributes must begin with an underscore.
        if (c->maps[i].name[0] != '_') continue;
        float* values = SUP_NEW(edit->arena, float, count);
        edit->failed |= !values;
        if (edit->failed) return;
        for (uint32_t v = 0; v < count; ++v) values[v] = c->maps[i].values[c->mesh.vertex_points[first + v]];
        gltf_edit_number(edit, attributes, c->maps[i].name, gltf_edit_floats(edit, values, count, 1, GLTF_ARRAY_BUFFER, false));
    }
}

void gltf_morphs_write(gltf_maker* m, const gltf_piece* p, sup_json* mesh, sup_json* primitive)
{
    const sup_character* c = m->character;
    const sup_part*      part = p->part;
    if (part->morph_count == 0) return;
    sup_affine space = part_space(m, p->part);
    sup_json*  targets = gltf_edit_array(&m->edit, primitive, "targets");
    bool       named = gltf_edit_get(mesh, "weights") != NULL; // written with an earlier piece
    sup_json*  weights = gltf_edit_array(&m->edit, mesh, "weights");
    sup_json*  names = gltf_edit_array(&m->edit, gltf_edit_object(&m->edit, mesh, "extras"), "targetNames");
    for (uint32_t i = 0; i < part->morph_count; ++i) {
        const sup_morph* morph = &c->morphs[part->morph_begin + i];
        sup_vec3*        deltas = gltf_make(m, p->count, sizeof *deltas);
        if (!deltas) return;
        for (uint32_t v = 0; v < p->count; ++v)
            deltas[v] = affine_direction(&space, morph->deltas[c->mesh.vertex_points[p->begin + v] - part->point_begin]);
        sup_json* target = gltf_edit_new(&m->edit, SUP_JSON_OBJECT);
        gltf_edit_number(&m->edit, target, "POSITION",
                         gltf_edit_floats(&m->edit, &deltas->x, p->count, 3, GLTF_ARRAY_BUFFER, true));
        if (targets && target) sup_json_push(targets, target);
        if (named) continue;
        gltf_edit_push_number(&m->edit, weights, (double)morph->rest_weight);
        gltf_edit_push_string(&m->edit, names, morph->name ? morph->name : "");
    }
}

// The appearance from the source: texture coordinates, colors, and the point that each stored vertex belongs to.
static void write_appearance(gltf_maker* m, const gltf_piece* p, sup_json* attributes)
{
    const appearance* d = m->appearance;
    const sup_mesh* mesh = &m->character->mesh;
    const uint32_t* points = mesh->vertex_points + p->begin;
    if (d->uvs)
        gltf_edit_number(&m->edit, attributes, "TEXCOORD_0",
                         gltf_edit_floats(&m->edit, d->uvs + 2 * (size_t)p->begin, p->count, 2, GLTF_ARRAY_BUFFER, false));
    if (d->colors) {
        float* colors = gltf_make(m, 4 * (size_t)p->count, sizeof *colors);
        for (uint32_t v = 0; colors && v < p->count; ++v)
            memcpy(colors + 4 * (size_t)v, d->colors + 4 * (size_t)points[v], 4 * sizeof *colors);
        gltf_edit_number(&m->edit, attributes, "COLOR_0",
                         gltf_edit_floats(&m->edit, colors, p->count, 4, GLTF_ARRAY_BUFFER, false));
    }
    // Floats hold these whole numbers exactly; glTF allows no wider type for custom attributes.
    if (mesh->point_count == mesh->vertex_count || mesh->point_count > POINT_MAX) return;
    float* ids = gltf_make(m, p->count, sizeof *ids);
    for (uint32_t v = 0; ids && v < p->count; ++v) ids[v] = (float)(points[v] - p->part->point_begin);
    gltf_edit_number(&m->edit, attributes, "_POINT", gltf_edit_floats(&m->edit, ids, p->count, 1, GLTF_ARRAY_BUFFER, false));
}

static void write_primitive(gltf_maker* m, const gltf_piece* p, uint32_t indices, uint32_t material, sup_json* mesh)
{
    sup_json* primitive = gltf_edit_new(&m->edit, SUP_JSON_OBJECT);
    sup_json* primitives = gltf_edit_array(&m->edit, mesh, "primitives");
    if (primitives && primitive) sup_json_push(primitives, primitive);
    sup_json* attributes = gltf_edit_object(&m->edit, primitive, "attributes");
    gltf_edit_number(&m->edit, primitive, "indices", indices);
    gltf_edit_number(&m->edit, primitive, "material", material);
    if (has_polygons(&m->character->mesh, p)) gltf_ngon_mark(&m->edit, primitive);
    gltf_shape_write(m, p, attributes);
    if (p->part->joint == SUP_NONE && m->skin != SUP_NONE) gltf_weights_write(m, p, attributes);
    gltf_maps_write(&m->edit, m->character, p->begin, p->count, attributes);
    if (m->appearance) write_appearance(m, p, attributes);
    gltf_morphs_write(m, p, mesh, primitive);
}

// ---------------------------------------------------------------------------------------------- materials

static uint32_t write_picture(gltf_maker* m, const appearance_picture* picture)
{
    // The same picture twice is one texture.
    uint32_t        index = 0;
    const sup_json* images = gltf_edit_get(m->edit.root, "images");
    for (const sup_json* i = images ? images->first : NULL; i; i = i->next, ++index)
        if (strcmp(sup_json_string(sup_json_get(i, "name"), ""), picture->path) == 0) return index;
    sup_json* image = gltf_edit_new(&m->edit, SUP_JSON_OBJECT);
    gltf_edit_string(&m->edit, image, "name", picture->path);
    gltf_edit_number(&m->edit, image, "bufferView", gltf_edit_view(&m->edit, picture->bytes.data, picture->bytes.size, 0, 0));
    gltf_edit_string(&m->edit, image, "mimeType", gltf_image_kind(picture->bytes));
    sup_json* texture = gltf_edit_new(&m->edit, SUP_JSON_OBJECT);
    gltf_edit_number(&m->edit, texture, "source", gltf_edit_add(&m->edit, "images", image));
    return gltf_edit_add(&m->edit, "textures", texture);
}

// from NULL: clay color, or plain white below vertex colors.
static uint32_t write_material(gltf_maker* m, const appearance_material* from)
{
    static const appearance_material clay = { .name = "clay", .color = { 0.75f, 0.6f, 0.5f, 1 }, .roughness = 0.8f };
    static const appearance_material white = { .name = "colors", .color = { 1, 1, 1, 1 }, .roughness = 0.8f };
    if (!from) from = m->appearance && m->appearance->colors ? &white : &clay;
    sup_json* material = gltf_edit_new(&m->edit, SUP_JSON_OBJECT);
    sup_json* surface = gltf_edit_object(&m->edit, material, "pbrMetallicRoughness");
    float     color[4];
    memcpy(color, from->color, sizeof color);
    if (from->name[0]) gltf_edit_string(&m->edit, material, "name", from->name);
    bool textured = from->picture && m->appearance->uvs, bumped = from->normals && m->appearance->uvs;
    if (textured) {
        // In OBJ the picture replaces the color, in glTF they are multiplied.
        color[0] = color[1] = color[2] = 1;
        gltf_edit_number(&m->edit, gltf_edit_object(&m->edit, surface, "baseColorTexture"), "index",
                         write_picture(m, from->picture));
    }
    gltf_edit_numbers(&m->edit, surface, "baseColorFactor", color, 4);
    gltf_edit_number(&m->edit, surface, "metallicFactor", (double)from->metal);
    gltf_edit_number(&m->edit, surface, "roughnessFactor", (double)from->roughness);
    if (bumped)
        gltf_edit_number(&m->edit, gltf_edit_object(&m->edit, material, "normalTexture"), "index",
                         write_picture(m, from->normals));
    if (from->glow[0] > 0 || from->glow[1] > 0 || from->glow[2] > 0)
        gltf_edit_numbers(&m->edit, material, "emissiveFactor", from->glow, 3);
    if (color[3] < 1) gltf_edit_string(&m->edit, material, "alphaMode", "BLEND");
    return gltf_edit_add(&m->edit, "materials", material);
}

// The material of a piece, written on first use.
static uint32_t find_material(gltf_maker* m, uint32_t index, uint32_t* written)
{
    const appearance_piece* pieces = m->appearance ? m->appearance->pieces : NULL;
    for (uint32_t i = 0; i < index; ++i)
        if (written[i] != SUP_NONE && pieces[i].material == pieces[index].material) return written[index] = written[i];
    return written[index] = write_material(m, pieces ? pieces[index].material : NULL);
}

// ---------------------------------------------------------------------------------------------- parts

// Mesh and primitives of one part; false if it has no faces and so nothing to show.
static bool write_mesh(gltf_maker* m, const sup_part* part, gltf_part* out, uint32_t* written)
{
    uint32_t        count = m->appearance ? m->appearance->piece_count : 1;
    gltf_primitive* primitives = gltf_make(m, count, sizeof *primitives);
    sup_json*       mesh = gltf_edit_new(&m->edit, SUP_JSON_OBJECT);
    if (!primitives) return false;
    if (part->name && *part->name) gltf_edit_string(&m->edit, mesh, "name", part->name);
    for (uint32_t i = 0; i < count; ++i) {
        gltf_piece p = { .part = part, .index = i, .begin = part->vertex_begin, .count = part->vertex_count };
        if (m->appearance) {
            p.begin = m->appearance->pieces[i].vertex_begin;
            p.count = m->appearance->pieces[i].vertex_count;
            p.face_pieces = m->appearance->face_pieces;
        }
        uint32_t indices = write_indices(m, &p);
        if (indices == SUP_NONE) continue;
        primitives[out->primitive_count] = (gltf_primitive){ out->primitive_count, p.begin - part->vertex_begin, p.count };
        out->primitive_count++;
        write_primitive(m, &p, indices, find_material(m, i, written), mesh);
    }
    out->primitives = primitives;
    if (out->primitive_count) out->mesh = gltf_edit_add(&m->edit, "meshes", mesh);
    return out->primitive_count > 0;
}

void gltf_parts_write(gltf_maker* m)
{
    const sup_mesh* mesh = &m->character->mesh;
    uint32_t        pieces = m->appearance ? m->appearance->piece_count : 1;
    m->parts = gltf_make(m, mesh->part_count, sizeof *m->parts);
    m->part_nodes = gltf_make(m, mesh->part_count, sizeof *m->part_nodes);
    uint32_t* written = gltf_make(m, pieces, sizeof *written);
    if (m->edit.failed) return;
    for (uint32_t i = 0; i < pieces; ++i) written[i] = SUP_NONE;
    sup_json* scene = gltf_edit_get(gltf_edit_get(m->edit.root, "scenes")->first, "nodes");
    for (uint32_t p = 0; p < mesh->part_count; ++p) {
        const sup_part* part = &mesh->parts[p];
        gltf_part*      out = &m->parts[p];
        m->part_nodes[p] = SUP_NONE;
        *out = (gltf_part){ .node = SUP_NONE, .mesh = SUP_NONE, .skin = SUP_NONE };
        if (!write_mesh(m, part, out, written)) continue; // a point cloud has nothing to show
        sup_json* node = gltf_named_node(m, part->name, &m->part_nodes[p]);
        out->node = m->part_nodes[p];
        gltf_edit_number(&m->edit, node, "mesh", out->mesh);
        if (part->joint == SUP_NONE) {
            // Skins ignore the nodes above their mesh, so it goes beside the joints.
            out->skin = m->skin;
            gltf_edit_number(&m->edit, node, "skin", m->skin);
            gltf_edit_push_number(&m->edit, scene, m->part_nodes[p]);
        } else if (m->joints) {
            gltf_edit_push_number(&m->edit, gltf_edit_array(&m->edit, m->joints[part->joint], "children"), m->part_nodes[p]);
        }
    }
}
