// Limits so that no slider can break a character. Each limits a class of settings, not a single one:
//
//   stiffness   at least 0.04, or nothing defines the skin's place
//   strain      edges resist below 0.3 and above 3.3 of their rest length even with `squeeze` off; a limit above 0.6 asks a
//               crease for edges that it has no room for, and it never comes to rest
//   tether      at least 0.3 depths near joints: otherwise a crease cannot form where skinning puts it
//   rounds      strain is relaxed equally often per step, however few substeps and iterations there are
//   coupling    at least 0.05 of the way per round
//   lag         a bone layer that follows the skeleton loosely stays within half a depth and half a radian of it
//   paper       with the paper's order, stiffness is a share of the way per iteration; with fewer iterations than the paper
//               it means nothing
#include "deform/layers/layers_limits.h"

#include "geom/search/near_points.h"
#include "math/rotation.h"
#include "math/trig.h"

#include <math.h>

static const float squeeze_least = 0.3f, squeeze_most = 0.6f;
static const float lag_depths = 0.5f;             // of the distance from the skin to the bone layer
static const float lag_turn = 0.5f;               // radians
static const float tether_least = 0.3f;           // depths, near joints
static const float near_joint = 2, far_joint = 4; // depths from a joint: the range over which the minimum tether shrinks
enum { PAPER_ITERATIONS = 15, STRAIN_ROUNDS = 8 };

layers_params layers_limit(const layers_params* asked)
{
    layers_params p = *asked;
    for (int l = 0; l < LAYERS; ++l) p.stiffness[l] = fmaxf(p.stiffness[l], LAYERS_SOFTEST);
    p.coupling = fmaxf(p.coupling, LAYERS_LOOSEST);
    p.squeeze = sup_clampf(p.squeeze, squeeze_least, squeeze_most);
    if (p.paper_order && p.iterations < PAPER_ITERATIONS) p.iterations = PAPER_ITERATIONS;
    return p;
}

static void note(const sup_bind_input* in, int row, double asked, double used, const char* why)
{
    if (asked != used) sup_note(in->notes, "%s=%g is limited to %g: %s", layers_rows[row].name, asked, used, why);
}

void layers_note_limits(const sup_bind_input* in)
{
    const layers_params* p = in->params;
    layers_params        used = layers_limit(p);
    for (int l = 0; l < LAYER_BONE; ++l)
        note(in, ROW_STIFFNESS_SKIN + l, (double)p->stiffness[l], (double)used.stiffness[l],
             "softer tissue is a liquid, and nothing would keep the skin in its place");
    note(in, ROW_COUPLING, (double)p->coupling, (double)used.coupling, "the bone layer would not come to rest");
    if (p->squeeze > 0)
        note(in, ROW_SQUEEZE, (double)p->squeeze, (double)used.squeeze, "creases have no room for more, or never rest");
    note(in, ROW_ITERATIONS, p->iterations, used.iterations,
         "stiffness in the paper's order grows with iterations, and it took 15 or more");
}

// Joints where a bone continues in another.
static sup_result find_joints(const sup_skeleton* s, sup_arena* scratch, sup_near_points* out, sup_error* error)
{
    uint32_t  count = 0;
    sup_vec3* joints = SUP_NEW(scratch, sup_vec3, s->bone_count);
    if (!joints) return sup_fail_memory(error, "layers");
    for (uint32_t i = 0; i < s->bone_count; ++i)
        if (s->bones[i].child != SUP_NONE) joints[count++] = s->bones[i].tail;
    return sup_near_points_create(joints, count, scratch, out, error);
}

sup_result layers_bind_limits(sup_arena* arena, layers_bound* b, sup_error* error)
{
    sup_near_points joints;
    sup_arena*      scratch = sup_arena_beside(arena);
    float*          least = SUP_NEW(arena, float, b->stride);
    sup_result      r =
        scratch && least ? find_joints(&b->character->skeleton, scratch, &joints, error) : sup_fail_memory(error, "layers");
    for (uint32_t k = 0; !r && k < b->count; ++k) {
        sup_vec3 bone = b->rest[(size_t)LAYER_BONE * b->stride + k];
        float    depth = v3_distance(bone, b->rest[k]), nearest = sup_near_points_distance(&joints, bone, far_joint * depth);
        least[k] = tether_least * (1 - sup_smoothstep(near_joint * depth, far_joint * depth, nearest));
    }
    sup_arena_destroy(scratch);
    b->tether_least = least;
    return r;
}

int layers_strain_rounds(const layers_run* r)
{
    int rounds = (int)r->substeps * r->p->iterations;
    return rounds >= STRAIN_ROUNDS ? 1 : (STRAIN_ROUNDS + rounds - 1) / rounds;
}

void layers_bind_lag(layers_run* r, uint32_t k)
{
    const layers_bound* b = r->b;
    size_t              i = (size_t)LAYER_BONE * b->stride + k;
    if (k >= b->count) return;
    sup_vec3 off = v3_sub(sup_particle_place(&r->s.x[i]), r->targets[k]);
    float    length = v3_length(off), most = lag_depths * v3_distance(b->rest[k], b->rest[i]);
    if (!(length <= most)) sup_particle_pin(&r->s.x[i], length > 0 ? v3_mad(r->targets[k], most / length, off) : r->targets[k]);
    sup_quat wanted = r->s.q[i];
    rotation_extract(&r->turns[k], &wanted);
    float cosine = fabsf(quat_dot(wanted, r->s.q[i])), angle = cosine < 1 ? (float)(2 * sup_acos((double)cosine)) : 0;
    if (!(angle <= lag_turn)) r->s.q[i] = angle > 0 ? quat_slerp(wanted, r->s.q[i], lag_turn / angle) : wanted;
}
