/// rig/decompose/decompose.h: what the stages of sup_decompose share. Stages: seeding (rigid clusters), weights with the bones
/// fixed, bones with the weights fixed, and joints at the end.
#ifndef SUP_RIG_DECOMPOSE_DECOMPOSE_H
#define SUP_RIG_DECOMPOSE_DECOMPOSE_H

#include "base/sort.h"
#include "math/wide.h"
#include "supple/rig.h"

enum {
    SUP_DECOMPOSE_INFLUENCES_MAX = 16,
    /// Most bones that a point considers in one round.
    SUP_DECOMPOSE_CANDIDATES = 24,
    /// Sums over points are split into this many pieces, whatever the number of workers.
    SUP_DECOMPOSE_PIECES = 16,
};

/// A symmetric 4x4 matrix, xx xy xz x yy yz y zz z 1: second moments of points with a 1 appended.
#define SUP_DECOMPOSE_MOMENTS 10

/// The problem in normalized form: rest diagonal 1 around the center, every frame around its own center, and the points in an
/// order in which eight neighbors in memory are neighbors in space.
typedef struct sup_decomposer {
    uint32_t     point_count, points8; ///< padded to a multiple of 8 with zeros
    uint32_t     frame_count, frames8; ///< likewise
    uint32_t     bone_count, bones_max, influences;
    uint32_t     candidates; ///< bones that eight neighbors choose from: those they follow, then those that fit them best alone
    const float* rest;     ///< 3 x points8
    const float* by_point; ///< frames x 3 x points8
    const float* by_frame; ///< points x 3 x frames8

    double*   exact;      ///< frames x bones_max x 12: row by row
    sup_quat* rotations;  ///< frames x bones_max
    float*    transforms; ///< bones_max x 12 x frames8: `exact` rounded; zero in the padding

    uint8_t*  counts; ///< influences of each point
    uint32_t* bones;  ///< points x influences
    float*    weights;
    float*    errors;  ///< per point: sum of squares over the frames
    double    total;   ///< of all points
    double    rigid; ///< how strongly each bone is drawn to the rigid motion of its points
    double*   removal; ///< pieces x bones_max: how much the error would grow without each bone; NULL: not requested

    uint32_t* column_begin; ///< bones_max + 1: the points of each bone
    uint32_t* column_points;
    float*    column_weights;

    double* first;       ///< bones_max x frames8 x 12: sum of w v (p 1)^T
    double* second;      ///< pairs x 10: sum of w w (p 1)(p 1)^T, pair (j, k <= j) at j (j + 1) / 2 + k
    double* piece_sums;  ///< pieces x pairs x 10
    double* piece_error; ///< per block of points

    float*           work; ///< SUP_DECOMPOSE_PIECES x work_size
    size_t           work_size;
    double           smooth; ///< weight of the smoothness term, in squares summed over frames; 0: none
    const uint32_t*  ring_begin;
    const uint32_t*  ring;
    float*           old_weights; ///< points x bones_max, the weights before this round; for `smooth` only
    const sup_tasks* tasks;
} sup_decomposer;

static inline size_t sup_decompose_pair(uint32_t a, uint32_t b) // NOLINT(bugprone-easily-swappable-parameters)
{
    return a >= b ? (size_t)a * (a + 1) / 2 + b : (size_t)b * (b + 1) / 2 + a;
}
static inline uint32_t sup_decompose_grain(const sup_decomposer* d) // blocks of eight points in a piece
{
    uint32_t blocks = d->points8 / SUP_LANES;
    return (blocks + SUP_DECOMPOSE_PIECES - 1) / SUP_DECOMPOSE_PIECES;
}

/// Sums of squares of eight points under single bones: out is count x 8, of bones first, first + 1, ...
SUP_WIDE_DECLARE(void, sup_decompose_errors,
                 (const sup_decomposer* d, uint32_t block, uint32_t first, uint32_t count, float* out));
/// For eight points, the products of the errors under every pair of bones, summed over frames: pair a, b <= a of the list at
/// (a (a + 1) / 2 + b) x 8. work: list x 24 floats.
SUP_WIDE_DECLARE(void, sup_decompose_products,
                 (const sup_decomposer* d, uint32_t block, const uint32_t* list, uint32_t count, float* work, float* out));
/// Sum of w v (p 1)^T of one bone for eight frames, into first.
SUP_WIDE_DECLARE(void, sup_decompose_first, (const sup_decomposer* d, uint32_t bone, uint32_t frame_block));

/// Best weights of every point for the current bones; fills errors and total.
void sup_decompose_solve_weights(sup_decomposer* d);
/// Assigns every point to the one bone that fits it best; fills errors and total.
void sup_decompose_assign(sup_decomposer* d);
/// Best bones for the current weights: `sweeps` passes, one bone after the other.
void sup_decompose_move(sup_decomposer* d, uint32_t sweeps);
/// One bone alone, as the rigid motion of `count` points.
void sup_decompose_place(sup_decomposer* d, uint32_t bone, const uint32_t* points, uint32_t count);

/// The rotation's 3x3 into a row by row 3x4; the quaternion may have any length.
void sup_decompose_matrix(const sup_quat* q, double m[12]);

/// Workspace of seeding: memory to sort in, and the points of a patch.
typedef struct sup_decompose_patch {
    sup_sort_item *items, *spare;
    uint32_t*      points;
    uint32_t       size; ///< number of points that a bone is placed by; sup_decompose_seed sets it
} sup_decompose_patch;

bool sup_decompose_patch_create(const sup_decomposer* d, sup_arena* arena, sup_decompose_patch* out);
/// Fits a bone to the motion of the points around one.
void sup_decompose_patch_place(sup_decomposer* d, uint32_t bone, uint32_t center, const sup_decompose_patch* patch);
/// From one bone to `bones`, each new one where the error is largest; fewer if nothing is left to explain. Calls `go_on` for
/// each; returns false if that did.
bool sup_decompose_seed(sup_decomposer* d, uint32_t bones, uint64_t seed, sup_decompose_patch* patch, bool (*go_on)(void* user),
                        void* user);
/// Points around which the error is largest, worst first and at least `radius` apart; returns how many, at most capacity.
uint32_t sup_decompose_places(const sup_decomposer* d, double radius, uint32_t capacity, uint32_t* out);

/// A tree over the bones. Call sup_decompose_sums first. parents and heads (unit space) are one per bone.
void sup_decompose_tree(const sup_decomposer* d, bool flat, uint32_t* parents, double (*heads)[3]);
/// first and second for the current weights.
void sup_decompose_sums(sup_decomposer* d);

/// Below this squared share of the diagonal, points are where they should be: nothing worth another bone.
#define SUP_DECOMPOSE_NOISE 1e-12

#endif
