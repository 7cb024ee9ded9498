#include "scene/normals.h"

#include "math/vec.h"
#include "supple/scene.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct skin {
    sup_character*     character;
    sup_arena*         arena;
    const sup_normals* normals;
    void*              scratch;
    sup_vec3*          points; // to deform
    sup_vec3*          out;
    sup_vec4*          tangents;
} skin;

static skin wrap(sup_character* character)
{
    skin      s = { .character = character, .arena = sup_arena_create(NULL) };
    sup_error error;
    assert_ok(sup_normals_create(character, s.arena, &s.normals, &error), error);
    s.scratch = sup_arena_alloc(s.arena, 1, sup_normals_scratch(s.normals));
    s.points = sup_arena_copy(s.arena, character->mesh.points, character->mesh.point_count, sizeof *s.points);
    s.out = sup_arena_alloc(s.arena, character->mesh.vertex_count, sizeof *s.out);
    s.tangents = sup_arena_alloc(s.arena, character->mesh.vertex_count, sizeof *s.tangents);
    return s;
}

static void evaluate(skin* s) { sup_normals_evaluate(s->normals, s->points, s->scratch, NULL, s->out, s->tangents); }

static void unwrap(skin* s)
{
    sup_arena_destroy(s->arena);
    sup_character_destroy(s->character);
}

static void assert_vec(sup_vec3 have, sup_vec3 want, double tolerance)
{
    assert_float_equal(have.x, want.x, tolerance);
    assert_float_equal(have.y, want.y, tolerance);
    assert_float_equal(have.z, want.z, tolerance);
}

static sup_vec3 along(sup_vec4 t) { return v3(t.x, t.y, t.z); }

static sup_character* create(const sup_part_desc* part)
{
    sup_character_desc desc = { .name = "shape", .part_count = 1, .parts = part, .metres_per_unit = 1 };
    return test_character(&desc);
}

/// The cube from -1 to 1: 24 vertices that weld to 8 points, a normal and a tangent per side.
static sup_character* hard_cube(bool authored)
{
    sup_vec3 positions[24], normals[24];
    sup_vec4 tangents[24];
    uint32_t corners[24], sizes[6];
    for (uint32_t f = 0; f < 6; ++f) {
        uint32_t axis = f / 2;
        float    side = f % 2 ? 1.0f : -1.0f;
        for (uint32_t k = 0; k < 4; ++k) {
            float p[3], u = k == 1 || k == 2 ? 1.0f : -1.0f, v = k >= 2 ? 1.0f : -1.0f;
            p[axis] = side;
            p[(axis + 1) % 3] = u * side; // turns the order on the low side, so that all faces look outwards
            p[(axis + 2) % 3] = v;
            float n[3] = { 0 }, t[3] = { 0 };
            n[axis] = side;
            t[(axis + 1) % 3] = side;
            positions[4 * f + k] = v3(p[0], p[1], p[2]);
            normals[4 * f + k] = v3(n[0], n[1], n[2]);
            tangents[4 * f + k] = (sup_vec4){ t[0], t[1], t[2], f == 3 ? -1.0f : 1.0f };
            corners[4 * f + k] = 4 * f + k;
        }
        sizes[f] = 4;
    }
    sup_part_desc  part = { .name = "cube",
                            .vertex_count = 24,
                            .positions = positions,
                            .normals = authored ? normals : NULL,
                            .tangents = authored ? tangents : NULL,
                            .face_count = 6,
                            .face_sizes = sizes,
                            .corners = corners,
                            .joint = SUP_NONE,
                            .weld = true,
                            .source_id = SUP_NONE };
    sup_character* cube = create(&part);
    assert_int_equal(cube->mesh.point_count, 8);
    return cube;
}

static void rest_points_return_the_authored_normals(void** state)
{
    (void)state;
    skin            s = wrap(hard_cube(true));
    const sup_mesh* mesh = &s.character->mesh;
    evaluate(&s);
    for (uint32_t v = 0; v < 24; ++v) {
        assert_vec(s.out[v], mesh->vertex_normals[v], 1e-5);
        assert_vec(along(s.tangents[v]), along(mesh->vertex_tangents[v]), 1e-5);
        assert_true(s.tangents[v].w == mesh->vertex_tangents[v].w);
    }
    unwrap(&s);
}

static void rigid_turn_turns_the_normals(void** state)
{
    (void)state;
    skin            s = wrap(hard_cube(true));
    const sup_mesh* mesh = &s.character->mesh;
    for (int i = 0; i < 50; ++i) {
        sup_quat q = quat_euler_xyz(v3(0.31f * (float)i, 0.17f * (float)i, 1.3f * (float)i));
        for (uint32_t p = 0; p < 8; ++p) s.points[p] = v3_add(quat_rotate(q, mesh->points[p]), v3(3, -2, 1));
        evaluate(&s);
        for (uint32_t v = 0; v < 24; ++v) {
            assert_vec(s.out[v], quat_rotate(q, mesh->vertex_normals[v]), 1e-5);
            assert_vec(along(s.tangents[v]), quat_rotate(q, along(mesh->vertex_tangents[v])), 1e-5);
        }
    }
    unwrap(&s);
}

static void sheared_cube_keeps_its_hard_edges(void** state)
{
    (void)state;
    skin            s = wrap(hard_cube(true));
    const sup_mesh* mesh = &s.character->mesh;
    for (uint32_t p = 0; p < 8; ++p) s.points[p].x += 0.8f * s.points[p].y;
    evaluate(&s);
    float moved = 0;
    for (uint32_t v = 0; v < 24; ++v) {
        moved += v3_distance(s.out[v], mesh->vertex_normals[v]);
        for (uint32_t w = 0; w < v; ++w)
            if (mesh->vertex_points[v] == mesh->vertex_points[w])
                assert_float_equal(v3_dot(s.out[v], s.out[w]), 0, 1e-5); // still square to each other
    }
    assert_true(moved > 1);
    unwrap(&s);
}

static void corner_normal_weighs_angles_not_triangles(void** state)
{
    (void)state;
    // Of the cube's three quads at a corner one or two are cut by a diagonal there; the angles do not care.
    skin s = wrap(hard_cube(false));
    evaluate(&s);
    for (uint32_t v = 0; v < 24; ++v) {
        sup_vec3 p = s.character->mesh.points[s.character->mesh.vertex_points[v]];
        assert_vec(s.out[v], v3_scale(p, 0.57735027f), 1e-5);
        assert_float_equal(v3_dot(s.out[v], along(s.tangents[v])), 0, 1e-5);
        assert_float_equal(v3_length(along(s.tangents[v])), 1, 1e-5);
    }
    unwrap(&s);
}

static void assert_all_unit(const skin* s)
{
    for (uint32_t v = 0; v < s->character->mesh.vertex_count; ++v) {
        assert_float_equal(v3_length(s->out[v]), 1, 1e-5);
        assert_float_equal(v3_length(along(s->tangents[v])), 1, 1e-5);
    }
}

static void collapsed_skin_has_unit_normals(void** state)
{
    (void)state;
    for (int authored = 0; authored < 2; ++authored) {
        skin s = wrap(hard_cube(authored));
        for (int kind = 0; kind < 8; ++kind) {
            for (uint32_t p = 0; p < 8; ++p) {
                sup_vec3 r = s.character->mesh.points[p];
                switch (kind) {
                case 0: r = v3(0, 0, 0); break;
                case 1: r = v3(r.x, 0, 0); break;
                case 2: r = v3(r.x, r.y, 0); break;
                case 3: r = v3(NAN, r.y, r.z); break;
                case 4: r = v3(INFINITY, r.y, -INFINITY); break;
                case 5: r = v3_scale(r, 1e-30f); break;
                case 6: r = v3_scale(r, 3e30f); break;
                default: r = p == 3 ? v3(1, 1, 1) : p == 5 ? v3(NAN, 0, 0) : r; break;
                }
                s.points[p] = r;
            }
            evaluate(&s);
            assert_all_unit(&s);
        }
        unwrap(&s);
    }
}

static void flat_rest_shape_returns_its_normals(void** state)
{
    (void)state;
    // A triangle on a line, one in a point, and a loose vertex: nothing has a frame of its own.
    const sup_vec3 positions[] = { { 0, 0, 0 }, { 1, 1, 0 }, { 2, 2, 0 }, { 5, 5, 5 }, { 5, 5, 5 }, { 5, 5, 5 }, { 9, 9, 9 } };
    const sup_vec3 normals[] = { { 0, 0, 1 }, { 0, 1, 0 }, { 1, 0, 0 }, { 0, 0, 1 }, { 0, -1, 0 }, { 1, 0, 0 }, { 0, 1, 0 } };
    const uint32_t corners[] = { 0, 1, 2, 3, 4, 5 };
    sup_part_desc  part = { .name = "flat",
                            .vertex_count = 7,
                            .positions = positions,
                            .normals = normals,
                            .face_count = 2,
                            .corners = corners,
                            .joint = SUP_NONE,
                            .source_id = SUP_NONE };
    skin           s = wrap(create(&part));
    evaluate(&s);
    for (uint32_t v = 0; v < s.character->mesh.vertex_count; ++v)
        assert_vec(s.out[v], s.character->mesh.vertex_normals[v], 1e-5);
    assert_all_unit(&s);
    unwrap(&s);
}

static void workers_do_not_change_the_bits(void** state)
{
    (void)state;
    skin     s = wrap(test_tube(200, 61, 3, 10, 1)); // not a multiple of lanes or grains
    uint32_t count = s.character->mesh.vertex_count;
    for (uint32_t p = 0; p < count; ++p) s.points[p].y += 0.3f * s.points[p].x * s.points[p].x;
    evaluate(&s);
    uint64_t inline_hash = sup_hash(sup_hash_points(s.out, count), s.tangents, count * sizeof *s.tangents);
    for (uint32_t threads = 1; threads <= 8; threads *= 2) {
        sup_pool* pool = sup_pool_create(threads);
        assert_non_null(pool);
        memset(s.out, 0, count * sizeof *s.out);
        sup_normals_evaluate(s.normals, s.points, s.scratch, sup_pool_tasks(pool), s.out, s.tangents);
        assert_true(sup_hash(sup_hash_points(s.out, count), s.tangents, count * sizeof *s.tangents) == inline_hash);
        sup_pool_destroy(pool);
    }
    memset(s.out, 0, count * sizeof *s.out);
    sup_vec4 first = s.tangents[0];
    sup_normals_evaluate(s.normals, s.points, s.scratch, NULL, s.out, NULL); // without tangents
    assert_memory_equal(&first, s.tangents, sizeof first);
    assert_all_unit(&s);
    unwrap(&s);
}

static double allowed(double angle)
{
    double gap = fmin(angle, 3.141592653589793 - angle);
    return gap > 0.1 ? 2e-6 : gap > 0.01 ? 1e-5 : 5e-4;
}

static void triangle_angles_hold_their_error(void** state)
{
    (void)state;
    const uint32_t triangle[] = { 0, 1, 2 };
    for (int i = 1; i < 3000; ++i) {
        double              a = i * 3.14159 / 3000;
        const sup_vec3      points[] = { { 1, 1, 0 }, { 3, 1, 0 }, { (float)(1 + cos(a)), (float)(1 + sin(a)), 0 } };
        sup_triangle_normal one, other;
        sup_normals_triangles_v1(triangle, 0, 1, points, &one);
        SUP_WIDE_PICK(sup_normals_triangles)(triangle, 0, 1, points, &other);
        assert_memory_equal(&one, &other, sizeof one);
        // From the rounded points, in double.
        double cx = (double)points[2].x - 1, cy = (double)points[2].y - 1;
        double at0 = atan2(cy, cx), at1 = atan2(cy, 2 - cx), at2 = 3.141592653589793 - at0 - at1;
        assert_float_equal(one.angles[0], at0, allowed(at0));
        assert_float_equal(one.angles[1], at1, allowed(at1));
        assert_float_equal(one.angles[2], at2, allowed(at0) + allowed(at1)); // what the two leave of pi
        assert_float_equal(one.normal[2], 1, 1e-6);
    }
}

static void memory_that_runs_out_is_an_error(void** state)
{
    (void)state;
    sup_character* cube = hard_cube(true);
    for (test_starved s = { 0 }; test_starve(&s);) {
        sup_arena*         arena = sup_arena_create(&s.memory.allocator);
        const sup_normals* normals = NULL;
        sup_error          error;
        if (arena) s.result = sup_normals_create(cube, arena, &normals, &error);
        assert_true((s.result == SUP_OK) == (normals != NULL));
        sup_arena_destroy(arena);
    }
    sup_character_destroy(cube);
}

static void rest_normals_without_frames_have_the_same_bits(void** state)
{
    (void)state;
    skin      s = wrap(test_tube(40, 16, 4, 8, 1));
    sup_vec3* plain = sup_arena_alloc(s.arena, s.character->mesh.point_count, sizeof *plain);
    evaluate(&s);
    sup_mesh_normals(&s.character->mesh, plain);
    for (uint32_t v = 0; v < s.character->mesh.vertex_count; ++v)
        assert_memory_equal(&s.out[v], &plain[s.character->mesh.vertex_points[v]], sizeof *plain);
    unwrap(&s);
}

static void a_vertex_buffer_gets_the_same_bits_and_keeps_its_other_bytes(void** state)
{
    (void)state;
    skin                    s = wrap(hard_cube(true));
    const sup_mesh*         mesh = &s.character->mesh;
    const sup_vertex_layout layout = { .stride = 53, .position = 1, .normal = 16, .tangent = 32 }; // aligned to nothing
    unsigned char           buffer[24 * 53], before[24 * 53];
    memset(buffer, 0xA5, sizeof buffer);
    memcpy(before, buffer, sizeof before);
    for (uint32_t p = 0; p < 8; ++p) s.points[p].x += 0.8f * s.points[p].y;
    evaluate(&s);
    sup_vertices_write(s.normals, s.points, &layout, s.scratch, NULL, buffer);
    for (uint32_t v = 0; v < 24; ++v) {
        unsigned char* at = buffer + 53 * (size_t)v;
        assert_memory_equal(at + 1, &s.points[mesh->vertex_points[v]], 12);
        assert_memory_equal(at + 16, &s.out[v], 12);
        assert_memory_equal(at + 32, &s.tangents[v], 16);
        memset(at + 1, 0xA5, 12), memset(at + 16, 0xA5, 12), memset(at + 32, 0xA5, 16);
    }
    assert_memory_equal(buffer, before, sizeof buffer);
    const sup_vertex_layout none = { .stride = 53, .position = SUP_NONE, .normal = SUP_NONE, .tangent = SUP_NONE };
    sup_vertices_write(s.normals, s.points, &none, s.scratch, NULL, buffer);
    assert_memory_equal(buffer, before, sizeof buffer);
    unwrap(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_vertex_buffer_gets_the_same_bits_and_keeps_its_other_bytes),
        cmocka_unit_test(rest_points_return_the_authored_normals),
        cmocka_unit_test(rest_normals_without_frames_have_the_same_bits), cmocka_unit_test(rigid_turn_turns_the_normals),
        cmocka_unit_test(sheared_cube_keeps_its_hard_edges),       cmocka_unit_test(corner_normal_weighs_angles_not_triangles),
        cmocka_unit_test(collapsed_skin_has_unit_normals),         cmocka_unit_test(flat_rest_shape_returns_its_normals),
        cmocka_unit_test(workers_do_not_change_the_bits),          cmocka_unit_test(triangle_angles_hold_their_error),
        cmocka_unit_test(memory_that_runs_out_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
