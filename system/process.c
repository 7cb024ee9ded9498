// Worker processes with POSIX. Killing them with their parent, and finding out when a process began, needs Linux; elsewhere
// workers finish their task, and a process id is trusted.
#define _GNU_SOURCE // prctl
#include "system/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

enum { WORKERS_MAX = 1024 };
static const double GROWN = 64e6; // memory growth in bytes after which a worker is not reused

typedef struct answer {
    int    code, last;
    double cpu, memory;
} answer;

int process_prepare(void) { return 0; }

// ---------------------------------------------------------------------------------------------- worker

static void die_with_parent(pid_t parent)
{
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (getppid() != parent) _exit(1); // the parent died first
}

static void limit(int what, double value)
{
    struct rlimit bounds = { (rlim_t)value, (rlim_t)value };
    setrlimit(what, &bounds);
}

static bool read_all(int from, void* out, size_t size)
{
    for (char* at = out; size;) {
        ssize_t got = read(from, at, size);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        at += got;
        size -= (size_t)got;
    }
    return true;
}

static int write_all(int to, const void* bytes, size_t size)
{
    for (const char* at = bytes; size;) {
        ssize_t put = write(to, at, size);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return errno ? errno : EIO;
        at += put;
        size -= (size_t)put;
    }
    return 0;
}

static double seconds_of(const struct rusage* u)
{
    return (double)(u->ru_utime.tv_sec + u->ru_stime.tv_sec) + 1e-6 * (double)(u->ru_utime.tv_usec + u->ru_stime.tv_usec);
}

static void measure(answer* out)
{
    struct rusage own, others;
    getrusage(RUSAGE_SELF, &own);
    getrusage(RUSAGE_CHILDREN, &others);
    out->cpu = seconds_of(&own) + seconds_of(&others);
    out->memory = 1024.0 * (double)(own.ru_maxrss > others.ru_maxrss ? own.ru_maxrss : others.ru_maxrss);
}

void process_log(const char* path)
{
    int log = open(path ? path : "/dev/null", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (log < 0) log = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (log < 0 || dup2(log, STDERR_FILENO) < 0) _exit(1);
    close(log);
}

static void serve(const process_desc* desc, int from, int to)
{
    answer first, before;
    measure(&first);
    for (;;) {
        size_t size;
        answer now;
        void*  message = read_all(from, &size, sizeof size) ? malloc(size + 1) : NULL;
        if (!message || !read_all(from, message, size)) _exit(0);
        measure(&before);
        int code = desc->work(message, size);
        free(message);
        fflush(NULL);
        measure(&now);
        now.code = code;
        now.last = code != 0 || now.memory - first.memory > GROWN;
        now.cpu -= before.cpu;
        if (write_all(to, &now, sizeof now) != 0 || now.last) _exit(0);
    }
}

static void become(const process_desc* desc, pid_t parent, const process_worker* workers, uint32_t count, int from, int to)
{
    setpgid(0, 0);
    die_with_parent(parent);
    for (uint32_t i = 0; i < count; i++) // otherwise other workers would keep these pipes open
        if (workers[i].child) close(workers[i].to), close(workers[i].from);
    limit(RLIMIT_CORE, 0);
    if (desc->bytes_max > 0) limit(RLIMIT_AS, desc->bytes_max);
    int nothing = open("/dev/null", O_RDWR);
    if (dup2(nothing, STDIN_FILENO) < 0 || dup2(fileno(desc->out), STDOUT_FILENO) < 0) _exit(1);
    close(nothing);
    serve(desc, from, to);
}

// ---------------------------------------------------------------------------------------------- parent

int process_start(const process_desc* desc, process_worker* workers, uint32_t count, uint32_t index)
{
    int ends[4] = { -1, -1, -1, -1 }, why = 0;
    if (count > WORKERS_MAX) return EAGAIN;
    fflush(NULL); // or the worker would print it a second time
    if (pipe(ends) != 0 || pipe(ends + 2) != 0) why = errno;
    for (int i = 0; i < 4 && !why; i++) fcntl(ends[i], F_SETFD, FD_CLOEXEC);
    pid_t parent = getpid(), made = why ? -1 : fork();
    if (made == 0) {
        close(ends[1]);
        close(ends[2]);
        become(desc, parent, workers, count, ends[0], ends[3]);
    }
    if (made < 0 && !why) why = errno;
    if (ends[0] >= 0) close(ends[0]);
    if (ends[3] >= 0) close(ends[3]);
    if (why) {
        if (ends[1] >= 0) close(ends[1]);
        if (ends[2] >= 0) close(ends[2]);
        return why;
    }
    setpgid(made, made); // whichever comes first
    workers[index] = (process_worker){ made, ends[1], ends[2] };
    return 0;
}

int process_send(const process_worker* worker, const void* message, size_t size)
{
    int why = write_all(worker->to, &size, sizeof size);
    return why ? why : write_all(worker->to, message, size);
}

// How it ended; kills what it left running.
static int reap(process_worker* worker)
{
    int status = 0;
    close(worker->to);
    close(worker->from);
    while (waitpid((pid_t)worker->child, &status, 0) < 0 && errno == EINTR) {
    }
    kill(-(pid_t)worker->child, SIGKILL);
    worker->child = 0;
    return status;
}

void process_dismiss(process_worker* worker)
{
    if (worker->child) reap(worker);
}

static void take_answer(process_worker* worker, process_end* out)
{
    answer now = { 0 };
    bool   answered = read_all(worker->from, &now, sizeof now);
    out->code = answered ? now.code : -1;
    out->cpu = now.cpu;
    out->memory = now.memory;
    if (answered && !now.last) return;
    if (!answered) process_kill(worker, true); // it has died or closed its pipe, which is the same here
    int status = reap(worker);
    if (!answered && WIFSIGNALED(status)) out->signal = WTERMSIG(status);
}

bool process_wait(process_worker* workers, uint32_t count, double seconds, process_end* out)
{
    struct pollfd ends[WORKERS_MAX];
    for (uint32_t i = 0; i < count; i++)
        ends[i] = (struct pollfd){ .fd = workers[i].child ? workers[i].from : -1, .events = POLLIN };
    if (poll(ends, count, (int)(1000 * seconds) + 1) <= 0) return false;
    for (uint32_t i = 0; i < count; i++) {
        if (!ends[i].revents) continue;
        *out = (process_end){ .worker = i };
        take_answer(&workers[i], out);
        return true;
    }
    return false;
}

void process_kill(const process_worker* worker, bool at_once)
{
    if (worker->child) kill(-(pid_t)worker->child, at_once ? SIGKILL : SIGTERM);
}

void process_host(char* out, size_t size)
{
    char    name[256] = "host", space[64] = "";
    ssize_t length = readlink("/proc/self/ns/pid", space, sizeof space - 1);
    if (gethostname(name, sizeof name - 1) != 0) name[0] = 0;
    space[length > 0 ? length : 0] = 0;
    snprintf(out, size, "%s %s", name, space);
}

uint64_t process_born(long process)
{
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%ld/stat", process);
    FILE* file = fopen(path, "r");
    if (!file) return kill((pid_t)process, 0) == 0 || errno == EPERM ? path_is_folder("/proc/self") ? 0 : 1 : 0;
    size_t got = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[got] = 0;
    // The name may contain spaces and parentheses; after it, the state is field 3 and the start time field 22.
    char* at = strrchr(text, ')');
    for (int field = 2; at && field < 22; field++) at = strchr(at + 1, ' ');
    return at && !strstr(text, ") Z ") ? strtoull(at + 1, NULL, 10) : 0;
}
