#include "support.h"

#include "supple/base.h"

static void known_texts_have_their_known_hashes(void** state)
{
    (void)state;
    assert_true(sup_hash(SUP_HASH_START, "", 0) == 0xcbf29ce484222325ull);
    assert_true(sup_hash(SUP_HASH_START, "a", 1) == 0xaf63dc4c8601ec8cull);
    assert_true(sup_hash(SUP_HASH_START, "foobar", 6) == 0x85944171f73967e8ull);
}

static void a_hash_goes_on_where_it_ended(void** state)
{
    (void)state;
    assert_true(sup_hash(sup_hash(SUP_HASH_START, "foo", 3), "bar", 3) == 0x85944171f73967e8ull);
}

static void points_are_hashed_as_little_endian_floats_in_order(void** state)
{
    (void)state;
    const sup_vec3 points[] = { { 1, -2, 0.5f }, { 0, 0, 0 } };
    const uint8_t  bytes[24] = { 0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0, 0, 0, 0, 0x3f };
    assert_true(sup_hash_points(points, 2) == sup_hash(SUP_HASH_START, bytes, sizeof bytes));
    assert_true(sup_hash_points(points, 1) == sup_hash(SUP_HASH_START, bytes, 12));
    assert_true(sup_hash_points(points, 0) == SUP_HASH_START);
}

static bool stop_half_way(void* user, double fraction, const char* what)
{
    *(const char**)user = what;
    return fraction < 0.5;
}

static void progress_goes_on_until_the_listener_stops_it(void** state)
{
    (void)state;
    const char*  heard = NULL;
    sup_progress progress = { stop_half_way, &heard };
    assert_true(sup_progress_report(NULL, 1, "nobody"));
    assert_true(sup_progress_report(&(sup_progress){ 0 }, 1, "nobody"));
    assert_true(sup_progress_report(&progress, 0.25, "binding"));
    assert_string_equal(heard, "binding");
    assert_false(sup_progress_report(&progress, 0.5, "binding"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_texts_have_their_known_hashes),
        cmocka_unit_test(a_hash_goes_on_where_it_ended),
        cmocka_unit_test(points_are_hashed_as_little_endian_floats_in_order),
        cmocka_unit_test(progress_goes_on_until_the_listener_stops_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
