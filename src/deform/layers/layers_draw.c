// What `render --show layers.WHAT` and the page show: skin, fat, muscle, bone (the layers' triangles), layers (the three inner
// ones), cutaway (their far half, and all of the bone), feet (lines from the skin to the bone layer), contacts (what touches
// what), cage (the surface that carries the tissue), volumes (the skin, one shade per part).
#include "deform/layers/layers.h"

static const char* const layer_names[LAYERS] = { "skin", "fat", "muscle", "bone" };

typedef struct easel {
    const layers_bound* b;
    layers_arrays       s;
    const sup_canvas*   canvas;
} easel;

static sup_vec3 place_of(const easel* e, uint32_t layer, uint32_t point)
{
    return v3_add(sup_particle_place(&e->s.x[(size_t)layer * e->b->stride + point]), e->s.head->origin);
}

static void draw_triangle(const easel* e, const char* what, uint32_t layer, const uint32_t* c, float value)
{
    e->canvas->triangle(e->canvas->user, what, place_of(e, layer, c[0]), place_of(e, layer, c[1]), place_of(e, layer, c[2]),
                        value);
}

static void draw_layers(const easel* e)
{
    for (uint32_t l = 0; l < LAYERS; ++l)
        for (uint32_t t = 0; t < e->b->triangle_count; ++t) {
            const uint32_t* c = e->b->triangles + 3 * (size_t)t;
            draw_triangle(e, layer_names[l], l, c, (float)l / (LAYERS - 1));
            if (l > LAYER_SKIN) draw_triangle(e, "layers", l, c, (float)l / (LAYERS - 1));
            float z = (e->b->rest[c[0]].z + e->b->rest[c[1]].z + e->b->rest[c[2]].z) / 3;
            if (l == LAYER_BONE || z < e->b->middle.z) draw_triangle(e, "cutaway", l, c, (float)l / (LAYERS - 1));
        }
}

// Drawn outside the skin, which would hide it: above a cage by how far the skin protrudes there. Offset along the tissue, which
// is the same for all triangles of a point.
static sup_vec3 outside(const easel* e, uint32_t point)
{
    sup_vec3 at = place_of(e, LAYER_SKIN, point), out = v3_sub(at, place_of(e, LAYER_FAT, point));
    float    over = e->b->ride ? e->b->ride->over[point] : 0;
    return v3_mad(at, over + 0.15f * e->b->mean_edge, v3_normalize(out, v3(0, 0, 0)));
}

static void draw_cage(const easel* e)
{
    for (uint32_t t = 0; t < e->b->triangle_count; ++t) {
        const uint32_t* c = e->b->triangles + 3 * (size_t)t;
        sup_vec3        p[3] = { outside(e, c[0]), outside(e, c[1]), outside(e, c[2]) };
        e->canvas->triangle(e->canvas->user, "cage", p[0], p[1], p[2], -1.0f);
        for (int i = 0; i < 3; ++i)
            if (c[i] < c[(i + 1) % 3]) e->canvas->line(e->canvas->user, "cage", p[i], p[(i + 1) % 3], 0.0f);
    }
}

static void draw_volumes(const easel* e)
{
    const sup_volumes* v = e->b->volumes;
    for (uint32_t p = 0; p < v->part_count; ++p) {
        float shade = (float)(p * 8 % 13) / 12; // neighbors get distant shades, and most parts one of their own
        for (uint32_t t = v->begin[p]; t < v->begin[p + 1]; ++t) {
            const uint32_t* c = v->corners + 3 * (size_t)t;
            if (c[0] < v->point_count && c[1] < v->point_count && c[2] < v->point_count)
                e->canvas->triangle(e->canvas->user, "volumes", outside(e, c[0]), outside(e, c[1]), outside(e, c[2]), shade);
        }
    }
}

void layers_draw(const sup_binding* binding, const sup_pose* pose, const void* state, const sup_vec3* skin,
                 const sup_canvas* canvas)
{
    (void)pose, (void)skin;
    const layers_bound* b = binding->data;
    easel               e = { b, layers_state_cut(b, (void*)state), canvas };
    draw_layers(&e);
    draw_volumes(&e);
    draw_cage(&e);
    for (uint32_t k = 0; k < b->count; ++k)
        canvas->line(canvas->user, "feet", place_of(&e, LAYER_SKIN, k), place_of(&e, LAYER_BONE, k), -1.0f);
    for (uint32_t i = 0; i < e.s.head->shown; ++i) {
        const uint32_t* points = e.s.head->shown_points[i];
        canvas->point(canvas->user, "contacts", place_of(&e, LAYER_SKIN, points[0]), 1.0f);
        if (points[1] != SUP_NONE)
            canvas->line(canvas->user, "contacts", place_of(&e, LAYER_SKIN, points[0]), place_of(&e, LAYER_SKIN, points[1]),
                         1.0f);
    }
}
