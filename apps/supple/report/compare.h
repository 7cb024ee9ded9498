/// compare.h: the results of `compare`, and its three reports.
#ifndef SUPPLE_APP_COMPARE_H
#define SUPPLE_APP_COMPARE_H

#include "chain_measure.h"
#include "limits.h"

typedef struct comparison {
    const options* o;
    measure_job    job;
    limits         limits;
    uint32_t       count;
    measured*      chains;
    double         rest_intersections; ///< INFINITY: more than can be counted
    const char*    verdict; ///< exceeded limits, newline-separated, in the arena; NULL: none
} comparison;

/// Writes --html. Prints what is wrong.
int compare_write_html(const comparison* c, const char* path, sup_arena* arena);

#endif
