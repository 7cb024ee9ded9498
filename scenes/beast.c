// builtin:beast: a friendly soft quadruped. Its solid is a handful of rounded lumps that blend into each other; nets.c makes
// the skin around it, and its weights depend on the lump and the position along the bones.
#include "scenes/beast.h"

#include "base/internal.h"
#include "math/vec.h"
#include "scenes/nets.h"
#include "scenes/scenes.h"

const char sup_scene_beast_summary[] = "A soft, round quadruped with neck, belly and tail; clips walk, jump, shake";

enum { USUAL_POINTS = 8000, FEWEST_POINTS = 1000, MOST_POINTS = 2000000 };

const sup_draft_joint sup_beast_joints[BEAST_JOINTS] = {
    [BEAST_ROOT] = { "root", SUP_NONE, { 0, 0, 0 } },
    [BEAST_HIPS] = { "hips", BEAST_ROOT, { 0, 0.430f, -0.210f } },
    [BEAST_SPINE_1] = { "spine_1", BEAST_HIPS, { 0, 0.445f, -0.100f } },
    [BEAST_SPINE_2] = { "spine_2", BEAST_SPINE_1, { 0, 0.450f, 0.020f } },
    [BEAST_CHEST] = { "chest", BEAST_SPINE_2, { 0, 0.460f, 0.130f } },
    [BEAST_NECK_1] = { "neck_1", BEAST_CHEST, { 0, 0.545f, 0.245f } },
    [BEAST_NECK_2] = { "neck_2", BEAST_NECK_1, { 0, 0.625f, 0.320f } },
    [BEAST_HEAD] = { "head", BEAST_NECK_2, { 0, 0.705f, 0.390f } },
    [BEAST_EAR_L] = { "ear_l", BEAST_HEAD, { 0.105f, 0.850f, 0.405f } },
    [BEAST_EAR_R] = { "ear_r", BEAST_HEAD, { -0.105f, 0.850f, 0.405f } },
    [BEAST_TAIL_1] = { "tail_1", BEAST_HIPS, { 0, 0.475f, -0.350f } },
    [BEAST_TAIL_2] = { "tail_2", BEAST_TAIL_1, { 0, 0.518f, -0.440f } },
    [BEAST_TAIL_3] = { "tail_3", BEAST_TAIL_2, { 0, 0.582f, -0.520f } },
    [BEAST_TAIL_4] = { "tail_4", BEAST_TAIL_3, { 0, 0.665f, -0.572f } },
    [BEAST_TAIL_5] = { "tail_5", BEAST_TAIL_4, { 0, 0.755f, -0.588f } },
    [BEAST_FRONT_L] = { "front_upper_l", BEAST_CHEST, { 0.118f, 0.395f, 0.175f } },
    [BEAST_FRONT_L + 1] = { "front_lower_l", BEAST_FRONT_L, { 0.128f, 0.235f, 0.155f } },
    [BEAST_FRONT_L + 2] = { "front_foot_l", BEAST_FRONT_L + 1, { 0.130f, 0.080f, 0.175f } },
    [BEAST_FRONT_R] = { "front_upper_r", BEAST_CHEST, { -0.118f, 0.395f, 0.175f } },
    [BEAST_FRONT_R + 1] = { "front_lower_r", BEAST_FRONT_R, { -0.128f, 0.235f, 0.155f } },
    [BEAST_FRONT_R + 2] = { "front_foot_r", BEAST_FRONT_R + 1, { -0.130f, 0.080f, 0.175f } },
    [BEAST_BACK_L] = { "back_upper_l", BEAST_HIPS, { 0.115f, 0.395f, -0.215f } },
    [BEAST_BACK_L + 1] = { "back_lower_l", BEAST_BACK_L, { 0.135f, 0.240f, -0.175f } },
    [BEAST_BACK_L + 2] = { "back_foot_l", BEAST_BACK_L + 1, { 0.136f, 0.085f, -0.230f } },
    [BEAST_BACK_R] = { "back_upper_r", BEAST_HIPS, { -0.115f, 0.395f, -0.215f } },
    [BEAST_BACK_R + 1] = { "back_lower_r", BEAST_BACK_R, { -0.135f, 0.240f, -0.175f } },
    [BEAST_BACK_R + 2] = { "back_foot_r", BEAST_BACK_R + 1, { -0.136f, 0.085f, -0.230f } },
};

// ---------------------------------------------------------------------------------------------- solid

/// A rounded cone from a to b, squashed along the axes about a, that blends into the lumps before it over a width.
typedef struct lump {
    sup_vec3 a, b;
    float    ra, rb;
    sup_vec3 squash;
    float    flow;
} lump;

typedef enum part { PART_TRUNK, PART_TAIL, PART_FRONT, PART_BACK, PART_EAR, PART_EYE, PART_COUNT } part;

#define ROUND                                                                                                                  \
    {                                                                                                                          \
        1, 1, 1                                                                                                                \
    }
static const lump trunk[] = {
    { { 0, 0.425f, -0.205f }, { 0, 0.430f, -0.150f }, 0.172f, 0.178f, ROUND, 0.0f },                 // rump
    { { 0, 0.385f, -0.045f }, { 0, 0.385f, 0.040f }, 0.214f, 0.210f, { 1.06f, 0.97f, 1 }, 0.12f },   // belly
    { { 0, 0.435f, 0.140f }, { 0, 0.450f, 0.190f }, 0.172f, 0.160f, ROUND, 0.12f },                  // chest
    { { 0, 0.525f, 0.225f }, { 0, 0.680f, 0.370f }, 0.130f, 0.108f, ROUND, 0.12f },                  // neck
    { { 0, 0.762f, 0.430f }, { 0, 0.762f, 0.440f }, 0.156f, 0.156f, { 1.10f, 0.95f, 1 }, 0.05f },    // skull
    { { 0, 0.715f, 0.515f }, { 0, 0.706f, 0.590f }, 0.096f, 0.080f, { 1.22f, 0.86f, 1 }, 0.05f },    // muzzle
    { { 0, 0.752f, 0.658f }, { 0, 0.752f, 0.658f }, 0.036f, 0.036f, { 1.25f, 0.9f, 0.9f }, 0.020f }, // nose
};
static const lump tail[] = {
    { { 0, 0.465f, -0.320f }, { 0, 0.487f, -0.380f }, 0.088f, 0.077f, ROUND, 0.0f },
    { { 0, 0.487f, -0.380f }, { 0, 0.518f, -0.440f }, 0.077f, 0.068f, ROUND, 0.0f },
    { { 0, 0.518f, -0.440f }, { 0, 0.558f, -0.495f }, 0.068f, 0.060f, ROUND, 0.0f },
    { { 0, 0.558f, -0.495f }, { 0, 0.608f, -0.541f }, 0.060f, 0.053f, ROUND, 0.0f },
    { { 0, 0.608f, -0.541f }, { 0, 0.665f, -0.572f }, 0.053f, 0.047f, ROUND, 0.0f },
    { { 0, 0.665f, -0.572f }, { 0, 0.727f, -0.587f }, 0.047f, 0.041f, ROUND, 0.0f },
    { { 0, 0.727f, -0.587f }, { 0, 0.790f, -0.585f }, 0.041f, 0.035f, ROUND, 0.0f },
    { { 0, 0.790f, -0.585f }, { 0, 0.845f, -0.570f }, 0.035f, 0.028f, ROUND, 0.0f },
};
static const lump front[] = {
    { { 0.118f, 0.395f, 0.175f }, { 0.128f, 0.235f, 0.155f }, 0.098f, 0.076f, ROUND, 0.0f },
    { { 0.128f, 0.235f, 0.155f }, { 0.130f, 0.080f, 0.175f }, 0.076f, 0.064f, ROUND, 0.008f },
    { { 0.130f, 0.046f, 0.182f }, { 0.131f, 0.034f, 0.228f }, 0.074f, 0.068f, { 1.12f, 0.95f, 1 }, 0.03f },
};
static const lump back[] = {
    { { 0.112f, 0.390f, -0.205f }, { 0.135f, 0.240f, -0.175f }, 0.132f, 0.090f, ROUND, 0.0f },
    { { 0.135f, 0.240f, -0.175f }, { 0.136f, 0.085f, -0.230f }, 0.090f, 0.065f, ROUND, 0.008f },
    { { 0.136f, 0.046f, -0.220f }, { 0.137f, 0.034f, -0.176f }, 0.074f, 0.069f, { 1.12f, 0.95f, 1 }, 0.03f },
};
static const lump ear[] = {
    { { 0.112f, 0.850f, 0.405f }, { 0.192f, 0.925f, 0.385f }, 0.070f, 0.058f, { 1, 1, 0.48f }, 0.0f },
};
static const lump eye[] = {
    { { 0.092f, 0.800f, 0.530f }, { 0.092f, 0.800f, 0.530f }, 0.054f, 0.054f, ROUND, 0.0f },
};

static const struct {
    const lump* lumps;
    uint32_t    count;
    bool        paired; // there is a mirror image at -x
    float       flow;   // into the parts before it, meters
} parts[PART_COUNT] = {
    [PART_TRUNK] = { trunk, SUP_COUNT_OF(trunk), false, 0.0f }, [PART_TAIL] = { tail, SUP_COUNT_OF(tail), false, 0.07f },
    [PART_FRONT] = { front, SUP_COUNT_OF(front), true, 0.07f }, [PART_BACK] = { back, SUP_COUNT_OF(back), true, 0.07f },
    [PART_EAR] = { ear, SUP_COUNT_OF(ear), true, 0.03f },       [PART_EYE] = { eye, SUP_COUNT_OF(eye), true, 0.018f },
};
/// The blend width at the rim of the soles, meters.
static const float sole_flow = 0.03f;

typedef struct sample {
    float    value;
    sup_vec3 gradient;
} sample;

/// A lump with the precomputed terms of its distance, and a bounding ball.
typedef struct ready {
    sup_vec3 a, inverse, axis; // the axis in the space where the lump is round
    float    inverse_length2;  // of the axis; 0 for a ball
    float    radius, slope, flow;
    sup_vec3 middle;
    float    reach;
} ready;

enum { LUMPS_MAX = 8 };
typedef struct body {
    ready    lumps[PART_COUNT][LUMPS_MAX];
    sup_vec3 middles[PART_COUNT]; // of bounding balls of whole parts
    float    reaches[PART_COUNT];
} body;

static void body_prepare(body* b)
{
    for (int i = 0; i < PART_COUNT; ++i)
        for (uint32_t j = 0; j < parts[i].count; ++j) {
            const lump* l = &parts[i].lumps[j];
            ready*      r = &b->lumps[i][j];
            sup_vec3    s = l->squash;
            *r = (ready){ .a = l->a, .radius = l->ra, .slope = l->rb - l->ra, .flow = l->flow };
            r->inverse = v3(1.0f / s.x, 1.0f / s.y, 1.0f / s.z);
            r->axis = v3_mul(v3_sub(l->b, l->a), r->inverse);
            float length2 = v3_length2(r->axis);
            r->inverse_length2 = length2 > 0.0f ? 1.0f / length2 : 0.0f;
            r->middle = v3_lerp(l->a, l->b, 0.5f);
            float widest = s.x > s.y ? s.x : s.y;
            r->reach = 0.5f * v3_distance(l->a, l->b) + (l->ra > l->rb ? l->ra : l->rb) * (widest > s.z ? widest : s.z);
            b->middles[i] = v3_mad(b->middles[i], 1.0f / (float)parts[i].count, r->middle);
        }
    for (int i = 0; i < PART_COUNT; ++i)
        for (uint32_t j = 0; j < parts[i].count; ++j) {
            const ready* r = &b->lumps[i][j];
            float        reach = v3_distance(b->middles[i], r->middle) + r->reach + r->flow;
            if (reach > b->reaches[i]) b->reaches[i] = reach;
        }
}

/// Distance to a squashed rounded cone, to first order in the squash (exact where it is round).
static sample lump_sample(const ready* l, sup_vec3 p)
{
    sup_vec3 q = v3_mul(v3_sub(p, l->a), l->inverse);
    float    along = v3_dot(q, l->axis) * l->inverse_length2, t = sup_clampf(along, 0.0f, 1.0f);
    sup_vec3 away = v3_mad(q, -t, l->axis);
    float    distance = v3_length(away);
    sup_vec3 gradient = v3_scale(away, 1.0f / (distance + 1e-9f));
    if (t == along) gradient = v3_mad(gradient, -l->slope * l->inverse_length2, l->axis);
    gradient = v3_mul(gradient, l->inverse);
    float scale = 1.0f / (v3_length(gradient) + 1e-9f);
    return (sample){ (distance - (l->radius + l->slope * t)) * scale, v3_scale(gradient, scale) };
}

/// The smooth minimum of two, rounded off over a width where they are close. Symmetric in its arguments, bit by bit.
static sample flow_together(sample a, sample b, float width)
{
    sample low = b.value < a.value ? b : a, high = b.value < a.value ? a : b;
    float  near = width > 0.0f ? 1.0f - (high.value - low.value) / width : 0.0f;
    if (near <= 0.0f) return low;
    return (sample){ low.value - 0.25f * width * near * near, v3_lerp(low.gradient, high.gradient, 0.5f * near) };
}

static const sample nowhere = { 1e9f, { 0, 1, 0 } };

static bool farther(sup_vec3 p, sup_vec3 middle, float reach)
{
    return reach <= 0.0f || v3_length2(v3_sub(p, middle)) > reach * reach;
}

/// A part on the side of +x, or its mirror image. Beyond the distance `beyond` any value serves, which costs only a few
/// products.
static sample part_sample(const body* b, part which, bool mirrored, sup_vec3 p, float beyond)
{
    if (mirrored) p.x = -p.x;
    sample s = nowhere;
    if (farther(p, b->middles[which], beyond + b->reaches[which])) return s;
    for (uint32_t i = 0; i < parts[which].count; ++i) {
        const ready* l = &b->lumps[which][i];
        if (farther(p, l->middle, (s.value < beyond ? s.value : beyond) + l->flow + l->reach)) continue;
        s = flow_together(s, lump_sample(l, p), l->flow);
    }
    if (mirrored) s.gradient.x = -s.gradient.x;
    return s;
}

static float solid(const void* user, sup_vec3 p, sup_vec3* gradient)
{
    const body* b = user;
    sample      s = part_sample(b, PART_TRUNK, false, p, nowhere.value);
    for (part i = PART_TAIL; i < PART_COUNT; ++i) {
        float  beyond = s.value + 1.5f * parts[i].flow; // beyond this it has no effect
        sample more = part_sample(b, i, false, p, beyond);
        if (parts[i].paired) more = flow_together(more, part_sample(b, i, true, p, beyond), parts[i].flow);
        s = flow_together(s, more, parts[i].flow);
    }
    // Cut flat at the ground: the maximum of the two, which is the negated minimum of their negatives.
    sample ground = { p.y, v3(0, 1, 0) }, inverse = { -s.value, v3_scale(s.gradient, -1.0f) };
    sample cut = flow_together(inverse, ground, sole_flow);
    if (gradient) *gradient = v3_scale(cut.gradient, -1.0f);
    return -cut.value;
}

/// A lens over the head: the face has the small features, and is what people look at.
static sup_vec3 lens(sup_vec3 grid)
{
    const sup_vec3 face = v3(0, 0.800f, 0.470f);
    sup_vec3       from = v3_sub(grid, face);
    return v3_mad(face, 0.62f + 0.38f * sup_smoothstep(0.14f, 0.50f, v3_length(from)), from);
}

// ---------------------------------------------------------------------------------------------- weights

/// A chain of joints whose weights pass from one to the next across a plane at each joint.
typedef struct chain {
    const uint32_t* joints;
    uint32_t        count;
    const float*    widths; // half the width of each crossing, meters; the first is not used
    sup_vec3        onward; // direction of the last bone; zero: straight on
} chain;

/// The normal of that plane: half-way between the bone before and the bone behind.
static sup_vec3 crossing_normal(const chain* c, uint32_t i)
{
    sup_vec3 here = sup_beast_joints[c->joints[i]].place;
    sup_vec3 before = v3_normalize(v3_sub(here, sup_beast_joints[c->joints[i - 1]].place), v3(0, 1, 0));
    if (i + 1 == c->count) return v3_normalize(v3_add(before, c->onward), before);
    sup_vec3 behind = v3_normalize(v3_sub(sup_beast_joints[c->joints[i + 1]].place, here), before);
    return v3_normalize(v3_add(before, behind), before);
}

/// Distributes a share of the point over the joints of the chain.
static void spread(const chain* c, sup_vec3 p, float share, float* row)
{
    float reach = 1.0f; // share of the point at or beyond this joint
    for (uint32_t i = 0; i < c->count; ++i) {
        float beyond = 0.0f;
        if (i + 1 < c->count) {
            sup_vec3 offset = v3_sub(p, sup_beast_joints[c->joints[i + 1]].place);
            float    width = c->widths[i + 1];
            beyond = sup_smoothstep(-width, width, v3_dot(offset, crossing_normal(c, i + 1)));
            if (beyond > reach) beyond = reach;
        }
        row[c->joints[i]] += share * (reach - beyond);
        reach = beyond;
    }
}

static const uint32_t trunk_joints[] = { BEAST_HIPS,   BEAST_SPINE_1, BEAST_SPINE_2, BEAST_CHEST,
                                         BEAST_NECK_1, BEAST_NECK_2,  BEAST_HEAD };
static const float    trunk_widths[] = { 0, 0.075f, 0.075f, 0.080f, 0.075f, 0.065f, 0.055f };
static const uint32_t tail_joints[] = { BEAST_TAIL_1, BEAST_TAIL_2, BEAST_TAIL_3, BEAST_TAIL_4, BEAST_TAIL_5 };
static const float    tail_widths[] = { 0, 0.060f, 0.055f, 0.050f, 0.045f };
static const float    leg_widths[] = { 0, 0.060f, 0.042f };

static void leg_spread(uint32_t first, sup_vec3 p, float share, float* row)
{
    const uint32_t joints[] = { first, first + 1, first + 2 };
    spread(&(chain){ joints, 3, leg_widths, v3(0, -0.5f, 0.87f) }, p, share, row); // toes point ahead
}

static const struct {
    part     which;
    bool     mirrored;
    uint32_t joint;
    float    width; // half the distance over which a point passes from the trunk to the limb, meters
} limbs[] = {
    { PART_FRONT, false, BEAST_FRONT_L, 0.065f }, { PART_FRONT, true, BEAST_FRONT_R, 0.065f },
    { PART_BACK, false, BEAST_BACK_L, 0.070f },   { PART_BACK, true, BEAST_BACK_R, 0.070f },
    { PART_EAR, false, BEAST_EAR_L, 0.060f },     { PART_EAR, true, BEAST_EAR_R, 0.060f },
    { PART_TAIL, false, BEAST_TAIL_1, 0.050f },
};
enum { LIMBS = SUP_COUNT_OF(limbs) };

/// The share of a point that belongs to each limb: by how much closer that limb is than everything else. A limb ends at the
/// middle of the body, so the left never pulls on the right. Returns the rest for the trunk.
static float limb_shares(const body* b, sup_vec3 p, float shares[LIMBS])
{
    float trunk_value = part_sample(b, PART_TRUNK, false, p, nowhere.value).value, values[LIMBS], sum = 0.0f;
    for (uint32_t i = 0; i < LIMBS; ++i) values[i] = part_sample(b, limbs[i].which, limbs[i].mirrored, p, nowhere.value).value;
    for (uint32_t i = 0; i < LIMBS; ++i) {
        float others = trunk_value;
        for (uint32_t j = 0; j < LIMBS; ++j)
            if (limbs[j].which != limbs[i].which && values[j] < others) others = values[j];
        shares[i] = sup_smoothstep(-limbs[i].width, limbs[i].width, others - values[i]);
        if (parts[limbs[i].which].paired) shares[i] *= sup_smoothstep(0.0f, 0.06f, limbs[i].mirrored ? -p.x : p.x);
        sum += shares[i];
    }
    if (sum <= 1.0f) return 1.0f - sum;
    for (uint32_t i = 0; i < LIMBS; ++i) shares[i] /= sum;
    return 0.0f;
}

static void point_row(const body* b, sup_vec3 p, float* row)
{
    for (uint32_t j = 0; j < BEAST_JOINTS; ++j) row[j] = 0.0f;
    float shares[LIMBS], rest = limb_shares(b, p, shares);
    for (uint32_t i = 0; i < LIMBS; ++i) {
        if (limbs[i].which == PART_EAR) row[limbs[i].joint] += shares[i];
        else if (limbs[i].which == PART_TAIL) spread(&(chain){ tail_joints, 5, tail_widths, v3(0, 0, 0) }, p, shares[i], row);
        else leg_spread(limbs[i].joint, p, shares[i], row);
    }
    spread(&(chain){ trunk_joints, 7, trunk_widths, v3(0, 0, 0) }, p, rest, row);
}

/// The softness of the flesh: the belly, the tail toward its tip, the ears and the cheeks hang loose.
static float jiggle(sup_vec3 p, const float* row)
{
    float belly = sup_smoothstep(0.48f, 0.26f, p.y) * (1.0f - sup_smoothstep(0.12f, 0.27f, fabsf(p.z + 0.005f)));
    float legs = 0.0f;
    for (uint32_t j = BEAST_FRONT_L; j < BEAST_JOINTS; ++j) legs += row[j];
    float tip = 0.15f * row[BEAST_TAIL_1] + 0.35f * row[BEAST_TAIL_2] + 0.6f * row[BEAST_TAIL_3] + 0.8f * row[BEAST_TAIL_4] +
                row[BEAST_TAIL_5];
    float loose = belly * (1.0f - legs) + tip + 0.7f * (row[BEAST_EAR_L] + row[BEAST_EAR_R]);
    return sup_clampf(0.1f + 0.9f * loose, 0.0f, 1.0f);
}

// ---------------------------------------------------------------------------------------------- character

static sup_result make(sup_draft* draft, uint32_t points, sup_error* error)
{
    body* b = SUP_NEW(draft->arena, body, 1);
    if (!b) return sup_fail_memory(error, draft->name);
    body_prepare(b);
    sup_nets_desc desc = { .field = solid,
                           .user = b,
                           .bend = lens,
                           .inside = { 0, 0.4f, 0 },
                           .area = 1.45f,
                           .points = points,
                           .name = "builtin:beast" };
    sup_nets      surface;
    sup_result    result = sup_nets_create(&desc, draft->arena, &surface, error);
    if (result != SUP_OK) return result;
    draft->point_count = surface.point_count;
    draft->points = surface.points;
    draft->face_count = surface.face_count;
    draft->corners = surface.quads;
    draft->joint_count = BEAST_JOINTS;
    draft->joints = sup_beast_joints;

    float* soft = SUP_NEW(draft->arena, float, draft->point_count);
    if (!soft) return sup_fail_memory(error, draft->name);
    result = sup_draft_begin_weights(draft, error);
    if (result != SUP_OK) return result;
    for (uint32_t p = 0; p < draft->point_count; ++p) {
        float row[BEAST_JOINTS];
        point_row(b, draft->points[p], row);
        sup_draft_set_weights(draft, p, row);
        soft[p] = jiggle(draft->points[p], row);
    }
    draft->maps[draft->map_count++] = (sup_map_desc){ "_JIGGLE", soft };
    return sup_beast_record(draft, error);
}

sup_result sup_scene_beast(uint32_t points, const sup_allocator* allocator, sup_character** out, sup_error* error)
{
    sup_draft_range range = { USUAL_POINTS, FEWEST_POINTS, MOST_POINTS };
    return sup_draft_make("beast", points, range, make, allocator, out, error);
}
