/// system/system.h: all that programs ask of the operating system, apart from threads. system.c is for POSIX, system_windows.c
/// for Windows. Paths are UTF-8. Functions that give an int answer with 0 or a number of errno.h.
#ifndef SUPPLE_SYSTEM_H
#define SUPPLE_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/// First of all: words as UTF-8, output without changes, errors instead of signals where a pipe closes or a file grows too
/// large.
void system_begin(int* argc, char*** argv);

double   system_seconds(void);     ///< of a clock that only runs forwards
double   system_cpu_seconds(void); ///< that processors have worked for this process
double   system_free_memory(void); ///< bytes
uint32_t system_cores(void);
void     system_pause(double seconds); ///< a signal may end it early
/// Bytes that nobody can guess. False: the system has none to give.
bool system_random(void* out, size_t size);
/// The path of this program. False: it cannot be told.
bool system_program(char* out, size_t size);
void system_cpu_name(char* out, size_t size);

/// Whether a person sees stderr and its lines can be written over.
bool system_shows_lines(void);
/// The handler is called once for Ctrl-C, a polite kill and a closed terminal, with the number of the signal.
void system_watch(void (*handler)(int number));
/// Both may be called in the handler.
void system_print(const char* text, size_t length);
void system_end_now(int code);
/// Shows an address in the person's browser. ENODEV: there is no display.
int system_open(const char* address);

/// Another program, run to its end within bounds.
typedef struct system_run {
    const char* const* words;     ///< the program's path first, NULL last
    const char*        folder;    ///< where it runs
    double             seconds;   ///< on the clock; then it is killed
    size_t             bytes_max; ///< of its standard output; then it is killed
    volatile long      child;     ///< its number while it runs, else 0: system_run_end ends it
    // The answer.
    int      code; ///< its exit code; -1: a signal ended it
    bool     late, large;
    uint8_t* out; ///< what it wrote to stdout, to be freed
    size_t   size;
    char     said[2048]; ///< the end of what it wrote to stderr
} system_run;

int  system_run_wait(system_run* run); ///< ENOSYS: not on this system
void system_run_end(const system_run* run);

typedef enum path_kind { PATH_FILE, PATH_FOLDER, PATH_OTHER } path_kind;
typedef struct path_info {
    path_kind kind;
    bool      writable;
    unsigned  rights;
    uint64_t  bytes;
    uint64_t  place[2]; ///< where it is on the disk: two names of one file have the same
} path_info;

int  path_look(const char* path, path_info* out); ///< ENOENT: there is nothing
bool path_is_folder(const char* path);
bool path_same(const path_info* a, const path_info* b);
bool path_parts(char c); ///< parts folders: / everywhere, \\ on Windows too
/// The name behind the folders.
const char* path_name(const char* path);
bool        path_is_absolute(const char* path);
/// Behind links; as it is where that cannot be told.
void  path_resolve(const char* path, char* out, size_t size);
int   path_make_folder(const char* path);
int   path_make_temporary(char* out, size_t size); ///< a new folder for files nobody keeps
void  path_remove_folder(const char* path);
int   path_make_new(const char* path); ///< an empty file. EEXIST: there is one
int   path_append(const char* path, const void* bytes, size_t size);
int   path_replace(const char* from, const char* to, const unsigned* rights); ///< rights NULL: as they are
int   path_link(const char* from, const char* to); ///< a second name of a file. EEXIST: there is one of that name
void  path_remove(const char* path);
FILE* path_open(const char* path, const char* mode);
int   path_shorten(FILE* file); ///< takes away what lies behind the place where it stands
int   path_seek(FILE* file, uint64_t place);
int   path_sync(FILE* file); ///< what was written survives a power cut
long  path_process(void);       ///< number of this process, for names nobody else takes

#endif
