// Changes to a character: maps, sculpts, motions; and what is made from one: a rig from shapes, a file.
#include "handles.h"

#include <math.h>
#include <string.h>

static sup_result put_map(sup_character* c, const char* name, const float* values, uint64_t count, sup_error* error)
{
    const sup_mesh* mesh = &c->mesh;
    const char*     own = flat_map_name(name, c->arena);
    sup_map*        maps = sup_arena_alloc(c->arena, (size_t)c->map_count + 1, sizeof *maps);
    float*          points = sup_arena_alloc(c->arena, mesh->point_count, sizeof *points);
    uint32_t*       copies = sup_arena_alloc(c->arena, mesh->point_count, sizeof *copies);
    uint32_t        slot = c->map_count;
    if (!own || !maps || !points || !copies) return sup_fail(error, SUP_ERROR_MEMORY, "out of memory while adding a map");
    for (uint64_t i = 0; i < count; ++i) {
        uint32_t point = count == mesh->point_count ? (uint32_t)i : mesh->vertex_points[i];
        points[point] += values[i] < 0 ? 0 : values[i] > 1 ? 1 : values[i];
        copies[point]++;
    }
    for (uint32_t i = 0; i < mesh->point_count; ++i)
        if (copies[i] > 1) points[i] /= (float)copies[i];
    for (uint32_t i = 0; i < c->map_count; ++i) {
        maps[i] = c->maps[i];
        if (!strcmp(maps[i].name, own)) slot = i;
    }
    maps[slot] = (sup_map){ own, points };
    c->map_count += slot == c->map_count;
    c->maps = maps;
    return SUP_OK;
}

/// One value (or three) for each point or each stored vertex, all finite.
static bool fits_mesh(flat_object* o, const char* what, const float* values, uint64_t count, uint64_t width)
{
    const sup_mesh* mesh = &o->character->mesh;
    if (values && (count == width * mesh->point_count || count == width * mesh->vertex_count))
        return flat_all_finite(o, what, values, count);
    sup_fail(&o->error, SUP_ERROR_INPUT, "%s have %llu floats; '%s' has %u points and %u vertices: give %u for each of either",
             what, values ? (unsigned long long)count : 0ull, o->character->name, mesh->point_count, mesh->vertex_count,
             (unsigned)width);
    return false;
}

int32_t flat_map(flat_handle character, const char* name, const float* values, uint64_t count)
{
    int32_t      status;
    flat_object* o = flat_enter_to_change(character, &status);
    if (!o) return status;
    sup_result r = !name || !name[0] ? sup_fail(&o->error, SUP_ERROR_INPUT, "a map needs a name")
                   : fits_mesh(o, "values of a map", values, count, 1) ? put_map(o->character, name, values, count, &o->error)
                                                                       : SUP_ERROR_INPUT;
    flat_leave(o);
    return (int32_t)r;
}

// ---------------------------------------------------------------------------------------------- sculpts

static sup_result put_example(sup_character* c, const sup_example* given, const float* points, bool by_vertex, sup_error* error)
{
    sup_example* examples = sup_arena_alloc(c->arena, (size_t)c->example_count + 1, sizeof *examples);
    sup_vec3*    copy = sup_arena_alloc(c->arena, c->mesh.point_count, sizeof *copy);
    const char * name = sup_arena_text(c->arena, given->name, strlen(given->name)),
               *clip = given->clip ? sup_arena_text(c->arena, given->clip, strlen(given->clip)) : NULL;
    if (!examples || !copy || !name || (given->clip && !clip))
        return sup_fail(error, SUP_ERROR_MEMORY, "out of memory while adding a sculpt");
    if (!by_vertex) memcpy(copy, points, c->mesh.point_count * sizeof *copy);
    for (uint32_t i = by_vertex ? c->mesh.vertex_count : 0; i-- > 0;) // the first vertex of a point wins
        memcpy(&copy[c->mesh.vertex_points[i]], points + 3 * (size_t)i, sizeof *copy);
    for (uint32_t i = 0; i < c->example_count; ++i) {
        examples[i] = c->examples[i];
        bool same_clip = !clip || !examples[i].clip || !strcmp(clip, examples[i].clip);
        if (same_clip && fabs(examples[i].time - given->time) <= 0.0005)
            return sup_fail(error, SUP_ERROR_INPUT, "the sculpts '%s' and '%s' are both at %g s; give each its own time",
                            examples[i].name, name, given->time);
    }
    examples[c->example_count] = *given;
    examples[c->example_count].name = name, examples[c->example_count].clip = clip, examples[c->example_count].points = copy;
    c->examples = examples;
    c->example_count++;
    return SUP_OK;
}

static sup_result read_example(flat_object* o, const char* description, sup_arena* arena, sup_example* out, bool* drop)
{
    static const flat_member members[] = {
        { "name", FLAT_IS_TEXT }, { "clip", FLAT_IS_ANY }, { "time", FLAT_IS_NUMBER }, { "rest_space", FLAT_IS_SWITCH }
    };
    sup_json*       json;
    const sup_clip* clip;
    sup_result      r = flat_parse(description, "sculpts", members, 4, arena, &json, &o->error);
    if (!r) r = flat_find_clip(o->character, sup_json_get(json, "clip"), NULL, &clip, &o->error);
    if (!r) r = flat_number(json, "time", 0, 1e6, 0, &out->time, &o->error);
    if (r) return r;
    *drop = !sup_json_get(json, "time");
    out->name = sup_json_string(sup_json_get(json, "name"), "sculpt");
    out->clip = clip ? clip->name : NULL;
    out->in_rest_space = flat_true(sup_json_get(json, "rest_space"));
    return SUP_OK;
}

int32_t flat_example(flat_handle character, const char* description, const float* points, uint64_t floats)
{
    int32_t      status;
    flat_object* o = flat_enter_to_change(character, &status);
    if (!o) return status;
    sup_arena*  arena = sup_arena_create(NULL);
    sup_example given = { 0 };
    bool        drop = false;
    sup_result  r =
        arena ? read_example(o, description, arena, &given, &drop) : sup_fail(&o->error, SUP_ERROR_MEMORY, "out of memory");
    if (!r && drop) o->character->example_count = 0;
    if (!r && !drop)
        r = fits_mesh(o, "points of a sculpt", points, floats, 3)
                ? put_example(o->character, &given, points, floats != 3 * (uint64_t)o->character->mesh.point_count, &o->error)
                : SUP_ERROR_INPUT;
    sup_arena_destroy(arena);
    flat_leave(o);
    return (int32_t)r;
}

// ---------------------------------------------------------------------------------------------- motions

typedef struct motion_maker {
    sup_arena*   arena;
    uint32_t     frames;
    float*       times;
    sup_channel* channels;
    uint32_t     count;
} motion_maker;

/// Keys of `width` floats a frame, `stride` apart; one key where nothing changes. False: out of memory.
static bool add_channel(motion_maker* m, uint32_t target, sup_path path, uint32_t width, const float* first, size_t stride)
{
    uint32_t keys = 1;
    for (uint32_t f = 1; f < m->frames && keys == 1; ++f)
        if (memcmp(first, first + f * stride, width * sizeof *first) != 0) keys = m->frames;
    float* values = sup_arena_alloc(m->arena, (size_t)keys * width, sizeof *values);
    if (!values) return false;
    for (uint32_t f = 0; f < keys; ++f) memcpy(values + (size_t)f * width, first + f * stride, width * sizeof *values);
    m->channels[m->count++] =
        (sup_channel){ .target = target, .path = path, .key_count = keys, .width = width, .times = m->times, .values = values };
    return true;
}

static sup_result make_motion(motion_maker* m, const sup_character* c, double fps, const float* local, const float* morphs,
                              sup_error* error)
{
    uint32_t joints = c->skeleton.joint_count;
    size_t   stride = 10 * (size_t)joints;
    bool     good = true;
    m->times = sup_arena_alloc(m->arena, m->frames, sizeof *m->times);
    m->channels = sup_arena_alloc(m->arena, 3 * (size_t)joints + c->mesh.part_count, sizeof *m->channels);
    if (!m->times || !m->channels) return sup_fail(error, SUP_ERROR_MEMORY, "out of memory while adding a motion");
    for (uint32_t f = 0; f < m->frames; ++f) m->times[f] = (float)sup_frame_time(0, fps, f);
    for (uint32_t j = 0; j < joints && good; ++j)
        good = add_channel(m, j, SUP_PATH_TRANSLATION, 3, local + 10 * (size_t)j, stride) &&
               add_channel(m, j, SUP_PATH_ROTATION, 4, local + 10 * (size_t)j + 3, stride) &&
               add_channel(m, j, SUP_PATH_SCALE, 3, local + 10 * (size_t)j + 7, stride);
    for (uint32_t p = 0; p < c->mesh.part_count && morphs && good; ++p) {
        const sup_part* part = &c->mesh.parts[p];
        if (part->morph_count)
            good = add_channel(m, p, SUP_PATH_WEIGHTS, part->morph_count, morphs + part->morph_begin, c->morph_count);
    }
    return good ? SUP_OK : sup_fail(error, SUP_ERROR_MEMORY, "out of memory while adding a motion");
}

static sup_result add_motion(flat_object* o, const char* description, sup_arena* arena, const float* local,
                             uint64_t local_floats, const float* morphs, uint64_t morph_floats)
{
    static const flat_member members[] = { { "name", FLAT_IS_TEXT }, { "fps", FLAT_IS_NUMBER } };
    const sup_character*     c = o->character;
    uint64_t                 stride = 10 * (uint64_t)c->skeleton.joint_count, frames = stride ? local_floats / stride : 0;
    sup_json*                json;
    double                   fps;
    sup_result               r = flat_parse(description, "motions", members, 2, arena, &json, &o->error);
    if (!r) r = flat_number(json, "fps", 0.01, 10000, 30, &fps, &o->error);
    if (r) return r;
    const char* name = sup_json_string(sup_json_get(json, "name"), "motion");
    if (!local || !frames || local_floats % stride || frames > 1000000)
        return sup_fail(&o->error, SUP_ERROR_INPUT,
                        "a motion takes %llu floats per frame (ten per joint), but the buffer has %llu",
                        (unsigned long long)stride, local ? (unsigned long long)local_floats : 0ull);
    if ((morphs && !flat_fits(o, "the morphs of a motion", morphs, morph_floats, frames * c->morph_count)) ||
        !flat_all_finite(o, "a motion", local, local_floats) ||
        (morphs && !flat_all_finite(o, "the morphs of a motion", morphs, morph_floats)))
        return SUP_ERROR_INPUT;
    if (sup_character_clip(c, name))
        return sup_fail(&o->error, SUP_ERROR_INPUT, "'%s' has a clip '%s' already; choose another name", c->name, name);
    motion_maker m = { .arena = arena, .frames = (uint32_t)frames };
    r = make_motion(&m, c, fps, local, morphs, &o->error);
    const sup_clip clip = { .name = name,
                            .seconds = sup_frame_time(0, fps, m.frames - 1),
                            .channel_count = m.count,
                            .channels = m.channels,
                            .source_id = SUP_NONE };
    return r ? r : sup_character_add_clip(o->character, &clip, &o->error);
}

int32_t flat_clip(flat_handle character, const char* description, const float* local, uint64_t local_floats,
                  const float* morphs, uint64_t morph_floats)
{
    int32_t      status;
    flat_object* o = flat_enter_to_change(character, &status);
    if (!o) return status;
    sup_arena* arena = sup_arena_create(NULL);
    sup_result r = arena ? add_motion(o, description, arena, local, local_floats, morphs, morph_floats)
                         : sup_fail(&o->error, SUP_ERROR_MEMORY, "out of memory");
    sup_arena_destroy(arena);
    flat_leave(o);
    return (int32_t)r;
}

// ---------------------------------------------------------------------------------------------- a rig from shapes

static sup_result read_fit(const char* description, sup_arena* arena, sup_decompose_options* out, double* fps, sup_error* error)
{
    static const flat_member members[] = { { "bones", FLAT_IS_NUMBER },      { "error", FLAT_IS_NUMBER },
                                           { "influences", FLAT_IS_NUMBER }, { "smooth", FLAT_IS_NUMBER },
                                           { "rigid", FLAT_IS_NUMBER },      { "seed", FLAT_IS_NUMBER },
                                           { "flat", FLAT_IS_SWITCH },       { "fps", FLAT_IS_NUMBER } };
    sup_json*                json;
    double                   bones, influences, seed;
    sup_result               r = flat_parse(description, "fits", members, 8, arena, &json, error);
    if (!r) r = flat_number(json, "bones", 1, SUP_DECOMPOSE_BONES_MAX, 0, &bones, error);
    if (!r) r = flat_number(json, "error", 1e-6, 1e6, 0, &out->error, error);
    if (!r) r = flat_number(json, "influences", 1, 16, 4, &influences, error);
    if (!r) r = flat_number(json, "smooth", 0, 100, 0, &out->smooth, error);
    if (!r) r = flat_number(json, "rigid", 0, 1, 0, &out->rigid, error);
    if (!r) r = flat_number(json, "seed", 0, 9007199254740991.0, 0, &seed, error);
    if (!r) r = flat_number(json, "fps", 0.01, 10000, 30, fps, error);
    if (r) return r;
    if (sup_json_get(json, "rigid") && out->rigid == 0) out->rigid = -1; // 0 is the library's default
    if (out->error > 0) out->bones_max = (uint32_t)bones;                // with a target error, the maximum
    else out->bones = (uint32_t)bones;
    out->influences = (uint32_t)influences;
    out->seed = (uint64_t)seed;
    out->flat = flat_true(sup_json_get(json, "flat"));
    return SUP_OK;
}

static sup_result fit(flat_object* o, flat_object* made, const char* description, const float* frames, uint64_t floats,
                      const sup_progress* progress, sup_arena* arena)
{
    const sup_mesh*       mesh = &o->character->mesh;
    uint64_t              stride = 3 * (uint64_t)mesh->point_count;
    sup_decompose_options how = { .tasks = flat_tasks(o), .progress = progress };
    double                fps;
    sup_result            r = read_fit(description, arena, &how, &fps, &o->error);
    if (r) return r;
    if (!frames || !floats || floats % stride || floats / stride > UINT32_MAX)
        return sup_fail(&o->error, SUP_ERROR_INPUT,
                        "shapes take %llu floats per frame (three per point), but the buffer has %llu",
                        (unsigned long long)stride, frames ? (unsigned long long)floats : 0ull);
    if (!flat_all_finite(o, "the shapes", frames, floats)) return SUP_ERROR_INPUT;
    const sup_decompose_input in = { .point_count = mesh->point_count,
                                     .frame_count = (uint32_t)(floats / stride),
                                     .rest = mesh->points,
                                     .frames = (const sup_vec3*)frames,
                                     .face_count = mesh->face_count,
                                     .face_begin = mesh->face_begin,
                                     .corners = mesh->corner_points };
    sup_decomposition         found;
    r = sup_decompose(&in, &how, arena, &found, &o->error);
    if (!r) r = sup_decomposition_attach(o->character, &found, "fit", fps, NULL, NULL, &made->character, &o->error);
    if (!r) made->fit = found; // keeps its numbers; the arrays die with the arena and are never read
    return r;
}

flat_handle flat_fit(flat_handle character, const char* description, const float* frames, uint64_t floats,
                     flat_progress_fn* progress, void* user)
{
    int32_t      status;
    flat_object* o = flat_enter(character, FLAT_CHARACTER, &status);
    if (!o) return 0;
    flat_listener listener = { progress, user };
    sup_progress  report = { flat_report, &listener };
    flat_object*  made = flat_object_new(FLAT_CHARACTER, flat_ancestor(o, FLAT_SESSION));
    sup_arena*    arena = sup_arena_create(NULL);
    sup_result    r = made && arena ? fit(o, made, description, frames, floats, progress ? &report : NULL, arena)
                                    : sup_fail(&o->error, SUP_ERROR_MEMORY, "out of memory");
    sup_arena_destroy(arena);
    return flat_leave_with(o, made, r);
}

// ---------------------------------------------------------------------------------------------- a file

const uint8_t* flat_write(flat_handle character, uint64_t* size)
{
    int32_t      status;
    sup_bytes    bytes = { NULL, 0 };
    flat_object* o = flat_enter(character, FLAT_CHARACTER, &status);
    if (size) *size = 0;
    if (!o) return NULL;
    sup_arena_destroy(o->written);
    o->written = sup_arena_create(NULL);
    if (!o->written) sup_fail(&o->error, SUP_ERROR_MEMORY, "out of memory");
    else if (sup_character_write_memory(o->character, o->written, &bytes, &o->error) == SUP_OK && size) *size = bytes.size;
    flat_leave(o);
    return bytes.data;
}
