// What carries the tissue: the mesh itself, or a cage around it that the mesh rides on (geom/cage/cage.h,
// solve/particles/ride.h).
//
// On a cage everything is bound as if the cage were the character: the same skeleton, with weights, maps and bone values taken
// from the mesh near each cage point. Only what refers to points of the mesh (painted regions of forces) and the output tell
// them apart.
#include "deform/layers/layers_cage.h"

#include "run/binding.h"

#include <string.h>

enum { AUTO_POINTS = 1500, POINTS_FEWEST = 200, POINTS_MOST = 20000 };
// `auto`: the time a core takes per mesh point in a frame of 33 ms with the standard rounds, and as much again where limbs may
// meet; and the budget for all points. A cage that does not halve the work is not worth the detail it rounds off. A mesh within
// the budget that has more points than a cage would, and is not a clean surface, gets a cage too.
static const double point_ms = 0.014, budget_ms = 60;

static sup_result no_memory(sup_error* error) { return sup_fail_memory(error, "a cage"); }

// ---------------------------------------------------------------------------------------------- choice

static sup_result read_cage(const char* text, bool* choose, uint32_t* points, sup_error* error)
{
    double number;
    *points = 0;
    *choose = !text || !text[0] || strcmp(text, "auto") == 0;
    if (*choose || strcmp(text, "mesh") == 0) return SUP_OK;
    size_t length = sup_parse_double(text, strlen(text), false, &number);
    if (length == 0 || text[length] || !(number >= POINTS_FEWEST && number <= POINTS_MOST))
        return sup_fail(
            error, SUP_ERROR_INPUT,
            "layers.cage: '%s' is neither 'auto' nor 'mesh' nor a number of points from %d to %d; write one of those", text,
            POINTS_FEWEST, POINTS_MOST);
    *points = (uint32_t)number;
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- the cage as a character

static bool report_cage(void* user, double share, const char* what)
{
    const sup_bind_input* in = user;
    return sup_progress_report(in->progress, 0.1 * share, what);
}

static sup_result describe(const sup_bind_input* in, const sup_progress* progress, sup_arena* temporary, sup_cage_desc* out,
                           sup_error* error)
{
    const sup_character* c = in->character;
    uint32_t*            parents = SUP_NEW(temporary, uint32_t, c->skeleton.joint_count);
    sup_clean            body;
    sup_result           r = sup_clean_body(c->mesh.points, c->mesh.triangle_count, c->mesh.triangles, temporary, &body, error);
    if (r) return r;
    if (!parents) return no_memory(error);
    for (uint32_t j = 0; j < c->skeleton.joint_count; ++j) parents[j] = c->skeleton.joints[j].parent;
    *out = (sup_cage_desc){ .point_count = c->mesh.point_count,
                            .points = c->mesh.points,
                            .triangle_count = body.triangle_count,
                            .triangles = body.triangles,
                            .weight_begin = c->weights.begin,
                            .weight_joints = c->weights.joints,
                            .weight_values = c->weights.values,
                            .joint_count = c->skeleton.joint_count,
                            .parents = parents,
                            .target = AUTO_POINTS,
                            .tasks = in->tasks,
                            .progress = progress };
    return SUP_OK;
}

// Ends of the skeleton that carry skin.
static sup_result count_limbs(const sup_skeleton* s, sup_arena* temporary, uint32_t* out, sup_error* error)
{
    bool* goes_on = SUP_NEW(temporary, bool, s->joint_count);
    if (!goes_on) return no_memory(error);
    *out = 0;
    for (uint32_t j = s->joint_count; j-- > 0;) { // parents come first
        if (s->joints[j].skin_joint && !goes_on[j]) ++*out;
        if ((s->joints[j].skin_joint || goes_on[j]) && s->joints[j].parent != SUP_NONE) goes_on[s->joints[j].parent] = true;
    }
    return SUP_OK;
}

static sup_result choose_points(const sup_skeleton* s, const sup_cage_desc* desc, sup_arena* temporary, uint32_t* points,
                                double* ms, sup_error* error)
{
    uint32_t   limbs = 0;
    sup_result r = count_limbs(s, temporary, &limbs, error);
    if (r) return r;
    *ms = point_ms * desc->point_count * (limbs > 1 ? 2 : 1);
    bool wanted = *ms > budget_ms && desc->point_count >= 2 * AUTO_POINTS;
    if (!wanted && desc->point_count > AUTO_POINTS) r = sup_cage_wanted(desc, temporary, &wanted, error);
    *points = wanted ? AUTO_POINTS : 0;
    return r;
}

// A field over mesh points, resampled at the cage's points.
static const float* carry_values(const sup_cage* c, const float* values, sup_arena* arena)
{
    float* out = SUP_NEW(arena, float, c->point_count);
    for (uint32_t p = 0; out && p < c->point_count; ++p)
        for (uint32_t i = c->source_begin[p]; i < c->source_begin[p + 1]; ++i) out[p] += c->shares[i] * values[c->sources[i]];
    return out;
}

static sup_result carry_fields(const sup_bind_input* in, const sup_cage* c, sup_arena* arena, sup_field* out, sup_error* error)
{
    for (int row = 0; row < ROWS; ++row) {
        out[row] = in->fields[row];
        if (layers_rows[row].varies != SUP_VARIES_POINT || !out[row].scale) continue;
        out[row].scale = carry_values(c, in->fields[row].scale, arena);
        out[row].offset = carry_values(c, in->fields[row].offset, arena);
        if (!out[row].scale || !out[row].offset) return no_memory(error);
    }
    return SUP_OK;
}

static sup_result dress(const sup_bind_input* in, const sup_cage* c, sup_arena* arena, layers_cage* out, sup_error* error)
{
    sup_character* as = sup_arena_copy(arena, in->character, 1, sizeof *as);
    sup_field*     fields = SUP_NEW(arena, sup_field, ROWS);
    uint32_t*      regions = SUP_NEW(arena, uint32_t, c->point_count);
    if (!as || !fields || !regions) return no_memory(error);
    as->mesh = (sup_mesh){ .point_count = c->point_count,
                           .points = c->points,
                           .triangle_count = c->triangle_count,
                           .triangles = c->triangles,
                           .diagonal = in->character->mesh.diagonal };
    as->weights = (sup_weights){ .begin = c->weight_begin,
                                 .joints = c->weight_joints,
                                 .values = c->weight_values,
                                 .influences_max = SUP_CAGE_INFLUENCES,
                                 .sum_min = 1,
                                 .sum_max = 1 };
    for (uint32_t p = 0; p < c->point_count; ++p) regions[p] = c->sources[c->source_begin[p]]; // the largest share comes first
    out->nearest = regions;
    out->input = *in;
    out->input.character = as;
    out->input.fields = fields;
    return carry_fields(in, c, arena, fields, error);
}

sup_result layers_cage_create(const sup_bind_input* in, sup_arena* arena, sup_arena* temporary, layers_cage* out,
                              sup_error* error)
{
    const layers_params* p = in->params;
    const sup_character* c = in->character;
    bool                 choose;
    uint32_t             points;
    double               ms = 0;
    sup_progress         progress = { report_cage, (void*)in };
    sup_cage_desc        desc;
    *out = (layers_cage){ .input = *in };
    sup_result r = read_cage(p->cage, &choose, &points, error);
    if (!r) r = describe(in, &progress, temporary, &desc, error);
    if (!r && choose) r = choose_points(&c->skeleton, &desc, temporary, &points, &ms, error);
    if (r || points == 0) return r;
    desc.target = points;
    r = sup_cage_create(&desc, arena, &out->cage, error);
    if (r) return r;
    if (out->cage.point_count == 0 && !choose)
        return sup_fail(
            error, SUP_ERROR_INPUT,
            "layers.cage: '%s' encloses nothing as thick as the edges of a cage of %u points; set cage=mesh, or more "
            "points",
            c->name, points);
    if (out->cage.point_count == 0) return SUP_OK;
    if (choose && ms > budget_ms && c->mesh.point_count >= 2 * AUTO_POINTS)
        sup_note(
            in->notes,
            "simulating every point of '%s' would take a core about %.0f ms for a 33 ms frame; the tissue lives on a cage of "
            "%u points around its %u, and the skin rides on it; cage=mesh simulates every point",
            c->name, ms, out->cage.point_count, c->mesh.point_count);
    else if (choose)
        sup_note(in->notes,
                 "'%s' is not a clean surface: tissue lives on a cage of %u points around its %u, and the skin rides on that; "
                 "cage=mesh "
                 "simulates every point",
                 c->name, out->cage.point_count, c->mesh.point_count);
    return dress(in, &out->cage, arena, out, error);
}

sup_result layers_cage_ride(const sup_bind_input* in, const layers_cage* cage, sup_arena* arena, layers_bound* b,
                            sup_error* error)
{
    const sup_character* c = in->character;
    sup_ride*            ride = SUP_NEW(arena, sup_ride, 1);
    uint32_t*            regions = SUP_NEW(arena, uint32_t, b->stride);
    if (!ride || !regions) return no_memory(error);
    for (uint32_t k = 0; k < b->count; ++k) regions[k] = cage->nearest[b->source[k]];
    b->mesh_points = regions;
    b->ride = ride;
    b->rider = c;
    sup_ride_desc desc = { .point_count = c->mesh.point_count,
                           .points = c->mesh.points,
                           .triangle_count = c->mesh.triangle_count,
                           .triangles = c->mesh.triangles,
                           .weight_begin = c->weights.begin,
                           .weight_joints = c->weights.joints,
                           .weight_values = c->weights.values,
                           .cage = &cage->cage,
                           .order = b->first,
                           .tasks = in->tasks };
    return sup_ride_create(&desc, arena, ride, error);
}
