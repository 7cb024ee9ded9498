#include "solve/lattice/lattice_weights.h"

#include "base/internal.h"

#include <math.h>
#include <string.h>

#define WEIGHT_TOLERANCE 1e-4f // a tenth of the smallest weight that is kept
#define LEAST_DISTANCE 0.5     // in cells: the bone's own particles

static sup_result make_screen(const sup_lattice_weights_desc* d, sup_arena* arena, sup_lattice_weights* w, sup_error* error)
{
    uint32_t count = w->voxels->particle_count;
    float*   screen = SUP_NEW(arena, float, count);
    if (!screen) return sup_fail_memory(error, "weights");
    double spread = d->spread > 0 ? d->spread : 1;
    for (uint32_t p = 0; p < count; ++p) {
        const sup_nearest* n = &w->near.particles[p];
        double             distance = fmax(n->distance, LEAST_DISTANCE), strength = 0;
        for (uint32_t i = 0; i < n->count; ++i) {
            float s = d->strength ? d->strength[n->owners[i]] : 1.0f;
            strength += (s > 0 && isfinite(s) ? (double)s : 1.0) / n->count;
        }
        screen[p] = (float)(spread * strength / (distance * distance));
    }
    w->diffusion = (sup_diffusion){ .count = count,
                                    .link_begin = w->voxels->link_begin,
                                    .links = w->voxels->links,
                                    .screen = screen,
                                    .tolerance = WEIGHT_TOLERANCE };
    return SUP_OK;
}

// The particles that share a cell with p, without p, each listed once. Their rates are those of Chen et al. 2012, eq. 4: 1 / (d
// + 1), d the distance in cells, over the sum of all; their bone strength cancels. NULL: only counts.
static uint32_t around(const sup_voxels* v, uint32_t p, uint32_t* out, float* rates)
{
    static const float by_bits[4] = { 0, 0.5f, 0.41421356f, 0.36602540f }; // of coordinates that differ: 1, sqrt 2, sqrt 3
    uint32_t           count = 0;
    float              sum = 0;
    for (uint32_t o = 0; o < 8; ++o) {
        if (!(v->octants[p] >> o & 1)) continue;
        const uint32_t* corners = v->particles + 8 * (size_t)sup_voxels_octant(v, p, o);
        for (uint32_t k = 0; k < 8; ++k) {
            bool known = corners[k] == p;
            for (uint32_t i = 0; i < count && !known; ++i) known = out[i] == corners[k];
            if (known) continue;
            uint32_t apart = k ^ o ^ 7; // p is the corner opposite to the octant
            if (rates) sum += rates[count] = by_bits[(apart & 1) + (apart >> 1 & 1) + (apart >> 2)];
            out[count++] = corners[k];
        }
    }
    for (uint32_t i = 0; i < count && rates; ++i) rates[i] /= sum;
    return count;
}

// How many steps over 26-neighborhoods it takes from the bones to the last particle.
static uint32_t steps_to_all(const sup_lattice_weights* w, const uint32_t* begin, const uint32_t* links, uint32_t* queue,
                             uint32_t* level)
{
    uint32_t count = w->voxels->particle_count, head = 0, tail = 0, most = 1;
    for (uint32_t p = 0; p < count; ++p) {
        bool source = w->near.sources[p] || w->near.lost[w->voxels->components[p]];
        level[p] = source ? 0 : SUP_NONE;
        if (source) queue[tail++] = p;
    }
    while (head < tail) {
        uint32_t p = queue[head++];
        if (level[p] > most) most = level[p];
        for (uint32_t i = begin[p]; i < begin[p + 1]; ++i) {
            if (level[links[i]] != SUP_NONE) continue;
            level[links[i]] = level[p] + 1;
            queue[tail++] = links[i];
        }
    }
    return most;
}

static sup_result make_neighbors(const sup_lattice_weights_desc* d, sup_arena* arena, sup_lattice_weights* w, sup_error* error)
{
    const sup_voxels* v = w->voxels;
    uint32_t          near[64];
    uint32_t*         begin = SUP_NEW(arena, uint32_t, (size_t)v->particle_count + 1);
    uint32_t*         queue = SUP_NEW(arena, uint32_t, v->particle_count);
    uint32_t*         level = SUP_NEW(arena, uint32_t, v->particle_count);
    if (!begin || !queue || !level) return sup_fail_memory(error, "weights");
    for (uint32_t p = 0; p < v->particle_count; ++p) begin[p + 1] = begin[p] + around(v, p, near, NULL);
    uint32_t* links = SUP_NEW(arena, uint32_t, begin[v->particle_count]);
    float*    rates = SUP_NEW(arena, float, begin[v->particle_count]);
    if (!links || !rates) return sup_fail_memory(error, "weights");
    for (uint32_t p = 0; p < v->particle_count; ++p) around(v, p, links + begin[p], rates + begin[p]);
    w->diffusion = (sup_diffusion){ .count = v->particle_count, .link_begin = begin, .links = links, .rates = rates };
    w->steps = d->steps ? d->steps : steps_to_all(w, begin, links, queue, level);
    return SUP_OK;
}

sup_result sup_lattice_weights_create(const sup_lattice_weights_desc* desc, sup_arena* arena, sup_lattice_weights* out,
                                      sup_error* error)
{
    *out = (sup_lattice_weights){ .voxels = desc->voxels };
    sup_result result =
        sup_nearest_bones_find(desc->voxels, desc->bone_count, desc->bones, desc->owners, arena, &out->near, error);
    if (result != SUP_OK) return result;
    return desc->diffuse ? make_neighbors(desc, arena, out, error) : make_screen(desc, arena, out, error);
}

static void begin_group(const sup_lattice_weights* weights, uint32_t group, float* w)
{
    uint32_t first = group * SUP_LANES, count = weights->diffusion.count;
    memset(w, 0, (size_t)count * SUP_LANES * sizeof *w);
    for (uint32_t p = 0; p < count; ++p) {
        const sup_nearest* n = &weights->near.particles[p];
        bool               source = weights->near.sources[p] || weights->near.lost[weights->voxels->components[p]];
        if (weights->steps && !source) continue;
        for (uint32_t i = 0; i < n->count; ++i)
            if (n->owners[i] - first < SUP_LANES) w[(size_t)p * SUP_LANES + n->owners[i] - first] = 1.0f / (float)n->count;
    }
}

void sup_lattice_weights_solve(const sup_lattice_weights* weights, uint32_t group, sup_diffusion_run* run, float* w,
                               float* work)
{
    uint32_t some = sup_diffusion_some(weights->diffusion.count);
    if (run->ended) return;
    if (!run->begun) begin_group(weights, group, w);
    if (!weights->steps) {
        SUP_WIDE_PICK(sup_diffusion_go_on)(&weights->diffusion, run, some, w, work);
        return;
    }
    uint32_t left = weights->steps - run->iterations, now = left < some ? left : some;
    SUP_WIDE_PICK(sup_diffusion_average)(&weights->diffusion, now, w, work);
    run->begun = true;
    run->iterations += now;
    run->ended = run->iterations == weights->steps;
}
