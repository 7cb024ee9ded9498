// Default anatomy: tissue over certain bones is firm up to the skin.
//
//   f      = sum over the solids (rig/anatomy.h) of smoothstep(0.7, 1, weight of its joints)
//   share  = k dt^2 / (1 + k dt^2),   k = 3 x stiffness_unit x f x anatomy
//   x      <- x + share (place over the bone - x),   for all layers
// Where two solids bend against each other (a finger), neither has more than half of the weights, and flesh stays as soft as a
// crease needs. The pull is an implicit spring, so it means the same at any number of substeps, and contacts can still press it
// in.
#include "deform/layers/layers_anatomy.h"

#include "rig/anatomy.h"

#include <math.h>
#include <string.h>

static const float firm_from = 0.7f, firm_to = 1.0f; // of a solid's weights
static const float volume_kept = 0.05f;              // share of its volume correction that a firm point keeps
enum { NOTE_NAMES = 12, NOTE_BYTES = 400, SOLIDS_MOST = 8 };

// Explicit settings there take precedence: bone values and maps of these parameters.
static const int told_rows[] = { ROW_PROJECT_FAT,   ROW_PROJECT_MUSCLE,   ROW_PROJECT_BONE,   ROW_STIFFNESS_SKIN,
                                 ROW_STIFFNESS_FAT, ROW_STIFFNESS_MUSCLE, ROW_STIFFNESS_BONE, ROW_TETHER };

// 0 where a bone with its own value carries as much weight as firm tissue requires.
static float left_open(const sup_field* fields, uint32_t point)
{
    float open = 1;
    for (size_t i = 0; i < SUP_COUNT_OF(told_rows); ++i) {
        const sup_field* field = &fields[told_rows[i]];
        if (field->scale) open = fminf(open, sup_smoothstep(1 - firm_from, 1, field->scale[point]));
    }
    return open;
}

// Influences list their solids in any order; few points have more than four.
static float firmness_of(const uint32_t* joints, const float* values, uint32_t influences, const uint32_t* solids)
{
    uint32_t found[SOLIDS_MOST], count = 0;
    float    sums[SOLIDS_MOST], firm = 0;
    for (uint32_t i = 0; i < influences; ++i) {
        uint32_t solid = solids[joints[i]], at = 0;
        if (solid == SUP_NONE) continue;
        while (at < count && found[at] != solid) ++at;
        if (at == SOLIDS_MOST) continue;
        if (at == count) found[count] = solid, sums[count++] = 0;
        sums[at] += values[i];
    }
    for (uint32_t i = 0; i < count; ++i) firm += sup_smoothstep(firm_from, firm_to, sums[i]);
    return fminf(firm, 1);
}

// A cage has the weights of its surroundings, and a head of few points would have none that belong to the head alone. So the
// cage is as firm as the mesh around it.
static float firmness_at(const sup_bind_input* in, const layers_bound* b, const sup_cage* cage, const uint32_t* solids,
                         uint32_t k)
{
    const sup_weights* w = &in->character->weights;
    uint32_t           p = b->source[k], from = b->weight_begin[k];
    float              firm = 0;
    if (!cage)
        return firmness_of(b->weight_joints + from, b->weight_values + from, b->weight_begin[k + 1] - from, solids) *
               left_open(in->fields, p);
    for (uint32_t i = cage->source_begin[p]; w->begin && i < cage->source_begin[p + 1]; ++i) {
        uint32_t q = cage->sources[i], at = w->begin[q];
        firm += cage->shares[i] * firmness_of(w->joints + at, w->values + at, w->begin[q + 1] - at, solids) *
                left_open(in->fields, q);
    }
    return fminf(firm, 1);
}

// Names of the firm joints whose parent is not firm: "head" instead of each of its teeth.
static void note_firm(const sup_bind_input* in, const uint32_t* solids, const bool* carries)
{
    const sup_skeleton* s = &in->character->skeleton;
    char                text[NOTE_BYTES];
    size_t              length = 0;
    uint32_t            named = 0, more = 0;
    for (uint32_t j = 0; j < s->joint_count; ++j) {
        uint32_t above = s->joints[j].parent;
        if (solids[j] == SUP_NONE || !carries[j] || (above != SUP_NONE && solids[above] != SUP_NONE && carries[above]))
            continue;
        size_t capacity = sizeof text - length, size = strlen(s->joints[j].name) + 2;
        if (named == NOTE_NAMES || size >= capacity) ++more;
        else length += sup_format(text + length, capacity, "%s%s", named++ ? ", " : "", s->joints[j].name);
    }
    if (!named) return;
    sup_note(in->notes,
             "firm up to the skin, with everything attached to %s: %s%s; anatomy=0 makes all of it soft, anatomy@NAME=0 one part",
             named > 1 ? "them" : "it", text, more ? " and more" : "");
}

sup_result layers_bind_anatomy(const sup_bind_input* in, const sup_cage* cage, sup_arena* arena, sup_arena* temporary,
                               layers_bound* b, sup_error* error)
{
    const layers_params* p = in->params;
    uint32_t             joints = in->character->skeleton.joint_count;
    sup_anatomy          anatomy;
    float *              firm = SUP_NEW(arena, float, b->stride), *joint_firm = SUP_NEW(arena, float, joints);
    bool*                carries = SUP_NEW(temporary, bool, joints);
    uint32_t*            moved = SUP_NEW(temporary, uint32_t, joints);
    if (!firm || !joint_firm || !carries || !moved) return sup_fail_memory(error, "layers");
    sup_result r = sup_anatomy_find(in->character, temporary, &anatomy, error);
    if (r) return r;
    for (uint32_t k = 0; k < b->count; ++k) {
        firm[k] = firmness_at(in, b, cage, anatomy.solids, k);
        if (b->weight_begin[k] == b->weight_begin[k + 1]) continue;
        uint32_t joint = b->weight_joints[b->weight_begin[k]];
        joint_firm[joint] += firm[k], moved[joint]++;
        if (firm[k] > 0) carries[joint] = true;
    }
    for (uint32_t j = 0; j < joints; ++j)
        if (moved[j]) joint_firm[j] /= (float)moved[j];
    b->firm = firm, b->joint_firm = joint_firm;
    if (p->anatomy > 0 || b->fields[ROW_ANATOMY].scale) note_firm(in, anatomy.solids, carries);
    return SUP_OK;
}

void layers_set_firmness(layers_run* r, uint32_t k, float unit)
{
    const layers_bound* b = r->b;
    float               firm = b->firm[k] * layers_value(b, ROW_ANATOMY, r->p->anatomy, k);
    float               pull = LAYERS_FIRM * unit * firm * r->dt * r->dt;
    r->firm[k] = k < b->count ? pull / (1 + pull) : 0;
    r->volume_weights[k] *= 1 - (1 - volume_kept) * firm;
}

float layers_firm_bulge(const layers_run* r, uint32_t joint, float bulge)
{
    // Skin held in place cannot produce a different volume: if asked to, it would never come to rest.
    return 1 + (bulge - 1) * (1 - r->p->anatomy * r->b->joint_firm[joint]);
}
