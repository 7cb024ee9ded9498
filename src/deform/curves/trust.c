#include "deform/curves/trust.h"

#include "base/internal.h"
#include "math/trig.h"
#include "math/vec.h"

#include <math.h>
#include <string.h>

/// A joint from which more hang than this is no limb: what one of them does says nothing about its skin.
#define CHILDREN_MOST 32u
/// Poses this near to the way (0.06 degrees in every joint) are on it.
#define ON_THE_WAY 1e-3

/// Radians squared: a joint that goes a shorter way between two poses looks at those beside it too.
#define WAY_OWN 0.3f

/// Slides that count as a radian, in diagonals.
#define SLIDE_UNIT 0.1f
/// Share of a segment, at both ends, over which the ratio of time becomes that of the pose: all points leave an example with
/// the speed that the examples beside it give them.
#define WINDOW 0.3f
/// Radians beside the way at which a correction is down to 1/e, plus so much of its length.
#define OFF_LEAST 0.28
#define OFF_SHARE 0.17
/// Of its length: beyond both ends of a way that no time goes along.
#define BEYOND 1.0f
/// Of examples in no order of time: they tell so much farther as they are more alike.
#define ALIKE 4.0
#define ODD_LEAST 0.01 // rad^2: shorter ways are as good as none

/// Poses beside each that ways lead to.
enum { NEAR_WAYS = 4 };

enum { GRAIN_BLOCKS = 512 };

/// Where a joint stands, seen from the one above, in units of the world. Roots beside the first do not slide.
static sup_vec3 slide_of(const pose_joint* j, const sup_pose* pose)
{
    const sup_affine* above = &pose->global[j->above];
    sup_affine        inverse;
    if (j->base_end > j->base_begin || !affine_invert(above, &inverse)) return v3(0, 0, 0);
    sup_vec3 column = v3(above->m[0][0], above->m[1][0], above->m[2][0]);
    sup_vec3 at = v3_scale(affine_point(&inverse, affine_translation(&pose->global[j->joint])), v3_length(column));
    return v3_finite(at) ? at : v3(0, 0, 0);
}

/// Squared: how far a joint turns and slides from one pose to another.
static double distance2(float unit, sup_quat turn_a, sup_vec3 slide_a, sup_quat turn_b, sup_vec3 slide_b)
{
    sup_quat q = quat_mul(quat_conjugate(turn_a), turn_b);
    double   x = q.x, y = q.y, z = q.z, w = q.w, by = unit > 0 ? 1 / (double)unit : 0;
    double   angle = 2 * sup_atan2(sqrt(x * x + y * y + z * z), fabs(w)); // the shorter way
    return angle * angle + by * by * (double)v3_length2(v3_sub(slide_b, slide_a));
}

sup_result sup_turns_create(const sup_character* c, uint32_t pose_count, const sup_pose* poses, sup_arena* arena,
                            sup_turns* out, sup_error* error)
{
    pose_joint* joints = NULL;
    uint32_t *  paths = NULL, count = 0, lost = 0;
    sup_result  r = sup_turn_joints(&c->skeleton, arena, &joints, &count, &paths, error);
    sup_quat*   turns = r ? NULL : SUP_NEW(arena, sup_quat, (size_t)count * pose_count + 1);
    sup_vec3*   slides = r ? NULL : SUP_NEW(arena, sup_vec3, (size_t)count * pose_count + 1);
    if (r) return r;
    if (!turns || !slides) return sup_fail_memory(error, "poses");
    for (uint32_t k = 0; k < pose_count; ++k)
        for (uint32_t j = 0; j < count; ++j) {
            turns[(size_t)k * count + j] = sup_turn_of(&joints[j], paths, &poses[k], &lost);
            slides[(size_t)k * count + j] = slide_of(&joints[j], &poses[k]);
        }
    *out = (sup_turns){ count, pose_count, joints, paths, turns, slides, SLIDE_UNIT * c->mesh.diagonal };
    return SUP_OK;
}

static double turn_distance2(const sup_turns* t, uint32_t joint, uint32_t from, uint32_t to)
{
    size_t a = (size_t)from * t->joint_count + joint, b = (size_t)to * t->joint_count + joint;
    return distance2(t->unit, t->turns[a], t->slides[a], t->turns[b], t->slides[b]);
}

sup_result sup_trust_near_ways(const sup_turns* t, sup_arena* arena, sup_trust_way** out, uint32_t* count, sup_error* error)
{
    uint32_t       n = t->pose_count;
    sup_trust_way* ways = SUP_NEW(arena, sup_trust_way, (size_t)n * NEAR_WAYS + 1);
    if (!ways) return sup_fail_memory(error, "poses");
    *count = 0;
    for (uint32_t a = 0; a < n; ++a) {
        uint32_t found = 0, near[NEAR_WAYS];
        double   best[NEAR_WAYS];
        for (uint32_t b = 0; b < n; ++b) {
            double d = 0;
            for (uint32_t j = 0; j < t->joint_count; ++j) d += turn_distance2(t, j, a, b);
            if (a == b || (found == NEAR_WAYS && d >= best[found - 1])) continue;
            uint32_t at = found < NEAR_WAYS ? found++ : found - 1;
            for (; at > 0 && d < best[at - 1]; --at) best[at] = best[at - 1], near[at] = near[at - 1];
            best[at] = d, near[at] = b;
        }
        for (uint32_t i = 0; i < found; ++i) {
            sup_trust_way way = { a < near[i] ? a : near[i], a < near[i] ? near[i] : a };
            bool          there = false;
            for (uint32_t k = 0; k < *count; ++k) there |= ways[k].from == way.from && ways[k].to == way.to;
            if (!there) ways[(*count)++] = way;
        }
    }
    *out = ways;
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- who looks at what

typedef struct trust_maker {
    const sup_character*   c;
    const sup_trust_desc*  desc;
    const sup_turns*       turns;
    const sup_trust_means* means;
    sup_arena *            arena, *beside;
    uint32_t *             begin, *list; ///< turns of every mover
    uint32_t               entries;
    uint32_t *             first, *next; ///< [entry], [number]: lists of pairs
    uint32_t*              rows;         ///< [number]: movers
    float*                 weights;
    uint32_t               used, work;
} trust_maker;

/// A joint bends the skin on both of its sides: it matters where it moves points, and where the one above it does.
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
        if (m->begin[mover] == m->begin[mover + 1]) continue; // no turn matters where it moves the skin
        if (!add(m, p, mover, value)) return false;
        if (mean == SUP_NONE) continue;
        if (!add(m, points + mean, mover, value * (1 - m->means->ratio[p]))) return false;
        if (!add(m, points + mean + 1, mover, value * m->means->ratio[p])) return false;
    }
    return true;
}

/// Over all turns of its movers an entry's weights add up to 1; one that no turn matters to has none, and is always trusted.
static void normalize(trust_maker* m)
{
    for (uint32_t e = 0; e < m->entries; ++e) {
        float sum = 0;
        for (uint32_t i = m->first[e]; i != SUP_NONE; i = m->next[i])
            sum += m->weights[i] * (float)(m->begin[m->rows[i] + 1] - m->begin[m->rows[i]]);
        for (uint32_t i = m->first[e]; i != SUP_NONE; i = m->next[i]) m->weights[i] = sum > 0 ? m->weights[i] / sum : 0;
    }
}

/// Blocks of entries that all go with one mover alone need their share once: a block behind all others stands for those of a
/// mover. Returns how many there are. `stands`: room for a number a mover.
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
        for (uint32_t lane = 0; lane < SUP_LANES; ++lane) alone = alone && w[lane] > 0; // none is always trusted
        if (!alone) continue;
        for (uint32_t lane = 0; lane < SUP_LANES; ++lane) w[lane] = all; // but for rounding they are
        if (stands[row] == SUP_NONE) {
            stands[row] = count + likes++;
            blocks[stands[row]] = blocks[b];
        }
        blocks[b].like = stands[row];
    }
    return likes;
}

/// Eight entries side by side. `place`: room for a number a mover.
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

/// How far apart the corrections of every mover's points are on a way, in parts of what they are: 0 alike, 1 and more not at
/// all.
static void compare_shapes(const trust_maker* m, sup_trust_way way, double* unlike, double* all)
{
    const sup_weights* w = &m->c->weights;
    const sup_vec3 *   a = m->desc->shapes[way.from], *b = m->desc->shapes[way.to];
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

/// What the share of a mover's points falls off by, per rad^2 beside the way. `unlike`: how far apart their corrections are.
static double rate_of(const trust_maker* m, const float* l, uint32_t mover, double unlike)
{
    double length = length_of(m, l, mover), lacks = 1 - length / (double)WAY_OWN, scale = OFF_LEAST + OFF_SHARE * sqrt(length);
    double rate = 1 / (scale * scale), change = (unlike < 1 ? unlike : 1) / (length + ODD_LEAST);
    if (!m->desc->in_time && ALIKE * change < rate) rate = ALIKE * change;
    return rate + (lacks > 0 ? lacks * lacks * change * (unlike < 1 ? unlike : 1) : 0);
}

/// Length of every way, turn by turn, and how soon shares fall off beside it.
static bool make_ways(trust_maker* m, sup_trust* out)
{
    const sup_trust_desc* d = m->desc;
    uint32_t              turns = m->turns->joint_count, movers = out->mover_count;
    float *               lengths = SUP_NEW(m->arena, float, (size_t)d->way_count*turns + 1),
          *rates = SUP_NEW(m->arena, float, (size_t)d->way_count*movers + 1);
    double *unlike = SUP_NEW(m->beside, double, movers), *all = SUP_NEW(m->beside, double, movers);
    if (!lengths || !rates || !unlike || !all) return false;
    for (uint32_t w = 0; w < d->way_count; ++w) {
        float* l = lengths + (size_t)w * turns;
        for (uint32_t j = 0; j < turns; ++j) l[j] = (float)turn_distance2(m->turns, j, d->ways[w].from, d->ways[w].to);
        compare_shapes(m, d->ways[w], unlike, all);
        for (uint32_t k = 0; k < movers; ++k) {
            uint32_t count = m->begin[k + 1] - m->begin[k];
            rates[(size_t)w * movers + k] = count ? (float)(count * rate_of(m, l, k, unlike[k])) : 0;
        }
    }
    out->way_count = d->way_count, out->ways = d->ways, out->lengths = lengths, out->rates = rates;
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
    good = good && make_blocks(&m, out) && make_ways(&m, out);
    sup_arena_destroy(m.beside);
    return good ? SUP_OK : sup_fail_memory(error, "poses");
}

// ---------------------------------------------------------------------------------------------- a frame

/// Pieces of scratch, in order.
typedef struct trust_workspace {
    float*          away;       ///< [pose][turn]: squared distances from the present pose
    sup_trust_sums *own, *sums; ///< [mover]
    float *         score, *share, *shift;
} trust_workspace;

static trust_workspace cut_workspace(const sup_trust* t, void* scratch, size_t* total)
{
    trust_workspace r;
    size_t     at = 0, entries = ((size_t)t->block_count + t->like_count) * SUP_LANES * sizeof(float);
    r.away = (float*)sup_scratch_at(scratch, at);
    at += sup_align((size_t)t->turns.pose_count * t->turns.joint_count * sizeof(float), 64);
    r.own = (sup_trust_sums*)sup_scratch_at(scratch, at);
    at += sup_align(t->mover_count * sizeof(sup_trust_sums), 64);
    r.sums = (sup_trust_sums*)sup_scratch_at(scratch, at);
    at += sup_align(t->mover_count * sizeof(sup_trust_sums), 64);
    r.score = (float*)sup_scratch_at(scratch, at);
    at += sup_align(t->mover_count * sizeof(float), 64);
    r.share = (float*)sup_scratch_at(scratch, at), r.shift = (float*)sup_scratch_at(scratch, at + entries);
    if (total) *total = at + 2 * entries;
    return r;
}

size_t sup_trust_scratch(const sup_trust* t)
{
    size_t total = 0;
    if (t->block_count) cut_workspace(t, NULL, &total);
    return total;
}

/// n, l and G of every mover: the sums over its turns, and where these go a short way between the poses, means over the movers
/// beside it as well.
static void sum_movers(const sup_trust* trust, uint32_t way, const trust_workspace* work)
{
    const sup_turns* t = &trust->turns;
    const uint32_t * begin = trust->turn_begin, *list = trust->turn_list;
    const float *    from = work->away + (size_t)trust->ways[way].from * t->joint_count,
                *to = work->away + (size_t)trust->ways[way].to * t->joint_count;
    const float *lengths = trust->lengths + (size_t)way * t->joint_count,
                *rates = trust->rates + (size_t)way * trust->mover_count;
    for (uint32_t m = 0; m < trust->mover_count; ++m) {
        sup_trust_sums sum = { 0, 0, 0, 0 };
        for (uint32_t i = begin[m]; i < begin[m + 1]; ++i) {
            uint32_t j = list[i];
            sum.n += from[j], sum.l += lengths[j], sum.g += 0.5f * (from[j] + lengths[j] - to[j]);
        }
        work->own[m] = sum;
    }
    for (uint32_t m = 0; m < trust->mover_count; ++m) {
        float          count = (float)(begin[m + 1] - begin[m]), all = count;
        float          lacks = 1 - work->own[m].l / (WAY_OWN * fmaxf(count, 1));
        sup_trust_sums sum = work->own[m];
        work->sums[m] = sum, work->sums[m].rate = rates[m];
        if (!(lacks > 0) || count == 0) continue;
        for (uint32_t i = begin[m]; i < begin[m + 1]; ++i) {
            const pose_joint*     j = &t->joints[list[i]];
            uint32_t              number = j->joint == m ? j->above : j->joint;
            const sup_trust_sums* beside = &work->own[number];
            sum.n += beside->n, sum.l += beside->l, sum.g += beside->g;
            all += (float)(begin[number + 1] - begin[number]);
        }
        float by = lacks * lacks * count / all;
        work->sums[m].n += by * sum.n, work->sums[m].l += by * sum.l, work->sums[m].g += by * sum.g;
    }
}

/// How far the present pose is from some of the poses: from `from` on in steps of `step`.
static void measure(const sup_trust* trust, const sup_pose* pose, uint32_t from, uint32_t step, uint32_t count, float* away)
{
    const sup_turns* t = &trust->turns;
    uint32_t         lost = 0;
    for (uint32_t j = 0; j < t->joint_count; ++j) {
        sup_quat turn = sup_turn_of(&t->joints[j], t->paths, pose, &lost);
        sup_vec3 slide = slide_of(&t->joints[j], pose);
        for (uint32_t k = 0; k < count; ++k) {
            size_t at = (size_t)(from + k * step) * t->joint_count + j;
            away[at] = (float)distance2(t->unit, t->turns[at], t->slides[at], turn, slide);
        }
    }
}

/// Whether the whole pose is where time says it is on the way.
static bool on_the_way(const sup_trust* trust, const sup_way* way, const float* away)
{
    const sup_turns* t = &trust->turns;
    const float *    from = away + (size_t)trust->ways[way->number].from * t->joint_count,
                *to = away + (size_t)trust->ways[way->number].to * t->joint_count;
    double worst = 0, r = way->ratio;
    for (uint32_t j = 0; j < t->joint_count; ++j) {
        double n = from[j], l = trust->lengths[(size_t)way->number * t->joint_count + j], g = 0.5 * (n + l - (double)to[j]);
        double off = n - 2 * r * g + r * r * l;
        if (off > worst) worst = off;
    }
    return worst <= ON_THE_WAY * ON_THE_WAY;
}

typedef struct trust_job {
    const sup_trust*      trust;
    const sup_trust_sums* sums;
    float                 ratio, near;
    float *               share, *shift;
} trust_job;

static void shares_task(void* data, uint32_t begin, uint32_t end)
{
    const trust_job* j = data;
    SUP_WIDE_PICK(sup_trust_shares)(j->trust, j->sums, j->ratio, j->near, begin, end, j->share, j->shift);
}

/// Blocks that stand for others first.
static sup_trusted find_shares(trust_job job, const sup_tasks* tasks)
{
    const sup_trust* t = job.trust;
    shares_task(&job, t->block_count, t->block_count + t->like_count);
    sup_tasks_run(tasks, t->block_count, GRAIN_BLOCKS, shares_task, &job);
    return (sup_trusted){ job.share, job.shift };
}

sup_trusted sup_trust_find(const sup_trust* t, const sup_pose* pose, const sup_way* way, const sup_tasks* tasks, void* scratch)
{
    sup_trusted none = { NULL, NULL };
    if (t->block_count == 0 || t->turns.joint_count == 0) return none;
    trust_workspace work = cut_workspace(t, scratch, NULL);
    sup_trust_way ends = t->ways[way->number];
    if (ends.from < ends.to) measure(t, pose, ends.from, ends.to - ends.from, 2, work.away);
    else measure(t, pose, ends.to, ends.from - ends.to, 2, work.away); // around a loop
    if (on_the_way(t, way, work.away)) return none;
    sum_movers(t, way->number, &work);
    float near = way->left ? 1 : fminf(way->ratio, 1 - way->ratio) / WINDOW;
    return find_shares((trust_job){ t, work.sums, way->ratio, near, work.share, work.shift }, tasks);
}

/// Of a mover: the exponent of its share, as in sup_trust_shares. Straight on beyond its ends the way goes on for a while.
static float score_of(const sup_trust_sums* sum, float count)
{
    float n = sum->n / count, l = sum->l / count, g = sum->g / count;
    float s = l > 0 ? fminf(fmaxf(g / l, -BEYOND), 1 + BEYOND) : 0, off = fmaxf(n - 2 * s * g + s * s * l, 0);
    return off * sum->rate / count;
}

sup_trusted sup_trust_find_any(const sup_trust* t, const sup_pose* pose, const sup_tasks* tasks, void* scratch)
{
    sup_trusted none = { NULL, NULL };
    if (t->block_count == 0 || t->turns.joint_count == 0 || t->way_count == 0) return none;
    trust_workspace work = cut_workspace(t, scratch, NULL);
    measure(t, pose, 0, 1, t->turns.pose_count, work.away);
    for (uint32_t w = 0; w < t->way_count; ++w) {
        sum_movers(t, w, &work);
        for (uint32_t m = 0; m < t->mover_count; ++m) {
            uint32_t count = t->turn_begin[m + 1] - t->turn_begin[m];
            float    score = count ? score_of(&work.sums[m], (float)count) : 0;
            if (w == 0 || score < work.score[m]) work.score[m] = score;
        }
    }
    // Ways of movers beside each other may change at once: their exponents are what is mixed, so that nothing jumps.
    for (uint32_t m = 0; m < t->mover_count; ++m) {
        float count = (float)(t->turn_begin[m + 1] - t->turn_begin[m]);
        work.sums[m] = (sup_trust_sums){ work.score[m] * count, 0, 0, count };
    }
    return find_shares((trust_job){ t, work.sums, 0, 1, work.share, work.shift }, tasks);
}
