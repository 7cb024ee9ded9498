// The runtime file of a binding (.sfc, docs/deformers/fourier.md): what a game evaluates at any time, in a few dozen lines. The
// work is done here, so that a player knows one kind of function, of v as of t: a polynomial and x^p exp(g (x - s)) cos(k x -
// phase). Sculpts, ringing, loads, held ends and the shares of examples are all that.
#include "deform/fourier/fourier.h"
#include "math/vec.h"
#include "solve/closed_form.h"

#include <string.h>

enum { SFC_VERSION = 2, SFC_HASHED = 16, NOWHERE = 0xffff };

/// Swings or decays of a segment beyond which a player need not follow: a still or slower answer is as near.
#define FAST_MOST 1e4

enum type { U16 = 1, I16, U32, F32, F64 };

/// Grows in two passes: without memory it only counts.
typedef struct sfc_out {
    uint8_t* bytes;
    size_t   size;
    size_t   began;  ///< the array that is being written
    uint32_t arrays; ///< so far
    uint32_t all;
} sfc_out;

static const uint32_t type_sizes[] = { 0, 2, 2, 4, 4, 8 };
enum { ENTRY = 16 };

/// Little-endian on every machine.
static void put(sfc_out* o, uint64_t value, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; ++i) {
        if (o->bytes) o->bytes[o->size] = (uint8_t)(value >> 8 * i);
        ++o->size;
    }
}

static void put_float(sfc_out* o, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put(o, bits, 4);
}

static void put_double(sfc_out* o, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put(o, bits, 8);
}

static void put_vector(sfc_out* o, sup_vec3 v) { put_float(o, v.x), put_float(o, v.y), put_float(o, v.z); }

/// Ends an array: says in the list at the front what it is and where it stands.
static void end_array(sfc_out* o, enum type type)
{
    sfc_out entry = { .bytes = o->bytes, .size = SFC_HASHED + (size_t)ENTRY * o->arrays++ };
    put(&entry, type, 4), put(&entry, (o->size - o->began) / type_sizes[type], 4), put(&entry, o->began, 8);
    while (o->size % 8) put(o, 0, 1);
    o->began = o->size;
}

static uint32_t share16(float x) { return (uint32_t)(sup_clampf(x, 0, 1) * 65535.0f + 0.5f); }

// ---------------------------------------------------------------------------------------------- functions

typedef struct sfc_function {
    sup_fourier_element element;
    uint32_t            mode; ///< of the file: 0 is the carrier, then ours
} sfc_function;

/// One coefficient of ours in the file's: where, and how much.
typedef struct sfc_split {
    uint32_t count, at[SUP_FOURIER_ELEMENTS_MAX];
    double   amplitude[SUP_FOURIER_ELEMENTS_MAX];
} sfc_split;

typedef struct sfc_plan {
    const fourier_bound* b;
    sfc_function*        functions;
    uint32_t             function_count;
    uint32_t*            first;    ///< coefficients of each curve, and the end
    uint16_t*            function; ///< per coefficient
    sfc_split*           splits;   ///< per packed coefficient of ours
    uint32_t             weights;  ///< examples whose shares stand behind the curves' coefficients
    const sup_vec3*      left;
    sup_closed_form*     motions; ///< those that differ
    uint32_t             motion_count;
    bool                 ready; ///< all of them are known
    bool                 rates; ///< some modes carry theirs from example to example
    float*               row;   ///< one array of a track
} sfc_plan;

static uint32_t find_function(sfc_plan* p, const sup_fourier_element* e, uint32_t mode)
{
    sfc_function f = { *e, mode };
    f.element.amplitude = 0;
    for (uint32_t i = 0; i < p->function_count; ++i) {
        const sup_fourier_element* x = &p->functions[i].element;
        if (p->functions[i].mode == mode && x->power == e->power && x->growth == e->growth && x->from == e->from &&
            x->wave == e->wave && x->phase == e->phase)
            return i;
    }
    p->functions[p->function_count] = f;
    return p->function_count++;
}

/// The series as elements; those that two functions of a curve share (powers of v) are one coefficient.
static void split_curve(sfc_plan* p, uint32_t curve)
{
    const fourier_series* s = &p->b->net.series[curve];
    uint32_t              begin = p->first[curve], end = begin;
    for (uint32_t f = 0; f < s->functions; ++f) {
        sup_fourier_element e[SUP_FOURIER_ELEMENTS_MAX];
        sfc_split*          split = &p->splits[s->packed + f];
        split->count = sup_fourier_elements(s->kind, f, e);
        for (uint32_t i = 0; i < split->count; ++i) {
            uint32_t which = find_function(p, &e[i], 1 + p->b->motion.mode[s->packed + f]), at = begin;
            while (at < end && p->function[at] != which) ++at;
            p->function[at] = (uint16_t)which;
            if (at == end) ++end;
            split->at[i] = at;
            split->amplitude[i] = e[i].amplitude;
        }
    }
    p->first[curve + 1] = end;
}

static void put_functions(sfc_out* o, const sfc_plan* p)
{
    uint32_t curves = p->b->net.curves.curve_count;
    for (uint32_t i = 0; i < p->function_count; ++i) {
        const sup_fourier_element* e = &p->functions[i].element;
        put_double(o, e->power), put_double(o, e->growth), put_double(o, e->from);
        put_double(o, e->wave), put_double(o, e->phase);
    }
    end_array(o, F64);
    for (uint32_t c = 0; c <= curves; ++c) put(o, p->first[c], 4);
    end_array(o, U32);
    for (uint32_t i = 0; i < p->first[curves]; ++i) put(o, p->function[i], 2);
    end_array(o, U16);
    for (uint32_t i = 0; i < p->first[curves] + p->weights; ++i)
        put(o, i < p->first[curves] ? p->functions[p->function[i]].mode : 0, 2);
    end_array(o, U16);
}

// ---------------------------------------------------------------------------------------------- motions

/// y'' + eta y' + h y = force for several starts and forces.
typedef struct sfc_motion {
    double          eta, h;
    sup_closed_task way[3];
} sfc_motion;

/// Segments of one length have the same answers: each is kept once, to what a double tells apart after a few operations.
static void put_answer(sfc_out* o, sfc_plan* p, const sup_closed_form* answer)
{
    enum { NUMBERS = sizeof *answer / sizeof(double) };
    uint32_t i = 0;
    for (; i < p->motion_count; ++i) {
        const double *a = (const double*)answer, *b = (const double*)&p->motions[i];
        uint32_t      same = 0;
        while (same < NUMBERS && fabs(a[same] - b[same]) <= 1e-11 * (1 + fabs(a[same]))) ++same;
        if (same == NUMBERS) break;
    }
    if (i == p->motion_count && !p->ready) p->motions[p->motion_count++] = *answer;
    put(o, i, 4);
}

static void put_motions(sfc_out* o, const sfc_plan* p)
{
    for (uint32_t i = 0; i < p->motion_count; ++i) {
        for (uint32_t k = 0; k < SUP_CLOSED_POWERS; ++k) put_double(o, p->motions[i].powers[k]);
        for (uint32_t k = 0; k < SUP_CLOSED_SWINGS; ++k) {
            const sup_fourier_element* e = &p->motions[i].swing[k];
            put_double(o, e->amplitude), put_double(o, e->power), put_double(o, e->growth);
            put_double(o, e->from), put_double(o, e->wave), put_double(o, e->phase);
        }
    }
    end_array(o, F64);
}

enum law { STILL, LAG, SWING };

/// Without mass an oscillator lags, without drag as well it stands still; what is too fast to follow counts as without.
static enum law law_of(const sup_oscillator* x)
{
    if (x->rho > 0 && sqrt(x->h / x->rho) + x->eta / x->rho < FAST_MOST) return SWING;
    bool heavy = x->rho > 0 && x->eta * x->eta < 4 * x->rho * x->h;
    return x->eta > 0 && !heavy && x->h / x->eta < FAST_MOST ? LAG : STILL;
}

/// Ramps and cubics by themselves: y'' is what they are made of.
static sfc_motion still_motion(sup_ramp ramp, uint32_t ways)
{
    static const sup_closed_task ramps[3] = { { 1, { 0 } }, { 0, { 6, -12 } }, { 0, { 0, 60, -360, 720 } } };
    sfc_motion                   m = { .way = { ramps[ramp] } };
    if (ways == 3) m = (sfc_motion){ .way = { ramps[SUP_RAMP_SMOOTHSTEP], { 1, { -4, 6 } }, { 0, { -2, 6 } } } };
    return m;
}

/// What an oscillator does in a segment for every unit of change, of start rate and of end rate: e0 + e1 r(t) drives it.
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
        // eta y' + h y = f, once more derived, is the equation of a player: y'' + h/eta y' = f'/eta.
        for (uint32_t i = 0; i < SUP_CLOSED_DERIVATIVES; ++i)
            m.way[w].force[i] = law == LAG ? force[i + 1] / x->eta : force[i] / x->rho;
        m.way[w].rate = law == LAG ? force[0] / x->eta : w == 1;
    }
    return m;
}

// ---------------------------------------------------------------------------------------------- tracks

typedef struct sfc_track {
    uint32_t first, count, ways, pieces;
    bool     open; ///< the last piece goes on for ever
    double   origin, period;
} sfc_track;

/// Followed by the times of its pieces.
static void put_track(sfc_out* o, const sfc_track* t)
{
    put_double(o, t->first), put_double(o, t->count), put_double(o, t->ways), put_double(o, t->pieces);
    put_double(o, t->open), put_double(o, t->origin), put_double(o, t->period);
}

static void put_row(sfc_out* o, sfc_plan* p, uint32_t count)
{
    for (uint32_t i = 0; i < 3 * count; ++i) put_float(o, p->row[i]);
    memset(p->row, 0, 3 * (size_t)count * sizeof(float));
}

/// One of our coefficients into the row, whose first coefficient is `begin`.
static void add_value(sfc_plan* p, uint32_t coefficient, uint32_t begin, uint32_t component, double value)
{
    const sfc_split* s = &p->splits[coefficient];
    for (uint32_t i = 0; i < s->count; ++i)
        p->row[3 * (size_t)(s->at[i] - begin) + component] += (float)(s->amplitude[i] * value);
}

/// Our coefficients of one block, into a row of the examples' track.
static void add_block(sfc_plan* p, const float* block)
{
    const fourier_bound* b = p->b;
    for (uint32_t i = 0; i < 3 * b->net.coefficient_count; ++i)
        add_value(p, i / 3, 0, i % 3, (double)block[b->motion.index[i / 3] + i % 3]);
}

// ---------------------------------------------------------------------------------------------- examples

/// What moves in a piece of the examples' track: the examples before, at its start, at its end and behind, then carried rates
/// (those of the last piece: what is left to ring out).
enum { BEFORE, FROM, TO, BEHIND, RATES, WAYS };

static void add_tangent(const sup_modal* m, uint32_t example, uint32_t from, double scale, const sup_closed_form* way,
                        sup_closed_form out[WAYS])
{
    sup_tangent t = sup_modal_tangent(m, example);
    // Of the two ends of the segment one is the example itself, and one of its neighbors is the other.
    bool first = example == from;
    sup_closed_add(&out[first ? BEFORE : FROM], -scale * t.scale, way);
    sup_closed_add(&out[first ? TO : BEHIND], scale * t.scale, way);
}

/// The carrier in a segment: the cubic, the ramp, or the path of least force.
static void carry_segment(const sup_modal* m, uint32_t segment, double share, sup_closed_form out[WAYS])
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
    sup_closed_form one = { .powers = { 1 } }, way = sup_closed_solve(0, 0, &still.way[0], false);
    sup_closed_add(&out[FROM], share, &one), sup_closed_add(&out[FROM], -share, &way), sup_closed_add(&out[TO], share, &way);
    for (uint32_t end = 0; m->smooth && end < 2; ++end) {
        way = sup_closed_solve(0, 0, &still.way[1 + end], false);
        add_tangent(m, end ? to : segment, segment, share * T, &way, out);
    }
}

/// An oscillator in a segment.
static void swing_segment(const sup_modal* m, uint32_t segment, uint32_t mode, double share, sup_closed_form out[WAYS])
{
    double          T = m->times[segment + 1] - m->times[segment];
    uint32_t        to = segment + 1 < m->examples ? segment + 1 : 0;
    sfc_motion      motion = swing_motion(&m->oscillators[(size_t)segment * m->modes + mode], m->hermite[mode], m->ramp);
    sup_closed_form one = { .powers = { 1 } }, way[3];
    for (int i = 0; i < 3; ++i) way[i] = sup_closed_solve(motion.eta, motion.h, &motion.way[i], false);
    sup_closed_add(&out[FROM], share, &one), sup_closed_add(&out[FROM], -share, &way[0]);
    sup_closed_add(&out[TO], share, &way[0]);
    if (!m->smooth) return;
    if (!m->hermite[mode]) {
        sup_closed_add(&out[RATES], share, &way[1]);
        return;
    }
    add_tangent(m, segment, segment, share * T, &way[1], out);
    add_tangent(m, to, segment, share * T, &way[2], out);
}

static void put_example_moves(sfc_out* o, sfc_plan* p, const sfc_track* t)
{
    const fourier_bound* b = p->b;
    const sup_modal*     m = &b->motion.modal;
    uint32_t             n = m->examples;
    for (uint32_t j = 0; j < t->pieces; ++j) {
        bool     rings = m->segments && j == m->segments;
        uint32_t from = rings ? n - 1 : j, to = m->segments && !rings && j + 1 < n ? j + 1 : m->period > 0 ? 0 : from;
        uint32_t before = from ? from - 1 : m->period > 0 ? n - 1 : from, behind = to + 1 < n ? to + 1 : m->period > 0 ? 0 : to;
        put(o, before, 4), put(o, from, 4), put(o, to, 4), put(o, behind, 4);
        put(o, p->rates ? n + j : rings ? n : 0, 4);
        for (uint32_t k = 0; k <= m->modes; ++k) {
            sup_closed_form out[WAYS];
            bool            moves = k > 0 && m->segments && !m->still[k - 1] && (rings || !(m->fade > 0));
            double          sway = moves ? (double)b->sway : 0;
            memset(out, 0, sizeof out);
            if (rings || !m->segments) out[FROM].powers[0] = 1;
            else if (sway != 1) carry_segment(m, j, 1 - sway, out);
            const sup_oscillator* x = moves ? &m->oscillators[(size_t)(rings ? j - 1 : j) * m->modes + k - 1] : NULL;
            if (moves && !rings) {
                if (law_of(x) == STILL) carry_segment(m, j, sway, out);
                else swing_segment(m, j, k - 1, sway, out);
            } else if (moves && law_of(x) == SWING) {
                sup_closed_form ring = sup_closed_solve(x->eta / x->rho, x->h / x->rho, &(sup_closed_task){ .rate = 1 }, true);
                sup_closed_add(&out[RATES], sway, &ring);
            }
            for (uint32_t w = 0; w < WAYS; ++w) put_answer(o, p, &out[w]);
        }
    }
    end_array(o, U32);
}

static void put_examples(sfc_out* o, sfc_plan* p)
{
    const fourier_bound* b = p->b;
    const sup_modal*     m = &b->motion.modal;
    bool                 rings = b->settle && m->segments && !(m->period > 0);
    uint32_t             coefs = p->first[b->net.curves.curve_count];
    sfc_track            t = { .count = coefs + p->weights,
                               .ways = WAYS,
                               .pieces = (m->segments ? m->segments : 1) + rings,
                               .open = rings,
                               .origin = m->times[0],
                               .period = m->period };
    p->rates = false;
    for (uint32_t k = 0; k < m->modes; ++k) p->rates |= m->smooth && m->segments && !m->still[k] && !m->hermite[k];
    put_track(o, &t);
    for (uint32_t i = 0; i <= t.pieces; ++i) // behind the last any length will do
        put_double(o, i <= m->segments ? m->times[i] : 2 * m->times[i - 1] - (i > 1 ? m->times[i - 2] : m->times[i - 1] - 1));
    end_array(o, F64);
    put_example_moves(o, p, &t);
    for (uint32_t e = 0; e < m->examples; ++e) {
        add_block(p, m->shape + (size_t)e * m->block);
        if (p->weights) p->row[3 * (coefs + e)] = 1;
        put_row(o, p, t.count);
    }
    for (uint32_t j = 0; p->rates && j < m->segments; ++j) add_block(p, m->rate + (size_t)j * m->block), put_row(o, p, t.count);
    if (rings) add_block(p, m->rate + (size_t)m->segments * m->block), put_row(o, p, t.count);
    end_array(o, F32);
}

// ---------------------------------------------------------------------------------------------- loads

/// Where a load's coefficient begins at a key, its rate there, and what drives it, as `law` has it.
static void drive(enum law law, const sup_oscillator* x, double T, const double* state, double from, double to,
                  double arrays[4])
{
    double base = law == STILL ? (x->h > 0 ? from / x->h : 0) : state[0], rho = x->rho, eta = x->eta;
    arrays[0] = base;
    arrays[1] = law == SWING ? state[3] * T : law == LAG ? (from - x->h * base) * T / eta : x->h > 0 ? (to - from) / x->h : 0;
    arrays[2] = law == SWING ? (from - x->h * base) * T * T / rho : law == LAG ? (to - from) * T / eta : 0;
    arrays[3] = law == SWING ? (to - from) * T * T / rho : 0;
}

/// Where it stands at the key, its rate there, what drives it, and how that grows: a row each for every piece.
enum { LOAD_WAYS = 4 };

static void put_force_moves(sfc_out* o, sfc_plan* p, const sup_modal_force* f, const sfc_track* t)
{
    static const sup_closed_task tasks[LOAD_WAYS] = { { 0 }, { 1, { 0 } }, { 0, { 1 } }, { 0, { 0, 1 } } };
    const sup_modal*             m = &p->b->motion.modal;
    for (uint32_t j = 0; j < t->pieces; ++j) {
        for (uint32_t w = 0; w < LOAD_WAYS; ++w) put(o, LOAD_WAYS * j + w, 4);
        for (uint32_t k = 0; k <= m->modes; ++k) {
            double         T = j + 1 < f->key_count ? f->times[j + 1] - f->times[j] : 1;
            sup_oscillator x = k ? sup_modal_in_seconds(m, k - 1) : sup_oscillator_make(0, 0, 0, SUP_RAMP_LINEAR);
            sup_oscillator over = sup_oscillator_last(&x, T);
            enum law       law = k && f->following[k - 1] ? STILL : law_of(&over);
            double         eta = law == SWING ? T * x.eta / x.rho : law == LAG ? T * x.h / x.eta : 0;
            put_answer(o, p, &(sup_closed_form){ .powers = { 1 } });
            for (uint32_t w = 1; w < LOAD_WAYS; ++w) {
                sup_closed_form way =
                    sup_closed_solve(eta, law == SWING ? T * T * x.h / x.rho : 0, &tasks[w], t->open && j + 1 == t->pieces);
                put_answer(o, p, &way);
            }
        }
    }
    end_array(o, U32);
}

static void put_force(sfc_out* o, sfc_plan* p, const sup_modal_force* f, uint32_t curve)
{
    const sup_modal*      m = &p->b->motion.modal;
    const fourier_series* s = &p->b->net.series[curve];
    uint32_t              held = sup_fourier_held(s->kind);
    sfc_track             t = { .first = p->first[curve],
                                .count = p->first[curve + 1] - p->first[curve],
                                .ways = LOAD_WAYS,
                                .pieces = f->period > 0 ? f->key_count - 1 : f->key_count,
                                .open = !(f->period > 0),
                                .origin = f->times[0],
                                .period = f->period };
    put_track(o, &t);
    for (uint32_t i = 0; i <= t.pieces; ++i) put_double(o, i < f->key_count ? f->times[i] : f->times[i - 1] + 1);
    end_array(o, F64);
    put_force_moves(o, p, f, &t);
    for (uint32_t j = 0; j < t.pieces; ++j)
        for (uint32_t way = 0; way < LOAD_WAYS; ++way) {
            double T = j + 1 < f->key_count ? f->times[j + 1] - f->times[j] : 1;
            bool   hold = j + 1 == f->key_count || (f->steps && f->steps[j]);
            for (uint32_t i = 0; i < 3 * f->entry_count; ++i) {
                const sup_modal_entry* e = &f->entries[i / 3];
                const double *         state = f->states + ((size_t)j * m->modes + e->mode) * 6 + i % 3, *v = f->values + 3 * j;
                sup_oscillator         x = sup_modal_in_seconds(m, e->mode), over = sup_oscillator_last(&x, T);
                double                 arrays[LOAD_WAYS];
                drive(f->following[e->mode] ? STILL : law_of(&over), &x, T, state, v[i % 3], hold ? v[i % 3] : v[3 + i % 3],
                      arrays);
                add_value(p, s->packed + held + i / 3, t.first, i % 3, e->share * arrays[way]);
            }
            put_row(o, p, t.count);
        }
    end_array(o, F32);
}

// ---------------------------------------------------------------------------------------------- points

static void put_places(sfc_out* o, const fourier_bound* b)
{
    for (uint32_t i = 0; i < b->point_count; ++i) {
        const fourier_place* p = &b->net.places[i];
        for (int k = 0; k < 2; ++k) {
            put(o, p->curve[k] == SUP_NONE ? NOWHERE : p->curve[k], 2);
            put(o, share16(p->v[k]), 2);
            put(o, share16(p->share[k]), 2);
        }
    }
    end_array(o, U16);
}

/// A half of -1 to 1 in 32767ths: as near as a half for all but the smallest, and every language reads it.
static int16_t to_fixed(uint16_t half)
{
    uint32_t bits = (uint32_t)(half & 0x7fff) << 13;
    float    size;
    memcpy(&size, &bits, sizeof size);
    int16_t steps = (int16_t)(size * 0x1p112f * 32767 + 0.5f);
    return half & 0x8000 ? (int16_t)-steps : steps;
}

static void put_residual(sfc_out* o, const sfc_plan* p)
{
    const fourier_bound* b = p->b;
    bool                 half = b->residual == RESIDUAL_HALF;
    uint32_t             examples = b->residual == RESIDUAL_NONE ? 0 : p->weights;
    for (uint32_t j = 0; j < examples; ++j) put_float(o, half ? b->scales[j] / 32767 : 1);
    end_array(o, F32);
    for (uint32_t j = 0; j < examples; ++j)
        for (uint32_t i = 0; i < b->point_count; ++i)
            if (!half) put_vector(o, p->left[(size_t)j * b->point_count + i]);
            else
                for (uint32_t k = 0; k < 3; ++k) put(o, (uint16_t)to_fixed(b->halves[j][3 * i + k]), 2);
    end_array(o, half ? I16 : F32);
}

/// What turns with the sections of limbs, how strong points follow, and which lean on dual quaternions.
static void put_rest(sfc_out* o, const sfc_plan* p)
{
    const fourier_bound* b = p->b;
    const sup_sections*  s = &b->sections;
    const sup_push*      push = &b->segments.push;
    uint32_t             turning = s->station_count ? b->point_count : 0;
    for (uint32_t i = 0; i < s->station_count; ++i) put_vector(o, s->centers[i]);
    end_array(o, F32);
    for (uint32_t i = 0; i < p->weights * s->station_count * 6; ++i) put_float(o, s->turns[i]);
    end_array(o, F32);
    for (uint32_t i = 0; i < turning; ++i)
        put(o, s->station[i] == SUP_NONE ? NOWHERE : s->station[i], 2), put(o, share16(s->ratio[i]), 2);
    end_array(o, U16);
    for (uint32_t i = 0; i < turning; ++i) put_vector(o, push->character->mesh.points[i]);
    end_array(o, F32);
    for (uint32_t i = 0; fourier_weakened(b) && i < b->point_count; ++i) put(o, share16(fourier_strength(b, i)), 2);
    end_array(o, U16);
    for (uint32_t i = 0; i < push->turned_count; ++i) put(o, push->turned[i], 4), put(o, share16(push->lifted[i]), 4);
    end_array(o, U32);
}

static void put_tracks(sfc_out* o, sfc_plan* p)
{
    const fourier_bound* b = p->b;
    put_examples(o, p);
    for (uint32_t i = 0; i < b->motion.force_count; ++i) put_force(o, p, &b->motion.forces[i], b->motion.force_curves[i]);
}

/// The list of arrays is as long as it was in the first pass.
static void put_all(sfc_out* o, sfc_plan* p)
{
    const fourier_bound* b = p->b;
    put(o, 0x1a434653u, 4); // "SFC", end of text
    put(o, SFC_VERSION, 4);
    put(o, 0, 4); // the hash, when all is written
    put(o, o->all, 4);
    for (uint32_t i = 0; i < o->all; ++i) put(o, 0, 8), put(o, 0, 8);
    o->began = o->size;
    put_functions(o, p);
    put_places(o, b);
    put_residual(o, p);
    put_rest(o, p);
    put_motions(o, p);
    put_tracks(o, p);
}

// ---------------------------------------------------------------------------------------------- all of it

static sup_result check(const fourier_bound* b, sup_error* error)
{
    if (b->segments.posed)
        return sup_fail(
            error, SUP_ERROR_INPUT,
            "fourier: a runtime file plays over time, and here the pose drives; bind with the clip of the examples");
    if (b->net.curves.curve_count >= NOWHERE || b->sections.station_count >= NOWHERE)
        return sup_fail(error, SUP_ERROR_INPUT,
                        "fourier: %u curves and %u sections are too many for a runtime file; at most 65534 of each",
                        b->net.curves.curve_count, b->sections.station_count);
    return SUP_OK;
}

/// What the series miss of every example, in floats.
static sup_result find_left(const fourier_bound* b, sup_arena* arena, const sup_vec3** out, sup_error* error)
{
    size_t    n = b->point_count, examples = b->motion.modal.examples;
    sup_vec3* left = SUP_NEW(arena, sup_vec3, n * examples + SUP_LANES);
    float*    packed = SUP_NEW(arena, float, 3 * (size_t)b->net.coefficient_count + SUP_LANES);
    if (!left || !packed) return sup_fail_memory(error, "a runtime file");
    for (uint32_t j = 0; j < examples; ++j) {
        fourier_pack(b, b->motion.modal.shape + (size_t)j * b->motion.modal.block, packed);
        SUP_WIDE_PICK(fourier_take)(&b->net, packed, 0, b->net.group_count, left + j * n);
        for (uint32_t i = 0; i < n; ++i) left[j * n + i] = v3_sub(b->segments.q[j][i], left[j * n + i]);
    }
    *out = left;
    return SUP_OK;
}

static sup_result make_plan(const fourier_bound* b, sup_arena* arena, sfc_plan* out, sup_error* error)
{
    uint32_t curves = b->net.curves.curve_count;
    size_t   most = SUP_FOURIER_ELEMENTS_MAX * (size_t)b->net.coefficient_count;
    sfc_plan p = { .b = b };
    p.functions = SUP_NEW(arena, sfc_function, (size_t)SUP_FOURIER_ELEMENTS_MAX * 4 * SUP_FOURIER_FUNCTIONS_MAX);
    p.first = SUP_NEW(arena, uint32_t, (size_t)curves + 1);
    p.function = SUP_NEW(arena, uint16_t, most + 1);
    p.splits = SUP_NEW(arena, sfc_split, (size_t)b->net.coefficient_count + 1);
    if (!p.functions || !p.first || !p.function || !p.splits) return sup_fail_memory(error, "a runtime file");
    for (uint32_t c = 0; c < curves; ++c) split_curve(&p, c);
    size_t keys = (size_t)b->motion.modal.segments + 2;
    for (uint32_t i = 0; i < b->motion.force_count; ++i) keys += b->motion.forces[i].key_count;
    p.motions = SUP_NEW(arena, sup_closed_form, keys * (b->motion.modal.modes + 1) * WAYS);
    if (!p.motions) return sup_fail_memory(error, "a runtime file");
    if (b->residual != RESIDUAL_NONE || b->sections.station_count) p.weights = b->motion.modal.examples;
    p.row = SUP_NEW(arena, float, 3 * ((size_t)p.first[curves] + p.weights) + 1);
    if (!p.row) return sup_fail_memory(error, "a runtime file");
    *out = p;
    return b->residual == RESIDUAL_EXACT ? find_left(b, arena, &out->left, error) : SUP_OK;
}

sup_result fourier_save(const sup_binding* binding, sup_arena* arena, const void** bytes, size_t* size, sup_error* error)
{
    sfc_plan   plan;
    sfc_out    out = { 0 };
    sup_result r = check(binding->data, error);
    if (!r) r = make_plan(binding->data, arena, &plan, error);
    if (r) return r;
    put_tracks(&out, &plan); // finds the motions
    plan.ready = true;
    out = (sfc_out){ 0 };
    put_all(&out, &plan);
    uint32_t all = out.arrays;
    size_t   total = out.size + (size_t)all * ENTRY;
    out = (sfc_out){ .bytes = sup_arena_alloc(arena, total, 1), .all = all };
    if (!out.bytes) return sup_fail_memory(error, "a runtime file");
    put_all(&out, &plan);
    uint32_t hash = 2166136261u; // FNV-1a
    for (size_t i = SFC_HASHED; i < out.size; ++i) hash = (hash ^ out.bytes[i]) * 16777619u;
    put(&(sfc_out){ .bytes = out.bytes, .size = 8 }, hash, 4);
    *bytes = out.bytes;
    *size = out.size;
    return SUP_OK;
}
