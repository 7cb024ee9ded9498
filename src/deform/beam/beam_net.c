// Curves over the character, nodes evenly spaced along them, and what every skin point takes from the nodes.
#include "deform/beam/beam.h"
#include "math/vec.h"

#include <string.h>

/// Limbs without curves fade out over this share of the diagonal.
#define FADE_REACH 0.05f

sup_result beam_net_create(const sup_bind_input* in, const beam_params* p, sup_arena* arena, sup_curve_net* out,
                           sup_error* error)
{
    const sup_mesh* mesh = &in->character->mesh;
    sup_curve_plan  plan = { p->way, (uint32_t)p->curves, p->spacing, p->snap, p->groups, p->edges };
    sup_curves      curves;
    sup_result      r = sup_curves_lay(in, "beam", &plan, arena, &curves, error);
    if (r) return r;
    return sup_curve_net_create(mesh, &curves, (uint32_t)p->intervals, FADE_REACH * mesh->diagonal, "beam", arena, out, error);
}

/// A curve without length has no inside: all of it moves by the mean, and nothing swings.
static void level(const sup_curve_net* net, uint32_t curve, double* rows)
{
    uint32_t per = net->intervals + 1;
    for (uint32_t c = 3 * curve; c < 3 * curve + 3; ++c) {
        double sum = 0;
        for (uint32_t n = 0; n < per; ++n) sum += rows[(size_t)n * net->stride + c];
        for (uint32_t n = 0; n < per; ++n) rows[(size_t)n * net->stride + c] = sum / per;
    }
}

void beam_net_read(const sup_curve_net* net, const sup_vec3* at_points, double* rows)
{
    uint32_t per = net->intervals + 1;
    for (uint32_t i = 0; i < net->node_count; ++i) {
        const sup_node_source* s = &net->sources[i];
        double*                to = rows + (size_t)(i % per) * net->stride + i / per * 3;
        to[0] = to[1] = to[2] = 0;
        for (int k = 0; k < 4; ++k) {
            sup_vec3 q = at_points[s->point[k]];
            to[0] += (double)s->share[k] * q.x, to[1] += (double)s->share[k] * q.y, to[2] += (double)s->share[k] * q.z;
        }
    }
    for (uint32_t c = 0; net->flat && c < net->curves.curve_count; ++c)
        if (!(net->lengths[c] > 0)) level(net, c, rows);
}
