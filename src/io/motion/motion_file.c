// Loads motion, skeletons and tables from files without a character.
#include "io/motion/motion_file.h"

#include "base/internal.h"
#include "io/path.h"

#include <string.h>

// The bytes live in *scratch, which the caller destroys.
static sup_result read_bytes(const char* path, const sup_load_options* options, const sup_arena* arena, sup_arena** scratch,
                             sup_bytes* out, sup_error* error)
{
    const sup_files* files = options ? options->files : NULL;
    if (!files) files = sup_files_system();
    if (!files) return sup_fail(error, SUP_ERROR_FILE, "cannot read '%s': this program has no access to files", path);
    *scratch = sup_arena_beside(arena);
    if (!*scratch) return sup_fail_memory(error, path);
    return files->read(files->user, path, *scratch, out, error);
}

sup_result sup_mocap_load(const char* path, const sup_load_options* options, sup_arena* arena, sup_mocap* out, sup_error* error)
{
    SUP_ASSERT(path && arena && out);
    if (!sup_path_ends_in(path, "bvh"))
        return sup_fail(error, SUP_ERROR_INPUT, "'%s' cannot be read as a motion; give a .bvh file", path);
    sup_arena* scratch = NULL;
    sup_bytes  bytes;
    sup_result result = read_bytes(path, options, arena, &scratch, &bytes, error);
    if (result == SUP_OK) result = sup_bvh_parse(path, bytes, arena, out, error);
    if (result != SUP_OK) sup_path_name(path, error);
    sup_arena_destroy(scratch);
    return result;
}

sup_result sup_rig_load(const char* path, const sup_load_options* options, sup_arena* arena, sup_rig* out, sup_error* error)
{
    SUP_ASSERT(path && arena && out);
    if (!sup_path_ends_in(path, "tgf"))
        return sup_fail(error, SUP_ERROR_INPUT, "'%s' cannot be read as a skeleton; give a .tgf file", path);
    sup_arena* scratch = NULL;
    sup_bytes  bytes;
    sup_result result = read_bytes(path, options, arena, &scratch, &bytes, error);
    if (result == SUP_OK) result = sup_tgf_parse(bytes, arena, out, error);
    if (result != SUP_OK) sup_path_name(path, error);
    sup_arena_destroy(scratch);
    return result;
}

sup_result sup_matrix_load(const char* path, const sup_load_options* options, sup_arena* arena, sup_matrix* out,
                           sup_error* error)
{
    SUP_ASSERT(path && arena && out);
    bool headed = sup_path_ends_in(path, "dmat");
    if (!headed && !sup_path_ends_in(path, "tmat"))
        return sup_fail(error, SUP_ERROR_INPUT, "'%s' cannot be read as a table; give a .dmat or .tmat file", path);
    sup_arena* scratch = NULL;
    sup_bytes  bytes;
    sup_result result = read_bytes(path, options, arena, &scratch, &bytes, error);
    if (result == SUP_OK) result = (headed ? sup_dmat_parse : sup_tmat_parse)(bytes, arena, out, error);
    if (result != SUP_OK) sup_path_name(path, error);
    sup_arena_destroy(scratch);
    return result;
}

sup_result sup_motion_map_load(const char* path, const sup_load_options* options, sup_arena* arena, sup_joint_pair** pairs,
                               uint32_t* count, sup_error* error)
{
    SUP_ASSERT(path && arena && pairs && count);
    sup_arena* scratch = NULL;
    sup_bytes  bytes;
    sup_result result = read_bytes(path, options, arena, &scratch, &bytes, error);
    if (result == SUP_OK) result = sup_motion_map_parse(bytes, arena, pairs, count, error);
    if (result != SUP_OK) sup_path_name(path, error);
    sup_arena_destroy(scratch);
    return result;
}
