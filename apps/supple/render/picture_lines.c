// Lines on the screen: projected once, sorted into tiles, and tested at every sample against the depth found there.
#include "picture_scene.h"

#include <stdlib.h>

// A line this close to the skin is not hidden by it; a share of the framed diagonal.
static const float DEPTH_SLACK = 0.004f;

typedef struct screen_line {
    float         ax, ay, bx, by;
    float         a_inverse, b_inverse; // 1 / depth, which is linear on the screen
    float         a_radius, b_radius;
    picture_color color;
    bool          on_top;
} screen_line;

struct line_map {
    uint32_t     columns, rows;
    uint32_t     line_count;
    screen_line* lines;
    uint32_t*    begin; // per tile, plus one past the last
    uint32_t*    list;
    float        slack;
};

float segment_distance(float x, float y, float ax, float ay, float bx, float by, float* t)
{
    float dx = bx - ax, dy = by - ay, square = dx * dx + dy * dy;
    *t = square > 1e-12f ? clampf(((x - ax) * dx + (y - ay) * dy) / square, 0.0f, 1.0f) : 0.0f;
    float ex = x - ax - *t * dx, ey = y - ay - *t * dy;
    return sqrtf(ex * ex + ey * ey);
}

// Clips what lies behind the eye.
static bool project(const view* v, const picture_line* line, screen_line* out)
{
    sup_vec3 a = line->a, b = line->b;
    float    near = 1e-3f * v->diagonal;
    float    da = dot(sub(a, v->eye), v->forward), db = dot(sub(b, v->eye), v->forward);
    if (!(da > near) && !(db > near)) return false;
    if (!(da > near)) a = mad(b, (near - db) / (da - db) * 0.999f, sub(a, b));
    else if (!(db > near)) b = mad(a, (near - da) / (db - da) * 0.999f, sub(b, a));
    if (!view_project(v, a, &out->ax, &out->ay, &da) || !view_project(v, b, &out->bx, &out->by, &db)) return false;
    out->a_inverse = 1.0f / da;
    out->b_inverse = 1.0f / db;
    out->a_radius = line->radius;
    out->b_radius = line->radius_end > 0.0f ? line->radius_end : line->radius;
    out->color = line->color;
    out->on_top = line->on_top;
    return true;
}

// The half-open range of tiles [*low, *high) that a span of pixels touches.
static void span(float a, float b, float reach, uint32_t tiles, uint32_t* low, uint32_t* high)
{
    float limit = (float)tiles * LINE_TILE;
    float from = clampf(fminf(a, b) - reach, 0.0f, limit), to = clampf(fmaxf(a, b) + reach, 0.0f, limit);
    *low = (uint32_t)(from / LINE_TILE);
    *high = (uint32_t)(to / LINE_TILE) + 1;
    if (*high > tiles) *high = tiles;
}

// With list NULL it only counts into begin[tile + 1].
static void sort(line_map* map, uint32_t* next)
{
    for (uint32_t i = 0; i < map->line_count; i++) {
        const screen_line* l = &map->lines[i];
        float              reach = fmaxf(l->a_radius, l->b_radius) + 1.5f;
        uint32_t           x0, x1, y0, y1;
        span(l->ax, l->bx, reach, map->columns, &x0, &x1);
        span(l->ay, l->by, reach, map->rows, &y0, &y1);
        for (uint32_t y = y0; y < y1; y++) {
            for (uint32_t x = x0; x < x1; x++) {
                float middle_x = ((float)x + 0.5f) * LINE_TILE, middle_y = ((float)y + 0.5f) * LINE_TILE, t;
                float away = segment_distance(middle_x, middle_y, l->ax, l->ay, l->bx, l->by, &t);
                if (away > 0.7072f * LINE_TILE + reach) continue;
                uint32_t tile = y * map->columns + x;
                if (next) map->list[next[tile]++] = i;
                else map->begin[tile + 1]++;
            }
        }
    }
}

line_map* line_map_create(const picture_desc* desc, const view* v, sup_error* error)
{
    line_map* map = calloc(1, sizeof *map);
    uint32_t* next = NULL;
    if (!map) goto memory;
    map->columns = (desc->width + LINE_TILE - 1) / LINE_TILE;
    map->rows = (desc->height + LINE_TILE - 1) / LINE_TILE;
    map->slack = DEPTH_SLACK * v->diagonal;
    size_t tiles = (size_t)map->columns * map->rows;
    map->lines = malloc((desc->line_count + 1) * sizeof *map->lines);
    map->begin = calloc(tiles + 1, sizeof *map->begin);
    next = malloc((tiles + 1) * sizeof *next);
    if (!map->lines || !map->begin || !next) goto memory;
    for (uint32_t i = 0; i < desc->line_count; i++)
        if (project(v, &desc->lines[i], &map->lines[map->line_count])) map->line_count++;
    sort(map, NULL);
    for (size_t i = 0; i < tiles; i++) {
        map->begin[i + 1] += map->begin[i];
        next[i] = map->begin[i];
    }
    map->list = malloc((map->begin[tiles] + (size_t)1) * sizeof *map->list);
    if (!map->list) goto memory;
    sort(map, next);
    free(next);
    return map;
memory:
    free(next);
    line_map_destroy(map);
    sup_fail(error, SUP_ERROR_MEMORY, "out of memory while preparing %u lines of the picture", desc->line_count);
    return NULL;
}

void line_map_destroy(line_map* map)
{
    if (!map) return;
    free(map->lines);
    free(map->begin);
    free(map->list);
    free(map);
}

static uint32_t tile_of(const line_map* map, float x, float y)
{
    uint32_t column = (uint32_t)(x / LINE_TILE), row = (uint32_t)(y / LINE_TILE);
    if (column >= map->columns) column = map->columns - 1;
    if (row >= map->rows) row = map->rows - 1;
    return row * map->columns + column;
}

bool line_map_empty(const line_map* map, uint32_t x, uint32_t y)
{
    uint32_t tile = tile_of(map, (float)x, (float)y);
    return map->begin[tile] == map->begin[tile + 1];
}

// The nearest line takes the sample; those on top come before all others, later ones over earlier ones. One line per sample:
// there are many samples, so edges are smooth.
float line_map_cover(const line_map* map, float x, float y, float depth, picture_color* color)
{
    uint32_t           tile = tile_of(map, x, y);
    const screen_line* best = NULL;
    float              best_inverse = 1.0f / (depth + map->slack);
    for (uint32_t i = map->begin[tile]; i < map->begin[tile + 1]; i++) {
        const screen_line* l = &map->lines[map->list[i]];
        float              t, away = segment_distance(x, y, l->ax, l->ay, l->bx, l->by, &t);
        if (away > mix(l->a_radius, l->b_radius, t)) continue;
        float inverse = mix(l->a_inverse, l->b_inverse, t);
        if (l->on_top ? true : !(best && best->on_top) && inverse >= best_inverse) {
            best = l;
            best_inverse = inverse;
        }
    }
    if (!best) return 1.0f;
    *color = best->color;
    return 0.0f;
}
