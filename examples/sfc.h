// A runtime file of the fourier deformer (.sfc, docs/deformers/fourier.md): finds its arrays, and says whether it is whole.
// Stands alone; for little-endian machines. 04_play_sfc.c evaluates it.
#include <stdint.h>
#include <string.h>

enum {
    FUNCTION,
    FIRST,
    OF,
    MODE,
    PLACE,
    SCALE,
    LEFT,
    CENTER,
    TURN,
    STAND,
    REST,
    STRONG,
    LEAN,
    MOTION,
    TRACKS
}; // arrays, in order
enum { U16 = 1, I16, U32, F32, F64 };

typedef struct sfc_array {
    uint32_t type, length;
    uint64_t at;
} sfc_array;

typedef struct sfc {
    uint32_t         points, curves, coefs, weights, stations, tracks;
    const double*    function;          // [functions]: power, growth, from, wave, phase
    const uint32_t*  first;             // [curves + 1]: coefficients of each curve
    const uint16_t * of, *mode, *place; // [coefs]: function; [coefs + weights]; [points][2]: curve, v, share
    const float *    scale, *left;      // [weights]; [weights][points][3], floats
    const int16_t*   fixed;             // or these
    const float *    center, *turn;     // [stations][3]; [weights][stations][6]: rotation vector, shift
    const uint16_t * stand, *strong;    // [points][2]: station, ratio; [points]
    const float*     rest;              // [points][3]
    const double*    motion;            // [motions]: 16 powers of t, then four times amplitude and a function of t
    const sfc_array* list;
    const char*      bytes;
} sfc;

typedef struct sfc_track { // moves coefficients first to first + count: sum over ways of motion(t) x shape
    uint32_t        first, count, ways, pieces, open, modes;
    double          origin, period;
    const double*   times; // [pieces + 1]
    const uint32_t* moved; // [pieces][1 + modes][ways]: shapes, then of every mode its motions
    const float*    shape; // [shapes][count][3]
} sfc_track;

// An array, where it is of this type and length; an empty one is none.
static const void* sfc_find(const sfc* f, uint32_t array, uint32_t type, double length, int* wrong)
{
    const sfc_array* a = &f->list[array];
    *wrong |= a->length != length || a->type != type;
    return a->length ? f->bytes + a->at : NULL;
}

static int sfc_next(const sfc* f, uint32_t number, sfc_track* t) // 0: damaged
{
    int           wrong = 0;
    uint32_t      at = TRACKS + 3 * number, length = f->list[at].length, n[5];
    const double* head = sfc_find(f, at, F64, length, &wrong);
    for (int i = 0; i < 5 && length > 8; ++i) wrong |= !(head[i] >= 0 && head[i] < 4e9), n[i] = wrong ? 0 : (uint32_t)head[i];
    if (wrong || length < 9 || n[3] != length - 8 || n[2] == 0 || (double)n[0] + n[1] > (double)f->coefs + f->weights) return 0;
    uint32_t rows = (uint32_t)(f->list[at + 1].length / ((double)n[2] * n[3])), motions = f->list[MOTION].length / 40;
    uint32_t shapes = n[1] ? f->list[at + 2].length / 3 / n[1] : 0;
    *t = (sfc_track){ n[0], n[1], n[2], n[3], n[4], rows - 1, head[5], head[6], head + 7, 0, 0 };
    t->moved = sfc_find(f, at + 1, U32, (double)rows * n[2] * n[3], &wrong);
    t->shape = sfc_find(f, at + 2, F32, 3.0 * shapes * n[1], &wrong);
    for (uint32_t i = 0; i < f->list[at + 1].length && !wrong; ++i)
        wrong = n[1] > 0 && t->moved[i] >= (i / n[2] % rows ? motions : shapes);
    return !wrong && rows > 0;
}

static const char* sfc_open(const char* bytes, size_t size, sfc* f) // NULL, or what is wrong
{
    static const uint32_t sizes[6] = { 0, 2, 2, 4, 4, 8 };
    uint32_t              head[4], hash = 2166136261u, n;
    sfc_track             t;
    if (size < 16 || memcmp(bytes, "SFC\x1a", 4) != 0) return "this is no .sfc file";
    memcpy(head, bytes, 16);
    if (head[1] != 2) return "this .sfc file is newer than its player, or older: it reads version 2";
    for (size_t i = 16; i < size; ++i) hash = (hash ^ (uint8_t)bytes[i]) * 16777619u;
    int wrong = hash != head[2] || head[3] < TRACKS || head[3] > (size - 16) / sizeof(sfc_array) || (head[3] - TRACKS) % 3;
    *f = (sfc){ .list = (const sfc_array*)(bytes + 16), .bytes = bytes };
    for (const sfc_array* a = f->list; !wrong && a < f->list + head[3]; ++a)
        wrong = a->type > F64 || a->at % 8 || a->at > size || (double)a->length * sizes[a->type] > (double)(size - a->at);
    if (wrong) return "this .sfc file is cut short or damaged";
    n = f->points = f->list[PLACE].length / 6, f->stations = f->list[CENTER].length / 3, f->coefs = f->list[OF].length;
    f->curves = f->list[FIRST].length - 1, f->weights = f->list[MODE].length - f->coefs, f->tracks = (head[3] - TRACKS) / 3;
    double left = f->list[SCALE].length ? 3.0 * n * f->weights : 0, turning = f->stations ? n : 0;
    wrong = f->list[FIRST].length == 0 || f->list[MODE].length < f->coefs || f->list[FUNCTION].length % 5;
    f->function = sfc_find(f, FUNCTION, F64, f->list[FUNCTION].length, &wrong), f->of = sfc_find(f, OF, U16, f->coefs, &wrong);
    f->first = sfc_find(f, FIRST, U32, 1.0 + f->curves, &wrong),
    f->mode = sfc_find(f, MODE, U16, (double)f->coefs + f->weights, &wrong);
    f->place = sfc_find(f, PLACE, U16, 6.0 * n, &wrong), f->scale = sfc_find(f, SCALE, F32, left > 0 ? f->weights : 0, &wrong);
    if (f->list[LEFT].type == I16) f->fixed = sfc_find(f, LEFT, I16, left, &wrong);
    else f->left = sfc_find(f, LEFT, F32, left, &wrong);
    f->center = sfc_find(f, CENTER, F32, 3.0 * f->stations, &wrong),
    f->turn = sfc_find(f, TURN, F32, 6.0 * f->stations * f->weights, &wrong);
    f->stand = sfc_find(f, STAND, U16, 2 * turning, &wrong), f->rest = sfc_find(f, REST, F32, 3 * turning, &wrong);
    f->strong = sfc_find(f, STRONG, U16, f->list[STRONG].length ? n : 0, &wrong);
    f->motion = sfc_find(f, MOTION, F64, f->list[MOTION].length, &wrong);
    for (uint32_t i = 0; i < f->curves && !wrong; ++i) wrong = f->first[i] > f->first[i + 1] || f->first[i + 1] > f->coefs;
    for (uint32_t i = 0; i < f->coefs && !wrong; ++i) wrong = f->of[i] >= f->list[FUNCTION].length / 5;
    for (uint32_t i = 0; i < f->tracks && !wrong; ++i) wrong = !sfc_next(f, i, &t);
    return wrong ? "this .sfc file is damaged" : NULL;
}
