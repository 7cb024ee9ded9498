/// skeletons.h: a skeleton from any file put under a mesh, and weights made for it.
#ifndef SUPPLE_APP_SKELETONS_H
#define SUPPLE_APP_SKELETONS_H

#include "common.h"
#include "supple/rig.h"

/// Gives the character the joints of --skeleton (or, without the flag, its own) and automatic weights. The character may be
/// replaced. NULL options: defaults. Prints notes unless `silent`; `out` may be NULL.
int skeleton_weigh(const options* o, const sup_auto_weights_options* how, bool silent, sup_character** character,
                   sup_auto_weights* out);

#endif
