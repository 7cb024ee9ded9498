// The parts of a lattice: their faces, the members at their corners, and their measurements at rest.
#include "solve/lattice/lattice_volume_internal.h"

#include <math.h>
#include <string.h>

#define HOLLOW 0.1 // of its cells: a part whose skin encloses less is measured by its cells

// The corners of a cell's face on one side of an axis, ordered to face outward.
static void face_corners(uint32_t axis, uint32_t up, uint32_t out[4])
{
    uint32_t       u = 1u << (axis + 1) % 3, w = 1u << (axis + 2) % 3, base = up ? 1u << axis : 0;
    const uint32_t turn[4] = { base, base | u, base | u | w, base | w };
    for (uint32_t i = 0; i < 4; ++i) out[i] = turn[up ? i : 3 - i];
}

// Two cells are connected there if they share the face's four particles.
static bool is_inner(const lattice_maker* m, uint32_t cell, uint32_t axis, uint32_t up)
{
    const sup_voxels* v = m->v;
    int64_t           next = (int64_t)v->cells[cell] + (up ? 1 : -1) * lattice_stride(v, (int)axis);
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
    uint32_t*         nodes; ///< of each member
    uint32_t*         faces;
    uint32_t          block_count, member_count;
} part_lists;

// Ends the part that begins where the lists end. Pads its last block of members with the first one.
static void close_part(part_lists* out, uint32_t part, sup_lattice_part t, uint32_t count, uint32_t faces)
{
    out->member_count += (count + SUP_LANES - 1) / SUP_LANES * SUP_LANES;
    out->block_count += (faces + SUP_LANES - 1) / SUP_LANES;
    t.member_end = out->member_count;
    t.block_end = out->block_count;
    for (uint32_t i = t.member_begin + count; out->nodes && i < t.member_end; ++i) out->nodes[i] = out->nodes[t.member_begin];
    if (out->parts) out->parts[part] = t;
}

// One part from its cells: the corners of its outer faces; NULL lists: only counts.
static void list_part(lattice_maker* m, uint32_t part, const uint32_t* cells, uint32_t cell_count, uint32_t* local,
                      part_lists* out)
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
                    if (out->nodes) out->nodes[t.member_begin + count] = p;
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
    close_part(out, part, t, count, faces);
}

// The same from the mesh's own triangles, each as a patch that repeats its last corner. flip: the mesh is inside out.
static void list_triangles(lattice_maker* m, uint32_t part, uint32_t cell_count, bool flip, uint32_t* local, part_lists* out)
{
    const sup_volumes* v = &m->surface;
    sup_lattice_part   t = { .member_begin = out->member_count, .block_begin = out->block_count, .cells = cell_count };
    uint32_t           count = 0, faces = v->begin[part + 1] - v->begin[part];
    for (uint32_t i = v->begin[part]; i < v->begin[part + 1]; ++i)
        for (uint32_t k = 0; k < 4; ++k) {
            uint32_t turn[4] = { flip, !flip, 2, 2 }, n = v->corners[3 * (size_t)i + turn[k]], at = i - v->begin[part];
            if (local[n] == SUP_NONE) {
                if (out->nodes) out->nodes[t.member_begin + count] = n;
                local[n] = count++;
            }
            if (out->faces)
                out->faces[4 * SUP_LANES * (size_t)(t.block_begin + at / SUP_LANES) + SUP_LANES * k + at % SUP_LANES] =
                    local[n];
        }
    for (uint32_t i = 3 * v->begin[part]; i < 3 * v->begin[part + 1]; ++i) local[v->corners[i]] = SUP_NONE;
    close_part(out, part, t, count, faces);
}

// The particle nearest to the center of a part's cells.
static uint32_t middle_of(const lattice_maker* m, const uint32_t* cells, uint32_t cell_count)
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

typedef struct member_rows {
    const uint32_t* nodes;
    uint32_t*       slots;
    uint8_t*        rides;
    float*          carried;
    float *         places, *fields;
    double*         rest;   ///< three per member: place at rest in cells, from the part's origin
    double*         slopes; ///< the same layout
} member_rows;

// How much the field of `part` alone moves a particle.
static float own_share(const lattice_maker* m, uint32_t part, uint32_t p)
{
    uint32_t parts[8];
    float    shares[8];
    if (m->desc->fade > 0) return m->owner[p] == part ? m->fade[p] : 0.0f;
    for (uint32_t i = lattice_parts_around(m, p, parts, shares); i-- > 0;)
        if (parts[i] == part) return 1;
    return 0;
}

// Where the members of a part are: the rows of slots and weights. Without skin, at their particles.
static void place_members(const lattice_maker* m, uint32_t part, const sup_lattice_part* t, bool skin, const member_rows* r)
{
    for (uint32_t i = t->member_begin; i < t->member_end; ++i) {
        const sup_lattice_node  plain = { .base = r->nodes[i], .beside = { r->nodes[i], r->nodes[i], r->nodes[i] } };
        const sup_lattice_node* node = skin ? &m->nodes[r->nodes[i]] : &plain;
        bool                    inside = node->beside[0] != node->base;
        r->rides[i] = node->skin;
        r->carried[i] = node->carried ? 1.0f : 0.0f;
        for (uint32_t k = 0; k < LATTICE_NODE_SLOTS; ++k) { // as the skin is embedded in its cell, nearest corner first
            uint32_t q = inside ? m->v->particles[8 * (size_t)node->cell + (node->corner ^ k)] : node->base;
            float    share = inside || k == 0 ? 1.0f : 0.0f;
            for (uint32_t a = 0; a < 3 && inside; ++a) share *= k >> a & 1 ? node->share[a] : 1 - node->share[a];
            if (node->carried) share = 0;
            size_t at = LATTICE_NODE_SLOTS * (size_t)i + k;
            r->slots[at] = m->desc->slots[q];
            r->places[at] = share;
            r->fields[at] = share == 0 ? 0.0f : share * own_share(m, part, q);
        }
    }
}

// ---------------------------------------------------------------------------------------------- rates

void lattice_cross_add(double out[3], const double a[3], const double b[3])
{
    out[0] += a[1] * b[2] - a[2] * b[1];
    out[1] += a[2] * b[0] - a[0] * b[2];
    out[2] += a[0] * b[1] - a[1] * b[0];
}

void lattice_node_at_rest(const lattice_maker* m, const sup_lattice_node* n, double out[3])
{
    uint32_t from[3], at[3];
    sup_voxels_corner(m->v, n->base, from);
    for (int a = 0; a < 3; ++a) out[a] = from[a];
    for (int k = 0; k < 3; ++k) {
        sup_voxels_corner(m->v, n->beside[k], at);
        for (int a = 0; a < 3; ++a) out[a] += (double)n->share[k] * ((double)at[a] - (double)from[a]);
    }
    for (int a = 0; a < 3 && (n->carried || n->middle); ++a) out[a] = ((double)(&n->place.x)[a] - m->v->origin[a]) / m->v->h;
}

// Volume of a part at rest in cells; slopes: three per member, NULL: none. Twelve times the volume of a patch is (a x b) . (c +
// d) + (a + b) . (c x d).
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
            lattice_cross_add(ab, x[0], x[1]);
            lattice_cross_add(cd, x[2], x[3]);
            for (int a = 0; a < 3; ++a) sum += ab[a] * e[a] + f[a] * cd[a];
            if (!slopes || at[0] == at[1]) continue; // an empty lane
            double to[4][3];
            for (int a = 0; a < 3; ++a) to[0][a] = to[1][a] = cd[a], to[2][a] = to[3][a] = ab[a];
            lattice_cross_add(to[0], x[1], e);
            lattice_cross_add(to[1], e, x[0]);
            lattice_cross_add(to[2], x[3], f);
            lattice_cross_add(to[3], f, x[2]);
            for (int k = 0; k < 4; ++k)
                for (int a = 0; a < 3; ++a) slopes[3 * (size_t)at[k] + a] += to[k][a] / 12;
        }
    return sum / 12;
}

typedef struct rate_rows {
    double*   sums; ///< LATTICE_FIELDS of each part
    uint32_t *mark, *seen;
} rate_rows;

static void place_at_rest(const lattice_maker* m, const sup_lattice_part* t, bool skin, const member_rows* r, uint32_t origin,
                          const uint32_t* of_slot)
{
    uint32_t from[3], at[3];
    sup_voxels_corner(m->v, origin, from);
    for (uint32_t i = t->member_begin; i < t->member_end; ++i) {
        double* x = r->rest + 3 * (size_t)i;
        x[0] = x[1] = x[2] = 0;
        for (uint32_t k = 0; k < LATTICE_NODE_SLOTS; ++k) {
            size_t row = LATTICE_NODE_SLOTS * (size_t)i + k;
            sup_voxels_corner(m->v, of_slot[r->slots[row]], at);
            for (int a = 0; a < 3; ++a) x[a] += (double)r->places[row] * ((double)at[a] - (double)from[a]);
        }
        if (!skin || !(m->nodes[r->nodes[i]].carried || m->nodes[r->nodes[i]].middle)) continue;
        lattice_node_at_rest(m, &m->nodes[r->nodes[i]], x);
        for (int a = 0; a < 3; ++a) x[a] -= from[a];
    }
}

// The field of a slot at rest.
static sup_vec3 rest_field(const sup_lattice_volume* v, uint32_t field, uint32_t slot)
{
    if (field == 0) return v3_scale(v->outward[slot], v->reach[slot]);
    return v->core ? v->core[slot] : v3(0, 0, 0);
}

// The parts whose smooth fields reach the members of part i, in the order they are found, and how they change its volume.
static uint32_t rates_of(const member_rows* r, const sup_lattice_part* part, uint32_t stamp, const sup_lattice_volume* v,
                         rate_rows* to)
{
    uint32_t found = 0;
    for (uint32_t k = part->member_begin; k < part->member_end; ++k)
        for (uint32_t c = 0; c < LATTICE_NODE_SLOTS; ++c) {
            size_t        row = LATTICE_NODE_SLOTS * (size_t)k + c;
            uint32_t      slot = r->slots[row];
            const double* g = r->slopes + 3 * (size_t)k;
            double        rate[LATTICE_FIELDS];
            for (uint32_t f = 0; f < LATTICE_FIELDS; ++f) {
                sup_vec3 u = rest_field(v, f, slot);
                rate[f] = (double)r->places[row] * (g[0] * (double)u.x + g[1] * (double)u.y + g[2] * (double)u.z);
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

// J[i][j] = growth rate of the volume of part i along the smooth field of part j, at rest.
static sup_result make_rates(lattice_maker* m, const member_rows* r, sup_lattice_part* parts, sup_arena* arena,
                             sup_lattice_volume* out, sup_error* error)
{
    uint32_t  n = m->desc->part_count, total = 0, *list = NULL, *begin = SUP_NEW(arena, uint32_t, (size_t)n + 1);
    float*    rates[LATTICE_FIELDS] = { NULL };
    rate_rows to = { SUP_NEW(m->scratch, double, LATTICE_FIELDS*(size_t)n), SUP_NEW(m->scratch, uint32_t, n),
                     SUP_NEW(m->scratch, uint32_t, n) };
    if (!begin || !to.sums || !to.mark || !to.seen) return sup_fail_memory(error, "volumes");
    for (uint32_t round = 0; round < 2; ++round) { // count, then fill
        total = 0;
        for (uint32_t i = 0; i < n; ++i) {
            uint32_t found = rates_of(r, &parts[i], round * n + i + 1, out, &to);
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

static sup_result list_parts(lattice_maker* m, part_lists* lists, uint32_t** cells, uint32_t** begin, bool flip,
                             sup_arena* arena, sup_error* error)
{
    const sup_voxels* v = m->v;
    uint32_t  parts = m->desc->part_count, count = m->node_count > v->particle_count ? m->node_count : v->particle_count;
    uint32_t* local = SUP_NEW(m->scratch, uint32_t, count);
    *begin = SUP_NEW(m->scratch, uint32_t, (size_t)parts + 2);
    *cells = SUP_NEW(m->scratch, uint32_t, v->cell_count);
    lists->parts = SUP_NEW(arena, sup_lattice_part, parts);
    if (!*begin || !*cells || !local || !lists->parts) return sup_fail_memory(error, "volumes");
    for (uint32_t c = 0; c < v->cell_count; ++c)
        if (m->desc->labels[c] != SUP_NONE) (*begin)[m->desc->labels[c] + 2]++;
    for (uint32_t i = 0; i <= parts; ++i) (*begin)[i + 1] += (*begin)[i];
    for (uint32_t c = 0; c < v->cell_count; ++c)
        if (m->desc->labels[c] != SUP_NONE) (*cells)[(*begin)[m->desc->labels[c] + 1]++] = c;
    for (uint32_t p = 0; p < count; ++p) local[p] = SUP_NONE;
    for (int round = 0; round < 2; ++round) {
        if (round == 1) {
            lists->nodes = SUP_NEW(arena, uint32_t, lists->member_count);
            lists->faces = SUP_NEW(arena, uint32_t, 4 * SUP_LANES * (size_t)lists->block_count);
            if (!lists->nodes || !lists->faces) return sup_fail_memory(error, "volumes");
            lists->member_count = lists->block_count = 0;
        }
        for (uint32_t i = 0; i < parts; ++i) {
            uint32_t first = (*begin)[i], size = (*begin)[i + 1] - first;
            if (m->surface.part_count) list_triangles(m, i, size, flip, local, lists);
            else list_part(m, i, *cells + first, size, local, lists);
        }
    }
    return SUP_OK;
}

// Volumes at rest and their slopes.
static void measure_at_rest(const lattice_maker* m, const part_lists* lists, const member_rows* r, const uint32_t* cells,
                            const uint32_t* begin, const uint32_t* of_slot, sup_lattice_volume* out)
{
    for (uint32_t i = 0; i < m->desc->part_count; ++i) {
        sup_lattice_part* t = &lists->parts[i];
        if (t->member_end == t->member_begin) continue;
        uint32_t origin = t->cells ? middle_of(m, cells + begin[i], t->cells) : m->nodes[lists->nodes[t->member_begin]].base;
        t->origin = m->desc->slots[origin];
        for (int skin = m->nodes != NULL; skin >= 0; --skin) {
            place_members(m, i, t, skin, r);
            place_at_rest(m, t, skin, r, origin, of_slot);
            t->rest = rest_volume(t, lists->faces, r->rest, NULL);
            if (m->surface.part_count || t->rest > HOLLOW * t->cells) break;
            out->cell_parts += (uint32_t)skin;
        }
        rest_volume(t, lists->faces, r->rest, r->slopes);
    }
}

// The largest length of each part's own field. Parts that enclose almost nothing have none, and are left alone.
static void find_most(const lattice_maker* m, const part_lists* lists, const member_rows* r, const uint32_t* of_slot,
                      const sup_lattice_volume* v)
{
    for (uint32_t i = 0; i < m->desc->part_count; ++i) {
        sup_lattice_part* t = &lists->parts[i];
        for (uint32_t k = 0; k < LATTICE_NODE_SLOTS && t->rest > HOLLOW * HOLLOW * t->cells; ++k)
            for (uint32_t j = t->member_begin; j < t->member_end; ++j) {
                size_t   row = LATTICE_NODE_SLOTS * (size_t)j + k;
                uint32_t slot = r->slots[row];
                float    share = r->places[row] > 0 ? own_share(m, i, of_slot[slot]) : 0.0f;
                for (uint32_t f = 0; f < LATTICE_FIELDS && share > 0; ++f)
                    t->most[f] = fmaxf(t->most[f], share * v3_length(rest_field(v, f, slot)));
            }
    }
}

// The part whose smooth field moves most of a part's skin: itself, except where its triangles lie in other parts' cells.
static sup_result find_carriers(const lattice_maker* m, sup_lattice_part* parts, const sup_lattice_volume* v, sup_error* error)
{
    double* sums = SUP_NEW(m->scratch, double, m->desc->part_count);
    if (!sums) return sup_fail_memory(error, "volumes");
    for (uint32_t i = 0; i < m->desc->part_count; ++i) {
        sup_lattice_part* t = &parts[i];
        memset(sums, 0, m->desc->part_count * sizeof *sums);
        for (uint32_t j = t->member_begin; j < t->member_end; ++j)
            for (uint32_t base = v->members[LATTICE_NODE_SLOTS * (size_t)j], s = v->share_begin[base];
                 s < v->share_begin[base + 1]; ++s)
                sums[v->share_parts[s]] += (double)v->shares[s];
        t->carrier = i;
        for (uint32_t k = 0; k < m->desc->part_count; ++k)
            if (sums[k] > sums[t->carrier]) t->carrier = k;
    }
    return SUP_OK;
}

// The points whose mean defines a center.
static const uint32_t* points_of(const lattice_maker* m, const sup_lattice_node* middle, uint32_t* count)
{
    const sup_volumes* v = &m->surface;
    uint32_t           at = middle->points[0] - v->point_count;
    bool               hole = at < v->hole_count;
    const uint32_t*    begin = hole ? v->hole_begin + at : v->border_begin + (at - v->hole_count);
    *count = begin[1] - begin[0];
    return (hole ? v->hole_points : v->border_points) + begin[0];
}

// The slots that points lie between, each listed once, with their weights in the mean. Leaves `sums` as it was: all 0.
static uint32_t slots_between(const lattice_maker* m, const uint32_t* points, uint32_t count, float* sums, uint32_t* slots,
                              float* shares)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < 8 * count; ++i) {
        const sup_lattice_node* n = &m->nodes[points[i / 8]];
        uint32_t                slot = m->desc->slots[m->v->particles[8 * (size_t)n->cell + (n->corner ^ i % 8)]];
        float                   share = 1.0f / (float)count;
        for (uint32_t a = 0; a < 3; ++a) share *= i >> a & 1 ? n->share[a] : 1 - n->share[a];
        if (share == 0) continue;
        if (sums[slot] == 0) slots[found++] = slot;
        sums[slot] += share;
    }
    for (uint32_t k = 0; k < found; ++k) shares[k] = sums[slots[k]], sums[slots[k]] = 0;
    return found;
}

static sup_result list_middles(const lattice_maker* m, const part_lists* lists, const uint32_t* of_slot, sup_arena* arena,
                               sup_lattice_volume* out, sup_error* error)
{
    uint32_t count = 0, room = 0, points;
    for (uint32_t i = 0; i < lists->member_count; ++i) {
        const sup_lattice_node* n = m->nodes ? &m->nodes[lists->nodes[i]] : NULL;
        if (!n || !n->middle) continue;
        points_of(m, n, &points);
        ++count, room += 8 * points;
    }
    sup_lattice_middle* middles = SUP_NEW(arena, sup_lattice_middle, count);
    uint32_t*           slots = SUP_NEW(arena, uint32_t, room);
    float*              places = SUP_NEW(arena, float, room);
    float*              fields = SUP_NEW(arena, float, room);
    float*              sums = SUP_NEW(m->scratch, float, m->desc->slot_count);
    if (!middles || !slots || !places || !fields || !sums) return sup_fail_memory(error, "volumes");
    for (uint32_t part = 0, at = 0; part < m->desc->part_count; ++part)
        for (uint32_t i = lists->parts[part].member_begin; i < lists->parts[part].member_end; ++i) {
            const sup_lattice_node* n = m->nodes ? &m->nodes[lists->nodes[i]] : NULL;
            if (!n || !n->middle) continue;
            const uint32_t* list = points_of(m, n, &points);
            uint32_t        end = at + slots_between(m, list, points, sums, slots + at, places + at);
            middles[out->middle_count++] = (sup_lattice_middle){ i, at, end };
            for (; at < end; ++at) fields[at] = places[at] * own_share(m, part, of_slot[slots[at]]);
        }
    out->middles = middles;
    out->middle_slots = slots;
    out->middle_places = places;
    out->middle_fields = fields;
    return SUP_OK;
}

enum { PIECE_MEMBERS = 512, PIECE_BLOCKS = 64 }; // multiples of a register; about 4 microseconds each

static uint32_t pieces_of(uint32_t begin, uint32_t end, uint32_t size) { return (end - begin + size - 1) / size; }

// Balances the work: otherwise one thread measures the torso while the other has long finished the fingers.
static sup_result cut_pieces(const sup_lattice_part* parts, uint32_t count, sup_arena* arena, sup_lattice_volume* out,
                             sup_error* error)
{
    for (uint32_t i = 0; i < count; ++i) {
        out->member_piece_count += pieces_of(parts[i].member_begin, parts[i].member_end, PIECE_MEMBERS);
        out->face_piece_count += pieces_of(parts[i].block_begin, parts[i].block_end, PIECE_BLOCKS);
    }
    sup_lattice_piece* members = SUP_NEW(arena, sup_lattice_piece, out->member_piece_count);
    sup_lattice_piece* faces = SUP_NEW(arena, sup_lattice_piece, out->face_piece_count);
    if (!members || !faces) return sup_fail_memory(error, "volumes");
    out->member_pieces = members;
    out->face_pieces = faces;
    for (uint32_t i = 0; i < count; ++i) {
        const sup_lattice_part* t = &parts[i];
        for (uint32_t k = t->member_begin; k < t->member_end; k += PIECE_MEMBERS)
            *members++ = (sup_lattice_piece){ i, k, t->member_end - k < PIECE_MEMBERS ? t->member_end : k + PIECE_MEMBERS };
        for (uint32_t k = t->block_begin; k < t->block_end; k += PIECE_BLOCKS)
            *faces++ = (sup_lattice_piece){ i, k, t->block_end - k < PIECE_BLOCKS ? t->block_end : k + PIECE_BLOCKS };
    }
    return SUP_OK;
}

sup_result lattice_make_parts(lattice_maker* m, sup_arena* arena, sup_lattice_volume* out, sup_error* error)
{
    part_lists lists = { 0 };
    uint32_t * cells, *begin;
    bool       flip = false;
    if (m->surface.part_count) { // which way do the triangles face?
        const sup_volumes* v = &m->surface;
        double             whole = 0, six[3][3];
        for (uint32_t i = 0; i < v->begin[v->part_count]; ++i) {
            for (int k = 0; k < 3; ++k) lattice_node_at_rest(m, &m->nodes[v->corners[3 * (size_t)i + (size_t)k]], six[k]);
            double cross[3] = { 0 };
            lattice_cross_add(cross, six[0], six[1]);
            for (int a = 0; a < 3; ++a) whole += cross[a] * six[2][a];
        }
        flip = whole < 0;
    }
    sup_result result = list_parts(m, &lists, &cells, &begin, flip, arena, error);
    if (result != SUP_OK) return result;
    uint32_t    rows = lists.member_count;
    uint32_t*   of_slot = SUP_NEW(m->scratch, uint32_t, m->desc->slot_count);
    member_rows r = { .nodes = lists.nodes,
                      .slots = SUP_NEW(arena, uint32_t, LATTICE_NODE_SLOTS * (size_t)rows),
                      .rides = SUP_NEW(arena, uint8_t, rows),
                      .carried = SUP_NEW(arena, float, rows),
                      .places = SUP_NEW(arena, float, LATTICE_NODE_SLOTS*(size_t)rows),
                      .fields = SUP_NEW(arena, float, LATTICE_NODE_SLOTS*(size_t)rows),
                      .rest = SUP_NEW(m->scratch, double, 3 * (size_t)rows),
                      .slopes = SUP_NEW(m->scratch, double, 3 * (size_t)rows) };
    if (!of_slot || !r.slots || !r.rides || !r.carried || !r.places || !r.fields || !r.rest || !r.slopes)
        return sup_fail_memory(error, "volumes");
    for (uint32_t p = 0; p < m->v->particle_count; ++p) of_slot[m->desc->slots[p]] = p;
    measure_at_rest(m, &lists, &r, cells, begin, of_slot, out);
    find_most(m, &lists, &r, of_slot, out);
    out->parts = lists.parts;
    out->faces = lists.faces;
    out->nodes = m->nodes;
    out->member_nodes = lists.nodes;
    out->rides = r.rides;
    out->carried = r.carried;
    out->members = r.slots;
    out->places = r.places;
    out->fields = r.fields;
    out->member_count = rows;
    out->exact = m->surface.part_count > 0;
    result = list_middles(m, &lists, of_slot, arena, out, error);
    if (result != SUP_OK) return result;
    result = cut_pieces(lists.parts, m->desc->part_count, arena, out, error);
    if (result != SUP_OK || m->desc->trial || !out->apart) return result;
    result = find_carriers(m, lists.parts, out, error);
    return result == SUP_OK ? make_rates(m, &r, lists.parts, arena, out, error) : result;
}
