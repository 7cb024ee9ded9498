// The textbook of corrective smoothing, on the neighbors and borders of a character.
#include "bench/bench.h"
#include "bench/reference/reference.h"

#include <stdlib.h>

typedef struct smoothing {
    const sup_character*  character;
    const sup_pose*       pose;
    uint32_t              iterations;
    reference_influences* influences;
    reference_surface     surface;
    uint32_t *            ring_begin, *ring, *faces; ///< faces: on each edge of the ring
    bool*                 pinned;
    sup_vec3 *            skinned, *out;
} smoothing;

/// The four largest, rescaled, as files for graphics cards keep them.
static void take_influences(smoothing* s)
{
    const sup_weights* w = &s->character->weights;
    for (uint32_t p = 0; p < s->surface.point_count; ++p) {
        reference_influences four = { { 0 }, { 0 } };
        float                sum = 0;
        uint32_t             count = w->begin[p + 1] - w->begin[p];
        for (uint32_t k = 0; k < 4 && k < count; ++k) sum += w->values[w->begin[p] + k];
        for (uint32_t k = 0; k < 4 && k < count; ++k) {
            four.joint[k] = (uint16_t)w->joints[w->begin[p] + k];
            four.weight[k] = w->values[w->begin[p] + k] / sum;
        }
        s->influences[p] = four;
    }
}

/// Counts the face on the edge from a to b, which is new to a or not.
static void add_neighbor(smoothing* s, uint32_t* filled, uint32_t a, uint32_t b)
{
    uint32_t k = 0;
    if (a == b) return;
    while (k < filled[a] && s->ring[s->ring_begin[a] + k] != b) ++k;
    s->ring[s->ring_begin[a] + k] = b;
    s->faces[s->ring_begin[a] + k]++;
    if (k == filled[a]) ++filled[a];
}

static bool take_ring(smoothing* s)
{
    const sup_mesh* m = &s->character->mesh;
    uint32_t*       filled = calloc(m->point_count + 1, sizeof *filled);
    if (!filled) return false;
    for (uint32_t c = 0; c < m->corner_count; ++c) s->ring_begin[m->corner_points[c] + 1] += 2;
    for (uint32_t p = 0; p < m->point_count; ++p) s->ring_begin[p + 1] += s->ring_begin[p];
    for (uint32_t f = 0; f < m->face_count; ++f)
        for (uint32_t c = m->face_begin[f]; c < m->face_begin[f + 1]; ++c) {
            uint32_t next = c + 1 == m->face_begin[f + 1] ? m->face_begin[f] : c + 1;
            add_neighbor(s, filled, m->corner_points[c], m->corner_points[next]);
            add_neighbor(s, filled, m->corner_points[next], m->corner_points[c]);
        }
    uint32_t at = 0;
    for (uint32_t p = 0; p < m->point_count; ++p) {
        uint32_t from = s->ring_begin[p];
        s->ring_begin[p] = at;
        for (uint32_t k = 0; k < filled[p]; ++k) {
            s->pinned[p] |= s->faces[from + k] == 1;
            s->ring[at++] = s->ring[from + k];
        }
    }
    s->ring_begin[m->point_count] = at;
    free(filled);
    return true;
}

static bool prepare(smoothing* s)
{
    const sup_mesh* m = &s->character->mesh;
    size_t          points = (size_t)m->point_count + 1, corners = (size_t)m->corner_count * 2 + 1;
    s->influences = malloc(points * sizeof *s->influences);
    s->ring_begin = calloc(points, sizeof *s->ring_begin);
    s->ring = malloc(corners * sizeof *s->ring);
    s->faces = calloc(corners, sizeof *s->faces);
    s->pinned = calloc(points, sizeof *s->pinned);
    s->skinned = malloc(points * sizeof *s->skinned);
    s->out = malloc(points * sizeof *s->out);
    sup_vec3* work = malloc(points * 4 * sizeof *work);
    s->surface = (reference_surface){ .point_count = m->point_count, .triangle_count = m->triangle_count };
    s->surface.one = work;
    if (!s->influences || !s->ring_begin || !s->ring || !s->faces || !s->pinned || !s->skinned || !s->out || !work)
        return false;
    s->surface.ring_begin = s->ring_begin;
    s->surface.ring = s->ring;
    s->surface.pinned = s->pinned;
    s->surface.triangles = m->triangles;
    s->surface.two = work + points;
    s->surface.normals = work + 2 * points;
    s->surface.details = work + 3 * points;
    take_influences(s);
    return take_ring(s);
}

static double one_frame(void* user)
{
    smoothing*      s = user;
    const sup_mesh* m = &s->character->mesh;
    double          start = bench_now();
    reference_linear(m->point_count, m->points, s->influences, s->pose->skin, s->skinned);
    reference_smooth(&s->surface, s->iterations, s->skinned, s->out);
    return (bench_now() - start) * 1e3;
}

sup_result bench_textbook_smooth(const sup_character* character, const sup_pose* pose, uint32_t iterations, uint32_t repeat,
                                 double* ms, sup_error* error)
{
    smoothing s = { .character = character, .pose = pose, .iterations = iterations };
    bool      good = prepare(&s);
    *ms = 0;
    if (good && pose->joint_count <= UINT16_MAX) {
        reference_smooth_bind(&s.surface, iterations, character->mesh.points);
        *ms = bench_best(one_frame, &s, repeat);
    }
    free(s.influences);
    free(s.ring_begin);
    free(s.ring);
    free(s.faces);
    free(s.pinned);
    free(s.skinned);
    free(s.out);
    free(s.surface.one);
    return good ? SUP_OK : sup_fail(error, SUP_ERROR_MEMORY, "out of memory while timing the textbook loop");
}
