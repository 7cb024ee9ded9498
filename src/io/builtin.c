#include "base/internal.h"
#include "scenes/scenes.h"
#include "supple/io.h"

#include <string.h>

static const struct {
    const char*     name;
    const char*     summary;
    sup_scene_make* make;
} scenes[] = {
    { "arm", sup_scene_arm_summary, sup_scene_arm },
    { "bar", sup_scene_bar_summary, sup_scene_bar },
    { "beast", sup_scene_beast_summary, sup_scene_beast },
};

uint32_t sup_builtin_count(void) { return SUP_COUNT_OF(scenes); }

const char* sup_builtin_name(uint32_t index)
{
    SUP_ASSERT(index < SUP_COUNT_OF(scenes));
    return scenes[index].name;
}

const char* sup_builtin_summary(uint32_t index)
{
    SUP_ASSERT(index < SUP_COUNT_OF(scenes));
    return scenes[index].summary;
}

sup_result sup_builtin_create(const char* name, uint32_t points, const sup_allocator* allocator, sup_character** out,
                              sup_error* error)
{
    SUP_ASSERT(name && out);
    char   list[256] = "";
    size_t at = 0;
    for (uint32_t i = 0; i < SUP_COUNT_OF(scenes); ++i) {
        if (strcmp(scenes[i].name, name) == 0) return scenes[i].make(points, allocator, out, error);
        at += sup_format(list + at, sizeof list - at, "%s%s", i ? ", " : "", scenes[i].name);
    }
    return sup_fail(error, SUP_ERROR_INPUT, "there is no built-in character '%s'; there are: %s", name, list);
}
