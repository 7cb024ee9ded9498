// Targets of a bake packed by EXT_meshopt_compression, bit for bit. A view's own buffer is one that nobody ever sees: where its
// bytes really are, and that they are packed, the extension says.
//
// Sizes are known only when a frame has come, so the data waits in a spill file until the document before it is whole.
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
    if (bake->desc.sparse)
        return sup_fail(error, SUP_ERROR_INPUT, "a GLB is written --sparse or with --meshopt, not both; leave one out");
    baking->packed_capacity = extra->meshopt_bound(most, sizeof(sup_vec3));
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

static sup_result write_values(gltf_baking* baking, sup_bake* bake, sup_json* accessor, const sup_vec3* values, uint32_t count,
                               sup_error* error)
{
    static const uint8_t zeros[4] = { 0 };
    gltf_edit*           edit = &baking->edit;
    size_t size = bake->desc.extra->meshopt_encode(count, sizeof *values, values, baking->packed, baking->packed_capacity);
    if (size == 0) return sup_fail(error, SUP_ERROR_FILE, "the targets of a bake could not be packed; leave --meshopt out");
    uint32_t index = gltf_edit_view(edit, NULL, size, sizeof *values, GLTF_ARRAY_BUFFER);
    if (edit->failed) return sup_fail_memory(error, "the targets of a bake");
    const gltf_packing packing = { baking->unpacked_bytes, count, sizeof *values, size, "ATTRIBUTES", NULL };
    gltf_meshopt_mark(edit, &packing);
    gltf_edit_number(edit, accessor, "bufferView", index);
    baking->unpacked_bytes += (uint64_t)count * sizeof *values;
    sup_result result = sup_out_write(baking->spill, baking->packed, size, error);
    return result == SUP_OK ? sup_out_write(baking->spill, zeros, sup_align(size, 4) - size, error) : result;
}

sup_result gltf_meshopt_write(gltf_baking* baking, sup_bake* bake, const baked_piece* piece, size_t target, sup_error* error)
{
    sup_result result = write_values(baking, bake, baking->accessors[target], baking->positions, piece->count, error);
    if (result == SUP_OK && piece->normals)
        result = write_values(baking, bake, baking->normal_accessors[target], baking->normals, piece->count, error);
    return result == SUP_OK && baking->edit.failed ? sup_fail_memory(error, "the targets of a bake") : result;
}

sup_result gltf_meshopt_fallback(gltf_edit* edit, uint64_t unpacked, sup_error* error)
{
    if (unpacked > UINT32_MAX)
        return sup_fail(
            error, SUP_ERROR_INPUT,
            "the targets unpack to %.1f GB, and a buffer holds at most 4.2; bake fewer frames (--start, --end) or at "
            "a lower --fps",
            (double)unpacked / 1e9);
    sup_json* buffer = gltf_edit_new(edit, SUP_JSON_OBJECT);
    gltf_edit_number(edit, buffer, "byteLength", (double)unpacked);
    sup_json* note = gltf_edit_object(edit, gltf_edit_object(edit, buffer, "extensions"), extension);
    gltf_edit_put(edit, note, "fallback", gltf_edit_new(edit, SUP_JSON_TRUE));
    gltf_edit_add(edit, "buffers", buffer);
    gltf_edit_use(edit, extension);
    gltf_edit_push_string(edit, gltf_edit_array(edit, edit->root, "extensionsRequired"), extension);
    return edit->failed ? sup_fail_memory(error, "the targets of a bake") : SUP_OK;
}

sup_result gltf_meshopt_end(gltf_baking* baking, sup_error* error)
{
    return gltf_meshopt_fallback(&baking->edit, baking->unpacked_bytes, error);
}
