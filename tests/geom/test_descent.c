#include "support.h"

#include "geom/search/descent.h"

// Four leaves: nodes 4 to 7 below 2 and 3.
enum { LEAVES = 4 };

static void children_follow_their_node_from_left_to_right(void** state)
{
    (void)state;
    static const uint32_t order[] = { 1, 2, 4, 5, 3, 6, 7 };
    sup_descent_room      room;
    sup_descent           d = sup_descent_begin(room, LEAVES, (sup_descent_step){ .node = 1 });
    for (uint32_t i = 0; i < 7; ++i) {
        assert_true(sup_descent_next(&d));
        assert_int_equal(d.at.node, order[i]);
        assert_int_equal(sup_descent_open(&d), order[i] < LEAVES);
    }
    assert_false(sup_descent_next(&d));
}

static void the_nearer_child_comes_first_and_of_equals_the_left(void** state)
{
    (void)state;
    sup_descent_room room;
    for (double right = 1; right <= 3; ++right) {
        sup_descent d = sup_descent_begin(room, LEAVES, (sup_descent_step){ .node = 1 });
        assert_true(sup_descent_next(&d));
        sup_descent_open_nearer(&d, 2, right);
        assert_true(sup_descent_next(&d));
        assert_int_equal(d.at.node, right < 2 ? 3 : 2);
        assert_true(d.at.bound == (right < 2 ? right : 2));
        assert_true(sup_descent_next(&d));
        assert_int_equal(d.at.node, right < 2 ? 2 : 3);
        assert_true(d.at.bound == (right < 2 ? 2 : right));
        assert_false(sup_descent_next(&d));
    }
}

static void two_nodes_lead_to_each_pair_of_their_leaves_once(void** state)
{
    (void)state;
    uint8_t          met[2 * LEAVES][2 * LEAVES] = { 0 };
    sup_descent_room room;
    sup_descent      d = sup_descent_begin(room, LEAVES, (sup_descent_step){ .node = 3, .other = 1 });
    while (sup_descent_next(&d))
        if (!sup_descent_open_pair(&d)) ++met[d.at.node][d.at.other];
    for (uint32_t a = 0; a < 2 * LEAVES; ++a)
        for (uint32_t b = 0; b < 2 * LEAVES; ++b) assert_int_equal(met[a][b], a / 2 == 3 && b >= LEAVES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(children_follow_their_node_from_left_to_right),
        cmocka_unit_test(the_nearer_child_comes_first_and_of_equals_the_left),
        cmocka_unit_test(two_nodes_lead_to_each_pair_of_their_leaves_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
