// The ffmpeg child: start, feed, wait.
#include "film.h"
#include "report/output.h"
#include "supple/io.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct film {
    output_file output;
    pid_t       child;
    int         feed;  // negative when closed
    FILE*       words; // ffmpeg's messages, in an unnamed file: a pipe could fill up and block it
    uint32_t    width, height;
};

// Argument lists end with NULL.
typedef struct film_kind {
    const char* ending;
    const char* arguments[16];
} film_kind;

static const film_kind kinds[] = {
    { "mp4",
      { "-c:v", "libx264", "-pix_fmt", "yuv420p", "-crf", "18", "-preset", "medium", "-movflags", "+faststart", "-f", "mp4" } },
    { "webm", { "-c:v", "libvpx-vp9", "-pix_fmt", "yuv420p", "-crf", "28", "-b:v", "0", "-row-mt", "1", "-f", "webm" } },
    { "gif",
      { "-filter_complex", "split[a][b];[a]palettegen=stats_mode=full[p];[b][p]paletteuse=dither=sierra2_4a", "-f", "gif" } },
};

static const film_kind* kind_of(const char* path)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (sup_path_ends_in(path, kinds[i].ending)) return &kinds[i];
    return NULL;
}

bool film_ending(const char* path) { return kind_of(path) != NULL; }

// Runs in the child: only async-signal-safe calls. Returns only if ffmpeg could not be started.
static void become_ffmpeg(int feed, int words, int trouble, char* const* arguments)
{
    // A process group of its own: Ctrl-C at the terminal reaches us, and we end ffmpeg in our own time.
    setpgid(0, 0);
    signal(SIGPIPE, SIG_DFL);
    int silence = open("/dev/null", O_WRONLY);
    if (dup2(feed, STDIN_FILENO) < 0 || dup2(silence, STDOUT_FILENO) < 0 || dup2(words, STDERR_FILENO) < 0) _exit(127);
    execvp(arguments[0], arguments);
    int     why = errno;
    ssize_t sent = write(trouble, &why, sizeof why);
    _exit(sent < 0 ? 126 : 127);
}

static bool start(film* f, char* const* arguments, sup_error* error)
{
    int feed[2] = { -1, -1 }, trouble[2] = { -1, -1 }, why = 0;
    f->words = tmpfile();
    if (!f->words || pipe(feed) != 0 || pipe(trouble) != 0) why = errno;
    if (!why) {
        fcntl(feed[1], F_SETFD, FD_CLOEXEC);
        fcntl(trouble[1], F_SETFD, FD_CLOEXEC);
        f->child = fork();
        if (f->child == 0) become_ffmpeg(feed[0], fileno(f->words), trouble[1], arguments);
        if (f->child < 0) why = errno;
    }
    if (feed[0] >= 0) close(feed[0]);
    if (trouble[1] >= 0) close(trouble[1]);
    // The pipe closes by itself when ffmpeg starts; data in it means that it did not.
    if (!why && read(trouble[0], &why, sizeof why) != (ssize_t)sizeof why) why = 0;
    if (trouble[0] >= 0) close(trouble[0]);
    if (!why) {
        f->feed = feed[1];
        return true;
    }
    if (feed[1] >= 0) close(feed[1]);
    if (f->child > 0) waitpid(f->child, NULL, 0);
    f->child = 0;
    if (why == ENOENT)
        sup_fail(error, SUP_ERROR_INPUT,
                 "films are made by the ffmpeg program, which is not installed; install the package ffmpeg, or write a .png");
    else sup_fail(error, SUP_ERROR_FILE, "ffmpeg could not be started: %s", strerror(why));
    return false;
}

film* film_begin(const char* path, uint32_t width, uint32_t height, double fps, sup_error* error)
{
    const film_kind* kind = kind_of(path);
    film*            f = calloc(1, sizeof *f);
    if (!kind || !f) {
        sup_fail(error, SUP_ERROR_MEMORY, "out of memory while starting the film");
        free(f);
        return NULL;
    }
    f->feed = -1;
    f->width = width & ~1u;
    f->height = height & ~1u;
    char size[32], rate[32];
    snprintf(size, sizeof size, "%ux%u", f->width, f->height);
    snprintf(rate, sizeof rate, "%.6f", fps);
    const char* arguments[40] = { "ffmpeg",     "-nostdin", "-hide_banner", "-loglevel", "error",       "-y",
                                  "-f",         "rawvideo", "-pix_fmt",     "rgb24",     "-video_size", size,
                                  "-framerate", rate,       "-i",           "pipe:0",    "-an" };
    int         count = 17;
    for (int i = 0; kind->arguments[i]; i++) arguments[count++] = kind->arguments[i];
    if (!output_begin(&f->output, path, error)) {
        film_destroy(f);
        return NULL;
    }
    // A name that begins with a dash would be read as a flag.
    char part[4200];
    snprintf(part, sizeof part, "file:%s", f->output.part);
    arguments[count] = part;
    if (start(f, (char* const*)arguments, error)) return f;
    film_destroy(f);
    return NULL;
}

// The last line of ffmpeg's messages, without its line end.
static void last_words(film* f, char* text, size_t size)
{
    char line[512];
    snprintf(text, size, "it gave no reason");
    rewind(f->words);
    while (fgets(line, sizeof line, f->words)) {
        line[strcspn(line, "\r\n")] = 0;
        if (*line) snprintf(text, size, "%s", line);
    }
}

static bool fail(film* f, sup_error* error)
{
    char words[512];
    if (f->feed >= 0) close(f->feed);
    f->feed = -1;
    if (f->child > 0) waitpid(f->child, NULL, 0);
    f->child = 0;
    last_words(f, words, sizeof words);
    sup_fail(error, SUP_ERROR_FILE, "ffmpeg failed on '%s': %s", f->output.path, words);
    return false;
}

bool film_add(film* f, const image* frame, sup_error* error)
{
    for (uint32_t y = 0; y < f->height; y++) {
        const uint8_t* at = &frame->pixels[3 * (size_t)y * frame->width];
        size_t         left = 3 * (size_t)f->width;
        while (left) {
            ssize_t done = write(f->feed, at, left);
            if (done < 0 && errno == EINTR) continue;
            if (done < 0) return fail(f, error);
            at += done;
            left -= (size_t)done;
        }
    }
    return true;
}

bool film_end(film* f, sup_error* error)
{
    int status = 0;
    close(f->feed);
    f->feed = -1;
    while (waitpid(f->child, &status, 0) < 0 && errno == EINTR) {
    }
    f->child = 0;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return fail(f, error);
    return output_keep(&f->output, error);
}

void film_destroy(film* f)
{
    if (!f) return;
    if (f->child > 0) {
        kill(f->child, SIGKILL);
        while (waitpid(f->child, NULL, 0) < 0 && errno == EINTR) {
        }
    }
    if (f->feed >= 0) close(f->feed);
    if (f->words) fclose(f->words);
    output_drop(&f->output);
    free(f);
}
