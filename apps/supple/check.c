// The sweeps, measured: every pose of every joint under every chain is a task of its own.
#include "check.h"

#include "measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Parts smaller than this share of the whole have no volume worth a percentage.
static const double PART_SHARE_MIN = 1e-4;

// ---------------------------------------------------------------------------------------------- joints

// The joint turns skin when a point follows it or anything below it, and some skin stays behind or bends with it: it has a
// part of its own.
static bool wanted_joint(const options* o, const char* name)
{
    uint32_t count = options_count(o, FLAG_JOINT);
    bool     wanted = count == 0;
    for (uint32_t i = 0; i < count; i++) wanted |= sup_glob_match(options_nth(o, FLAG_JOINT, i), name);
    return wanted;
}

sup_result checkup_prepare(checkup* c, const options* o, sup_arena* arena, sup_error* error)
{
    uint32_t      parts = sup_meter_part_count(c->meter), count = 0;
    uint32_t*     joints = sup_arena_alloc(arena, parts, sizeof *joints);
    joint_sweeps* sweeps = sup_arena_alloc(arena, parts, sizeof *sweeps);
    c->joints = sup_arena_alloc(arena, parts, sizeof *c->joints);
    if (!joints || !sweeps || !c->joints) return sup_fail(error, SUP_ERROR_MEMORY, "out of memory while listing the joints");
    double whole = sup_meter_rest_volume(c->meter); // negative where the mesh is inside out; so are its parts then
    for (uint32_t p = 0; p < parts; p++) {
        const sup_meter_part* part = sup_meter_part_at(c->meter, p);
        // A root without a joint above it turns everything together: nothing deforms.
        bool bends = part->joint != SUP_NONE && c->character->skeleton.joints[part->joint].parent != SUP_NONE;
        if (!bends || !(part->rest_volume * whole > PART_SHARE_MIN * whole * whole) || !wanted_joint(o, part->name)) continue;
        c->joints[count] = (check_joint){ .name = part->name, .part = p };
        joints[count++] = part->joint;
    }
    c->joint_count = count;
    if (count == 0 && options_has(o, FLAG_JOINT))
        return sup_fail(error, SUP_ERROR_INPUT,
                        "--joint '%s': no joint of '%s' that is called so has skin around it that bends; leave --joint out "
                        "to see all that have",
                        options_nth(o, FLAG_JOINT, 0), c->character->name);
    if (count == 0)
        return sup_fail(
            error, SUP_ERROR_INPUT,
            "no joint of '%s' has enough skin around it to have a volume: its skin is flat, or hangs on joints without "
            "another one above them; check a mesh with a body, whose joints hang below each other",
            c->character->name);
    sup_result result = sup_pose_create(c->character, arena, &c->bind, error);
    if (result == SUP_OK) result = sweeps_make(c->character, options_has(o, FLAG_FULL), joints, count, arena, sweeps, error);
    if (result != SUP_OK) return result;
    sup_pose_bind(c->character, &c->bind);
    for (uint32_t j = 0; j < count; j++) c->joints[j].sweeps = sweeps[j];
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- one pose

sup_result checkup_points(const checkup* c, const check_joint* joint, uint32_t chain, uint32_t pose, sup_vec3* out,
                          sup_error* error)
{
    void*      memory = sup_scratch_create(sup_pose_size(c->character), NULL);
    void*      scratch = sup_scratch_create(sup_chain_scratch_size(c->chains[chain]), NULL);
    sup_result result = memory && scratch ? SUP_OK : sup_fail(error, SUP_ERROR_MEMORY, "out of memory while posing");
    if (result == SUP_OK) {
        sup_instance* instance = NULL;
        sup_pose      posed;
        sup_pose_place(c->character, memory, &posed);
        sweep_pose(c->character, &joint->sweeps, pose, &c->bind, &posed);
        const sup_instance_desc desc = { .chain = c->chains[chain], .pose = &posed, .preroll = c->preroll, .snapshots = 1 };
        result = sup_instance_create(&desc, &instance, error);
        if (result == SUP_OK) sup_instance_evaluate(instance, 0.0, scratch, NULL, out);
        sup_instance_destroy(instance);
    }
    sup_scratch_destroy(memory);
    sup_scratch_destroy(scratch);
    return result;
}

typedef struct batch {
    const checkup*     c;
    const check_joint* joint;
    uint8_t*           wanted; // per chain and pose: what is measured there
    bool*              failed;
} batch;

// Contacts are intersections, values everything else.
enum { WANT_VALUES = 1, WANT_CONTACTS = 2 };

// Volume of the joint's part, from the volumes of all of them. The fans need the pose.
static double part_change(const checkup* c, const check_joint* joint, uint32_t pose, const sup_vec3* points, double* volumes,
                          void* memory)
{
    sup_pose posed;
    sup_pose_place(c->character, memory, &posed);
    sweep_pose(c->character, &joint->sweeps, pose, &c->bind, &posed);
    sup_meter_part_volumes(c->meter, &posed, points, volumes);
    return volumes[joint->part] / sup_meter_part_at(c->meter, joint->part)->rest_volume - 1.0;
}

// Where every triangle passes through dozens of others at rest, what a pose adds says nothing and takes minutes to count.
bool checkup_crowded(const checkup* c)
{
    enum { CROWDED = 16 };
    return c->rest_intersections > CROWDED * (uint64_t)c->character->mesh.triangle_count;
}

static bool measure_pose(const batch* b, uint32_t chain, uint32_t pose, uint8_t wanted)
{
    const checkup* c = b->c;
    size_t         scratch = sup_meter_scratch(c->meter), posing = sup_pose_size(c->character);
    check_value*   v = &b->joint->results[chain].values[pose];
    sup_error      error;
    sup_vec3*      points = malloc(c->character->mesh.point_count * sizeof *points + 1);
    double*        volumes = malloc(sup_meter_part_count(c->meter) * sizeof *volumes);
    void*          memory = sup_scratch_create(scratch > posing ? scratch : posing, NULL);
    bool           good = points && volumes && memory && checkup_points(c, b->joint, chain, pose, points, &error) == SUP_OK;
    if (good && wanted & WANT_CONTACTS && checkup_crowded(c)) {
        v->intersections = INFINITY; // not counted, so over every limit
    } else if (good && wanted & WANT_CONTACTS) {
        double count = sup_meter_intersections(c->meter, points, memory, NULL, NULL, 0);
        v->intersections = fmax(0.0, count - c->rest_intersections);
    }
    if (good && wanted & WANT_VALUES) {
        v->volume = part_change(c, b->joint, pose, points, volumes, memory);
        v->stretch = sup_meter_stretch(c->meter, points, NULL);
        v->roughness = sup_meter_roughness(c->meter, points, NULL);
    }
    free(points);
    free(volumes);
    sup_scratch_destroy(memory);
    return good;
}

static void run_batch(void* data, uint32_t begin, uint32_t end)
{
    const batch* b = data;
    uint32_t     poses = b->joint->sweeps.pose_count;
    for (uint32_t i = begin; i < end; i++)
        if (b->wanted[i]) b->failed[i] = !measure_pose(b, i / poses, i % poses, b->wanted[i]);
}

// ---------------------------------------------------------------------------------------------- one joint

static bool is_end(const joint_sweeps* s, uint32_t pose)
{
    const sweep* w = sweep_of(s, pose);
    return pose == w->begin || pose == w->begin + w->count - 1;
}

// Everything but intersections at every pose. Dynamic chains, which must settle first, are measured at the ends alone and
// whole: settling costs most.
static void want_values(const checkup* c, const check_joint* joint, uint8_t* wanted)
{
    uint32_t poses = joint->sweeps.pose_count;
    for (uint32_t i = 0; i < c->chain_count * poses; i++) {
        bool dynamic = sup_chain_dynamic(c->chains[i / poses]);
        wanted[i] = !dynamic ? WANT_VALUES : is_end(&joint->sweeps, i % poses) ? WANT_VALUES | WANT_CONTACTS : 0;
    }
}

// Elsewhere intersections cost most: at the ends and where the volume is worst.
static void want_contacts(const checkup* c, const check_joint* joint, uint8_t* wanted)
{
    uint32_t poses = joint->sweeps.pose_count;
    for (uint32_t i = 0; i < c->chain_count * poses; i++) {
        bool there = is_end(&joint->sweeps, i % poses) || joint->results[i / poses].worst == i % poses;
        wanted[i] = there && !sup_chain_dynamic(c->chains[i / poses]) ? WANT_CONTACTS : 0;
    }
}

static void find_worst(const check_joint* joint, check_result* r)
{
    double worst = -1.0, loss = INFINITY;
    for (uint32_t i = 0; i < joint->sweeps.pose_count; i++) {
        const check_value* v = &r->values[i];
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

// One number to rank by: volume lost counts whole, gained half; triangles in contact as a share of the part's; a doubled edge
// as much as 5 % of the volume.
static double judge(const checkup* c, const check_joint* joint, check_result* r)
{
    double gain = 0.0, triangles = sup_meter_part_at(c->meter, joint->part)->triangle_count;
    for (uint32_t i = 0; i < joint->sweeps.pose_count; i++) {
        r->intersections = fmax(r->intersections, r->values[i].intersections);
        gain = fmax(gain, r->values[i].volume);
    }
    double loss = fmax(0.0, -r->values[r->loss].volume);
    return loss + 0.5 * gain + fmin(1.0, r->intersections / triangles) + 0.05 * log2(fmax(1.0, r->stretch));
}

static bool run_joint(const checkup* c, check_joint* joint, sup_arena* arena, sup_error* error)
{
    uint32_t poses = joint->sweeps.pose_count, items = c->chain_count * poses;
    batch    b = { c, joint, sup_arena_alloc(arena, items, sizeof *b.wanted), sup_arena_alloc(arena, items, sizeof *b.failed) };
    joint->results = sup_arena_alloc(arena, c->chain_count, sizeof *joint->results);
    check_value* values = sup_arena_alloc(arena, items, sizeof *values);
    bool         failed = !b.wanted || !b.failed || !joint->results || !values;
    if (!failed) {
        for (uint32_t i = 0; i < items; i++) values[i] = (check_value){ NAN, NAN, NAN, -1.0 };
        for (uint32_t k = 0; k < c->chain_count; k++) joint->results[k].values = values + (size_t)k * poses;
        want_values(c, joint, b.wanted);
        sup_tasks_run(c->tasks, items, 1, run_batch, &b);
        for (uint32_t k = 0; k < c->chain_count; k++) find_worst(joint, &joint->results[k]);
        want_contacts(c, joint, b.wanted);
        sup_tasks_run(c->tasks, items, 1, run_batch, &b);
        for (uint32_t i = 0; i < items; i++) failed |= b.failed[i];
    }
    if (failed) sup_fail(error, SUP_ERROR_MEMORY, "out of memory while sweeping '%s'; use fewer threads", joint->name);
    for (uint32_t k = 0; k < c->chain_count && !failed; k++) joint->results[k].badness = judge(c, joint, &joint->results[k]);
    return !failed;
}

// ---------------------------------------------------------------------------------------------- words

void checkup_where(const check_joint* joint, uint32_t pose, char* text, size_t size)
{
    double angle = joint->sweeps.angles[pose];
    snprintf(text, size, "%s by %.0f degrees", sweep_of(&joint->sweeps, pose)->twist ? "twisted" : "bent",
             fabs(angle) < 0.5 ? 0.0 : angle);
}

double checkup_worst(const check_joint* joint, uint32_t chain)
{
    const check_result* r = &joint->results[chain];
    return r->values[r->worst].volume;
}

static const char* advise(const checkup* c, const check_joint* joint, sup_arena* arena)
{
    // Less than this is nothing to mend.
    enum { FINE_PERCENT = 1 };
    char        text[900], where[80];
    double      first = 100.0 * checkup_worst(joint, 0), best = 100.0 * fabs(checkup_worst(joint, joint->best));
    const char *name = sup_chain_text(c->chains[0]), *other = sup_chain_text(c->chains[joint->best]);
    checkup_where(joint, joint->results[0].worst, where, sizeof where);
    int n;
    if (fabs(first) < FINE_PERCENT)
        n = snprintf(text, sizeof text, "%.200s keeps its volume within %.1f %% under %.100s", joint->name, fabs(first), name);
    else {
        n = snprintf(text, sizeof text, "%.200s %s %.1f %% %s under %.100s", joint->name, first < 0 ? "loses" : "gains",
                     fabs(first), where, name);
        if (joint->best && best < 0.7 * fabs(first))
            n += snprintf(text + n, sizeof text - (size_t)n, "; %.100s keeps it within %.1f %%", other, best);
        else if (c->chain_count > 1 && !joint->best)
            n += snprintf(text + n, sizeof text - (size_t)n, "; no other chain checked is better");
        else if (c->chain_count > 1)
            n +=
                snprintf(text + n, sizeof text - (size_t)n, "; no chain checked is much better (%.100s: %.1f %%)", other, best);
    }
    double contacts = joint->results[0].intersections;
    if (contacts > 0.0 && isfinite(contacts))
        n += snprintf(text + n, sizeof text - (size_t)n, "; %.0f pairs of triangles pass through each other", contacts);
    // The chain with the fewest contacts, when that is a real help.
    uint32_t fewest = 0;
    for (uint32_t k = 1; k < c->chain_count; k++)
        if (joint->results[k].intersections < joint->results[fewest].intersections) fewest = k;
    if (fewest && joint->results[fewest].intersections < 0.7 * contacts)
        snprintf(text + n, sizeof text - (size_t)n, ", %.0f under %.100s", joint->results[fewest].intersections,
                 sup_chain_text(c->chains[fewest]));
    return sup_arena_text(arena, text, strlen(text));
}

static bool precedes(const check_joint* a, const check_joint* b)
{
    return a->idle != b->idle ? b->idle : a->badness > b->badness;
}

// By badness, worst first; equal ones in the skeleton's order. What no clip does comes behind what one does.
static void rank(checkup* c)
{
    bool moved_by_clips = false;
    for (uint32_t i = 0; i < c->joint_count; i++) moved_by_clips |= !c->joints[i].sweeps.assumed;
    for (uint32_t i = 0; i < c->joint_count; i++) c->joints[i].idle = moved_by_clips && c->joints[i].sweeps.assumed;
    for (uint32_t i = 1; i < c->joint_count; i++) {
        check_joint moved = c->joints[i];
        uint32_t    at = i;
        for (; at > 0 && precedes(&moved, &c->joints[at - 1]); at--) c->joints[at] = c->joints[at - 1];
        c->joints[at] = moved;
    }
}

// Whether chain k gives the numbers of the first one wherever both were measured.
static bool does_nothing(const checkup* c, uint32_t k)
{
    // A ten-thousandth of the volume is less than the table shows.
    const double same = 1e-4;
    for (uint32_t j = 0; j < c->joint_count; j++)
        for (uint32_t i = 0; i < c->joints[j].sweeps.pose_count; i++) {
            const check_value *a = &c->joints[j].results[0].values[i], *b = &c->joints[j].results[k].values[i];
            bool               counted = a->intersections >= 0 && b->intersections >= 0;
            if (fabs(a->volume - b->volume) > same || fabs(a->stretch - b->stretch) > same ||
                fabs(a->roughness - b->roughness) > same || (counted && a->intersections != b->intersections))
                return false;
        }
    return true;
}

// Deformers that nobody named and that do nothing in these poses (sculpts of another time, for one) are not worth a row.
static void drop_idle_chains(checkup* c)
{
    uint32_t kept = 1;
    for (uint32_t k = 1; k < c->chain_count; k++) {
        if (does_nothing(c, k)) {
            sup_chain_destroy(c->chains[k]);
            continue;
        }
        c->chains[kept] = c->chains[k];
        for (uint32_t j = 0; j < c->joint_count; j++) c->joints[j].results[kept] = c->joints[j].results[k];
        kept++;
    }
    c->chain_count = kept;
}

sup_result checkup_run(checkup* c, sup_arena* arena, sup_error* error)
{
    void* scratch = sup_scratch_create(sup_meter_scratch(c->meter), NULL);
    if (!scratch) return sup_fail(error, SUP_ERROR_MEMORY, "out of memory while counting intersections");
    c->rest_intersections = sup_meter_intersections(c->meter, c->character->mesh.points, scratch, c->tasks, NULL, 0);
    sup_scratch_destroy(scratch);
    for (uint32_t j = 0; j < c->joint_count; j++) {
        check_joint* joint = &c->joints[j];
        if (!progress_report(c->bar, (double)j / c->joint_count)) return sup_fail(error, SUP_ERROR_CANCELLED, "stopped");
        if (!run_joint(c, joint, arena, error)) return SUP_ERROR_MEMORY;
    }
    if (!c->chosen) drop_idle_chains(c);
    for (uint32_t j = 0; j < c->joint_count; j++) {
        check_joint* joint = &c->joints[j];
        for (uint32_t k = 1; k < c->chain_count; k++)
            if (fabs(checkup_worst(joint, k)) < fabs(checkup_worst(joint, joint->best))) joint->best = k;
        joint->badness = joint->results[0].badness;
        joint->advice = advise(c, joint, arena);
        if (!joint->advice) return sup_fail(error, SUP_ERROR_MEMORY, "out of memory while writing the advice");
    }
    rank(c);
    return SUP_OK;
}
