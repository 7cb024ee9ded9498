// The built-in characters over their clips: the first thing users see.
#include "lattice_rig.h"

#include "supple/metrics.h"

// The greatest loss and gain of the whole skin over a clip, as fractions.
static void range(const sup_character* c, const char* name, const char* links, double* least, double* most)
{
    const sup_clip* clip = sup_character_clip(c, name);
    play p = play_chain((sup_chain_desc){ .character = c, .clip = clip, .links = links }, (sup_instance_desc){ .clip = clip });
    double rest = sup_metric_volume(&c->mesh, c->mesh.points);
    *least = *most = 0;
    for (double t = 0; t <= clip->seconds; t += clip->seconds / 12) {
        play_hash(&p, t);
        double change = sup_metric_volume(&c->mesh, p.out) / rest - 1;
        *least = fmin(*least, change);
        *most = fmax(*most, change);
    }
    play_end(&p);
}

static void no_clip_loses_more_volume_than_under_linear_skinning(void** state)
{
    (void)state;
    static const struct {
        const char *scene, *clip;
        uint32_t    points;
    } clips[] = { { "arm", "flex", 1200 },   { "arm", "twist", 1200 },  { "arm", "wave", 1200 },
                  { "beast", "walk", 2400 }, { "beast", "jump", 2400 }, { "beast", "shake", 2400 } };
    for (size_t i = 0; i < SUP_COUNT_OF(clips); ++i) {
        double         linear[2], lattice[2];
        sup_character* c = test_builtin(clips[i].scene, clips[i].points);
        range(c, clips[i].clip, "linear", &linear[0], &linear[1]);
        range(c, clips[i].clip, "lattice(cells=40)", &lattice[0], &lattice[1]);
        print_message("  %s, %s: linear %+.2f .. %+.2f %%, lattice %+.2f .. %+.2f %%\n", clips[i].scene, clips[i].clip,
                      100 * linear[0], 100 * linear[1], 100 * lattice[0], 100 * lattice[1]);
        assert_true(lattice[0] >= linear[0]);
        assert_true(lattice[1] < 0.005); // and a head that is shaken does not swell
        sup_character_destroy(c);
    }
}

// The part that is worst off under `links` compared with linear skinning, over a clip, as a fraction of its volume.
static double furthest_worse(const sup_character* c, const char* name, const char* links)
{
    const sup_clip* clip = sup_character_clip(c, name);
    play a = play_chain((sup_chain_desc){ .character = c, .clip = clip, .links = links }, (sup_instance_desc){ .clip = clip });
    play b =
        play_chain((sup_chain_desc){ .character = c, .clip = clip, .links = "linear" }, (sup_instance_desc){ .clip = clip });
    sup_meter* meter = NULL;
    sup_error  error;
    double     volumes[2][64], worst = 0;
    assert_ok(sup_meter_create(c, NULL, &meter, &error), error);
    assert_in_range(sup_meter_part_count(meter), 2, 64);
    for (uint32_t i = 0; i <= 8; ++i) {
        double t = floor(clip->seconds * i / 8 * 60) / 60; // ends of steps: what lies between is interpolated
        play_hash(&a, t), play_hash(&b, t);
        sup_meter_part_volumes(meter, sup_instance_pose(a.instance), a.out, volumes[0]);
        sup_meter_part_volumes(meter, sup_instance_pose(b.instance), b.out, volumes[1]);
        for (uint32_t part = 0; part < sup_meter_part_count(meter); ++part) {
            double rest = sup_meter_part_at(meter, part)->rest_volume;
            worst = fmax(worst, fabs(volumes[0][part] / rest - 1) - fabs(volumes[1][part] / rest - 1));
        }
    }
    sup_meter_destroy(meter);
    play_end(&a), play_end(&b);
    return worst;
}

// Feet and fingers used to swell by what the limb above them had lost.
static void no_part_is_worse_off_than_under_linear_skinning(void** state)
{
    (void)state;
    static const struct {
        const char *scene, *clip;
    } clips[] = { { "arm", "flex" }, { "arm", "twist" }, { "beast", "walk" }, { "beast", "jump" }, { "beast", "shake" } };
    for (size_t i = 0; i < SUP_COUNT_OF(clips); ++i) {
        sup_character* c = test_builtin(clips[i].scene, 2400);
        double         fine = furthest_worse(c, clips[i].clip, "lattice"),
               coarse = furthest_worse(c, clips[i].clip, "lattice(cells=32)");
        print_message("  %s, %s: a part is worse off by %.2f %% at most, by %.2f %% with 32 cells\n", clips[i].scene,
                      clips[i].clip, 100 * fine, 100 * coarse);
        assert_true(fine < 0.0025 && coarse < 0.0025); // 0.15 % of its volume a part may always be off
        sup_character_destroy(c);
    }
}

// The arm with a window in the skin: the upper half is missing around the elbow.
static sup_character* arm_with_a_window(void)
{
    sup_character*  c = test_builtin("arm", 2400);
    const sup_mesh* mesh = &c->mesh;
    uint32_t*       corners = play_memory(3 * (size_t)mesh->triangle_count * sizeof *corners);
    uint32_t *      joints = play_memory(4 * (size_t)mesh->point_count * sizeof *joints), count = 0;
    float*          weights = play_memory(4 * (size_t)mesh->point_count * sizeof *weights);
    sup_affine      forearm;
    assert_true(affine_invert(&c->skeleton.joints[2].inverse_bind, &forearm));
    sup_vec3 elbow = affine_translation(&forearm);
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        bool window = true;
        for (uint32_t k = 0; k < 3; ++k) {
            sup_vec3 p = mesh->points[mesh->triangles[3 * (size_t)t + k]];
            window &= fabsf(p.x - elbow.x) < 0.09f && p.y > elbow.y;
        }
        for (uint32_t k = 0; k < 3 && !window; ++k) corners[count++] = mesh->triangles[3 * (size_t)t + k];
    }
    assert_in_range(count, 3, 3 * mesh->triangle_count - 300);
    for (uint32_t p = 0; p < mesh->point_count; ++p)
        for (uint32_t i = 0; i < 4; ++i) {
            uint32_t from = c->weights.begin[p] + i;
            bool     there = from < c->weights.begin[p + 1];
            joints[4 * p + i] = there ? c->weights.joints[from] : 0;
            weights[4 * p + i] = there ? c->weights.values[from] : 0;
        }
    sup_part_desc  part = { .name = "arm",
                            .vertex_count = mesh->point_count,
                            .positions = mesh->points,
                            .face_count = count / 3,
                            .corners = corners,
                            .width = 4,
                            .joints = joints,
                            .weights = weights,
                            .joint = SUP_NONE,
                            .source_id = SUP_NONE };
    sup_character* out = test_character_with(c, &part);
    free(corners), free(joints), free(weights);
    sup_character_destroy(c);
    return out;
}

// A hole is closed by a fan from the mean of its border. That mean used to be at the nearest corner of a cell: a part lost what
// the meter called a gain.
static void parts_beside_a_hole_are_no_worse_off_either(void** state)
{
    (void)state;
    static const char* const clips[] = { "flex", "twist", "wave" };
    sup_character*           c = arm_with_a_window();
    for (size_t i = 0; i < SUP_COUNT_OF(clips); ++i) {
        double still = furthest_worse(c, clips[i], "lattice(preset=still)"), moving = furthest_worse(c, clips[i], "lattice");
        print_message("  window, %s: a part is worse off by %.2f %% at most, by %.2f %% where flesh swings\n", clips[i],
                      100 * still, 100 * moving);
        assert_true(still < 0.002 && moving < 0.0025);
    }
    sup_character_destroy(c);
}

static void no_frame_has_more_crossings_than_under_linear_skinning(void** state)
{
    (void)state;
    static const struct {
        const char *scene, *clip;
    } clips[] = { { "arm", "flex" }, { "beast", "walk" }, { "beast", "jump" }, { "beast", "shake" } };
    for (size_t i = 0; i < SUP_COUNT_OF(clips); ++i) {
        sup_meter*     meter = NULL;
        sup_error      error;
        uint32_t       sum[2] = { 0 }, over = 0;
        sup_character* c = test_builtin(clips[i].scene, 4000);
        assert_ok(sup_meter_create(c, NULL, &meter, &error), error);
        const sup_clip* clip = sup_character_clip(c, clips[i].clip);
        play            a = play_chain((sup_chain_desc){ .character = c, .clip = clip, .links = "lattice" },
                                       (sup_instance_desc){ .clip = clip });
        play            b = play_chain((sup_chain_desc){ .character = c, .clip = clip, .links = "linear" },
                                       (sup_instance_desc){ .clip = clip });
        void*           scratch = play_memory(sup_meter_scratch(meter));
        for (double t = 0; t <= clip->seconds; t += clip->seconds / 8) {
            play_hash(&a, t), play_hash(&b, t);
            uint32_t x = sup_meter_intersections(meter, a.out, scratch, NULL, NULL, 0),
                     y = sup_meter_intersections(meter, b.out, scratch, NULL, NULL, 0);
            sum[0] += x, sum[1] += y;
            over = x > y && x - y > over ? x - y : over;
        }
        print_message("  %s, %s: %u crossings, linear %u; one frame has %u more\n", clips[i].scene, clips[i].clip, sum[0],
                      sum[1], over);
        assert_true(over <= 2 + sum[1] / 100); // a triangle more or less where skin passes through skin
        free(scratch);
        play_end(&a), play_end(&b);
        sup_meter_destroy(meter);
        sup_character_destroy(c);
    }
}

// ---------------------------------------------------------------------------------------------- smoothness

static void point_areas(const sup_mesh* mesh, const sup_vec3* x, double* out)
{
    memset(out, 0, mesh->point_count * sizeof *out);
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        const uint32_t* k = mesh->triangles + 3 * (size_t)t;
        double          area = (double)v3_length(v3_cross(v3_sub(x[k[1]], x[k[0]]), v3_sub(x[k[2]], x[k[0]])));
        for (int i = 0; i < 3; ++i) out[k[i]] += area;
    }
}

static void diffuse(const sup_mesh* mesh, uint32_t rounds, double* f, double* sum, double* count)
{
    for (uint32_t r = 0; r < rounds; ++r) {
        memset(sum, 0, mesh->point_count * sizeof *sum);
        memset(count, 0, mesh->point_count * sizeof *count);
        for (uint32_t i = 0; i < 3 * mesh->triangle_count; ++i) {
            uint32_t a = mesh->triangles[i], b = mesh->triangles[i % 3 == 2 ? i - 2 : i + 1];
            sum[a] += f[b], sum[b] += f[a];
            count[a] += 1, count[b] += 1;
        }
        for (uint32_t p = 0; p < mesh->point_count; ++p)
            if (count[p] > 0) f[p] = (f[p] + sum[p] / count[p]) / 2;
    }
}

// What the lattice adds to the stretch of the skin under linear skinning, as the logarithm of areas, without what is smooth
// over more than a cell: root mean square over the skin. It captures blotches of cell size and streaks along the cuts between
// parts.
static double grain(const sup_character* c, const sup_vec3* lattice, const sup_vec3* linear, double cell)
{
    const sup_mesh* mesh = &c->mesh;
    uint32_t        n = mesh->point_count;
    double *        a = play_memory(n * sizeof *a), *b = play_memory(n * sizeof *b), *f = play_memory(n * sizeof *f),
           *g = play_memory(n * sizeof *g), *rest = play_memory(n * sizeof *rest), squares = 0, sum = 0, whole = 0;
    point_areas(mesh, mesh->points, rest), point_areas(mesh, lattice, a), point_areas(mesh, linear, b);
    for (uint32_t p = 0; p < n; ++p) f[p] = g[p] = log(fmin(fmax(a[p] / b[p], 0.2), 5)); // crushed skin is not the subject
    for (uint32_t i = 0; i < 3 * mesh->triangle_count; ++i)
        squares += (double)v3_length2(
                       v3_sub(mesh->points[mesh->triangles[i]], mesh->points[mesh->triangles[i % 3 == 2 ? i - 2 : i + 1]])) /
                   (3 * mesh->triangle_count);
    diffuse(mesh, (uint32_t)ceil(2 * cell * cell / squares), g, a, b); // half an edge's square a round
    for (uint32_t p = 0; p < n; ++p) sum += rest[p] * (f[p] - g[p]) * (f[p] - g[p]), whole += rest[p];
    free(a), free(b), free(f), free(g), free(rest);
    return sqrt(sum / whole);
}

static void neither_cells_nor_cuts_show_in_the_stretch_of_the_skin(void** state)
{
    (void)state;
    static const struct {
        const char *scene, *clip;
        double      time, most;
    } shots[] = { { "beast", "jump", 0.4, 0.015 }, { "beast", "walk", 0.5, 0.01 }, { "arm", "flex", 1, 0.006 } };
    for (size_t i = 0; i < SUP_COUNT_OF(shots); ++i) {
        sup_character*  c = test_builtin(shots[i].scene, 0);
        const sup_clip* clip = sup_character_clip(c, shots[i].clip);
        const char*     links = "lattice(preset=still)"; // swing is not tested here
        play            a =
            play_chain((sup_chain_desc){ .character = c, .clip = clip, .links = links }, (sup_instance_desc){ .clip = clip });
        play b = play_chain((sup_chain_desc){ .character = c, .clip = clip, .links = "linear" },
                            (sup_instance_desc){ .clip = clip });
        play_hash(&a, shots[i].time), play_hash(&b, shots[i].time);
        sup_vec3 low = c->mesh.points[0], high = low;
        for (uint32_t p = 0; p < a.points; ++p)
            for (int k = 0; k < 3; ++k) {
                float x = (&c->mesh.points[p].x)[k];
                (&low.x)[k] = fminf((&low.x)[k], x), (&high.x)[k] = fmaxf((&high.x)[k], x);
            }
        double cell = (double)fmaxf(high.x - low.x, fmaxf(high.y - low.y, high.z - low.z)) / 48;
        double found = grain(c, a.out, b.out, cell);
        print_message("  %s, %s: grain of %.4f\n", shots[i].scene, shots[i].clip, found);
        assert_true(found < shots[i].most);
        play_end(&a), play_end(&b);
        sup_character_destroy(c);
    }
}

// The least distance of a point of the forearm from its axis, over what it was at rest.
static double least_radius(const char* links)
{
    sup_character*  c = test_builtin("arm", 2400);
    const sup_clip* clip = sup_character_clip(c, "twist");
    play p = play_chain((sup_chain_desc){ .character = c, .clip = clip, .links = links }, (sup_instance_desc){ .clip = clip });
    double least = INFINITY;
    float  low = INFINITY, high = -INFINITY;
    for (uint32_t i = 0; i < p.points; ++i) low = fminf(low, c->mesh.points[i].x), high = fmaxf(high, c->mesh.points[i].x);
    play_hash(&p, clip->seconds); // the hand is turned by 150 degrees about x, the arm's own axis
    for (uint32_t i = 0; i < p.points; ++i) {
        sup_vec3 a = c->mesh.points[i], b = p.out[i];
        if (a.x < low + 0.1f * (high - low) || a.x > high - 0.1f * (high - low)) continue; // not the caps
        least = fmin(least, sqrt((double)(b.y * b.y + b.z * b.z) / (double)(a.y * a.y + a.z * a.z)));
    }
    play_end(&p);
    sup_character_destroy(c);
    return least;
}

static void a_twisted_forearm_stays_round(void** state)
{
    (void)state;
    double linear = least_radius("linear"), lattice = least_radius("lattice"), pinched = least_radius("lattice(blend=linear)");
    print_message("  twisted by 150 degrees: linear keeps %.2f of the radius, lattice %.2f, with blend=linear %.2f\n", linear,
                  lattice, pinched);
    assert_true(linear < 0.5);
    assert_true(lattice > 0.9);
    assert_true(pinched < 0.8);
}

// The elbow of the arm, with automatic weights.
static void weights_that_were_never_painted_lose_no_more_either(void** state)
{
    (void)state;
    double         linear[2], lattice[2];
    sup_character* c = test_builtin("arm", 1200);
    range(c, "flex", "linear", &linear[0], &linear[1]);
    range(c, "flex", "lattice(weights=screened)", &lattice[0], &lattice[1]);
    print_message("  screened: linear %+.2f .. %+.2f %%, lattice %+.2f .. %+.2f %%\n", 100 * linear[0], 100 * linear[1],
                  100 * lattice[0], 100 * lattice[1]);
    assert_true(lattice[0] > 0.5 * linear[0] && lattice[1] < 0.02);
    sup_character_destroy(c);
}

// The belly of the beast swings at 2 Hz and everything else at 20: how far the skin is from that of a beast at 20 Hz
// throughout, the mean over a clip, in units. Where no cell touches a painted one the two are the same bit for bit.
static void swing_of_a_belly(const sup_character* c, const char* name, const char* links, double* inside, double* outside)
{
    static const sup_vec3 middle = { 0, 0.2f, 0 };
    static const float    radius = 0.15f, cell = 1.32f / 40;
    const sup_clip*       clip = sup_character_clip(c, name);
    sup_character         with = *c;
    float*                values = malloc(c->mesh.point_count * sizeof *values);
    sup_map               map = { "_LATTICE_POSE_HZ", values };
    uint32_t              counts[2] = { 0 };
    assert_non_null(values);
    for (uint32_t i = 0; i < c->mesh.point_count; ++i)
        values[i] = v3_distance(c->mesh.points[i], middle) < radius ? 0.1f : 1.0f;
    with.maps = &map, with.map_count = 1;
    play a = play_chain((sup_chain_desc){ .character = c, .clip = clip, .links = links }, (sup_instance_desc){ .clip = clip });
    play b =
        play_chain((sup_chain_desc){ .character = &with, .clip = clip, .links = links }, (sup_instance_desc){ .clip = clip });
    *inside = *outside = 0;
    for (uint32_t f = 0; f / 30.0 <= clip->seconds; ++f) {
        play_hash(&a, f / 30.0), play_hash(&b, f / 30.0);
        for (uint32_t i = 0; i < a.points; ++i) {
            double d = (double)v3_distance(a.out[i], b.out[i]);
            bool   painted = values[i] < 1;
            *(painted ? inside : outside) += d;
            ++counts[painted];
            if (v3_distance(c->mesh.points[i], middle) > radius + 3.5f * cell)
                assert_memory_equal(&a.out[i], &b.out[i], sizeof *a.out);
        }
    }
    *inside /= counts[1], *outside /= counts[0];
    play_end(&a), play_end(&b);
    free(values);
}

static void softness_stays_where_it_is_painted(void** state)
{
    (void)state;
    static const char* const clips[] = { "walk", "shake", "jump" };
    static const char* const links[] = { "lattice(pose_hz=20,cells=40)", "lattice(pose_hz=20,cells=40,volume=0)" };
    for (size_t i = 0; i < SUP_COUNT_OF(clips); ++i)
        for (size_t k = 0; k < SUP_COUNT_OF(links); ++k) {
            sup_character* c = NULL;
            sup_error      error;
            double         inside, outside;
            assert_ok(sup_builtin_create("beast", 2400, NULL, &c, &error), error);
            swing_of_a_belly(c, clips[i], links[k], &inside, &outside);
            print_message("  %s, %s: %.2f mm inside, %.2f %% of that outside\n", clips[i], links[k], 1e3 * inside,
                          100 * outside / inside);
            assert_true(inside > 1e-4);
            assert_true(outside < 0.02 * inside);
            sup_character_destroy(c);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_clip_loses_more_volume_than_under_linear_skinning),
        cmocka_unit_test(no_part_is_worse_off_than_under_linear_skinning),
        cmocka_unit_test(parts_beside_a_hole_are_no_worse_off_either),
        cmocka_unit_test(no_frame_has_more_crossings_than_under_linear_skinning),
        cmocka_unit_test(neither_cells_nor_cuts_show_in_the_stretch_of_the_skin),
        cmocka_unit_test(a_twisted_forearm_stays_round),
        cmocka_unit_test(weights_that_were_never_painted_lose_no_more_either),
        cmocka_unit_test(softness_stays_where_it_is_painted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
