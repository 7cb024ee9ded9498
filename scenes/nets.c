// Surface nets (Gibson 1998): a point in every cell of a grid that the surface crosses, a quad around every edge it crosses.
// Cells are found by following the surface from a seed, so the work grows with the skin and not with the space around it.
// Afterwards the points slide along the surface until the quads are even, and are projected onto it.
#include "scenes/nets.h"

#include "base/internal.h"
#include "math/vec.h"

/// Grid coordinates are packed into one key of three fields; the bias keeps them positive.
enum { KEY_BITS = 21, KEY_BIAS = 1 << 20 };

/// Attempts at the cell size: the first ones approach the number of points, the later ones avoid grids that cut the solid so
/// that a cell would contain two sheets.
enum { SIZE_TRIES = 40 };
static const float close_enough = 0.01f; // relative error of the point count at which the search stops

/// Passes that slide and project, and passes at the end that only project.
enum { RELAX_PASSES = 16, LAND_PASSES = 3 };

typedef struct corner {
    uint64_t key; // 0: free
    float    value;
} corner;

typedef struct cell {
    uint64_t key; // 0: free
    uint32_t point;
} cell;

typedef struct grid {
    const sup_nets_desc* desc;
    float                size;
    corner*              corners;
    cell*                cells;
    uint32_t             slots; // of either table, a power of two
    uint64_t*            order; // keys of the cells in the order found: point numbers
    uint32_t             count, limit, corner_count;
    uint32_t             knots; // cells that contain more than one sheet
} grid;

static uint64_t pack(int x, int y, int z)
{
    return (uint64_t)(x + KEY_BIAS) << (2 * KEY_BITS) | (uint64_t)(y + KEY_BIAS) << KEY_BITS | (uint64_t)(z + KEY_BIAS);
}

static void unpack(uint64_t key, int at[3])
{
    uint64_t mask = ((uint64_t)1 << KEY_BITS) - 1;
    at[0] = (int)(key >> (2 * KEY_BITS) & mask) - KEY_BIAS;
    at[1] = (int)(key >> KEY_BITS & mask) - KEY_BIAS;
    at[2] = (int)(key & mask) - KEY_BIAS;
}

static uint32_t slot_of(uint64_t key, uint32_t slots) { return (uint32_t)(key * 0x9e3779b97f4a7c15ull >> 32) & (slots - 1); }

/// Corners are half a cell beside x = 0, so that a row of cells, and later of points, straddles it.
static sup_vec3 corner_place(const grid* g, int x, int y, int z)
{
    sup_vec3 at = v3(((float)x + 0.5f) * g->size, ((float)y + 0.37f) * g->size, ((float)z + 0.37f) * g->size);
    return g->desc->bend ? g->desc->bend(at) : at;
}

static float corner_value(grid* g, int x, int y, int z)
{
    uint64_t key = pack(x, y, z);
    uint32_t at = slot_of(key, g->slots);
    while (g->corners[at].key && g->corners[at].key != key) at = (at + 1) & (g->slots - 1);
    if (!g->corners[at].key) {
        g->corners[at] = (corner){ key, g->desc->field(g->desc->user, corner_place(g, x, y, z), NULL) };
        ++g->corner_count;
    }
    return g->corners[at].value;
}

static uint32_t cell_slot(const grid* g, uint64_t key)
{
    uint32_t at = slot_of(key, g->slots);
    while (g->cells[at].key && g->cells[at].key != key) at = (at + 1) & (g->slots - 1);
    return at;
}

/// Bit i is set when corner i (x in bit 0, y in bit 1, z in bit 2) is inside.
static uint32_t cell_mask(grid* g, const int at[3], float values[8])
{
    uint32_t mask = 0;
    for (int i = 0; i < 8; ++i) {
        values[i] = corner_value(g, at[0] + (i & 1), at[1] + (i >> 1 & 1), at[2] + (i >> 2 & 1));
        if (values[i] < 0.0f) mask |= 1u << i;
    }
    return mask;
}

/// Whether the set corners of a cube are connected along its edges.
static bool mask_connected(uint32_t mask)
{
    uint32_t reached = mask & (~mask + 1);
    for (int step = 0; step < 8; ++step) {
        uint32_t x = (reached & 0x55u) << 1 | (reached & 0xaau) >> 1;
        uint32_t y = (reached & 0x33u) << 2 | (reached & 0xccu) >> 2;
        uint32_t z = (reached & 0x0fu) << 4 | (reached & 0xf0u) >> 4;
        reached |= (x | y | z) & mask;
    }
    return reached == mask;
}

/// The corners of the face of a cube across axis, on its low or high side.
static uint32_t face_mask(int axis, int high)
{
    static const uint32_t low[3] = { 0x55u, 0x33u, 0x0fu };
    return high ? 0xffu & ~low[axis] : low[axis];
}

/// False when there are more cells than the tables can hold.
static bool cell_add(grid* g, const int at[3])
{
    uint64_t key = pack(at[0], at[1], at[2]);
    uint32_t slot = cell_slot(g, key);
    if (g->cells[slot].key) return true;
    // Every cell adds fewer than four new corners (a sheet of cells has two layers of them), so both tables stay sparse.
    if (g->count == g->limit || g->corner_count + 8 > g->slots - g->slots / 4) return false;
    g->cells[slot] = (cell){ key, g->count };
    g->order[g->count++] = key;
    return true;
}

/// Finds all cells of the surface above `inside`. False: too many, the cells are too small.
static bool follow(grid* g)
{
    for (uint32_t i = 0; i < g->slots; ++i) g->corners[i].key = g->cells[i].key = 0;
    g->count = g->corner_count = g->knots = 0;

    sup_vec3 seed = g->desc->inside;
    int      at[3] = { -1, (int)floorf(seed.y / g->size), (int)floorf(seed.z / g->size) };
    while (corner_value(g, at[0], at[1] + 1, at[2]) < 0.0f)
        if (++at[1] >= KEY_BIAS - 2) return false;
    if (!cell_add(g, at)) return false;

    for (uint32_t next = 0; next < g->count; ++next) {
        float values[8];
        unpack(g->order[next], at);
        uint32_t mask = cell_mask(g, at, values);
        if (!mask_connected(mask) || !mask_connected(~mask & 0xffu)) ++g->knots;
        for (int axis = 0; axis < 3; ++axis)
            for (int high = 0; high < 2; ++high) {
                uint32_t face = face_mask(axis, high);
                if ((mask & face) == 0 || (mask & face) == face) continue;
                int beside[3] = { at[0], at[1], at[2] };
                beside[axis] += high ? 1 : -1;
                if (!cell_add(g, beside)) return false;
            }
    }
    return true;
}

/// The mean of the places where the surface crosses the edges of the cell.
static sup_vec3 cell_point(grid* g, const int at[3])
{
    float values[8];
    cell_mask(g, at, values);
    sup_vec3 sum = v3(0, 0, 0);
    float    crossings = 0.0f;
    for (int i = 0; i < 8; ++i)
        for (int axis = 0; axis < 3; ++axis) {
            int j = i | 1 << axis;
            if (j == i || (values[i] < 0.0f) == (values[j] < 0.0f)) continue;
            sup_vec3 a = corner_place(g, at[0] + (i & 1), at[1] + (i >> 1 & 1), at[2] + (i >> 2 & 1));
            sup_vec3 b = corner_place(g, at[0] + (j & 1), at[1] + (j >> 1 & 1), at[2] + (j >> 2 & 1));
            sum = v3_add(sum, v3_lerp(a, b, values[i] / (values[i] - values[j])));
            crossings += 1.0f;
        }
    return v3_scale(sum, 1.0f / crossings); // a cell is only listed when it is crossed
}

/// Calls for every grid edge that the surface crosses, from its first end; writes quads if `quads` is given.
static uint32_t collect_quads(grid* g, uint32_t* quads)
{
    uint32_t count = 0;
    for (uint32_t c = 0; c < g->count; ++c) {
        int at[3];
        unpack(g->order[c], at);
        bool first = corner_value(g, at[0], at[1], at[2]) < 0.0f;
        for (int axis = 0; axis < 3; ++axis) {
            int end[3] = { at[0], at[1], at[2] };
            ++end[axis];
            if ((corner_value(g, end[0], end[1], end[2]) < 0.0f) == first) continue;
            if (quads) {
                int u = (axis + 1) % 3, v = (axis + 2) % 3;
                for (int i = 0; i < 4; ++i) {
                    // Around the edge as seen from its far end; the other way where the far end is the inside.
                    int turn = first ? i : 3 - i;
                    int beside[3] = { at[0], at[1], at[2] };
                    if (turn == 1 || turn == 2) --beside[u];
                    if (turn >= 2) --beside[v];
                    quads[4 * count + (uint32_t)i] = g->cells[cell_slot(g, pack(beside[0], beside[1], beside[2]))].point;
                }
            }
            ++count;
        }
    }
    return count;
}

/// One relaxation pass: moves every point toward the area-weighted mean of its quads, then back onto the surface.
static void relax(const sup_nets_desc* desc, const uint64_t* order, float pull, sup_nets* s, sup_vec3* sums, float* areas)
{
    for (uint32_t p = 0; p < s->point_count; ++p) sums[p] = v3(0, 0, 0), areas[p] = 0.0f;
    for (uint32_t f = 0; f < s->face_count; ++f) {
        const uint32_t* q = s->quads + 4 * f;
        sup_vec3        a = s->points[q[0]], b = s->points[q[1]], c = s->points[q[2]], d = s->points[q[3]];
        sup_vec3        center = v3_scale(v3_add(v3_add(a, c), v3_add(b, d)), 0.25f);
        float           area = v3_length(v3_cross(v3_sub(c, a), v3_sub(d, b)));
        for (int i = 0; i < 4; ++i) {
            sums[q[i]] = v3_mad(sums[q[i]], area, center);
            areas[q[i]] += area;
        }
    }
    for (uint32_t p = 0; p < s->point_count; ++p) {
        if (!(areas[p] > 0.0f)) continue;
        sup_vec3 gradient, place = s->points[p];
        sup_vec3 move = v3_sub(v3_scale(sums[p], 1.0f / areas[p]), place);
        float    value = desc->field(desc->user, place, &gradient);
        float    slope = v3_length2(gradient);
        if (!(slope > 1e-6f)) continue; // at the center of a part: no direction leads out
        // Tangential step, and Newton's step for what the last one left.
        move = v3_mad(move, -v3_dot(move, gradient) / slope, gradient);
        place = v3_mad(v3_mad(place, pull, move), -value / slope, gradient);
        int at[3];
        unpack(order[p], at);
        if (at[0] == -1) place.x = 0.0f;
        s->points[p] = place;
    }
}

/// Finds the cell size that gives about the requested number of points.
static bool find_size(grid* g)
{
    const float wanted = (float)g->desc->points;
    // Half as many cells again as a flat surface would cross: a slanted surface crosses more of them.
    g->size = sqrtf(1.5f * g->desc->area / wanted);
    float fitting = 0.0f;
    for (int attempt = 0, dodge = 0; attempt < SIZE_TRIES; ++attempt) {
        if (!follow(g)) {
            g->size *= 1.2f;
            continue;
        }
        float ratio = (float)g->count / wanted;
        if (fitting == 0.0f && fabsf(ratio - 1.0f) > close_enough && attempt < 8) {
            g->size *= sqrtf(ratio);
            continue;
        }
        if (fitting == 0.0f) fitting = g->size;
        if (g->knots == 0 && collect_quads(g, NULL) + 2 == g->count) return true; // Euler: one sphere of quads
        ++dodge;
        g->size = fitting * (1.0f + (dodge & 1 ? 0.002f : -0.002f) * (float)((dodge + 1) / 2));
    }
    return false;
}

sup_result sup_nets_create(const sup_nets_desc* desc, sup_arena* arena, sup_nets* out, sup_error* error)
{
    grid g = { .desc = desc, .limit = desc->points + desc->points / 2 + 64 };
    g.slots = 1024;
    while (g.slots < 4 * g.limit) g.slots *= 2;
    g.corners = SUP_NEW(arena, corner, g.slots);
    g.cells = SUP_NEW(arena, cell, g.slots);
    g.order = SUP_NEW(arena, uint64_t, g.limit);
    if (!g.corners || !g.cells || !g.order) return sup_fail_memory(error, desc->name);
    if (!find_size(&g))
        return sup_fail(error, SUP_ERROR_INPUT, "%s cannot be made of %u points in one closed piece; ask for more points",
                        desc->name, desc->points);

    sup_nets s = { .point_count = g.count, .face_count = g.count - 2, .radius = 0.5f * g.size };
    s.points = SUP_NEW(arena, sup_vec3, s.point_count);
    s.quads = SUP_NEW(arena, uint32_t, 4 * (size_t)s.face_count);
    sup_vec3* sums = SUP_NEW(arena, sup_vec3, s.point_count);
    float*    areas = SUP_NEW(arena, float, s.point_count);
    if (!s.points || !s.quads || !sums || !areas) return sup_fail_memory(error, desc->name);
    for (uint32_t p = 0; p < s.point_count; ++p) {
        int at[3];
        unpack(g.order[p], at);
        s.points[p] = cell_point(&g, at);
    }
    collect_quads(&g, s.quads);
    for (int pass = 0; pass < RELAX_PASSES + LAND_PASSES; ++pass)
        relax(desc, g.order, pass < RELAX_PASSES ? 0.7f : 0.0f, &s, sums, areas);
    *out = s;
    return SUP_OK;
}
