/// deform/layers/layers_anatomy.h: what is firm up to the skin.
#ifndef SUP_DEFORM_LAYERS_ANATOMY_H
#define SUP_DEFORM_LAYERS_ANATOMY_H

#include "deform/layers/layers_run.h"

/// Times the stiffness of 1 with which firm tissue keeps its place over the bone: at 30 g it gives by a third of a millimetre.
#define LAYERS_FIRM 3.0f

/// b->firm of every point, b->joint_firm of every joint, and a note that names the joints. in: with the character itself, b is
/// that of its cage where there is one (NULL: none).
sup_result layers_bind_anatomy(const sup_bind_input* in, const sup_cage* cage, sup_arena* arena, sup_arena* temporary,
                               layers_bound* b, sup_error* error);
/// Of a point, for the substeps to come. unit: the stiffness of 1, 1 / s^2.
void layers_set_firmness(layers_run* r, uint32_t k, float unit);
/// What of a bulge is asked of the part around a joint.
float layers_firm_bulge(const layers_run* r, uint32_t joint, float bulge);

#endif
