#include "deform/lattice/lattice.h"

// The place of a slot, and its distance from the pose in cells.
static sup_vec3 place(const lattice_bound* b, const void* state, uint32_t slot, float* away)
{
    const float* y = lattice_plane(b, (void*)state, PLANE_Y) + slot;
    const float* d = lattice_plane(b, (void*)state, PLANE_D) + slot;
    size_t       n = b->count;
    *away = (float)((double)v3_length(v3(d[0], d[n], d[2 * n])) / b->h);
    return v3(y[0] + d[0], y[n] + d[n], y[2 * n] + d[2 * n]);
}

// The place of a corner of a part's faces.
static sup_vec3 corner(const lattice_bound* b, const void* state, uint32_t member)
{
    const sup_lattice_volume* v = &b->volume;
    sup_vec3                  at = v3(0, 0, 0);
    float                     away;
    for (uint32_t k = 0; k < LATTICE_NODE_SLOTS; ++k) {
        size_t row = LATTICE_NODE_SLOTS * (size_t)member + k;
        at = v3_mad(at, v->places[row], place(b, state, v->members[row], &away));
    }
    return at;
}

static void draw_particles(const lattice_bound* b, const void* state, const sup_canvas* canvas)
{
    for (uint32_t i = 0; i < b->count; ++i) {
        uint32_t p = b->regions.particles[i];
        float    away, other;
        if (p == SUP_NONE) continue;
        sup_vec3 at = place(b, state, i, &away);
        canvas->point(canvas->user, b->free[i] == 0 ? "pins" : "particles", at,
                      b->free[i] == 0 ? 1.0f : sup_clampf(away, 0, 1));
        for (uint32_t k = b->voxels.link_begin[p]; k < b->voxels.link_begin[p + 1]; ++k)
            if (b->voxels.links[k] > p)
                canvas->line(canvas->user, "cells", at, place(b, state, b->regions.slots[b->voxels.links[k]], &other),
                             sup_clampf(away, 0, 1));
    }
}

void lattice_draw(const sup_binding* binding, const sup_pose* pose, const void* state, const sup_vec3* skin,
                  const sup_canvas* canvas)
{
    (void)pose, (void)skin;
    const lattice_bound*      b = binding->data;
    const sup_lattice_volume* v = &b->volume;
    draw_particles(b, state, canvas);
    for (uint32_t part = 0; part < v->part_count; ++part) {
        // Neighbors in the tree get distant colors.
        float color = (float)(part * 5 % 8) / 7.0f;
        for (uint32_t block = v->parts[part].block_begin; block < v->parts[part].block_end; ++block)
            for (uint32_t lane = 0; lane < SUP_LANES; ++lane) {
                sup_vec3 c[4];
                uint32_t slots[4];
                for (uint32_t k = 0; k < 4; ++k) {
                    slots[k] = v->parts[part].member_begin + v->faces[(4 * (size_t)block + k) * SUP_LANES + lane];
                    c[k] = corner(b, state, slots[k]);
                }
                if (slots[0] == slots[1]) continue; // an empty lane
                canvas->triangle(canvas->user, "parts", c[0], c[1], c[2], color);
                canvas->triangle(canvas->user, "parts", c[0], c[2], c[3], color);
            }
    }
}
