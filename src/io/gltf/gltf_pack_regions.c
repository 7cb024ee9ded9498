// Regions: a piece as a whole, and its vertices by the bones that move them most, with bones of few vertices merged into their
// parents. Finer levels lie within coarser ones, so that inner products of displacements are simply summed.
#include "base/internal.h"
#include "io/gltf/gltf_squeeze.h"

#include <string.h>

enum {
    VERTICES_MIN = 64,
    FRAMES_MANY = 1000, // beyond, the tables of many regions (frames x frames each) would take gigabytes: whole pieces only
};
static const double SHARES[PACK_LEVELS] = { 1.0 / 40, 1.0 / 8, 1 }; // least share of its piece that a region has

// The joint of the character with the largest weight at a vertex.
static uint32_t heaviest(const baked_part* part, uint32_t vertex)
{
    const float* w = part->weights[vertex];
    uint32_t     best = 0;
    for (uint32_t k = 1; k < GLTF_WEIGHT_SET; ++k)
        if (w[k] > w[best]) best = k;
    return part->pull.slots[part->slots[vertex][best]];
}

// Joints of few vertices pass them to their parents; what stays small at the top joins the largest group. groups[j]: the joint
// that represents j. Parents come first in the order of joints.
static void join_joints(const sup_skeleton* skeleton, uint32_t* counts, uint32_t least, uint32_t* groups)
{
    uint32_t most = 0;
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) groups[j] = j;
    for (uint32_t j = skeleton->joint_count; j-- > 0;) {
        uint32_t parent = skeleton->joints[j].parent;
        if (counts[j] == 0 || counts[j] >= least || parent == SUP_NONE) continue;
        groups[j] = parent;
        counts[parent] += counts[j];
        counts[j] = 0;
    }
    for (uint32_t j = 0; j < skeleton->joint_count; ++j)
        if (counts[j] > counts[most]) most = j;
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        if (groups[j] != j) groups[j] = groups[groups[j]];
        else if (counts[j] < least) groups[j] = most;
    }
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) groups[j] = groups[groups[j]];
}

typedef struct divider {
    gltf_pack* pack;
    sup_arena* arena;
    uint32_t*  joints; // of each vertex of the piece: its current group
    uint32_t*  counts;
    uint32_t*  groups;
    uint32_t*  numbers; // region of each group in the level, SUP_NONE: none yet
} divider;

static bool has_bones(const baked_part* part) { return part->from->skin != SUP_NONE && part->weights; }

// Regions of one piece at one level, from the current groups of its vertices.
static sup_result add_regions(divider* d, uint32_t piece, uint32_t at, sup_error* error)
{
    const baked_piece* p = &d->pack->baking->pieces[piece];
    pack_level*        level = &d->pack->levels[at];
    uint32_t           joint_count = d->pack->bake->desc.character->skeleton.joint_count;
    memset(d->numbers, 0xff, joint_count * sizeof *d->numbers);
    for (uint32_t v = 0; v < p->count; ++v) {
        uint32_t* number = &d->numbers[d->joints[v]];
        if (*number == SUP_NONE) {
            *number = level->count;
            level->regions[level->count++] = (pack_region){ .piece = piece };
        }
        level->regions[*number].count++;
    }
    for (uint32_t v = 0; v < p->count; ++v) {
        pack_region* region = &level->regions[d->numbers[d->joints[v]]];
        if (!region->vertices) {
            region->vertices = SUP_NEW(d->arena, uint32_t, region->count);
            if (!region->vertices) return sup_fail_memory(error, "regions of a mesh");
            region->count = 0;
        }
        region->vertices[region->count++] = v;
        if (at == 0) continue;
        // The finer region of this vertex; that level has few.
        pack_level* finer = &d->pack->levels[at - 1];
        for (uint32_t r = finer->count; r-- > 0 && finer->regions[r].piece == piece;)
            if (finer->regions[r].vertices[0] == v) finer->regions[r].above = d->numbers[d->joints[v]];
    }
    return SUP_OK;
}

static sup_result divide_piece(divider* d, uint32_t piece, sup_error* error)
{
    const baked_piece*  p = &d->pack->baking->pieces[piece];
    const sup_skeleton* skeleton = &d->pack->bake->desc.character->skeleton;
    bool                bones = has_bones(p->part);
    for (uint32_t v = 0; v < p->count; ++v) d->joints[v] = bones ? heaviest(p->part, p->begin + v) : 0;
    for (uint32_t at = 0; at < PACK_LEVELS; ++at) {
        double least = (d->pack->frames > FRAMES_MANY ? 1 : SHARES[at]) * p->count;
        memset(d->counts, 0, skeleton->joint_count * sizeof *d->counts);
        for (uint32_t v = 0; v < p->count; ++v) d->counts[d->joints[v]]++;
        join_joints(skeleton, d->counts, least < VERTICES_MIN ? VERTICES_MIN : (uint32_t)least, d->groups);
        for (uint32_t v = 0; v < p->count; ++v) d->joints[v] = at + 1 == PACK_LEVELS ? 0 : d->groups[d->joints[v]];
        sup_result result = add_regions(d, piece, at, error);
        if (result != SUP_OK) return result;
    }
    return SUP_OK;
}

// The order of a piece's vertices in a packed file, from its triangles. NULL: out of memory.
static const vertex_order* order_piece(const gltf_pack* pack, const baked_piece* p, sup_arena* arena)
{
    const sup_mesh* mesh = &pack->bake->desc.character->mesh;
    uint32_t        first = p->part->part->vertex_begin + p->begin, count = 0;
    uint32_t*       indices = SUP_NEW(arena, uint32_t, 3 * (size_t)mesh->corner_count);
    for (uint32_t f = 0; f < mesh->face_count && indices; ++f)
        for (uint32_t c = mesh->face_begin[f] + 2; c < mesh->face_begin[f + 1]; ++c) {
            uint32_t a = mesh->corner_vertices[mesh->face_begin[f]] - first, b = mesh->corner_vertices[c - 1] - first,
                     d = mesh->corner_vertices[c] - first; // those of other pieces wrap to large numbers
            if (a >= p->count || b >= p->count || d >= p->count) continue;
            indices[count++] = a, indices[count++] = b, indices[count++] = d;
        }
    return indices ? gltf_order_make(arena, pack->bake->desc.extra, indices, count, p->count) : NULL;
}

static bool rank_vertices(pack_region* region, const vertex_order* order, sup_arena* arena, sup_arena* work)
{
    const uint32_t* list = gltf_order_list(order, region->vertices, region->count, work);
    uint32_t*       ranks = SUP_NEW(arena, uint32_t, region->count);
    for (uint32_t i = 0; i < region->count && list && ranks; ++i) ranks[list[i]] = i;
    region->ranks = ranks;
    return list && ranks;
}

static bool order_regions(gltf_pack* pack)
{
    bool ready = true;
    for (uint32_t i = 0; i < pack->baking->piece_count && ready; ++i) {
        sup_arena*          work = sup_arena_beside(pack->bake->arena);
        const vertex_order* order = work ? order_piece(pack, &pack->baking->pieces[i], work) : NULL;
        ready = order != NULL;
        for (uint32_t at = 0; at < PACK_LEVELS; ++at)
            for (uint32_t r = 0; r < pack->levels[at].count && ready; ++r) {
                pack_region* region = &pack->levels[at].regions[r];
                if (region->piece != i) continue;
                ready = rank_vertices(region, order, pack->bake->arena, work);
            }
        sup_arena_destroy(work);
    }
    return ready;
}

sup_result gltf_pack_regions(gltf_pack* pack, sup_error* error)
{
    gltf_baking* baking = pack->baking;
    sup_arena*   arena = pack->bake->arena;
    uint32_t     joint_count = pack->bake->desc.character->skeleton.joint_count, most = 0;
    for (uint32_t i = 0; i < baking->piece_count; ++i)
        if (baking->pieces[i].count > most) most = baking->pieces[i].count;
    divider d = { .pack = pack,
                  .arena = arena,
                  .joints = SUP_NEW(arena, uint32_t, most),
                  .counts = SUP_NEW(arena, uint32_t, joint_count + 1),
                  .groups = SUP_NEW(arena, uint32_t, joint_count + 1),
                  .numbers = SUP_NEW(arena, uint32_t, joint_count + 1) };
    bool    ready = d.joints && d.counts && d.groups && d.numbers;
    for (uint32_t at = 0; at < PACK_LEVELS && ready; ++at) {
        // One for each joint and each piece is enough at any level.
        pack->levels[at].regions = SUP_NEW(arena, pack_region, (size_t)(joint_count + 1) * baking->piece_count);
        ready = pack->levels[at].regions != NULL;
    }
    if (!ready) return sup_fail_memory(error, "regions of a mesh");
    for (uint32_t i = 0; i < baking->piece_count; ++i) {
        sup_result result = divide_piece(&d, i, error);
        if (result != SUP_OK) return result;
    }
    if (pack->meshopt && !order_regions(pack)) return sup_fail_memory(error, "regions of a mesh");
    return SUP_OK;
}
