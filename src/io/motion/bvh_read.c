// BVH: motion capture as a hierarchy of offsets and a table of angles. It has no mesh: sup_retarget puts the motion on a
// character.
#include "io/motion/motion_file.h"
#include "io/path.h"
#include "io/recognize.h"
#include "io/words.h"
#include "math/trig.h"
#include "math/vec.h"

// Position channels replace the OFFSET: files that give them to every joint repeat the offset there, and roots with an offset
// repeat the first position.
typedef enum channel_kind { POSITION_X, POSITION_Y, POSITION_Z, ROTATION_X, ROTATION_Y, ROTATION_Z, OTHER } channel_kind;

typedef struct bvh_channel {
    uint32_t     joint;
    channel_kind kind;
} bvh_channel;

typedef struct bvh_joint {
    sup_mocap_joint joint;
    bool            moves, turns, has_offset;
    sup_quat*       rotations;
    sup_vec3*       translations;
} bvh_joint;

typedef struct bvh_reader {
    sup_words    words;
    sup_error*   error;
    sup_arena*   arena; // for the result
    sup_arena*   scratch;
    bvh_joint*   joints;
    uint32_t     joint_count, joint_most;
    uint32_t     kept; // joints of the first root
    uint32_t     roots;
    bvh_channel* channels;
    uint32_t     channel_count, channel_most;
    uint32_t     frame_count;
    double       frame_time;
    const char*  warnings[4];
    uint32_t     warning_count;
} bvh_reader;

#define BAD(...) sup_fail(r->error, SUP_ERROR_INPUT, __VA_ARGS__)

static void warn(bvh_reader* r, const char* text)
{
    if (r->warning_count < SUP_COUNT_OF(r->warnings)) r->warnings[r->warning_count++] = text;
}

// ---------------------------------------------------------------------------------------------- hierarchy

// Every joint has a brace and every channel a word that ends in "n", so the text bounds both.
static sup_result reserve(bvh_reader* r)
{
    uint32_t words = 0;
    for (const char* p = r->words.at; p < r->words.end; ++p) {
        if (words == UINT32_MAX / 2) return BAD("the file is larger than any motion; it is damaged");
        if (*p == '{') r->joint_most++;
        else if ((*p == 'n' || *p == 'N' || *p == 'e' || *p == 'E') && p + 1 < r->words.end &&
                 (words_blank(p[1]) || p[1] == '\n'))
            r->channel_most++;
        words++;
    }
    r->joints = SUP_NEW(r->scratch, bvh_joint, r->joint_most);
    r->channels = SUP_NEW(r->scratch, bvh_channel, r->channel_most);
    if (!r->joints || !r->channels) return sup_fail_memory(r->error, "a skeleton");
    return SUP_OK;
}

// The rest of the line up to a brace, trimmed: names may contain blanks.
static const char* read_name(bvh_reader* r)
{
    words_skip_blanks(&r->words);
    const char* begin = r->words.at;
    while (r->words.at < r->words.end && *r->words.at != '\n' && *r->words.at != '{') ++r->words.at;
    const char* end = r->words.at;
    while (end > begin && words_blank(end[-1])) --end;
    char* name = sup_arena_text(r->arena, begin, (size_t)(end - begin));
    if (name) sup_text_clean(name);
    return name;
}

static sup_result begin_joint(bvh_reader* r, uint32_t parent, bool end, uint32_t* out)
{
    const char* name = read_name(r);
    const char* word;
    if (!name) return sup_fail_memory(r->error, "a joint");
    size_t length = words_next(&r->words, &word);
    if (length == 0 || word[0] != '{') return BAD("line %zu: '{' must follow '%s'", r->words.line, name);
    r->words.at = word + 1;
    SUP_ASSERT(r->joint_count < r->joint_most);
    *out = r->joint_count++;
    r->joints[*out].joint = (sup_mocap_joint){ .name = name, .parent = parent, .end = end };
    return SUP_OK;
}

static sup_result read_offset(bvh_reader* r, bvh_joint* joint)
{
    double xyz[3];
    for (int i = 0; i < 3; ++i)
        if (!words_number(&r->words, &xyz[i]) || fabs(xyz[i]) > 1e9)
            return BAD("line %zu: the OFFSET of '%s' needs three numbers below 1e9", r->words.line, joint->joint.name);
    joint->joint.offset = v3((float)xyz[0], (float)xyz[1], (float)xyz[2]);
    joint->has_offset = true;
    return SUP_OK;
}

static bool channel_word(const char* word, size_t length, channel_kind* kind)
{
    static const char* const names[] = { "xposition", "yposition", "zposition", "xrotation", "yrotation", "zrotation" };
    for (int i = 0; i < 6; ++i)
        if (words_equal(word, length, names[i])) {
            *kind = (channel_kind)i;
            return true;
        }
    *kind = OTHER;
    return words_equal(word, length, "xscale") || words_equal(word, length, "yscale") || words_equal(word, length, "zscale");
}

static sup_result read_channels(bvh_reader* r, uint32_t index)
{
    bvh_joint* joint = &r->joints[index];
    uint32_t   promised = 0, found = 0;
    if (!words_count(&r->words, &promised))
        return BAD("line %zu: CHANNELS of '%s' needs a count and names", r->words.line, joint->joint.name);
    for (;;) {
        sup_words    before = r->words;
        const char*  word;
        channel_kind kind;
        size_t       length = words_next(&r->words, &word);
        if (!channel_word(word, length, &kind)) {
            r->words = before;
            break;
        }
        if (r->channel_count == r->channel_most) return BAD("line %zu: the file ends within CHANNELS", r->words.line);
        r->channels[r->channel_count++] = (bvh_channel){ index, kind };
        joint->moves |= kind <= POSITION_Z;
        joint->turns |= kind >= ROTATION_X && kind <= ROTATION_Z;
        found++;
    }
    if (found != promised)
        return BAD("line %zu: '%s' announces %u channels and names %u; correct the count or the names", r->words.line,
                   joint->joint.name, promised, found);
    return SUP_OK;
}

static sup_result begin_child(bvh_reader* r, uint32_t parent, bool end, uint32_t* current)
{
    const char* word;
    if (end) {
        size_t length = words_next(&r->words, &word);
        if (!words_equal(word, length, "site")) return BAD("line %zu: 'End' must be 'End Site'", r->words.line);
    }
    if (r->joints[parent].joint.end) return BAD("line %zu: an End Site cannot have joints", r->words.line);
    return begin_joint(r, parent, end, current);
}

// One ROOT with everything below it. Braces are matched without recursion, so depth costs nothing.
static sup_result read_root(bvh_reader* r)
{
    uint32_t   current = SUP_NONE;
    sup_result result = begin_joint(r, SUP_NONE, false, &current);
    while (result == SUP_OK && current != SUP_NONE) {
        const char* word;
        size_t      length = words_next(&r->words, &word);
        if (length == 0) return BAD("the file ends within '%s'; it is truncated", r->joints[current].joint.name);
        if (words_equal(word, length, "joint")) result = begin_child(r, current, false, &current);
        else if (words_equal(word, length, "end")) result = begin_child(r, current, true, &current);
        else if (words_equal(word, length, "offset")) result = read_offset(r, &r->joints[current]);
        else if (words_equal(word, length, "channels")) result = read_channels(r, current);
        else if (word[0] == '}') {
            r->words.at = word + 1;
            if (!r->joints[current].has_offset)
                return BAD("line %zu: '%s' has no OFFSET", r->words.line, r->joints[current].joint.name);
            current = r->joints[current].joint.parent;
        } else
            return BAD("line %zu: '%.*s' is not a JOINT, End Site, OFFSET, CHANNELS or '}'", r->words.line,
                       (int)(length < 40 ? length : 40), word);
    }
    return result;
}

static sup_result read_hierarchy(bvh_reader* r)
{
    const char* word;
    size_t      length = words_next(&r->words, &word);
    if (!words_equal(word, length, "hierarchy")) return BAD("this is not a BVH file: it must begin with HIERARCHY");
    for (;;) {
        length = words_next(&r->words, &word);
        if (words_equal(word, length, "motion")) break;
        if (length == 0) return BAD("the file ends before MOTION; it is truncated");
        if (!words_equal(word, length, "root")) return BAD("line %zu: expected ROOT or MOTION", r->words.line);
        sup_result result = read_root(r);
        if (result != SUP_OK) return result;
        if (r->roots++ == 0) r->kept = r->joint_count;
    }
    if (r->roots == 0) return BAD("line %zu: there is no ROOT before MOTION", r->words.line);
    if (r->roots > 1) warn(r, "the file has several skeletons; only the first is used");
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- motion

static sup_result read_head(bvh_reader* r, uint32_t* promised)
{
    const char* word;
    size_t      length = words_next(&r->words, &word);
    if (!words_equal(word, length, "frames:") || !words_count(&r->words, promised))
        return BAD("line %zu: 'Frames: N' must follow MOTION", r->words.line);
    length = words_next(&r->words, &word);
    bool good = words_equal(word, length, "frame");
    length = words_next(&r->words, &word);
    good = good && words_equal(word, length, "time:") && words_number(&r->words, &r->frame_time);
    if (!good) return BAD("line %zu: 'Frame Time: SECONDS' must follow the count of frames", r->words.line);
    if (!(r->frame_time >= 1e-6) || r->frame_time > 1e6)
        return BAD("line %zu: a frame of %g seconds cannot be played; write the seconds of a frame, like 0.0333333",
                   r->words.line, r->frame_time);
    return SUP_OK;
}

// The first listed rotation is the outermost.
static void turn(double q[4], channel_kind kind, double degrees)
{
    double half = degrees * (SUP_PI / 360.0), s = sup_sin(half), c = sup_cos(half);
    double x = q[0], y = q[1], z = q[2], w = q[3];
    switch (kind) {
    case ROTATION_X: q[0] = x * c + w * s, q[1] = y * c + z * s, q[2] = z * c - y * s, q[3] = w * c - x * s; break;
    case ROTATION_Y: q[0] = x * c - z * s, q[1] = y * c + w * s, q[2] = z * c + x * s, q[3] = w * c - y * s; break;
    default: q[0] = x * c + y * s, q[1] = y * c - x * s, q[2] = z * c + w * s, q[3] = w * c - z * s; break;
    }
}

static sup_result read_frame(bvh_reader* r, uint32_t frame, uint32_t promised)
{
    double   q[4] = { 0, 0, 0, 1 };
    uint32_t joint = SUP_NONE;
    for (uint32_t c = 0; c < r->channel_count; ++c) {
        const bvh_channel* channel = &r->channels[c];
        double             value;
        words_skip(&r->words);
        if (r->words.at == r->words.end)
            return BAD("frame %u of %u ends after %u of %u numbers: the file is truncated; record or copy it again", frame + 1,
                       promised, c, r->channel_count);
        if (!words_number(&r->words, &value) || fabs(value) > 1e9)
            return BAD("line %zu: number %u of frame %u is not a number below 1e9; repair the file", r->words.line, c + 1,
                       frame + 1);
        bvh_joint* target = &r->joints[channel->joint];
        if (channel->joint != joint) {
            joint = channel->joint;
            q[0] = q[1] = q[2] = 0, q[3] = 1;
            if (target->translations) target->translations[frame] = target->joint.offset;
        }
        if (channel->kind <= POSITION_Z && target->translations)
            (&target->translations[frame].x)[channel->kind - POSITION_X] = (float)value;
        if (channel->kind >= ROTATION_X && channel->kind <= ROTATION_Z && target->rotations) {
            turn(q, channel->kind, value);
            sup_quat now = quat_normalize(quat((float)q[0], (float)q[1], (float)q[2], (float)q[3]));
            if (frame && quat_dot(now, target->rotations[frame - 1]) < 0) now = quat(-now.x, -now.y, -now.z, -now.w);
            target->rotations[frame] = now;
        }
    }
    return SUP_OK;
}

static sup_result read_motion(bvh_reader* r)
{
    uint32_t   promised = 0;
    sup_result result = read_head(r, &promised);
    if (result != SUP_OK) return result;
    if (promised && r->channel_count == 0) return BAD("no joint has CHANNELS, so nothing moves in %u frames", promised);
    // A number takes two bytes, so the text bounds the frames that can be read, whatever the header promises.
    size_t   left = (size_t)(r->words.end - r->words.at);
    size_t   most = r->channel_count ? left / 2 / r->channel_count + 1 : 0;
    uint32_t capacity = promised < most ? promised : (uint32_t)most;
    for (uint32_t j = 0; j < r->kept; ++j) {
        bvh_joint* joint = &r->joints[j];
        if (joint->turns) joint->rotations = SUP_NEW(r->arena, sup_quat, capacity);
        if (joint->moves) joint->translations = SUP_NEW(r->arena, sup_vec3, capacity);
        if ((joint->turns && !joint->rotations) || (joint->moves && !joint->translations))
            return sup_fail_memory(r->error, "a motion");
    }
    for (uint32_t f = 0; f < promised; ++f) {
        // When the capacity is reached the text must end within this frame; there is no space for another.
        if (f == capacity)
            return BAD("frame %u of %u is missing: the file is truncated; record or copy it again", f + 1, promised);
        if ((result = read_frame(r, f, promised)) != SUP_OK) return result;
    }
    words_skip(&r->words);
    if (r->words.at < r->words.end) warn(r, "the file has more data than its frame count; the rest is left out");
    r->frame_count = promised;
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- whole file

static sup_result finish(bvh_reader* r, const char* path, sup_mocap* out)
{
    sup_mocap_joint* joints = SUP_NEW(r->arena, sup_mocap_joint, r->kept);
    const char*      name = sup_path_stem(r->arena, path);
    const char**     warnings = sup_arena_copy(r->arena, r->warnings, r->warning_count, sizeof *warnings);
    if (!joints || !name || !warnings) return sup_fail_memory(r->error, "a motion");
    for (uint32_t j = 0; j < r->kept; ++j) {
        joints[j] = r->joints[j].joint;
        joints[j].rotations = r->joints[j].rotations;
        joints[j].translations = r->joints[j].translations;
    }
    *out = (sup_mocap){ .name = name,
                        .joint_count = r->kept,
                        .joints = joints,
                        .frame_count = r->frame_count,
                        .frame_time = r->frame_time,
                        .warning_count = r->warning_count,
                        .warnings = warnings };
    return SUP_OK;
}

sup_result sup_bvh_parse(const char* path, sup_bytes bytes, sup_arena* arena, sup_mocap* out, sup_error* error)
{
    SUP_ASSERT(path && arena && out);
    bvh_reader r = { .words = words_begin(bytes.data, bytes.size), .error = error, .arena = arena };
    r.scratch = sup_arena_beside(arena);
    if (!r.scratch) return sup_fail_memory(error, "a motion");
    sup_result result = reserve(&r);
    if (result == SUP_OK) result = read_hierarchy(&r);
    if (result == SUP_OK) result = read_motion(&r);
    if (result == SUP_OK) result = finish(&r, path, out);
    sup_arena_destroy(r.scratch);
    return result;
}

static sup_result bvh_read(const sup_read_input* in, sup_character** out, sup_error* error)
{
    (void)out;
    const char* name = in->path + sup_path_folder(in->path);
    return sup_fail(error, SUP_ERROR_INPUT, "'%s' has motion but no mesh; play it on a character: --motion %s", in->path, name);
}

const sup_file_format sup_format_bvh = {
    .name = "bvh",
    .summary = "BVH: motion capture, for --motion",
    .endings = "bvh",
    .read = bvh_read,
    .recognize = bvh_recognize,
};
