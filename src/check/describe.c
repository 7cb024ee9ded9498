// A checkup as JSON, and which chains can be checked.
#include "base/internal.h"
#include "supple/check.h"

#include <math.h>
#include <string.h>

static void set_number(sup_arena* arena, sup_json* object, const char* key, double value)
{
    sup_json_set(arena, object, key, sup_json_new_number(arena, value));
}

static sup_json* describe_sweeps(const sup_joint_sweeps* s, sup_arena* arena)
{
    sup_json* list = sup_json_new(arena, SUP_JSON_ARRAY);
    for (uint32_t i = 0; i < s->sweep_count; i++) {
        const sup_sweep* w = &s->sweeps[i];
        sup_json*        json = sup_json_push(list, sup_json_new(arena, SUP_JSON_OBJECT));
        sup_json_set(arena, json, "motion", sup_json_new_string(arena, w->twist ? "twist" : "bend"));
        sup_json* axis = sup_json_set(arena, json, "axis", sup_json_new(arena, SUP_JSON_ARRAY));
        sup_json_push(axis, sup_json_new_number(arena, (double)w->axis.x));
        sup_json_push(axis, sup_json_new_number(arena, (double)w->axis.y));
        sup_json_push(axis, sup_json_new_number(arena, (double)w->axis.z));
        set_number(arena, json, "from", w->low);
        set_number(arena, json, "to", w->high);
    }
    return list;
}

static sup_json* describe_result(const sup_checkup* c, const sup_check_joint* joint, uint32_t chain, sup_arena* arena)
{
    const sup_check_result* r = &joint->results[chain];
    sup_json*               json = sup_json_new(arena, SUP_JSON_OBJECT);
    sup_json_set(arena, json, "chain", sup_json_new_string(arena, sup_chain_text(c->chains[chain])));
    set_number(arena, json, "volume_change", r->values[r->worst].volume);
    sup_json_set(arena, json, "worst_motion",
                 sup_json_new_string(arena, sup_sweep_of(&joint->sweeps, r->worst)->twist ? "twist" : "bend"));
    set_number(arena, json, "worst_angle", joint->sweeps.angles[r->worst]);
    set_number(arena, json, "volume_loss", fmax(0.0, -r->values[r->loss].volume));
    if (isfinite(r->intersections)) set_number(arena, json, "intersections_added", r->intersections);
    else sup_json_set(arena, json, "intersections_added", sup_json_new(arena, SUP_JSON_NULL));
    set_number(arena, json, "stretch_max", r->stretch);
    set_number(arena, json, "roughness_max", r->roughness);
    set_number(arena, json, "badness", r->badness);
    return json;
}

sup_json* sup_checkup_describe(const sup_checkup* c, uint32_t top, sup_arena* arena)
{
    sup_json* json = sup_json_new(arena, SUP_JSON_OBJECT);
    set_number(arena, json, "joints_checked", c->joint_count);
    sup_json_set(arena, json, "self_intersections_rest",
                 sup_checkup_uncounted(c) ? sup_json_new(arena, SUP_JSON_NULL)
                                          : sup_json_new_number(arena, c->rest_intersections));
    sup_json* chains = sup_json_set(arena, json, "chains", sup_json_new(arena, SUP_JSON_ARRAY));
    for (uint32_t k = 0; k < c->chain_count; k++)
        sup_json_push(chains, sup_json_new_string(arena, sup_chain_text(c->chains[k])));
    sup_json *joints = sup_json_set(arena, json, "joints", sup_json_new(arena, SUP_JSON_ARRAY)), *last = joints;
    for (uint32_t j = 0; j < top && j < c->joint_count; j++) {
        const sup_check_joint* joint = &c->joints[j];
        sup_json*              one = sup_json_push(joints, sup_json_new(arena, SUP_JSON_OBJECT));
        sup_json_set(arena, one, "joint", sup_json_new_string(arena, joint->name));
        set_number(arena, one, "badness", joint->badness);
        sup_json_set(arena, one, "range", sup_json_new_string(arena, joint->sweeps.assumed ? "usual" : "clips"));
        sup_json_set(arena, one, "sweeps", describe_sweeps(&joint->sweeps, arena));
        sup_json* results = sup_json_set(arena, one, "chains", sup_json_new(arena, SUP_JSON_ARRAY));
        for (uint32_t k = 0; k < c->chain_count; k++) sup_json_push(results, describe_result(c, joint, k, arena));
        sup_json_set(arena, one, "best", sup_json_new_string(arena, sup_chain_text(c->chains[joint->best])));
        last = sup_json_set(arena, one, "advice", sup_json_new_string(arena, joint->advice));
    }
    return last ? json : NULL;
}

sup_result sup_chain_follows_time(const sup_chain* chain, const sup_character* c, const sup_clip* clip, bool* out,
                                  sup_error* error)
{
    static const double     shares[] = { 0.0, 0.3, 0.5, 0.8 };
    const sup_instance_desc desc = { .chain = chain, .preroll = SUP_NO_PREROLL, .snapshots = 1 };
    sup_instance*           instance = NULL;
    *out = false;
    if (!clip || sup_chain_dynamic(chain)) return SUP_OK;
    sup_arena* arena = sup_arena_create(NULL);
    void*      scratch = sup_scratch_create(sup_chain_scratch_size(chain), NULL);
    sup_vec3 * first = arena ? SUP_NEW(arena, sup_vec3, c->mesh.point_count + 8) : NULL,
             *points = arena ? SUP_NEW(arena, sup_vec3, c->mesh.point_count + 8) : NULL;
    sup_result result =
        scratch && first && points ? sup_instance_create(&desc, &instance, error) : sup_fail_memory(error, "a checkup");
    for (size_t i = 0; result == SUP_OK && i < sizeof shares / sizeof *shares; i++) {
        sup_instance_evaluate(instance, shares[i] * clip->seconds, scratch, NULL, i ? points : first);
        *out |= i && memcmp(first, points, c->mesh.point_count * sizeof *points) != 0;
    }
    sup_instance_destroy(instance);
    sup_scratch_destroy(scratch);
    sup_arena_destroy(arena);
    return result;
}
