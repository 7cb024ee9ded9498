/// deform/curves/trust_internal.h: what binding trust and asking it share.
#ifndef SUP_DEFORM_CURVES_TRUST_INTERNAL_H
#define SUP_DEFORM_CURVES_TRUST_INTERNAL_H

#include "deform/curves/trust.h"

/// Radians squared: a joint that goes a shorter path between two poses looks at those beside it too.
#define WAY_OWN 0.3f

/// Pieces of scratch, in order.
typedef struct trust_workspace {
    float*          away;       ///< [pose][turn]: squared distances from the present pose
    sup_trust_sums *own, *sums; ///< [mover]
    float *         score, *share, *shift;
} trust_workspace;

/// Squared: how far a joint turns and slides from one of the poses to another.
double trust_distance2(const sup_turns* turns, uint32_t joint, uint32_t from, uint32_t to);
/// Squared radians, in the mean over all turns, that a pose lies beside a path.
float trust_whole_off(const sup_trust* trust, uint32_t path, const float* away);
/// n, l and G of every mover: the sums over its turns, and where these go a short path between the poses, means over the movers
/// beside it as well.
void trust_sum_movers(const sup_trust* trust, uint32_t path, const trust_workspace* work);

#endif
