/// progress.h: long work on a terminal, and stopping it.
#ifndef SUPPLE_APP_PROGRESS_H
#define SUPPLE_APP_PROGRESS_H

#include "supple/base.h"

/// Seconds of a monotonic clock.
double now_seconds(void);

/// Printed when work is interrupted, by whether one of its files was finished.
#define STOPPED_WORDS "stopped before the end; nothing was written"
#define STOPPED_LATER_WORDS "stopped before the end; the files that were finished stay"

/// From here on SIGINT, SIGTERM and SIGHUP end the program at once while no file is open for writing: reading, binding and
/// fitting need no checks. While one is open they only set a flag, so that the work can clean up.
void interrupts_watch(void);
/// Call before a file is opened for writing, and after it is renamed or removed. They nest.
void interrupts_hold(void);
void interrupts_release(void);
/// A file is finished while more work is to come: changes the message on interruption.
void        interrupts_kept(void);
const char* interrupts_words(void);
/// The number of the signal that asked to stop, 0 if none did.
int interrupts_signal(void);

/// A bar with the remaining time on stderr. Silent if stderr is not a terminal, with --quiet, and for short work.
typedef struct progress {
    sup_progress sink; ///< pass this to the library; returns false (cancel) once the user has interrupted
    const char*  label;
    bool         quiet, visible, drawn;
    double       begin, shown_at;
    double       from, share; ///< the piece of the bar that the library's 0..1 covers
    bool         notes;       ///< show the library's activity after the bar
    char         note[80];
    char         text[64]; ///< for a label that changes
} progress;

void progress_begin(progress* p, const char* label, bool quiet);
/// The range of the whole bar, as fractions, that the following reports cover.
void progress_span(progress* p, double from, double to);
/// Returns true to continue.
bool progress_report(progress* p, double fraction);
/// Prints a note above the bar, unless quiet.
void progress_note(progress* p, const char* text);
/// Clears the line.
void progress_end(progress* p);

#endif
