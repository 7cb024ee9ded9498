// Which node shows what. assimp splits a mesh by material; the pieces of one node become primitives of one mesh again, so that
// they weld. Skins move their vertices by G(bone) offset v whatever node shows them, so skinned meshes stand at the top.
#include "io_extra/assimp.h"

#include <string.h>

enum { SET = 4, SLOT_BYTE_MAX = 255 };

typedef struct slot {
    uint32_t           node;
    struct aiMatrix4x4 offset;
} slot;

// Meshes of one node that can be one mesh with one skin.
typedef struct group {
    uint32_t* meshes;
    uint32_t  count;
    bool      skinned;
    uint32_t  morphs;
    uint32_t  slot_count;
    slot*     slots;
} group;

typedef struct maker {
    assimp_reader* r;
    uint32_t       node;
    group*         groups;
    uint32_t       count;
    uint32_t       dropped; // bones without a node
} maker;

static const struct aiMesh* mesh_at(const maker* m, uint32_t index) { return m->r->scene->mMeshes[index]; }

static struct aiMatrix4x4 identity(void) { return (struct aiMatrix4x4){ .a1 = 1, .b2 = 1, .c3 = 1, .d4 = 1 }; }

// ---------------------------------------------------------------------------------------------- groups

static uint32_t bone_node(const maker* m, const struct aiBone* bone)
{
    return assimp_node_find(m->r, assimp_text(m->r, &bone->mName));
}

// Bones that the mesh and the group share must be bound alike.
static bool binds_agree(const maker* m, const group* g, const struct aiMesh* mesh)
{
    for (uint32_t b = 0; b < mesh->mNumBones; ++b) {
        uint32_t node = bone_node(m, mesh->mBones[b]);
        for (uint32_t s = 0; s < g->slot_count; ++s)
            if (g->slots[s].node == node &&
                memcmp(&g->slots[s].offset, &mesh->mBones[b]->mOffsetMatrix, sizeof identity()) != 0)
                return false;
    }
    return true;
}

static bool same_shapes(const maker* m, const group* g, const struct aiMesh* mesh)
{
    const struct aiMesh* first = mesh_at(m, g->meshes[0]);
    if (g->morphs != mesh->mNumAnimMeshes) return false;
    for (uint32_t i = 0; i < g->morphs; ++i)
        if (strcmp(first->mAnimMeshes[i]->mName.data, mesh->mAnimMeshes[i]->mName.data) != 0) return false;
    return true;
}

static void add_slot(maker* m, group* g, uint32_t node, struct aiMatrix4x4 offset)
{
    for (uint32_t s = 0; s < g->slot_count; ++s)
        if (g->slots[s].node == node) return;
    if (node == SUP_NONE) m->dropped++;
    else g->slots[g->slot_count++] = (slot){ node, offset };
}

static bool holds_any(const struct aiBone* bone)
{
    for (uint32_t i = 0; i < bone->mNumWeights; ++i)
        if (bone->mWeights[i].mWeight > 0) return true;
    return false;
}

static sup_result add_to_group(maker* m, uint32_t index)
{
    const struct aiMesh* mesh = mesh_at(m, index);
    const assimp_mesh*   made = &m->r->meshes[index];
    bool                 skinned = made->weights.begin != NULL;
    uint32_t             g = 0;
    while (g < m->count &&
           !(m->groups[g].skinned == skinned && same_shapes(m, &m->groups[g], mesh) && binds_agree(m, &m->groups[g], mesh)))
        ++g;
    group* into = &m->groups[g];
    if (g == m->count) {
        // Room for the bones of all meshes that may join, and the node itself.
        const struct aiNode* from = m->r->nodes[m->node].from;
        size_t               bones = 1;
        for (uint32_t i = 0; i < from->mNumMeshes; ++i) bones += mesh_at(m, from->mMeshes[i])->mNumBones;
        into->meshes = SUP_NEW(m->r->work, uint32_t, from->mNumMeshes);
        into->slots = SUP_NEW(m->r->work, slot, bones);
        if (!into->meshes || !into->slots) return sup_fail_memory(m->r->error, "the meshes");
        into->skinned = skinned;
        into->morphs = mesh->mNumAnimMeshes;
        m->count++;
    }
    into->meshes[into->count++] = index;
    for (uint32_t b = 0; b < mesh->mNumBones && skinned; ++b)
        if (holds_any(mesh->mBones[b])) add_slot(m, into, bone_node(m, mesh->mBones[b]), mesh->mBones[b]->mOffsetMatrix);
    // Vertices that no bone holds follow the node that shows the mesh.
    if (made->weights.loose) add_slot(m, into, m->node, identity());
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- skins

static uint32_t write_skin(maker* m, const group* g)
{
    gltf_edit* edit = &m->r->edit;
    sup_json*  skin = gltf_edit_new(edit, SUP_JSON_OBJECT);
    sup_json*  joints = gltf_edit_array(edit, skin, "joints");
    float*     binds = SUP_NEW(m->r->keep, float, (size_t)g->slot_count * 16);
    if (!binds) {
        edit->failed = true;
        return 0;
    }
    for (uint32_t s = 0; s < g->slot_count; ++s) {
        const struct aiMatrix4x4* o = &g->slots[s].offset;
        const float rows[12] = { o->a1, o->a2, o->a3, o->a4, o->b1, o->b2, o->b3, o->b4, o->c1, o->c2, o->c3, o->c4 };
        for (int i = 0; i < 12; ++i) binds[16 * (size_t)s + 4 * (size_t)(i % 4) + (size_t)(i / 4)] = rows[i];
        binds[16 * (size_t)s + 15] = 1;
        gltf_edit_push_number(edit, joints, g->slots[s].node);
    }
    gltf_edit_number(edit, skin, "inverseBindMatrices", gltf_edit_floats(edit, binds, g->slot_count, 16, 0, false));
    return gltf_edit_add(edit, "skins", skin);
}

// Slot of each bone of a mesh, and of the mesh's own node behind them.
static uint32_t* map_bones(maker* m, const group* g, const struct aiMesh* mesh)
{
    uint32_t* map = SUP_NEW(m->r->work, uint32_t, (size_t)mesh->mNumBones + 1);
    for (uint32_t b = 0; map && b <= mesh->mNumBones; ++b) {
        uint32_t node = b < mesh->mNumBones ? bone_node(m, mesh->mBones[b]) : m->node;
        map[b] = SUP_NONE;
        for (uint32_t s = 0; s < g->slot_count; ++s)
            if (g->slots[s].node == node) map[b] = s;
    }
    return map;
}

static void write_weights(maker* m, const group* g, uint32_t index, sup_json* attributes)
{
    const assimp_mesh*    made = &m->r->meshes[index];
    const assimp_weights* w = &made->weights;
    uint32_t*             map = map_bones(m, g, mesh_at(m, index));
    uint32_t              sets = (w->most + SET - 1) / SET, bytes = g->slot_count <= SLOT_BYTE_MAX ? 1 : 2;
    for (uint32_t set = 0; set < sets && map; ++set) {
        uint8_t* joints = SUP_NEW(m->r->keep, uint8_t, (size_t)made->vertex_count * SET * bytes);
        float*   weights = SUP_NEW(m->r->keep, float, (size_t)made->vertex_count* SET);
        if (!joints || !weights) break;
        for (uint32_t i = 0; i < made->vertex_count; ++i) {
            uint32_t v = made->vertices[i], begin = w->begin[v] + set * SET, k = 0;
            for (uint32_t at = begin; at < w->begin[v + 1] && k < SET; ++at, ++k) {
                uint32_t to = map[w->bones[at]];
                size_t   out = (size_t)i * SET + k;
                if (to == SUP_NONE || w->values[at] == 0) continue; // a joint beside a zero weight must be 0
                weights[out] = w->values[at];
                if (bytes == 1) joints[out] = (uint8_t)to;
                else ((uint16_t*)(void*)joints)[out] = (uint16_t)to;
            }
        }
        gltf_edit*    edit = &m->r->edit;
        char          name[32];
        gltf_accessor what = { .count = made->vertex_count,
                               .components = SET,
                               .component_type = bytes == 1 ? GLTF_UBYTE : GLTF_USHORT };
        uint32_t      view = gltf_edit_view(edit, joints, (uint64_t)made->vertex_count * SET * bytes, 0, GLTF_ARRAY_BUFFER);
        sup_format(name, sizeof name, "JOINTS_%u", set);
        gltf_edit_number(edit, attributes, name, gltf_edit_accessor(edit, view, 0, &what, NULL));
        sup_format(name, sizeof name, "WEIGHTS_%u", set);
        gltf_edit_number(edit, attributes, name,
                         gltf_edit_floats(edit, weights, made->vertex_count, SET, GLTF_ARRAY_BUFFER, false));
    }
    if (!map) m->r->edit.failed = true;
}

// ---------------------------------------------------------------------------------------------- meshes

static void name_morphs(maker* m, const group* g, sup_json* mesh)
{
    gltf_edit* edit = &m->r->edit;
    if (g->morphs == 0) return;
    const struct aiMesh* first = mesh_at(m, g->meshes[0]);
    sup_json*            weights = gltf_edit_array(edit, mesh, "weights");
    sup_json*            names = gltf_edit_array(edit, gltf_edit_object(edit, mesh, "extras"), "targetNames");
    for (uint32_t i = 0; i < g->morphs; ++i) {
        const struct aiAnimMesh* shape = first->mAnimMeshes[i];
        const char*              name = assimp_text(m->r, &shape->mName);
        char                     number[32];
        sup_format(number, sizeof number, "target %u", i);
        gltf_edit_push_string(edit, names, name[0] ? name : number);
        // Of FBX shapes assimp says 1 whatever the file does; they rest at 0.
        bool stands = !m->r->fbx && shape->mWeight >= 0 && shape->mWeight <= 1;
        gltf_edit_push_number(edit, weights, stands ? (double)shape->mWeight : 0);
    }
}

static const char* plain_name(maker* m)
{
    const char* name = m->r->nodes[m->node].name;
    size_t      length = assimp_pivot_length(name);
    const char* cut = length ? sup_arena_text(m->r->keep, name, length) : name;
    return cut ? cut : "";
}

static uint32_t write_mesh(maker* m, const group* g)
{
    gltf_edit*  edit = &m->r->edit;
    sup_json*   mesh = gltf_edit_new(edit, SUP_JSON_OBJECT);
    const char* name = assimp_text(m->r, &mesh_at(m, g->meshes[0])->mName);
    gltf_edit_string(edit, mesh, "name", name[0] ? name : plain_name(m));
    sup_json* primitives = gltf_edit_array(edit, mesh, "primitives");
    for (uint32_t i = 0; i < g->count; ++i) {
        sup_json* primitive = gltf_edit_copy(edit, m->r->meshes[g->meshes[i]].primitive);
        if (g->skinned && g->slot_count) write_weights(m, g, g->meshes[i], gltf_edit_object(edit, primitive, "attributes"));
        if (primitives && primitive) sup_json_push(primitives, primitive);
    }
    name_morphs(m, g, mesh);
    return gltf_edit_add(edit, "meshes", mesh);
}

static void show(maker* m, const group* g, bool first)
{
    assimp_reader* r = m->r;
    assimp_node*   node = &r->nodes[m->node];
    bool           skinned = g->skinned && g->slot_count > 0;
    uint32_t       mesh = write_mesh(m, g), carrier = m->node;
    sup_json*      json = node->json;
    if (skinned || !first) {
        json = gltf_edit_new(&r->edit, SUP_JSON_OBJECT);
        const char* name = plain_name(m);
        if (name[0]) gltf_edit_string(&r->edit, json, "name", name);
        carrier = gltf_edit_add(&r->edit, "nodes", json);
        gltf_edit_push_number(&r->edit, skinned ? r->top : gltf_edit_array(&r->edit, node->json, "children"), carrier);
    }
    gltf_edit_number(&r->edit, json, "mesh", mesh);
    if (skinned) gltf_edit_number(&r->edit, json, "skin", write_skin(m, g));
    if (g->morphs && node->carrier == SUP_NONE) {
        node->carrier = carrier;
        node->morphs = g->morphs;
    }
}

static sup_result make_node(assimp_reader* r, uint32_t index)
{
    const struct aiNode* from = r->nodes[index].from;
    maker                m = { .r = r, .node = index };
    bool                 plain = true;
    m.groups = SUP_NEW(r->work, group, from->mNumMeshes);
    if (!m.groups) return sup_fail_memory(r->error, "the meshes");
    for (uint32_t i = 0; i < from->mNumMeshes; ++i) {
        uint32_t mesh = from->mMeshes[i];
        if (mesh >= r->scene->mNumMeshes) continue;
        if (!r->meshes[mesh].made) ASSIMP_TRY(assimp_mesh_make(r, mesh));
        if (r->meshes[mesh].primitive) ASSIMP_TRY(add_to_group(&m, mesh));
    }
    for (uint32_t g = 0; g < m.count; ++g) {
        bool skinned = m.groups[g].skinned && m.groups[g].slot_count > 0;
        show(&m, &m.groups[g], plain);
        if (!skinned) plain = false;
    }
    if (m.dropped)
        assimp_warn(r, "node '%.80s': %u bones of its mesh are not nodes of the file; their vertices follow the other bones",
                    r->nodes[index].name, m.dropped);
    return r->edit.failed ? sup_fail_memory(r->error, "the meshes") : SUP_OK;
}

sup_result assimp_parts_make(assimp_reader* r)
{
    r->meshes = SUP_NEW(r->work, assimp_mesh, r->scene->mNumMeshes);
    if (!r->meshes) return sup_fail_memory(r->error, "the meshes");
    for (uint32_t i = 0; i < r->node_count; ++i)
        if (r->nodes[i].from->mNumMeshes) ASSIMP_TRY(make_node(r, i));
    return SUP_OK;
}
