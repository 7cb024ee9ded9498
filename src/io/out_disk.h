/// io/out_disk.h: what out_file.c needs from the system. out_disk.c is for POSIX, out_disk_windows.c for Windows, no_disk.c for
/// pages; all return 0 or an errno value.
#ifndef SUP_IO_OUT_DISK_H
#define SUP_IO_OUT_DISK_H

#include "supple/base.h"

typedef enum sup_disk_kind { SUP_DISK_FILE, SUP_DISK_FOLDER, SUP_DISK_OTHER } sup_disk_kind;

typedef struct sup_disk_info {
    sup_disk_kind kind;
    bool          writable;
    unsigned      rights; ///< for sup_disk_finish
} sup_disk_info;

/// ENOENT: it does not exist.
int sup_disk_look(const char* path, sup_disk_info* out);
/// A link as output means the file it points to, existing or not.
int sup_disk_follow(sup_arena* arena, const char** path);
/// Creates a file for reading and writing. EEXIST: it exists.
int sup_disk_create(const char* path, intptr_t* out);
int sup_disk_write(intptr_t file, uint64_t offset, const void* data, size_t bytes);
int sup_disk_read(intptr_t file, uint64_t offset, void* data, size_t bytes);
/// Flushes to disk, gives it the permissions of what it replaces (NULL: nothing), and closes it. If it fails the file is still
/// open unless *closed.
int  sup_disk_finish(intptr_t file, const unsigned* rights, bool* closed);
void sup_disk_close(intptr_t file);
/// Renames atomically, safe against a power failure as far as the file system allows.
int  sup_disk_rename(const char* from, const char* to);
void sup_disk_remove(const char* path);
long sup_disk_process(void); ///< id of this process, for unique names

#endif
