// FBX, COLLADA and the rest: assimp reads them, and its result becomes a glTF document for our own reader.
//
// glTF is in metres with y up. FBX says its unit and axis, which become one node above everything; COLLADA's are in its root
// already. The other formats say nothing: metres and y are assumed, and said so.
#include "io_extra/assimp.h"
#include "io_extra/extra.h"
#include "math/vec.h"

#include <assimp/cimport.h>
#include <string.h>

void assimp_warn(assimp_reader* r, const char* format, ...)
{
    va_list arguments;
    char    text[400];
    if (r->warning_count == ASSIMP_WARNINGS_MAX) return;
    va_start(arguments, format);
    sup_format_list(text, sizeof text, format, arguments);
    va_end(arguments);
    if (r->warning_count == ASSIMP_WARNINGS_MAX - 1) strcpy(text, "and more of the same kind; the rest is not listed");
    const char* kept = sup_arena_text(r->work, text, strlen(text));
    if (kept) r->warnings[r->warning_count++] = kept;
}

// ---------------------------------------------------------------------------------------------- units

static bool find_number(const struct aiScene* scene, const char* key, double* out)
{
    const struct aiMetadata* data = scene->mMetaData;
    for (uint32_t i = 0; data && i < data->mNumProperties; ++i) {
        const struct aiMetadataEntry* entry = &data->mValues[i];
        if (!entry->mData || strcmp(data->mKeys[i].data, key) != 0) continue;
        int32_t whole;
        float   single;
        switch (entry->mType) {
        case AI_INT32: memcpy(&whole, entry->mData, sizeof whole), *out = whole; return true;
        case AI_FLOAT: memcpy(&single, entry->mData, sizeof single), *out = (double)single; return true;
        case AI_DOUBLE: memcpy(out, entry->mData, sizeof *out); return true;
        default: return false;
        }
    }
    return false;
}

static bool has_format(const struct aiScene* scene, const char* word)
{
    const struct aiMetadata* data = scene->mMetaData;
    for (uint32_t i = 0; data && i < data->mNumProperties; ++i)
        if (data->mValues[i].mType == AI_AISTRING && strcmp(data->mKeys[i].data, "SourceAsset_Format") == 0)
            return strstr(((const struct aiString*)data->mValues[i].mData)->data, word) != NULL;
    return false;
}

static sup_transform choose_place(assimp_reader* r, gltf_given* given)
{
    const float   half = 0.70710678f;
    double        unit = 1, value;
    sup_axis      up = SUP_AXIS_Y;
    sup_transform place = transform_identity();
    bool          collada = has_format(r->scene, "Collada");
    given->unit_assumed = given->up_assumed = !collada;
    if (r->fbx && find_number(r->scene, "UnitScaleFactor", &value) && isfinite(value) && value > 0) {
        unit = value * 0.01; // FBX counts in centimetres
        given->unit_assumed = false;
    }
    if (r->fbx && find_number(r->scene, "UpAxis", &value) && value >= 0 && value <= 2) {
        up = value == 0 ? SUP_AXIS_X : value == 2 ? SUP_AXIS_Z : SUP_AXIS_Y;
        given->up_assumed = false;
    }
    if (r->in->unit > 0) unit = r->in->unit, given->unit_assumed = false;
    if (sup_up_given(r->in->up)) up = sup_up_axis(r->in->up), given->up_assumed = false;
    given->unit = unit;
    place.scale = v3((float)unit, (float)unit, (float)unit);
    if (up == SUP_AXIS_Z) place.rotation = quat(-half, 0, 0, half);
    if (up == SUP_AXIS_X) place.rotation = quat(0, 0, half, half);
    return place;
}

static void put_top(assimp_reader* r, const sup_transform* place)
{
    gltf_edit*    edit = &r->edit;
    sup_transform still = transform_identity();
    uint32_t      top = 0;
    if (memcmp(place, &still, sizeof still) != 0) {
        sup_json* node = gltf_edit_new(edit, SUP_JSON_OBJECT);
        gltf_edit_string(edit, node, "name", "metres, y up");
        gltf_edit_numbers(edit, node, "rotation", &place->rotation.x, 4);
        gltf_edit_numbers(edit, node, "scale", &place->scale.x, 3);
        gltf_edit_push_number(edit, gltf_edit_array(edit, node, "children"), 0);
        top = gltf_edit_add(edit, "nodes", node);
    }
    gltf_edit_push_number(edit, r->top, top);
}

// ---------------------------------------------------------------------------------------------- all of it

static void start_document(assimp_reader* r)
{
    gltf_edit_create(&r->edit, r->keep);
    sup_json* asset = gltf_edit_object(&r->edit, r->edit.root, "asset");
    gltf_edit_string(&r->edit, asset, "version", "2.0");
    gltf_edit_string(&r->edit, asset, "generator", "Supple " SUP_VERSION);
    sup_json* scene = gltf_edit_new(&r->edit, SUP_JSON_OBJECT);
    r->top = gltf_edit_array(&r->edit, scene, "nodes");
    gltf_edit_number(&r->edit, r->edit.root, "scene", gltf_edit_add(&r->edit, "scenes", scene));
}

static sup_result finish_document(assimp_reader* r, gltf_given* given)
{
    sup_json* buffer = gltf_edit_new(&r->edit, SUP_JSON_OBJECT);
    gltf_edit_number(&r->edit, buffer, "byteLength", (double)r->edit.bytes);
    gltf_edit_add(&r->edit, "buffers", buffer);
    if (r->edit.bytes > UINT32_MAX - 1)
        return sup_fail(r->error, SUP_ERROR_INPUT, "the file has more than 4 GiB of geometry; split it");
    if (!gltf_edit_gather(&r->edit, &given->binary) || r->edit.failed) return sup_fail_memory(r->error, "a document");
    given->root = r->edit.root;
    given->warnings = r->warnings;
    given->warning_count = r->warning_count;
    return SUP_OK;
}

static bool has_word(sup_bytes bytes, const char* word)
{
    size_t length = strlen(word);
    for (size_t i = 0; i + length <= bytes.size; ++i)
        if (bytes.data[i] == (uint8_t)word[0] && memcmp(bytes.data + i, word, length) == 0) return true;
    return false;
}

static sup_result convert(assimp_reader* r, gltf_given* given)
{
    r->fbx = has_format(r->scene, "FBX");
    r->warnings = SUP_NEW(r->work, const char*, ASSIMP_WARNINGS_MAX);
    if (!r->warnings) return sup_fail_memory(r->error, "the reader");
    if (r->scene->mNumMeshes == 0 && has_format(r->scene, "Collada") && has_word(r->in->bytes, "<morph"))
        return sup_fail(
            r->error, SUP_ERROR_INPUT,
            "assimp finds no mesh below a COLLADA morph controller; export the file as FBX or glTF, which keep morph targets");
    if (!r->scene->mRootNode || r->scene->mNumMeshes == 0)
        return sup_fail(r->error, SUP_ERROR_INPUT, "the file has no mesh; export it with the skin to deform");
    start_document(r);
    sup_transform place = choose_place(r, given);
    ASSIMP_TRY(assimp_nodes_make(r));
    ASSIMP_TRY(assimp_materials_make(r));
    ASSIMP_TRY(assimp_parts_make(r));
    ASSIMP_TRY(assimp_clips_make(r));
    ASSIMP_TRY(assimp_cameras_make(r));
    put_top(r, &place);
    return finish_document(r, given);
}

// assimp's messages end in newlines and periods inconsistently.
static sup_result fail_import(const sup_read_input* in, sup_error* error)
{
    char        text[300];
    const char* words = aiGetErrorString();
    sup_format(text, sizeof text, "%s", words && words[0] ? words : "no reason");
    if (strstr(text, "bad_alloc"))
        return sup_fail(
            error, SUP_ERROR_INPUT,
            "'%.300s' cannot be read: assimp needs more memory for it than an intact file of its size does; copy it "
            "again, or export it as glTF",
            in->path);
    size_t n = strlen(text);
    while (n && strchr("\n\r. ", text[n - 1])) text[--n] = 0;
    for (char* c = text; *c; ++c)
        if (*c == '\n' || *c == '\r') *c = ' ';
    return sup_fail(error, SUP_ERROR_INPUT, "'%.300s' cannot be read (assimp: %s); copy it again, or export it as glTF",
                    in->path, text);
}

// assimp trusts the counts of an OFF file and allocates without limit.
static sup_result check_off(const sup_read_input* in, sup_error* error)
{
    const char* text = (const char*)in->bytes.data;
    size_t      size = in->bytes.size, at = 0;
    while (at < size && text[at] != '\n') ++at; // after "OFF" in the variants of the header
    for (int number = 0; number < 2 && size > 3 && memcmp(text, "OFF", 3) == 0; ++number) {
        double value = 0;
        while (at < size && (text[at] == ' ' || text[at] == '\n' || text[at] == '\r' || text[at] == '\t')) ++at;
        at += sup_parse_double(text + at, size - at, false, &value);
        if (value > (double)size)
            return sup_fail(error, SUP_ERROR_INPUT, "the file announces %.0f items in %zu bytes; it is damaged", value,
                            size);
    }
    return SUP_OK;
}

static sup_result make_document(const sup_read_input* in, sup_arena* keep, sup_arena* work, gltf_given* given, sup_error* error)
{
    assimp_reader r = { .in = in, .error = error, .keep = keep, .work = work };
    r.scene = assimp_import(in, work);
    if (!r.scene) return fail_import(in, error);
    sup_result result = convert(&r, given);
    aiReleaseImport(r.scene);
    return result;
}

static sup_result read_scene(const sup_read_input* in, sup_arena* keep, sup_arena* work, sup_character** out, sup_error* error)
{
    gltf_given given = { 0 };
    ASSIMP_TRY(check_off(in, error));
    ASSIMP_TRY(assimp_apart(make_document, in, keep, work, &given, error));
    sup_read_input metres = *in;
    metres.unit = 0;
    metres.up = SUP_UP_FILE;
    metres.arena = keep;
    return gltf_read_given(&metres, &given, out, error);
}

static sup_result read(const sup_read_input* in, sup_character** out, sup_error* error)
{
    SUP_ASSERT(in && in->path && in->files && out);
    sup_arena* keep = sup_arena_create(in->allocator);
    sup_arena* work = sup_arena_create(in->allocator);
    sup_result result = keep && work ? read_scene(in, keep, work, out, error) : sup_fail_memory(error, "the reader");
    sup_arena_destroy(work);
    sup_arena_destroy(keep);
    return result;
}

// Formats that assimp reads and we do not. Where one of our own readers knows the ending, it is asked first. The list holds
// only formats that people meet under wrong names; the others are recognized by their ending.
static bool recognize(sup_bytes bytes)
{
    static const char* const begin[] = { "Kaydara FBX Binary", "; FBX ", "BLENDER" };
    for (size_t i = 0; i < sizeof begin / sizeof *begin; ++i)
        if (bytes.size > strlen(begin[i]) && memcmp(bytes.data, begin[i], strlen(begin[i])) == 0) return true;
    return false;
}

const sup_file_format sup_format_assimp = {
    .name = "assimp",
    .summary = "FBX, COLLADA, Blender and many more, through assimp",
    .endings = "fbx dae zae blend 3ds x ms3d md5mesh md2 md3 mdc mdl iqm smd pmx b3d ogex 3mf ac ac3d acc amf ase ask assbin "
               "bsp cob csm dxf enff hmp ifc ifczip irr irrmesh lwo lws lxo md5anim md5camera mesh mot ndo nff off pk3 prj q3o "
               "q3s raw scn sib step stl stp ter uc vta x3d x3db xgl xml zgl 3d",
    .read = read,
    .recognize = recognize,
};
