// Any bytes as a PC2 file: no crash, no leak, no hang, and words with every refusal.
#include "fuzz.h"

#include "fuzz_points.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    fuzz_points("a.pc2", data, size);
    return 0;
}

void fuzz_seeds(fuzz_seed_fn* seed, void* user)
{
    static const char bytes[32 + 24] = "POINTCACHE2\0\1\0\0\0\1\0\0\0\0\0\0\0\0\0\x80\x3f\2\0\0";
    seed(user, bytes, sizeof bytes);
}
