/// progress.h: long work on a terminal, and the user's wish to stop.
#ifndef SUPPLE_APP_PROGRESS_H
#define SUPPLE_APP_PROGRESS_H

#include "supple/base.h"

/// Seconds of a clock that only runs forwards.
double now_seconds(void);

/// What is said when work ends before its time, by whether a file of it was finished.
#define STOPPED_WORDS "stopped before the end; nothing was written"
#define STOPPED_LATER_WORDS "stopped before the end; the files that were finished stay"

/// From here on Ctrl-C, a polite kill and a closed terminal end the program at once where no file is open for writing: reading,
/// binding and fitting need not listen. Where one is they only raise a flag, so that the work can clean up behind itself.
void interrupts_watch(void);
/// Before a file is opened for writing, and after it has its name or is gone. They nest.
void interrupts_hold(void);
void interrupts_release(void);
/// A file has its name while more of the work is to come: from here on the words are the other ones.
void        interrupts_kept(void);
const char* interrupts_words(void);
/// The number of the signal that asked to stop, 0 when none did.
int interrupts_signal(void);

/// A bar with the time left on stderr. Silent when stderr is no terminal, when asked to be quiet, and for short work.
typedef struct progress {
    sup_progress sink; ///< hand this to the library; false (cancel) once the user has interrupted
    const char*  label;
    bool         quiet, visible, drawn;
    double       begin, shown_at;
    double       from, share; ///< the piece of the bar that the library's 0..1 covers
    bool         notes;       ///< show what the library says it does, behind the bar
    char         note[80];
    char         text[64]; ///< for a label that changes
} progress;

void progress_begin(progress* p, const char* label, bool quiet);
/// What the following reports cover, as fractions of the whole bar.
void progress_span(progress* p, double from, double to);
/// True to go on.
bool progress_report(progress* p, double fraction);
/// A note in between: the bar makes room for it. Nothing when quiet.
void progress_note(progress* p, const char* text);
/// Clears the line.
void progress_end(progress* p);

#endif
