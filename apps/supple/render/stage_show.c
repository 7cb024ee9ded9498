// What links draw of themselves: --show LINK.WHAT.
#include "stage_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const picture_color NEUTRAL = { 0.05f, 0.22f, 0.42f };

// ---------------------------------------------------------------------------------------------- gathering

static bool reserve(void** block, uint32_t* capacity, uint32_t count, size_t size)
{
    if (count < *capacity) return true;
    uint32_t next = *capacity ? 2 * *capacity : 256;
    void*    grown = next > *capacity ? realloc(*block, next * size) : NULL;
    if (!grown) return false;
    *block = grown;
    *capacity = next;
    return true;
}

bool stage_line(stage* s, picture_line line)
{
    drawn_things* d = &s->drawn;
    if (!reserve((void**)&d->lines, &d->line_capacity, d->line_count, sizeof *d->lines)) d->failed = true;
    else d->lines[d->line_count++] = line;
    return !d->failed;
}

static void add_triangle(stage* s, const sup_vec3 corners[3], picture_color color)
{
    drawn_things* d = &s->drawn;
    uint32_t      capacity = d->triangle_capacity;
    if (!reserve((void**)&d->points, &capacity, d->triangle_count, 3 * sizeof *d->points)) d->failed = true;
    capacity = d->triangle_capacity;
    if (!reserve((void**)&d->colors, &capacity, d->triangle_count, 3 * sizeof *d->colors)) d->failed = true;
    if (d->failed) return;
    d->triangle_capacity = capacity;
    for (int i = 0; i < 3; i++) {
        d->points[3 * d->triangle_count + i] = corners[i];
        d->colors[3 * d->triangle_count + i] = color;
    }
    d->triangle_count++;
}

// The canvas of one link: passes on what was requested, and collects the names of everything.
typedef struct easel {
    stage*      stage;
    const char* wanted; // NULL: all of it
    bool        names_only;
} easel;

static bool wants(easel* e, const char* what)
{
    char*       names = e->stage->show_names;
    size_t      size = strlen(what), at = strlen(names);
    const char* seen = names;
    bool        listed = false;
    while (!listed && (seen = strstr(seen, what)) != NULL) {
        listed = (seen == names || seen[-1] == ' ') && (seen[size] == 0 || seen[size] == ',');
        seen += size;
    }
    if (!listed && at + size + 3 < sizeof e->stage->show_names)
        snprintf(names + at, sizeof e->stage->show_names - at, "%s%s", at ? ", " : "", what);
    if (e->wanted && strcmp(e->wanted, what) != 0) return false;
    e->stage->show_found = true;
    return !e->names_only;
}

static picture_color color_of(float value) { return value >= 0.0f ? picture_heat(value) : NEUTRAL; }
static float         thick(const easel* e) { return fmaxf(0.6f, (float)e->stage->d.picture_height / 720.0f); }

static void take_line(void* user, const char* what, sup_vec3 a, sup_vec3 b, float value)
{
    easel* e = user;
    if (!wants(e, what)) return;
    stage_line(e->stage, (picture_line){ .a = a, .b = b, .radius = 1.1f * thick(e), .color = color_of(value) });
}

static void take_point(void* user, const char* what, sup_vec3 at, float value)
{
    easel* e = user;
    if (!wants(e, what)) return;
    stage_line(e->stage, (picture_line){ .a = at, .b = at, .radius = 2.6f * thick(e), .color = color_of(value) });
}

static void take_triangle(void* user, const char* what, sup_vec3 a, sup_vec3 b, sup_vec3 c, float value)
{
    easel* e = user;
    if (wants(e, what)) add_triangle(e->stage, (const sup_vec3[3]){ a, b, c }, color_of(value));
}

// ---------------------------------------------------------------------------------------------- finding the link

// "layers.cells", "smooth#2.lines", "layers": which link with that name, and what of it (NULL: all).
typedef struct show_words {
    char        link[64];
    uint32_t    number; // 0: every link with that name
    const char* what;
} show_words;

static show_words split(const char* text)
{
    show_words  w = { .number = 0 };
    const char* dot_place = strchr(text, '.');
    size_t      size = dot_place ? (size_t)(dot_place - text) : strlen(text);
    snprintf(w.link, sizeof w.link, "%.*s", (int)(size < 63 ? size : 63), text);
    char* number = strchr(w.link, '#');
    if (number) {
        w.number = (uint32_t)strtoul(number + 1, NULL, 10);
        *number = 0;
    }
    if (dot_place && dot_place[1]) w.what = dot_place + 1;
    return w;
}

// Draws onto the easel; returns how many links of that name the chain has.
static uint32_t draw_links(const actor* a, const show_words* w, easel* e)
{
    const sup_canvas canvas = { take_line, take_point, take_triangle, e };
    uint32_t         found = 0, seen = 0;
    for (uint32_t i = 0; i < sup_chain_link_count(a->chain); i++) {
        if (strcmp(sup_chain_link(a->chain, i)->name, w->link) != 0) continue;
        if (w->number && ++seen != w->number) continue;
        found++;
        sup_instance_draw(a->instance, i, a->points, &canvas);
    }
    return found;
}

void stage_show(stage* s, actor* a, bool names_only)
{
    if (!s->d.show) return;
    show_words w = split(s->d.show);
    easel      e = { .stage = s, .wanted = w.what, .names_only = names_only };
    s->show_links += draw_links(a, &w, &e);
}

sup_result stage_check(const stage* s, sup_error* error)
{
    if (!s->d.show || s->show_found) return SUP_OK;
    show_words w = split(s->d.show);
    if (s->show_links == 0)
        return sup_fail(error, SUP_ERROR_INPUT, "--show %s: no chain here has a link '%s'; --deform names the links", s->d.show,
                        w.link);
    if (!s->show_names[0])
        return sup_fail(error, SUP_ERROR_INPUT, "--show %s: the link '%s' has nothing to draw; leave --show out", s->d.show,
                        w.link);
    return sup_fail(error, SUP_ERROR_INPUT, "--show %s: the link '%s' draws no '%s' here; it draws %s",
                    s->d.show, w.link, w.what ? w.what : "", s->show_names);
}
