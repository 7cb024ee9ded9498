/// scenes/draft.h: a character under construction. Shared by the built-in characters: joints from a table of places, weights
/// reduced to four, clips recorded from a function of time.
#ifndef SUP_SCENES_DRAFT_H
#define SUP_SCENES_DRAFT_H

#include "math/trig.h"
#include "supple/scene.h"

/// A joint by its place at rest; all joints are upright at rest, so that a rotation means the same for each.
typedef struct sup_draft_joint {
    const char* name;
    uint32_t    parent; ///< earlier in the table, or SUP_NONE
    sup_vec3    place;
} sup_draft_joint;

enum { SUP_DRAFT_INFLUENCES = 4, SUP_DRAFT_CLIPS = 4, SUP_DRAFT_EXAMPLES = 4 };

typedef struct sup_draft {
    sup_arena*  arena;
    const char* name;

    uint32_t  point_count, face_count;
    sup_vec3* points;
    uint32_t* face_sizes; ///< NULL: all quads
    uint32_t* corners;

    uint32_t               joint_count;
    const sup_draft_joint* joints;
    uint32_t*              influence_joints; ///< SUP_DRAFT_INFLUENCES a point
    float*                 influence_values;

    uint32_t     map_count;
    sup_map_desc maps[2];

    uint32_t         clip_count;
    sup_clip         clips[SUP_DRAFT_CLIPS];
    uint32_t         example_count;
    sup_example_desc examples[SUP_DRAFT_EXAMPLES];
} sup_draft;

/// Local rotations and shifts away from rest, one of each per joint.
typedef struct sup_draft_pose {
    sup_quat* turns;
    sup_vec3* shifts;
} sup_draft_pose;

/// Fills the pose (passed in at rest) for a time in seconds.
typedef void sup_draft_motion(const sup_draft* draft, double time, sup_draft_pose* pose);

/// The number of points of a character: default, minimum, maximum.
typedef struct sup_draft_range {
    uint32_t usual, fewest, most;
} sup_draft_range;

/// Draws the character into an empty draft.
typedef sup_result sup_draft_maker(sup_draft* draft, uint32_t points, sup_error* error);

/// All the steps: checks the number of points (0: default), draws, and creates the character from the draft.
sup_result sup_draft_make(const char* name, uint32_t points, sup_draft_range range, sup_draft_maker* maker,
                          const sup_allocator* allocator, sup_character** out, sup_error* error);

/// Allocates the influences, all zero.
sup_result sup_draft_begin_weights(sup_draft* draft, sup_error* error);
/// Keeps the four largest of a row with one weight per joint, normalized. Smooth: a weight fades to zero before it is dropped.
void sup_draft_set_weights(sup_draft* draft, uint32_t point, const float* row);
/// Samples the motion 60 times a second into keys; joints that never move get no channel. A loop ends on its first key, bit
/// by bit.
sup_result sup_draft_record(sup_draft* draft, const char* name, double seconds, bool loop, sup_draft_motion* motion,
                            sup_error* error);

/// In radians; the tables of the scenes are in degrees.
static inline float sup_degrees(float degrees) { return degrees * (float)SUP_RADIANS; }
/// A smooth curve through a table: rows of `width` numbers, of which the first rises and `column` is interpolated. Slopes by
/// central differences; constant before the first row and after the last.
float sup_draft_curve(const float* table, uint32_t rows, uint32_t width, uint32_t column, float x);

#endif
