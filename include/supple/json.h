/// supple/json.h: a small, bounded JSON reader and writer.
///
/// Values live in an arena and form a tree of plain structs. Numbers keep their source text, so that a document which is
/// read, added to and written again changes nothing that it does not understand.
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
    const char*      key;    ///< unescaped name where the parent is an object, else NULL; ends in 0
    const char*      text;   ///< STRING: unescaped UTF-8, ends in 0. NUMBER: as written in the source, or NULL when made by us
    uint32_t         length; ///< bytes of text
    double           number; ///< NUMBER, correctly rounded
    struct sup_json* first;
    struct sup_json* last;
    struct sup_json* next; ///< the sibling behind this one
} sup_json;

/// Deepest nesting that is read; more is an error, never a stack overflow.
#define SUP_JSON_DEPTH_MAX 128

/// Reads one document. The error names line and column and what was expected. `name` is the file, for messages.
/// The bytes need not stay: everything kept is copied to the arena. A UTF-8 byte order mark is skipped.
SUP_API sup_result sup_json_parse(const char* bytes, size_t length, const char* name, sup_arena* arena, sup_json** out,
                                  sup_error* error);

/// Member of an object by name (the last one where a name is repeated), or NULL; NULL object and non-objects give NULL.
SUP_API const sup_json* sup_json_get(const sup_json* object, const char* key);
/// Item of an array, or NULL. Walks the list: for long arrays follow `next` yourself.
SUP_API const sup_json* sup_json_at(const sup_json* array, uint32_t index);
/// The value, or the fallback where it is absent or of another type.
SUP_API double      sup_json_number(const sup_json* value, double fallback);
SUP_API const char* sup_json_string(const sup_json* value, const char* fallback);
/// A whole number from 0 to SUP_NONE - 1; anything else (absent, negative, fractional, huge) gives the fallback.
SUP_API uint32_t sup_json_index(const sup_json* value, uint32_t fallback);

// Building and changing. All return NULL when the arena is exhausted; NULL parents are passed through, so that a row of
// calls needs one check at the end.
SUP_API sup_json* sup_json_new(sup_arena* arena, sup_json_type type);
SUP_API sup_json* sup_json_new_number(sup_arena* arena, double number);
SUP_API sup_json* sup_json_new_string(sup_arena* arena, const char* text);
SUP_API sup_json* sup_json_clone(sup_arena* arena, const sup_json* value); ///< deep copy without its key
/// Puts the value under the key, in place of one of that name, else at the end. Returns the value.
SUP_API sup_json* sup_json_set(sup_arena* arena, sup_json* object, const char* key, sup_json* value);
SUP_API sup_json* sup_json_push(sup_json* array, sup_json* value);
SUP_API void      sup_json_remove(sup_json* object, const char* key);

/// Where text goes. `write` returns false when no more can be taken (a full disk).
typedef struct sup_text_sink {
    bool (*write)(void* user, const char* bytes, size_t length);
    void* user;
} sup_text_sink;

/// Writes the tree; indent 0 is compact, else that many spaces a level. Numbers made by us are the shortest text that
/// reads back to the same double; NaN and infinities are written as null. False when the sink refused.
SUP_API bool sup_json_write(const sup_json* value, int indent, const sup_text_sink* sink);

#ifdef __cplusplus
}
#endif
#endif
