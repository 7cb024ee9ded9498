/// manual.h: the pages of the manual, from the tables of verbs and flags.
#ifndef SUPPLE_APP_MANUAL_H
#define SUPPLE_APP_MANUAL_H

#include "options.h"

/// Prints supple(1), or the page of the verb that the one word names, as man source.
int manual_page(const verb* verbs, uint32_t verb_count, int argc, char** argv);

#endif
