/// run/runner.h: internals of chains and instances. A chain is bound once and read-only; an instance has the state.
#ifndef SUP_RUN_RUNNER_H
#define SUP_RUN_RUNNER_H

#include "base/internal.h"
#include "run/world.h"

/// One deformer of a chain with everything that was set on it.
typedef struct link {
    const sup_deformer* deformer;
    uint32_t            ordinal; ///< 1 for the first link of that name, 2 for the second
    void*               params;  ///< deformer->params_size bytes
    sup_field*          fields;  ///< one per parameter row
    struct bone_value*  bones;   ///< overrides by glob, in the order they were given
    bool*               set;     ///< per row: the user set it; presets of the deformer do not count
    const char**        idle;    ///< per row: why it has no effect; NULL: it may have one
    const char*         inert;   ///< why the whole link has no effect; NULL: it may have one
    sup_binding         binding;
    size_t              params_offset; ///< into an instance's parameter block
    size_t              state_offset;  ///< offset into an instance's state block
    size_t              displacement_offset; ///< where those of its carriers begin in the displacements of a step, in points
} link;

/// 'layers.stiffness@Spine*=0.3': one value for the joints that match.
typedef struct bone_value {
    struct bone_value* next;
    uint32_t           param;
    const char*        glob;
    float              value;
} bone_value;

struct sup_prefix {
    const struct sup_chain* chain;
    uint32_t                link; ///< links before this one
    const sup_tasks*        tasks;
    sup_pose                pose;
    uint8_t*                params;   ///< as set
    uint8_t*                resolved; ///< with the keys of the moment
    world_workspace         work;
    void*                   scratch;
};

struct sup_chain {
    sup_arena*           arena;
    const sup_character* character;
    const sup_clip*      clip;
    link*                links;
    uint32_t             link_count;
    uint32_t             dynamic_end; ///< links up to the last dynamic one; 0: all static
    uint32_t             stepped_end; ///< links up to the last one that moves the skin's own points from step to step
    size_t               displacement_count; ///< of a step: of the skin after the links up to stepped_end, then of carriers
    double               step;
    sup_world_plan       world;
    const char*          text;
    sup_notes            notes;
    size_t               params_size;   ///< of all links
    size_t               state_size;    ///< of all links
    size_t               link_scratch;  ///< the largest of any link
    size_t               points_size;   ///< bytes of one set of points, padded
    size_t               carriers_size; ///< bytes of the carriers of any link, padded
};

// settings.c ------------------------------------------------------------------------------------------------------------

typedef struct chain_builder {
    const sup_chain_desc* desc;
    sup_chain*            chain;
    sup_arena*            temporary; ///< dies when the chain is made
    sup_error*            error;
    const sup_world_plan* bound; ///< whose bodies are read again, in other places; NULL: a chain is made
} chain_builder;

/// Links from text, preset and settings into chain->links, with their parameters and bone values.
sup_result chain_parse(chain_builder* b);
/// The row of that name, or SUP_NONE.
uint32_t param_find(const sup_deformer* deformer, const char* name, size_t length);
void     params_default(const sup_deformer* deformer, void* params);
/// Checks the range and stores. The error names link, parameter, value and range.
sup_result param_set_number(const sup_deformer* deformer, uint32_t row, double value, void* params, sup_error* error);
/// A number as the row's type in the parameter block.
double param_get_number(const sup_param* row, const void* params);

// fields.c --------------------------------------------------------------------------------------------------------------

/// Fills link->fields from maps and values of bones.
sup_result link_fields(const sup_chain* chain, link* l, sup_error* error);

// conditions.c ----------------------------------------------------------------------------------------------------------

/// One alternative of an only_with text.
typedef enum only_test { ONLY_CONDITION, ONLY_EQUAL, ONLY_OTHER, ONLY_ABOVE } only_test;
typedef struct only_item {
    only_test   test;
    const char* name;
    const char* value; ///< of another row
    size_t      name_length, value_length;
    bool        first; ///< begins a clause
} only_item;
/// Reads the next alternative. False at the end of the text, and for NULL.
bool only_next(const char** text, only_item* out);
/// The condition with that name, the deformer's own or a common one; NULL: none.
const sup_condition* only_condition(const sup_deformer* deformer, const only_item* item);
/// Finds parameters that have no effect in a bound link: fills `idle` and `inert`, and notes those that the user set.
sup_result link_idle(chain_builder* b, uint32_t index, const sup_bind_input* in);

// world.c ---------------------------------------------------------------------------------------------------------------

/// The world file into chain->world, and its links' keys.
sup_result world_parse(chain_builder* b);
/// The world and the parameters at one moment: keys replace base values. The plan is the chain's, or one with other forces or
/// bodies. Never allocates.
void world_resolve(const sup_chain* chain, const sup_world_plan* plan, const world_moment* moment, const uint8_t* base_params,
                   uint8_t* params, world_workspace* work);
/// A plan with other forces, in the arena; on failure *out is untouched.
sup_result world_with_forces(const sup_chain* chain, const sup_world_plan* plan, const sup_json* forces, sup_arena* arena,
                             sup_world_plan* out, sup_error* error);
/// The same with the chain's bodies moved.
sup_result world_with_bodies(const sup_chain* chain, const sup_world_plan* plan, const sup_json* bodies, sup_arena* arena,
                             sup_world_plan* out, sup_error* error);

// chain.c ---------------------------------------------------------------------------------------------------------------

/// The layout of the caller's scratch, the same for every call.
typedef struct run_scratch {
    sup_vec3* morphed;
    sup_vec3* skinned;
    sup_vec3* a; ///< a and b alternate: output of one link, input of the next
    sup_vec3* b;
    sup_vec3* displacements; ///< of a link's carriers
    uint8_t*  link;
} run_scratch;

run_scratch scratch_cut(const sup_chain* chain, void* scratch);

/// Whether no point is lost: each is finite and lies within ten diagonals of its skinned place. The diagonal is that of the
/// rest shape, or of the skinned one if the pose makes it larger. If some are lost, *limit2 is the square of that distance.
bool points_near(const sup_mesh* mesh, const sup_vec3* points, const sup_vec3* skinned, float* limit2);
/// The same for `count` points given by their displacements from their skinned places. `skinned`: points of the mesh; NULL:
/// take the diagonal of the rest shape.
bool displacements_near(const sup_mesh* mesh, const sup_vec3* displacements, size_t count, const sup_vec3* skinned);

/// Displacements at an instant between two steps.
typedef struct run_displacements {
    const sup_vec3 *before, *after; ///< of chain->displacement_count
    double          ratio;          ///< 1: after
} run_displacements;

void displacements_blend(const run_displacements* displacements, size_t offset, size_t count, sup_vec3* out);

/// Runs one link on frame->points and, after the first link, frame->skinned. At an instant, lost points go back to their
/// skinned place and are counted ("runner.points_lost"); in a step, the caller must reset. `state` is that of the link. With
/// `displacements`, a link with carriers presents those, at an instant; without, it takes its step first.
void link_run(const sup_chain* chain, uint32_t index, const uint8_t* params, uint8_t* state, const sup_frame* frame,
              const run_displacements* displacements, const run_scratch* s, sup_vec3* out);

/// Runs links begin up to end on the frame. The input is `points`, or the morphed rest points if begin is 0. Returns the
/// result, which is in scratch, or in `out` if given. Link 0 fills s->skinned.
const sup_vec3* links_run(const sup_chain* chain, uint32_t begin, uint32_t end, const uint8_t* params, uint8_t* state,
                          const sup_frame* frame, const run_displacements* displacements, const run_scratch* s,
                          const sup_vec3* points, sup_vec3* out);

#endif
