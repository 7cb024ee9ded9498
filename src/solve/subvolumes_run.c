// Running: one part is one task, from gathering its points to moving them; a color is one round of tasks.
#include "base/internal.h"
#include "solve/subvolumes_internal.h"

#include <math.h>

// ---------------------------------------------------------------------------------------------- one part

/// Places relative to the part's first point, so that far from the origin nothing is lost; means after their members.
static void gather_places(const sup_subvolumes* s, const subvolume_part* part, const sup_vec4* x,
                          const subvolume_center* centers, sup_vec3* places)
{
    const uint32_t* list = s->points + part->point_begin;
    if (part->point_count == 0) return;
    sup_vec3 origin = sup_particle_place(&x[list[0]]);
    for (uint32_t k = 0; k < part->point_count; ++k) places[k] = v3_sub(sup_particle_place(&x[list[k]]), origin);
    for (uint32_t k = 0; k < part->extra_count; ++k) {
        const subvolume_extra* e = &s->extras[part->extra_begin + k];
        sup_vec3               sum = v3(0, 0, 0);
        if (e->center != SUP_NONE) {
            places[part->point_count + k] = v3_sub(centers[e->center].at, origin);
            continue;
        }
        for (uint32_t i = e->begin; i < e->end; ++i) sum = v3_add(sum, places[s->members[i]]);
        places[part->point_count + k] = v3_scale(sum, e->end > e->begin ? 1.0f / (float)(e->end - e->begin) : 0);
    }
}

/// A third of the area vector of every corner's fan. The fan is closed, so measuring from the corner itself is exact.
static void add_gradients(const uint32_t* corners, uint32_t count, const sup_vec3* places, sup_vec3* gradients)
{
    for (uint32_t t = 0; t < count; ++t, corners += 3) {
        sup_vec3 a = places[corners[0]];
        sup_vec3 n = v3_cross(v3_sub(places[corners[1]], a), v3_sub(places[corners[2]], a));
        for (int k = 0; k < 3; ++k) gradients[corners[k]] = v3_add(gradients[corners[k]], n);
    }
}

/// What moves a mean moves its members.
static void share_gradients(const sup_subvolumes* s, const subvolume_part* part, sup_vec3* gradients)
{
    for (uint32_t k = 0; k < part->extra_count; ++k) {
        const subvolume_extra* e = &s->extras[part->extra_begin + k];
        if (e->center != SUP_NONE) continue;
        float share = e->end > e->begin ? 1.0f / (float)(e->end - e->begin) : 0;
        for (uint32_t i = e->begin; i < e->end; ++i)
            gradients[s->members[i]] = v3_mad(gradients[s->members[i]], share, gradients[part->point_count + k]);
        gradients[part->point_count + k] = v3(0, 0, 0);
    }
}

double sup_subvolume_measure(const sup_subvolumes* s, const subvolume_part* part, const sup_vec4* x,
                             const subvolume_center* centers, sup_vec3* work)
{
    uint32_t  count = part->point_count + part->extra_count;
    sup_vec3 *places = work, *gradients = work + count;
    gather_places(s, part, x, centers, places);
    for (uint32_t k = 0; k < count; ++k) gradients[k] = v3(0, 0, 0);
    add_gradients(s->corners + 3 * (size_t)part->triangle_begin, part->triangle_end - part->triangle_begin, places, gradients);
    double three = 0;
    for (uint32_t k = 0; k < count; ++k) {
        gradients[k] = v3_scale(gradients[k], 1.0f / 6.0f);
        three += (double)gradients[k].x * (double)places[k].x + (double)gradients[k].y * (double)places[k].y +
                 (double)gradients[k].z * (double)places[k].z;
    }
    share_gradients(s, part, gradients);
    return three / 3;
}

// ---------------------------------------------------------------------------------------------- scratch

typedef struct layout {
    subvolume_center* centers;
    sup_vec3*         work;
    uint8_t*          marks; // per part: what happened
} layout;

enum { MARK_SHORTENED = 1, MARK_SKIPPED = 2 };

static layout place_layout(const sup_subvolumes* s, void* scratch, size_t* bytes)
{
    uint8_t* at = scratch;
    size_t   centers = sup_align(s->volumes->center_count * sizeof(subvolume_center), 64);
    size_t   work = sup_align(s->work_count * sizeof(sup_vec3), 64);
    if (bytes) *bytes = centers + work + sup_align(s->part_count, 64);
    if (!at) return (layout){ 0 };
    return (layout){ (void*)at, (void*)(at + centers), at + centers + work };
}

size_t sup_subvolumes_scratch(const sup_subvolumes* s)
{
    size_t bytes;
    place_layout(s, NULL, &bytes);
    return bytes;
}

void sup_subvolumes_place(const sup_subvolumes* s, const sup_affine* carriers, float dt, void* scratch)
{
    const sup_volumes* v = s->volumes;
    layout             l = place_layout(s, scratch, NULL);
    for (uint32_t c = 0; c < v->center_count; ++c) {
        if (v->center_begin[c] == v->center_begin[c + 1]) continue; // a mean, found with its points
        double at[3];
        sup_volumes_point(v, NULL, carriers, v->point_count + v->hole_count + c, at);
        sup_vec3 now = v3((float)at[0], (float)at[1], (float)at[2]);
        l.centers[c].velocity = dt > 0 ? v3_scale(v3_sub(now, l.centers[c].at), 1.0f / dt) : v3(0, 0, 0);
        l.centers[c].at = now;
    }
}

// ---------------------------------------------------------------------------------------------- all parts

typedef struct sweep {
    const sup_subvolumes*      s;
    const sup_subvolumes_call* call;
    layout                     l;
    const uint32_t*            parts; // of the color
    sup_vec4*                  v;
    double*                    out;
} sweep;

static void for_colors(sweep* r, sup_task_fn* task)
{
    for (uint32_t c = 0; c < r->s->color_count; ++c) {
        r->parts = r->s->color_parts + r->s->color_begin[c];
        sup_tasks_run(r->call->tasks, r->s->color_begin[c + 1] - r->s->color_begin[c], 1, task, r);
    }
}

static void project_parts(void* data, uint32_t begin, uint32_t end)
{
    const sweep*               r = data;
    const sup_subvolumes_call* call = r->call;
    for (uint32_t i = begin; i < end; ++i) {
        uint32_t              p = r->parts[i];
        const subvolume_part* part = &r->s->parts[p];
        r->l.marks[p] = 0;
        if (part->idle) continue;
        sup_vec3* work = r->l.work + part->work;
        double    volume = sup_subvolume_measure(r->s, part, call->x, r->l.centers, work);
        double    target = part->rest * (double)call->bulge * (call->bulges ? (double)call->bulges[p] : 1);
        target = volume + (double)call->amount * (target - volume);
        float fraction = sup_volume_project(part->point_count, r->s->points + part->point_begin,
                                            work + part->point_count + part->extra_count, call->weights, volume, target,
                                            call->limit, call->x);
        r->l.marks[p] = fraction == 0 ? MARK_SKIPPED : fraction < 1 ? MARK_SHORTENED : 0;
    }
}

sup_subvolumes_report sup_subvolumes_project(const sup_subvolumes* s, const sup_subvolumes_call* call)
{
    SUP_ASSERT(call->x && call->scratch);
    sup_subvolumes_report report = { 0, 0 };
    sweep                 r = { .s = s, .call = call, .l = place_layout(s, call->scratch, NULL) };
    if (!(call->amount > 0)) return report;
    for_colors(&r, project_parts);
    for (uint32_t p = 0; p < s->part_count; ++p) {
        report.shortened += r.l.marks[p] == MARK_SHORTENED;
        report.skipped += r.l.marks[p] == MARK_SKIPPED;
    }
    return report;
}

static void measure_gradients(void* data, uint32_t begin, uint32_t end)
{
    const sweep* r = data;
    for (uint32_t p = begin; p < end; ++p) {
        double volume = sup_subvolume_measure(r->s, &r->s->parts[p], r->call->x, r->l.centers, r->l.work + r->s->parts[p].work);
        if (r->out) r->out[p] = volume;
    }
}

static void calm_parts(void* data, uint32_t begin, uint32_t end)
{
    const sweep* r = data;
    for (uint32_t i = begin; i < end; ++i) {
        const subvolume_part* part = &r->s->parts[r->parts[i]];
        const sup_vec3*       gradients = r->l.work + part->work + part->point_count + part->extra_count;
        double                moving = 0;
        if (part->idle) continue;
        for (uint32_t k = 0; k < part->extra_count; ++k) {
            uint32_t center = r->s->extras[part->extra_begin + k].center;
            if (center != SUP_NONE) moving += (double)v3_dot(gradients[part->point_count + k], r->l.centers[center].velocity);
        }
        sup_volume_flux(part->point_count, r->s->points + part->point_begin, gradients, r->call->weights, r->call->x, moving,
                        r->v);
    }
}

void sup_subvolumes_calm(const sup_subvolumes* s, const sup_subvolumes_call* call, sup_vec4* v)
{
    SUP_ASSERT(call->x && call->scratch && v);
    sweep r = { .s = s, .call = call, .l = place_layout(s, call->scratch, NULL), .v = v };
    sup_tasks_run(call->tasks, s->part_count, 1, measure_gradients, &r);
    for (int turn = 0; turn < 2; ++turn) for_colors(&r, calm_parts);
}

void sup_subvolumes_measure(const sup_subvolumes* s, const sup_vec4* x, const sup_tasks* tasks, void* scratch, double* out)
{
    // The particles are only read here; the call has them writable for project.
    sup_subvolumes_call call = { .x = (sup_vec4*)(uintptr_t)x, .tasks = tasks, .scratch = scratch };
    sweep               r = { .s = s, .call = &call, .l = place_layout(s, scratch, NULL), .out = out };
    sup_tasks_run(tasks, s->part_count, 1, measure_gradients, &r);
}
