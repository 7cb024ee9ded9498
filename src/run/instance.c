// The clock. Dynamic links run at fixed step ends, whatever frames are asked for; frames are read in between.
//
//   step k ends at start + k x step. Steps up to 0 are the pre-roll: the first pose is held. With a loop, steps 1 to n are a
//   first pass, steps n + 1 to 2n the pass that is shown; at the seam the root's jump moves the state.
//   out(t) = skinned(t) + (out - skinned) between the two steps around t; static links behind the last dynamic one run on that.
//   A link with carriers gives their displacements at steps instead, and makes the skin from the displacements at t: links that
//   have no step to take, and skinning itself, run once a frame.
#include "math/vec.h"
#include "run/runner.h"

#include <string.h>

#define PREROLL_STANDARD 0.5
#define STEP_SNAP 1e-9 // of a step: nearer to a step end than this is that step end

#define POSE_LARGEST                                                                                                           \
    1e6f // scale of a joint against its bind, and way in diagonals, at which floats have no digit left for skin
#define POSE_BOUND INT64_MIN // the step number that stands for the bind pose

enum { SNAPSHOTS_STANDARD = 16, SNAPSHOT_SPACING = 16 };

// A state block: this header, the links' states, the displacements of the last two steps. No pointers: copied, saved, hashed.
typedef struct state_head {
    int64_t   step;
    int64_t   started; // 0: nothing has run yet
    double    host_time;
    sup_rigid carry; // waiting for the next step (live teleports)
    int64_t   carried;
    int64_t   posed; // the step whose pose the links saw last: poses that are not finite are held back
} state_head;

struct sup_instance {
    sup_arena*       arena;
    sup_allocator    allocator; // the host's; all zero: malloc
    const sup_chain* chain;
    const sup_clip*  clip;
    const sup_tasks* tasks;
    double           start, end, step;
    double           still;   // from this second on the pose is held
    int64_t          preroll; // steps before 0
    int64_t          pass;    // steps of one pass of the loop; 0: no loop
    bool             live;

    uint8_t* params;   // as set
    uint8_t* resolved; // with the keys of this moment
    uint8_t* state;    // the current state block
    size_t   state_size, links_offset, before_offset, after_offset, displacement_size;

    uint8_t** snapshots; // blocks; unused ones have started == 0
    uint32_t  snapshot_count;
    int64_t   spacing; // steps between them, doubled when they run out

    sup_pose        first, last, now, shown; // at the clip's start, at the step before, at the step, at the output
    sup_pose        host_before, host_now;
    double          host_span; // seconds between the two host poses
    bool            held;
    sup_rigid       seam; // the root's motion from the end of the loop back to its start
    bool            seam_moves;
    sup_sampler     sampler;
    sup_world_plan  world;           // the chain's, or with other forces or bodies
    sup_arena *     forces, *bodies; // own the replaced forces and bodies; NULL: the chain's
    world_workspace work;            // the world at this moment
    bool*           carries;         // per joint: some skin follows it
};

// ---------------------------------------------------------------------------------------------- poses

static void pose_at(const sup_instance* in, double time, sup_pose* out)
{
    if (in->held) sup_pose_copy(&in->first, out);
    else sup_clip_sample(in->chain->character, in->clip, time < in->still ? time : in->still, out);
}

// Whether skin can follow the pose. An invalid pose never reaches a dynamic link: every such step would lose the motion, at
// many times the cost of a valid one.
static bool pose_is_valid(const sup_instance* in, const sup_pose* pose)
{
    float diagonal = in->chain->character->mesh.diagonal, far = POSE_LARGEST * (diagonal > 0 ? diagonal : 1);
    for (uint32_t j = 0; j < pose->joint_count; ++j) {
        if (!in->carries[j]) continue;
        for (int r = 0; r < 3; ++r) {
            const float* m = pose->skin[j].m[r];
            bool         near = fabsf(m[0]) < POSE_LARGEST && fabsf(m[1]) < POSE_LARGEST && fabsf(m[2]) < POSE_LARGEST;
            if (!near || !(fabsf(m[3]) < far)) return false; // false for NaN too
        }
    }
    for (uint32_t m = 0; m < pose->morph_count; ++m)
        if (!(fabsf(pose->morph_weights[m]) < POSE_LARGEST)) return false;
    return true;
}

// Poses within a step, for deformers with substeps.
static void sample(const sup_sampler* sampler, double time, sup_pose* out)
{
    const sup_instance* in = sampler->user;
    if (in->live) {
        const state_head* head = (const state_head*)in->state;
        double            ratio = in->host_span > 0 ? 1.0 - (head->host_time - time) / in->host_span : 1.0;
        sup_pose_blend(in->chain->character, &in->host_before, &in->host_now, ratio < 0 ? 0 : ratio > 1 ? 1 : ratio, out);
    } else pose_at(in, time < in->start ? in->start : time, out);
    if (out != &in->now && !pose_is_valid(in, out)) sup_pose_copy(&in->now, out);
}

// The rigid motion of the root joint from one pose to another: rotation from the matrices' axes, so scale does not matter.
static sup_rigid root_motion(const sup_character* c, const sup_pose* from, const sup_pose* to)
{
    uint32_t root = 0;
    while (root + 1 < c->skeleton.joint_count && !c->skeleton.joints[root].skin_joint) ++root;
    if (!c->skeleton.joints[root].skin_joint) root = 0;
    sup_transform a, b;
    affine_decompose(&from->global[root], &a);
    affine_decompose(&to->global[root], &b);
    sup_rigid r;
    r.rotation = quat_normalize(quat_mul(b.rotation, quat_conjugate(a.rotation)));
    r.translation = v3_sub(b.translation, quat_rotate(r.rotation, a.translation));
    return r;
}

// A seam that turns the root by less than 0.056 degrees (1 - cosine of half the angle; two steps of a float below 1) and moves
// it by less than a millionth of the diagonal does not carry the state: that is the rounding of two poses.
static const float SEAM_TURN = 1e-7f, SEAM_MOVE = 1e-6f;

static bool rigid_moves(const sup_rigid* r, float diagonal)
{
    return fabsf(r->rotation.w) < 1.0f - SEAM_TURN || v3_length(r->translation) > SEAM_MOVE * diagonal;
}

// ---------------------------------------------------------------------------------------------- steps

static state_head* head_of(uint8_t* state) { return (state_head*)state; }
static sup_vec3*   before_of(const sup_instance* in) { return (sup_vec3*)(in->state + in->before_offset); }
static sup_vec3*   after_of(const sup_instance* in) { return (sup_vec3*)(in->state + in->after_offset); }

static double step_time(const sup_instance* in, int64_t step)
{
    if (step <= 0) return in->live ? (double)step * in->step : in->start;
    if (in->pass && step > in->pass) step -= in->pass;
    return in->start + (double)step * in->step;
}

static void pose_of_step(const sup_instance* in, int64_t step, sup_pose* out)
{
    if (step == POSE_BOUND) sup_pose_bind(in->chain->character, out);
    else if (step <= 0) sup_pose_copy(&in->first, out);
    else pose_at(in, step_time(in, step), out);
}

// in->now as the links may see it: the pose of this step, or the last valid one if this one is not finite.
static void hold_pose(sup_instance* in, int64_t step, sup_stats* stats)
{
    if (pose_is_valid(in, &in->now)) {
        head_of(in->state)->posed = step;
        return;
    }
    sup_pose_copy(&in->last, &in->now);
    sup_stats_add(stats, "runner.pose_held", 1);
}

static sup_frame make_frame(sup_instance* in, double time, double dt, const sup_pose* from, const sup_pose* to,
                            sup_stats* stats)
{
    // While the first pose is held, time stands still, and so does the world.
    double before = !in->live && time - dt < in->start ? in->start : time - dt;
    world_resolve(in->chain, &in->world, &(world_moment){ before, time, from, to, in->tasks }, in->params, in->resolved,
                  &in->work);
    return (sup_frame){ .time = time,
                        .dt = dt,
                        .start = from,
                        .end = to,
                        .carry = rigid_identity(),
                        .world = &in->work.world,
                        .tasks = in->tasks,
                        .stats = stats,
                        .sampler = &in->sampler };
}

static void reset_links(sup_instance* in, const sup_frame* frame, const run_scratch* s)
{
    const sup_chain* chain = in->chain;
    sup_frame        f = *frame;
    f.points = chain->stepped_end ? sup_pose_morph(chain->character, f.end, s->morphed) : NULL;
    for (uint32_t i = 0; i < chain->dynamic_end; ++i) {
        const link* l = &chain->links[i];
        uint8_t*    state = in->state + in->links_offset + l->state_offset;
        bool        stepped = i < chain->stepped_end;
        f.skinned = i == 0 || !stepped ? NULL : s->skinned;
        if (!stepped) f.points = NULL;
        if (l->binding.state_size > 0) {
            memset(state, 0, l->binding.state_size);
            l->deformer->reset(&l->binding, in->resolved + l->params_offset, &f, state, s->link);
        }
        if (!stepped) continue;
        sup_vec3* to = i == 0 ? s->skinned : f.points == s->a ? s->b : s->a;
        link_run(chain, i, in->resolved, state, &f, NULL, s, to);
        f.points = to;
    }
}

// Runs the links whose skin later links need at every step, and stores out - skinned in the block. False if a point is lost or
// not finite.
static bool step_skin(sup_instance* in, const sup_frame* frame, const run_scratch* s)
{
    const sup_chain* chain = in->chain;
    uint8_t*         links = in->state + in->links_offset;
    sup_vec3*        d = after_of(in);
    float            limit2;
    if (!chain->stepped_end) return true;
    const sup_vec3* points = links_run(chain, 0, chain->stepped_end, in->resolved, links, frame, NULL, s, NULL, NULL);
    for (uint32_t i = 0; i < chain->character->mesh.point_count; ++i) d[i] = v3_sub(points[i], s->skinned[i]);
    return points_near(&chain->character->mesh, points, s->skinned, &limit2);
}

// Runs the other dynamic links, which move carriers.
static bool step_carriers(sup_instance* in, const sup_frame* given, const run_scratch* s)
{
    const sup_chain* chain = in->chain;
    sup_frame        frame = *given;
    bool             near = true;
    frame.points = frame.skinned = NULL;
    for (uint32_t i = chain->stepped_end; i < chain->dynamic_end; ++i) {
        const link* l = &chain->links[i];
        sup_vec3*   displacements = after_of(in) + l->displacement_offset;
        if (l->binding.carriers == 0) continue;
        l->deformer->evaluate(&l->binding, in->resolved + l->params_offset, &frame,
                              in->state + in->links_offset + l->state_offset, s->link, displacements);
        near = near && displacements_near(&chain->character->mesh, displacements, l->binding.carriers, NULL);
    }
    if (near) return true;
    // Rare, so the skin is posed only here, to measure its size.
    links_run(chain, 0, 1, in->resolved, NULL, &frame, NULL, s, NULL, NULL);
    for (uint32_t i = chain->stepped_end; i < chain->dynamic_end; ++i) {
        const link* l = &chain->links[i];
        if (!displacements_near(&chain->character->mesh, after_of(in) + l->displacement_offset, l->binding.carriers,
                                s->skinned))
            return false;
    }
    return true;
}

static bool run_links(sup_instance* in, const sup_frame* frame, const run_scratch* s)
{
    bool near = step_skin(in, frame, s);
    return step_carriers(in, frame, s) && near;
}

static void run_at(sup_instance* in, const sup_frame* frame, const run_scratch* s, sup_stats* stats)
{
    if (run_links(in, frame, s)) return;
    sup_frame still = *frame;
    still.dt = 0;
    still.start = still.end;
    still.carried = false;
    reset_links(in, &still, s);
    if (!run_links(in, &still, s)) memset(after_of(in), 0, in->displacement_size);
    sup_stats_add(stats, "runner.lost_and_reset", 1);
}

static void begin_motion(sup_instance* in, const sup_pose* pose, const run_scratch* s, sup_stats* stats)
{
    state_head* head = head_of(in->state);
    bool        valid = pose_is_valid(in, pose);
    *head = (state_head){ .step = -in->preroll, .started = 1, .carry = rigid_identity(), .posed = valid ? 0 : POSE_BOUND };
    if (!valid) {
        pose_of_step(in, POSE_BOUND, &in->now);
        pose = &in->now;
        sup_stats_add(stats, "runner.pose_held", 1);
    }
    sup_frame frame = make_frame(in, step_time(in, head->step), 0, pose, pose, stats);
    frame.settling = in->preroll > 0;
    frame.settling_steps = (uint32_t)in->preroll;
    reset_links(in, &frame, s);
    run_at(in, &frame, s, stats);
    memcpy(before_of(in), after_of(in), in->displacement_size);
    sup_pose_copy(pose, &in->last);
}

static void turn_displacements(sup_instance* in, sup_vec3* d, sup_quat rotation)
{
    for (size_t i = 0; i < in->chain->displacement_count; ++i) d[i] = quat_rotate(rotation, d[i]);
}

// One step of the clock to the pose in in->now; in->last is the pose of the step before.
static void do_step(sup_instance* in, const run_scratch* s, sup_stats* stats)
{
    state_head* head = head_of(in->state);
    int64_t     k = head->step + 1;
    sup_frame   frame = make_frame(in, step_time(in, k), in->step, &in->last, &in->now, stats);
    frame.settling = k <= 0;
    frame.settling_steps = k < 0 ? (uint32_t)-k : 0;
    if (in->pass && k == in->pass + 1 && in->seam_moves) {
        frame.carry = in->seam;
        frame.carried = true;
        turn_displacements(in, after_of(in), in->seam.rotation);
    }
    if (head->carried) {
        frame.carry = head->carry;
        frame.carried = true;
        head->carried = 0;
    }
    memcpy(before_of(in), after_of(in), in->displacement_size);
    run_at(in, &frame, s, stats);
    head->step = k;
    sup_pose_copy(&in->now, &in->last);
}

// ---------------------------------------------------------------------------------------------- snapshots

static void take_snapshot(sup_instance* in)
{
    const state_head* head = head_of(in->state);
    if (in->snapshot_count == 0 || head->step < 0 || head->step % in->spacing != 0) return;
    for (;;) {
        uint8_t* unused = NULL;
        for (uint32_t i = 0; i < in->snapshot_count; ++i) {
            const state_head* h = head_of(in->snapshots[i]);
            if (h->started && h->step == head->step) return;
            if (!h->started && !unused) unused = in->snapshots[i];
        }
        if (unused) {
            memcpy(unused, in->state, in->state_size);
            return;
        }
        in->spacing *= 2;
        for (uint32_t i = 0; i < in->snapshot_count; ++i)
            if (head_of(in->snapshots[i])->step % in->spacing != 0) head_of(in->snapshots[i])->started = 0;
        if (head->step % in->spacing != 0) return;
    }
}

static void drop_snapshots_after(sup_instance* in, int64_t step)
{
    for (uint32_t i = 0; i < in->snapshot_count; ++i)
        if (head_of(in->snapshots[i])->step > step) head_of(in->snapshots[i])->started = 0;
}

// The newest state that is not after the step: a snapshot, or the current one.
static void seek(sup_instance* in, int64_t step)
{
    state_head* head = head_of(in->state);
    uint8_t*    best = head->started && head->step <= step ? in->state : NULL;
    for (uint32_t i = 0; i < in->snapshot_count; ++i) {
        const state_head* h = head_of(in->snapshots[i]);
        if (h->started && h->step <= step && (!best || h->step > head_of(best)->step)) best = in->snapshots[i];
    }
    if (best == in->state) return;
    if (best) {
        memcpy(in->state, best, in->state_size);
        pose_of_step(in, head->posed, &in->last);
    } else head->started = 0;
}

// At most `most` steps.
static void advance(sup_instance* in, int64_t step, int64_t most, const run_scratch* s, sup_stats* stats)
{
    seek(in, step);
    state_head* head = head_of(in->state);
    if (!head->started) {
        begin_motion(in, &in->first, s, stats);
        take_snapshot(in);
    }
    while (head->step < step && most-- > 0) {
        // The seam: the pass that is shown begins in the first pose.
        if (in->pass && head->step == in->pass && pose_is_valid(in, &in->first)) {
            sup_pose_copy(&in->first, &in->last);
            head->posed = 0;
        }
        int64_t k = head->step + 1;
        pose_of_step(in, k, &in->now);
        hold_pose(in, k, stats);
        do_step(in, s, stats);
        take_snapshot(in);
    }
}

// The first step that ends at or after t, and the position of t between the step before and it.
static int64_t step_of(const sup_instance* in, double time, double* ratio)
{
    double x = (time - in->start) / in->step;
    double whole = floor(x);
    if (x - whole < STEP_SNAP * (1 + x)) x = whole;
    else if (whole + 1 - x < STEP_SNAP * (1 + x)) x = whole + 1;
    int64_t k = (int64_t)ceil(x);
    *ratio = k == (int64_t)x ? 1.0 : x - floor(x);
    if (!in->pass) return k;
    // A loop shows the second pass, whose first moment is the end of the first carried over the seam.
    if (k == 0) k = 1, *ratio = 0.0;
    return k + in->pass;
}

// ---------------------------------------------------------------------------------------------- output

static void show(sup_instance* in, double time, double ratio, const run_scratch* s, sup_stats* stats, sup_vec3* out)
{
    const sup_chain*  chain = in->chain;
    sup_frame         frame = make_frame(in, time, 0, &in->shown, &in->shown, stats);
    run_displacements displacements = { before_of(in), after_of(in), ratio };
    if (!chain->stepped_end) {
        links_run(chain, 0, chain->link_count, in->resolved, NULL, &frame, &displacements, s, NULL, out);
        return;
    }
    // For links that only skin: those that have taken their steps do not run again.
    const sup_vec3* skinned = links_run(chain, 0, 1, in->resolved, NULL, &frame, NULL, s, NULL, NULL);
    sup_vec3*       to = chain->stepped_end == chain->link_count ? out : s->a;
    displacements_blend(&displacements, 0, chain->character->mesh.point_count, to);
    for (uint32_t i = 0; i < chain->character->mesh.point_count; ++i) to[i] = v3_add(skinned[i], to[i]);
    if (to != out)
        links_run(chain, chain->stepped_end, chain->link_count, in->resolved, NULL, &frame, &displacements, s, to, out);
}

// Clamps a time to what is shown: not before the start, and within the span of a loop.
static double shown_time(const sup_instance* in, double time)
{
    if (!(time > in->start)) return in->start; // also if it is NaN
    if (!in->pass) return time;
    double span = in->end - in->start, passes = floor((time - in->start) / span);
    time -= passes * span;
    return time < in->end ? time : in->start;
}

void sup_instance_show_pose(sup_instance* in, double time)
{
    SUP_ASSERT(!in->live);
    pose_at(in, shown_time(in, time), &in->shown);
}

bool sup_instance_advance(sup_instance* in, double time, uint32_t steps, void* scratch, sup_stats* stats)
{
    SUP_ASSERT(!in->live);
    double ratio;
    if (!in->chain->dynamic_end) return true;
    run_scratch s = scratch_cut(in->chain, scratch);
    int64_t     step = step_of(in, shown_time(in, time), &ratio);
    advance(in, step, steps, &s, stats);
    return head_of(in->state)->step == step;
}

void sup_instance_evaluate(sup_instance* in, double time, void* scratch, sup_stats* stats, sup_vec3* out)
{
    SUP_ASSERT(!in->live);
    run_scratch s = scratch_cut(in->chain, scratch);
    double      ratio = 1.0;
    time = shown_time(in, time);
    if (in->chain->dynamic_end) advance(in, step_of(in, time, &ratio), INT64_MAX, &s, stats);
    pose_at(in, time, &in->shown);
    show(in, time, ratio, &s, stats, out);
}

bool sup_instance_draw(const sup_instance* in, uint32_t index, const sup_vec3* skin, const sup_canvas* canvas)
{
    if (index >= in->chain->link_count || !in->chain->links[index].deformer->draw) return false;
    const link* l = &in->chain->links[index];
    l->deformer->draw(&l->binding, &in->shown, in->state + in->links_offset + l->state_offset, skin, canvas);
    return true;
}

uint32_t sup_instance_relief(const sup_instance* in, const sup_vec3* skin, void* scratch, sup_ripple* out)
{
    const link* l = &in->chain->links[in->chain->link_count - 1];
    if (!l->deformer->relief) return 0;
    run_scratch s = out ? scratch_cut(in->chain, scratch) : (run_scratch){ 0 };
    sup_frame frame = { .start = &in->shown, .end = &in->shown, .points = skin, .tasks = in->tasks, .world = &in->work.world };
    return l->deformer->relief(&l->binding, in->resolved + l->params_offset, &frame, skin, s.link, out);
}

const sup_pose*  sup_instance_pose(const sup_instance* in) { return &in->shown; }
const sup_world* sup_instance_world(const sup_instance* in) { return &in->work.world; }

void sup_instance_live(sup_instance* in, double dt, const sup_transform* local, const float* morph_weights, bool teleport,
                       void* scratch, sup_stats* stats, sup_vec3* out)
{
    SUP_ASSERT(in->live);
    const sup_character* c = in->chain->character;
    run_scratch          s = scratch_cut(in->chain, scratch);
    state_head*          head = head_of(in->state);
    if (!(dt > 0)) dt = 0;
    sup_pose_copy(&in->host_now, &in->host_before);
    memcpy(in->host_now.local, local, c->skeleton.joint_count * sizeof *local);
    if (morph_weights) memcpy(in->host_now.morph_weights, morph_weights, c->morph_count * sizeof *morph_weights);
    sup_pose_update(c, &in->host_now);
    bool dynamic = in->chain->dynamic_end > 0;
    if (!head->started) {
        sup_pose_copy(&in->host_now, &in->host_before);
        if (dynamic) {
            begin_motion(in, &in->host_now, &s, stats);
            sup_pose_copy(&in->last, &in->now);
            while (head->step < 0) do_step(in, &s, stats);
        }
        head->started = 1;
        dt = 0;
    } else if (teleport && dynamic) {
        bool      valid = pose_is_valid(in, &in->host_before) && pose_is_valid(in, &in->host_now);
        sup_rigid jump = valid ? root_motion(c, &in->host_before, &in->host_now) : rigid_identity();
        turn_displacements(in, before_of(in), jump.rotation);
        turn_displacements(in, after_of(in), jump.rotation);
        if (head->carried) { // two jumps before one step
            jump.translation = rigid_point(&jump, head->carry.translation);
            jump.rotation = quat_normalize(quat_mul(jump.rotation, head->carry.rotation));
        }
        head->carry = jump;
        head->carried = 1;
        sup_pose_copy(&in->host_now, &in->host_before);
        if (pose_is_valid(in, &in->host_now)) sup_pose_copy(&in->host_now, &in->last);
    }
    head->host_time += dt;
    in->host_span = dt;
    double ratio = 1.0;
    if (dynamic) {
        while ((double)(head->step + 1) * in->step <= head->host_time + STEP_SNAP * in->step) {
            sample(&in->sampler, (double)(head->step + 1) * in->step, &in->now);
            hold_pose(in, head->step + 1, stats);
            do_step(in, &s, stats);
        }
        ratio = head->host_time / in->step - (double)head->step;
        ratio = ratio < 0 ? 0 : ratio > 1 ? 1 : ratio;
    }
    sup_pose_copy(&in->host_now, &in->shown);
    show(in, head->host_time, ratio, &s, stats, out);
}

// ---------------------------------------------------------------------------------------------- making

static bool make_poses(sup_instance* in, sup_error* error)
{
    sup_pose* poses[] = { &in->first, &in->last, &in->now, &in->shown, &in->host_before, &in->host_now };
    for (uint32_t i = 0; i < SUP_COUNT_OF(poses); ++i)
        if (sup_pose_create(in->chain->character, in->arena, poses[i], error)) return false;
    return true;
}

static sup_result set_span(sup_instance* in, const sup_instance_desc* desc, sup_error* error)
{
    double end = desc->end != 0 ? desc->end : in->clip ? in->clip->seconds : 0;
    double preroll = desc->preroll == 0 ? PREROLL_STANDARD : desc->preroll < 0 ? 0 : desc->preroll;
    if (!(desc->start >= 0 && desc->start <= 1e6) || !(end <= 1e6))
        return sup_fail(error, SUP_ERROR_INPUT, "a span must lie between 0 and a million seconds, not from %g to %g s",
                        desc->start, end);
    if (!(end >= desc->start))
        return sup_fail(error, SUP_ERROR_INPUT, "the span from %g s to %g s is reversed; put start before end", desc->start,
                        end);
    if (!(preroll <= 600)) return sup_fail(error, SUP_ERROR_INPUT, "a pre-roll of %g s is too long; give at most 600", preroll);
    in->start = desc->start;
    in->end = end;
    in->step = in->chain->step;
    in->still = desc->still > 0 && !desc->loop ? desc->still : INFINITY;
    in->preroll = (int64_t)ceil(preroll / in->step - STEP_SNAP);
    if (desc->loop) {
        if (!(end > desc->start))
            return sup_fail(error, SUP_ERROR_INPUT, "nothing to loop: the span is empty; give a clip, or --start and --end");
        in->pass = (int64_t)ceil((end - desc->start) / in->step - STEP_SNAP);
        in->step = (end - desc->start) / (double)in->pass;
    }
    return SUP_OK;
}

static void set_poses(sup_instance* in, const sup_instance_desc* desc)
{
    const sup_character* c = in->chain->character;
    in->held = !in->clip;
    if (!in->held) sup_clip_sample(c, in->clip, in->start, &in->first);
    else if (desc->pose) sup_pose_copy(desc->pose, &in->first);
    else sup_pose_rest(c, &in->first);
    sup_pose_copy(&in->first, &in->shown);
    sup_pose_copy(&in->first, &in->host_now);
    if (in->pass) {
        pose_at(in, in->end, &in->now);
        in->seam = root_motion(c, &in->now, &in->first);
        in->seam_moves =
            pose_is_valid(in, &in->now) && pose_is_valid(in, &in->first) && rigid_moves(&in->seam, c->mesh.diagonal);
    }
}

static bool make_blocks(sup_instance* in, const sup_instance_desc* desc)
{
    const sup_chain* chain = in->chain;
    in->links_offset = sup_align(sizeof(state_head), 64);
    in->displacement_size = sup_align(chain->displacement_count * sizeof(sup_vec3), 64);
    in->before_offset = in->links_offset + chain->state_size;
    in->after_offset = in->before_offset + in->displacement_size;
    in->state_size = in->after_offset + in->displacement_size;
    in->state = sup_arena_alloc(in->arena, 1, in->state_size);
    in->params = sup_arena_alloc(in->arena, 1, chain->params_size + 1);
    in->resolved = sup_arena_alloc(in->arena, 1, chain->params_size + 1);
    in->spacing = SNAPSHOT_SPACING;
    in->carries = SUP_NEW(in->arena, bool, chain->character->skeleton.joint_count);
    if (chain->dynamic_end && !in->live) in->snapshot_count = desc->snapshots ? desc->snapshots : SNAPSHOTS_STANDARD;
    in->snapshots = SUP_NEW(in->arena, uint8_t*, in->snapshot_count);
    bool good = in->state && in->params && in->resolved && in->snapshots && in->carries;
    in->world = chain->world;
    good = good && world_workspace_create(&in->world, in->arena, &in->work);
    for (uint32_t i = 0; good && i < in->snapshot_count; ++i)
        good = (in->snapshots[i] = sup_arena_alloc(in->arena, 1, in->state_size)) != NULL;
    for (uint32_t i = 0; good && i < chain->link_count; ++i)
        memcpy(in->params + chain->links[i].params_offset, chain->links[i].params, chain->links[i].deformer->params_size);
    const sup_weights* w = &chain->character->weights;
    for (uint32_t i = 0; good && w->begin && i < w->begin[chain->character->mesh.point_count]; ++i)
        in->carries[w->joints[i]] = true;
    return good;
}

sup_result sup_instance_create(const sup_instance_desc* desc, sup_instance** out, sup_error* error)
{
    SUP_ASSERT(desc->chain);
    sup_arena*    arena = sup_arena_create(desc->allocator);
    sup_instance* in = arena ? SUP_NEW(arena, sup_instance, 1) : NULL;
    if (!in) {
        sup_arena_destroy(arena);
        return sup_fail_memory(error, "an instance");
    }
    *in = (sup_instance){
        .arena = arena, .chain = desc->chain, .clip = desc->live ? NULL : desc->clip, .tasks = desc->tasks, .live = desc->live
    };
    if (desc->allocator) in->allocator = *desc->allocator;
    in->sampler = (sup_sampler){ sample, in };
    sup_result r = set_span(in, desc, error);
    if (!r && !(make_poses(in, error) && make_blocks(in, desc))) r = sup_fail_memory(error, "an instance");
    if (r) {
        sup_arena_destroy(arena);
        return r;
    }
    set_poses(in, desc);
    *out = in;
    return SUP_OK;
}

void sup_instance_destroy(sup_instance* in)
{
    if (!in) return;
    sup_arena_destroy(in->forces);
    sup_arena_destroy(in->bodies);
    sup_arena_destroy(in->arena);
}

sup_result sup_instance_set(sup_instance* in, uint32_t index, const char* param, double value, sup_error* error)
{
    if (index >= in->chain->link_count) return sup_fail(error, SUP_ERROR_INPUT, "the chain has no link number %u", index + 1);
    const link* l = &in->chain->links[index];
    uint32_t    row = param_find(l->deformer, param, strlen(param));
    if (row == SUP_NONE) return sup_fail(error, SUP_ERROR_INPUT, "%s has no parameter '%s'", l->deformer->name, param);
    if (l->deformer->params[row].stage != SUP_STAGE_FRAME)
        return sup_fail(error, SUP_ERROR_INPUT, "%s.%s is fixed when the chain is bound; make a new chain", l->deformer->name,
                        param);
    sup_result r = param_set_number(l->deformer, row, value, in->params + l->params_offset, error);
    if (!r) drop_snapshots_after(in, head_of(in->state)->step);
    return r;
}

// Drops all state after a time. In a loop every time occurs twice.
static void forget_after(sup_instance* in, double time)
{
    double  x = floor((time - in->start) / in->step + STEP_SNAP);
    int64_t step = in->pass || !(x >= 0) ? -in->preroll - 1 : x < 1e12 ? (int64_t)x : (int64_t)1e12;
    drop_snapshots_after(in, step);
    if (head_of(in->state)->step > step) seek(in, step);
}

double sup_instance_felt(const sup_instance* in, uint32_t force)
{
    return force < in->world.force_count ? (double)in->work.felt[force] * sup_character_physics_unit(in->chain->character) : 0;
}

void sup_instance_hold(sup_instance* in, double still)
{
    if (in->pass || in->live) return;
    double before = in->still;
    in->still = still > 0 ? still : INFINITY;
    if (in->still != before) forget_after(in, in->still < before ? in->still : before);
}

typedef sup_result change_fn(const sup_chain* chain, const sup_world_plan* from, const sup_json* json, sup_arena* arena,
                             sup_world_plan* out, sup_error* error);

// Copies the plan with one part replaced, and makes the arena that holds this part. On failure neither exists.
static sup_result change_plan(sup_instance* in, change_fn* change, const sup_json* json, sup_arena** arena,
                              sup_world_plan* plan, sup_error* error)
{
    *arena = sup_arena_create(in->allocator.allocate ? &in->allocator : NULL);
    if (!*arena) return sup_fail_memory(error, "the world");
    sup_result r = change(in->chain, &in->world, json, *arena, plan, error);
    if (r) sup_arena_destroy(*arena);
    return r;
}

// Uses the plan from second `from` on; `held` is the arena of the part that it replaces.
static void take_plan(sup_instance* in, const sup_world_plan* plan, sup_arena** held, sup_arena* arena, double from)
{
    sup_arena_destroy(*held);
    *held = arena;
    in->world = *plan;
    if (!in->live) forget_after(in, from);
}

sup_result sup_instance_set_forces(sup_instance* in, const sup_json* forces, double from, sup_error* error)
{
    sup_arena*     arena;
    sup_world_plan plan;
    sup_result     r = change_plan(in, world_with_forces, forces, &arena, &plan, error);
    if (r) return r;
    sup_force* frame_forces = SUP_NEW(arena, sup_force, plan.force_count);
    float*     felt = SUP_NEW(arena, float, plan.force_count);
    if (!frame_forces || !felt) {
        sup_arena_destroy(arena);
        return sup_fail_memory(error, "the world");
    }
    in->work.forces = frame_forces;
    in->work.felt = felt;
    in->work.world.forces = frame_forces;
    in->work.world.force_count = plan.force_count;
    take_plan(in, &plan, &in->forces, arena, from);
    return SUP_OK;
}

sup_result sup_instance_set_bodies(sup_instance* in, const sup_json* bodies, double from, sup_error* error)
{
    sup_arena*     arena;
    sup_world_plan plan;
    sup_result     r = change_plan(in, world_with_bodies, bodies, &arena, &plan, error);
    if (r) return r;
    for (uint32_t i = 0; i < plan.body_count; ++i) in->work.bodies[i] = plan.bodies[i].body;
    take_plan(in, &plan, &in->bodies, arena, from);
    return SUP_OK;
}

size_t sup_instance_state_size(const sup_instance* in) { return in->state_size; }

void sup_instance_state_save(const sup_instance* in, void* state) { memcpy(state, in->state, in->state_size); }

void sup_instance_state_load(sup_instance* in, const void* state)
{
    memcpy(in->state, state, in->state_size);
    const state_head* head = head_of(in->state);
    if (head->started && !in->live) pose_of_step(in, head->posed, &in->last);
}
