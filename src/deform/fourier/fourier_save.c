// Contents of a binding's runtime file. The work is done here, so that a player needs only one kind of function, for v and
// for t. Sculpts, ringing, loads, held ends, rotating sections and what the series miss are all numbers that such functions
// move.
//   numbers: three per point (what the series miss), nine per section (rotation, shift, center), then coefficients
// Coefficients of one function are adjacent, so that a mode is one range of them: curves are numbered by kind, those with more
// waves first.
#include "deform/fourier/fourier.h"
#include "deform/fourier/fourier_file.h"
#include "math/vec.h"

#include <string.h>

enum { NOWHERE = 0xffff, SECTION = 9 };

/// Swings or decays per segment beyond which a player need not follow: a still or slower response is as close.
#define FAST_MOST 1e4

/// One function of one kind of curve: the curves that have it are adjacent, and so are their numbers.
typedef struct sfc_row {
    sup_fourier_kind kind;
    uint32_t         function, mode, first_curve, curves, first;
} sfc_row;

/// Rows of one mode.
typedef struct sfc_stretch {
    uint32_t mode, first, count;
} sfc_stretch;

typedef struct sfc_plan {
    const fourier_bound* b;
    sfc_file*            file;
    uint32_t*            number;                          ///< per curve
    uint32_t             row_count, stretch_count, coefs; ///< coefs: the first number that is a coefficient
    sfc_row*             rows;
    sfc_stretch*         stretches;
    uint32_t*            shapes; ///< [examples, then rates][stretch]
    uint32_t (*left)[2];         ///< [example]: what the series miss, coarse and fine
    uint32_t (*turns)[2];
    double* values; ///< of all numbers of one shape
} sfc_plan;

static const sup_closed_form one = { .powers = { 1 } };

// ---------------------------------------------------------------------------------------------- rows

/// Curves by kind, more functions first.
static void number_curves(sfc_plan* p, uint32_t* order)
{
    const fourier_series* s = p->b->net.series;
    uint32_t              n = p->b->net.curves.curve_count, at = 0;
    for (uint32_t kind = SUP_FOURIER_CLOSED; kind <= SUP_FOURIER_CANTILEVER; ++kind)
        for (uint32_t functions = SUP_FOURIER_FUNCTIONS_MAX + 1; functions-- > 0;)
            for (uint32_t c = 0; c < n; ++c)
                if (s[c].kind == kind && s[c].functions == functions) order[at] = c, p->number[c] = at++;
}

static void make_rows(sfc_plan* p, const uint32_t* order)
{
    const fourier_series* s = p->b->net.series;
    uint32_t              n = p->b->net.curves.curve_count, at = p->coefs;
    for (uint32_t begin = 0, end; begin < n; begin = end) {
        const fourier_series* first = &s[order[begin]];
        for (end = begin; end < n && s[order[end]].kind == first->kind;) ++end;
        for (uint32_t f = 0; f < first->functions; ++f) {
            sfc_row r = { first->kind, f, p->b->motion.mode[first->packed + f], begin, 0, at };
            while (begin + r.curves < end && s[order[begin + r.curves]].functions > f) ++r.curves;
            sfc_stretch* last = p->stretch_count ? &p->stretches[p->stretch_count - 1] : NULL;
            if (!last || last->mode != r.mode || f == 0) {
                last = &p->stretches[p->stretch_count++];
                *last = (sfc_stretch){ r.mode, at, 0 };
            }
            last->count += 3 * r.curves;
            at += 3 * r.curves;
            p->rows[p->row_count++] = r;
        }
    }
    p->file->numbers = at;
}

static const sfc_row* find_row(const sfc_plan* p, sup_fourier_kind kind, uint32_t function)
{
    const sfc_row* r = p->rows;
    while (r->kind != kind || r->function != function) ++r;
    return r;
}

/// The first of the three numbers of a coefficient.
static uint32_t number_of(const sfc_plan* p, uint32_t curve, uint32_t function)
{
    const sfc_row* r = find_row(p, p->b->net.series[curve].kind, function);
    return r->first + 3 * (p->number[curve] - r->first_curve);
}

static void put_rows(const sfc_plan* p)
{
    for (uint32_t i = 0; i < p->row_count; ++i) {
        const sfc_row*      r = &p->rows[i];
        sup_fourier_element e[SUP_FOURIER_ELEMENTS_MAX];
        sfc_function        f = sfc_add_function(p->file, e, sup_fourier_elements(r->kind, r->function, e));
        sfc_put(p->file, SFC_ROW, f.first, 4), sfc_put(p->file, SFC_ROW, f.count, 4);
        sfc_put(p->file, SFC_ROW, r->first_curve, 4), sfc_put(p->file, SFC_ROW, r->curves, 4);
        sfc_put(p->file, SFC_ROW, r->first, 4);
    }
}

// ---------------------------------------------------------------------------------------------- motions

/// y'' + eta y' + h y = force for several initial states and forces.
typedef struct sfc_motion {
    double          eta, h;
    sup_closed_task response[3];
} sfc_motion;

enum law { STILL, LAG, SWING };

/// Without mass an oscillator lags, without drag as well it is static; what is too fast to follow counts as absent.
static enum law law_of(const sup_oscillator* x)
{
    if (x->rho > 0 && sqrt(x->h / x->rho) + x->eta / x->rho < FAST_MOST) return SWING;
    bool heavy = x->rho > 0 && x->eta * x->eta < 4 * x->rho * x->h;
    return x->eta > 0 && !heavy && x->h / x->eta < FAST_MOST ? LAG : STILL;
}

/// Ramps and cubics alone, described by their y''.
static sfc_motion still_motion(sup_ramp ramp, uint32_t responses)
{
    static const sup_closed_task ramps[3] = { { 1, { 0 } }, { 0, { 6, -12 } }, { 0, { 0, 60, -360, 720 } } };
    sfc_motion                   m = { .response = { ramps[ramp] } };
    if (responses == 3) m = (sfc_motion){ .response = { ramps[SUP_RAMP_SMOOTHSTEP], { 1, { -4, 6 } }, { 0, { -2, 6 } } } };
    return m;
}

/// The response of an oscillator in a segment to a unit of change, of start rate and of end rate: e0 + e1 r(t) drives it.
static sfc_motion swing_motion(const sup_oscillator* x, bool hermite, sup_ramp ramp)
{
    static const double derivatives[3][SUP_CLOSED_DERIVATIVES + 1] = { { 0, 1 }, { 0, 0, 6, -12 }, { 0, 0, 0, 60, -360, 720 } };
    const double*       r = derivatives[hermite ? SUP_RAMP_LINEAR : ramp];
    double              drive[3][2] = { { 0, x->share }, { 0, -x->psi * x->share }, { 0, 0 } };
    enum law            law = law_of(x);
    sfc_motion          m = { .eta = law == LAG ? x->h / x->eta : x->eta / x->rho, .h = law == LAG ? 0 : x->h / x->rho };
    for (int i = 0; hermite && i < 2; ++i) {
        drive[0][i] = x->hermite[i][0];
        drive[1][i] = -x->hermite[i][0] * x->psi - x->hermite[i][1] * x->psi_rate;
        drive[2][i] = x->hermite[i][1];
    }
    for (uint32_t w = 0; w < 3; ++w) {
        double force[SUP_CLOSED_DERIVATIVES + 1];
        for (uint32_t i = 0; i <= SUP_CLOSED_DERIVATIVES; ++i) force[i] = drive[w][1] * r[i] + (i == 0 ? drive[w][0] : 0);
        // The derivative of eta y' + h y = f is the equation of a player: y'' + h/eta y' = f'/eta.
        for (uint32_t i = 0; i < SUP_CLOSED_DERIVATIVES; ++i)
            m.response[w].force[i] = law == LAG ? force[i + 1] / x->eta : force[i] / x->rho;
        m.response[w].rate = law == LAG ? force[0] / x->eta : w == 1;
    }
    return m;
}

// ---------------------------------------------------------------------------------------------- pieces of time

/// A piece of a motion, wherever it occurs in one pass of a loop: its ends match its neighbors' bit for bit.
typedef struct sfc_span {
    uint32_t count, piece[3];
} sfc_span;

static sfc_span add_span(const sfc_plan* p, double from, double until, double unit)
{
    sfc_file* f = p->file;
    sfc_span  s = { .count = 0 };
    if (!(f->period > 0)) {
        s.piece[s.count++] = sfc_add_piece(f, from, until, isfinite(from) ? from : 0, unit);
        return s;
    }
    for (int pass = -1; pass <= 1; ++pass) {
        double a = from + pass * f->period, b = until + pass * f->period, end = f->begin + f->period;
        if (!(b > f->begin && a < end)) continue;
        s.piece[s.count++] = sfc_add_piece(f, a <= f->begin ? -HUGE_VAL : a, b >= end ? HUGE_VAL : b, a, unit);
    }
    return s;
}

// ---------------------------------------------------------------------------------------------- shapes

/// Two shapes for p->values, the second for what the first rounds away: together as precise as a float.
static void add_fine(const sfc_plan* p, uint32_t count, uint32_t shape[2])
{
    double* fine = p->values + p->file->numbers;
    memcpy(fine, p->values, count * sizeof *fine);
    shape[0] = sfc_add_shape(p->file, p->values, count);
    for (uint32_t i = 0; i < count; ++i) fine[i] -= p->values[i];
    shape[1] = sfc_add_shape(p->file, fine, count);
}

/// Our coefficients of one block in the file's order; they become what a player reads.
static void put_coefficients(const sfc_plan* p, const float* block, uint32_t shape)
{
    const fourier_bound* b = p->b;
    double*              c = p->values;
    for (uint32_t k = 0; k < b->net.curves.curve_count; ++k) {
        const fourier_series* s = &b->net.series[k];
        for (uint32_t f = 0; f < s->functions; ++f)
            for (uint32_t d = 0, at = number_of(p, k, f); d < 3; ++d)
                c[at + d] = (double)block[b->motion.index[s->packed + f] + d];
    }
    for (uint32_t i = 0; i < p->stretch_count; ++i)
        p->shapes[(size_t)shape * p->stretch_count + i] =
            sfc_add_shape(p->file, c + p->stretches[i].first, p->stretches[i].count);
}

/// What a player's series give for p->values at a point: its place is rounded as in the file.
static sup_vec3 series_at(const sfc_plan* p, const fourier_place* place)
{
    sup_vec3 q = { 0, 0, 0 };
    for (int k = 0; k < 2; ++k) {
        if (place->curve[k] == SUP_NONE) continue;
        const fourier_series* s = &p->b->net.series[place->curve[k]];
        double                f[SUP_FOURIER_FUNCTIONS_MAX], share = sfc_share(place->share[k]);
        sup_fourier_values(s->kind, s->terms, sfc_share(place->v[k]), f);
        for (uint32_t i = 0; i < s->functions; ++i) {
            const double* c = p->values + number_of(p, place->curve[k], i);
            q = v3_add(q, v3((float)(share * f[i] * c[0]), (float)(share * f[i] * c[1]), (float)(share * f[i] * c[2])));
        }
    }
    return q;
}

/// Every example: its coefficients, its section rotations, and what a player's series miss of it.
static void put_shapes(const sfc_plan* p)
{
    const fourier_bound* b = p->b;
    const sup_modal*     m = &b->dynamics.modal;
    uint32_t             stations = b->dynamics.sections.station_count;
    bool                 rates = false;
    for (uint32_t j = 0; j < m->examples; ++j) {
        put_coefficients(p, m->shape + (size_t)j * m->block, j);
        if (b->residual != RESIDUAL_NONE) {
            for (uint32_t i = 0; i < b->dynamics.point_count; ++i) {
                sup_vec3 d = v3_sub(b->dynamics.segments.q[j][i], series_at(p, &b->net.places[i]));
                p->values[3 * i] = d.x, p->values[3 * i + 1] = d.y, p->values[3 * i + 2] = d.z;
            }
            if (b->residual == RESIDUAL_EXACT) add_fine(p, 3 * b->dynamics.point_count, p->left[j]);
            else p->left[j][0] = sfc_add_shape(p->file, p->values, 3 * b->dynamics.point_count);
        }
        memset(p->values, 0, (size_t)SECTION * stations * sizeof *p->values);
        for (uint32_t i = 0; i < 6 * stations; ++i)
            p->values[SECTION * (i / 6) + i % 6] = (double)b->dynamics.sections.turns[(size_t)j * 6 * stations + i];
        add_fine(p, SECTION * stations, p->turns[j]);
    }
    for (uint32_t k = 0; k < m->modes; ++k) rates |= m->smooth && m->segments && !m->still[k] && !m->hermite[k];
    for (uint32_t j = 0; rates && j < m->segments; ++j) put_coefficients(p, m->rate + (size_t)j * m->block, m->examples + j);
    if (b->settle && m->segments && !(m->period > 0))
        put_coefficients(p, m->rate + (size_t)m->segments * m->block, m->examples + m->segments);
}

// ---------------------------------------------------------------------------------------------- examples

/// What moves in a piece of the examples' motion: the examples before it, at its start, at its end and after it, then carried
/// rates (of the last piece: the rates that ring out).
enum { BEFORE, FROM, TO, BEHIND, RATES, MOTIONS };

static void add_tangent(const sup_modal* m, uint32_t example, uint32_t from, double scale, const sup_closed_form* response,
                        sup_closed_form out[MOTIONS])
{
    sup_tangent t = sup_modal_tangent(m, example);
    // One of the segment's two ends is the example itself, and the other one of its neighbors.
    bool first = example == from;
    sup_closed_add(&out[first ? BEFORE : FROM], -scale * t.scale, response);
    sup_closed_add(&out[first ? TO : BEHIND], scale * t.scale, response);
}

/// The carrier in a segment: the cubic, the ramp, or the path of least force.
static void carry_segment(const sup_modal* m, uint32_t segment, double share, sup_closed_form out[MOTIONS])
{
    double   T = m->times[segment + 1] - m->times[segment];
    uint32_t to = segment + 1 < m->examples ? segment + 1 : 0;
    if (m->fade > 0) {
        sup_closed_form path[4];
        double          speed[3];
        sup_closed_fading(m->fade, T, path);
        sup_closed_add(&out[FROM], share, &path[0]), sup_closed_add(&out[TO], share, &path[1]);
        for (uint32_t end = 0; end < 2; ++end) {
            sup_modal_speed(m, end ? to : segment, speed);
            for (uint32_t i = 0; i < 3; ++i) sup_closed_add(&out[BEFORE + end + i], share * speed[i], &path[2 + end]);
        }
        return;
    }
    sfc_motion      still = still_motion(m->ramp, m->smooth ? 3 : 1);
    sup_closed_form response = sup_closed_solve(0, 0, &still.response[0], false);
    sup_closed_add(&out[FROM], share, &one), sup_closed_add(&out[FROM], -share, &response),
        sup_closed_add(&out[TO], share, &response);
    for (uint32_t end = 0; m->smooth && end < 2; ++end) {
        response = sup_closed_solve(0, 0, &still.response[1 + end], false);
        add_tangent(m, end ? to : segment, segment, share * T, &response, out);
    }
}

/// An oscillator in a segment.
static void swing_segment(const sup_modal* m, uint32_t segment, uint32_t mode, double share, sup_closed_form out[MOTIONS])
{
    double          T = m->times[segment + 1] - m->times[segment];
    uint32_t        to = segment + 1 < m->examples ? segment + 1 : 0;
    sfc_motion      motion = swing_motion(&m->oscillators[(size_t)segment * m->modes + mode], m->hermite[mode], m->ramp);
    sup_closed_form response[3];
    for (int i = 0; i < 3; ++i) response[i] = sup_closed_solve(motion.eta, motion.h, &motion.response[i], false);
    sup_closed_add(&out[FROM], share, &one), sup_closed_add(&out[FROM], -share, &response[0]);
    sup_closed_add(&out[TO], share, &response[0]);
    if (!m->smooth) return;
    if (!m->hermite[mode]) {
        sup_closed_add(&out[RATES], share, &response[1]);
        return;
    }
    add_tangent(m, segment, segment, share * T, &response[1], out);
    add_tangent(m, to, segment, share * T, &response[2], out);
}

/// All motions of one mode in a segment; SUP_NONE: what only follows the examples.
static void find_motions(const sfc_plan* p, uint32_t segment, uint32_t mode, sup_closed_form out[MOTIONS])
{
    const sup_modal* m = &p->b->dynamics.modal;
    bool             rings = segment == m->segments, moves = mode != SUP_NONE && !m->still[mode] && (rings || !(m->fade > 0));
    double           sway = moves ? (double)p->b->sway : 0;
    memset(out, 0, MOTIONS * sizeof *out);
    if (rings) out[FROM] = one;
    else if (sway != 1) carry_segment(m, segment, 1 - sway, out);
    if (!moves) return;
    const sup_oscillator* x = &m->oscillators[(size_t)(rings ? segment - 1 : segment) * m->modes + mode];
    if (!rings && law_of(x) == STILL) carry_segment(m, segment, sway, out);
    else if (!rings) swing_segment(m, segment, mode, sway, out);
    else if (law_of(x) == SWING) {
        sup_closed_form ring = sup_closed_solve(x->eta / x->rho, x->h / x->rho, &(sup_closed_task){ .rate = 1 }, true);
        sup_closed_add(&out[RATES], sway, &ring);
    }
}

/// What follows an example as a whole: sections, and what the series miss.
static void carry_example(const sfc_plan* p, uint32_t piece, sfc_function function, uint32_t example)
{
    uint32_t points = 3 * p->b->dynamics.point_count;
    for (int fine = 0; fine < 2; ++fine) {
        sfc_add_move(p->file, piece, function, 0, points, p->left[example][fine]);
        sfc_add_move(p->file, piece, function, points, p->coefs - points, p->turns[example][fine]);
    }
}

/// `shape`: an example, or after them the rates of a segment.
static void move_stretch(const sfc_plan* p, uint32_t piece, sfc_function function, uint32_t shape, uint32_t stretch)
{
    const sfc_stretch* s = &p->stretches[stretch];
    sfc_add_move(p->file, piece, function, s->first, s->count, p->shapes[(size_t)shape * p->stretch_count + stretch]);
}

static void hold_example(const sfc_plan* p, double from, double until, uint32_t example)
{
    sfc_span     span = add_span(p, from, until, 1);
    sfc_function still = sfc_add_motion(p->file, &one);
    for (uint32_t i = 0; i < span.count; ++i) {
        carry_example(p, span.piece[i], still, example);
        for (uint32_t s = 0; s < p->stretch_count; ++s) move_stretch(p, span.piece[i], still, example, s);
    }
}

static void put_segment(const sfc_plan* p, uint32_t segment, double from, double until, double unit)
{
    const sup_modal* m = &p->b->dynamics.modal;
    uint32_t         n = m->examples;
    bool             rings = segment == m->segments, around = m->period > 0;
    uint32_t         start = rings ? n - 1 : segment, to = segment + 1 < n ? segment + 1 : around ? 0 : start;
    uint32_t         shape[MOTIONS] = { start    ? start - 1
                                        : around ? n - 1
                                                 : start,
                                start, to,
                                to + 1 < n ? to + 1
                                : around   ? 0
                                           : to,
                                n + segment };
    sfc_span        span = add_span(p, from, until, unit);
    sup_closed_form motions[MOTIONS];
    find_motions(p, segment, SUP_NONE, motions);
    for (uint32_t w = 0; w < RATES; ++w) {
        sfc_function f = sfc_add_motion(p->file, &motions[w]);
        for (uint32_t i = 0; i < span.count; ++i) carry_example(p, span.piece[i], f, shape[w]);
    }
    for (uint32_t s = 0; s < p->stretch_count; ++s) {
        find_motions(p, segment, p->stretches[s].mode, motions);
        for (uint32_t w = 0; w < MOTIONS; ++w) {
            sfc_function f = sfc_add_motion(p->file, &motions[w]);
            for (uint32_t i = 0; i < span.count; ++i) move_stretch(p, span.piece[i], f, shape[w], s);
        }
    }
}

static void put_examples(const sfc_plan* p)
{
    const sup_modal* m = &p->b->dynamics.modal;
    uint32_t         last = m->segments;
    if (p->b->dynamics.sections.station_count) { // centers do not move
        uint32_t        points = 3 * p->b->dynamics.point_count, count = p->coefs - points;
        sfc_function    still = sfc_add_motion(p->file, &one);
        uint32_t        piece = sfc_add_piece(p->file, -HUGE_VAL, HUGE_VAL, 0, 1);
        const sup_vec3* c = p->b->dynamics.sections.centers;
        memset(p->values, 0, count * sizeof *p->values);
        for (uint32_t i = 0; i < count; i += SECTION)
            p->values[i + 6] = c[i / SECTION].x, p->values[i + 7] = c[i / SECTION].y, p->values[i + 8] = c[i / SECTION].z;
        uint32_t shape[2];
        add_fine(p, count, shape);
        for (int fine = 0; fine < 2; ++fine) sfc_add_move(p->file, piece, still, points, count, shape[fine]);
    }
    if (last == 0) {
        hold_example(p, -HUGE_VAL, HUGE_VAL, 0);
        return;
    }
    if (!(m->period > 0)) hold_example(p, -HUGE_VAL, m->times[0], 0);
    for (uint32_t j = 0; j < last; ++j) put_segment(p, j, m->times[j], m->times[j + 1], m->times[j + 1] - m->times[j]);
    if (m->period > 0) return;
    if (p->b->settle) put_segment(p, last, m->times[last], HUGE_VAL, m->times[last] - m->times[last - 1]);
    else hold_example(p, m->times[last], HUGE_VAL, last);
}

// ---------------------------------------------------------------------------------------------- loads

/// Initial value and rate of a load's coefficient at a key, and its driving force, as `law` requires.
static void drive(enum law law, const sup_oscillator* x, double T, const double* state, double from, double to,
                  double arrays[4])
{
    double base = law == STILL ? (x->h > 0 ? from / x->h : 0) : state[0], rho = x->rho, eta = x->eta;
    arrays[0] = base;
    arrays[1] = law == SWING ? state[3] * T : law == LAG ? (from - x->h * base) * T / eta : x->h > 0 ? (to - from) / x->h : 0;
    arrays[2] = law == SWING ? (from - x->h * base) * T * T / rho : law == LAG ? (to - from) * T / eta : 0;
    arrays[3] = law == SWING ? (to - from) * T * T / rho : 0;
}

/// Its value at the key, its rate there, its driving force, and the growth of that.
enum { LOAD_WAYS = 4 };

/// One coefficient under a load, from one key to the next.
static void put_load(const sfc_plan* p, const sup_modal_force* f, uint32_t key, uint32_t entry, uint32_t number,
                     const sfc_span* span)
{
    static const sup_closed_task tasks[LOAD_WAYS] = { { 0 }, { 1, { 0 } }, { 0, { 1 } }, { 0, { 0, 1 } } };
    const sup_modal*             m = &p->b->dynamics.modal;
    const sup_modal_entry*       e = &f->entries[entry];
    bool                         last = key + 1 == f->key_count, hold = last || (f->steps && f->steps[key]);
    double                       T = last ? 1 : f->times[key + 1] - f->times[key], ways[LOAD_WAYS][3];
    const double *               state = f->states + ((size_t)key * m->modes + e->mode) * 6, *v = f->values + 3 * (size_t)key;
    sup_oscillator               x = sup_modal_in_seconds(m, e->mode), over = sup_oscillator_last(&x, T);
    enum law                     law = f->following[e->mode] ? STILL : law_of(&over);
    double                       eta = law == SWING ? T * x.eta / x.rho : law == LAG ? T * x.h / x.eta : 0;
    for (uint32_t d = 0; d < 3; ++d) {
        double arrays[LOAD_WAYS];
        drive(law, &x, T, state + d, v[d], hold ? v[d] : v[3 + d], arrays);
        for (uint32_t w = 0; w < LOAD_WAYS; ++w) ways[w][d] = e->share * arrays[w];
    }
    for (uint32_t w = 0; w < LOAD_WAYS; ++w) {
        sup_closed_form response = one;
        if (w) response = sup_closed_solve(eta, law == SWING ? T * T * x.h / x.rho : 0, &tasks[w], last);
        sfc_function function = sfc_add_motion(p->file, &response);
        uint32_t     shape = sfc_add_shape(p->file, ways[w], 3);
        for (uint32_t i = 0; i < span->count; ++i) sfc_add_move(p->file, span->piece[i], function, number, 3, shape);
        // Before the first key it has the value of that key.
        if (key == 0 && w == 0 && !(f->period > 0)) sfc_add_move(p->file, span->piece[0] - 1, function, number, 3, shape);
    }
}

static void put_force(const sfc_plan* p, const sup_modal_force* f, uint32_t curve)
{
    uint32_t held = sup_fourier_held(p->b->net.series[curve].kind), keys = f->period > 0 ? f->key_count - 1 : f->key_count;
    if (!(f->period > 0)) sfc_add_piece(p->file, -HUGE_VAL, f->times[0], 0, 1);
    for (uint32_t j = 0; j < keys; ++j) {
        bool     last = j + 1 == f->key_count;
        sfc_span span = add_span(p, f->times[j], last ? HUGE_VAL : f->times[j + 1], last ? 1 : f->times[j + 1] - f->times[j]);
        for (uint32_t i = 0; i < f->entry_count; ++i) put_load(p, f, j, i, number_of(p, curve, held + i), &span);
    }
}

// ---------------------------------------------------------------------------------------------- points

static void put_points(const sfc_plan* p)
{
    const fourier_bound* b = p->b;
    const sup_sections*  s = &b->dynamics.sections;
    const sup_push*      push = &b->dynamics.segments.push;
    sfc_file*            f = p->file;
    uint32_t             turning = s->station_count ? b->dynamics.point_count : 0;
    for (uint32_t i = 0; i < b->dynamics.point_count; ++i)
        for (int k = 0; k < 2; ++k) {
            const fourier_place* on = &b->net.places[i];
            sfc_put(f, SFC_PLACE, on->curve[k] == SUP_NONE ? NOWHERE : p->number[on->curve[k]], 2);
            sfc_put_share(f, SFC_PLACE, on->v[k]), sfc_put_share(f, SFC_PLACE, on->share[k]);
        }
    for (uint32_t i = 0; i < turning; ++i) {
        sup_vec3 rest = push->character->mesh.points[i];
        sfc_put(f, SFC_STAND, s->station[i] == SUP_NONE ? NOWHERE : s->station[i], 2), sfc_put_share(f, SFC_STAND, s->ratio[i]);
        sfc_put_float(f, SFC_REST, rest.x), sfc_put_float(f, SFC_REST, rest.y), sfc_put_float(f, SFC_REST, rest.z);
    }
    for (uint32_t i = 0; fourier_weakened(b) && i < b->dynamics.point_count; ++i)
        sfc_put_share(f, SFC_STRENGTH, fourier_strength(b, i));
    for (uint32_t i = 0; i < push->turned_count; ++i)
        sfc_put(f, SFC_LEAN, push->turned[i], 4), sfc_put_share(f, SFC_LEAN, push->lifted[i]), sfc_put(f, SFC_LEAN, 0, 2);
}

// ---------------------------------------------------------------------------------------------- all of it

static sup_result check(const fourier_bound* b, sup_error* error)
{
    if (b->dynamics.segments.posed)
        return sup_fail(
            error, SUP_ERROR_INPUT,
            "fourier: a runtime file plays over time, and here the pose drives; bind with the clip of the examples");
    if (b->net.curves.curve_count >= NOWHERE || b->dynamics.sections.station_count >= NOWHERE)
        return sup_fail(error, SUP_ERROR_INPUT,
                        "fourier: %u curves and %u sections are too many for a runtime file; at most 65534 of each",
                        b->net.curves.curve_count, b->dynamics.sections.station_count);
    return SUP_OK;
}

static sup_result make_plan(const fourier_bound* b, sup_arena* arena, sfc_file* file, sfc_plan* out, sup_error* error)
{
    const sup_modal* m = &b->dynamics.modal;
    uint32_t         curves = b->net.curves.curve_count, shapes = m->examples + m->segments + 1;
    enum { ROWS = (SUP_FOURIER_CANTILEVER + 1) * SUP_FOURIER_FUNCTIONS_MAX };
    sfc_plan  p = { .b = b, .file = file };
    uint32_t* order = SUP_NEW(arena, uint32_t, (size_t)curves + 1);
    p.coefs = 3 * b->dynamics.point_count + SECTION * b->dynamics.sections.station_count;
    p.number = SUP_NEW(arena, uint32_t, (size_t)curves + 1);
    p.rows = SUP_NEW(arena, sfc_row, ROWS);
    p.stretches = SUP_NEW(arena, sfc_stretch, ROWS);
    if (!order || !p.number || !p.rows || !p.stretches) return sup_fail_memory(error, "a runtime file");
    number_curves(&p, order);
    make_rows(&p, order);
    p.shapes = SUP_NEW(arena, uint32_t, (size_t)shapes * p.stretch_count + 1);
    p.left = sup_arena_alloc(arena, shapes, sizeof *p.left);
    p.turns = sup_arena_alloc(arena, shapes, sizeof *p.turns);
    p.values = SUP_NEW(arena, double, 2 * ((size_t)file->numbers + SECTION));
    if (!p.shapes || !p.left || !p.turns || !p.values) return sup_fail_memory(error, "a runtime file");
    memset(p.shapes, 0xff, (size_t)shapes * p.stretch_count * sizeof *p.shapes); // SUP_NONE
    memset(p.left, 0xff, shapes * sizeof *p.left);
    memset(p.turns, 0xff, shapes * sizeof *p.turns);
    *out = p;
    return SUP_OK;
}

sup_result fourier_save(const sup_binding* binding, sup_arena* arena, const void** bytes, size_t* size, sup_error* error)
{
    const fourier_bound* b = binding->data;
    const sup_modal*     m = &b->dynamics.modal;
    sfc_file   file = { .arena = arena, .points = b->dynamics.point_count, .begin = m->times[0], .period = m->period };
    sfc_plan   plan;
    sup_result r = check(b, error);
    if (!r) r = make_plan(b, arena, &file, &plan, error);
    if (r) return r;
    for (uint32_t i = 0; i < b->dynamics.forces.count; ++i)
        if (b->dynamics.forces.forces[i].period > 0)
            file.begin = b->dynamics.forces.forces[i].times[0], file.period = b->dynamics.forces.forces[i].period;
    put_rows(&plan);
    put_points(&plan);
    put_shapes(&plan);
    put_examples(&plan);
    for (uint32_t i = 0; i < b->dynamics.forces.count; ++i)
        put_force(&plan, &b->dynamics.forces.forces[i], b->dynamics.forces.curves[i]);
    return sfc_finish(&file, bytes, size, error);
}
