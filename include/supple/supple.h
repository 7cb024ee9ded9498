/// supple/supple.h: everything. Programs that care about compile time include the headers they use.
#ifndef SUPPLE_SUPPLE_H
#define SUPPLE_SUPPLE_H

#include "supple/base.h"
#include "supple/check.h"
#include "supple/deformer.h"
#include "supple/io.h"
#include "supple/io_extra.h"
#include "supple/json.h"
#include "supple/metrics.h"
#include "supple/rig.h"
#include "supple/scene.h"

#endif
