// The parts of a skin that keeps the file's weights: its own triangles around each joint, cut across the middles of the bones
// by cuts that the bones carry. The volumes kept here are the ones measured elsewhere (metrics/meter_parts.c).
#include "deform/lattice/lattice_binder.h"
#include "scene/part_labels.h"

#include <math.h>

#define TRIANGLES_MOST 32 // per border particle: more cost more than they add, and nodes work for them
#define LEAST_CELLS 1e-3  // a flat part has no thickness
enum { THIN_REACH = 2 };  // cells from there over which the correction fades in

// Merges the parts of a group of joints into the first: a number for each part, ascending, and how many remain.
static uint32_t join_groups(const sup_labels* labels, const uint32_t* joined, uint32_t* into)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < labels->part_count; ++i) {
        into[i] = SUP_NONE;
        for (uint32_t k = 0; k < i && into[i] == SUP_NONE; ++k)
            if (joined[labels->part_joints[k]] == joined[labels->part_joints[i]]) into[i] = into[k];
        if (into[i] == SUP_NONE) into[i] = count++;
    }
    return count;
}

// The closed surface of every group of parts. Two parts of one group have no cut between them.
static sup_result close_parts(binder* m, const sup_labels* l, const uint32_t* into, uint32_t count, uint32_t* joints)
{
    uint32_t*    labels = SUP_NEW(m->scratch, uint32_t, m->surface.triangle_count);
    uint32_t*    parents = SUP_NEW(m->scratch, uint32_t, count);
    uint32_t*    carriers = SUP_NEW(m->scratch, uint32_t, count);
    sup_vec3*    cuts = SUP_NEW(m->scratch, sup_vec3, count);
    sup_volumes* volumes = SUP_NEW(m->scratch, sup_volumes, 1);
    if (!labels || !parents || !carriers || !cuts || !volumes) return sup_fail_memory(m->error, "parts of a lattice");
    for (uint32_t t = 0; t < m->surface.triangle_count; ++t) labels[t] = into[l->labels[t]];
    for (uint32_t i = l->part_count; i-- > 0;) { // the first of a group wins
        parents[into[i]] = l->parents[i] == SUP_NONE || into[l->parents[i]] == into[i] ? SUP_NONE : into[l->parents[i]];
        cuts[into[i]] = l->cut_points[i];
        carriers[into[i]] = l->cut_carriers[i];
        joints[into[i]] = l->part_joints[i];
    }
    sup_volumes_desc desc = { .point_count = m->in->character->mesh.point_count,
                              .triangle_count = m->surface.triangle_count,
                              .triangles = m->surface.triangles,
                              .part_count = count,
                              .labels = labels,
                              .parents = parents,
                              .cut_points = cuts,
                              .cut_carriers = carriers };
    sup_result       r = sup_volumes_create(&desc, m->scratch, volumes, m->error);
    m->skin_parts = volumes;
    return r;
}

// Every cell belongs to the joint at the nearer end of its bone, or the nearest ancestor that has a part.
static void label_cells(const binder* m, const uint32_t* cell_joints, const uint32_t* joint_parts, uint32_t* labels)
{
    const sup_voxels* v = &m->b->voxels;
    const sup_joint*  all = m->in->character->skeleton.joints;
    float             half = (float)(v->h / 2);
    for (uint32_t c = 0; c < v->cell_count; ++c) {
        sup_vec3 place = v3_add(sup_voxels_position(v, v->particles[8 * (size_t)c]), v3(half, half, half));
        uint32_t j = lattice_near_end(&m->in->character->skeleton, cell_joints[c], place);
        while (joint_parts[j] == SUP_NONE && all[j].parent != SUP_NONE) j = all[j].parent;
        labels[c] = joint_parts[j];
    }
}

// Corners of cells that hold points of thin parts stay where the chain poses them; those around them do in part.
static sup_result make_loose(binder* m, const uint32_t* part_joints)
{
    const sup_voxels*  v = &m->b->voxels;
    const sup_volumes* s = m->skin_parts;
    uint32_t *         way = SUP_NEW(m->scratch, uint32_t, v->particle_count), head = 0, tail = 0;
    uint32_t*          queue = SUP_NEW(m->scratch, uint32_t, v->particle_count);
    double*            thickness = SUP_NEW(m->scratch, double, s->part_count);
    float*             loose = SUP_NEW(m->arena, float, m->b->count);
    if (!way || !queue || !thickness || !loose) return sup_fail_memory(m->error, "parts of a lattice");
    m->thin_cells = m->thinnest_cells = LATTICE_THIN_CELLS;
    sup_volumes_thickness(s, m->in->character->mesh.points, thickness);
    for (uint32_t p = 0; p < v->particle_count; ++p) way[p] = SUP_NONE;
    for (uint32_t i = 0; i < s->part_count; ++i) {
        thickness[i] /= m->b->h;
        if (thickness[i] >= LATTICE_THIN_CELLS) continue;
        m->thin_count++;
        m->thinnest_cells = fmin(m->thinnest_cells, fmax(thickness[i], LEAST_CELLS));
        if (m->thin_named < LATTICE_THIN_NAMES) m->thin_joints[m->thin_named++] = part_joints[i];
        for (uint32_t k = 3 * s->begin[i]; k < 3 * s->begin[i + 1]; ++k) {
            if (s->corners[k] >= s->point_count) continue;
            const uint32_t* corners = v->particles + 8 * (size_t)m->b->embed.cells[s->corners[k]];
            for (int c = 0; c < 8; ++c)
                if (way[corners[c]] != 0) way[corners[c]] = 0, queue[tail++] = corners[c];
        }
    }
    while (head < tail) {
        uint32_t p = queue[head++];
        for (uint32_t k = v->link_begin[p]; k < v->link_begin[p + 1] && way[p] < THIN_REACH; ++k)
            if (way[v->links[k]] == SUP_NONE) way[v->links[k]] = way[p] + 1, queue[tail++] = v->links[k];
    }
    for (uint32_t p = 0; p < v->particle_count; ++p)
        loose[m->b->regions.slots[p]] = way[p] == SUP_NONE ? 1.0f : sup_smoothstep(0, THIN_REACH + 1, (float)way[p]);
    m->loose = loose;
    return SUP_OK;
}

sup_result lattice_find_skin_parts(binder* m)
{
    uint32_t   joints = m->b->joint_count;
    sup_labels l;
    if (!m->b->keeps_file || m->params->measure != MEASURE_SKIN) return SUP_OK;
    sup_result r =
        sup_character_label_parts(m->in->character, m->surface.triangle_count, m->surface.triangles, m->scratch, &l, m->error);
    if (r != SUP_OK || l.part_count == 0) return r;
    uint32_t* joined = SUP_NEW(m->scratch, uint32_t, joints);
    uint32_t* into = SUP_NEW(m->scratch, uint32_t, l.part_count);
    m->skin_part_joints = SUP_NEW(m->arena, uint32_t, l.part_count);
    m->skin_joint_parts = SUP_NEW(m->arena, uint32_t, joints);
    if (!joined || !into || !m->skin_part_joints || !m->skin_joint_parts)
        return sup_fail_memory(m->error, "parts of a lattice");
    lattice_group_joints(m->in, m->params->parts ? m->params->parts : "", joined);
    uint32_t count = join_groups(&l, joined, into);
    for (uint32_t j = 0; j < joints; ++j)
        m->skin_joint_parts[j] = l.joint_parts[j] == SUP_NONE ? SUP_NONE : into[l.joint_parts[j]];
    return close_parts(m, &l, into, count, m->skin_part_joints);
}

sup_result lattice_label_skin(binder* m, const uint32_t* cell_joints, uint32_t** labels, uint32_t* part_count,
                              uint32_t** part_joints, uint32_t** joint_parts)
{
    const sup_voxels* v = &m->b->voxels;
    uint32_t          border = 0;
    if (!m->skin_parts) return SUP_OK;
    for (uint32_t p = 0; p < v->particle_count; ++p) border += v->octants[p] != 0xff; // about as many as faces of cells
    m->coarse_cells = m->surface.triangle_count > TRIANGLES_MOST * border;
    *labels = SUP_NEW(m->arena, uint32_t, v->cell_count);
    if (!*labels) return sup_fail_memory(m->error, "parts of a lattice");
    *part_count = m->skin_parts->part_count;
    *part_joints = m->skin_part_joints;
    *joint_parts = m->skin_joint_parts;
    label_cells(m, cell_joints, *joint_parts, *labels);
    return make_loose(m, *part_joints);
}
