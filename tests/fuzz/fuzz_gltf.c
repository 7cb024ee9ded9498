// Any bytes as a glTF file: no crash, no leak, no hang, and words with every refusal. What comes through is painted, and its
// document is added to as if its weights or its joints were new.
#include "fuzz.h"

#include "fuzz_read.h"
#include "io/gltf/gltf_write.h"

#include <string.h>

// Two primitives, a skin, a morph target with sparse values, a map and a clip, the buffer as a data URI.
static const char document[] =
    "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"mesh\":0,\"skin\":0},{\"name\":\"hip\",\"children\":[2]},"
    "{\"name\":\"knee\",\"translation\":[0,1,0]}],\"meshes\":[{\"name\":\"body\",\"primitives\":[{\"indices\":6,"
    "\"attributes\":{\"POSITION\":0,\"JOINTS_0\":1,\"WEIGHTS_0\":2,\"_SOFT\":7},\"targets\":[{\"POSITION\":8}]},"
    "{\"attributes\":{\"POSITION\":0,\"NORMAL\":0},\"targets\":[{\"POSITION\":0}]}]}],\"skins\":[{\"joints\":[1,2],"
    "\"inverseBindMatrices\":3}],\"animations\":[{\"channels\":[{\"sampler\":0,\"target\":{\"node\":2,"
    "\"path\":\"rotation\"}}],\"samplers\":[{\"input\":4,\"output\":5}]}],\"scenes\":[{\"nodes\":[0,1]}],"
    "\"accessors\":[{\"bufferView\":0,\"count\":3,\"type\":\"VEC3\",\"componentType\":5126},{\"bufferView\":1,"
    "\"count\":3,\"type\":\"VEC4\",\"componentType\":5123},{\"bufferView\":2,\"count\":3,\"type\":\"VEC4\","
    "\"componentType\":5126},{\"bufferView\":3,\"count\":2,\"type\":\"MAT4\",\"componentType\":5126},"
    "{\"bufferView\":4,\"count\":2,\"type\":\"SCALAR\",\"componentType\":5126},{\"bufferView\":5,\"count\":2,"
    "\"type\":\"VEC4\",\"componentType\":5126},{\"bufferView\":6,\"count\":3,\"type\":\"SCALAR\","
    "\"componentType\":5121},{\"bufferView\":7,\"count\":3,\"type\":\"SCALAR\",\"componentType\":5126},{\"count\":3,"
    "\"type\":\"VEC3\",\"componentType\":5126,\"sparse\":{\"count\":1,\"indices\":{\"bufferView\":8,"
    "\"componentType\":5121},\"values\":{\"bufferView\":9}}}],\"bufferViews\":[{\"buffer\":0,\"byteOffset\":0,"
    "\"byteLength\":36},{\"buffer\":0,\"byteOffset\":36,\"byteLength\":24},{\"buffer\":0,\"byteOffset\":60,"
    "\"byteLength\":48},{\"buffer\":0,\"byteOffset\":108,\"byteLength\":128},{\"buffer\":0,\"byteOffset\":236,"
    "\"byteLength\":8},{\"buffer\":0,\"byteOffset\":244,\"byteLength\":32},{\"buffer\":0,\"byteOffset\":276,"
    "\"byteLength\":4},{\"buffer\":0,\"byteOffset\":280,\"byteLength\":12},{\"buffer\":0,\"byteOffset\":292,"
    "\"byteLength\":4},{\"buffer\":0,\"byteOffset\":296,\"byteLength\":12}],\"buffers\":[{\"byteLength\":308,"
    "\"uri\":\"data:;base64,"
    "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAABAAAAAAAAAAEAAAAAAAEAAAAAAAAAAAAAPwAAAD8AAAAAAAAA"
    "AAAAgD8AAAAAAAAAAAAAAAAAAIA/AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAAAAAAIA/AAAAAAAAAAAAAAAAAAAAAAAA"
    "gD8AAAAAAAAAAAAAAAAAAAAAAACAPwAAgD8AAAAAAAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAAAAAAIA/AAAAAAAAAAAA"
    "AIC/AAAAAAAAgD8AAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAAAAAAAgD8AAAAAAAECAAAAAAAAAAA/AACAPwEAAAAAAAAA"
    "AAAAAAAAAAA=\"}]}";

static void use(sup_character* c, const sup_allocator* memory)
{
    static const char* const kinships[] = { "gltf weights", "gltf surface" };
    for (int i = 0; i < 2; ++i) {
        sup_arena*    arena = sup_arena_create(memory);
        sup_vec3*     colors =
            arena ? sup_arena_alloc(arena, (size_t)c->mesh.point_count + c->mesh.corner_count, sizeof *colors) : NULL;
        sup_paint     paint;
        sup_error     error = { SUP_OK, "" };
        gltf_document made;
        gltf_edit     edit;
        c->source_format = kinships[i];
        if (colors) (void)sup_character_colors(c, colors);
        if (colors) (void)sup_character_corner_colors(c, colors);
        if (arena) (void)sup_character_paint(c, arena, &paint, &error);
        if (arena && gltf_document_choose(c, i ? 4 : 0, arena, &made, &error) == SUP_OK)
            (void)gltf_edit_open(&edit, made.source, arena);
        sup_arena_destroy(arena);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    fuzz_read_with("a.glb", data, size, NULL, use);
    return 0;
}

static void put32(uint8_t* at, uint32_t value)
{
    for (int i = 0; i < 4; ++i) at[i] = (uint8_t)(value >> 8 * i);
}

void fuzz_seeds(fuzz_seed_fn* seed, void* user)
{
    uint8_t  glb[20 + sizeof document];
    uint32_t size = sizeof document - 1;
    seed(user, document, size);
    memcpy(glb, "glTF", 4);
    put32(glb + 4, 2);
    put32(glb + 8, 20 + size);
    put32(glb + 12, size);
    memcpy(glb + 16, "JSON", 4);
    memcpy(glb + 20, document, size);
    seed(user, glb, 20 + size);
}
