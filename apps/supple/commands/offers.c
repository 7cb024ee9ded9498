// Estimates what simulations would cost a check. Even cheap ones are not run unasked: what a check lists must not depend on the
// machine's speed.
#include "offers.h"

#include "input/common.h"
#include "report/chain_measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// For all of them together.
static const double SECONDS = 1.0;
// The standard clock, and the number of its steps to time after the first, which includes the start of the motion.
static const double STEP = 0.005;
enum { TRIAL_STEPS = 4, POSES_MOST = 8 };

typedef struct deadline {
    const sup_progress* sink;
    double              until;
    bool                late;
} deadline;

static bool report(void* user, double fraction, const char* what)
{
    deadline* d = user;
    (void)fraction;
    d->late |= now_seconds() > d->until;
    return !d->late && sup_progress_report(d->sink, 0.0, what);
}

// The number of poses that a dynamic chain is measured in: the ends of every sweep.
static uint32_t end_count(const sup_checkup* c)
{
    uint32_t count = 0;
    for (uint32_t j = 0; j < c->joint_count; j++) count += 2 * c->joints[j].sweeps.sweep_count;
    return count;
}

typedef struct trial {
    void *    memory, *scratch;
    sup_vec3* points;
} trial;

// Seconds for one pose: its start, and steps that take as long as the first few. Negative: out of memory.
static double time_pose(const sup_checkup* c, const sup_chain* chain, const sup_check_joint* joint, const trial* t)
{
    double        steps = fmax(1.0, c->desc.preroll / STEP), begin = now_seconds();
    sup_instance* instance = NULL;
    sup_error     error;
    sup_pose      posed;
    sup_pose_place(c->desc.character, t->memory, &posed);
    sup_sweep_pose(c->desc.character, &joint->sweeps, joint->sweeps.pose_count - 1, &c->bind, &posed);
    const sup_instance_desc desc = { .chain = chain, .pose = &posed, .preroll = STEP, .snapshots = 1 };
    if (sup_instance_create(&desc, &instance, &error) != SUP_OK) return -1.0;
    sup_instance_evaluate(instance, 0.0, t->scratch, NULL, t->points);
    double first = now_seconds() - begin;
    sup_instance_evaluate(instance, TRIAL_STEPS * STEP, t->scratch, NULL, t->points);
    double few = now_seconds() - begin;
    sup_instance_destroy(instance);
    return first + (few - first) / TRIAL_STEPS * (steps - 1.0);
}

// The mean over some joints, from the least troubled one up: skin deep inside itself can take seconds to separate. Stops when
// the time is over, but not before the first.
static double time_poses(const sup_checkup* c, const sup_chain* chain, double until)
{
    trial    t = { sup_scratch_create(sup_pose_size(c->desc.character), NULL),
                   sup_scratch_create(sup_chain_scratch_size(chain), NULL),
                   malloc(((size_t)c->desc.character->mesh.point_count + 8) * sizeof(sup_vec3)) };
    double   sum = 0.0, worst = 0.0;
    uint32_t count = 0, stride = (c->joint_count + POSES_MOST - 1) / POSES_MOST;
    for (uint32_t j = 0; t.memory && t.scratch && t.points && j < c->joint_count; j += stride) {
        double one = time_pose(c, chain, &c->joints[c->joint_count - 1 - j], &t);
        if (one < 0.0) break;
        sum += one;
        worst = fmax(worst, one);
        count++;
        if (now_seconds() + worst * TRIAL_STEPS * STEP / fmax(STEP, c->desc.preroll) > until) break;
    }
    sup_scratch_destroy(t.memory);
    sup_scratch_destroy(t.scratch);
    free(t.points);
    return count ? sum / count : -1.0;
}

static sup_result make_offer(const sup_checkup* c, const sup_clip* clip, const sup_deformer* d, double until, offers* out,
                             sup_error* error)
{
    deadline             limit = { c->desc.progress, until, false };
    const sup_progress   sink = { report, &limit };
    const sup_chain_desc desc = {
        .character = c->desc.character, .clip = clip, .links = d->name, .tasks = c->desc.tasks, .progress = &sink
    };
    sup_chain* chain = NULL;
    double     begin = now_seconds();
    sup_result result = sup_chain_create(&desc, &chain, error);
    double     bound = now_seconds() - begin, workers = c->desc.tasks ? fmax(1.0, c->desc.tasks->workers) : 1.0;
    if (result == SUP_ERROR_INPUT) return SUP_OK; // it cannot be bound here
    if (result == SUP_ERROR_CANCELLED && limit.late) {
        out->items[out->count++] = (offer){ d->name, -1.0 };
        return SUP_OK;
    }
    if (result != SUP_OK) return result;
    double pose = time_poses(c, chain, until), rounds = ceil(end_count(c) / workers);
    if (pose >= 0.0) out->items[out->count++] = (offer){ d->name, bound + rounds * pose };
    sup_chain_destroy(chain);
    return SUP_OK;
}

sup_result offers_make(const sup_checkup* c, const sup_clip* clip, offers* out, sup_error* error)
{
    double          until = now_seconds() + SECONDS;
    sup_mesh_report surface;
    *out = (offers){ 0 };
    sup_result result = sup_mesh_examine(&c->desc.character->mesh, &surface, error);
    for (uint32_t i = 0; i < sup_deformer_count() && result == SUP_OK && out->count < OFFERS_MAX; i++) {
        const sup_deformer* d = sup_deformer_at(i);
        if (d->dynamic && sup_deformer_suits(d, c->desc.character, clip, surface.closed))
            result = make_offer(c, clip, d, until, out, error);
    }
    return result;
}

void offer_text(const sup_checkup* c, const offer* one, char* text, size_t size)
{
    const char* first = sup_chain_text(c->chains[0]);
    double      s = one->seconds;
    if (s < 0.0)
        snprintf(text, size, "%s has no estimate: binding it takes more than a second; add --deform %s --deform %s",
                 one->chain, first, one->chain);
    else if (s < 120.0)
        snprintf(text, size, "%s would take about %.0f s; add --deform %s --deform %s", one->chain, fmax(1.0, s), first,
                 one->chain);
    else
        snprintf(text, size, "%s would take about %.0f minutes; add --deform %s --deform %s, and --joint to check fewer joints",
                 one->chain, s / 60.0, first, one->chain);
}
