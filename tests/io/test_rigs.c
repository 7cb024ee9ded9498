// Rigs of research data: skeletons as graphs, tables of weights and motion, and the meshes they were published with.
#include "support.h"

#include "io/motion/motion_file.h"
#include "math/vec.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef sup_result parse_table(sup_bytes bytes, sup_arena* arena, sup_matrix* out, sup_error* error);

// In memory of its own, so that a sanitizer sees any step beyond.
static sup_bytes copy_of(const void* text, size_t size)
{
    uint8_t* copy = malloc(size ? size : 1);
    memcpy(copy, text, size);
    return (sup_bytes){ copy, size };
}

static void refuse_table(parse_table* parse, const char* text, size_t size, const char* words)
{
    sup_arena* arena = sup_arena_create(NULL);
    sup_matrix m;
    sup_error  error;
    sup_bytes  bytes = copy_of(text, size);
    assert_int_equal(parse(bytes, arena, &m, &error), SUP_ERROR_INPUT);
    if (!strstr(error.text, words)) fail_msg("'%s' does not say '%s'", error.text, words);
    free((void*)bytes.data);
    sup_arena_destroy(arena);
}

static void refuse_tgf(const char* text, const char* words)
{
    sup_arena* arena = sup_arena_create(NULL);
    sup_rig    rig;
    sup_error  error;
    sup_bytes  bytes = copy_of(text, strlen(text));
    assert_int_equal(sup_tgf_parse(bytes, arena, &rig, &error), SUP_ERROR_INPUT);
    if (!strstr(error.text, words)) fail_msg("'%s' does not say '%s'", error.text, words);
    free((void*)bytes.data);
    sup_arena_destroy(arena);
}

static void edges_are_bones_with_parents(void** state)
{
    (void)state;
    static const char text[] = "1 0 0 0 4.4e+291 5e-324\r\n2 1 0 0\n3 2 0 0\n4 1 1 0\n#\n2 3\n1 2\n2\t4\n#\n";
    sup_arena*        arena = sup_arena_create(NULL);
    sup_rig           rig;
    sup_error         error;
    assert_ok(sup_tgf_parse((sup_bytes){ (const uint8_t*)text, sizeof text - 1 }, arena, &rig, &error), error);
    assert_int_equal(rig.bone_count, 3);
    assert_int_equal(rig.bones[0].parent, 1); // listed before its parent
    assert_int_equal(rig.bones[1].parent, SUP_NONE);
    assert_int_equal(rig.bones[2].parent, 1);
    assert_true(rig.bones[2].head.x == 1 && rig.bones[2].tail.y == 1);
    assert_string_equal(rig.bones[0].name, "bone 2-3");
    sup_arena_destroy(arena);
    refuse_tgf("", "no '#'");
    refuse_tgf("1 0 0\n#\n", "line 1: a point");
    refuse_tgf("1 0 0 nan\n#\n", "a point");
    refuse_tgf("1 0 0 0\n1 0 0 0\n#\n", "twice");
    refuse_tgf("1 0 0 0\n2 0 0 1\n#\n", "no edges");
    refuse_tgf("1 0 0 0\n2 0 0 1\n#\n1 3\n", "line 4: an edge");
    refuse_tgf("1 0 0 0\n2 0 0 1\n#\n1 1\n", "begins and ends");
    refuse_tgf("1 0 0 0\n2 0 0 1\n3 1 1 1\n#\n1 2\n3 2\n", "a tree");
}

static void both_kinds_of_tables_are_read(void** state)
{
    (void)state;
    static const char text[] = "2 3\r\n1\n2\n3\n4\n5e-1\n-6\n";
    sup_arena*        arena = sup_arena_create(NULL);
    sup_matrix        m;
    sup_error         error;
    assert_ok(sup_dmat_parse((sup_bytes){ (const uint8_t*)text, sizeof text - 1 }, arena, &m, &error), error);
    assert_true(m.rows == 3 && m.columns == 2 && m.values[1] == 2 && m.values[4] == 0.5 && m.values[5] == -6);

    static const uint8_t binary[] = "0 0\n1 2\n\0\0\0\0\0\0\xf8\x3f\0\0\0\0\0\0\0\xc0"; // 1.5 and -2
    assert_ok(sup_dmat_parse((sup_bytes){ binary, sizeof binary - 1 }, arena, &m, &error), error);
    assert_true(m.rows == 2 && m.columns == 1 && m.values[0] == 1.5 && m.values[1] == -2);

    static const char rows[] = "1 2 3\n4 5 6\n";
    assert_ok(sup_tmat_parse((sup_bytes){ (const uint8_t*)rows, sizeof rows - 1 }, arena, &m, &error), error);
    assert_true(m.rows == 2 && m.columns == 3 && m.values[0] == 1 && m.values[1] == 4 && m.values[5] == 6);
    sup_arena_destroy(arena);
}

static void tables_that_lie_are_refused(void** state)
{
    (void)state;
    refuse_table(sup_dmat_parse, "", 0, "begins with");
    refuse_table(sup_dmat_parse, "0 5\n", 4, "empty");
    refuse_table(sup_dmat_parse, "4000000000 4000000000\n1\n", 24, "truncated");
    refuse_table(sup_dmat_parse, "1 3\n1\n2 \n ", 11, "only 2 of 3");
    refuse_table(sup_dmat_parse, "1 2\n1\nx\n", 8, "line 3");
    refuse_table(sup_dmat_parse, "0 0\n1 2\n12345678", 16, "truncated");
    refuse_table(sup_dmat_parse, "0 0\n1 1\n\xff\xff\xff\xff\xff\xff\xff\xff", 16, "number 1 is not finite");
    refuse_table(sup_tmat_parse, "", 0, "empty");
    refuse_table(sup_tmat_parse, "1 2\n3\n", 6, "do not fill rows");
    refuse_table(sup_tmat_parse, "1 2\nx 3\n", 8, "line 2");
}

static void cut_files_and_missing_memory_are_errors(void** state)
{
    (void)state;
    static const char tgf[] = "1 0 0 0\n2 1 0 0\n3 2 0 0\n#\n1 2\n2 3\n#\n", dmat[] = "1 3\n1.25\n2.5\n3.75\n";
    static const char tmat[] = "1 2 3\n4.5 5 6\n7 8 9e0\n";
    for (size_t size = 0; size < sizeof tgf; ++size)
        for (long fail_at = -1; fail_at < 12; ++fail_at) {
            test_allocator memory;
            test_allocator_init(&memory, fail_at);
            sup_arena* arena = sup_arena_create(&memory.allocator);
            sup_rig    rig;
            sup_matrix m;
            sup_error  error = { 0 };
            sup_bytes  bytes = copy_of(tgf, size), table = copy_of(dmat, size < sizeof dmat - 1 ? size : sizeof dmat - 1);
            if (arena && sup_tgf_parse(bytes, arena, &rig, &error) != SUP_OK) assert_true(error.text[0] != 0);
            error.text[0] = 0;
            if (arena && sup_dmat_parse(table, arena, &m, &error) != SUP_OK) assert_true(error.text[0] != 0);
            sup_bytes rows = copy_of(tmat, size < sizeof tmat - 1 ? size : sizeof tmat - 1);
            error.text[0] = 0;
            if (arena && sup_tmat_parse(rows, arena, &m, &error) != SUP_OK) assert_true(error.text[0] != 0);
            free((void*)bytes.data);
            free((void*)table.data);
            free((void*)rows.data);
            sup_arena_destroy(arena);
            assert_int_equal(memory.live, 0);
        }
}

// ---------------------------------------------------------------------------------------------- published rigs

typedef struct rigged {
    sup_arena*     arena;
    sup_rig        rig;
    sup_matrix     weights;
    sup_character* character;
} rigged;

static rigged load(const char* mesh, const char* skeleton, const char* weights)
{
    rigged         r = { .arena = sup_arena_create(NULL) };
    sup_error      error;
    sup_character* plain = test_load(mesh);
    assert_ok(sup_rig_load(skeleton, NULL, r.arena, &r.rig, &error), error);
    assert_ok(sup_matrix_load(weights, NULL, r.arena, &r.weights, &error), error);
    assert_ok(sup_rig_attach(plain, &r.rig, &r.weights, NULL, &r.character, &error), error);
    sup_character_destroy(plain);
    return r;
}

static void add_motion(rigged* r, const char* path, sup_matrix* motion)
{
    sup_clip  clip;
    sup_error error;
    assert_ok(sup_matrix_load(path, NULL, r->arena, motion, &error), error);
    assert_ok(sup_rig_clip(r->character, &r->rig, motion, "motion", 30, r->arena, &clip, &error), error);
    assert_ok(sup_character_add_clip(r->character, &clip, &error), error);
}

// The skinned points of the last clip at a frame, by the pose's own matrices.
static void skin(const rigged* r, uint32_t frame, sup_pose* pose, sup_vec3* out)
{
    const sup_character* c = r->character;
    sup_clip_sample(c, &c->clips[c->clip_count - 1], frame / 30.0, pose);
    for (uint32_t p = 0; p < c->mesh.point_count; ++p) {
        double sum[3] = { 0 };
        for (uint32_t i = c->weights.begin[p]; i < c->weights.begin[p + 1]; ++i) {
            sup_vec3 q = affine_point(&pose->skin[c->weights.joints[i]], c->mesh.points[p]);
            for (int k = 0; k < 3; ++k) sum[k] += (double)c->weights.values[i] * (double)(&q.x)[k];
        }
        out[p] = v3((float)sum[0], (float)sum[1], (float)sum[2]);
    }
}

static void wolf_poses_are_those_published(void** state)
{
    (void)state;
    TEST_NEEDS_DATA(found, "wolf-rig/wolf.obj");
    char mesh[512], skeleton[512], weights[512];
    snprintf(mesh, sizeof mesh, "%s", found);
    snprintf(skeleton, sizeof skeleton, "%s", test_data("wolf-rig/wolf.tgf"));
    snprintf(weights, sizeof weights, "%s", test_data("wolf-rig/wolf-weights.dmat"));
    rigged    r = load(mesh, skeleton, weights);
    sup_pose  pose;
    sup_error error;
    assert_ok(sup_pose_create(r.character, r.arena, &pose, &error), error);
    sup_vec3* points = malloc(r.character->mesh.point_count * sizeof *points);
    float     worst = 0;
    for (int i = 1; i <= 6; ++i) {
        char       name[64];
        sup_matrix motion;
        snprintf(name, sizeof name, "wolf-rig/wolf-%d.tmat", i);
        add_motion(&r, test_data(name), &motion);
        snprintf(name, sizeof name, "wolf-rig/wolf-%d.obj", i);
        sup_character* truth = test_load(test_data(name));
        skin(&r, 0, &pose, points);
        for (uint32_t p = 0; p < truth->mesh.point_count; ++p) {
            float off = v3_distance(points[p], truth->mesh.points[p]);
            worst = off > worst ? off : worst;
        }
        sup_character_destroy(truth);
    }
    print_message("wolf: largest deviation %g of diagonal %g\n", (double)worst, (double)r.character->mesh.diagonal);
    assert_true(worst < 2e-5f);
    free(points);
    sup_character_destroy(r.character);
    sup_arena_destroy(r.arena);
}

// Against the published formula in double: sum over bones of weight x matrix x point.
static void every_frame_of_the_elephant_follows_its_matrices(void** state)
{
    (void)state;
    TEST_NEEDS_DATA(found, "libigl-rigs/elephant.obj");
    char mesh[512], skeleton[512], weights[512];
    snprintf(mesh, sizeof mesh, "%s", found);
    snprintf(skeleton, sizeof skeleton, "%s", test_data("libigl-rigs/elephant.tgf"));
    snprintf(weights, sizeof weights, "%s", test_data("libigl-rigs/elephant-weights.dmat"));
    rigged     r = load(mesh, skeleton, weights);
    sup_matrix motion;
    sup_pose   pose;
    sup_error  error;
    add_motion(&r, test_data("libigl-rigs/elephant-anim.dmat"), &motion);
    assert_int_equal(motion.columns, 457);
    assert_ok(sup_pose_create(r.character, r.arena, &pose, &error), error);
    uint32_t  count = r.character->mesh.point_count, bones = r.rig.bone_count;
    sup_vec3* points = malloc(count * sizeof *points);
    double    worst = 0;
    for (uint32_t f = 0; f < motion.columns; f += 3) {
        const double* t = motion.values + (size_t)f * motion.rows;
        skin(&r, f, &pose, points);
        for (uint32_t p = 0; p < count; ++p) {
            sup_vec3 rest = r.character->mesh.points[p];
            double   at[4] = { (double)rest.x, (double)rest.y, (double)rest.z, 1 }, sum = 0;
            for (int i = 0; i < 3; ++i) {
                double value = 0;
                for (uint32_t b = 0; b < bones; ++b)
                    for (uint32_t k = 0; k < 4; ++k)
                        value +=
                            r.weights.values[(size_t)b * r.weights.rows + p] * t[(size_t)i * 4 * bones + 4 * b + k] * at[k];
                double off = value - (double)(&points[p].x)[i];
                sum += off * off;
            }
            worst = sqrt(sum) > worst ? sqrt(sum) : worst;
        }
    }
    print_message("elephant: largest deviation %g of diagonal %g\n", worst, (double)r.character->mesh.diagonal);
    assert_true(worst < 1e-5 * (double)r.character->mesh.diagonal);
    assert_true(floor(r.character->clips[0].seconds * 30 + 1e-6) + 1 == 457); // no frame is lost to rounding
    free(points);
    sup_character_destroy(r.character);
    sup_arena_destroy(r.arena);
}

static void tables_of_another_rig_are_refused(void** state)
{
    (void)state;
    sup_character* tube = test_tube(4, 6, 2, 2, 0.5f);
    sup_rig_bone   bones[2] = { { "a", SUP_NONE, { 0, 0, 0 }, { 1, 0, 0 } }, { "b", 0, { 1, 0, 0 }, { 2, 0, 0 } } };
    sup_rig        rig = { 2, bones };
    uint32_t       rows = tube->mesh.vertex_count;
    double*        values = calloc((size_t)rows * 3, sizeof *values);
    for (uint32_t i = 0; i < 2 * rows; ++i) values[i] = 0.5;
    sup_matrix     weights = { rows, 2, values }, wide = { rows, 3, values }, tall = { rows + 1, 2, values };
    sup_character* made = NULL;
    sup_error      error;
    sup_arena*     arena = sup_arena_create(NULL);
    assert_int_equal(sup_rig_attach(tube, &rig, &wide, NULL, &made, &error), SUP_ERROR_INPUT);
    assert_non_null(strstr(error.text, "3 columns"));
    assert_int_equal(sup_rig_attach(tube, &rig, &tall, NULL, &made, &error), SUP_ERROR_INPUT);
    values[3] = -0.5;
    assert_int_equal(sup_rig_attach(tube, &rig, &weights, NULL, &made, &error), SUP_ERROR_INPUT);
    assert_non_null(strstr(error.text, "vertex 4"));
    values[3] = 0.5;
    assert_ok(sup_rig_attach(tube, &rig, &weights, NULL, &made, &error), error);

    // One pose: the second bone turned by a matrix with shear.
    double     pose[24] = { 0 };
    sup_matrix motion = { 8, 3, pose };
    sup_clip   clip;
    for (int b = 0; b < 2; ++b)
        for (int i = 0; i < 3; ++i) pose[8 * i + 4 * b + i] = 1;
    assert_ok(sup_rig_clip(made, &rig, &motion, "pose", 30, arena, &clip, &error), error);
    assert_true(clip.seconds == 0 && clip.channel_count == 6);
    pose[8 * 0 + 4 * 1 + 1] = 0.5;
    assert_int_equal(sup_rig_clip(made, &rig, &motion, "pose", 30, arena, &clip, &error), SUP_ERROR_INPUT);
    assert_non_null(strstr(error.text, "shear"));
    motion.rows = 7;
    assert_int_equal(sup_rig_clip(made, &rig, &motion, "pose", 30, arena, &clip, &error), SUP_ERROR_INPUT);
    free(values);
    sup_arena_destroy(arena);
    sup_character_destroy(made);
    sup_character_destroy(tube);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edges_are_bones_with_parents),      cmocka_unit_test(both_kinds_of_tables_are_read),
        cmocka_unit_test(tables_that_lie_are_refused),       cmocka_unit_test(cut_files_and_missing_memory_are_errors),
        cmocka_unit_test(wolf_poses_are_those_published),    cmocka_unit_test(every_frame_of_the_elephant_follows_its_matrices),
        cmocka_unit_test(tables_of_another_rig_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
