#include "rig/weights/weights_cells.h"

#include "base/internal.h"
#include "base/sets.h"
#include "base/sort.h"
#include "geom/surface/feature.h"
#include "math/vec.h"
#include "solve/skinning/nearest_bones.h"

#include <math.h>
#include <string.h>

enum {
    CELLS_LEAST = 32,
    CELLS_MOST = 80,      // the maximum for resolving thickness
    CELLS_MOST_GAP = 128, // the maximum for resolving gaps
    CELLS_ACROSS = 2,     // across the thinnest limb, measured by the largest ball inside: a flat one is wider
    SAMPLES = 600,        // samples of the surface
    SAMPLES_FEW = 6,      // samples of a limb: fewer say nothing
    GRAIN = 32,
};
// The most cells of the box. A man with his arms out has 400,000 at 128 cells; a mesh that fills its box (soup does) gets
// coarser ones.
#define BOX_CELLS_MOST 5e5
#define OPPOSITE -0.8f // cosine between surfaces that face each other

typedef struct sampler {
    const sup_mesh* mesh;
    uint32_t        bone_count;
    const sup_bone* bones;
    sup_bvh         tree;
    sup_box*        nodes;
    uint32_t*       pieces;   // per point
    double          longest;  // side of the box
    double          sides[3]; // sides of the box, relative to the longest
    float           outwards; // -1: the mesh is inside out
    uint32_t        stride;
    sup_sort_item * thickness,
        *gaps; // per sample: joint in the upper half of the key, bits of the width in the lower; none: UINT64_MAX
} sampler;

static void to_double(sup_vec3 v, double out[3])
{
    out[0] = (double)v.x;
    out[1] = (double)v.y;
    out[2] = (double)v.z;
}

static uint32_t nearest_bone(const sampler* s, sup_vec3 place)
{
    double   at[3], head[3], tail[3], least = INFINITY;
    uint32_t best = 0;
    to_double(place, at);
    for (uint32_t b = 0; b < s->bone_count; ++b) {
        to_double(s->bones[b].head, head);
        to_double(s->bones[b].tail, tail);
        double d = sup_segment_distance2(head, tail, at);
        if (d >= least) continue;
        least = d;
        best = b;
    }
    return best;
}

// Bones that meet at a joint have a crease between them, which is not a gap.
static bool meet(const sup_bone* a, const sup_bone* b)
{
    return a->joint == b->joint || a->child == b->joint || b->child == a->joint ||
           (a->child != SUP_NONE && a->child == b->child);
}

// Connected pieces of the mesh, each named by its lowest point.
static void find_pieces(const sup_mesh* m, uint32_t* pieces)
{
    sup_sets_begin(pieces, m->point_count);
    for (size_t i = 0; i < 3 * (size_t)m->triangle_count; ++i) sup_sets_join(pieces, m->triangles[i], m->triangles[i - i % 3]);
    for (uint32_t p = 0; p < m->point_count; ++p) pieces[p] = sup_sets_find(pieces, p);
}

// Whether the opposite surface is another limb: it belongs to a bone that does not meet this one; or, where a wing is so close
// to the belly that its bone is the nearest to both, it is on the same piece and faces the other way. (Clothes are separate
// pieces.)
static bool apart(const sampler* s, uint32_t bone, uint32_t point, sup_vec3 out, const sup_feature* f)
{
    if (!meet(&s->bones[bone], &s->bones[nearest_bone(s, f->place)])) return true;
    const uint32_t* c = s->tree.corners + 3 * (size_t)f->facing;
    sup_vec3        x[3] = { s->mesh->points[c[0]], s->mesh->points[c[1]], s->mesh->points[c[2]] };
    sup_vec3        normal = v3_normalize(v3_cross(v3_sub(x[1], x[0]), v3_sub(x[2], x[0])), v3(0, 0, 0));
    return s->pieces[c[0]] == s->pieces[point] && v3_dot(normal, out) * s->outwards < OPPOSITE;
}

// Widths are positive: their bits sort like the numbers.
static uint64_t key_of(uint32_t joint, double width)
{
    float    w = (float)width;
    uint32_t bits;
    memcpy(&bits, &w, sizeof bits);
    return (uint64_t)joint << 32 | bits;
}

static void sample_task(void* data, uint32_t begin, uint32_t end)
{
    const sampler* s = data;
    // Wider ones would need fewer cells than the minimum, and small balls are found quickly.
    double thickest = CELLS_ACROSS * s->longest / CELLS_LEAST, widest = s->longest / CELLS_LEAST;
    for (uint32_t i = begin; i < end; ++i) {
        // Samples are the centers of triangles, where the ball touches a plane. At a point it would touch a corner of the
        // polyhedron.
        const uint32_t* c = s->mesh->triangles + 3 * (size_t)i * s->stride;
        sup_vec3        x[3] = { s->mesh->points[c[0]], s->mesh->points[c[1]], s->mesh->points[c[2]] };
        sup_vec3        at = v3_scale(v3_add(v3_add(x[0], x[1]), x[2]), 1.0f / 3);
        sup_vec3        out = v3_normalize(v3_cross(v3_sub(x[1], x[0]), v3_sub(x[2], x[0])), v3(0, 0, 0));
        s->thickness[i].key = s->gaps[i].key = UINT64_MAX;
        if (v3_length2(out) == 0) continue;
        out = v3_scale(out, s->outwards);
        uint32_t    bone = nearest_bone(s, at), joint = s->bones[bone].joint;
        sup_feature inside = sup_feature_at(&s->tree, s->nodes, s->mesh->points, at, v3_scale(out, -1), thickest);
        s->thickness[i].key = key_of(joint, inside.width);
        sup_feature outside = sup_feature_at(&s->tree, s->nodes, s->mesh->points, at, out, widest);
        if (outside.facing == SUP_NONE || !apart(s, bone, c[0], out, &outside)) continue;
        s->gaps[i].key = key_of(joint, outside.width);
    }
}

// For each limb the width below which one in `part` samples lies, and of those the smallest; INFINITY: no limb has enough
// samples.
static double least_width(sup_sort_item* items, sup_sort_item* spare, uint32_t count, uint32_t part)
{
    double least = INFINITY;
    sup_sort(items, spare, count);
    for (uint32_t begin = 0, end; begin < count && items[begin].key != UINT64_MAX; begin = end) {
        for (end = begin; end < count && items[end].key >> 32 == items[begin].key >> 32;) ++end;
        uint32_t bits = (uint32_t)items[begin + (end - begin) / part].key;
        float    width;
        memcpy(&width, &bits, sizeof width);
        if (end - begin >= SAMPLES_FEW) least = fmin(least, (double)width);
    }
    return least;
}

// The direction that the triangles face, and the longest side of their box.
static void examine(sampler* s)
{
    const sup_mesh* m = s->mesh;
    double          volume = 0, low[3] = { INFINITY, INFINITY, INFINITY }, high[3] = { -INFINITY, -INFINITY, -INFINITY };
    sup_vec3        origin = m->points[0];
    for (uint32_t t = 0; t < m->triangle_count; ++t) {
        const uint32_t* c = m->triangles + 3 * (size_t)t;
        sup_vec3        a = v3_sub(m->points[c[0]], origin), b = v3_sub(m->points[c[1]], origin);
        volume += (double)v3_dot(a, v3_cross(b, v3_sub(m->points[c[2]], origin)));
        for (int k = 0; k < 3; ++k) {
            const float* p = &m->points[c[k]].x;
            for (int i = 0; i < 3; ++i) low[i] = fmin(low[i], (double)p[i]), high[i] = fmax(high[i], (double)p[i]);
        }
    }
    s->outwards = volume < 0 ? -1.0f : 1.0f;
    s->longest = fmax(high[0] - low[0], fmax(high[1] - low[1], high[2] - low[2]));
    for (int i = 0; i < 3 && s->longest > 0; ++i) s->sides[i] = (high[i] - low[i]) / s->longest;
}

static double box_cells(const sampler* s, double longest)
{
    return fmax(1, longest * s->sides[0]) * fmax(1, longest * s->sides[1]) * fmax(1, longest * s->sides[2]);
}

sup_result sup_weights_choose_cells(const sup_mesh* mesh, uint32_t bone_count, const sup_bone* bones, const sup_tasks* tasks,
                                    sup_arena* scratch, uint32_t* out, sup_error* error)
{
    sampler    s = { .mesh = mesh, .bone_count = bone_count, .bones = bones, .stride = mesh->triangle_count / SAMPLES + 1 };
    uint32_t   samples = (mesh->triangle_count + s.stride - 1) / s.stride;
    sup_result r = sup_bvh_create(mesh->points, mesh->triangles, mesh->triangle_count, scratch, &s.tree, error);
    if (r != SUP_OK) return r;
    sup_sort_item* spare = SUP_NEW(scratch, sup_sort_item, samples);
    s.pieces = SUP_NEW(scratch, uint32_t, mesh->point_count);
    s.thickness = SUP_NEW(scratch, sup_sort_item, samples);
    s.gaps = SUP_NEW(scratch, sup_sort_item, samples);
    s.nodes = SUP_NEW(scratch, sup_box, 2 * (size_t)s.tree.leaf_count + mesh->triangle_count);
    if (!spare || !s.pieces || !s.thickness || !s.gaps || !s.nodes) return sup_fail_memory(error, "weights");
    sup_bvh_refit(&s.tree, mesh->points, tasks, s.nodes, s.nodes + 2 * (size_t)s.tree.leaf_count);
    examine(&s);
    find_pieces(mesh, s.pieces);
    sup_tasks_run(tasks, samples, GRAIN, sample_task, &s);
    // The median thickness; for gaps a narrow quantile, because they widen toward the tip of a limb.
    double thin = least_width(s.thickness, spare, samples, 2), gap = least_width(s.gaps, spare, samples, 4);
    double cells = fmin(thin > 0 ? CELLS_ACROSS * s.longest / thin : CELLS_MOST, CELLS_MOST);
    cells = fmax(cells, fmin(gap > 0 ? s.longest / gap : CELLS_MOST_GAP, CELLS_MOST_GAP));
    cells = fmax(ceil(cells), CELLS_LEAST);
    while (cells > CELLS_LEAST && box_cells(&s, cells) > BOX_CELLS_MOST) cells -= 1;
    *out = (uint32_t)cells;
    return SUP_OK;
}
