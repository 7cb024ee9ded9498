// builtin:arm: an arm with a mitten for a hand, along +x from the shoulder, thumb up. Clean edge loops, denser at the elbow;
// with sculpts of the correct shape where skinning fails: a bent elbow that keeps its volume, a twist spread over the forearm.
#include "base/internal.h"
#include "math/trig.h"
#include "math/vec.h"
#include "scenes/draft.h"
#include "scenes/scenes.h"
#include "scenes/tube.h"

const char sup_scene_arm_summary[] =
    "A tapered arm with upper arm, forearm and hand; clips flex, twist, wave; example sculpts at both ends of flex and twist";

enum { USUAL_POINTS = 3000, FEWEST_POINTS = 100, MOST_POINTS = 4000000 };

enum { SHOULDER, UPPER_ARM, FOREARM, HAND, JOINTS };
static const float           elbow_x = 0.310f, wrist_x = 0.555f;
static const sup_draft_joint arm_joints[JOINTS] = {
    { "shoulder", SUP_NONE, { 0, 0, 0 } },
    { "upper_arm", SHOULDER, { 0.050f, 0, 0 } },
    { "forearm", UPPER_ARM, { 0.310f, 0, 0 } },
    { "hand", FOREARM, { 0.555f, 0, 0 } },
};
/// Half the distance over which the weight passes from the parent to a joint: about the radius of the arm there.
static const float blends[JOINTS] = { 0, 0.055f, 0.042f, 0.028f };

static const float flex_degrees = 120.0f, twist_degrees = 150.0f;

// ---------------------------------------------------------------------------------------------- shape

/// x, half height (y), half depth (z) and middle (y) of the section there, meters.
static const float sections[][4] = {
    { 0.000f, 0.056f, 0.056f, 0.000f },    { 0.060f, 0.060f, 0.057f, 0.002f },  { 0.150f, 0.056f, 0.050f, 0.004f },
    { 0.235f, 0.046f, 0.043f, 0.002f },    { 0.310f, 0.040f, 0.039f, 0.000f },  { 0.370f, 0.042f, 0.041f, 0.001f },
    { 0.450f, 0.036f, 0.033f, 0.001f },    { 0.530f, 0.027f, 0.023f, 0.000f },  { 0.565f, 0.027f, 0.021f, 0.000f },
    { 0.610f, 0.037f, 0.020f, 0.000f },    { 0.655f, 0.042f, 0.019f, -0.001f }, { 0.700f, 0.0405f, 0.0175f, -0.002f },
    { 0.725f, 0.0395f, 0.0170f, -0.002f },
};
enum { SECTIONS = SUP_COUNT_OF(sections) };
/// How far the round ends extend beyond the first and last section.
static const float first_depth = 0.050f, last_depth = 0.034f;
/// Rings go half-way up the round ends; patches close the rest.
static const float patch_angle = 0.7853982f;

static float section_at(float x, uint32_t column) { return sup_draft_curve(sections[0], SECTIONS, 4, column, x); }

/// The skin at x, at an angle around the arm, and at an angle up a round end (0 on the hull, a quarter turn at its top).
static sup_vec3 skin_at(float x, float turn, float up)
{
    float high = section_at(x, 1), deep = section_at(x, 2), middle = section_at(x, 3);
    float along = (float)sup_sin(up), across = (float)sup_cos(up);
    float c = (float)sup_cos(turn * (2 * SUP_PI)), s = (float)sup_sin(turn * (2 * SUP_PI));
    float beyond = x > 0.5f ? last_depth : -first_depth;
    return v3(x + along * beyond, middle + across * high * c, across * deep * s);
}

/// Where ring number `ring` is: x on the hull and an angle up the round ends.
typedef struct station {
    float x, up;
} station;

/// The density of rings at a place: twice as high at the elbow, and higher at the wrist.
static float density(float x)
{
    float elbow = 1.0f - sup_smoothstep(0.0f, 0.10f, fabsf(x - elbow_x)),
          wrist = 1.0f - sup_smoothstep(0.0f, 0.08f, fabsf(x - wrist_x));
    return 1.0f + elbow + 0.4f * wrist;
}

/// Walks along the profile in small steps and places a ring whenever another share of the weighted length is covered.
static void place_rings(uint32_t rings, station* out)
{
    enum { STEPS = 4096 };
    const float length = sections[SECTIONS - 1][0], first = 0.9f * first_depth * patch_angle,
                last = 0.9f * last_depth * patch_angle;
    float total = 0.0f, covered = 0.0f, step = (first + length + last) / STEPS;
    for (uint32_t i = 0; i < STEPS; ++i) total += step * density(((float)i + 0.5f) * step - first);
    uint32_t ring = 0;
    for (uint32_t i = 0; i <= STEPS; ++i) {
        float at = (float)i * step - first;
        while (ring < rings && (covered >= total * (float)ring / (float)(rings - 1) || i == STEPS)) {
            out[ring].x = sup_clampf(at, 0.0f, length);
            out[ring].up = at < 0.0f ? -at / first * patch_angle : at > length ? (at - length) / last * patch_angle : 0.0f;
            ++ring;
        }
        covered += step * density(at + 0.5f * step);
    }
    out[0] = (station){ 0.0f, patch_angle };
    out[rings - 1] = (station){ length, patch_angle };
}

// ---------------------------------------------------------------------------------------------- thumb

/// The thumb is extruded from a block of quads on the upper edge of the hand: rings from the block's rim, and the block as its
/// tip.
typedef struct thumb {
    uint32_t ring, step;    // first corner of the block
    uint32_t columns, rows; // quads around and along the arm; 0: the hand is too coarse to have one
    uint32_t layers;
} thumb;

static const float    thumb_start = 0.592f, thumb_end = 0.630f, thumb_length = 0.056f;
static const sup_vec3 thumb_out = { 0.60f, 0.80f, 0 };

static thumb plan_thumb(const sup_tube* tube, const station* stations)
{
    thumb t = { 0 };
    if (tube->side < 4) return t;
    t.columns = 3 * tube->side / 4 - (3 * tube->side / 4 + tube->side) % 2; // with the parity of the side, to sit in its middle
    t.step = tube->side + (tube->side - t.columns) / 2;
    while (t.ring < tube->rings && stations[t.ring].x < thumb_start) ++t.ring;
    uint32_t end = t.ring;
    while (end < tube->rings && stations[end].x < thumb_end) ++end;
    t.rows = end - t.ring;
    t.layers = t.columns + t.rows; // makes the quads of the thumb about square
    if (t.rows < 2 || t.layers < 2) t.columns = t.rows = t.layers = 0;
    return t;
}

static uint32_t thumb_rim(const thumb* t) { return 2 * (t->columns + t->rows); }

/// Point of the thumb at a share of its length, at (u, v) of its square section; the tip is round.
static sup_vec3 thumb_point(sup_vec3 base, float share, float u, float v)
{
    const sup_vec3 side = v3(0, 0, 1), front = v3(0.80f, -0.60f, 0);
    const float    tip = 0.6f; // the share where the round tip begins
    float          rim = fabsf(u) > fabsf(v) ? fabsf(u) : fabsf(v), turn = sup_square_turn(u, v) * (float)(2 * SUP_PI);
    float          radius = 0.0165f - 0.0025f * share, along = share;
    if (share > tip) {
        float up = share < 1.0f ? (share - tip) / (1.0f - tip) * patch_angle : 1.5707963f - (1.5707963f - patch_angle) * rim;
        along = tip + (1.0f - tip) * (float)sup_sin(up);
        radius *= (float)sup_cos(up);
    }
    // It leans forward as it grows, like a hand at rest.
    sup_vec3 p = v3_mad(base, along * thumb_length, thumb_out);
    p = v3_mad(p, 0.012f * along * along, front);
    p = v3_mad(p, radius * (float)sup_cos(turn), side);
    return v3_mad(p, radius * 1.1f * (float)sup_sin(turn), front);
}

static uint32_t block_point(const sup_tube* tube, const thumb* t, uint32_t i, uint32_t j)
{
    return (t->ring + j) * 4 * tube->side + t->step + i;
}

/// Point number `step` around the rim of layer `layer`; layer 0 is the rim on the hand.
static uint32_t layer_point(const sup_tube* tube, const thumb* t, uint32_t layer, uint32_t step)
{
    uint32_t i, j;
    sup_square_rim(t->columns, t->rows, step, &i, &j);
    if (layer == 0) return block_point(tube, t, i, j);
    return sup_tube_point_count(tube) + (layer - 1) * thumb_rim(t) + step;
}

/// The point of the tip at column i and row j: its rim is the last layer, its inside was the block's.
static uint32_t tip_point(const sup_tube* tube, const thumb* t, uint32_t i, uint32_t j)
{
    if (i > 0 && i < t->columns && j > 0 && j < t->rows) return block_point(tube, t, i, j);
    uint32_t step = j == 0            ? i
                    : i == t->columns ? t->columns + j
                    : j == t->rows    ? 2 * t->columns + t->rows - i
                                      : thumb_rim(t) - j;
    return layer_point(tube, t, t->layers, step);
}

static void place_thumb(const sup_tube* tube, const thumb* t, sup_vec3* points)
{
    sup_vec3 low = points[block_point(tube, t, t->columns / 2, 0)];
    sup_vec3 high = points[block_point(tube, t, t->columns / 2, t->rows)];
    sup_vec3 base = v3_lerp(low, high, 0.5f);
    base.y -= 0.003f;
    base.z = 0.0f;
    for (uint32_t layer = 1; layer <= t->layers; ++layer)
        for (uint32_t step = 0; step < thumb_rim(t); ++step) {
            uint32_t i, j;
            sup_square_rim(t->columns, t->rows, step, &i, &j);
            float share = (float)layer / (float)t->layers;
            float u = 2.0f * (float)i / (float)t->columns - 1.0f, v = 2.0f * (float)j / (float)t->rows - 1.0f;
            // The rim is first lifted unchanged, then becomes round on the way.
            sup_vec3 lifted = v3_mad(points[layer_point(tube, t, 0, step)], share * thumb_length, thumb_out);
            points[layer_point(tube, t, layer, step)] =
                v3_lerp(lifted, thumb_point(base, share, u, v), sup_smoothstep(0.0f, 0.65f, share));
        }
    for (uint32_t j = 1; j < t->rows; ++j)
        for (uint32_t i = 1; i < t->columns; ++i) {
            float u = 2.0f * (float)i / (float)t->columns - 1.0f, v = 2.0f * (float)j / (float)t->rows - 1.0f;
            points[tip_point(tube, t, i, j)] = thumb_point(base, 1.0f, u, v);
        }
}

/// Moves the block's faces to the tip and builds the side walls.
static void thumb_faces(const sup_tube* tube, const thumb* t, uint32_t* corners, uint32_t* at)
{
    for (uint32_t j = 0; j < t->rows; ++j)
        for (uint32_t i = 0; i < t->columns; ++i) {
            uint32_t* q = corners + 4 * ((size_t)(t->ring + j) * 4 * tube->side + t->step + i);
            q[0] = tip_point(tube, t, i, j);
            q[1] = tip_point(tube, t, i + 1, j);
            q[2] = tip_point(tube, t, i + 1, j + 1);
            q[3] = tip_point(tube, t, i, j + 1);
        }
    uint32_t rim = thumb_rim(t);
    for (uint32_t layer = 0; layer < t->layers; ++layer)
        for (uint32_t step = 0; step < rim; ++step) {
            uint32_t next = (step + 1) % rim;
            *at++ = layer_point(tube, t, layer, step);
            *at++ = layer_point(tube, t, layer, next);
            *at++ = layer_point(tube, t, layer + 1, next);
            *at++ = layer_point(tube, t, layer + 1, step);
        }
}

// ---------------------------------------------------------------------------------------------- sculpts

/// Both ends of a clip; the sculpt at its start is the rest shape.
enum { EASE_SECONDS = 1 };

/// Where upper arm and forearm meet they flatten each other along the plane half-way between them. p is relative to the elbow;
/// side is -1 for the upper arm, 1 for the forearm.
static sup_vec3 pressed(sup_vec3 p, float side)
{
    float    half = sup_degrees(0.5f * (180.0f + flex_degrees));
    sup_vec3 crease = v3((float)sup_cos(half), (float)sup_sin(half), 0), across = v3(crease.y, -crease.x, 0);
    float    out = v3_dot(p, crease) - 0.9f * section_at(elbow_x, 1); // from the bottom of the crease outwards
    if (out <= 0.0f) return p;
    // Both sides keep a gap that opens outwards, and round off toward it.
    float gap = 0.03f * out, width = 0.25f * out < 0.016f ? 0.25f * out : 0.016f;
    float from = side * v3_dot(p, across), near = 1.0f - fabsf(from - gap) / width;
    float to = from > gap ? from : gap;
    if (near > 0.0f) to += 0.25f * width * near * near;
    return v3_mad(p, side * (to - from), across);
}

/// The whole section at x rotates about the elbow by its share of the angle, so it stays round and full: a shear of the solid,
/// which keeps its volume. The share grows over two radii on either side, wide enough not to fold the inside. The biceps swells
/// by what the back of the arm loses.
static sup_vec3 flexed(sup_vec3 p)
{
    const float reach = 0.080f;
    float       bulge = sup_smoothstep(0.055f, 0.150f, p.x) * (1.0f - sup_smoothstep(0.165f, 0.255f, p.x));
    float       front = p.y / (sqrtf(p.y * p.y + p.z * p.z) + 1e-6f);
    float       swell = 1.0f + bulge * (0.06f + 0.20f * front);
    sup_vec3    q = v3(p.x - elbow_x, p.y * swell, p.z * (1.0f + 0.25f * (swell - 1.0f)));
    float       share = sup_smoothstep(-reach, reach, q.x);
    sup_vec3    turned = quat_rotate(quat_axis_angle(v3(0, 0, 1), sup_degrees(flex_degrees * share)), q);
    if (share != 0.5f) turned = pressed(turned, share < 0.5f ? -1.0f : 1.0f);
    return v3_add(turned, v3(elbow_x, 0, 0));
}

/// Every section of the forearm rotates in its plane by its share: full radius everywhere.
static sup_vec3 twisted(sup_vec3 p)
{
    float share = sup_smoothstep(elbow_x + 0.01f, wrist_x + 0.03f, p.x);
    return quat_rotate(quat_axis_angle(v3(1, 0, 0), sup_degrees(twist_degrees * share)), p);
}

static sup_result add_sculpt(sup_draft* draft, const char* name, const char* clip, double time, sup_vec3 (*shape)(sup_vec3),
                             sup_error* error)
{
    sup_vec3* points = SUP_NEW(draft->arena, sup_vec3, draft->point_count);
    if (!points) return sup_fail_memory(error, draft->name);
    for (uint32_t p = 0; p < draft->point_count; ++p) points[p] = shape ? shape(draft->points[p]) : draft->points[p];
    draft->examples[draft->example_count++] = (sup_example_desc){ name, clip, time, false, points };
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- motions

static float eased(double time) { return sup_smoothstep(0.0f, (float)EASE_SECONDS, (float)time); }

static void flex(const sup_draft* draft, double time, sup_draft_pose* pose)
{
    (void)draft;
    pose->turns[FOREARM] = quat_axis_angle(v3(0, 0, 1), sup_degrees(flex_degrees * eased(time)));
}

static void twist(const sup_draft* draft, double time, sup_draft_pose* pose)
{
    (void)draft;
    pose->turns[HAND] = quat_axis_angle(v3(1, 0, 0), sup_degrees(twist_degrees * eased(time)));
}

static const double wave_seconds = 2.0;

/// Elbow half bent and the forearm swinging twice, the hand lagging a little.
static void wave(const sup_draft* draft, double time, sup_draft_pose* pose)
{
    (void)draft;
    double phase = 2 * SUP_PI * time / wave_seconds;
    float  sway = (float)sup_sin(2.0 * phase), late = (float)sup_sin(2.0 * phase - 0.9), slow = (float)sup_sin(phase);
    pose->turns[UPPER_ARM] = quat_axis_angle(v3(0, 0, 1), sup_degrees(12.0f + 5.0f * slow));
    pose->turns[FOREARM] = quat_axis_angle(v3(0, 0, 1), sup_degrees(66.0f + 26.0f * sway));
    sup_quat bent = quat_axis_angle(v3(0, 0, 1), sup_degrees(22.0f * late));
    pose->turns[HAND] = quat_mul(bent, quat_axis_angle(v3(1, 0, 0), sup_degrees(18.0f * slow)));
}

// ---------------------------------------------------------------------------------------------- character

static void set_weights(sup_draft* draft)
{
    for (uint32_t p = 0; p < draft->point_count; ++p) {
        float row[JOINTS], reach = 1.0f;
        for (uint32_t j = 0; j < JOINTS; ++j) {
            float beyond = 0.0f;
            if (j + 1 < JOINTS) {
                float joint = arm_joints[j + 1].place.x;
                beyond = sup_smoothstep(joint - blends[j + 1], joint + blends[j + 1], draft->points[p].x);
            }
            row[j] = reach - beyond;
            reach = beyond;
        }
        sup_draft_set_weights(draft, p, row);
    }
}

/// The rings and steps around for about this many points, in roughly square quads.
static sup_tube divide(uint32_t points)
{
    uint32_t side = (uint32_t)(sqrtf((float)points / 47.0f) + 0.5f);
    if (side < 2) side = 2;
    uint32_t ends = 2 * (side - 1) * (side - 1), four = 4 * side;
    uint32_t rings = (points - ends + four / 2) / four;
    return (sup_tube){ side < 4 ? rings : rings - 3 * side / 4, side }; // the thumb uses the points of these rings
}

static sup_result draw(sup_draft* draft, uint32_t points, sup_error* error)
{
    sup_tube tube = divide(points);
    station* stations = SUP_NEW(draft->arena, station, tube.rings);
    if (!stations) return sup_fail_memory(error, draft->name);
    place_rings(tube.rings, stations);
    thumb t = plan_thumb(&tube, stations);
    draft->point_count = sup_tube_point_count(&tube) + t.layers * thumb_rim(&t);
    draft->face_count = sup_tube_face_count(&tube) + t.layers * thumb_rim(&t);
    draft->points = SUP_NEW(draft->arena, sup_vec3, draft->point_count);
    draft->corners = SUP_NEW(draft->arena, uint32_t, 4 * (size_t)draft->face_count);
    if (!draft->points || !draft->corners) return sup_fail_memory(error, draft->name);
    for (uint32_t p = 0; p < sup_tube_point_count(&tube); ++p) {
        sup_tube_spot spot = sup_tube_find(&tube, p);
        station       at = stations[spot.ring];
        if (spot.rim < 1.0f) at.up = 1.5707963f - (1.5707963f - patch_angle) * spot.rim;
        draft->points[p] = skin_at(at.x, spot.turn, at.up);
    }
    sup_tube_faces(&tube, draft->corners);
    if (t.layers > 0) {
        place_thumb(&tube, &t, draft->points);
        thumb_faces(&tube, &t, draft->corners, draft->corners + 4 * (size_t)sup_tube_face_count(&tube));
    }
    return SUP_OK;
}

static sup_result make(sup_draft* draft, uint32_t points, sup_error* error)
{
    draft->joint_count = JOINTS;
    draft->joints = arm_joints;
    sup_result result = draw(draft, points, error);
    if (result == SUP_OK) result = sup_draft_begin_weights(draft, error);
    if (result != SUP_OK) return result;
    set_weights(draft);
    result = add_sculpt(draft, "flex_start", "flex", 0.0, NULL, error);
    if (result == SUP_OK) result = add_sculpt(draft, "flex_end", "flex", EASE_SECONDS, flexed, error);
    if (result == SUP_OK) result = add_sculpt(draft, "twist_start", "twist", 0.0, NULL, error);
    if (result == SUP_OK) result = add_sculpt(draft, "twist_end", "twist", EASE_SECONDS, twisted, error);
    if (result == SUP_OK) result = sup_draft_record(draft, "flex", EASE_SECONDS, false, flex, error);
    if (result == SUP_OK) result = sup_draft_record(draft, "twist", EASE_SECONDS, false, twist, error);
    if (result == SUP_OK) result = sup_draft_record(draft, "wave", wave_seconds, true, wave, error);
    return result;
}

sup_result sup_scene_arm(uint32_t points, const sup_allocator* allocator, sup_character** out, sup_error* error)
{
    sup_draft_range range = { USUAL_POINTS, FEWEST_POINTS, MOST_POINTS };
    return sup_draft_make("arm", points, range, make, allocator, out, error);
}
