/// flat.h: the library for other languages. Plain functions on numbers, UTF-8 text ended by 0 and buffers of the caller.
///
/// Objects are handles, numbers that are never 0 and never used twice soon; a handle that was freed, made up, of another kind,
/// or that another thread is using is an error and never a crash. Descriptions and answers are JSON as the command line speaks
/// it.
/// - A function that makes something returns its handle, or 0; then flat_error(of the handle it was asked of) has the sentence.
/// - Others return FLAT_OK or one of flat_status.
/// - Texts and arrays that are returned belong to the handle: texts live until the next call that returns a text of that
/// handle,
///   arrays as long as the handle.
/// - What is still used stays alive: a character may be freed before its chains.
#ifndef SUPPLE_FLAT_H
#define SUPPLE_FLAT_H

#include <stdint.h>

#if defined(__wasm__)
#define FLAT_API
#elif defined(_WIN32)
#define FLAT_API __declspec(dllexport)
#else
#define FLAT_API __attribute__((visibility("default")))
#endif

typedef uint32_t flat_handle;

/// Rises with every change that callers must follow.
#define FLAT_ABI 1

typedef enum flat_status {
    FLAT_OK = 0,
    FLAT_INPUT,     ///< the data or a setting is wrong; flat_error names the object and the cure
    FLAT_FILE,      ///< a file could not be read or written
    FLAT_MEMORY,    ///< out of memory
    FLAT_CANCELLED, ///< progress asked to stop
    FLAT_DEAD,      ///< no such handle, or of another kind than the function takes
    FLAT_BUSY,      ///< another thread is using the handle
} flat_status;

/// Told about long work; 0 cancels.
typedef int32_t flat_progress_fn(void* user, double fraction, const char* what);
/// Reads a file beside the one that is loaded: bytes written, or how many there are where `out` is NULL; negative: none.
typedef int64_t flat_read_fn(void* user, const char* path, uint8_t* out, uint64_t room);

FLAT_API uint32_t    flat_abi(void);
FLAT_API const char* flat_version(void);
/// Memory of the library for languages that have none of their own to lend (WebAssembly).
FLAT_API void* flat_alloc(uint64_t bytes);
FLAT_API void  flat_release(void* memory);

/// Where everything begins: threads 0 is one per core.
FLAT_API flat_handle flat_open(uint32_t threads);
/// Ends any handle. 0 is allowed.
FLAT_API int32_t flat_free(flat_handle handle);
/// The last error of the handle as a sentence.
FLAT_API const char* flat_error(flat_handle handle);

/// JSON: every deformer with its parameters, and the built-in characters.
FLAT_API const char* flat_deformers(flat_handle session);
FLAT_API const char* flat_builtins(flat_handle session);

/// A file, or "builtin:beast". Options: {"unit","up","fps","meshes","dress"}; NULL or "": none.
FLAT_API flat_handle flat_load(flat_handle session, const char* path, const char* options, flat_progress_fn* progress,
                               void* user);
/// The same from memory; the name's ending tells the format. `read` finds what the file names beside itself; NULL: nothing is
/// there.
FLAT_API flat_handle flat_load_bytes(flat_handle session, const char* name, const uint8_t* bytes, uint64_t size,
                                     const char* options, flat_read_fn* read, void* user);
/// JSON: counts, parts, joints, clips, morphs, maps, unit, warnings.
FLAT_API const char* flat_inspect(flat_handle character);

/// {"links","clip","set":[],"preset":{},"world":{},"step","cycle":[begin,end]}. Clip: a name or a number; none: a live host.
FLAT_API flat_handle flat_chain(flat_handle character, const char* description, flat_progress_fn* progress, void* user);
/// JSON: {"text","dynamic","notes":[],"links":[{"name","values":{},"idle":{}}]}.
FLAT_API const char* flat_describe(flat_handle chain);

/// {"clip","start","end","preroll","loop","live"}; clip: that of the chain where it is not named.
FLAT_API flat_handle flat_play(flat_handle chain, const char* description);
/// The skin at a time into three floats a point; NULL: into the instance's own array "skin". `floats` is the buffer's size.
FLAT_API int32_t flat_evaluate(flat_handle instance, double time, float* out, uint64_t floats);
/// A live host: ten floats a joint (translation, rotation x y z w, scale) and a weight a morph, as many as there are.
FLAT_API int32_t flat_live(flat_handle instance, double dt, const float* local, uint64_t local_floats, const float* morphs,
                           uint64_t morph_floats, int32_t teleport, float* out, uint64_t floats);
/// A parameter that may change while playing: "layers.gravity", "smooth#2.step".
FLAT_API int32_t flat_set(flat_handle instance, const char* parameter, double value);
/// Of the frame evaluated last: 16 hexadecimal digits as `supple bake --hashes` prints, and JSON
/// {"volume","volume_rest","stretch", "crossings","parts":[{"name","volume","volume_rest"}],"fallbacks":{}}.
FLAT_API const char* flat_hash(flat_handle instance);
FLAT_API const char* flat_measure(flat_handle instance);
/// Unit normals of the frame evaluated last, three floats a stored vertex.
FLAT_API int32_t flat_normals(flat_handle instance, float* out, uint64_t floats);
/// Lets a link draw itself as it was in that frame: arrays "draw_lines", "draw_points" and "draw_triangles" of the instance,
/// per corner x y z and the value. `what`: one of its names; NULL: all.
FLAT_API int32_t flat_draw(flat_handle instance, uint32_t link, const char* what);

/// An array by name, and how many elements it has (floats or uint32). NULL: none of that name.
/// Character: "points" (f32 x 3), "triangles" (u32 x 3), "vertex_points" (u32), "face_begin", "corner_points",
/// "corner_vertices" (u32), "weight_begin", "weight_joints" (u32), "weight_values" (f32). Instance: "skin" (f32 x 3), "local"
/// (f32 x 10), "draw_...".
FLAT_API const void* flat_array(flat_handle handle, const char* name, uint64_t* count);

#endif
