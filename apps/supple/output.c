// Files written beside and renamed.
#define _XOPEN_SOURCE 700 // realpath
#include "output.h"

#include "progress.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char* reason(int number)
{
    switch (number) {
    case ENOSPC: return "the disk is full; free some space or write elsewhere";
    case EACCES:
    case EPERM: return "no rights to write there; choose another folder or change its rights";
    case EROFS: return "the file system is read-only; write elsewhere";
    case ENOENT: return "the folder does not exist; make it first";
    case ENOTDIR: return "a part of the path is not a folder";
    case ENAMETOOLONG: return "the name is too long; choose a shorter one";
    case EFBIG: return "the file would be larger than the system allows; lower --size or raise the limit (ulimit -f)";
    default: return strerror(number);
    }
}

// Folders of the kernel, such as /proc, answer as if they were not there.
static bool folder_exists(const char* path)
{
    struct stat info;
    char        folder[PATH_MAX] = ".";
    const char* slash = strrchr(path, '/');
    if (slash && (size_t)(slash - path) + 1 < sizeof folder) {
        memcpy(folder, path, (size_t)(slash - path) + 1);
        folder[slash - path + 1] = 0;
    }
    return stat(folder, &info) == 0 && S_ISDIR(info.st_mode);
}

static bool refuse(const output_file* o, int number, sup_error* error)
{
    if (number == ENOENT && folder_exists(o->path)) {
        sup_fail(error, SUP_ERROR_FILE, "cannot write '%s': no file can be made in that folder; write elsewhere", o->path);
        return false;
    }
    sup_fail(error, SUP_ERROR_FILE, "cannot write '%s': %s", o->path, reason(number));
    return false;
}

static bool check_target(output_file* o, sup_error* error)
{
    struct stat info;
    if (stat(o->target, &info) != 0) return errno == ENOENT ? true : refuse(o, errno, error);
    if (S_ISDIR(info.st_mode)) {
        sup_fail(error, SUP_ERROR_FILE, "cannot write '%s': it is a directory; give a file name inside it", o->path);
        return false;
    }
    if (!S_ISREG(info.st_mode)) {
        sup_fail(error, SUP_ERROR_FILE, "cannot write '%s': it is not a regular file; give another name", o->path);
        return false;
    }
    if (access(o->target, W_OK) != 0) {
        sup_fail(error, SUP_ERROR_FILE, "cannot replace '%s': it is write-protected; choose another name or change its rights",
                 o->path);
        return false;
    }
    o->replaces = true;
    o->mode = info.st_mode & 0777;
    return true;
}

// Nothing was opened after all.
static bool refuse_open(const output_file* o, int number, sup_error* error)
{
    interrupts_release();
    return refuse(o, number, error);
}

bool output_begin(output_file* o, const char* path, sup_error* error)
{
    *o = (output_file){ .path = path };
    // A link as output means the file it points to.
    char real[PATH_MAX];
    if (realpath(path, real)) path = real;
    size_t folder = strrchr(path, '/') ? (size_t)(strrchr(path, '/') - path) + 1 : 0;
    if (strlen(path) >= sizeof o->target) return refuse(o, ENAMETOOLONG, error);
    strcpy(o->target, path);
    if (!check_target(o, error)) return false;
    interrupts_hold();
    for (int i = 0; i < 1000; i++) {
        int wrote =
            snprintf(o->part, sizeof o->part, "%.*s.%.180s.%ld.%d.part", (int)folder, path, path + folder, (long)getpid(), i);
        if (wrote < 0 || (size_t)wrote >= sizeof o->part) return refuse_open(o, ENAMETOOLONG, error);
        int handle = open(o->part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (handle >= 0) {
            close(handle);
            o->open = true;
            return true;
        }
        if (errno != EEXIST) return refuse_open(o, errno, error);
    }
    return refuse_open(o, EEXIST, error);
}

bool output_write(output_file* o, const void* bytes, size_t size, sup_error* error)
{
    const char* at = bytes;
    int         handle = open(o->part, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (handle < 0) return refuse(o, errno, error);
    while (size) {
        ssize_t done = write(handle, at, size);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) {
            int why = errno;
            close(handle);
            return refuse(o, why, error);
        }
        at += done;
        size -= (size_t)done;
    }
    return close(handle) == 0 ? true : refuse(o, errno, error);
}

bool output_keep(output_file* o, sup_error* error)
{
    if (o->replaces) chmod(o->part, o->mode);
    if (rename(o->part, o->target) != 0) return refuse(o, errno, error);
    o->open = false;
    interrupts_release();
    return true;
}

void output_drop(output_file* o)
{
    if (!o->open) return;
    unlink(o->part);
    o->open = false;
    interrupts_release();
}
