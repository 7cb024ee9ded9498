/// deform/layers/layers_limits.h: what keeps a character whole at any setting.
#ifndef SUP_DEFORM_LAYERS_LIMITS_H
#define SUP_DEFORM_LAYERS_LIMITS_H

#include "deform/layers/layers_run.h"

/// Tissue that is softer than this share of stiffness 1 is a liquid: nothing tells the skin where its place is.
#define LAYERS_SOFTEST 0.04f
/// A bone layer that follows the skeleton less than this share of the way a round is thrown from end to end of its lag.
#define LAYERS_LOOSEST 0.05f
/// By so many distances to the bone a crease gives way beyond the tether, where skinning squeezes its flesh to half.
#define LAYERS_CREASE_REACH 0.8f

/// The values that are used for those that were asked for.
layers_params layers_limit(const layers_params* asked);
/// A note for each value of the binding that is limited.
void layers_note_limits(const sup_bind_input* in);
/// b->tether_least of every point.
sup_result layers_bind_limits(sup_arena* arena, layers_bound* b, sup_error* error);
/// Rounds in which strained edges grow back, of each round of the solver: as many in a step however it is divided.
int layers_strain_rounds(const layers_run* r);
/// A bone layer that lags behind (coupling below 1) stays within reach of the skeleton, and is turned about as it is.
void layers_bind_lag(layers_run* r, uint32_t k);

#endif
