/// io/elsewhere.h: the way around formats of other programs that we do not know.
#ifndef SUP_IO_ELSEWHERE_H
#define SUP_IO_ELSEWHERE_H

#include <stdbool.h>

/// What to do instead of reading or writing a file of that ending; NULL: nothing is known of it.
const char* sup_elsewhere_cure(const char* path, bool write);

#endif
