// Odd input: each gets one note with its cure, and the tissue plays on.
#include "spoilt_arm.h"

/// Plays a tenth of a second at rest: everything stays finite and in place, within 2 % of the arm. Returns whether a note with
/// these words was given or, with NULL, whether none was.
static bool says(stuff* s, const char* links, const char* words)
{
    sup_character* c = stuff_character(s);
    play           p = play_chain((sup_chain_desc){ .character = c, .links = links }, (sup_instance_desc){ .preroll = -1 });
    bool           said = !words && sup_chain_note_count(p.chain) == 0;
    for (uint32_t i = 0; i < sup_chain_note_count(p.chain); ++i) {
        print_message("%s\n", sup_chain_note(p.chain, i));
        said |= words && strstr(sup_chain_note(p.chain, i), words);
    }
    play_hash(&p, 0.1);
    for (uint32_t i = 0; i < p.points; ++i) {
        assert_true(v3_finite(p.out[i]));
        assert_true(v3_distance(p.out[i], c->mesh.points[i]) < 0.02f * c->mesh.diagonal);
    }
    play_end(&p);
    sup_character_destroy(c);
    stuff_free(s);
    return said;
}

static void a_whole_arm_has_nothing_to_say(void** state)
{
    (void)state;
    stuff s = stuff_make();
    assert_true(says(&s, "layers", NULL));
}

static void holes_are_counted(void** state)
{
    (void)state;
    stuff s = stuff_make();
    s.triangles -= 24; // the cap at the far end
    assert_true(says(&s, "layers", "closed 1 hole of 'odd'"));
}

static void an_arm_inside_out_is_turned(void** state)
{
    (void)state;
    stuff s = stuff_make();
    for (uint32_t t = 0; t < s.triangles; ++t) {
        uint32_t swap = s.corners[3 * t];
        s.corners[3 * t] = s.corners[3 * t + 1], s.corners[3 * t + 1] = swap;
    }
    assert_true(says(&s, "layers", "'odd' is inside out"));
}

// Missing weights are repaired for all deformers where the character is created, and a note there says so.
static void points_without_weights_take_those_of_a_neighbor(void** state)
{
    (void)state;
    stuff s = stuff_make();
    for (uint32_t p = 100; p < 103; ++p) s.weights[2 * p] = s.weights[2 * p + 1] = 0;
    s.weights[2 * 500] = 0.5f, s.weights[2 * 501 + 1] = -0.25f;
    sup_character* c = stuff_character(&s);
    assert_true(test_warned(c, "3 points without weights") && test_warned(c, "normalized"));
    assert_true(test_warned(c, "negative weights down to -0.25"));
    sup_character_destroy(c);
    assert_true(says(&s, "layers", NULL));
}

// One edge gets a third face, a fin: its two points are split, each copy glued to the other.
static void an_edge_with_three_faces_is_split_and_glued(void** state)
{
    (void)state;
    stuff    s = stuff_make();
    uint32_t a = s.corners[600], b = s.corners[601];
    s.at[s.points] = v3_add(v3_scale(v3_add(s.at[a], s.at[b]), 0.5f), v3(0, 0.02f, 0.01f));
    s.joints[2 * s.points] = 0, s.weights[2 * s.points] = 1;
    const uint32_t fin[3] = { a, b, s.points++ };
    memcpy(s.corners + 3 * s.triangles++, fin, sizeof fin);
    assert_true(says(&s, "layers", "joined several surfaces"));
}

static void a_seam_that_is_not_welded_is_named(void** state)
{
    (void)state;
    stuff s = stuff_make();
    for (uint32_t t = s.triangles / 2; t < s.triangles; ++t) // the far half has points of its own, at the same places
        for (int k = 0; k < 3; ++k) {
            uint32_t* c = &s.corners[3 * t + k];
            s.at[s.points + *c] = s.at[*c];
            memcpy(&s.joints[2 * (s.points + *c)], &s.joints[2 * *c], 2 * sizeof *s.joints);
            memcpy(&s.weights[2 * (s.points + *c)], &s.weights[2 * *c], 2 * sizeof *s.weights);
            *c += s.points;
        }
    uint32_t count = 0, *place = calloc(2 * s.points, sizeof *place);
    bool*    used = calloc(2 * s.points, sizeof *used);
    for (uint32_t i = 0; i < 3 * s.triangles; ++i) used[s.corners[i]] = true;
    for (uint32_t p = 0; p < 2 * s.points; ++p) {
        if (!used[p]) continue;
        s.at[count] = s.at[p];
        memmove(&s.joints[2 * count], &s.joints[2 * p], 2 * sizeof *s.joints);
        memmove(&s.weights[2 * count], &s.weights[2 * p], 2 * sizeof *s.weights);
        place[p] = count++;
    }
    for (uint32_t i = 0; i < 3 * s.triangles; ++i) s.corners[i] = place[s.corners[i]];
    s.points = count;
    free(place), free(used);
    assert_true(says(&s, "layers", "with another point without being connected"));
}

static void several_pieces_each_have_their_own_tissue(void** state)
{
    (void)state;
    stuff    s = stuff_make();
    uint32_t points = s.points, triangles = s.triangles;
    for (uint32_t p = 0; p < points; ++p) { // a second arm beside it
        s.at[points + p] = v3_add(s.at[p], v3(0, 0, 0.2f));
        memcpy(&s.joints[2 * (points + p)], &s.joints[2 * p], 2 * sizeof *s.joints);
        memcpy(&s.weights[2 * (points + p)], &s.weights[2 * p], 2 * sizeof *s.weights);
    }
    for (uint32_t i = 0; i < 3 * triangles; ++i) s.corners[3 * triangles + i] = s.corners[i] + points;
    s.points *= 2, s.triangles *= 2;
    assert_true(says(&s, "layers", "the line to the bone leaves the body")); // its bones are in the first one
}

static void triangles_without_area_and_points_of_one_place_do_no_harm(void** state)
{
    (void)state;
    stuff s = stuff_make();
    s.at[200] = s.at[201];
    assert_true(says(&s, "layers", "no area"));
}

// Inner points of a tetrahedral mesh, one of them on the bone itself: a collinear region of almost no size.
static void points_without_faces_ride_along(void** state)
{
    (void)state;
    stuff s = stuff_make();
    for (int i = 0; i < 3; ++i, ++s.points) {
        s.at[s.points] = v3(0.15f + 0.1f * (float)i, i == 1 ? 1e-6f : 0.02f, 0);
        s.joints[2 * s.points] = 0, s.weights[2 * s.points] = 1;
    }
    sup_character* c = stuff_character(&s);
    play           p = play_chain((sup_chain_desc){ .character = c, .links = "layers" }, (sup_instance_desc){ .preroll = -1 });
    play_hash(&p, 0.2);
    for (uint32_t i = 0; i < p.stats.count; ++i) assert_null(strstr(p.stats.items[i].name, "lost"));
    play_end(&p);
    sup_character_destroy(c);
    assert_true(says(&s, "layers", NULL));
}

static void odd_units_are_questioned(void** state)
{
    (void)state;
    stuff s = stuff_make();
    s.unit = 1e-3;
    assert_true(says(&s, "layers", "give --unit"));
    s = stuff_make();
    s.unit = 1000;
    assert_true(says(&s, "layers", "give --unit"));
}

static void bones_outside_leave_thinner_tissue(void** state)
{
    (void)state;
    stuff s = stuff_make();
    for (uint32_t p = 0; p < s.points; ++p) s.at[p].z += 0.15f;
    assert_true(says(&s, "layers", "move the joints inside"));
}

// More than one edge in twenty with three faces: there is no inside.
static void refused(stuff* s, const char* words)
{
    sup_character* c = stuff_character(s);
    sup_chain*     chain = NULL;
    sup_error      error;
    assert_int_equal(sup_chain_create(&(sup_chain_desc){ .character = c, .links = "layers" }, &chain, &error), SUP_ERROR_INPUT);
    print_message("%s\n", error.text);
    assert_non_null(strstr(error.text, words));
    sup_character_destroy(c);
    stuff_free(s);
}

static void a_mesh_that_is_no_surface_is_refused(void** state)
{
    (void)state;
    stuff s = stuff_make();
    for (uint32_t t = s.triangles, from = 0; from < s.triangles / 4; ++t, ++from) { // a fin on an edge of every fourth face
        memcpy(s.corners + 3 * t, s.corners + 3 * from, 3 * sizeof *s.corners);
        s.corners[3 * t + 2] = (s.corners[3 * t + 2] + s.points / 2) % s.points;
    }
    s.triangles += s.triangles / 4;
    refused(&s, "more than two faces");
}

// Its points in random order: triangles as large as the arm, crossing each other, most edges with only one face.
static void faces_through_each_other_everywhere_are_refused(void** state)
{
    (void)state;
    stuff    s = stuff_make();
    uint32_t random = 7;
    for (uint32_t i = 0; i < 3 * s.triangles; ++i) {
        random = random * 1664525u + 1013904223u;
        s.corners[i] = (random >> 8) % s.points;
    }
    refused(&s, "cross each other");
}

// Every face four times, rotated and inside out, after the whole surface: the same skin, and a note.
static void faces_that_are_there_more_than_once_change_nothing(void** state)
{
    (void)state;
    uint64_t hashes[2];
    for (int copies = 0; copies < 2; ++copies) {
        stuff    s = stuff_make();
        uint32_t n = s.triangles;
        s.corners = realloc(s.corners, 12 * (size_t)n * sizeof *s.corners);
        for (uint32_t t = n; copies && t < 4 * n; ++t) {
            const uint32_t* c = s.corners + 3 * (t % n);
            const uint32_t  again[3] = { c[1], t % 2 ? c[0] : c[2], t % 2 ? c[2] : c[0] };
             memcpy(s.corners + 3 * t, again, sizeof again);
            ++s.triangles;
        }
        sup_character* c = stuff_character(&s);
        play           p = play_chain((sup_chain_desc){ .character = c, .links = "linear,layers,lattice(cells=16)" },
                                      (sup_instance_desc){ 0 });
        hashes[copies] = play_hash(&p, 0.1);
        for (uint32_t i = 0; copies && i < 2; ++i) assert_non_null(strstr(sup_chain_note(p.chain, i), "there more than once"));
        play_end(&p);
        sup_character_destroy(c);
        stuff_free(&s);
    }
    assert_true(hashes[0] == hashes[1]);
}

// Two arms in one place, rotated against each other: every triangle crosses another one.
static void what_crosses_itself_all_over_at_rest_has_no_contacts(void** state)
{
    (void)state;
    stuff    s = stuff_make();
    uint32_t points = s.points, triangles = s.triangles;
    for (uint32_t p = 0; p < points; ++p) {
        sup_vec3 x = s.at[p];
        float    wobble = p % 2 ? 1.03f : 0.97f;
        s.at[points + p] = v3(x.x + 0.004f, x.y * wobble, x.z * wobble);
        memcpy(&s.joints[2 * (points + p)], &s.joints[2 * p], 2 * sizeof *s.joints);
        memcpy(&s.weights[2 * (points + p)], &s.weights[2 * p], 2 * sizeof *s.weights);
    }
    for (uint32_t i = 0; i < 3 * triangles; ++i) s.corners[3 * triangles + i] = s.corners[i] + points;
    s.points *= 2, s.triangles *= 2;
    assert_true(says(&s, "layers(cage=mesh)", "cross others at rest"));
}

// Two joints in one place, and a leaf there: bones without length are points.
static void a_bone_without_length_is_a_point(void** state)
{
    (void)state;
    stuff s = stuff_make();
    s.bones[2].rest.translation = v3(0, 0, 0); // the tip stands in the elbow
    s.bones[2].inverse_bind.m[0][3] = s.bones[1].inverse_bind.m[0][3];
    assert_true(says(&s, "layers", NULL));
}

// The arm a fifth thicker and shorter, the forearm sheared by that and the rotation of the elbow: tissue follows.
static void scaled_and_sheared_bones_are_followed(void** state)
{
    (void)state;
    sup_quat    bent = quat_axis_angle(v3(0, 0, 1), 0.7f);
    const float times[1] = { 0 }, scales[3] = { 0.8f, 1.2f, 1.2f }, turns[4] = { bent.x, bent.y, bent.z, bent.w };
    sup_channel channels[2] = {
        { .target = 0, .path = SUP_PATH_SCALE, .key_count = 1, .width = 3, .times = times, .values = scales },
        { .target = 1, .path = SUP_PATH_ROTATION, .key_count = 1, .width = 4, .times = times, .values = turns }
    };
    sup_clip       clip = { .name = "thick", .seconds = 1, .channel_count = 2, .channels = channels, .source_id = SUP_NONE };
    sup_character* c = elbow_make(0, 1, 1);
    play           p = play_chain((sup_chain_desc){ .character = c, .clip = &clip, .links = "layers(gravity=0)" },
                                  (sup_instance_desc){ .clip = &clip, .preroll = -1 });
    play           flat =
        play_chain((sup_chain_desc){ .character = c, .clip = &clip, .links = "linear" }, (sup_instance_desc){ .clip = &clip });
    double mean = 0;
    play_hash(&p, 0.5), play_hash(&flat, 0.5);
    for (uint32_t i = 0; i < p.points; ++i) {
        assert_true(v3_finite(p.out[i]));
        mean += (double)v3_distance(p.out[i], flat.out[i]) / p.points;
    }
    print_message("scaled and sheared: %.1f mm from linear in the mean\n", 1000 * mean);
    assert_true(mean < 0.012); // flesh wants to keep its size
    play_end(&p), play_end(&flat);
    sup_character_destroy(c);
}

static void planes_that_cannot_be_are_refused_with_a_cure(void** state)
{
    (void)state;
    static const char* const cases[][2] = {
        { "layers(planes=shoulder)", "'shoulder' is not a plane" },
        { "layers(planes=shoulder=)", "'shoulder=' is not a plane" },
        { "layers(planes=shoulder=1.5)", "from 0 (the bone's head) to 1" },
        { "layers(planes=shoulder=0.3 =0.4)", "'=0.4' is not a plane" },
        { "layers(planes=knee=0.5)", "no joint called 'knee'" },
        { "layers(planes=tip=0.5)", "no joint called 'tip' has a bone to another" },
        { "layers(cut=ends,planes=shoulder=0.5)", "remove cut=ends" },
    };
    sup_character* c = elbow_make(60, 0.3, 1);
    sup_error      error;
    for (size_t i = 0; i < SUP_COUNT_OF(cases); ++i) {
        sup_chain* chain = NULL;
        assert_int_equal(sup_chain_create(&(sup_chain_desc){ .character = c, .links = cases[i][0] }, &chain, &error),
                         SUP_ERROR_INPUT);
        assert_non_null(strstr(error.text, cases[i][1]));
    }
    sup_character_destroy(c);
}

// A plane 10 cm before the elbow instead of 15 (with a comment): the elbow's part is smaller, the body plays as before.
static void planes_are_taken_from_text(void** state)
{
    (void)state;
    stuff s = stuff_make();
    assert_true(says(&s, "layers(planes=# a remark\nshoulder=0.66\n)", NULL));
}

// Three rings of a tube that is 24 times as long as thick, one at each end and one at the joint: edges twelve times the
// distance to the bone. Regions over them would straighten the bend, and contacts scaled by their length would push neighbors
// apart.
static void a_tube_cut_only_at_its_joint_bends_there(void** state)
{
    (void)state;
    const float bend[8] = { 0, 0, 0, 1, 0, 0, 0.38268343f, 0.92387953f }, times[2] = { 0, 0.5f }; // 45 degrees about z
    sup_channel channel = {
        .target = 1, .path = SUP_PATH_ROTATION, .key_count = 2, .width = 4, .times = times, .values = bend
    };
    const sup_clip clip = { .name = "bend", .seconds = 0.5, .channel_count = 1, .channels = &channel, .source_id = SUP_NONE };
    stuff          s = stuff_of(capsule_arm(3, 1, NULL));
    for (uint32_t p = 0; p < s.points; ++p) s.at[p].x *= 4;
    for (uint32_t j = 0; j < 3; ++j) s.bones[j].rest.translation.x *= 4, s.bones[j].inverse_bind.m[0][3] *= 4;
    s.clip = &clip;
    elbow e = elbow_begin(stuff_character(&s), "bend", "layers", NULL);
    for (double t = 0.1; t < 1.05; t += 0.1) {
        play_hash(&e.play, t);
        elbow_numbers n = elbow_measure(&e, "elbow");
        print_message("%.1f s: volume %+.3f %%, stretch %.2f, %u pairs\n", t, 100 * n.whole, n.stretch, n.crossings);
        assert_true(fabs(n.whole) < 0.005 && n.stretch < 1.5 && n.crossings == 0);
    }
    elbow_end(&e);
    stuff_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_arm_has_nothing_to_say),
        cmocka_unit_test(holes_are_counted),
        cmocka_unit_test(an_arm_inside_out_is_turned),
        cmocka_unit_test(points_without_weights_take_those_of_a_neighbor),
        cmocka_unit_test(an_edge_with_three_faces_is_split_and_glued),
        cmocka_unit_test(a_seam_that_is_not_welded_is_named),
        cmocka_unit_test(several_pieces_each_have_their_own_tissue),
        cmocka_unit_test(triangles_without_area_and_points_of_one_place_do_no_harm),
        cmocka_unit_test(points_without_faces_ride_along),
        cmocka_unit_test(odd_units_are_questioned),
        cmocka_unit_test(bones_outside_leave_thinner_tissue),
        cmocka_unit_test(a_mesh_that_is_no_surface_is_refused),
        cmocka_unit_test(faces_through_each_other_everywhere_are_refused),
        cmocka_unit_test(faces_that_are_there_more_than_once_change_nothing),
        cmocka_unit_test(what_crosses_itself_all_over_at_rest_has_no_contacts),
        cmocka_unit_test(a_bone_without_length_is_a_point),
        cmocka_unit_test(scaled_and_sheared_bones_are_followed),
        cmocka_unit_test(planes_that_cannot_be_are_refused_with_a_cure),
        cmocka_unit_test(planes_are_taken_from_text),
        cmocka_unit_test(a_tube_cut_only_at_its_joint_bends_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
