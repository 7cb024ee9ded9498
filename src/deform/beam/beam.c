// Two sculpts in, dynamic skin out: curves over the character move like clamped beams between example shapes (Chaudhry et al.
// 2014), solved exactly in time. In the rest frame of every point
//   q(t) = carrier(t) + sway x sum over four nodes of share x deviation(t)          out = points + B q(t)
// The carrier is the examples themselves, interpolated point by point, so every example comes back exactly; the deviation is
// what the beams lag behind or run ahead by, zero at every example.
#include "deform/beam/beam.h"
#include "math/vec.h"

#include <string.h>

enum { ROW_STRENGTH = 26, RAMP_AUTO = 3, GRAIN = 4096 };

static const char* const laws[] = { "uniform", "mass", "stiffness", NULL };
static const char* const ramps[] = { "linear", "smoothstep", "smootherstep", "auto", NULL };
static const char* const starts[] = { "lifted", "rest", NULL };
static const char* const continuities[] = { "auto", "carry", "hermite", "restart", NULL };
static const char* const extrapolations[] = { "off", "static", "dynamic", NULL };
static const char* const integrators[] = { "exact", "paper", "newmark", NULL };
static const char* const transfers[] = { "displacement", "frame", NULL };

#define AT(name) offsetof(beam_params, name)
static const sup_param rows[] = {
    { "way", SUP_PARAM_CHOICE, SUP_STAGE_BIND, AT(way), .choices = sup_curve_ways, .standard = SUP_CURVES_ALONG, .unit = "",
      .help = "How curves lie: rings around the limbs, lines along them (open); or as in papers, cuts by planes across found "
              "center lines, or edge loops of the mesh" },
    { "curves", SUP_PARAM_INT, SUP_STAGE_BIND, AT(curves), .min = 3, .max = 256, .standard = 22, .unit = "",
      .help = "Curves of the longest limb (rings) or the thickest (lines); others in proportion. way=planes: of every limb" },
    { "spacing", SUP_PARAM_FLOAT, SUP_STAGE_BIND, AT(spacing), .min = 0, .max = 0.5, .standard = 0, .unit = "diagonal",
      .help = "Distance of rings, as a share of the diagonal; 0: by the number of curves",
      .only_with = "way=around|way=planes" },
    { "snap", SUP_PARAM_FLOAT, SUP_STAGE_BIND, AT(snap), .min = 0, .max = 0.5, .standard = 0.25, .unit = "edge",
      .help = "Curve points nearer to a vertex than this share of their edge move onto it", .only_with = "way=planes" },
    { "groups", SUP_PARAM_TEXT, SUP_STAGE_BIND, AT(groups), .unit = "",
      .help = "Curves only where maps are painted whose names match (_GROUP_*), each a part of its own" },
    { "edges", SUP_PARAM_TEXT, SUP_STAGE_BIND, AT(edges), .unit = "",
      .help =
          "way=loops: the loops that begin at these edges only, by numbers of points: 16-17 from there on, 16=17 both ways, "
          "/19-27 turns at 19 to 27, !20 ends at 20; apart by spaces",
      .only_with = "way=loops" },
    { "intervals", SUP_PARAM_INT, SUP_STAGE_BIND, AT(intervals), .min = 4, .max = SUP_BEAM_INTERVALS_MAX, .standard = 33,
      .unit = "", .help = "Pieces that every curve is divided into; 33 are the paper's 34 nodes" },
    { "modes", SUP_PARAM_INT, SUP_STAGE_BIND, AT(modes), .min = 0, .max = 255, .standard = 8, .unit = "",
      .help = "Modes that may swing, lowest first; 0 is static" },
    { "cycles", SUP_PARAM_FLOAT, SUP_STAGE_BIND, AT(cycles), .min = 0.05, .max = 8, .standard = 1, .unit = "",
      .help = "How often soft flesh would swing from the first example to the last (live: per second); 0.5 heavy and late, 1 "
              "soft, 3 firm",
      .only_with = "expert=false" },
    { "damping", SUP_PARAM_FLOAT, SUP_STAGE_BIND, AT(damping), .min = 0, .max = 2, .standard = 0.15, .unit = "",
      .help = "How soon it comes to rest: 0.05 jiggles on, 0.15 settles in a few swings, 1 does not ring",
      .only_with = "expert=false" },
    { "law", SUP_PARAM_CHOICE, SUP_STAGE_BIND, AT(law), .choices = laws, .unit = "",
      .help = "How damping grows with the mode: not, or less (mass), or more (stiffness)", .only_with = "expert=false" },
    { "ramp", SUP_PARAM_CHOICE, SUP_STAGE_BIND, AT(ramp), .choices = ramps, .standard = RAMP_AUTO, .unit = "",
      .help = "How the force grows between two examples; auto: as the pose goes from one to the other (smoothstep where it "
              "eases in "
              "and out), linear where there are several" },
    { "start", SUP_PARAM_CHOICE, SUP_STAGE_BIND, AT(start), .choices = starts, .unit = "",
      .help = "lifted: the inside goes with its ends and lags from there; rest: it stays until pulled, as in the paper" },
    { "continuity", SUP_PARAM_CHOICE, SUP_STAGE_BIND, AT(continuity), .choices = continuities, .unit = "",
      .help = "Rates at examples: prescribed (auto; modes too fast for it do not swing; hermite; those carry), carried on, or "
              "begun anew",
      .only_with = "integrator=exact,third_example" },
    { "hold", SUP_PARAM_FLOAT, SUP_STAGE_BIND, AT(hold), .min = 0, .max = 100, .standard = 0, .unit = "s",
      .help = "continuity=auto, several examples: how long one lasts; between those further apart the skin falls back to the "
              "plain one, and does not swing. 0: until the next",
      .only_with = "continuity=auto,third_example" },
    { "settle", SUP_PARAM_BOOL, SUP_STAGE_FRAME, AT(settle), .unit = "",
      .help = "Ring out behind the last example instead of standing still",
      .only_with = "extrapolation=off,time_behind_examples" },
    { "extrapolation", SUP_PARAM_CHOICE, SUP_STAGE_FRAME, AT(extrapolation), .choices = extrapolations, .unit = "",
      .help = "Behind the last example the forces go on growing: the displacement in proportion, or with its dynamics",
      .only_with = "time_behind_examples" },
    { "integrator", SUP_PARAM_CHOICE, SUP_STAGE_BIND, AT(integrator), .choices = integrators, .unit = "",
      .help = "exact in time, or in steps of the paper's scheme or Newmark's, for comparison" },
    { "frames", SUP_PARAM_INT, SUP_STAGE_BIND, AT(frames), .min = 1, .max = 10000, .standard = 30, .unit = "",
      .help = "Frames from one example to the next: steps of the paper's scheme; modes faster than 4 frames a swing rest" },
    { "transfer", SUP_PARAM_CHOICE, SUP_STAGE_BIND, AT(transfer), .choices = transfers, .unit = "",
      .help = "Skin between curves takes their displacement, or turns with the frame between them" },
    { "trust", SUP_PARAM_BOOL, SUP_STAGE_FRAME, AT(trust), .standard = 1, .unit = "",
      .help =
          "Examples count as far as the pose lies between theirs: 16 degrees beside the way (and a sixth of its length) they "
          "are down to a third; off: in whatever pose",
      .only_with = "poses_beside_the_way" },
    { "turning", SUP_PARAM_BOOL, SUP_STAGE_BIND, AT(turning), .standard = 1, .unit = "",
      .help = "Take out how sections of a limb turn beyond the skeleton (spread twists) and interpolate it as rotation" },
    { "expert", SUP_PARAM_BOOL, SUP_STAGE_BIND, AT(expert), .unit = "",
      .help = "Take a1, a2, a3 instead of cycles and damping" },
    { "a1", SUP_PARAM_FLOAT, SUP_STAGE_BIND, AT(a1), .min = 0, .max = 1000, .standard = 0.08, .unit = "",
      .help = "Bending stiffness, per example time", .only_with = "expert=true" },
    { "a2", SUP_PARAM_FLOAT, SUP_STAGE_BIND, AT(a2), .min = 0, .max = 1000, .standard = 1, .unit = "",
      .help = "Mass per length; 0 is static", .only_with = "expert=true" },
    { "a3", SUP_PARAM_FLOAT, SUP_STAGE_BIND, AT(a3), .min = 0, .max = 1000, .standard = 0, .unit = "", .help = "Damping",
      .only_with = "expert=true" },
    { "strength", SUP_PARAM_FLOAT, SUP_STAGE_FRAME, AT(strength), .varies = SUP_VARIES_POINT, .min = 0, .max = 1, .standard = 1,
      .unit = "", .help = "0 leaves the skin as it comes in; paint _BEAM_STRENGTH to keep regions" },
    { "sway", SUP_PARAM_FLOAT, SUP_STAGE_FRAME, AT(sway), .min = 0, .max = 3, .standard = 1, .unit = "",
      .help = "How much of the lag and swing is shown; examples stay exact", .only_with = "modes>0" },
};

static const char* const soft[][2] = { { "way", "around" }, { "cycles", "0.6" }, { "damping", "0.1" },
                                       { "sway", "2.5" },   { "settle", "1" },   { NULL, NULL } };
static const char* const heavy[][2] = { { "cycles", "0.5" }, { "damping", "0.1" }, { "settle", "1" }, { NULL, NULL } };
static const char* const firm[][2] = { { "cycles", "3" }, { "damping", "0.3" }, { NULL, NULL } };
static const char* const paper[][2] = { { "start", "rest" }, { "integrator", "paper" }, { "ramp", "linear" },
                                        { "expert", "1" },   { "modes", "255" },        { "continuity", "restart" },
                                        { NULL, NULL } };
static const sup_preset  presets[] = { { "soft", "Lag and swing that are seen at once; exact at the examples all the same",
                                         soft },
                                       { "heavy", "Late, with a slow ring at the end", heavy },
                                       { "firm", "Little lag", firm },
                                       { "paper", "Chaudhry et al. 2014 as printed, with the force solved exactly", paper },
                                       { 0 } };

typedef struct bound {
    uint32_t            point_count;
    sup_curve_net       net;
    sup_segments        segments;
    sup_sections        sections;
    sup_trust           trust;
    sup_beside          beside;
    sup_curve_net       swung;     ///< the net with the shares that points take of their nodes' swing
    const float*        node_calm; ///< frame form: share of its swing that a node takes
    beam_motion         motion;
    const float* const* carriers; ///< per example, three floats a point: its displacements, or in frame form what frames leave
    const float* const* at_nodes; ///< frame form: per example, [node] of three
    bool                framed;
    sup_field           strength;
} bound;

/// Pieces of scratch, in order.
typedef struct beam_workspace {
    sup_vec3*    q;
    float*       coefficients;             ///< [K][stride]
    float*       rows;                     ///< [N + 1][stride]
    sup_vec3 *   moved, *centers, *turned; ///< frame form
    float*       weights[2];
    sup_station* stations;
    void *       trust, *push;
} beam_workspace;

static beam_workspace cut_workspace(const bound* b, void* scratch, size_t* total)
{
    size_t    at = 0;
    beam_workspace r;
    size_t    stride = b->net.stride;
    r.q = (sup_vec3*)sup_scratch_at(scratch, at);
    at += sup_align(((size_t)b->point_count + SUP_LANES) * sizeof(sup_vec3), 64);
    r.coefficients = (float*)sup_scratch_at(scratch, at);
    at += sup_align(((size_t)b->motion.modal.block + 8) * sizeof(float), 64);
    r.rows = (float*)sup_scratch_at(scratch, at);
    at += sup_align(((size_t)(b->net.intervals + 1) * stride + 8) * sizeof(float), 64);
    r.moved = (sup_vec3*)sup_scratch_at(scratch, at);
    at += b->framed ? sup_align(((size_t)b->net.node_count + SUP_LANES) * sizeof(sup_vec3), 64) : 0;
    r.centers = (sup_vec3*)sup_scratch_at(scratch, at);
    at += b->framed ? sup_align(b->net.curves.curve_count * sizeof(sup_vec3), 64) : 0;
    r.turned = (sup_vec3*)sup_scratch_at(scratch, at);
    at += b->framed ? sup_align(b->point_count * sizeof(sup_vec3), 64) : 0;
    for (int i = 0; i < 2; ++i) {
        r.weights[i] = (float*)sup_scratch_at(scratch, at);
        at += sup_align(b->segments.count * sizeof(float), 64);
    }
    r.stations = (sup_station*)sup_scratch_at(scratch, at);
    at += sup_align(b->sections.station_count * sizeof(sup_station), 64);
    r.trust = sup_scratch_at(scratch, at);
    at += sup_align(sup_trust_scratch(&b->trust), 64);
    r.push = sup_scratch_at(scratch, at);
    at += sup_push_scratch(&b->segments.push);
    if (total) *total = at;
    return r;
}

// ---------------------------------------------------------------------------------------------- bind

static void take_swing(const void* link, const float* coefficients, void* scratch, sup_vec3* out)
{
    const bound*       b = link;
    const beam_motion* m = &b->motion;
    memset(out, 0, b->point_count * sizeof *out);
    SUP_WIDE_PICK(beam_rows)(m->vectors, m->beam.count, m->modal.modes, coefficients, b->net.stride, scratch);
    sup_curve_net_take(&b->net, scratch, 1, 0, b->point_count, out);
}

/// Shares of the curves' swing that points, or nodes, take; the paper's stepper is held by what its exact solution does.
static sup_result calm_down(bound* b, bool rings, sup_arena* arena, sup_error* error)
{
    uint32_t n = b->net.node_count;
    uint32_t more = b->net.transfer.more_count;
    float *  calm, *shares, *more_shares, *nodes;
    b->swung = b->net;
    more_shares = SUP_NEW(arena, float, 4 * (size_t)more + SUP_LANES);
    shares = SUP_NEW(arena, float, 4 * (size_t)b->point_count + SUP_LANES);
    nodes = SUP_NEW(arena, float, (size_t)n + 1);
    sup_swing swing = { b, take_swing, SUP_NEW(arena, float, (size_t)(b->net.intervals + 1) * b->net.stride + SUP_LANES),
                        rings };
    if (!shares || !more_shares || !nodes || !swing.scratch) return sup_fail_memory(error, "beam");
    b->node_calm = nodes;
    for (uint32_t i = 0; i < n; ++i) nodes[i] = 1;
    if (b->motion.modal.modes == 0) return SUP_OK;
    sup_result r = sup_residual_calm(&b->segments, &b->motion.modal, &swing, b->point_count, arena, &calm, error);
    if (r) return r;
    for (size_t i = 0; i < 4 * (size_t)b->point_count; ++i) shares[i] = b->net.shares[i] * calm[i / 4];
    for (size_t i = 0; i < 4 * (size_t)more; ++i) more_shares[i] = b->net.more_shares[i] * calm[b->net.transfer.more[i / 4]];
    for (uint32_t i = 0; i < n; ++i) {
        nodes[i] = 0;
        for (int k = 0; k < 4; ++k) nodes[i] += b->net.sources[i].share[k] * calm[b->net.sources[i].point[k]];
    }
    b->swung.shares = shares, b->swung.more_shares = more_shares;
    return SUP_OK;
}

/// Frame form: displacements of the nodes at every example, and what the frames between them leave of each point's.
static sup_result make_framed(bound* b, const sup_mesh* mesh, sup_arena* arena, sup_error* error)
{
    uint32_t  n = b->net.node_count, per = b->net.intervals + 1;
    double*   read = SUP_NEW(arena, double, (size_t)per * b->net.stride);
    sup_vec3 *moved = SUP_NEW(arena, sup_vec3, n), *centers = SUP_NEW(arena, sup_vec3, b->net.curves.curve_count);
    float **  at_nodes = SUP_NEW(arena, float*, b->segments.count), **left = SUP_NEW(arena, float*, b->segments.count);
    if (!read || !moved || !centers || !at_nodes || !left) return sup_fail_memory(error, "beam");
    for (uint32_t j = 0; j < b->segments.count; ++j) {
        sup_vec3* nodes = SUP_NEW(arena, sup_vec3, (size_t)n + SUP_LANES);
        sup_vec3* rest = SUP_NEW(arena, sup_vec3, (size_t)b->point_count + SUP_LANES);
        if (!nodes || !rest) return sup_fail_memory(error, "beam");
        beam_net_read(&b->net, b->segments.q[j], read);
        for (uint32_t i = 0; i < n; ++i) {
            const double* q = read + (size_t)(i % per) * b->net.stride + i / per * 3;
            nodes[i] = v3((float)q[0], (float)q[1], (float)q[2]);
            moved[i] = v3_add(b->net.nodes[i], nodes[i]);
        }
        sup_polylines_centers(&b->net.transfer.lines, moved, centers);
        sup_curve_transfer_apply(&b->net.transfer, mesh->points, moved, b->net.centers, centers, 0, b->point_count, rest);
        for (uint32_t i = 0; i < b->point_count; ++i) rest[i] = v3_sub(b->segments.q[j][i], rest[i]);
        at_nodes[j] = (float*)nodes;
        left[j] = (float*)rest;
    }
    b->at_nodes = (const float* const*)at_nodes;
    b->carriers = (const float* const*)left;
    return SUP_OK;
}

/// What is odd about the curves and the settings, each with its cure.
static void tell(const sup_bind_input* in, const beam_params* p, const bound* b)
{
    const sup_curve_net* net = &b->net;
    const sup_modal*     m = &b->motion.modal;
    uint32_t             flat = 0;
    while (flat + 1 < net->curves.curve_count && net->lengths[flat] > 0) ++flat;
    if (net->flat)
        sup_note(
            in->notes,
            "curve %u has no length: its points stand on point %u, so it does not swing (%u of %u are like this); merge them",
            flat, net->curves.points[net->curves.curves[flat].begin].a, net->flat, net->curves.curve_count);
    if (10 * net->transfer.alone > b->point_count)
        sup_note(in->notes, "no curve reaches %u of %u points, which do not swing; %s", net->transfer.alone, b->point_count,
                 p->way == SUP_CURVES_LOOPS ? "loops need quads: take way=along" : "give groups that cover them");
    if (m->growing)
        sup_note(in->notes,
                 "carried rates of %u modes grow by up to %.3g from example to example; raise cycles or damping, or take "
                 "continuity=auto",
                 m->growing, m->growth);
    if (p->expert && p->a2 == 0 && p->a3 > 0 && m->segments > 1)
        sup_note(in->notes, "a2=0: without mass no rate is kept over an example, the skin only lags; give a2 to let it swing");
    if (b->segments.stand_ins)
        sup_note(in->notes,
                 "%u points are squeezed flat by the skinning at an example: what is sculpted there turns with the nearest "
                 "rotation; "
                 "dualquat,beam keeps them",
                 b->segments.stand_ins);
}

static sup_result bind(const sup_bind_input* in, sup_arena* arena, sup_binding* out, sup_error* error)
{
    beam_params        own = *(const beam_params*)in->params; // with the ramp that was found
    const beam_params* p = &own;
    bound*             b = SUP_NEW(arena, bound, 1);
    if (!b) return sup_fail_memory(error, "beam");
    b->point_count = in->character->mesh.point_count;
    b->strength = in->fields[ROW_STRENGTH];
    b->framed = p->transfer == TRANSFER_FRAME;
    bool       plain = in->character->example_count == 0 && (in->show || sup_curve_forces_any(in->world));
    sup_result r = plain ? sup_segments_plain(in, "beam", arena, &b->segments, error)
                         : sup_segments_create(in, "beam", arena, &b->segments, error);
    sup_ramp   ramp = SUP_RAMP_LINEAR;
    if (!r && own.ramp == RAMP_AUTO) {
        r = sup_modal_ramp(in, &b->segments, arena, &ramp, error);
        own.ramp = (int)ramp;
    }
    bool   falls = p->continuity == SUP_CONTINUITY_AUTO && p->integrator == INTEGRATOR_EXACT;
    double fade = falls && p->hold > 0 ? 1 / (double)p->hold : 0;
    if (!r) r = beam_net_create(in, p, arena, &b->net, error);
    float angle = p->extrapolation == EXTRAPOLATION_OFF ? SUP_SECTIONS_ANGLE : SUP_SECTIONS_ANGLE_SCALED;
    if (!r && p->turning)
        r = sup_sections_create(in->character, &b->net.curves, angle, &b->segments, arena, &b->sections, error);
    if (!r) r = sup_residual_trust_create(in->character, &b->segments, &b->sections, arena, &b->trust, error);
    if (!r) r = sup_residual_beside(in, &b->trust, &b->segments, (sup_ramp)p->ramp, arena, &b->beside, error);
    if (!r) r = beam_motion_create(in, p, &b->net, &b->segments, fade, arena, &b->motion, error);
    if (r) return r;
    r = calm_down(b, p->settle && p->extrapolation == EXTRAPOLATION_OFF, arena, error);
    if (r) return r;
    if (b->framed) {
        r = make_framed(b, &in->character->mesh, arena, error);
        if (r) return r;
    } else b->carriers = (const float* const*)(const void*)b->segments.q;
    tell(in, p, b);
    sup_binding made = { .data = b };
    cut_workspace(b, NULL, &made.scratch_size);
    if (b->segments.posed) made.state_size = 2 * (size_t)b->motion.modal.block * sizeof(double) + 64;
    *out = made;
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- a frame

/// The examples around a moment with their shares, and straight on beyond the last where forces go on growing.
static sup_residual carry(const bound* b, const beam_params* p, sup_modal_moment* at)
{
    if (!(at->beyond > 0) || p->extrapolation == EXTRAPOLATION_OFF) return sup_residual_by_time(&b->motion.modal, at);
    sup_residual c = { .count = 0 };
    double      reach = 1 + at->beyond / at->span;
    if (p->extrapolation == EXTRAPOLATION_DYNAMIC) at->reach = reach;
    sup_residual_add(&c, at->from, 1 - reach);
    sup_residual_add(&c, at->to, reach);
    return c;
}

/// Steps of the paper's scheme, on top of what is there: between two frames in a straight line.
static void add_stepped(const bound* b, const sup_modal_moment* at, float* to)
{
    const beam_motion* m = &b->motion;
    size_t             inner = (size_t)m->beam.count * b->net.stride;
    if (at->beyond > 0) return;
    double       x = at->ratio * m->frames;
    uint32_t     f = (uint32_t)x < m->frames ? (uint32_t)x : m->frames - 1;
    const float* frames = m->stepped + (size_t)at->segment * (m->frames + 1) * inner;
    const float* in[2] = { frames + f * inner, frames + (f + 1) * inner };
    float        share[2] = { (float)(1 - (x - f)), (float)(x - f) };
    SUP_WIDE_PICK(sup_modal_blend)((uint32_t)inner, in, share, 2, true, to + b->net.stride);
}

typedef struct frame_job {
    const bound*       b;
    const beam_params* p;
    const sup_residual*   residual;
    const beam_workspace* work;
    bool               sways;
} frame_job;

/// What every carried example has at one place of its list, and its share.
static uint32_t gather(const sup_residual* c, const float* const* lists, size_t offset, const float** in, float* share)
{
    for (uint32_t k = 0; k < c->count; ++k) {
        in[k] = lists[c->example[k]] + offset;
        share[k] = (float)c->share[k];
    }
    return c->count;
}

static void blend_task(void* data, uint32_t begin, uint32_t end)
{
    const frame_job* j = data;
    const float*     in[SUP_RESIDUAL_MAX];
    float            share[SUP_RESIDUAL_MAX];
    uint32_t         count = gather(j->residual, j->b->carriers, 3 * (size_t)begin, in, share);
    // Pieces begin at multiples of eight points; the arrays are padded behind the last.
    uint32_t floats = (uint32_t)sup_align(3 * (end - begin), SUP_LANES);
    SUP_WIDE_PICK(sup_modal_blend)(floats, in, share, count, false, (float*)(j->work->q + begin));
    if (j->sways && !j->b->framed) sup_curve_net_take(&j->b->swung, j->work->rows, j->p->sway, begin, end, j->work->q);
}

/// What known forces do stays as it is, whatever the sculpts.
static void force_task(void* data, uint32_t begin, uint32_t end)
{
    const frame_job* j = data;
    sup_curve_net_take(&j->b->net, j->work->rows, j->p->sway, begin, end, j->work->q);
}

static void frame_task(void* data, uint32_t begin, uint32_t end)
{
    const frame_job* j = data;
    const bound*     b = j->b;
    sup_curve_transfer_apply(&b->net.transfer, b->segments.push.character->mesh.points, j->work->moved, b->net.centers,
                             j->work->centers, begin, end, j->work->turned);
    for (uint32_t i = begin; i < end; ++i) j->work->q[i] = v3_add(j->work->q[i], j->work->turned[i]);
}

/// Where the nodes stand: carried by the examples, plus what they sway.
static void carry_nodes(const frame_job* j)
{
    const bound*     b = j->b;
    const beam_workspace* work = j->work;
    const float*          in[SUP_RESIDUAL_MAX];
    float                 share[SUP_RESIDUAL_MAX];
    uint32_t              per = b->net.intervals + 1, count = gather(j->residual, b->at_nodes, 0, in, share);
    uint32_t         floats = (uint32_t)sup_align(3 * b->net.node_count, SUP_LANES);
    SUP_WIDE_PICK(sup_modal_blend)(floats, in, share, count, false, (float*)work->moved);
    for (uint32_t i = 0; i < b->net.node_count; ++i) {
        const float* q = work->rows + (size_t)(i % per) * b->net.stride + i / per * 3;
        work->moved[i] = v3_add(work->moved[i], b->net.nodes[i]);
        if (j->sways) work->moved[i] = v3_mad(work->moved[i], j->p->sway * b->node_calm[i], v3(q[0], q[1], q[2]));
    }
}

/// The points between nodes, which forces may move besides.
static void move_by_nodes(const frame_job* j, bool forced, const sup_tasks* tasks)
{
    const bound* b = j->b;
    uint32_t     per = b->net.intervals + 1;
    for (uint32_t i = 0; forced && i < b->net.node_count; ++i) {
        const float* q = j->work->rows + (size_t)(i % per) * b->net.stride + i / per * 3;
        j->work->moved[i] = v3_mad(j->work->moved[i], j->p->sway, v3(q[0], q[1], q[2]));
    }
    sup_polylines_centers(&b->net.transfer.lines, j->work->moved, j->work->centers);
    sup_tasks_run(tasks, b->point_count, GRAIN, frame_task, (void*)j);
}

/// Rows of what the curves lag and ring by. False: nothing.
static bool find_sway(const bound* b, const beam_params* p, const sup_frame* frame, const sup_modal_moment* at, void* state,
                      const beam_workspace* work)
{
    const beam_motion* m = &b->motion;
    bool               settles = p->settle && p->extrapolation == EXTRAPOLATION_OFF;
    if (p->sway == 0 || (m->modal.modes == 0 && !m->stepped)) return false;
    if (b->segments.posed) {
        sup_segments_weights_at(&b->segments, frame->dt > 0 ? frame->start : frame->end, work->weights[0]);
        if (!state) return false;
        sup_modal_step(&m->modal, frame->dt, work->weights[0], work->weights[1], state, work->coefficients);
    } else if (m->stepped) memset(work->coefficients, 0, m->modal.block * sizeof(float));
    else if (!sup_modal_sway(&m->modal, at, settles, work->coefficients)) return false;
    SUP_WIDE_PICK(beam_rows)(m->vectors, m->beam.count, m->modal.modes, work->coefficients, b->net.stride, work->rows);
    if (m->stepped) add_stepped(b, at, work->rows);
    return true;
}

/// Rows of what known forces do. False: there are none.
static bool find_forced(const bound* b, const beam_params* p, const sup_frame* frame, const beam_workspace* work)
{
    const beam_motion* m = &b->motion;
    if (m->force_count == 0 || m->modal.modes == 0 || p->sway == 0) return false;
    memset(work->coefficients, 0, m->modal.block * sizeof(float));
    for (uint32_t i = 0; i < m->force_count; ++i)
        sup_modal_force_add(&m->modal, &m->forces[i], frame->time, work->coefficients);
    SUP_WIDE_PICK(beam_rows)(m->vectors, m->beam.count, m->modal.modes, work->coefficients, b->net.stride, work->rows);
    return true;
}

static void evaluate(const sup_binding* binding, const void* params, const sup_frame* frame, void* state, void* scratch,
                     sup_vec3* out)
{
    const bound*       b = binding->data;
    const beam_params* p = params;
    beam_workspace     work = cut_workspace(b, scratch, NULL);
    sup_modal_moment   at = { 0 };
    sup_residual       c;
    sup_residual_trust trust;
    bool               beyond = p->extrapolation != EXTRAPOLATION_OFF;
    if (b->segments.posed) {
        c = sup_residual_by_pose(&b->segments, frame->end, work.weights[1]);
        trust = sup_residual_trust_live(&b->trust, frame, p->trust, work.trust);
    } else {
        at = sup_modal_find(&b->motion.modal, frame->time);
        c = carry(b, p, &at);
        trust = sup_residual_trust_find(&b->trust, &b->motion.modal, &at, beyond, frame, p->trust, work.trust);
    }
    bool                sways = find_sway(b, p, frame, &at, state, &work);
    frame_job           job = { b, p, &c, &work, sways };
    sup_residual_finish finish = { &b->sections,
                                   work.stations,
                                   b->segments.push.character->mesh.points,
                                   b->point_count,
                                   &rows[ROW_STRENGTH],
                                   &b->strength,
                                   p->strength,
                                   work.q,
                                   trust,
                                   b->segments.q };
    sup_tasks_run(frame->tasks, b->point_count, GRAIN, blend_task, &job);
    if (b->framed) carry_nodes(&job);
    else sup_residual_fade(&finish, frame->tasks);
    bool forced = find_forced(b, p, frame, &work);
    if (b->framed) {
        move_by_nodes(&job, forced, frame->tasks);
        sup_residual_fade(&finish, frame->tasks);
    } else if (forced) sup_tasks_run(frame->tasks, b->point_count, GRAIN, force_task, &job);
    sup_residual_end(&c, &finish, frame->tasks);
    sup_push_forward(&b->segments.push, frame, work.q, work.push, out);
    sup_stats_add(frame->stats, "beam.carry_grows", b->motion.modal.growing);
    sup_stats_add(frame->stats, "beam.curves_without_length", b->net.flat);
}

static void reset(const sup_binding* binding, const void* params, const sup_frame* frame, void* state, void* scratch)
{
    (void)params;
    const bound* b = binding->data;
    beam_workspace work = cut_workspace(b, scratch, NULL);
    sup_segments_weights_at(&b->segments, frame->end, work.weights[0]);
    sup_modal_reset(&b->motion.modal, work.weights[0], state);
}

// ---------------------------------------------------------------------------------------------- pictures

static void draw(const sup_binding* binding, const sup_pose* pose, const void* state, const sup_vec3* skin,
                 const sup_canvas* canvas)
{
    (void)pose, (void)state;
    const bound* b = binding->data;
    sup_curves_draw(&b->net.curves, skin, canvas);
    for (uint32_t i = 0; i < b->net.node_count; ++i) {
        sup_vec3 at = v3(0, 0, 0);
        for (int k = 0; k < 4; ++k) at = v3_mad(at, b->net.sources[i].share[k], skin[b->net.sources[i].point[k]]);
        canvas->point(canvas->user, "nodes", at, -1);
    }
}

static bool goes_beside(const sup_bind_input* in, const sup_binding* binding)
{
    (void)in;
    const sup_beside* beside = &((const bound*)binding->data)->beside;
    return beside->off || beside->ahead;
}

static const sup_condition conditions[] = {
    { "poses_beside_the_way", "poses beside the way between the examples", "give a clip that leaves it, or another joint",
      goes_beside },
    { 0 },
};

const sup_deformer sup_deformer_beam = {
    .name = "beam",
    .summary = "Dynamic skin between example sculpts: curves that move like clamped beams, exact at every example",
    .paper = "Chaudhry, Bian, Ugail, Jin, You, Zhang: Dynamic skin deformation using finite difference solutions, 2014",
    .needs = SUP_NEEDS_EXAMPLES,
    .conditions = conditions,
    .params = rows,
    .param_count = SUP_COUNT_OF(rows),
    .params_size = sizeof(beam_params),
    .presets = presets,
    .bind = bind,
    .reset = reset,
    .evaluate = evaluate,
    .draw = draw,
};
