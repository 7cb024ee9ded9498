// Pictures: rays through every pixel, clay under a soft key light, ambient light where the sky is visible, a shadow on the
// ground. The noisy part (the visible shares of sky and lamp) is accumulated apart from the rest (color, lines), so that it can
// be smoothed over neighbors on the same surface without blurring an edge.
#include "picture_light.h"
#include "picture_scene.h"
#include "picture_texture.h"
#include "relief.h"

#include <stdlib.h>
#include <string.h>

enum {
    REACH = 4, // radius of the smoothing on surfaces, pixels
    GROUND_REACH = 7,
    CHUNK_PIXELS = 1 << 20, // larger pictures are made in bands of rows, so that memory stays bounded
    DRAFT_ROWS = 64,        // a draft's bands stay in the cache
    SAMPLES_MAX = 4096,
    FIRST_LOOK = 4, // samples after which an empty pixel is abandoned
};

typedef struct pixel {
    picture_color ambient, key, rest; // light from the sky, from the lamp, and the rest
    float         weight, facing;     // surface samples, and those that face the lamp
    float         sky, lamp;          // their visible shares of either
    sup_vec3      normal;
    float         depth;
    float         ground, ground_count, ground_sky, ground_lamp;
} pixel;

typedef struct drawing {
    const picture_desc* desc;
    const cast_scene*   scene;
    const line_map*     lines;
    view                v;
    uint32_t            strata;     // cells along each side of the square that samples are drawn from
    uint32_t            first, end; // rows in `pixels`
    uint32_t            begin;      // first row of them that is written
    uint32_t            strip;      // first row of the strip that is sampled
    uint32_t            reach;      // rows around those written whose pixels smoothing needs
    pixel*              pixels;
    uint8_t*            edges; // of a draft: for each pixel, whether one sample is not enough
    uint16_t*           cells; // three orders of cells for each tile column
    uint8_t*            out;
} drawing;

// ---------------------------------------------------------------------------------------------- samples

// A small generator of our own, seeded by the pixel: which thread computes a pixel, and when, does not matter.
typedef struct dice {
    uint64_t state;
} dice;

static uint32_t roll(dice* d)
{
    d->state = d->state * 6364136223846793005ull + 1442695040888963407ull;
    uint64_t x = d->state ^ (d->state >> 29);
    x *= 0x9e3779b97f4a7c15ull;
    return (uint32_t)(x >> 32);
}
static float roll_unit(dice* d) { return (float)(roll(d) >> 8) * (1.0f / 16777216.0f); }

// Every sample of a pixel takes a different cell of a square, in a separate order for each purpose.
static void shuffle(dice* d, uint16_t* order, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) order[i] = (uint16_t)i;
    for (uint32_t i = count - 1; i > 0; i--) {
        uint32_t j = (uint32_t)(((uint64_t)roll(d) * (i + 1)) >> 32);
        uint16_t kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
}

static void place_in_cell(dice* d, uint32_t cell, uint32_t strata, float* x, float* y)
{
    *x = ((float)(cell % strata) + roll_unit(d)) / (float)strata;
    *y = ((float)(cell / strata) + roll_unit(d)) / (float)strata;
}

// For values that are smoothed over neighbors: the centers of the cells, shifted by an amount that varies as evenly as possible
// from pixel to pixel (multiples of irrational numbers), so that neighbors complement each other and no blotches remain.
static void place_by_pixel(uint32_t cell, uint32_t strata, const float shift[2], float out[2])
{
    out[0] = ((float)(cell % strata) + 0.5f) / (float)strata + shift[0];
    out[1] = ((float)(cell / strata) + 0.5f) / (float)strata + shift[1];
    out[0] -= floorf(out[0]);
    out[1] -= floorf(out[1]);
}

static float part_behind_point(double value) { return (float)(value - floor(value)); }

typedef struct chance {
    float sky[2], lamp[2]; // places in the unit square
} chance;

// ---------------------------------------------------------------------------------------------- what a place sees

static bool ground_hit(const drawing* g, sup_vec3 from, sup_vec3 direction, float* distance)
{
    if (!g->desc->ground) return false;
    float down = -dot(direction, g->v.world_up), above = dot(from, g->v.world_up) - g->desc->ground_height;
    if (down < 1e-6f || above <= 0.0f) return false;
    *distance = above / down;
    return true;
}

static float see_sky(const drawing* g, sup_vec3 from, sup_vec3 normal, sup_vec3 plane, const float at[2])
{
    sup_vec3 s, t;
    frame_about(normal, &s, &t);
    float    radius = sqrtf(at[0]), angle = 2.0f * (float)PI * at[1];
    sup_vec3 direction = add(add(scale(s, radius * cosf(angle)), scale(t, radius * sinf(angle))),
                             scale(normal, sqrtf(fmaxf(0.0f, 1.0f - at[0]))));
    // A smooth normal may lean over its flat triangle: directions below the triangle are mirrored out.
    float under = dot(direction, plane);
    if (under < 0.0f) direction = mad(direction, -2.0f * under, plane);
    float far = SKY_REACH * g->v.diagonal, floor;
    if (cast_blocked(g->scene, from, direction, far)) return 0.0f;
    return ground_hit(g, from, direction, &floor) && floor < far ? GROUND_BOUNCE : 1.0f;
}

static float see_lamp(const drawing* g, sup_vec3 from, const float at[2])
{
    sup_vec3 s, t;
    if (g->desc->draft) return cast_blocked(g->scene, from, g->v.key, 20.0f * g->v.diagonal) ? 0.0f : 1.0f;
    frame_about(g->v.key, &s, &t);
    float    radius = LAMP_RADIUS * sqrtf(at[0]), angle = 2.0f * (float)PI * at[1];
    sup_vec3 direction = add(g->v.key, add(scale(s, radius * cosf(angle)), scale(t, radius * sinf(angle))));
    return cast_blocked(g->scene, from, unit_or(direction, g->v.key), 20.0f * g->v.diagonal) ? 0.0f : 1.0f;
}

// ---------------------------------------------------------------------------------------------- surfaces

typedef struct skin_point {
    sup_vec3      at;     // origin of shadow rays: on the smooth surface, so that flat triangles do not shade themselves
    sup_vec3      normal; // smooth, toward the eye
    sup_vec3      plane;  // of the triangle, toward the eye
    picture_color albedo;
    float         wire; // coverage by face edges
} skin_point;

static picture_color interpolate(const picture_color* c, const uint32_t index[3], float u, float v)
{
    float w = 1.0f - u - v;
    return (picture_color){ w * c[index[0]].r + u * c[index[1]].r + v * c[index[2]].r,
                            w * c[index[0]].g + u * c[index[1]].g + v * c[index[2]].g,
                            w * c[index[0]].b + u * c[index[1]].b + v * c[index[2]].b };
}

// Coverage by the nearest face edge, from its distance on the screen. Where faces are only a few pixels, the lines thin out.
static float wire_cover(const drawing* g, const picture_surface* s, const ray_hit* hit, float x, float y)
{
    const uint32_t* p = &hit->mesh->points[3 * hit->triangle];
    float           px[3], py[3], depth;
    for (int i = 0; i < 3; i++)
        if (!view_project(&g->v, s->points[p[i]], &px[i], &py[i], &depth)) return 0.0f;
    float best = 1e9f, longest = 0.0f;
    for (int i = 0; i < 3; i++) {
        int   j = (i + 1) % 3;
        float t, away = segment_distance(x, y, px[i], py[i], px[j], py[j], &t);
        longest = fmaxf(longest, hypotf(px[j] - px[i], py[j] - py[i]));
        if (hit->mesh->edges[hit->triangle] & (1 << i)) best = fminf(best, away);
    }
    float twice_area = fabsf((px[1] - px[0]) * (py[2] - py[0]) - (px[2] - px[0]) * (py[1] - py[0]));
    float thin = smooth_step(0.5f, 6.0f, twice_area / fmaxf(longest, 1e-6f));
    float radius = fmaxf(0.45f, 0.5f * g->v.height / 720.0f);
    return clampf(radius + 0.5f - best, 0.0f, 1.0f) * mix(0.25f, 0.8f, thin);
}

// The color of the material's picture there; white if it has none.
static picture_color painted(const picture_surface* s, const uint32_t corners[3], const float weights[3])
{
    const uint32_t* entries = s->corner_entries ? s->corner_entries : s->mesh->corner_vertices;
    uint32_t        number = s->vertex_textures[entries[corners[0]]];
    float           u = 0, v = 0;
    if (number == SUP_NONE || !s->textures[number].pixels) return (picture_color){ 1, 1, 1 };
    for (int i = 0; i < 3; i++) {
        u += weights[i] * s->vertex_uv[entries[corners[i]]][0];
        v += weights[i] * s->vertex_uv[entries[corners[i]]][1];
    }
    return texture_at(&s->textures[number], u, v);
}

// Where the rays of the next samples meet the triangle's plane, to first order.
static relief_step sample_step(const drawing* g, const sup_vec3* skin, const uint32_t points[3], const ray_hit* hit)
{
    const view* v = &g->v;
    float       cells = (float)g->strata;
    sup_vec3 a = sub(skin[points[1]], skin[points[0]]), b = sub(skin[points[2]], skin[points[0]]), off = sub(hit->at, v->eye);
    float    depth = dot(off, v->forward), along = dot(hit->normal, off);
    float    aa = dot(a, a), ab = dot(a, b), bb = dot(b, b), det = aa * bb - ab * ab;
    relief_step step = { { 0, 0 }, { 0, 0 } };
    if (!(det > 1e-6f * aa * bb)) return step;
    along = copysignf(fmaxf(fabsf(along), 1e-6f * depth), along); // seen from the edge
    for (int k = 0; k < 2; k++) {
        sup_vec3 move = k == 0 ? scale(v->right, 2.0f * v->tan_x * depth / (v->width * cells))
                               : scale(v->up, -2.0f * v->tan_y * depth / (v->height * cells));
        move = mad(move, -dot(hit->normal, move) / along, off);
        float up_a = dot(a, move), up_b = dot(b, move);
        step.second[k] = (bb * up_a - ab * up_b) / det;
        step.third[k] = (aa * up_b - ab * up_a) / det;
    }
    return step;
}

static skin_point surface_point(const drawing* g, const ray_hit* hit, float x, float y)
{
    const picture_surface* s = hit->mesh->surface;
    const picture_desc*    d = g->desc;
    float                  side = hit->back ? -1.0f : 1.0f;
    skin_point             p = { .at = hit->at, .plane = scale(hit->normal, side), .albedo = CLAY };
    p.normal = p.plane;
    if (!s) {
        const uint32_t index[3] = { 3 * hit->triangle, 3 * hit->triangle + 1, 3 * hit->triangle + 2 };
        if (d->triangle_colors) p.albedo = interpolate(d->triangle_colors, index, hit->u, hit->v);
    } else {
        const uint32_t* points = &hit->mesh->points[3 * hit->triangle];
        const uint32_t* corners = &hit->mesh->corners[3 * hit->triangle];
        const float     weights[3] = { 1.0f - hit->u - hit->v, hit->u, hit->v };
        if (s->color) p.albedo = *s->color;
        if (s->colors) p.albedo = interpolate(s->colors, points, hit->u, hit->v);
        if (s->corner_colors) p.albedo = interpolate(s->corner_colors, corners, hit->u, hit->v);
        if (s->textures) {
            picture_color c = painted(s, corners, weights);
            p.albedo = (picture_color){ p.albedo.r * c.r, p.albedo.g * c.g, p.albedo.b * c.b };
        }
        if (s->vertex_normals) {
            sup_vec3 normal = vec(0, 0, 0), lifted = vec(0, 0, 0);
            for (int i = 0; i < 3; i++) {
                sup_vec3 n = scale(s->vertex_normals[s->mesh->corner_vertices[corners[i]]], side);
                float    below = fminf(0.0f, dot(sub(hit->at, s->points[points[i]]), n));
                normal = mad(normal, weights[i], n);
                lifted = mad(lifted, weights[i], mad(hit->at, -below, n));
            }
            p.normal = unit_or(normal, p.plane);
            if (s->relief) {
                relief_step step = sample_step(g, s->points, points, hit);
                p.normal = relief_normal(s->relief, points, weights, &step, p.normal);
            }
            p.at = lifted;
        }
        if (hit->back && d->cut && !s->colors && !s->corner_colors) p.albedo = INSIDE;
        if (s->wire) p.wire = wire_cover(g, s, hit, x, y);
    }
    p.at = mad(p.at, 2e-4f * g->v.diagonal, p.plane);
    return p;
}

static void add_color(picture_color* sum, picture_color c, float weight)
{
    sum->r += weight * c.r;
    sum->g += weight * c.g;
    sum->b += weight * c.b;
}

static void shade(const drawing* g, const skin_point* p, sup_vec3 ray, float depth, float weight, const chance* luck,
                  pixel* sum)
{
    light l = light_at(&g->v, p->normal, ray, p->albedo);
    float open = 1.0f - p->wire;
    add_color(&sum->ambient, l.ambient, weight * open);
    add_color(&sum->key, l.key, weight * open);
    add_color(&sum->rest, l.rest, weight * open);
    add_color(&sum->rest, WIRE, weight * p->wire);
    sum->weight += 1.0f;
    sum->sky += g->desc->draft ? DRAFT_SKY : see_sky(g, p->at, p->normal, p->plane, luck->sky);
    // A place that faces away from the lamp takes no light from it and is not used for its neighbors' shadow.
    if (dot(p->normal, g->v.key) > 0.0f) {
        sum->facing += 1.0f;
        sum->lamp += see_lamp(g, p->at, luck->lamp);
    }
    sum->normal = add(sum->normal, p->normal);
    sum->depth += depth;
}

// The first ghost in front: one translucent shell, denser toward its rim. Returns the visible share of what is behind it.
static float shade_ghost(const drawing* g, sup_vec3 ray, float far, pixel* sum)
{
    ray_hit hit;
    // Where both coincide the solid one wins: the ghost shows where it departs.
    if (!cast_ray(g->scene, true, g->v.eye, ray, far - 0.003f * g->v.diagonal, &hit)) return 1.0f;
    skin_point p = surface_point(g, &hit, 0, 0);
    if (!hit.mesh->surface->colors && !hit.mesh->surface->color) p.albedo = GHOST;
    float facing = clampf(-dot(p.normal, ray), 0.0f, 1.0f), rim = (1.0f - facing) * (1.0f - facing);
    float cover = clampf(hit.mesh->surface->alpha * (0.8f + 1.4f * rim), 0.0f, 1.0f);
    light l = light_at(&g->v, p.normal, ray, p.albedo);
    add_color(&sum->rest, l.ambient, cover);
    add_color(&sum->rest, l.key, cover * 0.8f);
    return 1.0f - cover;
}

// ---------------------------------------------------------------------------------------------- one sample

// Whether the ray enters the body through the cut: the next hit is the inside of the skin.
static bool in_section(const drawing* g, sup_vec3 ray, const ray_hit* hit, float* distance)
{
    const picture_desc* d = g->desc;
    if (!d->cut || d->cut_open || !hit->back || !hit->mesh->surface) return false;
    float into = -dot(d->cut_normal, ray), before = dot(d->cut_normal, g->v.eye) - d->cut_distance;
    if (before <= 0.0f || into < 1e-6f) return false;
    *distance = before / into;
    return *distance < hit->distance;
}

static void shade_ground(const drawing* g, sup_vec3 at, float x, float y, float weight, bool look, const chance* luck,
                         pixel* sum)
{
    sup_vec3 away = sub(at, g->v.center);
    away = mad(away, -dot(away, g->v.world_up), g->v.world_up);
    float fade = 1.0f - smooth_step(0.75f, 2.2f, length(away) / g->v.diagonal);
    // Also toward the borders: a shadow that is cut off would end in a line.
    float side = fminf(x, g->v.width - x) / g->v.width;
    fade *= smooth_step(0.0f, 0.08f, side) * smooth_step(0.0f, 0.12f, (g->v.height - y) / g->v.height);
    sum->ground += weight * fade;
    if (fade <= 0.0f || !look) return;
    sup_vec3 from = mad(at, 2e-4f * g->v.diagonal, g->v.world_up);
    sum->ground_count += 1.0f;
    sum->ground_sky += g->desc->draft ? 1.0f : see_sky(g, from, g->v.world_up, g->v.world_up, luck->sky);
    sum->ground_lamp += see_lamp(g, from, luck->lamp);
}

static void sample(const drawing* g, float x, float y, bool look, const chance* luck, pixel* sum)
{
    sup_vec3      ray = view_ray(&g->v, x, y);
    float         along = dot(ray, g->v.forward), floor = INFINITY, section = 0.0f, far = INFINITY;
    ray_hit       hit;
    bool          solid = cast_ray(g->scene, false, g->v.eye, ray, INFINITY, &hit);
    bool          capped = solid && in_section(g, ray, &hit, &section);
    bool          grounded = !solid && ground_hit(g, g->v.eye, ray, &floor);
    picture_color color;
    if (solid) far = capped ? section : hit.distance;
    // On the ground only the skin hides lines: those that sink a little below it stay visible.
    float weight = line_map_cover(g->lines, x, y, far * along, &color);
    if (weight < 1.0f) add_color(&sum->rest, color, 1.0f - weight);
    if (weight <= 0.0f) return;
    if (cast_has_ghosts(g->scene)) weight *= shade_ghost(g, ray, far, sum);
    if (capped) add_color(&sum->rest, light_flat(&g->v, g->desc->cut_normal, SECTION), weight);
    else if (solid) {
        skin_point p = surface_point(g, &hit, x, y);
        shade(g, &p, ray, hit.distance, weight, luck, sum);
    } else {
        add_color(&sum->rest, light_background(g->desc, y / g->v.height), weight);
        if (grounded) shade_ground(g, mad(g->v.eye, floor, ray), x, y, weight, look, luck, sum);
    }
}

static void scale_color(picture_color* c, float s)
{
    c->r *= s;
    c->g *= s;
    c->b *= s;
}

// From sums to means.
static void settle(pixel* p, uint32_t samples)
{
    float each = 1.0f / (float)samples;
    scale_color(&p->ambient, each);
    scale_color(&p->key, each);
    scale_color(&p->rest, each);
    p->ground *= each;
    if (p->weight > 0.0f) {
        p->sky /= p->weight;
        p->depth /= p->weight;
        p->normal = unit_or(p->normal, vec(0, 0, 1));
    }
    if (p->facing > 0.0f) p->lamp /= p->facing;
    if (p->ground_count > 0.0f) {
        p->ground_sky /= p->ground_count;
        p->ground_lamp /= p->ground_count;
    }
}

static void sample_pixel(const drawing* g, uint32_t x, uint32_t y, uint16_t* order, pixel* out)
{
    uint32_t    samples = g->desc->samples, cell_count = g->strata * g->strata, taken = 0;
    dice        d = { ((uint64_t)y << 32 | x) * 0x9e3779b97f4a7c15ull + 0x1234567ull };
    const float shift[2] = { part_behind_point(0.7548776662466927 * x + 0.5698402909980532 * y),
                             part_behind_point(0.4533976515164038 * x + 0.8191725133961644 * y) };
    roll(&d);
    for (uint32_t k = 0; k < 3; k++) shuffle(&d, order + k * cell_count, cell_count);
    *out = (pixel){ 0 };
    while (taken < samples) {
        float  px, py;
        chance luck;
        place_in_cell(&d, order[taken], g->strata, &px, &py);
        place_by_pixel(order[cell_count + taken], g->strata, shift, luck.sky);
        place_by_pixel(order[2 * cell_count + taken], g->strata, shift, luck.lamp);
        // The ground is smooth and wide: half of its samples test the sky.
        sample(g, (float)x + px, (float)y + py, taken % 2 == 0, &luck, out);
        taken++;
        bool empty = out->weight == 0.0f && out->ground == 0.0f && line_map_empty(g->lines, x, y);
        if (taken == FIRST_LOOK && empty && !cast_has_ghosts(g->scene)) break;
    }
    settle(out, taken);
}

static void sample_middle(const drawing* g, uint32_t x, uint32_t y, pixel* out)
{
    static const chance none = { 0 };
    *out = (pixel){ 0 };
    sample(g, (float)x + 0.5f, (float)y + 0.5f, true, &none, out);
    settle(out, 1);
}

// Pixels of a strip, tile by tile: all of them, or the edges of a draft once these are known.
static void sample_strip(const drawing* g, uint32_t begin, uint32_t end, bool edges)
{
    uint32_t stop = g->strip + LINE_TILE < g->end ? g->strip + LINE_TILE : g->end;
    for (uint32_t tile = begin; tile < end; tile++) {
        uint32_t x1 = (tile + 1) * LINE_TILE < g->desc->width ? (tile + 1) * LINE_TILE : g->desc->width;
        for (uint32_t y = g->strip; y < stop; y++)
            for (uint32_t x = tile * LINE_TILE; x < x1; x++) {
                size_t at = (size_t)(y - g->first) * g->desc->width + x;
                if (edges && !g->edges[at]) continue;
                if (g->desc->draft && !edges) sample_middle(g, x, y, &g->pixels[at]);
                else sample_pixel(g, x, y, &g->cells[(size_t)3 * tile * g->strata * g->strata], &g->pixels[at]);
            }
    }
}

static void sample_tiles(void* data, uint32_t begin, uint32_t end) { sample_strip(data, begin, end, false); }

static void sample_edges(void* data, uint32_t begin, uint32_t end) { sample_strip(data, begin, end, true); }

// ---------------------------------------------------------------------------------------------- smoothing and output

typedef struct seen {
    float sky, lamp, ground_sky, ground_lamp;
} seen;

// The pixels within `reach` of a place.
typedef struct window {
    uint32_t x0, x1, y0, y1;
} window;

static window around(const drawing* g, uint32_t x, uint32_t y, uint32_t reach)
{
    uint32_t width = g->desc->width;
    return (window){ x > reach ? x - reach : 0, x + reach < width ? x + reach : width - 1,
                     y > g->first + reach ? y - reach : g->first, y + reach < g->end ? y + reach : g->end - 1 };
}

static float nearness(uint32_t i, uint32_t j, uint32_t x, uint32_t y, float reach)
{
    float dx = (float)i - (float)x, dy = (float)j - (float)y;
    return 1.0f - (dx * dx + dy * dy) / ((reach + 1.0f) * (reach + 1.0f));
}

// Neighbors on the same piece of surface: close on the screen, in depth and in direction.
static void smooth_surface(const drawing* g, uint32_t x, uint32_t y, seen* out)
{
    const pixel* rows = g->pixels;
    const pixel* here = &rows[(size_t)(y - g->first) * g->desc->width + x];
    window       w = around(g, x, y, REACH);
    float        total = 0.0f, facing = 0.0f, depth_scale = 1.0f / (0.03f * g->v.diagonal);
    for (uint32_t j = w.y0; j <= w.y1; j++) {
        for (uint32_t i = w.x0; i <= w.x1; i++) {
            const pixel* p = &rows[(size_t)(j - g->first) * g->desc->width + i];
            float        near = nearness(i, j, x, y, REACH);
            if (near <= 0.0f || p->weight <= 0.0f) continue;
            float same = clampf(6.0f * dot(here->normal, p->normal) - 5.0f, 0.0f, 1.0f);
            float level = clampf(1.0f - fabsf(here->depth - p->depth) * depth_scale, 0.0f, 1.0f);
            float share = near * same * same * level + (p == here ? 1e-6f : 0.0f);
            total += share * p->weight;
            facing += share * p->facing;
            out->sky += share * p->weight * p->sky;
            out->lamp += share * p->facing * p->lamp;
        }
    }
    out->sky /= total;
    if (facing > 0.0f) out->lamp /= facing;
}

// A draft's rays all go to the center of the lamp: there is no noise to smooth.
static void take_draft(const pixel* p, seen* out)
{
    out->sky = p->sky;
    out->lamp = p->lamp;
    out->ground_sky = 1.0f;
    out->ground_lamp = p->ground_count > 0.0f ? p->ground_lamp : 1.0f;
}

// The ground is flat, and its shadows are soft: all of it counts.
static void smooth_ground(const drawing* g, uint32_t x, uint32_t y, seen* out)
{
    window w = around(g, x, y, GROUND_REACH);
    float  total = 0.0f;
    for (uint32_t j = w.y0; j <= w.y1; j++) {
        for (uint32_t i = w.x0; i <= w.x1; i++) {
            const pixel* p = &g->pixels[(size_t)(j - g->first) * g->desc->width + i];
            float        near = nearness(i, j, x, y, GROUND_REACH);
            if (near <= 0.0f || p->ground_count <= 0.0f) continue;
            float share = near * p->ground_count;
            total += share;
            out->ground_sky += share * p->ground_sky;
            out->ground_lamp += share * p->ground_lamp;
        }
    }
    out->ground_sky = total > 0.0f ? out->ground_sky / total : 1.0f;
    out->ground_lamp = total > 0.0f ? out->ground_lamp / total : 1.0f;
}

// Ordered dithering, four by four: the background gradient has fewer steps than rows, and would show bands.
static float threshold(uint32_t x, uint32_t y)
{
    static const uint8_t order[4][4] = { { 0, 8, 2, 10 }, { 12, 4, 14, 6 }, { 3, 11, 1, 9 }, { 15, 7, 13, 5 } };
    return ((float)order[y % 4][x % 4] + 0.5f) / 16.0f;
}

static picture_color compose(const drawing* g, uint32_t x, uint32_t y)
{
    const pixel*  p = &g->pixels[(size_t)(y - g->first) * g->desc->width + x];
    picture_color c = p->rest, lit = { 0 };
    seen          s = { 0 };
    bool          draft = g->desc->draft;
    if (draft) take_draft(p, &s);
    if (p->weight > 0.0f) {
        if (!draft) smooth_surface(g, x, y, &s);
        add_color(&lit, p->ambient, s.sky);
        add_color(&lit, p->key, s.lamp);
        add_color(&c, light_soften(lit), 1.0f);
    }
    if (p->ground > 0.0f) {
        if (!draft) smooth_ground(g, x, y, &s);
        float dark = GROUND_SKY * (1.0f - s.ground_sky) + GROUND_LAMP * (1.0f - s.ground_lamp);
        add_color(&c, light_background(g->desc, ((float)y + 0.5f) / g->v.height), -dark * p->ground);
    }
    return c;
}

static void finish_rows(void* data, uint32_t begin, uint32_t end)
{
    const drawing* g = data;
    for (uint32_t y = g->begin + begin; y < g->begin + end; y++) {
        for (uint32_t x = 0; x < g->desc->width; x++) {
            const pixel* p = &g->pixels[(size_t)(y - g->first) * g->desc->width + x];
            light_encode(compose(g, x, y), p->weight > 0.0f ? 0.5f : threshold(x, y),
                         &g->out[3 * ((size_t)y * g->desc->width + x)]);
        }
    }
}

// For a draft: pixels that differ from a neighbor by more than a soft change of light.
static void find_edges(void* data, uint32_t begin, uint32_t end)
{
    const drawing* g = data;
    const float    change = 0.03f;
    for (uint32_t y = g->first + begin; y < g->first + end; y++) {
        for (uint32_t x = 0; x < g->desc->width; x++) {
            window        w = around(g, x, y, 1);
            picture_color here = compose(g, x, y);
            bool          edge = false;
            for (uint32_t k = 0; k < 4 && !edge; k++) {
                picture_color c = compose(g, k == 0 ? w.x0 : k == 1 ? w.x1 : x, k == 2 ? w.y0 : k == 3 ? w.y1 : y);
                edge = fabsf(c.r - here.r) + fabsf(c.g - here.g) + fabsf(c.b - here.b) > change;
            }
            g->edges[(size_t)(y - g->first) * g->desc->width + x] = edge;
        }
    }
}

// Rows begin up to end: sampled together with the neighbors that smoothing needs, then written. False if the user cancelled.
static bool draw_chunk(drawing* g, const sup_tasks* tasks, uint32_t begin, uint32_t end)
{
    uint32_t tiles = (g->desc->width + LINE_TILE - 1) / LINE_TILE;
    g->first = begin > g->reach ? begin - g->reach : 0;
    g->end = end + g->reach < g->desc->height ? end + g->reach : g->desc->height;
    for (g->strip = g->first; g->strip < g->end; g->strip += LINE_TILE) {
        double done = ((double)g->strip - g->first) / (g->end - g->first) * (end - begin) + begin;
        if (!sup_progress_report(g->desc->progress, done / g->desc->height, "picture")) return false;
        sup_tasks_run(tasks, tiles, 1, sample_tiles, g);
    }
    if (g->desc->draft) {
        sup_tasks_run(tasks, g->end - g->first, 8, find_edges, g);
        for (g->strip = g->first; g->strip < g->end; g->strip += LINE_TILE) sup_tasks_run(tasks, tiles, 1, sample_edges, g);
    }
    g->begin = begin;
    sup_tasks_run(tasks, end - begin, 8, finish_rows, g);
    return true;
}

static sup_result draw(const picture_desc* desc, const sup_tasks* tasks, image* out, sup_error* error)
{
    uint32_t rows = desc->draft ? DRAFT_ROWS : CHUNK_PIXELS / desc->width > 64 ? CHUNK_PIXELS / desc->width : 64;
    drawing  g = { .desc = desc, .v = view_make(desc), .strata = 1, .out = out->pixels };
    g.reach = desc->draft ? 1 : GROUND_REACH;
    while (g.strata * g.strata < desc->samples) g.strata++;
    cast_scene* scene = cast_scene_create(desc, error);
    if (!scene) return error ? error->code : SUP_ERROR_MEMORY;
    line_map*  lines = line_map_create(desc, &g.v, error);
    sup_result result = lines ? SUP_OK : SUP_ERROR_MEMORY;
    g.scene = scene;
    g.lines = lines;
    if (rows > desc->height) rows = desc->height;
    g.pixels = malloc((size_t)(rows + 2 * GROUND_REACH) * desc->width * sizeof *g.pixels);
    g.edges = calloc((size_t)(rows + 2 * GROUND_REACH) * desc->width, 1);
    g.cells = malloc(((desc->width + LINE_TILE - 1) / LINE_TILE) * (size_t)3 * g.strata * g.strata * sizeof *g.cells);
    if (!g.pixels || !g.cells || !g.edges)
        result = sup_fail(error, SUP_ERROR_MEMORY, "out of memory while drawing; lower --size");
    for (uint32_t y = 0; y < desc->height && result == SUP_OK; y += rows)
        if (!draw_chunk(&g, tasks, y, y + rows < desc->height ? y + rows : desc->height))
            result = sup_fail(error, SUP_ERROR_CANCELLED, "stopped");
    free(g.pixels);
    free(g.cells);
    free(g.edges);
    line_map_destroy(lines);
    cast_scene_destroy(scene);
    return result;
}

bool picture_render(const picture_desc* desc, const sup_tasks* tasks, image* out, sup_error* error)
{
    picture_desc safe = *desc;
    if (safe.samples < 1) safe.samples = 1;
    if (safe.samples > SAMPLES_MAX) safe.samples = SAMPLES_MAX;
    if (!image_create(out, safe.width, safe.height, (picture_color){ 0, 0, 0 })) {
        sup_fail(error, SUP_ERROR_MEMORY, "out of memory for a picture of %u x %u; lower --size", safe.width, safe.height);
        return false;
    }
    if (draw(&safe, tasks, out, error) == SUP_OK) return true;
    image_free(out);
    return false;
}
