// Folds where skin is compressed. Skin is a thin stiff film on soft flesh: it keeps its length, so under compression it
// buckles, with a wavelength given by its thickness and the two stiffnesses, and a height that makes up for the lost length.
//   lambda = 2 pi h (E / (3 E_s))^(1/3)          h thickness, E young, E_s support
//   mean of sqrt(s^2 + a^2 cos^2) = 1            s the stretch along the compression, a = 2 pi A / lambda the steepest slope
//   out = points + n sum over families of a_k (lambda / 2 pi) (cos(phase_k) - 1 + 2 lift)
#include "deform/wrinkle/wrinkle.h"
#include "base/internal.h"
#include "math/vec.h"

#include <string.h>

typedef struct wrinkle_params {
    float thickness, young, support;
    float strength, threshold;
    float irregularity, lift;
    float creases, rise;
} wrinkle_params;

enum { ROW_THICKNESS, ROW_YOUNG, ROW_SUPPORT, ROW_STRENGTH, ROW_THRESHOLD, ROW_IRREGULARITY, ROW_LIFT, ROW_CREASES, ROW_RISE };
#define AT(field) offsetof(wrinkle_params, field)

static const sup_param rows[] = {
    [ROW_THICKNESS] = { "thickness", SUP_PARAM_FLOAT, SUP_STAGE_BIND, AT(thickness), .varies = SUP_VARIES_POINT, .min = 0.01,
                        .max = 1000, .standard = 2, .unit = "mm",
                        .help = "Thickness of the skin that folds; folds in skin twice as thick are twice as wide" },
    [ROW_YOUNG] = { "young", SUP_PARAM_FLOAT, SUP_STAGE_BIND, AT(young), .varies = SUP_VARIES_POINT, .min = 0.001, .max = 1e6,
                    .standard = 1000, .unit = "kPa", .help = "Young's modulus E of the skin; stiffer skin has wider folds" },
    [ROW_SUPPORT] = { "support", SUP_PARAM_FLOAT, SUP_STAGE_BIND, AT(support), .varies = SUP_VARIES_POINT, .min = 0.001,
                      .max = 1e6, .standard = 20, .unit = "kPa",
                      .help = "Young's modulus of the flesh below; firmer flesh has narrower folds" },
    [ROW_STRENGTH] = { "strength", SUP_PARAM_FLOAT, SUP_STAGE_FRAME, AT(strength), .varies = SUP_VARIES_POINT, .min = 0,
                       .max = 1, .standard = 1, .unit = "",
                       .help = "Share of their full height that folds have; paint _WRINKLE_STRENGTH to keep regions smooth" },
    [ROW_THRESHOLD] = { "threshold", SUP_PARAM_FLOAT, SUP_STAGE_FRAME, AT(threshold), .min = 0.005, .max = 0.5,
                        .standard = 0.01, .unit = "", .help = "Compression at which folds begin" },
    [ROW_IRREGULARITY] = { "irregularity", SUP_PARAM_FLOAT, SUP_STAGE_BIND, AT(irregularity), .min = 0, .max = 2,
                           .standard = 0.9, .unit = "rad",
                           .help = "How far folds wander from their place in a regular row; 0 is corduroy" },
    [ROW_LIFT] = { "lift", SUP_PARAM_FLOAT, SUP_STAGE_BIND, AT(lift), .min = 0, .max = 1, .standard = 0, .unit = "",
                   .help = "Share of a fold that rises above the skin: 0 cuts folds into it, so that they never touch other "
                           "skin; 0.5 keeps the volume" },
    [ROW_CREASES] = { "creases", SUP_PARAM_FLOAT, SUP_STAGE_FRAME, AT(creases), .varies = SUP_VARIES_POINT, .min = 0, .max = 1,
                      .standard = 0, .unit = "",
                      .help =
                          "Share of the deepest folds that stays without compression: skin remembers where it often bends" },
    [ROW_RISE] = { "rise", SUP_PARAM_FLOAT, SUP_STAGE_BIND, AT(rise), .min = 0, .max = 180, .standard = 57, .unit = "deg",
                   .help = "Degrees of pose over which a fold rises; lower values give deeper folds that rise faster, 0 folds "
                           "as soon as length is lost" },
};

// Points begin to show folds when this many of them lie along a wavelength, and show them fully at the second number: fewer
// points would show a different, longer wave.
#define POINTS_NONE 4.0f
#define POINTS_ALL 6.0f
// Folds fade out toward the edge of a hole over this many wavelengths, so that it still meets the border of another mesh.
#define BORDER_FADE 1.0f
// The strain above the threshold over which folds reach their full height: a tenth of compression must be made up for. Where
// joints compress the skin faster, folds rise over more; beyond 1 no pose reaches the full height.
#define RISE_LEAST 0.088f
// Lost squared length that creases remember where no clip shows any compression: a tenth along the limb.
#define CREASE_ASSUMED 0.19f

typedef struct bound {
    wrinkle_surface surface;
    wrinkle_scale   scale;
    sup_field       strength, creases;
    uint32_t        carrying, shaded;                   // kinds of points: those that carry folds, and those with finer ones
    size_t          spread, slopes, strengths, creased; // bytes of scratch; slopes are for shading
} bound;

static void spread(void* data, uint32_t begin, uint32_t end) { SUP_WIDE_PICK(sup_wrinkle_spread)(data, begin, end); }
static void fold(void* data, uint32_t begin, uint32_t end) { SUP_WIDE_PICK(sup_wrinkle_fold)(data, begin, end); }

// ---------------------------------------------------------------------------------------------- bind

typedef struct binder {
    const sup_bind_input* in;
    sup_arena*            arena;
    sup_arena*            temporary;
    wrinkle_frames        frames;
    sup_topology          topology;
    wrinkle_tree          tree;
    float*                wavelengths;
    wrinkle_strain*       most;
    const float*          border;
    float*                focus;   // share of their full height that folds have
    wrinkle_f4*           heights; // of waves, in amplitudes
    sup_ripple*           ripples;
    bool                  sampled;
} binder;

// Newton's method: far away each step leaves a third of the error, nearby nothing. NEAR: relative to x, above its rounding.
static double cube_root(double x)
{
    enum { ROUNDS = 200 };
    const double NEAR = 1e-12;
    double       root = x > 1 ? x : 1;
    for (int i = 0; i < ROUNDS && root * root * root > x * (1 + NEAR); ++i) root -= (root - x / (root * root)) / 3;
    return root;
}

static sup_result find_wavelengths(binder* b, sup_error* error)
{
    const wrinkle_params* p = b->in->params;
    double                unit = sup_character_physics_unit(b->in->character);
    uint32_t              n = b->in->character->mesh.point_count;
    b->wavelengths = SUP_NEW(b->temporary, float, n);
    if (!b->wavelengths) return sup_fail_memory(error, "wrinkle");
    for (uint32_t i = 0; i < n; ++i) {
        double h = 1e-3 * (double)sup_field_value(&rows[ROW_THICKNESS], &b->in->fields[ROW_THICKNESS], p->thickness, i);
        double film = (double)sup_field_value(&rows[ROW_YOUNG], &b->in->fields[ROW_YOUNG], p->young, i);
        double flesh = (double)sup_field_value(&rows[ROW_SUPPORT], &b->in->fields[ROW_SUPPORT], p->support, i);
        b->wavelengths[i] = (float)(2 * SUP_PI * h * cube_root(film / (3 * flesh)) / unit);
    }
    return SUP_OK;
}

// The share of a family that the points around this one can carry: enough of them along a wavelength.
static float carried(const binder* b, uint32_t p, uint32_t family)
{
    const sup_topology* t = &b->topology;
    sup_vec3            d = sup_wrinkle_wave(&b->frames, p, family);
    float               step = 0;
    for (uint32_t k = t->ring_begin[p]; k < t->ring_begin[p + 1]; ++k) {
        sup_vec3 e = v3_sub(b->frames.mesh->points[t->ring[k]], b->frames.mesh->points[p]);
        float    along = fabsf(v3_dot(d, e));
        if (along > step) step = along;
    }
    if (!(step > 0) || v3_length2(d) == 0) return 0;
    float wavelength = WRINKLE_TURN * b->ripples[p * WRINKLE_FAMILIES + family].height; // of this fold
    return sup_smoothstep(POINTS_NONE, POINTS_ALL, fminf(wavelength, b->wavelengths[p]) / step);
}

static sup_result keep_ripples(const binder* b, wrinkle_surface* s, sup_error* error)
{
    size_t      count = (size_t)s->point_count * WRINKLE_FAMILIES;
    sup_ripple* kept = SUP_NEW(b->arena, sup_ripple, count);
    if (!kept) return sup_fail_memory(error, "wrinkle");
    memcpy(kept, b->ripples, count * sizeof *kept);
    s->ripples = kept;
    return SUP_OK;
}

// A fold needs an area of surface: a point carries no more than the least of its neighbors. The rest goes into the shading.
static sup_result lay_waves(const binder* b, bound* out, sup_error* error)
{
    wrinkle_surface*    s = &out->surface;
    const sup_topology* t = &b->topology;
    wrinkle_f4*         shares = SUP_NEW(b->temporary, wrinkle_f4, s->point_count);
    if (!shares) return sup_fail_memory(error, "wrinkle");
    for (uint32_t p = 0; p < s->point_count; ++p)
        for (uint32_t k = 0; k < WRINKLE_FAMILIES; ++k) shares[p][k] = carried(b, p, k);
    for (uint32_t p = 0; p < s->point_count; ++p) {
        float amplitude = b->wavelengths[p] / WRINKLE_TURN, most = 0, rest = 0;
        float whole =
            v3_length2(b->frames.normals[p]) > 0 ? sup_smoothstep(0, BORDER_FADE * b->wavelengths[p], b->border[p]) : 0;
        whole *= b->focus[p];
        for (uint32_t k = 0; k < WRINKLE_FAMILIES; ++k) {
            float share = shares[p][k];
            for (uint32_t i = t->ring_begin[p]; i < t->ring_begin[p + 1]; ++i) share = fminf(share, shares[t->ring[i]][k]);
            most = fmaxf(most, whole * share);
            rest = fmaxf(rest, whole * (1 - share));
            size_t at = ((size_t)(p / WRINKLE_LANES) * WRINKLE_FAMILIES + k) * WRINKLE_LANES + p % WRINKLE_LANES;
            s->waves[at] = b->heights[p][k] * amplitude * whole * share;
            b->ripples[p * WRINKLE_FAMILIES + k].height *= whole * (1 - share);
        }
        if (most > 0) s->active[p / WRINKLE_LANES] |= WRINKLE_POINTS, out->carrying++;
        if (rest > 0) s->active[p / WRINKLE_LANES] |= WRINKLE_SHADING, out->shaded++;
    }
    return out->shaded ? keep_ripples(b, s, error) : SUP_OK;
}

static sup_result lay_rows(const binder* b, wrinkle_surface* s, sup_error* error)
{
    uint32_t  n = s->point_count;
    size_t    cells = (size_t)s->group_count * WRINKLE_ROWS * WRINKLE_LANES;
    uint32_t* index = SUP_NEW(b->arena, uint32_t, cells);
    float *   first = SUP_NEW(b->arena, float, cells), *second = SUP_NEW(b->arena, float, cells);
    if (!index || !first || !second) return sup_fail_memory(error, "wrinkle");
    for (uint32_t i = 0; i < s->group_count * WRINKLE_LANES; ++i)
        for (uint32_t r = 0; r < WRINKLE_ROWS; ++r) {
            uint32_t p = i < n ? i : n - 1;
            size_t   at = ((size_t)(i / WRINKLE_LANES) * WRINKLE_ROWS + r) * WRINKLE_LANES + i % WRINKLE_LANES;
            index[at] = b->frames.neighbors[p][r];
            first[at] = b->frames.coefficients[p][r][0];
            second[at] = b->frames.coefficients[p][r][1];
        }
    s->index = index;
    s->first = first;
    s->second = second;
    return SUP_OK;
}

// The crease that skin remembers: the deepest compression of the clips. Where no clip bends it, a crease that a map requests
// runs across the limb.
static sup_result lay_memory(const binder* b, wrinkle_surface* s, sup_error* error)
{
    s->memory = SUP_NEW(b->arena, wrinkle_f4, s->point_count);
    if (!s->memory) return sup_fail_memory(error, "wrinkle");
    for (uint32_t i = 0; i < s->point_count; ++i) {
        wrinkle_strain m = b->sampled ? b->most[i] : (wrinkle_strain){ CREASE_ASSUMED, 0, 0 };
        // Slopes proportional to the compression: where clips hardly compress the skin, no crease stays.
        float all = m.xx + m.yy, deep = all / WRINKLE_LOST_MAX, share = deep > 1 ? 1 / deep : b->sampled ? deep : 1;
        m = (wrinkle_strain){ share * m.xx, share * m.xy, share * m.yy };
        s->memory[i] = sup_wrinkle_split(m);
    }
    return SUP_OK;
}

static sup_result lay_carriers(const binder* b, wrinkle_surface* s, sup_error* error)
{
    const sup_weights* w = &b->in->character->weights;
    wrinkle_carrier*   carriers = SUP_NEW(b->arena, wrinkle_carrier, s->point_count);
    if (!carriers) return sup_fail_memory(error, "wrinkle");
    for (uint32_t p = 0; p < s->point_count; ++p) {
        uint32_t at = w->begin[p], count = w->begin[p + 1] - at;
        carriers[p] = (wrinkle_carrier){ .normal = b->frames.normals[p], .first = 1 };
        if (count) carriers[p].joints[0] = carriers[p].joints[1] = w->joints[at];
        if (count < 2) continue;
        carriers[p].joints[1] = w->joints[at + 1];
        carriers[p].first = w->values[at] / (w->values[at] + w->values[at + 1]);
    }
    s->carriers = carriers;
    return SUP_OK;
}

static sup_result lay_rise(const binder* b, wrinkle_surface* s, sup_error* error)
{
    const wrinkle_params* p = b->in->params;
    s->rise = SUP_NEW(b->arena, float, (size_t)s->point_count + WRINKLE_LANES);
    if (!s->rise) return sup_fail_memory(error, "wrinkle");
    sup_result result = sup_wrinkle_speeds(b->in->character, &b->frames, b->temporary, s->rise, error);
    for (uint32_t i = 0; i < s->point_count + WRINKLE_LANES && !result; ++i) {
        float over = i < s->point_count ? s->rise[i] * (float)SUP_RADIANS * p->rise : 0;
        s->rise[i] = over < RISE_LEAST ? RISE_LEAST : over;
    }
    return result;
}

static sup_result bind_surface(binder* b, bound* out, sup_error* error)
{
    const sup_mesh*       mesh = &b->in->character->mesh;
    wrinkle_surface*      s = &out->surface;
    uint32_t              n = mesh->point_count;
    const wrinkle_params* p = b->in->params;
    s->point_count = n;
    s->group_count = (n + WRINKLE_LANES - 1) / WRINKLE_LANES;
    s->waves = SUP_NEW(b->arena, float, (size_t)s->group_count* WRINKLE_LANES* WRINKLE_FAMILIES);
    b->heights = SUP_NEW(b->temporary, wrinkle_f4, n);
    s->active = SUP_NEW(b->arena, uint8_t, s->group_count);
    s->limits = SUP_NEW(b->arena, float, (size_t)n + WRINKLE_LANES);
    b->most = SUP_NEW(b->temporary, wrinkle_strain, n);
    b->ripples = SUP_NEW(b->temporary, sup_ripple, (size_t)n * WRINKLE_FAMILIES);
    b->focus = SUP_NEW(b->temporary, float, n);
    if (!b->focus || !b->ripples || !b->heights || !s->waves || !s->active || !s->limits || !b->most)
        return sup_fail_memory(error, "wrinkle");
    sup_polygons polygons = { n, mesh->face_count, mesh->face_begin, mesh->corner_points };
    sup_result   r = sup_topology_create(&polygons, b->temporary, &b->topology, error);
    if (!r) r = find_wavelengths(b, error);
    if (!r) r = sup_wrinkle_tree_create(mesh, b->temporary, &b->tree, error);
    if (!r) r = sup_wrinkle_fit(mesh, &b->topology, &b->tree, p->lift > 0, b->in->tasks, b->temporary, b->wavelengths, error);
    if (!r) r = sup_wrinkle_frames_create(mesh, &b->topology, b->wavelengths, b->temporary, &b->frames, error);
    if (!r)
        r = sup_wrinkle_directions(b->in, &b->frames, b->wavelengths, b->temporary, &b->tree, p->threshold, b->most, s->limits,
                                   &b->sampled, error);
    if (!r)
        r = sup_wrinkle_phases(&b->frames, b->wavelengths, p->irregularity, p->lift, b->temporary, b->heights, b->ripples,
                               error);
    if (!r) r = sup_wrinkle_border(&b->frames, b->temporary, &b->border, error);
    if (!r) r = sup_wrinkle_focus(&b->frames, b->wavelengths, b->most, b->temporary, b->focus, error);
    if (!r) r = lay_rows(b, s, error);
    if (!r) r = lay_carriers(b, s, error);
    if (!r) r = lay_rise(b, s, error);
    if (!r) r = lay_memory(b, s, error);
    if (!r) r = lay_waves(b, out, error);
    if (!r && p->creases > 0 && !b->sampled && !b->in->fields[ROW_CREASES].scale)
        sup_note(b->in->notes,
                 "no clip shows where the skin bends and no map says where it creases, so creases lie across every "
                 "limb; paint _WRINKLE_CREASES, or load the character with its clips");
    return r;
}

static sup_result bind(const sup_bind_input* in, sup_arena* arena, sup_binding* out, sup_error* error)
{
    sup_arena* temporary = sup_arena_beside(arena);
    bound*     b = SUP_NEW(arena, bound, 1);
    sup_result r = SUP_ERROR_MEMORY;
    if (!temporary || !b) sup_fail_memory(error, "wrinkle");
    else {
        uint32_t n = in->character->mesh.point_count;
        binder   work = { .in = in, .arena = arena, .temporary = temporary };
        b->strength = in->fields[ROW_STRENGTH];
        b->creases = in->fields[ROW_CREASES];
        b->spread = sup_align(n * sizeof(wrinkle_f4), 64);
        b->strengths = b->strength.scale ? sup_align(n * sizeof(float), 64) : 0;
        b->creased = b->creases.scale ? sup_align(n * sizeof(float), 64) : 0;
        r = sup_wrinkle_scale_create(in->character, arena, &b->scale, error);
        if (!r) r = bind_surface(&work, b, error);
    }
    sup_arena_destroy(temporary);
    if (r) return r;
    if (b->shaded) b->slopes = b->spread;
    *out = (sup_binding){ .data = b, .scratch_size = b->spread + b->slopes + b->strengths + b->creased };
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- evaluate

static const float* read_field(uint32_t row, const sup_field* field, float value, uint32_t count, float* out)
{
    for (uint32_t i = 0; i < count; ++i) out[i] = sup_field_value(&rows[row], field, value, i);
    return out;
}

static wrinkle_job job_of(const bound* b, const wrinkle_params* p, const sup_frame* frame, void* scratch)
{
    const wrinkle_surface* s = &b->surface;
    uint8_t*               at = (uint8_t*)scratch + b->spread + b->slopes;
    float                  scale = sup_wrinkle_scale(&b->scale, frame->end);
    wrinkle_job            job = { .surface = s,
                                   .points = frame->points,
                                   .skin = frame->end->skin,
                                   .which = WRINKLE_POINTS,
                                   .unscale = 1 / (scale * scale),
                                   .threshold = p->threshold,
                                   .strength = p->strength,
                                   .crease = p->creases,
                                   .spread = scratch };
    if (b->strengths) job.strengths = read_field(ROW_STRENGTH, &b->strength, p->strength, s->point_count, (float*)(void*)at);
    if (b->creased)
        job.creases = read_field(ROW_CREASES, &b->creases, p->creases, s->point_count, (float*)(void*)(at + b->strengths));
    return job;
}

static void evaluate(const sup_binding* binding, const void* params, const sup_frame* frame, void* state, void* scratch,
                     sup_vec3* out)
{
    (void)state;
    const bound* b = binding->data;
    if (!b->carrying) {
        memcpy(out, frame->points, b->surface.point_count * sizeof *out);
        return;
    }
    wrinkle_job job = job_of(b, params, frame, scratch);
    job.out = out;
    sup_tasks_run(frame->tasks, b->surface.group_count, WRINKLE_GRAIN, spread, &job);
    sup_tasks_run(frame->tasks, b->surface.group_count, WRINKLE_GRAIN, fold, &job);
}

// Measured on the folded skin: where points carry no folds, that is the incoming skin.
static uint32_t relief(const sup_binding* binding, const void* params, const sup_frame* frame, const sup_vec3* skin,
                       void* scratch, sup_ripple* out)
{
    const bound*           b = binding->data;
    const wrinkle_surface* s = &b->surface;
    if (!b->shaded) return 0;
    if (!out) return WRINKLE_FAMILIES;
    wrinkle_job job = job_of(b, params, frame, scratch);
    job.points = skin;
    job.which = WRINKLE_SHADING;
    job.slopes = (wrinkle_f4*)scratch + b->spread / sizeof(wrinkle_f4);
    sup_tasks_run(frame->tasks, s->group_count, WRINKLE_GRAIN, spread, &job);
    sup_tasks_run(frame->tasks, s->group_count, WRINKLE_GRAIN, fold, &job);
    for (uint32_t p = 0; p < s->point_count; ++p)
        for (uint32_t k = 0; k < WRINKLE_FAMILIES; ++k) {
            sup_ripple* r = &out[p * WRINKLE_FAMILIES + k];
            *r = s->ripples[p * WRINKLE_FAMILIES + k];
            r->height *= job.slopes[p][k];
        }
    return WRINKLE_FAMILIES;
}

static bool is_fine(const sup_bind_input* in, const sup_binding* binding)
{
    (void)in;
    return ((const bound*)binding->data)->carrying > 0;
}

static const sup_condition conditions[] = {
    { "fine", "four points to a fold",
      "give --subdivide 2, or raise thickness; pictures, the studio and normal maps shade finer folds", is_fine },
    { 0 },
};

const sup_deformer sup_deformer_wrinkle = {
    .name = "wrinkle",
    .summary = "Folds where skin is compressed: the lost length goes into wrinkles of the skin's own wavelength",
    .paper = "Allen: Analysis and Design of Structural Sandwich Panels, 1969 (wavelength of a film on a soft foundation)",
    .params = rows,
    .param_count = SUP_COUNT_OF(rows),
    .params_size = sizeof(wrinkle_params),
    .only_with = "fine",
    .conditions = conditions,
    .bind = bind,
    .evaluate = evaluate,
    .relief = relief,
};
