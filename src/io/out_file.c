// A file that is written beside its target and replaces it only when complete; or bytes in memory.
#include "base/internal.h"
#include "io/bake.h"
#include "io/out_disk.h"
#include "io/path.h"

#include <errno.h>
#include <string.h>

enum {
    NAME_KEPT = 200, // characters of the target's name kept in the temporary one; file systems allow 255
    TRIES_MAX = 1000,
};

struct sup_out_file {
    const char* path;   // as given by the user, for messages
    const char* target; // with symbolic links resolved
    char*       part;   // the temporary file beside it
    intptr_t    handle; // -1 when closed
    unsigned    rights; // of the file that is replaced
    bool        replaces;
    bool        whole; // closed, but not yet renamed
    uint8_t*    buffer;
    size_t      capacity, buffered;
    uint64_t    written;   // not counting buffered bytes
    bool        in_memory; // writes to `memory`, without a file
    sup_arena*  arena;     // the owner's
    sup_arena*  memory;    // holds only `bytes`, so that growing frees the old ones
    uint8_t*    bytes;
    size_t      bytes_capacity;
};

static const char* reason(int number)
{
    switch (number) {
    case ENOSPC: return "the disk is full; free some space or write elsewhere";
#ifdef EDQUOT // not on Windows
    case EDQUOT: return "the disk quota is used up; free some space or write elsewhere";
#endif
    case EFBIG: return "the file would be larger than the system allows; bake fewer frames or raise the limit (ulimit -f)";
    case EACCES:
    case EPERM: return "no permission to write there; choose another folder or change its permissions";
    case EROFS: return "the file system is read-only; write elsewhere";
    case ENOENT: return "the folder does not exist; make it first";
    case ENOTDIR: return "part of the path is not a folder";
    case ENAMETOOLONG: return "the name is too long; choose a shorter one";
    case ELOOP: return "the symbolic links form a loop";
    case EIO: return "the disk reports an error";
    case EBUSY: return "another program has the file open; close it in that program, then try again";
    case ENOSYS: return "there is no disk here; bake to memory";
    case EINVAL: return "the system does not allow such a name; choose another";
    case EMFILE:
    case ENFILE: return "too many files are open";
    default: return strerror(number);
    }
}

static bool is_folder(const char* path)
{
    sup_disk_info info;
    return sup_disk_look(path, &info) == 0 && info.kind == SUP_DISK_FOLDER;
}

static bool folder_exists(const sup_out_file* file)
{
    char        folder[4096];
    const char* path = file->target ? file->target : file->path;
    size_t      length = sup_path_own_folder(path);
    if (length >= sizeof folder) return false;
    memcpy(folder, path, length);
    folder[length] = 0;
    return is_folder(length ? folder : ".");
}

static sup_result fail(const sup_out_file* file, int number, sup_error* error)
{
    // Kernel folders such as /proc also answer like this.
    if (number == ENOENT && folder_exists(file))
        return sup_fail(error, SUP_ERROR_FILE, "cannot write '%s': no file can be created in that folder; write elsewhere",
                        file->path);
    return sup_fail(error, SUP_ERROR_FILE, "cannot write '%s': %s", file->path, reason(number));
}

bool sup_out_is_directory(const char* path)
{
    size_t length = strlen(path);
    return (length > 0 && sup_path_parts(path[length - 1])) || is_folder(path);
}

static sup_result check_target(sup_out_file* file, sup_error* error)
{
    sup_disk_info info;
    if (sup_out_is_directory(file->target))
        return sup_fail(error, SUP_ERROR_FILE, "cannot write '%s': it is a directory; give a file name inside it", file->path);
    int number = sup_disk_look(file->target, &info);
    if (number != 0) return number == ENOENT ? SUP_OK : fail(file, number, error);
    // Renaming would replace a device by a regular file.
    if (info.kind != SUP_DISK_FILE)
        return sup_fail(error, SUP_ERROR_FILE, "cannot write '%s': it is not a regular file; give another name", file->path);
    if (!info.writable)
        return sup_fail(error, SUP_ERROR_FILE,
                        "cannot replace '%s': it is write-protected; choose another name or change its permissions",
                        file->path);
    file->replaces = true;
    file->rights = info.rights;
    return SUP_OK;
}

static sup_result open_part(sup_out_file* file, sup_arena* arena, sup_error* error)
{
    size_t folder = sup_path_own_folder(file->target);
    size_t capacity = folder + NAME_KEPT + 64;
    file->part = sup_arena_alloc(arena, capacity, 1);
    if (!file->part) return sup_fail_memory(error, "the output file");
    memcpy(file->part, file->target, folder);
    for (int i = 0; i < TRIES_MAX; ++i) {
        sup_format(file->part + folder, capacity - folder, ".%.*s.%ld.%d.part", (int)NAME_KEPT, file->target + folder,
                   sup_disk_process(), i);
        int number = sup_disk_create(file->part, &file->handle);
        if (number == 0) return SUP_OK;
        if (number != EEXIST) return fail(file, number, error);
    }
    return fail(file, EEXIST, error);
}

sup_result sup_out_open(const char* path, sup_arena* arena, void* buffer, size_t capacity, sup_out_file** out, sup_error* error)
{
    sup_out_file* file = SUP_NEW(arena, sup_out_file, 1);
    if (!file) return sup_fail_memory(error, "the output file");
    *file = (sup_out_file){ .path = sup_arena_text(arena, path, strlen(path)), .handle = -1, .capacity = capacity };
    file->buffer = buffer ? buffer : sup_arena_alloc(arena, capacity, 1);
    file->target = file->path;
    if (!file->path || !file->buffer) return sup_fail_memory(error, "the output file");
    int        number = sup_disk_follow(arena, &file->target);
    sup_result result = number == 0 ? check_target(file, error) : fail(file, number, error);
    if (result == SUP_OK) result = open_part(file, arena, error);
    if (result == SUP_OK) *out = file;
    return result;
}

sup_result sup_out_open_memory(const char* name, sup_arena* arena, sup_out_file** out, sup_error* error)
{
    sup_out_file* file = SUP_NEW(arena, sup_out_file, 1);
    if (file) *file = (sup_out_file){ .path = sup_arena_text(arena, name, strlen(name)), .handle = -1 };
    if (!file || !file->path) return sup_fail_memory(error, "the output");
    file->in_memory = true;
    file->arena = arena;
    *out = file;
    return SUP_OK;
}

static sup_result write_memory(sup_out_file* file, uint64_t offset, const uint8_t* data, size_t bytes, sup_error* error)
{
    if (bytes > SIZE_MAX / 4 || offset > SIZE_MAX / 4) return sup_fail_memory(error, "the output");
    size_t end = (size_t)offset + bytes;
    if (end > file->bytes_capacity) {
        size_t     capacity = end + end / 2 + 4096;
        sup_arena* memory = sup_arena_beside(file->arena);
        uint8_t*   more = memory ? sup_arena_alloc(memory, capacity, 1) : NULL;
        if (!more) sup_arena_destroy(memory);
        if (!more)
            return sup_fail(error, SUP_ERROR_MEMORY, "out of memory while making '%s'; bake fewer frames, or to a file",
                            file->path);
        if (file->written) memcpy(more, file->bytes, (size_t)file->written);
        sup_arena_destroy(file->memory);
        file->memory = memory;
        file->bytes = more;
        file->bytes_capacity = capacity;
    }
    if (bytes) memcpy(file->bytes + offset, data, bytes);
    return SUP_OK;
}

static sup_result write_all(sup_out_file* file, uint64_t offset, const uint8_t* data, size_t bytes, sup_error* error)
{
    if (file->in_memory) return write_memory(file, offset, data, bytes, error);
    int number = sup_disk_write(file->handle, offset, data, bytes);
    return number == 0 ? SUP_OK : fail(file, number, error);
}

static sup_result flush(sup_out_file* file, sup_error* error)
{
    sup_result result = write_all(file, file->written, file->buffer, file->buffered, error);
    if (result != SUP_OK) return result;
    file->written += file->buffered;
    file->buffered = 0;
    return SUP_OK;
}

sup_result sup_out_write(sup_out_file* file, const void* data, size_t bytes, sup_error* error)
{
    SUP_ASSERT(file->handle != -1 || file->in_memory);
    if (bytes > file->capacity - file->buffered) {
        sup_result result = flush(file, error);
        if (result != SUP_OK) return result;
    }
    if (bytes >= file->capacity) {
        sup_result result = write_all(file, file->written, data, bytes, error);
        if (result == SUP_OK) file->written += bytes;
        return result;
    }
    if (bytes) memcpy(file->buffer + file->buffered, data, bytes);
    file->buffered += bytes;
    return SUP_OK;
}

sup_result sup_out_write_at(sup_out_file* file, uint64_t offset, const void* data, size_t bytes, sup_error* error)
{
    SUP_ASSERT(offset + bytes <= sup_out_size(file));
    sup_result result = flush(file, error);
    return result == SUP_OK ? write_all(file, offset, data, bytes, error) : result;
}

sup_result sup_out_read_at(sup_out_file* file, uint64_t offset, void* data, size_t bytes, sup_error* error)
{
    SUP_ASSERT(offset + bytes <= sup_out_size(file));
    sup_result result = file->buffered ? flush(file, error) : SUP_OK;
    if (file->in_memory && result == SUP_OK) return memcpy(data, file->bytes + offset, bytes), SUP_OK;
    if (result != SUP_OK) return result;
    int number = sup_disk_read(file->handle, offset, data, bytes);
    return number == 0 ? SUP_OK : fail(file, number, error);
}

sup_result sup_out_hash(sup_out_file* file, char digits[17], sup_error* error)
{
    uint8_t  block[1 << 14];
    uint64_t hash = SUP_HASH_START, size = sup_out_size(file);
    for (uint64_t at = 0; at < size; at += sizeof block) {
        size_t     bytes = size - at < sizeof block ? (size_t)(size - at) : sizeof block;
        sup_result result = sup_out_read_at(file, at, block, bytes, error);
        if (result != SUP_OK) return result;
        hash = sup_hash(hash, block, bytes);
    }
    sup_hash_digits(hash, digits);
    return SUP_OK;
}

sup_result sup_out_aim(sup_out_file* file, const char* path, sup_arena* arena, sup_error* error)
{
    file->path = file->target = sup_arena_text(arena, path, strlen(path));
    if (!file->path) return sup_fail_memory(error, "the output file");
    file->replaces = false;
    if (file->in_memory) return SUP_OK;
    int number = sup_disk_follow(arena, &file->target);
    return number == 0 ? check_target(file, error) : fail(file, number, error);
}

uint64_t sup_out_size(const sup_out_file* file) { return file->written + file->buffered; }

sup_result sup_out_close(sup_out_file* file, sup_error* error)
{
    if (file->whole || file->in_memory) return SUP_OK;
    sup_result result = flush(file, error);
    if (result == SUP_OK) {
        bool closed = false;
        int  number = sup_disk_finish(file->handle, file->replaces ? &file->rights : NULL, &closed);
        if (number != 0) result = fail(file, number, error);
        if (closed) file->handle = -1;
        file->whole = closed;
    }
    if (result != SUP_OK) sup_out_discard(file);
    return result;
}

sup_result sup_out_commit(sup_out_file* file, sup_error* error)
{
    sup_result result = sup_out_close(file, error);
    if (result != SUP_OK || file->in_memory) return result;
    int number = sup_disk_rename(file->part, file->target);
    if (number != 0) {
        result = fail(file, number, error);
        sup_out_discard(file);
        return result;
    }
    file->whole = false;
    return SUP_OK;
}

void sup_out_withdraw(const sup_out_file* file)
{
    if (!file->replaces && !file->in_memory) sup_disk_remove(file->target);
}

void sup_out_bytes(const sup_out_file* file, const char** name, sup_bytes* out)
{
    *name = file->path;
    *out = (sup_bytes){ file->bytes, (size_t)file->written };
}

void sup_out_remove(const char* path) { sup_disk_remove(path); }

void sup_out_discard(sup_out_file* file)
{
    if (file && file->in_memory) {
        sup_arena_destroy(file->memory);
        file->memory = NULL;
        file->written = 0;
    }
    if (!file || (file->handle == -1 && !file->whole)) return;
    if (file->handle != -1) sup_disk_close(file->handle);
    sup_disk_remove(file->part);
    file->handle = -1;
    file->whole = false;
}
