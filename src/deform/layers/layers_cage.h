/// deform/layers/layers_cage.h: a cage in the place of the mesh.
#ifndef SUP_DEFORM_LAYERS_CAGE_H
#define SUP_DEFORM_LAYERS_CAGE_H

#include "deform/layers/layers.h"

typedef struct layers_cage {
    sup_cage        cage;    ///< point_count 0: none, the mesh carries the tissue itself
    sup_bind_input  input;   ///< as the cage sees it; without one, as it was given
    const uint32_t* nearest; ///< per cage point: the point of the mesh that has the most to say
} layers_cage;

/// As the parameter `cage` says.
sup_result layers_cage_create(const sup_bind_input* in, sup_arena* arena, sup_arena* temporary, layers_cage* out,
                              sup_error* error);
/// After its points are bound: how the mesh rides on them.
sup_result layers_cage_ride(const sup_bind_input* in, const layers_cage* cage, sup_arena* arena, layers_bound* b,
                            sup_error* error);

#endif
