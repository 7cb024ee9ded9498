/// limits.h: --max-volume-loss, --max-error, --max-intersections and --max-stretch: what turns a measurement into a verdict.
#ifndef SUPPLE_APP_LIMITS_H
#define SUPPLE_APP_LIMITS_H

#include "commands/options.h"
#include "supple/base.h"

/// INFINITY where there is none.
typedef struct limits {
    double volume_loss;   ///< a fraction, positive
    double error;         ///< in file units
    double intersections; ///< pairs of triangles
    double stretch;       ///< the ratio of an edge's lengths, from 1 up
} limits;

/// Reads the four flags; a percentage of --max-error is one of the diagonal. Says what is wrong with EXIT_USAGE.
int limits_read(const options* o, double diagonal, limits* out);

/// The limits that were broken, as sentences.
typedef struct verdict {
    sup_arena* arena;
    char*      text; ///< newline-separated; NULL: none
} verdict;

/// Whether a limit is exceeded, or a number beats another as the worst: what is not a number is worse than any.
bool worse_than(double value, double other);

/// Says it as an error, and keeps it for the report.
void verdict_add(verdict* v, const char* format, ...) SUP_FORMAT(2, 3);

#endif
