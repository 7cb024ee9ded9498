// Plays a runtime file of the fourier deformer: `04_play_sfc FILE SECONDS` prints what moves every point before skinning.
// Stands alone; the layout is in docs/deformers/fourier.md. For little-endian machines.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct sfc {
    uint32_t        magic, version, flags, points, curves, coefs, examples, segments, modes, ramp, residual, zero;
    const double *  times, *tangents, *oscillators, *waves; // [segments + 1], [examples], [segments][modes][10], [modes][2]
    const uint32_t* first;                                  // [curves + 1] coefficients
    const uint16_t *mode, *places;                          // [coefs], [points][2] of curve, v, share
    const float*    shapes;                                 // [segments][2, or 4 where smooth][coefs][3]
    const char*     left;                                   // of every example, what the curves miss: floats, or halves
} sfc;
enum { SMOOTH = 1, CYCLE = 2, STILL = 1, HERMITE = 2 };

static const char* sfc_open(const char* bytes, size_t size, sfc* f) // NULL, or what is wrong
{
    if (size < 48 || memcmp(bytes, "SFC\x1a", 4) != 0) return "this is no .sfc file";
    memcpy(f, bytes, 48);
    if (f->version != 1) return "this .sfc file is newer than its player";
    double n = f->points, at = 48, s = f->segments, each = f->residual == 2 ? n * 1.5 : f->residual == 1 ? n * 0.75 + 0.5 : 0;
    double part[8] = { s + 1,
                       f->examples,
                       s * f->modes * 10,
                       f->modes * 2.0, // in eights of bytes, as they do not overflow
                       (4 * (f->curves + 1.0) + 2.0 * f->coefs) / 8,
                       (f->flags & SMOOTH ? 4 : 2) * (s + (s == 0)) * f->coefs * 1.5,
                       n * 1.5,
                       ceil(each) * f->examples };
    const void* begin[8];
    for (int i = 0; i < 8; at += 8 * ceil(part[i++])) begin[i] = bytes + (at < (double)size ? (size_t)at : 0);
    if (at != (double)size || f->ramp > 2 || f->residual > 2 || f->examples == 0)
        return "this .sfc file is cut short or damaged";
    if (f->segments > f->examples || f->segments + 1 < f->examples) return "this .sfc file is damaged: its examples";
    f->times = begin[0], f->tangents = begin[1], f->oscillators = begin[2], f->waves = begin[3], f->first = begin[4];
    f->mode = (const uint16_t*)(f->first + f->curves + 1), f->shapes = begin[5], f->places = begin[6], f->left = begin[7];
    for (uint32_t c = 0; c <= f->curves; ++c)
        if (f->first[c] > f->coefs || (c && f->first[c] < f->first[c - 1])) return "this .sfc file is damaged: a curve";
    for (uint32_t i = 0; i < f->coefs; ++i)
        if (f->mode[i] >= f->modes) return "this .sfc file is damaged: a wave";
    for (size_t i = 0; i < 2 * (size_t)f->points; ++i)
        if (f->places[3 * i] != 0xffff && f->places[3 * i] >= f->curves) return "this .sfc file is damaged: a point";
    return NULL;
}

// y(t) of rho y'' + eta y' + h y = force: value and derivatives of the force stand behind y and y'. A series, in short steps.
static double flow(const double* o, double t, double rate, const double* force)
{
    double s[9] = { 0, rate }, fast = o[0] > 0 ? sqrt(o[2] / o[0]) + o[1] / o[0] : o[2] / o[1];
    int    steps = fast * t >= 0 && fast * t < 1000 ? 1 + (int)(fast * t) : 1000;
    memcpy(s + 2, force, 6 * sizeof *s);
    for (int i = 0; i < steps; ++i)
        for (double a[9], k = (memcpy(a, s, sizeof a), 1); k < 24; ++k) {
            double d = t / steps / k, y = o[0] > 0 ? a[1] : (a[2] - o[2] * a[0]) / o[1];
            a[1] = o[0] > 0 ? d * (a[2] - o[1] * a[1] - o[2] * a[0]) / o[0] : 0, a[0] = d * y;
            for (int j = 2; j < 8; ++j) a[j] = d * a[j + 1];
            for (int j = 0; j < 8; ++j) s[j] += a[j];
        }
    return s[0];
}

static float half(uint16_t h)
{
    float size = h & 0x7c00 ? ldexpf((float)(1024 + h % 1024), (h >> 10 & 31) - 25) : ldexpf((float)(h % 1024), -24);
    return h & 0x8000 ? -size : size;
}

static void sfc_at(const sfc* f, double time, double* c, float* q) // c: 3 for each coefficient; q: 3 for each point
{
    static const double force[3][8] = { { 0, 1 }, { 0, 0, 6, -12 }, { 0, 0, 0, 60, -360, 720 } }, one[6] = { 1 },
                        none[6] = { 0 };
    uint32_t n = f->segments, j = 0, e = f->examples, cycle = f->flags & CYCLE, smooth = f->flags & SMOOTH;
    double   t = 0, T = 1, span = f->times[n] - f->times[0];
    if (cycle) time -= span * floor((time - f->times[0]) / span);
    while (j + 1 < n && time >= f->times[j + 1]) ++j;
    if (n) T = f->times[j + 1] - f->times[j], t = fmin(fmax((time - f->times[j]) / T, 0), 1);
    double       h01 = t * t * (3 - 2 * t), h10 = t * (1 - t) * (1 - t), h11 = t * t * (t - 1);
    double       r = smooth || f->ramp == 1 ? h01 : f->ramp == 0 ? t : t * t * t * (10 - 15 * t + 6 * t * t);
    const float* shape = f->shapes + (size_t)j * (smooth ? 12 : 6) * f->coefs;
    for (uint32_t m = 0; m < f->modes; ++m) {
        const double* o = f->oscillators + ((size_t)j * f->modes + m) * 10;
        double        way[3] = { r, h10, h11 }; // shares of the change and of the rates at both ends
        if (n && o[9] != STILL && t > 0 && t < 1) {
            double a = flow(o, t, 0, one), b = flow(o, t, 0, force[o[9] == HERMITE ? 0 : f->ramp]);
            for (int k = 0; k < 3; ++k) way[k] = o[3 + 2 * k] * a + o[4 + 2 * k] * b;
            way[1] += o[0] > 0 ? flow(o, t, 1, none) : 0;
        }
        for (uint32_t i = 0; i < 3 * f->coefs; ++i)
            if (f->mode[i / 3] == m) {
                c[i] = shape[i] + way[0] * shape[i + 3 * f->coefs];
                if (smooth) c[i] += way[1] * shape[i + 6 * (size_t)f->coefs] + way[2] * shape[i + 9 * (size_t)f->coefs];
            }
    }
    uint32_t to = n ? (j + 1) % e : 0, before = j ? j - 1 : cycle ? e - 1 : 0, next = to + 1 < e ? to + 1 : cycle ? 0 : to;
    double   a = smooth ? h10 * T * f->tangents[j] : 0, b = smooth ? h11 * T * f->tangents[to] : 0;
    uint32_t which[4] = { j, to, before, next };
    float    share[4] = { (float)(1 - r - b), (float)(r + a), (float)-a, (float)b };
    for (uint32_t p = 0; p < f->points; ++p)
        for (uint32_t k = 0; k < 3; ++k) {
            double sum = 0;
            for (int side = 0; side < 2; ++side) {
                const uint16_t* at = f->places + 6 * (size_t)p + 3 * side;
                for (uint32_t i = at[0] == 0xffff ? 0 : f->first[at[0]]; at[0] != 0xffff && i < f->first[at[0] + 1]; ++i) {
                    double wave = f->waves[2 * f->mode[i]], v = at[1] / 65535.0;
                    sum += at[2] / 65535.0 * c[3 * i + k] *
                           (wave < 0 ? pow(v, -1 - wave) : cos(wave * v - f->waves[2 * f->mode[i] + 1]));
                }
            }
            size_t each = 8 * (f->residual == 2 ? (3 * (size_t)f->points + 1) / 2 : (3 * (size_t)f->points + 5) / 4),
                   i = 3 * p + k;
            for (int x = 0; x < 4 && f->residual; ++x) {
                const char* left = f->left + each * which[x];
                if (f->residual == 2) sum += share[x] * ((const float*)left)[i];
                else sum += share[x] * *(const float*)left * half(((const uint16_t*)left)[2 + i]);
            }
            q[3 * p + k] = (float)sum;
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
    double* c = calloc(3 * (size_t)f.coefs + 1, sizeof *c);
    float*  q = calloc(3 * (size_t)f.points + 1, sizeof *q);
    sfc_at(&f, atof(argv[2]), c, q);
    for (uint32_t p = 0; p < f.points; ++p) printf("%.9g %.9g %.9g\n", q[3 * p], q[3 * p + 1], q[3 * p + 2]);
    free(q), free(c), free(bytes);
    return 0;
}
