// A ball or a capsule pressed into the skin is a load: forces at the nodes it touches, just as large as needed to move them out
// of it, and never pulling. Points between the curves that are still inside come out at the end.
#include "deform/bend/bend.h"
#include "math/trig.h"
#include "math/vec.h"

enum { SWEEPS = 32 };

/// How deep a place is inside a body, and the way out.
static float depth_in(const sup_body* body, sup_vec3 a, sup_vec3 b, sup_vec3 p, sup_vec3* out)
{
    sup_vec3 d = v3_sub(b, a);
    float    l2 = v3_length2(d), t = l2 > 0 ? sup_clampf(v3_dot(v3_sub(p, a), d) / l2, 0, 1) : 0;
    sup_vec3 away = v3_sub(p, v3_mad(a, t, d));
    float    distance = v3_length(away);
    if (!(distance < body->radius)) return 0;
    *out = v3_normalize(away, v3(0, 1, 0));
    return body->radius - distance;
}

static void body_ends(const sup_body* body, sup_vec3* a, sup_vec3* b)
{
    *a = affine_point(&body->end, body->a);
    *b = body->kind == SUP_BODY_CAPSULE ? affine_point(&body->end, body->b) : *a;
}

/// EI X of the curve at node i for a unit force at node k, over l^3.
static double compliance_at(const bend_bound* b, uint32_t curve, uint32_t i, uint32_t k, const double* founded)
{
    uint32_t N = b->net.on.intervals, apart = i > k ? i - k : k - i;
    if (!b->net.on.curves.curves[curve].closed) return b->loads.clamped[i * (N + 1) + k];
    return b->loads.founded ? founded[apart] : b->loads.compliance[apart];
}

typedef struct contact {
    uint32_t node;
    double   n[3], depth, force;
} contact;

/// Forces f >= 0 along the normals so that every touched node moves at least by its depth: projected Gauss-Seidel.
static void solve_contacts(const bend_bound* b, uint32_t curve, const double* founded, contact* list, uint32_t count)
{
    for (int sweep = 0; sweep < SWEEPS; ++sweep)
        for (uint32_t i = 0; i < count; ++i) {
            double gap = -list[i].depth, own = compliance_at(b, curve, list[i].node, list[i].node, founded);
            for (uint32_t k = 0; k < count; ++k)
                if (list[k].force > 0)
                    gap += compliance_at(b, curve, list[i].node, list[k].node, founded) * list[k].force *
                           (list[i].n[0] * list[k].n[0] + list[i].n[1] * list[k].n[1] + list[i].n[2] * list[k].n[2]);
            double f = own > 0 ? list[i].force - gap / own : 0;
            list[i].force = f > 0 ? f : 0;
        }
}

static uint32_t touch(const bend_bound* b, uint32_t curve, const sup_frame* frame, const bend_room* room, contact* list)
{
    const bend_net* net = &b->net;
    uint32_t        N = net->on.intervals, per = N + 1, count = 0;
    bool            closed = net->on.curves.curves[curve].closed;
    sup_quat        turn = room->now[curve].turn, back = quat_conjugate(turn);
    for (uint32_t n = closed ? 0 : 1; n < N; ++n) {
        const sup_node_source* s = &net->on.sources[curve * per + n];
        size_t                 at = (size_t)n * net->on.stride + 3 * curve;
        sup_vec3               p = v3(0, 0, 0), way, moved = v3(room->rows[at], room->rows[at + 1], room->rows[at + 2]);
        if (b->shapes.count) moved = v3_add(moved, v3(room->target[at], room->target[at + 1], room->target[at + 2]));
        for (int k = 0; k < 4; ++k) p = v3_mad(p, s->share[k], frame->points[s->point[k]]);
        p = v3_add(p, quat_rotate(turn, moved));
        float deepest = 0;
        for (uint32_t i = 0; i < frame->world->body_count; ++i) {
            const sup_body* body = &frame->world->bodies[i];
            sup_vec3        e0, e1, out;
            if (body->kind == SUP_BODY_MESH) continue;
            body_ends(body, &e0, &e1);
            float d = depth_in(body, e0, e1, p, &out);
            if (d > deepest) deepest = d, way = out;
        }
        if (!(deepest > 0)) continue;
        way = quat_rotate(back, way);
        list[count++] = (contact){ n, { way.x, way.y, way.z }, deepest, 0 };
    }
    return count;
}

uint32_t bend_press_nodes(const bend_bound* b, const sup_frame* frame, const bend_room* room)
{
    const bend_net* net = &b->net;
    uint32_t        N = net->on.intervals, touched = 0;
    contact*        list = (contact*)(void*)(room->press + N + 1);
    for (uint32_t c = 0; c < net->on.curves.curve_count; ++c) {
        if (!(net->length[c] > 0)) continue;
        uint32_t count = touch(b, c, frame, room, list);
        if (count == 0) continue;
        touched += count;
        bool closed = net->on.curves.curves[c].closed;
        if (closed && b->loads.founded) {
            double l = net->length[c], k = room->now[c].sigma * l * l * l * l / room->now[c].stiffness;
            for (uint32_t n = 0; n <= N; ++n) room->press[n] = sup_bend_foundation(1, k, (double)n / N, 0);
        }
        solve_contacts(b, c, room->press, list, count);
        for (uint32_t n = 0; n <= N; ++n)
            for (uint32_t i = 0; i < count; ++i) {
                double x = compliance_at(b, c, n, list[i].node, room->press) * list[i].force;
                float* to = room->rows + (size_t)n * net->on.stride + 3 * c;
                for (int k = 0; k < 3; ++k) to[k] += (float)(x * list[i].n[k]);
            }
    }
    return touched;
}

uint32_t bend_press_points(const sup_frame* frame, uint32_t count, sup_vec3* out)
{
    uint32_t moved = 0;
    for (uint32_t i = 0; i < frame->world->body_count; ++i) {
        const sup_body* body = &frame->world->bodies[i];
        sup_vec3        a, b, way;
        if (body->kind == SUP_BODY_MESH) continue;
        body_ends(body, &a, &b);
        for (uint32_t p = 0; p < count; ++p) {
            float d = depth_in(body, a, b, out[p], &way);
            if (!(d > 0)) continue;
            out[p] = v3_mad(out[p], d, way);
            ++moved;
        }
    }
    return moved;
}
