/// complete.h: what the user could type next. The scripts in apps/supple/completion call it.
#ifndef SUPPLE_APP_COMPLETE_H
#define SUPPLE_APP_COMPLETE_H

#include "options.h"

/// Takes the words after "supple", of which the last is being typed (empty: not begun). Prints one candidate per line, a tab
/// and its description; ":files" and ":folders" ask the shell for its own. Unreadable files give no candidates and no message.
int complete_words(const verb* verbs, uint32_t verb_count, int argc, char** argv);

#endif
