// Quality numbers of every deformer on the built-in characters, against tests/golden/metrics.csv. The bits are the same
// everywhere, so the printed numbers are compared as text. UPDATE_GOLDEN=1 writes the file anew.
#include "support.h"

#include "supple/deformer.h"
#include "supple/metrics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GOLDEN SUPPLE_SOURCE "/tests/golden/metrics.csv"
#define HEADER "deformer,scene,metric,value\n"

enum { TABLE_SIZE = 1 << 16, FPS = 30 };

// Simulations run on a third of the points: they cost a thousand times what skinning does. A scene without a source is for
// simulations alone: at full resolution, where `layers` lives on a cage, and stopped at `still` seconds, in the middle of the
// motion where skin presses on skin, to see whether it comes to rest.
typedef struct scene {
    const char *name, *clip, *source, *coarse;
    double      still;
} scene;
#define ARM "builtin:arm", "builtin:arm?points=1000", 0
#define BEAST "builtin:beast", "builtin:beast?points=2500", 0
static const scene scenes[] = {
    { "arm", "flex", ARM },     { "arm", "twist", ARM },     { "beast", "walk", BEAST },
    { "beast", "jump", BEAST }, { "beast", "shake", BEAST }, { "beast_full", "jump", NULL, "builtin:beast", 0.4 },
};

// The sanitizers make a simulation last minutes; conformance.c runs every deformer under them.
#if defined(__SANITIZE_ADDRESS__)
enum { SIMULATE = 0 };
#else
enum { SIMULATE = 1 };
#endif

typedef struct numbers {
    double   volume_change_max, volume_change_end, stretch_max, part_change_max, roughness_max, rest_speed;
    uint32_t worst_part, intersections_max;
} numbers;

enum { MOST_PARTS = 64 };

/// The numbers of one frame that a meter knows.
static void meter_frame(const sup_meter* meter, const sup_pose* pose, const sup_vec3* skin, void* scratch, numbers* out)
{
    double volumes[MOST_PARTS];
    assert_true(sup_meter_part_count(meter) <= MOST_PARTS);
    sup_meter_part_volumes(meter, pose, skin, volumes);
    for (uint32_t p = 0; p < sup_meter_part_count(meter); ++p) {
        double change = volumes[p] / sup_meter_part_at(meter, p)->rest_volume - 1.0;
        if (fabs(change) <= fabs(out->part_change_max)) continue;
        out->part_change_max = change;
        out->worst_part = p;
    }
    uint32_t pairs = sup_meter_intersections(meter, skin, scratch, NULL, NULL, 0);
    if (pairs > out->intersections_max) out->intersections_max = pairs;
    out->roughness_max = fmax(out->roughness_max, sup_meter_roughness(meter, skin, NULL));
}

/// The fastest point of the skin between 0.9 and 1 s after the motion was stopped, m/s.
static double speed_at_rest(sup_instance* instance, const sup_character* c, double still, void* scratch, sup_vec3* skin)
{
    sup_vec3* before = malloc(c->mesh.point_count * sizeof *before);
    double    fastest = 0;
    assert_non_null(before);
    sup_instance_hold(instance, still);
    for (int step = 0; step <= 20; ++step) {
        memcpy(before, skin, c->mesh.point_count * sizeof *before);
        sup_instance_evaluate(instance, still + 0.9 + 0.005 * step, scratch, NULL, skin);
        for (uint32_t i = 0; i < c->mesh.point_count && step > 0; ++i) {
            double x = (double)(skin[i].x - before[i].x), y = (double)(skin[i].y - before[i].y),
                   z = (double)(skin[i].z - before[i].z);
            fastest = fmax(fastest, sqrt(x * x + y * y + z * z) / 0.005);
        }
    }
    free(before);
    return fastest * c->metres_per_unit;
}

static numbers measure(const sup_character* character, const sup_meter* meter, const sup_clip* clip,
                       const sup_deformer* deformer, double still)
{
    sup_error         error = { 0 };
    sup_chain*        chain = NULL;
    sup_instance*     instance = NULL;
    const sup_mesh*   mesh = &character->mesh;
    sup_chain_desc    desc = { .character = character, .clip = clip, .links = deformer->name };
    sup_instance_desc playing = { .clip = clip, .end = still > 0 ? fmax(clip->seconds, still + 1) : 0 };
    assert_ok(sup_chain_create(&desc, &chain, &error), error);
    playing.chain = chain;
    assert_ok(sup_instance_create(&playing, &instance, &error), error);
    void*     scratch = sup_scratch_create(sup_chain_scratch_size(chain), NULL);
    void*     meter_scratch = sup_scratch_create(sup_meter_scratch(meter), NULL);
    sup_vec3* skin = malloc(mesh->point_count * sizeof *skin);
    assert_true(scratch && meter_scratch);
    assert_non_null(skin);

    numbers out = { 0 };
    double  rest = sup_metric_volume(mesh, mesh->points);
    for (uint32_t i = 0, count = sup_frame_count(0.0, clip->seconds, FPS, false); i < count; ++i) {
        sup_instance_evaluate(instance, sup_frame_time(0.0, FPS, i), scratch, NULL, skin);
        out.volume_change_end = sup_metric_volume(mesh, skin) / rest - 1.0;
        if (fabs(out.volume_change_end) > fabs(out.volume_change_max)) out.volume_change_max = out.volume_change_end;
        out.stretch_max = fmax(out.stretch_max, sup_metric_stretch(mesh, skin));
        meter_frame(meter, sup_instance_pose(instance), skin, meter_scratch, &out);
    }
    if (still > 0) out.rest_speed = speed_at_rest(instance, character, still, scratch, skin);
    free(skin);
    sup_scratch_destroy(meter_scratch);
    sup_scratch_destroy(scratch);
    sup_instance_destroy(instance);
    sup_chain_destroy(chain);
    return out;
}

// A deformer that learns from examples runs only where the clip has some.
static bool suits(const sup_deformer* d, const sup_character* c, const sup_clip* clip)
{
    if (!(d->needs & SUP_NEEDS_EXAMPLES)) return true;
    for (uint32_t i = 0; i < c->example_count; ++i)
        if (!c->examples[i].clip || strcmp(c->examples[i].clip, clip->name) == 0) return true;
    return false;
}

static void append(char* table, size_t* used, const char* deformer, const char* where, const char* metric, double value)
{
    // Six digits; what is left of a difference that should be zero is rounding and says nothing.
    if (fabs(value) < 1e-6) value = 0.0;
    int n = snprintf(table + *used, TABLE_SIZE - *used, "%s,%s,%s,%.6g\n", deformer, where, metric, value);
    assert_true(n > 0 && *used + (size_t)n < TABLE_SIZE);
    *used += (size_t)n;
}

static void measure_scene(const sup_deformer* d, const scene* s, char* table, size_t* used)
{
    sup_error  error = { 0 };
    sup_meter* meter = NULL;
    if (!s->source && !d->dynamic) return;
    sup_character*  c = test_load(d->dynamic ? s->coarse : s->source);
    const sup_clip* clip = sup_character_clip(c, s->clip);
    assert_non_null(clip);
    assert_ok(sup_meter_create(c, NULL, &meter, &error), error);
    if (suits(d, c, clip)) {
        char    name[64], part[128];
        numbers n = measure(c, meter, clip, d, s->still);
        snprintf(name, sizeof name, "%s/%s", s->name, s->clip);
        append(table, used, d->name, name, "volume_change_max", n.volume_change_max);
        append(table, used, d->name, name, "volume_change_end", n.volume_change_end);
        append(table, used, d->name, name, "stretch_max", n.stretch_max);
        snprintf(part, sizeof part, "part_volume_change_max(%s)", sup_meter_part_at(meter, n.worst_part)->name);
        append(table, used, d->name, name, part, n.part_change_max);
        append(table, used, d->name, name, "intersections_max", n.intersections_max);
        append(table, used, d->name, name, "roughness_max", n.roughness_max);
        if (s->still > 0) append(table, used, d->name, name, "rest_speed", n.rest_speed);
    }
    sup_meter_destroy(meter);
    sup_character_destroy(c);
}

static void measure_all(char* table)
{
    size_t used = (size_t)snprintf(table, TABLE_SIZE, HEADER);
    for (uint32_t k = 0; k < sup_deformer_count(); ++k) {
        const sup_deformer* d = sup_deformer_at(k);
        if (d->dynamic && !SIMULATE) continue;
        for (size_t s = 0; s < sizeof scenes / sizeof *scenes; ++s) measure_scene(d, &scenes[s], table, &used);
    }
}

// Rows of simulations out of the recorded table, where none were run.
static void drop_simulations(char* table)
{
    char* to = table;
    for (char* line = table; *line;) {
        size_t length = strcspn(line, "\n"), name = strcspn(line, ",");
        char   text[64];
        snprintf(text, sizeof text, "%.*s", (int)name, line);
        const sup_deformer* d = sup_deformer_find(text);
        length += line[length] == '\n';
        if (!d || !d->dynamic) {
            memmove(to, line, length);
            to += length;
        }
        line += length;
    }
    *to = 0;
}

// Prints the lines in which the two tables differ; returns how many.
static int differences(const char* got, const char* wanted)
{
    int count = 0;
    while (*got || *wanted) {
        size_t g = strcspn(got, "\n"), w = strcspn(wanted, "\n");
        if (g != w || memcmp(got, wanted, g) != 0) {
            print_error("measured: %.*s\nexpected: %.*s\n", (int)g, got, (int)w, wanted);
            count++;
        }
        got += g + (got[g] == '\n');
        wanted += w + (wanted[w] == '\n');
    }
    return count;
}

static void quality_is_as_recorded(void** state)
{
    (void)state;
    char* got = calloc(1, TABLE_SIZE);
    char* wanted = calloc(1, TABLE_SIZE);
    assert_true(got && wanted);
    measure_all(got);
    if (getenv("UPDATE_GOLDEN")) {
        FILE* out = fopen(GOLDEN, "w");
        assert_non_null(out);
        fputs(got, out);
        assert_int_equal(fclose(out), 0);
        print_message("wrote " GOLDEN "\n");
    }
    FILE* in = fopen(GOLDEN, "r");
    if (!in) fail_msg("%s", GOLDEN " is missing; write it with UPDATE_GOLDEN=1");
    size_t length = fread(wanted, 1, TABLE_SIZE - 1, in);
    fclose(in);
    assert_true(length < TABLE_SIZE - 1);
    if (!SIMULATE) drop_simulations(wanted);
    if (differences(got, wanted) != 0)
        fail_msg("%s", "quality moved: if that is meant, run UPDATE_GOLDEN=1 build/tests/test_golden and commit the file");
    free(got);
    free(wanted);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(quality_is_as_recorded) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
