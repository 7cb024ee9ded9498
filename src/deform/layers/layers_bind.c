// Skin sets and what the solver needs: joints, volumes, contacts. Masses and regions are in layers_regions.c.
#include "base/sort.h"
#include "deform/layers/layers.h"
#include "deform/layers/layers_anatomy.h"
#include "deform/layers/layers_cage.h"
#include "deform/layers/layers_limits.h"
#include "geom/search/crossings.h"
#include "geom/volume/volumes_label.h"
#include "run/binding.h"

#include <math.h>
#include <string.h>

static const float bound_bone_share = 0.6f; // of the shortest bone at a joint
static const float contact_margin = 1.5f;   // mean edges within which bodies are listed: half an edge more than any thickness
static const float contact_reach = 1.0f;    // mean edges that a point may be inside a body and still be found
static const float crossing_most = 0.3f;    // of the triangles may cross others at rest; above it skin does not touch itself
static const float volume_most = 4.0f;      // a point's volume correction may be this many times the median of its part
enum { LABEL_FEWEST = 30 };                 // triangles of a part

static sup_result no_memory(sup_error* error) { return sup_fail_memory(error, "layers"); }

// ---------------------------------------------------------------------------------------------- skinning

static sup_result make_skin(layers_bound* b, uint32_t joint_count, sup_arena* arena, sup_error* error)
{
    sup_skin_desc desc = { .point_count = b->stride,
                           .points = b->rest,
                           .begin = b->weight_begin,
                           .joints = b->weight_joints,
                           .values = b->weight_values,
                           .joint_count = joint_count,
                           .joint_centers = b->joint_centers };
    return sup_skin_create(&desc, arena, &b->skin, error);
}

// ---------------------------------------------------------------------------------------------- joints, volumes, contacts

typedef struct joint_lists {
    uint32_t*       parents;
    bool*           skins;
    sup_vec3*       axes;
    sup_label_bone* bones;
} joint_lists;

static bool list_joints(const sup_skeleton* s, sup_arena* arena, joint_lists* out)
{
    out->parents = SUP_NEW(arena, uint32_t, s->joint_count);
    out->skins = SUP_NEW(arena, bool, s->joint_count);
    out->axes = SUP_NEW(arena, sup_vec3, s->joint_count);
    out->bones = SUP_NEW(arena, sup_label_bone, s->bone_count);
    if (!out->parents || !out->skins || !out->axes || !out->bones) return false;
    for (uint32_t j = 0; j < s->joint_count; ++j) {
        out->parents[j] = s->joints[j].parent;
        out->skins[j] = s->joints[j].skin_joint;
    }
    for (uint32_t i = 0; i < s->bone_count; ++i) {
        const sup_bone* bone = &s->bones[i];
        sup_vec3        along = v3_normalize(v3_sub(bone->tail, bone->head), v3(0, 0, 0));
        out->bones[i] = (sup_label_bone){ bone->joint, bone->child, bone->head, bone->tail };
        out->axes[bone->joint] = v3_add(out->axes[bone->joint], along);
        if (bone->child != SUP_NONE) out->axes[bone->child] = v3_add(out->axes[bone->child], along);
    }
    for (uint32_t j = 0; j < s->joint_count; ++j) out->axes[j] = v3_normalize(out->axes[j], v3(0, 0, 0));
    return true;
}

// A joint is a knob only where its bones are long compared with it. Between the short bones of a thick spine it would push the
// belly around: particles farther away than a share of the shortest bone are not bound.
static sup_result slim_bounds(layers_bound* b, const sup_skeleton* s, sup_arena* temporary, sup_error* error)
{
    float*           shortest = SUP_NEW(temporary, float, s->joint_count);
    sup_joint_bound* items = (sup_joint_bound*)b->bounds.items;
    uint32_t         n = 0;
    if (!shortest) return no_memory(error);
    for (uint32_t j = 0; j < s->joint_count; ++j) shortest[j] = INFINITY;
    for (uint32_t i = 0; i < s->bone_count; ++i) {
        const sup_bone* bone = &s->bones[i];
        float           length = v3_distance(bone->head, bone->tail);
        if (bone->child == SUP_NONE) continue; // a tail is a guess
        shortest[bone->joint] = fminf(shortest[bone->joint], length);
        shortest[bone->child] = fminf(shortest[bone->child], length);
    }
    for (uint32_t i = 0; i < b->bounds.count; ++i)
        if (items[i].distance <= bound_bone_share * shortest[items[i].joint]) items[n++] = items[i];
    b->bounds.count = n;
    return SUP_OK;
}

static sup_result make_bounds(layers_bound* b, const sup_skeleton* s, const joint_lists* lists, sup_arena* arena,
                              sup_arena* temporary, sup_error* error)
{
    size_t    n = (size_t)LAYERS * b->stride;
    sup_vec4* particles = SUP_NEW(temporary, sup_vec4, n);
    if (!particles) return no_memory(error);
    for (size_t i = 0; i < n; ++i) particles[i] = (sup_vec4){ b->rest[i].x, b->rest[i].y, b->rest[i].z, b->inverse_masses[i] };
    sup_joint_bounds_desc desc = { .particle_count = (uint32_t)n,
                                   .particles = particles,
                                   .skin_count = b->stride,
                                   .layer_count = LAYERS,
                                   .joint_count = s->joint_count,
                                   .joints = b->joint_centers,
                                   .axes = lists->axes,
                                   .parents = lists->parents,
                                   .begin = b->weight_begin,
                                   .weight_joints = b->weight_joints,
                                   .weight_values = b->weight_values,
                                   .reach = LAYERS_JOINT_REACH };
    sup_result            r = sup_joint_bounds_create(&desc, arena, &b->bounds, error);
    return r ? r : slim_bounds(b, s, temporary, error);
}

static sup_result make_volumes(const sup_bind_input* in, layers_bound* b, const joint_lists* lists, sup_arena* arena,
                               sup_error* error)
{
    const layers_params* p = in->params;
    const sup_skeleton*  s = &in->character->skeleton;
    const float*         shares;
    sup_result           r = layers_read_planes(in, arena, &shares, error);
    if (r) return r;
    sup_label_desc desc = { .point_count = b->count,
                            .points = b->rest,
                            .triangle_count = b->triangle_count,
                            .triangles = b->triangles,
                            .joint_count = s->joint_count,
                            .parents = lists->parents,
                            .skin_joints = lists->skins,
                            .bone_count = s->bone_count,
                            .bones = lists->bones,
                            .begin = b->weight_begin,
                            .joints = b->weight_joints,
                            .values = b->weight_values,
                            .cut = p->cut == CUT_ENDS ? SUP_CUT_ENDS : SUP_CUT_MIDDLES,
                            .shares = shares,
                            .fewest = LABEL_FEWEST,
                            .merge = true };
    sup_labels     labels;
    r = sup_volumes_label(&desc, arena, &labels, error);
    sup_volumes* volumes = SUP_NEW(arena, sup_volumes, 1);
    if (!r && !volumes) r = no_memory(error);
    if (!r)
        r = sup_volumes_create(&(sup_volumes_desc){ b->count, b->triangle_count, b->triangles, labels.part_count, labels.labels,
                                                    labels.parents, labels.cut_points, labels.cut_carriers },
                               arena, volumes, error);
    if (r) return r;
    b->volumes = volumes;
    b->part_joints = labels.part_joints;
    r = sup_subvolumes_create(&(sup_subvolumes_desc){ volumes, b->rest, 0 }, arena, &b->subvolumes, error);
    if (!r) b->mended.flat_parts = sup_subvolumes_flat_count(b->subvolumes);
    return r;
}

typedef struct volume_rates {
    const float*   rates; // per point: how far it moves under pressure
    float*         shares;
    uint32_t*      seen; // per point: the last part + 1 that contained it
    sup_sort_item *items, *spare;
} volume_rates;

static void even_part(const sup_volumes* v, uint32_t part, const volume_rates* w)
{
    uint32_t count = 0;
    for (size_t i = 3 * (size_t)v->begin[part]; i < 3 * (size_t)v->begin[part + 1]; ++i) {
        uint32_t k = v->corners[i], bits;
        if (k >= v->point_count || w->seen[k] == part + 1) continue;
        w->seen[k] = part + 1;
        memcpy(&bits, &w->rates[k], sizeof bits); // rates are not negative, so they sort as their bits do
        w->items[count++] = (sup_sort_item){ bits, k };
    }
    if (count == 0) return;
    sup_sort(w->items, w->spare, count);
    float most = volume_most * w->rates[w->items[count / 2].value];
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t k = w->items[i].value;
        if (w->rates[k] > most) w->shares[k] = fminf(w->shares[k], most / w->rates[k]);
    }
}

// By mass alone, a volume correction moves a point farther the thinner the flesh is. Over a bone close under the skin that is
// fifty times as far as elsewhere, and the step of its whole part is cut short for it.
static sup_result even_volumes(layers_bound* b, sup_arena* arena, sup_arena* temporary, sup_error* error)
{
    float *      rates = SUP_NEW(temporary, float, b->stride), *shares = SUP_NEW(arena, float, b->stride);
    volume_rates w = { rates, shares, SUP_NEW(temporary, uint32_t, b->stride), SUP_NEW(temporary, sup_sort_item, b->stride),
                       SUP_NEW(temporary, sup_sort_item, b->stride) };
    if (!rates || !shares || !w.seen || !w.items || !w.spare) return no_memory(error);
    for (uint32_t t = 0; t < b->triangle_count; ++t) {
        const uint32_t* c = b->triangles + 3 * (size_t)t;
        float area = v3_length(v3_cross(v3_sub(b->rest[c[1]], b->rest[c[0]]), v3_sub(b->rest[c[2]], b->rest[c[0]]))) / 6;
        for (int k = 0; k < 3 && isfinite(area); ++k) rates[c[k]] += area * b->inverse_masses[c[k]];
    }
    for (uint32_t k = 0; k < b->stride; ++k) shares[k] = 1;
    for (uint32_t part = 0; part < b->volumes->part_count; ++part) even_part(b->volumes, part, &w);
    b->volume_shares = shares;
    return SUP_OK;
}

static sup_result make_solids(layers_bound* b, const sup_world_plan* world, sup_arena* arena, sup_error* error)
{
    b->solid_count = world ? sup_world_plan_body_count(world) : 0;
    const sup_solid_mesh** meshes = SUP_NEW(arena, const sup_solid_mesh*, b->solid_count);
    sup_result             r = meshes ? SUP_OK : no_memory(error);
    for (uint32_t i = 0; !r && i < b->solid_count; ++i) {
        sup_body body;
        sup_world_plan_body(world, i, &body);
        if (body.kind == SUP_BODY_MESH)
            r = sup_solid_mesh_create(body.points, body.point_count, body.triangles, body.triangle_count, body.closed, arena,
                                      &meshes[i], error);
    }
    b->solid_meshes = meshes;
    return r;
}

static sup_result make_contact(layers_bound* b, sup_arena* arena, sup_error* error)
{
    sup_contact_desc desc = { .point_count = b->count,
                              .points = b->rest,
                              .triangle_count = b->triangle_count,
                              .triangles = b->triangles,
                              .margin = contact_margin,
                              .reach = contact_reach,
                              .solid_count = b->solid_count,
                              .solid_meshes = b->solid_meshes };
    return sup_contact_create(&desc, arena, &b->contact, error);
}

// ---------------------------------------------------------------------------------------------- bind

// How far limbs that bones press into each other hold back before they are released is a property of the flesh, not of the
// triangles: on a cage it is the radius of the material's regions, and at least this share of an edge. On the mesh itself it is
// an edge: otherwise legs six points around would pass through each other for the sake of a few millimetres.
static const float least_give = 0.33f;

static float give_of(const layers_bound* b, uint32_t i)
{
    float depth = v3_distance(b->rest[(size_t)LAYER_BONE * b->stride + i], b->rest[i]);
    return b->caged ? sup_clampf((float)LAYERS_REGION * depth, least_give * b->edges[i], b->edges[i]) : b->edges[i];
}

static bool report_planes(void* user, double share, const char* what)
{
    const sup_bind_input* in = user;
    return sup_progress_report(in->progress, 0.7 + 0.3 * share, what);
}

static sup_result make_planes(const sup_bind_input* in, layers_bound* b, sup_arena* arena, sup_arena* temporary,
                              sup_error* error)
{
    uint32_t*     same = SUP_NEW(temporary, uint32_t, b->count);
    bool*         crossing = SUP_NEW(temporary, bool, b->triangle_count);
    float*        gives = SUP_NEW(temporary, float, b->count);
    sup_progress  progress = { report_planes, (void*)in };
    sup_crossings found;
    if (!same || !crossing || !gives) return sup_fail_memory(error, "the planes of a skin");
    sup_result r = sup_find_crossings(b->rest, b->triangles, b->triangle_count, &progress, temporary, crossing, &found, error);
    if (r) return r;
    b->mended.crossing = found.count;
    b->mended.contacts_crowded = found.crowded;
    b->mended.contacts_off = found.crowded || found.count > crossing_most * b->triangle_count;
    for (uint32_t i = 0; i < b->count; ++i) {
        same[i] = b->first[b->source[i]];
        gives[i] = give_of(b, i);
    }
    sup_planes_desc desc = { .point_count = b->count,
                             .points = b->rest,
                             .triangle_count = b->triangle_count,
                             .triangles = b->triangles,
                             .same = same,
                             .crossing = crossing,
                             .gives = gives,
                             .over = b->ride ? b->ride->over : NULL };
    return sup_planes_create(&desc, arena, &b->planes, error);
}

static sup_result make_all(const sup_bind_input* in, layers_bound* b, sup_arena* arena, sup_arena* temporary, sup_error* error)
{
    const sup_skeleton* s = &in->character->skeleton;
    joint_lists         lists;
    if (!list_joints(s, temporary, &lists)) return no_memory(error);
    sup_result r = layers_bind_points(in, arena, temporary, b, error);
    if (!r) r = sup_bind_report(in, "layers", 0.1, error);
    if (!r) r = layers_bind_anchors(in, arena, b, error);
    if (!r) r = layers_bind_regions(in, arena, temporary, b, error);
    if (!r) r = sup_bind_report(in, "layers", 0.5, error);
    if (!r) r = make_skin(b, s->joint_count, arena, error);
    if (!r) r = make_bounds(b, s, &lists, arena, temporary, error);
    if (!r) r = sup_bind_report(in, "layers", 0.6, error);
    if (!r) r = make_volumes(in, b, &lists, arena, error);
    if (!r) r = even_volumes(b, arena, temporary, error);
    if (!r) r = make_solids(b, in->world, arena, error);
    if (!r) r = make_contact(b, arena, error);
    b->topology = (sup_topology){ 0 };
    return r;
}

sup_result layers_bind(const sup_bind_input* in, sup_arena* arena, sup_binding* out, sup_error* error)
{
    const sup_character* c = in->character;
    if (c->skeleton.skin_joint_count == 0 || c->skeleton.bone_count == 0)
        return sup_fail(error, SUP_ERROR_INPUT, "layers: '%s' has no skeleton; give one with --skeleton, or make one with fit",
                        c->name);
    layers_bound* b = SUP_NEW(arena, layers_bound, 1);
    sup_arena*    temporary = sup_arena_beside(arena);
    if (!b || !temporary) {
        sup_arena_destroy(temporary);
        return no_memory(error);
    }
    layers_cage cage;
    sup_result  r = layers_cage_create(in, arena, temporary, &cage, error);
    b->caged = cage.cage.point_count > 0;
    b->skinning = in->skinning;
    memcpy(b->fields, cage.input.fields, sizeof b->fields);
    while (b->root + 1 < c->skeleton.joint_count && !c->skeleton.joints[b->root].skin_joint) ++b->root;
    b->pose_size = sup_align(sup_pose_size(c), 64);
    if (!r) r = sup_pose_create(c, arena, &b->bind, error);
    if (!r) sup_pose_bind(c, &b->bind);
    if (!r) r = make_all(&cage.input, b, arena, temporary, error);
    if (!r) r = layers_bind_anatomy(in, b->caged ? &cage.cage : NULL, arena, temporary, b, error);
    if (!r) r = layers_bind_limits(arena, b, error);
    if (!r && cage.cage.point_count) r = layers_cage_ride(in, &cage, arena, b, error);
    if (!r) r = make_planes(in, b, arena, temporary, error);
    if (!r) r = layers_note(&cage.input, temporary, b, error);
    if (!r) layers_note_limits(in);
    sup_arena_destroy(temporary);
    if (!r) *out = (sup_binding){ b, layers_state_size(b), layers_scratch_size(b), b->count };
    return r;
}
