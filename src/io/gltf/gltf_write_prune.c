// Removes unreferenced data from a document: accessors, views, and their bytes. Everything else keeps its number.
#include "base/internal.h"
#include "base/sort.h"
#include "io/gltf/gltf_write.h"

#include <string.h>

// Extensions that reference neither accessors nor views (or, like images, only in places known here). With any other one
// nothing is removed: its numbers would change their meaning.
static bool is_known(const char* name)
{
    static const char* const known[] = {
        "KHR_materials_",        "KHR_texture_", "KHR_lights_punctual", "KHR_mesh_quantization", "EXT_texture_",
        "KHR_animation_pointer", "KHR_xmp",      "FB_ngon_encoding"
    };
    for (size_t i = 0; i < SUP_COUNT_OF(known); ++i)
        if (strncmp(name, known[i], strlen(known[i])) == 0) return true;
    return false;
}

bool gltf_prunable(const sup_json* root)
{
    const sup_json* used = sup_json_get(root, "extensionsUsed");
    for (const sup_json* name = used ? used->first : NULL; name; name = name->next)
        if (!is_known(sup_json_string(name, ""))) return false;
    return true;
}

// ---------------------------------------------------------------------------------------------- references

// Numbers of things: first counted as used, then changed to their new ones.
typedef struct numbering {
    uint32_t  count;
    bool*     used;
    uint32_t* renamed; // NULL: marking
} numbering;

static bool numbering_begin(numbering* n, gltf_edit* edit, const char* list)
{
    const sup_json* array = gltf_edit_get(edit->root, list);
    n->count = array ? array->count : 0;
    n->used = SUP_NEW(edit->arena, bool, n->count);
    edit->failed |= !n->used;
    return !edit->failed;
}

// Renumbers what stays, without gaps.
static bool numbering_close(numbering* n, gltf_edit* edit)
{
    uint32_t next = 0;
    n->renamed = SUP_NEW(edit->arena, uint32_t, n->count);
    edit->failed |= !n->renamed;
    for (uint32_t i = 0; i < n->count && n->renamed; ++i) n->renamed[i] = n->used[i] ? next++ : SUP_NONE;
    return !edit->failed;
}

static void touch(numbering* n, const sup_json* value)
{
    uint32_t index = sup_json_index(value, SUP_NONE);
    if (index >= n->count) return;
    n->used[index] = true;
    if (!n->renamed) return;
    sup_json* own = (sup_json*)value; // the edit owns the tree
    own->number = n->renamed[index];
    own->text = NULL;
    own->length = 0;
}

static const sup_json* first_of(const sup_json* object, const char* key)
{
    const sup_json* array = sup_json_get(object, key);
    return array ? array->first : NULL;
}

static void touch_all(numbering* n, const sup_json* object)
{
    for (const sup_json* value = object ? object->first : NULL; value; value = value->next) touch(n, value);
}

static void touch_accessors(numbering* n, const sup_json* root)
{
    for (const sup_json* mesh = first_of(root, "meshes"); mesh; mesh = mesh->next)
        for (const sup_json* p = first_of(mesh, "primitives"); p; p = p->next) {
            touch(n, sup_json_get(p, "indices"));
            touch_all(n, sup_json_get(p, "attributes"));
            for (const sup_json* target = first_of(p, "targets"); target; target = target->next) touch_all(n, target);
        }
    for (const sup_json* skin = first_of(root, "skins"); skin; skin = skin->next)
        touch(n, sup_json_get(skin, "inverseBindMatrices"));
    for (const sup_json* animation = first_of(root, "animations"); animation; animation = animation->next)
        for (const sup_json* sampler = first_of(animation, "samplers"); sampler; sampler = sampler->next) {
            touch(n, sup_json_get(sampler, "input"));
            touch(n, sup_json_get(sampler, "output"));
        }
}

static void touch_views(numbering* n, const sup_json* root)
{
    for (const sup_json* accessor = first_of(root, "accessors"); accessor; accessor = accessor->next) {
        const sup_json* sparse = sup_json_get(accessor, "sparse");
        touch(n, sup_json_get(accessor, "bufferView"));
        touch(n, sup_json_get(sup_json_get(sparse, "indices"), "bufferView"));
        touch(n, sup_json_get(sup_json_get(sparse, "values"), "bufferView"));
    }
    for (const sup_json* image = first_of(root, "images"); image; image = image->next)
        touch(n, sup_json_get(image, "bufferView"));
}

// Removes unused items from one of the document's arrays.
static void shrink(gltf_edit* edit, const char* list, const numbering* n)
{
    sup_json*  kept = gltf_edit_new(edit, SUP_JSON_ARRAY);
    uint32_t   count;
    sup_json** items = gltf_edit_items(edit, gltf_edit_get(edit->root, list), &count);
    if (edit->failed || count == 0) return;
    for (uint32_t i = 0; i < count; ++i) {
        items[i]->next = NULL;
        if (n->used[i]) sup_json_push(kept, items[i]);
    }
    if (kept->count) gltf_edit_put(edit, edit->root, list, kept);
    else sup_json_remove(edit->root, list); // empty arrays are not allowed
}

// ---------------------------------------------------------------------------------------------- bytes

static uint64_t bytes_of(const sup_json* view, const char* key)
{
    const sup_json* value = sup_json_get(view, key);
    return value ? sup_json_index(value, 0) : 0;
}

// Sorts the views by the position of their bytes.
static sup_sort_item* order_views(gltf_edit* edit, sup_json* const* views, uint32_t count)
{
    sup_sort_item* items = SUP_NEW(edit->arena, sup_sort_item, count);
    sup_sort_item* spare = SUP_NEW(edit->arena, sup_sort_item, count);
    edit->failed |= !items || !spare;
    if (edit->failed) return NULL;
    for (uint32_t i = 0; i < count; ++i) items[i] = (sup_sort_item){ bytes_of(views[i], "byteOffset"), i };
    sup_sort(items, spare, count);
    return items;
}

static void add_blob(gltf_edit* edit, const uint8_t* data, uint64_t bytes)
{
    gltf_blob* blob = SUP_NEW(edit->arena, gltf_blob, 1);
    edit->failed |= !blob;
    if (edit->failed) return;
    *blob = (gltf_blob){ .data = data, .bytes = (size_t)bytes };
    if (edit->last) edit->last->next = blob;
    else edit->first = blob;
    edit->last = blob;
    edit->bytes = (edit->bytes + bytes + 3) / 4 * 4;
}

// Keeps the bytes that views still show, run by run. Runs begin at multiples of four of their piece, for alignment.
static void pack_bytes(gltf_edit* edit)
{
    uint32_t         count;
    sup_json* const* views = gltf_edit_items(edit, gltf_edit_get(edit->root, "bufferViews"), &count);
    sup_sort_item*   order = edit->failed ? NULL : order_views(edit, views, count);
    const gltf_blob* blob = edit->first;
    uint64_t         begin = 0; // of the piece
    if (!order) return;
    edit->first = edit->last = NULL;
    edit->bytes = 0;
    for (uint32_t i = 0; i < count && !edit->failed;) {
        uint64_t from = order[i].key / 4 * 4, to = from;
        while (blob && from >= (begin + blob->bytes + 3) / 4 * 4) {
            begin = (begin + blob->bytes + 3) / 4 * 4;
            blob = blob->next;
        }
        if (!blob) break; // a view without bytes, which reading did not use
        uint64_t base = edit->bytes, end = begin + blob->bytes;
        for (; i < count && order[i].key <= to + 3 && order[i].key < end; ++i) {
            sup_json* view = views[order[i].value];
            uint64_t  last = order[i].key + bytes_of(view, "byteLength");
            if (last > to) to = last < end ? last : end;
            gltf_edit_number(edit, view, "byteOffset", (double)(base + order[i].key - from));
        }
        if (to > from) add_blob(edit, (const uint8_t*)blob->data + (from - begin), to - from);
        else ++i; // empty
    }
}

uint32_t* gltf_prune(gltf_edit* edit)
{
    numbering accessors = { 0 }, views = { 0 };
    SUP_ASSERT(gltf_prunable(edit->root));
    if (!numbering_begin(&accessors, edit, "accessors") || !numbering_begin(&views, edit, "bufferViews")) return NULL;
    touch_accessors(&accessors, edit->root);
    if (!numbering_close(&accessors, edit)) return NULL;
    touch_accessors(&accessors, edit->root);
    shrink(edit, "accessors", &accessors);
    touch_views(&views, edit->root);
    if (!numbering_close(&views, edit)) return NULL;
    touch_views(&views, edit->root);
    shrink(edit, "bufferViews", &views);
    if (!edit->failed) pack_bytes(edit);
    return accessors.renamed;
}
