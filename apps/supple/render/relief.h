/// relief.h: shading normals of folds that are too fine for the points of a mesh.
#ifndef SUPPLE_APP_RELIEF_H
#define SUPPLE_APP_RELIEF_H

#include "supple/deformer.h"

typedef struct relief {
    const sup_vec3* rest;
    const sup_vec3* points;
    sup_ripple*     ripples; ///< `count` for each point
    uint32_t        count;   ///< 0: there are none
} relief;

/// How the weights of a triangle's second and third corner change to the next sample of a picture, along a row and along
/// a column.
typedef struct relief_step {
    float second[2], third[2];
} relief_step;

/// Allocates the ripples of an instance in the arena.
sup_result relief_begin(const sup_instance* instance, const sup_mesh* mesh, const sup_vec3* points, sup_arena* arena,
                        relief* out, sup_error* error);
/// Call after every evaluation of the instance.
void relief_show(const sup_instance* instance, void* scratch, relief* r);
/// The normal at a place of a triangle, tilted by the waves there, but for those that the samples cannot show. normal: unit,
/// smooth; it may face either side.
sup_vec3 relief_normal(const relief* r, const uint32_t points[3], const float weights[3], const relief_step* step,
                       sup_vec3 normal);

#endif
