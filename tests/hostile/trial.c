// One damaged character, read and put through everything that binds.
#include "hostile.h"

#include "supple/deformer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MEMORY_MAX = 1 << 30, PATH_ROOM = 512, PLAYED_POINTS = 2500, FINER_TRIANGLES = 3000 };

char trial_stage[128];

typedef struct trial {
    const hostile_case*  one;
    const trial_options* options;
    trial_counts*        counts;
    chance               chance;
    clock_t              begin, stage_begin;
    char                 slow[sizeof trial_stage + 32]; ///< the stage that took longest beyond what one may take
    double               slowest;
    size_t               live;
    sup_allocator        memory;
    sup_files            files;
    sup_arena*           arena;
    sup_character*       character;
    sup_clip             clip;     ///< what is played
    sup_vec3*            plain[4]; ///< linear blend skinning at the times of TIMES
    char*                why;
} trial;

static const double TIMES[] = { 0, 0.02, 0.1, 0.02 }; // forwards, and back
enum { FIRST_AT = 1, AGAIN_AT = 3 };                  // of the same time

static bool broken(trial* t, const char* what, const char* detail)
{
    snprintf(t->why, HOSTILE_WORDS, "%s: %s%s%s", trial_stage, what, detail[0] ? ": " : "", detail);
    return false;
}

// A frame's work grows with the points, and damage may make ten of each; everything else has a bound that does not.
static double allowed(const trial* t)
{
    bool playing = strncmp(trial_stage, "playing", 7) == 0 && t->character;
    return t->options->stage * (playing ? fmax(1, t->character->mesh.point_count / (double)PLAYED_POINTS) : 1);
}

// Ends the stage before, and begins one. A slow stage does not end the case: another may be slow as well.
static void stage(trial* t, const char* what, const char* of)
{
    clock_t now = clock();
    double  took = (double)(now - t->stage_begin) / CLOCKS_PER_SEC;
    if (t->options->say && took >= 1) printf("  %s: %.1f s\n", trial_stage, took);
    if (took > allowed(t) && ++t->counts->slow && took > t->slowest) {
        snprintf(t->slow, sizeof t->slow, "%s took %.1f s", trial_stage, took);
        t->slowest = took;
    }
    t->stage_begin = now;
    snprintf(trial_stage, sizeof trial_stage, "%s%s%s", what, of[0] ? " " : "", of);
}

// ---------------------------------------------------------------------------------------------- hooks

static void* allocate(void* user, size_t bytes)
{
    trial* t = user;
    void*  memory = bytes <= MEMORY_MAX - t->live ? malloc(bytes) : NULL;
    if (memory) t->live += bytes;
    return memory;
}

static void release(void* user, void* memory, size_t bytes)
{
    ((trial*)user)->live -= bytes;
    free(memory);
}

static sup_result read_bytes(void* user, const char* path, sup_arena* arena, sup_bytes* out, sup_error* error)
{
    const trial* t = user;
    sup_bytes    from = strcmp(path, "case.tgf") == 0 ? t->one->skeleton : t->one->file;
    if (strncmp(path, "case.", 5) != 0) return sup_fail(error, SUP_ERROR_FILE, "there is no file '%s'", path);
    *out = (sup_bytes){ sup_arena_copy(arena, from.data, from.size, 1), from.size };
    return out->data ? SUP_OK : sup_fail(error, SUP_ERROR_MEMORY, "no memory for '%s'", path);
}

static double seconds_since(const trial* t) { return (double)(clock() - t->begin) / CLOCKS_PER_SEC; }

static bool go_on(void* user, double fraction, const char* what)
{
    (void)fraction, (void)what;
    const trial* t = user;
    return seconds_since(t) < t->options->seconds;
}

static bool in_time(trial* t)
{
    char seconds[32];
    snprintf(seconds, sizeof seconds, "%.1f s", seconds_since(t));
    return seconds_since(t) < t->options->seconds || broken(t, "over the budget", seconds);
}

// An error is fine where it is one: a code, and words.
static bool refused_well(trial* t, sup_result result, const sup_error* error)
{
    if (error->code != result || !error->text[0]) return broken(t, "refused without a sentence", "");
    if (t->options->say) printf("  %s: %s\n", trial_stage, error->text);
    if (error->code == SUP_ERROR_CANCELLED) return in_time(t) && broken(t, "cancelled, and nobody asked for it", error->text);
    return in_time(t);
}

// ---------------------------------------------------------------------------------------------- character

// As the command line attaches a skeleton of edges, and weighs it.
static sup_result attach(trial* t, sup_error* error)
{
    sup_rig          rig;
    sup_load_options options = { .files = &t->files, .allocator = &t->memory };
    sup_character*   made = NULL;
    stage(t, "reading the skeleton", "");
    sup_result result = sup_rig_load("case.tgf", &options, t->arena, &rig, error);
    if (result != SUP_OK) return result;
    sup_joint* joints = sup_arena_alloc(t->arena, rig.bone_count, sizeof *joints);
    if (!joints) return sup_fail(error, SUP_ERROR_MEMORY, "no memory for joints");
    for (uint32_t b = 0; b < rig.bone_count; ++b) {
        const sup_rig_bone* bone = &rig.bones[b];
        sup_vec3            above = { 0, 0, 0 }, at = bone->head;
        if (bone->parent != SUP_NONE) above = rig.bones[bone->parent].head;
        joints[b] = (sup_joint){ .name = bone->name, .parent = bone->parent, .skin_joint = true, .source_id = b };
        joints[b].rest = (sup_transform){ { at.x - above.x, at.y - above.y, at.z - above.z }, { 0, 0, 0, 1 }, { 1, 1, 1 } };
        joints[b].inverse_bind = (sup_affine){ { { 1, 0, 0, -at.x }, { 0, 1, 0, -at.y }, { 0, 0, 1, -at.z } } };
    }
    stage(t, "attaching the skeleton", "");
    result = sup_skeleton_attach(t->character, rig.bone_count, joints, &t->memory, &made, error);
    if (result != SUP_OK) return result;
    sup_character_inherit(made, t->character);
    t->character = made;
    sup_auto_weights done;
    stage(t, "weighing", "");
    return sup_character_weigh(t->character, 0, NULL, NULL, &done, error);
}

// A motion for everybody: each joint turns to somewhere in a tenth of a second.
static sup_result add_sweep(trial* t, sup_error* error)
{
    const sup_skeleton* s = &t->character->skeleton;
    static const float  times[2] = { 0, 0.1f };
    sup_channel*        channels = sup_arena_alloc(t->arena, s->joint_count, sizeof *channels);
    float*              values = sup_arena_alloc(t->arena, 8 * (size_t)s->joint_count, sizeof *values);
    if (!channels || !values) return sup_fail(error, SUP_ERROR_MEMORY, "no memory for a clip");
    for (uint32_t j = 0; j < s->joint_count; ++j) {
        float* v = values + 8 * (size_t)j;
        memcpy(v, &s->joints[j].rest.rotation, 4 * sizeof *v);
        for (int k = 4; k < 8; ++k) v[k] = chance_float(&t->chance, -1, 1);
        channels[j] =
            (sup_channel){ .target = j, .path = SUP_PATH_ROTATION, .key_count = 2, .width = 4, .times = times, .values = v };
    }
    stage(t, "adding a clip", "");
    sup_clip clip = {
        .name = "sweep", .seconds = 0.1, .channel_count = s->joint_count, .channels = channels, .source_id = SUP_NONE
    };
    return sup_character_add_clip(t->character, &clip, error);
}

// A sculpt where the file brings none, for deformers that need one.
static void add_example(trial* t)
{
    sup_character* c = t->character;
    if (c->example_count) return;
    sup_example* example = sup_arena_alloc(c->arena, 1, sizeof *example);
    sup_vec3*    points = sup_arena_copy(c->arena, c->mesh.points, c->mesh.point_count, sizeof *points);
    if (!example || !points) return;
    for (uint32_t i = 0; i < c->mesh.point_count; ++i) points[i].x += chance_float(&t->chance, -0.01f, 0.01f);
    *example = (sup_example){ .name = "sculpt", .time = 0.05, .in_rest_space = true, .points = points };
    c->examples = example;
    c->example_count = 1;
}

static sup_result read_character(trial* t, sup_error* error)
{
    sup_load_options options = { .files = &t->files, .allocator = &t->memory };
    stage(t, "reading", "");
    sup_result result = sup_load(t->one->skeleton.data ? "case.obj" : "case.glb", &options, &t->character, error);
    if (result == SUP_OK && t->one->skeleton.data) result = attach(t, error);
    if (result != SUP_OK) return result;
    sup_character* c = t->character;
    bool           own = c->clip_count && chance_one_in(&t->chance, 2);
    uint32_t       chosen = own ? chance_below(&t->chance, c->clip_count) : c->clip_count;
    result = add_sweep(t, error);
    if (result == SUP_OK) t->clip = c->clips[chosen];
    add_example(t);
    return result;
}

// ---------------------------------------------------------------------------------------------- weights

static bool try_weights(trial* t)
{
    const sup_character*     c = t->character;
    sup_error                error = { 0 };
    sup_auto_weights         out;
    sup_auto_weights_options options = { .method = chance_one_in(&t->chance, 2) ? SUP_WEIGHTS_SCREENED : SUP_WEIGHTS_DIFFUSE,
                                         .cells = chance_one_in(&t->chance, 2) ? 0 : 4 + chance_below(&t->chance, 40) };
    stage(t, "automatic weights", "");
    sup_result result =
        sup_weights_automatic(&c->mesh, c->skeleton.bone_count, c->skeleton.bones, &options, t->arena, &out, &error);
    if (result != SUP_OK) return refused_well(t, result, &error);
    for (uint32_t p = 0; p < c->mesh.point_count; ++p) {
        double sum = 0;
        for (uint32_t k = out.weights.begin[p]; k < out.weights.begin[p + 1]; ++k) sum += (double)out.weights.values[k];
        if (!(fabs(sum - 1) < 1e-3)) return broken(t, "weights that do not sum to 1", "");
    }
    return in_time(t);
}

static bool try_center(trial* t)
{
    const sup_character* c = t->character;
    uint32_t             count = c->skeleton.joint_count;
    sup_error            error = { 0 };
    sup_center           centered;
    sup_turn             turned;
    sup_center_options   options = { .cells = 4 + chance_below(&t->chance, 40) };
    uint32_t*            parents = sup_arena_alloc(t->arena, count, sizeof *parents);
    sup_vec3*            places = sup_arena_alloc(t->arena, count, sizeof *places);
    if (!parents || !places) return true;
    for (uint32_t j = 0; j < count; ++j) parents[j] = c->skeleton.joints[j].parent;
    for (uint32_t b = 0; b < c->skeleton.bone_count; ++b) places[c->skeleton.bones[b].joint] = c->skeleton.bones[b].head;
    stage(t, "centering joints", "");
    sup_result result = sup_places_center(&c->mesh, count, parents, places, &options, &t->memory, &centered, &error);
    if (result != SUP_OK && !refused_well(t, result, &error)) return false;
    if (count > 100) return in_time(t); // posing a figure is for figures
    stage(t, "turning joints", "");
    result = sup_places_turn(&c->mesh, count, parents, places, &options, &t->memory, &turned, &error);
    return result == SUP_OK ? in_time(t) : refused_well(t, result, &error);
}

// ---------------------------------------------------------------------------------------------- chains

static bool finite3(sup_vec3 v) { return isfinite(v.x) && isfinite(v.y) && isfinite(v.z); }
/// Farther out, the sum of two coordinates is infinite, and one way of skinning meets that before another; writers say it.
static bool summable(sup_vec3 v) { return fabsf(v.x) < 1e37f && fabsf(v.y) < 1e37f && fabsf(v.z) < 1e37f; }

// Finite, or counted; what skinning itself sends to infinity is the file's own doing. `which` is an index into TIMES.
static bool holds_together(trial* t, uint32_t which, const sup_stats* stats, const sup_vec3* out)
{
    uint32_t lost = 0;
    for (uint32_t i = 0; i < t->character->mesh.point_count; ++i)
        lost += !finite3(out[i]) && (!t->plain[which] || summable(t->plain[which][i]));
    t->counts->frames++;
    t->counts->fallbacks += stats->count != 0;
    t->counts->lost += lost != 0;
    return !lost || stats->count || broken(t, "the skin is not finite, and nothing was counted", "");
}

static bool play(trial* t, const sup_chain* chain, bool plain)
{
    const sup_character* c = t->character;
    sup_instance*        instance = NULL;
    sup_error            error = { 0 };
    sup_instance_desc    desc = { .chain = chain, .clip = &t->clip, .preroll = 0.02, .allocator = &t->memory };
    sup_result           result = sup_instance_create(&desc, &instance, &error);
    if (result != SUP_OK) return refused_well(t, result, &error);
    void*     scratch = sup_scratch_create(sup_chain_scratch_size(chain), NULL);
    sup_vec3* out = sup_arena_alloc(t->arena, c->mesh.point_count, sizeof *out);
    sup_vec3* before = sup_arena_alloc(t->arena, c->mesh.point_count, sizeof *out);
    bool      good = scratch && out && before;
    for (uint32_t i = 0; i < sizeof TIMES / sizeof *TIMES && good && in_time(t); ++i) {
        sup_stats stats = { 0 };
        memset(scratch, i % 2 ? 0xff : 0x5a, sup_chain_scratch_size(chain)); // nobody may have left anything there
        sup_instance_evaluate(instance, TIMES[i], scratch, &stats, out);
        if (i == FIRST_AT) memcpy(before, out, c->mesh.point_count * sizeof *out);
        if (i == AGAIN_AT && memcmp(before, out, c->mesh.point_count * sizeof *out) != 0)
            good = broken(t, "the same time gives another skin", "");
        if (plain) t->plain[i] = sup_arena_copy(t->arena, out, c->mesh.point_count, sizeof *out);
        else good = good && holds_together(t, i, &stats, out);
    }
    sup_scratch_destroy(scratch);
    sup_instance_destroy(instance);
    return good && in_time(t);
}

// One parameter of the deformer set to something it may be. Whole numbers stay near their default: what they ask for is work.
static void any_setting(const sup_deformer* d, chance* c, char* out, size_t capacity)
{
    const sup_param* row = d->param_count ? &d->params[chance_below(c, d->param_count)] : NULL;
    out[0] = 0;
    if (row && strcmp(row->name, "cage") == 0) snprintf(out, capacity, "%s.cage=200", d->name);
    if (!row || row->type == SUP_PARAM_TEXT) return;
    double      ratio = chance_one_in(c, 3) ? 0 : chance_one_in(c, 2) ? 1 : (double)chance_float(c, 0, 1);
    double      most = row->type == SUP_PARAM_INT ? fmin(row->max, 2 * fabs(row->standard) + 2) : row->max;
    double      value = row->min + ratio * (most - row->min);
    const char* choice = NULL;
    if (row->type == SUP_PARAM_CHOICE) choice = row->choices[(int)floor(ratio * row->max)];
    if (row->type == SUP_PARAM_INT) value = floor(value);
    if (row->type == SUP_PARAM_BOOL) choice = ratio < 0.5 ? "false" : "true";
    if (choice) snprintf(out, capacity, "%s.%s=%s", d->name, row->name, choice);
    else snprintf(out, capacity, "%s.%s=%.9g", d->name, row->name, value);
}

static bool try_chain(trial* t, const char* links, const char* setting)
{
    sup_progress   progress = { go_on, t };
    sup_chain*     chain = NULL;
    sup_error      error = { 0 };
    sup_chain_desc desc = { .character = t->character,
                            .clip = &t->clip,
                            .links = links,
                            .settings = &setting,
                            .setting_count = setting[0] != 0,
                            .progress = &progress,
                            .allocator = &t->memory };
    stage(t, "binding", setting[0] ? setting : links);
    sup_result result = sup_chain_create(&desc, &chain, &error);
    t->counts->binds++;
    t->counts->refused_binds += result != SUP_OK;
    if (result != SUP_OK) return refused_well(t, result, &error);
    bool good = in_time(t);
    stage(t, "playing", setting[0] ? setting : links);
    if (good) good = play(t, chain, t->plain[0] == NULL);
    sup_chain_destroy(chain);
    return good;
}

static bool try_deformers(trial* t)
{
    char     setting[256] = "";
    uint32_t count = sup_deformer_count();
    if (!try_chain(t, "linear", "")) return false;
    if (t->options->links) return try_chain(t, t->options->links, "");
    for (uint32_t i = 0; i < (t->options->every_link ? count : 1); ++i) {
        const sup_deformer* d = sup_deformer_at((uint32_t)((t->one->seed + i) % count));
        if (t->options->without && strcmp(d->name, t->options->without) == 0) continue;
        if (chance_one_in(&t->chance, 3)) any_setting(d, &t->chance, setting, sizeof setting);
        else setting[0] = 0;
        if (!try_chain(t, d->name, setting)) return false;
    }
    return true;
}

// ---------------------------------------------------------------------------------------------- writing

static bool write_frames(trial* t, sup_bake* bake, sup_error* error)
{
    const sup_character* c = t->character;
    const sup_normals*   normals = NULL;
    sup_pose             pose;
    if (sup_normals_create(c, t->arena, &normals, error) != SUP_OK || sup_pose_create(c, t->arena, &pose, error) != SUP_OK)
        return false;
    void*     scratch = sup_scratch_create(sup_normals_scratch(normals), NULL);
    sup_vec3* turned = sup_arena_alloc(t->arena, c->mesh.vertex_count, sizeof *turned);
    bool      good = scratch && turned;
    for (uint32_t i = 0; i < 2 && good; ++i) {
        sup_clip_sample(c, &t->clip, TIMES[i], &pose);
        sup_normals_evaluate(normals, t->plain[i], scratch, NULL, turned, NULL);
        sup_bake_frame frame = { .index = i, .time = TIMES[i], .pose = &pose, .points = t->plain[i], .vertex_normals = turned };
        good = sup_bake_frame_write(bake, &frame, error) == SUP_OK;
    }
    sup_scratch_destroy(scratch);
    return good;
}

// What was written is read again: by us, at least.
static bool try_bake(trial* t)
{
    static const char* const endings[] = { "glb", "glb", "usda", "npy", "pc2", "mdd" };
    char                     path[PATH_ROOM];
    const char*              ending = endings[chance_below(&t->chance, 6)];
    snprintf(path, sizeof path, "%s/out.%s", t->options->folder, ending);
    sup_error     error = { 0 };
    sup_bake*     bake = NULL;
    sup_bake_desc desc = {
        .path = path, .character = t->character, .clip = &t->clip, .chain = "linear", .fps = 50, .frame_count = 2
    };
    stage(t, "writing", ending);
    if (!t->plain[0] || !t->plain[1]) return true;
    sup_result result = sup_bake_begin(&desc, &t->memory, &bake, &error);
    bool       good = result == SUP_OK && write_frames(t, bake, &error);
    if (good) good = sup_bake_end(bake, NULL, NULL, &error) == SUP_OK;
    sup_bake_destroy(bake);
    if (!good) return refused_well(t, error.code, &error);
    t->counts->baked++;
    sup_character* again = NULL;
    stage(t, "reading what was written as", ending);
    sup_load_options options = { .allocator = &t->memory };
    good = strcmp(ending, "glb") != 0 || sup_load(path, &options, &again, &error) == SUP_OK;
    sup_character_destroy(again);
    unlink(path);
    return (good || broken(t, "it is refused", error.text)) && in_time(t);
}

// ---------------------------------------------------------------------------------------------- finer

// A finer copy is a character like any other: it plays under the link that it is made for, and can be divided no less well than
// it was read.
static bool try_finer(trial* t)
{
    sup_character* coarse = t->character;
    sup_error      error = { 0 };
    if (coarse->mesh.triangle_count > FINER_TRIANGLES) return true;
    stage(t, "subdividing", "");
    bool       dressed = coarse->source && chance_one_in(&t->chance, 2);
    uint32_t   levels = 1 + chance_below(&t->chance, 2);
    sup_result result = dressed ? sup_character_subdivide_dressed(coarse, levels, &t->memory, &t->character, &error)
                                : sup_character_subdivide(coarse, levels, &t->memory, &t->character, &error);
    if (result != SUP_OK) {
        t->character = coarse;
        return refused_well(t, result, &error);
    }
    sup_vec3* plain[4];
    sup_clip  clip = t->clip;
    memcpy(plain, t->plain, sizeof plain), memset(t->plain, 0, sizeof plain);
    // Clips keep their order.
    for (uint32_t i = 0; i < coarse->clip_count; ++i)
        if (coarse->clips[i].channels == clip.channels && i < t->character->clip_count) t->clip = t->character->clips[i];
    bool good = in_time(t) && try_chain(t, "linear", "") && try_chain(t, "linear,wrinkle", "");
    memcpy(t->plain, plain, sizeof plain);
    t->clip = clip;
    sup_character_destroy(t->character);
    t->character = coarse;
    return good;
}

// ---------------------------------------------------------------------------------------------- whole

static bool run(trial* t)
{
    sup_error  error = { 0 };
    sup_result result = read_character(t, &error);
    t->counts->refused += result != SUP_OK;
    if (result != SUP_OK) return refused_well(t, result, &error);
    return in_time(t) && try_weights(t) && try_center(t) && try_deformers(t) && try_bake(t) && try_finer(t);
}

bool trial_run(const hostile_case* one, const trial_options* options, trial_counts* counts, char why[HOSTILE_WORDS])
{
    trial t = { .one = one,
                .options = options,
                .counts = counts,
                .chance = { .state = one->seed ^ 0x5bd1e995 },
                .begin = clock(),
                .stage_begin = clock(),
                .why = why };
    t.memory = (sup_allocator){ allocate, release, &t };
    t.files = (sup_files){ .read = read_bytes, .user = &t };
    t.arena = sup_arena_create(&t.memory);
    counts->cases++;
    bool good = t.arena && run(&t);
    stage(&t, "ending", "");
    sup_character_destroy(t.character);
    sup_arena_destroy(t.arena);
    if (good && t.slow[0]) good = broken(&t, "over the budget of a stage", t.slow);
    if (good && t.live) {
        stage(&t, "giving memory back", "");
        good = broken(&t, "some was kept", "");
    }
    return good;
}
