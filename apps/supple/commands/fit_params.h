/// fit_params.h: parameters of a chain learned from a truth.
#ifndef SUPPLE_APP_FIT_PARAMS_H
#define SUPPLE_APP_FIT_PARAMS_H

#include "options.h"

/// supple fit --deform CHAIN --truth FILE... --write PRESET.json [--params a,b] FILE. Every second frame is held out, to show
/// that the result holds for frames that the search has not seen.
int fit_params(const options* o);

#endif
