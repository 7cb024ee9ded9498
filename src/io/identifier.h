/// io/identifier.h: names for objects of a file whose names must be unique words.
#ifndef SUP_IO_IDENTIFIER_H
#define SUP_IO_IDENTIFIER_H

#include <stdint.h>

enum { SUP_IDENTIFIER = 80 };

/// Letters, digits and underscores of the name (or of `otherwise` if it is empty), with a number appended if it is taken.
void sup_identifier(const char* name, const char* otherwise, const char (*taken)[SUP_IDENTIFIER], uint32_t count,
                    char out[SUP_IDENTIFIER]);

#endif
