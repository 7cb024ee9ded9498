// The node tree, and finding nodes by the names that bones and channels call them.
#include "io_extra/assimp.h"
#include "math/vec.h"

#include <string.h>

static const char pivot_mark[] = "_$AssimpFbx$_";

size_t assimp_pivot_length(const char* name)
{
    const char* mark = strstr(name, pivot_mark);
    return mark ? (size_t)(mark - name) : 0;
}

static bool is_utf8(const unsigned char* s)
{
    while (*s) {
        int more = *s < 0x80 ? 0 : *s >= 0xc2 && *s < 0xe0 ? 1 : *s >= 0xe0 && *s < 0xf0 ? 2 : *s >= 0xf0 && *s < 0xf5 ? 3 : -1;
        if (more < 0) return false;
        for (++s; more > 0; --more, ++s)
            if ((*s & 0xc0) != 0x80) return false;
    }
    return true;
}

const char* assimp_text(assimp_reader* r, const struct aiString* text)
{
    size_t length = text->length < sizeof text->data ? text->length : sizeof text->data - 1;
    char   whole[sizeof text->data];
    memcpy(whole, text->data, length);
    whole[length] = 0;
    length = strlen(whole);
    char* out = sup_arena_alloc(r->keep, 2 * length + 1, 1);
    if (!out) return "";
    if (is_utf8((const unsigned char*)whole)) return memcpy(out, whole, length);
    // Old formats have bytes of some Western code page.
    size_t n = 0;
    for (size_t i = 0; i < length; ++i) {
        unsigned char c = (unsigned char)whole[i];
        if (c >= 0x80) {
            out[n++] = (char)(0xc0 | c >> 6);
            c = (unsigned char)(0x80 | (c & 0x3f));
        }
        out[n++] = (char)c;
    }
    return out;
}

// ---------------------------------------------------------------------------------------------- names

static uint32_t* find_slot(const assimp_reader* r, const char* name)
{
    uint32_t slot = (uint32_t)sup_hash(SUP_HASH_START, name, strlen(name)) & (r->table_size - 1);
    while (r->table[slot] != SUP_NONE && strcmp(r->nodes[r->table[slot]].name, name) != 0)
        slot = (slot + 1) & (r->table_size - 1);
    return &r->table[slot];
}

uint32_t assimp_node_find(const assimp_reader* r, const char* name) { return *find_slot(r, name); }

static bool index_names(assimp_reader* r)
{
    r->table_size = 16;
    while (r->table_size < 2 * r->node_count) r->table_size *= 2;
    r->table = SUP_NEW(r->work, uint32_t, r->table_size);
    if (!r->table) return false;
    memset(r->table, 0xff, r->table_size * sizeof *r->table);
    // Names may repeat; the node nearest to the root is meant.
    for (uint32_t i = 0; i < r->node_count; ++i) {
        uint32_t* slot = find_slot(r, r->nodes[i].name);
        if (*slot == SUP_NONE) *slot = i;
    }
    return true;
}

static void mark_animated(assimp_reader* r)
{
    for (uint32_t a = 0; a < r->scene->mNumAnimations; ++a) {
        const struct aiAnimation* animation = r->scene->mAnimations[a];
        for (uint32_t c = 0; c < animation->mNumChannels; ++c) {
            uint32_t node = assimp_node_find(r, assimp_text(r, &animation->mChannels[c]->mNodeName));
            if (node == SUP_NONE) continue;
            r->nodes[node].animated = true;
            // Nodes of a pivot chain may have to stand still for it.
            for (uint32_t p = r->nodes[node].parent; p != SUP_NONE && assimp_pivot_length(r->nodes[p].name);
                 p = r->nodes[p].parent)
                r->nodes[p].animated = true;
        }
    }
}

// ---------------------------------------------------------------------------------------------- tree

static bool append(assimp_reader* r, uint32_t* capacity, const struct aiNode* from, uint32_t parent)
{
    if (r->node_count == *capacity) {
        assimp_node* grown = SUP_NEW(r->work, assimp_node, 2 * (size_t)*capacity);
        if (!grown) return false;
        memcpy(grown, r->nodes, *capacity * sizeof *grown);
        r->nodes = grown;
        *capacity *= 2;
    }
    r->nodes[r->node_count++] =
        (assimp_node){ .from = from, .name = assimp_text(r, &from->mName), .parent = parent, .carrier = SUP_NONE };
    return true;
}

// Level by level, so parents come first; the list is its own queue, so a deep tree needs no stack.
static bool flatten(assimp_reader* r)
{
    uint32_t capacity = 64;
    r->nodes = SUP_NEW(r->work, assimp_node, capacity);
    if (!r->nodes || !append(r, &capacity, r->scene->mRootNode, SUP_NONE)) return false;
    for (uint32_t i = 0; i < r->node_count; ++i) {
        const struct aiNode* from = r->nodes[i].from;
        for (uint32_t c = 0; c < from->mNumChildren; ++c) // RAW files promise children that are not there
            if (from->mChildren[c] && !append(r, &capacity, from->mChildren[c], i)) return false;
    }
    return true;
}

static sup_affine affine_of(const struct aiMatrix4x4* m)
{
    return (sup_affine){ { { (float)m->a1, (float)m->a2, (float)m->a3, (float)m->a4 },
                           { (float)m->b1, (float)m->b2, (float)m->b3, (float)m->b4 },
                           { (float)m->c1, (float)m->c2, (float)m->c3, (float)m->c4 } } };
}

static bool is_finite(const sup_affine* a)
{
    for (int i = 0; i < 12; ++i)
        if (!isfinite(a->m[i / 4][i % 4])) return false;
    return true;
}

static void put_local(assimp_reader* r, assimp_node* node)
{
    sup_affine    local = affine_of(&node->from->mTransformation), identity = affine_identity();
    sup_transform t, still = transform_identity();
    if (!is_finite(&local)) {
        assimp_warn(r, "node '%.80s' has a matrix that is not finite; it is placed at its parent", node->name);
        return;
    }
    if (memcmp(&local, &identity, sizeof local) == 0) return;
    bool whole = affine_decompose(&local, &t);
    if (!whole && !node->animated) {
        float columns[16] = { 0 };
        for (int i = 0; i < 12; ++i) columns[4 * (i % 4) + i / 4] = local.m[i / 4][i % 4];
        columns[15] = 1;
        gltf_edit_numbers(&r->edit, node->json, "matrix", columns, 16);
        return;
    }
    if (!whole)
        assimp_warn(r, "node '%.80s' is sheared at rest and animated; the shear is lost where no clip moves it", node->name);
    if (memcmp(&t.translation, &still.translation, sizeof t.translation) != 0)
        gltf_edit_numbers(&r->edit, node->json, "translation", &t.translation.x, 3);
    if (memcmp(&t.rotation, &still.rotation, sizeof t.rotation) != 0)
        gltf_edit_numbers(&r->edit, node->json, "rotation", &t.rotation.x, 4);
    if (memcmp(&t.scale, &still.scale, sizeof t.scale) != 0) gltf_edit_numbers(&r->edit, node->json, "scale", &t.scale.x, 3);
}

sup_result assimp_nodes_make(assimp_reader* r)
{
    if (!flatten(r) || !index_names(r)) return sup_fail_memory(r->error, "the nodes");
    mark_animated(r);
    for (uint32_t i = 0; i < r->node_count; ++i) {
        assimp_node* node = &r->nodes[i];
        node->json = gltf_edit_new(&r->edit, SUP_JSON_OBJECT);
        if (node->name[0]) gltf_edit_string(&r->edit, node->json, "name", node->name);
        put_local(r, node);
        gltf_edit_add(&r->edit, "nodes", node->json);
        if (node->parent != SUP_NONE)
            gltf_edit_push_number(&r->edit, gltf_edit_array(&r->edit, r->nodes[node->parent].json, "children"), i);
    }
    return r->edit.failed ? sup_fail_memory(r->error, "the nodes") : SUP_OK;
}
