/// deform/bend/bend.h: internals of the bend deformer. bend_net.c lays curves and nodes over the mesh,
/// bend_line.c makes center lines, bend_fields.c what varies over the skin, bend_loads.c turns forces into shapes of the
/// curves, bend_region.c forces on a surface region, bend_shapes.c examples, bend_bodies.c and bend_press.c bodies that press,
/// bend_sway.c dynamics, bend_frame.c puts a frame together; bend.c holds the table and binds.
///
/// Every curve represents a strip of skin: EI from widths, thickness, E and nu. In the rest frame a node moves by
///     X = sum over loads of force x shape / EI,     shape = EI X for one newton, computed at bind
#ifndef SUP_DEFORM_BEND_H
#define SUP_DEFORM_BEND_H

#include "base/internal.h"
#include "deform/curves/curve_link.h"
#include "deform/curves/curve_net.h"
#include "deform/curves/residual.h"
#include "deform/curves/sections.h"
#include "geom/search/bvh.h"
#include "solve/plate/bend_curve.h"

typedef struct bend_params {
    int         way, curves;
    float       spacing, snap;
    const char *groups, *line, *stations;
    int         intervals, terms, closed, transfer, equivalent;
    float       young, poisson, width, thickness, support, pressure, weight, density;
    bool        dynamics;
    int         modes;
    float       damping;
    bool        examples, turning;
    int         between;
    bool        trust;
    const char* drive;
    float       amount;
    bool        press;
    float       strength;
} bend_params;

/// In the order of the table.
enum bend_row {
    ROW_WAY,
    ROW_CURVES,
    ROW_SPACING,
    ROW_SNAP,
    ROW_GROUPS,
    ROW_LINE,
    ROW_STATIONS,
    ROW_INTERVALS,
    ROW_TERMS,
    ROW_CLOSED,
    ROW_TRANSFER,
    ROW_EQUIVALENT,
    ROW_YOUNG,
    ROW_POISSON,
    ROW_WIDTH,
    ROW_THICKNESS,
    ROW_SUPPORT,
    ROW_PRESSURE,
    ROW_WEIGHT,
    ROW_DENSITY,
    ROW_DYNAMICS,
    ROW_MODES,
    ROW_DAMPING,
    ROW_EXAMPLES,
    ROW_TURNING,
    ROW_BETWEEN,
    ROW_TRUST,
    ROW_DRIVE,
    ROW_AMOUNT,
    ROW_PRESS,
    ROW_STRENGTH,
    ROW_COUNT
};
extern const sup_param bend_rows_table[ROW_COUNT];

enum bend_transfer { TRANSFER_DISPLACEMENT, TRANSFER_FRAME };
enum bend_equivalent { EQUIVALENT_SINES, EQUIVALENT_POINT, EQUIVALENT_EXACT };
enum bend_between { BETWEEN_LINEAR, BETWEEN_CATMULL, BETWEEN_MONOTONE };

enum { BEND_GRAIN = 4096 };

// bend_net.c -----------------------------------------------------------------------------------------------------------------

/// A joint that rotates a curve, by its index in the list of all that do.
typedef struct bend_hold {
    uint32_t slot;
    float    share;
} bend_hold;

typedef struct bend_net {
    sup_curve_net   on;
    double          metres;      ///< per unit
    const sup_vec3* normals;     ///< of the skin at the nodes
    const double*   length;      ///< per curve, meters
    const double*   girth;       ///< likewise; of closed ones the effective length in bending, shorter where they wind
    const double (*width)[2];    ///< to both sides, meters; 0: no skin there
    const uint32_t*  hold_begin; ///< per curve + 1: its joints, the most influential first
    const bend_hold* holds;
    uint32_t         joint_count;
    const uint32_t*  joints; ///< all joints that rotate curves
} bend_net;

/// Width of the strip of skin that a curve represents, meters.
static inline double bend_strip(const bend_net* net, uint32_t curve)
{
    return 0.5 * (net->width[curve][0] + net->width[curve][1]);
}

sup_result bend_net_create(const sup_bind_input* in, const bend_params* p, sup_arena* arena, bend_net* out, sup_error* error);
/// Samples values of mesh points at the nodes: rows[n][stride], N + 1 rows.
void bend_net_read(const bend_net* net, const sup_vec3* at_points, float* rows);
/// "0 to 11 (spine_1 to neck_1), 12 to 17 (leg_l)": the existing curves, by limb and the bones that rotate them.
void bend_net_names(const bend_net* net, const sup_character* character, char* text, size_t size);

// bend_line.c ----------------------------------------------------------------------------------------------------------------

/// Curves across a center line given by `line` (bones by a glob, or places in meters) at `stations`.
sup_result bend_line_cut(const sup_bind_input* in, const bend_params* p, sup_arena* arena, sup_curves* out, sup_error* error);

// bend_loads.c ---------------------------------------------------------------------------------------------------------------

/// The effect of one newton on one curve.
typedef struct bend_item {
    uint32_t     force, curve;
    const float* shape; ///< N + 1: EI X, cubic meters; NULL: on a foundation
    const float* terms; ///< 2 T + 1 Fourier coefficients of the load
} bend_item;

typedef struct bend_loads {
    uint32_t         terms;      ///< T
    bool             founded;    ///< closed curves are on a foundation
    const float*     basis;      ///< [N + 1][2 T + 1]: 1, cos, sin, ...
    const float*     compliance; ///< closed: [N]: EI X at a distance, unit length; not on a foundation
    const float*     clamped;    ///< open: [N + 1][N + 1]
    uint32_t         item_count;
    const bend_item* items;
    const sup_vec3*  pressure; ///< [curve][N + 1]: EI X for a pascal; or on a foundation [curve][2 T + 1] terms
    const float*     weight;   ///< [N + 1] open, then [N + 1] closed: a unit force spread over a curve of unit length
    uint32_t         rows;     ///< N + 1, or 2 T + 1 if larger: of `pressure`
} bend_loads;

sup_result bend_loads_create(const sup_bind_input* in, const bend_params* p, const bend_net* net, sup_arena* arena,
                             bend_loads* out, sup_error* error);
/// Adds the items of a force on a region.
sup_result bend_region_create(const sup_bind_input* in, const bend_params* p, const bend_net* net, const sup_force* force,
                              uint32_t number, sup_arena* arena, bend_item* items, uint32_t* item_count, sup_error* error);

// bend_fixed.c ---------------------------------------------------------------------------------------------------------------

/// Points as sums of values: share x value, where either the share or the value is a vector.
typedef struct bend_mixing {
    uint32_t        count; ///< points
    const uint32_t* points;
    const uint32_t* begin; ///< count + 1
    const uint32_t* value;
    const float*    shares; ///< one per entry; `vectors`: four
    bool            vectors;
} bend_mixing;

/// Loads mapped to the skin at bind: a frame only sums them. Values are those of the items (vectors) and, in `pressure`, one
/// number per curve.
typedef struct bend_fixed {
    bool          ready;   ///< false: too much to keep, or the transfer is not linear
    bool          pressed; ///< includes the pressure
    bend_mixing   forces, pressure;
    const double* sigma; ///< per curve at bind; on a foundation neither they nor the stiffness may have changed
} bend_fixed;

// bend_shapes.c --------------------------------------------------------------------------------------------------------------

/// Weight of an example from a joint angle.
typedef struct bend_driver {
    uint32_t example, joint;
    double   from, to; ///< radians
} bend_driver;

/// Examples as force fields.
typedef struct bend_shapes {
    uint32_t            count;    ///< 0: none
    sup_segments        segments; ///< without section rotations
    sup_sections        sections; ///< those rotations, carried without a force like means
    sup_trust           trust;
    sup_beside          beside;
    const float* const* nodes;       ///< per example [N + 1][stride]: its displacement, less what is carried without a force
    const float* const* residual;    ///< the part carried without a force
    const float* const* slopes;      ///< monotone: per example three floats per point, per second
    const float* const* node_slopes; ///< likewise [N + 1][stride]
    uint32_t            driver_count;
    const bend_driver*  drivers;
} bend_shapes;

/// At most four in time, any number by joints.
enum { BEND_BLEND_MAX = 16 };
typedef struct bend_blend {
    uint32_t     count;
    const float* points[BEND_BLEND_MAX];   ///< three floats per point
    const float* nodes[BEND_BLEND_MAX];    ///< part with a force
    const float* residual[BEND_BLEND_MAX]; ///< part without, or NULL
    float        share[BEND_BLEND_MAX];
    uint32_t     turning; ///< how many of these rotate sections
    uint32_t     example[BEND_BLEND_MAX];
    float        turn[BEND_BLEND_MAX];
} bend_blend;

sup_result bend_shapes_create(const sup_bind_input* in, const bend_params* p, const bend_net* net, sup_arena* arena,
                              bend_shapes* out, sup_error* error);
/// `weights`: room for one per example.
bend_blend bend_shapes_at(const bend_shapes* shapes, const bend_params* p, const sup_character* character,
                          const sup_frame* frame, float* weights);

// bodies ---------------------------------------------------------------------------------------------------------------------

/// Bodies that may press, prepared at bind.
typedef struct bend_bodies {
    uint32_t                count;
    const struct bend_mesh* meshes;       ///< one per body
    size_t                  boxes;        ///< bytes of the boxes of all moving meshes
    float                   reach;        ///< minimum spread of a touch over the skin, units
    uint32_t                node_count;   ///< nodes that may be touched
    const uint32_t*         nodes;        ///< by curve
    const uint32_t*         curve_begin;  ///< curves + 1, into nodes
    const sup_vec3*         curve_center; ///< a ball around the nodes of each curve
    const float*            curve_radius;
} bend_bodies;

// a frame --------------------------------------------------------------------------------------------------------------------

/// Fills work->stations; work->turned says whether there are any.
struct bend_workspace;
void bend_shapes_turn(const bend_shapes* shapes, const bend_blend* blend, uint32_t point_count, struct bend_workspace* work);
/// Fills work->trust for this frame; call before the sections rotate.
void bend_shapes_trust(const bend_shapes* shapes, const bend_params* p, const sup_frame* frame, struct bend_workspace* work);

/// Modes that swing, of closed and open curves.
typedef struct bend_modes {
    uint32_t     count;            ///< K, 0: static
    const float *closed, *open;    ///< [N + 1][K], zero in the unused row
    const float *wave, *open_wave; ///< K: lambda, EI lambda / l^4 is the stiffness
} bend_modes;

typedef struct bend_bound {
    uint32_t             point_count;
    const sup_character* character;
    bend_net             net;
    bend_loads           loads;
    bend_fixed           fixed;
    bend_shapes          shapes;
    bend_modes           modes;
    bend_bodies          bodies;
    sup_push             push;
    sup_field            young, poisson, width, thickness, support, pressure; ///< over curves
    sup_field            strength;                                            ///< over points
    const double*        stiffness;                                           ///< EI per curve at bind
    bool                 framed;
} bend_bound;

/// The skin's material in this frame, per curve.
typedef struct bend_curve_now {
    double   stiffness; ///< EI, N m^2
    double   sigma;     ///< of the foundation, N per meter of curve and meter of displacement
    double   mass;      ///< kg / m
    sup_quat turn;      ///< from rest to the pose
} bend_curve_now;

/// Layout of scratch, in order.
typedef struct bend_workspace {
    sup_vec3*          q;
    float*             rows;   ///< [N + 1][stride]
    float*             target; ///< likewise
    float*             terms;  ///< [2 T + 1][stride]
    float*             sway;   ///< [N + 1][stride]: how far curves deviate from equilibrium
    bend_curve_now*    now;
    sup_quat*          turns;           ///< of the joints that rotate curves
    sup_vec3 *         moved, *centers; ///< frame form
    float*             weights;
    sup_station*       stations;
    void*              trust_scratch;
    sup_residual_trust trust;  ///< of points, then of stations: how far the examples are trusted in this frame
    bool               turned; ///< sections rotate in this frame, by the stations
    uint8_t*           moving; ///< per curve: whether any node of it moves
    float*             values; ///< four per value of the fixed loads
    struct bend_solid* solids;
    sup_box*           boxes; ///< of meshes that move
    void*              press;
    void*              push;
} bend_workspace;

bend_workspace bend_workspace_cut(const bend_bound* b, void* scratch, size_t* total);

/// Prepares the fixed part of the loads, for b with net, loads and material.
sup_result bend_fixed_create(const bend_params* p, bend_bound* b, sup_arena* arena, sup_error* error);
/// Whether the frame has only such loads, apart from bodies. Its material must be known.
bool bend_fixed_holds(const bend_bound* b, const bend_params* p, const bend_workspace* work);
/// All of q. False: nothing moves.
bool bend_fixed_apply(const bend_bound* b, const bend_params* p, const sup_frame* frame, const bend_workspace* work);

// bend_fields.c --------------------------------------------------------------------------------------------------------------

/// Material and loads that vary over the skin, as fields over the curves of b->net, and the material at bind.
sup_result bend_fields_create(const sup_bind_input* in, bend_bound* b, sup_arena* arena, sup_error* error);

/// Material of curve c under these parameters.
double bend_stiffness(const bend_bound* b, const bend_params* p, uint32_t curve);
/// Stiffness of the foundation, N / m^2.
double bend_support(const bend_bound* b, const bend_params* p, uint32_t curve);
void   bend_frame_material(const bend_bound* b, const bend_params* p, const sup_frame* frame, const bend_workspace* work);
/// The factor on the shape (or the terms) of an item.
sup_vec3 bend_item_value(const bend_bound* b, const bend_item* item, const sup_frame* frame, const bend_workspace* work);
/// The factor on the pressure of a curve.
float bend_pressure_value(const bend_bound* b, const bend_params* p, uint32_t curve, const bend_workspace* work);
/// Which curves move: work->moving. False: none.
bool bend_frame_moving(const bend_bound* b, const bend_workspace* work);
/// Equilibrium of the nodes under all loads of the frame, whose material must be known: rows, and the effect of the examples on
/// the nodes in `target` if asked for.
void bend_frame_still(const bend_bound* b, const bend_params* p, const sup_frame* frame, const bend_blend* blend,
                      uint32_t solids, const bend_workspace* work);

// bend_bodies.c --------------------------------------------------------------------------------------------------------------

/// A body of the frame, ready for queries.
typedef struct bend_solid {
    const sup_body* body;
    sup_vec3        a, b;   ///< the core of a ball or a capsule
    float           radius; ///< its radius; of a mesh half its thinnest side
    const sup_bvh*  tree;   ///< NULL: round
    const sup_box*  nodes;
    const sup_vec3* normals; ///< per point; NULL where they move
    sup_affine      back;    ///< to the mesh's own space
} bend_solid;

/// Prepares the meshes among the bodies. One without an inside cannot press: adds a note.
sup_result bend_bodies_create(const sup_bind_input* in, sup_arena* arena, bend_bodies* out, sup_error* error);
/// The size of a body where it presses, units.
float bend_bodies_radius(const bend_bodies* bodies, uint32_t body);
/// Fills work->solids with the bodies near the skin; returns how many.
uint32_t bend_solids_at(const bend_bodies* bodies, uint32_t point_count, const sup_frame* frame, const bend_workspace* work);
/// How deep a place is inside, and the direction out; 0: outside.
float bend_solid_depth(const bend_solid* solid, sup_vec3 place, sup_vec3* direction);

// bend_press.c ---------------------------------------------------------------------------------------------------------------

/// Which nodes may be touched, and how far a touch spreads.
sup_result bend_press_create(const bend_net* net, bend_bodies* bodies, sup_arena* arena, sup_error* error);
/// Size of work->press in bytes.
size_t bend_press_size(const bend_bound* b);
/// Adds the displacement of the nodes by pressing bodies.
void bend_press_nodes(const bend_bound* b, const sup_frame* frame, uint32_t solids, const bend_workspace* work);
/// Pushes out points that are still inside a body. Returns how many.
uint32_t bend_press_points(uint32_t solids, const bend_workspace* work, uint32_t count, sup_vec3* out);

// bend_sway.c ----------------------------------------------------------------------------------------------------------------

sup_result bend_modes_create(const bend_params* p, const bend_net* net, sup_arena* arena, bend_modes* out, sup_error* error);
size_t     bend_sway_size(const bend_bound* b);
/// One step of the state toward work->target (+ rows); adds the curves' lag to the rows.
void bend_sway_step(const bend_bound* b, const bend_params* p, double dt, const bend_workspace* work, double* state);
void bend_sway_reset(const bend_bound* b, const bend_params* p, const bend_workspace* work, double* state);

// bend_wide.c ----------------------------------------------------------------------------------------------------------------

/// rows[n][column] += sum over k of vectors[n][k] coefficients[k][column].
SUP_WIDE_DECLARE(void, bend_sum_terms,
                 (const float* vectors, uint32_t rows_count, uint32_t terms, const float* coefficients, uint32_t stride,
                  float* rows));
/// q[points[i]] += sum of share x values[value] (four floats each), for i from begin to end.
SUP_WIDE_DECLARE(void, bend_mix, (const bend_mixing* mix, const float* values, uint32_t begin, uint32_t end, sup_vec3* q));

#endif
