/// rig/retarget/joint_names.h: what a joint's name says.
#ifndef SUP_RIG_RETARGET_JOINT_NAMES_H
#define SUP_RIG_RETARGET_JOINT_NAMES_H

#include "rig/retarget/body.h"

enum { JOINT_AFFIX_MAX = 6, JOINT_AFFIX_BYTES = 32 };

/// Words that most names of a rig begin or end with: "Bob_", "Bip001 ", "CC_Base_", "_jnt".
typedef struct joint_affix {
    bool     behind;
    uint32_t count;
    char     words[JOINT_AFFIX_MAX][JOINT_AFFIX_BYTES]; ///< from the outside in
} joint_affix;

typedef struct joint_name {
    body_role role; ///< ROLE_NONE: not a word for a part of a body
    int       side;
    uint8_t   rank; ///< the lower wins if two joints of one side claim a role
} joint_name;

/// The words that more than half of the names share, before [0] and after [1].
void joint_names_shared(const char* const* names, const bool* wanted, uint32_t count, joint_affix out[2]);
/// shared: NULL if the other names are unknown.
joint_name joint_name_read(const char* name, const joint_affix shared[2]);

#endif
