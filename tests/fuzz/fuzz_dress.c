// Any bytes as an OBJ, and behind a 0 as the materials it names: what its corners wear is found, drawn and put into a document.
#include "fuzz.h"

#include "fuzz_read.h"
#include "io/gltf/gltf_write.h"

#include <string.h>

static sup_result read_library(void* user, const char* path, sup_arena* arena, sup_bytes* out, sup_error* error)
{
    const sup_bytes*     library = user;
    static const uint8_t png[] = "\x89PNG\r\n\x1a\n...";
    const char*          dot = strrchr(path, '.');
    sup_bytes            found = dot && strcmp(dot, ".mtl") == 0 ? *library : (sup_bytes){ png, sizeof png };
    uint8_t*             copy = sup_arena_copy(arena, found.data, found.size, 1);
    if (!copy) return sup_fail(error, SUP_ERROR_MEMORY, "out of memory");
    *out = (sup_bytes){ copy, found.size };
    return SUP_OK;
}

static void use(sup_character* c, const sup_allocator* memory)
{
    sup_arena*    arena = sup_arena_create(memory);
    sup_vec3*     colors =
        arena ? sup_arena_alloc(arena, (size_t)c->mesh.point_count + c->mesh.corner_count, sizeof *colors) : NULL;
    sup_paint     paint;
    sup_error     error = { SUP_OK, "" };
    gltf_document document;
    if (colors) (void)sup_character_colors(c, colors);
    if (colors) (void)sup_character_corner_colors(c, colors);
    if (arena && sup_character_paint(c, arena, &paint, &error) == SUP_OK && paint.picture_count)
        for (uint32_t i = 0; i < c->mesh.corner_count; ++i) {
            uint32_t picture = paint.vertex_pictures[paint.corner_entries[i]];
            if (picture != SUP_NONE && picture >= paint.picture_count) abort();
        }
    if (arena && gltf_document_create(c, 0, arena, &document, &error) == SUP_OK &&
        document.character->mesh.point_count != c->mesh.point_count)
        abort();
    sup_arena_destroy(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    const uint8_t*  end = size ? memchr(data, 0, size) : NULL;
    size_t          obj = end ? (size_t)(end - data) : size;
    sup_bytes       library = { data + obj + (end != NULL), size - obj - (end != NULL) };
    const sup_files files = { .read = read_library, .user = &library };
    fuzz_read_with("a.obj", data, obj, &files, use);
    return 0;
}

void fuzz_seeds(fuzz_seed_fn* seed, void* user)
{
    static const char text[] =
        "mtllib a.mtl\nv 0 0 0\nv 1 0 0 .5 .5 .5\nv 1 1 0\nv 0 1 0\nv 2 0 0\nvt 0 0\nvt 1 .5\nvn 0 0 1\n"
        "vn 0 3 4\nusemtl red\nf 1/1/1 2/2/1 3/1/2 4/-1/-1\nusemtl b\nf 2//1 5/1 3\n"
        "\0newmtl red\nKd 1 .5 0\nd 0.5\nNs 10\nKe 1 1 1\nPr .5\nnewmtl b\nmap_Kd -s 1 1 1 p.png\nnorm n.png\n";
    seed(user, text, sizeof text - 1);
}
