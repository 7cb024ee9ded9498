/// supple/json.h: a small, bounded JSON reader and writer.
///
/// Values live in an arena and form a tree of plain structs. Numbers keep their source text, so that reading a document,
/// adding to it and writing it leaves everything else as it was.
#ifndef SUPPLE_JSON_H
#define SUPPLE_JSON_H

#include "supple/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sup_json_type {
    SUP_JSON_NULL,
    SUP_JSON_FALSE,
    SUP_JSON_TRUE,
    SUP_JSON_NUMBER,
    SUP_JSON_STRING,
    SUP_JSON_ARRAY,
    SUP_JSON_OBJECT,
} sup_json_type;

/// One value. Members of an object and items of an array are a linked list in file order; `count` is its length.
typedef struct sup_json {
    sup_json_type    type;
    uint32_t         count;  ///< children
    const char*      key;    ///< unescaped name where the parent is an object, else NULL; 0-terminated
    const char*      text;   ///< STRING: unescaped UTF-8, 0-terminated. NUMBER: as in the source; NULL if built in memory
    uint32_t         length; ///< bytes of text
    double           number; ///< NUMBER, correctly rounded
    struct sup_json* first;
    struct sup_json* last;
    struct sup_json* next; ///< the next sibling
} sup_json;

/// The deepest nesting that is read; deeper documents are an error, never a stack overflow.
#define SUP_JSON_DEPTH_MAX 128

/// Reads one document. The error names line, column and what was expected. `name` is the file, for messages.
/// The bytes may be freed afterwards: what is kept is copied to the arena. A UTF-8 byte order mark is skipped.
SUP_API sup_result sup_json_parse(const char* bytes, size_t length, const char* name, sup_arena* arena, sup_json** out,
                                  sup_error* error);

/// The member of that name (the last one where a name is repeated), or NULL, also for NULL and for values that are not objects.
SUP_API const sup_json* sup_json_get(const sup_json* object, const char* key);
/// An item of an array, or NULL. Walks the list: to visit a long array, follow `next` yourself.
SUP_API const sup_json* sup_json_at(const sup_json* array, uint32_t index);
/// The value, or the fallback where it is absent or of another type.
SUP_API double      sup_json_number(const sup_json* value, double fallback);
SUP_API const char* sup_json_string(const sup_json* value, const char* fallback);
/// A whole number from 0 to SUP_NONE - 1; anything else (absent, negative, fractional, huge) gives the fallback.
SUP_API uint32_t sup_json_index(const sup_json* value, uint32_t fallback);

// Building and changing. All return NULL when the arena is exhausted and accept NULL parents, so that a sequence of calls
// needs one check at the end.
SUP_API sup_json* sup_json_new(sup_arena* arena, sup_json_type type);
SUP_API sup_json* sup_json_new_number(sup_arena* arena, double number);
SUP_API sup_json* sup_json_new_string(sup_arena* arena, const char* text);
SUP_API sup_json* sup_json_clone(sup_arena* arena, const sup_json* value); ///< deep copy without its key
/// Sets the member `key`: replaces the one of that name, else appends. Returns the value.
SUP_API sup_json* sup_json_set(sup_arena* arena, sup_json* object, const char* key, sup_json* value);
SUP_API sup_json* sup_json_push(sup_json* array, sup_json* value);
SUP_API void      sup_json_remove(sup_json* object, const char* key);

/// Where text goes. `write` returns false when it cannot take any more (a full disk).
typedef struct sup_text_sink {
    bool (*write)(void* user, const char* bytes, size_t length);
    void* user;
} sup_text_sink;

/// Writes the tree; indent 0 is compact, else that many spaces per level. Numbers built in memory get the shortest text that
/// reads back to the same double; NaN and infinities become null. False when the sink returned false.
SUP_API bool sup_json_write(const sup_json* value, int indent, const sup_text_sink* sink);

#ifdef __cplusplus
}
#endif
#endif
