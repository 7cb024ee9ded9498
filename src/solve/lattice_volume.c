#include "solve/lattice_volume.h"

#include "base/internal.h"
#include "math/vec.h"
#include "solve/diffusion.h"

#include <math.h>
#include <string.h>

#define FLAT_GRADIENT 0.25 // the distance to the boundary has no direction below this: the middle
#define FAINT_SHARE 0.02f  // of a smooth field: less does not show
#define HOLLOW 0.1         // of its cells: a part whose skin encloses less is measured by its cells

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
    float*                         ramp; ///< per part: cells over which it flows into its neighbors
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
    for (uint32_t i = 0; i < parts; ++i)
        m->ramp[i] = fmaxf((float)longest[i] * (neighbor[i] == parts + 1 ? 2.0f : 1.0f) * m->desc->fade, 1.0f);
    for (uint32_t p = 0; p < v->particle_count; ++p) {
        m->fade[p] = 1;
        if (m->desc->fade <= 0 || m->way[p] == SUP_NONE || m->owner[p] == SUP_NONE) continue;
        m->fade[p] = m->cut[p] ? 0.0f : sup_smoothstep(0.0f, m->ramp[m->owner[p]], (float)m->way[p]);
    }
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- shares

// The parts around a particle, each once, with their shares of its cells.
static uint32_t parts_around(const maker* m, uint32_t p, uint32_t parts[8], float shares[8])
{
    uint32_t count = 0;
    float    cells = 0;
    for (uint32_t o = 0; o < 8; ++o) {
        if (!(m->v->octants[p] >> o & 1)) continue;
        uint32_t label = m->desc->labels[sup_voxels_octant(m->v, p, o)], i = 0;
        cells += 1;
        if (label == SUP_NONE) continue;
        while (i < count && parts[i] != label) ++i;
        if (i == count) parts[count] = label, shares[count++] = 0;
        shares[i] += 1;
    }
    for (uint32_t i = 0; i < count; ++i) shares[i] /= cells;
    return count;
}

typedef struct share_list {
    uint32_t parts[LATTICE_SHARES];
    float    shares[LATTICE_SHARES]; ///< falling; 0: none
} share_list;

static void add_share(share_list* list, uint32_t part, float share)
{
    for (int i = 0; i < LATTICE_SHARES; ++i)
        if (share > list->shares[i]) {
            uint32_t other = list->parts[i];
            float    less = list->shares[i];
            list->parts[i] = part, list->shares[i] = share;
            part = other, share = less;
        }
}

// (L + H) phi = H (own share of its cells), H = 1 / ramp^2: the parts flow into each other over their ramps, summing to 1.
static sup_result smooth_shares(maker* m, share_list* lists, sup_error* error)
{
    uint32_t   count = m->v->particle_count;
    sup_arena* scratch = sup_arena_beside(m->scratch);
    float *    screen = NULL, *w = NULL, *work = NULL;
    if (scratch) {
        screen = SUP_NEW(scratch, float, count);
        w = SUP_NEW(scratch, float, (size_t)count* SUP_LANES);
        work = SUP_NEW(scratch, float, sup_diffusion_work(count));
    }
    if (!screen || !w || !work) {
        sup_arena_destroy(scratch);
        return sup_fail_memory(error, "volumes");
    }
    for (uint32_t p = 0; p < count; ++p) {
        float ramp = m->owner[p] == SUP_NONE ? 1.0f : m->ramp[m->owner[p]];
        screen[p] = 1.0f / (ramp * ramp);
    }
    sup_diffusion d = { .count = count, .link_begin = m->v->link_begin, .links = m->v->links, .screen = screen };
    for (uint32_t first = 0; first < m->desc->part_count; first += SUP_LANES) {
        uint32_t parts[8];
        float    shares[8];
        memset(w, 0, (size_t)count * SUP_LANES * sizeof *w);
        for (uint32_t p = 0; p < count; ++p)
            for (uint32_t i = parts_around(m, p, parts, shares); i-- > 0;)
                if (parts[i] - first < SUP_LANES) w[(size_t)p * SUP_LANES + parts[i] - first] = shares[i];
        SUP_WIDE_PICK(sup_diffusion_solve)(&d, w, work);
        for (uint32_t p = 0; p < count; ++p)
            for (uint32_t i = 0; i < SUP_LANES && first + i < m->desc->part_count; ++i)
                if (w[(size_t)p * SUP_LANES + i] > FAINT_SHARE) add_share(&lists[p], first + i, w[(size_t)p * SUP_LANES + i]);
    }
    for (uint32_t p = 0; p < count; ++p) { // what the faint ones had goes to the others
        float sum = 0;
        for (int i = 0; i < LATTICE_SHARES; ++i) sum += lists[p].shares[i];
        for (int i = 0; i < LATTICE_SHARES && m->owner[p] != SUP_NONE && sum > 0; ++i) lists[p].shares[i] /= sum;
    }
    sup_arena_destroy(scratch);
    return SUP_OK;
}

static sup_result make_shares(maker* m, sup_arena* arena, sup_lattice_volume* out, sup_error* error)
{
    uint32_t    count = m->v->particle_count, total = 0;
    share_list* lists = SUP_NEW(m->scratch, share_list, count);
    uint32_t*   of_slot = SUP_NEW(m->scratch, uint32_t, m->desc->slot_count);
    uint32_t*   begin = SUP_NEW(arena, uint32_t, (size_t)m->desc->slot_count + 1);
    if (!lists || !of_slot || !begin) return sup_fail_memory(error, "volumes");
    if (out->apart) {
        sup_result r = smooth_shares(m, lists, error);
        if (r != SUP_OK) return r;
    } else
        for (uint32_t p = 0; p < count; ++p) {
            uint32_t parts[8];
            float    shares[8];
            for (uint32_t i = parts_around(m, p, parts, shares); i-- > 0;) add_share(&lists[p], parts[i], 1);
        }
    for (uint32_t i = 0; i < m->desc->slot_count; ++i) of_slot[i] = SUP_NONE;
    for (uint32_t p = 0; p < count; ++p) {
        of_slot[m->desc->slots[p]] = p;
        for (int i = 0; i < LATTICE_SHARES; ++i) total += lists[p].shares[i] > 0;
    }
    uint32_t* parts = SUP_NEW(arena, uint32_t, total);
    float*    shares = SUP_NEW(arena, float, total);
    if (!parts || !shares) return sup_fail_memory(error, "volumes");
    for (uint32_t s = 0; s < m->desc->slot_count; ++s) {
        begin[s + 1] = begin[s];
        for (int i = 0; i < LATTICE_SHARES && of_slot[s] != SUP_NONE; ++i) {
            if (!(lists[of_slot[s]].shares[i] > 0)) continue;
            parts[begin[s + 1]] = lists[of_slot[s]].parts[i];
            shares[begin[s + 1]++] = lists[of_slot[s]].shares[i];
        }
    }
    out->share_begin = begin;
    out->share_parts = parts;
    out->shares = shares;
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
    uint32_t*         particles; ///< of each member
    uint32_t*         faces;
    uint32_t          block_count, member_count;
} part_lists;

// One part from its cells: the corners of its outer faces; NULL lists: only counts.
static void list_part(maker* m, uint32_t part, const uint32_t* cells, uint32_t cell_count, uint32_t* local, part_lists* out)
{
    const sup_voxels* v = m->v;
    sup_lattice_part  t = { .member_begin = out->member_count, .block_begin = out->block_count, .cells = cell_count };
    uint32_t          count = 0, faces = 0;
    for (uint32_t i = 0; i < cell_count; ++i)
        for (uint32_t side = 0; side < 6; ++side) {
            uint32_t corners[4];
            if (is_inner(m, cells[i], side / 2, side & 1)) continue;
            face_corners(side / 2, side & 1, corners);
            for (uint32_t k = 0; k < 4; ++k) {
                uint32_t p = v->particles[8 * (size_t)cells[i] + corners[k]];
                if (local[p] == SUP_NONE) {
                    if (out->particles) out->particles[t.member_begin + count] = p;
                    local[p] = count++;
                }
                if (out->faces)
                    out->faces[4 * SUP_LANES * (size_t)(t.block_begin + faces / SUP_LANES) + SUP_LANES * k +
                               faces % SUP_LANES] = local[p];
            }
            ++faces;
        }
    for (uint32_t i = 0; i < cell_count; ++i)
        for (uint32_t k = 0; k < 8; ++k) local[v->particles[8 * (size_t)cells[i] + k]] = SUP_NONE;
    out->member_count += (count + SUP_LANES - 1) / SUP_LANES * SUP_LANES;
    out->block_count += (faces + SUP_LANES - 1) / SUP_LANES;
    t.member_end = out->member_count;
    t.block_end = out->block_count;
    for (uint32_t i = t.member_begin + count; out->particles && i < t.member_end; ++i)
        out->particles[i] = out->particles[t.member_begin];
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

// How much of the field of `part` alone moves a particle.
static float own_share(const maker* m, uint32_t part, uint32_t p)
{
    uint32_t parts[8];
    float    shares[8];
    if (m->desc->fade > 0) return m->owner[p] == part ? m->fade[p] : 0.0f;
    for (uint32_t i = parts_around(m, p, parts, shares); i-- > 0;)
        if (parts[i] == part) return 1;
    return 0;
}

// Where the members of a part are: the rows of slots and weights. Cells: at their particles.
static void place_members(const maker* m, uint32_t part, const sup_lattice_part* t, const uint32_t* particles, bool skin,
                          uint32_t rows, uint32_t* slots, float* places, float* fields)
{
    for (uint32_t i = t->member_begin; i < t->member_end; ++i) {
        uint32_t                p = particles[i];
        const sup_lattice_node* node = skin ? &m->desc->nodes[p] : NULL;
        float                   rest = 1;
        for (uint32_t k = LATTICE_NODE_SLOTS; k-- > 0;) {
            uint32_t q = k == 0 || !node ? p : node->beside[k - 1];
            float    share = k == 0 ? rest : node ? node->share[k - 1] : 0.0f;
            rest -= k == 0 ? 0.0f : share;
            slots[k * rows + i] = m->desc->slots[q];
            places[k * rows + i] = share;
            fields[k * rows + i] = share == 0 ? 0.0f : share * own_share(m, part, q);
        }
    }
}

// ---------------------------------------------------------------------------------------------- rates

static void cross_add(double out[3], const double a[3], const double b[3])
{
    out[0] += a[1] * b[2] - a[2] * b[1];
    out[1] += a[2] * b[0] - a[0] * b[2];
    out[2] += a[0] * b[1] - a[1] * b[0];
}

// Volume of a part at rest in cells; slopes: three of each member, NULL: none. Twelve times the volume of a patch is
// (a x b) . (c + d) + (a + b) . (c x d).
static double rest_volume(const sup_lattice_part* t, const uint32_t* faces, const double* places, double* slopes)
{
    double sum = 0;
    for (uint32_t block = t->block_begin; block < t->block_end; ++block)
        for (uint32_t lane = 0; lane < SUP_LANES; ++lane) {
            const double* x[4];
            uint32_t      at[4];
            double        e[3], f[3], ab[3] = { 0 }, cd[3] = { 0 };
            for (uint32_t k = 0; k < 4; ++k) {
                at[k] = t->member_begin + faces[4 * SUP_LANES * (size_t)block + SUP_LANES * k + lane];
                x[k] = places + 3 * (size_t)at[k];
            }
            for (int a = 0; a < 3; ++a) f[a] = x[0][a] + x[1][a], e[a] = x[2][a] + x[3][a];
            cross_add(ab, x[0], x[1]);
            cross_add(cd, x[2], x[3]);
            for (int a = 0; a < 3; ++a) sum += ab[a] * e[a] + f[a] * cd[a];
            if (!slopes || at[0] == at[1]) continue; // an empty lane
            double to[4][3];
            for (int a = 0; a < 3; ++a) to[0][a] = to[1][a] = cd[a], to[2][a] = to[3][a] = ab[a];
            cross_add(to[0], x[1], e);
            cross_add(to[1], e, x[0]);
            cross_add(to[2], x[3], f);
            cross_add(to[3], f, x[2]);
            for (int k = 0; k < 4; ++k)
                for (int a = 0; a < 3; ++a) slopes[3 * (size_t)at[k] + a] += to[k][a] / 12;
        }
    return sum / 12;
}

typedef struct member_rows {
    uint32_t *particles, *slots;
    float *   places, *fields;
    double*   rest;   ///< three of each: place at rest in cells, from the part's origin
    double*   slopes; ///< likewise
} member_rows;

typedef struct rate_rows {
    double*   sums; ///< LATTICE_FIELDS of each part
    uint32_t *mark, *seen;
} rate_rows;

static void place_at_rest(const maker* m, const sup_lattice_part* t, const member_rows* r, uint32_t rows, uint32_t origin,
                          const uint32_t* of_slot)
{
    uint32_t from[3], at[3];
    sup_voxels_corner(m->v, origin, from);
    for (uint32_t i = t->member_begin; i < t->member_end; ++i) {
        double* x = r->rest + 3 * (size_t)i;
        x[0] = x[1] = x[2] = 0;
        for (uint32_t k = 0; k < LATTICE_NODE_SLOTS; ++k) {
            sup_voxels_corner(m->v, of_slot[r->slots[k * rows + i]], at);
            for (int a = 0; a < 3; ++a) x[a] += (double)r->places[k * rows + i] * ((double)at[a] - (double)from[a]);
        }
    }
}

// The field of a slot at rest.
static sup_vec3 rest_field(const sup_lattice_volume* v, uint32_t field, uint32_t slot)
{
    if (field == 0) return v3_scale(v->outward[slot], v->reach[slot]);
    return v->core ? v->core[slot] : v3(0, 0, 0);
}

// The parts whose smooth fields reach the members of part i, in the order they are met, and how they change its volume.
static uint32_t rates_of(const member_rows* r, uint32_t rows, const sup_lattice_part* part, uint32_t stamp,
                         const sup_lattice_volume* v, rate_rows* to)
{
    uint32_t found = 0;
    for (uint32_t k = part->member_begin; k < part->member_end; ++k)
        for (uint32_t c = 0; c < LATTICE_NODE_SLOTS; ++c) {
            uint32_t      slot = r->slots[c * rows + k];
            const double* g = r->slopes + 3 * (size_t)k;
            double        rate[LATTICE_FIELDS];
            for (uint32_t f = 0; f < LATTICE_FIELDS; ++f) {
                sup_vec3 u = rest_field(v, f, slot);
                rate[f] = (double)r->places[c * rows + k] * (g[0] * (double)u.x + g[1] * (double)u.y + g[2] * (double)u.z);
            }
            for (uint32_t s = v->share_begin[slot]; s < v->share_begin[slot + 1]; ++s) {
                uint32_t j = v->share_parts[s];
                double*  sums = to->sums + LATTICE_FIELDS * (size_t)j;
                if (to->mark[j] != stamp) {
                    to->mark[j] = stamp;
                    to->seen[found++] = j;
                    memset(sums, 0, LATTICE_FIELDS * sizeof *sums);
                }
                for (uint32_t f = 0; f < LATTICE_FIELDS; ++f) sums[f] += rate[f] * (double)v->shares[s];
            }
        }
    return found;
}

// J[i][j] = how the volume of part i grows along the smooth field of part j, at rest.
static sup_result make_rates(maker* m, const member_rows* r, uint32_t rows, sup_lattice_part* parts, sup_arena* arena,
                             sup_lattice_volume* out, sup_error* error)
{
    uint32_t  n = m->desc->part_count, total = 0, *list = NULL, *begin = SUP_NEW(arena, uint32_t, (size_t)n + 1);
    float*    rates[LATTICE_FIELDS] = { NULL };
    rate_rows to = { SUP_NEW(m->scratch, double, LATTICE_FIELDS*(size_t)n), SUP_NEW(m->scratch, uint32_t, n),
                     SUP_NEW(m->scratch, uint32_t, n) };
    if (!begin || !to.sums || !to.mark || !to.seen) return sup_fail_memory(error, "volumes");
    for (uint32_t round = 0; round < 2; ++round) { // to count, then to keep
        total = 0;
        for (uint32_t i = 0; i < n; ++i) {
            uint32_t found = rates_of(r, rows, &parts[i], round * n + i + 1, out, &to);
            begin[i] = total;
            for (uint32_t k = 0; k < found; ++k) {
                const double* sums = to.sums + LATTICE_FIELDS * (size_t)to.seen[k];
                for (uint32_t f = 0; f < LATTICE_FIELDS; ++f) {
                    if (to.seen[k] == i) parts[i].rate[f] = (float)sums[f];
                    else if (list) list[total] = to.seen[k], rates[f][total] = (float)sums[f];
                }
                total += to.seen[k] != i;
            }
        }
        begin[n] = total;
        if (round == 1) break;
        list = SUP_NEW(arena, uint32_t, total);
        for (uint32_t f = 0; f < LATTICE_FIELDS; ++f) {
            rates[f] = SUP_NEW(arena, float, total);
            if (!list || !rates[f]) return sup_fail_memory(error, "volumes");
        }
    }
    out->couple_begin = begin;
    out->couple_parts = list;
    for (uint32_t f = 0; f < LATTICE_FIELDS; ++f) out->couples[f] = rates[f];
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- whole

static sup_result list_parts(maker* m, part_lists* lists, uint32_t** cells, uint32_t** begin, sup_arena* arena,
                             sup_error* error)
{
    const sup_voxels* v = m->v;
    uint32_t          parts = m->desc->part_count;
    uint32_t*         local = SUP_NEW(m->scratch, uint32_t, v->particle_count);
    *begin = SUP_NEW(m->scratch, uint32_t, (size_t)parts + 2);
    *cells = SUP_NEW(m->scratch, uint32_t, v->cell_count);
    lists->parts = SUP_NEW(arena, sup_lattice_part, parts);
    if (!*begin || !*cells || !local || !lists->parts) return sup_fail_memory(error, "volumes");
    for (uint32_t c = 0; c < v->cell_count; ++c)
        if (m->desc->labels[c] != SUP_NONE) (*begin)[m->desc->labels[c] + 2]++;
    for (uint32_t i = 0; i <= parts; ++i) (*begin)[i + 1] += (*begin)[i];
    for (uint32_t c = 0; c < v->cell_count; ++c)
        if (m->desc->labels[c] != SUP_NONE) (*cells)[(*begin)[m->desc->labels[c] + 1]++] = c;
    for (uint32_t p = 0; p < v->particle_count; ++p) local[p] = SUP_NONE;
    for (int round = 0; round < 2; ++round) {
        if (round == 1) {
            lists->particles = SUP_NEW(m->scratch, uint32_t, lists->member_count);
            lists->faces = SUP_NEW(arena, uint32_t, 4 * SUP_LANES * (size_t)lists->block_count);
            if (!lists->particles || !lists->faces) return sup_fail_memory(error, "volumes");
            lists->member_count = lists->block_count = 0;
        }
        for (uint32_t i = 0; i < parts; ++i) list_part(m, i, *cells + (*begin)[i], (*begin)[i + 1] - (*begin)[i], local, lists);
    }
    return SUP_OK;
}

static sup_result make_parts(maker* m, sup_arena* arena, sup_lattice_volume* out, sup_error* error)
{
    part_lists lists = { 0 };
    uint32_t * cells, *begin, parts = m->desc->part_count;
    sup_result result = list_parts(m, &lists, &cells, &begin, arena, error);
    if (result != SUP_OK) return result;
    uint32_t    rows = lists.member_count;
    uint32_t*   of_slot = SUP_NEW(m->scratch, uint32_t, m->desc->slot_count);
    member_rows r = { lists.particles,
                      SUP_NEW(arena, uint32_t, LATTICE_NODE_SLOTS * (size_t)rows),
                      SUP_NEW(arena, float, LATTICE_NODE_SLOTS*(size_t)rows),
                      SUP_NEW(arena, float, LATTICE_NODE_SLOTS*(size_t)rows),
                      SUP_NEW(m->scratch, double, 3 * (size_t)rows),
                      SUP_NEW(m->scratch, double, 3 * (size_t)rows) };
    if (!of_slot || !r.slots || !r.places || !r.fields || !r.rest || !r.slopes) return sup_fail_memory(error, "volumes");
    for (uint32_t p = 0; p < m->v->particle_count; ++p) of_slot[m->desc->slots[p]] = p;
    for (uint32_t i = 0; i < parts; ++i) {
        sup_lattice_part* t = &lists.parts[i];
        if (t->cells == 0) continue;
        uint32_t origin = middle_of(m, cells + begin[i], t->cells);
        t->origin = m->desc->slots[origin];
        for (int skin = m->desc->nodes != NULL; skin >= 0; --skin) {
            place_members(m, i, t, lists.particles, skin, rows, r.slots, r.places, r.fields);
            place_at_rest(m, t, &r, rows, origin, of_slot);
            t->rest = rest_volume(t, lists.faces, r.rest, NULL);
            if (t->rest > HOLLOW * t->cells) break;
            out->cell_parts += skin;
        }
        rest_volume(t, lists.faces, r.rest, r.slopes);
    }
    for (uint32_t i = 0; i < parts; ++i)
        for (uint32_t k = 0; k < LATTICE_NODE_SLOTS; ++k)
            for (uint32_t j = lists.parts[i].member_begin; j < lists.parts[i].member_end; ++j) {
                uint32_t slot = r.slots[k * rows + j];
                float    share = r.places[k * rows + j] > 0 ? own_share(m, i, of_slot[slot]) : 0.0f;
                for (uint32_t f = 0; f < LATTICE_FIELDS && share > 0; ++f) {
                    float* most = &lists.parts[i].most[f];
                    *most = fmaxf(*most, share * v3_length(rest_field(out, f, slot)));
                }
            }
    out->parts = lists.parts;
    out->faces = lists.faces;
    out->members = r.slots;
    out->places = r.places;
    out->fields = r.fields;
    out->member_count = rows;
    return m->desc->trial || !out->apart ? SUP_OK : make_rates(m, &r, rows, lists.parts, arena, out, error);
}

static sup_result make(maker* m, sup_arena* arena, sup_lattice_volume* out, sup_error* error)
{
    uint32_t  count = m->v->particle_count, slots = m->desc->slot_count;
    sup_vec3* outward = SUP_NEW(arena, sup_vec3, slots);
    float *   reach = SUP_NEW(arena, float, slots), *fade = SUP_NEW(arena, float, slots);
    uint32_t* owners = SUP_NEW(arena, uint32_t, slots);
    m->depth = SUP_NEW(m->scratch, uint32_t, count);
    m->queue = SUP_NEW(m->scratch, uint32_t, count);
    m->owner = SUP_NEW(m->scratch, uint32_t, count);
    m->way = SUP_NEW(m->scratch, uint32_t, count);
    m->cut = SUP_NEW(m->scratch, uint8_t, count);
    m->fade = SUP_NEW(m->scratch, float, count);
    m->ramp = SUP_NEW(m->scratch, float, m->desc->part_count);
    if (!outward || !reach || !fade || !owners || !m->depth || !m->queue || !m->owner || !m->way || !m->cut || !m->fade ||
        !m->ramp)
        return sup_fail_memory(error, "volumes");
    find_depths(m);
    find_owners(m);
    sup_result result = find_fades(m, error);
    if (result != SUP_OK) return result;
    for (uint32_t s = 0; s < slots; ++s) owners[s] = SUP_NONE;
    for (uint32_t p = 0; p < count; ++p) {
        uint32_t slot = m->desc->slots[p];
        outward[slot] = outward_at(m, p);
        reach[slot] = 1.0f / (float)(2 + m->depth[p]); // the boundary is one cell from outside
        owners[slot] = m->owner[p];
        fade[slot] = m->fade[p];
    }
    out->outward = outward;
    out->reach = reach;
    out->core = m->desc->core;
    out->owners = owners;
    out->fade = fade;
    if (!m->desc->trial) result = make_shares(m, arena, out, error);
    return result == SUP_OK ? make_parts(m, arena, out, error) : result;
}

sup_result sup_lattice_volume_create(const sup_lattice_volume_desc* desc, sup_arena* arena, sup_lattice_volume* out,
                                     sup_error* error)
{
    maker m = { .desc = desc, .v = desc->voxels, .scratch = sup_arena_beside(arena) };
    if (!m.scratch) return sup_fail_memory(error, "volumes");
    *out = (sup_lattice_volume){
        .h = desc->voxels->h, .part_count = desc->part_count, .slot_count = desc->slot_count, .apart = desc->fade > 0
    };
    sup_result result = make(&m, arena, out, error);
    sup_arena_destroy(m.scratch);
    return result;
}
