// Windows starts programs, not copies of one: workers are not available yet.
#include "system/process.h"

#include <errno.h>

int process_prepare(void) { return ENOSYS; }

int process_start(const process_desc* desc, process_worker* workers, uint32_t count, uint32_t index)
{
    (void)desc, (void)workers, (void)count, (void)index;
    return ENOSYS;
}

int process_send(const process_worker* worker, const void* message, size_t size)
{
    (void)worker, (void)message, (void)size;
    return ENOSYS;
}

bool process_wait(process_worker* workers, uint32_t count, double seconds, process_end* out)
{
    (void)workers, (void)count, (void)out;
    system_pause(seconds);
    return false;
}

void process_kill(const process_worker* worker, bool at_once) { (void)worker, (void)at_once; }
void process_dismiss(process_worker* worker) { (void)worker; }
void process_log(const char* path) { (void)path; }

void process_host(char* out, size_t size) { snprintf(out, size, "windows"); }

uint64_t process_born(long process) { return process == path_process(); }
