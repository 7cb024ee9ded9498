// Initial bones: one rigid body for all points, then repeatedly a new one where the error is largest; in between, the points
// move to the body that fits them best.
#include "base/internal.h"
#include "base/sort.h"
#include "rig/decompose/decompose.h"

#include <string.h>

enum {
    REFITS = 2,      // rounds of assigning and moving after each new bone
    LAST_REFITS = 4, // and after the last one
    PATCH_MIN = 6,   // least number of points that a new bone is placed by
    PATCH_SHARE = 4, // share of the points a bone would have that place it: one in this many
    PATCH_MAX = 400,
};

static double squared_distance(const sup_decomposer* d, uint32_t a, uint32_t b)
{
    double sum = 0;
    for (size_t c = 0; c < 3; ++c) {
        double apart = (double)d->rest[c * d->points8 + a] - (double)d->rest[c * d->points8 + b];
        sum += apart * apart;
    }
    return sum;
}

// The nearest points around one at rest. Squared distances are not negative, so their float bits sort like the numbers.
static uint32_t nearest_points(const sup_decomposer* d, uint32_t center, const sup_decompose_patch* patch)
{
    uint32_t count = patch->size < d->point_count ? patch->size : d->point_count;
    for (uint32_t p = 0; p < d->point_count; ++p) {
        float    distance = (float)squared_distance(d, center, p);
        uint32_t bits;
        memcpy(&bits, &distance, sizeof bits);
        patch->items[p] = (sup_sort_item){ bits, p };
    }
    sup_sort(patch->items, patch->spare, d->point_count);
    for (uint32_t i = 0; i < count; ++i) patch->points[i] = patch->items[i].value;
    return count;
}

// A number in [0, 1) that depends on both, by the finalizer of SplitMix64.
static double scatter(uint64_t seed, uint64_t i)
{
    uint64_t x = seed * 0x9e3779b97f4a7c15ull + i * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return (double)((x ^ (x >> 31)) >> 11) * 0x1p-53;
}

bool sup_decompose_patch_create(const sup_decomposer* d, sup_arena* arena, sup_decompose_patch* out)
{
    *out = (sup_decompose_patch){ SUP_NEW(arena, sup_sort_item, d->point_count), SUP_NEW(arena, sup_sort_item, d->point_count),
                                  SUP_NEW(arena, uint32_t, PATCH_MAX), PATCH_MIN };
    return out->items && out->spare && out->points;
}

void sup_decompose_patch_place(sup_decomposer* d, uint32_t bone, uint32_t center, const sup_decompose_patch* patch)
{
    uint32_t count = nearest_points(d, center, patch);
    sup_decompose_place(d, bone, patch->points, count);
}

static uint32_t worst_point(const sup_decomposer* d, uint64_t seed)
{
    uint32_t worst = 0;
    double   most = -1;
    for (uint32_t p = 0; p < d->point_count; ++p) {
        // The seed perturbs the choice by up to a quarter: other seeds give other good starts, never a bad one.
        double error = (double)d->errors[p] * (seed ? 1.0 - 0.25 * scatter(seed, p) : 1.0);
        if (error <= most) continue;
        most = error;
        worst = p;
    }
    return worst;
}

bool sup_decompose_seed(sup_decomposer* d, uint32_t bones, uint64_t seed, sup_decompose_patch* patch, bool (*go_on)(void* user),
                        void* user)
{
    uint32_t size = d->point_count / (PATCH_SHARE * bones);
    patch->size = size < PATCH_MIN ? PATCH_MIN : size > PATCH_MAX ? PATCH_MAX : size;
    double nothing = SUP_DECOMPOSE_NOISE * d->point_count * d->frame_count;
    for (size_t i = 0; i < (size_t)d->frame_count * d->bones_max; ++i) d->rotations[i] = (sup_quat){ 0, 0, 0, 1 };
    d->bone_count = 1;
    sup_decompose_assign(d); // all to the only one
    sup_decompose_move(d, 1);
    sup_decompose_assign(d);
    while (d->bone_count < bones && d->total > nothing) {
        sup_decompose_patch_place(d, d->bone_count, worst_point(d, seed), patch);
        d->bone_count++;
        if (!go_on(user)) return false;
        for (int i = 0; i < (d->bone_count == bones ? LAST_REFITS : REFITS); ++i) {
            sup_decompose_assign(d);
            sup_decompose_move(d, 1);
        }
        sup_decompose_assign(d);
    }
    return true;
}

// The error around every n-th point, nearby points counting more.
uint32_t sup_decompose_places(const sup_decomposer* d, double radius, uint32_t capacity, uint32_t* out)
{
    enum { CENTERS = 256 };
    double   around[CENTERS];
    uint32_t stride = (d->point_count + CENTERS - 1) / CENTERS, centers = (d->point_count + stride - 1) / stride, count = 0;
    for (uint32_t c = 0; c < centers; ++c) {
        around[c] = 0;
        for (uint32_t p = 0; p < d->point_count; ++p) {
            double share = 1.0 - squared_distance(d, c * stride, p) / (radius * radius);
            if (share > 0) around[c] += share * share * (double)d->errors[p];
        }
    }
    while (count < capacity) {
        uint32_t best = 0;
        for (uint32_t c = 1; c < centers; ++c)
            if (around[c] > around[best]) best = c;
        if (around[best] <= 0) break;
        out[count++] = best * stride;
        for (uint32_t c = 0; c < centers; ++c)
            if (c != best && squared_distance(d, c * stride, best * stride) < radius * radius) around[c] = 0;
        around[best] = 0;
    }
    return count;
}
