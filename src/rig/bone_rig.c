// Rigs of research data: a mesh, bones as edges, a table of weights, and affine matrices for every bone and frame.
#include "base/internal.h"
#include "math/vec.h"
#include "rig/redescribe.h"
#include "rig/retarget/key_time.h"
#include "supple/rig.h"

#include <string.h>

#define BAD(...) sup_fail(error, SUP_ERROR_INPUT, __VA_ARGS__)

// Solvers compute weights that are negative by rounding; beyond this they mean something else.
static const double WEIGHT_NEGATIVE_MAX = 1e-3;

// ---------------------------------------------------------------------------------------------- a character under a rig

typedef struct attacher {
    const sup_character* from;
    const sup_rig*       rig;
    const sup_matrix*    weights;
    sup_arena*           arena;
    sup_error*           error;
} attacher;

// Stored vertices of one part, each influenced by every bone; zero weights are dropped when the character is created.
static sup_result describe_part(const attacher* a, uint32_t index, sup_part_desc* out)
{
    const sup_mesh* mesh = &a->from->mesh;
    const sup_part* part = &mesh->parts[index];
    sup_error*      error = a->error;
    uint32_t        bones = a->rig->bone_count;
    bool            per_point = a->weights->rows != mesh->vertex_count;
    uint32_t*       joints = SUP_NEW(a->arena, uint32_t, (size_t)part->vertex_count * bones);
    float*          values = SUP_NEW(a->arena, float, (size_t)part->vertex_count* bones);
    if (!joints || !values) return sup_fail_memory(error, "a rig");
    for (uint32_t v = 0; v < part->vertex_count; ++v) {
        uint32_t vertex = part->vertex_begin + v, point = mesh->vertex_points[vertex];
        for (uint32_t b = 0; b < bones; ++b) {
            double w = a->weights->values[(size_t)b * a->weights->rows + (per_point ? point : vertex)];
            if (w < -WEIGHT_NEGATIVE_MAX || w > 1e6)
                return BAD("the weight of vertex %u for '%s' is %g; weights go from 0 to 1", vertex + 1, a->rig->bones[b].name,
                           w);
            joints[(size_t)v * bones + b] = b;
            values[(size_t)v * bones + b] = w > 0 ? (float)w : 0;
        }
    }
    sup_result result = sup_part_redescribe(a->from, index, a->arena, out, error);
    out->width = bones;
    out->joints = joints;
    out->weights = values;
    return result;
}

static sup_joint* describe_joints(const attacher* a)
{
    sup_joint* joints = SUP_NEW(a->arena, sup_joint, a->rig->bone_count);
    for (uint32_t b = 0; joints && b < a->rig->bone_count; ++b) {
        const sup_rig_bone* bone = &a->rig->bones[b];
        sup_vec3            above = bone->parent == SUP_NONE ? v3(0, 0, 0) : a->rig->bones[bone->parent].head;
        joints[b] = (sup_joint){ .name = bone->name,
                                 .parent = bone->parent,
                                 .skin_joint = true,
                                 .rest = transform_identity(),
                                 .inverse_bind = affine_identity(),
                                 .source_id = b };
        joints[b].rest.translation = v3_sub(bone->head, above);
        for (int i = 0; i < 3; ++i) joints[b].inverse_bind.m[i][3] = -(&bone->head.x)[i];
    }
    return joints;
}

static sup_result attach(const attacher* a, const sup_allocator* allocator, sup_character** out)
{
    const sup_mesh* mesh = &a->from->mesh;
    sup_error*      error = a->error;
    if (a->weights->columns != a->rig->bone_count)
        return BAD("the weights have %u columns, but the skeleton has %u bones; they belong to different rigs",
                   a->weights->columns, a->rig->bone_count);
    if (a->weights->rows != mesh->vertex_count && a->weights->rows != mesh->point_count)
        return BAD("the weights have %u rows, but '%s' has %u vertices; they belong to different meshes", a->weights->rows,
                   a->from->name, mesh->vertex_count);
    sup_part_desc* parts = SUP_NEW(a->arena, sup_part_desc, mesh->part_count);
    sup_joint*     joints = describe_joints(a);
    if (!parts || !joints) return sup_fail_memory(error, "a rig");
    for (uint32_t i = 0; i < mesh->part_count; ++i) {
        sup_result result = describe_part(a, i, &parts[i]);
        if (result != SUP_OK) return result;
    }
    return sup_character_redescribe(a->from, a->rig->bone_count, joints, parts, allocator, out, error);
}

sup_result sup_rig_attach(const sup_character* character, const sup_rig* rig, const sup_matrix* weights,
                          const sup_allocator* allocator, sup_character** out, sup_error* error)
{
    SUP_ASSERT(character && rig && weights && out);
    attacher   a = { character, rig, weights, sup_arena_create(allocator), error };
    sup_result result = a.arena ? attach(&a, allocator, out) : sup_fail_memory(error, "a rig");
    sup_arena_destroy(a.arena);
    return result;
}

// ---------------------------------------------------------------------------------------------- motion

typedef struct matrix34 {
    double m[3][4];
} matrix34;

static matrix34 multiply(const matrix34* a, const matrix34* b)
{
    matrix34 r;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 4; ++j)
            r.m[i][j] = a->m[i][0] * b->m[0][j] + a->m[i][1] * b->m[1][j] + a->m[i][2] * b->m[2][j] + (j == 3 ? a->m[i][3] : 0);
    return r;
}

// The determinant of a bone's 3x3 matrix, dimensionless: below this the bone is scaled to 1e-10 of its size and has no inverse.
static const double SINGULAR = 1e-30;

static bool invert(const matrix34* a, matrix34* out)
{
    const double(*m)[4] = a->m;
    double det = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
                 m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
    if (!isfinite(det) || fabs(det) < SINGULAR) return false;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            int r0 = (j + 1) % 3, r1 = (j + 2) % 3, c0 = (i + 1) % 3, c1 = (i + 2) % 3;
            out->m[i][j] = (m[r0][c0] * m[r1][c1] - m[r0][c1] * m[r1][c0]) / det;
        }
    for (int i = 0; i < 3; ++i) out->m[i][3] = -(out->m[i][0] * m[0][3] + out->m[i][1] * m[1][3] + out->m[i][2] * m[2][3]);
    return true;
}

// Bone to world in a frame: the bone's affine matrix after the move to its head.
static matrix34 bone_matrix(const sup_rig* rig, const double* frame, uint32_t bone)
{
    size_t   rows = 4 * (size_t)rig->bone_count;
    matrix34 t, at_head = { { { 1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, 1, 0 } } };
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 4; ++k) t.m[i][k] = frame[(size_t)i * rows + 4 * (size_t)bone + (size_t)k];
    for (int i = 0; i < 3; ++i) at_head.m[i][3] = (double)(&rig->bones[bone].head.x)[i];
    return multiply(&t, &at_head);
}

static sup_result local_transform(const sup_rig* rig, const double* frame, uint32_t number, uint32_t bone, sup_transform* out,
                                  sup_error* error)
{
    matrix34 local = bone_matrix(rig, frame, bone), above, inverse;
    uint32_t parent = rig->bones[bone].parent;
    if (parent != SUP_NONE) {
        above = bone_matrix(rig, frame, parent);
        if (!invert(&above, &inverse))
            return BAD("the matrix of '%s' in frame %u is singular; scale the bone up", rig->bones[parent].name, number + 1);
        local = multiply(&inverse, &local);
    }
    sup_affine rounded;
    for (int i = 0; i < 12; ++i) {
        rounded.m[i / 4][i % 4] = (float)local.m[i / 4][i % 4];
        if (!isfinite(rounded.m[i / 4][i % 4]))
            return BAD("the matrix of '%s' in frame %u is too large; scale the motion down", rig->bones[bone].name, number + 1);
    }
    if (!affine_decompose(&rounded, out))
        return BAD(
            "the matrix of '%s' in frame %u has shear, which joints cannot represent; remove it, or bake the meshes instead",
            rig->bones[bone].name, number + 1);
    return SUP_OK;
}

// Three channels of one joint over all frames.
static sup_result make_channels(const sup_rig* rig, const sup_matrix* motion, uint32_t frames, uint32_t bone, uint32_t joint,
                                const float* times, sup_arena* arena, sup_channel* out, sup_error* error)
{
    static const sup_path paths[3] = { SUP_PATH_TRANSLATION, SUP_PATH_ROTATION, SUP_PATH_SCALE };
    sup_vec3*             translations = SUP_NEW(arena, sup_vec3, frames);
    sup_quat*             rotations = SUP_NEW(arena, sup_quat, frames);
    sup_vec3*             scales = SUP_NEW(arena, sup_vec3, frames);
    if (!translations || !rotations || !scales) return sup_fail_memory(error, "a motion");
    for (uint32_t f = 0; f < frames; ++f) {
        sup_transform t;
        sup_result    result = local_transform(rig, motion->values + (size_t)f * 12 * rig->bone_count, f, bone, &t, error);
        if (result != SUP_OK) return result;
        translations[f] = t.translation;
        scales[f] = t.scale;
        rotations[f] = t.rotation;
        if (f && quat_dot(rotations[f], rotations[f - 1]) < 0)
            rotations[f] = quat(-t.rotation.x, -t.rotation.y, -t.rotation.z, -t.rotation.w);
    }
    const float* values[3] = { &translations->x, &rotations->x, &scales->x };
    for (int i = 0; i < 3; ++i)
        out[i] = (sup_channel){ .target = joint,
                                .path = paths[i],
                                .interpolation = SUP_INTERPOLATE_LINEAR,
                                .key_count = frames,
                                .width = i == 1 ? 4 : 3,
                                .times = times,
                                .values = values[i] };
    return SUP_OK;
}

sup_result sup_rig_clip(const sup_character* character, const sup_rig* rig, const sup_matrix* motion, const char* name,
                        double fps, sup_arena* arena, sup_clip* out, sup_error* error)
{
    SUP_ASSERT(character && rig && motion && name && fps > 0 && arena && out);
    bool     posed = motion->columns == 3 && motion->rows == 4 * (uint64_t)rig->bone_count;
    uint32_t frames = posed ? 1 : motion->columns;
    if (!posed && motion->rows != 12 * (uint64_t)rig->bone_count)
        return BAD("the motion has %u rows and %u columns; %u bones need %llu rows for a clip, or %llu rows of 3 for a pose",
                   motion->rows, motion->columns, rig->bone_count, 12ull * rig->bone_count, 4ull * rig->bone_count);
    if (frames > 1u << 22) return BAD("the motion has more than %u frames; cut it into pieces", 1u << 22);
    float*       times = SUP_NEW(arena, float, frames);
    sup_channel* channels = SUP_NEW(arena, sup_channel, 3 * (size_t)rig->bone_count);
    char*        text = sup_arena_text(arena, name, strlen(name));
    uint32_t     count = 0;
    if (!times || !channels || !text) return sup_fail_memory(error, "a motion");
    for (uint32_t f = 0; f < frames; ++f) times[f] = sup_key_time(f / fps);
    for (uint32_t j = 0; j < character->skeleton.joint_count; ++j) {
        uint32_t bone = character->skeleton.joints[j].source_id;
        if (!character->skeleton.joints[j].skin_joint || bone >= rig->bone_count || count >= 3 * (uint64_t)rig->bone_count)
            continue;
        sup_result result = make_channels(rig, motion, frames, bone, j, times, arena, channels + count, error);
        if (result != SUP_OK) return result;
        count += 3;
    }
    *out = (sup_clip){
        .name = text, .seconds = (double)times[frames - 1], .channel_count = count, .channels = channels, .source_id = SUP_NONE
    };
    return SUP_OK;
}
