/// complete.h: what a shell could write next. The scripts in apps/supple/completion ask for it.
#ifndef SUPPLE_APP_COMPLETE_H
#define SUPPLE_APP_COMPLETE_H

#include "options.h"

/// The words behind "supple", of which the last is being written (empty: not yet begun). Prints one candidate a line, a tab and
/// what it is; ":files" and ":folders" ask the shell for its own. Files that cannot be read give none, and nothing is said.
int complete_words(const verb* verbs, uint32_t verb_count, int argc, char** argv);

#endif
