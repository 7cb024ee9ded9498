#include "play.h"
static void starts(void** state)
{
    (void)state;
    sup_character* c = test_tube(16, 12, 4, 1.0f, 0.1f);
    play p = play_chain((sup_chain_desc){ .character = c, .clip = &c->clips[0], .links = "layers" }, (sup_instance_desc){ .clip = &c->clips[0] });
    for (int i = 0; i < 40; ++i) {
        play_hash(&p, i / 30.0);
        float w = 0;
        for (uint32_t k = 0; k < p.points; ++k) if (!v3_finite(p.out[k])) fail();
        (void)w;
    }
    for (uint32_t i = 0; i < p.stats.count; ++i) print_message("%s %d\n", p.stats.items[i].name, (int)p.stats.items[i].times);
    play_end(&p);
    sup_character_destroy(c);
}
int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(starts) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
