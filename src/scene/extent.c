// How large a character is.
#include "base/internal.h"
#include "math/vec.h"
#include "supple/scene.h"

#include <math.h>

double sup_character_physics_unit(const sup_character* character)
{
    return character->metres_per_unit * (character->size_factor > 0 ? character->size_factor : 1);
}

static sup_vec3 skinned(const sup_character* c, const sup_pose* pose, uint32_t point)
{
    sup_vec3 sum = v3(0, 0, 0);
    for (uint32_t i = c->weights.begin[point]; i < c->weights.begin[point + 1]; ++i)
        sum = v3_mad(sum, c->weights.values[i], affine_point(&pose->skin[c->weights.joints[i]], c->mesh.points[point]));
    return sum;
}

// Measured in the rest pose, not in rest space: the file's transforms may scale the mesh, and the result is what people see.
sup_result sup_character_extent(const sup_character* character, const sup_allocator* allocator, double* out, sup_error* error)
{
    SUP_ASSERT(character && out);
    *out = 0;
    if (character->mesh.point_count == 0) return SUP_OK;
    sup_arena* scratch = sup_arena_create(allocator);
    sup_pose   pose;
    sup_result result = scratch ? sup_pose_create(character, scratch, &pose, error) : sup_fail_memory(error, "a character");
    if (result == SUP_OK) {
        sup_pose_rest(character, &pose);
        sup_vec3 low = skinned(character, &pose, 0), high = low;
        for (uint32_t p = 1; p < character->mesh.point_count; ++p) {
            sup_vec3 at = skinned(character, &pose, p);
            low = v3_min(low, at);
            high = v3_max(high, at);
        }
        sup_vec3 size = v3_sub(high, low);
        double   longest = (double)fmaxf(size.x, fmaxf(size.y, size.z));
        if (isfinite(size.x) && isfinite(size.y) && isfinite(size.z)) *out = longest;
    }
    sup_arena_destroy(scratch);
    return result;
}
