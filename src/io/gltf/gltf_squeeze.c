// Rewrites all streams of a document, grouped by kind and width, each group packed as one: vertices, keys, indices, and the
// lists and values of sparse accessors. Lossless: floats that are whole multiples of a power of two use the exponential filter,
// all others are stored as they are. Unreferenced data is dropped.
#include "io/gltf/gltf_squeeze.h"
#include "base/internal.h"
#include "io/gltf/gltf_ngon.h"

#include <math.h>
#include <string.h>

enum { STRIDE_MAX = 256 };

typedef struct stream {
    stream_use     use;
    uint32_t       stride;
    bool           exponential, raw;
    uint8_t*       data;
    size_t         bytes, capacity;
    uint32_t       view;
    struct stream* next;
} stream;

// Where bytes of the old document went.
typedef struct placed {
    uint64_t            from;
    uint64_t            bytes;
    uint32_t            stride, use;
    const vertex_order* order;
    stream*             to;
    uint64_t            offset;
} placed;

// A number to be filled in once the views are known.
typedef struct pending {
    sup_json* object;
    stream*   to;
} pending;

typedef struct squeezer {
    gltf_edit*           edit;
    const sup_extra*     extra; // NULL: nothing is packed
    const squeeze_grids* round;
    sup_arena*           work;
    sup_bytes            binary;
    uint32_t             accessor_count, view_count;
    sup_json**           accessors;
    sup_json**           views;
    uint8_t*             uses;
    float*               grids;  // rounding of floats; 0: none
    bool*                shares; // round only if all values lie within 0 to 1
    const vertex_order** orders; // new order of an accessor's vertices; NULL: unchanged
    uint32_t*            owners; // the primitive (counted over all) that uses the accessor; SHARED: several
    uint32_t*            widths; // numbers in a row of morph weights; 0: as in the accessor
    stream*              first;
    stream*              last;
    placed*              places;
    pending*             waiting;
    uint32_t             place_count, waiting_count;
    uint64_t             unpacked;
    uint64_t*            bytes; // by use
    bool                 failed;
} squeezer;

static bool is_index(stream_use use) { return use == USE_TRIANGLES || use == USE_SEQUENCE || use == USE_LIST; }
static bool is_vertex(stream_use use) { return use == USE_VERTEX || use == USE_TARGET; }

static uint32_t component_count(const char* type)
{
    static const char* const names[] = { "SCALAR", "VEC2", "VEC3", "VEC4", "MAT2", "MAT3", "MAT4" };
    static const uint32_t    counts[] = { 1, 2, 3, 4, 4, 9, 16 };
    for (size_t i = 0; i < SUP_COUNT_OF(names); ++i)
        if (strcmp(names[i], type) == 0) return counts[i];
    return 0;
}

// ---------------------------------------------------------------------------------------------- streams

static stream* find_stream(squeezer* s, stream_use use, uint32_t stride, bool exponential, bool raw)
{
    for (stream* at = s->first; at; at = at->next)
        if (at->use == use && at->stride == stride && at->exponential == exponential && at->raw == raw) return at;
    stream* made = SUP_NEW(s->work, stream, 1);
    s->failed |= !made;
    if (!made) return NULL;
    *made = (stream){ .use = use, .stride = stride, .exponential = exponential, .raw = raw };
    if (s->last) s->last->next = made;
    else s->first = made;
    s->last = made;
    return made;
}

static uint8_t* extend(squeezer* s, stream* to, size_t bytes)
{
    if (to->capacity - to->bytes < bytes) {
        size_t   capacity = 2 * to->capacity + bytes;
        uint8_t* data = SUP_NEW(s->work, uint8_t, capacity);
        s->failed |= !data;
        if (!data) return NULL;
        if (to->bytes) memcpy(data, to->data, to->bytes);
        to->data = data;
        to->capacity = capacity;
    }
    to->bytes += bytes;
    return to->data + to->bytes - bytes;
}

// One block of the old document: count elements of `size` bytes, `pitch` apart.
typedef struct block {
    uint64_t            from;
    uint32_t            count, size, pitch;
    bool                floats;
    stream_use          use;
    float               grid;
    bool                share;
    const vertex_order* order;
    const uint32_t*     pick; // which element comes first, second, ...; NULL: unchanged
    uint32_t            row;  // bytes packed as one element; 0: size
} block;

// Never rounds to -0, which does not pack.
static void round_floats(float* values, size_t count, float grid, bool share)
{
    for (size_t i = 0; i < count && share; ++i)
        if (!(values[i] >= 0 && values[i] <= 1)) return;
    for (size_t i = 0; i < count; ++i) values[i] = floorf(values[i] / grid + 0.5f) * grid + 0.0f;
}

// Makes triangles that are adjacent in the mesh adjacent in the list, which packs to a third.
static void order_triangles(squeezer* s, uint8_t* data, uint32_t count, uint32_t size)
{
    uint32_t* wide = SUP_NEW(s->work, uint32_t, count);
    uint32_t  most = 0;
    s->failed |= !wide;
    if (!wide || count % 3 != 0) return;
    for (uint32_t i = 0; i < count; ++i) {
        memcpy(&wide[i], data + (size_t)i * size, size); // little-endian, and zeroed
        if (wide[i] > most) most = wide[i];
    }
    if (!s->extra->meshopt_order(count, most + 1, wide)) s->failed = true;
    for (uint32_t i = 0; i < count; ++i) memcpy(data + (size_t)i * size, &wide[i], size);
}

static void rename_vertices(const vertex_order* order, uint8_t* data, uint32_t count, uint32_t size)
{
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t vertex = 0;
        memcpy(&vertex, data + (size_t)i * size, size);
        if (vertex < order->count) memcpy(data + (size_t)i * size, &order->new_of[vertex], size);
    }
}

// Elements one after another, each padded to four bytes where vertices require it.
static stream* put_block(squeezer* s, const block* b, uint64_t* offset)
{
    bool     index = is_index(b->use);
    uint32_t stride = is_vertex(b->use) ? (uint32_t)sup_align(b->size, 4) : b->size;
    uint32_t row = b->row ? b->row : stride;
    size_t   bytes = (size_t)b->count * stride;
    bool     packs = s->extra && (index ? b->size == 2 || b->size == 4 : row % 4 == 0 && row <= STRIDE_MAX && bytes % row == 0);
    uint8_t* flat = SUP_NEW(s->work, uint8_t, 2 * bytes + 8);
    s->failed |= !flat;
    if (!flat) return NULL;
    for (uint32_t i = 0; i < b->count; ++i)
        memcpy(flat + (size_t)i * stride, s->binary.data + b->from + (uint64_t)(b->pick ? b->pick[i] : i) * b->pitch, b->size);
    if (b->grid > 0 && b->floats) round_floats((float*)(void*)flat, bytes / 4, b->grid, b->share);
    if (packs && b->use == USE_TRIANGLES && s->round->corners) order_triangles(s, flat, b->count, b->size);
    if (index && b->order) rename_vertices(b->order, flat, b->count, b->size);
    uint8_t* words = flat + sup_align(bytes, 4);
    bool     exponential =
        packs && b->floats && gltf_exponential((const float*)(const void*)flat, bytes / 4, (uint32_t*)(void*)words);
    stream* to = find_stream(s, b->use, packs || is_vertex(b->use) ? row : 4, exponential, !packs);
    // Unpacked data begins at multiples of four whatever its width.
    uint8_t* fill = to && !packs && to->bytes % 4 ? extend(s, to, 4 - to->bytes % 4) : NULL;
    if (fill) memset(fill, 0, 4 - (size_t)(fill - to->data) % 4);
    uint8_t* at = to ? extend(s, to, bytes) : NULL;
    if (!at) return NULL;
    *offset = to->bytes - bytes;
    memcpy(at, exponential ? words : flat, bytes);
    return to;
}

// Accessors that shared bytes still do.
static stream* place_block(squeezer* s, const block* b, uint64_t* offset)
{
    uint64_t bytes = (uint64_t)b->count * b->size;
    for (uint32_t i = 0; i < s->place_count; ++i) {
        const placed* p = &s->places[i];
        if (p->from != b->from || p->bytes != bytes || p->stride != b->pitch || p->use != (uint32_t)b->use ||
            p->order != b->order)
            continue;
        *offset = p->offset;
        return p->to;
    }
    stream* to = put_block(s, b, offset);
    if (to) s->places[s->place_count++] = (placed){ b->from, bytes, b->pitch, (uint32_t)b->use, b->order, to, *offset };
    return to;
}

// ---------------------------------------------------------------------------------------------- accessors

// Moves the data that `object` (an accessor, or one half of a sparse one) references.
static void move_block(squeezer* s, sup_json* object, block b)
{
    uint32_t index = (uint32_t)gltf_number_of(object, "bufferView");
    uint64_t inside = gltf_number_of(object, "byteOffset"), offset = 0;
    if (index >= s->view_count) return;
    const sup_json* view = s->views[index];
    uint64_t        pitch = gltf_number_of(view, "byteStride");
    b.pitch = pitch ? (uint32_t)pitch : b.size;
    b.from = gltf_number_of(view, "byteOffset") + inside;
    uint64_t end = b.from + (b.count ? (uint64_t)(b.count - 1) * b.pitch + b.size : 0);
    if (end > s->binary.size) return; // reading did not use it; it stays without bytes
    stream* to = place_block(s, &b, &offset);
    if (!to) return;
    sup_json_remove(object, "byteOffset");
    if (offset) gltf_edit_number(s->edit, object, "byteOffset", (double)offset);
    s->waiting[s->waiting_count++] = (pending){ object, to };
}

// Vertices of a sparse accessor must rise by their new numbers too.
static const uint32_t* pick_list(squeezer* s, const sup_json* indices, const block* b)
{
    uint32_t  view = (uint32_t)gltf_number_of(indices, "bufferView");
    uint64_t  from = view < s->view_count ? gltf_number_of(s->views[view], "byteOffset") + gltf_number_of(indices, "byteOffset")
                                          : UINT64_MAX / 2;
    uint32_t* list = SUP_NEW(s->work, uint32_t, b->count);
    if (!list || from + (uint64_t)b->count * b->size > s->binary.size) {
        s->failed = true;
        return NULL;
    }
    for (uint32_t i = 0; i < b->count; ++i) memcpy(&list[i], s->binary.data + from + (uint64_t)i * b->size, b->size);
    const uint32_t* pick = gltf_order_list(b->order, list, b->count, s->work);
    s->failed |= !pick;
    return pick;
}

static void move_accessor(squeezer* s, uint32_t i)
{
    sup_json* accessor = s->accessors[i];
    uint32_t  type = (uint32_t)gltf_number_of(accessor, "componentType");
    uint32_t  numbers = component_count(sup_json_string(sup_json_get(accessor, "type"), ""));
    block     b = { .count = (uint32_t)gltf_number_of(accessor, "count"),
                    .size = numbers * gltf_component_bytes(type),
                    .floats = type == GLTF_FLOAT,
                    .use = (stream_use)s->uses[i],
                    .grid = s->grids[i],
                    .share = s->shares[i],
                    .order = s->orders[i],
                    .row = s->widths[i] <= STRIDE_MAX / 4 ? s->widths[i] * 4 : 0 };
    if (b.use == USE_NONE || b.size == 0) return;
    if (b.grid > 0) sup_json_remove(accessor, "min"), sup_json_remove(accessor, "max");
    if (b.order && is_vertex(b.use)) b.pick = b.order->old_of;
    if (sup_json_get(accessor, "bufferView")) move_block(s, accessor, b);
    sup_json* sparse = gltf_edit_get(accessor, "sparse");
    if (!sparse) return;
    sup_json* indices = gltf_edit_get(sparse, "indices");
    block     list = { .count = (uint32_t)gltf_number_of(sparse, "count"),
                       .size = gltf_component_bytes((uint32_t)gltf_number_of(indices, "componentType")),
                       .use = USE_LIST,
                       .order = b.order };
    if (b.order) list.pick = pick_list(s, indices, &list);
    block values = {
        .count = list.count, .size = b.size, .floats = b.floats, .use = USE_VALUES, .order = b.order, .pick = list.pick
    };
    move_block(s, indices, list);
    move_block(s, gltf_edit_get(sparse, "values"), values);
}

static void use_all(squeezer* s, const sup_json* object, stream_use use)
{
    for (const sup_json* value = object ? object->first : NULL; value; value = value->next) {
        uint32_t index = sup_json_index(value, SUP_NONE);
        if (index < s->accessor_count) s->uses[index] = (uint8_t)use;
    }
}

static void use_one(squeezer* s, const sup_json* value, stream_use use)
{
    uint32_t index = sup_json_index(value, SUP_NONE);
    if (index < s->accessor_count) s->uses[index] = (uint8_t)use;
}

static const sup_json* first_of(const sup_json* object, const char* key)
{
    const sup_json* array = sup_json_get(object, key);
    return array ? array->first : NULL;
}

// Texture coordinates, and maps.
static void round_attributes(squeezer* s, const sup_json* attributes)
{
    for (const sup_json* a = attributes ? attributes->first : NULL; a; a = a->next) {
        uint32_t index = sup_json_index(a, SUP_NONE);
        if (index >= s->accessor_count) continue;
        if (strncmp(a->key, "TEXCOORD_", 9) == 0) s->grids[index] = s->round->uvs;
        bool share = strncmp(a->key, "COLOR_", 6) == 0 || (a->key[0] == '_' && strcmp(a->key, "_POINT") != 0);
        if (share) s->grids[index] = s->round->maps, s->shares[index] = true;
    }
}

#define SHARED (SUP_NONE - 1)

static bool has_data(const sup_json* accessor)
{
    return sup_json_get(accessor, "bufferView") || sup_json_get(accessor, "sparse");
}

static void own_all(squeezer* s, const sup_json* object, uint32_t primitive)
{
    for (const sup_json* value = object ? object->first : NULL; value; value = value->next) {
        uint32_t index = sup_json_index(value, SUP_NONE);
        if (index >= s->accessor_count || !has_data(s->accessors[index])) continue;
        s->owners[index] = s->owners[index] == SUP_NONE || s->owners[index] == primitive ? primitive : SHARED;
    }
}

// Finds the accessors that belong to a single primitive.
static void find_owners(squeezer* s)
{
    uint32_t primitive = 0;
    memset(s->owners, 0xff, s->accessor_count * sizeof *s->owners);
    for (const sup_json* mesh = first_of(s->edit->root, "meshes"); mesh; mesh = mesh->next)
        for (const sup_json* p = first_of(mesh, "primitives"); p; p = p->next, ++primitive) {
            uint32_t index = sup_json_index(sup_json_get(p, "indices"), SUP_NONE);
            if (index < s->accessor_count) s->owners[index] = s->owners[index] == SUP_NONE ? primitive : SHARED;
            own_all(s, sup_json_get(p, "attributes"), primitive);
            for (const sup_json* t = first_of(p, "targets"); t; t = t->next) own_all(s, t, primitive);
        }
}

// False: one of them is shared, or does not have `count` elements.
static bool owns_all(const squeezer* s, const sup_json* object, uint32_t primitive, uint64_t count)
{
    for (const sup_json* value = object ? object->first : NULL; value; value = value->next) {
        uint32_t index = sup_json_index(value, SUP_NONE);
        if (index >= s->accessor_count || gltf_number_of(s->accessors[index], "count") != count) return false;
        if (has_data(s->accessors[index]) && s->owners[index] != primitive) return false;
    }
    return true;
}

static void order_all(squeezer* s, const sup_json* object, const vertex_order* order)
{
    for (const sup_json* value = object ? object->first : NULL; value; value = value->next)
        s->orders[sup_json_index(value, 0)] = order;
}

// The indices of a primitive as stored; NULL: not a plain list.
static uint32_t* load_indices(squeezer* s, const sup_json* accessor, uint32_t* count, uint64_t vertices)
{
    uint32_t        view = (uint32_t)gltf_number_of(accessor, "bufferView");
    uint32_t        size = gltf_component_bytes((uint32_t)gltf_number_of(accessor, "componentType"));
    const sup_json* from = view < s->view_count && sup_json_get(accessor, "bufferView") ? s->views[view] : NULL;
    uint64_t        at = gltf_number_of(from, "byteOffset") + gltf_number_of(accessor, "byteOffset");
    *count = (uint32_t)gltf_number_of(accessor, "count");
    if (!from || size == 1 || *count % 3 != 0 || at + (uint64_t)*count * size > s->binary.size) return NULL;
    uint32_t* out = SUP_NEW(s->work, uint32_t, *count);
    for (uint32_t i = 0; i < *count && out; ++i) {
        memcpy(&out[i], s->binary.data + at + (uint64_t)i * size, size);
        if (out[i] >= vertices) return NULL;
    }
    return out;
}

// Only if `_POINT` keeps the numbers of the points, and all accessors belong to this primitive alone.
static void order_primitive(squeezer* s, const sup_json* p, uint32_t primitive)
{
    const sup_json* attributes = sup_json_get(p, "attributes");
    uint32_t        index = sup_json_index(sup_json_get(p, "indices"), SUP_NONE), index_count;
    uint32_t        ids = sup_json_index(sup_json_get(attributes, "_POINT"), SUP_NONE);
    if (!s->extra || !s->round->corners || index >= s->accessor_count || ids >= s->accessor_count) return;
    uint64_t count = gltf_number_of(s->accessors[ids], "count");
    bool     own = s->owners[index] == primitive && owns_all(s, attributes, primitive, count);
    for (const sup_json* t = first_of(p, "targets"); t && own; t = t->next) own = owns_all(s, t, primitive, count);
    uint32_t* indices = own ? load_indices(s, s->accessors[index], &index_count, count) : NULL;
    if (!indices) return;
    const vertex_order* order = gltf_order_make(s->work, s->extra, indices, index_count, (uint32_t)count);
    s->failed |= !order;
    s->orders[index] = order;
    order_all(s, attributes, order);
    for (const sup_json* t = first_of(p, "targets"); t; t = t->next) order_all(s, t, order);
}

static void use_mesh(squeezer* s, const sup_json* mesh, uint32_t* primitive)
{
    for (const sup_json* p = first_of(mesh, "primitives"); p; p = p->next, ++*primitive) {
        // The order of corners separates polygons, and packing as triangles may rotate them.
        sup_json* extensions = (sup_json*)sup_json_get(p, "extensions"); // the edit owns the tree
        bool      triangles = sup_json_index(sup_json_get(p, "mode"), 4) == 4;
        if (triangles && s->round->corners && extensions) sup_json_remove(extensions, GLTF_NGON);
        if (extensions && extensions->count == 0) sup_json_remove((sup_json*)p, "extensions");
        triangles = triangles && !sup_json_get(sup_json_get(p, "extensions"), GLTF_NGON);
        use_one(s, sup_json_get(p, "indices"), triangles ? USE_TRIANGLES : USE_SEQUENCE);
        use_all(s, sup_json_get(p, "attributes"), USE_VERTEX);
        round_attributes(s, sup_json_get(p, "attributes"));
        for (const sup_json* target = first_of(p, "targets"); target; target = target->next) use_all(s, target, USE_TARGET);
        if (triangles) order_primitive(s, p, *primitive);
    }
}

// Morph weights are packed by row: the next value in time is a row further.
static void note_rows(squeezer* s, const sup_json* animation)
{
    const sup_json* samplers = sup_json_get(animation, "samplers");
    for (const sup_json* channel = first_of(animation, "channels"); channel; channel = channel->next) {
        const sup_json* target = sup_json_get(channel, "target");
        const sup_json* sampler = sup_json_at(samplers, sup_json_index(sup_json_get(channel, "sampler"), SUP_NONE));
        uint32_t        in = sup_json_index(sup_json_get(sampler, "input"), SUP_NONE);
        uint32_t        out = sup_json_index(sup_json_get(sampler, "output"), SUP_NONE);
        const char*     path = sup_json_string(sup_json_get(target, "path"), "");
        if (in >= s->accessor_count || out >= s->accessor_count) continue;
        if (strcmp(path, "rotation") == 0) s->grids[out] = s->round->rotations;
        if (strcmp(path, "weights") != 0) continue;
        uint64_t keys = gltf_number_of(s->accessors[in], "count"), count = gltf_number_of(s->accessors[out], "count");
        s->uses[out] = USE_WEIGHTS;
        if (keys && count % keys == 0) s->widths[out] = (uint32_t)(count / keys);
    }
}

// No primitive uses the extension any more, so the document must not list it.
static void forget_polygons(gltf_edit* edit)
{
    sup_json* used = gltf_edit_get(edit->root, "extensionsUsed");
    sup_json* kept = gltf_edit_new(edit, SUP_JSON_ARRAY);
    for (const sup_json* e = used ? used->first : NULL; e; e = e->next)
        if (strcmp(sup_json_string(e, ""), GLTF_NGON) != 0) gltf_edit_push_string(edit, kept, sup_json_string(e, ""));
    if (!used || !kept) return;
    if (kept->count) gltf_edit_put(edit, edit->root, "extensionsUsed", kept);
    else sup_json_remove(edit->root, "extensionsUsed");
}

static void find_uses(squeezer* s)
{
    const sup_json* root = s->edit->root;
    for (const sup_json* skin = first_of(root, "skins"); skin; skin = skin->next)
        use_one(s, sup_json_get(skin, "inverseBindMatrices"), USE_BINDS);
    for (const sup_json* animation = first_of(root, "animations"); animation; animation = animation->next) {
        for (const sup_json* sampler = first_of(animation, "samplers"); sampler; sampler = sampler->next) {
            use_one(s, sup_json_get(sampler, "input"), USE_KEYS);
            use_one(s, sup_json_get(sampler, "output"), USE_KEYS);
        }
        note_rows(s, animation);
    }
    uint32_t primitive = 0;
    find_owners(s);
    for (const sup_json* mesh = first_of(root, "meshes"); mesh; mesh = mesh->next) use_mesh(s, mesh, &primitive);
    if (s->round->corners) forget_polygons(s->edit);
}

// ---------------------------------------------------------------------------------------------- views

static size_t encode(squeezer* s, const stream* from, uint8_t** out)
{
    bool     index = is_index(from->use);
    uint32_t count = (uint32_t)(from->bytes / from->stride);
    size_t   capacity = index ? s->extra->meshopt_index_bound(count) : s->extra->meshopt_bound(count, from->stride);
    *out = SUP_NEW(s->edit->arena, uint8_t, capacity);
    s->failed |= !*out;
    if (!*out) return 0;
    if (!index) return s->extra->meshopt_encode(count, from->stride, from->data, *out, capacity);
    return s->extra->meshopt_encode_indices(from->use == USE_TRIANGLES ? SUP_MESHOPT_TRIANGLES : SUP_MESHOPT_INDICES, count,
                                            from->stride, from->data, *out, capacity);
}

static void write_stream(squeezer* s, stream* from)
{
    gltf_edit*  edit = s->edit;
    bool        vertex = is_vertex(from->use);
    const char* mode = from->use == USE_TRIANGLES ? "TRIANGLES" : is_index(from->use) ? "INDICES" : "ATTRIBUTES";
    uint8_t*    packed = NULL;
    size_t      size = from->raw ? 0 : encode(s, from, &packed);
    s->bytes[from->use] += sup_align(size ? size : from->bytes, 4);
    if (size == 0) {
        // The streams' arena is freed before the document.
        uint8_t* copy = sup_arena_copy(edit->arena, from->data, from->bytes, 1);
        edit->failed |= !copy;
        from->view = gltf_edit_view(edit, copy, from->bytes, vertex ? from->stride : 0, vertex ? GLTF_ARRAY_BUFFER : 0);
        return;
    }
    from->view = gltf_edit_view(edit, packed, size, vertex ? from->stride : 0, vertex ? GLTF_ARRAY_BUFFER : 0);
    if (edit->failed) return;
    const gltf_packing packing = { .unpacked = s->unpacked,
                                   .count = (uint32_t)(from->bytes / from->stride),
                                   .stride = from->stride,
                                   .bytes = size,
                                   .mode = mode,
                                   .filter = from->exponential ? "EXPONENTIAL" : NULL };
    gltf_meshopt_mark(edit, &packing);
    s->unpacked += sup_align(from->bytes, 4);
}

static void write_images(squeezer* s)
{
    for (const sup_json* image = first_of(s->edit->root, "images"); image; image = image->next) {
        uint32_t index = sup_json_index(sup_json_get(image, "bufferView"), SUP_NONE);
        if (index >= s->view_count) continue;
        uint64_t from = gltf_number_of(s->views[index], "byteOffset"), bytes = gltf_number_of(s->views[index], "byteLength");
        if (from + bytes > s->binary.size) continue;
        s->bytes[USE_IMAGE] += sup_align(bytes, 4);
        gltf_edit_number(s->edit, (sup_json*)image, "bufferView", gltf_edit_view(s->edit, s->binary.data + from, bytes, 0, 0));
    }
}

static bool prepare(squeezer* s)
{
    gltf_edit* edit = s->edit;
    if (!gltf_edit_gather(edit, &s->binary)) return false;
    s->accessors = gltf_edit_items(edit, gltf_edit_get(edit->root, "accessors"), &s->accessor_count);
    s->views = gltf_edit_items(edit, gltf_edit_get(edit->root, "bufferViews"), &s->view_count);
    s->uses = SUP_NEW(s->work, uint8_t, s->accessor_count);
    s->widths = SUP_NEW(s->work, uint32_t, s->accessor_count);
    s->grids = SUP_NEW(s->work, float, s->accessor_count);
    s->shares = SUP_NEW(s->work, bool, s->accessor_count);
    s->orders = SUP_NEW(s->work, const vertex_order*, s->accessor_count);
    s->owners = SUP_NEW(s->work, uint32_t, s->accessor_count);
    s->places = SUP_NEW(s->work, placed, 3 * (size_t)s->accessor_count);
    s->waiting = SUP_NEW(s->work, pending, 3 * (size_t)s->accessor_count);
    return !edit->failed && s->uses && s->widths && s->grids && s->shares && s->orders && s->owners && s->places && s->waiting;
}

sup_result gltf_squeeze(gltf_edit* edit, const sup_extra* extra, const squeeze_grids* grids, uint64_t bytes[USE_COUNT],
                        sup_error* error)
{
    squeezer s = { .edit = edit, .extra = extra, .round = grids, .bytes = bytes, .work = sup_arena_beside(edit->arena) };
    memset(bytes, 0, USE_COUNT * sizeof *bytes);
    if (!gltf_prunable(edit->root)) {
        sup_arena_destroy(s.work);
        return SUP_OK; // it may reference views where we do not look
    }
    gltf_prune(edit);
    bool ready = s.work && !edit->failed && prepare(&s);
    if (ready) {
        find_uses(&s);
        for (uint32_t i = 0; i < s.accessor_count && !s.failed; ++i) move_accessor(&s, i);
        sup_json_remove(edit->root, "bufferViews");
        edit->first = edit->last = NULL;
        edit->bytes = 0;
        for (stream* at = s.first; at && !s.failed; at = at->next) write_stream(&s, at);
        write_images(&s);
        for (uint32_t i = 0; i < s.waiting_count && !s.failed; ++i)
            gltf_edit_number(edit, s.waiting[i].object, "bufferView", s.waiting[i].to->view);
    }
    bool done = ready && !s.failed && !edit->failed;
    sup_arena_destroy(s.work);
    if (!done) return sup_fail_memory(error, "the streams of a GLB");
    return s.unpacked ? gltf_meshopt_fallback(edit, s.unpacked, error) : SUP_OK;
}
