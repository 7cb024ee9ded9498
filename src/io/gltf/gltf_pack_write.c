// Writes the chosen components as morph targets. A region that is part of its piece is a sparse target; the targets of a region
// share one list of vertices.
//
// Clients without extensions get weights from 0 to 1, since some support no others (Blender, older Unity): each component
// starts at the least weight it has in the clip, and one more target of the mesh, always on, holds the sum of these starting
// points.
#include "base/internal.h"
#include "io/gltf/gltf_pack.h"

#include <math.h>
#include <string.h>

enum { SPARSE_WORTH = 150 }; // bytes of the document that a list of vertices takes

typedef struct target_writer {
    gltf_pack*       pack;
    gltf_edit*       edit;
    sup_json* const* lists;   // of targets, per piece
    uint32_t*        zeros;   // per piece: accessor of displacements that are all zero; SUP_NONE: not made yet
    uint32_t         indices; // view of the region's vertices; SUP_NONE: it is all of its piece
    uint32_t         index_type;
    bool             integers; // some displacements are integers
    float**          offsets;  // per piece: the sum of its components at weight 0, positions then normals; NULL: none
} target_writer;

static pack_level* chosen(const gltf_pack* pack) { return (pack_level*)&pack->levels[pack->level]; }

// The least weight of a component and its range above that; 0 and 1 if weights are unrestricted.
static void find_range(const gltf_pack* pack, const pack_region* region, uint32_t k, const pack_code* code, float* low,
                       float* span)
{
    float high = *low = gltf_pack_weight(pack, region, k, code, 0);
    for (uint32_t f = 1; f < pack->frames; ++f) {
        float weight = gltf_pack_weight(pack, region, k, code, f);
        *low = fminf(*low, weight);
        high = fmaxf(high, weight);
    }
    *span = high - *low;
    // Weights of integer shapes are small, and none exceeds 1 if a unit is that of a length.
    if (pack->small && (double)*span * code->unit <= 1) *span = (float)(1 / code->unit);
    if (pack->meshopt) *low = 0, *span = 1;
    if (!(*span > 0)) *span = 1; // constant: the offset holds all of it
}

static bool has_offset(const gltf_pack* pack, uint32_t components) { return !pack->meshopt && components > 0; }

uint32_t gltf_pack_count(const gltf_pack* pack, const baked_part* part)
{
    const pack_level* level = chosen(pack);
    uint32_t          count = 0;
    for (uint32_t r = 0; r < level->count; ++r)
        if (pack->baking->pieces[level->regions[r].piece].part == part) count += level->regions[r].used;
    return count + has_offset(pack, count);
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

// Writes the region's vertex list once for all its targets.
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

// How the displacements of a region are stored: floats or small integers, all of them or those that are not zero.
typedef struct value_form {
    uint32_t type, size; // of the components; bytes of three of them
    uint32_t moved;      // vertices that are not zero; 0: all are stored
} value_form;

static bool moves(const float* v) { return v[0] != 0 || v[1] != 0 || v[2] != 0; }

static value_form find_form(const target_writer* w, const pack_region* region, const float* values, bool places)
{
    value_form form = { GLTF_FLOAT, 12, 0 };
    float      most = 0;
    bool       whole = w->pack->small && places; // for normals the extension only allows -1 to 1
    if (w->pack->meshopt) return form;           // zeros pack to nothing
    for (size_t i = 0; i < 3 * (size_t)region->count; ++i) {
        whole = whole && values[i] == floorf(values[i]);
        most = fmaxf(most, fabsf(values[i]));
    }
    if (whole && most <= 127) form.type = GLTF_BYTE, form.size = 3;
    else if (whole && most <= 32767) form.type = GLTF_SHORT, form.size = 6;
    uint32_t moved = 0, list = w->pack->baking->pieces[region->piece].count > 0x10000 ? 4 : 2;
    for (uint32_t i = 0; i < region->count; ++i) moved += moves(values + 3 * (size_t)i);
    size_t all = (size_t)region->count * (w->indices == SUP_NONE ? sup_align(form.size, 4) : form.size);
    if ((size_t)moved * (form.size + list) + SPARSE_WORTH < all) form.moved = moved;
    return form;
}

// Converts the numbers to that form, `stride` bytes per vertex. NULL: out of memory.
static const void* pack_values(target_writer* w, const pack_region* region, const float* values, const value_form* form,
                               uint32_t stride)
{
    if (form->type == GLTF_FLOAT && !form->moved) return values; // referenced until the document is written
    uint8_t* out = sup_arena_alloc(w->edit->arena, form->moved ? form->moved : region->count, stride);
    w->edit->failed |= !out;
    for (uint32_t i = 0, at = 0; i < region->count && out; ++i) {
        const float* v = values + 3 * (size_t)i;
        if (form->moved && !moves(v)) continue;
        uint8_t* to = out + (size_t)at++ * stride;
        for (int c = 0; c < 3; ++c) {
            int16_t wide = (int16_t)v[c];
            if (form->type == GLTF_FLOAT) memcpy(to + 4 * c, &v[c], 4);
            else if (form->type == GLTF_SHORT) memcpy(to + 2 * c, &wide, 2);
            else to[c] = (uint8_t)(int8_t)v[c];
        }
    }
    return out;
}

// The moving vertices of a region, as a region of its own.
static uint32_t write_moved(target_writer* w, const pack_region* region, const float* values, uint32_t count)
{
    uint32_t*   vertices = SUP_NEW(w->edit->arena, uint32_t, count);
    uint32_t    n = 0, before = w->indices;
    pack_region some = { .piece = region->piece, .count = count, .vertices = vertices };
    w->edit->failed |= !vertices;
    for (uint32_t i = 0; i < region->count && vertices; ++i)
        if (moves(values + 3 * (size_t)i)) vertices[n++] = region->vertices ? region->vertices[i] : i;
    if (vertices) write_indices(w, &some);
    uint32_t list = w->indices;
    w->indices = before;
    return list;
}

static uint32_t write_values(target_writer* w, const pack_region* region, const float* values, bool places)
{
    gltf_edit* edit = w->edit;
    value_form form = find_form(w, region, values, places);
    uint32_t   list = form.moved ? write_moved(w, region, values, form.moved) : w->indices;
    bool       sparse = list != SUP_NONE;
    uint32_t   count = form.moved ? form.moved : region->count, stride = sparse ? form.size : (uint32_t)sup_align(form.size, 4);
    const void*   data = pack_values(w, region, values, &form, stride);
    gltf_accessor what = { .count = w->pack->baking->pieces[region->piece].count,
                           .components = 3,
                           .component_type = form.type };
    uint32_t  view = gltf_edit_view(edit, data, (uint64_t)count * stride, sparse ? 0 : stride, sparse ? 0 : GLTF_ARRAY_BUFFER);
    sup_json* accessor;
    uint32_t  index = gltf_edit_accessor(edit, sparse ? SUP_NONE : view, 0, &what, &accessor);
    w->integers |= form.type != GLTF_FLOAT;
    if (places) put_bounds(edit, accessor, values, region->count, sparse);
    if (!sparse) return index;
    sup_json* object = gltf_edit_object(edit, accessor, "sparse");
    gltf_edit_number(edit, object, "count", count);
    sup_json* indices = gltf_edit_object(edit, object, "indices");
    gltf_edit_number(edit, indices, "bufferView", list);
    gltf_edit_number(edit, indices, "componentType", w->index_type);
    gltf_edit_number(edit, gltf_edit_object(edit, object, "values"), "bufferView", view);
    return index;
}

// Rescales the component to its range, and adds its least value to the offset of its piece.
static bool count_from_least(target_writer* w, const pack_region* region, uint32_t k, pack_code* code)
{
    size_t numbers = 3 * (size_t)w->pack->baking->pieces[region->piece].count;
    float  low, span;
    if (w->pack->meshopt) return true;
    float** offset = &w->offsets[region->piece];
    if (!*offset) *offset = SUP_NEW(w->edit->arena, float, 2 * numbers);
    if (!*offset) return false;
    find_range(w->pack, region, k, code, &low, &span);
    for (size_t i = 0; i < 3 * (size_t)region->count; ++i) {
        size_t at = 3 * (size_t)region->vertices[i / 3] + i % 3;
        (*offset)[at] += low * code->shape[i];
        code->shape[i] *= span;
        if (!code->turned) continue;
        (*offset)[numbers + at] += low * code->turn[i];
        code->turn[i] *= span;
    }
    return true;
}

// One component: its shape in its own piece, zero in the mesh's other pieces.
static sup_result write_component(target_writer* w, const pack_region* region, uint32_t k, sup_error* error)
{
    const gltf_baking* baking = w->pack->baking;
    const baked_part*  part = baking->pieces[region->piece].part;
    size_t             numbers = 3 * (size_t)region->count;
    pack_code code = { .shape = SUP_NEW(w->edit->arena, float, numbers), .turn = SUP_NEW(w->edit->arena, float, numbers) };
    if (!code.shape || !code.turn) return sup_fail_memory(error, "the targets of a bake");
    gltf_pack_code(w->pack, region, k, region->step, &code);
    if (!count_from_least(w, region, k, &code)) return sup_fail_memory(error, "the targets of a bake");
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

// The starting points of each part's components: one target behind all of them.
static void write_offsets(target_writer* w)
{
    const gltf_baking* baking = w->pack->baking;
    for (uint32_t p = 0; p < baking->piece_count; ++p) {
        const baked_piece* piece = &baking->pieces[p];
        const float*       offset = w->offsets[p];
        const pack_region  all = { .piece = p, .count = piece->count };
        if (!has_offset(w->pack, gltf_pack_count(w->pack, piece->part))) continue;
        sup_json* target = gltf_edit_new(w->edit, SUP_JSON_OBJECT);
        w->indices = SUP_NONE;
        gltf_edit_number(w->edit, target, "POSITION", offset ? write_values(w, &all, offset, true) : zero_accessor(w, p));
        if (piece->normals)
            gltf_edit_number(w->edit, target, "NORMAL",
                             offset ? write_values(w, &all, offset + 3 * (size_t)piece->count, false) : zero_accessor(w, p));
        if (w->lists[p] && target) sup_json_push(w->lists[p], target);
    }
}

sup_result gltf_pack_targets(gltf_pack* pack, sup_json* const* lists, sup_error* error)
{
    const pack_level* level = chosen(pack);
    target_writer     w = { .pack = pack, .edit = &pack->baking->edit, .lists = lists };
    w.zeros = SUP_NEW(w.edit->arena, uint32_t, pack->baking->piece_count);
    w.offsets = SUP_NEW(w.edit->arena, float*, pack->baking->piece_count);
    if (!w.zeros || !w.offsets) return sup_fail_memory(error, "the targets of a bake");
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
    write_offsets(&w);
    if (w.integers) gltf_edit_require(w.edit, "KHR_mesh_quantization");
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
            float low, span;
            gltf_pack_code(pack, region, k, region->step, &code);
            find_range(pack, region, k, &code, &low, &span);
            for (uint32_t key = 0; key < keys; ++key) {
                uint32_t frame = key < pack->frames ? key : loop ? 0 : pack->frames - 1;
                values[key * width + column] = (gltf_pack_weight(pack, region, k, &code, frame) - low) / span;
            }
        }
    }
    for (uint32_t key = 0; key < keys && values && column < width; ++key) values[key * width + column] = 1; // the offset target
    return values;
}
