// Skin that is pushed, pulled and loaded by hand: curves with the stiffness of the skin beside them bend under forces (You et
// al.), vary in material along the body and over time, or take their forces from examples. In the rest frame of every point
//   q = examples + sum over four nodes of share x X(node)          out = points + B q
#include "deform/bend/bend.h"
#include "deform/curves/curve_rows.h"

#include "math/vec.h"

#include <string.h>

static const char* const closings[] = { "balanced", "foundation", "paper", NULL };
static const char* const equivalents[] = { "sines", "point", "exact", NULL };
static const char* const betweens[] = { "linear", "catmull_rom", "monotone", NULL };

#define AT(name) offsetof(bend_params, name)
const sup_param bend_rows_table[ROW_COUNT] = {
    [ROW_WAY] = SUP_ROW_WAY(AT(way), SUP_CURVES_AROUND, "line="),
    [ROW_CURVES] = SUP_ROW_CURVES(AT(curves), 24, "; with line: along it"),
    [ROW_SPACING] = SUP_ROW_SPACING(AT(spacing), "way=around|way=planes,line="),
    [ROW_SNAP] = SUP_ROW_SNAP(AT(snap), "way=planes|line!="),
    [ROW_GROUPS] = SUP_ROW_GROUPS(AT(groups), "line="),
    [ROW_LINE] = { "line", SUP_PARAM_TEXT, SUP_STAGE_BIND, AT(line), .unit = "",
                   .help = "Curves across one center line only: bones by name (tail_*), places 'x y z; x y z' in meters, or "
                           "@FILE" },
    [ROW_STATIONS] = { "stations", SUP_PARAM_TEXT, SUP_STAGE_BIND, AT(stations), .unit = "",
                       .help = "Where along the line its curves stand, rising from 0 to 1 ('0.1 0.3 0.4'), or at its places; "
                               "empty: evenly",
                       .only_with = "line!=" },
    [ROW_INTERVALS] = { "intervals", SUP_PARAM_INT, SUP_STAGE_BIND, AT(intervals), .min = 8, .max = 256, .standard = 48,
                        .unit = "", .help = "Segments per curve" },
    [ROW_TERMS] = { "terms", SUP_PARAM_INT, SUP_STAGE_BIND, AT(terms), .min = 1, .max = 64, .standard = 20, .unit = "",
                    .help = "Fourier terms of closed curves on a foundation; at most half the intervals",
                    .only_with = "closed=foundation" },
    [ROW_CLOSED] = { "closed", SUP_PARAM_CHOICE, SUP_STAGE_BIND, AT(closed), .choices = closings, .unit = "",
                     .help =
                         "Closed curves: net force dropped, or held by the flesh below (they move as a whole), or as printed" },
    [ROW_TRANSFER] = SUP_ROW_TRANSFER(AT(transfer)),
    [ROW_EQUIVALENT] = { "equivalent", SUP_PARAM_CHOICE, SUP_STAGE_BIND, AT(equivalent), .choices = equivalents, .unit = "",
                         .help =
                             "What stands for a force on a region: sines of force along each curve, one force, or exact ones",
                         .only_with = "region_forces" },
    [ROW_YOUNG] = { "young", SUP_PARAM_FLOAT, SUP_STAGE_FRAME, AT(young), .varies = SUP_VARIES_POINT, .min = 0.001, .max = 1e6,
                    .standard = 1000, .unit = "kPa", .help = "Young's modulus E; half of it bends twice as far" },
    [ROW_POISSON] = { "poisson", SUP_PARAM_FLOAT, SUP_STAGE_FRAME, AT(poisson), .varies = SUP_VARIES_POINT, .min = -0.99,
                      .max = 0.5, .standard = 0.3, .unit = "",
                      .help = "Poisson's ratio nu; stiffness grows as 1 / (1 - nu^2)" },
    [ROW_WIDTH] = { "width", SUP_PARAM_FLOAT, SUP_STAGE_FRAME, AT(width), .varies = SUP_VARIES_POINT, .min = 0.001, .max = 1000,
                    .standard = 1, .unit = "", .help = "Scales the widths of the strips; stiffness is proportional" },
    [ROW_THICKNESS] = { "thickness", SUP_PARAM_FLOAT, SUP_STAGE_FRAME, AT(thickness), .varies = SUP_VARIES_POINT, .min = 0.01,
                        .max = 10000, .standard = 50, .unit = "mm",
                        .help = "Thickness of the skin and what bends with it; stiffness grows with its cube" },
    [ROW_SUPPORT] = { "support", SUP_PARAM_FLOAT, SUP_STAGE_FRAME, AT(support), .varies = SUP_VARIES_POINT, .min = 0.001,
                      .max = 1e6, .standard = 25, .unit = "kPa/m",
                      .help =
                          "closed=foundation, and under bodies: pressure that moves the skin by one meter, against the flesh "
                          "below it",
                      .only_with = "closed=foundation|press=true" },
    [ROW_PRESSURE] = { "pressure", SUP_PARAM_FLOAT, SUP_STAGE_FRAME, AT(pressure), .varies = SUP_VARIES_POINT, .min = -1000,
                       .max = 1000, .standard = 0, .unit = "kPa",
                       .help = "From inside, along the normals of the skin; negative: from outside" },
    [ROW_WEIGHT] = { "weight", SUP_PARAM_FLOAT, SUP_STAGE_FRAME, AT(weight), .min = 0, .max = 4, .standard = 0, .unit = "",
                     .help = "How much of the skin's own weight acts: sag. Open curves and closed=foundation",
                     .only_with = "closed=foundation|open_curves,gravity" },
    [ROW_DENSITY] = { "density", SUP_PARAM_FLOAT, SUP_STAGE_FRAME, AT(density), .min = 1, .max = 20000, .standard = 1050,
                      .unit = "kg/m3", .help = "For weight and dynamics", .only_with = "weight!=0|dynamics=true" },
    [ROW_DYNAMICS] = { "dynamics", SUP_PARAM_BOOL, SUP_STAGE_BIND, AT(dynamics), .unit = "",
                       .help = "Loads make the curves swing: sag, impact, release. Off: curves stay in static equilibrium" },
    [ROW_MODES] = { "modes", SUP_PARAM_INT, SUP_STAGE_BIND, AT(modes), .min = 1, .max = 64, .standard = 8, .unit = "",
                    .help = "Number of modes of each curve that swing, lowest first", .only_with = "dynamics=true" },
    [ROW_DAMPING] = { "damping", SUP_PARAM_FLOAT, SUP_STAGE_FRAME, AT(damping), .min = 0, .max = 4, .standard = 0.15,
                      .unit = "", .help = "Damping ratio of every mode; 1 does not ring", .only_with = "dynamics=true" },
    [ROW_EXAMPLES] = { "examples", SUP_PARAM_BOOL, SUP_STAGE_BIND, AT(examples), .standard = 1, .unit = "",
                       .help = "Forces from example shapes, where there are any", .only_with = "examples" },
    [ROW_TURNING] = SUP_ROW_TURNING(AT(turning), "examples=true"),
    [ROW_BETWEEN] = { "between", SUP_PARAM_CHOICE, SUP_STAGE_BIND, AT(between), .choices = betweens,
                      .standard = BETWEEN_MONOTONE, .unit = "",
                      .help = "Interpolation of forces between examples: linear, smooth, or smooth without overshoot",
                      .only_with = "examples=true,third_example" },
    [ROW_TRUST] = SUP_ROW_TRUST(AT(trust), "theirs", "", "examples=true,drive=,poses_beside_the_way"),
    [ROW_DRIVE] = { "drive", SUP_PARAM_TEXT, SUP_STAGE_BIND, AT(drive), .unit = "",
                    .help =
                        "Examples by angles of joints, not time: 'bulge=forearm:0:120; ...' has all of bulge at 120 degrees",
                    .only_with = "examples=true" },
    [ROW_AMOUNT] = { "amount", SUP_PARAM_FLOAT, SUP_STAGE_FRAME, AT(amount), .min = -4, .max = 4, .standard = 1, .unit = "",
                     .help = "Scales the forces from examples", .only_with = "examples=true" },
    [ROW_PRESS] = { "press", SUP_PARAM_BOOL, SUP_STAGE_FRAME, AT(press), .standard = 1, .unit = "",
                    .help = "Bodies of the world press into the skin: balls, capsules and closed meshes",
                    .only_with = "bodies" },
    [ROW_STRENGTH] = SUP_ROW_STRENGTH(AT(strength), "_BEND_STRENGTH"),
};

static const char* const soft[][2] = { { "young", "200" }, { "dynamics", "1" }, { "damping", "0.1" }, { NULL, NULL } };
static const char* const trunk[][2] = {
    { "closed", "foundation" }, { "curves", "21" }, { "transfer", "frame" }, { NULL, NULL }
};
static const char* const paper[][2] = { { "closed", "paper" }, { "equivalent", "point" }, { NULL, NULL } };
static const sup_preset  presets[] = { { "soft", "Gives way and rings", soft },
                                       { "trunk", "Rings that move as a whole: tails, trunks, ears", trunk },
                                       { "paper", "You et al. as printed, with its signs corrected", paper },
                                       { 0 } };

// ---------------------------------------------------------------------------------------------- bind

/// Notes about what was bound.
static void note_unusual(const sup_bind_input* in, const bend_bound* b)
{
    if (b->net.on.curves.dropped)
        sup_note(in->notes, "%u rings crossed a neighbor and could not be turned apart; fewer curves, or way=along",
                 b->net.on.curves.dropped);
    if (b->net.on.flat)
        sup_note(in->notes,
                 "%u curves have no length, and their skin only moves as a whole; merge points that stand on each other",
                 b->net.on.flat);
}

static sup_result bind(const sup_bind_input* in, sup_arena* arena, sup_binding* out, sup_error* error)
{
    const bend_params* p = in->params;
    bend_bound*        b = SUP_NEW(arena, bend_bound, 1);
    if (!b) return sup_fail_memory(error, "bend");
    b->point_count = in->character->mesh.point_count;
    b->character = in->character;
    b->framed = p->transfer == TRANSFER_FRAME;
    sup_result r = bend_net_create(in, p, arena, &b->net, error);
    if (!r) r = bend_fields_create(in, b, arena, error);
    if (!r) r = bend_loads_create(in, p, &b->net, arena, &b->loads, error);
    if (!r) r = bend_fixed_create(p, b, arena, error);
    if (!r) r = bend_shapes_create(in, p, &b->net, arena, &b->shapes, error);
    if (!r) r = bend_bodies_create(in, arena, &b->bodies, error);
    if (!r) r = bend_press_create(&b->net, &b->bodies, arena, error);
    if (!r) r = bend_modes_create(p, &b->net, arena, &b->modes, error);
    if (!r && b->shapes.count) b->push = b->shapes.segments.push;
    else if (!r) r = sup_push_create(in, arena, &b->push, error);
    if (r) return r;
    note_unusual(in, b);
    sup_binding made = { .data = b, .state_size = bend_sway_size(b) };
    bend_workspace_cut(b, NULL, &made.scratch_size);
    *out = made;
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- a frame

typedef struct frame_job {
    const bend_bound*     b;
    const bend_params*    p;
    const bend_blend*     blend;
    const bend_workspace* work;
} frame_job;

static void take_task(void* data, uint32_t begin, uint32_t end)
{
    const frame_job* j = data;
    const bend_net*  net = &j->b->net;
    if (j->b->framed) {
        sup_curve_transfer_apply(&net->on.transfer, j->b->character->mesh.points, j->work->moved, net->on.centers,
                                 j->work->centers, begin, end, j->work->q);
        return;
    }
    memset(j->work->q + begin, 0, (end - begin) * sizeof(sup_vec3));
    sup_curve_net_take(&net->on, j->work->rows, 1, begin, end, j->work->q);
}

/// The examples, as far as they are trusted, on top of the loads.
static void add_trusted(const frame_job* j, uint32_t begin, uint32_t end)
{
    const sup_residual_trust* t = &j->work->trust;
    const sup_vec3 *          from = j->b->shapes.segments.q[t->from], *to = j->b->shapes.segments.q[t->to];
    for (uint32_t i = begin; i < end; ++i) {
        sup_vec3 q = v3_scale(v3_sub(to[i], from[i]), t->trusted.shift[i] * j->p->amount);
        for (uint32_t k = 0; k < j->blend->count; ++k) {
            const float* p = j->blend->points[k] + 3 * (size_t)i;
            q = v3_mad(q, j->blend->share[k], v3(p[0], p[1], p[2]));
        }
        j->work->q[i] = v3_mad(j->work->q[i], t->trusted.share[i], q);
    }
}

static void blend_task(void* data, uint32_t begin, uint32_t end)
{
    const frame_job*    j = data;
    const sup_sections* sections = &j->b->shapes.sections;
    if (j->work->trust.trusted.share && j->blend->count) add_trusted(j, begin, end);
    else
        for (uint32_t i = 0; i < j->blend->count; ++i) {
            float* q = (float*)j->work->q;
            for (size_t k = 3 * (size_t)begin; k < 3 * (size_t)end; ++k) q[k] += j->blend->share[i] * j->blend->points[i][k];
        }
    if (j->work->turned)
        SUP_WIDE_PICK(sup_sections_turn)(sections, j->work->stations, j->b->character->mesh.points, begin, end, j->work->q);
    const sup_param* row = &bend_rows_table[ROW_STRENGTH];
    if (j->p->strength != 1 || j->b->strength.scale)
        for (uint32_t i = begin; i < end; ++i)
            j->work->q[i] = v3_scale(j->work->q[i], sup_field_value(row, &j->b->strength, j->p->strength, i));
}

static void move_nodes(const bend_bound* b, const bend_workspace* work)
{
    uint32_t per = b->net.on.intervals + 1;
    for (uint32_t i = 0; i < b->net.on.node_count; ++i) {
        const float* x = work->rows + (size_t)(i % per) * b->net.on.stride + i / per * 3;
        work->moved[i] = v3_add(b->net.on.nodes[i], v3(x[0], x[1], x[2]));
    }
    sup_polylines_centers(&b->net.on.transfer.lines, work->moved, work->centers);
}

/// From loads to nodes to points: all of q. False: nothing moves.
static bool move_by_curves(frame_job* job, const sup_frame* frame, uint32_t solids, void* state)
{
    const bend_bound*     b = job->b;
    const bend_workspace* work = job->work;
    bend_frame_still(b, job->p, frame, job->blend, solids, work);
    if (b->modes.count && state) bend_sway_step(b, job->p, frame->dt, work, state);
    bool moves = bend_frame_moving(b, work);
    if (b->framed) move_nodes(b, work);
    if (!moves) memset(work->q, 0, b->point_count * sizeof *work->q);
    else sup_tasks_run(frame->tasks, b->point_count, BEND_GRAIN, take_task, job);
    return moves;
}

static void evaluate(const sup_binding* binding, const void* params, const sup_frame* frame, void* state, void* scratch,
                     sup_vec3* out)
{
    const bend_bound*  b = binding->data;
    const bend_params* p = params;
    bend_workspace     work = bend_workspace_cut(b, scratch, NULL);
    bend_blend         blend = bend_shapes_at(&b->shapes, p, b->character, frame, work.weights);
    frame_job          job = { b, p, &blend, &work };
    bend_shapes_trust(&b->shapes, p, frame, &work);
    bend_shapes_turn(&b->shapes, &blend, b->point_count, &work);
    bend_frame_material(b, p, frame, &work);
    uint32_t solids = p->press ? bend_solids_at(&b->bodies, b->point_count, frame, &work) : 0;
    bool     fixed = solids == 0 && bend_fixed_holds(b, p, &work);
    bool     moves = fixed ? bend_fixed_apply(b, p, frame, &work) : move_by_curves(&job, frame, solids, state);
    if (!moves && blend.count == 0 && b->push.turned_count == 0) memcpy(out, frame->points, b->point_count * sizeof *out);
    else {
        if (blend.count || p->strength != 1 || b->strength.scale)
            sup_tasks_run(frame->tasks, b->point_count, BEND_GRAIN, blend_task, &job);
        sup_push_forward(&b->push, frame, work.q, work.push, out);
    }
    if (solids) sup_stats_add(frame->stats, "bend.points_pressed", bend_press_points(solids, &work, b->point_count, out));
    sup_stats_add(frame->stats, "bend.curves_without_length", b->net.on.flat);
}

static void reset(const sup_binding* binding, const void* params, const sup_frame* frame, void* state, void* scratch)
{
    const bend_bound*  b = binding->data;
    const bend_params* p = params;
    bend_workspace     work = bend_workspace_cut(b, scratch, NULL);
    bend_blend         blend = bend_shapes_at(&b->shapes, p, b->character, frame, work.weights);
    bend_shapes_trust(&b->shapes, p, frame, &work);
    bend_shapes_turn(&b->shapes, &blend, b->point_count, &work);
    bend_frame_material(b, p, frame, &work);
    bend_frame_still(b, p, frame, &blend, p->press ? bend_solids_at(&b->bodies, b->point_count, frame, &work) : 0, &work);
    bend_sway_reset(b, p, &work, state);
}

static void draw(const sup_binding* binding, const sup_pose* pose, const void* state, const sup_vec3* skin,
                 const sup_canvas* canvas)
{
    (void)pose, (void)state;
    const bend_bound* b = binding->data;
    sup_curves_draw(&b->net.on.curves, skin, canvas);
    for (uint32_t i = 0; i < b->net.on.node_count; ++i) {
        sup_vec3 at = v3(0, 0, 0);
        for (int k = 0; k < 4; ++k) at = v3_mad(at, b->net.on.sources[i].share[k], skin[b->net.on.sources[i].point[k]]);
        canvas->point(canvas->user, "nodes", at, -1);
    }
}

// Closed curves carry no net force.
static bool has_open_curves(const sup_bind_input* in, const sup_binding* binding)
{
    const bend_bound* b = binding->data;
    (void)in;
    for (uint32_t c = 0; c < b->net.on.curves.curve_count; ++c)
        if (!b->net.on.curves.curves[c].closed) return true;
    return false;
}

static bool goes_beside(const sup_bind_input* in, const sup_binding* binding)
{
    (void)in;
    const sup_beside* beside = &((const bend_bound*)binding->data)->shapes.beside;
    return beside->off || beside->ahead;
}

static const sup_condition conditions[] = {
    { "poses_beside_the_way", "poses beside the way between the examples", "give a clip that leaves it, or another joint",
      goes_beside },
    { "open_curves", "open curves (way=along)", "set way=along", has_open_curves },
    { 0 },
};

static void count(const sup_binding* binding, char* text, size_t size)
{
    const bend_bound* b = binding->data;
    sup_format(text, size, "%u curves of %u nodes", b->net.on.curves.curve_count, b->net.on.intervals + 1);
}

const sup_deformer sup_deformer_bend = {
    .name = "bend",
    .summary = "Skin pushed and loaded by hand: elastic curves with the stiffness of the skin, or forces from examples",
    .paper = "You, Chaudhry, You, Zhang: Equivalence principles based skin deformation of character animation",
    .only_with = "pressure!=0|weight!=0|forces|press=true|examples=true",
    .conditions = conditions,
    .params = bend_rows_table,
    .param_count = ROW_COUNT,
    .params_size = sizeof(bend_params),
    .presets = presets,
    .bind = bind,
    .reset = reset,
    .evaluate = evaluate,
    .draw = draw,
    .count = count,
};
