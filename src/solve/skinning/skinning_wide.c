// The inner loops of skinning, one register of points at a time. See skinning_blocks.h for the layout and the algebra.
#include "solve/skinning/skinning_blocks.h"

#define INLINE static inline __attribute__((always_inline))

typedef struct v8 {
    fr x, y, z;
} v8;

/// A dual quaternion: real part r, dual part d.
typedef struct dual8 {
    fr rx, ry, rz, rw, dx, dy, dz, dw;
} dual8;

/// The other joints minus the dominant one.
typedef struct table {
    float affine[SKIN_TABLE][16];
    float stretch[SKIN_TABLE][16];
    float dual[SKIN_TABLE][8];
} table;

// ---------------------------------------------------------------------------------------------- points in and out

/// The part of a block that is processed in registers at once: lanes `lane` ... `lane` + SUP_REGISTER - 1.
typedef struct piece {
    uint32_t     block, lane;
    const float* data; ///< of the block, advanced by `lane`
} piece;

/// How many lanes of the piece hold points of their own.
INLINE uint32_t piece_lanes(const skin_block* blocks, piece b)
{
    uint32_t lanes = blocks[b.block].lanes;
    return lanes <= b.lane ? 0 : lanes - b.lane < SUP_REGISTER ? lanes - b.lane : SUP_REGISTER;
}
INLINE const uint32_t* piece_index(const skin_job* job, piece b)
{
    return job->set->index + (size_t)b.block * SUP_LANES + b.lane;
}

/// Where points go, separate from the job: stores may alias everything that is reached through a pointer, and a kernel that
/// reloads the job after each of them loses a tenth of its speed.
typedef struct target {
    sup_vec3*         out;
    const skin_block* blocks;
    const uint32_t*   index;
} target;

INLINE target job_target(const skin_job* job, uint32_t copy)
{
    return (target){ job->call->out + (size_t)copy * job->set->point_count, job->set->blocks, job->set->index };
}
/// The number of shapes that share the maps.
INLINE uint32_t copies_of(const skin_job* job) { return job->call->copies > 1 ? job->call->copies : 1; }

INLINE void store_points(target to, piece b, v8 p)
{
    uint32_t first = to.blocks[b.block].first;
    if (first != SUP_NONE) fr_store3(&to.out[first + b.lane].x, p.x, p.y, p.z);
    else fr_scatter3(&to.out->x, 3, to.index + (size_t)b.block * SUP_LANES + b.lane, piece_lanes(to.blocks, b), p.x, p.y, p.z);
}

INLINE v8 load_bound(const float* data)
{
    return (v8){ fr_load(data), fr_load(data + SUP_LANES), fr_load(data + 2 * SUP_LANES) };
}
INLINE v8 load_points(const skin_job* job, piece b, uint32_t copy)
{
    if (!job->call->points) return load_bound(b.data);
    const sup_vec3* points = job->call->points + (size_t)copy * job->set->point_count;
    uint32_t        first = job->set->blocks[b.block].first;
    v8              p;
    if (first != SUP_NONE) {
        fr_load3(&points[first + b.lane].x, &p.x, &p.y, &p.z);
        return p;
    }
    const uint32_t* index = piece_index(job, b);
    p.x = fr_gather(&points->x, 3, index);
    p.y = fr_gather(&points->y, 3, index);
    p.z = fr_gather(&points->z, 3, index);
    return p;
}

// ---------------------------------------------------------------------------------------------- maps

/// Blending the matrices first and mapping the point afterwards takes as many operations as blending mapped points, but has
/// short chains of dependent ones. About a tenth faster alone, no slower inside the kernel.
typedef struct m8 {
    fr xx, xy, xz, xw, yx, yy, yz, yw, zx, zy, zz, zw;
} m8;

INLINE m8 matrix_start(const float* m)
{
    return (m8){ fr_all(m[0]), fr_all(m[1]), fr_all(m[2]), fr_all(m[3]), fr_all(m[4]),  fr_all(m[5]),
                 fr_all(m[6]), fr_all(m[7]), fr_all(m[8]), fr_all(m[9]), fr_all(m[10]), fr_all(m[11]) };
}
INLINE m8 matrix_add(m8 sum, fr weight, const float* m)
{
    sum.xx += weight * fr_all(m[0]);
    sum.xy += weight * fr_all(m[1]);
    sum.xz += weight * fr_all(m[2]);
    sum.xw += weight * fr_all(m[3]);
    sum.yx += weight * fr_all(m[4]);
    sum.yy += weight * fr_all(m[5]);
    sum.yz += weight * fr_all(m[6]);
    sum.yw += weight * fr_all(m[7]);
    sum.zx += weight * fr_all(m[8]);
    sum.zy += weight * fr_all(m[9]);
    sum.zz += weight * fr_all(m[10]);
    sum.zw += weight * fr_all(m[11]);
    return sum;
}
/// In the order of affine_point: a single influence gives the same bits.
INLINE v8 matrix_map(m8 m, v8 p)
{
    return (v8){ m.xx * p.x + m.xy * p.y + m.xz * p.z + m.xw, m.yx * p.x + m.yy * p.y + m.yz * p.z + m.yw,
                 m.zx * p.x + m.zy * p.y + m.zz * p.z + m.zw };
}
/// The 3x3 of a b for two 3x3.
INLINE m8 matrix_multiply(m8 a, m8 b)
{
    return (m8){ .xx = a.xx * b.xx + a.xy * b.yx + a.xz * b.zx,
                 .xy = a.xx * b.xy + a.xy * b.yy + a.xz * b.zy,
                 .xz = a.xx * b.xz + a.xy * b.yz + a.xz * b.zz,
                 .yx = a.yx * b.xx + a.yy * b.yx + a.yz * b.zx,
                 .yy = a.yx * b.xy + a.yy * b.yy + a.yz * b.zy,
                 .yz = a.yx * b.xz + a.yy * b.yz + a.yz * b.zz,
                 .zx = a.zx * b.xx + a.zy * b.yx + a.zz * b.zx,
                 .zy = a.zx * b.xy + a.zy * b.yy + a.zz * b.zy,
                 .zz = a.zx * b.xz + a.zy * b.yz + a.zz * b.zz };
}

INLINE dual8 dual_start(const float* q)
{
    return (dual8){ fr_all(q[0]), fr_all(q[1]), fr_all(q[2]), fr_all(q[3]),
                    fr_all(q[4]), fr_all(q[5]), fr_all(q[6]), fr_all(q[7]) };
}
INLINE dual8 dual_add(dual8 sum, fr weight, const float* q)
{
    sum.rx += weight * fr_all(q[0]);
    sum.ry += weight * fr_all(q[1]);
    sum.rz += weight * fr_all(q[2]);
    sum.rw += weight * fr_all(q[3]);
    sum.dx += weight * fr_all(q[4]);
    sum.dy += weight * fr_all(q[5]);
    sum.dz += weight * fr_all(q[6]);
    sum.dw += weight * fr_all(q[7]);
    return sum;
}

// Kavan et al. 2008, algorithm 1, with the division by |r| that is everywhere squared taken out, so no root is needed:
//   p' = p + 2/|r|^2 (r x (r x p + rw p + d) + rw d - dw r)
INLINE fr dual_factor(dual8 q) { return fr_all(2.0f) / (q.rx * q.rx + q.ry * q.ry + q.rz * q.rz + q.rw * q.rw); }
INLINE v8 dual_map(dual8 q, fr factor, v8 p)
{
    fr tx = q.ry * p.z - q.rz * p.y + (q.rw * p.x + q.dx);
    fr ty = q.rz * p.x - q.rx * p.z + (q.rw * p.y + q.dy);
    fr tz = q.rx * p.y - q.ry * p.x + (q.rw * p.z + q.dz);
    fr ux = q.ry * tz - q.rz * ty + (q.rw * q.dx - q.dw * q.rx);
    fr uy = q.rz * tx - q.rx * tz + (q.rw * q.dy - q.dw * q.ry);
    fr uz = q.rx * ty - q.ry * tx + (q.rw * q.dz - q.dw * q.rz);
    return (v8){ p.x + factor * ux, p.y + factor * uy, p.z + factor * uz };
}

INLINE m8 dual_matrix(dual8 q, fr s)
{
    fr one = fr_all(1.0f);
    return (m8){ .xx = one - s * (q.ry * q.ry + q.rz * q.rz),
                 .xy = s * (q.rx * q.ry - q.rw * q.rz),
                 .xz = s * (q.rx * q.rz + q.rw * q.ry),
                 .yx = s * (q.rx * q.ry + q.rw * q.rz),
                 .yy = one - s * (q.rx * q.rx + q.rz * q.rz),
                 .yz = s * (q.ry * q.rz - q.rw * q.rx),
                 .zx = s * (q.rx * q.rz - q.rw * q.ry),
                 .zy = s * (q.ry * q.rz + q.rw * q.rx),
                 .zz = one - s * (q.rx * q.rx + q.ry * q.ry) };
}

// Squared length of a blend of unit quaternions, dimensionless: 1 if all agree. Below this the sum is rounding.
#define BLEND_NONE 1e-12f

/// Where the real part has vanished (which takes negative weights) the dominant joint alone decides.
INLINE dual8 dual_mend(dual8 q, const float* dominant)
{
    fr    length2 = q.rx * q.rx + q.ry * q.ry + q.rz * q.rz + q.rw * q.rw;
    ir    good = length2 > fr_all(BLEND_NONE);
    dual8 d = dual_start(dominant);
    q.rx = fr_select(good, q.rx, d.rx);
    q.ry = fr_select(good, q.ry, d.ry);
    q.rz = fr_select(good, q.rz, d.rz);
    q.rw = fr_select(good, q.rw, d.rw);
    q.dx = fr_select(good, q.dx, d.dx);
    q.dy = fr_select(good, q.dy, d.dy);
    q.dz = fr_select(good, q.dz, d.dz);
    q.dw = fr_select(good, q.dw, d.dw);
    return q;
}

// ---------------------------------------------------------------------------------------------- differences

INLINE void subtract(float* out, float sign, const float* a, const float* b, int count)
{
    for (int i = 0; i < count; i += SUP_REGISTER) fr_store(out + i, fr_all(sign) * fr_load(a + i) - fr_load(b + i));
}

/// The same rotation has two quaternions; the one nearer to the dominant joint's is blended (if perpendicular: as it is).
INLINE float dual_sign(const float* a, const float* b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] < 0.0f ? -1.0f : 1.0f;
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
        if (affine) subtract(t->affine[i], 1.0f, other->affine, dominant->affine, 16);
        if (stretch) subtract(t->stretch[i], 1.0f, other->stretch, dominant->stretch, 16);
        if (dual) subtract(t->dual[i], dual_sign(other->dual, dominant->dual), other->dual, dominant->dual, 8);
    }
}

/// The group that contains a block.
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

// ---------------------------------------------------------------------------------------------- blending

INLINE m8 add_matrices(m8 m, const float* weights, uint32_t count, float (*differences)[16])
{
    for (uint32_t i = 0; i < count; ++i) m = matrix_add(m, fr_load(weights + (size_t)i * SUP_LANES), differences[i]);
    return m;
}
INLINE dual8 add_duals(dual8 q, const float* weights, uint32_t count, float (*differences)[8])
{
    for (uint32_t i = 0; i < count; ++i) q = dual_add(q, fr_load(weights + (size_t)i * SUP_LANES), differences[i]);
    return q;
}

/// Blends the group's maps (stretches or whole) for one piece. `full`: the table already holds every difference.
INLINE m8 blend_matrix(const skin_job* job, const skin_group* group, const float* data, bool stretch, table* t, bool full)
{
    const skin_joint* dominant = &job->joints[group->dominant];
    m8                m = matrix_start(stretch ? dominant->stretch : dominant->affine);
    for (uint32_t from = 0; from < group->other_count; from += SKIN_TABLE) {
        if (!full) table_fill(t, job, group, from, !stretch, stretch, false);
        m = add_matrices(m, data + (3 + (size_t)from) * SUP_LANES, table_size(group, from), stretch ? t->stretch : t->affine);
    }
    return m;
}

INLINE dual8 blend_dual(const skin_job* job, const skin_group* group, const float* data, table* t, bool full)
{
    dual8 q = dual_start(job->joints[group->dominant].dual);
    for (uint32_t from = 0; from < group->other_count; from += SKIN_TABLE) {
        if (!full) table_fill(t, job, group, from, false, false, true);
        q = add_duals(q, data + (3 + (size_t)from) * SUP_LANES, table_size(group, from), t->dual);
    }
    return q;
}

INLINE void store_matrices(const skin_job* job, piece b, m8 m)
{
    const uint32_t* index = piece_index(job, b);
    uint32_t        lanes = piece_lanes(job->set->blocks, b);
    float*          to = &job->call->matrices->m[0][0];
    fr_scatter3(to, 9, index, lanes, m.xx, m.xy, m.xz);
    fr_scatter3(to + 3, 9, index, lanes, m.yx, m.yy, m.yz);
    fr_scatter3(to + 6, 9, index, lanes, m.zx, m.zy, m.zz);
}

// ---------------------------------------------------------------------------------------------- linear

/// Bound points, no matrices, all differences in the table: the case of nearly every frame.
static void linear_run(const skin_job* job, const skin_group* group, uint32_t begin, uint32_t end, const float* data, table* t)
{
    target       to = job_target(job, 0);
    const float* dominant = job->joints[group->dominant].affine;
    uint32_t     count = group->other_count;
    for (; begin < end; ++begin, data += (size_t)(3 + count) * SUP_LANES)
        for (uint32_t lane = 0; lane < SUP_LANES; lane += SUP_REGISTER) {
            m8 m = add_matrices(matrix_start(dominant), data + 3 * SUP_LANES + lane, count, t->affine);
            store_points(to, (piece){ begin, lane, NULL }, matrix_map(m, load_bound(data + lane)));
        }
}

static void linear_any(const skin_job* job, const skin_group* group, piece b, table* t, bool full)
{
    m8 m = blend_matrix(job, group, b.data, false, t, full);
    for (uint32_t c = 0; c < copies_of(job); ++c) store_points(job_target(job, c), b, matrix_map(m, load_points(job, b, c)));
    if (job->call->matrices) store_matrices(job, b, m);
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
        if (full && plain) {
            linear_run(job, group, begin, stop, data, &t);
            begin = stop;
        }
        for (; begin < stop; ++begin, data += stride)
            for (uint32_t lane = 0; lane < SUP_LANES; lane += SUP_REGISTER)
                linear_any(job, group, (piece){ begin, lane, data + lane }, &t, full);
    }
}

// ---------------------------------------------------------------------------------------------- dual quaternions

/// Interpolates from a to b by share, and gives exactly b at 1.
INLINE fr mix(fr a, fr b, fr share) { return fr_select(share == fr_all(1.0f), b, a + share * (b - a)); }

INLINE m8 matrix_mix(m8 a, m8 b, fr share)
{
    return (m8){ .xx = mix(a.xx, b.xx, share),
                 .xy = mix(a.xy, b.xy, share),
                 .xz = mix(a.xz, b.xz, share),
                 .yx = mix(a.yx, b.yx, share),
                 .yy = mix(a.yy, b.yy, share),
                 .yz = mix(a.yz, b.yz, share),
                 .zx = mix(a.zx, b.zx, share),
                 .zy = mix(a.zy, b.zy, share),
                 .zz = mix(a.zz, b.zz, share) };
}

static fr piece_blend(const skin_job* job, piece b)
{
    if (!job->call->blend_points) return fr_all(job->call->blend);
    return fr_gather(job->call->blend_points, 1, piece_index(job, b));
}

/// Rotations only, bound points, no other output: the case of nearly every frame.
static void dualquat_run(const skin_job* job, const skin_group* group, uint32_t begin, uint32_t end, const float* data,
                         table* t)
{
    target       to = job_target(job, 0);
    const float* dominant = job->joints[group->dominant].dual;
    uint32_t     count = group->other_count;
    for (; begin < end; ++begin, data += (size_t)(3 + count) * SUP_LANES)
        for (uint32_t lane = 0; lane < SUP_LANES; lane += SUP_REGISTER) {
            dual8 q = add_duals(dual_start(dominant), data + 3 * SUP_LANES + lane, count, t->dual);
            store_points(to, (piece){ begin, lane, NULL }, dual_map(q, dual_factor(q), load_bound(data + lane)));
        }
}

/// What an evaluation has to do. Constants where the compiler should specialize a loop.
typedef struct wish {
    bool full; ///< the table holds every difference
    bool stretched, blended, matrices;
} wish;

/// A piece that takes nothing of the dual quaternions: as if they had been blended with a share of 0.
static void unturned_piece(const skin_job* job, const skin_group* group, piece b, table* t, wish w)
{
    fr none = fr_all(0);
    m8 line = blend_matrix(job, group, b.data, false, t, w.full);
    for (uint32_t c = 0; c < copies_of(job); ++c) {
        v8 p = matrix_map(line, load_points(job, b, c));
        store_points(job_target(job, c), b, (v8){ mix(p.x, p.x, none), mix(p.y, p.y, none), mix(p.z, p.z, none) });
    }
    if (w.matrices) store_matrices(job, b, matrix_mix(line, line, none));
}

INLINE void dualquat_piece(const skin_job* job, const skin_group* group, piece b, table* t, wish w)
{
    fr share = { 0 };
    if (w.blended) {
        share = piece_blend(job, b);
        if (ir_bits(share != fr_all(0)) == 0) {
            unturned_piece(job, group, b, t, w);
            return;
        }
    }
    dual8 q = blend_dual(job, group, b.data, t, w.full);
    if (job->set->negative) q = dual_mend(q, job->joints[group->dominant].dual);
    fr factor = dual_factor(q);
    m8 stretch = { 0 }, line = { 0 };
    if (w.stretched) stretch = blend_matrix(job, group, b.data, true, t, w.full);
    if (w.blended) line = blend_matrix(job, group, b.data, false, t, w.full);
    for (uint32_t c = 0; c < copies_of(job); ++c) {
        v8 rest = load_points(job, b, c), p = dual_map(q, factor, w.stretched ? matrix_map(stretch, rest) : rest);
        if (w.blended) {
            v8 straight = matrix_map(line, rest);
            p = (v8){ mix(straight.x, p.x, share), mix(straight.y, p.y, share), mix(straight.z, p.z, share) };
        }
        store_points(job_target(job, c), b, p);
    }
    if (!w.matrices) return;
    m8 m = dual_matrix(q, factor);
    if (w.stretched) m = matrix_multiply(m, stretch);
    store_matrices(job, b, w.blended ? matrix_mix(line, m, share) : m);
}

INLINE void dualquat_pieces(const skin_job* job, const skin_group* group, uint32_t begin, uint32_t end, const float* data,
                            table* t, wish w)
{
    for (; begin < end; ++begin, data += (size_t)(3 + group->other_count) * SUP_LANES)
        for (uint32_t lane = 0; lane < SUP_LANES; lane += SUP_REGISTER)
            dualquat_piece(job, group, (piece){ begin, lane, data + lane }, t, w);
}

/// Specialized loops for what layers and lattice need in every step, and one for everything else.
static void dualquat_any(const skin_job* job, const skin_group* group, uint32_t begin, uint32_t end, const float* data,
                         table* t, wish w)
{
    if (w.full && !w.blended && !w.stretched && !w.matrices)
        dualquat_pieces(job, group, begin, end, data, t, (wish){ .full = true });
    else if (w.full && !w.blended && w.stretched && !w.matrices)
        dualquat_pieces(job, group, begin, end, data, t, (wish){ .full = true, .stretched = true });
    else if (w.full && !w.blended && !w.stretched && w.matrices)
        dualquat_pieces(job, group, begin, end, data, t, (wish){ .full = true, .matrices = true });
    else dualquat_pieces(job, group, begin, end, data, t, w);
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
        if (full && plain) dualquat_run(job, group, begin, stop, data, &t);
        else
            dualquat_any(job, group, begin, stop, data, &t,
                         (wish){ full, job->stretched, job->blended, job->call->matrices != NULL });
        begin = stop;
    }
}
