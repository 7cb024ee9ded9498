// A force on a region of the surface: a clamped plate over the region's parameter grid (u across the curves, v along them)
// determines how far each curve bends, and least squares the forces on the curves that do so (You et al., 4.3).
#include "deform/bend/bend.h"
#include "math/vec.h"
#include "solve/plate/plate.h"

#include <string.h>

/// Map values below this do not count as painted.
#define PAINTED 0.01f
/// Intervals of the plate: least across all curves, least and most along them.
enum { ACROSS_LEAST = 24, ALONG_LEAST = 16, ALONG_MOST = 96, NODES_PER_INTERVAL = 2 };
/// Skin between the painted area and the clamped border, in nodes.
enum { MARGIN = 2 };

typedef struct region {
    const bend_net*  net;
    const sup_force* force;
    uint32_t         count; ///< curves, including the two on the boundary
    uint32_t*        chain;
    double           v0, v1; ///< v1 may lie beyond 1 on closed curves
    double           share;  ///< of the force
} region;

static float map_at(const region* g, uint32_t curve, double v)
{
    const bend_net* net = g->net;
    uint32_t        N = net->on.intervals;
    double          x = (v - (v >= 1 ? 1 : 0)) * N, value = 0;
    uint32_t        n = x < 0 ? 0 : x >= N ? N - 1 : (uint32_t)x;
    for (uint32_t i = 0; i < 2; ++i) {
        const sup_node_source* s = &net->on.sources[curve * (N + 1) + n + i];
        for (int k = 0; k < 4; ++k) value += (i ? x - n : 1 - (x - n)) * (double)s->share[k] * g->force->region[s->point[k]];
    }
    return (float)value;
}

static bool painted(const region* g, uint32_t curve)
{
    for (uint32_t n = 0; n <= g->net->on.intervals; ++n)
        if (map_at(g, curve, (double)n / g->net->on.intervals) > PAINTED) return true;
    return false;
}

/// Where along its curves a map is painted, plus a margin on both sides: the largest gap around closed curves lies outside.
static sup_result find_span(region* g, sup_error* error)
{
    uint32_t N = g->net->on.intervals, longest = 0, behind = 0;
    bool     any[SUP_PLATE_INTERVALS_MAX + 1] = { false }, closed = g->net->on.curves.curves[g->chain[1]].closed;
    for (uint32_t i = 1; i + 1 < g->count; ++i)
        for (uint32_t n = 0; n <= N; ++n) any[n] = any[n] || map_at(g, g->chain[i], (double)n / N) > PAINTED;
    if (!closed) {
        uint32_t low = 0, high = N;
        while (!any[low]) ++low;
        while (!any[high]) --high;
        if (low == 0 || high == N)
            return sup_fail(
                error, SUP_ERROR_INPUT,
                "bend: region of force '%s' touches the end of curve %u; paint it smaller, the plate is held on all sides",
                g->force->name, g->chain[1]);
        g->v0 = (double)(low > MARGIN ? low - MARGIN : 0) / N;
        g->v1 = (double)(high + MARGIN < N ? high + MARGIN : N) / N;
        return SUP_OK;
    }
    for (uint32_t start = 0; start < N; ++start) {
        uint32_t gap = 0;
        while (gap < N && !any[(start + gap) % N]) ++gap;
        if (gap > longest) longest = gap, behind = (start + gap) % N;
    }
    if (longest < 2)
        return sup_fail(error, SUP_ERROR_INPUT,
                        "bend: region of force '%s' goes all around curve %u and has no boundary to be held at; leave a gap",
                        g->force->name, g->chain[1]);
    uint32_t margin = longest / 3 < MARGIN ? longest / 3 : MARGIN;
    g->v0 = ((double)behind - margin) / N;
    g->v1 = g->v0 + (double)(N - longest - 1 + 2 * margin) / N;
    if (margin == 0) g->v0 -= 0.5 / N, g->v1 += 0.5 / N;
    if (g->v0 < 0) g->v0 += 1, g->v1 += 1;
    return SUP_OK;
}

/// Load at a place of the grid: u is in curves of the chain.
static double load_at(const region* g, double u, double v)
{
    if (!g->force->region) return 1;
    uint32_t i = (uint32_t)u < g->count - 1 ? (uint32_t)u : g->count - 2;
    double   t = u - i;
    return (1 - t) * (double)map_at(g, g->chain[i], v) + t * (double)map_at(g, g->chain[i + 1], v);
}

static void fill_load(const region* g, const sup_plate* p, uint32_t per_curve, double* x)
{
    double sum = 0;
    memset(x, 0, (size_t)(p->nu + 1) * (p->nv + 1) * sizeof *x);
    if (!g->force->region && g->force->at.z > 0) { // one place
        double   u = g->force->at.x * p->nu, v = g->force->at.y * p->nv;
        uint32_t i = u < p->nu ? (uint32_t)u : p->nu - 1, j = v < p->nv ? (uint32_t)v : p->nv - 1;
        for (uint32_t k = 0; k < 4; ++k)
            x[(i + k / 2) * (p->nv + 1) + j + k % 2] = (k / 2 ? u - i : 1 - (u - i)) * (k % 2 ? v - j : 1 - (v - j));
    } else
        for (uint32_t i = 1; i < p->nu; ++i)
            for (uint32_t j = 1; j < p->nv; ++j)
                x[i * (p->nv + 1) + j] = load_at(g, (double)i / per_curve, g->v0 + (g->v1 - g->v0) * j / p->nv);
    for (uint32_t i = 1; i < p->nu; ++i)
        for (uint32_t j = 1; j < p->nv; ++j) sum += x[i * (p->nv + 1) + j];
    for (uint32_t i = 0; sum > 0 && i < (p->nu + 1) * (p->nv + 1); ++i) x[i] /= sum * p->du * p->dv;
}

/// Deflections of one curve under the forces equivalent to the plate.
static void fit(const region* g, const bend_params* p, const double* x, uint32_t nv, double* fitted)
{
    double loads[SUP_BEND_SINES_MAX];
    if (p->equivalent == EQUIVALENT_POINT) {
        uint32_t top = nv / 2;
        for (uint32_t j = 0; j <= nv; ++j)
            if (x[j] > x[top]) top = j;
        double at = !g->force->region && g->force->at.z > 0 ? (double)g->force->at.y : (double)top / nv;
        sup_bend_fit_point(x, nv, at, fitted);
    } else if (p->equivalent == EQUIVALENT_SINES) sup_bend_fit_sines(x, nv, 8, loads, fitted);
    else memcpy(fitted, x, (nv + 1) * sizeof *fitted); // A x of the clamped curve: A^-1 returns x
}

static sup_result solve_region(const region* g, const bend_params* p, uint32_t number, sup_arena* arena, bend_item* items,
                               uint32_t* item_count, sup_error* error)
{
    const bend_net* net = g->net;
    uint32_t        N = net->on.intervals, gaps = g->count - 1, per_curve = (ACROSS_LEAST + gaps - 1) / gaps;
    if (gaps * per_curve > SUP_PLATE_INTERVALS_MAX) per_curve = SUP_PLATE_INTERVALS_MAX / gaps;
    if (per_curve == 0)
        return sup_fail(error, SUP_ERROR_INPUT, "bend: region of force '%s' covers %u curves; at most %d can be a plate",
                        g->force->name, g->count, SUP_PLATE_INTERVALS_MAX);
    double   length = 0, across = 0;
    uint32_t nv = (uint32_t)(NODES_PER_INTERVAL * (g->v1 - g->v0) * N + 0.5);
    nv = nv < ALONG_LEAST ? ALONG_LEAST : nv > ALONG_MOST ? ALONG_MOST : nv;
    for (uint32_t i = 0; i < g->count; ++i) {
        const sup_curve* c = &net->on.curves.curves[g->chain[i]];
        length += net->length[g->chain[i]] / g->count;
        if (i + 1 < g->count) across += net->width[g->chain[i]][c->sides[1] == g->chain[i + 1] ? 1 : 0];
    }
    if (!(length > 0 && across > 0))
        return sup_fail(error, SUP_ERROR_INPUT, "bend: region of force '%s' has no size", g->force->name);
    sup_arena* beside = sup_arena_beside(arena);
    sup_plate  plate;
    if (!beside) return sup_fail_memory(error, "bend");
    sup_result r = sup_plate_create(gaps * per_curve, nv, across / (gaps * per_curve), length * (g->v1 - g->v0) / nv, beside,
                                    &plate, error);
    double*    x = r ? NULL : SUP_NEW(beside, double, (size_t)(plate.nu + 1) * (nv + 1));
    double*    spare = r ? NULL : SUP_NEW(beside, double, plate.count);
    if (!r && (!x || !spare)) r = sup_fail_memory(error, "bend");
    if (!r) {
        fill_load(g, &plate, per_curve, x);
        sup_plate_solve(&plate, x, spare);
    }
    for (uint32_t i = 1; i < gaps && !r; ++i) {
        uint32_t c = g->chain[i];
        double   fitted[SUP_PLATE_INTERVALS_MAX + 1], width = 0.5 * (net->width[c][0] + net->width[c][1]);
        float*   shape = SUP_NEW(arena, float, N + 1);
        if (!shape) {
            r = sup_fail_memory(error, "bend");
            break;
        }
        fit(g, p, x + (size_t)i * per_curve * (nv + 1), nv, fitted);
        for (uint32_t n = 0; n <= N; ++n) {
            double v = (double)n / N, t = (v + (v < g->v0 ? 1 : 0) - g->v0) / (g->v1 - g->v0) * nv;
            if (!(t > 0 && t < nv)) continue;
            uint32_t j = (uint32_t)t;
            shape[n] = (float)(g->share * width * (fitted[j] + (t - j) * (fitted[j + 1] - fitted[j])));
        }
        items[(*item_count)++] = (bend_item){ number, c, shape, NULL };
    }
    sup_arena_destroy(beside);
    return r;
}

// ---------------------------------------------------------------------------------------------- which curves

static sup_result chain_of_range(region* g, const sup_character* character, sup_error* error)
{
    char             names[512];
    const sup_force* f = g->force;
    const bend_net*  net = g->net;
    uint32_t         all = net->on.curves.curve_count;
    bend_net_names(net, character, names, sizeof names);
    if (f->curve >= all || f->curve_last >= all)
        return sup_fail(error, SUP_ERROR_INPUT, "bend: region of force '%s' has the curves %u to %u; this link has %s", f->name,
                        f->curve, f->curve_last, names);
    for (uint32_t c = f->curve; c != SUP_NONE && g->count < all; c = net->on.curves.curves[c].sides[1]) {
        g->chain[g->count++] = c;
        if (c == f->curve_last) break;
    }
    if (g->chain[g->count - 1] != f->curve_last) {
        size_t at = 0;
        for (uint32_t i = 0; i < g->count && at + 16 < sizeof names; ++i)
            at += sup_format(names + at, sizeof names - at, "%s%u", i ? ", " : "", g->chain[i]);
        return sup_fail(
            error, SUP_ERROR_INPUT,
            "bend: region of force '%s': curve %u is not beside the curves from %u on, which are %s; where limbs leave, "
            "rings fall into pieces with neighbors of their own",
            f->name, f->curve_last, f->curve, names);
    }
    if (g->count < 3)
        return sup_fail(error, SUP_ERROR_INPUT,
                        "bend: region of force '%s' needs three curves, the outer two of which hold still", f->name);
    g->v0 = f->begin;
    g->v1 = f->end;
    g->share = 1;
    if (net->on.curves.curves[g->chain[1]].closed && g->v1 - g->v0 > 1 - 1.0 / net->on.intervals)
        return sup_fail(error, SUP_ERROR_INPUT,
                        "bend: region of force '%s' goes all around and touches itself; give from and to", f->name);
    return SUP_OK;
}

/// The chain of painted curves around one, including the two neighbors that are held fixed.
static sup_result chain_of_map(region* g, uint32_t curve, bool* done, sup_error* error)
{
    const sup_curve* curves = g->net->on.curves.curves;
    uint32_t         first = curve, all = g->net->on.curves.curve_count;
    // Back only where the neighbor leads here again: where limbs meet, two curves may have the same neighbor, and a chain from
    // there would miss this curve and could be empty.
    for (uint32_t i = 0; i < all; ++i) {
        uint32_t back = curves[first].sides[0];
        if (back == SUP_NONE || done[back] || curves[back].sides[1] != first || !painted(g, back)) break;
        first = back;
    }
    g->count = 1;
    uint32_t c = first;
    for (; g->count <= all && c != SUP_NONE && !done[c] && painted(g, c); c = curves[c].sides[1]) {
        g->chain[g->count++] = c;
        done[c] = true;
    }
    g->chain[0] = curves[first].sides[0];
    g->chain[g->count++] = c;
    if (g->chain[0] == SUP_NONE || c == SUP_NONE)
        return sup_fail(error, SUP_ERROR_INPUT,
                        "bend: region of force '%s' touches curve %u, the last of its limb; paint it smaller, the plate is "
                        "held on all sides",
                        g->force->name, c == SUP_NONE ? g->chain[g->count - 2] : first);
    return find_span(g, error);
}

static double painted_area(const region* g, uint32_t c)
{
    double sum = 0;
    for (uint32_t n = 0; n < g->net->on.intervals; ++n) sum += (double)map_at(g, c, (double)n / g->net->on.intervals);
    return sum * g->net->length[c] * (g->net->width[c][0] + g->net->width[c][1]);
}

sup_result bend_region_create(const sup_bind_input* in, const bend_params* p, const bend_net* net, const sup_force* force,
                              uint32_t number, sup_arena* arena, bend_item* items, uint32_t* item_count, sup_error* error)
{
    uint32_t all = net->on.curves.curve_count;
    region   g = { .net = net, .force = force, .chain = SUP_NEW(arena, uint32_t, (size_t)all + 2) };
    bool*    done = SUP_NEW(arena, bool, all);
    double   total = 0;
    if (!g.chain || !done) return sup_fail_memory(error, "bend");
    if (!force->region) {
        sup_result r = chain_of_range(&g, in->character, error);
        return r ? r : solve_region(&g, p, number, arena, items, item_count, error);
    }
    for (uint32_t c = 0; c < all; ++c) total += painted_area(&g, c);
    if (!(total > 0))
        return sup_fail(error, SUP_ERROR_INPUT,
                        "bend: region of force '%s' meets no curve of '%s'; paint more, or lay more curves", force->name,
                        in->character->name);
    for (uint32_t c = 0; c < all; ++c) {
        if (done[c] || !painted(&g, c)) continue;
        sup_result r = chain_of_map(&g, c, done, error);
        g.share = 0;
        for (uint32_t i = 1; !r && i + 1 < g.count; ++i) g.share += painted_area(&g, g.chain[i]) / total;
        if (!r) r = solve_region(&g, p, number, arena, items, item_count, error);
        if (r) return r;
    }
    return SUP_OK;
}
