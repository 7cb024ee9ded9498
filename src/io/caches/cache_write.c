// Writes point caches. A cache belongs to one mesh of the program that opens it, so every part gets a file of its own.
#include "io/points.h"

#include <string.h>

enum {
    FILES_MAX = 256, // open at a time, well below system limits
    FILE_ROOM = 1 << 16,
    CHUNK = 4096, // vertices gathered at a time, so that a frame is not in memory twice
};

typedef struct cache {
    const cache_layout* layout;
    uint32_t            part_count; // with vertices
    const sup_part**    parts;
    sup_out_file**      files;
    uint32_t*           words; // scratch: a chunk of vertices, three each
} cache;

static bool name_taken(const cache* c, uint32_t part)
{
    const char* name = c->parts[part]->name;
    for (uint32_t i = 0; i < c->part_count; ++i)
        if (i != part && strcmp(c->parts[i]->name ? c->parts[i]->name : "", name) == 0) return true;
    return false;
}

static sup_result open_part(sup_bake* bake, cache* c, uint32_t index, sup_error* error)
{
    const sup_part* part = c->parts[index];
    const char*     path = bake->desc.path;
    if (c->part_count > 1) {
        char words[128];
        bool named = part->name && part->name[0] && !name_taken(c, index);
        if (named) sup_format(words, sizeof words, "%.100s", part->name);
        else sup_format(words, sizeof words, "%.100s%u", part->name && part->name[0] ? part->name : "mesh", index + 1);
        path = sup_bake_path(bake, words);
        if (!path) return sup_fail_memory(error, "the name of a cache");
    }
    size_t     capacity = c->part_count > 1 ? FILE_ROOM : SUP_OUT_ROOM;
    sup_result result = sup_bake_open(bake, path, NULL, capacity, &c->files[index], error);
    return result == SUP_OK ? c->layout->head(bake, c->files[index], part->vertex_count, error) : result;
}

sup_result cache_begin(sup_bake* bake, const cache_layout* layout, sup_error* error)
{
    const sup_mesh* mesh = &bake->desc.character->mesh;
    cache*          c = SUP_NEW(bake->arena, cache, 1);
    uint32_t        most = 0;
    if (!c) return sup_fail_memory(error, "a cache");
    c->layout = layout;
    c->parts = SUP_NEW(bake->arena, const sup_part*, mesh->part_count);
    c->files = SUP_NEW(bake->arena, sup_out_file*, mesh->part_count);
    if (!c->parts || !c->files) return sup_fail_memory(error, "a cache");
    for (uint32_t i = 0; i < mesh->part_count; ++i) {
        if (mesh->parts[i].vertex_count == 0) continue;
        c->parts[c->part_count++] = &mesh->parts[i];
        if (mesh->parts[i].vertex_count > most) most = mesh->parts[i].vertex_count;
    }
    c->words = sup_arena_alloc(bake->arena, most < CHUNK ? most : CHUNK, sizeof(sup_vec3));
    if (!c->words) return sup_fail_memory(error, "a frame of a cache");
    if (c->part_count > FILES_MAX)
        return sup_fail(error, SUP_ERROR_INPUT,
                        "cannot write '%s': a cache holds one mesh, and there are %u of them, more than the %d files that can "
                        "be open at a time; join some of them first",
                        bake->desc.path, c->part_count, FILES_MAX);
    bake->state = c;
    for (uint32_t i = 0; i < c->part_count; ++i) {
        sup_result result = open_part(bake, c, i, error);
        if (result != SUP_OK) return result;
    }
    if (c->part_count > 1)
        sup_bake_warn(bake, "a cache holds one mesh: the %u meshes were written to separate files, %s and so on",
                      c->part_count, sup_bake_path(bake, c->parts[0]->name ? c->parts[0]->name : "mesh1"));
    return SUP_OK;
}

static sup_result write_chunk(const cache* c, sup_out_file* file, const sup_vec3* points, const uint32_t* map, uint32_t count,
                              sup_error* error)
{
    sup_vec3* vertices = (sup_vec3*)(void*)c->words;
    for (uint32_t v = 0; v < count; ++v) vertices[v] = points[map[v]];
    for (size_t w = 0; w < 3 * (size_t)count && c->layout->swapped; ++w) c->words[w] = sup_swap32(c->words[w]);
    return sup_out_write(file, c->words, count * sizeof(sup_vec3), error);
}

sup_result cache_frame(sup_bake* bake, const sup_bake_frame* frame, sup_error* error)
{
    const cache*    c = bake->state;
    const sup_mesh* mesh = &bake->desc.character->mesh;
    for (uint32_t i = 0; i < c->part_count; ++i) {
        const sup_part* part = c->parts[i];
        const uint32_t* points = mesh->vertex_points + part->vertex_begin;
        for (uint32_t v = 0; v < part->vertex_count; v += CHUNK) {
            uint32_t   count = part->vertex_count - v < CHUNK ? part->vertex_count - v : CHUNK;
            sup_result result = write_chunk(c, c->files[i], frame->points, points + v, count, error);
            if (result != SUP_OK) return result;
        }
    }
    return SUP_OK;
}

sup_result cache_end(sup_bake* bake, sup_error* error)
{
    (void)bake;
    (void)error;
    return SUP_OK;
}
