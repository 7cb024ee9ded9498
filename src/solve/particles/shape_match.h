/// solve/particles/shape_match.h: overlapping rigid regions of oriented particles (Mueller et al. 2005, Rivers and James 2007,
/// Mueller and Chentanez 2011), eight regions at a time.
///
/// Particles are arranged in layers of one topology: particle l x stride + i is layer l of point i. Every particle has a
/// region: the ring of its point on its own layer, which may count less than the rest, and its two siblings above and below.
/// Membership is symmetric, so the lists that gather a region's sums also distribute its goals.
///
///   mt = m / n          n = regions that hold the particle, as much as they count it: only then is momentum kept
///   A  = sum mt (x - x_i)(y - c0)^T + mt rad^2 / 5 Q      i = center: subtracting it cures cancellation
///   R  = argmax tr(R^T A)      t = c - R c0      g = mean over the regions of R y + t
///   x  = h + h.w (g - h)      the diagonal global step with h.w = ks dt^2 / (1 + ks dt^2)
///
/// A scaled quaternion p = sqrt(k) q gives k Q as sums and differences of its ten products, so moments and goals add those
/// instead of matrices.
#ifndef SUP_SOLVE_PARTICLES_SHAPE_MATCH_H
#define SUP_SOLVE_PARTICLES_SHAPE_MATCH_H

#include "geom/shortest_paths.h"
#include "math/wide.h"
#include "supple/base.h"

/// Built once, read-only. The last point of every layer is empty: no mass, no ring, position and rotation all zero; unused
/// places of the lists refer to it.
typedef struct sup_match {
    uint32_t             layers, stride; ///< stride: a multiple of 8
    uint32_t             blocks;         ///< of eight points, in one layer
    const uint32_t*      slot_begin;     ///< blocks + 1 rows of eight points: the rings without their centers
    const uint32_t*      slots;
    const sup_vec4*      y;         ///< rest, w = mt
    const sup_vec4*      c0;        ///< center of each region at rest, w = 1 / its mass
    const float*         spin;      ///< sqrt(mt rad^2 / 5)
    const float*         share;     ///< 1 / n
    const float*         roots;     ///< square root of how much a region's ring counts in it, beside its center and siblings
    const sup_intervals* intervals; ///< NULL: direct sums. Otherwise sums in double over ranges, for wide rings
} sup_match;

typedef struct sup_match_desc {
    uint32_t         layers, stride;
    const sup_rings* rings;  ///< over `stride` points; padding points have no neighbors
    const sup_vec3*  rest;   ///< layers x stride
    const float*     masses; ///< likewise; 0 for padding
    const float*     radii;  ///< of the particles as balls
    bool             intervals;
    const float*     counts; ///< how much its ring counts in each region, in (0, 1]; NULL: 1. Not with intervals
} sup_match_desc;

sup_result sup_match_create(const sup_match_desc* desc, sup_arena* arena, sup_match* out, sup_error* error);

/// One use. Arrays have layers x stride items and are 64-byte aligned.
typedef struct sup_match_run {
    const sup_match* match;
    const sup_vec4*  y;       ///< the match's own, or a reference that moved; w as in the match
    const sup_vec4*  c0;      ///< belongs to y (sup_match_centers)
    sup_vec4*        x;       ///< w is not changed
    sup_quat*        q;       ///< rotation of each region since rest: warm start and result
    const sup_vec4*  h;       ///< where the particle would be by itself; w: share of the way to the goal. For a held one:
                              ///< how much its region counts in the goals of the layer above, 0 ... 1
    uint32_t goal_layers;     ///< the regions of the first goal_layers layers are fitted, and their particles move. The others
                              ///< are held: they are where x and q put them (sup_match_hold)
    void*            scratch; ///< sup_match_scratch bytes, 64-byte aligned
    const sup_tasks* tasks;
    /// Called from the tasks for points begin to end, whole blocks of eight, once all of their layers are at their goals: work
    /// that concerns only them is done while they are in cache. NULL: nothing.
    void (*after)(void* user, uint32_t begin, uint32_t end);
    void* user;
} sup_match_run;

size_t sup_match_scratch(const sup_match* match);
/// Call after q of particles begin to end was set from outside: updates their moments in scratch.
void sup_match_turn(const sup_match_run* run, uint32_t begin, uint32_t end);
/// Call after x and q of particles begin to end (multiples of 8) of held layers were set: updates their regions.
void sup_match_hold(const sup_match_run* run, uint32_t begin, uint32_t end);
/// Fits the regions that are not held and moves x toward the goals. Returns how many fits had a cold start.
uint32_t sup_match_iterate(const sup_match_run* run);
/// Centers of the regions of another reference.
void sup_match_centers(const sup_match* match, const sup_vec4* y, const sup_tasks* tasks, sup_vec4* c0);
/// v <- v + share (mean over the regions of their rigid velocity - v). Conserves linear and angular momentum. Particles of
/// layers from goal_layers on contribute but do not change. Direct sums only.
void sup_match_damp(const sup_match_run* run, float share, sup_vec4* v);

// ---------------------------------------------------------------------------------------------- kernels

/// What the kernels of shape_match_wide.c see: blocks begin to end of layers x blocks.
typedef struct sup_match_view {
    const sup_match_run* run;
    sup_quat*            moments; ///< spin x q
    sup_vec4*            t;       ///< of each region; damping: its velocity at the origin
    sup_vec4*            turn;    ///< damping: its angular velocity
    sup_vec4*            v;       ///< damping
    float                share;
    uint32_t*            cold; ///< per chunk
    double*              sums; ///< intervals: prefix sums
    double               origin[3];
} sup_match_view;

SUP_WIDE_DECLARE(uint32_t, match_fit, (const sup_match_view* view, uint32_t begin, uint32_t end));
SUP_WIDE_DECLARE(void, match_hold, (const sup_match_view* view, uint32_t begin, uint32_t end));
SUP_WIDE_DECLARE(void, match_goals, (const sup_match_view* view, uint32_t begin, uint32_t end));
SUP_WIDE_DECLARE(void, match_velocities, (const sup_match_view* view, uint32_t begin, uint32_t end));
SUP_WIDE_DECLARE(void, match_damp, (const sup_match_view* view, uint32_t begin, uint32_t end));
/// The rotation of eight regions from their sums A, and t; shared with the sums over intervals.
SUP_WIDE_DECLARE(uint32_t, match_turn8, (const sup_match_view* view, uint32_t first, float a[9][8], float c[3][8]));

#endif
