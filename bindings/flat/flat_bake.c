// Bakes: a chain over a clip as arrays, as files, or as the bytes of files.
#include "handles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct bake_plan {
    sup_instance_desc play;
    sup_bake_desc     write;
    bool              memory;
} bake_plan;

/// Reads and checks the description; frames and times are those of `supple bake`.
static sup_result read_plan(flat_object* o, flat_object* chain, const char* description, bake_plan* out)
{
    static const flat_member members[] = {
        { "clip", FLAT_IS_ANY },       { "start", FLAT_IS_NUMBER }, { "end", FLAT_IS_NUMBER },    { "fps", FLAT_IS_NUMBER },
        { "preroll", FLAT_IS_NUMBER }, { "loop", FLAT_IS_SWITCH },  { "file", FLAT_IS_TEXT },     { "memory", FLAT_IS_SWITCH },
        { "name", FLAT_IS_TEXT },      { "flat", FLAT_IS_SWITCH },  { "sparse", FLAT_IS_SWITCH }, { "hold", FLAT_IS_NUMBER }
    };
    sup_error*           error = &chain->error;
    const sup_character* c = flat_ancestor(chain, FLAT_CHARACTER)->character;
    sup_json*            json;
    const sup_clip*      clip = NULL;
    double               start, end, fps, preroll, hold, still;
    sup_result           r = flat_parse(description, "bakes", members, 12, o->arena, &json, error);
    if (!r) r = flat_find_clip(c, sup_json_get(json, "clip"), chain->clip, &clip, error);
    double seconds = clip ? clip->seconds : 0;
    if (!r) r = flat_number(json, "start", 0, 1e6, 0, &start, error);
    if (!r) r = flat_number(json, "end", 0, 1e6, seconds, &end, error);
    if (!r) r = flat_number(json, "fps", 0.01, 10000, 30, &fps, error);
    if (!r) r = flat_number(json, "preroll", 0, 1000, 0.5, &preroll, error);
    if (!r) r = flat_number(json, "hold", 0, 1e6, 0, &hold, error);
    if (r) return r;
    bool loop = flat_true(sup_json_get(json, "loop"));
    if (start > end) return sup_fail(error, SUP_ERROR_INPUT, "the bake starts at %g s, after its end at %g s", start, end);
    if (loop && hold > 0) return sup_fail(error, SUP_ERROR_INPUT, "a cycle has no last pose to hold; leave out loop or hold");
    still = hold > 0 ? end : 0;
    end += hold;
    if (loop && !clip) return sup_fail(error, SUP_ERROR_INPUT, "a loop needs a clip");
    if ((end - start) * fps > 1e6) return sup_fail(error, SUP_ERROR_INPUT, "a bake has at most a million frames; lower fps");
    const char* path = sup_json_string(sup_json_get(json, "file"), NULL);
    out->memory = flat_true(sup_json_get(json, "memory"));
    if (out->memory && !path)
        return sup_fail(error, SUP_ERROR_INPUT,
                        "a bake to memory needs a file name, whose ending picks the format: \"out.glb\"");
    out->play = (sup_instance_desc){ .chain = chain->chain,
                                     .clip = clip,
                                     .start = start,
                                     .end = end,
                                     .still = still,
                                     .preroll = preroll > 0 ? preroll : SUP_NO_PREROLL,
                                     .loop = loop,
                                     .snapshots = 1, // a bake never seeks back
                                     .tasks = flat_tasks(o) };
    out->write = (sup_bake_desc){ .path = path,
                                  .character = c,
                                  .clip = clip,
                                  .name = sup_json_string(sup_json_get(json, "name"), NULL),
                                  .chain = sup_chain_text(chain->chain),
                                  .start = start,
                                  .end = end,
                                  .still = still,
                                  .fps = fps,
                                  .loop = loop,
                                  .frame_count = sup_frame_count(start, end, fps, loop),
                                  .flat = flat_true(sup_json_get(json, "flat")),
                                  .sparse = flat_true(sup_json_get(json, "sparse")),
                                  .linear = !strcmp(sup_chain_text(chain->chain), "linear") };
    return SUP_OK;
}

/// Everything a bake works with, released in one place.
typedef struct bench {
    sup_instance*      instance;
    sup_bake*          bake;
    const sup_normals* normals;
    void *             scratch, *normals_scratch;
    sup_vec3 *         points, *vertex_normals; ///< of one frame, when writing files
} bench;

static sup_result prepare(flat_object* o, const bake_plan* plan, bench* b, sup_error* error)
{
    const sup_mesh* mesh = &plan->write.character->mesh;
    flat_baked*     out = &o->baked;
    out->frames = plan->write.frame_count, out->fps = plan->write.fps, out->start = plan->write.start;
    out->times = sup_arena_alloc(o->arena, out->frames, sizeof *out->times);
    out->hashes = sup_arena_alloc(o->arena, out->frames, sizeof *out->hashes);
    sup_result r = sup_instance_create(&plan->play, &b->instance, error);
    if (!r && plan->write.path) r = sup_normals_create(plan->write.character, o->arena, &b->normals, error);
    if (r) return r;
    b->scratch = sup_scratch_create(sup_chain_scratch_size(plan->play.chain), NULL);
    bool good = out->times && out->hashes && b->scratch;
    if (plan->write.path) {
        b->normals_scratch = sup_scratch_create(sup_normals_scratch(b->normals), NULL);
        b->points = sup_arena_alloc(o->arena, (size_t)mesh->point_count + 8, sizeof *b->points);
        b->vertex_normals = sup_arena_alloc(o->arena, (size_t)mesh->vertex_count + 8, sizeof *b->vertex_normals);
        good = good && b->normals_scratch && b->points && b->vertex_normals;
    } else {
        size_t frame = (size_t)mesh->point_count, capacity = frame * out->frames + 8;
        good = good && (!frame || capacity / frame >= out->frames);
        out->points = good ? sup_arena_alloc(o->arena, capacity, sizeof *out->points) : NULL;
        good = good && out->points;
    }
    return good ? SUP_OK
                : sup_fail(error, SUP_ERROR_MEMORY,
                           "out of memory for %u frames of %u points; bake a shorter span, or to a file", out->frames,
                           mesh->point_count);
}

static sup_result run_frames(flat_object* o, const bake_plan* plan, bench* b, const sup_progress* progress, sup_error* error)
{
    flat_baked* out = &o->baked;
    uint32_t    count = plan->write.character->mesh.point_count;
    out->hash = SUP_HASH_START;
    for (uint32_t i = 0; i < out->frames; ++i) {
        if (!sup_progress_report(progress, (double)i / out->frames, "bake"))
            return sup_fail(error, SUP_ERROR_CANCELLED, "the bake was stopped");
        sup_vec3* to = out->points ? out->points + (size_t)i * count : b->points;
        out->times[i] = sup_frame_time(out->start, out->fps, i);
        sup_instance_evaluate(b->instance, out->times[i], b->scratch, &o->stats, to);
        out->hashes[i] = sup_hash_points(to, count);
        uint8_t bytes[8];
        for (int k = 0; k < 8; ++k) bytes[k] = (uint8_t)(out->hashes[i] >> 8 * k);
        out->hash = sup_hash(out->hash, bytes, sizeof bytes);
        if (!b->bake) continue;
        sup_normals_evaluate(b->normals, to, b->normals_scratch, plan->play.tasks, b->vertex_normals, NULL);
        const sup_bake_frame frame = { i, out->times[i], sup_instance_pose(b->instance), to, b->vertex_normals };
        sup_result           r = sup_bake_frame_write(b->bake, &frame, error);
        if (r) return r;
    }
    return sup_progress_report(progress, 1, "bake") ? SUP_OK : sup_fail(error, SUP_ERROR_CANCELLED, "the bake was stopped");
}

static sup_result bake(flat_object* o, flat_object* chain, const char* description, const sup_progress* progress)
{
    bake_plan  plan;
    bench      b = { 0 };
    sup_error* error = &chain->error;
    o->arena = sup_arena_create(NULL);
    sup_result r = o->arena ? read_plan(o, chain, description, &plan) : sup_fail(error, SUP_ERROR_MEMORY, "out of memory");
    if (!r) r = prepare(o, &plan, &b, error);
    if (!r && plan.write.path)
        r = plan.memory ? sup_bake_begin_memory(&plan.write, NULL, &b.bake, error)
                        : sup_bake_begin(&plan.write, NULL, &b.bake, error);
    if (!r) r = run_frames(o, &plan, &b, progress, error);
    const char* warnings = NULL;
    if (!r && b.bake) r = sup_bake_end(b.bake, &o->baked.bytes, &warnings, error);
    if (!r && warnings) o->baked.warnings = sup_arena_text(o->arena, warnings, strlen(warnings));
    if (!r) o->baked.path = plan.write.path;
    if (!r && plan.memory) o->baked.files = b.bake, b.bake = NULL;
    sup_bake_destroy(b.bake);
    sup_instance_destroy(b.instance);
    sup_scratch_destroy(b.scratch);
    sup_scratch_destroy(b.normals_scratch);
    return r;
}

flat_handle flat_bake(flat_handle chain, const char* description, flat_progress_fn* progress, void* user)
{
    int32_t      status;
    flat_object* o = flat_enter(chain, FLAT_CHAIN, &status);
    if (!o) return 0;
    flat_listener listener = { progress, user };
    sup_progress  report = { flat_report, &listener };
    flat_object * made = flat_object_new(FLAT_BAKE, o), *character = flat_ancestor(o, FLAT_CHARACTER);
    bool          still = made && flat_read_begin(character);
    sup_result    r = still ? bake(made, o, description, progress ? &report : NULL) : SUP_ERROR_INPUT;
    if (made && !still) sup_fail(&o->error, SUP_ERROR_INPUT, "another thread is changing the character");
    if (still) flat_read_end(character);
    return flat_leave_with(o, made, r);
}

// ---------------------------------------------------------------------------------------------- what it left

static void put_warnings(sup_arena* a, sup_json* list, const char* warnings)
{
    while (warnings && *warnings) {
        size_t length = strcspn(warnings, "\n");
        char*  line = sup_arena_text(a, warnings, length);
        if (line) sup_json_push(list, sup_json_new_string(a, line));
        warnings += length + (warnings[length] == '\n');
    }
}

sup_json* flat_inspect_bake(flat_object* o, sup_arena* a)
{
    const flat_baked* b = &o->baked;
    sup_json*         out = sup_json_new(a, SUP_JSON_OBJECT);
    char              digits[17];
    flat_digits(b->hash, digits);
    sup_json_set(a, out, "frames", sup_json_new_number(a, b->frames));
    sup_json_set(a, out, "fps", sup_json_new_number(a, b->fps));
    sup_json_set(a, out, "start", sup_json_new_number(a, b->start));
    sup_json_set(a, out, "points", sup_json_new_number(a, flat_ancestor(o, FLAT_CHARACTER)->character->mesh.point_count));
    sup_json_set(a, out, "chain", sup_json_new_string(a, sup_chain_text(o->parent->chain)));
    sup_json_set(a, out, "bytes", sup_json_new_number(a, (double)b->bytes));
    sup_json_set(a, out, "hash", sup_json_new_string(a, digits));
    sup_json* hashes = sup_json_set(a, out, "hashes", sup_json_new(a, SUP_JSON_ARRAY));
    for (uint32_t i = 0; i < b->frames; ++i) {
        flat_digits(b->hashes[i], digits);
        sup_json_push(hashes, sup_json_new_string(a, digits));
    }
    sup_json* fallbacks = sup_json_set(a, out, "fallbacks", sup_json_new(a, SUP_JSON_OBJECT));
    for (uint32_t i = 0; i < o->stats.count; ++i)
        sup_json_set(a, fallbacks, o->stats.items[i].name, sup_json_new_number(a, (double)o->stats.items[i].times));
    sup_json*   files = sup_json_set(a, out, "files", sup_json_new(a, SUP_JSON_ARRAY));
    const char* name;
    sup_bytes   bytes;
    for (uint32_t i = 0; b->files && sup_bake_output(b->files, i, &name, &bytes); ++i)
        sup_json_push(files, sup_json_new_string(a, name));
    if (!b->files && b->path) sup_json_push(files, sup_json_new_string(a, b->path));
    sup_json* warnings = sup_json_set(a, out, "warnings", sup_json_new(a, SUP_JSON_ARRAY));
    put_warnings(a, warnings, b->warnings);
    return warnings ? out : NULL;
}

const void* flat_bake_array(flat_object* o, const char* name, uint64_t* count)
{
    const flat_baked* b = &o->baked;
    if (!strcmp(name, "points") && b->points)
        return *count = 3 * (uint64_t)b->frames * flat_ancestor(o, FLAT_CHARACTER)->character->mesh.point_count, b->points;
    if (!strcmp(name, "times")) return *count = b->frames, b->times;
    if (strncmp(name, "file:", 5) != 0 || !b->files || strlen(name) > 11) return NULL;
    const char* own;
    sup_bytes   bytes;
    char*       end;
    unsigned    index = (unsigned)strtoul(name + 5, &end, 10);
    if (*end || !sup_bake_output(b->files, index, &own, &bytes)) return NULL;
    return *count = bytes.size, bytes.data;
}
