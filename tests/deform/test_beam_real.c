// Captured and simulated sequences: beam compared with the alternatives in the papers.
#include "captured.h"

// What the papers compare: points interpolated, bones alone, bones plus a linearly interpolated residual (in the rest frame),
// beam.
static void tell(const sequence* s, const captured* c, uint32_t every)
{
    double plain = run(c, every, NULL).between, linear = run(c, every, "linear").between;
    double left = run(c, every, "beam(modes=0,continuity=restart,turning=0,trust=0)").between;
    double cubic = run(c, every, "beam(continuity=hermite)").between, fast = run(c, every, "beam(continuity=carry)").between;
    score  beam = run(c, every, "beam"), fourier = run(c, every, "fourier");
    print_message(
        "  %s, keys every %u: plain %.3f, linear %.3f, dualquat %.3f, linear + residual %.3f, beam %.3f (hermite %.3f, "
        "carry %.3f), fourier %.3f\n",
        s->name, every, plain, linear, run(c, every, "dualquat").between, left, beam.between, cubic, fast, fourier.between);
    assert_true(beam.at < 1e-4 && fourier.at < 1e-4);                  // the keys themselves
    assert_true(beam.between < 0.3 * plain);                           // far better than points alone
    assert_true(beam.between < 1.02 * left && beam.between < linear);  // and better than bones with or without their residual
    assert_true(cubic < 1.1 * left && fourier.between < 1.02 * left);  // a cubic pays for its continuous speed
}

static void between_keys_the_skin_is_nearer_than_interpolated_residuals(void** state)
{
    (void)state;
    const sequence* all[] = { &horse, &samba, &cow };
    for (int i = 0; i < 3; ++i) {
        captured c;
        if (!capture(all[i], &c)) {
            print_message("skipped: the shared data set is not beside the checkout\n");
            skip();
        }
        tell(all[i], &c, 4);
        if (all[i] == &cow) tell(all[i], &c, 8);
        release(&c);
    }
}

static void all_frames_as_examples_leave_no_error(void** state)
{
    (void)state;
    captured c;
    if (!capture(&horse, &c)) {
        print_message("skipped: the shared data set is not beside the checkout\n");
        skip();
    }
    score s = run(&c, 1, "beam"), bones = run(&c, 1, "linear");
    print_message("  horse, 24 examples: E_RMS %.1e (10 bones alone: %.2f)\n", s.erms, bones.erms);
    assert_true(s.erms < 1e-3 && bones.erms > 2);
    release(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(between_keys_the_skin_is_nearer_than_interpolated_residuals),
        cmocka_unit_test(all_frames_as_examples_leave_no_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
