/// fit_params.h: parameters of a chain learned from a truth.
#ifndef SUPPLE_APP_FIT_PARAMS_H
#define SUPPLE_APP_FIT_PARAMS_H

#include "options.h"

/// supple fit --deform CHAIN --truth FILE... --write PRESET.json [--params a,b] FILE. Every second frame is held out, to show
/// that what was learned holds for frames that were never looked at.
int fit_params(const options* o);

#endif
