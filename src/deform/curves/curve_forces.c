#include "deform/curves/curve_forces.h"

#include "base/internal.h"

typedef struct forces_maker {
    const sup_bind_input*   in;
    const sup_curve_forced* on;
    const sup_modal*        modal;
    sup_arena*              arena;
    sup_pose                pose;
    sup_error*              error;
} forces_maker;

static sup_result make_force(forces_maker* m, uint32_t number, sup_modal_force* out, uint32_t* curve)
{
    const sup_curve_forced* on = m->on;
    sup_force               f;
    double*                 values;
    sup_modal_entry*        entries = SUP_NEW(m->arena, sup_modal_entry, (size_t)on->most + 1);
    if (!entries) return sup_fail_memory(m->error, on->who);
    sup_world_plan_force(m->in->world, number, 0, &f);
    out->key_count = sup_world_plan_force_keys(m->in->world, number, &out->times, NULL, &out->steps);
    sup_result r = sup_curve_of_force(&f, on->who, on->curves, m->in->character->mesh.points, curve, m->error);
    if (r) return r;
    out->entry_count = on->enter(on->link, &f, *curve, entries);
    out->entries = entries;
    r = sup_curve_force_values(m->in, number, on->under(on->link, *curve), &m->pose, m->arena, &values, m->error);
    if (r) return r;
    out->values = values;
    r = sup_modal_force_wrap(out, m->in->cycle_begin, m->in->cycle_end, m->arena, m->error);
    return r ? r : sup_modal_force_prepare(m->modal, out, m->arena, m->error);
}

sup_result sup_curve_forces_create(const sup_bind_input* in, const sup_curve_forced* on, const sup_modal* modal,
                                   sup_arena* arena, sup_curve_forces* out, sup_error* error)
{
    uint32_t count = in->world ? sup_world_plan_force_count(in->world) : 0, made = 0;
    *out = (sup_curve_forces){ 0 };
    if (count == 0) return SUP_OK;
    forces_maker     m = { .in = in, .on = on, .modal = modal, .arena = arena, .error = error };
    sup_modal_force* forces = SUP_NEW(arena, sup_modal_force, count);
    uint32_t*        curves = SUP_NEW(arena, uint32_t, count);
    if (!forces || !curves) return sup_fail_memory(error, on->who);
    sup_result r = sup_pose_create(in->character, arena, &m.pose, error);
    for (uint32_t i = 0; i < count && !r; ++i) {
        sup_force f;
        sup_world_plan_force(in->world, i, 0, &f);
        if (f.kind != SUP_FORCE_CURVE) continue;
        r = make_force(&m, i, &forces[made], &curves[made]);
        ++made;
    }
    *out = (sup_curve_forces){ made, forces, curves };
    return r;
}
