// Flesh painted softer or harder than the sliders is simulated beside the same flesh without paint, the bare one. Outside the
// paint the skin is bit for bit the bare one's, and the painted flesh swings against that and keeps its volume against it.
// Otherwise anything nonlocal (a part's volume, its bounds) would carry softness from one end of a part to the other.
#include "deform/lattice/lattice.h"

#include "deform/lattice/lattice_binder.h"

#include <string.h>

enum { TAKE_GRAIN = 8 };
// Of the strongest paint: what spreads farther than this from the painted points through the cells is invisible (5.56 mm of a
// belly's shake with 1 % as with 5), but would have to be computed.
#define FAINT 0.05f

// Adds the chunks that the regions of others reach: only lines along z leave a chunk.
static void reach_out(const sup_regions* r, lattice_reach* reach)
{
    lattice_reach wide = *reach;
    for (uint32_t s = r->chunks[reach->begin]; s < r->chunks[reach->end]; ++s)
        for (uint32_t k = 0; k < r->width; ++k) {
            uint32_t q = r->near[2][(size_t)s * r->width + k];
            if (q == r->count) continue;
            while (q < r->chunks[wide.begin]) --wide.begin;
            while (q >= r->chunks[wide.end]) ++wide.end;
        }
    for (uint32_t i = 0; i < r->more_counts[2]; ++i) {
        uint32_t s = r->more[2][2 * i], q = r->more[2][2 * i + 1];
        if (s < r->chunks[reach->begin] || s >= r->chunks[reach->end]) continue;
        while (q < r->chunks[wide.begin]) --wide.begin;
        while (q >= r->chunks[wide.end]) ++wide.end;
    }
    *reach = wide;
}

static float off(float scale) { return scale < 1 ? 1 - scale : scale - 1; }

static void find_strongest(const lattice_bound* b, float strongest[SOFT_COUNT])
{
    for (int i = 0; i < SOFT_COUNT; ++i) {
        strongest[i] = 0;
        for (uint32_t s = 0; b->soft[i].scale && s < b->count; ++s)
            if (off(b->soft[i].scale[s]) > strongest[i]) strongest[i] = off(b->soft[i].scale[s]);
    }
}

static bool is_faint(const lattice_bound* b, const float strongest[SOFT_COUNT], uint32_t s)
{
    bool faint = true;
    for (int i = 0; i < SOFT_COUNT; ++i)
        if (b->soft[i].scale) faint &= off(b->soft[i].scale[s]) <= FAINT * strongest[i];
    return faint;
}

// Per slot: UNPAINTED where it is a corner only of skin without paint; its own values come from the diffused paint.
enum { INSIDE, UNPAINTED, PAINTED };

static void see_points(const binder* m, uint8_t* seen)
{
    const lattice_bound* b = m->b;
    for (uint32_t p = 0; p < b->point_count; ++p) {
        uint8_t own = UNPAINTED;
        for (int i = 0; i < SOFT_COUNT; ++i) {
            const sup_field* f = &m->in->fields[lattice_soft_rows[i]];
            if (f->scale && (f->scale[p] != 1 || f->offset[p] != 0)) own = PAINTED;
        }
        for (uint32_t k = 0; k < 8; ++k) {
            const float* at = m->places + 3 * (size_t)p;
            uint8_t*     slot = &seen[b->regions.slots[b->voxels.particles[8 * (size_t)b->embed.cells[p] + k]]];
            float        share = (k & 1 ? at[0] : 1 - at[0]) * (k & 2 ? at[1] : 1 - at[1]) * (k & 4 ? at[2] : 1 - at[2]);
            if (share > 0 && own > *slot) *slot = own;
        }
    }
}

sup_result lattice_find_painted_parts(binder* m)
{
    lattice_bound*            b = m->b;
    const sup_lattice_volume* v = &b->volume;
    if (!b->bare) return SUP_OK;
    uint8_t* painted = SUP_NEW(m->arena, uint8_t, v->part_count);
    if (!painted) return sup_fail_memory(m->error, "softness of a lattice");
    for (uint32_t i = 0; i < v->part_count; ++i)
        for (uint32_t k = v->parts[i].member_begin; k < v->parts[i].member_end; ++k)
            for (uint32_t c = 0; c < LATTICE_NODE_SLOTS; ++c) {
                size_t row = LATTICE_NODE_SLOTS * (size_t)k + c;
                painted[i] |= v->places[row] != 0 && !(b->bare[v->members[row]] > 0);
            }
    b->painted_parts = painted;
    return SUP_OK;
}

sup_result lattice_find_paint(binder* m)
{
    lattice_bound*     b = m->b;
    const sup_regions* r = &b->regions;
    uint32_t           painted = 0, first = SUP_NONE, last = 0;
    float*             bare = SUP_NEW(m->arena, float, b->count);
    uint8_t*           seen = SUP_NEW(m->scratch, uint8_t, b->count);
    float              strongest[SOFT_COUNT];
    if (!bare || !seen) return sup_fail_memory(m->error, "softness of a lattice");
    see_points(m, seen);
    find_strongest(b, strongest);
    for (uint32_t c = 0; c < r->chunk_count; ++c)
        for (uint32_t s = r->chunks[c]; s < r->chunks[c + 1]; ++s) {
            bare[s] = r->particles[s] == SUP_NONE || seen[s] == UNPAINTED || is_faint(b, strongest, s);
            if (bare[s] > 0) continue;
            ++painted;
            if (first == SUP_NONE) first = c;
            last = c + 1;
        }
    if (painted == 0 || painted == r->particle_count) return SUP_OK;
    lattice_reach reach = { first, last };
    b->bare = bare;
    b->goals = reach;
    reach_out(r, &reach);
    b->fits = reach;
    reach_out(r, &reach);
    b->sums = reach;
    return SUP_OK;
}

typedef struct take_job {
    const lattice_bound* b;
    void *               state, *bare;
    uint32_t             first; ///< chunk
} take_job;

// Both follow one pose, so where y and u were computed they are already equal.
static void take_task(void* data, uint32_t begin, uint32_t end)
{
    const take_job* j = data;
    for (uint32_t c = j->first + begin; c < j->first + end; ++c) {
        uint32_t first = j->b->regions.chunks[c], last = j->b->regions.chunks[c + 1];
        bool     computed = c >= j->b->sums.begin && c < j->b->sums.end, whole = c < j->b->goals.begin || c >= j->b->goals.end;
        for (uint32_t k = PLANE_D; k < (computed ? PLANE_Y : PLANE_Q); ++k) {
            float*       to = lattice_plane(j->b, j->state, k);
            const float* from = lattice_plane(j->b, j->bare, k);
            if (whole) memcpy(to + first, from + first, (last - first) * sizeof *to);
            else
                for (uint32_t s = first; s < last; ++s) to[s] = j->b->bare[s] > 0 ? from[s] : to[s];
        }
    }
}

void lattice_take_bare(const lattice_bound* b, const sup_tasks* tasks, lattice_reach chunks, void* state)
{
    take_job job = { b, state, lattice_bare_state(b, state), chunks.begin };
    sup_tasks_run(tasks, chunks.end - chunks.begin, TAKE_GRAIN, take_task, &job);
}
