// What is given per stored vertex and kept per point: morphs, maps and examples. Copies of one point are averaged.
#include "math/vec.h"
#include "scene/build.h"

#include <string.h>

#define BAD(...) sup_fail(build->error, SUP_ERROR_INPUT, __VA_ARGS__)

// Each map costs a number per point of the whole mesh, however few vertices its part has; a file with a thousand small parts
// and maps of different names must not multiply that.
enum { MAPS_MAX = 256 };

typedef struct sum3 {
    double x, y, z;
} sum3;

// Averages over the vertices [begin, begin + count); sums and copies are scratch of the points from `first` on.
static void average_vec3(const sup_build* build, const sup_vec3* values, uint32_t begin, uint32_t count, uint32_t first,
                         uint32_t point_count, sum3* sums, uint32_t* copies, sup_vec3* out)
{
    if (build->points_are_vertices) {
        for (uint32_t p = 0; p < point_count; ++p) // +0 instead of -0, as a sum gives
            out[p] = v3(values[p].x + 0.0f, values[p].y + 0.0f, values[p].z + 0.0f);
        return;
    }
    memset(sums, 0, point_count * sizeof *sums);
    memset(copies, 0, point_count * sizeof *copies);
    for (uint32_t v = 0; v < count; ++v) {
        uint32_t p = build->vertex_points[begin + v] - first;
        sums[p].x += (double)values[v].x;
        sums[p].y += (double)values[v].y;
        sums[p].z += (double)values[v].z;
        copies[p]++;
    }
    for (uint32_t p = 0; p < point_count; ++p) // equal copies keep their value: their sum in double does not round
        out[p] = v3((float)(sums[p].x / copies[p]), (float)(sums[p].y / copies[p]), (float)(sums[p].z / copies[p]));
}

static sup_result make_morphs(sup_build* build, sum3* sums, uint32_t* copies)
{
    sup_character* c = build->out;
    uint64_t       total = 0;
    for (uint32_t i = 0; i < c->mesh.part_count; ++i) {
        build->parts[i].morph_begin = (uint32_t)total;
        build->parts[i].morph_count = build->desc->parts[i].morph_count;
        total += build->desc->parts[i].morph_count;
        if (total > SUP_BUILD_LIMIT) return BAD("'%s' has more than %u morphs", c->name, SUP_BUILD_LIMIT);
    }
    sup_morph* morphs = SUP_NEW(build->keep, sup_morph, total);
    if (!morphs) return sup_fail_memory(build->error, "morphs");
    c->morphs = morphs;
    c->morph_count = (uint32_t)total;
    for (uint32_t i = 0; i < c->mesh.part_count; ++i) {
        const sup_part* part = &build->parts[i];
        for (uint32_t m = 0; m < part->morph_count; ++m, ++morphs) {
            const sup_morph_desc* d = &build->desc->parts[i].morphs[m];
            sup_vec3*             deltas = SUP_NEW(build->keep, sup_vec3, part->point_count);
            *morphs = (sup_morph){ sup_build_name(build, d->name, "morph", m), i, d->rest_weight, deltas };
            if (!deltas || !morphs->name) return sup_fail_memory(build->error, "morphs");
            average_vec3(build, d->deltas, part->vertex_begin, part->vertex_count, part->point_begin, part->point_count, sums,
                         copies, deltas);
            for (uint32_t p = 0; build->part_builds[i].placed && p < part->point_count; ++p) {
                deltas[p] = affine_direction(&part->place, deltas[p]);
                if (!v3_finite(deltas[p]))
                    return BAD("the transform of '%s' makes its morph '%s' too large for a float; repair the file", part->name,
                               morphs->name);
            }
        }
    }
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- maps

static uint32_t find_map(const sup_map* maps, uint32_t count, const char* name)
{
    for (uint32_t i = 0; i < count; ++i)
        if (!strcmp(maps[i].name, name)) return i;
    return SUP_NONE;
}

static sup_result fill_map(sup_build* build, uint32_t index, const sup_map_desc* d, const char* name, sum3* sums,
                           uint32_t* copies, float* values)
{
    const sup_part* part = &build->parts[index];
    uint32_t        outside = 0;
    memset(sums, 0, part->point_count * sizeof *sums);
    memset(copies, 0, part->point_count * sizeof *copies);
    for (uint32_t v = 0; v < part->vertex_count; ++v) {
        if (isnan(d->values[v]))
            return BAD("map '%s' of '%s' is not a number at vertex %u; repair the file", name, part->name, v);
        float value = sup_clampf(d->values[v], 0, 1);
        outside += value != d->values[v];
        uint32_t p = build->vertex_points[part->vertex_begin + v] - part->point_begin;
        sums[p].x += (double)value;
        copies[p]++;
    }
    for (uint32_t p = 0; p < part->point_count; ++p) values[part->point_begin + p] = (float)(sums[p].x / copies[p]);
    if (outside)
        sup_note(&build->warnings, "map '%s' of '%s' leaves the range 0 to 1 at %u vertices; clamped", name, part->name,
                 outside);
    return SUP_OK;
}

static sup_result make_maps(sup_build* build, sum3* sums, uint32_t* copies)
{
    sup_character* c = build->out;
    sup_map*       maps = SUP_NEW(build->keep, sup_map, MAPS_MAX);
    float**        values = SUP_NEW(build->scratch, float*, MAPS_MAX);
    uint32_t*      filled = SUP_NEW(build->scratch, uint32_t, MAPS_MAX); // last part that wrote it, plus 1
    if (!maps || !values || !filled) return sup_fail_memory(build->error, "maps");
    uint32_t unkept = 0;
    for (uint32_t i = 0; i < c->mesh.part_count; ++i)
        for (uint32_t m = 0; m < build->desc->parts[i].map_count; ++m) {
            const sup_map_desc* d = &build->desc->parts[i].maps[m];
            const char*         name = d->name ? d->name : sup_build_name(build, NULL, "map", m);
            if (!name) return sup_fail_memory(build->error, "maps");
            uint32_t at = find_map(maps, c->map_count, name);
            if (at == SUP_NONE && c->map_count == MAPS_MAX) {
                unkept++;
                continue;
            }
            if (at == SUP_NONE) {
                at = c->map_count++;
                maps[at].name = sup_build_name(build, name, NULL, 0);
                maps[at].values = values[at] = SUP_NEW(build->keep, float, c->mesh.point_count);
                if (!maps[at].name || !values[at]) return sup_fail_memory(build->error, "maps");
                for (uint32_t p = 0; p < c->mesh.point_count; ++p) values[at][p] = 1.0f;
            }
            if (filled[at] == i + 1) continue; // the same name twice in one part: the first wins
            filled[at] = i + 1;
            sup_result result = fill_map(build, i, d, name, sums, copies, values[at]);
            if (result) return result;
        }
    if (unkept) sup_note(&build->warnings, "there are more than %d maps; %u left out", (int)MAPS_MAX, unkept);
    c->maps = maps;
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- examples

static sup_result make_examples(sup_build* build, sum3* sums, uint32_t* copies)
{
    sup_character* c = build->out;
    sup_example*   examples = SUP_NEW(build->keep, sup_example, build->desc->example_count);
    if (!examples) return sup_fail_memory(build->error, "examples");
    for (uint32_t i = 0; i < build->desc->example_count; ++i) {
        const sup_example_desc* d = &build->desc->examples[i];
        const char*             name = sup_build_name(build, d->name, "example", i);
        const char*             clip = d->clip ? sup_build_name(build, d->clip, NULL, 0) : NULL;
        sup_vec3*               points = SUP_NEW(build->keep, sup_vec3, c->mesh.point_count);
        if (!name || (d->clip && !clip) || !points) return sup_fail_memory(build->error, "examples");
        if (!d->positions) return BAD("example '%s' has no positions; give them or remove it", name);
        if (!isfinite(d->time)) return BAD("the time of example '%s' is not a number; give seconds", name);
        for (uint32_t v = 0; v < build->vertex_count; ++v)
            if (!v3_finite(d->positions[v]))
                return BAD("vertex %u of example '%s' has a position that is not a number; repair the file", v, name);
        average_vec3(build, d->positions, 0, build->vertex_count, 0, c->mesh.point_count, sums, copies, points);
        examples[i] = (sup_example){ name, clip, d->time, d->in_rest_space, points };
    }
    c->examples = examples;
    c->example_count = build->desc->example_count;
    return SUP_OK;
}

sup_result sup_build_shapes(sup_build* build)
{
    bool any = build->desc->example_count > 0;
    for (uint32_t i = 0; i < build->desc->part_count; ++i)
        any |= build->desc->parts[i].morph_count || build->desc->parts[i].map_count;
    if (!any) return SUP_OK;
    sum3*     sums = SUP_NEW(build->scratch, sum3, build->out->mesh.point_count);
    uint32_t* copies = SUP_NEW(build->scratch, uint32_t, build->out->mesh.point_count);
    if (!sums || !copies) return sup_fail_memory(build->error, "shapes");
    sup_result result = make_morphs(build, sums, copies);
    if (!result) result = make_maps(build, sums, copies);
    if (!result) result = make_examples(build, sums, copies);
    return result;
}
