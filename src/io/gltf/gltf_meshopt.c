// EXT_meshopt_compression: buffer views with packed bytes. They are unpacked into the buffer that the view names, which the
// file leaves empty as a fallback; afterwards the document is as if it had never been packed, so that later stages need not
// know. The codec comes from the host (supple/io_extra.h): the core has none.
#include "io/gltf/gltf_reader.h"

#include <string.h>

// The ratified extension has the same members.
static const char* const extension_names[] = { "EXT_meshopt_compression", "KHR_meshopt_compression" };

// Packed bytes may grow by this factor, plus an allowance for small files; zeros pack well, but a gigabyte of them is hostile.
enum { GROWTH_FACTOR = 256, GROWTH_FREE = 64 << 20 };

typedef struct unpacker {
    gltf_reader* r;
    sup_bytes*   buffers; // the source's
    uint8_t**    fresh;   // those allocated here
    uint64_t     budget;
} unpacker;

bool gltf_meshopt_known(const gltf_reader* r, const char* extension)
{
    for (size_t i = 0; i < SUP_COUNT_OF(extension_names); ++i)
        if (strcmp(extension, extension_names[i]) == 0) return r->in->extra && r->in->extra->meshopt_decode;
    return false;
}

static bool find_word(const char* const* words, size_t count, const char* word, int* out)
{
    for (size_t i = 0; i < count; ++i)
        if (strcmp(words[i], word) == 0) {
            *out = (int)i;
            return true;
        }
    return false;
}

// ---------------------------------------------------------------------------------------------- bytes

// The buffer that the view names, with space for all its bytes.
static sup_result open_buffer(unpacker* u, uint32_t index)
{
    gltf_source*    source = u->r->source;
    const sup_json* value = sup_json_at(sup_json_get(source->root, "buffers"), index);
    uint32_t        size = sup_json_index(sup_json_get(value, "byteLength"), 0);
    if (size > u->budget)
        return sup_fail(u->r->error, SUP_ERROR_INPUT,
                        "buffer %u would unpack to %u bytes, far more than its size justifies; it is damaged or malicious",
                        index, size);
    u->budget -= size;
    u->fresh[index] = SUP_NEW(u->r->keep, uint8_t, size);
    if (!u->fresh[index]) return sup_fail_memory(u->r->error, "an unpacked buffer");
    u->buffers[index] = (sup_bytes){ u->fresh[index], size };
    source->bytes += size;
    return SUP_OK;
}

static sup_result unpack(unpacker* u, uint32_t index, const sup_json* view, const sup_json* packing)
{
    static const char* const modes[] = { "ATTRIBUTES", "TRIANGLES", "INDICES" };
    static const char* const filters[] = { "NONE", "OCTAHEDRAL", "QUATERNION", "EXPONENTIAL" };
    gltf_reader*             r = u->r;
    gltf_source*             source = r->source;
    int                      mode, filter;
    const char*              mode_name = sup_json_string(sup_json_get(packing, "mode"), "");
    const char*              filter_name = sup_json_string(sup_json_get(packing, "filter"), "NONE");
    if (!find_word(modes, SUP_COUNT_OF(modes), mode_name, &mode) ||
        !find_word(filters, SUP_COUNT_OF(filters), filter_name, &filter))
        return sup_fail(r->error, SUP_ERROR_INPUT,
                        "bufferView %u is packed by mode '%.30s' and filter '%.30s', which is not known", index, mode_name,
                        filter_name);
    uint32_t buffer = sup_json_index(sup_json_get(view, "buffer"), SUP_NONE);
    uint32_t from = sup_json_index(sup_json_get(packing, "buffer"), SUP_NONE);
    uint64_t offset = sup_json_index(sup_json_get(view, "byteOffset"), 0);
    uint64_t from_offset = sup_json_index(sup_json_get(packing, "byteOffset"), 0);
    uint64_t from_bytes = sup_json_index(sup_json_get(packing, "byteLength"), SUP_NONE);
    uint32_t count = sup_json_index(sup_json_get(packing, "count"), SUP_NONE);
    uint32_t stride = sup_json_index(sup_json_get(packing, "byteStride"), SUP_NONE);
    if (from >= source->buffer_count || !u->buffers[from].data || u->fresh[from] ||
        from_offset + from_bytes > u->buffers[from].size)
        return sup_fail(r->error, SUP_ERROR_INPUT, "bufferView %u: its packed bytes are not in the file; it is truncated",
                        index);
    if (!u->fresh[buffer]) {
        sup_result result = open_buffer(u, buffer);
        if (result != SUP_OK) return result;
    }
    sup_bytes packed = { u->buffers[from].data + from_offset, (size_t)from_bytes };
    bool      allocated = (uint64_t)count * stride + offset <= u->buffers[buffer].size;
    if (!allocated || !r->in->extra->meshopt_decode((sup_meshopt_mode)mode, (sup_meshopt_filter)filter, count, stride, packed,
                                                    u->fresh[buffer] + offset))
        return sup_fail(r->error, SUP_ERROR_INPUT, "bufferView %u cannot be unpacked; the file is damaged, copy it again",
                        index);
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- document

static void forget(sup_json* object)
{
    sup_json* extensions = (sup_json*)sup_json_get(object, "extensions"); // we own the tree
    for (size_t i = 0; i < SUP_COUNT_OF(extension_names) && extensions; ++i) sup_json_remove(extensions, extension_names[i]);
    if (extensions && extensions->count == 0) sup_json_remove(object, "extensions");
}

static sup_result forget_name(gltf_reader* r, sup_json* root, const char* key)
{
    const sup_json* names = sup_json_get(root, key);
    sup_json*       rest = sup_json_new(r->keep, SUP_JSON_ARRAY);
    if (!names) return SUP_OK;
    for (const sup_json* name = names->first; name; name = name->next) {
        bool ours = false;
        for (size_t i = 0; i < SUP_COUNT_OF(extension_names); ++i)
            ours |= strcmp(sup_json_string(name, ""), extension_names[i]) == 0;
        sup_json* copy = ours ? NULL : sup_json_clone(r->keep, name);
        if (!ours && (!copy || !rest)) return sup_fail_memory(r->error, "a list of extensions");
        if (copy) sup_json_push(rest, copy);
    }
    if (!rest) return sup_fail_memory(r->error, "a list of extensions");
    sup_json_remove(root, key);
    if (rest->count && !sup_json_set(r->keep, root, key, rest)) return sup_fail_memory(r->error, "a list of extensions");
    return SUP_OK;
}

static const sup_json* find_packing(const sup_json* view)
{
    const sup_json* extensions = sup_json_get(view, "extensions");
    for (size_t i = 0; i < SUP_COUNT_OF(extension_names); ++i) {
        const sup_json* packing = sup_json_get(extensions, extension_names[i]);
        if (packing) return packing;
    }
    return NULL;
}

sup_result gltf_meshopt_unpack(gltf_reader* r)
{
    gltf_source* source = r->source;
    bool         any = false;
    for (uint32_t i = 0; i < source->view_count && !any; ++i) any = find_packing(source->views[i]) != NULL;
    if (!any || !r->in->extra || !r->in->extra->meshopt_decode) return SUP_OK;
    unpacker u = { .r = r,
                   .buffers = (sup_bytes*)source->buffers,
                   .fresh = SUP_NEW(r->work, uint8_t*, source->buffer_count),
                   .budget = (uint64_t)source->bytes * GROWTH_FACTOR + GROWTH_FREE };
    if (!u.fresh) return sup_fail_memory(r->error, "the unpacked buffers");
    for (uint32_t i = 0; i < source->view_count; ++i) {
        const sup_json* packing = find_packing(source->views[i]);
        uint32_t        buffer = sup_json_index(sup_json_get(source->views[i], "buffer"), SUP_NONE);
        if (!packing || buffer >= source->buffer_count) continue;
        // If the file also contains the bytes unpacked, those are used.
        if (!u.buffers[buffer].data || u.fresh[buffer]) GLTF_TRY(unpack(&u, i, source->views[i], packing));
    }
    sup_json*       root = (sup_json*)source->root;
    const sup_json* buffers = sup_json_get(root, "buffers");
    for (uint32_t i = 0; i < source->view_count; ++i) forget((sup_json*)source->views[i]);
    for (sup_json* buffer = buffers ? buffers->first : NULL; buffer; buffer = buffer->next) forget(buffer);
    GLTF_TRY(forget_name(r, root, "extensionsUsed"));
    return forget_name(r, root, "extensionsRequired");
}
