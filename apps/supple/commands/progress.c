// The progress bar and the interrupt flag.
#include "progress.h"

#include "report/report.h"
#include "system/system.h"

#include <signal.h>
#include <stdio.h>

// Shorter work shows no bar: one that flashes by is only distracting.
static const double QUIET_SECONDS = 0.5;
static const double REDRAW_SECONDS = 0.1;

double now_seconds(void) { return system_seconds(); }

// The only globals of the program: a signal handler has no other way to communicate.
static volatile sig_atomic_t received_signal, files_open, files_kept, bar_drawn;

// Nothing is half-written, so the program ends here, however long the work would take. Uses only functions that are safe in a
// signal handler.
static void end_at_once(int number)
{
    static const char cleared[] = "\r\033[K", words[] = "supple: error: " STOPPED_WORDS "\n";
    static const char later[] = "supple: error: " STOPPED_LATER_WORDS "\n";
    if (bar_drawn) system_print(cleared, sizeof cleared - 1);
    if (files_kept) system_print(later, sizeof later - 1);
    else system_print(words, sizeof words - 1);
    system_end_now(128 + number);
}

static void remember_signal(int number)
{
    received_signal = number;
    if (files_open == 0) end_at_once(number);
}

void interrupts_hold(void) { files_open++; }
void interrupts_release(void) { files_open--; }

void        interrupts_kept(void) { files_kept = 1; }
const char* interrupts_words(void) { return files_kept ? STOPPED_LATER_WORDS : STOPPED_WORDS; }

void interrupts_watch(void) { system_watch(remember_signal); }

int interrupts_signal(void) { return received_signal; }

static void draw(progress* p, double done, double elapsed)
{
    enum { WIDTH = 30 };
    char bar[WIDTH + 1];
    int  filled = (int)(done * WIDTH);
    for (int i = 0; i < WIDTH; i++) bar[i] = i < filled ? '#' : '.';
    bar[WIDTH] = 0;
    fprintf(stderr, "\r\033[K%s [%s] %3.0f %%", p->label, bar, 100.0 * done);
    double left = done > 0.02 ? elapsed * (1.0 - done) / done : -1.0; // earlier estimates are noise
    if (left >= 90.0) fprintf(stderr, "  %.0f min left", left / 60.0);
    else if (left >= 0.0) fprintf(stderr, "  %.0f s left", left);
    if (p->notes && p->note[0]) fprintf(stderr, "  %s", p->note);
    fflush(stderr);
}

bool progress_report(progress* p, double fraction)
{
    double done = p->from + p->share * (fraction < 0.0 ? 0.0 : fraction > 1.0 ? 1.0 : fraction);
    double now = now_seconds();
    if (p->visible && now - p->begin > QUIET_SECONDS && now - p->shown_at > REDRAW_SECONDS) {
        draw(p, done, now - p->begin);
        p->shown_at = now;
        bar_drawn = 1;
        p->drawn = true;
    }
    return received_signal == 0;
}

static bool report_from_library(void* user, double fraction, const char* what)
{
    progress* p = user;
    if (p->notes && what) snprintf(p->note, sizeof p->note, "%s", what);
    return progress_report(p, fraction);
}

void progress_begin(progress* p, const char* label, bool quiet)
{
    *p = (progress){ .label = label, .quiet = quiet, .visible = !quiet && system_shows_lines(), .begin = now_seconds(), .share = 1.0 };
    p->sink = (sup_progress){ report_from_library, p };
}

void progress_span(progress* p, double from, double to)
{
    p->from = from;
    p->share = to - from;
}

static void clear_line(progress* p)
{
    if (p->drawn) fputs("\r\033[K", stderr);
    bar_drawn = 0;
    p->drawn = false;
}

void progress_note(progress* p, const char* text)
{
    clear_line(p);
    if (!p->quiet) report_note("%s", text);
}

void progress_end(progress* p)
{
    clear_line(p);
    p->visible = false;
}
