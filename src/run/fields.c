// Fields: how a parameter varies over points or bones, from painted maps and bone values.
#include "math/vec.h"
#include "run/runner.h"

#include <string.h>

float sup_field_value(const sup_param* row, const sup_field* field, float parameter, uint32_t i)
{
    float value = parameter;
    if (field && field->scale) value = field->scale[i] * parameter + field->offset[i];
    return sup_clampf(value, (float)row->min, (float)row->max);
}

// `_LAYERS_STIFFNESS`, else `_STIFFNESS`.
static const sup_map* find_map(const sup_character* c, const sup_deformer* d, const sup_param* p)
{
    char name[128];
    for (int own = 1; own >= 0; --own) {
        sup_format(name, sizeof name, own ? "_%s_%s" : "_%s%s", own ? d->name : "", p->name);
        for (char* s = name; *s; ++s)
            if (*s >= 'a' && *s <= 'z') *s = (char)(*s - 'a' + 'A');
        const sup_map* map = sup_character_map(c, name);
        if (map) return map;
    }
    return NULL;
}

// The override of each joint: the last glob said wins. Returns whether there is any.
static bool joint_overrides(const sup_skeleton* s, const link* l, uint32_t param, bool* overridden, float* values)
{
    bool any = false;
    for (const bone_value* v = l->bones; v; v = v->next) {
        if (v->param != param) continue;
        for (uint32_t j = 0; j < s->joint_count; ++j) {
            if (!sup_glob_match(v->glob, s->joints[j].name)) continue;
            overridden[j] = any = true;
            values[j] = v->value;
        }
    }
    return any;
}

static void point_field(const sup_character* c, const sup_map* map, const bool* overridden, const float* values, float* scale,
                        float* offset)
{
    for (uint32_t p = 0; p < c->mesh.point_count; ++p) {
        float painted = map ? map->values[p] : 1.0f, kept = 1.0f, sum = 0.0f;
        for (uint32_t i = c->weights.begin[p]; i < c->weights.begin[p + 1]; ++i) {
            uint32_t j = c->weights.joints[i];
            if (!overridden[j]) continue;
            kept -= c->weights.values[i];
            sum += c->weights.values[i] * values[j];
        }
        scale[p] = painted * (kept > 0 ? kept : 0.0f);
        offset[p] = painted * sum;
    }
}

sup_result link_fields(const sup_chain* chain, link* l, sup_error* error)
{
    const sup_character* c = chain->character;
    uint32_t             joints = c->skeleton.joint_count;
    bool*                overridden = SUP_NEW(chain->arena, bool, joints);
    float*               values = SUP_NEW(chain->arena, float, joints);
    if (!overridden || !values) return sup_fail_memory(error, "a chain");
    for (uint32_t i = 0; i < l->deformer->param_count; ++i) {
        const sup_param* p = &l->deformer->params[i];
        if (p->varies == SUP_VARIES_NOT) continue;
        memset(overridden, 0, joints * sizeof *overridden);
        bool           any = joint_overrides(&c->skeleton, l, i, overridden, values);
        const sup_map* map = p->varies == SUP_VARIES_POINT ? find_map(c, l->deformer, p) : NULL;
        if (!any && !map) continue;
        uint32_t count = p->varies == SUP_VARIES_POINT ? c->mesh.point_count : joints;
        float*   scale = SUP_NEW(chain->arena, float, count);
        float*   offset = SUP_NEW(chain->arena, float, count);
        if (!scale || !offset) return sup_fail_memory(error, "a chain");
        if (p->varies == SUP_VARIES_POINT) point_field(c, map, overridden, values, scale, offset);
        else
            for (uint32_t j = 0; j < joints; ++j) {
                scale[j] = overridden[j] ? 0.0f : 1.0f;
                offset[j] = overridden[j] ? values[j] : 0.0f;
            }
        l->fields[i] = (sup_field){ scale, offset };
    }
    return SUP_OK;
}

bool sup_chain_reads_map(const sup_chain* chain, const char* name)
{
    const sup_map* map = sup_character_map(chain->character, name);
    for (uint32_t i = 0; map && i < chain->link_count; ++i) {
        const sup_deformer* d = chain->links[i].deformer;
        for (uint32_t p = 0; p < d->param_count; ++p)
            if (d->params[p].varies == SUP_VARIES_POINT && find_map(chain->character, d, &d->params[p]) == map) return true;
    }
    for (uint32_t f = 0; map && f < chain->world.force_count; ++f)
        if (chain->world.forces[f].force.region == map->values) return true;
    return false;
}
