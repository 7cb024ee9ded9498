// Which joint is which part of a body. Names are read first; the shape of the skeleton decides what they leave open. The result
// is one table: the joint of each role, and how it was found.
#include "rig/retarget/body.h"

#include "base/internal.h"
#include "rig/retarget/body_shape.h"

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

// Candidates of one role and side, in the order of the skeleton: only those of the best rank, and each below the one before.
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

// Chains whose joints all have one name ("leg_joint_L_1" to 5, "LeftFoot01", "LeftFoot02") are distinguished by their order.
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
    // "LeftShoulder, LeftElbow, LeftWrist": named after the joints, not the bones; the shoulder may hang on a collar bone.
    for (uint32_t j = 0; j < s->count && limbs[ROLE_UPPER_ARM] == SUP_NONE && limbs[ROLE_SHOULDER] != SUP_NONE; ++j)
        if (found[j].role == ROLE_SHOULDER && found[j].side == side && j > limbs[ROLE_SHOULDER] &&
            body_is_above(s->parents, limbs[ROLE_SHOULDER], j))
            limbs[ROLE_UPPER_ARM] = j;
    if (limbs[ROLE_UPPER_ARM] == SUP_NONE) {
        limbs[ROLE_UPPER_ARM] = limbs[ROLE_SHOULDER];
        limbs[ROLE_SHOULDER] = SUP_NONE;
    }
    // A chain of four "arms" begins with the shoulder.
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
    uint32_t arms[2] = { out->limbs[SIDE_LEFT][ROLE_UPPER_ARM], out->limbs[SIDE_RIGHT][ROLE_UPPER_ARM] };
    uint32_t chest = arms[0] != SUP_NONE && arms[1] != SUP_NONE ? common_parent(s->parents, arms[0], arms[1]) : SUP_NONE;
    // A lower and an upper half that hang side by side on a center: the hips are what carries both.
    uint32_t center = chest != SUP_NONE && out->hips != SUP_NONE ? common_parent(s->parents, out->hips, chest) : SUP_NONE;
    bool     halves = center != SUP_NONE && center != out->hips && center != chest && s->eligible[center];
    if (halves) out->hips = center;
    if (out->hips == SUP_NONE) return;
    if (named != SUP_NONE && named != out->hips && !halves && body_is_above(s->parents, out->hips, named))
        out->spine[out->spine_count++] = named;

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

body_map body_map_none(void)
{
    body_map map = { .hips = SUP_NONE, .head = SUP_NONE };
    for (int side = 0; side < 2; ++side)
        for (int role = 0; role < ROLE_COUNT; ++role) map.limbs[side][role] = SUP_NONE;
    return map;
}

// ---------------------------------------------------------------------------------------------- by names, then by shape

static void find_by_names(const body_skeleton* s, const joint_name* found, const body_fixed* fixed, uint32_t fixed_count,
                          body_map* out)
{
    for (int side = 0; side < 2; ++side) {
        find_arm(s, found, side, out->limbs[side]);
        find_leg(s, found, side, out->limbs[side]);
    }
    for (uint32_t i = 0; i < fixed_count; ++i)
        if (fixed[i].role >= ROLE_SHOULDER) fix_role(&fixed[i], out);
    find_trunk(s, found, out);
    for (uint32_t i = 0; i < fixed_count; ++i)
        if (fixed[i].role < ROLE_SHOULDER) fix_role(&fixed[i], out);
}

static bool has_roles(const uint32_t* limb, int first, int last)
{
    for (int role = first; role <= last; ++role)
        if (limb[role] == SUP_NONE) return false;
    return true;
}

// Whether the names identified all that walking needs.
static bool is_whole(const body_map* map)
{
    for (int side = 0; side < 2; ++side)
        if (!has_roles(map->limbs[side], ROLE_UPPER_LEG, ROLE_FOOT) || !has_roles(map->limbs[side], ROLE_UPPER_ARM, ROLE_HAND))
            return false;
    return map->hips != SUP_NONE;
}

// Whether the joints of a limb descend from each other in their order.
static bool in_order(const uint32_t* parents, const uint32_t* limb, int first, int last)
{
    uint32_t above = SUP_NONE;
    for (int role = first; role <= last; ++role) {
        if (limb[role] == SUP_NONE) continue;
        if (above != SUP_NONE && (above == limb[role] || !body_is_above(parents, above, limb[role]))) return false;
        above = limb[role];
    }
    return true;
}

// Fills in what the names left open of a limb. If the two contradict each other, the shape of the whole limb is the better
// evidence: a single name that fits ("bone" is a word for many things) does not make a limb.
static void merge_limb(const uint32_t* parents, const uint32_t* shape, int first, int last, uint32_t* limb)
{
    uint32_t both[ROLE_COUNT];
    for (int role = first; role <= last; ++role) both[role] = limb[role] != SUP_NONE ? limb[role] : shape[role];
    bool good = in_order(parents, both, first, last);
    for (int role = first; role <= last; ++role) limb[role] = good ? both[role] : shape[role];
}

static void merge(const body_skeleton* s, const body_shape* shape, body_map* map)
{
    const body_map* guess = &shape->map;
    for (int side = 0; side < 2; ++side) {
        uint32_t* limb = map->limbs[side];
        if (!has_roles(limb, ROLE_UPPER_LEG, ROLE_FOOT) && guess->limbs[side][ROLE_UPPER_LEG] != SUP_NONE)
            merge_limb(s->parents, guess->limbs[side], ROLE_UPPER_LEG, ROLE_TOE, limb);
        if (!has_roles(limb, ROLE_UPPER_ARM, ROLE_HAND) && guess->limbs[side][ROLE_UPPER_ARM] != SUP_NONE)
            merge_limb(s->parents, guess->limbs[side], ROLE_SHOULDER, ROLE_HAND, limb);
    }
    bool carries = map->hips != SUP_NONE;
    for (int side = 0; side < 2 && carries; ++side)
        carries = body_is_above(s->parents, map->hips, map->limbs[side][ROLE_UPPER_LEG]);
    if (!carries) map->hips = guess->hips;
    if (!map->spine_count) {
        map->spine_count = guess->spine_count;
        memcpy(map->spine, guess->spine, sizeof map->spine);
    }
    if (!map->neck_count && map->head == SUP_NONE) {
        map->neck_count = guess->neck_count;
        memcpy(map->neck, guess->neck, sizeof map->neck);
        map->head = guess->head;
    }
    map->faces = shape->faces;
    map->four_legs = guess->four_legs;
}

// Fingers by their names; if none is a finger's, by their places.
static void find_fingers(const body_skeleton* s, const body_shape* shape, body_map* out)
{
    bool named = false;
    for (uint32_t j = 0; j < s->count; ++j) {
        int side, finger, number;
        if (!s->eligible[j] || !body_finger_of(s->names[j], &side, &finger, &number)) continue;
        out->fingers[j] = (body_finger){ (int8_t)side, (int8_t)finger, (int8_t)number, false };
        named = true;
    }
    for (uint32_t j = 0; j < s->count && !named && shape->found; ++j) out->fingers[j] = shape->fingers[j];
}

static void note_how(const body_skeleton* s, const body_map* names, const body_fixed* fixed, uint32_t fixed_count,
                     body_map* out)
{
    for (uint32_t j = 0; j < s->count; ++j) {
        int       side, other_side;
        body_role role = body_role_of(out, j, &side);
        if (role != ROLE_NONE)
            out->how[j] = body_role_of(names, j, &other_side) == role && side == other_side ? BODY_NAME : BODY_SHAPE;
        else if (out->fingers[j].number) out->how[j] = out->fingers[j].guessed ? BODY_SHAPE : BODY_NAME;
    }
    for (uint32_t i = 0; i < fixed_count; ++i) out->how[fixed[i].joint] = BODY_TOLD;
}

// A joint has only one role: if a name claimed it for another, the name loses.
static void drop_doubles(body_map* map)
{
    for (int list = 0; list < 2; ++list) {
        uint32_t *joints = list ? map->neck : map->spine, *count = list ? &map->neck_count : &map->spine_count, kept = 0;
        for (uint32_t i = 0; i < *count; ++i) {
            bool taken = joints[i] == map->hips || (list == 0 && joints[i] == map->head);
            for (int side = 0; side < 2; ++side)
                for (int role = ROLE_SHOULDER; role < ROLE_COUNT; ++role) taken |= map->limbs[side][role] == joints[i];
            if (!taken) joints[kept++] = joints[i];
        }
        *count = kept;
    }
}

sup_result body_find(const body_skeleton* s, const body_fixed* fixed, uint32_t fixed_count, sup_arena* scratch, body_map* out,
                     sup_error* error)
{
    joint_affix shared[2];
    joint_name* found = SUP_NEW(scratch, joint_name, s->count);
    bool*       barred = SUP_NEW(scratch, bool, s->count);
    *out = body_map_none();
    out->how = SUP_NEW(scratch, uint8_t, s->count);
    out->fingers = SUP_NEW(scratch, body_finger, s->count);
    if (!found || !barred || !out->how || !out->fingers) return sup_fail_memory(error, "a match of joints");
    out->faces = true;
    joint_names_shared(s->names, s->eligible, s->count, shared);
    for (uint32_t j = 0; j < s->count; ++j)
        found[j] = s->eligible[j] ? joint_name_read(s->names[j], shared) : (joint_name){ .side = SIDE_NONE };
    for (uint32_t i = 0; i < fixed_count; ++i) {
        found[fixed[i].joint].role = ROLE_NONE;
        barred[fixed[i].joint] = fixed[i].role == ROLE_NONE;
    }
    find_by_names(s, found, fixed, fixed_count, out);
    body_map   names = *out;
    body_shape shape = { 0 };
    if (s->places && !is_whole(out)) {
        sup_result result = body_shape_find(s, found, barred, scratch, &shape, error);
        if (result != SUP_OK) return result;
        if (shape.found) {
            merge(s, &shape, out);
            for (uint32_t i = 0; i < fixed_count; ++i) fix_role(&fixed[i], out);
            drop_doubles(out);
        }
    }
    find_fingers(s, &shape, out);
    note_how(s, &names, fixed, fixed_count, out);
    return SUP_OK;
}

const char* body_role_text(const body_map* map, uint32_t joint, char* text, size_t capacity)
{
    static const char* const roles[ROLE_COUNT] = { "",          "hips",      "spine",     "neck", "head",
                                                   "shoulder",  "upper arm", "lower arm", "hand", "upper leg",
                                                   "lower leg", "foot",      "toes" };
    static const char* const fingers[] = { "thumb", "index finger", "middle finger", "ring finger", "little finger" };
    int                      side;
    body_role                role = body_role_of(map, joint, &side);
    const body_finger*       f = &map->fingers[joint];
    if (role != ROLE_NONE)
        sup_format(text, capacity, "%s%s", side == SIDE_LEFT ? "left " : side == SIDE_RIGHT ? "right " : "", roles[role]);
    else if (f->number)
        sup_format(text, capacity, "%s %s %d", f->side == SIDE_LEFT ? "left" : "right", fingers[f->finger], f->number);
    else sup_format(text, capacity, "%s", "");
    return text;
}
