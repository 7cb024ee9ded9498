// Which cells keep their volume together: those around a joint, halfway along the bones that meet there.
#include "deform/lattice/lattice.h"

#include <math.h>
#include <string.h>

enum { FEW_CELLS = 4 }; // a part of fewer is no volume worth keeping; it joins its parent's

// The joint at the nearer end of the nearest bone of `joint`: itself, or the child the bone leads to.
static uint32_t near_end(const sup_skeleton* s, uint32_t joint, sup_vec3 place)
{
    float    least = INFINITY;
    uint32_t end = joint;
    for (uint32_t i = 0; i < s->bone_count; ++i) {
        const sup_bone* b = &s->bones[i];
        if (b->joint != joint) continue;
        sup_vec3 along = v3_sub(b->tail, b->head), to = v3_sub(place, b->head);
        float    length2 = v3_length2(along), t = length2 > 0 ? sup_clampf(v3_dot(to, along) / length2, 0, 1) : 0.0f;
        float    d = v3_length2(v3_sub(to, v3_scale(along, t)));
        if (d >= least) continue;
        least = d;
        end = t >= 0.5f && b->child != SUP_NONE ? b->child : joint; // a leaf's tail has no joint at its end
    }
    return end;
}

// 'Spine*|Hand* Finger*': joints that one group of globs matches count as the first of them.
static void group_joints(const sup_skeleton* s, const char* text, uint32_t* joined)
{
    for (uint32_t j = 0; j < s->joint_count; ++j) joined[j] = j;
    for (const char* group = text; group && *group;) {
        size_t   length = strcspn(group, "|");
        uint32_t first = SUP_NONE;
        for (uint32_t j = 0; j < s->joint_count; ++j) {
            bool hit = false;
            for (size_t at = 0; at < length;) {
                char   glob[128];
                size_t word = strcspn(group + at, " |");
                if (word > 0 && word < sizeof glob) {
                    memcpy(glob, group + at, word);
                    glob[word] = 0;
                    hit |= sup_glob_match(glob, s->joints[j].name);
                }
                at += word + 1;
            }
            if (!hit) continue;
            if (first == SUP_NONE) first = j;
            joined[j] = first;
        }
        group += length + (group[length] == '|');
    }
}

sup_result lattice_label_parts(const sup_bind_input* in, const lattice_bound* b, const uint32_t* dominant, sup_arena* arena,
                               uint32_t** labels, uint32_t* part_count, uint32_t** part_joints, sup_error* error)
{
    const sup_skeleton*   s = &in->character->skeleton;
    const sup_voxels*     v = &b->voxels;
    const lattice_params* params = in->params;
    uint32_t*             out = SUP_NEW(arena, uint32_t, v->cell_count);
    uint32_t*             joined = SUP_NEW(arena, uint32_t, s->joint_count);
    uint32_t*             sizes = SUP_NEW(arena, uint32_t, s->joint_count);
    uint32_t*             number = SUP_NEW(arena, uint32_t, s->joint_count);
    uint32_t*             joints = SUP_NEW(arena, uint32_t, s->joint_count);
    if (!out || !joined || !sizes || !number || !joints) return sup_fail_memory(error, "parts of a lattice");
    group_joints(s, params->parts, joined);
    for (uint32_t c = 0; c < v->cell_count; ++c) {
        sup_vec3 corner = sup_voxels_position(v, v->particles[8 * (size_t)c]);
        float    half = (float)(v->h / 2);
        out[c] = joined[near_end(s, dominant[c], v3_add(corner, v3(half, half, half)))];
        sizes[out[c]]++;
    }
    for (uint32_t j = s->joint_count; j-- > 0;) { // children before parents
        uint32_t parent = s->joints[j].parent;
        number[j] = j;
        if (sizes[j] == 0 || sizes[j] >= FEW_CELLS || parent == SUP_NONE || sizes[joined[parent]] == 0) continue;
        number[j] = joined[parent];
        sizes[joined[parent]] += sizes[j];
        sizes[j] = 0;
    }
    for (uint32_t c = 0; c < v->cell_count; ++c)
        while (number[out[c]] != out[c]) out[c] = number[out[c]];
    uint32_t count = 0;
    for (uint32_t j = 0; j < s->joint_count; ++j) {
        if (sizes[j] == 0) continue;
        joints[count] = j;
        number[j] = count++;
    }
    for (uint32_t c = 0; c < v->cell_count; ++c) out[c] = number[out[c]];
    *labels = out;
    *part_count = count;
    *part_joints = joints;
    return SUP_OK;
}
