// Materials of USD meshes: texture coordinates, colors of points, and UsdPreviewSurface materials with the pictures of base
// colors in files beside the stage.
#include "io/usd/usda.h"

#include "io/gltf/gltf.h"
#include "io/path.h"

// ---------------------------------------------------------------------------------------------- finding

static float number_at(const sup_json* array, uint32_t index, float otherwise)
{
    double value = sup_json_number(sup_json_at(array, index), (double)otherwise);
    return value >= 0 && value <= 1e6 ? (float)value : otherwise;
}

static void read_gltf_material(const sup_json* material, usda_material* out)
{
    const sup_json* surface = sup_json_get(material, "pbrMetallicRoughness");
    const sup_json* color = sup_json_get(surface, "baseColorFactor");
    const sup_json* glow = sup_json_get(material, "emissiveFactor");
    for (uint32_t i = 0; i < 4; ++i) out->color[i] = number_at(color, i, 1);
    for (uint32_t i = 0; i < 3; ++i) out->glow[i] = number_at(glow, i, 0);
    out->metal = (float)sup_json_number(sup_json_get(surface, "metallicFactor"), 1);
    out->roughness = (float)sup_json_number(sup_json_get(surface, "roughnessFactor"), 1);
}

// The material of each face, by the primitive that its first corner's vertex belongs to.
static void find_gltf_faces(const gltf_source* source, const sup_mesh* mesh, uint32_t material_count, uint32_t* faces)
{
    for (uint32_t p = 0; p < mesh->part_count && p < source->part_count; ++p) {
        const sup_part*  part = &mesh->parts[p];
        const gltf_part* from = &source->parts[p];
        const sup_json*  primitives = sup_json_get(sup_json_at(sup_json_get(source->root, "meshes"), from->mesh), "primitives");
        for (uint32_t k = 0; k < from->primitive_count; ++k) {
            const gltf_primitive* at = &from->primitives[k];
            uint32_t material = sup_json_index(sup_json_get(sup_json_at(primitives, at->primitive), "material"), SUP_NONE);
            uint32_t begin = part->vertex_begin + at->vertex_begin, end = begin + at->vertex_count;
            for (uint32_t f = part->face_begin; f < part->face_begin + part->face_count && material < material_count; ++f) {
                uint32_t vertex = mesh->corner_vertices[mesh->face_begin[f]];
                if (vertex >= begin && vertex < end) faces[f] = material;
            }
        }
    }
}

static sup_result find_gltf_materials(usda_stage* s, sup_bake* bake, const gltf_source* source, sup_error* error)
{
    const sup_json* materials = sup_json_get(source->root, "materials");
    uint32_t        i = 0;
    s->material_count = materials && materials->type == SUP_JSON_ARRAY ? materials->count : 0;
    s->materials = SUP_NEW(bake->arena, usda_material, s->material_count);
    char(*names)[SUP_IDENTIFIER] = sup_arena_alloc(bake->arena, s->material_count, sizeof *names);
    if (!s->materials || !names) return sup_fail_memory(error, "materials");
    for (const sup_json* m = s->material_count ? materials->first : NULL; m; m = m->next, ++i) {
        read_gltf_material(m, &s->materials[i]);
        sup_identifier(sup_json_string(sup_json_get(m, "name"), ""), "Material", (const char(*)[SUP_IDENTIFIER])names, i,
                       names[i]);
        s->materials[i].name = names[i];
    }
    find_gltf_faces(source, &bake->desc.character->mesh, s->material_count, s->face_materials);
    return SUP_OK;
}

static sup_result find_appearance_materials(usda_stage* s, sup_bake* bake, sup_error* error)
{
    const appearance* d = s->appearance;
    const sup_mesh* mesh = &bake->desc.character->mesh;
    s->materials = SUP_NEW(bake->arena, usda_material, d->piece_count);
    char(*names)[SUP_IDENTIFIER] = sup_arena_alloc(bake->arena, d->piece_count, sizeof *names);
    uint32_t*              of_piece = SUP_NEW(bake->arena, uint32_t, d->piece_count);
    const appearance_material** met = SUP_NEW(bake->arena, const appearance_material*, d->piece_count);
    if (!s->materials || !names || !of_piece || !met) return sup_fail_memory(error, "materials");
    for (uint32_t i = 0; i < d->piece_count; ++i) {
        const appearance_material* m = d->pieces[i].material;
        uint32_t              k = 0;
        of_piece[i] = SUP_NONE;
        if (!m) continue;
        while (k < s->material_count && met[k] != m) ++k;
        of_piece[i] = k;
        if (k < s->material_count) continue;
        usda_material* material = &s->materials[s->material_count++];
        met[k] = m;
        *material = (usda_material){ .roughness = m->roughness, .metal = m->metal };
        memcpy(material->color, m->color, sizeof material->color);
        memcpy(material->glow, m->glow, sizeof material->glow);
        if (m->picture) material->color[0] = material->color[1] = material->color[2] = 1; // a picture replaces the color
        sup_identifier(m->name, "Material", (const char(*)[SUP_IDENTIFIER])names, k, names[k]);
        material->name = names[k];
    }
    for (uint32_t f = 0; f < mesh->face_count; ++f) s->face_materials[f] = of_piece[d->face_pieces ? d->face_pieces[f] : 0];
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- pictures

// For "walk.usda" and its second picture: "walk_texture2.0123456789abcdef.png" with the hash of its bytes, so that an old stage
// never shows a new picture. NULL: neither PNG nor JPEG, or out of memory.
static char* picture_path(sup_bake* bake, uint32_t number, sup_bytes bytes)
{
    char words[48], digits[17];
    bool png = bytes.size > 4 && memcmp(bytes.data, "\x89PNG", 4) == 0;
    bool jpeg = bytes.size > 3 && memcmp(bytes.data, "\xff\xd8\xff", 3) == 0;
    sup_hash_digits(sup_hash(SUP_HASH_START, bytes.data, bytes.size), digits);
    sup_format(words, sizeof words, "texture%u.%s", number + 1, digits);
    char* path = png || jpeg ? sup_bake_path(bake, words) : NULL;
    if (path) strcpy(strrchr(path, '.'), png ? ".png" : ".jpg"); // shorter than ".usda"
    return path;
}

static sup_result write_pictures(usda_stage* s, sup_bake* bake, sup_error* error)
{
    const sup_mesh* mesh = &bake->desc.character->mesh;
    sup_paint       paint;
    sup_result      result = sup_character_paint(bake->desc.character, bake->arena, &paint, error);
    if (result != SUP_OK || paint.picture_count == 0) return result;
    const char** paths = SUP_NEW(bake->arena, const char*, paint.picture_count);
    bool*        looked = SUP_NEW(bake->arena, bool, s->material_count);
    if (!paths || !looked) return sup_fail_memory(error, "pictures");
    for (uint32_t f = 0; f < mesh->face_count; ++f) {
        uint32_t corner = mesh->face_begin[f], material = s->face_materials[f];
        if (material == SUP_NONE || looked[material]) continue;
        looked[material] = true;
        uint32_t entry = paint.corner_entries ? paint.corner_entries[corner] : mesh->corner_vertices[corner];
        uint32_t number = paint.vertex_pictures[entry];
        if (number == SUP_NONE) continue;
        if (!paths[number]) {
            sup_bytes     bytes = paint.pictures[number].bytes;
            sup_out_file* file;
            paths[number] = picture_path(bake, number, bytes);
            if (!paths[number]) {
                sup_bake_warn(bake,
                              "texture '%.100s' is missing or neither PNG nor JPEG; its material only has the color factor",
                              paint.pictures[number].name);
                continue;
            }
            result = sup_bake_open(bake, paths[number], NULL, (size_t)1 << 16, &file, error);
            if (result == SUP_OK) result = sup_out_write(file, bytes.data, bytes.size, error);
            if (result != SUP_OK) return result;
        }
        s->materials[material].picture = paths[number] + sup_path_own_folder(paths[number]);
    }
    return SUP_OK;
}

sup_result usda_material_find(usda_stage* s, sup_bake* bake, sup_error* error)
{
    const sup_character* character = bake->desc.character;
    const gltf_source*   source = gltf_source_of(character);
    s->face_materials = SUP_NEW(bake->arena, uint32_t, character->mesh.face_count);
    if (!s->face_materials) return sup_fail_memory(error, "materials");
    for (uint32_t f = 0; f < character->mesh.face_count; ++f) s->face_materials[f] = SUP_NONE;
    sup_result result = text_uvs(character, bake->arena, &s->uvs, &s->parts_with, error);
    if (result == SUP_OK && !source) result = appearance_make(character, bake->arena, &s->appearance, error);
    if (result == SUP_OK && source) result = find_gltf_materials(s, bake, source, error);
    if (result == SUP_OK && s->appearance) result = find_appearance_materials(s, bake, error);
    return result == SUP_OK && s->material_count ? write_pictures(s, bake, error) : result;
}

// ---------------------------------------------------------------------------------------------- writing

static void put_pair(text_out* t, float u, float v)
{
    text_put(t, "(");
    text_float(t, u);
    text_put(t, ", ");
    text_float(t, v);
    text_put(t, ")");
}

static void put_color(text_out* t, const char* attribute, const float color[3])
{
    text_put(t, attribute);
    text_put(t, " = (");
    text_vec3(t, (sup_vec3){ color[0], color[1], color[2] }, ", ");
    text_put(t, ")\n");
}

// Corners of one point may have different texture coordinates: a list of coordinates, and an index for each corner.
static void put_corner_coordinates(usda_stage* s, const sup_mesh* mesh)
{
    text_out*    t = &s->text;
    const float* uvs = s->appearance->uvs;
    text_put(t, "        texCoord2f[] primvars:st = [");
    for (uint32_t v = 0; v < s->appearance->character.mesh.vertex_count; ++v) {
        if (v) text_put(t, ", ");
        put_pair(t, uvs[2 * (size_t)v], 1 - uvs[2 * (size_t)v + 1]);
    }
    text_put(t, "] (\n            interpolation = \"faceVarying\"\n        )\n        int[] primvars:st:indices = [");
    for (uint32_t c = 0; c < mesh->corner_count; ++c) {
        if (c) text_put(t, ", ");
        text_index(t, s->appearance->character.mesh.corner_vertices[c]);
    }
    text_put(t, "]\n");
}

static void put_vertex_coordinates(text_out* t, const sup_part* part, const float* uvs)
{
    text_put(t, "        texCoord2f[] primvars:st = [");
    for (uint32_t v = 0; v < part->vertex_count; ++v) {
        if (v) text_put(t, ", ");
        put_pair(t, uvs[2 * (size_t)v], uvs[2 * (size_t)v + 1]);
    }
    text_put(t, "] (\n            interpolation = \"vertex\"\n        )\n");
}

static void put_point_colors(usda_stage* s, const sup_mesh* mesh)
{
    text_put(&s->text, "        color3f[] primvars:displayColor = [");
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        const float* color = s->appearance->colors + 4 * (size_t)mesh->vertex_points[v];
        text_put(&s->text, v ? ", (" : "(");
        text_vec3(&s->text, (sup_vec3){ color[0], color[1], color[2] }, ", ");
        text_put(&s->text, ")");
    }
    text_put(&s->text, "] (\n            interpolation = \"vertex\"\n        )\n");
}

// The single material of a part's faces; SUP_NONE: none or several, which become subsets.
static uint32_t only_material(const usda_stage* s, const sup_part* part)
{
    uint32_t material = part->face_count ? s->face_materials[part->face_begin] : SUP_NONE;
    for (uint32_t f = 1; f < part->face_count; ++f)
        if (s->face_materials[part->face_begin + f] != material) return SUP_NONE;
    return material;
}

bool usda_material_binds(const usda_stage* s, const sup_part* part) { return only_material(s, part) != SUP_NONE; }

static void put_subsets(usda_stage* s, const sup_part* part)
{
    for (uint32_t material = 0; material < s->material_count; ++material) {
        bool any = false;
        for (uint32_t f = 0; f < part->face_count; ++f) {
            if (s->face_materials[part->face_begin + f] != material) continue;
            if (!any)
                text_format(
                    &s->text,
                    "        def GeomSubset \"%s\" (\n            prepend apiSchemas = [\"MaterialBindingAPI\"]\n        )\n"
                    "        {\n            uniform token elementType = \"face\"\n            uniform token familyName = "
                    "\"materialBind\"\n            int[] indices = [",
                    s->materials[material].name);
            text_put(&s->text, any ? ", " : "");
            text_index(&s->text, f);
            any = true;
        }
        if (any)
            text_format(&s->text, "]\n            rel material:binding = </%s/Looks/%s>\n        }\n", s->root,
                        s->materials[material].name);
    }
}

void usda_material_mesh(usda_stage* s, const sup_bake* bake, uint32_t index)
{
    const sup_mesh* mesh = &bake->desc.character->mesh;
    const sup_part* part = &mesh->parts[index];
    if (s->uvs && s->parts_with[index]) put_vertex_coordinates(&s->text, part, s->uvs + 2 * (size_t)part->vertex_begin);
    if (s->appearance && s->appearance->uvs) put_corner_coordinates(s, mesh);
    if (s->appearance && s->appearance->colors) put_point_colors(s, mesh);
    uint32_t material = only_material(s, part);
    if (material != SUP_NONE)
        text_format(&s->text, "        rel material:binding = </%s/Looks/%s>\n", s->root, s->materials[material].name);
    else put_subsets(s, part);
}

static void put_picture(usda_stage* s, const usda_material* material)
{
    text_out*   t = &s->text;
    const char* mark = strchr(material->picture, '@') ? "@@@" : "@";
    text_put(t, "            def Shader \"Place\"\n            {\n                uniform token info:id = "
                "\"UsdPrimvarReader_float2\"\n                string inputs:varname = \"st\"\n                float2 "
                "outputs:result\n            }\n            def Shader \"Picture\"\n            {\n                uniform "
                "token info:id = \"UsdUVTexture\"\n                asset inputs:file = ");
    text_put(t, mark);
    text_put(t, material->picture);
    text_put(t, mark);
    text_format(t, "\n                float2 inputs:st.connect = </%s/Looks/%s/Place.outputs:result>\n", s->root,
                material->name);
    text_put(t, "                token inputs:wrapS = \"repeat\"\n                token inputs:wrapT = \"repeat\"\n"
                "                float4 inputs:scale = (");
    text_vec3(t, (sup_vec3){ material->color[0], material->color[1], material->color[2] }, ", ");
    text_put(t, ", 1)\n                float3 outputs:rgb\n            }\n");
}

static void put_material(usda_stage* s, const usda_material* material)
{
    text_out* t = &s->text;
    text_format(t, "        def Material \"%s\"\n        {\n", material->name);
    text_format(t, "            token outputs:surface.connect = </%s/Looks/%s/Surface.outputs:surface>\n", s->root,
                material->name);
    text_put(
        t,
        "            def Shader \"Surface\"\n            {\n                uniform token info:id = \"UsdPreviewSurface\"\n");
    if (material->picture)
        text_format(t, "                color3f inputs:diffuseColor.connect = </%s/Looks/%s/Picture.outputs:rgb>\n", s->root,
                    material->name);
    else put_color(t, "                color3f inputs:diffuseColor", material->color);
    put_color(t, "                color3f inputs:emissiveColor", material->glow);
    text_put(t, "                float inputs:metallic = ");
    text_float(t, material->metal);
    text_put(t, "\n                float inputs:opacity = ");
    text_float(t, material->color[3]);
    text_put(t, "\n                float inputs:roughness = ");
    text_float(t, material->roughness);
    text_put(t, "\n                token outputs:surface\n            }\n");
    if (material->picture) put_picture(s, material);
    text_put(t, "        }\n");
}

void usda_material_write(usda_stage* s)
{
    if (s->material_count == 0) return;
    text_put(&s->text, "\n    def Scope \"Looks\"\n    {\n");
    for (uint32_t i = 0; i < s->material_count; ++i) put_material(s, &s->materials[i]);
    text_put(&s->text, "    }\n");
}
