// Places on the skin that a pose brings together, found with a grid over the posed places.
#include "solve/lattice/lattice_gaps_internal.h"

#include "base/internal.h"
#include "base/scratch_layout.h"
#include "math/vec.h"

#include <math.h>
#include <string.h>

// All in cells.
#define ONE_SHEET 2.5f    // places nearer than this at rest are on one sheet of skin, or are listed as apart
#define NEIGHBORS 1.2f    // at rest: skin cannot fold between two places that are nearer
#define REACH 2.0f        // anything farther away than this is ignored
#define SPACING 1.2f      // of the places, with stretch: skin that is nearer than this may already touch between them
#define FREE 2.0f         // more clearance than this makes no difference
#define CLEAR 0.5f        // clearance that is subtracted: around contacts, two particles stay where the pose has them
#define ENOUGH 0.5f       // clearance for a correction: no more than this is needed
#define SLOPE 0.15f       // per link, so that what moves is not torn off what cannot
#define HALF 0.45f        // of the gap: both sides may use as much
#define CLOSES 0.8f       // of the distance at rest: what the pose leaves farther apart does not face each other
#define CLOSED 0.5f       // and what it brings nearer than this faces fully
#define THROUGH -0.5f     // cosine against both outward directions at rest: beyond it the flesh of one limb lies between them
#define ALIKE 0.7f        // cosine between outward directions in the pose: what a twist brings together faces the same way,
#define ACROSS 0.2f       // and skin that meets skin faces the other way or sideways; in between, partly
#define PURE 0.98f        // twist, of twist and bend: from here on only the twist brings skin together
#define MIXED 0.8f        // and up to here the bend may
#define NO_ROOM 1e-3f     // less counts as none: what the pose brings into contact stays there, bit for bit
enum { APART_LINKS = 6 }; // two places of one sheet within ONE_SHEET are at most this many links apart: 2.5 sqrt(3) and a bend
enum { GRAIN = 256, SPLIT = 8, CLOSING_MOST = 96 }; // a place with more neighbors than CLOSING_MOST has no clearance anyway

// ---------------------------------------------------------------------------------------------- create

// Marks everything within APART_LINKS links of a particle.
static void walk(const gap_maker* m, uint32_t from, uint32_t stamp)
{
    const sup_voxels* v = m->v;
    uint32_t          head = 0, tail = 0;
    m->seen[from] = stamp;
    m->queue[tail++] = from;
    for (uint32_t level = 0, end = 1; level < APART_LINKS && head < tail; ++level, end = tail)
        for (; head < end; ++head)
            for (uint32_t k = v->link_begin[m->queue[head]]; k < v->link_begin[m->queue[head] + 1]; ++k)
                if (m->seen[v->links[k]] != stamp) m->seen[v->links[k]] = stamp, m->queue[tail++] = v->links[k];
}

typedef struct gap_grid {
    double    origin[3], side;
    uint32_t  size[3];
    uint32_t* begin; ///< of each cell
    uint32_t* order; ///< places by cell
    uint32_t* cells; ///< of each place
} gap_grid;

static size_t grid_cells(uint32_t count) { return (size_t)SPLIT * count + 1; }

static uint32_t grid_axis(const gap_grid* g, const sup_vec3* at, int a)
{
    double x = ((double)(&at->x)[a] - g->origin[a]) / g->side, most = g->size[a] - 1.0;
    return (uint32_t)(x > 0 ? x < most ? x : most : 0);
}

static uint32_t grid_cell(const gap_grid* g, const sup_vec3* at)
{
    return grid_axis(g, at, 0) + g->size[0] * (grid_axis(g, at, 1) + g->size[1] * grid_axis(g, at, 2));
}

// Shortest side of a grid cell, relative to the extent of all places: a thousand cells along each axis still fit in 32 bits,
// whatever `side` is. Sides grow by SIDE_STEP until there are few enough cells.
static const double SIDE_LEAST = 1e-3, SIDE_STEP = 1.25;

// Cells of `side`, or larger if there would be more than grid_cells(count). False: some place is not finite.
static bool grid_sort(gap_grid* g, const sup_vec3* places, uint32_t count, double side)
{
    double low[3], high[3], most = 0;
    for (int a = 0; a < 3; ++a) {
        float least = INFINITY, greatest = -INFINITY, sum = 0;
        for (uint32_t i = 0; i < count; ++i) {
            float x = (&places[i].x)[a];
            least = x < least ? x : least, greatest = x > greatest ? x : greatest;
            sum += x * 0;
        }
        low[a] = (double)least, high[a] = (double)greatest;
        if (count == 0 || !isfinite(sum) || !isfinite(high[a] - low[a])) return false;
        most = fmax(most, high[a] - low[a]);
    }
    for (g->side = fmax(side, most * SIDE_LEAST);; g->side *= SIDE_STEP) {
        double cells = 1;
        for (int a = 0; a < 3; ++a) {
            g->origin[a] = low[a];
            g->size[a] = (uint32_t)((high[a] - low[a]) / g->side) + 1;
            cells *= g->size[a];
        }
        if (cells < (double)grid_cells(count)) break;
    }
    uint32_t cells = g->size[0] * g->size[1] * g->size[2];
    memset(g->begin, 0, ((size_t)cells + 1) * sizeof *g->begin);
    for (uint32_t i = 0; i < count; ++i) g->begin[(g->cells[i] = grid_cell(g, &places[i])) + 1]++;
    for (uint32_t c = 0; c < cells; ++c) g->begin[c + 1] += g->begin[c];
    for (uint32_t i = count; i-- > 0;) g->order[--g->begin[g->cells[i] + 1]] = i;
    // Each begin has advanced to the start of the next cell: shift them back by one.
    memmove(g->begin, g->begin + 1, (size_t)cells * sizeof *g->begin);
    g->begin[cells] = count;
    return true;
}

typedef struct cell_box {
    uint32_t low[3], high[3];
} cell_box;

static cell_box box_around(const gap_grid* g, const sup_vec3* at)
{
    cell_box b;
    for (int a = 0; a < 3; ++a) {
        uint32_t c = grid_axis(g, at, a);
        b.low[a] = c ? c - 1 : 0;
        b.high[a] = c + 1 < g->size[a] ? c + 1 : c;
    }
    return b;
}

// The row of cells along x at y and z: its range in g->order.
static inline void grid_row(const gap_grid* g, const cell_box* b, uint32_t y, uint32_t z, uint32_t* begin, uint32_t* end)
{
    size_t row = (size_t)g->size[0] * (y + (size_t)g->size[1] * z);
    *begin = g->begin[row + b->low[0]];
    *end = g->begin[row + b->high[0] + 1];
}

// Places near at rest that no equally short path through the flesh connects: other fingers, the other thigh, the other lip.
static uint32_t find_apart(const gap_maker* m, const sup_lattice_gaps* gaps, const gap_grid* g, uint32_t i, uint32_t* out)
{
    uint32_t count = 0;
    float    most = ONE_SHEET * ONE_SHEET * gaps->h * gaps->h;
    cell_box b = box_around(g, &gaps->rest[i]);
    walk(m, m->particles[i], i + 1);
    for (uint32_t z = b.low[2]; z <= b.high[2]; ++z)
        for (uint32_t y = b.low[1]; y <= b.high[1]; ++y) {
            uint32_t begin, end;
            grid_row(g, &b, y, z, &begin, &end);
            for (uint32_t k = begin; k < end; ++k) {
                uint32_t q = g->order[k];
                if (m->seen[m->particles[q]] == i + 1 || v3_length2(v3_sub(gaps->rest[i], gaps->rest[q])) > most) continue;
                if (out) out[count] = q;
                ++count;
            }
        }
    return count;
}

static sup_result list_apart(gap_maker* m, sup_arena* arena, sup_lattice_gaps* out, sup_error* error)
{
    gap_grid  g = { .begin = SUP_NEW(m->scratch, uint32_t, grid_cells(out->count) + 1),
                    .order = SUP_NEW(m->scratch, uint32_t, out->count),
                    .cells = SUP_NEW(m->scratch, uint32_t, out->count) };
    uint32_t* begin = SUP_NEW(arena, uint32_t, (size_t)out->count + 1);
    if (!g.begin || !g.order || !g.cells || !begin) return sup_fail_memory(error, "the gaps of a lattice");
    out->apart_begin = begin;
    if (!grid_sort(&g, out->rest, out->count, (double)(ONE_SHEET * out->h))) return SUP_OK;
    for (uint32_t i = 0; i < out->count; ++i) begin[i + 1] = begin[i] + find_apart(m, out, &g, i, NULL);
    uint32_t* apart = SUP_NEW(arena, uint32_t, begin[out->count]);
    if (!apart) return sup_fail_memory(error, "the gaps of a lattice");
    memset(m->seen, 0, m->v->particle_count * sizeof *m->seen);
    for (uint32_t i = 0; i < out->count && begin[out->count]; ++i)
        if (begin[i + 1] > begin[i]) find_apart(m, out, &g, i, apart + begin[i]);
    out->apart = apart;
    return SUP_OK;
}

static sup_result list_near(gap_maker* m, sup_arena* arena, sup_lattice_gaps* out, sup_error* error)
{
    const sup_voxels* v = m->v;
    uint32_t*         begin = SUP_NEW(arena, uint32_t, (size_t)out->slot_count + 1);
    uint32_t*         near = SUP_NEW(arena, uint32_t, v->link_begin[v->particle_count]);
    uint32_t*         of_slot = SUP_NEW(m->scratch, uint32_t, out->slot_count);
    if (!begin || !near || !of_slot) return sup_fail_memory(error, "the gaps of a lattice");
    for (uint32_t s = 0; s < out->slot_count; ++s) of_slot[s] = SUP_NONE;
    for (uint32_t p = 0; p < v->particle_count; ++p) of_slot[m->desc->slots[p]] = p;
    for (uint32_t s = 0; s < out->slot_count; ++s) {
        uint32_t p = of_slot[s];
        begin[s + 1] = begin[s];
        for (uint32_t k = p == SUP_NONE ? 0 : v->link_begin[p]; p != SUP_NONE && k < v->link_begin[p + 1]; ++k)
            near[begin[s + 1]++] = m->desc->slots[v->links[k]];
    }
    out->near_begin = begin;
    out->near = near;
    return SUP_OK;
}

sup_result sup_lattice_gaps_create(const sup_lattice_gaps_desc* desc, sup_arena* arena, sup_lattice_gaps* out, sup_error* error)
{
    uint32_t  count = desc->voxels->particle_count;
    gap_maker m = { .desc = desc, .v = desc->voxels, .scratch = sup_arena_beside(arena) };
    *out = (sup_lattice_gaps){ .h = (float)desc->voxels->h, .slot_count = desc->slot_count };
    if (!m.scratch) return sup_fail_memory(error, "the gaps of a lattice");
    m.seen = SUP_NEW(m.scratch, uint32_t, count);
    m.queue = SUP_NEW(m.scratch, uint32_t, count);
    sup_result r = m.seen && m.queue ? SUP_OK : sup_fail_memory(error, "the gaps of a lattice");
    if (r == SUP_OK) r = lattice_list_places(&m, arena, out, error);
    if (r == SUP_OK) r = list_apart(&m, arena, out, error);
    if (r == SUP_OK) r = list_near(&m, arena, out, error);
    sup_arena_destroy(m.scratch);
    return r;
}

// ---------------------------------------------------------------------------------------------- find

typedef struct gap_job {
    const sup_lattice_gaps*      gaps;
    const sup_lattice_gaps_call* call;
    gap_grid                     grid;
    sup_vec3*                    places;                     ///< posed
    sup_vec3*                    ways;                       ///< outward directions there, where something is twisted
    float *                      sorted[3], *sorted_rest[3]; ///< by cell of the grid
    float*                       clearances;                 ///< per place, in cells; FREE: nothing is near
} gap_job;

static gap_job lay_out(const sup_lattice_gaps* gaps, const sup_lattice_gaps_call* call, void* scratch, size_t* size)
{
    size_t     n = gaps->count;
    sup_layout l = { .base = scratch };
    gap_job    j = { .gaps = gaps, .call = call, .places = sup_layout_add(&l, n, sizeof(sup_vec3)) };
    for (int a = 0; a < 3; ++a) {
        j.sorted[a] = sup_layout_add(&l, n + SUP_LANES, sizeof(float));
        j.sorted_rest[a] = sup_layout_add(&l, n + SUP_LANES, sizeof(float));
    }
    j.ways = sup_layout_add(&l, n, sizeof(sup_vec3));
    j.clearances = sup_layout_add(&l, n, sizeof(float));
    j.grid.order = sup_layout_add(&l, n, sizeof(uint32_t));
    j.grid.cells = sup_layout_add(&l, n, sizeof(uint32_t));
    j.grid.begin = sup_layout_add(&l, (size_t)grid_cells(gaps->count) + 1, sizeof(uint32_t));
    *size = l.used;
    return j;
}

size_t sup_lattice_gaps_scratch(const sup_lattice_gaps* gaps)
{
    size_t size;
    lay_out(gaps, NULL, NULL, &size);
    return size;
}

static void place_task(void* data, uint32_t begin, uint32_t end)
{
    const gap_job* j = data;
    for (uint32_t i = begin; i < end; ++i) {
        const uint32_t* c = j->gaps->corners + LATTICE_GAP_CORNERS * (size_t)i;
        const float*    w = j->gaps->shares + LATTICE_GAP_CORNERS * (size_t)i;
        sup_vec3        at = v3_scale(j->call->points[c[0]], w[0]);
        for (int k = 1; k < LATTICE_GAP_CORNERS; ++k) at = v3_mad(at, w[k], j->call->points[c[k]]);
        uint32_t point = j->gaps->points[i];
        if (j->call->skin && point != SUP_NONE) { // the file's own skin, displaced like the corners
            at = v3_add(at, j->call->skin[point]);
            for (int k = 0; k < LATTICE_GAP_CORNERS; ++k) at = v3_mad(at, -w[k], j->call->plain[c[k]]);
        }
        j->places[i] = at;
        if (!j->call->matrices) continue;
        const sup_mat3* m = &j->call->matrices[j->gaps->slots[i]];
        sup_vec3        u = j->gaps->outward[i];
        j->ways[i] = v3_normalize(v3(m->m[0][0] * u.x + m->m[0][1] * u.y + m->m[0][2] * u.z,
                                     m->m[1][0] * u.x + m->m[1][1] * u.y + m->m[1][2] * u.z,
                                     m->m[2][0] * u.x + m->m[2][1] * u.y + m->m[2][2] * u.z),
                                  v3(0, 0, 0));
    }
}

// The clearance that two places leave each other, in cells, from their squared distance in cells. It grows without bound toward
// REACH, and where the pose does not bring them together.
static float clearance_between(float posed2, float faces)
{
    float spacing = faces * SPACING, gap2 = posed2 - spacing * spacing, far = 1 - posed2 / (REACH * REACH);
    if (!(faces * far > 0)) return FREE;
    return gap2 > 0 ? HALF * sqrtf(gap2) / (faces * far) : 0.0f;
}

// How much two places that a pose brings together face each other.
static float facing(const gap_job* j, uint32_t i, uint32_t q, float posed2, float rest2)
{
    const sup_lattice_gaps* g = j->gaps;
    sup_vec3                way = v3_sub(g->rest[q], g->rest[i]);
    float                   length = sqrtf(rest2) * g->h;
    if (v3_dot(way, g->outward[i]) < THROUGH * length && v3_dot(way, g->outward[q]) > -THROUGH * length) return 0;
    float faces = 1 - sup_smoothstep(CLOSED, CLOSES, sqrtf(posed2 / rest2));
    if (!j->call->matrices || faces == 0) return faces;
    float twist = fminf(j->call->twisted[g->slots[i]], j->call->twisted[g->slots[q]]);
    return faces * (1 - sup_smoothstep(MIXED, PURE, twist) * sup_smoothstep(ACROSS, ALIKE, v3_dot(j->ways[i], j->ways[q])));
}

// The grid rows around place k of the sorted places: the same for all in its cell.
static void find_rows(const gap_job* j, uint32_t k, sup_lattice_gaps_rows* rows)
{
    const gap_grid* g = &j->grid;
    cell_box        b = box_around(g, &j->places[g->order[k]]);
    rows->count = 0;
    for (uint32_t z = b.low[2]; z <= b.high[2]; ++z)
        for (uint32_t y = b.low[1]; y <= b.high[1]; ++y) {
            uint32_t begin, end;
            grid_row(g, &b, y, z, &begin, &end);
            if (begin == end) continue;
            rows->begin[rows->count] = begin;
            rows->end[rows->count++] = end;
        }
}

static float find_clearance(const gap_job* j, sup_lattice_gaps_rows* rows, uint32_t k)
{
    const sup_lattice_gaps* gaps = j->gaps;
    uint32_t                closing[CLOSING_MOST], i = j->grid.order[k];
    float                   clearance = FREE, unit = 1 / (gaps->h * gaps->h);
    for (int a = 0; a < 3; ++a) rows->at[a] = (&j->places[i].x)[a], rows->from[a] = (&gaps->rest[i].x)[a];
    uint32_t count = SUP_WIDE_PICK(sup_lattice_gaps_closing)(rows, closing, CLOSING_MOST);
    for (uint32_t c = 0; c < count; ++c) {
        uint32_t q = j->grid.order[closing[c]];
        float    posed2 = unit * v3_length2(v3_sub(j->places[q], j->places[i]));
        float    rest2 = unit * v3_length2(v3_sub(gaps->rest[q], gaps->rest[i]));
        float    between = clearance_between(posed2, facing(j, i, q, posed2, rest2));
        clearance = between < clearance ? between : clearance;
    }
    for (uint32_t c = gaps->apart_begin[i]; c < gaps->apart_begin[i + 1]; ++c) {
        float posed2 = v3_length2(v3_sub(j->places[gaps->apart[c]], j->places[i])) * unit;
        float between = posed2 < REACH * REACH ? clearance_between(posed2, 1) : FREE;
        clearance = between < clearance ? between : clearance;
    }
    return clearance;
}

static void clearance_task(void* data, uint32_t begin, uint32_t end)
{
    const gap_job*        j = data;
    float                 square = j->gaps->h * j->gaps->h;
    sup_lattice_gaps_rows rows = { .reach2 = REACH * REACH * square,
                                   .closes2 = CLOSES * CLOSES,
                                   .least2 = NEIGHBORS * NEIGHBORS * square };
    for (int a = 0; a < 3; ++a) rows.posed[a] = j->sorted[a], rows.rest[a] = j->sorted_rest[a];
    for (uint32_t k = begin; k < end; ++k) {
        uint32_t i = j->grid.order[k];
        if (k == begin || j->grid.cells[i] != j->grid.cells[j->grid.order[k - 1]]) find_rows(j, k, &rows);
        j->clearances[i] = find_clearance(j, &rows, k);
    }
}

// A slot has the clearance of its place, and at most one slope more than those linked to it. One forward and one backward pass
// over the slots: the few paths that zigzag get steeper slopes.
static void spread(const gap_job* j)
{
    const sup_lattice_gaps* g = j->gaps;
    float*                  clearance = j->call->clearance;
    for (uint32_t s = 0; s < g->slot_count; ++s) clearance[s] = FREE;
    for (uint32_t i = 0; i < g->count; ++i)
        if (j->clearances[i] < clearance[g->slots[i]]) clearance[g->slots[i]] = j->clearances[i];
    for (uint32_t i = 0; i < 2 * g->slot_count; ++i) {
        uint32_t s = i < g->slot_count ? i : 2 * g->slot_count - 1 - i;
        float    least = clearance[s];
        for (uint32_t k = g->near_begin[s]; k < g->near_begin[s + 1]; ++k) {
            float beside = clearance[g->near[k]] + SLOPE;
            least = beside < least ? beside : least;
        }
        clearance[s] = least;
    }
}

static void hold_task(void* data, uint32_t begin, uint32_t end)
{
    const gap_job* j = data;
    float*         clearances = j->call->clearance;
    float          unit = 1 / j->gaps->h;
    for (uint32_t s = begin; s < end; ++s) {
        float clearance = clearances[s] - CLEAR * (1 - clearances[s] / FREE);
        bool  none = clearance < NO_ROOM;
        float far = clearance < FREE ? unit * (1 - clearance / FREE) / clearance : 0.0f;
        clearances[s] = none ? 0.0f : fminf(clearance / ENOUGH, 1);
        j->call->hold[s] = none ? INFINITY : far * far;
    }
}

bool sup_lattice_gaps_find(const sup_lattice_gaps* gaps, const sup_lattice_gaps_call* call)
{
    size_t   size;
    uint32_t n = gaps->count;
    gap_job  j = lay_out(gaps, call, call->scratch, &size);
    bool     any = false;
    sup_tasks_run(call->tasks, n, GRAIN, place_task, &j);
    if (grid_sort(&j.grid, j.places, n, (double)(REACH * gaps->h))) {
        for (uint32_t k = 0; k < n + SUP_LANES; ++k)
            for (int a = 0; a < 3; ++a) {
                j.sorted[a][k] = k < n ? (&j.places[j.grid.order[k]].x)[a] : INFINITY;
                j.sorted_rest[a][k] = k < n ? (&gaps->rest[j.grid.order[k]].x)[a] : 0.0f;
            }
        sup_tasks_run(call->tasks, n, GRAIN, clearance_task, &j);
        for (uint32_t i = 0; i < n && !any; ++i) any = j.clearances[i] < FREE;
    } else
        for (uint32_t i = 0; i < n; ++i) j.clearances[i] = FREE;
    if (any) spread(&j);
    else
        for (uint32_t s = 0; s < gaps->slot_count; ++s) call->clearance[s] = FREE;
    sup_tasks_run(call->tasks, gaps->slot_count, GRAIN, hold_task, &j);
    return any;
}
