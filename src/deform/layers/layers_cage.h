/// deform/layers/layers_cage.h: a cage in place of the mesh.
#ifndef SUP_DEFORM_LAYERS_CAGE_H
#define SUP_DEFORM_LAYERS_CAGE_H

#include "deform/layers/layers.h"

typedef struct layers_cage {
    sup_cage        cage;    ///< point_count 0: no cage; the mesh carries the tissue itself
    sup_bind_input  input;   ///< as the cage sees it; without a cage, the original
    const uint32_t* nearest; ///< per cage point: the mesh point with the largest share
} layers_cage;

/// As the parameter `cage` asks.
sup_result layers_cage_create(const sup_bind_input* in, sup_arena* arena, sup_arena* temporary, layers_cage* out,
                              sup_error* error);
/// Call after the cage's points are bound: how the mesh rides on them.
sup_result layers_cage_ride(const sup_bind_input* in, const layers_cage* cage, sup_arena* arena, layers_bound* b,
                            sup_error* error);

#endif
