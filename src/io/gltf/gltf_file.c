// The container of a glTF: GLB chunks or text, the version, required extensions, and the files it references.
#include "io/gltf/gltf_reader.h"
#include "io/recognize.h"

#include <string.h>

enum { CHUNK_JSON = 0x4E4F534A, CHUNK_BIN = 0x004E4942, HEADER_BYTES = 12, CHUNK_BYTES = 8 };

static uint32_t little32(const uint8_t* p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static sup_result split_glb(gltf_reader* r, sup_bytes file, sup_bytes* text, sup_bytes* binary)
{
    if (file.size < HEADER_BYTES)
        return sup_fail(r->error, SUP_ERROR_INPUT, "the file ends after %zu bytes, inside the GLB header; copy it again",
                        file.size);
    uint32_t version = little32(file.data + 4), length = little32(file.data + 8);
    if (version != 2)
        return sup_fail(r->error, SUP_ERROR_INPUT,
                        "this is GLB version %u and only version 2 is supported; export it as glTF 2.0", version);
    if (length > file.size)
        return sup_fail(r->error, SUP_ERROR_INPUT, "the file is truncated: it has %zu of %u bytes; copy it again", file.size,
                        length);
    for (size_t at = HEADER_BYTES; at + CHUNK_BYTES <= length;) {
        uint32_t size = little32(file.data + at), type = little32(file.data + at + 4);
        at += CHUNK_BYTES;
        if (size > length - at)
            return sup_fail(r->error, SUP_ERROR_INPUT,
                            "a GLB chunk says it has %u bytes where %zu are left; the file is damaged", size,
                            (size_t)length - at);
        sup_bytes chunk = { file.data + at, size };
        if (type == CHUNK_JSON && !text->data) *text = chunk;
        if (type == CHUNK_BIN && !binary->data) *binary = chunk;
        at += size;
    }
    if (!text->data) return sup_fail(r->error, SUP_ERROR_INPUT, "the GLB has no JSON chunk; the file is damaged");
    return SUP_OK;
}

static sup_result check_version(gltf_reader* r)
{
    const sup_json* asset = sup_json_get(r->source->root, "asset");
    const char*     version = sup_json_string(sup_json_get(asset, "version"), NULL);
    const char*     least = sup_json_string(sup_json_get(asset, "minVersion"), "2.0");
    const sup_json* accessors = sup_json_get(r->source->root, "accessors");
    if (!version && accessors && accessors->type == SUP_JSON_OBJECT)
        return sup_fail(r->error, SUP_ERROR_INPUT,
                        "this is glTF 1.0 or older and only 2.0 is supported; export it as glTF 2.0");
    if (!version) return sup_fail(r->error, SUP_ERROR_INPUT, "the JSON has no asset.version, so it is not a glTF document");
    if (strncmp(version, "2.", 2) != 0)
        return sup_fail(r->error, SUP_ERROR_INPUT, "this is glTF %.20s and only 2.0 is supported; export it as glTF 2.0",
                        version);
    if (strcmp(least, "2.0") != 0)
        return sup_fail(r->error, SUP_ERROR_INPUT, "the file requires glTF %.20s and only 2.0 is supported", least);
    return SUP_OK;
}

// Extensions that may be required because they leave shape and motion alone, or are read. A * at the end matches any rest.
static const char* const known_extensions[] = {
    "FB_ngon_encoding",   "KHR_mesh_quantization", "KHR_texture_transform",
    "KHR_texture_basisu", "KHR_materials_*",       "KHR_lights_punctual",
    "KHR_xmp*",           "EXT_texture_*",         "MSFT_texture_dds",
    "EXT_lights_*",
};

static bool is_known(const char* name)
{
    for (size_t i = 0; i < SUP_COUNT_OF(known_extensions); ++i)
        if (sup_glob_match(known_extensions[i], name)) return true;
    return false;
}

static sup_result check_extensions(gltf_reader* r)
{
    const sup_json* required = sup_json_get(r->source->root, "extensionsRequired");
    for (const sup_json* e = required ? required->first : NULL; e; e = e->next) {
        const char* name = sup_json_string(e, "?");
        if (is_known(name) || gltf_meshopt_known(r, name)) continue;
        if (strcmp(name, "KHR_draco_mesh_compression") == 0)
            return sup_fail(r->error, SUP_ERROR_INPUT,
                            "the file is compressed with %s, which is not supported; decompress it with 'gltf-transform copy "
                            "IN.glb OUT.glb' "
                            "(npm install --global @gltf-transform/cli), or export it again without compression",
                            name);
        if (strstr(name, "_meshopt_compression"))
            return sup_fail(r->error, SUP_ERROR_INPUT,
                            "the file is compressed with %s, which this program was built without; build it with "
                            "libmeshoptimizer, or decompress the file first, e.g. with gltf-transform",
                            name);
        return sup_fail(r->error, SUP_ERROR_INPUT,
                        "the file requires the extension %.100s, which is not supported; export it without", name);
    }
    return SUP_OK;
}

static sup_result load_buffer(gltf_reader* r, const sup_json* value, uint32_t index, sup_bytes binary, sup_bytes* out)
{
    const char*     what = gltf_text(r, "buffer %u", index);
    const sup_json* uri = sup_json_get(value, "uri");
    uint32_t        length = sup_json_index(sup_json_get(value, "byteLength"), SUP_NONE);
    if (length == SUP_NONE)
        return sup_fail(r->error, SUP_ERROR_INPUT, "%s: byteLength is not a whole number; the file is damaged", what);
    sup_bytes bytes = { NULL, 0 };
    if (uri && uri->type == SUP_JSON_STRING) {
        sup_error  why = { SUP_OK, "" };
        sup_result result = gltf_uri_load(r, uri->text, uri->length, what, &bytes, &why);
        if (result == SUP_ERROR_FILE)
            return sup_fail(r->error, result, "%s: %s; copy it along with the glTF, or export one .glb", what, why.text);
        if (result != SUP_OK) return sup_fail(r->error, result, "%s", why.text);
        r->source->bytes += bytes.size;
    } else if (index == 0) {
        bytes = binary;
    }
    // A buffer without bytes may be the unused fallback of a compression; using it is an error.
    if (bytes.data && bytes.size < length)
        return sup_fail(r->error, SUP_ERROR_INPUT, "%s: it has only %zu of its %u bytes; the file is truncated", what,
                        bytes.size, length);
    *out = bytes.data ? (sup_bytes){ bytes.data, length } : (sup_bytes){ NULL, 0 };
    return SUP_OK;
}

static sup_result load_buffers(gltf_reader* r, sup_bytes binary)
{
    const sup_json** values;
    gltf_source*     source = r->source;
    GLTF_TRY(gltf_list(r, source->root, "buffers", r->work, &source->buffer_count, &values));
    sup_bytes* buffers = SUP_NEW(r->keep, sup_bytes, source->buffer_count);
    if (!buffers) return sup_fail_memory(r->error, "the list of buffers");
    for (uint32_t i = 0; i < source->buffer_count; ++i) GLTF_TRY(load_buffer(r, values[i], i, binary, &buffers[i]));
    source->buffers = buffers;
    return SUP_OK;
}

// Images in separate files, so that a GLB we write can embed them. The skin does not need them: a missing one is no error.
static sup_result load_images(gltf_reader* r)
{
    const sup_json** values;
    gltf_source*     source = r->source;
    GLTF_TRY(gltf_list(r, source->root, "images", r->work, &source->image_count, &values));
    sup_bytes* images = SUP_NEW(r->keep, sup_bytes, source->image_count);
    if (!images) return sup_fail_memory(r->error, "the list of images");
    for (uint32_t i = 0; i < source->image_count; ++i) {
        const sup_json* uri = sup_json_get(values[i], "uri");
        if (!uri || uri->type != SUP_JSON_STRING || strncmp(uri->text, "data:", 5) == 0) continue;
        sup_error  why = { SUP_OK, "" };
        sup_result result = gltf_uri_load(r, uri->text, uri->length, gltf_text(r, "image %u", i), &images[i], &why);
        if (result == SUP_ERROR_MEMORY) return sup_fail(r->error, result, "%s", why.text);
        if (result != SUP_OK) {
            gltf_warn(r, "a texture is left out: %s; put it where the file expects it", why.text);
            images[i] = (sup_bytes){ NULL, 0 };
        }
        source->bytes += images[i].size;
    }
    source->images = images;
    return SUP_OK;
}

// The file's document and binary data.
static sup_result parse_file(gltf_reader* r, sup_bytes* binary)
{
    sup_bytes file = r->in->bytes, text = { NULL, 0 };
    if (file.size >= 4 && memcmp(file.data, "glTF", 4) == 0) {
        if (!r->in->arena) {
            file.data = sup_arena_copy(r->keep, file.data, file.size, 1);
            if (!file.data) return sup_fail_memory(r->error, "a copy of the file");
        }
        GLTF_TRY(split_glb(r, file, &text, binary));
    } else {
        text = file;
    }
    if (text.size == 0) return sup_fail(r->error, SUP_ERROR_INPUT, "the file is empty; copy it again");
    if (text.data == file.data && !gltf_recognize(text))
        return sup_fail(
            r->error, SUP_ERROR_INPUT,
            "this is not a glTF file: a .glb begins with the letters glTF and a .gltf with '{'; export or download it again");
    sup_json* root = NULL;
    GLTF_TRY(sup_json_parse((const char*)text.data, text.size, r->in->path, r->keep, &root, r->error));
    if (root->type != SUP_JSON_OBJECT)
        return sup_fail(r->error, SUP_ERROR_INPUT, "the JSON is not an object, so it is not a glTF document");
    r->source->root = root;
    return SUP_OK;
}

sup_result gltf_file_open(gltf_reader* r)
{
    gltf_source* source = r->source;
    sup_bytes    binary = { NULL, 0 };
    source->bytes = r->in->bytes.size;
    if (r->given) {
        source->root = r->given->root;
        binary = r->given->binary;
        source->bytes += binary.size;
    } else {
        GLTF_TRY(parse_file(r, &binary));
    }
    GLTF_TRY(check_version(r));
    GLTF_TRY(check_extensions(r));
    GLTF_TRY(load_buffers(r, binary));
    GLTF_TRY(load_images(r));

    const sup_json** list;
    GLTF_TRY(gltf_list(r, source->root, "bufferViews", r->keep, &source->view_count, &list));
    source->views = list;
    GLTF_TRY(gltf_list(r, source->root, "accessors", r->keep, &source->accessor_count, &list));
    source->accessor_values = list;
    source->accessors = SUP_NEW(r->keep, gltf_accessor, source->accessor_count);
    if (!source->accessors) return sup_fail_memory(r->error, "the list of accessors");
    return gltf_meshopt_unpack(r);
}
