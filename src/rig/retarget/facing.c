// Which way a character faces, by its skeleton: toes point ahead, left is on its left, and a body that lies along the ground
// has its head in front.
#include "base/internal.h"
#include "math/vec.h"
#include "rig/retarget/figure.h"
#include "supple/rig.h"

#define SAMPLES 16u                      // number of sampled instants of a clip
static const float SNAP_COSINE = 0.906f; // 25 degrees: this close to an axis, the axis is meant, and a body only sways
static const float LYING = 0.5f;         // cosine of hips to head with the ground: a body on four feet (or flat on its face)
static const float DECIDED = 0.5f;       // length of the mean direction: below it, the character turns around

typedef struct facing_finder {
    const sup_character* character;
    body_map             body;
    sup_vec3             up;
} facing_finder;

static sup_vec3 place(const sup_pose* pose, uint32_t joint) { return affine_translation(&pose->global[joint]); }

static sup_vec3 flatten(const facing_finder* l, sup_vec3 d) { return v3_mad(d, -v3_dot(d, l->up), l->up); }

// The unit direction from one joint to another; zero if one is missing or they coincide.
static sup_vec3 direction_of(const sup_pose* pose, uint32_t from, uint32_t to)
{
    if (from == SUP_NONE || to == SUP_NONE) return v3(0, 0, 0);
    return v3_normalize(v3_sub(place(pose, to), place(pose, from)), v3(0, 0, 0));
}

static sup_vec3 by_pairs(const facing_finder* l, const sup_pose* pose)
{
    static const body_role roles[] = { ROLE_UPPER_LEG, ROLE_UPPER_ARM };
    sup_vec3               sum = v3(0, 0, 0);
    for (size_t i = 0; i < SUP_COUNT_OF(roles); ++i)
        sum = v3_add(sum, direction_of(pose, l->body.limbs[SIDE_RIGHT][roles[i]], l->body.limbs[SIDE_LEFT][roles[i]]));
    return v3_normalize(v3_cross(sum, l->up), v3(0, 0, 0));
}

// Feet in the air point anywhere: only toes that lie roughly along the ground count, weighted by how flat they lie.
static sup_vec3 by_toes(const facing_finder* l, const sup_pose* pose)
{
    sup_vec3 sum = v3(0, 0, 0);
    for (int side = 0; side < 2; ++side)
        sum = v3_add(sum, flatten(l, direction_of(pose, l->body.limbs[side][ROLE_FOOT], l->body.limbs[side][ROLE_TOE])));
    return v3_length2(sum) > DECIDED * DECIDED ? v3_normalize(sum, v3(0, 0, 0)) : v3(0, 0, 0);
}

static sup_vec3 by_head(const facing_finder* l, const sup_pose* pose)
{
    sup_vec3 ahead = flatten(l, direction_of(pose, l->body.hips, l->body.head));
    return v3_length2(ahead) > LYING * LYING ? v3_normalize(ahead, v3(0, 0, 0)) : v3(0, 0, 0);
}

// Sides are the most reliable, but the names of some rigs are mirrored: toes and head decide between the two directions.
static sup_vec3 facing_of(const facing_finder* l, const sup_pose* pose)
{
    sup_vec3 pairs = by_pairs(l, pose), toes = by_toes(l, pose), ahead = v3_length2(toes) > 0 ? toes : by_head(l, pose);
    if (v3_length2(pairs) == 0) return ahead;
    return v3_dot(pairs, ahead) < 0 ? v3_scale(pairs, -1) : pairs;
}

static sup_vec3 mean_facing(const facing_finder* l, const sup_clip* clip, sup_pose* pose)
{
    sup_vec3 sum = v3(0, 0, 0), first = sum;
    uint32_t count = clip ? SAMPLES : 1;
    for (uint32_t i = 0; i < count; ++i) {
        if (clip) sup_clip_sample(l->character, clip, clip->seconds * i / (SAMPLES - 1), pose);
        else sup_pose_rest(l->character, pose);
        sup_vec3 now = facing_of(l, pose);
        if (i == 0) first = now;
        sum = v3_add(sum, now);
    }
    return v3_normalize(v3_length(sum) < DECIDED * (float)count ? first : sum, v3(0, 0, 0));
}

// Modeling programs with z up face -y; glTF and the rest +z.
static sup_vec3 convention(sup_axis up) { return up == SUP_AXIS_Z ? v3(0, -1, 0) : v3(0, 0, 1); }

sup_vec3 sup_character_facing(const sup_character* character, const sup_clip* clip, const sup_allocator* allocator)
{
    SUP_ASSERT(character);
    sup_axis   up = character->up;
    figure     f;
    sup_arena* scratch = sup_arena_create(allocator);
    sup_pose   pose;
    sup_error  ignored;
    sup_vec3   found = v3(0, 0, 0);
    if (scratch && figure_of_character(character, NULL, 0, scratch, &f, &pose, &ignored) == SUP_OK)
        found = mean_facing(&(facing_finder){ character, f.body, figure_up(character) }, clip, &pose);
    sup_arena_destroy(scratch);
    if (!(v3_length2(found) > 0.5f) || !isfinite(found.x + found.y + found.z)) return convention(up);
    const sup_vec3 axes[] = { v3(1, 0, 0), v3(0, 1, 0), v3(0, 0, 1) };
    for (int i = 0; i < 3; ++i)
        if (fabsf(v3_dot(found, axes[i])) > SNAP_COSINE) return v3_scale(axes[i], v3_dot(found, axes[i]) < 0 ? -1.0f : 1.0f);
    return found;
}
