// A bake within a budget, from its first frame to the file. Frames are kept, because components describe the whole clip.
#include "io/gltf/gltf_pack.h"
#include "base/internal.h"
#include "math/vec.h"

#include <math.h>
#include <string.h>

enum {
    ROUNDS_MAX = 6,
    TRIES_MAX = 256,
    SAMPLES = 512, // vertices from which a piece's scale is estimated
};

#define NORMAL_GRID 0x1p-8f // a fifth of a degree
#define TURN_STEP 0.125     // step of a component's normals: about a degree in total
// With only a size given, positions are rounded to this share of the diagonal; to twice as much if the file without components
// would exceed this share of the size, and so on.
#define SIZE_DETAIL 1e-5
#define SIZE_DETAIL_MOST 1e-3
#define SIZE_FIXED 0.9
#define WEIGHT_SHARE 10.0 // tolerance of weights over that of lengths: bones move less than a diagonal against each other
#define UV_GRID 0x1p-16f
#define MAP_GRID 0x1p-12f
#define AIM 0.985          // share of the requested error to aim at, so that the first file meets it
#define SIZE_AIM 0.985     // share of the shapes' bytes to aim at: estimates are off by a few percent
#define ENOUGH 0.97        // share of the budget: closer is not worth another round
#define ENOUGH_WORST 0.9   // the same for the maximum error, on which the size hardly depends
#define WORTH_A_FILE 0.005 // share of the bytes that a further file has to save
#define ENOUGH_SIZE 0.985  // share of a size, which estimates predict well

// ---------------------------------------------------------------------------------------------- rounding

// Weights as integer shares that sum to 1; the largest absorbs the rounding.
static void round_weights(float w[GLTF_WEIGHT_SET], float whole)
{
    float    parts[GLTF_WEIGHT_SET], sum = 0;
    uint32_t heaviest = 0;
    for (uint32_t k = 0; k < GLTF_WEIGHT_SET; ++k) {
        parts[k] = floorf(w[k] * whole + 0.5f);
        sum += parts[k];
        if (w[k] > w[heaviest]) heaviest = k;
    }
    parts[heaviest] += whole - sum;
    if (!(parts[heaviest] > 0)) return; // negative weights: unchanged
    for (uint32_t k = 0; k < GLTF_WEIGHT_SET; ++k) w[k] = parts[k] / whole;
}

static float to_grid(float value, float grid) { return floorf(value / grid + 0.5f) * grid; }

static float grid_below(double length)
{
    int exponent;
    frexp(length, &exponent);
    return ldexpf(1, exponent - 1);
}

static sup_vec3* round_vectors(sup_arena* arena, const sup_vec3* from, uint32_t count, float grid)
{
    sup_vec3* out = SUP_NEW(arena, sup_vec3, count);
    for (uint32_t v = 0; v < count && out; ++v)
        out[v] = v3(to_grid(from[v].x, grid) + 0.0f, to_grid(from[v].y, grid) + 0.0f, to_grid(from[v].z, grid) + 0.0f);
    return out;
}

// Rounds what the copy stores as coarsely as the error allows; frames are pulled back to the rounded values.
static sup_result round_part(gltf_pack* pack, baked_part* part, sup_error* error)
{
    double     detail = pack->detail, diagonal = (double)pack->bake->desc.character->mesh.diagonal;
    float      weight_grid = fminf(fmaxf(grid_below(WEIGHT_SHARE * detail / diagonal), 0x1p-14f), 0x1p-8f);
    gltf_pull* pull = &part->pull;
    if (pull->flat) return SUP_OK;
    for (uint32_t v = 0; v < pull->vertex_count && pull->joint == SUP_NONE; ++v)
        round_weights(part->weights[v], 1 / weight_grid);
    double scale = 1;
    for (uint32_t i = pack->baking->piece_count; i-- > 0;)
        if (pack->baking->pieces[i].part == part) scale = pack->scales[i];
    sup_vec3* positions = round_vectors(pack->bake->arena, pull->positions, pull->vertex_count, grid_below(detail / scale));
    sup_vec3* normals = round_vectors(pack->bake->arena, pull->normals, pull->vertex_count, NORMAL_GRID);
    if (!positions || !normals) return sup_fail_memory(error, "a bake within a budget");
    pull->positions = positions;
    pull->normals = normals;
    for (uint32_t i = 0; i < pack->baking->piece_count; ++i) {
        baked_piece* piece = &pack->baking->pieces[i];
        if (piece->part != part) continue;
        piece->new_surface = true;
        piece->new_weights |= pull->joint == SUP_NONE;
    }
    return SUP_OK;
}

// World units per stored unit: an average of how the viewer's matrices scale volumes.
static double find_scale(const baked_piece* piece)
{
    const gltf_pull* pull = &piece->part->pull;
    double           sum = 0;
    uint32_t         taken = 0, hop = piece->count / SAMPLES + 1;
    if (pull->flat) return 1;
    for (uint32_t v = 0; v < piece->count; v += hop) {
        double m[12];
        gltf_pull_matrix(pull, piece->begin + v, m);
        double squares = 0;
        for (int i = 0; i < 12; ++i) squares += i % 4 < 3 ? m[i] * m[i] : 0;
        sum += squares / 3;
        taken++;
    }
    double scale = taken ? sqrt(sum / taken) : 1;
    return scale > 0 && isfinite(scale) ? scale : 1;
}

// ---------------------------------------------------------------------------------------------- begin, frame

static sup_result reserve(gltf_pack* pack, sup_error* error)
{
    sup_arena*   arena = pack->bake->arena;
    gltf_baking* baking = pack->baking;
    size_t       points = pack->bake->character->mesh.point_count, most = 0;
    pack->first = SUP_NEW(arena, size_t, baking->piece_count);
    pack->scales = SUP_NEW(arena, double, baking->piece_count);
    pack->tries = SUP_NEW(arena, pack_try, TRIES_MAX);
    pack->try_capacity = TRIES_MAX;
    if (!pack->first || !pack->scales || !pack->tries) return sup_fail_memory(error, "a bake within a budget");
    for (uint32_t i = 0; i < baking->piece_count; ++i) {
        pack->first[i] = pack->vertex_count;
        pack->vertex_count += baking->pieces[i].count;
        if (baking->pieces[i].count > most) most = baking->pieces[i].count;
    }
    pack->shifts = SUP_NEW(arena, float, 3 * pack->frames * pack->vertex_count);
    pack->turns = SUP_NEW(arena, float, 3 * pack->frames * pack->vertex_count);
    pack->points = SUP_NEW(arena, sup_vec3, pack->frames * points);
    pack->shape = SUP_NEW(arena, float, 3 * most);
    pack->turn = SUP_NEW(arena, float, 3 * most);
    if (pack->shifts && pack->turns && pack->points && pack->shape && pack->turn) return SUP_OK;
    return sup_fail(error, SUP_ERROR_MEMORY,
                    "out of memory for %u frames of %zu vertices: a budget needs the whole clip at once; bake a shorter part "
                    "(--start, --end)",
                    pack->frames, pack->vertex_count);
}

static sup_result make_file(gltf_pack* pack, sup_bytes* out, sup_error* error);

typedef struct unrounded {
    const sup_vec3 *positions, *normals;
    float (*weights)[GLTF_WEIGHT_SET];
} unrounded;

// The parts before anything is rounded.
static unrounded* keep_parts(const gltf_pack* pack)
{
    unrounded* kept = SUP_NEW(pack->bake->arena, unrounded, pack->baking->part_count);
    for (uint32_t i = 0; i < pack->baking->part_count && kept; ++i) {
        const baked_part* part = &pack->baking->parts[i];
        kept[i] = (unrounded){ part->pull.positions, part->pull.normals, NULL };
        if (part->pull.flat || part->pull.joint != SUP_NONE) continue;
        kept[i].weights = sup_arena_copy(pack->bake->arena, part->weights, part->pull.vertex_count, sizeof *part->weights);
        if (!kept[i].weights) return NULL;
    }
    return kept;
}

static void restore_parts(gltf_pack* pack, const unrounded* kept)
{
    for (uint32_t i = 0; i < pack->baking->part_count; ++i) {
        baked_part* part = &pack->baking->parts[i];
        part->pull.positions = kept[i].positions;
        part->pull.normals = kept[i].normals;
        if (kept[i].weights) memcpy(part->weights, kept[i].weights, part->pull.vertex_count * sizeof *part->weights);
    }
}

static sup_result round_all(gltf_pack* pack, sup_error* error)
{
    sup_result result = SUP_OK;
    for (uint32_t i = 0; i < pack->baking->part_count && result == SUP_OK; ++i)
        result = round_part(pack, &pack->baking->parts[i], error);
    return result;
}

// An error determines how exact the document has to be. Within a size, it is as exact as leaves components their share.
static sup_result round_parts(gltf_pack* pack, sup_error* error)
{
    double size = (double)pack->bake->desc.budget->bytes,
           most = SIZE_DETAIL_MOST * (double)pack->bake->desc.character->mesh.diagonal;
    unrounded* kept = size > 0 ? keep_parts(pack) : NULL;
    if (size > 0 && !kept) return sup_fail_memory(error, "a bake within a budget");
    for (;; pack->detail *= 2) {
        sup_bytes  bytes = { 0 };
        sup_result result = round_all(pack, error);
        pack->key_detail = pack->detail;
        if (result != SUP_OK || !kept) return result;
        pack->level = PACK_LEVELS - 1; // which has no components yet
        result = make_file(pack, &bytes, error);
        if (result != SUP_OK || (double)bytes.size <= SIZE_FIXED * size || 2 * pack->detail > most) return result;
        restore_parts(pack, kept);
    }
}

sup_result gltf_pack_begin(gltf_baking* baking, sup_bake* bake, const sup_pose* held, sup_error* error)
{
    const sup_bake_desc*   desc = &bake->desc;
    const sup_bake_budget* budget = desc->budget;
    gltf_pack*             pack = SUP_NEW(bake->arena, gltf_pack, 1);
    sup_pose               pose;
    if (!pack) return sup_fail_memory(error, "a bake within a budget");
    *pack = (gltf_pack){ .baking = baking, .bake = bake, .frames = desc->frame_count, .turn_step = TURN_STEP };
    pack->meshopt = !budget->plain && desc->extra && desc->extra->meshopt_encode_indices;
    pack->small = budget->plain && budget->small;
    baking->pack = pack;
    sup_result result = reserve(pack, error);
    if (result == SUP_OK) result = sup_pose_create(desc->character, bake->arena, &pose, error);
    if (result != SUP_OK) return result;
    if (held) sup_pose_copy(held, &pose);
    else sup_clip_sample(desc->character, desc->clip, desc->start, &pose);
    pack->held = pose;
    for (uint32_t i = 0; i < baking->part_count; ++i)
        if (!baking->parts[i].pull.flat) gltf_pull_pose(&baking->parts[i].pull, &pose);
    for (uint32_t i = 0; i < baking->piece_count; ++i) pack->scales[i] = find_scale(&baking->pieces[i]);
    pack->detail = budget->rms > 0 ? budget->rms / 2 : budget->worst / 8;
    if (!(pack->detail > 0)) pack->detail = SIZE_DETAIL * (double)desc->character->mesh.diagonal;
    pack->key_detail = pack->detail;
    return result == SUP_OK && pack->meshopt && pack->detail > 0 ? round_parts(pack, error) : result;
}

sup_result gltf_pack_frame(gltf_baking* baking, const sup_bake_frame* frame, sup_error* error)
{
    gltf_pack* pack = baking->pack;
    size_t     points = pack->bake->character->mesh.point_count;
    (void)error;
    memcpy(pack->points + frame->index * points, frame->points, points * sizeof *pack->points);
    for (uint32_t i = 0; i < baking->piece_count; ++i) {
        const baked_piece* piece = &baking->pieces[i];
        size_t             at = frame->index * pack->vertex_count + pack->first[i];
        float              bounds[6];
        baking->bad +=
            gltf_pull_vertices(&piece->part->pull, piece->begin, piece->begin + piece->count, frame->points,
                               frame->vertex_normals + piece->part->part->vertex_begin,
                               (sup_vec3*)(void*)(pack->shifts + 3 * at), (sup_vec3*)(void*)(pack->turns + 3 * at), bounds);
    }
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- end

// The whole file with the chosen components, in memory.
static sup_result make_file(gltf_pack* pack, sup_bytes* out, sup_error* error)
{
    gltf_baking*    baking = pack->baking;
    sup_bake*       bake = pack->bake;
    const char*     name;
    sup_out_file*   file = NULL;
    const sup_pose* held = bake->desc.clip ? NULL : &pack->held;
    sup_result      result = gltf_baking_edit(baking, bake, held, error);
    double          diagonal = (double)bake->desc.character->mesh.diagonal;
    squeeze_grids   grids = { .corners = true };
    if (pack->meshopt && pack->detail > 0)
        grids = (squeeze_grids){ grid_below(pack->key_detail / diagonal), UV_GRID, MAP_GRID, true };
    if (result == SUP_OK) result = gltf_thin(&baking->edit, (double)grids.rotations, error);
    if (result == SUP_OK)
        result = gltf_squeeze(&baking->edit, pack->meshopt ? bake->desc.extra : NULL, &grids, pack->bytes, error);
    if (result == SUP_OK) result = sup_out_open_memory(bake->desc.path, bake->arena, &file, error);
    if (result != SUP_OK) return result;
    baking->binary = file;
    baking->json = NULL;
    result = gltf_baking_write(bake, baking, error);
    sup_bytes written = { 0 };
    if (result == SUP_OK) sup_out_bytes(file, &name, &written);
    uint8_t* copy = result == SUP_OK ? sup_arena_copy(bake->arena, written.data, written.size, 1) : NULL;
    if (result == SUP_OK && !copy) result = sup_fail_memory(error, "a GLB");
    sup_out_discard(file);
    *out = (sup_bytes){ copy, written.size };
    return result;
}

static sup_result measure_fixed(gltf_pack* pack, sup_error* error)
{
    sup_bytes bytes = { 0 };
    pack->level = PACK_LEVELS - 1;
    sup_result result = make_file(pack, &bytes, error);
    pack->fixed_bytes = (double)bytes.size;
    return result;
}

typedef struct attempt {
    sup_bytes   bytes;
    pack_try    expected;
    pack_errors errors;
    uint32_t    level;
    uint64_t    by_use[USE_COUNT];
    double      reached; // relative to the budget; at most 1 is good
} attempt;

static double reached(const sup_bake_budget* budget, const attempt* a)
{
    if (budget->rms > 0) return a->errors.rms / budget->rms;
    if (budget->worst > 0) return a->errors.worst / budget->worst;
    return (double)a->bytes.size / (double)budget->bytes;
}

static bool is_better(const sup_bake_budget* budget, const attempt* a, const attempt* b)
{
    if (!b->bytes.data) return true;
    if ((a->reached <= 1) != (b->reached <= 1)) return a->reached <= 1;
    if (a->reached > 1) return a->reached < b->reached;
    return budget->bytes ? a->errors.rms < b->errors.rms : a->bytes.size < b->bytes.size;
}

static sup_result refuse(const gltf_pack* pack, const attempt* best, sup_error* error)
{
    const sup_bake_budget* budget = pack->bake->desc.budget;
    double                 unit = pack->bake->desc.character->metres_per_unit * 1000;
    if (budget->bytes)
        return sup_fail(
            error, SUP_ERROR_INPUT,
            "'%s' cannot be written in %llu bytes: without any components it takes %.0f; raise --max-size, leave out "
            "clips or textures of the source, or bake with --deform linear",
            pack->bake->desc.path, (unsigned long long)budget->bytes, pack->fixed_bytes);
    return sup_fail(
        error, SUP_ERROR_INPUT,
        "'%s' cannot be written so exactly: %.3g mm rms and %.3g mm at worst is the best that can be had; raise the "
        "error, or leave the budget out",
        pack->bake->desc.path, best->errors.rms * unit, best->errors.worst * unit);
}

// The error to request from the search so that the file meets the budget: errors from rounding add in squares to the estimate.
// Always less than the last result, so that the rounds terminate.
static double next_rms(double budget, const attempt* now)
{
    double expected = now->expected.rms, added = now->errors.rms * now->errors.rms - expected * expected;
    double next = sqrt(fmax(budget * budget - added, 0.25 * expected * expected));
    return now->reached > 1 ? fmin(next, 0.995 * expected) : next;
}

// The search measures stored vertices with one scale for each piece. If the maximum error in world space is off target,
// searches the same components again before a file is written, which costs most.
static sup_result aim_worst(gltf_pack* pack, pack_goal* goal, pack_try* out, sup_error* error)
{
    double     worst = 0, wanted = goal->worst;
    sup_result result = gltf_pack_predict_worst(pack, &worst, error);
    if (result != SUP_OK || !(worst > 0) || (worst <= AIM * wanted && worst > ENOUGH_WORST * wanted)) return result;
    goal->worst = AIM * wanted * out->worst / worst;
    goal->step = out->step;
    return gltf_pack_search(pack, goal, out, error);
}

// A search with the error of the points in world space.
static sup_result search(gltf_pack* pack, pack_goal* goal, pack_try* out, sup_error* error)
{
    double     ratio = 1, wanted = goal->rms;
    sup_result result = gltf_pack_search(pack, goal, out, error);
    if (result == SUP_OK && out->step != 0 && goal->worst > 0 && goal->step == 0 && out->components > 0)
        return aim_worst(pack, goal, out, error);
    if (result != SUP_OK || out->step == 0 || !(goal->rms > 0) || goal->step > 0) return result;
    result = gltf_pack_predict(pack, &ratio, error);
    if (result != SUP_OK || (out->rms * ratio <= wanted && out->components == 0)) return result;
    goal->rms = wanted / ratio;
    goal->step = out->step;
    return gltf_pack_search(pack, goal, out, error);
}

// Once a file meets the maximum error, another one has to promise fewer bytes.
static bool is_worth_a_file(const attempt* best, const pack_try* expected)
{
    return !best->bytes.data || best->reached > 1 ||
           expected->bytes < best->expected.bytes - WORTH_A_FILE * (double)best->bytes.size;
}

// Writes the file of the chosen components and measures its error.
static sup_result make_attempt(gltf_pack* pack, attempt* now, const attempt* best, sup_error* error)
{
    const sup_bake_budget* budget = pack->bake->desc.budget;
    // Within a size, keys are as exact as the shapes: bytes go where they help most.
    if (budget->bytes) pack->key_detail = fmax(pack->detail, now->expected.rms / 2);
    sup_result result = make_file(pack, &now->bytes, error);
    if (result == SUP_OK) result = gltf_pack_check(pack, now->bytes, &now->errors, error);
    if (result != SUP_OK) return result;
    now->level = pack->level;
    memcpy(now->by_use, pack->bytes, sizeof now->by_use);
    now->reached = reached(budget, now);
    return is_better(budget, now, best) && now->reached <= 1 ? gltf_pack_check_normals(pack, &now->errors, error) : SUP_OK;
}

// A size that holds the document and no components.
static sup_result take_no_components(gltf_pack* pack, attempt* best, uint32_t* rounds, sup_error* error)
{
    attempt now = { .expected = { .level = PACK_LEVELS - 1 } };
    pack->level = PACK_LEVELS - 1;
    for (uint32_t r = 0; r < pack->levels[pack->level].count; ++r) pack->levels[pack->level].regions[r].used = 0;
    sup_result result = make_attempt(pack, &now, best, error);
    if (result != SUP_OK) return result;
    if (is_better(pack->bake->desc.budget, &now, best)) *best = now;
    ++*rounds;
    return best->reached <= 1 ? SUP_OK : refuse(pack, best, error);
}

// No components bring all vertices within the maximum error: the closest file by root mean square, so that the refusal can say
// how close that is.
static sup_result take_closest(gltf_pack* pack, attempt* best, uint32_t* rounds, sup_error* error)
{
    attempt    now = { 0 };
    double     diagonal = (double)pack->bake->desc.character->mesh.diagonal;
    sup_result result = SUP_OK;
    for (pack_goal goal = { .rms = pack->bake->desc.budget->worst }; result == SUP_OK && now.expected.step == 0;
         goal.rms *= 4) {
        if (!(goal.rms < diagonal)) return refuse(pack, best, error);
        result = gltf_pack_search(pack, &goal, &now.expected, error);
    }
    if (result == SUP_OK) result = make_attempt(pack, &now, best, error);
    if (result != SUP_OK) return result;
    *best = now;
    ++*rounds;
    return best->reached <= 1 ? SUP_OK : refuse(pack, best, error);
}

// Search, write, read back; if the file is not what the search predicted, again with an adjusted goal.
static sup_result meet_budget(gltf_pack* pack, attempt* best, uint32_t* rounds, sup_error* error)
{
    const sup_bake_budget* budget = pack->bake->desc.budget;
    double                 enough = budget->worst > 0 ? ENOUGH_WORST : budget->bytes ? ENOUGH_SIZE : ENOUGH, last = 0;
    pack_goal              goal = { .rms = AIM * budget->rms, .worst = budget->worst };
    if (budget->bytes) goal.bytes = SIZE_AIM * ((double)budget->bytes - pack->fixed_bytes);
    *rounds = 0;
    if (budget->bytes && goal.bytes <= 0)
        return pack->fixed_bytes <= (double)budget->bytes ? take_no_components(pack, best, rounds, error)
                                                          : refuse(pack, best, error);
    for (*rounds = 1;; ++*rounds) {
        attempt    now = { 0 };
        sup_result result = search(pack, &goal, &now.expected, error);
        if (result == SUP_OK && now.expected.step == 0 && !pack->every_course) {
            pack->every_course = true;
            gltf_pack_forget(pack);
            continue;
        }
        if (result == SUP_OK && now.expected.step == 0) break;
        if (result == SUP_OK && budget->worst > 0 && !is_worth_a_file(best, &now.expected)) {
            --*rounds;
            break;
        }
        if (result == SUP_OK) result = make_attempt(pack, &now, best, error);
        if (result != SUP_OK) return result;
        if (is_better(budget, &now, best)) *best = now;
        if (now.reached <= 1 && (now.reached > enough || (!budget->bytes && now.expected.components == 0))) break;
        if (now.expected.step == last) break;                                // steps are as fine as possible
        if (now.reached <= 1 && now.expected.rms < ENOUGH * goal.rms) break; // and there is nothing between
        last = now.expected.step;
        if (*rounds == ROUNDS_MAX) break;
        goal.rms = next_rms(AIM * budget->rms, &now);
        goal.worst = AIM * now.expected.worst / now.reached;
        if (budget->bytes) goal.bytes += (double)budget->bytes * (0.998 - now.reached);
        if (budget->bytes && goal.bytes <= 0) break;
        goal.step = now.expected.step;
    }
    bool good = best->reached <= 1 && best->bytes.data;
    if (!good && budget->bytes && pack->fixed_bytes <= (double)budget->bytes)
        return take_no_components(pack, best, rounds, error);
    if (!good && !best->bytes.data) return take_closest(pack, best, rounds, error);
    return good ? SUP_OK : refuse(pack, best, error);
}

// ---------------------------------------------------------------------------------------------- report

static const char* const METHODS[PACK_LEVELS] = { "components of small groups of bones", "components of large groups of bones",
                                                  "components of whole meshes" };

static sup_result report(gltf_pack* pack, const attempt* best, uint32_t rounds, sup_error* error)
{
    sup_bake*        bake = pack->bake;
    sup_bake_report* out = SUP_NEW(bake->arena, sup_bake_report, 1);
    sup_bake_try*    tries = SUP_NEW(bake->arena, sup_bake_try, pack->try_count);
    if (!out || !tries) return sup_fail_memory(error, "the report of a budget");
    pack->fixed_bytes = (double)best->bytes.size - best->expected.bytes; // the same for all tries
    for (uint32_t i = 0; i < pack->try_count; ++i) {
        const pack_try* t = &pack->tries[i];
        tries[i] = (sup_bake_try){ METHODS[t->level], t->components, t->bytes + pack->fixed_bytes, t->rms, t->worst };
    }
    *out = (sup_bake_report){ .method = best->expected.components ? METHODS[best->level] : "skinning alone",
                              .components = best->expected.components,
                              .rms = best->errors.rms,
                              .worst = best->errors.worst,
                              .normal_rms = best->errors.normal_rms,
                              .normal_worst = best->errors.normal_worst,
                              .bytes = best->bytes.size,
                              .rounds = rounds,
                              .try_count = pack->try_count,
                              .tries = tries };
    const uint64_t* by = best->by_use;
    out->shape_bytes = by[USE_TARGET] + by[USE_VALUES] + by[USE_LIST];
    out->weight_bytes = by[USE_WEIGHTS];
    out->key_bytes = by[USE_KEYS] + by[USE_BINDS];
    out->surface_bytes = by[USE_VERTEX] + by[USE_TRIANGLES] + by[USE_SEQUENCE];
    out->image_bytes = by[USE_IMAGE];
    out->rest_bytes =
        out->bytes - out->shape_bytes - out->weight_bytes - out->key_bytes - out->surface_bytes - out->image_bytes;
    bake->report = out;
    return SUP_OK;
}

sup_result gltf_pack_end(gltf_baking* baking, sup_bake* bake, sup_error* error)
{
    gltf_pack* pack = baking->pack;
    attempt    best = { 0 };
    uint32_t   rounds = 0;
    sup_result result = gltf_pack_regions(pack, error);
    if (result == SUP_OK) result = gltf_pack_gram(pack, error);
    if (result == SUP_OK && bake->desc.budget->bytes) result = measure_fixed(pack, error);
    if (result == SUP_OK) result = meet_budget(pack, &best, &rounds, error);
    if (result == SUP_OK) result = report(pack, &best, rounds, error);
    if (result == SUP_OK) result = sup_out_write(bake->file, best.bytes.data, best.bytes.size, error);
    return result;
}
