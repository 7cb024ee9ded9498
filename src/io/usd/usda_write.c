// Writes USD as text: a stage with one Mesh for each part. Points and normals have a sample for each frame; if the chain only
// skins, they are constant and a skeleton moves them (usda_skel_write.c).
#include "io/usd/usda.h"

#include <string.h>

// ---------------------------------------------------------------------------------------------- words

void usda_quoted(text_out* t, const char* text)
{
    char piece[3] = { 0 };
    text_put(t, "\"");
    for (; *text; ++text) {
        bool marked = *text == '"' || *text == '\\';
        piece[0] = marked ? '\\' : *text;
        piece[1] = (char)(marked ? *text : 0);
        text_put(t, (unsigned char)*text < ' ' ? "_" : piece);
    }
    text_put(t, "\"");
}

void usda_samples(usda_stage* s, const char* indent, const char* attribute)
{
    text_put(&s->text, indent);
    text_put(&s->text, attribute);
    text_put(&s->text, ".timeSamples = {\n");
}

void usda_code(usda_stage* s, const char* indent, uint32_t frame)
{
    char number[SUP_NUMBER_MAX];
    sup_print_double(frame, number);
    text_put(&s->text, indent);
    text_put(&s->text, "    ");
    text_put(&s->text, number);
    text_put(&s->text, ": ");
}

static void put_tuple(text_out* t, const float* v)
{
    text_put(t, "(");
    text_vec3(t, (sup_vec3){ v[0], v[1], v[2] }, ", ");
    text_put(t, ")");
}

void usda_box(usda_stage* s, const float box[6])
{
    text_put(&s->text, "[");
    put_tuple(&s->text, box);
    text_put(&s->text, ", ");
    put_tuple(&s->text, box + 3);
    text_put(&s->text, "],\n");
}

void usda_fetch(usda_stage* s, uint32_t frame, uint64_t at, float* out, size_t count)
{
    if (s->text.result == SUP_OK)
        s->text.result =
            sup_out_read_at(s->spill, frame * s->frame_bytes + at * sizeof(float), out, count * sizeof(float), s->text.error);
}

// ---------------------------------------------------------------------------------------------- one mesh

static void put_faces(text_out* t, const sup_mesh* mesh, const sup_part* part)
{
    uint32_t end = part->face_begin + part->face_count;
    text_put(t, "        int[] faceVertexCounts = [");
    for (uint32_t f = part->face_begin; f < end; ++f) {
        if (f > part->face_begin) text_put(t, ", ");
        text_index(t, mesh->face_begin[f + 1] - mesh->face_begin[f]);
    }
    text_put(t, "]\n        int[] faceVertexIndices = [");
    for (uint32_t c = mesh->face_begin[part->face_begin]; c < mesh->face_begin[end]; ++c) {
        if (c > mesh->face_begin[part->face_begin]) text_put(t, ", ");
        text_index(t, mesh->corner_vertices[c] - part->vertex_begin);
    }
    text_put(t, "]\n");
}

// Stored vertices: of points through `map`, or directly.
static void put_array(text_out* t, const sup_vec3* values, const uint32_t* map, uint32_t less, uint32_t count)
{
    text_put(t, "[");
    for (uint32_t v = 0; v < count; ++v) {
        if (v) text_put(t, ", ");
        put_tuple(t, &values[map ? map[v] - less : v].x);
    }
    text_put(t, "]");
}

static void put_moving(usda_stage* s, const sup_bake* bake, uint32_t index)
{
    const sup_mesh* mesh = &bake->desc.character->mesh;
    const sup_part* part = &mesh->parts[index];
    const uint32_t* map = mesh->vertex_points + part->vertex_begin;
    const char*     indent = "        ";
    uint64_t        boxes = 6 * (uint64_t)s->box_count;
    uint64_t        points = boxes + 3 * (uint64_t)part->point_begin;
    uint64_t        normals = boxes + 3 * ((uint64_t)mesh->point_count + part->vertex_begin);
    const sup_vec3* record = (const sup_vec3*)(const void*)s->record;
    usda_samples(s, indent, "float3[] extent");
    for (uint32_t f = 0; f < bake->desc.frame_count && s->text.result == SUP_OK; ++f) {
        usda_code(s, indent, f);
        usda_fetch(s, f, 6 * (uint64_t)index, s->record, 6);
        usda_box(s, s->record);
    }
    text_put(&s->text, "        }\n");
    usda_samples(s, indent, "point3f[] points");
    for (uint32_t f = 0; f < bake->desc.frame_count && s->text.result == SUP_OK; ++f) {
        usda_code(s, indent, f);
        usda_fetch(s, f, points, s->record, 3 * (size_t)part->point_count);
        put_array(&s->text, record, map, part->point_begin, part->vertex_count);
        text_put(&s->text, ",\n");
    }
    text_put(&s->text, "        }\n        normal3f[] normals (\n            interpolation = \"vertex\"\n        )\n");
    usda_samples(s, indent, "normal3f[] normals");
    for (uint32_t f = 0; f < bake->desc.frame_count && s->text.result == SUP_OK; ++f) {
        usda_code(s, indent, f);
        usda_fetch(s, f, normals, s->record, 3 * (size_t)part->vertex_count);
        put_array(&s->text, record, NULL, 0, part->vertex_count);
        text_put(&s->text, ",\n");
    }
    text_put(&s->text, "        }\n");
}

static void put_still(usda_stage* s, const sup_character* character, const sup_part* part, const sup_vec3* normals)
{
    const sup_mesh* mesh = &character->mesh;
    text_put(&s->text, "        point3f[] points = ");
    put_array(&s->text, mesh->points, mesh->vertex_points + part->vertex_begin, 0, part->vertex_count);
    text_put(&s->text, "\n        normal3f[] normals = ");
    put_array(&s->text, normals + part->vertex_begin, NULL, 0, part->vertex_count);
    text_put(&s->text, " (\n            interpolation = \"vertex\"\n        )\n");
    usda_skel_influences(s, character, part);
}

static void put_mesh(usda_stage* s, const sup_bake* bake, uint32_t index, const sup_vec3* rest_normals)
{
    const sup_character* character = bake->desc.character;
    const sup_part*      part = &character->mesh.parts[index];
    if (part->vertex_count == 0) return;
    text_format(&s->text, "\n    def Mesh \"%s\"", s->part_names[index]);
    bool bound = usda_material_binds(s, part);
    if (s->skeletal || bound)
        text_format(&s->text, " (\n        prepend apiSchemas = [%s%s%s]\n    )", s->skeletal ? "\"SkelBindingAPI\"" : "",
                    s->skeletal && bound ? ", " : "", bound ? "\"MaterialBindingAPI\"" : "");
    text_put(&s->text, "\n    {\n        uniform token subdivisionScheme = \"none\"\n");
    put_faces(&s->text, &character->mesh, part);
    usda_material_mesh(s, bake, index);
    if (s->skeletal) put_still(s, character, part, rest_normals);
    else put_moving(s, bake, index);
    text_put(&s->text, "    }\n");
}

// ---------------------------------------------------------------------------------------------- stage

static void put_double(text_out* t, const char* key, double value)
{
    char number[SUP_NUMBER_MAX];
    sup_print_double(value, number);
    text_format(t, "    %s = %s\n", key, number);
}

static void put_head(usda_stage* s, const sup_bake* bake)
{
    const sup_character* character = bake->desc.character;
    text_out*            t = &s->text;
    text_format(t, "#usda 1.0\n(\n    defaultPrim = \"%s\"\n    doc = ", s->root);
    char words[400];
    sup_format(words, sizeof words, "%.100s by Supple " SUP_VERSION ": %.200s",
               bake->desc.clip && bake->desc.clip->name ? bake->desc.clip->name : "a pose",
               bake->desc.chain ? bake->desc.chain : "");
    usda_quoted(t, words);
    text_put(t, "\n");
    put_double(t, "endTimeCode", bake->desc.frame_count - 1);
    put_double(t, "framesPerSecond", bake->desc.fps);
    put_double(t, "metersPerUnit", character->metres_per_unit);
    put_double(t, "startTimeCode", 0);
    put_double(t, "timeCodesPerSecond", bake->desc.fps);
    text_format(t, "    upAxis = \"%s\"\n)\n\n", character->up == SUP_AXIS_Z ? "Z" : "Y");
    text_format(t, "def %s \"%s\"", s->skeletal ? "SkelRoot" : "Xform", s->root);
    text_put(t, s->skeletal ? " (\n    prepend apiSchemas = [\"SkelBindingAPI\"]\n)\n{\n" : "\n{\n");
    // USD allows only y and z as up.
    if (character->up == SUP_AXIS_X)
        text_put(t, "    double xformOp:rotateZ = 90\n    uniform token[] xformOpOrder = [\"xformOp:rotateZ\"]\n");
}

static sup_result name_prims(sup_bake* bake, usda_stage* s, sup_error* error)
{
    const sup_mesh* mesh = &bake->desc.character->mesh;
    sup_identifier(bake->desc.character->name, "Character", NULL, 0, s->root);
    s->part_names = sup_arena_alloc(bake->arena, mesh->part_count + 2, sizeof *s->part_names);
    if (!s->part_names) return sup_fail_memory(error, "the names of a stage");
    // The first two names are taken by other prims.
    sup_format(s->part_names[0], SUP_IDENTIFIER, "Skeleton");
    sup_format(s->part_names[1], SUP_IDENTIFIER, "Looks");
    for (uint32_t i = 0; i < mesh->part_count; ++i)
        sup_identifier(mesh->parts[i].name, "Mesh", (const char(*)[SUP_IDENTIFIER])s->part_names, i + 2, s->part_names[i + 2]);
    s->part_names += 2;
    return SUP_OK;
}

sup_result usda_bake_begin(sup_bake* bake, sup_error* error)
{
    usda_stage* s = SUP_NEW(bake->arena, usda_stage, 1);
    if (!s) return sup_fail_memory(error, "a stage");
    bake->state = s;
    s->text.file = bake->file;
    s->text.buffer = sup_arena_alloc(bake->arena, TEXT_ROOM, 1);
    if (!s->text.buffer) return sup_fail_memory(error, "a stage");
    sup_result result = name_prims(bake, s, error);
    if (result == SUP_OK) result = usda_material_find(s, bake, error);
    if (result == SUP_OK) result = sup_bake_spill(bake, &s->spill, error);
    return result;
}

// The layout of a frame is known when the first pose is: a held one may need more than skinning.
static sup_result start(sup_bake* bake, usda_stage* s, const sup_pose* pose, sup_error* error)
{
    const sup_mesh* mesh = &bake->desc.character->mesh;
    const char*     why = NULL;
    if (bake->desc.linear && !bake->desc.flat) {
        sup_result result = usda_skel_fold(s, bake, pose, error);
        if (result != SUP_OK) return result;
        s->skeletal = usda_skel_fits(s, bake, pose, &why);
    }
    if (why) sup_bake_warn(bake, "the motion is written as points rather than as a skeleton: %s", why);
    s->box_count = s->skeletal ? 1 : mesh->part_count;
    uint64_t joints = USDA_JOINT_FLOATS * (uint64_t)pose->joint_count;
    uint64_t values = s->skeletal ? joints : 3 * ((uint64_t)mesh->point_count + mesh->vertex_count);
    s->frame_bytes = (6 * (uint64_t)s->box_count + values) * sizeof(float);
    uint64_t most = s->skeletal ? joints : 0;
    for (uint32_t p = 0; p < mesh->part_count && !s->skeletal; ++p) {
        if (3 * (uint64_t)mesh->parts[p].point_count > most) most = 3 * (uint64_t)mesh->parts[p].point_count;
        if (3 * (uint64_t)mesh->parts[p].vertex_count > most) most = 3 * (uint64_t)mesh->parts[p].vertex_count;
    }
    uint64_t boxes = 6 * (uint64_t)s->box_count;
    s->record = SUP_NEW(bake->arena, float, (size_t)(most > boxes ? most : boxes));
    return s->record ? SUP_OK : sup_fail_memory(error, "a frame of a stage");
}

static void bound(const sup_vec3* points, uint32_t count, float box[6])
{
    for (int k = 0; k < 3; ++k) box[k] = box[3 + k] = count ? (&points[0].x)[k] : 0;
    for (uint32_t p = 1; p < count; ++p)
        for (int k = 0; k < 3; ++k) {
            float x = (&points[p].x)[k];
            if (x < box[k]) box[k] = x;
            if (x > box[3 + k]) box[3 + k] = x;
        }
}

sup_result usda_bake_frame(sup_bake* bake, const sup_bake_frame* frame, sup_error* error)
{
    usda_stage*     s = bake->state;
    const sup_mesh* mesh = &bake->desc.character->mesh;
    sup_result      result = frame->index == 0 ? start(bake, s, frame->pose, error) : SUP_OK;
    if (result != SUP_OK) return result;
    if (s->skeletal) {
        float box[6];
        bound(frame->points, mesh->point_count, box);
        usda_skel_record(s, frame->pose, s->record);
        result = sup_out_write(s->spill, box, sizeof box, error);
        size_t bytes = (size_t)(s->frame_bytes - sizeof box);
        return result == SUP_OK ? sup_out_write(s->spill, s->record, bytes, error) : result;
    }
    for (uint32_t p = 0; p < mesh->part_count; ++p)
        bound(frame->points + mesh->parts[p].point_begin, mesh->parts[p].point_count, s->record + 6 * (size_t)p);
    result = sup_out_write(s->spill, s->record, 6 * (size_t)s->box_count * sizeof(float), error);
    if (result == SUP_OK) result = sup_out_write(s->spill, frame->points, mesh->point_count * sizeof(sup_vec3), error);
    if (result == SUP_OK) result = sup_out_write(s->spill, frame->vertex_normals, mesh->vertex_count * sizeof(sup_vec3), error);
    return result;
}

sup_result usda_bake_end(sup_bake* bake, sup_error* error)
{
    usda_stage*     s = bake->state;
    const sup_vec3* normals = NULL;
    s->text.error = error;
    sup_result result = s->skeletal ? sup_bake_rest_normals(bake, &normals, error) : SUP_OK;
    if (result != SUP_OK) return result;
    put_head(s, bake);
    if (s->skeletal) result = usda_skel_write(s, bake, error);
    if (result != SUP_OK) return result;
    for (uint32_t p = 0; p < bake->desc.character->mesh.part_count; ++p) put_mesh(s, bake, p, normals);
    usda_material_write(s);
    text_put(&s->text, "}\n");
    text_flush(&s->text);
    if (s->text.bad)
        sup_bake_warn(bake, "%llu baked coordinates were not finite numbers and are written as 0",
                      (unsigned long long)s->text.bad);
    return s->text.result;
}
