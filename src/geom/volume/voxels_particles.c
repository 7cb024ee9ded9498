// From cells to particles: which neighbors are joined, which cells around a corner share a particle, and their numbers.
#include "base/internal.h"
#include "geom/volume/voxels_internal.h"

enum { FACE_UNKNOWN, FACE_WAITING, FACE_INSIDE, FACE_OUTSIDE };

// ---------------------------------------------------------------------------------------------- joined faces

// A face that no triangle touches lies inside or outside as a whole. Beside a cell without triangles, that cell decides;
// between two surface cells it is like the untouched faces it shares an edge with, because no triangle touches that edge. For a
// pocket that meets no other cell the winding number decides.
typedef struct pocket {
    voxel_maker* m;
    uint8_t*     faces; ///< 3 per cell: upper x, y, z
    uint32_t*    stack;
    uint32_t     height;
    int          found;
} pocket;

static void visit(pocket* w, uint32_t at, int axis)
{
    const voxel_maker* m = w->m;
    uint8_t            low = m->state[at], high = m->state[at + m->step[axis]];
    if (low & VOXEL_TOUCHED << axis) return;
    uint8_t seen = (low & SUP_VOXEL_SURFACE ? 0 : low) | (high & SUP_VOXEL_SURFACE ? 0 : high);
    if (seen & (SUP_VOXEL_INSIDE | VOXEL_OUTSIDE)) {
        if (w->found == FACE_UNKNOWN) w->found = seen & SUP_VOXEL_INSIDE ? FACE_INSIDE : FACE_OUTSIDE;
        return;
    }
    uint32_t face = 3 * m->out->at[at] + (uint32_t)axis;
    if (w->faces[face] != FACE_UNKNOWN) return;
    w->faces[face] = FACE_WAITING;
    w->stack[w->height++] = face;
}

// Spreads from one face; afterwards the stack holds the faces of the pocket.
static void explore(pocket* w, uint32_t at, int axis)
{
    const voxel_maker* m = w->m;
    w->height = 0;
    w->found = FACE_UNKNOWN;
    visit(w, at, axis);
    for (uint32_t i = 0; i < w->height; ++i) {
        uint32_t c = m->out->cells[w->stack[i] / 3];
        int      a = (int)(w->stack[i] % 3);
        for (int b = 0; b < 3; ++b) {
            if (b == a) continue;
            // Around the edge on the upper b side, then on the lower one.
            visit(w, c, b);
            visit(w, c + m->step[a], b);
            visit(w, c + m->step[b], a);
            visit(w, c - m->step[b], b);
            visit(w, c + m->step[a] - m->step[b], b);
            visit(w, c - m->step[b], a);
        }
    }
}

static sup_result settle(pocket* w, uint32_t at, int axis, sup_error* error)
{
    explore(w, at, axis);
    if (w->found == FACE_UNKNOWN) {
        sup_result result = voxel_need_winding(w->m, error);
        if (result != SUP_OK) return result;
        double place[3] = { 0.5, 0.5, 0.5 };
        place[axis] = 1;
        w->found = voxel_inside(w->m, at, place[0], place[1], place[2]) ? FACE_INSIDE : FACE_OUTSIDE;
    }
    for (uint32_t i = 0; i < w->height; ++i) w->faces[w->stack[i]] = (uint8_t)w->found;
    return SUP_OK;
}

sup_result voxel_join(voxel_maker* m, sup_error* error)
{
    const sup_voxels* v = m->out;
    pocket            w = { .m = m,
                            .faces = SUP_NEW(m->scratch, uint8_t, 3 * (size_t)v->cell_count),
                            .stack = SUP_NEW(m->scratch, uint32_t, 3 * (size_t)v->cell_count) };
    if (!w.faces || !w.stack) return sup_fail_memory(error, "cells");
    for (uint32_t c = 0; c < v->cell_count; ++c)
        for (int a = 0; a < 3; ++a) {
            uint32_t at = v->cells[c], next = at + m->step[a];
            if (v->at[next] == SUP_NONE) continue;
            bool joined = m->state[at] & VOXEL_TOUCHED << a || !(m->state[at] & m->state[next] & SUP_VOXEL_SURFACE);
            if (!joined) {
                if (w.faces[3 * c + (uint32_t)a] == FACE_UNKNOWN) {
                    sup_result result = settle(&w, at, a, error);
                    if (result != SUP_OK) return result;
                }
                joined = w.faces[3 * c + (uint32_t)a] == FACE_INSIDE;
            }
            if (joined) m->flags[c] |= (uint8_t)(SUP_VOXEL_JOINED_X << a);
        }
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- particles

// Particles in the order found, before they are numbered.
typedef struct crowd {
    uint32_t  count;
    uint32_t* corners;
    uint8_t*  octants;
    uint32_t* of_cells; ///< eight per cell
} crowd;

static uint32_t octant_cell(const sup_voxels* v, uint32_t corner, uint32_t o)
{
    uint32_t back = (o & 1 ? 0 : 1) + (o & 2 ? 0 : v->size[0]) + (o & 4 ? 0 : v->size[0] * v->size[1]);
    return v->at[corner - back];
}

// The cells around the corner that are connected to `seed` there.
static uint8_t gather_class(const uint8_t joined[8], uint8_t seed)
{
    uint8_t all = seed, before;
    do {
        before = all;
        for (int o = 0; o < 8; ++o)
            if (all >> o & 1) all |= joined[o];
    } while (all != before);
    return all;
}

static void split_corner(const sup_voxels* v, uint32_t corner, crowd* out)
{
    uint32_t cells[8];
    uint8_t  occupied = 0, joined[8] = { 0 };
    for (uint32_t o = 0; o < 8; ++o) {
        cells[o] = octant_cell(v, corner, o);
        if (cells[o] != SUP_NONE) occupied |= (uint8_t)(1u << o);
    }
    for (uint32_t o = 0; o < 8 && occupied; ++o)
        for (uint32_t a = 0; a < 3; ++a) {
            uint32_t next = o | 1u << a;
            if (next == o || cells[o] == SUP_NONE || !(v->flags[cells[o]] & SUP_VOXEL_JOINED_X << a)) continue;
            joined[o] |= (uint8_t)(1u << next);
            joined[next] |= (uint8_t)(1u << o);
        }
    while (occupied) {
        uint8_t seed = (uint8_t)(occupied & -occupied), all = gather_class(joined, seed);
        if (out->corners) {
            out->corners[out->count] = corner;
            out->octants[out->count] = all;
            for (uint32_t o = 0; o < 8; ++o)
                if (all >> o & 1) out->of_cells[8 * (size_t)cells[o] + (7 ^ o)] = out->count;
        }
        ++out->count;
        occupied &= (uint8_t)~all;
    }
}

static void split_corners(const voxel_maker* m, crowd* out)
{
    const uint32_t* size = m->out->size;
    out->count = 0;
    for (uint32_t z = 1; z < size[2]; ++z)
        for (uint32_t y = 1; y < size[1]; ++y)
            for (uint32_t x = 1; x < size[0]; ++x) split_corner(m->out, x + m->step[1] * y + m->step[2] * z, out);
}

// The particles next to p on one side of an axis; up to four, each once.
static uint32_t next_along(const sup_voxels* v, const crowd* c, uint32_t p, uint32_t axis, bool up, uint32_t out[4])
{
    uint32_t count = 0;
    for (uint32_t o = 0; o < 8; ++o) {
        if (!(c->octants[p] >> o & 1) || (o >> axis & 1) != up) continue;
        uint32_t q = c->of_cells[8 * (size_t)octant_cell(v, c->corners[p], o) + ((7 ^ o) ^ 1u << axis)];
        bool     known = false;
        for (uint32_t i = 0; i < count; ++i) known |= out[i] == q;
        if (!known) out[count++] = q;
    }
    return count;
}

// Components of particles, numbered by their first; also counts them.
static uint32_t* find_components(const sup_voxels* v, const crowd* c, uint32_t* count, sup_arena* scratch)
{
    uint32_t* component = SUP_NEW(scratch, uint32_t, c->count);
    uint32_t* stack = SUP_NEW(scratch, uint32_t, c->count);
    if (!component || !stack) return NULL;
    for (uint32_t p = 0; p < c->count; ++p) component[p] = SUP_NONE;
    *count = 0;
    for (uint32_t start = 0; start < c->count; ++start) {
        if (component[start] != SUP_NONE) continue;
        uint32_t height = 0;
        component[start] = *count;
        stack[height++] = start;
        while (height) {
            uint32_t p = stack[--height];
            for (uint32_t side = 0; side < 6; ++side) {
                uint32_t near[4], n = next_along(v, c, p, side / 2, side & 1, near);
                for (uint32_t i = 0; i < n; ++i) {
                    if (component[near[i]] != SUP_NONE) continue;
                    component[near[i]] = *count;
                    stack[height++] = near[i];
                }
            }
        }
        ++*count;
    }
    return component;
}

// Component by component, in each by z, y, x, every run along x without a gap. Returns the number of each particle found.
static uint32_t* number_runs(const sup_voxels* v, const crowd* c, const uint32_t* component, uint32_t components,
                             sup_arena* scratch)
{
    uint32_t* number = SUP_NEW(scratch, uint32_t, c->count);
    uint32_t* begin = SUP_NEW(scratch, uint32_t, (size_t)components + 1);
    uint32_t* order = SUP_NEW(scratch, uint32_t, c->count);
    if (!number || !begin || !order) return NULL;
    for (uint32_t p = 0; p < c->count; ++p) begin[component[p] + 1]++;
    for (uint32_t i = 0; i < components; ++i) begin[i + 1] += begin[i];
    for (uint32_t p = 0; p < c->count; ++p) order[begin[component[p]]++] = p;
    for (uint32_t p = 0; p < c->count; ++p) number[p] = SUP_NONE;
    uint32_t given = 0;
    for (uint32_t i = 0; i < c->count; ++i) {
        uint32_t p = order[i];
        while (number[p] == SUP_NONE) {
            uint32_t near[4], n = next_along(v, c, p, 0, true, near);
            number[p] = given++;
            for (uint32_t k = 0; k < n; ++k)
                if (number[near[k]] == SUP_NONE) {
                    p = near[k];
                    break;
                }
        }
    }
    return number;
}

static sup_result write_links(const crowd* c, const uint32_t* number, sup_voxels* v, sup_arena* arena, sup_error* error)
{
    uint32_t* begin = SUP_NEW(arena, uint32_t, (size_t)c->count + 1);
    uint32_t  near[4];
    if (!begin) return sup_fail_memory(error, "particles");
    for (uint32_t p = 0; p < c->count; ++p)
        for (uint32_t side = 0; side < 6; ++side) begin[number[p] + 1] += next_along(v, c, p, side / 2, side & 1, near);
    for (uint32_t p = 0; p < c->count; ++p) begin[p + 1] += begin[p];
    uint32_t* links = SUP_NEW(arena, uint32_t, begin[c->count]);
    if (!links) return sup_fail_memory(error, "particles");
    static const uint8_t sides[6] = { 4, 2, 0, 1, 3, 5 }; // below, before, left, right, behind, above: rising numbers
    for (uint32_t p = 0; p < c->count; ++p) {
        uint32_t at = begin[number[p]];
        for (uint32_t i = 0; i < 6; ++i) {
            uint32_t n = next_along(v, c, p, sides[i] / 2, sides[i] & 1, near);
            for (uint32_t k = 0; k < n; ++k) links[at++] = number[near[k]];
        }
    }
    v->link_begin = begin;
    v->links = links;
    return SUP_OK;
}

sup_result voxel_particles(voxel_maker* m, sup_arena* arena, sup_error* error)
{
    sup_voxels* v = m->out;
    crowd       found = { 0 };
    split_corners(m, &found);
    found.corners = SUP_NEW(m->scratch, uint32_t, found.count);
    found.octants = SUP_NEW(m->scratch, uint8_t, found.count);
    found.of_cells = SUP_NEW(m->scratch, uint32_t, 8 * (size_t)v->cell_count);
    if (!found.corners || !found.octants || !found.of_cells) return sup_fail_memory(error, "particles");
    split_corners(m, &found);

    uint32_t* component = find_components(v, &found, &v->component_count, m->scratch);
    uint32_t* number = component ? number_runs(v, &found, component, v->component_count, m->scratch) : NULL;
    uint32_t* corners = SUP_NEW(arena, uint32_t, found.count);
    uint8_t*  octants = SUP_NEW(arena, uint8_t, found.count);
    uint32_t* components = SUP_NEW(arena, uint32_t, found.count);
    uint32_t* particles = SUP_NEW(arena, uint32_t, 8 * (size_t)v->cell_count);
    if (!number || !corners || !octants || !components || !particles) return sup_fail_memory(error, "particles");
    for (uint32_t p = 0; p < found.count; ++p) {
        corners[number[p]] = found.corners[p];
        octants[number[p]] = found.octants[p];
        components[number[p]] = component[p];
    }
    for (size_t i = 0; i < 8 * (size_t)v->cell_count; ++i) particles[i] = number[found.of_cells[i]];
    v->particle_count = found.count;
    v->corners = corners;
    v->octants = octants;
    v->components = components;
    v->particles = particles;
    return write_links(&found, number, v, arena, error);
}
