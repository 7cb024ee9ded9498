/// handles.h: the objects behind handles. Objects count their users; a table knows which handles are valid.
#ifndef SUPPLE_FLAT_HANDLES_H
#define SUPPLE_FLAT_HANDLES_H

#include "flat.h"
#include "supple/supple.h"

typedef enum flat_kind {
    FLAT_SESSION = 1,
    FLAT_CHARACTER = 2,
    FLAT_CHAIN = 4,
    FLAT_INSTANCE = 8,
    FLAT_DRAFT = 16,
    FLAT_BAKE = 32,
    FLAT_ANY = 63,
} flat_kind;

/// A growing buffer of bytes.
typedef struct flat_bytes {
    char*  data;
    size_t used, capacity;
} flat_bytes;

/// An array given to a draft.
typedef struct flat_given {
    struct flat_given* next;
    const char*        name;
    const void*        data;
    uint64_t           count;
} flat_given;

/// The result of a bake.
typedef struct flat_baked {
    uint32_t    frames;
    double      fps, start;
    sup_vec3*   points; ///< frame after frame; NULL: written to files
    double*     times;
    uint64_t*   hashes;
    uint64_t    hash, bytes;
    const char* warnings;
    sup_bake*   files; ///< in memory; NULL: on the disk
    const char* path;
} flat_baked;

typedef struct flat_object {
    flat_kind           kind;
    uint32_t            references; ///< its handle, and its children
    int                 busy;
    uint32_t            readers; ///< of a character: users that need it unchanged
    struct flat_object* parent;
    sup_error           error;
    flat_bytes          text; ///< of the last call that returned one
    // Session
    sup_pool* pool;
    // Character
    sup_character*         character;
    sup_decomposition      fit;       ///< report of a fit; bone_count 0: none
    sup_arena*             written;   ///< the bytes of flat_write
    flat_bytes             joints[2]; ///< rest and inverse_bind as arrays
    flat_bytes             colors;    ///< of the points, once requested
    sup_auto_weights       weighed;   ///< report of flat_weigh; its arrays are in the character
    float                  skeleton_scale;
    struct flat_prop_file* props; ///< meshes for worlds
    sup_json*              posed; ///< names of the clips that came from poses, as keys; in the character's arena
    // Draft
    flat_given* given;
    // Bake
    flat_baked baked;
    // Chain
    sup_chain*      chain;
    const sup_clip* clip;
    sup_arena*      arena; ///< of the description, and of what belongs to the object
    // Instance
    sup_instance*      instance;
    void *             scratch, *meter_scratch, *normals_scratch;
    const sup_normals* normals;
    sup_vec3*          skin;
    bool               shown, live; ///< skin holds a frame; a host supplies poses
    double             reached;     ///< seconds: the end of the clip, or the latest frame if that is later
    sup_meter*         meter;       ///< created when first measured
    sup_stats          stats;
    flat_bytes         drawn[4]; ///< lines, points, triangles, and names, a line each
    sup_ripple*        ripples;  ///< of the frame, once requested
} flat_object;

/// A new object below a parent, which it keeps alive. NULL: out of memory, reported on the parent.
flat_object* flat_object_new(flat_kind kind, flat_object* parent);
/// Gives it a handle; 0: out of memory, and the object is freed.
flat_handle flat_object_publish(flat_object* object);
/// Releases one use.
void flat_object_release(flat_object* object);

/// Locks the object for this thread until flat_leave. NULL: *status says why.
flat_object* flat_enter(flat_handle handle, uint32_t kinds, int32_t* status);
void         flat_leave(flat_object* object);
/// Ends a call that made something, with its handle; not SUP_OK: that is given up. 0: there is none. Both may be NULL.
flat_handle flat_leave_with(flat_object* object, flat_object* made, sup_result result);

/// Keeps a character from changing while objects below it read it. False: it is being changed.
bool flat_read_begin(flat_object* character);
void flat_read_end(flat_object* character);
/// Like flat_enter, for changing it: FLAT_BUSY while it is being read.
flat_object* flat_enter_to_change(flat_handle character, int32_t* status);

flat_object*     flat_ancestor(flat_object* object, flat_kind kind);
const sup_tasks* flat_tasks(flat_object* object);

/// A file: its bytes with a callback for the files beside it, or only a path.
typedef struct flat_source {
    const char*   name; ///< NULL: no bytes were given, files are read
    sup_bytes     bytes;
    flat_read_fn* read;
    void*         user;
} flat_source;
flat_source flat_source_of(const char* name, const uint8_t* bytes, uint64_t size, flat_read_fn* read, void* user);
/// Whether there is something to read; fails with a sentence if not.
sup_result flat_source_check(const flat_source* source, const char* path, sup_error* error);
/// sup_files.read of one.
sup_result flat_source_read(void* source, const char* path, sup_arena* arena, sup_bytes* out, sup_error* error);

/// A mesh for worlds, given as bytes.
typedef struct flat_prop_file {
    struct flat_prop_file* next;
    const char*            name;
    sup_bytes              bytes; ///< on the heap, followed by the name
} flat_prop_file;
void flat_props_free(flat_prop_file* first);
/// Loads the meshes that bodies of the world name into the arena: those given for the character, or files.
sup_result flat_world_meshes(sup_chain_desc* desc, const flat_prop_file* props, sup_arena* arena, sup_error* error);
/// "weights" of flat_inspect, if flat_weigh made it.
void flat_put_weighed(sup_arena* a, sup_json* out, const flat_object* o);

/// A member of a description and what it must be. null is as good as absent.
typedef enum flat_type { FLAT_IS_ANY, FLAT_IS_TEXT, FLAT_IS_NUMBER, FLAT_IS_SWITCH, FLAT_IS_LIST, FLAT_IS_OBJECT } flat_type;
typedef struct flat_member {
    const char* name;
    flat_type   type;
} flat_member;
enum { FLAT_MEMBERS_MAX = 16 };
/// Parses a description whose members must have known names and types; NULL and "" are an empty one. `what` is its plural, for
/// messages.
sup_result flat_parse(const char* text, const char* what, const flat_member* members, uint32_t count, sup_arena* arena,
                      sup_json** out, sup_error* error);
/// The same check for an object inside a description; NULL passes.
sup_result flat_check_members(const sup_json* object, const char* what, const flat_member* members, uint32_t count,
                              sup_error* error);
/// A list of texts, or a single text; NULL: none.
sup_result flat_texts(const sup_json* list, const char* what, sup_arena* arena, const char* const** out, uint32_t* count,
                      sup_error* error);

/// A clip by name or number; absent: `standard`, null: none.
sup_result flat_find_clip(const sup_character* c, const sup_json* wanted, const sup_clip* standard, const sup_clip** out,
                          sup_error* error);
/// Whether a buffer has the required size; reports it if not.
bool flat_fits(flat_object* o, const char* what, const void* buffer, uint64_t floats, uint64_t needed);
/// Whether all numbers are finite; reports it if not.
bool flat_all_finite(flat_object* o, const char* what, const float* values, uint64_t count);
bool flat_true(const sup_json* value);
/// "stiffness" as files write it: "_STIFFNESS". NULL: out of memory.
const char* flat_map_name(const char* text, sup_arena* arena);
/// A number from min to max, `standard` if absent.
sup_result flat_number(const sup_json* object, const char* key, double min, double max, double standard, double* out,
                       sup_error* error);
/// Whether a frame was evaluated; reports it if not.
bool      flat_shown(flat_object* instance);
sup_json* flat_inspect_bake(flat_object* o, sup_arena* a);
/// A map by its own name, or as users write it. NULL: none.
const float* flat_map_array(const sup_character* c, const char* name, uint64_t* count);
const void*  flat_bake_array(flat_object* o, const char* name, uint64_t* count);
/// A hash as 16 digits, 0-terminated.
void flat_digits(uint64_t hash, char digits[17]);

bool flat_bytes_add(flat_bytes* bytes, const void* data, size_t size);
/// Writes the tree as the object's text; NULL: out of memory.
const char* flat_text(flat_object* object, const sup_json* tree);
/// The common part of all functions with a JSON result: enters, lets `build` make the tree (NULL: out of memory, or already
/// reported), writes it as the object's text, leaves.
typedef sup_json* flat_build_fn(flat_object* object, sup_arena* arena);
const char*       flat_answer(flat_handle handle, uint32_t kinds, flat_build_fn* build);

/// Adapts the caller's progress callback to the library's. user: a flat_listener.
typedef struct flat_listener {
    flat_progress_fn* progress;
    void*             user;
} flat_listener;
bool flat_report(void* user, double fraction, const char* what);

#endif
