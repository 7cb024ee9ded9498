#include "solve/particles/ride.h"

#include "math/rotation.h"
#include "math/vec.h"

#include "base/internal.h"

#include <math.h>

enum { ROWS_GRAIN = 64, POINTS_GRAIN = 512, GROUPS_GRAIN = 8 };
// How sound the posed cage around a point is: the range over which the mesh's own pose fades in beside it.
static const float sound_none = 0.7f, sound_all = 0.95f;

// ---------------------------------------------------------------------------------------------- maps

static void add_product(sup_mat3* m, sup_vec3 a, sup_vec3 b)
{
    const float *x = &a.x, *y = &b.x;
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) m->m[i][k] += x[i] * y[k];
}

static sup_mat3 product(const sup_mat3* a, const sup_mat3* b)
{
    sup_mat3 out;
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) out.m[i][k] = a->m[i][0] * b->m[0][k] + a->m[i][1] * b->m[1][k] + a->m[i][2] * b->m[2][k];
    return out;
}

static sup_mat3 transposed(const sup_mat3* a)
{
    sup_mat3 out;
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) out.m[i][k] = a->m[k][i];
    return out;
}

/// The maps of the cage around a point from rest to now: posed, and simulated.
static void make_maps(const sup_ride* r, const sup_ride_call* c, uint32_t k, sup_mat3 out[2])
{
    sup_vec3 s = c->skinned[k], x = c->moved[k], normals[2] = { { 0, 0, 0 }, { 0, 0, 0 } }, none = v3(0, 0, 0);
    out[0] = out[1] = (sup_mat3){ 0 };
    for (uint32_t i = r->fan_begin[k]; i < r->fan_begin[k + 1]; ++i) {
        uint32_t a = r->fans[2 * (size_t)i], b = r->fans[2 * (size_t)i + 1];
        sup_vec3 posed = v3_sub(c->skinned[a], s), moved = v3_sub(c->moved[a], x);
        normals[0] = v3_add(normals[0], v3_cross(posed, v3_sub(c->skinned[b], s)));
        normals[1] = v3_add(normals[1], v3_cross(moved, v3_sub(c->moved[b], x)));
        add_product(&out[0], posed, r->slopes[i]);
        add_product(&out[1], moved, r->slopes[i]);
    }
    for (int i = 0; i < 2; ++i) add_product(&out[i], v3_normalize(normals[i], none), r->heights[k]);
}

/// How close a map is to a rotation with uniform scale: 1 if it is one, 0 where it has crushed a direction.
static float soundness(const sup_mat3* a)
{
    float squares = 0;
    for (int i = 0; i < 9; ++i) squares += a->m[i / 3][i % 3] * a->m[i / 3][i % 3];
    sup_vec3 x = v3(a->m[0][0], a->m[0][1], a->m[0][2]), y = v3(a->m[1][0], a->m[1][1], a->m[1][2]),
             z = v3(a->m[2][0], a->m[2][1], a->m[2][2]);
    float det = v3_dot(v3_cross(x, y), z), mean = squares / 3;
    return mean > 0 ? det / (mean * sqrtf(mean)) : 0;
}

static bool same(const sup_mat3* a, const sup_mat3* b)
{
    for (int i = 0; i < 9; ++i)
        if (a->m[i / 3][i % 3] != b->m[i / 3][i % 3]) return false;
    return true;
}

static void set_row(const sup_mat3* p, const sup_mat3* t, sup_vec3 rest, sup_vec3 posed, sup_vec3 moved, float* row)
{
    sup_vec3     shift = v3_sub(moved, posed);
    const float *x = &rest.x, *s = &posed.x, *u = &shift.x;
    for (int i = 0; i < 3; ++i) {
        float k = u[i];
        for (int j = 0; j < 3; ++j) {
            float turn = t->m[i][j] - (i == j ? 1.0f : 0.0f);
            row[4 * i + j] = p->m[i][j];
            row[12 + 3 * i + j] = turn;
            k -= p->m[i][j] * x[j] + turn * s[j];
        }
        row[4 * i + 3] = k;
        row[21 + i] = u[i];
    }
}

/// How physics has rotated the posed cage around a point.
static sup_mat3 make_turn(const sup_mat3* posed, const sup_mat3* moved)
{
    sup_mat3 back = transposed(posed), both = product(moved, &back);
    sup_quat q = quat_identity();
    for (int i = 0; i < 2 && !same(posed, moved); ++i)
        rotation_extract(&both, &q); // a second pass from nearby, to full precision
    float xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z, xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
    float wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
    return (sup_mat3){ { { 1 - 2 * (yy + zz), 2 * (xy - wz), 2 * (xz + wy) },
                         { 2 * (xy + wz), 1 - 2 * (xx + zz), 2 * (yz - wx) },
                         { 2 * (xz - wy), 2 * (yz + wx), 1 - 2 * (xx + yy) } } };
}

static void rows_task(void* data, uint32_t begin, uint32_t end)
{
    const sup_ride*      r = ((void**)data)[0];
    const sup_ride_call* c = ((void**)data)[1];
    for (uint32_t k = begin; k < end; ++k) {
        sup_mat3 maps[2];
        make_maps(r, c, k, maps);
        sup_mat3 turn = make_turn(&maps[0], &maps[1]);
        float    trust = r->trusts[k] * sup_smoothstep(sound_none, sound_all, soundness(&maps[0]));
        for (int i = 0; i < 9; ++i) turn.m[i / 3][i % 3] *= trust;
        sup_mat3 turned = product(&turn, &maps[0]);
        for (int i = 0; i < 9; ++i) maps[1].m[i / 3][i % 3] -= turned.m[i / 3][i % 3];
        set_row(&maps[1], &turn, r->places[k], c->skinned[k], c->moved[k], c->rows + (size_t)SUP_RIDE_ROW * k);
    }
}

// ---------------------------------------------------------------------------------------------- points

static void points_task(void* data, uint32_t begin, uint32_t end)
{
    SUP_WIDE_PICK(sup_ride_points)(((void**)data)[0], ((void**)data)[1], begin, end);
}

/// The rigid motion closest to what the cage would do with the group, relative to the group's own pose.
static void groups_task(void* data, uint32_t begin, uint32_t end)
{
    const sup_ride*      r = ((void**)data)[0];
    const sup_ride_call* c = ((void**)data)[1];
    for (uint32_t g = begin; g < end; ++g) {
        const uint32_t* points = r->group_points + r->group_begin[g];
        uint32_t        count = r->group_begin[g + 1] - r->group_begin[g];
        sup_vec3        from = v3(0, 0, 0), shift = from;
        sup_mat3        sum = { .m = { { 0 } } };
        sup_quat        turn = quat_identity();
        bool            still = true;
        for (uint32_t i = 0; i < count; ++i) {
            sup_vec3 d = v3_sub(c->out[points[i]], c->points[points[i]]);
            from = v3_add(from, c->points[points[i]]), shift = v3_add(shift, d);
            still = still && v3_length2(d) == 0;
        }
        if (still) continue;
        from = v3_scale(from, 1 / (float)count), shift = v3_scale(shift, 1 / (float)count);
        sup_vec3 to = v3_add(from, shift);
        for (uint32_t i = 0; i < count; ++i)
            add_product(&sum, v3_sub(c->out[points[i]], to), v3_sub(c->points[points[i]], from));
        for (int i = 0; i < 2; ++i) rotation_extract(&sum, &turn); // a second pass from nearby, to full precision
        for (uint32_t i = 0; i < count; ++i)
            c->out[points[i]] = v3_add(to, quat_rotate(turn, v3_sub(c->points[points[i]], from)));
    }
}

void sup_ride_evaluate(const sup_ride* ride, const sup_ride_call* call)
{
    const void* job[2] = { ride, call };
    sup_tasks_run(call->tasks, ride->cage_count, ROWS_GRAIN, rows_task, job);
    sup_tasks_run(call->tasks, ride->point_count, POINTS_GRAIN, points_task, job);
    sup_tasks_run(call->tasks, ride->groups, GROUPS_GRAIN, groups_task, job);
}
