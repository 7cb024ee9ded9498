#include "support.h"

#include "base/sort.h"

#include <stdlib.h>

static uint64_t next_random(uint64_t* state)
{
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return *state >> 32 | *state << 32;
}

static void check_sorted(uint32_t count, uint64_t mask, uint64_t seed)
{
    sup_sort_item* items = malloc((count + 1) * sizeof *items);
    sup_sort_item* spare = malloc((count + 1) * sizeof *spare);
    uint64_t*      keys = malloc((count + 1) * sizeof *keys);
    uint8_t*       seen = calloc(count + 1, 1);
    for (uint32_t i = 0; i < count; ++i) items[i] = (sup_sort_item){ keys[i] = next_random(&seed) & mask, i };
    sup_sort(items, spare, count);
    for (uint32_t i = 0; i < count; ++i) {
        assert_true(items[i].key == keys[items[i].value]);
        assert_int_equal(seen[items[i].value]++, 0);
        if (i) assert_true(items[i - 1].key <= items[i].key);
        if (i && items[i - 1].key == items[i].key) assert_true(items[i - 1].value < items[i].value);
    }
    free(items), free(spare), free(keys), free(seen);
}

static void sorted_keys_rise_and_equal_ones_keep_their_order(void** state)
{
    (void)state;
    static const uint64_t masks[] = { 0, 1, 0xff, 0xff00ff, 0xffffffff00000000ull, 0xf00000000000000full, ~0ull };
    static const uint32_t counts[] = { 0, 1, 2, 3, 47, 48, 49, 1000, 70000 };
    for (size_t m = 0; m < sizeof masks / sizeof *masks; ++m)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; ++c) check_sorted(counts[c], masks[m], m * 100 + c);
}

static void three_items_by_hand(void** state)
{
    (void)state;
    sup_sort_item items[] = { { 5, 0 }, { 1ull << 63, 1 }, { 5, 2 }, { 0, 3 } }, spare[4];
    sup_sort(items, spare, 4);
    assert_int_equal(items[0].value, 3);
    assert_int_equal(items[1].value, 0);
    assert_int_equal(items[2].value, 2);
    assert_int_equal(items[3].value, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sorted_keys_rise_and_equal_ones_keep_their_order),
        cmocka_unit_test(three_items_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
