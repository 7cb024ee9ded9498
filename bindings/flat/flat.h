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
/// - A buffer comes with its number of elements (floats, uint32 or bytes, as the function says), and a wrong number is an
/// error.
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

/// Told about long work; 0 cancels.
typedef int32_t flat_progress_fn(void* user, double fraction, const char* what);
/// Reads a file beside the one that is loaded: bytes written, or how many there are where `out` is NULL; negative: none.
typedef int64_t flat_read_fn(void* user, const char* path, uint8_t* out, uint64_t capacity);

FLAT_API uint32_t    flat_abi(void);
FLAT_API const char* flat_version(void);
/// Memory of the library for languages that have none of their own to lend (WebAssembly).
FLAT_API void* flat_alloc(uint64_t bytes);
FLAT_API void  flat_release(void* memory);

/// Where everything begins: threads 0 is one per core.
FLAT_API flat_handle flat_open(uint32_t threads);
/// Ends any handle. 0 is allowed.
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
/// The same from memory; the name's ending tells the format. `read` finds what the file names beside itself; NULL: nothing is
/// there.
FLAT_API flat_handle flat_load_bytes(flat_handle session, const char* name, const uint8_t* bytes, uint64_t size,
                                     const char* options, flat_read_fn* read, void* user);
/// JSON: counts, parts, joints, clips, examples, morphs, maps, unit, warnings; "fit" where flat_fit made it. Of a bake:
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
/// one of implausible size is taken for a plausible one by physics, as sup_load does. The draft stays.
FLAT_API flat_handle flat_make(flat_handle draft, const char* description, flat_progress_fn* progress, void* user);

/// A map from 0 to 1 for each point, or each stored vertex, in place of one of that name. Chains that are there already do not
/// see it. flat_array(character, "map:NAME") gives it back.
FLAT_API int32_t flat_map(flat_handle character, const char* name, const float* values, uint64_t count);
/// A sculpt: {"name","clip","time","rest_space"}, three floats a point or a stored vertex. No time: all sculpts are dropped.
FLAT_API int32_t flat_example(flat_handle character, const char* description, const float* points, uint64_t floats);
/// Skin weights in place of those that are there: point i follows joints[k] by values[k] for k from begin[i] to begin[i + 1] -
/// 1; begin has a number for each point and the end. Rows are brought to a sum of exactly 1 in steps of 2^-22, the largest
/// first: flat_write puts them into the GLB, and who reads that has the same bits. flat_array(character, "weight_begin") and so
/// on give them back.
FLAT_API int32_t flat_weights(flat_handle character, const uint32_t* begin, uint64_t begin_count, const uint32_t* joints,
                              const float* values, uint64_t count);
/// A motion: {"name","fps"}, ten floats a joint for every frame, and a weight a morph for every frame or NULL.
FLAT_API int32_t flat_clip(flat_handle character, const char* description, const float* local, uint64_t local_floats,
                           const float* morphs, uint64_t morph_floats);
/// The motion of a file put on the character's joints as a new clip: captured motion (.bvh), or a clip of another character's
/// file; or key poses (.json, docs/poses.md), which take the place of a clip of the same name that was added before.
/// Bytes and `read` as in flat_load_bytes; bytes NULL: the file `name` is read. Of captured motion:
/// {"name","clip","fps","map":{"joint":"joint of the motion" or null},"keep_first"}: the new clip's name (that of the motion),
/// which clip of the other character (the first) and how many keys a second (30), who follows whom where names do not tell.
/// JSON: {"clip","seconds","name","frames_left_out","guessed",
/// "side_guessed","rest_from_frame","scale","pairs":[{"joint","follows","as","by"}],"without_partner":[],"warnings":[]}; by:
/// "map", "name" or "shape", which is a guess. NULL: nothing was added, flat_error says why.
FLAT_API const char* flat_motion(flat_handle character, const char* name, const uint8_t* bytes, uint64_t size,
                                 const char* description, flat_read_fn* read, void* user);
/// A new character with automatic weights, over the mesh of this one, which stays as it is: {"method","cells","influences",
/// "spread","mask","center"} as `supple weights` takes them, and "keep_cells": the cells that weights spread through are arrays
/// then, "cell_centers" (three floats each), "cell_joints" and "cell_values" (four each, strongest first), of a side
/// "cell_size". skeleton: NULL for the character's own joints, whose clips come along; else a file (.bvh, .tgf, or a
/// character's) whose joints are fitted into the mesh, with its bytes, or NULL to read it. flat_inspect of what is returned has
/// "weights": {"cells","particles","influences_max","lost_points","outside_joints":[], "idle_joints":[],"scale",...}.
FLAT_API flat_handle flat_weigh(flat_handle character, const char* skeleton, const uint8_t* bytes, uint64_t size,
                                const char* description, flat_progress_fn* progress, void* user);
/// The doctor: every joint swept through what the clips do with it, under several chains; what `supple check --json` prints
/// (without offers, which depend on the machine) and "left_out": [{"chain","why"}].
/// {"chains":["linear","layers"],"clip","joints":
/// ["Spine*"],"full","preroll","top","world":{}}. Without chains: every deformer that suits and needs no settling. Of a chain:
/// that chain as it is bound, behind those that are named; one joint at a time costs no binding then. NULL: flat_error says
/// why.
FLAT_API const char* flat_check(flat_handle character_or_chain, const char* description, flat_progress_fn* progress,
                                void* user);
/// A rig for the character's mesh out of shapes of it, frame after frame, with the motion as the clip "fit":
/// {"bones","error","influences","smooth","rigid","seed","flat","fps"}.
FLAT_API flat_handle flat_fit(flat_handle character, const char* description, const float* frames, uint64_t floats,
                              flat_progress_fn* progress, void* user);
/// The character as the bytes of a GLB, which live as long as the handle's next such call. NULL: flat_error says why.
FLAT_API const uint8_t* flat_write(flat_handle character, uint64_t* size);

/// The bytes of a mesh that bodies of worlds name, for chains and checkups of this character from now on; copied. A name that
/// is there already means the new bytes. NULL: none of that name.
FLAT_API int32_t flat_prop(flat_handle character, const char* name, const uint8_t* bytes, uint64_t size);
/// {"links","clip","set":[],"preset":{},"world":{},"step","cycle":[begin,end]}. Clip: a name or a number; none: a live host.
/// Meshes that a world names are those of flat_prop, or loaded as files.
FLAT_API flat_handle flat_chain(flat_handle character, const char* description, flat_progress_fn* progress, void* user);
/// JSON: {"text","dynamic","notes":[],"links":[{"name","values":{},"idle":{}}]}.
FLAT_API const char* flat_describe(flat_handle chain);

/// {"clip","start","end","preroll","loop","live","snapshots"}; clip: that of the chain where it is not named. Snapshots are
/// states kept to go back to (16): with more of them less is simulated again.
FLAT_API flat_handle flat_play(flat_handle chain, const char* description);
/// The skin at a time, forwards or backwards, into three floats a point: the same bits for the same time, whatever was asked
/// before (a simulation goes back to the nearest of its snapshots and runs on from there); NULL: into the instance's own array
/// "skin". `floats` is the buffer's size.
FLAT_API int32_t flat_evaluate(flat_handle instance, double time, float* out, uint64_t floats);
/// A live host: ten floats a joint (translation, rotation x y z w, scale) and a weight a morph, as many as there are.
FLAT_API int32_t flat_live(flat_handle instance, double dt, const float* local, uint64_t local_floats, const float* morphs,
                           uint64_t morph_floats, int32_t teleport, float* out, uint64_t floats);
/// A parameter that may change while playing: "layers.gravity", "smooth#2.step". Those of "stage": "frame" in flat_deformers;
/// others, and the world, need another chain.
FLAT_API int32_t flat_set(flat_handle instance, const char* parameter, double value);
/// Other forces than the chain's world has: its member "forces" as JSON text, from second `from` on, behind which all is
/// simulated anew. A hand that pulls adds a key a frame; a chain with the last of these forces gives the same bits. NULL: none.
FLAT_API int32_t flat_forces(flat_handle instance, const char* forces, double from);
/// The chain's bodies in other places: the member "bodies" of its world as JSON text, of the same number, kinds and meshes,
/// from second `from` on. A ball that follows a pointer gets a key a frame; a chain with the last of these bodies gives the
/// same bits.
FLAT_API int32_t flat_bodies(flat_handle instance, const char* bodies, double from);
/// The newtons that a spring of the world pulled with in the last step, by its number in the list; 0: nothing held it.
FLAT_API double flat_felt(flat_handle instance, uint32_t force);
/// From this second of the clip on its pose is held, as --hold does behind --end; 0: the clip plays on.
FLAT_API int32_t flat_hold(flat_handle instance, double still);
/// Of the frame evaluated last: 16 hexadecimal digits as `supple bake --hashes` prints, and JSON
/// {"volume","volume_rest","stretch","roughness","crossings","parts":[{"name","volume","volume_rest"}],"fallbacks":{}}.
FLAT_API const char* flat_hash(flat_handle instance);
FLAT_API const char* flat_measure(flat_handle instance);
/// JSON {"max","mean","rms","erms"}: distances of that frame to a truth of three floats a point.
FLAT_API const char* flat_errors(flat_handle instance, const float* truth, uint64_t floats);
/// A value for each point of that frame: "stretch" (log2 of its worst edge), "roughness" (change of curvature), "volume"
/// (change of its part's volume, as a fraction), "weight:JOINT" (0 to 1), "map:NAME".
FLAT_API int32_t flat_values(flat_handle instance, const char* what, float* out, uint64_t floats);
/// The distance of each point of that frame to another place: those of flat_errors, one by one.
FLAT_API int32_t flat_distances(flat_handle instance, const float* others, uint64_t floats, float* out, uint64_t count);
/// Unit normals of the frame evaluated last, three floats a stored vertex.
FLAT_API int32_t flat_normals(flat_handle instance, float* out, uint64_t floats);
/// Lets a link draw itself as it was in that frame: arrays "draw_lines", "draw_points" and "draw_triangles" of the instance,
/// per corner x y z and the value. `what`: one of its names; NULL: all. "draw_names" (bytes): what there is to draw, a line
/// each.
FLAT_API int32_t flat_draw(flat_handle instance, uint32_t link, const char* what);

/// Plays the chain over a clip from start to end, and with its last pose for "hold" seconds more:
/// {"clip","start","end","hold","fps","preroll","loop","file","memory","name","flat", "sparse"}. Without a file the frames are
/// the array "points" of what is returned; with "walk.glb" (or another ending that `supple bake` knows) they are written there;
/// with memory too, the bytes are "file:0" and on, and nothing is written. flat_inspect has the rest.
FLAT_API flat_handle flat_bake(flat_handle chain, const char* description, flat_progress_fn* progress, void* user);

/// An array by name, and how many elements it has (floats, uint32, or bytes). NULL: none of that name.
/// Character: "points" (f32 x 3), "triangles" (u32 x 3), "vertex_points" (u32), "face_begin", "corner_points",
/// "corner_vertices" (u32), "weight_begin", "weight_joints" (u32), "weight_values" (f32), "normals" (f32 x 3, authored),
/// "joint_rest" (f32 x 10), "joint_inverse_bind" (f32 x 12), "map:NAME" (f32), "colors" (f32 x 3 a point, linear; none where
/// the file has none). Instance: "skin" (f32 x 3), "local" (f32 x 10), "morph_weights" (f32), "draw_...". Bake: "points",
/// "times" (f64), "file:0" (bytes).
FLAT_API const void* flat_array(flat_handle handle, const char* name, uint64_t* count);

#endif
