// Chains and what plays them.
#include "handles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

sup_result flat_find_clip(const sup_character* c, const sup_json* wanted, const sup_clip* standard, const sup_clip** out,
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

void flat_props_free(flat_prop_file* first)
{
    for (flat_prop_file* next; first; first = next) {
        next = first->next;
        free(first);
    }
}

int32_t flat_prop(flat_handle character, const char* name, const uint8_t* bytes, uint64_t size)
{
    int32_t      status;
    flat_object* o = flat_enter_to_change(character, &status);
    if (!o) return status;
    sup_result       r = name && name[0] && (!bytes || size)
                             ? SUP_OK
                             : sup_fail(&o->error, SUP_ERROR_INPUT, "a mesh for worlds needs a name and bytes");
    flat_prop_file** at = &o->props;
    size_t           length = r ? 0 : strlen(name) + 1;
    flat_prop_file*  made = r || !bytes || size > SIZE_MAX / 2 ? NULL : malloc(sizeof *made + (size_t)size + length);
    if (!r && bytes && !made) r = sup_fail(&o->error, SUP_ERROR_MEMORY, "%s: out of memory", name);
    while (!r && *at && strcmp((*at)->name, name) != 0) at = &(*at)->next;
    if (!r && *at) {
        flat_prop_file* old = *at;
        *at = old->next;
        free(old);
    }
    if (!r && made) {
        uint8_t* copy = (uint8_t*)(made + 1);
        memcpy(copy, bytes, (size_t)size);
        memcpy(copy + size, name, length);
        *made = (flat_prop_file){ .next = o->props, .name = (const char*)copy + size, .bytes = { copy, (size_t)size } };
        o->props = made;
    }
    flat_leave(o);
    return (int32_t)r;
}

static sup_result load_prop(const char* name, const flat_prop_file* props, sup_character** out, sup_error* error)
{
    while (props && strcmp(props->name, name) != 0) props = props->next;
    if (!props) return sup_load(name, NULL, out, error);
    flat_source      source = flat_source_of(name, props->bytes.data, props->bytes.size, NULL, NULL);
    sup_files        files = { .read = flat_source_read, .user = &source };
    sup_load_options load = { .files = &files };
    return sup_load(name, &load, out, error);
}

sup_result flat_world_meshes(sup_chain_desc* desc, const flat_prop_file* props, sup_arena* arena, sup_error* error)
{
    const sup_json* bodies = sup_json_get(desc->world, "bodies");
    uint32_t        capacity = bodies && bodies->type == SUP_JSON_ARRAY ? bodies->count : 0, count = 0;
    sup_world_mesh* meshes = sup_arena_alloc(arena, capacity, sizeof *meshes);
    if (!meshes) return sup_fail(error, SUP_ERROR_MEMORY, "out of memory");
    for (const sup_json* body = capacity ? bodies->first : NULL; body; body = body->next) {
        const char*    name = sup_json_string(sup_json_get(body, "mesh"), NULL);
        sup_character* loaded = NULL;
        uint32_t       known = 0;
        while (name && known < count && strcmp(meshes[known].name, name) != 0) ++known;
        if (!name || known < count) continue; // the library reports what is wrong with it
        sup_result r = load_prop(name, props, &loaded, error);
        if (r) return r;
        sup_arena* own = loaded->arena;
        sup_arena_adopt(arena, own);
        sup_arena_destroy(own);
        meshes[count++] = (sup_world_mesh){ name, loaded };
    }
    desc->world_meshes = meshes;
    desc->world_mesh_count = count;
    return SUP_OK;
}

static sup_result make_chain(flat_object* made, const sup_character* c, const char* description, flat_listener* listener,
                             sup_error* error)
{
    static const flat_member members[] = { { "links", FLAT_IS_TEXT },   { "clip", FLAT_IS_ANY },
                                           { "set", FLAT_IS_ANY },      { "preset", FLAT_IS_OBJECT },
                                           { "world", FLAT_IS_OBJECT }, { "step", FLAT_IS_NUMBER },
                                           { "cycle", FLAT_IS_LIST } };
    sup_progress             progress = { flat_report, listener };
    sup_json*                json;
    made->arena = sup_arena_create(NULL);
    if (!made->arena) return sup_fail(error, SUP_ERROR_MEMORY, "out of memory");
    sup_result r = flat_parse(description, "chains", members, 7, made->arena, &json, error);
    if (!r) r = flat_find_clip(c, sup_json_get(json, "clip"), NULL, &made->clip, error);
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
    if (!r) r = flat_world_meshes(&desc, flat_ancestor(made, FLAT_CHARACTER)->props, made->arena, error);
    return r ? r : sup_chain_create(&desc, &made->chain, error);
}

flat_handle flat_chain(flat_handle character, const char* description, flat_progress_fn* progress, void* user)
{
    int32_t      status;
    flat_object* o = flat_enter(character, FLAT_CHARACTER, &status);
    flat_object* made = o ? flat_object_new(FLAT_CHAIN, o) : NULL;
    sup_result   r = SUP_OK;
    if (made) r = make_chain(made, o->character, description, &(flat_listener){ progress, user }, &o->error);
    return flat_leave_with(o, made, r);
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

enum { SNAPSHOTS_MAX = 4096 };

/// Seconds past the clip and past all earlier frames that one frame may skip. A simulation steps through them, so a caller who
/// counts milliseconds would wait for hours.
static const double SKIP_MAX = 60;

static sup_result make_instance(flat_object* made, flat_object* chain, const char* description, sup_error* error)
{
    static const flat_member members[] = { { "clip", FLAT_IS_ANY },        { "start", FLAT_IS_NUMBER },
                                           { "end", FLAT_IS_NUMBER },      { "preroll", FLAT_IS_NUMBER },
                                           { "loop", FLAT_IS_SWITCH },     { "live", FLAT_IS_SWITCH },
                                           { "snapshots", FLAT_IS_NUMBER } };
    const sup_character*     c = flat_ancestor(chain, FLAT_CHARACTER)->character;
    sup_json*                json;
    made->arena = sup_arena_create(NULL);
    if (!made->arena) return sup_fail(error, SUP_ERROR_MEMORY, "out of memory");
    sup_result r = flat_parse(description, "instances", members, 7, made->arena, &json, error);
    if (r) return r;
    double            preroll = sup_json_number(sup_json_get(json, "preroll"), 0.5);
    sup_instance_desc desc = { .chain = chain->chain,
                               .start = sup_json_number(sup_json_get(json, "start"), 0),
                               .end = sup_json_number(sup_json_get(json, "end"), 0),
                               .preroll = preroll > 0 ? preroll : SUP_NO_PREROLL,
                               .loop = flat_true(sup_json_get(json, "loop")),
                               .live = flat_true(sup_json_get(json, "live")),
                               .snapshots = sup_json_index(sup_json_get(json, "snapshots"), 0),
                               .tasks = flat_tasks(made) };
    if (desc.snapshots > SNAPSHOTS_MAX)
        return sup_fail(error, SUP_ERROR_INPUT, "instances: keep at most %d snapshots", SNAPSHOTS_MAX);
    r = flat_find_clip(c, sup_json_get(json, "clip"), desc.live ? NULL : chain->clip, &desc.clip, error);
    if (!r) r = sup_instance_create(&desc, &made->instance, error);
    if (r) return r;
    made->live = desc.live;
    made->reached = desc.end > 0 ? desc.end : desc.clip ? desc.clip->seconds : desc.start;
    if (desc.loop || !sup_chain_dynamic(chain->chain)) made->reached = INFINITY; // every time is as near as another
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
    flat_object* character = made ? flat_ancestor(o, FLAT_CHARACTER) : NULL;
    bool         still = made && flat_read_begin(character);
    sup_result   r = still ? make_instance(made, o, description, &o->error) : SUP_ERROR_INPUT;
    if (made && !still) sup_fail(&o->error, SUP_ERROR_INPUT, "another thread is changing the character");
    if (still) flat_read_end(character);
    return flat_leave_with(o, made, r);
}

static const sup_character* character_of(flat_object* o) { return flat_ancestor(o, FLAT_CHARACTER)->character; }

/// The destination of a frame; NULL: the buffer is too small.
static sup_vec3* target(flat_object* o, float* out, uint64_t floats)
{
    if (!out) return o->skin;
    return flat_fits(o, "the points of a skin", out, floats, 3 * (uint64_t)character_of(o)->mesh.point_count) ? (sup_vec3*)out
                                                                                                              : NULL;
}

/// Copies the instance's own frame to the caller.
static void hand_out(flat_object* o, sup_vec3* to)
{
    o->shown = true;
    if (to != o->skin) memcpy(to, o->skin, character_of(o)->mesh.point_count * sizeof *to);
}

static bool check_time(flat_object* o, double time)
{
    sup_result r = SUP_OK;
    if (o->live)
        r = sup_fail(&o->error, SUP_ERROR_INPUT, "the instance is live and has no times; flat_live gives it the next pose");
    else if (!isfinite(time))
        r = sup_fail(&o->error, SUP_ERROR_INPUT, "the time of a frame must be a finite number of seconds");
    else if (time > o->reached + SKIP_MAX)
        r = sup_fail(
            &o->error, SUP_ERROR_INPUT,
            "%g s is more than %g s past the clip and all earlier frames (%g s), and a simulation steps through all of "
            "it; times are seconds: evaluate frames on the way there",
            time, SKIP_MAX, o->reached);
    return r == SUP_OK;
}

int32_t flat_evaluate(flat_handle handle, double time, float* out, uint64_t floats)
{
    int32_t      status;
    flat_object* o = flat_enter(handle, FLAT_INSTANCE, &status);
    if (!o) return status;
    sup_vec3* to = target(o, out, floats);
    if (to && !check_time(o, time)) to = NULL;
    if (to) {
        if (time > o->reached) o->reached = time;
        sup_instance_evaluate(o->instance, time, o->scratch, &o->stats, o->skin);
        hand_out(o, to);
    }
    flat_leave(o);
    return to ? FLAT_OK : FLAT_INPUT;
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
    bool good = to && flat_fits(o, "the joints of a pose", local, local_floats, 10 * (uint64_t)c->skeleton.joint_count) &&
                flat_fits(o, "the weights of morphs", morphs, morph_floats, c->morph_count) &&
                flat_all_finite(o, "the joints of a pose", local, local_floats) &&
                flat_all_finite(o, "the weights of morphs", morphs, morph_floats);
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

static int32_t set_world(flat_handle handle, const char* what, const char* list, double from,
                         sup_result (*set)(sup_instance*, const sup_json*, double, sup_error*))
{
    int32_t      status;
    flat_object* o = flat_enter(handle, FLAT_INSTANCE, &status);
    if (!o) return status;
    sup_arena* arena = sup_arena_create(NULL);
    sup_json*  json = NULL;
    sup_result r = arena ? sup_json_parse(list ? list : "[]", list ? strlen(list) : 2, what, arena, &json, &o->error)
                         : sup_fail(&o->error, SUP_ERROR_MEMORY, "out of memory");
    if (!r && !isfinite(from))
        r = sup_fail(&o->error, SUP_ERROR_INPUT, "the time that %s change at must be a finite number", what);
    if (!r) r = set(o->instance, json, from, &o->error);
    sup_arena_destroy(arena);
    flat_leave(o);
    return (int32_t)r;
}

int32_t flat_forces(flat_handle handle, const char* forces, double from)
{
    return set_world(handle, "forces", forces, from, sup_instance_set_forces);
}

int32_t flat_bodies(flat_handle handle, const char* bodies, double from)
{
    return set_world(handle, "bodies", bodies, from, sup_instance_set_bodies);
}

int32_t flat_hold(flat_handle handle, double still)
{
    int32_t      status;
    flat_object* o = flat_enter(handle, FLAT_INSTANCE, &status);
    if (!o) return status;
    bool good = isfinite(still) && still >= 0;
    if (good) sup_instance_hold(o->instance, still);
    else sup_fail(&o->error, SUP_ERROR_INPUT, "the second whose pose is held must be a number from 0 up");
    flat_leave(o);
    return good ? FLAT_OK : FLAT_INPUT;
}

double flat_felt(flat_handle handle, uint32_t force)
{
    int32_t      status;
    flat_object* o = flat_enter(handle, FLAT_INSTANCE, &status);
    double       newtons = o ? sup_instance_felt(o->instance, force) : 0;
    if (o) flat_leave(o);
    return newtons;
}
