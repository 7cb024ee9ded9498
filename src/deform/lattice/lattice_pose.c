// Where a pose puts the corners: skinned, rotated where bones twist, their volumes restored.
#include "deform/lattice/lattice.h"

#include <math.h>
#include <string.h>

enum { COPY_GRAIN = 4096 };

// A bone that is scaled scales its part's volume.
static void volume_targets(const lattice_bound* b, const lattice_params* p, const sup_pose* pose, const lattice_scratch* s)
{
    for (uint32_t i = 0; i < b->volume.part_count; ++i) {
        uint32_t joint = b->part_joints[i], parent = b->character->skeleton.joints[joint].parent;
        double   size = (double)affine_determinant(&pose->skin[joint]);
        if (parent != SUP_NONE && b->character->skeleton.joints[parent].skin_joint)
            size = (size + (double)affine_determinant(&pose->skin[parent])) / 2;
        s->targets[i] = size > 0 && isfinite(size) ? size : 1;
        s->strength[i] = sup_field_value(&lattice_rows[ROW_VOLUME], &b->volume_field, p->volume, joint);
    }
}

bool lattice_keeps_volume(const lattice_bound* b, const lattice_params* p) { return p->volume > 0 || b->volume_field.offset; }

static void keep_pose_volumes(const lattice_bound* b, const lattice_params* p, const sup_frame* frame, const sup_pose* pose,
                              const lattice_scratch* s, bool twisted)
{
    volume_targets(b, p, pose, s);
    sup_lattice_volume_bounds bounds = {
        .fallback = twisted ? s->plain : s->skinned, .linear = s->linear, .there = twisted ? NULL : s->linear, .whole = true
    };
    sup_lattice_volume_call   call = { .points = s->pose,
                                       .matrices = s->matrices,
                                       .clearance = s->clearance,
                                       .middle = s->skinned,
                                       .hold = s->hold,
                                       .offsets = s->offsets,
                                       .known = s->known,
                                       .targets = s->targets,
                                       .strength = s->strength,
                                       .sweeps = (uint32_t)p->sweeps,
                                       .tasks = frame->tasks,
                                       .scratch = s->volume,
                                       .bounds = b->keeps_file ? &bounds : NULL,
                                       .start = twisted ? NULL : s->linear,
                                       .reached = s->reached };
    sup_lattice_volume_report report = sup_lattice_volume_apply(&b->volume, &call);
    sup_stats_add(frame->stats, "lattice.part_held_back", report.held_back);
    sup_stats_add(frame->stats, "lattice.part_inside_out", report.inside_out);
    sup_stats_add(frame->stats, "lattice.volume_out_of_reach", report.out_of_reach);
}

// The mesh's own points as the chain skins them, without its morph targets: those move the skin within its part.
static const sup_vec3* chain_points(const lattice_bound* b, const sup_frame* frame, const sup_pose* pose,
                                    const lattice_scratch* s)
{
    bool morphed = false;
    for (uint32_t i = 0; i < pose->morph_count; ++i) morphed |= pose->morph_weights[i] != 0;
    if (pose == frame->end && frame->skinned && !morphed) return frame->skinned;
    sup_skin_call call = { .dualquat = b->dualquat && !b->twists,
                           .skin = pose->skin,
                           .blend = 1,
                           .tasks = frame->tasks,
                           .scratch = s->skin,
                           .out = s->points };
    sup_skin_evaluate(b->point_skin, &call);
    return s->points;
}

// The same points, rotated like the corners. `rest`: rest points to use in place of the mesh's own; NULL: none.
void lattice_turn_points(const lattice_bound* b, const sup_frame* frame, const sup_pose* pose, const sup_vec3* rest,
                         const lattice_scratch* s)
{
    sup_skin_call call = { .dualquat = true,
                           .skin = pose->skin,
                           .points = rest,
                           .blend_points = s->point_blend,
                           .tasks = frame->tasks,
                           .scratch = s->skin,
                           .out = s->turned };
    sup_skin_evaluate(b->point_skin, &call);
}

typedef struct offset_job {
    const lattice_bound*   b;
    const lattice_scratch* s;
    const sup_vec3 *       points, *corners; ///< of the mesh; per slot
} offset_job;

static void known_task(void* data, uint32_t begin, uint32_t end)
{
    const offset_job* j = data;
    for (uint32_t m = begin; m < end; ++m) {
        uint32_t point = j->b->member_points[m];
        if (point != SUP_NONE) j->s->known[m] = j->points[point];
    }
}

// Where the corners of the parts' faces are: points of the mesh, means of points, and places on bones.
static void find_known(const offset_job* job, const sup_frame* frame, const sup_pose* pose)
{
    const lattice_bound* b = job->b;
    sup_vec3*            known = job->s->known;
    sup_tasks_run(frame->tasks, b->volume.member_count, COPY_GRAIN, known_task, (void*)job);
    for (uint32_t i = 0; i < b->volume.middle_count; ++i) {
        const lattice_middle* m = &b->middles[i];
        double                mean[3] = { 0 };
        for (uint32_t k = 0; k < m->count; ++k)
            for (int a = 0; a < 3; ++a) mean[a] += (double)(&job->points[m->points[k]].x)[a] / m->count;
        known[b->volume.middles[i].member] = v3((float)mean[0], (float)mean[1], (float)mean[2]);
    }
    for (uint32_t i = 0; i < b->carried_count; ++i) {
        const lattice_carried* c = &b->carried[i];
        sup_vec3               first = i && b->carried[i - 1].member == c->member ? known[c->member] : v3(0, 0, 0);
        known[c->member] = v3_mad(first, c->share, affine_point(&pose->skin[c->joint], c->rest));
    }
}

static void offset_task(void* data, uint32_t begin, uint32_t end)
{
    const offset_job*         j = data;
    const sup_lattice_volume* v = &j->b->volume;
    for (uint32_t m = begin; m < end; ++m) {
        sup_vec3        at = j->s->known ? j->s->known[m] : j->s->offsets[m];
        const float*    share = v->places + LATTICE_NODE_SLOTS * (size_t)m;
        const uint32_t* slot = v->members + LATTICE_NODE_SLOTS * (size_t)m;
        for (uint32_t k = 0; k < LATTICE_NODE_SLOTS; ++k) at = v3_mad(at, -share[k], j->corners[slot[k]]);
        j->s->offsets[m] = v->rides[m] ? at : v3(0, 0, 0);
    }
}

static void middle_offsets(const offset_job* j)
{
    const sup_lattice_volume* v = &j->b->volume;
    for (uint32_t i = 0; i < v->middle_count; ++i) {
        const sup_lattice_middle* row = &v->middles[i];
        sup_vec3                  at = j->s->known[row->member];
        for (uint32_t k = row->begin; k < row->end; ++k) at = v3_mad(at, -v->middle_places[k], j->corners[v->middle_slots[k]]);
        j->s->offsets[row->member] = at;
    }
}

// Offsets of the file's own skin from its place in the cells.
static void find_offsets(const lattice_bound* b, const sup_frame* frame, const sup_pose* pose, bool twisted, sup_skin_call call,
                         const lattice_scratch* s)
{
    offset_job job = { b, s, NULL, call.out };
    if (b->member_points) {
        job.points = twisted ? s->turned : chain_points(b, frame, pose, s);
        find_known(&job, frame, pose);
    } else {
        call.scratch = s->node_skin;
        call.out = s->offsets;
        call.dualquat |= twisted;
        call.blend_points = twisted ? s->node_blend : NULL;
        sup_skin_evaluate(b->node_skin, &call);
    }
    sup_tasks_run(frame->tasks, b->volume.member_count, COPY_GRAIN, offset_task, &job);
    middle_offsets(&job);
}

// The volumes of the chain's own skin, if the corners are rotated.
static void measure_plain(const lattice_bound* b, const sup_frame* frame, const sup_pose* pose, sup_skin_call call,
                          const lattice_scratch* s)
{
    offset_job job = { b, s, NULL, NULL };
    if (s->known) {
        job.points = chain_points(b, frame, pose, s);
        find_known(&job, frame, pose);
    } else if (s->offsets) find_offsets(b, frame, pose, false, call, s);
    sup_lattice_volume_measure(&b->volume, s->plain, s->offsets, s->known, frame->tasks, s->volume, s->linear);
}

static void clearance_task(void* data, uint32_t begin, uint32_t end)
{
    const lattice_scratch* s = data;
    for (uint32_t i = begin; i < end; ++i) {
        s->skinned[i] = v3_mad(s->plain[i], s->clearance[i], v3_sub(s->pose[i], s->plain[i]));
        s->pose[i] = s->skinned[i];
    }
}

// Rotates corners and skin where bones twist, as far as there is clearance. Clearance is measured at the rotated places: a
// twist that the chain pinches looks like skin in contact.
static bool turn(const lattice_bound* b, const sup_frame* frame, const sup_pose* pose, sup_skin_call call,
                 const lattice_scratch* s)
{
    if (!b->twists || !lattice_find_blends(b, frame, pose, s)) return false;
    call.dualquat = true;
    call.blend_points = s->blend;
    call.out = s->pose;
    call.matrices = s->matrices;
    sup_skin_evaluate(b->skin, &call);
    return true;
}

// Where the corners are skinned, their targets (with volumes restored), and their clearance.
void lattice_make_pose(const lattice_bound* b, const lattice_params* p, const sup_frame* frame, const sup_pose* pose,
                       const lattice_scratch* s, bool* twisted)
{
    sup_skin_call call = { .dualquat = b->dualquat && !b->twists,
                           .skin = pose->skin,
                           .blend = 1,
                           .tasks = frame->tasks,
                           .scratch = s->skin,
                           .out = s->pose };
    *twisted = turn(b, frame, pose, call, s);
    call.out = *twisted ? s->plain : s->pose;
    call.matrices = *twisted ? NULL : s->matrices;
    sup_skin_evaluate(b->skin, &call);
    call.matrices = NULL;
    sup_lattice_gaps_call gaps = { .points = s->pose,
                                   .skin = b->keeps_file && b->point_skin ? chain_points(b, frame, pose, s) : NULL,
                                   .plain = *twisted ? s->plain : s->pose,
                                   .matrices = *twisted ? s->matrices : NULL,
                                   .twisted = s->blend,
                                   .tasks = frame->tasks,
                                   .scratch = s->gaps,
                                   .clearance = s->clearance,
                                   .hold = s->hold };
    sup_lattice_gaps_find(&b->gaps, &gaps);
    if (*twisted) {
        sup_tasks_run(frame->tasks, b->count, COPY_GRAIN, clearance_task, (void*)s);
        lattice_find_skin_blends(b, frame, s);
        if (b->point_skin) lattice_turn_points(b, frame, pose, NULL, s);
    } else memcpy(s->skinned, s->pose, b->count * sizeof *s->pose);
    if (!lattice_keeps_volume(b, p)) return;
    if (*twisted) measure_plain(b, frame, pose, call, s); // then the rotated one
    call.out = s->skinned;
    if (s->offsets) find_offsets(b, frame, pose, *twisted, call, s);
    keep_pose_volumes(b, p, frame, pose, s, *twisted);
}
