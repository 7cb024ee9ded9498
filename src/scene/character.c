// Runs the stages that turn a description into a character, and keeps the list of repairs.
#include "scene/build.h"

#include <math.h>
#include <string.h>

const char* sup_build_name(sup_build* build, const char* name, const char* noun, uint32_t index)
{
    char  text[64];
    char* kept = name ? sup_arena_text(build->keep, name, strlen(name)) : NULL;
    if (kept) sup_text_clean(kept);
    if (name) return kept;
    size_t length = sup_format(text, sizeof text, "%s %u", noun, index);
    return sup_arena_text(build->keep, text, length);
}

static sup_result describe(sup_build* build)
{
    const sup_character_desc* desc = build->desc;
    sup_character*            c = build->out;
    if (desc->warning_count && !desc->warnings)
        return sup_fail(build->error, SUP_ERROR_INPUT, "the description counts %u warnings but gives none; set both or neither",
                        desc->warning_count);
    c->name = sup_build_name(build, desc->name ? desc->name : "character", NULL, 0);
    if (!sup_notes_begin(&build->warnings, build->keep) || !c->name) return sup_fail_memory(build->error, "a character");
    for (uint32_t i = 0; i < desc->warning_count; ++i)
        if (desc->warnings[i]) sup_note(&build->warnings, "%s", desc->warnings[i]);
    if (!isfinite(desc->metres_per_unit) || desc->metres_per_unit < 0)
        return sup_fail(build->error, SUP_ERROR_INPUT, "'%s' has %g meters per unit; give a positive number", c->name,
                        desc->metres_per_unit);
    c->metres_per_unit = desc->metres_per_unit > 0 ? desc->metres_per_unit : 1;
    c->unit_assumed = desc->unit_assumed || desc->metres_per_unit == 0;
    c->size_factor = isfinite(desc->size_factor) && desc->size_factor > 0 ? desc->size_factor : 1;
    if (desc->up != SUP_AXIS_X && desc->up != SUP_AXIS_Y && desc->up != SUP_AXIS_Z)
        return sup_fail(build->error, SUP_ERROR_INPUT, "'%s' has an unknown up axis; use x, y or z", c->name);
    c->up = desc->up;
    c->up_assumed = desc->up_assumed;
    return SUP_OK;
}

static sup_result finish(sup_build* build)
{
    if (!sup_notes_end(&build->warnings)) return sup_fail_memory(build->error, "a character");
    build->out->warnings = build->warnings.texts;
    build->out->warning_count = build->warnings.count;
    return SUP_OK;
}

sup_result sup_character_create(const sup_character_desc* desc, const sup_allocator* allocator, sup_character** out,
                                sup_error* error)
{
    SUP_ASSERT(desc && out);
    static sup_result (*const stages[])(sup_build*) = {
        describe,          sup_build_check, sup_build_skeleton, sup_build_influences, sup_build_points, sup_build_surface,
        sup_build_weights, sup_build_bones, sup_build_shapes,   sup_build_clips,      finish,
    };
    sup_build build = { .desc = desc, .error = error };
    build.keep = sup_arena_create(allocator);
    build.scratch = sup_arena_create(allocator);
    build.out = build.keep ? SUP_NEW(build.keep, sup_character, 1) : NULL;
    sup_result result = build.out && build.scratch ? SUP_OK : sup_fail_memory(error, "a character");
    for (size_t i = 0; result == SUP_OK && i < SUP_COUNT_OF(stages); ++i) {
        // Reading before this has filled the bar: it never goes back.
        if (sup_progress_report(desc->progress, 1, "reading")) result = stages[i](&build);
        else result = sup_fail(error, SUP_ERROR_CANCELLED, "stopped");
    }
    sup_arena_destroy(build.scratch);
    if (result != SUP_OK) {
        sup_arena_destroy(build.keep);
        return result;
    }
    build.out->arena = build.keep;
    *out = build.out;
    return SUP_OK;
}

sup_result sup_character_borrow(const sup_character* from, const sup_allocator* allocator, sup_character** out,
                                sup_error* error)
{
    SUP_ASSERT(from && out);
    sup_arena*     arena = sup_arena_create(allocator);
    sup_character* made = arena ? sup_arena_copy(arena, from, 1, sizeof *from) : NULL;
    if (!made) {
        sup_arena_destroy(arena);
        return sup_fail_memory(error, "a character");
    }
    made->arena = arena;
    *out = made;
    return SUP_OK;
}

void sup_character_destroy(sup_character* character)
{
    if (character) sup_arena_destroy(character->arena);
}
