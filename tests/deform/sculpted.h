/// tests/deform/sculpted.h: characters with example sculpts that a test creates itself.
#ifndef SUP_TESTS_SCULPTED_H
#define SUP_TESTS_SCULPTED_H

#include "play.h"

#include <math.h>

/// The arm with examples of our own: a shallow copy whose list is ours.
typedef struct sculpted {
    sup_character  character;
    sup_character* arm;
    sup_example    examples[8];
    sup_vec3*      points[8];
    sup_clip       clip; ///< flex, or one in which nothing moves
} sculpted;

static inline sculpted* arm_of(uint32_t points)
{
    sculpted* s = calloc(1, sizeof *s);
    s->arm = test_builtin("arm", points);
    s->character = *s->arm;
    return s;
}

/// Examples of the clip flex: the linear skin at their time plus a smooth bump that differs from one to the next.
static inline sculpted* sculpt_on(uint32_t points, uint32_t count, double from, double to, bool still)
{
    sculpted* s = arm_of(points);
    s->clip = still ? (sup_clip){ .name = "flex", .seconds = 1, .source_id = SUP_NONE } : *sup_character_clip(s->arm, "flex");
    uint32_t n = s->arm->mesh.point_count;
    play     p = play_chain((sup_chain_desc){ .character = s->arm, .clip = &s->clip, .links = "linear" },
                            (sup_instance_desc){ .clip = &s->clip });
    for (uint32_t j = 0; j < count; ++j) {
        double time = from + (to - from) * j / (count > 1 ? count - 1 : 1);
        play_hash(&p, time);
        s->points[j] = malloc(n * sizeof(sup_vec3));
        for (uint32_t i = 0; i < n; ++i) {
            sup_vec3 rest = s->arm->mesh.points[i];
            float    high = 0.02f * sinf(1.3f * (float)j + 9 * rest.x) * (j == 0 ? 0.2f : 1.0f);
            s->points[j][i] = v3_add(p.out[i], v3(high * 0.3f, high, 0.5f * high));
        }
        s->examples[j] = (sup_example){ "sculpt", "flex", time, false, s->points[j] };
    }
    s->character.examples = s->examples;
    s->character.example_count = count;
    play_end(&p);
    return s;
}

static inline sculpted* sculpt(uint32_t points, uint32_t count, double from, double to)
{
    return sculpt_on(points, count, from, to, false);
}

static inline void sculpted_end(sculpted* s)
{
    for (int j = 0; j < 8; ++j) free(s->points[j]);
    sup_character_destroy(s->arm);
    free(s);
}

static inline play sculpted_play(const sculpted* s, const char* links)
{
    const sup_clip* clip = &s->clip;
    return play_chain((sup_chain_desc){ .character = &s->character, .clip = clip, .links = links },
                      (sup_instance_desc){ .clip = clip });
}

/// The clip's first second over and over.
static inline play sculpted_loop(const sculpted* s, const char* links)
{
    return play_chain((sup_chain_desc){ .character = &s->character, .clip = &s->clip, .links = links, .cycle_end = 1 },
                      (sup_instance_desc){ .clip = &s->clip, .loop = true });
}

/// The largest difference between the speeds (y) with which points arrive at `until` and leave from `from`, over steps of h,
/// second order; *speed grows to the largest speed seen. A jump does not shrink with h.
static inline double sculpted_jump(play* p, double until, double from, double h, double* speed)
{
    float* at[5];
    double jump = 0;
    for (int i = 0; i < 5; ++i) {
        at[i] = malloc(p->points * sizeof(float));
        play_hash(p, i < 2 ? until + (i - 2) * h : from + (i - 2) * h);
        for (uint32_t v = 0; v < p->points; ++v) at[i][v] = p->out[v].y;
    }
    for (uint32_t v = 0; v < p->points; ++v) {
        double left = (1.5 * at[2][v] - 2.0 * at[1][v] + 0.5 * at[0][v]) / h;
        double right = (-1.5 * at[2][v] + 2.0 * at[3][v] - 0.5 * at[4][v]) / h;
        jump = fmax(jump, fabs(left - right));
        *speed = fmax(*speed, fabs(left));
    }
    for (int i = 0; i < 5; ++i) free(at[i]);
    return jump;
}

/// Over points and components.
static inline double sculpted_rms(const sup_vec3* a, const sup_vec3* b, uint32_t n)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; ++i) {
        sup_vec3 d = v3_sub(a[i], b[i]);
        sum += (double)d.x * d.x + (double)d.y * d.y + (double)d.z * d.z;
    }
    return sqrt(sum / (3.0 * n));
}

/// Every example is reproduced at every point, with two sculpts and with seven: E_RMS of the papers.
static inline void sculpted_come_back(const char* const* chains, size_t chain_count)
{
    for (uint32_t count = 2; count <= 7; count += 5) {
        sculpted* s = sculpt(1200, count, 0, 1);
        for (size_t k = 0; k < chain_count; ++k) {
            play   p = sculpted_play(s, chains[k]);
            double worst = 0;
            for (uint32_t j = 0; j < count; ++j) {
                play_hash(&p, s->examples[j].time);
                worst = fmax(worst, 1000 * sculpted_rms(p.out, s->points[j], p.points) / (double)s->arm->mesh.diagonal);
            }
            if (!(worst < 2e-4)) fail_msg("%s with %u examples: E_RMS %g", chains[k], count, worst);
            play_end(&p);
        }
        sculpted_end(s);
    }
}

/// A loop of four examples reproduces all of them and ends where it began, bit for bit. Returns the jump of its speed over the
/// seam.
static inline double sculpted_seam(const sculpted* s, const char* chain, double* speed)
{
    play p = sculpted_loop(s, chain);
    for (uint32_t j = 0; j < 4; ++j) {
        play_hash(&p, s->examples[j].time);
        assert_true(1000 * sculpted_rms(p.out, s->points[j], p.points) < 2e-4 * (double)s->arm->mesh.diagonal);
    }
    assert_true(play_hash(&p, 0) == play_hash(&p, 1));
    double jump = sculpted_jump(&p, 1, 0, 1e-3, speed);
    print_message("  %s: jump of the speed over the seam %.4f of %.2f\n", chain, jump, *speed);
    play_end(&p);
    return jump;
}

/// Between two examples, and only there, the skin differs from that without modes; without mass it never does.
static inline void sculpted_swings(const char* chain, const char* without_modes, const char* without_mass)
{
    sculpted* s = sculpt(1200, 2, 0, 1);
    play   moving = sculpted_play(s, chain), still = sculpted_play(s, without_modes), massless = sculpted_play(s, without_mass);
    double most = 0;
    for (int f = 0; f <= 10; ++f) {
        play_hash(&moving, f / 10.0), play_hash(&still, f / 10.0), play_hash(&massless, f / 10.0);
        double apart = sculpted_rms(moving.out, still.out, moving.points) / (double)s->arm->mesh.diagonal;
        assert_true(sculpted_rms(massless.out, still.out, still.points) < 1e-7);
        if (f == 0 || f == 10) assert_true(apart < 1e-7);
        most = fmax(most, apart);
    }
    print_message("  dynamic against static: %.3f%% of the diagonal\n", 100 * most);
    assert_true(most > 5e-4);
    play_end(&moving), play_end(&still), play_end(&massless), sculpted_end(s);
}

#endif
