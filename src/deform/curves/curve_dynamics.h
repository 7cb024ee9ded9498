/// deform/curves/curve_dynamics.h: sculpts with curves that swing between them. What `beam` and `fourier` both bind, and the
/// stages of a frame that both run in the same order:
///     begin      which examples count now, with which shares, and how far they are trusted
///     examples   q = the residuals of these examples                                (the link's: sup_residual_blend)
///     sway       q += what the link computes from the modes' coefficients           (sup_curve_frame_sway)
///     fade       where examples are not trusted, q fades with them
///     forces     q += the effect of known forces                                    (sup_curve_frame_forces)
///     end        sections are rotated back, strength, and from the rest frame onto the skin
/// Links differ in their modes, in what their curves make of coefficients, and in what a point takes from the curves.
#ifndef SUP_DEFORM_CURVES_CURVE_DYNAMICS_H
#define SUP_DEFORM_CURVES_CURVE_DYNAMICS_H

#include "base/scratch_layout.h"
#include "deform/curves/curve_forces.h"
#include "deform/curves/residual.h"

extern const char* const sup_curve_continuities[]; ///< of sup_continuity
extern const char* const sup_curve_laws[];         ///< of sup_curve_law

/// How damping grows with the frequency of a mode.
typedef enum sup_curve_law { SUP_LAW_UNIFORM, SUP_LAW_MASS, SUP_LAW_STIFFNESS } sup_curve_law;

/// The first member of what such a link binds.
typedef struct sup_curve_dynamics {
    uint32_t         point_count;
    const sup_param* strength_row;
    sup_field        strength;
    sup_segments     segments;
    sup_sections     sections;
    sup_trust        trust;
    sup_beside       beside;
    sup_modal        modal;
    sup_curve_forces forces;
} sup_curve_dynamics;

// bind ------------------------------------------------------------------------------------------------------------------------

/// The examples; none are needed where curves are only drawn, or pushed by forces. `strength`: index of that row. `lean`: as in
/// sup_segments_create_as.
sup_result sup_curve_dynamics_begin(const sup_bind_input* in, const char* who, const sup_param* rows, uint32_t strength,
                                    bool lean, sup_arena* arena, sup_curve_dynamics* out, sup_error* error);
/// Removes section rotations of at least `angle` radians (0: removes nothing), and binds trust.
sup_result sup_curve_dynamics_trust(const sup_bind_input* in, const sup_curves* curves, float angle, sup_ramp ramp,
                                    sup_arena* arena, sup_curve_dynamics* d, sup_error* error);

/// Oscillators of a link and the examples expressed in its modes, while they are built. Lists are in `beside`.
typedef struct sup_mode_maker {
    const sup_bind_input* in;
    const char*           who;
    sup_curve_dynamics*   d;
    sup_arena *           arena, *beside;
    sup_error*            error;
    double                unit;  ///< seconds per unit of the oscillators
    uint32_t              modes; ///< found so far
    sup_oscillator*       free;
    uint32_t*             begin;
    double**              shape; ///< per example: its coefficients
} sup_mode_maker;

/// Room for at most `most` modes.
sup_result sup_mode_maker_begin(const sup_bind_input* in, const char* who, uint32_t most, sup_arena* arena,
                                sup_curve_dynamics* d, sup_mode_maker* out, sup_error* error);
/// A mode of the free swing: `stiffness` relative to the lowest mode's, which swings `cycles` times per unit.
sup_oscillator sup_mode_oscillator(float cycles, float damping, int law, double stiffness, sup_ramp ramp);
/// Room for the examples' coefficients, once all modes are known.
sup_result sup_mode_maker_shapes(sup_mode_maker* m);
/// How the modes move from example to example. `hold`: seconds that an example lasts (continuity AUTO); 0: until the next.
sup_result sup_mode_maker_modal(sup_mode_maker* m, int ramp, int continuity, float hold);
/// The forces on the curves; then frees the memory used to bind, even after a failure (`so_far`).
sup_result sup_mode_maker_end(sup_mode_maker* m, const sup_curve_forced* on, sup_result so_far);

/// Bytes of state: none if time drives.
size_t sup_curve_state_size(const sup_curve_dynamics* d);
/// `poses_beside_the_way` for tables of conditions.
extern const sup_condition sup_curve_conditions[];

// a frame ---------------------------------------------------------------------------------------------------------------------

/// After the last example the displacement keeps growing.
typedef enum sup_curve_growth { SUP_GROWTH_NONE, SUP_GROWTH_STATIC, SUP_GROWTH_DYNAMIC } sup_curve_growth;

typedef struct sup_curve_frame {
    const sup_curve_dynamics* d;
    const sup_frame*          frame;
    sup_modal_moment          at;
    sup_residual              residual;
    sup_residual_trust        trusted;
    // In scratch.
    sup_vec3*    q;            ///< displacements in the rest frame; padded
    float*       coefficients; ///< of the modes
    float*       weights[2];   ///< of examples if the pose drives: at the start of the step, and at its end
    sup_station* stations;
    void *       trust, *push;
} sup_curve_frame;

/// Adds the frame's arrays to a layout; a link adds its own after them.
void sup_curve_frame_cut(const sup_curve_dynamics* d, sup_layout* layout, sup_curve_frame* out);
/// After the cut: where the frame is in time or pose.
void sup_curve_frame_begin(sup_curve_frame* f, const sup_frame* frame, bool trust, sup_curve_growth growth);
/// Coefficients of the current lag and ringing. False: none.
bool sup_curve_frame_sway(const sup_curve_frame* f, void* state, bool settle);
/// Fades q where the examples are not trusted.
void sup_curve_frame_fade(const sup_curve_frame* f);
/// Coefficients of the current effect of known forces. False: there are none.
bool sup_curve_frame_forces(const sup_curve_frame* f);
/// Rotates the sections back, scales by strength, and writes the skin.
void sup_curve_frame_end(const sup_curve_frame* f, float strength, sup_vec3* out);
/// The state at the first pose.
void sup_curve_frame_reset(const sup_curve_dynamics* d, const sup_frame* frame, void* state, void* scratch);

#endif
