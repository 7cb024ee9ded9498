// A skeleton as a standing figure.
#include "rig/retarget/figure.h"

#include "base/internal.h"
#include "base/sort.h"
#include "math/vec.h"

#include <string.h>

// Headings this close to an axis are meant to be that axis; captured figures are a little lopsided.
static const float SNAP_COSINE = 0.906f; // 25 degrees

static sup_vec3 nearest_axis(sup_vec3 d)
{
    float x = fabsf(d.x), y = fabsf(d.y), z = fabsf(d.z);
    if (y >= x && y >= z) return v3(0, d.y < 0 ? -1.0f : 1.0f, 0);
    if (z >= x) return v3(0, 0, d.z < 0 ? -1.0f : 1.0f);
    return v3(d.x < 0 ? -1.0f : 1.0f, 0, 0);
}

static sup_vec3 flatten(sup_vec3 d, sup_vec3 up) { return v3_mad(d, -v3_dot(d, up), up); }

// ---------------------------------------------------------------------------------------------- measures

// The unit direction from the right joint of a pair to the left one; zero if the pair is absent.
static sup_vec3 across(const figure* f, int role)
{
    uint32_t left = f->body.limbs[SIDE_LEFT][role], right = f->body.limbs[SIDE_RIGHT][role];
    if (left == SUP_NONE || right == SUP_NONE) return v3(0, 0, 0);
    return v3_normalize(v3_sub(f->positions[left], f->positions[right]), v3(0, 0, 0));
}

static sup_vec3 trunk_of(const figure* f)
{
    const body_map* b = &f->body;
    uint32_t        left = b->limbs[SIDE_LEFT][ROLE_UPPER_ARM], right = b->limbs[SIDE_RIGHT][ROLE_UPPER_ARM];
    sup_vec3        from = f->positions[b->hips], to = from;
    if (left != SUP_NONE && right != SUP_NONE) to = v3_lerp(f->positions[left], f->positions[right], 0.5f);
    else if (b->neck_count) to = f->positions[b->neck[0]];
    else if (b->head != SUP_NONE) to = f->positions[b->head];
    else if (b->spine_count) to = f->positions[b->spine[b->spine_count - 1]];
    return v3_normalize(v3_sub(to, from), v3(0, 0, 0));
}

static float leg_of(const figure* f)
{
    float sum = 0;
    int   count = 0;
    for (int side = 0; side < 2; ++side) {
        const uint32_t* limb = f->body.limbs[side];
        if (limb[ROLE_UPPER_LEG] == SUP_NONE || limb[ROLE_LOWER_LEG] == SUP_NONE || limb[ROLE_FOOT] == SUP_NONE) continue;
        sum += v3_distance(f->positions[limb[ROLE_UPPER_LEG]], f->positions[limb[ROLE_LOWER_LEG]]) +
               v3_distance(f->positions[limb[ROLE_LOWER_LEG]], f->positions[limb[ROLE_FOOT]]);
        count++;
    }
    return count ? sum / (float)count : 0;
}

void figure_measure(figure* f)
{
    f->trunk = trunk_of(f);
    f->up = v3_length2(f->trunk) > 0 ? nearest_axis(f->trunk) : v3(0, 1, 0);
    sup_vec3 left = flatten(v3_add(across(f, ROLE_UPPER_LEG), across(f, ROLE_UPPER_ARM)), f->up);
    sup_vec3 forward = v3_normalize(v3_cross(left, f->up), f->up.y == 0 ? v3(0, 1, 0) : v3(0, 0, 1));
    sup_vec3 axis = nearest_axis(forward);
    f->forward = v3_dot(axis, forward) > SNAP_COSINE ? axis : forward;
    f->leg = leg_of(f);
}

bool figure_is_trunk(const figure* f, uint32_t joint)
{
    int       side;
    body_role role = body_role_of(&f->body, joint, &side);
    return role == ROLE_HIPS || role == ROLE_SPINE || role == ROLE_NECK || role == ROLE_HEAD;
}

bool figure_on_all_fours(const figure* f, sup_vec3 up)
{
    const uint32_t *left = f->body.limbs[SIDE_LEFT], *right = f->body.limbs[SIDE_RIGHT];
    sup_vec3        hips = f->positions[f->body.hips], down = v3(0, 0, 0);
    float           ground = INFINITY;
    if (f->body.four_legs) return true;
    if (!(f->leg > 0) || v3_dot(f->trunk, up) > 0.5f) return false;
    for (int side = 0; side < 2; ++side) {
        const uint32_t* limb = side ? right : left;
        if (limb[ROLE_UPPER_LEG] == SUP_NONE || limb[ROLE_FOOT] == SUP_NONE) return false;
        down = v3_add(down, v3_sub(f->positions[limb[ROLE_FOOT]], f->positions[limb[ROLE_UPPER_LEG]]));
        ground = fminf(ground, v3_dot(f->positions[limb[ROLE_FOOT]], up));
    }
    if (v3_dot(v3_normalize(down, up), up) > -0.7f) return false; // the bind pose lies in another space
    sup_vec3 ahead = v3_normalize(flatten(f->trunk, up), v3(0, 0, 0));
    for (uint32_t j = f->body.hips; j < f->joint_count; ++j) {
        sup_vec3 away = v3_sub(f->positions[j], hips);
        if (v3_dot(away, ahead) > 0.5f * f->leg && v3_dot(f->positions[j], up) < ground + 0.35f * f->leg &&
            body_is_above(f->parents, f->body.hips, j))
            return true;
    }
    return false;
}

bool figure_bone(const figure* f, uint32_t joint, sup_vec3* direction)
{
    int       side;
    body_role role = body_role_of(&f->body, joint, &side);
    sup_vec3  end = v3(0, 0, 0);
    if (side != SIDE_NONE && role != ROLE_HAND && role != ROLE_TOE && f->body.limbs[side][role + 1] != SUP_NONE)
        end = f->positions[f->body.limbs[side][role + 1]];
    else {
        float count = 0;
        for (uint32_t j = joint + 1; j < f->joint_count; ++j) {
            if (f->parents[j] != joint) continue;
            end = v3_add(end, f->positions[j]);
            count++;
        }
        if (count == 0) return false;
        end = v3_scale(end, 1 / count);
    }
    *direction = v3_normalize(v3_sub(end, f->positions[joint]), v3(0, 0, 0));
    return v3_length2(*direction) > 0;
}

sup_quat figure_arc(sup_vec3 from, sup_vec3 to, sup_vec3 fallback)
{
    float    cosine = v3_dot(from, to);
    sup_vec3 axis = v3_cross(from, to);
    if (cosine < -0.9999f) return quat(fallback.x, fallback.y, fallback.z, 0);
    return quat_normalize(quat(axis.x, axis.y, axis.z, 1 + cosine));
}

sup_quat figure_align(const figure* a, const figure* b)
{
    // Both frames are orthonormal: forward is perpendicular to up.
    sup_vec3   al = v3_cross(a->up, a->forward), bl = v3_cross(b->up, b->forward);
    sup_vec3   from[3] = { al, a->up, a->forward }, to[3] = { bl, b->up, b->forward };
    sup_affine m = affine_identity();
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            m.m[i][j] = 0;
            for (int k = 0; k < 3; ++k) m.m[i][j] += (&to[k].x)[i] * (&from[k].x)[j];
        }
    return quat_normalize(quat_from_affine(&m));
}

// ---------------------------------------------------------------------------------------------- captured skeletons

void figure_play(const sup_mocap* mocap, uint32_t frame, sup_quat* rotations, sup_vec3* positions)
{
    bool rest = frame >= mocap->frame_count;
    for (uint32_t j = 0; j < mocap->joint_count; ++j) {
        const sup_mocap_joint* joint = &mocap->joints[j];
        sup_quat               q = !rest && joint->rotations ? joint->rotations[frame] : quat_identity();
        sup_vec3               p = !rest && joint->translations ? joint->translations[frame] : joint->offset;
        if (joint->parent == SUP_NONE) {
            rotations[j] = q;
            positions[j] = p;
            continue;
        }
        rotations[j] = quat_normalize(quat_mul(rotations[joint->parent], q));
        positions[j] = v3_add(positions[joint->parent], quat_rotate(rotations[joint->parent], p));
    }
}

// How far legs and trunk are from standing straight: 0 is straight, 2 is a leg that points up.
static float bend_of_stance(const figure* f, sup_vec3 up)
{
    float sum = 1 - v3_dot(trunk_of(f), up), worst = 0;
    for (int side = 0; side < 2; ++side) {
        const uint32_t* limb = f->body.limbs[side];
        for (int role = ROLE_UPPER_LEG; role < ROLE_FOOT; ++role) {
            if (limb[role] == SUP_NONE || limb[role + 1] == SUP_NONE) continue;
            sup_vec3 bone = v3_normalize(v3_sub(f->positions[limb[role + 1]], f->positions[limb[role]]), v3(0, 0, 0));
            float    off = 1 + v3_dot(bone, up);
            sum += off;
            worst = off > worst ? off : worst;
        }
    }
    return sum + worst;
}

static const float STOOP_MAX = 1.6f; // legs apart by 45 degrees and a bent trunk are still a rest pose

// The largest rotation of any joint between two frames, as the cosine of half the angle.
static float largest_turn(const sup_mocap* m, uint32_t a, uint32_t b)
{
    float least = 1;
    for (uint32_t j = 0; j < m->joint_count; ++j) {
        const sup_quat* q = m->joints[j].rotations;
        float           cosine = q ? fabsf(quat_dot(q[a], q[b])) : 1;
        least = cosine < least ? cosine : least;
    }
    return least;
}

// How much all joints rotate from a frame to the next: the sum of the sines of their half angles.
static float turn_of_frame(const sup_mocap* m, uint32_t frame)
{
    float sum = 0;
    for (uint32_t j = 0; j < m->joint_count; ++j) {
        const sup_quat* q = m->joints[j].rotations;
        float           cosine = q ? quat_dot(q[frame], q[frame + 1]) : 1;
        sum += sqrtf(fmaxf(0, 1 - cosine * cosine));
    }
    return sum;
}

static sup_result usual_turn(const sup_mocap* m, sup_arena* scratch, float* out, sup_error* error)
{
    uint32_t       steps = m->frame_count - 1;
    sup_sort_item* items = SUP_NEW(scratch, sup_sort_item, 2 * (size_t)steps);
    if (!items) return sup_fail_memory(error, "a motion");
    for (uint32_t i = 0; i < steps; ++i) {
        float    turn = turn_of_frame(m, i); // never negative, so its bits sort like it
        uint32_t bits;
        memcpy(&bits, &turn, sizeof bits);
        items[i] = (sup_sort_item){ bits, i };
    }
    sup_sort(items, items + steps, steps);
    *out = turn_of_frame(m, items[steps / 2].value);
    return SUP_OK;
}

static bool same_frame(const sup_mocap* m, uint32_t a, uint32_t b)
{
    for (uint32_t j = 0; j < m->joint_count; ++j) {
        const sup_quat* q = m->joints[j].rotations;
        if (q && memcmp(&q[a], &q[b], sizeof *q) != 0) return false;
    }
    return true;
}

// Whether no joint but the root is rotated by more than a degree: nobody holds the skeleton's own pose that exactly.
static bool is_at_rest(const sup_mocap* m, uint32_t frame)
{
    for (uint32_t j = 0; j < m->joint_count; ++j)
        if (m->joints[j].parent != SUP_NONE && m->joints[j].rotations && fabsf(m->joints[j].rotations[frame].w) < 0.99996f)
            return false;
    return true;
}

static const float FAST = 3; // factor over the usual speed

// Recorders put a straight pose in front of the motion, in one frame or repeated in several, for alignment and not for display.
// After it comes a jump of more than 10 degrees that is three times the step after it (1 - cosine grows with the square of the
// angle). If the motion was smoothed afterwards the steps after it are large too; then the jump is compared with the usual
// step, provided the pose is the skeleton's own. This pose shows better how the body stands than the offsets do. Returns how
// many frames hold it.
static uint32_t straight_frames(const sup_mocap* m, figure* f, float usual)
{
    static const float JUMP = 0.0038f, TIMES = 9;
    uint32_t           held = 1;
    while (held + 2 < m->frame_count && same_frame(m, 0, held)) ++held;
    float jump = 1 - largest_turn(m, held - 1, held), next = 1 - largest_turn(m, held, held + 1);
    if (jump < JUMP) return 0;
    if (jump < TIMES * next && !(is_at_rest(m, 0) && turn_of_frame(m, held - 1) > FAST * usual)) return 0;
    figure_play(m, 0, f->rotations, f->positions);
    figure_measure(f);
    return bend_of_stance(f, f->up) < STOOP_MAX ? held : 0;
}

// Recorders that also smooth the straight pose leave some frames that rush out of it.
static uint32_t end_of_rush(const sup_mocap* m, uint32_t held, float usual)
{
    static const double SECONDS = 0.1; // the longest that smoothing takes
    uint32_t            steps = m->frame_count - 1, first = held;
    uint32_t            most = m->frame_time > 0 && SECONDS / m->frame_time < steps ? (uint32_t)(SECONDS / m->frame_time) : 0;
    while (first + 1 < held + most && first < steps && turn_of_frame(m, first) > FAST * usual) ++first;
    return first;
}

// Some files have a rest pose in which every bone lies along one axis. It says nothing about how a body stands, so the frame
// that stands straightest becomes the reference.
static void stand_up(const sup_mocap* mocap, figure* f)
{
    enum { FRAMES_MAX = 500 };
    uint32_t step = mocap->frame_count / FRAMES_MAX + 1;
    sup_vec3 trunk = v3(0, 0, 0);
    for (uint32_t i = 0; i < mocap->frame_count; i += step) {
        figure_play(mocap, i, f->rotations, f->positions);
        trunk = v3_add(trunk, trunk_of(f));
    }
    sup_vec3 up = v3_length2(trunk) > 0 ? nearest_axis(trunk) : v3(0, 1, 0);
    uint32_t best = 0;
    float    least = INFINITY;
    for (uint32_t i = 0; i < mocap->frame_count; i += step) {
        figure_play(mocap, i, f->rotations, f->positions);
        float off = bend_of_stance(f, up);
        if (off < least) least = off, best = i;
    }
    figure_play(mocap, best, f->rotations, f->positions);
    figure_measure(f);
}

// Recorders bend neck and head of that pose by the same angles for everyone. The measured offsets are upright there; the hips
// carry them along.
static void straighten_trunk(figure* f)
{
    const body_map* b = &f->body;
    for (uint32_t i = 0; i < b->spine_count; ++i) f->rotations[b->spine[i]] = f->rotations[b->hips];
    for (uint32_t i = 0; i < b->neck_count; ++i) f->rotations[b->neck[i]] = f->rotations[b->hips];
    if (b->head != SUP_NONE) f->rotations[b->head] = f->rotations[b->hips];
}

static sup_result choose_reference(const sup_mocap* mocap, sup_arena* scratch, figure* f, figure_choice* choice,
                                   sup_error* error)
{
    figure_play(mocap, mocap->frame_count, f->rotations, f->positions);
    figure_measure(f);
    bool stands = bend_of_stance(f, f->up) < STOOP_MAX;
    if (mocap->frame_count > 2) {
        float      usual = 0;
        sup_result result = usual_turn(mocap, scratch, &usual, error);
        if (result != SUP_OK) return result;
        uint32_t held = straight_frames(mocap, f, usual);
        *choice = FIGURE_FIRST;
        if (held) f->begin = end_of_rush(mocap, held, usual);
        if (held && stands) straighten_trunk(f);
        if (held) return SUP_OK;
    }
    *choice = FIGURE_REST;
    figure_play(mocap, mocap->frame_count, f->rotations, f->positions);
    figure_measure(f);
    if (mocap->frame_count == 0 || stands) return SUP_OK;
    *choice = FIGURE_FRAME;
    stand_up(mocap, f);
    return SUP_OK;
}

sup_result figure_of_mocap(const sup_mocap* mocap, sup_arena* scratch, figure* out, figure_choice* choice, sup_error* error)
{
    uint32_t     n = mocap->joint_count;
    const char** names = SUP_NEW(scratch, const char*, n);
    uint32_t*    parents = SUP_NEW(scratch, uint32_t, n);
    bool*        eligible = SUP_NEW(scratch, bool, n);
    *out = (figure){ .joint_count = n, .names = names, .parents = parents };
    out->rotations = SUP_NEW(scratch, sup_quat, n);
    out->positions = SUP_NEW(scratch, sup_vec3, n);
    if (!names || !parents || !eligible || !out->rotations || !out->positions) return sup_fail_memory(error, "a motion");
    for (uint32_t j = 0; j < n; ++j) {
        names[j] = mocap->joints[j].name;
        parents[j] = mocap->joints[j].parent;
        eligible[j] = !mocap->joints[j].end;
    }
    figure_play(mocap, mocap->frame_count, out->rotations, out->positions);
    body_skeleton skeleton = {
        .count = n, .names = names, .parents = parents, .eligible = eligible, .places = out->positions, .tips = out->positions
    };
    sup_result result = body_find(&skeleton, NULL, 0, scratch, &out->body, error);
    if (result != SUP_OK) return result;
    if (out->body.hips == SUP_NONE) out->body.hips = 0;
    return choose_reference(mocap, scratch, out, choice, error);
}

// ---------------------------------------------------------------------------------------------- characters

sup_vec3 figure_up(const sup_character* character)
{
    return v3(character->up == SUP_AXIS_X, character->up == SUP_AXIS_Y, character->up == SUP_AXIS_Z);
}

// Which joints move nothing, and how far the skin extends from leaves: twice as far as the mean of the points they move most.
static sup_result find_ends(const sup_character* c, const sup_pose* pose, sup_arena* scratch, body_skeleton* out,
                            sup_error* error)
{
    uint32_t  n = out->count;
    bool*     idle = SUP_NEW(scratch, bool, n);
    sup_vec3* tips = SUP_NEW(scratch, sup_vec3, n);
    float*    sums = SUP_NEW(scratch, float, n);
    if (!idle || !tips || !sums) return sup_fail_memory(error, "a figure");
    for (uint32_t p = 0; p < c->mesh.point_count; ++p)
        for (uint32_t k = c->weights.begin[p]; k < c->weights.begin[p + 1]; ++k) {
            uint32_t j = c->weights.joints[k];
            float    w = c->weights.values[k];
            if (k == c->weights.begin[p]) tips[j] = v3_mad(tips[j], w, affine_point(&pose->skin[j], c->mesh.points[p]));
            if (k == c->weights.begin[p]) sums[j] += w;
            idle[j] = true; // corrected below
        }
    bool any = false;
    for (uint32_t j = n; j-- > 0;) {
        any |= idle[j] && out->eligible[j];
        uint32_t above = out->parents[j];
        if (idle[j] && above != SUP_NONE) idle[above] = true;
        if (above != SUP_NONE && !out->eligible[j]) { // a mesh that is a child of a joint
            tips[above] = v3_add(tips[above], tips[j]);
            sums[above] += sums[j];
        }
        sup_vec3 middle = sums[j] > 0 ? v3_scale(tips[j], 1 / sums[j]) : out->places[j];
        tips[j] = v3_mad(out->places[j], 2, v3_sub(middle, out->places[j]));
    }
    for (uint32_t j = 0; j < n; ++j) idle[j] = any && !idle[j];
    out->idle = idle;
    out->tips = tips;
    return SUP_OK;
}

sup_result figure_of_character(const sup_character* character, const body_fixed* fixed, uint32_t fixed_count,
                               sup_arena* scratch, figure* out, sup_pose* pose, sup_error* error)
{
    uint32_t     n = character->skeleton.joint_count;
    const char** names = SUP_NEW(scratch, const char*, n);
    uint32_t*    parents = SUP_NEW(scratch, uint32_t, n);
    bool*        eligible = SUP_NEW(scratch, bool, n);
    *out = (figure){ .joint_count = n, .names = names, .parents = parents };
    out->rotations = SUP_NEW(scratch, sup_quat, n);
    out->positions = SUP_NEW(scratch, sup_vec3, n);
    if (!names || !parents || !eligible || !out->rotations || !out->positions) return sup_fail_memory(error, "a figure");
    sup_result result = sup_pose_create(character, scratch, pose, error);
    if (result != SUP_OK) return result;
    sup_pose_bind(character, pose);
    for (uint32_t j = 0; j < n; ++j) {
        const sup_joint* joint = &character->skeleton.joints[j];
        names[j] = joint->name;
        parents[j] = joint->parent;
        eligible[j] = joint->skin_joint;
        out->positions[j] = affine_translation(&pose->global[j]);
        out->rotations[j] = joint->parent == SUP_NONE
                                ? pose->local[j].rotation
                                : quat_normalize(quat_mul(out->rotations[joint->parent], pose->local[j].rotation));
    }
    body_skeleton skeleton = { .count = n,
                               .names = names,
                               .parents = parents,
                               .eligible = eligible,
                               .places = out->positions,
                               .up = figure_up(character) };
    result = find_ends(character, pose, scratch, &skeleton, error);
    if (result == SUP_OK) result = body_find(&skeleton, fixed, fixed_count, scratch, &out->body, error);
    if (result == SUP_OK && out->body.hips != SUP_NONE) figure_measure(out);
    return result;
}
