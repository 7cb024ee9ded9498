// Normals of the deformed mesh. Each point has a frame: the angle-weighted normal of its triangles and the direction of one
// fixed edge across it. An authored normal is stored in the coordinates of the rest frame and read out in the deformed one,
// which applies the rotation R = F_deformed F_rest^T without building R. Triangles are computed first, then each point gathers
// from them: nothing is scattered, so the bits do not depend on the number of workers.
#include "scene/normals.h"

#include "base/internal.h"
#include "math/vec.h"
#include "supple/scene.h"

#include <string.h>

#define TRIANGLE_GRAIN 2048u // a multiple of the lanes
#define POINT_GRAIN 1024u
/// The sum of angle times unit normal is about 2 pi long on a smooth surface; below this the faces cancel out.
#define NORMAL_MINIMUM 1e-5f
/// Share of an edge that must lie across the normal to define a direction.
#define ACROSS_MINIMUM 1e-4f

typedef struct frame {
    sup_vec3 normal, tangent;
} frame;

struct sup_normals {
    uint32_t        point_count, vertex_count, triangle_count;
    const uint32_t* triangles;
    const uint32_t* corner_begin; // point_count + 1
    const uint32_t* corners;      // 4 x triangle + which corner, rising
    const uint32_t* reference;    // per point: the neighbor that gives the tangent; SUP_NONE on loose points
    const frame*    rest;
    const uint32_t* vertex_begin;   // point_count + 1
    const uint32_t* vertices;       // stored vertices of each point
    const sup_vec3* local_normals;  // in the order of `vertices`, in the rest frame
    const sup_vec4* local_tangents; // likewise
};

// ---------------------------------------------------------------------------------------------- one frame

static sup_vec3 to_frame(const frame* f, sup_vec3 v)
{
    return v3(v3_dot(v, f->tangent), v3_dot(v, v3_cross(f->normal, f->tangent)), v3_dot(v, f->normal));
}

/// The unit part of a vector across a unit normal; false if that part is too short.
static bool across(sup_vec3 v, sup_vec3 normal, sup_vec3* out)
{
    sup_vec3 flat = v3_mad(v, -v3_dot(v, normal), normal);
    float    flat2 = v3_length2(flat), all2 = v3_length2(v);
    if (!(flat2 > ACROSS_MINIMUM * ACROSS_MINIMUM * all2) || !(flat2 > 1e-36f) || !(flat2 < 1e36f)) return false;
    *out = v3_scale(flat, 1.0f / sqrtf(flat2));
    return true;
}

/// The neighbor whose edge lies longest across the normal; SUP_NONE if no edge does. Ties go to the first.
static uint32_t best_neighbor(const sup_normals* n, uint32_t point, const sup_vec3* points, sup_vec3 normal)
{
    uint32_t best = SUP_NONE;
    float    most = 0;
    for (uint32_t c = n->corner_begin[point]; c < n->corner_begin[point + 1]; ++c)
        for (uint32_t k = 1; k < 3; ++k) {
            const uint32_t* t = n->triangles + 3 * (size_t)(n->corners[c] >> 2);
            uint32_t        other = t[((n->corners[c] & 3) + k) % 3];
            sup_vec3        e = v3_sub(points[other], points[point]), unit;
            float           size = v3_length2(v3_mad(e, -v3_dot(e, normal), normal));
            if (!(size > most) || !across(e, normal, &unit)) continue;
            best = other;
            most = size;
        }
    return best;
}

/// The longest edge at a point, for fans collapsed to a line. Zero for fans collapsed to a point.
static sup_vec3 longest_edge(const sup_normals* n, uint32_t point, const sup_vec3* points)
{
    sup_vec3 best = v3(0, 0, 0);
    for (uint32_t c = n->corner_begin[point]; c < n->corner_begin[point + 1]; ++c)
        for (uint32_t k = 1; k < 3; ++k) {
            const uint32_t* t = n->triangles + 3 * (size_t)(n->corners[c] >> 2);
            sup_vec3        e = v3_sub(points[t[((n->corners[c] & 3) + k) % 3]], points[point]);
            if (v3_finite(e) && v3_length2(e) > v3_length2(best)) best = e;
        }
    return best;
}

/// Where the faces have no normal: the rest normal, rotated just enough to be perpendicular to the line they collapsed to.
static sup_vec3 normal_without_area(const sup_normals* n, uint32_t point, const sup_vec3* points, const frame* rest)
{
    sup_vec3 line = v3_normalize(longest_edge(n, point, points), v3(0, 0, 0)), normal;
    if (across(rest->normal, line, &normal)) return normal;
    if (across(rest->tangent, line, &normal)) return normal;
    return rest->normal;
}

/// Where the fixed edge has no direction: another edge, then the rest tangent, then any direction.
static sup_vec3 tangent_without_edge(const sup_normals* n, uint32_t point, const sup_vec3* points, const frame* rest,
                                     sup_vec3 normal)
{
    sup_vec3 tangent;
    uint32_t other = best_neighbor(n, point, points, normal);
    if (other != SUP_NONE && across(v3_sub(points[other], points[point]), normal, &tangent)) return tangent;
    if (across(rest->tangent, normal, &tangent)) return tangent;
    return v3_across(normal);
}

static sup_vec3 normal_sum(const sup_normals* n, uint32_t point, const sup_triangle_normal* triangles)
{
    sup_vec3 sum = v3(0, 0, 0);
    for (uint32_t c = n->corner_begin[point]; c < n->corner_begin[point + 1]; ++c) {
        const sup_triangle_normal* t = &triangles[n->corners[c] >> 2];
        float                      angle = t->angles[n->corners[c] & 3];
        sum = v3(sum.x + angle * t->normal[0], sum.y + angle * t->normal[1], sum.z + angle * t->normal[2]);
    }
    return sum;
}

static frame frame_at(const sup_normals* n, uint32_t point, const sup_vec3* points, const sup_triangle_normal* triangles,
                      const frame* rest, uint32_t reference)
{
    sup_vec3 sum = normal_sum(n, point, triangles);
    frame    f;
    float    length = v3_length(sum);
    if (length > NORMAL_MINIMUM) f.normal = v3_scale(sum, 1.0f / length);
    else f.normal = normal_without_area(n, point, points, rest);
    if (reference == SUP_NONE || !across(v3_sub(points[reference], points[point]), f.normal, &f.tangent))
        f.tangent = tangent_without_edge(n, point, points, rest, f.normal);
    return f;
}

// ---------------------------------------------------------------------------------------------- every frame

/// One attribute of the stored vertices; base NULL: not requested.
typedef struct attribute {
    unsigned char* base;
    size_t         stride;
} attribute;

typedef struct evaluation {
    const sup_normals*   normals;
    const sup_vec3*      points;
    sup_triangle_normal* triangles;
    attribute            positions, directions, tangents;
} evaluation;

/// Vertex buffers have the alignment of their graphics API, which may be below that of a float: so copy bytes.
static void store(attribute to, uint32_t vertex, const void* value, size_t bytes)
{
    memcpy(to.base + vertex * to.stride, value, bytes);
}

static void triangle_task(void* data, uint32_t begin, uint32_t end)
{
    const evaluation* e = data;
    SUP_WIDE_PICK(sup_normals_triangles)(e->normals->triangles, begin, end, e->points, e->triangles);
}

/// A vector from coordinates in a frame; side is its second axis.
static sup_vec3 from_frame(const frame* f, sup_vec3 side, float x, float y, float z)
{
    return v3(x * f->tangent.x + y * side.x + z * f->normal.x, x * f->tangent.y + y * side.y + z * f->normal.y,
              x * f->tangent.z + y * side.z + z * f->normal.z);
}

static void point_task(void* data, uint32_t begin, uint32_t end)
{
    const evaluation*  e = data;
    const sup_normals* n = e->normals;
    for (uint32_t p = begin; p < end; ++p) {
        frame    f = frame_at(n, p, e->points, e->triangles, &n->rest[p], n->reference[p]);
        sup_vec3 side = v3_cross(f.normal, f.tangent);
        for (uint32_t i = n->vertex_begin[p]; i < n->vertex_begin[p + 1]; ++i) {
            sup_vec3 l = n->local_normals[i], normal = from_frame(&f, side, l.x, l.y, l.z);
            if (e->directions.base) store(e->directions, n->vertices[i], &normal, sizeof normal);
            if (!e->tangents.base) continue;
            sup_vec4 t = n->local_tangents[i];
            sup_vec3 turned = from_frame(&f, side, t.x, t.y, t.z);
            sup_vec4 tangent = { turned.x, turned.y, turned.z, t.w };
            store(e->tangents, n->vertices[i], &tangent, sizeof tangent);
        }
    }
}

static void position_task(void* data, uint32_t begin, uint32_t end)
{
    const evaluation*  e = data;
    const sup_normals* n = e->normals;
    for (uint32_t p = begin; p < end; ++p)
        for (uint32_t i = n->vertex_begin[p]; i < n->vertex_begin[p + 1]; ++i)
            store(e->positions, n->vertices[i], &e->points[p], sizeof e->points[p]);
}

static void run(evaluation* e, const sup_tasks* tasks)
{
    const sup_normals* n = e->normals;
    if (e->positions.base) sup_tasks_run(tasks, n->point_count, POINT_GRAIN, position_task, e);
    if (!e->directions.base && !e->tangents.base) return;
    sup_tasks_run(tasks, n->triangle_count, TRIANGLE_GRAIN, triangle_task, e);
    sup_tasks_run(tasks, n->point_count, POINT_GRAIN, point_task, e);
}

size_t sup_normals_scratch(const sup_normals* normals)
{
    SUP_ASSERT(normals);
    return ((size_t)normals->triangle_count + 1) * sizeof(sup_triangle_normal);
}

void sup_normals_evaluate(const sup_normals* normals, const sup_vec3* points, void* scratch, const sup_tasks* tasks,
                          sup_vec3* vertex_normals, sup_vec4* vertex_tangents)
{
    SUP_ASSERT(normals && points && scratch && vertex_normals);
    run(&(evaluation){ .normals = normals,
                       .points = points,
                       .triangles = scratch,
                       .directions = { (unsigned char*)vertex_normals, sizeof *vertex_normals },
                       .tangents = { (unsigned char*)vertex_tangents, sizeof *vertex_tangents } },
        tasks);
}

void sup_vertices_write(const sup_normals* normals, const sup_vec3* points, const sup_vertex_layout* layout, void* scratch,
                        const sup_tasks* tasks, void* vertices)
{
    SUP_ASSERT(normals && points && layout && scratch && vertices);
    unsigned char* base = vertices;
    const uint32_t offsets[] = { layout->position, layout->normal, layout->tangent };
    attribute      found[SUP_COUNT_OF(offsets)];
    for (size_t i = 0; i < SUP_COUNT_OF(offsets); ++i)
        found[i] = (attribute){ offsets[i] == SUP_NONE ? NULL : base + offsets[i], layout->stride };
    run(&(evaluation){ normals, points, scratch, found[0], found[1], found[2] }, tasks);
}

void sup_mesh_normals(const sup_mesh* mesh, sup_vec3* out)
{
    SUP_ASSERT(mesh && out);
    enum { BLOCK = 256 };
    sup_triangle_normal block[BLOCK + 1];
    memset(out, 0, mesh->point_count * sizeof *out);
    for (uint32_t begin = 0; begin < mesh->triangle_count; begin += BLOCK) {
        uint32_t        left = mesh->triangle_count - begin, count = left < BLOCK ? left : BLOCK;
        const uint32_t* corners = mesh->triangles + 3 * (size_t)begin;
        SUP_WIDE_PICK(sup_normals_triangles)(corners, 0, count, mesh->points, block);
        for (uint32_t t = 0; t < count; ++t)
            for (uint32_t k = 0; k < 3; ++k) {
                sup_vec3* sum = &out[corners[3 * (size_t)t + k]];
                float     angle = block[t].angles[k];
                *sum = v3(sum->x + angle * block[t].normal[0], sum->y + angle * block[t].normal[1],
                          sum->z + angle * block[t].normal[2]);
            }
    }
    for (uint32_t p = 0; p < mesh->point_count; ++p) {
        float length = v3_length(out[p]);
        out[p] = length > NORMAL_MINIMUM ? v3_scale(out[p], 1.0f / length) : v3(0, 0, 1);
    }
}

// ---------------------------------------------------------------------------------------------- bind

/// Items of each owner, one owner after another, in rising order: begin has owner_count + 1 offsets into the list.
static bool group(sup_arena* arena, const uint32_t* owners, uint32_t count, uint32_t owner_count, uint32_t** begin,
                  uint32_t** list)
{
    *begin = SUP_NEW(arena, uint32_t, (size_t)owner_count + 2);
    *list = SUP_NEW(arena, uint32_t, count);
    if (!*begin || !*list) return false;
    uint32_t* next = *begin + 1; // one place ahead: after filling, next[i] is where owner i + 1 begins
    for (uint32_t i = 0; i < count; ++i) next[owners[i] + 1]++;
    for (uint32_t i = 0; i < owner_count; ++i) next[i + 1] += next[i];
    for (uint32_t i = 0; i < count; ++i) (*list)[next[owners[i]]++] = i;
    return true;
}

/// Coordinates of a vertex's authored normal and tangent in its point's rest frame; defaults if it has none.
static void localize(const sup_mesh* mesh, uint32_t vertex, const frame* f, sup_vec3* normal, sup_vec4* tangent)
{
    sup_vec3 authored = mesh->vertex_normals ? mesh->vertex_normals[vertex] : v3(0, 0, 0);
    *normal = v3_normalize(to_frame(f, authored), v3(0, 0, 1));
    sup_vec4 t = mesh->vertex_tangents ? mesh->vertex_tangents[vertex] : (sup_vec4){ 0, 0, 0, 1 };
    sup_vec3 along = v3_normalize(to_frame(f, v3(t.x, t.y, t.z)), v3(0, 0, 0));
    if (v3_length2(along) == 0 && !across(v3(1, 0, 0), *normal, &along)) along = v3_across(*normal);
    *tangent = (sup_vec4){ along.x, along.y, along.z, t.w < 0 ? -1.0f : 1.0f };
}

/// The rest frame and the neighbor that defines its tangent, found once for points with an area and an edge.
static frame rest_frame(const sup_normals* n, uint32_t point, const sup_vec3* points, const sup_triangle_normal* triangles,
                        uint32_t* reference)
{
    const frame none = { v3(0, 0, 1), v3(1, 0, 0) };
    sup_vec3    sum = normal_sum(n, point, triangles);
    float       length = v3_length(sum);
    frame       f;
    if (length > NORMAL_MINIMUM) {
        f.normal = v3_scale(sum, 1.0f / length);
        *reference = best_neighbor(n, point, points, f.normal);
        if (*reference != SUP_NONE && across(v3_sub(points[*reference], points[point]), f.normal, &f.tangent)) return f;
    }
    f = frame_at(n, point, points, triangles, &none, SUP_NONE);
    *reference = best_neighbor(n, point, points, f.normal);
    return frame_at(n, point, points, triangles, &f, *reference);
}

/// The code for deformed frames also makes the rest frames, so the rest shape returns exactly what was authored.
static sup_result make_rest(sup_normals* n, const sup_mesh* mesh, sup_arena* arena, sup_arena* temp, sup_error* error)
{
    sup_triangle_normal* triangles = SUP_NEW(temp, sup_triangle_normal, (size_t)n->triangle_count + 1);
    frame*               rest = SUP_NEW(arena, frame, n->point_count);
    uint32_t*            reference = SUP_NEW(arena, uint32_t, n->point_count);
    sup_vec3*            local_normals = SUP_NEW(arena, sup_vec3, n->vertex_count);
    sup_vec4*            local_tangents = SUP_NEW(arena, sup_vec4, n->vertex_count);
    if (!triangles || !rest || !reference || !local_normals || !local_tangents) return sup_fail_memory(error, "rest frames");
    SUP_WIDE_PICK(sup_normals_triangles)(n->triangles, 0, n->triangle_count, mesh->points, triangles);
    for (uint32_t p = 0; p < n->point_count; ++p) {
        rest[p] = rest_frame(n, p, mesh->points, triangles, &reference[p]);
        for (uint32_t i = n->vertex_begin[p]; i < n->vertex_begin[p + 1]; ++i)
            localize(mesh, n->vertices[i], &rest[p], &local_normals[i], &local_tangents[i]);
    }
    n->rest = rest;
    n->reference = reference;
    n->local_normals = local_normals;
    n->local_tangents = local_tangents;
    return SUP_OK;
}

static sup_result create(const sup_mesh* mesh, sup_arena* arena, sup_arena* temp, const sup_normals** out, sup_error* error)
{
    sup_normals* n = SUP_NEW(arena, sup_normals, 1);
    if (!n) return sup_fail_memory(error, "normals");
    *n = (sup_normals){ .point_count = mesh->point_count,
                        .vertex_count = mesh->vertex_count,
                        .triangle_count = mesh->triangle_count };
    uint32_t *corner_begin, *corners, *vertex_begin, *vertices;
    n->triangles = sup_arena_copy(arena, mesh->triangles, 3 * (size_t)mesh->triangle_count, sizeof *mesh->triangles);
    if (!n->triangles || !group(arena, n->triangles, 3 * mesh->triangle_count, mesh->point_count, &corner_begin, &corners) ||
        !group(arena, mesh->vertex_points, mesh->vertex_count, mesh->point_count, &vertex_begin, &vertices))
        return sup_fail_memory(error, "normals");
    for (uint32_t i = 0; i < 3 * mesh->triangle_count; ++i)
        corners[i] = corners[i] / 3 * 4 + corners[i] % 3; // avoids a division later
    n->corner_begin = corner_begin;
    n->corners = corners;
    n->vertex_begin = vertex_begin;
    n->vertices = vertices;
    sup_result result = make_rest(n, mesh, arena, temp, error);
    if (result == SUP_OK) *out = n;
    return result;
}

sup_result sup_normals_create(const sup_character* character, sup_arena* arena, const sup_normals** out, sup_error* error)
{
    SUP_ASSERT(character && arena && out);
    if (character->mesh.triangle_count >= UINT32_MAX / 4)
        return sup_fail(error, SUP_ERROR_INPUT, "'%s' has %u triangles; split it, at most %u can have normals", character->name,
                        character->mesh.triangle_count, UINT32_MAX / 4 - 1);
    sup_arena* temp = sup_arena_beside(arena);
    if (!temp) return sup_fail_memory(error, "normals");
    sup_result result = create(&character->mesh, arena, temp, out, error);
    sup_arena_destroy(temp);
    return result;
}
