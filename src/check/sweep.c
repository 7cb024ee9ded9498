// Ranges of joints, measured from the clips: each local rotation against the bind pose is a twist about the bone, then a
// bend across it. The bends of a joint mostly share one axis: the principal one of all of them, and the one across it.
#include "check/sweep.h"

#include "math/trig.h"

#include <math.h>

static const double BEND_USUAL = 120.0, TWIST_USUAL = 150.0;
static const double MOVES_MIN = 5.0;   // degrees: less is breathing, not a motion
static const double ANGLE_STEP = 15.0; // degrees between poses, at most
static const double SAMPLES_A_SECOND = 30.0;
enum { SAMPLES_MAX = 600 };

static const double DEGREES = 180.0 / SUP_PI;

// ---------------------------------------------------------------------------------------------- rotations

typedef struct turn {
    double x, y, z, w;
} turn;

static turn turn_of(sup_quat q) { return (turn){ (double)q.x, (double)q.y, (double)q.z, (double)q.w }; }

static turn multiply(turn a, turn b)
{
    return (turn){ a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                   a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z };
}

static turn inverse(turn a) { return (turn){ -a.x, -a.y, -a.z, a.w }; }

static turn about(sup_vec3 axis, double degrees)
{
    double half = 0.5 * degrees / DEGREES, s = sup_sin(half);
    return (turn){ s * (double)axis.x, s * (double)axis.y, s * (double)axis.z, sup_cos(half) };
}

static double dot(sup_vec3 a, double x, double y, double z) { return (double)a.x * x + (double)a.y * y + (double)a.z * z; }

static sup_vec3 unit(double x, double y, double z)
{
    double length = sqrt(x * x + y * y + z * z);
    if (!(length > 0.0)) return (sup_vec3){ 0, 1, 0 };
    return (sup_vec3){ (float)(x / length), (float)(y / length), (float)(z / length) };
}

static sup_vec3 across(sup_vec3 a, sup_vec3 b)
{
    return unit((double)a.y * b.z - (double)a.z * b.y, (double)a.z * b.x - (double)a.x * b.z,
                (double)a.x * b.y - (double)a.y * b.x);
}

// Row i of the linear part times a direction.
static double row(const sup_affine* a, int i, double x, double y, double z)
{
    return (double)a->m[i][0] * x + (double)a->m[i][1] * y + (double)a->m[i][2] * z;
}

static sup_vec3 bone_axis(const sup_character* character, uint32_t joint)
{
    const sup_skeleton* s = &character->skeleton;
    double              x = 0.0, y = 0.0, z = 0.0;
    for (uint32_t i = 0; i < s->bone_count; i++) {
        const sup_bone* b = &s->bones[i];
        if (b->joint != joint) continue;
        sup_vec3 direction = unit((double)b->tail.x - b->head.x, (double)b->tail.y - b->head.y, (double)b->tail.z - b->head.z);
        x += (double)direction.x;
        y += (double)direction.y;
        z += (double)direction.z;
    }
    const sup_affine* a = &s->joints[joint].inverse_bind;
    return unit(row(a, 0, x, y, z), row(a, 1, x, y, z), row(a, 2, x, y, z));
}

// ---------------------------------------------------------------------------------------------- ranges

// How far a joint moves over all clips.
typedef struct travel {
    sup_vec3 bone, side, other;     // its own frame: along the bone, and two directions across it
    double   twist_low, twist_high; // degrees
    double   xx, xy, yy;            // second moments of the bends
    double   u_low, u_high, v_low, v_high;
} travel;

static void travel_begin(travel* t, const sup_character* character, uint32_t joint)
{
    *t = (travel){ .bone = bone_axis(character, joint) };
    // The joint's local axis that lies most across the bone: rigs are built to bend about it.
    float    x = fabsf(t->bone.x), y = fabsf(t->bone.y), z = fabsf(t->bone.z);
    sup_vec3 own = x <= y && x <= z ? (sup_vec3){ 1, 0, 0 } : z <= y ? (sup_vec3){ 0, 0, 1 } : (sup_vec3){ 0, 1, 0 };
    t->other = across(t->bone, own);
    t->side = across(t->other, t->bone);
}

// Twist in degrees, and the bend as a rotation vector in the frame's two directions.
static void split(const travel* t, turn q, double* twist, double bend[2])
{
    double along = dot(t->bone, q.x, q.y, q.z), length = sqrt(along * along + q.w * q.w);
    turn   roll = { 0, 0, 0, 1 };
    if (length > 1e-9) {
        double s = along / length;
        roll = (turn){ s * (double)t->bone.x, s * (double)t->bone.y, s * (double)t->bone.z, q.w / length };
    }
    *twist = 2.0 * DEGREES * sup_atan2(length > 1e-9 ? along / length : 0.0, roll.w);
    if (*twist > 180.0) *twist -= 360.0;
    if (*twist <= -180.0) *twist += 360.0;
    turn swing = multiply(q, inverse(roll));
    if (swing.w < 0.0) swing = (turn){ -swing.x, -swing.y, -swing.z, -swing.w };
    double sine = sqrt(swing.x * swing.x + swing.y * swing.y + swing.z * swing.z);
    double scale = sine > 1e-9 ? 2.0 * DEGREES * sup_atan2(sine, swing.w) / sine : 2.0 * DEGREES;
    bend[0] = scale * dot(t->side, swing.x, swing.y, swing.z);
    bend[1] = scale * dot(t->other, swing.x, swing.y, swing.z);
}

static void widen(double value, double* low, double* high)
{
    *low = fmin(*low, value);
    *high = fmax(*high, value);
}

typedef struct survey {
    const sup_character* character;
    const uint32_t*      joints;
    uint32_t             count;
    travel*              travels;
    sup_pose             bind, pose;
} survey;

// First pass: twists and the moments of the bends. Second pass: how far along the principal axis, which is now `side`.
static void visit(survey* s, bool second)
{
    const sup_character* c = s->character;
    for (uint32_t k = 0; k < c->clip_count; k++) {
        double   wanted = floor(c->clips[k].seconds * SAMPLES_A_SECOND) + 2.0;
        uint32_t samples = wanted > SAMPLES_MAX ? SAMPLES_MAX : (uint32_t)wanted;
        for (uint32_t i = 0; i < samples; i++) {
            sup_clip_sample(c, &c->clips[k], c->clips[k].seconds * i / (samples - 1), &s->pose);
            for (uint32_t j = 0; j < s->count; j++) {
                travel* t = &s->travels[j];
                double  twist, bend[2];
                turn at = turn_of(s->pose.local[s->joints[j]].rotation), from = turn_of(s->bind.local[s->joints[j]].rotation);
                split(t, multiply(inverse(from), at), &twist, bend);
                if (second) {
                    widen(bend[0], &t->u_low, &t->u_high);
                    widen(bend[1], &t->v_low, &t->v_high);
                    continue;
                }
                widen(twist, &t->twist_low, &t->twist_high);
                t->xx += bend[0] * bend[0];
                t->xy += bend[0] * bend[1];
                t->yy += bend[1] * bend[1];
            }
        }
    }
}

// Turns the frame so that `side` is the axis that the joint bends about most.
static void find_principal(travel* t)
{
    if (t->xx + t->yy < 1e-6) return;
    double   angle = 0.5 * sup_atan2(2.0 * t->xy, t->xx - t->yy), c = sup_cos(angle), s = sup_sin(angle);
    sup_vec3 a = t->side, b = t->other;
    t->side = unit(c * (double)a.x + s * (double)b.x, c * (double)a.y + s * (double)b.y, c * (double)a.z + s * (double)b.z);
    t->other = across(t->bone, t->side);
}

static void add_sweep(sup_joint_sweeps* s, bool twist, sup_vec3 axis, double low, double high)
{
    if (fmax(-low, high) < MOVES_MIN) return;
    // The larger part of the motion counts as the positive direction.
    if (-low > high) {
        double kept = low;
        axis = (sup_vec3){ -axis.x, -axis.y, -axis.z };
        low = -high;
        high = -kept;
    }
    // Another step for a range that is all but covered would only repeat a pose.
    uint32_t   below = (uint32_t)ceil(-low / ANGLE_STEP - 1e-6), above = (uint32_t)ceil(high / ANGLE_STEP - 1e-6);
    sup_sweep* w = &s->sweeps[s->sweep_count++];
    *w = (sup_sweep){ twist, axis, low, high, s->pose_count, below + above + 1 };
    s->pose_count += w->count;
}

static bool list_angles(sup_joint_sweeps* s, sup_arena* arena)
{
    s->angles = sup_arena_alloc(arena, s->pose_count, sizeof *s->angles);
    if (!s->angles) return false;
    for (uint32_t k = 0; k < s->sweep_count; k++) {
        const sup_sweep* w = &s->sweeps[k];
        uint32_t         below = (uint32_t)ceil(-w->low / ANGLE_STEP - 1e-6), above = w->count - 1 - below;
        for (uint32_t i = 0; i < w->count; i++)
            s->angles[w->begin + i] = i < below   ? w->low * (below - i) / below
                                      : i > below ? w->high * (i - below) / above
                                                  : 0.0;
    }
    return true;
}

sup_result sup_sweeps_make(const sup_character* character, bool full, const uint32_t* joints, uint32_t count, sup_arena* arena,
                           sup_joint_sweeps* out, sup_error* error)
{
    survey     s = { .character = character, .joints = joints, .count = count };
    sup_result result = sup_pose_create(character, arena, &s.bind, error);
    if (result == SUP_OK) result = sup_pose_create(character, arena, &s.pose, error);
    s.travels = sup_arena_alloc(arena, count, sizeof *s.travels);
    if (result == SUP_OK && !s.travels)
        result = sup_fail(error, SUP_ERROR_MEMORY, "out of memory while reading the joints' ranges");
    if (result != SUP_OK) return result;
    sup_pose_bind(character, &s.bind);
    for (uint32_t j = 0; j < count; j++) travel_begin(&s.travels[j], character, joints[j]);
    if (!full) {
        visit(&s, false);
        for (uint32_t j = 0; j < count; j++) find_principal(&s.travels[j]);
        visit(&s, true);
    }
    for (uint32_t j = 0; j < count; j++) {
        const travel* t = &s.travels[j];
        out[j] = (sup_joint_sweeps){ .joint = joints[j] };
        add_sweep(&out[j], false, t->side, t->u_low, t->u_high);
        add_sweep(&out[j], false, t->other, t->v_low, t->v_high);
        add_sweep(&out[j], true, t->bone, t->twist_low, t->twist_high);
        if (out[j].sweep_count == 0) {
            out[j].assumed = true;
            add_sweep(&out[j], false, t->side, -BEND_USUAL, BEND_USUAL);
            add_sweep(&out[j], false, t->other, -BEND_USUAL, BEND_USUAL);
            add_sweep(&out[j], true, t->bone, -TWIST_USUAL, TWIST_USUAL);
        }
        if (!list_angles(&out[j], arena)) return sup_fail(error, SUP_ERROR_MEMORY, "out of memory while listing poses");
    }
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- poses

const sup_sweep* sup_sweep_of(const sup_joint_sweeps* s, uint32_t pose)
{
    uint32_t k = 0;
    while (k + 1 < s->sweep_count && pose >= s->sweeps[k + 1].begin) k++;
    return &s->sweeps[k];
}

void sup_sweep_pose(const sup_character* character, const sup_joint_sweeps* s, uint32_t pose, const sup_pose* bind,
                    sup_pose* out)
{
    sup_pose_copy(bind, out);
    turn t = multiply(turn_of(bind->local[s->joint].rotation), about(sup_sweep_of(s, pose)->axis, s->angles[pose]));
    out->local[s->joint].rotation = (sup_quat){ (float)t.x, (float)t.y, (float)t.z, (float)t.w };
    sup_pose_update(character, out);
}

sup_vec3 sup_sweep_axis(const sup_sweep* s, const sup_pose* bind, uint32_t joint)
{
    const sup_affine* m = &bind->global[joint];
    double            x = (double)s->axis.x, y = (double)s->axis.y, z = (double)s->axis.z;
    return unit(row(m, 0, x, y, z), row(m, 1, x, y, z), row(m, 2, x, y, z));
}
