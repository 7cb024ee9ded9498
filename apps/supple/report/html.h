/// html.h: a report in one file: tables, plots as inline SVG, pictures as data. No scripts, nothing fetched: it opens from an
/// email or a build server, in a light or a dark window, on a phone or on paper.
#ifndef SUPPLE_APP_HTML_H
#define SUPPLE_APP_HTML_H

#include "render/picture.h"
#include "supple/base.h"

typedef struct html {
    char*  text;
    size_t length, capacity;
    bool   failed; ///< out of memory: later additions are missing
} html;

/// Head, styles, title and the line below it.
void html_begin(html* h, const char* title, const char* subtitle);
/// The command that reproduces the report, and the end of the page.
void html_end(html* h, const char* command);
/// Checks whether the file can be written before doing the work for it.
bool html_probe(const char* path, sup_error* error);
bool html_write(const html* h, const char* path, sup_error* error);
void html_free(html* h);

/// Trusted markup; values that come from files go through html_text.
void html_add(html* h, const char* format, ...) SUP_FORMAT(2, 3);
/// Untrusted text, escaped.
void html_text(html* h, const char* text);
/// The exceeded limits, one per line. NULL: none.
void html_verdict(html* h, const char* lines);
/// A small square in the color of the series in the plots.
void html_swatch(html* h, uint32_t series);

typedef struct html_series {
    const char*   name;
    const double* x;
    const double* y;
    uint32_t      count;
} html_series;

typedef struct html_plot {
    const char*        title;
    const char*        x_label;
    const char*        y_label;
    uint32_t           series_count; ///< colors go by position
    const html_series* series;
    double             limit; ///< a line across; NAN: none
} html_plot;

/// The y axis always includes 0. Values that are not finite interrupt the line.
void html_plot_add(html* h, const html_plot* plot);
/// A picture with a caption below it. The caption is escaped.
void html_picture(html* h, const image* picture, const char* alt, const char* caption);
/// The same for a PNG file's bytes; NULL: prints that it is missing.
void html_png(html* h, const void* bytes, size_t size, const char* alt, const char* caption);
/// A bar of the heat colors with words at its ends; `both`: the colors that diverge from gray.
void html_legend(html* h, const char* title, const char* low, const char* high, bool both);

#endif
