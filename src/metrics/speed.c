#include "base/internal.h"
#include "supple/metrics.h"

#include <math.h>
#include <string.h>

enum { KEPT = 3 }; // earlier frames that a third difference needs

struct sup_motion {
    uint32_t  point_count;
    double    dt;
    uint64_t  seen;
    sup_vec3* frames[KEPT]; // ring buffer: frame f is at f % KEPT
};

sup_result sup_motion_create(uint32_t point_count, double dt, sup_arena* arena, sup_motion** out, sup_error* error)
{
    SUP_ASSERT(arena && out && dt > 0);
    sup_motion* m = SUP_NEW(arena, sup_motion, 1);
    if (!m) return sup_fail_memory(error, "the frames of a motion");
    m->point_count = point_count;
    m->dt = dt;
    for (int k = 0; k < KEPT; ++k)
        if (!(m->frames[k] = SUP_NEW(arena, sup_vec3, point_count))) return sup_fail_memory(error, "the frames of a motion");
    *out = m;
    return SUP_OK;
}

static double speed_of(const sup_vec3* now, const sup_vec3* last, uint32_t count, double dt)
{
    double most = 0;
    for (uint32_t i = 0; i < count; ++i) {
        double x = (double)now[i].x - (double)last[i].x, y = (double)now[i].y - (double)last[i].y,
               z = (double)now[i].z - (double)last[i].z, square = x * x + y * y + z * z;
        if (square > most) most = square;
    }
    return sqrt(most) / dt;
}

static double third(float x3, float x2, float x1, float x0)
{
    return ((double)x3 - (double)x0) - 3 * ((double)x2 - (double)x1);
}

void sup_motion_push(sup_motion* m, const sup_vec3* points, double* speed_max, double* jerk_rms, double* jerk_max)
{
    SUP_ASSERT(m && points && speed_max && jerk_rms && jerk_max);
    *speed_max = *jerk_rms = *jerk_max = 0;
    const sup_vec3 *x0 = m->frames[m->seen % KEPT], *x1 = m->frames[(m->seen + 1) % KEPT],
                   *x2 = m->frames[(m->seen + 2) % KEPT];
    if (m->seen >= 1) *speed_max = speed_of(points, x2, m->point_count, m->dt);
    if (m->seen >= KEPT && m->point_count > 0) {
        double sum = 0, most = 0, cube = m->dt * m->dt * m->dt;
        for (uint32_t i = 0; i < m->point_count; ++i) {
            double x = third(points[i].x, x2[i].x, x1[i].x, x0[i].x), y = third(points[i].y, x2[i].y, x1[i].y, x0[i].y),
                   z = third(points[i].z, x2[i].z, x1[i].z, x0[i].z), square = x * x + y * y + z * z;
            sum += square;
            if (square > most) most = square;
        }
        *jerk_rms = sqrt(sum / m->point_count) / cube;
        *jerk_max = sqrt(most) / cube;
    }
    memcpy(m->frames[m->seen % KEPT], points, m->point_count * sizeof *points);
    m->seen++;
}

double sup_settle_time(const double* speeds, uint32_t count, uint32_t from, double dt, double threshold)
{
    for (uint32_t i = count; i-- > from;)
        if (!(speeds[i] <= threshold)) return i + 1 == count ? -1 : (double)(i - from) * dt; // NaN is not rest
    return 0;
}
