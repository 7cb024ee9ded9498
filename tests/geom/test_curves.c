#include "support.h"

#include "base/internal.h"
#include "geom/curves/curves.h"
#include "math/vec.h"

#include <math.h>
#include <stdlib.h>

static sup_curve_mesh mesh_of(const sup_character* c)
{
    const sup_mesh* m = &c->mesh;
    return (sup_curve_mesh){ m->point_count, m->points,     m->triangle_count, m->triangles,
                             m->face_count,  m->face_begin, m->corner_points };
}

static uint32_t* dominant(const sup_character* c, sup_arena* arena)
{
    uint32_t* labels = sup_arena_alloc(arena, c->mesh.point_count, sizeof *labels);
    for (uint32_t p = 0; p < c->mesh.point_count; ++p) labels[p] = c->weights.joints[c->weights.begin[p]];
    return labels;
}

static sup_vec3 place(const sup_curves* curves, const sup_vec3* points, uint32_t i)
{
    sup_curve_point p = curves->points[i];
    return v3_lerp(points[p.a], points[p.b], p.ratio);
}

// Along x, from 0 to 2, radius 0.5, in 8 steps around; 17 rings.
static sup_character* tube(void) { return test_tube(17, 8, 2, 2.0f, 0.5f); }

static void a_plane_across_a_tube_gives_one_closed_ring(void** state)
{
    (void)state;
    sup_character* c = tube();
    sup_arena*     arena = sup_arena_create(NULL);
    sup_curve_mesh mesh = mesh_of(c);
    sup_vec3       centers[] = { { 0.5f, 0, 0 }, { 1.03f, 0, 0 } }, normals[] = { { 1, 0, 0 }, { 1, 0, 0 } };
    sup_curves     curves;
    sup_error      error;
    assert_ok(sup_curves_cut(&mesh, &(sup_curve_line){ 2, centers, normals }, 0, arena, &curves, &error), error);
    assert_int_equal(curves.curve_count, 2);
    for (uint32_t k = 0; k < 2; ++k) {
        assert_true(curves.curves[k].closed);
        assert_true(curves.curves[k].count >= 8);
        sup_vec3 turn = { 0, 0, 0 };
        for (uint32_t i = 0; i < curves.curves[k].count; ++i) {
            sup_vec3 a = place(&curves, c->mesh.points, curves.curves[k].begin + i);
            sup_vec3 b = place(&curves, c->mesh.points, curves.curves[k].begin + (i + 1) % curves.curves[k].count);
            assert_float_equal(a.x, centers[k].x, 1e-5);
            a.x = b.x = 0;
            turn = v3_add(turn, v3_cross(a, b));
        }
        assert_true(turn.x > 0); // positive about the line
    }
    assert_int_equal(curves.curves[0].sides[1], 1);
    assert_int_equal(curves.curves[1].sides[0], 0);
    // The second begins where the first did, as nearly as its points allow.
    sup_vec3 a = place(&curves, c->mesh.points, curves.curves[0].begin),
             b = place(&curves, c->mesh.points, curves.curves[1].begin);
    assert_true(hypotf(a.y - b.y, a.z - b.z) < 0.25f);
    sup_arena_destroy(arena), sup_character_destroy(c);
}

// Every second face again, turned over; every third as a point and an edge; every fifth a third time.
static void faces_that_are_there_twice_change_no_curve(void** state)
{
    (void)state;
    sup_character*  c = tube();
    sup_arena*      arena = sup_arena_create(NULL);
    sup_curve_mesh  mesh = mesh_of(c), spoiled = mesh;
    const uint32_t* labels = dominant(c, arena);
    uint32_t*       triangles = SUP_NEW(arena, uint32_t, 12 * (size_t)mesh.triangle_count);
    uint32_t        n = 0;
    for (uint32_t t = 0; t < mesh.triangle_count; ++t) {
        const uint32_t* f = mesh.triangles + 3 * (size_t)t;
        for (int k = 0; k < 3; ++k) triangles[n++] = f[k];
        for (int k = 0; k < 3 && t % 2 == 0; ++k) triangles[n++] = f[2 - k];
        for (int k = 0; k < 3 && t % 3 == 0; ++k) triangles[n++] = f[k / 2];
        for (int k = 0; k < 3 && t % 5 == 0; ++k) triangles[n++] = f[(k + 1) % 3];
    }
    spoiled.triangles = triangles, spoiled.triangle_count = n / 3;
    for (int way = SUP_CURVES_AROUND; way <= SUP_CURVES_ALONG; ++way) {
        sup_curves_desc desc = { .mesh = mesh, .labels = labels, .way = (sup_curve_way)way, .curves = 6 };
        sup_curves      good, same;
        sup_error       error;
        assert_ok(sup_curves_create(&desc, arena, &good, &error), error);
        desc.mesh = spoiled;
        assert_ok(sup_curves_create(&desc, arena, &same, &error), error);
        assert_int_equal(same.curve_count, good.curve_count);
        assert_int_equal(same.point_count, good.point_count);
        assert_memory_equal(same.points, good.points, good.point_count * sizeof *good.points);
    }
    sup_arena_destroy(arena), sup_character_destroy(c);
}

static void a_crossing_near_a_vertex_moves_onto_it_and_no_vertex_is_taken_twice(void** state)
{
    (void)state;
    sup_character* c = tube();
    sup_arena*     arena = sup_arena_create(NULL);
    sup_curve_mesh mesh = mesh_of(c);
    sup_vec3       center = { 1.01f, 0, 0 }, normal = { 1, 0, 0 }; // a ring of vertices stands at x = 1
    sup_curves     curves;
    sup_error      error;
    assert_ok(sup_curves_cut(&mesh, &(sup_curve_line){ 1, &center, &normal }, 0.25f, arena, &curves, &error), error);
    assert_int_equal(curves.curve_count, 1);
    assert_true(curves.curves[0].closed);
    uint32_t on_vertex = 0;
    for (uint32_t i = 0; i < curves.point_count; ++i) {
        const sup_curve_point* p = &curves.points[i];
        on_vertex += p->a == p->b;
        for (uint32_t k = 0; k < i; ++k) assert_false(p->a == p->b && curves.points[k].a == p->a && curves.points[k].b == p->b);
    }
    assert_int_equal(on_vertex, 8);
    sup_arena_destroy(arena), sup_character_destroy(c);
}

static void neighboring_planes_that_cross_inside_are_turned_apart(void** state)
{
    (void)state;
    sup_character* c = tube();
    sup_arena*     arena = sup_arena_create(NULL);
    sup_curve_mesh mesh = mesh_of(c);
    // Half a radius apart, leaning 45 degrees towards each other: they would meet within the tube.
    sup_vec3   centers[] = { { 0.8f, 0, 0 }, { 1.05f, 0, 0 } };
    sup_vec3   normals[] = { { 0.7071068f, 0.7071068f, 0 }, { 0.7071068f, -0.7071068f, 0 } };
    sup_curves curves;
    sup_error  error;
    assert_ok(sup_curves_cut(&mesh, &(sup_curve_line){ 2, centers, normals }, 0, arena, &curves, &error), error);
    assert_int_equal(curves.curve_count, 2);
    assert_int_equal(curves.dropped, 0);
    float high = -1, low = 3;
    // Around the tube, column by column, the second lies behind the first.
    for (uint32_t i = 0; i < curves.curves[0].count; ++i) {
        sup_vec3 a = place(&curves, c->mesh.points, i);
        for (uint32_t k = 0; k < curves.curves[1].count; ++k) {
            sup_vec3 b = place(&curves, c->mesh.points, curves.curves[1].begin + k);
            if (hypotf(a.y - b.y, a.z - b.z) < 0.05f) assert_true(b.x > a.x);
        }
        high = fmaxf(high, a.x), low = fminf(low, a.x);
    }
    assert_true(high - low > 0.1f); // still leaning
    sup_arena_destroy(arena), sup_character_destroy(c);
}

static void a_tube_of_one_part_gets_rings_along_its_whole_length(void** state)
{
    (void)state;
    sup_character*  c = tube();
    sup_arena*      arena = sup_arena_create(NULL);
    sup_curves_desc desc = { .mesh = mesh_of(c), .way = SUP_CURVES_PLANES, .curves = 10 };
    sup_curves      curves;
    sup_error       error;
    assert_ok(sup_curves_create(&desc, arena, &curves, &error), error);
    assert_int_equal(curves.limb_count, 1);
    assert_true(curves.curve_count >= 9 && curves.curve_count <= 10);
    for (uint32_t k = 0; k + 1 < curves.curve_count; ++k) {
        assert_true(curves.curves[k].closed);
        assert_int_equal(curves.curves[k].sides[1], k + 1);
    }
    sup_arena_destroy(arena), sup_character_destroy(c);
}

static void curves_along_the_arm_run_from_end_to_end_around_all_of_it(void** state)
{
    (void)state;
    sup_error       error;
    sup_character*  c = test_builtin("arm", 3000);
    sup_arena*      arena = sup_arena_create(NULL);
    sup_curves_desc desc = { .mesh = mesh_of(c), .labels = dominant(c, arena), .way = SUP_CURVES_ALONG, .curves = 22 };
    sup_curves      curves;
    assert_ok(sup_curves_create(&desc, arena, &curves, &error), error);
    uint32_t first = 0, end, longest = 0;
    assert_int_equal(curves.limb_count, 3); // upper arm and forearm, hand, thumb: as with its bones
    for (uint32_t k = 0; k < curves.curve_count; ++k)
        if (curves.curves[k].limb == 1) ++longest, first = k + 1 - longest;
    end = first + longest;
    assert_int_equal(longest, 22);
    for (uint32_t k = first; k < end; ++k) {
        const sup_curve* u = &curves.curves[k];
        sup_vec3 a = place(&curves, c->mesh.points, u->begin), b = place(&curves, c->mesh.points, u->begin + u->count - 1);
        assert_false(u->closed);
        assert_true(fabsf(b.x - a.x) > 0.9f * c->skeleton.bones[c->skeleton.bone_count - 1].tail.x);
        assert_int_equal(u->sides[1], k + 1 < end ? k + 1 : first);
        assert_int_equal(u->sides[0], k > first ? k - 1 : end - 1);
    }
    sup_arena_destroy(arena), sup_character_destroy(c);
}

static void parts_with_one_two_and_many_seams_all_get_rings(void** state)
{
    (void)state;
    sup_error       error;
    sup_character*  c = test_builtin("beast", 3000);
    sup_arena*      arena = sup_arena_create(NULL);
    sup_curves_desc desc = {
        .mesh = mesh_of(c), .labels = dominant(c, arena), .way = SUP_CURVES_PLANES, .spacing = 0.04f * c->mesh.diagonal
    };
    sup_curves curves;
    assert_ok(sup_curves_create(&desc, arena, &curves, &error), error);
    uint32_t* count = calloc(curves.limb_count, sizeof *count);
    uint32_t  bare = 0;
    for (uint32_t k = 0; k < curves.curve_count; ++k) ++count[curves.curves[k].limb];
    for (uint32_t p = 0; p < c->mesh.point_count; ++p) bare += curves.limbs[p] == SUP_NONE || count[curves.limbs[p]] == 0;
    print_message("  %u limbs, %u curves, %u points for %u, %u in limbs without\n", curves.limb_count, curves.curve_count,
                  curves.point_count, c->mesh.point_count, bare);
    assert_true(bare * 20 < c->mesh.point_count);
    free(count);
    sup_arena_destroy(arena), sup_character_destroy(c);
}

// One end of the tube is a leg whose rim runs over two other parts: it has one seam there, so one line from the rim to its tip.
static void a_leg_that_meets_two_parts_has_one_end_there(void** state)
{
    (void)state;
    sup_character*  c = test_tube(33, 16, 2, 2.0f, 0.3f);
    sup_arena*      arena = sup_arena_create(NULL);
    uint32_t*       labels = sup_arena_alloc(arena, c->mesh.point_count, sizeof *labels);
    sup_curves_desc desc = { .mesh = mesh_of(c), .labels = labels, .curves = 8 };
    sup_error       error;
    for (uint32_t p = 0; p < c->mesh.point_count; ++p) {
        sup_vec3 at = c->mesh.points[p];
        labels[p] = at.x > 0.9f ? 0 : at.y > 0.05f ? 1 : 2; // the leg, and two halves of what it hangs on
    }
    for (int way = 0; way < 2; ++way) {
        sup_curves curves;
        float      low = 9, high = 0;
        desc.way = way ? SUP_CURVES_ALONG : SUP_CURVES_PLANES;
        assert_ok(sup_curves_create(&desc, arena, &curves, &error), error);
        for (uint32_t k = 0; k < curves.curve_count; ++k)
            for (uint32_t i = 0; i < curves.curves[k].count; ++i) {
                sup_vec3 p = place(&curves, c->mesh.points, curves.curves[k].begin + i);
                if (p.x > 0.95f) low = fminf(low, p.x), high = fmaxf(high, p.x);
                if (p.x > 0.95f && !way) assert_true(curves.curves[k].closed);
            }
        assert_true(low < 1.05f && high > 1.9f); // from the rim to the tip
    }
    sup_arena_destroy(arena), sup_character_destroy(c);
}

// ---------------------------------------------------------------------------------------------- loops

// A tube of quads without caps, n around and m rings, x from 0 to 1.
static sup_curve_mesh open_tube(uint32_t n, uint32_t m, sup_arena* arena)
{
    sup_vec3* points = sup_arena_alloc(arena, n * m, sizeof *points);
    uint32_t *begin = sup_arena_alloc(arena, n * (m - 1) + 1, 4), *corners = sup_arena_alloc(arena, n * (m - 1) * 4, 4);
    uint32_t* triangles = sup_arena_alloc(arena, n * (m - 1) * 6, 4);
    uint32_t  f = 0, t = 0;
    for (uint32_t j = 0; j < m; ++j)
        for (uint32_t i = 0; i < n; ++i)
            points[j * n + i] = v3((float)j / (float)(m - 1), 0.3f * cosf(6.2831853f * (float)i / (float)n),
                                   0.3f * sinf(6.2831853f * (float)i / (float)n));
    for (uint32_t j = 0; j + 1 < m; ++j)
        for (uint32_t i = 0; i < n; ++i) {
            uint32_t q[4] = { j * n + i, j * n + (i + 1) % n, (j + 1) * n + (i + 1) % n, (j + 1) * n + i };
            for (uint32_t k = 0; k < 4; ++k) corners[4 * f + k] = q[k];
            uint32_t tri[6] = { q[0], q[1], q[2], q[0], q[2], q[3] };
            for (uint32_t k = 0; k < 6; ++k) triangles[t++] = tri[k];
            ++f, begin[f] = 4 * f;
        }
    return (sup_curve_mesh){ n * m, points, f * 2, triangles, f, begin, corners };
}

static sup_result walk(const sup_curve_mesh* mesh, const sup_curve_walk* walks, uint32_t count, sup_arena* arena,
                       sup_curves* out, sup_error* error)
{
    sup_curves_desc desc = { .mesh = *mesh, .way = SUP_CURVES_LOOPS, .walks = walks, .walk_count = count };
    return sup_curves_create(&desc, arena, out, error);
}

static void an_edge_loop_closes_around_and_stops_at_the_border_along(void** state)
{
    (void)state;
    sup_arena*     arena = sup_arena_create(NULL);
    sup_curve_mesh mesh = open_tube(8, 6, arena);
    sup_curve_walk walks[] = {
        { .from = 16, .to = 17, .stop = SUP_NONE },              // around ring 2
        { .from = 19, .to = 27, .stop = SUP_NONE, .both = true } // column 3, both ways
    };
    sup_curves curves;
    sup_error  error;
    assert_ok(walk(&mesh, walks, 2, arena, &curves, &error), error);
    assert_int_equal(curves.curve_count, 2);
    assert_true(curves.curves[0].closed);
    assert_int_equal(curves.curves[0].count, 8);
    assert_false(curves.curves[1].closed);
    assert_int_equal(curves.curves[1].count, 6);
    for (uint32_t i = 0; i < 6; ++i) assert_int_equal(curves.points[8 + i].a, 3 + 8 * i);
    sup_arena_destroy(arena);
}

static void an_edge_loop_stops_and_turns_where_it_is_told(void** state)
{
    (void)state;
    sup_arena*     arena = sup_arena_create(NULL);
    sup_curve_mesh mesh = open_tube(8, 6, arena);
    uint32_t       turn[] = { 19, 27 }; // at column 3 of ring 2 change from around to along
    sup_curve_walk walks[] = { { .from = 16, .to = 17, .stop = 20 },
                               { .from = 17, .to = 18, .stop = SUP_NONE, .turn_count = 1, .turns = turn } };
    sup_curves     curves;
    sup_error      error;
    assert_ok(walk(&mesh, walks, 2, arena, &curves, &error), error);
    assert_int_equal(curves.curves[0].count, 5);
    assert_int_equal(curves.points[4].a, 20);
    static const uint32_t turned[] = { 17, 18, 19, 27, 35, 43 };
    assert_int_equal(curves.curves[1].count, 6);
    for (uint32_t i = 0; i < 6; ++i) assert_int_equal(curves.points[5 + i].a, turned[i]);
    sup_curve_walk wrong = { .from = 16, .to = 40, .stop = SUP_NONE };
    assert_int_equal(walk(&mesh, &wrong, 1, arena, &curves, &error), SUP_ERROR_INPUT);
    assert_string_equal(error.text, "curve 0: points 16 and 40 are not joined by an edge; start on one");
    sup_arena_destroy(arena);
}

static void loops_are_written_as_edges_with_turns_and_stops(void** state)
{
    (void)state;
    sup_arena*            arena = sup_arena_create(NULL);
    const sup_curve_walk* w;
    uint32_t              count;
    sup_error             error;
    assert_ok(sup_curve_walks_parse(" 16-17!20  17=18/19-27/35-36", "beam", arena, &w, &count, &error), error);
    assert_int_equal(count, 2);
    assert_true(w[0].from == 16 && w[0].to == 17 && w[0].stop == 20 && !w[0].both && w[0].turn_count == 0);
    assert_true(w[1].from == 17 && w[1].to == 18 && w[1].stop == SUP_NONE && w[1].both && w[1].turn_count == 2);
    assert_true(w[1].turns[0] == 19 && w[1].turns[1] == 27 && w[1].turns[2] == 35 && w[1].turns[3] == 36);
    assert_ok(sup_curve_walks_parse("", "beam", arena, &w, &count, &error), error);
    assert_int_equal(count, 0);
    static const char* const wrong[] = { "1", "1-", "x", "1-2/3", "1-2?", "1-2!" };
    for (uint32_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        assert_int_equal(sup_curve_walks_parse(wrong[i], "beam", arena, &w, &count, &error), SUP_ERROR_INPUT);
        assert_string_equal(error.text,
                            "beam: edges: curve 0 is not understood; write FROM-TO, like 16-17, then /AT-NEXT to turn "
                            "and !STOP to end");
    }
    sup_arena_destroy(arena);
}

// Every second column of a tube: what lies between is filled from the next one, two quads away.
static void loops_from_given_edges_know_their_neighbors(void** state)
{
    (void)state;
    sup_arena*      arena = sup_arena_create(NULL);
    sup_curve_walk  walks[4];
    sup_curves_desc desc = { .mesh = open_tube(8, 6, arena), .way = SUP_CURVES_LOOPS, .walks = walks, .walk_count = 4 };
    sup_curves      curves;
    sup_error       error;
    for (uint32_t k = 0; k < 4; ++k) walks[k] = (sup_curve_walk){ .from = 2 * k, .to = 2 * k + 8, .stop = SUP_NONE };
    assert_ok(sup_curves_create(&desc, arena, &curves, &error), error);
    assert_int_equal(curves.curve_count, 4);
    for (uint32_t k = 0; k < 4; ++k) {
        uint32_t a = curves.curves[k].sides[0], b = curves.curves[k].sides[1];
        assert_int_equal(curves.curves[k].count, 6);
        assert_true((a == (k + 1) % 4 && b == (k + 3) % 4) || (a == (k + 3) % 4 && b == (k + 1) % 4));
    }
    for (uint32_t k = 0; k < 4; ++k)
        walks[k] = (sup_curve_walk){ .from = 3 + 8 * k, .to = 11 + 8 * k, .stop = SUP_NONE, .both = true };
    assert_ok(sup_curves_create(&desc, arena, &curves, &error), error);
    assert_int_equal(curves.curve_count, 1); // four edges of one loop
    walks[2].from = 4, walks[2].to = 40;
    assert_int_equal(sup_curves_create(&desc, arena, &curves, &error), SUP_ERROR_INPUT);
    assert_string_equal(error.text, "curve 2: points 4 and 40 are not joined by an edge; start on one");
    sup_arena_destroy(arena);
}

// Around the tube the short way nothing is up or down; up one side of a closed one and down the other are two curves with skin
// between them.
static void a_loop_up_and_back_is_two_curves(void** state)
{
    (void)state;
    sup_error       error;
    sup_character*  c = test_builtin("arm", 3000);
    sup_arena*      arena = sup_arena_create(NULL);
    sup_curves_desc desc = { .mesh = mesh_of(c), .labels = dominant(c, arena), .way = SUP_CURVES_LOOPS };
    sup_curves      all, one;
    assert_ok(sup_curves_create(&desc, arena, &all, &error), error);
    uint32_t longest = 0;
    for (uint32_t k = 0; k < all.curve_count; ++k)
        if (all.curves[k].count > all.curves[longest].count) longest = k;
    uint32_t       at = all.curves[longest].begin + all.curves[longest].count / 2;
    sup_curve_walk walk = { .from = all.points[at].a, .to = all.points[at + 1].a, .stop = SUP_NONE, .both = true };
    desc.walks = &walk, desc.walk_count = 1;
    assert_ok(sup_curves_create(&desc, arena, &one, &error), error);
    assert_int_equal(one.curve_count, 2);
    for (uint32_t k = 0; k < 2; ++k) {
        const sup_curve* u = &one.curves[k];
        assert_true(!u->closed && u->sides[0] == 1 - k && u->sides[1] == 1 - k);
    }
    sup_arena_destroy(arena), sup_character_destroy(c);
}

static void all_loops_along_a_tube_are_found_with_their_neighbors(void** state)
{
    (void)state;
    sup_arena*      arena = sup_arena_create(NULL);
    sup_curve_mesh  mesh = open_tube(8, 6, arena);
    sup_curves_desc desc = { .mesh = mesh, .way = SUP_CURVES_LOOPS };
    sup_curves      curves;
    sup_error       error;
    assert_ok(sup_curves_create(&desc, arena, &curves, &error), error);
    assert_int_equal(curves.curve_count, 8);
    for (uint32_t k = 0; k < 8; ++k) {
        assert_int_equal(curves.curves[k].count, 6);
        assert_true(curves.curves[k].sides[0] != SUP_NONE && curves.curves[k].sides[1] != SUP_NONE);
        uint32_t column = curves.points[curves.curves[k].begin].a % 8;
        for (uint32_t s = 0; s < 2; ++s) {
            uint32_t other = curves.points[curves.curves[curves.curves[k].sides[s]].begin].a % 8;
            assert_true(other == (column + 1) % 8 || other == (column + 7) % 8);
        }
    }
    sup_arena_destroy(arena);
}

// ---------------------------------------------------------------------------------------------- transfer

typedef struct ringed {
    sup_polylines      lines;
    sup_curve_transfer transfer;
    sup_vec3*          moved;
    sup_vec3*          out;
    sup_vec3*          centers;
    sup_vec3*          moved_centers;
    uint32_t           nodes;
} ringed;

static ringed transfer_of(const sup_character* c, const sup_curves* curves, float reach, sup_arena* arena)
{
    ringed    r = { .nodes = curves->point_count };
    uint32_t* begin = sup_arena_alloc(arena, curves->curve_count + 1, 4);
    bool*     closed = sup_arena_alloc(arena, curves->curve_count, 1);
    sup_vec3* nodes = sup_arena_alloc(arena, r.nodes, sizeof *nodes);
    sup_error error;
    for (uint32_t k = 0; k < curves->curve_count; ++k) {
        begin[k + 1] = curves->curves[k].begin + curves->curves[k].count;
        closed[k] = curves->curves[k].closed;
    }
    sup_curves_place(curves, c->mesh.points, nodes);
    r.lines = (sup_polylines){ curves->curve_count, begin, closed, curves->curves, nodes, curves->below, curves->ratio };
    sup_curve_skin skin = { c->mesh.point_count, c->mesh.points, curves->limbs, 0, NULL, reach, 0 };
    assert_ok(sup_curve_transfer_create(&r.lines, &skin, arena, &r.transfer, &error), error);
    r.moved = sup_arena_alloc(arena, r.nodes, sizeof *r.moved);
    r.out = sup_arena_alloc(arena, c->mesh.point_count, sizeof *r.out);
    r.centers = sup_arena_alloc(arena, curves->curve_count, sizeof *r.centers);
    r.moved_centers = sup_arena_alloc(arena, curves->curve_count, sizeof *r.centers);
    sup_polylines_centers(&r.lines, nodes, r.centers);
    return r;
}

static void apply(ringed* r, const sup_character* c, bool frame)
{
    sup_polylines_centers(&r->lines, r->moved, r->moved_centers);
    sup_curve_transfer_apply(&r->transfer, c->mesh.points, r->moved, frame ? r->centers : NULL, frame ? r->moved_centers : NULL,
                             0, c->mesh.point_count, r->out);
}

static void nothing_moves_when_the_curves_do_not_and_all_turns_when_they_turn(void** state)
{
    (void)state;
    sup_character*  c = tube();
    sup_arena*      arena = sup_arena_create(NULL);
    sup_curves_desc desc = { .mesh = mesh_of(c), .way = SUP_CURVES_PLANES, .curves = 9, .snap = 0.25f };
    sup_curves      curves;
    sup_error       error;
    assert_ok(sup_curves_create(&desc, arena, &curves, &error), error);
    ringed r = transfer_of(c, &curves, 0.1f, arena);
    for (int frame = 0; frame < 2; ++frame) {
        for (uint32_t i = 0; i < r.nodes; ++i) r.moved[i] = r.lines.nodes[i];
        apply(&r, c, frame);
        for (uint32_t p = 0; p < c->mesh.point_count; ++p)
            assert_true(r.out[p].x == 0 && r.out[p].y == 0 && r.out[p].z == 0); // to the bit
    }
    sup_rigid by = { quat_normalize(quat(0.2f, -0.4f, 0.5f, 0.7f)), v3(0.3f, -0.2f, 0.1f) };
    for (uint32_t i = 0; i < r.nodes; ++i) r.moved[i] = rigid_point(&by, r.lines.nodes[i]);
    apply(&r, c, true);
    uint32_t framed = 0;
    for (uint32_t p = 0; p < c->mesh.point_count; ++p) {
        sup_vec3 want = rigid_point(&by, c->mesh.points[p]), got = v3_add(c->mesh.points[p], r.out[p]);
        if (r.transfer.points[p].curve[1] == SUP_NONE) continue;
        if (v3_distance(want, got) < 2e-6f) ++framed;
    }
    // All but points on the axis of the end caps, which have no frame.
    assert_true(framed + 4 >= c->mesh.point_count);
    sup_arena_destroy(arena), sup_character_destroy(c);
}

// Short curves strewn over a cube, one in five standing where another stands, and points of four limbs of which one has none.
enum { STREWN = 1500, STREWN_POINTS = 900, STREWN_LIMBS = 3 };

static float strewn(uint32_t i, uint32_t k) { return (float)((i * 2654435761u + k * 40503u) >> 8 & 0xffff) / 65536.0f; }

static uint32_t nearest_by_all(const sup_polylines* l, sup_vec3 p, uint32_t limb, uint32_t* node)
{
    float    best = 3e38f;
    uint32_t found = SUP_NONE;
    for (uint32_t c = 0; c < l->curve_count; ++c)
        for (uint32_t n = l->begin[c]; n + 1 < l->begin[c + 1]; ++n) {
            if (limb < STREWN_LIMBS && l->curves[c].limb != limb) continue;
            sup_vec3 d = v3_sub(l->nodes[n + 1], l->nodes[n]);
            float    t = sup_clampf(v3_dot(v3_sub(p, l->nodes[n]), d) / v3_length2(d), 0, 1);
            float    square = v3_length2(v3_sub(p, v3_mad(l->nodes[n], t, d)));
            if (square < best) best = square, found = c, *node = n;
        }
    return found;
}

static void of_many_curves_a_point_finds_the_nearest_and_of_equals_the_first(void** state)
{
    (void)state;
    static sup_vec3  nodes[3 * STREWN], points[STREWN_POINTS];
    static uint32_t  begin[STREWN + 1], limbs[STREWN_POINTS];
    static bool      closed[STREWN];
    static sup_curve curves[STREWN];
    sup_arena*       arena = sup_arena_create(NULL);
    for (uint32_t c = 0; c < STREWN; ++c) {
        uint32_t from = c % 5 == 4 ? c / 2 : c;
        begin[c + 1] = 3 * (c + 1);
        curves[c] = (sup_curve){ .limb = from % STREWN_LIMBS, .sides = { SUP_NONE, SUP_NONE } };
        for (uint32_t k = 0; k < 3; ++k) {
            float bent = 0.01f * (float)k;
            nodes[3 * c + k] = v3_add(v3(strewn(from, 0), strewn(from, 1), strewn(from, 2)), v3(bent, bent * bent * 30, 0));
        }
    }
    for (uint32_t i = 0; i < STREWN_POINTS; ++i) {
        limbs[i] = i % 4 == 3 ? SUP_NONE : i % 4;
        points[i] = i % 7 ? v3(strewn(i, 3), strewn(i, 4), strewn(i, 5)) : nodes[i]; // some stand on a node
    }
    sup_polylines      lines = { STREWN, begin, closed, curves, nodes, NULL, NULL };
    sup_curve_skin     skin = { .point_count = STREWN_POINTS, .points = points, .limbs = limbs, .reach = 1 };
    sup_curve_transfer made;
    sup_error          error;
    assert_ok(sup_curve_transfer_create(&lines, &skin, arena, &made, &error), error);
    for (uint32_t i = 0; i < STREWN_POINTS; ++i) {
        uint32_t node = SUP_NONE, curve = nearest_by_all(&lines, points[i], limbs[i], &node);
        assert_int_equal(made.points[i].curve[0], curve);
        assert_int_equal(made.points[i].node[0], node);
    }
    sup_arena_destroy(arena);
}

static void a_smooth_motion_arrives_without_a_jump_between_cells(void** state)
{
    (void)state;
    // Nodes rise by a wave along and around the tube; neighbors on the skin may differ by what the wave does, not more.
    sup_error       error;
    sup_character*  c = test_builtin("arm", 6000);
    sup_arena*      arena = sup_arena_create(NULL);
    sup_curves_desc desc = { .mesh = mesh_of(c), .labels = dominant(c, arena), .way = SUP_CURVES_ALONG, .curves = 16 };
    sup_curves      curves;
    assert_ok(sup_curves_create(&desc, arena, &curves, &error), error);
    ringed r = transfer_of(c, &curves, 0.1f, arena);
    for (uint32_t i = 0; i < r.nodes; ++i) {
        r.moved[i] = r.lines.nodes[i];
        r.moved[i].z += 0.01f * sinf(20 * r.moved[i].x);
    }
    apply(&r, c, false);
    float worst = 0, missed = 0;
    for (uint32_t t = 0; t < c->mesh.triangle_count; ++t)
        for (int k = 0; k < 3; ++k) {
            uint32_t a = c->mesh.triangles[3 * t + k], b = c->mesh.triangles[3 * t + (k + 1) % 3];
            float    apart = v3_distance(c->mesh.points[a], c->mesh.points[b]);
            float    jump = fabsf(r.out[a].z - r.out[b].z) - 0.2f * apart; // slope of the wave: 0.2
            if (c->mesh.points[a].x < 0.5f) worst = fmaxf(worst, jump);    // behind stands the thumb
        }
    for (uint32_t p = 0; p < c->mesh.point_count; ++p)
        if (c->mesh.points[p].x < 0.5f) missed = fmaxf(missed, fabsf(r.out[p].z - 0.01f * sinf(20 * c->mesh.points[p].x)));
    print_message("  jump over the slope %g, missed %g of 0.01\n", worst, missed);
    assert_true(worst < 0.0006f && missed < 0.0005f);
    assert_int_equal(r.transfer.alone, 0);
    sup_arena_destroy(arena), sup_character_destroy(c);
}

// How much of a mesh its curves hold: every point rebuilt from the four curve points beside it alone.
static double rebuilt(const sup_character* c, const ringed* r)
{
    double sum = 0;
    for (uint32_t i = 0; i < c->mesh.point_count; ++i) {
        const sup_curve_share* o = &r->transfer.points[i];
        sup_vec3               p = { 0, 0, 0 };
        float                  total = 0;
        for (int k = 0; k < 4; ++k) p = v3_mad(p, o->share[k], r->lines.nodes[o->node[k]]), total += o->share[k];
        float d = v3_distance(v3_scale(p, 1 / total), c->mesh.points[i]);
        sum += (double)d * d;
    }
    return 100 * sqrt(sum / c->mesh.point_count) / (double)c->mesh.diagonal;
}

static void curves_alone_hold_the_shape(void** state)
{
    (void)state;
    sup_error      error;
    sup_character* c = test_builtin("arm", 3000);
    sup_arena*     arena = sup_arena_create(NULL);
    double         error_of[3];
    for (int k = 0; k < 3; ++k) {
        sup_curves_desc desc = { .mesh = mesh_of(c),
                                 .labels = dominant(c, arena),
                                 .curves = k == 1 ? 30 : 22,
                                 .snap = 0.25f,
                                 .way = k == 0   ? SUP_CURVES_ALONG
                                        : k == 1 ? SUP_CURVES_PLANES
                                                 : SUP_CURVES_LOOPS };
        sup_curves      curves;
        assert_ok(sup_curves_create(&desc, arena, &curves, &error), error);
        ringed r = transfer_of(c, &curves, 0.1f, arena);
        error_of[k] = rebuilt(c, &r);
        print_message("  %s: %u curves, %u curve points for %u points, rms %.3f%% of the diagonal\n",
                      k == 0   ? "along"
                      : k == 1 ? "around"
                               : "loops",
                      curves.curve_count, curves.point_count, c->mesh.point_count, error_of[k]);
    }
    assert_true(error_of[0] < 0.5 && error_of[1] < 0.8 && error_of[2] < 0.5);
    sup_arena_destroy(arena), sup_character_destroy(c);
}

static void a_limb_without_curves_fades_out(void** state)
{
    (void)state;
    sup_character* c = tube();
    sup_arena*     arena = sup_arena_create(NULL);
    sup_curve_mesh mesh = mesh_of(c);
    sup_vec3       centers[] = { { 0.3f, 0, 0 }, { 0.6f, 0, 0 } };
    sup_curves     curves;
    sup_error      error;
    assert_ok(sup_curves_cut(&mesh, &(sup_curve_line){ 2, centers, NULL }, 0, arena, &curves, &error), error);
    uint32_t* limbs = sup_arena_alloc(arena, c->mesh.point_count, 4);
    for (uint32_t p = 0; p < c->mesh.point_count; ++p) limbs[p] = c->mesh.points[p].x > 0.7f ? 1 : 0;
    curves.limbs = limbs;
    ringed r = transfer_of(c, &curves, 0.5f, arena);
    for (uint32_t i = 0; i < r.nodes; ++i) r.moved[i] = v3_add(r.lines.nodes[i], v3(0, 1, 0));
    apply(&r, c, false);
    for (uint32_t p = 0; p < c->mesh.point_count; ++p) {
        float x = c->mesh.points[p].x;
        if (x < 0.7f) assert_float_equal(r.out[p].y, 1.0f, 1e-5);
        else if (x > 1.15f) assert_float_equal(r.out[p].y, 0.0f, 0);
        else if (fabsf(x - 0.875f) < 1e-3f && hypotf(c->mesh.points[p].y, c->mesh.points[p].z) > 0.4f)
            assert_float_equal(r.out[p].y, 1 - sup_smoothstep(0, 0.5f, 0.275f), 0.02);
    }
    sup_arena_destroy(arena), sup_character_destroy(c);
}

static void bad_meshes_get_a_sentence(void** state)
{
    (void)state;
    sup_arena*      arena = sup_arena_create(NULL);
    sup_curve_mesh  mesh = open_tube(8, 6, arena);
    sup_vec3*       points = sup_arena_copy(arena, mesh.points, mesh.point_count, sizeof *points);
    sup_curves      curves;
    sup_error       error;
    sup_curves_desc desc = { .mesh = mesh, .way = SUP_CURVES_PLANES };
    points[5].y = NAN;
    desc.mesh.points = points;
    assert_int_equal(sup_curves_create(&desc, arena, &curves, &error), SUP_ERROR_INPUT);
    assert_string_equal(error.text, "curves: point 5 of the mesh is not finite; repair the file");
    desc.mesh = mesh;
    desc.mesh.triangle_count = 0;
    assert_int_equal(sup_curves_create(&desc, arena, &curves, &error), SUP_ERROR_INPUT);
    for (uint32_t p = 0; p < mesh.point_count; ++p) points[p] = v3(1, 2, 3); // all in one place
    desc.mesh = mesh;
    desc.mesh.points = points;
    assert_int_equal(sup_curves_create(&desc, arena, &curves, &error), SUP_ERROR_INPUT);
    sup_vec3 center = { 0, 0, 0 };
    assert_int_equal(sup_curves_cut(&mesh, &(sup_curve_line){ 1, &center, NULL }, 0, arena, &curves, &error), SUP_ERROR_INPUT);
    sup_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plane_across_a_tube_gives_one_closed_ring),
        cmocka_unit_test(a_crossing_near_a_vertex_moves_onto_it_and_no_vertex_is_taken_twice),
        cmocka_unit_test(neighboring_planes_that_cross_inside_are_turned_apart),
        cmocka_unit_test(a_tube_of_one_part_gets_rings_along_its_whole_length),
        cmocka_unit_test(curves_along_the_arm_run_from_end_to_end_around_all_of_it),
        cmocka_unit_test(parts_with_one_two_and_many_seams_all_get_rings),
        cmocka_unit_test(a_leg_that_meets_two_parts_has_one_end_there),
        cmocka_unit_test(an_edge_loop_closes_around_and_stops_at_the_border_along),
        cmocka_unit_test(an_edge_loop_stops_and_turns_where_it_is_told),
        cmocka_unit_test(loops_are_written_as_edges_with_turns_and_stops),
        cmocka_unit_test(loops_from_given_edges_know_their_neighbors),
        cmocka_unit_test(a_loop_up_and_back_is_two_curves),
        cmocka_unit_test(all_loops_along_a_tube_are_found_with_their_neighbors),
        cmocka_unit_test(nothing_moves_when_the_curves_do_not_and_all_turns_when_they_turn),
        cmocka_unit_test(of_many_curves_a_point_finds_the_nearest_and_of_equals_the_first),
        cmocka_unit_test(a_smooth_motion_arrives_without_a_jump_between_cells),
        cmocka_unit_test(curves_alone_hold_the_shape),
        cmocka_unit_test(a_limb_without_curves_fades_out),
        cmocka_unit_test(faces_that_are_there_twice_change_no_curve),
        cmocka_unit_test(bad_meshes_get_a_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
