#include "geom/volume/voxels.h"

#include "base/internal.h"
#include "geom/surface/clean.h"
#include "geom/volume/voxels_internal.h"

#include <math.h>

// The grid keeps this share of a cell between the mesh's box and the cells' faces, so that flat sides do not run along faces.
#define MARGIN 1e-3
// Beyond this many cells from the origin, coordinates are rounded by more than a thousandth of MARGIN.
#define FAR_CELLS 1e10
// Of the cells the flood reaches, this share must be inside by winding number before a mesh counts as open.
#define OPEN_SHARE 0.01
enum { OPEN_STRIDE = 3, GRAIN = 256, PIECE = 1 << 16 };

// ---------------------------------------------------------------------------------------------- grid

// The mesh lies in the inner cells, by at least MARGIN. Around them is a border one cell thick that nobody classifies: it holds
// no triangle (voxel_touch clamps to the inner cells), is never inside (classify_cells) and never listed (list_cells). So all
// 26 neighbors of an occupied cell are in the grid, whatever the mesh, and lookups need no check.
static sup_result place_grid(voxel_maker* m, sup_error* error)
{
    const sup_voxels_desc* d = m->desc;
    sup_voxels*            v = m->out;
    double                 low[3] = { INFINITY, INFINITY, INFINITY }, high[3] = { -INFINITY, -INFINITY, -INFINITY };
    for (size_t i = 0; i < 3 * (size_t)d->triangle_count; ++i) {
        const float* p = &d->points[d->triangles[i]].x;
        for (int a = 0; a < 3; ++a) {
            low[a] = fmin(low[a], (double)p[a]);
            high[a] = fmax(high[a], (double)p[a]);
        }
    }
    double longest = fmax(high[0] - low[0], fmax(high[1] - low[1], high[2] - low[2]));
    if (!(longest > 0))
        return sup_fail(error, SUP_ERROR_INPUT,
                        "the mesh has no size: all its triangles are a single point; give it a surface");
    v->h = longest / ((double)d->cells - 2 * MARGIN);
    for (int a = 0; a < 3; ++a)
        if (fmax(fabs(low[a]), fabs(high[a])) > FAR_CELLS * v->h)
            return sup_fail(error, SUP_ERROR_INPUT,
                            "the mesh is %g units large but lies %g units from the origin, so its points cannot be "
                            "distinguished; move it to the origin",
                            longest, fmax(fabs(low[a]), fabs(high[a])));
    double total = 1;
    for (int a = 0; a < 3; ++a) {
        double n = ceil((high[a] - low[a]) / v->h + 2 * MARGIN * (1 - 1e-6));
        n = fmin(fmax(n, 1), d->cells);
        v->size[a] = (uint32_t)n + 2;
        v->origin[a] = (low[a] + high[a]) / 2 - (n / 2 + 1) * v->h;
        total *= n + 2;
    }
    if (total > SUP_VOXELS_MAX)
        return sup_fail(
            error, SUP_ERROR_INPUT,
            "%u cells along the longest side make a grid of %.0f million cells, and %u million is the limit; use fewer",
            d->cells, total / 1e6, SUP_VOXELS_MAX / 1000000);
    m->grid = v->size[0] * v->size[1] * v->size[2];
    m->step[0] = 1;
    m->step[1] = v->size[0];
    m->step[2] = v->size[0] * v->size[1];
    m->inner_count = (v->size[0] - 2) * (v->size[1] - 2) * (v->size[2] - 2);
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- inside

// Marks what can be reached from the corner of the padding without crossing a surface cell.
static void flood_outside(voxel_maker* m, uint32_t* stack)
{
    const uint32_t* size = m->out->size;
    uint32_t        height = 0;
    stack[height++] = 0;
    m->state[0] |= VOXEL_OUTSIDE;
    while (height) {
        uint32_t at = stack[--height], x[3] = { at % size[0], at / size[0] % size[1], at / m->step[2] };
        for (int a = 0; a < 3; ++a)
            for (int side = 0; side < 2; ++side) {
                if (side ? x[a] + 1 >= size[a] : x[a] == 0) continue;
                uint32_t next = side ? at + m->step[a] : at - m->step[a];
                if (m->state[next] & (SUP_VOXEL_SURFACE | VOXEL_OUTSIDE)) continue;
                m->state[next] |= VOXEL_OUTSIDE;
                stack[height++] = next;
            }
    }
}

// A mesh is closed if every edge is traversed equally often in both directions: then flooding finds the inside. (Tested by a
// sum of hashes per directed edge; it is zero by chance once in 2^64.)
static bool is_closed(const sup_voxels_desc* d)
{
    uint64_t sum = 0;
    for (uint32_t t = 0; t < d->triangle_count; ++t)
        for (int k = 0; k < 3; ++k) {
            uint64_t a = d->triangles[3 * (size_t)t + k], b = d->triangles[3 * (size_t)t + (k + 1) % 3];
            if (a != b) sum += a < b ? sup_scramble(a << 32 | b) : 0 - sup_scramble(b << 32 | a);
        }
    return sum == 0;
}

static bool inside_by_winding(const voxel_maker* m, uint32_t at, double dx, double dy, double dz, uint32_t* tested)
{
    const sup_voxels* v = m->out;
    double place[3] = { v->origin[0] + v->h * (at % v->size[0] + dx), v->origin[1] + v->h * (at / v->size[0] % v->size[1] + dy),
                        v->origin[2] + v->h * (at / m->step[2] + dz) };
    // An inside-out mesh has a negative winding number but still an inside.
    return fabs(sup_winding_counted(&m->winding, place, tested)) > 0.5;
}

bool voxel_inside(const voxel_maker* m, uint32_t at, double dx, double dy, double dz)
{
    uint32_t tested;
    return inside_by_winding(m, at, dx, dy, dz, &tested);
}

// The only place that calls a cell inside, and it sees inner cells only. Stacked or overlapping surfaces have winding numbers
// above one half far outside themselves, so the number alone would fill the border too.
static void classify_cells(void* data, uint32_t begin, uint32_t end)
{
    voxel_maker* m = data;
    for (uint32_t i = begin; i < end; ++i) {
        uint32_t at = voxel_inner(m, m->first + i);
        if (m->state[at] & SUP_VOXEL_SURFACE) continue;
        bool reached = m->state[at] & VOXEL_OUTSIDE;
        if (reached && !(m->out->open && voxel_inside(m, at, 0.5, 0.5, 0.5))) continue;
        m->state[at] = (uint8_t)((m->state[at] & ~VOXEL_OUTSIDE) | SUP_VOXEL_INSIDE);
    }
}

static bool is_open(voxel_maker* m)
{
    const uint32_t* size = m->out->size;
    uint32_t        asked = 0, inside = 0;
    double          tested = 0;
    for (uint32_t z = 1; z < size[2]; z += OPEN_STRIDE)
        for (uint32_t y = 1; y < size[1]; y += OPEN_STRIDE)
            for (uint32_t x = 1; x < size[0]; x += OPEN_STRIDE) {
                uint32_t at = x + size[0] * (y + size[1] * z);
                if (!(m->state[at] & VOXEL_OUTSIDE)) continue;
                ++asked; // the border too, which is outside without a query
                bool inner = x + 1 < size[0] && y + 1 < size[1] && z + 1 < size[2];
                if (!inner) continue;
                uint32_t here;
                inside += inside_by_winding(m, at, 0.5, 0.5, 0.5, &here);
                tested += here;
                sup_winding_bound(&m->winding, tested, m->inner_count, 1.0 / (OPEN_STRIDE * OPEN_STRIDE * OPEN_STRIDE));
            }
    m->guessed = (double)inside * OPEN_STRIDE * OPEN_STRIDE * OPEN_STRIDE;
    return inside > OPEN_SHARE * asked;
}

sup_result voxel_need_winding(voxel_maker* m, sup_error* error)
{
    if (m->has_winding) return SUP_OK;
    sup_clean  surface; // a duplicate face would wind twice
    sup_result result =
        sup_clean_body(m->desc->points, m->desc->triangle_count, m->desc->triangles, m->scratch, &surface, error);
    if (result == SUP_OK)
        result = sup_winding_create(m->desc->points, surface.triangles, surface.triangle_count, m->scratch, &m->winding, error);
    m->has_winding = result == SUP_OK;
    return result;
}

sup_result voxel_report(const voxel_maker* m, sup_error* error)
{
    if (sup_progress_report(m->desc->progress, 0, "cells")) return SUP_OK;
    return sup_fail(error, SUP_ERROR_CANCELLED, "cancelled while filling cells");
}

static sup_result look_around(voxel_maker* m, sup_error* error)
{
    uint32_t* stack = SUP_NEW(m->scratch, uint32_t, m->grid);
    if (!stack) return sup_fail_memory(error, "a grid of cells");
    flood_outside(m, stack);
    if (is_closed(m->desc)) return SUP_OK;
    sup_result result = voxel_need_winding(m, error);
    if (result == SUP_OK) m->out->open = is_open(m);
    return result;
}

// Checked before the most expensive step, a winding number for every cell of an open mesh. What the flood did not reach is
// surface or enclosed.
static bool is_crowded(voxel_maker* m)
{
    sup_voxels* v = m->out;
    double      count = m->guessed;
    if (!v->open || !m->desc->most_open) return false;
    for (uint32_t i = 0; i < m->grid; ++i) count += !(m->state[i] & VOXEL_OUTSIDE);
    v->over_limit = count > m->desc->most_open;
    if (v->over_limit) v->cell_count = (uint32_t)fmin(count, m->grid);
    return v->over_limit;
}

static sup_result find_inside(voxel_maker* m, sup_error* error)
{
    for (m->first = 0; m->first < m->inner_count; m->first += PIECE) { // in pieces, with progress reports in between
        uint32_t   count = m->inner_count - m->first < PIECE ? m->inner_count - m->first : PIECE;
        sup_result result = voxel_report(m, error);
        if (result != SUP_OK) return result;
        sup_tasks_run(m->desc->tasks, count, GRAIN, classify_cells, m);
    }
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- whole

// Cells come only from here, and only inner ones: every listed cell has all its neighbors in the grid.
static sup_result list_cells(voxel_maker* m, sup_arena* arena, sup_error* error)
{
    sup_voxels* v = m->out;
    uint32_t    count = 0;
    for (uint32_t i = 0; i < m->inner_count; ++i)
        count += (m->state[voxel_inner(m, i)] & (SUP_VOXEL_SURFACE | SUP_VOXEL_INSIDE)) != 0;
    uint32_t* cells = SUP_NEW(arena, uint32_t, count);
    uint32_t* at = SUP_NEW(arena, uint32_t, m->grid);
    uint8_t*  flags = SUP_NEW(arena, uint8_t, count);
    if (!cells || !at || !flags) return sup_fail_memory(error, "cells");
    for (uint32_t i = 0; i < m->grid; ++i) at[i] = SUP_NONE;
    for (uint32_t i = 0; i < m->inner_count; ++i) {
        uint32_t index = voxel_inner(m, i);
        uint8_t  state = m->state[index] & (SUP_VOXEL_SURFACE | SUP_VOXEL_INSIDE);
        if (!state) continue;
        at[index] = v->cell_count;
        flags[v->cell_count] = state;
        cells[v->cell_count++] = index;
    }
    v->cells = cells;
    v->at = at;
    m->flags = flags;
    v->flags = flags;
    return SUP_OK;
}

static sup_result make(voxel_maker* m, sup_arena* arena, sup_error* error)
{
    sup_result result = place_grid(m, error);
    if (result != SUP_OK) return result;
    m->state = SUP_NEW(m->scratch, uint8_t, m->grid);
    if (!m->state) return sup_fail_memory(error, "a grid of cells");
    result = voxel_touch(m, error);
    if (result == SUP_OK) result = look_around(m, error);
    if (result != SUP_OK || is_crowded(m)) return result;
    result = find_inside(m, error);
    if (result == SUP_OK) result = list_cells(m, arena, error);
    if (result == SUP_OK) result = voxel_report(m, error);
    if (result == SUP_OK) result = voxel_join(m, error);
    if (result == SUP_OK) result = voxel_report(m, error);
    if (result == SUP_OK) result = voxel_particles(m, arena, error);
    return result;
}

sup_result sup_voxels_create(const sup_voxels_desc* desc, sup_arena* arena, sup_voxels* out, sup_error* error)
{
    SUP_ASSERT(desc->cells > 0);
    if (desc->triangle_count == 0)
        return sup_fail(error, SUP_ERROR_INPUT, "the mesh has no triangles, so it fills no cells; give it faces");
    *out = (sup_voxels){ .h = 0 };
    voxel_maker m = { .desc = desc, .out = out, .scratch = sup_arena_beside(arena) };
    if (!m.scratch) return sup_fail_memory(error, "cells");
    sup_result result = make(&m, arena, error);
    sup_arena_destroy(m.scratch);
    return result;
}

// ---------------------------------------------------------------------------------------------- use

sup_vec3 sup_voxels_position(const sup_voxels* v, uint32_t p)
{
    uint32_t c[3];
    sup_voxels_corner(v, p, c);
    return (sup_vec3){ (float)(v->origin[0] + v->h * c[0]), (float)(v->origin[1] + v->h * c[1]),
                       (float)(v->origin[2] + v->h * c[2]) };
}

uint32_t sup_voxels_find(const sup_voxels* v, sup_vec3 point, float place[3])
{
    const float* p = &point.x;
    uint32_t     at = 0, step = 1;
    for (int a = 0; a < 3; ++a) {
        double g = ((double)p[a] - v->origin[a]) / v->h, low = floor(g);
        low = fmin(fmax(low, 0), v->size[a] - 1.0);
        place[a] = (float)fmin(fmax(g - low, 0), 1);
        at += step * (uint32_t)low;
        step *= v->size[a];
    }
    return v->at[at];
}

sup_result sup_voxels_nearest(const sup_voxels* v, sup_arena* arena, const uint32_t** out, sup_error* error)
{
    uint32_t  grid = v->size[0] * v->size[1] * v->size[2], head = 0, tail = 0;
    uint32_t* owner = SUP_NEW(arena, uint32_t, grid);
    uint32_t* queue = SUP_NEW(arena, uint32_t, grid);
    if (!owner || !queue) return sup_fail_memory(error, "nearest cells");
    for (uint32_t i = 0; i < grid; ++i) {
        owner[i] = v->at[i];
        if (owner[i] != SUP_NONE) queue[tail++] = i;
    }
    while (head < tail) {
        uint32_t at = queue[head++];
        int64_t  x = at % v->size[0], y = at / v->size[0] % v->size[1], z = at / v->size[0] / v->size[1];
        for (int k = 0; k < 27; ++k) {
            int64_t nx = x + k % 3 - 1, ny = y + k / 3 % 3 - 1, nz = z + k / 9 - 1;
            if (nx < 0 || ny < 0 || nz < 0 || nx >= v->size[0] || ny >= v->size[1] || nz >= v->size[2]) continue;
            uint32_t next = (uint32_t)(nx + v->size[0] * (ny + v->size[1] * nz));
            if (owner[next] != SUP_NONE) continue;
            owner[next] = owner[at];
            queue[tail++] = next;
        }
    }
    *out = owner;
    return SUP_OK;
}
