// The part around each joint: triangles go to the bone that moves them most, and from there to the nearer end of it.
#include "metrics/meter.h"

#include "base/internal.h"
#include "math/vec.h"

#include <string.h>

// Fewer triangles than this are no part of a body but the fringe of one; they join the part above.
enum { FEWEST_TRIANGLES = 30 };

typedef struct work {
    const sup_character* character;
    sup_arena*           temp;
    uint32_t*            skin;       // per joint: itself, or the nearest skin joint above; itself where there is none
    uint32_t*            above;      // per joint: the nearest skin joint above, SUP_NONE for roots
    uint32_t*            bone_begin; // per joint + 1: its bones
    uint32_t*            bone_to;    // per joint: the bone that leads to it, SUP_NONE where none does
    double*              pull;       // per joint: weights of the current triangle
    uint32_t*            labels;     // per triangle: a joint at first, then a part
    uint32_t*            counts;     // per joint: triangles
    uint32_t*            target;     // per joint: where its triangles go
    uint32_t*            part;       // per joint, SUP_NONE where it has none
} work;

static bool prepare(work* w)
{
    const sup_skeleton* s = &w->character->skeleton;
    uint32_t            n = s->joint_count;
    w->skin = SUP_NEW(w->temp, uint32_t, n);
    w->above = SUP_NEW(w->temp, uint32_t, n);
    w->bone_begin = SUP_NEW(w->temp, uint32_t, (size_t)n + 1);
    w->bone_to = SUP_NEW(w->temp, uint32_t, n);
    w->pull = SUP_NEW(w->temp, double, n);
    w->labels = SUP_NEW(w->temp, uint32_t, w->character->mesh.triangle_count);
    w->counts = SUP_NEW(w->temp, uint32_t, n);
    w->target = SUP_NEW(w->temp, uint32_t, n);
    w->part = SUP_NEW(w->temp, uint32_t, n);
    if (!w->skin || !w->above || !w->bone_begin || !w->bone_to || !w->pull || !w->labels || !w->counts || !w->target ||
        !w->part)
        return false;
    for (uint32_t j = 0; j < n; ++j) {
        uint32_t up = s->joints[j].parent;
        w->above[j] = up == SUP_NONE ? SUP_NONE : s->joints[up].skin_joint ? up : w->above[up];
        w->skin[j] = s->joints[j].skin_joint || w->above[j] == SUP_NONE ? j : w->above[j];
        w->target[j] = j;
        w->part[j] = w->bone_to[j] = SUP_NONE;
    }
    for (uint32_t b = 0; b < s->bone_count; ++b) {
        w->bone_begin[s->bones[b].joint + 1]++;
        if (s->bones[b].child != SUP_NONE) w->bone_to[s->bones[b].child] = b;
    }
    for (uint32_t j = 0; j < n; ++j) w->bone_begin[j + 1] += w->bone_begin[j];
    return true;
}

/// The skin joint with the largest sum of weights at the three corners; of equal ones the first.
static uint32_t strongest_joint(work* w, const uint32_t* corners)
{
    const sup_weights* weights = &w->character->weights;
    uint32_t           best = SUP_NONE;
    for (int k = 0; k < 3; ++k)
        for (uint32_t i = weights->begin[corners[k]]; i < weights->begin[corners[k] + 1]; ++i)
            w->pull[w->skin[weights->joints[i]]] += (double)weights->values[i];
    for (int k = 0; k < 3; ++k)
        for (uint32_t i = weights->begin[corners[k]]; i < weights->begin[corners[k] + 1]; ++i) {
            uint32_t j = w->skin[weights->joints[i]];
            if (best == SUP_NONE || w->pull[j] > w->pull[best] || (w->pull[j] == w->pull[best] && j < best)) best = j;
        }
    for (int k = 0; k < 3; ++k)
        for (uint32_t i = weights->begin[corners[k]]; i < weights->begin[corners[k] + 1]; ++i)
            w->pull[w->skin[weights->joints[i]]] = 0;
    return best == SUP_NONE ? 0 : best;
}

/// The joint at the nearer end of the joint's nearest bone: planes through the middles of bones divide the body.
static uint32_t nearer_end(const work* w, uint32_t joint, sup_vec3 at)
{
    float    nearest = INFINITY;
    uint32_t label = joint;
    for (uint32_t b = w->bone_begin[joint]; b < w->bone_begin[joint + 1]; ++b) {
        const sup_bone* bone = &w->character->skeleton.bones[b];
        sup_vec3        along = v3_sub(bone->tail, bone->head), from = v3_sub(at, bone->head);
        float           square = v3_length2(along), t = square > 0 ? v3_dot(from, along) / square : 0;
        float           away = v3_length2(v3_sub(from, v3_scale(along, sup_clampf(t, 0, 1))));
        if (!(away < nearest)) continue;
        nearest = away;
        label = bone->child != SUP_NONE && t > 0.5f ? bone->child : joint;
    }
    return label;
}

static void label_triangles(work* w)
{
    const sup_mesh* mesh = &w->character->mesh;
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        const uint32_t* c = mesh->triangles + 3 * (size_t)t;
        sup_vec3        sum = v3_add(v3_add(mesh->points[c[0]], mesh->points[c[1]]), mesh->points[c[2]]);
        w->labels[t] = nearer_end(w, strongest_joint(w, c), v3_scale(sum, 1.0f / 3.0f));
        w->counts[w->labels[t]]++;
    }
}

static void move_triangles(work* w, uint32_t from, uint32_t to)
{
    w->target[from] = to;
    w->counts[to] += w->counts[from];
    w->counts[from] = 0;
}

static uint32_t root_of(const work* w, uint32_t joint)
{
    while (w->above[joint] != SUP_NONE) joint = w->above[joint];
    return joint;
}

/// Upwards, children before parents; what is left small at a root goes to the first part below it.
static void merge_fringes(work* w)
{
    uint32_t n = w->character->skeleton.joint_count;
    for (uint32_t j = n; j-- > 0;)
        if (w->counts[j] > 0 && w->counts[j] < FEWEST_TRIANGLES && w->above[j] != SUP_NONE) move_triangles(w, j, w->above[j]);
    for (uint32_t j = 0; j < n; ++j) {
        if (w->counts[j] == 0 || w->counts[j] >= FEWEST_TRIANGLES) continue;
        for (uint32_t k = j + 1; k < n; ++k)
            if (w->counts[k] > 0 && root_of(w, k) == j) {
                move_triangles(w, j, k);
                break;
            }
    }
}

static uint32_t destination(const work* w, uint32_t joint)
{
    while (w->target[joint] != joint) joint = w->target[joint];
    return joint;
}

/// The part that part `p` is cut from: that of the nearest joint above which has one.
static uint32_t part_above(const work* w, uint32_t joint)
{
    for (uint32_t j = w->above[joint]; j != SUP_NONE; j = w->above[j]) {
        uint32_t part = w->part[destination(w, j)];
        if (part != SUP_NONE) return part == w->part[joint] ? SUP_NONE : part;
    }
    return SUP_NONE;
}

static sup_result make_parts(work* w, sup_meter* meter, sup_error* error)
{
    const sup_skeleton* s = &w->character->skeleton;
    const sup_mesh*     mesh = &w->character->mesh;
    uint32_t            count = 0;
    for (uint32_t j = 0; j < s->joint_count; ++j)
        if (w->counts[j] > 0) w->part[j] = count++;
    sup_meter_part* parts = SUP_NEW(meter->arena, sup_meter_part, count);
    uint32_t*       parents = SUP_NEW(w->temp, uint32_t, count);
    uint32_t*       carriers = SUP_NEW(w->temp, uint32_t, count);
    sup_vec3*       cuts = SUP_NEW(w->temp, sup_vec3, count);
    double*         volumes = SUP_NEW(w->temp, double, count);
    if (!parts || !parents || !carriers || !cuts || !volumes) return sup_fail_memory(error, "the parts of a meter");
    meter->parts = parts;
    if (count == 0) return SUP_OK; // no triangles
    for (uint32_t j = 0; j < s->joint_count; ++j) {
        uint32_t p = w->part[j];
        if (p == SUP_NONE) continue;
        parts[p] = (sup_meter_part){ .joint = j, .name = s->joints[j].name, .triangle_count = w->counts[j] };
        parents[p] = w->bone_to[j] != SUP_NONE ? part_above(w, j) : SUP_NONE;
        if (parents[p] == SUP_NONE) continue;
        const sup_bone* bone = &s->bones[w->bone_to[j]];
        carriers[p] = bone->joint;
        cuts[p] = v3_lerp(bone->head, bone->tail, 0.5f);
    }
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) w->labels[t] = w->part[destination(w, w->labels[t])];
    sup_volumes_desc desc = { .point_count = mesh->point_count,
                              .triangle_count = mesh->triangle_count,
                              .triangles = mesh->triangles,
                              .part_count = count,
                              .labels = w->labels,
                              .parents = parents,
                              .cut_points = cuts,
                              .cut_carriers = carriers };
    sup_result       result = sup_volumes_create(&desc, meter->arena, &meter->volumes, error);
    if (result != SUP_OK) return result;
    sup_volumes_measure(&meter->volumes, mesh->points, NULL, volumes);
    for (uint32_t p = 0; p < count; ++p) parts[p].rest_volume = volumes[p];
    return SUP_OK;
}

sup_result sup_meter_make_parts(sup_meter* meter, sup_error* error)
{
    const sup_mesh*  mesh = &meter->character->mesh;
    sup_volumes_desc whole = {
        .point_count = mesh->point_count, .triangle_count = mesh->triangle_count, .triangles = mesh->triangles, .part_count = 1
    };
    sup_result result = sup_volumes_create(&whole, meter->arena, &meter->whole, error);
    if (result != SUP_OK) return result;
    meter->rest_volume = sup_meter_volume(meter, mesh->points);
    work w = { .character = meter->character, .temp = sup_arena_beside(meter->arena) };
    if (w.temp && prepare(&w)) {
        label_triangles(&w);
        merge_fringes(&w);
        result = make_parts(&w, meter, error);
    } else {
        result = sup_fail_memory(error, "the parts of a meter");
    }
    sup_arena_destroy(w.temp);
    return result;
}

// ---------------------------------------------------------------------------------------------- reading

uint32_t sup_meter_holes(const sup_meter* meter) { return meter->whole.hole_count; }
double   sup_meter_rest_volume(const sup_meter* meter) { return meter->rest_volume; }

double sup_meter_volume(const sup_meter* meter, const sup_vec3* points)
{
    SUP_ASSERT(meter && points);
    double volume;
    sup_volumes_measure(&meter->whole, points, NULL, &volume);
    return volume;
}

uint32_t sup_meter_part_count(const sup_meter* meter) { return meter->volumes.part_count; }

const sup_meter_part* sup_meter_part_at(const sup_meter* meter, uint32_t part)
{
    SUP_ASSERT(part < meter->volumes.part_count);
    return &meter->parts[part];
}

void sup_meter_part_volumes(const sup_meter* meter, const sup_pose* pose, const sup_vec3* points, double* out)
{
    SUP_ASSERT(meter && pose && points && out);
    sup_volumes_measure(&meter->volumes, points, pose->skin, out);
}
