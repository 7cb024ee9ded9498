/// supple/base.h: values, errors and notes, memory, tasks, hashing.
///
/// Conventions of every header in this folder:
/// - meters, seconds, kilograms and radians unless a name or a note says otherwise;
/// - indices are uint32_t, SUP_NONE where there is none;
/// - a function that can fail returns sup_result and fills a sup_error for the person who supplied the data;
///   a programmer's mistake (NULL where it is not allowed) is an assertion;
/// - descriptions and options start as zeros, and zero is the default of every member that need not be given;
/// - no globals: two characters in two threads never meet.
#ifndef SUPPLE_BASE_H
#define SUPPLE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SUP_VERSION_MAJOR 0
#define SUP_VERSION_MINOR 1
#define SUP_VERSION_PATCH 0
#define SUP_VERSION "0.1.0"
/// Incremented when a struct or function of these headers changes so that programs must be recompiled.
#define SUP_ABI 4

#if defined(__MINGW32__) && !defined(__clang__) // MinGW's printf is that of Windows unless the attribute asks for GNU's
#define SUP_API
#define SUP_FORMAT(string_index, first) __attribute__((format(gnu_printf, string_index, first)))
#elif defined(__GNUC__)
#define SUP_API __attribute__((visibility("default")))
#define SUP_FORMAT(string_index, first) __attribute__((format(printf, string_index, first)))
#else
#define SUP_API
#define SUP_FORMAT(string_index, first)
#endif

/// Marks functions that may change or disappear in any version: a program that uses them should ship with the version it was
/// built with. All other code keeps compiling. Compile with -DSUP_WARN_EXPERIMENTAL to be warned about every use.
#if defined(SUP_WARN_EXPERIMENTAL) && defined(__GNUC__)
#define SUP_EXPERIMENTAL __attribute__((deprecated("experimental: may change in any version")))
#else
#define SUP_EXPERIMENTAL
#endif

/// The index of nothing.
#define SUP_NONE UINT32_MAX

// ---------------------------------------------------------------------------------------------- version

SUP_API const char* sup_version(void); ///< SUP_VERSION of the library, which may differ from the header's
SUP_API uint32_t    sup_abi(void);     ///< SUP_ABI of the library
/// Whether the loaded library matches the headers this program was compiled with. Check once, before any other call.
static inline bool sup_abi_fits(void) { return sup_abi() == SUP_ABI; }

// ---------------------------------------------------------------------------------------------- values

typedef struct sup_vec3 {
    float x, y, z;
} sup_vec3;

/// Also holds tangents, with the handedness in w.
typedef struct sup_vec4 {
    float x, y, z, w;
} sup_vec4;

/// Unit quaternion, w is the real part. q and -q are the same rotation.
typedef struct sup_quat {
    float x, y, z, w;
} sup_quat;

/// Affine map of column vectors: p' = m[.][0..2] p + m[.][3]. Row by row, as the skinning kernels read it.
typedef struct sup_affine {
    float m[3][4];
} sup_affine;

/// Rotation, then translation: p' = rotation p + translation.
typedef struct sup_rigid {
    sup_quat rotation;
    sup_vec3 translation;
} sup_rigid;

/// The transform of a joint: scale first, then rotation, then translation.
typedef struct sup_transform {
    sup_vec3 translation;
    sup_quat rotation;
    sup_vec3 scale;
} sup_transform;

// ---------------------------------------------------------------------------------------------- errors

typedef enum sup_result {
    SUP_OK = 0,
    SUP_ERROR_INPUT,     ///< the data or a setting is wrong; the text names the object and the cure
    SUP_ERROR_FILE,      ///< a file could not be opened, read or written
    SUP_ERROR_MEMORY,    ///< the allocator returned NULL, or a limit was reached
    SUP_ERROR_CANCELLED, ///< the progress callback asked to stop
} sup_result;

/// A message for the person who supplied the data: clauses without a trailing period or newline.
typedef struct sup_error {
    sup_result code;
    char       text[1024];
} sup_error;

/// Fills the error (NULL is allowed) and returns the code, so that failing is one line.
/// Understands %s %.*s %c %d %i %u %x %f %g with the lengths hh h l ll z; the decimal point never follows the locale.
SUP_API sup_result sup_fail(sup_error* error, sup_result code, const char* format, ...) SUP_FORMAT(3, 4);

/// Messages that do not stop the work: what was unusual, what was done about it, how to avoid it.
typedef struct sup_notes sup_notes;
/// Adds a note; the format takes the specifiers of sup_fail. A repeated note is kept once. NULL notes: does nothing.
SUP_API void sup_note(sup_notes* notes, const char* format, ...) SUP_FORMAT(2, 3);

// ---------------------------------------------------------------------------------------------- memory

/// Where memory comes from. Wherever a function takes an allocator, NULL means malloc and free.
typedef struct sup_allocator {
    void* (*allocate)(void* user, size_t bytes); ///< NULL when memory ran out; need not be zeroed; aligned for max_align_t
    void (*release)(void* user, void* memory, size_t bytes);
    void* user;
} sup_allocator;

/// Memory that only grows and is freed all at once. Every object of the library lives in one, so there is one allocation path.
/// While one thread allocates from an arena, no other may use it.
typedef struct sup_arena sup_arena;

SUP_API sup_arena* sup_arena_create(const sup_allocator* allocator); ///< NULL: out of memory
SUP_API void       sup_arena_destroy(sup_arena* arena);              ///< NULL is allowed
/// Zeroed memory for count items of size bytes, 64-byte aligned from 64 bytes up, 16 below.
/// NULL when memory ran out, the product overflows or the limit is reached. count 0 returns a valid pointer.
SUP_API void* sup_arena_alloc(sup_arena* arena, size_t count, size_t size);
SUP_API void* sup_arena_copy(sup_arena* arena, const void* data, size_t count, size_t size);
/// Makes untrusted text safe to print: invalid UTF-8 and whatever a terminal would act on (control characters, escapes,
/// direction marks) become '?'. Names in a character, errors and notes are already clean.
SUP_API void   sup_text_clean(char* text);
SUP_API char* sup_arena_text(sup_arena* arena, const char* text, size_t length); ///< a copy, with a terminating 0
SUP_API size_t sup_arena_bytes(const sup_arena* arena);                          ///< handed out so far
/// Moves everything `from` has handed out into `arena`, which must have the same allocator. Nothing is copied and no
/// address changes; `from` is empty afterwards.
SUP_API void sup_arena_adopt(sup_arena* arena, sup_arena* from);
/// Refuses to grow beyond this many bytes, so that a hostile file cannot exhaust the machine's memory. 0: no limit.
SUP_API void sup_arena_limit(sup_arena* arena, size_t bytes);

/// A block to pass as `scratch`: 64-byte aligned, not zeroed; the call it is passed to may overwrite all of it. Sizes come
/// from sup_chain_scratch_size, sup_meter_scratch and the like. One thread at a time per block. NULL: out of memory.
SUP_API void* sup_scratch_create(size_t bytes, const sup_allocator* allocator);
SUP_API void  sup_scratch_destroy(void* scratch); ///< NULL is allowed

// ---------------------------------------------------------------------------------------------- tasks

/// One piece of work: the items from begin up to, but not including, end.
typedef void sup_task_fn(void* data, uint32_t begin, uint32_t end);

/// How work is spread. A host plugs its own scheduler in; ours is the pool below. NULL: run inline.
/// run() returns when every piece is done. Pieces begin at multiples of grain whatever the worker count, so a task
/// finds its piece of scratch by begin / grain, and the bits never depend on which worker ran it.
typedef struct sup_tasks {
    void (*run)(void* user, uint32_t count, uint32_t grain, sup_task_fn* task, void* data);
    void*    user;
    uint32_t workers;
} sup_tasks;

/// Runs the task over [0, count) in pieces of grain items; inline where tasks is NULL.
SUP_API void sup_tasks_run(const sup_tasks* tasks, uint32_t count, uint32_t grain, sup_task_fn* task, void* data);

/// A small pool of POSIX threads. The calling thread works too, so threads = 1 starts none. While the pool is busy, a second
/// caller runs its tasks inline, and so does a task that starts tasks.
typedef struct sup_pool sup_pool;

SUP_API sup_pool*        sup_pool_create(uint32_t threads); ///< 0: one per core. NULL: out of memory or threads
SUP_API void             sup_pool_destroy(sup_pool* pool);
SUP_API const sup_tasks* sup_pool_tasks(sup_pool* pool); ///< NULL pool gives NULL, which runs inline

/// Called during long work. Return false to cancel; fraction runs from 0 to 1.
typedef struct sup_progress {
    bool (*report)(void* user, double fraction, const char* what);
    void* user;
} sup_progress;

/// True: continue. NULL progress is always true.
SUP_API bool sup_progress_report(const sup_progress* progress, double fraction, const char* what);

// ---------------------------------------------------------------------------------------------- words

/// The candidate closest to a mistyped word, for "did you mean" messages. NULL: none is close.
SUP_API const char* sup_word_nearest(const char* word, const char* const* candidates, uint32_t count);

// ---------------------------------------------------------------------------------------------- hashing

#define SUP_HASH_START 0xcbf29ce484222325ull

/// FNV-1a, 64 bits, continued from hash (SUP_HASH_START for the first).
SUP_API uint64_t sup_hash(uint64_t hash, const void* data, size_t bytes);
/// The hash of a frame: the points' float bits in point order, little-endian.
SUP_API uint64_t sup_hash_points(const sup_vec3* points, uint32_t count);

#ifdef __cplusplus
}
#endif
#endif
