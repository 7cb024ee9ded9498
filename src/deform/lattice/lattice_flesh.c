// The material of the corners: the core of the bones, masses, softness.
#include "deform/lattice/lattice_binder.h"

#include <math.h>
#include <string.h>

#define SKIN_HALF_CELL 0.5 // from the outermost particles to the skin, on average
#define CORE_HOLD 0.25f    // weight of a particle's own direction from the bone, against a link's 1: smooth over two cells

static sup_result find_depths(binder* m)
{
    const sup_voxels* v = &m->b->voxels;
    uint32_t          head = 0, tail = 0, *queue = SUP_NEW(m->scratch, uint32_t, v->particle_count);
    m->depth = SUP_NEW(m->scratch, uint32_t, v->particle_count);
    if (!queue || !m->depth) return sup_fail_memory(m->error, "a lattice");
    for (uint32_t p = 0; p < v->particle_count; ++p) {
        m->depth[p] = v->octants[p] == 0xff ? SUP_NONE : 0;
        if (m->depth[p] == 0) queue[tail++] = p;
    }
    while (head < tail) {
        uint32_t p = queue[head++];
        for (uint32_t k = v->link_begin[p]; k < v->link_begin[p + 1]; ++k) {
            if (m->depth[v->links[k]] != SUP_NONE) continue;
            m->depth[v->links[k]] = m->depth[p] + 1;
            queue[tail++] = v->links[k];
        }
    }
    return SUP_OK;
}

double lattice_bone_distance2(const binder* m, uint32_t joint, sup_vec3 place, sup_vec3* foot)
{
    const sup_skeleton* s = &m->in->character->skeleton;
    float               least = INFINITY;
    for (uint32_t i = m->bone_begin[joint]; i < m->bone_begin[joint + 1]; ++i) {
        const sup_bone* t = &s->bones[m->bone_list[i]];
        sup_vec3        along = v3_sub(t->tail, t->head);
        float           length2 = v3_length2(along);
        float           share = length2 > 0 ? sup_clampf(v3_dot(v3_sub(place, t->head), along) / length2, 0, 1) : 0.0f;
        sup_vec3        at = v3_mad(t->head, share, along);
        float           square = v3_length2(v3_sub(place, at));
        if (!(square < least)) continue;
        least = square;
        if (foot) *foot = at;
    }
    if (foot && least == INFINITY) *foot = place;
    return (double)least / (m->b->h * m->b->h);
}

// The cell nearest to a place outside.
static uint32_t nearest_cell(const sup_voxels* v, const uint32_t* nearest, sup_vec3 place)
{
    uint32_t at = 0, step = 1;
    for (int a = 0; a < 3; ++a) {
        double g = floor(((double)(&place.x)[a] - v->origin[a]) / v->h);
        at += step * (uint32_t)fmin(fmax(g, 0), v->size[a] - 1.0);
        step *= v->size[a];
    }
    return nearest[at];
}

// A bone that lies beside its limb: the nearest middle of the limb is its core.
static void pin_middle(const binder* m, uint32_t joint, uint32_t cell, float* free)
{
    const sup_voxels* v = &m->b->voxels;
    uint32_t          p = v->particles[8 * (size_t)cell];
    for (uint32_t c = 1; c < 8; ++c)
        if (m->depth[v->particles[8 * (size_t)cell + c]] > m->depth[p]) p = v->particles[8 * (size_t)cell + c];
    for (bool climbs = true; climbs;) {
        climbs = false;
        for (uint32_t k = v->link_begin[p]; k < v->link_begin[p + 1] && !climbs; ++k)
            if (m->depth[v->links[k]] > m->depth[p]) p = v->links[k], climbs = true;
    }
    if (m->dominant[p] == joint) free[m->b->regions.slots[p]] = 0;
}

// A limb one cell thick has only border cells: those that the bone passes through are its core.
static sup_result pin_thin(binder* m, float* free)
{
    const sup_voxels*   v = &m->b->voxels;
    const sup_skeleton* s = &m->in->character->skeleton;
    const uint32_t*     nearest = NULL;
    for (uint32_t i = 0; i < s->bone_count; ++i) {
        const sup_bone* t = &s->bones[i];
        uint32_t        steps = (uint32_t)fmin(ceil(2 * (double)v3_distance(t->head, t->tail) / m->b->h), 4096) + 1;
        for (uint32_t k = 0; k <= steps; ++k) {
            float      place[3];
            sup_vec3   at = v3_lerp(t->head, t->tail, (float)k / (float)steps);
            uint32_t   cell = sup_voxels_find(v, at, place);
            sup_result r = SUP_OK;
            if (cell == SUP_NONE) {
                if (!nearest) r = sup_voxels_nearest(v, m->scratch, &nearest, m->error);
                if (r != SUP_OK) return r;
                pin_middle(m, t->joint, nearest_cell(v, nearest, at), free);
                continue;
            }
            bool held = false;
            for (uint32_t c = 0; c < 8; ++c) held |= free[m->b->regions.slots[v->particles[8 * (size_t)cell + c]]] == 0;
            for (uint32_t c = 0; c < 8 && !held; ++c) free[m->b->regions.slots[v->particles[8 * (size_t)cell + c]]] = 0;
        }
    }
    return SUP_OK;
}

// The depth of each joint's flesh, in cells.
static const uint32_t* find_deepest(const binder* m)
{
    uint32_t* deepest = SUP_NEW(m->scratch, uint32_t, m->b->joint_count);
    for (uint32_t p = 0; deepest && p < m->b->voxels.particle_count; ++p)
        if (m->depth[p] > deepest[m->dominant[p]]) deepest[m->dominant[p]] = m->depth[p];
    return deepest;
}

// Flesh that its bone misses altogether is pinned along its own middle.
static sup_result pin_missed(const binder* m, const uint32_t* deepest, float* free)
{
    const lattice_bound* b = m->b;
    uint8_t*             held = SUP_NEW(m->scratch, uint8_t, b->joint_count);
    if (!held) return sup_fail_memory(m->error, "a lattice");
    for (uint32_t p = 0; p < b->voxels.particle_count; ++p)
        if (free[b->regions.slots[p]] == 0) held[m->dominant[p]] = 1;
    for (uint32_t p = 0; p < b->voxels.particle_count; ++p)
        if (!held[m->dominant[p]] && m->depth[p] == deepest[m->dominant[p]]) free[b->regions.slots[p]] = 0;
    return SUP_OK;
}

static sup_result make_pins(binder* m)
{
    lattice_bound* b = m->b;
    float*         free = SUP_NEW(m->arena, float, b->count);
    float*         thickness = SUP_NEW(m->arena, float, b->count);

    const uint32_t* deepest = find_deepest(m);
    if (!free || !thickness || !deepest) return sup_fail_memory(m->error, "a lattice");
    for (uint32_t i = 0; i < b->count; ++i) {
        uint32_t p = b->regions.particles[i];
        if (p == SUP_NONE) continue;
        double d = sqrt(lattice_bone_distance2(m, m->dominant[p], b->rest[i], NULL));
        // A part on a node, which is not a bone, is as thick as it is deep.
        double whole = (isfinite(d) ? d + m->depth[p] : deepest[m->dominant[p]]) + SKIN_HALF_CELL;
        free[i] = !(d < (double)m->params->bone_radius * whole);
        thickness[i] = (float)(1 / (whole * whole * b->h * b->h));
        // A piece that no bone passes through (eyes, buckles) has nothing to swing about.
        if (m->lattice.near.lost[b->voxels.components[p]]) free[i] = 0;
    }
    b->free = free;
    b->thin = thickness;
    if (!(m->params->bone_radius > 0)) return SUP_OK;
    sup_result r = pin_thin(m, free);
    return r == SUP_OK ? pin_missed(m, deepest, free) : r;
}

// ---------------------------------------------------------------------------------------------- masses, softness

sup_result lattice_make_masses(binder* m, float** relative)
{
    lattice_bound* b = m->b;
    float*         mass = SUP_NEW(m->scratch, float, b->voxels.particle_count);
    if (!mass) return sup_fail_memory(m->error, "a lattice");
    for (uint32_t p = 0; p < b->voxels.particle_count; ++p) mass[p] = (float)__builtin_popcount(b->voxels.octants[p]) / 8.0f;
    *relative = mass;
    return SUP_OK;
}

sup_result lattice_place_masses(binder* m, const float* relative)
{
    lattice_bound* b = m->b;
    float*         mass = SUP_NEW(m->arena, float, b->count);
    float*         exposure = SUP_NEW(m->arena, float, b->count);
    if (!mass || !exposure) return sup_fail_memory(m->error, "a lattice");
    double side = b->h * sup_character_physics_unit(m->in->character);
    for (uint32_t i = 0; i < b->count; ++i) {
        uint32_t p = b->regions.particles[i];
        if (p == SUP_NONE) continue;
        mass[i] = (float)((double)relative[p] * side * side * side);
        exposure[i] = 1 - relative[p];
    }
    b->mass = mass;
    b->exposure = exposure;
    return SUP_OK;
}

const uint32_t lattice_soft_rows[SOFT_COUNT] = { ROW_SHAPE_HZ, ROW_POSE_HZ, ROW_DAMPING_RATIO, ROW_GRAVITY };

// Maps and bone values of four sliders at once: scale and offset of each are the eight columns. The map's difference from 1 is
// what gets diffused: where nothing is painted that is 0, and stays 0.
static sup_result make_softness(binder* m)
{
    lattice_bound* b = m->b;
    bool           any = false;
    for (int i = 0; i < SOFT_COUNT; ++i) any |= m->in->fields[lattice_soft_rows[i]].scale != NULL;
    if (!any) return SUP_OK;
    float* values = SUP_NEW(m->scratch, float, (size_t)b->point_count* SUP_LANES);
    float* spread = SUP_NEW(m->scratch, float, (size_t)b->voxels.particle_count* SUP_LANES);
    if (!values || !spread) return sup_fail_memory(m->error, "softness of a lattice");
    for (uint32_t p = 0; p < b->point_count; ++p)
        for (int i = 0; i < SOFT_COUNT; ++i) {
            const sup_field* f = &m->in->fields[lattice_soft_rows[i]];
            values[(size_t)p * SUP_LANES + 2 * i] = f->scale ? f->scale[p] - 1.0f : 0.0f;
            values[(size_t)p * SUP_LANES + 2 * i + 1] = f->scale ? f->offset[p] : 0.0f;
        }
    sup_result r = lattice_extend(b, m->places, values, spread, m->in, 0.75, m->scratch, m->error);
    if (r != SUP_OK) return r;
    for (int i = 0; i < SOFT_COUNT; ++i) {
        if (!m->in->fields[lattice_soft_rows[i]].scale) continue;
        float* scale = SUP_NEW(m->arena, float, b->count);
        float* offset = SUP_NEW(m->arena, float, b->count);
        if (!scale || !offset) return sup_fail_memory(m->error, "softness of a lattice");
        for (uint32_t s = 0; s < b->count; ++s) {
            uint32_t p = b->regions.particles[s];
            scale[s] = p == SUP_NONE ? 1.0f : 1.0f + spread[(size_t)p * SUP_LANES + 2 * i];
            offset[s] = p == SUP_NONE ? 0.0f : spread[(size_t)p * SUP_LANES + 2 * i + 1];
        }
        b->soft[i] = (sup_field){ scale, offset };
    }
    return lattice_find_paint(m);
}

// ---------------------------------------------------------------------------------------------- whole

// Outward from the bone: 0 there, about a cell long at the skin, and smooth where one bone takes over from another.
static sup_result make_core(binder* m)
{
    lattice_bound* b = m->b;
    uint32_t       count = b->voxels.particle_count;
    sup_vec3*      core = SUP_NEW(m->arena, sup_vec3, b->count);
    float*         way = SUP_NEW(m->scratch, float, (size_t)count* SUP_LANES);
    float*         work = SUP_NEW(m->scratch, float, sup_diffusion_work(count));
    float*         screen = SUP_NEW(m->scratch, float, count);
    if (!core || !way || !work || !screen) return sup_fail_memory(m->error, "a lattice");
    for (uint32_t p = 0; p < count; ++p) {
        sup_vec3 foot, at = b->rest[b->regions.slots[p]];
        double   d = sqrt(lattice_bone_distance2(m, m->dominant[p], at, &foot));
        float    scale = (float)(1 / ((d + m->depth[p] + SKIN_HALF_CELL) * b->h));
        sup_vec3 off = v3_scale(v3_sub(at, foot), scale);
        float*   to = way + (size_t)p * SUP_LANES;
        to[0] = off.x, to[1] = off.y, to[2] = off.z;
        screen[p] = CORE_HOLD;
    }
    sup_diffusion d = { .count = count, .link_begin = b->voxels.link_begin, .links = b->voxels.links, .screen = screen };
    sup_result    r = lattice_solve(&d, way, work, m->in, 0.75, m->error);
    if (r != SUP_OK) return r;
    for (uint32_t p = 0; p < count; ++p) {
        const float* from = way + (size_t)p * SUP_LANES;
        uint32_t     slot = b->regions.slots[p];
        core[slot] = v3_scale(v3(from[0], from[1], from[2]), b->free[slot]); // what does not swing does not compensate
    }
    m->core = core;
    return SUP_OK;
}

sup_result lattice_make_flesh(binder* m)
{
    sup_result r = find_depths(m);
    if (r == SUP_OK) r = make_pins(m);
    if (r == SUP_OK) r = make_core(m);
    return r == SUP_OK ? make_softness(m) : r;
}
