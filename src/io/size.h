/// io/size.h: characters whose size says that their unit is wrong.
#ifndef SUP_IO_SIZE_H
#define SUP_IO_SIZE_H

#include "supple/io.h"

/// Sets size_factor where a file's character is smaller or larger than characters are, and warns with the flag to set.
sup_result sup_size_judge(sup_character* character, const sup_allocator* allocator, sup_error* error);

#endif
