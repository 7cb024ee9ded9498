// The runtime file of fourier (.sfc), through the player of examples/.
#include "sculpted.h"

#include "../../examples/sfc_check.h"

typedef struct saved {
    sup_arena*  arena;
    const void* bytes;
    size_t      size;
} saved;

static saved save_link(const play* p)
{
    saved     s = { .arena = sup_arena_create(NULL) };
    sup_error error;
    assert_ok(sup_chain_save(p->chain, sup_chain_link_count(p->chain) - 1, s.arena, &s.bytes, &s.size, &error), error);
    return s;
}

// v and shares are stored in 65535ths: nine waves around move by as much as 4e-4 from one to the next.
#define PLAYED 2e-4

// What the player computes from a file at a time: three numbers per point.
typedef struct played {
    const sfc* f;
    double*    q;
} played;

static played open_file(const saved* file)
{
    played x = { file->bytes, NULL };
    assert_null(sfc_wrong(file->bytes, file->size));
    x.q = malloc((x.f->numbers + 1) * sizeof *x.q);
    return x;
}

static sup_vec3 played_at(const played* x, uint32_t i)
{
    return v3((float)x->q[3 * i], (float)x->q[3 * i + 1], (float)x->q[3 * i + 2]);
}

// Largest difference between a chain on a static skeleton and the player of its file, over the largest displacement.
static double player_error(play* p, const sup_vec3* rest, double from, double to)
{
    saved  file = save_link(p);
    played x = open_file(&file);
    double worst = 0, most = 1e-9;
    for (int frame = 0; frame <= 12; ++frame) {
        double time = from + (to - from) * frame / 12.0;
        play_hash(p, time);
        sfc_at(x.f, time, x.q);
        for (uint32_t i = 0; i < p->points; ++i) {
            sup_vec3 d = v3_sub(p->out[i], rest[i]);
            worst = fmax(worst, (double)v3_distance(d, played_at(&x, i)));
            most = fmax(most, (double)v3_length(d));
        }
    }
    free(x.q), sup_arena_destroy(file.arena);
    return worst / most;
}

static void a_player_of_the_runtime_file_finds_the_same_places(void** state)
{
    (void)state;
    static const char* const chains[] = { "fourier",
                                          "fourier(residual=half)",
                                          "fourier(residual=none,terms=3)",
                                          "fourier(ramp=smootherstep,cycles=0.5)",
                                          "fourier(ramp=smoothstep,damping=1)",
                                          "fourier(damping=2,order=fourth)",
                                          "fourier(way=along,ends=tangent)",
                                          "fourier(way=along,residual=none)",
                                          "fourier(way=along,ends=free)",
                                          "fourier(way=along,ends=free,order=fourth)",
                                          "fourier(continuity=carry,cycles=3)",
                                          "fourier(continuity=restart,sway=0.4)",
                                          "fourier(continuity=hermite,cycles=2)",
                                          "fourier(hold=0.1,sway=0.3)",
                                          "fourier(hold=0.5,settle=1)",
                                          "fourier(settle=1,damping=0.05)",
                                          "fourier(settle=1,sway=2,strength=0.6)",
                                          "fourier(expert=1,density=0,viscosity=2)",
                                          "fourier(expert=1,density=0,viscosity=0)",
                                          "fourier(expert=1,density=1e-6,viscosity=3)" };
    double                   worst = 0;
    for (uint32_t count = 1; count <= 5; count += 2)
        for (int loop = 0; loop < 2; ++loop) {
            sculpted* s = sculpt_on(600, count, 0, 0.8, true); // the skeleton rests, so the skin is rest + displacement
            for (uint32_t k = 0; k < SUP_COUNT_OF(chains); ++k) {
                play   p = loop ? sculpted_loop(s, chains[k]) : sculpted_play(s, chains[k]);
                double off = player_error(&p, s->arm->mesh.points, 0, loop ? 0.999 : 1.5);
                worst = fmax(worst, off);
                if (!(off < PLAYED)) fail_msg("%s, %u examples, loop %d: off by %g", chains[k], count, loop, off);
                play_end(&p);
            }
            sculpted_end(s);
        }
    print_message("  at most %.1e of the largest displacement off\n", worst);
}

// Nothing is kept from one time to the next; and with the full residual every sculpt is reproduced.
static void any_order_of_times_gives_the_same_numbers_and_examples_are_exact(void** state)
{
    (void)state;
    sculpted* s = sculpt_on(600, 4, 0, 1, true);
    play      p = sculpted_play(s, "fourier(continuity=hermite)");
    saved     file = save_link(&p);
    played    x = open_file(&file), y = open_file(&file);
    double    worst = 0;
    for (int f = 0; f <= 10; ++f) {
        sfc_at(x.f, f / 10.0, x.q);
        for (int back = 10; back >= f; --back) sfc_at(y.f, back / 10.0, y.q);
        assert_memory_equal(x.q, y.q, x.f->numbers * sizeof *x.q);
    }
    for (uint32_t j = 0; j < 4; ++j) {
        sfc_at(x.f, s->examples[j].time, x.q);
        for (uint32_t i = 0; i < p.points; ++i)
            worst = fmax(worst, (double)v3_distance(v3_add(s->arm->mesh.points[i], played_at(&x, i)), s->points[j][i]));
    }
    print_message("  sculpts are missed by %.1e of the diagonal\n", worst / (double)s->arm->mesh.diagonal);
    assert_true(worst < 5e-7 * (double)s->arm->mesh.diagonal);
    free(x.q), free(y.q), sup_arena_destroy(file.arena), play_end(&p), sculpted_end(s);
}

static void loads_are_in_the_runtime_file(void** state)
{
    (void)state;
    static const char* const chains[] = { "fourier(damping=0.2,cycles=2)", "fourier(way=along,ends=free,order=fourth)",
                                          "fourier(expert=1,density=0,viscosity=2)", "fourier(expert=1,density=0,viscosity=0)",
                                          "fourier(expert=1,density=1,restoring=0)" };
    sculpted*                s = sculpt_on(600, 3, 0, 0.8, true);
    sup_character            bare = s->character;
    sup_arena*               arena = sup_arena_create(NULL);
    sup_json*                world =
        test_json("{\"gravity\":[0,0,0],\"forces\":[{\"name\":\"push\",\"curve\":3,\"ratio\":0.5,\"value\":[0.1,0,1],"
                  "\"keys\":[{\"time\":0,\"value\":0.1},{\"time\":0.2,\"value\":1},{\"time\":0.5,\"value\":1,\"step\":true},"
                  "{\"time\":0.6,\"value\":0}]},{\"name\":\"line\",\"curve\":5,\"from\":0,\"to\":0.7,\"value\":[0,1,0]}]}",
                  arena);
    bare.example_count = 0;
    for (uint32_t k = 0; k < 2 * SUP_COUNT_OF(chains); ++k)
        for (int loop = 0; loop < 2; ++loop) {
            const char*    links = chains[k / 2];
            sup_chain_desc desc = {
                .character = k % 2 ? &bare : &s->character, .clip = &s->clip, .links = links, .world = world
            };
            desc.cycle_end = loop;
            play   p = play_chain(desc, (sup_instance_desc){ .clip = &s->clip, .loop = loop });
            double off = player_error(&p, s->arm->mesh.points, 0, loop ? 0.999 : 1.5);
            if (!(off < PLAYED)) fail_msg("%s, %s, loop %d: off by %g", links, k % 2 ? "bare" : "sculpts", loop, off);
            play_end(&p);
        }
    sup_arena_destroy(arena), sculpted_end(s);
}

// With a moving skeleton: linear blending of rest + the q of the player.
static void a_game_that_blends_linearly_gets_the_baked_skin(void** state)
{
    (void)state;
    static const char* const clips[] = { "flex", "twist" };
    sup_character*           c = test_builtin("arm", 1200);
    for (int k = 0; k < 2; ++k) {
        const sup_clip* clip = sup_character_clip(c, clips[k]);
        play            p = play_chain((sup_chain_desc){ .character = c, .clip = clip, .links = "fourier(lean=0,trust=0)" },
                                       (sup_instance_desc){ .clip = clip });
        saved           file = save_link(&p);
        played          x = open_file(&file);
        double          worst = 0;
        assert_int_equal(x.f->lean, x.f->place);
        if (k == 1) assert_true(x.f->stand < x.f->strength); // the twist is spread over the forearm
        for (int frame = 0; frame <= 6; ++frame) {
            double    time = frame / 6.0;
            sup_vec3* moved = malloc(c->mesh.point_count * sizeof *moved);
            sfc_at(x.f, time, x.q);
            for (uint32_t i = 0; i < p.points; ++i) moved[i] = v3_add(c->mesh.points[i], played_at(&x, i));
            sup_character game = *c;
            game.mesh.points = moved;
            play linear = play_chain((sup_chain_desc){ .character = &game, .clip = clip, .links = "linear" },
                                     (sup_instance_desc){ .clip = clip });
            play_hash(&p, time), play_hash(&linear, time);
            for (uint32_t i = 0; i < p.points; ++i) worst = fmax(worst, (double)v3_distance(p.out[i], linear.out[i]));
            play_end(&linear), free(moved);
        }
        print_message("  %s: off by %.1e, %zu bytes\n", clips[k], worst, file.size);
        assert_true(worst < 1e-5);
        free(x.q), sup_arena_destroy(file.arena), play_end(&p);
    }
    sup_character_destroy(c);
}

// A skinning of the rest shape, moved by the player's q or not.
static sup_vec3* skinned(const sup_character* c, const sup_clip* clip, const char* links, double time, const played* x)
{
    sup_vec3 *moved = malloc(c->mesh.point_count * sizeof *moved), *out = malloc(c->mesh.point_count * sizeof *out);
    for (uint32_t i = 0; i < c->mesh.point_count; ++i)
        moved[i] = x ? v3_add(c->mesh.points[i], played_at(x, i)) : c->mesh.points[i];
    sup_character game = *c;
    game.mesh.points = moved;
    play p =
        play_chain((sup_chain_desc){ .character = &game, .clip = clip, .links = links }, (sup_instance_desc){ .clip = clip });
    play_hash(&p, time);
    memcpy(out, p.out, p.points * sizeof *out);
    play_end(&p), free(moved);
    return out;
}

// linear + share (dualquat - linear) + R q, as the page says; without that a game is off, and saving the file says so.
static void points_that_lean_stand_where_the_file_says(void** state)
{
    (void)state;
    sup_character*  c = test_builtin("arm", 1200);
    const sup_clip* clip = sup_character_clip(c, "flex");
    play            p = play_chain((sup_chain_desc){ .character = c, .clip = clip, .links = "fourier(trust=0)" },
                                   (sup_instance_desc){ .clip = clip });
    play            straight = play_chain((sup_chain_desc){ .character = c, .clip = clip, .links = "fourier(lean=0,trust=0)" },
                                          (sup_instance_desc){ .clip = clip });
    saved           file = save_link(&p);
    played          x = open_file(&file);
    const uint32_t *lean = SFC_GET(uint32_t, x.f, lean), *end = SFC_GET(uint32_t, x.f, place);
    double          worst = 0, unheeded = 0;
    assert_true(lean < end);
    assert_non_null(strstr(sup_chain_save_note(p.chain, 1), "points lean on dual quaternions"));
    assert_non_null(strstr(sup_chain_save_note(p.chain, 1), "fourier(lean=0)"));
    assert_null(sup_chain_save_note(straight.chain, 1));
    for (int frame = 1; frame <= 4; ++frame) {
        double time = frame / 4.0;
        sfc_at(x.f, time, x.q), play_hash(&p, time);
        sup_vec3 *plain = skinned(c, clip, "linear", time, NULL), *moved = skinned(c, clip, "linear", time, &x);
        sup_vec3 *turned = skinned(c, clip, "dualquat", time, NULL), *both = skinned(c, clip, "dualquat", time, &x);
        for (uint32_t i = 0; i < p.points; ++i) unheeded = fmax(unheeded, (double)v3_distance(p.out[i], moved[i]));
        for (const uint32_t* l = lean; l < end; l += 2) {
            float share = (float)l[1] / 65535.0f;
            moved[l[0]] =
                v3_add(v3_mad(plain[l[0]], share, v3_sub(turned[l[0]], plain[l[0]])), v3_sub(both[l[0]], turned[l[0]]));
        }
        for (uint32_t i = 0; i < p.points; ++i) worst = fmax(worst, (double)v3_distance(p.out[i], moved[i]));
        free(plain), free(moved), free(turned), free(both);
    }
    print_message("  off by %.1e; %.1e (%.2f%% of the diagonal) where that is not heeded\n", worst, unheeded,
                  100 * unheeded / (double)c->mesh.diagonal);
    assert_true(worst < 1e-5 && unheeded > 1e-3);
    free(x.q), sup_arena_destroy(file.arena), play_end(&p), play_end(&straight), sup_character_destroy(c);
}

static void every_byte_that_is_missing_or_turned_is_noticed(void** state)
{
    (void)state;
    sculpted* s = sculpt_on(200, 3, 0, 1, true);
    play      p = sculpted_play(s, "fourier(terms=3,curves=4,residual=half)");
    saved     file = save_link(&p);
    char*     bytes = malloc(file.size);
    for (size_t size = 0; size < file.size; size += size < 2000 ? 1 : 997) assert_non_null(sfc_wrong(file.bytes, size));
    for (size_t at = 0; at < file.size; at += at < 4000 ? 1 : 131)
        for (int bit = 0; bit < 8; ++bit) {
            memcpy(bytes, file.bytes, file.size);
            bytes[at] = (char)(bytes[at] ^ 1 << bit);
            assert_non_null(sfc_wrong(bytes, file.size));
        }
    memcpy(bytes, file.bytes, file.size);
    bytes[4] = 2;
    assert_non_null(strstr(sfc_wrong(bytes, file.size), "or older"));
    bytes[4] = 4;
    assert_non_null(strstr(sfc_wrong(bytes, file.size), "newer"));
    free(bytes), sup_arena_destroy(file.arena), play_end(&p), sculpted_end(s);
}

static void what_does_not_fit_a_runtime_file_is_said(void** state)
{
    (void)state;
    sculpted* s = sculpt_on(300, 2, 0, 1, true);
    play      plain = sculpted_play(s, "linear");
    play live = play_chain((sup_chain_desc){ .character = s->arm, .links = "fourier" }, (sup_instance_desc){ .live = true });
    sup_arena*  arena = sup_arena_create(NULL);
    const void* bytes;
    size_t      size;
    sup_error   error;
    assert_true(sup_chain_save(live.chain, 1, arena, &bytes, &size, &error) == SUP_ERROR_INPUT);
    assert_non_null(strstr(error.text, "bind with the clip of the examples"));
    assert_true(sup_chain_save(plain.chain, 0, arena, &bytes, &size, &error) == SUP_ERROR_INPUT);
    assert_non_null(strstr(error.text, "linear has no runtime file"));
    sup_arena_destroy(arena), play_end(&live), play_end(&plain), sculpted_end(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_player_of_the_runtime_file_finds_the_same_places),
        cmocka_unit_test(any_order_of_times_gives_the_same_numbers_and_examples_are_exact),
        cmocka_unit_test(loads_are_in_the_runtime_file),
        cmocka_unit_test(a_game_that_blends_linearly_gets_the_baked_skin),
        cmocka_unit_test(points_that_lean_stand_where_the_file_says),
        cmocka_unit_test(every_byte_that_is_missing_or_turned_is_noticed),
        cmocka_unit_test(what_does_not_fit_a_runtime_file_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
