/// amounts.h: numbers with units, as people write them: 1mm, 2MB, 90s.
#ifndef SUPPLE_APP_AMOUNTS_H
#define SUPPLE_APP_AMOUNTS_H

#include "options.h"

#include <stddef.h>

typedef struct unit_row {
    const char* name;
    double      value;
} unit_row;

/// Reads a positive number followed by one of the units. False: it is not one.
bool amount_read(const char* text, const unit_row* units, size_t count, double* value, const unit_row** unit);
/// Reads a flag's size in bytes, or its time in seconds; *out is unchanged if the flag is absent. EXIT_USAGE after a message.
int amount_size(const options* o, flag_id id, double min, double max, double* out);
int amount_time(const options* o, flag_id id, double min, double max, double* out);

#endif
