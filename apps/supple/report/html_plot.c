// Plots as inline SVG: round ticks, a light grid, one line per series, the key below.
#include "html.h"

#include <math.h>
#include <stdio.h>

enum { WIDTH = 400, HEIGHT = 220, RIGHT = 12, TOP = 10, BOTTOM = 38, COLUMNS_MAX = 300 };

typedef struct range {
    double low, high, step;
    double left; // where the x axis and the plot area begin
} range;

// A step of 1, 2 or 5 times a power of ten that divides the span into about `count`.
static double round_step(double span, int count)
{
    double raw = span / count, power = pow(10.0, floor(log10(raw)));
    double digit = raw / power;
    return (digit < 1.5 ? 1.0 : digit < 3.5 ? 2.0 : digit < 7.5 ? 5.0 : 10.0) * power;
}

static range round_range(double low, double high, int count)
{
    if (!(high > low)) high = low + (low != 0.0 ? fabs(low) : 1.0);
    double step = round_step(high - low, count);
    return (range){ floor(low / step + 1e-9) * step, ceil(high / step - 1e-9) * step, step, 0.0 };
}

static void include(double value, double* low, double* high)
{
    if (!isfinite(value)) return;
    if (value < *low) *low = value;
    if (value > *high) *high = value;
}

// Rounding must not print "-0" or 0.30000000000000004.
static double tidy(double value, double step) { return fabs(value) < step * 1e-6 ? 0.0 : value; }

// Space for the longest number of the y axis and the words beside it.
static double left_margin(const range* y)
{
    int longest = 0, rows = (int)floor((y->high - y->low) / y->step + 0.5);
    for (int i = 0; i <= rows; i++) {
        int length = snprintf(NULL, 0, "%.6g", tidy(y->low + i * y->step, y->step));
        if (length > longest) longest = length;
    }
    return 30.0 + 6.8 * longest;
}

static void find_ranges(const html_plot* p, range* x, range* y)
{
    double x_low = INFINITY, x_high = -INFINITY, y_low = 0.0, y_high = 0.0;
    for (uint32_t s = 0; s < p->series_count; s++) {
        for (uint32_t i = 0; i < p->series[s].count; i++) {
            include(p->series[s].x[i], &x_low, &x_high);
            include(p->series[s].y[i], &y_low, &y_high);
        }
    }
    if (x_low > x_high) x_low = x_high = 0.0;
    include(p->limit, &y_low, &y_high);
    *y = round_range(y_low, y_high, 5);
    // The x axis ends where the data ends; only the y axis is rounded.
    *x = (range){ x_low, x_high > x_low ? x_high : x_low + 1.0, round_step(x_high > x_low ? x_high - x_low : 1.0, 6),
                  left_margin(y) };
}

static double place_x(const range* x, double value)
{
    return x->left + (value - x->low) / (x->high - x->low) * (WIDTH - x->left - RIGHT);
}

static double place_y(const range* y, double value)
{
    return TOP + (y->high - value) / (y->high - y->low) * (HEIGHT - TOP - BOTTOM);
}

static void draw_axes(html* h, const html_plot* p, const range* x, const range* y)
{
    int rows = (int)floor((y->high - y->low) / y->step + 0.5);
    for (int i = 0; i <= rows; i++) {
        double value = tidy(y->low + i * y->step, y->step), at = place_y(y, value);
        html_add(h, "<line class=\"%s\" x1=\"%.1f\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>", value == 0.0 ? "zero" : "net",
                 x->left, WIDTH - RIGHT, at, at);
        html_add(h, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%.6g</text>", x->left - 7.0, at + 4.0, value);
    }
    double first = ceil(x->low / x->step - 1e-9) * x->step;
    for (int i = 0; first + i * x->step <= x->high + 1e-9 * x->step; i++) {
        double value = tidy(first + i * x->step, x->step);
        html_add(h, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.6g</text>", place_x(x, value), HEIGHT - BOTTOM + 18,
                 value);
    }
    html_add(h, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">", 0.5 * (x->left + WIDTH - RIGHT), HEIGHT - 5);
    html_text(h, p->x_label);
    html_add(h, "</text><text transform=\"translate(12 %d) rotate(-90)\" text-anchor=\"middle\">", (TOP + HEIGHT - BOTTOM) / 2);
    html_text(h, p->y_label);
    html_add(h, "</text>");
}

// Long clips are reduced to the lowest and the highest value of each pixel column, so that no peak is lost.
static void draw_curve(html* h, const html_series* s, uint32_t color, const range* x, const range* y)
{
    uint32_t bucket = s->count > 2 * COLUMNS_MAX ? (s->count + COLUMNS_MAX - 1) / COLUMNS_MAX : 1;
    bool     drawing = false;
    html_add(h, "<path class=\"curve c%u\" d=\"", color % 8);
    for (uint32_t begin = 0; begin < s->count; begin += bucket) {
        uint32_t low = begin, high = begin, end = begin + bucket < s->count ? begin + bucket : s->count;
        for (uint32_t i = begin; i < end; i++) {
            if (s->y[i] < s->y[low]) low = i;
            if (s->y[i] > s->y[high]) high = i;
        }
        uint32_t pair[2] = { low < high ? low : high, low < high ? high : low };
        for (int k = 0; k < (pair[0] == pair[1] ? 1 : 2); k++) {
            bool known = isfinite(s->x[pair[k]]) && isfinite(s->y[pair[k]]);
            if (known) html_add(h, "%c%.1f %.1f", drawing ? 'L' : 'M', place_x(x, s->x[pair[k]]), place_y(y, s->y[pair[k]]));
            drawing = known;
        }
    }
    html_add(h, "\"/>");
    // A single frame is a dot: a path with one point draws nothing.
    if (s->count == 1 && isfinite(s->y[0]))
        html_add(h, "<circle class=\"c%u\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\"/>", color % 8, place_x(x, s->x[0]),
                 place_y(y, s->y[0]));
}

void html_plot_add(html* h, const html_plot* p)
{
    range x, y;
    find_ranges(p, &x, &y);
    html_add(h, "<figure><p class=\"title\">");
    html_text(h, p->title);
    html_add(h, "</p><svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"", WIDTH, HEIGHT);
    html_text(h, p->title);
    html_add(h, "\">");
    draw_axes(h, p, &x, &y);
    if (isfinite(p->limit))
        html_add(h, "<line class=\"limit\" x1=\"%.1f\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>", x.left, WIDTH - RIGHT,
                 place_y(&y, p->limit), place_y(&y, p->limit));
    for (uint32_t s = 0; s < p->series_count; s++) draw_curve(h, &p->series[s], s, &x, &y);
    html_add(h, "</svg><ul class=\"key\">");
    for (uint32_t s = 0; s < p->series_count; s++) {
        html_add(h, "<li>");
        html_swatch(h, s);
        html_text(h, p->series[s].name);
        html_add(h, "</li>");
    }
    html_add(h, "</ul></figure>\n");
}
