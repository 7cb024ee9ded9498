// Moves rough joints to the center of the volume around them. Chen et al. 2012 (section 4.1) do so without saying how; ours is
// the mean of the cells in a ball around the joint, repeated until it converges, and only across the bone: the position along a
// limb is the user's choice. The ball is slightly larger than the limb's thickness, so it always contains the nearer wall.
#include "base/internal.h"
#include "math/vec.h"
#include "rig/weights/depth.h"
#include "supple/rig.h"

#include <math.h>
#include <string.h>

#define CELLS_STANDARD 80u
#define PASSES 40        // upper bound for all joints together
#define ENOUGH 0.02      // cells: a joint that moves less has converged
#define ROUGH 3.0        // cells around a joint at which the limb's thickness is measured
#define FAR_OUTSIDE 4.0  // cells: a joint farther from the mesh than this is not rough but wrong, and stays
#define SURFACE_CELL 0.5 // how full a cell at the surface is assumed to be

typedef struct node {
    uint32_t parent;   // SUP_NONE: a root
    double   place[3]; // in cells from the grid's origin
    double   first[3];
    double   reach; // radius of the ball
    double   limit; // of the total displacement
    uint32_t cell;  // its last position inside the mesh; SUP_NONE: it is outside and stays
    bool     settled;
    double   ahead[3]; // sum of the children's places
    uint32_t children;
} node;

typedef struct centering {
    const sup_voxels* voxels;
    float*            depth; // of each grid cell: cells to the nearest empty one
    uint32_t*         mark;  // per cell: the last search that visited it
    uint32_t*         queue;
    uint32_t          walk;
    uint32_t          node_count;
    node*             nodes;
} centering;

// ---------------------------------------------------------------------------------------------- searches

static void cell_center(const sup_voxels* v, uint32_t cell, double out[3])
{
    uint32_t at = v->cells[cell];
    out[0] = at % v->size[0] + 0.5;
    out[1] = at / v->size[0] % v->size[1] + 0.5;
    out[2] = at / v->size[0] / v->size[1] + 0.5;
}

static double distance(const double a[3], const double b[3])
{
    double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return sqrt(x * x + y * y + z * z);
}

// Cells in the ball that are connected to the first one: the other leg does not count.
typedef struct ball {
    double mean[3], weight;
    float  deepest;
} ball;

static ball walk(centering* c, uint32_t first, const double center[3], double radius)
{
    const sup_voxels* v = c->voxels;
    const uint32_t    along[3] = { 1, v->size[0], v->size[0] * v->size[1] };
    uint32_t          head = 0, tail = 0;
    ball              b = { 0 };
    ++c->walk;
    c->mark[first] = c->walk;
    c->queue[tail++] = first;
    while (head < tail) {
        uint32_t cell = c->queue[head++], at = v->cells[cell];
        double   place[3], weight = v->flags[cell] & SUP_VOXEL_SURFACE ? SURFACE_CELL : 1.0;
        cell_center(v, cell, place);
        for (int a = 0; a < 3; ++a) b.mean[a] += weight * place[a];
        b.weight += weight;
        if (c->depth[at] > b.deepest) b.deepest = c->depth[at];
        for (int k = 0; k < 6; ++k) {
            int      a = k / 2;
            uint32_t next = v->at[k & 1 ? at + along[a] : at - along[a]], low = k & 1 ? cell : next;
            if (next == SUP_NONE || c->mark[next] == c->walk || !(v->flags[low] & SUP_VOXEL_JOINED_X << a)) continue;
            cell_center(v, next, place);
            if (distance(place, center) > radius) continue;
            c->mark[next] = c->walk;
            c->queue[tail++] = next;
        }
    }
    for (int a = 0; a < 3; ++a) b.mean[a] /= b.weight;
    return b;
}

static uint32_t cell_at(const sup_voxels* v, const double place[3])
{
    uint32_t at = 0, step = 1;
    for (int a = 0; a < 3; ++a) {
        if (!(place[a] >= 0 && place[a] < v->size[a])) return SUP_NONE;
        at += step * (uint32_t)place[a];
        step *= v->size[a];
    }
    return v->at[at];
}

// ---------------------------------------------------------------------------------------------- joints

// The cell that a joint starts from: its own, else the nearest one not far outside.
static void begin_node(centering* c, node* n)
{
    const sup_voxels* v = c->voxels;
    double            least = FAR_OUTSIDE, place[3];
    uint32_t          nearest = SUP_NONE;
    n->cell = cell_at(v, n->place);
    for (uint32_t i = 0; n->cell == SUP_NONE && i < v->cell_count; ++i) {
        cell_center(v, i, place);
        double d = distance(place, n->place);
        if (d >= least) continue;
        least = d;
        nearest = i;
    }
    if (n->cell == SUP_NONE) n->cell = nearest;
    if (n->cell == SUP_NONE) return;
    cell_center(v, n->cell, place);
    n->reach = (double)walk(c, n->cell, place, ROUGH).deepest;
    n->limit = INFINITY;
}

// The ball is as thick as the limb that the joint moves: at a hip that is the thigh, not the belly. A joint never moves farther
// than half a bone, or it would become another joint.
static void fit_to_bone(centering* c, node* n, node* above)
{
    double middle[3], length = distance(n->place, above->place);
    for (int a = 0; a < 3; ++a) middle[a] = (n->place[a] + above->place[a]) / 2;
    uint32_t cell = cell_at(c->voxels, middle);
    if (cell != SUP_NONE) {
        double depth = (double)walk(c, cell, middle, ROUGH).deepest;
        if (depth < above->reach) above->reach = depth;
        if (!n->children && depth < n->reach) n->reach = depth;
    }
    if (length / 2 < n->limit) n->limit = length / 2;
    if (length / 2 < above->limit) above->limit = length / 2;
}

// The mean position of every joint's children.
static void look_ahead(centering* c)
{
    for (uint32_t i = 0; i < c->node_count; ++i) {
        c->nodes[i].children = 0;
        memset(c->nodes[i].ahead, 0, sizeof c->nodes[i].ahead);
    }
    for (uint32_t i = 0; i < c->node_count; ++i) {
        const node* n = &c->nodes[i];
        if (n->parent == SUP_NONE) continue;
        node* above = &c->nodes[n->parent];
        for (int a = 0; a < 3; ++a) above->ahead[a] += n->place[a];
        above->children++;
    }
}

// The direction from the parent to the middle of the children; false if there is none.
static bool tangent(const centering* c, const node* n, double out[3])
{
    if (n->parent == SUP_NONE && n->children != 1) return false;
    const double* behind = n->parent == SUP_NONE ? n->place : c->nodes[n->parent].place;
    for (int a = 0; a < 3; ++a) out[a] = (n->children ? n->ahead[a] / n->children : n->place[a]) - behind[a];
    double length = sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2]);
    for (int a = 0; a < 3; ++a) out[a] /= length > 0 ? length : 1;
    return length > 0;
}

static void move_node(centering* c, node* n)
{
    double along[3], step[3], moved2 = 0;
    if (n->cell == SUP_NONE || n->settled) return;
    ball b = walk(c, n->cell, n->place, n->reach);
    for (int a = 0; a < 3; ++a) step[a] = b.mean[a] - n->place[a];
    if (tangent(c, n, along)) {
        double share = step[0] * along[0] + step[1] * along[1] + step[2] * along[2];
        for (int a = 0; a < 3; ++a) step[a] -= share * along[a];
    }
    for (int a = 0; a < 3; ++a) {
        n->place[a] += step[a];
        moved2 += step[a] * step[a];
    }
    n->settled = sqrt(moved2) < ENOUGH;
    double far = distance(n->place, n->first);
    if (far > n->limit) { // it drifts along a branch
        for (int a = 0; a < 3; ++a) n->place[a] = n->first[a] + (n->place[a] - n->first[a]) * n->limit / far;
        n->settled = true;
    }
    uint32_t cell = cell_at(c->voxels, n->place);
    if (cell != SUP_NONE) n->cell = cell;
}

static sup_result prepare(centering* c, const sup_mesh* mesh, const sup_center_options* o, sup_arena* scratch,
                          sup_voxels* voxels, sup_error* error)
{
    sup_voxels_desc desc = { .point_count = mesh->point_count,
                             .points = mesh->points,
                             .triangle_count = mesh->triangle_count,
                             .triangles = mesh->triangles,
                             .cells = o->cells ? o->cells : CELLS_STANDARD,
                             .tasks = o->tasks };
    sup_result      r = sup_voxels_create(&desc, scratch, voxels, error);
    if (r) return r;
    c->voxels = voxels;
    c->depth = SUP_NEW(scratch, float, (size_t)voxels->size[0] * voxels->size[1] * voxels->size[2]);
    c->mark = SUP_NEW(scratch, uint32_t, voxels->cell_count);
    c->queue = SUP_NEW(scratch, uint32_t, voxels->cell_count);
    if (!c->depth || !c->mark || !c->queue) return sup_fail_memory(error, "centers");
    sup_voxels_depth(voxels, false, c->depth);
    return SUP_OK;
}

static sup_result run(const sup_mesh* mesh, uint32_t count, const uint32_t* parents, sup_vec3* places,
                      const sup_center_options* o, sup_arena* scratch, sup_center* out, sup_error* error)
{
    centering  c = { .node_count = count, .nodes = SUP_NEW(scratch, node, count) };
    sup_voxels v;
    if (!c.nodes) return sup_fail_memory(error, "centers");
    sup_result r = prepare(&c, mesh, o, scratch, &v, error);
    if (r) return r;
    *out = (sup_center){ .cell = (float)v.h };
    for (uint32_t i = 0; i < count; ++i) {
        node* n = &c.nodes[i];
        n->parent = parents[i];
        for (int a = 0; a < 3; ++a) n->first[a] = n->place[a] = ((double)(&places[i].x)[a] - v.origin[a]) / v.h;
        begin_node(&c, n);
        out->outside += n->cell == SUP_NONE;
    }
    look_ahead(&c);
    for (uint32_t i = 0; i < count; ++i)
        if (parents[i] != SUP_NONE) fit_to_bone(&c, &c.nodes[i], &c.nodes[parents[i]]);
    for (uint32_t i = 0; i < count; ++i) {
        c.nodes[i].reach += 1.0;
        c.nodes[i].limit = fmax(c.nodes[i].limit, ROUGH);
    }
    for (int pass = 0; pass < PASSES; ++pass) {
        look_ahead(&c);
        for (uint32_t i = 0; i < count; ++i) move_node(&c, &c.nodes[i]);
    }
    for (uint32_t i = 0; i < count; ++i) {
        const node* n = &c.nodes[i];
        float       moved = (float)(distance(n->place, n->first) * v.h);
        if (!(moved > 0)) continue;
        for (int a = 0; a < 3; ++a) (&places[i].x)[a] = (float)(v.origin[a] + v.h * n->place[a]);
        out->moved += (double)moved > 0.5 * v.h;
        if (moved > out->farthest) out->farthest = moved;
    }
    return SUP_OK;
}

sup_result sup_places_center(const sup_mesh* mesh, uint32_t count, const uint32_t* parents, sup_vec3* places,
                             const sup_center_options* options, const sup_allocator* allocator, sup_center* out,
                             sup_error* error)
{
    static const sup_center_options usual = { 0 };
    if (!options) options = &usual;
    if (options->cells && (options->cells < 4 || options->cells > 256))
        return sup_fail(error, SUP_ERROR_INPUT, "%u cells along the mesh: from 4 to 256 are possible", options->cells);
    sup_arena* scratch = sup_arena_create(allocator);
    if (!scratch) return sup_fail_memory(error, "centers");
    sup_result r = run(mesh, count, parents, places, options, scratch, out, error);
    sup_arena_destroy(scratch);
    return r;
}

// ---------------------------------------------------------------------------------------------- skeletons

static sup_affine local_of(const sup_joint* j) { return j->has_matrix ? j->matrix : affine_from_transform(&j->rest); }

// From a joint's space to the file's rest space. Parents may come in any order; a cycle ends at the count.
static sup_affine global_of(const sup_joint* joints, uint32_t count, uint32_t joint)
{
    sup_affine global = local_of(&joints[joint]);
    uint32_t   at = joints[joint].parent;
    for (uint32_t n = 0; at < count && n < count; ++n) {
        sup_affine above = local_of(&joints[at]);
        global = affine_mul(&above, &global);
        at = joints[at].parent;
    }
    return global;
}

// A joint moves by its offset in bind space: its axes and the skin at rest do not change.
static void move_joints(const sup_joint* old, uint32_t count, const sup_vec3* offsets, sup_affine* globals, sup_joint* joints)
{
    for (uint32_t j = 0; j < count; ++j) {
        sup_affine bind, global = global_of(old, count, j);
        globals[j] = global;
        if (!old[j].skin_joint || !affine_invert(&old[j].inverse_bind, &bind)) continue;
        sup_affine skin = affine_mul(&global, &old[j].inverse_bind);
        sup_vec3   place = v3_add(affine_translation(&bind), offsets[j]), at = affine_point(&skin, place);
        sup_vec3   back = v3_scale(affine_direction(&old[j].inverse_bind, place), -1.0f);
        for (int a = 0; a < 3; ++a) {
            globals[j].m[a][3] = (&at.x)[a];
            joints[j].inverse_bind.m[a][3] = (&back.x)[a];
        }
    }
    for (uint32_t j = 0; j < count; ++j) {
        sup_vec3   place = affine_translation(&globals[j]);
        sup_affine back;
        if (joints[j].parent < count) {
            if (!affine_invert(&globals[joints[j].parent], &back)) continue;
            place = affine_point(&back, place);
        }
        joints[j].rest.translation = place;
        for (int a = 0; a < 3; ++a) joints[j].matrix.m[a][3] = (&place.x)[a];
    }
}

static sup_result center(const sup_mesh* mesh, uint32_t count, sup_joint* joints, sup_vec3* tails, const bool* has_tail,
                         const sup_center_options* options, sup_arena* arena, const sup_allocator* allocator, sup_center* out,
                         sup_error* error)
{
    uint32_t    nodes = 0;
    uint32_t*   node_of = SUP_NEW(arena, uint32_t, count);
    uint32_t*   parents = SUP_NEW(arena, uint32_t, 2 * (size_t)count);
    uint32_t*   tail_of = SUP_NEW(arena, uint32_t, count);
    sup_vec3*   places = SUP_NEW(arena, sup_vec3, 2 * (size_t)count);
    sup_vec3*   offsets = SUP_NEW(arena, sup_vec3, count);
    sup_affine* globals = SUP_NEW(arena, sup_affine, count);
    sup_joint*  old = sup_arena_copy(arena, joints, count, sizeof *old);
    bool*       inner = SUP_NEW(arena, bool, count);
    if (!node_of || !parents || !tail_of || !places || !offsets || !globals || !old || !inner)
        return sup_fail_memory(error, "centers");
    for (uint32_t j = 0; j < count; ++j)
        if (joints[j].parent < count) inner[joints[j].parent] = true;
    for (uint32_t j = 0; j < count; ++j) {
        sup_affine bind;
        node_of[j] = tail_of[j] = SUP_NONE;
        if (!joints[j].skin_joint || !affine_invert(&joints[j].inverse_bind, &bind)) continue;
        node_of[j] = nodes;
        places[nodes++] = affine_translation(&bind);
    }
    for (uint32_t j = 0; j < count; ++j) {
        if (node_of[j] == SUP_NONE) continue;
        uint32_t above = joints[j].parent; // skips nodes that are not joints of the skin
        for (uint32_t n = 0; above < count && node_of[above] == SUP_NONE && n < count; ++n) above = joints[above].parent;
        parents[node_of[j]] = above < count ? node_of[above] : SUP_NONE;
        if (!has_tail || !has_tail[j]) continue;
        if (inner[j]) continue; // the tail is where the child is
        tail_of[j] = nodes;
        parents[nodes] = node_of[j];
        places[nodes++] = tails[j];
    }
    sup_result r = sup_places_center(mesh, nodes, parents, places, options, allocator, out, error);
    if (r) return r;
    for (uint32_t j = 0; j < count; ++j) {
        sup_affine bind;
        if (tail_of[j] != SUP_NONE) tails[j] = places[tail_of[j]];
        if (node_of[j] != SUP_NONE && affine_invert(&joints[j].inverse_bind, &bind))
            offsets[j] = v3_sub(places[node_of[j]], affine_translation(&bind));
    }
    move_joints(old, count, offsets, globals, joints);
    return SUP_OK;
}

sup_result sup_joints_center(const sup_mesh* mesh, uint32_t count, sup_joint* joints, sup_vec3* tails, const bool* has_tail,
                             const sup_center_options* options, const sup_allocator* allocator, sup_center* out,
                             sup_error* error)
{
    sup_arena* arena = sup_arena_create(allocator);
    if (!arena) return sup_fail_memory(error, "centers");
    sup_result r = center(mesh, count, joints, tails, has_tail, options, arena, allocator, out, error);
    sup_arena_destroy(arena);
    return r;
}
