// Inverts what a viewer does after morphing: maps world points back through its linear blend. In double, because the inverse of
// a blend amplifies rounding by its condition.
#include "base/internal.h"
#include "io/gltf/gltf_write.h"
#include "math/vec.h"

#include <string.h>

// A condition surely below this counts as 1, and the exact value is not computed.
#define CONDITION_CHEAP 1e3
#define CONDITION_FINE 32.0

// Displacements below this share of a coordinate may be rounding; only they are checked again.
#define SMALL 0x1p-20f
#define HALF_BIT 0x1p-24

static void multiply(const sup_affine* a, const double b[12], double out[12])
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 4; ++j)
            out[4 * i + j] = (double)a->m[i][0] * b[j] + (double)a->m[i][1] * b[4 + j] + (double)a->m[i][2] * b[8 + j] +
                             (j == 3 ? (double)a->m[i][3] : 0.0);
}

void gltf_pull_pose(gltf_pull* pull, const sup_pose* pose)
{
    if (pull->joint != SUP_NONE) {
        for (int i = 0; i < 12; ++i) pull->matrices[0][i] = (double)pose->global[pull->joint].m[i / 4][i % 4];
        return;
    }
    for (uint32_t s = 0; s < pull->slot_count; ++s)
        multiply(&pose->global[pull->slots[s]], pull->inverse_binds[s], pull->matrices[s]);
}

// The viewer's matrix of one vertex. Weights as stored: most viewers do not normalize.
static const double* blend(const gltf_pull* pull, uint32_t v, double out[12])
{
    if (pull->joint != SUP_NONE) return pull->matrices[0];
    const float*    w = pull->weights[v];
    const uint32_t* j = pull->joints[v];
    bool            pair = w[2] == 0.0f && w[3] == 0.0f;
    if (pair && w[1] == 0.0f && w[0] == 1.0f) return pull->matrices[j[0]];
    const double *a = pull->matrices[j[0]], *b = pull->matrices[j[1]], *c = pull->matrices[j[2]], *d = pull->matrices[j[3]];
    double        wa = (double)w[0], wb = (double)w[1], wc = (double)w[2], wd = (double)w[3];
    if (pair)
        for (int i = 0; i < 12; ++i) out[i] = wa * a[i] + wb * b[i];
    else
        for (int i = 0; i < 12; ++i) out[i] = (wa * a[i] + wb * b[i]) + (wc * c[i] + wd * d[i]);
    return out;
}

void gltf_pull_matrix(const gltf_pull* pull, uint32_t vertex, double out[12])
{
    double        buffer[12];
    const double* m = blend(pull, vertex, buffer);
    memcpy(out, m, sizeof buffer);
}

// Adjugate and determinant of the 3x3 part; the inverse is their quotient.
static double adjugate(const double m[12], double a[9])
{
    a[0] = m[5] * m[10] - m[6] * m[9];
    a[1] = m[2] * m[9] - m[1] * m[10];
    a[2] = m[1] * m[6] - m[2] * m[5];
    a[3] = m[6] * m[8] - m[4] * m[10];
    a[4] = m[0] * m[10] - m[2] * m[8];
    a[5] = m[2] * m[4] - m[0] * m[6];
    a[6] = m[4] * m[9] - m[5] * m[8];
    a[7] = m[1] * m[8] - m[0] * m[9];
    a[8] = m[0] * m[5] - m[1] * m[4];
    return m[0] * a[0] + m[1] * a[3] + m[2] * a[6];
}

// With three singular values s: s1 / s3 = s1 s1 s2 / det, at most the cube of the Frobenius norm over the determinant.
static float condition(const double m[12], double cheap)
{
    double det = m[0] * (m[5] * m[10] - m[6] * m[9]) - m[1] * (m[4] * m[10] - m[6] * m[8]) + m[2] * (m[4] * m[9] - m[5] * m[8]);
    double squares = m[0] * m[0] + m[1] * m[1] + m[2] * m[2] + m[4] * m[4] + m[5] * m[5] + m[6] * m[6] + m[8] * m[8] +
                     m[9] * m[9] + m[10] * m[10];
    if (squares * squares * squares < cheap * cheap * det * det) return 1;
    sup_affine f;
    for (int i = 0; i < 12; ++i) f.m[i / 4][i % 4] = (float)m[i];
    float exact = affine_condition(&f);
    return isfinite(exact) ? exact : INFINITY;
}

float gltf_pull_condition_at(const gltf_pull* pull, uint32_t vertex)
{
    double buffer[12];
    return condition(blend(pull, vertex, buffer), CONDITION_FINE);
}

float gltf_pull_condition(const gltf_pull* pull)
{
    if (pull->joint != SUP_NONE) return condition(pull->matrices[0], CONDITION_CHEAP);
    float         worst = 1;
    uint32_t      last_point = SUP_NONE;
    const double* last_matrix = NULL;
    for (uint32_t v = 0; v < pull->vertex_count; ++v) {
        // Copies of a point share its weights and are mostly consecutive, as are points of a single joint.
        if (pull->points[v] == last_point) continue;
        last_point = pull->points[v];
        double        buffer[12];
        const double* m = blend(pull, v, buffer);
        if (m == last_matrix) continue;
        last_matrix = m == buffer ? NULL : m;
        float c = condition(m, CONDITION_CHEAP);
        if (c > worst) worst = c;
    }
    return worst;
}

typedef struct dvec {
    double x, y, z;
} dvec;

static bool finite(dvec p) { return isfinite((float)p.x) && isfinite((float)p.y) && isfinite((float)p.z); }

static dvec unit(dvec n)
{
    double length = sqrt(n.x * n.x + n.y * n.y + n.z * n.z);
    double s = length > 0 ? 1.0 / length : NAN;
    return (dvec){ n.x * s, n.y * s, n.z * s };
}

static dvec apply(const double a[9], double s, dvec p)
{
    return (dvec){ s * (a[0] * p.x + a[1] * p.y + a[2] * p.z), s * (a[3] * p.x + a[4] * p.y + a[5] * p.z),
                   s * (a[6] * p.x + a[7] * p.y + a[8] * p.z) };
}

// Position and normal of one vertex in the space of the morph targets.
static void pull_back(const gltf_pull* pull, uint32_t v, dvec* p, dvec* n)
{
    if (pull->flat) return;
    double        buffer[12], a[9];
    const double* m = blend(pull, v, buffer);
    double        det = adjugate(m, a);
    *p = apply(a, 1.0 / det, (dvec){ p->x - m[3], p->y - m[7], p->z - m[11] });
    if (pull->joint == SUP_NONE) {
        // Viewers transform normals by the skin matrix itself; only the sign of the determinant survives normalizing.
        *n = unit(apply(a, det < 0 ? -1.0 : 1.0, *n));
    } else {
        // Through a node they transform by the inverse transpose, so the inverse is the transpose.
        double t[9] = { m[0], m[4], m[8], m[1], m[5], m[9], m[2], m[6], m[10] };
        *n = unit(apply(t, 1.0, *n));
    }
}

static sup_vec3 displacement(dvec to, sup_vec3 from)
{
    return v3((float)(to.x - (double)from.x), (float)(to.y - (double)from.y), (float)(to.z - (double)from.z));
}

static float largest(sup_vec3 v) { return fmaxf(fabsf(v.x), fmaxf(fabsf(v.y), fabsf(v.z))); }

// Whether the viewer's blend of the stored position already is the world point, to half the last bit of its largest coordinate:
// then the displacement through the inverse is rounding, and zero is as good.
static bool stands(const gltf_pull* pull, uint32_t v, sup_vec3 d, sup_vec3 world)
{
    sup_vec3 p = pull->positions[v];
    if (pull->flat || !(largest(d) <= SMALL * (largest(p) + largest(world)))) return false;
    double        buffer[12];
    const double* m = blend(pull, v, buffer);
    double        x = (double)p.x, y = (double)p.y, z = (double)p.z;
    double        limit = HALF_BIT * fmax((double)largest(p), (double)largest(world));
    return fabs(m[0] * x + m[1] * y + m[2] * z + m[3] - (double)world.x) <= limit &&
           fabs(m[4] * x + m[5] * y + m[6] * z + m[7] - (double)world.y) <= limit &&
           fabs(m[8] * x + m[9] * y + m[10] * z + m[11] - (double)world.z) <= limit;
}

uint32_t gltf_pull_vertices(const gltf_pull* pull, uint32_t begin, uint32_t end, const sup_vec3* points,
                            const sup_vec3* normals, sup_vec3* out_positions, sup_vec3* out_normals, float bounds[6])
{
    uint32_t bad = 0;
    sup_vec3 low = v3(INFINITY, INFINITY, INFINITY), high = v3(-INFINITY, -INFINITY, -INFINITY);
    for (uint32_t v = begin; v < end; ++v) {
        sup_vec3 world = points[pull->points[v]], normal = normals[v];
        dvec     p = { (double)world.x, (double)world.y, (double)world.z };
        dvec     n = { (double)normal.x, (double)normal.y, (double)normal.z };
        pull_back(pull, v, &p, &n);
        sup_vec3 d = displacement(p, pull->positions[v]);
        if (!v3_finite(d)) {
            d = v3(0, 0, 0);
            bad++;
        } else if (stands(pull, v, d, world)) {
            d = v3(0, 0, 0);
        }
        out_positions[v - begin] = d;
        out_normals[v - begin] = finite(n) ? displacement(n, pull->normals[v]) : v3(0, 0, 0);
        low = v3_min(low, d);
        high = v3_max(high, d);
    }
    bounds[0] = low.x, bounds[1] = low.y, bounds[2] = low.z;
    bounds[3] = high.x, bounds[4] = high.y, bounds[5] = high.z;
    return bad;
}
