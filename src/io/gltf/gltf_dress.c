// Clothes without weights that the user names take weights from the skinned parts. The file's own skin stays unchanged: a bake
// writes them as shapes of the node they are attached to.
#include "base/sort.h"
#include "io/gltf/gltf_reader.h"
#include "math/vec.h"
#include "supple/rig.h"

#include <string.h>

enum { INFLUENCES = 4 };

static bool wanted(const gltf_reader* r, const sup_part_desc* part)
{
    for (uint32_t i = 0; i < r->in->dress_count; ++i)
        if (sup_glob_match(r->in->dress[i], part->name)) return true;
    return false;
}

static uint32_t face_size(const sup_part_desc* d, uint32_t face) { return d->face_sizes ? d->face_sizes[face] : 3; }

static uint32_t count_triangles(const sup_part_desc* d)
{
    uint32_t count = 0;
    for (uint32_t f = 0; f < d->face_count; ++f) count += face_size(d, f) >= 3 ? face_size(d, f) - 2 : 0;
    return count;
}

static void write_triangles(const sup_part_desc* d, const uint32_t* map, uint32_t begin, uint32_t* out)
{
    const uint32_t* c = d->corners;
    for (uint32_t f = 0; f < d->face_count; c += face_size(d, f), ++f)
        for (uint32_t k = 2; k < face_size(d, f); ++k, out += 3) {
            const uint32_t corners[3] = { c[0], c[k - 1], c[k] };
            for (int i = 0; i < 3; ++i) out[i] = begin + (map ? map[corners[i]] : corners[i]);
        }
}

// All skinned parts as one surface with weights, in rest space.
static sup_result collect_body(gltf_reader* r, sup_transfer_input* in)
{
    uint64_t points = 0, triangles = 0, slots = 0;
    for (uint32_t i = 0; i < r->part_count; ++i) {
        const sup_part_desc* d = &r->parts[i];
        if (d->width == 0) continue;
        points += d->vertex_count;
        triangles += count_triangles(d);
        slots += (uint64_t)d->vertex_count * d->width;
    }
    if (points == 0)
        return sup_fail(r->error, SUP_ERROR_INPUT,
                        "no mesh of the file has a skin, so there are no weights for --dress to take");
    sup_vec3* places = gltf_take(r, points, sizeof *places);
    uint32_t* corners = places ? gltf_take(r, 3 * triangles, sizeof *corners) : NULL;
    uint32_t* begin = corners ? gltf_take(r, points + 1, sizeof *begin) : NULL;
    uint32_t* joints = begin ? gltf_take(r, slots, sizeof *joints) : NULL;
    float*    values = joints ? gltf_take(r, slots, sizeof *values) : NULL;
    if (!values) return r->result;
    uint32_t point = 0, triangle = 0, used = 0;
    for (uint32_t i = 0; i < r->part_count; ++i) {
        const sup_part_desc* d = &r->parts[i];
        if (d->width == 0) continue;
        write_triangles(d, NULL, point, corners + 3 * (size_t)triangle);
        triangle += count_triangles(d);
        for (uint32_t v = 0; v < d->vertex_count; ++v, ++point) {
            double sum = 0;
            places[point] = affine_point(&d->place, d->positions[v]);
            const float*    w = d->weights + (size_t)v * d->width;
            const uint32_t* j = d->joints + (size_t)v * d->width;
            for (uint32_t k = 0; k < d->width; ++k) sum += isfinite(w[k]) && w[k] > 0 ? (double)w[k] : 0;
            for (uint32_t k = 0; k < d->width; ++k)
                if (isfinite(w[k]) && w[k] > 0) joints[used] = j[k], values[used++] = (float)((double)w[k] / sum);
            begin[point + 1] = used;
        }
    }
    *in = (sup_transfer_input){ .body = { (uint32_t)points, places, (uint32_t)triangles, corners },
                                .begin = begin,
                                .joints = joints,
                                .values = values,
                                .joint_count = r->joint_count,
                                .influences_max = INFLUENCES };
    return SUP_OK;
}

static uint32_t bits(float x)
{
    uint32_t word;
    memcpy(&word, &x, sizeof word);
    return word == 0x80000000u ? 0 : word;
}

// Merges vertices at one position into a point, so that the fill does not stop at seams. map: the point of each vertex.
static sup_result weld(gltf_reader* r, const sup_part_desc* d, uint32_t* map, sup_vec3* points, uint32_t* count)
{
    sup_sort_item* items = gltf_take(r, d->vertex_count, sizeof *items);
    sup_sort_item* spare = items ? gltf_take(r, d->vertex_count, sizeof *spare) : NULL;
    if (!spare) return r->result;
    for (uint32_t v = 0; v < d->vertex_count; ++v) items[v] = (sup_sort_item){ bits(d->positions[v].z), v };
    sup_sort(items, spare, d->vertex_count);
    for (uint32_t v = 0; v < d->vertex_count; ++v) {
        sup_vec3 p = d->positions[items[v].value];
        items[v].key = (uint64_t)bits(p.x) << 32 | bits(p.y);
    }
    sup_sort(items, spare, d->vertex_count);
    *count = 0;
    for (uint32_t v = 0; v < d->vertex_count; ++v) {
        sup_vec3 p = d->positions[items[v].value];
        bool     same = v && items[v].key == items[v - 1].key && bits(p.z) == bits(d->positions[items[v - 1].value].z);
        if (!same) points[(*count)++] = affine_point(&d->place, p);
        map[items[v].value] = *count - 1;
    }
    return SUP_OK;
}

static sup_result dress(gltf_reader* r, sup_transfer_input* in, sup_part_desc* d)
{
    uint32_t  triangles = count_triangles(d);
    size_t    slots = (size_t)d->vertex_count * INFLUENCES;
    uint32_t* map = gltf_take(r, d->vertex_count, sizeof *map);
    sup_vec3* points = map ? gltf_take(r, d->vertex_count, sizeof *points) : NULL;
    uint32_t* corners = points ? gltf_take(r, 3 * (uint64_t)triangles, sizeof *corners) : NULL;
    uint32_t* joints = corners ? gltf_take(r, slots, sizeof *joints) : NULL;
    float*    weights = joints ? gltf_take(r, slots, sizeof *weights) : NULL;
    if (!weights) return r->result;
    sup_transfer out;
    in->clothes = (sup_surface){ 0, points, triangles, corners };
    GLTF_TRY(weld(r, d, map, points, &in->clothes.point_count));
    write_triangles(d, map, 0, corners);
    GLTF_TRY(sup_transfer_weights(in, r->work, &out, r->error));
    for (uint32_t v = 0; v < d->vertex_count; ++v) {
        uint32_t begin = out.begin[map[v]], end = out.begin[map[v] + 1];
        for (uint32_t k = 0; k < end - begin; ++k) {
            joints[(size_t)v * INFLUENCES + k] = out.joints[begin + k];
            weights[(size_t)v * INFLUENCES + k] = out.values[begin + k];
        }
    }
    d->width = INFLUENCES;
    d->joints = joints;
    d->weights = weights;
    d->joint = SUP_NONE;
    if (out.adrift)
        gltf_warn(
            r,
            "'%s' takes weights from the body, but %u of its points are far from it or face another way; check whether it fits",
            d->name, out.adrift);
    return SUP_OK;
}

sup_result gltf_parts_dress(gltf_reader* r)
{
    sup_transfer_input in;
    bool*              chosen = SUP_NEW(r->work, bool, r->part_count);
    bool               any = false;
    if (!chosen) return sup_fail_memory(r->error, "the parts");
    for (uint32_t i = 0; i < r->part_count; ++i) {
        chosen[i] = wanted(r, &r->parts[i]);
        any |= chosen[i];
        if (chosen[i] && r->parts[i].width) {
            gltf_warn(r, "'%s' has a skin of its own and keeps it", r->parts[i].name);
            chosen[i] = false;
        }
    }
    if (r->in->dress_count && !any)
        return sup_fail(r->error, SUP_ERROR_INPUT, "no mesh is named '%s'; there are: %s", r->in->dress[0],
                        gltf_part_names(r));
    bool ready = false;
    for (uint32_t i = 0; i < r->part_count; ++i) {
        if (!chosen[i]) continue;
        if (!ready) GLTF_TRY(collect_body(r, &in)); // before dressing any: clothes are not part of the body
        ready = true;
        GLTF_TRY(dress(r, &in, &r->parts[i]));
    }
    return SUP_OK;
}
