// Two sculpts in, dynamic skin out: curves over the character move like clamped beams between example shapes (Chaudhry et al.
// 2014), solved exactly in time. In the rest frame of every point
//   q(t) = carrier(t) + sway x sum over four nodes of share x deviation(t)          out = points + B q(t)
// The carrier is the examples themselves, interpolated point by point, so every example is reproduced exactly; the deviation is
// how far the beams lag behind or run ahead, zero at every example.
#include "deform/beam/beam.h"
#include "deform/curves/curve_rows.h"
#include "math/vec.h"

#include <string.h>

enum { ROW_STRENGTH = 26, RAMP_AUTO = 3 };

static const char* const ramps[] = { "linear", "smoothstep", "smootherstep", "auto", NULL };
static const char* const starts[] = { "lifted", "rest", NULL };
static const char* const extrapolations[] = { "off", "static", "dynamic", NULL };
static const char* const integrators[] = { "exact", "paper", "newmark", NULL };

#define AT(name) offsetof(beam_params, name)
static const sup_param rows[] = {
    SUP_ROW_WAY(AT(way), SUP_CURVES_ALONG, NULL),
    SUP_ROW_CURVES(AT(curves), 22, ""),
    SUP_ROW_SPACING(AT(spacing), "way=around|way=planes"),
    SUP_ROW_SNAP(AT(snap), "way=planes"),
    SUP_ROW_GROUPS(AT(groups), NULL),
    { "edges", SUP_PARAM_TEXT, SUP_STAGE_BIND, AT(edges), .unit = "",
      .help =
          "way=loops: the loops that begin at these edges only, by numbers of points: 16-17 from there on, 16=17 both ways, "
          "/19-27 turns at 19 to 27, !20 ends at 20; apart by spaces",
      .only_with = "way=loops" },
    { "intervals", SUP_PARAM_INT, SUP_STAGE_BIND, AT(intervals), .min = 4, .max = SUP_BEAM_INTERVALS_MAX, .standard = 33,
      .unit = "", .help = "Segments per curve; 33 gives the paper's 34 nodes" },
    { "modes", SUP_PARAM_INT, SUP_STAGE_BIND, AT(modes), .min = 0, .max = 255, .standard = 8, .unit = "",
      .help = "Number of modes that swing, lowest first; 0 is static" },
    { "cycles", SUP_PARAM_FLOAT, SUP_STAGE_BIND, AT(cycles), .min = 0.05, .max = 8, .standard = 1, .unit = "",
      .help = "How often soft flesh would swing from the first example to the last (live: per second); 0.5 heavy and late, 1 "
              "soft, 3 firm",
      .only_with = "expert=false" },
    SUP_ROW_DAMPING(AT(damping)),
    SUP_ROW_LAW(AT(law), "mode"),
    { "ramp", SUP_PARAM_CHOICE, SUP_STAGE_BIND, AT(ramp), .choices = ramps, .standard = RAMP_AUTO, .unit = "",
      .help = "How the force grows between two examples; auto: as the pose goes from one to the other (smoothstep where it "
              "eases in "
              "and out), linear where there are several" },
    { "start", SUP_PARAM_CHOICE, SUP_STAGE_BIND, AT(start), .choices = starts, .unit = "",
      .help = "lifted: the inside goes with its ends and lags from there; rest: it stays until pulled, as in the paper" },
    SUP_ROW_CONTINUITY(AT(continuity), "mode", "integrator=exact,third_example"),
    SUP_ROW_HOLD(AT(hold)),
    SUP_ROW_SETTLE(AT(settle), "extrapolation=off,time_behind_examples"),
    { "extrapolation", SUP_PARAM_CHOICE, SUP_STAGE_FRAME, AT(extrapolation), .choices = extrapolations, .unit = "",
      .help = "After the last example, forces keep growing: the displacement in proportion, or with its dynamics",
      .only_with = "time_behind_examples" },
    { "integrator", SUP_PARAM_CHOICE, SUP_STAGE_BIND, AT(integrator), .choices = integrators, .unit = "",
      .help = "exact in time, or in steps of the paper's scheme or Newmark's, for comparison" },
    { "frames", SUP_PARAM_INT, SUP_STAGE_BIND, AT(frames), .min = 1, .max = 10000, .standard = 30, .unit = "",
      .help = "Frames from one example to the next, the steps of the paper's scheme; modes that swing faster than every 4 "
              "frames are left out" },
    SUP_ROW_TRANSFER(AT(transfer)),
    SUP_ROW_TRUST(AT(trust), "theirs", "; off: they act in any pose", "poses_beside_the_way"),
    SUP_ROW_TURNING(AT(turning), NULL),
    { "expert", SUP_PARAM_BOOL, SUP_STAGE_BIND, AT(expert), .unit = "",
      .help = "Take a1, a2, a3 instead of cycles and damping" },
    { "a1", SUP_PARAM_FLOAT, SUP_STAGE_BIND, AT(a1), .min = 0, .max = 1000, .standard = 0.08, .unit = "",
      .help = "Bending stiffness, per example time", .only_with = "expert=true" },
    { "a2", SUP_PARAM_FLOAT, SUP_STAGE_BIND, AT(a2), .min = 0, .max = 1000, .standard = 1, .unit = "",
      .help = "Mass per length; 0 is static", .only_with = "expert=true" },
    { "a3", SUP_PARAM_FLOAT, SUP_STAGE_BIND, AT(a3), .min = 0, .max = 1000, .standard = 0, .unit = "", .help = "Damping",
      .only_with = "expert=true" },
    SUP_ROW_STRENGTH(AT(strength), "_BEAM_STRENGTH"),
    SUP_ROW_SWAY(AT(sway), "modes>0"),
};

static const char* const soft[][2] = { { "cycles", "0.6" }, { "damping", "0.2" },        { "sway", "3" },
                                       { "settle", "1" },   { "continuity", "hermite" }, { NULL, NULL } };
static const char* const heavy[][2] = { { "cycles", "0.5" }, { "damping", "0.1" }, { "settle", "1" }, { NULL, NULL } };
static const char* const firm[][2] = { { "cycles", "3" }, { "damping", "0.3" }, { NULL, NULL } };
static const char* const paper[][2] = { { "start", "rest" }, { "integrator", "paper" }, { "ramp", "linear" },
                                        { "expert", "1" },   { "modes", "255" },        { "continuity", "restart" },
                                        { NULL, NULL } };
static const sup_preset  presets[] = { { "soft", "Lag and swing that anyone can see; still exact at the examples", soft },
                                       { "heavy", "Late, with a slow ring at the end", heavy },
                                       { "firm", "Little lag", firm },
                                       { "paper", "Chaudhry et al. 2014 as printed, with the force solved exactly", paper },
                                       { 0 } };

typedef struct bound {
    sup_curve_dynamics dynamics; ///< must be first, see curve_dynamics.h
    sup_curve_net      net;
    sup_curve_net      swung;       ///< the net with the limited shares that points take of their nodes' swing
    const float*       node_limits; ///< frame form: share of its swing that a node takes
    beam_motion        motion;
    const float* const*
        residuals; ///< per example, three floats per point: its displacements, or in frame form what frames leave
    const float* const* at_nodes; ///< frame form: per example, [node] of three
    bool                framed;
} bound;

/// A frame in progress, and its lists after those of all curves.
typedef struct beam_frame {
    sup_curve_frame    on;
    const bound*       b;
    const beam_params* p;
    bool               sways;
    float*             rows;                     ///< [N + 1][stride]
    sup_vec3 *         moved, *centers, *turned; ///< frame form
} beam_frame;

static size_t cut_scratch(const bound* b, void* scratch, beam_frame* f)
{
    sup_layout l = { .base = scratch };
    size_t     nodes = b->framed ? (size_t)b->net.node_count + SUP_LANES : 0;
    sup_curve_frame_cut(&b->dynamics, &l, &f->on);
    f->b = b;
    f->rows = sup_layout_add(&l, (size_t)(b->net.intervals + 1) * b->net.stride + SUP_LANES, sizeof *f->rows);
    f->moved = sup_layout_add(&l, nodes, sizeof *f->moved);
    f->centers = sup_layout_add(&l, b->framed ? b->net.curves.curve_count : 0, sizeof *f->centers);
    f->turned = sup_layout_add(&l, b->framed ? b->dynamics.point_count : 0, sizeof *f->turned);
    return l.used;
}

// ---------------------------------------------------------------------------------------------- bind

static void take_swing(const void* link, const float* coefficients, void* scratch, sup_vec3* out)
{
    const bound*       b = link;
    const beam_motion* m = &b->motion;
    memset(out, 0, b->dynamics.point_count * sizeof *out);
    SUP_WIDE_PICK(beam_rows)(m->vectors, m->beam.count, b->dynamics.modal.modes, coefficients, b->net.stride, scratch);
    sup_curve_net_take(&b->net, scratch, 1, 0, b->dynamics.point_count, out);
}

/// Shares of the curves' swing that points, or nodes, take; the paper's stepper has the limits of its exact solution.
static sup_result limit_swing(bound* b, const beam_params* p, sup_arena* arena, sup_error* error)
{
    uint32_t n = b->net.node_count;
    uint32_t more = b->net.transfer.more_count;
    float *  limits, *shares, *more_shares, *nodes;
    b->swung = b->net;
    more_shares = SUP_NEW(arena, float, 4 * (size_t)more + SUP_LANES);
    shares = SUP_NEW(arena, float, 4 * (size_t)b->dynamics.point_count + SUP_LANES);
    nodes = SUP_NEW(arena, float, (size_t)n + 1);
    sup_swing swing = { b, take_swing, SUP_NEW(arena, float, (size_t)(b->net.intervals + 1) * b->net.stride + SUP_LANES),
                        p->settle && p->extrapolation == SUP_GROWTH_NONE, p->sway };
    if (!shares || !more_shares || !nodes || !swing.scratch) return sup_fail_memory(error, "beam");
    b->node_limits = nodes;
    for (uint32_t i = 0; i < n; ++i) nodes[i] = 1;
    if (b->dynamics.modal.modes == 0) return SUP_OK;
    sup_result r = sup_residual_limit_swing(&b->dynamics.segments, &b->dynamics.modal, &swing, b->dynamics.point_count, arena,
                                            &limits, error);
    if (r) return r;
    for (size_t i = 0; i < 4 * (size_t)b->dynamics.point_count; ++i) shares[i] = b->net.shares[i] * limits[i / 4];
    for (size_t i = 0; i < 4 * (size_t)more; ++i) more_shares[i] = b->net.more_shares[i] * limits[b->net.transfer.more[i / 4]];
    for (uint32_t i = 0; i < n; ++i) {
        nodes[i] = 0;
        for (int k = 0; k < 4; ++k) nodes[i] += b->net.sources[i].share[k] * limits[b->net.sources[i].point[k]];
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
    float **  at_nodes = SUP_NEW(arena, float*, b->dynamics.segments.count),
          **left = SUP_NEW(arena, float*, b->dynamics.segments.count);
    if (!read || !moved || !centers || !at_nodes || !left) return sup_fail_memory(error, "beam");
    for (uint32_t j = 0; j < b->dynamics.segments.count; ++j) {
        sup_vec3* nodes = SUP_NEW(arena, sup_vec3, (size_t)n + SUP_LANES);
        sup_vec3* rest = SUP_NEW(arena, sup_vec3, (size_t)b->dynamics.point_count + SUP_LANES);
        if (!nodes || !rest) return sup_fail_memory(error, "beam");
        beam_net_read(&b->net, b->dynamics.segments.q[j], read);
        for (uint32_t i = 0; i < n; ++i) {
            const double* q = read + (size_t)(i % per) * b->net.stride + i / per * 3;
            nodes[i] = v3((float)q[0], (float)q[1], (float)q[2]);
            moved[i] = v3_add(b->net.nodes[i], nodes[i]);
        }
        sup_polylines_centers(&b->net.transfer.lines, moved, centers);
        sup_curve_transfer_apply(&b->net.transfer, mesh->points, moved, b->net.centers, centers, 0, b->dynamics.point_count,
                                 rest);
        for (uint32_t i = 0; i < b->dynamics.point_count; ++i) rest[i] = v3_sub(b->dynamics.segments.q[j][i], rest[i]);
        at_nodes[j] = (float*)nodes;
        left[j] = (float*)rest;
    }
    b->at_nodes = (const float* const*)at_nodes;
    b->residuals = (const float* const*)left;
    return SUP_OK;
}

/// Notes about problems of curves and settings, each with its cure.
static void note_curves(const sup_bind_input* in, const beam_params* p, const bound* b)
{
    const sup_curve_net* net = &b->net;
    const sup_modal*     m = &b->dynamics.modal;
    uint32_t             flat = 0;
    while (flat + 1 < net->curves.curve_count && net->lengths[flat] > 0) ++flat;
    if (net->flat)
        sup_note(
            in->notes,
            "curve %u has no length: its points stand on point %u, so it does not swing (%u of %u are like this); merge them",
            flat, net->curves.points[net->curves.curves[flat].begin].a, net->flat, net->curves.curve_count);
    if (10 * net->transfer.alone > b->dynamics.point_count)
        sup_note(in->notes, "no curve reaches %u of %u points, which do not swing; %s", net->transfer.alone,
                 b->dynamics.point_count,
                 p->way == SUP_CURVES_LOOPS ? "loops need quads: take way=along" : "give groups that cover them");
    if (m->growing)
        sup_note(in->notes,
                 "carried rates of %u modes grow by up to %.3g from example to example; raise cycles or damping, or take "
                 "continuity=auto",
                 m->growing, m->growth);
    if (p->expert && p->a2 == 0 && p->a3 > 0 && m->segments > 1)
        sup_note(in->notes, "a2=0: without mass no rate is kept over an example, the skin only lags; give a2 to let it swing");
    if (b->dynamics.segments.stand_ins)
        sup_note(in->notes,
                 "%u points are squeezed flat by the skinning at an example: what is sculpted there turns with the nearest "
                 "rotation; "
                 "dualquat,beam keeps them",
                 b->dynamics.segments.stand_ins);
}

static sup_result bind(const sup_bind_input* in, sup_arena* arena, sup_binding* out, sup_error* error)
{
    beam_params        own = *(const beam_params*)in->params; // with the ramp that was found
    const beam_params* p = &own;
    bound*             b = SUP_NEW(arena, bound, 1);
    if (!b) return sup_fail_memory(error, "beam");
    sup_curve_dynamics* d = &b->dynamics;
    b->framed = p->transfer == TRANSFER_FRAME;
    sup_result r = sup_curve_dynamics_begin(in, "beam", rows, ROW_STRENGTH, true, arena, d, error);
    sup_ramp   ramp = SUP_RAMP_LINEAR;
    if (!r && own.ramp == RAMP_AUTO) {
        r = sup_modal_ramp(in, &d->segments, arena, &ramp, error);
        own.ramp = (int)ramp;
    }
    float angle = p->extrapolation == SUP_GROWTH_NONE ? SUP_SECTIONS_ANGLE : SUP_SECTIONS_ANGLE_SCALED;
    if (!r) r = beam_net_create(in, p, arena, &b->net, error);
    if (!r) r = sup_curve_dynamics_trust(in, &b->net.curves, p->turning ? angle : 0, (sup_ramp)p->ramp, arena, d, error);
    if (!r) r = beam_motion_create(in, p, &b->net, arena, d, &b->motion, error);
    if (!r) r = limit_swing(b, p, arena, error);
    if (!r && b->framed) r = make_framed(b, &in->character->mesh, arena, error);
    if (r) return r;
    if (!b->framed) b->residuals = (const float* const*)(const void*)d->segments.q;
    note_curves(in, p, b);
    beam_frame frame;
    *out = (sup_binding){ .data = b, .scratch_size = cut_scratch(b, NULL, &frame), .state_size = sup_curve_state_size(d) };
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- a frame

/// Adds the inner rows of the paper's scheme: linear between two of its frames.
static void add_stepped(const beam_frame* f)
{
    const beam_motion*      m = &f->b->motion;
    const sup_modal_moment* at = &f->on.at;
    size_t                  inner = (size_t)m->beam.count * f->b->net.stride;
    if (at->beyond > 0) return;
    double       x = at->ratio * m->frames;
    uint32_t     k = (uint32_t)x < m->frames ? (uint32_t)x : m->frames - 1;
    const float* frames = m->stepped + (size_t)at->segment * (m->frames + 1) * inner;
    const float* in[2] = { frames + k * inner, frames + (k + 1) * inner };
    float        share[2] = { (float)(1 - (x - k)), (float)(x - k) };
    SUP_WIDE_PICK(sup_modal_blend)((uint32_t)inner, in, share, 2, true, f->rows + f->b->net.stride);
}

/// Rows of nodes from the coefficients of the modes.
static void sum_modes(const beam_frame* f)
{
    const beam_motion* m = &f->b->motion;
    SUP_WIDE_PICK(beam_rows)
    (m->vectors, m->beam.count, f->b->dynamics.modal.modes, f->on.coefficients, f->b->net.stride, f->rows);
}

/// Rows of the curves' lag and ringing. False: none.
static bool find_sway(const beam_frame* f, void* state)
{
    const beam_params* p = f->p;
    const sup_modal*   m = &f->b->dynamics.modal;
    bool               stepped = f->b->motion.stepped != NULL;
    if (p->sway == 0 || (m->modes == 0 && !stepped)) return false;
    if (stepped) memset(f->on.coefficients, 0, m->block * sizeof(float));
    else if (!sup_curve_frame_sway(&f->on, state, p->settle && p->extrapolation == SUP_GROWTH_NONE)) return false;
    sum_modes(f);
    if (stepped) add_stepped(f);
    return true;
}

/// Rows of the effect of known forces. False: none.
static bool find_forced(const beam_frame* f)
{
    if (f->b->dynamics.modal.modes == 0 || f->p->sway == 0 || !sup_curve_frame_forces(&f->on)) return false;
    sum_modes(f);
    return true;
}

static void example_task(void* data, uint32_t begin, uint32_t end)
{
    const beam_frame* f = data;
    // Chunks begin at multiples of eight points; the lists are padded at the end.
    uint32_t floats = (uint32_t)sup_align(3 * (end - begin), SUP_LANES);
    sup_residual_blend(&f->on.residual, f->b->residuals, 3 * (size_t)begin, floats, (float*)(f->on.q + begin));
    if (f->sways && !f->b->framed) sup_curve_net_take(&f->b->swung, f->rows, f->p->sway, begin, end, f->on.q);
}

/// The effect of known forces is independent of the sculpts.
static void force_task(void* data, uint32_t begin, uint32_t end)
{
    const beam_frame* f = data;
    sup_curve_net_take(&f->b->net, f->rows, f->p->sway, begin, end, f->on.q);
}

// frame form: nodes first, then the points between them

/// moved += scale x rows. `limits`: per node as well, or NULL.
static void move_nodes(const beam_frame* f, const float* limits)
{
    uint32_t per = f->b->net.intervals + 1;
    for (uint32_t i = 0; i < f->b->net.node_count; ++i) {
        const float* q = f->rows + (size_t)(i % per) * f->b->net.stride + i / per * 3;
        f->moved[i] = v3_mad(f->moved[i], limits ? f->p->sway * limits[i] : f->p->sway, v3(q[0], q[1], q[2]));
    }
}

/// Positions of the nodes: the examples, plus their sway.
static void place_nodes(const beam_frame* f)
{
    uint32_t floats = (uint32_t)sup_align(3 * f->b->net.node_count, SUP_LANES);
    sup_residual_blend(&f->on.residual, f->b->at_nodes, 0, floats, (float*)f->moved);
    for (uint32_t i = 0; i < f->b->net.node_count; ++i) f->moved[i] = v3_add(f->moved[i], f->b->net.nodes[i]);
    if (f->sways) move_nodes(f, f->b->node_limits);
}

static void transfer_task(void* data, uint32_t begin, uint32_t end)
{
    const beam_frame* f = data;
    const bound*      b = f->b;
    sup_curve_transfer_apply(&b->net.transfer, b->dynamics.segments.push.character->mesh.points, f->moved, b->net.centers,
                             f->centers, begin, end, f->turned);
    for (uint32_t i = begin; i < end; ++i) f->on.q[i] = v3_add(f->on.q[i], f->turned[i]);
}

/// Forces move nodes, which the points follow; all of that is trusted like the sculpts.
static void finish_framed(beam_frame* f, const sup_tasks* tasks)
{
    place_nodes(f);
    if (find_forced(f)) move_nodes(f, NULL);
    sup_polylines_centers(&f->b->net.transfer.lines, f->moved, f->centers);
    sup_tasks_run(tasks, f->b->dynamics.point_count, SUP_POINT_GRAIN, transfer_task, f);
    sup_curve_frame_fade(&f->on);
}

static void finish_displaced(beam_frame* f, const sup_tasks* tasks)
{
    sup_curve_frame_fade(&f->on);
    if (find_forced(f)) sup_tasks_run(tasks, f->b->dynamics.point_count, SUP_POINT_GRAIN, force_task, f);
}

static void evaluate(const sup_binding* binding, const void* params, const sup_frame* frame, void* state, void* scratch,
                     sup_vec3* out)
{
    const bound*       b = binding->data;
    const beam_params* p = params;
    beam_frame         f = { .p = p };
    cut_scratch(b, scratch, &f);
    sup_curve_frame_begin(&f.on, frame, p->trust, (sup_curve_growth)p->extrapolation);
    f.sways = find_sway(&f, state);
    sup_tasks_run(frame->tasks, b->dynamics.point_count, SUP_POINT_GRAIN, example_task, &f);
    if (b->framed) finish_framed(&f, frame->tasks);
    else finish_displaced(&f, frame->tasks);
    sup_curve_frame_end(&f.on, p->strength, out);
    sup_stats_add(frame->stats, "beam.carry_grows", b->dynamics.modal.growing);
    sup_stats_add(frame->stats, "beam.curves_without_length", b->net.flat);
}

static void reset(const sup_binding* binding, const void* params, const sup_frame* frame, void* state, void* scratch)
{
    (void)params;
    sup_curve_frame_reset(&((const bound*)binding->data)->dynamics, frame, state, scratch);
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

static void count(const sup_binding* binding, char* text, size_t size)
{
    const bound* b = binding->data;
    sup_format(text, size, "%u curves of %u nodes, %u examples", b->net.curves.curve_count, b->net.intervals + 1,
               b->dynamics.segments.count);
}

const sup_deformer sup_deformer_beam = {
    .name = "beam",
    .summary = "Dynamic skin between example sculpts: curves that move like clamped beams, exact at every example",
    .paper = "Chaudhry, Bian, Ugail, Jin, You, Zhang: Dynamic skin deformation using finite difference solutions, 2014",
    .needs = SUP_NEEDS_EXAMPLES,
    .conditions = sup_curve_conditions,
    .params = rows,
    .param_count = SUP_COUNT_OF(rows),
    .params_size = sizeof(beam_params),
    .presets = presets,
    .bind = bind,
    .reset = reset,
    .evaluate = evaluate,
    .draw = draw,
    .count = count,
};
