// The world file: gravity, wind, bodies, forces, muscles, and keys over time for the frame-stage parameters of links. One
// schema, one reader; the runner resolves it at each step and deformers see values. A pure function of time and pose.
#include "math/vec.h"
#include "run/runner.h"

#include <string.h>

#define EARTH_GRAVITY 9.80665f // m / s^2, the standard value
enum { LISTS_MAX = 10000 };    // the most keys; no hand-written file has more

// ---------------------------------------------------------------------------------------------- keys of parameters

// 'NAME[#N].PARAM' of a link. One track for each link with that name.
static sup_result resolve_target(chain_builder* b, const char* name, uint32_t link_index, world_track* out, bool* meant)
{
    *meant = false;
    const char* dot = strchr(name, '.');
    if (!dot) return sup_fail(b->error, SUP_ERROR_INPUT, "world: keys of \"%s\": write gravity, wind or NAME.PARAM", name);
    const char* hash = memchr(name, '#', (size_t)(dot - name));
    size_t      length = (size_t)((hash ? hash : dot) - name);
    const link* l = &b->chain->links[link_index];
    if (strlen(l->deformer->name) != length || memcmp(l->deformer->name, name, length) != 0) return SUP_OK;
    double ordinal;
    if (hash && (sup_parse_double(hash + 1, (size_t)(dot - hash - 1), false, &ordinal) == 0 || ordinal != l->ordinal))
        return SUP_OK;
    uint32_t row = param_find(l->deformer, dot + 1, strlen(dot + 1));
    if (row == SUP_NONE)
        return sup_fail(b->error, SUP_ERROR_INPUT, "world: keys of \"%s\": %s has no such parameter", name, l->deformer->name);
    if (l->deformer->params[row].stage != SUP_STAGE_FRAME || l->deformer->params[row].type == SUP_PARAM_TEXT)
        return sup_fail(
            b->error, SUP_ERROR_INPUT,
            "world: keys of \"%s\": this parameter is fixed when the chain is bound and cannot have keys; use --set", name);
    *out = (world_track){ .target = WORLD_PARAM, .link = link_index, .param = row };
    *meant = true;
    return SUP_OK;
}

static sup_result read_value(chain_builder* b, const char* key, const world_track* t, const sup_json* value, sup_vec3* out)
{
    if (t->target != WORLD_PARAM) {
        if (!world_vector(value, 1.0f / (float)sup_character_physics_unit(b->chain->character), out))
            return world_fail(b, key, "\"value\" %s", world_vector_wrong(value));
        return SUP_OK;
    }
    const link*      l = &b->chain->links[t->link];
    const sup_param* p = &l->deformer->params[t->param];
    double           number = value && value->type == SUP_JSON_TRUE ? 1 : 0;
    if (p->type == SUP_PARAM_CHOICE && value && value->type == SUP_JSON_STRING) {
        while (p->choices[(int)number] && strcmp(p->choices[(int)number], value->text)) ++number;
    } else if (!value || (value->type != SUP_JSON_TRUE && value->type != SUP_JSON_FALSE)) {
        if (!value || value->type != SUP_JSON_NUMBER) return world_fail(b, key, "there is no number as its \"value\"");
        number = value->number;
    }
    // Stored once through the table, which checks type and range.
    uint8_t* probe = sup_arena_copy(b->temporary, l->params, 1, l->deformer->params_size);
    if (!probe) return sup_fail_memory(b->error, "the world");
    sup_error reason;
    if (param_set_number(l->deformer, t->param, number, probe, &reason)) return world_fail(b, key, "%s", reason.text);
    *out = v3((float)number, 0, 0);
    return SUP_OK;
}

static sup_result read_keys(chain_builder* b, const sup_json* list, world_track* t)
{
    char what[256], key[300];
    sup_format(what, sizeof what, "\"%s\"", list->key);
    sup_result r = world_times_read(b, what, list, "time, value, step", &t->keys);
    if (r) return r;
    sup_vec3* values = SUP_NEW(b->chain->arena, sup_vec3, t->keys.count);
    if (!values) return sup_fail_memory(b->error, "the world");
    uint32_t n = 0;
    for (const sup_json* k = list->first; k && !r; k = k->next, ++n) {
        sup_format(key, sizeof key, "key %u of %s", n + 1, what);
        r = read_value(b, key, t, sup_json_get(k, "value"), &values[n]);
    }
    t->values = values;
    return r;
}

static sup_result read_track_list(chain_builder* b, const sup_json* list)
{
    sup_chain*      chain = b->chain;
    sup_world_plan* plan = &chain->world;
    bool            gravity = strcmp(list->key, "gravity") == 0;
    if (gravity || strcmp(list->key, "wind") == 0) {
        world_track* t = &plan->tracks[plan->track_count++];
        t->target = gravity ? WORLD_GRAVITY : WORLD_WIND;
        return read_keys(b, list, t);
    }
    uint32_t found = 0;
    for (uint32_t i = 0; i < chain->link_count; ++i) {
        bool       meant;
        sup_result r = resolve_target(b, list->key, i, &plan->tracks[plan->track_count], &meant);
        if (!r && meant) r = read_keys(b, list, &plan->tracks[plan->track_count++]);
        if (r) return r;
        found += meant;
    }
    if (!found && !b->desc->world_shared)
        return sup_fail(b->error, SUP_ERROR_INPUT, "world: keys of \"%s\": the chain '%s' has no such link", list->key,
                        chain->text);
    return SUP_OK;
}

static sup_result read_tracks(chain_builder* b, const sup_json* keys)
{
    if (keys->type != SUP_JSON_OBJECT)
        return sup_fail(b->error, SUP_ERROR_INPUT, "world: \"keys\" must be {\"NAME.PARAM\": [{\"time\", \"value\"}]}");
    if (keys->count > LISTS_MAX) return sup_fail(b->error, SUP_ERROR_INPUT, "world: more than %d key lists", LISTS_MAX);
    b->chain->world.tracks = SUP_NEW(b->chain->arena, world_track, (size_t)keys->count * (b->chain->link_count + 1));
    if (!b->chain->world.tracks) return sup_fail_memory(b->error, "the world");
    sup_result r = SUP_OK;
    for (const sup_json* list = keys->first; list && !r; list = list->next) r = read_track_list(b, list);
    return r;
}

// ---------------------------------------------------------------------------------------------- the file

static sup_result read_vector(chain_builder* b, const sup_json* value, sup_vec3* out)
{
    if (!value || world_vector(value, 1.0f / (float)sup_character_physics_unit(b->chain->character), out)) return SUP_OK;
    return sup_fail(b->error, SUP_ERROR_INPUT, "world: \"%s\" %s; write for example [0, -9.81, 0]", value->key,
                    world_vector_wrong(value));
}

sup_result world_parse(chain_builder* b)
{
    sup_world_plan*      plan = &b->chain->world;
    const sup_character* c = plan->character = b->chain->character;
    float                g = -EARTH_GRAVITY / (float)sup_character_physics_unit(c);
    plan->gravity = v3(c->up == SUP_AXIS_X ? g : 0, c->up == SUP_AXIS_Y ? g : 0, c->up == SUP_AXIS_Z ? g : 0);
    const sup_json* world = b->desc->world;
    if (!world) return SUP_OK;
    sup_result r = world_members(b, "the file", world, "gravity, wind, bodies, forces, muscles, keys");
    // By name, so that the last of repeated members counts.
    const sup_json *bodies = sup_json_get(world, "bodies"), *forces = sup_json_get(world, "forces"),
                   *muscles = sup_json_get(world, "muscles"), *keys = sup_json_get(world, "keys");
    if (!r) r = read_vector(b, sup_json_get(world, "gravity"), &plan->gravity);
    if (!r) r = read_vector(b, sup_json_get(world, "wind"), &plan->wind);
    if (!r && bodies) r = world_bodies_read(b, bodies);
    if (!r && forces) r = world_forces_read(b, forces);
    if (!r && muscles) r = world_muscles_read(b, muscles);
    if (!r && keys) r = read_tracks(b, keys);
    return r;
}

sup_result world_with_forces(const sup_chain* chain, const sup_world_plan* plan, const sup_json* forces, sup_arena* arena,
                             sup_world_plan* out, sup_error* error)
{
    sup_chain made = *chain; // for readers that store their result in a chain
    made.arena = arena;
    made.world = *plan;
    made.world.force_count = 0;
    chain_builder b = { .chain = &made, .error = error };
    sup_result    r = world_forces_read(&b, forces);
    if (!r) *out = made.world;
    return r;
}

sup_result world_with_bodies(const sup_chain* chain, const sup_world_plan* plan, const sup_json* bodies, sup_arena* arena,
                             sup_world_plan* out, sup_error* error)
{
    sup_chain made = *chain;
    made.arena = arena;
    made.world = *plan;
    made.world.body_count = 0;
    chain_builder b = { .chain = &made, .error = error, .bound = &chain->world };
    sup_result    r = world_bodies_read(&b, bodies);
    if (!r && made.world.body_count != chain->world.body_count)
        r = sup_fail(error, SUP_ERROR_INPUT, "world: there are %u bodies where the chain was bound with %u; make a new chain",
                     made.world.body_count, chain->world.body_count);
    if (!r) *out = made.world;
    return r;
}

// ---------------------------------------------------------------------------------------------- moments

bool world_workspace_create(const sup_world_plan* plan, sup_arena* arena, world_workspace* out)
{
    *out = (world_workspace){ .bodies = SUP_NEW(arena, sup_body, plan->body_count),
                              .forces = SUP_NEW(arena, sup_force, plan->force_count),
                              .felt = SUP_NEW(arena, float, plan->force_count),
                              .activations = SUP_NEW(arena, float, plan->character->skeleton.joint_count) };
    if (!out->bodies || !out->forces || !out->felt || !out->activations) return false;
    out->world = (sup_world){ .gravity = plan->gravity,
                              .wind = plan->wind,
                              .body_count = plan->body_count,
                              .force_count = plan->force_count,
                              .bodies = out->bodies,
                              .forces = out->forces,
                              .activations = plan->muscle_count ? out->activations : NULL };
    return world_actors_create(plan, arena, out);
}

void world_resolve(const sup_chain* chain, const sup_world_plan* plan, const world_moment* m, const uint8_t* base_params,
                   uint8_t* params, world_workspace* work)
{
    memcpy(params, base_params, chain->params_size);
    for (uint32_t i = 0; i < plan->track_count; ++i) {
        const world_track* t = &plan->tracks[i];
        if (t->target != WORLD_PARAM) continue;
        const link*      l = &chain->links[t->link];
        const sup_param* p = &l->deformer->params[t->param];
        float            share;
        uint32_t         k = world_times_find(&t->keys, m->time, &share);
        // Integers and switches change at their keys.
        bool     straight = p->type == SUP_PARAM_FLOAT && share > 0;
        sup_vec3 v = straight ? v3_lerp(t->values[k], t->values[k + 1], share) : t->values[k];
        param_set_number(l->deformer, t->param, v.x, params + l->params_offset, NULL);
    }
    sup_world_plan_at(plan, m->time, &work->world.gravity, &work->world.wind, work->activations);
    world_forces_at(plan, m, work);
    world_bodies_at(plan, m, work);
}

void sup_world_plan_at(const sup_world_plan* plan, double time, sup_vec3* gravity, sup_vec3* wind, float* activations)
{
    if (gravity) *gravity = plan->gravity;
    if (wind) *wind = plan->wind;
    for (uint32_t i = 0; i < plan->track_count; ++i) {
        const world_track* t = &plan->tracks[i];
        sup_vec3*          to = t->target == WORLD_GRAVITY ? gravity : t->target == WORLD_WIND ? wind : NULL;
        if (to) *to = world_vector_at(&t->keys, t->values, time);
    }
    if (!activations) return;
    memset(activations, 0, plan->character->skeleton.joint_count * sizeof *activations);
    for (uint32_t i = 0; i < plan->muscle_count; ++i) { // later ones win, as with --set
        const world_muscle* m = &plan->muscles[i];
        float               share;
        uint32_t            k = world_times_find(&m->keys, time, &share);
        float               value = m->values[k];
        if (share > 0) value += share * (m->values[k + 1] - value);
        for (uint32_t j = 0; j < m->joint_count; ++j) activations[m->joints[j]] = value;
    }
}
