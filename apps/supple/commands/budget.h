/// budget.h: how exact or how small a GLB must be, from flags; and the report on it, for people and machines.
#ifndef SUPPLE_APP_BUDGET_H
#define SUPPLE_APP_BUDGET_H

#include "options.h"
#include "supple/io.h"

/// Reads --max-error, --rms-error and --max-size. *given is set if there is one. EXIT_USAGE after a message.
int budget_read(const options* o, const sup_character* character, sup_bake_budget* out, bool* given);
/// Prints the method, the errors and the bytes to stdout; with `tries`, every try.
void budget_print(const sup_bake_report* report, const sup_character* character, bool tries);
/// The same for --json; NULL: out of memory.
sup_json* budget_describe(const sup_bake_report* report, const sup_character* character, sup_arena* arena);

#endif
