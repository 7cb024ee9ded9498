// One frame: the skin's current material, and the equilibrium of the nodes under its loads.
#include "deform/bend/bend.h"

#include "base/scratch_layout.h"
#include "math/trig.h"
#include "math/vec.h"

#include <string.h>

bend_workspace bend_workspace_cut(const bend_bound* b, void* scratch, size_t* total)
{
    sup_layout     l = { .base = scratch };
    size_t         stride = b->net.on.stride, rows = (b->net.on.intervals + 1) * stride + 8;
    uint32_t       items = 4 * b->loads.item_count, curves = b->net.on.curves.curve_count;
    bend_workspace r;
    r.q = sup_layout_add(&l, (size_t)b->point_count + SUP_LANES, sizeof *r.q);
    r.rows = sup_layout_add(&l, rows, sizeof *r.rows);
    r.target = sup_layout_add(&l, b->shapes.count ? rows : 0, sizeof *r.target);
    r.sway = sup_layout_add(&l, b->modes.count ? rows : 0, sizeof *r.sway);
    r.terms = sup_layout_add(&l, b->loads.founded ? (2 * b->loads.terms + 1) * stride : 0, sizeof *r.terms);
    r.now = sup_layout_add(&l, curves, sizeof *r.now);
    r.turns = sup_layout_add(&l, b->net.joint_count, sizeof *r.turns);
    r.moved = sup_layout_add(&l, b->framed ? b->net.on.node_count : 0, sizeof *r.moved);
    r.centers = sup_layout_add(&l, b->framed ? curves : 0, sizeof *r.centers);
    r.weights = sup_layout_add(&l, b->shapes.count, sizeof *r.weights);
    r.stations = sup_layout_add(&l, b->shapes.sections.station_count, sizeof *r.stations);
    r.trust_scratch = sup_layout_add(&l, sup_trust_scratch(&b->shapes.trust), 1);
    r.trust = (sup_residual_trust){ 0 };
    r.moving = sup_layout_add(&l, curves, sizeof *r.moving);
    r.values = sup_layout_add(&l, !b->fixed.ready ? 0 : items > curves ? items : curves, sizeof *r.values);
    r.solids = sup_layout_add(&l, b->bodies.count, sizeof *r.solids);
    r.boxes = sup_layout_add(&l, b->bodies.boxes, 1);
    r.press = sup_layout_add(&l, bend_press_size(b), 1);
    r.push = sup_layout_add(&l, sup_push_scratch(&b->push), 1);
    if (total) *total = l.used;
    return r;
}

// ---------------------------------------------------------------------------------------------- material

static double value_of(enum bend_row row, const sup_field* field, float parameter, uint32_t curve)
{
    return (double)sup_field_value(&bend_rows_table[row], field, parameter, curve);
}

double bend_stiffness(const bend_bound* b, const bend_params* p, uint32_t c)
{
    double E = 1e3 * value_of(ROW_YOUNG, &b->young, p->young, c), nu = value_of(ROW_POISSON, &b->poisson, p->poisson, c);
    double width = value_of(ROW_WIDTH, &b->width, p->width, c),
           h = 1e-3 * value_of(ROW_THICKNESS, &b->thickness, p->thickness, c);
    return E * sup_bend_inertia(width * b->net.width[c][0], width * b->net.width[c][1], h, nu);
}

/// A foundation is as firm as the area that rests on it: per meter of curve it grows with the strip, like the stiffness and the
/// pressure, so that none of them depends on the number of curves.
double bend_support(const bend_bound* b, const bend_params* p, uint32_t c)
{
    return 1e3 * bend_strip(&b->net, c) * value_of(ROW_SUPPORT, &b->support, p->support, c);
}

/// Skin rotates with a blend of joints, and a curve with it. With a single joint, forces on neighbors would change direction at
/// every joint: beads along a bent tail.
static sup_quat turn_of_curve(const bend_net* net, uint32_t curve, const sup_quat* turns)
{
    uint32_t first = net->hold_begin[curve], end = net->hold_begin[curve + 1];
    sup_quat most = turns[net->holds[first].slot], sum = quat(0, 0, 0, 0);
    if (end == first + 1) return most;
    for (uint32_t i = first; i < end; ++i) {
        sup_quat q = turns[net->holds[i].slot];
        float    by = quat_dot(q, most) < 0 ? -net->holds[i].share : net->holds[i].share;
        sum.x += by * q.x, sum.y += by * q.y, sum.z += by * q.z, sum.w += by * q.w;
    }
    return quat_normalize(sum);
}

void bend_frame_material(const bend_bound* b, const bend_params* p, const sup_frame* frame, const bend_workspace* work)
{
    bool            turns = b->loads.item_count > 0 || p->weight != 0 || frame->world->body_count > 0;
    bend_curve_now* now = work->now;
    for (uint32_t i = 0; turns && i < b->net.joint_count; ++i) {
        sup_transform t;
        work->turns[i] = affine_decompose(&frame->end->skin[b->net.joints[i]], &t) ? t.rotation : quat_identity();
    }
    for (uint32_t c = 0; c < b->net.on.curves.curve_count; ++c) {
        now[c].stiffness = bend_stiffness(b, p, c);
        now[c].sigma = bend_support(b, p, c);
        now[c].mass =
            (double)p->density * bend_strip(&b->net, c) * 1e-3 * value_of(ROW_THICKNESS, &b->thickness, p->thickness, c);
        now[c].turn = turns ? turn_of_curve(&b->net, c, work->turns) : quat_identity();
    }
}

// ---------------------------------------------------------------------------------------------- loads

/// A force of the world in the rest frame of a curve.
sup_vec3 bend_item_value(const bend_bound* b, const bend_item* item, const sup_frame* frame, const bend_workspace* work)
{
    const bend_curve_now* now = &work->now[item->curve];
    double by = item->shape ? 1 / now->stiffness : b->net.girth[item->curve] > 0 ? 1 / b->net.girth[item->curve] : 0;
    if (item->force >= frame->world->force_count) return v3(0, 0, 0);
    const sup_force* f = &frame->world->forces[item->force];
    return v3_scale(f->local ? f->value : quat_rotate(quat_conjugate(now->turn), f->value), (float)by);
}

static void add_rows(const bend_net* net, uint32_t curve, const float* shape, sup_vec3 value, float* rows)
{
    for (uint32_t n = 0; n <= net->on.intervals; ++n) {
        float* to = rows + (size_t)n * net->on.stride + 3 * curve;
        to[0] += shape[n] * value.x, to[1] += shape[n] * value.y, to[2] += shape[n] * value.z;
    }
}

static void add_terms(const bend_bound* b, uint32_t curve, const float* terms, sup_vec3 value, float* out)
{
    for (uint32_t k = 0; k <= 2 * b->loads.terms; ++k) {
        float* to = out + (size_t)k * b->net.on.stride + 3 * curve;
        to[0] += terms[k] * value.x, to[1] += terms[k] * value.y, to[2] += terms[k] * value.z;
    }
}

static void add_forces(const bend_bound* b, const sup_frame* frame, const bend_workspace* work)
{
    for (uint32_t i = 0; i < b->loads.item_count; ++i) {
        const bend_item* item = &b->loads.items[i];
        sup_vec3         value = bend_item_value(b, item, frame, work);
        if (item->shape) add_rows(&b->net, item->curve, item->shape, value, work->rows);
        else add_terms(b, item->curve, item->terms, value, work->terms);
    }
}

float bend_pressure_value(const bend_bound* b, const bend_params* p, uint32_t c, const bend_workspace* work)
{
    bool   on = b->loads.founded && b->net.on.curves.curves[c].closed;
    double pascal = 1e3 * value_of(ROW_PRESSURE, &b->pressure, p->pressure, c) / b->net.metres;
    return (float)(on ? pascal : pascal / work->now[c].stiffness);
}

static void add_pressure(const bend_bound* b, const bend_params* p, const bend_workspace* work)
{
    if (p->pressure == 0 && !b->pressure.scale) return;
    for (uint32_t c = 0; c < b->net.on.curves.curve_count; ++c) {
        bool            on = b->loads.founded && b->net.on.curves.curves[c].closed;
        const sup_vec3* s = b->loads.pressure + (size_t)c * b->loads.rows;
        float           by = bend_pressure_value(b, p, c, work);
        uint32_t        count = on ? 2 * b->loads.terms + 1 : b->net.on.intervals + 1;
        for (uint32_t n = 0; by != 0 && n < count; ++n) {
            float* to = (on ? work->terms : work->rows) + (size_t)n * b->net.on.stride + 3 * c;
            to[0] += by * s[n].x, to[1] += by * s[n].y, to[2] += by * s[n].z;
        }
    }
}

static void add_weight(const bend_bound* b, const bend_params* p, const sup_frame* frame, const bend_workspace* work)
{
    uint32_t per = b->net.on.intervals + 1;
    if (p->weight == 0) return;
    for (uint32_t c = 0; c < b->net.on.curves.curve_count; ++c) {
        const bend_curve_now* now = &work->now[c];
        bool                  closed = b->net.on.curves.curves[c].closed;
        double                l = b->net.girth[c];
        sup_vec3 g = v3_scale(quat_rotate(quat_conjugate(now->turn), frame->world->gravity), p->weight * (float)now->mass);
        if (closed && b->loads.founded) {
            float* to = work->terms + 3 * c;
            to[0] += g.x, to[1] += g.y, to[2] += g.z;
        } else
            add_rows(&b->net, c, b->loads.weight + (closed ? per : 0), v3_scale(g, (float)(l * l * l * l / now->stiffness)),
                     work->rows);
    }
}

/// c_n / (sigma + EI (2 pi n / l)^4), summed over the nodes.
static void bend_founded(const bend_bound* b, const bend_workspace* work)
{
    uint32_t T = b->loads.terms;
    for (uint32_t c = 0; c < b->net.on.curves.curve_count; ++c)
        for (uint32_t k = 0; k <= 2 * T; ++k) {
            double w = b->net.girth[c] > 0 ? 2 * SUP_PI * ((k + 1) / 2) / b->net.girth[c] : 0;
            float  by = (float)(1 / (work->now[c].sigma + work->now[c].stiffness * w * w * w * w));
            float* to = work->terms + (size_t)k * b->net.on.stride + 3 * c;
            to[0] *= by, to[1] *= by, to[2] *= by;
        }
    SUP_WIDE_PICK(bend_sum_terms)
    (b->loads.basis, b->net.on.intervals + 1, 2 * T + 1, work->terms, b->net.on.stride, work->rows);
}

// ---------------------------------------------------------------------------------------------- examples

/// The effect of the examples on the nodes, plus the change of their forces' effect where the stiffness differs from that at
/// bind.
static void add_shapes(const bend_bound* b, const bend_blend* blend, const bend_workspace* work)
{
    uint32_t per = b->net.on.intervals + 1;
    size_t   floats = (size_t)per * b->net.on.stride;
    memset(work->target, 0, floats * sizeof(float));
    for (uint32_t i = 0; i < blend->count; ++i)
        for (size_t k = 0; k < floats; ++k) work->target[k] += blend->share[i] * blend->nodes[i][k];
    for (uint32_t c = 0; c < b->net.on.curves.curve_count; ++c) {
        float more = (float)(b->stiffness[c] / work->now[c].stiffness - 1);
        for (uint32_t n = 0; more != 0 && n < per; ++n)
            for (uint32_t k = 3 * c; k < 3 * c + 3; ++k)
                work->rows[n * b->net.on.stride + k] += more * work->target[n * b->net.on.stride + k];
    }
    for (uint32_t i = 0; i < blend->count; ++i)
        if (blend->residual[i])
            for (size_t k = 0; k < floats; ++k) work->target[k] += blend->share[i] * blend->residual[i][k];
}

void bend_frame_still(const bend_bound* b, const bend_params* p, const sup_frame* frame, const bend_blend* blend,
                      uint32_t solids, const bend_workspace* work)
{
    memset(work->rows, 0, ((size_t)(b->net.on.intervals + 1) * b->net.on.stride + 8) * sizeof(float));
    if (b->loads.founded) memset(work->terms, 0, (2 * b->loads.terms + 1) * (size_t)b->net.on.stride * sizeof(float));
    add_forces(b, frame, work);
    add_pressure(b, p, work);
    add_weight(b, p, frame, work);
    if (b->loads.founded) bend_founded(b, work);
    if (b->shapes.count) add_shapes(b, blend, work);
    if (solids > 0) bend_press_nodes(b, frame, solids, work);
}

bool bend_frame_moving(const bend_bound* b, const bend_workspace* work)
{
    uint32_t count = b->net.on.curves.curve_count;
    bool     any = false;
    memset(work->moving, 0, count);
    for (uint32_t n = 0; n <= b->net.on.intervals; ++n) {
        const float* row = work->rows + (size_t)n * b->net.on.stride;
        for (uint32_t c = 0; c < count; ++c) work->moving[c] |= row[3 * c] != 0 || row[3 * c + 1] != 0 || row[3 * c + 2] != 0;
    }
    for (uint32_t c = 0; c < count; ++c) any = any || work->moving[c];
    return any;
}
