// The node tree: parents, rest transforms, and what the scene shows. Loops, never recursion: a chain of 100,000 nodes is a
// legal file.
#include "io/gltf/gltf_reader.h"
#include "math/vec.h"

#include <string.h>

// Reads an array of numbers; false if it exists but is not `count` finite numbers.
static bool read_numbers(const sup_json* array, uint32_t count, float* out)
{
    if (!array) return true;
    if (array->type != SUP_JSON_ARRAY || array->count != count) return false;
    const sup_json* item = array->first;
    for (uint32_t i = 0; i < count; ++i, item = item->next) {
        out[i] = (float)sup_json_number(item, NAN);
        if (!isfinite(out[i])) return false;
    }
    return true;
}

static sup_result read_matrix(gltf_reader* r, gltf_node* node, const sup_json* value)
{
    float m[16];
    if (!read_numbers(value, 16, m))
        return sup_fail(r->error, SUP_ERROR_INPUT, "node '%s': its matrix is not 16 finite numbers", node->name);
    for (int row = 0; row < 3; ++row)
        for (int column = 0; column < 4; ++column) node->matrix.m[row][column] = m[4 * column + row];
    node->has_matrix = !affine_decompose(&node->matrix, &node->rest);
    return SUP_OK;
}

static sup_result read_transform(gltf_reader* r, gltf_node* node)
{
    const sup_json* matrix = sup_json_get(node->value, "matrix");
    node->rest = transform_identity();
    if (matrix) return read_matrix(r, node, matrix);
    float t[3] = { 0, 0, 0 }, q[4] = { 0, 0, 0, 1 }, s[3] = { 1, 1, 1 };
    if (!read_numbers(sup_json_get(node->value, "translation"), 3, t) ||
        !read_numbers(sup_json_get(node->value, "rotation"), 4, q) || !read_numbers(sup_json_get(node->value, "scale"), 3, s))
        return sup_fail(r->error, SUP_ERROR_INPUT, "node '%s': its translation, rotation or scale is not finite numbers",
                        node->name);
    node->rest = (sup_transform){ v3(t[0], t[1], t[2]), quat(q[0], q[1], q[2], q[3]), v3(s[0], s[1], s[2]) };
    // Exporters round to unit length within float precision: those keep their bits.
    double length2 = (double)q[0] * q[0] + (double)q[1] * q[1] + (double)q[2] * q[2] + (double)q[3] * q[3];
    if (fabs(length2 - 1) > 1e-6) {
        if (length2 < 1e-12) gltf_warn(r, "node '%s' has a rotation of length zero; it is taken as no rotation", node->name);
        node->rest.rotation = quat_normalize_once(node->rest.rotation);
    }
    node->matrix = affine_from_transform(&node->rest);
    return SUP_OK;
}

static sup_result read_children(gltf_reader* r, uint32_t index)
{
    const sup_json* children = sup_json_get(r->nodes[index].value, "children");
    for (const sup_json* c = children ? children->first : NULL; c; c = c->next) {
        uint32_t child = sup_json_index(c, SUP_NONE);
        if (child >= r->node_count)
            return sup_fail(r->error, SUP_ERROR_INPUT, "node '%s': its child does not exist; the file is damaged",
                            r->nodes[index].name);
        if (r->nodes[child].parent != SUP_NONE)
            return sup_fail(r->error, SUP_ERROR_INPUT, "node '%s' has two parents, '%s' and '%s'; export it as a tree",
                            r->nodes[child].name, r->nodes[r->nodes[child].parent].name, r->nodes[index].name);
        r->nodes[child].parent = index;
    }
    return SUP_OK;
}

// Parents before children. Every node has at most one parent, so what no root reaches is a cycle.
static sup_result order_nodes(gltf_reader* r)
{
    uint32_t count = 0;
    bool*    reached = SUP_NEW(r->work, bool, r->node_count);
    r->order = SUP_NEW(r->work, uint32_t, r->node_count);
    if (!r->order || !reached) return sup_fail_memory(r->error, "the node tree");
    for (uint32_t i = 0; i < r->node_count; ++i)
        if (r->nodes[i].parent == SUP_NONE) r->order[count++] = i;
    for (uint32_t k = 0; k < count; ++k) {
        reached[r->order[k]] = true;
        const sup_json* children = sup_json_get(r->nodes[r->order[k]].value, "children");
        for (const sup_json* c = children ? children->first : NULL; c; c = c->next)
            r->order[count++] = sup_json_index(c, SUP_NONE);
    }
    for (uint32_t i = 0; i < r->node_count; ++i)
        if (!reached[i])
            return sup_fail(r->error, SUP_ERROR_INPUT, "node '%s' is above itself in a cycle; export it as a tree",
                            r->nodes[i].name);
    return SUP_OK;
}

static sup_result mark_scene(gltf_reader* r)
{
    const sup_json** scenes;
    uint32_t         count, chosen;
    GLTF_TRY(gltf_list(r, r->source->root, "scenes", r->work, &count, &scenes));
    GLTF_TRY(gltf_index(r, r->source->root, "scene", count, "the document", &chosen));
    if (chosen == SUP_NONE) chosen = 0;
    if (count == 0) { // a library of nodes: show all of them
        for (uint32_t i = 0; i < r->node_count; ++i) r->nodes[i].in_scene = true;
        return SUP_OK;
    }
    const sup_json* roots = sup_json_get(scenes[chosen], "nodes");
    for (const sup_json* n = roots ? roots->first : NULL; n; n = n->next) {
        uint32_t index = sup_json_index(n, SUP_NONE);
        if (index >= r->node_count)
            return sup_fail(r->error, SUP_ERROR_INPUT, "scene %u names a node that does not exist; the file is damaged",
                            chosen);
        r->nodes[index].in_scene = true;
    }
    for (uint32_t k = 0; k < r->node_count; ++k) {
        gltf_node* node = &r->nodes[r->order[k]];
        if (node->parent != SUP_NONE && r->nodes[node->parent].in_scene) node->in_scene = true;
    }
    return SUP_OK;
}

sup_result gltf_nodes_read(gltf_reader* r)
{
    const sup_json** values;
    uint32_t         mesh_count, skin_count;
    GLTF_TRY(gltf_list(r, r->source->root, "nodes", r->work, &r->node_count, &values));
    const sup_json* meshes = sup_json_get(r->source->root, "meshes");
    const sup_json* skins = sup_json_get(r->source->root, "skins");
    mesh_count = meshes ? meshes->count : 0;
    skin_count = skins ? skins->count : 0;
    r->nodes = SUP_NEW(r->work, gltf_node, r->node_count);
    if (!r->nodes) return sup_fail_memory(r->error, "the nodes");
    for (uint32_t i = 0; i < r->node_count; ++i) {
        gltf_node* node = &r->nodes[i];
        node->value = values[i];
        node->name = gltf_name(r, values[i], "node", i);
        node->parent = node->joint = node->part = SUP_NONE;
        char what[80];
        sup_format(what, sizeof what, "node '%.60s'", node->name);
        GLTF_TRY(gltf_index(r, values[i], "mesh", mesh_count, what, &node->mesh));
        GLTF_TRY(gltf_index(r, values[i], "skin", skin_count, what, &node->skin));
        GLTF_TRY(read_transform(r, node));
    }
    for (uint32_t i = 0; i < r->node_count; ++i) GLTF_TRY(read_children(r, i));
    GLTF_TRY(order_nodes(r));
    for (uint32_t k = 0; k < r->node_count; ++k) {
        gltf_node*  node = &r->nodes[r->order[k]];
        bool        exact = node->has_matrix || sup_json_get(node->value, "matrix");
        gltf_matrix local = exact ? gltf_matrix_from(&node->matrix) : gltf_matrix_transform(&node->rest);
        node->depth = node->parent == SUP_NONE ? 0 : r->nodes[node->parent].depth + 1;
        node->global = node->parent == SUP_NONE ? local : gltf_matrix_mul(&r->nodes[node->parent].global, &local);
    }
    return mark_scene(r);
}
