/// io/out_disk.h: what out_file.c asks of the system. out_disk.c is for POSIX, out_disk_windows.c for Windows, no_disk.c for
/// pages; all answer with 0 or a number of errno.h.
#ifndef SUP_IO_OUT_DISK_H
#define SUP_IO_OUT_DISK_H

#include "supple/base.h"

typedef enum sup_disk_kind { SUP_DISK_FILE, SUP_DISK_FOLDER, SUP_DISK_OTHER } sup_disk_kind;

typedef struct sup_disk_info {
    sup_disk_kind kind;
    bool          writable;
    unsigned      rights; ///< for sup_disk_finish
} sup_disk_info;

/// ENOENT: there is nothing.
int sup_disk_look(const char* path, sup_disk_info* out);
/// A link as output means the file it points to, whether that exists yet or not.
int sup_disk_follow(sup_arena* arena, const char** path);
/// A new file for reading and writing. EEXIST: there is one.
int sup_disk_create(const char* path, intptr_t* out);
int sup_disk_write(intptr_t file, uint64_t offset, const void* data, size_t bytes);
int sup_disk_read(intptr_t file, uint64_t offset, void* data, size_t bytes);
/// On the disk, with the rights of what it replaces (NULL: nothing), and closed. Where it fails it is still open unless
/// *closed.
int  sup_disk_finish(intptr_t file, const unsigned* rights, bool* closed);
void sup_disk_close(intptr_t file);
/// From one name to the other in one step, safe against a power cut as far as the file system allows.
int  sup_disk_rename(const char* from, const char* to);
void sup_disk_remove(const char* path);
long sup_disk_process(void); ///< number of this process, for names nobody else takes

#endif
