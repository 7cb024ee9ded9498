// The joints of a pair of limbs: which of a chain is which, and the fingers of its hands.
#include "rig/retarget/body_tree.h"

#include "base/internal.h"
#include "math/vec.h"

static const float LONG_COLLAR = 0.5f; // of the longest product of two bones: from this share on, the later pair is the arm

static float bone(const shape* s, const uint32_t* chain, uint32_t count, uint32_t i)
{
    const shape_node* n = &s->nodes[chain[i]];
    return v3_distance(n->at, i + 1 < count ? s->nodes[chain[i + 1]].at : n->tip);
}

// Whether other chains begin beside a joint: then it is not a hand but one of several pieces of it.
static bool is_one_of_several(const shape* s, uint32_t node)
{
    const shape_node* n = &s->nodes[node];
    float             near = 0.25f * v3_distance(n->at, s->nodes[n->parent].at);
    for (uint32_t c = s->nodes[n->parent].child; c != SUP_NONE; c = s->nodes[c].sibling)
        if (c != node && v3_distance(s->nodes[c].at, n->at) < near) return true;
    return false;
}

// How much of a chain is a limb: up to the hand, or to the first of several pieces that begin side by side.
static uint32_t limb_below(const shape* s, uint32_t node, bool leg, uint32_t* chain)
{
    uint32_t count = shape_chain(s, node, leg, chain), hand = leg ? SUP_NONE : shape_hand(s, node);
    for (uint32_t i = 1; i < count; ++i)
        if (chain[i] == hand || is_one_of_several(s, chain[i])) return i + 1;
    return count;
}

// The positions of a pair's joints in its chains.
typedef struct limb_joints {
    uint32_t upper, lower, end;
} limb_joints;

// Limbs begin with their two longest consecutive bones. Hip joints and collar bones before them, feet and hands behind are
// shorter.
static limb_joints find_long_bones(const shape* s, uint32_t chains[2][CHAIN_MAX], uint32_t count, bool leg)
{
    uint32_t best = 0;
    float    most = -1;
    for (uint32_t i = 0; i + 2 < count && i < 4; ++i) {
        float product = 0;
        for (int k = 0; k < 2; ++k) product += bone(s, chains[k], count, i) * bone(s, chains[k], count, i + 1);
        // A collar bone may be as long as a forearm; a hand is not.
        if (product > most || (!leg && product > LONG_COLLAR * most)) best = i;
        most = fmaxf(most, product);
    }
    return (limb_joints){ best, best + 1, best + 2 };
}

// The joint at the end of a leg: where it turns aside near the ground. For an arm: the last one.
static uint32_t find_end(const shape* s, const uint32_t* chain, uint32_t count, bool leg)
{
    const shape_node* first = &s->nodes[chain[0]];
    for (uint32_t i = 2; i + 1 < count && leg; ++i) {
        sup_vec3 direction = v3_normalize(v3_sub(s->nodes[chain[i + 1]].at, s->nodes[chain[i]].at), s->up);
        if (fabsf(v3_dot(direction, s->up)) < SHAPE_ASIDE &&
            s->nodes[chain[i]].height - first->low < 0.35f * (first->height - first->low))
            return i;
    }
    return count - 1;
}

// Whether the chain has twist joints: more joints than a limb has, or a thigh that goes straight on from a hip joint.
static bool has_twists(const shape* s, const uint32_t* chain, uint32_t end, bool leg)
{
    if (end >= 4) return true;
    if (!leg || end < 3) return false;
    sup_vec3 a = v3_normalize(v3_sub(s->nodes[chain[1]].at, s->nodes[chain[0]].at), v3(0, 0, 0));
    sup_vec3 b = v3_normalize(v3_sub(s->nodes[chain[2]].at, s->nodes[chain[1]].at), v3(0, 0, 0));
    return v3_dot(a, b) > 0.97f; // 14 degrees
}

// Then thigh and shin, which are equally long, are found by halving the length.
static limb_joints find_halves(const shape* s, const uint32_t* chain, uint32_t end)
{
    float       lengths[CHAIN_MAX] = { 0 }, most = 0;
    limb_joints best = { 0, 1, end };
    for (uint32_t i = 1; i <= end; ++i)
        lengths[i] = lengths[i - 1] + v3_distance(s->nodes[chain[i - 1]].at, s->nodes[chain[i]].at);
    for (uint32_t i = 0; i + 2 <= end && lengths[end] - lengths[i] > 0.6f * lengths[end]; ++i)
        for (uint32_t k = i + 1; k < end; ++k) {
            float alike = length_ratio(lengths[k] - lengths[i], lengths[end] - lengths[k]);
            if (alike > most) most = alike, best = (limb_joints){ i, k, end };
        }
    return best;
}

static limb_joints find_limb_joints(const shape* s, limb_pair pair, bool leg)
{
    uint32_t chains[2][CHAIN_MAX];
    uint32_t counts[2] = { limb_below(s, pair.a, leg, chains[0]), limb_below(s, pair.b, leg, chains[1]) };
    uint32_t count = counts[0] < counts[1] ? counts[0] : counts[1], end = find_end(s, chains[0], count, leg);
    bool     known = leg ? end + 1 < count : shape_hand(s, pair.a) != SUP_NONE; // where it ends
    return known && has_twists(s, chains[0], end, leg) ? find_halves(s, chains[0], end)
                                                       : find_long_bones(s, chains, count, leg);
}

static void name_limb(const shape* s, uint32_t node, limb_joints at, bool leg, uint32_t* limb)
{
    uint32_t chain[CHAIN_MAX], count = shape_chain(s, node, leg, chain), places[3] = { at.upper, at.lower, at.end };
    int      upper = leg ? ROLE_UPPER_LEG : ROLE_UPPER_ARM;
    if (at.end < count && is_one_of_several(s, chain[at.end])) count = at.end;
    for (int i = 0; i < 3; ++i)
        if (places[i] < count) limb[upper + i] = s->nodes[chain[places[i]]].joint;
    if (!leg && at.upper) limb[ROLE_SHOULDER] = s->nodes[chain[at.upper - 1]].joint;
    if (leg && at.end + 1 < count && s->nodes[chain[at.end]].children == 1) limb[ROLE_TOE] = s->nodes[chain[at.end + 1]].joint;
}

// Rigs made for inverse kinematics have feet that are not children of their legs: the joint on the ground nearest to the shin's
// end.
static uint32_t loose_foot(const shape* s, uint32_t leg)
{
    uint32_t chain[CHAIN_MAX], count = shape_chain(s, leg, true, chain), best = SUP_NONE;
    sup_vec3 end = s->nodes[chain[count - 1]].tip;
    float    least = 0.5f * s->nodes[leg].low_length;
    for (uint32_t i = 0; i < s->count; ++i) {
        const shape_node* n = &s->nodes[i];
        if (n->in_leg || n->children || n->low > s->ground + SHAPE_GROUND * s->size) continue;
        float away = v3_distance(n->at, end);
        if (away < least) least = away, best = i;
    }
    return best;
}

static void add_loose_feet(const shape* s, limb_pair legs, body_map* map)
{
    uint32_t left = loose_foot(s, legs.a), right = loose_foot(s, legs.b);
    if (left == right || left == SUP_NONE || right == SUP_NONE) return;
    if (map->limbs[0][ROLE_FOOT] != SUP_NONE || map->limbs[1][ROLE_FOOT] != SUP_NONE) return;
    map->limbs[0][ROLE_FOOT] = s->nodes[left].joint;
    map->limbs[1][ROLE_FOOT] = s->nodes[right].joint;
}

// ---------------------------------------------------------------------------------------------- hands

typedef struct digit {
    uint32_t node;
    sup_vec3 end;
    float    reach; // along the forearm, of both ends together
    float    place; // along the row of knuckles
} digit;

// One chain of two to four joints, shorter than the forearm: neither a prop in the hand nor a sleeve.
static bool may_be_finger(const shape* s, uint32_t node, float forearm, sup_vec3* end)
{
    const shape_node* n = &s->nodes[node];
    if (n->long_count < 2 || n->long_count > 4 || n->long_length > 0.8f * forearm) return false;
    for (; n->long_next != SUP_NONE; n = &s->nodes[n->long_next])
        if (n->children > 1 || v3_distance(n->at, s->nodes[n->long_next].at) == 0) return false;
    *end = n->tip;
    return true;
}

static void name_digit(const shape* s, uint32_t node, int side, int finger, int first, body_finger* fingers)
{
    for (int number = first; node != SUP_NONE && number < 10; node = s->nodes[node].long_next, ++number)
        if (number > 0) fingers[s->nodes[node].joint] = (body_finger){ (int8_t)side, (int8_t)finger, (int8_t)number, true };
}

// Sorts the others along the line between the knuckles that are farthest apart, starting at the thumb's side.
static void sort_knuckles(const shape* s, digit* digits, uint32_t count, sup_vec3 thumb)
{
    sup_vec3 row = v3(0, 0, 0);
    for (uint32_t i = 0; i < count; ++i)
        for (uint32_t k = 0; k < i; ++k) {
            sup_vec3 d = v3_sub(s->nodes[digits[i].node].at, s->nodes[digits[k].node].at);
            if (v3_length2(d) > v3_length2(row)) row = d;
        }
    sup_vec3 middle = v3(0, 0, 0);
    for (uint32_t i = 0; i < count; ++i) middle = v3_mad(middle, 1 / (float)count, s->nodes[digits[i].node].at);
    if (v3_dot(v3_sub(thumb, middle), row) > 0) row = v3_scale(row, -1);
    for (uint32_t i = 0; i < count; ++i) {
        digit    d = digits[i];
        uint32_t at = i;
        d.place = v3_dot(s->nodes[d.node].at, row);
        for (; at && digits[at - 1].place > d.place; --at) digits[at] = digits[at - 1];
        digits[at] = d;
    }
}

// The thumb is the one that reaches least far.
static void name_fingers(const shape* s, uint32_t hand, sup_vec3 forearm, int side, body_finger* fingers)
{
    enum { FINGERS = 5 };
    digit    digits[FINGERS + 1] = { 0 };
    uint32_t count = 0, thumb = 0;
    for (uint32_t c = s->nodes[hand].child; c != SUP_NONE && count <= FINGERS; c = s->nodes[c].sibling) {
        sup_vec3 end;
        if (!may_be_finger(s, c, v3_length(forearm), &end)) continue;
        sup_vec3 both = v3_sub(v3_add(s->nodes[c].at, end), v3_scale(s->nodes[hand].at, 2));
        digits[count++] = (digit){ .node = c, .end = end, .reach = v3_dot(both, forearm) };
    }
    if (count < 3 || count > FINGERS) return;
    for (uint32_t i = 1; i < count; ++i)
        if (digits[i].reach < digits[thumb].reach) thumb = i;
    digit first = digits[thumb];
    digits[thumb] = digits[--count];
    sort_knuckles(s, digits, count, first.end);
    // If all others have one joint more than the thumb, they begin with a bone of the palm.
    uint32_t least = UINT32_MAX;
    for (uint32_t i = 0; i < count; ++i)
        least = s->nodes[digits[i].node].long_count < least ? s->nodes[digits[i].node].long_count : least;
    bool palm = least > 3 && least > s->nodes[first.node].long_count;
    name_digit(s, first.node, side, 0, 1, fingers);
    for (uint32_t i = 0; i < count; ++i) name_digit(s, digits[i].node, side, (int)i + 1, palm ? 0 : 1, fingers);
}

void shape_name_limbs(const shape* s, limb_pair legs, limb_pair arms, body_map* map, body_finger* fingers)
{
    limb_joints thigh = find_limb_joints(s, legs, true), arm = { 0 };
    if (arms.a != SUP_NONE) arm = find_limb_joints(s, arms, false);
    *map = body_map_none();
    for (int side = 0; side < 2; ++side) {
        uint32_t* limb = map->limbs[side];
        name_limb(s, side ? legs.b : legs.a, thigh, true, limb);
        if (arms.a != SUP_NONE) name_limb(s, side ? arms.b : arms.a, arm, false, limb);
        if (limb[ROLE_HAND] == SUP_NONE || !fingers) continue;
        sup_vec3 forearm = v3_sub(s->skeleton->places[limb[ROLE_HAND]], s->skeleton->places[limb[ROLE_LOWER_ARM]]);
        name_fingers(s, shape_node_of(s, limb[ROLE_HAND]), forearm, side, fingers);
    }
    add_loose_feet(s, legs, map);
}
