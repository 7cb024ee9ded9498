// Sessions and characters.
#include "handles.h"

#include <stdlib.h>
#include <string.h>

uint32_t    flat_abi(void) { return FLAT_ABI; }
const char* flat_version(void) { return sup_version(); }
void*       flat_alloc(uint64_t bytes) { return bytes <= SIZE_MAX ? malloc(bytes ? (size_t)bytes : 1) : NULL; }
void        flat_release(void* memory) { free(memory); }

flat_handle flat_open(uint32_t threads)
{
    flat_object* o = flat_object_new(FLAT_SESSION, NULL);
    if (!o) return 0;
    o->pool = sup_pool_create(threads);
    if (o->pool) return flat_object_publish(o);
    flat_object_release(o);
    return 0;
}

// ---------------------------------------------------------------------------------------------- lists

static sup_json* list_deformers(flat_object* o, sup_arena* arena)
{
    (void)o;
    sup_json* list = sup_json_new(arena, SUP_JSON_ARRAY);
    for (uint32_t i = 0; list && i < sup_deformer_count(); ++i)
        if (!sup_json_push(list, sup_deformer_describe(sup_deformer_at(i), arena))) list = NULL;
    return list;
}

static sup_json* list_builtins(flat_object* o, sup_arena* arena)
{
    (void)o;
    sup_json* list = sup_json_new(arena, SUP_JSON_ARRAY);
    for (uint32_t i = 0; list && i < sup_builtin_count(); ++i) {
        sup_json* one = sup_json_push(list, sup_json_new(arena, SUP_JSON_OBJECT));
        sup_json_set(arena, one, "name", sup_json_new_string(arena, sup_builtin_name(i)));
        if (!sup_json_set(arena, one, "summary", sup_json_new_string(arena, sup_builtin_summary(i)))) list = NULL;
    }
    return list;
}

const char* flat_deformers(flat_handle session) { return flat_answer(session, FLAT_SESSION, list_deformers); }
const char* flat_builtins(flat_handle session) { return flat_answer(session, FLAT_SESSION, list_builtins); }

// ---------------------------------------------------------------------------------------------- loading

flat_source flat_source_of(const char* name, const uint8_t* bytes, uint64_t size, flat_read_fn* read, void* user)
{
    sup_bytes given = { bytes, (size_t)size };
    if (size > SIZE_MAX) given = (sup_bytes){ NULL, SIZE_MAX }; // refused like a NULL address
    return (flat_source){ name, given, read, user };
}

sup_result flat_source_check(const flat_source* given, const char* path, sup_error* error)
{
    if (!path || !path[0]) return sup_fail(error, SUP_ERROR_INPUT, "there is no path to load");
    return given->bytes.size && !given->bytes.data ? sup_fail(error, SUP_ERROR_INPUT, "the bytes of %s are at address 0", path)
                                                   : SUP_OK;
}

sup_result flat_source_read(void* user, const char* path, sup_arena* arena, sup_bytes* out, sup_error* error)
{
    const flat_source* c = user;
    if (!strcmp(path, c->name)) {
        out->data = sup_arena_copy(arena, c->bytes.data, c->bytes.size, 1);
        out->size = c->bytes.size;
        return out->data ? SUP_OK : sup_fail(error, SUP_ERROR_MEMORY, "%s: out of memory", path);
    }
    int64_t size = c->read ? c->read(c->user, path, NULL, 0) : -1;
    if (size < 0)
        return sup_fail(error, SUP_ERROR_FILE,
                        "%s was not passed with %s; pass it too, or use a .glb, which contains everything", path, c->name);
    uint8_t* data = (uint64_t)size <= SIZE_MAX ? sup_arena_alloc(arena, (size_t)size, 1) : NULL;
    if (!data) return sup_fail(error, SUP_ERROR_MEMORY, "%s: out of memory", path);
    if (c->read(c->user, path, data, (uint64_t)size) != size)
        return sup_fail(error, SUP_ERROR_FILE, "%s changed while it was read", path);
    *out = (sup_bytes){ data, (size_t)size };
    return SUP_OK;
}

/// Parses an object; NULL and "" are an empty one.
static sup_result parse(const char* text, const char* what, sup_arena* arena, sup_json** out, sup_error* error)
{
    if (!text || !text[0]) text = "{}";
    sup_result r = sup_json_parse(text, strlen(text), what, arena, out, error);
    if (r == SUP_OK && (*out)->type != SUP_JSON_OBJECT)
        return sup_fail(error, SUP_ERROR_INPUT, "%s must be a JSON object", what);
    return r;
}

static bool is_of_type(const sup_json* value, flat_type type)
{
    switch (type) {
    case FLAT_IS_TEXT: return value->type == SUP_JSON_STRING;
    case FLAT_IS_NUMBER: return value->type == SUP_JSON_NUMBER;
    case FLAT_IS_SWITCH: return value->type == SUP_JSON_TRUE || value->type == SUP_JSON_FALSE;
    case FLAT_IS_LIST: return value->type == SUP_JSON_ARRAY;
    case FLAT_IS_OBJECT: return value->type == SUP_JSON_OBJECT;
    default: return true;
    }
}

sup_result flat_check_members(const sup_json* object, const char* what, const flat_member* members, uint32_t count,
                              sup_error* error)
{
    static const char* const types[] = { "anything", "text", "a number", "true or false", "a list", "an object" };
    const char*              names[FLAT_MEMBERS_MAX] = { NULL };
    if (!object) return SUP_OK;
    if (object->type != SUP_JSON_OBJECT) return sup_fail(error, SUP_ERROR_INPUT, "%s must be JSON objects", what);
    for (uint32_t i = 0; i < count; ++i) names[i] = members[i].name;
    for (const sup_json* m = object->first; m; m = m->next) {
        uint32_t at = 0;
        while (at < count && strcmp(m->key, names[at]) != 0) ++at;
        const char* near = at < count ? NULL : sup_word_nearest(m->key, names, count);
        if (at == count)
            return sup_fail(error, SUP_ERROR_INPUT, "%s know no '%s'%s%s%s", what, m->key, near ? "; did you mean '" : "",
                            near ? near : "", near ? "'?" : "");
        if (m->type != SUP_JSON_NULL && !is_of_type(m, members[at].type))
            return sup_fail(error, SUP_ERROR_INPUT, "%s: '%s' must be %s", what, m->key, types[members[at].type]);
    }
    return SUP_OK;
}

/// Only where anything is taken has null a meaning of its own: no clip.
static void drop_nulls(sup_json* object, const flat_member* members)
{
    sup_json *kept = NULL, **at = &object->first;
    while (*at) {
        const flat_member* known = members;
        while (strcmp((*at)->key, known->name) != 0) ++known;
        bool drop = (*at)->type == SUP_JSON_NULL && known->type != FLAT_IS_ANY;
        if (drop) {
            *at = (*at)->next, --object->count;
        } else kept = *at, at = &(*at)->next;
    }
    object->last = kept;
}

sup_result flat_parse(const char* text, const char* what, const flat_member* members, uint32_t count, sup_arena* arena,
                      sup_json** out, sup_error* error)
{
    sup_result r = parse(text, what, arena, out, error);
    if (!r) r = flat_check_members(*out, what, members, count, error);
    if (!r) drop_nulls(*out, members);
    return r;
}

sup_result flat_texts(const sup_json* list, const char* what, sup_arena* arena, const char* const** out, uint32_t* count,
                      sup_error* error)
{
    *out = NULL, *count = 0;
    if (!list || list->type == SUP_JSON_NULL) return SUP_OK;
    const char** texts = sup_arena_alloc(arena, list->count + 1, sizeof *texts);
    if (!texts) return sup_fail(error, SUP_ERROR_MEMORY, "out of memory");
    if (list->type == SUP_JSON_STRING) texts[(*count)++] = list->text;
    else if (list->type != SUP_JSON_ARRAY) return sup_fail(error, SUP_ERROR_INPUT, "%s must be a list of texts", what);
    for (const sup_json* item = list->type == SUP_JSON_ARRAY ? list->first : NULL; item; item = item->next) {
        if (item->type != SUP_JSON_STRING) return sup_fail(error, SUP_ERROR_INPUT, "%s must be a list of texts", what);
        texts[(*count)++] = item->text;
    }
    *out = texts;
    return SUP_OK;
}

static sup_result read_options(const char* text, sup_arena* arena, sup_load_options* out, sup_error* error)
{
    static const flat_member members[] = { { "unit", FLAT_IS_NUMBER },
                                           { "up", FLAT_IS_TEXT },
                                           { "fps", FLAT_IS_NUMBER },
                                           { "meshes", FLAT_IS_ANY },
                                           { "dress", FLAT_IS_ANY } };
    static const struct {
        const char* axis;
        sup_up      up;
    } axes[] = { { "y", SUP_UP_Y }, { "z", SUP_UP_Z }, { "x", SUP_UP_X } };
    sup_json*  json;
    sup_result r = flat_parse(text, "load options", members, 5, arena, &json, error);
    if (r) return r;
    out->unit = sup_json_number(sup_json_get(json, "unit"), 0);
    out->fps = sup_json_number(sup_json_get(json, "fps"), 0);
    const char* up = sup_json_string(sup_json_get(json, "up"), NULL);
    for (size_t i = 0; up && i < 3; ++i)
        if (!strcmp(up, axes[i].axis)) out->up = axes[i].up;
    if (up && out->up == SUP_UP_FILE)
        return sup_fail(error, SUP_ERROR_INPUT, "load options: up must be x, y or z, not '%s'", up);
    r = flat_texts(sup_json_get(json, "meshes"), "load options: meshes", arena, &out->meshes, &out->mesh_count, error);
    return r ? r : flat_texts(sup_json_get(json, "dress"), "load options: dress", arena, &out->dress, &out->dress_count, error);
}

static flat_handle load(flat_handle session, const char* path, const char* options, flat_source* given, flat_listener* listener)
{
    int32_t      status;
    flat_object* o = flat_enter(session, FLAT_SESSION, &status);
    if (!o) return 0;
    sup_arena*       arena = sup_arena_create(NULL);
    sup_progress     progress = { flat_report, listener };
    sup_files        files = { .read = flat_source_read, .user = given };
    sup_load_options wanted = { .files = given->name ? &files : NULL, .progress = listener->progress ? &progress : NULL };
    flat_object*     made = NULL;
    sup_result       r = flat_source_check(given, path, &o->error);
    if (!r)
        r = arena ? read_options(options, arena, &wanted, &o->error) : sup_fail(&o->error, SUP_ERROR_MEMORY, "out of memory");
    if (!r && (made = flat_object_new(FLAT_CHARACTER, o))) r = sup_load(path, &wanted, &made->character, &o->error);
    sup_arena_destroy(arena);
    return flat_leave_with(o, made, r);
}

flat_handle flat_load(flat_handle session, const char* path, const char* options, flat_progress_fn* progress, void* user)
{
    return load(session, path, options, &(flat_source){ .name = NULL }, &(flat_listener){ progress, user });
}

flat_handle flat_load_bytes(flat_handle session, const char* name, const uint8_t* bytes, uint64_t size, const char* options,
                            flat_read_fn* read, void* user)
{
    flat_source given = flat_source_of(name ? name : "", bytes, size, read, user);
    return load(session, name, options, &given, &(flat_listener){ NULL, NULL });
}

// ---------------------------------------------------------------------------------------------- what is in a character

static void put_number(sup_arena* a, sup_json* o, const char* key, double x)
{
    sup_json_set(a, o, key, sup_json_new_number(a, x));
}
static void put_text(sup_arena* a, sup_json* o, const char* key, const char* text)
{
    sup_json_set(a, o, key, text ? sup_json_new_string(a, text) : sup_json_new(a, SUP_JSON_NULL));
}

static void put_parts(sup_arena* a, sup_json* out, const sup_character* c)
{
    sup_json* list = sup_json_set(a, out, "parts", sup_json_new(a, SUP_JSON_ARRAY));
    for (uint32_t i = 0; i < c->mesh.part_count; ++i) {
        const sup_part* p = &c->mesh.parts[i];
        sup_json*       one = sup_json_push(list, sup_json_new(a, SUP_JSON_OBJECT));
        put_text(a, one, "name", p->name);
        put_number(a, one, "point_begin", p->point_begin), put_number(a, one, "point_count", p->point_count);
        put_number(a, one, "vertex_begin", p->vertex_begin), put_number(a, one, "vertex_count", p->vertex_count);
        put_number(a, one, "face_begin", p->face_begin), put_number(a, one, "face_count", p->face_count);
    }
}

static void put_rig(sup_arena* a, sup_json* out, const sup_character* c)
{
    sup_json* joints = sup_json_set(a, out, "joints", sup_json_new(a, SUP_JSON_ARRAY));
    for (uint32_t i = 0; i < c->skeleton.joint_count; ++i) {
        const sup_joint* j = &c->skeleton.joints[i];
        sup_json*        one = sup_json_push(joints, sup_json_new(a, SUP_JSON_OBJECT));
        put_text(a, one, "name", j->name);
        put_number(a, one, "parent", j->parent == SUP_NONE ? -1.0 : (double)j->parent);
        sup_json_set(a, one, "skin", sup_json_new(a, j->skin_joint ? SUP_JSON_TRUE : SUP_JSON_FALSE));
        put_number(a, one, "id", j->source_id == SUP_NONE ? -1.0 : (double)j->source_id); // that of the file or the draft
    }
    sup_json* clips = sup_json_set(a, out, "clips", sup_json_new(a, SUP_JSON_ARRAY));
    for (uint32_t i = 0; i < c->clip_count; ++i) {
        sup_json* one = sup_json_push(clips, sup_json_new(a, SUP_JSON_OBJECT));
        put_text(a, one, "name", c->clips[i].name);
        put_number(a, one, "seconds", c->clips[i].seconds);
    }
    sup_json* examples = sup_json_set(a, out, "examples", sup_json_new(a, SUP_JSON_ARRAY));
    for (uint32_t i = 0; i < c->example_count; ++i) {
        sup_json* one = sup_json_push(examples, sup_json_new(a, SUP_JSON_OBJECT));
        put_text(a, one, "name", c->examples[i].name), put_text(a, one, "clip", c->examples[i].clip);
        put_number(a, one, "time", c->examples[i].time);
    }
    sup_json* morphs = sup_json_set(a, out, "morphs", sup_json_new(a, SUP_JSON_ARRAY));
    for (uint32_t i = 0; i < c->morph_count; ++i) sup_json_push(morphs, sup_json_new_string(a, c->morphs[i].name));
    sup_json* maps = sup_json_set(a, out, "maps", sup_json_new(a, SUP_JSON_ARRAY));
    for (uint32_t i = 0; i < c->map_count; ++i) sup_json_push(maps, sup_json_new_string(a, c->maps[i].name));
}

/// The report of flat_fit.
static void put_fit(sup_arena* a, sup_json* out, const sup_decomposition* fit)
{
    if (!fit->bone_count) return;
    sup_json* one = sup_json_set(a, out, "fit", sup_json_new(a, SUP_JSON_OBJECT));
    put_number(a, one, "bones", fit->bone_count), put_number(a, one, "frames", fit->frame_count);
    put_number(a, one, "erms", fit->erms), put_number(a, one, "rms", fit->rms), put_number(a, one, "max", fit->max);
    put_number(a, one, "rounds", fit->rounds);
}

static sup_json* inspect(flat_object* o, sup_arena* a)
{
    const sup_character* c = o->character;
    sup_json*            out = sup_json_new(a, SUP_JSON_OBJECT);
    put_text(a, out, "name", c->name);
    put_number(a, out, "points", c->mesh.point_count), put_number(a, out, "vertices", c->mesh.vertex_count);
    put_number(a, out, "faces", c->mesh.face_count), put_number(a, out, "triangles", c->mesh.triangle_count);
    put_number(a, out, "diagonal", (double)c->mesh.diagonal), put_number(a, out, "metres_per_unit", c->metres_per_unit);
    put_number(a, out, "physics_unit", sup_character_physics_unit(c)); // meters per unit, as worlds use it
    put_parts(a, out, c);
    put_text(a, out, "up", c->up == SUP_AXIS_Y ? "y" : c->up == SUP_AXIS_Z ? "z" : "x");
    sup_json_set(a, out, "up_assumed", sup_json_new(a, c->up_assumed ? SUP_JSON_TRUE : SUP_JSON_FALSE));
    put_rig(a, out, c);
    put_fit(a, out, &o->fit);
    flat_put_weighed(a, out, o);
    sup_json* warnings = sup_json_set(a, out, "warnings", sup_json_new(a, SUP_JSON_ARRAY));
    for (uint32_t i = 0; i < c->warning_count; ++i) sup_json_push(warnings, sup_json_new_string(a, c->warnings[i]));
    return warnings ? out : NULL;
}

static sup_json* inspect_any(flat_object* o, sup_arena* a)
{
    return o->kind == FLAT_BAKE ? flat_inspect_bake(o, a) : inspect(o, a);
}

const char* flat_inspect(flat_handle handle) { return flat_answer(handle, FLAT_CHARACTER | FLAT_BAKE, inspect_any); }
