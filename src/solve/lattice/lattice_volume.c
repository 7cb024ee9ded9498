// Preparing the volumes of a lattice: the outward field, where parts are cut, and how they blend into each other.
#include "solve/lattice/lattice_volume_internal.h"

#include "solve/skinning/diffusion.h"

#include <math.h>
#include <string.h>

#define SKIN_DEPTH 3.0     // cells over which flesh takes part in the growth: thinner limbs than twice that grow evenly
#define FIELD_HOLD 0.25f   // weight of the field's own direction, against a link's 1: smooth over two cells
#define NO_DIRECTION 1e-6f // length of a field: below it there is no direction, as on the medial axis
#define FAINT_SHARE 0.02f  // of a smooth field: less is invisible

// Breadth-first search from the particles whose `level` is 0, through links that `owner` allows (NULL: all).
static void spread(const lattice_maker* m, uint32_t* level, const uint32_t* owner, uint32_t tail)
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

int64_t lattice_stride(const sup_voxels* v, int axis)
{
    return axis == 0 ? 1 : axis == 1 ? (int64_t)v->size[0] : (int64_t)v->size[0] * v->size[1];
}

// The value of p's neighbor on one side of an axis; 0 outside.
static double value_beside(const sup_voxels* v, const float* values, uint32_t p, int64_t step)
{
    double   sum = 0;
    uint32_t count = 0;
    for (uint32_t k = v->link_begin[p]; k < v->link_begin[p + 1]; ++k) {
        uint32_t q = v->links[k];
        if ((int64_t)v->corners[q] - (int64_t)v->corners[p] != step) continue;
        sum += (double)values[q * (size_t)SUP_LANES];
        ++count;
    }
    return count ? sum / count : 0;
}

// (L + e) psi = e with psi = 0 outside the cells and e = 1 / SKIN_DEPTH^2: 1 deep inside, falling toward the skin. Its slope
// points outward everywhere and does not show the cells: a limb grows evenly from its middle. Smoothing removes the staircase
// of the border.
static sup_result find_outward(lattice_maker* m, sup_vec3* outward, float* reach, sup_error* error)
{
    const sup_voxels* v = m->v;
    uint32_t          count = v->particle_count;
    float*            screen = SUP_NEW(m->scratch, float, count);
    float*            inside = SUP_NEW(m->scratch, float, (size_t)count* SUP_LANES);
    float*            slope = SUP_NEW(m->scratch, float, (size_t)count* SUP_LANES);
    float*            work = SUP_NEW(m->scratch, float, sup_diffusion_work(count));
    float             deep = (float)(1 / (SKIN_DEPTH * SKIN_DEPTH));
    sup_diffusion     d = { .count = count, .link_begin = v->link_begin, .links = v->links, .screen = screen };
    if (!screen || !inside || !slope || !work) return sup_fail_memory(error, "volumes");
    for (uint32_t p = 0; p < count; ++p) {
        uint32_t links = v->link_begin[p + 1] - v->link_begin[p];
        screen[p] = deep + (links < 6 ? (float)(6 - links) : 0.0f);
        inside[p * (size_t)SUP_LANES] = deep / screen[p];
    }
    SUP_WIDE_PICK(sup_diffusion_solve)(&d, inside, work);
    for (uint32_t p = 0; p < count; ++p) {
        screen[p] = FIELD_HOLD;
        for (int a = 0; a < 3; ++a) {
            int64_t step = lattice_stride(v, a);
            double  fall = value_beside(v, inside, p, -step) - value_beside(v, inside, p, step);
            slope[p * (size_t)SUP_LANES + (size_t)a] = (float)(fall / 2 * SKIN_DEPTH);
        }
    }
    SUP_WIDE_PICK(sup_diffusion_solve)(&d, slope, work);
    for (uint32_t p = 0; p < count; ++p) {
        const float* at = slope + p * (size_t)SUP_LANES;
        uint32_t     slot = m->desc->slots[p];
        sup_vec3     u = v3(at[0], at[1], at[2]);
        float        length = v3_length(u);
        outward[slot] = length > NO_DIRECTION ? v3_scale(u, 1 / length) : v3(0, 0, 0);
        reach[slot] = length > NO_DIRECTION ? length : 0.0f;
        if (m->desc->loose) reach[slot] *= m->desc->loose[slot];
    }
    return SUP_OK;
}

static void find_owners(lattice_maker* m)
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

// A part's length is the longest path from a cut, or twice that if it lies between cuts to two or more neighbors.
static sup_result find_fades(lattice_maker* m, sup_error* error)
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

uint32_t lattice_parts_around(const lattice_maker* m, uint32_t p, uint32_t parts[8], float shares[8])
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
    float    shares[LATTICE_SHARES]; ///< descending; 0: none
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

// (L + H) phi = H (own share of its cells), H = 1 / ramp^2: the parts blend into each other over their ramps, summing to 1.
static sup_result smooth_shares(lattice_maker* m, share_list* lists, sup_error* error)
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
            for (uint32_t i = lattice_parts_around(m, p, parts, shares); i-- > 0;)
                if (parts[i] - first < SUP_LANES) w[(size_t)p * SUP_LANES + parts[i] - first] = shares[i];
        if (!sup_diffusion_solve_asking(&d, w, work, m->desc->progress, 0.8, "lattice")) {
            sup_arena_destroy(scratch);
            return sup_fail(error, SUP_ERROR_CANCELLED, "cancelled while measuring volumes");
        }
        for (uint32_t p = 0; p < count; ++p)
            for (uint32_t i = 0; i < SUP_LANES && first + i < m->desc->part_count; ++i)
                if (w[(size_t)p * SUP_LANES + i] > FAINT_SHARE) add_share(&lists[p], first + i, w[(size_t)p * SUP_LANES + i]);
    }
    for (uint32_t p = 0; p < count; ++p) { // the shares of the faint ones go to the others
        float sum = 0;
        for (int i = 0; i < LATTICE_SHARES; ++i) sum += lists[p].shares[i];
        for (int i = 0; i < LATTICE_SHARES && m->owner[p] != SUP_NONE && sum > 0; ++i) lists[p].shares[i] /= sum;
    }
    sup_arena_destroy(scratch);
    return SUP_OK;
}

static sup_result make_shares(lattice_maker* m, sup_arena* arena, sup_lattice_volume* out, sup_error* error)
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
            for (uint32_t i = lattice_parts_around(m, p, parts, shares); i-- > 0;) add_share(&lists[p], parts[i], 1);
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
    uint32_t  stride = sup_align(m->desc->slot_count, SUP_LANES);
    uint32_t* row_parts = SUP_NEW(arena, uint32_t, LATTICE_SHARES * (size_t)stride);
    float*    row_shares = SUP_NEW(arena, float, LATTICE_SHARES * (size_t)stride);
    if (!row_parts || !row_shares) return sup_fail_memory(error, "volumes");
    for (uint32_t s = 0; s < m->desc->slot_count; ++s)
        for (uint32_t i = begin[s]; i < begin[s + 1]; ++i) {
            row_parts[(i - begin[s]) * (size_t)stride + s] = parts[i];
            row_shares[(i - begin[s]) * (size_t)stride + s] = shares[i];
        }
    out->share_stride = stride;
    out->row_parts = row_parts;
    out->row_shares = row_shares;
    out->share_begin = begin;
    out->share_parts = parts;
    out->shares = shares;
    return SUP_OK;
}

static sup_result make(lattice_maker* m, sup_arena* arena, sup_lattice_volume* out, sup_error* error)
{
    uint32_t  count = m->v->particle_count, slots = m->desc->slot_count;
    sup_vec3* outward = SUP_NEW(arena, sup_vec3, slots);
    float *   reach = SUP_NEW(arena, float, slots), *fade = SUP_NEW(arena, float, slots);
    uint32_t* owners = SUP_NEW(arena, uint32_t, slots);
    m->queue = SUP_NEW(m->scratch, uint32_t, count);
    m->owner = SUP_NEW(m->scratch, uint32_t, count);
    m->way = SUP_NEW(m->scratch, uint32_t, count);
    m->cut = SUP_NEW(m->scratch, uint8_t, count);
    m->fade = SUP_NEW(m->scratch, float, count);
    m->ramp = SUP_NEW(m->scratch, float, m->desc->part_count);
    if (!outward || !reach || !fade || !owners || !m->queue || !m->owner || !m->way || !m->cut || !m->fade || !m->ramp)
        return sup_fail_memory(error, "volumes");
    find_owners(m);
    sup_result result = find_fades(m, error);
    if (result == SUP_OK) result = find_outward(m, outward, reach, error);
    if (result != SUP_OK) return result;
    for (uint32_t s = 0; s < slots; ++s) owners[s] = SUP_NONE;
    for (uint32_t p = 0; p < count; ++p) {
        uint32_t slot = m->desc->slots[p];
        owners[slot] = m->owner[p];
        fade[slot] = m->fade[p];
    }
    out->outward = outward;
    out->reach = reach;
    out->core = m->desc->core;
    if (m->desc->core && m->desc->loose) {
        sup_vec3* core = sup_arena_copy(arena, m->desc->core, slots, sizeof *core);
        if (!core) return sup_fail_memory(error, "volumes");
        for (uint32_t s = 0; s < slots; ++s) core[s] = v3_scale(core[s], m->desc->loose[s]);
        out->core = core;
    }
    out->owners = owners;
    out->fade = fade;
    if (!m->desc->trial) result = make_shares(m, arena, out, error);
    m->nodes = m->desc->nodes;
    m->node_count = m->v->particle_count;
    if (result == SUP_OK && m->nodes && m->desc->triangle_count && !m->desc->trial)
        result = lattice_make_surface(m, arena, error);
    return result == SUP_OK ? lattice_make_parts(m, arena, out, error) : result;
}

sup_result sup_lattice_volume_create(const sup_lattice_volume_desc* desc, sup_arena* arena, sup_lattice_volume* out,
                                     sup_error* error)
{
    lattice_maker m = { .desc = desc, .v = desc->voxels, .scratch = sup_arena_beside(arena) };
    if (!m.scratch) return sup_fail_memory(error, "volumes");
    *out = (sup_lattice_volume){
        .h = desc->voxels->h, .part_count = desc->part_count, .slot_count = desc->slot_count, .apart = desc->fade > 0
    };
    sup_result result = make(&m, arena, out, error);
    sup_arena_destroy(m.scratch);
    return result;
}
