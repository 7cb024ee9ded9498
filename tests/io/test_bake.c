// Bakes of hand-made characters: what a viewer shows is what was baked.
#include "bake_support.h"
#include "base/internal.h"
#include "folder.h"

#define NEAR 1e-5 // of the diagonal: a float has 24 bits, the pull-back costs a few of them

static void bake(test_bake* b)
{
    sup_error error;
    assert_ok(test_bake_run(b, NULL, &error), error);
}

static void skinned_tube_shows_the_baked_points(void** state)
{
    (void)state;
    sup_character* tube = test_tube(12, 8, 3, 3, 0.5f);
    test_bake      b = {
             .character = tube, .clip = tube->clips, .path = test_folder_file(&folder, "tube.glb"), .fps = 10, .frames = 11
    };
    bake(&b);
    assert_string_equal(b.warnings, "");
    assert_true(test_bake_error(&b, "bend.dualquat") < NEAR);
    FILE* file = fopen(b.path, "rb");
    fseek(file, 0, SEEK_END);
    assert_int_equal(ftell(file), b.bytes);
    fclose(file);
    sup_character_destroy(tube);
}

static void flat_tube_shows_the_baked_points_and_says_so(void** state)
{
    (void)state;
    sup_character* tube = test_tube(12, 8, 3, 3, 0.5f);
    test_bake      b = { .character = tube,
                         .clip = tube->clips,
                         .path = test_folder_file(&folder, "flat.glb"),
                         .fps = 10,
                         .frames = 11,
                         .flat = true };
    bake(&b);
    assert_non_null(strstr(b.warnings, "as --flat requests"));
    assert_true(test_bake_error(&b, "bend.dualquat") < NEAR);
    sup_character* again = test_load(b.path);
    assert_int_equal(again->mesh.part_count, 1);
    assert_int_not_equal(again->mesh.parts[0].joint, SUP_NONE);
    sup_character_destroy(again);
    sup_character_destroy(tube);
}

static void held_pose_shows_the_baked_points(void** state)
{
    (void)state;
    sup_character* tube = test_tube(12, 8, 3, 3, 0.5f);
    sup_arena*     arena = sup_arena_create(NULL);
    sup_pose       pose;
    sup_error      error;
    assert_ok(sup_pose_create(tube, arena, &pose, &error), error);
    pose.local[1].rotation = quat(0, 0, 0.6f, 0.8f);
    pose.local[2].translation.y = 0.25f;
    pose.local[2].scale = v3(1.5f, 1.5f, 1.5f);
    sup_pose_update(tube, &pose);
    test_bake b = { .character = tube,
                    .pose = &pose,
                    .path = test_folder_file(&folder, "held.glb"),
                    .fps = 30,
                    .frames = 1,
                    .chain = "linear" };
    bake(&b);
    assert_true(test_bake_error(&b, "pose.linear") < NEAR);
    sup_arena_destroy(arena);
    sup_character_destroy(tube);
}

// Points of the file whose weights are not those of the character, and the largest difference of any.
static uint32_t changed_weights(const sup_character* c, const char* path, double* most)
{
    uint32_t       changed = 0;
    sup_character* again = test_load(path);
    assert_int_equal(again->mesh.point_count, c->mesh.point_count);
    *most = 0;
    for (uint32_t p = 0; p < c->mesh.point_count; ++p) {
        double worst = 0;
        for (uint32_t i = again->weights.begin[p]; i < again->weights.begin[p + 1]; ++i) {
            double was = 0;
            for (uint32_t k = c->weights.begin[p]; k < c->weights.begin[p + 1]; ++k)
                if (strcmp(c->skeleton.joints[c->weights.joints[k]].name,
                           again->skeleton.joints[again->weights.joints[i]].name) == 0)
                    was = (double)c->weights.values[k];
            worst = fmax(worst, fabs((double)again->weights.values[i] - was));
        }
        changed += worst > 1e-6;
        *most = fmax(*most, worst);
    }
    sup_character_destroy(again);
    return changed;
}

static sup_clip lone_clip(sup_channel* channel, uint32_t joint, sup_path path, const float* values)
{
    static const float times[] = { 0, 1 };
    *channel = (sup_channel){ .target = joint,
                              .path = path,
                              .key_count = 2,
                              .width = path == SUP_PATH_ROTATION ? 4 : 3,
                              .times = times,
                              .values = values };
    return (sup_clip){ .name = "lone", .seconds = 1, .channel_count = 1, .channels = channel, .source_id = SUP_NONE };
}

// A twist of 180 degrees between two joints of equal weight collapses the ring between them onto the axis.
static void only_the_twisted_ring_gets_other_weights(void** state)
{
    (void)state;
    sup_character* tube = test_tube(13, 8, 2, 3, 0.5f);
    const float    turns[] = { 0, 0, 0, 1, 1, 0, 0, 0 };
    double         most;
    sup_channel    channel;
    sup_clip       clip = lone_clip(&channel, 1, SUP_PATH_ROTATION, turns);
    test_bake b = { .character = tube, .clip = &clip, .path = test_folder_file(&folder, "twist.glb"), .fps = 4, .frames = 5 };
    bake(&b);
    assert_non_null(strstr(b.warnings, "linear blending folds 8 vertices of mesh 'tube' flat"));
    assert_null(strstr(b.warnings, "loses its skin"));
    assert_true(test_bake_error(&b, "lone.dualquat") < NEAR);
    assert_int_equal(changed_weights(tube, b.path, &most), 8);
    assert_true(most <
                0.05); // a singular value of 1/32: half of it to one side and half to the other, and a step of two at most
    // Up to 135 degrees it can be undone, and a clip that the file does not have is written as well.
    b.frames = 4;
    bake(&b);
    assert_string_equal(b.warnings, "");
    assert_true(test_bake_error(&b, "lone.dualquat") < NEAR);
    assert_int_equal(changed_weights(tube, b.path, &most), 0);
    sup_character_destroy(tube);
}

// A joint that is scaled to nothing takes all that follows it alone to one place: a little of the joint above undoes that.
static void what_is_scaled_to_nothing_hangs_on_the_joint_above(void** state)
{
    (void)state;
    sup_character* tube = test_tube(13, 8, 2, 3, 0.5f);
    const float    scales[] = { 1, 1, 1, 0, 0, 0 };
    double         most;
    sup_channel    channel;
    sup_clip       clip = lone_clip(&channel, 1, SUP_PATH_SCALE, scales);
    test_bake b = { .character = tube, .clip = &clip, .path = test_folder_file(&folder, "gone.glb"), .fps = 4, .frames = 5 };
    bake(&b);
    assert_null(strstr(b.warnings, "loses its skin"));
    assert_non_null(strstr(b.warnings, "flat"));
    assert_true(test_bake_error(&b, "lone.dualquat") < 1e-3); // displacements are a thousand times as long
    changed_weights(tube, b.path, &most);
    assert_true(most < 0.01);
    // With the joint at the top nothing is left to hang on.
    clip = lone_clip(&channel, 0, SUP_PATH_SCALE, scales);
    bake(&b);
    assert_non_null(strstr(b.warnings, "'tube' loses its skin"));
    assert_true(test_bake_error(&b, "lone.dualquat") < NEAR);
    sup_character_destroy(tube);
}

static void baking_again_keeps_the_first_bake(void** state)
{
    (void)state;
    sup_character* tube = test_tube(6, 5, 3, 3, 0.5f);
    test_bake      first = {
             .character = tube, .clip = tube->clips, .path = test_folder_file(&folder, "once.glb"), .fps = 5, .frames = 6
    };
    bake(&first);
    sup_character* once = test_load(first.path);
    assert_int_equal(once->mesh.point_count, tube->mesh.point_count);
    assert_memory_equal(once->mesh.vertex_points, tube->mesh.vertex_points, tube->mesh.vertex_count * sizeof(uint32_t));
    const sup_clip* clip = sup_character_clip(once, "bend");
    test_bake       second = {
              .character = once, .clip = clip, .path = test_folder_file(&folder, "twice.glb"), .fps = 7, .frames = 8
    };
    bake(&second);
    assert_true(test_bake_error(&second, "bend.dualquat 2") < NEAR);
    first.path = second.path;
    assert_true(test_bake_error(&first, "bend.dualquat") < NEAR);
    sup_character_destroy(once);
    sup_character_destroy(tube);
}

// ---------------------------------------------------------------------------------------------- two parts, morphs, many
// influences

typedef struct scene {
    sup_vec3       positions[4];
    uint32_t       corners[6], joints[20];
    float          weights[20];
    sup_vec3       deltas[4];
    float          stiffness[4];
    sup_joint      bones[6];
    sup_morph_desc morph;
    sup_map_desc   map;
    sup_part_desc  parts[2];
    float          times[2], turns[8], lifts[2];
    sup_channel    channels[2];
    sup_clip       clip;
} scene;

// Two squares: "skin" on five joints with the given number of influences, "box" on the last joint, with a morph and a map.
static sup_character* two_squares(scene* s, uint32_t influences)
{
    static const sup_vec3 square[4] = { { 0, 0, 0 }, { 1, 0, 0 }, { 1, 1, 0 }, { 0, 1, 0 } };
    static const uint32_t corners[6] = { 0, 1, 2, 0, 2, 3 };
    static char*          names[6] = { "a", "b", "c", "d", "e", "f" };
    memset(s, 0, sizeof *s);
    memcpy(s->positions, square, sizeof square);
    memcpy(s->corners, corners, sizeof corners);
    for (uint32_t i = 0; i < 4 * influences; ++i) {
        s->joints[i] = i % influences;
        s->weights[i] = 1.0f / (float)influences;
    }
    for (uint32_t j = 0; j < 6; ++j) {
        s->bones[j] = (sup_joint){ .name = names[j],
                                   .parent = j ? j - 1 : SUP_NONE,
                                   .skin_joint = j < 5,
                                   .rest = transform_identity(),
                                   .inverse_bind = affine_identity(),
                                   .source_id = SUP_NONE };
        s->bones[j].rest.translation = v3(j ? 0.25f : 0, 0, 0);
        s->bones[j].inverse_bind.m[0][3] = -0.25f * (float)j;
    }
    for (int v = 0; v < 4; ++v) s->deltas[v] = v3(0, 0, 0.5f), s->stiffness[v] = 0.25f * (float)v;
    s->morph = (sup_morph_desc){ .name = "lift", .deltas = s->deltas };
    s->map = (sup_map_desc){ .name = "_STIFFNESS", .values = s->stiffness };
    s->parts[0] = (sup_part_desc){ .name = "skin",
                                   .vertex_count = 4,
                                   .positions = s->positions,
                                   .face_count = 2,
                                   .corners = s->corners,
                                   .width = influences,
                                   .joints = s->joints,
                                   .weights = s->weights,
                                   .joint = SUP_NONE,
                                   .source_id = SUP_NONE };
    s->parts[1] = (sup_part_desc){ .name = "box",
                                   .vertex_count = 4,
                                   .positions = s->positions,
                                   .face_count = 2,
                                   .corners = s->corners,
                                   .joint = 5,
                                   .source_id = SUP_NONE,
                                   .morph_count = 1,
                                   .morphs = &s->morph,
                                   .map_count = 1,
                                   .maps = &s->map };
    s->times[1] = 1;
    s->turns[3] = 1, s->turns[4] = 0.6f, s->turns[7] = 0.8f;
    s->lifts[1] = 1;
    s->channels[0] = (sup_channel){
        .target = 2, .path = SUP_PATH_ROTATION, .key_count = 2, .width = 4, .times = s->times, .values = s->turns
    };
    s->channels[1] = (sup_channel){
        .target = 1, .path = SUP_PATH_WEIGHTS, .key_count = 2, .width = 1, .times = s->times, .values = s->lifts
    };
    s->clip = (sup_clip){ .name = "move", .seconds = 1, .channel_count = 2, .channels = s->channels, .source_id = SUP_NONE };
    sup_character_desc desc = { .name = "squares",
                                .part_count = 2,
                                .parts = s->parts,
                                .joint_count = 6,
                                .joints = s->bones,
                                .clip_count = 1,
                                .clips = &s->clip,
                                .metres_per_unit = 1 };
    return test_character(&desc);
}

static void parts_on_nodes_and_morphs_show_the_baked_points(void** state)
{
    (void)state;
    scene          s;
    sup_character* squares = two_squares(&s, 4);
    test_bake      b = {
             .character = squares, .clip = squares->clips, .path = test_folder_file(&folder, "squares.glb"), .fps = 4, .frames = 5
    };
    bake(&b);
    assert_string_equal(b.warnings, "");
    assert_true(test_bake_error(&b, "move.dualquat") < NEAR);
    sup_character_destroy(squares);
}

static void text_with_a_file_beside_it_shows_the_same(void** state)
{
    (void)state;
    static const struct {
        bool sparse, flat;
    } ways[] = { { false, false }, { true, false }, { false, true } };
    scene          s;
    sup_character* squares = two_squares(&s, 4);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; ++i) {
        test_bake b = { .character = squares,
                        .clip = squares->clips,
                        .path = test_folder_file(&folder, "two squares.gltf"),
                        .fps = 4,
                        .frames = 5,
                        .sparse = ways[i].sparse,
                        .flat = ways[i].flat };
        bake(&b);
        assert_true(test_bake_error(&b, "move.dualquat") < NEAR);
        assert_int_equal(unlink(b.path), 0);
        assert_int_equal(test_folder_unlink(&folder, ".bin"), 1);
    }
    sup_character_destroy(squares);
}

static void weights_that_are_written_anew_keep_the_four_that_viewers_take(void** state)
{
    (void)state;
    scene          s;
    sup_character *squares = two_squares(&s, 5), *again;
    test_bake      b = {
             .character = squares, .clip = squares->clips, .path = test_folder_file(&folder, "four.glb"), .fps = 4, .frames = 5
    };
    assert_int_equal(squares->weights.influences_max, 5);
    bake(&b);
    assert_non_null(strstr(b.warnings, "up to 5 influences and viewers support four"));
    assert_null(strstr(b.warnings, "loses its skin"));
    assert_true(test_bake_error(&b, "move.dualquat") < NEAR);
    again = test_load(b.path);
    assert_int_equal(again->weights.influences_max, 4);
    assert_float_equal(again->weights.sum_min, 1, 1e-6f);
    sup_character_destroy(again);
    sup_character_destroy(squares);
}

static void five_influences_of_a_file_become_four_and_keep_their_skin(void** state)
{
    (void)state;
    scene          s;
    sup_error      error;
    sup_character *made = two_squares(&s, 5), *squares, *again;
    const char*    path = test_folder_file(&folder, "source.glb");
    assert_ok(sup_character_write(made, path, NULL, NULL, &error), error);
    assert_ok(sup_load(path, NULL, &squares, &error), error);
    assert_int_equal(squares->weights.influences_max, 5);
    test_bake b = {
        .character = squares, .clip = squares->clips, .path = test_folder_file(&folder, "five.glb"), .fps = 4, .frames = 5
    };
    bake(&b);
    assert_non_null(strstr(b.warnings, "mesh 'skin' have more than four influences"));
    assert_null(strstr(b.warnings, "loses its skin"));
    assert_null(strstr(b.warnings, "'box'"));
    assert_true(test_bake_error(&b, "move.dualquat") < NEAR);
    assert_ok(sup_load(b.path, NULL, &again, &error), error);
    assert_int_equal(again->weights.influences_max, 4);
    sup_character_destroy(again);
    sup_character_destroy(squares);
    sup_character_destroy(made);
}

static void the_other_clip_still_plays_with_its_morphs(void** state)
{
    (void)state;
    scene          s;
    sup_character* squares = two_squares(&s, 4);
    test_bake      b = {
             .character = squares, .clip = squares->clips, .path = test_folder_file(&folder, "other.glb"), .fps = 4, .frames = 5
    };
    bake(&b);
    sup_error      error;
    sup_character* again = test_load(b.path);
    sup_arena*     arena = sup_arena_create(NULL);
    sup_pose       pose, pose_again;
    assert_ok(sup_pose_create(squares, arena, &pose, &error), error);
    assert_ok(sup_pose_create(again, arena, &pose_again, &error), error);
    for (int i = 0; i <= 4; ++i) {
        sup_vec3 points[8], shown[8];
        sup_clip_sample(squares, squares->clips, 0.25 * i, &pose);
        sup_clip_sample(again, sup_character_clip(again, "move"), 0.25 * i, &pose_again);
        test_viewer_points(squares, &pose, points);
        test_viewer_points(again, &pose_again, shown);
        assert_true(test_distance(squares, points, again, shown) < NEAR);
    }
    assert_non_null(sup_character_map(again, "_STIFFNESS"));
    sup_arena_destroy(arena);
    sup_character_destroy(again);
    sup_character_destroy(squares);
}

static void centimetres_and_z_up_become_metres_and_y_up(void** state)
{
    (void)state;
    scene              s;
    sup_character*     plain = two_squares(&s, 4);
    sup_character_desc desc = { .name = "squares",
                                .part_count = 2,
                                .parts = s.parts,
                                .joint_count = 6,
                                .joints = s.bones,
                                .clip_count = 1,
                                .clips = &s.clip,
                                .metres_per_unit = 0.01,
                                .up = SUP_AXIS_Z };
    sup_character*     squares;
    sup_error          error;
    sup_character_destroy(plain);
    assert_ok(sup_character_create(&desc, NULL, &squares, &error), error);
    for (int flat = 0; flat < 2; ++flat) {
        test_bake b = { .character = squares,
                        .clip = squares->clips,
                        .path = test_folder_file(&folder, "cm.glb"),
                        .fps = 4,
                        .frames = 5,
                        .flat = flat != 0 };
        bake(&b);
        sup_character* again = test_load(b.path);
        sup_arena*     arena = sup_arena_create(NULL);
        sup_pose       pose, pose_again;
        assert_ok(sup_pose_create(squares, arena, &pose, &error), error);
        assert_ok(sup_pose_create(again, arena, &pose_again, &error), error);
        sup_vec3 points[8], shown[8];
        sup_clip_sample(squares, squares->clips, 0.5, &pose);
        test_living_points(squares, &pose, 0.5, points);
        for (int p = 0; p < 8; ++p) points[p] = v3_scale(v3(points[p].x, points[p].z, -points[p].y), 0.01f);
        sup_clip_sample(again, sup_character_clip(again, "move.dualquat"), 0.5, &pose_again);
        test_viewer_points(again, &pose_again, shown);
        assert_true(test_distance(squares, points, again, shown) < 0.01 * NEAR);
        sup_arena_destroy(arena);
        sup_character_destroy(again);
    }
    sup_character_destroy(squares);
}

// ---------------------------------------------------------------------------------------------- numbers going bad

static void bake_bad_frame(const sup_character* c, const char* path)
{
    sup_bake_desc desc = { .path = path, .character = c, .clip = c->clips, .fps = 1, .frame_count = 1, .name = "broken" };
    sup_arena*    arena = sup_arena_create(NULL);
    sup_vec3*     points = SUP_NEW(arena, sup_vec3, c->mesh.point_count);
    sup_vec3*     normals = SUP_NEW(arena, sup_vec3, c->mesh.vertex_count);
    sup_pose      pose;
    sup_error     error;
    sup_bake*     bake_object;
    assert_ok(sup_pose_create(c, arena, &pose, &error), error);
    sup_pose_rest(c, &pose);
    assert_ok(sup_bake_begin(&desc, NULL, &bake_object, &error), error);
    memcpy(points, c->mesh.points, c->mesh.point_count * sizeof *points);
    for (uint32_t i = 0; i < c->mesh.vertex_count; ++i) normals[i] = v3(0, 0, 1);
    points[3].y = NAN;
    points[6] = v3(INFINITY, 0, 0);
    normals[1] = v3(0, 0, 0);
    normals[2].x = NAN;
    const sup_bake_frame frame = { 0, 0, &pose, points, normals };
    const char*          warnings;
    assert_ok(sup_bake_frame_write(bake_object, &frame, &error), error);
    assert_ok(sup_bake_end(bake_object, NULL, &warnings, &error), error);
    assert_non_null(strstr(warnings, "2 baked positions were not finite"));
    sup_bake_destroy(bake_object);
    sup_arena_destroy(arena);
}

// Caches hold raw floats: all are numbers, and a bad one is where the rest shape has it.
static void assert_rest_cache(const sup_character* c, const char* path)
{
    sup_arena* arena = sup_arena_create(NULL);
    sup_points read;
    sup_error  error;
    assert_ok(sup_points_read(path, NULL, arena, &read, &error), error);
    assert_true(read.point_count == c->mesh.point_count && read.point_count == c->mesh.vertex_count);
    for (uint32_t i = 0; i < read.point_count; ++i) assert_true(v3_distance(read.points[i], c->mesh.points[i]) == 0);
    sup_arena_destroy(arena);
}

static void assert_finite_text(const char* path)
{
    static char text[1 << 18];
    FILE*       f = fopen(path, "r");
    assert_non_null(f);
    size_t length = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    text[length] = 0;
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, " inf"));
    assert_null(strstr(text, "vn 0 0 0\nvn 0 0 0")); // one normal of length 0 was given, none is made of NaN
}

// Files that are not read here have all rest points somewhere, one behind the other.
static void assert_rest_bytes(const sup_character* c, const char* path)
{
    static char  bytes[1 << 16];
    const size_t wanted = c->mesh.point_count * sizeof(sup_vec3);
    FILE*        f = fopen(path, "rb");
    assert_non_null(f);
    size_t length = fread(bytes, 1, sizeof bytes, f), at = 0;
    fclose(f);
    while (at + wanted <= length && memcmp(bytes + at, c->mesh.points, wanted) != 0) ++at;
    assert_true(at + wanted <= length);
}

static void points_that_are_not_finite_stay_at_rest_and_are_counted_in_every_format(void** state)
{
    (void)state;
    uint32_t       baked = 0;
    sup_character* tube = test_tube(6, 6, 2, 1.0f, 0.1f);
    for (uint32_t i = 0; i < sup_format_count(); ++i) {
        const sup_file_format* format = sup_format_at(i);
        if (!format->bake_begin) continue;
        char name[32];
        sup_format(name, sizeof name, "bad.%.*s", (int)strcspn(format->endings, " "), format->endings);
        const char* path = test_folder_file(&folder, name);
        bake_bad_frame(tube, path);
        if (strcmp(format->name, "gltf") == 0) {
            sup_character* again = test_load(path);
            assert_non_null(sup_character_clip(again, "broken"));
            sup_character_destroy(again);
        } else if (strcmp(format->name, "obj") == 0 || strcmp(format->name, "usda") == 0) assert_finite_text(path);
        else if (strcmp(format->name, "alembic") == 0) assert_rest_bytes(tube, path);
        else assert_rest_cache(tube, path);
        ++baked;
    }
    assert_true(baked >= 6);
    sup_character_destroy(tube);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(skinned_tube_shows_the_baked_points),
        cmocka_unit_test(flat_tube_shows_the_baked_points_and_says_so),
        cmocka_unit_test(held_pose_shows_the_baked_points),
        cmocka_unit_test(only_the_twisted_ring_gets_other_weights),
        cmocka_unit_test(what_is_scaled_to_nothing_hangs_on_the_joint_above),
        cmocka_unit_test(baking_again_keeps_the_first_bake),
        cmocka_unit_test(parts_on_nodes_and_morphs_show_the_baked_points),
        cmocka_unit_test(text_with_a_file_beside_it_shows_the_same),
        cmocka_unit_test(weights_that_are_written_anew_keep_the_four_that_viewers_take),
        cmocka_unit_test(five_influences_of_a_file_become_four_and_keep_their_skin),
        cmocka_unit_test(the_other_clip_still_plays_with_its_morphs),
        cmocka_unit_test(centimetres_and_z_up_become_metres_and_y_up),
        cmocka_unit_test(points_that_are_not_finite_stay_at_rest_and_are_counted_in_every_format),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
