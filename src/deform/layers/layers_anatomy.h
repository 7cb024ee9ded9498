/// deform/layers/layers_anatomy.h: tissue that is firm up to the skin.
#ifndef SUP_DEFORM_LAYERS_ANATOMY_H
#define SUP_DEFORM_LAYERS_ANATOMY_H

#include "deform/layers/layers_run.h"

/// Firm tissue keeps its place over the bone with this many times the stiffness of 1: at 30 g it gives by a third of a
/// millimetre.
#define LAYERS_FIRM 3.0f

/// Fills b->firm for every point and b->joint_firm for every joint, and adds a note that names the joints. in: the character
/// itself; b belongs to its cage if there is one (NULL: none).
sup_result layers_bind_anatomy(const sup_bind_input* in, const sup_cage* cage, sup_arena* arena, sup_arena* temporary,
                               layers_bound* b, sup_error* error);
/// Of a point, for the coming substeps. unit: the stiffness of 1, 1 / s^2.
void layers_set_firmness(layers_run* r, uint32_t k, float unit);
/// The share of a bulge that is asked of the part around a joint.
float layers_firm_bulge(const layers_run* r, uint32_t joint, float bulge);

#endif
