#include "solve/lattice_volume.h"

#include "base/internal.h"
#include "math/vec.h"

#include <math.h>
#include <string.h>

#define SAME_VOLUME 1e-5   // of the rest volume: nearer to its target than rounding, a part is left alone
#define STEP_MAX 0.5       // cells that the field may move a particle in one sweep
#define FLAT_GRADIENT 0.25 // the distance to the boundary has no direction below this: the middle

// ---------------------------------------------------------------------------------------------- bind

typedef struct maker {
    const sup_lattice_volume_desc* desc;
    const sup_voxels*              v;
    sup_arena*                     scratch;
    uint32_t*                      depth; ///< per particle: links to the nearest one on the boundary
    uint32_t*                      queue;
    uint32_t*                      owner; ///< per particle: part, SUP_NONE: none
    uint8_t*                       cut;   ///< per particle: cells of more than one part
    uint32_t*                      way;   ///< per particle: links to the nearest cut of its part
    float*                         fade;
} maker;

// Breadth first from the particles whose `level` is 0, through links that `owner` allows (NULL: all).
static void spread(const maker* m, uint32_t* level, const uint32_t* owner, uint32_t tail)
{
    const sup_voxels* v = m->v;
    for (uint32_t head = 0; head < tail; ++head) {
        uint32_t p = m->queue[head];
        for (uint32_t k = v->link_begin[p]; k < v->link_begin[p + 1]; ++k) {
            uint32_t q = v->links[k];
            if (level[q] != SUP_NONE || (owner && !m->cut[p] && owner[q] != owner[p])) continue;
            level[q] = level[p] + 1;
            m->queue[tail++] = q;
        }
    }
}

static void find_depths(maker* m)
{
    uint32_t tail = 0;
    for (uint32_t p = 0; p < m->v->particle_count; ++p) {
        m->depth[p] = m->v->octants[p] == 0xff ? SUP_NONE : 0;
        if (m->depth[p] == 0) m->queue[tail++] = p;
    }
    spread(m, m->depth, NULL, tail);
}

static int64_t stride_of(const sup_voxels* v, int axis)
{
    return axis == 0 ? 1 : axis == 1 ? (int64_t)v->size[0] : (int64_t)v->size[0] * v->size[1];
}

// The depth next to p on one side of an axis; outside it goes on falling.
static double depth_beside(const maker* m, uint32_t p, int64_t step)
{
    double   sum = 0;
    uint32_t count = 0;
    for (uint32_t k = m->v->link_begin[p]; k < m->v->link_begin[p + 1]; ++k) {
        uint32_t q = m->v->links[k];
        if ((int64_t)m->v->corners[q] - (int64_t)m->v->corners[p] != step) continue;
        sum += m->depth[q];
        ++count;
    }
    return count ? sum / count : (double)m->depth[p] - 1;
}

static sup_vec3 outward_at(const maker* m, uint32_t p)
{
    double g[3], length = 0;
    for (int a = 0; a < 3; ++a) {
        int64_t step = stride_of(m->v, a);
        g[a] = (depth_beside(m, p, -step) - depth_beside(m, p, step)) / 2;
        length += g[a] * g[a];
    }
    length = sqrt(length);
    if (length < FLAT_GRADIENT) return v3(0, 0, 0);
    return v3((float)(g[0] / length), (float)(g[1] / length), (float)(g[2] / length));
}

static void find_owners(maker* m)
{
    const sup_voxels* v = m->v;
    for (uint32_t p = 0; p < v->particle_count; ++p) m->owner[p] = SUP_NONE;
    for (uint32_t c = 0; c < v->cell_count; ++c)
        for (uint32_t k = 0; k < 8; ++k) {
            uint32_t p = v->particles[8 * (size_t)c + k], label = m->desc->labels[c];
            if (label == SUP_NONE) m->cut[p] = 1;
            else if (m->owner[p] == SUP_NONE) m->owner[p] = label;
            else if (m->owner[p] != label) m->cut[p] = 1;
        }
}

// A part's length is its greatest way from a cut, twice that where it lies between cuts to two neighbors or more.
static sup_result find_fades(maker* m, sup_error* error)
{
    const sup_voxels* v = m->v;
    uint32_t          parts = m->desc->part_count, tail = 0;
    uint32_t*         longest = SUP_NEW(m->scratch, uint32_t, parts);
    uint32_t*         neighbor = SUP_NEW(m->scratch, uint32_t, parts);
    if (!longest || !neighbor) return sup_fail_memory(error, "volumes");
    for (uint32_t p = 0; p < v->particle_count; ++p) {
        m->way[p] = m->cut[p] ? 0 : SUP_NONE;
        if (m->cut[p]) m->queue[tail++] = p;
    }
    spread(m, m->way, m->owner, tail);
    for (uint32_t i = 0; i < parts; ++i) neighbor[i] = SUP_NONE;
    for (uint32_t c = 0; c < v->cell_count; ++c) {
        uint32_t label = m->desc->labels[c];
        for (uint32_t k = 0; k < 8 && label != SUP_NONE; ++k) {
            uint32_t p = v->particles[8 * (size_t)c + k];
            if (m->cut[p]) {
                for (uint32_t o = 0; o < 8; ++o) {
                    if (!(v->octants[p] >> o & 1)) continue;
                    uint32_t other = m->desc->labels[sup_voxels_octant(v, p, o)];
                    if (other == label) continue;
                    if (neighbor[label] == SUP_NONE) neighbor[label] = other == SUP_NONE ? parts : other;
                    else if (neighbor[label] != (other == SUP_NONE ? parts : other)) neighbor[label] = parts + 1; // several
                }
            } else if (m->way[p] != SUP_NONE && m->way[p] > longest[label]) longest[label] = m->way[p];
        }
    }
    for (uint32_t p = 0; p < v->particle_count; ++p) {
        m->fade[p] = 1;
        if (m->desc->fade <= 0 || m->way[p] == SUP_NONE || m->owner[p] == SUP_NONE) continue;
        uint32_t part = m->owner[p];
        float    length = (float)longest[part] * (neighbor[part] == parts + 1 ? 2.0f : 1.0f) * m->desc->fade;
        m->fade[p] = m->cut[p] ? 0.0f : sup_smoothstep(0.0f, length > 1 ? length : 1.0f, (float)m->way[p]);
    }
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- parts

// The corners of the face of a cell on one side of an axis, in an order that shows outwards.
static void face_corners(uint32_t axis, uint32_t up, uint32_t out[4])
{
    uint32_t       u = 1u << (axis + 1) % 3, w = 1u << (axis + 2) % 3, base = up ? 1u << axis : 0;
    const uint32_t turn[4] = { base, base | u, base | u | w, base | w };
    for (uint32_t i = 0; i < 4; ++i) out[i] = turn[up ? i : 3 - i];
}

// Two cells are one there when they share the face's four particles.
static bool is_inner(const maker* m, uint32_t cell, uint32_t axis, uint32_t up)
{
    const sup_voxels* v = m->v;
    int64_t           next = (int64_t)v->cells[cell] + (up ? 1 : -1) * stride_of(v, (int)axis);
    uint32_t          other = v->at[next], corners[4];
    if (other == SUP_NONE || m->desc->labels[other] != m->desc->labels[cell]) return false;
    face_corners(axis, up, corners);
    for (uint32_t i = 0; i < 4; ++i)
        if (v->particles[8 * (size_t)cell + corners[i]] != v->particles[8 * (size_t)other + (corners[i] ^ 1u << axis)])
            return false;
    return true;
}

typedef struct part_lists {
    sup_lattice_part* parts;
    uint32_t*         members; ///< particles at first
    float*            weights;
    uint32_t*         faces;
    uint32_t          block_count, member_count;
} part_lists;

// One part from its cells; NULL lists: only counts.
static void list_part(maker* m, uint32_t part, const uint32_t* cells, uint32_t cell_count, uint32_t* local, part_lists* out)
{
    const sup_voxels* v = m->v;
    sup_lattice_part  t = { .member_begin = out->member_count, .block_begin = out->block_count, .cells = cell_count };
    uint32_t          count = 0, faces = 0;
    for (uint32_t i = 0; i < cell_count; ++i)
        for (uint32_t k = 0; k < 8; ++k) {
            uint32_t p = v->particles[8 * (size_t)cells[i] + k];
            if (local[p] != SUP_NONE) continue;
            local[p] = count;
            if (out->members) {
                out->members[t.member_begin + count] = p;
                out->weights[t.member_begin + count] =
                    m->fade[p] / (float)(2 + m->depth[p]); // the boundary is one cell from outside
                t.most = fmaxf(t.most, out->weights[t.member_begin + count]);
            }
            ++count;
        }
    for (uint32_t i = 0; i < cell_count; ++i)
        for (uint32_t side = 0; side < 6; ++side) {
            uint32_t corners[4];
            if (is_inner(m, cells[i], side / 2, side & 1)) continue;
            face_corners(side / 2, side & 1, corners);
            for (uint32_t k = 0; k < 4 && out->faces; ++k)
                out->faces[4 * SUP_LANES * (size_t)(t.block_begin + faces / SUP_LANES) + SUP_LANES * k + faces % SUP_LANES] =
                    local[v->particles[8 * (size_t)cells[i] + corners[k]]];
            ++faces;
        }
    for (uint32_t i = 0; i < cell_count; ++i)
        for (uint32_t k = 0; k < 8; ++k) local[v->particles[8 * (size_t)cells[i] + k]] = SUP_NONE;
    out->member_count += (count + SUP_LANES - 1) / SUP_LANES * SUP_LANES;
    out->block_count += (faces + SUP_LANES - 1) / SUP_LANES;
    t.member_end = out->member_count;
    t.block_end = out->block_count;
    for (uint32_t i = t.member_begin + count; out->members && i < t.member_end; ++i)
        out->members[i] = out->members[t.member_begin];
    if (out->parts) out->parts[part] = t;
}

// The particle nearest to the middle of a part's cells.
static uint32_t middle_of(const maker* m, const uint32_t* cells, uint32_t cell_count)
{
    const sup_voxels* v = m->v;
    double            mean[3] = { 0 }, least = INFINITY;
    uint32_t          best = 0, c[3];
    for (uint32_t i = 0; i < cell_count; ++i) {
        sup_voxels_corner(v, v->particles[8 * (size_t)cells[i]], c);
        for (int a = 0; a < 3; ++a) mean[a] += (c[a] + 0.5) / cell_count;
    }
    for (uint32_t i = 0; i < cell_count; ++i)
        for (uint32_t k = 0; k < 8; ++k) {
            uint32_t p = v->particles[8 * (size_t)cells[i] + k];
            double   d = 0;
            sup_voxels_corner(v, p, c);
            for (int a = 0; a < 3; ++a) d += (c[a] - mean[a]) * (c[a] - mean[a]);
            if (d >= least) continue;
            least = d;
            best = p;
        }
    return best;
}

static sup_result make_parts(maker* m, sup_arena* arena, sup_lattice_volume* out, sup_error* error)
{
    const sup_voxels* v = m->v;
    uint32_t          parts = m->desc->part_count;
    uint32_t*         begin = SUP_NEW(m->scratch, uint32_t, (size_t)parts + 2);
    uint32_t*         cells = SUP_NEW(m->scratch, uint32_t, v->cell_count);
    uint32_t*         local = SUP_NEW(m->scratch, uint32_t, v->particle_count);
    part_lists        lists = { .parts = SUP_NEW(arena, sup_lattice_part, parts) };
    if (!begin || !cells || !local || !lists.parts) return sup_fail_memory(error, "volumes");
    for (uint32_t c = 0; c < v->cell_count; ++c)
        if (m->desc->labels[c] != SUP_NONE) begin[m->desc->labels[c] + 2]++;
    for (uint32_t i = 0; i <= parts; ++i) begin[i + 1] += begin[i];
    for (uint32_t c = 0; c < v->cell_count; ++c)
        if (m->desc->labels[c] != SUP_NONE) cells[begin[m->desc->labels[c] + 1]++] = c;
    for (uint32_t p = 0; p < v->particle_count; ++p) local[p] = SUP_NONE;
    for (uint32_t i = 0; i < parts; ++i) list_part(m, i, cells + begin[i], begin[i + 1] - begin[i], local, &lists);
    lists.members = SUP_NEW(arena, uint32_t, lists.member_count);
    lists.weights = SUP_NEW(arena, float, lists.member_count);
    lists.faces = SUP_NEW(arena, uint32_t, 4 * SUP_LANES * (size_t)lists.block_count);
    if (!lists.members || !lists.weights || !lists.faces) return sup_fail_memory(error, "volumes");
    lists.member_count = lists.block_count = 0;
    for (uint32_t i = 0; i < parts; ++i) list_part(m, i, cells + begin[i], begin[i + 1] - begin[i], local, &lists);
    for (uint32_t i = 0; i < parts; ++i)
        if (begin[i + 1] > begin[i])
            lists.parts[i].origin = m->desc->slots[middle_of(m, cells + begin[i], begin[i + 1] - begin[i])];
    for (uint32_t i = 0; i < lists.member_count; ++i) lists.members[i] = m->desc->slots[lists.members[i]];
    out->parts = lists.parts;
    out->members = lists.members;
    out->weights = lists.weights;
    out->faces = lists.faces;
    out->member_count = lists.member_count;
    return SUP_OK;
}

static sup_result make(maker* m, sup_arena* arena, sup_lattice_volume* out, sup_error* error)
{
    uint32_t  count = m->v->particle_count;
    sup_vec3* outward = SUP_NEW(arena, sup_vec3, m->desc->slot_count);
    m->depth = SUP_NEW(m->scratch, uint32_t, count);
    m->queue = SUP_NEW(m->scratch, uint32_t, count);
    m->owner = SUP_NEW(m->scratch, uint32_t, count);
    m->way = SUP_NEW(m->scratch, uint32_t, count);
    m->cut = SUP_NEW(m->scratch, uint8_t, count);
    m->fade = SUP_NEW(m->scratch, float, count);
    if (!outward || !m->depth || !m->queue || !m->owner || !m->way || !m->cut || !m->fade)
        return sup_fail_memory(error, "volumes");
    find_depths(m);
    for (uint32_t p = 0; p < count; ++p) outward[m->desc->slots[p]] = outward_at(m, p);
    find_owners(m);
    sup_result result = find_fades(m, error);
    if (result != SUP_OK) return result;
    out->outward = outward;
    return make_parts(m, arena, out, error);
}

sup_result sup_lattice_volume_create(const sup_lattice_volume_desc* desc, sup_arena* arena, sup_lattice_volume* out,
                                     sup_error* error)
{
    maker m = { .desc = desc, .v = desc->voxels, .scratch = sup_arena_beside(arena) };
    if (!m.scratch) return sup_fail_memory(error, "volumes");
    *out = (sup_lattice_volume){ .h = desc->voxels->h, .part_count = desc->part_count, .apart = desc->fade > 0 };
    sup_result result = make(&m, arena, out, error);
    sup_arena_destroy(m.scratch);
    return result;
}

// ---------------------------------------------------------------------------------------------- root

static double cubic_at(const double a[4], double l) { return a[0] + l * (a[1] + l * (a[2] + l * a[3])); }

// Where the slope a1 + 2 a2 l + 3 a3 l^2, positive at 0, first becomes 0 in the direction of `sign`.
static double rises_until(const double a[4], double sign, double limit)
{
    double p = a[1], q = 2 * a[2] * sign, r = 3 * a[3], best = limit; // in t = sign l
    double under = q * q - 4 * p * r;
    if (under < 0) return limit;
    // The stable pair of roots: their product is p / r, and neither needs a difference of equals.
    double s = -0.5 * (q + (q < 0 ? -sqrt(under) : sqrt(under)));
    if (s != 0 && p / s > 0) best = fmin(best, p / s);
    if (r != 0 && s / r > 0) best = fmin(best, s / r);
    return best;
}

double sup_lattice_cubic_root(const double a[4], double target, double limit, bool* met)
{
    double sign = target < a[0] ? -1 : 1, high = rises_until(a, sign, limit), low = 0;
    double end = cubic_at(a, sign * high);
    *met = sign > 0 ? end >= target : end <= target;
    if (!*met) return sign * high;
    double t = 0;
    for (int i = 0; i < 60; ++i) { // Newton, kept inside the bracket by halving
        double off = sign * (cubic_at(a, sign * t) - target), slope = a[1] + sign * t * (2 * a[2] + sign * t * 3 * a[3]);
        if (off > 0) high = t;
        else low = t;
        double next = slope > 0 ? t - off / slope : -1;
        if (!(next > low && next < high)) next = (low + high) / 2;
        if (fabs(next - t) <= 1e-15 * fabs(next)) break;
        t = next;
    }
    return sign * t;
}

// ---------------------------------------------------------------------------------------------- apply

typedef struct apply_job {
    const sup_lattice_volume*      v;
    const sup_lattice_volume_call* call;
    float*                         planes; ///< six rows of all members
    uint8_t*                       found;  ///< per part: flags below
} apply_job;

enum { PART_DONE = 1, PART_INSIDE_OUT = 2, PART_EXTREME = 4 };

static sup_lattice_field_job field_of(const sup_lattice_volume* v, uint32_t part, const sup_vec3* points, float* planes)
{
    return (sup_lattice_field_job){ .volume = v,
                                    .part = &v->parts[part],
                                    .points = points,
                                    .planes = planes + v->parts[part].member_begin,
                                    .stride = v->member_count };
}

static void move_members(const sup_lattice_field_job* f, sup_vec3* points, double l)
{
    float step = (float)(l * f->volume->h);
    for (uint32_t m = f->part->member_begin; m < f->part->member_end; ++m) {
        const float* field = f->planes + (m - f->part->member_begin) + 3 * (size_t)f->stride;
        if (f->volume->weights[m] == 0) continue; // a filler, or held at a cut
        sup_vec3* p = &points[f->volume->members[m]];
        *p = v3_mad(*p, step, v3(field[0], field[f->stride], field[2 * (size_t)f->stride]));
    }
}

static void correct_part(const apply_job* j, uint32_t part)
{
    const sup_lattice_part* t = &j->v->parts[part];
    float                   strength = j->call->strength ? j->call->strength[part] : 1.0f;
    if (t->cells == 0 || !(strength > 0) || t->most == 0 || (j->found[part] & PART_DONE)) return;
    sup_lattice_field_job field = field_of(j->v, part, j->call->points, j->planes);
    field.matrices = j->call->matrices;
    double a[4], rest = t->cells * (j->call->targets ? j->call->targets[part] : 1.0);
    SUP_WIDE_PICK(sup_lattice_field)(&field);
    SUP_WIDE_PICK(sup_lattice_cubic)(&field, a);
    j->found[part] = PART_DONE;
    if (!isfinite(a[0] + a[1] + a[2] + a[3]) || fabs(rest - a[0]) <= SAME_VOLUME * rest) return;
    if (!(a[0] > 0) || !(a[1] > 0)) {
        j->found[part] |= PART_INSIDE_OUT;
        return;
    }
    bool   met;
    double limit = STEP_MAX / (double)t->most,
           l = sup_lattice_cubic_root(a, a[0] + (double)strength * (rest - a[0]), limit, &met);
    if (!met)
        j->found[part] = fabs(l) < limit ? PART_DONE | PART_EXTREME : 0; // 0: as far as one sweep may go, go on in the next
    move_members(&field, j->call->points, l);
}

static void correct_parts(void* data, uint32_t begin, uint32_t end)
{
    for (uint32_t part = begin; part < end; ++part) correct_part(data, part);
}

size_t sup_lattice_volume_scratch(const sup_lattice_volume* v)
{
    return sup_align(6 * (size_t)v->member_count * sizeof(float), 64) + sup_align(v->part_count, 64);
}

sup_lattice_volume_report sup_lattice_volume_apply(const sup_lattice_volume* v, const sup_lattice_volume_call* call)
{
    sup_lattice_volume_report report = { 0 };
    uint8_t*                  found = (uint8_t*)call->scratch + sup_align(6 * (size_t)v->member_count * sizeof(float), 64);
    apply_job                 job = { .v = v, .call = call, .planes = call->scratch, .found = found };
    memset(found, 0, v->part_count);
    for (uint32_t sweep = 0; sweep < call->sweeps; ++sweep) {
        // Parts that share particles go one after the other, from the root on, and disturb each other: all of them again.
        if (!v->apart) memset(found, 0, v->part_count);
        sup_tasks_run(v->apart ? call->tasks : NULL, v->part_count, 1, correct_parts, &job);
    }
    for (uint32_t i = 0; i < v->part_count; ++i) {
        report.inside_out += (found[i] & PART_INSIDE_OUT) != 0;
        report.extreme += (found[i] & PART_EXTREME) != 0;
    }
    return report;
}

void sup_lattice_volume_measure(const sup_lattice_volume* v, const sup_vec3* points, float* scratch, double* out)
{
    for (uint32_t part = 0; part < v->part_count; ++part) {
        double                a[4];
        sup_lattice_field_job field = field_of(v, part, points, scratch);
        SUP_WIDE_PICK(sup_lattice_field)(&field);
        SUP_WIDE_PICK(sup_lattice_cubic)(&field, a);
        out[part] = a[0];
    }
}

double sup_lattice_volume_growth(const sup_lattice_volume* v, uint32_t part, const sup_vec3* rest, const sup_mat3* unturned,
                                 float* scratch)
{
    double                a[4];
    sup_lattice_field_job field = field_of(v, part, rest, scratch);
    field.matrices = unturned;
    SUP_WIDE_PICK(sup_lattice_field)(&field);
    SUP_WIDE_PICK(sup_lattice_cubic)(&field, a);
    return a[1];
}
