// Measures the sweeps: every pose of every joint under every chain is a task of its own.
#include "base/internal.h"
#include "check/sweep.h"
#include "math/trig.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Parts smaller than this share of the whole have no volume worth a percentage.
static const double PART_SHARE_MIN = 1e-4;

// ---------------------------------------------------------------------------------------------- joints

static bool wanted_joint(const sup_checkup_desc* d, const char* name)
{
    bool wanted = d->joint_count == 0;
    for (uint32_t i = 0; i < d->joint_count; i++) wanted |= sup_glob_match(d->joints[i], name);
    return wanted;
}

// A joint turns skin when points follow it or its descendants, and other skin stays behind or bends with it: it has a part of
// its own.
static sup_result list_joints(sup_checkup* c, sup_arena* arena, sup_error* error)
{
    const sup_checkup_desc* d = &c->desc;
    uint32_t                parts = sup_meter_part_count(d->meter), count = 0;
    uint32_t*               joints = sup_arena_alloc(arena, parts, sizeof *joints);
    sup_joint_sweeps*       sweeps = sup_arena_alloc(arena, parts, sizeof *sweeps);
    c->joints = sup_arena_alloc(arena, parts, sizeof *c->joints);
    if (!joints || !sweeps || !c->joints) return sup_fail_memory(error, "the list of joints");
    double whole = sup_meter_rest_volume(d->meter); // negative if the mesh is inside out; so are its parts then
    for (uint32_t p = 0; p < parts; p++) {
        const sup_meter_part* part = sup_meter_part_at(d->meter, p);
        // A root joint turns everything together: nothing deforms.
        bool bends = part->joint != SUP_NONE && d->character->skeleton.joints[part->joint].parent != SUP_NONE;
        if (!bends || !(part->rest_volume * whole > PART_SHARE_MIN * whole * whole) || !wanted_joint(d, part->name)) continue;
        c->joints[count] = (sup_check_joint){ .name = part->name, .part = p };
        joints[count++] = part->joint;
    }
    c->joint_count = count;
    if (count == 0 && d->joint_count)
        return sup_fail(
            error, SUP_ERROR_INPUT,
            "joint '%s': no joint of '%s' of that name has skin around it that bends; leave --joint out to check all that have",
            d->joints[0], d->character->name);
    if (count == 0)
        return sup_fail(error, SUP_ERROR_INPUT,
                        "no joint of '%s' has enough skin around it to have a volume: its skin is flat, or its joints have no "
                        "parents; check a mesh with a body and a tree of joints",
                        d->character->name);
    sup_result result = sup_pose_create(d->character, arena, &c->bind, error);
    if (result == SUP_OK) result = sup_sweeps_make(d->character, d->full, joints, count, arena, sweeps, error);
    if (result != SUP_OK) return result;
    sup_pose_bind(d->character, &c->bind);
    for (uint32_t j = 0; j < count; j++) c->joints[j].sweeps = sweeps[j];
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- one pose

sup_result sup_checkup_points(const sup_checkup* c, const sup_check_joint* joint, uint32_t chain, uint32_t pose, sup_vec3* out,
                              sup_error* error)
{
    void*      memory = sup_scratch_create(sup_pose_size(c->desc.character), NULL);
    void*      scratch = sup_scratch_create(sup_chain_scratch_size(c->chains[chain]), NULL);
    sup_result result = memory && scratch ? SUP_OK : sup_fail(error, SUP_ERROR_MEMORY, "out of memory while posing");
    if (result == SUP_OK) {
        sup_instance* instance = NULL;
        sup_pose      posed;
        sup_pose_place(c->desc.character, memory, &posed);
        sup_sweep_pose(c->desc.character, &joint->sweeps, pose, &c->bind, &posed);
        const sup_instance_desc desc = { .chain = c->chains[chain],
                                         .pose = &posed,
                                         .preroll = c->desc.preroll > 0 ? c->desc.preroll : SUP_NO_PREROLL,
                                         .snapshots = 1,
                                         .tasks = c->desc.in_turn ? c->desc.tasks : NULL };
        result = sup_instance_create(&desc, &instance, error);
        if (result == SUP_OK) sup_instance_evaluate(instance, 0.0, scratch, NULL, out);
        sup_instance_destroy(instance);
    }
    sup_scratch_destroy(memory);
    sup_scratch_destroy(scratch);
    return result;
}

typedef struct batch {
    const sup_checkup*     c;
    const sup_check_joint* joint;
    uint8_t*               wanted; // per chain and pose: what to measure there
    uint32_t*              items;  // those with something to measure
    bool*                  failed;
} batch;

// Contacts are counted intersections; values are everything else.
enum { WANT_VALUES = 1, WANT_CONTACTS = 2 };

// The volume of the joint's part, from the volumes of all parts. The fans need the pose.
static double part_change(const sup_checkup* c, const sup_check_joint* joint, uint32_t pose, const sup_vec3* points,
                          double* volumes, void* memory)
{
    sup_pose posed;
    sup_pose_place(c->desc.character, memory, &posed);
    sup_sweep_pose(c->desc.character, &joint->sweeps, pose, &c->bind, &posed);
    sup_meter_part_volumes(c->desc.meter, &posed, points, volumes);
    return volumes[joint->part] / sup_meter_part_at(c->desc.meter, joint->part)->rest_volume - 1.0;
}

bool sup_checkup_uncounted(const sup_checkup* c) { return c->rest_intersections == SUP_METER_UNCOUNTED; }

static bool measure_pose(const batch* b, uint32_t chain, uint32_t pose, uint8_t wanted)
{
    const sup_checkup* c = b->c;
    size_t             scratch = sup_meter_scratch(c->desc.meter), posing = sup_pose_size(c->desc.character);
    sup_check_value*   v = &b->joint->results[chain].values[pose];
    sup_error          error;
    sup_vec3*          points = malloc(c->desc.character->mesh.point_count * sizeof *points + 1);
    double*            volumes = malloc(sup_meter_part_count(c->desc.meter) * sizeof *volumes);
    void*              memory = sup_scratch_create(scratch > posing ? scratch : posing, NULL);
    bool good = points && volumes && memory && sup_checkup_points(c, b->joint, chain, pose, points, &error) == SUP_OK;
    if (good && wanted & WANT_CONTACTS && sup_checkup_uncounted(c)) {
        v->intersections = INFINITY; // not counted, so over every limit
    } else if (good && wanted & WANT_CONTACTS) {
        const sup_tasks* tasks = c->desc.in_turn ? c->desc.tasks : NULL;
        uint32_t         count = sup_meter_intersections(c->desc.meter, points, memory, tasks, NULL, 0);
        v->intersections = count == SUP_METER_UNCOUNTED ? INFINITY : fmax(0.0, (double)count - c->rest_intersections);
    }
    if (good && wanted & WANT_VALUES) {
        v->volume = part_change(c, b->joint, pose, points, volumes, memory);
        v->stretch = sup_meter_stretch(c->desc.meter, points, NULL);
        v->roughness = sup_meter_roughness(c->desc.meter, points, NULL);
    }
    free(points);
    free(volumes);
    sup_scratch_destroy(memory);
    return good;
}

static void run_items(void* data, uint32_t begin, uint32_t end)
{
    const batch* b = data;
    uint32_t     poses = b->joint->sweeps.pose_count;
    for (uint32_t i = begin; i < end; i++) {
        uint32_t item = b->items[i];
        b->failed[item] = !measure_pose(b, item / poses, item % poses, b->wanted[item]);
    }
}

// One joint's share of the progress bar.
typedef struct share {
    double from, to;
} share;

// All poses, a portion at a time, so that cancelling does not wait for the whole joint.
static sup_result run_batch(batch* b, share bar, sup_error* error)
{
    // Workers wait for the slowest one at the end of each portion: a few poses each keep that wait short.
    enum { PORTION = 4 };
    const sup_checkup_desc* d = &b->c->desc;
    uint32_t                items = b->c->chain_count * b->joint->sweeps.pose_count, count = 0, workers = 1;
    if (d->tasks && !d->in_turn && d->tasks->workers > 1) workers = d->tasks->workers;
    for (uint32_t i = 0; i < items; i++)
        if (b->wanted[i]) b->items[count++] = i;
    for (uint32_t at = 0; at < count;) {
        uint32_t some = count - at < PORTION * workers ? count - at : PORTION * workers;
        if (d->in_turn) some = 1;
        if (!sup_progress_report(d->progress, bar.from + (bar.to - bar.from) * at / count, b->joint->name))
            return sup_fail(error, SUP_ERROR_CANCELLED, "the checkup was stopped");
        batch portion = *b;
        portion.items += at;
        sup_tasks_run(d->in_turn ? NULL : d->tasks, some, 1, run_items, &portion);
        at += some;
    }
    for (uint32_t i = 0; i < count; i++)
        if (b->failed[b->items[i]])
            return sup_fail(error, SUP_ERROR_MEMORY, "out of memory while sweeping '%s'; use fewer threads", b->joint->name);
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- one joint

static bool is_end(const sup_joint_sweeps* s, uint32_t pose)
{
    const sup_sweep* w = sup_sweep_of(s, pose);
    return pose == w->begin || pose == w->begin + w->count - 1;
}

// Everything but intersections at every pose. Dynamic chains, which must settle first, are measured only at the ends, and
// completely: settling costs most.
static void want_values(const sup_checkup* c, const sup_check_joint* joint, uint8_t* wanted)
{
    uint32_t poses = joint->sweeps.pose_count;
    for (uint32_t i = 0; i < c->chain_count * poses; i++) {
        bool dynamic = sup_chain_dynamic(c->chains[i / poses]);
        wanted[i] = !dynamic ? WANT_VALUES : is_end(&joint->sweeps, i % poses) ? WANT_VALUES | WANT_CONTACTS : 0;
    }
}

// For other chains intersections cost most: they are counted at the ends and where the volume is worst.
static void want_contacts(const sup_checkup* c, const sup_check_joint* joint, uint8_t* wanted)
{
    uint32_t poses = joint->sweeps.pose_count;
    for (uint32_t i = 0; i < c->chain_count * poses; i++) {
        bool there = is_end(&joint->sweeps, i % poses) || joint->results[i / poses].worst == i % poses;
        wanted[i] = there && !sup_chain_dynamic(c->chains[i / poses]) ? WANT_CONTACTS : 0;
    }
}

static void find_worst(const sup_check_joint* joint, sup_check_result* r)
{
    double worst = -1.0, loss = INFINITY;
    for (uint32_t i = 0; i < joint->sweeps.pose_count; i++) {
        const sup_check_value* v = &r->values[i];
        if (fabs(v->volume) > worst) {
            worst = fabs(v->volume);
            r->worst = i;
        }
        if (v->volume < loss) {
            loss = v->volume;
            r->loss = i;
        }
        r->stretch = fmax(r->stretch, v->stretch);
        r->roughness = fmax(r->roughness, v->roughness);
    }
}

// One number to rank by: lost volume counts fully, gained volume half; triangles in contact count as a share of the part's; an
// edge at twice its length counts as much as 5 % of the volume.
static double judge(const sup_checkup* c, const sup_check_joint* joint, sup_check_result* r)
{
    double gain = 0.0, triangles = sup_meter_part_at(c->desc.meter, joint->part)->triangle_count;
    for (uint32_t i = 0; i < joint->sweeps.pose_count; i++) {
        r->intersections = fmax(r->intersections, r->values[i].intersections);
        gain = fmax(gain, r->values[i].volume);
    }
    double loss = fmax(0.0, -r->values[r->loss].volume);
    return loss + 0.5 * gain + fmin(1.0, r->intersections / triangles) + 0.05 * sup_log2(fmax(1.0, r->stretch));
}

static sup_result run_joint(const sup_checkup* c, sup_check_joint* joint, share bar, sup_arena* arena, sup_error* error)
{
    uint32_t poses = joint->sweeps.pose_count, items = c->chain_count * poses;
    batch    b = { c, joint, SUP_NEW(arena, uint8_t, items), SUP_NEW(arena, uint32_t, items), SUP_NEW(arena, bool, items) };
    joint->results = SUP_NEW(arena, sup_check_result, c->chain_count);
    sup_check_value* values = SUP_NEW(arena, sup_check_value, items);
    if (!b.wanted || !b.items || !b.failed || !joint->results || !values) return sup_fail_memory(error, "a checkup");
    for (uint32_t i = 0; i < items; i++) values[i] = (sup_check_value){ NAN, NAN, NAN, -1.0 };
    for (uint32_t k = 0; k < c->chain_count; k++) joint->results[k].values = values + (size_t)k * poses;
    double half = (bar.from + bar.to) / 2;
    want_values(c, joint, b.wanted);
    sup_result result = run_batch(&b, (share){ bar.from, half }, error);
    if (result != SUP_OK) return result;
    for (uint32_t k = 0; k < c->chain_count; k++) find_worst(joint, &joint->results[k]);
    want_contacts(c, joint, b.wanted);
    result = run_batch(&b, (share){ half, bar.to }, error);
    for (uint32_t k = 0; k < c->chain_count && result == SUP_OK; k++)
        joint->results[k].badness = judge(c, joint, &joint->results[k]);
    return result;
}

// ---------------------------------------------------------------------------------------------- words

void sup_checkup_where(const sup_check_joint* joint, uint32_t pose, char* text, size_t size)
{
    double angle = joint->sweeps.angles[pose];
    sup_format(text, size, "%s by %.0f degrees", sup_sweep_of(&joint->sweeps, pose)->twist ? "twisted" : "bent",
               fabs(angle) < 0.5 ? 0.0 : angle);
}

double sup_checkup_worst(const sup_check_joint* joint, uint32_t chain)
{
    const sup_check_result* r = &joint->results[chain];
    return r->values[r->worst].volume;
}

static const char* advise(const sup_checkup* c, const sup_check_joint* joint, sup_arena* arena)
{
    // Below this there is nothing to fix.
    enum { FINE_PERCENT = 1 };
    char        text[900], where[80];
    double      first = 100.0 * sup_checkup_worst(joint, 0), best = 100.0 * fabs(sup_checkup_worst(joint, joint->best));
    const char *name = sup_chain_text(c->chains[0]), *other = sup_chain_text(c->chains[joint->best]);
    sup_checkup_where(joint, joint->results[0].worst, where, sizeof where);
    size_t n;
    if (fabs(first) < FINE_PERCENT)
        n = sup_format(text, sizeof text, "%.200s keeps its volume within %.1f %% under %.100s", joint->name, fabs(first),
                       name);
    else {
        n = sup_format(text, sizeof text, "%.200s %s %.1f %% %s under %.100s", joint->name, first < 0 ? "loses" : "gains",
                       fabs(first), where, name);
        if (joint->best && best < 0.7 * fabs(first))
            n += sup_format(text + n, sizeof text - n, "; %.100s keeps it within %.1f %%", other, best);
        else if (c->chain_count > 1 && !joint->best)
            n += sup_format(text + n, sizeof text - n, "; no other chain checked is better");
        else if (c->chain_count > 1)
            n += sup_format(text + n, sizeof text - n, "; no chain checked is much better (%.100s: %.1f %%)", other, best);
    }
    double contacts = joint->results[0].intersections;
    if (contacts > 0.0 && isfinite(contacts))
        n += sup_format(text + n, sizeof text - n, "; %.0f pairs of triangles pass through each other", contacts);
    // The chain with the fewest contacts, if it helps enough.
    uint32_t fewest = 0;
    for (uint32_t k = 1; k < c->chain_count; k++)
        if (joint->results[k].intersections < joint->results[fewest].intersections) fewest = k;
    if (fewest && joint->results[fewest].intersections < 0.7 * contacts)
        sup_format(text + n, sizeof text - n, ", %.0f under %.100s", joint->results[fewest].intersections,
                   sup_chain_text(c->chains[fewest]));
    return sup_arena_text(arena, text, strlen(text));
}

static bool precedes(const sup_check_joint* a, const sup_check_joint* b)
{
    return a->idle != b->idle ? b->idle : a->badness > b->badness;
}

// Worst first; ties in the skeleton's order. Motions that no clip contains rank behind those that one does.
static void rank(sup_checkup* c)
{
    bool moved_by_clips = false;
    for (uint32_t i = 0; i < c->joint_count; i++) moved_by_clips |= !c->joints[i].sweeps.assumed;
    for (uint32_t i = 0; i < c->joint_count; i++) c->joints[i].idle = moved_by_clips && c->joints[i].sweeps.assumed;
    for (uint32_t i = 1; i < c->joint_count; i++) {
        sup_check_joint moved = c->joints[i];
        uint32_t        at = i;
        for (; at > 0 && precedes(&moved, &c->joints[at - 1]); at--) c->joints[at] = c->joints[at - 1];
        c->joints[at] = moved;
    }
}

// Whether chain k gives the same numbers as the first one wherever both were measured.
static bool does_nothing(const sup_checkup* c, uint32_t k)
{
    // A ten-thousandth of the volume is less than the table shows.
    const double same = 1e-4;
    for (uint32_t j = 0; j < c->joint_count; j++)
        for (uint32_t i = 0; i < c->joints[j].sweeps.pose_count; i++) {
            const sup_check_value *a = &c->joints[j].results[0].values[i], *b = &c->joints[j].results[k].values[i];
            bool                   counted = a->intersections >= 0 && b->intersections >= 0;
            if (fabs(a->volume - b->volume) > same || fabs(a->stretch - b->stretch) > same ||
                fabs(a->roughness - b->roughness) > same || (counted && a->intersections != b->intersections))
                return false;
        }
    return true;
}

// Deformers that the user did not name and that have no effect in these poses (sculpts at another time, say) get no row.
static void drop_idle_chains(sup_checkup* c)
{
    uint32_t kept = 1;
    for (uint32_t k = 1; k < c->chain_count; k++) {
        if (does_nothing(c, k)) continue;
        c->chains[kept] = c->chains[k];
        for (uint32_t j = 0; j < c->joint_count; j++) c->joints[j].results[kept] = c->joints[j].results[k];
        kept++;
    }
    c->chain_count = kept;
}

static sup_result sum_up(sup_checkup* c, sup_arena* arena, sup_error* error)
{
    if (!c->desc.chosen) drop_idle_chains(c);
    for (uint32_t j = 0; j < c->joint_count; j++) {
        sup_check_joint* joint = &c->joints[j];
        for (uint32_t k = 1; k < c->chain_count; k++)
            if (fabs(sup_checkup_worst(joint, k)) < fabs(sup_checkup_worst(joint, joint->best))) joint->best = k;
        joint->badness = joint->results[0].badness;
        joint->advice = advise(c, joint, arena);
        if (!joint->advice) return sup_fail_memory(error, "the advice of a checkup");
    }
    rank(c);
    return SUP_OK;
}

sup_result sup_checkup_run(const sup_checkup_desc* desc, sup_arena* arena, sup_checkup* out, sup_error* error)
{
    SUP_ASSERT(desc->character && desc->meter && desc->chain_count > 0 && arena && out);
    sup_checkup* c = out;
    *c = (sup_checkup){ .desc = *desc,
                        .chain_count = desc->chain_count,
                        .chains = sup_arena_copy(arena, desc->chains, desc->chain_count, sizeof *desc->chains) };
    if (!c->chains) return sup_fail_memory(error, "a checkup");
    sup_result result = list_joints(c, arena, error);
    if (result != SUP_OK) return result;
    void* scratch = sup_scratch_create(sup_meter_scratch(desc->meter), NULL);
    if (!scratch) return sup_fail_memory(error, "a checkup");
    c->rest_intersections = sup_meter_intersections(desc->meter, desc->character->mesh.points, scratch, desc->tasks, NULL, 0);
    sup_scratch_destroy(scratch);
    for (uint32_t j = 0; j < c->joint_count && result == SUP_OK; j++) {
        share bar = { (double)j / c->joint_count, (j + 1.0) / c->joint_count };
        result = run_joint(c, &c->joints[j], bar, arena, error);
    }
    return result == SUP_OK ? sum_up(c, arena, error) : result;
}
