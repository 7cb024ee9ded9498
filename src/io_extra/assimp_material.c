// Materials: base color, its picture, opacity. Pictures are embedded in the file or beside it; glTF supports PNG and JPEG.
#include "io_extra/assimp.h"

#include "io/path.h"

#include <assimp/material.h>
#include <math.h>
#include <string.h>

typedef struct picture {
    const char* path;
    uint32_t    texture; // SUP_NONE: not available
} picture;

typedef struct album {
    assimp_reader* r;
    uint32_t       count, capacity;
    picture*       pictures;
} album;

// ---------------------------------------------------------------------------------------------- pictures

// "*3", or the name under which FBX embeds it.
static const struct aiTexture* find_embedded(const struct aiScene* scene, const char* path)
{
    if (path[0] == '*') {
        uint32_t index = 0;
        for (const char* c = path + 1; *c >= '0' && *c <= '9' && index < 1000000; ++c)
            index = 10 * index + (uint32_t)(*c - '0');
        return index < scene->mNumTextures ? scene->mTextures[index] : NULL;
    }
    const char* name = path + sup_path_folder(path);
    for (uint32_t i = 0; i < scene->mNumTextures; ++i) {
        const char* own = scene->mTextures[i]->mFilename.data;
        if (own[0] && strcmp(own + sup_path_folder(own), name) == 0) return scene->mTextures[i];
    }
    return NULL;
}

// The path as given, else its name beside the file or in a texture folder: paths in files refer to the author's disk.
static bool find_outside(assimp_reader* r, const char* path, sup_bytes* out)
{
    static const char* const folders[] = { "", "textures/", "Textures/", "images/" };
    if (strncmp(path, "file://", 7) == 0) path += 7;
    if (assimp_file_read(r->in, path, r->keep, out)) return true;
    const char* name = path + sup_path_folder(path);
    for (size_t i = 0; i < SUP_COUNT_OF(folders) && name[0]; ++i) {
        char beside[1200];
        sup_format(beside, sizeof beside, "%s%s", folders[i], name);
        if (assimp_file_read(r->in, beside, r->keep, out)) return true;
    }
    return false;
}

static bool find_bytes(assimp_reader* r, const char* path, sup_bytes* out)
{
    const struct aiTexture* embedded = find_embedded(r->scene, path);
    if (!embedded) {
        if (find_outside(r, path, out)) return true;
        assimp_warn(r, "the texture '%.200s' is not beside the file and is left out; put it there or into a folder 'textures'",
                    path);
        return false;
    }
    if (embedded->mHeight != 0) {
        assimp_warn(r, "the texture '%.200s' is embedded as raw pixels; it is left out", path);
        return false;
    }
    out->size = embedded->mWidth;
    out->data = sup_arena_copy(r->keep, embedded->pcData, out->size, 1);
    return out->data != NULL;
}

static uint32_t add_texture(assimp_reader* r, const char* path)
{
    sup_bytes bytes;
    if (!find_bytes(r, path, &bytes)) return SUP_NONE;
    const char* kind = gltf_image_kind(bytes);
    if (!kind || (strcmp(kind, "image/png") != 0 && strcmp(kind, "image/jpeg") != 0)) {
        assimp_warn(r, "the texture '%.200s' is neither PNG nor JPEG, the formats of glTF, and is left out; convert it",
                    path);
        return SUP_NONE;
    }
    sup_json* image = gltf_edit_new(&r->edit, SUP_JSON_OBJECT);
    if (path[0] != '*') gltf_edit_string(&r->edit, image, "name", path + sup_path_folder(path));
    gltf_edit_number(&r->edit, image, "bufferView", gltf_edit_view(&r->edit, bytes.data, bytes.size, 0, 0));
    gltf_edit_string(&r->edit, image, "mimeType", kind);
    sup_json* texture = gltf_edit_new(&r->edit, SUP_JSON_OBJECT);
    gltf_edit_number(&r->edit, texture, "source", gltf_edit_add(&r->edit, "images", image));
    return gltf_edit_add(&r->edit, "textures", texture);
}

static uint32_t find_texture(album* a, const char* path)
{
    for (uint32_t i = 0; i < a->count; ++i)
        if (strcmp(a->pictures[i].path, path) == 0) return a->pictures[i].texture;
    uint32_t texture = add_texture(a->r, path);
    if (a->count < a->capacity) a->pictures[a->count++] = (picture){ path, texture };
    return texture;
}

// ---------------------------------------------------------------------------------------------- materials

static bool get_color(const struct aiMaterial* from, const char* key, float out[4])
{
    struct aiColor4D color;
    if (aiGetMaterialColor(from, key, 0, 0, &color) != aiReturn_SUCCESS) return false;
    const float values[4] = { color.r, color.g, color.b, 1 };
    for (int i = 0; i < 4; ++i) out[i] = values[i] >= 0 ? fminf(values[i], 1) : 0;
    return true;
}

static float get_factor(const struct aiMaterial* from, const char* key, float fallback)
{
    ai_real value;
    bool    found = aiGetMaterialFloatArray(from, key, 0, 0, &value, NULL) == aiReturn_SUCCESS;
    return found && value >= 0 && value <= 1 ? (float)value : fallback;
}

static uint32_t base_texture(album* a, const struct aiMaterial* from, uint32_t* set)
{
    static const enum aiTextureType types[] = { aiTextureType_BASE_COLOR, aiTextureType_DIFFUSE };
    for (size_t i = 0; i < SUP_COUNT_OF(types); ++i) {
        struct aiString path;
        unsigned        uv = 0;
        if (aiGetMaterialTexture(from, types[i], 0, &path, NULL, &uv, NULL, NULL, NULL, NULL) != aiReturn_SUCCESS) continue;
        *set = uv;
        return find_texture(a, assimp_text(a->r, &path));
    }
    return SUP_NONE;
}

static void add_material(album* a, uint32_t index)
{
    const struct aiMaterial* from = a->r->scene->mMaterials[index];
    gltf_edit*               edit = &a->r->edit;
    sup_json*                material = gltf_edit_new(edit, SUP_JSON_OBJECT);
    struct aiString          name;
    if (aiGetMaterialString(from, AI_MATKEY_NAME, &name) == aiReturn_SUCCESS && name.length)
        gltf_edit_string(edit, material, "name", assimp_text(a->r, &name));
    float color[4] = { 0.75f, 0.6f, 0.5f, 1 };
    if (!get_color(from, "$clr.base", color)) get_color(from, "$clr.diffuse", color);
    uint32_t  set = 0, texture = base_texture(a, from, &set);
    sup_json* surface = gltf_edit_object(edit, material, "pbrMetallicRoughness");
    if (texture != SUP_NONE) {
        // Elsewhere the picture replaces the color, in glTF they are multiplied.
        color[0] = color[1] = color[2] = 1;
        sup_json* use = gltf_edit_object(edit, surface, "baseColorTexture");
        gltf_edit_number(edit, use, "index", texture);
        if (set >= AI_MAX_NUMBER_OF_TEXTURECOORDS) set = 0;
        if (set) gltf_edit_number(edit, use, "texCoord", set);
        a->r->texture_sets[index] = set + 1;
    }
    color[3] = get_factor(from, "$mat.opacity", 1);
    if (color[3] == 0) color[3] = 1; // exporters that mean the opposite; nobody bakes what is invisible
    gltf_edit_numbers(edit, surface, "baseColorFactor", color, 4);
    gltf_edit_number(edit, surface, "metallicFactor", (double)get_factor(from, "$mat.metallicFactor", 0));
    gltf_edit_number(edit, surface, "roughnessFactor", (double)get_factor(from, "$mat.roughnessFactor", 0.8f));
    if (color[3] < 1) gltf_edit_string(edit, material, "alphaMode", "BLEND");
    int two_sided = 0;
    if (aiGetMaterialIntegerArray(from, AI_MATKEY_TWOSIDED, &two_sided, NULL) == aiReturn_SUCCESS && two_sided)
        gltf_edit_put(edit, material, "doubleSided", gltf_edit_new(edit, SUP_JSON_TRUE));
    gltf_edit_add(edit, "materials", material);
}

sup_result assimp_materials_make(assimp_reader* r)
{
    album a = { .r = r, .capacity = r->scene->mNumMaterials };
    a.pictures = SUP_NEW(r->work, picture, a.capacity);
    r->texture_sets = SUP_NEW(r->work, uint32_t, a.capacity);
    if (!a.pictures || !r->texture_sets) return sup_fail_memory(r->error, "the materials");
    for (uint32_t i = 0; i < r->scene->mNumMaterials; ++i) add_material(&a, i);
    return r->edit.failed ? sup_fail_memory(r->error, "the materials") : SUP_OK;
}
