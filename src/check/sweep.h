/// check/sweep.h: how far each joint bends and twists.
#ifndef SUP_CHECK_SWEEP_H
#define SUP_CHECK_SWEEP_H

#include "supple/check.h"

/// The sweeps of every joint in the list: over what the clips do, or 120 degrees of bend and 150 of twist both ways where they
/// do nothing, or where `full`.
sup_result sup_sweeps_make(const sup_character* character, bool full, const uint32_t* joints, uint32_t count, sup_arena* arena,
                           sup_joint_sweeps* out, sup_error* error);

#endif
