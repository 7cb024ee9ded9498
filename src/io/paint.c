// The pictures of base colors, and each stored vertex's position on them: of a glTF (and what assimp reads, which becomes one),
// and of an OBJ, whose vertices on seams have several positions.
#include "base/internal.h"
#include "io/appearance.h"
#include "io/gltf/gltf_reader.h"
#include "math/trig.h"

#include <math.h>
#include <string.h>

typedef struct painter {
    const gltf_source* source;
    sup_arena*         arena;
    sup_paint*         out;
    sup_picture*       pictures;
    uint32_t*          images; // of each picture
    uint32_t*          numbers;
    float*             uv;
} painter;

// Offset, rotation and scale of KHR_texture_transform.
typedef struct moved_uv {
    float offset[2], scale[2], sine, cosine;
} moved_uv;

static moved_uv read_transform(const sup_json* extension)
{
    moved_uv        t = { { 0, 0 }, { 1, 1 }, 0, 1 };
    double          angle = sup_json_number(sup_json_get(extension, "rotation"), 0);
    const sup_json* offset = sup_json_get(extension, "offset");
    const sup_json* scale = sup_json_get(extension, "scale");
    for (uint32_t i = 0; i < 2; ++i) {
        t.offset[i] = (float)sup_json_number(sup_json_at(offset, i), 0);
        t.scale[i] = (float)sup_json_number(sup_json_at(scale, i), 1);
    }
    if (fabs(angle) < 1e6) {
        t.sine = (float)sup_sin(angle);
        t.cosine = (float)sup_cos(angle);
    }
    return t;
}

// The bytes of an image inside the file or beside it; none if it was not found.
static sup_bytes image_bytes(painter* p, uint32_t image)
{
    const gltf_source* source = p->source;
    const sup_json* value = sup_json_at(sup_json_get(source->root, "images"), image);
    const sup_json* uri = sup_json_get(value, "uri");
    uint32_t        index = sup_json_index(sup_json_get(value, "bufferView"), SUP_NONE);
    sup_bytes       data = { NULL, 0 };
    sup_error       ignored;
    if (uri && uri->type == SUP_JSON_STRING && gltf_uri_is_data(uri->text, uri->length)) {
        bool good = gltf_uri_data(p->arena, uri->text, uri->length, "image", &data, &ignored) == SUP_OK;
        return good ? data : (sup_bytes){ NULL, 0 };
    }
    if (index >= source->view_count) return image < source->image_count ? source->images[image] : (sup_bytes){ NULL, 0 };
    const sup_json* view = source->views[index];
    uint32_t        buffer = sup_json_index(sup_json_get(view, "buffer"), SUP_NONE);
    uint64_t        at = sup_json_index(sup_json_get(view, "byteOffset"), 0);
    uint64_t        size = sup_json_index(sup_json_get(view, "byteLength"), 0);
    if (buffer >= source->buffer_count || !source->buffers[buffer].data || at + size > source->buffers[buffer].size)
        return (sup_bytes){ NULL, 0 };
    return (sup_bytes){ source->buffers[buffer].data + at, (size_t)size };
}

static const char* image_name(painter* p, uint32_t image)
{
    const sup_json* value = sup_json_at(sup_json_get(p->source->root, "images"), image);
    const char*     name = sup_json_string(sup_json_get(value, "name"), "");
    const char*     uri = sup_json_string(sup_json_get(value, "uri"), "");
    char            text[32];
    if (!name[0] && uri[0] && strncmp(uri, "data:", 5) != 0) name = uri;
    if (name[0]) return name;
    size_t length = sup_format(text, sizeof text, "image %u", image);
    return sup_arena_text(p->arena, text, length);
}

static sup_wrap read_wrap(const sup_json* sampler, const char* key)
{
    uint32_t code = sup_json_index(sup_json_get(sampler, key), 10497);
    return code == 33071 ? SUP_WRAP_CLAMP : code == 33648 ? SUP_WRAP_MIRROR : SUP_WRAP_REPEAT;
}

// The index of the texture's picture in the paint; SUP_NONE: it references no image.
static uint32_t picture_of(painter* p, const sup_json* texture)
{
    uint32_t        image = sup_json_index(sup_json_get(texture, "source"), SUP_NONE), count = p->out->picture_count;
    const sup_json* samplers = sup_json_get(p->source->root, "samplers");
    const sup_json* sampler = sup_json_at(samplers, sup_json_index(sup_json_get(texture, "sampler"), SUP_NONE));
    sup_wrap        x = read_wrap(sampler, "wrapS"), y = read_wrap(sampler, "wrapT");
    if (image >= p->source->image_count) return SUP_NONE;
    for (uint32_t i = 0; i < count; ++i)
        if (p->images[i] == image && p->pictures[i].wrap_x == x && p->pictures[i].wrap_y == y) return i;
    p->images[count] = image;
    p->pictures[count] = (sup_picture){ image_name(p, image), image_bytes(p, image), x, y };
    return p->out->picture_count++;
}

static void paint_primitive(painter* p, const sup_json* primitive, uint32_t begin, uint32_t count)
{
    const sup_json* root = p->source->root;
    uint32_t        index = sup_json_index(sup_json_get(primitive, "material"), SUP_NONE);
    const sup_json* material = sup_json_at(sup_json_get(root, "materials"), index);
    const sup_json* info = sup_json_get(sup_json_get(material, "pbrMetallicRoughness"), "baseColorTexture");
    const sup_json* texture =
        sup_json_at(sup_json_get(root, "textures"), sup_json_index(sup_json_get(info, "index"), SUP_NONE));
    const sup_json* extension = sup_json_get(sup_json_get(info, "extensions"), "KHR_texture_transform");
    uint32_t        set = sup_json_index(sup_json_get(info, "texCoord"), 0);
    char            name[32];
    gltf_accessor   a;
    sup_error       ignored;
    if (!texture) return;
    sup_format(name, sizeof name, "TEXCOORD_%u", sup_json_index(sup_json_get(extension, "texCoord"), set));
    uint32_t accessor = sup_json_index(sup_json_get(sup_json_get(primitive, "attributes"), name), SUP_NONE);
    uint32_t picture = picture_of(p, texture);
    if (picture == SUP_NONE || gltf_accessor_find(p->source, accessor, name, &a, &ignored) != SUP_OK) return;
    if (a.components != 2 || a.count != count) return;
    moved_uv t = read_transform(extension);
    for (uint32_t v = 0; v < count; ++v) {
        float  x = t.scale[0] * gltf_accessor_float(&a, v, 0), y = t.scale[1] * gltf_accessor_float(&a, v, 1);
        float* to = p->uv + 2 * (size_t)(begin + v);
        to[0] = t.cosine * x + t.sine * y + t.offset[0];
        to[1] = t.cosine * y - t.sine * x + t.offset[1];
        bool good = isfinite(to[0]) && isfinite(to[1]);
        p->numbers[begin + v] = good ? picture : SUP_NONE;
    }
}

// ---------------------------------------------------------------------------------------------- OBJ

static uint32_t picture_of_material(const appearance_material* m, sup_picture* pictures, uint32_t* count)
{
    if (!m || !m->picture_path) return SUP_NONE;
    for (uint32_t i = 0; i < *count; ++i)
        if (strcmp(pictures[i].name, m->picture_path) == 0) return i;
    pictures[*count] = (sup_picture){ .name = m->picture_path };
    if (m->picture) pictures[*count].bytes = m->picture->bytes;
    return (*count)++;
}

static sup_result paint_appearance(const sup_character* character, sup_arena* arena, sup_paint* out, sup_error* error)
{
    const appearance* d;
    sup_result        result = appearance_make(character, arena, &d, error);
    if (result != SUP_OK || !d || !d->uvs) return result;
    uint32_t     vertex_count = d->character.mesh.vertex_count;
    sup_picture* pictures = SUP_NEW(arena, sup_picture, d->piece_count);
    uint32_t*    numbers = SUP_NEW(arena, uint32_t, vertex_count);
    if (!pictures || !numbers) return sup_fail_memory(error, "the pictures of materials");
    for (uint32_t v = 0; v < vertex_count; ++v) numbers[v] = SUP_NONE;
    for (uint32_t i = 0; i < d->piece_count; ++i) {
        const appearance_piece* piece = &d->pieces[i];
        uint32_t           picture = picture_of_material(piece->material, pictures, &out->picture_count);
        for (uint32_t v = 0; v < piece->vertex_count; ++v) numbers[piece->vertex_begin + v] = picture;
    }
    out->pictures = pictures;
    out->vertex_pictures = numbers;
    out->vertex_uv = (const float(*)[2])(const void*)d->uvs;
    out->corner_entries = d->character.mesh.corner_vertices;
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- whole

sup_result sup_character_paint(const sup_character* character, sup_arena* arena, sup_paint* out, sup_error* error)
{
    SUP_ASSERT(character && arena && out);
    *out = (sup_paint){ 0 };
    const gltf_source* source = gltf_source_of(character);
    if (!source) return paint_appearance(character, arena, out, error);
    const sup_mesh* mesh = &character->mesh;
    const sup_json* textures = sup_json_get(source->root, "textures");
    uint32_t        most = textures && textures->type == SUP_JSON_ARRAY ? textures->count : 0;
    if (most == 0) return SUP_OK;
    painter p = { .source = source, .arena = arena, .out = out };
    p.pictures = SUP_NEW(arena, sup_picture, most);
    p.images = SUP_NEW(arena, uint32_t, most);
    p.numbers = SUP_NEW(arena, uint32_t, mesh->vertex_count);
    p.uv = SUP_NEW(arena, float, 2 * (size_t)mesh->vertex_count);
    if (!p.pictures || !p.images || !p.numbers || !p.uv) return sup_fail_memory(error, "the pictures of materials");
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) p.numbers[v] = SUP_NONE;
    for (uint32_t i = 0; i < mesh->part_count && i < source->part_count; ++i) {
        const gltf_part* from = &source->parts[i];
        const sup_json*  primitives = sup_json_get(sup_json_at(sup_json_get(source->root, "meshes"), from->mesh), "primitives");
        for (uint32_t k = 0; k < from->primitive_count; ++k)
            paint_primitive(&p, sup_json_at(primitives, from->primitives[k].primitive),
                            mesh->parts[i].vertex_begin + from->primitives[k].vertex_begin, from->primitives[k].vertex_count);
    }
    out->pictures = p.pictures;
    out->vertex_pictures = p.numbers;
    out->vertex_uv = (const float(*)[2])(const void*)p.uv;
    return SUP_OK;
}
