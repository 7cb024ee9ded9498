// What the module needs beside the flat interface: JavaScript's functions as function pointers, and the pool for its workers.
#include "handles.h"

// The exports have no header: their caller is JavaScript.
#pragma clang diagnostic ignored "-Wmissing-prototypes"
#define EXPORT(name) __attribute__((export_name(#name))) name
#define IMPORT(name) __attribute__((import_module("env"), import_name(#name)))

IMPORT(progress) int32_t js_progress(void* user, double fraction, const char* what);
IMPORT(read) int64_t js_read(void* user, const char* path, uint8_t* out, uint64_t capacity);

flat_progress_fn* EXPORT(supple_progress)(void) { return js_progress; }
flat_read_fn*     EXPORT(supple_read)(void) { return js_read; }

// What a worker serves: it instantiates the module on the same memory, sets __stack_pointer to the end of a stack of its own
// and calls supple_serve(pool). The session ends it.
sup_pool* EXPORT(supple_pool)(flat_handle session)
{
    int32_t      status;
    flat_object* o = flat_enter(session, FLAT_SESSION, &status);
    sup_pool*    pool = o ? o->pool : NULL;
    if (o) flat_leave(o);
    return pool;
}
