/// boneless.h: bones for a mesh that brings shapes and no skeleton.
#ifndef SUPPLE_APP_BONELESS_H
#define SUPPLE_APP_BONELESS_H

#include "common.h"

/// A mesh without a skeleton but with --example or --truth gets one by a small fit: to the truth, to its own clip of points, or to
/// the examples. A note says so. Anything else stays as it is.
int boneless_apply(const options* o, bool silent, sup_character** character);

#endif
