// Captured and simulated sequences: what the oscillators of fourier do to skin whose curves are cut through real triangles.
#include "captured.h"

// Beside linear skinning + what it misses, interpolated along straight lines; and with all its swings beside its own static
// form.
static void between_keys_the_skin_is_nearer_than_interpolated_residuals(void** state)
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
            if (every == 8 && (all[i] == &cat || all[i] == &samba)) continue; // two keys
            score left = run(&c, every, "beam(modes=0,continuity=restart,turning=0)"), here = run(&c, every, "fourier");
            score still = run(&c, every, "fourier(continuity=hermite,sway=0)"),
                  swings = run(&c, every, "fourier(continuity=hermite)");
            print_message("  %s, keys every %u: residual %.4f (most %.2f), fourier %.4f (%.2f); cubic, static %.4f (%.2f), "
                          "dynamic %.4f (%.2f)\n",
                          all[i]->name, every, left.between, left.most, here.between, here.most, still.between, still.most,
                          swings.between, swings.most);
            assert_true(here.at < 1e-4 && swings.at < 1e-4); // the keys themselves
            assert_true(here.between < (every == 2 ? 1.02 : 1.0) * left.between);
            assert_true(swings.between < 1.03 * still.between);
            assert_true(here.most < 1.2 * left.most && swings.most < 1.2 * still.most); // no point is thrown
        }
        release(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(between_keys_the_skin_is_nearer_than_interpolated_residuals) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
