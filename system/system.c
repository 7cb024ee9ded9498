// The operating system, with POSIX.
#define _XOPEN_SOURCE 700 // realpath
#include "system/system.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

void system_begin(int* argc, char*** argv)
{
    (void)argc;
    (void)argv;
    // A closed pipe and a file over the user's size limit are errors to report, not reasons to die silently.
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

void system_pause(double seconds)
{
    struct timespec t = { (time_t)seconds, (long)(1e9 * (seconds - floor(seconds))) };
    nanosleep(&t, NULL);
}

bool system_random(void* out, size_t size)
{
    uint8_t* at = out;
    int      source = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    while (source >= 0 && size) {
        ssize_t got = read(source, at, size);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        at += got;
        size -= (size_t)got;
    }
    if (source >= 0) close(source);
    return source >= 0 && !size;
}

bool system_program(char* out, size_t size)
{
    ssize_t length = readlink("/proc/self/exe", out, size - 1);
    if (length <= 0 || (size_t)length >= size - 1) return false;
    out[length] = 0;
    return true;
}

// ---------------------------------------------------------------------------------------------- person

bool system_shows_lines(void) { return isatty(STDERR_FILENO); }

void system_watch(void (*handler)(int number))
{
    struct sigaction action = { 0 };
    action.sa_handler = handler;
    sigemptyset(&action.sa_mask);
    // One shot: a second Ctrl-C ends a program that does not react to the first.
    action.sa_flags = (int)SA_RESETHAND;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
}

void system_end_now(int code) { _exit(code); }

void system_print(const char* text, size_t length)
{
    if (write(STDERR_FILENO, text, length) < 0) return; // nobody is left to notify
}

// ---------------------------------------------------------------------------------------------- other programs

// Runs in the child: only async-signal-safe calls, because the parent may have threads. Returns only if the program did not
// start.
static void become(const char* const* words, const char* folder, int out, int err)
{
    int nothing = open("/dev/null", O_RDWR);
    setpgid(0, 0); // so that everything it starts can be killed with it
    signal(SIGPIPE, SIG_DFL);
    signal(SIGCHLD, SIG_DFL);
    if (dup2(nothing, STDIN_FILENO) < 0 || dup2(out < 0 ? nothing : out, STDOUT_FILENO) < 0 ||
        dup2(err < 0 ? nothing : err, STDERR_FILENO) < 0 || (folder && chdir(folder) != 0))
        _exit(127);
    execvp(words[0], (char* const*)words);
    _exit(127);
}

int system_open(const char* address)
{
    const char *screen = getenv("DISPLAY"), *other = getenv("WAYLAND_DISPLAY");
    if (!(screen && *screen) && !(other && *other)) return ENODEV;
    const char* words[] = { "xdg-open", address, NULL };
    pid_t       child = fork();
    if (child == 0) {
        // A grandchild, which nobody has to wait for. What it starts outlives us: it is the user's browser.
        pid_t opener = fork();
        if (opener == 0) become(words, NULL, -1, -1);
        _exit(opener < 0);
    }
    if (child < 0) return errno;
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {
    }
    return 0;
}

void system_run_end(const system_run* run)
{
    if (run->child > 0) kill(-(pid_t)run->child, SIGKILL);
}

/// Reads what is available; false at the end, or when there is too much.
static bool take_output(system_run* run, int from, size_t* capacity)
{
    if (run->size == *capacity) {
        size_t   more = *capacity ? 2 * *capacity : 1u << 16;
        uint8_t* out = run->size < run->bytes_max ? realloc(run->out, more < run->bytes_max ? more : run->bytes_max) : NULL;
        run->large = !out;
        if (!out) return false;
        run->out = out;
        *capacity = more < run->bytes_max ? more : run->bytes_max;
    }
    ssize_t got = read(from, run->out + run->size, *capacity - run->size);
    if (got < 0 && errno == EINTR) return true;
    if (got <= 0) return false;
    run->size += (size_t)got;
    return true;
}

/// Keeps the last part of its messages: the final sentence says why.
static bool take_words(system_run* run, int from)
{
    char    piece[512];
    ssize_t got = read(from, piece, sizeof piece);
    if (got < 0 && errno == EINTR) return true;
    if (got <= 0) return false;
    size_t held = strlen(run->said), capacity = sizeof run->said - 1, size = (size_t)got,
           drop = held + size > capacity ? held + size - capacity : 0;
    memmove(run->said, run->said + drop, held - drop);
    memcpy(run->said + held - drop, piece, size);
    run->said[held - drop + size] = 0;
    return true;
}

static void listen_to(system_run* run, int out, int err, double until)
{
    size_t capacity = 0;
    bool   more[2] = { true, true };
    while (more[0] || more[1]) {
        double left = until - system_seconds();
        run->late = left <= 0;
        if (run->late || run->large) break;
        struct pollfd ends[] = { { .fd = more[0] ? out : -1, .events = POLLIN },
                                 { .fd = more[1] ? err : -1, .events = POLLIN } };
        if (poll(ends, 2, (int)(1000 * left) + 1) <= 0) continue;
        if (ends[0].revents) more[0] = take_output(run, out, &capacity);
        if (ends[1].revents) more[1] = take_words(run, err);
    }
}

/// How it ended. A child that closed its output is about to exit, and gets the rest of its time for that.
static int reap(system_run* run, pid_t child, double until)
{
    int status = 0;
    while (!run->late && !run->large) {
        pid_t gone = waitpid(child, &status, WNOHANG);
        if (gone == child || (gone < 0 && errno != EINTR)) return status;
        poll(NULL, 0, 1);
        run->late = system_seconds() > until;
    }
    system_run_end(run);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

int system_run_wait(system_run* run)
{
    double until = system_seconds() + run->seconds;
    int    out[2] = { -1, -1 }, err[2] = { -1, -1 }, why = 0, status = 0;
    if (pipe(out) != 0 || pipe(err) != 0) why = errno;
    for (int i = 0; i < 2 && !why; i++) {
        fcntl(out[i], F_SETFD, FD_CLOEXEC);
        fcntl(err[i], F_SETFD, FD_CLOEXEC);
    }
    pid_t child = why ? -1 : fork();
    if (child == 0) become(run->words, run->folder, out[1], err[1]);
    if (child < 0 && !why) why = errno;
    if (out[1] >= 0) close(out[1]);
    if (err[1] >= 0) close(err[1]);
    if (!why) {
        setpgid(child, child); // whichever comes first
        run->child = child;
        listen_to(run, out[0], err[0], until);
        status = reap(run, child, until);
        run->child = 0;
        run->code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }
    if (out[0] >= 0) close(out[0]);
    if (err[0] >= 0) close(err[0]);
    return why;
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

int path_link(const char* from, const char* to) { return link(from, to) == 0 ? 0 : errno; }

int path_replace(const char* from, const char* to, const unsigned* rights)
{
    if (rights) chmod(from, (mode_t)*rights);
    return rename(from, to) == 0 ? 0 : errno;
}

FILE* path_open(const char* path, const char* mode) { return fopen(path, mode); }

int path_shorten(FILE* file)
{
    off_t place = ftello(file);
    return fflush(file) == 0 && place >= 0 && ftruncate(fileno(file), place) == 0 ? 0 : errno;
}

int path_seek(FILE* file, uint64_t place) { return fseeko(file, (off_t)place, SEEK_SET) == 0 ? 0 : errno; }
int path_sync(FILE* file) { return fflush(file) == 0 && fsync(fileno(file)) == 0 ? 0 : errno; }
