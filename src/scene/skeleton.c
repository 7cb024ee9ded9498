// Joints in topological order, their bind matrices, and the bones between them.
#include "scene/build.h"
#include "scene/exact.h"

#include <string.h>

#define BAD(...) sup_fail(build->error, SUP_ERROR_INPUT, __VA_ARGS__)

// The tail of a leaf, in lengths of the bone before it; of a lone joint, in diagonals of the mesh.
static const double LEAF_TAIL = 0.3, LONE_TAIL = 0.1;

static const char* joint_name(const sup_build* build, uint32_t joint)
{
    const char* name = build->desc->joints[joint].name;
    return name ? name : "(unnamed)";
}

// Parents before children, otherwise in the given order: each joint is output after those of its ancestors that are still
// missing.
static sup_result order_joints(sup_build* build, uint32_t* order)
{
    const sup_character_desc* desc = build->desc;
    uint32_t*                 path = SUP_NEW(build->scratch, uint32_t, desc->joint_count);
    uint32_t*                 walk = SUP_NEW(build->scratch, uint32_t, desc->joint_count); // the walk that visited it, plus 1
    if (!path || !walk) return sup_fail_memory(build->error, "a skeleton");
    uint32_t placed = 0;
    for (uint32_t i = 0; i < desc->joint_count; ++i) build->joint_places[i] = SUP_NONE;
    for (uint32_t i = 0; i < desc->joint_count; ++i) {
        uint32_t length = 0;
        for (uint32_t j = i; j != SUP_NONE && build->joint_places[j] == SUP_NONE; j = desc->joints[j].parent) {
            if (walk[j] == i + 1)
                return BAD("joint %u '%s' is its own ancestor; break the cycle of parents", j, joint_name(build, j));
            walk[j] = i + 1;
            path[length++] = j;
            uint32_t parent = desc->joints[j].parent;
            if (parent != SUP_NONE && parent >= desc->joint_count)
                return BAD("joint %u '%s' has joint %u as its parent but there are only %u joints; repair the file", j,
                           joint_name(build, j), parent, desc->joint_count);
        }
        while (length) {
            uint32_t j = path[--length];
            order[placed] = j;
            build->joint_places[j] = placed++;
        }
    }
    return SUP_OK;
}

static sup_result make_joint(sup_build* build, uint32_t given, sup_joint* out)
{
    *out = build->desc->joints[given];
    out->name = sup_build_name(build, out->name, "joint", given);
    if (!out->name) return sup_fail_memory(build->error, "a skeleton");
    if (out->parent != SUP_NONE) out->parent = build->joint_places[out->parent];
    if (out->has_matrix) {
        if (!affine_finite(&out->matrix))
            return BAD("the matrix of joint '%s' holds a value that is not a number; repair the file", out->name);
        affine_decompose(&out->matrix, &out->rest);
        if (!v3_finite(out->rest.scale)) return BAD("the matrix of joint '%s' is too large; scale it down", out->name);
        return SUP_OK;
    }
    sup_quat q = out->rest.rotation;
    if (!v3_finite(out->rest.translation) || !v3_finite(out->rest.scale) || !isfinite(q.x + q.y + q.z + q.w))
        return BAD("the rest transform of joint '%s' holds a value that is not a number; repair the file", out->name);
    if (!(quat_dot(q, q) > SUP_EPS_LENGTH))
        sup_note(&build->warnings, "joint '%s' has a rotation of length zero at rest; taken as no rotation", out->name);
    out->rest.rotation = quat_normalize_once(q);
    exact_affine local = exact_from_transform(&out->rest);
    out->matrix = exact_round(&local);
    return SUP_OK;
}

// A joint that rests flattened (scale 0, to pop up later) has no inverse, so its bind is the identity, and a mesh that follows
// it must stay in its own space or it would be flattened twice.
static void unplace_parts(sup_build* build, const bool* flat)
{
    for (uint32_t i = 0; i < build->desc->part_count; ++i) {
        uint32_t joint = build->part_builds[i].joint;
        if (joint == SUP_NONE || !flat[joint] || !build->part_builds[i].placed) continue;
        build->part_builds[i].placed = false;
        build->parts[i].place = build->parts[i].unplace = affine_identity();
        sup_note(&build->warnings, "'%s' is flattened at rest by joint '%s'; its shape stays as the file stores it",
                 build->parts[i].name, build->joints[joint].name);
    }
}

static sup_result make_binds(sup_build* build)
{
    exact_affine* globals = SUP_NEW(build->scratch, exact_affine, build->joint_count);
    bool*         flat = SUP_NEW(build->scratch, bool, build->joint_count);
    if (!globals || !flat) return sup_fail_memory(build->error, "a skeleton");
    for (uint32_t j = 0; j < build->joint_count; ++j) {
        sup_joint*   joint = &build->joints[j];
        exact_affine local = sup_exact_local(joint, &joint->rest), inverse;
        globals[j] = joint->parent == SUP_NONE ? local : exact_mul(&globals[joint->parent], &local);
        sup_affine rounded = exact_round(&globals[j]);
        if (!affine_finite(&rounded))
            return BAD("the rest transforms down to joint '%s' overflow; scale them down", joint->name);
        if (joint->skin_joint || joint->has_bind) {
            if (!affine_finite(&joint->inverse_bind))
                return BAD("the bind matrix of joint '%s' holds a value that is not a number; repair the file", joint->name);
            exact_affine bind = exact_from(&joint->inverse_bind);
            if (sup_exact_invert(&bind, &inverse)) continue;
            sup_note(&build->warnings, "the bind matrix of joint '%s' cannot be inverted; taken from its rest pose instead",
                     joint->name);
        }
        flat[j] = !sup_exact_invert(&globals[j], &inverse);
        joint->inverse_bind = flat[j] ? affine_identity() : exact_round(&inverse);
    }
    unplace_parts(build, flat);
    return SUP_OK;
}

// A mesh without a joint gets one of its own, so that everything downstream only knows skinned points.
static void add_joint(sup_build* build, uint32_t part)
{
    const char* name = build->parts[part].name;
    build->part_builds[part].joint = build->joint_count;
    build->joints[build->joint_count++] = (sup_joint){ .name = name,
                                                       .parent = SUP_NONE,
                                                       .rest = transform_identity(),
                                                       .matrix = affine_identity(),
                                                       .inverse_bind = affine_identity(),
                                                       .source_id = SUP_NONE };
}

sup_result sup_build_skeleton(sup_build* build)
{
    const sup_character_desc* desc = build->desc;
    uint64_t                  most = (uint64_t)desc->joint_count + desc->part_count;
    if (most > SUP_BUILD_LIMIT) return BAD("'%s' has more than %u joints", build->out->name, SUP_BUILD_LIMIT);
    build->joints = SUP_NEW(build->keep, sup_joint, most);
    build->joint_places = SUP_NEW(build->scratch, uint32_t, desc->joint_count);
    uint32_t* order = SUP_NEW(build->scratch, uint32_t, desc->joint_count);
    if (!build->joints || !build->joint_places || !order) return sup_fail_memory(build->error, "a skeleton");
    sup_result result = order_joints(build, order);
    if (result) return result;
    for (uint32_t j = 0; j < desc->joint_count; ++j)
        if ((result = make_joint(build, order[j], &build->joints[j]))) return result;
    build->joint_count = desc->joint_count;
    for (uint32_t i = 0; i < desc->part_count; ++i) {
        const sup_part_desc* d = &desc->parts[i];
        build->part_builds[i].joint = SUP_NONE;
        if (d->width) continue;
        if (d->joint != SUP_NONE) build->part_builds[i].joint = build->joint_places[d->joint];
        else add_joint(build, i);
    }
    if (!build->joint_count) {
        add_joint(build, 0);
        build->part_builds[0].joint = SUP_NONE; // it has weights of its own, if only zeros
    }
    for (uint32_t i = 0; i < desc->part_count; ++i) build->parts[i].joint = build->part_builds[i].joint;
    if ((result = make_binds(build))) return result;
    sup_skeleton* s = &build->out->skeleton;
    s->joints = build->joints;
    s->joint_count = build->joint_count;
    for (uint32_t j = 0; j < build->joint_count; ++j) s->skin_joint_count += build->joints[j].skin_joint;
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- bones

typedef struct bone_scratch {
    sup_vec3* heads;   // bind position of each joint
    uint32_t* parents; // nearest skin joint above
    uint32_t* begin;   // skin children of each skin joint
    uint32_t* children;
} bone_scratch;

static bool find_families(sup_build* build, bone_scratch* s)
{
    uint32_t n = build->joint_count;
    s->heads = SUP_NEW(build->scratch, sup_vec3, n);
    s->parents = SUP_NEW(build->scratch, uint32_t, n);
    s->begin = SUP_NEW(build->scratch, uint32_t, (size_t)n + 1);
    s->children = SUP_NEW(build->scratch, uint32_t, n);
    uint32_t* at = SUP_NEW(build->scratch, uint32_t, n);
    if (!s->heads || !s->parents || !s->begin || !s->children || !at) return false;
    for (uint32_t j = 0; j < n; ++j) {
        const sup_joint* joint = &build->joints[j];
        exact_affine     inverse = exact_from(&joint->inverse_bind), bind;
        if (sup_exact_invert(&inverse, &bind)) {
            sup_affine rounded = exact_round(&bind);
            s->heads[j] = affine_translation(&rounded);
        }
        s->parents[j] = joint->parent == SUP_NONE                 ? SUP_NONE
                        : build->joints[joint->parent].skin_joint ? joint->parent
                                                                  : s->parents[joint->parent];
        if (joint->skin_joint && s->parents[j] != SUP_NONE) s->begin[s->parents[j] + 1]++;
    }
    for (uint32_t j = 0; j < n; ++j) s->begin[j + 1] += s->begin[j];
    for (uint32_t j = 0; j < n; ++j)
        if (build->joints[j].skin_joint && s->parents[j] != SUP_NONE)
            s->children[s->begin[s->parents[j]] + at[s->parents[j]]++] = j;
    return true;
}

// Along the nearest bone above that has a length; a lone joint points up.
static sup_vec3 leaf_tail(const sup_build* build, const bone_scratch* s, uint32_t joint)
{
    sup_vec3 head = s->heads[joint];
    for (uint32_t j = joint, above = s->parents[j]; above != SUP_NONE; j = above, above = s->parents[j]) {
        sup_vec3 bone = v3_sub(s->heads[j], s->heads[above]);
        if (v3_length(bone) > 1e-6f * build->out->mesh.diagonal) return v3_mad(head, (float)LEAF_TAIL, bone);
    }
    float length = (float)LONE_TAIL * build->out->mesh.diagonal;
    switch (build->out->up) {
    case SUP_AXIS_X: head.x += length; break;
    case SUP_AXIS_Y: head.y += length; break;
    case SUP_AXIS_Z: head.z += length; break;
    }
    return head;
}

sup_result sup_build_bones(sup_build* build)
{
    bone_scratch s = { 0 };
    if (!find_families(build, &s)) return sup_fail_memory(build->error, "bones");
    uint32_t count = 0;
    for (uint32_t j = 0; j < build->joint_count; ++j) {
        uint32_t children = s.begin[j + 1] - s.begin[j];
        if (build->joints[j].skin_joint) count += children ? children : 1;
    }
    sup_bone* bones = SUP_NEW(build->keep, sup_bone, count);
    if (!bones) return sup_fail_memory(build->error, "bones");
    uint32_t n = 0;
    for (uint32_t j = 0; j < build->joint_count; ++j) {
        if (!build->joints[j].skin_joint) continue;
        for (uint32_t c = s.begin[j]; c < s.begin[j + 1]; ++c)
            bones[n++] = (sup_bone){ j, s.children[c], s.heads[j], s.heads[s.children[c]] };
        if (s.begin[j] == s.begin[j + 1]) bones[n++] = (sup_bone){ j, SUP_NONE, s.heads[j], leaf_tail(build, &s, j) };
    }
    build->out->skeleton.bones = bones;
    build->out->skeleton.bone_count = count;
    return SUP_OK;
}
