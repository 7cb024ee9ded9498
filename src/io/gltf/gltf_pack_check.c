// The file read again and played as a viewer does, against the frames that were baked.
#include "base/internal.h"
#include "io/gltf/gltf_pack.h"
#include "math/trig.h"
#include "math/vec.h"

#include <math.h>
#include <string.h>

typedef struct player {
    sup_character*  character;
    const sup_clip* clip;
    sup_pose        pose;
    sup_vec3*       morphed;
    sup_affine      back; // from the file's space to the character's
} player;

// Part of the file that a part went into: the one that its carrier shows.
static const sup_part* part_again(const player* p, const baked_part* part)
{
    const gltf_source* source = gltf_source_of(p->character);
    for (uint32_t i = 0; i < source->part_count; ++i)
        if (source->parts[i].node == part->carrier) return &p->character->mesh.parts[i];
    return NULL;
}

static sup_vec3 show(const player* p, const sup_vec3* rest, uint32_t point)
{
    const sup_weights* w = &p->character->weights;
    double             sum[3] = { 0 };
    for (uint32_t i = w->begin[point]; i < w->begin[point + 1]; ++i) {
        const sup_affine* m = &p->pose.skin[w->joints[i]];
        for (int k = 0; k < 3; ++k)
            sum[k] += (double)w->values[i] *
                      ((double)m->m[k][0] * (double)rest[point].x + (double)m->m[k][1] * (double)rest[point].y +
                       (double)m->m[k][2] * (double)rest[point].z + (double)m->m[k][3]);
    }
    return affine_point(&p->back, v3((float)sum[0], (float)sum[1], (float)sum[2]));
}

// A fresh document stands below a node that turns and scales it.
static sup_affine way_back(const gltf_pack* pack)
{
    uint32_t        root = pack->baking->document.root;
    const sup_json* node = sup_json_at(sup_json_get(pack->baking->edit.root, "nodes"), root);
    const sup_json *r = sup_json_get(node, "rotation"), *s = sup_json_get(node, "scale");
    sup_transform   t = transform_identity();
    if (root == SUP_NONE) return affine_identity();
    if (r)
        t.rotation = quat((float)sup_json_number(sup_json_at(r, 0), 0), (float)sup_json_number(sup_json_at(r, 1), 0),
                          (float)sup_json_number(sup_json_at(r, 2), 0), (float)sup_json_number(sup_json_at(r, 3), 1));
    if (s)
        t.scale = v3((float)sup_json_number(sup_json_at(s, 0), 1), (float)sup_json_number(sup_json_at(s, 1), 1),
                     (float)sup_json_number(sup_json_at(s, 2), 1));
    sup_affine there = affine_from_transform(&t), back;
    return affine_invert(&there, &back) ? back : affine_identity();
}

static sup_result read_again(gltf_pack* pack, sup_bytes bytes, sup_arena* work, player* out, sup_error* error)
{
    const sup_bake_desc* desc = &pack->bake->desc;
    sup_read_input in = { .path = desc->path, .bytes = bytes, .files = sup_files_system(), .up = -1, .extra = desc->extra };
    sup_result     result = gltf_read(&in, &out->character, error);
    if (result != SUP_OK) return result;
    for (uint32_t c = 0; c < out->character->clip_count; ++c)
        if (strcmp(out->character->clips[c].name, pack->baking->name) == 0) out->clip = &out->character->clips[c];
    out->morphed = SUP_NEW(work, sup_vec3, out->character->mesh.point_count);
    out->back = way_back(pack);
    if (!out->morphed) return sup_fail_memory(error, "the file that is read again");
    return sup_pose_create(out->character, work, &out->pose, error);
}

// ---------------------------------------------------------------------------------------------- points

typedef struct sums {
    double   squares, worst;
    uint64_t count;
} sums;

static sup_result compare_frame(gltf_pack* pack, player* p, uint32_t frame, sums* s, sup_error* error)
{
    const sup_mesh* own = &pack->bake->character->mesh;
    const sup_vec3* wanted = pack->points + (size_t)frame * own->point_count;
    sup_clip_sample(p->character, p->clip, (double)frame / pack->bake->desc.fps, &p->pose);
    const sup_vec3* rest = sup_pose_morph(p->character, &p->pose, p->morphed);
    for (uint32_t i = 0; i < pack->baking->part_count; ++i) {
        const baked_part* part = &pack->baking->parts[i];
        const sup_part*   again = part_again(p, part);
        if (!again || again->point_count != part->part->point_count)
            return sup_fail(error, SUP_ERROR_FILE,
                            "mesh '%s' is not in the file as it was written; this is a mistake in Supple",
                            part->part->name ? part->part->name : "");
        // Points keep their numbers (`_POINT`), vertices need not.
        for (uint32_t k = 0; k < again->point_count; ++k) {
            sup_vec3 is = show(p, rest, again->point_begin + k);
            double   off = (double)v3_length(v3_sub(is, wanted[part->part->point_begin + k]));
            s->worst = fmax(s->worst, off);
            s->squares += off * off;
            s->count++;
        }
    }
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- normals

static double angle_between(const double a[3], const double b[3])
{
    double cross[3] = { a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0] };
    double length = sqrt(cross[0] * cross[0] + cross[1] * cross[1] + cross[2] * cross[2]);
    return sup_atan2(length, a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) * (180 / 3.14159265358979323846);
}

// In the world: viewers turn normals by the skin matrix itself. Parts without a skin are rigid enough as they are.
static void turn(const baked_part* part, uint32_t vertex, const float n[3], double out[3])
{
    double m[12];
    for (int k = 0; k < 3; ++k) out[k] = (double)n[k];
    if (part->pull.flat || part->pull.joint != SUP_NONE) return;
    gltf_pull_matrix(&part->pull, vertex, m);
    for (int k = 0; k < 3; ++k) out[k] = m[4 * k] * (double)n[0] + m[4 * k + 1] * (double)n[1] + m[4 * k + 2] * (double)n[2];
}

typedef struct coded {
    const pack_region* region;
    uint32_t           k;
    pack_code          code;
} coded;

static void compare_normals(const gltf_pack* pack, uint32_t piece, uint32_t frame, const float* shown, sums* s)
{
    const baked_piece* p = &pack->baking->pieces[piece];
    const float*       wanted = pack->turns + 3 * (frame * pack->vertex_count + pack->first[piece]);
    const sup_vec3*    base = p->part->pull.normals + p->begin;
    for (uint32_t v = 0; v < p->count; ++v) {
        const float start[3] = { base[v].x, base[v].y, base[v].z };
        float       is[3], should[3];
        double      a[3], b[3];
        for (int k = 0; k < 3; ++k) {
            is[k] = start[k] + shown[3 * v + (uint32_t)k];
            should[k] = start[k] + wanted[3 * v + (uint32_t)k];
        }
        turn(p->part, p->begin + v, is, a);
        turn(p->part, p->begin + v, should, b);
        double off = angle_between(a, b);
        s->worst = fmax(s->worst, off);
        s->squares += off * off;
        s->count++;
    }
}

// The normals of one frame as its targets and weights give them.
static void normals_of_frame(const gltf_pack* pack, const coded* codes, uint32_t count, uint32_t frame, float* shown, sums* s)
{
    for (uint32_t i = 0; i < pack->baking->piece_count; ++i) {
        const baked_piece* piece = &pack->baking->pieces[i];
        if (!piece->normals) continue;
        memset(shown, 0, 3 * (size_t)piece->count * sizeof *shown);
        for (uint32_t c = 0; c < count; ++c) {
            const pack_region* region = codes[c].region;
            if (region->piece != i || !codes[c].code.turned) continue;
            float w = gltf_pack_weight(pack, region, codes[c].k, &codes[c].code, frame);
            for (uint32_t v = 0; v < region->count; ++v)
                for (uint32_t k = 0; k < 3; ++k) shown[3 * region->vertices[v] + k] += w * codes[c].code.turn[3 * v + k];
        }
        compare_normals(pack, i, frame, shown, s);
    }
}

static sup_result check_normals(gltf_pack* pack, sup_arena* work, sums* s, sup_error* error)
{
    const sup_bake_desc* desc = &pack->bake->desc;
    const pack_level*    level = &pack->levels[pack->level];
    uint32_t             count = 0;
    sup_pose             pose;
    for (uint32_t r = 0; r < level->count; ++r) count += level->regions[r].used;
    coded* codes = SUP_NEW(work, coded, count);
    float* shown = SUP_NEW(work, float, 3 * pack->vertex_count);
    if (!codes || !shown) return sup_fail_memory(error, "the file that is read again");
    count = 0;
    for (uint32_t r = 0; r < level->count; ++r)
        for (uint32_t k = 0; k < level->regions[r].used; ++k) {
            coded* c = &codes[count++];
            *c = (coded){ &level->regions[r], k, { .shape = pack->shape } };
            c->code.turn = SUP_NEW(work, float, 3 * (size_t)c->region->count);
            if (!c->code.turn) return sup_fail_memory(error, "the file that is read again");
            gltf_pack_code(pack, c->region, k, c->region->step, &c->code);
        }
    sup_result result = sup_pose_create(desc->character, work, &pose, error);
    for (uint32_t f = 0; f < pack->frames && result == SUP_OK; ++f) {
        if (desc->clip) sup_clip_sample(desc->character, desc->clip, desc->start + f / desc->fps, &pose);
        for (uint32_t i = 0; i < pack->baking->part_count; ++i)
            if (!pack->baking->parts[i].pull.flat)
                gltf_pull_pose(&pack->baking->parts[i].pull, desc->clip ? &pose : &pack->held);
        normals_of_frame(pack, codes, count, f, shown, s);
    }
    return result;
}

sup_result gltf_pack_check(gltf_pack* pack, sup_bytes bytes, pack_errors* out, sup_error* error)
{
    player     p = { 0 };
    sums       points = { 0 }, normals = { 0 };
    sup_arena* work = sup_arena_beside(pack->bake->arena);
    sup_result result = work ? read_again(pack, bytes, work, &p, error) : sup_fail_memory(error, "the file that is read again");
    for (uint32_t f = 0; f < pack->frames && result == SUP_OK; ++f) result = compare_frame(pack, &p, f, &points, error);
    if (result == SUP_OK) result = check_normals(pack, work, &normals, error);
    sup_character_destroy(p.character);
    sup_arena_destroy(work);
    *out = (pack_errors){ .rms = points.count ? sqrt(points.squares / (double)points.count) : 0,
                          .worst = points.worst,
                          .normal_rms = normals.count ? sqrt(normals.squares / (double)normals.count) : 0,
                          .normal_worst = normals.worst };
    return result;
}
