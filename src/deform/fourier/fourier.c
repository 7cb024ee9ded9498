// Seekable dynamics in kilobytes: curves over the character become Fourier series, every coefficient an oscillator in closed
// form (Bian et al. 2019). In the rest frame of every point
//   q(t) = carrier(t) + sway x sum over its two curves of share x sum over functions of f(v) c(t)      out = points + B q(t)
// The carrier is the examples themselves, interpolated point by point, so every example is reproduced exactly; c(t) is how far
// the oscillators lag behind or run ahead. With the residual in half precision or dropped, the carrier goes through the series
// too, and only what they miss of the examples is kept in addition.
#include "deform/fourier/fourier.h"

#include "base/parts.h"
#include "deform/curves/curve_rows.h"
#include "math/vec.h"

#include <string.h>

/// GROUP_GRAIN: groups of eight points per task.
enum { ROW_STRENGTH = 28, GROUP_GRAIN = 512 };

static const char* const ends[] = { "line", "tangent", "free", NULL };
static const char* const orders[] = { "second", "fourth", NULL };
static const char* const ramps[] = { "linear", "smoothstep", "smootherstep", NULL };
static const char* const residuals[] = { "exact", "half", "none", NULL };

#define AT(name) offsetof(fourier_params, name)
static const sup_param rows[] = {
    SUP_ROW_WAY(AT(way), SUP_CURVES_AROUND, NULL),
    SUP_ROW_CURVES(AT(curves), 24, ""),
    SUP_ROW_SPACING(AT(spacing), "way=around|way=planes"),
    SUP_ROW_SNAP(AT(snap), "way=planes"),
    SUP_ROW_GROUPS(AT(groups), NULL),
    { "terms", SUP_PARAM_INT, SUP_STAGE_BIND, AT(terms), .min = 1, .max = SUP_FOURIER_TERMS_MAX, .standard = 9, .unit = "",
      .help = "Number of waves around a curve, N; fewer where its points are too few or too far apart" },
    { "ends", SUP_PARAM_CHOICE, SUP_STAGE_BIND, AT(ends), .choices = ends, .unit = "",
      .help = "Open curves: both ends exact, their slopes too, or only the first held and the other free",
      .only_with = "way=along|way=loops" },
    { "order", SUP_PARAM_CHOICE, SUP_STAGE_BIND, AT(order), .choices = orders, .unit = "",
      .help = "Second: short waves are held by tension, as in the paper; fourth: by bending" },
    { "cycles", SUP_PARAM_FLOAT, SUP_STAGE_BIND, AT(cycles), .min = 0.05, .max = 8, .standard = 1, .unit = "",
      .help =
          "How often soft flesh would swing from the first example to the last, or around a loop (live: per second); 0.5 heavy "
          "and late, 1 soft, 3 firm",
      .only_with = "expert=false" },
    SUP_ROW_DAMPING(AT(damping)),
    { "spread", SUP_PARAM_FLOAT, SUP_STAGE_BIND, AT(spread), .min = -1, .max = 10, .standard = -1, .unit = "",
      .help = "How much faster short waves swing; 0: all at the same rate; negative: 1 at second order, 0.1 at fourth",
      .only_with = "expert=false" },
    SUP_ROW_LAW(AT(law), "wave"),
    { "ramp", SUP_PARAM_CHOICE, SUP_STAGE_BIND, AT(ramp), .choices = ramps, .unit = "",
      .help = "How the force grows between two examples; smoothstep fits clips that ease in and out" },
    SUP_ROW_CONTINUITY(AT(continuity), "wave", "third_example"),
    SUP_ROW_HOLD(AT(hold)),
    SUP_ROW_SETTLE(AT(settle), "time_behind_examples"),
    { "residual", SUP_PARAM_CHOICE, SUP_STAGE_BIND, AT(residual), .choices = residuals, .unit = "",
      .help = "The part of the examples that the series misses: kept exactly, in half precision, or dropped" },
    SUP_ROW_TRUST(AT(trust), "theirs", "; off: they act in any pose", "poses_beside_the_way"),
    SUP_ROW_TURNING(AT(turning), NULL),
    { "lean", SUP_PARAM_BOOL, SUP_STAGE_BIND, AT(lean), .standard = 1, .unit = "",
      .help = "Points that linear blending squeezes at a sculpt lean on dual quaternions; off for runtime files of games that "
              "only blend linearly" },
    { "expert", SUP_PARAM_BOOL, SUP_STAGE_BIND, AT(expert), .unit = "",
      .help = "Take the physical numbers below, in seconds, instead of cycles, damping and spread" },
    { "density", SUP_PARAM_FLOAT, SUP_STAGE_BIND, AT(density), .min = 0, .max = 100000, .standard = 1050, .unit = "",
      .help = "Mass; 0 is without inertia. With the paper's numbers every wave is far too slow to swing within a clip",
      .only_with = "expert=true" },
    { "viscosity", SUP_PARAM_FLOAT, SUP_STAGE_BIND, AT(viscosity), .min = 0, .max = 100000, .standard = 0.619, .unit = "",
      .help = "Damping", .only_with = "expert=true" },
    { "young", SUP_PARAM_FLOAT, SUP_STAGE_BIND, AT(young), .min = 1e-6, .max = 1e12, .standard = 150, .unit = "",
      .help = "Young's modulus; with thickness and Poisson's ratio the stiffness of waves (at second order a tension)",
      .only_with = "expert=true" },
    { "poisson", SUP_PARAM_FLOAT, SUP_STAGE_BIND, AT(poisson), .min = -0.99, .max = 0.5, .standard = 0.3, .unit = "",
      .help = "Poisson's ratio", .only_with = "expert=true" },
    { "thickness", SUP_PARAM_FLOAT, SUP_STAGE_BIND, AT(thickness), .min = 1e-6, .max = 1000, .standard = 0.1, .unit = "",
      .help = "Thickness of the skin", .only_with = "expert=true" },
    { "restoring", SUP_PARAM_FLOAT, SUP_STAGE_BIND, AT(restoring), .min = 0, .max = 1e9, .standard = 50, .unit = "",
      .help = "Stiffness that pulls every wave back, sigma", .only_with = "expert=true" },
    SUP_ROW_SWAY(AT(sway), NULL),
    SUP_ROW_STRENGTH(AT(strength), "_FOURIER_STRENGTH"),
};

static const char* const soft[][2] = { { "cycles", "0.6" }, { "damping", "0.2" },        { "sway", "1.5" },
                                       { "settle", "1" },   { "continuity", "hermite" }, { NULL, NULL } };
static const char* const heavy[][2] = { { "cycles", "0.5" }, { "damping", "0.1" }, { "settle", "1" }, { NULL, NULL } };
static const char* const firm[][2] = { { "cycles", "3" }, { "damping", "0.3" }, { NULL, NULL } };
static const char* const small[][2] = { { "terms", "3" }, { "residual", "none" }, { "turning", "0" }, { NULL, NULL } };
static const sup_preset  presets[] = { { "soft", "Lag and swing that anyone can see; still exact at the examples", soft },
                                       { "heavy", "Late, with a slow ring at the end", heavy },
                                       { "firm", "Little lag", firm },
                                       { "small", "Fewest bytes: three waves, no residual", small },
                                       { 0 } };

/// A frame in progress, and its list after those of all curves.
typedef struct fourier_frame {
    sup_curve_frame       on;
    const fourier_bound*  b;
    const fourier_params* p;
    float*                packed; ///< coefficients by curve
} fourier_frame;

static size_t cut_scratch(const fourier_bound* b, void* scratch, fourier_frame* f)
{
    sup_layout l = { .base = scratch };
    sup_curve_frame_cut(&b->dynamics, &l, &f->on);
    f->b = b;
    f->packed = sup_layout_add(&l, 3 * (size_t)b->net.coefficient_count + SUP_LANES, sizeof *f->packed);
    return l.used;
}

// ---------------------------------------------------------------------------------------------- bind

void fourier_pack(const fourier_bound* b, const float* coefficients, float* packed)
{
    for (uint32_t c = 0; c < b->net.curves.curve_count; ++c) {
        const fourier_series* s = &b->net.series[c];
        for (uint32_t i = s->packed; i < s->packed + s->taken; ++i)
            memcpy(packed + 3 * (size_t)i, coefficients + b->motion.index[i], 3 * sizeof(float));
    }
}

float fourier_strength(const fourier_bound* b, uint32_t point)
{
    return sup_field_value(&rows[ROW_STRENGTH], &b->dynamics.strength, b->strength, point);
}

bool fourier_weakened(const fourier_bound* b) { return b->strength != 1 || b->dynamics.strength.scale; }

/// Rounds a float to half, to nearest, ties to even; |x| <= 1.
static uint16_t to_half(float x)
{
    uint32_t bits, sign;
    float    size = x * 0x1p-112f; // halves below 2^-14 become subnormal automatically
    memcpy(&bits, &size, sizeof bits);
    sign = bits >> 31;
    bits &= 0x7fffffffu;
    bits += 0xfffu + ((bits >> 13) & 1u);
    return (uint16_t)(sign << 15 | bits >> 13);
}

/// What the series miss of every example.
static sup_result make_halves(fourier_bound* b, sup_arena* arena, sup_error* error)
{
    uint32_t   points = b->dynamics.point_count, padded = (uint32_t)sup_align(3 * (size_t)points, SUP_LANES) + SUP_LANES;
    sup_arena* beside = sup_arena_beside(arena);
    sup_vec3*  q = beside ? SUP_NEW(beside, sup_vec3, (size_t)points + SUP_LANES) : NULL;
    float *    packed = NULL, *scales = SUP_NEW(arena, float, b->dynamics.segments.count);
    uint16_t** halves = SUP_NEW(arena, uint16_t*, b->dynamics.segments.count);
    if (beside) packed = SUP_NEW(beside, float, 3 * (size_t)b->net.coefficient_count + SUP_LANES);
    sup_result r = q && packed && scales && halves ? SUP_OK : sup_fail_memory(error, "fourier");
    for (uint32_t j = 0; !r && j < b->dynamics.modal.examples; ++j) {
        float most = 0;
        halves[j] = SUP_NEW(arena, uint16_t, padded);
        if (!halves[j]) r = sup_fail_memory(error, "fourier");
        if (r) break;
        memset(q, 0, points * sizeof *q);
        fourier_pack(b, b->dynamics.modal.shape + (size_t)j * b->dynamics.modal.block, packed);
        SUP_WIDE_PICK(fourier_take)(&b->net, packed, 0, b->net.group_count, q);
        for (uint32_t i = 0; i < points; ++i) {
            q[i] = v3_sub(b->dynamics.segments.q[j][i], q[i]);
            most = fmaxf(most, fmaxf(fabsf(q[i].x), fmaxf(fabsf(q[i].y), fabsf(q[i].z))));
        }
        scales[j] = most;
        for (uint32_t i = 0; most > 0 && i < 3 * points; ++i) halves[j][i] = to_half(((const float*)q)[i] / most);
    }
    sup_arena_destroy(beside);
    b->halves = (const uint16_t* const*)halves;
    b->scales = scales;
    return r;
}

static void take_swing(const void* link, const float* coefficients, void* scratch, sup_vec3* out)
{
    const fourier_bound* b = link;
    memset(out, 0, b->dynamics.point_count * sizeof *out);
    fourier_pack(b, coefficients, scratch);
    SUP_WIDE_PICK(fourier_take)(&b->net, scratch, 0, b->net.group_count, out);
}

/// If the examples themselves are kept in addition to the series, only waves that swing count. Short ones between many examples
/// do not.
static void leave_still(fourier_bound* b)
{
    if (b->residual != RESIDUAL_EXACT || b->dynamics.forces.count) return;
    for (uint32_t c = 0; c < b->net.curves.curve_count; ++c) {
        fourier_series* s = &b->net.series[c];
        while (s->taken && b->dynamics.modal.still[b->motion.mode[s->packed + s->taken - 1]]) --s->taken;
    }
}

/// Points take as much of their curves as may swing there. The rest of the examples is kept in addition to the series; without
/// a residual, and where forces move the same curves, points take all of it.
static sup_result limit_swing(fourier_bound* b, sup_arena* arena, sup_error* error)
{
    sup_swing swing = { b, take_swing, SUP_NEW(arena, float, 3 * (size_t)b->net.coefficient_count + SUP_LANES), b->settle,
                        b->sway };
    float*    limits;
    if (!swing.scratch) return sup_fail_memory(error, "fourier");
    if (b->residual == RESIDUAL_NONE || b->dynamics.forces.count) return SUP_OK;
    sup_result r = sup_residual_limit_swing(&b->dynamics.segments, &b->dynamics.modal, &swing, b->dynamics.point_count, arena,
                                            &limits, error);
    if (!r) fourier_net_limit_swing(&b->net, b->dynamics.point_count, limits);
    return r;
}

static sup_result bind(const sup_bind_input* in, sup_arena* arena, sup_binding* out, sup_error* error)
{
    const fourier_params* p = in->params;
    fourier_bound*        b = SUP_NEW(arena, fourier_bound, 1);
    if (!b) return sup_fail_memory(error, "fourier");
    sup_curve_dynamics* d = &b->dynamics;
    b->strength = p->strength, b->sway = p->sway, b->settle = p->settle, b->trusted = p->trust, b->residual = p->residual;
    float      angle = p->turning ? SUP_SECTIONS_ANGLE : 0;
    sup_result r = sup_curve_dynamics_begin(in, "fourier", rows, ROW_STRENGTH, p->lean, arena, d, error);
    if (!r) r = fourier_net_create(in, p, arena, &b->net, error);
    if (!r) r = sup_curve_dynamics_trust(in, &b->net.curves, angle, (sup_ramp)p->ramp, arena, d, error);
    if (!r) r = fourier_motion_create(in, p, &b->net, arena, d, &b->motion, error);
    if (!r) leave_still(b);
    if (!r) r = fourier_net_group(&b->net, d->point_count, arena, error);
    if (!r) r = limit_swing(b, arena, error);
    if (!r && p->residual == RESIDUAL_HALF) r = make_halves(b, arena, error);
    if (r) return r;
    fourier_note_curves(in, p, b);
    if (!fourier_note(in, b, arena, &b->save_note)) return sup_fail_memory(error, "fourier");
    fourier_frame frame;
    *out = (sup_binding){ .data = b, .scratch_size = cut_scratch(b, NULL, &frame), .state_size = sup_curve_state_size(d) };
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- a frame

static void blend_halves(const fourier_bound* b, const sup_residual* c, size_t offset, uint32_t floats, float* to)
{
    const uint16_t* in[SUP_RESIDUAL_MAX];
    float           share[SUP_RESIDUAL_MAX];
    for (uint32_t k = 0; k < c->count; ++k) {
        in[k] = b->halves[c->example[k]] + offset;
        share[k] = (float)c->share[k] * b->scales[c->example[k]];
    }
    SUP_WIDE_PICK(fourier_halves)(floats, in, share, c->count, to);
}

/// The part of the examples that is kept in addition to the series.
static void example_task(void* data, uint32_t begin, uint32_t end)
{
    const fourier_frame* f = data;
    const sup_residual*  c = &f->on.residual;
    float*               to = (float*)(f->on.q + begin);
    size_t               offset = 3 * (size_t)begin;
    // Chunks begin at multiples of eight points; the lists are padded at the end.
    uint32_t floats = (uint32_t)sup_align(3 * (end - begin), SUP_LANES);
    if (f->b->residual == RESIDUAL_NONE) memset(to, 0, floats * sizeof *to);
    else if (f->b->residual == RESIDUAL_HALF) blend_halves(f->b, c, offset, floats, to);
    else sup_residual_blend(c, (const float* const*)(const void*)f->b->dynamics.segments.q, offset, floats, to);
}

static void series_task(void* data, uint32_t begin, uint32_t end)
{
    const fourier_frame* f = data;
    SUP_WIDE_PICK(fourier_take)(&f->b->net, f->packed, begin, end, f->on.q);
}

/// q += the series with the current coefficients.
static void add_series(fourier_frame* f)
{
    fourier_pack(f->b, f->on.coefficients, f->packed);
    sup_tasks_run(f->on.frame->tasks, f->b->net.group_count, GROUP_GRAIN, series_task, f);
}

/// Adds lag and ringing and, where the series carry the examples, those too.
static void add_sway(fourier_frame* f, void* state)
{
    const sup_modal* m = &f->b->dynamics.modal;
    float            sway = f->p->sway;
    bool             sways = sway != 0 && sup_curve_frame_sway(&f->on, state, f->p->settle);
    for (uint32_t i = 0; sways && sway != 1 && i < m->block; ++i) f->on.coefficients[i] *= sway;
    bool carries = f->b->residual != RESIDUAL_EXACT;
    if (carries)
        sup_modal_shape(m, f->on.residual.count, f->on.residual.example, f->on.residual.share, sways, f->on.coefficients);
    if (sways || carries) add_series(f);
}

static void evaluate(const sup_binding* binding, const void* params, const sup_frame* frame, void* state, void* scratch,
                     sup_vec3* out)
{
    const fourier_bound*  b = binding->data;
    const fourier_params* p = params;
    fourier_frame         f = { .p = p };
    cut_scratch(b, scratch, &f);
    sup_curve_frame_begin(&f.on, frame, p->trust, SUP_GROWTH_NONE);
    sup_tasks_run(frame->tasks, b->dynamics.point_count, SUP_POINT_GRAIN, example_task, &f);
    add_sway(&f, state);
    sup_curve_frame_fade(&f.on);
    if (sup_curve_frame_forces(&f.on)) add_series(&f);
    sup_curve_frame_end(&f.on, p->strength, out);
    sup_stats_add(frame->stats, "fourier.carry_grows", b->dynamics.modal.growing);
    sup_stats_add(frame->stats, "fourier.curves_without_length", b->net.flat);
    sup_stats_add(frame->stats, "fourier.curves_with_fewer_waves", b->net.lowered);
    sup_stats_add(frame->stats, "fourier.points_without_curve", b->net.uncovered);
    sup_stats_add(frame->stats, "fourier.too_slow_to_swing",
                  b->dynamics.modal.segments && b->motion.fastest < FOURIER_SLOW_SWING);
}

static void reset(const sup_binding* binding, const void* params, const sup_frame* frame, void* state, void* scratch)
{
    (void)params;
    sup_curve_frame_reset(&((const fourier_bound*)binding->data)->dynamics, frame, state, scratch);
}

static void draw(const sup_binding* binding, const sup_pose* pose, const void* state, const sup_vec3* skin,
                 const sup_canvas* canvas)
{
    (void)pose, (void)state;
    const fourier_bound* b = binding->data;
    sup_curves_draw(&b->net.curves, skin, canvas);
    for (uint32_t i = 0; i < b->dynamics.point_count; ++i) {
        uint32_t limb = b->net.curves.limbs[i];
        canvas->point(canvas->user, "parts", skin[i], limb == SUP_NONE ? -1.0f : (float)(limb * 7u % 16u) / 15.0f);
    }
}

static void count(const sup_binding* binding, char* text, size_t size)
{
    const fourier_bound* b = binding->data;
    sup_format(text, size, "%u curves, %u coefficients for each of %u examples", b->net.curves.curve_count,
               b->net.coefficient_count, b->dynamics.segments.count);
}

static const char* save_note(const sup_binding* binding) { return ((const fourier_bound*)binding->data)->save_note; }

const sup_deformer sup_deformer_fourier = {
    .name = "fourier",
    .summary = "Dynamic skin between example sculpts as Fourier curves: any time at once, kilobytes, exact at every example",
    .paper = "Bian and others: A fully analytical approach to physics-based skin deformation, 2019",
    .needs = SUP_NEEDS_EXAMPLES,
    .conditions = sup_curve_conditions,
    .params = rows,
    .param_count = SUP_COUNT_OF(rows),
    .params_size = sizeof(fourier_params),
    .presets = presets,
    .bind = bind,
    .reset = reset,
    .evaluate = evaluate,
    .draw = draw,
    .save = SUP_HAS_RUNTIME_FILES ? fourier_save : NULL,
    .save_note = save_note,
    .count = count,
};
