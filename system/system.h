/// system/system.h: everything that programs need from the operating system, apart from threads. system.c is for POSIX,
/// system_windows.c for Windows. Paths are UTF-8. Functions that return int return 0 or an errno value.
#ifndef SUPPLE_SYSTEM_H
#define SUPPLE_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/// Call first: sets up words as UTF-8, output without conversion, and errors instead of signals when a pipe closes or a file
/// grows too large.
void system_begin(int* argc, char*** argv);

double   system_seconds(void);     ///< of a monotonic clock
double   system_cpu_seconds(void); ///< CPU time of this process
double   system_free_memory(void); ///< bytes
uint32_t system_cores(void);
void     system_pause(double seconds); ///< a signal may interrupt it
/// Random bytes that nobody can guess. False: the system provides none.
bool system_random(void* out, size_t size);
/// The path of this program. False: unknown.
bool system_program(char* out, size_t size);
void system_cpu_name(char* out, size_t size);

/// Whether stderr is a terminal whose lines can be overwritten.
bool system_shows_lines(void);
/// The handler is called once for Ctrl-C, a termination request, and a closed terminal, with the signal's number.
void system_watch(void (*handler)(int number));
/// Both are safe in the handler.
void system_print(const char* text, size_t length);
void system_end_now(int code);
/// Opens an address in the user's browser. ENODEV: there is no display.
int system_open(const char* address);

/// Another program, run to its end within limits.
typedef struct system_run {
    const char* const* words;     ///< the program's path first, NULL last
    const char*        folder;    ///< working directory
    double             seconds;   ///< wall-clock limit; then it is killed
    size_t             bytes_max; ///< limit of its standard output; then it is killed
    volatile long      child;     ///< its process id while it runs, else 0: for system_run_end
    // The result.
    int      code; ///< its exit code; -1: a signal ended it
    bool     late, large;
    uint8_t* out; ///< its stdout; the caller frees it
    size_t   size;
    char     said[2048]; ///< the end of its stderr
} system_run;

int  system_run_wait(system_run* run); ///< ENOSYS: not on this system
void system_run_end(const system_run* run);

typedef enum path_kind { PATH_FILE, PATH_FOLDER, PATH_OTHER } path_kind;
typedef struct path_info {
    path_kind kind;
    bool      writable;
    unsigned  rights;
    uint64_t  bytes;
    uint64_t  place[2]; ///< its identity on the disk: the same for two names of one file
} path_info;

int  path_look(const char* path, path_info* out); ///< ENOENT: it does not exist
bool path_is_folder(const char* path);
bool path_same(const path_info* a, const path_info* b);
bool path_parts(char c); ///< separates folders: / everywhere, also \\ on Windows
/// The part of the path after its folders.
const char* path_name(const char* path);
bool        path_is_absolute(const char* path);
/// Resolves links; leaves the path as it is if that fails.
void  path_resolve(const char* path, char* out, size_t size);
int   path_make_folder(const char* path);
int   path_make_temporary(char* out, size_t size); ///< a new temporary folder
void  path_remove_folder(const char* path);
int   path_make_new(const char* path); ///< creates an empty file. EEXIST: it exists
int   path_append(const char* path, const void* bytes, size_t size);
int   path_replace(const char* from, const char* to, const unsigned* rights); ///< rights NULL: unchanged
int   path_link(const char* from, const char* to); ///< a hard link. EEXIST: the name is taken
void  path_remove(const char* path);
FILE* path_open(const char* path, const char* mode);
int   path_shorten(FILE* file); ///< removes everything after the read position
int   path_seek(FILE* file, uint64_t place);
int   path_sync(FILE* file); ///< flushes to disk, to survive a power failure
long  path_process(void);       ///< id of this process, for unique names

#endif
