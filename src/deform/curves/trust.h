/// deform/curves/trust.h: how far corrections sculpted at two poses are trusted at a third.
///
/// Between two sculpts the skin is known on the path between their poses, and nowhere else. The foot of the present pose on
/// that path says how much of each is called for. A pose beside the path calls for something that nobody sculpted, and what two
/// sculpts have in common with it falls off with its distance: so corrections fade out with it, towards the skin as it comes
/// in. Every point looks at the joints that move it and at those that hang from them. With x, y the turns (rotation vectors,
/// and slides in tenths of the diagonal) of joint j from the first pose to the present one and to the second, and a_j how much
/// the joint matters to the point (their sum is 1):
///     G = sum a x.y    n = sum a |x|^2    l = sum a |y|^2    s = G / l within 0 and 1    off^2 = n - 2 s G + s^2 l
///     share = exp(-rate off^2)      rate = 1 / (0.28 rad + 0.17 sqrt(l))^2 + odd
/// Joints that hardly move between the two poses tell nothing about what changes between them: a joint whose l is below 0.3
/// rad^2 takes those beside it along, (1 - l / 0.3)^2 times; and where its skin changes all the same (u: how unlike the two
/// corrections are, |b - a|^2 / (|a|^2 + |b|^2)), odd = (1 - l / 0.3)^2 u^2 / (l + 0.01): what the pose did not tell there it
/// does not tell here.
/// Of three examples or more of one motion, each is predicted from the two beside it (leave-one-out). A joint whose skin is
/// predicted worse than by nothing cannot tell what that skin does: there n grows by `doubt` x W^2, W the mean over all turns
/// of how far (rad^2) the pose lies beside the path. On the path itself, and at both of its ends, the share is 1, and it leaves
/// the ends without a change of speed.
///
/// Where no time says between which two poses the present one is (sculpts over pose, live hosts), every joint takes the path it
/// is nearest to. Such sculpts are chosen to differ; the more they are alike all the same, the farther they tell: rate is at
/// most 4 u / (l + 0.01). And straight on beyond its ends the path goes on for as long again.
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
    const sup_vec3*   slides; ///< [pose][joint]: where it stands, seen from the one above
    float             unit;   ///< of slides that count as a radian
} sup_turns;

sup_result sup_turns_create(const sup_character* character, uint32_t pose_count, const sup_pose* poses, sup_arena* arena,
                            sup_turns* out, sup_error* error);

/// Eight entries: the movers of any of them, and in `weights` eight numbers for each. `like`: the block behind all others that
/// stands for those of points that go with the same one mover alone; SUP_NONE: none does.
typedef struct sup_trust_block {
    uint32_t begin, count, like;
} sup_trust_block;

/// From one pose to another.
typedef struct sup_pose_path {
    uint32_t from, to;
} sup_pose_path;

/// A *mover* is a joint of the skeleton as the skin sees it: its own turn and those of the joints that hang from it. Points sum
/// over the few movers they have weights of, not over all those turns.
typedef struct sup_trust {
    sup_turns              turns; ///< without any: everything is trusted
    uint32_t               mover_count;
    const uint32_t *       turn_begin, *turn_list;   ///< of every mover
    uint32_t               entry_count, block_count; ///< entries: the points, then whatever else looks at joints
    uint32_t               like_count;               ///< blocks behind these that stand for others, made first
    const sup_trust_block* blocks;
    const uint32_t*        rows;
    const float*           weights;
    uint32_t               path_count;
    const sup_pose_path*   paths;
    const float*           lengths; ///< [path][turn]: l
    const float*           rates;   ///< [path][mover]: what shares fall off by, per rad^2 beside the path
    const float*           doubts;  ///< [mover], per rad^2: what the whole pose's W^2 adds to n; NULL: nothing
} sup_trust;

/// An entry that is a mean of points: `share[p]` of point p is in entry `entry[p]`, the rest in the one behind it. SUP_NONE:
/// none.
typedef struct sup_trust_means {
    uint32_t        count;
    const uint32_t* entry;
    const float*    ratio;
} sup_trust_means;

/// The paths that count, and the corrections of all points at every pose. What `turns` and `paths` point to is kept.
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

/// Paths from every pose to those that are nearest to it, where nothing else says which belong together.
sup_result sup_trust_near_paths(const sup_turns* turns, sup_arena* arena, sup_pose_path** out, uint32_t* count,
                                sup_error* error);

/// A path by its number, and how far time has come on it.
typedef struct sup_path_place {
    uint32_t number;
    float    ratio;
    bool     left; ///< the motion is before the first or behind the last pose: the ratio is that of the end, 0 or 1
} sup_path_place;

/// What becomes of corrections. Both arrays: of the entries.
typedef struct sup_trusted {
    const float* share; ///< NULL: all are 1, and all shifts 0
    const float* shift; ///< of the second pose's share at the cost of the first's: from time to pose
} sup_trusted;

size_t sup_trust_scratch(const sup_trust* trust);
/// At the present pose, in the scratch.
sup_trusted sup_trust_find(const sup_trust* trust, const sup_pose* pose, const sup_path_place* place, const sup_tasks* tasks,
                           void* scratch);
/// Where no time says which path: every mover takes the one that the pose is nearest to. Shares alone, all shifts are 0.
sup_trusted sup_trust_find_any(const sup_trust* trust, const sup_pose* pose, const sup_tasks* tasks, void* scratch);
/// q = share (q + shift (to - from)) for points begin to end; begin is a multiple of eight, and lists are padded to one.
SUP_WIDE_DECLARE(void, sup_trust_apply,
                 (const sup_trusted* trusted, const sup_vec3* from, const sup_vec3* to, uint32_t begin, uint32_t end,
                  sup_vec3* q));

/// n, l and G of a mover, and what its points' shares fall off by, summed over its turns.
typedef struct sup_trust_sums {
    float n, l, g, rate;
} sup_trust_sums;

/// `near`: how near to an end of the path time is, from 0 at the end to 1 and more. `share` and `shift` have room for eight
/// entries a block, those behind all others included.
SUP_WIDE_DECLARE(void, sup_trust_shares,
                 (const sup_trust* trust, const sup_trust_sums* sums, float ratio, float near, uint32_t begin, uint32_t end,
                  float* share, float* shift));

#endif
