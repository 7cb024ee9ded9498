// Puts captured motion on a character.
//
// Both skeletons are seen as standing figures. With C the rotation between the two worlds (up to up, forward to forward), D(t)
// the rotation of a captured joint since its reference pose, and S the rotation that maps the target's bone onto the captured
// one in their reference poses, a target joint rotates by  C D(t) C^-1 S  from its own. S is the shortest arc for the bones of
// arms and legs, so an A pose follows a T pose; feet are flat on the ground in both, so only their heading differs; the trunk
// is upright in both, so it needs no S.
#include "rig/retarget/retarget.h"
#include "base/internal.h"
#include "base/sort.h"
#include "math/vec.h"
#include "rig/retarget/feet.h"
#include "rig/retarget/key_time.h"

#include <string.h>

// Key times are floats; beyond this many, neighbors could have equal times.
enum { FRAMES_MAX = 1 << 22 };

#define BAD(...) sup_fail(r->error, SUP_ERROR_INPUT, __VA_ARGS__)

// ---------------------------------------------------------------------------------------------- alignment

static sup_quat multiply3(sup_quat a, sup_quat b, sup_quat c) { return quat_normalize(quat_mul(quat_mul(a, b), c)); }

static sup_vec3 heading(sup_vec3 d, sup_vec3 up) { return v3_normalize(v3_mad(d, -v3_dot(d, up), up), v3(0, 0, 0)); }

// Rotates the direction of the target's bone in its reference pose to that of the captured bone in its.
static bool bone_arc(const retarget* r, uint32_t target, uint32_t source, bool flat, sup_quat* out)
{
    sup_vec3 to, from;
    if (!figure_bone(&r->target, target, &from) || !figure_bone(&r->source, source, &to)) return false;
    to = quat_rotate(r->align, to);
    if (flat) {
        from = heading(from, r->target.up);
        to = heading(to, r->target.up);
        if (v3_length2(from) == 0 || v3_length2(to) == 0) return false;
    }
    *out = figure_arc(from, to, flat ? r->target.up : r->target.forward);
    return true;
}

// A captured foot that stands at a slant is leveled on the character.
static sup_quat level_fit(retarget* r, uint32_t source, sup_quat fit)
{
    sup_quat level = feet_level(r->mocap, r->first, r->frame_count, &r->source, source, r->rotations, r->positions);
    return quat_normalize(quat_mul(multiply3(r->align, level, quat_conjugate(r->align)), fit));
}

static void fit_joint(retarget* r, uint32_t joint, const sup_quat* fits, sup_quat trunk, sup_quat* fit)
{
    const follow* f = &r->follows[joint];
    int           side;
    body_role     role = body_role_of(&r->target.body, joint, &side);
    uint32_t      foot = side == SIDE_NONE ? SUP_NONE : r->target.body.limbs[side][ROLE_FOOT];
    uint32_t      arm = side == SIDE_NONE ? SUP_NONE : r->target.body.limbs[side][ROLE_LOWER_ARM];
    *fit = quat_identity();
    switch (role) {
    case ROLE_HIPS:
    case ROLE_SPINE:
    case ROLE_NECK:
    case ROLE_HEAD:
    case ROLE_SHOULDER: *fit = trunk; break;
    case ROLE_FOOT:
        bone_arc(r, joint, f->source, true, fit);
        *fit = level_fit(r, f->source, *fit);
        break;
    case ROLE_TOE: // heads the way its foot does, and lies flat by itself
        if (foot != SUP_NONE && foot < joint && r->follows[foot].source != SUP_NONE)
            bone_arc(r, foot, r->follows[foot].source, true, fit);
        *fit = level_fit(r, f->source, *fit);
        break;
    case ROLE_HAND: // straight on from the forearm in both
        if (arm != SUP_NONE && arm < joint) *fit = fits[arm];
        break;
    default: // the last joint of a finger has no bone: straight on from the one before
        // Hip joints depend on the build: legs must not move closer together because the captured ones were.
        if (f->namesake && figure_is_trunk(&r->target, r->target.parents[joint])) *fit = trunk;
        else if (!bone_arc(r, joint, f->source, false, fit) && r->target.parents[joint] != SUP_NONE &&
                 r->follows[r->target.parents[joint]].source != SUP_NONE)
            *fit = fits[r->target.parents[joint]];
        break;
    }
}

static sup_result align(retarget* r)
{
    static const float UPRIGHT_COSINE = 0.8f; // a trunk that leans more than 37 degrees is a pose, not a build
    sup_quat*          fits = SUP_NEW(r->scratch, sup_quat, r->target.joint_count);
    if (!fits) return sup_fail_memory(r->error, "a motion");
    r->align = figure_align(&r->source, &r->target);
    sup_vec3 leaning = quat_rotate(r->align, r->source.trunk);
    sup_quat trunk = v3_dot(leaning, r->target.trunk) < UPRIGHT_COSINE ? figure_arc(r->target.trunk, leaning, r->target.forward)
                                                                       : quat_identity();
    for (uint32_t j = 0; j < r->target.joint_count; ++j) {
        if (r->follows[j].source == SUP_NONE) continue;
        fit_joint(r, j, fits, trunk, &fits[j]);
        r->follows[j].fit = quat_mul(fits[j], r->target.rotations[j]);
    }
    r->scale = r->source.leg > 0 && r->target.leg > 0 ? r->target.leg / r->source.leg : 0;
    if (r->scale == 0) { // no legs: scale by the length of the trunk
        float s = v3_length(v3_sub(r->source.positions[r->source.body.head == SUP_NONE ? 0 : r->source.body.head],
                                   r->source.positions[r->source.body.hips]));
        float t = v3_length(v3_sub(r->target.positions[r->target.body.head == SUP_NONE ? 0 : r->target.body.head],
                                   r->target.positions[r->target.body.hips]));
        r->scale = s > 0 && t > 0 ? t / s : 1;
    }
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- one frame

static sup_quat source_turn(const retarget* r, uint32_t joint)
{
    return quat_normalize(quat_mul(r->rotations[joint], quat_conjugate(r->source.rotations[joint])));
}

static sup_quat followed_turn(const retarget* r, const follow* f)
{
    sup_quat turn = source_turn(r, f->source);
    if (f->ratio > 0) turn = quat_slerp(turn, source_turn(r, f->next), f->ratio);
    return quat_normalize(quat_mul(multiply3(r->align, turn, quat_conjugate(r->align)), f->fit));
}

static sup_affine global_above(const retarget* r, uint32_t joint)
{
    uint32_t parent = r->target.parents[joint];
    return parent == SUP_NONE ? affine_identity() : r->pose.global[parent];
}

static void place(retarget* r, uint32_t joint, sup_vec3 world)
{
    sup_affine above = global_above(r, joint), inverse;
    if (affine_invert(&above, &inverse)) r->pose.local[joint].translation = affine_point(&inverse, world);
}

// The source must be posed already. A carrier has a lower index than what it carries or is posed by the same frame: carried
// joints are posed in a second pass.
static void pose_joint(retarget* r, uint32_t joint, sup_vec3 root)
{
    const follow* f = &r->follows[joint];
    uint32_t      parent = r->target.parents[joint];
    r->pose.local[joint] = r->reference.local[joint];
    if (f->source == SUP_NONE && !f->carried) {
        sup_quat q = r->pose.local[joint].rotation;
        r->turned[joint] = parent == SUP_NONE ? q : quat_normalize(quat_mul(r->turned[parent], q));
    } else {
        r->turned[joint] = f->carried ? quat_normalize(quat_mul(r->turned[f->carrier], f->fit)) : followed_turn(r, f);
        r->pose.local[joint].rotation = parent == SUP_NONE
                                            ? r->turned[joint]
                                            : quat_normalize(quat_mul(quat_conjugate(r->turned[parent]), r->turned[joint]));
    }
    if (f->placed && f->carrier == SUP_NONE) place(r, joint, root);
    if (f->placed && f->carrier != SUP_NONE)
        place(r, joint, v3_add(affine_translation(&r->pose.global[f->carrier]), quat_rotate(r->turned[f->carrier], f->offset)));
    sup_affine above = global_above(r, joint), local = affine_from_transform(&r->pose.local[joint]);
    if (r->character->skeleton.joints[joint].has_matrix &&
        memcmp(&r->pose.local[joint], &r->character->skeleton.joints[joint].rest, sizeof(sup_transform)) == 0)
        local = r->character->skeleton.joints[joint].matrix;
    r->pose.global[joint] = parent == SUP_NONE ? local : affine_mul(&above, &local);
}

static void pose_frame(retarget* r, uint32_t frame, sup_vec3 root)
{
    uint32_t n = r->target.joint_count;
    figure_play(r->mocap, r->first + frame, r->rotations, r->positions);
    for (uint32_t j = 0; j < n; ++j) pose_joint(r, j, root);
    // Feet before their legs in the skeleton were placed with the previous frame's legs.
    bool late = false;
    for (uint32_t j = 0; j < n; ++j)
        late |= r->follows[j].placed && r->follows[j].carrier != SUP_NONE && r->follows[j].carrier > j;
    for (uint32_t j = 0; j < n && late; ++j) pose_joint(r, j, root);
}

// ---------------------------------------------------------------------------------------------- root motion

static float lowest_source(const retarget* r)
{
    float low = INFINITY;
    for (uint32_t i = 0; i < r->source_soles.count; ++i) {
        uint32_t j = r->source_soles.joints[i];
        sup_vec3 p = v3_add(r->positions[j], quat_rotate(r->rotations[j], r->source_soles.places[i]));
        float    h = v3_dot(p, r->source.up);
        low = h < low ? h : low;
    }
    return low;
}

static float lowest_target(const retarget* r)
{
    float low = INFINITY;
    for (uint32_t i = 0; i < r->target_soles.count; ++i) {
        float h = v3_dot(affine_point(&r->pose.global[r->target_soles.joints[i]], r->target_soles.places[i]), r->target.up);
        low = h < low ? h : low;
    }
    return low;
}

// The ground: the fifth percentile of the heights, so that a toe that once went through it does not count.
static sup_result find_ground(retarget* r, const float* heights, float* out)
{
    sup_sort_item* items = SUP_NEW(r->scratch, sup_sort_item, r->frame_count);
    sup_sort_item* spare = SUP_NEW(r->scratch, sup_sort_item, r->frame_count);
    if (!items || !spare) return sup_fail_memory(r->error, "a motion");
    for (uint32_t i = 0; i < r->frame_count; ++i) items[i] = (sup_sort_item){ sup_sort_key(heights[i]), i };
    sup_sort(items, spare, r->frame_count);
    *out = heights[items[r->frame_count / 20].value];
    return SUP_OK;
}

static uint32_t frames_in(const retarget* r, double seconds)
{
    double frames = seconds / r->mocap->frame_time;
    return frames < 1 ? 0 : frames > 1000 ? 1000 : (uint32_t)frames;
}

// A weighted mean over some frames on both sides, so that a change of the standing foot does not show as a kink.
static sup_result smooth(retarget* r, float* values)
{
    uint32_t half = frames_in(r, 0.07);
    int64_t  n = r->frame_count;
    float*   copy = sup_arena_copy(r->scratch, values, r->frame_count, sizeof *copy);
    if (!copy) return sup_fail_memory(r->error, "a motion");
    for (int64_t i = 0; i < n; ++i) {
        double sum = 0, weights = 0;
        for (int64_t k = -(int64_t)half; k <= (int64_t)half; ++k) {
            int64_t at = i + k < 0 ? 0 : i + k >= n ? n - 1 : i + k;
            double  weight = (double)half + 1 - (double)(k < 0 ? -k : k);
            sum += weight * (double)copy[at];
            weights += weight;
        }
        values[i] = (float)(sum / weights);
    }
    return SUP_OK;
}

// The 20th percentile of the heights within half a second of a frame, from a few of them.
static float floor_near(const retarget* r, const float* heights, int64_t frame)
{
    enum { SAMPLES = 20 };
    float    sorted[2 * SAMPLES + 1];
    uint32_t count = 0, half = frames_in(r, 0.5), step = half / SAMPLES + 1;
    for (int64_t k = -SAMPLES; k <= SAMPLES; ++k) {
        int64_t at = frame + k * (int64_t)step;
        if (at < 0 || at >= (int64_t)r->frame_count || k * (int64_t)step > half || k * (int64_t)step < -(int64_t)half) continue;
        uint32_t place = count++;
        for (; place && sorted[place - 1] > heights[at]; --place) sorted[place] = sorted[place - 1];
        sorted[place] = heights[at];
    }
    return sorted[count / 5];
}

// The floor of a studio is not quite level where the cameras see it: over a few steps it may rise by the height of a sole. So
// heights are measured from the floor nearby, if that is within a tenth of a leg of the ground; stairs are more.
static sup_result level(retarget* r, float* heights)
{
    float*     floors = SUP_NEW(r->scratch, float, r->frame_count);
    float      ground = 0, most = 0.1f * r->source.leg;
    sup_result result = find_ground(r, heights, &ground);
    if (!floors) return sup_fail_memory(r->error, "a motion");
    if (result != SUP_OK) return result;
    for (uint32_t i = 0; i < r->frame_count; ++i)
        floors[i] = sup_clampf(floor_near(r, heights, i), ground - most, ground + most);
    if ((result = smooth(r, floors)) != SUP_OK) return result;
    for (uint32_t i = 0; i < r->frame_count; ++i) heights[i] -= floors[i];
    return SUP_OK;
}

// The path of the hips: from the character's own position, along the scaled path of the motion, and at the height that puts the
// lowest point of the soles above the ground at the scaled height it has in the motion.
static sup_result find_roots(retarget* r)
{
    uint32_t n = r->frame_count, hips = r->source.body.hips;
    float*   heights = SUP_NEW(r->scratch, float, n);
    float*   lifts = SUP_NEW(r->scratch, float, n);
    r->roots = SUP_NEW(r->scratch, sup_vec3, n);
    if (!heights || !lifts || !r->roots) return sup_fail_memory(r->error, "a motion");
    sup_vec3 stand = r->target.positions[r->target.body.hips], begin = v3(0, 0, 0), up = r->target.up;
    bool     grounded = r->source_soles.count && r->target_soles.count;
    for (uint32_t i = 0; i < n; ++i) {
        figure_play(r->mocap, r->first + i, r->rotations, r->positions);
        if (i == 0) begin = r->positions[hips];
        sup_vec3 path = v3_scale(quat_rotate(r->align, v3_sub(r->positions[hips], begin)), r->scale);
        r->roots[i] = v3_add(stand, path);
        if (!grounded) continue;
        heights[i] = lowest_source(r);
        pose_frame(r, i, r->roots[i]);
        lifts[i] = -lowest_target(r);
    }
    if (!grounded) return SUP_OK;
    sup_result result = level(r, heights);
    if (result != SUP_OK) return result;
    for (uint32_t i = 0; i < n; ++i) {
        float above = r->scale * heights[i];
        lifts[i] += r->target.ground + (above > 0 ? above : 0);
    }
    if ((result = smooth(r, lifts)) != SUP_OK) return result;
    for (uint32_t i = 0; i < n; ++i) r->roots[i] = v3_mad(r->roots[i], lifts[i], up);
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- clip

typedef struct clip_maker {
    sup_channel* channels;
    uint32_t     count;
    const float* times;
    const float* start; // a single time, for joints that are only held
} clip_maker;

static float* add_channel(retarget* r, clip_maker* m, uint32_t joint, sup_path path, uint32_t keys)
{
    uint32_t width = path == SUP_PATH_ROTATION ? 4 : 3;
    float*   values = SUP_NEW(r->arena, float, (size_t)keys* width);
    m->channels[m->count++] = (sup_channel){ .target = joint,
                                             .path = path,
                                             .interpolation = SUP_INTERPOLATE_LINEAR,
                                             .key_count = keys,
                                             .width = width,
                                             .times = keys == 1 ? m->start : m->times,
                                             .values = values };
    return values;
}

// Joints that nothing moves stay in the reference pose, which may differ from the file's rest pose.
static bool hold(retarget* r, clip_maker* m, uint32_t joint, bool turns, bool moves)
{
    const sup_transform *rest = &r->character->skeleton.joints[joint].rest, *held = &r->reference.local[joint];
    float*               values;
    if (!turns && memcmp(&rest->rotation, &held->rotation, sizeof held->rotation) != 0) {
        if (!(values = add_channel(r, m, joint, SUP_PATH_ROTATION, 1))) return false;
        memcpy(values, &held->rotation, sizeof held->rotation);
    }
    if (!moves && memcmp(&rest->translation, &held->translation, sizeof held->translation) != 0) {
        if (!(values = add_channel(r, m, joint, SUP_PATH_TRANSLATION, 1))) return false;
        memcpy(values, &held->translation, sizeof held->translation);
    }
    if (memcmp(&rest->scale, &held->scale, sizeof held->scale) != 0) {
        if (!(values = add_channel(r, m, joint, SUP_PATH_SCALE, 1))) return false;
        memcpy(values, &held->scale, sizeof held->scale);
    }
    return true;
}

static void store_frame(retarget* r, uint32_t frame, sup_quat** rotations, sup_vec3** translations)
{
    for (uint32_t j = 0; j < r->target.joint_count; ++j) {
        if (rotations[j]) {
            sup_quat q = r->pose.local[j].rotation;
            if (frame && quat_dot(q, rotations[j][frame - 1]) < 0) q = quat(-q.x, -q.y, -q.z, -q.w);
            rotations[j][frame] = quat_normalize(q); // keeps old bits, on which contacts in the dance depend chaotically
        }
        if (translations[j]) translations[j][frame] = r->pose.local[j].translation;
    }
}

static sup_result make_clip(retarget* r, sup_clip* out)
{
    uint32_t   n = r->target.joint_count, frames = r->frame_count;
    sup_quat** rotations = SUP_NEW(r->scratch, sup_quat*, n);
    sup_vec3** translations = SUP_NEW(r->scratch, sup_vec3*, n);
    float*     times = SUP_NEW(r->arena, float, frames);
    float*     start = SUP_NEW(r->arena, float, 1);
    clip_maker m = { .channels = SUP_NEW(r->arena, sup_channel, 3 * (size_t)n), .times = times, .start = start };
    char*      name = sup_arena_text(r->arena, r->mocap->name, strlen(r->mocap->name));
    if (!rotations || !translations || !times || !start || !m.channels || !name) return sup_fail_memory(r->error, "a motion");
    for (uint32_t i = 0; i < frames; ++i) times[i] = sup_key_time(i * r->mocap->frame_time);
    for (uint32_t j = 0; j < n; ++j) {
        const follow* f = &r->follows[j];
        bool          turns = f->source != SUP_NONE || f->carried;
        // A channel's values are our own floats; quaternions and vectors are rows of them.
        if (turns && !(rotations[j] = (sup_quat*)add_channel(r, &m, j, SUP_PATH_ROTATION, frames)))
            return sup_fail_memory(r->error, "a motion");
        if (f->placed && !(translations[j] = (sup_vec3*)add_channel(r, &m, j, SUP_PATH_TRANSLATION, frames)))
            return sup_fail_memory(r->error, "a motion");
        if (!hold(r, &m, j, turns, f->placed)) return sup_fail_memory(r->error, "a motion");
    }
    for (uint32_t i = 0; i < frames; ++i) {
        pose_frame(r, i, r->roots[i]);
        store_frame(r, i, rotations, translations);
    }
    *out = (sup_clip){ .name = name,
                       .seconds = (double)times[frames - 1],
                       .channel_count = m.count,
                       .channels = m.channels,
                       .source_id = SUP_NONE };
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- whole

static sup_result note_pair(retarget* r, uint32_t target, uint8_t* how, const char** role)
{
    const body_map *t = &r->target.body, *s = &r->source.body;
    uint32_t        source = r->follows[target].source;
    char            text[64];
    body_role_text(t, target, text, sizeof text);
    *role = sup_arena_text(r->arena, text, strlen(text));
    *how = t->how[target] == BODY_TOLD                                               ? SUP_PAIR_TOLD
           : t->how[target] == BODY_SHAPE || (*text && s->how[source] == BODY_SHAPE) ? SUP_PAIR_SHAPE
                                                                                     : SUP_PAIR_NAME;
    return *role ? SUP_OK : sup_fail_memory(r->error, "a report");
}

static sup_result fill_report(retarget* r, sup_retarget_report* report)
{
    uint32_t     n = r->target.joint_count;
    uint32_t*    targets = SUP_NEW(r->arena, uint32_t, n);
    uint32_t*    sources = SUP_NEW(r->arena, uint32_t, n);
    uint32_t*    lone = SUP_NEW(r->arena, uint32_t, n);
    uint8_t*     how = SUP_NEW(r->arena, uint8_t, n);
    const char** roles = SUP_NEW(r->arena, const char*, n);
    if (!targets || !sources || !lone || !how || !roles) return sup_fail_memory(r->error, "a report");
    for (uint32_t j = 0; j < n; ++j) {
        if (r->follows[j].source != SUP_NONE) {
            uint32_t   i = report->pair_count++;
            sup_result result = note_pair(r, j, &how[i], &roles[i]);
            if (result != SUP_OK) return result;
            targets[i] = j;
            sources[i] = r->follows[j].source;
            report->guess_count += how[i] == SUP_PAIR_SHAPE;
        } else if (r->character->skeleton.joints[j].skin_joint) lone[report->lone_count++] = j;
    }
    report->targets = targets;
    report->sources = sources;
    report->how = how;
    report->roles = roles;
    report->lone = lone;
    report->scale = r->scale;
    report->side_guessed = !r->target.body.faces || !r->source.body.faces;
    return SUP_OK;
}

static sup_result run(retarget* r, const sup_retarget_options* options, sup_clip* out, sup_retarget_report* report)
{
    sup_retarget_report found = { 0 };
    if (r->mocap->frame_count == 0 || r->mocap->joint_count == 0) return BAD("the motion '%s' has no frames", r->mocap->name);
    if (r->mocap->frame_count > FRAMES_MAX)
        return BAD("the motion '%s' has more than %u frames; cut it into pieces", r->mocap->name, (uint32_t)FRAMES_MAX);
    figure_choice choice;
    sup_result    result = retarget_find_partners(r, options, &choice);
    if (result != SUP_OK) return result;
    found.dropped_first = !options->keep_first && choice == FIGURE_FIRST;
    found.rest_from_frame = choice == FIGURE_FRAME;
    r->first = found.dropped_first ? r->source.begin : 0;
    found.dropped_count = r->first;
    r->frame_count = r->mocap->frame_count - r->first;
    result = align(r);
    if (result != SUP_OK) return result;
    result = retarget_place(r);
    if (result != SUP_OK) return result;
    soles_of_mocap(&r->source, &r->source_soles);
    soles_of_character(r->character, &r->reference, &r->target, &r->target_soles);
    result = find_roots(r);
    sup_clip clip = { 0 };
    if (result == SUP_OK) result = make_clip(r, &clip);
    if (result == SUP_OK && report) result = fill_report(r, &found);
    if (result != SUP_OK) return result;
    *out = clip;
    if (report) *report = found;
    return SUP_OK;
}

sup_result sup_retarget(const sup_character* character, const sup_mocap* mocap, const sup_retarget_options* options,
                        sup_arena* arena, sup_clip* out, sup_retarget_report* report, sup_error* error)
{
    static const sup_retarget_options standard = { 0 };
    SUP_ASSERT(character && mocap && arena && out);
    retarget r = { .character = character, .mocap = mocap, .arena = arena, .error = error, .scratch = sup_arena_beside(arena) };
    if (!r.scratch) return sup_fail_memory(error, "a motion");
    sup_result result = run(&r, options ? options : &standard, out, report);
    sup_arena_destroy(r.scratch);
    return result;
}
