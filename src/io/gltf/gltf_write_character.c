// Writes a character as a GLB of its own, without a bake.
#include "base/internal.h"
#include "io/bake.h"
#include "io/gltf/gltf_write.h"

#include <string.h>

enum { GLB_MAGIC = 0x46546C67, GLB_VERSION = 2, GLB_JSON = 0x4E4F534A, GLB_BIN = 0x004E4942, HEAD = 12, CHUNK_HEAD = 8 };

typedef struct text_block {
    char*  text;
    size_t at, size;
} text_block;

// Only counts while there is no buffer.
static bool take(void* user, const char* bytes, size_t length)
{
    text_block* block = user;
    if (block->text) memcpy(block->text + block->at, bytes, length);
    block->at += length;
    return true;
}

static sup_result write_blobs(const gltf_blob* blob, sup_out_file* file, sup_error* error)
{
    static const uint8_t zeros[4] = { 0 };
    sup_result           result = SUP_OK;
    for (; blob && result == SUP_OK; blob = blob->next) {
        result = sup_out_write(file, blob->data, blob->bytes, error);
        if (result == SUP_OK) result = sup_out_write(file, zeros, sup_align(blob->bytes, 4) - blob->bytes, error);
    }
    return result;
}

static sup_json** node_table(gltf_edit* edit)
{
    sup_json*  list = gltf_edit_array(edit, edit->root, "nodes");
    sup_json** nodes = list ? SUP_NEW(edit->arena, sup_json*, (size_t)list->count + 1) : NULL;
    uint32_t   n = 0;
    for (sup_json* node = nodes ? list->first : NULL; node; node = node->next) nodes[n++] = node;
    return nodes;
}

// Clips added later, from motions or poses: the document has no animation for them.
static sup_result add_clips(gltf_edit* edit, const gltf_document* document, const sup_character* character, sup_error* error)
{
    sup_json** nodes = node_table(edit);
    if (!nodes) return sup_fail_memory(error, "a GLB");
    for (uint32_t i = 0; i < character->clip_count; ++i) {
        const sup_clip* clip = &character->clips[i];
        if (document->clip_animations[i] != SUP_NONE) continue;
        sup_json* animation = gltf_edit_new(edit, SUP_JSON_OBJECT);
        gltf_edit_string(edit, animation, "name", clip->name);
        gltf_clip_write(edit, clip, document->joint_nodes, NULL, animation);
        gltf_clip_unlock(edit, character, clip, document->joint_nodes, nodes);
        if (gltf_edit_get(animation, "channels")) gltf_edit_add(edit, "animations", animation); // it must have one
    }
    return edit->failed ? sup_fail_memory(error, "a GLB") : SUP_OK;
}

// The file it came from with its current weights, in the file's own skins if these can hold them.
static sup_result make_document(const sup_character* character, sup_arena* arena, gltf_edit* edit, sup_error* error)
{
    gltf_document document;
    sup_result    result;
    if (gltf_kinship_of(character) >= GLTF_WEIGHTS) {
        gltf_edit_open(edit, character->source, arena);
        if (!edit->failed && gltf_rewrite_weights(edit, character)) {
            result = gltf_document_read(character, arena, &document, error);
            return result ? result : add_clips(edit, &document, character, error);
        }
    }
    result = gltf_document_choose(character, 0, arena, &document, error);
    if (result) return result;
    gltf_edit_open(edit, document.source, arena);
    return edit->failed ? sup_fail_memory(error, "a GLB") : add_clips(edit, &document, character, error);
}

sup_result gltf_edit_write(gltf_edit* document, sup_out_file* file, sup_arena* arena, const char* path, sup_error* error)
{
    gltf_edit  edit = *document;
    text_block text = { 0 };
    gltf_edit_number(&edit, gltf_edit_get(edit.root, "buffers")->first, "byteLength", (double)edit.bytes);
    if (edit.failed) return sup_fail_memory(error, "the JSON of a GLB");
    sup_json_write(edit.root, 0, &(sup_text_sink){ take, &text });
    text.size = sup_align(text.at, 4);
    text.text = sup_arena_alloc(arena, text.size, 1);
    if (!text.text) return sup_fail_memory(error, "the JSON of a GLB");
    text.at = 0;
    sup_json_write(edit.root, 0, &(sup_text_sink){ take, &text });
    memset(text.text + text.at, ' ', text.size - text.at);
    uint64_t total = HEAD + 2 * CHUNK_HEAD + (uint64_t)text.size + edit.bytes;
    if (total > UINT32_MAX)
        return sup_fail(error, SUP_ERROR_INPUT, "cannot write '%s': it needs %.1f GB, and a GLB holds at most 4.2 GB", path,
                        (double)total / 1e9);
    const uint32_t head[] = { GLB_MAGIC, GLB_VERSION, (uint32_t)total, (uint32_t)text.size, GLB_JSON };
    const uint32_t chunk[] = { (uint32_t)edit.bytes, GLB_BIN };
    sup_result     result = sup_out_write(file, head, sizeof head, error);
    if (result == SUP_OK) result = sup_out_write(file, text.text, text.size, error);
    if (result == SUP_OK) result = sup_out_write(file, chunk, sizeof chunk, error);
    return result == SUP_OK ? write_blobs(edit.first, file, error) : result;
}

static bool ends_in_glb(const char* path)
{
    size_t length = strlen(path);
    return length > 4 && path[length - 4] == '.' && (path[length - 3] | 32) == 'g' && (path[length - 2] | 32) == 'l' &&
           (path[length - 1] | 32) == 'b';
}

static sup_result write_into(const sup_character* character, sup_out_file* file, const char* path, sup_arena* arena,
                             sup_error* error)
{
    gltf_edit  edit;
    sup_result result = make_document(character, arena, &edit, error);
    return result == SUP_OK ? gltf_edit_write(&edit, file, arena, path, error) : result;
}

static sup_result write_character(const sup_character* character, const char* path, sup_arena* arena, uint64_t* bytes,
                                  sup_error* error)
{
    sup_out_file* file = NULL;
    sup_result    result = sup_out_open(path, arena, NULL, SUP_OUT_ROOM, &file, error);
    if (result == SUP_OK) result = write_into(character, file, path, arena, error);
    if (result == SUP_OK && bytes) *bytes = sup_out_size(file);
    if (result == SUP_OK) result = sup_out_commit(file, error);
    sup_out_discard(file);
    return result;
}

sup_result sup_character_write(const sup_character* character, const char* path, const sup_allocator* allocator,
                               uint64_t* bytes, sup_error* error)
{
    SUP_ASSERT(character && path);
    if (!ends_in_glb(path))
        return sup_fail(error, SUP_ERROR_INPUT, "cannot write '%s': characters are written as .glb; give it that ending", path);
    sup_arena* arena = sup_arena_create(allocator);
    if (!arena) return sup_fail_memory(error, "a GLB");
    sup_result result = write_character(character, path, arena, bytes, error);
    sup_arena_destroy(arena);
    return result;
}

sup_result sup_character_write_memory(const sup_character* character, sup_arena* arena, sup_bytes* out, sup_error* error)
{
    SUP_ASSERT(character && arena && out);
    sup_arena*    work = sup_arena_beside(arena);
    sup_out_file* file = NULL;
    const char*   name;
    sup_bytes     made = { NULL, 0 };
    if (!work) return sup_fail_memory(error, "a GLB");
    sup_result result = sup_out_open_memory(character->name, work, &file, error);
    if (result == SUP_OK) result = write_into(character, file, character->name, work, error);
    if (result == SUP_OK) sup_out_bytes(file, &name, &made);
    uint8_t* copy = result == SUP_OK ? sup_arena_copy(arena, made.data, made.size, 1) : NULL;
    sup_out_discard(file);
    sup_arena_destroy(work);
    if (result == SUP_OK && !copy) return sup_fail_memory(error, "a GLB");
    if (result == SUP_OK) *out = (sup_bytes){ copy, made.size };
    return result;
}
