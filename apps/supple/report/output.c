// Files that are written beside their target and then renamed.
#include "output.h"

#include "commands/options.h"
#include "commands/progress.h"
#include "report.h"
#include "system/system.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char* reason(int number)
{
    switch (number) {
    case ENOSPC: return "the disk is full; free some space or write elsewhere";
    case EACCES:
    case EPERM: return "no permission to write there; choose another folder or change its permissions";
    case EROFS: return "the file system is read-only; write elsewhere";
    case ENOENT: return "the folder does not exist; make it first";
    case ENOTDIR: return "part of the path is not a folder";
    case ENAMETOOLONG: return "the name is too long; choose a shorter one";
    case EFBIG: return "the file would be larger than the system allows; lower --size or raise the limit (ulimit -f)";
    case EBUSY: return "another program has the file open; close it in that program, then try again";
    case EINVAL: return "the system does not allow such a name; choose another";
    default: return strerror(number);
    }
}

// Kernel folders such as /proc report that they do not exist.
static bool folder_exists(const char* path)
{
    char   folder[4096] = ".";
    size_t length = (size_t)(path_name(path) - path);
    if (length && length < sizeof folder) {
        memcpy(folder, path, length);
        folder[length] = 0;
    }
    return path_is_folder(folder);
}

static bool refuse(const output_file* o, int number, sup_error* error)
{
    if (number == ENOENT && folder_exists(o->path)) {
        sup_fail(error, SUP_ERROR_FILE, "cannot write '%s': no file can be created in that folder; write elsewhere", o->path);
        return false;
    }
    sup_fail(error, SUP_ERROR_FILE, "cannot write '%s': %s", o->path, reason(number));
    return false;
}

static bool check_target(output_file* o, sup_error* error)
{
    path_info info;
    int       number = path_look(o->target, &info);
    if (number != 0) return number == ENOENT ? true : refuse(o, number, error);
    if (info.kind == PATH_FOLDER) {
        sup_fail(error, SUP_ERROR_FILE, "cannot write '%s': it is a directory; give a file name inside it", o->path);
        return false;
    }
    if (info.kind != PATH_FILE) {
        sup_fail(error, SUP_ERROR_FILE, "cannot write '%s': it is not a regular file; give another name", o->path);
        return false;
    }
    if (!info.writable) {
        sup_fail(error, SUP_ERROR_FILE,
                 "cannot replace '%s': it is write-protected; choose another name or change its permissions", o->path);
        return false;
    }
    o->replaces = true;
    o->mode = info.rights;
    return true;
}

// Undoes the opening.
static bool refuse_open(const output_file* o, int number, sup_error* error)
{
    interrupts_release();
    return refuse(o, number, error);
}

bool output_begin(output_file* o, const char* path, sup_error* error)
{
    *o = (output_file){ .path = path };
    // A link as output means the file it points to.
    char real[sizeof o->target + 1];
    path_resolve(path, real, sizeof real);
    path = real;
    size_t folder = (size_t)(path_name(path) - path);
    if (strlen(path) >= sizeof o->target) return refuse(o, ENAMETOOLONG, error);
    strcpy(o->target, path);
    if (!check_target(o, error)) return false;
    interrupts_hold();
    for (int i = 0; i < 1000; i++) {
        int wrote =
            snprintf(o->part, sizeof o->part, "%.*s.%.180s.%ld.%d.part", (int)folder, path, path + folder, path_process(), i);
        if (wrote < 0 || (size_t)wrote >= sizeof o->part) return refuse_open(o, ENAMETOOLONG, error);
        int number = path_make_new(o->part);
        if (number == 0) {
            o->open = true;
            return true;
        }
        if (number != EEXIST) return refuse_open(o, number, error);
    }
    return refuse_open(o, EEXIST, error);
}

bool output_write(output_file* o, const void* bytes, size_t size, sup_error* error)
{
    int number = path_append(o->part, bytes, size);
    return number == 0 || refuse(o, number, error);
}

bool output_keep(output_file* o, sup_error* error)
{
    int number = path_replace(o->part, o->target, o->replaces ? &o->mode : NULL);
    if (number != 0) return refuse(o, number, error);
    o->open = false;
    interrupts_release();
    return true;
}

void output_drop(output_file* o)
{
    if (!o->open) return;
    path_remove(o->part);
    o->open = false;
    interrupts_release();
}

int output_folders(const char* path, bool whole, const char* cure)
{
    char text[4096];
    if (snprintf(text, sizeof text, "%s", path) >= (int)sizeof text) {
        report_error("the folder's name is too long; %s", cure);
        return EXIT_FAILED;
    }
    for (char* at = text + 1;; at++) {
        if (*at && !path_parts(*at)) continue;
        if (!*at && !whole) return EXIT_DONE;
        char kept = *at;
        *at = 0;
        int number = path_is_folder(text) ? 0 : path_make_folder(text);
        if (number != 0 && number != EEXIST) {
            report_error("the folder '%s' cannot be created (%s); %s", text, strerror(number), cure);
            return EXIT_FAILED;
        }
        *at = kept;
        if (!kept) return EXIT_DONE;
    }
}
