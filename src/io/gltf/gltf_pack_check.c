// Reads the file back and plays it as a viewer does, to compare with the baked frames.
#include "base/internal.h"
#include "io/gltf/gltf_pack.h"
#include "math/trig.h"
#include "math/vec.h"

#include <math.h>
#include <string.h>

// A morph target without the points that it does not move: components of groups of bones move few.
typedef struct target {
    uint32_t        count;
    const uint32_t* points; // of the character
    const sup_vec3* deltas;
} target;

typedef struct player {
    sup_character*  character;
    const sup_clip* clip;
    sup_pose        pose;
    sup_vec3*       morphed;
    target*         targets; // by morph
    sup_affine      back;    // from the file's space to the character's
} player;

// The part of the file that a part became: the one that its carrier shows.
static const sup_part* written_part(const player* p, const baked_part* part)
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

// A fresh document is below a node that rotates and scales it.
static sup_affine file_to_character(const gltf_pack* pack)
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

static bool moves(sup_vec3 v) { return v.x != 0 || v.y != 0 || v.z != 0; }

static bool gather_targets(player* p, sup_arena* work)
{
    const sup_character* c = p->character;
    p->targets = SUP_NEW(work, target, (size_t)c->morph_count + 1);
    for (uint32_t m = 0; m < c->morph_count && p->targets; ++m) {
        const sup_morph* morph = &c->morphs[m];
        const sup_part*  part = &c->mesh.parts[morph->part];
        uint32_t         count = 0;
        for (uint32_t i = 0; i < part->point_count; ++i) count += moves(morph->deltas[i]);
        uint32_t* points = SUP_NEW(work, uint32_t, (size_t)count + 1);
        sup_vec3* deltas = SUP_NEW(work, sup_vec3, (size_t)count + 1);
        if (!points || !deltas) return false;
        for (uint32_t i = 0, k = 0; i < part->point_count; ++i)
            if (moves(morph->deltas[i])) points[k] = part->point_begin + i, deltas[k++] = morph->deltas[i];
        p->targets[m] = (target){ count, points, deltas };
    }
    return p->targets != NULL;
}

// As sup_pose_morph does.
static const sup_vec3* morph_points(player* p)
{
    const sup_mesh* mesh = &p->character->mesh;
    memcpy(p->morphed, mesh->points, mesh->point_count * sizeof *p->morphed);
    for (uint32_t m = 0; m < p->pose.morph_count; ++m) {
        const target* t = &p->targets[m];
        float         weight = p->pose.morph_weights[m];
        if (weight == 0) continue;
        for (uint32_t k = 0; k < t->count; ++k)
            p->morphed[t->points[k]] = v3_mad(p->morphed[t->points[k]], weight, t->deltas[k]);
    }
    return p->morphed;
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
    out->back = file_to_character(pack);
    if (!out->morphed || !gather_targets(out, work)) return sup_fail_memory(error, "the file that is read again");
    return sup_pose_create(out->character, work, &out->pose, error);
}

// ---------------------------------------------------------------------------------------------- what components show

typedef struct sums {
    double   squares, worst;
    uint64_t count;
} sums;

// Rotated into world space, and scaled: viewers transform normals by the skin matrix itself. Parts without a skin are close
// enough to rigid.
static void turn(const double m[12], const float v[3], double out[3])
{
    for (int k = 0; k < 3; ++k) out[k] = m[4 * k] * (double)v[0] + m[4 * k + 1] * (double)v[1] + m[4 * k + 2] * (double)v[2];
}

static void find_matrix(const baked_part* part, uint32_t vertex, double m[12])
{
    static const double none[12] = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0 };
    if (part->pull.flat || part->pull.joint != SUP_NONE) memcpy(m, none, sizeof none);
    else gltf_pull_matrix(&part->pull, vertex, m);
}

typedef struct coded {
    const pack_region* region;
    uint32_t           k;
    pack_code          code;
} coded;

typedef struct coded_list {
    coded*   items;
    uint32_t count;
} coded_list;

// Adds what the chosen components contribute to a piece in a frame: positions, or normals.
static void add_components(const gltf_pack* pack, const coded_list* list, uint32_t piece, uint32_t frame, bool normals,
                           float* shown)
{
    memset(shown, 0, 3 * (size_t)pack->baking->pieces[piece].count * sizeof *shown);
    for (uint32_t c = 0; c < list->count; ++c) {
        const coded*       one = &list->items[c];
        const pack_region* region = one->region;
        if (region->piece != piece || (normals && !one->code.turned)) continue;
        const float* values = normals ? one->code.turn : one->code.shape;
        float        w = gltf_pack_weight(pack, region, one->k, &one->code, frame);
        if (region->count == pack->baking->pieces[piece].count) { // its vertices are those of the piece
            for (size_t i = 0; i < 3 * (size_t)region->count; ++i) shown[i] += w * values[i];
            continue;
        }
        for (uint32_t v = 0; v < region->count; ++v)
            for (uint32_t k = 0; k < 3; ++k) shown[3 * (size_t)region->vertices[v] + k] += w * values[3 * (size_t)v + k];
    }
}

static bool code_all(const gltf_pack* pack, sup_arena* work, bool normals, coded_list* out)
{
    const pack_level* level = &pack->levels[pack->level];
    uint32_t          count = 0;
    for (uint32_t r = 0; r < level->count; ++r) count += level->regions[r].used;
    *out = (coded_list){ .items = SUP_NEW(work, coded, count) };
    for (uint32_t r = 0; r < level->count && out->items; ++r)
        for (uint32_t k = 0; k < level->regions[r].used; ++k) {
            const pack_region* region = &level->regions[r];
            coded*             c = &out->items[out->count++];
            *c = (coded){ .region = region, .k = k };
            c->code.shape = SUP_NEW(work, float, 3 * (size_t)region->count);
            if (normals) c->code.turn = SUP_NEW(work, float, 3 * (size_t)region->count);
            if (!c->code.shape || (normals && !c->code.turn)) return false;
            gltf_pack_code(pack, region, k, region->step, &c->code);
        }
    return out->items != NULL;
}

// The viewer's matrices of a frame.
static void pose_parts(gltf_pack* pack, uint32_t frame, sup_pose* pose)
{
    const sup_bake_desc* desc = &pack->bake->desc;
    if (desc->clip) sup_clip_sample(desc->character, desc->clip, desc->start + frame / desc->fps, pose);
    for (uint32_t i = 0; i < pack->baking->part_count; ++i)
        if (!pack->baking->parts[i].pull.flat) gltf_pull_pose(&pack->baking->parts[i].pull, desc->clip ? pose : &pack->held);
}

// ---------------------------------------------------------------------------------------------- copies of points

// Our reader averages the copies of a point, and viewers do not: where copies have components of different regions, each is
// shown with its own.
typedef struct copies {
    uint32_t* counts;  // per point
    uint8_t*  differ;  // per point: its copies belong to several regions
    uint8_t*  pieces;  // per piece: it has such points
    float*    shown;   // of all vertices, in the current frame
    double*   average; // per point, 3
    bool      any;
} copies;

static bool find_copies(const gltf_pack* pack, sup_arena* work, copies* out)
{
    const pack_level* level = &pack->levels[pack->level];
    size_t            points = pack->bake->character->mesh.point_count;
    uint32_t*         first = SUP_NEW(work, uint32_t, points); // region, 0: none yet
    *out = (copies){ SUP_NEW(work, uint32_t, points),
                     SUP_NEW(work, uint8_t, points),
                     SUP_NEW(work, uint8_t, pack->baking->piece_count),
                     SUP_NEW(work, float, 3 * pack->vertex_count),
                     SUP_NEW(work, double, 3 * points),
                     false };
    if (!first || !out->counts || !out->differ || !out->pieces || !out->shown || !out->average) return false;
    for (uint32_t r = 0; r < level->count; ++r) {
        const pack_region* region = &level->regions[r];
        const baked_piece* piece = &pack->baking->pieces[region->piece];
        for (uint32_t v = 0; v < region->count; ++v) {
            uint32_t point = piece->part->pull.points[piece->begin + region->vertices[v]];
            out->counts[point]++;
            out->differ[point] |= first[point] != 0 && first[point] != r + 1;
            first[point] = r + 1;
        }
    }
    for (uint32_t i = 0; i < pack->baking->piece_count; ++i) {
        const baked_piece* piece = &pack->baking->pieces[i];
        for (uint32_t v = 0; v < piece->count; ++v) out->pieces[i] |= out->differ[piece->part->pull.points[piece->begin + v]];
        out->any |= out->pieces[i] != 0;
    }
    return true;
}

// Positions of each copy in a frame with the chosen components, and their averages.
static void show_copies(const gltf_pack* pack, const coded_list* list, uint32_t frame, copies* c)
{
    memset(c->average, 0, 3 * pack->bake->character->mesh.point_count * sizeof *c->average);
    for (uint32_t i = 0; i < pack->baking->piece_count; ++i) {
        const baked_piece* piece = &pack->baking->pieces[i];
        float*             shown = c->shown + 3 * pack->first[i];
        if (!c->pieces[i]) continue;
        add_components(pack, list, i, frame, false, shown);
        for (uint32_t v = 0; v < piece->count; ++v) {
            uint32_t point = piece->part->pull.points[piece->begin + v];
            for (uint32_t k = 0; k < 3; ++k)
                c->average[3 * (size_t)point + k] += (double)shown[3 * (size_t)v + k] / c->counts[point];
        }
    }
}

// ---------------------------------------------------------------------------------------------- points

typedef struct comparison {
    gltf_pack* pack;
    player     player;
    coded_list list;
    copies     copies;
    sup_pose   pose; // of the baked character, for the matrices of copies
    sup_vec3*  offs; // per point, in the current frame
    sums       sums;
} comparison;

static sup_result find_offs(comparison* c, uint32_t frame, sup_error* error)
{
    const gltf_pack* pack = c->pack;
    player*          p = &c->player;
    const sup_vec3*  wanted = pack->points + (size_t)frame * pack->bake->character->mesh.point_count;
    sup_clip_sample(p->character, p->clip, (double)frame / pack->bake->desc.fps, &p->pose);
    const sup_vec3* rest = morph_points(p);
    for (uint32_t i = 0; i < pack->baking->part_count; ++i) {
        const sup_part* part = pack->baking->parts[i].part;
        const sup_part* again = written_part(p, &pack->baking->parts[i]);
        if (!again || again->point_count != part->point_count)
            return sup_fail(error, SUP_ERROR_FILE,
                            "mesh '%s' is not in the file as it was written; this is a mistake in Supple",
                            part->name ? part->name : "");
        // Points keep their numbers (`_POINT`), vertices need not.
        for (uint32_t k = 0; k < again->point_count; ++k) {
            uint32_t point = part->point_begin + k;
            c->offs[point] = v3_sub(show(p, rest, again->point_begin + k), wanted[point]);
        }
    }
    return SUP_OK;
}

// Copies that have their own components: a point's error is the mean of theirs, and the largest one counts for the maximum.
static void add_copies(comparison* c, uint32_t frame)
{
    const gltf_pack* pack = c->pack;
    pose_parts(c->pack, frame, &c->pose);
    show_copies(pack, &c->list, frame, &c->copies);
    for (uint32_t i = 0; i < pack->baking->piece_count; ++i) {
        const baked_piece* piece = &pack->baking->pieces[i];
        for (uint32_t v = 0; v < piece->count && c->copies.pieces[i]; ++v) {
            uint32_t     point = piece->part->pull.points[piece->begin + v];
            const float* shown = c->copies.shown + 3 * (pack->first[i] + v);
            float        own[3];
            double       m[12], world[3];
            if (!c->copies.differ[point]) continue;
            for (uint32_t k = 0; k < 3; ++k) own[k] = (float)((double)shown[k] - c->copies.average[3 * (size_t)point + k]);
            find_matrix(piece->part, piece->begin + v, m);
            turn(m, own, world);
            double off = (double)v3_length(v3_add(c->offs[point], v3((float)world[0], (float)world[1], (float)world[2])));
            c->sums.worst = fmax(c->sums.worst, off);
            c->sums.squares += off * off / c->copies.counts[point];
        }
    }
}

static sup_result compare_frame(comparison* c, uint32_t frame, sup_error* error)
{
    sup_result result = find_offs(c, frame, error);
    for (uint32_t i = 0; i < c->pack->baking->part_count && result == SUP_OK; ++i) {
        const sup_part* part = c->pack->baking->parts[i].part;
        for (uint32_t point = part->point_begin; point < part->point_begin + part->point_count; ++point) {
            double off = c->copies.differ[point] ? 0 : (double)v3_length(c->offs[point]);
            c->sums.worst = fmax(c->sums.worst, off);
            c->sums.squares += off * off;
            c->sums.count++;
        }
    }
    if (result == SUP_OK && c->copies.any) add_copies(c, frame);
    return result;
}

sup_result gltf_pack_check(gltf_pack* pack, sup_bytes bytes, pack_errors* out, sup_error* error)
{
    comparison c = { .pack = pack };
    sup_arena* work = sup_arena_beside(pack->bake->arena);
    c.offs = work ? SUP_NEW(work, sup_vec3, pack->bake->character->mesh.point_count) : NULL;
    bool       ready = c.offs && find_copies(pack, work, &c.copies) && code_all(pack, work, false, &c.list);
    sup_result result =
        ready ? read_again(pack, bytes, work, &c.player, error) : sup_fail_memory(error, "the file that is read again");
    if (result == SUP_OK) result = sup_pose_create(pack->bake->desc.character, work, &c.pose, error);
    for (uint32_t f = 0; f < pack->frames && result == SUP_OK; ++f) result = compare_frame(&c, f, error);
    sup_character_destroy(c.player.character);
    sup_arena_destroy(work);
    *out = (pack_errors){ .rms = c.sums.count ? sqrt(c.sums.squares / (double)c.sums.count) : 0, .worst = c.sums.worst };
    return result;
}

// ---------------------------------------------------------------------------------------------- before there is a file

typedef struct both_sums {
    double   stored, shown; // squares over vertices at the scale of their piece; over points in world space
    uint64_t vertices, points;
} both_sums;

static void add_piece(const gltf_pack* pack, uint32_t piece, uint32_t frame, const float* shown, const uint32_t* counts,
                      both_sums* s)
{
    const baked_piece* p = &pack->baking->pieces[piece];
    const float*       wanted = pack->shifts + 3 * (frame * pack->vertex_count + pack->first[piece]);
    double             scale2 = pack->scales[piece] * pack->scales[piece];
    for (uint32_t v = 0; v < p->count; ++v) {
        float  off[3];
        double m[12], world[3];
        for (uint32_t k = 0; k < 3; ++k) off[k] = wanted[3 * (size_t)v + k] - shown[3 * (size_t)v + k];
        find_matrix(p->part, p->begin + v, m);
        turn(m, off, world);
        for (uint32_t k = 0; k < 3; ++k) {
            s->stored += (double)off[k] * (double)off[k] * scale2;
            s->shown += world[k] * world[k] / counts[p->part->pull.points[p->begin + v]];
        }
    }
    s->vertices += p->count;
}

sup_result gltf_pack_predict(gltf_pack* pack, double* ratio, sup_error* error)
{
    enum { FRAMES = 12 };
    uint32_t   hop = (pack->frames + FRAMES - 1) / FRAMES;
    sup_arena* work = sup_arena_beside(pack->bake->arena);
    both_sums  s = { 0 };
    copies     all;
    coded_list list = { 0 };
    sup_pose   pose;
    bool       ready = work && find_copies(pack, work, &all) && code_all(pack, work, false, &list);
    sup_result result = ready ? sup_pose_create(pack->bake->desc.character, work, &pose, error)
                              : sup_fail_memory(error, "the components of a clip");
    for (uint32_t f = hop / 2; f < pack->frames && result == SUP_OK; f += hop) {
        pose_parts(pack, f, &pose);
        for (uint32_t i = 0; i < pack->baking->part_count; ++i) s.points += pack->baking->parts[i].part->point_count;
        for (uint32_t i = 0; i < pack->baking->piece_count; ++i) {
            add_components(pack, &list, i, f, false, all.shown);
            add_piece(pack, i, f, all.shown, all.counts, &s);
        }
    }
    sup_arena_destroy(work);
    *ratio = s.stored > 0 && s.shown > 0 ? sqrt(s.shown / (double)s.points / (s.stored / (double)s.vertices)) : 1;
    return result;
}

static double farthest(const gltf_pack* pack, uint32_t piece, uint32_t frame, const float* shown)
{
    const baked_piece* p = &pack->baking->pieces[piece];
    const float*       wanted = pack->shifts + 3 * (frame * pack->vertex_count + pack->first[piece]);
    const uint32_t*    points = p->part->pull.points + p->begin;
    double             most = 0, m[12];
    for (uint32_t v = 0; v < p->count; ++v) {
        float  off[3];
        double world[3], squares = 0;
        for (uint32_t k = 0; k < 3; ++k) off[k] = wanted[3 * (size_t)v + k] - shown[3 * (size_t)v + k];
        if (v == 0 || points[v] != points[v - 1]) find_matrix(p->part, p->begin + v, m); // copies share it
        turn(m, off, world);
        for (uint32_t k = 0; k < 3; ++k) squares += world[k] * world[k];
        most = fmax(most, squares);
    }
    return sqrt(most);
}

typedef void visit_fn(gltf_pack* pack, uint32_t piece, uint32_t frame, const float* shown, void* user);

// Calls back with what the chosen components show of every piece in every frame: positions, or normals where it has some.
static sup_result visit_components(gltf_pack* pack, bool normals, visit_fn* visit, void* user, const char* what,
                                   sup_error* error)
{
    sup_arena* work = sup_arena_beside(pack->bake->arena);
    float*     shown = work ? SUP_NEW(work, float, 3 * pack->vertex_count) : NULL;
    coded_list list = { 0 };
    sup_pose   pose;
    sup_result result = shown && code_all(pack, work, normals, &list)
                            ? sup_pose_create(pack->bake->desc.character, work, &pose, error)
                            : sup_fail_memory(error, what);
    for (uint32_t f = 0; f < pack->frames && result == SUP_OK; ++f) {
        pose_parts(pack, f, &pose);
        for (uint32_t i = 0; i < pack->baking->piece_count; ++i) {
            if (normals && !pack->baking->pieces[i].normals) continue;
            add_components(pack, &list, i, f, normals, shown);
            visit(pack, i, f, shown, user);
        }
    }
    sup_arena_destroy(work);
    return result;
}

static void visit_farthest(gltf_pack* pack, uint32_t piece, uint32_t frame, const float* shown, void* user)
{
    double* worst = user;
    *worst = fmax(*worst, farthest(pack, piece, frame, shown));
}

sup_result gltf_pack_predict_worst(gltf_pack* pack, double* worst, sup_error* error)
{
    *worst = 0;
    return visit_components(pack, false, visit_farthest, worst, "the components of a clip", error);
}

// ---------------------------------------------------------------------------------------------- normals

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// In degrees. Most are small, where the series of the arc sine suffices: its next term is below 2e-5 of the angle.
static double angle_between(const double a[3], const double b[3])
{
    double lengths = dot(a, a) * dot(b, b), along = dot(a, b);
    double cross[3] = { a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0] };
    double sine2 = lengths > 0 ? dot(cross, cross) / lengths : 0, degree = 180 / SUP_PI;
    if (along > 0 && sine2 < 0.06)
        return degree * sqrt(sine2) * (1 + sine2 * (1.0 / 6 + sine2 * (3.0 / 40 + sine2 * (15.0 / 336))));
    return degree * sup_atan2(sqrt(dot(cross, cross)), along);
}

static void compare_normals(gltf_pack* pack, uint32_t piece, uint32_t frame, const float* shown, void* user)
{
    sums*              s = user;
    const baked_piece* p = &pack->baking->pieces[piece];
    const float*       wanted = pack->turns + 3 * (frame * pack->vertex_count + pack->first[piece]);
    const sup_vec3*    base = p->part->pull.normals + p->begin;
    const uint32_t*    points = p->part->pull.points + p->begin;
    double             m[12];
    for (uint32_t v = 0; v < p->count; ++v) {
        const float start[3] = { base[v].x, base[v].y, base[v].z };
        float       is[3], should[3];
        double      a[3], b[3];
        for (int k = 0; k < 3; ++k) {
            is[k] = start[k] + shown[3 * v + (uint32_t)k];
            should[k] = start[k] + wanted[3 * v + (uint32_t)k];
        }
        if (v == 0 || points[v] != points[v - 1]) find_matrix(p->part, p->begin + v, m); // copies share it
        turn(m, is, a);
        turn(m, should, b);
        double off = angle_between(a, b);
        s->worst = fmax(s->worst, off);
        s->squares += off * off;
        s->count++;
    }
}

sup_result gltf_pack_check_normals(gltf_pack* pack, pack_errors* out, sup_error* error)
{
    sums       s = { 0 };
    sup_result result = visit_components(pack, true, compare_normals, &s, "the file that is read again", error);
    out->normal_rms = s.count ? sqrt(s.squares / (double)s.count) : 0;
    out->normal_worst = s.worst;
    return result;
}
