/// tests/fuzz/fuzz.h: what every fuzz_*.c defines.
///
/// The same file is built twice: with libFuzzer (preset `fuzz`), and as an ordinary test in every other build, which feeds it
/// its seeds whole, cut short and damaged, and the files of crashes/<name>/ that once did harm.
#ifndef SUP_TESTS_FUZZ_H
#define SUP_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/// One input. Whatever it is, nothing may crash, hang or leak; what is read must hold its promises (abort where it does not).
int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size);

/// Takes one seed. Keep them small: the fuzzer grows them.
typedef void fuzz_seed_fn(void* user, const void* bytes, size_t size);

/// Hands over a few good inputs, made by code.
void fuzz_seeds(fuzz_seed_fn* seed, void* user);

#endif
