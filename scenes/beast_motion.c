// How the beast moves. A motion says where the trunk and the feet go; the legs follow by bending knees and elbows, so feet stay
// planted whatever the body does.
#include "base/internal.h"
#include "math/trig.h"
#include "math/vec.h"
#include "scenes/beast.h"

static const double two_pi = 6.283185307179586;

/// The four feet in the order of the stance: front left and right, back left and right.
enum { FEET = 4 };
static const uint32_t leg_joints[FEET] = { BEAST_FRONT_L, BEAST_FRONT_R, BEAST_BACK_L, BEAST_BACK_R };

/// Degrees: x nods down, y turns left, z lifts the left side. Meters for shifts.
typedef struct stance {
    sup_vec3 hips_shift, hips, spine, neck, head; // spine is for each of its three joints, neck for each of its two
    float    neck_twist;                          // of each of the two about its own bone
    float    ears;                                // outwards and down
    sup_vec3 tail[5];
    sup_vec3 ankles[FEET]; // in the world
    float    soles[FEET];  // nod of the foot
} stance;

static sup_quat turn(sup_vec3 degrees)
{
    sup_quat x = quat_axis_angle(v3(1, 0, 0), sup_degrees(degrees.x));
    sup_quat y = quat_axis_angle(v3(0, 1, 0), sup_degrees(degrees.y));
    sup_quat z = quat_axis_angle(v3(0, 0, 1), sup_degrees(degrees.z));
    return quat_mul(y, quat_mul(x, z));
}

static sup_vec3 rest_place(uint32_t joint) { return sup_beast_joints[joint].place; }

/// The shortest rotation from one direction to another; none if they are opposite, which no leg reaches.
static sup_quat turn_between(sup_vec3 from, sup_vec3 to)
{
    from = v3_normalize(from, v3(0, -1, 0));
    to = v3_normalize(to, from);
    sup_vec3 axis = v3_cross(from, to);
    return quat_normalize(quat(axis.x, axis.y, axis.z, 1.0f + v3_dot(from, to)));
}

/// A joint's position and rotation in the world, from the local rotations of the joints above it.
static sup_rigid world_of(const sup_draft_pose* pose, uint32_t joint)
{
    sup_rigid at = rigid_identity();
    uint32_t  path[BEAST_JOINTS], depth = 0;
    for (uint32_t j = joint; j != SUP_NONE; j = sup_beast_joints[j].parent) path[depth++] = j;
    while (depth > 0) {
        uint32_t j = path[--depth], parent = sup_beast_joints[j].parent;
        sup_vec3 offset = parent == SUP_NONE ? rest_place(j) : v3_sub(rest_place(j), rest_place(parent));
        at.translation = rigid_point(&at, v3_add(offset, pose->shifts[j]));
        at.rotation = quat_mul(at.rotation, pose->turns[j]);
    }
    return at;
}

/// Solves two bones for an ankle position; the knee stays on the side where it is at rest, relative to the body. An ankle out
/// of reach is approached as far as the leg goes.
static void reach(sup_draft_pose* pose, uint32_t upper, sup_vec3 ankle, float sole)
{
    sup_rigid hip = world_of(pose, upper);
    sup_quat  carrier = world_of(pose, sup_beast_joints[upper].parent).rotation;
    sup_vec3  thigh = v3_sub(rest_place(upper + 1), rest_place(upper)),
             shin = v3_sub(rest_place(upper + 2), rest_place(upper + 1));
    float    l1 = v3_length(thigh), l2 = v3_length(shin);
    sup_vec3 line = v3_sub(ankle, hip.translation);
    float    distance = sup_clampf(v3_length(line), 0.35f * (l1 + l2), 0.9995f * (l1 + l2));
    line = v3_normalize(line, v3(0, -1, 0));

    sup_vec3 rest_line = v3_normalize(v3_add(thigh, shin), v3(0, -1, 0));
    sup_vec3 knee_side = quat_rotate(carrier, v3_mad(thigh, -v3_dot(thigh, rest_line), rest_line));
    knee_side = v3_normalize(v3_mad(knee_side, -v3_dot(knee_side, line), line), v3(0, 0, 1));
    float    along = (l1 * l1 - l2 * l2 + distance * distance) / (2.0f * distance), across2 = l1 * l1 - along * along;
    sup_vec3 to_knee = v3_mad(v3_scale(line, along), sqrtf(across2 > 0.0f ? across2 : 0.0f), knee_side);
    sup_vec3 to_ankle = v3_sub(v3_scale(line, distance), to_knee);

    sup_quat upper_turn = quat_mul(turn_between(quat_rotate(carrier, thigh), to_knee), carrier);
    sup_quat lower_turn = quat_mul(turn_between(quat_rotate(upper_turn, shin), to_ankle), upper_turn);
    pose->turns[upper] = quat_mul(quat_conjugate(carrier), upper_turn);
    pose->turns[upper + 1] = quat_mul(quat_conjugate(upper_turn), lower_turn);
    pose->turns[upper + 2] = quat_mul(quat_conjugate(lower_turn), quat_axis_angle(v3(1, 0, 0), sup_degrees(sole)));
}

static sup_vec3 ankle_at_rest(int foot) { return rest_place(leg_joints[foot] + 2); }

static stance standing(void)
{
    stance s = { 0 };
    for (int f = 0; f < FEET; ++f) s.ankles[f] = ankle_at_rest(f);
    return s;
}

static void set_trunk(const stance* s, sup_draft_pose* pose)
{
    pose->shifts[BEAST_HIPS] = s->hips_shift;
    pose->turns[BEAST_HIPS] = turn(s->hips);
    for (uint32_t j = BEAST_SPINE_1; j <= BEAST_CHEST; ++j) pose->turns[j] = turn(s->spine);
    for (uint32_t j = BEAST_NECK_1; j <= BEAST_NECK_2; ++j) {
        sup_vec3 bone = v3_normalize(v3_sub(rest_place(j + 1), rest_place(j)), v3(0, 1, 0));
        pose->turns[j] = quat_mul(turn(s->neck), quat_axis_angle(bone, sup_degrees(s->neck_twist)));
    }
    pose->turns[BEAST_HEAD] = turn(s->head);
    pose->turns[BEAST_EAR_L] = turn(v3(0, 0, -s->ears));
    pose->turns[BEAST_EAR_R] = turn(v3(0, 0, s->ears));
    for (uint32_t i = 0; i < 5; ++i) pose->turns[BEAST_TAIL_1 + i] = turn(s->tail[i]);
}

static void take(const stance* s, sup_draft_pose* pose)
{
    set_trunk(s, pose);
    for (int f = 0; f < FEET; ++f) reach(pose, leg_joints[f], s->ankles[f], s->soles[f]);
}

// ---------------------------------------------------------------------------------------------- walk

static const double walk_seconds = 1.2;
static const float  stride = 0.075f;      // meters before and behind the place at rest
static const float  step_height = 0.055f; // meters
static const float  planted = 0.58f;      // share of the time a foot is on the ground

/// One foot at a phase from 0 to 1: moves back on the ground, then forward in the air.
static void walk_foot(stance* s, int foot, double phase)
{
    float t = (float)(phase - floor(phase));
    if (t < planted) {
        s->ankles[foot].z += stride * (1.0f - 2.0f * t / planted);
        return;
    }
    float u = (t - planted) / (1.0f - planted), lift = (float)sup_sin(0.5 * two_pi * u);
    s->ankles[foot].z += stride * (2.0f * sup_smoothstep(0.0f, 1.0f, u) - 1.0f);
    s->ankles[foot].y += step_height * lift * lift;
    // Toes trail as the foot leaves and rise before it lands.
    s->soles[foot] = 34.0f * lift * (1.0f - 1.35f * u);
}

/// Diagonal pairs of feet step together, the hind foot a little early.
static void walk(const sup_draft* draft, double time, sup_draft_pose* pose)
{
    (void)draft;
    double phase = time / walk_seconds, angle = two_pi * phase;
    float  once = (float)sup_sin(angle), late = (float)sup_sin(angle - 0.8), twice = (float)sup_sin(2.0 * angle + 0.6);
    stance s = standing();
    walk_foot(&s, 0, phase);
    walk_foot(&s, 3, phase + 0.04);
    walk_foot(&s, 1, phase + 0.5);
    walk_foot(&s, 2, phase + 0.54);
    s.hips_shift = v3(0.010f * once, -0.020f + 0.007f * twice, 0.004f * twice);
    s.hips = v3(1.0f * twice, 4.0f * once, 3.0f * once);
    s.spine = v3(0.6f * twice, -2.6f * once, -2.2f * once);
    s.neck = v3(2.0f + 2.5f * twice, 2.5f * late, 1.0f * late);
    s.head = v3(-4.0f - 4.0f * twice, 3.0f * late, 2.0f * late);
    s.ears = 6.0f + 7.0f * (float)sup_sin(2.0 * angle - 0.9);
    for (int i = 0; i < 5; ++i)
        s.tail[i] =
            v3(3.0f * (float)sup_sin(2.0 * angle - 0.5 * i), (9.0f + 2.5f * (float)i) * (float)sup_sin(angle - 0.65 * i), 0);
    take(&s, pose);
}

// ---------------------------------------------------------------------------------------------- jump

static const double jump_seconds = 1.6;

/// time | height, forward | nod of hips, spine, neck, head | air of front feet, of hind feet | nod of tail | ears
enum {
    JUMP_HEIGHT = 1,
    JUMP_FORWARD,
    JUMP_HIPS,
    JUMP_SPINE,
    JUMP_NECK,
    JUMP_HEAD,
    JUMP_FRONT,
    JUMP_BACK,
    JUMP_TAIL,
    JUMP_EARS,
    JUMP_COLUMNS
};
static const float jump_table[][JUMP_COLUMNS] = {
    { 0.00f, 0.000f, 0.000f, 0, 0, 0, 0, 0, 0, 0, 0 },           { 0.08f, 0.000f, 0.000f, 0, 0, 0, 0, 0, 0, 0, 0 },
    { 0.36f, -0.135f, -0.030f, 3, 3, 6, -14, 0, 0, -6, 5 },      { 0.42f, -0.130f, -0.025f, 0, 3, 5, -12, 0, 0, -5, 8 },
    { 0.54f, 0.020f, 0.030f, -16, -3, -4, 4, 0.35f, 0, 10, 30 }, { 0.62f, 0.160f, 0.030f, -15, -4, -5, 6, 0.9f, 0.7f, 12, 35 },
    { 0.78f, 0.270f, 0.020f, -4, 2, 0, 0, 1, 1, 4, 10 },         { 0.94f, 0.160f, 0.010f, 9, 3, 4, -8, 0.6f, 1, -10, -20 },
    { 1.02f, 0.020f, 0.000f, 8, 1, 4, -10, 0, 0.35f, -14, -25 }, { 1.14f, -0.120f, 0.010f, 3, 2, 8, -6, 0, 0, -4, 15 },
    { 1.22f, -0.112f, 0.008f, 1, 2, 6, -8, 0, 0, 8, 24 },        { 1.40f, 0.004f, 0.000f, -2, -1, -2, 3, 0, 0, 3, -6 },
    { 1.52f, 0.000f, 0.000f, 0, 0, 0, 0, 0, 0, 0, 0 },           { 1.60f, 0.000f, 0.000f, 0, 0, 0, 0, 0, 0, 0, 0 },
};

static float jump_value(double time, uint32_t column)
{
    return sup_draft_curve(jump_table[0], SUP_COUNT_OF(jump_table), JUMP_COLUMNS, column, (float)time);
}

/// Crouch, leap with the legs drawn in, land on the front feet, settle.
static void jump(const sup_draft* draft, double time, sup_draft_pose* pose)
{
    (void)draft;
    stance s = standing();
    s.hips_shift = v3(0, jump_value(time, JUMP_HEIGHT), jump_value(time, JUMP_FORWARD));
    s.hips.x = jump_value(time, JUMP_HIPS);
    s.spine.x = jump_value(time, JUMP_SPINE);
    s.neck.x = jump_value(time, JUMP_NECK);
    s.head.x = jump_value(time, JUMP_HEAD);
    s.ears = jump_value(time, JUMP_EARS);
    for (int i = 0; i < 5; ++i) s.tail[i].x = jump_value(time - 0.03 * i, JUMP_TAIL);
    set_trunk(&s, pose);
    for (int f = 0; f < FEET; ++f) {
        // In the air an ankle moves with the body, drawn up and swung back.
        bool      hind = f >= 2;
        float     air = sup_clampf(jump_value(time, hind ? JUMP_BACK : JUMP_FRONT), 0.0f, 1.0f);
        uint32_t  upper = leg_joints[f];
        sup_rigid body = world_of(pose, sup_beast_joints[upper].parent);
        sup_vec3  hip = world_of(pose, upper).translation;
        sup_vec3 folded = v3_add(v3_scale(v3_sub(ankle_at_rest(f), rest_place(upper)), 0.56f), v3(0, 0, hind ? -0.03f : 0.02f));
        sup_vec3 drawn = v3_add(hip, quat_rotate(body.rotation, folded));
        s.ankles[f] = v3_lerp(s.ankles[f], drawn, air);
        s.soles[f] = (hind ? 45.0f : 25.0f) * air;
    }
    take(&s, pose);
}

// ---------------------------------------------------------------------------------------------- shake

static const double shake_seconds = 1.5;
static const double shakes_a_second = 3.6;

/// Like a wet dog: the head leads, a wave of twist runs down to the tail.
static void shake(const sup_draft* draft, double time, sup_draft_pose* pose)
{
    (void)draft;
    float  t = (float)time, strength = sup_smoothstep(0.06f, 0.42f, t) * (1.0f - sup_smoothstep(0.95f, 1.40f, t));
    float  brace = sup_smoothstep(0.0f, 0.25f, t) * (1.0f - sup_smoothstep(1.15f, 1.5f, t));
    double angle = two_pi * shakes_a_second * time;
    float  head = strength * (float)sup_sin(angle), chest = strength * (float)sup_sin(angle - 0.9);
    float  rump = strength * (float)sup_sin(angle - 1.9);
    stance s = standing();
    s.hips_shift = v3(0.012f * rump, -0.026f * brace, -0.010f * brace);
    s.hips = v3(0.5f * brace, 0, 9.0f * rump);
    s.spine = v3(0.5f * brace, 0, 5.0f * chest);
    s.neck = v3(9.0f * brace, 0, 0);
    s.neck_twist = 27.0f * head;
    s.head = v3(-6.0f * brace, 0, 34.0f * head);
    s.ears = 20.0f * brace + 24.0f * strength * (float)sup_sin(2.0 * angle - 1.0);
    for (int i = 0; i < 5; ++i) {
        float wag = strength * (float)sup_sin(angle - 2.6 - 0.7 * i);
        s.tail[i] = v3(-5.0f * brace, (10.0f + 3.0f * (float)i) * wag, 0);
    }
    for (int f = 0; f < FEET; ++f) s.ankles[f].x += (f & 1 ? -0.016f : 0.016f) * brace;
    take(&s, pose);
}

sup_result sup_beast_record(sup_draft* draft, sup_error* error)
{
    sup_result result = sup_draft_record(draft, "walk", walk_seconds, true, walk, error);
    if (result == SUP_OK) result = sup_draft_record(draft, "jump", jump_seconds, false, jump, error);
    if (result == SUP_OK) result = sup_draft_record(draft, "shake", shake_seconds, false, shake, error);
    return result;
}
