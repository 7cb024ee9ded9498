// The inner loops of skinning, eight points at a time. See skinning_blocks.h for the layout and the algebra.
#include "solve/skinning_blocks.h"

#define INLINE static inline __attribute__((always_inline))

typedef struct v8 {
    f8 x, y, z;
} v8;

/// A dual quaternion: real part r, dual part d.
typedef struct dual8 {
    f8 rx, ry, rz, rw, dx, dy, dz, dw;
} dual8;

/// Other joints minus the dominant one.
typedef struct table {
    float affine[SKIN_TABLE][16];
    float stretch[SKIN_TABLE][16];
    float dual[SKIN_TABLE][8];
} table;

// ---------------------------------------------------------------------------------------------- points in and out

/// Shuffles that never cross the 16-byte halves, then one exchange of halves: cheap on every instruction set.
INLINE void store_in_order(float* out, v8 p)
{
    f8 a = __builtin_shufflevector(p.x, p.y, 0, 2, 8, 10, 4, 6, 12, 14); // x0 x2 y0 y2
    f8 b = __builtin_shufflevector(p.y, p.z, 1, 3, 9, 11, 5, 7, 13, 15); // y1 y3 z1 z3
    f8 c = __builtin_shufflevector(p.z, p.x, 0, 2, 9, 11, 4, 6, 13, 15); // z0 z2 x1 x3
    f8 d = __builtin_shufflevector(a, c, 0, 2, 8, 10, 4, 6, 12, 14);     // x0 y0 z0 x1
    f8 e = __builtin_shufflevector(b, a, 0, 2, 9, 11, 4, 6, 13, 15);     // y1 z1 x2 y2
    f8 f = __builtin_shufflevector(c, b, 1, 3, 9, 11, 5, 7, 13, 15);     // z2 x3 y3 z3
    f8_store(out, __builtin_shufflevector(d, e, 0, 1, 2, 3, 8, 9, 10, 11));
    f8_store(out + 8, __builtin_shufflevector(f, d, 0, 1, 2, 3, 12, 13, 14, 15));
    f8_store(out + 16, __builtin_shufflevector(e, f, 4, 5, 6, 7, 12, 13, 14, 15));
}

INLINE void store_scattered(sup_vec3* out, const uint32_t* index, uint32_t lanes, v8 p)
{
    _Alignas(32) float xy[16], z[8]; // x and y of a point side by side: two moves a point instead of three
    f8_store(xy, __builtin_shufflevector(p.x, p.y, 0, 8, 1, 9, 4, 12, 5, 13));
    f8_store(xy + 8, __builtin_shufflevector(p.x, p.y, 2, 10, 3, 11, 6, 14, 7, 15));
    f8_store(z, p.z);
    static const uint8_t at[8] = { 0, 2, 8, 10, 4, 6, 12, 14 };
    for (uint32_t i = 0; i < lanes; ++i) {
        sup_vec3* to = out + index[i];
        memcpy(&to->x, xy + at[i], 8);
        memcpy(&to->z, z + i, 4);
    }
}

INLINE void store_points(const skin_job* job, uint32_t block, v8 p)
{
    const skin_block* b = &job->set->blocks[block];
    if (b->first != SUP_NONE) store_in_order(&job->call->out[b->first].x, p);
    else store_scattered(job->call->out, job->set->index + (size_t)block * SUP_LANES, b->lanes, p);
}

static void store_matrices(const skin_job* job, uint32_t block, const f8 m[9])
{
    const uint32_t* index = job->set->index + (size_t)block * SUP_LANES;
    for (uint32_t i = 0; i < job->set->blocks[block].lanes; ++i) {
        float* to = &job->call->matrices[index[i]].m[0][0];
        for (int j = 0; j < 9; ++j) to[j] = m[j][i];
    }
}

INLINE v8 load_points(const skin_job* job, uint32_t block, const float* data)
{
    if (!job->call->points) return (v8){ f8_load(data), f8_load(data + 8), f8_load(data + 16) };
    const uint32_t*    index = job->set->index + (size_t)block * SUP_LANES;
    _Alignas(32) float at[3][SUP_LANES];
    for (int i = 0; i < SUP_LANES; ++i) {
        const sup_vec3* from = &job->call->points[index[i]];
        at[0][i] = from->x;
        at[1][i] = from->y;
        at[2][i] = from->z;
    }
    return (v8){ f8_load(at[0]), f8_load(at[1]), f8_load(at[2]) };
}

// ---------------------------------------------------------------------------------------------- maps

INLINE f8 row(const float* m, v8 p) { return f8_all(m[0]) * p.x + f8_all(m[1]) * p.y + f8_all(m[2]) * p.z + f8_all(m[3]); }
INLINE v8 map(const float* m, v8 p) { return (v8){ row(m, p), row(m + 4, p), row(m + 8, p) }; }

/// sum + weight m p
INLINE v8 map_add(v8 sum, f8 weight, const float* m, v8 p)
{
    sum.x += weight * row(m, p);
    sum.y += weight * row(m + 4, p);
    sum.z += weight * row(m + 8, p);
    return sum;
}

INLINE dual8 dual_start(const float* q)
{
    return (dual8){ f8_all(q[0]), f8_all(q[1]), f8_all(q[2]), f8_all(q[3]),
                    f8_all(q[4]), f8_all(q[5]), f8_all(q[6]), f8_all(q[7]) };
}
INLINE dual8 dual_add(dual8 sum, f8 weight, const float* q)
{
    sum.rx += weight * f8_all(q[0]);
    sum.ry += weight * f8_all(q[1]);
    sum.rz += weight * f8_all(q[2]);
    sum.rw += weight * f8_all(q[3]);
    sum.dx += weight * f8_all(q[4]);
    sum.dy += weight * f8_all(q[5]);
    sum.dz += weight * f8_all(q[6]);
    sum.dw += weight * f8_all(q[7]);
    return sum;
}

// Kavan et al. 2008, algorithm 1, with the division by |r| that is everywhere squared taken out, so no root is needed:
//   p' = p + 2/|r|^2 (r x (r x p + rw p + d) + rw d - dw r)
INLINE f8 dual_factor(dual8 q) { return f8_all(2.0f) / (q.rx * q.rx + q.ry * q.ry + q.rz * q.rz + q.rw * q.rw); }
INLINE v8 dual_map(dual8 q, f8 factor, v8 p)
{
    f8 tx = q.ry * p.z - q.rz * p.y + (q.rw * p.x + q.dx);
    f8 ty = q.rz * p.x - q.rx * p.z + (q.rw * p.y + q.dy);
    f8 tz = q.rx * p.y - q.ry * p.x + (q.rw * p.z + q.dz);
    f8 ux = q.ry * tz - q.rz * ty + (q.rw * q.dx - q.dw * q.rx);
    f8 uy = q.rz * tx - q.rx * tz + (q.rw * q.dy - q.dw * q.ry);
    f8 uz = q.rx * ty - q.ry * tx + (q.rw * q.dz - q.dw * q.rz);
    return (v8){ p.x + factor * ux, p.y + factor * uy, p.z + factor * uz };
}

INLINE void dual_matrix(dual8 q, f8 s, f8 out[9])
{
    f8 one = f8_all(1.0f);
    out[0] = one - s * (q.ry * q.ry + q.rz * q.rz);
    out[1] = s * (q.rx * q.ry - q.rw * q.rz);
    out[2] = s * (q.rx * q.rz + q.rw * q.ry);
    out[3] = s * (q.rx * q.ry + q.rw * q.rz);
    out[4] = one - s * (q.rx * q.rx + q.rz * q.rz);
    out[5] = s * (q.ry * q.rz - q.rw * q.rx);
    out[6] = s * (q.rx * q.rz - q.rw * q.ry);
    out[7] = s * (q.ry * q.rz + q.rw * q.rx);
    out[8] = one - s * (q.rx * q.rx + q.ry * q.ry);
}

/// Where the real part has vanished (only negative weights can do that) the dominant joint alone decides.
static void dual_mend(dual8* q, const float* dominant)
{
    f8    length2 = q->rx * q->rx + q->ry * q->ry + q->rz * q->rz + q->rw * q->rw;
    i8    good = length2 > f8_all(1e-12f);
    dual8 d = dual_start(dominant);
    q->rx = f8_select(good, q->rx, d.rx);
    q->ry = f8_select(good, q->ry, d.ry);
    q->rz = f8_select(good, q->rz, d.rz);
    q->rw = f8_select(good, q->rw, d.rw);
    q->dx = f8_select(good, q->dx, d.dx);
    q->dy = f8_select(good, q->dy, d.dy);
    q->dz = f8_select(good, q->dz, d.dz);
    q->dw = f8_select(good, q->dw, d.dw);
}

// ---------------------------------------------------------------------------------------------- differences

INLINE void subtract16(float* out, const float* a, const float* b)
{
    f8_store(out, f8_load(a) - f8_load(b));
    f8_store(out + 8, f8_load(a + 8) - f8_load(b + 8));
}

/// The same rotation has two quaternions; the one nearer to the dominant joint's is blended (exactly across: as it is).
INLINE void subtract_dual(float* out, const float* a, const float* b)
{
    float dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
    f8_store(out, f8_all(dot < 0.0f ? -1.0f : 1.0f) * f8_load(a) - f8_load(b));
}

INLINE uint32_t table_size(const skin_group* group, uint32_t from)
{
    return group->other_count - from < SKIN_TABLE ? group->other_count - from : SKIN_TABLE;
}

INLINE void table_fill(table* t, const skin_job* job, const skin_group* group, uint32_t from, bool affine, bool stretch,
                       bool dual)
{
    const skin_joint* dominant = &job->joints[group->dominant];
    for (uint32_t i = 0, n = table_size(group, from); i < n; ++i) {
        const skin_joint* other = &job->joints[job->set->others[group->other_begin + from + i]];
        if (affine) subtract16(t->affine[i], other->affine, dominant->affine);
        if (stretch) subtract16(t->stretch[i], other->stretch, dominant->stretch);
        if (dual) subtract_dual(t->dual[i], other->dual, dominant->dual);
    }
}

/// The group that holds a block.
static const skin_group* group_of(const sup_skin_set* set, uint32_t block)
{
    uint32_t low = 0, high = set->group_count - 1;
    while (low < high) {
        uint32_t middle = low + (high - low + 1) / 2;
        if (set->groups[middle].block_begin <= block) low = middle;
        else high = middle - 1;
    }
    return &set->groups[low];
}

// ---------------------------------------------------------------------------------------------- linear

/// The blended 3x3 of a block, of the affine maps or of the stretches.
static void blend_matrices(const skin_job* job, const skin_group* group, const float* data, bool stretch, table* t, bool full,
                           f8 m[9])
{
    const skin_joint* dominant = &job->joints[group->dominant];
    const float*      weights = data + 3 * SUP_LANES;
    const float*      start = stretch ? dominant->stretch : dominant->affine;
    for (int j = 0; j < 9; ++j) m[j] = f8_all(start[j / 3 * 4 + j % 3]);
    for (uint32_t from = 0; from < group->other_count; from += SKIN_TABLE) {
        if (!full) table_fill(t, job, group, from, true, true, false);
        for (uint32_t i = 0, n = table_size(group, from); i < n; ++i, weights += SUP_LANES) {
            const float* d = stretch ? t->stretch[i] : t->affine[i];
            f8           w = f8_load(weights);
            for (int j = 0; j < 9; ++j) m[j] += w * f8_all(d[j / 3 * 4 + j % 3]);
        }
    }
}

/// One block by linear blending; `full` says the table already holds all differences of the group.
INLINE void linear_one(const skin_job* job, const skin_group* group, uint32_t block, const float* data, table* t, bool full)
{
    const float* weights = data + 3 * SUP_LANES;
    v8           p = load_points(job, block, data);
    v8           sum = map(job->joints[group->dominant].affine, p);
    for (uint32_t from = 0; from < group->other_count; from += SKIN_TABLE) {
        if (!full) table_fill(t, job, group, from, true, false, false);
        for (uint32_t i = 0, n = table_size(group, from); i < n; ++i, weights += SUP_LANES)
            sum = map_add(sum, f8_load(weights), t->affine[i], p);
    }
    store_points(job, block, sum);
    if (job->call->matrices) {
        f8 m[9];
        blend_matrices(job, group, data, false, t, full, m);
        store_matrices(job, block, m);
    }
}

/// Two blocks at once share the broadcasts, which are as many as the products otherwise.
INLINE void linear_two(const skin_job* job, const skin_group* group, uint32_t block, const float* data, const table* t)
{
    const float* dominant = job->joints[group->dominant].affine;
    uint32_t     n = group->other_count;
    size_t       stride = (size_t)(3 + n) * SUP_LANES;
    const float* weights = data + 3 * SUP_LANES;
    v8           p = { f8_load(data), f8_load(data + 8), f8_load(data + 16) };
    v8           q = { f8_load(data + stride), f8_load(data + stride + 8), f8_load(data + stride + 16) };
    v8           a = map(dominant, p), b = map(dominant, q);
    for (uint32_t i = 0; i < n; ++i, weights += SUP_LANES) {
        a = map_add(a, f8_load(weights), t->affine[i], p);
        b = map_add(b, f8_load(weights + stride), t->affine[i], q);
    }
    store_points(job, block, a);
    store_points(job, block + 1, b);
}

void SUP_WIDE(sup_skin_linear)(const skin_job* job, uint32_t begin, uint32_t end)
{
    table t;
    bool  plain = !job->call->points && !job->call->matrices;
    for (const skin_group* group = group_of(job->set, begin); begin < end; ++group) {
        uint32_t     stop = group->block_end < end ? group->block_end : end;
        size_t       stride = (size_t)(3 + group->other_count) * SUP_LANES;
        const float* data = job->set->data + group->data + (begin - group->block_begin) * stride;
        bool         full = group->other_count <= SKIN_TABLE;
        if (full) table_fill(&t, job, group, 0, true, false, false);
        if (full && plain)
            for (; begin + 2 <= stop; begin += 2, data += 2 * stride) linear_two(job, group, begin, data, &t);
        for (; begin < stop; ++begin, data += stride) linear_one(job, group, begin, data, &t, full);
    }
}

// ---------------------------------------------------------------------------------------------- dual quaternions

/// out = rotation x stretch, row by row.
static void multiply(const f8 a[9], const f8 b[9], f8 out[9])
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) out[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
}

INLINE f8 mix(f8 a, f8 b, f8 share)
{
    f8 between = a + share * (b - a);
    return f8_select(share == f8_all(1.0f), b, between);
}

static f8 block_blend(const skin_job* job, uint32_t block)
{
    if (!job->call->blend_points) return f8_all(job->call->blend);
    const uint32_t*    index = job->set->index + (size_t)block * SUP_LANES;
    _Alignas(32) float share[SUP_LANES];
    for (int i = 0; i < SUP_LANES; ++i) share[i] = job->call->blend_points[index[i]];
    return f8_load(share);
}

static void dualquat_matrices(const skin_job* job, const skin_group* group, uint32_t block, const float* data, table* t,
                              bool full, dual8 q, f8 share)
{
    f8 turn[9], other[9], m[9];
    dual_matrix(q, dual_factor(q), turn);
    memcpy(m, turn, sizeof m);
    if (job->stretched) {
        blend_matrices(job, group, data, true, t, full, other);
        multiply(turn, other, m);
    }
    if (job->blended) {
        blend_matrices(job, group, data, false, t, full, other);
        for (int i = 0; i < 9; ++i) m[i] = mix(other[i], m[i], share);
    }
    store_matrices(job, block, m);
}

/// One block with everything that may be asked: stretch, blend with linear, matrices, other points, any number of joints.
static void dualquat_any(const skin_job* job, const skin_group* group, uint32_t block, const float* data, table* t, bool full)
{
    const skin_joint* dominant = &job->joints[group->dominant];
    bool              stretched = job->stretched, blended = job->blended;
    const float*      weights = data + 3 * SUP_LANES;
    v8                p = load_points(job, block, data), line = p, grown = p;
    dual8             q = dual_start(dominant->dual);
    if (blended) line = map(dominant->affine, p);
    if (stretched) grown = map(dominant->stretch, p);
    for (uint32_t from = 0; from < group->other_count; from += SKIN_TABLE) {
        if (!full) table_fill(t, job, group, from, true, true, true);
        for (uint32_t i = 0, n = table_size(group, from); i < n; ++i, weights += SUP_LANES) {
            f8 w = f8_load(weights);
            q = dual_add(q, w, t->dual[i]);
            if (blended) line = map_add(line, w, t->affine[i], p);
            if (stretched) grown = map_add(grown, w, t->stretch[i], p);
        }
    }
    if (job->set->negative) dual_mend(&q, dominant->dual);
    f8 share = block_blend(job, block);
    v8 out = dual_map(q, dual_factor(q), grown);
    if (blended) out = (v8){ mix(line.x, out.x, share), mix(line.y, out.y, share), mix(line.z, out.z, share) };
    store_points(job, block, out);
    if (job->call->matrices) dualquat_matrices(job, group, block, data, t, full, q, share);
}

/// Rotations only, bound points, nothing else asked: what nearly every frame is.
INLINE void dualquat_one(const skin_job* job, const skin_group* group, uint32_t block, const float* data, const table* t)
{
    const float* weights = data + 3 * SUP_LANES;
    dual8        q = dual_start(job->joints[group->dominant].dual);
    for (uint32_t i = 0; i < group->other_count; ++i, weights += SUP_LANES) q = dual_add(q, f8_load(weights), t->dual[i]);
    v8 p = { f8_load(data), f8_load(data + 8), f8_load(data + 16) };
    store_points(job, block, dual_map(q, dual_factor(q), p));
}

void SUP_WIDE(sup_skin_dualquat)(const skin_job* job, uint32_t begin, uint32_t end)
{
    table t;
    bool  plain = !job->call->points && !job->call->matrices && !job->stretched && !job->blended && !job->set->negative;
    for (const skin_group* group = group_of(job->set, begin); begin < end; ++group) {
        uint32_t     stop = group->block_end < end ? group->block_end : end;
        size_t       stride = (size_t)(3 + group->other_count) * SUP_LANES;
        const float* data = job->set->data + group->data + (begin - group->block_begin) * stride;
        bool         full = group->other_count <= SKIN_TABLE;
        if (full) table_fill(&t, job, group, 0, !plain, !plain, true);
        if (full && plain)
            for (; begin < stop; ++begin, data += stride) dualquat_one(job, group, begin, data, &t);
        for (; begin < stop; ++begin, data += stride) dualquat_any(job, group, begin, data, &t, full);
    }
}
