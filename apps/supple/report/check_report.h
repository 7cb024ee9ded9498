/// check_report.h: the page of `supple check --html`.
#ifndef SUPPLE_APP_CHECK_H
#define SUPPLE_APP_CHECK_H

#include "commands/options.h"
#include "supple/check.h"

/// Writes --html for the first `top` joints. Prints what is wrong.
int check_write_html(const sup_checkup* c, const options* o, uint32_t top, const char* verdict_text, const char* path,
                     sup_arena* arena);

#endif
