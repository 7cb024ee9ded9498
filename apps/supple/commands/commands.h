/// commands.h: one function per verb; each returns the exit code.
#ifndef SUPPLE_APP_COMMANDS_H
#define SUPPLE_APP_COMMANDS_H

#include "options.h"

int cmd_inspect(const options* o);
int cmd_bake(const options* o);
int cmd_render(const options* o);
int cmd_compare(const options* o);
int cmd_check(const options* o);
int cmd_weights(const options* o);
int cmd_fit(const options* o);
int cmd_deformers(const options* o);
int cmd_demo(const options* o);
int cmd_bench(const options* o);
int cmd_studio(const options* o);
int cmd_farm(const options* o);

/// Runs a verb and its words, as if the program had been started with them. `read` must be initialized, and then lists the
/// files read.
int run_words(int argc, char** argv, inputs* read);

#endif
