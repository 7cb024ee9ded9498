/// limits.h: --max-volume-loss, --max-error, --max-intersections and --max-stretch, which turn measurements into a verdict.
#ifndef SUPPLE_APP_LIMITS_H
#define SUPPLE_APP_LIMITS_H

#include "commands/options.h"
#include "supple/base.h"

/// INFINITY if absent.
typedef struct limits {
    double volume_loss;   ///< a fraction, positive
    double error;         ///< in file units
    double intersections; ///< pairs of triangles
    double stretch;       ///< the ratio of an edge's lengths, from 1 up
} limits;

/// Reads the four flags; a percentage of --max-error is one of the diagonal. Prints what is wrong with EXIT_USAGE.
int limits_read(const options* o, double diagonal, limits* out);

/// The exceeded limits, as sentences.
typedef struct verdict {
    sup_arena* arena;
    char*      text; ///< newline-separated; NULL: none
} verdict;

/// Whether a limit is exceeded, or a number is the new worst: NaN is worse than anything.
bool worse_than(double value, double other);

/// Prints it as an error, and keeps it for the report.
void verdict_add(verdict* v, const char* format, ...) SUP_FORMAT(2, 3);

#endif
