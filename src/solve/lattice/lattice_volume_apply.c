// The correction of a pose: all parts at once along smooth fields, then each exactly along its own.
#include "solve/lattice/lattice_volume.h"

#include "base/internal.h"
#include "base/scratch_layout.h"
#include "math/vec.h"

#include <math.h>
#include <string.h>

#define SAME_VOLUME 1e-5      // of the rest volume: a part this near to its goal, below rounding, is left alone
#define NEAR_ENOUGH 2e-3      // of the rest volume: what the exact step alone may be left to correct
#define ONE_ROUND 0.04        // of the rest volume: one round leaves a fifth of it or less, not worth another
#define ONE_ROUND_MOVING 0.01 // the same for moving flesh, which is measured again in the next step anyway
#define STEP_MAX 0.5          // cells that a field may move a particle in one round
#define LAST_STEP_MAX 0.2     // and in the exact step at the end: more would leave dents at the cuts
#define LEARN_LEAST 0.5       // of the growth expected: below this, the shortfall of a round is not made up for
#define LEARN_MOST 1.5
#define FAR_OFF 0.02       // of its goal: a part that stays farther away is counted
#define WORSE_SLACK 1.5e-3 // of the rest volume: a part may always be this far from it, whatever its pose has
#define WHOLE_SLACK 3e-3   // of the whole's rest volume: it may be swollen by this much
#define WORSE_SHOWS 2e-4   // of the rest volume, beyond that: may remain after a part moved back
#define NEIGHBORS_FROM 3   // rounds in which a part moves back alone; then its neighbors do by half as much
enum { BACK_ROUNDS = 10 };
enum { COUPLE_ROUNDS = 8, SLOT_GRAIN = 1024 };

// ---------------------------------------------------------------------------------------------- root

static double cubic_at(const double a[4], double l) { return a[0] + l * (a[1] + l * (a[2] + l * a[3])); }

// Where the slope a1 + 2 a2 l + 3 a3 l^2, positive at 0, first reaches 0 in the direction of `sign`.
static double rises_until(const double a[4], double sign, double limit)
{
    double p = a[1], q = 2 * a[2] * sign, r = 3 * a[3], best = limit; // in t = sign l
    double under = q * q - 4 * p * r;
    if (under < 0) return limit;
    // The stable pair of roots: their product is p / r, and neither subtracts nearly equal numbers.
    double s = -0.5 * (q + (q < 0 ? -sqrt(under) : sqrt(under)));
    if (s != 0 && p / s > 0) best = fmin(best, p / s);
    if (r != 0 && s / r > 0) best = fmin(best, s / r);
    return best;
}

// Newton stops when a step is this share of the root, a few roundings of a double; bisection alone takes 52 rounds to get
// there.
static const double ROOT_STEP = 1e-15;
enum { ROOT_ROUNDS = 60 };

double sup_lattice_cubic_root(const double a[4], double target, double limit, bool* met)
{
    double sign = target < a[0] ? -1 : 1, high = rises_until(a, sign, limit), low = 0;
    double end = cubic_at(a, sign * high);
    *met = sign > 0 ? end >= target : end <= target;
    if (!*met) return sign * high;
    double t = 0;
    for (int i = 0; i < ROOT_ROUNDS; ++i) { // Newton, bracketed by bisection
        double off = sign * (cubic_at(a, sign * t) - target), slope = a[1] + sign * t * (2 * a[2] + sign * t * 3 * a[3]);
        if (off > 0) high = t;
        else low = t;
        double next = slope > 0 ? t - off / slope : -1;
        if (!(next > low && next < high)) next = (low + high) / 2;
        if (fabs(next - t) <= ROOT_STEP * fabs(next)) break;
        t = next;
    }
    return sign * t;
}

// ---------------------------------------------------------------------------------------------- apply

typedef struct apply_job {
    const sup_lattice_volume*      v;
    const sup_lattice_volume_call* call;
    sup_vec3*                      outward;                   ///< per slot
    float *                        spots, *ways;              ///< per slot: points and outward as four floats
    float *                        places, *fields;           ///< of all members, four floats per member
    double *                       volumes, *goals, *lengths; ///< per part; l of each
    double *                       low, *high;                ///< per part: the range it may have
    double*                        gives;                     ///< per part: how much of its field stiffness and clearance leave
    float*                         softest;                   ///< per part: the least stiffness of flesh mostly its own
    float*                         shares;                    ///< row_shares, times what each slot gives to each part
    double*                        before;                    ///< per part: its volume at the fallback
    double*                        bounds;                    ///< per part: how far from rest it may be
    float*                         shifts;                    ///< per part: lengths, laid out for the wide kernel
    const sup_vec3*                fallback;
    const sup_vec3*                known; ///< per member: its place before the first move
    uint8_t*                       found; ///< per part: flags below
    uint8_t*                       asked; ///< per part: to be measured
    double (*sums)[4];                    ///< per piece of faces
    uint8_t* met;                         ///< per chunk of slots: its own field reached the end of its clearance
    bool     along;                       ///< and how its volume changes along its own field
    bool     swollen;                     ///< the whole had to move back
} apply_job;

enum { PART_LEFT_ALONE = 1, PART_INSIDE_OUT = 2, PART_CARRIES = 4 }; // the last: one that would be worse off

static apply_job lay_out(const sup_lattice_volume* v, const sup_lattice_volume_call* call, void* scratch, size_t* size)
{
    size_t     slots = v->slot_count, members = v->member_count, parts = v->part_count;
    sup_layout l = { .base = scratch };
    apply_job  j = { .v = v, .call = call };
    j.outward = sup_layout_add(&l, slots, sizeof(sup_vec3));
    j.spots = sup_layout_add(&l, slots, 4 * sizeof(float));
    j.ways = sup_layout_add(&l, slots, 4 * sizeof(float));
    j.places = sup_layout_add(&l, members, 4 * sizeof(float));
    j.fields = sup_layout_add(&l, members, 4 * sizeof(float));
    j.shares = sup_layout_add(&l, LATTICE_SHARES * (size_t)v->share_stride, sizeof(float));
    j.volumes = sup_layout_add(&l, parts, sizeof(double));
    j.goals = sup_layout_add(&l, parts, sizeof(double));
    j.lengths = sup_layout_add(&l, parts, sizeof(double));
    j.low = sup_layout_add(&l, parts, sizeof(double));
    j.high = sup_layout_add(&l, parts, sizeof(double));
    j.before = sup_layout_add(&l, parts, sizeof(double));
    j.gives = sup_layout_add(&l, parts, sizeof(double));
    j.shifts = sup_layout_add(&l, parts, sizeof(double));
    j.bounds = sup_layout_add(&l, parts, sizeof(double));
    j.found = sup_layout_add(&l, parts, sizeof(double));
    j.asked = sup_layout_add(&l, parts, sizeof(double));
    j.softest = sup_layout_add(&l, parts, sizeof(double));
    j.met = sup_layout_add(&l, slots / SLOT_GRAIN + 1, 1);
    j.sums = sup_layout_add(&l, v->face_piece_count, sizeof *j.sums);
    *size = l.used;
    return j;
}

size_t sup_lattice_volume_scratch(const sup_lattice_volume* v)
{
    size_t size;
    lay_out(v, NULL, NULL, &size);
    return size;
}

static sup_lattice_field_job field_of(const apply_job* j, const sup_lattice_piece* piece)
{
    const sup_lattice_volume* v = j->v;
    return (sup_lattice_field_job){ .volume = v,
                                    .part = &v->parts[piece->part],
                                    .begin = piece->begin,
                                    .end = piece->end,
                                    .points = j->spots,
                                    .offsets = j->call->offsets,
                                    .known = j->known,
                                    .outward = j->along ? j->ways : NULL,
                                    .places = j->places + 4 * (size_t)v->parts[piece->part].member_begin,
                                    .fields = j->fields + 4 * (size_t)v->parts[piece->part].member_begin };
}

// The factor that a slot applies to the field of a part.
static float give(const apply_job* j, uint32_t part, uint32_t slot)
{
    const float* stiffness = j->call->stiffness;
    if (!stiffness || part == SUP_NONE) return 1.0f;
    if (stiffness[slot] == INFINITY) return 0.0f;
    return j->softest[part] < stiffness[slot] ? j->softest[part] / stiffness[slot] : 1.0f;
}

// The first share of a slot is its largest. A part whose own flesh is uniform moves as it would without stiffness, whatever its
// neighbors are.
static void find_softest(const apply_job* j)
{
    const sup_lattice_volume* v = j->v;
    for (uint32_t i = 0; i < v->part_count; ++i) j->softest[i] = INFINITY;
    for (uint32_t s = 0; s < v->slot_count; ++s) {
        if (v->share_begin[s] == v->share_begin[s + 1]) continue;
        float* softest = &j->softest[v->share_parts[v->share_begin[s]]];
        *softest = fminf(*softest, j->call->stiffness[s]);
    }
    for (uint32_t k = 0; k < LATTICE_SHARES; ++k)
        for (uint32_t s = 0; s < v->slot_count; ++s) {
            size_t row = (size_t)k * v->share_stride + s;
            j->shares[row] = v->row_shares[row] * give(j, v->row_parts[row], s);
        }
}

static void outward_task(void* data, uint32_t begin, uint32_t end)
{
    const apply_job* j = data;
    SUP_WIDE_PICK(sup_lattice_outward)(j->v, j->call->matrices, j->call->core, begin, end, j->outward);
    for (uint32_t s = begin; s < end && j->call->clearance; ++s) j->outward[s] = v3_scale(j->outward[s], j->call->clearance[s]);
    SUP_WIDE_PICK(sup_lattice_spots)(j->outward, begin, end, j->ways);
    for (uint32_t s = begin; s < end && j->call->stiffness; ++s)
        for (uint32_t a = 0; a < 3; ++a) j->ways[4 * (size_t)s + a] *= give(j, j->v->owners[s], s);
}

static void spot_task(void* data, uint32_t begin, uint32_t end)
{
    const apply_job* j = data;
    SUP_WIDE_PICK(sup_lattice_spots)(j->call->points, begin, end, j->spots);
}

// Before the first measurement; whatever moves points later also moves these.
static void place_spots(apply_job* j) { sup_tasks_run(j->call->tasks, j->v->slot_count, SLOT_GRAIN, spot_task, j); }

static void field_task(void* data, uint32_t begin, uint32_t end)
{
    const apply_job* j = data;
    for (uint32_t i = begin; i < end; ++i) {
        sup_lattice_field_job field = field_of(j, &j->v->member_pieces[i]);
        if (j->asked[j->v->member_pieces[i].part]) SUP_WIDE_PICK(sup_lattice_field)(&field);
    }
}

static void cubic_task(void* data, uint32_t begin, uint32_t end)
{
    const apply_job* j = data;
    for (uint32_t i = begin; i < end; ++i) {
        sup_lattice_field_job field = field_of(j, &j->v->face_pieces[i]);
        if (j->asked[j->v->face_pieces[i].part]) SUP_WIDE_PICK(sup_lattice_cubic)(&field, j->sums[i]);
    }
}

// Measures the parts that are asked for, chunk by chunk.
static void measure_asked(const apply_job* j)
{
    const sup_lattice_volume* v = j->v;
    sup_tasks_run(j->call->tasks, v->member_piece_count, 1, field_task, (void*)j);
    sup_tasks_run(j->call->tasks, v->face_piece_count, 1, cubic_task, (void*)j);
    for (uint32_t i = 0; i < v->part_count; ++i)
        if (j->asked[i]) j->volumes[i] = 0;
    for (uint32_t i = 0; i < v->face_piece_count; ++i)
        if (j->asked[v->face_pieces[i].part]) j->volumes[v->face_pieces[i].part] += j->sums[i][0];
}

// Asks for the parts that a shift by the lengths has moved: those with a length above `still`, of their own or of a part that
// blends into them.
static void ask_moved(const apply_job* j, double still)
{
    const sup_lattice_volume* v = j->v;
    for (uint32_t i = 0; i < v->part_count; ++i) {
        j->asked[i] = j->lengths[i] != still;
        for (uint32_t k = v->couple_begin[i]; k < v->couple_begin[i + 1]; ++k)
            j->asked[i] |= j->lengths[v->couple_parts[k]] != still;
    }
}

static void measure(const apply_job* j)
{
    const uint8_t* parts = j->call->parts;
    for (uint32_t i = 0; i < j->v->part_count; ++i) {
        j->asked[i] = !parts || parts[i];
        if (!j->asked[i]) j->volumes[i] = j->call->goals[i];
    }
    measure_asked(j);
}

typedef struct shift_job {
    sup_lattice_shift_job by;
    float*                spots;
} shift_job;

static void shift_task(void* data, uint32_t begin, uint32_t end)
{
    const shift_job* j = data;
    SUP_WIDE_PICK(sup_lattice_shift)(&j->by, begin, end);
    SUP_WIDE_PICK(sup_lattice_spots)(j->by.points, begin, end, j->spots);
}

// Moves all slots by the lengths of their parts: outward, or back to the fallback.
static void shift(const apply_job* j, bool back)
{
    const sup_lattice_volume* v = j->v;
    const float*              shares = j->call->stiffness && !back ? j->shares : v->row_shares;
    shift_job job = { { v, j->shifts, shares, back ? NULL : j->outward, back ? j->fallback : NULL, j->call->middle,
                        j->call->hold, j->call->points },
                      j->spots };
    for (uint32_t i = 0; i < v->part_count; ++i) j->shifts[i] = (float)j->lengths[i];
    if (v->part_count) sup_tasks_run(j->call->tasks, v->slot_count, SLOT_GRAIN, shift_task, &job);
}

static void own_move_task(void* data, uint32_t begin, uint32_t end)
{
    const apply_job*          j = data;
    const sup_lattice_volume* v = j->v;
    for (uint32_t s = begin; s < end; ++s) {
        if (v->owners[s] == SUP_NONE || v->fade[s] == 0) continue;
        double l = (double)v->fade[s] * (double)give(j, v->owners[s], s) * j->lengths[v->owners[s]];
        if (l == 0) continue;
        sup_vec3* x = &j->call->points[s];
        *x = v3_mad(*x, (float)(l * v->h), j->outward[s]);
        if (!j->call->hold) continue;
        sup_vec3 off = v3_sub(*x, j->call->middle[s]);
        if (!(j->call->hold[s] * v3_length2(off) > 1)) continue;
        *x = v3_add(j->call->middle[s], sup_lattice_within(off, j->call->hold[s]));
        j->met[s / SLOT_GRAIN] = 1;
    }
    SUP_WIDE_PICK(sup_lattice_spots)(j->call->points, begin, end, j->spots);
}

static double rest_goal(const apply_job* j, uint32_t part)
{
    return j->v->parts[part].rest * (j->call->targets ? j->call->targets[part] : 1.0);
}

// How far from rest the bounds let a part be.
static double may_be_off(const apply_job* j, uint32_t part)
{
    return fmax(WORSE_SLACK * j->v->parts[part].rest, fabs(j->call->bounds->linear[part] - rest_goal(j, part)));
}

// The goal of every part; `found` marks those that must not be touched.
static void set_goals(const apply_job* j)
{
    const sup_lattice_volume_call* call = j->call;
    for (uint32_t i = 0; i < j->v->part_count; ++i) {
        const sup_lattice_part* t = &j->v->parts[i];
        double                  rest = t->rest * (call->targets ? call->targets[i] : 1.0);
        double                  strength = call->strength ? (double)call->strength[i] : 1.0;
        j->goals[i] = call->goals ? call->goals[i] : j->volumes[i] + strength * (rest - j->volumes[i]);
        j->low[i] = j->goals[i] - call->slack * t->rest;
        j->high[i] = j->goals[i] + call->slack * t->rest;
        if (call->bounds) {
            double farthest = may_be_off(j, i);
            j->low[i] = fmax(j->low[i], fmin(j->goals[i], rest - farthest));
            j->high[i] = fmin(j->high[i], fmax(j->goals[i], rest + farthest));
        }
        j->found[i] = 0;
        j->goals[i] = fmin(fmax(j->volumes[i], j->low[i]), j->high[i]);
        if (t->cells == 0 || t->most[call->core] == 0 || (!call->goals && !(strength > 0)) ||
            !isfinite(j->volumes[i] + j->goals[i]))
            j->found[i] = PART_LEFT_ALONE;
        else if (!(j->volumes[i] > 0)) j->found[i] = PART_LEFT_ALONE | PART_INSIDE_OUT;
    }
}

// What a part of this volume lacks to be within its range.
static double lacks(const apply_job* j, uint32_t part, double volume)
{
    return fmin(fmax(volume, j->low[part]), j->high[part]) - volume;
}

// The largest distance from an allowed range, in rest volumes.
static double furthest(const apply_job* j)
{
    double worst = 0;
    for (uint32_t i = 0; i < j->v->part_count; ++i)
        if (!(j->found[i] & PART_LEFT_ALONE)) worst = fmax(worst, fabs(lacks(j, i, j->volumes[i])) / j->v->parts[i].rest);
    return worst;
}

static double outwards(const apply_job* j, double most) { return j->call->grow > 0 ? fmin(j->call->grow, most) : most; }

// What stiffness and clearance leave of the field of each part, averaged over its corners.
static void find_gives(const apply_job* j)
{
    const sup_lattice_volume* v = j->v;
    const float*              clearance = j->call->clearance;
    bool                      less = clearance || j->call->stiffness;
    for (uint32_t i = 0; i < v->part_count; ++i) {
        const sup_lattice_part* t = &v->parts[i];
        double                  sum = 0;
        for (uint32_t m = t->member_begin; m < t->member_end && less; ++m) {
            uint32_t slot = v->members[LATTICE_NODE_SLOTS * (size_t)m];
            sum += (double)give(j, i, slot) * (clearance ? (double)clearance[slot] : 1.0);
        }
        j->gives[i] = less && t->member_end > t->member_begin ? sum / (t->member_end - t->member_begin) : 1;
    }
}

// Gauss-Seidel on the rates at rest, which are diagonally dominant.
static void couple(const apply_job* j)
{
    const sup_lattice_volume* v = j->v;
    uint32_t                  field = j->call->core;
    memset(j->lengths, 0, v->part_count * sizeof *j->lengths);
    for (int round = 0; round < COUPLE_ROUNDS; ++round)
        for (uint32_t i = 0; i < v->part_count; ++i) {
            if ((j->found[i] & PART_LEFT_ALONE) || !(v->parts[i].rate[field] > 0) || !(j->gives[i] > 0)) continue;
            double there = j->volumes[i], unit = 1 / (double)v->parts[i].most[field];
            for (uint32_t k = v->couple_begin[i]; k < v->couple_begin[i + 1]; ++k)
                there += (double)v->couples[field][k] * j->gives[v->couple_parts[k]] * j->lengths[v->couple_parts[k]];
            j->lengths[i] = fmin(fmax(lacks(j, i, there) / ((double)v->parts[i].rate[field] * j->gives[i]), -STEP_MAX * unit),
                                 outwards(j, STEP_MAX) * unit);
        }
}

// How much of the growth that `couple` expected a round achieved: fields that are rotated or held achieve less than at rest.
static void learn(const apply_job* j)
{
    const sup_lattice_volume* v = j->v;
    uint32_t                  field = j->call->core;
    for (uint32_t i = 0; i < v->part_count; ++i) {
        double wanted = (double)v->parts[i].rate[field] * j->gives[i] * j->lengths[i];
        for (uint32_t k = v->couple_begin[i]; k < v->couple_begin[i + 1]; ++k)
            wanted += (double)v->couples[field][k] * j->gives[v->couple_parts[k]] * j->lengths[v->couple_parts[k]];
        j->lengths[i] = 1;
        if (fabs(wanted) > NEAR_ENOUGH * v->parts[i].rest)
            j->lengths[i] = fmin(fmax((j->volumes[i] - j->before[i]) / wanted, LEARN_LEAST), LEARN_MOST);
    }
    for (uint32_t i = 0; i < v->part_count; ++i) j->gives[i] *= j->lengths[i];
}

// From the sums of its chunks, of which *piece is the first.
static void correct_part(const apply_job* j, uint32_t part, uint32_t* piece, double most)
{
    const sup_lattice_part* t = &j->v->parts[part];
    double                  a[4] = { 0 };
    j->lengths[part] = 0;
    for (; *piece < j->v->face_piece_count && j->v->face_pieces[*piece].part == part; ++*piece)
        for (int k = 0; k < 4; ++k) a[k] += j->sums[*piece][k];
    if (!j->asked[part] || (j->found[part] & (PART_LEFT_ALONE | PART_CARRIES)) || !isfinite(a[0] + a[1] + a[2] + a[3])) return;
    double lack = lacks(j, part, a[0]);
    if (fabs(lack) <= SAME_VOLUME * t->rest) return;
    if (!(a[1] > 0)) {
        j->found[part] |= PART_INSIDE_OUT;
        return;
    }
    bool   met;
    double limit = lack > 0 ? outwards(j, most) : most;
    double l = sup_lattice_cubic_root(a, a[0] + lack, limit / (double)t->most[j->call->core], &met);
    j->lengths[part] = l;
    j->volumes[part] = cubic_at(a, l);
}

// Parts that share particles are corrected one after the other, from the root on, and disturb each other.
static void one_after_the_other(apply_job* j)
{
    const sup_lattice_volume* v = j->v;
    j->along = true;
    for (uint32_t sweep = 0; sweep < j->call->sweeps; ++sweep)
        for (uint32_t part = 0, piece = 0; part < v->part_count; ++part) {
            memset(j->lengths, 0, v->part_count * sizeof *j->lengths);
            memset(j->asked, 0, v->part_count);
            j->asked[part] = 1;
            measure_asked(j);
            correct_part(j, part, &piece, STEP_MAX);
            if (j->lengths[part] != 0) shift(j, false);
        }
    j->along = false;
}

static bool is_bounded(const apply_job* j, uint32_t part)
{
    const sup_lattice_part* t = &j->v->parts[part];
    return t->rest > 0 && t->block_end > t->block_begin && !(j->call->strength && !(j->call->strength[part] > 0));
}

// How much of the displacement from the fallback a part may keep: all of it, or as much as keeps it within its bounds.
static double harmless_share(const apply_job* j, uint32_t part)
{
    double goal = rest_goal(j, part), now = j->volumes[part], there = j->before[part], most = j->bounds[part];
    if (!is_bounded(j, part)) return 1;
    if (!isfinite(now)) return 0;
    if (!(fabs(now - goal) > most + SAME_VOLUME * j->v->parts[part].rest)) return 1;
    double edge = now > goal ? goal + most : goal - most, way = now - there;
    return way != 0 ? fmin(fmax((edge - there) / way, 0), 1) : 0;
}

// Parts trade volume across their cuts when these rotate: one swells that cannot shrink, its neighbor gets back what it never
// lost, and the whole grows. Returns the share of each part's growth that prevents this.
static double unswollen_share(const apply_job* j)
{
    double now = 0, goal = 0, grown = 0;
    for (uint32_t i = 0; i < j->v->part_count; ++i) {
        const sup_lattice_part* t = &j->v->parts[i];
        if (!(t->rest > 0)) continue;
        now += j->volumes[i];
        goal += t->rest * (j->call->targets ? j->call->targets[i] : 1.0);
        grown += fmax(j->volumes[i] - j->before[i], 0);
    }
    double over = now - (1 + WHOLE_SLACK) * goal;
    return over > 0 && grown > 0 ? fmax(1 - over / grown, 0) : 1;
}

// A correction may cost a neighbor more than it gains, the damage of a blend may be beyond repair, and swinging flesh gives
// way. Volumes along the way back are nearly linear, so a round or two meet the bounds; a part takes back what flows in from
// its neighbors only if moving back alone was not enough: what they gain is worth more.
static uint32_t hold_back(apply_job* j, const sup_lattice_volume_bounds* bounds)
{
    const sup_lattice_volume* v = j->v;
    const double*             there = bounds->there;
    uint32_t                  parts = v->part_count, held = 0;
    bool                      known = there != NULL;
    j->fallback = bounds->fallback;
    for (uint32_t i = 0; i < parts; ++i) {
        j->before[i] = known ? there[i] : rest_goal(j, i);
        j->bounds[i] = may_be_off(j, i) + WORSE_SHOWS * v->parts[i].rest;
        if (j->call->parts) j->bounds[i] = fmax(j->bounds[i], fabs(j->before[i] - rest_goal(j, i)));
    }
    for (uint32_t round = 0; round < BACK_ROUNDS; ++round) {
        uint32_t worse = 0;
        double   growth = bounds->whole ? unswollen_share(j) : 1;
        for (uint32_t i = 0; i < parts && !known; ++i) known |= harmless_share(j, i) < 1;
        if (!known && growth == 1) break;
        if (!there && round == 0) { // only now is it worth measuring the fallback
            sup_lattice_volume_call fallback = *j->call;
            fallback.points = (sup_vec3*)bounds->fallback; // read only
            apply_job before = *j;
            before.call = &fallback;
            before.volumes = j->before;
            place_spots(&before);
            measure(&before);
            place_spots(j);
            growth = bounds->whole ? unswollen_share(j) : 1;
        }
        for (uint32_t i = 0; i < parts; ++i) j->lengths[i] = j->volumes[i] > j->before[i] ? growth : 1;
        for (uint32_t i = 0; i < parts; ++i) {
            double share = harmless_share(j, i);
            worse += fmin(share, j->lengths[i]) < 1;
            double* carrier = &j->lengths[v->parts[i].carrier];
            j->lengths[i] = fmin(j->lengths[i], share);
            *carrier = fmin(*carrier, share);
            if (share < 1 && v->parts[i].carrier != i) j->found[v->parts[i].carrier] |= PART_CARRIES;
            for (uint32_t k = v->couple_begin[i]; k < v->couple_begin[i + 1] && round >= NEIGHBORS_FROM && share < 1; ++k) {
                double* beside = &j->lengths[v->couple_parts[k]];
                *beside = fmin(*beside, (1 + share) / 2);
            }
        }
        if (round == 0) held = worse;
        j->swollen |= growth < 1;
        if (worse == 0) break;
        shift(j, true);
        ask_moved(j, 1);
        measure_asked(j);
    }
    return held;
}

// Corrects each part exactly, along its own field. Parts that moved since they were measured are already asked for.
static void meet(apply_job* j)
{
    uint32_t piece = 0;
    for (uint32_t i = 0; i < j->v->part_count; ++i) // to the edge of the range on the side they came from
        if (j->goals[i] == j->low[i] || j->goals[i] == j->high[i]) j->low[i] = j->high[i] = j->goals[i];
    for (uint32_t i = 0; i < j->v->part_count; ++i)
        j->asked[i] |= !(fabs(lacks(j, i, j->volumes[i])) <= SAME_VOLUME * j->v->parts[i].rest);
    j->along = true;
    measure_asked(j);
    j->along = false;
    for (uint32_t i = 0; i < j->v->part_count; ++i) correct_part(j, i, &piece, LAST_STEP_MAX);
    memset(j->met, 0, j->v->slot_count / SLOT_GRAIN + 1);
    sup_tasks_run(j->call->tasks, j->v->slot_count, SLOT_GRAIN, own_move_task, j);
    bool any = false; // a slot met its limit, so the volumes differ from the cubic's prediction: measure them
    for (uint32_t i = 0; i <= j->v->slot_count / SLOT_GRAIN; ++i) any |= j->met[i] != 0;
    for (uint32_t i = 0; i < j->v->part_count; ++i) j->asked[i] = any && j->lengths[i] != 0;
    if (any) measure_asked(j);
}

sup_lattice_volume_report sup_lattice_volume_apply(const sup_lattice_volume* v, const sup_lattice_volume_call* call)
{
    sup_lattice_volume_report report = { 0 };
    size_t                    size;
    apply_job                 j = lay_out(v, call, call->scratch, &size);
    place_spots(&j);
    j.known = call->known;
    measure(&j);
    j.known = NULL;
    if (call->start) memcpy(call->start, j.volumes, v->part_count * sizeof *call->start);
    set_goals(&j);
    report.moved = furthest(&j) > SAME_VOLUME;
    if (report.moved && call->stiffness) find_softest(&j);
    if (report.moved) sup_tasks_run(call->tasks, v->slot_count, SLOT_GRAIN, outward_task, &j);
    if (report.moved) find_gives(&j);
    if (report.moved && !v->apart) one_after_the_other(&j);
    else if (report.moved) {
        for (uint32_t sweep = 0; sweep < call->sweeps; ++sweep) {
            double far = furthest(&j);
            memset(j.asked, 0, v->part_count);
            if (far <= NEAR_ENOUGH && !call->rough) break;
            couple(&j);
            shift(&j, false);
            ask_moved(&j, 0);
            if (far <= (call->goals ? ONE_ROUND_MOVING : ONE_ROUND) || sweep + 1 == call->sweeps) break;
            memcpy(j.before, j.volumes, v->part_count * sizeof *j.before);
            measure_asked(&j);
            learn(&j);
        }
        if (!call->rough) meet(&j);
        else if (call->bounds) measure_asked(&j);
    }
    if (call->bounds && v->apart) report.held_back = hold_back(&j, call->bounds); // including parts without a field
    if (report.held_back && report.moved && !call->rough && !j.swollen) {         // no part's own field reaches another part
        memset(j.asked, 1, v->part_count); // the others' volumes are those that the first pass predicted
        meet(&j);
    }
    report.moved |= report.held_back > 0;
    for (uint32_t i = 0; i < v->part_count; ++i) {
        report.inside_out += (j.found[i] & PART_INSIDE_OUT) != 0;
        report.out_of_reach += !j.found[i] && fabs(lacks(&j, i, j.volumes[i])) > FAR_OFF * fabs(j.goals[i]);
        if (call->reached) call->reached[i] = j.volumes[i];
    }
    return report;
}

void sup_lattice_volume_measure(const sup_lattice_volume* v, const sup_vec3* points, const sup_vec3* offsets,
                                const sup_vec3* known, const sup_tasks* tasks, void* scratch, double* out)
{
    size_t                  size;
    sup_lattice_volume_call call = { .points = (sup_vec3*)points, .offsets = offsets, .tasks = tasks }; // read only
    apply_job               j = lay_out(v, &call, scratch, &size);
    place_spots(&j);
    j.known = known;
    measure(&j);
    memcpy(out, j.volumes, v->part_count * sizeof *out);
}

double sup_lattice_volume_growth(const sup_lattice_volume* v, uint32_t part, const sup_vec3* rest, const sup_mat3* unturned,
                                 void* scratch)
{
    double                  rate = 0;
    size_t                  size;
    sup_lattice_volume_call call = { .points = (sup_vec3*)rest, .matrices = unturned }; // read only
    apply_job               j = lay_out(v, &call, scratch, &size);
    place_spots(&j);
    outward_task(&j, 0, v->slot_count);
    j.along = true;
    memset(j.asked, 0, v->part_count);
    j.asked[part] = 1;
    measure_asked(&j);
    for (uint32_t i = 0; i < v->face_piece_count; ++i)
        if (v->face_pieces[i].part == part) rate += j.sums[i][1];
    return rate;
}
