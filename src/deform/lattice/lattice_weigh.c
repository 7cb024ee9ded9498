// Weights of the corners: diffused from the bones through the cells, or extended from the skin.
#include "base/sort.h"
#include "deform/lattice/lattice_binder.h"

#include <math.h>
#include <string.h>

// Subtracted from every weight: faint ones fade to zero without a jump.
#define FAINT_WEIGHT 2e-3
#define FILE_HOLD 4.0f   // weight of the skin's own values at nearby particles, against a link's 1
#define FLOOR_HOLD 1e-5f // keeps a piece without points solvable

// Bones by joint, ascending.
static sup_result list_bones(binder* m)
{
    const sup_skeleton* s = &m->in->character->skeleton;
    m->bone_begin = SUP_NEW(m->scratch, uint32_t, (size_t)s->joint_count + 2);
    m->bone_list = SUP_NEW(m->scratch, uint32_t, s->bone_count);
    if (!m->bone_begin || !m->bone_list) return sup_fail_memory(m->error, "a lattice");
    for (uint32_t i = 0; i < s->bone_count; ++i) ++m->bone_begin[s->bones[i].joint + 2];
    for (uint32_t j = 0; j < s->joint_count; ++j) m->bone_begin[j + 2] += m->bone_begin[j + 1];
    for (uint32_t i = 0; i < s->bone_count; ++i) m->bone_list[m->bone_begin[s->bones[i].joint + 1]++] = i;
    return SUP_OK;
}

static sup_result list_owners(binder* m)
{
    const sup_skeleton* s = &m->in->character->skeleton;
    uint32_t*           owner = SUP_NEW(m->scratch, uint32_t, s->joint_count);
    m->owner_joints = SUP_NEW(m->scratch, uint32_t, s->joint_count);
    m->owners = SUP_NEW(m->scratch, uint32_t, s->bone_count);
    if (!owner || !m->owner_joints || !m->owners) return sup_fail_memory(m->error, "a lattice");
    for (uint32_t i = 0; i < s->bone_count; ++i) owner[s->bones[i].joint] = 1;
    for (uint32_t j = 0; j < s->joint_count; ++j) {
        if (!owner[j]) continue;
        m->owner_joints[m->owner_count] = j;
        owner[j] = m->owner_count++;
    }
    for (uint32_t i = 0; i < s->bone_count; ++i) m->owners[i] = owner[s->bones[i].joint];
    m->bone_joints = sup_arena_copy(m->scratch, m->owner_joints, m->owner_count, sizeof *m->owner_joints);
    return m->bone_joints ? list_bones(m) : sup_fail_memory(m->error, "a lattice");
}

static sup_result prepare_weights(binder* m)
{
    const sup_skeleton* s = &m->in->character->skeleton;
    sup_bone_line*      lines = SUP_NEW(m->scratch, sup_bone_line, s->bone_count);
    float*              strength = SUP_NEW(m->scratch, float, m->owner_count);
    if (!lines || !strength) return sup_fail_memory(m->error, "a lattice");
    for (uint32_t i = 0; i < s->bone_count; ++i) lines[i] = (sup_bone_line){ s->bones[i].head, s->bones[i].tail };
    for (uint32_t o = 0; o < m->owner_count; ++o)
        strength[o] =
            sup_field_value(&lattice_rows[ROW_STRENGTH], &m->in->fields[ROW_STRENGTH], m->params->strength, m->owner_joints[o]);
    sup_lattice_weights_desc desc = { .voxels = &m->b->voxels,
                                      .bone_count = s->bone_count,
                                      .bones = lines,
                                      .owners = m->owners,
                                      .strength = strength,
                                      .spread = (double)m->params->spread,
                                      .diffuse = m->params->weights == WEIGHTS_DIFFUSE };
    return sup_lattice_weights_create(&desc, m->scratch, &m->lattice, m->error);
}

static void solve_groups(void* data, uint32_t begin, uint32_t end)
{
    binder*  m = data;
    uint32_t count = m->b->voxels.particle_count;
    for (uint32_t g = begin; g < end; ++g) {
        float* w = m->all + (size_t)g * count * SUP_LANES;
        sup_lattice_weights_solve(&m->lattice, g, &m->runs[g], w,
                                  m->all + (size_t)m->groups * count * SUP_LANES + g * sup_diffusion_work(count));
    }
}

static sup_result spread_from_bones(binder* m)
{
    size_t count = m->b->voxels.particle_count;
    m->groups = (m->owner_count + SUP_LANES - 1) / SUP_LANES;
    m->group_of = SUP_NEW(m->scratch, uint32_t, m->groups);
    m->all = SUP_NEW(m->scratch, float, m->groups*(count * SUP_LANES + sup_diffusion_work((uint32_t)count)));
    m->runs = SUP_NEW(m->scratch, sup_diffusion_run, m->groups);
    if (!m->all || !m->group_of || !m->runs) return sup_fail_memory(m->error, "weights of a lattice");
    for (uint32_t g = 0; g < m->groups; ++g) m->group_of[g] = g;
    sup_result r = SUP_OK;
    for (uint32_t ended = 0; ended < m->groups && r == SUP_OK;) { // each call runs for some tenths of a second
        sup_tasks_run(m->in->tasks, m->groups, 1, solve_groups, m);
        ended = 0;
        for (uint32_t g = 0; g < m->groups; ++g) ended += m->runs[g].ended;
        r = sup_bind_report(m->in, "lattice", 0.1 + 0.6 * ended / m->groups, m->error);
    }
    return r;
}

sup_result lattice_solve(const sup_diffusion* d, float* w, float* work, const sup_bind_input* in, double share,
                         sup_error* error)
{
    if (sup_diffusion_solve_asking(d, w, work, in->progress, share, "lattice")) return SUP_OK;
    return sup_fail(error, SUP_ERROR_CANCELLED, "cancelled while binding lattice");
}

sup_result lattice_extend(const lattice_bound* b, const float* places, const float* values, float* out,
                          const sup_bind_input* in, double share_done, sup_arena* scratch, sup_error* error)
{
    const sup_voxels* v = &b->voxels;
    float*            screen = SUP_NEW(scratch, float, v->particle_count);
    float*            work = SUP_NEW(scratch, float, sup_diffusion_work(v->particle_count));
    if (!screen || !work) return sup_fail_memory(error, "values of a lattice");
    memset(out, 0, (size_t)v->particle_count * SUP_LANES * sizeof *out);
    for (uint32_t p = 0; p < b->point_count; ++p) {
        const float* at = places + 3 * (size_t)p;
        for (uint32_t k = 0; k < 8; ++k) {
            float share = (k & 1 ? at[0] : 1 - at[0]) * (k & 2 ? at[1] : 1 - at[1]) * (k & 4 ? at[2] : 1 - at[2]);
            if (!(share > 0)) continue;
            uint32_t q = v->particles[8 * (size_t)b->embed.cells[p] + k];
            screen[q] += share;
            for (int i = 0; i < SUP_LANES; ++i) out[(size_t)q * SUP_LANES + i] += share * values[(size_t)p * SUP_LANES + i];
        }
    }
    for (uint32_t q = 0; q < v->particle_count; ++q) {
        for (int i = 0; i < SUP_LANES; ++i) out[(size_t)q * SUP_LANES + i] /= screen[q] > 0 ? screen[q] : 1.0f;
        screen[q] = screen[q] > 0 ? FILE_HOLD * fminf(screen[q], 1.0f) : FLOOR_HOLD;
    }
    sup_diffusion d = { .count = v->particle_count, .link_begin = v->link_begin, .links = v->links, .screen = screen };
    return lattice_solve(&d, out, work, in, share_done, error);
}

// Joints in groups of SUP_LANES; only groups with a joint that some point follows count: a rig has thousands of joints that no
// skin uses. `out`: the weights by group, then by point.
static sup_result list_groups(binder* m, sup_sort_item** out)
{
    const sup_character* c = m->in->character;
    uint32_t             total = c->weights.begin[c->mesh.point_count], joints = c->skeleton.joint_count;
    sup_sort_item *      items = SUP_NEW(m->scratch, sup_sort_item, total), *spare = SUP_NEW(m->scratch, sup_sort_item, total);
    m->group_of = SUP_NEW(m->scratch, uint32_t, (joints + SUP_LANES - 1) / SUP_LANES);
    if (!items || !spare || !m->group_of) return sup_fail_memory(m->error, "weights of a lattice");
    for (uint32_t p = 0; p < c->mesh.point_count; ++p)
        for (uint32_t i = c->weights.begin[p]; i < c->weights.begin[p + 1]; ++i)
            items[i] = (sup_sort_item){ (uint64_t)(c->weights.joints[i] / SUP_LANES) << 32 | p, i };
    sup_sort(items, spare, total);
    for (uint32_t i = 0; i < total; ++i) {
        uint32_t g = (uint32_t)(items[i].key >> 32);
        if (m->groups == 0 || m->group_of[m->groups - 1] != g) m->group_of[m->groups++] = g;
    }
    for (uint32_t j = 0; j < joints; ++j) m->owner_joints[j] = j;
    m->owner_count = joints;
    *out = items;
    return SUP_OK;
}

// The file's weights, extended into the cells; the owners are then simply all joints.
static sup_result spread_from_file(binder* m)
{
    const sup_character* c = m->in->character;
    size_t               count = m->b->voxels.particle_count;
    sup_sort_item*       items = NULL;
    sup_result           r = list_groups(m, &items);
    m->all = r == SUP_OK ? SUP_NEW(m->scratch, float, m->groups* count* SUP_LANES) : NULL;
    float* values = SUP_NEW(m->scratch, float, (size_t)c->mesh.point_count* SUP_LANES);
    if (r != SUP_OK || !m->all || !values) return sup_fail_memory(m->error, "weights of a lattice");
    for (uint32_t g = 0, at = 0, total = c->weights.begin[c->mesh.point_count]; g < m->groups && r == SUP_OK; ++g) {
        uint32_t begin = at;
        for (; at < total && items[at].key >> 32 == m->group_of[g]; ++at)
            values[(items[at].key & UINT32_MAX) * SUP_LANES + c->weights.joints[items[at].value] % SUP_LANES] =
                c->weights.values[items[at].value];
        sup_arena* work = sup_arena_beside(m->scratch);
        r = work ? lattice_extend(m->b, m->places, values, m->all + g * count * SUP_LANES, m->in, 0.1 + 0.6 * g / m->groups,
                                  work, m->error)
                 : sup_fail_memory(m->error, "weights of a lattice");
        sup_arena_destroy(work);
        for (uint32_t i = begin; i < at; ++i)
            values[(items[i].key & UINT32_MAX) * SUP_LANES + c->weights.joints[items[i].value] % SUP_LANES] = 0;
        if (r == SUP_OK) r = sup_bind_report(m->in, "lattice", 0.1 + 0.6 * (g + 1) / m->groups, m->error);
    }
    return r;
}

// The weights of a group's owners, SUP_LANES of them; the last group has fewer.
static const float* weights_of(const binder* m, uint32_t particle, uint32_t group, uint32_t* owner, uint32_t* lanes)
{
    size_t count = m->b->voxels.particle_count;
    *owner = m->group_of[group] * SUP_LANES;
    *lanes = m->owner_count - *owner < SUP_LANES ? m->owner_count - *owner : SUP_LANES;
    return m->all + (group * count + particle) * SUP_LANES;
}

// The weights that count, normalized; where nothing reaches (a piece without points), the nearest bone.
static uint32_t keep_weights(const binder* m, uint32_t p, uint32_t* joints, float* values)
{
    double   total = 0, kept = 0;
    uint32_t n = 0, first, lanes;
    for (uint32_t g = 0; g < m->groups; ++g) {
        const float* w = weights_of(m, p, g, &first, &lanes);
        for (uint32_t i = 0; i < lanes; ++i) total += w[i] > 0 ? (double)w[i] : 0;
    }
    for (uint32_t g = 0; g < m->groups && total > 0.1; ++g) {
        const float* all = weights_of(m, p, g, &first, &lanes);
        for (uint32_t i = 0; i < lanes; ++i) {
            double w = (double)all[i] - FAINT_WEIGHT * total;
            if (!(w > 0)) continue;
            if (joints) joints[n] = m->owner_joints[first + i];
            if (values) values[n] = (float)w;
            kept += w;
            ++n;
        }
    }
    for (uint32_t i = 0; values && i < n; ++i) values[i] = (float)((double)values[i] / kept);
    if (n) return n;
    if (joints) joints[0] = m->bone_joints[m->lattice.near.particles[p].owners[0]];
    if (values) values[0] = 1;
    return 1;
}

static sup_result list_weights(binder* m)
{
    uint32_t count = m->b->voxels.particle_count;
    m->begin = SUP_NEW(m->scratch, uint32_t, (size_t)count + 1);
    m->dominant = SUP_NEW(m->scratch, uint32_t, count);
    if (!m->begin || !m->dominant) return sup_fail_memory(m->error, "weights of a lattice");
    for (uint32_t p = 0; p < count; ++p) m->begin[p + 1] = m->begin[p] + keep_weights(m, p, NULL, NULL);
    m->joint_lists = SUP_NEW(m->scratch, uint32_t, m->begin[count]);
    m->values = SUP_NEW(m->scratch, float, m->begin[count]);
    if (!m->joint_lists || !m->values) return sup_fail_memory(m->error, "weights of a lattice");
    for (uint32_t p = 0; p < count; ++p) {
        uint32_t n = keep_weights(m, p, m->joint_lists + m->begin[p], m->values + m->begin[p]), best = m->begin[p];
        for (uint32_t i = 0; i < n; ++i)
            if (m->values[m->begin[p] + i] > m->values[best]) best = m->begin[p] + i;
        m->dominant[p] = m->joint_lists[best];
    }
    return SUP_OK;
}

// The skin set of the particles in slots; padding has no weights and stays put.
static sup_result make_skin(binder* m)
{
    lattice_bound*      b = m->b;
    const sup_skeleton* s = &m->in->character->skeleton;
    uint32_t*           begin = SUP_NEW(m->arena, uint32_t, (size_t)b->count + 1);
    uint32_t*           joints = SUP_NEW(m->arena, uint32_t, m->begin[b->voxels.particle_count]);
    float*              values = SUP_NEW(m->arena, float, m->begin[b->voxels.particle_count]);
    sup_vec3*           centers = SUP_NEW(m->scratch, sup_vec3, s->joint_count);
    sup_vec3*           axes = SUP_NEW(m->arena, sup_vec3, s->joint_count);
    sup_vec3*           rest = SUP_NEW(m->arena, sup_vec3, b->count);
    uint32_t*           dominant = SUP_NEW(m->arena, uint32_t, b->count);
    if (!begin || !joints || !values || !centers || !axes || !rest || !dominant) return sup_fail_memory(m->error, "a lattice");
    for (uint32_t i = 0; i < b->count; ++i) {
        uint32_t p = b->regions.particles[i], n = p == SUP_NONE ? 0 : m->begin[p + 1] - m->begin[p];
        begin[i + 1] = begin[i] + n;
        if (n == 0) continue;
        memcpy(joints + begin[i], m->joint_lists + m->begin[p], n * sizeof *joints);
        memcpy(values + begin[i], m->values + m->begin[p], n * sizeof *values);
        rest[i] = sup_voxels_position(&b->voxels, p);
        dominant[i] = m->dominant[p];
    }
    for (uint32_t j = 0; j < s->joint_count; ++j) {
        sup_affine bind;
        if (affine_invert(&s->joints[j].inverse_bind, &bind)) centers[j] = affine_translation(&bind);
    }
    for (uint32_t i = s->bone_count; i-- > 0;) // the first bone of a joint wins
        axes[s->bones[i].joint] = v3_normalize(v3_sub(s->bones[i].tail, s->bones[i].head), v3(0, 0, 0));
    b->bone_axes = axes;
    b->influence_begin = begin;
    b->influence_joints = joints;
    b->influence_values = values;
    b->rest = rest;
    b->dominant = dominant;
    sup_skin_desc desc = { .point_count = b->count,
                           .points = rest,
                           .begin = begin,
                           .joints = joints,
                           .values = values,
                           .joint_count = s->joint_count,
                           .joint_centers = centers };
    return sup_skin_create(&desc, m->arena, &b->skin, m->error);
}

sup_result lattice_make_weights(binder* m)
{
    sup_result r = list_owners(m);
    if (r == SUP_OK) r = prepare_weights(m);
    if (r == SUP_OK) r = m->b->keeps_file ? spread_from_file(m) : spread_from_bones(m);
    if (r == SUP_OK) r = list_weights(m);
    return r == SUP_OK ? make_skin(m) : r;
}
