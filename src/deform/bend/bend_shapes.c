// Example sculpts as force fields: the force that bends the curves into each of them is interpolated, and bends the curves with
// their current material. Means (and the cubics between the ends of open curves) are carried without a force, and so are the
// rotations of whole sections of a limb.
//     X = carried + EI(bound) / EI(now) x sum of share x shape
// With the stiffness unchanged that is plain interpolation of shapes, exact at every example.
#include "deform/bend/bend.h"
#include "math/trig.h"
#include "math/vec.h"
#include "solve/curves/beam_modes.h"

#include <string.h>

// ---------------------------------------------------------------------------------------------- drivers

static size_t word(const char* text, char end)
{
    size_t n = 0;
    while (text[n] && text[n] != end && text[n] != ';') ++n;
    return text[n] == end ? n : 0;
}

static bool same(const char* name, const char* text, size_t length)
{
    return name && strlen(name) == length && memcmp(name, text, length) == 0;
}

static sup_result driver_fails(const char* text, const char* why, sup_error* error)
{
    return sup_fail(error, SUP_ERROR_INPUT,
                    "bend: drive '%s': %s; write EXAMPLE=JOINT:FROM:TO in degrees, for example bulge=forearm:0:120", text, why);
}

static sup_result read_driver(const sup_bind_input* in, const sup_segments* s, const char* text, size_t length,
                              bend_driver* out, sup_error* error)
{
    const sup_skeleton* k = &in->character->skeleton;
    size_t              name = word(text, '='), joint = name ? word(text + name + 1, ':') : 0;
    char                names[512] = "";
    double              ends[2];
    *out = (bend_driver){ SUP_NONE, SUP_NONE, 0, 0 };
    if (!name || !joint) return driver_fails(text, "it has no = or no :", error);
    for (uint32_t i = 0, n = 0; i < s->count; ++i) {
        if (same(s->names[i], text, name)) out->example = i;
        if (n < 400) n += (uint32_t)sup_format(names + n, sizeof names - n, "%s%s", n ? ", " : "", s->names[i]);
    }
    if (out->example == SUP_NONE)
        return sup_fail(error, SUP_ERROR_INPUT, "bend: drive: there is no example '%.*s'; there are: %s", (int)name, text,
                        names);
    for (uint32_t j = 0; j < k->joint_count; ++j)
        if (same(k->joints[j].name, text + name + 1, joint)) out->joint = j;
    if (out->joint == SUP_NONE)
        return sup_fail(error, SUP_ERROR_INPUT, "bend: drive: '%s' has no joint '%.*s'", in->character->name, (int)joint,
                        text + name + 1);
    const char* at = text + name + joint + 2;
    for (int i = 0; i < 2; ++i) {
        size_t took = sup_parse_double(at, length - (size_t)(at - text), false, &ends[i]);
        if (took == 0) return driver_fails(text, "an angle is missing", error);
        at += took;
        if (i == 0 && *at++ != ':') return driver_fails(text, "the second angle is missing", error);
    }
    if (!(ends[1] > ends[0])) return driver_fails(text, "the angles must rise", error);
    out->from = ends[0] * SUP_RADIANS;
    out->to = ends[1] * SUP_RADIANS;
    return SUP_OK;
}

static sup_result read_drivers(const sup_bind_input* in, const char* text, sup_arena* arena, bend_shapes* s, sup_error* error)
{
    uint32_t most = 1;
    for (const char* c = text; *c; ++c) most += *c == ';';
    bend_driver* list = SUP_NEW(arena, bend_driver, most);
    if (!list) return sup_fail_memory(error, "bend");
    while (*text) {
        size_t n = strcspn(text, ";");
        while (*text == ' ') ++text, --n;
        sup_result r = n ? read_driver(in, &s->segments, text, n, &list[s->driver_count++], error) : SUP_OK;
        if (r) return r;
        text += n + (text[n] == ';');
    }
    s->drivers = list;
    return SUP_OK;
}

/// The angle of a joint from its rest rotation.
static double angle_of(const sup_character* c, const sup_pose* pose, uint32_t joint)
{
    sup_quat q = quat_mul(quat_conjugate(c->skeleton.joints[joint].rest.rotation), pose->local[joint].rotation);
    return 2 * sup_acos(q.w < 0 ? (double)-q.w : (double)q.w);
}

// ---------------------------------------------------------------------------------------------- what has a force

/// Removes from the rows what needs no force: the mean of closed curves, the cubic between the ends of open ones.
static void split(const bend_net* net, float* rows, float* residual)
{
    uint32_t N = net->on.intervals;
    double   values[SUP_BEAM_INTERVALS_MAX + 1];
    for (uint32_t i = 0; i < 3 * net->on.curves.curve_count; ++i) {
        double mean = 0;
        for (uint32_t n = 0; n <= N; ++n) values[n] = rows[(size_t)n * net->on.stride + i];
        for (uint32_t n = 0; n < N; ++n) mean += values[n] / N;
        sup_beam_ends ends = sup_beam_ends_of(values, N, 1);
        for (uint32_t n = 0; n <= N; ++n) {
            size_t at = (size_t)n * net->on.stride + i;
            double c = net->on.curves.curves[i / 3].closed ? mean : n == 0 || n == N ? values[n] : sup_beam_lift(&ends, N, n);
            residual[at] = (float)c;
            rows[at] = (float)(values[n] - c);
        }
    }
}

/// Slopes that never overshoot the examples: harmonic means of the neighboring differences, 0 at extrema (Fritsch and Carlson).
static void monotone_slopes(uint32_t count, const double* times, const float* const* values, size_t floats, float** out)
{
    for (size_t i = 0; i < floats; ++i)
        for (uint32_t j = 0; j < count; ++j) {
            double a = 0, b = 0, ta = 1, tb = 1;
            if (j > 0) ta = times[j] - times[j - 1], a = ((double)values[j][i] - values[j - 1][i]) / ta;
            if (j + 1 < count) tb = times[j + 1] - times[j], b = ((double)values[j + 1][i] - values[j][i]) / tb;
            if (j == 0) out[j][i] = (float)b;
            else if (j + 1 == count) out[j][i] = (float)a;
            else out[j][i] = a * b > 0 ? (float)(3 * (ta + tb) / ((2 * tb + ta) / a + (tb + 2 * ta) / b)) : 0;
        }
}

static sup_result make_slopes(bend_shapes* s, size_t point_floats, size_t node_floats, sup_arena* arena, sup_error* error)
{
    float **points = SUP_NEW(arena, float*, s->count), **nodes = SUP_NEW(arena, float*, s->count);
    if (!points || !nodes) return sup_fail_memory(error, "bend");
    for (uint32_t j = 0; j < s->count; ++j) {
        points[j] = SUP_NEW(arena, float, point_floats + 3 * SUP_LANES);
        nodes[j] = SUP_NEW(arena, float, node_floats);
        if (!points[j] || !nodes[j]) return sup_fail_memory(error, "bend");
    }
    monotone_slopes(s->count, s->segments.times, (const float* const*)(const void*)s->segments.q, point_floats, points);
    monotone_slopes(s->count, s->segments.times, s->nodes, node_floats, nodes);
    s->slopes = (const float* const*)points;
    s->node_slopes = (const float* const*)nodes;
    return SUP_OK;
}

sup_result bend_shapes_create(const sup_bind_input* in, const bend_params* p, const bend_net* net, sup_arena* arena,
                              bend_shapes* out, sup_error* error)
{
    bend_shapes made = { 0 };
    if (!p->examples || in->character->example_count == 0) {
        if (p->drive && p->drive[0])
            return sup_fail(error, SUP_ERROR_INPUT, "bend: drive '%s': '%s' has no examples; give them with --example",
                            p->drive, in->character->name);
        *out = made;
        return SUP_OK;
    }
    // Forces driven by joints may exceed the examples.
    float      angle = p->drive && p->drive[0] ? SUP_SECTIONS_ANGLE_SCALED : SUP_SECTIONS_ANGLE;
    sup_result r = sup_segments_create(in, "bend", arena, &made.segments, error);
    if (!r && p->turning)
        r = sup_sections_create(in->character, &net->on.curves, angle, &made.segments, arena, &made.sections, error);
    if (!r) r = sup_residual_trust_create(in->character, &made.segments, &made.sections, arena, &made.trust, error);
    if (!r) r = sup_residual_beside(in, &made.trust, &made.segments, SUP_RAMP_LINEAR, arena, &made.beside, error);
    if (r) return r;
    made.count = made.segments.count;
    size_t  floats = (size_t)(net->on.intervals + 1) * net->on.stride;
    float **nodes = SUP_NEW(arena, float*, made.count), **residual = SUP_NEW(arena, float*, made.count);
    if (!nodes || !residual) return sup_fail_memory(error, "bend");
    for (uint32_t j = 0; j < made.count; ++j) {
        nodes[j] = SUP_NEW(arena, float, floats);
        residual[j] = SUP_NEW(arena, float, floats);
        if (!nodes[j] || !residual[j]) return sup_fail_memory(error, "bend");
        bend_net_read(net, made.segments.q[j], nodes[j]);
        split(net, nodes[j], residual[j]);
    }
    made.nodes = (const float* const*)nodes;
    made.residual = (const float* const*)residual;
    if (p->drive && p->drive[0]) r = read_drivers(in, p->drive, arena, &made, error);
    else if (p->between == BETWEEN_MONOTONE && !made.segments.posed && made.count > 2)
        r = make_slopes(&made, 3 * (size_t)in->character->mesh.point_count, floats, arena, error);
    if (!r) *out = made;
    return r;
}

// ---------------------------------------------------------------------------------------------- in a frame

static void add_shape(const bend_shapes* s, bend_blend* b, uint32_t j, double share)
{
    if (share == 0 || b->count == BEND_BLEND_MAX) return;
    b->points[b->count] = (const float*)(const void*)s->segments.q[j];
    b->nodes[b->count] = s->nodes[j];
    b->residual[b->count] = s->residual[j];
    b->share[b->count++] = (float)share;
    b->example[b->turning] = j;
    b->turn[b->turning++] = (float)share;
}

static void add_slope(const bend_shapes* s, bend_blend* b, uint32_t j, double share)
{
    b->points[b->count] = s->slopes[j];
    b->nodes[b->count] = s->node_slopes[j];
    b->residual[b->count] = NULL;
    b->share[b->count++] = (float)share;
}

static void blend_in_time(const bend_shapes* s, const bend_params* p, double time, double amount, bend_blend* b)
{
    double   t, share[4] = { 0, 0, 0, 0 };
    uint32_t i = sup_segments_find(&s->segments, time, &t, NULL);
    if (s->count == 1) {
        add_shape(s, b, 0, amount);
        return;
    }
    if (t >= 1) share[2] = 1; // bit for bit
    else if (p->between == BETWEEN_CATMULL) sup_segments_hermite(&s->segments, i, t, share);
    else if (s->slopes) share[2] = t * t * (3 - 2 * t), share[1] = 1 - share[2];
    else share[2] = t, share[1] = 1 - t;
    for (uint32_t k = 0; k < 4; ++k)
        if (share[k] != 0) add_shape(s, b, i + k - 1, amount * share[k]);
    if (s->slopes && t > 0 && t < 1) {
        double span = s->segments.times[i + 1] - s->segments.times[i];
        add_slope(s, b, i, amount * span * t * (1 - t) * (1 - t));
        add_slope(s, b, i + 1, amount * span * t * t * (t - 1));
    }
}

bend_blend bend_shapes_at(const bend_shapes* s, const bend_params* p, const sup_character* character, const sup_frame* frame,
                          float* weights)
{
    bend_blend b = { .count = 0 };
    double     amount = p->amount;
    if (s->count == 0 || amount == 0) return b;
    if (s->driver_count) {
        memset(weights, 0, s->count * sizeof *weights);
        for (uint32_t i = 0; i < s->driver_count; ++i) {
            const bend_driver* d = &s->drivers[i];
            double             w = (angle_of(character, frame->end, d->joint) - d->from) / (d->to - d->from);
            weights[d->example] += (float)(w > 0 ? w : 0); // beyond `to` the force keeps growing
        }
    } else if (s->segments.posed) sup_segments_weights_at(&s->segments, frame->end, weights);
    else {
        blend_in_time(s, p, frame->time, amount, &b);
        return b;
    }
    for (uint32_t j = 0; j < s->count; ++j) add_shape(s, &b, j, amount * (double)weights[j]);
    return b;
}

void bend_shapes_trust(const bend_shapes* s, const bend_params* p, const sup_frame* frame, bend_workspace* work)
{
    double t;
    work->trust = (sup_residual_trust){ 0 };
    if (!p->trust || s->driver_count || !s->trust.block_count) return; // the joint angle decides how much is wanted
    if (s->segments.posed) {
        work->trust = sup_residual_trust_live(&s->trust, frame, true, work->trust_scratch);
        return;
    }
    uint32_t       i = sup_segments_find(&s->segments, frame->time, &t, NULL);
    sup_path_place place = { i, (float)t, t <= 0 || t >= 1 };
    work->trust.from = i, work->trust.to = i + 1;
    work->trust.trusted = sup_trust_find(&s->trust, frame->end, &place, frame->tasks, work->trust_scratch);
}

void bend_shapes_turn(const bend_shapes* s, const bend_blend* blend, uint32_t point_count, bend_workspace* work)
{
    work->turned = blend->turning > 0 && s->sections.station_count > 0;
    if (work->turned)
        sup_residual_turn(&s->sections, blend->example, blend->turn, blend->turning, &work->trust, point_count, work->stations);
}
