// The world file: {"gravity": [0, -9.81, 0], "wind": [0, 0, 0], "keys": {"dualquat.blend": [{"time": 0, "value": 1}, ...]}}.
// One schema, one reader; the runner resolves it at each step and deformers see values.
#include "deform/runner.h"
#include "math/vec.h"

#include <string.h>

#define EARTH_GRAVITY 9.80665f // m / s^2, the standard value

static bool read_vector(const sup_json* value, float out[3])
{
    if (!value || value->type != SUP_JSON_ARRAY || value->count != 3) return false;
    uint32_t i = 0;
    for (const sup_json* v = value->first; v; v = v->next, ++i) {
        if (v->type != SUP_JSON_NUMBER || !(v->number > -1e9 && v->number < 1e9)) return false;
        out[i] = (float)v->number;
    }
    return true;
}

static sup_result read_member(chain_builder* b, const sup_json* value, float per_unit, sup_vec3* out)
{
    float v[3];
    if (!read_vector(value, v))
        return sup_fail(b->error, SUP_ERROR_INPUT, "world: \"%s\" must be three numbers, for example [0, -9.81, 0]",
                        value->key);
    *out = v3(v[0] * per_unit, v[1] * per_unit, v[2] * per_unit);
    return SUP_OK;
}

// 'gravity', 'wind', or 'NAME[#N].PARAM' of a link. One track per link that the name means.
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

static sup_result read_value(chain_builder* b, const sup_json* list, const world_track* t, const sup_json* value,
                             uint32_t index, world_key* out)
{
    if (t->target != WORLD_PARAM) {
        if (!read_vector(value, out->value))
            return sup_fail(b->error, SUP_ERROR_INPUT, "world: key %u of \"%s\": \"value\" must be three numbers", index,
                            list->key);
        for (int i = 0; i < 3; ++i) out->value[i] /= (float)b->chain->character->metres_per_unit;
        return SUP_OK;
    }
    const link*      l = &b->chain->links[t->link];
    const sup_param* p = &l->deformer->params[t->param];
    double           number = value && value->type == SUP_JSON_TRUE ? 1 : 0;
    if (p->type == SUP_PARAM_CHOICE && value && value->type == SUP_JSON_STRING) {
        while (p->choices[(int)number] && strcmp(p->choices[(int)number], value->text)) ++number;
    } else if (!value || (value->type != SUP_JSON_TRUE && value->type != SUP_JSON_FALSE)) {
        if (!value || value->type != SUP_JSON_NUMBER)
            return sup_fail(b->error, SUP_ERROR_INPUT, "world: key %u of \"%s\" has no number as its \"value\"", index,
                            list->key);
        number = value->number;
    }
    // Stored through the table once, which checks type and range.
    uint8_t* probe = sup_arena_copy(b->temporary, l->params, 1, l->deformer->params_size);
    if (!probe) return sup_fail_memory(b->error, "the world");
    sup_error reason;
    if (param_set_number(l->deformer, t->param, number, probe, &reason))
        return sup_fail(b->error, SUP_ERROR_INPUT, "world: key %u of \"%s\": %s", index, list->key, reason.text);
    out->value[0] = (float)number;
    return SUP_OK;
}

static sup_result read_keys(chain_builder* b, const sup_json* list, world_track* t)
{
    if (list->type != SUP_JSON_ARRAY || !list->count)
        return sup_fail(b->error, SUP_ERROR_INPUT, "world: keys of \"%s\" must be a list of {\"time\": s, \"value\": v}",
                        list->key);
    world_key* keys = SUP_NEW(b->chain->arena, world_key, list->count);
    if (!keys) return sup_fail_memory(b->error, "the world");
    uint32_t n = 0;
    for (const sup_json* k = list->first; k; k = k->next, ++n) {
        const sup_json* time = sup_json_get(k, "time");
        if (!time || time->type != SUP_JSON_NUMBER || !(time->number >= -1e6 && time->number <= 1e6))
            return sup_fail(b->error, SUP_ERROR_INPUT, "world: key %u of \"%s\" has no \"time\" in seconds", n + 1, list->key);
        keys[n].time = time->number;
        keys[n].step = false;
        const sup_json* step = sup_json_get(k, "step");
        if (step) keys[n].step = step->type == SUP_JSON_TRUE;
        for (const sup_json* m = k->first; m; m = m->next)
            if (strcmp(m->key, "time") && strcmp(m->key, "value") && strcmp(m->key, "step"))
                return sup_fail(b->error, SUP_ERROR_INPUT,
                                "world: key %u of \"%s\": \"%s\" is not known; there are: time, value, step", n + 1, list->key,
                                m->key);
        if (n && !(keys[n].time > keys[n - 1].time))
            return sup_fail(b->error, SUP_ERROR_INPUT,
                            "world: key %u of \"%s\": time %g is not after %g; put the keys in order", n + 1, list->key,
                            keys[n].time, keys[n - 1].time);
        sup_result r = read_value(b, list, t, sup_json_get(k, "value"), n + 1, &keys[n]);
        if (r) return r;
    }
    t->key_count = n;
    t->keys = keys;
    return SUP_OK;
}

static sup_result read_track_list(chain_builder* b, const sup_json* list)
{
    sup_chain* chain = b->chain;
    bool       gravity = strcmp(list->key, "gravity") == 0;
    if (gravity || strcmp(list->key, "wind") == 0) {
        world_track* t = &chain->tracks[chain->track_count++];
        t->target = gravity ? WORLD_GRAVITY : WORLD_WIND;
        return read_keys(b, list, t);
    }
    uint32_t found = 0;
    for (uint32_t i = 0; i < chain->link_count; ++i) {
        bool       meant;
        sup_result r = resolve_target(b, list->key, i, &chain->tracks[chain->track_count], &meant);
        if (!r && meant) r = read_keys(b, list, &chain->tracks[chain->track_count++]);
        if (r) return r;
        found += meant;
    }
    if (!found)
        return sup_fail(b->error, SUP_ERROR_INPUT, "world: keys of \"%s\": the chain '%s' has no such link", list->key,
                        chain->text);
    return SUP_OK;
}

sup_result world_parse(chain_builder* b)
{
    sup_chain*           chain = b->chain;
    const sup_character* c = chain->character;
    float                per_unit = 1.0f / (float)c->metres_per_unit;
    float                g = -EARTH_GRAVITY * per_unit;
    chain->world.gravity = v3(c->up == SUP_AXIS_X ? g : 0, c->up == SUP_AXIS_Y ? g : 0, c->up == SUP_AXIS_Z ? g : 0);
    const sup_json* world = b->desc->world;
    if (!world) return SUP_OK;
    if (world->type != SUP_JSON_OBJECT)
        return sup_fail(b->error, SUP_ERROR_INPUT, "world: the file must hold one {...} object");
    for (const sup_json* m = world->first; m; m = m->next) {
        sup_result r = SUP_OK;
        if (strcmp(m->key, "gravity") == 0) r = read_member(b, m, per_unit, &chain->world.gravity);
        else if (strcmp(m->key, "wind") == 0) r = read_member(b, m, per_unit, &chain->world.wind);
        else if (strcmp(m->key, "keys") == 0) {
            if (m->type != SUP_JSON_OBJECT)
                return sup_fail(b->error, SUP_ERROR_INPUT, "world: \"keys\" must be {\"NAME.PARAM\": [{\"time\", \"value\"}]}");
            if (m->count > 10000) return sup_fail(b->error, SUP_ERROR_INPUT, "world: more than 10000 key lists");
            chain->tracks = SUP_NEW(chain->arena, world_track, (size_t)m->count * (chain->link_count + 1));
            if (!chain->tracks) return sup_fail_memory(b->error, "the world");
            for (const sup_json* list = m->first; list && !r; list = list->next) r = read_track_list(b, list);
        } else return sup_fail(b->error, SUP_ERROR_INPUT, "world: \"%s\" is not known; there are: gravity, wind, keys", m->key);
        if (r) return r;
    }
    return SUP_OK;
}

static void track_value(const world_track* t, bool smooth, double time, float out[3])
{
    uint32_t low = 0, high = t->key_count; // the last key that is not after time
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (t->keys[middle].time <= time) low = middle;
        else high = middle;
    }
    const world_key *a = &t->keys[low], *b = low + 1 < t->key_count ? a + 1 : a;
    float            share = 0;
    if (b != a && !a->step && smooth && time > a->time) share = (float)((time - a->time) / (b->time - a->time));
    for (int i = 0; i < 3; ++i) out[i] = a->value[i] + share * (b->value[i] - a->value[i]);
}

void world_resolve(const sup_chain* chain, double time, const uint8_t* base_params, uint8_t* params, sup_world* world)
{
    memcpy(params, base_params, chain->params_size);
    *world = chain->world;
    for (uint32_t i = 0; i < chain->track_count; ++i) {
        const world_track* t = &chain->tracks[i];
        float              v[3];
        if (t->target == WORLD_PARAM) {
            const link*      l = &chain->links[t->link];
            const sup_param* p = &l->deformer->params[t->param];
            // Whole numbers and switches jump at their keys.
            track_value(t, p->type == SUP_PARAM_FLOAT, time, v);
            param_set_number(l->deformer, t->param, v[0], params + l->params_offset, NULL);
        } else {
            track_value(t, true, time, v);
            *(t->target == WORLD_GRAVITY ? &world->gravity : &world->wind) = v3(v[0], v[1], v[2]);
        }
    }
}
