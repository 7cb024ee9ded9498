// Time: start, steps, jumps. A step is divided into substeps (layers_solve.c); what changes slowly is computed once per step.
#include "deform/layers/layers_anatomy.h"
#include "deform/layers/layers_limits.h"
#include "deform/layers/layers_run.h"
#include "math/trig.h"

#include <math.h>
#include <string.h>

static const float  stiffness_unit = 3.2e5f; // 1 / s^2: stiffness of 1
static const float  share_most = 0.98f;      // most of the way to its goal that a particle moves per round
static const double settling_damping = 20.0; // 1 / s while the first pose is held
static const double settled_speed = 1e-3;    // m / s
static const double start_interval = 0.005;  // seconds before the start over which the first velocity is taken
enum { NEWTON = 6 };                         // rounds, from a good initial guess
enum { SUBSTEPS_MOST = 16, CROWD_WAIT_MOST = 63 };

// ---------------------------------------------------------------------------------------------- memory

static size_t particle_count(const layers_bound* b) { return (size_t)LAYERS * b->stride; }

layers_arrays layers_state_cut(const layers_bound* b, void* state)
{
    uint8_t*      p = state;
    size_t        n = particle_count(b) * sizeof(sup_vec4);
    layers_arrays a = { .head = (layers_state*)p };
    a.x = (sup_vec4*)(p += sup_align(sizeof(layers_state), 64));
    a.v = (sup_vec4*)(p += n);
    a.q = (sup_quat*)(p += n);
    a.before = (sup_quat*)(p += n);
    a.planes = p + n;
    return a;
}

size_t layers_state_size(const layers_bound* b)
{
    return sup_align(sizeof(layers_state), 64) + 4 * particle_count(b) * sizeof(sup_vec4) + sup_planes_state(b->planes);
}

static void* cut(uint8_t* base, size_t* used, size_t bytes)
{
    void* p = base ? base + *used : NULL;
    *used += sup_align(bytes, 64);
    return p;
}

// Stages that run one after the other share memory: the skinning's matrices, the contact search, the substeps.
static size_t share_run(const layers_bound* b, uint8_t* base, size_t begin, layers_run* r)
{
    size_t all = particle_count(b), used = begin, match = sup_match_scratch(&b->match), smooth = sup_match_scratch(&b->match_smooth);
    size_t search = begin + sup_align(sup_contact_scratch(b->contact) - sup_contact_kept(b->contact), 64);
    r->matrices = cut(base, &used, b->stride * sizeof(sup_mat3));
    size_t skinning = used;
    used = begin;
    r->from = cut(base, &used, all * sizeof(sup_vec4));
    r->strained = cut(base, &used, b->pairs.count * sizeof(uint32_t));
    r->strained_counts = cut(base, &used, (b->pairs.count / LAYERS_GRAIN + 1) * sizeof(uint32_t));
    r->match_scratch = cut(base, &used, match > smooth ? match : smooth);
    r->planes_scratch = cut(base, &used, sup_planes_scratch(b->planes));
    if (used < skinning) used = skinning;
    return used > search ? used : search;
}

size_t layers_run_cut(const layers_bound* b, void* scratch, layers_run* r)
{
    size_t   used = 0, all = particle_count(b), n = b->stride, joints = b->character->skeleton.joint_count;
    uint8_t* base = scratch;
    void *now = cut(base, &used, b->pose_size), *last = cut(base, &used, b->pose_size), *bent = cut(base, &used, b->pose_size);
    if (base) {
        sup_pose_place(b->character, bent, &r->bent);
        sup_pose_place(b->character, now, &r->now);
        sup_pose_place(b->character, last, &r->last);
    }
    r->start = cut(base, &used, all * sizeof(sup_vec3));
    r->end = cut(base, &used, all * sizeof(sup_vec3));
    r->targets = cut(base, &used, n * sizeof(sup_vec3));
    r->turns = cut(base, &used, n * sizeof(sup_mat3));
    r->accelerations = cut(base, &used, n * sizeof(sup_vec3));
    r->h = cut(base, &used, all * sizeof(sup_vec4));
    r->blends = cut(base, &used, all * sizeof(float));
    r->decays = cut(base, &used, n * sizeof(float));
    r->couplings = cut(base, &used, n * sizeof(float));
    r->firm = cut(base, &used, n * sizeof(float));
    r->tethers = cut(base, &used, n * sizeof(float));
    r->reaches = cut(base, &used, n * sizeof(float));
    r->volume_weights = cut(base, &used, n * sizeof(float));
    r->bulges = cut(base, &used, (sup_subvolumes_count(b->subvolumes) + 1) * sizeof(float));
    r->joints = cut(base, &used, joints * sizeof(sup_vec3));
    r->y = cut(base, &used, all * sizeof(sup_vec4));
    r->c0 = cut(base, &used, all * sizeof(sup_vec4));
    r->activations = cut(base, &used, (joints + 1) * sizeof(float));
    r->maxima = cut(base, &used, (all / LAYERS_GRAIN + 1) * sizeof(float));
    r->solids = cut(base, &used, (b->solid_count + 1) * sizeof(sup_solid));
    r->skin_scratch = cut(base, &used, sup_skin_scratch(b->skin));
    r->volume_scratch = cut(base, &used, sup_subvolumes_scratch(b->subvolumes));
    r->rows = cut(base, &used, b->ride ? SUP_RIDE_ROW * n * sizeof(float) : 0);
    r->morphed = cut(base, &used, b->rider && b->rider->morph_count ? b->rider->mesh.point_count * sizeof(sup_vec3) : 0);
    r->pushed = cut(base, &used, n * sizeof(bool));
    r->contact_scratch = cut(base, &used, sup_contact_kept(b->contact));
    return share_run(b, base, used, r);
}

size_t layers_scratch_size(const layers_bound* b)
{
    layers_run r;
    return layers_run_cut(b, NULL, &r);
}

// ---------------------------------------------------------------------------------------------- origin

// Multiples of a power of two near a quarter of the character: moving the origin rounds only the last bit.
static sup_vec3 origin_near(const layers_bound* b, const sup_pose* pose)
{
    int exponent;
    frexp(b->character->mesh.diagonal > 0 ? b->character->mesh.diagonal / 4 : 1.0, &exponent);
    double   grid = ldexp(1.0, exponent);
    sup_vec3 p = affine_translation(&pose->global[b->root]);
    if (!v3_finite(p)) return v3(0, 0, 0);
    return v3((float)(floor(p.x / grid + 0.5) * grid), (float)(floor(p.y / grid + 0.5) * grid),
              (float)(floor(p.z / grid + 0.5) * grid));
}

static void take_pose(const sup_pose* from, sup_vec3 o, sup_pose* to)
{
    if (from != to) sup_pose_copy(from, to);
    for (uint32_t j = 0; j < to->joint_count; ++j) {
        to->skin[j].m[0][3] -= o.x, to->skin[j].m[1][3] -= o.y, to->skin[j].m[2][3] -= o.z;
        to->global[j].m[0][3] -= o.x, to->global[j].m[1][3] -= o.y, to->global[j].m[2][3] -= o.z;
    }
}

void layers_take_pose(const layers_run* r, const sup_pose* from, sup_pose* to) { take_pose(from, r->s.head->origin, to); }

// Moves the origin along when the character has left it.
static void follow(layers_run* r)
{
    const layers_bound* b = r->b;
    sup_vec3            o = r->s.head->origin, p = affine_translation(&r->frame->end->global[b->root]);
    if (!(v3_distance(o, p) > b->character->mesh.diagonal)) return;
    sup_vec3 to = origin_near(b, r->frame->end), d = v3_sub(o, to);
    for (size_t i = 0; i < particle_count(b); ++i)
        if (i % b->stride < b->count) sup_particle_move(&r->s.x[i], 1, d);
    r->s.head->origin = to;
}

// ---------------------------------------------------------------------------------------------- skinning

static uint32_t pose_layers(const layers_run* r, uint32_t layers, const sup_pose* pose, sup_vec3* out, sup_mat3* matrices)
{
    sup_skin_call call = { .dualquat = r->b->skinning == SUP_SKINNING_DUALQUAT,
                           .skin = pose->skin,
                           .points = r->b->rest,
                           .copies = layers,
                           .blend = 1,
                           .tasks = r->tasks,
                           .scratch = r->skin_scratch,
                           .out = out,
                           .matrices = matrices };
    return sup_skin_evaluate(r->b->skin, &call);
}

void layers_skin(const layers_run* r, const sup_pose* pose, sup_vec3* out, sup_mat3* matrices)
{
    uint32_t lost = pose_layers(r, LAYERS, pose, out, matrices);
    sup_stats_add(r->frame->stats, "layers.no_rotation", lost);
}

// ---------------------------------------------------------------------------------------------- start

typedef struct start_job {
    layers_run* r;
    float       per_second; // 0: at rest
} start_job;

static void start_task(void* data, uint32_t begin, uint32_t end)
{
    const start_job*    j = data;
    layers_run*         r = j->r;
    const layers_bound* b = r->b;
    for (uint32_t i = begin; i < end; ++i) {
        sup_vec3 x = r->end[i], v = v3_scale(v3_sub(r->end[i], r->start[i]), j->per_second);
        sup_quat q = quat_identity();
        if (i % b->stride >= b->count) x = v = v3(0, 0, 0), q = quat(0, 0, 0, 0);
        else rotation_extract(&r->matrices[i % b->stride], &q);
        r->s.x[i] = (sup_vec4){ x.x, x.y, x.z, b->inverse_masses[i] };
        r->s.v[i] = (sup_vec4){ v.x, v.y, v.z, 0 };
        r->s.q[i] = r->s.before[i] = q;
    }
}

static layers_run begin_run(const sup_binding* binding, const void* params, const sup_frame* frame, void* state, void* scratch)
{
    layers_run r = { 0 };
    r.b = binding->data;
    layers_run_cut(r.b, scratch, &r);
    r.limited = layers_limit(params);
    r.frame = frame;
    r.tasks = frame->tasks;
    r.s = layers_state_cut(r.b, state);
    return r;
}

// Reports what bind repaired: here counters are available.
static void note_mended(const layers_bound* b, sup_stats* stats)
{
    const layers_mended* m = &b->mended;
    sup_stats_add(stats, "layers.holes_closed", m->holes);
    sup_stats_add(stats, "layers.points_split", m->split_points);
    sup_stats_add(stats, "layers.mesh_was_inside_out", m->turned);
    sup_stats_add(stats, "layers.points_without_weights", m->weightless);
    sup_stats_add(stats, "layers.feet_on_the_skin", m->anchors_at_skin);
    sup_stats_add(stats, "layers.feet_outside", m->anchors_outside);
    sup_stats_add(stats, "layers.depths_limited", m->limited);
    sup_stats_add(stats, "layers.rest_intersects_contacts_off", m->contacts_off);
    sup_stats_add(stats, "layers.parts_without_volume", m->flat_parts);
}

void layers_reset(const sup_binding* binding, const void* params, const sup_frame* frame, void* state, void* scratch)
{
    layers_run r = begin_run(binding, params, frame, state, scratch);
    r.p = &r.limited;
    start_job  job = { &r, 0 };
    *r.s.head = (layers_state){ .origin = origin_near(r.b, frame->end),
                                .ramp = layers_ramp_steps(r.b, frame),
                                .ramp_left = frame->settling_steps };
    r.ramping = r.s.head->ramp > 0;
    layers_pose(&r, 1, 1, &r.now);
    layers_take_pose(&r, &r.now, &r.now);
    layers_skin(&r, &r.now, r.end, r.matrices);
    memcpy(r.start, r.end, particle_count(r.b) * sizeof *r.start);
    if (!frame->settling) {
        frame->sampler->pose(frame->sampler, frame->time - start_interval, &r.last);
        layers_take_pose(&r, &r.last, &r.last);
        layers_skin(&r, &r.last, r.start, NULL);
        job.per_second = (float)(1 / start_interval);
    }
    sup_tasks_run(r.tasks, (uint32_t)particle_count(r.b), LAYERS_GRAIN, start_task, &job);
    sup_planes_reset(r.b->planes, r.s.planes);
    note_mended(r.b, frame->stats);
}

// ---------------------------------------------------------------------------------------------- jumps

static void carry_state(layers_run* r, const sup_rigid* given)
{
    sup_rigid        here = { given->rotation, v3_sub(rigid_point(given, r->s.head->origin), r->s.head->origin) };
    const sup_rigid* by = &here;
    for (size_t i = 0; i < particle_count(r->b); ++i) {
        if (i % r->b->stride >= r->b->count) continue;
        sup_vec4 *x = &r->s.x[i], *v = &r->s.v[i];
        sup_vec3  p = rigid_point(by, v3(x->x, x->y, x->z)), w = quat_rotate(by->rotation, v3(v->x, v->y, v->z));
        *x = (sup_vec4){ p.x, p.y, p.z, x->w };
        *v = (sup_vec4){ w.x, w.y, w.z, 0 };
        r->s.q[i] = quat_mul(by->rotation, r->s.q[i]);
        r->s.before[i] = quat_mul(by->rotation, r->s.before[i]);
    }
}

// ---------------------------------------------------------------------------------------------- a step

// As many substeps as the stiffest tissue needs: ks dt^2 <= 1/2.
static uint32_t count_substeps(const layers_run* r)
{
    if (r->p->substeps > 0) return (uint32_t)r->p->substeps;
    if (r->p->paper_order) return 1;
    float most = 0;
    for (int l = 0; l < LAYERS; ++l) most = fmaxf(most, r->p->stiffness[l]);
    double n = ceil(r->frame->dt * sqrt(2 * (double)stiffness_unit * most) - 1e-6);
    return n < 1 ? 1 : n > SUBSTEPS_MOST ? SUBSTEPS_MOST : (uint32_t)n;
}

// The share of the way to the goal per round for which that many rounds do what the implicit step asks for. Each starts from
// where the particle would be by itself, so for shapes that are smooth at the scale of a region, N rounds with share w act as w
// + w^2 + ... + w^N, which should be ks dt^2.
static float blend_of(float asked, int rounds)
{
    float w = asked / (1 + asked), most = share_most * (float)rounds;
    if (asked > most) asked = most;
    if (rounds == 2) w = 2 * asked / (1 + sqrtf(1 + 4 * asked));
    for (int i = 0; i < NEWTON && rounds != 2; ++i) { // the sum is convex and increasing
        float sum = 0, slope = 0;
        for (int k = 0; k < rounds; ++k) slope = slope * w + sum + 1, sum = (sum + 1) * w;
        w -= (sum - asked) / slope;
    }
    return w < share_most ? w : share_most;
}

static void setting_task(void* data, uint32_t begin, uint32_t end)
{
    layers_run*         r = data;
    const layers_bound* b = r->b;
    float               dt2 = r->dt * r->dt;
    double              uniform = r->p->damping;
    int                 rounds = (r->p->iterations + r->p->elastic_every - 1) / r->p->elastic_every;
    if (r->frame->settling && uniform < settling_damping) uniform = settling_damping;
    float decay = (float)sup_exp(-uniform * r->dt);
    for (uint32_t k = begin; k < end; ++k) {
        for (uint32_t l = 0; l < LAYERS; ++l) {
            float s = fmaxf(layers_value(b, ROW_STIFFNESS_SKIN + (int)l, r->p->stiffness[l], k), LAYERS_SOFTEST),
                  ks = stiffness_unit * s * b->ratios[k];
            r->blends[(size_t)l * b->stride + k] = r->p->paper_order ? s : blend_of(ks * dt2, rounds);
        }
        r->decays[k] = decay;
        if (b->fields[ROW_DAMPING].scale) {
            double c = layers_value(b, ROW_DAMPING, r->p->damping, k);
            r->decays[k] = (float)sup_exp(-(r->frame->settling && c < settling_damping ? settling_damping : c) * r->dt);
        }
        r->couplings[k] = fmaxf(layers_value(b, ROW_COUPLING, r->p->coupling, k), LAYERS_LOOSEST);
        r->tethers[k] = r->reaches[k] = fmaxf(layers_value(b, ROW_TETHER, r->p->tether, k), b->tether_least[k]);
        r->volume_weights[k] = b->volume_shares[k] * layers_value(b, ROW_VOLUME, r->p->volume, k);
        layers_set_firmness(r, k, stiffness_unit);
    }
}

// A skin crumpled into one place, as by a joint with scale 0, would need all of its pairs in every step. It is skipped for one
// step, then three, seven, and so on.
static bool stays_away(layers_run* r)
{
    r->crowded = r->s.head->crowd_left > 0;
    if (r->crowded) r->s.head->crowd_left--;
    return r->crowded;
}

static void end_crowd(layers_run* r)
{
    layers_state* s = r->s.head;
    if (!r->p->contact || r->b->mended.contacts_off) return;
    s->crowd_wait = !r->crowded ? 0 : s->crowd_wait < CROWD_WAIT_MOST ? 2 * s->crowd_wait + 1 : CROWD_WAIT_MOST;
    s->crowd_left = s->crowd_wait;
}

static void begin_step(layers_run* r)
{
    const layers_bound* b = r->b;
    r->substeps = count_substeps(r);
    r->dt = (float)(r->frame->dt / r->substeps);
    r->held = r->p->coupling >= 1 && !b->fields[ROW_COUPLING].scale;
    sup_tasks_run(r->tasks, b->stride, LAYERS_GRAIN, setting_task, r);
    for (uint32_t i = 0; i < sup_subvolumes_count(b->subvolumes); ++i)
        r->bulges[i] =
            layers_firm_bulge(r, b->part_joints[i],
                              sup_field_value(&layers_rows[ROW_BULGE], &b->fields[ROW_BULGE], r->p->bulge, b->part_joints[i]));
    r->contact_call = (sup_contact_call){ .tasks = r->tasks,
                                          .scratch = r->contact_scratch,
                                          .thickness = r->p->thickness,
                                          .friction = { r->p->friction, r->p->restitution } };
    r->planes_call = (sup_planes_call){ .tasks = r->tasks,
                                        .scratch = r->planes_scratch,
                                        .state = r->s.planes,
                                        .thickness = r->p->thickness,
                                        .before = r->start,
                                        .after = r->end,
                                        .rate = (float)(1 / r->frame->dt),
                                        .friction = { r->p->friction, r->p->restitution } };
    r->apart = r->p->contact && !b->mended.contacts_off && !stays_away(r);
}

void layers_evaluate(const sup_binding* binding, const void* params, const sup_frame* frame, void* state, void* scratch,
                     sup_vec3* out)
{
    layers_run r = begin_run(binding, params, frame, state, scratch);
    r.p = &r.limited;
    if (frame->carried) carry_state(&r, &frame->carry);
    follow(&r);
    bool moves = frame->dt > 0 && !(frame->settling && r.s.head->settled);
    r.ramping = frame->settling && r.s.head->ramp_left < r.s.head->ramp + frame->settling_steps;
    layers_pose(&r, 1, 1, &r.now);
    layers_take_pose(&r, &r.now, &r.now);
    layers_skin(&r, &r.now, r.end, moves ? r.matrices : NULL);
    if (moves) {
        begin_step(&r);
        layers_pose(&r, 0, 1, &r.last);
        layers_take_pose(&r, &r.last, &r.last);
        layers_skin(&r, &r.last, r.start, NULL);
        if (r.s.head->held && !frame->settling) layers_set_out(&r);
        r.s.head->held = frame->settling;
        layers_lead(&r);
        layers_accelerate(&r);
        layers_flex(&r);
        layers_search(&r);
        for (uint32_t i = 1; i <= r.substeps; ++i) layers_substep(&r, i);
        layers_show_contacts(&r);
        end_crowd(&r);
        r.s.head->settled =
            frame->settling && !r.ramping && r.s.head->speed * sup_character_physics_unit(r.b->character) < settled_speed;
        sup_stats_add(frame->stats, "layers.cold_fits", r.cold);
        sup_stats_add(frame->stats, "layers.volume_shortened", r.shortened);
        sup_stats_add(frame->stats, "layers.volume_skipped", r.skipped);
        sup_stats_add(frame->stats, "layers.contacts_lost", r.lost);
        sup_stats_add(frame->stats, "layers.contacts_crowded", r.crowded);
        sup_stats_add(frame->stats, "layers.still_crossing", r.crossing);
        sup_stats_add(frame->stats, "layers.released", r.released);
    }
    for (uint32_t k = 0; k < r.b->count; ++k) out[k] = v3_sub(sup_particle_place(&r.s.x[k]), r.end[k]);
}

// ---------------------------------------------------------------------------------------------- skin

typedef struct out_job {
    const layers_bound* b;
    const sup_frame*    frame;
    const sup_vec3*     ways;
    sup_vec3*           out;
} out_job;

// What earlier links added to the skinning is added back.
static void out_task(void* data, uint32_t begin, uint32_t end)
{
    const out_job* j = data;
    for (uint32_t p = begin; p < end; ++p) j->out[p] = v3_add(j->frame->points[p], j->ways[j->b->first[p]]);
}

// The same with a cage.
static void add_task(void* data, uint32_t begin, uint32_t end)
{
    const out_job*   j = data;
    const sup_frame* f = j->frame;
    for (uint32_t p = begin; p < end; ++p) j->out[p] = v3_add(j->out[p], v3_sub(f->points[p], f->skinned[p]));
}

void layers_present(const sup_binding* binding, const void* params, const sup_frame* frame, const sup_vec3* ways, void* scratch,
                    sup_vec3* out)
{
    (void)params;
    const layers_bound* b = binding->data;
    out_job             job = { b, frame, ways, out };
    if (!b->ride) {
        sup_tasks_run(frame->tasks, b->character->mesh.point_count, LAYERS_GRAIN, out_task, &job);
        return;
    }
    layers_run r = { .b = b, .tasks = frame->tasks };
    layers_run_cut(b, scratch, &r);
    sup_vec3 origin = origin_near(b, frame->end);
    take_pose(frame->end, origin, &r.now);
    pose_layers(&r, 1, &r.now, r.end, NULL);
    for (uint32_t k = 0; k < b->count; ++k) r.start[k] = v3_add(r.end[k], ways[k]);
    sup_ride_call ride = { .skinned = r.end,
                           .moved = r.start,
                           .rest = sup_pose_morph(b->rider, frame->end, r.morphed),
                           .points = frame->skinned,
                           .origin = origin,
                           .tasks = frame->tasks,
                           .rows = r.rows,
                           .out = out };
    sup_ride_evaluate(b->ride, &ride);
    if (frame->points != frame->skinned) sup_tasks_run(frame->tasks, b->ride->point_count, LAYERS_GRAIN, add_task, &job);
}
