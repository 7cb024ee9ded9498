// Drops keys that interpolation reproduces: all but one of a constant, and of rotations those that the arc between other keys
// passes within the step that rotations are rounded to anyway.
#include "base/internal.h"
#include "io/gltf/gltf_pack.h"

#include <math.h>
#include <string.h>

enum { WORTH = 300, KEY = 4 }; // bytes that a separate time accessor takes in the document; bytes of a packed rotation

typedef struct thinner {
    gltf_edit* edit;
    sup_bytes  binary;
    sup_arena* work;
    uint32_t   accessor_count, view_count;
    sup_json** accessors;
    sup_json** views;
    double     turn;   // tolerance of rotations
    uint32_t*  single; // accessor with only the first time, by the accessor of all times; SUP_NONE: not made yet
} thinner;

// The floats of an accessor, tightly packed; NULL: it has another layout.
static const float* floats_of(const thinner* t, uint32_t index, uint32_t width)
{
    static const char* const types[] = { "", "SCALAR", "VEC2", "VEC3", "VEC4" };
    const sup_json*          a = index < t->accessor_count ? t->accessors[index] : NULL;
    uint64_t                 view = gltf_number_of(a, "bufferView");
    if (!a || !sup_json_get(a, "bufferView") || view >= t->view_count || sup_json_get(a, "sparse")) return NULL;
    if (gltf_number_of(a, "componentType") != GLTF_FLOAT ||
        strcmp(sup_json_string(sup_json_get(a, "type"), ""), types[width]) != 0)
        return NULL;
    if (sup_json_get(t->views[view], "byteStride") && gltf_number_of(t->views[view], "byteStride") != 4 * width) return NULL;
    uint64_t at = gltf_number_of(t->views[view], "byteOffset") + gltf_number_of(a, "byteOffset"),
             bytes = gltf_number_of(a, "count") * width * sizeof(float);
    return at % 4 == 0 && at + bytes <= t->binary.size ? (const float*)(const void*)(t->binary.data + at) : NULL;
}

static bool never_changes(const float* values, uint32_t keys, uint32_t width)
{
    for (uint32_t k = 1; k < keys; ++k)
        if (memcmp(values, values + (size_t)k * width, width * sizeof *values) != 0) return false;
    return true;
}

// Whether key b lies on the arc from a to c at its time.
static bool lies_between(const thinner* t, const float* times, const float* q, uint32_t a, uint32_t b, uint32_t c)
{
    double ratio = ((double)times[b] - (double)times[a]) / ((double)times[c] - (double)times[a]), dot = 0, length = 0, off = 0,
           arc[4];
    for (int i = 0; i < 4; ++i) dot += (double)q[4 * a + i] * (double)q[4 * c + i];
    if (!(fabs(dot) > 0.9)) return false; // far apart, slerp and linear interpolation differ
    for (int i = 0; i < 4; ++i) {
        arc[i] = (1 - ratio) * (double)q[4 * a + i] + (dot < 0 ? -ratio : ratio) * (double)q[4 * c + i];
        length += arc[i] * arc[i];
    }
    length = sqrt(length);
    double same = 0;
    for (int i = 0; i < 4; ++i) same += arc[i] * (double)q[4 * b + i];
    for (int i = 0; i < 4; ++i) {
        double d = (same < 0 ? -arc[i] : arc[i]) / length - (double)q[4 * b + i];
        off += d * d;
    }
    // A straight line across an arc of angle w is off by less than w^3 / 100 in time: added to the rest, it must be within the
    // tolerance.
    double angle2 = 2 * (1 - fabs(dot));
    return sqrt(off) + angle2 * sqrt(angle2 < 0 ? 0 : angle2) / 100 <= t->turn;
}

static bool all_between(const thinner* t, const float* times, const float* q, uint32_t a, uint32_t c)
{
    for (uint32_t b = c - 1; b > a; --b)
        if (!lies_between(t, times, q, a, b, c)) return false;
    return true;
}

// The keys to keep, first and last always. Each jumps as far as all keys between can be dropped: the distance doubles while
// that works, then bisects, so that the work is linear in the number of keys.
static uint32_t choose_keys(const thinner* t, const float* times, const float* q, uint32_t keys, uint32_t* kept)
{
    enum { FAR = 64 };
    uint32_t count = 0;
    for (uint32_t a = 0; a < keys;) {
        uint32_t good = 1, bad = keys - a < FAR + 1 ? keys - a : FAR + 1; // jump lengths; one to the next key always works
        kept[count++] = a;
        while (2 * good < bad && all_between(t, times, q, a, a + 2 * good)) good *= 2;
        if (2 * good < bad) bad = 2 * good;
        while (bad - good > 1) {
            uint32_t leap = (good + bad) / 2;
            if (all_between(t, times, q, a, a + leap)) good = leap;
            else bad = leap;
        }
        a += good;
    }
    return count;
}

static void put_sampler(thinner* t, sup_json* sampler, const float* times, const float* values, uint32_t width,
                        const uint32_t* kept, uint32_t count)
{
    gltf_edit* edit = t->edit;
    uint32_t input = sup_json_index(sup_json_get(sampler, "input"), 0), short_input = count == 1 ? t->single[input] : SUP_NONE;
    float*   own_times = SUP_NEW(edit->arena, float, count);
    float*   own = SUP_NEW(edit->arena, float, (size_t)width* count);
    edit->failed |= !own_times || !own;
    if (edit->failed) return;
    for (uint32_t k = 0; k < count; ++k) {
        own_times[k] = times[kept[k]];
        memcpy(own + (size_t)k * width, values + (size_t)kept[k] * width, width * sizeof *own);
    }
    if (short_input == SUP_NONE) short_input = gltf_edit_floats(edit, own_times, count, 1, 0, true);
    if (count == 1) t->single[input] = short_input;
    gltf_edit_number(edit, sampler, "input", short_input);
    gltf_edit_number(edit, sampler, "output", gltf_edit_floats(edit, own, count, width, 0, false));
}

static void thin_sampler(thinner* t, sup_json* sampler, const char* path)
{
    bool         turns = strcmp(path, "rotation") == 0;
    uint32_t     width = turns ? 4 : 3, input = sup_json_index(sup_json_get(sampler, "input"), SUP_NONE);
    const char*  interpolation = sup_json_string(sup_json_get(sampler, "interpolation"), "LINEAR");
    const float* times = floats_of(t, input, 1);
    const float* values = floats_of(t, sup_json_index(sup_json_get(sampler, "output"), SUP_NONE), width);
    if (!times || !values || strcmp(interpolation, "CUBICSPLINE") == 0) return;
    uint32_t keys = (uint32_t)gltf_number_of(t->accessors[input], "count"), first = 0;
    uint64_t stored = gltf_number_of(t->accessors[sup_json_index(sup_json_get(sampler, "output"), 0)], "count");
    if (keys < 2 || stored != keys) return;
    if (never_changes(values, keys, width)) {
        put_sampler(t, sampler, times, values, width, &first, 1);
        return;
    }
    if (!turns || !(t->turn > 0) || strcmp(interpolation, "LINEAR") != 0) return;
    uint32_t* kept = SUP_NEW(t->work, uint32_t, keys);
    uint32_t  count = kept ? choose_keys(t, times, values, keys, kept) : keys;
    if (KEY * (uint64_t)(keys - count) > WORTH + 2 * (uint64_t)count)
        put_sampler(t, sampler, times, values, width, kept, count);
}

static bool is_moved_by(const char* path)
{
    return strcmp(path, "rotation") == 0 || strcmp(path, "translation") == 0 || strcmp(path, "scale") == 0;
}

// A sampler that several channels share stays unchanged.
static void thin_animation(thinner* t, sup_json* animation)
{
    uint32_t   count;
    sup_json** samplers = gltf_edit_items(t->edit, gltf_edit_get(animation, "samplers"), &count);
    uint8_t*   users = SUP_NEW(t->work, uint8_t, count);
    sup_json*  channels = gltf_edit_get(animation, "channels");
    if (!samplers || !users || !channels) return;
    for (int pass = 0; pass < 2; ++pass)
        for (sup_json* c = channels->first; c && !t->edit->failed; c = c->next) {
            uint32_t    index = sup_json_index(sup_json_get(c, "sampler"), SUP_NONE);
            const char* path = sup_json_string(sup_json_get(sup_json_get(c, "target"), "path"), "");
            if (index >= count) continue;
            if (pass == 0) users[index] = (uint8_t)(users[index] < 2 ? users[index] + 1 : 2);
            else if (users[index] == 1 && is_moved_by(path)) thin_sampler(t, samplers[index], path);
        }
    // The interpolation removed here is the default.
    for (uint32_t i = 0; i < count; ++i)
        if (strcmp(sup_json_string(sup_json_get(samplers[i], "interpolation"), ""), "LINEAR") == 0)
            sup_json_remove(samplers[i], "interpolation");
}

sup_result gltf_thin(gltf_edit* edit, double turn, sup_error* error)
{
    thinner t = { .edit = edit, .turn = turn, .work = sup_arena_beside(edit->arena) };
    if (!gltf_prunable(edit->root)) {
        sup_arena_destroy(t.work);
        return SUP_OK;
    }
    sup_json* animations = gltf_edit_get(edit->root, "animations");
    bool      ready = t.work && gltf_edit_gather(edit, &t.binary);
    if (ready) {
        t.accessors = gltf_edit_items(edit, gltf_edit_get(edit->root, "accessors"), &t.accessor_count);
        t.views = gltf_edit_items(edit, gltf_edit_get(edit->root, "bufferViews"), &t.view_count);
        t.single = SUP_NEW(t.work, uint32_t, t.accessor_count + 1);
        ready = t.single != NULL;
    }
    for (uint32_t i = 0; ready && i < t.accessor_count; ++i) t.single[i] = SUP_NONE;
    for (sup_json* a = animations ? animations->first : NULL; a && ready && !edit->failed; a = a->next) thin_animation(&t, a);
    sup_arena_destroy(t.work);
    return ready && !edit->failed ? SUP_OK : sup_fail_memory(error, "the keys of a GLB");
}
