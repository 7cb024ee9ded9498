// Repairs the weights of the copy where those of the source do not work. Viewers differ in how they treat weights that do not
// sum to 1 and in how many sets they read, and no displacement can undo a blend that folds its vertex flat.
#include "base/internal.h"
#include "io/gltf/gltf_baking.h"

#include <math.h>
#include <string.h>

enum {
    SET = GLTF_WEIGHT_SET,
    SHARE_STEPS = 11, // shares from 2^-10 to 1
    ABOVE_MAX = 8,    // ancestors to try
};

#define SUM_SLACK 1e-3 // beyond this it is visible whether a viewer normalizes
// A folding blend is changed until it is clearly well-conditioned. Between frames displacement and blend are interpolated
// independently, and the worse the condition, the less they agree there.
#define CONDITION_MENDED 32.0f

// ---------------------------------------------------------------------------------------------- sums and sets

// The slot of each joint of the character in the part's skin, SUP_NONE: absent. Several joints may stand for one node.
static uint32_t* find_slots(const gltf_baking* baking, const baked_part* part, const sup_character* character, sup_arena* arena)
{
    const uint32_t* nodes = baking->document.joint_nodes;
    const sup_json* list = sup_json_get(baking->document.source->root, "nodes");
    uint32_t        node_count = list ? list->count : 0, joint_count = character->skeleton.joint_count;
    uint32_t*       by_node = SUP_NEW(arena, uint32_t, node_count);
    uint32_t*       out = SUP_NEW(arena, uint32_t, joint_count);
    if (!by_node || !out) return NULL;
    memset(by_node, 0xff, node_count * sizeof *by_node);
    for (uint32_t s = part->pull.slot_count; s-- > 0;) {
        uint32_t node = nodes[part->pull.slots[s]];
        if (node < node_count) by_node[node] = s;
    }
    for (uint32_t j = 0; j < joint_count; ++j) out[j] = nodes[j] < node_count ? by_node[nodes[j]] : SUP_NONE;
    return out;
}

// The point's own weights, as the reader made them: the four largest of joints in the skin.
static void take_weights(baked_part* part, const sup_character* character, const uint32_t* joint_slots, uint32_t vertex)
{
    const sup_weights* w = &character->weights;
    uint32_t           point = part->pull.points[vertex], count = 0;
    double             sum = 0;
    uint32_t*          slots = part->slots[vertex];
    float*             values = part->weights[vertex];
    memset(slots, 0, SET * sizeof *slots);
    memset(values, 0, SET * sizeof *values);
    for (uint32_t i = w->begin[point]; i < w->begin[point + 1] && count < SET; ++i) {
        uint32_t slot = joint_slots[w->joints[i]];
        if (slot == SUP_NONE) continue;
        slots[count] = slot;
        values[count++] = w->values[i];
        sum += (double)w->values[i];
    }
    if (count == 0) values[0] = 1; // it follows a joint of another skin: the displacements move it there
    for (uint32_t k = 0; k < count; ++k) values[k] = (float)((double)values[k] / sum);
}

static double sum_of(const float w[SET]) { return ((double)w[0] + (double)w[1]) + ((double)w[2] + (double)w[3]); }

static bool is_even(const baked_part* part, uint32_t v)
{
    for (uint32_t k = 0; k < SET; ++k)
        if (part->slots[v][k] >= part->pull.slot_count && part->weights[v][k] != 0) return false;
    return fabs(sum_of(part->weights[v]) - 1) <= SUM_SLACK;
}

// Whether stored weights only need to be divided by their sum.
static bool is_scaled(const baked_part* part, uint32_t v)
{
    for (uint32_t k = 0; k < SET; ++k)
        if (!(part->weights[v][k] >= 0) || part->slots[v][k] >= part->pull.slot_count) return false;
    return sum_of(part->weights[v]) > 0;
}

static void normalize_piece(baked_part* part, baked_piece* piece, const sup_character* character, const uint32_t* joint_slots)
{
    for (uint32_t v = piece->begin; v < piece->begin + piece->count; ++v) {
        double sum = sum_of(part->weights[v]);
        if (!is_even(part, v)) {
            if (part->uneven++ == 0) part->sum_low = part->sum_high = sum;
            part->sum_low = fmin(part->sum_low, sum);
            part->sum_high = fmax(part->sum_high, sum);
        }
        if (!piece->wide && is_scaled(part, v)) {
            for (uint32_t k = 0; k < SET; ++k) part->weights[v][k] = (float)((double)part->weights[v][k] / sum);
            continue;
        }
        take_weights(part, character, joint_slots, v);
        piece->new_joints = true;
    }
    piece->new_weights = true;
}

sup_result gltf_weights_normalize(gltf_baking* baking, baked_part* part, const sup_character* character, sup_arena* arena,
                                  sup_error* error)
{
    uint32_t* joint_slots = NULL;
    for (uint32_t i = 0; i < baking->piece_count; ++i) {
        baked_piece* piece = &baking->pieces[i];
        if (piece->part != part) continue;
        bool even = !piece->wide;
        for (uint32_t v = piece->begin; v < piece->begin + piece->count && even; ++v) even = is_even(part, v);
        part->wide |= piece->wide;
        if (!even) {
            if (!joint_slots) joint_slots = find_slots(baking, part, character, arena);
            if (!joint_slots) return sup_fail_memory(error, "weights");
            normalize_piece(part, piece, character, joint_slots);
            continue;
        }
        // Clears slots that do not exist and have no weight.
        for (uint32_t v = piece->begin; v < piece->begin + piece->count; ++v)
            for (uint32_t k = 0; k < SET; ++k)
                if (part->slots[v][k] >= part->pull.slot_count) part->slots[v][k] = 0, part->weights[v][k] = 0;
    }
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- folds

// A vertex whose blend folds flat in some frame, and its progress toward a weighting that does not: more and more of one joint,
// first of its own ones, then of ancestors of the largest.
typedef struct fold {
    uint32_t vertex;
    uint32_t slots[SET]; // before the change
    float    weights[SET];
    uint32_t order[SET]; // largest first
    uint32_t own;        // number with any weight
    uint32_t next;       // index of the next one to try
    uint32_t joint;      // slot whose share grows
    uint32_t step;       // its share is 2^(step - 10)
    bool     started;
    bool     open;    // frames must be checked again
    bool     changed; // in this pass
} fold;

static fold make_fold(const baked_part* part, uint32_t vertex)
{
    fold f = { .vertex = vertex };
    memcpy(f.slots, part->slots[vertex], sizeof f.slots);
    memcpy(f.weights, part->weights[vertex], sizeof f.weights);
    for (uint32_t k = 0; k < SET; ++k) {
        uint32_t before = 0;
        for (uint32_t o = 0; o < SET; ++o) before += f.weights[o] > f.weights[k] || (f.weights[o] == f.weights[k] && o < k);
        f.order[before] = k;
        f.own += f.weights[k] > 0;
    }
    f.joint = f.slots[f.order[0]];
    if (f.own < 2) f.next = f.own; // that one already has all the weight
    return f;
}

// For every joint the slot of its nearest ancestor in the part's skin, SUP_NONE: none. Parents come first in the order of
// joints.
static uint32_t* find_above(const baked_part* part, const sup_skeleton* skeleton, sup_arena* arena)
{
    uint32_t* own = SUP_NEW(arena, uint32_t, skeleton->joint_count);
    uint32_t* above = SUP_NEW(arena, uint32_t, skeleton->joint_count);
    if (!own || !above) return NULL;
    memset(own, 0xff, skeleton->joint_count * sizeof *own);
    for (uint32_t s = part->pull.slot_count; s-- > 0;) own[part->pull.slots[s]] = s;
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        uint32_t parent = skeleton->joints[j].parent;
        above[j] = parent == SUP_NONE ? SUP_NONE : own[parent] != SUP_NONE ? own[parent] : above[parent];
    }
    return above;
}

static void put_share(baked_part* part, const fold* f)
{
    float     share = ldexpf(1, (int)f->step - (SHARE_STEPS - 1));
    uint32_t* slots = part->slots[f->vertex];
    float*    weights = part->weights[f->vertex];
    uint32_t  at = 0;
    memcpy(slots, f->slots, sizeof f->slots);
    memcpy(weights, f->weights, sizeof f->weights);
    while (at < SET && !(slots[at] == f->joint && weights[at] > 0)) ++at;
    if (at == SET) { // absent: replaces the smallest
        at = 0;
        for (uint32_t k = 1; k < SET; ++k)
            if (weights[k] < weights[at]) at = k;
        slots[at] = f->joint;
        weights[at] = 0;
    }
    double sum = sum_of(weights);
    for (uint32_t k = 0; k < SET; ++k) {
        double own = sum > 0 ? (double)weights[k] / sum : 0;
        weights[k] = (float)((1 - (double)share) * own + (k == at ? (double)share : 0));
    }
}

// The next change to try. False: nothing is left.
static bool advance(baked_part* part, const uint32_t* above, fold* f)
{
    f->open = f->changed = true;
    if (!f->started || ++f->step == SHARE_STEPS) {
        f->started = true;
        f->step = 0;
        if (f->next == f->own && f->own > 1) f->joint = f->slots[f->order[0]];
        f->joint = f->next < f->own ? f->slots[f->order[f->next]] : above[part->pull.slots[f->joint]];
        f->next++;
    }
    if (f->joint == SUP_NONE || f->next > f->own + ABOVE_MAX) return false;
    put_share(part, f);
    return true;
}

typedef struct unfolder {
    gltf_baking*    baking;
    const sup_bake* bake;
    const sup_pose* held; // NULL: the clip's frames
    sup_pose        pose;
    const uint32_t* above; // of the current part
} unfolder;

static uint32_t frame_count(const unfolder* u) { return u->held ? 1 : u->bake->desc.frame_count; }

static const sup_pose* frame_pose(unfolder* u, uint32_t frame)
{
    const sup_bake_desc* desc = &u->bake->desc;
    if (u->held) return u->held;
    double time = desc->start + (double)frame / desc->fps;
    sup_clip_sample(desc->character, desc->clip, desc->still > 0 && desc->still < time ? desc->still : time, &u->pose);
    return &u->pose;
}

// One pass over all frames: folds that are still too flat somewhere advance, and must be checked again. False: one has nothing
// left to try.
static bool advance_folds(unfolder* u, baked_part* part, fold* folds, uint32_t count, bool* again)
{
    for (uint32_t f = 0; f < frame_count(u); ++f) {
        gltf_pull_pose(&part->pull, frame_pose(u, f));
        for (uint32_t i = 0; i < count; ++i)
            while (folds[i].open && gltf_pull_condition_at(&part->pull, folds[i].vertex) > CONDITION_MENDED)
                if (!advance(part, u->above, &folds[i])) return false;
    }
    *again = false;
    for (uint32_t i = 0; i < count; ++i) {
        folds[i].open = folds[i].changed;
        folds[i].changed = false;
        *again |= folds[i].open;
    }
    return true;
}

static void note_change(gltf_baking* baking, baked_part* part, const fold* f)
{
    const uint32_t* slots = part->slots[f->vertex];
    const float*    weights = part->weights[f->vertex];
    for (uint32_t k = 0; k < SET; ++k) {
        double was = slots[k] == f->slots[k] ? (double)f->weights[k] : 0;
        part->repaired_most = fmax(part->repaired_most, fabs((double)weights[k] - was));
    }
    for (uint32_t i = 0; i < baking->piece_count; ++i) {
        baked_piece* piece = &baking->pieces[i];
        if (piece->part != part || f->vertex < piece->begin || f->vertex - piece->begin >= piece->count) continue;
        piece->new_weights = true;
        piece->new_joints |= memcmp(slots, f->slots, sizeof f->slots) != 0;
    }
}

// Gives the marked vertices other weights. If one cannot be repaired, restores all and marks the part as flat.
static sup_result unfold_part(unfolder* u, baked_part* part, const bool* marked, sup_error* error)
{
    uint32_t count = 0, n = 0;
    for (uint32_t v = 0; v < part->pull.vertex_count; ++v) count += marked[v];
    fold* folds = SUP_NEW(u->bake->arena, fold, count);
    u->above = find_above(part, &u->bake->desc.character->skeleton, u->bake->arena);
    if (!folds || !u->above) return sup_fail_memory(error, "weights");
    bool helped = true;
    for (uint32_t v = 0; v < part->pull.vertex_count && helped; ++v) {
        if (!marked[v]) continue;
        folds[n] = make_fold(part, v);
        helped = advance(part, u->above, &folds[n++]);
    }
    for (bool again = helped; again && helped;) helped = advance_folds(u, part, folds, n, &again);
    for (uint32_t i = 0; i < n; ++i) {
        if (helped) {
            note_change(u->baking, part, &folds[i]);
            continue;
        }
        memcpy(part->slots[folds[i].vertex], folds[i].slots, sizeof folds[i].slots);
        memcpy(part->weights[folds[i].vertex], folds[i].weights, sizeof folds[i].weights);
    }
    part->repaired = helped ? n : 0;
    part->flat = !helped;
    return SUP_OK;
}

// Marks vertices that fold flat at this pose, and keeps the worst condition of the part.
static sup_result judge_pose(unfolder* u, const sup_pose* pose, bool** marked, sup_error* error)
{
    for (uint32_t i = 0; i < u->baking->part_count; ++i) {
        baked_part* part = &u->baking->parts[i];
        gltf_pull_pose(&part->pull, pose);
        float condition = gltf_pull_condition(&part->pull);
        if (condition <= GLTF_CONDITION_MAX) continue;
        part->flat = true;
        part->flat_value = fmax(part->flat_value, (double)condition);
        if (part->from->skin == SUP_NONE) continue; // follows a node, which has no weights to change
        if (!marked[i]) marked[i] = SUP_NEW(u->bake->arena, bool, part->pull.vertex_count);
        if (!marked[i]) return sup_fail_memory(error, "weights");
        for (uint32_t v = 0; v < part->pull.vertex_count; ++v)
            marked[i][v] = marked[i][v] || gltf_pull_condition_at(&part->pull, v) > GLTF_CONDITION_MAX;
    }
    return SUP_OK;
}

sup_result gltf_weights_unfold(gltf_baking* baking, sup_bake* bake, const sup_pose* held, sup_error* error)
{
    const sup_character* character = bake->desc.character;
    unfolder             u = { .baking = baking, .bake = bake, .held = held };
    bool**               marked = SUP_NEW(bake->arena, bool*, baking->part_count);
    if (!marked) return sup_fail_memory(error, "weights");
    sup_result result = sup_pose_create(character, bake->arena, &u.pose, error);
    for (uint32_t f = 0; f < frame_count(&u) && result == SUP_OK; ++f)
        result = judge_pose(&u, frame_pose(&u, f), marked, error);
    for (uint32_t i = 0; i < baking->part_count && result == SUP_OK; ++i)
        if (marked[i]) result = unfold_part(&u, &baking->parts[i], marked[i], error);
    return result;
}

// ---------------------------------------------------------------------------------------------- telling and writing

void gltf_weights_note(sup_bake* bake, const baked_part* part)
{
    const char* name = part->part->name ? part->part->name : "";
    if (part->wide)
        sup_bake_warn(bake,
                      "vertices of mesh '%s' have more than four influences and viewers support four: the copy has the four "
                      "largest; the baked clip is still exact, other clips are close",
                      name);
    if (part->uneven)
        sup_bake_warn(bake, "weights of %u vertices of mesh '%s' sum to %.4g to %.4g; the copy has them normalized",
                      part->uneven, name, part->sum_low, part->sum_high);
    if (part->repaired)
        sup_bake_warn(
            bake,
            "linear blending folds %u vertices of mesh '%s' flat, which cannot be inverted: their weights in the copy differ "
            "by up to %.2g, which other clips show",
            part->repaired, name, part->repaired_most);
}

static void drop_sets(sup_json* attributes)
{
    for (sup_json *a = attributes ? attributes->first : NULL, *next; a; a = next) {
        next = a->next;
        bool set = strncmp(a->key, "JOINTS_", 7) == 0 || strncmp(a->key, "WEIGHTS_", 8) == 0;
        if (set && strcmp(a->key, "JOINTS_0") != 0 && strcmp(a->key, "WEIGHTS_0") != 0) sup_json_remove(attributes, a->key);
    }
}

void gltf_weights_put(gltf_edit* edit, const baked_piece* piece, sup_json* attributes)
{
    const baked_part* part = piece->part;
    if (!piece->new_weights) return;
    drop_sets(attributes);
    gltf_edit_number(edit, attributes, "WEIGHTS_0",
                     gltf_edit_floats(edit, part->weights[piece->begin], piece->count, SET, GLTF_ARRAY_BUFFER, false));
    if (!piece->new_joints) return;
    uint16_t* joints = SUP_NEW(edit->arena, uint16_t, (size_t)piece->count * SET);
    edit->failed |= !joints;
    if (edit->failed) return;
    for (uint32_t v = 0; v < piece->count; ++v)
        for (uint32_t k = 0; k < SET; ++k) joints[v * SET + k] = (uint16_t)part->slots[piece->begin + v][k];
    uint32_t      view = gltf_edit_view(edit, joints, (uint64_t)piece->count * SET * sizeof *joints, 0, GLTF_ARRAY_BUFFER);
    gltf_accessor what = { .count = piece->count, .components = SET, .component_type = GLTF_USHORT };
    gltf_edit_number(edit, attributes, "JOINTS_0", gltf_edit_accessor(edit, view, 0, &what, NULL));
}
