// Finds the points that touch the ground.
#include "rig/retarget/soles.h"

#include "base/internal.h"
#include "math/vec.h"

static void add(soles* s, uint32_t joint, sup_vec3 place)
{
    if (s->count == SOLE_POINTS_MAX) return;
    s->joints[s->count] = joint;
    s->places[s->count++] = place;
}

// ---------------------------------------------------------------------------------------------- captured

static sup_vec3 into_joint(const figure* f, uint32_t joint, sup_vec3 p)
{
    return quat_rotate(quat_conjugate(f->rotations[joint]), v3_sub(p, f->positions[joint]));
}

static float height(const figure* f, sup_vec3 p) { return v3_dot(p, f->up); }

static void add_foot(const figure* f, const uint32_t* limb, soles* out)
{
    // Behind the ankle, in lengths of the foot.
    static const float HEEL = 0.25f;
    uint32_t           foot = limb[ROLE_FOOT], last = foot, second = limb[ROLE_TOE] == SUP_NONE ? foot : limb[ROLE_TOE];
    if (foot == SUP_NONE) return;
    sup_vec3 ankle = f->positions[foot];
    float    low = height(f, ankle), far = 0;
    for (uint32_t j = foot + 1; j < f->joint_count; ++j) {
        if (!body_is_above(f->parents, foot, j)) continue;
        sup_vec3 away = v3_sub(f->positions[j], ankle);
        float    reach = v3_length(v3_mad(away, -v3_dot(away, f->up), f->up)), h = height(f, f->positions[j]);
        low = h < low ? h : low;
        if (reach > far) far = reach, last = j;
    }
    sup_vec3 toward = v3_sub(f->positions[last], ankle);
    toward = v3_mad(toward, -v3_dot(toward, f->up), f->up);
    sup_vec3 points[3] = { v3_mad(ankle, -HEEL, toward), f->positions[second], f->positions[last] };
    uint32_t joints[3] = { foot, foot, second };
    for (int i = 0; i < 3; ++i) {
        sup_vec3 p = v3_mad(points[i], low - height(f, points[i]), f->up);
        add(out, joints[i], into_joint(f, joints[i], p));
    }
}

void soles_of_mocap(const figure* f, soles* out)
{
    out->count = 0;
    for (int side = 0; side < 2; ++side) add_foot(f, f->body.limbs[side], out);
}

// ---------------------------------------------------------------------------------------------- skin

typedef struct extremes {
    bool     found;
    float    low, heights;
    float    reach[4];
    uint32_t points[4], joints[4];
} extremes;

static uint32_t foot_of(const sup_character* c, const uint32_t* limb, uint32_t point)
{
    uint32_t joint = c->weights.joints[c->weights.begin[point]];
    for (uint32_t j = joint; j != SUP_NONE; j = c->skeleton.joints[j].parent)
        if (j == limb[ROLE_FOOT] || j == limb[ROLE_TOE]) return joint;
    return SUP_NONE;
}

static void find_extremes(const sup_character* c, const sup_pose* reference, const figure* f, const uint32_t* limb, extremes* e)
{
    // Only the lowest part of a foot ever touches the ground; this share of its height counts as its sole.
    static const float SOLE = 0.2f;
    sup_vec3           side = v3_cross(f->up, f->forward), directions[4];
    directions[0] = f->forward, directions[1] = v3_scale(f->forward, -1), directions[2] = side,
    directions[3] = v3_scale(side, -1);
    float high = 0;
    for (int pass = 0; pass < 2; ++pass)
        for (uint32_t p = 0; p < c->mesh.point_count; ++p) {
            if (c->weights.begin[p] == c->weights.begin[p + 1]) continue;
            uint32_t joint = foot_of(c, limb, p);
            if (joint == SUP_NONE) continue;
            sup_vec3 place = affine_point(&reference->skin[joint], c->mesh.points[p]);
            float    h = height(f, place);
            if (pass == 0) {
                e->low = !e->found || h < e->low ? h : e->low;
                high = !e->found || h > high ? h : high;
                e->found = true;
            } else if (h <= e->low + SOLE * (high - e->low)) {
                for (int k = 0; k < 4; ++k) {
                    float reach = v3_dot(place, directions[k]);
                    if (e->points[k] != SUP_NONE && reach <= e->reach[k]) continue;
                    e->reach[k] = reach;
                    e->points[k] = p;
                    e->joints[k] = joint;
                }
            }
        }
}

void soles_of_character(const sup_character* c, const sup_pose* reference, figure* f, soles* out)
{
    float lowest = INFINITY;
    out->count = 0;
    for (int side = 0; side < 2; ++side) {
        const uint32_t* limb = f->body.limbs[side];
        if (limb[ROLE_FOOT] == SUP_NONE) continue;
        extremes e = { .points = { SUP_NONE, SUP_NONE, SUP_NONE, SUP_NONE } };
        find_extremes(c, reference, f, limb, &e);
        for (int k = 0; k < 4 && e.found; ++k)
            add(out, e.joints[k], affine_point(&c->skeleton.joints[e.joints[k]].inverse_bind, c->mesh.points[e.points[k]]));
        if (!e.found)
            for (int role = ROLE_FOOT; role <= ROLE_TOE; ++role) {
                if (limb[role] == SUP_NONE) continue;
                float h = height(f, f->positions[limb[role]]);
                e.low = !e.found || h < e.low ? h : e.low;
                e.found = true;
                add(out, limb[role], v3(0, 0, 0));
            }
        lowest = e.low < lowest ? e.low : lowest;
    }
    f->ground = isfinite(lowest) ? lowest : 0;
}
