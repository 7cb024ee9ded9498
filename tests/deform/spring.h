/// tests/deform/spring.h: points on damped springs. A dynamic deformer that exists only here, to prove the clock before any
/// physics is built on it.
#ifndef SUP_TESTS_SPRING_H
#define SUP_TESTS_SPRING_H

#include "base/internal.h"
#include "math/vec.h"
#include "supple/deformer.h"

typedef struct spring_params {
    float stiffness, damping, gravity;
    int   copies;
    bool  enabled;
    int   mode;
} spring_params;

static const char* const spring_modes[] = { "semi_implicit", "held", NULL };

static const sup_param spring_rows[] = {
    { "stiffness", SUP_PARAM_FLOAT, SUP_STAGE_FRAME, offsetof(spring_params, stiffness), .varies = SUP_VARIES_POINT, .min = 0,
      .max = 2000, .standard = 600, .unit = "1/s^2", .help = "Pull towards the posed point" },
    { "damping", SUP_PARAM_FLOAT, SUP_STAGE_FRAME, offsetof(spring_params, damping), .varies = SUP_VARIES_BONE, .min = 0,
      .max = 50, .standard = 4, .unit = "1/s", .help = "Share of the speed lost per second" },
    { "gravity", SUP_PARAM_FLOAT, SUP_STAGE_FRAME, offsetof(spring_params, gravity), .min = 0, .max = 2, .standard = 1,
      .unit = "", .help = "Fraction of the world's gravity that acts" },
    { "copies", SUP_PARAM_INT, SUP_STAGE_BIND, offsetof(spring_params, copies), .min = 1, .max = 4, .standard = 1, .unit = "",
      .help = "Nothing but a bind-stage number" },
    { "enabled", SUP_PARAM_BOOL, SUP_STAGE_FRAME, offsetof(spring_params, enabled), .standard = 1, .unit = "",
      .help = "A switch" },
    { "mode", SUP_PARAM_CHOICE, SUP_STAGE_FRAME, offsetof(spring_params, mode), .standard = 0, .choices = spring_modes,
      .unit = "", .help = "A choice" },
};

static const char* const spring_soft[][2] = { { "stiffness", "90" }, { "damping", "1" }, { NULL, NULL } };
static const sup_preset  spring_presets[] = { { "soft", "Swings for long", spring_soft }, { NULL, NULL, NULL } };

typedef struct spring_bound {
    uint32_t  points;
    sup_field stiffness;
} spring_bound;

typedef struct spring_point {
    sup_vec3 x, v;
} spring_point;

static sup_result spring_bind(const sup_bind_input* in, sup_arena* arena, sup_binding* out, sup_error* error)
{
    spring_bound* b = SUP_NEW(arena, spring_bound, 1);
    if (!b) return sup_fail_memory(error, "springs");
    *b = (spring_bound){ in->character->mesh.point_count, in->fields[0] };
    *out = (sup_binding){ .data = b, .state_size = b->points * sizeof(spring_point) };
    return SUP_OK;
}

static void spring_reset(const sup_binding* binding, const void* params, const sup_frame* frame, void* state, void* scratch)
{
    (void)params, (void)scratch;
    const spring_bound* b = binding->data;
    spring_point*       p = state;
    for (uint32_t i = 0; i < b->points; ++i) p[i] = (spring_point){ frame->points[i], v3(0, 0, 0) };
}

typedef struct spring_job {
    const spring_bound*  bound;
    const spring_params* params;
    const sup_frame*     frame;
    spring_point*        points;
    sup_vec3*            out;
} spring_job;

static void spring_task(void* data, uint32_t begin, uint32_t end)
{
    const spring_job* j = data;
    const sup_frame*  f = j->frame;
    float             dt = (float)f->dt;
    for (uint32_t i = begin; i < end; ++i) {
        spring_point p = j->points[i];
        if (f->carried) {
            p.x = rigid_point(&f->carry, p.x);
            p.v = quat_rotate(f->carry.rotation, p.v);
        }
        if (dt > 0) {
            float    k = sup_field_value(&spring_rows[0], &j->bound->stiffness, j->params->stiffness, i);
            float    c = f->settling ? 20.0f : j->params->damping;
            sup_vec3 a = v3_mad(v3_scale(v3_sub(f->points[i], p.x), k), j->params->gravity, f->world->gravity);
            p.v = v3_scale(v3_mad(p.v, dt, a), 1.0f / (1.0f + c * dt));
            p.x = v3_mad(p.x, dt, p.v);
            if (j->params->mode == 1) p = (spring_point){ f->points[i], v3(0, 0, 0) };
        }
        j->points[i] = p;
        j->out[i] = j->params->enabled ? p.x : f->points[i];
    }
}

static void spring_evaluate(const sup_binding* binding, const void* params, const sup_frame* frame, void* state, void* scratch,
                            sup_vec3* out)
{
    (void)scratch;
    const spring_bound* b = binding->data;
    spring_job          job = { b, params, frame, state, out };
    sup_tasks_run(frame->tasks, b->points, 64, spring_task, &job);
}

static void spring_draw(const sup_binding* binding, const sup_pose* pose, const void* state, const sup_vec3* skin,
                        const sup_canvas* canvas)
{
    (void)pose;
    const spring_bound* b = binding->data;
    const spring_point* p = state;
    for (uint32_t i = 0; i < b->points; ++i) canvas->line(canvas->user, "lag", skin[i], p[i].x, -1.0f);
}

static const sup_deformer spring = {
    .name = "spring",
    .summary = "Points on damped springs",
    .paper = "Hooke: De potentia restitutiva, 1678",
    .dynamic = true,
    .params = spring_rows,
    .param_count = SUP_COUNT_OF(spring_rows),
    .params_size = sizeof(spring_params),
    .presets = spring_presets,
    .bind = spring_bind,
    .reset = spring_reset,
    .evaluate = spring_evaluate,
    .draw = spring_draw,
};

/// Static: moves every point by 1 along x, to see what follows a dynamic link.
static sup_result shift_bind(const sup_bind_input* in, sup_arena* arena, sup_binding* out, sup_error* error)
{
    (void)error;
    uint32_t* count = SUP_NEW(arena, uint32_t, 1);
    if (!count) return sup_fail_memory(error, "shift");
    *count = in->character->mesh.point_count;
    *out = (sup_binding){ .data = count };
    return SUP_OK;
}
static void shift_evaluate(const sup_binding* binding, const void* params, const sup_frame* frame, void* state, void* scratch,
                           sup_vec3* out)
{
    (void)params, (void)state, (void)scratch;
    for (uint32_t i = 0; i < *(const uint32_t*)binding->data; ++i) out[i] = v3_add(frame->points[i], v3(1, 0, 0));
}
static const sup_deformer shift = {
    .name = "shift", .summary = "Moves by one", .paper = "-", .bind = shift_bind, .evaluate = shift_evaluate
};

/// Static: of every four points one stays, one goes far away, and two become NaN.
static void throw_evaluate(const sup_binding* binding, const void* params, const sup_frame* frame, void* state, void* scratch,
                           sup_vec3* out)
{
    static const float by[] = { 0, 1e9f, NAN, -INFINITY };
    (void)params, (void)state, (void)scratch;
    for (uint32_t i = 0; i < *(const uint32_t*)binding->data; ++i) out[i] = v3_add(frame->points[i], v3(0, by[i % 4], 0));
}
static const sup_deformer throws = {
    .name = "throw", .summary = "Loses points", .paper = "-", .bind = shift_bind, .evaluate = throw_evaluate
};

static const sup_deformer* const test_deformers[] = { &spring, &shift, &throws };

#endif
