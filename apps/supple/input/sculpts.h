/// sculpts.h: --example T=FILE: sculpts at times of the clip, replacing those in the file; --keys: truth as sculpts.
#ifndef SUPPLE_APP_EXAMPLES_H
#define SUPPLE_APP_EXAMPLES_H

#include "clip_timing.h"
#include "truth.h"

/// Checks what can be checked before a file is read: the times, and that the files exist.
int examples_flags(const options* o);
/// Reads them and adds them to the character. Times in frames count from the motion's start at its rate; a time within half a
/// millisecond of an output frame is that frame.
int examples_apply(const options* o, const motion* m, sup_character* character);
/// Adds every N-th truth mesh, and the last, as examples too (--keys N). The truth is loaded and has one mesh per frame.
int examples_from_truth(const options* o, const motion* m, const truth_set* t, sup_character* character);

#endif
