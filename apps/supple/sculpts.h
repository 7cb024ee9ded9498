/// sculpts.h: --example: shapes that the skin should have at times of the clip; and bones for a mesh that has none.
#ifndef SUPPLE_APP_SCULPTS_H
#define SUPPLE_APP_SCULPTS_H

#include "common.h"

/// Puts the shapes of --example into the character, in place of the file's own. A mesh without a skeleton first gets a small
/// one by a fit: to --truth, to its own clip of points, or to the examples; a note says so.
int sculpts_apply(const options* o, bool silent, sup_character** character);

#endif
