/// compare.h: what `compare` gathered, and its three ways of telling.
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
    const char*    verdict; ///< limits that were broken, newline-separated, in the arena; NULL: none
} comparison;

/// Writes --html. Says what is wrong.
int compare_write_html(const comparison* c, const char* path, sup_arena* arena);

#endif
