// What every deformer must do before its author writes a test: runs over the registry, and over the test's springs.
#include "play.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

// ---------------------------------------------------------------------------------------------- allocations

// The linker sends every allocation of the library through here (--wrap).
static long allocations;
void*       __real_malloc(size_t bytes);
void*       __real_calloc(size_t count, size_t bytes);
void*       __real_realloc(void* memory, size_t bytes);
void*       __wrap_malloc(size_t bytes);
void*       __wrap_calloc(size_t count, size_t bytes);
void*       __wrap_realloc(void* memory, size_t bytes);
void*       __wrap_malloc(size_t bytes)
{
    ++allocations;
    return __real_malloc(bytes);
}
void* __wrap_calloc(size_t count, size_t bytes)
{
    ++allocations;
    return __real_calloc(count, bytes);
}
void* __wrap_realloc(void* memory, size_t bytes)
{
    ++allocations;
    return __real_realloc(memory, bytes);
}

// ---------------------------------------------------------------------------------------------- subjects

static uint32_t            subject_count(void) { return sup_deformer_count() + 1; }
static const sup_deformer* subject(uint32_t i) { return i < sup_deformer_count() ? sup_deformer_at(i) : &spring; }

static sup_json* weightless(sup_arena* arena)
{
    static const char text[] = "{\"gravity\":[0,0,0]}";
    return test_json(text, arena);
}

// A character with what the deformer needs: a tube, or the built-in arm where examples are asked for.
static sup_character* scene_for(const sup_deformer* d, const char** clip)
{
    *clip = d->needs & SUP_NEEDS_EXAMPLES ? "flex" : "bend";
    if (!(d->needs & SUP_NEEDS_EXAMPLES)) return test_tube(16, 12, 4, 1.0f, 0.1f);
    return test_builtin("arm", 600);
}

typedef void subject_test(const sup_deformer* d, const sup_character* c, const sup_clip* clip, sup_arena* arena);

static void each_subject(subject_test* test)
{
    for (uint32_t i = 0; i < subject_count(); ++i) {
        const char*    clip;
        sup_character* c = scene_for(subject(i), &clip);
        sup_arena*     arena = sup_arena_create(NULL);
        print_message("  %s\n", subject(i)->name);
        test(subject(i), c, sup_character_clip(c, clip), arena);
        sup_arena_destroy(arena);
        sup_character_destroy(c);
    }
}

static float worst_distance(const sup_vec3* a, const sup_vec3* b, uint32_t count)
{
    float worst = 0;
    for (uint32_t i = 0; i < count; ++i) {
        float d = v3_distance(a[i], b[i]);
        if (!(d <= worst)) worst = d; // keeps a NaN
    }
    return worst;
}

// ---------------------------------------------------------------------------------------------- claims

static void rest_is_rest(const sup_deformer* d, const sup_character* c, const sup_clip* clip, sup_arena* arena)
{
    (void)clip;
    sup_pose  bind;
    sup_error error;
    assert_ok(sup_pose_create(c, arena, &bind, &error), error);
    sup_pose_bind(c, &bind);
    play p = play_chain(
        (sup_chain_desc){
            .character = c, .clip = d->needs & SUP_NEEDS_CLIP ? clip : NULL, .links = d->name, .world = weightless(arena) },
        (sup_instance_desc){ .pose = &bind });
    play_hash(&p, 0);
    assert_true(worst_distance(p.out, c->mesh.points, p.points) < 1e-5f * c->mesh.diagonal);
    play_hash(&p, 0.7);
    assert_true(worst_distance(p.out, c->mesh.points, p.points) < 1e-5f * c->mesh.diagonal);
    play_end(&p);
}

static void rest_pose_returns_the_rest_shape(void** state)
{
    (void)state;
    each_subject(rest_is_rest);
}

// The clip with its root rotated and shifted: the root must not be animated for that.
static sup_clip moved_clip(const sup_character* c, const sup_clip* clip, const sup_rigid* by, sup_arena* arena)
{
    static const float zero[] = { 0 };
    sup_channel*       channels = SUP_NEW(arena, sup_channel, clip->channel_count + 2);
    float*             values = SUP_NEW(arena, float, 7);
    for (uint32_t i = 0; i < clip->channel_count; ++i) {
        channels[i] = clip->channels[i];
        assert_true(channels[i].target != 0);
    }
    const sup_transform* root = &c->skeleton.joints[0].rest;
    sup_vec3             t = rigid_point(by, root->translation);
    sup_quat             q = quat_mul(by->rotation, root->rotation);
    memcpy(values, &t, sizeof t);
    memcpy(values + 3, &q, sizeof q);
    channels[clip->channel_count] =
        (sup_channel){ .target = 0, .path = SUP_PATH_TRANSLATION, .key_count = 1, .width = 3, .times = zero, .values = values };
    channels[clip->channel_count + 1] = (sup_channel){
        .target = 0, .path = SUP_PATH_ROTATION, .key_count = 1, .width = 4, .times = zero, .values = values + 3
    };
    sup_clip moved = *clip;
    moved.channels = channels;
    moved.channel_count += 2;
    return moved;
}

static void world_does_not_matter(const sup_deformer* d, const sup_character* c, const sup_clip* clip, sup_arena* arena)
{
    if (d->needs & SUP_NEEDS_EXAMPLES) return; // its sculpts are fixed in the world and would have to move too
    sup_rigid      by = { quat_normalize(quat(0.3f, -0.5f, 0.2f, 0.7f)), v3(2, -1, 3) };
    sup_clip       moved = moved_clip(c, clip, &by, arena);
    sup_chain_desc chain = { .character = c, .clip = clip, .links = d->name, .world = weightless(arena) };
    play           here = play_chain(chain, (sup_instance_desc){ .clip = clip });
    chain.clip = &moved;
    play there = play_chain(chain, (sup_instance_desc){ .clip = &moved });
    for (double t = 0; t < 1.3; t += 0.3) {
        play_hash(&here, t);
        play_hash(&there, t);
        for (uint32_t i = 0; i < here.points; ++i) here.out[i] = rigid_point(&by, here.out[i]);
        assert_true(worst_distance(here.out, there.out, here.points) < 2e-5f * c->mesh.diagonal);
    }
    play_end(&here), play_end(&there);
}

static void a_turned_and_shifted_world_gives_the_same_skin(void** state)
{
    (void)state;
    each_subject(world_does_not_matter);
}

static void extremes_stay_finite(const sup_deformer* d, const sup_character* c, const sup_clip* clip, sup_arena* arena)
{
    (void)arena;
    for (uint32_t i = 0; i < d->param_count; ++i) {
        const sup_param* p = &d->params[i];
        int              last = 1;
        if (p->type == SUP_PARAM_TEXT) continue;
        if (p->type == SUP_PARAM_CHOICE)
            for (last = -1; p->choices[last + 1];) ++last;
        for (int high = 0; high <= last; ++high) {
            char text[128];
            if (p->type == SUP_PARAM_CHOICE) sup_format(text, sizeof text, "%s.%s=%s", d->name, p->name, p->choices[high]);
            else if (p->type == SUP_PARAM_BOOL) sup_format(text, sizeof text, "%s.%s=%d", d->name, p->name, high);
            else sup_format(text, sizeof text, "%s.%s=%g", d->name, p->name, high ? p->max : p->min);
            const char* setting = text;
            play        run = play_chain(
                       (sup_chain_desc){ .character = c, .clip = clip, .links = d->name, .settings = &setting, .setting_count = 1 },
                       (sup_instance_desc){ .clip = clip, .preroll = 0.05 });
            // A link with dynamics takes a step every 5 ms: a third of the clip is long enough to blow up, and for a sanitizer,
            // which looks for other things, a few steps are.
            double end = !d->dynamic ? 1.0 : TEST_SANITIZED ? 0.04 : 0.32;
            for (double t = 0; t <= end; t += d->dynamic ? end / 2 : 0.25) {
                play_hash(&run, t);
                for (uint32_t k = 0; k < run.points; ++k)
                    if (!v3_finite(run.out[k])) fail_msg("%s: point %u is not finite at %g s", text, k, t);
            }
            play_end(&run);
        }
    }
}

static uint32_t next_random(uint32_t* seed) { return (*seed = *seed * 1664525u + 1013904223u) >> 8; }

// One end of every number and one of every choice, all at once. Bind-stage integers stay: they are sizes and only cost time.
static uint32_t random_corner(const sup_deformer* d, uint32_t* seed, sup_arena* arena, const char** settings)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < d->param_count; ++i) {
        const sup_param* p = &d->params[i];
        if (p->type == SUP_PARAM_TEXT || (p->type == SUP_PARAM_INT && p->stage == SUP_STAGE_BIND)) continue;
        char*    text = SUP_NEW(arena, char, 128);
        uint32_t choices = 0, r = next_random(seed);
        while (p->type == SUP_PARAM_CHOICE && p->choices[choices]) ++choices;
        if (choices) sup_format(text, 128, "%s.%s=%s", d->name, p->name, p->choices[r % choices]);
        else if (p->type == SUP_PARAM_BOOL) sup_format(text, 128, "%s.%s=%u", d->name, p->name, r & 1);
        else sup_format(text, 128, "%s.%s=%g", d->name, p->name, r & 1 ? p->max : p->min);
        settings[count++] = text;
    }
    return count;
}

static void assert_near_skinned(play* run, play* skinned, double time, const char* what)
{
    play_hash(run, time);
    play_hash(skinned, time);
    sup_vec3 low = skinned->out[0], high = low;
    for (uint32_t k = 0; k < run->points; ++k) low = v3_min(low, skinned->out[k]), high = v3_max(high, skinned->out[k]);
    for (uint32_t k = 0; k < run->points; ++k)
        if (!(v3_distance(run->out[k], skinned->out[k]) <= 10.01f * v3_distance(low, high)))
            fail_msg("%s: point %u is %g from its skinned place at %g s", what, k,
                     (double)v3_distance(run->out[k], skinned->out[k]), time);
}

static void corners_stay_near(const sup_deformer* d, const sup_character* c, const sup_clip* clip, sup_arena* arena)
{
    enum { CORNERS = 24, DYNAMIC_CORNERS = 4 };
    uint32_t bound = 0, seed = 17;
    for (int n = 0; n < (d->dynamic ? DYNAMIC_CORNERS : CORNERS); ++n) {
        const char*    settings[64];
        sup_error      error;
        sup_chain*     probe = NULL;
        sup_chain_desc desc = { .character = c, .clip = clip, .links = d->name, .settings = settings };
        desc.extra = test_deformers, desc.extra_count = SUP_COUNT_OF(test_deformers);
        assert_true(d->param_count <= SUP_COUNT_OF(settings));
        desc.setting_count = random_corner(d, &seed, arena, settings);
        if (sup_chain_create(&desc, &probe, &error)) continue; // these settings cannot be combined, and the error says so
        sup_chain_destroy(probe);
        play run = play_chain(desc, (sup_instance_desc){ .clip = clip, .preroll = 0.05 });
        if (sup_chain_link_count(run.chain) > 1) {
            play skinned =
                play_chain((sup_chain_desc){ .character = c, .clip = clip, .links = sup_chain_link(run.chain, 0)->name },
                           (sup_instance_desc){ .clip = clip });
            for (int k = 0; k < 3; ++k) assert_near_skinned(&run, &skinned, 0.1 * k, sup_chain_text(run.chain));
            play_end(&skinned);
        }
        play_end(&run);
        ++bound;
    }
    assert_true(bound > 0);
}

static void extreme_settings_stay_near_the_skinned_skin(void** state)
{
    (void)state;
    each_subject(corners_stay_near);
}

static void every_parameter_at_its_ends_stays_finite(void** state)
{
    (void)state;
    each_subject(extremes_stay_finite);
}

static void workers_do_not_matter(const sup_deformer* d, const sup_character* c, const sup_clip* clip, sup_arena* arena)
{
    (void)arena;
    uint64_t first = 0;
    for (uint32_t workers = 1; workers <= 8; workers *= 2) {
        sup_pool* pool = sup_pool_create(workers);
        play p = play_chain((sup_chain_desc){ .character = c, .clip = clip, .links = d->name, .tasks = sup_pool_tasks(pool) },
                            (sup_instance_desc){ .clip = clip, .tasks = sup_pool_tasks(pool) });
        uint64_t hash = SUP_HASH_START;
        for (double t = 0; t <= 1.0; t += 0.125) {
            uint64_t frame = play_hash(&p, t);
            hash = sup_hash(hash, &frame, sizeof frame);
        }
        if (workers == 1) first = hash;
        assert_true(hash == first);
        play_end(&p);
        sup_pool_destroy(pool);
    }
}

static void any_number_of_workers_gives_the_same_bits(void** state)
{
    (void)state;
    each_subject(workers_do_not_matter);
}

static void nothing_is_allocated(const sup_deformer* d, const sup_character* c, const sup_clip* clip, sup_arena* arena)
{
    (void)arena;
    play p = play_chain((sup_chain_desc){ .character = c, .clip = clip, .links = d->name },
                        (sup_instance_desc){ .clip = clip, .loop = true });
    long before = allocations;
    for (int f = 0; f < (TEST_SANITIZED ? 8 : 40); ++f) play_hash(&p, (f * 7 % 40) / 30.0);
    assert_int_equal(allocations, before);
    play_end(&p);
    assert_true(before > 0); // the wrapping works at all
}

static void evaluate_allocates_nothing(void** state)
{
    (void)state;
    each_subject(nothing_is_allocated);
}

static void reset_is_fresh(const sup_deformer* d, const sup_character* c, const sup_clip* clip, sup_arena* arena)
{
    (void)arena;
    // One snapshot cannot hold the start, so going back to 0 resets.
    play     p = play_chain((sup_chain_desc){ .character = c, .clip = clip, .links = d->name },
                            (sup_instance_desc){ .clip = clip, .snapshots = 1 });
    uint64_t start = play_hash(&p, 0), later = play_hash(&p, 0.9);
    assert_true(play_hash(&p, 0) == start);
    assert_true(play_hash(&p, 0.9) == later);
    play_end(&p);
}

static void reset_equals_a_fresh_start(void** state)
{
    (void)state;
    each_subject(reset_is_fresh);
}

static void state_repeats(const sup_deformer* d, const sup_character* c, const sup_clip* clip, sup_arena* arena)
{
    play p =
        play_chain((sup_chain_desc){ .character = c, .clip = clip, .links = d->name }, (sup_instance_desc){ .clip = clip });
    play_hash(&p, 0.3);
    void* saved = sup_arena_alloc(arena, 1, sup_instance_state_size(p.instance));
    sup_instance_state_save(p.instance, saved);
    uint64_t later = play_hash(&p, 0.8);
    sup_instance_state_load(p.instance, saved);
    assert_true(play_hash(&p, 0.8) == later);
    play_end(&p);
}

static void a_copied_back_state_repeats_the_frame(void** state)
{
    (void)state;
    each_subject(state_repeats);
}

/// The character with other faces.
static sup_character* with_faces(const sup_character* c, uint32_t faces, const uint32_t* sizes, const uint32_t* corners,
                                 sup_arena* arena)
{
    uint32_t  width = c->weights.influences_max;
    uint32_t* joints = SUP_NEW(arena, uint32_t, c->mesh.point_count * width);
    float*    weights = SUP_NEW(arena, float, c->mesh.point_count* width);
    for (uint32_t p = 0; p < c->mesh.point_count; ++p)
        for (uint32_t i = c->weights.begin[p], k = 0; i < c->weights.begin[p + 1]; ++i, ++k) {
            joints[p * width + k] = c->weights.joints[i];
            weights[p * width + k] = c->weights.values[i];
        }
    sup_part_desc part = { .name = "spoiled",
                           .vertex_count = c->mesh.point_count,
                           .positions = c->mesh.points,
                           .face_count = faces,
                           .face_sizes = sizes,
                           .corners = corners,
                           .width = width,
                           .joints = joints,
                           .weights = weights,
                           .joint = SUP_NONE,
                           .source_id = SUP_NONE };
    return test_character_with(c, &part);
}

// The tube's faces damaged: every third flipped, every fifth flat (its last point repeated), every seventh left out.
static sup_character* spoiled(const sup_character* c, sup_arena* arena)
{
    uint32_t *sizes = SUP_NEW(arena, uint32_t, c->mesh.face_count), *corners = SUP_NEW(arena, uint32_t, c->mesh.corner_count);
    uint32_t  faces = 0, n = 0;
    for (uint32_t f = 0; f < c->mesh.face_count; ++f) {
        if (f % 7 == 6) continue;
        uint32_t begin = c->mesh.face_begin[f], size = c->mesh.face_begin[f + 1] - begin;
        for (uint32_t k = 0; k < size; ++k) corners[n + k] = c->mesh.corner_vertices[begin + (f % 3 == 2 ? size - 1 - k : k)];
        if (f % 5 == 4) corners[n + size - 1] = corners[n + size - 2];
        sizes[faces++] = size;
        n += size;
    }
    return with_faces(c, faces, sizes, corners, arena);
}

// Its triangles, followed on request by every third of them again and every third of those reversed.
static sup_character* triangles_of(const sup_character* c, bool doubled, sup_arena* arena)
{
    uint32_t  count = c->mesh.triangle_count, faces = count;
    uint32_t *sizes = SUP_NEW(arena, uint32_t, 2 * (size_t)count), *corners = SUP_NEW(arena, uint32_t, 6 * (size_t)count);
    memcpy(corners, c->mesh.triangles, 3 * (size_t)count * sizeof *corners);
    for (uint32_t t = 0; t < count && doubled; t += 3, ++faces)
        for (uint32_t k = 0; k < 3; ++k) corners[3 * faces + k] = c->mesh.triangles[3 * t + (t % 9 ? k : 2 - k)];
    for (uint32_t f = 0; f < faces; ++f) sizes[f] = 3;
    return with_faces(c, faces, sizes, corners, arena);
}

static void copies_do_nothing(const sup_deformer* d, const sup_character* c, const sup_clip* clip, sup_arena* arena)
{
    (void)clip;
    if (d->needs & SUP_NEEDS_EXAMPLES) return;  // its points are those of its own file
    if (strcmp(d->name, "smooth") == 0) return; // weighs polygons as they are drawn, copies too
    const char*    links = strcmp(d->name, "bend") == 0 ? "bend(pressure=0.1)" : d->name;
    sup_character *once = triangles_of(c, false, arena), *twice = triangles_of(c, true, arena);
    play           a = play_chain((sup_chain_desc){ .character = once, .clip = &once->clips[0], .links = links },
                                  (sup_instance_desc){ .clip = &once->clips[0] }),
         b = play_chain((sup_chain_desc){ .character = twice, .clip = &twice->clips[0], .links = links },
                        (sup_instance_desc){ .clip = &twice->clips[0] });
    assert_int_equal(a.points, b.points);
    for (double t = 0; t <= 0.3; t += 0.15) {
        play_hash(&a, t), play_hash(&b, t);
        float worst = worst_distance(a.out, b.out, a.points);
        if (!(worst <= 1e-5f * c->mesh.diagonal)) fail_msg("%s: %g apart at %g s", links, (double)worst, t);
    }
    play_end(&a), play_end(&b);
    sup_character_destroy(once), sup_character_destroy(twice);
}

static void faces_that_are_there_twice_do_nothing(void** state)
{
    (void)state;
    each_subject(copies_do_nothing);
}

static void bad_faces_survive(const sup_deformer* d, const sup_character* c, const sup_clip* clip, sup_arena* arena)
{
    (void)clip;
    if (d->needs & (SUP_NEEDS_EXAMPLES | SUP_NEEDS_CLOSED)) return;
    sup_character* bad = spoiled(c, arena);
    play           p = play_chain((sup_chain_desc){ .character = bad, .clip = &bad->clips[0], .links = d->name },
                                  (sup_instance_desc){ .clip = &bad->clips[0] });
    for (double t = 0; t <= 1.0; t += 0.25) {
        play_hash(&p, t);
        for (uint32_t k = 0; k < p.points; ++k) assert_true(v3_finite(p.out[k]));
    }
    play_end(&p);
    sup_character_destroy(bad);
}

static void flipped_flat_and_absent_faces_survive(void** state)
{
    (void)state;
    each_subject(bad_faces_survive);
}

static void rows_are_sane(const sup_deformer* d, const sup_character* c, const sup_clip* clip, sup_arena* arena)
{
    (void)c, (void)clip;
    assert_true(d->name && d->summary && d->paper && d->bind && d->evaluate);
    assert_true(!d->dynamic || d->reset);
    for (uint32_t i = 0; i < d->param_count; ++i) {
        const sup_param* p = &d->params[i];
        assert_true(p->name && p->help && p->help[0] && p->unit && p->offset < d->params_size);
        for (const char* s = p->name; *s; ++s) assert_true((*s >= 'a' && *s <= 'z') || (*s >= '0' && *s <= '9') || *s == '_');
        for (uint32_t k = 0; k < i; ++k) assert_string_not_equal(p->name, d->params[k].name);
        if (p->type == SUP_PARAM_FLOAT || p->type == SUP_PARAM_INT) {
            assert_true(p->min < p->max && p->standard >= p->min && p->standard <= p->max);
        }
        if (p->type == SUP_PARAM_CHOICE) assert_true(p->choices && p->choices[0] && p->choices[(int)p->standard]);
        assert_true(p->varies == SUP_VARIES_NOT || p->type == SUP_PARAM_FLOAT);
    }
    const sup_json* text = sup_deformer_describe(d, arena);
    assert_string_equal(sup_json_string(sup_json_get(text, "name"), ""), d->name);
    assert_int_equal(sup_json_get(text, "params")->count, d->param_count);
}

static void table_rows_are_sane(void** state)
{
    (void)state;
    each_subject(rows_are_sane);
    for (uint32_t i = 0; i < sup_deformer_count(); ++i)
        for (uint32_t k = 0; k < i; ++k) assert_string_not_equal(sup_deformer_at(i)->name, sup_deformer_at(k)->name);
}

// ---------------------------------------------------------------------------------------------- stopping

typedef struct listening {
    uint32_t calls, stop; ///< stops at this call; 0: never
    double   last, longest, since;
} listening;

static bool listen(void* user, double share, const char* what)
{
    listening* l = user;
    double     now = (double)clock() / CLOCKS_PER_SEC;
    (void)what;
    assert_true(share >= l->last && share <= 1); // progress never goes backward
    l->longest = fmax(l->longest, now - l->since);
    l->last = share;
    l->since = now;
    return ++l->calls != l->stop;
}

static sup_result bind_to(const sup_deformer* d, const sup_character* c, const sup_clip* clip, listening* l)
{
    char         links[64];
    sup_progress progress = { listen, l };
    sup_chain*   chain = NULL;
    sup_error    error = { 0 };
    snprintf(links, sizeof links, "%s", d->name);
    l->since = (double)clock() / CLOCKS_PER_SEC;
    sup_chain_desc desc = { .character = c, .clip = clip, .links = links, .progress = &progress };
    if (d == &spring) desc.extra = &d, desc.extra_count = 1;
    sup_result r = sup_chain_create(&desc, &chain, &error);
    sup_chain_destroy(chain);
    if (r == SUP_ERROR_CANCELLED) assert_true(error.text[0]);
    return r;
}

static void stop_it(const sup_deformer* d, const sup_character* c, const sup_clip* clip, sup_arena* arena)
{
    (void)arena;
    listening whole = { 0 };
    assert_int_equal(bind_to(d, c, clip, &whole), SUP_OK);
    print_message("  %s: %u reports, at most %.3f s of work between two\n", d->name, whole.calls, whole.longest);
    assert_true(whole.calls > 0 && whole.last == 1);
    for (uint32_t k = 1; k <= whole.calls; ++k) {
        listening l = { .stop = k };
        assert_int_equal(bind_to(d, c, clip, &l), SUP_ERROR_CANCELLED);
        assert_int_equal(l.calls, k); // and is not asked again
    }
}

static void a_bind_reports_and_can_be_stopped_at_every_report(void** state)
{
    (void)state;
    each_subject(stop_it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_rows_are_sane),
        cmocka_unit_test(rest_pose_returns_the_rest_shape),
        cmocka_unit_test(a_turned_and_shifted_world_gives_the_same_skin),
        cmocka_unit_test(every_parameter_at_its_ends_stays_finite),
        cmocka_unit_test(extreme_settings_stay_near_the_skinned_skin),
        cmocka_unit_test(evaluate_allocates_nothing),
        cmocka_unit_test(reset_equals_a_fresh_start),
        cmocka_unit_test(a_copied_back_state_repeats_the_frame),
        cmocka_unit_test(flipped_flat_and_absent_faces_survive),
        cmocka_unit_test(faces_that_are_there_twice_do_nothing),
        cmocka_unit_test(a_bind_reports_and_can_be_stopped_at_every_report),
        cmocka_unit_test(any_number_of_workers_gives_the_same_bits),
    };
    const struct CMUnitTest threaded[] = { cmocka_unit_test(any_number_of_workers_gives_the_same_bits) };
    if (TEST_SANITIZED == TEST_FOR_RACES) return cmocka_run_group_tests(threaded, NULL, NULL); // there are none in the others
    return cmocka_run_group_tests(tests, NULL, NULL);
}
