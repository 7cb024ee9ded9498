// UsdSkel: a chain that only skins is written as an animated skeleton, which USD poses itself (linear blend skinning, as ours).
#include "io/gltf/gltf_reader.h"
#include "io/usd/usda.h"

#include <math.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------- whether it fits

// A smaller deviation of a scale is an exporter's rounding.
static const double noise = 1e-6;

static bool is_near(double a, double b) { return fabs(a - b) <= noise * fabs(b); }

// UsdSkel stores scales as half floats: ten bits after the leading one.
static bool is_half(double x)
{
    double size = fabs(x);
    if (!(size >= 6.103515625e-5 && size <= 65504)) return size == 0;
    int    exponent;
    double mantissa = frexp(size, &exponent) * 2048;
    return is_near(mantissa, floor(mantissa + 0.5));
}

static bool is_constant(const sup_channel* channel)
{
    uint32_t parts = channel->interpolation == SUP_INTERPOLATE_CUBIC ? 3 : 1;
    size_t   count = (size_t)channel->key_count * channel->width * parts;
    if (parts == 3 && channel->key_count > 1) return false;
    for (size_t i = channel->width; i < count; ++i)
        if (!is_near((double)channel->values[i], (double)channel->values[i % channel->width])) return false;
    return true;
}

// Whole rigs are often under a scale like 0.01, which a half float misses by 2e-4. A uniform, constant scale can be factored
// out of its joint: its descendants' translations grow instead, and its bind transform shrinks by the same factor.
sup_result usda_skel_fold(usda_stage* s, const sup_bake* bake, const sup_pose* pose, sup_error* error)
{
    const sup_skeleton* skeleton = &bake->desc.character->skeleton;
    s->own = SUP_NEW(bake->arena, double, pose->joint_count);
    s->above = SUP_NEW(bake->arena, double, pose->joint_count);
    if (!s->own || !s->above) return sup_fail_memory(error, "a skeleton");
    for (uint32_t j = 0; j < pose->joint_count; ++j) {
        uint32_t parent = skeleton->joints[j].parent;
        double   x = (double)pose->local[j].scale.x;
        bool     even = is_near((double)pose->local[j].scale.y, x) && is_near((double)pose->local[j].scale.z, x) && x > 0;
        s->own[j] = even && !is_half(x) ? x : 1;
        s->above[j] = parent == SUP_NONE ? 1 : s->above[parent] * s->own[parent];
    }
    return SUP_OK;
}

// Whether the pose's local transforms reproduce its joints: matrices of the file may have shear.
static bool local_is_all(const sup_character* character, const sup_pose* pose)
{
    const sup_skeleton* skeleton = &character->skeleton;
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        uint32_t    parent = skeleton->joints[j].parent;
        gltf_matrix local = gltf_matrix_transform(&pose->local[j]), made = local;
        if (parent != SUP_NONE) {
            gltf_matrix above = gltf_matrix_from(&pose->global[parent]);
            made = gltf_matrix_mul(&above, &local);
        }
        for (int i = 0; i < 12; ++i) {
            double have = (double)pose->global[j].m[i / 4][i % 4], size = i % 4 == 3 ? (double)character->mesh.diagonal : 1;
            if (!(fabs(made.m[i / 4][i % 4] - have) <= 1e-5 * (size + fabs(have)))) return false;
        }
    }
    return true;
}

bool usda_skel_fits(const usda_stage* s, const sup_bake* bake, const sup_pose* pose, const char** why)
{
    const sup_character* character = bake->desc.character;
    const sup_clip*      clip = bake->part;
    gltf_matrix          inverse;
    for (uint32_t m = 0; m < pose->morph_count; ++m)
        if (pose->morph_weights[m] != 0) *why = "morph targets act before the skin";
    for (uint32_t c = 0; clip && c < clip->channel_count; ++c) {
        const sup_channel* channel = &clip->channels[c];
        if (channel->path == SUP_PATH_WEIGHTS) *why = "morph targets act before the skin";
        if (channel->path == SUP_PATH_SCALE && !is_constant(channel)) *why = "USD stores the scale of joints in 16 bits";
    }
    for (uint32_t j = 0; j < pose->joint_count && !*why; ++j) {
        gltf_matrix bind = gltf_matrix_from(&character->skeleton.joints[j].inverse_bind);
        sup_vec3    scale = pose->local[j].scale;
        double      own = s->own[j];
        bool        halves = is_half((double)scale.x / own) && is_half((double)scale.y / own) && is_half((double)scale.z / own);
        if (!halves) *why = "USD stores the scale of joints in 16 bits";
        else if (!gltf_matrix_invert(&bind, &inverse)) *why = "a joint's bind transform cannot be inverted";
    }
    if (!*why && !local_is_all(character, pose)) *why = "a joint's matrix is more than translation, rotation and scale";
    return !*why;
}

void usda_skel_record(const usda_stage* s, const sup_pose* pose, float* out)
{
    for (uint32_t j = 0; j < pose->joint_count; ++j, out += USDA_JOINT_FLOATS) {
        const sup_transform* t = &pose->local[j];
        double               above = s->above[j], own = s->own[j];
        const float          joint[USDA_JOINT_FLOATS] = { (float)((double)t->translation.x * above),
                                                          (float)((double)t->translation.y * above),
                                                          (float)((double)t->translation.z * above),
                                                          t->rotation.w,
                                                          t->rotation.x,
                                                          t->rotation.y,
                                                          t->rotation.z,
                                                          (float)((double)t->scale.x / own),
                                                          (float)((double)t->scale.y / own),
                                                          (float)((double)t->scale.z / own) };
        memcpy(out, joint, sizeof joint);
    }
}

// ---------------------------------------------------------------------------------------------- skeleton

// Siblings need different names; joints are identified by paths like "hips/spine/head".
static sup_result name_joints(const sup_skeleton* skeleton, sup_arena* arena, char (**out)[SUP_IDENTIFIER], sup_error* error)
{
    char(*names)[SUP_IDENTIFIER] = sup_arena_alloc(arena, skeleton->joint_count, sizeof *names);
    char(*taken)[SUP_IDENTIFIER] = sup_arena_alloc(arena, skeleton->joint_count, sizeof *taken);
    if (!names || !taken) return sup_fail_memory(error, "the names of joints");
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        uint32_t count = 0;
        for (uint32_t k = 0; k < j; ++k)
            if (skeleton->joints[k].parent == skeleton->joints[j].parent) memcpy(taken[count++], names[k], SUP_IDENTIFIER);
        sup_identifier(skeleton->joints[j].name, "joint", (const char(*)[SUP_IDENTIFIER])taken, count, names[j]);
    }
    *out = names;
    return SUP_OK;
}

static void put_path(text_out* t, const sup_skeleton* skeleton, char (*names)[SUP_IDENTIFIER], uint32_t joint)
{
    // Parents come first in the order of joints, so a chain is never longer than it.
    uint32_t depth = 0;
    for (uint32_t j = joint; skeleton->joints[j].parent != SUP_NONE; j = skeleton->joints[j].parent) depth++;
    for (uint32_t level = depth + 1; level-- > 0;) {
        uint32_t at = joint;
        for (uint32_t i = 0; i < level; ++i) at = skeleton->joints[at].parent;
        text_put(t, names[at]);
        if (level) text_put(t, "/");
    }
}

static void put_joints(text_out* t, const char* indent, const sup_skeleton* skeleton, char (*names)[SUP_IDENTIFIER])
{
    text_put(t, indent);
    text_put(t, "uniform token[] joints = [");
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        text_put(t, j ? ", \"" : "\"");
        put_path(t, skeleton, names, j);
        text_put(t, "\"");
    }
    text_put(t, "]\n");
}

// USD multiplies row vectors from the left: our columns are its rows.
static void put_matrix(text_out* t, const gltf_matrix* a)
{
    char number[SUP_NUMBER_MAX];
    text_put(t, "(");
    for (int column = 0; column < 4; ++column) {
        text_put(t, column ? ", (" : "(");
        for (int row = 0; row < 3; ++row) {
            sup_print_double(a->m[row][column], number);
            text_put(t, number);
            text_put(t, ", ");
        }
        text_put(t, column == 3 ? "1)" : "0)");
    }
    text_put(t, ")");
}

static void put_transforms(usda_stage* s, const sup_skeleton* skeleton, bool bind)
{
    text_out* t = &s->text;
    text_put(t, bind ? "        uniform matrix4d[] bindTransforms = [" : "        uniform matrix4d[] restTransforms = [");
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        const sup_joint* joint = &skeleton->joints[j];
        gltf_matrix      matrix = gltf_matrix_from(bind ? &joint->inverse_bind : &joint->matrix);
        if (bind) {
            gltf_matrix inverse = matrix;
            if (gltf_matrix_invert(&matrix, &inverse)) matrix = inverse; // usda_skel_fits has checked that it can
        }
        // Both in the skeleton whose uniform scales were factored out.
        double turn = bind ? s->above[j] * s->own[j] : s->own[j], move = bind ? 1 : s->above[j];
        for (int row = 0; row < 3; ++row) {
            for (int column = 0; column < 3; ++column) matrix.m[row][column] /= turn;
            matrix.m[row][3] *= move;
        }
        if (j) text_put(t, ", ");
        put_matrix(t, &matrix);
    }
    text_put(t, "]\n");
}

// One attribute of the animation: `width` floats of every joint, starting at index `at`.
static void put_track(usda_stage* s, uint32_t frames, uint32_t joints, const char* attribute, int at, int width)
{
    const char* indent = "            ";
    usda_samples(s, indent, attribute);
    for (uint32_t f = 0; f < frames && s->text.result == SUP_OK; ++f) {
        usda_code(s, indent, f);
        usda_fetch(s, f, 6, s->record, USDA_JOINT_FLOATS * (size_t)joints);
        text_put(&s->text, "[");
        for (uint32_t j = 0; j < joints; ++j) {
            text_put(&s->text, j ? ", (" : "(");
            for (int k = 0; k < width; ++k) {
                if (k) text_put(&s->text, ", ");
                text_float(&s->text, s->record[USDA_JOINT_FLOATS * (size_t)j + (size_t)(at + k)]);
            }
            text_put(&s->text, ")");
        }
        text_put(&s->text, "],\n");
    }
    text_put(&s->text, "            }\n");
}

sup_result usda_skel_write(usda_stage* s, sup_bake* bake, sup_error* error)
{
    const sup_skeleton* skeleton = &bake->desc.character->skeleton;
    uint32_t            frames = bake->desc.frame_count;
    char(*names)[SUP_IDENTIFIER] = NULL;
    sup_result result = name_joints(skeleton, bake->arena, &names, error);
    if (result != SUP_OK) return result;
    text_out* t = &s->text;
    usda_samples(s, "    ", "float3[] extent");
    for (uint32_t f = 0; f < frames && t->result == SUP_OK; ++f) {
        float box[6] = { 0 };
        usda_code(s, "    ", f);
        usda_fetch(s, f, 0, box, 6);
        usda_box(s, box);
    }
    text_format(t, "    }\n    rel skel:skeleton = </%s/Skeleton>\n\n    def Skeleton \"Skeleton\" (\n", s->root);
    text_put(t, "        prepend apiSchemas = [\"SkelBindingAPI\"]\n    )\n    {\n");
    put_joints(t, "        ", skeleton, names);
    text_put(t, "        uniform token[] jointNames = [");
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        if (j) text_put(t, ", ");
        usda_quoted(t, skeleton->joints[j].name ? skeleton->joints[j].name : names[j]);
    }
    text_put(t, "]\n");
    put_transforms(s, skeleton, true);
    put_transforms(s, skeleton, false);
    text_format(t, "        rel skel:animationSource = </%s/Skeleton/Animation>\n\n", s->root);
    text_put(t, "        def SkelAnimation \"Animation\"\n        {\n");
    put_joints(t, "            ", skeleton, names);
    put_track(s, frames, skeleton->joint_count, "float3[] translations", 0, 3);
    put_track(s, frames, skeleton->joint_count, "quatf[] rotations", 3, 4);
    put_track(s, frames, skeleton->joint_count, "half3[] scales", 7, 3);
    text_put(t, "        }\n    }\n");
    return t->result;
}

// ---------------------------------------------------------------------------------------------- influences

void usda_skel_influences(usda_stage* s, const sup_character* character, const sup_part* part)
{
    const sup_weights* weights = &character->weights;
    const uint32_t*    points = character->mesh.vertex_points + part->vertex_begin;
    text_out*          t = &s->text;
    uint32_t           width = 1;
    for (uint32_t v = 0; v < part->vertex_count; ++v) {
        uint32_t n = weights->begin[points[v] + 1] - weights->begin[points[v]];
        if (n > width) width = n;
    }
    // The SkelRoot repeats it for all meshes; some readers only look here.
    text_format(t, "        rel skel:skeleton = </%s/Skeleton>\n", s->root);
    text_put(t,
             "        matrix4d primvars:skel:geomBindTransform = ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1))\n");
    for (int kind = 0; kind < 2; ++kind) {
        text_put(t, kind ? "        float[] primvars:skel:jointWeights = [" : "        int[] primvars:skel:jointIndices = [");
        for (uint32_t v = 0; v < part->vertex_count; ++v)
            for (uint32_t i = 0; i < width; ++i) {
                uint32_t at = weights->begin[points[v]] + i;
                bool     there = at < weights->begin[points[v] + 1];
                if (v + i) text_put(t, ", ");
                if (kind) text_float(t, there ? weights->values[at] : 0);
                else text_index(t, there ? weights->joints[at] : 0);
            }
        text_format(t, "] (\n            elementSize = %u\n            interpolation = \"vertex\"\n        )\n", width);
    }
}
