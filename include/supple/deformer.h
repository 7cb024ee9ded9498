/// supple/deformer.h: deformers, which turn a posed character into skin, and the chain that runs them.
///
/// Bind once, evaluate often. Three kinds of memory, never mixed: *bound* data is read-only and shared by threads, *state*
/// survives to the next step, *scratch* does not. State is one flat block without pointers, so seeking back is a copy,
/// tests hash it, and saving a simulation is one write.
#ifndef SUPPLE_DEFORMER_H
#define SUPPLE_DEFORMER_H

#include "supple/json.h"
#include "supple/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------- parameters

typedef enum sup_param_type {
    SUP_PARAM_FLOAT,  ///< float
    SUP_PARAM_INT,    ///< int
    SUP_PARAM_BOOL,   ///< bool
    SUP_PARAM_CHOICE, ///< int, index into choices
    SUP_PARAM_TEXT,   ///< const char*
} sup_param_type;

/// When a parameter may change: BIND ones need a new binding, FRAME ones are live sliders and can have keys.
typedef enum sup_stage { SUP_STAGE_BIND, SUP_STAGE_FRAME } sup_stage;

/// What a parameter may vary over, besides time (docs/architecture.md, Fields).
typedef enum sup_varies { SUP_VARIES_NOT, SUP_VARIES_POINT, SUP_VARIES_BONE } sup_varies;

/// One row of a deformer's parameter table. Flags, JSON, sliders, keys and the manual all come from it.
typedef struct sup_param {
    const char*        name;
    sup_param_type     type;
    sup_stage          stage;
    size_t             offset; ///< into the deformer's parameter struct
    sup_varies         varies;
    double             min, max;
    double             standard;      ///< default; BOOL 0 or 1, CHOICE an index
    const char*        standard_text; ///< default of TEXT; NULL: ""
    const char* const* choices;       ///< CHOICE: names, NULL-terminated
    const char*        unit;
    const char*        help;
    /// When the parameter has an effect; NULL: always. Clauses, separated by ',', must all hold; '|' separates the alternatives
    /// of a clause: 'integrator=symplectic', 'weight>0|dynamics=true', 'continuity=auto,third_example'. An alternative is
    /// another row with =, != or > and a value, or the name of a condition below. A chain notes parameters set without effect.
    const char* only_with;
} sup_param;

/// A named set of values: pairs of parameter and value as text, terminated by a pair of NULLs.
typedef struct sup_preset {
    const char* name;
    const char* summary;
    const char* const (*values)[2];
} sup_preset;

/// How one parameter varies: value at i = clamp(scale[i] x parameter + offset[i]). Both NULL: uniform.
/// Over points: scale = map x (1 - weights of overridden bones), offset = map x sum of weight x bone value.
/// Over bones: i is the joint; where a bone overrides the value, scale is 0 and offset that value.
typedef struct sup_field {
    const float* scale;
    const float* offset;
} sup_field;

/// The parameter at point (or joint) i under its field, clamped to the row's range.
SUP_API float sup_field_value(const sup_param* row, const sup_field* field, float parameter, uint32_t i);

// ---------------------------------------------------------------------------------------------- one step

/// The skinning method of a chain. NONE for a deformer that is not a skinning method.
typedef enum sup_skinning { SUP_SKINNING_NONE, SUP_SKINNING_LINEAR, SUP_SKINNING_DUALQUAT } sup_skinning;

/// Something solid that presses on the skin. `start` and `end` map its own space to the character's at both ends of the step,
/// so that fast bodies are not missed.
typedef enum sup_body_kind { SUP_BODY_SPHERE, SUP_BODY_CAPSULE, SUP_BODY_MESH } sup_body_kind;
typedef struct sup_body {
    const char*     name;
    sup_body_kind   kind;
    sup_affine      start, end; ///< rigid: at time - dt and at time
    uint32_t        joint;      ///< of the character, that the body is attached to; SUP_NONE: free
    sup_vec3        a, b;       ///< sphere: center a; capsule: from a to b
    float           radius;
    uint32_t        point_count, triangle_count; ///< mesh
    const sup_vec3* points;
    const uint32_t* triangles;
    float           friction;
    const sup_vec3* points_start; ///< mesh moved by a second character: its points at time - dt; NULL: those of `points`
    bool            closed;       ///< the surface has no holes and so has an inside; always true except for meshes
} sup_body;

/// A push on some of the skin, or a spring attached to it: around a place, on a curve of a link, or on a painted region.
typedef enum sup_force_kind { SUP_FORCE_BONE, SUP_FORCE_CURVE, SUP_FORCE_REGION } sup_force_kind;
typedef struct sup_force {
    const char*    name;
    sup_force_kind kind;
    sup_vec3       value;      ///< newtons over metres_per_unit: divided by kilograms it is units / s^2
    uint32_t       joint;      ///< BONE: it turns with the joint when `local`; SUP_NONE: a place at rest, or curves by number
    float          ratio;      ///< along the bone, or along the curve
    float          radius;     ///< BONE: units; fades smoothly to nothing there
    uint32_t       curve;      ///< CURVE: its number in the link
    float          begin, end; ///< CURVE: a line force from begin to end; equal: at `ratio` alone
    const float*   region;     ///< REGION: a map, 0 to 1 per point; NULL: the curves of a link from `curve` to `curve_last`
    bool           local;      ///< value is in the joint's rest space and turns with it
    sup_vec3       at;         ///< BONE, and CURVE with a joint: the place on the bone, in rest space. REGION of curves: one place
                               ///< in it, x across and y along from 0 to 1, where z is 1; else it is spread evenly
    uint32_t       curve_last; ///< REGION of curves, from begin to end along them
    float          spring;     ///< newtons a meter now; above 0 this is a spring from where `middle` is now to `to`. Links with
                               ///< state ask run/grip.h for its pull; `value` is its pull on skin that only follows bones
    sup_vec3       to;         ///< the end of the spring that is held
    sup_vec3       middle;     ///< mean rest position of the skin it reaches, weighted by share
    float*         felt;       ///< the pull that links with state applied, in the unit of `value`; NULL: not wanted
} sup_force;

/// The share of a force that reaches a point, 0 to 1, from its rest position: (1 - d^2 / radius^2)^2 around a place on a bone,
/// the map's value in a region (0 for point SUP_NONE), 0 for a curve. `value` is the total push: divide by the sum of the
/// shares.
SUP_API float sup_force_share(const sup_force* force, uint32_t point, sup_vec3 rest);
/// The value of a force in this pose: a local one turns with its joint.
SUP_API sup_vec3 sup_force_value(const sup_force* force, const sup_pose* pose);

/// The world at one instant, in the character's units and space, as the runner resolved it.
typedef struct sup_world {
    sup_vec3         gravity; ///< units / s^2
    sup_vec3         wind;    ///< units / s
    uint32_t         body_count, force_count;
    const sup_body*  bodies;
    const sup_force* forces;
    const float*     activations; ///< of the muscles, 0 to 1 per joint; NULL: none
} sup_world;

/// The world over all of time, for deformers whose closed form needs the whole history of a force when they bind.
typedef struct sup_world_plan sup_world_plan;

/// Gravity, wind and activations (one per joint) at any time. Outputs may be NULL.
SUP_API void     sup_world_plan_at(const sup_world_plan* plan, double time, sup_vec3* gravity, sup_vec3* wind, float* activations);
SUP_API uint32_t sup_world_plan_force_count(const sup_world_plan* plan);
/// Bodies as sup_world will list them, for links that build trees over their triangles: start and end are the identity, points
/// are at rest, and points_start is not NULL where a clip will move them. The place of a body depends on the pose: see a frame.
SUP_API uint32_t sup_world_plan_body_count(const sup_world_plan* plan);
SUP_API void     sup_world_plan_body(const sup_world_plan* plan, uint32_t body, sup_body* out);
/// The force as sup_world has it at that time. The value of a spring depends on the pose and is 0 here.
SUP_API void sup_world_plan_force(const sup_world_plan* plan, uint32_t force, double time, sup_force* out);
/// Its keys: linear from value to value, or held to the next key where `steps` is true; the first and the last value hold
/// outside. Returns the count, at least 1: a force without keys has one at time 0. Outputs may be NULL. For a spring: keys of
/// its held end.
SUP_API uint32_t sup_world_plan_force_keys(const sup_world_plan* plan, uint32_t force, const double** times,
                                           const sup_vec3** values, const bool** steps);

/// Counts of named fallbacks taken inside frames ("dualquat.no_rotation"). Names are constants of the deformer.
#define SUP_STATS_MAX 32
typedef struct sup_stats {
    uint32_t count;
    struct {
        const char* name;
        uint64_t    times;
    } items[SUP_STATS_MAX];
} sup_stats;

SUP_API void sup_stats_add(sup_stats* stats, const char* name, uint64_t times); ///< NULL stats and 0 times do nothing

/// Poses within a step; used through sup_frame_pose below.
typedef struct sup_sampler {
    void (*pose)(const struct sup_sampler* sampler, double time, sup_pose* out);
    void* user;
} sup_sampler;

/// What one step sees. Pointers are borrowed for the call.
typedef struct sup_frame {
    double             time, dt; ///< at the end of the step; dt 0 is one instant
    const sup_pose*    start;    ///< pose at time - dt
    const sup_pose*    end;
    const sup_vec3*    points;   ///< from the link before, at the end; the first link gets the morphed rest points
    const sup_vec3*    skinned;  ///< from the chain's skinning link, at the end (the skinning link itself sees NULL)
    sup_rigid          carry;    ///< move the state by this first (loop seam, teleport); identity otherwise
    bool               carried;  ///< carry is not the identity
    bool               settling; ///< pre-roll: the first pose is held
    uint32_t           settling_steps; ///< steps of the pre-roll still to come
    const sup_world*   world;
    const sup_tasks*   tasks;   ///< NULL: run inline
    sup_stats*         stats;   ///< fallback counters; evaluate's own thread only
    const sup_sampler* sampler; ///< never NULL
} sup_frame;

/// The pose at time - dt + dt x i / n, for deformers that take n substeps. out is the deformer's, from sup_pose_place.
SUP_API void sup_frame_pose(const sup_frame* frame, uint32_t i, uint32_t n, sup_pose* out);

// ---------------------------------------------------------------------------------------------- deformer

/// What bind leaves behind. Everything lives in the arena passed to bind and dies with it.
typedef struct sup_binding {
    const void* data;         ///< precomputed, never written again
    size_t      state_size;   ///< bytes kept from step to step; 0 means a pure function of pose and time
    size_t      scratch_size; ///< bytes evaluate, present and reset may overwrite
    uint32_t    carriers;     ///< points of its own that evaluate moves; present then makes the skin from them. 0: none
} sup_binding;

/// The links before the one being bound, which bind may evaluate at any time of the clip. Stateless links only.
typedef struct sup_prefix sup_prefix;
/// Fails without a clip to take the pose from, and when a link before this one is dynamic.
SUP_API sup_result sup_prefix_points(const sup_prefix* before, double time, sup_vec3* out, sup_error* error);
/// The same at the caller's pose, which needs no clip; the links see `time`.
SUP_API sup_result sup_prefix_pose(const sup_prefix* before, const sup_pose* pose, double time, sup_vec3* out,
                                   sup_error* error);

/// What bind sees: the character, the motion if it is known, and the links before this one.
typedef struct sup_bind_input {
    const sup_character* character;
    const sup_clip*      clip;     ///< NULL: a live host, nothing ahead is known
    const sup_prefix*    before;
    sup_skinning         skinning; ///< the chain's method, for links that pose points of their own
    const void*          params;
    const sup_field*     fields;   ///< one per parameter row
    const sup_tasks*     tasks;
    const sup_progress*  progress; ///< to report to; returns false when the user cancelled
    const sup_world_plan* world;   ///< never NULL from a chain
    sup_notes*           notes;    ///< for sup_note; the chain puts the link's name in front
    double cycle_begin, cycle_end; ///< the motion repeats over this span of the clip; equal: it does not
    bool   show;                   ///< as in sup_chain_desc: there may be no example shapes
} sup_bind_input;

/// Where a deformer draws its internals: curves, layers, cells, contacts. Each has a name, so that a person can ask for one
/// (`render --show LINK.WHAT`) and the studio can list them all. `what` is a constant of the deformer; a value from 0 to 1
/// is shown as a color, a negative one in a neutral color.
typedef struct sup_canvas {
    void (*line)(void* user, const char* what, sup_vec3 a, sup_vec3 b, float value);
    void (*point)(void* user, const char* what, sup_vec3 at, float value);
    void (*triangle)(void* user, const char* what, sup_vec3 a, sup_vec3 b, sup_vec3 c, float value);
    void* user;
} sup_canvas;

/// A wave too fine for the points of the mesh, around one of them: its height at x is height x cos(phase + wave . (x - point)),
/// with x and the point at rest and the height along the posed normal. To shade a place inside a face, blend the slopes that
/// the ripples of its corners have there: that works for any wavelength. Wave and phase are those of the binding; only heights
/// change from frame to frame.
typedef struct sup_ripple {
    sup_vec3 wave;         ///< radians a unit
    float    cosine, sine; ///< of the phase at the point
    float    height;       ///< units; 0: none
} sup_ripple;

/// A property of the character, the world or the binding that `only_with` can name.
typedef struct sup_condition {
    const char* name;  ///< one word
    const char* words; ///< completes "does nothing without"
    const char* cure;  ///< what to do about it
    bool (*holds)(const sup_bind_input* in, const sup_binding* binding);
} sup_condition;

/// Conditions that every deformer can name (wind, forces, examples ...), terminated by a NULL name.
SUP_API const sup_condition* sup_conditions_common(void);

enum {
    SUP_NEEDS_EXAMPLES = 1u << 0, ///< sculpts at times of the clip
    SUP_NEEDS_CLIP = 1u << 1,     ///< cannot run live
    SUP_NEEDS_WEIGHTS = 1u << 2,  ///< skin weights, not a single rigid joint
    SUP_NEEDS_CLOSED = 1u << 3,   ///< a surface without holes
};

/// Turns a posed character into skin positions. A constant: no globals, no hidden state.
typedef struct sup_deformer {
    const char*       name;     ///< folder, symbol, CLI word and JSON key are this one word
    const char*       summary;  ///< one sentence for menus
    const char*       paper;    ///< author, title, year
    uint32_t          needs;    ///< SUP_NEEDS_...: demo, bench and the conformance test choose scenes by it
    sup_skinning      skinning; ///< not NONE: can be the first link; poses rest points from the skeleton alone
    bool              dynamic;  ///< always has state; one that has it in some bindings only sets state_size there
    double            step;     ///< longest step of the clock that it works with, seconds; 0: the usual 0.005
    const sup_param*  params;
    uint32_t          param_count;
    size_t            params_size;
    const sup_preset* presets; ///< terminated by a NULL name; NULL: none
    const char*          only_with;  ///< as in a row: when the link can move any point at all; NULL: always
    const sup_condition* conditions; ///< its own, besides the common ones, terminated by a NULL name; NULL: none

    /// Slow work, once per character. On failure the error says why and *out is untouched.
    sup_result (*bind)(const sup_bind_input* in, sup_arena* arena, sup_binding* out, sup_error* error);
    /// Start the motion at this frame. Called before the first evaluate and after every jump in time. NULL if stateless.
    void (*reset)(const sup_binding* binding, const void* params, const sup_frame* frame, void* state, void* scratch);
    /// One step of the clock if there is state, one instant if not.
    /// Cannot fail, allocate, lock or print; same inputs give the same bits for any worker count. out does not overlap points.
    /// With carriers, out gets the displacement of each from where the pose alone puts it, and the frame may have no points:
    /// the clock interpolates the displacements, and the skin is made once per frame.
    void (*evaluate)(const sup_binding* binding, const void* params, const sup_frame* frame, void* state, void* scratch,
                     sup_vec3* out);
    /// With carriers: the skin at one instant (frame->time, end, points and skinned) from their `displacements`. Promises
    /// what evaluate does. NULL: no binding has carriers.
    void (*present)(const sup_binding* binding, const void* params, const sup_frame* frame, const sup_vec3* displacements,
                    void* scratch, sup_vec3* out);
    /// Optional: named lines, points and triangles in world space, for `render --show` and the studio. `skin` is the link's
    /// last output.
    void (*draw)(const sup_binding* binding, const sup_pose* pose, const void* state, const sup_vec3* skin,
                 const sup_canvas* canvas);
    /// Optional: ripples for shading. Returns how many each point has; NULL out only asks for that. `skin` is the link's last
    /// output. Promises what evaluate does.
    uint32_t (*relief)(const sup_binding* binding, const void* params, const sup_frame* frame, const sup_vec3* skin,
                       void* scratch, sup_ripple* out);
    /// Optional: the binding as a runtime file (`bake --save LINK=FILE`), in the arena.
    sup_result (*save)(const sup_binding* binding, sup_arena* arena, const void** bytes, size_t* size, sup_error* error);
    /// Optional: limitations of the saved file, with the cure; NULL: none.
    const char* (*save_note)(const sup_binding* binding);
    /// Optional: what the binding consists of, in numbers, for the report of a bake: "32 curves, 574 coefficients for each of 2
    /// examples".
    void (*count)(const sup_binding* binding, char* text, size_t size);
} sup_deformer;

/// Every deformer in menu order, from deformers.def.
SUP_API uint32_t            sup_deformer_count(void);
SUP_API const sup_deformer* sup_deformer_at(uint32_t index);
SUP_API const sup_deformer* sup_deformer_find(const char* name); ///< NULL
/// Whether the character has what the deformer needs. clip: NULL for held poses; closed: whether its surface has no holes
/// (sup_mesh_examine).
SUP_API bool sup_deformer_suits(const sup_deformer* deformer, const sup_character* character, const sup_clip* clip, bool closed);
/// All there is to know about the deformers:
/// [{"name","summary","paper","needs","dynamic","only_with","presets","params":[...]}] (one deformer: that object alone). An
/// "only_with" is a list of clauses, each a list of alternatives. NULL when the arena is exhausted.
SUP_API sup_json* sup_deformer_describe(const sup_deformer* deformer, sup_arena* arena);

// ---------------------------------------------------------------------------------------------- chain

/// Links bound to one character: read-only, shared by many instances and threads.
typedef struct sup_chain sup_chain;

/// A mesh that the world file names as a body ("mesh": "prop.obj"). The caller reads it: the core does not open files.
typedef struct sup_world_mesh {
    const char*          name;      ///< as the world writes it
    const sup_character* character; ///< must outlive the chain
} sup_world_mesh;

typedef struct sup_chain_desc {
    const sup_character* character;
    const sup_clip*      clip;  ///< the motion that bind may look ahead in; NULL: a live host
    const char*          links; ///< 'dualquat,layers(ring=2),smooth'; NULL: the preset's links, else "linear"
    /// 'NAME.PARAM=VALUE' for all links of that name, 'smooth#2.step=1' for one, 'layers.stiffness@Spine*=0.3' for bones.
    const char* const* settings;
    uint32_t           setting_count;
    const sup_json*    preset; ///< {"supple":1,"links":[{"name","set":{},"bones":{"Spine*":{}}}]}; NULL: none
    /// {"gravity","wind","bodies","forces","muscles","keys"}; NULL: gravity of the Earth, nothing else
    const sup_json*    world;
    bool               world_shared; ///< by several chains: keys for links that this one lacks are not an error
    double             step;   ///< seconds of the fixed clock; 0: the shortest that a link with state asks for, 0.005 or its `step`
    /// More deformers than those of the registry, for hosts and tests.
    const sup_deformer* const* extra;
    uint32_t                   extra_count;
    const sup_tasks*           tasks;
    const sup_progress*        progress;
    const sup_allocator*       allocator;
    const sup_world_mesh*      world_meshes;
    uint32_t                   world_mesh_count;
    double                     cycle_begin, cycle_end; ///< the clip is played as a loop over this span; equal: once
    bool show; ///< for sup_instance_draw: links that can draw themselves then bind without example shapes
    /// Reads a file named by a text parameter ('line=@tail.txt') as 0-terminated text into the arena. NULL: no files.
    sup_result (*read_text)(void* user, const char* path, sup_arena* arena, const char** out, sup_error* error);
    void* read_user;
} sup_chain_desc;

/// Parses, checks and binds. The character must outlive the chain.
SUP_API sup_result  sup_chain_create(const sup_chain_desc* desc, sup_chain** out, sup_error* error);
SUP_API void        sup_chain_destroy(sup_chain* chain);
SUP_API uint32_t    sup_chain_link_count(const sup_chain* chain);
SUP_API const sup_deformer* sup_chain_link(const sup_chain* chain, uint32_t link);
/// The link's parameters as they were set: its deformer's params_size bytes, read by the offsets of its rows.
SUP_API const void* sup_chain_params(const sup_chain* chain, uint32_t link);
SUP_API bool        sup_chain_dynamic(const sup_chain* chain);
/// Whether a parameter of a link, or a force of the world, takes its values from the character's map of that name.
SUP_API bool        sup_chain_reads_map(const sup_chain* chain, const char* map);
SUP_API const char* sup_chain_text(const sup_chain* chain); ///< as written, with the implied skinning in front
/// Notes of the links from binding: "lattice: ...".
SUP_API uint32_t    sup_chain_note_count(const sup_chain* chain);
SUP_API const char* sup_chain_note(const sup_chain* chain, uint32_t note);
/// Why a parameter of the bound link has no effect ("does nothing with integrator=implicit; set integrator=symplectic");
/// NULL: it may have one. For panels that gray out such parameters; a chain notes those that were set all the same.
SUP_API const char* sup_chain_idle(const sup_chain* chain, uint32_t link, uint32_t param);
/// Why the bound link moves no point at all; NULL: it may.
SUP_API const char* sup_chain_inert(const sup_chain* chain, uint32_t link);
/// Whether the chain has links after its skinning and none of them moves a point.
SUP_API bool sup_chain_only_skins(const sup_chain* chain);
/// The link's runtime file, in the arena. Fails, with the cure, if it has none or the binding does not fit into one.
SUP_API sup_result sup_chain_save(const sup_chain* chain, uint32_t link, sup_arena* arena, const void** bytes, size_t* size,
                                  sup_error* error);
/// Limitations of the saved file: what of this binding it does not hold, and the cure. NULL: none.
SUP_API const char* sup_chain_save_note(const sup_chain* chain, uint32_t link);
/// What the bound link consists of, in numbers. False: it does not say.
SUP_API bool sup_chain_count(const sup_chain* chain, uint32_t link, char* text, size_t size);
/// Bytes of scratch that every call below with a `scratch` needs, 64-byte aligned. One thread at a time per block.
SUP_API size_t sup_chain_scratch_size(const sup_chain* chain);

/// One playing copy of a chain: state, frame parameters, clock.
typedef struct sup_instance sup_instance;

#define SUP_NO_PREROLL (-1.0) ///< or any negative number

typedef struct sup_instance_desc {
    const sup_chain* chain;
    const sup_clip*  clip;       ///< NULL: held pose below, or live
    const sup_pose*  pose;       ///< without a clip: the pose that is held; NULL: rest
    double           start, end; ///< seconds of the clip; end 0: the clip's end
    double           still;      ///< the pose is held from this second of the clip on; 0: the clip plays on
    double           preroll;    ///< seconds the first pose is held before start; 0: half a second, SUP_NO_PREROLL: none
    bool             loop;       ///< the step is fitted to the span, one pass runs first, times wrap around
    bool             live;       ///< a host delivers poses through sup_instance_live instead
    uint32_t         snapshots;  ///< kept for seeking back; 0: 16
    const sup_tasks* tasks;
    const sup_allocator* allocator;
} sup_instance_desc;

SUP_API sup_result sup_instance_create(const sup_instance_desc* desc, sup_instance** out, sup_error* error);
SUP_API void       sup_instance_destroy(sup_instance* instance);
/// The skin at any time of the clip, forwards or backwards: the same bits for the same time, whatever was asked before.
/// Never allocates or fails. stats may be NULL.
SUP_API void sup_instance_evaluate(sup_instance* instance, double time, void* scratch, sup_stats* stats, sup_vec3* out);
/// Takes at most this many steps towards that time, so that a host can divide long work (a pre-roll, the first pass of a loop)
/// or save the state in between. True: the time is reached and evaluate takes no more steps. The same bits as evaluate alone.
SUP_API bool sup_instance_advance(sup_instance* instance, double time, uint32_t steps, void* scratch, sup_stats* stats);
/// Only sets the pose of that time, for sup_instance_pose, and does not step. For hosts that keep the points of frames.
SUP_API void sup_instance_show_pose(sup_instance* instance, double time);
/// The pose that the last evaluate, show_pose or live call showed.
SUP_API const sup_pose* sup_instance_pose(const sup_instance* instance);
/// The world at that time, for drawing its bodies. Valid until the next call.
SUP_API const sup_world* sup_instance_world(const sup_instance* instance);

/// Lets a link draw itself as it was at the last evaluate or live call. False when it draws nothing.
SUP_API bool sup_instance_draw(const sup_instance* instance, uint32_t link, const sup_vec3* skin, const sup_canvas* canvas);

/// Detail too fine for the points: ripples of the chain's last link. Returns how many each point has, 0 for none; NULL out only
/// asks for that. skin: the points of the last evaluate or live call.
SUP_EXPERIMENTAL SUP_API uint32_t sup_instance_relief(const sup_instance* instance, const sup_vec3* skin, void* scratch,
                                                      sup_ripple* out);

/// One frame of a live host: time advances by dt, with the host's new local transforms and morph weights. The displacement lags
/// by up to one step, the skeleton does not. teleport: the root has jumped, and the state moves with it.
SUP_API void sup_instance_live(sup_instance* instance, double dt, const sup_transform* local, const float* morph_weights,
                               bool teleport, void* scratch, sup_stats* stats, sup_vec3* out);

/// One instance of a batch: sup_instance_evaluate at `time`, or, with `local`, sup_instance_live by `dt`.
typedef struct sup_batch_item {
    sup_instance*        instance;
    double               time;          ///< seconds of the clip
    double               dt;            ///< of a live host
    const sup_transform* local;         ///< NULL: by time
    const float*         morph_weights; ///< with local; NULL: as they are
    bool                 teleport;      ///< with local
    sup_stats*           stats;         ///< or NULL
    sup_vec3*            out;
} sup_batch_item;

/// Evaluates many instances at once, each on one thread: a crowd. `scratch` has `blocks` blocks, each of the largest
/// sup_chain_scratch_size of all chains; as many instances run at a time as there are blocks and workers. An instance may occur
/// only once. The same bits as one after the other. Never allocates or fails.
SUP_EXPERIMENTAL SUP_API void sup_batch_evaluate(const sup_batch_item* items, uint32_t count, void* const* scratch,
                                                 uint32_t blocks, const sup_tasks* tasks);

/// Sets a frame-stage parameter of a link from now on. Later snapshots are dropped: going back and forward again replays
/// with the new value. Fails on bind-stage and unknown names and on values out of range.
SUP_API sup_result sup_instance_set(sup_instance* instance, uint32_t link, const char* param, double value, sup_error* error);
/// Replaces the forces of the world (the JSON of its member "forces") from second `from` on: what was simulated after that is
/// dropped and simulated again. If the forces agree before `from`, the motion is that of a chain bound with them: a hand that
/// pulls adds a key per frame. Links in closed form (beam, bend, fourier) bind to forces by index: for them only keys may
/// differ. On failure nothing changes. Allocates: do not call it from within evaluate.
SUP_EXPERIMENTAL SUP_API sup_result sup_instance_set_forces(sup_instance* instance, const sup_json* forces, double from,
                                                            sup_error* error);
/// Moves the bodies of the world (the JSON of its member "bodies") from second `from` on: the same number of them in the same
/// order, with the same kinds and mesh files; shapes, joints, friction and keys may differ. What was simulated after `from` is
/// dropped and simulated again. If the bodies agree before `from`, the motion is that of a chain bound with them: a ball that
/// follows a pointer gets a key per frame. `bend` prepares for bodies while it binds: for it only keys may differ. On failure
/// nothing changes. Allocates: do not call it from within evaluate.
SUP_EXPERIMENTAL SUP_API sup_result sup_instance_set_bodies(sup_instance* instance, const sup_json* bodies, double from,
                                                            sup_error* error);
/// The newtons a spring pulled with in the last step: at most what brings the tissue to its held end. 0: no link applied it.
SUP_EXPERIMENTAL SUP_API double sup_instance_felt(const sup_instance* instance, uint32_t force);
/// Changes sup_instance_desc.still: the second from which on the pose is held; 0: the clip plays on. What was simulated after
/// it is dropped. Does nothing for a loop, which has no end to hold.
SUP_API void sup_instance_hold(sup_instance* instance, double still);
/// The size in bytes of the whole state (step number, link states, last two displacements), and copies of it out and in.
SUP_API size_t sup_instance_state_size(const sup_instance* instance);
SUP_API void   sup_instance_state_save(const sup_instance* instance, void* state);
SUP_API void   sup_instance_state_load(sup_instance* instance, const void* state);

/// Frames of a span: floor((end - start) fps + 1e-6) + 1, one fewer with loop when the last falls on the end.
SUP_API uint32_t sup_frame_count(double start, double end, double fps, bool loop);
/// Time of one of them: start + frame / fps, with one division, so that equal times at different rates have equal bits.
SUP_API double sup_frame_time(double start, double fps, uint32_t frame);

#ifdef __cplusplus
}
#endif
#endif
