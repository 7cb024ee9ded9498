/// io/bake.h: the inside of a bake that format writers see.
#ifndef SUP_IO_BAKE_H
#define SUP_IO_BAKE_H

#include "supple/io.h"

struct sup_bake {
    sup_bake_desc          desc; ///< texts copied
    const sup_file_format* format;
    sup_arena*             arena;
    void*                  state;    ///< the writer's own, from the arena
    struct sup_out_file*   file;     ///< opened beside the target
    char*                  warnings; ///< newline-separated, NULL while empty
    uint32_t               next_frame;
    bool                   done;
};

/// Adds a sentence for the person to sup_bake_end's warnings.
void sup_bake_warn(sup_bake* bake, const char* format, ...) SUP_FORMAT(2, 3);

/// A directory there is, or a path that can only be one.
bool sup_out_is_directory(const char* path);

/// A file that is written beside its target and takes its place only when whole.
typedef struct sup_out_file sup_out_file;
sup_result                  sup_out_open(const char* path, sup_arena* arena, sup_out_file** out, sup_error* error);
sup_result                  sup_out_write(sup_out_file* file, const void* data, size_t bytes, sup_error* error);
sup_result sup_out_write_at(sup_out_file* file, uint64_t offset, const void* data, size_t bytes, sup_error* error);
uint64_t   sup_out_size(const sup_out_file* file);
/// Flushes to the disk, closes and renames; on failure the target is as it was and nothing remains beside it.
sup_result sup_out_commit(sup_out_file* file, sup_error* error);
/// Closes and removes; nothing when committed already. NULL is allowed.
void sup_out_discard(sup_out_file* file);

#endif
