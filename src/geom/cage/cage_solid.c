// Which part of the inside becomes tissue: gaps are closed, limbs that the rig moves separately are parted, thin pieces are
// dropped, cavities are filled. Everything happens on nodes that are in or out, so the surface around them is closed by
// construction.
#include "base/internal.h"
#include "geom/cage/cage_internal.h"

#include <math.h>
#include <string.h>

// In cage edges: gaps narrower than twice this close where their sides may fuse; pieces thinner than twice that are dropped.
#define CLOSE_EDGES 0.45
#define OPEN_EDGES 0.25
#define SEAM_EDGES 0.75 // this close to a seam, its two sides are joined
// Bounds of both radii, in cells: the grid's border must stay free, and nothing thinner than a cell is solid.
#define RADIUS_LEAST 1.0
#define RADIUS_MOST 3.0
// Pieces smaller than this share of the largest one ride along instead.
#define PIECE_SHARE 0.02

static sup_result no_memory(sup_error* error) { return sup_fail_memory(error, "a cage"); }

// ---------------------------------------------------------------------------------------------- balls

typedef struct ball {
    uint32_t count;
    int32_t  offsets[343];
} ball;

// Cells squared: a cell whose center lies on the ball counts, whatever the rounding of the radius.
static const double ON_THE_BALL = 1e-9;

static ball ball_of(const cage_grid* g, double radius)
{
    ball b = { 0 };
    for (int z = -3; z <= 3; ++z)
        for (int y = -3; y <= 3; ++y)
            for (int x = -3; x <= 3; ++x)
                if (x * x + y * y + z * z <= radius * radius + ON_THE_BALL)
                    b.offsets[b.count++] = x + y * (int32_t)g->step[1] + z * (int32_t)g->step[2];
    return b;
}

// Inside the border that RADIUS_MOST needs: CAGE_PAD is twice that and one more, so what grows and shrinks again ends up where
// it was.
static void inner(const cage_grid* g, uint32_t low[3], uint32_t high[3])
{
    for (int a = 0; a < 3; ++a) low[a] = 3, high[a] = g->size[a] - 3;
}

// Every cell within the ball around a cell of this value that has a neighbor of the other value takes this value too.
static void grow(const cage_grid* g, const ball* b, uint8_t value, const uint8_t* from, uint8_t* to)
{
    uint32_t low[3], high[3];
    inner(g, low, high);
    for (uint32_t i = 0; i < g->count; ++i) to[i] = from[i];
    for (uint32_t z = low[2]; z < high[2]; ++z)
        for (uint32_t y = low[1]; y < high[1]; ++y)
            for (uint32_t x = low[0]; x < high[0]; ++x) {
                uint32_t i = x + y * g->step[1] + z * g->step[2];
                if (from[i] != value) continue;
                bool border = false;
                for (int a = 0; a < 3; ++a) border |= from[i - g->step[a]] != value || from[i + g->step[a]] != value;
                for (uint32_t k = 0; border && k < b->count; ++k) to[(uint32_t)((int32_t)i + b->offsets[k])] = value;
            }
}

// ---------------------------------------------------------------------------------------------- regions

/// Neighbors along the edges of the tetrahedra that the surface is cut from: cells joined by them are one piece of it.
static void neighbor_steps(const cage_grid* g, int32_t out[14])
{
    for (int k = 1; k < 8; ++k) {
        int32_t step =
            (k & 1 ? (int32_t)g->step[0] : 0) + (k & 2 ? (int32_t)g->step[1] : 0) + (k & 4 ? (int32_t)g->step[2] : 0);
        out[2 * k - 2] = step;
        out[2 * k - 1] = -step;
    }
}

// Numbers the region of a cell from 2 on. Cells of a value never lie on the grid's border, or the border is marked already.
static uint32_t flood(const cage_grid* g, uint8_t* marks, uint8_t value, uint8_t mark, uint32_t from, uint32_t* queue)
{
    int32_t  steps[14];
    uint32_t head = 0, tail = 0;
    neighbor_steps(g, steps);
    marks[from] = mark;
    queue[tail++] = from;
    while (head < tail) {
        uint32_t at = queue[head++];
        for (int k = 0; k < 14; ++k) {
            int64_t next = (int64_t)at + steps[k];
            if (next < 0 || next >= g->count || marks[next] != value) continue;
            marks[next] = mark;
            queue[tail++] = (uint32_t)next;
        }
    }
    return tail;
}

// Floods from the grid's corner: what it does not reach is solid, or a cavity that becomes solid. (A step past the end of a
// line lands in the border on the other side, which is outside as well.)
static void fill_cavities(cage_maker* m, uint32_t* queue)
{
    flood(&m->grid, m->solid, 0, 2, 0, queue);
    for (uint32_t i = 0; i < m->grid.count; ++i) m->solid[i] = m->solid[i] != 2;
}

static bool keep_pieces(cage_maker* m, uint32_t* queue)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < m->grid.count; ++i)
        if (m->solid[i] == 1) {
            uint32_t n = flood(&m->grid, m->solid, 1, 2, i, queue);
            most = n > most ? n : most;
        }
    for (uint32_t i = 0; i < m->grid.count; ++i)
        if (m->solid[i] == 2) {
            uint32_t n = flood(&m->grid, m->solid, 2, 3, i, queue);
            if (n < PIECE_SHARE * most)
                for (uint32_t k = 0; k < n; ++k) m->solid[queue[k]] = 0;
        }
    for (uint32_t i = 0; i < m->grid.count; ++i) m->solid[i] = m->solid[i] != 0;
    return most > 0;
}

// ---------------------------------------------------------------------------------------------- parting

// Both sides lose a cell where they meet. A wall that does not reach the outside is a cavity and is filled again.
static void part_limbs(const cage_maker* m, const uint8_t* from, uint8_t* to)
{
    const cage_grid* g = &m->grid;
    for (uint32_t i = 0; i < g->count; ++i) to[i] = from[i];
    for (uint32_t i = 0; i < g->count; ++i) {
        if (!from[i]) continue; // never at the border
        for (int a = 0; a < 3; ++a) {
            uint32_t next = i + g->step[a];
            if (from[next] && cage_must_part(m, i, next)) to[i] = to[next] = 0;
        }
    }
}

static void measure_edge(cage_maker* m)
{
    const cage_grid* g = &m->grid;
    double           faces = 0;
    for (uint32_t i = 0; i + g->step[2] < g->count; ++i)
        for (int a = 0; a < 3; ++a) faces += m->solid[i] != m->solid[i + g->step[a]];
    // The cells' faces are half as large again as the surface they approximate, and 2 n even triangles have an area of 0.87 n
    // edges^2.
    m->edge = sqrt(faces * 2 / 3 * 1.1547 / m->desc->target);
}

sup_result cage_shape(cage_maker* m, bool* any, sup_error* error)
{
    const cage_grid* g = &m->grid;
    uint8_t *        a = SUP_NEW(m->scratch, uint8_t, g->count), *b = SUP_NEW(m->scratch, uint8_t, g->count);
    uint32_t*        queue = SUP_NEW(m->scratch, uint32_t, g->count);
    if (!a || !b || !queue) return no_memory(error);
    measure_edge(m);
    ball closing = ball_of(g, fmin(fmax(CLOSE_EDGES * m->edge, RADIUS_LEAST), RADIUS_MOST));
    ball opening = ball_of(g, fmin(fmax(OPEN_EDGES * m->edge, RADIUS_LEAST), RADIUS_MOST));
    ball near = ball_of(g, fmin(fmax(SEAM_EDGES * m->edge, RADIUS_LEAST), RADIUS_MOST));
    grow(g, &near, 1, m->seams, a);
    memcpy(m->seams, a, g->count);
    grow(g, &closing, 1, m->solid, a);
    grow(g, &closing, 0, a, b);
    for (uint32_t i = 0; i < g->count; ++i) b[i] |= m->solid[i];
    part_limbs(m, b, m->solid);
    fill_cavities(m, queue);
    grow(g, &opening, 0, m->solid, a);
    grow(g, &opening, 1, a, m->solid);
    *any = keep_pieces(m, queue);
    if (*any) fill_cavities(m, queue);
    return SUP_OK;
}
