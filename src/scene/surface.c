// Faces, the triangles derived from them, and the authored normals and tangents of stored vertices.
#include "scene/build.h"
#include "scene/exact.h"

#include <string.h>

enum { FACE_SMALL = 8 };

// Whether a corner of the face repeats. Small faces compare pairs: recording the last face of every point costs a cache miss
// per corner.
static bool comes_twice(const uint32_t* points, uint32_t size, uint32_t* seen, uint32_t face)
{
    bool twice = false;
    if (size == 3) return (points[0] == points[1]) | (points[0] == points[2]) | (points[1] == points[2]);
    if (size == 4)
        return (points[0] == points[1]) | (points[0] == points[2]) | (points[1] == points[2]) | (points[3] == points[0]) |
               (points[3] == points[1]) | (points[3] == points[2]);
    for (uint32_t a = 1; size <= FACE_SMALL && a < size; ++a)
        for (uint32_t b = 0; b < a; ++b) twice |= points[a] == points[b];
    for (uint32_t c = 0; size > FACE_SMALL && c < size; ++c) {
        twice |= seen[points[c]] == face + 1;
        seen[points[c]] = face + 1;
    }
    return twice;
}

// The corners of a lone part whose memory outlives the character: the list of stored vertices serves as it is, unless faces
// were left out.
static const uint32_t* borrowed_corners(const sup_build* build)
{
    const sup_part_desc* d = build->desc->parts;
    return build->desc->part_count == 1 && d->lasting && d->face_count == build->face_count ? d->corners : NULL;
}

// The fast path: one part made only of triangles.
static uint32_t map_triangles(const uint32_t* vertices, uint32_t count, const uint32_t* vertex_points, uint32_t* points,
                              uint32_t* begin)
{
    uint32_t repeated = 0;
    for (uint32_t f = 0; f < count; ++f, vertices += 3, points += 3) {
        uint32_t a = vertex_points[vertices[0]], b = vertex_points[vertices[1]], c = vertex_points[vertices[2]];
        points[0] = a, points[1] = b, points[2] = c;
        repeated += (a == b) | (b == c) | (c == a);
        begin[f + 1] = 3 * (f + 1);
    }
    return repeated;
}

static sup_result make_faces(sup_build* build)
{
    sup_mesh*       mesh = &build->out->mesh;
    const uint32_t* borrowed = borrowed_corners(build);
    bool            same = build->points_are_vertices; // then one list serves both
    uint32_t*       begin = SUP_NEW(build->keep, uint32_t, (size_t)build->face_count + 1);
    uint32_t*       seen = SUP_NEW(build->scratch, uint32_t, mesh->point_count); // last face that used the point, plus 1
    uint32_t*       vertices = borrowed ? NULL : SUP_NEW(build->keep, uint32_t, build->corner_count);
    uint32_t*       points = same ? vertices : SUP_NEW(build->keep, uint32_t, build->corner_count);
    if (!begin || !seen || (!vertices && !borrowed) || (!points && !same)) return sup_fail_memory(build->error, "faces");
    mesh->corner_vertices = borrowed ? borrowed : vertices;
    mesh->corner_points = same ? mesh->corner_vertices : points;
    uint32_t face = 0, corner = 0, repeated = 0;
    bool     plain = borrowed && !same && !build->desc->parts->face_sizes;
    if (plain) {
        face = build->face_count;
        corner = build->corner_count;
        repeated = map_triangles(borrowed, face, build->vertex_points, points, begin);
    }
    for (uint32_t i = 0; !plain && i < mesh->part_count; ++i) {
        const sup_part_desc* d = &build->desc->parts[i];
        const uint32_t*      corners = d->corners;
        for (uint32_t f = 0; f < d->face_count; ++f) {
            uint32_t size = d->face_sizes ? d->face_sizes[f] : 3;
            corners += size;
            if (size < 3) continue;
            for (uint32_t c = 0; vertices && c < size; ++c)
                vertices[corner + c] = build->parts[i].vertex_begin + (corners - size)[c];
            for (uint32_t c = 0; !same && c < size; ++c)
                points[corner + c] = build->vertex_points[mesh->corner_vertices[corner + c]];
            repeated += comes_twice(mesh->corner_points + corner, size, seen, face);
            corner += size;
            begin[++face] = corner;
        }
    }
    if (repeated)
        sup_note(&build->warnings, "%u faces use a point more than once; kept, but they have no area there", repeated);
    mesh->face_count = face;
    mesh->face_begin = begin;
    mesh->corner_count = corner;
    return SUP_OK;
}

static sup_result make_triangles(sup_build* build)
{
    sup_mesh* mesh = &build->out->mesh;
    mesh->triangle_count = mesh->corner_count - 2 * mesh->face_count;
    if (mesh->triangle_count == mesh->face_count) { // triangles all: the corners are their list
        mesh->triangles = mesh->corner_points;
        return SUP_OK;
    }
    if (build->points_are_vertices && borrowed_corners(build) && build->desc->parts->triangles) {
        mesh->triangles = build->desc->parts->triangles;
        return SUP_OK;
    }
    uint32_t* triangles = SUP_NEW(build->keep, uint32_t, 3 * (size_t)mesh->triangle_count);
    if (!triangles) return sup_fail_memory(build->error, "triangles");
    mesh->triangles = triangles;
    for (uint32_t f = 0; f < mesh->face_count; ++f) {
        uint32_t first = mesh->face_begin[f], end = mesh->face_begin[f + 1];
        for (uint32_t c = first + 2; c < end; ++c, triangles += 3) {
            triangles[0] = mesh->corner_points[first];
            triangles[1] = mesh->corner_points[c - 1];
            triangles[2] = mesh->corner_points[c];
        }
    }
    return SUP_OK;
}

// Normals transform by the inverse transpose. Its direction is that of the cofactors (with the determinant's sign), which exist
// for flat maps too.
static sup_affine normal_map(const sup_affine* place)
{
    exact_affine a = exact_from(place), r = { 0 };
    double       sign = exact_determinant(&a) < 0 ? -1 : 1, largest = 0;
    for (int i = 0; i < 9; ++i) {
        r.m[i / 3][i % 3] = sign * exact_cofactor(&a, i / 3, i % 3);
        if (fabs(r.m[i / 3][i % 3]) > largest) largest = fabs(r.m[i / 3][i % 3]);
    }
    for (int i = 0; i < 9 && largest > 0; ++i) r.m[i / 3][i % 3] /= largest;
    return exact_round(&r);
}

static sup_vec3 unit_or_none(sup_vec3 a) { return v3_normalize(a, v3(0, 0, 0)); }

static void turn_part(sup_build* build, uint32_t part, sup_vec3* normals, sup_vec4* tangents)
{
    const sup_part_desc* d = &build->desc->parts[part];
    const sup_affine*    place = &build->parts[part].place;
    sup_affine           turn = normal_map(place);
    float                mirror = affine_determinant(place) < 0 ? -1.0f : 1.0f;
    uint32_t             bad = 0;
    for (uint32_t v = 0; d->normals && v < d->vertex_count; ++v) {
        sup_vec3 n = d->normals[v];
        bad += !v3_finite(n);
        normals[v] = unit_or_none(build->part_builds[part].placed ? affine_direction(&turn, n) : n);
    }
    for (uint32_t v = 0; d->tangents && v < d->vertex_count; ++v) {
        sup_vec4 t = d->tangents[v];
        sup_vec3 along = v3(t.x, t.y, t.z);
        bad += !v3_finite(along);
        along = unit_or_none(build->part_builds[part].placed ? affine_direction(place, along) : along);
        tangents[v] = (sup_vec4){ along.x, along.y, along.z, t.w < 0 ? -mirror : mirror };
    }
    if (bad)
        sup_note(&build->warnings, "%u normals or tangents of '%s' are not numbers; left out", bad, build->parts[part].name);
}

static sup_result make_normals(sup_build* build)
{
    sup_mesh* mesh = &build->out->mesh;
    bool      normals = false, tangents = false;
    for (uint32_t i = 0; i < mesh->part_count; ++i) {
        normals |= build->desc->parts[i].normals != NULL;
        tangents |= build->desc->parts[i].tangents != NULL;
    }
    sup_vec3* n = normals ? SUP_NEW(build->keep, sup_vec3, mesh->vertex_count) : NULL;
    sup_vec4* t = tangents ? SUP_NEW(build->keep, sup_vec4, mesh->vertex_count) : NULL;
    if ((normals && !n) || (tangents && !t)) return sup_fail_memory(build->error, "normals");
    for (uint32_t i = 0; i < mesh->part_count; ++i) {
        uint32_t first = build->parts[i].vertex_begin;
        turn_part(build, i, n ? n + first : NULL, t ? t + first : NULL);
    }
    mesh->vertex_normals = n;
    mesh->vertex_tangents = t;
    return SUP_OK;
}

sup_result sup_build_surface(sup_build* build)
{
    sup_result result = make_faces(build);
    if (!result) result = make_triangles(build);
    if (!result) result = make_normals(build);
    return result;
}
