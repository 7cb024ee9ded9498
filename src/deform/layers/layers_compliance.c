// One material in any mesh: makes regions of rings behave as regions of a fixed size in metres would.
//
// The material consists of regions whose radius is a share of the tissue's depth. On a cage, whose edges are longer than that,
// a ring would stiffen the flesh along the skin, more so the coarser the cage, and a bend would spread over the whole limb; so
// a ring counts (radius / edge)^2 in its region: as stiff as the narrow ring would be. On the mesh itself rings count in full:
// limbs that bones press through each other separate less well when the skin holds together less.
//
// The skin sags under its own weight as far as the regions of its column allow: u = G u + g / ks, where G is one round of shape
// matching for a displacement that is the same all around. Across the column a region rotates with the slope of the
// displacement, more so the narrower it is: slope = sum mt dz u / (sum mt dz^2 + n mt r^2), r = its radius on that axis. So a
// fine mesh, and the layers near the bone, where rings are narrow, would be softer than the same flesh in a coarse mesh. The
// compliance of the column over that of a column of the material multiplies the stiffness.
#include "deform/layers/layers.h"

#include <math.h>

static const double least_count = 0.01;                  // of a ring: skin close to bone is still skin
static const double regular_ring = 6;                    // neighbors in a ring
static const double least_ratio = 0.25, most_ratio = 16; // beyond these a mesh has no depth or no width

typedef struct column {
    double depth[LAYERS];      // along the offset to the bone
    double mass[LAYERS];       // mt
    double radius2[2][LAYERS]; // mean square of the ring, on both axes across
    double ring[LAYERS];       // neighbors, weighted by how much they count
} column;

// Linear in u: the center of each layer's region, and its slope.
typedef struct column_rows {
    double center[LAYERS][LAYERS], slope[LAYERS][LAYERS], middle[LAYERS];
} column_rows;

static void fit_rows(const column* c, const double* radius2, column_rows* out)
{
    *out = (column_rows){ 0 };
    for (int l = 0; l < LAYER_BONE; ++l) {
        double weight[LAYERS] = { 0 }, sum = 0, inertia = c->ring[l] * c->mass[l] * radius2[l];
        for (int k = l ? l - 1 : 0; k <= l + 1; ++k) weight[k] = (k == l ? c->ring[l] + 1 : 1) * c->mass[k], sum += weight[k];
        for (int k = 0; k < LAYERS; ++k) out->middle[l] += weight[k] * c->depth[k] / sum;
        for (int k = 0; k < LAYERS; ++k) {
            double z = c->depth[k] - out->middle[l];
            out->center[l][k] = weight[k] / sum;
            out->slope[l][k] = weight[k] * z;
            inertia += weight[k] * z * z;
        }
        for (int k = 0; k < LAYERS; ++k) out->slope[l][k] = inertia > 0 ? out->slope[l][k] / inertia : 0;
    }
    out->center[LAYER_BONE][LAYER_BONE] = 1; // held
    out->middle[LAYER_BONE] = c->depth[LAYER_BONE];
}

// The factor of layer `of` in the displacement that region l gives layer k.
static double row_at(const column_rows* r, const column* c, int l, int k, int of)
{
    return r->center[l][of] + r->slope[l][of] * (c->depth[k] - r->middle[l]);
}

// Displacement of the skin for g / ks = 1 at every free layer.
static double give(const column* c, const double* radius2)
{
    column_rows rows;
    double      a[LAYER_BONE][LAYER_BONE + 1];
    fit_rows(c, radius2, &rows);
    for (int l = 0; l < LAYER_BONE; ++l) {
        double n = c->ring[l] + 1 + (l ? 2 : 1);
        for (int k = 0; k < LAYER_BONE; ++k) {
            double g = (c->ring[l] + 1) * row_at(&rows, c, l, l, k) + row_at(&rows, c, l + 1, l, k);
            if (l) g += row_at(&rows, c, l - 1, l, k);
            a[l][k] = (l == k) - g / n;
        }
        a[l][LAYER_BONE] = 1;
    }
    for (int p = LAYER_BONE - 1; p > 0; --p)
        for (int l = 0; l < p; ++l) {
            double f = a[l][p] / a[p][p];
            for (int k = 0; k <= LAYER_BONE; ++k) a[l][k] -= f * a[p][k];
        }
    return a[0][LAYER_BONE] / a[0][0];
}

// Mean squares of a layer's ring across the column, on two axes.
static void measure_ring(const layers_bound* b, const sup_rings* rings, uint32_t p, int layer, const sup_vec3 axes[2],
                         double out[2])
{
    const sup_vec3* rest = b->rest + (size_t)layer * b->stride;
    uint32_t        n = rings->begin[p + 1] - rings->begin[p] - 1;
    out[0] = out[1] = 0;
    for (uint32_t i = rings->begin[p]; i < rings->begin[p + 1]; ++i) {
        sup_vec3 d = v3_sub(rest[rings->items[i]], rest[p]);
        for (int a = 0; a < 2; ++a) out[a] += (double)v3_dot(d, axes[a]) * v3_dot(d, axes[a]) / n;
    }
}

// The axes across the column along which the layer above the bone is widest and narrowest.
static void find_axes(const layers_bound* b, const sup_rings* rings, uint32_t p, sup_vec3 along, sup_vec3 axes[2])
{
    sup_vec3        e = v3_across(along), f = v3_cross(along, e);
    const sup_vec3* rest = b->rest + (size_t)LAYER_MUSCLE * b->stride;
    double          xx = 0, xy = 0, yy = 0;
    for (uint32_t i = rings->begin[p]; i < rings->begin[p + 1]; ++i) {
        sup_vec3 d = v3_sub(rest[rings->items[i]], rest[p]);
        double   x = v3_dot(d, e), y = v3_dot(d, f);
        xx += x * x, xy += x * y, yy += y * y;
    }
    double half = 0.5 * (xx - yy), root = sqrt(half * half + xy * xy), x = half + root, y = xy; // eigenvector of the larger one
    if (half < 0) x = xy, y = root - half;
    double n = sqrt(x * x + y * y);
    x = n > 0 ? x / n : 1, y = n > 0 ? y / n : 0;
    axes[0] = v3_add(v3_scale(e, (float)x), v3_scale(f, (float)y));
    axes[1] = v3_cross(along, axes[0]);
}

// From the edges themselves: regions widened on purpose, where skin has to fold, count in full.
void layers_ring_counts(const layers_bound* b, float* out)
{
    const uint32_t *begin = b->topology.ring_begin, *ring = b->topology.ring;
    for (uint32_t i = 0; i < LAYERS * b->stride; ++i) {
        uint32_t p = i % b->stride, n = p < b->count ? begin[p + 1] - begin[p] : 0;
        out[i] = 1;
        if (!n) continue;
        const sup_vec3* rest = b->rest + (i - p);
        double          depth = v3_distance(b->rest[(size_t)LAYER_BONE * b->stride + p], b->rest[p]);
        double          mean = 0, radius = LAYERS_REGION * depth;
        for (uint32_t k = begin[p]; k < begin[p + 1]; ++k) mean += (double)v3_length2(v3_sub(rest[ring[k]], rest[p])) / n;
        if (mean > radius * radius) out[i] = (float)fmax(radius * radius / mean, least_count);
    }
}

float layers_stiffness_ratio(const layers_bound* b, const sup_rings* rings, uint32_t p)
{
    uint32_t n = rings->begin[p + 1] - rings->begin[p] - 1;
    column   c, material;
    sup_vec3 axes[2], along = v3_sub(b->rest[(size_t)LAYER_BONE * b->stride + p], b->rest[p]);
    double   depth = v3_length(along), own = 0, wanted = 0;
    if (!n || !(depth > 0)) return 1;
    find_axes(b, rings, p, v3_scale(along, (float)(1 / depth)), axes);
    for (int l = 0; l < LAYERS; ++l) {
        double r[2];
        measure_ring(b, rings, p, l, axes, r);
        c.radius2[0][l] = r[0], c.radius2[1][l] = r[1];
        float root = b->match.roots[(size_t)l * b->stride + p];
        c.ring[l] = (double)n * root * root;
        c.depth[l] = v3_distance(b->rest[(size_t)l * b->stride + p], b->rest[p]);
        c.mass[l] = b->match.y[(size_t)l * b->stride + p].w;
        if (!(c.mass[l] > 0)) return 1;
    }
    material = c;
    for (int l = 0; l < LAYERS; ++l)
        material.ring[l] = regular_ring,
        material.radius2[0][l] = material.radius2[1][l] = 0.5 * LAYERS_REGION * LAYERS_REGION * depth * depth;
    for (int a = 0; a < 2; ++a) own += give(&c, c.radius2[a]), wanted += give(&material, material.radius2[a]);
    double ratio = own / wanted;
    if (!isfinite(ratio)) return 1;
    return ratio > least_ratio ? ratio < most_ratio ? (float)ratio : (float)most_ratio : (float)least_ratio;
}
