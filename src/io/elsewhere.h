/// io/elsewhere.h: ways around formats that we do not read or write.
#ifndef SUP_IO_ELSEWHERE_H
#define SUP_IO_ELSEWHERE_H

#include <stdbool.h>

/// What to do instead of reading or writing a file with that ending; NULL: no advice.
const char* sup_elsewhere_cure(const char* path, bool write);

#endif
