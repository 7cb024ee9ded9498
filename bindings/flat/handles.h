/// handles.h: what handles stand for. Objects count who uses them; a table knows which numbers are alive.
#ifndef SUPPLE_FLAT_HANDLES_H
#define SUPPLE_FLAT_HANDLES_H

#include "flat.h"
#include "supple/supple.h"

typedef enum flat_kind { FLAT_SESSION = 1, FLAT_CHARACTER = 2, FLAT_CHAIN = 4, FLAT_INSTANCE = 8, FLAT_ANY = 15 } flat_kind;

/// Bytes that grow.
typedef struct flat_bytes {
    char*  data;
    size_t used, room;
} flat_bytes;

typedef struct flat_object {
    flat_kind           kind;
    uint32_t            references; ///< its handle, and its children
    int                 busy;
    struct flat_object* parent;
    sup_error           error;
    flat_bytes          text; ///< of the last call that returned one
    // Session
    sup_pool* pool;
    // Character
    sup_character* character;
    // Chain
    sup_chain*      chain;
    const sup_clip* clip;
    sup_arena*      arena; ///< of the description
    // Instance
    sup_instance*      instance;
    void *             scratch, *meter_scratch, *normals_scratch;
    const sup_normals* normals;
    sup_vec3*          skin;
    bool               shown, live; ///< skin is a frame; a host delivers poses
    sup_meter*         meter;       ///< made when first measured
    sup_stats          stats;
    flat_bytes         drawn[3];
} flat_object;

/// A new object of the kind under the parent, which it keeps alive. NULL: out of memory, and the parent's error says so.
flat_object* flat_object_new(flat_kind kind, flat_object* parent);
/// Gives it a handle; 0: out of memory, and the object is gone.
flat_handle flat_object_publish(flat_object* object);
/// Ends one use.
void flat_object_release(flat_object* object);

/// The object, which no other thread gets until flat_leave. NULL: *status says why.
flat_object* flat_enter(flat_handle handle, uint32_t kinds, int32_t* status);
void         flat_leave(flat_object* object);

flat_object*     flat_ancestor(flat_object* object, flat_kind kind);
const sup_tasks* flat_tasks(flat_object* object);

/// A description as an object whose members have known names; NULL and "" are an empty one. `what` is its plural, for messages.
sup_result flat_parse(const char* text, const char* what, const char* const* names, uint32_t count, sup_arena* arena,
                      sup_json** out, sup_error* error);
/// A list of texts, or one text; NULL: none.
sup_result flat_texts(const sup_json* list, const char* what, sup_arena* arena, const char* const** out, uint32_t* count,
                      sup_error* error);

bool flat_bytes_add(flat_bytes* bytes, const void* data, size_t size);
/// What every function with a JSON answer does: enters, lets `build` make the tree (NULL: out of memory, or it has said why),
/// writes it as the object's text, leaves.
typedef sup_json* flat_build_fn(flat_object* object, sup_arena* arena);
const char*       flat_answer(flat_handle handle, uint32_t kinds, flat_build_fn* build);

/// The caller's progress, as the library asks for it. user: a flat_listener.
typedef struct flat_listener {
    flat_progress_fn* progress;
    void*             user;
} flat_listener;
bool flat_report(void* user, double fraction, const char* what);

#endif
