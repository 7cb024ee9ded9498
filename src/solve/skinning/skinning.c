// Skin sets: sorting points into blocks at bind, preparing the joints of a pose. The loops over points are in
// skinning_wide.c.
#include "solve/skinning/skinning.h"

#include "base/internal.h"
#include "math/vec.h"
#include "solve/skinning/skinning_blocks.h"

// Cycles per block on a Zen 4 core, measured, for choosing where blocks end: a fixed part, each joint beside the dominant one,
// and writing points one by one.
enum { COST_BLOCK = 14, COST_JOINT = 7, COST_SCATTER = 10 };

// Blocks per task: about a microsecond of work, so that two threads share 30,000 points evenly.
enum { GRAIN = 128 };

/// One influence beside the dominant one. Keys sort joints that are frequent under the same dominant joint to the front, so
/// that points in lexicographic order share long prefixes.
typedef struct entry {
    uint64_t key; // frequency complement, joint
    float    weight;
} entry;

typedef struct sorter {
    const sup_skin_desc* desc;
    uint32_t*            dominant; // of each point
    uint32_t*            begin;    // first entry of each point, plus one
    entry*               entries;
    uint32_t*            order;  // points, sorted
    uint32_t*            other;  // the order's second buffer
    uint32_t*            cost;   // of everything from this position of the order to the end
    uint8_t*             length; // of the block that begins at this position
    uint32_t*            tally;  // per joint: frequency; later the last block's joints, then their slots
    uint32_t*            stamp;  // per joint: last visit
    uint32_t             visit;
    uint32_t*            joints; // of the current block
    bool                 negative;
} sorter;

static uint32_t entry_joint(const entry* e) { return (uint32_t)e->key; }

// ---------------------------------------------------------------------------------------------- sorting

static bool sorter_create(sorter* s, const sup_skin_desc* desc, sup_arena* arena)
{
    size_t points = desc->point_count, joints = (size_t)desc->joint_count + 1;
    size_t influences = points ? desc->begin[points] : 0;
    *s = (sorter){ .desc = desc };
    s->dominant = SUP_NEW(arena, uint32_t, points);
    s->begin = SUP_NEW(arena, uint32_t, points + 1);
    s->entries = SUP_NEW(arena, entry, influences);
    s->order = SUP_NEW(arena, uint32_t, points);
    s->other = SUP_NEW(arena, uint32_t, points);
    s->cost = SUP_NEW(arena, uint32_t, points + 1);
    s->length = SUP_NEW(arena, uint8_t, points + 1);
    s->tally = SUP_NEW(arena, uint32_t, joints + 1);
    s->stamp = SUP_NEW(arena, uint32_t, joints);
    s->joints = SUP_NEW(arena, uint32_t, joints);
    return s->dominant && s->begin && s->entries && s->order && s->other && s->cost && s->length && s->tally && s->stamp &&
           s->joints;
}

/// Splits each point's influences into the dominant joint (the largest, first of equals) and the others, each joint once. A
/// point without influences gets the joint after the last, which never moves.
static void collect(sorter* s)
{
    const sup_skin_desc* d = s->desc;
    uint32_t             count = 0;
    for (uint32_t p = 0; p < d->point_count; ++p) {
        uint32_t best = d->begin[p], end = d->begin[p + 1], first = count;
        for (uint32_t i = best; i < end; ++i) {
            SUP_ASSERT(d->joints[i] < d->joint_count);
            if (d->values[i] > d->values[best]) best = i;
        }
        s->begin[p] = count;
        s->dominant[p] = best < end ? d->joints[best] : d->joint_count;
        for (uint32_t i = d->begin[p]; i < end; ++i) {
            if (d->joints[i] == s->dominant[p] || d->values[i] == 0.0f) continue;
            uint32_t at = first;
            while (at < count && s->entries[at].key != d->joints[i]) ++at;
            if (at == count) s->entries[count++] = (entry){ .key = d->joints[i] };
            s->entries[at].weight += d->values[i];
            if (d->values[i] < 0.0f) s->negative = true;
        }
    }
    if (d->point_count) s->begin[d->point_count] = count;
}

static void order_by_dominant(sorter* s)
{
    uint32_t points = s->desc->point_count, joints = s->desc->joint_count + 1;
    for (uint32_t p = 0; p < points; ++p) s->tally[s->dominant[p] + 1]++;
    for (uint32_t j = 0; j < joints; ++j) s->tally[j + 1] += s->tally[j];
    for (uint32_t p = 0; p < points; ++p) s->order[s->tally[s->dominant[p]]++] = p;
    for (uint32_t j = 0; j <= joints; ++j) s->tally[j] = 0;
}

/// Lexicographic over the entries' keys; a prefix comes first.
static bool list_less(const sorter* s, uint32_t p, uint32_t q)
{
    uint32_t i = s->begin[p], j = s->begin[q];
    for (; i < s->begin[p + 1] && j < s->begin[q + 1]; ++i, ++j)
        if (s->entries[i].key != s->entries[j].key) return s->entries[i].key < s->entries[j].key;
    return i == s->begin[p + 1] && j < s->begin[q + 1];
}

/// Stable merge sort of the order's positions from begin to end.
static void sort_lists(sorter* s, uint32_t begin, uint32_t end)
{
    uint32_t *from = s->order, *to = s->other;
    for (uint64_t width = 1; width < end - begin; width *= 2) {
        for (uint64_t low = begin; low < end; low += 2 * width) {
            uint64_t middle = low + width < end ? low + width : end, high = low + 2 * width < end ? low + 2 * width : end;
            uint64_t i = low, j = middle;
            for (uint64_t k = low; k < high; ++k)
                to[k] = i < middle && (j == high || !list_less(s, from[j], from[i])) ? from[i++] : from[j++];
        }
        uint32_t* swap = from;
        from = to;
        to = swap;
    }
    if (from != s->order) memcpy(s->order + begin, from + begin, (end - begin) * sizeof *from);
}

/// Orders the points of one dominant joint so that neighbors share their other joints.
static void order_range(sorter* s, uint32_t begin, uint32_t end)
{
    for (uint32_t i = begin; i < end; ++i)
        for (uint32_t e = s->begin[s->order[i]]; e < s->begin[s->order[i] + 1]; ++e) s->tally[entry_joint(&s->entries[e])]++;
    for (uint32_t i = begin; i < end; ++i) {
        uint32_t first = s->begin[s->order[i]], last = s->begin[s->order[i] + 1];
        for (uint32_t e = first; e < last; ++e) {
            entry now = s->entries[e];
            now.key |= (uint64_t)(UINT32_MAX - s->tally[now.key]) << 32;
            uint32_t at = e;
            for (; at > first && s->entries[at - 1].key > now.key; --at) s->entries[at] = s->entries[at - 1];
            s->entries[at] = now;
        }
    }
    for (uint32_t i = begin; i < end; ++i)
        for (uint32_t e = s->begin[s->order[i]]; e < s->begin[s->order[i] + 1]; ++e) s->tally[entry_joint(&s->entries[e])] = 0;
    sort_lists(s, begin, end);
}

/// Adds the joints of a point to s->joints unless they were added since the last s->visit++; returns the new count.
static uint32_t add_joints(sorter* s, uint32_t point, uint32_t count)
{
    for (uint32_t e = s->begin[point]; e < s->begin[point + 1]; ++e) {
        uint32_t joint = entry_joint(&s->entries[e]);
        if (s->stamp[joint] == s->visit) continue;
        s->stamp[joint] = s->visit;
        s->joints[count++] = joint;
    }
    return count;
}

/// Where the blocks of one dominant joint end: the cheapest division of this order, found from the end. Of equal ones the
/// longest block, so that runs of one kind begin with full blocks.
static void cut_range(sorter* s, uint32_t begin, uint32_t end)
{
    s->cost[end] = 0;
    for (uint32_t i = end; i-- > begin;) {
        uint32_t count = 0, best = UINT32_MAX;
        bool     row = true;
        s->visit++;
        for (uint32_t n = 1; n <= SUP_LANES && i + n <= end; ++n) {
            count = add_joints(s, s->order[i + n - 1], count);
            if (n > 1 && count > SKIN_TABLE) break;
            row = row && s->order[i + n - 1] == s->order[i] + n - 1;
            uint32_t cost = s->cost[i + n] + COST_BLOCK + COST_JOINT * count + (n == SUP_LANES && row ? 0 : COST_SCATTER);
            if (cost > best) continue;
            best = cost;
            s->length[i] = (uint8_t)n;
        }
        s->cost[i] = best;
    }
}

static void sort_points(sorter* s)
{
    collect(s);
    order_by_dominant(s);
    for (uint32_t begin = 0, end; begin < s->desc->point_count; begin = end) {
        for (end = begin + 1; end < s->desc->point_count; ++end)
            if (s->dominant[s->order[end]] != s->dominant[s->order[begin]]) break;
        order_range(s, begin, end);
        cut_range(s, begin, end);
    }
}

// ---------------------------------------------------------------------------------------------- packing

/// The joints of the block at this position of the order, rising: a fixed order of summation, so that a point's result does not
/// depend on the other points of its block.
static uint32_t block_joints(sorter* s, uint32_t at)
{
    uint32_t count = 0;
    s->visit++;
    for (uint32_t i = 0; i < s->length[at]; ++i) count = add_joints(s, s->order[at + i], count);
    for (uint32_t i = 1; i < count; ++i) {
        uint32_t joint = s->joints[i], j = i;
        for (; j > 0 && s->joints[j - 1] > joint; --j) s->joints[j] = s->joints[j - 1];
        s->joints[j] = joint;
    }
    return count;
}

/// Whether the current block has the joints of the previous one, kept in `tally`; then stores its own there.
static bool same_joints(sorter* s, const skin_group* group, uint32_t dominant, uint32_t count)
{
    bool same = group->block_end > 0 && group->dominant == dominant && group->other_count == count;
    for (uint32_t i = 0; i < count; ++i) {
        same = same && s->tally[i] == s->joints[i];
        s->tally[i] = s->joints[i];
    }
    return same;
}

/// Runs of blocks with the same joints. Only counted if groups and others are NULL. Returns the floats of all blocks.
static size_t pack_groups(sorter* s, sup_skin_set* set, skin_group* groups, uint32_t* others, uint32_t* other_total)
{
    skin_group group = { 0 };
    size_t     floats = 0;
    set->group_count = set->block_count = *other_total = 0;
    for (uint32_t at = 0; at < set->point_count; at += s->length[at]) {
        uint32_t block = set->block_count++, count = block_joints(s, at), dominant = s->dominant[s->order[at]];
        if (!same_joints(s, &group, dominant, count)) {
            group = (skin_group){ block, block, dominant, *other_total, count, floats };
            if (others && count) memcpy(others + group.other_begin, s->joints, count * sizeof *others);
            *other_total += count;
            set->group_count++;
        }
        group.block_end = block + 1;
        if (groups) groups[set->group_count - 1] = group;
        floats += (size_t)(3 + count) * SUP_LANES;
    }
    return floats;
}

static void pack_block(sorter* s, const skin_group* group, const uint32_t* others, uint32_t at, uint32_t* index,
                       skin_block* block, float* data)
{
    uint32_t lanes = s->length[at];
    bool     row = lanes == SUP_LANES;
    for (uint32_t i = 0; i < group->other_count; ++i) s->tally[others[group->other_begin + i]] = i;
    for (uint32_t lane = 0; lane < SUP_LANES; ++lane) {
        uint32_t p = s->order[at + (lane < lanes ? lane : lanes - 1)];
        index[lane] = p;
        row = row && p == index[0] + lane;
        data[lane] = s->desc->points[p].x;
        data[SUP_LANES + lane] = s->desc->points[p].y;
        data[2 * SUP_LANES + lane] = s->desc->points[p].z;
        for (uint32_t e = s->begin[p]; e < s->begin[p + 1]; ++e)
            data[(3 + s->tally[entry_joint(&s->entries[e])]) * SUP_LANES + lane] = s->entries[e].weight;
    }
    *block = (skin_block){ row ? index[0] : SUP_NONE, lanes };
}

static sup_result pack(sorter* s, sup_skin_set* set, sup_arena* arena, sup_error* error)
{
    uint32_t    other_total;
    size_t      floats = pack_groups(s, set, NULL, NULL, &other_total);
    skin_group* groups = SUP_NEW(arena, skin_group, set->group_count);
    uint32_t*   others = SUP_NEW(arena, uint32_t, other_total);
    skin_block* blocks = SUP_NEW(arena, skin_block, set->block_count);
    uint32_t*   index = SUP_NEW(arena, uint32_t, (size_t)set->block_count * SUP_LANES);
    float*      data = SUP_NEW(arena, float, floats);
    sup_vec3*   centers = SUP_NEW(arena, sup_vec3, (size_t)set->joint_count + 1);
    if (!groups || !others || !blocks || !index || !data || !centers) return sup_fail_memory(error, "a skin set");

    pack_groups(s, set, groups, others, &other_total);
    const skin_group* group = groups;
    for (uint32_t at = 0, block = 0; at < set->point_count; at += s->length[at], ++block) {
        if (block == group->block_end) ++group;
        size_t offset = group->data + (size_t)(block - group->block_begin) * (3 + group->other_count) * SUP_LANES;
        pack_block(s, group, others, at, index + (size_t)block * SUP_LANES, &blocks[block], data + offset);
    }
    if (s->desc->joint_centers && set->joint_count) memcpy(centers, s->desc->joint_centers, set->joint_count * sizeof *centers);
    set->groups = groups;
    set->others = others;
    set->blocks = blocks;
    set->index = index;
    set->data = data;
    set->centers = centers;
    set->negative = s->negative;
    return SUP_OK;
}

static void pick_kernels(sup_skin_set* set, int level)
{
    set->linear = SUP_WIDE_PICK(sup_skin_linear);
    set->dualquat = SUP_WIDE_PICK(sup_skin_dualquat);
    if (level == 1) {
        set->linear = sup_skin_linear_v1;
        set->dualquat = sup_skin_dualquat_v1;
    }
}

sup_result sup_skin_create(const sup_skin_desc* desc, sup_arena* arena, const sup_skin_set** out, sup_error* error)
{
    sup_skin_set* set = SUP_NEW(arena, sup_skin_set, 1);
    sup_arena*    temporary = sup_arena_beside(arena);
    sorter        s;
    if (!set || !temporary || !sorter_create(&s, desc, temporary)) {
        sup_arena_destroy(temporary);
        return sup_fail_memory(error, "a skin set");
    }
    set->point_count = desc->point_count;
    set->joint_count = desc->joint_count;
    pick_kernels(set, desc->wide_level);
    sort_points(&s);
    sup_result result = pack(&s, set, arena, error);
    sup_arena_destroy(temporary);
    if (result == SUP_OK) *out = set;
    return result;
}

sup_skin_layout sup_skin_examine(const sup_skin_set* set)
{
    sup_skin_layout r = { .blocks = set->block_count, .groups = set->group_count };
    uint64_t        joints = 0;
    for (uint32_t g = 0; g < set->group_count; ++g)
        joints += (uint64_t)(set->groups[g].block_end - set->groups[g].block_begin) * (1 + set->groups[g].other_count);
    for (uint32_t b = 0; b < set->block_count; ++b) r.scattered += set->blocks[b].first == SUP_NONE;
    if (set->block_count) {
        r.joints = (double)joints / set->block_count;
        r.filled = (double)set->point_count / ((double)set->block_count * SUP_LANES);
    }
    return r;
}

// ---------------------------------------------------------------------------------------------- posing

static bool finite_affine(const sup_affine* a)
{
    const float* m = &a->m[0][0];
    float        sum = 0;
    for (int i = 0; i < 12; ++i) sum += m[i] * 0.0f; // 0 unless one of them is infinite or NaN
    return sum == 0.0f;
}

// M p + t = R (S (p - c) + c) + u   with R the rotation nearest to M, S = R^T M, c the joint's rest center,
// and so u = M c + t - R c. In double: the few joints cost nothing, and rounding here would move whole limbs.
// Returns how far S is from the identity.
static float prepare_dual(const sup_affine* a, sup_quat q, sup_vec3 center, skin_joint* out)
{
    double x = q.x, y = q.y, z = q.z, w = q.w, c[3] = { center.x, center.y, center.z };
    double unit = 2.0 / (x * x + y * y + z * z + w * w);
    double r[3][3] = { { 1 - unit * (y * y + z * z), unit * (x * y - w * z), unit * (x * z + w * y) },
                       { unit * (x * y + w * z), 1 - unit * (x * x + z * z), unit * (y * z - w * x) },
                       { unit * (x * z - w * y), unit * (y * z + w * x), 1 - unit * (x * x + y * y) } };
    double u[3], largest = 0;
    for (int i = 0; i < 3; ++i) {
        double moved = c[i];
        u[i] = a->m[i][3];
        for (int j = 0; j < 3; ++j) {
            double s = r[0][i] * a->m[0][j] + r[1][i] * a->m[1][j] + r[2][i] * a->m[2][j];
            out->stretch[4 * i + j] = (float)s;
            largest = fmax(largest, fabs(s - (i == j)));
            moved -= s * c[j];
            u[i] += (a->m[i][j] - r[i][j]) * c[j];
        }
        out->stretch[4 * i + 3] = (float)moved;
    }
    double dual[4] = { u[0] * w + u[1] * z - u[2] * y, u[1] * w + u[2] * x - u[0] * z, u[2] * w + u[0] * y - u[1] * x,
                       -(u[0] * x + u[1] * y + u[2] * z) };
    double real[4] = { x, y, z, w };
    for (int i = 0; i < 4; ++i) {
        out->dual[i] = (float)real[i];
        out->dual[4 + i] = (float)(0.5 * dual[i]);
    }
    return (float)largest;
}

// Closer to the identity than this, S is the rounding of files and long chains (cesiumman: 1.5e-6) and not worth a second pass
// over the points; the error is this share of a point's distance from its joint.
#define STRETCH_NONE 4e-6f

// Beyond this, products of a joint's entries with each other and with positions overflow a float.
#define SPLIT_MOST 1e15f

static bool is_moderate(const skin_joint* joint)
{
    float largest = 0;
    for (int i = 0; i < 12; ++i) largest = fmaxf(largest, fabsf(joint->stretch[i]));
    for (int i = 0; i < 8; ++i) largest = fmaxf(largest, fabsf(joint->dual[i]));
    return largest <= SPLIT_MOST;
}

// Sum of the absolute entries of a 3x3 matrix, dimensionless; a rotation has 3 to 5.2. Below this the joint is scaled to
// nothing: products of its entries underflow, and no rotation can be extracted.
static const float MATRIX_NONE = 1e-30f;

/// Decomposes the map of a joint; false if it has no rotation, or is too large to decompose and is ignored. Most joints are
/// rotations already and are read directly; the others start from that and not from the last frame, because evaluate keeps no
/// state.
static bool prepare_joint(const sup_affine* a, sup_vec3 center, skin_joint* out, float* stretch)
{
    sup_quat q = quat_from_affine(a);
    *stretch = prepare_dual(a, q, center, out);
    if (*stretch <= STRETCH_NONE) return true;

    sup_mat3 m;
    float    size = 0;
    for (int i = 0; i < 9; ++i) size += fabsf(m.m[i / 3][i % 3] = a->m[i / 3][i % 3]);
    bool turned = size > MATRIX_NONE;
    if (turned) {
        // Twice: one call stops within a milliradian of the best rotation, and the next Newton steps square that.
        rotation_extract(&m, &q);
        rotation_extract(&m, &q);
    } else q = quat_identity();
    *stretch = prepare_dual(a, q, center, out);
    if (is_moderate(out)) return turned;
    sup_affine still = affine_identity();
    *stretch = prepare_dual(&still, quat_identity(), center, out);
    return false;
}

/// Fills the scratch; returns how many joints had no rotation. The joint after the last is the one that never moves.
static uint32_t prepare_joints(const sup_skin_set* set, const sup_skin_call* call, bool dualquat, skin_joint* joints,
                               float* stretch)
{
    uint32_t lost = 0;
    *stretch = 0;
    for (uint32_t j = 0; j <= set->joint_count; ++j) {
        sup_affine a = affine_identity();
        bool       good = true;
        if (j < set->joint_count) {
            good = finite_affine(&call->skin[j]);
            if (good) a = call->skin[j];
        }
        memset(&joints[j], 0, sizeof joints[j]);
        memcpy(joints[j].affine, a.m, sizeof a.m);
        if (dualquat) {
            float own;
            good &= prepare_joint(&a, set->centers[j], &joints[j], &own);
            *stretch = fmaxf(*stretch, own);
        }
        lost += !good;
    }
    return lost;
}

static void run_linear(void* data, uint32_t begin, uint32_t end)
{
    const skin_job* job = data;
    job->set->linear(job, begin, end);
}

static void run_dualquat(void* data, uint32_t begin, uint32_t end)
{
    const skin_job* job = data;
    job->set->dualquat(job, begin, end);
}

size_t sup_skin_scratch(const sup_skin_set* set) { return sup_align(((size_t)set->joint_count + 1) * sizeof(skin_joint), 64); }

uint32_t sup_skin_evaluate(const sup_skin_set* set, const sup_skin_call* call)
{
    SUP_ASSERT((uintptr_t)call->scratch % 32 == 0);
    SUP_ASSERT(call->copies <= 1 || call->points);
    bool     dualquat = call->dualquat && (call->blend_points || call->blend != 0.0f);
    float    stretch;
    uint32_t lost = prepare_joints(set, call, dualquat, call->scratch, &stretch);
    skin_job job = { .set = set, .call = call, .joints = call->scratch };
    job.stretched = stretch > STRETCH_NONE;
    job.blended = call->blend_points || call->blend != 1.0f;
    sup_tasks_run(call->tasks, set->block_count, GRAIN, dualquat ? run_dualquat : run_linear, &job);
    return lost;
}
