// A body pressed into the skin is a load. Nodes inside it have to move out, in the direction in which the body presses; each
// does so by a force that is spread over the curves around it, so that neighbors follow: on every curve the force that bends it
// as far as the spread says. Contact determines how much of each: none pulls, and none exceeds what is needed.
//     u = sum over contacts of f_j phi_j d_j,     f >= 0,     d_i . u(i) >= depth_i,     f_i = 0 where more than that
// phi_j on curve c is the curve's response to a force spread as (1 - d^2 / r^2)^2 around node j, scaled to the height of that
// spread. Under a body the skin rests on flesh, whatever holds the curve otherwise: a response decays over (4 EI / sigma)^1/4,
// the length that the material gives (`support`), and at most half the reach. The ends of open curves follow: skin continues
// there. Points between the curves that are still inside are pushed out at the end.
#include "deform/bend/bend.h"

#include "base/scratch_layout.h"
#include "math/trig.h"
#include "math/vec.h"

#include <math.h>
#include <string.h>

enum { SWEEPS = 64, CONTACTS_MAX = 96, SLOTS_MAX = 1536, STEPS = 24 };
/// A touch spreads over at least this many strips; of nodes nearer than this share of its reach only one is tested.
#define STRIPS 2.5f
#define THIN 0.3f
/// Longest decay along a curve, in reaches.
#define DECAY 0.5
/// Of a body's radius: skin at most this deep inside counts as out.
#define OUTSIDE 1e-4f
/// Of a press at its own place: skin that follows less cannot be pushed out.
#define YIELDS 1e-9

typedef struct contact {
    uint32_t node, curve;
    uint32_t solid;
    sup_vec3 at, normal;         ///< at rest
    sup_vec3 direction, outward; ///< in the pose: out of the body; the normal
    float    depth, reach;
    double   force;
} contact;

/// A contact on one curve.
typedef struct slot {
    uint32_t contact, curve;
} slot;

typedef struct press_workspace {
    contact* contacts;
    double*  matrix; ///< [contact][contact]
    slot*    slots;
    float*   answers; ///< [slot][N + 1]
    float*   spread;  ///< N + 1
    float*   decay;   ///< N + 1: of the current curve, by distance in nodes
} press_workspace;

static press_workspace cut_workspace(const bend_bound* b, void* scratch, size_t* total)
{
    sup_layout      l = { .base = scratch };
    size_t          per = b->net.on.intervals + 1;
    press_workspace r;
    r.contacts = sup_layout_add(&l, CONTACTS_MAX, sizeof *r.contacts);
    r.matrix = sup_layout_add(&l, (size_t)CONTACTS_MAX * CONTACTS_MAX, sizeof *r.matrix);
    r.slots = sup_layout_add(&l, SLOTS_MAX, sizeof *r.slots);
    r.answers = sup_layout_add(&l, SLOTS_MAX * per, sizeof *r.answers);
    r.spread = sup_layout_add(&l, per, sizeof *r.spread);
    r.decay = sup_layout_add(&l, per, sizeof *r.decay);
    if (total) *total = l.used;
    return r;
}

size_t bend_press_size(const bend_bound* b)
{
    size_t total;
    cut_workspace(b, NULL, &total);
    return b->bodies.count ? total : 0;
}

// ---------------------------------------------------------------------------------------------- bind

/// Nodes far enough apart to be tested separately: of close ones one is enough, and the others follow it.
static uint32_t thin_out(const bend_net* net, float apart, uint32_t* begin, uint32_t* nodes)
{
    uint32_t per = net->on.intervals + 1, count = 0;
    for (uint32_t c = 0; c < net->on.curves.curve_count; ++c) {
        uint32_t last = net->on.intervals - (net->on.curves.curves[c].closed ? 1 : 0);
        for (uint32_t n = 0; n <= last && net->length[c] > 0; ++n) {
            uint32_t node = c * per + n;
            bool     near = false;
            for (uint32_t i = begin[c]; i < count && !near; ++i)
                near = v3_distance(net->on.nodes[node], net->on.nodes[nodes[i]]) < apart;
            if (!near) nodes[count++] = node;
        }
        begin[c + 1] = count;
    }
    return count;
}

sup_result bend_press_create(const bend_net* net, bend_bodies* bodies, sup_arena* arena, sup_error* error)
{
    uint32_t count = net->on.curves.curve_count, per = net->on.intervals + 1;
    double   strip = 0;
    if (bodies->count == 0) return SUP_OK;
    uint32_t *begin = SUP_NEW(arena, uint32_t, (size_t)count + 1), *nodes = SUP_NEW(arena, uint32_t, net->on.node_count);
    sup_vec3* centers = SUP_NEW(arena, sup_vec3, count);
    float*    radii = SUP_NEW(arena, float, count);
    if (!begin || !nodes || !centers || !radii) return sup_fail_memory(error, "bend");
    for (uint32_t c = 0; c < count; ++c) {
        strip += 0.5 * (net->width[c][0] + net->width[c][1]) / (net->metres * count);
        for (uint32_t n = 0; n < per; ++n) centers[c] = v3_mad(centers[c], 1.0f / (float)per, net->on.nodes[c * per + n]);
        for (uint32_t n = 0; n < per; ++n) {
            float d = v3_distance(centers[c], net->on.nodes[c * per + n]);
            if (d > radii[c]) radii[c] = d;
        }
    }
    float least = 3e38f;
    bodies->reach = STRIPS * (float)strip;
    for (uint32_t i = 0; i < bodies->count; ++i) {
        float reach = bend_bodies_radius(bodies, i);
        if (reach < bodies->reach) reach = bodies->reach;
        if (reach < least) least = reach;
    }
    bodies->node_count = thin_out(net, THIN * least, begin, nodes);
    bodies->nodes = nodes;
    bodies->curve_begin = begin;
    bodies->curve_center = centers;
    bodies->curve_radius = radii;
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- touching

/// A node moves with the section of the first point it lies on.
static sup_vec3 turned(const bend_bound* b, uint32_t node, sup_vec3 moved, const sup_station* stations)
{
    const sup_sections* s = &b->shapes.sections;
    uint32_t            point = b->net.on.sources[node].point[0], k = s->station[point];
    if (k == SUP_NONE) return moved;
    sup_vec3 at = v3_add(b->net.on.nodes[node], moved), by[2];
    for (int i = 0; i < 2; ++i) {
        const float(*c)[4] = stations[k + (uint32_t)i].column;
        by[i] = v3(c[3][0] + c[0][0] * at.x + c[1][0] * at.y + c[2][0] * at.z,
                   c[3][1] + c[0][1] * at.x + c[1][1] * at.y + c[2][1] * at.z,
                   c[3][2] + c[0][2] * at.x + c[1][2] * at.y + c[2][2] * at.z);
    }
    return v3_add(moved, v3_lerp(by[0], by[1], s->ratio[point]));
}

/// Where a node is in this frame before anything presses.
static sup_vec3 place_of(const bend_bound* b, uint32_t node, const sup_frame* frame, const bend_workspace* work)
{
    const sup_curve_net* on = &b->net.on;
    uint32_t             per = on->intervals + 1, c = node / per;
    size_t               at = (size_t)(node % per) * on->stride + 3 * c;
    sup_vec3             moved = v3(work->rows[at], work->rows[at + 1], work->rows[at + 2]);
    if (b->shapes.count) moved = v3_add(moved, v3(work->target[at], work->target[at + 1], work->target[at + 2]));
    if (work->turned) moved = turned(b, node, moved, work->stations);
    return v3_add(sup_node_read(&on->sources[node], frame->points), quat_rotate(work->now[c].turn, moved));
}

static uint32_t touch(const bend_bound* b, const sup_frame* frame, uint32_t solids, const bend_workspace* work, contact* list,
                      uint32_t* left_out)
{
    uint32_t per = b->net.on.intervals + 1, count = 0;
    for (uint32_t i = 0; i < b->bodies.node_count; ++i) {
        uint32_t node = b->bodies.nodes[i];
        sup_vec3 p = place_of(b, node, frame, work), direction = v3(0, 0, 0), out;
        float    deepest = 0;
        uint32_t which = 0;
        for (uint32_t k = 0; k < solids; ++k) {
            float d = bend_solid_depth(&work->solids[k], p, &out);
            if (d > deepest) deepest = d, direction = out, which = k;
        }
        if (!(deepest > 0)) continue;
        if (count == CONTACTS_MAX) {
            ++*left_out;
            continue;
        }
        float    reach = work->solids[which].radius > b->bodies.reach ? work->solids[which].radius : b->bodies.reach;
        sup_vec3 outward = quat_rotate(work->now[node / per].turn, b->net.normals[node]);
        list[count++] = (contact){ .node = node,
                                   .curve = node / per,
                                   .solid = which,
                                   .at = b->net.on.nodes[node],
                                   .normal = b->net.normals[node],
                                   .direction = direction,
                                   .outward = outward,
                                   .depth = deepest,
                                   .reach = reach };
    }
    return count;
}

/// The common direction of nodes of one side that a body touches. A body from outside presses them inward, against their
/// normals: the nearest way out of the shaft of a finger would push them apart. From inside it is the mean of their own.
static sup_vec3 common_direction(const contact* list, uint32_t count, const contact* of)
{
    sup_vec3 out = v3(0, 0, 0), in = v3(0, 0, 0);
    float    weight = 0, facing = 0;
    for (uint32_t k = 0; k < count; ++k) {
        if (list[k].solid != of->solid || !(v3_dot(list[k].normal, of->normal) > 0)) continue;
        out = v3_mad(out, list[k].depth, list[k].direction);
        in = v3_mad(in, -list[k].depth, list[k].outward);
        facing += list[k].depth * v3_dot(list[k].direction, list[k].outward);
        weight += list[k].depth;
    }
    float inward = 1 - sup_smoothstep(0, 0.5f, facing / weight);
    out = v3_scale(out, 1 / weight); // in proportion to their agreement
    out = v3_normalize(v3_mad(out, 1 - v3_length(out), of->direction), of->direction);
    return v3_normalize(v3_lerp(out, v3_normalize(in, out), inward), of->direction);
}

/// How far they have to move in that direction is found by steps that cannot overshoot.
static void agree_on_directions(const bend_bound* b, const sup_frame* frame, const bend_workspace* work, contact* list,
                                uint32_t count)
{
    sup_vec3 directions[CONTACTS_MAX];
    for (uint32_t i = 0; i < count; ++i) directions[i] = common_direction(list, count, &list[i]);
    for (uint32_t i = 0; i < count; ++i) {
        const bend_solid* s = &work->solids[list[i].solid];
        sup_vec3          p = place_of(b, list[i].node, frame, work), out;
        float             gone = 0, most = 8 * s->radius;
        for (int k = 0; k < STEPS && gone < most; ++k) {
            float d = bend_solid_depth(s, v3_mad(p, gone, directions[i]), &out);
            if (!(d > OUTSIDE * s->radius)) break;
            gone += d;
        }
        list[i].direction = directions[i];
        list[i].depth = gone;
    }
}

// ---------------------------------------------------------------------------------------------- answers

/// How the touch of one node decays along the curve: a beam on springs.
static void find_decay(const bend_bound* b, uint32_t curve, const bend_curve_now* now, double longest, float* out)
{
    uint32_t N = b->net.on.intervals;
    double   l = b->net.length[curve], own = sqrt(sqrt(4 * now->stiffness / now->sigma)),
           by = l / (own < longest ? own : longest);
    for (uint32_t n = 0; n <= N; ++n) {
        double v = (double)n / N, x = by * v;
        if (b->net.on.curves.curves[curve].closed) out[n] = (float)sup_bend_foundation(1, 4 * by * by * by * by, v, 0);
        else out[n] = (float)(sup_exp(-x) * (sup_cos(x) + sup_sin(x)));
    }
}

/// The response of the curve to the spread of one contact. False: out of reach.
static bool answer(const bend_bound* b, uint32_t curve, const contact* at, const press_workspace* work, float* out)
{
    const bend_net* net = &b->net;
    uint32_t        N = net->on.intervals, per = N + 1;
    bool            closed = net->on.curves.curves[curve].closed;
    float           high = 0, top = 0, reach2 = at->reach * at->reach;
    for (uint32_t n = 0; n <= N; ++n) {
        float d2 = v3_length2(v3_sub(net->on.nodes[curve * per + n], at->at)), x = 1 - d2 / reach2, facing = 0;
        // The other side of a thin limb, and other limbs, do not follow.
        if (x > 0) facing = v3_dot(net->normals[curve * per + n], at->normal);
        work->spread[n] = facing > 0 ? x * x * facing : 0;
        if (work->spread[n] > high) high = work->spread[n];
    }
    if (!(high > 0)) return false;
    if (closed) work->spread[N] = 0; // repeats the first
    for (uint32_t n = 0; n <= N; ++n) {
        float sum = 0;
        for (uint32_t k = 0; k <= N; ++k)
            if (work->spread[k] > 0) sum += work->spread[k] * work->decay[n > k ? n - k : k - n];
        out[n] = sum;
        if (sum > top) top = sum;
    }
    for (uint32_t n = 0; n <= N; ++n) out[n] *= high / top;
    return true;
}

static uint32_t find_answers(const bend_bound* b, const bend_workspace* frame_workspace, const press_workspace* work,
                             uint32_t count, uint32_t* left_out)
{
    uint32_t per = b->net.on.intervals + 1, slots = 0;
    memset(work->matrix, 0, (size_t)count * CONTACTS_MAX * sizeof(double));
    for (uint32_t c = 0; c < b->net.on.curves.curve_count; ++c) {
        float known = 0; // reach for which the decay was computed
        for (uint32_t j = 0; j < count && b->net.length[c] > 0; ++j) {
            const contact* at = &work->contacts[j];
            if (v3_distance(b->bodies.curve_center[c], at->at) > b->bodies.curve_radius[c] + at->reach) continue;
            if (slots == SLOTS_MAX) {
                ++*left_out;
                break;
            }
            if (known != at->reach)
                find_decay(b, c, &frame_workspace->now[c], DECAY * (double)at->reach * b->net.metres, work->decay);
            known = at->reach;
            float* to = work->answers + (size_t)slots * per;
            if (!answer(b, c, at, work, to)) continue;
            work->slots[slots++] = (slot){ j, c };
            for (uint32_t i = 0; i < count; ++i)
                if (work->contacts[i].curve == c)
                    work->matrix[i * CONTACTS_MAX + j] =
                        (double)to[work->contacts[i].node % per] * (double)v3_dot(work->contacts[i].direction, at->direction);
        }
    }
    return slots;
}

/// Projected Gauss-Seidel; each row may have its own scale, so stiff and soft curves side by side are fine.
static void solve_contacts(const press_workspace* work, uint32_t count)
{
    contact* list = work->contacts;
    for (int sweep = 0; sweep < SWEEPS; ++sweep)
        for (uint32_t i = 0; i < count; ++i) {
            const double* row = work->matrix + (size_t)i * CONTACTS_MAX;
            double        gap = -(double)list[i].depth;
            for (uint32_t k = 0; k < count; ++k) gap += row[k] * list[k].force;
            double f = row[i] > YIELDS ? list[i].force - gap / row[i] : 0;
            list[i].force = f > 0 ? f : 0;
        }
}

void bend_press_nodes(const bend_bound* b, const sup_frame* frame, uint32_t solids, const bend_workspace* work)
{
    press_workspace own = cut_workspace(b, work->press, NULL);
    uint32_t        left_out = 0, per = b->net.on.intervals + 1, count = touch(b, frame, solids, work, own.contacts, &left_out);
    if (count == 0) return;
    agree_on_directions(b, frame, work, own.contacts, count);
    uint32_t slots = find_answers(b, work, &own, count, &left_out);
    solve_contacts(&own, count);
    for (uint32_t i = 0; i < slots; ++i) {
        const slot*    s = &own.slots[i];
        const contact* j = &own.contacts[s->contact];
        sup_vec3       d = v3_scale(quat_rotate(quat_conjugate(work->now[s->curve].turn), j->direction), (float)j->force);
        const float*   answers = own.answers + (size_t)i * per;
        for (uint32_t n = 0; j->force > 0 && n < per; ++n) {
            float* to = work->rows + (size_t)n * b->net.on.stride + 3 * s->curve;
            to[0] += answers[n] * d.x, to[1] += answers[n] * d.y, to[2] += answers[n] * d.z;
        }
    }
    sup_stats_add(frame->stats, "bend.contacts_left_out", left_out);
}

uint32_t bend_press_points(uint32_t solids, const bend_workspace* work, uint32_t count, sup_vec3* out)
{
    uint32_t moved = 0;
    for (uint32_t i = 0; i < solids; ++i)
        for (uint32_t p = 0; p < count; ++p) {
            sup_vec3 direction;
            float    d = bend_solid_depth(&work->solids[i], out[p], &direction);
            if (!(d > 0)) continue;
            out[p] = v3_mad(out[p], d, direction);
            ++moved;
        }
    return moved;
}
