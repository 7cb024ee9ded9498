// Targets of a bake packed with EXT_meshopt_compression, bit for bit. A view's own buffer is a fallback that is never read: the
// extension tells where its bytes really are and how they are packed.
//
// Sizes are known only when a frame has come, so the data waits in a spill file until the document is complete.
#include "base/internal.h"
#include "io/gltf/gltf_baking.h"

static const char extension[] = "EXT_meshopt_compression";

sup_result gltf_meshopt_begin(gltf_baking* baking, sup_bake* bake, uint32_t most, sup_error* error)
{
    const sup_extra* extra = bake->desc.extra;
    if (!extra || !extra->meshopt_encode)
        return sup_fail(error, SUP_ERROR_INPUT,
                        "cannot write '%s' compressed: this program was built without libmeshoptimizer; leave --meshopt out",
                        bake->desc.path);
    size_t vectors = extra->meshopt_bound(most, sizeof(sup_vec3)), indices = extra->meshopt_index_bound(most);
    baking->packed_capacity = vectors > indices ? vectors : indices;
    baking->packed = SUP_NEW(bake->arena, uint8_t, baking->packed_capacity);
    return baking->packed ? SUP_OK : sup_fail_memory(error, "a frame of packed targets");
}

void gltf_meshopt_mark(gltf_edit* edit, const gltf_packing* what)
{
    sup_json* view = gltf_edit_get(edit->root, "bufferViews")->last;
    double    offset = sup_json_number(sup_json_get(view, "byteOffset"), 0);
    gltf_edit_number(edit, view, "buffer", 1);
    gltf_edit_number(edit, view, "byteOffset", (double)what->unpacked);
    gltf_edit_number(edit, view, "byteLength", (double)what->count * what->stride);
    sup_json* packing = gltf_edit_object(edit, gltf_edit_object(edit, view, "extensions"), extension);
    gltf_edit_number(edit, packing, "buffer", 0);
    gltf_edit_number(edit, packing, "byteOffset", offset);
    gltf_edit_number(edit, packing, "byteLength", (double)what->bytes);
    gltf_edit_number(edit, packing, "byteStride", what->stride);
    gltf_edit_number(edit, packing, "count", what->count);
    gltf_edit_string(edit, packing, "mode", what->mode);
    if (what->filter) gltf_edit_string(edit, packing, "filter", what->filter);
}

// Every piece begins at a multiple of four, as gltf_edit_view assumes.
static sup_result write_padded(gltf_baking* baking, const void* data, size_t bytes, sup_error* error)
{
    static const uint8_t zeros[4] = { 0 };
    sup_result           result = sup_out_write(baking->spill, data, bytes, error);
    return result == SUP_OK ? sup_out_write(baking->spill, zeros, sup_align(bytes, 4) - bytes, error) : result;
}

static size_t encode(const gltf_baking* baking, const sup_extra* extra, const gltf_spilled* what)
{
    return what->list ? extra->meshopt_encode_indices(SUP_MESHOPT_INDICES, what->count, what->stride, what->data,
                                                      baking->packed, baking->packed_capacity)
                      : extra->meshopt_encode(what->count, what->stride, what->data, baking->packed, baking->packed_capacity);
}

sup_result gltf_spill(gltf_baking* baking, sup_bake* bake, const gltf_spilled* what, uint32_t* view, sup_error* error)
{
    gltf_edit* edit = &baking->edit;
    uint32_t   stride = what->vertices ? what->stride : 0, target = what->vertices ? GLTF_ARRAY_BUFFER : 0;
    size_t     bytes = (size_t)what->count * what->stride;
    bool       packs = bake->desc.meshopt && what->stride > 1;
    size_t     size = packs ? encode(baking, bake->desc.extra, what) : bytes;
    if (size == 0) return sup_fail(error, SUP_ERROR_FILE, "the targets of a bake could not be packed; leave --meshopt out");
    *view = gltf_edit_view(edit, NULL, size, stride, target);
    if (edit->failed) return sup_fail_memory(error, "the targets of a bake");
    if (packs) {
        const gltf_packing packing = {
            baking->unpacked_bytes, what->count, what->stride, size, what->list ? "INDICES" : "ATTRIBUTES", NULL
        };
        gltf_meshopt_mark(edit, &packing);
        baking->unpacked_bytes += sup_align(bytes, 4);
    }
    return write_padded(baking, packs ? baking->packed : what->data, size, error);
}

sup_result gltf_spill_vectors(gltf_baking* baking, sup_bake* bake, sup_json* accessor, const sup_vec3* values, uint32_t count,
                              sup_error* error)
{
    const gltf_spilled what = { .data = values, .count = count, .stride = sizeof *values, .vertices = true };
    uint32_t           view = 0;
    sup_result         result = gltf_spill(baking, bake, &what, &view, error);
    if (result == SUP_OK) gltf_edit_number(&baking->edit, accessor, "bufferView", view);
    return result;
}

sup_result gltf_meshopt_write(gltf_baking* baking, sup_bake* bake, const baked_piece* piece, size_t target, sup_error* error)
{
    sup_result result = gltf_spill_vectors(baking, bake, baking->accessors[target], baking->positions, piece->count, error);
    if (result == SUP_OK && piece->normals)
        result = gltf_spill_vectors(baking, bake, baking->normal_accessors[target], baking->normals, piece->count, error);
    return result == SUP_OK && baking->edit.failed ? sup_fail_memory(error, "the targets of a bake") : result;
}

sup_result gltf_meshopt_fallback(gltf_edit* edit, uint64_t unpacked, sup_error* error)
{
    if (unpacked > UINT32_MAX)
        return sup_fail(
            error, SUP_ERROR_INPUT,
            "the targets unpack to %.1f GB, and a buffer holds at most 4.2 GB; bake fewer frames (--start, --end) or at "
            "a lower --fps",
            (double)unpacked / 1e9);
    sup_json* buffer = gltf_edit_new(edit, SUP_JSON_OBJECT);
    gltf_edit_number(edit, buffer, "byteLength", (double)unpacked);
    sup_json* note = gltf_edit_object(edit, gltf_edit_object(edit, buffer, "extensions"), extension);
    gltf_edit_put(edit, note, "fallback", gltf_edit_new(edit, SUP_JSON_TRUE));
    gltf_edit_add(edit, "buffers", buffer);
    gltf_edit_require(edit, extension);
    return edit->failed ? sup_fail_memory(error, "the targets of a bake") : SUP_OK;
}

sup_result gltf_meshopt_end(gltf_baking* baking, sup_error* error)
{
    return gltf_meshopt_fallback(&baking->edit, baking->unpacked_bytes, error);
}
