/// boneless.h: bones for a mesh that has shapes but no skeleton.
#ifndef SUPPLE_APP_BONELESS_H
#define SUPPLE_APP_BONELESS_H

#include "common.h"

/// Gives a mesh without a skeleton but with --example or --truth one by a small fit: to the truth, to its own clip of points,
/// or to the examples. A note says so. Other characters stay unchanged.
int boneless_apply(const options* o, bool silent, sup_character** character);

#endif
