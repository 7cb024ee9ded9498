// Which joint of a character follows which joint of a motion, and what carries those that follow none.
#include "base/internal.h"
#include "math/vec.h"
#include "rig/retarget/retarget.h"

#include <string.h>

#define BAD(...) sup_fail(r->error, SUP_ERROR_INPUT, __VA_ARGS__)

// ---------------------------------------------------------------------------------------------- who follows whom

static void pair(retarget* r, uint32_t target, uint32_t source)
{
    if (target == SUP_NONE || source == SUP_NONE || r->follows[target].source != SUP_NONE) return;
    r->follows[target].source = source;
    r->follows[target].next = source;
}

// Chains of different lengths: the last follows the last, those between follow at proportional positions.
static void pair_chain(retarget* r, const uint32_t* targets, uint32_t n, const uint32_t* sources, uint32_t m, uint32_t below)
{
    for (uint32_t k = 0; k < n && m; ++k) {
        float    at = (float)((k + 1) * m) / (float)n;
        uint32_t whole = (uint32_t)at;
        follow*  f = &r->follows[targets[k]];
        if (f->source != SUP_NONE) continue;
        f->source = whole == 0 ? below : sources[whole - 1];
        f->next = whole < m ? sources[whole] : f->source;
        f->ratio = at - (float)whole;
    }
}

static void pair_bodies(retarget* r)
{
    const body_map *s = &r->source.body, *t = &r->target.body;
    pair(r, t->hips, s->hips);
    pair_chain(r, t->spine, t->spine_count, s->spine, s->spine_count, s->hips);
    pair_chain(r, t->neck, t->neck_count, s->neck, s->neck_count, s->spine_count ? s->spine[s->spine_count - 1] : s->hips);
    pair(r, t->head, s->head);
    for (int side = 0; side < 2; ++side)
        for (int role = ROLE_SHOULDER; role < ROLE_COUNT; ++role) pair(r, t->limbs[side][role], s->limbs[side][role]);
}

// A hand with a thumb and one more "finger", as in CMU's skeletons, is a mitten whose joints mean nothing individually.
static bool has_fingers(const figure* f, int side)
{
    uint32_t seen = 0, count = 0;
    for (uint32_t j = 0; j < f->joint_count; ++j) {
        const body_finger* finger = &f->body.fingers[j];
        if (!finger->number || finger->side != side || seen & 1u << finger->finger) continue;
        seen |= 1u << finger->finger;
        count++;
    }
    return count >= 3;
}

// Joint by joint, where both hands have it.
static void pair_fingers(retarget* r)
{
    bool hands[2] = { has_fingers(&r->source, SIDE_LEFT), has_fingers(&r->source, SIDE_RIGHT) };
    for (uint32_t t = 0; t < r->target.joint_count; ++t) {
        const body_finger* finger = &r->target.body.fingers[t];
        if (r->follows[t].source != SUP_NONE || !finger->number || !hands[finger->side]) continue;
        uint32_t hand = r->target.body.limbs[finger->side][ROLE_HAND], other = r->source.body.limbs[finger->side][ROLE_HAND];
        if (hand == SUP_NONE || other == SUP_NONE || !body_is_above(r->target.parents, hand, t)) continue;
        for (uint32_t s = 0; s < r->source.joint_count; ++s) {
            const body_finger* f = &r->source.body.fingers[s];
            if (f->number == finger->number && f->side == finger->side && f->finger == finger->finger &&
                body_is_above(r->source.parents, other, s))
                pair(r, t, s);
        }
    }
}

static bool has_follower(const retarget* r, uint32_t source)
{
    for (uint32_t t = 0; t < r->target.joint_count; ++t)
        if (r->follows[t].source == source) return true;
    return false;
}

// A joint without a role (hip joints, the mittens of CMU's hands, tails) that has the same name as one in the motion, below
// joints that follow each other: the motion was captured for such a skeleton.
static void pair_namesakes(retarget* r)
{
    for (uint32_t t = 0; t < r->target.joint_count; ++t) {
        uint32_t above = r->target.parents[t];
        if (r->follows[t].source != SUP_NONE || above == SUP_NONE || r->follows[above].source == SUP_NONE) continue;
        for (uint32_t s = 0; s < r->source.joint_count; ++s) {
            if (r->mocap->joints[s].end || r->source.parents[s] != r->follows[above].source ||
                strcmp(r->source.names[s], r->target.names[t]) != 0 || has_follower(r, s))
                continue;
            pair(r, t, s);
            r->follows[t].namesake = true;
        }
    }
}

static bool same_text(const char* a, const char* b)
{
    for (;; ++a, ++b) {
        char x = *a >= 'A' && *a <= 'Z' ? (char)(*a - 'A' + 'a') : *a, y = *b >= 'A' && *b <= 'Z' ? (char)(*b - 'A' + 'a') : *b;
        if (x != y) return false;
        if (!x) return true;
    }
}

static uint32_t source_joint(const retarget* r, const char* name)
{
    for (int loose = 0; loose < 2; ++loose)
        for (uint32_t j = 0; j < r->mocap->joint_count; ++j)
            if (!r->mocap->joints[j].end &&
                (loose ? same_text(r->mocap->joints[j].name, name) : strcmp(r->mocap->joints[j].name, name) == 0))
                return j;
    return SUP_NONE;
}

// The user's pairs. A target takes over the role of its partner, so that one pair can explain an unknown name.
static sup_result read_pairs(retarget* r, const sup_retarget_options* options, body_fixed* fixed)
{
    for (uint32_t i = 0; i < options->pair_count; ++i) {
        const sup_joint_pair* p = &options->pairs[i];
        uint32_t              target = sup_character_joint(r->character, p->target);
        if (target == SUP_NONE)
            return BAD("the motion map names the joint '%s', which '%s' does not have; 'supple inspect' lists its joints",
                       p->target, r->character->name);
        uint32_t source = p->source ? source_joint(r, p->source) : SUP_NONE;
        if (p->source && source == SUP_NONE)
            return BAD(
                "the motion map gives '%s' the joint '%s', which the motion '%s' does not have; 'supple inspect' lists its "
                "joints",
                p->target, p->source, r->mocap->name);
        fixed[i].joint = target;
        if (source != SUP_NONE) fixed[i].role = body_role_of(&r->source.body, source, &fixed[i].side);
    }
    return SUP_OK;
}

static void apply_pairs(retarget* r, const sup_retarget_options* options)
{
    for (uint32_t j = 0; j < r->target.joint_count; ++j) r->follows[j] = (follow){ .source = SUP_NONE, .carrier = SUP_NONE };
    for (uint32_t i = 0; i < options->pair_count; ++i)
        if (options->pairs[i].source)
            pair(r, sup_character_joint(r->character, options->pairs[i].target), source_joint(r, options->pairs[i].source));
    pair_bodies(r);
    pair_fingers(r);
    pair_namesakes(r);
    for (uint32_t i = 0; i < options->pair_count; ++i)
        if (!options->pairs[i].source)
            r->follows[sup_character_joint(r->character, options->pairs[i].target)].source = SUP_NONE;
}

static uint32_t count_limbs(const retarget* r)
{
    uint32_t count = 0;
    for (int side = 0; side < 2; ++side)
        for (int role = ROLE_SHOULDER; role < ROLE_COUNT; ++role) {
            uint32_t joint = r->target.body.limbs[side][role];
            count += joint != SUP_NONE && r->follows[joint].source != SUP_NONE;
        }
    return count;
}

sup_result retarget_find_partners(retarget* r, const sup_retarget_options* options, figure_choice* choice)
{
    uint32_t    joints = r->character->skeleton.joint_count;
    body_fixed* fixed = SUP_NEW(r->scratch, body_fixed, options->pair_count);
    if (joints < 2)
        return BAD(
            "'%s' has no skeleton that '%s' could move; give it one: 'supple weights MESH character.glb --skeleton FILE' takes "
            "joints that stand in the mesh (.glb, .bvh, .tgf), and its file plays the motion",
            r->character->name, r->mocap->name);
    r->follows = SUP_NEW(r->scratch, follow, joints);
    r->turned = SUP_NEW(r->scratch, sup_quat, joints);
    r->rotations = SUP_NEW(r->scratch, sup_quat, r->mocap->joint_count);
    r->positions = SUP_NEW(r->scratch, sup_vec3, r->mocap->joint_count);
    if (!fixed || !r->follows || !r->turned || !r->rotations || !r->positions) return sup_fail_memory(r->error, "a motion");
    sup_result result = figure_of_mocap(r->mocap, r->scratch, &r->source, choice, r->error);
    if (result == SUP_OK) result = read_pairs(r, options, fixed);
    if (result == SUP_OK)
        result = figure_of_character(r->character, fixed, options->pair_count, r->scratch, &r->target, &r->reference, r->error);
    if (result == SUP_OK) result = sup_pose_create(r->character, r->scratch, &r->pose, r->error);
    if (result != SUP_OK) return result;
    if (r->target.body.hips == SUP_NONE)
        return BAD("no hips and legs were found among the joints of '%s', neither by their names nor by their positions, so it "
                   "cannot play '%s'; add --motion-map FILE with lines like 'joint of the character = joint of the motion'",
                   r->character->name, r->mocap->name);
    if (options->pair_count == 0 && figure_on_all_fours(&r->target, figure_up(r->character)))
        return BAD("'%s' has four legs, and '%s' is the motion of a figure on two; to try it all the same, add --motion-map "
                   "FILE with lines like 'joint of the character = joint of the motion'",
                   r->character->name, r->mocap->name);
    apply_pairs(r, options);
    if (count_limbs(r) == 0 && options->pair_count == 0)
        return BAD("the joints of the motion '%s' have no names of body parts; add --motion-map FILE with lines like 'joint "
                   "of the character = joint of the motion'",
                   r->mocap->name);
    if (r->follows[r->target.body.hips].source == SUP_NONE) pair(r, r->target.body.hips, r->source.body.hips);
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- places

// The root motion places the hips. Feet and hands that are not children of their limb (rigs made for inverse kinematics) are
// carried by it.
static void place_joints(retarget* r)
{
    const body_map* b = &r->target.body;
    r->follows[b->hips].placed = true;
    for (int side = 0; side < 2; ++side)
        for (int role = ROLE_SHOULDER; role < ROLE_COUNT; ++role) {
            uint32_t joint = b->limbs[side][role];
            uint32_t above = role == ROLE_SHOULDER || role == ROLE_UPPER_LEG ? b->hips : b->limbs[side][role - 1];
            if (role == ROLE_UPPER_ARM && above == SUP_NONE) above = b->hips;
            if (joint == SUP_NONE || above == SUP_NONE || body_is_above(r->target.parents, above, joint)) continue;
            r->follows[joint].placed = true;
            r->follows[joint].carrier = above;
            r->follows[joint].offset = quat_rotate(quat_conjugate(r->target.rotations[above]),
                                                   v3_sub(r->target.positions[joint], r->target.positions[above]));
        }
}

// What is known about the joints that do not descend from the hips.
typedef struct beside {
    bool*    body;      // is the hips or a descendant
    bool*    with_body; // it or a descendant moves skin of a part that the body moves too
    sup_vec3 low, high; // the box of the body's skin joints
} beside;

static void find_shared_parts(const retarget* r, beside* b)
{
    const sup_character* c = r->character;
    for (uint32_t i = 0; i < c->mesh.part_count; ++i) {
        uint32_t begin = c->weights.begin[c->mesh.parts[i].point_begin];
        uint32_t end = c->weights.begin[c->mesh.parts[i].point_begin + c->mesh.parts[i].point_count];
        bool     moved = false;
        for (uint32_t k = begin; k < end && !moved; ++k) moved = b->body[c->weights.joints[k]];
        for (uint32_t k = begin; k < end && moved; ++k) b->with_body[c->weights.joints[k]] = true;
    }
    for (uint32_t j = r->target.joint_count; j-- > 0;)
        if (b->with_body[j] && r->target.parents[j] != SUP_NONE) b->with_body[r->target.parents[j]] = true;
}

static sup_result find_beside(const retarget* r, beside* b)
{
    const figure* t = &r->target;
    uint32_t      hips = t->body.hips;
    *b = (beside){ .body = SUP_NEW(r->scratch, bool, t->joint_count), .with_body = SUP_NEW(r->scratch, bool, t->joint_count) };
    if (!b->body || !b->with_body) return sup_fail_memory(r->error, "a motion");
    b->low = b->high = t->positions[hips];
    for (uint32_t j = hips; j < t->joint_count; ++j) {
        b->body[j] = j == hips || (t->parents[j] != SUP_NONE && b->body[t->parents[j]]);
        if (!b->body[j] || !r->character->skeleton.joints[j].skin_joint) continue;
        b->low = v3_min(b->low, t->positions[j]);
        b->high = v3_max(b->high, t->positions[j]);
    }
    find_shared_parts(r, b);
    return SUP_OK;
}

// What carries such a joint: the nearest of trunk, head and hands in the reference pose. Props lie in a hand; a skirt must not
// follow one of the legs.
static uint32_t nearest_carrier(const retarget* r, sup_vec3 p)
{
    const body_map* b = &r->target.body;
    uint32_t        list[2 * BODY_CHAIN_MAX + 3], count = 0, best = b->hips;
    for (uint32_t i = 0; i < b->spine_count; ++i) list[count++] = b->spine[i];
    for (uint32_t i = 0; i < b->neck_count; ++i) list[count++] = b->neck[i];
    list[count++] = b->head;
    for (int side = 0; side < 2; ++side) list[count++] = b->limbs[side][ROLE_HAND];
    for (uint32_t i = 0; i < count; ++i) {
        if (list[i] == SUP_NONE || r->follows[list[i]].source == SUP_NONE) continue;
        if (v3_distance(p, r->target.positions[list[i]]) < v3_distance(p, r->target.positions[best])) best = list[i];
    }
    return best;
}

// Skirts, capes and props may be children of a root above the hips, which has no partner and stays where it is. They belong to
// the body if they move skin of a part that it moves too, or begin within it; a second figure in the file does neither.
static sup_result carry_joints(retarget* r)
{
    const figure* t = &r->target;
    uint32_t      hips = t->body.hips;
    beside        b;
    sup_result    result = find_beside(r, &b);
    if (result != SUP_OK) return result;
    for (uint32_t j = 0; j < t->joint_count; ++j) {
        follow*  f = &r->follows[j];
        uint32_t parent = t->parents[j];
        sup_vec3 p = t->positions[j];
        if (f->source != SUP_NONE || f->placed || b.body[j] || !r->character->skeleton.joints[j].skin_joint) continue;
        if (body_is_above(t->parents, j, hips) || (parent != SUP_NONE && !body_is_above(t->parents, parent, hips))) continue;
        if (v3_distance(v3_max(v3_min(p, b.high), b.low), p) > 0 && !b.with_body[j]) continue;
        uint32_t carrier = f->carrier = nearest_carrier(r, p);
        f->placed = f->carried = true;
        f->fit = quat_mul(quat_conjugate(t->rotations[carrier]), t->rotations[j]);
        f->offset = quat_rotate(quat_conjugate(t->rotations[carrier]), v3_sub(p, t->positions[carrier]));
    }
    return SUP_OK;
}

sup_result retarget_place(retarget* r)
{
    place_joints(r);
    return carry_joints(r);
}
