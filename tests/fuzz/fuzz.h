/// tests/fuzz/fuzz.h: what every fuzz_*.c defines.
///
/// The same file is built twice: with libFuzzer (preset `fuzz`), and as an ordinary test in every other build, which feeds it
/// its seeds whole, cut short and damaged, and the files of crashes/<name>/ that once did harm.
#ifndef SUP_TESTS_FUZZ_H
#define SUP_TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// One input. Whatever it is, nothing may crash, hang or leak; what is read must hold its promises (abort where it does not).
int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size);

/// Takes one seed. Keep them small: the fuzzer grows them.
typedef void fuzz_seed_fn(void* user, const void* bytes, size_t size);

/// From now on so many allocations succeed, then none; negative: all. Returns how many were refused since the last call. Defined
/// by fuzz_read.h for harnesses that take memory from it, and by those that see to it themselves.
long fuzz_starve(long allowed);

/// Whether an input was read, and not refused, since the last call: seeds must be. Optional.
bool fuzz_accepted(void);

/// How much dearer an input is than one of a reader's: replaying cuts and damages that many times fewer. Optional; else 1.
uint32_t fuzz_cost(void);

/// Hands over a few good inputs, made by code.
void fuzz_seeds(fuzz_seed_fn* seed, void* user);

#endif
