// Springs of the world: a hand that holds some of the skin and pulls it somewhere. Here they are read and evaluated; links
// apply them to their tissue (grip.h).
#include "math/vec.h"
#include "run/grip.h"
#include "run/runner.h"

#define SPRING_MAX 1e9 // N/m

// ---------------------------------------------------------------------------------------------- reading

// The center of the skin that the spring reaches, and the bones that carry it.
static sup_result find_middle(chain_builder* b, const char* what, world_force* f)
{
    const sup_character* c = b->chain->character;
    const sup_weights*   w = &c->weights;
    double               sum = 0, place[3] = { 0 };
    float*               bones = SUP_NEW(b->chain->arena, float, c->skeleton.joint_count);
    if (!bones) return sup_fail_memory(b->error, "the world");
    for (uint32_t p = 0; p < c->mesh.point_count; ++p) {
        sup_vec3 at = c->mesh.points[p];
        float    share = sup_force_share(&f->force, p, at);
        if (!(share > 0)) continue;
        sum += (double)share;
        place[0] += (double)(share * at.x), place[1] += (double)(share * at.y), place[2] += (double)(share * at.z);
        for (uint32_t i = w->begin ? w->begin[p] : 0; w->begin && i < w->begin[p + 1]; ++i)
            bones[w->joints[i]] += share * w->values[i];
    }
    if (!(sum > 0)) return world_fail(b, what, "it reaches no point of the skin; put it nearer, or make \"radius\" larger");
    f->force.middle = v3((float)(place[0] / sum), (float)(place[1] / sum), (float)(place[2] / sum));
    for (uint32_t j = 0; j < c->skeleton.joint_count; ++j) bones[j] /= (float)sum;
    f->bones = w->begin ? bones : NULL;
    return SUP_OK;
}

// A key holds the place of the held end and the share of the stiffness.
static sup_result read_key(chain_builder* b, const char* what, const sup_json* item, const sup_json* key, uint32_t number,
                           sup_vec3* to, float* hold)
{
    char name[300];
    sup_format(name, sizeof name, "key %u of %s", number, what);
    const sup_json* where = sup_json_get(key, "to");
    if (!where) where = sup_json_get(item, "to");
    float per_unit = 1.0f / (float)sup_character_physics_unit(b->chain->character);
    if (!where || !world_vector(where, per_unit, to))
        return world_fail(b, name, "\"to\" %s, the place in meters where it is held", world_vector_wrong(where));
    return world_number(b, name, key, "value", 0, 1, 1, hold);
}

sup_result world_spring_read(chain_builder* b, const char* what, const sup_json* item, world_force* f)
{
    static const double always = 0;
    static const bool   never = false;
    const sup_json*     keys = sup_json_get(item, "keys");
    if (sup_json_get(item, "value") || sup_json_get(item, "local"))
        return world_fail(b, what, "a spring takes \"to\" and keys with \"to\"; \"value\" and \"local\" belong to a push");
    if (f->force.kind == SUP_FORCE_REGION && !f->force.region)
        return world_fail(b, what, "a spring holds skin around a place or on a map, not curves");
    sup_result r = world_number(b, what, item, "spring", 0, SPRING_MAX, 0, &f->force.spring);
    f->keys = (world_times){ 1, &always, &never };
    if (!r && keys) r = world_times_read(b, what, keys, "time, to, value, step", &f->keys);
    if (r) return r;
    sup_vec3* values = SUP_NEW(b->chain->arena, sup_vec3, f->keys.count);
    float*    holds = SUP_NEW(b->chain->arena, float, f->keys.count);
    if (!values || !holds) return sup_fail_memory(b->error, "the world");
    f->values = values;
    f->holds = holds;
    if (!keys) {
        if (!sup_json_get(item, "to"))
            return world_fail(b, what, "there is no \"to\", the place where it is held, and no \"keys\"");
        r = world_vector(sup_json_get(item, "to"), 1.0f / (float)sup_character_physics_unit(b->chain->character), values)
                ? SUP_OK
                : world_fail(b, what, "\"to\" %s", world_vector_wrong(sup_json_get(item, "to")));
        *holds = 1;
    }
    uint32_t n = 0;
    for (const sup_json* k = keys ? keys->first : NULL; k && !r; k = k->next, ++n)
        r = read_key(b, what, item, k, n + 1, &values[n], &holds[n]);
    return r ? r : find_middle(b, what, f);
}

// ---------------------------------------------------------------------------------------------- moments

void world_spring_at(const world_force* f, double time, sup_force* out)
{
    float    share;
    uint32_t k = world_times_find(&f->keys, time, &share);
    float    hold = f->holds[k];
    if (share > 0) hold += share * (f->holds[k + 1] - hold);
    out->to = world_vector_at(&f->keys, f->values, time);
    out->spring = f->force.spring * hold;
    out->value = v3(0, 0, 0);
}

void world_spring_pose(const world_force* f, const sup_pose* pose, sup_force* out)
{
    sup_vec3 place = f->bones ? v3(0, 0, 0) : out->middle;
    for (uint32_t j = 0; f->bones && j < pose->joint_count; ++j)
        if (f->bones[j] > 0) place = v3_mad(place, f->bones[j], affine_point(&pose->skin[j], out->middle));
    out->value = v3_scale(v3_sub(out->to, place), out->spring);
}

// ---------------------------------------------------------------------------------------------- links

void sup_grip_add(sup_grip* grip, float share, double mass, sup_vec3 place, sup_vec3 velocity, sup_vec3 rest,
                  const sup_mat3* turn)
{
    const float *x = &place.x, *v = &velocity.x, *r = &rest.x;
    double       s = (double)share;
    grip->share += s;
    grip->square += s * s;
    grip->mass += s * mass;
    for (int i = 0; i < 3; ++i) {
        grip->place[i] += s * (double)x[i];
        grip->velocity[i] += s * (double)v[i];
        grip->rest[i] += s * (double)r[i];
        for (int k = 0; k < 3; ++k) grip->turn[i][k] += s * (double)turn->m[i][k];
    }
}

sup_vec3 sup_grip_pull(const sup_grip* grip, const sup_force* force, double dt)
{
    if (!(grip->share > 0) || !(grip->mass > 0) || !(force->spring > 0)) return v3(0, 0, 0);
    const float *to = &force->to.x, *middle = &force->middle.x;
    double       k = (double)force->spring, per = 1 / grip->share, apart[3], pull[3];
    // The particles may lie elsewhere than the skin that is held (deeper, or farther apart): the offset between the two rotates
    // with them.
    for (int i = 0; i < 3; ++i) apart[i] = (double)middle[i] - per * grip->rest[i];
    for (int i = 0; i < 3; ++i) {
        double at = per * (grip->place[i] + dt * grip->velocity[i]);
        for (int c = 0; c < 3; ++c) at += per * grip->turn[i][c] * apart[c];
        pull[i] = k * ((double)to[i] - at);
    }
    // The force of the spring, limited so that the particles do not overshoot its end within the step.
    double   stiff = k * dt * dt * per * grip->square, soft = 1 / (stiff > grip->mass ? stiff : grip->mass);
    sup_vec3 a = v3((float)(soft * pull[0]), (float)(soft * pull[1]), (float)(soft * pull[2]));
    if (force->felt) *force->felt = (float)grip->mass * v3_length(a);
    return a;
}
