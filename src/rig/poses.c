// Key poses written by hand, as a clip: each key turns joints by degrees as --pose does, and may move them.
#include "base/internal.h"
#include "math/trig.h"
#include "math/vec.h"
#include "supple/rig.h"

#include <string.h>

static const double OVER_RATE = 60; // keys per second where poses are layered over a moving clip
static const double TIME_MOST = 3600, DEGREES_MOST = 36000, MOVE_MOST = 1e6;

typedef struct pose_keys {
    const sup_character* character;
    sup_arena*           arena;
    sup_error*           error;
    const sup_clip*      over; // NULL: the rest pose
    uint32_t             count;
    float*               times;
    bool *               turned, *moved; // by joint: whether a key does
    sup_quat*            turns;          // joint by joint, count each
    sup_vec3*            moves;
    sup_interpolation    between;
} pose_keys;

#define WRONG(...) sup_fail(p->error, SUP_ERROR_INPUT, __VA_ARGS__)

static sup_quat turn_of(const double degrees[3])
{
    float s[3], c[3];
    for (int i = 0; i < 3; ++i) {
        double half = degrees[i] * (SUP_PI / 360.0);
        s[i] = (float)sup_sin(half), c[i] = (float)sup_cos(half);
    }
    return quat_mul(quat(0, 0, s[2], c[2]), quat_mul(quat(0, s[1], 0, c[1]), quat(s[0], 0, 0, c[0])));
}

void sup_pose_turn(sup_pose* pose, uint32_t joint, const double degrees[3])
{
    pose->local[joint].rotation = quat_normalize(quat_mul(pose->local[joint].rotation, turn_of(degrees)));
}

static bool read_three(const sup_json* value, double most, double out[3])
{
    if (!value || value->type != SUP_JSON_ARRAY || value->count != 3) return false;
    const sup_json* n = value->first;
    for (int i = 0; i < 3; ++i, n = n->next) {
        if (n->type != SUP_JSON_NUMBER || !(n->number >= -most && n->number <= most)) return false;
        out[i] = n->number;
    }
    return true;
}

static sup_result known_members(pose_keys* p, const sup_json* object, const char* const* names, uint32_t count,
                                const char* where)
{
    for (const sup_json* m = object->first; m; m = m->next) {
        uint32_t i = 0;
        while (i < count && strcmp(names[i], m->key) != 0) ++i;
        if (i == count) return WRONG("poses: %s have no member \"%s\"; see docs/poses.md", where, m->key);
    }
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- reading

static sup_result find_joint(pose_keys* p, const sup_json* entry, uint32_t key, uint32_t* out)
{
    *out = sup_character_joint(p->character, entry->key);
    return *out != SUP_NONE ? SUP_OK : WRONG("poses: key %u: '%s' has no joint '%s'", key + 1, p->character->name, entry->key);
}

/// A move is given in meters along the axes of rest space, independent of the parent's axes and scale.
static sup_vec3 parent_move(const sup_character* c, const sup_pose* rest, uint32_t joint, const double meters[3])
{
    double   unit = sup_character_physics_unit(c);
    sup_vec3 move = v3((float)(meters[0] / unit), (float)(meters[1] / unit), (float)(meters[2] / unit));
    uint32_t parent = c->skeleton.joints[joint].parent;
    if (parent == SUP_NONE) return move;
    const sup_affine* g = &rest->global[parent];
    float             d = affine_determinant(g);
    if (d == 0) return v3(0, 0, 0);
    sup_vec3 x = v3(g->m[0][0], g->m[1][0], g->m[2][0]), y = v3(g->m[0][1], g->m[1][1], g->m[2][1]),
             z = v3(g->m[0][2], g->m[1][2], g->m[2][2]);
    return v3_scale(v3(v3_dot(move, v3_cross(y, z)), v3_dot(move, v3_cross(z, x)), v3_dot(move, v3_cross(x, y))), 1 / d);
}

static sup_result read_key(pose_keys* p, const sup_json* k, uint32_t number, const sup_pose* rest)
{
    static const char* const names[] = { "time", "turn", "move" };
    const sup_json *         time = sup_json_get(k, "time"), *turn = sup_json_get(k, "turn"), *move = sup_json_get(k, "move");
    if (k->type != SUP_JSON_OBJECT) return WRONG("poses: key %u must be an object", number + 1);
    sup_result r = known_members(p, k, names, 3, "keys");
    if (r) return r;
    if (!time || time->type != SUP_JSON_NUMBER || !(time->number >= 0 && time->number <= TIME_MOST))
        return WRONG("poses: key %u needs a \"time\" from 0 to %g seconds", number + 1, TIME_MOST);
    p->times[number] = (float)time->number;
    if (number && !(p->times[number] > p->times[number - 1]))
        return WRONG("poses: key %u is not later than the key before it; sort the keys by time", number + 1);
    double   three[3];
    uint32_t joint;
    for (const sup_json* one = turn ? turn->first : NULL; one; one = one->next) {
        if (turn->type != SUP_JSON_OBJECT || !read_three(one, DEGREES_MOST, three))
            return WRONG("poses: key %u: \"turn\" gives three angles in degrees to each joint", number + 1);
        if ((r = find_joint(p, one, number, &joint))) return r;
        p->turned[joint] = true;
        p->turns[(size_t)joint * p->count + number] = turn_of(three);
    }
    for (const sup_json* one = move ? move->first : NULL; one; one = one->next) {
        if (move->type != SUP_JSON_OBJECT || !read_three(one, MOVE_MOST, three))
            return WRONG("poses: key %u: \"move\" gives three meters to each joint", number + 1);
        if ((r = find_joint(p, one, number, &joint))) return r;
        p->moved[joint] = true;
        p->moves[(size_t)joint * p->count + number] = parent_move(p->character, rest, joint, three);
    }
    return SUP_OK;
}

static sup_result read_between(pose_keys* p, const sup_json* value)
{
    const char* word = value ? sup_json_string(value, "") : "linear";
    if (!strcmp(word, "linear")) p->between = SUP_INTERPOLATE_LINEAR;
    else if (!strcmp(word, "step")) p->between = SUP_INTERPOLATE_STEP;
    else if (!strcmp(word, "smooth")) p->between = SUP_INTERPOLATE_CUBIC;
    else return WRONG("poses: \"between\" is \"linear\", \"smooth\" or \"step\"");
    return SUP_OK;
}

static sup_result read_over(pose_keys* p, const sup_json* value)
{
    if (!value) return SUP_OK;
    p->over = value->type == SUP_JSON_STRING ? sup_character_clip(p->character, value->text) : NULL;
    return p->over ? SUP_OK
                   : WRONG("poses: \"over\" names no clip of '%s'; leave it out to begin at the rest pose", p->character->name);
}

static sup_result read_keys(pose_keys* p, const sup_json* keys)
{
    uint32_t joints = p->character->skeleton.joint_count;
    sup_pose rest;
    if (!keys || keys->type != SUP_JSON_ARRAY || !keys->count)
        return WRONG("poses: \"keys\" must be a list of at least one key");
    p->count = keys->count;
    size_t all = (size_t)joints * p->count;
    if (all > SIZE_MAX / 64) return sup_fail_memory(p->error, "poses");
    p->times = SUP_NEW(p->arena, float, p->count);
    p->turned = SUP_NEW(p->arena, bool, joints), p->moved = SUP_NEW(p->arena, bool, joints);
    p->turns = SUP_NEW(p->arena, sup_quat, all), p->moves = SUP_NEW(p->arena, sup_vec3, all);
    if (!p->times || !p->turned || !p->moved || !p->turns || !p->moves) return sup_fail_memory(p->error, "poses");
    for (size_t i = 0; i < all; ++i) p->turns[i] = quat_identity();
    sup_result r = sup_pose_create(p->character, p->arena, &rest, p->error);
    if (r) return r;
    sup_pose_rest(p->character, &rest);
    uint32_t number = 0;
    for (const sup_json* k = keys->first; k; k = k->next, ++number)
        if ((r = read_key(p, k, number, &rest))) return r;
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- channels

/// Tangents as the slope between a key's neighbors (Catmull and Rom), zero at the ends: a motion blocked out by hand comes to
/// rest there.
static const float* smooth_keys(pose_keys* p, const float* values, uint32_t width)
{
    float* out = SUP_NEW(p->arena, float, (size_t)p->count* width * 3);
    for (uint32_t k = 0; out && k < p->count; ++k)
        for (uint32_t i = 0; i < width; ++i) {
            float *at = out + (size_t)k * width * 3, slope = 0;
            if (k && k + 1 < p->count)
                slope = (values[(k + 1) * width + i] - values[(k - 1) * width + i]) / (p->times[k + 1] - p->times[k - 1]);
            at[i] = at[2 * width + i] = slope;
            at[width + i] = values[k * width + i];
        }
    return out;
}

static sup_result put_channel(pose_keys* p, sup_channel* out, uint32_t joint, sup_path path, const float* values)
{
    uint32_t width = path == SUP_PATH_ROTATION ? 4 : 3;
    *out = (sup_channel){ joint, path, p->between, p->count, width, p->times, values };
    if (p->between == SUP_INTERPOLATE_CUBIC) out->values = smooth_keys(p, values, width);
    return out->values ? SUP_OK : sup_fail_memory(p->error, "poses");
}

/// The rotations of a joint, each on the side of the one before; composed with the rest pose if nothing else moves it.
static sup_result put_turns(pose_keys* p, uint32_t joint, bool offsets, sup_channel* out)
{
    sup_quat* q = p->turns + (size_t)joint * p->count;
    sup_quat  rest = p->character->skeleton.joints[joint].rest.rotation;
    for (uint32_t k = 0; k < p->count; ++k) {
        q[k] = quat_normalize(offsets ? q[k] : quat_mul(rest, q[k]));
        if (k && quat_dot(q[k], q[k - 1]) < 0) q[k] = quat(-q[k].x, -q[k].y, -q[k].z, -q[k].w);
    }
    return put_channel(p, out, joint, SUP_PATH_ROTATION, &q->x);
}

static sup_result put_moves(pose_keys* p, uint32_t joint, bool offsets, sup_channel* out)
{
    sup_vec3* m = p->moves + (size_t)joint * p->count;
    for (uint32_t k = 0; k < p->count && !offsets; ++k)
        m[k] = v3_add(p->character->skeleton.joints[joint].rest.translation, m[k]);
    return put_channel(p, out, joint, SUP_PATH_TRANSLATION, &m->x);
}

static sup_result put_channels(pose_keys* p, bool offsets, sup_clip* out)
{
    uint32_t     joints = p->character->skeleton.joint_count, count = 0;
    sup_channel* channels = SUP_NEW(p->arena, sup_channel, 2 * (size_t)joints + 1);
    sup_result   r = channels ? SUP_OK : sup_fail_memory(p->error, "poses");
    for (uint32_t j = 0; j < joints && !r; ++j) {
        if (p->turned[j]) r = put_turns(p, j, offsets, &channels[count++]);
        if (p->moved[j] && !r) r = put_moves(p, j, offsets, &channels[count++]);
    }
    out->channels = channels;
    out->channel_count = count;
    return r;
}

// ---------------------------------------------------------------------------------------------- over a clip

typedef struct pose_sum {
    sup_pose under, by;
    uint32_t count;
    float*   times;
} pose_sum;

static bool replaces(const sup_clip* offsets, const sup_channel* c)
{
    for (uint32_t i = 0; i < offsets->channel_count; ++i)
        if (offsets->channels[i].target == c->target && offsets->channels[i].path == c->path) return true;
    return false;
}

/// Adds a channel's offset to the clip below at one of its times. `by` starts from the rest pose, as every sample does.
static void put_sum(const pose_sum* l, const sup_channel* c, uint32_t k, float* values)
{
    const sup_transform *under = &l->under.local[c->target], *by = &l->by.local[c->target];
    if (c->path == SUP_PATH_ROTATION) {
        sup_quat q = quat_normalize(quat_mul(under->rotation, by->rotation));
        memcpy(values + 4 * (size_t)k, &q, sizeof q);
    } else {
        sup_vec3 t = v3_add(under->translation, by->translation);
        memcpy(values + 3 * (size_t)k, &t, sizeof t);
    }
}

/// Even samples up to the end, and the keys themselves, so that each is hit exactly: merged as floats, where times that round
/// to the same float are one.
static bool merge_times(const pose_keys* p, double seconds, pose_sum* l)
{
    uint32_t even = (uint32_t)(seconds * OVER_RATE) + 1, key = 0;
    float    end = (float)seconds;
    l->times = SUP_NEW(p->arena, float, (size_t)even + p->count + 1);
    if (!l->times) return false;
    for (uint32_t k = 0; k <= even; ++k) {
        float sample = k < even ? (float)(k / OVER_RATE) : end;
        for (; key < p->count && p->times[key] <= sample; ++key)
            if (!l->count || p->times[key] > l->times[l->count - 1]) l->times[l->count++] = p->times[key];
        if (sample <= end && (!l->count || sample > l->times[l->count - 1])) l->times[l->count++] = sample;
    }
    return true;
}

static sup_result add_to_clip(pose_keys* p, const sup_clip* offsets, sup_clip* out)
{
    const sup_clip* below = p->over;
    pose_sum        l = { 0 };
    size_t          most = (size_t)below->channel_count + offsets->channel_count;
    sup_channel*    channels = SUP_NEW(p->arena, sup_channel, most + 1);
    if (!channels || !merge_times(p, out->seconds, &l)) return sup_fail_memory(p->error, "poses");
    sup_result r = sup_pose_create(p->character, p->arena, &l.under, p->error);
    if (!r) r = sup_pose_create(p->character, p->arena, &l.by, p->error);
    if (r) return r;
    uint32_t count = 0;
    for (uint32_t i = 0; i < below->channel_count; ++i)
        if (!replaces(offsets, &below->channels[i])) channels[count++] = below->channels[i];
    uint32_t first = count;
    for (uint32_t i = 0; i < offsets->channel_count; ++i) {
        sup_channel c = offsets->channels[i];
        c = (sup_channel){ c.target,
                           c.path,
                           SUP_INTERPOLATE_LINEAR,
                           l.count,
                           c.width,
                           l.times,
                           SUP_NEW(p->arena, float, (size_t)l.count* c.width) };
        if (!c.values) return sup_fail_memory(p->error, "poses");
        channels[count++] = c;
    }
    for (uint32_t k = 0; k < l.count; ++k) {
        sup_clip_sample(p->character, below, (double)l.times[k], &l.under);
        sup_clip_sample(p->character, offsets, (double)l.times[k], &l.by);
        for (uint32_t i = first; i < count; ++i) put_sum(&l, &channels[i], k, (float*)channels[i].values);
    }
    out->channels = channels;
    out->channel_count = count;
    return SUP_OK;
}

sup_result sup_clip_from_poses(const sup_character* character, const sup_json* tree, sup_arena* arena, sup_clip* out,
                               sup_error* error)
{
    SUP_ASSERT(character && arena && out);
    static const char* const names[] = { "supple_poses", "clip", "over", "between", "keys" };
    pose_keys                keys = { .character = character, .arena = arena, .error = error }, *p = &keys;
    sup_clip                 made = { .source_id = SUP_NONE };
    if (!tree || tree->type != SUP_JSON_OBJECT || sup_json_number(sup_json_get(tree, "supple_poses"), 0) != 1)
        return WRONG("poses: the file must be an object with \"supple_poses\": 1; see docs/poses.md");
    sup_result r = known_members(p, tree, names, 5, "files");
    if (!r) r = read_between(p, sup_json_get(tree, "between"));
    if (!r) r = read_over(p, sup_json_get(tree, "over"));
    if (!r) r = read_keys(p, sup_json_get(tree, "keys"));
    if (r) return r;
    const char* name = sup_json_string(sup_json_get(tree, "clip"), "poses");
    made.name = sup_arena_text(arena, name, strlen(name));
    if (!made.name) return sup_fail_memory(error, "poses");
    made.seconds = (double)p->times[p->count - 1];
    if (p->over && p->over->seconds > made.seconds) made.seconds = p->over->seconds;
    sup_clip offsets = made;
    r = put_channels(p, p->over != NULL, p->over ? &offsets : &made);
    if (!r && p->over) r = add_to_clip(p, &offsets, &made);
    if (!r) *out = made;
    return r;
}
