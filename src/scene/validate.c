// First stage: checks what the description claims about its parts, so that later stages need not.
#include "scene/build.h"
#include "scene/exact.h"

#include <string.h>

#define BAD(...) sup_fail(build->error, SUP_ERROR_INPUT, __VA_ARGS__)

static sup_result check_pointers(sup_build* build, const sup_part_desc* d, const char* name)
{
    if (d->vertex_count && !d->positions) return BAD("'%s' has %u vertices but no positions; give both", name, d->vertex_count);
    if (d->face_count && !d->corners) return BAD("'%s' has %u faces but no corners; give both", name, d->face_count);
    if (d->width && d->vertex_count && (!d->joints || !d->weights))
        return BAD("'%s' says %u influences per vertex but has no joints or no weights; give both, or set the width to 0", name,
                   d->width);
    if (d->morph_count && !d->morphs) return BAD("'%s' counts %u morphs but gives none", name, d->morph_count);
    if (d->map_count && !d->maps) return BAD("'%s' counts %u maps but gives none", name, d->map_count);
    if (!d->width && d->joint != SUP_NONE && d->joint >= build->desc->joint_count)
        return BAD("'%s' follows joint %u but there are only %u joints; give one of them", name, d->joint,
                   build->desc->joint_count);
    for (uint32_t i = 0; i < d->morph_count; ++i) {
        if (d->vertex_count && !d->morphs[i].deltas)
            return BAD("morph %u of '%s' has no deltas; give them or remove it", i, name);
        if (!isfinite(d->morphs[i].rest_weight))
            return BAD("morph %u of '%s' has a rest weight that is not a number; repair the file", i, name);
    }
    for (uint32_t i = 0; i < d->map_count; ++i)
        if (d->vertex_count && !d->maps[i].values) return BAD("map %u of '%s' has no values; give them or remove it", i, name);
    return SUP_OK;
}

// One plain pass that the compiler vectorizes. If it finds a bad corner, the caller searches again to say where.
static bool corners_are_vertices(const sup_part_desc* d, uint64_t count)
{
    uint32_t most = 0;
    for (uint64_t c = 0; c < count; ++c) most = d->corners[c] > most ? d->corners[c] : most;
    return count == 0 || most < d->vertex_count;
}

static sup_result find_bad_corner(sup_build* build, const sup_part_desc* d, const char* name)
{
    const uint32_t* corners = d->corners;
    for (uint32_t f = 0; f < d->face_count; ++f)
        for (uint32_t c = 0; c < (d->face_sizes ? d->face_sizes[f] : 3); ++c, ++corners)
            if (*corners >= d->vertex_count)
                return BAD("face %u of '%s' uses vertex %u but there are only %u; repair the file", f, name, *corners,
                           d->vertex_count);
    return SUP_OK;
}

static sup_result check_faces(sup_build* build, const sup_part_desc* d, const char* name, sup_part_build* p)
{
    uint64_t corners = d->face_sizes ? 0 : 3 * (uint64_t)d->face_count, small = 0;
    uint32_t dropped = 0;
    for (uint32_t f = 0; d->face_sizes && f < d->face_count; ++f) {
        bool drop = d->face_sizes[f] < 3;
        corners += d->face_sizes[f];
        small += drop ? d->face_sizes[f] : 0;
        dropped += drop;
    }
    if (corners > SUP_BUILD_LIMIT)
        return BAD("'%s' has more than %u face corners; split the mesh or make it coarser", name, SUP_BUILD_LIMIT);
    if (!corners_are_vertices(d, corners)) return find_bad_corner(build, d, name);
    p->face_count = d->face_count - dropped;
    p->corner_count = (uint32_t)(corners - small);
    if (dropped) sup_note(&build->warnings, "%u faces of '%s' have fewer than three corners; left out", dropped, name);
    return SUP_OK;
}

// x - x is zero only for finite numbers; branch-free, so that the compiler vectorizes it.
static bool all_finite(const sup_vec3* a, uint32_t count)
{
    uint32_t bad = 0;
    for (uint32_t i = 0; i < count; ++i)
        bad |= (uint32_t)(a[i].x - a[i].x != 0) | (uint32_t)(a[i].y - a[i].y != 0) | (uint32_t)(a[i].z - a[i].z != 0);
    return !bad;
}

static uint32_t first_bad(const sup_vec3* a, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
        if (!v3_finite(a[i])) return i;
    return count;
}

static sup_result check_numbers(sup_build* build, const sup_part_desc* d, const char* name)
{
    if (!all_finite(d->positions, d->vertex_count))
        return BAD("vertex %u of '%s' has a position that is not a number; repair the file",
                   first_bad(d->positions, d->vertex_count), name);
    for (uint32_t m = 0; m < d->morph_count; ++m)
        if (!all_finite(d->morphs[m].deltas, d->vertex_count))
            return BAD("morph %u of '%s' moves vertex %u by a value that is not a number; repair the file", m, name,
                       first_bad(d->morphs[m].deltas, d->vertex_count));
    return SUP_OK;
}

static sup_result check_place(sup_build* build, const sup_part_desc* d, sup_part* part, sup_part_build* p)
{
    static const sup_affine zero;
    sup_affine              identity = affine_identity();
    part->place = d->place;
    part->unplace = identity;
    if (!memcmp(&part->place, &zero, sizeof zero)) part->place = identity;
    for (int i = 0; i < 12; ++i)
        if (!isfinite(part->place.m[i / 4][i % 4]))
            return BAD("the transform of '%s' holds a value that is not a number; repair the file", part->name);
    p->placed = memcmp(&part->place, &identity, sizeof identity) != 0;
    if (!p->placed) return SUP_OK;
    exact_affine place = exact_from(&part->place), unplace;
    if (sup_exact_invert(&place, &unplace)) part->unplace = exact_round(&unplace);
    else
        sup_note(&build->warnings, "the transform of '%s' flattens it; its shape cannot be transformed back to the file",
                 part->name);
    return SUP_OK;
}

static sup_result check_part(sup_build* build, uint32_t index)
{
    const sup_part_desc* d = &build->desc->parts[index];
    sup_part*            part = &build->parts[index];
    sup_part_build*      p = &build->part_builds[index];
    sup_result           result;
    part->name = sup_build_name(build, d->name, "part", index);
    if (!part->name) return sup_fail_memory(build->error, "a mesh");
    part->source_id = d->source_id;
    if ((result = check_pointers(build, d, part->name))) return result;
    if ((result = check_faces(build, d, part->name, p))) return result;
    if ((result = check_numbers(build, d, part->name))) return result;
    if ((result = check_place(build, d, part, p))) return result;
    if ((uint64_t)build->vertex_count + d->vertex_count > SUP_BUILD_LIMIT ||
        (uint64_t)build->corner_count + p->corner_count > SUP_BUILD_LIMIT)
        return BAD("'%s' has more than %u vertices or face corners by part '%s'; split the mesh or make it coarser",
                   build->out->name, SUP_BUILD_LIMIT, part->name);
    part->vertex_begin = build->vertex_count;
    part->vertex_count = d->vertex_count;
    part->face_begin = build->face_count;
    part->face_count = p->face_count;
    build->vertex_count += d->vertex_count;
    build->face_count += p->face_count;
    build->corner_count += p->corner_count;
    return SUP_OK;
}

sup_result sup_build_check(sup_build* build)
{
    const sup_character_desc* desc = build->desc;
    if (desc->part_count && !desc->parts) return BAD("'%s' counts %u parts but gives none", build->out->name, desc->part_count);
    if (desc->joint_count && !desc->joints)
        return BAD("'%s' counts %u joints but gives none", build->out->name, desc->joint_count);
    if (desc->clip_count && !desc->clips) return BAD("'%s' counts %u clips but gives none", build->out->name, desc->clip_count);
    if (desc->example_count && !desc->examples)
        return BAD("'%s' counts %u examples but gives none", build->out->name, desc->example_count);
    build->parts = SUP_NEW(build->keep, sup_part, desc->part_count);
    build->part_builds = SUP_NEW(build->scratch, sup_part_build, desc->part_count);
    if (!build->parts || !build->part_builds) return sup_fail_memory(build->error, "a mesh");
    for (uint32_t i = 0; i < desc->part_count; ++i) {
        sup_result result = check_part(build, i);
        if (result) return result;
    }
    if (!build->vertex_count) return BAD("'%s' has no points; give a file with a mesh", build->out->name);
    if (!build->face_count) return BAD("'%s' has no faces; give a mesh with faces, not points alone", build->out->name);
    build->out->mesh.parts = build->parts;
    build->out->mesh.part_count = desc->part_count;
    build->out->mesh.vertex_count = build->vertex_count;
    return SUP_OK;
}
