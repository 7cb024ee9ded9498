// Transfers a body's weights to clothes that have none: those of the nearest place on the body where the match is good, a
// smooth fill over the clothes elsewhere (Abdrashitov, Raichstat, Monsen, Hill, Robust Skin Weights Transfer via Weight
// Inpainting, 2023). We fill with a harmonic function with positive edge weights instead of a biharmonic one: it stays within
// 0..1, and the weights keep their sum of 1.
#include "supple/rig.h"

#include "base/internal.h"
#include "geom/search/closest.h"
#include "geom/surface/topology.h"
#include "math/trig.h"
#include "math/vec.h"

#include <string.h>

// Smaller weights move nothing visibly, and fills are small and positive nearly everywhere.
static const float NEGLIGIBLE = 1e-4f;
enum { INFLUENCES_MOST = 16, STEPS_MAX = 4000 };
static const double RESIDUAL = 1e-7; // residual relative to the right-hand side

typedef struct influence {
    uint32_t joint;
    float    value;
} influence;

typedef struct transfer {
    const sup_transfer_input* in;
    sup_arena*                work;
    sup_error*                error;
    uint32_t                  most; // influences kept for a point
    sup_bvh                   bvh;
    sup_box *                 nodes, *slots;
    sup_vec3 *                body_normals, *normals;
    sup_closest*              places;
    bool*                     good;
    influence*                rows; // `most` for each point, zeros in unused slots
    sup_topology              topology;

    uint32_t* unknown; // index of each unknown point among the unknowns, SUP_NONE for the others
    uint32_t  unknown_count;
    uint32_t* points; // of the unknowns
    double*   edges;  // edge weights, one for each neighbor in the topology's rings
} transfer;

// ---------------------------------------------------------------------------------------------- matching

// Sums the area vectors of the triangles.
static sup_vec3* make_normals(sup_arena* arena, const sup_surface* s)
{
    sup_vec3* normals = SUP_NEW(arena, sup_vec3, s->point_count);
    for (size_t t = 0; normals && t < s->triangle_count; ++t) {
        const uint32_t* c = s->triangles + 3 * t;
        sup_vec3        n = v3_cross(v3_sub(s->points[c[1]], s->points[c[0]]), v3_sub(s->points[c[2]], s->points[c[0]]));
        for (int i = 0; i < 3; ++i) normals[c[i]] = v3_add(normals[c[i]], n);
    }
    return normals;
}

// Inserts into a row that is sorted by weight; if it is full, the smallest drops out.
static void keep_influence(influence* row, uint32_t most, influence one)
{
    for (uint32_t i = 0; i < most; ++i)
        if (one.value > row[i].value) {
            influence next = row[i];
            row[i] = one;
            one = next;
        }
}

static void blend_row(const transfer* t, const sup_closest* place, influence* row)
{
    const sup_transfer_input* in = t->in;
    const uint32_t*           corners = t->bvh.corners + 3 * (size_t)place->slot;
    for (int c = 0; c < 3; ++c)
        for (uint32_t i = in->begin[corners[c]]; i < in->begin[corners[c] + 1]; ++i) {
            // Merges the weights that several corners have for one joint.
            uint32_t joint = in->joints[i];
            double   sum = 0;
            bool     first = true;
            for (int d = 0; d < 3; ++d)
                for (uint32_t k = in->begin[corners[d]]; k < in->begin[corners[d] + 1]; ++k)
                    if (in->joints[k] == joint) {
                        first &= d > c || (d == c && k >= i);
                        sum += place->b[d] * (double)in->values[k];
                    }
            if (first) keep_influence(row, t->most, (influence){ joint, (float)sum });
        }
}

static void match_points(void* data, uint32_t begin, uint32_t end)
{
    transfer*                 t = data;
    const sup_transfer_input* in = t->in;
    double                    reach = (double)in->distance_max * (double)in->distance_max;
    float                     cosine = (float)sup_cos((double)in->angle_max);
    for (uint32_t p = begin; p < end; ++p) {
        sup_closest place = sup_bvh_closest(&t->bvh, t->nodes, in->body.points, in->clothes.points[p]);
        t->places[p] = place;
        if (place.slot == SUP_NONE) continue;
        const uint32_t* c = t->bvh.corners + 3 * (size_t)place.slot;
        sup_vec3        n = v3(0, 0, 0);
        for (int i = 0; i < 3; ++i) n = v3_mad(n, (float)place.b[i], v3_normalize(t->body_normals[c[i]], v3(0, 0, 0)));
        n = v3_normalize(n, v3(0, 0, 0));
        t->good[p] = place.square <= reach && v3_dot(n, v3_normalize(t->normals[p], v3(0, 0, 0))) >= cosine;
        blend_row(t, &place, t->rows + (size_t)p * t->most);
    }
}

static sup_result match(transfer* t)
{
    enum { GRAIN = 256 };
    const sup_transfer_input* in = t->in;
    sup_result                result =
        sup_bvh_create(in->body.points, in->body.triangles, in->body.triangle_count, t->work, &t->bvh, t->error);
    if (result != SUP_OK) return result;
    t->nodes = SUP_NEW(t->work, sup_box, 2 * (size_t)t->bvh.leaf_count);
    t->slots = SUP_NEW(t->work, sup_box, in->body.triangle_count);
    t->body_normals = make_normals(t->work, &in->body);
    t->normals = make_normals(t->work, &in->clothes);
    t->places = SUP_NEW(t->work, sup_closest, in->clothes.point_count);
    t->good = SUP_NEW(t->work, bool, in->clothes.point_count);
    t->rows = SUP_NEW(t->work, influence, (size_t)in->clothes.point_count * t->most);
    if (!t->nodes || !t->slots || !t->body_normals || !t->normals || !t->places || !t->good || !t->rows)
        return sup_fail_memory(t->error, "weights of clothes");
    sup_bvh_refit(&t->bvh, in->body.points, in->tasks, t->nodes, t->slots);
    sup_tasks_run(in->tasks, in->clothes.point_count, GRAIN, match_points, t);
    for (uint32_t p = 0; p < in->clothes.point_count; ++p)
        if (t->places[p].slot == SUP_NONE)
            return sup_fail(t->error, SUP_ERROR_INPUT, "the body has no face with an area to take weights from");
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- filling

// An edge's weight is 1 / length. Shorter edges than this share of the distance of a good match count as that long, so that
// edges without a length have a weight.
static const double EDGE_LEAST = 1e-3;

static double edge_weight(const transfer* t, uint32_t a, uint32_t b)
{
    double length = (double)v3_length(v3_sub(t->in->clothes.points[a], t->in->clothes.points[b]));
    double least = EDGE_LEAST * (double)t->in->distance_max;
    return 1 / (length > least ? length : least > 0 ? least : 1);
}

static sup_result connect(transfer* t)
{
    const sup_surface* s = &t->in->clothes;
    uint32_t*          begin = SUP_NEW(t->work, uint32_t, (size_t)s->triangle_count + 1);
    if (!begin) return sup_fail_memory(t->error, "weights of clothes");
    for (uint32_t i = 0; i <= s->triangle_count; ++i) begin[i] = 3 * i;
    sup_polygons polygons = { s->point_count, s->triangle_count, begin, s->triangles };
    sup_result   result = sup_topology_create(&polygons, t->work, &t->topology, t->error);
    if (result != SUP_OK) return result;
    t->edges = SUP_NEW(t->work, double, t->topology.ring_begin[s->point_count]);
    if (!t->edges) return sup_fail_memory(t->error, "weights of clothes");
    for (uint32_t p = 0; p < s->point_count; ++p)
        for (uint32_t k = t->topology.ring_begin[p]; k < t->topology.ring_begin[p + 1]; ++k)
            t->edges[k] = edge_weight(t, p, t->topology.ring[k]);
    return SUP_OK;
}

// Marks points to fill: those that matched badly, on pieces of the clothes where some point matched well; a piece without one
// takes the nearest weights.
static sup_result find_unknowns(transfer* t, sup_transfer* out)
{
    uint32_t count = t->in->clothes.point_count;
    bool*    anchored = SUP_NEW(t->work, bool, t->topology.component_count);
    t->unknown = SUP_NEW(t->work, uint32_t, count);
    t->points = SUP_NEW(t->work, uint32_t, count);
    if (!anchored || !t->unknown || !t->points) return sup_fail_memory(t->error, "weights of clothes");
    for (uint32_t p = 0; p < count; ++p)
        if (t->good[p] && t->topology.components[p] != SUP_NONE) anchored[t->topology.components[p]] = true;
    for (uint32_t p = 0; p < count; ++p) {
        uint32_t piece = t->topology.components[p];
        t->unknown[p] = SUP_NONE;
        if (t->good[p]) out->matched++;
        else if (piece == SUP_NONE || !anchored[piece]) out->adrift++;
        else {
            t->points[t->unknown_count] = p;
            t->unknown[p] = t->unknown_count++;
        }
    }
    out->filled = t->unknown_count;
    return SUP_OK;
}

typedef struct fill {
    double *x, *b, *r, *z, *p, *q, *diagonal;
} fill;

static void multiply(const transfer* t, const fill* f, const double* x, double* out)
{
    for (uint32_t u = 0; u < t->unknown_count; ++u) {
        uint32_t point = t->points[u];
        double   sum = f->diagonal[u] * x[u];
        for (uint32_t k = t->topology.ring_begin[point]; k < t->topology.ring_begin[point + 1]; ++k) {
            uint32_t other = t->unknown[t->topology.ring[k]];
            if (other != SUP_NONE) sum -= t->edges[k] * x[other];
        }
        out[u] = sum;
    }
}

static double product(const double* a, const double* b, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; ++i) sum += a[i] * b[i];
    return sum;
}

// Conjugate gradients with a diagonal preconditioner, starting from zero.
static void solve(const transfer* t, fill* f)
{
    uint32_t n = t->unknown_count;
    double   limit = RESIDUAL * RESIDUAL * product(f->b, f->b, n);
    for (uint32_t i = 0; i < n; ++i) {
        f->x[i] = 0;
        f->r[i] = f->b[i];
        f->p[i] = f->z[i] = f->r[i] / f->diagonal[i];
    }
    double rz = product(f->r, f->z, n);
    for (int step = 0; step < STEPS_MAX && product(f->r, f->r, n) > limit; ++step) {
        multiply(t, f, f->p, f->q);
        double along = product(f->p, f->q, n);
        if (!(along > 0)) return;
        double alpha = rz / along;
        for (uint32_t i = 0; i < n; ++i) {
            f->x[i] += alpha * f->p[i];
            f->r[i] -= alpha * f->q[i];
            f->z[i] = f->r[i] / f->diagonal[i];
        }
        double next = product(f->r, f->z, n), beta = next / rz;
        rz = next;
        for (uint32_t i = 0; i < n; ++i) f->p[i] = f->z[i] + beta * f->p[i];
    }
}

static float row_value(const transfer* t, uint32_t point, uint32_t joint)
{
    const influence* row = t->rows + (size_t)point * t->most;
    for (uint32_t i = 0; i < t->most && row[i].value > 0; ++i)
        if (row[i].joint == joint) return row[i].value;
    return 0;
}

// The right-hand side for one joint, from the matched neighbors of the unknowns. False: it is zero.
static bool gather(const transfer* t, uint32_t joint, fill* f)
{
    bool any = false;
    for (uint32_t u = 0; u < t->unknown_count; ++u) {
        uint32_t point = t->points[u];
        f->b[u] = 0;
        for (uint32_t k = t->topology.ring_begin[point]; k < t->topology.ring_begin[point + 1]; ++k) {
            uint32_t other = t->topology.ring[k];
            if (t->unknown[other] != SUP_NONE) continue;
            float value = row_value(t, other, joint);
            if (value > 0) f->b[u] += t->edges[k] * (double)value, any = true;
        }
    }
    return any;
}

static sup_result fill_unknowns(transfer* t)
{
    uint32_t n = t->unknown_count;
    fill     f;
    double** arrays[] = { &f.x, &f.b, &f.r, &f.z, &f.p, &f.q, &f.diagonal };
    for (size_t i = 0; i < SUP_COUNT_OF(arrays); ++i)
        if (!(*arrays[i] = SUP_NEW(t->work, double, n))) return sup_fail_memory(t->error, "weights of clothes");
    for (uint32_t u = 0; u < n; ++u) {
        uint32_t point = t->points[u];
        memset(t->rows + (size_t)point * t->most, 0, t->most * sizeof *t->rows);
        for (uint32_t k = t->topology.ring_begin[point]; k < t->topology.ring_begin[point + 1]; ++k)
            f.diagonal[u] += t->edges[k];
    }
    for (uint32_t joint = 0; joint < t->in->joint_count; ++joint) {
        if (!gather(t, joint, &f)) continue;
        solve(t, &f);
        for (uint32_t u = 0; u < n; ++u)
            if (f.x[u] > 0)
                keep_influence(t->rows + (size_t)t->points[u] * t->most, t->most, (influence){ joint, (float)f.x[u] });
    }
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- result

static sup_result copy_results(const transfer* t, sup_arena* arena, sup_transfer* out)
{
    uint32_t  count = t->in->clothes.point_count, total = 0;
    uint32_t* begin = SUP_NEW(arena, uint32_t, (size_t)count + 1);
    if (!begin) return sup_fail_memory(t->error, "weights of clothes");
    for (uint32_t p = 0; p < count; ++p) {
        const influence* row = t->rows + (size_t)p * t->most;
        // The first one always stays: a point without influences would be lost.
        for (uint32_t i = 0; i < t->most && (i == 0 || row[i].value > NEGLIGIBLE); ++i) ++total;
        begin[p + 1] = total;
    }
    uint32_t* joints = SUP_NEW(arena, uint32_t, total);
    float*    values = SUP_NEW(arena, float, total);
    if (!joints || !values) return sup_fail_memory(t->error, "weights of clothes");
    for (uint32_t p = 0; p < count; ++p) {
        const influence* row = t->rows + (size_t)p * t->most;
        uint32_t         n = begin[p + 1] - begin[p];
        float            sum = 0;
        for (uint32_t i = 0; i < n; ++i) sum += row[i].value;
        for (uint32_t i = 0; i < n; ++i) {
            joints[begin[p] + i] = row[i].joint;
            values[begin[p] + i] = sum > 0 ? row[i].value / sum : 1;
        }
    }
    out->begin = begin;
    out->joints = joints;
    out->values = values;
    return SUP_OK;
}

static sup_result run(transfer* t, sup_arena* arena, sup_transfer* out)
{
    sup_transfer done = { 0 };
    sup_result   result = match(t);
    if (result == SUP_OK) result = connect(t);
    if (result == SUP_OK) result = find_unknowns(t, &done);
    if (result == SUP_OK && t->unknown_count) result = fill_unknowns(t);
    if (result == SUP_OK) result = copy_results(t, arena, &done);
    if (result == SUP_OK) *out = done;
    return result;
}

sup_result sup_transfer_weights(const sup_transfer_input* in, sup_arena* arena, sup_transfer* out, sup_error* error)
{
    SUP_ASSERT(in && arena && out);
    if (in->influences_max > INFLUENCES_MOST)
        return sup_fail(error, SUP_ERROR_INPUT, "%u influences per point are too many; give at most %d", in->influences_max,
                        INFLUENCES_MOST);
    sup_transfer_input settled = *in;
    double             diagonal = (double)sup_surface_diagonal(&in->body);
    if (!(settled.distance_max > 0)) settled.distance_max = (float)(SUP_TRANSFER_DISTANCE * diagonal);
    if (!(settled.angle_max > 0)) settled.angle_max = SUP_TRANSFER_ANGLE;
    transfer t = {
        .in = &settled, .error = error, .work = sup_arena_beside(arena), .most = in->influences_max ? in->influences_max : 4
    };
    sup_result result = t.work ? run(&t, arena, out) : sup_fail_memory(error, "weights of clothes");
    sup_arena_destroy(t.work);
    return result;
}

float sup_surface_diagonal(const sup_surface* s)
{
    sup_vec3 low = s->point_count ? s->points[0] : v3(0, 0, 0), high = low;
    for (uint32_t p = 1; p < s->point_count; ++p) {
        low = v3_min(low, s->points[p]);
        high = v3_max(high, s->points[p]);
    }
    return v3_length(v3_sub(high, low));
}
