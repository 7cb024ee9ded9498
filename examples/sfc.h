// Plays a runtime file of the fourier deformer (.sfc, docs/deformers/fourier.md) at any time. Self-contained: copy it into a
// game. The file is used in memory as it is, aligned to 8 bytes, on a little-endian machine; sfc_check.h checks that it is
// complete.
#include <math.h>
#include <stdint.h>

typedef struct sfc { // the file's header: after `points`, the offsets of its arrays; each ends where the next begins
    uint32_t magic, version, hash, numbers;
    double   begin, period; // of a loop, or 0
    uint32_t points, element, piece, move, row, rest, lean, place, stand, strength, shape, end;
} sfc;
#define SFC_GET(type, f, array) ((const type*)((const char*)(f) + (f)->array))

// A function of the position on a curve or of time: a sum of elements.
static double sfc_value(const sfc* f, const uint32_t* of, double x)
{
    double sum = 0;
    for (const double *e = SFC_GET(double, f, element) + 6 * of[0], *end = e + 6 * of[1]; e < end; e += 6)
        sum += e[0] * pow(x, e[1]) * exp(e[2] * (x - e[3])) * cos(e[4] * x - e[5]);
    return sum;
}

// A section of a limb rotates x by the vector w about its center, at w[6], and shifts it by w[3]; the displacement q grows
// accordingly.
static void sfc_turn(const double* w, const double* x, double part, double* q)
{
    double u[3], a = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]), b = a > 0 ? sin(a / 2) / a : 0.5, s = 2 * b * cos(a / 2);
    for (int i = 0, j = 1, k = 2; i < 3; j = k, k = i++) u[i] = w[j] * (x[k] - w[6 + k]) - w[k] * (x[j] - w[6 + j]);
    for (int i = 0, j = 1, k = 2; i < 3; j = k, k = i++)
        q[i] += part * (w[3 + i] + s * u[i] + 2 * b * b * (w[j] * u[k] - w[k] * u[j]));
}

// The result, three numbers per point, is at the start of c, which must hold f->numbers.
static void sfc_at(const sfc* f, double time, double* c)
{
    if (f->period > 0) time -= f->period * floor((time - f->begin) / f->period);
    for (uint32_t i = 0; i < f->numbers; ++i) c[i] = 0;
    for (const uint32_t *m = SFC_GET(uint32_t, f, move), *end = SFC_GET(uint32_t, f, row); m < end; m += 6) {
        const double*  t = SFC_GET(double, f, piece) + 4 * m[0]; // from, until, zero, unit
        const int16_t* shape = SFC_GET(int16_t, f, shape) + m[5];
        double         way = time < t[0] || time >= t[1] ? 0 : ldexp(sfc_value(f, m + 1, (time - t[2]) / t[3]), shape[0]);
        for (uint32_t i = 0; i < m[4] && way != 0; ++i) c[m[3] + i] += way * shape[1 + i];
    }
    const uint16_t *place = SFC_GET(uint16_t, f, place), *stand = SFC_GET(uint16_t, f, stand),
                   *strength = SFC_GET(uint16_t, f, strength);
    const float* rest = SFC_GET(float, f, rest);
    for (double* q = c; q < c + 3 * f->points; q += 3, place += 6, stand += 2, rest += 3) {
        for (const uint32_t *r = SFC_GET(uint32_t, f, row), *end = SFC_GET(uint32_t, f, rest); r < end; r += 5)
            for (int i = 0; i < 6; i += 3) { // two curves: number, place, share
                double part = place[i] - r[2] < r[3] ? place[i + 2] / 65535.0 * sfc_value(f, r, place[i + 1] / 65535.0) : 0;
                for (int d = 0; d < 3 && part != 0; ++d) q[d] += part * c[r[4] + 3 * (place[i] - r[2]) + d];
            }
        if (f->stand < f->strength && stand[0] != 65535) {
            const double *w = c + 3 * f->points + 9 * stand[0], part = stand[1] / 65535.0;
            const double  x[3] = { q[0] + rest[0], q[1] + rest[1], q[2] + rest[2] };
            sfc_turn(w, x, 1 - part, q), sfc_turn(w + 9, x, part, q);
        }
        for (int d = 0; d < 3 && f->strength < f->shape; ++d) q[d] *= strength[(q - c) / 3] / 65535.0;
    }
}
