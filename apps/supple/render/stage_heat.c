// Heat: a number per point, its range over all frames, and its color.
#include "stage_internal.h"

#include <stdlib.h>

// Curvature is extreme in a few corners; the top of its scale leaves out this share of the points.
static const double TAIL = 0.005;

void stage_heat(stage* s, actor* a)
{
    const sup_character* c = s->d.character;
    uint32_t             count = c->mesh.point_count;
    switch (s->d.heat) {
    case HEAT_NONE: break;
    case HEAT_ERROR: {
        const sup_vec3* truth = s->truth ? s->truth : s->actors[s->d.ghost ? s->d.chain_count : 0].points;
        for (uint32_t p = 0; p < count; p++)
            a->heat[p] = length(sub(a->points[p], truth[p])) * (float)(1000.0 * c->metres_per_unit);
        break;
    }
    case HEAT_STRETCH:
        sup_meter_stretch(s->meter, a->points, a->heat);
        for (uint32_t p = 0; p < count; p++) a->heat[p] = 100.0f * (exp2f(a->heat[p]) - 1.0f);
        break;
    case HEAT_CURVATURE: sup_meter_roughness(s->meter, a->points, a->heat); break;
    case HEAT_WEIGHTS:
        for (uint32_t p = 0; p < count; p++) {
            a->heat[p] = 0.0f;
            for (uint32_t i = c->weights.begin[p]; i < c->weights.begin[p + 1]; i++)
                if (c->weights.joints[i] == s->d.heat_joint) a->heat[p] += 100.0f * c->weights.values[i];
        }
        break;
    case HEAT_MAP:
        for (uint32_t p = 0; p < count; p++) a->heat[p] = s->d.heat_map->values[p];
        break;
    }
}

static double largest(const float* values, uint32_t count)
{
    double top = 0.0;
    for (uint32_t i = 0; i < count; i++)
        if (fabsf(values[i]) > top && isfinite(values[i])) top = fabsf(values[i]);
    return top;
}

// The value that only a share `TAIL` of the points exceeds, by a histogram.
static double largest_usual(const float* values, uint32_t count)
{
    enum { BINS = 1024 };
    uint32_t bins[BINS] = { 0 };
    double   top = largest(values, count), kept = 0.0;
    if (top <= 0.0) return 0.0;
    for (uint32_t i = 0; i < count; i++)
        if (isfinite(values[i])) bins[(int)(fabsf(values[i]) / top * (BINS - 1))]++;
    for (int b = BINS - 1; b > 0; b--) {
        kept += bins[b];
        if (kept > TAIL * count) return top * (b + 1) / BINS;
    }
    return top / BINS;
}

void stage_heat_measure(stage* s, actor* a)
{
    uint32_t count = s->d.character->mesh.point_count;
    double   top = 0.0;
    if (s->d.heat == HEAT_ERROR || s->d.heat == HEAT_STRETCH) top = largest(a->heat, count);
    if (s->d.heat == HEAT_CURVATURE) top = largest_usual(a->heat, count);
    if (top > s->heat_top) s->heat_top = top;
}

bool stage_legend(const stage* s, const char** title, double* low, double* high, const char** unit)
{
    // A range of zero would show rounding errors in bright colors.
    double top = s->heat_top, least = s->d.heat == HEAT_ERROR
                                          ? 1e-6 * 1000.0 * s->d.character->metres_per_unit * s->d.character->mesh.diagonal
                                          : 0.01;
    if (top < least) top = least;
    *low = 0.0;
    *high = top;
    *unit = "";
    switch (s->d.heat) {
    case HEAT_NONE: return false;
    case HEAT_ERROR:
        *title = s->truth ? "distance to the truth" : s->d.ghost ? "distance to the ghost" : "distance to the first";
        *unit = "mm";
        break;
    case HEAT_STRETCH:
        *title = "stretch";
        *unit = "%";
        // Nothing shrinks by more than 100 %: the scale is symmetric, so that gray is rest.
        *low = -(*high = top > 100.0 ? 100.0 : top);
        break;
    case HEAT_CURVATURE: *title = "change of curvature x size"; break;
    case HEAT_WEIGHTS:
        *title = s->d.character->skeleton.joints[s->d.heat_joint].name;
        *high = 100.0;
        *unit = "%";
        break;
    case HEAT_MAP:
        *title = s->d.heat_map->name;
        *high = 1.0;
        break;
    }
    return true;
}

void stage_heat_color(stage* s, actor* a)
{
    const char *title, *unit;
    double      low, high;
    if (!stage_legend(s, &title, &low, &high, &unit)) return;
    for (uint32_t p = 0; p < s->d.character->mesh.point_count; p++) {
        float value = (float)(a->heat[p] / high);
        a->colors[p] = low < 0.0 ? picture_heat_signed(value) : picture_heat(fabsf(value));
    }
}
