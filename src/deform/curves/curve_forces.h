/// deform/curves/curve_forces.h: known forces of the world on the curves of a link whose modes are oscillators (`beam`,
/// `fourier`).
#ifndef SUP_DEFORM_CURVES_CURVE_FORCES_H
#define SUP_DEFORM_CURVES_CURVE_FORCES_H

#include "deform/curves/curve_link.h"
#include "deform/curves/modal.h"

/// What a link provides about its curves.
typedef struct sup_curve_forced {
    const char*       who;
    const sup_curves* curves;
    const void*       link;
    /// Share of a force in every mode of its curve; returns the number of entries, at most `most`. They come zeroed.
    uint32_t (*enter)(const void* link, const sup_force* force, uint32_t curve, sup_modal_entry* out);
    uint32_t most;
    /// The skin point whose joint rotates the curve: forces that are not local rotate against it.
    uint32_t (*under)(const void* link, uint32_t curve);
} sup_curve_forced;

typedef struct sup_curve_forces {
    uint32_t               count;
    const sup_modal_force* forces;
    const uint32_t*        curves; ///< the curve of each
} sup_curve_forces;

/// Solves all forces on curves over their keys. None: a count of 0.
sup_result sup_curve_forces_create(const sup_bind_input* in, const sup_curve_forced* on, const sup_modal* modal,
                                   sup_arena* arena, sup_curve_forces* out, sup_error* error);

#endif
