/// deform/curves/trust_internal.h: what binding and evaluating trust share.
#ifndef SUP_DEFORM_CURVES_TRUST_INTERNAL_H
#define SUP_DEFORM_CURVES_TRUST_INTERNAL_H

#include "deform/curves/trust.h"

/// Radians squared: a joint with a shorter path between two poses also considers its neighbors.
#define WAY_OWN 0.3f

/// Layout of scratch, in order.
typedef struct trust_workspace {
    float*          away;       ///< [pose][turn]: squared distances from the current pose
    sup_trust_sums *own, *sums; ///< [mover]
    float *         score, *share, *shift;
} trust_workspace;

/// Squared distance of two poses of a joint, in rotation and slide.
double trust_distance2(const sup_turns* turns, uint32_t joint, uint32_t from, uint32_t to);
/// Squared distance of a pose from a path in radians, averaged over all turns.
float trust_whole_off(const sup_trust* trust, uint32_t path, const float* away);
/// n, l and G of every mover: the sums over its turns and, where these have a short path between the poses, also means over the
/// neighboring movers.
void trust_sum_movers(const sup_trust* trust, uint32_t path, const trust_workspace* work);

#endif
