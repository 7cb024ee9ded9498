// Forces and muscles of the world file.
#include "math/vec.h"
#include "run/runner.h"

#include <math.h>
#include <string.h>

#define NEWTONS_MAX 1e9
#define RADIUS_MIN 1e-6 // m
#define RADIUS_MAX 1e6
#define CURVES_MAX 1e6
enum { ITEMS_MAX = 10000 };

// ---------------------------------------------------------------------------------------------- where it acts

// A joint and a ratio along its first bone.
static sup_result read_place(chain_builder* b, const char* what, const sup_json* object, sup_force* f)
{
    const sup_skeleton* s = &b->chain->character->skeleton;
    const sup_json*     bone = sup_json_get(object, "bone");
    if (!bone) return world_fail(b, what, "there is no \"bone\", the name of a joint");
    sup_result r = world_joint(b, what, bone, &f->joint);
    if (!r) r = world_number(b, what, object, "ratio", 0, 1, 0.5, &f->ratio);
    if (r) return r;
    for (uint32_t i = 0; i < s->bone_count; ++i) {
        if (s->bones[i].joint != f->joint) continue;
        f->at = v3_lerp(s->bones[i].head, s->bones[i].tail, f->ratio);
        return SUP_OK;
    }
    return world_fail(b, what, "'%s' is not a joint of a skin, and so has no bone", s->joints[f->joint].name);
}

static sup_result read_bone(chain_builder* b, const char* what, const sup_json* item, sup_force* f)
{
    f->kind = SUP_FORCE_BONE;
    sup_result r = read_place(b, what, item, f);
    if (!r) r = world_number(b, what, item, "radius", RADIUS_MIN, RADIUS_MAX, NAN, &f->radius);
    f->radius /= (float)sup_character_physics_unit(b->chain->character);
    return r;
}

static sup_result read_at(chain_builder* b, const char* what, const sup_json* item, sup_force* f)
{
    float unit = (float)sup_character_physics_unit(b->chain->character);
    f->kind = SUP_FORCE_BONE;
    if (!world_vector(sup_json_get(item, "at"), 1.0f / unit, &f->at))
        return world_fail(b, what, "\"at\" %s, a place of the rest shape in meters",
                          world_vector_wrong(sup_json_get(item, "at")));
    sup_result r = world_number(b, what, item, "radius", RADIUS_MIN, RADIUS_MAX, NAN, &f->radius);
    f->radius /= unit;
    return r;
}

static sup_result read_curve(chain_builder* b, const char* what, const sup_json* item, sup_force* f)
{
    const sup_json *curve = sup_json_get(item, "curve"), *from = sup_json_get(item, "from"), *to = sup_json_get(item, "to");
    sup_result      r = SUP_OK;
    f->kind = SUP_FORCE_CURVE;
    f->curve = SUP_NONE;
    if (curve->type == SUP_JSON_OBJECT) {
        r = world_members(b, what, curve, "bone, ratio");
        if (!r) r = read_place(b, what, curve, f);
    } else {
        f->curve = sup_json_index(curve, SUP_NONE);
        if (f->curve > (uint32_t)CURVES_MAX)
            return world_fail(b, what, "\"curve\" must be its number in the link, 0 for the first, or {\"bone\", \"ratio\"}");
    }
    if (r) return r;
    if (!from && !to) {
        r = world_number(b, what, item, "ratio", 0, 1, 0.5, &f->begin);
        f->end = f->begin;
    } else {
        if (sup_json_get(item, "ratio")) return world_fail(b, what, "give \"ratio\", or \"from\" and \"to\", not both");
        r = world_number(b, what, item, "from", 0, 1, NAN, &f->begin);
        if (!r) r = world_number(b, what, item, "to", 0, 1, NAN, &f->end);
        if (!r && !(f->end > f->begin)) return world_fail(b, what, "\"to\" must be greater than \"from\"");
    }
    if (f->curve != SUP_NONE) f->ratio = f->begin;
    return r;
}

// Curves of a link, from the first to the last, over their whole length or between two ratios; spread evenly or at one place.
static sup_result read_curves(chain_builder* b, const char* what, const sup_json* region, sup_force* f)
{
    const sup_json *curves = sup_json_get(region, "curves"), *at = sup_json_get(region, "at");
    f->kind = SUP_FORCE_REGION;
    sup_result r = world_members(b, what, region, "curves, from, to, at");
    if (!r) r = world_number(b, what, region, "from", 0, 1, 0, &f->begin);
    if (!r) r = world_number(b, what, region, "to", 0, 1, 1, &f->end);
    if (r) return r;
    if (!(f->end > f->begin)) return world_fail(b, what, "\"to\" must be greater than \"from\"");
    f->curve = f->curve_last = SUP_NONE;
    if (curves && curves->type == SUP_JSON_ARRAY && curves->count == 2) {
        f->curve = sup_json_index(curves->first, SUP_NONE);
        f->curve_last = sup_json_index(curves->first->next, SUP_NONE);
    }
    if (f->curve > (uint32_t)CURVES_MAX || f->curve_last > (uint32_t)CURVES_MAX)
        return world_fail(b, what, "\"curves\" must be the numbers of the first and the last curve, for example [2, 8]");
    if (!at) return SUP_OK;
    bool two = at->type == SUP_JSON_ARRAY && at->count == 2 && at->first->type == SUP_JSON_NUMBER &&
               at->first->next->type == SUP_JSON_NUMBER;
    if (two) f->at = v3((float)at->first->number, (float)at->first->next->number, 1);
    if (!two || !(f->at.x > 0 && f->at.x < 1 && f->at.y > 0 && f->at.y < 1))
        return world_fail(b, what, "\"at\" must be two numbers between 0 and 1: across the curves and along them");
    return SUP_OK;
}

static sup_result read_region(chain_builder* b, const char* what, const sup_json* item, sup_force* f)
{
    const sup_character* c = b->chain->character;
    if (sup_json_get(item, "region")->type == SUP_JSON_OBJECT) return read_curves(b, what, sup_json_get(item, "region"), f);
    const char* name = sup_json_string(sup_json_get(item, "region"), NULL);
    char        attribute[256]; // glTF's names of maps begin with an underscore
    f->kind = SUP_FORCE_REGION;
    if (!name) return world_fail(b, what, "\"region\" must be the name of a map, or {\"curves\": [2, 8]}");
    sup_format(attribute, sizeof attribute, "_%s", name);
    const sup_map* map = sup_character_map(c, name);
    if (!map) map = sup_character_map(c, attribute);
    if (!map) return world_fail(b, what, "'%s' has no map '%s'; give one with --map %s=FILE", c->name, name, name);
    f->region = map->values;
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- how strong it is

// Keys hold newtons, or shares of the force's own "value" where it has one.
static sup_result read_strength(chain_builder* b, const char* what, const sup_json* item, world_force* f)
{
    static const double always = 0;
    static const bool   never = false;
    const sup_json *    value = sup_json_get(item, "value"), *keys = sup_json_get(item, "keys");
    float               per_unit = 1.0f / (float)sup_character_physics_unit(b->chain->character);
    if (!value && !keys)
        return world_fail(b, what, "there is no \"value\" in newtons, for example [0, 0, 40], and no \"keys\"");
    if (value && !world_vector(value, per_unit, &f->force.value))
        return world_fail(b, what, "\"value\" %s, in newtons", world_vector_wrong(value));
    if (!keys) {
        f->keys = (world_times){ 1, &always, &never };
        f->values = sup_arena_copy(b->chain->arena, &f->force.value, 1, sizeof(sup_vec3));
        return f->values ? SUP_OK : sup_fail_memory(b->error, "the world");
    }
    sup_result r = world_times_read(b, what, keys, "time, value, step", &f->keys);
    if (r) return r;
    sup_vec3* values = SUP_NEW(b->chain->arena, sup_vec3, f->keys.count);
    if (!values) return sup_fail_memory(b->error, "the world");
    f->values = values;
    for (const sup_json* k = keys->first; k; k = k->next, ++values) {
        const sup_json* v = sup_json_get(k, "value");
        bool            share = v && v->type == SUP_JSON_NUMBER && v->number > -NEWTONS_MAX && v->number < NEWTONS_MAX;
        uint32_t        n = (uint32_t)(values - f->values) + 1;
        if (value && !share)
            return world_fail(b, what, "key %u: \"value\" must be a number that multiplies the force's own \"value\"", n);
        if (value) *values = v3_scale(f->force.value, (float)v->number);
        else if (!world_vector(v, per_unit, values))
            return world_fail(b, what, "key %u: \"value\" %s, in newtons", n, world_vector_wrong(v));
    }
    return SUP_OK;
}

static sup_result read_force(chain_builder* b, const sup_json* list, const sup_json* item, uint32_t number, world_force* f)
{
    static const char* const kinds[] = { "bone", "curve", "region", "at" };
    static const char* const members[] = { "name, bone, ratio, radius, value, local, spring, to, keys",
                                           "name, curve, ratio, from, to, value, local, keys",
                                           "name, region, value, spring, to, keys",
                                           "name, at, radius, value, spring, to, keys" };
    const char*              what = NULL;
    uint32_t                 kind = SUP_NONE, found = 0;
    f->force.joint = SUP_NONE;
    sup_result r = world_name(b, "force", list, item, number, &f->force.name, &what);
    if (r) return r;
    for (uint32_t k = 0; k < SUP_COUNT_OF(kinds); ++k) {
        if (!sup_json_get(item, kinds[k])) continue;
        kind = k;
        ++found;
    }
    if (found != 1) return world_fail(b, what, "give one of \"bone\", \"at\", \"curve\", \"region\"");
    r = world_members(b, what, item, members[kind]);
    if (r) return r;
    r = kind == 0   ? read_bone(b, what, item, &f->force)
        : kind == 1 ? read_curve(b, what, item, &f->force)
        : kind == 2 ? read_region(b, what, item, &f->force)
                    : read_at(b, what, item, &f->force);
    if (!r && sup_json_get(item, "spring")) return world_spring_read(b, what, item, f);
    if (!r && kind != 1 && sup_json_get(item, "to"))
        r = world_fail(b, what, "\"to\" belongs to a spring; give \"spring\" in newtons per meter");
    const sup_json* local = sup_json_get(item, "local");
    if (!r && local && local->type != SUP_JSON_TRUE && local->type != SUP_JSON_FALSE)
        r = world_fail(b, what, "\"local\" must be true or false");
    f->force.local = local && local->type == SUP_JSON_TRUE;
    if (!r && f->force.local && f->force.joint == SUP_NONE)
        r = world_fail(b, what, "\"local\" needs a joint to turn with; choose the curve by {\"bone\", \"ratio\"}");
    return r ? r : read_strength(b, what, item, f);
}

sup_result world_forces_read(chain_builder* b, const sup_json* list)
{
    sup_world_plan* plan = &b->chain->world;
    if (list->type != SUP_JSON_ARRAY || list->count > ITEMS_MAX)
        return world_fail(b, "\"forces\"", "must be a list of {...}, at most %d", ITEMS_MAX);
    plan->forces = SUP_NEW(b->chain->arena, world_force, list->count);
    if (!plan->forces) return sup_fail_memory(b->error, "the world");
    sup_result r = SUP_OK;
    for (const sup_json* item = list->first; item && !r; item = item->next) {
        uint32_t n = plan->force_count++;
        r = read_force(b, list, item, n + 1, &plan->forces[n]);
    }
    return r;
}

// ---------------------------------------------------------------------------------------------- muscles

static sup_result read_activation(chain_builder* b, const char* what, const sup_json* value, float* out)
{
    if (!value || value->type != SUP_JSON_NUMBER || !(value->number >= 0 && value->number <= 1))
        return world_fail(b, what, "an activation is a number from 0 to 1");
    *out = (float)value->number;
    return SUP_OK;
}

static sup_result read_muscle(chain_builder* b, const sup_json* item, world_muscle* m)
{
    static const double always = 0;
    static const bool   never = false;
    const sup_skeleton* s = &b->chain->character->skeleton;
    char                what[256];
    sup_format(what, sizeof what, "muscle '%s'", item->key);
    uint32_t* joints = SUP_NEW(b->chain->arena, uint32_t, s->joint_count);
    if (!joints) return sup_fail_memory(b->error, "the world");
    for (uint32_t j = 0; j < s->joint_count; ++j)
        if (s->joints[j].name && sup_glob_match(item->key, s->joints[j].name)) joints[m->joint_count++] = j;
    m->joints = joints;
    if (!m->joint_count) return world_fail(b, what, "no joint of '%s' has such a name", b->chain->character->name);
    sup_result r = SUP_OK;
    bool       list = item->type == SUP_JSON_ARRAY;
    m->keys = (world_times){ 1, &always, &never };
    if (list) r = world_times_read(b, what, item, "time, value, step", &m->keys);
    float* values = r ? NULL : SUP_NEW(b->chain->arena, float, m->keys.count);
    if (!r && !values) return sup_fail_memory(b->error, "the world");
    m->values = values;
    if (!r && !list) return read_activation(b, what, item, values);
    for (const sup_json* k = item->first; k && !r; k = k->next)
        r = read_activation(b, what, sup_json_get(k, "value"), values++);
    return r;
}

sup_result world_muscles_read(chain_builder* b, const sup_json* list)
{
    sup_world_plan* plan = &b->chain->world;
    if (list->type != SUP_JSON_OBJECT || list->count > ITEMS_MAX)
        return world_fail(b, "\"muscles\"", "must be {\"BONE GLOB\": 0.7, ...}, at most %d", ITEMS_MAX);
    plan->muscles = SUP_NEW(b->chain->arena, world_muscle, list->count);
    if (!plan->muscles) return sup_fail_memory(b->error, "the world");
    sup_result r = SUP_OK;
    for (const sup_json* item = list->first; item && !r; item = item->next)
        r = read_muscle(b, item, &plan->muscles[plan->muscle_count++]);
    return r;
}

// ---------------------------------------------------------------------------------------------- what links ask

uint32_t sup_world_plan_force_count(const sup_world_plan* plan) { return plan->force_count; }

void sup_world_plan_force(const sup_world_plan* plan, uint32_t force, double time, sup_force* out)
{
    SUP_ASSERT(force < plan->force_count);
    const world_force* f = &plan->forces[force];
    *out = f->force;
    if (f->holds) world_spring_at(f, time, out);
    else out->value = world_vector_at(&f->keys, f->values, time);
}

void world_forces_at(const sup_world_plan* plan, const world_moment* moment, world_workspace* work)
{
    for (uint32_t i = 0; i < plan->force_count; ++i) {
        sup_world_plan_force(plan, i, moment->time, &work->forces[i]);
        if (!plan->forces[i].holds) continue;
        // An instant between steps takes no step: the force measured in the last one stays.
        if (moment->time > moment->before) work->felt[i] = 0;
        work->forces[i].felt = &work->felt[i];
        world_spring_pose(&plan->forces[i], moment->end, &work->forces[i]);
    }
}

uint32_t sup_world_plan_force_keys(const sup_world_plan* plan, uint32_t force, const double** times, const sup_vec3** values,
                                   const bool** steps)
{
    SUP_ASSERT(force < plan->force_count);
    const world_force* f = &plan->forces[force];
    if (times) *times = f->keys.times;
    if (values) *values = f->values;
    if (steps) *steps = f->keys.steps;
    return f->keys.count;
}

float sup_force_share(const sup_force* force, uint32_t point, sup_vec3 rest)
{
    if (force->kind == SUP_FORCE_REGION) return point == SUP_NONE || !force->region ? 0.0f : force->region[point];
    if (force->kind != SUP_FORCE_BONE) return 0.0f;
    sup_vec3 d = v3_sub(rest, force->at);
    float    inside = 1.0f - v3_length2(d) / (force->radius * force->radius);
    return inside > 0.0f ? inside * inside : 0.0f;
}

sup_vec3 sup_force_value(const sup_force* force, const sup_pose* pose)
{
    if (!force->local) return force->value;
    sup_transform t;
    affine_decompose(&pose->skin[force->joint], &t);
    return quat_rotate(t.rotation, force->value);
}
