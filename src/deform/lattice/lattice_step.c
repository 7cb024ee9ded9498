// The stages of a step in order: pose, volume, motion, bodies, skin.
#include "deform/lattice/lattice.h"

#include "base/scratch_layout.h"
#include "math/trig.h"

#include <math.h>
#include <string.h>

#define SETTLING 20.0 // 1/s, damping of the pre-roll
// Of a part's volume: moving flesh is brought back to within this, only to the edge of the range: a jump to its middle would be
// a kick, and the flesh would never come to rest.
#define MOVING_SLACK 5e-4
// Cells per second: folded flesh cannot get its volume back, and trying would inflate it step after step.
#define MOVING_GROWTH 10.0
#define SUBSTEP_TURN 0.5 // radians of the fastest swing: the implicit step damps by half of that
#define START_SPAN 1e-3  // seconds over which the skin's speed is measured when a motion starts
enum { SUBSTEPS_MAX = 16, PUSH_ROUNDS = 3, FIT_GRAIN = 256, COPY_GRAIN = 4096 };

/// Planes of scratch.
enum {
    SPARE_IN,
    SPARE_REFERENCE = 3,
    SPARE_START = 6,
    SPARE_AHEAD = 9,
    SPARE_APART = 12,
    SPARE_GOAL = 15,
    SPARE_HELD = 18,
    SPARE_COUNT
};

// ---------------------------------------------------------------------------------------------- memory

static size_t lay_out(const lattice_bound* b, void* memory, lattice_scratch* s)
{
    size_t     n = b->count;
    sup_layout l = { .base = memory };
    s->pose = sup_layout_add(&l, n, sizeof(sup_vec3));
    s->skinned = sup_layout_add(&l, n, sizeof(sup_vec3));
    s->plain = sup_layout_add(&l, b->twists ? n : 0, sizeof(sup_vec3));
    s->points = sup_layout_add(&l, b->point_skin ? b->point_count : 0, sizeof(sup_vec3));
    s->turned = sup_layout_add(&l, b->point_skin ? b->point_count : 0, sizeof(sup_vec3));
    s->matrices = sup_layout_add(&l, n, sizeof(sup_mat3));
    s->push = sup_layout_add(&l, n, sizeof(sup_vec3));
    s->bare_push = sup_layout_add(&l, b->bare ? n : 0, sizeof(sup_vec3));
    s->bare = sup_layout_add(&l, b->bare ? n : 0, sizeof(sup_vec3));
    s->moved = sup_layout_add(&l, n, sizeof(sup_vec3));
    s->before = sup_layout_add(&l, n, sizeof(sup_vec3));
    s->turns = sup_layout_add(&l, b->twists ? 2 * b->joint_count : 0, sizeof(float));
    s->blend = sup_layout_add(&l, b->twists ? n : 0, sizeof(float));
    s->point_blend = sup_layout_add(&l, b->twists && b->point_skin ? b->point_count : 0, sizeof(float));
    s->node_blend = sup_layout_add(&l, b->twists && b->node_skin ? b->volume.member_count : 0, sizeof(float));
    s->clearance = sup_layout_add(&l, n, sizeof(float));
    s->hold = sup_layout_add(&l, n, sizeof(float));
    s->gaps = sup_layout_add(&l, sup_lattice_gaps_scratch(&b->gaps), 1);
    s->stiffness = sup_layout_add(&l, n, sizeof(float));
    s->near = sup_layout_add(&l, n, sizeof(float));
    s->planes = sup_layout_add(&l, SPARE_COUNT * n, sizeof(float));
    s->work = sup_layout_add(&l, sup_regions_work(&b->regions), sizeof(float));
    s->x = sup_layout_add(&l, 4 * n, sizeof(float));
    s->volume = sup_layout_add(&l, sup_lattice_volume_scratch(&b->volume), 1);
    s->strength = sup_layout_add(&l, b->volume.part_count, sizeof(float));
    s->targets = sup_layout_add(&l, b->volume.part_count, sizeof(double));
    s->reached = sup_layout_add(&l, b->volume.part_count, sizeof(double));
    s->bare_reached = sup_layout_add(&l, b->bare ? b->volume.part_count : 0, sizeof(double));
    s->linear = sup_layout_add(&l, b->volume.part_count, sizeof(double));
    bool offsets = b->node_skin || b->member_points;
    s->offsets = sup_layout_add(&l, offsets ? b->volume.member_count : 0, sizeof(sup_vec3));
    if (!offsets) s->offsets = NULL;
    s->known = sup_layout_add(&l, b->member_points ? b->volume.member_count : 0, sizeof(sup_vec3));
    if (!b->member_points) s->known = NULL;
    s->node_skin = sup_layout_add(&l, b->node_skin ? sup_skin_scratch(b->node_skin) : 0, 1);
    s->cold = sup_layout_add(&l, n / FIT_GRAIN + 1, sizeof(uint32_t));
    s->still = sup_layout_add(&l, b->regions.chunk_count, sizeof(bool));
    s->morphed = sup_layout_add(&l, b->character->morph_count ? b->point_count : 0, sizeof(sup_vec3));
    size_t skin = sup_skin_scratch(b->skin), points = b->point_skin ? sup_skin_scratch(b->point_skin) : 0;
    s->skin = sup_layout_add(&l, skin > points ? skin : points, 1);
    s->bodies = sup_layout_add(&l, b->body_scratch, 1);
    s->pose_memory = sup_layout_add(&l, sup_pose_size(b->character), 1);
    return l.used;
}

size_t lattice_scratch_size(const lattice_bound* b)
{
    lattice_scratch s;
    return lay_out(b, NULL, &s);
}

// ---------------------------------------------------------------------------------------------- springs

static sup_vec3 root_place(const lattice_bound* b, const sup_pose* pose) { return affine_translation(&pose->global[b->root]); }

typedef struct spring {
    float pull, hold, keep;
} spring;

// Hz and damping ratio as the coefficients of one substep. The implicit step's own damping, omega dt / 2, is subtracted from
// the requested one.
static spring make_spring(const lattice_params* p, float shape_hz, float pose_hz, float ratio, double dt)
{
    double shape = 2 * SUP_PI * (double)shape_hz, pose = 2 * SUP_PI * (double)pose_hz, zeta = (double)ratio;
    if (p->integrator == INTEGRATOR_SYMPLECTIC) {
        double sine = sup_sin(fmin(shape * dt / 2, SUP_PI / 2)), swing = sup_sin(fmin(pose * dt / 2, SUP_PI / 2));
        double alpha = fmin(4 * sine * sine, 1), delta = 1 - fmin(4 * swing * swing / alpha, 1);
        if (p->delta >= 0) {
            delta = (double)p->delta;
            swing = sqrt(alpha * (1 - delta)) / 2; // sine of half the angle of the pose spring
            pose = 2 * sup_atan2(swing, sqrt(fmax(1 - swing * swing, 0))) / dt;
        }
        return (spring){ (float)alpha, (float)delta, (float)sup_exp(-2 * pose * zeta * dt) };
    }
    double ks = shape * shape, kp = pose * pose, c = fmax(2 * pose * (zeta - pose * dt / 2), 0);
    return (spring){ (float)(ks * dt * dt), (float)(1 / (1 + (ks + kp) * dt * dt)), (float)sup_exp(-c * dt) };
}

// Kept in the state with the values they were computed for: with maps there is one per particle.
static void make_springs(const lattice_bound* b, const lattice_params* p, double dt, void* state)
{
    lattice_state* head = state;
    const float    key[8] = { p->shape_hz, p->pose_hz, p->damping_ratio, p->delta, (float)p->integrator, (float)dt, 1, 0 };
    if (memcmp(head->key, key, sizeof key) == 0) return;
    memcpy(head->key, key, sizeof key);
    float *pull = lattice_plane(b, state, PLANE_PULL), *hold = lattice_plane(b, state, PLANE_HOLD),
          *keep = lattice_plane(b, state, PLANE_KEEP);
    bool   varies = b->soft[SOFT_SHAPE].scale || b->soft[SOFT_POSE].scale || b->soft[SOFT_DAMPING].scale;
    spring all = make_spring(p, p->shape_hz, p->pose_hz, p->damping_ratio, dt);
    for (uint32_t i = 0; i < b->count; ++i) {
        if (varies)
            all =
                make_spring(p, sup_field_value(&lattice_rows[ROW_SHAPE_HZ], &b->soft[SOFT_SHAPE], p->shape_hz, i),
                            sup_field_value(&lattice_rows[ROW_POSE_HZ], &b->soft[SOFT_POSE], p->pose_hz, i),
                            sup_field_value(&lattice_rows[ROW_DAMPING_RATIO], &b->soft[SOFT_DAMPING], p->damping_ratio, i), dt);
        pull[i] = all.pull;
        hold[i] = all.hold;
        keep[i] = all.keep;
    }
}

// The highest shape frequency anywhere, in 1/s.
static double fastest(const lattice_bound* b, const lattice_params* p)
{
    double most = (double)p->shape_hz;
    for (uint32_t i = 0; b->soft[SOFT_SHAPE].scale && i < b->count; ++i)
        most = fmax(most, (double)sup_field_value(&lattice_rows[ROW_SHAPE_HZ], &b->soft[SOFT_SHAPE], p->shape_hz, i));
    return 2 * SUP_PI * most;
}

// ---------------------------------------------------------------------------------------------- state

static void move_flesh(const lattice_bound* b, const sup_rigid* by, void* state)
{
    sup_affine a = affine_from_rotation(by->rotation, by->translation);
    float*     plane[PLANE_COUNT];
    for (uint32_t i = 0; i < PLANE_COUNT; ++i) plane[i] = lattice_plane(b, state, i);
    for (uint32_t i = 0; i < b->count; ++i) {
        for (uint32_t k = PLANE_D; k < PLANE_Q; k += 3) {
            sup_vec3 v = v3(plane[k][i], plane[k + 1][i], plane[k + 2][i]);
            v = k == PLANE_Y ? affine_point(&a, v) : affine_direction(&a, v);
            plane[k][i] = v.x, plane[k + 1][i] = v.y, plane[k + 2][i] = v.z;
        }
        sup_quat q = quat(plane[PLANE_Q][i], plane[PLANE_Q + 1][i], plane[PLANE_Q + 2][i], plane[PLANE_Q + 3][i]);
        q = quat_mul(quat_mul(by->rotation, q), quat_conjugate(by->rotation));
        plane[PLANE_Q][i] = q.x, plane[PLANE_Q + 1][i] = q.y, plane[PLANE_Q + 2][i] = q.z, plane[PLANE_Q + 3][i] = q.w;
    }
}

static void move_state(const lattice_bound* b, const sup_rigid* by, void* state)
{
    move_flesh(b, by, state);
    if (b->bare) move_flesh(b, by, lattice_bare_state(b, state));
}

// The root's motion from one pose to another, between two fractions of it.
static sup_rigid root_share(const lattice_bound* b, const sup_pose* from, const sup_pose* to, float begin, float end)
{
    sup_transform x, y;
    sup_rigid     r;
    affine_decompose(&from->global[b->root], &x);
    affine_decompose(&to->global[b->root], &y);
    sup_quat turn = quat_normalize(quat_mul(y.rotation, quat_conjugate(x.rotation)));
    r.rotation = quat_slerp(quat_identity(), turn, end - begin);
    r.translation = v3_sub(v3_lerp(x.translation, y.translation, end),
                           quat_rotate(r.rotation, v3_lerp(x.translation, y.translation, begin)));
    return r;
}

// The bare flesh starts equal to the visible one.
static void copy_to_bare(const lattice_bound* b, void* state)
{
    if (b->bare) memcpy(lattice_bare_state(b, state), state, lattice_flesh_size(b));
}

void lattice_reset(const sup_binding* binding, const void* params, const sup_frame* frame, void* state, void* scratch)
{
    const lattice_bound* b = binding->data;
    lattice_scratch      s;
    lay_out(b, scratch, &s);
    memset(state, 0, lattice_state_size(b));
    float *y = lattice_plane(b, state, PLANE_Y), *u = lattice_plane(b, state, PLANE_U),
          *w = lattice_plane(b, state, PLANE_Q + 3);
    bool twisted;
    lattice_make_pose(b, params, frame, frame->end, &s, &twisted);
    for (uint32_t i = 0; i < b->count; ++i) {
        y[i] = s.pose[i].x, y[b->count + i] = s.pose[i].y, y[2 * b->count + i] = s.pose[i].z;
        w[i] = 1;
    }
    sup_stats_add(frame->stats, "lattice.point_not_smooth", b->embed.fallbacks);
    copy_to_bare(b, state);
    if (frame->settling) return;
    // The flesh starts at the speed of the skeleton.
    sup_pose next;
    sup_pose_place(b->character, s.pose_memory, &next);
    frame->sampler->pose(frame->sampler, frame->time + START_SPAN, &next);
    lattice_make_pose(b, params, frame, &next, &s, &twisted);
    for (uint32_t i = 0; i < b->count; ++i) {
        u[i] = (s.pose[i].x - y[i]) / (float)START_SPAN;
        u[b->count + i] = (s.pose[i].y - y[b->count + i]) / (float)START_SPAN;
        u[2 * b->count + i] = (s.pose[i].z - y[2 * b->count + i]) / (float)START_SPAN;
    }
    copy_to_bare(b, state);
}

// ---------------------------------------------------------------------------------------------- motion

static void sum_task(void* data, uint32_t begin, uint32_t end)
{
    const lattice_step* j = data;
    for (uint32_t c = begin; c < end; ++c) SUP_WIDE_PICK(sup_regions_sum)(&j->regions, j->sums.begin + c);
}

static void start_task(void* data, uint32_t begin, uint32_t end)
{
    const lattice_step* j = data;
    for (uint32_t c = begin; c < end; ++c) j->still[c] = SUP_WIDE_PICK(lattice_predict)(j, j->sums.begin + c);
}

static void fit_task(void* data, uint32_t begin, uint32_t end)
{
    const lattice_step* j = data;
    uint32_t            first = j->b->regions.chunks[j->fits.begin];
    j->cold[begin / FIT_GRAIN] += SUP_WIDE_PICK(sup_regions_fit)(&j->regions, first + begin, first + end);
}

static void goal_task(void* data, uint32_t begin, uint32_t end)
{
    const lattice_step* j = data;
    for (uint32_t c = begin; c < end; ++c) {
        SUP_WIDE_PICK(sup_regions_goal)(&j->regions, j->goals.begin + c);
        SUP_WIDE_PICK(lattice_update)(j, j->goals.begin + c);
    }
}

static void place_planes(const lattice_bound* b, void* state, const lattice_scratch* s, lattice_step* j)
{
    size_t        n = b->count;
    lattice_reach all = { 0, b->regions.chunk_count };
    j->b = b;
    j->state = state;
    j->goals = b->bare ? b->goals : all;
    j->fits = b->bare ? b->fits : all;
    j->sums = b->bare ? b->sums : all;
    j->regions.regions = &b->regions;
    for (uint32_t i = 0; i < 3; ++i) {
        j->d[i] = lattice_plane(b, state, PLANE_D + i);
        j->w[i] = lattice_plane(b, state, PLANE_W + i);
        j->y[i] = lattice_plane(b, state, PLANE_Y + i);
        j->u[i] = lattice_plane(b, state, PLANE_U + i);
        j->in[i] = s->planes + (SPARE_IN + i) * n;
        j->reference[i] = s->planes + (SPARE_REFERENCE + i) * n;
        j->start[i] = s->planes + (SPARE_START + i) * n;
        j->ahead[i] = s->planes + (SPARE_AHEAD + i) * n;
        j->apart[i] = s->planes + (SPARE_APART + i) * n;
        j->goal[i] = s->planes + (SPARE_GOAL + i) * n;
        j->regions.y[i] = j->reference[i];
        j->regions.d[i] = j->in[i];
        j->regions.goal[i] = j->goal[i];
    }
    for (uint32_t i = 0; i < 4; ++i) j->regions.q[i] = lattice_plane(b, state, PLANE_Q + i);
    j->pull = lattice_plane(b, state, PLANE_PULL);
    j->hold = lattice_plane(b, state, PLANE_HOLD);
    j->keep = lattice_plane(b, state, PLANE_KEEP);
    j->held = s->planes + SPARE_HELD * n;
    j->cold = s->cold;
    j->still = s->still;
    sup_regions_place(&j->regions, s->work);
}

// kp dt^2, the pull to the pose: where softness is painted, swinging flesh keeps its volume by moving itself and not its
// neighbors. NULL: uniform.
static const float* find_stiffness(const lattice_bound* b, const lattice_step* j, const lattice_scratch* s)
{
    bool varies = b->soft[SOFT_POSE].scale && !j->symplectic;
    if (!varies && !b->bare) return NULL;
    for (uint32_t i = 0; i < b->count; ++i) s->stiffness[i] = varies ? 1 / j->hold[i] - 1 - j->pull[i] : 1.0f;
    for (uint32_t i = 0; b->bare && i < b->count; ++i)
        if (b->bare[i] > 0) s->stiffness[i] = INFINITY;
    return s->stiffness;
}

// Moving flesh keeps the volumes of its pose: otherwise a head that spins fast would swell as its springs give way. Painted
// flesh keeps those of the bare one, and moves back to it where necessary.
typedef struct volume_aim {
    const sup_vec3* back;
    const double*   volumes;
    const float*    stiffness;
    double*         reached; ///< NULL: not needed
} volume_aim;

static bool keep_moving_volumes(const lattice_bound* b, const sup_frame* frame, const lattice_scratch* s, const volume_aim* aim,
                                bool pressed, uint32_t sweeps)
{
    sup_lattice_volume_bounds bounds = { .fallback = aim->back, .linear = s->linear, .there = aim->volumes };
    sup_lattice_volume_call   call = { .points = s->moved,
                                       .matrices = s->matrices,
                                       .core = true,
                                       .stiffness = aim->stiffness,
                                       .clearance = s->clearance,
                                       .middle = s->skinned,
                                       .hold = s->hold,
                                       .offsets = s->offsets,
                                       .targets = s->targets,
                                       .strength = s->strength,
                                       .goals = aim->volumes,
                                       .parts = b->bare ? b->painted_parts : NULL,
                                       .slack = MOVING_SLACK,
                                       .rough = !pressed,
                                       .grow = pressed ? 0 : MOVING_GROWTH * frame->dt,
                                       .sweeps = sweeps,
                                       .bounds = b->keeps_file && !pressed ? &bounds : NULL,
                                       .reached = aim->reached,
                                       .tasks = frame->tasks,
                                       .scratch = s->volume };
    return sup_lattice_volume_apply(&b->volume, &call).moved;
}

typedef struct moved_job {
    const lattice_bound*   b;
    const lattice_scratch* s;
    const lattice_step*    j;
    bool                   roomy; ///< not at the end of the step: clearances are those of the pose there
    bool                   bodies;
    float                  rate;
} moved_job;

// Where the particles are, and were; no farther from their skinned place than the clearance.
static void moved_task(void* data, uint32_t begin, uint32_t end)
{
    const moved_job*       m = data;
    const lattice_step*    j = m->j;
    const lattice_scratch* s = m->s;
    for (uint32_t i = begin; i < end && m->bodies; ++i) // the pose moved here by u dt
        s->before[i] = v3(j->y[0][i] - j->dt * j->u[0][i] + j->start[0][i], j->y[1][i] - j->dt * j->u[1][i] + j->start[1][i],
                          j->y[2][i] - j->dt * j->u[2][i] + j->start[2][i]);
    for (uint32_t i = begin; i < end; ++i)
        s->moved[i] = v3(j->y[0][i] + j->d[0][i], j->y[1][i] + j->d[1][i], j->y[2][i] + j->d[2][i]);
    s->cold[begin / COPY_GRAIN] = 0;
    for (uint32_t i = begin; i < end && !m->roomy; ++i) {
        sup_vec3 off = v3_sub(s->moved[i], s->skinned[i]);
        if (!(s->hold[i] * v3_length2(off) > 1)) continue;
        s->moved[i] = v3_add(s->skinned[i], sup_lattice_within(off, s->hold[i]));
        s->cold[begin / COPY_GRAIN] = 1;
    }
}

static void kept_task(void* data, uint32_t begin, uint32_t end)
{
    const moved_job*    m = data;
    const lattice_step* j = m->j;
    uint32_t            first = m->b->regions.chunks[j->goals.begin];
    for (uint32_t i = first + begin; i < first + end; ++i) {
        const float* x = &m->s->moved[i].x;
        for (int a = 0; a < 3; ++a) {
            float d = m->b->free[i] * (x[a] - j->y[a][i]);
            j->w[a][i] += j->keep[i] * j->settle * m->rate * (d - j->d[a][i]);
            j->d[a][i] = d;
        }
    }
}

// Constrains the particles: bodies press, and pressed parts bulge elsewhere, alternating, bodies last. Volumes and clearances
// are those of the pose at the end of the step. Returns whether anything has moved.
static bool constrain(const lattice_bound* b, const lattice_params* p, const sup_frame* frame, const lattice_scratch* s,
                      const lattice_step* j, double from, double to)
{
    bool bodies = frame->world && frame->world->body_count, last = to == 1, volumes = last && lattice_keeps_volume(b, p),
         moved = false;
    if (!last && !bodies) return false;
    moved_job job = { b, s, j, !last, bodies, 1 / (bodies ? j->dt : (float)frame->dt) };
    sup_tasks_run(frame->tasks, b->count, COPY_GRAIN, moved_task, &job);
    for (uint32_t i = 0; i < b->count; i += COPY_GRAIN) moved |= s->cold[i / COPY_GRAIN];
    volume_aim aim = { .back = s->pose, .volumes = s->reached, .reached = j->reached };
    if (b->bare) aim = (volume_aim){ .back = s->bare, .volumes = s->bare_reached };
    if (volumes) aim.stiffness = find_stiffness(b, j, s);
    if (volumes) moved |= keep_moving_volumes(b, frame, s, &aim, false, 2);
    for (int round = 0; bodies && round < PUSH_ROUNDS; ++round) {
        if (!lattice_push_bodies(b, frame, from, to, s->bodies, s->before, s->moved)) break;
        moved = true;
        if (round + 1 < PUSH_ROUNDS && volumes) keep_moving_volumes(b, frame, s, &aim, true, (uint32_t)p->sweeps);
    }
    uint32_t kept = b->regions.chunks[j->goals.end] - b->regions.chunks[j->goals.begin];
    if (moved) sup_tasks_run(frame->tasks, kept, COPY_GRAIN, kept_task, &job);
    return moved;
}

// One chunk per worker: the lines along z stay on the core that wrote them, which saves a third of the time on two.
static uint32_t share_of(const sup_tasks* tasks, uint32_t count)
{
    uint32_t workers = tasks && tasks->workers ? tasks->workers : 1;
    return (count + workers - 1) / workers;
}

// False: nothing moves.
static bool run_regions(const lattice_bound* b, const sup_frame* frame, lattice_step* j, uint32_t iterations)
{
    memset(j->cold, 0, (b->count / FIT_GRAIN + 1) * sizeof *j->cold);
    const uint32_t* slots = b->regions.chunks;
    uint32_t        goals = j->goals.end - j->goals.begin, sums = j->sums.end - j->sums.begin,
             matched = slots[j->fits.end] - slots[j->fits.begin];
    uint32_t fits = share_of(frame->tasks, matched / SUP_LANES) * SUP_LANES; // the counts of cold starts are kept by FIT_GRAIN
    if (fits < FIT_GRAIN) fits = FIT_GRAIN;
    sup_tasks_run(frame->tasks, sums, share_of(frame->tasks, sums), start_task, j);
    bool still = !j->rest && !j->symplectic;
    for (uint32_t c = 0; c < sums && still; ++c) still = j->still[c];
    if (still) { // a held pose costs next to nothing: what is on its pose stays there
        for (int a = 0; a < 3; ++a) {
            memset(j->d[a], 0, b->count * sizeof(float));
            memset(j->w[a], 0, b->count * sizeof(float));
        }
        return false;
    }
    for (uint32_t k = 0; k < iterations; ++k) {
        j->last = k + 1 == iterations;
        sup_tasks_run(frame->tasks, sums, share_of(frame->tasks, sums), sum_task, j);
        sup_tasks_run(frame->tasks, matched, fits, fit_task, j);
        sup_tasks_run(frame->tasks, goals, share_of(frame->tasks, goals), goal_task, j);
    }
    uint64_t cold = 0;
    for (uint32_t i = 0; i <= b->count / FIT_GRAIN; ++i) cold += j->cold[i];
    sup_stats_add(frame->stats, "lattice.cold_rotation", cold);
    return true;
}

// What all substeps of a step share.
static lattice_step begin_step(const lattice_bound* b, const lattice_params* p, const sup_frame* frame,
                               const lattice_scratch* s, void* state, double dt)
{
    lattice_step j = { .dt = (float)dt, .symplectic = p->integrator == INTEGRATOR_SYMPLECTIC, .pose = s->pose };
    place_planes(b, state, s, &j);
    j.limit = p->limit > 0 ? 1.0f / (p->limit * p->limit) : 0.0f;
    j.settle = frame->settling ? (float)sup_exp(-SETTLING * dt) : 1.0f;
    if (lattice_pushes(&j, p, frame, s)) j.push = s->push;
    make_springs(b, p, dt, state);
    return j;
}

// No swing at all: the pose itself.
static void stay_on_pose(const lattice_bound* b, const lattice_scratch* s, const lattice_step* j, double dt)
{
    for (uint32_t i = 0; i < b->count; ++i)
        for (int a = 0; a < 3; ++a) {
            float y = (&s->pose[i].x)[a];
            j->u[a][i] = (y - j->y[a][i]) / (float)dt;
            j->y[a][i] = y;
            j->d[a][i] = j->w[a][i] = 0;
        }
}

typedef struct bare_job {
    const lattice_step* j;
    sup_vec3*           out;
} bare_job;

static void bare_task(void* data, uint32_t begin, uint32_t end)
{
    const bare_job*     m = data;
    const lattice_step* j = m->j;
    for (uint32_t i = begin; i < end; ++i)
        m->out[i] = v3(j->y[0][i] + j->d[0][i], j->y[1][i] + j->d[1][i], j->y[2][i] + j->d[2][i]);
}

static void substep(const lattice_params* p, const sup_frame* frame, const lattice_scratch* s, lattice_step* j,
                    uint32_t iterations, double from, double to)
{
    bool moving = run_regions(j->b, frame, j, iterations), bodies = frame->world && frame->world->body_count;
    if (j->b->bare) lattice_take_bare(j->b, frame->tasks, (lattice_reach){ 0, j->b->regions.chunk_count }, j->state);
    bool moved = (moving || bodies) && constrain(j->b, p, frame, s, j, from, to);
    if (j->b->bare && moved) lattice_take_bare(j->b, frame->tasks, j->goals, j->state); // x - y is not d to the last bit
    if (!j->reached || to < 1) return;
    bare_job job = { j, s->bare };
    sup_tasks_run(frame->tasks, j->b->count, COPY_GRAIN, bare_task, &job);
}

// All substeps of a step, the bare flesh first.
static void run(const lattice_params* p, const sup_frame* frame, const lattice_scratch* s, uint32_t count, lattice_step* shown,
                const lattice_scratch* beside, lattice_step* bare)
{
    // One iteration is too soft by k^2 / (4 (1 + k)), k = ks dt^2, in the worst mode, and exact in pure shape and pure swing
    // modes: 0.1 % at 5 ms and 8 Hz, 0.8 % at 8.3 ms.
    double   stiff = fastest(shown->b, p) * (double)shown->dt;
    uint32_t iterations = shown->symplectic || stiff * stiff < 0.8 ? 1 : 2;
    for (uint32_t i = 1; i <= count; ++i) {
        double from = (double)(i - 1) / count, to = (double)i / count;
        shown->part = i == count ? 1.0f : 1.0f / (float)(count - i + 1);
        if (bare) {
            bare->part = shown->part;
            substep(p, frame, beside, bare, iterations, from, to);
        }
        substep(p, frame, s, shown, iterations, from, to);
    }
}

// The pose is computed once, at the end of the step: its volumes and gaps cost more than the motion. In between it moves in a
// straight line, which is 3 mm off for a hand that turns ten times a second.
static void step(const lattice_bound* b, const lattice_params* p, const sup_frame* frame, const lattice_scratch* s, void* state,
                 bool* twisted)
{
    double    wanted = ceil(frame->dt * fastest(b, p) / SUBSTEP_TURN);
    uint32_t  count = (uint32_t)fmin(fmax(wanted, 1), SUBSTEPS_MAX);
    double    dt = frame->dt / count;
    sup_rigid rest;
    sup_vec3  origin = root_place(b, frame->end);
    if (frame->carried) move_state(b, &frame->carry, state);
    if (p->inertia < 1 && !frame->carried && frame->start) {
        sup_rigid share = root_share(b, frame->start, frame->end, 0, 1.0f - p->inertia);
        move_state(b, &share, state);
    }
    lattice_make_pose(b, p, frame, frame->end, s, twisted);
    lattice_bound   unpainted = *b;
    lattice_scratch beside = *s;
    lattice_step    j = begin_step(b, p, frame, s, state, dt), bare;
    j.origin = &origin;
    if (p->reference == REFERENCE_REST) {
        sup_transform t;
        affine_decompose(&frame->end->skin[b->root], &t);
        rest = (sup_rigid){ t.rotation, t.translation };
        j.rest = &rest;
    }
    if (b->bare) {
        unpainted.bare = NULL;
        memset(unpainted.soft, 0, sizeof unpainted.soft);
        beside.push = s->bare_push;
        memcpy(s->bare_reached, s->reached, b->volume.part_count * sizeof *s->reached);
        bare = begin_step(&unpainted, p, frame, &beside, lattice_bare_state(b, state), dt);
        bare.origin = j.origin, bare.rest = j.rest, bare.reached = s->bare_reached;
    }
    if (j.symplectic && p->delta == 0) {
        stay_on_pose(b, s, &j, frame->dt);
        if (b->bare) stay_on_pose(b, s, &bare, frame->dt);
        return;
    }
    run(p, frame, s, count, &j, &beside, b->bare ? &bare : NULL);
}

// ---------------------------------------------------------------------------------------------- skin

typedef struct skin_job {
    const lattice_bound*   b;
    const lattice_scratch* s;
    const float*           d[3];
    const sup_vec3 *       rest, *morphed;
    sup_vec3*              out;
} skin_job;

static void place_task(void* data, uint32_t begin, uint32_t end)
{
    const skin_job* j = data;
    for (uint32_t i = begin; i < end; ++i) {
        sup_vec3 from = j->s->skinned[i], y = v3_sub(j->s->pose[i], from);
        sup_vec3 off = v3(y.x + j->d[0][i], y.y + j->d[1][i], y.z + j->d[2][i]);
        off = sup_lattice_within(off, j->s->hold[i]);
        if (!j->b->keeps_file) off = v3_add(off, from);
        float* x = j->s->x + 4 * (size_t)i;
        x[0] = off.x, x[1] = off.y, x[2] = off.z, x[3] = 0;
    }
}

// Morph targets move the skin within its cell; they rotate with it.
static void morph_task(void* data, uint32_t begin, uint32_t end)
{
    const skin_job* j = data;
    for (uint32_t p = begin; p < end; ++p) {
        sup_vec3 d = v3_sub(j->morphed[p], j->rest[p]);
        if (d.x == 0 && d.y == 0 && d.z == 0) continue;
        const uint32_t* corners = j->b->voxels.particles + 8 * (size_t)j->b->embed.cells[p];
        sup_vec3        sum = v3(0, 0, 0);
        for (int k = 0; k < 8; ++k) {
            const sup_mat3* m = &j->s->matrices[j->b->regions.slots[corners[k]]];
            sum = v3_add(sum, v3(m->m[0][0] * d.x + m->m[0][1] * d.y + m->m[0][2] * d.z,
                                 m->m[1][0] * d.x + m->m[1][1] * d.y + m->m[1][2] * d.z,
                                 m->m[2][0] * d.x + m->m[2][1] * d.y + m->m[2][2] * d.z));
        }
        j->out[p] = v3_mad(j->out[p], 0.125f, sum);
    }
}

static void add_task(void* data, uint32_t begin, uint32_t end)
{
    const skin_job* j = data;
    for (uint32_t p = begin; p < end; ++p) j->out[p] = v3_add(j->out[p], v3_sub(j->morphed[p], j->rest[p]));
}

// The file's skin, rotated where bones twist, plus what earlier links did to it.
static const sup_vec3* turned_skin(const lattice_bound* b, const sup_frame* frame, const lattice_scratch* s)
{
    const sup_vec3* rest = b->character->mesh.points;
    if (b->character->morph_count) rest = sup_pose_morph(b->character, frame->end, s->morphed);
    if (rest != b->character->mesh.points)
        lattice_turn_points(b, frame, frame->end, rest, s); // otherwise the pose has computed them
    skin_job job = { .rest = frame->skinned, .morphed = frame->points, .out = s->turned };
    if (frame->points != frame->skinned) sup_tasks_run(frame->tasks, b->point_count, COPY_GRAIN, add_task, &job);
    return s->turned;
}

static void write_skin(const lattice_bound* b, const sup_frame* frame, void* state, const lattice_scratch* s, bool twisted,
                       sup_vec3* out)
{
    skin_job job = { .b = b, .s = s, .rest = b->character->mesh.points, .out = out };
    for (uint32_t i = 0; i < 3; ++i) job.d[i] = lattice_plane(b, state, PLANE_D + i);
    sup_tasks_run(frame->tasks, b->count, COPY_GRAIN, place_task, &job);
    sup_lattice_embed_call call = { .embed = &b->embed, .x = s->x, .loose = frame->points, .out = out };
    if (b->keeps_file) call.plus = twisted ? turned_skin(b, frame, s) : frame->points;
    else if (frame->points != frame->skinned) { // keeps what earlier links did to the skin
        call.plus = frame->points;
        call.minus = frame->skinned;
    }
    sup_lattice_embed_run(&call, frame->tasks);
    if (b->keeps_file || b->character->morph_count == 0) return;
    job.morphed = sup_pose_morph(b->character, frame->end, s->morphed);
    if (job.morphed != job.rest) sup_tasks_run(frame->tasks, b->point_count, COPY_GRAIN, morph_task, &job);
}

void lattice_evaluate(const sup_binding* binding, const void* params, const sup_frame* frame, void* state, void* scratch,
                      sup_vec3* out)
{
    const lattice_bound* b = binding->data;
    lattice_scratch      s;
    bool                 twisted;
    lay_out(b, scratch, &s);
    if (frame->dt > 0) step(b, params, frame, &s, state, &twisted);
    else lattice_make_pose(b, params, frame, frame->end, &s, &twisted);
    write_skin(b, frame, state, &s, twisted, out);
}
