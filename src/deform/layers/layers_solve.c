// One substep, in this order: predict; N times elasticity, pins, volume, joints, skin on skin, strain, skin on skin, bodies;
// planes; velocities, damping, volume flux, friction. Strain comes after skin on skin, or what bones force together would be
// crushed; planes hold what that misses. The paper's own order is kept as a reference.
#include "deform/layers/layers_limits.h"
#include "deform/layers/layers_run.h"
#include "math/trig.h"

#include <math.h>
#include <string.h>

enum { PAPER_VOLUME_ROUNDS = 4 };           // as in the paper's example
enum { JOINT_ROUNDS = 2 };                  // volume and joints alternate: volume takes back what joints push out
static const float volume_limit = 0.5f;     // mean edges that a point may move for the volume per round
static const float strain_ramp = 0.1f;      // of the rest length beyond its limit at which an edge reaches full stiffness

static uint32_t all_of(const layers_run* r) { return LAYERS * r->b->stride; }

static sup_match_run match_of(layers_run* r, const sup_match* match)
{
    return (sup_match_run){ .match = match,
                            .y = r->muscles ? r->y : match->y,
                            .c0 = r->muscles ? r->c0 : match->c0,
                            .x = r->s.x,
                            .q = r->s.q,
                            .h = r->h,
                            .goal_layers = r->held ? LAYER_BONE : LAYERS,
                            .scratch = r->match_scratch,
                            .tasks = r->tasks };
}

// ---------------------------------------------------------------------------------------------- predict

static void predict_task(void* data, uint32_t begin, uint32_t end)
{
    layers_run*   r = data;
    sup_match_run run = match_of(r, &r->b->match);
    SUP_WIDE_PICK(layers_predict)(r, begin, end);
    sup_match_turn(&run, begin, end);
    uint32_t held = run.goal_layers * r->b->stride;
    if (end > held) sup_match_hold(&run, begin > held ? begin : held, end);
}

// ---------------------------------------------------------------------------------------------- inside the loop

static void couple_task(void* data, uint32_t begin, uint32_t end)
{
    layers_run* r = data;
    for (uint32_t k = begin; k < end; ++k) {
        sup_vec4* x = &r->s.x[(size_t)LAYER_BONE * r->b->stride + k];
        sup_vec3  t = k < r->b->count ? r->targets[k] : v3(0, 0, 0);
        sup_particle_pin(x, v3_lerp(sup_particle_place(x), t, r->couplings[k]));
        layers_bind_lag(r, k);
    }
}

// Thrown around at tens of g, tissue would turn inside out. It stays within a ball around its place over the bone: the bone
// layer's particle plus its offset, rotated with that particle.
static void tether(layers_run* r, size_t i, uint32_t k)
{
    const layers_bound* b = r->b;
    size_t              bone = (size_t)LAYER_BONE * b->stride + k;
    sup_vec3            way = v3_sub(b->rest[i], b->rest[bone]);
    sup_vec3            place = v3_add(sup_particle_place(&r->s.x[bone]), quat_rotate(r->s.q[bone], way));
    sup_vec3            off = v3_sub(sup_particle_place(&r->s.x[i]), place);
    float               most = r->reaches[k] * v3_length(way), length = v3_length(off);
    if (length > most) sup_particle_pin(&r->s.x[i], v3_mad(place, most / length, off));
}

static void tether_task(void* data, uint32_t begin, uint32_t end)
{
    layers_run* r = data;
    for (uint32_t k = begin; k < end; k += SUP_LANES) {
        uint32_t far[LAYER_BONE];
        SUP_WIDE_PICK(layers_sift_tethers)(r, k, far);
        for (uint32_t l = LAYER_SKIN; l < LAYER_BONE; ++l)
            for (uint32_t i = 0; far[l] >> i; ++i)
                if (far[l] >> i & 1) tether(r, (size_t)l * r->b->stride + k + i, k + i);
    }
}

// Keeps points that were one in the mesh together.
static void glue(const layers_glue* g, sup_vec4* x)
{
    for (uint32_t i = 0; i < g->count; ++i) {
        sup_vec3 sum = v3(0, 0, 0);
        for (uint32_t k = g->begin[i]; k < g->begin[i + 1]; ++k) sum = v3_add(sum, sup_particle_place(&x[g->points[k]]));
        sum = v3_scale(sum, 1.0f / (float)(g->begin[i + 1] - g->begin[i]));
        for (uint32_t k = g->begin[i]; k < g->begin[i + 1]; ++k) sup_particle_pin(&x[g->points[k]], sum);
    }
}

static void here_task(void* data, uint32_t begin, uint32_t end)
{
    layers_run* r = data;
    for (uint32_t i = begin; i < end; ++i) r->h[i] = (sup_vec4){ r->s.x[i].x, r->s.x[i].y, r->s.x[i].z, r->h[i].w };
}

// Work that concerns the layers of a single point.
static void pin_task(void* data, uint32_t begin, uint32_t end)
{
    const layers_run* r = data;
    if (!r->held) couple_task(data, begin, end);
    SUP_WIDE_PICK(layers_hold_firm)(r, begin, end);
    tether_task(data, begin, end);
}

static void elasticity(layers_run* r)
{
    sup_match_run run = match_of(r, &r->b->match);
    run.after = pin_task;
    run.user = r;
    // The paper's step starts from the particle's current position, and its stiffness is a share of the way.
    if (r->p->paper_order) sup_tasks_run(r->tasks, all_of(r), LAYERS_GRAIN, here_task, r);
    r->cold += sup_match_iterate(&run);
}

// Elasticity every `elastic_every` rounds, and pins.
static void relax(layers_run* r, int round)
{
    if (round % r->p->elastic_every == 0) elasticity(r);
    else sup_tasks_run(r->tasks, r->b->stride, LAYERS_GRAIN, pin_task, r);
    for (size_t l = 0; l < LAYERS; ++l) glue(&r->b->glue, r->s.x + l * r->b->stride);
}

static sup_subvolumes_call volume_call(layers_run* r)
{
    const layers_bound* b = r->b;
    return (sup_subvolumes_call){ .x = r->s.x,
                                  .weights = r->volume_weights,
                                  .amount = b->fields[ROW_VOLUME].scale ? 1.0f : r->p->volume,
                                  .bulge = 1,
                                  .bulges = r->bulges,
                                  .limit = volume_limit * b->mean_edge,
                                  .tasks = r->tasks,
                                  .scratch = r->volume_scratch };
}

static bool keeps_volume(const layers_run* r) { return r->p->volume > 0 || r->b->fields[ROW_VOLUME].scale; }

static void volume(layers_run* r)
{
    if (!keeps_volume(r)) return;
    sup_subvolumes_call   call = volume_call(r);
    sup_subvolumes_report report = sup_subvolumes_project(r->b->subvolumes, &call);
    r->shortened += report.shortened;
    r->skipped += report.skipped;
}

// Where the skin is compressed or stretched: pairs nearer than their share of the rest distance, or farther than its inverse.
// Edges that grow back spread a fold over several edges instead of letting it swallow one; pairs across an edge keep the skin
// from folding flat onto itself, which contacts do not detect. Stiffness rises with the excess: a hard limit and the contacts
// of a crease would throw it back and forth.
static bool is_strained(const layers_run* r, uint32_t pair, sup_vec3* d, float* square)
{
    const layers_pairs* p = &r->b->pairs;
    *d = v3_sub(sup_particle_place(&r->s.x[p->b[pair]]), sup_particle_place(&r->s.x[p->a[pair]]));
    *square = v3_length2(*d);
    float rest = p->lengths[pair] * p->lengths[pair], share = r->p->squeeze * r->p->squeeze;
    return *square > 1e-12f * rest && (*square < share * rest || *square * share > rest);
}

// By what share of its length a strained pair should grow.
static float wanted_growth(const layers_run* r, float length, float square)
{
    float share = r->p->squeeze, q = sqrtf(square) / length, limit = share;
    float beyond = share - q;
    if (q > 1) limit = 1 / share, beyond = share - 1 / q;
    return sup_clampf(beyond / strain_ramp, 0, 1) * (limit / q - 1);
}

static void strain_task(void* data, uint32_t begin, uint32_t end)
{
    layers_run* r = data;
    r->strained_counts[begin / LAYERS_GRAIN] = SUP_WIDE_PICK(layers_sift_pairs)(r, begin, end, r->strained + begin);
}

// Found in parallel, corrected one after the other.
static void ease_strain(layers_run* r)
{
    const layers_pairs* p = &r->b->pairs;
    sup_tasks_run(r->tasks, p->count, LAYERS_GRAIN, strain_task, r);
    for (uint32_t begin = 0; begin < p->count; begin += LAYERS_GRAIN)
        for (uint32_t k = 0; k < r->strained_counts[begin / LAYERS_GRAIN]; ++k) {
            uint32_t  pair = r->strained[begin + k];
            sup_vec4 *x = &r->s.x[p->a[pair]], *y = &r->s.x[p->b[pair]];
            sup_vec3  d;
            float     square, w = x->w + y->w;
            if (!is_strained(r, pair, &d, &square) || !(w > 0)) continue;
            float grow = wanted_growth(r, p->lengths[pair], square) / w;
            sup_particle_move(x, -x->w * grow, d);
            sup_particle_move(y, y->w * grow, d);
        }
}

static void solve(layers_run* r)
{
    const layers_bound* b = r->b;
    for (int i = 0; i < r->p->iterations; ++i) {
        relax(r, i);
        for (int k = 0; k < JOINT_ROUNDS; ++k) {
            volume(r);
            sup_joint_bounds_project(&b->bounds, r->joints, r->p->joint_keep, r->s.x);
        }
        if (r->apart) sup_planes_press(b->planes, &r->planes_call, r->s.x);
        for (int k = 0; k < layers_strain_rounds(r); ++k) ease_strain(r);
        if (r->apart) sup_planes_press(b->planes, &r->planes_call, r->s.x);
        sup_contact_project(b->contact, &r->contact_call, r->s.x);
    }
}

// Algorithm 1 of the paper: volume in its own loop, with colliding points held.
static void solve_as_printed(layers_run* r)
{
    const layers_bound* b = r->b;
    for (int i = 0; i < r->p->iterations; ++i) {
        relax(r, i);
        sup_joint_bounds_project(&b->bounds, r->joints, r->p->joint_keep, r->s.x);
        ease_strain(r);
        if (r->apart) sup_planes_press(b->planes, &r->planes_call, r->s.x);
        sup_contact_project(b->contact, &r->contact_call, r->s.x);
    }
    memset(r->pushed, 0, b->stride * sizeof *r->pushed);
    if (r->apart) sup_planes_pushed(b->planes, r->planes_scratch, r->pushed);
    sup_contact_pushed(b->contact, r->contact_scratch, r->pushed);
    for (uint32_t k = 0; k < b->count; ++k)
        if (r->pushed[k]) r->volume_weights[k] = 0;
    for (int i = 0; i < PAPER_VOLUME_ROUNDS; ++i) volume(r);
}

// ---------------------------------------------------------------------------------------------- velocities

static void velocity_task(void* data, uint32_t begin, uint32_t end)
{
    layers_run* r = data;
    r->maxima[begin / LAYERS_GRAIN] = SUP_WIDE_PICK(layers_velocities)(r, begin, end);
}

static void velocities(layers_run* r, uint32_t index)
{
    sup_tasks_run(r->tasks, all_of(r), LAYERS_GRAIN, velocity_task, r);
    r->s.head->speed = 0;
    for (uint32_t i = 0; i < (all_of(r) + LAYERS_GRAIN - 1) / LAYERS_GRAIN; ++i)
        if (!(r->maxima[i] <= r->s.head->speed)) r->s.head->speed = r->maxima[i];
    // Smoothing once per step: it is expensive next to a substep.
    if (index == r->substeps && r->p->smoothing > 0) {
        sup_match_run run = match_of(r, &r->b->match_smooth);
        sup_match_damp(&run, (float)(1 - sup_exp(-(double)r->p->smoothing * r->frame->dt)), r->s.v);
    }
    if (keeps_volume(r)) {
        sup_subvolumes_call call = volume_call(r);
        sup_subvolumes_calm(r->b->subvolumes, &call, r->s.v);
    }
    if (r->apart) sup_planes_friction(r->b->planes, &r->planes_call, r->s.x, r->dt, r->s.v);
    sup_contact_friction(r->b->contact, &r->contact_call, r->s.x, r->dt, r->s.v);
}

// ---------------------------------------------------------------------------------------------- substep

// The root's motion between two poses, except where tissue lags behind it.
static sup_rigid root_motion(const layers_run* r, float share)
{
    uint32_t      root = r->b->root;
    sup_transform a, b;
    affine_decompose(&r->last.global[root], &a);
    affine_decompose(&r->now.global[root], &b);
    sup_quat turn = quat_normalize(quat_mul(b.rotation, quat_conjugate(a.rotation)));
    sup_quat part = quat_slerp(quat_identity(), turn, share);
    sup_vec3 to = v3_lerp(a.translation, b.translation, share);
    return (sup_rigid){ part, v3_sub(to, quat_rotate(part, a.translation)) };
}

static sup_quat unit(sup_quat q)
{
    float n = quat_dot(q, q);
    if (!(n > 0)) return q; // a padding point stays without rotation
    float s = 1.0f / sqrtf(n);
    return quat(q.x * s, q.y * s, q.z * s, q.w * s);
}

static void lead_task(void* data, uint32_t begin, uint32_t end)
{
    layers_run* r = data;
    sup_rigid   by = root_motion(r, 1 - r->p->inertia);
    for (uint32_t i = begin; i < end; ++i) {
        if (i % r->b->stride >= r->b->count) continue;
        sup_vec4* v = &r->s.v[i];
        sup_vec3  w = quat_rotate(by.rotation, v3(v->x, v->y, v->z));
        sup_particle_pin(&r->s.x[i], rigid_point(&by, sup_particle_place(&r->s.x[i])));
        *v = (sup_vec4){ w.x, w.y, w.z, 0 };
        r->s.q[i] = unit(quat_mul(by.rotation, r->s.q[i]));
        r->s.before[i] = unit(quat_mul(by.rotation, r->s.before[i]));
    }
}

// The cuts between sub-volumes move along, or their flux would include the root's motion.
static void lead(layers_run* r)
{
    sup_rigid  by = root_motion(r, 1 - r->p->inertia);
    sup_affine turn = affine_from_rotation(by.rotation, by.translation);
    sup_tasks_run(r->tasks, all_of(r), LAYERS_GRAIN, lead_task, r);
    for (uint32_t j = 0; j < r->last.joint_count; ++j) r->last.skin[j] = affine_mul(&turn, &r->last.skin[j]);
}

// For damping: the skinned motion of the step, less what the root contributes.
void layers_lead(layers_run* r)
{
    sup_rigid by = root_motion(r, 1 - r->p->inertia);
    if (r->p->inertia >= 1) return;
    for (uint32_t i = 0; i < all_of(r); ++i) r->start[i] = rigid_point(&by, r->start[i]);
}

static void place_bones(layers_run* r)
{
    const layers_bound* b = r->b;
    sup_skin_call       call = { .skin = r->now.skin,
                                 .points = b->rest + (size_t)LAYER_BONE * b->stride,
                                 .blend = 1,
                                 .tasks = r->tasks,
                                 .scratch = r->skin_scratch,
                                 .out = r->targets,
                                 .matrices = r->turns };
    sup_skin_evaluate(b->skin, &call);
    if (b->skinning == SUP_SKINNING_DUALQUAT) {
        call.dualquat = true;
        call.matrices = NULL;
        sup_skin_evaluate(b->skin, &call);
    }
    for (uint32_t j = 0; j < b->character->skeleton.joint_count; ++j)
        r->joints[j] = affine_point(&r->now.skin[j], b->joint_centers[j]);
}

static uint32_t place_solids(layers_run* r)
{
    const sup_world* w = r->frame->world;
    sup_vec3         o = r->s.head->origin;
    uint32_t         count = w->body_count < r->b->solid_count ? w->body_count : r->b->solid_count;
    for (uint32_t i = 0; i < count; ++i) {
        const sup_body* body = &w->bodies[i];
        sup_solid*      s = &r->solids[i];
        *s = (sup_solid){ .kind = body->kind == SUP_BODY_SPHERE    ? SUP_SOLID_SPHERE
                                  : body->kind == SUP_BODY_CAPSULE ? SUP_SOLID_CAPSULE
                                                                   : SUP_SOLID_MESH,
                          .start = body->start,
                          .end = body->end,
                          .a = body->a,
                          .b = body->b,
                          .radius = body->radius,
                          .friction = body->friction,
                          .mesh = r->b->solid_meshes[i],
                          .points_start = body->points_start,
                          .points = body->points_start ? body->points : NULL };
        s->start.m[0][3] -= o.x, s->start.m[1][3] -= o.y, s->start.m[2][3] -= o.z;
        s->end.m[0][3] -= o.x, s->end.m[1][3] -= o.y, s->end.m[2][3] -= o.z;
    }
    return count;
}

void layers_search(layers_run* r)
{
    const layers_bound* b = r->b;
    float               step = (float)r->frame->dt;
    for (uint32_t i = 0; i < b->stride; ++i)
        r->h[i] = (sup_vec4){ r->s.x[i].x + step * r->s.v[i].x, r->s.x[i].y + step * r->s.v[i].y,
                              r->s.x[i].z + step * r->s.v[i].z, r->s.x[i].w };
    uint32_t solids = place_solids(r);
    r->lost += sup_contact_search(b->contact, &r->contact_call, r->s.x, r->h, solids, r->solids).lost;
    if (r->apart) r->lost += sup_planes_begin(b->planes, &r->planes_call, r->substeps, r->s.x, r->h);
}

// What touched in the last substep, for drawing.
void layers_show_contacts(layers_run* r)
{
    layers_state*       head = r->s.head;
    const layers_bound* b = r->b;
    head->shown = r->apart ? sup_planes_touching(b->planes, r->planes_scratch, LAYERS_SHOWN_CONTACTS, head->shown_points) : 0;
    head->shown += sup_contact_touching(b->contact, r->contact_scratch, LAYERS_SHOWN_CONTACTS - head->shown,
                                        head->shown_points + head->shown);
}

// Keeps apart what was apart at the start of the substep.
static void keep_apart(layers_run* r)
{
    if (!r->apart) return;
    sup_planes_report report = sup_planes_keep(r->b->planes, &r->planes_call, r->from, r->s.x);
    r->crossing += report.crossing;
    r->released += report.released;
    r->crowded |= report.crowded;
}

void layers_substep(layers_run* r, uint32_t index)
{
    const layers_bound* b = r->b;
    layers_pose(r, index, r->substeps, &r->now);
    layers_take_pose(r, &r->now, &r->now);
    if (r->p->inertia < 1) lead(r);
    place_bones(r);
    if (index == 1 || r->p->inertia < 1) sup_subvolumes_place(b->subvolumes, r->last.skin, 0, r->volume_scratch);
    sup_subvolumes_place(b->subvolumes, r->now.skin, r->dt, r->volume_scratch);
    sup_contact_begin(b->contact, &r->contact_call, (float)(index - 1) / (float)r->substeps, (float)index / (float)r->substeps,
                      r->s.x, r->s.v);
    if (r->apart) sup_planes_aim(b->planes, &r->planes_call, r->s.x, r->s.v);
    sup_tasks_run(r->tasks, all_of(r), LAYERS_GRAIN, predict_task, r);
    if (r->apart) sup_planes_lean(b->planes, &r->planes_call, r->s.x, r->h);
    if (r->p->paper_order) solve_as_printed(r);
    else solve(r);
    keep_apart(r);
    velocities(r, index);
    sup_pose_copy(&r->now, &r->last);
}
