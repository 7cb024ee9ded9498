/// io/bake.h: the inside of a bake that format writers see.
#ifndef SUP_IO_BAKE_H
#define SUP_IO_BAKE_H

#include "supple/io.h"

struct sup_bake {
    sup_bake_desc          desc; ///< texts copied
    const sup_character*   character; ///< frames hold its points; a writer may put another one into desc
    const sup_file_format* format;
    sup_arena*             arena;
    const sup_allocator*   allocator; ///< the host's, while the bake begins
    double                 span;  ///< seconds from the first frame to the end of what is written
    const sup_clip*        part;  ///< desc.clip from desc.start on, at 0 to span; desc.clip itself if that is all of it
    sup_character*         own;   ///< made by the writer and put into desc; freed with the bake; NULL: none
    void*                  state; ///< the writer's own, from the arena
    struct sup_out_file*   file;  ///< opened beside the target; NULL if the format makes its own files
    struct sup_bake_file*  files; ///< those from sup_bake_open, in order of opening
    struct sup_bake_file*  last_file;
    char*                  warnings; ///< newline-separated, NULL while empty
    sup_vec3*              points;   ///< buffer for frames with non-finite points; NULL until there is one
    sup_vec3*              normals;
    uint64_t               bad_points;
    const char*            stale; ///< a file that only the replaced output named, removed after it; NULL: none
    uint32_t               next_frame;
    const sup_bake_report* report; ///< of a budget; NULL: there was none
    bool                   done;
    bool                   in_memory; ///< nothing touches the disk; sup_bake_output returns the bytes
};

/// Adds a sentence for the user to sup_bake_end's warnings.
void sup_bake_warn(sup_bake* bake, const char* format, ...) SUP_FORMAT(2, 3);

/// The last second of desc.clip that plays: the end of the span, or where a pose is held from.
double sup_bake_clip_end(const sup_bake* bake);

/// One more file of this bake. All move to their targets together in sup_bake_end, or none does. buffer and capacity as in
/// sup_out_open.
sup_result sup_bake_open(sup_bake* bake, const char* path, void* buffer, size_t capacity, struct sup_out_file** out,
                         sup_error* error);
/// A temporary file beside the target, for data that must be written again in another order; deleted with the bake.
sup_result sup_bake_spill(sup_bake* bake, struct sup_out_file** out, sup_error* error);
/// "out.pc2" with words before its ending: "out_Body.pc2". Characters unfit for file names become '_'. NULL: out of memory.
char* sup_bake_path(sup_bake* bake, const char* words);

/// "walk.glb" with another tail instead of its ending: "walk_vat.png". NULL: out of memory.
char* sup_bake_beside(sup_bake* bake, const char* tail);

/// Rest normals of the stored vertices, from the bake's arena.
sup_result sup_bake_rest_normals(sup_bake* bake, const sup_vec3** out, sup_error* error);

/// An existing directory, or a path that can only be one.
bool sup_out_is_directory(const char* path);

/// A file that is written beside its target and replaces it only when complete.
typedef struct sup_out_file sup_out_file;
#define SUP_OUT_ROOM ((size_t)1 << 20) ///< so large that system calls cost nothing
/// `buffer` has `capacity` bytes, or is NULL: one from the arena.
sup_result sup_out_open(const char* path, sup_arena* arena, void* buffer, size_t capacity, sup_out_file** out,
                        sup_error* error);
/// The same without a file: the output stays in memory until sup_out_discard. Unbuffered.
sup_result sup_out_open_memory(const char* name, sup_arena* arena, sup_out_file** out, sup_error* error);
/// The bytes in memory, and the name the file would have had.
void       sup_out_bytes(const sup_out_file* file, const char** name, sup_bytes* out);
sup_result sup_out_write(sup_out_file* file, const void* data, size_t bytes, sup_error* error);
sup_result sup_out_write_at(sup_out_file* file, uint64_t offset, const void* data, size_t bytes, sup_error* error);
/// Reads back what was written earlier.
sup_result sup_out_read_at(sup_out_file* file, uint64_t offset, void* data, size_t bytes, sup_error* error);
uint64_t   sup_out_size(const sup_out_file* file);
/// A hash as used in file names: 16 hexadecimal digits.
static inline void sup_hash_digits(uint64_t hash, char digits[17])
{
    for (int i = 0; i < 16; ++i) digits[i] = "0123456789abcdef"[hash >> (60 - 4 * i) & 15];
    digits[16] = 0;
}
/// The hash of everything written, as 16 digits. In the name of a file that another one references, it keeps a reader from
/// combining an old one with a new one.
sup_result sup_out_hash(sup_out_file* file, char digits[17], sup_error* error);
/// Changes the target of a file that is not committed yet, within the same folder.
sup_result sup_out_aim(sup_out_file* file, const char* path, sup_arena* arena, sup_error* error);
/// Flushes to disk and closes; the file stays beside its target. On failure nothing remains.
sup_result sup_out_close(sup_out_file* file, sup_error* error);
/// Closes and renames; on failure the target is unchanged and nothing remains beside it.
sup_result sup_out_commit(sup_out_file* file, sup_error* error);
/// Removes a committed file again, unless it replaced one: that may have been identical and in use.
void sup_out_withdraw(const sup_out_file* file);
/// Removes a file that nothing references any more. Failure does no harm.
void sup_out_remove(const char* path);
/// Closes and removes; nothing when committed already. NULL is allowed.
void sup_out_discard(sup_out_file* file);

#endif
