// Rigs whose posed shapes are known: what comes out of a character must be what their authors computed.
#include "base/internal.h"
#include "scene/small.h"
#include "solve/skinning/skinning.h"

#include <stdio.h>
#include <stdlib.h>

// ---------------------------------------------------------------------------------------------- readers for this data only

typedef struct mesh {
    uint32_t  vertex_count, face_count;
    sup_vec3* positions;
    uint32_t* corners;
} mesh;

static mesh read_obj(const char* path)
{
    mesh  m = { 0 };
    char  line[512];
    FILE* f = fopen(path, "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) m.vertex_count += line[0] == 'v' && line[1] == ' ', m.face_count += line[0] == 'f';
    m.positions = calloc(m.vertex_count, sizeof *m.positions);
    m.corners = calloc(3 * (size_t)m.face_count, sizeof *m.corners);
    rewind(f);
    uint32_t v = 0, c = 0;
    while (fgets(line, sizeof line, f)) {
        char* p = line + 1;
        if (line[0] == 'v' && line[1] == ' ') {
            m.positions[v].x = strtof(p, &p);
            m.positions[v].y = strtof(p, &p);
            m.positions[v++].z = strtof(p, &p);
        }
        for (int k = 0; line[0] == 'f' && k < 3; ++k) {
            m.corners[c++] = (uint32_t)strtoul(p, &p, 10) - 1;
            while (*p && *p != ' ') ++p;
        }
    }
    fclose(f);
    return m;
}

static void free_mesh(mesh m) { free(m.positions), free(m.corners); }

// Column by column, as stored.
typedef struct matrix {
    uint32_t rows, columns;
    double*  values;
} matrix;

static matrix read_dmat(const char* path)
{
    matrix m = { 0 };
    FILE*  f = fopen(path, "rb");
    assert_non_null(f);
    assert_int_equal(fscanf(f, "%u %u", &m.columns, &m.rows), 2);
    bool binary = !m.rows && !m.columns;
    if (binary) {
        assert_int_equal(fscanf(f, "%u %u", &m.columns, &m.rows), 2);
        assert_int_equal(fgetc(f), '\n');
    }
    size_t count = (size_t)m.rows * m.columns;
    m.values = calloc(count, sizeof *m.values);
    if (binary) assert_int_equal(fread(m.values, sizeof *m.values, count, f), count);
    for (size_t i = 0; !binary && i < count; ++i) assert_int_equal(fscanf(f, "%lf", &m.values[i]), 1);
    fclose(f);
    return m;
}

// ---------------------------------------------------------------------------------------------- the rig

typedef struct rig {
    mesh                rest;
    matrix              weights; // a row per vertex, a column per bone
    sup_character*      c;
    sup_pose            pose;
    const sup_skin_set* set;
    void*               scratch;
    sup_vec3*           out;
} rig;

static void rig_make(rig* r, const char* obj, const char* dmat)
{
    r->rest = read_obj(obj);
    r->weights = read_dmat(dmat);
    uint32_t n = r->rest.vertex_count, bones = r->weights.columns;
    assert_int_equal(r->weights.rows, n);
    sup_joint* joints = calloc(bones, sizeof *joints);
    uint32_t*  indices = calloc((size_t)n * bones, sizeof *indices);
    float*     values = calloc((size_t)n * bones, sizeof *values);
    for (uint32_t j = 0; j < bones; ++j) joints[j] = small_joint(NULL, SUP_NONE, v3(0, 0, 0), v3(0, 0, 0));
    for (uint32_t v = 0; v < n; ++v)
        for (uint32_t j = 0; j < bones; ++j) {
            indices[v * bones + j] = j;
            values[v * bones + j] = (float)r->weights.values[(size_t)j * n + v];
        }
    sup_part_desc      part = { .name = "rig",
                                .vertex_count = n,
                                .positions = r->rest.positions,
                                .face_count = r->rest.face_count,
                                .corners = r->rest.corners,
                                .width = bones,
                                .joints = indices,
                                .weights = values,
                                .joint = SUP_NONE };
    sup_character_desc desc = { .part_count = 1, .parts = &part, .joint_count = bones, .joints = joints };
    sup_error          error;
    r->c = test_character(&desc);
    free(joints), free(indices), free(values);
    assert_int_equal(r->c->mesh.point_count, n);
    assert_memory_equal(r->c->mesh.points, r->rest.positions, n * sizeof *r->rest.positions);
    assert_int_equal(r->c->warning_count, 0);
    assert_float_equal(r->c->weights.sum_min, 1, 1e-5f);
    assert_float_equal(r->c->weights.sum_max, 1, 1e-5f);

    assert_ok(sup_pose_create(r->c, r->c->arena, &r->pose, &error), error);
    sup_vec3*     centers = SUP_NEW(r->c->arena, sup_vec3, bones);
    sup_skin_desc skin = { .point_count = n,
                           .points = r->c->mesh.points,
                           .begin = r->c->weights.begin,
                           .joints = r->c->weights.joints,
                           .values = r->c->weights.values,
                           .joint_count = bones,
                           .joint_centers = centers };
    assert_ok(sup_skin_create(&skin, r->c->arena, &r->set, &error), error);
    r->scratch = SUP_NEW(r->c->arena, uint8_t, sup_skin_scratch(r->set) + 64);
    r->out = SUP_NEW(r->c->arena, sup_vec3, n);
}

static void rig_free(rig* r)
{
    sup_character_destroy(r->c);
    free_mesh(r->rest);
    free(r->weights.values);
}

// Matrices of all bones: 4 rows of 3 per bone, the transposed affine map; `at(row, column)` by the strides given.
static void rig_skin(rig* r, const double* t, size_t row_stride, size_t column_stride)
{
    for (uint32_t j = 0; j < r->pose.joint_count; ++j)
        for (size_t i = 0; i < 3; ++i)
            for (size_t k = 0; k < 4; ++k) r->pose.skin[j].m[i][k] = (float)t[(4 * j + k) * row_stride + i * column_stride];
    sup_skin_call call = { .skin = r->pose.skin, .scratch = r->scratch, .out = r->out };
    sup_skin_evaluate(r->set, &call);
}

static void the_wolf_stands_as_its_authors_posed_it(void** state)
{
    (void)state;
    TEST_NEEDS_DATA(obj, "wolf-rig/wolf.obj");
    TEST_NEEDS_DATA(dmat, "wolf-rig/wolf-weights.dmat");
    rig r = { 0 };
    rig_make(&r, obj, dmat);
    assert_int_equal(r.c->mesh.point_count, 5075);
    assert_int_equal(r.c->mesh.face_count, 10018);
    assert_float_equal(r.c->mesh.diagonal, 10.3, 0.1);
    for (int pose = 1; pose <= 6; ++pose) {
        char name[64];
        snprintf(name, sizeof name, "wolf-rig/wolf-%d.tmat", pose);
        const char* tmat = test_data(name);
        snprintf(name, sizeof name, "wolf-rig/wolf-%d.obj", pose);
        const char* truth_path = test_data(name);
        assert_non_null(tmat);
        assert_non_null(truth_path);
        FILE*  f = fopen(tmat, "r");
        double t[84 * 3];
        assert_non_null(f);
        for (size_t i = 0; i < 84 * 3; ++i) assert_int_equal(fscanf(f, "%lf", &t[i]), 1);
        fclose(f);
        mesh truth = read_obj(truth_path);
        assert_int_equal(truth.vertex_count, 5075);
        rig_skin(&r, t, 3, 1);
        double most = 0;
        for (uint32_t v = 0; v < truth.vertex_count; ++v) {
            double d = (double)v3_distance(r.out[v], truth.positions[v]);
            if (d > most) most = d;
        }
        print_message("wolf-%d: largest error %.2e\n", pose, most);
        assert_true(most < 2e-5);
        free_mesh(truth);
    }
    rig_free(&r);
}

// No truth meshes come with the elephant, so the formula itself is evaluated in double from the file's own numbers.
static double elephant_error(const rig* r, const double* t)
{
    uint32_t n = r->rest.vertex_count;
    double   most = 0;
    for (uint32_t v = 0; v < n; ++v) {
        double p[4] = { (double)r->rest.positions[v].x, (double)r->rest.positions[v].y, (double)r->rest.positions[v].z, 1 };
        double q[3] = { 0 }, sum = 0;
        for (uint32_t j = 0; j < 24; ++j) {
            double w = r->weights.values[(size_t)j * n + v];
            sum += w;
            for (size_t i = 0; i < 3; ++i)
                for (size_t k = 0; k < 4; ++k) q[i] += w * p[k] * t[(4 * j + k) + 96 * i];
        }
        assert_float_equal(sum, 1, 1e-6);
        double x = q[0] - (double)r->out[v].x, y = q[1] - (double)r->out[v].y, z = q[2] - (double)r->out[v].z;
        double d = sqrt(x * x + y * y + z * z);
        if (!(d <= most)) most = d;
    }
    return most;
}

static void the_elephant_walks_as_the_formula_says(void** state)
{
    (void)state;
    TEST_NEEDS_DATA(obj, "libigl-rigs/elephant.obj");
    TEST_NEEDS_DATA(dmat, "libigl-rigs/elephant-weights.dmat");
    TEST_NEEDS_DATA(animation_path, "libigl-rigs/elephant-anim.dmat");
    rig r = { 0 };
    rig_make(&r, obj, dmat);
    matrix animation = read_dmat(animation_path);
    assert_int_equal(animation.rows, 288);
    assert_int_equal(animation.columns, 457);
    double most = 0, moved = 0;
    for (uint32_t k = 0; k < animation.columns; ++k) {
        const double* t = animation.values + (size_t)k * 288;
        rig_skin(&r, t, 1, 96);
        double d = elephant_error(&r, t);
        if (!(d <= most)) most = d;
        double shift = (double)v3_distance(r.out[0], r.c->mesh.points[0]);
        if (shift > moved) moved = shift;
    }
    print_message("elephant: largest error %.2e of the diagonal over 457 frames\n", most / (double)r.c->mesh.diagonal);
    assert_true(most < 1e-5 * (double)r.c->mesh.diagonal);
    assert_true(moved > 0.01 * (double)r.c->mesh.diagonal);
    free(animation.values);
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_wolf_stands_as_its_authors_posed_it),
        cmocka_unit_test(the_elephant_walks_as_the_formula_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
