#include "deform/trust.h"

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

/// The rotation vector from one turn to another.
static void turn_between(sup_quat from, sup_quat to, double out[3])
{
    sup_quat q = quat_mul(quat_conjugate(from), to);
    double   v[3] = { q.x, q.y, q.z }, sine = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]), cosine = q.w;
    if (cosine < 0) cosine = -cosine, sine = -sine;
    double scale = sine != 0 ? 2 * sup_atan2(fabs(sine), cosine) / sine : 2; // the sign of the shorter way is in the sine
    for (int i = 0; i < 3; ++i) out[i] = v[i] * scale;
}

/// The rotation vector, and what the joint slides.
enum { STEP = 6 };

static void step_between(float unit, sup_quat turn_a, sup_vec3 slide_a, sup_quat turn_b, sup_vec3 slide_b, double out[STEP])
{
    double   by = unit > 0 ? 1 / (double)unit : 0;
    sup_vec3 d = v3_sub(slide_b, slide_a);
    turn_between(turn_a, turn_b, out);
    out[3] = by * d.x, out[4] = by * d.y, out[5] = by * d.z;
}

sup_result sup_turns_create(const sup_character* c, uint32_t pose_count, const sup_pose* poses, sup_arena* arena,
                            sup_turns* out, sup_error* error)
{
    pose_joint* joints = NULL;
    uint32_t *  paths = NULL, count = 0, lost = 0;
    sup_result  r = sup_turn_joints(&c->skeleton, arena, &joints, &count, &paths, error);
    sup_quat*   turns = r ? NULL : SUP_NEW(arena, sup_quat, (size_t)count * pose_count + 1);
    sup_vec3*   slides = r ? NULL : SUP_NEW(arena, sup_vec3, (size_t)count * pose_count + 1);
    double*     steps = r ? NULL : SUP_NEW(arena, double, STEP*((size_t)count * pose_count + 1));
    if (r) return r;
    if (!turns || !slides || !steps) return sup_fail_memory(error, "poses");
    for (uint32_t k = 0; k < pose_count; ++k)
        for (uint32_t j = 0; j < count; ++j) {
            turns[(size_t)k * count + j] = sup_turn_of(&joints[j], paths, &poses[k], &lost);
            slides[(size_t)k * count + j] = slide_of(&joints[j], &poses[k]);
        }
    *out = (sup_turns){ count, pose_count, joints, paths, turns, slides, SLIDE_UNIT * c->mesh.diagonal, steps };
    for (uint32_t i = 0; i < pose_count * count; ++i) {
        uint32_t to = (i + count) % (pose_count * count);
        step_between(out->unit, turns[i], slides[i], turns[to], slides[to], steps + STEP * (size_t)i);
    }
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- who looks at what

typedef struct trust_maker {
    const sup_character*   c;
    const sup_turns*       turns;
    const sup_trust_means* means;
    sup_arena *            arena, *beside;
    uint32_t *             begin, *list; ///< turns of every mover
    uint32_t               entries;
    uint32_t *             first, *next; ///< [entry], [number]: lists of pairs
    uint32_t*              rows;         ///< [number]: movers
    float*                 weights;
    uint32_t               used, room;
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
    if (m->used == m->room) {
        uint32_t  room = 2 * m->room + 1024;
        uint32_t *next = SUP_NEW(m->beside, uint32_t, room), *rows = SUP_NEW(m->beside, uint32_t, room);
        float*    weights = SUP_NEW(m->beside, float, room);
        if (!next || !rows || !weights) return false;
        if (m->used) {
            memcpy(next, m->next, m->used * sizeof *next), memcpy(rows, m->rows, m->used * sizeof *rows);
            memcpy(weights, m->weights, m->used * sizeof *weights);
        }
        m->next = next, m->rows = rows, m->weights = weights, m->room = room;
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

/// Eight entries side by side. `place`: room for a number a mover.
static bool make_blocks(trust_maker* m, sup_trust* out)
{
    uint32_t         blocks = (m->entries + SUP_LANES - 1) / SUP_LANES, used = 0;
    sup_trust_block* made = SUP_NEW(m->arena, sup_trust_block, (size_t)blocks + 1);
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
        made[b].count = used - made[b].begin;
    }
    *out = (sup_trust){ *m->turns, m->c->skeleton.joint_count, m->begin, m->list, m->entries, blocks, made, rows, weights };
    return true;
}

sup_result sup_trust_create(const sup_character* c, const sup_turns* turns, const sup_trust_means* means, sup_arena* arena,
                            sup_trust* out, sup_error* error)
{
    trust_maker m = { .c = c, .turns = turns, .means = means, .arena = arena, .beside = sup_arena_beside(arena) };
    m.entries = c->mesh.point_count + means->count;
    m.first = m.beside ? SUP_NEW(m.beside, uint32_t, (size_t)m.entries + 1) : NULL;
    bool good = m.first && list_turns(&m);
    for (uint32_t e = 0; good && e < m.entries; ++e) m.first[e] = SUP_NONE;
    for (uint32_t p = 0; good && p < c->mesh.point_count; ++p) good = add_point(&m, p);
    if (good) normalize(&m);
    good = good && make_blocks(&m, out);
    sup_arena_destroy(m.beside);
    return good ? SUP_OK : sup_fail_memory(error, "poses");
}

// ---------------------------------------------------------------------------------------------- a frame

static double dot(const double a[STEP], const double b[STEP])
{
    double sum = 0;
    for (int i = 0; i < STEP; ++i) sum += a[i] * b[i];
    return sum;
}

/// n, l and G of every mover: the sums over its turns, and where these go a short way between the poses, means over the movers
/// beside it as well. `own` has room for the sums.
static void sum_movers(const sup_trust* trust, const float* turned, float* own, float* values)
{
    const sup_turns* t = &trust->turns;
    const uint32_t * begin = trust->turn_begin, *list = trust->turn_list;
    for (uint32_t m = 0; m < trust->mover_count; ++m) {
        float* to = own + 3 * (size_t)m;
        to[0] = to[1] = to[2] = 0;
        for (uint32_t i = begin[m]; i < begin[m + 1]; ++i)
            for (int c = 0; c < 3; ++c) to[c] += turned[3 * (size_t)list[i] + c];
    }
    for (uint32_t m = 0; m < trust->mover_count; ++m) {
        float count = (float)(begin[m + 1] - begin[m]), lacks = 1 - own[3 * (size_t)m + 1] / (WAY_OWN * fmaxf(count, 1));
        float sum[4] = { own[3 * (size_t)m], own[3 * (size_t)m + 1], own[3 * (size_t)m + 2], count };
        memcpy(values + 3 * (size_t)m, sum, 3 * sizeof *sum);
        if (!(lacks > 0) || count == 0) continue;
        for (uint32_t i = begin[m]; i < begin[m + 1]; ++i) {
            const pose_joint* j = &t->joints[list[i]];
            uint32_t          beside = j->joint == m ? j->above : j->joint;
            for (int c = 0; c < 3; ++c) sum[c] += own[3 * (size_t)beside + c];
            sum[3] += (float)(begin[beside + 1] - begin[beside]);
        }
        for (int c = 0; c < 3; ++c) values[3 * (size_t)m + c] += lacks * lacks * count * sum[c] / sum[3];
    }
}

/// n, l and G of every turn. False where the whole pose is where time says it is on the way.
static bool measure(const sup_trust* trust, const sup_pose* pose, const sup_way* way, float* turned)
{
    const sup_turns* t = &trust->turns;
    size_t           a = (size_t)way->from * t->joint_count;
    double           worst = 0, r = way->ratio;
    uint32_t         lost = 0;
    for (uint32_t j = 0; j < t->joint_count; ++j, ++a) {
        const double* y = t->steps + STEP * a;
        double        x[STEP];
        sup_quat      now = sup_turn_of(&t->joints[j], t->paths, pose, &lost);
        step_between(t->unit, t->turns[a], t->slides[a], now, slide_of(&t->joints[j], pose), x);
        double n = dot(x, x), l = dot(y, y), g = dot(x, y), off = n - 2 * r * g + r * r * l;
        turned[3 * j] = (float)n, turned[3 * j + 1] = (float)l, turned[3 * j + 2] = (float)g;
        if (off > worst) worst = off;
    }
    return worst > ON_THE_WAY * ON_THE_WAY;
}

static size_t values_size(uint32_t count) { return sup_align(3 * (size_t)count * sizeof(float), 64); }

static size_t entries_size(const sup_trust* t) { return (size_t)t->block_count * SUP_LANES * sizeof(float); }

size_t sup_trust_scratch(const sup_trust* t)
{
    if (!t->block_count) return 0;
    return values_size(t->turns.joint_count) + 2 * values_size(t->mover_count) + 2 * entries_size(t) + 64;
}

typedef struct trust_job {
    const sup_trust* trust;
    const float*     values;
    float            ratio, window;
    float *          share, *shift;
} trust_job;

static void shares_task(void* data, uint32_t begin, uint32_t end)
{
    const trust_job* j = data;
    SUP_WIDE_PICK(sup_trust_shares)(j->trust, j->values, j->ratio, j->window, begin, end, j->share, j->shift);
}

sup_trusted sup_trust_find(const sup_trust* t, const sup_pose* pose, const sup_way* way, const sup_tasks* tasks, void* scratch)
{
    float *     turned = scratch, *values = (float*)(void*)((uint8_t*)scratch + values_size(t->turns.joint_count));
    float*      own = (float*)(void*)((uint8_t*)values + values_size(t->mover_count));
    float*      share = (float*)(void*)((uint8_t*)own + values_size(t->mover_count));
    float*      shift = (float*)(void*)((uint8_t*)share + entries_size(t));
    sup_trusted none = { NULL, NULL }, found = { share, shift };
    if (t->block_count == 0 || t->turns.joint_count == 0) return none;
    if (!measure(t, pose, way, turned)) return none;
    sum_movers(t, turned, own, values);
    float     window = way->left ? 1 : sup_smoothstep(0, WINDOW, way->ratio) * sup_smoothstep(0, WINDOW, 1 - way->ratio);
    trust_job job = { t, values, way->ratio, window, share, shift };
    sup_tasks_run(tasks, t->block_count, GRAIN_BLOCKS, shares_task, &job);
    return found;
}
