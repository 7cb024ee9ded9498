// The stages of a frame of swinging curves, in order.
#include "base/internal.h"
#include "deform/curves/curve_dynamics.h"
#include "math/vec.h"

#include <string.h>

void sup_curve_frame_cut(const sup_curve_dynamics* d, sup_layout* l, sup_curve_frame* out)
{
    *out = (sup_curve_frame){ .d = d };
    out->q = sup_layout_add(l, (size_t)d->point_count + SUP_LANES, sizeof *out->q);
    out->coefficients = sup_layout_add(l, (size_t)d->modal.block + SUP_LANES, sizeof *out->coefficients);
    for (int i = 0; i < 2; ++i) out->weights[i] = sup_layout_add(l, d->segments.count, sizeof *out->weights[i]);
    out->stations = sup_layout_add(l, d->sections.station_count, sizeof *out->stations);
    out->trust = sup_layout_add(l, sup_trust_scratch(&d->trust), 1);
    out->push = sup_layout_add(l, sup_push_scratch(&d->segments.push), 1);
}

// ---------------------------------------------------------------------------------------------- begin

/// The examples around a moment with their shares; extrapolated beyond the last where displacements keep growing.
static sup_residual residual_at(const sup_modal* modal, sup_curve_growth growth, sup_modal_moment* at)
{
    if (!(at->beyond > 0) || growth == SUP_GROWTH_NONE) return sup_residual_by_time(modal, at);
    sup_residual c = { .count = 0 };
    double       reach = 1 + at->beyond / at->span;
    if (growth == SUP_GROWTH_DYNAMIC) at->reach = reach;
    sup_residual_add(&c, at->from, 1 - reach);
    sup_residual_add(&c, at->to, reach);
    return c;
}

void sup_curve_frame_begin(sup_curve_frame* f, const sup_frame* frame, bool trust, sup_curve_growth growth)
{
    const sup_curve_dynamics* d = f->d;
    f->frame = frame;
    if (d->segments.posed) {
        f->residual = sup_residual_by_pose(&d->segments, frame->end, f->weights[1]);
        f->trusted = sup_residual_trust_live(&d->trust, frame, trust, f->trust);
        return;
    }
    f->at = sup_modal_find(&d->modal, frame->time);
    f->residual = residual_at(&d->modal, growth, &f->at);
    f->trusted = sup_residual_trust_find(&d->trust, &d->modal, &f->at, growth != SUP_GROWTH_NONE, frame, trust, f->trust);
}

// ---------------------------------------------------------------------------------------------- sway and forces

bool sup_curve_frame_sway(const sup_curve_frame* f, void* state, bool settle)
{
    const sup_curve_dynamics* d = f->d;
    if (!d->segments.posed) return sup_modal_sway(&d->modal, &f->at, settle, f->coefficients);
    if (!state) return false;
    sup_segments_weights_at(&d->segments, f->frame->dt > 0 ? f->frame->start : f->frame->end, f->weights[0]);
    sup_modal_step(&d->modal, f->frame->dt, f->weights[0], f->weights[1], state, f->coefficients);
    return true;
}

bool sup_curve_frame_forces(const sup_curve_frame* f)
{
    const sup_curve_dynamics* d = f->d;
    if (d->forces.count == 0) return false;
    memset(f->coefficients, 0, d->modal.block * sizeof *f->coefficients);
    for (uint32_t i = 0; i < d->forces.count; ++i)
        sup_modal_force_add(&d->modal, &d->forces.forces[i], f->frame->time, f->coefficients);
    return true;
}

// ---------------------------------------------------------------------------------------------- fade and end

static void fade_task(void* data, uint32_t begin, uint32_t end)
{
    const sup_curve_frame* f = data;
    const sup_vec3* const* shapes = f->d->segments.q;
    SUP_WIDE_PICK(sup_trust_apply)(&f->trusted.trusted, shapes[f->trusted.from], shapes[f->trusted.to], begin, end, f->q);
}

void sup_curve_frame_fade(const sup_curve_frame* f)
{
    if (f->trusted.trusted.share) sup_tasks_run(f->frame->tasks, f->d->point_count, SUP_POINT_GRAIN, fade_task, (void*)f);
}

static void turn_task(void* data, uint32_t begin, uint32_t end)
{
    const sup_curve_frame* f = data;
    const sup_vec3*        rest = f->d->segments.push.character->mesh.points;
    SUP_WIDE_PICK(sup_sections_turn)(&f->d->sections, f->stations, rest, begin, end, f->q);
}

typedef struct strength_job {
    const sup_curve_frame* f;
    float                  strength;
} strength_job;

static void strength_task(void* data, uint32_t begin, uint32_t end)
{
    const strength_job*       j = data;
    const sup_curve_dynamics* d = j->f->d;
    for (uint32_t i = begin; i < end; ++i)
        j->f->q[i] = v3_scale(j->f->q[i], sup_field_value(d->strength_row, &d->strength, j->strength, i));
}

void sup_curve_frame_end(const sup_curve_frame* f, float strength, sup_vec3* out)
{
    const sup_curve_dynamics* d = f->d;
    const sup_tasks*          tasks = f->frame->tasks;
    if (d->sections.station_count) {
        float share[SUP_RESIDUAL_MAX];
        for (uint32_t k = 0; k < f->residual.count; ++k) share[k] = (float)f->residual.share[k];
        sup_residual_turn(&d->sections, f->residual.example, share, f->residual.count, &f->trusted, d->point_count,
                          f->stations);
        sup_tasks_run(tasks, d->point_count, SUP_POINT_GRAIN, turn_task, (void*)f);
    }
    strength_job job = { f, strength };
    if (strength != 1 || d->strength.scale) sup_tasks_run(tasks, d->point_count, SUP_POINT_GRAIN, strength_task, &job);
    sup_push_forward(&d->segments.push, f->frame, f->q, f->push, out);
}

void sup_curve_frame_reset(const sup_curve_dynamics* d, const sup_frame* frame, void* state, void* scratch)
{
    sup_layout      l = { .base = scratch };
    sup_curve_frame f;
    sup_curve_frame_cut(d, &l, &f);
    sup_segments_weights_at(&d->segments, frame->end, f.weights[0]);
    sup_modal_reset(&d->modal, f.weights[0], state);
}
