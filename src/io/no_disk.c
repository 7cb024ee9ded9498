// Files in WebAssembly, where there is no disk: the page hands over what is read, and what is written are bytes in memory. In
// the place of files.c and out_file.c.
#include "base/internal.h"
#include "io/bake.h"

#include <string.h>

struct sup_out_file {
    const char* path;
    sup_arena*  arena;  // of whom it belongs to
    sup_arena*  memory; // holds `bytes` alone, so that growing gives the old ones back
    uint8_t*    bytes;
    size_t      size, room;
};

const sup_files* sup_files_system(void) { return NULL; }

bool sup_out_is_directory(const char* path)
{
    size_t length = strlen(path);
    return length > 0 && path[length - 1] == '/';
}

sup_result sup_out_open(const char* path, sup_arena* arena, void* buffer, size_t room, sup_out_file** out, sup_error* error)
{
    (void)arena, (void)buffer, (void)room, (void)out;
    return sup_fail(error, SUP_ERROR_FILE, "cannot write '%s': there is no disk here; bake to memory", path);
}

sup_result sup_out_open_memory(const char* name, sup_arena* arena, sup_out_file** out, sup_error* error)
{
    sup_out_file* file = SUP_NEW(arena, sup_out_file, 1);
    if (file) *file = (sup_out_file){ .path = sup_arena_text(arena, name, strlen(name)), .arena = arena };
    if (!file || !file->path) return sup_fail_memory(error, "the output");
    *out = file;
    return SUP_OK;
}

static sup_result grow(sup_out_file* file, size_t bytes, sup_error* error)
{
    size_t     room = bytes > SIZE_MAX / 4 || file->size > SIZE_MAX / 4 ? 0 : (file->size + bytes) / 2 * 3 + 4096;
    sup_arena* memory = room ? sup_arena_beside(file->arena) : NULL;
    uint8_t*   more = memory ? sup_arena_alloc(memory, room, 1) : NULL;
    if (!more) {
        sup_arena_destroy(memory);
        return sup_fail(error, SUP_ERROR_MEMORY, "out of memory while making '%s'; bake fewer frames", file->path);
    }
    if (file->size) memcpy(more, file->bytes, file->size);
    sup_arena_destroy(file->memory);
    file->memory = memory;
    file->bytes = more;
    file->room = room;
    return SUP_OK;
}

sup_result sup_out_write(sup_out_file* file, const void* data, size_t bytes, sup_error* error)
{
    sup_result result = bytes > file->room - file->size ? grow(file, bytes, error) : SUP_OK;
    if (result != SUP_OK) return result;
    if (bytes) memcpy(file->bytes + file->size, data, bytes);
    file->size += bytes;
    return SUP_OK;
}

sup_result sup_out_write_at(sup_out_file* file, uint64_t offset, const void* data, size_t bytes, sup_error* error)
{
    (void)error;
    SUP_ASSERT(offset + bytes <= file->size);
    if (bytes) memcpy(file->bytes + offset, data, bytes);
    return SUP_OK;
}

sup_result sup_out_read_at(sup_out_file* file, uint64_t offset, void* data, size_t bytes, sup_error* error)
{
    (void)error;
    SUP_ASSERT(offset + bytes <= file->size);
    if (bytes) memcpy(data, file->bytes + offset, bytes);
    return SUP_OK;
}

uint64_t sup_out_size(const sup_out_file* file) { return file->size; }

sup_result sup_out_hash(sup_out_file* file, char digits[17], sup_error* error)
{
    (void)error;
    sup_hash_digits(sup_hash(SUP_HASH_START, file->bytes, file->size), digits);
    return SUP_OK;
}

sup_result sup_out_aim(sup_out_file* file, const char* path, sup_arena* arena, sup_error* error)
{
    file->path = sup_arena_text(arena, path, strlen(path));
    return file->path ? SUP_OK : sup_fail_memory(error, "the output file");
}

sup_result sup_out_close(sup_out_file* file, sup_error* error)
{
    (void)file, (void)error;
    return SUP_OK;
}

sup_result sup_out_commit(sup_out_file* file, sup_error* error) { return sup_out_close(file, error); }

void sup_out_bytes(const sup_out_file* file, const char** name, sup_bytes* out)
{
    *name = file->path;
    *out = (sup_bytes){ file->bytes, file->size };
}

void sup_out_withdraw(const sup_out_file* file) { (void)file; }
void sup_out_remove(const char* path) { (void)path; }

void sup_out_discard(sup_out_file* file)
{
    if (!file) return;
    sup_arena_destroy(file->memory);
    file->memory = NULL;
    file->size = file->room = 0;
}
