// Nelder and Mead's simplex: n + 1 points, the worst of which is reflected, expanded or contracted. Nothing is random: the same
// function gives the same answer.
#include "fit_simplex.h"

#include <math.h>
#include <string.h>

typedef struct corner {
    double x[SIMPLEX_MAX];
    double value;
} corner;

typedef struct simplex {
    const simplex_job* job;
    corner             corners[SIMPLEX_MAX + 1];
    uint32_t           asked;
    bool               stopped;
} simplex;

static double inside(double x) { return x < 0.0 ? 0.0 : x > 1.0 ? 1.0 : x; }

static void evaluate(simplex* s, corner* c)
{
    if (s->stopped) return;
    s->asked++;
    s->stopped = !s->job->value(s->job->user, c->x, &c->value);
    if (!isfinite(c->value)) c->value = HUGE_VAL;
}

// Best first; equal ones keep their order.
static void sort(simplex* s)
{
    for (uint32_t i = 1; i <= s->job->count; i++)
        for (uint32_t k = i; k > 0 && s->corners[k].value < s->corners[k - 1].value; k--) {
            corner swap = s->corners[k];
            s->corners[k] = s->corners[k - 1];
            s->corners[k - 1] = swap;
        }
}

// A point on the line from the centroid of all but the worst, `share` of the way to the worst; negative: away from it.
static corner along(simplex* s, double share)
{
    uint32_t      n = s->job->count;
    const corner* worst = &s->corners[n];
    corner        out = { 0 };
    for (uint32_t d = 0; d < n; d++) {
        double middle = 0.0;
        for (uint32_t i = 0; i < n; i++) middle += s->corners[i].x[d] / n;
        out.x[d] = inside(middle + share * (worst->x[d] - middle));
    }
    evaluate(s, &out);
    return out;
}

static void shrink(simplex* s)
{
    for (uint32_t i = 1; i <= s->job->count; i++) {
        for (uint32_t d = 0; d < s->job->count; d++) s->corners[i].x[d] = 0.5 * (s->corners[i].x[d] + s->corners[0].x[d]);
        evaluate(s, &s->corners[i]);
    }
}

static void step(simplex* s)
{
    uint32_t n = s->job->count;
    corner * worst = &s->corners[n], *second = &s->corners[n - 1];
    corner   reflected = along(s, -1.0);
    if (reflected.value < s->corners[0].value) {
        corner stretched = along(s, -2.0);
        *worst = stretched.value < reflected.value ? stretched : reflected;
    } else if (reflected.value < second->value) *worst = reflected;
    else {
        corner drawn = along(s, reflected.value < worst->value ? -0.5 : 0.5);
        if (drawn.value < worst->value && drawn.value <= reflected.value) *worst = drawn;
        else shrink(s);
    }
}

static bool small(const simplex* s)
{
    const corner *best = &s->corners[0], *worst = &s->corners[s->job->count];
    double        widest = 0.0;
    for (uint32_t i = 1; i <= s->job->count; i++)
        for (uint32_t d = 0; d < s->job->count; d++) widest = fmax(widest, fabs(s->corners[i].x[d] - best->x[d]));
    return widest < s->job->tolerance || worst->value - best->value <= 1e-3 * s->job->tolerance * fabs(best->value);
}

uint32_t simplex_search(const simplex_job* job, double* x, double* best)
{
    simplex s = { .job = job };
    for (uint32_t i = 0; i <= job->count; i++) {
        memcpy(s.corners[i].x, x, job->count * sizeof *x);
        // The first step goes in the direction with more room.
        if (i > 0) s.corners[i].x[i - 1] += x[i - 1] <= 0.5 ? job->step : -job->step;
        evaluate(&s, &s.corners[i]);
    }
    sort(&s);
    while (!s.stopped && s.asked < job->evaluations_max && !small(&s)) {
        step(&s);
        sort(&s);
    }
    memcpy(x, s.corners[0].x, job->count * sizeof *x);
    *best = s.corners[0].value;
    return s.stopped ? 0 : s.asked;
}
