// Which joints a point considers, how far sculpts reach beside the path between their poses, and how well they predict each
// other.
#include "deform/curves/trust_internal.h"

#include "base/internal.h"
#include "math/trig.h"
#include "math/vec.h"

#include <math.h>
#include <string.h>

/// A joint with more children than this is not a limb: what one of them does says nothing about its skin.
#define CHILDREN_MOST 32u
/// Radians beside the path at which a correction is down to 1/e, plus this share of the path's length.
#define OFF_LEAST 0.28
#define OFF_SHARE 0.17
/// For examples in no order of time: the more similar, the farther they reach.
#define ALIKE 4.0
#define ODD_LEAST 0.01 // rad^2: shorter paths count as none
/// What remains of an example between two others that predict it worse than nothing would.
#define SHARE_LEAST 0.1
#define LN2 0.69314718055994531

/// Nearby poses that paths from each lead to.
enum { NEAR_PATHS = 4 };

sup_result sup_trust_near_paths(const sup_turns* t, sup_arena* arena, sup_pose_path** out, uint32_t* count, sup_error* error)
{
    uint32_t       n = t->pose_count;
    sup_pose_path* paths = SUP_NEW(arena, sup_pose_path, (size_t)n * NEAR_PATHS + 1);
    if (!paths) return sup_fail_memory(error, "poses");
    *count = 0;
    for (uint32_t a = 0; a < n; ++a) {
        uint32_t found = 0, near[NEAR_PATHS];
        double   best[NEAR_PATHS];
        for (uint32_t b = 0; b < n; ++b) {
            double d = 0;
            for (uint32_t j = 0; j < t->joint_count; ++j) d += trust_distance2(t, j, a, b);
            if (a == b || (found == NEAR_PATHS && d >= best[found - 1])) continue;
            uint32_t at = found < NEAR_PATHS ? found++ : found - 1;
            for (; at > 0 && d < best[at - 1]; --at) best[at] = best[at - 1], near[at] = near[at - 1];
            best[at] = d, near[at] = b;
        }
        for (uint32_t i = 0; i < found; ++i) {
            sup_pose_path path = { a < near[i] ? a : near[i], a < near[i] ? near[i] : a };
            bool          there = false;
            for (uint32_t k = 0; k < *count; ++k) there |= paths[k].from == path.from && paths[k].to == path.to;
            if (!there) paths[(*count)++] = path;
        }
    }
    *out = paths;
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- who looks at what

typedef struct trust_maker {
    const sup_character*   c;
    const sup_trust_desc*  desc;
    const sup_turns*       turns;
    const sup_trust_means* means;
    sup_arena *            arena, *beside;
    uint32_t *             begin, *list; ///< turns of each mover
    uint32_t               entries;
    uint32_t *             first, *next; ///< [entry], [number]: lists of pairs
    uint32_t*              rows;         ///< [number]: movers
    float*                 weights;
    uint32_t               used, work;
} trust_maker;

/// A joint bends the skin on both of its sides: it matters where it moves points, and where its parent does.
static bool list_turns(trust_maker* m)
{
    const sup_turns* t = m->turns;
    uint32_t         joints = m->c->skeleton.joint_count;
    m->begin = SUP_NEW(m->arena, uint32_t, (size_t)joints + 2);
    m->list = SUP_NEW(m->arena, uint32_t, 2 * (size_t)t->joint_count + 1);
    uint32_t* children = SUP_NEW(m->beside, uint32_t, joints);
    if (!m->begin || !m->list || !children) return false;
    for (uint32_t j = 0; j < t->joint_count; ++j) ++children[t->joints[j].above];
    for (int pass = 0; pass < 2; ++pass) {
        for (uint32_t j = 0; j < t->joint_count; ++j) {
            uint32_t on[2] = { t->joints[j].joint, t->joints[j].above };
            for (int k = 0; k < 2; ++k) {
                if (k == 1 && children[on[1]] > CHILDREN_MOST) continue;
                if (pass) m->list[m->begin[on[k] + 1]++] = j;
                else ++m->begin[on[k] + 2];
            }
        }
        for (uint32_t j = 0; !pass && j < joints; ++j) m->begin[j + 2] += m->begin[j + 1];
    }
    return true;
}

static bool add(trust_maker* m, uint32_t entry, uint32_t row, float weight)
{
    for (uint32_t i = m->first[entry]; i != SUP_NONE; i = m->next[i])
        if (m->rows[i] == row) return m->weights[i] += weight, true;
    if (m->used == m->work) {
        uint32_t  capacity = 2 * m->work + 1024;
        uint32_t *next = SUP_NEW(m->beside, uint32_t, capacity), *rows = SUP_NEW(m->beside, uint32_t, capacity);
        float*    weights = SUP_NEW(m->beside, float, capacity);
        if (!next || !rows || !weights) return false;
        if (m->used) {
            memcpy(next, m->next, m->used * sizeof *next), memcpy(rows, m->rows, m->used * sizeof *rows);
            memcpy(weights, m->weights, m->used * sizeof *weights);
        }
        m->next = next, m->rows = rows, m->weights = weights, m->work = capacity;
    }
    m->rows[m->used] = row, m->weights[m->used] = weight, m->next[m->used] = m->first[entry];
    m->first[entry] = m->used++;
    return true;
}

/// A point's own entry, and the two means that it is part of.
static bool add_point(trust_maker* m, uint32_t p)
{
    const sup_weights* w = &m->c->weights;
    uint32_t           points = m->c->mesh.point_count, mean = m->means->count ? m->means->entry[p] : SUP_NONE;
    for (uint32_t i = w->begin[p]; i < w->begin[p + 1]; ++i) {
        float    value = w->values[i];
        uint32_t mover = w->joints[i];
        if (m->begin[mover] == m->begin[mover + 1]) continue; // no turn matters to the skin it moves
        if (!add(m, p, mover, value)) return false;
        if (mean == SUP_NONE) continue;
        if (!add(m, points + mean, mover, value * (1 - m->means->ratio[p]))) return false;
        if (!add(m, points + mean + 1, mover, value * m->means->ratio[p])) return false;
    }
    return true;
}

/// Over all turns of its movers an entry's weights sum to 1; an entry that no turn matters to has none, and is always trusted.
static void normalize(trust_maker* m)
{
    for (uint32_t e = 0; e < m->entries; ++e) {
        float sum = 0;
        for (uint32_t i = m->first[e]; i != SUP_NONE; i = m->next[i])
            sum += m->weights[i] * (float)(m->begin[m->rows[i] + 1] - m->begin[m->rows[i]]);
        for (uint32_t i = m->first[e]; i != SUP_NONE; i = m->next[i]) m->weights[i] = sum > 0 ? m->weights[i] / sum : 0;
    }
}

/// Blocks whose entries all have the same single mover need their share only once: one shared block per mover, after all
/// others. Returns how many there are. `stands`: room for one number per mover.
static uint32_t share_blocks(const trust_maker* m, uint32_t count, sup_trust_block* blocks, const uint32_t* rows,
                             float* weights, uint32_t* stands)
{
    uint32_t likes = 0;
    for (uint32_t j = 0; j < m->c->skeleton.joint_count; ++j) stands[j] = SUP_NONE;
    for (uint32_t b = 0; b < count && (b + 1) * SUP_LANES <= m->entries; ++b) {
        if (blocks[b].count != 1) continue;
        uint32_t row = rows[blocks[b].begin];
        float *  w = weights + (size_t)blocks[b].begin * SUP_LANES, all = 1.0f / (float)(m->begin[row + 1] - m->begin[row]);
        bool     alone = true;
        for (uint32_t lane = 0; lane < SUP_LANES; ++lane) alone = alone && w[lane] > 0; // an entry without weights is trusted
        if (!alone) continue;
        for (uint32_t lane = 0; lane < SUP_LANES; ++lane) w[lane] = all; // up to rounding they are
        if (stands[row] == SUP_NONE) {
            stands[row] = count + likes++;
            blocks[stands[row]] = blocks[b];
        }
        blocks[b].like = stands[row];
    }
    return likes;
}

/// Eight entries side by side. `place`: room for one number per mover.
static bool make_blocks(trust_maker* m, sup_trust* out)
{
    uint32_t         blocks = (m->entries + SUP_LANES - 1) / SUP_LANES, used = 0;
    sup_trust_block* made = SUP_NEW(m->arena, sup_trust_block, (size_t)blocks + m->c->skeleton.joint_count);
    uint32_t *       rows = SUP_NEW(m->arena, uint32_t, (size_t)m->used + 1),
             *place = SUP_NEW(m->beside, uint32_t, m->c->skeleton.joint_count);
    float* weights = SUP_NEW(m->arena, float, SUP_LANES*((size_t)m->used + 1));
    if (!made || !rows || !place || !weights) return false;
    for (uint32_t b = 0; b < blocks; ++b) {
        made[b].begin = used;
        for (uint32_t lane = 0; lane < SUP_LANES && b * SUP_LANES + lane < m->entries; ++lane)
            for (uint32_t i = m->first[b * SUP_LANES + lane]; i != SUP_NONE; i = m->next[i]) {
                uint32_t row = m->rows[i];
                if (place[row] <= made[b].begin) rows[used++] = row, place[row] = used; // one more than its place
                weights[(size_t)(place[row] - 1) * SUP_LANES + lane] = m->weights[i];
            }
        made[b].count = used - made[b].begin, made[b].like = SUP_NONE;
    }
    uint32_t likes = share_blocks(m, blocks, made, rows, weights, place);
    *out = (sup_trust){ .turns = *m->turns,
                        .mover_count = m->c->skeleton.joint_count,
                        .turn_begin = m->begin,
                        .turn_list = m->list,
                        .entry_count = m->entries,
                        .block_count = blocks,
                        .like_count = likes,
                        .blocks = made,
                        .rows = rows,
                        .weights = weights };
    return true;
}

/// How different the corrections of every mover's points are on a path, relative to their size: 0 equal, 1 and more unrelated.
static void compare_shapes(const trust_maker* m, sup_pose_path path, double* unlike, double* all)
{
    const sup_weights* w = &m->c->weights;
    const sup_vec3 *   a = m->desc->shapes[path.from], *b = m->desc->shapes[path.to];
    uint32_t           joints = m->c->skeleton.joint_count;
    for (uint32_t j = 0; j < joints; ++j) unlike[j] = all[j] = 0;
    for (uint32_t p = 0; p < m->c->mesh.point_count; ++p) {
        double both = (double)v3_length2(a[p]) + (double)v3_length2(b[p]), apart = (double)v3_length2(v3_sub(b[p], a[p]));
        for (uint32_t i = w->begin[p]; i < w->begin[p + 1]; ++i)
            unlike[w->joints[i]] += (double)w->values[i] * apart, all[w->joints[i]] += (double)w->values[i] * both;
    }
    for (uint32_t j = 0; j < joints; ++j) unlike[j] = all[j] > 0 ? unlike[j] / all[j] : 0;
}

/// Mean of l over the turns of a mover.
static double length_of(const trust_maker* m, const float* l, uint32_t mover)
{
    double   sum = 0;
    uint32_t count = m->begin[mover + 1] - m->begin[mover];
    for (uint32_t i = m->begin[mover]; i < m->begin[mover + 1]; ++i) sum += (double)l[m->list[i]];
    return count ? sum / count : 0;
}

/// The falloff of the share of a mover's points, per rad^2 beside the path. `unlike`: how different their corrections are.
static double rate_of(const trust_maker* m, const float* l, uint32_t mover, double unlike)
{
    double length = length_of(m, l, mover), lacks = 1 - length / (double)WAY_OWN, scale = OFF_LEAST + OFF_SHARE * sqrt(length);
    double rate = 1 / (scale * scale), change = (unlike < 1 ? unlike : 1) / (length + ODD_LEAST);
    if (!m->desc->in_time && ALIKE * change < rate) rate = ALIKE * change;
    return rate + (lacks > 0 ? lacks * lacks * change * (unlike < 1 ? unlike : 1) : 0);
}

/// Length of every path, turn by turn, and how fast shares fall off beside it.
static bool make_ways(trust_maker* m, sup_trust* out)
{
    const sup_trust_desc* d = m->desc;
    uint32_t              turns = m->turns->joint_count, movers = out->mover_count;
    float *               lengths = SUP_NEW(m->arena, float, (size_t)d->path_count*turns + 1),
          *rates = SUP_NEW(m->arena, float, (size_t)d->path_count*movers + 1);
    double *unlike = SUP_NEW(m->beside, double, movers), *all = SUP_NEW(m->beside, double, movers);
    if (!lengths || !rates || !unlike || !all) return false;
    for (uint32_t w = 0; w < d->path_count; ++w) {
        float* l = lengths + (size_t)w * turns;
        for (uint32_t j = 0; j < turns; ++j) l[j] = (float)trust_distance2(m->turns, j, d->paths[w].from, d->paths[w].to);
        compare_shapes(m, d->paths[w], unlike, all);
        for (uint32_t k = 0; k < movers; ++k) {
            uint32_t count = m->begin[k + 1] - m->begin[k];
            rates[(size_t)w * movers + k] = count ? (float)(count * rate_of(m, l, k, unlike[k])) : 0;
        }
    }
    out->path_count = d->path_count, out->paths = d->paths, out->lengths = lengths, out->rates = rates;
    return true;
}

// ---------------------------------------------------------------------------------------------- how examples predict each
// other

/// Leave-one-out evidence about a mover, summed over its points and over the examples left out.
typedef struct trust_evidence {
    double agrees, size; ///< prediction . example, and |prediction|^2
    double off;          ///< size x the square of how far (rad^2) the pose lay beside the path
} trust_evidence;

/// Predicts example `path` + 1 from its two neighbors as if it had not been sculpted.
static void predict_example(const trust_maker* m, const sup_trust* without, uint32_t path, const trust_workspace* work,
                            float* ratio, double* share, trust_evidence* evidence)
{
    const sup_weights* w = &m->c->weights;
    const sup_vec3*    shapes[3] = { m->desc->shapes[path], m->desc->shapes[path + 1], m->desc->shapes[path + 2] };
    for (uint32_t end = path; end <= path + 2; end += 2)
        for (uint32_t j = 0; j < m->turns->joint_count; ++j)
            work->away[(size_t)end * m->turns->joint_count + j] = (float)trust_distance2(m->turns, j, path + 1, end);
    trust_sum_movers(without, path, work);
    double off = (double)trust_whole_off(without, path, work->away);
    for (uint32_t k = 0; k < without->mover_count; ++k) {
        float          count = fmaxf((float)(m->begin[k + 1] - m->begin[k]), 1);
        sup_trust_sums s = work->sums[k];
        ratio[k] = s.l > 0 ? sup_clampf(s.g / s.l, 0, 1) : 0;
        float beside = fmaxf(s.n - 2 * ratio[k] * s.g + ratio[k] * ratio[k] * s.l, 0);
        share[k] = sup_exp((double)(-beside * s.rate / (count * count)));
    }
    for (uint32_t p = 0; p < m->c->mesh.point_count; ++p)
        for (uint32_t i = w->begin[p]; i < w->begin[p + 1]; ++i) {
            uint32_t        k = w->joints[i];
            trust_evidence* e = &evidence[k];
            sup_vec3        between = v3_lerp(shapes[0][p], shapes[2][p], ratio[k]);
            double          weight = (double)w->values[i] * share[k], size = weight * share[k] * (double)v3_length2(between);
            e->agrees += weight * (double)v3_dot(between, shapes[1][p]);
            e->size += size, e->off += size * off * off;
        }
}

/// Leave-one-out over the examples of a motion. A prediction is worse than none if 2 agrees < size: the joints that a mover
/// considers do not determine its skin, and the whole pose has to count. Interpolation error grows with the square of the
/// distance, its square with the fourth power: hence off^2, so that examples close together are not blamed for those far apart.
static bool make_doubts(trust_maker* m, sup_trust* out)
{
    uint32_t n = m->turns->pose_count, movers = out->mover_count;
    if (!m->desc->in_time || n < 3) return true;
    sup_pose_path*  paths = SUP_NEW(m->beside, sup_pose_path, n);
    float *         doubts = SUP_NEW(m->arena, float, (size_t)movers + 1), *ratio = SUP_NEW(m->beside, float, movers);
    double*         share = SUP_NEW(m->beside, double, movers);
    trust_evidence* evidence = SUP_NEW(m->beside, trust_evidence, movers);
    trust_workspace work = { .away = SUP_NEW(m->beside, float, (size_t)n * m->turns->joint_count + 1),
                             .own = SUP_NEW(m->beside, sup_trust_sums, movers),
                             .sums = SUP_NEW(m->beside, sup_trust_sums, movers) };
    if (!paths || !doubts || !ratio || !share || !evidence || !work.away || !work.own || !work.sums) return false;
    for (uint32_t j = 0; j + 2 < n; ++j) paths[j] = (sup_pose_path){ j, j + 2 };
    sup_trust_desc desc = *m->desc;
    trust_maker    beside = *m;
    sup_trust      without = *out;
    desc.path_count = n - 2, desc.paths = paths, beside.desc = &desc, beside.arena = m->beside;
    if (!make_ways(&beside, &without)) return false;
    for (uint32_t j = 0; j + 2 < n; ++j) predict_example(m, &without, j, &work, ratio, share, evidence);
    for (uint32_t k = 0; k < movers; ++k) {
        const trust_evidence* e = &evidence[k];
        if (!(e->size > 0 && 2 * e->agrees < e->size)) continue; // too far apart to predict anything, or predicted well
        double wanted = fmax(2 * e->agrees / e->size, SHARE_LEAST), least = OFF_LEAST * OFF_LEAST;
        doubts[k] = (float)(-LN2 * sup_log2(wanted) * least / (e->off / e->size + least * least));
    }
    out->doubts = doubts;
    return true;
}

sup_result sup_trust_create(const sup_character* c, const sup_trust_desc* desc, sup_arena* arena, sup_trust* out,
                            sup_error* error)
{
    trust_maker m = { .c = c, .desc = desc, .turns = desc->turns, .means = &desc->means, .arena = arena };
    m.beside = sup_arena_beside(arena);
    m.entries = c->mesh.point_count + m.means->count;
    m.first = m.beside ? SUP_NEW(m.beside, uint32_t, (size_t)m.entries + 1) : NULL;
    bool good = m.first && list_turns(&m);
    for (uint32_t e = 0; good && e < m.entries; ++e) m.first[e] = SUP_NONE;
    for (uint32_t p = 0; good && p < c->mesh.point_count; ++p) good = add_point(&m, p);
    if (good) normalize(&m);
    good = good && make_blocks(&m, out) && make_ways(&m, out) && make_doubts(&m, out);
    sup_arena_destroy(m.beside);
    return good ? SUP_OK : sup_fail_memory(error, "poses");
}
