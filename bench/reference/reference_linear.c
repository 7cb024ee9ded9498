#include "bench/reference/reference.h"

void reference_linear(uint32_t point_count, const sup_vec3* points, const reference_influences* influences,
                      const sup_affine* skin, sup_vec3* out)
{
    for (uint32_t p = 0; p < point_count; ++p) {
        sup_affine m = { 0 };
        for (int k = 0; k < 4; ++k) {
            const sup_affine* joint = &skin[influences[p].joint[k]];
            float             weight = influences[p].weight[k];
            for (int i = 0; i < 3; ++i)
                for (int j = 0; j < 4; ++j) m.m[i][j] += weight * joint->m[i][j];
        }
        sup_vec3 v = points[p];
        out[p].x = m.m[0][0] * v.x + m.m[0][1] * v.y + m.m[0][2] * v.z + m.m[0][3];
        out[p].y = m.m[1][0] * v.x + m.m[1][1] * v.y + m.m[1][2] * v.z + m.m[1][3];
        out[p].z = m.m[2][0] * v.x + m.m[2][1] * v.y + m.m[2][2] * v.z + m.m[2][3];
    }
}

void reference_linear_point(sup_vec3 point, uint32_t count, const uint32_t* joints, const float* weights,
                            const sup_affine* skin, double out[3])
{
    double total = 0;
    for (uint32_t k = 0; k < count; ++k) total += weights[k];
    for (int i = 0; i < 3; ++i) {
        out[i] = 0;
        for (uint32_t k = 0; k < count; ++k) {
            const float* row = skin[joints[k]].m[i];
            out[i] +=
                weights[k] / total * ((double)row[0] * point.x + (double)row[1] * point.y + (double)row[2] * point.z + row[3]);
        }
    }
}
