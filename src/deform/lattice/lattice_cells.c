// The default cell size: every limb that fits a particle budget gets three cells across.
#include "deform/lattice/lattice_binder.h"
#include "geom/volume/volumes.h"
#include "rig/weights/weights_cells.h"

#include <math.h>

enum {
    CELLS_LEAST = 16,
    CELLS_STANDARD = 48,   // unless limbs need more
    CELLS_ACROSS = 3,      // of a limb
    PARTICLES_MOST = 8000, // a frame of 33 ms costs 6 to 7 ms of one core
    TRIALS = 6,
};

static sup_result fill(binder* m, uint32_t cells, sup_arena* arena, sup_voxels* out)
{
    const sup_mesh* mesh = &m->in->character->mesh;
    sup_voxels_desc desc = { .point_count = mesh->point_count,
                             .points = mesh->points,
                             .triangle_count = m->surface.triangle_count,
                             .triangles = m->surface.triangles,
                             .cells = cells,
                             .tasks = m->in->tasks,
                             .progress = m->in->progress };
    m->cells = cells;
    return sup_voxels_create(&desc, arena, out, m->error);
}

static double fifth(double x) { return x * x * x * x * x; }

// The most cells not expected to exceed the particle budget. Skin grows with the square of the cells, flesh with the cube; in
// between, fifth power of the cells = square of the particles, without a root that differs between machines.
static uint32_t affordable(uint32_t cells, uint32_t particles, uint32_t most)
{
    double   share = (double)PARTICLES_MOST / particles, limit = share * share * fifth(cells);
    uint32_t c = CELLS_LEAST;
    while (c < most && fifth(c + 1.0) <= limit) ++c;
    return c;
}

// Cells that make limbs CELLS_ACROSS thick, or thick enough to count: the largest number that a feasible limb asks for.
static sup_result wanted(binder* m, double longest, uint32_t most, uint32_t* out)
{
    *out = CELLS_STANDARD;
    if (!m->skin_parts) {
        uint32_t             fine = 0;
        const sup_character* c = m->in->character;
        sup_result r = sup_weights_choose_cells(&c->mesh, c->skeleton.bone_count, c->skeleton.bones, m->in->tasks, m->scratch,
                                                &fine, m->error);
        if (r == SUP_OK && fine > *out && fine <= most) *out = fine;
        return r;
    }
    double* thickness = SUP_NEW(m->scratch, double, m->skin_parts->part_count);
    if (!thickness) return sup_fail_memory(m->error, "parts of a lattice");
    sup_volumes_thickness(m->skin_parts, m->in->character->mesh.points, thickness);
    for (uint32_t i = 0; i < m->skin_parts->part_count; ++i) {
        double whole = ceil(CELLS_ACROSS * longest / thickness[i]), just = ceil(LATTICE_THIN_CELLS * longest / thickness[i]);
        double asks = whole <= most ? whole : just;
        if (asks > *out && asks <= most) *out = (uint32_t)asks;
    }
    return SUP_OK;
}

sup_result lattice_fill_cells(binder* m)
{
    uint32_t asked = (uint32_t)m->params->cells, most = (uint32_t)lattice_rows[ROW_CELLS].max, cells;
    if (asked && asked < CELLS_LEAST)
        return sup_fail(m->error, SUP_ERROR_INPUT, "lattice: cells cannot be %u; give %u to %u, or 0 for as many as limbs need",
                        asked, CELLS_LEAST, most);
    if (asked) return fill(m, asked, m->arena, &m->b->voxels);
    sup_arena* trial = sup_arena_beside(m->scratch);
    sup_voxels v;
    if (!trial) return sup_fail_memory(m->error, "a lattice");
    sup_result r = fill(m, CELLS_STANDARD, trial, &v);
    if (r == SUP_OK) r = wanted(m, v.h * CELLS_STANDARD, affordable(CELLS_STANDARD, v.particle_count, most), &cells);
    if (r == SUP_OK && v.particle_count > PARTICLES_MOST) cells = affordable(CELLS_STANDARD, v.particle_count, CELLS_STANDARD);
    sup_arena_destroy(trial);
    for (int i = 0; i < TRIALS && r == SUP_OK; ++i) {
        r = fill(m, cells, m->arena, &m->b->voxels);
        if (r != SUP_OK || m->b->voxels.particle_count <= PARTICLES_MOST || cells == CELLS_LEAST) break;
        cells = affordable(cells, m->b->voxels.particle_count, cells - 1); // the attempt stays in the arena: it is small
    }
    return r;
}
