/// deform/layers/layers_limits.h: limits that keep a character intact at any setting.
#ifndef SUP_DEFORM_LAYERS_LIMITS_H
#define SUP_DEFORM_LAYERS_LIMITS_H

#include "deform/layers/layers_run.h"

/// Tissue softer than this share of stiffness 1 is a liquid: nothing defines the skin's place.
#define LAYERS_SOFTEST 0.04f
/// A bone layer that follows the skeleton by less than this share per round is thrown from end to end of its lag.
#define LAYERS_LOOSEST 0.05f
/// How far a crease gives way beyond the tether, in distances to the bone, where skinning squeezes its flesh to half.
#define LAYERS_CREASE_REACH 0.8f

/// Replaces the requested values by the ones in use.
layers_params layers_limit(const layers_params* asked);
/// Adds a note for each bind value that is limited.
void layers_note_limits(const sup_bind_input* in);
/// Fills b->tether_least for every point.
sup_result layers_bind_limits(sup_arena* arena, layers_bound* b, sup_error* error);
/// Rounds of strain relaxation per round of the solver: the same number per step, however it is divided.
int layers_strain_rounds(const layers_run* r);
/// Keeps a bone layer that lags (coupling below 1) within reach of the skeleton's position and rotation.
void layers_bind_lag(layers_run* r, uint32_t k);

#endif
