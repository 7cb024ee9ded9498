/// flat.h: the library for other languages. Plain functions on numbers, 0-terminated UTF-8 text and the caller's buffers.
///
/// Objects are handles, numbers that are never 0 and not reused soon. A handle that was freed, is invalid, of another kind, or
/// in use by another thread is an error, never a crash. Descriptions and results are JSON, as on the command line.
/// - A function that makes something returns its handle, or 0; then flat_error of the handle it was called with says why.
/// - Others return FLAT_OK or another flat_status.
/// - Returned texts and arrays belong to the handle: texts live until the next call that returns a text of that handle, arrays
///   as long as the handle.
/// - A buffer comes with its number of elements (floats, uint32 or bytes, as the function says); a wrong number is an error.
/// - What is still in use stays alive: a character may be freed before its chains.
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

#ifdef __cplusplus
extern "C" {
#endif

typedef uint32_t flat_handle;

/// Goes up with every change that callers must follow.
#define FLAT_ABI 5

typedef enum flat_status {
    FLAT_OK = 0,
    FLAT_INPUT,     ///< the data or a setting is wrong; flat_error names the object and the cure
    FLAT_FILE,      ///< a file could not be read or written
    FLAT_MEMORY,    ///< out of memory
    FLAT_CANCELLED, ///< progress asked to stop
    FLAT_DEAD,      ///< no such handle, or of another kind than the function takes
    FLAT_BUSY,      ///< another thread is using the handle
} flat_status;

/// Called during long work; return 0 to cancel.
typedef int32_t flat_progress_fn(void* user, double fraction, const char* what);
/// Reads a file that the loaded one mentions. Returns the bytes written, or the size if `out` is NULL; negative: no such file.
typedef int64_t flat_read_fn(void* user, const char* path, uint8_t* out, uint64_t capacity);

FLAT_API uint32_t    flat_abi(void);
FLAT_API const char* flat_version(void);
/// Memory of the library, for callers that cannot pass their own (WebAssembly).
FLAT_API void* flat_alloc(uint64_t bytes);
FLAT_API void  flat_release(void* memory);

/// Opens a session, from which everything else is made. threads 0: one per core.
FLAT_API flat_handle flat_open(uint32_t threads);
/// Frees any handle. 0 is allowed.
FLAT_API int32_t flat_free(flat_handle handle);
/// The last error of the handle as a sentence, and its flat_status.
FLAT_API const char* flat_error(flat_handle handle);
FLAT_API int32_t     flat_status_of(flat_handle handle);

/// JSON: every deformer with its parameters, and the built-in characters.
FLAT_API const char* flat_deformers(flat_handle session);
FLAT_API const char* flat_builtins(flat_handle session);

/// A file, or "builtin:beast". Options: {"unit","up","fps","meshes","dress"}; NULL or "": none.
FLAT_API flat_handle flat_load(flat_handle session, const char* path, const char* options, flat_progress_fn* progress,
                               void* user);
/// The same from memory; the ending of the name gives the format. `read` opens the files that the file mentions; NULL: there
/// are none.
FLAT_API flat_handle flat_load_bytes(flat_handle session, const char* name, const uint8_t* bytes, uint64_t size,
                                     const char* options, flat_read_fn* read, void* user);
/// JSON: counts, parts, joints, clips, examples, morphs, maps, unit, warnings; "fit" if flat_fit made it. Of a bake:
/// {"frames","fps","start","points","chain","hash","hashes":[],"fallbacks":{},"bytes","files":[],"warnings":[]}.
FLAT_API const char* flat_inspect(flat_handle character_or_bake);

/// A character from arrays: a draft, arrays by name, and flat_make. Arrays are copied. Of the first mesh ("points#2": of the
/// second): "points" (f32 x 3), "normals" (f32 x 3), "face_sizes" (u32; without: triangles), "corners" (u32), "weight_begin",
/// "weight_joints" (u32), "weight_values" (f32), "map:NAME" (f32), "morph:NAME" (f32 x 3). Of the skeleton: "joint_rest" (f32 x
/// 10: translation, rotation x y z w, scale, from the parent), "joint_inverse_bind" (f32 x 12, three rows of four; without: the
/// rest pose is the bind pose).
FLAT_API flat_handle flat_draft(flat_handle session);
FLAT_API int32_t     flat_give(flat_handle draft, const char* name, const void* data, uint64_t count);
/// {"name","unit","up","parts":[{"name","weld","joint"}],"joints":[{"name","parent"}],"weights":"automatic"}. Without a unit,
/// physics assumes a plausible size for a character of implausible size, as sup_load does. The draft stays.
FLAT_API flat_handle flat_make(flat_handle draft, const char* description, flat_progress_fn* progress, void* user);

/// Sets a map, 0 to 1 for each point or each stored vertex, and replaces one of that name. Existing chains do not see it. Where
/// there are as many points as vertices, the order is that of the points ("vertex_points" has the point of each vertex).
/// flat_array(character, "map:NAME") returns it.
FLAT_API int32_t flat_map(flat_handle character, const char* name, const float* values, uint64_t count);
/// Adds a sculpt: {"name","clip","time","rest_space"}, three floats per point or stored vertex, as in flat_map. Without a
/// time: drops all sculpts.
FLAT_API int32_t flat_example(flat_handle character, const char* description, const float* points, uint64_t floats);
/// Replaces the skin weights: point i follows joints[k] by values[k] for k from begin[i] to begin[i + 1] - 1; begin has
/// point count + 1 entries. Rows are normalized to a sum of exactly 1 in steps of 2^-22, the largest first: a GLB from
/// flat_write reads back to the same bits. flat_array(character, "weight_begin") and so on return them.
FLAT_API int32_t flat_weights(flat_handle character, const uint32_t* begin, uint64_t begin_count, const uint32_t* joints,
                              const float* values, uint64_t count);
/// Adds a motion: {"name","fps"}, ten floats per joint for every frame, and one weight per morph for every frame, or NULL.
FLAT_API int32_t flat_clip(flat_handle character, const char* description, const float* local, uint64_t local_floats,
                           const float* morphs, uint64_t morph_floats);
/// The motion of a file put on the character's joints as a new clip: captured motion (.bvh), or a clip of another character's
/// file; or key poses (.json, docs/poses.md), which replace a clip of the same name that was made from poses before.
/// Bytes and `read` as in flat_load_bytes; bytes NULL: reads the file `name`. For captured motion:
/// {"name","clip","fps","map":{"joint":"joint of the motion" or null},"keep_first"}: the new clip's name (that of the motion),
/// the clip of the other character (the first), keys per second (30), and pairs of joints that names do not give.
/// JSON: {"clip","seconds","name","frames_left_out","guessed",
/// "side_guessed","rest_from_frame","scale","pairs":[{"joint","follows","as","by"}],"without_partner":[],"warnings":[]}; by:
/// "map", "name" or "shape", which is a guess. NULL: nothing was added, flat_error says why.
FLAT_API const char* flat_motion(flat_handle character, const char* name, const uint8_t* bytes, uint64_t size,
                                 const char* description, flat_read_fn* read, void* user);
/// A new character with the mesh of this one, which does not change, and automatic weights: {"method","cells","influences",
/// "spread","mask","center"} as in `supple weights`, and "keep_cells": the cells that weights spread through are then arrays,
/// "cell_centers" (three floats each), "cell_joints" and "cell_values" (four each, strongest first), of side "cell_size".
/// skeleton: NULL for the character's own joints, with their clips; else a file (.bvh, .tgf, or a character's) whose joints are
/// fitted into the mesh, with its bytes, or NULL to read it. flat_inspect of the result has "weights":
/// {"cells","particles","influences_max","lost_points","outside_joints":[],"idle_joints":[],"scale",...}.
FLAT_API flat_handle flat_weigh(flat_handle character, const char* skeleton, const uint8_t* bytes, uint64_t size,
                                const char* description, flat_progress_fn* progress, void* user);
/// The doctor: sweeps every joint over the range of the clips, under several chains. Returns what `supple check --json` prints
/// (without offers, which depend on the machine) and "left_out": [{"chain","why"}].
/// {"chains":["linear","layers"],"clip","joints":["Spine*"],"full","preroll","top","world":{}}. Without chains: every deformer
/// that suits and needs no settling. For a chain handle: that chain as it is bound, after those that are named, so that
/// checking one joint at a time does not bind again. NULL: flat_error says why.
FLAT_API const char* flat_check(flat_handle character_or_chain, const char* description, flat_progress_fn* progress,
                                void* user);
/// A rig for the character's mesh from shapes of it, frame after frame, with the motion as the clip "fit":
/// {"bones","error","influences","smooth","rigid","seed","flat","fps"}.
FLAT_API flat_handle flat_fit(flat_handle character, const char* description, const float* frames, uint64_t floats,
                              flat_progress_fn* progress, void* user);
/// The character as the bytes of a GLB, which live until the next such call on the handle. NULL: flat_error says why.
FLAT_API const uint8_t* flat_write(flat_handle character, uint64_t* size);

/// The bytes of a mesh that bodies of worlds name, for chains and checkups of this character from now on; copied. A name that
/// is there already means the new bytes. NULL: none of that name.
FLAT_API int32_t flat_prop(flat_handle character, const char* name, const uint8_t* bytes, uint64_t size);
/// {"links","clip","set":[],"preset":{},"world":{},"step","cycle":[begin,end]}. Clip: a name or a number; none: a live host.
/// Meshes that a world names come from flat_prop, or are loaded from files.
FLAT_API flat_handle flat_chain(flat_handle character, const char* description, flat_progress_fn* progress, void* user);
/// JSON: {"text","dynamic","notes":[],"links":[{"name","values":{},"idle":{}}]}.
FLAT_API const char* flat_describe(flat_handle chain);

/// {"clip","start","end","preroll","loop","live","snapshots"}; clip: by default that of the chain. Snapshots are states kept
/// for seeking back (16): with more of them, less is simulated again.
FLAT_API flat_handle flat_play(flat_handle chain, const char* description);
/// The skin at a time, forward or backward, as three floats per point: the same bits for the same time, whatever was evaluated
/// before (a simulation restores the nearest snapshot and steps forward from there). NULL: into the instance's own array
/// "skin". `floats` is the buffer's size. An error for a live instance, and for a time more than 60 s past the clip and all
/// earlier frames, except of a loop or of a chain that simulates nothing.
FLAT_API int32_t flat_evaluate(flat_handle instance, double time, float* out, uint64_t floats);
/// One frame of a live host: ten floats per joint (translation, rotation x y z w, scale) and one weight per morph, for all of
/// them.
FLAT_API int32_t flat_live(flat_handle instance, double dt, const float* local, uint64_t local_floats, const float* morphs,
                           uint64_t morph_floats, int32_t teleport, float* out, uint64_t floats);
/// Sets a parameter while playing: "layers.gravity", "smooth#2.step". Only those with "stage": "frame" in flat_deformers;
/// others, and the world, need a new chain.
FLAT_API int32_t flat_set(flat_handle instance, const char* parameter, double value);
/// Replaces the forces of the world (the JSON text of its member "forces") from second `from` on; what follows is simulated
/// again. A hand that pulls adds a key per frame; a chain bound with the final forces gives the same bits. NULL: no forces.
FLAT_API int32_t flat_forces(flat_handle instance, const char* forces, double from);
/// Moves the chain's bodies: the member "bodies" of its world as JSON text, with the same count, kinds and meshes, from second
/// `from` on. A ball that follows a pointer gets a key per frame; a chain bound with the final bodies gives the same bits.
FLAT_API int32_t flat_bodies(flat_handle instance, const char* bodies, double from);
/// The newtons a spring pulled with in the last step, by its index in the list of forces; 0: no link applied it.
FLAT_API double flat_felt(flat_handle instance, uint32_t force);
/// Holds the pose from this second of the clip on, as --hold does after --end; 0: the clip plays on.
FLAT_API int32_t flat_hold(flat_handle instance, double still);
/// Of the frame evaluated last: 16 hexadecimal digits as `supple bake --hashes` prints, and JSON
/// {"volume","volume_rest","stretch","roughness","crossings","parts":[{"name","volume","volume_rest"}],"fallbacks":{}}.
FLAT_API const char* flat_hash(flat_handle instance);
FLAT_API const char* flat_measure(flat_handle instance);
/// JSON {"max","mean","rms","erms"}: distances of that frame to a truth of three floats per point.
FLAT_API const char* flat_errors(flat_handle instance, const float* truth, uint64_t floats);
/// A value for each point of that frame: "stretch" (log2 of its worst edge), "roughness" (change of curvature), "volume"
/// (change of its part's volume, as a fraction), "weight:JOINT" (0 to 1), "map:NAME".
FLAT_API int32_t flat_values(flat_handle instance, const char* what, float* out, uint64_t floats);
/// The distance of each point of that frame to another position: those that flat_errors sums up.
FLAT_API int32_t flat_distances(flat_handle instance, const float* others, uint64_t floats, float* out, uint64_t count);
/// Unit normals of the frame evaluated last, three floats per stored vertex.
FLAT_API int32_t flat_normals(flat_handle instance, float* out, uint64_t floats);
/// Lets a link draw itself as it was in that frame: arrays "draw_lines", "draw_points" and "draw_triangles" of the instance,
/// per corner x y z and the value. `what`: one of its names; NULL: all. "draw_names" (bytes): the names, one per line.
FLAT_API int32_t flat_draw(flat_handle instance, uint32_t link, const char* what);

/// Plays the chain over a clip from start to end, then holds the last pose for "hold" seconds:
/// {"clip","start","end","hold","fps","preroll","loop","file","memory","name","flat", "sparse"}. Without a file the frames are
/// the array "points" of the result; with "walk.glb" (or another ending that `supple bake` writes) they go to that file; with
/// "memory" as well, the bytes are the arrays "file:0" and on, and nothing is written. flat_inspect has the rest.
FLAT_API flat_handle flat_bake(flat_handle chain, const char* description, flat_progress_fn* progress, void* user);

/// An array by name, and how many elements it has (floats, uint32, or bytes). NULL: none of that name.
/// Character: "points" (f32 x 3), "triangles" (u32 x 3), "vertex_points" (u32), "face_begin", "corner_points",
/// "corner_vertices" (u32), "weight_begin", "weight_joints" (u32), "weight_values" (f32), "normals" (f32 x 3, authored),
/// "joint_rest" (f32 x 10), "joint_inverse_bind" (f32 x 12), "map:NAME" (f32), "colors" (f32 x 3 per point, linear; absent if
/// the file has none). Instance: "skin" (f32 x 3), "local" (f32 x 10), "morph_weights" (f32), "draw_...", "ripples" (f32 x 6:
/// wave x y z, cosine and sine of the phase, height; as many for each point; none unless the last link folds skin more finely
/// than its points can show): shading for the frame evaluated last, sup_ripple in <supple/deformer.h>. Bake: "points", "times"
/// (f64), "file:0" (bytes).
FLAT_API const void* flat_array(flat_handle handle, const char* name, uint64_t* count);

#ifdef __cplusplus
}
#endif

#endif
