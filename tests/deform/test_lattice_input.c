// Odd input: each gets one note with its cure, or makes no difference at all.
#include "lattice_rig.h"

enum { MESH_POINTS = 4096, MESH_CORNERS = 16384 };

typedef struct mesh {
    uint32_t points, corners;
    sup_vec3 at[MESH_POINTS];
    uint32_t triangles[MESH_CORNERS];
} mesh;

// A box from a to b, its sides cut into pieces about one unit long; open: without the side at the lowest z.
static void add_box(mesh* m, sup_vec3 a, sup_vec3 b, bool open)
{
    for (int axis = 0; axis < 3; ++axis)
        for (int up = 0; up < 2; ++up) {
            const float *low = &a.x, *high = &b.x;
            int          u = (axis + 1) % 3, v = (axis + 2) % 3;
            uint32_t     nu = (uint32_t)ceilf(high[u] - low[u]), nv = (uint32_t)ceilf(high[v] - low[v]), first = m->points;
            if (open && axis == 2 && !up) continue;
            for (uint32_t j = 0; j <= nv; ++j)
                for (uint32_t i = 0; i <= nu; ++i) {
                    float* p = &m->at[m->points++].x;
                    p[axis] = up ? high[axis] : low[axis];
                    p[u] = low[u] + (high[u] - low[u]) * (float)i / (float)nu;
                    p[v] = low[v] + (high[v] - low[v]) * (float)j / (float)nv;
                }
            for (uint32_t j = 0; j < nv; ++j)
                for (uint32_t i = 0; i < nu; ++i) {
                    uint32_t c[4] = { first + j * (nu + 1) + i, first + j * (nu + 1) + i + 1,
                                      first + (j + 1) * (nu + 1) + i + 1, first + (j + 1) * (nu + 1) + i };
                    uint32_t turn[6] = { c[0], c[up ? 1 : 2], c[up ? 2 : 1], c[0], c[up ? 2 : 3], c[up ? 3 : 2] };
                    memcpy(m->triangles + m->corners, turn, sizeof turn);
                    m->corners += 6;
                }
        }
    assert_true(m->points < MESH_POINTS && m->corners < MESH_CORNERS);
}

typedef struct options {
    sup_vec3 joints[3]; // places
    float    unit;      // metres
    bool     weld, painted;
    bool     two;    // only two joints
    bool     riding; // on a node that no skin has
} options;

static const options standard = {
    .joints = { { 0, 0, 0 }, { 0, 0, 20 }, { 0, 0, 40 } }, .unit = 0.01f, .weld = true, .painted = true
};

static sup_character* make(const mesh* m, const options* o)
{
    static uint32_t joints[MESH_POINTS];
    static float    weights[MESH_POINTS];
    sup_joint       bones[3] = { { .name = "lower", .parent = SUP_NONE },
                                 { .name = "upper", .parent = 0 },
                                 { .name = "tip", .parent = 1 } };
    for (uint32_t p = 0; p < m->points; ++p) joints[p] = o->painted && m->at[p].z > 20, weights[p] = 1;
    for (int i = 0; i < 3; ++i) {
        bones[i].skin_joint = !o->riding || i == 2;
        bones[i].rest =
            (sup_transform){ i ? v3_sub(o->joints[i], o->joints[i - 1]) : o->joints[0], quat_identity(), v3(1, 1, 1) };
        bones[i].inverse_bind = affine_identity();
        for (int a = 0; a < 3; ++a) bones[i].inverse_bind.m[a][3] = -(&o->joints[i].x)[a];
    }
    sup_part_desc      part = { .name = "thing",
                                .vertex_count = m->points,
                                .positions = m->at,
                                .face_count = m->corners / 3,
                                .corners = m->triangles,
                                .width = o->riding ? 0 : 1,
                                .joints = joints,
                                .weights = weights,
                                .weld = o->weld,
                                .joint = o->riding ? 0 : SUP_NONE,
                                .source_id = SUP_NONE };
    sup_character_desc desc = { .name = "thing",
                                .part_count = 1,
                                .parts = &part,
                                .joint_count = o->two ? 2 : 3,
                                .joints = bones,
                                .metres_per_unit = (double)o->unit };
    return test_character(&desc);
}

static mesh* bar(bool open)
{
    static mesh m;
    m.points = m.corners = 0;
    add_box(&m, v3(-2.975f, -2.975f, 0), v3(2.975f, 2.975f, 40), open);
    return &m;
}

// The note with a word in it, NULL: none.
static const char* note_with(const rig* r, const char* word)
{
    for (uint32_t i = 0; i < sup_chain_note_count(r->chain); ++i)
        if (strstr(sup_chain_note(r->chain, i), word)) return sup_chain_note(r->chain, i);
    return NULL;
}

static void expect_note(const mesh* m, const options* o, const char* links, const char* word, const char* more)
{
    rig r;
    rig_make(&r, make(m, o), links);
    const char* note = note_with(&r, word);
    if (note) {
        print_message("  %s\n", note);
        if (more && !strstr(note, more)) fail_msg("'%s' lacks '%s'", note, more);
    } else fail_msg("no note with '%s'", word);
    rig_reset(&r);
    for (uint32_t i = 0; i < r.b->point_count; ++i) assert_true(isfinite(r.out[i].x + r.out[i].y + r.out[i].z));
    rig_end(&r);
}

static void a_sound_character_is_bound_without_a_word(void** state)
{
    (void)state;
    rig r;
    rig_make(&r, make(bar(false), &standard), "lattice(cells=40)");
    assert_int_equal(sup_chain_note_count(r.chain), 0);
    rig_end(&r);
}

static void missing_weights_are_made_and_said(void** state)
{
    (void)state;
    options o = standard;
    o.painted = false;
    expect_note(bar(false), &o, "lattice(cells=40)", "no weights", "thing");
}

static void an_open_mesh_has_an_inside_and_is_said(void** state)
{
    (void)state;
    rig r;
    rig_make(&r, make(bar(true), &standard), "lattice(cells=40)");
    assert_int_equal(r.b->voxels.cell_count, 6 * 6 * 40);
    rig_end(&r);
    expect_note(bar(true), &standard, "lattice(cells=40)", "holes", NULL);
}

static void a_piece_without_a_bone_rides_along_and_is_said(void** state)
{
    (void)state;
    mesh* m = bar(false);
    add_box(m, v3(6, -1, 30), v3(8, 1, 32), false);
    expect_note(m, &standard, "lattice(cells=40)", "1 piece", "no bone inside");
}

static void a_bone_outside_is_named(void** state)
{
    (void)state;
    options o = standard;
    o.painted = false;
    o.joints[1] = v3(0, 12, 20), o.joints[2] = v3(0, 12, 40);
    expect_note(bar(false), &o, "lattice(cells=40)", "outside", "'upper'");
    rig r; // with weights of its own that does not matter
    o.painted = true;
    rig_make(&r, make(bar(false), &o), "lattice(cells=40)");
    assert_null(note_with(&r, "outside"));
    rig_end(&r);
}

static void cells_too_coarse_for_a_limb_name_it_and_the_cure(void** state)
{
    (void)state;
    static mesh m;
    m.points = m.corners = 0;
    add_box(&m, v3(-3, -3, 0), v3(3, 3, 20), false);
    add_box(&m, v3(-0.7f, -0.7f, 20), v3(0.7f, 0.7f, 40), false);
    expect_note(&m, &standard, "lattice(cells=16)", "cells thick", "'tip'");
    // Its upper half is 1.4 x 1.4 x 10 with one end: 4 volumes over the area are 1.353, and 1.5 cells across that of 40 are 45.
    rig r;
    rig_make(&r, make(&m, &standard), "lattice(cells=16)");
    const char* cure = strstr(note_with(&r, "cells thick"), "cells=");
    assert_non_null(cure);
    int need = atoi(cure + 6);
    assert_in_range(need, 44, 46);
    rig_end(&r);
    char links[64];
    sup_format(links, sizeof links, "lattice(cells=%d)", need + 1);
    rig_make(&r, make(&m, &standard), links);
    assert_null(note_with(&r, "cells thick"));
    rig_end(&r);
}

static void cells_fit_limbs_and_a_budget_by_themselves(void** state)
{
    (void)state;
    static mesh m;
    rig         r;
    m.points = m.corners = 0;
    add_box(&m, v3(-3, -3, 0), v3(3, 3, 20), false); // a limb 1.4 thick on a body
    add_box(&m, v3(-0.7f, -0.7f, 20), v3(0.7f, 0.7f, 40), false);
    rig_make(&r, make(&m, &standard), "lattice");
    assert_null(note_with(&r, "cells thick"));
    assert_true(1.353 / r.b->h >= 1.5);
    assert_in_range(r.b->voxels.particle_count, 1000, 8000);
    rig_end(&r);
    m.points = m.corners = 0; // a block: 120,000 particles at 48 cells
    add_box(&m, v3(-7, -7, 0), v3(7, 7, 14), false);
    rig_make(&r, make(&m, &standard), "lattice");
    print_message("  a block has %u particles\n", r.b->voxels.particle_count);
    assert_in_range(r.b->voxels.particle_count, 4000, 8000);
    rig_end(&r);
    sup_character* c = make(bar(false), &standard);
    sup_chain*     chain = NULL;
    sup_error      error;
    assert_int_equal(sup_chain_create(&(sup_chain_desc){ .character = c, .links = "lattice(cells=7)" }, &chain, &error),
                     SUP_ERROR_INPUT);
    assert_non_null(strstr(error.text, "cells cannot be 7; give 16"));
    sup_character_destroy(c);
}

// A frame at 30 or 60 per second ends with a step; other links may want shorter steps, and the user may always ask for them.
static void the_clock_is_the_shortest_that_a_link_wants(void** state)
{
    (void)state;
    static const struct {
        const char* links;
        double      asked, step;
    } cases[] = { { "lattice(cells=20)", 0, 1.0 / 60 },
                  { "lattice(cells=20),smooth", 0, 1.0 / 60 },
                  { "lattice(cells=20),layers", 0, 0.005 },
                  { "lattice(cells=20)", 0.004, 0.004 },
                  { "linear", 0, 0.005 } };
    for (size_t i = 0; i < SUP_COUNT_OF(cases); ++i) {
        sup_character* c = make(bar(false), &standard);
        sup_chain*     chain = NULL;
        sup_error      error;
        sup_chain_desc desc = { .character = c, .links = cases[i].links, .step = cases[i].asked };
        assert_ok(sup_chain_create(&desc, &chain, &error), error);
        assert_true(chain->step == cases[i].step);
        sup_chain_destroy(chain);
        sup_character_destroy(c);
    }
}

static void sizes_that_no_creature_has_ask_for_the_unit(void** state)
{
    (void)state;
    options o = standard;
    o.unit = 100;
    expect_note(bar(false), &o, "lattice(cells=40)", "--unit", "4087"); // 40.87 units of 100 m
    o.unit = 1e-5f;
    expect_note(bar(false), &o, "lattice(cells=40)", "--unit", NULL);
}

// ---------------------------------------------------------------------------------------------- no effect

typedef struct skin {
    uint32_t points, cells;
    sup_vec3 rest[MESH_POINTS], out[MESH_POINTS];
} skin;
static skin first, other;

static void bend(sup_character* c, skin* s)
{
    rig r;
    rig_make(&r, c, "lattice(cells=40,weights=screened)");
    rig_turn(&r, 1, v3(1, 0, 0), 60);
    rig_reset(&r);
    s->cells = r.b->voxels.cell_count;
    s->points = r.b->point_count;
    memcpy(s->rest, c->mesh.points, s->points * sizeof *s->rest);
    memcpy(s->out, r.out, s->points * sizeof *s->out);
    rig_end(&r);
}

// Points are numbered in the order in which faces use them, so they are looked up by position.
static void expect_the_same(const skin* a, const skin* b)
{
    assert_int_equal(a->cells, b->cells);
    for (uint32_t i = 0; i < a->points; i += 7) {
        uint32_t k = 0;
        while (k < b->points && v3_distance(a->rest[i], b->rest[k]) > 1e-5f) ++k;
        assert_true(k < b->points);
        assert_true(v3_distance(a->out[i], b->out[k]) < 2e-4f);
    }
}

static void turned_inside_out_it_is_the_same(void** state)
{
    (void)state;
    mesh* m = bar(false);
    bend(make(m, &standard), &first);
    for (uint32_t i = 0; i < m->corners; i += 3) {
        uint32_t c = m->triangles[i + 1];
        m->triangles[i + 1] = m->triangles[i + 2], m->triangles[i + 2] = c;
    }
    bend(make(m, &standard), &other);
    expect_the_same(&first, &other);
}

static void seams_fins_and_flat_faces_make_no_difference(void** state)
{
    (void)state;
    mesh*   m = bar(false);
    options o = standard;
    bend(make(m, &o), &first);
    o.weld = false; // every side has points of its own
    bend(make(m, &o), &other);
    assert_true(other.points > first.points);
    expect_the_same(&first, &other);
    // A third face on an edge, a face of no area, the same face twice.
    uint32_t odd[9] = { m->triangles[0], m->triangles[1], m->triangles[5], 7, 7, 8,
                        m->triangles[0], m->triangles[1], m->triangles[2] };
    memcpy(m->triangles + m->corners, odd, sizeof odd);
    m->corners += 9;
    bend(make(m, &o), &other);
    expect_the_same(&first, &other);
}

static void a_bone_of_no_length_is_a_point(void** state)
{
    (void)state;
    options o = standard;
    o.joints[2] = o.joints[1];
    bend(make(bar(false), &o), &first);
    for (uint32_t i = 0; i < first.points; ++i) assert_true(isfinite(first.out[i].x + first.out[i].y + first.out[i].z));
}

// A lid on a node has no bone to measure from: it is as thick as it is deep, or nothing would limit how far it is thrown.
static void flesh_on_a_node_is_as_thick_as_it_is_deep(void** state)
{
    (void)state;
    rig     r;
    options o = standard;
    o.riding = true;
    rig_make(&r, make(bar(false), &o), "lattice(cells=40,weights=file)");
    uint32_t swings = 0;
    for (uint32_t i = 0; i < r.b->count; ++i) {
        if (r.b->regions.particles[i] == SUP_NONE) continue;
        swings += r.b->free[i] > 0;
        float thick = 1 / sqrtf(r.b->thin[i]); // the bar is six wide
        assert_true(thick > 2.5f && thick < 4);
    }
    assert_true(swings > 0);
    rig_end(&r);
}

static void a_bone_that_grows_takes_its_volume_along(void** state)
{
    (void)state;
    rig    r;
    double change[8];
    rig_make(&r, make(bar(false), &standard), "lattice(cells=40,weights=screened)");
    r.now.local[0].scale = v3(1.2f, 1.2f, 1.2f); // the root, and so all
    sup_pose_update(r.c, &r.now);
    rig_reset(&r);
    rig_volumes(&r, change);
    for (uint32_t i = 0; i < r.b->volume.part_count; ++i) assert_float_equal(change[i], 0.728, 2e-3); // 1.2^3 - 1
    r.now.local[0].scale = v3(1, 1.3f, 0.8f);
    r.now.local[1].rotation = quat_axis_angle(v3(1, 0, 0), 0.7f); // under a scale that is not even: shear
    sup_pose_update(r.c, &r.now);
    rig_reset(&r);
    rig_volumes(&r, change);
    for (uint32_t i = 0; i < r.b->volume.part_count; ++i) assert_float_equal(change[i], 0.04, 2e-3);
    rig_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sound_character_is_bound_without_a_word),
        cmocka_unit_test(missing_weights_are_made_and_said),
        cmocka_unit_test(an_open_mesh_has_an_inside_and_is_said),
        cmocka_unit_test(a_piece_without_a_bone_rides_along_and_is_said),
        cmocka_unit_test(a_bone_outside_is_named),
        cmocka_unit_test(cells_too_coarse_for_a_limb_name_it_and_the_cure),
        cmocka_unit_test(cells_fit_limbs_and_a_budget_by_themselves),
        cmocka_unit_test(the_clock_is_the_shortest_that_a_link_wants),
        cmocka_unit_test(sizes_that_no_creature_has_ask_for_the_unit),
        cmocka_unit_test(turned_inside_out_it_is_the_same),
        cmocka_unit_test(seams_fins_and_flat_faces_make_no_difference),
        cmocka_unit_test(a_bone_of_no_length_is_a_point),
        cmocka_unit_test(flesh_on_a_node_is_as_thick_as_it_is_deep),
        cmocka_unit_test(a_bone_that_grows_takes_its_volume_along),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
