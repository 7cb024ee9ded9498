#include "io/surface_draft.h"
#include "io/path.h"

sup_result sup_surface_create(const sup_read_input* in, const sup_part_desc* part, uint32_t warning_count,
                              const char* const* warnings, sup_arena* arena, sup_character** out, sup_error* error)
{
    const char* name = sup_path_stem(arena, in->path);
    if (!name) return sup_fail_memory(error, "a name");
    sup_part_desc named = *part;
    named.name = name;
    named.joint = named.source_id = SUP_NONE;
    sup_character_desc desc = { .name = name,
                                .part_count = 1,
                                .parts = &named,
                                .metres_per_unit = in->unit > 0 ? in->unit : 1,
                                .unit_assumed = !(in->unit > 0),
                                .up = sup_up_axis(in->up),
                                .up_assumed = !sup_up_given(in->up),
                                .warning_count = warning_count,
                                .warnings = warnings,
                                .progress = in->progress };
    return sup_character_create(&desc, in->allocator, out, error);
}
