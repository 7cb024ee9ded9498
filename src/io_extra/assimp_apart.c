// Runs assimp in a process of its own. It was written for trusted files: a damaged one makes it read outside its buffers, or
// allocate without end. A process with limits on memory and time cannot harm the one that started it; what comes back over a
// pipe is a document, which our own reader checks like any other.
#include "io_extra/assimp.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// Limits for a file: far beyond what any valid one of its size needed, and reached within seconds by a damaged one.
enum { SECONDS = 4, SECONDS_PER_MEGABYTE = 4 };
// The wall-clock limit is this many times as long, for busy machines. A process that is stopped, or waits for a lost disk, uses
// no processor time at all.
enum { CLOCK_PER_SECOND = 20 };
enum { ASK_MILLISECONDS = 100 }; // between two checks for cancellation
static const size_t memory_least = (size_t)1 << 30, memory_per_byte = 100;
// Sanitizers map many terabytes of shadow memory, which makes a limit meaningless.
static const size_t memory_huge = (size_t)1 << 40;

enum { MAGIC = 0x41505553, UNIT_ASSUMED = 1, UP_ASSUMED = 2, WORDS_MAX = 1 << 16 };

/// Precedes the notes (an error's text, or 0-terminated warnings), the JSON text and the binary.
typedef struct answer {
    uint32_t magic, result, flags, warnings;
    uint64_t words, json, binary;
    double   unit;
} answer;

static uint32_t seconds_for(size_t size) { return SECONDS + SECONDS_PER_MEGABYTE * (uint32_t)(size >> 20); }

// ---------------------------------------------------------------------------------------------- the child

/// Address space of this process, 0: not known.
static size_t memory_now(void)
{
    char    text[64] = "";
    int     file = open("/proc/self/statm", O_RDONLY);
    ssize_t got = file >= 0 ? read(file, text, sizeof text - 1) : 0;
    if (file >= 0) close(file);
    return got > 0 ? (size_t)strtoull(text, NULL, 10) * (size_t)sysconf(_SC_PAGESIZE) : 0;
}

/// `more`: distance from the soft limit to the hard one.
static void lower(int what, rlim_t to, rlim_t more)
{
    struct rlimit limit;
    if (getrlimit(what, &limit) != 0) return;
    if (limit.rlim_max == RLIM_INFINITY || to + more < limit.rlim_max) limit.rlim_max = to + more;
    limit.rlim_cur = to < limit.rlim_max ? to : limit.rlim_max;
    setrlimit(what, &limit);
}

static void bound(size_t size, pid_t asking)
{
    lower(RLIMIT_CORE, 0, 0);
    lower(RLIMIT_CPU, seconds_for(size), 1); // the soft limit's signal identifies the cause, the hard one's does not
    size_t now = memory_now();
    if (now && now < memory_huge) lower(RLIMIT_AS, now + memory_least + memory_per_byte * size, 0);
    static const int ends[] = { SIGPIPE, SIGXCPU, SIGINT, SIGTERM, SIGHUP }; // the parent may be gone, or stopped
    for (size_t i = 0; i < SUP_COUNT_OF(ends); ++i) signal(ends[i], SIG_DFL);
    (void)asking;
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != asking) _exit(1); // it was gone before
#endif
}

static bool send_bytes(int to, const void* bytes, size_t size)
{
    const char* at = bytes;
    while (size) {
        ssize_t sent = write(to, at, size < (1u << 20) ? size : 1u << 20);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return false;
        at += sent, size -= (size_t)sent;
    }
    return true;
}

static bool count_text(void* user, const char* text, size_t length)
{
    (void)text;
    *(uint64_t*)user += length;
    return true;
}

/// Text comes in pieces of a few letters: a pipe should get more at a time.
typedef struct sender {
    int    to;
    size_t used;
    char   buffer[1 << 16];
} sender;

static bool send_text(void* user, const char* text, size_t length)
{
    sender* s = user;
    while (length) {
        size_t part = sizeof s->buffer - s->used < length ? sizeof s->buffer - s->used : length;
        memcpy(s->buffer + s->used, text, part);
        s->used += part, text += part, length -= part;
        if (s->used < sizeof s->buffer) continue;
        if (!send_bytes(s->to, s->buffer, s->used)) return false;
        s->used = 0;
    }
    return true;
}

static bool send_document(int to, const gltf_given* given)
{
    answer a = { .magic = MAGIC,
                 .flags = (given->unit_assumed ? UNIT_ASSUMED : 0u) | (given->up_assumed ? UP_ASSUMED : 0u),
                 .warnings = given->warning_count,
                 .binary = given->binary.size,
                 .unit = given->unit };
    sender s = { .to = to };
    for (uint32_t i = 0; i < a.warnings; ++i) a.words += strlen(given->warnings[i]) + 1;
    sup_json_write(given->root, 0, &(sup_text_sink){ count_text, &a.json });
    bool sent = send_bytes(to, &a, sizeof a);
    for (uint32_t i = 0; i < a.warnings && sent; ++i) sent = send_bytes(to, given->warnings[i], strlen(given->warnings[i]) + 1);
    return sent && sup_json_write(given->root, 0, &(sup_text_sink){ send_text, &s }) && send_bytes(to, s.buffer, s.used) &&
           send_bytes(to, given->binary.data, given->binary.size);
}

static void answer_from(assimp_make_fn* make, const sup_read_input* in, sup_arena* keep, sup_arena* work, pid_t asking, int to)
{
    gltf_given given = { 0 };
    sup_error  error = { SUP_OK, "" };
    bound(in->bytes.size, asking);
    sup_result result = make(in, keep, work, &given, &error);
    if (result == SUP_OK) {
        send_document(to, &given);
    } else {
        answer a = { .magic = MAGIC, .result = (uint32_t)result, .words = strlen(error.text) + 1 };
        if (send_bytes(to, &a, sizeof a)) send_bytes(to, error.text, (size_t)a.words);
    }
    _exit(0); // skips the exit handlers of assimp and the host
}

// ---------------------------------------------------------------------------------------------- the one that asks

static double now_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/// The end of the pipe, and why no more data comes out of it.
typedef struct listener {
    int                 from;
    double              until;
    const sup_progress* progress;
    bool                late, cancelled;
} listener;

/// True when there is something to read, or the other end was closed.
static bool wait_for(listener* l)
{
    while (!l->late && !l->cancelled) {
        struct pollfd one = { .fd = l->from, .events = POLLIN };
        int           ready = poll(&one, 1, ASK_MILLISECONDS);
        if (ready > 0) return true;
        l->cancelled = !sup_progress_report(l->progress, 0, "reading");
        l->late = now_seconds() > l->until;
    }
    return false;
}

static bool receive(listener* l, void* out, size_t size)
{
    char* at = out;
    while (size) {
        if (!wait_for(l)) return false;
        ssize_t got = read(l->from, at, size);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        at += got, size -= (size_t)got;
    }
    return true;
}

/// Waits for the child and returns how it ended; kills one that does not end by itself.
static int reap(pid_t child, listener* l, bool heard)
{
    int status = 0;
    while (!heard && !l->late && !l->cancelled) { // after the other end was closed it is about to exit, with its status
        pid_t gone = waitpid(child, &status, WNOHANG);
        if (gone == child || (gone < 0 && errno != EINTR)) return status;
        poll(NULL, 0, 1);
        l->late = now_seconds() > l->until;
    }
    kill(child, SIGKILL);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

/// The rest of the answer after its header. False: it broke off, or memory ran out, which `error` says.
static bool receive_answer(listener* from, const answer* a, const sup_read_input* in, sup_arena* keep, sup_arena* work,
                           gltf_given* given, sup_error* error)
{
    if (a->words > WORDS_MAX || a->json > UINT32_MAX || a->binary > UINT32_MAX || a->warnings > ASSIMP_WARNINGS_MAX)
        return false;
    char*        words = sup_arena_alloc(work, (size_t)a->words + 1, 1);
    char*        json = sup_arena_alloc(work, (size_t)a->json + 1, 1);
    uint8_t*     binary = sup_arena_alloc(keep, (size_t)a->binary + 1, 1);
    const char** warnings = SUP_NEW(keep, const char*, a->warnings);
    if (!words || !json || !binary || !warnings) return sup_fail_memory(error, "the reader"), false;
    if (!receive(from, words, (size_t)a->words)) return false;
    if (a->result) return sup_fail(error, (sup_result)a->result, "%s", words), false;
    if (!receive(from, json, (size_t)a->json) || !receive(from, binary, (size_t)a->binary)) return false;
    const char* end = words + a->words;
    for (uint32_t i = 0; i < a->warnings; words += strlen(words) + (words < end), ++i) {
        warnings[i] = sup_arena_text(keep, words, strlen(words));
        if (!warnings[i]) return sup_fail_memory(error, "the reader"), false;
    }
    sup_json* root;
    if (sup_json_parse(json, (size_t)a->json, in->path, keep, &root, error) != SUP_OK) return false;
    *given = (gltf_given){ .root = root,
                           .binary = { binary, (size_t)a->binary },
                           .unit_assumed = a->flags & UNIT_ASSUMED,
                           .up_assumed = a->flags & UP_ASSUMED,
                           .unit = isfinite(a->unit) && a->unit > 0 ? a->unit : 1,
                           .warning_count = a->warnings,
                           .warnings = warnings };
    return true;
}

static sup_result fail_dead(const sup_read_input* in, int status, const listener* l, double wait, sup_error* error)
{
    if (l->cancelled) return sup_fail(error, SUP_ERROR_CANCELLED, "stopped");
    if (l->late)
        return sup_fail(error, SUP_ERROR_INPUT,
                        "'%.300s' cannot be read: assimp did not answer within %.0f s and was ended; try again when the "
                        "machine is less busy, or export the file as glTF",
                        in->path, wait);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
        return sup_fail(
            error, SUP_ERROR_INPUT,
            "'%.300s' cannot be read: assimp did not finish within %u s of CPU time; copy it again, or export it as glTF",
            in->path, seconds_for(in->bytes.size));
    return sup_fail(error, SUP_ERROR_INPUT,
                    "'%.300s' cannot be read: assimp crashed on it; copy it again, or export it as glTF", in->path);
}

/// Whether this process has no other thread: a forked child has only one, and would wait forever for a lock that another held.
static bool has_one_thread(void)
{
    DIR*     tasks = opendir("/proc/self/task");
    uint32_t count = 0;
    if (!tasks) return false;
    for (const struct dirent* entry; (entry = readdir(tasks));) count += entry->d_name[0] != '.';
    closedir(tasks);
    return count == 1;
}

sup_result assimp_apart(assimp_make_fn* make, const sup_read_input* in, sup_arena* keep, sup_arena* work, gltf_given* given,
                        sup_error* error)
{
    int ends[2];
    if (!has_one_thread()) return make(in, keep, work, given, error);
    if (pipe(ends) != 0)
        return sup_fail(error, SUP_ERROR_INPUT, "no pipe to assimp could be opened (%s); close other files", strerror(errno));
    pid_t asking = getpid(), child = fork();
    if (child == 0) {
        close(ends[0]);
        answer_from(make, in, keep, work, asking, ends[1]);
    }
    int reason = errno;
    close(ends[1]);
    if (child < 0) {
        close(ends[0]);
        return sup_fail(error, SUP_ERROR_INPUT, "no process for assimp could be started (%s); end others", strerror(reason));
    }
    double    wait = in->wait > 0 ? in->wait : CLOCK_PER_SECOND * (double)seconds_for(in->bytes.size);
    listener  l = { .from = ends[0], .until = now_seconds() + wait, .progress = in->progress };
    answer    a;
    sup_error said = { SUP_OK, "" };
    bool      whole = receive(&l, &a, sizeof a) && a.magic == MAGIC && receive_answer(&l, &a, in, keep, work, given, &said);
    close(ends[0]);
    int status = reap(child, &l, whole || said.code);
    if (whole) return SUP_OK;
    if (said.code) return sup_fail(error, said.code, "%s", said.text);
    return fail_dead(in, status, &l, wait, error);
}
