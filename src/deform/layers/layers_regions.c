// Masses, and the regions of shape matching with how much each particle counts in them.
#include "base/sort.h"
#include "deform/layers/layers.h"
#include "geom/search/near_points.h"
#include "geom/surface/curvature.h"

#include <math.h>
#include <string.h>

static const float mass_floor = 1e-3f; // of a layer's median mass
static const float grip_most = 5.0f;   // a bone layer point counts for at most this many masses of the muscle above it
static const float grip_from = 2.0f, grip_to = 4.0f; // depths of the layer from a joint: where that begins and is complete
static const float grip_mixed = 0.8f;                // share of its first joint at and below which a point gets none of that
static const float ring_share = 0.75f;               // regions reach at least this many typical edges
enum { RING_MORE = 2 };                              // edges beyond the ring, where they are short
static const float fine_share = 0.22f;               // edges below this share of the distance to the bone make a fine mesh
static const float long_share = 6.0f;                // points this many bone distances apart share no region

static sup_result no_memory(sup_error* error) { return sup_fail_memory(error, "layers"); }

// ---------------------------------------------------------------------------------------------- masses

static float median(sup_arena* arena, const float* values, uint32_t count)
{
    sup_sort_item *items = SUP_NEW(arena, sup_sort_item, count), *spare = SUP_NEW(arena, sup_sort_item, count);
    if (!items || !spare || !count) return -1;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t bits; // of a positive float: they sort as the number does
        memcpy(&bits, &values[i], sizeof bits);
        items[i] = (sup_sort_item){ bits, i };
    }
    sup_sort(items, spare, count);
    return values[items[count / 2].value];
}

// m = mixed Voronoi area x half distances to the layers above and below x density, in units of the mean.
static sup_result make_masses(layers_bound* b, double density, double metres_per_unit, sup_arena* arena, sup_arena* temporary,
                              float** out, sup_error* error)
{
    size_t n = (size_t)LAYERS * b->stride;
    float *masses = SUP_NEW(temporary, float, n), *inverse = SUP_NEW(arena, float, n);
    if (!masses || !inverse) return no_memory(error);
    for (uint32_t l = 0; l < LAYERS; ++l) {
        const sup_vec3* rest = b->rest + (size_t)l * b->stride;
        float*          own = masses + (size_t)l * b->stride;
        for (uint32_t t = 0; t < b->triangle_count; ++t) {
            const uint32_t* c = b->triangles + 3 * (size_t)t;
            for (int i = 0; i < 3; ++i)
                own[c[i]] += (float)sup_mixed_area(rest[c[i]], rest[c[(i + 1) % 3]], rest[c[(i + 2) % 3]]);
        }
        for (uint32_t k = 0; k < b->count; ++k) {
            float high = 0;
            if (l > 0) high += 0.5f * v3_distance(rest[k], b->rest[(size_t)(l - 1) * b->stride + k]);
            if (l + 1 < LAYERS) high += 0.5f * v3_distance(rest[k], b->rest[(size_t)(l + 1) * b->stride + k]);
            own[k] *= high;
        }
        float typical = median(temporary, own, b->count);
        if (typical < 0) return no_memory(error);
        for (uint32_t k = 0; k < b->count; ++k)
            if (!(own[k] > mass_floor * typical)) own[k] = typical > 0 ? mass_floor * typical : 1e-20f;
    }
    double sum = 0;
    for (size_t i = 0; i < n; ++i) sum += masses[i];
    double mean = sum / ((double)LAYERS * b->count);
    b->mass_unit = mean * density * metres_per_unit * metres_per_unit * metres_per_unit;
    for (size_t i = 0; i < n; ++i) {
        masses[i] = (float)(masses[i] / mean);
        inverse[i] = masses[i] > 0 && i / b->stride != LAYER_BONE ? 1.0f / masses[i] : 0.0f;
    }
    b->inverse_masses = inverse;
    *out = masses;
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- joints

// Where flesh bends: at joints that carry points and have an ancestor that does. Parents come first, so each joint knows about
// its parent.
static sup_result find_bends(const layers_bound* b, const sup_skeleton* s, sup_arena* temporary, sup_near_points* out,
                             sup_error* error)
{
    bool *    carries = SUP_NEW(temporary, bool, s->joint_count), *below = SUP_NEW(temporary, bool, s->joint_count);
    sup_vec3* places = SUP_NEW(temporary, sup_vec3, s->joint_count);
    uint32_t  count = 0;
    if (!carries || !below || !places) return no_memory(error);
    for (uint32_t i = 0; i < b->weight_begin[b->count]; ++i)
        if (b->weight_values[i] > 0) carries[b->weight_joints[i]] = true;
    for (uint32_t j = 0; j < s->joint_count; ++j) {
        uint32_t up = s->joints[j].parent;
        below[j] = up != SUP_NONE && (carries[up] || below[up]);
        if (carries[j] && below[j]) places[count++] = b->joint_centers[j];
    }
    return sup_near_points_create(places, count, temporary, out, error);
}

// The bone layer is the smallest, so by its own mass the flesh would hang on it by a thread; but it does not move, so how much
// its points count in the fits is a free choice. Far from joints they count more than the muscle above them. Near joints, where
// skinning squeezes the layer, they keep their own mass.
static void weigh_bones(const layers_bound* b, const sup_near_points* bends, float* masses)
{
    for (uint32_t k = 0; k < b->count; ++k) {
        size_t bone = (size_t)LAYER_BONE * b->stride + k;
        float  depth = v3_distance(b->rest[bone], b->rest[k]);
        float  away = sup_near_points_distance(bends, b->rest[bone], grip_to * depth);
        float  most = b->weight_values[b->weight_begin[k]]; // the largest comes first
        float grip = grip_most * sup_smoothstep(grip_from * depth, grip_to * depth, away) * sup_smoothstep(grip_mixed, 1, most);
        masses[bone] = fmaxf(masses[bone], grip * masses[bone - b->stride]);
    }
}

// ---------------------------------------------------------------------------------------------- regions

// The lists as they are, with those of two edges between marked points.
static sup_result widen(const layers_bound* b, const bool* marked, sup_arena* arena, sup_arena* temporary, sup_rings* out,
                        sup_error* error)
{
    sup_rings  one = *out, two;
    sup_result r = sup_rings_create(b->stride, b->topology.ring_begin, b->topology.ring, 2, temporary, &two, error);
    if (r) return r;
    uint32_t *begin = SUP_NEW(arena, uint32_t, (size_t)b->stride + 1), n = 0;
    uint32_t* items = SUP_NEW(arena, uint32_t, (size_t)one.begin[b->stride] + two.begin[b->stride]);
    if (!begin || !items) return no_memory(error);
    for (uint32_t p = 0; p < b->stride; ++p) {
        uint32_t i = one.begin[p], k = two.begin[p];
        while (i < one.begin[p + 1] || k < two.begin[p + 1]) { // both ascending
            uint32_t u = i < one.begin[p + 1] ? one.items[i] : SUP_NONE, v = k < two.begin[p + 1] ? two.items[k] : SUP_NONE;
            if (u <= v || (marked[p] && marked[v])) items[n++] = u <= v ? u : v;
            i += u <= v;
            k += v <= u;
        }
        begin[p + 1] = n;
        if (n - begin[p] > out->most) out->most = n - begin[p];
    }
    out->begin = begin;
    out->items = items;
    return SUP_OK;
}

// Edges along a limb that are long compared with its thickness would straighten it at a joint between their ends: three points
// in a line, with the middle one at the joint, ask for a line. Neighbors that far away are dropped; the bone layer holds the
// region too.
static sup_result shorten(const layers_bound* b, sup_arena* arena, sup_rings* rings, sup_error* error)
{
    uint32_t *begin = SUP_NEW(arena, uint32_t, (size_t)b->stride + 1), n = 0;
    uint32_t* items = SUP_NEW(arena, uint32_t, rings->begin[b->stride]);
    if (!begin || !items) return no_memory(error);
    for (uint32_t p = 0; p < b->stride; ++p) {
        for (uint32_t i = rings->begin[p]; i < rings->begin[p + 1]; ++i) {
            uint32_t q = rings->items[i];
            float    ways = fmaxf(v3_distance(b->anchors[p], b->rest[p]), v3_distance(b->anchors[q], b->rest[q]));
            if (p == q || v3_distance(b->rest[p], b->rest[q]) <= long_share * ways) items[n++] = q;
        }
        begin[p + 1] = n;
    }
    rings->begin = begin;
    rings->items = items;
    return SUP_OK;
}

// Rings reach equally far in space where points are dense. And where skin has to fold and its mesh is fine compared with its
// thickness, one edge is too small a region: the fold would be as sharp as the mesh allows. At joints regions are two edges
// wide there.
static sup_result make_rings(const layers_bound* b, const sup_near_points* bends, uint32_t ring, sup_arena* arena,
                             sup_arena* temporary, sup_rings* out, sup_error* error)
{
    float typical = median(temporary, b->edges, b->count);
    bool* marked = SUP_NEW(temporary, bool, b->stride);
    bool  any = false;
    if (typical < 0 || !marked) return no_memory(error);
    sup_result r = sup_rings_create_wide(b->stride, b->topology.ring_begin, b->topology.ring, ring, RING_MORE, b->rest,
                                         ring_share * (float)ring * typical, arena, out, error);
    if (r || ring > 1) return r ? r : shorten(b, arena, out, error);
    for (uint32_t k = 0; k < b->count; ++k) {
        float depth = v3_distance(b->anchors[k], b->rest[k]), reach = LAYERS_JOINT_REACH * depth;
        marked[k] = b->edges[k] < fine_share * depth && sup_near_points_distance(bends, b->anchors[k], reach) < reach;
        any |= marked[k];
    }
    if (any) r = widen(b, marked, arena, temporary, out, error);
    return r ? r : shorten(b, arena, out, error);
}

static sup_result make_match(layers_bound* b, const sup_rings* rings, bool intervals, const float* masses, sup_arena* arena,
                             sup_arena* temporary, sup_match* out, sup_error* error)
{
    float* radii = SUP_NEW(temporary, float, (size_t)LAYERS * b->stride);
    if (!radii) return no_memory(error);
    sup_vec3* rest = SUP_NEW(temporary, sup_vec3, (size_t)LAYERS * b->stride);
    float*    scaled = SUP_NEW(temporary, float, (size_t)LAYERS * b->stride);
    int       exponent;
    if (!rest || !scaled) return no_memory(error);
    // Fits only compare masses. Their moments should be near 1 in any unit, or their cubes would underflow; a power of two
    // rounds nothing.
    frexp((double)b->mean_edge, &exponent);
    for (size_t i = 0; i < (size_t)LAYERS * b->stride; ++i) {
        radii[i] = 0.5f * b->edges[i % b->stride];
        scaled[i] = (float)ldexp((double)masses[i], -2 * exponent);
        if (i % b->stride < b->count) rest[i] = v3_sub(b->rest[i], b->middle);
    }
    float* counts = b->caged && !intervals ? SUP_NEW(temporary, float, (size_t)LAYERS * b->stride) : NULL;
    if (b->caged && !intervals && !counts) return no_memory(error);
    if (counts) layers_ring_counts(b, counts);
    sup_match_desc desc = { LAYERS, b->stride, rings, rest, scaled, radii, intervals, counts };
    return sup_match_create(&desc, arena, out, error);
}

sup_result layers_bind_regions(const sup_bind_input* in, sup_arena* arena, sup_arena* temporary, layers_bound* b,
                               sup_error* error)
{
    const layers_params* p = in->params;
    float*               masses = NULL;
    sup_near_points      bends;
    sup_rings            rings;
    sup_result           r = find_bends(b, &in->character->skeleton, temporary, &bends, error);
    if (!r) r = make_masses(b, p->density, sup_character_physics_unit(in->character), arena, temporary, &masses, error);
    if (r) return r;
    weigh_bones(b, &bends, masses);
    r = make_rings(b, &bends, (uint32_t)p->ring, temporary, temporary, &rings, error);
    if (!r) r = make_match(b, &rings, p->ring >= 3, masses, arena, temporary, &b->match, error);
    float* ratios = SUP_NEW(arena, float, b->stride);
    if (!r && !ratios) r = no_memory(error);
    for (uint32_t k = 0; !r && k < b->count; ++k) ratios[k] = layers_stiffness_ratio(b, &rings, k);
    b->ratios = ratios;
    b->match_smooth = b->match;
    if (r || p->ring < 3) return r;
    r = make_rings(b, &bends, 1, temporary, temporary, &rings, error); // damping uses direct sums only
    return r ? r : make_match(b, &rings, false, masses, arena, temporary, &b->match_smooth, error);
}
