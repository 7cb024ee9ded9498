// Makes a whole network: limbs, then curves across or along each of them, or edge loops.
#include "geom/curves/curves.h"

#include "geom/curves/curves_internal.h"
#include "geom/surface/clean.h"
#include "math/vec.h"

enum { CURVES_STANDARD = 16 };

static sup_result check_mesh(const sup_curve_mesh* mesh, sup_error* error)
{
    for (uint32_t p = 0; p < mesh->point_count; ++p)
        if (!v3_finite(mesh->points[p]))
            return sup_fail(error, SUP_ERROR_INPUT, "curves: point %u of the mesh is not finite; repair the file", p);
    if (mesh->triangle_count == 0) return sup_fail(error, SUP_ERROR_INPUT, "curves: the mesh has no faces to run over");
    return SUP_OK;
}

static float line_length(const limb_shape* limb)
{
    float length = 0;
    for (uint32_t i = 1; i < limb->station_count; ++i) length += v3_distance(limb->stations[i], limb->stations[i - 1]);
    return length;
}

/// The point and direction at a given length along the line.
static void line_at(const limb_shape* limb, float length, sup_vec3* at, sup_vec3* along)
{
    uint32_t i = 1;
    float    step = 0;
    for (; i < limb->station_count; ++i) {
        step = v3_distance(limb->stations[i], limb->stations[i - 1]);
        if (length <= step || i + 1 == limb->station_count) break;
        length -= step;
    }
    sup_vec3 a = limb->stations[i - 1], b = limb->stations[i];
    *at = v3_lerp(a, b, step > 0 ? sup_clampf(length / step, 0, 1) : 0);
    // The direction over three pieces, so that planes turn gradually.
    sup_vec3 from = limb->stations[i >= 2 ? i - 2 : 0], to = limb->stations[i + 1 < limb->station_count ? i + 1 : i];
    *along = v3_normalize(v3_sub(to, from), v3_normalize(v3_sub(b, a), v3(1, 0, 0)));
}

static void rings_of_limb(curve_maker* m, const sup_curves_desc* d, const limb_shape* limb, uint32_t number, float* values,
                          uint32_t* dropped)
{
    float    length = line_length(limb);
    uint32_t wanted = d->curves ? d->curves : CURVES_STANDARD;
    if (d->spacing > 0) wanted = (uint32_t)(sup_clampf(length / d->spacing + 0.5f, 1.0f, 4096.0f));
    sup_vec3* centers = SUP_NEW(m->arena, sup_vec3, wanted);
    sup_vec3* normals = SUP_NEW(m->arena, sup_vec3, wanted);
    if (!centers || !normals) {
        m->failed = true;
        return;
    }
    for (uint32_t i = 0; i < wanted; ++i) line_at(limb, length * ((float)i + 0.5f) / (float)wanted, &centers[i], &normals[i]);
    *dropped += rings_make(m, limb->triangles, limb->triangle_count, centers, normals, wanted, values, number);
}

/// How far along its limb every point is: the nearest place on the center line.
static sup_result measure_heights(const sup_curve_mesh* mesh, const limb_set* limbs, sup_arena* arena, sup_curves* out,
                                  sup_error* error)
{
    float *heights = SUP_NEW(arena, float, mesh->point_count), *lengths = SUP_NEW(arena, float, limbs->limb_count);
    if (!heights || !lengths) return sup_fail_memory(error, "curves");
    for (uint32_t i = 0; i < limbs->limb_count; ++i) lengths[i] = line_length(&limbs->limbs[i]);
    for (uint32_t p = 0; p < mesh->point_count; ++p) {
        if (limbs->of_point[p] == SUP_NONE) continue;
        const limb_shape* l = &limbs->limbs[limbs->of_point[p]];
        float             least = 3e38f, walked = 0;
        for (uint32_t i = 0; i + 1 < l->station_count; ++i) {
            sup_vec3 d = v3_sub(l->stations[i + 1], l->stations[i]);
            float    l2 = v3_length2(d),
                  t = l2 > 0 ? sup_clampf(v3_dot(v3_sub(mesh->points[p], l->stations[i]), d) / l2, 0, 1) : 0;
            float away = v3_length2(v3_sub(mesh->points[p], v3_mad(l->stations[i], t, d))), step = sqrtf(l2);
            if (away < least) least = away, heights[p] = walked + t * step;
            walked += step;
        }
    }
    out->heights = heights;
    out->lengths = lengths;
    return SUP_OK;
}

static sup_result finish(curve_maker* m, sup_curves* out, sup_error* error)
{
    if (m->failed) return sup_fail_memory(error, "curves");
    out->curve_count = m->curve_count;
    out->point_count = m->point_count;
    out->curves = m->curves;
    out->points = m->points;
    return SUP_OK;
}

static sup_result make_on_clean(const sup_curves_desc* desc, sup_arena* arena, sup_curves* out, sup_error* error)
{
    curve_maker m;
    limb_set    limbs;
    uint32_t    dropped = 0;
    sup_result  r = check_mesh(&desc->mesh, error);
    if (!r) r = maker_begin(&m, &desc->mesh, desc->snap, arena, error);
    if (!r && desc->way <= SUP_CURVES_ALONG) {
        sup_curves made;
        m.snap = 0; // snapped to vertices, level lines could touch
        r = field_curves_make(&m, desc, &made, error);
        if (!r) r = finish(&m, &made, error);
        if (!r && made.curve_count == 0)
            r = sup_fail(error, SUP_ERROR_INPUT, "no curve could be laid over this mesh: it has no length anywhere");
        if (!r) *out = made;
        return r;
    }
    if (!r) r = limbs_find(&m, desc, &limbs, error);
    if (r) return r;
    float* values = SUP_NEW(arena, float, desc->mesh.point_count);
    if (!values) return sup_fail_memory(error, "curves");
    if (desc->way == SUP_CURVES_LOOPS) {
        r = loops_make(&m, &limbs, desc->walks, desc->walk_count, error);
        if (r) return r;
    } else
        for (uint32_t i = 0; i < limbs.limb_count && !m.failed; ++i) {
            if (!(line_length(&limbs.limbs[i]) > 0)) continue;
            rings_of_limb(&m, desc, &limbs.limbs[i], i, values, &dropped);
        }
    sup_curves made = { .limb_count = limbs.limb_count, .limbs = limbs.of_point, .dropped = dropped };
    r = finish(&m, &made, error);
    if (!r) r = measure_heights(&desc->mesh, &limbs, arena, &made, error);
    if (r) return r;
    if (made.curve_count == 0 && desc->way == SUP_CURVES_LOOPS)
        return sup_fail(error, SUP_ERROR_INPUT,
                        "no edge loop runs along a limb of this mesh (loops need quads); take the curves 'along' or 'around'");
    if (made.curve_count == 0)
        return sup_fail(error, SUP_ERROR_INPUT,
                        "no curve could be laid over this mesh: every cut missed its %u limbs; give groups, or another way",
                        limbs.limb_count);
    *out = made;
    return SUP_OK;
}

sup_result sup_curves_cut(const sup_curve_mesh* mesh, const sup_curve_line* line, float snap, sup_arena* arena, sup_curves* out,
                          sup_error* error)
{
    curve_maker m;
    sup_result  r = check_mesh(mesh, error);
    if (!r && (line->count == 0 || (line->count == 1 && !line->normals)))
        r = sup_fail(error, SUP_ERROR_INPUT, "curves: a line of %u stations has no direction; give two, or a normal",
                     line->count);
    for (uint32_t i = 0; !r && i < line->count; ++i)
        if (!v3_finite(line->centers[i]) || (line->normals && !v3_finite(line->normals[i])))
            r = sup_fail(error, SUP_ERROR_INPUT, "curves: station %u of the line is not finite", i);
    if (!r) r = maker_begin(&m, mesh, snap, arena, error);
    if (r) return r;
    float*     values = SUP_NEW(arena, float, mesh->point_count);
    uint32_t*  all = SUP_NEW(arena, uint32_t, mesh->triangle_count);
    uint32_t*  limbs = SUP_NEW(arena, uint32_t, mesh->point_count);
    sup_vec3*  normals = SUP_NEW(arena, sup_vec3, line->count);
    limb_shape shape = { .station_count = line->count, .stations = line->centers };
    if (!values || !all || !normals || !limbs) return sup_fail_memory(error, "curves");
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) all[t] = t;
    for (uint32_t i = 0; i < line->count; ++i) {
        sup_vec3 d = line->normals ? line->normals[i]
                                   : v3_sub(shape.stations[i + 1 < line->count ? i + 1 : i], shape.stations[i > 0 ? i - 1 : 0]);
        normals[i] = v3_normalize(d, v3(0, 0, 0));
        if (v3_length2(normals[i]) == 0)
            return sup_fail(error, SUP_ERROR_INPUT, "curves: station %u of the line has no direction; stations must differ", i);
    }
    sup_curves made = { .limb_count = 1, .limbs = limbs };
    made.dropped = rings_make(&m, all, mesh->triangle_count, line->centers, normals, line->count, values, 0);
    r = finish(&m, &made, error);
    if (!r) *out = made;
    return r;
}

/// A duplicate face counts once for curves: over both copies they would branch, or end.
sup_result sup_curves_create(const sup_curves_desc* desc, sup_arena* arena, sup_curves* out, sup_error* error)
{
    sup_curves_desc clean = *desc;
    sup_clean       surface;
    sup_result      r = sup_clean_surface(NULL, desc->mesh.triangle_count, desc->mesh.triangles, arena, &surface, error);
    if (r) return r;
    clean.mesh.triangle_count = surface.triangle_count;
    clean.mesh.triangles = surface.triangles;
    return make_on_clean(&clean, arena, out, error);
}
