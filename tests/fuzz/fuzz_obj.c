// Any bytes as an OBJ file: no crash, no leak, no hang, and words with every refusal.
#include "fuzz.h"

#include "fuzz_read.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    fuzz_read("a.obj", data, size);
    return 0;
}

void fuzz_seeds(fuzz_seed_fn* seed, void* user)
{
    static const char text[] = "# seed\nv 0 0 0\nv 1 0 0 1.0\nv 1 1 0 .5 .5 .5\nv 0 1.25e-1 0\nvt 0 0\nvn 0 0 1\no a\n"
                               "f 1//1 2//1 \\\n3//1 4//1\r\nf 1/ 2/1/1 -1\n";
    seed(user, text, sizeof text - 1);
}
