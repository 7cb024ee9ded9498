// Lines, points and triangles for `render --show layers.WHAT`.
#include "deform/layers/layers.h"

static const char* const layer_names[LAYERS] = { "skin", "fat", "muscle", "bone" };

void layers_draw(const sup_binding* binding, const sup_pose* pose, const void* state, const sup_vec3* skin,
                 const sup_canvas* canvas)
{
    (void)pose, (void)skin;
    const layers_bound* b = binding->data;
    layers_arrays       s = layers_state_cut(b, (void*)state);
    for (uint32_t l = 0; l < LAYERS; ++l)
        for (uint32_t t = 0; t < b->triangle_count; ++t) {
            const uint32_t* c = b->triangles + 3 * (size_t)t;
            const sup_vec4* x = s.x + (size_t)l * b->stride;
            canvas->triangle(canvas->user, layer_names[l], sup_particle_place(&x[c[0]]), sup_particle_place(&x[c[1]]),
                             sup_particle_place(&x[c[2]]), (float)l / (LAYERS - 1));
        }
}
