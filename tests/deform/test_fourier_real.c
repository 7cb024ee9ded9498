// Captured and simulated sequences: what the oscillators of fourier do to skin whose curves are cut through real triangles.
#include "captured.h"

// Dynamics against the plain interpolation of the same examples: near it on average, and no point is thrown.
static void no_point_is_thrown_between_keys(void** state)
{
    (void)state;
    static const sequence* const all[] = { &horse, &samba, &cow, &cat };
    for (int i = 0; i < 4; ++i) {
        captured c;
        if (!capture(all[i], &c)) {
            print_message("skipped: the shared data set is not beside the checkout\n");
            skip();
        }
        for (uint32_t every = 2; every <= 8; every *= 2) {
            if (every == 8 && all[i] == &cat) continue; // two poses far apart
            score left = run(&c, every, "beam(sway=0,turning=0,continuity=hermite)");
            score links[2] = { run(&c, every, "fourier"), run(&c, every, "fourier(sway=0)") };
            print_message("  %s, keys every %u: residual %.4f (most %.2f), fourier %.4f (%.2f), static %.4f (%.2f)\n",
                          all[i]->name, every, left.between, left.most, links[0].between, links[0].most, links[1].between,
                          links[1].most);
            for (int k = 0; k < 2; ++k) {
                assert_true(links[k].at < 1e-4); // the keys themselves
                assert_true(links[k].between < 1.02 * left.between && links[k].most < 1.05 * left.most);
            }
        }
        release(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(no_point_is_thrown_between_keys) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
