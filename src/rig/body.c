// Which joint is which part of a body.
#include "rig/body.h"

#include "base/internal.h"
#include "rig/joint_names.h"

#include <string.h>

bool body_is_above(const uint32_t* parents, uint32_t above, uint32_t joint)
{
    while (joint != SUP_NONE && joint > above) joint = parents[joint];
    return joint == above;
}

static uint32_t common_parent(const uint32_t* parents, uint32_t a, uint32_t b)
{
    while (a != b) {
        if (a == SUP_NONE || b == SUP_NONE) return SUP_NONE;
        if (a > b) a = parents[a];
        else b = parents[b];
    }
    return a;
}

// Candidates of one role and side, in the order of the skeleton, only those of the best rank, and each below the one before.
static uint32_t gather(const body_skeleton* s, const joint_name* found, int role, int side, uint32_t* out)
{
    uint32_t count = 0, best = UINT32_MAX;
    for (uint32_t j = 0; j < s->count; ++j)
        if ((int)found[j].role == role && found[j].side == side && found[j].rank < best) best = found[j].rank;
    for (uint32_t j = 0; j < s->count && count < BODY_CHAIN_MAX; ++j) {
        if ((int)found[j].role != role || found[j].side != side || found[j].rank != best) continue;
        if (count == 0 || body_is_above(s->parents, out[count - 1], j)) out[count++] = j;
    }
    return count;
}

// Chains whose joints all have one name ("leg_joint_L_1" to 5, "LeftFoot01", "LeftFoot02") are told apart by their order.
static void find_limb(const body_skeleton* s, const joint_name* found, int side, int first, int last, uint32_t* limbs)
{
    uint32_t chains[ROLE_COUNT][BODY_CHAIN_MAX], counts[ROLE_COUNT] = { 0 };
    for (int role = first; role <= last; ++role) counts[role] = gather(s, found, role, side, chains[role]);
    for (int role = first; role <= last; ++role)
        if (counts[role]) limbs[role] = chains[role][0];
    for (int role = first; role <= last; ++role)
        for (uint32_t i = 1, next = (uint32_t)role + 1; i < counts[role] && next <= (uint32_t)last; ++i, ++next) {
            if (limbs[next] != SUP_NONE) break;
            limbs[next] = chains[role][i];
        }
}

static void find_arm(const body_skeleton* s, const joint_name* found, int side, uint32_t* limbs)
{
    find_limb(s, found, side, ROLE_SHOULDER, ROLE_HAND, limbs);
    // "LeftShoulder, LeftElbow, LeftWrist": named after the joints, not the bones; the shoulder may hang on a collar.
    for (uint32_t j = 0; j < s->count && limbs[ROLE_UPPER_ARM] == SUP_NONE && limbs[ROLE_SHOULDER] != SUP_NONE; ++j)
        if (found[j].role == ROLE_SHOULDER && found[j].side == side && j > limbs[ROLE_SHOULDER] &&
            body_is_above(s->parents, limbs[ROLE_SHOULDER], j))
            limbs[ROLE_UPPER_ARM] = j;
    if (limbs[ROLE_UPPER_ARM] == SUP_NONE) {
        limbs[ROLE_UPPER_ARM] = limbs[ROLE_SHOULDER];
        limbs[ROLE_SHOULDER] = SUP_NONE;
    }
    // A chain of four arms begins with the shoulder.
    uint32_t chain[BODY_CHAIN_MAX], count = gather(s, found, ROLE_UPPER_ARM, side, chain);
    if (limbs[ROLE_SHOULDER] == SUP_NONE && count == 4 && limbs[ROLE_HAND] == chain[2])
        for (int i = 0; i < 4; ++i) limbs[ROLE_SHOULDER + i] = chain[i];
}

static void find_leg(const body_skeleton* s, const joint_name* found, int side, uint32_t* limbs)
{
    find_limb(s, found, side, ROLE_UPPER_LEG, ROLE_TOE, limbs);
    // Only "leg", several times: the first is the thigh.
    uint32_t chain[BODY_CHAIN_MAX], count = gather(s, found, ROLE_LOWER_LEG, side, chain);
    if (limbs[ROLE_UPPER_LEG] != SUP_NONE) return;
    if (count < 2) { // "leg" and "shin"
        for (uint32_t j = 0; j < s->count && limbs[ROLE_LOWER_LEG] != SUP_NONE; ++j)
            if (found[j].role == ROLE_LOWER_LEG && found[j].side == side && j < limbs[ROLE_LOWER_LEG] &&
                body_is_above(s->parents, j, limbs[ROLE_LOWER_LEG]))
                limbs[ROLE_UPPER_LEG] = j;
        return;
    }
    uint32_t foot[BODY_CHAIN_MAX], feet = gather(s, found, ROLE_FOOT, side, foot);
    limbs[ROLE_UPPER_LEG] = chain[0];
    limbs[ROLE_LOWER_LEG] = chain[1];
    if (!feet) {
        limbs[ROLE_FOOT] = count > 2 ? chain[2] : SUP_NONE;
        limbs[ROLE_TOE] = count > 3 ? chain[3] : limbs[ROLE_TOE];
    }
}

// The hips carry both legs: a joint of that name that does not (a pelvis beside them) is the first of the spine.
static void find_trunk(const body_skeleton* s, const joint_name* found, body_map* out)
{
    uint32_t chain[BODY_CHAIN_MAX];
    uint32_t legs[2] = { out->limbs[SIDE_LEFT][ROLE_UPPER_LEG], out->limbs[SIDE_RIGHT][ROLE_UPPER_LEG] };
    uint32_t fork = legs[0] != SUP_NONE && legs[1] != SUP_NONE ? common_parent(s->parents, legs[0], legs[1]) : SUP_NONE;
    uint32_t named = gather(s, found, ROLE_HIPS, SIDE_NONE, chain) ? chain[0] : SUP_NONE;
    out->hips = named != SUP_NONE && (fork == SUP_NONE || body_is_above(s->parents, named, fork)) ? named : fork;
    if (out->hips == SUP_NONE) return;
    if (named != SUP_NONE && named != out->hips && body_is_above(s->parents, out->hips, named))
        out->spine[out->spine_count++] = named;

    uint32_t arms[2] = { out->limbs[SIDE_LEFT][ROLE_UPPER_ARM], out->limbs[SIDE_RIGHT][ROLE_UPPER_ARM] };
    uint32_t chest = arms[0] != SUP_NONE && arms[1] != SUP_NONE ? common_parent(s->parents, arms[0], arms[1]) : SUP_NONE;
    uint32_t count = gather(s, found, ROLE_SPINE, SIDE_NONE, chain), beyond[BODY_CHAIN_MAX], beyond_count = 0;
    for (uint32_t i = 0; i < count; ++i) {
        if (chain[i] == out->hips || !body_is_above(s->parents, out->hips, chain[i])) continue;
        if (chest != SUP_NONE && chain[i] > chest && body_is_above(s->parents, chest, chain[i]))
            beyond[beyond_count++] = chain[i];
        else if (out->spine_count < BODY_CHAIN_MAX) out->spine[out->spine_count++] = chain[i];
    }
    out->neck_count = gather(s, found, ROLE_NECK, SIDE_NONE, out->neck);
    out->head = gather(s, found, ROLE_HEAD, SIDE_NONE, chain) ? chain[0] : SUP_NONE;
    if (!out->neck_count && out->head == SUP_NONE) // one row of "spine" up to the crown
        for (uint32_t i = 0; i < beyond_count; ++i) out->neck[out->neck_count++] = beyond[i];
    if (out->head == SUP_NONE && out->neck_count > 1) out->head = out->neck[--out->neck_count];
}

static void fix_role(const body_fixed* f, body_map* out)
{
    if (f->role >= ROLE_SHOULDER && f->side != SIDE_NONE) out->limbs[f->side][f->role] = f->joint;
    else if (f->role == ROLE_HIPS) out->hips = f->joint;
    else if (f->role == ROLE_HEAD) out->head = f->joint;
    else if (f->role == ROLE_SPINE || f->role == ROLE_NECK) {
        uint32_t* list = f->role == ROLE_SPINE ? out->spine : out->neck;
        uint32_t* count = f->role == ROLE_SPINE ? &out->spine_count : &out->neck_count;
        uint32_t  at = *count;
        for (uint32_t i = 0; i < *count; ++i)
            if (list[i] == f->joint) return;
        if (*count == BODY_CHAIN_MAX) return;
        while (at && list[at - 1] > f->joint) list[at] = list[at - 1], at--;
        list[at] = f->joint;
        ++*count;
    }
}

body_role body_role_of(const body_map* map, uint32_t joint, int* side)
{
    *side = SIDE_NONE;
    if (joint == map->hips) return ROLE_HIPS;
    if (joint == map->head) return ROLE_HEAD;
    for (uint32_t i = 0; i < map->spine_count; ++i)
        if (map->spine[i] == joint) return ROLE_SPINE;
    for (uint32_t i = 0; i < map->neck_count; ++i)
        if (map->neck[i] == joint) return ROLE_NECK;
    for (int s = 0; s < 2; ++s)
        for (int role = ROLE_SHOULDER; role < ROLE_COUNT; ++role)
            if (map->limbs[s][role] == joint) {
                *side = s;
                return (body_role)role;
            }
    return ROLE_NONE;
}

sup_result body_find(const body_skeleton* s, const body_fixed* fixed, uint32_t fixed_count, sup_arena* scratch, body_map* out,
                     sup_error* error)
{
    joint_affix shared[2];
    joint_name* found = SUP_NEW(scratch, joint_name, s->count);
    if (!found) return sup_fail_memory(error, "a match of joints");
    *out = (body_map){ .hips = SUP_NONE, .head = SUP_NONE };
    for (int side = 0; side < 2; ++side)
        for (int role = 0; role < ROLE_COUNT; ++role) out->limbs[side][role] = SUP_NONE;
    joint_names_shared(s->names, s->eligible, s->count, shared);
    for (uint32_t j = 0; j < s->count; ++j)
        found[j] = s->eligible[j] ? joint_name_read(s->names[j], shared) : (joint_name){ .side = SIDE_NONE };
    for (uint32_t i = 0; i < fixed_count; ++i) found[fixed[i].joint].role = ROLE_NONE;
    for (int side = 0; side < 2; ++side) {
        find_arm(s, found, side, out->limbs[side]);
        find_leg(s, found, side, out->limbs[side]);
    }
    for (uint32_t i = 0; i < fixed_count; ++i)
        if (fixed[i].role >= ROLE_SHOULDER) fix_role(&fixed[i], out);
    find_trunk(s, found, out);
    for (uint32_t i = 0; i < fixed_count; ++i)
        if (fixed[i].role < ROLE_SHOULDER) fix_role(&fixed[i], out);
    return SUP_OK;
}
