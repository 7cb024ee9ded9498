// Poses a skeleton that was made for another figure into a mesh. Captured skeletons rest with their legs apart or their arms
// out where the mesh has them otherwise; weights and motion are only right if the bones lie inside their limbs.
//
// Every bone is rotated about its upper end, with its descendants, and scaled a little, while that puts more of it deep inside:
// a descent from the root to the tips, with steps that halve. The whole skeleton is shifted first.
#include "base/internal.h"
#include "math/trig.h"
#include "math/vec.h"
#include "rig/weights/depth.h"
#include "supple/rig.h"

#include <string.h>

#define CELLS_STANDARD 80u
#define DEEP 3.0f     // cells: deeper than this is no better
#define FAR 24.0f     // cells: farther away is no worse
#define SAMPLES 8     // along a bone
#define SWEEPS 2      // passes from root to tips
#define TURN_MAX 1.4f // radians, per bone
#define TURN_GAIN 1e-3f  // cells of mean depth that a rotation must gain to be kept
#define SHIFT_GAIN 1e-2f // the same for a shift, which moves every bone
#define TURN_COST 0.5f
#define SCALE_COST 20.0f

static const float TURNS[] = { 0.5f, 0.25f, 0.125f, 0.0625f, 0.03125f };
enum { STEPS = sizeof TURNS / sizeof *TURNS };

typedef struct turning {
    const sup_voxels* voxels;
    float*            value; // of each grid cell: how good it is for a bone
    uint32_t          count;
    const uint32_t*   parents;
    sup_vec3*         places;  // in cells
    float*            lengths; // initial length of the bone above each
    float*            turned;  // radians so far
    float*            scaled;
    bool*             below; // descends from the current bone
    sup_vec3*         kept;
} turning;

// ---------------------------------------------------------------------------------------------- how good a place is

static float value_at(const turning* t, sup_vec3 p)
{
    const sup_voxels* v = t->voxels;
    uint32_t          low[3];
    float             part[3], over = 0, sum = 0;
    for (int a = 0; a < 3; ++a) {
        float x = (&p.x)[a] - 0.5f, most = (float)v->size[a] - 2.5f, inside = sup_clampf(x, 1, most > 1 ? most : 1);
        over += fabsf(x - inside);
        low[a] = (uint32_t)inside;
        if (low[a] + 2 > v->size[a]) low[a] = v->size[a] - 2;
        part[a] = inside - (float)low[a];
    }
    for (uint32_t k = 0; k < 8; ++k) {
        uint32_t x = low[0] + (k & 1), y = low[1] + (k >> 1 & 1), z = low[2] + (k >> 2);
        float    weight = (k & 1 ? part[0] : 1 - part[0]) * (k & 2 ? part[1] : 1 - part[1]) * (k & 4 ? part[2] : 1 - part[2]);
        sum += weight * t->value[x + v->size[0] * (y + v->size[1] * z)];
    }
    return sum - over;
}

static sup_result measure(turning* t, sup_arena* scratch, sup_error* error)
{
    const sup_voxels* v = t->voxels;
    size_t            cells = (size_t)v->size[0] * v->size[1] * v->size[2];
    float*            away = SUP_NEW(scratch, float, cells);
    t->value = SUP_NEW(scratch, float, cells);
    if (!away || !t->value) return sup_fail_memory(error, "a skeleton's pose");
    sup_voxels_depth(v, false, t->value);
    sup_voxels_depth(v, true, away);
    for (size_t i = 0; i < cells; ++i) t->value[i] = away[i] > 0 ? -fminf(away[i], FAR) : fminf(t->value[i], DEEP);
    return SUP_OK;
}

// Over a bone's descendants, or all bones, weighted by length: the mean value, or the share inside.
typedef enum mean_of { VALUE, INSIDE } mean_of;

static float mean(const turning* t, mean_of what, bool all)
{
    float sum = 0, length = 0;
    for (uint32_t i = 0; i < t->count; ++i) {
        if (t->parents[i] == SUP_NONE || !(all || t->below[i])) continue;
        sup_vec3 a = t->places[t->parents[i]], b = t->places[i];
        for (int s = 1; s <= SAMPLES; ++s) {
            float value = value_at(t, v3_lerp(a, b, (float)s / SAMPLES));
            sum += t->lengths[i] * (what == VALUE ? value : value > 0 ? 1.0f : 0.0f) / SAMPLES;
        }
        length += t->lengths[i];
    }
    return length > 0 ? sum / length : 0;
}

// ---------------------------------------------------------------------------------------------- moves

// Rotates and scales a bone's descendants about its upper end.
static void apply(turning* t, sup_vec3 about, sup_quat rotation, float scale)
{
    for (uint32_t i = 0; i < t->count; ++i)
        if (t->below[i]) t->places[i] = v3_add(about, v3_scale(quat_rotate(rotation, v3_sub(t->places[i], about)), scale));
}

static float cost(float turned, float scaled) { return TURN_COST * turned * turned + SCALE_COST * (scaled - 1) * (scaled - 1); }

// Tries a move; keeps it if it is worth its cost.
static bool attempt(turning* t, uint32_t bone, sup_quat rotation, float angle, float scale, float* best)
{
    // Rotations about different axes are added as if about one: an upper bound, which is all that is needed.
    float turned = t->turned[bone] + angle, scaled = t->scaled[bone] * scale;
    if (turned > TURN_MAX || scaled < 0.75f || scaled > 1.3f) return false;
    memcpy(t->kept, t->places, t->count * sizeof *t->kept);
    apply(t, t->places[t->parents[bone]], rotation, scale);
    float now = mean(t, VALUE, false) - cost(turned, scaled);
    if (now > *best + TURN_GAIN) {
        *best = now;
        t->turned[bone] = turned;
        t->scaled[bone] = scaled;
        return true;
    }
    memcpy(t->places, t->kept, t->count * sizeof *t->kept);
    return false;
}

static void turn_bone(turning* t, uint32_t bone)
{
    for (uint32_t i = 0; i < t->count; ++i)
        t->below[i] = i == bone || (i > bone && t->parents[i] != SUP_NONE && t->below[t->parents[i]]);
    float best = mean(t, VALUE, false) - cost(t->turned[bone], t->scaled[bone]);
    for (int s = 0; s < STEPS; ++s)
        for (bool better = true; better;) {
            better = false;
            for (int k = 0; k < 6; ++k) {
                sup_vec3 axis = v3(k / 2 == 0, k / 2 == 1, k / 2 == 2);
                sup_quat rotation = quat_axis_angle(axis, k % 2 ? TURNS[s] : -TURNS[s]);
                better |= attempt(t, bone, rotation, TURNS[s], 1, &best);
            }
            for (int k = 0; k < 2; ++k)
                better |= attempt(t, bone, quat_identity(), 0, k ? 1 + 0.2f * TURNS[s] : 1 / (1 + 0.2f * TURNS[s]), &best);
        }
}

// Shifts the whole figure, by at most a tenth of the grid.
static void shift(turning* t, uint32_t cells)
{
    float most = 0.1f * (float)cells, step = most, best = mean(t, VALUE, true), gone = 0;
    for (step /= 2; step > 0.25f; step /= 2)
        for (bool better = true; better && gone + step <= most;) {
            better = false;
            for (int k = 0; k < 6 && gone + step <= most; ++k) {
                sup_vec3 by = v3(k / 2 == 0, k / 2 == 1, k / 2 == 2);
                by = v3_scale(by, k % 2 ? step : -step);
                for (uint32_t i = 0; i < t->count; ++i) t->places[i] = v3_add(t->places[i], by);
                float now = mean(t, VALUE, true);
                if (now > best + SHIFT_GAIN) {
                    best = now;
                    gone += step;
                    better = true;
                    continue;
                }
                for (uint32_t i = 0; i < t->count; ++i) t->places[i] = v3_sub(t->places[i], by);
            }
        }
}

// ---------------------------------------------------------------------------------------------- all of it

static sup_result run(const sup_mesh* mesh, turning* t, sup_vec3* places, const sup_center_options* o, sup_arena* scratch,
                      sup_turn* out, sup_error* error)
{
    sup_voxels      v;
    sup_voxels_desc desc = { .point_count = mesh->point_count,
                             .points = mesh->points,
                             .triangle_count = mesh->triangle_count,
                             .triangles = mesh->triangles,
                             .cells = o && o->cells ? o->cells : CELLS_STANDARD,
                             .tasks = o ? o->tasks : NULL };
    sup_result      r = sup_voxels_create(&desc, scratch, &v, error);
    t->voxels = &v;
    if (!r) r = measure(t, scratch, error);
    if (r) return r;
    for (uint32_t i = 0; i < t->count; ++i) {
        for (int a = 0; a < 3; ++a) (&t->places[i].x)[a] = (float)(((double)(&places[i].x)[a] - v.origin[a]) / v.h);
        t->lengths[i] = t->parents[i] == SUP_NONE ? 0 : v3_distance(t->places[i], t->places[t->parents[i]]);
        t->scaled[i] = 1;
    }
    *out = (sup_turn){ .before = mean(t, INSIDE, true) };
    shift(t, desc.cells);
    for (int s = 0; s < SWEEPS; ++s)
        for (uint32_t i = 0; i < t->count; ++i)
            if (t->parents[i] != SUP_NONE) turn_bone(t, i);
    out->after = mean(t, INSIDE, true);
    for (uint32_t i = 0; i < t->count; ++i) {
        out->farthest = fmaxf(out->farthest, t->turned[i] * (float)(1 / SUP_RADIANS));
        for (int a = 0; a < 3; ++a) (&places[i].x)[a] = (float)(v.origin[a] + v.h * (double)(&t->places[i].x)[a]);
    }
    return SUP_OK;
}

sup_result sup_places_turn(const sup_mesh* mesh, uint32_t count, const uint32_t* parents, sup_vec3* places,
                           const sup_center_options* options, const sup_allocator* allocator, sup_turn* out, sup_error* error)
{
    if (options && options->cells && (options->cells < 4 || options->cells > 256))
        return sup_fail(error, SUP_ERROR_INPUT, "%u cells along the mesh: from 4 to 256 are possible", options->cells);
    for (uint32_t i = 0; i < count; ++i)
        if (parents[i] != SUP_NONE && parents[i] >= i)
            return sup_fail(error, SUP_ERROR_INPUT, "joint %u comes before its parent; put parents first", i + 1);
    sup_arena* scratch = sup_arena_create(allocator);
    if (!scratch) return sup_fail_memory(error, "a skeleton's pose");
    turning    t = { .count = count,
                     .parents = parents,
                     .places = SUP_NEW(scratch, sup_vec3, count),
                     .lengths = SUP_NEW(scratch, float, count),
                     .turned = SUP_NEW(scratch, float, count),
                     .scaled = SUP_NEW(scratch, float, count),
                     .below = SUP_NEW(scratch, bool, count),
                     .kept = SUP_NEW(scratch, sup_vec3, count) };
    bool       allocated = t.places && t.lengths && t.turned && t.scaled && t.below && t.kept;
    sup_result r =
        allocated ? run(mesh, &t, places, options, scratch, out, error) : sup_fail_memory(error, "a skeleton's pose");
    sup_arena_destroy(scratch);
    return r;
}
