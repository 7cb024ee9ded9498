/// geom/volume/volumes_label.h: which triangles of a body belong to the volume around which joint.
///
/// A triangle goes to the bone that moves it most, and from there to one of its ends, by the side of a plane that its centroid
/// is on; so only triangles of the two bones at a plane can change sides. The result is the input of sup_volumes_create, which
/// closes every part.
#ifndef SUP_GEOM_VOLUME_VOLUMES_LABEL_H
#define SUP_GEOM_VOLUME_VOLUMES_LABEL_H

#include "geom/volume/volumes.h"

/// A straight piece of a joint, in rest space; `child` SUP_NONE for a tail.
typedef struct sup_label_bone {
    uint32_t joint, child;
    sup_vec3 head, tail;
} sup_label_bone;

/// Where the planes between parts stand.
typedef enum sup_label_cut {
    SUP_CUT_MIDDLES, ///< across the middle of each bone: one part around each joint, where volume is lost
    SUP_CUT_ENDS,    ///< across the joints: one part along each bone (Deul and Bender 2013)
} sup_label_cut;

typedef struct sup_label_desc {
    uint32_t        point_count;
    const sup_vec3* points; ///< at rest
    uint32_t        triangle_count;
    const uint32_t* triangles;

    uint32_t              joint_count; ///< parents before children
    const uint32_t*       parents;     ///< SUP_NONE for roots
    const bool*           skin_joints; ///< others count as the skin joint above them
    uint32_t              bone_count;  ///< bones of one joint are adjacent, joints rising
    const sup_label_bone* bones;

    const uint32_t* begin; ///< point_count + 1: weights, as in sup_weights
    const uint32_t* joints;
    const float*    values;

    sup_label_cut cut;
    const float*  shares; ///< per bone: how far along it the plane of SUP_CUT_MIDDLES stands; NULL: 0.5
    uint32_t      fewest; ///< parts of fewer triangles join the one above; 0: 30
    /// Parts that touch although neither is cut from the other (both thighs at the groin, fingers in the palm, collar bones at
    /// the breast bone) become one with all that lies between them: such a border is no cross-section, and volume would only
    /// slosh across it.
    bool merge;
} sup_label_desc;

/// Parts in the order of their joints.
typedef struct sup_labels {
    uint32_t        part_count;
    const uint32_t* labels;      ///< part of each triangle
    const uint32_t* part_joints; ///< the uppermost joint of each
    const uint32_t* part_sizes;  ///< triangles
    const uint32_t* joint_parts; ///< per joint: the part it is in; SUP_NONE: none
    const uint32_t* parents; ///< as in sup_volumes_desc: the part it is cut from, where, and the joint that carries that place
    const sup_vec3* cut_points;
    const uint32_t* cut_carriers;
} sup_labels;

sup_result sup_volumes_label(const sup_label_desc* desc, sup_arena* arena, sup_labels* out, sup_error* error);

#endif
