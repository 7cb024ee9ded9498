/// tests/deform/captured.h: captured and simulated sequences, as in the papers: the motion is known, the skin between the keys
/// is not. Bones, weights and poses come from the whole sequence, examples are frames at a fixed interval, errors are those of
/// the frames between.
#ifndef SUP_TESTS_CAPTURED_H
#define SUP_TESTS_CAPTURED_H

#include "play.h"

#include "supple/rig.h"

#include <math.h>

typedef struct sequence {
    const char* name;
    const char *folder, *pattern; // with the number in four digits
    const char* rest;
    uint32_t    first, step, count, bones;
} sequence;

typedef struct captured {
    sup_character* character; // with bones and a clip
    sup_vec3**     frames;
    uint32_t       count, points;
} captured;

static inline sup_vec3* load_points(const char* folder, const char* name, uint32_t* count, sup_character** keep)
{
    char path[512];
    sup_format(path, sizeof path, "%s/%s", folder, name);
    const char* file = test_data(path);
    if (!file) return NULL;
    sup_character* c = test_load(file);
    sup_vec3*      points = malloc(c->mesh.point_count * sizeof *points);
    memcpy(points, c->mesh.points, c->mesh.point_count * sizeof *points);
    *count = c->mesh.point_count;
    if (keep) *keep = c;
    else sup_character_destroy(c);
    return points;
}

static inline bool capture(const sequence* s, captured* out)
{
    char           name[64];
    sup_character* rest = NULL;
    sup_error      error;
    uint32_t       n;
    sup_vec3*      rest_points = load_points(s->folder, s->rest, &n, &rest);
    if (!rest_points) return false;
    free(rest_points);
    *out = (captured){ .count = s->count, .points = n, .frames = calloc(s->count, sizeof *out->frames) };
    sup_vec3* all = malloc((size_t)s->count * n * sizeof *all);
    for (uint32_t f = 0; f < s->count; ++f) {
        uint32_t number = s->first + f * s->step, same;
        char digits[8] = { (char)('0' + number / 1000 % 10), (char)('0' + number / 100 % 10), (char)('0' + number / 10 % 10),
                           (char)('0' + number % 10), 0 };
        sup_format(name, sizeof name, s->pattern, digits);
        out->frames[f] = load_points(s->folder, name, &same, NULL);
        assert_int_equal(same, n);
        memcpy(all + (size_t)f * n, out->frames[f], n * sizeof *all);
    }
    sup_arena*          arena = sup_arena_create(NULL);
    sup_decompose_input in = { .point_count = n,
                               .frame_count = s->count,
                               .rest = rest->mesh.points,
                               .frames = all,
                               .face_count = rest->mesh.face_count,
                               .face_begin = rest->mesh.face_begin,
                               .corners = rest->mesh.corner_points };
    sup_decomposition   d;
    assert_ok(sup_decompose(&in, &(sup_decompose_options){ .bones = s->bones }, arena, &d, &error), error);
    assert_ok(sup_decomposition_attach(rest, &d, "fit", 30, NULL, NULL, &out->character, &error), error);
    sup_arena_destroy(arena);
    sup_character_destroy(rest);
    free(all);
    return true;
}

static inline void release(captured* c)
{
    for (uint32_t f = 0; f < c->count; ++f) free(c->frames[f]);
    free(c->frames);
    sup_character_destroy(c->character);
}

typedef struct score {
    double between, at, most, erms; // rms and largest error in % of the diagonal; E_RMS over all frames
} score;

static inline double square_error(const sup_vec3* a, const sup_vec3* b, uint32_t n, double* most)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; ++i) {
        sup_vec3 d = v3_sub(a[i], b[i]);
        double   square = (double)d.x * d.x + (double)d.y * d.y + (double)d.z * d.z;
        sum += square;
        *most = fmax(*most, square);
    }
    return sum;
}

// Errors of a chain with examples every `every` frames; links NULL: plain interpolation of the points.
static inline score run(const captured* c, uint32_t every, const char* links)
{
    sup_character with = *c->character;
    sup_example   examples[64];
    uint32_t      count = 0, last = (c->count - 1) / every * every;
    for (uint32_t f = 0; f <= last; f += every)
        examples[count++] = (sup_example){ "frame", NULL, f / 30.0, false, c->frames[f] };
    with.examples = examples;
    with.example_count = count;
    double          sums[2] = { 0, 0 }, most = 0, diagonal = (double)with.mesh.diagonal;
    uint32_t        frames[2] = { 0, 0 };
    const sup_clip* clip = &with.clips[0];
    play            p = { 0 };
    sup_vec3*       mixed = malloc(c->points * sizeof *mixed);
    if (links)
        p = play_chain((sup_chain_desc){ .character = &with, .clip = clip, .links = links },
                       (sup_instance_desc){ .clip = clip });
    for (uint32_t f = 0; f <= last; ++f) {
        const sup_vec3* skin = mixed;
        if (links) play_hash(&p, f / 30.0), skin = p.out;
        else
            for (uint32_t i = 0; i < c->points; ++i)
                mixed[i] = v3_lerp(c->frames[f / every * every][i], c->frames[(f + every - 1) / every * every][i],
                                   (float)(f % every) / (float)every);
        int key = f % every == 0;
        sums[key] += square_error(skin, c->frames[f], c->points, &most);
        ++frames[key];
    }
    if (links) play_end(&p);
    free(mixed);
    score s = { .at = 100 * sqrt(sums[1] / ((double)frames[1] * c->points)) / diagonal, .most = 100 * sqrt(most) / diagonal };
    if (frames[0]) s.between = 100 * sqrt(sums[0] / ((double)frames[0] * c->points)) / diagonal;
    s.erms = 1000 * sqrt((sums[0] + sums[1]) / (3.0 * c->points * (frames[0] + frames[1]))) / diagonal;
    return s;
}

static const sequence horse = { "horse-gallop", "horse-gallop", "%s.obj", "reference.obj", 1, 1, 24, 10 };
static const sequence samba = { "samba", "samba", "mesh_%s.obj", "mesh_0000.obj", 40, 2, 13, 15 };
static const sequence cow = { "elastic-cow", "elastic-cow", "%s.obj", "0001.obj", 9, 1, 17, 10 };
static const sequence cat = { "cat-poses", "cat-poses", "%s.obj", "reference.obj", 1, 1, 9, 15 };

#endif
