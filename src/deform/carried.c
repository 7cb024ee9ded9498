#include "deform/carried.h"
#include "math/vec.h"

enum { GRAIN = 4096 };

void sup_carried_add(sup_carried* c, uint32_t example, double share)
{
    if (share == 0 || c->count == SUP_CARRIED_MAX) return;
    c->example[c->count] = example;
    c->share[c->count++] = share;
}

sup_carried sup_carried_by_pose(const sup_segments* segments, const sup_pose* pose, float* weights)
{
    sup_carried c = { .count = 0 };
    sup_segments_weigh(segments, pose, weights);
    for (uint32_t j = 0; j < segments->count; ++j) sup_carried_add(&c, j, (double)weights[j]);
    return c;
}

sup_carried sup_carried_by_time(const sup_modal* modal, const sup_modal_moment* at)
{
    sup_carried c = { .count = 0 };
    uint32_t    examples[4];
    double      shares[4];
    uint32_t    count = sup_modal_carry(modal, at, examples, shares);
    for (uint32_t i = 0; i < count; ++i) sup_carried_add(&c, examples[i], shares[i]);
    return c;
}

static void turn_task(void* data, uint32_t begin, uint32_t end)
{
    const sup_carried_finish* f = data;
    SUP_WIDE_PICK(sup_sections_turn)(f->sections, f->stations, f->rest, begin, end, f->q);
}

static void weaken_task(void* data, uint32_t begin, uint32_t end)
{
    const sup_carried_finish* f = data;
    for (uint32_t i = begin; i < end; ++i) f->q[i] = v3_scale(f->q[i], sup_field_value(f->row, f->field, f->strength, i));
}

void sup_carried_end(const sup_carried* c, const sup_carried_finish* finish, const sup_tasks* tasks)
{
    sup_carried_finish f = *finish;
    if (f.sections->station_count) {
        float share[SUP_CARRIED_MAX];
        for (uint32_t k = 0; k < c->count; ++k) share[k] = (float)c->share[k];
        sup_sections_prepare(f.sections, c->example, share, c->count, f.stations);
        sup_tasks_run(tasks, f.point_count, GRAIN, turn_task, &f);
    }
    if (f.strength != 1 || f.field->scale) sup_tasks_run(tasks, f.point_count, GRAIN, weaken_task, &f);
}
