/// supple/metrics.h: numbers about skin.
#ifndef SUPPLE_METRICS_H
#define SUPPLE_METRICS_H

#include "supple/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Signed volume enclosed by the triangles, positive when they face outwards, summed in double in fixed order. Measured
/// from the mean of the points: exact for a closed mesh; a hole counts as if it were closed towards that mean.
SUP_API double sup_metric_volume(const sup_mesh* mesh, const sup_vec3* points);
/// Largest ratio of a deformed to its rest edge length, or of rest to deformed where it shrank. Edges of zero rest length
/// do not count. 1 when nothing is stretched.
SUP_API double sup_metric_stretch(const sup_mesh* mesh, const sup_vec3* points);

#ifdef __cplusplus
}
#endif
#endif
