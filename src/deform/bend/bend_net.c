// Curves over the character, nodes evenly spaced along them, the strips they represent, and what every skin point takes.
#include "deform/bend/bend.h"
#include "geom/surface/clean.h"
#include "math/trig.h"
#include "math/vec.h"

#include <math.h>
#include <string.h>

/// Skin without curves of its own fades out over this share of the diagonal.
#define FADE_REACH 0.08f

// ---------------------------------------------------------------------------------------------- nodes

/// The effective circumference of a closed curve: its length, or that of the ellipse with the same moments if that is less. A
/// ring where limbs meet goes up and down between them, and is as long as the rings of both together; it bends like its
/// neighbors.
static double girth_of(const bend_net* net, uint32_t curve)
{
    uint32_t        N = net->on.intervals;
    const sup_vec3* nodes = net->on.nodes + (size_t)curve * (N + 1);
    sup_vec3        center = v3(0, 0, 0);
    double          sum = 0;
    if (!net->on.curves.curves[curve].closed) return net->on.lengths[curve];
    for (uint32_t n = 0; n < N; ++n) center = v3_mad(center, 1.0f / (float)N, nodes[n]);
    for (uint32_t n = 0; n < N; ++n) sum += (double)v3_length2(v3_sub(nodes[n], center)) / N;
    return fmin(net->on.lengths[curve], 2 * SUP_PI * sqrt(sum));
}

static sup_result make_skin(const sup_mesh* mesh, bend_net* net, sup_arena* arena, sup_error* error)
{
    uint32_t  count = net->on.curves.curve_count;
    sup_vec3 *normals = SUP_NEW(arena, sup_vec3, net->on.node_count), *skin = SUP_NEW(arena, sup_vec3, mesh->point_count);
    double *  length = SUP_NEW(arena, double, count), *girth = SUP_NEW(arena, double, count);
    if (!normals || !skin || !length || !girth) return sup_fail_memory(error, "bend");
    sup_mesh   once = *mesh; // a face that occurs twice, or with its back, does not rotate the normals
    sup_clean  surface;
    sup_result r = sup_clean_surface(NULL, mesh->triangle_count, mesh->triangles, arena, &surface, error);
    if (r) return r;
    once.triangles = surface.triangles, once.triangle_count = surface.triangle_count;
    sup_mesh_normals(&once, skin);
    for (uint32_t c = 0; c < count; ++c)
        length[c] = net->metres * net->on.lengths[c], girth[c] = net->metres * girth_of(net, c);
    for (uint32_t i = 0; i < net->on.node_count; ++i)
        normals[i] = v3_normalize(sup_node_read(&net->on.sources[i], skin), v3(0, 0, 0));
    net->normals = normals;
    net->length = length;
    net->girth = girth;
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- strips

/// Mean distance from the nodes of one curve to the nearest of the other, in meters. `rows` holds four numbers per node: the
/// inner loop is over independent nodes, which compilers vectorize. Loose pieces have a curve each, and this was a third of
/// their bind.
static double distance_between(const bend_net* net, uint32_t a, uint32_t b, float* rows)
{
    uint32_t        N = net->on.intervals, per = N + 1;
    const sup_vec3 *from = net->on.nodes + (size_t)a * per, *to = net->on.nodes + (size_t)b * per;
    float* restrict x = rows, * restrict y = rows + N, * restrict z = rows + 2 * (size_t)N, * restrict least = rows + 3 * (size_t)N;
    double sum = 0;
    for (uint32_t i = 0; i < N; ++i) x[i] = from[i].x, y[i] = from[i].y, z[i] = from[i].z, least[i] = 3e38f;
    for (uint32_t k = 0; k < N; ++k)
        for (uint32_t i = 0; i < N; ++i) {
            float dx = x[i] - to[k].x, dy = y[i] - to[k].y, dz = z[i] - to[k].z, d = dx * dx + dy * dy + dz * dz;
            least[i] = d < least[i] ? d : least[i];
        }
    for (uint32_t i = 0; i < N; ++i) sum += (double)sqrtf(least[i]);
    return net->metres * sum / N;
}

/// Finds the joints of curves. `sums` is 0 and `slots` SUP_NONE for every joint not in use: a curve hangs on a few of them, and
/// scanning all would take curves times joints.
typedef struct hold_maker {
    float *    sums, total;
    uint32_t * slots, *joints, *found;
    uint32_t   joint_count, found_count, count, capacity;
    bend_hold* holds;
} hold_maker;

static void add_joints(const bend_net* net, const sup_weights* w, uint32_t curve, hold_maker* m)
{
    uint32_t per = net->on.intervals + 1;
    m->found_count = 0, m->total = 0;
    for (uint32_t n = 0; n < 4 * per; ++n) {
        const sup_node_source* s = &net->on.sources[curve * per + n / 4];
        uint32_t               point = s->point[n % 4];
        for (uint32_t i = w->begin[point]; i < w->begin[point + 1]; ++i) {
            float add = s->share[n % 4] * w->values[i];
            if (!(add > 0)) continue;
            if (m->sums[w->joints[i]] == 0) m->found[m->found_count++] = w->joints[i];
            m->sums[w->joints[i]] += add, m->total += add;
        }
    }
}

/// The joints of a curve by their shares, the largest first (the first of equals). Without any, the first joint of the
/// character.
static bool hold_curve(const bend_net* net, const sup_weights* w, uint32_t curve, sup_arena* arena, hold_maker* m)
{
    uint32_t most = 0;
    add_joints(net, w, curve, m);
    if (m->found_count == 0) m->found[m->found_count++] = 0, m->sums[0] = m->total = 1;
    for (uint32_t k = 1; k < m->found_count; ++k) {
        float a = m->sums[m->found[k]], b = m->sums[m->found[most]];
        if (a > b || (a == b && m->found[k] < m->found[most])) most = k;
    }
    uint32_t first = m->found[most];
    m->found[most] = m->found[0], m->found[0] = first;
    if (m->count + m->found_count > m->capacity) {
        m->capacity = 2 * (m->count + m->found_count);
        bend_hold* bigger = SUP_NEW(arena, bend_hold, m->capacity);
        if (!bigger) return false;
        if (m->count) memcpy(bigger, m->holds, m->count * sizeof *bigger);
        m->holds = bigger;
    }
    for (uint32_t k = 0; k < m->found_count; ++k) {
        uint32_t j = m->found[k];
        if (m->slots[j] == SUP_NONE) m->slots[j] = m->joint_count, m->joints[m->joint_count++] = j;
        m->holds[m->count++] = (bend_hold){ m->slots[j], m->sums[j] / m->total };
        m->sums[j] = 0;
    }
    return true;
}

static sup_result make_strips(const sup_bind_input* in, bend_net* net, sup_arena* arena, sup_error* error)
{
    const sup_weights* w = &in->character->weights;
    uint32_t           count = net->on.curves.curve_count, joints = in->character->skeleton.joint_count;
    double(*width)[2] = sup_arena_alloc(arena, count, sizeof *width);
    uint32_t*  begin = SUP_NEW(arena, uint32_t, (size_t)count + 1);
    float*     rows = SUP_NEW(arena, float, 4 * (size_t)net->on.intervals);
    hold_maker m = { .sums = SUP_NEW(arena, float, (size_t)joints + 1),
                     .slots = SUP_NEW(arena, uint32_t, (size_t)joints + 1),
                     .joints = SUP_NEW(arena, uint32_t, (size_t)joints + 1),
                     .found = SUP_NEW(arena, uint32_t, (size_t)joints + 1) };
    if (!width || !begin || !rows || !m.sums || !m.slots || !m.joints || !m.found) return sup_fail_memory(error, "bend");
    for (uint32_t j = 0; j <= joints; ++j) m.slots[j] = SUP_NONE;
    for (uint32_t c = 0; c < count; ++c) {
        const sup_curve* u = &net->on.curves.curves[c];
        for (int s = 0; s < 2; ++s)
            if (u->sides[s] != SUP_NONE && u->sides[s] != c) width[c][s] = distance_between(net, c, u->sides[s], rows);
        // The last ring before a fork: skin continues beyond it.
        for (int s = 0; net->on.curves.below && s < 2; ++s)
            if (!(width[c][s] > 0)) width[c][s] = width[c][1 - s];
        // A single curve represents a strip an eighth of its length wide on both sides.
        if (!(width[c][0] + width[c][1] > 0)) width[c][0] = width[c][1] = net->length[c] > 0 ? net->length[c] / 8 : 1;
        if (!hold_curve(net, w, c, arena, &m)) return sup_fail_memory(error, "bend");
        begin[c + 1] = m.count;
    }
    net->width = (const double(*)[2])width;
    net->hold_begin = begin, net->holds = m.holds;
    net->joint_count = m.joint_count, net->joints = m.joints;
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- all of it

static sup_result make_curves(const sup_bind_input* in, const bend_params* p, sup_arena* arena, sup_curves* out,
                              sup_error* error)
{
    sup_curve_plan plan = { p->way, (uint32_t)p->curves, p->spacing, p->snap, p->groups, NULL };
    if (p->line && p->line[0]) return bend_line_cut(in, p, arena, out, error);
    return sup_curves_lay(in, "bend", &plan, arena, out, error);
}

sup_result bend_net_create(const sup_bind_input* in, const bend_params* p, sup_arena* arena, bend_net* out, sup_error* error)
{
    const sup_mesh* mesh = &in->character->mesh;
    bend_net        net = { .metres = sup_character_physics_unit(in->character) };
    sup_curves      curves;
    sup_result      r = make_curves(in, p, arena, &curves, error);
    if (!r)
        r = sup_curve_net_create(mesh, &curves, (uint32_t)p->intervals, FADE_REACH * mesh->diagonal, "bend", arena, &net.on,
                                 error);
    if (!r) r = make_skin(mesh, &net, arena, error);
    if (!r) r = make_strips(in, &net, arena, error);
    if (!r) *out = net;
    return r;
}

void bend_net_read(const bend_net* net, const sup_vec3* at_points, float* rows)
{
    uint32_t per = net->on.intervals + 1;
    memset(rows, 0, (size_t)per * net->on.stride * sizeof *rows);
    for (uint32_t i = 0; i < net->on.node_count; ++i) {
        sup_vec3 q = sup_node_read(&net->on.sources[i], at_points);
        float*   to = rows + (size_t)(i % per) * net->on.stride + i / per * 3;
        to[0] = q.x, to[1] = q.y, to[2] = q.z;
    }
}

/// The joint that rotates a curve most.
static uint32_t joint_of(const bend_net* net, uint32_t curve) { return net->joints[net->holds[net->hold_begin[curve]].slot]; }

void bend_net_names(const bend_net* net, const sup_character* character, char* text, size_t size)
{
    size_t at = 0;
    text[0] = 0;
    for (uint32_t c = 0, end; c < net->on.curves.curve_count; c = end) {
        uint32_t limb = net->on.curves.curves[c].limb;
        for (end = c + 1; end < net->on.curves.curve_count && net->on.curves.curves[end].limb == limb;) ++end;
        const char *a = character->skeleton.joints[joint_of(net, c)].name,
                   *b = character->skeleton.joints[joint_of(net, end - 1)].name;
        if (at + 80 > size) { // names may be long: better a short list than half a name
            sup_format(text + at, size - at, " ...");
            return;
        }
        at += sup_format(text + at, size - at, "%s%u to %u", c ? ", " : "", c, end - 1);
        if (a && b && strlen(a) + strlen(b) < 64)
            at += sup_format(text + at, size - at, strcmp(a, b) ? " (%s to %s)" : " (%s)", a, b);
    }
}
