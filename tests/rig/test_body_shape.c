// Skeletons whose names say nothing: legs, arms, spine and fingers are told by shape and places.
#include "support.h"

#include "math/vec.h"
#include "rig/retarget/body.h"

#include <stdio.h>
#include <string.h>

enum { JOINTS_MAX = 160 };
enum { L = SIDE_LEFT, R = SIDE_RIGHT, N = SIDE_NONE };

// A figure that grows joint by joint: y is up, it looks along +z, its left is +x. Meters.
typedef struct doll {
    uint32_t count;
    sup_vec3 places[JOINTS_MAX];
    uint32_t parents[JOINTS_MAX];
    int      roles[JOINTS_MAX], sides[JOINTS_MAX];
    int      fingers[JOINTS_MAX], numbers[JOINTS_MAX]; // finger -1: none
} doll;

static uint32_t grow(doll* d, uint32_t parent, sup_vec3 by, int role, int side)
{
    uint32_t j = d->count++;
    assert_true(j < JOINTS_MAX);
    d->places[j] = parent == SUP_NONE ? by : v3_add(d->places[parent], by);
    d->parents[j] = parent;
    d->roles[j] = role;
    d->sides[j] = side;
    d->fingers[j] = -1;
    return j;
}

// A row of joints without a role.
static void grow_row(doll* d, uint32_t parent, sup_vec3 first, sup_vec3 by, int count)
{
    for (int i = 0; i < count; ++i) parent = grow(d, parent, i ? by : first, ROLE_NONE, N);
}

static void grow_fingers(doll* d, uint32_t hand, int side, float x)
{
    static const sup_vec3 knuckles[5] = {
        { 0.03f, -0.01f, 0.03f }, { 0.09f, 0, 0.03f }, { 0.095f, 0, 0.01f }, { 0.09f, 0, -0.01f }, { 0.08f, 0, -0.03f }
    };
    for (int f = 0; f < 5; ++f) {
        uint32_t parent = hand;
        for (int k = 1; k <= 3; ++k) {
            sup_vec3 by = k == 1 ? knuckles[f] : f ? v3(0.03f, 0, 0) : v3(0.02f, -0.01f, 0.02f);
            by.x *= x;
            parent = grow(d, parent, by, ROLE_NONE, side);
            d->fingers[parent] = f;
            d->numbers[parent] = k;
        }
    }
}

typedef struct doll_options {
    bool coat, tresses, tail, wings, twists, hip_joints, no_collars, mittens, no_neck, halves, no_toes, root, rows;
} doll_options;

static void grow_arm(doll* d, uint32_t chest, int side, const doll_options* o)
{
    float    x = side == L ? 1 : -1;
    uint32_t parent = chest;
    if (!o->no_collars) parent = grow(d, parent, v3(x * 0.04f, 0.12f, 0), ROLE_SHOULDER, side);
    uint32_t arm = grow(d, parent, o->no_collars ? v3(x * 0.17f, 0.12f, 0) : v3(x * 0.13f, 0, 0), ROLE_UPPER_ARM, side);
    if (o->twists) grow(d, arm, v3(x * 0.14f, 0, 0), ROLE_NONE, N);
    if (o->rows) arm = grow(d, arm, v3(x * 0.14f, 0, 0), ROLE_NONE, N);
    uint32_t elbow = grow(d, arm, v3(x * (o->rows ? 0.14f : 0.28f), 0, -0.01f), ROLE_LOWER_ARM, side);
    if (o->twists) grow(d, elbow, v3(x * 0.13f, 0, 0.01f), ROLE_NONE, N);
    if (o->rows) elbow = grow(d, elbow, v3(x * 0.12f, 0, 0.01f), ROLE_NONE, N);
    uint32_t hand = grow(d, elbow, v3(x * (o->rows ? 0.14f : 0.26f), 0, 0.02f), ROLE_HAND, side);
    if (o->mittens) grow(d, hand, v3(x * 0.09f, 0, 0), ROLE_NONE, N);
    else grow_fingers(d, hand, side, x);
}

static void grow_leg(doll* d, uint32_t hips, int side, const doll_options* o)
{
    float    x = side == L ? 1 : -1;
    uint32_t parent = hips;
    if (o->hip_joints) parent = grow(d, parent, v3(0, 0, 0), ROLE_NONE, N);
    uint32_t thigh = grow(d, parent, v3(x * 0.09f, -0.06f, 0), ROLE_UPPER_LEG, side);
    if (o->twists) grow(d, thigh, v3(0, -0.2f, 0), ROLE_NONE, N);
    if (o->rows) thigh = grow(d, thigh, v3(0, -0.2f, 0.005f), ROLE_NONE, N);
    uint32_t knee = grow(d, thigh, v3(0, o->rows ? -0.23f : -0.43f, 0.01f), ROLE_LOWER_LEG, side);
    uint32_t foot = grow(d, knee, v3(0, -0.41f, -0.03f), ROLE_FOOT, side);
    if (!o->no_toes) grow(d, foot, v3(0, -0.06f, 0.13f), ROLE_TOE, side);
}

static void grow_head(doll* d, uint32_t chest, const doll_options* o)
{
    uint32_t neck = o->no_neck ? chest : grow(d, chest, v3(0, 0.2f, 0), ROLE_NECK, N);
    uint32_t head = grow(d, neck, v3(0, o->no_neck ? 0.28f : 0.08f, 0.01f), ROLE_HEAD, N);
    for (int k = -1; k < 2; k += 2) {
        float x = (float)k;
        grow(d, head, v3(x * 0.03f, 0.08f, 0.08f), ROLE_NONE, N); // eyes
        if (o->tresses) grow_row(d, head, v3(x * 0.12f, 0.1f, -0.05f), v3(x * 0.02f, -0.26f, -0.01f), 6);
    }
}

static void grow_person(doll* d, const doll_options* o)
{
    uint32_t root = o->root || o->halves
                        ? grow(d, SUP_NONE, v3(0, o->halves ? 0.96f : 0, 0), o->halves ? ROLE_HIPS : ROLE_NONE, N)
                        : SUP_NONE;
    uint32_t hips = grow(d, root, v3(0, root != SUP_NONE && o->halves ? 0.04f : 1, 0), o->halves ? ROLE_NONE : ROLE_HIPS, N);
    for (int side = 0; side < 2; ++side) grow_leg(d, hips, side, o);
    uint32_t spine = grow(d, o->halves ? root : hips, v3(0, 0.12f, -0.01f), ROLE_SPINE, N);
    uint32_t chest = grow(d, spine, v3(0, 0.16f, 0), ROLE_SPINE, N);
    for (int side = 0; side < 2; ++side) grow_arm(d, chest, side, o);
    grow_head(d, chest, o);
    if (o->tail) grow_row(d, hips, v3(0, 0, -0.12f), v3(0, -0.05f, -0.18f), 5);
    for (int k = 0; k < 6 && o->coat; ++k) { // all around, nearly to the ground
        static const sup_vec3 ways[6] = { { 0.12f, 0, 0.1f }, { -0.12f, 0, 0.1f }, { 0.18f, 0, 0 },
                                          { -0.18f, 0, 0 },   { 0.12f, 0, -0.1f }, { -0.12f, 0, -0.1f } };
        grow_row(d, hips, ways[k], v3(0.1f * ways[k].x, -0.18f, 0.1f * ways[k].z), 6);
    }
    for (int k = -1; k < 2 && o->wings; k += 2)
        grow_row(d, chest, v3((float)k * 0.06f, 0.1f, -0.1f), v3((float)k * 0.22f, 0.08f, -0.1f), 5);
}

// ---------------------------------------------------------------------------------------------- checks

// The joints in another order, parents still first.
static void shuffle(const doll* d, uint64_t seed, uint32_t* order)
{
    bool done[JOINTS_MAX] = { false };
    for (uint32_t n = 0; n < d->count; ++n) {
        uint32_t ready[JOINTS_MAX], count = 0;
        for (uint32_t j = 0; j < d->count; ++j)
            if (!done[j] && (d->parents[j] == SUP_NONE || done[d->parents[j]])) ready[count++] = j;
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        order[n] = ready[(seed >> 33) % count];
        done[order[n]] = true;
    }
}

static sup_result find(const doll* d, const uint32_t* order, sup_quat turn, bool up_known, sup_arena* arena, body_map* map)
{
    static char        texts[JOINTS_MAX][16];
    static const char* names[JOINTS_MAX];
    static sup_vec3    places[JOINTS_MAX];
    static uint32_t    parents[JOINTS_MAX];
    static bool        eligible[JOINTS_MAX];
    uint32_t           now[JOINTS_MAX];
    sup_error          error;
    for (uint32_t i = 0; i < d->count; ++i) now[order[i]] = i;
    for (uint32_t i = 0; i < d->count; ++i) {
        uint32_t j = order[i];
        snprintf(texts[i], sizeof texts[i], "bone_%03u", i);
        names[i] = texts[i];
        places[i] = quat_rotate(turn, d->places[j]);
        parents[i] = d->parents[j] == SUP_NONE ? SUP_NONE : now[d->parents[j]];
        eligible[i] = true;
    }
    body_skeleton s = { .count = d->count, .names = names, .parents = parents, .eligible = eligible, .places = places };
    if (up_known) s.up = quat_rotate(turn, v3(0, 1, 0));
    return body_find(&s, NULL, 0, arena, map, &error);
}

static void check(const char* what, const doll_options* o, sup_quat turn, bool up_known, bool sides)
{
    doll d = { 0 };
    grow_person(&d, o);
    for (uint64_t seed = 0; seed < 4; ++seed) {
        uint32_t   order[JOINTS_MAX];
        body_map   map;
        sup_arena* arena = sup_arena_create(NULL);
        shuffle(&d, seed, order);
        assert_int_equal(find(&d, order, turn, up_known, arena, &map), SUP_OK);
        for (uint32_t i = 0; i < d.count; ++i) {
            uint32_t j = order[i];
            int      side, role = body_role_of(&map, i, &side);
            if (role != d.roles[j] || (sides && role >= ROLE_SHOULDER && side != d.sides[j]))
                fail_msg("%s: joint %u is role %d side %d, not %d %d", what, j, role, side, d.roles[j], d.sides[j]);
            if (role != ROLE_NONE) assert_int_equal(map.how[i], BODY_SHAPE);
            const body_finger* f = &map.fingers[i];
            if (f->number ? f->finger != d.fingers[j] || f->number != d.numbers[j] : d.fingers[j] >= 0)
                fail_msg("%s: joint %u is finger %d %d, not %d %d", what, j, f->finger, f->number, d.fingers[j], d.numbers[j]);
        }
        assert_int_equal(map.faces, sides);
        assert_false(map.four_legs);
        sup_arena_destroy(arena);
    }
}

static const struct {
    const char*  what;
    doll_options options;
} people[] = {
    { "a plain person", { 0 } },
    { "a person on a root", { .root = true } },
    { "with a coat to the ground", { .coat = true } },
    { "with tresses to the ground", { .tresses = true } },
    { "with a tail", { .tail = true } },
    { "with wings", { .wings = true } },
    { "with twist joints", { .twists = true } },
    { "with twist joints in the row", { .rows = true } },
    { "with hip joints", { .hip_joints = true } },
    { "without collars", { .no_collars = true } },
    { "with mittens", { .mittens = true } },
    { "without a neck", { .no_neck = true } },
    { "in two halves on one center", { .halves = true } },
    { "with all of it", { .coat = true, .tresses = true, .tail = true, .wings = true, .twists = true, .root = true } },
};

static void a_person_is_recognized_by_shape_whatever_is_attached(void** state)
{
    (void)state;
    for (size_t i = 0; i < sizeof people / sizeof *people; ++i)
        check(people[i].what, &people[i].options, quat_identity(), true, true);
}

static void a_body_is_recognized_facing_any_direction_with_any_axis_up(void** state)
{
    (void)state;
    const float h = 0.70710678f;
    for (size_t i = 0; i < sizeof people / sizeof *people; ++i) {
        check("looks along -z", &people[i].options, quat(0, 1, 0, 0), true, true);
        check("looks aside", &people[i].options, quat(0, 0.38268343f, 0, 0.92387953f), true, true);
        check("z is up", &people[i].options, quat(h, 0, 0, h), true, true);
    }
    check("nobody says what is up", &people[0].options, quat(h, 0, 0, h), false, true);
    check("nobody says what is up, which is y", &people[0].options, quat_identity(), false, true);
}

// Straight legs without toes look in both directions alike.
static void sides_that_nothing_shows_are_reported_as_a_guess(void** state)
{
    (void)state;
    doll_options o = { .no_toes = true };
    doll         d = { 0 };
    body_map     map;
    uint32_t     order[JOINTS_MAX];
    grow_person(&d, &o);
    for (uint32_t j = 0; j < d.count; ++j) {
        order[j] = j;
        if (d.roles[j] >= ROLE_UPPER_LEG) d.places[j].z = 0;
    }
    sup_arena* arena = sup_arena_create(NULL);
    assert_int_equal(find(&d, order, quat_identity(), true, arena, &map), SUP_OK);
    assert_false(map.faces);
    assert_int_not_equal(map.limbs[L][ROLE_FOOT], SUP_NONE);
    sup_arena_destroy(arena);
}

// Legs in front and behind, a level spine.
static void four_legs_are_not_two(void** state)
{
    (void)state;
    doll     d = { 0 };
    uint32_t order[JOINTS_MAX];
    uint32_t hips = grow(&d, SUP_NONE, v3(0, 0.6f, -0.4f), ROLE_HIPS, N), spine = hips;
    for (int i = 0; i < 3; ++i) spine = grow(&d, spine, v3(0, 0, 0.25f), ROLE_NONE, N);
    for (int k = 0; k < 4; ++k) {
        float    x = k % 2 ? 0.1f : -0.1f;
        uint32_t parent = grow(&d, k < 2 ? hips : spine, v3(x, -0.05f, 0), ROLE_NONE, N);
        parent = grow(&d, parent, v3(0, -0.25f, 0.02f), ROLE_NONE, N);
        parent = grow(&d, parent, v3(0, -0.25f, -0.02f), ROLE_NONE, N);
        grow(&d, parent, v3(0, -0.04f, 0.08f), ROLE_NONE, N);
    }
    grow_row(&d, spine, v3(0, 0.15f, 0.15f), v3(0, 0.05f, 0.1f), 2);
    for (uint32_t j = 0; j < d.count; ++j) order[j] = j;
    body_map   map;
    sup_arena* arena = sup_arena_create(NULL);
    assert_int_equal(find(&d, order, quat_identity(), true, arena, &map), SUP_OK);
    assert_true(map.four_legs);
    sup_arena_destroy(arena);
}

// A rope, a bush and two sticks have no legs; places that are not numbers do no harm.
static void what_has_no_legs_is_no_body(void** state)
{
    (void)state;
    for (int kind = 0; kind < 4; ++kind) {
        doll     d = { 0 };
        uint32_t order[JOINTS_MAX], root = grow(&d, SUP_NONE, v3(0, 1, 0), ROLE_NONE, N);
        if (kind == 0) grow_row(&d, root, v3(0, -0.1f, 0), v3(0, -0.1f, 0), 30);
        if (kind == 1)
            for (int k = 0; k < 30; ++k) grow(&d, root, v3((float)(k % 5), 0.1f * (float)k, (float)(k % 7)), ROLE_NONE, N);
        if (kind == 2) grow_row(&d, root, v3(1, 0, 0), v3(1, 0, 0), 5);
        if (kind == 3) grow_person(&d, &people[0].options);
        for (uint32_t j = 0; j < d.count; ++j) {
            order[j] = j;
            if (kind == 3) d.places[j].y = (&(const float[]){ NAN, INFINITY, -INFINITY, 1e38f }[0])[j % 4];
        }
        body_map   map;
        sup_arena* arena = sup_arena_create(NULL);
        assert_int_equal(find(&d, order, quat_identity(), kind % 2, arena, &map), SUP_OK);
        if (map.hips != SUP_NONE) fail_msg("kind %d has hips", kind);
        sup_arena_destroy(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_person_is_recognized_by_shape_whatever_is_attached),
        cmocka_unit_test(a_body_is_recognized_facing_any_direction_with_any_axis_up),
        cmocka_unit_test(sides_that_nothing_shows_are_reported_as_a_guess),
        cmocka_unit_test(four_legs_are_not_two),
        cmocka_unit_test(what_has_no_legs_is_no_body),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
