// How motion begins. Skin that starts crossed never comes apart: contacts cannot know its sides. So the pre-roll bends the
// character from its bind pose, where nothing crosses except what is meant to, into the first pose, and then holds it there.
#include "deform/layers/layers_run.h"
#include "math/trig.h"

#include <math.h>

static const double turn_per_step = 0.02; // radians per step of the joint that turns most
static const double turn_least = 0.1;     // a joint that turns less starts where it is
static const double ramp_most = 0.7;      // of the pre-roll

static double largest_turn(const layers_bound* b, const sup_pose* pose)
{
    double most = 0;
    for (uint32_t j = b->root + 1; j < pose->joint_count; ++j) {
        double turn = 2 * sup_acos(fabs((double)quat_dot(b->bind.local[j].rotation, pose->local[j].rotation)));
        if (turn > most) most = turn;
    }
    return most;
}

uint32_t layers_ramp_steps(const layers_bound* b, const sup_frame* frame)
{
    if (!frame->settling) return 0;
    double turn = largest_turn(b, frame->end), steps = ceil(turn / turn_per_step),
           most = floor(ramp_most * frame->settling_steps);
    if (!(turn > turn_least)) return 0;
    return (uint32_t)(steps < most ? steps : most);
}

// Eases in and out.
static double eased(double t) { return t <= 0 ? 0 : t >= 1 ? 1 : t * t * (3 - 2 * t); }

void layers_pose(layers_run* r, uint32_t i, uint32_t n, sup_pose* out)
{
    const layers_bound* b = r->b;
    const layers_state* s = r->s.head;
    double              done = (double)s->ramp_left - r->frame->settling_steps - 1 + (double)i / n;
    if (!r->ramping || done >= s->ramp) {
        if (i == 0 && !r->frame->start) sup_pose_copy(r->frame->end, out);
        else sup_frame_pose(r->frame, i, n, out);
        return;
    }
    sup_pose_copy(&b->bind, &r->bent);
    for (uint32_t j = 0; j <= b->root; ++j) r->bent.local[j] = r->frame->end->local[j]; // in place from the start
    sup_pose_blend(b->character, &r->bent, r->frame->end, eased(done / s->ramp), out);
}

// What was held in its first pose starts with the speed of its skin there.
void layers_set_out(layers_run* r)
{
    float per = (float)(1.0 / r->frame->dt);
    for (size_t i = 0; i < (size_t)LAYERS * r->b->stride; ++i) {
        sup_vec4* v = &r->s.v[i];
        sup_vec3  u = v3_mad(v3(v->x, v->y, v->z), per, v3_sub(r->end[i], r->start[i]));
        if (i % r->b->stride < r->b->count) *v = (sup_vec4){ u.x, u.y, u.z, 0 };
    }
}
