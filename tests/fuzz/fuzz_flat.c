// Any sequence of calls of flat.h: live, freed and invented handles, right and wrong buffers, good and damaged descriptions. A
// refusal must come with a sentence, a text must be JSON, a skin must be finite, and a buffer of the wrong size stays as it
// was. A call takes bytes for one argument at most; the others come before it, because compilers order arguments as they like,
// and an input has to mean the same calls in all of them.
#include "fuzz.h"

#include "bindings/flat/flat.h"
#include "supple/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 12, CALLS_MAX = 48, RAW_MAX = 96, FLOATS_MAX = 4096, REPORTS_MAX = 40, INVENTED = 250 };

typedef enum op {
    OP_LOAD,
    OP_LOAD_BYTES,
    OP_DRAFT,
    OP_GIVE,
    OP_MAKE,
    OP_MAP,
    OP_EXAMPLE,
    OP_WEIGHTS,
    OP_CLIP,
    OP_MOTION,
    OP_WEIGH,
    OP_CHECK,
    OP_FIT,
    OP_WRITE,
    OP_PROP,
    OP_CHAIN,
    OP_DESCRIBE,
    OP_PLAY,
    OP_EVALUATE,
    OP_LIVE,
    OP_SET,
    OP_FORCES,
    OP_BODIES,
    OP_FELT,
    OP_HOLD,
    OP_HASH,
    OP_MEASURE,
    OP_ERRORS,
    OP_VALUES,
    OP_DISTANCES,
    OP_NORMALS,
    OP_DRAW,
    OP_BAKE,
    OP_ARRAY,
    OP_INSPECT,
    OP_LISTS,
    OP_FREE,
    OP_COUNT,
} op;

typedef struct run {
    const uint8_t *at, *end;
    flat_handle    session, slots[SLOTS];
    uint32_t       fresh, reports, frames; ///< the slot that the next handle gets; frames that were evaluated
    char           raw[RAW_MAX + 1];
    float          floats[FLOATS_MAX];
} run;

static uint32_t frames_evaluated;

// ---------------------------------------------------------------------------------------------- arguments out of bytes

static uint8_t byte_of(run* r) { return r->at < r->end ? *r->at++ : 0; }

static flat_handle handle_of(run* r)
{
    uint8_t which = byte_of(r);
    if (which < INVENTED) return which % (SLOTS + 1) == SLOTS ? r->session : r->slots[which % (SLOTS + 1)];
    flat_handle invented = 0;
    for (int i = 0; i < 4; ++i) invented = invented << 8 | byte_of(r);
    return invented;
}

/// One of the texts, bytes of the input, or NULL.
static const char* text_of(run* r, const char* const* texts, uint32_t count)
{
    uint32_t which = byte_of(r) % (count + 2);
    if (which < count) return texts[which];
    if (which > count) return NULL;
    uint32_t length = byte_of(r) % RAW_MAX;
    for (uint32_t i = 0; i < length; ++i) r->raw[i] = (char)byte_of(r);
    r->raw[length] = 0;
    return r->raw;
}
#define TEXT(r, list) text_of(r, list, sizeof(list) / sizeof *(list))

static double number_of(run* r)
{
    static const double numbers[] = { 0, 0.1, 0.4, 1, -1, 2.5, 1e-9, 500, 1e9, -1e300, 1e300, (double)NAN, (double)INFINITY };
    return numbers[byte_of(r) % (sizeof numbers / sizeof *numbers)];
}

/// Floats at their usual count, one too few, or none; some with numbers that nobody expects.
static const float* floats_of(run* r, uint64_t usual, uint64_t* count)
{
    static const float odd[] = { NAN, INFINITY, -INFINITY, 1e38f, -1e38f, 0, -0.0f, 1e-38f };
    uint8_t            kind = byte_of(r), seed = byte_of(r);
    *count = kind % 8 == 6 && usual ? usual - 1 : usual;
    if (*count > FLOATS_MAX) *count = FLOATS_MAX;
    if (kind % 8 == 7) return NULL;
    for (uint64_t i = 0; i < *count; ++i) r->floats[i] = (float)((i * 37 + seed) % 97) / 97.0f;
    if (kind >= 128 && *count) r->floats[seed % *count] = odd[seed % 8];
    return r->floats;
}

static uint64_t length_of(flat_handle handle, const char* array)
{
    uint64_t count = 0;
    (void)flat_array(handle, array, &count);
    return count;
}
static uint64_t points_of(flat_handle handle)
{
    uint64_t count = length_of(handle, "points");
    return count ? count : length_of(handle, "skin");
}

static int32_t report(void* user, double fraction, const char* what)
{
    run* r = user;
    if (!(fraction >= 0 && fraction <= 1) || !what) abort();
    return ++r->reports < REPORTS_MAX;
}

static int64_t read_beside(void* user, const char* path, uint8_t* out, uint64_t capacity)
{
    (void)user;
    if (strlen(path) % 3 == 0) return -1;
    if (!out) return 16;
    memset(out, 0, capacity < 16 ? (size_t)capacity : 16);
    return strlen(path) % 3 == 1 ? 16 : 5;
}

// ---------------------------------------------------------------------------------------------- promises

static void explained(flat_handle handle)
{
    const char* why = flat_error(handle);
    if (!why || !why[0]) abort();
}
static void kept(run* r, flat_handle made, flat_handle from)
{
    if (made) {
        flat_handle* slot = &r->slots[r->fresh++ % SLOTS];
        flat_free(*slot);
        *slot = made;
    } else explained(from);
}
static void status(int32_t code, flat_handle handle)
{
    if (code < FLAT_OK || code > FLAT_BUSY) abort();
    if (code) explained(handle);
}
static void text(const char* answer, flat_handle handle, bool json)
{
    if (!answer) {
        explained(handle);
        return;
    }
    if (!json) return;
    sup_arena* arena = sup_arena_create(NULL);
    sup_json*  tree = NULL;
    if (arena) {
        sup_error error = { 0 };
        if (sup_json_parse(answer, strlen(answer), "an answer", arena, &tree, &error) == SUP_ERROR_INPUT) abort();
    }
    sup_arena_destroy(arena);
}
static void finite_skin(run* r, flat_handle instance)
{
    uint64_t     count = 0;
    const float* skin = flat_array(instance, "skin", &count);
    for (uint64_t i = 0; skin && i < count; ++i)
        if (!isfinite(skin[i])) abort();
    ++r->frames;
}

/// Results go to the end of an own block, so that one float too many is seen; refused ones write nothing.
typedef struct target {
    float*   data;
    uint64_t count;
} target;
static target target_of(run* r, uint64_t usual)
{
    uint8_t kind = byte_of(r) % 8;
    target  t = { NULL, kind == 6 ? usual + 1 : kind == 5 && usual ? usual - 1 : usual };
    if (kind == 7 || t.count > FLOATS_MAX) return (target){ NULL, 0 };
    t.data = malloc(t.count * sizeof(float) + 1);
    for (uint64_t i = 0; t.data && i < t.count; ++i) t.data[i] = 7;
    return t;
}
static void done(target t, int32_t code)
{
    for (uint64_t i = 0; t.data && code && i < t.count; ++i)
        if (t.data[i] != 7) abort();
    free(t.data);
}

// ---------------------------------------------------------------------------------------------- calls

static const char* const sources[] = { "builtin:arm?points=100", "builtin:bar?points=100", "builtin:nothing", "no/such.glb" };
static const char* const chains[] = { "{\"links\":\"linear\",\"clip\":0}",
                                      "{\"links\":\"dualquat,smooth\",\"clip\":0}",
                                      "{\"links\":\"layers\",\"clip\":0,\"set\":[\"layers.gravity=1\"]}",
                                      "{\"links\":\"lattice\",\"clip\":0,\"world\":{\"gravity\":[0,-9,0]}}",
                                      "{\"links\":\"dualquat,wrinkle\",\"clip\":0}",
                                      "{\"links\":\"bend\",\"clip\":0}",
                                      "{\"links\":\"pose_space\",\"clip\":0}",
                                      "{\"links\":\"layers\",\"world\":{\"bodies\":[{\"mesh\":\"ball\"}]}}",
                                      "{\"links\":5}",
                                      "{\"links\":\"nothing\"}",
                                      "{\"clip\":\"nothing\",\"set\":{},\"preset\":[],\"world\":1,\"step\":1e-9}",
                                      "{\"cycle\":[1,0],\"step\":1e9}" };
static const char* const plays[] = { "{\"preroll\":0.1}",
                                     "{\"live\":true,\"clip\":null}",
                                     "{\"loop\":true,\"preroll\":0}",
                                     "{\"snapshots\":9999}",
                                     "{\"start\":1,\"end\":0}",
                                     "{\"start\":1e9}",
                                     "{\"preroll\":1e9}",
                                     "{\"snapshots\":2,\"preroll\":0.01}",
                                     "{\"live\":1}",
                                     "{\"loop\":true,\"live\":true}",
                                     "[]" };
static const char* const bakes[] = {
    "{\"fps\":5,\"end\":0.2,\"preroll\":0}",
    "{\"fps\":5,\"end\":0.2,\"preroll\":0,\"file\":\"a.glb\",\"memory\":true}",
    "{\"fps\":5,\"end\":0.2,\"preroll\":0,\"file\":\"a.gltf\",\"memory\":true,\"sparse\":true}",
    "{\"fps\":5,\"end\":0.2,\"preroll\":0,\"file\":\"a.abc\",\"memory\":true}",
    "{\"fps\":5,\"end\":0.2,\"preroll\":0,\"file\":\"a.usda\",\"memory\":true,\"flat\":true}",
    "{\"fps\":5,\"end\":0.2,\"preroll\":0,\"file\":\"a##.obj\",\"memory\":true}",
    "{\"memory\":true}",
    "{\"fps\":1e9}",
    "{\"start\":3,\"end\":1}",
    "{\"end\":1e4,\"fps\":60,\"preroll\":0}",
    "{\"file\":\"no/such/folder/a.glb\",\"end\":0}"
};
static const char* const arrays[] = { "points",
                                      "skin",
                                      "triangles",
                                      "vertex_points",
                                      "face_begin",
                                      "normals",
                                      "weight_begin",
                                      "weight_joints",
                                      "weight_values",
                                      "joint_rest",
                                      "colors",
                                      "map:soft",
                                      "joint_inverse_bind",
                                      "local",
                                      "draw_lines",
                                      "draw_names",
                                      "ripples",
                                      "times",
                                      "file:0",
                                      "file:99",
                                      "cell_centers",
                                      "morph_weights",
                                      "corner_vertices" };
static const char* const drafts[] = { "{\"joints\":[{\"name\":\"a\"},{\"name\":\"b\",\"parent\":\"a\"}]}",
                                      "{\"joints\":[{\"name\":\"a\"},{\"name\":\"b\",\"parent\":0}],\"weights\":\"automatic\"}",
                                      "{}",
                                      "{\"unit\":0}",
                                      "{\"parts\":[{\"weld\":true,\"joint\":1}],\"up\":\"z\"}",
                                      "{\"joints\":[{\"name\":\"a\",\"parent\":\"b\"},{\"name\":\"b\",\"parent\":\"a\"}]}",
                                      "{\"joints\":[{\"name\":\"a\",\"parent\":9}]}" };
static const char* const givens[] = { "points",       "corners",       "face_sizes",    "normals",
                                      "weight_begin", "weight_joints", "weight_values", "joint_rest",
                                      "map:soft",     "morph:m",       "points#2",      "joint_inverse_bind",
                                      "points#0",     "points#999999", "map:",          "nothing" };
static const char* const examples[] = { "{\"clip\":0,\"time\":0.4}", "{\"time\":0.4,\"rest_space\":true}", "{}",
                                        "{\"time\":-1}" };
static const char* const clips[] = { "{\"name\":\"made\"}", "{\"name\":\"again\",\"fps\":1e-9}", "{\"fps\":\"x\"}", NULL };
static const char* const fits[] = { "{\"bones\":2}", "{\"error\":0.01,\"bones\":3,\"flat\":true}", "{\"bones\":1e9}" };
static const char* const weighs[] = { "{\"cells\":6}", "{\"cells\":6,\"center\":true}", "{\"mask\":\"soft\",\"cells\":6}",
                                      "{\"cells\":6,\"keep_cells\":true,\"method\":\"diffuse\"}", "{\"cells\":1e9}" };
static const char* const checks[] = { "{\"chains\":[\"linear\"],\"top\":1,\"preroll\":0}", "{\"joints\":[\"nobody\"]}",
                                      "{\"chains\":[\"nothing\"]}", "{\"chains\":[1]}" };
static const char* const settings[] = {
    "layers.gravity", "smooth.step", "dualquat.blend", "lattice#1.stiffness", "linear#9.x", ".", ""
};
static const char* const forces[] = { "[]", "[{\"region\":\"*\",\"value\":[0,1,0]}]",
                                      "[{\"point\":1,\"radius\":0.1,\"spring\":{\"stiffness\":5},\"keys\":[]}]", "{}", "[" };
static const char* const bodies[] = { "[]", "[{\"sphere\":{\"center\":[0,0,0],\"radius\":0.1}}]", "[{}]", "3" };
static const char* const values[] = { "stretch", "roughness", "volume", "weight:forearm", "weight:", "map:soft", "x" };
static const char* const motions[] = { "{\"name\":\"taken\"}", "{\"map\":{\"a\":\"b\"}}", "{\"fps\":0}" };

static const char bvh[] =
    "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{\nOFFSET 0 1 0\n}\n}\n"
    "MOTION\nFrames: 2\nFrame Time: 0.1\n0 0 0\n1 2 3\n";
static const char ball[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";

static void give(run* r)
{
    // A bent strip of two quads on two joints; wrong bytes are floats as they come.
    static const float    points[] = { 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 2, 0, 1, 2, 0 };
    static const float    rest[] = { 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 0, 1, 0, 0, 0, 0, 1, 1, 1, 1 };
    static const uint32_t corners[] = { 0, 1, 2, 0, 2, 3, 3, 2, 5, 3, 5, 4 }, joints[] = { 0, 0, 0, 1, 1, 1, 1 },
                          begins[] = { 0, 1, 2, 3, 5, 6, 7 };
    flat_handle to = handle_of(r);
    const char* name = TEXT(r, givens);
    const struct {
        const char* name;
        const void* data;
        uint64_t    count;
    } good[] = { { "points", points, 18 },      { "points#2", points, 18 },     { "normals", points, 18 },
                 { "morph:m", points, 18 },     { "joint_rest", rest, 20 },     { "corners", corners, 12 },
                 { "weight_begin", begins, 7 }, { "weight_joints", joints, 7 }, { "weight_values", rest + 9, 7 },
                 { "map:soft", points, 6 } };
    bool odd = byte_of(r) > 200;
    for (size_t i = 0; name && !odd && i < sizeof good / sizeof *good; ++i)
        if (!strcmp(name, good[i].name)) {
            status(flat_give(to, name, good[i].data, good[i].count), to);
            return;
        }
    uint64_t     count;
    const float* any = floats_of(r, byte_of(r), &count);
    status(flat_give(to, name, any, count), to);
}

static void make_or_change(run* r, op which)
{
    uint64_t       count, more;
    flat_handle    h = which == OP_LOAD || which == OP_LOAD_BYTES || which == OP_DRAFT ? r->session : handle_of(r);
    const float *  given, *second;
    const char*    words;
    const uint8_t* bytes;
    switch (which) {
    case OP_LOAD: kept(r, flat_load(h, TEXT(r, sources), NULL, report, r), h); break;
    case OP_LOAD_BYTES: {
        uint32_t kind = byte_of(r) % 4, size = (uint32_t)(r->end - r->at);
        if (kind == 0) kept(r, flat_load_bytes(h, "ball.obj", (const uint8_t*)ball, sizeof ball - 1, NULL, read_beside, r), h);
        else if (kind == 1) kept(r, flat_load_bytes(h, "x.gltf", r->at, size, "{\"unit\":1}", read_beside, r), h);
        else if (kind == 2) kept(r, flat_load_bytes(h, "x.obj", NULL, size, "{\"up\":\"w\"}", NULL, NULL), h);
        else kept(r, flat_load_bytes(h, NULL, r->at, size, "{\"dress\":1,\"meshes\":[2]}", NULL, NULL), h);
        break;
    }
    case OP_DRAFT: kept(r, flat_draft(h), h); break;
    case OP_MAKE: kept(r, flat_make(h, TEXT(r, drafts), report, r), h); break;
    case OP_MAP:
        given = floats_of(r, points_of(h) / 3, &count);
        status(flat_map(h, byte_of(r) % 4 ? "soft" : NULL, given, count), h);
        break;
    case OP_EXAMPLE:
        words = TEXT(r, examples);
        given = floats_of(r, points_of(h), &count);
        status(flat_example(h, words, given, count), h);
        break;
    case OP_WEIGHTS: {
        uint64_t        begins, joints;
        const uint32_t *begin = flat_array(h, "weight_begin", &begins), *joint = flat_array(h, "weight_joints", &joints);
        given = floats_of(r, joints, &count);
        status(flat_weights(h, begin, begins, joint, given, count), h);
        break;
    }
    case OP_CLIP:
        words = TEXT(r, clips);
        given = floats_of(r, 2 * length_of(h, "joint_rest"), &count);
        second = byte_of(r) % 4 ? NULL : given;
        status(flat_clip(h, words, given, count, second, byte_of(r)), h);
        break;
    case OP_MOTION:
        bytes = byte_of(r) % 4 ? (const uint8_t*)bvh : NULL;
        text(flat_motion(h, "a.bvh", bytes, sizeof bvh - 1, TEXT(r, motions), NULL, NULL), h, true);
        break;
    case OP_WEIGH:
        words = TEXT(r, weighs);
        kept(r, flat_weigh(h, byte_of(r) % 4 ? NULL : "a.bvh", (const uint8_t*)bvh, sizeof bvh - 1, words, report, r), h);
        break;
    case OP_CHECK: text(flat_check(h, TEXT(r, checks), report, r), h, true); break;
    case OP_FIT:
        words = TEXT(r, fits);
        given = floats_of(r, 2 * points_of(h), &count);
        kept(r, flat_fit(h, words, given, count, report, r), h);
        break;
    case OP_WRITE:
        bytes = flat_write(h, &more);
        if (bytes) kept(r, flat_load_bytes(r->session, "again.glb", bytes, more, NULL, NULL, NULL), r->session);
        else explained(h);
        break;
    case OP_PROP:
        words = byte_of(r) % 4 ? "ball" : "";
        status(flat_prop(h, words, byte_of(r) % 4 ? (const uint8_t*)ball : NULL, sizeof ball - 1), h);
        break;
    default: break;
    }
}

static void play(run* r, op which)
{
    flat_handle  h = handle_of(r);
    uint64_t     count;
    const float* given;
    const char*  words;
    target       out = { NULL, 0 };
    int32_t      code = FLAT_OK;
    double       x;
    switch (which) {
    case OP_CHAIN: kept(r, flat_chain(h, TEXT(r, chains), report, r), h); break;
    case OP_DESCRIBE: text(flat_describe(h), h, true); break;
    case OP_PLAY: kept(r, flat_play(h, TEXT(r, plays)), h); break;
    case OP_EVALUATE:
        x = number_of(r);
        out = target_of(r, length_of(h, "skin"));
        code = flat_evaluate(h, x, out.data, out.count);
        if (!code) finite_skin(r, h);
        break;
    case OP_LIVE:
        x = number_of(r);
        given = flat_array(handle_of(r), "joint_rest", &count);
        if (byte_of(r) % 4 == 3) given = floats_of(r, count, &count);
        out = target_of(r, length_of(h, "skin"));
        code = flat_live(h, x, given, count, NULL, 0, byte_of(r) % 3 == 0, out.data, out.count);
        if (!code) finite_skin(r, h);
        break;
    case OP_SET:
        words = TEXT(r, settings);
        code = flat_set(h, words, number_of(r));
        break;
    case OP_FORCES:
        words = TEXT(r, forces);
        code = flat_forces(h, words, number_of(r));
        break;
    case OP_BODIES:
        words = TEXT(r, bodies);
        code = flat_bodies(h, words, number_of(r));
        break;
    case OP_FELT:
        if (!isfinite(flat_felt(h, byte_of(r)))) abort();
        break;
    case OP_HOLD: code = flat_hold(h, number_of(r)); break;
    case OP_BAKE: kept(r, flat_bake(h, TEXT(r, bakes), report, r), h); break;
    default: break;
    }
    status(code, h);
    done(out, code);
}

static void ask(run* r, op which)
{
    flat_handle  h = handle_of(r);
    uint64_t     count, usual = length_of(h, "skin");
    const float* given;
    const char*  words;
    uint32_t     link;
    target       out = { NULL, 0 };
    int32_t      code = FLAT_OK;
    switch (which) {
    case OP_HASH: text(flat_hash(h), h, false); break;
    case OP_MEASURE: text(flat_measure(h), h, true); break;
    case OP_ERRORS:
        given = floats_of(r, usual, &count);
        text(flat_errors(h, given, count), h, true);
        break;
    case OP_VALUES:
        words = TEXT(r, values);
        out = target_of(r, usual / 3);
        code = flat_values(h, words, out.data, out.count);
        break;
    case OP_DISTANCES:
        given = floats_of(r, usual, &count);
        out = target_of(r, usual / 3);
        code = flat_distances(h, given, count, out.data, out.count);
        break;
    case OP_NORMALS:
        out = target_of(r, usual);
        code = flat_normals(h, out.data, out.count);
        break;
    case OP_DRAW:
        link = byte_of(r) % 5;
        code = flat_draw(h, link, byte_of(r) % 2 ? NULL : "cells");
        break;
    case OP_ARRAY: (void)flat_array(h, TEXT(r, arrays), &count); break;
    case OP_INSPECT: text(flat_inspect(h), h, true); break;
    case OP_LISTS:
        text(flat_deformers(h), h, true);
        text(flat_builtins(h), h, true);
        break;
    case OP_FREE: (void)flat_free(h == r->session ? 0 : h); break;
    default: break;
    }
    status(code, h);
    done(out, code);
}

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size)
{
    static run r;
    memset(&r, 0, sizeof r);
    r.at = bytes, r.end = bytes + size;
    r.session = flat_open(1);
    for (int i = 0; i < CALLS_MAX && r.at < r.end; ++i) {
        op which = (op)(byte_of(&r) % OP_COUNT);
        r.reports = 0;
        if (which == OP_GIVE) give(&r);
        else if (which < OP_CHAIN) make_or_change(&r, which);
        else if (which <= OP_HOLD || which == OP_BAKE) play(&r, which);
        else ask(&r, which);
    }
    for (int i = 0; i < SLOTS; ++i) (void)flat_free(r.slots[i]);
    (void)flat_free(r.session);
    frames_evaluated = r.frames;
    return 0;
}

// ---------------------------------------------------------------------------------------------- seeds

bool     fuzz_accepted(void) { return frames_evaluated > 0; }
uint32_t fuzz_cost(void) { return 20; }

void fuzz_seeds(fuzz_seed_fn* seed, void* user)
{
    // Slot 0 gets the character, 1 the chain, 2 the instance. Every chain of the table, with everything that asks.
    for (uint8_t chain = 0; chain < 7; ++chain) {
        const uint8_t calls[] = {
            OP_LOAD,     0,          OP_EXAMPLE, 0,       0,           0,           3,         OP_MAP,   0,          0,
            5,           1,          OP_CHAIN,   0,       chain,       OP_DESCRIBE, 1,         OP_PLAY,  1,          0,
            OP_EVALUATE, 2,          1,          0,       OP_EVALUATE, 2,           2,         7,        OP_MEASURE, 2,
            OP_HASH,     2,          OP_VALUES,  2,       0,           0,           OP_VALUES, 2,        2,          0,
            OP_NORMALS,  2,          0,          OP_DRAW, 2,           1,           1,         OP_ARRAY, 2,          16,
            OP_SET,      2,          0,          1,       OP_EVALUATE, 2,           1,         0,        OP_BAKE,    1,
            chain,       OP_INSPECT, 3,          OP_FREE, 0,           OP_EVALUATE, 2,         0,        0
        };
        seed(user, calls, sizeof calls);
    }
    static const uint8_t live[] = { OP_LOAD,
                                    1,
                                    OP_CHAIN,
                                    0,
                                    3,
                                    OP_PLAY,
                                    1,
                                    1,
                                    OP_LIVE,
                                    2,
                                    1,
                                    0,
                                    0,
                                    0,
                                    0,
                                    OP_EVALUATE,
                                    2,
                                    1,
                                    0,
                                    OP_LIVE,
                                    2,
                                    1,
                                    0,
                                    0,
                                    0,
                                    1,
                                    OP_LIVE,
                                    2,
                                    2,
                                    0,
                                    3,
                                    130,
                                    1,
                                    0,
                                    0,
                                    OP_FORCES,
                                    2,
                                    1,
                                    0,
                                    OP_BODIES,
                                    2,
                                    0,
                                    0,
                                    OP_FELT,
                                    2,
                                    0,
                                    OP_ERRORS,
                                    2,
                                    0,
                                    1,
                                    OP_DISTANCES,
                                    2,
                                    0,
                                    1,
                                    0 };
    static const uint8_t made[] = {
        OP_DRAFT, OP_GIVE, 0, 0,           0,        OP_GIVE, 0, 1,        0, OP_GIVE, 0, 4,          0, OP_GIVE,  0, 5,
        0,        OP_GIVE, 0, 6,           0,        OP_GIVE, 0, 7,        0, OP_GIVE, 0, 8,          0, OP_GIVE,  0, 9,
        0,        OP_MAKE, 0, 0,           OP_CLIP,  1,       0, 0,        3, 1,       0, OP_WRITE,   1, OP_CHAIN, 1, 1,
        OP_PLAY,  3,       0, OP_EVALUATE, 4,        1,       0, OP_WEIGH, 1, 0,       1, OP_WEIGHTS, 1, 0,        3, OP_FIT,
        1,        0,       0, 7,           OP_CHECK, 1,       0
    };
    static const uint8_t rigs[] = { OP_LOAD,  0, OP_PROP,   0, 1, 1, OP_CHAIN, 0, 0, OP_PLAY, 1,        2,  OP_EVALUATE,   2,
                                    1,        0, OP_MOTION, 0, 1, 0, OP_WEIGH, 0, 0, 1,       OP_LISTS, 12, OP_LOAD_BYTES, 0,
                                    OP_CHECK, 0, 0 };
    seed(user, live, sizeof live);
    seed(user, made, sizeof made);
    seed(user, rigs, sizeof rigs);
}
