// The report of compare: the table, plots over time, and pictures of the frames that matter.
#include "compare.h"
#include "html.h"
#include "input/common.h"
#include "render/portrait.h"
#include "report.h"
#include "supple/rig.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Smaller differences look equal: both values are bold.
static const double TIE = 1e-9;

// ---------------------------------------------------------------------------------------------- table

typedef struct column {
    const char* head;
    const char* format; // of one double
    double (*value)(const comparison* c, const measured* m);
    bool truth; // only with --truth
    bool best;  // the value nearest to zero is bold
} column;

static double ms_per_frame(const comparison* c, const measured* m) { return 1000.0 * m->evaluate / c->job.frames; }
static double volume_max(const comparison* c, const measured* m) { return (void)c, 100.0 * m->frames[m->volume_frame].volume; }
static double volume_end(const comparison* c, const measured* m) { return 100.0 * m->frames[c->job.frames - 1].volume; }
static double part_max(const comparison* c, const measured* m) { return (void)c, 100.0 * m->frames[m->part_frame].part; }
static double intersections(const comparison* c, const measured* m)
{
    return (void)c, m->frames[m->intersections_frame].intersections;
}
static double stretch(const comparison* c, const measured* m) { return (void)c, m->frames[m->stretch_frame].stretch; }
static double roughness(const comparison* c, const measured* m) { return (void)c, m->roughness_max; }
static double jerk(const comparison* c, const measured* m) { return (void)c, m->jerk_rms; }
static double error_max(const comparison* c, const measured* m) { return (void)c, m->errors.max; }
static double error_rms(const comparison* c, const measured* m) { return (void)c, sup_errors_rms(&m->errors); }
static double error_erms(const comparison* c, const measured* m)
{
    return sup_errors_erms(&m->errors, (double)c->job.character->mesh.diagonal);
}
static double inbetween_rms(const comparison* c, const measured* m)
{
    return (void)c, m->inbetween.count ? sup_errors_rms(&m->inbetween) : NAN;
}

static const column columns[] = {
    { "ms a<br>frame", "%.3f", ms_per_frame, false, false },
    { "volume,<br>largest", "%+.2f&nbsp;%%", volume_max, false, true },
    { "volume,<br>end", "%+.2f&nbsp;%%", volume_end, false, true },
    { "worst part,<br>volume", "%+.2f&nbsp;%%", part_max, false, true },
    { "inter&shy;sections", "%.0f", intersections, false, true },
    { "stretch", "%.2f", stretch, false, true },
    { "rough&shy;ness", "%.2f", roughness, false, true },
    { "jerk,<br>rms", "%.3g", jerk, false, true },
    { "error<br>max", "%.4g", error_max, true, true },
    { "error<br>rms", "%.4g", error_rms, true, true },
    { "E<sub>RMS</sub>", "%.4g", error_erms, true, true },
    { "rms<br>between", "%.4g", inbetween_rms, true, true },
};
enum { COLUMN_COUNT = sizeof columns / sizeof *columns };

static double smallest(const comparison* c, const column* k)
{
    double best = INFINITY;
    for (uint32_t i = 0; i < c->count; i++) best = fmin(best, fabs(k->value(c, &c->chains[i])));
    return best;
}

// One cell. The formats are the constants above, each for one double.
static void put_cell(html* h, const comparison* c, const column* k, const measured* m)
{
    char   text[64];
    double value = k->value(c, m);
    bool   bold = k->best && c->count > 1 && fabs(value) <= smallest(c, k) + TIE;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(text, sizeof text, k->format, value);
#pragma GCC diagnostic pop
    html_add(h, bold ? "<td><b>%s</b></td>" : "<td>%s</td>", isfinite(value) ? text : "&ndash;");
}

static void put_table(html* h, const comparison* c)
{
    bool truth = c->job.truth != NULL;
    html_add(h, "<div class=\"wide\"><table><thead><tr><th class=\"l\">chain</th>");
    for (int k = 0; k < COLUMN_COUNT; k++)
        if (truth || !columns[k].truth) html_add(h, "<th>%s</th>", columns[k].head);
    html_add(h, "</tr></thead><tbody>\n");
    for (uint32_t i = 0; i < c->count; i++) {
        const measured* m = &c->chains[i];
        html_add(h, "<tr><td class=\"l\">");
        html_swatch(h, i);
        html_text(h, m->text);
        html_add(h, "</td>");
        for (int k = 0; k < COLUMN_COUNT; k++)
            if (truth || !columns[k].truth) put_cell(h, c, &columns[k], m);
        html_add(h, "</tr>\n");
    }
    html_add(h, "</tbody></table></div>\n");
}

static void put_verdict(html* h, const comparison* c)
{
    bool limited = isfinite(c->limits.volume_loss) || isfinite(c->limits.error) || isfinite(c->limits.intersections) ||
                   isfinite(c->limits.stretch);
    if (limited && !c->verdict) html_add(h, "<p class=\"good\">All limits are kept.</p>\n");
    html_verdict(h, c->verdict);
}

// ---------------------------------------------------------------------------------------------- plots

typedef double plot_value(const comparison* c, const measured* m, uint32_t frame, uint32_t part);

static double plot_volume(const comparison* c, const measured* m, uint32_t i, uint32_t part)
{
    return (void)c, (void)part, 100.0 * m->frames[i].volume;
}
static double plot_part(const comparison* c, const measured* m, uint32_t i, uint32_t part)
{
    return 100.0 * m->parts[(size_t)i * sup_meter_part_count(c->job.meter) + part];
}
static double plot_intersections(const comparison* c, const measured* m, uint32_t i, uint32_t part)
{
    return (void)c, (void)part, m->frames[i].intersections;
}
static double plot_speed(const comparison* c, const measured* m, uint32_t i, uint32_t part)
{
    // The first frame has no previous frame.
    return (void)c, (void)part, i ? m->frames[i].speed : NAN;
}
static double plot_error(const comparison* c, const measured* m, uint32_t i, uint32_t part)
{
    return (void)c, (void)part, m->frames[i].rms;
}
static double plot_roughness(const comparison* c, const measured* m, uint32_t i, uint32_t part)
{
    return (void)c, (void)part, m->frames[i].roughness;
}

typedef struct plotter {
    html*             h;
    const comparison* c;
    double*           x;
    double*           y; // chains x frames
    html_series*      series;
} plotter;

static void plot(const plotter* p, const char* title, const char* unit, plot_value* value, uint32_t part, double limit)
{
    uint32_t frames = p->c->job.frames;
    for (uint32_t s = 0; s < p->c->count; s++) {
        for (uint32_t i = 0; i < frames; i++) p->y[(size_t)s * frames + i] = value(p->c, &p->c->chains[s], i, part);
        p->series[s] = (html_series){ p->c->chains[s].text, p->x, p->y + (size_t)s * frames, frames };
    }
    html_plot_add(p->h, &(html_plot){ title, "seconds", unit, p->c->count, p->series, isfinite(limit) ? limit : NAN });
}

// The part that changes most under any chain: the same one for all, so that the lines can be compared.
static uint32_t worst_part(const comparison* c)
{
    uint32_t part = SUP_NONE;
    double   worst = -1.0;
    for (uint32_t i = 0; i < c->count; i++) {
        const measure_frame* f = &c->chains[i].frames[c->chains[i].part_frame];
        if (f->part_index == SUP_NONE || fabs(f->part) <= worst) continue;
        worst = fabs(f->part);
        part = f->part_index;
    }
    return part;
}

static bool put_plots(html* h, const comparison* c, sup_arena* arena)
{
    uint32_t frames = c->job.frames, part = worst_part(c);
    plotter  p = { h, c, sup_arena_alloc(arena, frames, sizeof *p.x),
                   sup_arena_alloc(arena, (size_t)c->count * frames, sizeof *p.y),
                   sup_arena_alloc(arena, c->count, sizeof *p.series) };
    if (!p.x || !p.y || !p.series) return false;
    for (uint32_t i = 0; i < frames; i++) p.x[i] = c->chains[0].frames[i].time;
    html_add(h, "<h2>Over time</h2>\n<div class=\"grid\">\n");
    if (c->job.truth) plot(&p, "Error against the truth, rms", "file units", plot_error, 0, NAN);
    plot(&p, "Volume of the whole", "% change", plot_volume, 0, -100.0 * c->limits.volume_loss);
    if (part != SUP_NONE) {
        char title[200];
        snprintf(title, sizeof title, "Volume around %.150s", sup_meter_part_at(c->job.meter, part)->name);
        plot(&p, title, "% change", plot_part, part, NAN);
    }
    plot(&p, "Self-intersections", "pairs of triangles", plot_intersections, 0, c->limits.intersections);
    plot(&p, "Roughness against rest", "", plot_roughness, 0, NAN);
    plot(&p, "Fastest point", "units / s", plot_speed, 0, NAN);
    html_add(h, "</div>\n");
    return true;
}

// ---------------------------------------------------------------------------------------------- pictures

typedef struct gallery {
    html*             h;
    const comparison* c;
    portrait          portrait;
    sup_vec3*         points;
    float*            heat;
    double            top;
} gallery;

static void take_heat(const gallery* g, uint32_t frame)
{
    uint32_t count = g->c->job.character->mesh.point_count;
    if (g->c->job.truth) {
        sup_errors errors = { 0 };
        sup_errors_add(&errors, g->points, g->c->job.truth->points[frame], count, g->heat);
    } else sup_meter_stretch(g->c->job.meter, g->points, g->heat);
}

// Finds what all pictures frame, and the end of their shared scale.
static void measure_frame_box(gallery* g, measured* m, uint32_t frame)
{
    uint32_t count = g->c->job.character->mesh.point_count;
    measured_points(m, &g->c->job, frame, g->points);
    portrait_include(&g->portrait, g->points, count);
    take_heat(g, frame);
    for (uint32_t i = 0; i < count; i++) g->top = fmax(g->top, fabs((double)g->heat[i]));
}

static bool put_picture(gallery* g, uint32_t chain, uint32_t frame, const char* what, sup_error* error)
{
    measured*            m = &g->c->chains[chain];
    const measure_frame* f = &m->frames[frame];
    image                picture = { 0 };
    char                 caption[400], crossings[24];
    bool                 truth = g->c->job.truth != NULL;
    measured_points(m, &g->c->job, frame, g->points);
    take_heat(g, frame);
    crossings_text(f->intersections, crossings, sizeof crossings);
    if (!portrait_take(&g->portrait, g->points, g->heat, g->top, !truth, &picture, error)) return false;
    int length = snprintf(caption, sizeof caption, "%.150s, %s %u (%.3f s): ", m->text, what, frame, f->time);
    if (truth) snprintf(caption + length, sizeof caption - (size_t)length, "error rms %.4g, max %.4g", f->rms, f->error);
    else
        snprintf(caption + length, sizeof caption - (size_t)length, "worst part %+.1f %%, stretch %.2f, %s intersections",
                 100.0 * f->part, f->stretch, crossings);
    html_picture(g->h, &picture, caption, caption);
    image_free(&picture);
    return true;
}

// The frame that is worst over all chains: where they differ most clearly.
static uint32_t hardest_frame(const comparison* c)
{
    uint32_t frame = c->chains[0].worst;
    double   worst = -1.0;
    for (uint32_t i = 0; i < c->count; i++) {
        const measure_frame* f = &c->chains[i].frames[c->chains[i].worst];
        double               bad = c->job.truth ? f->rms : fabs(f->part);
        if (bad <= worst) continue;
        worst = bad;
        frame = c->chains[i].worst;
    }
    return frame;
}

static void put_legend(const gallery* g)
{
    char low[40] = "0", high[40];
    bool truth = g->c->job.truth != NULL;
    if (truth) snprintf(high, sizeof high, "%.4g file units", g->top);
    else {
        snprintf(low, sizeof low, "\u00d7%.3g", pow(2.0, -g->top));
        snprintf(high, sizeof high, "\u00d7%.3g", pow(2.0, g->top));
    }
    html_legend(g->h, truth ? "Distance to the truth" : "Length of edges relative to rest", low, high, !truth);
}

static bool put_gallery(gallery* g, uint32_t hardest, sup_error* error)
{
    html* h = g->h;
    html_add(h, "<h2>The hardest frame under every chain</h2>\n");
    put_legend(g);
    html_add(h, "<div class=\"grid\">\n");
    for (uint32_t i = 0; i < g->c->count; i++)
        if (!put_picture(g, i, hardest, "frame", error)) return false;
    html_add(h, "</div>\n<h2>Best and worst frame of each chain</h2>\n<div class=\"pair\">\n");
    for (uint32_t i = 0; i < g->c->count; i++) {
        if (!put_picture(g, i, g->c->chains[i].best, "best frame", error)) return false;
        if (!put_picture(g, i, g->c->chains[i].worst, "worst frame", error)) return false;
    }
    html_add(h, "</div>\n");
    return true;
}

static sup_result put_pictures(html* h, const comparison* c, sup_arena* arena, sup_error* error)
{
    uint32_t count = c->job.character->mesh.point_count, hardest = hardest_frame(c);
    gallery  g = { .h = h, .c = c };
    if (!picture_available()) {
        html_add(h, "<p class=\"soft\">This build of supple draws no pictures (it was made without Embree).</p>\n");
        return SUP_OK;
    }
    sup_result result = portrait_create(c->job.character, c->job.tasks, arena, &g.portrait, error);
    if (result != SUP_OK) return result;
    const char* camera = options_text(c->o, FLAG_CAMERA, NULL);
    if (camera) picture_camera_read(camera, &g.portrait.camera); // validated with the flags
    g.portrait.front = sup_character_facing(c->job.character, c->job.motion->clip, NULL);
    g.portrait.bar = c->job.bar;
    g.portrait.wanted = 3 * c->count;
    g.points = sup_arena_alloc(arena, count, sizeof *g.points);
    g.heat = sup_arena_alloc(arena, count, sizeof *g.heat);
    if (!g.points || !g.heat) return sup_fail(error, SUP_ERROR_MEMORY, "out of memory while preparing pictures");
    for (uint32_t i = 0; i < c->count; i++) {
        measured* m = &c->chains[i];
        measure_frame_box(&g, m, m->best);
        measure_frame_box(&g, m, hardest);
        measure_frame_box(&g, m, m->worst);
    }
    // An edge at double or half its length is as bad as can be: a single torn edge must not dim the rest.
    if (!c->job.truth) g.top = fmin(fmax(g.top, 0.05), 1.0);
    return put_gallery(&g, hardest, error) ? SUP_OK : error->code;
}

// ---------------------------------------------------------------------------------------------- page

static void put_explanation(html* h, bool truth)
{
    html_add(h, "<h2>What the numbers mean</h2>\n<dl>"
                "<dt>volume</dt><dd>change against the rest shape, holes closed by fans</dd>"
                "<dt>worst part</dt><dd>the same for the skin around one joint, cut off in the middle of its bones</dd>"
                "<dt>intersections</dt><dd>pairs of triangles that pass through each other, neighbors excluded</dd>"
                "<dt>stretch</dt><dd>the worst edge: how many times longer or shorter than at rest</dd>"
                "<dt>roughness</dt><dd>change of mean curvature, root mean square, times the diagonal: collapse and candy "
                "wrappers show here</dd>"
                "<dt>jerk</dt><dd>third difference over time, in units / s&sup3;: popping and jitter show here</dd>");
    if (truth)
        html_add(h,
                 "<dt>error</dt><dd>distance of points to the truth, in file units; \"between\" leaves out the frames that are "
                 "examples</dd>"
                 "<dt>E<sub>RMS</sub></dt><dd>1000 sqrt(sum of squares / (3 points frames)), rest diagonal = 1</dd>");
    html_add(h, "</dl>\n");
}

static void put_head(html* h, const comparison* c)
{
    char          title[300], subtitle[400], crossings[24];
    const motion* m = c->job.motion;
    snprintf(title, sizeof title, "%.100s: %u chain%s over %.120s", c->job.character->name, c->count, c->count == 1 ? "" : "s",
             m->clip ? m->clip->name : "a held pose");
    int length = snprintf(
        subtitle, sizeof subtitle, "%u frames from %.3f to %.3f s, %u points, %u triangles, diagonal %.4g units.",
        c->job.frames, c->chains[0].frames[0].time, c->chains[0].frames[c->job.frames - 1].time,
        c->job.character->mesh.point_count, c->job.character->mesh.triangle_count, (double)c->job.character->mesh.diagonal);
    crossings_text(c->rest_intersections, crossings, sizeof crossings);
    if (c->rest_intersections > 0.0)
        length += snprintf(subtitle + length, sizeof subtitle - (size_t)length, " %s intersections at rest.", crossings);
    if (sup_meter_holes(c->job.meter))
        snprintf(subtitle + length, sizeof subtitle - (size_t)length, " Holes closed by fans: %u.",
                 sup_meter_holes(c->job.meter));
    html_begin(h, title, subtitle);
}

int compare_write_html(const comparison* c, const char* path, sup_arena* arena)
{
    html      h = { 0 };
    sup_error error = { 0 };
    char*     command = options_command(c->o);
    if (!command) return fail_memory();
    put_head(&h, c);
    put_verdict(&h, c);
    put_table(&h, c);
    progress_begin(c->job.bar, "report", options_has(c->o, FLAG_QUIET));
    bool good = put_plots(&h, c, arena);
    if (!good) sup_fail(&error, SUP_ERROR_MEMORY, "out of memory while plotting; leave --html out");
    if (good) good = put_pictures(&h, c, arena, &error) == SUP_OK;
    progress_end(c->job.bar);
    put_explanation(&h, c->job.truth != NULL);
    html_end(&h, command);
    if (good) good = html_write(&h, path, &error);
    free(command);
    html_free(&h);
    return good ? EXIT_DONE : fail_with(&error);
}
