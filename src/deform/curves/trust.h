/// deform/curves/trust.h: how far corrections sculpted at two poses are trusted at a third.
///
/// Between two sculpts the skin is known on the path between their poses, and nowhere else. The closest point on that path to
/// the current pose says how much of each applies. A pose beside the path asks for something that nobody sculpted, and what two
/// sculpts say about it falls off with its distance: so corrections fade out with it, toward the incoming skin. Every point
/// considers the joints that move it and their children. With x, y the turns (rotation vectors, and slides in tenths of the
/// diagonal) of joint j from the first pose to the current one and to the second, and a_j how much the joint matters to the
/// point (their sum is 1):
///     G = sum a x.y    n = sum a |x|^2    l = sum a |y|^2    s = G / l within 0 and 1    off^2 = n - 2 s G + s^2 l
///     share = exp(-rate off^2)      rate = 1 / (0.28 rad + 0.17 sqrt(l))^2 + odd
/// Joints that hardly move between the two poses do not explain what changes between them: a joint whose l is below 0.3 rad^2
/// also counts its neighbors, (1 - l / 0.3)^2 times; and where its skin changes all the same (u: how unlike the two corrections
/// are, |b - a|^2 / (|a|^2 + |b|^2)), odd = (1 - l / 0.3)^2 u^2 / (l + 0.01): what the pose did not explain there it does not
/// explain here.
/// Of three examples or more of one motion, each is predicted from its two neighbors (leave-one-out). A joint whose skin is
/// predicted worse than by nothing does not determine that skin: there n grows by `doubt` x W^2, W the mean over all turns of
/// the distance (rad^2) of the pose from the path. On the path itself, and at both of its ends, the share is 1, and it leaves
/// the ends without a change of speed.
///
/// Where time does not say which two poses the current one lies between (sculpts over pose, live hosts), every joint takes the
/// nearest path. Such sculpts are chosen to differ; the more similar they are, the farther they reach: rate is at most
/// 4 u / (l + 0.01). And beyond its ends the path continues straight for its own length.
#ifndef SUP_DEFORM_CURVES_TRUST_H
#define SUP_DEFORM_CURVES_TRUST_H

#include "deform/curves/pose_turns.h"
#include "math/wide.h"
#include "supple/deformer.h"

/// Poses as the turns of joints.
typedef struct sup_turns {
    uint32_t          joint_count, pose_count;
    const pose_joint* joints;
    const uint32_t*   paths;
    const sup_quat*   turns;  ///< [pose][joint]
    const sup_vec3*   slides; ///< [pose][joint]: position relative to the joint above
    float             unit;   ///< slide that counts as a radian
} sup_turns;

sup_result sup_turns_create(const sup_character* character, uint32_t pose_count, const sup_pose* poses, sup_arena* arena,
                            sup_turns* out, sup_error* error);

/// Eight entries: the movers of any of them, and in `weights` eight numbers for each. `like`: the shared block at the end that
/// serves points with the same single mover; SUP_NONE: none does.
typedef struct sup_trust_block {
    uint32_t begin, count, like;
} sup_trust_block;

/// From one pose to another.
typedef struct sup_pose_path {
    uint32_t from, to;
} sup_pose_path;

/// A *mover* is a joint of the skeleton as the skin sees it: its own turn and those of its children. Points sum over the few
/// movers that they have weights of, not over all those turns.
typedef struct sup_trust {
    sup_turns              turns; ///< empty: everything is trusted
    uint32_t               mover_count;
    const uint32_t *       turn_begin, *turn_list;   ///< of each mover
    uint32_t               entry_count, block_count; ///< entries: the points, then anything else that considers joints
    uint32_t               like_count;               ///< shared blocks after these, computed first
    const sup_trust_block* blocks;
    const uint32_t*        rows;
    const float*           weights;
    uint32_t               path_count;
    const sup_pose_path*   paths;
    const float*           lengths; ///< [path][turn]: l
    const float*           rates;   ///< [path][mover]: falloff of shares, per rad^2 beside the path
    const float*           doubts;  ///< [mover], per rad^2: what the whole pose's W^2 adds to n; NULL: nothing
} sup_trust;

/// An entry that is a mean of points: `share[p]` of point p is in entry `entry[p]`, the rest in the next. SUP_NONE: none.
typedef struct sup_trust_means {
    uint32_t        count;
    const uint32_t* entry;
    const float*    ratio;
} sup_trust_means;

/// The paths that count, and the corrections of all points at every pose. `turns` and `paths` are kept by reference.
typedef struct sup_trust_desc {
    const sup_turns*       turns;
    uint32_t               path_count;
    const sup_pose_path*   paths;
    const sup_vec3* const* shapes; ///< [pose][point]
    sup_trust_means        means;
    bool                   in_time; ///< poses of one motion, in order
} sup_trust_desc;

sup_result sup_trust_create(const sup_character* character, const sup_trust_desc* desc, sup_arena* arena, sup_trust* out,
                            sup_error* error);

/// Paths from every pose to the poses nearest to it, where nothing else says which belong together.
sup_result sup_trust_near_paths(const sup_turns* turns, sup_arena* arena, sup_pose_path** out, uint32_t* count,
                                sup_error* error);

/// A path by its number, and how far along it time is.
typedef struct sup_path_place {
    uint32_t number;
    float    ratio;
    bool     left; ///< the motion is before the first or after the last pose: the ratio is that of the end, 0 or 1
} sup_path_place;

/// The effect on corrections. Both arrays: per entry.
typedef struct sup_trusted {
    const float* share; ///< NULL: all are 1, and all shifts 0
    const float* shift; ///< added to the second pose's share, taken from the first's: from time to pose
} sup_trusted;

size_t sup_trust_scratch(const sup_trust* trust);
/// At the current pose, in scratch.
sup_trusted sup_trust_find(const sup_trust* trust, const sup_pose* pose, const sup_path_place* place, const sup_tasks* tasks,
                           void* scratch);
/// If time does not say which path: every mover takes the path nearest to the pose. Shares only, all shifts are 0.
sup_trusted sup_trust_find_any(const sup_trust* trust, const sup_pose* pose, const sup_tasks* tasks, void* scratch);
/// q = share (q + shift (to - from)) for points begin to end; begin is a multiple of eight, and lists are padded to one.
SUP_WIDE_DECLARE(void, sup_trust_apply,
                 (const sup_trusted* trusted, const sup_vec3* from, const sup_vec3* to, uint32_t begin, uint32_t end,
                  sup_vec3* q));

/// n, l and G of a mover, and the falloff of its points' shares, summed over its turns.
typedef struct sup_trust_sums {
    float n, l, g, rate;
} sup_trust_sums;

/// `near`: how near time is to an end of the path, from 0 at the end to 1 and more. `share` and `shift` have room for eight
/// entries per block, shared blocks included.
SUP_WIDE_DECLARE(void, sup_trust_shares,
                 (const sup_trust* trust, const sup_trust_sums* sums, float ratio, float near, uint32_t begin, uint32_t end,
                  float* share, float* shift));

#endif
