// Bakes into a GLB: header, JSON chunk, BIN chunk, in one pass. The JSON comes before the frames but contains the bounds of
// their displacements, so it is first written with space for them and rewritten in place at the end. A .gltf is that JSON, with
// the BIN chunk in a file beside it.
#include "base/internal.h"
#include "io/gltf/gltf_pack.h"
#include "io/path.h"

#include <string.h>

enum {
    GLB_MAGIC = 0x46546C67,
    GLB_VERSION = 2,
    GLB_JSON = 0x4E4F534A,
    GLB_BIN = 0x004E4942,
    GLB_HEAD = 12, // then 8 for each chunk
    CHUNK_HEAD = 8,
    FRAMES_MANY = 2000, // the weights of more would cost over 16 MB: frames x frames
};

// ---------------------------------------------------------------------------------------------- size

static sup_result too_large(const sup_bake* bake, double bytes, sup_error* error)
{
    return sup_fail(
        error, SUP_ERROR_INPUT,
        "cannot write '%s': %u frames need %.1f GB, and a GLB holds at most 4.2 GB; bake fewer frames (--start, --end) or "
        "at a lower --fps",
        bake->desc.path, bake->desc.frame_count, bytes / 1e9);
}

static sup_result check_size(const sup_bake* bake, const gltf_baking* baking, sup_error* error)
{
    double frames = bake->desc.frame_count;
    double bytes = frames * (double)baking->frame_bytes + (double)baking->document.source->bytes + frames * frames * 4;
    return bytes > (double)UINT32_MAX ? too_large(bake, bytes, error) : SUP_OK;
}

// ---------------------------------------------------------------------------------------------- JSON

static bool count_text(void* user, const char* bytes, size_t length)
{
    (void)bytes;
    *(size_t*)user += length;
    return true;
}

typedef struct text_block {
    char*  text;
    size_t at, size;
} text_block;

static bool keep_text(void* user, const char* bytes, size_t length)
{
    text_block* block = user;
    if (length > block->size - block->at) return false;
    memcpy(block->text + block->at, bytes, length);
    block->at += length;
    return true;
}

// Chunks are multiples of four bytes; JSON is padded with spaces.
static sup_result make_json(gltf_baking* baking, sup_arena* arena, sup_error* error)
{
    if (!baking->json) {
        size_t length = 0;
        sup_json_write(baking->edit.root, 0, &(sup_text_sink){ count_text, &length });
        baking->json_bytes = sup_align(length, 4);
        baking->json = sup_arena_alloc(arena, baking->json_bytes, 1);
        if (!baking->json) return sup_fail_memory(error, "the JSON of a GLB");
    }
    text_block block = { baking->json, 0, baking->json_bytes };
    bool       fits = sup_json_write(baking->edit.root, 0, &(sup_text_sink){ keep_text, &block });
    SUP_ASSERT(fits);
    if (!fits) return sup_fail(error, SUP_ERROR_FILE, "the JSON of the GLB exceeds its reserved size; this is a bug in Supple");
    memset(baking->json + block.at, ' ', block.size - block.at);
    return SUP_OK;
}

static sup_result write_words(const gltf_baking* baking, const uint32_t* words, size_t count, sup_error* error)
{
    return sup_out_write(baking->binary, words, count * sizeof *words, error); // little-endian, as every machine we run on
}

static sup_result write_blobs(const gltf_baking* baking, const gltf_blob* blob, sup_error* error)
{
    static const uint8_t zeros[4] = { 0 };
    for (; blob; blob = blob->next) {
        sup_result result = sup_out_write(baking->binary, blob->data, blob->bytes, error);
        if (result == SUP_OK) result = sup_out_write(baking->binary, zeros, sup_align(blob->bytes, 4) - blob->bytes, error);
        if (result != SUP_OK) return result;
    }
    return SUP_OK;
}

// Everything before the first frame's targets. The text of a .gltf is written at the end.
sup_result gltf_baking_write(sup_bake* bake, gltf_baking* baking, sup_error* error)
{
    sup_json* buffer = gltf_edit_get(baking->edit.root, "buffers")->first;
    gltf_edit_number(&baking->edit, buffer, "byteLength", (double)baking->edit.bytes);
    if (baking->uri) gltf_edit_string(&baking->edit, buffer, "uri", baking->uri);
    if (baking->edit.failed) return sup_fail_memory(error, "the JSON of a GLB");
    sup_result result = make_json(baking, bake->arena, error);
    if (result != SUP_OK) return result;
    uint64_t total = GLB_HEAD + 2 * CHUNK_HEAD + (uint64_t)baking->json_bytes + baking->edit.bytes;
    if (total > UINT32_MAX) return too_large(bake, (double)total, error);
    if (baking->uri) return write_blobs(baking, baking->edit.first, error);
    const uint32_t head[] = { GLB_MAGIC, GLB_VERSION, (uint32_t)total, (uint32_t)baking->json_bytes, GLB_JSON };
    const uint32_t bin[] = { (uint32_t)baking->edit.bytes, GLB_BIN };
    result = write_words(baking, head, SUP_COUNT_OF(head), error);
    if (result == SUP_OK) result = sup_out_write(baking->binary, baking->json, baking->json_bytes, error);
    if (result == SUP_OK) result = write_words(baking, bin, SUP_COUNT_OF(bin), error);
    if (result == SUP_OK) result = write_blobs(baking, baking->edit.first, error);
    return result;
}

// ---------------------------------------------------------------------------------------------- begin, frame, end

static sup_result start(sup_bake* bake, gltf_baking* baking, const sup_pose* held, sup_error* error)
{
    sup_result result = gltf_baking_judge(baking, bake, held, error);
    if (result == SUP_OK && SUP_HAS_BUDGETS && bake->desc.budget) {
        result = gltf_pack_begin(baking, bake, held, error);
        baking->started = result == SUP_OK;
        return result;
    }
    if (result == SUP_OK && (bake->desc.sparse || bake->desc.meshopt)) result = sup_bake_spill(bake, &baking->spill, error);
    if (result == SUP_OK) result = gltf_baking_edit(baking, bake, held, error);
    if (result == SUP_OK && !baking->spill) result = gltf_baking_write(bake, baking, error);
    baking->started = result == SUP_OK;
    return result;
}

static sup_result reserve(gltf_baking* baking, sup_bake* bake, sup_error* error)
{
    sup_arena* arena = bake->arena;
    bool       sparse = bake->desc.sparse;
    uint32_t   most = 0;
    for (uint32_t i = 0; i < baking->piece_count; ++i)
        if (baking->pieces[i].count > most) most = baking->pieces[i].count;
    baking->positions = SUP_NEW(arena, sup_vec3, most);
    baking->normals = SUP_NEW(arena, sup_vec3, most);
    if (sparse) baking->kept = SUP_NEW(arena, uint32_t, most);
    if (sparse && !baking->kept) return sup_fail_memory(error, "a frame of targets");
    if (!baking->positions || !baking->normals) return sup_fail_memory(error, "a frame of targets");
    return bake->desc.meshopt ? gltf_meshopt_begin(baking, bake, most, error) : SUP_OK;
}

// Whether all copies of a point have the normal of its one stored vertex in the frames: no edge is hard.
static bool share_normals(const sup_mesh* from, const sup_mesh* to)
{
    bool same = from->vertex_count == from->point_count && !from->vertex_normals == !to->vertex_normals;
    for (uint32_t v = 0; same && to->vertex_normals && v < to->vertex_count; ++v)
        same = memcmp(&to->vertex_normals[v], &from->vertex_normals[to->vertex_points[v]], sizeof(sup_vec3)) == 0;
    return same;
}

static sup_result make_normals(gltf_baking* baking, const sup_character* from, const sup_character* character, sup_arena* arena,
                               sup_error* error)
{
    baking->split = true;
    baking->vertex_normals = SUP_NEW(arena, sup_vec3, character->mesh.vertex_count);
    if (!baking->vertex_normals) return sup_fail_memory(error, "normals");
    if (share_normals(&from->mesh, &character->mesh)) return SUP_OK;
    sup_result result = sup_normals_create(character, arena, &baking->normals_maker, error);
    if (result != SUP_OK) return result;
    baking->normals_scratch = sup_arena_alloc(arena, sup_normals_scratch(baking->normals_maker), 1);
    return baking->normals_scratch ? SUP_OK : sup_fail_memory(error, "normals");
}

static const sup_vec3* turn_normals(gltf_baking* baking, const sup_mesh* mesh, const sup_bake_frame* frame)
{
    sup_vec3* out = baking->vertex_normals;
    if (baking->normals_maker)
        sup_normals_evaluate(baking->normals_maker, frame->points, baking->normals_scratch, NULL, out, NULL);
    for (uint32_t v = 0; !baking->normals_maker && v < mesh->vertex_count; ++v)
        out[v] = frame->vertex_normals[mesh->vertex_points[v]]; // one stored vertex for each point there
    return out;
}

static bool is_text(const char* path)
{
    size_t length = strlen(path);
    return length > 0 && (path[length - 1] == 'f' || path[length - 1] == 'F'); // .gltf, not .glb
}

// The name as a URI: escapes anything but plain letters.
static char* escape(sup_arena* arena, const char* name)
{
    static const char digits[] = "0123456789ABCDEF";
    char*             out = sup_arena_alloc(arena, 3 * strlen(name) + 1, 1);
    size_t            at = 0;
    for (; out && *name; ++name) {
        unsigned char c = (unsigned char)*name;
        if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || strchr("-._~", c)) {
            out[at++] = (char)c;
            continue;
        }
        out[at++] = '%';
        out[at++] = digits[c >> 4];
        out[at++] = digits[c & 15];
    }
    return out;
}

// "walk.gltf" has its data beside it in "walk.0123456789abcdef.bin": the digits are the hash of those bytes. So readers see the
// old text with the old data or the new with the new, whenever the bake is killed. The name is known at the end; until then
// zeros reserve its place.
static const char NO_HASH[] = ".0000000000000000.bin";
enum { HASH_DIGITS = 16, HASH_TAIL = sizeof NO_HASH - 1, HASH_END = sizeof ".bin" - 1 };

static sup_result open_binary(sup_bake* bake, gltf_baking* baking, sup_error* error)
{
    const char* path = bake->desc.path;
    size_t      stem = (size_t)(strrchr(path, '.') - path);
    baking->binary = bake->file;
    if (!is_text(path)) return SUP_OK;
    baking->beside = sup_arena_alloc(bake->arena, stem + sizeof NO_HASH, 1);
    if (!baking->beside) return sup_fail_memory(error, "a bake");
    memcpy(baking->beside, path, stem);
    memcpy(baking->beside + stem, NO_HASH, sizeof NO_HASH);
    baking->uri = escape(bake->arena, baking->beside + sup_path_folder(baking->beside));
    if (!baking->uri) return sup_fail_memory(error, "a bake");
    return sup_bake_open(bake, baking->beside, NULL, SUP_OUT_ROOM, &baking->binary, error);
}

// Whether a URI was made by name_binary for this very target.
static bool is_our_binary(const char* uri, const char* ours)
{
    size_t length = strlen(ours), tail = length - HASH_TAIL;
    if (!uri || strlen(uri) != length || memcmp(uri, ours, tail + 1) != 0) return false;
    return strspn(uri + tail + 1, "0123456789abcdef") == HASH_DIGITS && strcmp(uri + length - HASH_END, ".bin") == 0;
}

// The data file of the text that is about to be replaced: nothing references it afterwards. Only our own files are removed.
static void find_stale(sup_bake* bake, const gltf_baking* baking)
{
    const sup_files* files = sup_files_system();
    sup_arena*       arena = sup_arena_create(NULL);
    sup_bytes        bytes;
    sup_json*        root = NULL;
    sup_error        ignored;
    const char*      path = bake->desc.path;
    size_t           folder = sup_path_folder(path);
    const char*      uri = NULL;
    if (arena && files->read(files->user, path, arena, &bytes, &ignored) == SUP_OK &&
        sup_json_parse((const char*)bytes.data, bytes.size, path, arena, &root, &ignored) == SUP_OK)
        uri = sup_json_string(sup_json_get(sup_json_at(sup_json_get(root, "buffers"), 0), "uri"), NULL);
    if (is_our_binary(uri, baking->uri) && strcmp(uri, baking->uri) != 0) {
        char* old = sup_arena_text(bake->arena, baking->beside, strlen(baking->beside));
        if (old) memcpy(old + strlen(old) - HASH_TAIL, uri + strlen(uri) - HASH_TAIL, HASH_TAIL);
        bool kept = old && bake->desc.kept && bake->desc.kept(bake->desc.kept_user, old);
        if (old && !kept && strlen(old) > folder) bake->stale = old;
    }
    sup_arena_destroy(arena);
}

// Once all bytes are written: puts their hash into the text and the file's name.
static sup_result name_binary(sup_bake* bake, gltf_baking* baking, sup_error* error)
{
    char       digits[HASH_DIGITS + 1];
    sup_result result = sup_out_hash(baking->binary, digits, error);
    if (result != SUP_OK) return result;
    memcpy(baking->beside + strlen(baking->beside) - HASH_TAIL + 1, digits, HASH_DIGITS);
    memcpy(baking->uri + strlen(baking->uri) - HASH_TAIL + 1, digits, HASH_DIGITS);
    gltf_edit_string(&baking->edit, gltf_edit_get(baking->edit.root, "buffers")->first, "uri", baking->uri);
    if (baking->edit.failed) return sup_fail_memory(error, "the JSON of a glTF");
    if (!bake->in_memory) find_stale(bake, baking);
    return sup_out_aim(baking->binary, baking->beside, bake->arena, error);
}

// Viewers read four influences per vertex. Rewritten weights need no more: the displacements of the baked clip contain the
// rest.
enum { VIEWERS_TAKE = 4 };

static void note_influences(sup_bake* bake, const gltf_baking* baking)
{
    uint32_t most = bake->desc.character->weights.influences_max;
    bool     own = baking->document.source == gltf_source_of(bake->desc.character);
    if (most <= VIEWERS_TAKE || own || bake->desc.flat) return;
    sup_bake_warn(bake,
                  "points have up to %u influences and viewers support four: the copy has the four largest; the baked clip is "
                  "still exact, other clips are close",
                  most);
}

sup_result gltf_bake_begin(sup_bake* bake, sup_error* error)
{
    const sup_character* character = bake->desc.character;
    gltf_baking*         baking = SUP_NEW(bake->arena, gltf_baking, 1);
    if (!baking) return sup_fail_memory(error, "a bake");
    bake->state = baking;
    if (bake->desc.budget && is_text(bake->desc.path))
        return sup_fail(error, SUP_ERROR_INPUT, "a bake within a budget is one file: write '%s' as .glb", bake->desc.path);
    sup_result result = open_binary(bake, baking, error);
    if (result == SUP_OK && bake->desc.budget) result = gltf_character_join(character, bake->allocator, &bake->own, error);
    if (result == SUP_OK)
        result = gltf_document_choose(bake->own ? bake->own : character, VIEWERS_TAKE, bake->arena, &baking->document, error);
    if (result == SUP_OK && baking->document.character != character) {
        // Its points are those of the frames, but its stored vertices are others.
        result = make_normals(baking, character, baking->document.character, bake->arena, error);
        character = bake->desc.character = baking->document.character;
    }
    if (result == SUP_OK) result = gltf_baking_collect(baking, character, bake->arena, error);
    if (result == SUP_OK && !bake->desc.sparse && !bake->desc.meshopt && !bake->desc.budget)
        result = check_size(bake, baking, error);
    if (result == SUP_OK) result = reserve(baking, bake, error);
    if (result != SUP_OK) return result;
    if (bake->desc.frame_count > FRAMES_MANY && !bake->desc.budget)
        sup_bake_warn(bake, "%u frames become as many morph targets, which many viewers cannot handle; bake at a lower --fps",
                      bake->desc.frame_count);
    note_influences(bake, baking);
    if (bake->desc.clip && bake->desc.tension_colors)
        sup_bake_warn(bake,
                      "tension colors are for a pose and are left out of a clip; --vat with --tension has tension over time");
    // Without a clip the pose is unknown before the first frame.
    return bake->desc.clip ? start(bake, baking, NULL, error) : SUP_OK;
}

static void put_bounds(sup_json* accessor, const char* key, const float bounds[3])
{
    sup_json* number = gltf_edit_get(accessor, key)->first;
    for (int i = 0; i < 3; ++i, number = number->next) {
        number->text = NULL;
        number->length = 0;
        number->number = (double)bounds[i];
    }
}

static sup_result write_piece(sup_bake* bake, gltf_baking* baking, uint32_t index, const sup_bake_frame* frame,
                              sup_error* error)
{
    const baked_piece* piece = &baking->pieces[index];
    const sup_vec3*    normals = frame->vertex_normals + piece->part->part->vertex_begin;
    float              bounds[6];
    baking->bad += gltf_pull_vertices(&piece->part->pull, piece->begin, piece->begin + piece->count, frame->points, normals,
                                      baking->positions, baking->normals, bounds);
    size_t     target = (size_t)frame->index * baking->piece_count + index;
    sup_json*  accessor = baking->accessors[target];
    sup_result result = SUP_OK;
    if (bake->desc.sparse) result = gltf_sparse_write(baking, bake, piece, target, bounds, error);
    else if (bake->desc.meshopt) result = gltf_meshopt_write(baking, bake, piece, target, error);
    if (result != SUP_OK) return result;
    put_bounds(accessor, "min", bounds);
    put_bounds(accessor, "max", bounds + 3);
    if (baking->spill) return SUP_OK;
    size_t bytes = (size_t)piece->count * sizeof(sup_vec3);
    result = sup_out_write(baking->binary, baking->positions, bytes, error);
    if (result == SUP_OK && piece->normals) result = sup_out_write(baking->binary, baking->normals, bytes, error);
    return result;
}

sup_result gltf_bake_frame(sup_bake* bake, const sup_bake_frame* given, sup_error* error)
{
    gltf_baking*          baking = bake->state;
    bool                  held = bake->desc.clip == NULL;
    sup_bake_frame        own = *given;
    const sup_bake_frame* frame = &own;
    if (baking->split) own.vertex_normals = turn_normals(baking, &bake->desc.character->mesh, given);
    if (!baking->started) {
        bool       asked = bake->desc.tension || bake->desc.tension_colors;
        sup_result result = asked ? gltf_tension_find(baking, bake, frame->points, error) : SUP_OK;
        if (result == SUP_OK) result = start(bake, baking, frame->pose, error);
        if (result != SUP_OK) return result;
    }
    // A held pose stays the one that the file contains.
    if (!held || frame->index == 0)
        for (uint32_t i = 0; i < baking->part_count; ++i)
            if (!baking->parts[i].pull.flat) gltf_pull_pose(&baking->parts[i].pull, frame->pose);
    if (gltf_baking_pack(baking)) return gltf_pack_frame(baking, frame, error);
    for (uint32_t i = 0; i < baking->piece_count; ++i) {
        sup_result result = write_piece(bake, baking, i, frame, error);
        if (result != SUP_OK) return result;
    }
    return SUP_OK;
}

sup_result gltf_bake_end(sup_bake* bake, sup_error* error)
{
    gltf_baking* baking = bake->state;
    if (baking->bad)
        sup_bake_warn(bake, "%llu baked positions were not finite numbers; those vertices stay where they are stored",
                      (unsigned long long)baking->bad);
    if (gltf_baking_pack(baking)) return gltf_pack_end(baking, bake, error);
    if (baking->spill) {
        sup_result written = bake->desc.meshopt ? gltf_meshopt_end(baking, error) : SUP_OK;
        if (written == SUP_OK) written = gltf_baking_write(bake, baking, error);
        if (written == SUP_OK) written = gltf_sparse_copy(baking, bake, error);
        if (written != SUP_OK || !baking->uri) return written;
    }
    sup_result result = baking->uri ? name_binary(bake, baking, error) : SUP_OK;
    if (result == SUP_OK) result = make_json(baking, bake->arena, error);
    if (result != SUP_OK) return result;
    return baking->uri ? sup_out_write(bake->file, baking->json, baking->json_bytes, error)
                       : sup_out_write_at(bake->file, GLB_HEAD + CHUNK_HEAD, baking->json, baking->json_bytes, error);
}
