// Medit meshes: the surface of tetrahedra.
#define READING_PATH "folder/shape.mesh"
#include "reading.h"

#include "math/vec.h"

#define HEAD "MeshVersionFormatted 1\nDimension 3\n"
// Two tetrahedra that share the face 2 3 4, and a vertex that nobody has.
#define FIVE "Vertices\n6\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 7\n1 1 1 0\n9 9 9 0\n"
#define TETRAHEDRA "Tetrahedra\n2\n1 2 3 4 0\n2 3 4 5 0\n"

static const char rich[] =
    "MeshVersionFormatted\n2\n# made by hand\nDimension 3\n" FIVE "Corners\n2\n1\n2\nSolAtNobody 1 2 3.5 -4\n"
    "Quadrilaterals 1\n1 2 3 4 0\nTriangles\n2 # rows\n1 3 2 5\n1 2 4 5\n" TETRAHEDRA "Edges\n0\nEnd\njunk";

static void triangles_of_the_file_are_its_surface(void** state)
{
    (void)state;
    sup_character*        c = read_text(rich);
    static const uint32_t corners[] = { 0, 1, 2, 3, 0, 2, 1, 0, 1, 3 };
    assert_string_equal(c->name, "shape");
    assert_int_equal(c->mesh.vertex_count, 6);
    assert_int_equal(c->mesh.face_count, 3);
    assert_int_equal(c->mesh.corner_count, 10);
    assert_memory_equal(c->mesh.corner_vertices, corners, sizeof corners);
    assert_true(c->mesh.points[4].x == 1 && c->mesh.points[5].z == 9);
    assert_true(c->unit_assumed && c->up_assumed);
    sup_character_destroy(c);
}

static void without_triangles_the_outside_of_the_tetrahedra_is(void** state)
{
    (void)state;
    sup_character*  c = read_text(HEAD FIVE TETRAHEDRA);
    sup_mesh_report report;
    sup_error       error;
    assert_ok(sup_mesh_examine(&c->mesh, &report, &error), error);
    assert_int_equal(c->mesh.face_count, 6); // four each, the one they share twice left out
    assert_true(report.closed);
    assert_int_equal(report.loose_points, 1);
    double volume = 0; // outwards: 1/6 and 1/3
    for (uint32_t t = 0; t < c->mesh.triangle_count; ++t) {
        const uint32_t* k = &c->mesh.triangles[3 * t];
        volume += (double)v3_dot(c->mesh.points[k[0]], v3_cross(c->mesh.points[k[1]], c->mesh.points[k[2]])) / 6;
    }
    assert_float_equal(volume, 0.5, 1e-6);
    sup_character_destroy(c);
}

static void complaints_name_what_is_wrong(void** state)
{
    (void)state;
    refuse("", "does not begin with 'MeshVersionFormatted'");
    refuse("\x10\x20OGRE", "Ogre");
    refuse("MeshVersionFormatted x", "the version is not a number");
    refuse("MeshVersionFormatted 1\nDimension 2\n", "2 dimensions");
    refuse(HEAD, "neither triangles");
    refuse(HEAD FIVE, "neither triangles");
    refuse(HEAD "7\n", "line 3: a keyword was expected, not a number");
    refuse(HEAD "Vertices\nmany\n", "a section has no count");
    refuse(HEAD "Vertices\n4000000000\n0 0 0 0\n", "announces more than the file contains");
    refuse(HEAD "Vertices\n1\n0 0 zero 0\n", "line 5: a vertex is three numbers");
    refuse(HEAD "Vertices\n1\n0 0 1e300 0\n", "is too large");
    refuse(HEAD FIVE FIVE, "vertices stand twice");
    refuse(HEAD FIVE "Triangles\n1\n1 2 7 0\n", "vertex 7 does not exist, there are 6");
    refuse(HEAD FIVE "Triangles\n1\n0 1 2 0\n", "vertex 0 does not exist");
    refuse(HEAD "Triangles\n1\n1 2 3 0\n", "vertex 1 does not exist, there are 0");
    refuse(HEAD FIVE "Triangles\n1\n1 2 Edges\n", "too few vertex numbers");
    refuse(HEAD FIVE TETRAHEDRA TETRAHEDRA, "tetrahedra stand twice");
}

static void cut_or_changed_anywhere_it_never_crashes(void** state)
{
    (void)state;
    for (size_t size = 0; size <= sizeof rich - 1; ++size)
        for (int wrong = 0; wrong < 4; ++wrong) {
            char           copy[sizeof rich];
            sup_character* c = NULL;
            sup_error      error = { SUP_OK, "" };
            memcpy(copy, rich, sizeof rich);
            if (wrong) copy[size] = "\xff-9"[wrong - 1];
            if (read_bytes(copy, wrong ? sizeof rich - 1 : size, NULL, &c, &error) != SUP_OK)
                assert_true(strlen(error.text) > 10);
            else assert_true(c->mesh.face_count > 0);
            sup_character_destroy(c);
        }
}

static void every_refused_allocation_is_survived(void** state)
{
    (void)state;
    starve(rich, sizeof rich - 1);
    starve(HEAD FIVE TETRAHEDRA, sizeof HEAD FIVE TETRAHEDRA - 1);
}

static void real_files_are_closed_surfaces(void** state)
{
    (void)state;
    static const struct {
        const char* name;
        uint32_t    vertices, triangles, loose;
    } files[] = { { "libigl-rigs/hand.mesh", 7234, 9556, 2454 }, { "closed-meshes/octopus-low.mesh", 452, 898, 1 } };
    for (int i = 0; i < 2; ++i) {
        TEST_NEEDS_DATA(path, files[i].name);
        sup_error       error;
        sup_mesh_report report;
        sup_character*  c = test_load(path);
        assert_ok(sup_mesh_examine(&c->mesh, &report, &error), error);
        assert_int_equal(c->mesh.vertex_count, files[i].vertices);
        assert_int_equal(c->mesh.triangle_count, files[i].triangles);
        assert_int_equal(report.loose_points, files[i].loose);
        assert_int_equal(report.boundary_edges + report.nonmanifold_edges, 0);
        sup_character_destroy(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(triangles_of_the_file_are_its_surface),
        cmocka_unit_test(without_triangles_the_outside_of_the_tetrahedra_is),
        cmocka_unit_test(complaints_name_what_is_wrong),
        cmocka_unit_test(cut_or_changed_anywhere_it_never_crashes),
        cmocka_unit_test(every_refused_allocation_is_survived),
        cmocka_unit_test(real_files_are_closed_surfaces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
