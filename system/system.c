// The operating system, by POSIX.
#define _XOPEN_SOURCE 700 // realpath
#include "system/system.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

void system_begin(int* argc, char*** argv)
{
    (void)argc;
    (void)argv;
    // A closed pipe and a file over the user's limit are errors to report, not reasons to vanish.
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
}

// ---------------------------------------------------------------------------------------------- machine

static double seconds_of(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double system_seconds(void) { return seconds_of(CLOCK_MONOTONIC); }
double system_cpu_seconds(void) { return seconds_of(CLOCK_PROCESS_CPUTIME_ID); }
double system_free_memory(void) { return (double)sysconf(_SC_AVPHYS_PAGES) * (double)sysconf(_SC_PAGESIZE); }

uint32_t system_cores(void)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 0 ? (uint32_t)cores : 1;
}

void system_cpu_name(char* out, size_t size)
{
    snprintf(out, size, "unknown");
    FILE* file = fopen("/proc/cpuinfo", "r");
    char  line[256];
    while (file && fgets(line, sizeof line, file)) {
        char* value = strstr(line, ": ");
        if (strncmp(line, "model name", 10) != 0 || !value) continue;
        value[strcspn(value, "\n")] = 0;
        snprintf(out, size, "%s", value + 2);
        break;
    }
    if (file) fclose(file);
}

// ---------------------------------------------------------------------------------------------- person

bool system_shows_lines(void) { return isatty(STDERR_FILENO); }

void system_watch(void (*handler)(int number))
{
    struct sigaction action = { 0 };
    action.sa_handler = handler;
    sigemptyset(&action.sa_mask);
    // One shot: a second Ctrl-C ends a program that does not listen.
    action.sa_flags = (int)SA_RESETHAND;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
}

void system_end_now(int code) { _exit(code); }

void system_say(const char* text, size_t length)
{
    if (write(STDERR_FILENO, text, length) < 0) return; // nobody is left to tell
}

// ---------------------------------------------------------------------------------------------- paths

int path_look(const char* path, path_info* out)
{
    struct stat info;
    if (stat(path, &info) != 0) return errno;
    *out = (path_info){ .kind = S_ISDIR(info.st_mode)   ? PATH_FOLDER
                                : S_ISREG(info.st_mode) ? PATH_FILE
                                                        : PATH_OTHER,
                        .writable = access(path, W_OK) == 0,
                        .rights = info.st_mode & 0777,
                        .bytes = (uint64_t)info.st_size,
                        .place = { (uint64_t)info.st_dev, (uint64_t)info.st_ino } };
    return 0;
}

bool path_parts(char c) { return c == '/'; }
bool path_is_absolute(const char* path) { return path[0] == '/'; }

void path_resolve(const char* path, char* out, size_t size)
{
    char real[PATH_MAX];
    snprintf(out, size, "%s", realpath(path, real) ? real : path);
}

int  path_make_folder(const char* path) { return mkdir(path, 0777) == 0 ? 0 : errno; }
void path_remove_folder(const char* path) { rmdir(path); }
void path_remove(const char* path) { unlink(path); }
long path_process(void) { return (long)getpid(); }

int path_make_temporary(char* out, size_t size)
{
    const char* place = getenv("TMPDIR");
    snprintf(out, size, "%s/supple-XXXXXX", place && place[0] ? place : "/tmp");
    return mkdtemp(out) ? 0 : errno;
}

int path_make_new(const char* path)
{
    int handle = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (handle < 0) return errno;
    close(handle);
    return 0;
}

int path_append(const char* path, const void* bytes, size_t size)
{
    const char* at = bytes;
    int         handle = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (handle < 0) return errno;
    while (size) {
        ssize_t done = write(handle, at, size);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) {
            int why = errno;
            close(handle);
            return why;
        }
        at += done;
        size -= (size_t)done;
    }
    return close(handle) == 0 ? 0 : errno;
}

int path_replace(const char* from, const char* to, const unsigned* rights)
{
    if (rights) chmod(from, (mode_t)*rights);
    return rename(from, to) == 0 ? 0 : errno;
}

FILE* path_open(const char* path, const char* mode) { return fopen(path, mode); }
