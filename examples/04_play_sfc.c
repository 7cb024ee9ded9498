// Plays a runtime file of the fourier deformer: `04_play_sfc FILE SECONDS` prints what moves every point before skinning. Plain
// C, without the library. A game would keep f(v) of every point, and what stations do in a frame.
#include "sfc.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// Every function, of v as of t: power, growth, from, wave, phase.
static double value(const double* g, double x) { return pow(x, g[0]) * exp(g[1] * (x - g[2])) * cos(g[3] * x - g[4]); }

// A share of every example and the coefficients of every curve, c, are moved by tracks: closed forms of the time.
static void add_track(const sfc* f, const sfc_track* k, double time, double* c)
{
    uint32_t j = 0, n = 3 * k->count;
    if (k->period > 0) time -= k->period * floor((time - k->origin) / k->period);
    while (j + 1 < k->pieces && time >= k->times[j + 1]) ++j;
    double t = fmax((time - k->times[j]) / (k->times[j + 1] - k->times[j]), 0);
    if (!k->open || j + 1 < k->pieces) t = fmin(t, 1);
    const uint32_t* moved = k->moved + (size_t)j * (1 + k->modes) * k->ways;
    for (uint32_t w = 0; w < k->ways; ++w)
        for (uint32_t m = 0; m < k->modes; ++m) {
            const double* o = f->motion + 40 * (size_t)moved[(1 + m) * k->ways + w];
            const float*  shape = k->shape + (size_t)moved[w] * n;
            double        way = 0;
            for (int i = 16; i-- > 0;) way = way * t + o[i];
            for (int i = 16; i < 40; i += 6) way += o[i] * value(o + i + 1, t);
            for (uint32_t i = 0; i < n && way != 0; ++i)
                if (f->mode[k->first + i / 3] == m) c[3 * k->first + i] += way * shape[i];
        }
}

// A section of a limb turns x about its center, by as much as the shares of the examples say.
static void add_turned(const sfc* f, uint32_t station, const double* share, double part, const double* x, double* sum)
{
    double w[6] = { 0 }, p[3], n[3], along = 0;
    for (uint32_t i = 0; i < 6 * f->weights; ++i)
        w[i % 6] += share[3 * (i / 6)] * f->turn[((size_t)(i / 6) * f->stations + station) * 6 + i % 6];
    double a = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    for (int i = 0; i < 3; ++i) p[i] = x[i] - f->center[3 * station + i], n[i] = a > 0 ? w[i] / a : 0, along += n[i] * p[i];
    for (int i = 0, j = 1, k = 2; i < 3; j = k, k = i++)
        sum[i] += part * (f->center[3 * station + i] + w[3 + i] + p[i] * cos(a) + (n[j] * p[k] - n[k] * p[j]) * sin(a) +
                          n[i] * along * (1 - cos(a)));
}

static void sfc_at(const sfc* f, double time, double* c, float* q) // c: 3 (coefs + weights) numbers to work with, q: 3 a point
{
    const double* share = c + 3 * (size_t)f->coefs;
    sfc_track     k;
    memset(c, 0, 3 * ((size_t)f->coefs + f->weights) * sizeof *c);
    for (uint32_t i = 0; i < f->tracks && sfc_next(f, i, &k); ++i) add_track(f, &k, time, c);
    for (size_t p = 0; p < f->points; ++p) {
        double x[3] = { 0 }, y[3] = { 0 };
        for (const uint16_t* on = f->place + 6 * p; on < f->place + 6 * p + 6; on += 3)
            for (uint32_t i = on[0] < f->curves ? f->first[on[0]] : 0; on[0] < f->curves && i < f->first[on[0] + 1]; ++i) {
                double part = on[2] / 65535.0 * value(f->function + 5 * f->of[i], on[1] / 65535.0);
                for (int d = 0; d < 3; ++d) x[d] += part * c[3 * i + d];
            }
        for (size_t e = 0; f->scale && e < f->weights; ++e) // what the curves miss of the examples
            for (size_t d = 0, i = 3 * (e * f->points + p); d < 3; ++d, ++i)
                x[d] += share[3 * e] * f->scale[e] * (f->left ? f->left[i] : f->fixed[i]);
        if (f->stand && f->stand[2 * p] + 1u < f->stations) { // between the two stations beside the point
            double part = f->stand[2 * p + 1] / 65535.0;
            for (int d = 0; d < 3; ++d) x[d] += f->rest[3 * p + d];
            add_turned(f, f->stand[2 * p], share, 1 - part, x, y), add_turned(f, f->stand[2 * p] + 1u, share, part, x, y);
            for (int d = 0; d < 3; ++d) x[d] = y[d] - f->rest[3 * p + d];
        }
        for (int d = 0; d < 3; ++d) q[3 * p + d] = (float)(x[d] * (f->strong ? f->strong[p] / 65535.0 : 1));
    }
}

int main(int argc, char** argv)
{
    FILE* file = argc == 3 ? fopen(argv[1], "rb") : NULL;
    if (argc == 1) return puts("usage: 04_play_sfc FILE SECONDS"), 0;
    if (!file) return fprintf(stderr, "%s: cannot be opened, or a second is missing\n", argv[1]), 2;
    fseek(file, 0, SEEK_END);
    size_t size = (size_t)ftell(file);
    char*  bytes = malloc(size + 1);
    sfc    f;
    rewind(file);
    const char* wrong = fread(bytes, 1, size, file) == size ? sfc_open(bytes, size, &f) : "it cannot be read";
    fclose(file);
    if (wrong) return fprintf(stderr, "%s: %s\n", argv[1], wrong), 1;
    double* c = calloc(3 * ((size_t)f.coefs + f.weights) + 1, sizeof *c);
    float*  q = calloc(3 * (size_t)f.points + 1, sizeof *q);
    sfc_at(&f, atof(argv[2]), c, q);
    for (uint32_t p = 0; p < f.points; ++p) printf("%.9g %.9g %.9g\n", q[3 * p], q[3 * p + 1], q[3 * p + 2]);
    free(q), free(c), free(bytes);
    return 0;
}
