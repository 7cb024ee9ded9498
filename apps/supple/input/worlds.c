// Loads the files that a world references.
#include "worlds.h"

#include "common.h"
#include "report/report.h"
#include "supple/io_extra.h"
#include "system/system.h"

#include <string.h>

const char* path_beside(const char* beside, const char* name, sup_arena* arena)
{
    size_t folder = (size_t)(path_name(beside) - beside), length = strlen(name);
    if (!folder || path_is_absolute(name) || strncmp(name, "builtin:", 8) == 0) return name;
    char*  path = sup_arena_alloc(arena, folder + length + 1, 1);
    if (!path) return NULL;
    memcpy(path, beside, folder);
    memcpy(path + folder, name, length + 1);
    return path;
}

// The arena takes over the character's memory, so that it lives as long as the chain's description.
static int load_into(const char* path, const char* body, sup_arena* arena, const sup_character** out)
{
    sup_load_options load = { .extra = sup_extra_get() };
    sup_character*   character = NULL;
    sup_error        error = { 0 };
    if (sup_load(path, &load, &character, &error) != SUP_OK) {
        report_error("world: body '%s': %s", body, error.text);
        return EXIT_FAILED;
    }
    sup_arena* own = character->arena;
    sup_arena_adopt(arena, own);
    sup_arena_destroy(own);
    *out = character;
    return EXIT_DONE;
}

int world_meshes_load(const char* path, sup_arena* arena, sup_chain_desc* chain)
{
    const sup_json* bodies = sup_json_get(chain->world, "bodies");
    if (!bodies || bodies->type != SUP_JSON_ARRAY || !bodies->count) return EXIT_DONE;
    sup_world_mesh* meshes = sup_arena_alloc(arena, bodies->count, sizeof *meshes);
    if (!meshes) return fail_memory();
    uint32_t count = 0;
    for (const sup_json* body = bodies->first; body; body = body->next) {
        const char* name = sup_json_string(sup_json_get(body, "mesh"), NULL);
        uint32_t    known = 0;
        while (name && known < count && strcmp(meshes[known].name, name) != 0) known++;
        if (!name || known < count) continue; // the library reports what is wrong with it
        const char* file = path_beside(path, name, arena);
        if (!file) return fail_memory();
        int code = load_into(file, sup_json_string(sup_json_get(body, "name"), name), arena, &meshes[count].character);
        if (code != EXIT_DONE) return code;
        meshes[count++].name = name;
    }
    chain->world_meshes = meshes;
    chain->world_mesh_count = count;
    return EXIT_DONE;
}
