// Running: one part is one task, from gathering its points to moving them; one color is one batch of tasks.
#include "base/internal.h"
#include "base/scratch_layout.h"
#include "solve/particles/subvolumes_internal.h"

#include <math.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------- one part

/// Places relative to the part's first point, which keeps precision far from the origin, and the shares of points; means after
/// their members.
static void gather_places(const sup_subvolumes* s, const subvolume_part* part, const sup_vec4* x, const float* weights,
                          const subvolume_center* centers, sup_vec4* places)
{
    const uint32_t* list = s->points + 8 * (size_t)part->block_begin;
    uint32_t        filled = 8 * part->block_count;
    sup_vec4        origin = filled ? x[list[0]] : (sup_vec4){ 0, 0, 0, 0 };
    origin.w = 0;
    for (uint32_t k = 0; k < part->point_count; ++k) {
        f4 p = f4_load(&x[list[k]].x) - f4_load(&origin.x);
        if (weights) p *= (f4){ 1, 1, 1, weights[list[k]] };
        memcpy(&places[k], &p, sizeof p);
    }
    for (uint32_t k = part->point_count; k < filled; ++k) places[k] = (sup_vec4){ 0, 0, 0, 0 };
    for (uint32_t k = 0; k < part->extra_count; ++k) {
        const subvolume_extra* e = &s->extras[part->extra_begin + k];
        sup_vec3               sum = v3(0, 0, 0);
        if (e->center != SUP_NONE) {
            sum = v3_sub(centers[e->center].at, sup_particle_place(&origin));
        } else {
            for (uint32_t i = e->begin; i < e->end; ++i) sum = v3_add(sum, sup_particle_place(&places[s->members[i]]));
            sum = v3_scale(sum, e->end > e->begin ? 1.0f / (float)(e->end - e->begin) : 0);
        }
        places[filled + k] = (sup_vec4){ sum.x, sum.y, sum.z, 0 };
    }
}

/// Like sup_subvolume_slopes, for a corner of a fan.
static sup_vec3 extra_gradient(const sup_subvolumes* s, const subvolume_extra* e, const sup_vec4* places, sup_vec3 a)
{
    sup_vec3 sum = v3(0, 0, 0), p = v3_sub(sup_particle_place(&places[s->extra_paths[e->path_begin]]), a);
    for (uint32_t i = e->path_begin + 1; i < e->path_end; ++i) {
        sup_vec3 q = v3_sub(sup_particle_place(&places[s->extra_paths[i]]), a);
        sum = v3_add(sum, v3_cross(p, q));
        p = q;
    }
    return v3_scale(sum, 1.0f / 6.0f);
}

/// What moves a mean moves its members.
static void share_gradient(const sup_subvolumes* s, const subvolume_extra* e, sup_vec3 gradient,
                           const subvolume_workspace* workspace)
{
    float share = e->end > e->begin ? 1.0f / (float)(e->end - e->begin) : 0;
    for (uint32_t i = e->begin; i < e->end; ++i) {
        uint32_t k = s->members[i];
        float*   block = &workspace->gradients[k - k % 8].x + k % 8;
        block[0] += share * gradient.x;
        block[8] += share * gradient.y;
        block[16] += share * gradient.z;
    }
}

double sup_subvolume_measure(const sup_subvolumes* s, const subvolume_part* part, const sup_vec4* x, const float* weights,
                             const subvolume_center* centers, sup_vec4* work)
{
    subvolume_workspace workspace = subvolume_workspace_of(part, work);
    gather_places(s, part, x, weights, centers, workspace.places);
    double three = SUP_WIDE_PICK(sup_subvolume_slopes)(s, part, &workspace);
    for (uint32_t k = 0; k < part->extra_count; ++k) {
        const subvolume_extra* e = &s->extras[part->extra_begin + k];
        sup_vec3               a = sup_particle_place(&workspace.places[8 * (size_t)part->block_count + k]);
        sup_vec3               g = extra_gradient(s, e, workspace.places, a);
        three += (double)g.x * (double)a.x + (double)g.y * (double)a.y + (double)g.z * (double)a.z;
        if (e->center == SUP_NONE) share_gradient(s, e, g, &workspace);
        sup_particle_pin(&workspace.extra_gradients[k], g);
    }
    return three / 3;
}

// ---------------------------------------------------------------------------------------------- scratch

typedef struct layout {
    subvolume_center* centers;
    sup_vec4*         work;
    double*           stiffness; // per part, for calm
    uint8_t*          marks;     // per part: what happened
} layout;

enum { MARK_SHORTENED = 1, MARK_SKIPPED = 2 };

static layout place_layout(const sup_subvolumes* s, void* scratch, size_t* bytes)
{
    sup_layout at = { .base = scratch };
    layout     l = { .centers = sup_layout_add(&at, s->volumes->center_count, sizeof *l.centers) };
    l.work = sup_layout_add(&at, s->work_count, sizeof *l.work);
    l.stiffness = sup_layout_add(&at, s->part_count, sizeof *l.stiffness);
    l.marks = sup_layout_add(&at, s->part_count, sizeof *l.marks);
    if (bytes) *bytes = at.used;
    return l;
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
        if (v->center_begin[c] == v->center_begin[c + 1]) continue; // a mean, computed with its points
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
    bool                       first; // round over v
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
        subvolume_workspace workspace = subvolume_workspace_of(part, r->l.work);
        double         volume = sup_subvolume_measure(r->s, part, call->x, call->weights, r->l.centers, r->l.work), scale;
        double         target = part->rest * (double)call->bulge * (call->bulges ? (double)call->bulges[p] : 1);
        float          largest;
        double              sum = SUP_WIDE_PICK(sup_subvolume_stiffness)(part, &workspace, &largest);
        float          fraction = sup_volume_step((double)call->amount * (target - volume), sum, largest, call->limit, &scale);
        if (fraction > 0) SUP_WIDE_PICK(sup_subvolume_move)(r->s, part, &workspace, (float)scale, call->x);
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

static void measure_parts(void* data, uint32_t begin, uint32_t end)
{
    const sweep* r = data;
    for (uint32_t p = begin; p < end; ++p)
        r->out[p] = sup_subvolume_measure(r->s, &r->s->parts[p], r->call->x, r->call->weights, r->l.centers, r->l.work);
}

// F = sum of gradient . v, the centers included, is dV/dt of the part: v -= share gradient F / (sum of share |gradient|^2).
static void calm_parts(void* data, uint32_t begin, uint32_t end)
{
    const sweep* r = data;
    for (uint32_t i = begin; i < end; ++i) {
        const subvolume_part* part = &r->s->parts[r->parts[i]];
        subvolume_workspace   workspace = subvolume_workspace_of(part, r->l.work);
        double                flux = 0, *sum = &r->l.stiffness[r->parts[i]];
        float                 largest;
        if (part->idle) continue;
        if (r->first) {
            sup_subvolume_measure(r->s, part, r->call->x, r->call->weights, r->l.centers, r->l.work);
            *sum = SUP_WIDE_PICK(sup_subvolume_stiffness)(part, &workspace, &largest);
        }
        for (uint32_t k = 0; k < part->extra_count; ++k) {
            uint32_t center = r->s->extras[part->extra_begin + k].center;
            if (center == SUP_NONE) continue;
            flux += (double)v3_dot(sup_particle_place(&workspace.extra_gradients[k]), r->l.centers[center].velocity);
        }
        flux += SUP_WIDE_PICK(sup_subvolume_flux)(r->s, part, &workspace, r->v);
        if (*sum > 0 && isfinite(flux / *sum))
            SUP_WIDE_PICK(sup_subvolume_move)(r->s, part, &workspace, (float)(-flux / *sum), r->v);
    }
}

void sup_subvolumes_calm(const sup_subvolumes* s, const sup_subvolumes_call* call, sup_vec4* v)
{
    SUP_ASSERT(call->x && call->scratch && v);
    sweep r = { .s = s, .call = call, .l = place_layout(s, call->scratch, NULL), .v = v };
    for (int turn = 0; turn < 2; ++turn) {
        r.first = turn == 0; // places, and therefore gradients, do not change
        for_colors(&r, calm_parts);
    }
}

void sup_subvolumes_measure(const sup_subvolumes* s, const sup_vec4* x, const sup_tasks* tasks, void* scratch, double* out)
{
    // The particles are only read here; the call takes them writable for project.
    sup_subvolumes_call call = { .x = (sup_vec4*)(uintptr_t)x, .tasks = tasks, .scratch = scratch };
    sweep               r = { .s = s, .call = &call, .l = place_layout(s, scratch, NULL), .out = out };
    sup_tasks_run(tasks, s->part_count, 1, measure_parts, &r);
}
