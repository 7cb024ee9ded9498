// Weights with the bones fixed, for each point alone: minimize |sum_j w_j e_j|^2 over w_j >= 0, sum w = 1, at most k not zero,
// where e_j are the point's errors over all frames under bone j alone. Only the products G_jk = e_j . e_k matter. The set of
// bones carries over from round to round and changes only where that lowers the error, so no round makes a point worse (Le &
// Deng 2012 drop the smallest weights of an unconstrained solution instead, which can).
#include "base/internal.h"
#include "rig/decompose/decompose.h"

#include <math.h>
#include <string.h>

enum { PASSES_MAX = 12 };
// Added to the diagonal, relative to its mean: bones that move alike share the weight instead of cancelling.
#define DAMPING 1e-6
// A bone enters the set when its slope is below the others' by this share of the mean diagonal.
#define SLOPE_MIN 1e-5
// An exchange must gain at least this share of the mean diagonal, or two sets could take turns.
#define COST_MIN 1e-12
// Smaller weights are left out.
#define WEIGHT_MIN 1e-5

// One point's problem: minimize w G w - 2 pull w.
typedef struct quadratic {
    uint32_t count; ///< of candidates
    double   g[SUP_DECOMPOSE_CANDIDATES][SUP_DECOMPOSE_CANDIDATES];
    double   pull[SUP_DECOMPOSE_CANDIDATES];
    double   size; ///< mean of the diagonal
} quadratic;

typedef struct choice {
    uint32_t count;
    uint32_t set[SUP_DECOMPOSE_INFLUENCES_MAX + 1]; ///< candidates
    double   w[SUP_DECOMPOSE_INFLUENCES_MAX + 1];
    double   cost;
} choice;

// The stationary point on a set, weights of any sign: G x = pull + lambda 1, sum x = 1, by L D L^T.
static bool stationary(const quadratic* q, const choice* c, double x[])
{
    enum { N = SUP_DECOMPOSE_INFLUENCES_MAX + 1 };
    double   l[N][N], y[N], z[N], inverse[N], sum_y = 0, sum_z = 0;
    uint32_t n = c->count;
    for (uint32_t i = 0; i < n; ++i) {
        const double* row = q->g[c->set[i]];
        double        pivot = row[c->set[i]];
        y[i] = q->pull[c->set[i]];
        z[i] = 1.0;
        for (uint32_t j = 0; j < i; ++j) { // l holds L D below the diagonal, then L
            double v = row[c->set[j]];
            for (uint32_t k = 0; k < j; ++k) v -= l[i][k] * l[k][j];
            l[j][i] = v; // D L^T above
            l[i][j] = v * inverse[j];
        }
        for (uint32_t j = 0; j < i; ++j) {
            pivot -= l[j][i] * l[i][j];
            y[i] -= l[i][j] * y[j];
            z[i] -= l[i][j] * z[j];
        }
        if (!(pivot > 0)) return false;
        inverse[i] = 1.0 / pivot;
    }
    for (uint32_t i = n; i-- > 0;) {
        y[i] *= inverse[i];
        z[i] *= inverse[i];
        for (uint32_t k = i + 1; k < n; ++k) {
            y[i] -= l[k][i] * y[k];
            z[i] -= l[k][i] * z[k];
        }
        sum_y += y[i];
        sum_z += z[i];
    }
    if (!(sum_z > 0)) return false;
    double share = (1.0 - sum_y) / sum_z;
    for (uint32_t i = 0; i < n; ++i) x[i] = y[i] + z[i] * share;
    return true;
}

static void drop(choice* c, uint32_t at)
{
    c->count--;
    for (uint32_t i = at; i < c->count; ++i) {
        c->set[i] = c->set[i + 1];
        c->w[i] = c->w[i + 1];
    }
}

// From feasible weights to the best ones on the set or a subset of it.
static void descend(const quadratic* q, choice* c)
{
    double x[SUP_DECOMPOSE_INFLUENCES_MAX + 1];
    while (c->count > 1) {
        if (!stationary(q, c, x)) break; // no curvature left: any feasible weights will do
        double   reach = 1.0;
        uint32_t first = SUP_NONE;
        for (uint32_t i = 0; i < c->count; ++i) {
            if (x[i] >= WEIGHT_MIN) continue;
            double t = c->w[i] > x[i] ? c->w[i] / (c->w[i] - x[i]) : 0.0;
            if (first == SUP_NONE || t < reach) {
                reach = t < 1.0 ? t : 1.0;
                first = i;
            }
        }
        for (uint32_t i = 0; i < c->count; ++i) c->w[i] += reach * (x[i] - c->w[i]);
        if (first == SUP_NONE) return;
        drop(c, first);
    }
    double sum = 0;
    for (uint32_t i = 0; i < c->count; ++i) sum += c->w[i];
    for (uint32_t i = 0; i < c->count; ++i) c->w[i] = sum > 0 ? c->w[i] / sum : 1.0 / c->count;
}

// Half the slope of every candidate, and the cost.
static void slopes(const quadratic* q, choice* c, double* slope)
{
    for (uint32_t a = 0; a < q->count; ++a) slope[a] = -q->pull[a];
    for (uint32_t i = 0; i < c->count; ++i) {
        const double* row = q->g[c->set[i]];
        for (uint32_t a = 0; a < q->count; ++a) slope[a] += c->w[i] * row[a];
    }
    c->cost = 0;
    for (uint32_t i = 0; i < c->count; ++i) c->cost += c->w[i] * (slope[c->set[i]] - q->pull[c->set[i]]);
}

static double cost_of(const quadratic* q, const choice* c)
{
    double cost = 0;
    for (uint32_t i = 0; i < c->count; ++i) {
        const double* row = q->g[c->set[i]];
        double        sum = -2.0 * q->pull[c->set[i]];
        for (uint32_t j = 0; j < c->count; ++j) sum += c->w[j] * row[c->set[j]];
        cost += c->w[i] * sum;
    }
    return cost;
}

// The candidate that would lower the cost fastest at first; SUP_NONE: this is the minimum over all sets.
static uint32_t steepest(const quadratic* q, const choice* c, const double* slope)
{
    double   level = 0, lowest = 0;
    uint32_t best = SUP_NONE;
    for (uint32_t i = 0; i < c->count; ++i) level += c->w[i] * slope[c->set[i]];
    lowest = level - SLOPE_MIN * q->size;
    for (uint32_t a = 0; a < q->count; ++a) {
        if (slope[a] >= lowest) continue;
        bool inside = false;
        for (uint32_t i = 0; i < c->count; ++i) inside |= c->set[i] == a;
        if (inside) continue;
        lowest = slope[a];
        best = a;
    }
    return best;
}

// The set is full: tries the new one in place of each of the others, and takes the best exchange if it lowers the cost.
static bool exchange(const quadratic* q, choice* c, uint32_t fresh)
{
    choice   best = *c;
    uint32_t n = c->count;
    for (uint32_t out = 0; out < n; ++out) {
        choice trial = *c;
        trial.set[out] = fresh; // takes over the weight, so that the start is feasible
        descend(q, &trial);
        trial.cost = cost_of(q, &trial);
        if (trial.cost < best.cost) best = trial;
    }
    bool better = best.cost < c->cost - COST_MIN * q->size;
    if (better) *c = best;
    return better;
}

static void choose(const quadratic* q, uint32_t influences, choice* c)
{
    double slope[SUP_DECOMPOSE_CANDIDATES];
    descend(q, c);
    for (int pass = 0; pass < PASSES_MAX; ++pass) {
        slopes(q, c, slope);
        uint32_t fresh = steepest(q, c, slope);
        if (fresh == SUP_NONE) return;
        if (c->count == influences) {
            if (!exchange(q, c, fresh)) return;
            continue;
        }
        c->set[c->count] = fresh;
        c->w[c->count++] = 0;
        descend(q, c);
    }
}

// ---------------------------------------------------------------------------------------------- a block

typedef struct block {
    uint32_t list[SUP_DECOMPOSE_CANDIDATES], count;
    float    products[SUP_DECOMPOSE_CANDIDATES * (SUP_DECOMPOSE_CANDIDATES + 1) / 2 * SUP_LANES];
    float    work[SUP_DECOMPOSE_CANDIDATES * 3 * SUP_LANES];
} block;

static bool listed(const block* b, uint32_t bone)
{
    for (uint32_t i = 0; i < b->count; ++i)
        if (b->list[i] == bone) return true;
    return false;
}

// Candidate bones of the eight points: all, or those they already follow and then the best fitting ones.
static void list_candidates(const sup_decomposer* d, uint32_t index, float* errors, block* b)
{
    b->count = 0;
    if (d->bone_count <= d->candidates) {
        for (; b->count < d->bone_count; ++b->count) b->list[b->count] = b->count;
        return;
    }
    uint32_t begin = index * SUP_LANES, end = begin + SUP_LANES < d->point_count ? begin + SUP_LANES : d->point_count;
    for (uint32_t i = 0; i < d->influences; ++i) // the largest weights first
        for (uint32_t p = begin; p < end; ++p) {
            uint32_t bone = i < d->counts[p] ? d->bones[(size_t)p * d->influences + i] : SUP_NONE;
            if (bone != SUP_NONE && b->count < d->candidates * 2 / 3 && !listed(b, bone)) b->list[b->count++] = bone;
        }
    SUP_WIDE_PICK(sup_decompose_errors)(d, index, 0, d->bone_count, errors);
    while (b->count < d->candidates) {
        uint32_t best = SUP_NONE;
        float    least = 0;
        for (uint32_t bone = 0; bone < d->bone_count; ++bone) {
            if (listed(b, bone)) continue;
            float nearest = errors[(size_t)bone * SUP_LANES];
            for (uint32_t p = begin + 1; p < end; ++p) {
                float e = errors[(size_t)bone * SUP_LANES + (p - begin)];
                if (e < nearest) nearest = e;
            }
            if (best == SUP_NONE || nearest < least) {
                best = bone;
                least = nearest;
            }
        }
        b->list[b->count++] = best;
    }
}

// The mean of the neighbors' weights before this round, for each candidate: smoothness adds smooth |w - mean|^2.
static void add_smoothness(const sup_decomposer* d, uint32_t point, const block* b, quadratic* q)
{
    uint32_t first = d->ring_begin[point], last = d->ring_begin[point + 1];
    if (first == last) return;
    for (uint32_t i = 0; i < b->count; ++i) {
        double sum = 0;
        for (uint32_t k = first; k < last; ++k) sum += (double)d->old_weights[(size_t)d->ring[k] * d->bones_max + b->list[i]];
        q->pull[i] = d->smooth * sum / (last - first);
        q->g[i][i] += d->smooth;
    }
}

static void read_lane(const block* b, uint32_t lane, quadratic* q)
{
    const float* from = b->products + lane;
    q->count = b->count;
    q->size = 0;
    for (uint32_t i = 0; i < b->count; ++i) {
        for (uint32_t k = 0; k <= i; ++k, from += SUP_LANES) q->g[i][k] = q->g[k][i] = (double)*from;
        q->pull[i] = 0;
        q->size += q->g[i][i];
    }
    q->size /= b->count;
}

static void start(const sup_decomposer* d, uint32_t point, const block* b, const quadratic* q, choice* c)
{
    double sum = 0;
    c->count = 0;
    for (uint32_t i = 0; i < d->counts[point]; ++i) {
        uint32_t bone = d->bones[(size_t)point * d->influences + i];
        for (uint32_t a = 0; a < b->count; ++a) {
            if (b->list[a] != bone) continue;
            c->set[c->count] = a;
            c->w[c->count] = (double)d->weights[(size_t)point * d->influences + i];
            sum += c->w[c->count++];
            break;
        }
    }
    if (c->count && sum > 0) {
        for (uint32_t i = 0; i < c->count; ++i) c->w[i] /= sum;
        return;
    }
    *c = (choice){ .count = 1, .w = { 1.0 } };
    for (uint32_t a = 1; a < b->count; ++a)
        if (q->g[a][a] < q->g[c->set[0]][c->set[0]]) c->set[0] = a;
}

// Largest first, rescaled so that the floats sum to 1 as closely as possible.
static void keep(sup_decomposer* d, uint32_t point, const block* b, choice* c)
{
    uint32_t* bones = d->bones + (size_t)point * d->influences;
    float*    weights = d->weights + (size_t)point * d->influences;
    for (uint32_t i = 1; i < c->count; ++i)
        for (uint32_t j = i; j > 0 && c->w[j] > c->w[j - 1]; --j) {
            double   w = c->w[j];
            uint32_t s = c->set[j];
            c->w[j] = c->w[j - 1];
            c->set[j] = c->set[j - 1];
            c->w[j - 1] = w;
            c->set[j - 1] = s;
        }
    d->counts[point] = (uint8_t)c->count;
    for (uint32_t i = 0; i < c->count; ++i) {
        bones[i] = b->list[c->set[i]];
        weights[i] = (float)c->w[i];
    }
}

// An upper bound of what the point would lose without each of its bones: the others redistribute, no new one enters.
static void add_removal(const quadratic* q, const block* b, const choice* c, double* removal)
{
    double cost = cost_of(q, c);
    for (uint32_t i = 0; i < c->count; ++i) {
        choice without = *c;
        if (c->count > 1) {
            drop(&without, i);
            descend(q, &without);
        } else {
            without.set[0] = c->set[0] ? 0 : 1;
            for (uint32_t a = 0; a < q->count; ++a)
                if (a != c->set[0] && q->g[a][a] < q->g[without.set[0]][without.set[0]]) without.set[0] = a;
        }
        removal[b->list[c->set[i]]] += cost_of(q, &without) - cost;
    }
}

static double fit_point_weights(sup_decomposer* d, uint32_t point, const block* b, double* removal)
{
    quadratic q;
    choice    c;
    read_lane(b, point % SUP_LANES, &q);
    const double exact = 1e-30; // squared units: a point that every bone carries without error still has a solution
    double       damping = DAMPING * q.size + exact;
    for (uint32_t a = 0; a < q.count; ++a) q.g[a][a] += damping;
    if (d->smooth > 0) add_smoothness(d, point, b, &q);
    start(d, point, b, &q, &c);
    choose(&q, d->influences, &c);
    if (removal && b->count > 1) add_removal(&q, b, &c, removal);
    keep(d, point, b, &c);

    double error = 0; // the error reported is without the smoothness term
    for (uint32_t i = 0; i < c.count; ++i)
        for (uint32_t k = 0; k < c.count; ++k) {
            uint32_t a = c.set[i] > c.set[k] ? c.set[i] : c.set[k], e = c.set[i] > c.set[k] ? c.set[k] : c.set[i];
            error += c.w[i] * c.w[k] * (double)b->products[sup_decompose_pair(a, e) * SUP_LANES + point % SUP_LANES];
        }
    return error > 0 ? error : 0;
}

static void fit_weights(void* data, uint32_t begin, uint32_t end)
{
    sup_decomposer* d = data;
    float*          errors = d->work + d->work_size * (begin / sup_decompose_grain(d));
    double*         removal = d->removal ? d->removal + (size_t)d->bones_max * (begin / sup_decompose_grain(d)) : NULL;
    block           b;
    for (uint32_t i = begin; i < end; ++i) {
        double sum = 0;
        list_candidates(d, i, errors, &b);
        SUP_WIDE_PICK(sup_decompose_products)(d, i, b.list, b.count, b.work, b.products);
        for (uint32_t p = i * SUP_LANES; p < (i + 1) * SUP_LANES && p < d->point_count; ++p) {
            double error = fit_point_weights(d, p, &b, removal);
            d->errors[p] = (float)error;
            sum += error;
        }
        d->piece_error[i] = sum;
    }
}

static void add_up(sup_decomposer* d)
{
    d->total = 0;
    for (uint32_t i = 0; i < d->points8 / SUP_LANES; ++i) d->total += d->piece_error[i];
}

void sup_decompose_solve_weights(sup_decomposer* d)
{
    if (d->smooth > 0) {
        memset(d->old_weights, 0, (size_t)d->point_count * d->bones_max * sizeof *d->old_weights);
        for (uint32_t p = 0; p < d->point_count; ++p)
            for (uint32_t i = 0; i < d->counts[p]; ++i) {
                size_t at = (size_t)p * d->influences + i;
                d->old_weights[(size_t)p * d->bones_max + d->bones[at]] = d->weights[at];
            }
    }
    sup_tasks_run(d->tasks, d->points8 / SUP_LANES, sup_decompose_grain(d), fit_weights, d);
    add_up(d);
}

// ---------------------------------------------------------------------------------------------- one bone each

static void assign_blocks(void* data, uint32_t begin, uint32_t end)
{
    sup_decomposer* d = data;
    float*          errors = d->work + d->work_size * (begin / sup_decompose_grain(d));
    for (uint32_t i = begin; i < end; ++i) {
        double sum = 0;
        SUP_WIDE_PICK(sup_decompose_errors)(d, i, 0, d->bone_count, errors);
        for (uint32_t p = i * SUP_LANES; p < (i + 1) * SUP_LANES && p < d->point_count; ++p) {
            uint32_t best = 0;
            for (uint32_t bone = 1; bone < d->bone_count; ++bone)
                if (errors[bone * SUP_LANES + p % SUP_LANES] < errors[best * SUP_LANES + p % SUP_LANES]) best = bone;
            d->counts[p] = 1;
            d->bones[(size_t)p * d->influences] = best;
            d->weights[(size_t)p * d->influences] = 1;
            d->errors[p] = errors[best * SUP_LANES + p % SUP_LANES];
            sum += (double)d->errors[p];
        }
        d->piece_error[i] = sum;
    }
}

void sup_decompose_assign(sup_decomposer* d)
{
    sup_tasks_run(d->tasks, d->points8 / SUP_LANES, sup_decompose_grain(d), assign_blocks, d);
    add_up(d);
}
