/// run/world.h: internals of the world. A plan is read once and never changes; a workspace holds the world at one moment.
#ifndef SUP_RUN_WORLD_H
#define SUP_RUN_WORLD_H

#include "solve/skinning/skinning.h"
#include "supple/deformer.h"

struct chain_builder;

/// Times of keys; their owner stores the values in an array.
typedef struct world_times {
    uint32_t      count;
    const double* times; ///< rising
    const bool*   steps; ///< the value holds until the next key
} world_times;

/// A value over time: of a parameter, or of gravity or wind (three values).
typedef enum world_target { WORLD_GRAVITY, WORLD_WIND, WORLD_PARAM } world_target;

typedef struct world_track {
    world_target    target;
    uint32_t        link, param; ///< WORLD_PARAM: the value is x
    world_times     keys;
    const sup_vec3* values;
} world_track;

typedef struct world_body {
    sup_body        body;  ///< its value without keys and joint
    sup_vec3        pivot; ///< rotations of keys turn about it; joints with scale move it exactly
    world_times     keys;  ///< count 0: it does not move
    const sup_vec3* moves;
    const sup_quat* turns;
    // A second character plays a clip of its own.
    const sup_character* other;
    const sup_clip*      clip; ///< NULL: rigid
    const char*          file; ///< as the world names it
    const sup_skin_set*  skin;
    sup_affine           fit; ///< from the other's units and axes to the character's
} world_body;

typedef struct world_force {
    sup_force       force;
    world_times     keys; ///< 1 or more
    const sup_vec3* values;
    const float*    holds; ///< a spring: its strength at each key, 0 to 1; NULL: a push. `values` are then places
    const float*    bones; ///< of its middle: one weight per joint; NULL: no joint carries it
} world_force;

/// Activations of the joints that match one glob.
typedef struct world_muscle {
    uint32_t        joint_count;
    const uint32_t* joints;
    world_times     keys;
    const float*    values;
} world_muscle;

struct sup_world_plan {
    const sup_character* character;
    sup_vec3             gravity, wind;
    uint32_t             track_count, body_count, force_count, muscle_count;
    world_track*         tracks;
    world_body*          bodies;
    world_force*         forces;
    world_muscle*        muscles;
};

/// One end of a step, or both.
typedef struct world_moment {
    double           before, time; ///< equal: one instant
    const sup_pose * start, *end;
    const sup_tasks* tasks;
} world_moment;

/// Points of a second character at the two times requested last.
typedef struct world_actor {
    sup_pose  pose;
    sup_vec3* morphed;
    void*     scratch;
    double    times[2]; ///< NAN: none yet
    sup_vec3* points[2];
} world_actor;

typedef struct world_workspace {
    sup_world    world;
    sup_body*    bodies;
    sup_force*   forces;
    float*       felt; ///< one per force
    float*       activations;
    world_actor* actors; ///< one per body; empty where it is rigid
} world_workspace;

/// False: out of memory.
bool world_workspace_create(const sup_world_plan* plan, sup_arena* arena, world_workspace* out);

// world_read.c ----------------------------------------------------------------------------------------------------------

/// The last key at or before the time, and the position between it and the next one; 0 where the value holds.
uint32_t world_times_find(const world_times* keys, double time, float* share);
sup_vec3 world_vector_at(const world_times* keys, const sup_vec3* values, double time);

/// `what` names the object in messages: "body 'ball'".
bool world_vector(const sup_json* value, float scale, sup_vec3* out);
/// What is wrong with a vector: "must be three numbers", or that a component is too large.
const char* world_vector_wrong(const sup_json* value);
sup_result  world_fail(struct chain_builder* b, const char* what, const char* format, ...) SUP_FORMAT(3, 4);
/// Refuses members that are not in the list ("name, sphere, capsule").
sup_result world_members(struct chain_builder* b, const char* what, const sup_json* object, const char* list);
/// A number from low to high. Absent: the fallback, or refused where that is NAN.
sup_result world_number(struct chain_builder* b, const char* what, const sup_json* object, const char* key, double low,
                        double high, double fallback, float* out);
sup_result world_joint(struct chain_builder* b, const char* what, const sup_json* value, uint32_t* out);
/// Times and steps of a list of keys; `members` are what a key may hold beside them.
sup_result world_times_read(struct chain_builder* b, const char* what, const sup_json* list, const char* members,
                            world_times* out);
/// The item's "name", which must be unique in its list; without one, "KIND 3". Also text for messages.
sup_result world_name(struct chain_builder* b, const char* kind, const sup_json* list, const sup_json* item, uint32_t number,
                      const char** name, const char** what);

// world_bodies.c, world_forces.c ----------------------------------------------------------------------------------------

sup_result world_bodies_read(struct chain_builder* b, const sup_json* list);
void       world_bodies_at(const sup_world_plan* plan, const world_moment* moment, world_workspace* work);
bool       world_actors_create(const sup_world_plan* plan, sup_arena* arena, world_workspace* work);

sup_result world_forces_read(struct chain_builder* b, const sup_json* list);
/// Places and strengths of the forces at the moment, in a pose.
void       world_forces_at(const sup_world_plan* plan, const world_moment* moment, world_workspace* work);
sup_result world_muscles_read(struct chain_builder* b, const sup_json* list);

// world_springs.c -------------------------------------------------------------------------------------------------------

sup_result world_spring_read(struct chain_builder* b, const char* what, const sup_json* item, world_force* f);
void       world_spring_at(const world_force* f, double time, sup_force* out);
/// Its force on skin that only follows bones, in out->value.
void world_spring_pose(const world_force* f, const sup_pose* pose, sup_force* out);

#endif
