// What all links with swinging curves bind the same way.
#include "deform/curves/curve_dynamics.h"

#include "base/internal.h"
#include "math/trig.h"

#include <math.h>

const char* const sup_curve_continuities[] = { "auto", "carry", "hermite", "restart", NULL };
const char* const sup_curve_laws[] = { "uniform", "mass", "stiffness", NULL };

sup_result sup_curve_dynamics_begin(const sup_bind_input* in, const char* who, const sup_param* rows, uint32_t strength,
                                    bool lean, sup_arena* arena, sup_curve_dynamics* out, sup_error* error)
{
    bool plain = in->character->example_count == 0 && (in->show || sup_curve_forces_any(in->world));
    *out = (sup_curve_dynamics){ .point_count = in->character->mesh.point_count,
                                 .strength_row = &rows[strength],
                                 .strength = in->fields[strength] };
    return plain ? sup_segments_plain(in, who, arena, &out->segments, error)
                 : sup_segments_create_as(in, who, lean, arena, &out->segments, error);
}

sup_result sup_curve_dynamics_trust(const sup_bind_input* in, const sup_curves* curves, float angle, sup_ramp ramp,
                                    sup_arena* arena, sup_curve_dynamics* d, sup_error* error)
{
    sup_result r = SUP_OK;
    if (angle > 0) r = sup_sections_create(in->character, curves, angle, &d->segments, arena, &d->sections, error);
    if (!r) r = sup_residual_trust_create(in->character, &d->segments, &d->sections, arena, &d->trust, error);
    return r ? r : sup_residual_beside(in, &d->trust, &d->segments, ramp, arena, &d->beside, error);
}

// ---------------------------------------------------------------------------------------------- modes

sup_result sup_mode_maker_begin(const sup_bind_input* in, const char* who, uint32_t most, sup_arena* arena,
                                sup_curve_dynamics* d, sup_mode_maker* out, sup_error* error)
{
    *out = (sup_mode_maker){ .in = in, .who = who, .d = d, .arena = arena, .error = error };
    out->beside = sup_arena_beside(arena);
    out->unit = sup_modal_unit(&d->segments, in->cycle_begin, in->cycle_end);
    if (!out->beside) return sup_fail_memory(error, who);
    out->free = SUP_NEW(out->beside, sup_oscillator, most);
    out->begin = SUP_NEW(out->beside, uint32_t, (size_t)most + 1);
    return out->free && out->begin ? SUP_OK : sup_fail_memory(error, who);
}

sup_oscillator sup_mode_oscillator(float cycles, float damping, int law, double stiffness, sup_ramp ramp)
{
    double w1 = 2 * SUP_PI * (double)cycles, w = w1 * sqrt(stiffness);
    double eta = 2 * (double)damping * (law == SUP_LAW_MASS ? w1 : law == SUP_LAW_STIFFNESS ? w * w / w1 : w);
    return sup_oscillator_make(1, eta, w * w, ramp);
}

sup_result sup_mode_maker_shapes(sup_mode_maker* m)
{
    m->shape = SUP_NEW(m->beside, double*, m->d->segments.count);
    for (uint32_t j = 0; m->shape && j < m->d->segments.count; ++j) {
        m->shape[j] = SUP_NEW(m->beside, double, (size_t)m->begin[m->modes] + 1);
        if (!m->shape[j]) return sup_fail_memory(m->error, m->who);
    }
    return m->shape ? SUP_OK : sup_fail_memory(m->error, m->who);
}

sup_result sup_mode_maker_modal(sup_mode_maker* m, int ramp, int continuity, float hold)
{
    sup_modal_desc desc = { .segments = &m->d->segments,
                            .cycle_begin = m->in->cycle_begin,
                            .cycle_end = m->in->cycle_end,
                            .modes = m->modes,
                            .free = m->free,
                            .begin = m->begin,
                            .shape = (const double* const*)m->shape,
                            .ramp = (sup_ramp)ramp,
                            .continuity = (sup_continuity)continuity,
                            .fade = continuity == SUP_CONTINUITY_AUTO && hold > 0 ? 1 / (double)hold : 0 };
    return sup_modal_create(&desc, m->arena, &m->d->modal, m->error);
}

sup_result sup_mode_maker_end(sup_mode_maker* m, const sup_curve_forced* on, sup_result so_far)
{
    sup_result r = so_far;
    if (!r) r = sup_curve_forces_create(m->in, on, &m->d->modal, m->arena, &m->d->forces, m->error);
    sup_arena_destroy(m->beside);
    return r;
}

// ---------------------------------------------------------------------------------------------- what the runner asks

size_t sup_curve_state_size(const sup_curve_dynamics* d)
{
    return d->segments.posed ? 2 * (size_t)d->modal.block * sizeof(double) + 64 : 0;
}

static bool goes_beside(const sup_bind_input* in, const sup_binding* binding)
{
    (void)in;
    const sup_beside* beside = &((const sup_curve_dynamics*)binding->data)->beside;
    return beside->off || beside->ahead;
}

const sup_condition sup_curve_conditions[] = {
    { "poses_beside_the_way", "poses beside the way between the examples", "give a clip that leaves it, or another joint",
      goes_beside },
    { 0 },
};
