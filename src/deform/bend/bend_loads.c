// Forces of the world as shapes of the curves: the bending by one newton, solved once.
#include "deform/bend/bend.h"
#include "math/trig.h"
#include "math/vec.h"

#include <math.h>
#include <string.h>

/// Of a closed curve: the force covers it from end to end, up to rounding.
#define ALL_AROUND 0.999f

typedef struct loads_maker {
    const sup_bind_input* in;
    const bend_params*    p;
    const bend_net*       net;
    sup_arena*            arena;
    sup_error*            error;
    bend_loads*           out;
    bend_item*            items;
    uint32_t              item_count;
    bool*                 loaded; ///< curves with forces of their own
    float*                along;  ///< per node: how much it follows those
} loads_maker;

static bool founded(const loads_maker* m, uint32_t curve) { return m->out->founded && m->net->on.curves.curves[curve].closed; }

// ---------------------------------------------------------------------------------------------- tables

static sup_result make_tables(loads_maker* m)
{
    uint32_t N = m->net->on.intervals, per = N + 1, T = m->out->terms, all = 2 * T + 1;
    float *  basis = SUP_NEW(m->arena, float, (size_t)per*all), *round = SUP_NEW(m->arena, float, per);
    float *  open = SUP_NEW(m->arena, float, (size_t)per*per), *even = SUP_NEW(m->arena, float, 2 * (size_t)per);
    if (!basis || !round || !open || !even) return sup_fail_memory(m->error, "bend");
    sup_bend_closing closing = (sup_bend_closing)m->p->closed;
    for (uint32_t n = 0; n < per; ++n) {
        double v = (double)n / N;
        basis[n * all] = 1;
        for (uint32_t k = 1; k <= T; ++k) {
            basis[n * all + 2 * k - 1] = (float)sup_cos(2 * SUP_PI * k * v);
            basis[n * all + 2 * k] = (float)sup_sin(2 * SUP_PI * k * v);
        }
        round[n] = (float)sup_bend_closed(SUP_BEND_BALANCED, v, 0, 0);
        for (uint32_t k = 0; k < per; ++k) open[n * per + k] = (float)sup_bend_open(v, (double)k / N, 0);
        even[n] = (float)sup_bend_open(v, 0, 1);
        even[per + n] = m->out->founded ? 0 : (float)sup_bend_closed(closing, v, 0, 1);
    }
    m->out->basis = basis;
    m->out->compliance = round;
    m->out->clamped = open;
    m->out->weight = even;
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- forces on curves

/// A unit force at one place of a curve or spread over a part of it, added with a share.
static void add_unit(const loads_maker* m, uint32_t curve, double begin, double end, double share, float* shape, float* terms)
{
    uint32_t N = m->net->on.intervals;
    double   l = m->net->girth[curve], l3 = l * l * l;
    if (terms) {
        terms[0] += (float)share;
        for (uint32_t k = 1; k <= m->out->terms; ++k) {
            double c, s;
            sup_bend_closed_terms(begin, end, k, &c, &s);
            terms[2 * k - 1] += (float)(share * c);
            terms[2 * k] += (float)(share * s);
        }
        return;
    }
    bool closed = m->net->on.curves.curves[curve].closed;
    for (uint32_t n = 0; n <= N; ++n) {
        double v = (double)n / N;
        shape[n] +=
            (float)(share * l3 *
                    (closed ? sup_bend_closed((sup_bend_closing)m->p->closed, v, begin, end) : sup_bend_open(v, begin, end)));
    }
}

static bend_item* add_item(loads_maker* m, uint32_t force, uint32_t curve, float** shape, float** terms)
{
    bool       on = founded(m, curve);
    bend_item* i = &m->items[m->item_count];
    *shape = on ? NULL : SUP_NEW(m->arena, float, m->net->on.intervals + 1);
    *terms = on ? SUP_NEW(m->arena, float, 2 * m->out->terms + 1) : NULL;
    if (!*shape && !*terms) return NULL;
    *i = (bend_item){ force, curve, *shape, *terms };
    ++m->item_count;
    return i;
}

/// EI of a curve at bind, if its skin were uniform.
static double stiffness_of(const loads_maker* m, uint32_t curve)
{
    const double* width = m->net->width[curve];
    return 1e3 * (double)m->p->young * sup_bend_inertia(width[0], width[1], 1e-3 * (double)m->p->thickness, m->p->poisson);
}

/// How far one newton per meter of a term bends a curve on a foundation.
static double give_of_term(const loads_maker* m, uint32_t curve, uint32_t term)
{
    double l = m->net->girth[curve], w = l > 0 ? 2 * SUP_PI * ((term + 1) / 2) / l : 0;
    return 1 / (1e3 * (double)m->p->support * bend_strip(m->net, curve) + stiffness_of(m, curve) * w * w * w * w);
}

/// How far a newton moves the nodes of an item's curve.
static void bend_by_item(const loads_maker* m, const bend_item* item, double* out)
{
    uint32_t all = 2 * m->out->terms + 1;
    double   l = m->net->girth[item->curve];
    for (uint32_t n = 0; n <= m->net->on.intervals; ++n) {
        out[n] = item->shape ? item->shape[n] / stiffness_of(m, item->curve) : 0;
        for (uint32_t k = 0; item->terms && l > 0 && k < all; ++k)
            out[n] += (double)m->out->basis[n * all + k] * item->terms[k] * give_of_term(m, item->curve, k) / l;
    }
}

/// The force that bends a curve into this shape.
static void force_into(const loads_maker* m, uint32_t curve, const double* x, float* shape, float* terms)
{
    uint32_t N = m->net->on.intervals, all = 2 * m->out->terms + 1;
    for (uint32_t n = 0; shape && n <= N; ++n) shape[n] = (float)(x[n] * stiffness_of(m, curve));
    for (uint32_t k = 0; terms && k < all; ++k) {
        double sum = 0;
        for (uint32_t n = 0; n < N; ++n) sum += (k ? 2.0 : 1.0) / N * (double)m->out->basis[n * all + k] * x[n];
        terms[k] = (float)(sum * m->net->girth[curve] / give_of_term(m, curve, k));
    }
}

/// A loaded curve takes its neighboring skin along as far as this share of its length or this many strips, whichever is
/// farther: about as far across as a force at one place bends it along.
#define ALONG_LENGTH (1.0 / 6)
#define ALONG_STRIPS 2.0
/// Of the largest share that skin beside a loaded curve takes: a curve with less is skipped, since the effect would be
/// invisible.
#define SEEN 1e-3

/// A place of a loaded curve, and how much skin elsewhere follows it.
typedef struct along_place {
    uint32_t node;
    double   ratio, weight;
} along_place;

/// The nearest place of the loaded curve. Decreases with distance, and only counts where the skin faces the same way.
static along_place find_along(const bend_net* net, uint32_t loaded, uint32_t curve, uint32_t node)
{
    uint32_t        N = net->on.intervals, per = N + 1;
    const sup_vec3* line = net->on.nodes + (size_t)loaded * per;
    sup_vec3        at = net->on.nodes[(size_t)curve * per + node];
    double          reach = fmax(ALONG_LENGTH * net->length[loaded], ALONG_STRIPS * bend_strip(net, loaded)) / net->metres;
    float           least = 3e38f;
    along_place     found = { 0, 0, 0 };
    for (uint32_t k = 0; k < N; ++k) {
        sup_vec3 d = v3_sub(line[k + 1], line[k]), to = v3_sub(at, line[k]);
        float    square = v3_length2(d), t = square > 0 ? sup_clampf(v3_dot(to, d) / square, 0, 1) : 0;
        float    off = v3_length2(v3_mad(to, -t, d));
        if (off < least) least = off, found.node = k, found.ratio = (double)t;
    }
    double near = 1 - (double)least / (reach * reach);
    double facing = (double)v3_dot(net->normals[(size_t)curve * per + node], net->normals[(size_t)loaded * per + found.node]);
    found.weight = near > 0 && facing > 0 ? near * near * facing : 0;
    return found;
}

/// Which curves have forces of their own, and how much the skin of the others follows all of these together.
static sup_result find_loaded(loads_maker* m, uint32_t forces)
{
    const bend_net* net = m->net;
    uint32_t        count = net->on.curves.curve_count, per = net->on.intervals + 1;
    m->loaded = SUP_NEW(m->arena, bool, count);
    m->along = SUP_NEW(m->arena, float, (size_t)count* per);
    if (!m->loaded || !m->along) return sup_fail_memory(m->error, "bend");
    for (uint32_t i = 0; i < forces; ++i) {
        sup_force f;
        uint32_t  curve;
        sup_error reason; // reported where the force is created
        sup_world_plan_force(m->in->world, i, 0, &f);
        if (f.kind != SUP_FORCE_CURVE) continue;
        if (sup_curve_of_force(&f, "bend", &net->on.curves, m->in->character->mesh.points, &curve, &reason)) continue;
        m->loaded[curve] = true;
    }
    for (uint32_t l = 0; l < count; ++l)
        for (uint32_t c = 0; m->loaded[l] && c < count; ++c)
            for (uint32_t n = 0; !m->loaded[c] && n < per; ++n)
                m->along[(size_t)c * per + n] += (float)find_along(net, l, c, n).weight;
    return SUP_OK;
}

/// Skin continues from curve to curve, and one that bends alone would stand up as a ridge. Every nearby curve without a force
/// of its own gets the force that bends it as far as the loaded curves around it.
static sup_result take_along(loads_maker* m, uint32_t first, uint32_t number)
{
    const bend_net* net = m->net;
    uint32_t        per = net->on.intervals + 1, loaded = m->items[first].curve;
    double *        bent = SUP_NEW(m->arena, double, per), *x = SUP_NEW(m->arena, double, per), most = 0;
    if (!bent || !x) return sup_fail_memory(m->error, "bend");
    bend_by_item(m, &m->items[first], bent);
    for (uint32_t n = 0; n < per; ++n) most = fmax(most, fabs(bent[n]));
    for (uint32_t c = 0; c < net->on.curves.curve_count; ++c) {
        double high = 0;
        float *shape, *terms;
        if (m->loaded[c] || !(net->length[c] > 0)) continue;
        for (uint32_t n = 0; n < per; ++n) {
            along_place at = find_along(net, loaded, c, n);
            double      all = m->along[(size_t)c * per + n];
            x[n] = at.weight / (all > 1 ? all : 1) * (bent[at.node] + at.ratio * (bent[at.node + 1] - bent[at.node]));
            high = fmax(high, fabs(x[n]));
        }
        if (!(high > SEEN * most)) continue; // nothing visible
        if (!add_item(m, number, c, &shape, &terms)) return sup_fail_memory(m->error, "bend");
        force_into(m, c, x, shape, terms);
    }
    return SUP_OK;
}

static sup_result make_curve_force(loads_maker* m, const sup_force* f, uint32_t number)
{
    uint32_t curve;
    float *  shape, *terms;
    if (f->joint == SUP_NONE && f->curve >= m->net->on.curves.curve_count) {
        char names[512];
        bend_net_names(m->net, m->in->character, names, sizeof names);
        return sup_fail(m->error, SUP_ERROR_INPUT, "bend: force '%s' is on curve %u; this link has %s", f->name, f->curve,
                        names);
    }
    sup_result r = sup_curve_of_force(f, "bend", &m->net->on.curves, m->in->character->mesh.points, &curve, m->error);
    if (r) return r;
    if (!add_item(m, number, curve, &shape, &terms)) return sup_fail_memory(m->error, "bend");
    if (m->net->on.curves.curves[curve].closed && m->p->closed == SUP_BEND_BALANCED && f->end - f->begin > ALL_AROUND)
        sup_note(m->in->notes,
                 "force '%s' is spread over all of curve %u, which is closed and carries no net force: it does nothing; say "
                 "closed=foundation",
                 f->name, curve);
    add_unit(m, curve, f->begin, f->end, 1, shape, terms);
    return take_along(m, m->item_count - 1, number);
}

/// How far a curve gives way where the force acts, if its skin were uniform: the mean of X over that of the shares, so that a
/// curve at the border of the force, with a small share, does not count as stiff.
static double give_of(const loads_maker* m, const bend_item* item, const double* share, double* bent)
{
    double sum = 0, squares = 0;
    bend_by_item(m, item, bent);
    for (uint32_t n = 0; n < m->net->on.intervals; ++n) sum += share[n] * bent[n], squares += share[n] * share[n];
    return sum / squares;
}

/// Stiff curves take more of a force, so that neighbors give way equally, but at most this many times their part.
#define SHARE_MOST 10.0

/// Around a place on a bone: every node within reach takes its share as a point force. Skin continues from curve to curve:
/// where one is short and stiff (an open piece beside a ring) it takes more, and all of them together the whole force.
static sup_result make_bone_force(loads_maker* m, const sup_force* f, uint32_t number)
{
    uint32_t N = m->net->on.intervals, per = N + 1, first = m->item_count;
    double   sum = 0, most = 0;
    double * share = SUP_NEW(m->arena, double, per), *bent = SUP_NEW(m->arena, double, per),
           *give = SUP_NEW(m->arena, double, m->net->on.curves.curve_count),
           *part = SUP_NEW(m->arena, double, m->net->on.curves.curve_count);
    if (!share || !bent || !give || !part) return sup_fail_memory(m->error, "bend");
    for (uint32_t c = 0; c < m->net->on.curves.curve_count; ++c) {
        float *shape = NULL, *terms = NULL;
        for (uint32_t n = 0; n < N; ++n) {
            share[n] = (double)sup_force_share(f, SUP_NONE, m->net->on.nodes[c * per + n]);
            if (!(share[n] > 0 && m->net->length[c] > 0)) continue;
            if (!shape && !terms && !add_item(m, number, c, &shape, &terms)) return sup_fail_memory(m->error, "bend");
            add_unit(m, c, (double)n / N, 0, share[n] * m->net->girth[c], shape, terms);
            part[c] += share[n] * m->net->girth[c];
        }
        if (!shape && !terms) continue;
        give[c] = give_of(m, &m->items[m->item_count - 1], share, bent);
        if (give[c] > most) most = give[c];
    }
    if (m->item_count == first)
        return sup_fail(m->error, SUP_ERROR_INPUT,
                        "bend: force '%s' reaches no curve within its radius; make it larger than %g m", f->name,
                        (double)f->radius * m->net->metres);
    for (uint32_t i = first; i < m->item_count; ++i) {
        uint32_t c = m->items[i].curve;
        give[c] = give[c] > 0 && most > 0 ? 1 / (give[c] / most + 1 / SHARE_MOST) : 1;
        sum += part[c] * give[c];
    }
    for (uint32_t i = first; i < m->item_count; ++i) {
        float by = (float)(give[m->items[i].curve] / sum), *shape = (float*)m->items[i].shape,
              *terms = (float*)m->items[i].terms;
        for (uint32_t n = 0; shape && n < per; ++n) shape[n] *= by;
        for (uint32_t k = 0; terms && k < 2 * m->out->terms + 1; ++k) terms[k] *= by;
    }
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- pressure

/// A pascal on the strip of every curve, along the normals of the skin. Its net force on a closed curve is carried along the
/// limb by the skin, not by the flesh below: on a foundation it would slide rings of a neck up to the head.
static sup_result make_pressure(loads_maker* m)
{
    const bend_net* net = m->net;
    uint32_t        N = net->on.intervals, per = N + 1, all = 2 * m->out->terms + 1;
    m->out->rows = m->out->founded && all > per ? all : per;
    sup_vec3* out = SUP_NEW(m->arena, sup_vec3, (size_t)net->on.curves.curve_count * m->out->rows);
    if (!out) return sup_fail_memory(m->error, "bend");
    for (uint32_t c = 0; c < net->on.curves.curve_count; ++c) {
        const sup_vec3* normals = net->normals + (size_t)c * per;
        sup_vec3*       to = out + (size_t)c * m->out->rows;
        double          l = net->girth[c], width = bend_strip(net, c);
        if (founded(m, c)) { // terms of the load per meter
            for (uint32_t k = 1; k < all; ++k)
                for (uint32_t n = 0; n < N; ++n)
                    to[k] = v3_mad(to[k], (float)(width * 2.0 / N) * m->out->basis[n * all + k], normals[n]);
            continue;
        }
        bool  closed = net->on.curves.curves[c].closed;
        float unit = (float)(l * l * l * l * width / N);
        for (uint32_t n = 0; n < per; ++n) {
            sup_vec3 sum = v3(0, 0, 0);
            uint32_t apart = n % N; // (n - k) mod N
            for (uint32_t k = 0; closed && k < N; ++k, apart = apart ? apart - 1 : N - 1)
                sum = v3_mad(sum, unit * m->out->compliance[apart], normals[k]);
            for (uint32_t k = 1; !closed && k < N; ++k) sum = v3_mad(sum, unit * m->out->clamped[n * per + k], normals[k]);
            to[n] = sum;
        }
    }
    m->out->pressure = out;
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- all of it

sup_result bend_loads_create(const sup_bind_input* in, const bend_params* p, const bend_net* net, sup_arena* arena,
                             bend_loads* out, sup_error* error)
{
    bend_loads  made = { .terms = (uint32_t)p->terms, .founded = p->closed == SUP_BEND_FOUNDATION };
    loads_maker m = { in, p, net, arena, error, &made, NULL, 0, NULL, NULL };
    uint32_t    forces = in->world ? sup_world_plan_force_count(in->world) : 0;
    if (2 * made.terms + 1 > net->on.intervals) {
        made.terms = (net->on.intervals - 1) / 2; // the nodes could not resolve more
        if (made.founded)
            sup_note(in->notes, "%d terms need %d intervals, and there are %u: %u terms are used; raise intervals", p->terms,
                     2 * p->terms + 1, net->on.intervals, made.terms);
    }
    m.items = SUP_NEW(arena, bend_item, (size_t)forces * net->on.curves.curve_count + 1);
    sup_result r = m.items ? make_tables(&m) : sup_fail_memory(error, "bend");
    if (!r) r = make_pressure(&m);
    if (!r) r = find_loaded(&m, forces);
    for (uint32_t i = 0; i < forces && !r; ++i) {
        sup_force f;
        sup_world_plan_force(in->world, i, 0, &f);
        if (f.kind == SUP_FORCE_CURVE) r = make_curve_force(&m, &f, i);
        else if (f.kind == SUP_FORCE_BONE) r = make_bone_force(&m, &f, i);
        else r = bend_region_create(in, p, net, &f, i, arena, m.items, &m.item_count, error);
    }
    made.items = m.items;
    made.item_count = m.item_count;
    if (!r) *out = made;
    return r;
}
