// Adds a clip to an existing character.
#include "scene/build.h"

#include <string.h>

static sup_result copy_clip(sup_character* character, const sup_clip* clip, sup_arena* scratch, sup_clip* out, sup_error* error)
{
    uint32_t           joints = character->skeleton.joint_count;
    sup_character      made = { 0 };
    sup_character_desc desc = {
        .part_count = character->mesh.part_count, .joint_count = joints, .clip_count = 1, .clips = clip
    };
    sup_build build = { .desc = &desc,
                        .keep = character->arena,
                        .scratch = scratch,
                        .error = error,
                        .out = &made,
                        .joint_count = joints,
                        .joint_places = SUP_NEW(scratch, uint32_t, joints) };
    // Only their names and counts are read.
    build.parts = sup_arena_copy(scratch, character->mesh.parts, character->mesh.part_count, sizeof *build.parts);
    build.joints = sup_arena_copy(scratch, character->skeleton.joints, joints, sizeof *build.joints);
    if (!build.joint_places || !sup_notes_begin(&build.warnings, scratch) || !build.parts || !build.joints) return sup_fail_memory(error, "a clip");
    for (uint32_t j = 0; j < joints; ++j) build.joint_places[j] = j;
    sup_result result = sup_build_clips(&build);
    if (result == SUP_OK) *out = made.clips[0];
    return result;
}

sup_result sup_character_add_clip(sup_character* character, const sup_clip* clip, sup_error* error)
{
    SUP_ASSERT(character && clip);
    sup_arena* scratch = sup_arena_beside(character->arena);
    sup_clip*  clips = SUP_NEW(character->arena, sup_clip, (size_t)character->clip_count + 1);
    sup_result result = scratch && clips ? SUP_OK : sup_fail_memory(error, "a clip");
    if (result == SUP_OK) {
        memcpy(clips, character->clips, character->clip_count * sizeof *clips);
        result = copy_clip(character, clip, scratch, &clips[character->clip_count], error);
    }
    sup_arena_destroy(scratch);
    if (result != SUP_OK) return result;
    clips[character->clip_count].source_id = SUP_NONE;
    character->clips = clips;
    character->clip_count++;
    return SUP_OK;
}
