#include "base/internal.h"
#include "math/vec.h"
#include "supple/scene.h"

#include <math.h>
#include <string.h>

typedef struct gram {
    double a, b, c; // u.u, u.v, v.v of two edges
} gram;

static gram gram_of(const sup_vec3* at, const uint32_t* corners)
{
    sup_vec3 u = v3_sub(at[corners[1]], at[corners[0]]), v = v3_sub(at[corners[2]], at[corners[0]]);
    return (gram){ (double)v3_dot(u, u), (double)v3_dot(u, v), (double)v3_dot(v, v) };
}

static double determinant(gram g)
{
    double d = g.a * g.c - g.b * g.b;
    return d > 0 ? d : 0;
}

// The squares of the principal stretches are the roots of x^2 - t x + d, of one metric in terms of the other.
static bool main_stretches(gram rest, gram now, double* most, double* least)
{
    double whole = determinant(rest);
    if (!(whole > 0)) return false;
    double half = 0.5 * (rest.c * now.a - 2 * rest.b * now.b + rest.a * now.c) / whole, d = determinant(now) / whole;
    double root = half * half - d;
    root = root > 0 ? sqrt(root) : 0;
    *most = sqrt(half + root);
    *least = half + root > 0 ? sqrt(d / (half + root)) : 0; // the smaller root without cancellation
    return true;
}

uint32_t sup_mesh_tension(const sup_mesh* mesh, const sup_vec3* points, double* scratch, sup_vec3* out)
{
    SUP_ASSERT(mesh && points && scratch && out);
    double* sums = scratch; // for each point: area at rest, area now, both stretches by the area at rest
    memset(sums, 0, SUP_TENSION_SCRATCH * (size_t)mesh->point_count * sizeof *sums);
    for (uint32_t i = 0; i < mesh->triangle_count; ++i) {
        const uint32_t* corners = mesh->triangles + 3 * (size_t)i;
        gram            rest = gram_of(mesh->points, corners), now = gram_of(points, corners);
        double          most, least, area = sqrt(determinant(rest));
        if (!main_stretches(rest, now, &most, &least)) continue;
        for (int k = 0; k < 3; ++k) {
            double* sum = sums + SUP_TENSION_SCRATCH * (size_t)corners[k];
            sum[0] += area;
            sum[1] += sqrt(determinant(now));
            sum[2] += area * most;
            sum[3] += area * least;
        }
    }
    uint32_t lost = 0;
    for (uint32_t p = 0; p < mesh->point_count; ++p) {
        const double* sum = sums + SUP_TENSION_SCRATCH * (size_t)p;
        double        r = sum[0] > 0 ? 1 / sum[0] : 0;
        sup_vec3      t = v3((float)(sum[1] * r - 1), (float)(sum[2] * r - 1), (float)(sum[3] * r - 1));
        bool          good = r > 0 && v3_finite(t);
        lost += r > 0 && !good;
        out[p] = good ? t : v3(0, 0, 0);
    }
    return lost;
}
