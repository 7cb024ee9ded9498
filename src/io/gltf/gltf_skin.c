// Skins, joints, and the one rest space that all parts share.
//
// glTF binds every skin in a space of its own: vertex -> IB_j -> joint j. The character has one inverse bind for each joint and
// its points in one space, so each skin gets a placement B (mesh space to rest space) and binds IB'_j = IB_j B^-1, which leaves
// G_j IB'_j (B v) = G_j IB_j v unchanged. B = G(root) IB(root) puts the bind shape where the file's rest pose shows it. A
// second skin on joints of a first takes the B that makes a shared joint agree.
#include "io/gltf/gltf_reader.h"
#include "math/vec.h"

// Skins whose placement is nearer to the identity keep their positions bit for bit; the translation is relative to the box.
static const double IDENTITY_NEAR = 1e-6;
// Two binds of one joint that move the corners of the box apart by less than this share of its diagonal are the same.
static const double BINDS_AGREE = 1e-4;
// A placement that flattens more than this could not be inverted in float.
static const float CONDITION_MAX = 1e4f;

// ---------------------------------------------------------------------------------------------- reading

static sup_result read_binds(gltf_reader* r, gltf_skin* skin)
{
    uint32_t      id;
    gltf_accessor a;
    const char*   what = gltf_text(r, "skin '%s' inverseBindMatrices", skin->name);
    for (uint32_t j = 0; j < skin->joint_count; ++j) skin->inverse_binds[j] = gltf_matrix_identity();
    GLTF_TRY(gltf_index(r, skin->value, "inverseBindMatrices", r->source->accessor_count, what, &id));
    if (id == SUP_NONE) return SUP_OK;
    GLTF_TRY(gltf_accessor_load(r, id, what, &a));
    if (a.components != 16 || a.count < skin->joint_count)
        return sup_fail(r->error, SUP_ERROR_INPUT, "%s: %u elements of %u numbers instead of %u of 16", what, a.count,
                        a.components, skin->joint_count);
    for (uint32_t j = 0; j < skin->joint_count; ++j)
        for (uint32_t c = 0; c < 16; ++c) {
            float value = gltf_accessor_float(&a, j, c);
            if (!isfinite(value))
                return sup_fail(r->error, SUP_ERROR_INPUT, "%s: accessor %u holds a number that is not finite; export it again",
                                what, id);
            if (c % 4 < 3) skin->inverse_binds[j].m[c % 4][c / 4] = value;
        }
    return SUP_OK;
}

static sup_result read_skin(gltf_reader* r, gltf_skin* skin)
{
    const sup_json* joints = sup_json_get(skin->value, "joints");
    skin->joint_count = joints && joints->type == SUP_JSON_ARRAY ? joints->count : 0;
    if (skin->joint_count == 0)
        return sup_fail(r->error, SUP_ERROR_INPUT, "skin '%s' has no joints; export it again", skin->name);
    skin->nodes = SUP_NEW(r->work, uint32_t, skin->joint_count);
    skin->joints = SUP_NEW(r->work, uint32_t, skin->joint_count);
    skin->inverse_binds = SUP_NEW(r->work, gltf_matrix, skin->joint_count);
    if (!skin->nodes || !skin->joints || !skin->inverse_binds) return sup_fail_memory(r->error, "a skin");
    const sup_json* joint = joints->first;
    for (uint32_t j = 0; j < skin->joint_count; ++j, joint = joint->next) {
        skin->nodes[j] = sup_json_index(joint, SUP_NONE);
        if (skin->nodes[j] >= r->node_count)
            return sup_fail(r->error, SUP_ERROR_INPUT, "skin '%s': its joint %u is not a node of the file; the file is damaged",
                            skin->name, j);
        r->nodes[skin->nodes[j]].skin_joint = true;
    }
    r->joint_capacity += skin->joint_count;
    return read_binds(r, skin);
}

static void grow_box(gltf_skin* skin, const gltf_mesh* mesh)
{
    if (mesh->vertex_count == 0) return;
    sup_vec3 low = mesh->positions[0], high = low;
    for (uint32_t v = 1; v < mesh->vertex_count; ++v) {
        low = v3_min(low, mesh->positions[v]);
        high = v3_max(high, mesh->positions[v]);
    }
    for (int c = 0; c < 3; ++c) {
        double least = (double)(&low.x)[c], most = (double)(&high.x)[c];
        if (!skin->used || least < skin->low[c]) skin->low[c] = least;
        if (!skin->used || most > skin->high[c]) skin->high[c] = most;
    }
    skin->used = true;
}

// Skin joints, nodes with parts, and their ancestors become joints, parents first.
static sup_result make_joints(gltf_reader* r)
{
    uint32_t count = 0;
    for (uint32_t k = r->node_count; k-- > 0;) {
        gltf_node* node = &r->nodes[r->order[k]];
        if (node->skin_joint || node->part != SUP_NONE) node->joint = 0;
        if (node->joint == SUP_NONE) continue;
        if (node->parent != SUP_NONE) r->nodes[node->parent].joint = 0;
        ++count;
    }
    if ((uint64_t)count + r->joint_capacity > UINT32_MAX / 2)
        return sup_fail(r->error, SUP_ERROR_INPUT, "the file has too many joints");
    r->joint_capacity += count; // every joint of every skin may need a copy
    r->joints = SUP_NEW(r->work, sup_joint, r->joint_capacity);
    if (!r->joints) return sup_fail_memory(r->error, "the joints");
    for (uint32_t k = 0; k < r->node_count; ++k) {
        gltf_node* node = &r->nodes[r->order[k]];
        if (node->joint == SUP_NONE) continue;
        node->joint = r->joint_count++;
        r->joints[node->joint] = (sup_joint){ .name = node->name,
                                              .parent = node->parent == SUP_NONE ? SUP_NONE : r->nodes[node->parent].joint,
                                              .skin_joint = node->skin_joint,
                                              .has_matrix = node->has_matrix,
                                              .rest = node->rest,
                                              .matrix = node->matrix,
                                              .source_id = r->order[k] };
    }
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- placing

// The joint highest in the tree, the first of several: none of the skin's joints is above it.
static uint32_t find_root(const gltf_reader* r, const gltf_skin* skin)
{
    uint32_t root = 0;
    for (uint32_t j = 1; j < skin->joint_count; ++j)
        if (r->nodes[skin->nodes[j]].depth < r->nodes[skin->nodes[root]].depth) root = j;
    return root;
}

static double box_diagonal(const gltf_skin* skin)
{
    double sum = 0;
    for (int c = 0; c < 3; ++c) sum += (skin->high[c] - skin->low[c]) * (skin->high[c] - skin->low[c]);
    return sqrt(sum);
}

static bool near_identity(const gltf_skin* skin, const gltf_matrix* a)
{
    double diagonal = box_diagonal(skin), size = diagonal > 1 ? diagonal : 1;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 4; ++j)
            if (!(fabs(a->m[i][j] - (i == j)) <= IDENTITY_NEAR * (j == 3 ? size : 1))) return false;
    return true;
}

// The placement of the skin's mesh space in rest space.
static gltf_matrix choose_place(gltf_reader* r, const gltf_skin* skin)
{
    uint32_t    root = find_root(r, skin), shared = root;
    gltf_matrix bind, place;
    while (shared < skin->joint_count && !r->nodes[skin->nodes[shared]].bound) ++shared;
    for (uint32_t j = 0; shared == skin->joint_count && j < root; ++j)
        if (r->nodes[skin->nodes[j]].bound) shared = j;
    if (shared < skin->joint_count && gltf_matrix_invert(&r->nodes[skin->nodes[shared]].inverse_bind, &bind))
        place = gltf_matrix_mul(&bind, &skin->inverse_binds[shared]);
    else place = gltf_matrix_mul(&r->nodes[skin->nodes[root]].global, &skin->inverse_binds[root]);

    if (near_identity(skin, &place)) return gltf_matrix_identity();
    sup_affine  rounded = gltf_matrix_affine(&place);
    gltf_matrix inverse;
    if (gltf_matrix_invert(&place, &inverse) && affine_condition(&rounded) <= CONDITION_MAX) return place;
    gltf_warn(r, "skin '%s' is flattened at rest by joint '%s'; its shape stays as the file stores it", skin->name,
              r->nodes[skin->nodes[root]].name);
    return gltf_matrix_identity();
}

// Whether the joint's final bind moves the skin's box as the skin's own bind does.
static bool binds_agree(const gltf_skin* skin, const gltf_matrix* settled, const gltf_matrix* own)
{
    if (!skin->used) return true;
    gltf_matrix through = gltf_matrix_mul(settled, &skin->place);
    double      a[3], b[3], apart = 0, size = 0;
    for (int corner = 0; corner < 8; ++corner) {
        double p[3];
        for (int c = 0; c < 3; ++c) p[c] = corner >> c & 1 ? skin->high[c] : skin->low[c];
        gltf_matrix_point(&through, p, a);
        gltf_matrix_point(own, p, b);
        for (int c = 0; c < 3; ++c) apart = fmax(apart, fabs(a[c] - b[c]));
    }
    double low[3], high[3];
    gltf_matrix_point(own, skin->low, low);
    gltf_matrix_point(own, skin->high, high);
    for (int c = 0; c < 3; ++c) size += (high[c] - low[c]) * (high[c] - low[c]);
    return apart <= BINDS_AGREE * sqrt(size);
}

static uint32_t copy_joint(gltf_reader* r, const gltf_skin* skin, uint32_t node_index, const gltf_matrix* bind)
{
    gltf_node* node = &r->nodes[node_index];
    SUP_ASSERT(r->joint_count < r->joint_capacity);
    const char* name = gltf_text(r, "%s.%u", node->name, ++node->copies + 1);
    r->joints[r->joint_count] = (sup_joint){ .name = name,
                                             .parent = node->joint,
                                             .has_bind = true,
                                             .rest = transform_identity(),
                                             .matrix = affine_identity(),
                                             .inverse_bind = gltf_matrix_affine(bind),
                                             .source_id = node_index };
    gltf_warn(r, "skin '%s' binds joint '%s' in another place than another skin does; it gets its own joint '%s'", skin->name,
              node->name, name);
    return r->joint_count++;
}

static sup_result place_skin(gltf_reader* r, gltf_skin* skin)
{
    gltf_matrix inverse = gltf_matrix_identity();
    skin->place = choose_place(r, skin);
    if (!gltf_matrix_invert(&skin->place, &inverse)) skin->place = gltf_matrix_identity();
    for (uint32_t j = 0; j < skin->joint_count; ++j) {
        gltf_node*  node = &r->nodes[skin->nodes[j]];
        gltf_matrix bind = gltf_matrix_mul(&skin->inverse_binds[j], &inverse);
        skin->joints[j] = node->joint;
        if (!node->bound) {
            node->bound = true;
            node->inverse_bind = bind;
            r->joints[node->joint].inverse_bind = gltf_matrix_affine(&bind);
        } else if (!binds_agree(skin, &node->inverse_bind, &skin->inverse_binds[j])) {
            skin->joints[j] = copy_joint(r, skin, skin->nodes[j], &bind);
        }
    }
    return SUP_OK;
}

sup_result gltf_skins_read(gltf_reader* r)
{
    const sup_json** values;
    GLTF_TRY(gltf_list(r, r->source->root, "skins", r->work, &r->skin_count, &values));
    r->skins = SUP_NEW(r->work, gltf_skin, r->skin_count);
    if (!r->skins) return sup_fail_memory(r->error, "the skins");
    for (uint32_t i = 0; i < r->skin_count; ++i) {
        r->skins[i].value = values[i];
        r->skins[i].name = gltf_name(r, values[i], "skin", i);
        GLTF_TRY(read_skin(r, &r->skins[i]));
    }
    for (uint32_t p = 0; p < r->part_count; ++p)
        if (r->origins[p].skin != SUP_NONE) grow_box(&r->skins[r->origins[p].skin], &r->meshes[r->origins[p].mesh]);
    GLTF_TRY(make_joints(r));
    // Unused skins must not decide where the others are placed.
    for (int used = 1; used >= 0; --used)
        for (uint32_t i = 0; i < r->skin_count; ++i)
            if (r->skins[i].used == used) GLTF_TRY(place_skin(r, &r->skins[i]));
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- parts

// Converts the skin's slots to joints of the description.
static sup_result map_joints(gltf_reader* r, const gltf_part* origin, const gltf_mesh* mesh, const uint32_t** out)
{
    const gltf_skin* skin = &r->skins[origin->skin];
    size_t           count = (size_t)mesh->vertex_count * mesh->width;
    bool             own = mesh->uses == 1 && mesh->slots; // no other part reads them
    uint32_t*        joints = own ? mesh->slots : gltf_take(r, count, sizeof *joints);
    if (!joints) return r->result;
    for (size_t i = 0; i < count; ++i) {
        uint32_t slot = mesh->weights[i] == 0 ? 0 : mesh->slots ? mesh->slots[i] : mesh->slot_bytes[i];
        if (slot >= skin->joint_count)
            return sup_fail(r->error, SUP_ERROR_INPUT,
                            "mesh '%s': vertex %zu follows joint %u but skin '%s' has %u joints; the file is damaged",
                            mesh->name, i / mesh->width, slot, skin->name, skin->joint_count);
        joints[i] = skin->joints[slot];
    }
    *out = joints;
    return SUP_OK;
}

static sup_result copy_morphs(gltf_reader* r, const gltf_mesh* mesh, const gltf_node* node, const sup_morph_desc** out)
{
    sup_morph_desc* morphs = sup_arena_copy(r->work, mesh->morphs, mesh->morph_count, sizeof *morphs);
    if (!morphs) return sup_fail_memory(r->error, "the morph targets");
    const sup_json* weights = sup_json_get(node->value, "weights");
    if (!weights) weights = sup_json_get(mesh->value, "weights");
    const sup_json* weight = weights ? weights->first : NULL;
    for (uint32_t i = 0; i < mesh->morph_count && weight; ++i, weight = weight->next) {
        morphs[i].rest_weight = (float)sup_json_number(weight, 0);
        if (!isfinite(morphs[i].rest_weight))
            return sup_fail(r->error, SUP_ERROR_INPUT, "mesh '%s': its morph weights are not finite numbers", mesh->name);
    }
    *out = morphs;
    return SUP_OK;
}

// A part without skin moves with its node: its rest space is that of the node's bind.
static void place_rigid(gltf_reader* r, const gltf_node* node, sup_part_desc* part)
{
    gltf_matrix place = node->global, inverse;
    bool        stands = node->bound ? gltf_matrix_invert(&node->inverse_bind, &place) : gltf_matrix_invert(&place, &inverse);
    if (!stands) {
        gltf_warn(r, "node '%s' is scaled to zero at rest; its mesh stays as the file stores it", node->name);
        place = gltf_matrix_identity();
    }
    part->joint = node->joint;
    part->place = gltf_matrix_affine(&place);
}

sup_result gltf_parts_place(gltf_reader* r)
{
    r->parts = SUP_NEW(r->work, sup_part_desc, r->part_count);
    if (!r->parts) return sup_fail_memory(r->error, "the parts");
    for (uint32_t i = 0; i < r->part_count; ++i) {
        const gltf_part* origin = &r->origins[i];
        const gltf_mesh* mesh = &r->meshes[origin->mesh];
        const gltf_node* node = &r->nodes[origin->node];
        bool             named = sup_json_string(sup_json_get(node->value, "name"), "")[0] != 0;
        sup_part_desc*   part = &r->parts[i];
        *part = (sup_part_desc){ .name = named ? node->name : mesh->name,
                                 .vertex_count = mesh->vertex_count,
                                 .positions = mesh->positions,
                                 .normals = mesh->normals,
                                 .tangents = mesh->tangents,
                                 .face_count = mesh->face_count,
                                 .face_sizes = mesh->face_sizes,
                                 .corners = mesh->corners,
                                 .triangles = mesh->triangles,
                                 .lasting = r->lone,
                                 .lasting_positions = r->lone && mesh->borrowed,
                                 .joint = SUP_NONE,
                                 .weld = true,
                                 .point_ids = mesh->point_ids,
                                 .source_id = origin->node,
                                 .morph_count = mesh->morph_count,
                                 .map_count = mesh->map_count,
                                 .maps = mesh->maps };
        GLTF_TRY(copy_morphs(r, mesh, node, &part->morphs));
        if (origin->skin == SUP_NONE) {
            place_rigid(r, node, part);
            continue;
        }
        part->width = mesh->width;
        part->weights = mesh->weights;
        part->place = gltf_matrix_affine(&r->skins[origin->skin].place);
        GLTF_TRY(map_joints(r, origin, mesh, &part->joints));
    }
    return SUP_OK;
}
