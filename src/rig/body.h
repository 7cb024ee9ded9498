/// rig/body.h: which joint is which part of a body, told from names and parents.
#ifndef SUP_RIG_BODY_H
#define SUP_RIG_BODY_H

#include "supple/base.h"

/// What a joint is to a body. Limbs have a side; the spine and the neck may have several joints.
typedef enum body_role {
    ROLE_NONE,
    ROLE_HIPS,
    ROLE_SPINE,
    ROLE_NECK,
    ROLE_HEAD,
    ROLE_SHOULDER,
    ROLE_UPPER_ARM,
    ROLE_LOWER_ARM,
    ROLE_HAND,
    ROLE_UPPER_LEG,
    ROLE_LOWER_LEG,
    ROLE_FOOT,
    ROLE_TOE,
    ROLE_COUNT,
} body_role;

enum { SIDE_LEFT, SIDE_RIGHT, SIDE_NONE };
enum { BODY_CHAIN_MAX = 16 };

/// Any skeleton: parents come before their children.
typedef struct body_skeleton {
    uint32_t           count;
    const char* const* names;
    const uint32_t*    parents;
    const bool*        eligible; ///< joints that may get a role
} body_skeleton;

typedef struct body_map {
    uint32_t hips, head;
    uint32_t spine_count, neck_count;
    uint32_t spine[BODY_CHAIN_MAX], neck[BODY_CHAIN_MAX]; ///< from the hips up
    uint32_t limbs[2][ROLE_COUNT];                        ///< by side; SUP_NONE where there is none
} body_map;

/// A joint whose role is known from elsewhere.
typedef struct body_fixed {
    uint32_t joint;
    int      role, side; ///< ROLE_NONE: it has none, whatever its name says
} body_fixed;

/// Fills *out as far as names and parents allow; hips is SUP_NONE where nothing was recognized. Fails only without memory.
sup_result body_find(const body_skeleton* skeleton, const body_fixed* fixed, uint32_t fixed_count, sup_arena* scratch,
                     body_map* out, sup_error* error);
/// Whether a joint's name is that of a finger's: which side, which finger (0 thumb to 4 little), which joint of it (from 1).
bool body_finger_of(const char* name, int* side, int* finger, int* number);
/// The role and side of a joint within the map.
body_role body_role_of(const body_map* map, uint32_t joint, int* side);
/// Whether `above` is the joint itself or stands above it.
bool body_is_above(const uint32_t* parents, uint32_t above, uint32_t joint);

#endif
