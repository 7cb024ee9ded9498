/// fallbacks.h: the counters of frames, in words.
#ifndef SUPPLE_APP_FALLBACKS_H
#define SUPPLE_APP_FALLBACKS_H

#include "supple/base.h"

/// The sentence about a fallback that users must know. False: a counter for machines, or one that a note already explained.
bool fallback_text(const char* name, uint64_t times, char* text, size_t size);

#endif
