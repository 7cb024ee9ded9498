// Any bytes as a NPY file: no crash, no leak, no hang, and words with every refusal.
#include "fuzz.h"

#include "fuzz_points.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    fuzz_points("a.npy", data, size);
    return 0;
}

void fuzz_seeds(fuzz_seed_fn* seed, void* user)
{
    static const char text[] =
        "\x93NUMPY\1\0\x3c\0{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,3), }  \n012345678901";
    static const char wide[] =
        "\x93NUMPY\2\0\x3c\0\0\0{'descr': '>f8', 'fortran_order': False, 'shape': (1, 3), }   \n012345678901234567890123";
    seed(user, text, sizeof text - 1);
    seed(user, wide, sizeof wide - 1);
}
