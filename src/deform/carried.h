/// deform/carried.h: the examples that count at a moment, and what is done to the displacements they make of the points before
/// these go back to the skin. Links that move curves between sculpts carry alike; they differ in how the curves swing.
#ifndef SUP_DEFORM_CARRIED_H
#define SUP_DEFORM_CARRIED_H

#include "deform/modal.h"
#include "deform/sections.h"

/// At most four in time, two of each clip where the pose drives.
enum { SUP_CARRIED_MAX = 16 };
typedef struct sup_carried {
    uint32_t count, example[SUP_CARRIED_MAX];
    double   share[SUP_CARRIED_MAX];
} sup_carried;

/// Nothing happens where the share is 0.
void sup_carried_add(sup_carried* carried, uint32_t example, double share);
/// Driven by the pose; `weights`, one per example, become those of the pose.
sup_carried sup_carried_by_pose(const sup_segments* segments, const sup_pose* pose, float* weights);
sup_carried sup_carried_by_time(const sup_modal* modal, const sup_modal_moment* at);

/// What is left to do to the displacements q of a frame.
typedef struct sup_carried_finish {
    const sup_sections* sections;
    sup_station*        stations; ///< room for those of the sections
    const sup_vec3*     rest;
    uint32_t            point_count;
    const sup_param*    row; ///< strength, a field
    const sup_field*    field;
    float               strength;
    sup_vec3*           q;
} sup_carried_finish;

/// Turns the sections back, then weakens.
void sup_carried_end(const sup_carried* carried, const sup_carried_finish* finish, const sup_tasks* tasks);

#endif
