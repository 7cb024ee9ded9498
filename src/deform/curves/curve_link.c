#include "deform/curves/curve_link.h"

#include "base/internal.h"
#include "math/rotation.h"
#include "math/vec.h"

sup_result sup_curve_labels(const sup_bind_input* in, const char* who, const char* groups, sup_arena* arena,
                            const uint32_t** out, sup_error* error)
{
    const sup_character* c = in->character;
    uint32_t*            labels = SUP_NEW(arena, uint32_t, c->mesh.point_count);
    uint32_t             found = 0;
    if (!labels) return sup_fail_memory(error, who);
    for (uint32_t p = 0; p < c->mesh.point_count; ++p) {
        labels[p] = c->weights.begin[p] < c->weights.begin[p + 1] ? c->weights.joints[c->weights.begin[p]] : SUP_NONE;
        if (groups[0]) labels[p] = SUP_NONE;
    }
    for (uint32_t m = 0; groups[0] && m < c->map_count; ++m) found += sup_glob_match(groups, c->maps[m].name);
    if (groups[0] && found == 0)
        return sup_fail(error, SUP_ERROR_INPUT, "%s: groups '%s': '%s' has no such map (it has %u); paint one per part", who,
                        groups, c->name, c->map_count);
    for (uint32_t p = 0; groups[0] && p < c->mesh.point_count; ++p) {
        float most = 0;
        for (uint32_t m = 0; m < c->map_count; ++m)
            if (sup_glob_match(groups, c->maps[m].name) && c->maps[m].values[p] > most)
                most = c->maps[m].values[p], labels[p] = m;
    }
    *out = labels;
    return SUP_OK;
}

const char* const sup_curve_ways[] = { "around", "along", "planes", "loops", NULL };
const char* const sup_curve_transfers[] = { "displacement", "frame", NULL };

/// Parts for the layouts that need them: from groups or the skeleton; without either, the limbs of the coordinate.
static sup_result lay_over_parts(const sup_bind_input* in, const char* who, const sup_curve_plan* plan, sup_arena* arena,
                                 sup_curves_desc* desc, sup_error* error)
{
    const char* groups = plan->groups ? plan->groups : "";
    sup_result  r = SUP_OK;
    if (plan->way == SUP_CURVES_LOOPS && plan->edges && plan->edges[0])
        r = sup_curve_walks_parse(plan->edges, who, arena, &desc->walks, &desc->walk_count, error);
    if (r) return r;
    if (groups[0] || in->character->skeleton.skin_joint_count > 1)
        return sup_curve_labels(in, who, groups, arena, &desc->labels, error);
    sup_curves_desc field = { .mesh = desc->mesh, .way = SUP_CURVES_AROUND, .curves = desc->curves };
    sup_curves      rings;
    sup_error       reason;
    r = sup_curves_create(&field, arena, &rings, &reason);
    if (r) return sup_fail(error, r, "%s: '%s': %s", who, in->character->name, reason.text);
    desc->labels = rings.limbs;
    desc->single_parts = true;
    return SUP_OK;
}

/// Curves of the coordinate lie only where groups are painted, on triangles that are entirely in one group: each is a body of
/// its own.
static sup_result leave_out(const sup_bind_input* in, const char* who, const char* groups, sup_arena* arena,
                            sup_curve_mesh* mesh, sup_error* error)
{
    const uint32_t* labels = NULL;
    sup_result      r = sup_curve_labels(in, who, groups, arena, &labels, error);
    uint32_t*       kept = r ? NULL : SUP_NEW(arena, uint32_t, 3 * (size_t)mesh->triangle_count);
    uint32_t        count = 0;
    if (r) return r;
    if (!kept) return sup_fail_memory(error, who);
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        const uint32_t* c = mesh->triangles + 3 * (size_t)t;
        if (labels[c[0]] == SUP_NONE || labels[c[1]] != labels[c[0]] || labels[c[2]] != labels[c[0]]) continue;
        for (int k = 0; k < 3; ++k) kept[3 * count + k] = c[k];
        ++count;
    }
    mesh->triangles = kept, mesh->triangle_count = count;
    return SUP_OK;
}

sup_result sup_curves_lay(const sup_bind_input* in, const char* who, const sup_curve_plan* plan, sup_arena* arena,
                          sup_curves* out, sup_error* error)
{
    const sup_mesh* mesh = &in->character->mesh;
    sup_curves_desc desc = { .mesh = sup_curve_mesh_of(mesh),
                             .way = (sup_curve_way)plan->way,
                             .curves = plan->curves,
                             .spacing = plan->spacing * mesh->diagonal,
                             .snap = plan->snap };
    sup_guides      guides;
    sup_error       reason;
    sup_result      r = SUP_OK;
    bool            parts = desc.way == SUP_CURVES_PLANES || desc.way == SUP_CURVES_LOOPS;
    if (parts) r = lay_over_parts(in, who, plan, arena, &desc, error);
    else if (plan->groups && plan->groups[0]) r = leave_out(in, who, plan->groups, arena, &desc.mesh, error);
    if (!r && !parts && in->character->skeleton.skin_joint_count > 1) {
        r = sup_curve_guides(in->character, who, arena, &guides, error);
        desc.guides = &guides;
    }
    if (r) return r;
    r = sup_curves_create(&desc, arena, out, &reason);
    return r ? sup_fail(error, r, "%s: '%s': %s", who, in->character->name, reason.text) : SUP_OK;
}

sup_curve_mesh sup_curve_mesh_of(const sup_mesh* m)
{
    return (sup_curve_mesh){ m->point_count, m->points,     m->triangle_count, m->triangles,
                             m->face_count,  m->face_begin, m->corner_points };
}

// ---------------------------------------------------------------------------------------------- forces

bool sup_curve_forces_any(const sup_world_plan* world)
{
    uint32_t count = world ? sup_world_plan_force_count(world) : 0;
    for (uint32_t i = 0; i < count; ++i) {
        sup_force f;
        sup_world_plan_force(world, i, 0, &f);
        if (f.kind == SUP_FORCE_CURVE) return true;
    }
    return false;
}

sup_result sup_segments_plain(const sup_bind_input* in, const char* who, sup_arena* arena, sup_segments* out, sup_error* error)
{
    sup_vec3**   q = SUP_NEW(arena, sup_vec3*, 1);
    double*      times = SUP_NEW(arena, double, 1);
    const char** names = SUP_NEW(arena, const char*, 1);
    if (q) q[0] = SUP_NEW(arena, sup_vec3, (size_t)in->character->mesh.point_count + SUP_LANES);
    if (!q || !q[0] || !times || !names) return sup_fail_memory(error, who);
    names[0] = "the plain skin";
    *out = (sup_segments){ .count = 1, .times = times, .names = names, .q = (const sup_vec3* const*)q, .implied = true };
    return sup_push_create(in, arena, &out->push, error);
}

sup_result sup_curve_force_values(const sup_bind_input* in, uint32_t force, uint32_t point, sup_pose* pose, sup_arena* arena,
                                  double** out, sup_error* error)
{
    const sup_character* c = in->character;
    const double*        times;
    uint32_t             keys = sup_world_plan_force_keys(in->world, force, &times, NULL, NULL);
    double*              values = SUP_NEW(arena, double, 3 * (size_t)keys);
    if (!values) return sup_fail_memory(error, "curve forces");
    for (uint32_t i = 0; i < keys; ++i) {
        sup_force f;
        sup_world_plan_force(in->world, force, times[i], &f);
        sup_vec3 v = f.value;
        if (!f.local && in->clip && c->weights.begin[point] < c->weights.begin[point + 1]) {
            uint32_t joint = c->weights.joints[c->weights.begin[point]];
            sup_mat3 b;
            sup_quat turn = quat_identity();
            sup_clip_sample(c, in->clip, times[i], pose);
            for (int row = 0; row < 3; ++row)
                for (int k = 0; k < 3; ++k) b.m[row][k] = pose->skin[joint].m[row][k];
            rotation_cold(&b, &turn);
            v = quat_rotate(quat_conjugate(turn), v);
        }
        values[3 * i] = v.x, values[3 * i + 1] = v.y, values[3 * i + 2] = v.z;
    }
    *out = values;
    return SUP_OK;
}

sup_result sup_curve_of_force(const sup_force* f, const char* who, const sup_curves* curves, const sup_vec3* points,
                              uint32_t* out, sup_error* error)
{
    if (f->joint == SUP_NONE && f->curve >= curves->curve_count)
        return sup_fail(error, SUP_ERROR_INPUT, "%s: force '%s' is on curve %u; this link has the curves 0 to %u", who, f->name,
                        f->curve, curves->curve_count - 1);
    float least = 3e38f;
    *out = f->joint == SUP_NONE ? f->curve : 0;
    for (uint32_t c = 0; f->joint != SUP_NONE && c < curves->curve_count; ++c)
        for (uint32_t i = 0; i < curves->curves[c].count; ++i) {
            sup_curve_point p = curves->points[curves->curves[c].begin + i];
            float           d = v3_distance(v3_lerp(points[p.a], points[p.b], p.ratio), f->at);
            if (d < least) least = d, *out = c;
        }
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- pictures

void sup_curves_draw(const sup_curves* n, const sup_vec3* skin, const sup_canvas* canvas)
{
    enum { COLORS = 16 };
    for (uint32_t c = 0; c < n->curve_count; ++c) {
        const sup_curve* u = &n->curves[c];
        float            value = (float)(u->limb * 7u % COLORS) / (COLORS - 1); // neighbors in different colors
        for (uint32_t i = 0; i + 1 < u->count + (u->closed ? 1u : 0u); ++i) {
            sup_curve_point p = n->points[u->begin + i], q = n->points[u->begin + (i + 1) % u->count];
            canvas->line(canvas->user, "curves", v3_lerp(skin[p.a], skin[p.b], p.ratio), v3_lerp(skin[q.a], skin[q.b], q.ratio),
                         value);
        }
    }
}
