#include "supple/scene.h"
#include "support.h"

#include <math.h>

// Two triangles in the plane z = 0, moved by hand: (area, larger, smaller), each less 1.
static void sheet_tells_its_area_and_its_main_stretches(void** state)
{
    (void)state;
    static const uint32_t triangles[] = { 0, 1, 2, 0, 2, 3 };
    static const sup_vec3 rest[] = { { 0, 0, 0 }, { 1, 0, 0 }, { 1, 1, 0 }, { 0, 1, 0 } };
    const sup_mesh        sheet = { .point_count = 4, .points = rest, .triangle_count = 2, .triangles = triangles };
    static const struct {
        sup_vec3 x, y, wanted; // where the axes go
    } cases[] = {
        { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 0 } },
        { { 2, 0, 0 }, { 0, 1, 0 }, { 1, 1, 0 } },
        { { 0, 0, 1 }, { 0, 0.5f, 0 }, { -0.5f, 0, -0.5f } },
        { { 2, 0, 0 }, { 0, 2, 0 }, { 3, 1, 1 } },
        { { 0.6f, 0.8f, 0 }, { -0.8f, 0.6f, 0 }, { 0, 0, 0 } },
        { { 1, 0, 0 }, { 0, 0, 0 }, { -1, 0, -1 } },      // without area
        { { 1, 0, 0 }, { 1.5f, 1, 0 }, { 0, 1, -0.5f } }, // sheared by 3/2: stretches 2 and 1/2
    };
    double scratch[4 * SUP_TENSION_SCRATCH];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        sup_vec3 moved[4], got[4];
        for (int p = 0; p < 4; ++p)
            for (int k = 0; k < 3; ++k) (&moved[p].x)[k] = rest[p].x * (&cases[i].x.x)[k] + rest[p].y * (&cases[i].y.x)[k];
        assert_int_equal(sup_mesh_tension(&sheet, moved, scratch, got), 0);
        for (int p = 0; p < 4; ++p)
            for (int k = 0; k < 3; ++k) assert_true(fabsf((&got[p].x)[k] - (&cases[i].wanted.x)[k]) < 1e-6f);
    }
    sup_vec3 broken[4], got[4];
    for (int p = 0; p < 4; ++p) broken[p] = rest[p];
    broken[1].x = NAN;
    assert_int_equal(sup_mesh_tension(&sheet, broken, scratch, got), 3);
    assert_true(got[1].x == 0 && got[3].x == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(sheet_tells_its_area_and_its_main_stretches) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
