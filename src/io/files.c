// The file system, for hosts that have one. WebAssembly hosts provide their own sup_files.
#define _XOPEN_SOURCE 700 // realpath
#include "base/internal.h"
#include "supple/io.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// The largest size that a GLB's length field can hold.
#define FILE_BYTES_MAX (4ull << 30)
// Reading a regular file is not interruptible, and half a gigabyte into fresh memory would be a second without Ctrl-C.
#define READ_BYTES_MAX ((size_t)16 << 20)

static sup_result fail_reading(sup_error* error, const char* path)
{
    return sup_fail(error, SUP_ERROR_FILE, "cannot read '%s': %s", path, strerror(errno));
}

static sup_result check_file(int descriptor, const char* path, size_t* size, sup_error* error)
{
    struct stat status;
    if (fstat(descriptor, &status) != 0) return fail_reading(error, path);
    if (S_ISDIR(status.st_mode))
        return sup_fail(error, SUP_ERROR_FILE, "cannot read '%s': it is a directory; name a file in it", path);
    if (!S_ISREG(status.st_mode))
        return sup_fail(error, SUP_ERROR_FILE, "cannot read '%s': it is not a plain file; save it to one first", path);
    if (status.st_size < 0 || (unsigned long long)status.st_size > FILE_BYTES_MAX)
        return sup_fail(error, SUP_ERROR_FILE, "cannot read '%s': it is larger than 4 GiB; split it or reduce it", path);
    *size = (size_t)status.st_size;
    return SUP_OK;
}

static sup_result read_open(int descriptor, const char* path, sup_arena* arena, sup_bytes* out, sup_error* error)
{
    size_t     size = 0;
    sup_result result = check_file(descriptor, path, &size, error);
    if (result != SUP_OK) return result;
    uint8_t* data = sup_arena_alloc(arena, size, 1);
    if (!data) return sup_fail_memory(error, path);
    for (size_t at = 0; at < size;) {
        ssize_t n = read(descriptor, data + at, size - at < READ_BYTES_MAX ? size - at : READ_BYTES_MAX);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return fail_reading(error, path);
        if (n == 0)
            return sup_fail(error, SUP_ERROR_FILE, "cannot read '%s': it became shorter while it was read; try again", path);
        at += (size_t)n;
    }
    *out = (sup_bytes){ data, size };
    return SUP_OK;
}

static sup_result read_at(const char* path, const char* real, int more, sup_arena* arena, sup_bytes* out, sup_error* error)
{
    // O_NONBLOCK, so that a named pipe without a writer is refused instead of waited for.
    int descriptor = open(real, O_RDONLY | O_CLOEXEC | O_NONBLOCK | more);
    if (descriptor < 0) return fail_reading(error, path);
    sup_result result = read_open(descriptor, path, arena, out, error);
    close(descriptor);
    return result;
}

static sup_result read_file(void* user, const char* path, sup_arena* arena, sup_bytes* out, sup_error* error)
{
    (void)user;
    return read_at(path, path, 0, arena, out, error);
}

// The name was checked for "..", but a link could still lead anywhere: check where the resolved path ends.
static sup_result read_below(void* user, const char* path, size_t folder, sup_arena* arena, sup_bytes* out, sup_error* error)
{
    (void)user;
    char  root[PATH_MAX], real[PATH_MAX];
    char* text = sup_arena_text(arena, folder ? path : ".", folder ? folder : 1);
    if (!text) return sup_fail_memory(error, path);
    if (!realpath(text, root) || !realpath(path, real)) return fail_reading(error, path);
    size_t length = strlen(root);
    if (strncmp(real, root, length) != 0 || (real[length] != '/' && root[length - 1] != '/'))
        return sup_fail(error, SUP_ERROR_INPUT,
                        "'%s' is a link that leads out of the folder of the file that mentions it; put the file itself there",
                        path);
    return read_at(path, real, O_NOFOLLOW, arena, out, error);
}

static sup_result list_open(DIR* directory, const char* folder, sup_arena* arena, const char*** names, uint32_t* count,
                            sup_error* error)
{
    uint32_t capacity = 0;
    for (*count = 0;;) {
        errno = 0;
        const struct dirent* entry = readdir(directory);
        if (!entry && errno) return fail_reading(error, folder);
        if (!entry) return SUP_OK;
        if (*count == capacity) {
            // Earlier, smaller lists stay in the arena: at most as much again.
            const char** more = SUP_NEW(arena, const char*, capacity = capacity ? 2 * capacity : 64);
            if (!more) return sup_fail_memory(error, folder);
            if (*count) memcpy(more, *names, *count * sizeof *more);
            *names = more;
        }
        (*names)[*count] = sup_arena_text(arena, entry->d_name, strlen(entry->d_name));
        if (!(*names)[(*count)++]) return sup_fail_memory(error, folder);
    }
}

static sup_result list_folder(void* user, const char* folder, sup_arena* arena, const char*** names, uint32_t* count,
                              sup_error* error)
{
    (void)user;
    DIR* directory = opendir(folder[0] ? folder : ".");
    if (!directory) return fail_reading(error, folder);
    sup_result result = list_open(directory, folder, arena, names, count, error);
    closedir(directory);
    return result;
}

const sup_files* sup_files_system(void)
{
    static const sup_files files = { .read = read_file, .list = list_folder, .read_below = read_below };
    return &files;
}
