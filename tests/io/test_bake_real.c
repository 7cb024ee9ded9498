// Bakes of the shared skinned characters: every clip shows what was baked, and the other clips play as before.
#include "bake_support.h"
#include "folder.h"

#define NEAR 1e-5

// The clips of the source, played in the baked file: largest distance of any vertex over the diagonal.
static double other_clips_error(const test_bake* b, const sup_character* again)
{
    const sup_character* c = b->character;
    sup_arena*           arena = sup_arena_create(NULL);
    sup_pose             pose, pose_again;
    sup_error            error;
    assert_ok(sup_pose_create(c, arena, &pose, &error), error);
    assert_ok(sup_pose_create(again, arena, &pose_again, &error), error);
    sup_vec3* points = sup_arena_alloc(arena, c->mesh.point_count, sizeof *points);
    sup_vec3* shown = sup_arena_alloc(arena, again->mesh.point_count, sizeof *shown);
    double    worst = 0;
    for (uint32_t k = 0; k < c->clip_count; ++k) {
        const sup_clip* same = &again->clips[k];
        assert_string_equal(same->name, c->clips[k].name);
        for (int i = 0; i <= 3; ++i) {
            double time = c->clips[k].seconds * i / 3;
            sup_clip_sample(c, &c->clips[k], time, &pose);
            sup_clip_sample(again, same, time, &pose_again);
            test_viewer_points(c, &pose, points);
            test_viewer_points(again, &pose_again, shown);
            for (uint32_t p = 0; p < c->mesh.part_count; ++p) {
                const sup_part* from = &c->mesh.parts[p];
                const sup_part* to = test_part_again(again, from, p);
                for (uint32_t v = 0; v < from->vertex_count; ++v) {
                    double d = (double)v3_distance(points[c->mesh.vertex_points[from->vertex_begin + v]],
                                                   shown[again->mesh.vertex_points[to->vertex_begin + v]]);
                    if (!(d <= worst)) worst = d;
                }
            }
        }
    }
    sup_arena_destroy(arena);
    return worst / (double)c->mesh.diagonal;
}

static void bake_all_clips(const char* path, bool flat)
{
    sup_error      error;
    sup_character* c = test_load(path);
    for (uint32_t k = 0; k < c->clip_count; ++k) {
        char      name[256];
        uint32_t  frames = (uint32_t)(c->clips[k].seconds * 10) + 1;
        test_bake b = { .character = c,
                        .clip = &c->clips[k],
                        .path = test_folder_file(&folder, "real.glb"),
                        .fps = 10,
                        .frames = frames,
                        .flat = flat };
        assert_ok(test_bake_run(&b, NULL, &error), error);
        snprintf(name, sizeof name, "%s.dualquat", c->clips[k].name);
        double         baked = test_bake_error(&b, name);
        sup_character* again = test_load(b.path);
        double other = flat ? 0 : other_clips_error(&b, again);
        print_message("%s: %u frames, %llu bytes, baked %g, other clips %g\n%s%s", name, frames, (unsigned long long)b.bytes,
                      baked, other, b.warnings, b.warnings[0] ? "\n" : "");
        assert_int_equal(again->mesh.vertex_count, c->mesh.vertex_count);
        assert_int_equal(again->mesh.point_count, c->mesh.point_count);
        assert_int_equal(again->clip_count, c->clip_count + 1);
        assert_true(baked < NEAR);
        assert_true(other < NEAR);
        assert_true(flat || !strstr(b.warnings, "loses its skin")); // whatever its weights sum to
        for (uint32_t p = 0; flat && p < c->mesh.point_count; ++p) // without a clip it stands as the source does
            assert_true(v3_distance(c->mesh.points[p], again->mesh.points[p]) < NEAR * c->mesh.diagonal);
        sup_character_destroy(again);
        if (flat) break; // one clip shows it
    }
    sup_character_destroy(c);
}

static void cesiumman_plays_as_it_was_baked(void** state)
{
    (void)state;
    TEST_NEEDS_DATA(path, "skinned/cesiumman.glb");
    bake_all_clips(path, false);
    bake_all_clips(path, true);
}

static void riggedsimple_plays_as_it_was_baked(void** state)
{
    (void)state;
    TEST_NEEDS_DATA(path, "skinned/riggedsimple.glb");
    bake_all_clips(path, false);
    bake_all_clips(path, true);
}

static void fox_plays_as_it_was_baked(void** state)
{
    (void)state;
    TEST_NEEDS_DATA(path, "skinned/fox.glb");
    bake_all_clips(path, false);
    bake_all_clips(path, true);
}

static void soldier_plays_as_it_was_baked(void** state)
{
    (void)state;
    TEST_NEEDS_DATA(path, "skinned/soldier.glb");
    bake_all_clips(path, false);
    bake_all_clips(path, true);
}

static void robotexpressive_plays_as_it_was_baked(void** state)
{
    (void)state;
    TEST_NEEDS_DATA(path, "skinned/robotexpressive.glb");
    bake_all_clips(path, false);
    bake_all_clips(path, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cesiumman_plays_as_it_was_baked),
        cmocka_unit_test(riggedsimple_plays_as_it_was_baked),
        cmocka_unit_test(fox_plays_as_it_was_baked),
        cmocka_unit_test(soldier_plays_as_it_was_baked),
        cmocka_unit_test(robotexpressive_plays_as_it_was_baked),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
