#include "base/internal.h"
#include "io/appearance.h"
#include "scenes/scenes.h"

#include <string.h>

static const struct {
    const char*       name;
    const char*       summary;
    sup_scene_make*   make;
    sup_scene_colors* colors; // NULL: clay color
} scenes[] = {
#define SUP_SCENE(name, colors) { #name, sup_scene_##name##_summary, sup_scene_##name, colors },
#include "scenes/scenes.def"
#undef SUP_SCENE
    { NULL, NULL, NULL, NULL }, // the end: a build may leave all of them out, and no count may then be compared with 0
};

uint32_t sup_builtin_count(void)
{
    uint32_t count = 0;
    while (scenes[count].name) ++count;
    return count;
}

const char* sup_builtin_name(uint32_t index)
{
    SUP_ASSERT(index < sup_builtin_count());
    return scenes[index].name;
}

const char* sup_builtin_summary(uint32_t index)
{
    SUP_ASSERT(index < sup_builtin_count());
    return scenes[index].summary;
}

// A point of a built-in character is a single stored vertex.
static sup_result add_colors(sup_character* character, sup_scene_colors* colors, sup_error* error)
{
    SUP_ASSERT(character->mesh.vertex_count == character->mesh.point_count);
    vertex_source* source = SUP_NEW(character->arena, vertex_source, 1);
    float*         rgba = SUP_NEW(character->arena, float, 4 * (size_t)character->mesh.point_count);
    if (!source || !rgba) return sup_fail_memory(error, "a built-in character");
    colors(character, rgba);
    source->colors = rgba;
    character->source = source;
    character->source_format = VERTEX_SOURCE;
    return SUP_OK;
}

static sup_result create(uint32_t index, uint32_t points, const sup_allocator* allocator, sup_character** out, sup_error* error)
{
    sup_character* made = NULL;
    sup_result     result = scenes[index].make(points, allocator, &made, error);
    if (result == SUP_OK && scenes[index].colors) result = add_colors(made, scenes[index].colors, error);
    if (result == SUP_OK) *out = made;
    else sup_character_destroy(made);
    return result;
}

sup_result sup_builtin_create(const char* name, uint32_t points, const sup_allocator* allocator, sup_character** out,
                              sup_error* error)
{
    SUP_ASSERT(name && out);
    char   list[256] = "";
    size_t at = 0;
    for (uint32_t i = 0; scenes[i].name; ++i) {
        if (strcmp(scenes[i].name, name) == 0) return create(i, points, allocator, out, error);
        at += sup_format(list + at, sizeof list - at, "%s%s", i ? ", " : "", scenes[i].name);
    }
    return sup_fail(error, SUP_ERROR_INPUT, "there is no built-in character '%s'; there are: %s", name,
                    at ? list : "none in this build");
}
