// Writes frames to textures. Vertex i has column i % width, and its first frame is in row (i / width) * frames; the next frame
// is in the next row. A texel is the displacement from the rest shape, each axis from 0 to 1 between the bounds of the clip.
// The axes are OpenVAT's, Blender's: red is x, green -z, blue y of the glTF.
//
// Bounds are known at the end, so frames wait in a file beside the target.
#include "io/vat/vat.h"

#include "base/internal.h"
#include "math/trig.h"
#include "math/vec.h"

#include <math.h>
#include <string.h>

enum { LEAST = 64, MOST = 8192, FIELDS = 3 };
enum { POSITIONS, NORMALS, TENSION };

typedef struct vat {
    uint32_t      width, height, wraps; // of one texture
    sup_out_file* bounds;
    sup_out_file* spill; // a frame: fields, each for all vertices
    uint32_t      fields;
    float         low[FIELDS][3], high[FIELDS][3];
    vat_image     images[FIELDS]; // the second equals the first if both share one picture
    uint32_t      begin[FIELDS];  // first row of each field
    sup_vec3*     values;         // of all vertices
    sup_vec3*     strain;         // of points
    double*       sums;
    float*        row;
    float*        again;
} vat;

// ---------------------------------------------------------------------------------------------- layout

static uint32_t power_of_two(uint64_t n)
{
    uint32_t p = 1;
    while (p < n && p < 1u << 30) p *= 2;
    return p;
}

// The smallest picture whose sides are powers of two; of those, the squarest.
static bool choose_size(vat* t, uint32_t vertices, uint32_t frames, uint32_t halves)
{
    uint64_t best = UINT64_MAX;
    for (uint32_t width = LEAST; width <= MOST; width *= 2) {
        uint32_t wraps = (vertices + width - 1) / width, height = power_of_two((uint64_t)wraps * frames);
        uint64_t area = (uint64_t)width * height * halves, side = width > height * halves ? width : height * halves;
        if ((uint64_t)height * halves > MOST || area * MOST * 2 + side >= best) continue;
        best = area * MOST * 2 + side;
        t->width = width;
        t->height = height * halves;
        t->wraps = wraps;
    }
    return best != UINT64_MAX;
}

sup_result sup_vat_choose(const sup_bake_desc* desc, const sup_file_format** format, sup_error* error)
{
    size_t length = strlen(desc->path);
    if (strcmp((*format)->name, "gltf") != 0 || (desc->path[length - 1] | 32) != 'b')
        return sup_fail(error, SUP_ERROR_INPUT, "--vat needs a GLB for the mesh; write '%s' as .glb", desc->path);
    if (desc->budget || desc->sparse || desc->meshopt || desc->flat)
        return sup_fail(error, SUP_ERROR_INPUT,
                        "a vertex animation texture has no morph targets: leave --sparse, --meshopt, --flat and "
                        "budgets out");
    *format = &sup_format_vat;
    return SUP_OK;
}

static sup_result open_images(sup_bake* bake, vat* t, sup_error* error)
{
    static const char* const tails[FIELDS] = { "_vat", "_vnrm", "_tension" };
    bool                     floats = bake->desc.vat == SUP_VAT_EXR, packed = bake->desc.vat == SUP_VAT_PACKED;
    for (uint32_t f = 0; f < t->fields; ++f) {
        char       tail[24];
        vat_image* image = &t->images[f];
        if (f == NORMALS && packed) continue;
        sup_format(tail, sizeof tail, "%s.%s", tails[f], floats ? "exr" : "png");
        const char* path = sup_bake_beside(bake, tail);
        if (!path) return sup_fail_memory(error, "a texture");
        *image = (vat_image){ .width = t->width, .height = t->height, .floats = floats };
        sup_result result = sup_bake_open(bake, path, NULL, SUP_OUT_ROOM, &image->file, error);
        if (result == SUP_OK) result = vat_image_begin(image, bake->arena, error);
        if (result != SUP_OK) return result;
    }
    if (packed) t->begin[NORMALS] = t->height / 2;
    return SUP_OK;
}

static sup_result begin(sup_bake* bake, sup_error* error)
{
    const sup_mesh* mesh = &bake->desc.character->mesh;
    vat*            t = SUP_NEW(bake->arena, vat, 1);
    if (!t) return sup_fail_memory(error, "a texture");
    bake->state = t;
    t->fields = bake->desc.tension ? 3 : 2;
    if (!choose_size(t, mesh->vertex_count, bake->desc.frame_count, bake->desc.vat == SUP_VAT_PACKED ? 2 : 1))
        return sup_fail(error, SUP_ERROR_INPUT,
                        "%u vertices in %u frames do not fit into a texture of %d x %d; bake a shorter part, at a lower --fps",
                        mesh->vertex_count, bake->desc.frame_count, MOST, MOST);
    t->values = SUP_NEW(bake->arena, sup_vec3, mesh->vertex_count);
    t->row = SUP_NEW(bake->arena, float, 3 * (size_t)t->width);
    t->again = SUP_NEW(bake->arena, float, 3 * (size_t)t->width);
    if (bake->desc.tension) {
        t->strain = SUP_NEW(bake->arena, sup_vec3, mesh->point_count);
        t->sums = SUP_NEW(bake->arena, double, SUP_TENSION_SCRATCH*(size_t)mesh->point_count);
    }
    if (!t->values || !t->row || !t->again || (bake->desc.tension && (!t->strain || !t->sums)))
        return sup_fail_memory(error, "a texture");
    for (int f = 0; f < FIELDS; ++f)
        for (int k = 0; k < 3; ++k) t->low[f][k] = f == NORMALS ? -1 : INFINITY, t->high[f][k] = f == NORMALS ? 1 : -INFINITY;
    sup_result  result = open_images(bake, t, error);
    const char* bounds = sup_bake_beside(bake, "-remap_info.json");
    if (result == SUP_OK && !bounds) result = sup_fail_memory(error, "the bounds of a texture");
    if (result == SUP_OK) result = sup_bake_open(bake, bounds, NULL, 4096, &t->bounds, error);
    return result == SUP_OK ? sup_bake_spill(bake, &t->spill, error) : result;
}

// ---------------------------------------------------------------------------------------------- frames

static void widen(vat* t, uint32_t field, sup_vec3 value)
{
    for (int k = 0; k < 3; ++k) {
        float x = (&value.x)[k];
        if (x < t->low[field][k]) t->low[field][k] = x;
        if (x > t->high[field][k]) t->high[field][k] = x;
    }
}

static sup_vec3 blender(sup_vec3 v) { return v3(v.x, -v.z, v.y); }

// Keeps the points themselves: the error of the output is measured against them.
static sup_result frame(sup_bake* bake, const sup_bake_frame* now, sup_error* error)
{
    const sup_mesh* mesh = &bake->desc.character->mesh;
    vat*            t = bake->state;
    size_t          bytes = mesh->vertex_count * sizeof *t->values;
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        uint32_t p = mesh->vertex_points[v];
        t->values[v] = now->points[p];
        widen(t, POSITIONS, blender(v3_sub(now->points[p], mesh->points[p])));
    }
    sup_result result = sup_out_write(t->spill, t->values, bytes, error);
    if (result == SUP_OK) result = sup_out_write(t->spill, now->vertex_normals, bytes, error);
    if (result != SUP_OK || t->fields <= TENSION) return result;
    sup_mesh_tension(mesh, now->points, t->sums, t->strain);
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        t->values[v] = t->strain[mesh->vertex_points[v]];
        widen(t, TENSION, t->values[v]);
    }
    return sup_out_write(t->spill, t->values, bytes, error);
}

// ---------------------------------------------------------------------------------------------- end

// What was kept for a row of a field: vertices of one wrap in one frame, from *first on; none after the last wrap.
static sup_result fetch(sup_bake* bake, vat* t, uint32_t field, uint32_t row, uint32_t* first, uint32_t* count,
                        sup_error* error)
{
    uint32_t vertices = bake->desc.character->mesh.vertex_count, frames = bake->desc.frame_count, wrap = row / frames;
    *first = wrap * t->width;
    *count = wrap < t->wraps ? vertices - *first : 0;
    if (*count > t->width) *count = t->width;
    uint64_t at = ((uint64_t)(row % frames) * t->fields + field) * vertices + *first;
    return *count ? sup_out_read_at(t->spill, at * sizeof(sup_vec3), t->values, *count * sizeof(sup_vec3), error) : SUP_OK;
}

// The value that a texel encodes for it.
static sup_vec3 encoded(const sup_mesh* mesh, uint32_t field, uint32_t vertex, sup_vec3 kept)
{
    if (field == TENSION) return kept;
    return blender(field == NORMALS ? kept : v3_sub(kept, mesh->points[mesh->vertex_points[vertex]]));
}

// What a shader makes of a texel: vertices of the mesh, displaced.
static sup_vec3 shown(const sup_mesh* mesh, uint32_t field, uint32_t vertex, sup_vec3 texel)
{
    sup_vec3 v = v3(texel.x, texel.z, -texel.y);
    return field == NORMALS ? v : v3_add(mesh->points[mesh->vertex_points[vertex]], v);
}

static sup_result put_rows(sup_bake* bake, vat* t, uint32_t field, uint32_t rows, sup_error* error)
{
    vat_image* image = &t->images[field == NORMALS && t->begin[NORMALS] ? POSITIONS : field];
    sup_result result = SUP_OK;
    for (uint32_t row = 0; row < rows && result == SUP_OK; ++row) {
        uint32_t first, count;
        result = fetch(bake, t, field, row, &first, &count, error);
        memset(t->row, 0, 3 * (size_t)t->width * sizeof *t->row);
        for (uint32_t i = 0; i < 3 * count && result == SUP_OK; ++i) {
            sup_vec3 value = encoded(&bake->desc.character->mesh, field, first + i / 3, t->values[i / 3]);
            float    low = t->low[field][i % 3], range = t->high[field][i % 3] - low;
            t->row[i] = range > 0 ? ((&value.x)[i % 3] - low) / range : 0;
        }
        if (result == SUP_OK) result = vat_image_put(image, t->row, error);
    }
    return result;
}

// A row as a shader reads it, against the frame: squares into *sum, the largest into *worst; for normals the angles.
static sup_result check_row(sup_bake* bake, vat* t, uint32_t field, uint32_t row, double* sum, double* worst, sup_error* error)
{
    const vat_image* image = &t->images[field == NORMALS && t->begin[NORMALS] ? POSITIONS : field];
    uint32_t         first, count;
    sup_result       result = fetch(bake, t, field, row, &first, &count, error);
    if (result == SUP_OK) result = vat_image_get(image, t->begin[field] + row, t->again, error);
    for (uint32_t v = 0; v < count && result == SUP_OK; ++v) {
        sup_vec3 got;
        for (int k = 0; k < 3; ++k) {
            float low = t->low[field][k];
            (&got.x)[k] = low + t->again[3 * (size_t)v + (size_t)k] * (t->high[field][k] - low);
        }
        got = shown(&bake->desc.character->mesh, field, first + v, got);
        double off = (double)v3_distance(got, t->values[v]);
        if (field == NORMALS) {
            double c = (double)v3_dot(v3_normalize(got, v3(0, 0, 1)), t->values[v]);
            off = sup_acos(c < 1 ? c > -1 ? c : -1 : 1) * (180 / SUP_PI);
        }
        *sum += off * off;
        if (off > *worst) *worst = off;
    }
    return result;
}

static sup_result check(sup_bake* bake, vat* t, sup_bake_report* report, sup_error* error)
{
    double     square = 0, normal_square = 0;
    uint32_t   rows = t->wraps * bake->desc.frame_count;
    sup_result result = SUP_OK;
    for (uint32_t row = 0; row < rows && result == SUP_OK; ++row) {
        result = check_row(bake, t, POSITIONS, row, &square, &report->worst, error);
        if (result == SUP_OK) result = check_row(bake, t, NORMALS, row, &normal_square, &report->normal_worst, error);
    }
    double count = (double)bake->desc.character->mesh.vertex_count * bake->desc.frame_count;
    report->rms = sqrt(square / count);
    report->normal_rms = sqrt(normal_square / count);
    return result;
}

static void put_bounds(char* text, size_t size, size_t* at, const char* name, const float low[3], const float high[3],
                       uint32_t frames)
{
    char numbers[6][SUP_NUMBER_MAX];
    for (int k = 0; k < 3; ++k) {
        sup_print_float(low[k], numbers[k]);
        sup_print_float(high[k], numbers[3 + k]);
    }
    *at += sup_format(
        text + *at, size - *at,
        "    \"%s\": {\n        \"Min\": [%s, %s, %s],\n        \"Max\": [%s, %s, %s],\n        \"Frames\": %u\n    },\n", name,
        numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5], frames);
}

static sup_result write_bounds(sup_bake* bake, vat* t, uint32_t set, sup_error* error)
{
    char   text[1500], fps[SUP_NUMBER_MAX];
    size_t at = sup_format(text, sizeof text, "{\n");
    put_bounds(text, sizeof text, &at, "os-remap", t->low[POSITIONS], t->high[POSITIONS], bake->desc.frame_count);
    if (t->fields > TENSION)
        put_bounds(text, sizeof text, &at, "tension", t->low[TENSION], t->high[TENSION], bake->desc.frame_count);
    sup_print_double(bake->desc.fps, fps);
    at += sup_format(text + at, sizeof text - at,
                     "    \"supple\": { \"version\": \"" SUP_VERSION
                     "\", \"fps\": %s, \"loop\": %s, \"width\": %u, \"height\": %u, "
                     "\"texcoord\": %u, \"vertices\": %u, \"normals_packed\": %s }\n}\n",
                     fps, bake->desc.loop ? "true" : "false", t->width, t->height, set, bake->desc.character->mesh.vertex_count,
                     t->begin[NORMALS] ? "true" : "false");
    return sup_out_write(t->bounds, text, at, error);
}

static sup_result write_mesh(sup_bake* bake, vat* t, uint32_t* set, sup_error* error)
{
    uint32_t count = bake->desc.character->mesh.vertex_count;
    float*   uv = SUP_NEW(bake->arena, float, 2 * (size_t)count);
    if (!uv) return sup_fail_memory(error, "coordinates of a texture");
    for (uint32_t v = 0; v < count; ++v) {
        uv[2 * (size_t)v] = ((float)(v % t->width) + 0.5f) / (float)t->width;
        uv[2 * (size_t)v + 1] = ((float)(v / t->width * bake->desc.frame_count) + 0.5f) / (float)t->height;
    }
    sup_result result = gltf_vat_mesh(bake, uv, bake->file, set, error);
    if (result == SUP_OK && *set != 1)
        sup_bake_warn(bake,
                      "the file already has texture coordinates up to set %u: the animation texture uses TEXCOORD_%u",
                      *set - 1, *set);
    return result;
}

static sup_result end(sup_bake* bake, sup_error* error)
{
    vat*             t = bake->state;
    bool             packed = t->begin[NORMALS] != 0;
    uint32_t         set = 1;
    sup_bake_report* report = SUP_NEW(bake->arena, sup_bake_report, 1);
    char*            method = SUP_NEW(bake->arena, char, 100);
    if (!report || !method) return sup_fail_memory(error, "a report");
    for (uint32_t f = 0; f < t->fields; ++f)
        for (int k = 0; k < 3; ++k)
            if (!(t->low[f][k] <= t->high[f][k])) t->low[f][k] = t->high[f][k] = 0;
    sup_result result = SUP_OK;
    for (uint32_t f = 0; f < t->fields && result == SUP_OK; ++f)
        result = put_rows(bake, t, f, packed && f != TENSION ? t->height / 2 : t->height, error);
    if (result == SUP_OK) result = check(bake, t, report, error);
    if (result == SUP_OK) result = write_mesh(bake, t, &set, error);
    if (result == SUP_OK) result = write_bounds(bake, t, set, error);
    if (result != SUP_OK) return result;
    sup_format(method, 100, "textures of %u x %u, %s%s", t->width, t->height,
               bake->desc.vat == SUP_VAT_EXR ? "floats" : "16 bits", packed ? ", normals in the lower half" : "");
    report->method = method;
    report->surface_bytes = sup_out_size(bake->file);
    for (uint32_t f = 0; f < t->fields; ++f)
        if (t->images[f].file) report->image_bytes += sup_out_size(t->images[f].file);
    report->bytes = report->surface_bytes + report->image_bytes;
    report->rounds = 1;
    bake->report = report;
    return SUP_OK;
}

const sup_file_format sup_format_vat = {
    .name = "vat",
    .summary = "vertex animation textures: a GLB at rest, pictures and bounds",
    .endings = "glb",
    .bake_begin = begin,
    .bake_frame = frame,
    .bake_end = end,
};
