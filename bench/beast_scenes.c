// The beast with as many joints as a scene requests: its longest bones are cut in two, and weights made for all of them.
#include "bench/bench.h"
#include "supple/rig.h"

#include <stdio.h>
#include <string.h>

enum { JOINTS_MOST = 64 };

typedef struct rigging {
    uint32_t  count;
    sup_joint joints[JOINTS_MOST];
    char      names[JOINTS_MOST][48];
} rigging;

static float squared_length(sup_vec3 v) { return v.x * v.x + v.y * v.y + v.z * v.z; }

/// Puts a joint into the middle of the longest bone between a skin joint and its parent.
static void cut_longest(rigging* r)
{
    uint32_t longest = SUP_NONE;
    for (uint32_t j = 0; j < r->count; ++j) {
        if (!r->joints[j].skin_joint || r->joints[j].parent == SUP_NONE || !r->joints[r->joints[j].parent].skin_joint) continue;
        if (longest == SUP_NONE ||
            squared_length(r->joints[j].rest.translation) > squared_length(r->joints[longest].rest.translation))
            longest = j;
    }
    if (longest == SUP_NONE) return;
    sup_joint* child = &r->joints[longest];
    sup_vec3   half = { child->rest.translation.x / 2, child->rest.translation.y / 2, child->rest.translation.z / 2 };
    sup_joint  middle = { .parent = child->parent, .skin_joint = true, .source_id = SUP_NONE };
    snprintf(r->names[r->count], sizeof r->names[r->count], "%.40s_half", child->name);
    middle.name = r->names[r->count];
    middle.rest = (sup_transform){ half, { 0, 0, 0, 1 }, { 1, 1, 1 } };
    middle.inverse_bind = r->joints[child->parent].inverse_bind;
    for (int a = 0; a < 3; ++a) middle.inverse_bind.m[a][3] -= (&half.x)[a];
    child->rest.translation = half;
    child->parent = r->count;
    r->joints[r->count++] = middle;
}

sup_result bench_beast_create(uint32_t points, uint32_t joints, sup_character** out, sup_error* error)
{
    char           path[64];
    sup_character *beast = NULL, *made = NULL;
    snprintf(path, sizeof path, "builtin:beast?points=%u", points);
    sup_result result = sup_load(path, NULL, &beast, error);
    if (result != SUP_OK) return result;
    rigging r = { .count = beast->skeleton.joint_count };
    if (joints > JOINTS_MOST || r.count > JOINTS_MOST) {
        sup_character_destroy(beast);
        return sup_fail(error, SUP_ERROR_INPUT, "a beast of %u joints; %d are possible", joints, JOINTS_MOST);
    }
    memcpy(r.joints, beast->skeleton.joints, r.count * sizeof *r.joints);
    uint32_t skin = beast->skeleton.skin_joint_count;
    for (; skin < joints && r.count < JOINTS_MOST; ++skin) cut_longest(&r);
    uint32_t first = 0;
    while (!r.joints[first].skin_joint) ++first;
    sup_part_desc      part = { .name = "beast",
                                .vertex_count = beast->mesh.point_count,
                                .positions = beast->mesh.points,
                                .face_count = beast->mesh.triangle_count,
                                .corners = beast->mesh.triangles,
                                .joint = first,
                                .source_id = SUP_NONE };
    sup_character_desc desc = { .name = "beast",
                                .part_count = 1,
                                .parts = &part,
                                .joint_count = r.count,
                                .joints = r.joints,
                                .clip_count = beast->clip_count,
                                .clips = beast->clips,
                                .metres_per_unit = beast->metres_per_unit };
    sup_auto_weights   weights;
    result = sup_character_create(&desc, NULL, &made, error);
    if (result == SUP_OK) result = sup_character_weigh(made, 0, NULL, &(sup_auto_weights_options){ 0 }, &weights, error);
    if (result == SUP_OK) *out = made;
    else sup_character_destroy(made);
    sup_character_destroy(beast);
    return result;
}
