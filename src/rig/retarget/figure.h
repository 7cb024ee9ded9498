/// rig/retarget/figure.h: a skeleton as a standing figure: where its joints are, which way it faces, how long its legs are.
/// Captured skeletons and characters are both converted to this form.
#ifndef SUP_RIG_RETARGET_FIGURE_H
#define SUP_RIG_RETARGET_FIGURE_H

#include "rig/retarget/body.h"
#include "supple/rig.h"

typedef struct figure {
    uint32_t           joint_count;
    const char* const* names;
    const uint32_t*    parents;
    body_map           body;
    sup_quat*          rotations;          ///< global, in the reference pose
    sup_vec3*          positions;          ///< likewise
    sup_vec3           up, forward, trunk; ///< world axes of the figure, and the direction of its trunk in the reference pose
    float              leg;                ///< thigh and shin; 0: unknown
    float              ground;             ///< height of the soles in the reference pose, along `up`
    uint32_t           begin; ///< captured: the first frame of the motion, after a straight pose and the rush out of it
} figure;

/// From positions and body: up, forward, trunk, leg. up becomes the axis nearest to the trunk.
void figure_measure(figure* f);
/// Whether a joint belongs to the hips, the spine, the neck or the head.
bool figure_is_trunk(const figure* f, uint32_t joint);
/// Whether the trunk lies level over the legs, and something else stands on the ground in front of them. up: of the world.
bool figure_on_all_fours(const figure* f, sup_vec3 up);
/// The direction of the bone of a limb's joint: to the next joint of the limb, else to the mean of the children. False: none.
bool figure_bone(const figure* f, uint32_t joint, sup_vec3* direction);
/// The world-space rotation that maps figure a's up and forward to b's.
sup_quat figure_align(const figure* a, const figure* b);
/// The shortest rotation from one unit direction to another. Opposite ones rotate about `fallback`.
sup_quat figure_arc(sup_vec3 from, sup_vec3 to, sup_vec3 fallback);

/// The captured skeleton in a frame (frame_count: at rest): global rotations and positions.
void figure_play(const sup_mocap* mocap, uint32_t frame, sup_quat* rotations, sup_vec3* positions);
/// Where the reference pose of a captured skeleton comes from.
typedef enum figure_choice {
    FIGURE_REST,  ///< the offsets
    FIGURE_FIRST, ///< the first frame, a straight pose in front of the motion, which starts at `begin`
    FIGURE_FRAME, ///< the frame that stands straightest, because the offsets are not a standing figure
} figure_choice;

/// Names, body, reference pose and first frame of a captured skeleton.
sup_result figure_of_mocap(const sup_mocap* mocap, sup_arena* scratch, figure* out, figure_choice* choice, sup_error* error);
/// The character's up as a direction.
sup_vec3 figure_up(const sup_character* character);
/// Names, body and reference pose of a character: its bind pose, which stays in *pose.
sup_result figure_of_character(const sup_character* character, const body_fixed* fixed, uint32_t fixed_count,
                               sup_arena* scratch, figure* out, sup_pose* pose, sup_error* error);

#endif
