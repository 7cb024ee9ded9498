// PLY: what the header says and nothing else, in three encodings.
#define READING_PATH "folder/shape.ply"
#include "reading.h"

#include "math/vec.h"

#include <stdio.h>

#define HEAD "ply\nformat ascii 1.0\n"
#define XYZ "property float x\nproperty float y\nproperty float z\n"
#define LIST "property list uchar int vertex_indices\n"

static void polygons_and_vertex_order_are_kept(void** state)
{
    (void)state;
    sup_character* c =
        read_text(HEAD "comment a roof\nobj_info none\nCreated by Blender3D\nelement vertex 6\n" XYZ "element face 2\n" LIST
                       "end_header\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n0.5 0.5 1\n9 9 9\n4 0 1 2 3\n3 0 1 4\n");
    static const uint32_t corners[7] = { 0, 1, 2, 3, 0, 1, 4 };
    assert_string_equal(c->name, "shape");
    assert_int_equal(c->mesh.vertex_count, 6);
    assert_int_equal(c->mesh.point_count, 6);
    assert_int_equal(c->mesh.face_count, 2);
    assert_memory_equal(c->mesh.corner_vertices, corners, sizeof corners);
    assert_true(c->mesh.points[4].x == 0.5f && c->mesh.points[4].z == 1);
    assert_true(c->unit_assumed && c->up_assumed && c->up == SUP_AXIS_Y);
    assert_null(c->mesh.vertex_normals);
    assert_int_equal(c->warning_count, 0);
    sup_character_destroy(c);
}

// A triangle in any encoding with everything that has to be stepped over: a list in front, colors, an unknown element between.
typedef struct writing {
    uint8_t bytes[2048];
    size_t  size;
    int     encoding; // 0 ascii, 1 little, 2 big
} writing;

static void put_number(writing* w, double value, size_t bytes, bool real)
{
    if (w->encoding == 0) {
        w->size += (size_t)sprintf((char*)w->bytes + w->size, "%.9g ", value);
        return;
    }
    uint64_t raw = (uint64_t)(int64_t)(real ? 0 : value);
    float    single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    if (real && bytes == 4) raw = bits;
    if (real && bytes == 8) memcpy(&raw, &value, sizeof raw);
    for (size_t i = 0; i < bytes; ++i) w->bytes[w->size++] = (uint8_t)(raw >> 8 * (w->encoding == 1 ? i : bytes - 1 - i));
}

static void make_rich(writing* w, int encoding, const char* ending)
{
    static const char* const names[] = { "ascii", "binary_little_endian", "binary_big_endian" };
    static const char* const lines[] = { "comment property x",
                                         "element vertex 3",
                                         "property list ushort short notes",
                                         "property uchar red",
                                         "property double x",
                                         "property float y",
                                         "property short z",
                                         "property float nx",
                                         "property float ny",
                                         "property float nz",
                                         "property float quality",
                                         "property double height",
                                         "property float s",
                                         "element other 2",
                                         "property list uint double things",
                                         "property char tag",
                                         "element nothing 5",
                                         "element face 1",
                                         "property int flags",
                                         "property list int ushort vertex_index",
                                         "property list uchar float texcoord",
                                         "element edge 1",
                                         "property int vertex1",
                                         "end_header" };
    *w = (writing){ .encoding = encoding };
    w->size = (size_t)sprintf((char*)w->bytes, "ply%sformat %s 1.0%s", ending, names[encoding], ending);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; ++i)
        w->size += (size_t)sprintf((char*)w->bytes + w->size, "%s%s", lines[i], ending);
    for (int v = 0; v < 3; ++v) {
        put_number(w, v, 2, false);
        for (int i = 0; i < v; ++i) put_number(w, -7, 2, false);
        put_number(w, 200, 1, false);
        put_number(w, v == 1 ? 1.25 : -0.5, 8, true);
        put_number(w, v == 2 ? 2.5 : 0, 4, true);
        put_number(w, -3, 2, false);
        put_number(w, 0, 4, true);
        put_number(w, 0, 4, true);
        put_number(w, 1, 4, true);
        put_number(w, 0.25 * v, 4, true);
        put_number(w, 10 * v, 8, true);
        put_number(w, 0.5, 4, true);
    }
    for (int i = 0; i < 2; ++i) {
        put_number(w, 1, 4, false);
        put_number(w, 3.5, 8, true);
        put_number(w, -1, 1, false);
    }
    put_number(w, 77, 4, false);
    put_number(w, 3, 4, false);
    for (int v = 0; v < 3; ++v) put_number(w, 2 - v, 2, false);
    put_number(w, 2, 1, false);
    put_number(w, 0.5, 4, true);
    put_number(w, 0.5, 4, true);
    put_number(w, 1, 4, false);
}

static void every_encoding_gives_the_same_and_the_unknown_is_stepped_over(void** state)
{
    (void)state;
    static const char* const endings[] = { "\n", "\r\n", "\r" };
    for (int i = 0; i < 9; ++i) {
        writing        w;
        sup_character* c = NULL;
        sup_error      error;
        make_rich(&w, i % 3, endings[i / 3]);
        assert_ok(read_bytes(w.bytes, w.size, NULL, &c, &error), error);
        static const uint32_t corners[3] = { 2, 1, 0 };
        assert_int_equal(c->mesh.vertex_count, 3);
        assert_memory_equal(c->mesh.corner_vertices, corners, sizeof corners);
        assert_true(c->mesh.points[c->mesh.vertex_points[1]].x == 1.25f);
        assert_true(c->mesh.points[c->mesh.vertex_points[2]].y == 2.5f && c->mesh.points[0].z == -3);
        assert_true(c->mesh.vertex_normals[1].z == 1);
        const sup_map* map = sup_character_map(c, "_QUALITY");
        assert_non_null(map);
        assert_true(map->values[c->mesh.vertex_points[2]] == 0.5f);
        assert_int_equal(c->map_count, 1);
        assert_int_equal(c->warning_count, 1);
        assert_non_null(strstr(c->warnings[0], "HEIGHT is not within 0 to 1"));
        sup_character_destroy(c);
    }
}

static void complaints_name_what_is_wrong(void** state)
{
    (void)state;
    refuse("", "does not begin with 'ply'");
    refuse("plywood\n", "does not begin with 'ply'");
    refuse("ply\nelement vertex 1\n", "the header does not end");
    refuse("ply\nend_header\n", "no line 'format'");
    refuse("ply\nformat hex 1.0\nend_header\n", "'format hex 1.0': it is neither ascii");
    refuse(HEAD "property float x\nend_header\n", "no element precedes it");
    refuse(HEAD "element vertex\nend_header\n", "it has no count");
    refuse(HEAD "element vertex -1\nend_header\n", "it has no count");
    refuse(HEAD "element vertex 1\nproperty half x\nend_header\n", "its type is unknown");
    refuse(HEAD "element vertex 1\nproperty list float int x\nend_header\n", "its count is not a whole number");
    refuse(HEAD "elemen vertex 1\nend_header\n", "the word is unknown");
    refuse(HEAD "element face 1\n" LIST "end_header\n3 0 1 2\n", "no element 'vertex'");
    refuse(HEAD "element vertex 1\n" XYZ "end_header\n0 0 0\n", "only points");
    refuse(HEAD "element vertex 1\n" XYZ "element tristrips 1\n" LIST "end_header\n0 0 0\n1 0\n", "only triangle strips");
    refuse(HEAD "element vertex 1\nproperty float x\nelement face 1\n" LIST "end_header\n0 0 0\n", "lack x, y or z");
    refuse(HEAD "element vertex 1\n" XYZ XYZ "element face 1\n" LIST "end_header\n0 0 0 0 0 0 3 0 0 0\n", "'x' twice");
    refuse(HEAD "element vertex 1\n" XYZ "element vertex 1\n" XYZ "end_header\n0 0 0 0 0 0\n", "two elements 'vertex'");
    refuse(HEAD "element vertex 4000000000\n" XYZ "element face 1\n" LIST "end_header\n0 0 0\n3 0 0 0\n",
           "announces 4000000000 of 'vertex'");
    refuse(HEAD "element vertex 99999999999999999999\n" XYZ "element face 1\n" LIST "end_header\n0 0 0\n", "announces");
    refuse(HEAD "element vertex 2\n" XYZ "element face 1\n" LIST "end_header\n0 0 0 1 nan 0 3 0 0 0\n", "position of vertex 1 is not finite");
    refuse(HEAD "element vertex 2\n" XYZ "element face 1\n" LIST "end_header\n0 0 0 1 1e99 0 3 0 0 0\n", "position of vertex 1 is not finite");
    refuse(HEAD "element vertex 2\n" XYZ "element face 1\n" LIST "end_header\n0 0 0 1 x 0 3 0 0 0\n",
           "vertex 1 of 2 does not have");
    refuse(HEAD "element vertex 2\n" XYZ "element face 1\n" LIST "end_header\n0 0 0 1 0 0 3 0 0 2\n",
           "face 0: vertex 2 does not");
    refuse(HEAD "element vertex 2\n" XYZ "element face 1\n" LIST "end_header\n0 0 0 1 0 0 3 0 0 -1\n", "face 0: vertex -1");
    refuse(HEAD "element vertex 2\n" XYZ "element face 1\n" LIST "end_header\n0 0 0 1 0 0 -3 0 0 1\n", "has -3 corners");
    refuse(HEAD "element vertex 2\n" XYZ "element face 1\n" LIST "end_header\n0 0 0 1 0 0 900 0 0 1\n", "has 900 corners");
    refuse(HEAD "element vertex 2\n" XYZ "element face 2\n" LIST "end_header\n0 0 0 1 0 0 3 0 0 1\n\n\n",
           "face 1 of 2 is missing");
    refuse(HEAD "element vertex 2\n" XYZ "element face 1\nproperty int a\nend_header\n0 0 0 1 0 0 3\n",
           "no list 'vertex_indices'");
    refuse(HEAD "element vertex 2\n" XYZ
                "element face 1\nproperty list int float vertex_indices\nend_header\n0 0 0 1 0 0 3 0 0 1\n",
           "as fractions");
}

static void larger_polygons_than_expected_fit(void** state)
{
    (void)state;
    sup_character* c = read_text(HEAD "element vertex 4\n" XYZ "element face 3\n" LIST
                                      "end_header\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n4 3 2 1 0\n4 1 2 3 0");
    assert_int_equal(c->mesh.corner_count, 12);
    assert_int_equal(c->mesh.corner_vertices[11], 0);
    sup_character_destroy(c);
}

static void cut_or_changed_anywhere_it_never_crashes(void** state)
{
    (void)state;
    for (int encoding = 0; encoding < 3; ++encoding) {
        writing w;
        make_rich(&w, encoding, "\n");
        for (size_t size = 0; size <= w.size; ++size)
            for (int wrong = 0; wrong < 4; ++wrong) {
                writing        copy = w;
                sup_character* c = NULL;
                sup_error      error = { SUP_OK, "" };
                if (size < w.size && wrong) copy.bytes[size] = (uint8_t) "\xff-9"[wrong - 1];
                if (read_bytes(copy.bytes, wrong ? w.size : size, NULL, &c, &error) != SUP_OK)
                    assert_true(strlen(error.text) > 10);
                sup_character_destroy(c);
            }
    }
}

static void every_refused_allocation_is_survived(void** state)
{
    (void)state;
    writing w;
    make_rich(&w, 0, "\n");
    starve(w.bytes, w.size);
}

static void progress_is_reported_every_so_many_rows(void** state)
{
    (void)state;
    enum { FACES = 100000, LEAST = 50000 };
    char*  text = malloc(300 + 10 * FACES + 3 * FACES);
    size_t size = (size_t)sprintf(text,
                                  "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
                                  "property float z\nelement face %d\nproperty list uchar int vertex_indices\n"
                                  "element other %d\nproperty uchar a\nend_header\n0 0 0\n1 0 0\n0 1 0\n",
                                  FACES, FACES);
    for (uint32_t i = 0; i < FACES; ++i) size += (size_t)sprintf(text + size, "3 0 1 2\n");
    for (uint32_t i = 0; i < FACES; ++i) size += (size_t)sprintf(text + size, "7\n");
    uint32_t calls = read_stopping(text, 0);
    print_message("  asked %u times over %u rows\n", calls, 2 * FACES);
    assert_true(calls >= 2 * FACES / LEAST);
    for (uint32_t stop = 1; stop <= calls; ++stop) read_stopping(text, stop);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(polygons_and_vertex_order_are_kept),
        cmocka_unit_test(every_encoding_gives_the_same_and_the_unknown_is_stepped_over),
        cmocka_unit_test(progress_is_reported_every_so_many_rows),
        cmocka_unit_test(complaints_name_what_is_wrong),
        cmocka_unit_test(larger_polygons_than_expected_fit),
        cmocka_unit_test(cut_or_changed_anywhere_it_never_crashes),
        cmocka_unit_test(every_refused_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
