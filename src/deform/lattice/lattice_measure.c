// Parts whose volumes are kept, and the skin that measures them.
#include "deform/lattice/lattice_binder.h"
#include "run/skin_character.h"

#include <math.h>
#include <string.h>

#define STIFF_PART 0.15 // growth of a part's volume over its cells^(2/3) below which it cannot be corrected
enum { MERGE_ROUNDS = 6 };

static sup_result create_volumes(binder* m, const uint32_t* labels, uint32_t part_count, bool trial, sup_arena* arena,
                                 sup_lattice_volume* out)
{
    sup_lattice_volume_desc desc = { .voxels = &m->b->voxels,
                                     .slots = m->b->regions.slots,
                                     .slot_count = m->b->count,
                                     .part_count = part_count,
                                     .labels = labels,
                                     .nodes = m->nodes,
                                     .core = m->core,
                                     .point_count = m->in->character->mesh.point_count,
                                     .triangle_count = m->coarse_cells ? 0 : m->surface.triangle_count,
                                     .triangles = m->surface.triangles,
                                     .point_cells = m->b->embed.cells,
                                     .point_places = m->places,
                                     .surface = m->coarse_cells ? NULL : m->skin_parts,
                                     .loose = m->loose,
                                     .fade = m->params->fade,
                                     .trial = trial,
                                     .progress = m->in->progress };
    return sup_lattice_volume_create(&desc, arena, out, m->error);
}

// The part of the nearest ancestor that has one; itself if none has.
static uint32_t part_above(const binder* m, const uint32_t* joints, uint32_t part_count, uint32_t part)
{
    const sup_joint* all = m->in->character->skeleton.joints;
    for (uint32_t j = all[joints[part]].parent; j != SUP_NONE; j = all[j].parent)
        for (uint32_t i = 0; i < part_count; ++i)
            if (joints[i] == j) return i;
    return part;
}

// A part whose cuts leave nothing free to move cannot get its volume back: it joins its ancestor's, which comes earlier in the
// order of joints and so already has its new number.
static sup_result merge_stiff_parts(binder* m, uint32_t* labels, uint32_t* joints, uint32_t* joint_parts, uint32_t* part_count)
{
    lattice_bound*     b = m->b;
    sup_arena*         trial = sup_arena_beside(m->scratch);
    sup_lattice_volume volume;
    if (!trial) return sup_fail_memory(m->error, "parts of a lattice");
    sup_result r = create_volumes(m, labels, *part_count, true, trial, &volume);
    uint32_t*  into = SUP_NEW(trial, uint32_t, *part_count);
    sup_mat3*  unturned = SUP_NEW(trial, sup_mat3, b->count);
    void*      work = r == SUP_OK ? sup_arena_alloc(trial, 1, sup_lattice_volume_scratch(&volume)) : NULL;
    if (r == SUP_OK && into && unturned && work) {
        uint32_t kept = 0;
        for (uint32_t i = 0; i < b->count; ++i) unturned[i].m[0][0] = unturned[i].m[1][1] = unturned[i].m[2][2] = 1;
        for (uint32_t i = 0; i < *part_count; ++i) {
            double growth = sup_lattice_volume_growth(&volume, i, b->rest, unturned, work), cells = volume.parts[i].cells;
            double least = STIFF_PART * STIFF_PART * STIFF_PART * cells * cells; // cubed: cube roots differ between machines
            into[i] = growth * growth * growth < least ? part_above(m, joints, *part_count, i) : i;
        }
        for (uint32_t i = 0; i < *part_count; ++i) {
            if (into[i] != i) into[i] = into[into[i]];
            else {
                joints[kept] = joints[i];
                into[i] = kept++;
            }
        }
        for (uint32_t c = 0; c < b->voxels.cell_count; ++c) labels[c] = into[labels[c]];
        for (uint32_t j = 0; j < b->joint_count; ++j)
            if (joint_parts[j] != SUP_NONE) joint_parts[j] = into[joint_parts[j]];
        *part_count = kept;
    } else if (r == SUP_OK) r = sup_fail_memory(m->error, "parts of a lattice");
    sup_arena_destroy(trial);
    return r;
}

static sup_result make_parts(binder* m)
{
    lattice_bound* b = m->b;
    uint32_t *     cell_joints = SUP_NEW(m->scratch, uint32_t, b->voxels.cell_count), *labels = NULL;
    float*         sums = SUP_NEW(m->scratch, float, b->joint_count);
    if (!cell_joints || !sums) return sup_fail_memory(m->error, "a lattice");
    for (uint32_t c = 0; c < b->voxels.cell_count; ++c) { // the joint with the most weight over the cell's corners
        const uint32_t* corners = b->voxels.particles + 8 * (size_t)c;
        float           most = -1;
        for (int k = 0; k < 8; ++k)
            for (uint32_t i = m->begin[corners[k]]; i < m->begin[corners[k] + 1]; ++i) sums[m->joint_lists[i]] += m->values[i];
        for (int k = 0; k < 8; ++k)
            for (uint32_t i = m->begin[corners[k]]; i < m->begin[corners[k] + 1]; ++i) {
                uint32_t j = m->joint_lists[i];
                if (sums[j] > most) most = sums[j], cell_joints[c] = j;
            }
        for (int k = 0; k < 8; ++k)
            for (uint32_t i = m->begin[corners[k]]; i < m->begin[corners[k] + 1]; ++i) sums[m->joint_lists[i]] = 0;
    }
    uint32_t   part_count = 0, *joints = NULL, *joint_parts = NULL;
    sup_result r = lattice_label_skin(m, cell_joints, &labels, &part_count, &joints, &joint_parts);
    if (r == SUP_OK && part_count == 0)
        r = lattice_label_parts(m->in, b, cell_joints, m->arena, &labels, &part_count, &joints, &joint_parts, m->error);
    for (int round = 0; r == SUP_OK && !m->skin_parts && round < MERGE_ROUNDS; ++round) {
        uint32_t before = part_count;
        r = merge_stiff_parts(m, labels, joints, joint_parts, &part_count);
        if (part_count == before) break;
    }
    b->loose = m->loose;
    for (uint32_t i = 0; i < b->count && m->loose; ++i) // what follows its bones does not swing
        if (m->loose[i] == 0) ((float*)b->free)[i] = 0;
    b->part_joints = joints;
    b->joint_parts = joint_parts;
    return r == SUP_OK ? create_volumes(m, labels, part_count, false, m->arena, &b->volume) : r;
}

// The corners of the parts' faces that ride on bones: the centers of their cuts.
static sup_result list_carried(binder* m)
{
    lattice_bound*     b = m->b;
    const sup_volumes* s = m->skin_parts;
    uint32_t           count = 0, cuts = 0;
    for (int round = 0; round < 2; ++round) {
        uint32_t n = 0;
        if (round == 1) {
            b->carried = SUP_NEW(m->arena, lattice_carried, cuts);
            if (!b->carried) return sup_fail_memory(m->error, "parts of a lattice");
        }
        for (uint32_t i = 0; i < b->volume.member_count; ++i) {
            const sup_lattice_node* node = &b->volume.nodes[b->volume.member_nodes[i]];
            if (!b->volume.rides[i] || !node->carried) continue;
            for (uint32_t k = s->center_begin[node->points[0]]; k < s->center_begin[node->points[0] + 1]; ++k, ++n) {
                uint32_t cut = s->center_cuts[k];
                if (round == 1)
                    b->carried[n] =
                        (lattice_carried){ i, s->cut_carriers[cut], s->cut_points[cut], (float)s->center_shares[k] };
            }
            count += round == 0;
        }
        cuts = n;
    }
    b->carried_count = count ? cuts : 0;
    return SUP_OK;
}

// The corners of the parts' faces that ride on the skin, posed by the file's weights like the skin itself.
static sup_result make_node_skin(binder* m)
{
    const sup_character* c = m->in->character;
    lattice_bound*       b = m->b;
    uint32_t             count = b->volume.member_count, total = 0, joint_count = c->skeleton.joint_count;
    uint32_t*            begin = SUP_NEW(m->scratch, uint32_t, (size_t)count + 1);
    sup_vec3*            rest = SUP_NEW(m->scratch, sup_vec3, count);
    sup_vec3*            centers = SUP_NEW(m->scratch, sup_vec3, joint_count);
    float*               sums = SUP_NEW(m->scratch, float, joint_count);
    if (!begin || !rest || !centers || !sums) return sup_fail_memory(m->error, "the skin of a lattice");
    for (uint32_t i = 0; i < count; ++i) {
        const sup_lattice_node* n = &b->volume.nodes[b->volume.member_nodes[i]];
        for (int k = 0; k < 3 && b->volume.rides[i]; ++k)
            total += n->carried ? 0 : c->weights.begin[n->points[k] + 1] - c->weights.begin[n->points[k]];
    }
    uint32_t* joints = SUP_NEW(m->scratch, uint32_t, total);
    float*    values = SUP_NEW(m->scratch, float, total);
    if (!joints || !values) return sup_fail_memory(m->error, "the skin of a lattice");
    for (uint32_t i = 0; i < count; ++i) {
        const sup_lattice_node* n = &b->volume.nodes[b->volume.member_nodes[i]];
        begin[i + 1] = begin[i];
        for (int k = 0; k < 3 && b->volume.rides[i] && !n->carried; ++k) {
            rest[i] = v3_mad(rest[i], n->mix[k], c->mesh.points[n->points[k]]);
            for (uint32_t w = c->weights.begin[n->points[k]]; w < c->weights.begin[n->points[k] + 1]; ++w) {
                float* sum = &sums[c->weights.joints[w]];
                if (*sum == 0) joints[begin[i + 1]++] = c->weights.joints[w];
                *sum += fmaxf(n->mix[k] * c->weights.values[w], 1e-9f); // never 0 again: marks it as listed
            }
        }
        for (uint32_t k = begin[i]; k < begin[i + 1]; ++k) values[k] = sums[joints[k]], sums[joints[k]] = 0;
    }
    for (uint32_t j = 0; j < joint_count; ++j) {
        sup_affine bind;
        if (affine_invert(&c->skeleton.joints[j].inverse_bind, &bind)) centers[j] = affine_translation(&bind);
    }
    sup_skin_desc desc = { .point_count = count,
                           .points = rest,
                           .begin = begin,
                           .joints = joints,
                           .values = values,
                           .joint_count = joint_count,
                           .joint_centers = centers };
    return sup_skin_create(&desc, m->arena, &b->node_skin, m->error);
}

static sup_result list_member_points(binder* m)
{
    const sup_lattice_volume* v = &m->b->volume;
    uint32_t*                 points = SUP_NEW(m->arena, uint32_t, v->member_count);
    if (!points) return sup_fail_memory(m->error, "the skin of a lattice");
    for (uint32_t i = 0; i < v->member_count; ++i) {
        const sup_lattice_node* n = &v->nodes[v->member_nodes[i]];
        points[i] = v->rides[i] && !n->carried && !n->middle ? n->points[0] : SUP_NONE;
    }
    m->b->member_points = points;
    return SUP_OK;
}

// The points around the centers of holes, and of borders without a cut.
static sup_result list_middles(binder* m)
{
    lattice_bound*            b = m->b;
    const sup_lattice_volume* v = &b->volume;
    const sup_volumes*        s = m->skin_parts;
    uint32_t                  holes = s->hole_count ? s->hole_begin[s->hole_count] : 0;
    uint32_t                  borders = s->center_count ? s->border_begin[s->center_count] : 0;
    uint32_t*                 points = SUP_NEW(m->arena, uint32_t, (size_t)holes + borders);
    b->middles = SUP_NEW(m->arena, lattice_middle, v->middle_count);
    if (!points || !b->middles) return sup_fail_memory(m->error, "the skin of a lattice");
    if (holes) memcpy(points, s->hole_points, holes * sizeof *points);
    if (borders) memcpy(points + holes, s->border_points, borders * sizeof *points);
    for (uint32_t i = 0; i < v->middle_count; ++i) {
        uint32_t        at = v->nodes[v->member_nodes[v->middles[i].member]].points[0] - s->point_count;
        bool            hole = at < s->hole_count;
        const uint32_t* begin = hole ? s->hole_begin + at : s->border_begin + (at - s->hole_count);
        b->middles[i] = (lattice_middle){ begin[1] - begin[0], points + (hole ? 0 : holes) + begin[0] };
    }
    return SUP_OK;
}

static sup_result make_point_skin(binder* m)
{
    skin_character skin;
    sup_result     r = skin_character_bind(m->in->character, m->arena, &skin, m->error);
    m->b->point_skin = skin.set;
    return r;
}

sup_result lattice_make_volumes(binder* m)
{
    const sup_mesh* mesh = &m->in->character->mesh;
    sup_result      r = SUP_OK;
    if (m->params->measure == MEASURE_SKIN)
        r = sup_lattice_nodes_find(&m->b->voxels, mesh->points, m->surface.triangles, m->surface.triangle_count, m->in->tasks,
                                   m->scratch, &m->nodes, m->error);
    if (r == SUP_OK) r = make_parts(m);
    sup_lattice_gaps_desc gaps = { .voxels = &m->b->voxels,
                                   .slots = m->b->regions.slots,
                                   .slot_count = m->b->count,
                                   .nodes = m->nodes,
                                   .outward = m->b->volume.outward,
                                   .point_count = mesh->point_count,
                                   .triangle_count = m->surface.triangle_count,
                                   .points = mesh->points,
                                   .triangles = m->surface.triangles,
                                   .point_cells = m->b->embed.cells,
                                   .point_places = m->places };
    if (r == SUP_OK) r = sup_lattice_gaps_create(&gaps, m->arena, &m->b->gaps, m->error);
    bool on_points = m->skin_parts && !m->coarse_cells;
    if (r == SUP_OK && m->b->keeps_file && m->nodes && !on_points) r = make_node_skin(m);
    if (r == SUP_OK && on_points) r = list_carried(m);
    if (r == SUP_OK && on_points) r = list_member_points(m);
    if (r == SUP_OK && on_points) r = list_middles(m);
    if (r == SUP_OK && ((m->b->keeps_file && m->b->twists) || on_points)) r = make_point_skin(m);
    return r;
}
