/// fallbacks.h: what was counted inside frames, in words for people.
#ifndef SUPPLE_APP_FALLBACKS_H
#define SUPPLE_APP_FALLBACKS_H

#include "supple/base.h"

/// The sentence about a fallback that a person must know. False: it is a counter for machines, or a note said it before.
bool fallback_text(const char* name, uint64_t times, char* text, size_t size);

#endif
