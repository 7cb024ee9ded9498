// Muscles: an activation from 0 to 1 per joint shortens the flesh of its bone toward the middle and thickens it there. The
// regions' reference shape moves, elasticity does the rest, and the sub-volumes make sure that what swells in the middle comes
// from the ends.
//
//   s along the bone from 0 to 1, B = 0.35 muscle activation
//   distance from the bone x (1 + B sin^2(pi s)),   s' = s + B sin(2 pi s) / (4 pi)
// Fat and skin ride on the muscle below them; bone stays. Activations come from the world file; without any, a joint that bends
// flexes the muscle of the bone above it on the inner side of the bend: the biceps of a bent elbow.
#include "deform/layers/layers_run.h"
#include "math/trig.h"

#include <math.h>
#include <string.h>

static const float  full_swelling = 0.35f;    // B at full activation
static const double full_flexion = 2.0943951; // radians, 120 degrees: a fully flexed elbow
static const float  far_side = 0.2f;          // of the thickening, on the stretched side
static const double turn = 6.283185307179586;

typedef struct muscle {
    sup_vec3 head, along; ///< of its bone at rest
    float    length, activation;
    sup_vec3 side; ///< the inner side of the bend; zero: all around
} muscle;

static sup_quat rotation_of(const sup_affine* a)
{
    sup_mat3 m;
    sup_quat q = quat_identity();
    for (int i = 0; i < 9; ++i) m.m[i / 3][i % 3] = a->m[i / 3][i % 3];
    rotation_extract(&m, &q);
    return q;
}

// The bone from the joint to its first child, and how far it is bent from its rest direction.
static muscle muscle_of(const layers_run* r, const sup_bone* bone)
{
    const layers_bound* b = r->b;
    const sup_skeleton* s = &b->character->skeleton;
    const float*        given = r->frame->world->activations;
    muscle              m = { .head = bone->head, .along = v3_sub(bone->tail, bone->head) };
    m.length = v3_length(m.along);
    m.along = v3_normalize(m.along, v3(0, 0, 0));
    if (given) {
        m.activation = sup_clampf(given[bone->joint], 0, 1);
        return m;
    }
    sup_quat own = rotation_of(&r->frame->end->skin[bone->joint]), next = rotation_of(&r->frame->end->skin[bone->child]);
    sup_quat bent = quat_normalize(quat_mul(quat_conjugate(own), next));
    m.activation = sup_clampf((float)(2 * sup_acos(fabs((double)bent.w)) / full_flexion), 0, 1);
    for (uint32_t i = 0; i < s->bone_count; ++i) {
        if (s->bones[i].joint != bone->child) continue;
        sup_vec3 way = v3_normalize(v3_sub(s->bones[i].tail, s->bones[i].head), m.along);
        sup_vec3 moved = v3_sub(quat_rotate(bent, way), way);
        m.side = v3_normalize(v3_mad(moved, -v3_dot(moved, m.along), m.along), v3(0, 0, 0));
        break;
    }
    return m;
}

// How far the flesh at p moves.
static sup_vec3 shift_at(const muscle* m, sup_vec3 p, float strength)
{
    sup_vec3 to = v3_sub(p, m->head);
    float    at = v3_dot(to, m->along), s = at / m->length;
    if (!(s > 0 && s < 1)) return v3(0, 0, 0);
    float    a = full_swelling * strength * m->activation;
    sup_vec3 out = v3_mad(to, -at, m->along);
    float    bell = 0.5f - 0.5f * (float)sup_cos(turn * s), thicker = a * bell; // sin^2(pi s)
    if (v3_length2(m->side) > 0) {
        float towards = v3_dot(v3_normalize(out, m->side), m->side);
        thicker *= far_side + (1 - far_side) * (0.5f + 0.5f * towards);
    }
    return v3_mad(v3_scale(out, thicker), 0.5f * m->length * a * (float)(sup_sin(turn * s) / turn), m->along);
}

typedef struct flex_job {
    layers_run*   r;
    uint32_t      joint;
    const muscle* m;
} flex_job;

static void flex_task(void* data, uint32_t begin, uint32_t end)
{
    const flex_job*     j = data;
    const layers_bound* b = j->r->b;
    for (uint32_t k = begin; k < end && k < b->count; ++k) {
        float weight = 0;
        for (uint32_t i = b->weight_begin[k]; i < b->weight_begin[k + 1]; ++i)
            if (b->weight_joints[i] == j->joint) weight += b->weight_values[i];
        if (!(weight > 0)) continue;
        float    strength = layers_value(b, ROW_MUSCLE, j->r->p->muscle, k);
        sup_vec3 d = v3_scale(shift_at(j->m, b->rest[(size_t)LAYER_MUSCLE * b->stride + k], strength), weight);
        for (size_t l = LAYER_SKIN; l <= LAYER_MUSCLE; ++l) sup_particle_move(&j->r->y[l * b->stride + k], 1, d);
    }
}

void layers_flex(layers_run* r)
{
    const layers_bound* b = r->b;
    const sup_skeleton* s = &b->character->skeleton;
    r->muscles = r->p->muscle > 0 || b->fields[ROW_MUSCLE].scale;
    if (!r->muscles) return;
    memcpy(r->y, b->match.y, (size_t)LAYERS * b->stride * sizeof *r->y);
    for (uint32_t i = 0; i < s->bone_count; ++i) {
        const sup_bone* bone = &s->bones[i];
        if (bone->child == SUP_NONE) continue;
        muscle m = muscle_of(r, bone);
        if (!(m.activation > 0) || !(m.length > 0)) continue;
        flex_job job = { r, bone->joint, &m };
        sup_tasks_run(r->tasks, b->stride, LAYERS_GRAIN, flex_task, &job);
    }
    sup_match_centers(&b->match, r->y, r->tasks, r->c0);
}
