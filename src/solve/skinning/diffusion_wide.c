#include "solve/skinning/diffusion.h"

#include <string.h>

// Sums of this many particles stay in float, the sums of those in double: long float sums would cost digits.
enum { BLOCK = 64, ITERATIONS_MAX = 1000 };
#define TOLERANCE 1e-6

typedef struct lane_sums {
    double of[SUP_LANES];
} lane_sums;

static void flush(lane_sums* sums, f8* part)
{
    for (int i = 0; i < SUP_LANES; ++i) sums->of[i] += (double)(*part)[i];
    *part = f8_all(0);
}

static inline float diagonal(const sup_diffusion* d, uint32_t i)
{
    return (float)(d->link_begin[i + 1] - d->link_begin[i]) + d->screen[i];
}

static inline f8 multiply_row(const sup_diffusion* d, const float* x, uint32_t i)
{
    const uint32_t* link = d->links + d->link_begin[i];
    uint32_t        count = d->link_begin[i + 1] - d->link_begin[i];
    f8              sum = f8_load(x + (size_t)i * SUP_LANES) * f8_all((float)count + d->screen[i]);
    if (count == 6) { // most are inside
        f8 a = f8_load(x + (size_t)link[0] * SUP_LANES) + f8_load(x + (size_t)link[1] * SUP_LANES);
        f8 b = f8_load(x + (size_t)link[2] * SUP_LANES) + f8_load(x + (size_t)link[3] * SUP_LANES);
        f8 c = f8_load(x + (size_t)link[4] * SUP_LANES) + f8_load(x + (size_t)link[5] * SUP_LANES);
        return sum - ((a + b) + c);
    }
    for (uint32_t k = 0; k < count; ++k) sum -= f8_load(x + (size_t)link[k] * SUP_LANES);
    return sum;
}

// r = H p - A p, z = r / diagonal, direction = z; w starts as p.
static void begin(const sup_diffusion* d, const float* inverse, const float* w, float* r, float* direction, lane_sums* rz,
                  lane_sums* bb)
{
    f8 part_rz = f8_all(0), part_bb = f8_all(0);
    *rz = *bb = (lane_sums){ { 0 } };
    for (uint32_t i = 0; i < d->count; ++i) {
        size_t at = (size_t)i * SUP_LANES;
        f8     b = f8_load(w + at) * f8_all(d->screen[i]);
        f8     residual = b - multiply_row(d, w, i), z = residual * f8_all(inverse[i]);
        f8_store(r + at, residual);
        f8_store(direction + at, z);
        part_rz += residual * z;
        part_bb += b * b;
        if (i % BLOCK == BLOCK - 1 || i + 1 == d->count) {
            flush(rz, &part_rz);
            flush(bb, &part_bb);
        }
    }
}

static void multiply(const sup_diffusion* d, const float* direction, float* q, lane_sums* pq)
{
    f8 part = f8_all(0);
    *pq = (lane_sums){ { 0 } };
    for (uint32_t i = 0; i < d->count; ++i) {
        size_t at = (size_t)i * SUP_LANES;
        f8     y = multiply_row(d, direction, i);
        f8_store(q + at, y);
        part += y * f8_load(direction + at);
        if (i % BLOCK == BLOCK - 1 || i + 1 == d->count) flush(pq, &part);
    }
}

// w += alpha direction, r -= alpha q, z = r / diagonal (into q), and the sums of the next step.
static void advance(const sup_diffusion* d, const float* inverse, f8 alpha, const float* direction, float* w, float* r,
                    float* q, lane_sums* rz, lane_sums* rr)
{
    f8 part_rz = f8_all(0), part_rr = f8_all(0);
    *rz = *rr = (lane_sums){ { 0 } };
    for (uint32_t i = 0; i < d->count; ++i) {
        size_t at = (size_t)i * SUP_LANES;
        f8     residual = f8_load(r + at) - alpha * f8_load(q + at), z = residual * f8_all(inverse[i]);
        f8_store(w + at, f8_load(w + at) + alpha * f8_load(direction + at));
        f8_store(r + at, residual);
        f8_store(q + at, z);
        part_rz += residual * z;
        part_rr += residual * residual;
        if (i % BLOCK == BLOCK - 1 || i + 1 == d->count) {
            flush(rz, &part_rz);
            flush(rr, &part_rr);
        }
    }
}

void SUP_WIDE(sup_diffusion_go_on)(const sup_diffusion* d, sup_diffusion_run* run, uint32_t most, float* w, float* work)
{
    size_t    n = (size_t)d->count * SUP_LANES;
    double    enough = d->tolerance > 0 ? (double)d->tolerance * (double)d->tolerance : TOLERANCE * TOLERANCE;
    float *   r = work, *direction = work + n, *q = work + 2 * n, *inverse = work + 3 * n;
    lane_sums rz, bb, pq, rr, next;
    if (!run->begun) {
        for (uint32_t i = 0; i < d->count; ++i) inverse[i] = 1.0f / diagonal(d, i);
        begin(d, inverse, w, r, direction, &rz, &bb);
        memcpy(run->rz, rz.of, sizeof run->rz), memcpy(run->bb, bb.of, sizeof run->bb);
        for (int i = 0; i < SUP_LANES; ++i) run->done[i] = !(bb.of[i] > 0) || !(rz.of[i] > 0);
        run->begun = true;
    }
    for (uint32_t left = most; !run->ended && left; --left) {
        bool all = true;
        for (int i = 0; i < SUP_LANES; ++i) all &= run->done[i];
        run->ended = all || run->iterations == ITERATIONS_MAX;
        if (run->ended) return;
        multiply(d, direction, q, &pq);
        f8 alpha = f8_all(0), beta = f8_all(0);
        for (int i = 0; i < SUP_LANES; ++i) // a lane that is done stands still
            if (!run->done[i] && pq.of[i] > 0) alpha[i] = (float)(run->rz[i] / pq.of[i]);
        advance(d, inverse, alpha, direction, w, r, q, &next, &rr);
        for (int i = 0; i < SUP_LANES; ++i) {
            run->done[i] = run->done[i] || !(pq.of[i] > 0) || rr.of[i] <= enough * run->bb[i];
            if (!run->done[i]) beta[i] = (float)(next.of[i] / run->rz[i]);
        }
        for (size_t at = 0; at < n; at += SUP_LANES) f8_store(direction + at, f8_load(q + at) + beta * f8_load(direction + at));
        memcpy(run->rz, next.of, sizeof run->rz);
        ++run->iterations;
    }
}

uint32_t SUP_WIDE(sup_diffusion_solve)(const sup_diffusion* d, float* w, float* work)
{
    sup_diffusion_run run = { 0 };
    while (!run.ended) SUP_WIDE(sup_diffusion_go_on)(d, &run, ITERATIONS_MAX, w, work);
    return run.iterations;
}

void SUP_WIDE(sup_diffusion_average)(const sup_diffusion* d, uint32_t steps, float* w, float* work)
{
    size_t n = (size_t)d->count * SUP_LANES;
    for (uint32_t step = 0; step < steps; ++step) {
        for (uint32_t i = 0; i < d->count; ++i) {
            uint32_t first = d->link_begin[i], last = d->link_begin[i + 1];
            f8       sum = f8_all(0);
            for (uint32_t k = first; k < last; ++k) sum += f8_load(w + (size_t)d->links[k] * SUP_LANES) * f8_all(d->rates[k]);
            f8_store(work + (size_t)i * SUP_LANES, sum);
        }
        memcpy(w, work, n * sizeof *w);
    }
}
