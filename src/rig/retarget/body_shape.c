// Finds which joint is which part of a body by the shape of the tree and the places of its joints.
#include "rig/retarget/body_shape.h"

#include "base/internal.h"
#include "math/vec.h"
#include "rig/retarget/body_tree.h"

// Shares of the height of all joints, or ratios of two lengths.
static const float THIGH_MAX = 0.75f; // legs begin lower; strands of hair do not, nor do those of animals
static const float LEG_MIN = 0.12f;   // a leg leads down by more than this
static const float ALIKE = 0.8f;      // lengths of the two limbs of a pair
static const float ARM_MIN = 0.35f;   // length of an arm over that of a leg
static const float ARM_ABOVE = 0.3f;  // arms begin above this share of the height from the hips to the top
static const float LOWER_PAIR = 0.6f; // of two pairs above, the one nearer to the hips is the arms if at least this good

// ---------------------------------------------------------------------------------------------- pairs

// A foot points aside at the end of a leg that leads down; the hem of a coat does not.
static bool has_foot(const shape* s, uint32_t node)
{
    uint32_t chain[CHAIN_MAX], count = shape_chain(s, node, true, chain);
    sup_vec3 end = s->nodes[chain[count - 1]].tip, before = s->nodes[chain[count - 1]].at;
    if (v3_distance(end, before) == 0 && count > 1) before = s->nodes[chain[count - 2]].at;
    sup_vec3 direction = v3_normalize(v3_sub(end, before), s->up);
    return fabsf(v3_dot(direction, s->up)) < SHAPE_ASIDE;
}

static float leg_score(const shape* s, uint32_t a, uint32_t b)
{
    const shape_node *x = &s->nodes[a], *y = &s->nodes[b];
    float             alike = length_ratio(x->low_length, y->low_length);
    uint32_t          more = x->low_count > y->low_count ? x->low_count - y->low_count : y->low_count - x->low_count;
    if (more > 1 || alike < ALIKE) return 0;
    return (x->low_length + y->low_length) * alike * (has_foot(s, a) && has_foot(s, b) ? 1.5f : 1);
}

static bool may_be_leg(const shape* s, uint32_t node)
{
    const shape_node* n = &s->nodes[node];
    float             drop = n->height - n->low;
    return n->low_count >= 2 && n->low < s->ground + SHAPE_GROUND * s->size && n->height < s->ground + s->thigh_max * s->size &&
           drop > LEG_MIN * s->size && drop > 0.5f * n->low_length;
}

static float arm_score(const shape* s, uint32_t a, uint32_t b)
{
    const shape_node *x = &s->nodes[a], *y = &s->nodes[b];
    float             alike = length_ratio(x->long_length, y->long_length);
    uint32_t          more = x->long_count > y->long_count ? x->long_count - y->long_count : y->long_count - x->long_count;
    if (more > 2 || alike < ALIKE || fabsf(x->height - y->height) > 0.25f * x->long_length) return 0;
    return (x->long_length + y->long_length) * alike *
           (shape_hand(s, a) != SUP_NONE && shape_hand(s, b) != SUP_NONE ? 1.5f : 1);
}

// The best pair among the children of a node.
typedef struct pair_search {
    bool (*may)(const shape* s, uint32_t node, const struct pair_search* search);
    float (*score)(const shape* s, uint32_t a, uint32_t b);
    float hips, top, leg;
} pair_search;

static limb_pair best_pair(const shape* s, uint32_t node, const pair_search* search)
{
    uint32_t  list[PAIRS_MAX], count = 0;
    limb_pair best = { SUP_NONE, SUP_NONE, 0 };
    for (uint32_t c = s->nodes[node].child; c != SUP_NONE && count < PAIRS_MAX; c = s->nodes[c].sibling)
        if (search->may(s, c, search)) list[count++] = c;
    for (uint32_t i = 0; i < count; ++i)
        for (uint32_t k = 0; k < i; ++k) {
            float score = search->score(s, list[i], list[k]);
            if (score > best.score) best = (limb_pair){ list[i], list[k], score };
        }
    return best;
}

static bool may_leg(const shape* s, uint32_t node, const pair_search* search)
{
    (void)search;
    return may_be_leg(s, node);
}

static bool node_is_above(const shape* s, uint32_t above, uint32_t node)
{
    while (node != SUP_NONE && node > above) node = s->nodes[node].parent;
    return node == above;
}

static bool may_arm(const shape* s, uint32_t node, const pair_search* search)
{
    const shape_node* n = &s->nodes[node];
    if (n->long_count < 2 || n->long_length < ARM_MIN * search->leg) return false;
    return !n->in_leg && !n->above_leg && n->height >= search->hips + ARM_ABOVE * (search->top - search->hips);
}

static void mark_legs(shape* s, limb_pair legs)
{
    for (uint32_t i = 0; i < s->count; ++i) {
        shape_node* n = &s->nodes[i];
        n->in_leg = i == legs.a || i == legs.b || s->nodes[n->parent].in_leg;
    }
    for (uint32_t i = s->nodes[legs.a].parent; i != SUP_NONE; i = s->nodes[i].parent) s->nodes[i].above_leg = true;
}

static limb_pair find_legs(const shape* s)
{
    pair_search search = { .may = may_leg, .score = leg_score };
    limb_pair   best = { SUP_NONE, SUP_NONE, 0 };
    for (uint32_t i = 0; i < s->count; ++i) {
        limb_pair pair = best_pair(s, i, &search);
        if (pair.score > best.score) best = pair;
    }
    return best;
}

static sup_vec3 middle_of(const shape* s, limb_pair pair) { return v3_lerp(s->nodes[pair.a].at, s->nodes[pair.b].at, 0.5f); }

// A second pair of legs that begins elsewhere: both stand on the ground, a good part of a leg apart. It may be a pair of roots.
static bool has_more_legs(const shape* s, limb_pair legs)
{
    pair_search search = { .may = may_leg, .score = leg_score };
    for (uint32_t i = 0; i <= s->count; ++i) {
        if (i == s->nodes[legs.a].parent || s->nodes[i].in_leg) continue;
        limb_pair pair = best_pair(s, i, &search);
        if (pair.a == SUP_NONE || s->nodes[pair.a].above_leg || s->nodes[pair.b].above_leg) continue;
        sup_vec3 away = v3_sub(middle_of(s, pair), middle_of(s, legs));
        away = v3_mad(away, -v3_dot(away, s->up), s->up);
        if (pair.score > 0.5f * legs.score && v3_length(away) > 0.4f * s->nodes[legs.a].low_length) return true;
    }
    return false;
}

// Wings and strands of hair are pairs too: of those that are good enough, the one nearest to the root.
static limb_pair find_arms(const shape* s, limb_pair legs, float hips)
{
    pair_search search = {
        .may = may_arm, .score = arm_score, .hips = hips, .top = s->ground + s->size, .leg = s->nodes[legs.a].low_length
    };
    limb_pair best = { SUP_NONE, SUP_NONE, 0 }, nearest = best;
    for (uint32_t i = 0; i < s->count; ++i) {
        limb_pair pair = best_pair(s, i, &search);
        if (pair.score > best.score) best = pair;
    }
    for (uint32_t i = 0; i < s->count; ++i) {
        limb_pair pair = best_pair(s, i, &search);
        if (pair.score == 0 || pair.score < LOWER_PAIR * best.score) continue;
        if (nearest.a == SUP_NONE || s->nodes[pair.a].depth < s->nodes[nearest.a].depth) nearest = pair;
    }
    return nearest;
}

// ---------------------------------------------------------------------------------------------- trunk

// The legs may be children of the first spine joint, a little above the hips.
static uint32_t find_hips(const shape* s, uint32_t fork, float leg)
{
    uint32_t above = s->nodes[fork].parent;
    if (above == s->count) return fork;
    float away = v3_distance(s->nodes[fork].at, s->nodes[above].at);
    return away > 0.02f * leg && away < 0.5f * leg ? above : fork;
}

// Wings and ears come in pairs; a neck has no twin.
static bool has_twin(const shape* s, uint32_t node)
{
    const shape_node* n = &s->nodes[node];
    uint32_t          steps = 0;
    for (uint32_t c = s->nodes[n->parent].child; c != SUP_NONE && steps++ < TWINS_MAX; c = s->nodes[c].sibling) {
        const shape_node* other = &s->nodes[c];
        if (c != node && other->long_count == n->long_count && length_ratio(other->long_length, n->long_length) > 0.95f &&
            fabsf(other->height - n->height) < 0.05f * s->size && fabsf(other->top - n->top) < 0.05f * s->size)
            return true;
    }
    return false;
}

// From a joint upward: the path that reaches highest, to its end or to where it divides.
static uint32_t chain_up(const shape* s, uint32_t from, limb_pair arms, uint32_t* out)
{
    uint32_t count = 0;
    for (uint32_t node = from; count < CHAIN_MAX;) {
        uint32_t best = SUP_NONE;
        for (uint32_t c = s->nodes[node].child; c != SUP_NONE; c = s->nodes[c].sibling) {
            bool limb = c == arms.a || c == arms.b || s->nodes[c].in_leg || s->nodes[c].above_leg;
            if (limb || s->nodes[c].top <= s->nodes[node].height || has_twin(s, c)) continue;
            if (best == SUP_NONE || s->nodes[c].top > s->nodes[best].top) best = c;
        }
        if (best == SUP_NONE) break;
        out[count++] = best;
        if (s->nodes[best].children != 1) break;
        node = best;
    }
    return count;
}

static void add_joint(const shape* s, uint32_t* list, uint32_t* count, uint32_t node)
{
    if (*count < BODY_CHAIN_MAX) list[(*count)++] = s->nodes[node].joint;
}

static void name_trunk(const shape* s, uint32_t hips, limb_pair arms, body_map* map)
{
    uint32_t chain[CHAIN_MAX], count = 0, chest = arms.a == SUP_NONE ? hips : s->nodes[arms.a].parent;
    map->hips = s->nodes[hips].joint;
    for (uint32_t i = chest; i != hips && count < CHAIN_MAX; i = s->nodes[i].parent) chain[count++] = i;
    while (count) add_joint(s, map->spine, &map->spine_count, chain[--count]);
    count = chain_up(s, chest, arms, chain);
    if (!count) return;
    map->head = s->nodes[chain[count - 1]].joint;
    for (uint32_t i = 0; i + 1 < count; ++i)
        add_joint(s, arms.a == SUP_NONE ? map->spine : map->neck, arms.a == SUP_NONE ? &map->spine_count : &map->neck_count,
                  chain[i]);
    // For arms that are children of the neck: it begins at the height where they do.
    if (arms.a == SUP_NONE || map->neck_count || map->spine_count < 2) return;
    float shoulders = 0.5f * (s->nodes[arms.a].height + s->nodes[arms.b].height);
    if (s->nodes[chest].height < shoulders) return;
    map->neck[map->neck_count++] = map->spine[--map->spine_count];
}

// ---------------------------------------------------------------------------------------------- left and right

static sup_vec3 flat(const shape* s, sup_vec3 d) { return v3_mad(d, -v3_dot(d, s->up), s->up); }

// The direction in which feet point, or else in which knees bend. Zero: unknown.
static sup_vec3 find_forward(const shape* s, const limb_pair* legs, const body_map* map)
{
    sup_vec3 feet = v3(0, 0, 0), knees = feet;
    for (int k = 0; k < 2; ++k) {
        const uint32_t* limb = map->limbs[k];
        const sup_vec3* p = s->skeleton->places;
        uint32_t        chain[CHAIN_MAX];
        if (limb[ROLE_FOOT] == SUP_NONE) continue;
        uint32_t          count = shape_chain(s, shape_node_of(s, limb[ROLE_FOOT]), true, chain);
        const shape_node* end = &s->nodes[chain[count - 1]];
        feet = v3_add(feet, flat(s, v3_sub(end->tip, p[limb[ROLE_FOOT]])));
        sup_vec3 thigh = p[limb[ROLE_UPPER_LEG]], line = v3_sub(p[limb[ROLE_FOOT]], thigh),
                 knee = v3_sub(p[limb[ROLE_LOWER_LEG]], thigh);
        float part = v3_length2(line) > 0 ? v3_dot(knee, line) / v3_length2(line) : 0;
        knees = v3_add(knees, flat(s, v3_mad(knee, -part, line)));
    }
    float leg = s->nodes[legs->a].low_length;
    if (v3_length(feet) > 0.05f * leg) return feet;
    return v3_length(knees) > 0.01f * leg ? knees : v3(0, 0, 0);
}

// Number of names that say the first limbs are the left ones, minus those that say otherwise.
static int votes_for_left(const shape* s, limb_pair pair)
{
    int votes = 0;
    for (uint32_t i = 0; i < s->count && pair.a != SUP_NONE; ++i) {
        int side = s->names[s->nodes[i].joint].side;
        if (side == SIDE_NONE) continue;
        if (node_is_above(s, pair.a, i)) votes += side == SIDE_LEFT ? 1 : -1;
        else if (node_is_above(s, pair.b, i)) votes += side == SIDE_RIGHT ? 1 : -1;
    }
    return votes;
}

static void swap_pair(limb_pair* pair)
{
    uint32_t a = pair->a;
    pair->a = pair->b;
    pair->b = a;
}

// From the second limb of a pair to the first, averaged over all of their joints: hip joints may coincide.
static sup_vec3 across(const shape* s, const body_map* map, int first, int last)
{
    sup_vec3 sum = v3(0, 0, 0);
    for (int role = first; role <= last; ++role) {
        uint32_t a = map->limbs[0][role], b = map->limbs[1][role];
        if (a != SUP_NONE && b != SUP_NONE) sum = v3_add(sum, v3_sub(s->skeleton->places[a], s->skeleton->places[b]));
    }
    return flat(s, sum);
}

// Puts the left limb of both pairs first. False if nothing distinguished them.
static bool sort_sides(const shape* s, limb_pair* legs, limb_pair* arms, const body_map* first)
{
    sup_vec3 aside = across(s, first, ROLE_UPPER_LEG, ROLE_FOOT);
    if (v3_dot(aside, across(s, first, ROLE_UPPER_ARM, ROLE_HAND)) < 0) swap_pair(arms);
    int  votes = votes_for_left(s, *legs) + votes_for_left(s, *arms);
    bool known = votes != 0, left = votes > 0;
    if (!known) {
        sup_vec3 forward = find_forward(s, legs, first);
        known = v3_length2(forward) > 0;
        if (!known) forward = s->up.y != 0 ? v3(0, 0, 1) : v3(0, -1, 0); // the axes of most programs
        left = v3_dot(v3_cross(s->up, forward), aside) > 0;
    }
    if (left) return known;
    swap_pair(legs);
    swap_pair(arms);
    return known;
}

// ---------------------------------------------------------------------------------------------- whole

static sup_result find_upright(shape* s, const bool* barred, sup_arena* scratch, body_shape* out, sup_error* error)
{
    sup_result result = shape_make_tree(s, barred, scratch, error);
    out->found = false;
    if (result != SUP_OK || s->count < 5 || !(s->size > 0) || !isfinite(s->size)) return result;
    limb_pair legs = find_legs(s), arms = { SUP_NONE, SUP_NONE, 0 };
    bool      two = legs.a != SUP_NONE;
    s->thigh_max = 1;
    if (!two) legs = find_legs(s);
    if (legs.a == SUP_NONE) return SUP_OK;
    mark_legs(s, legs);
    bool four_legs = has_more_legs(s, legs);
    if (!two && !four_legs) return SUP_OK;
    uint32_t fork = s->nodes[legs.a].parent, hips = find_hips(s, fork, s->nodes[legs.a].low_length);
    arms = find_arms(s, legs, s->nodes[fork].height);
    if (arms.a != SUP_NONE)
        while (hips != s->count && !node_is_above(s, hips, arms.a)) hips = s->nodes[hips].parent; // so that it carries both
    if (hips == s->count) return SUP_OK;
    shape_name_limbs(s, legs, arms, &out->map, NULL); // to find the feet
    out->faces = sort_sides(s, &legs, &arms, &out->map);
    shape_name_limbs(s, legs, arms, &out->map, out->fingers);
    name_trunk(s, hips, arms, &out->map);
    out->found = true;
    out->map.four_legs = four_legs;
    out->score = (legs.score + arms.score) / s->size;
    return SUP_OK;
}

sup_result body_shape_find(const body_skeleton* skeleton, const joint_name* names, const bool* barred, sup_arena* scratch,
                           body_shape* out, sup_error* error)
{
    const sup_vec3 directions[] = { skeleton->up, { 0, 1, 0 },  { 0, 0, 1 }, { 1, 0, 0 },
                                    { 0, -1, 0 }, { 0, 0, -1 }, { -1, 0, 0 } };
    *out = (body_shape){ 0 };
    for (size_t i = 0; i < SUP_COUNT_OF(directions); ++i) {
        shape      s = { .skeleton = skeleton, .names = names, .up = directions[i], .thigh_max = THIGH_MAX };
        body_shape one = { .fingers = SUP_NEW(scratch, body_finger, skeleton->count) };
        if (!one.fingers) return sup_fail_memory(error, "a match of joints");
        if (v3_length2(s.up) == 0) continue;
        sup_result result = find_upright(&s, barred, scratch, &one, error);
        if (result != SUP_OK) return result;
        // A figure stands along the file's up axis. Along another one only whole bodies count: two fingers of a hand are like
        // legs.
        bool known = v3_length2(directions[0]) > 0, whole = one.map.limbs[SIDE_LEFT][ROLE_UPPER_ARM] != SUP_NONE;
        if (one.found && (i == 0 || !known || whole) && one.score > out->score) *out = one;
        if (i == 0 && one.found) break;
    }
    return SUP_OK;
}
