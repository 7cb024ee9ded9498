// What limits folds: the flesh below them, and how fast a turning joint compresses the skin.
#include "base/internal.h"
#include "deform/wrinkle/wrinkle.h"
#include "geom/surface/feature.h"
#include "math/vec.h"

#include <string.h>

// Depth of the deepest fold as a share of the largest ball inside the body that touches the skin there. Chosen by looking at
// the arms of cesiumman and the legs of the beast.
#define DEPTH_PER_RADIUS 0.17f
// Balls wider than this many wavelengths limit nothing.
#define WIDEST 8.0
// Points at which balls are fitted; the others take the value of the nearest one.
enum { SAMPLES = 8192, GRAIN = 32 };
// Ancestors of a point's joints that are examined: beyond them all skin around the point turns together.
enum { ANCESTORS = 16 };

// ---------------------------------------------------------------------------------------------- depth

typedef struct prober {
    const sup_mesh*     mesh;
    const sup_topology* topology;
    const sup_vec3*     normals;
    const float*        wavelengths;
    const sup_bvh*      tree;
    const sup_box*      nodes;
    bool                outside; // the gap to other skin counts as well
    uint32_t            every;
    float*              bends; // by point: 1 / radius of its ball
} prober;

static void probe(void* data, uint32_t begin, uint32_t end)
{
    const prober*       s = data;
    const sup_topology* t = s->topology;
    for (uint32_t i = begin; i < end; ++i) {
        uint32_t p = i * s->every;
        double   most = WIDEST * (double)s->wavelengths[p];
        s->bends[p] = 0;
        for (int side = 0; side < (s->outside ? 2 : 1); ++side) {
            sup_vec3    direction = v3_scale(s->normals[p], side ? 1.0f : -1.0f);
            sup_feature f = sup_feature_at_point(s->tree, s->nodes, s->mesh->points, p, direction, most,
                                                 t->ring + t->ring_begin[p], t->ring_begin[p + 1] - t->ring_begin[p]);
            float       bend = f.width > 0 && f.width < most ? (float)(2 / f.width) : 0;
            if (bend > s->bends[p]) s->bends[p] = bend;
        }
    }
}

static void smooth(const sup_topology* t, uint32_t n, uint32_t times, float* a, float* b)
{
    for (uint32_t i = 0; i < times; ++i) {
        for (uint32_t p = 0; p < n; ++p) {
            uint32_t count = t->ring_begin[p + 1] - t->ring_begin[p];
            float    sum = 0;
            for (uint32_t k = t->ring_begin[p]; k < t->ring_begin[p + 1]; ++k) sum += a[t->ring[k]];
            b[p] = count ? 0.5f * a[p] + 0.5f * sum / (float)count : a[p];
        }
        memcpy(a, b, n * sizeof *a);
    }
}

// Every point gets the value of the sample the fewest edges away; a piece without a sample is not limited.
static void fill(const sup_topology* t, uint32_t n, uint32_t every, uint32_t* queue, bool* known, float* values)
{
    uint32_t count = 0;
    memset(known, 0, n * sizeof *known);
    for (uint32_t p = 0; p < n; p += every) known[p] = true, queue[count++] = p;
    for (uint32_t at = 0; at < count; ++at)
        for (uint32_t k = t->ring_begin[queue[at]]; k < t->ring_begin[queue[at] + 1]; ++k) {
            uint32_t q = t->ring[k];
            if (known[q]) continue;
            known[q] = true;
            values[q] = values[queue[at]];
            queue[count++] = q;
        }
}

sup_result sup_wrinkle_fit(const sup_mesh* mesh, const sup_topology* topology, const wrinkle_tree* tree, bool outside,
                           const sup_tasks* tasks, sup_arena* arena, float* wavelengths, sup_error* error)
{
    uint32_t  n = mesh->point_count;
    sup_vec3* normals = SUP_NEW(arena, sup_vec3, n);
    float *   bends = SUP_NEW(arena, float, n), *other = SUP_NEW(arena, float, n);
    uint32_t* queue = SUP_NEW(arena, uint32_t, n);
    bool*     known = SUP_NEW(arena, bool, n);
    if (!normals || !bends || !other || !queue || !known) return sup_fail_memory(error, "wrinkle");
    sup_bvh_refit(&tree->bvh, mesh->points, tasks, tree->nodes, tree->slots);
    sup_mesh_normals(mesh, normals);
    prober s = { mesh, topology, normals, wavelengths, &tree->bvh, tree->nodes, outside, n / SAMPLES + 1, bends };
    sup_tasks_run(tasks, (n + s.every - 1) / s.every, GRAIN, probe, &s);
    fill(topology, n, s.every, queue, known, bends);
    smooth(topology, n, sup_wrinkle_smoothings(mesh, topology, wavelengths), bends, other);
    // Twice the amplitude of the steepest fold is WRINKLE_STEEPEST x wavelength / pi.
    for (uint32_t p = 0; p < n; ++p) {
        float fits = bends[p] > 0 ? DEPTH_PER_RADIUS * (float)SUP_PI / (WRINKLE_STEEPEST * bends[p]) : INFINITY;
        if (fits < wavelengths[p]) wavelengths[p] = fits;
    }
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- focus

// Living skin is under tension: what presses it a little over a whole limb only slackens it, and the length that is lost
// gathers in folds where it is pressed most. The most pressed place around a point is that of the clips, less what falls off
// over so many wavelengths from the deepest compression to nothing. Folds are whole where skin is pressed by the second share
// of it, and there are none below the first.
#define FOCUS_REACH 16.0f
#define FOCUS_NONE 0.4f
#define FOCUS_ALL 0.9f
// Compressions between which clips count fully: skin that they never compress is unknown, and folds when a pose compresses it.
#define FOCUS_KNOWN 0.02f
#define DEEPEST 0.3f

static float pressed_by(wrinkle_strain m)
{
    float q = 0.5f * (m.xx - m.yy), left = 1 - 0.5f * (m.xx + m.yy) - sqrtf(q * q + m.xy * m.xy);
    float pressed = 1 - sqrtf(left > 0 ? left : 0);
    return pressed < 0 ? 0 : pressed > DEEPEST ? DEEPEST : pressed;
}

sup_result sup_wrinkle_focus(const wrinkle_frames* f, const float* wavelengths, const wrinkle_strain* most, sup_arena* arena,
                             float* shares, sup_error* error)
{
    uint32_t n = f->mesh->point_count, times = sup_wrinkle_smoothings(f->mesh, f->topology, wavelengths);
    float *  pressed = SUP_NEW(arena, float, n), *around = SUP_NEW(arena, float, n);
    if (!pressed || !around) return sup_fail_memory(error, "wrinkle");
    for (uint32_t p = 0; p < n; ++p) pressed[p] = pressed_by(most[p]);
    smooth(f->topology, n, times, pressed, around);
    for (uint32_t p = 0; p < n; ++p) around[p] = DEEPEST - pressed[p];
    sup_result result = sup_wrinkle_spread_least(f, wavelengths, DEEPEST / FOCUS_REACH, DEEPEST, arena, around, error);
    for (uint32_t p = 0; p < n && result == SUP_OK; ++p) {
        float highest = DEEPEST - around[p];
        float ratio = highest > 0 ? pressed[p] / highest : 1;
        float known = sup_smoothstep(0, FOCUS_KNOWN, pressed[p]);
        shares[p] = 1 - known * (1 - sup_smoothstep(FOCUS_NONE, FOCUS_ALL, ratio));
    }
    return result;
}

// ---------------------------------------------------------------------------------------------- speed

// The total weight with which a joint and its descendants carry a point, and its gradient over the surface.
typedef struct carrier {
    float weight, x, y;
} carrier;

typedef struct walker {
    const sup_character* c;
    const sup_vec3*      pivots; // by joint, at rest
    carrier*             carriers;
    sup_vec3             at, axes[2];
    float                sum;
} walker;

typedef void visit(walker* w, uint32_t joint, carrier add);

static void add_to(walker* w, uint32_t joint, carrier add)
{
    carrier* c = &w->carriers[joint];
    *c = (carrier){ c->weight + add.weight, c->x + add.x, c->y + add.y };
}

// One radian about a unit axis w moves the skin by W w x r, r from the joint. What that shortens is the gradient g of W times
// the tangent part v of w x r; the symmetric part of g v has no eigenvalue beyond (|g . v| + |g| |v|) / 2, and over all axes
// |g . v| is at most |r x g|, |v| at most |r|. Beside that, a tangent of which a share W turns by an angle t and the rest does
// not is 1 - 2 W (1 - W) (1 - cos t) long in square, which changes by no more than 2 W (1 - W) for a radian.
static void take_from(walker* w, uint32_t joint, carrier none)
{
    (void)none;
    carrier  c = w->carriers[joint];
    sup_vec3 r = v3_sub(w->at, w->pivots[joint]), g = v3_mad(v3_scale(w->axes[0], c.x), c.y, w->axes[1]);
    w->sum += 0.5f * (v3_length(v3_cross(r, g)) + v3_length(r) * v3_length(g)) + fmaxf(2 * c.weight * (1 - c.weight), 0);
    w->carriers[joint] = (carrier){ 0, 0, 0 };
}

// All joints that move a point, and their ancestors.
static void walk_joints(walker* w, uint32_t point, carrier by, visit* what)
{
    const sup_weights* s = &w->c->weights;
    for (uint32_t i = s->begin[point]; i < s->begin[point + 1]; ++i) {
        uint32_t left = ANCESTORS;
        float    v = s->values[i];
        for (uint32_t j = s->joints[i]; j != SUP_NONE && left; j = w->c->skeleton.joints[j].parent, --left)
            what(w, j, (carrier){ v * by.weight, v * by.x, v * by.y });
    }
}

static float speed_at(walker* w, const wrinkle_frames* f, uint32_t p)
{
    carrier own = { 1, 0, 0 };
    for (int k = 0; k < WRINKLE_ROWS; ++k) {
        carrier by = { 0, f->coefficients[p][k][0], f->coefficients[p][k][1] };
        walk_joints(w, f->neighbors[p][k], by, add_to);
        own.x -= by.x, own.y -= by.y;
    }
    walk_joints(w, p, own, add_to);
    w->at = f->mesh->points[p];
    for (int k = 0; k < 2; ++k) w->axes[k] = f->axes[k][p];
    w->sum = 0;
    for (int k = 0; k < WRINKLE_ROWS; ++k) walk_joints(w, f->neighbors[p][k], own, take_from);
    walk_joints(w, p, own, take_from);
    return isfinite(w->sum) ? w->sum : 0;
}

// At every point: samples between which the weights change would miss the fastest places.
sup_result sup_wrinkle_speeds(const sup_character* c, const wrinkle_frames* f, sup_arena* arena, float* out, sup_error* error)
{
    uint32_t  joints = c->skeleton.joint_count, n = f->mesh->point_count;
    sup_vec3* pivots = SUP_NEW(arena, sup_vec3, (size_t)joints + 1);
    walker    w = { .c = c, .pivots = pivots, .carriers = SUP_NEW(arena, carrier, (size_t)joints + 1) };
    if (!pivots || !w.carriers) return sup_fail_memory(error, "wrinkle");
    for (uint32_t j = 0; j < joints; ++j) {
        sup_affine bind;
        if (affine_invert(&c->skeleton.joints[j].inverse_bind, &bind)) pivots[j] = affine_translation(&bind);
    }
    for (uint32_t p = 0; p < n; ++p) out[p] = speed_at(&w, f, p);
    return SUP_OK;
}
