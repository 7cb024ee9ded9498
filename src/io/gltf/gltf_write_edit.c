// Adds to a glTF document: values, buffer views, accessors, and the one buffer that holds everything.
#include "base/internal.h"
#include "io/gltf/gltf_ngon.h"

#include <string.h>

// The edit owns the tree, so it may cast away the const of sup_json_get.
sup_json* gltf_edit_get(sup_json* object, const char* key) { return (sup_json*)sup_json_get(object, key); }

static sup_json* kept(gltf_edit* edit, sup_json* value)
{
    if (!value) edit->failed = true;
    return value;
}

sup_json* gltf_edit_new(gltf_edit* edit, sup_json_type type) { return kept(edit, sup_json_new(edit->arena, type)); }

sup_json* gltf_edit_copy(gltf_edit* edit, const sup_json* value) { return kept(edit, sup_json_clone(edit->arena, value)); }

void gltf_edit_put(gltf_edit* edit, sup_json* object, const char* key, sup_json* value)
{
    // Places that reading did not use may hold anything.
    if (object && object->type == SUP_JSON_OBJECT && value) kept(edit, sup_json_set(edit->arena, object, key, value));
}

static sup_json* child(gltf_edit* edit, sup_json* parent, const char* key, sup_json_type type)
{
    sup_json* found = gltf_edit_get(parent, key);
    if (found && found->type == type) return found;
    found = gltf_edit_new(edit, type);
    gltf_edit_put(edit, parent, key, found);
    return found;
}

sup_json* gltf_edit_object(gltf_edit* edit, sup_json* parent, const char* key)
{
    return child(edit, parent, key, SUP_JSON_OBJECT);
}

sup_json* gltf_edit_array(gltf_edit* edit, sup_json* parent, const char* key)
{
    return child(edit, parent, key, SUP_JSON_ARRAY);
}

void gltf_edit_number(gltf_edit* edit, sup_json* object, const char* key, double value)
{
    gltf_edit_put(edit, object, key, kept(edit, sup_json_new_number(edit->arena, value)));
}

void gltf_edit_string(gltf_edit* edit, sup_json* object, const char* key, const char* text)
{
    gltf_edit_put(edit, object, key, kept(edit, sup_json_new_string(edit->arena, text)));
}

void gltf_edit_push_number(gltf_edit* edit, sup_json* array, double value)
{
    sup_json* number = kept(edit, sup_json_new_number(edit->arena, value));
    if (array && number) sup_json_push(array, number);
}

void gltf_edit_push_string(gltf_edit* edit, sup_json* array, const char* text)
{
    sup_json* string = kept(edit, sup_json_new_string(edit->arena, text));
    if (array && string) sup_json_push(array, string);
}

void gltf_edit_numbers(gltf_edit* edit, sup_json* object, const char* key, const float* values, uint32_t count)
{
    sup_json* array = gltf_edit_new(edit, SUP_JSON_ARRAY);
    for (uint32_t i = 0; i < count; ++i) gltf_edit_push_number(edit, array, (double)values[i]);
    gltf_edit_put(edit, object, key, array);
}

uint32_t gltf_edit_add(gltf_edit* edit, const char* list, sup_json* value)
{
    sup_json* array = gltf_edit_array(edit, edit->root, list);
    if (!array || !value) return 0;
    sup_json_push(array, value);
    return array->count - 1;
}

sup_json** gltf_edit_items(gltf_edit* edit, sup_json* array, uint32_t* count)
{
    *count = 0;
    if (!array || array->type != SUP_JSON_ARRAY) return NULL;
    sup_json** items = SUP_NEW(edit->arena, sup_json*, array->count);
    if (!items) {
        edit->failed = true;
        return NULL;
    }
    for (sup_json* item = array->first; item; item = item->next) items[(*count)++] = item;
    return items;
}

// ---------------------------------------------------------------------------------------------- bytes

// Every piece starts at a multiple of four, which suits all component types.
static uint64_t add_blob(gltf_edit* edit, const void* data, uint64_t bytes)
{
    uint64_t offset = edit->bytes;
    edit->bytes = (offset + bytes + 3) / 4 * 4;
    if (!data) return offset;
    gltf_blob* blob = SUP_NEW(edit->arena, gltf_blob, 1);
    if (!blob) {
        edit->failed = true;
        return offset;
    }
    *blob = (gltf_blob){ .data = data, .bytes = (size_t)bytes };
    if (edit->last) edit->last->next = blob;
    else edit->first = blob;
    edit->last = blob;
    return offset;
}

uint32_t gltf_edit_view(gltf_edit* edit, const void* data, uint64_t bytes, uint32_t stride, uint32_t target)
{
    sup_json* view = gltf_edit_new(edit, SUP_JSON_OBJECT);
    gltf_edit_number(edit, view, "buffer", 0);
    gltf_edit_number(edit, view, "byteOffset", (double)add_blob(edit, data, bytes));
    gltf_edit_number(edit, view, "byteLength", (double)bytes);
    if (stride) gltf_edit_number(edit, view, "byteStride", stride);
    if (target) gltf_edit_number(edit, view, "target", target);
    return gltf_edit_add(edit, "bufferViews", view);
}

static const char* type_name(uint32_t components)
{
    switch (components) {
    case 1: return "SCALAR";
    case 2: return "VEC2";
    case 3: return "VEC3";
    case 4: return "VEC4";
    default: SUP_ASSERT(components == 16); return "MAT4";
    }
}

static void note_accessor(gltf_edit* edit, const gltf_accessor* what)
{
    if (edit->accessor_count == edit->accessor_capacity) {
        uint32_t       capacity = edit->accessor_capacity ? 2 * edit->accessor_capacity : 64;
        gltf_accessor* grown = SUP_NEW(edit->arena, gltf_accessor, capacity);
        if (!grown) {
            edit->failed = true;
            return;
        }
        if (edit->accessor_count) memcpy(grown, edit->accessors, edit->accessor_count * sizeof *grown);
        edit->accessors = grown;
        edit->accessor_capacity = capacity;
    }
    edit->accessors[edit->accessor_count++] = *what;
}

uint32_t gltf_edit_accessor(gltf_edit* edit, uint32_t view, uint64_t offset, const gltf_accessor* what, sup_json** out)
{
    sup_json* accessor = gltf_edit_new(edit, SUP_JSON_OBJECT);
    if (view != SUP_NONE) gltf_edit_number(edit, accessor, "bufferView", view);
    if (view != SUP_NONE && offset) gltf_edit_number(edit, accessor, "byteOffset", (double)offset);
    gltf_edit_number(edit, accessor, "componentType", what->component_type);
    if (what->normalized) gltf_edit_put(edit, accessor, "normalized", gltf_edit_new(edit, SUP_JSON_TRUE));
    gltf_edit_number(edit, accessor, "count", what->count);
    gltf_edit_string(edit, accessor, "type", type_name(what->components));
    if (out) *out = accessor;
    if (what->data) note_accessor(edit, what);
    return gltf_edit_add(edit, "accessors", accessor);
}

uint32_t gltf_edit_floats(gltf_edit* edit, const float* values, uint32_t count, uint32_t components, uint32_t target,
                          bool bounds)
{
    if (!values) edit->failed = true;
    uint32_t      view = gltf_edit_view(edit, values, (uint64_t)count * components * sizeof(float), 0, target);
    gltf_accessor what = { .count = count,
                           .components = components,
                           .component_type = GLTF_FLOAT,
                           .data = (const uint8_t*)values,
                           .stride = components * sizeof(float) };
    sup_json*     accessor;
    uint32_t      index = gltf_edit_accessor(edit, view, 0, &what, &accessor);
    if (!bounds || !values || count == 0) return index;
    float low[4], high[4];
    for (uint32_t c = 0; c < components; ++c) {
        low[c] = high[c] = values[c];
        for (uint32_t i = 1; i < count; ++i) {
            float value = values[(size_t)i * components + c];
            if (value < low[c]) low[c] = value;
            if (value > high[c]) high[c] = value;
        }
    }
    gltf_edit_numbers(edit, accessor, "min", low, components);
    gltf_edit_numbers(edit, accessor, "max", high, components);
    return index;
}

static void list_once(gltf_edit* edit, const char* key, const char* extension)
{
    sup_json* list = gltf_edit_array(edit, edit->root, key);
    for (const sup_json* e = list ? list->first : NULL; e; e = e->next)
        if (strcmp(sup_json_string(e, ""), extension) == 0) return;
    gltf_edit_push_string(edit, list, extension);
}

void gltf_edit_use(gltf_edit* edit, const char* extension) { list_once(edit, "extensionsUsed", extension); }

void gltf_edit_require(gltf_edit* edit, const char* extension)
{
    gltf_edit_use(edit, extension);
    list_once(edit, "extensionsRequired", extension);
}

void gltf_ngon_mark(gltf_edit* edit, sup_json* primitive)
{
    gltf_edit_object(edit, gltf_edit_object(edit, primitive, "extensions"), GLTF_NGON);
    gltf_edit_use(edit, GLTF_NGON);
}

// ---------------------------------------------------------------------------------------------- opening

void gltf_edit_create(gltf_edit* edit, sup_arena* arena)
{
    *edit = (gltf_edit){ .arena = arena };
    edit->root = gltf_edit_new(edit, SUP_JSON_OBJECT);
}

const char* gltf_image_kind(sup_bytes image)
{
    static const struct {
        const char* mime;
        const char* magic;
        size_t      offset, length;
    } kinds[] = {
        { "image/png", "\x89PNG", 0, 4 },
        { "image/jpeg", "\xff\xd8\xff", 0, 3 },
        { "image/webp", "WEBP", 8, 4 },
        { "image/ktx2", "\xabKTX 20", 0, 7 },
    };
    for (size_t i = 0; i < SUP_COUNT_OF(kinds); ++i)
        if (image.size >= kinds[i].offset + kinds[i].length &&
            memcmp(image.data + kinds[i].offset, kinds[i].magic, kinds[i].length) == 0)
            return kinds[i].mime;
    return NULL;
}

static uint32_t embed_images(gltf_edit* edit, const gltf_source* source)
{
    uint32_t  left = 0, i = 0;
    sup_json* images = gltf_edit_get(edit->root, "images");
    for (sup_json* image = images ? images->first : NULL; image && i < source->image_count; image = image->next, ++i) {
        sup_bytes bytes = source->images[i];
        if (!bytes.data) continue;
        const char* mime = gltf_image_kind(bytes);
        if (!mime) {
            left++;
            continue;
        }
        sup_json_remove(image, "uri");
        gltf_edit_string(edit, image, "mimeType", mime);
        gltf_edit_number(edit, image, "bufferView", gltf_edit_view(edit, bytes.data, bytes.size, 0, 0));
    }
    return left;
}

// Concatenates all buffers and moves the views along.
static void join_buffers(gltf_edit* edit, const gltf_source* source)
{
    uint64_t* bases = SUP_NEW(edit->arena, uint64_t, source->buffer_count);
    if (!bases) {
        edit->failed = true;
        return;
    }
    for (uint32_t i = 0; i < source->buffer_count; ++i)
        bases[i] = add_blob(edit, source->buffers[i].data, source->buffers[i].data ? source->buffers[i].size : 0);
    sup_json* views = gltf_edit_get(edit->root, "bufferViews");
    for (sup_json* view = views ? views->first : NULL; view; view = view->next) {
        uint32_t buffer = sup_json_index(sup_json_get(view, "buffer"), SUP_NONE);
        if (buffer == 0 || buffer >= source->buffer_count) continue; // the first keeps its place
        double offset = sup_json_number(sup_json_get(view, "byteOffset"), 0);
        gltf_edit_number(edit, view, "buffer", 0);
        gltf_edit_number(edit, view, "byteOffset", (double)bases[buffer] + offset);
    }
    const sup_json* first = sup_json_at(sup_json_get(edit->root, "buffers"), 0);
    sup_json*       buffer = first ? gltf_edit_copy(edit, first) : gltf_edit_new(edit, SUP_JSON_OBJECT);
    if (buffer) sup_json_remove(buffer, "uri");
    sup_json* buffers = gltf_edit_new(edit, SUP_JSON_ARRAY);
    if (buffers && buffer) sup_json_push(buffers, buffer);
    gltf_edit_put(edit, edit->root, "buffers", buffers);
}

bool gltf_edit_gather(gltf_edit* edit, sup_bytes* out)
{
    uint8_t* bytes = sup_arena_alloc(edit->arena, (size_t)edit->bytes, 1);
    if (!bytes) edit->failed = true;
    uint64_t at = 0;
    for (const gltf_blob* blob = edit->first; blob && bytes; blob = blob->next) {
        memcpy(bytes + at, blob->data, blob->bytes);
        at = (at + blob->bytes + 3) / 4 * 4;
    }
    *out = (sup_bytes){ bytes, (size_t)edit->bytes };
    return bytes != NULL;
}

uint32_t gltf_edit_open(gltf_edit* edit, const gltf_source* source, sup_arena* arena)
{
    *edit = (gltf_edit){ .arena = arena };
    edit->root = gltf_edit_copy(edit, source->root);
    if (!edit->root) return 0;
    join_buffers(edit, source);
    return embed_images(edit, source);
}
