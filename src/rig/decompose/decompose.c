// Smooth skinning decomposition: from shapes to bones, weights and motion (Le & Deng 2012, "Smooth Skinning Decomposition with
// Rigid Bones"). Alternates between weights and bones, with three differences from the paper:
// - Bones continue in the direction they moved (Nesterov's momentum, restarted when the error rises): a third of the rounds.
// - A weak bone is moved to where the error is largest, in a copy; after a few rounds the better copy is kept.
// - Sums over the points are made once a round (decompose_bones.c), and sets of influences only change if that lowers the error
// (decompose_weights.c).
#include "rig/decompose/decompose.h"

#include "base/internal.h"
#include "base/sort.h"
#include "geom/surface/topology.h"
#include "math/vec.h"

#include <math.h>
#include <string.h>

#define BAD(...) sup_fail(error, SUP_ERROR_INPUT, __VA_ARGS__)

enum {
    BONES_USUAL = 10,
    BONES_ADDED_MAX = 100,
    INFLUENCES_USUAL = 4,
    ROUNDS_USUAL = 60,
    SWEEPS = 3,       // over the bones in a round
    WARM_ROUNDS = 8,  // before bones are ranked
    TRIAL_ROUNDS = 8, // for each of the two copies
    TRIAL_LOSSES = 5, // give up after this many failures in a row
    TRIALS_MAX = 40,
    GAIN_ROUNDS = 5, // rounds over which the gain is measured
    POINTS_MAX = 1 << 26,
};
// Convergence: stop when GAIN_ROUNDS rounds gain less than this share of the error.
#define GAIN_MIN 5e-4
// The rounds that follow a first comparison reduce the error by at least this factor.
#define SOON 1.04
// Radius of a place, times the root of the number of bones: about the size of a bone's region.
#define PLACE_RADIUS 0.3
// If removing the weakest bone would raise the error by more than this factor, no other place can win that back.
#define HOPELESS 1.5
// Candidate bones per influence of a point: during the rounds, and at the end.
#define LOCAL 1.5
#define WIDE 3.0
// A bone that is drawn slightly to the rigid motion of its own points stays near them: joints lie where they should, and
// nonlinear skinning can use them. More costs error (horse-gallop on 10 bones: 3.01 at 0, 3.24 here, 4.03 at 0.03).
#define RIGID_USUAL 0.004
// Smoothness 1 is as strong as an error of this share of the diagonal in every frame.
#define SMOOTH_SCALE 0.02

typedef struct snapshot {
    double*   exact;
    sup_quat* rotations;
    float*    transforms;
    uint8_t*  counts;
    uint32_t* bones;
    float *   weights, *errors;
    double    total;
} snapshot;

typedef struct runner {
    sup_decomposer               d;
    const sup_decompose_input*   in;
    const sup_decompose_options* options;
    sup_arena*                   work;
    sup_decompose_patch          patch;
    snapshot                     before, plain;
    double*                      last_exact; ///< bones of the previous round, for the momentum
    sup_quat*                    last_rotations;
    double*                      now_exact; ///< bones before the momentum step
    sup_quat*                    now_rotations;
    double                       middle[3], diagonal;
    double*                      frame_middles; ///< 3 a frame
    uint32_t*                    order;         ///< from place to point
    uint32_t                     rounds, moved, planned;
} runner;

static double erms_of(const runner* r) { return 1000.0 * sqrt(r->d.total / (3.0 * r->d.point_count * r->d.frame_count)); }

static sup_result report_progress(runner* r, sup_error* error)
{
    char what[80];
    sup_format(what, sizeof what, "%u bone%s, E_RMS %.3f", r->d.bone_count, r->d.bone_count == 1 ? "" : "s", erms_of(r));
    double share = (double)r->rounds / (r->rounds + 0.5 * r->planned);
    if (sup_progress_report(r->options->progress, share, what)) return SUP_OK;
    return sup_fail(error, SUP_ERROR_CANCELLED, "stopped");
}

// ---------------------------------------------------------------------------------------------- preparing

static sup_result check(const sup_decompose_input* in, const sup_decompose_options* o, sup_error* error)
{
    if (in->frame_count < 2)
        return BAD("a rig cannot be fitted to %u shape%s; give at least two", in->frame_count, in->frame_count == 1 ? "" : "s");
    if (in->point_count == 0 || in->point_count > POINTS_MAX)
        return BAD("a fit needs 1 to %d points; there are %u", POINTS_MAX, in->point_count);
    if (o->bones > in->point_count)
        return BAD("%u bones are more than the %u points; ask for fewer", o->bones, in->point_count);
    if (o->bones > SUP_DECOMPOSE_BONES_MAX || o->bones_max > SUP_DECOMPOSE_BONES_MAX)
        return BAD("%u bones are too many; at most %d", o->bones > o->bones_max ? o->bones : o->bones_max,
                   SUP_DECOMPOSE_BONES_MAX);
    if (o->influences > SUP_DECOMPOSE_INFLUENCES_MAX)
        return BAD("%u influences are too many; at most %d", o->influences, SUP_DECOMPOSE_INFLUENCES_MAX);
    if (!(o->smooth >= 0) || !(o->error >= 0) || !isfinite(o->smooth) || !isfinite(o->error) || !isfinite(o->rigid))
        return BAD("smoothness and error of a fit must be 0 or more");
    for (uint32_t p = 0; p < in->point_count; ++p)
        if (!isfinite(in->rest[p].x) || !isfinite(in->rest[p].y) || !isfinite(in->rest[p].z))
            return BAD("point %u of the rest shape is not a number; export it again", p);
    for (uint32_t f = 0; f < in->frame_count; ++f)
        for (uint32_t p = 0; p < in->point_count; ++p) {
            const sup_vec3* v = &in->frames[(size_t)f * in->point_count + p];
            if (!isfinite(v->x) || !isfinite(v->y) || !isfinite(v->z))
                return BAD("point %u of frame %u is not a number; export it again, or leave that frame out", p, f + 1);
        }
    return SUP_OK;
}

// Orders points along a space-filling curve (Morton 1966), so that eight neighbors in memory are neighbors in space.
static bool sort_points(runner* r, const double low[3])
{
    uint32_t       n = r->in->point_count;
    sup_sort_item *items = r->patch.items, *spare = r->patch.spare;
    r->order = SUP_NEW(r->work, uint32_t, n);
    if (!r->order) return false;
    for (uint32_t p = 0; p < n; ++p) {
        uint64_t key = 0;
        uint32_t cell[3];
        for (int c = 0; c < 3; ++c) cell[c] = (uint32_t)(((double)(&r->in->rest[p].x)[c] - low[c]) / r->diagonal * 1023.0);
        for (int bit = 9; bit >= 0; --bit)
            for (int c = 0; c < 3; ++c) key = key << 1 | ((cell[c] >> bit) & 1);
        items[p] = (sup_sort_item){ key, p };
    }
    sup_sort(items, spare, n);
    for (uint32_t p = 0; p < n; ++p) r->order[p] = items[p].value;
    return true;
}

// Measures the rest shape's box; a degenerate diagonal becomes 1.
static void measure_box(runner* r, double low[3])
{
    double high[3], squares = 0;
    for (int c = 0; c < 3; ++c) {
        low[c] = high[c] = (double)(&r->in->rest[0].x)[c];
        for (uint32_t p = 1; p < r->in->point_count; ++p) {
            double x = (double)(&r->in->rest[p].x)[c];
            if (x < low[c]) low[c] = x;
            if (x > high[c]) high[c] = x;
        }
        r->middle[c] = 0.5 * (low[c] + high[c]);
        squares += (high[c] - low[c]) * (high[c] - low[c]);
    }
    r->diagonal = squares > 0 ? sqrt(squares) : 1.0; // one point, or all in one place: any unit works
}

static sup_result copy_shapes(runner* r, sup_error* error)
{
    sup_decomposer* d = &r->d;
    uint32_t        n = r->in->point_count, frames = r->in->frame_count;
    d->point_count = n;
    d->points8 = (n + SUP_LANES - 1) / SUP_LANES * SUP_LANES;
    d->frame_count = frames;
    d->frames8 = (frames + SUP_LANES - 1) / SUP_LANES * SUP_LANES;
    float* rest = SUP_NEW(r->work, float, 3 * (size_t)d->points8);
    float* by_point = SUP_NEW(r->work, float, 3 * (size_t)d->points8 * frames);
    float* by_frame = SUP_NEW(r->work, float, 3 * (size_t)d->frames8 * n);
    r->frame_middles = SUP_NEW(r->work, double, 3 * (size_t)frames);
    if (!rest || !by_point || !by_frame || !r->frame_middles) return sup_fail_memory(error, "the shapes of a fit");
    for (size_t c = 0; c < 3; ++c)
        for (uint32_t i = 0; i < n; ++i)
            rest[c * d->points8 + i] = (float)(((double)(&r->in->rest[r->order[i]].x)[c] - r->middle[c]) / r->diagonal);
    for (uint32_t f = 0; f < frames; ++f) {
        const sup_vec3* shape = r->in->frames + (size_t)f * n;
        for (size_t c = 0; c < 3; ++c) {
            double sum = 0;
            for (uint32_t p = 0; p < n; ++p) sum += (double)(&shape[p].x)[c];
            r->frame_middles[3 * f + c] = sum / n;
            for (uint32_t i = 0; i < n; ++i) {
                float v = (float)(((double)(&shape[r->order[i]].x)[c] - sum / n) / r->diagonal);
                by_point[((size_t)f * 3 + c) * d->points8 + i] = v;
                by_frame[((size_t)i * 3 + c) * d->frames8 + f] = v;
            }
        }
    }
    d->rest = rest;
    d->by_point = by_point;
    d->by_frame = by_frame;
    return SUP_OK;
}

// Neighbors by edges, in the order of places.
static sup_result copy_ring(runner* r, sup_error* error)
{
    const sup_decompose_input* in = r->in;
    uint32_t                   n = in->point_count;
    sup_topology               t;
    sup_result                 result =
        sup_topology_create(&(sup_polygons){ n, in->face_count, in->face_begin, in->corners }, r->work, &t, error);
    if (result != SUP_OK) return result;
    uint32_t* place = SUP_NEW(r->work, uint32_t, n);
    uint32_t* begin = SUP_NEW(r->work, uint32_t, (size_t)n + 1);
    uint32_t* ring = SUP_NEW(r->work, uint32_t, t.ring_begin[n]);
    r->d.old_weights = SUP_NEW(r->work, float, (size_t)n * r->d.bones_max);
    if (!place || !begin || !ring || !r->d.old_weights) return sup_fail_memory(error, "smooth weights");
    for (uint32_t i = 0; i < n; ++i) place[r->order[i]] = i;
    for (uint32_t i = 0; i < n; ++i) {
        uint32_t p = r->order[i], count = t.ring_begin[p + 1] - t.ring_begin[p];
        begin[i + 1] = begin[i] + count;
        for (uint32_t k = 0; k < count; ++k) ring[begin[i] + k] = place[t.ring[t.ring_begin[p] + k]];
    }
    r->d.ring_begin = begin;
    r->d.ring = ring;
    r->d.smooth = r->options->smooth * SMOOTH_SCALE * SMOOTH_SCALE * in->frame_count;
    return SUP_OK;
}

static bool make_snapshot(runner* r, snapshot* s)
{
    const sup_decomposer* d = &r->d;
    size_t                placed = (size_t)d->frame_count * d->bones_max, held = (size_t)d->point_count * d->influences;
    *s = (snapshot){ .exact = SUP_NEW(r->work, double, placed * 12),
                     .rotations = SUP_NEW(r->work, sup_quat, placed),
                     .transforms = SUP_NEW(r->work, float, (size_t)d->bones_max * 12 * d->frames8),
                     .counts = SUP_NEW(r->work, uint8_t, d->point_count),
                     .bones = SUP_NEW(r->work, uint32_t, held),
                     .weights = SUP_NEW(r->work, float, held),
                     .errors = SUP_NEW(r->work, float, d->point_count) };
    return s->exact && s->rotations && s->transforms && s->counts && s->bones && s->weights && s->errors;
}

static sup_result allocate(runner* r, sup_error* error)
{
    sup_decomposer* d = &r->d;
    size_t          placed = (size_t)d->frame_count * d->bones_max, held = (size_t)d->point_count * d->influences;
    size_t          moments = (size_t)d->bones_max * (d->bones_max + 1) / 2 * SUP_DECOMPOSE_MOMENTS;
    snapshot        own;
    if (!make_snapshot(r, &own) || !make_snapshot(r, &r->before) || !make_snapshot(r, &r->plain))
        return sup_fail_memory(error, "a fit");
    d->exact = own.exact;
    d->rotations = own.rotations;
    d->transforms = own.transforms;
    d->counts = own.counts;
    d->bones = own.bones;
    d->weights = own.weights;
    d->errors = own.errors;
    d->column_begin = SUP_NEW(r->work, uint32_t, (size_t)d->bones_max + 1);
    d->column_points = SUP_NEW(r->work, uint32_t, held);
    d->column_weights = SUP_NEW(r->work, float, held);
    d->first = SUP_NEW(r->work, double, (size_t)d->bones_max * d->frames8 * 12);
    d->second = SUP_NEW(r->work, double, moments);
    d->piece_sums = SUP_NEW(r->work, double, moments* SUP_DECOMPOSE_PIECES);
    d->piece_error = SUP_NEW(r->work, double, d->points8 / SUP_LANES);
    d->removal = SUP_NEW(r->work, double, (size_t)d->bones_max* SUP_DECOMPOSE_PIECES);
    d->work_size = (size_t)d->bones_max * SUP_LANES;
    d->work = SUP_NEW(r->work, float, d->work_size* SUP_DECOMPOSE_PIECES);
    r->last_exact = SUP_NEW(r->work, double, placed * 12);
    r->now_exact = SUP_NEW(r->work, double, placed * 12);
    r->last_rotations = SUP_NEW(r->work, sup_quat, placed);
    r->now_rotations = SUP_NEW(r->work, sup_quat, placed);
    if (d->column_begin && d->column_points && d->column_weights && d->first && d->second && d->piece_sums && d->piece_error &&
        d->removal && d->work && r->last_exact && r->now_exact && r->last_rotations && r->now_rotations)
        return SUP_OK;
    return sup_fail_memory(error, "a fit");
}

static sup_result prepare(runner* r, sup_error* error)
{
    const sup_decompose_options* o = r->options;
    sup_decomposer*              d = &r->d;
    double                       low[3];
    uint32_t                     n = r->in->point_count;
    uint32_t                     most = o->bones_max ? o->bones_max : BONES_ADDED_MAX;
    d->bones_max = o->error > 0 ? (o->bones > most ? o->bones : most) : o->bones ? o->bones : BONES_USUAL;
    if (d->bones_max > n) d->bones_max = n;
    d->influences = o->influences ? o->influences : INFLUENCES_USUAL;
    d->tasks = o->tasks;
    d->rigid = o->rigid < 0 ? 0 : o->rigid > 0 ? o->rigid : RIGID_USUAL;
    d->point_count = n;
    measure_box(r, low);
    if (!sup_decompose_patch_create(d, r->work, &r->patch) || !sort_points(r, low)) return sup_fail_memory(error, "a fit");
    sup_result result = copy_shapes(r, error);
    if (result == SUP_OK) result = allocate(r, error);
    if (result == SUP_OK && o->smooth > 0 && r->in->face_count) result = copy_ring(r, error);
    return result;
}

// ---------------------------------------------------------------------------------------------- rounds

static void copy_state(const sup_decomposer* d, const snapshot* from, snapshot* to)
{
    size_t placed = (size_t)d->frame_count * d->bones_max, held = (size_t)d->point_count * d->influences;
    memcpy(to->exact, from->exact, placed * 12 * sizeof *to->exact);
    memcpy(to->rotations, from->rotations, placed * sizeof *to->rotations);
    memcpy(to->transforms, from->transforms, (size_t)d->bones_max * 12 * d->frames8 * sizeof *to->transforms);
    memcpy(to->counts, from->counts, d->point_count);
    memcpy(to->bones, from->bones, held * sizeof *to->bones);
    memcpy(to->weights, from->weights, held * sizeof *to->weights);
    memcpy(to->errors, from->errors, d->point_count * sizeof *to->errors);
    to->total = from->total;
}

// The decomposer's own arrays, seen as a snapshot.
static snapshot own_state(const sup_decomposer* d)
{
    return (snapshot){ d->exact, d->rotations, d->transforms, d->counts, d->bones, d->weights, d->errors, d->total };
}

static void save(const sup_decomposer* d, snapshot* s)
{
    snapshot own = own_state(d);
    copy_state(d, &own, s);
}

static void restore(sup_decomposer* d, const snapshot* s)
{
    snapshot own = own_state(d);
    copy_state(d, s, &own);
    d->total = own.total;
}

// Extrapolates every bone by `share` of its motion in the last round.
static void carry_on(runner* r, double share)
{
    sup_decomposer* d = &r->d;
    for (uint32_t f = 0; f < d->frame_count; ++f)
        for (uint32_t b = 0; b < d->bone_count; ++b) {
            size_t        at = (size_t)f * d->bones_max + b;
            sup_quat *    q = &d->rotations[at], before = r->last_rotations[at];
            double*       m = d->exact + at * 12;
            const double* old = r->last_exact + at * 12;
            float         side = q->x * before.x + q->y * before.y + q->z * before.z + q->w * before.w < 0 ? -1.0f : 1.0f;
            for (int c = 0; c < 4; ++c) (&q->x)[c] += (float)share * ((&q->x)[c] - side * (&before.x)[c]);
            double moved[3];
            for (int c = 0; c < 3; ++c) moved[c] = m[4 * c + 3] + share * (m[4 * c + 3] - old[4 * c + 3]);
            sup_decompose_matrix(q, m);
            for (int c = 0; c < 3; ++c) m[4 * c + 3] = moved[c];
            for (size_t e = 0; e < 12; ++e) d->transforms[((size_t)b * 12 + e) * d->frames8 + f] = (float)m[e];
        }
}

// Alternates bones and weights until the last few rounds gain too little. Begins and ends with the best weights for the bones.
static sup_result advance(runner* r, uint32_t rounds, bool until_flat, sup_error* error)
{
    sup_decomposer* d = &r->d;
    size_t          exact = (size_t)d->frame_count * d->bones_max * 12 * sizeof *d->exact,
           turns = exact / 12 / sizeof(double) * sizeof(sup_quat);
    double   last = d->total, mark = d->total;
    uint32_t run = 0;
    memcpy(r->last_exact, d->exact, exact);
    memcpy(r->last_rotations, d->rotations, turns);
    for (uint32_t i = 0; i < rounds; ++i) {
        sup_decompose_move(d, SWEEPS);
        sup_result result = report_progress(r, error); // either half of a round may take long
        if (result != SUP_OK) return result;
        memcpy(r->now_exact, d->exact, exact);
        memcpy(r->now_rotations, d->rotations, turns);
        double share = run / (run + 3.0);
        if (share > 0 && i + 1 < rounds) carry_on(r, share);
        sup_decompose_solve_weights(d);
        r->rounds++;
        run = d->total > last ? 0 : run + 1;
        last = d->total;
        memcpy(r->last_exact, r->now_exact, exact);
        memcpy(r->last_rotations, r->now_rotations, turns);
        result = report_progress(r, error);
        if (result != SUP_OK) return result;
        if (!until_flat || i % GAIN_ROUNDS != GAIN_ROUNDS - 1) continue;
        if (mark - d->total < GAIN_MIN * mark) break;
        mark = d->total;
    }
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- weak bones

// Ranks bones by what would be lost without them, least first.
static void rank_bones(sup_decomposer* d, double* removal, uint32_t* ranks)
{
    for (uint32_t b = 0; b < d->bone_count; ++b) {
        ranks[b] = b;
        for (uint32_t i = b; i > 0 && removal[ranks[i]] < removal[ranks[i - 1]]; --i) {
            uint32_t swap = ranks[i];
            ranks[i] = ranks[i - 1];
            ranks[i - 1] = swap;
        }
    }
}

static void sum_removal(sup_decomposer* d, double* removal)
{
    memset(removal, 0, (size_t)d->bones_max * SUP_DECOMPOSE_PIECES * sizeof *removal);
    d->removal = removal;
    sup_decompose_solve_weights(d);
    d->removal = NULL;
    for (size_t piece = 1; piece < SUP_DECOMPOSE_PIECES; ++piece)
        for (uint32_t b = 0; b < d->bone_count; ++b) removal[b] += removal[piece * d->bones_max + b];
}

static void forget_bone(sup_decomposer* d, uint32_t bone)
{
    for (uint32_t p = 0; p < d->point_count; ++p) {
        size_t   at = (size_t)p * d->influences;
        uint32_t kept = 0;
        for (uint32_t i = 0; i < d->counts[p]; ++i) {
            if (d->bones[at + i] == bone) continue;
            d->bones[at + kept] = d->bones[at + i];
            d->weights[at + kept++] = d->weights[at + i];
        }
        d->counts[p] = (uint8_t)kept;
    }
}

static double place_radius(const runner* r) { return PLACE_RADIUS / sqrt((double)r->d.bone_count); }

// Moves the weakest bones to the worst places, one pair after the other, while that pays off.
static sup_result move_weak_bones(runner* r, double* removal, sup_error* error)
{
    // Pairs of bone (by weakness) and place (by error); after a success the list starts over.
    static const uint8_t pairs[TRIAL_LOSSES][2] = { { 0, 0 }, { 0, 1 }, { 1, 0 }, { 1, 1 }, { 0, 2 } };
    sup_decomposer*      d = &r->d;
    uint32_t             ranks[SUP_DECOMPOSE_BONES_MAX], places[3], losses = 0;
    for (int trial = 0; trial < TRIALS_MAX && losses < TRIAL_LOSSES && d->bone_count > 2; ++trial) {
        sum_removal(d, removal);
        rank_bones(d, removal, ranks);
        uint32_t count = sup_decompose_places(d, place_radius(r), SUP_COUNT_OF(places), places);
        uint32_t weak = ranks[pairs[losses][0]];
        if (pairs[losses][1] >= count || removal[weak] > HOPELESS * d->total) return SUP_OK;
        uint32_t place = places[pairs[losses][1]];

        save(d, &r->before);
        sup_result result = advance(r, TRIAL_ROUNDS, false, error);
        if (result != SUP_OK) return result;
        save(d, &r->plain);
        restore(d, &r->before);
        forget_bone(d, weak);
        sup_decompose_patch_place(d, weak, place, &r->patch);
        sup_decompose_solve_weights(d);
        result = advance(r, TRIAL_ROUNDS - 1, false, error);
        if (result != SUP_OK) return result;
        if (d->total < r->plain.total) {
            r->moved++;
            losses = 0;
        } else {
            restore(d, &r->plain);
            losses++;
        }
    }
    return SUP_OK;
}

static bool go_on(void* user)
{
    sup_error ignored;
    return report_progress(user, &ignored) == SUP_OK;
}

static sup_result begin_with(runner* r, uint32_t bones, sup_error* error)
{
    if (!sup_decompose_seed(&r->d, bones, r->options->seed, &r->patch, go_on, r))
        return sup_fail(error, SUP_ERROR_CANCELLED, "stopped");
    sup_decompose_solve_weights(&r->d);
    return advance(r, WARM_ROUNDS, true, error);
}

// The fewest bones that reach the error: half as many more each time until it is reached, then bisection. Bones that are added
// to soft weights stay poor, so every bone count starts again from rigid pieces, and is judged after a few rounds.
static sup_result search_bones(runner* r, sup_error* error)
{
    sup_decomposer* d = &r->d;
    uint32_t        low = 0, high = d->bones_max, bones = r->options->bones ? r->options->bones : 2;
    bool            reached = false;
    if (bones > high) bones = high;
    for (;;) {
        sup_result result = begin_with(r, bones, error);
        if (result != SUP_OK) return result;
        bool good = erms_of(r) <= SOON * r->options->error;
        if (good) {
            high = bones;
            reached = true;
        } else low = bones;
        if (bones == d->bones_max && !good) return SUP_OK; // more are not allowed
        if (d->bone_count < bones) return SUP_OK;          // nothing is left to explain
        uint32_t near = high / 16 > 1 ? high / 16 : 1;
        if (reached && high - low <= near) return good ? SUP_OK : begin_with(r, high, error);
        uint32_t next = reached ? low + (high - low) / 2 : bones + bones / 2 + 1;
        bones = next < d->bones_max ? next : d->bones_max;
    }
}

// ---------------------------------------------------------------------------------------------- the result

static void export_motion(const runner* r, uint32_t bone, uint32_t to, uint32_t bones, sup_rigid* motion)
{
    const sup_decomposer* d = &r->d;
    for (uint32_t f = 0; f < d->frame_count; ++f) {
        size_t        at = (size_t)f * d->bones_max + bone;
        const double* m = d->exact + at * 12;
        sup_quat      q = d->rotations[at];
        double        length =
            sqrt((double)q.x * (double)q.x + (double)q.y * (double)q.y + (double)q.z * (double)q.z + (double)q.w * (double)q.w);
        sup_rigid* out = &motion[(size_t)f * bones + to];
        for (int c = 0; c < 4; ++c) (&out->rotation.x)[c] = (float)((double)(&q.x)[c] / length);
        for (int c = 0; c < 3; ++c) {
            double turned = m[4 * c] * r->middle[0] + m[4 * c + 1] * r->middle[1] + m[4 * c + 2] * r->middle[2];
            (&out->translation.x)[c] = (float)(r->frame_middles[3 * f + (uint32_t)c] + r->diagonal * m[4 * c + 3] - turned);
        }
    }
}

// Renumbers the bones that have points: parents before children.
static uint32_t number_bones(const runner* r, const uint32_t* parents, uint32_t* number, uint32_t* sequence)
{
    const sup_decomposer* d = &r->d;
    uint32_t              count = 0;
    bool                  taken = true;
    for (uint32_t b = 0; b < d->bone_count; ++b) number[b] = SUP_NONE;
    while (taken) {
        taken = false;
        for (uint32_t b = 0; b < d->bone_count; ++b) {
            if (number[b] != SUP_NONE || (parents[b] != SUP_NONE && number[parents[b]] == SUP_NONE)) continue;
            number[b] = count;
            sequence[count++] = b;
            taken = true;
        }
    }
    return count;
}

static sup_result export(runner* r, sup_arena* arena, sup_decomposition* out, sup_error* error)
{
    sup_decomposer* d = &r->d;
    uint32_t        tree[SUP_DECOMPOSE_BONES_MAX], number[SUP_DECOMPOSE_BONES_MAX], sequence[SUP_DECOMPOSE_BONES_MAX];
    double          heads[SUP_DECOMPOSE_BONES_MAX][3];
    sup_decompose_sums(d);
    sup_decompose_tree(d, r->options->flat, tree, heads);
    uint32_t   bones = number_bones(r, tree, number, sequence);
    size_t     held = (size_t)d->point_count * d->influences;
    uint32_t*  list = SUP_NEW(arena, uint32_t, held);
    float*     weights = SUP_NEW(arena, float, held);
    sup_rigid* motion = SUP_NEW(arena, sup_rigid, (size_t)d->frame_count * bones);
    uint32_t*  parents = SUP_NEW(arena, uint32_t, bones);
    sup_vec3*  places = SUP_NEW(arena, sup_vec3, bones);
    if (!list || !weights || !motion || !parents || !places) return sup_fail_memory(error, "a rig");
    for (uint32_t i = 0; i < bones; ++i) {
        uint32_t b = sequence[i];
        parents[i] = tree[b] == SUP_NONE ? SUP_NONE : number[tree[b]];
        for (int c = 0; c < 3; ++c) (&places[i].x)[c] = (float)(r->middle[c] + r->diagonal * heads[b][c]);
        export_motion(r, b, i, bones, motion);
    }
    for (uint32_t p = 0; p < d->point_count; ++p) {
        size_t from = (size_t)p * d->influences, to = (size_t)r->order[p] * d->influences;
        for (uint32_t i = 0; i < d->counts[p]; ++i) {
            list[to + i] = number[d->bones[from + i]];
            weights[to + i] = d->weights[from + i];
        }
    }
    *out = (sup_decomposition){ .point_count = d->point_count,
                                .frame_count = d->frame_count,
                                .influences = d->influences,
                                .bone_count = bones,
                                .bones = list,
                                .weights = weights,
                                .motion = motion,
                                .parents = parents,
                                .heads = places,
                                .rounds = r->rounds,
                                .moved = r->moved };
    return SUP_OK;
}

// Measured on the result as returned, in floats.
static void measure(const runner* r, sup_decomposition* out)
{
    double squares = 0, most = 0;
    for (uint32_t f = 0; f < out->frame_count; ++f)
        for (uint32_t p = 0; p < out->point_count; ++p) {
            sup_vec3 at = { 0, 0, 0 }, truth = r->in->frames[(size_t)f * out->point_count + p];
            for (uint32_t i = 0; i < out->influences; ++i) {
                size_t k = (size_t)p * out->influences + i;
                if (out->weights[k] == 0) break;
                sup_vec3 moved = rigid_point(&out->motion[(size_t)f * out->bone_count + out->bones[k]], r->in->rest[p]);
                at = v3_mad(at, out->weights[k], moved);
            }
            sup_vec3 miss = v3_sub(at, truth);
            double   square = (double)v3_dot(miss, miss);
            squares += square;
            if (square > most) most = square;
        }
    double count = (double)out->point_count * out->frame_count;
    out->rms = sqrt(squares / count);
    out->max = sqrt(most);
    out->erms = 1000.0 * sqrt(squares / (3.0 * count)) / r->diagonal;
}

// Points first choose among the few bones that fit them best on their own: bones stay in one place, and far better minima are
// found than when all may cancel each other from the start (horse-gallop on 20 bones: 1.17 instead of 1.65). At the end they
// choose among more.
static uint32_t candidates(const runner* r, double share)
{
    uint32_t wanted = (uint32_t)(share * r->d.influences + 0.5);
    return wanted < SUP_DECOMPOSE_CANDIDATES ? wanted : SUP_DECOMPOSE_CANDIDATES;
}

static sup_result run(runner* r, sup_error* error)
{
    sup_decomposer*              d = &r->d;
    const sup_decompose_options* o = r->options;
    double*                      removal = d->removal;
    uint32_t                     rounds = o->rounds ? o->rounds : ROUNDS_USUAL, start = o->bones ? o->bones : BONES_USUAL;
    d->removal = NULL;
    d->candidates = candidates(r, LOCAL);
    if (start > d->bones_max) start = d->bones_max;
    r->planned = rounds + WARM_ROUNDS;
    sup_result result = o->error > 0 ? search_bones(r, error) : begin_with(r, start, error);
    if (result == SUP_OK) result = move_weak_bones(r, removal, error);
    if (result == SUP_OK) result = advance(r, rounds / 3, true, error);
    d->candidates = candidates(r, WIDE);
    if (result == SUP_OK) result = advance(r, rounds - rounds / 3, true, error);
    return result;
}

sup_result sup_decompose(const sup_decompose_input* in, const sup_decompose_options* options, sup_arena* arena,
                         sup_decomposition* out, sup_error* error)
{
    SUP_ASSERT(in && arena && out);
    static const sup_decompose_options usual = { 0 };
    runner                             r = { .in = in, .options = options ? options : &usual };
    sup_result                         result = check(in, r.options, error);
    if (result != SUP_OK) return result;
    r.work = sup_arena_beside(arena);
    result = r.work ? prepare(&r, error) : sup_fail_memory(error, "a fit");
    if (result == SUP_OK) result = run(&r, error);
    if (result == SUP_OK) result = export(&r, arena, out, error);
    if (result == SUP_OK) measure(&r, out);
    sup_arena_destroy(r.work);
    return result;
}
