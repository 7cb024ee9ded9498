// Rings over users' bodies, with and without a rig: how much of the skin lies between two of them, whether any two cross,
// whether any is a fragment, and how even they are. Lines along: whether they cross, and stay on the skin. Prints a table.
#include "captured.h"

#include "deform/curves/curve_link.h"
#include "geom/curves/field.h"
#include "geom/surface/topology.h"
#include "math/vec.h"
#include "supple/io_extra.h"

#include <time.h>

typedef struct body_file {
    const char *name, *mesh, *skeleton, *weights;
    double      covered, uneven; ///< bars: least share between two rings, largest factor between their distances in a limb
} body_file;

typedef struct figures {
    uint32_t rings, open, limbs, crossings, fragments;
    uint32_t lines, line_crossings, off_skin; ///< way=along; off_skin: pieces between two points without a common triangle
    double   between;                         ///< share of the points between two lines
    double   covered;                         ///< share of the surface between two rings
    double   uneven;                          ///< largest distance of neighbors within a limb over the least
    double   ms;
} figures;

// ---------------------------------------------------------------------------------------------- measures

static sup_vec3 place(const sup_mesh* m, sup_curve_point p) { return v3_lerp(m->points[p.a], m->points[p.b], p.ratio); }

static double piece_of(const sup_mesh* m, const sup_curves* n, const sup_curve* c, uint32_t i)
{
    if (!c->closed && i + 1 >= c->count) return 0;
    return (double)v3_distance(place(m, n->points[c->begin + i]), place(m, n->points[c->begin + (i + 1) % c->count]));
}

static double length_of(const sup_mesh* m, const sup_curves* n, const sup_curve* c)
{
    double sum = 0;
    for (uint32_t i = 0; i < c->count; ++i) sum += piece_of(m, n, c, i);
    return sum;
}

/// Mean distance from one curve to the other: from its points, each with half of the pieces beside it.
static double apart(const sup_mesh* m, const sup_curves* n, const sup_curve* a, const sup_curve* b)
{
    double sum = 0, weight = 0;
    for (uint32_t i = 0; i < a->count; ++i) {
        float    least = 3e38f;
        sup_vec3 p = place(m, n->points[a->begin + i]);
        double   w = piece_of(m, n, a, i) + (i || a->closed ? piece_of(m, n, a, (i + a->count - 1) % a->count) : 0) + 1e-12;
        for (uint32_t k = 0; k + 1 < b->count + (b->closed ? 1u : 0u); ++k) {
            sup_vec3 o = place(m, n->points[b->begin + k]), d = v3_sub(place(m, n->points[b->begin + (k + 1) % b->count]), o);
            float    l2 = v3_length2(d), t = l2 > 0 ? sup_clampf(v3_dot(v3_sub(p, o), d) / l2, 0, 1) : 0;
            least = fminf(least, v3_distance(p, v3_mad(o, t, d)));
        }
        sum += w * (double)least, weight += w;
    }
    return sum / weight;
}

/// Pieces of curves by triangle: two cross where their ends alternate along its border.
typedef struct piece {
    uint32_t triangle, curve;
    double   from, to; ///< along the border, 0 to 3
} piece;

static double border_at(const uint32_t* c, sup_curve_point p)
{
    for (int k = 0; k < 3; ++k) {
        bool forth = p.a == c[k] && p.b == c[(k + 1) % 3], back = p.b == c[k] && p.a == c[(k + 1) % 3];
        if (forth || back) return fmod(k + (forth ? (double)p.ratio : 1 - (double)p.ratio), 3);
    }
    return -1;
}

static int by_triangle(const void* a, const void* b)
{
    uint32_t x = ((const piece*)a)->triangle, y = ((const piece*)b)->triangle;
    return x < y ? -1 : x > y;
}

static bool within(double x, const piece* p) { return x > fmin(p->from, p->to) && x < fmax(p->from, p->to); }
static bool meet(const piece* a, const piece* b)
{
    return a->from == b->from || a->from == b->to || a->to == b->from || a->to == b->to;
}

/// *off: pieces that lie in no triangle.
static uint32_t crossings(const sup_mesh* m, const sup_curves* n, const sup_topology* t, uint32_t* off)
{
    piece*   all = malloc((n->point_count + 1) * sizeof *all);
    uint32_t count = 0, found = 0, pieces = 0;
    for (uint32_t c = 0; c < n->curve_count; ++c) {
        const sup_curve* u = &n->curves[c];
        for (uint32_t i = 0; i + 1 < u->count + (u->closed ? 1u : 0u); ++i) {
            sup_curve_point a = n->points[u->begin + i], b = n->points[u->begin + (i + 1) % u->count];
            ++pieces;
            for (uint32_t k = t->fan_begin[a.a]; k < t->fan_begin[a.a + 1]; ++k) {
                const uint32_t* corners = m->triangles + 3 * (size_t)t->fan[k];
                double          x = border_at(corners, a), y = border_at(corners, b);
                if (x < 0 || y < 0) continue;
                all[count++] = (piece){ t->fan[k], c, x, y };
                break;
            }
        }
    }
    qsort(all, count, sizeof *all, by_triangle);
    for (uint32_t i = 0; i < count; ++i)
        for (uint32_t k = i + 1; k < count && all[k].triangle == all[i].triangle; ++k)
            found += all[i].curve != all[k].curve && !meet(&all[i], &all[k]) &&
                     within(all[k].from, &all[i]) != within(all[k].to, &all[i]);
    free(all);
    *off = pieces - count;
    return found;
}

static double seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

static figures measure(const sup_character* c, sup_arena* arena)
{
    const sup_mesh* m = &c->mesh;
    sup_curves      n;
    sup_error       error;
    sup_topology    t;
    sup_curve_plan  plan = { SUP_CURVES_AROUND, 24, 0, 0, NULL, NULL };
    double          begun = seconds();
    assert_ok(sup_curves_lay(&(sup_bind_input){ .character = c }, "test", &plan, arena, &n, &error), error);
    figures   f = { .rings = n.curve_count,
                    .limbs = n.limb_count,
                    .covered = (double)n.covered,
                    .uneven = 1,
                    .ms = 1000 * (seconds() - begun) };
    uint32_t* begin = sup_arena_alloc(arena, (size_t)m->triangle_count + 1, sizeof *begin);
    for (uint32_t i = 0; i <= m->triangle_count; ++i) begin[i] = 3 * i;
    assert_ok(sup_topology_create(&(sup_polygons){ m->point_count, m->triangle_count, begin, m->triangles }, arena, &t, &error),
              error);
    uint32_t off;
    f.crossings = crossings(m, &n, &t, &off);
    f.off_skin = off;
    for (uint32_t k = 0, end; k < n.curve_count; k = end) { // limb by limb
        assert_int_not_equal(n.curves[k].limb, SUP_NONE);
        double least = 1e30, most = 0;
        for (end = k + 1; end < n.curve_count && n.curves[end].limb == n.curves[k].limb;) ++end;
        for (uint32_t i = k; i < end; ++i) {
            f.open += !n.curves[i].closed;
            uint32_t beside = i + 1 < end ? i + 1 : i > k ? i - 1 : i;
            if (!n.curves[i].closed && length_of(m, &n, &n.curves[i]) < 0.5 * length_of(m, &n, &n.curves[beside]))
                ++f.fragments;
            if (i + 1 == end) continue;
            double d = 0.5 * (apart(m, &n, &n.curves[i], &n.curves[i + 1]) + apart(m, &n, &n.curves[i + 1], &n.curves[i]));
            least = fmin(least, d), most = fmax(most, d);
        }
        if (end > k + 2) f.uneven = fmax(f.uneven, most / least);
    }
    plan.way = SUP_CURVES_ALONG, plan.curves = 22;
    assert_ok(sup_curves_lay(&(sup_bind_input){ .character = c }, "test", &plan, arena, &n, &error), error);
    f.lines = n.curve_count;
    f.line_crossings = crossings(m, &n, &t, &off);
    f.off_skin += off;
    for (uint32_t p = 0; p < m->point_count; ++p) f.between += n.below[p] != SUP_NONE ? 1.0 / m->point_count : 0;
    return f;
}

// ---------------------------------------------------------------------------------------------- bodies

// Fox, elephant, wolf and cat were set aside while constants were chosen; warrior, snake, stormtrooper and knight were measured
// for the first time when everything else was fixed. The archer was used when ends of open pieces were moved away from corners,
// and when limbs that cannot be made even were given fewer rings.
static const body_file files[] = {
    { "cesiumman", "skinned/cesiumman.glb", NULL, NULL, 0.96, 2 },
    { "soldier", "skinned/soldier.glb", NULL, NULL, 0.96, 2 },
    { "xbot", "skinned/xbot.glb", NULL, NULL, 0.96, 2 },
    { "readyplayer", "skinned/readyplayer.glb", NULL, NULL, 0.96, 2 },
    { "hvgirl", "skinned/hvgirl.glb", NULL, NULL, 0.96, 2 },
    { "riggedsimple", "skinned/riggedsimple.glb", NULL, NULL, 0.96, 2 },
    { "robotexpressive", "skinned/robotexpressive.glb", NULL, NULL, 0.96, 2 },
    { "fox", "skinned/fox.glb", NULL, NULL, 0.96, 2 },
    { "arm", "libigl-rigs/arm.obj", "libigl-rigs/arm.tgf", "libigl-rigs/arm-weights.dmat", 0.96, 2 },
    { "hand", "libigl-rigs/hand.mesh", NULL, NULL, 0.96, 2 },
    { "elephant", "libigl-rigs/elephant.obj", "libigl-rigs/elephant.tgf", "libigl-rigs/elephant-weights.dmat", 0.96, 2 },
    { "wolf", "wolf-rig/wolf.obj", "wolf-rig/wolf.tgf", "wolf-rig/wolf-weights.dmat", 0.96, 2 },
    { "human_man", "closed-meshes/human_man.obj", NULL, NULL, 0.96, 2 },
    { "hand_closed", "closed-meshes/hand_closed.obj", NULL, NULL, 0.96, 2 },
    { "armadillo", "closed-meshes/armadillo.obj", NULL, NULL, 0.96, 2 },
    { "bunny", "closed-meshes/bunny.obj", NULL, NULL, 0.96, 2 },
    { "fish", "closed-meshes/fish_low_resolution.obj", NULL, NULL, 0.96, 2 },
    { "octopus", "closed-meshes/octopus-low.mesh", NULL, NULL, 0.96, 2 },
    { "horse", "horse-gallop/reference.obj", NULL, NULL, 0.96, 2 },
    { "cow", "elastic-cow/0001.obj", NULL, NULL, 0.96, 2 },
    { "samba", "samba/mesh_0000.obj", NULL, NULL, 0.96, 2 },
    { "cat", "cat-poses/reference.obj", NULL, NULL, 0.96, 2 },
    { "archer", "skinned/archer.fbx", NULL, NULL, 0.96, 2 },
    { "warrior", "skinned/warrior.fbx", NULL, NULL, 0.96, 2 },
    { "snake", "skinned/animation_with_skeleton.fbx", NULL, NULL, 0.96, 2 },
    { "stormtrooper", "skinned/stormtrooper.dae", NULL, NULL, 0.96, 2 },
    { "knight", "closed-meshes/decimated-knight.off", NULL, NULL, 0.96, 2 },
};

static sup_character* load(const body_file* b, const char* mesh, sup_arena* arena)
{
    sup_character *c = NULL, *rigged = NULL;
    sup_error      error;
    sup_rig        rig;
    sup_matrix     weights;
    if (sup_load(mesh, &(sup_load_options){ .extra = sup_extra_get() }, &c, &error) != SUP_OK) { // built without assimp
        print_message("left out: %s\n", error.text);
        assert_true(strstr(mesh, ".fbx") || strstr(mesh, ".dae"));
        return NULL;
    }
    if (!b->skeleton) return c;
    assert_ok(sup_rig_load(test_data(b->skeleton), NULL, arena, &rig, &error), error);
    assert_ok(sup_matrix_load(test_data(b->weights), NULL, arena, &weights, &error), error);
    assert_ok(sup_rig_attach(c, &rig, &weights, NULL, &rigged, &error), error);
    sup_character_destroy(c);
    return rigged;
}

static void tell(const char* name, const sup_character* c, const figures* f)
{
    print_message(
        "  %-16s %6u points %4u joints: %4u rings in %3u limbs, %3u open, %2u fragments, %u crossings, %5.1f%% covered, "
        "uneven %.2f, %4.0f ms; %u lines along, %u crossings, %u pieces of curves off the skin, %.0f%% of the points between "
        "two\n",
        name, c->mesh.point_count, c->skeleton.skin_joint_count, f->rings, f->limbs, f->open, f->fragments, f->crossings,
        100 * f->covered, f->uneven, f->ms, f->lines, f->line_crossings, f->off_skin, 100 * f->between);
}

static bool lies_well(const figures* f) { return f->crossings + f->fragments + f->line_crossings + f->off_skin == 0; }

static void rings_cover_every_body_whole_and_never_cross(void** state)
{
    (void)state;
    bool     any = false;
    uint32_t short_of = 0;
    for (uint32_t i = 0; i < SUP_COUNT_OF(files); ++i) {
        const body_file* b = &files[i];
        const char*      found = test_data(b->mesh);
        if (!found) continue;
        any = true;
        sup_arena*     arena = sup_arena_create(NULL);
        sup_character* c = load(b, found, arena);
        if (!c) {
            sup_arena_destroy(arena);
            continue;
        }
        figures f = measure(c, arena);
        tell(b->name, c, &f);
        short_of += !lies_well(&f) || !(f.covered > b->covered) || !(f.uneven < b->uneven);
        sup_arena_destroy(arena);
        sup_character_destroy(c);
    }
    if (!any) {
        print_message("skipped: the shared data set is not beside the checkout\n");
        skip();
    }
    assert_int_equal(short_of, 0);
}

// Sequences with bones that were fitted to them, and the built-in bodies.
static void fitted_bones_and_built_in_bodies_as_well(void** state)
{
    (void)state;
    static const char* const     names[] = { "arm", "beast", "bar" };
    static const sequence* const all[] = { &horse, &samba, &cow, &cat };
    for (uint32_t i = 0; i < SUP_COUNT_OF(names) + SUP_COUNT_OF(all); ++i) {
        sup_arena*     arena = sup_arena_create(NULL);
        sup_character* c = NULL;
        captured       k = { 0 };
        bool           built_in = i < SUP_COUNT_OF(names);
        if (built_in) c = test_builtin(names[i], 0);
        else if (capture(all[i - SUP_COUNT_OF(names)], &k)) c = k.character;
        if (c) {
            figures f = measure(c, arena);
            tell(built_in ? names[i] : all[i - SUP_COUNT_OF(names)]->name, c, &f);
            assert_true(lies_well(&f) && f.covered > 0.96 && f.uneven < 2);
        }
        if (built_in) sup_character_destroy(c);
        else if (c) release(&k);
        sup_arena_destroy(arena);
    }
}

// A body without a rig begins where the paths to all of its ends are straight: at a head or a wrist. From a foot, or a finger,
// its rings would run across the other leg and the palm. The rigs of cesiumman, fox, wolf, elephant and the beast are left out.
static void bodies_without_a_rig_begin_at_a_head_or_a_wrist(void** state)
{
    (void)state;
    static const struct {
        const char* mesh;
        sup_vec3    towards; ///< it begins among the points that are farthest in this direction
    } bodies[] = {
        { "libigl-rigs/hand.mesh", { 0, -1, 0 } },
        { "closed-meshes/hand_closed.obj", { 0, -1, 0 } },
        { "closed-meshes/human_man.obj", { 0, 1, 0 } },
        { "samba/mesh_0000.obj", { 0, 1, 0 } },
        { "closed-meshes/decimated-knight.off", { 0, 1, 0 } },
        { "horse-gallop/reference.obj", { 0, 1, 1 } },
        { "elastic-cow/0001.obj", { 1, 0, 0 } },
        { "cat-poses/reference.obj", { 0, 1, 1 } },
        { "closed-meshes/fish_low_resolution.obj", { 0, 0, 1 } },
        { "skinned/cesiumman.glb", { 0, 1, 0 } },
        { "skinned/fox.glb", { 0, 1, 1 } },
        { "wolf-rig/wolf.obj", { 0, 1, 1 } },
        { "libigl-rigs/elephant.obj", { 0, 1, 1 } },
        { NULL, { 0, 1, 1 } },
    };
    uint32_t elsewhere = 0;
    for (uint32_t i = 0; i < SUP_COUNT_OF(bodies); ++i) {
        const char* found = bodies[i].mesh ? test_data(bodies[i].mesh) : NULL;
        if (bodies[i].mesh && !found) continue;
        sup_arena*     arena = sup_arena_create(NULL);
        sup_character* c = found ? load(&(body_file){ .name = "" }, found, arena) : test_builtin("beast", 0);
        if (!c) { // built without assimp
            sup_arena_destroy(arena);
            continue;
        }
        uint32_t n = c->mesh.point_count, begin = 0,
                 *corners = sup_arena_alloc(arena, c->mesh.triangle_count + 1, sizeof *corners);
        sup_guides     g = { sup_arena_alloc(arena, n, sizeof *g.place), sup_arena_alloc(arena, n, sizeof *g.direction) };
        sup_curve_mesh mesh = sup_curve_mesh_of(&c->mesh);
        sup_topology   t;
        sup_error      error;
        for (uint32_t k = 0; k <= c->mesh.triangle_count; ++k) corners[k] = 3 * k;
        assert_ok(
            sup_topology_create(&(sup_polygons){ n, c->mesh.triangle_count, corners, c->mesh.triangles }, arena, &t, &error),
            error);
        assert_ok(sup_guides_by_distance(&mesh, &t, NULL, arena, &g, &error), error);
        float low = 3e38f, high = -3e38f;
        for (uint32_t p = 0; p < n; ++p) {
            float x = v3_dot(c->mesh.points[p], bodies[i].towards);
            low = fminf(low, x), high = fmaxf(high, x);
            if (g.place[p] < g.place[begin]) begin = p;
        }
        sup_vec3 at = c->mesh.points[begin];
        float    share = (v3_dot(at, bodies[i].towards) - low) / (high - low);
        print_message("  %s: begins at %.2f %.2f %.2f, %.0f %% of the way\n", bodies[i].mesh ? bodies[i].mesh : "the beast",
                      (double)at.x, (double)at.y, (double)at.z, 100 * (double)share);
        elsewhere += share < 0.85f;
        sup_arena_destroy(arena);
        sup_character_destroy(c);
    }
    assert_int_equal(elsewhere, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fitted_bones_and_built_in_bodies_as_well),
        cmocka_unit_test(rings_cover_every_body_whole_and_never_cross),
        cmocka_unit_test(bodies_without_a_rig_begin_at_a_head_or_a_wrist),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
