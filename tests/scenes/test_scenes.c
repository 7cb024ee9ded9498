#include "math/trig.h"
#include "math/vec.h"
#include "scenes/scenes.h"
#include "supple/metrics.h"
#include "support.h"

#include <string.h>

typedef struct kind {
    const char*     name;
    sup_scene_make* make;
    uint32_t        usual;
    uint32_t        sizes[5]; // others to try; 0 ends them
} kind;
static const kind kinds[] = {
    { "arm", sup_scene_arm, 3000, { 100, 250, 1000, 9000, 30000 } },
    { "bar", sup_scene_bar, 1000, { 100, 333, 5000, 30000 } },
    { "beast", sup_scene_beast, 8000, { 1000, 1700, 3000, 12345, 30000 } },
};

static sup_character* scene(sup_scene_make* make, uint32_t points)
{
    sup_error      error = { 0 };
    sup_character* c = NULL;
    assert_ok(make(points, NULL, &c, &error), error);
    return c;
}

/// A character with a pose, and what the pose needs.
typedef struct puppet {
    sup_character* character;
    sup_arena*     arena;
    sup_pose       pose;
    sup_vec3*      skin;
} puppet;

static puppet puppet_make(sup_scene_make* make, uint32_t points)
{
    sup_error error = { 0 };
    puppet    p = { .character = scene(make, points), .arena = sup_arena_create(NULL) };
    assert_non_null(p.arena);
    assert_ok(sup_pose_create(p.character, p.arena, &p.pose, &error), error);
    p.skin = sup_arena_alloc(p.arena, p.character->mesh.point_count, sizeof(sup_vec3));
    assert_non_null(p.skin);
    return p;
}

static void puppet_drop(puppet* p)
{
    sup_arena_destroy(p->arena);
    sup_character_destroy(p->character);
}

static const sup_clip* clip_of(const sup_character* c, const char* name)
{
    const sup_clip* clip = sup_character_clip(c, name);
    if (!clip) fail_msg("%s has no clip '%s'", c->name, name);
    return clip;
}

static uint32_t joint_of(const sup_character* c, const char* name)
{
    uint32_t joint = sup_character_joint(c, name);
    if (joint == SUP_NONE) fail_msg("%s has no joint '%s'", c->name, name);
    return joint;
}

/// Linear blend skinning in its plainest form.
static void puppet_pose(puppet* p, const char* clip, double time)
{
    const sup_character* c = p->character;
    sup_clip_sample(c, clip_of(c, clip), time, &p->pose);
    for (uint32_t i = 0; i < c->mesh.point_count; ++i) {
        sup_vec3 sum = v3(0, 0, 0);
        for (uint32_t k = c->weights.begin[i]; k < c->weights.begin[i + 1]; ++k)
            sum = v3_mad(sum, c->weights.values[k], affine_point(&p->pose.skin[c->weights.joints[k]], c->mesh.points[i]));
        p->skin[i] = sum;
    }
}

/// Degrees of a rotation, from 0 to 180.
static double degrees_of(sup_quat q)
{
    double w = q.w < 0.0f ? -(double)q.w : (double)q.w;
    return 2.0 * sup_acos(w > 1.0 ? 1.0 : w) * 57.29577951308232;
}

static double local_degrees(puppet* p, const char* clip, double time, const char* joint)
{
    sup_clip_sample(p->character, clip_of(p->character, clip), time, &p->pose);
    return degrees_of(p->pose.local[joint_of(p->character, joint)].rotation);
}

// ---------------------------------------------------------------------------------------------- shape

static void check_skin(const sup_character* c, uint32_t asked)
{
    sup_error       error = { 0 };
    sup_mesh_report report;
    assert_ok(sup_mesh_examine(&c->mesh, &report, &error), error);
    print_message("%s asked %u: %u points, %u faces, volume %.5f\n", c->name, asked, c->mesh.point_count, c->mesh.face_count,
                  sup_metric_volume(&c->mesh, c->mesh.points));
    assert_true(report.closed);
    assert_int_equal(report.components, 1);
    assert_int_equal(report.boundary_edges, 0);
    assert_int_equal(report.nonmanifold_edges, 0);
    assert_int_equal(report.nonmanifold_points, 0);
    assert_int_equal(report.degenerate_faces, 0);
    assert_int_equal(report.loose_points, 0);
    assert_int_equal(c->mesh.point_count + c->mesh.face_count, report.edges + 2); // Euler: no handles
    assert_int_equal(c->mesh.vertex_count, c->mesh.point_count);
    assert_true(sup_metric_volume(&c->mesh, c->mesh.points) > 0.0);
    assert_true(10 * c->mesh.point_count >= 9 * asked && 10 * c->mesh.point_count <= 11 * asked);
    for (uint32_t p = 0; p < c->mesh.point_count; ++p) assert_true(v3_finite(c->mesh.points[p]));
    assert_int_equal(c->warning_count, 0);
    assert_true(c->metres_per_unit == 1.0 && !c->unit_assumed && c->up == SUP_AXIS_Y && !c->up_assumed);
}

static void check_weights(const sup_character* c)
{
    assert_in_range(c->weights.influences_max, 2, 4);
    for (uint32_t p = 0; p < c->mesh.point_count; ++p) {
        float sum = 0.0f;
        assert_true(c->weights.begin[p + 1] > c->weights.begin[p]);
        for (uint32_t k = c->weights.begin[p]; k < c->weights.begin[p + 1]; ++k) {
            assert_true(c->weights.values[k] > 0.0f);
            sum += c->weights.values[k];
        }
        assert_float_equal(sum, 1.0f, 1e-6f);
    }
}

static void every_scene_is_one_closed_skin_of_the_size_asked_for(void** state)
{
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i)
        for (int size = -1; size < 5; ++size) {
            uint32_t asked = size < 0 ? 0 : kinds[i].sizes[size];
            if (size >= 0 && asked == 0) break;
            sup_character* c = scene(kinds[i].make, asked);
            assert_string_equal(c->name, kinds[i].name);
            check_skin(c, asked ? asked : kinds[i].usual);
            check_weights(c);
            sup_character_destroy(c);
        }
}

static void sizes_out_of_range_are_refused_with_the_range(void** state)
{
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i) {
        sup_error      error = { 0 };
        sup_character* c = NULL;
        assert_int_equal(kinds[i].make(50, NULL, &c, &error), SUP_ERROR_INPUT);
        assert_non_null(strstr(error.text, "ask for"));
        assert_int_equal(kinds[i].make(UINT32_MAX, NULL, &c, &error), SUP_ERROR_INPUT);
        assert_non_null(strstr(error.text, kinds[i].name));
        assert_null(c);
    }
}

static void edges_are_even(void** state)
{
    (void)state;
    sup_character*  c = scene(sup_scene_beast, 0);
    const sup_mesh* m = &c->mesh;
    double          sum = 0.0, low = 1e9, high = 0.0;
    for (uint32_t f = 0; f < m->face_count; ++f)
        for (uint32_t k = m->face_begin[f]; k < m->face_begin[f + 1]; ++k) {
            uint32_t next = k + 1 < m->face_begin[f + 1] ? k + 1 : m->face_begin[f];
            double   length = v3_distance(m->points[m->corner_points[k]], m->points[m->corner_points[next]]);
            sum += length;
            low = length < low ? length : low;
            high = length > high ? length : high;
        }
    double mean = sum / m->corner_count;
    print_message("edges %.2f to %.2f of the mean of %.1f mm\n", low / mean, high / mean, 1000.0 * mean);
    assert_true(low > 0.3 * mean && high < 2.0 * mean);
    sup_character_destroy(c);
}

static void bar_is_a_box_of_its_stated_size(void** state)
{
    (void)state;
    sup_character* c = scene(sup_scene_bar, 0);
    assert_float_equal(sup_metric_volume(&c->mesh, c->mesh.points), 1.0 * 0.1 * 0.1, 1e-7);
    for (uint32_t p = 0; p < c->mesh.point_count; ++p) {
        sup_vec3 q = c->mesh.points[p];
        assert_true(q.x >= 0.0f && q.x <= 1.0f && fabsf(q.y) <= 0.05f && fabsf(q.z) <= 0.05f);
    }
    sup_character_destroy(c);
}

static void beast_stands_on_the_ground_and_is_even_left_and_right(void** state)
{
    (void)state;
    sup_character* c = scene(sup_scene_beast, 0);
    sup_vec3       low = c->mesh.points[0], high = low;
    uint32_t       left = 0, right = 0, middle = 0;
    for (uint32_t p = 0; p < c->mesh.point_count; ++p) {
        sup_vec3 q = c->mesh.points[p];
        low = v3_min(low, q), high = v3_max(high, q);
        left += q.x > 0.0f, right += q.x < 0.0f, middle += q.x == 0.0f;
    }
    assert_float_equal(low.y, 0.0f, 1e-3f);
    assert_float_equal(high.z - low.z, 1.3f, 0.1f);
    assert_float_equal(high.x, -low.x, 1e-5f);
    assert_int_equal(left, right);
    assert_true(middle > 50);                                                         // a seam of points right down the middle
    assert_true(c->skeleton.joints[joint_of(c, "head")].inverse_bind.m[2][3] < 0.0f); // in front of the origin
    sup_character_destroy(c);
}

// ---------------------------------------------------------------------------------------------- weights

static void limbs_pull_alike_on_their_own_sides_only(void** state)
{
    (void)state;
    static const char* const bones[] = { "front_upper", "front_lower", "front_foot", "back_upper",
                                         "back_lower",  "back_foot",   "ear" };
    sup_character*           c = scene(sup_scene_beast, 0);
    for (int b = 0; b < 7; ++b) {
        double pull[2] = { 0, 0 };
        for (int side = 0; side < 2; ++side) {
            char name[32] = "";
            strcat(strcpy(name, bones[b]), side ? "_r" : "_l");
            uint32_t joint = joint_of(c, name);
            for (uint32_t p = 0; p < c->mesh.point_count; ++p)
                for (uint32_t k = c->weights.begin[p]; k < c->weights.begin[p + 1]; ++k)
                    if (c->weights.joints[k] == joint) {
                        assert_true(side ? c->mesh.points[p].x < 0.0f : c->mesh.points[p].x > 0.0f);
                        pull[side] += c->weights.values[k];
                    }
        }
        assert_true(pull[0] > 50.0);
        assert_float_equal(pull[0], pull[1], 0.01);
    }
    sup_character_destroy(c);
}

/// Along every edge, weights change by less than what would show as a step.
static void weights_are_smooth_over_the_skin(void** state)
{
    (void)state;
    sup_character*  c = scene(sup_scene_beast, 0);
    const sup_mesh* m = &c->mesh;
    float           worst = 0.0f;
    for (uint32_t f = 0; f < m->face_count; ++f)
        for (uint32_t e = m->face_begin[f]; e < m->face_begin[f + 1]; ++e) {
            uint32_t a = m->corner_points[e], b = m->corner_points[e + 1 < m->face_begin[f + 1] ? e + 1 : m->face_begin[f]];
            for (uint32_t k = c->weights.begin[a]; k < c->weights.begin[a + 1]; ++k) {
                float other = 0.0f;
                for (uint32_t n = c->weights.begin[b]; n < c->weights.begin[b + 1]; ++n)
                    if (c->weights.joints[n] == c->weights.joints[k]) other = c->weights.values[n];
                float step = fabsf(c->weights.values[k] - other);
                worst = step > worst ? step : worst;
            }
        }
    print_message("largest step of a weight along an edge: %.3f\n", worst);
    assert_true(worst < 0.5f);
    sup_character_destroy(c);
}

static void belly_and_tip_of_the_tail_are_soft(void** state)
{
    (void)state;
    sup_character* c = scene(sup_scene_beast, 0);
    const sup_map* map = sup_character_map(c, "_JIGGLE");
    assert_non_null(map);
    uint32_t belly = 0, tip = 0;
    for (uint32_t p = 0; p < c->mesh.point_count; ++p) {
        sup_vec3 q = c->mesh.points[p];
        assert_true(map->values[p] >= 0.0f && map->values[p] <= 1.0f);
        if (fabsf(q.x) < 0.03f && fabsf(q.z) < 0.05f && q.y < 0.25f) assert_true(map->values[p] > 0.9f), ++belly;
        if (q.z < -0.5f && q.y > 0.8f) assert_true(map->values[p] > 0.9f), ++tip;
        if (q.y < 0.05f) assert_true(map->values[p] < 0.2f); // feet are firm
    }
    assert_true(belly > 5 && tip > 5);
    sup_character_destroy(c);
}

// ---------------------------------------------------------------------------------------------- clips

static void clips_have_their_names_and_lengths(void** state)
{
    (void)state;
    static const struct {
        int         kind;
        const char* clip;
        double      seconds;
    } rows[] = {
        { 0, "flex", 1.0 },  { 0, "twist", 1.0 }, { 0, "wave", 2.0 }, { 1, "bend", 1.0 },  { 1, "twist", 1.0 },
        { 1, "still", 1.0 }, { 2, "walk", 1.2 },  { 2, "jump", 1.6 }, { 2, "shake", 1.5 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        sup_character* c = scene(kinds[rows[i].kind].make, 1000);
        assert_int_equal(c->clip_count, 3);
        assert_float_equal(clip_of(c, rows[i].clip)->seconds, rows[i].seconds, 1e-6);
        sup_character_destroy(c);
    }
}

static void elbow_flexes_by_120_and_hand_twists_by_150_degrees(void** state)
{
    (void)state;
    puppet p = puppet_make(sup_scene_arm, 0);
    assert_float_equal(local_degrees(&p, "flex", 0.0, "forearm"), 0.0, 1e-3);
    assert_float_equal(local_degrees(&p, "flex", 1.0, "forearm"), 120.0, 1e-3);
    assert_float_equal(local_degrees(&p, "twist", 0.0, "hand"), 0.0, 1e-3);
    assert_float_equal(local_degrees(&p, "twist", 1.0, "hand"), 150.0, 1e-3);
    // The wrist went from 0.245 m in front of the elbow to 120 degrees above that direction: cos -0.5, sin 0.8660.
    sup_clip_sample(p.character, clip_of(p.character, "flex"), 1.0, &p.pose);
    sup_vec3 wrist = affine_translation(&p.pose.global[joint_of(p.character, "hand")]);
    assert_float_equal(wrist.x, 0.31f - 0.5f * 0.245f, 1e-5f);
    assert_float_equal(wrist.y, 0.8660254f * 0.245f, 1e-5f);
    puppet_drop(&p);
}

static void bar_bends_by_a_right_angle(void** state)
{
    (void)state;
    puppet p = puppet_make(sup_scene_bar, 0);
    sup_clip_sample(p.character, clip_of(p.character, "bend"), 1.0, &p.pose);
    sup_vec3 along = affine_direction(&p.pose.global[joint_of(p.character, "bone_3")], v3(1, 0, 0));
    assert_float_equal(along.x, 0.0f, 1e-5f);
    assert_float_equal(along.y, 1.0f, 1e-5f);
    puppet_pose(&p, "still", 0.5);
    for (uint32_t i = 0; i < p.character->mesh.point_count; ++i)
        assert_true(v3_distance(p.skin[i], p.character->mesh.points[i]) < 1e-6f);
    puppet_drop(&p);
}

static void loops_end_on_their_first_key(void** state)
{
    (void)state;
    static const struct {
        int         kind;
        const char* clip;
    } loops[] = { { 0, "wave" }, { 2, "walk" } };
    for (int i = 0; i < 2; ++i) {
        sup_character*  c = scene(kinds[loops[i].kind].make, 1000);
        const sup_clip* clip = clip_of(c, loops[i].clip);
        assert_true(clip->channel_count > 2);
        for (uint32_t k = 0; k < clip->channel_count; ++k) {
            const sup_channel* channel = &clip->channels[k];
            const float*       last = channel->values + (size_t)(channel->key_count - 1) * channel->width;
            assert_memory_equal(channel->values, last, channel->width * sizeof(float));
        }
        sup_character_destroy(c);
    }
}

static void walking_feet_touch_the_ground_and_do_not_sink(void** state)
{
    (void)state;
    puppet p = puppet_make(sup_scene_beast, 0);
    float  lowest = 1.0f, highest = -1.0f;
    for (int frame = 0; frame < 36; ++frame) {
        puppet_pose(&p, "walk", frame / 30.0);
        float low = 1.0f;
        for (uint32_t i = 0; i < p.character->mesh.point_count; ++i) low = p.skin[i].y < low ? p.skin[i].y : low;
        lowest = low < lowest ? low : lowest;
        highest = low > highest ? low : highest;
        sup_vec3 root = affine_translation(&p.pose.global[joint_of(p.character, "root")]);
        assert_true(root.x == 0.0f && root.y == 0.0f && root.z == 0.0f);
    }
    print_message("lowest point of the walk between %.1f and %.1f mm\n", 1000.0 * lowest, 1000.0 * highest);
    assert_true(lowest > -0.012f && highest < 0.005f);
    puppet_drop(&p);
}

static void jump_folds_knees_and_leaves_the_ground(void** state)
{
    (void)state;
    puppet p = puppet_make(sup_scene_beast, 0);
    double knee = 0.0, elbow = 0.0, height = 0.0;
    for (int frame = 0; frame <= 48; ++frame) {
        double time = frame / 30.0, k = local_degrees(&p, "jump", time, "back_lower_l");
        double e = local_degrees(&p, "jump", time, "front_lower_r");
        knee = k > knee ? k : knee;
        elbow = e > elbow ? e : elbow;
        puppet_pose(&p, "jump", time);
        double low = 1.0;
        for (uint32_t i = 0; i < p.character->mesh.point_count; ++i) low = p.skin[i].y < low ? p.skin[i].y : low;
        height = low > height ? low : height;
        assert_true(low > -0.02);
    }
    print_message("knee %.0f, elbow %.0f degrees, %.2f m off the ground\n", knee, elbow, height);
    assert_true(knee > 70.0 && elbow > 90.0);
    assert_true(height > 0.2);
    puppet_drop(&p);
}

static void shake_twists_the_head_by_over_150_degrees_against_the_chest(void** state)
{
    (void)state;
    enum { FRAMES = 90 };
    puppet   p = puppet_make(sup_scene_beast, 1000);
    sup_quat relative[FRAMES];
    double   most = 0.0;
    for (int f = 0; f < FRAMES; ++f) {
        sup_clip_sample(p.character, clip_of(p.character, "shake"), f / 60.0, &p.pose);
        sup_quat head = quat_from_affine(&p.pose.global[joint_of(p.character, "head")]);
        sup_quat chest = quat_from_affine(&p.pose.global[joint_of(p.character, "chest")]);
        relative[f] = quat_mul(quat_conjugate(chest), head);
        for (int g = 0; g < f; ++g) {
            double angle = degrees_of(quat_mul(quat_conjugate(relative[g]), relative[f]));
            most = angle > most ? angle : most;
        }
    }
    print_message("head against chest: %.0f degrees\n", most);
    assert_true(most > 150.0);
    puppet_drop(&p);
}

// ---------------------------------------------------------------------------------------------- sculpts

static const sup_example* example_of(const sup_character* c, const char* clip, double time)
{
    for (uint32_t i = 0; i < c->example_count; ++i)
        if (strcmp(c->examples[i].clip, clip) == 0 && c->examples[i].time == time) return &c->examples[i];
    fail_msg("no example for %s", clip);
    return NULL;
}

static void sculpts_stand_at_both_ends_and_keep_their_volume(void** state)
{
    (void)state;
    sup_character* c = scene(sup_scene_arm, 0);
    assert_int_equal(c->example_count, 4);
    double rest = sup_metric_volume(&c->mesh, c->mesh.points);
    for (int clip = 0; clip < 2; ++clip) {
        const char*        name = clip ? "twist" : "flex";
        const sup_example* start = example_of(c, name, 0.0);
        assert_memory_equal(start->points, c->mesh.points, c->mesh.point_count * sizeof(sup_vec3));
        double end = sup_metric_volume(&c->mesh, example_of(c, name, 1.0)->points);
        print_message("%s: %.3f of the volume at rest\n", name, end / rest);
        assert_float_equal(end / rest, 1.0, 0.03);
    }
    sup_character_destroy(c);
}

/// Where a point follows one joint alone, the sculpt agrees with the skeleton: only the joints' surroundings are sculpted.
static void sculpts_agree_with_the_pose_away_from_joints(void** state)
{
    (void)state;
    puppet               p = puppet_make(sup_scene_arm, 0);
    const sup_character* c = p.character;
    for (int clip = 0; clip < 2; ++clip) {
        const sup_example* end = example_of(c, clip ? "twist" : "flex", 1.0);
        puppet_pose(&p, end->clip, 1.0);
        uint32_t same = 0;
        for (uint32_t i = 0; i < c->mesh.point_count; ++i) {
            float x = c->mesh.points[i].x;
            if (x < 0.6f && x > 0.04f) continue; // the hand with its thumb, and the shoulder
            assert_true(v3_distance(end->points[i], p.skin[i]) < 1e-5f);
            ++same;
        }
        assert_true(same > 300);
    }
    puppet_drop(&p);
}

static void twisted_sculpt_keeps_its_full_radius(void** state)
{
    (void)state;
    puppet             p = puppet_make(sup_scene_arm, 0);
    const sup_mesh*    m = &p.character->mesh;
    const sup_example* end = example_of(p.character, "twist", 1.0);
    puppet_pose(&p, "twist", 1.0);
    float thinnest = 1.0f;
    for (uint32_t i = 0; i < m->point_count; ++i) {
        float rest = sqrtf(m->points[i].y * m->points[i].y + m->points[i].z * m->points[i].z);
        float now = sqrtf(end->points[i].y * end->points[i].y + end->points[i].z * end->points[i].z);
        float skinned = sqrtf(p.skin[i].y * p.skin[i].y + p.skin[i].z * p.skin[i].z);
        assert_float_equal(now, rest, 1e-5f);
        if (skinned / rest < thinnest) thinnest = skinned / rest;
    }
    assert_true(thinnest < 0.5f); // what the sculpt is for: plain skinning pinches the wrist
    puppet_drop(&p);
}

// ---------------------------------------------------------------------------------------------- making

static uint64_t character_hash(const sup_character* c)
{
    uint64_t h = sup_hash_points(c->mesh.points, c->mesh.point_count);
    h = sup_hash(h, c->mesh.corner_points, c->mesh.corner_count * sizeof(uint32_t));
    h = sup_hash(h, c->weights.joints, c->weights.begin[c->mesh.point_count] * sizeof(uint32_t));
    h = sup_hash(h, c->weights.values, c->weights.begin[c->mesh.point_count] * sizeof(float));
    for (uint32_t i = 0; i < c->clip_count; ++i)
        for (uint32_t k = 0; k < c->clips[i].channel_count; ++k) {
            const sup_channel* channel = &c->clips[i].channels[k];
            h = sup_hash(h, channel->values, (size_t)channel->key_count * channel->width * sizeof(float));
        }
    return h;
}

static void making_twice_gives_the_same_bits(void** state)
{
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i) {
        sup_character *a = scene(kinds[i].make, 2000), *b = scene(kinds[i].make, 2000);
        assert_true(character_hash(a) == character_hash(b));
        sup_character_destroy(a);
        sup_character_destroy(b);
    }
}

static void running_out_of_memory_is_reported_and_leaks_nothing(void** state)
{
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i)
        for (test_starved s = { 0 }; test_starve(&s);) {
            sup_error      error = { 0 };
            sup_character* c = NULL;
            s.result = kinds[i].make(1000, &s.memory.allocator, &c, &error);
            if (s.result == SUP_OK) sup_character_destroy(c);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_scene_is_one_closed_skin_of_the_size_asked_for),
        cmocka_unit_test(sizes_out_of_range_are_refused_with_the_range),
        cmocka_unit_test(edges_are_even),
        cmocka_unit_test(bar_is_a_box_of_its_stated_size),
        cmocka_unit_test(beast_stands_on_the_ground_and_is_even_left_and_right),
        cmocka_unit_test(limbs_pull_alike_on_their_own_sides_only),
        cmocka_unit_test(weights_are_smooth_over_the_skin),
        cmocka_unit_test(belly_and_tip_of_the_tail_are_soft),
        cmocka_unit_test(clips_have_their_names_and_lengths),
        cmocka_unit_test(elbow_flexes_by_120_and_hand_twists_by_150_degrees),
        cmocka_unit_test(bar_bends_by_a_right_angle),
        cmocka_unit_test(loops_end_on_their_first_key),
        cmocka_unit_test(walking_feet_touch_the_ground_and_do_not_sink),
        cmocka_unit_test(jump_folds_knees_and_leaves_the_ground),
        cmocka_unit_test(shake_twists_the_head_by_over_150_degrees_against_the_chest),
        cmocka_unit_test(sculpts_stand_at_both_ends_and_keep_their_volume),
        cmocka_unit_test(sculpts_agree_with_the_pose_away_from_joints),
        cmocka_unit_test(twisted_sculpt_keeps_its_full_radius),
        cmocka_unit_test(making_twice_gives_the_same_bits),
        cmocka_unit_test(running_out_of_memory_is_reported_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
