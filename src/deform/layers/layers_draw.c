// What `render --show layers.WHAT` and the page see: skin, fat, muscle, bone (the layers' triangles), layers (the three inner
// ones), cutaway (the half of them behind the middle, and all of the bone), feet (ways from the skin to the bone layer),
// contacts (what touches what), cage (the surface that carries the tissue), volumes (the skin, a shade for each part).
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

// A little outside the skin, which would hide it else.
static void draw_outside(const easel* e, const char* what, const uint32_t* c, float value)
{
    sup_vec3 p[3];
    for (int i = 0; i < 3; ++i) p[i] = place_of(e, LAYER_SKIN, c[i]);
    sup_vec3 n = v3_normalize(v3_cross(v3_sub(p[1], p[0]), v3_sub(p[2], p[0])), v3(0, 0, 0));
    for (int i = 0; i < 3; ++i) p[i] = v3_mad(p[i], 0.15f * e->b->mean_edge, n);
    e->canvas->triangle(e->canvas->user, what, p[0], p[1], p[2], value);
}

// Whole, and so far outside that it hides the skin: along the tissue, which goes the same way from all triangles of a point.
static void draw_cage(const easel* e)
{
    for (uint32_t t = 0; t < e->b->triangle_count; ++t) {
        sup_vec3 p[3];
        for (int i = 0; i < 3; ++i) {
            uint32_t k = e->b->triangles[3 * (size_t)t + i];
            sup_vec3 at = place_of(e, LAYER_SKIN, k), out = v3_normalize(v3_sub(at, place_of(e, LAYER_FAT, k)), v3(0, 0, 0));
            p[i] = v3_mad(at, 0.3f * e->b->mean_edge, out);
        }
        e->canvas->triangle(e->canvas->user, "cage", p[0], p[1], p[2], -1.0f);
        for (int i = 0; i < 3; ++i)
            if (e->b->triangles[3 * (size_t)t + i] < e->b->triangles[3 * (size_t)t + (i + 1) % 3])
                e->canvas->line(e->canvas->user, "cage", p[i], p[(i + 1) % 3], 0.0f);
    }
}

static void draw_volumes(const easel* e)
{
    const sup_volumes* v = e->b->volumes;
    for (uint32_t p = 0; p < v->part_count; ++p) {
        float shade = (float)(p * 8 % 13) / 12; // neighbors far apart, most parts a shade of their own
        for (uint32_t t = v->begin[p]; t < v->begin[p + 1]; ++t) {
            const uint32_t* c = v->corners + 3 * (size_t)t;
            if (c[0] < v->point_count && c[1] < v->point_count && c[2] < v->point_count) draw_outside(e, "volumes", c, shade);
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
