// The disk operations of out_file.c, with POSIX.
#include "io/out_disk.h"

#include "base/internal.h"
#include "io/path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINKS_MAX = 40 }; // the kernel's own limit for links

int sup_disk_look(const char* path, sup_disk_info* out)
{
    struct stat info;
    if (stat(path, &info) != 0) return errno;
    *out = (sup_disk_info){ .kind = S_ISDIR(info.st_mode)   ? SUP_DISK_FOLDER
                                    : S_ISREG(info.st_mode) ? SUP_DISK_FILE
                                                            : SUP_DISK_OTHER,
                            .writable = access(path, W_OK) == 0,
                            .rights = info.st_mode & 0777 };
    return 0;
}

int sup_disk_follow(sup_arena* arena, const char** path)
{
    for (int i = 0; i < LINKS_MAX; ++i) {
        struct stat info;
        if (lstat(*path, &info) != 0 || !S_ISLNK(info.st_mode)) return 0;
        char    link[PATH_MAX];
        ssize_t length = readlink(*path, link, sizeof link);
        if (length < 0) return errno;
        if (length == (ssize_t)sizeof link) return ENAMETOOLONG;
        size_t folder = link[0] == '/' ? 0 : sup_path_own_folder(*path);
        char*  next = sup_arena_alloc(arena, folder + (size_t)length + 1, 1);
        if (!next) return ENOMEM;
        memcpy(next, *path, folder);
        memcpy(next + folder, link, (size_t)length);
        *path = next;
    }
    return ELOOP;
}

int sup_disk_create(const char* path, intptr_t* out)
{
    int handle = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (handle < 0) return errno;
    *out = handle;
    return 0;
}

int sup_disk_write(intptr_t file, uint64_t offset, const void* data, size_t bytes)
{
    for (const uint8_t* at = data; bytes > 0;) {
        ssize_t n = pwrite((int)file, at, bytes, (off_t)offset);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return n < 0 ? errno : ENOSPC;
        at += n;
        offset += (uint64_t)n;
        bytes -= (size_t)n;
    }
    return 0;
}

int sup_disk_read(intptr_t file, uint64_t offset, void* data, size_t bytes)
{
    for (uint8_t* to = data; bytes > 0;) {
        ssize_t n = pread((int)file, to, bytes, (off_t)offset);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return n < 0 ? errno : EIO;
        to += n;
        offset += (uint64_t)n;
        bytes -= (size_t)n;
    }
    return 0;
}

int sup_disk_finish(intptr_t file, const unsigned* rights, bool* closed)
{
    *closed = false;
    if (rights && fchmod((int)file, (mode_t)*rights) != 0) return errno;
    if (fsync((int)file) != 0) return errno;
    *closed = true; // after close the descriptor is gone even if it failed
    return close((int)file) == 0 ? 0 : errno;
}

void sup_disk_close(intptr_t file) { close((int)file); }

// The rename itself must survive a power failure too. Some file systems cannot sync a folder: then it is as safe as they make
// it.
static void sync_folder_of(const char* path)
{
    char   folder[PATH_MAX] = ".";
    size_t length = sup_path_own_folder(path);
    if (length >= sizeof folder) return;
    if (length) {
        memcpy(folder, path, length);
        folder[length] = 0;
    }
    int handle = open(folder, O_RDONLY | O_CLOEXEC);
    if (handle < 0) return;
    (void)fsync(handle);
    close(handle);
}

int sup_disk_rename(const char* from, const char* to)
{
    if (rename(from, to) != 0) return errno;
    sync_folder_of(to);
    return 0;
}

void sup_disk_remove(const char* path) { unlink(path); }
long sup_disk_process(void) { return (long)getpid(); }
