/// sculpts.h: --example T=FILE: sculpts at times of the clip, in place of those that the file brings; --keys: truth as sculpts.
#ifndef SUPPLE_APP_EXAMPLES_H
#define SUPPLE_APP_EXAMPLES_H

#include "clip_timing.h"
#include "truth.h"

/// What can be judged before a file is read: the times, and that the files are there.
int examples_flags(const options* o);
/// Reads them and gives them to the character. Times in frames count from the motion's start at its rate; a time within half a
/// millisecond of an output frame is that frame.
int examples_apply(const options* o, const motion* m, sup_character* character);
/// Every N-th truth mesh, and the last, as examples too (--keys N). The truth is loaded and has one mesh a frame.
int examples_from_truth(const options* o, const motion* m, const truth_set* t, sup_character* character);

#endif
