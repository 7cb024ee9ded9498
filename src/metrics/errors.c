#include "base/internal.h"
#include "supple/metrics.h"

#include <math.h>

void sup_errors_add(sup_errors* errors, const sup_vec3* points, const sup_vec3* truth, uint32_t count, float* per_point)
{
    SUP_ASSERT(errors && points && truth);
    for (uint32_t i = 0; i < count; ++i) {
        double x = (double)points[i].x - (double)truth[i].x, y = (double)points[i].y - (double)truth[i].y,
               z = (double)points[i].z - (double)truth[i].z, square = x * x + y * y + z * z, distance = sqrt(square);
        if (distance > errors->max || isnan(distance)) errors->max = distance; // NaN is kept
        errors->sum += distance;
        errors->sum_squares += square;
        if (per_point) per_point[i] = (float)distance;
    }
    errors->count += count;
}

double sup_errors_mean(const sup_errors* errors) { return errors->count ? errors->sum / (double)errors->count : 0; }
double sup_errors_rms(const sup_errors* errors)
{
    return errors->count ? sqrt(errors->sum_squares / (double)errors->count) : 0;
}

double sup_errors_erms(const sup_errors* errors, double diagonal)
{
    if (!errors->count || !(diagonal > 0)) return 0;
    return 1000 * sqrt(errors->sum_squares / (3 * (double)errors->count)) / diagonal;
}
