// Runs the stages of the glTF reader and hands over the description. What the writer needs later is kept with the character.
#include "io/gltf/gltf_reader.h"
#include "io/path.h"

#include <string.h>

// Geometry and keys may take this many times the file's size, plus an allowance for small files: instances and accessors that
// are used repeatedly are legal, a kilobyte that asks for a gigabyte is not.
enum { BUDGET_FACTOR = 64, BUDGET_FREE = 64 << 20, WARNINGS_MAX = 64 };

void gltf_warn(gltf_reader* r, const char* format, ...)
{
    va_list arguments;
    char    text[400];
    if (r->warning_count > WARNINGS_MAX) return;
    va_start(arguments, format);
    sup_format_list(text, sizeof text, format, arguments);
    va_end(arguments);
    if (r->warning_count == WARNINGS_MAX) strcpy(text, "and more of the same kind; the rest is not listed");
    const char* kept = sup_arena_text(r->work, text, strlen(text));
    if (kept) r->warnings[r->warning_count++] = kept;
}

const char* gltf_text(gltf_reader* r, const char* format, ...)
{
    va_list arguments;
    char    text[200];
    va_start(arguments, format);
    sup_format_list(text, sizeof text, format, arguments);
    va_end(arguments);
    const char* kept = sup_arena_text(r->work, text, strlen(text));
    return kept ? kept : "?";
}

sup_result gltf_report(gltf_reader* r)
{
    // The number of arrays is not known in advance; the bar stays at a quarter.
    return sup_progress_report(r->in->progress, 0.25, "reading") ? SUP_OK : sup_fail(r->error, SUP_ERROR_CANCELLED, "stopped");
}

sup_result gltf_charge(gltf_reader* r, uint64_t count, size_t size)
{
    if (size && count > r->budget / size)
        return sup_fail(r->error, SUP_ERROR_INPUT,
                        "the file asks for far more memory than its %zu bytes justify; it is damaged or malicious",
                        r->source->bytes);
    r->budget -= count * size;
    return SUP_OK;
}

void* gltf_take(gltf_reader* r, uint64_t count, size_t size)
{
    r->result = gltf_charge(r, count, size);
    if (r->result != SUP_OK) return NULL;
    void* memory = count <= SIZE_MAX ? sup_arena_alloc(r->work, (size_t)count, size) : NULL;
    if (!memory) r->result = sup_fail_memory(r->error, "the geometry");
    return memory;
}

sup_result gltf_list(gltf_reader* r, const sup_json* object, const char* key, sup_arena* arena, uint32_t* count,
                     const sup_json*** out)
{
    const sup_json* array = sup_json_get(object, key);
    if (array && array->type != SUP_JSON_ARRAY)
        return sup_fail(r->error, SUP_ERROR_INPUT, "'%s' is not an array; the file is damaged", key);
    *count = array ? array->count : 0;
    *out = SUP_NEW(arena, const sup_json*, *count);
    if (!*out) return sup_fail_memory(r->error, key);
    const sup_json* item = array ? array->first : NULL;
    for (uint32_t i = 0; i < *count; ++i, item = item->next) (*out)[i] = item;
    return SUP_OK;
}

sup_result gltf_index(gltf_reader* r, const sup_json* object, const char* key, uint32_t limit, const char* owner, uint32_t* out)
{
    const sup_json* value = sup_json_get(object, key);
    *out = SUP_NONE;
    if (!value) return SUP_OK;
    *out = sup_json_index(value, SUP_NONE);
    if (*out < limit) return SUP_OK;
    return sup_fail(r->error, SUP_ERROR_INPUT, "%s: its '%.60s' does not exist, there are %u; the file is damaged", owner,
                    key, limit);
}

const char* gltf_name(gltf_reader* r, const sup_json* object, const char* kind, uint32_t index)
{
    const char* name = sup_json_string(sup_json_get(object, "name"), "");
    return name[0] ? name : gltf_text(r, "%s %u", kind, index);
}

static sup_result create(gltf_reader* r, sup_character** out)
{
    sup_character_desc desc = { .name = sup_path_stem(r->work, r->in->path),
                                .part_count = r->part_count,
                                .parts = r->parts,
                                .joint_count = r->joint_count,
                                .joints = r->joints,
                                .clip_count = r->clip_count,
                                .clips = r->clips,
                                // The specification defines both, so nothing is assumed.
                                .metres_per_unit = r->in->unit > 0 ? r->in->unit : 1,
                                .unit_assumed = r->given && r->given->unit_assumed,
                                .up = sup_up_axis(r->in->up),
                                .up_assumed = r->given && r->given->up_assumed,
                                .warning_count = r->warning_count,
                                .warnings = r->warnings,
                                .progress = r->in->progress };
    GLTF_TRY(sup_character_create(&desc, r->in->allocator, out, r->error));
    r->source->part_count = r->part_count;
    r->source->parts = r->origins;
    if (r->given) r->source->unit = r->given->unit;
    (*out)->source = r->source;
    (*out)->source_format = "gltf";
    sup_arena_adopt((*out)->arena, r->keep);
    return SUP_OK;
}

static sup_result read_all(gltf_reader* r, sup_character** out)
{
    r->source = SUP_NEW(r->keep, gltf_source, 1);
    r->warnings = SUP_NEW(r->work, const char*, WARNINGS_MAX + 1);
    if (!r->source || !r->warnings) return sup_fail_memory(r->error, "the glTF reader");
    for (uint32_t i = 0; r->given && i < r->given->warning_count; ++i) gltf_warn(r, "%s", r->given->warnings[i]);
    GLTF_TRY(gltf_file_open(r));
    r->budget = (uint64_t)r->source->bytes * BUDGET_FACTOR + BUDGET_FREE;
    GLTF_TRY(gltf_report(r));
    GLTF_TRY(gltf_nodes_read(r));
    GLTF_TRY(gltf_parts_find(r));
    GLTF_TRY(gltf_report(r));
    GLTF_TRY(gltf_skins_read(r));
    GLTF_TRY(gltf_parts_place(r));
    GLTF_TRY(gltf_parts_dress(r));
    GLTF_TRY(gltf_clips_read(r));
    return create(r, out);
}

sup_result gltf_read(const sup_read_input* in, sup_character** out, sup_error* error)
{
    return gltf_read_given(in, NULL, out, error);
}

sup_result gltf_read_given(const sup_read_input* in, const gltf_given* given, sup_character** out, sup_error* error)
{
    SUP_ASSERT(in && in->path && out && (!given || in->arena));
    sup_arena*  keep = in->arena ? in->arena : sup_arena_create(in->allocator);
    sup_arena*  work = sup_arena_create(in->allocator);
    gltf_reader r = { .in = in, .given = given, .error = error, .keep = keep, .work = work };
    sup_result  result = keep && work ? read_all(&r, out) : sup_fail_memory(error, "the glTF reader");
    sup_arena_destroy(work);
    if (!in->arena) sup_arena_destroy(keep);
    return result;
}

gltf_kinship gltf_kinship_of(const sup_character* character)
{
    const char* format = character->source ? character->source_format : NULL;
    if (!format) return GLTF_NONE;
    if (strcmp(format, "gltf") == 0) return GLTF_WHOLE;
    if (strcmp(format, "gltf weights") == 0) return GLTF_WEIGHTS;
    return strcmp(format, "gltf surface") == 0 ? GLTF_SURFACE : GLTF_NONE;
}

const gltf_source* gltf_source_of(const sup_character* character)
{
    return gltf_kinship_of(character) == GLTF_NONE ? NULL : character->source;
}
