// The verdict on a bake: compares it with linear skinning, and with other skinning methods if they can be tried.
#include "judging.h"

#include "chain_measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A chain that is not better by this factor is not worth a change.
static const double BETTER = 0.7;
// About as many crossings as before.
static const double NO_WORSE = 1.1;

static sup_result make_player(const judge* j, const char* links, sup_chain** chain, sup_instance** instance, sup_error* error)
{
    const sup_chain_desc desc = { .character = j->character, .clip = j->motion->clip, .links = links, .tasks = j->tasks };
    sup_result           result = sup_chain_create(&desc, chain, error);
    if (result != SUP_OK) return result;
    sup_instance_desc player = motion_instance(j->motion, *chain, j->tasks);
    player.snapshots = 1;
    return sup_instance_create(&player, instance, error);
}

sup_result judge_begin(judge* j, const sup_character* character, const motion* m, const sup_chain* chain,
                       const sup_tasks* tasks, sup_error* error)
{
    *j = (judge){ .character = character, .motion = m, .tasks = tasks };
    const sup_deformer* first = sup_chain_link(chain, 0);
    j->skinning_only = sup_chain_link_count(chain) == 1;
    sup_result result = sup_meter_create(character, NULL, &j->meter, error);
    bool       itself = j->skinning_only && first->skinning == SUP_SKINNING_LINEAR;
    if (result == SUP_OK && !itself) result = make_player(j, "linear", &j->linear, &j->linear_instance, error);
    if (result != SUP_OK) return result;
    j->scratch = sup_scratch_create(sup_verdict_scratch(j->meter), NULL);
    j->points = malloc(((size_t)character->mesh.point_count + 8) * sizeof *j->points);
    if (j->linear) j->chain_scratch = sup_scratch_create(sup_chain_scratch_size(j->linear), NULL);
    if (!j->scratch || !j->points || (j->linear && !j->chain_scratch))
        return sup_fail(error, SUP_ERROR_MEMORY, "out of memory while measuring %u points; bake with --no-verdict",
                        character->mesh.point_count);
    sup_verdict_begin(j->meter, j->scratch, tasks, &j->verdict);
    return SUP_OK;
}

void judge_frame(judge* j, double time, const sup_pose* pose, const sup_vec3* points)
{
    if (j->linear) sup_instance_evaluate(j->linear_instance, time, j->chain_scratch, NULL, j->points);
    sup_verdict_push(j->meter, time, pose, points, j->linear ? j->points : NULL, j->scratch, j->tasks, &j->verdict);
}

// ---------------------------------------------------------------------------------------------- what would help

typedef struct candidate {
    double   volume;
    uint32_t crossings;
} candidate;

static sup_result try_chain(const judge* j, const char* links, candidate* out, sup_error* error)
{
    const sup_verdict* v = &j->verdict;
    sup_chain*         chain = NULL;
    sup_instance*      instance = NULL;
    sup_result         result = make_player(j, links, &chain, &instance, error);
    void*              scratch = result == SUP_OK ? sup_scratch_create(sup_chain_scratch_size(chain), NULL) : NULL;
    if (result == SUP_OK && !scratch) result = sup_fail(error, SUP_ERROR_MEMORY, "out of memory while trying %s", links);
    if (result == SUP_OK) {
        uint8_t* behind = (uint8_t*)j->scratch + (sup_verdict_scratch(j->meter) - sup_meter_scratch(j->meter));
        sup_instance_evaluate(instance, v->volume_time, scratch, NULL, j->points);
        out->volume = sup_verdict_volume(j->meter, v, sup_instance_pose(instance), j->points, j->scratch);
        sup_instance_evaluate(instance, v->crossings_time, scratch, NULL, j->points);
        out->crossings = sup_meter_intersections(j->meter, j->points, behind, j->tasks, NULL, 0);
    }
    sup_scratch_destroy(scratch);
    sup_instance_destroy(instance);
    sup_chain_destroy(chain);
    return result;
}

// Better in one and no worse in the other. What crosses at rest is not the chain's fault.
static bool is_better(const sup_verdict* v, const candidate* c)
{
    if (v->crossings_rest == SUP_METER_UNCOUNTED) return false; // no chain separates what the file has doubled
    double rest = v->crossings_rest, crossings = fmax(0.0, c->crossings - rest), now = fmax(0.0, v->crossings - rest);
    bool   fuller = v->part && fabs(v->volume) >= 0.01 && fabs(c->volume) <= BETTER * fabs(v->volume);
    bool   freer = now > 0.0 && crossings <= BETTER * now;
    return (fuller || freer) && fabs(c->volume) <= fmax(fabs(v->volume), 0.01) && crossings <= NO_WORSE * now;
}

// Only names chains that were tried: a rule of thumb would be wrong for some characters.
sup_result judge_end(judge* j, sup_error* error)
{
    static const char* const chains[] = { "dualquat", "linear,smooth", "dualquat,smooth" };
    sup_verdict*             v = &j->verdict;
    bool                     from_linear = !j->linear;
    if (!j->skinning_only || !sup_verdict_complains(v)) return SUP_OK;
    for (size_t i = from_linear ? 0 : 1; i < sizeof chains / sizeof *chains; i++) {
        candidate  c = { 0 };
        sup_result result = try_chain(j, chains[i], &c, error);
        if (result != SUP_OK) return result;
        if (!is_better(v, &c)) continue;
        v->better = chains[i];
        v->better_volume = c.volume;
        v->better_crossings = c.crossings;
        break; // the simplest one that helps
    }
    return SUP_OK;
}

void judge_free(judge* j)
{
    sup_instance_destroy(j->linear_instance);
    sup_chain_destroy(j->linear);
    sup_meter_destroy(j->meter);
    sup_scratch_destroy(j->scratch);
    sup_scratch_destroy(j->chain_scratch);
    free(j->points);
}

// ---------------------------------------------------------------------------------------------- JSON

static void set_number(sup_arena* arena, sup_json* object, const char* key, double value)
{
    sup_json_set(arena, object, key, sup_json_new_number(arena, value));
}

static void set_crossings(sup_arena* arena, sup_json* object, const char* key, uint32_t count)
{
    sup_json_set(arena, object, key, crossings_json(arena, crossings_number(count)));
}

sup_json* verdict_describe(const sup_verdict* v, sup_arena* arena)
{
    char      text[900];
    sup_json* json = sup_json_new(arena, SUP_JSON_OBJECT);
    sup_verdict_text(v, text, sizeof text);
    sup_json_set(arena, json, "text", sup_json_new_string(arena, text));
    set_number(arena, json, "frames", v->frames);
    sup_json_set(arena, json, "part", v->part ? sup_json_new_string(arena, v->part) : sup_json_new(arena, SUP_JSON_NULL));
    set_number(arena, json, "volume_time", v->volume_time);
    set_number(arena, json, "volume_change", v->volume);
    if (v->compared) set_number(arena, json, "volume_change_linear", v->volume_linear);
    set_number(arena, json, "crossings_time", v->crossings_time);
    set_crossings(arena, json, "crossings", v->crossings);
    if (v->compared) set_crossings(arena, json, "crossings_linear", v->crossings_linear);
    set_crossings(arena, json, "crossings_rest", v->crossings_rest);
    if (!v->better) return json;
    sup_json* better = sup_json_set(arena, json, "better", sup_json_new(arena, SUP_JSON_OBJECT));
    sup_json_set(arena, better, "chain", sup_json_new_string(arena, v->better));
    set_number(arena, better, "volume_change", v->better_volume);
    set_crossings(arena, better, "crossings", v->better_crossings);
    return json;
}
