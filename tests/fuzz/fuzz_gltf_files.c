// Any text as a .gltf, and behind a 0 the bytes of every file that it names, buffer or picture.
#include "fuzz.h"

#include "fuzz_read.h"

#include <string.h>

// A part of the path that is "..", not two dots within a name.
static bool climbs(const char* path)
{
    for (;;) {
        size_t length = strcspn(path, "/\\");
        if (length == 2 && memcmp(path, "..", 2) == 0) return true;
        if (!path[length]) return false;
        path += length + 1;
    }
}

static sup_result read_beside(void* user, const char* path, sup_arena* arena, sup_bytes* out, sup_error* error)
{
    const sup_bytes* beside = user;
    if (climbs(path) || path[0] == '/') abort(); // no way out of its folder
    uint8_t* copy = sup_arena_copy(arena, beside->data, beside->size, 1);
    if (!copy) return sup_fail(error, SUP_ERROR_MEMORY, "out of memory");
    *out = (sup_bytes){ copy, beside->size };
    return SUP_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    const uint8_t*  end = size ? memchr(data, 0, size) : NULL;
    size_t          text = end ? (size_t)(end - data) : size;
    sup_bytes       beside = { data + text + (end != NULL), size - text - (end != NULL) };
    const sup_files files = { .read = read_beside, .user = &beside };
    fuzz_read_with("a.gltf", data, text, &files, NULL);
    return 0;
}

void fuzz_seeds(fuzz_seed_fn* seed, void* user)
{
    // A triangle of shorts (KHR_mesh_quantization) under a moved node, indices of a byte, a picture, a name with blanks and one
    // with two dots.
    static const char document[] =
        "{\"asset\":{\"version\":\"2.0\"},\"extensionsUsed\":[\"KHR_mesh_quantization\"],"
        "\"extensionsRequired\":[\"KHR_mesh_quantization\"],\"nodes\":[{\"mesh\":0,\"scale\":[0.5,0.5,0.5]}],"
        "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1,\"material\":0}]}],"
        "\"materials\":[{\"pbrMetallicRoughness\":{\"baseColorTexture\":{\"index\":0}}}],\"textures\":[{\"source\":0}],"
        "\"images\":[{\"uri\":\"sub/a%20picture.png\"}],\"accessors\":[{\"bufferView\":0,\"componentType\":5122,\"count\":3,"
        "\"type\":\"VEC3\",\"normalized\":true},{\"bufferView\":1,\"componentType\":5121,\"count\":3,\"type\":\"SCALAR\"}],"
        "\"bufferViews\":[{\"buffer\":0,\"byteLength\":24,\"byteStride\":8},{\"buffer\":0,\"byteOffset\":24,\"byteLength\":3}],"
        "\"buffers\":[{\"byteLength\":27,\"uri\":\"a..bin\"}],\"scenes\":[{\"nodes\":[0]}]}";
    char all[sizeof document + 27] = { 0 };
    memcpy(all, document, sizeof document); // with its 0
    static const int16_t positions[12] = { 0, 0, 0, 0, 32767, 0, 0, 0, 0, 32767, 0, 0 };
    memcpy(all + sizeof document, positions, sizeof positions);
    memcpy(all + sizeof document + 24, "\0\1\2", 3);
    seed(user, all, sizeof all);
}
