// Chains and what plays them.
#include "handles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// A clip by name or number; absent, null: `standard`.
static sup_result find_clip(const sup_character* c, const sup_json* wanted, const sup_clip* standard, const sup_clip** out,
                            sup_error* error)
{
    *out = standard;
    if (!wanted) return SUP_OK;
    if (wanted->type == SUP_JSON_NULL) return *out = NULL, SUP_OK;
    uint32_t index = sup_json_index(wanted, SUP_NONE);
    if (wanted->type == SUP_JSON_STRING) *out = sup_character_clip(c, wanted->text);
    else *out = index < c->clip_count ? &c->clips[index] : NULL;
    if (*out) return SUP_OK;
    return wanted->type == SUP_JSON_STRING
               ? sup_fail(error, SUP_ERROR_INPUT, "'%s' has no clip '%s'; flat_inspect lists its %u", c->name, wanted->text,
                          c->clip_count)
               : sup_fail(error, SUP_ERROR_INPUT, "'%s' has %u clips; give a name, or a number below that", c->name,
                          c->clip_count);
}

// ---------------------------------------------------------------------------------------------- chains

static sup_result make_chain(flat_object* made, const sup_character* c, const char* description, flat_listener* listener,
                             sup_error* error)
{
    static const char* const names[] = { "links", "clip", "set", "preset", "world", "step", "cycle" };
    sup_progress             progress = { flat_report, listener };
    sup_json*                json;
    made->arena = sup_arena_create(NULL);
    if (!made->arena) return sup_fail(error, SUP_ERROR_MEMORY, "out of memory");
    sup_result r = flat_parse(description, "chains", names, 7, made->arena, &json, error);
    if (!r) r = find_clip(c, sup_json_get(json, "clip"), NULL, &made->clip, error);
    if (r) return r;
    sup_chain_desc desc = { .character = c,
                            .clip = made->clip,
                            .links = sup_json_string(sup_json_get(json, "links"), NULL),
                            .preset = sup_json_get(json, "preset"),
                            .world = sup_json_get(json, "world"),
                            .step = sup_json_number(sup_json_get(json, "step"), 0),
                            .cycle_begin = sup_json_number(sup_json_at(sup_json_get(json, "cycle"), 0), 0),
                            .cycle_end = sup_json_number(sup_json_at(sup_json_get(json, "cycle"), 1), 0),
                            .tasks = flat_tasks(made),
                            .progress = listener->progress ? &progress : NULL };
    r = flat_texts(sup_json_get(json, "set"), "chains: set", made->arena, &desc.settings, &desc.setting_count, error);
    return r ? r : sup_chain_create(&desc, &made->chain, error);
}

flat_handle flat_chain(flat_handle character, const char* description, flat_progress_fn* progress, void* user)
{
    int32_t      status;
    flat_object* o = flat_enter(character, FLAT_CHARACTER, &status);
    flat_object* made = o ? flat_object_new(FLAT_CHAIN, o) : NULL;
    if (made && make_chain(made, o->character, description, &(flat_listener){ progress, user }, &o->error) != SUP_OK)
        flat_object_release(made), made = NULL;
    flat_handle handle = made ? flat_object_publish(made) : 0;
    if (o) flat_leave(o);
    return handle;
}

static sup_json* value_of(sup_arena* a, const sup_param* p, const char* params)
{
    const void* at = params + p->offset;
    switch (p->type) {
    case SUP_PARAM_FLOAT: return sup_json_new_number(a, (double)*(const float*)at);
    case SUP_PARAM_INT: return sup_json_new_number(a, *(const int*)at);
    case SUP_PARAM_BOOL: return sup_json_new(a, *(const bool*)at ? SUP_JSON_TRUE : SUP_JSON_FALSE);
    case SUP_PARAM_CHOICE: return sup_json_new_string(a, p->choices[*(const int*)at]);
    default: return sup_json_new_string(a, *(const char* const*)at ? *(const char* const*)at : "");
    }
}

static void put_link(sup_arena* a, sup_json* list, const sup_chain* chain, uint32_t link)
{
    const sup_deformer* d = sup_chain_link(chain, link);
    sup_json*           one = sup_json_push(list, sup_json_new(a, SUP_JSON_OBJECT));
    sup_json_set(a, one, "name", sup_json_new_string(a, d->name));
    sup_json* values = sup_json_set(a, one, "values", sup_json_new(a, SUP_JSON_OBJECT));
    sup_json* idle = sup_json_set(a, one, "idle", sup_json_new(a, SUP_JSON_OBJECT));
    for (uint32_t i = 0; i < d->param_count; ++i) {
        const char* why = sup_chain_idle(chain, link, i);
        sup_json_set(a, values, d->params[i].name, value_of(a, &d->params[i], sup_chain_params(chain, link)));
        if (why) sup_json_set(a, idle, d->params[i].name, sup_json_new_string(a, why));
    }
    const char* inert = sup_chain_inert(chain, link);
    if (inert) sup_json_set(a, one, "inert", sup_json_new_string(a, inert));
}

static sup_json* describe(flat_object* o, sup_arena* a)
{
    sup_json* out = sup_json_new(a, SUP_JSON_OBJECT);
    sup_json_set(a, out, "text", sup_json_new_string(a, sup_chain_text(o->chain)));
    sup_json_set(a, out, "dynamic", sup_json_new(a, sup_chain_dynamic(o->chain) ? SUP_JSON_TRUE : SUP_JSON_FALSE));
    sup_json* notes = sup_json_set(a, out, "notes", sup_json_new(a, SUP_JSON_ARRAY));
    for (uint32_t i = 0; i < sup_chain_note_count(o->chain); ++i)
        sup_json_push(notes, sup_json_new_string(a, sup_chain_note(o->chain, i)));
    sup_json* links = sup_json_set(a, out, "links", sup_json_new(a, SUP_JSON_ARRAY));
    for (uint32_t i = 0; i < sup_chain_link_count(o->chain); ++i) put_link(a, links, o->chain, i);
    return links ? out : NULL;
}

const char* flat_describe(flat_handle chain) { return flat_answer(chain, FLAT_CHAIN, describe); }

// ---------------------------------------------------------------------------------------------- instances

static sup_result make_instance(flat_object* made, flat_object* chain, const char* description, sup_error* error)
{
    static const char* const names[] = { "clip", "start", "end", "preroll", "loop", "live" };
    const sup_character*     c = flat_ancestor(chain, FLAT_CHARACTER)->character;
    sup_json*                json;
    made->arena = sup_arena_create(NULL);
    if (!made->arena) return sup_fail(error, SUP_ERROR_MEMORY, "out of memory");
    sup_result r = flat_parse(description, "instances", names, 6, made->arena, &json, error);
    if (r) return r;
    const sup_json *  loop = sup_json_get(json, "loop"), *live = sup_json_get(json, "live");
    sup_instance_desc desc = { .chain = chain->chain,
                               .start = sup_json_number(sup_json_get(json, "start"), 0),
                               .end = sup_json_number(sup_json_get(json, "end"), 0),
                               .preroll = sup_json_number(sup_json_get(json, "preroll"), -1),
                               .loop = loop && loop->type == SUP_JSON_TRUE,
                               .live = live && live->type == SUP_JSON_TRUE,
                               .tasks = flat_tasks(made) };
    r = find_clip(c, sup_json_get(json, "clip"), desc.live ? NULL : chain->clip, &desc.clip, error);
    if (!r) r = sup_instance_create(&desc, &made->instance, error);
    if (r) return r;
    made->live = desc.live;
    made->scratch = sup_scratch_create(sup_chain_scratch_size(chain->chain), NULL);
    made->skin = calloc((size_t)c->mesh.point_count + 8, sizeof *made->skin);
    return made->scratch && made->skin
               ? SUP_OK
               : sup_fail(error, SUP_ERROR_MEMORY, "'%s': out of memory while making an instance", c->name);
}

flat_handle flat_play(flat_handle chain, const char* description)
{
    int32_t      status;
    flat_object* o = flat_enter(chain, FLAT_CHAIN, &status);
    flat_object* made = o ? flat_object_new(FLAT_INSTANCE, o) : NULL;
    if (made && make_instance(made, o, description, &o->error) != SUP_OK) flat_object_release(made), made = NULL;
    flat_handle handle = made ? flat_object_publish(made) : 0;
    if (o) flat_leave(o);
    return handle;
}

static const sup_character* character_of(flat_object* o) { return flat_ancestor(o, FLAT_CHARACTER)->character; }

/// Whether a buffer holds what is needed, with a sentence where not.
static bool fits(flat_object* o, const char* what, const void* buffer, uint64_t floats, uint64_t needed)
{
    if (buffer ? floats == needed : !needed) return true;
    sup_fail(&o->error, SUP_ERROR_INPUT, "%s take %u floats, but the buffer has %u", what, (unsigned)needed,
             buffer ? (unsigned)floats : 0u);
    return false;
}

/// Where a frame goes; NULL: the buffer is too small.
static sup_vec3* target(flat_object* o, float* out, uint64_t floats)
{
    if (!out) return o->skin;
    return fits(o, "the points of a skin", out, floats, 3 * (uint64_t)character_of(o)->mesh.point_count) ? (sup_vec3*)out
                                                                                                         : NULL;
}

/// Hands the instance's own frame out.
static void hand_out(flat_object* o, sup_vec3* to)
{
    o->shown = true;
    if (to != o->skin) memcpy(to, o->skin, character_of(o)->mesh.point_count * sizeof *to);
}

int32_t flat_evaluate(flat_handle handle, double time, float* out, uint64_t floats)
{
    int32_t      status;
    flat_object* o = flat_enter(handle, FLAT_INSTANCE, &status);
    if (!o) return status;
    sup_vec3* to = target(o, out, floats);
    if (to && !isfinite(time))
        to = NULL, sup_fail(&o->error, SUP_ERROR_INPUT, "the time of a frame must be a finite number of seconds");
    if (to) {
        sup_instance_evaluate(o->instance, time, o->scratch, &o->stats, o->skin);
        hand_out(o, to);
    }
    flat_leave(o);
    return to ? FLAT_OK : FLAT_INPUT;
}

/// Whether all numbers are finite, with a sentence where not.
static bool all_finite(flat_object* o, const char* what, const float* values, uint64_t count)
{
    for (uint64_t i = 0; i < count; ++i)
        if (!isfinite(values[i])) {
            sup_fail(&o->error, SUP_ERROR_INPUT, "number %u of %s is not finite", (unsigned)i, what);
            return false;
        }
    return true;
}

_Static_assert(sizeof(sup_transform) == 10 * sizeof(float), "a joint's transform is ten floats");

int32_t flat_live(flat_handle handle, double dt, const float* local, uint64_t local_floats, const float* morphs,
                  uint64_t morph_floats, int32_t teleport, float* out, uint64_t floats)
{
    int32_t      status;
    flat_object* o = flat_enter(handle, FLAT_INSTANCE, &status);
    if (!o) return status;
    const sup_character* c = character_of(o);
    sup_vec3*            to = target(o, out, floats);
    bool good = to && fits(o, "the joints of a pose", local, local_floats, 10 * (uint64_t)c->skeleton.joint_count) &&
                fits(o, "the weights of morphs", morphs, morph_floats, c->morph_count) &&
                all_finite(o, "the joints of a pose", local, local_floats) &&
                all_finite(o, "the weights of morphs", morphs, morph_floats);
    if (good && !o->live)
        good = false, sup_fail(&o->error, SUP_ERROR_INPUT, "the instance plays a clip; make it with \"live\": true");
    if (good && !(dt >= 0 && dt <= 1))
        good = false, sup_fail(&o->error, SUP_ERROR_INPUT, "a live step must take 0 to 1 seconds, not %g", dt);
    if (good) {
        sup_instance_live(o->instance, dt, (const sup_transform*)local, morphs, teleport != 0, o->scratch, &o->stats, o->skin);
        hand_out(o, to);
    }
    flat_leave(o);
    return good ? FLAT_OK : FLAT_INPUT;
}

/// "layers.gravity", "smooth#2.step": the link, and where its parameter's name begins. SUP_NONE: none.
static uint32_t find_link(const sup_chain* chain, const char* parameter, const char** name)
{
    const char *dot = strchr(parameter, '.'), *hash = strchr(parameter, '#');
    if (!dot) return SUP_NONE;
    size_t        length = (size_t)((hash && hash < dot ? hash : dot) - parameter);
    unsigned long which = hash && hash < dot ? strtoul(hash + 1, NULL, 10) : 1;
    *name = dot + 1;
    for (uint32_t i = 0; i < sup_chain_link_count(chain); ++i) {
        const char* link = sup_chain_link(chain, i)->name;
        if (strlen(link) == length && !strncmp(link, parameter, length) && !--which) return i;
    }
    return SUP_NONE;
}

int32_t flat_set(flat_handle handle, const char* parameter, double value)
{
    int32_t      status;
    flat_object* o = flat_enter(handle, FLAT_INSTANCE, &status);
    if (!o) return status;
    const sup_chain* chain = o->parent->chain;
    const char*      name = "";
    uint32_t         link = parameter ? find_link(chain, parameter, &name) : SUP_NONE;
    sup_result       r = link != SUP_NONE
                             ? sup_instance_set(o->instance, link, name, value, &o->error)
                             : sup_fail(&o->error, SUP_ERROR_INPUT, "no link of '%s' has a parameter '%s'; write LINK.PARAMETER",
                                        sup_chain_text(chain), parameter ? parameter : "");
    flat_leave(o);
    return (int32_t)r;
}

// ---------------------------------------------------------------------------------------------- about the last frame

/// An instance that has shown a frame; it must be left again.
static flat_object* enter_shown(flat_handle handle, int32_t* status)
{
    flat_object* o = flat_enter(handle, FLAT_INSTANCE, status);
    if (!o || o->shown) return o;
    *status = (int32_t)sup_fail(&o->error, SUP_ERROR_INPUT, "no frame was evaluated yet");
    flat_leave(o);
    return NULL;
}

const char* flat_hash(flat_handle handle)
{
    int32_t      status;
    flat_object* o = enter_shown(handle, &status);
    if (!o) return NULL;
    uint64_t hash = sup_hash_points(o->skin, character_of(o)->mesh.point_count);
    char     digits[17];
    for (int i = 0; i < 16; ++i) digits[i] = "0123456789abcdef"[hash >> (60 - 4 * i) & 15];
    digits[16] = 0;
    o->text.used = 0;
    const char* text = flat_bytes_add(&o->text, digits, 16) ? o->text.data : NULL;
    flat_leave(o);
    return text;
}

/// The instance's meter, made when it is first measured.
static sup_result get_meter(flat_object* o, sup_meter** out)
{
    if (o->meter) return *out = o->meter, SUP_OK;
    sup_result r = sup_meter_create(character_of(o), NULL, &o->meter, &o->error);
    if (!r && !(o->meter_scratch = sup_scratch_create(sup_meter_scratch(o->meter), NULL)))
        r = sup_fail(&o->error, SUP_ERROR_MEMORY, "out of memory while measuring");
    if (r) sup_meter_destroy(o->meter), o->meter = NULL;
    *out = o->meter;
    return r;
}

static sup_json* measure(flat_object* o, sup_arena* a)
{
    sup_meter* m = NULL;
    if (!o->shown) return sup_fail(&o->error, SUP_ERROR_INPUT, "no frame was evaluated yet"), NULL;
    if (get_meter(o, &m) != SUP_OK) return NULL;
    sup_json* out = sup_json_new(a, SUP_JSON_OBJECT);
    uint32_t  parts = sup_meter_part_count(m);
    double*   volumes = sup_arena_alloc(a, parts, sizeof *volumes);
    if (!out || !volumes) return NULL;
    sup_meter_part_volumes(m, sup_instance_pose(o->instance), o->skin, volumes);
    sup_json_set(a, out, "volume", sup_json_new_number(a, sup_meter_volume(m, o->skin)));
    sup_json_set(a, out, "volume_rest", sup_json_new_number(a, sup_meter_rest_volume(m)));
    sup_json_set(a, out, "stretch", sup_json_new_number(a, sup_meter_stretch(m, o->skin, NULL)));
    sup_json_set(a, out, "crossings",
                 sup_json_new_number(a, sup_meter_intersections(m, o->skin, o->meter_scratch, flat_tasks(o), NULL, 0)));
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

int32_t flat_normals(flat_handle handle, float* out, uint64_t floats)
{
    int32_t      status;
    flat_object* o = enter_shown(handle, &status);
    if (!o) return status;
    const sup_character* c = character_of(o);
    sup_result           r =
        fits(o, "the normals of vertices", out, floats, 3 * (uint64_t)c->mesh.vertex_count) ? SUP_OK : SUP_ERROR_INPUT;
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
} drawing;

static void add_corners(drawing* d, int kind, const char* what, const sup_vec3* corners, int count, float value)
{
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
    drawing    d = { o, what, false };
    sup_canvas canvas = { add_line, add_point, add_triangle, &d };
    sup_result r = SUP_OK;
    for (int i = 0; i < 3; ++i) o->drawn[i].used = 0;
    if (link >= sup_chain_link_count(o->parent->chain) || !sup_instance_draw(o->instance, link, o->skin, &canvas))
        r = sup_fail(&o->error, SUP_ERROR_INPUT, "link %u of '%s' draws nothing", link, sup_chain_text(o->parent->chain));
    else if (d.full) r = sup_fail(&o->error, SUP_ERROR_MEMORY, "out of memory while drawing");
    flat_leave(o);
    return (int32_t)r;
}

// ---------------------------------------------------------------------------------------------- arrays

typedef struct array {
    const char* name;
    const void* data;
    uint64_t    count;
} array;

static const void* find_array(const array* arrays, uint32_t arrays_count, const char* name, uint64_t* count)
{
    for (uint32_t i = 0; i < arrays_count; ++i)
        if (!strcmp(arrays[i].name, name)) return *count = arrays[i].count, arrays[i].data;
    return NULL;
}

const void* flat_array(flat_handle handle, const char* name, uint64_t* count)
{
    int32_t      status;
    uint64_t     found = 0;
    flat_object* o = name ? flat_enter(handle, FLAT_CHARACTER | FLAT_INSTANCE, &status) : NULL;
    const void*  data = NULL;
    if (!o) return NULL;
    const sup_character* c = character_of(o);
    const sup_mesh*      m = &c->mesh;
    uint32_t             influences = c->weights.begin ? c->weights.begin[m->point_count] : 0;
    const array          of_character[] = { { "points", m->points, 3 * (uint64_t)m->point_count },
                                            { "triangles", m->triangles, 3 * (uint64_t)m->triangle_count },
                                            { "vertex_points", m->vertex_points, m->vertex_count },
                                            { "face_begin", m->face_begin, (uint64_t)m->face_count + 1 },
                                            { "corner_points", m->corner_points, m->corner_count },
                                            { "corner_vertices", m->corner_vertices, m->corner_count },
                                            { "weight_begin", c->weights.begin, (uint64_t)m->point_count + 1 },
                                            { "weight_joints", c->weights.joints, influences },
                                            { "weight_values", c->weights.values, influences } };
    if (o->kind == FLAT_CHARACTER) data = find_array(of_character, 9, name, &found);
    else {
        const sup_pose* pose = o->shown ? sup_instance_pose(o->instance) : NULL;
        const array     of_instance[] = { { "skin", o->skin, 3 * (uint64_t)m->point_count },
                                          { "local", pose ? pose->local : NULL, pose ? 10 * (uint64_t)pose->joint_count : 0 },
                                          { "draw_lines", o->drawn[0].data, o->drawn[0].used / sizeof(float) },
                                          { "draw_points", o->drawn[1].data, o->drawn[1].used / sizeof(float) },
                                          { "draw_triangles", o->drawn[2].data, o->drawn[2].used / sizeof(float) } };
        data = find_array(of_instance, 5, name, &found);
    }
    if (count) *count = found;
    if (!data && !found) sup_fail(&o->error, SUP_ERROR_INPUT, "there is no array '%s' here", name);
    flat_leave(o);
    return data;
}
