#include "solve/ride.h"

#include "math/rotation.h"
#include "math/vec.h"

#include "base/internal.h"

#include <math.h>

enum { ROWS_GRAIN = 64, POINTS_GRAIN = 512 };
// Of the normal in the fit, beside the edges of the point: as much as one of two directions they span.
static const float normal_share = 0.5f;

// ---------------------------------------------------------------------------------------------- turns

typedef struct fit {
    sup_vec3 normals[2]; // of the fan, posed and moved
    sup_mat3 sum;        // of moved x posed edges
    float    squares;    // of the posed ones
    bool     still;      // none of it has moved: then there is no rounding either
} fit;

static void add_product(sup_mat3* m, sup_vec3 a, sup_vec3 b, float weight)
{
    const float *x = &a.x, *y = &b.x;
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) m->m[i][k] += weight * x[i] * y[k];
}

static fit fit_fan(const sup_ride* r, const sup_ride_call* c, uint32_t k)
{
    fit      f = { .still = true };
    sup_vec3 s = c->skinned[k], x = v3(c->moved[k].x, c->moved[k].y, c->moved[k].z);
    for (uint32_t i = r->fan_begin[k]; i < r->fan_begin[k + 1]; ++i) {
        uint32_t a = r->fans[2 * (size_t)i], b = r->fans[2 * (size_t)i + 1];
        sup_vec3 posed = v3_sub(c->skinned[a], s), moved = v3_sub(v3(c->moved[a].x, c->moved[a].y, c->moved[a].z), x);
        f.normals[0] = v3_add(f.normals[0], v3_cross(posed, v3_sub(c->skinned[b], s)));
        f.normals[1] = v3_add(f.normals[1], v3_cross(moved, v3_sub(v3(c->moved[b].x, c->moved[b].y, c->moved[b].z), x)));
        add_product(&f.sum, moved, posed, 1);
        f.still = f.still && moved.x == posed.x && moved.y == posed.y && moved.z == posed.z;
        f.squares += v3_length2(posed);
    }
    return f;
}

static void rows_task(void* data, uint32_t begin, uint32_t end)
{
    const sup_ride*      r = ((void**)data)[0];
    const sup_ride_call* c = ((void**)data)[1];
    for (uint32_t k = begin; k < end; ++k) {
        fit      f = fit_fan(r, c, k);
        sup_quat q = quat_identity();
        sup_vec3 none = v3(0, 0, 0), s = c->skinned[k];
        add_product(&f.sum, v3_normalize(f.normals[1], none), v3_normalize(f.normals[0], none), normal_share * f.squares);
        for (int i = 0; i < 2 && !f.still; ++i) rotation_extract(&f.sum, &q); // a second time from near it: to the last digits
        float  xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z, xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
        float  wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
        float  m[3][3] = { { -2 * (yy + zz), 2 * (xy - wz), 2 * (xz + wy) },
                           { 2 * (xy + wz), -2 * (xx + zz), 2 * (yz - wx) },
                           { 2 * (xz - wy), 2 * (yz + wx), -2 * (xx + yy) } };
        float  u[3] = { c->moved[k].x - s.x, c->moved[k].y - s.y, c->moved[k].z - s.z };
        float* row = c->rows + (size_t)SUP_RIDE_ROW * k;
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) row[4 * i + j] = m[i][j];
            row[4 * i + 3] = u[i];
            row[12 + i] = -(m[i][0] * s.x + m[i][1] * s.y + m[i][2] * s.z);
        }
        row[15] = 0;
    }
}

static void points_task(void* data, uint32_t begin, uint32_t end)
{
    SUP_WIDE_PICK(sup_ride_points)(((void**)data)[0], ((void**)data)[1], begin, end);
}

void sup_ride_evaluate(const sup_ride* ride, const sup_ride_call* call)
{
    const void* job[2] = { ride, call };
    sup_tasks_run(call->tasks, ride->cage_count, ROWS_GRAIN, rows_task, job);
    sup_tasks_run(call->tasks, ride->point_count, POINTS_GRAIN, points_task, job);
}
