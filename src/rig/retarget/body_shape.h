/// rig/retarget/body_shape.h: which joint is which part of a body by the shape of the tree and the places of its joints.
#ifndef SUP_RIG_RETARGET_BODY_SHAPE_H
#define SUP_RIG_RETARGET_BODY_SHAPE_H

#include "rig/retarget/joint_names.h"

typedef struct body_shape {
    bool         found; ///< two legs at least
    float        score; ///< higher is more like a body
    body_map     map;
    body_finger* fingers; ///< of each joint
    bool         faces;   ///< feet, knees or names told which way it faces; otherwise the sides are a guess
} body_shape;

/// Two similar chains down to the ground are legs; two similar ones aside and above are arms, and what joins the two pairs is
/// the spine; what continues upward is neck and head. Bones are recognized by their lengths: the two longest consecutive ones
/// are thigh and shin, or upper arm and forearm. names: what they say about sides wins. barred: joints that may have no role;
/// NULL: none.
sup_result body_shape_find(const body_skeleton* skeleton, const joint_name* names, const bool* barred, sup_arena* scratch,
                           body_shape* out, sup_error* error);

#endif
