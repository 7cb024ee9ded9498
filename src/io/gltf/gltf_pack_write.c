// The chosen components as morph targets. A region that is not all of its piece is a sparse target; regions of one mesh share
// their lists of vertices between their targets.
#include "base/internal.h"
#include "io/gltf/gltf_pack.h"

#include <math.h>
#include <string.h>

typedef struct target_writer {
    gltf_pack*       pack;
    gltf_edit*       edit;
    sup_json* const* lists;   // of targets, per piece
    uint32_t*        zeros;   // per piece: accessor of displacements that are all zero; SUP_NONE: not made yet
    uint32_t         indices; // view of the region's vertices; SUP_NONE: it is all of its piece
    uint32_t         index_type;
} target_writer;

static pack_level* chosen(const gltf_pack* pack) { return (pack_level*)&pack->levels[pack->level]; }

uint32_t gltf_pack_count(const gltf_pack* pack, const baked_part* part)
{
    const pack_level* level = chosen(pack);
    uint32_t          count = 0;
    for (uint32_t r = 0; r < level->count; ++r)
        if (pack->baking->pieces[level->regions[r].piece].part == part) count += level->regions[r].used;
    return count;
}

static uint32_t zero_accessor(target_writer* w, uint32_t piece)
{
    if (w->zeros[piece] != SUP_NONE) return w->zeros[piece];
    gltf_accessor what = { .count = w->pack->baking->pieces[piece].count, .components = 3, .component_type = GLTF_FLOAT };
    const float   none[3] = { 0 };
    sup_json*     accessor;
    w->zeros[piece] = gltf_edit_accessor(w->edit, SUP_NONE, 0, &what, &accessor);
    gltf_edit_numbers(w->edit, accessor, "min", none, 3);
    gltf_edit_numbers(w->edit, accessor, "max", none, 3);
    return w->zeros[piece];
}

// The region's vertices, once for all its targets.
static void write_indices(target_writer* w, const pack_region* region)
{
    const baked_piece* piece = &w->pack->baking->pieces[region->piece];
    w->indices = SUP_NONE;
    if (region->count == piece->count) return;
    bool     wide = piece->count > 0x10000;
    uint8_t* packed = sup_arena_alloc(w->edit->arena, region->count, wide ? 4 : 2);
    w->edit->failed |= !packed;
    for (uint32_t i = 0; i < region->count && packed; ++i) {
        uint16_t narrow = (uint16_t)region->vertices[i];
        if (wide) memcpy(packed + 4 * (size_t)i, &region->vertices[i], 4);
        else memcpy(packed + 2 * (size_t)i, &narrow, 2);
    }
    w->index_type = wide ? GLTF_UINT : GLTF_USHORT;
    w->indices = gltf_edit_view(w->edit, packed, (uint64_t)region->count * (wide ? 4 : 2), 0, 0);
}

static void put_bounds(gltf_edit* edit, sup_json* accessor, const float* values, uint32_t count, bool zero)
{
    float low[3], high[3];
    for (uint32_t c = 0; c < 3; ++c) {
        low[c] = high[c] = zero ? 0 : values[c];
        for (uint32_t i = 0; i < count; ++i) {
            low[c] = fminf(low[c], values[3 * (size_t)i + c]);
            high[c] = fmaxf(high[c], values[3 * (size_t)i + c]);
        }
    }
    gltf_edit_numbers(edit, accessor, "min", low, 3);
    gltf_edit_numbers(edit, accessor, "max", high, 3);
}

// values are borrowed until the document is written.
static uint32_t write_values(target_writer* w, const pack_region* region, const float* values, bool bounds)
{
    gltf_edit*    edit = w->edit;
    bool          sparse = w->indices != SUP_NONE;
    gltf_accessor what = { .count = w->pack->baking->pieces[region->piece].count,
                           .components = 3,
                           .component_type = GLTF_FLOAT };
    uint32_t view = gltf_edit_view(edit, values, (uint64_t)region->count * 12, sparse ? 0 : 12, sparse ? 0 : GLTF_ARRAY_BUFFER);
    sup_json* accessor;
    uint32_t  index = gltf_edit_accessor(edit, sparse ? SUP_NONE : view, 0, &what, &accessor);
    if (bounds) put_bounds(edit, accessor, values, region->count, sparse);
    if (!sparse) return index;
    sup_json* object = gltf_edit_object(edit, accessor, "sparse");
    gltf_edit_number(edit, object, "count", region->count);
    sup_json* indices = gltf_edit_object(edit, object, "indices");
    gltf_edit_number(edit, indices, "bufferView", w->indices);
    gltf_edit_number(edit, indices, "componentType", w->index_type);
    gltf_edit_number(edit, gltf_edit_object(edit, object, "values"), "bufferView", view);
    return index;
}

// One component: in its own piece its shape, in the others of the mesh nothing.
static sup_result write_component(target_writer* w, const pack_region* region, uint32_t k, sup_error* error)
{
    const gltf_baking* baking = w->pack->baking;
    const baked_part*  part = baking->pieces[region->piece].part;
    size_t             numbers = 3 * (size_t)region->count;
    pack_code code = { .shape = SUP_NEW(w->edit->arena, float, numbers), .turn = SUP_NEW(w->edit->arena, float, numbers) };
    if (!code.shape || !code.turn) return sup_fail_memory(error, "the targets of a bake");
    gltf_pack_code(w->pack, region, k, region->step, &code);
    for (uint32_t p = 0; p < baking->piece_count; ++p) {
        if (baking->pieces[p].part != part) continue;
        sup_json* target = gltf_edit_new(w->edit, SUP_JSON_OBJECT);
        bool      own = p == region->piece;
        gltf_edit_number(w->edit, target, "POSITION", own ? write_values(w, region, code.shape, true) : zero_accessor(w, p));
        if (baking->pieces[p].normals)
            gltf_edit_number(w->edit, target, "NORMAL",
                             own && code.turned ? write_values(w, region, code.turn, false) : zero_accessor(w, p));
        if (w->lists[p] && target) sup_json_push(w->lists[p], target);
    }
    return SUP_OK;
}

sup_result gltf_pack_targets(gltf_pack* pack, sup_json* const* lists, sup_error* error)
{
    const pack_level* level = chosen(pack);
    target_writer     w = { .pack = pack, .edit = &pack->baking->edit, .lists = lists };
    w.zeros = SUP_NEW(w.edit->arena, uint32_t, pack->baking->piece_count);
    if (!w.zeros) return sup_fail_memory(error, "the targets of a bake");
    memset(w.zeros, 0xff, pack->baking->piece_count * sizeof *w.zeros);
    for (uint32_t r = 0; r < level->count; ++r) {
        const pack_region* region = &level->regions[r];
        if (region->used == 0) continue;
        write_indices(&w, region);
        for (uint32_t k = 0; k < region->used; ++k) {
            sup_result result = write_component(&w, region, k, error);
            if (result != SUP_OK) return result;
        }
    }
    return w.edit->failed ? sup_fail_memory(error, "the targets of a bake") : SUP_OK;
}

float* gltf_pack_weights(gltf_pack* pack, const baked_part* part, uint32_t keys, sup_arena* arena)
{
    const pack_level* level = chosen(pack);
    bool              loop = pack->bake->desc.loop;
    uint32_t          column = part->existing;
    size_t            width = (size_t)part->existing + part->fresh;
    float*            values = SUP_NEW(arena, float, keys* width);
    pack_code         code = { .shape = pack->shape, .turn = pack->turn };
    for (uint32_t r = 0; r < level->count && values; ++r) {
        const pack_region* region = &level->regions[r];
        if (pack->baking->pieces[region->piece].part != part) continue;
        for (uint32_t k = 0; k < region->used; ++k, ++column) {
            gltf_pack_code(pack, region, k, region->step, &code);
            for (uint32_t key = 0; key < keys; ++key) {
                uint32_t frame = key < pack->frames ? key : loop ? 0 : pack->frames - 1;
                values[key * width + column] = gltf_pack_weight(pack, region, k, &code, frame);
            }
        }
    }
    return values;
}
