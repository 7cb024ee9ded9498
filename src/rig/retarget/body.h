/// rig/retarget/body.h: which joint is which part of a body, by names, and by the shape of the skeleton where these fail.
#ifndef SUP_RIG_RETARGET_BODY_H
#define SUP_RIG_RETARGET_BODY_H

#include "supple/base.h"

/// The role of a joint in a body. Limbs have a side; the spine and the neck may have several joints.
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
    const sup_vec3*    places;   ///< at rest; NULL: only names decide
    const sup_vec3*    tips;     ///< where the skin of a joint without children ends; NULL: unknown
    const bool*        idle;     ///< neither they nor their descendants move anything: ends of chains; NULL: none
    sup_vec3           up;       ///< as far as known: binds may lie in another space than the mesh; zero: unknown
} body_skeleton;

/// How the role of a joint was found.
typedef enum body_how {
    BODY_UNKNOWN,
    BODY_TOLD,  ///< given by the caller
    BODY_NAME,  ///< by its name
    BODY_SHAPE, ///< guessed by its place in the skeleton
} body_how;

/// A joint of a finger: 0 thumb to 4 little; number: from 1, 0 if it is not a finger.
typedef struct body_finger {
    int8_t side, finger, number;
    bool   guessed;
} body_finger;

typedef struct body_map {
    uint32_t     hips, head;
    uint32_t     spine_count, neck_count;
    uint32_t     spine[BODY_CHAIN_MAX], neck[BODY_CHAIN_MAX]; ///< from the hips up
    uint32_t     limbs[2][ROLE_COUNT];                        ///< by side; SUP_NONE where there is none
    uint8_t*     how;                                         ///< body_how of each joint
    body_finger* fingers;                                     ///< of each joint
    bool         faces;                                       ///< false: nothing told left from right, so sides are a guess
    bool         four_legs;                                   ///< the shape has a second pair of legs
} body_map;

/// A joint whose role is already known.
typedef struct body_fixed {
    uint32_t joint;
    int      role, side; ///< ROLE_NONE: it has none, whatever its name
} body_fixed;

/// Fills *out as far as names, parents and places allow; hips is SUP_NONE if nothing was recognized. Fails only when out of
/// memory.
sup_result body_find(const body_skeleton* skeleton, const body_fixed* fixed, uint32_t fixed_count, sup_arena* scratch,
                     body_map* out, sup_error* error);
/// Whether a joint is named like a finger: which side, which finger (0 thumb to 4 little), which joint of it (from 1).
bool body_finger_of(const char* name, int* side, int* finger, int* number);
/// The map of a body without joints.
body_map body_map_none(void);
/// The role and side of a joint within the map.
body_role body_role_of(const body_map* map, uint32_t joint, int* side);
/// "left upper leg", "spine", "right index finger 2"; "" for a joint without a role.
const char* body_role_text(const body_map* map, uint32_t joint, char* text, size_t capacity);
/// Whether `above` is the joint itself or one of its ancestors.
bool body_is_above(const uint32_t* parents, uint32_t above, uint32_t joint);

#endif
