// Queries about the frame that an instance evaluated last: its hash, measurements, normals, and drawings.
#include "handles.h"

#include <stdlib.h>
#include <string.h>

bool flat_shown(flat_object* o)
{
    if (!o->shown) sup_fail(&o->error, SUP_ERROR_INPUT, "no frame has been evaluated yet");
    return o->shown;
}

/// Enters an instance that has evaluated a frame; the caller must leave it.
static flat_object* enter_shown(flat_handle handle, int32_t* status)
{
    flat_object* o = flat_enter(handle, FLAT_INSTANCE, status);
    if (!o || flat_shown(o)) return o;
    *status = FLAT_INPUT;
    flat_leave(o);
    return NULL;
}

const char* flat_hash(flat_handle handle)
{
    int32_t      status;
    flat_object* o = enter_shown(handle, &status);
    if (!o) return NULL;
    uint64_t hash = sup_hash_points(o->skin, flat_ancestor(o, FLAT_CHARACTER)->character->mesh.point_count);
    char     digits[17];
    flat_digits(hash, digits);
    o->text.used = 0;
    const char* text = flat_bytes_add(&o->text, digits, 16) ? o->text.data : NULL;
    flat_leave(o);
    return text;
}

/// The instance's meter, created on first use.
static sup_result get_meter(flat_object* o, sup_meter** out)
{
    if (o->meter) return *out = o->meter, SUP_OK;
    sup_result r = sup_meter_create(flat_ancestor(o, FLAT_CHARACTER)->character, NULL, &o->meter, &o->error);
    if (!r && !(o->meter_scratch = sup_scratch_create(sup_meter_scratch(o->meter), NULL)))
        r = sup_fail(&o->error, SUP_ERROR_MEMORY, "out of memory while measuring");
    if (r) sup_meter_destroy(o->meter), o->meter = NULL;
    *out = o->meter;
    return r;
}

static sup_json* measure(flat_object* o, sup_arena* a)
{
    sup_meter* m = NULL;
    if (!flat_shown(o) || get_meter(o, &m) != SUP_OK) return NULL;
    sup_json* out = sup_json_new(a, SUP_JSON_OBJECT);
    uint32_t  parts = sup_meter_part_count(m);
    double*   volumes = sup_arena_alloc(a, parts, sizeof *volumes);
    if (!out || !volumes) return NULL;
    sup_meter_part_volumes(m, sup_instance_pose(o->instance), o->skin, volumes);
    sup_json_set(a, out, "volume", sup_json_new_number(a, sup_meter_volume(m, o->skin)));
    sup_json_set(a, out, "volume_rest", sup_json_new_number(a, sup_meter_rest_volume(m)));
    sup_json_set(a, out, "stretch", sup_json_new_number(a, sup_meter_stretch(m, o->skin, NULL)));
    sup_json_set(a, out, "roughness", sup_json_new_number(a, sup_meter_roughness(m, o->skin, NULL)));
    uint32_t crossings = sup_meter_intersections(m, o->skin, o->meter_scratch, flat_tasks(o), NULL, 0);
    bool     counted = crossings != SUP_METER_UNCOUNTED;
    sup_json_set(a, out, "crossings", counted ? sup_json_new_number(a, crossings) : sup_json_new(a, SUP_JSON_NULL));
    sup_json* list = sup_json_set(a, out, "parts", sup_json_new(a, SUP_JSON_ARRAY));
    for (uint32_t i = 0; i < parts; ++i) {
        const sup_meter_part* p = sup_meter_part_at(m, i);
        sup_json*             one = sup_json_push(list, sup_json_new(a, SUP_JSON_OBJECT));
        sup_json_set(a, one, "name", sup_json_new_string(a, p->name));
        sup_json_set(a, one, "volume", sup_json_new_number(a, volumes[i]));
        sup_json_set(a, one, "volume_rest", sup_json_new_number(a, p->rest_volume));
    }
    sup_json* fallbacks = sup_json_set(a, out, "fallbacks", sup_json_new(a, SUP_JSON_OBJECT));
    for (uint32_t i = 0; i < o->stats.count; ++i)
        sup_json_set(a, fallbacks, o->stats.items[i].name, sup_json_new_number(a, (double)o->stats.items[i].times));
    return fallbacks ? out : NULL;
}

const char* flat_measure(flat_handle instance) { return flat_answer(instance, FLAT_INSTANCE, measure); }

const char* flat_errors(flat_handle handle, const float* truth, uint64_t floats)
{
    int32_t      status;
    flat_object* o = enter_shown(handle, &status);
    if (!o) return NULL;
    const sup_mesh* mesh = &flat_ancestor(o, FLAT_CHARACTER)->character->mesh;
    sup_errors      e = { 0 };
    sup_arena*      a = sup_arena_create(NULL);
    const char*     text = NULL;
    if (flat_fits(o, "the points of a truth", truth, floats, 3 * (uint64_t)mesh->point_count) &&
        flat_all_finite(o, "the truth", truth, floats)) {
        sup_errors_add(&e, o->skin, (const sup_vec3*)truth, mesh->point_count, NULL);
        sup_json* out = a ? sup_json_new(a, SUP_JSON_OBJECT) : NULL;
        sup_json_set(a, out, "max", sup_json_new_number(a, e.max));
        sup_json_set(a, out, "mean", sup_json_new_number(a, sup_errors_mean(&e)));
        sup_json_set(a, out, "rms", sup_json_new_number(a, sup_errors_rms(&e)));
        sup_json* last = sup_json_set(a, out, "erms", sup_json_new_number(a, sup_errors_erms(&e, (double)mesh->diagonal)));
        if (!last || !(text = flat_text(o, out))) sup_fail(&o->error, SUP_ERROR_MEMORY, "out of memory while measuring");
    }
    sup_arena_destroy(a);
    flat_leave(o);
    return text;
}

static sup_result put_volumes(flat_object* o, sup_meter* m, float* out)
{
    sup_arena* arena = sup_arena_create(NULL);
    double*    volumes = arena ? sup_arena_alloc(arena, sup_meter_part_count(m), sizeof *volumes) : NULL;
    if (volumes) {
        sup_meter_part_volumes(m, sup_instance_pose(o->instance), o->skin, volumes);
        sup_meter_volume_values(m, volumes, out);
    }
    sup_arena_destroy(arena);
    return volumes ? SUP_OK : sup_fail(&o->error, SUP_ERROR_MEMORY, "out of memory while measuring");
}

static sup_result put_weights(flat_object* o, const sup_character* c, const char* joint, float* out)
{
    uint32_t found = 0;
    while (found < c->skeleton.joint_count && strcmp(c->skeleton.joints[found].name, joint) != 0) ++found;
    if (found == c->skeleton.joint_count)
        return sup_fail(&o->error, SUP_ERROR_INPUT, "'%s' has no joint '%s'; flat_inspect lists its %u", c->name, joint, found);
    for (uint32_t p = 0; p < c->mesh.point_count; ++p) {
        out[p] = 0;
        for (uint32_t i = c->weights.begin[p]; i < c->weights.begin[p + 1]; ++i)
            if (c->weights.joints[i] == found) out[p] += c->weights.values[i];
    }
    return SUP_OK;
}

static sup_result put_map(flat_object* o, const sup_character* c, const char* name, float* out)
{
    uint64_t     count = 0;
    const float* values = flat_map_array(c, name, &count);
    if (!values) return sup_fail(&o->error, SUP_ERROR_INPUT, "'%s' has no map '%s'; flat_inspect lists them", c->name, name);
    memcpy(out, values, count * sizeof *out);
    return SUP_OK;
}

int32_t flat_values(flat_handle handle, const char* what, float* out, uint64_t floats)
{
    int32_t      status;
    flat_object* o = enter_shown(handle, &status);
    if (!o) return status;
    const sup_character* c = flat_ancestor(o, FLAT_CHARACTER)->character;
    sup_meter*           m = NULL;
    if (!what) what = "";
    bool       stretch = !strcmp(what, "stretch"), rough = !strcmp(what, "roughness"), volume = !strcmp(what, "volume");
    bool       weight = !strncmp(what, "weight:", 7), map = !strncmp(what, "map:", 4);
    sup_result r = SUP_OK;
    if (!stretch && !rough && !volume && !weight && !map)
        r = sup_fail(&o->error, SUP_ERROR_INPUT,
                     "values are \"stretch\", \"roughness\", \"volume\", \"weight:JOINT\" or \"map:NAME\", not \"%s\"", what);
    else if (!flat_fits(o, "values of points", out, floats, c->mesh.point_count)) r = SUP_ERROR_INPUT;
    else if (!weight && !map) r = get_meter(o, &m);
    if (!r && stretch) sup_meter_stretch(m, o->skin, out);
    if (!r && rough) sup_meter_roughness(m, o->skin, out);
    if (!r && volume) r = put_volumes(o, m, out);
    if (!r && weight) r = put_weights(o, c, what + 7, out);
    if (!r && map) r = put_map(o, c, what + 4, out);
    flat_leave(o);
    return (int32_t)r;
}

int32_t flat_distances(flat_handle handle, const float* others, uint64_t floats, float* out, uint64_t count)
{
    int32_t      status;
    flat_object* o = enter_shown(handle, &status);
    if (!o) return status;
    uint32_t   points = flat_ancestor(o, FLAT_CHARACTER)->character->mesh.point_count;
    sup_errors e = { 0 };
    bool       good = flat_fits(o, "the other places of points", others, floats, 3 * (uint64_t)points) &&
                flat_all_finite(o, "the other places", others, floats) &&
                flat_fits(o, "distances of points", out, count, points);
    if (good) sup_errors_add(&e, o->skin, (const sup_vec3*)others, points, out);
    flat_leave(o);
    return good ? FLAT_OK : FLAT_INPUT;
}

int32_t flat_normals(flat_handle handle, float* out, uint64_t floats)
{
    int32_t      status;
    flat_object* o = enter_shown(handle, &status);
    if (!o) return status;
    const sup_character* c = flat_ancestor(o, FLAT_CHARACTER)->character;
    sup_result           r =
        flat_fits(o, "the normals of vertices", out, floats, 3 * (uint64_t)c->mesh.vertex_count) ? SUP_OK : SUP_ERROR_INPUT;
    if (!r && !o->normals) r = sup_normals_create(c, o->arena, &o->normals, &o->error);
    if (!r && !o->normals_scratch && !(o->normals_scratch = sup_scratch_create(sup_normals_scratch(o->normals), NULL)))
        r = sup_fail(&o->error, SUP_ERROR_MEMORY, "out of memory while turning normals");
    if (!r) sup_normals_evaluate(o->normals, o->skin, o->normals_scratch, flat_tasks(o), (sup_vec3*)out, NULL);
    flat_leave(o);
    return (int32_t)r;
}

// ---------------------------------------------------------------------------------------------- drawing

typedef struct drawing {
    flat_object* o;
    const char*  what; ///< NULL: all
    bool         full; ///< out of memory
    const char*  last; ///< the last name added: links draw hundreds of things with one name in a row
} drawing;

static void note_name(drawing* d, const char* what)
{
    flat_bytes* names = &d->o->drawn[3];
    size_t      length = strlen(what);
    d->last = what;
    for (size_t at = 0; at < names->used;) {
        const char* line = (const char*)names->data + at;
        size_t      size = (size_t)((const char*)memchr(line, '\n', names->used - at) - line);
        if (size == length && memcmp(line, what, size) == 0) return;
        at += size + 1;
    }
    if (!flat_bytes_add(names, what, length) || !flat_bytes_add(names, "\n", 1)) d->full = true;
}

static void add_corners(drawing* d, int kind, const char* what, const sup_vec3* corners, int count, float value)
{
    if (d->full) return;
    if (what != d->last) note_name(d, what);
    if (d->what && strcmp(d->what, what) != 0) return;
    for (int i = 0; i < count; ++i) {
        const float corner[4] = { corners[i].x, corners[i].y, corners[i].z, value };
        if (!d->full && !flat_bytes_add(&d->o->drawn[kind], corner, sizeof corner)) d->full = true;
    }
}

static void add_line(void* user, const char* what, sup_vec3 a, sup_vec3 b, float value)
{
    add_corners(user, 0, what, (const sup_vec3[]){ a, b }, 2, value);
}
static void add_point(void* user, const char* what, sup_vec3 at, float value) { add_corners(user, 1, what, &at, 1, value); }
static void add_triangle(void* user, const char* what, sup_vec3 a, sup_vec3 b, sup_vec3 c, float value)
{
    add_corners(user, 2, what, (const sup_vec3[]){ a, b, c }, 3, value);
}

int32_t flat_draw(flat_handle handle, uint32_t link, const char* what)
{
    int32_t      status;
    flat_object* o = enter_shown(handle, &status);
    if (!o) return status;
    drawing    d = { o, what, false, NULL };
    sup_canvas canvas = { add_line, add_point, add_triangle, &d };
    sup_result r = SUP_OK;
    for (int i = 0; i < 4; ++i) o->drawn[i].used = 0;
    if (link >= sup_chain_link_count(o->parent->chain) || !sup_instance_draw(o->instance, link, o->skin, &canvas))
        r = sup_fail(&o->error, SUP_ERROR_INPUT, "link %u of '%s' draws nothing", link, sup_chain_text(o->parent->chain));
    else if (d.full) r = sup_fail(&o->error, SUP_ERROR_MEMORY, "out of memory while drawing");
    flat_leave(o);
    return (int32_t)r;
}
