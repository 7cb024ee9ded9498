// Files in WebAssembly, which has no disk: the page supplies input files, and output stays in memory. Replaces files.c and
// out_disk.c.
#include "io/out_disk.h"
#include "supple/io.h"

#include <errno.h>

const sup_files* sup_files_system(void) { return NULL; }

int sup_disk_look(const char* path, sup_disk_info* out) { return (void)path, (void)out, ENOSYS; }
int sup_disk_follow(sup_arena* arena, const char** path) { return (void)arena, (void)path, ENOSYS; }
int sup_disk_create(const char* path, intptr_t* out) { return (void)path, (void)out, ENOSYS; }

int sup_disk_write(intptr_t file, uint64_t offset, const void* data, size_t bytes)
{
    return (void)file, (void)offset, (void)data, (void)bytes, ENOSYS;
}

int sup_disk_read(intptr_t file, uint64_t offset, void* data, size_t bytes)
{
    return (void)file, (void)offset, (void)data, (void)bytes, ENOSYS;
}

int sup_disk_finish(intptr_t file, const unsigned* rights, bool* closed)
{
    return (void)file, (void)rights, (void)closed, ENOSYS;
}

int  sup_disk_rename(const char* from, const char* to) { return (void)from, (void)to, ENOSYS; }
void sup_disk_close(intptr_t file) { (void)file; }
void sup_disk_remove(const char* path) { (void)path; }
long sup_disk_process(void) { return 0; }
