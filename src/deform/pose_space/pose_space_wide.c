// Sums the corrections over the centers, one register of points at a time.
#include "deform/pose_space/pose_space.h"

#define INLINE static inline __attribute__((always_inline))

INLINE void sum_lanes(const pose_field* f, const pose_block* b, const float* distances, uint32_t lane, pose_kernel kernel,
                      sup_vec3* out)
{
    const float*    weights = f->data + b->data + lane;
    const float*    numbers = weights + (size_t)b->row_count * SUP_LANES;
    const uint32_t* rows = f->rows + b->row_begin;
    fr              width = fr_load(numbers), x = fr_load(numbers + SUP_LANES), y = fr_load(numbers + 2 * SUP_LANES),
       z = fr_load(numbers + 3 * SUP_LANES);
    numbers += 4 * SUP_LANES;
    for (uint32_t k = 0; k < f->center_count; ++k, numbers += 3 * SUP_LANES) {
        fr d2 = fr_all(0.0f);
        for (uint32_t r = 0; r < b->row_count; ++r)
            d2 += fr_load(weights + (size_t)r * SUP_LANES) * fr_all(distances[(size_t)rows[r] * f->center_count + k]);
        fr phi = kernel == POSE_KERNEL_GAUSSIAN ? fr_exp_negative(d2 * width) : fr_sqrt(d2 + width);
        x += phi * fr_load(numbers);
        y += phi * fr_load(numbers + SUP_LANES);
        z += phi * fr_load(numbers + 2 * SUP_LANES);
    }
    fr_store3(&out[lane].x, x, y, z);
}

void SUP_WIDE(sup_pose_field_sum)(const pose_field* field, const float* distances, uint32_t begin, uint32_t end, sup_vec3* out)
{
    for (uint32_t i = begin; i < end; ++i)
        for (uint32_t lane = 0; lane < SUP_LANES; lane += SUP_REGISTER) {
            sup_vec3* to = out + (size_t)i * SUP_LANES;
            if (field->kernel == POSE_KERNEL_GAUSSIAN)
                sum_lanes(field, &field->blocks[i], distances, lane, POSE_KERNEL_GAUSSIAN, to);
            else sum_lanes(field, &field->blocks[i], distances, lane, POSE_KERNEL_MULTIQUADRIC, to);
        }
}
