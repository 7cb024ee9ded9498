// Any bytes as a PLY file: no crash, no leak, no hang, and words with every refusal.
#include "fuzz.h"

#include "fuzz_read.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    fuzz_read("a.ply", data, size);
    return 0;
}

#define REST                                                                                                                   \
    "element vertex 3\nproperty char x\nproperty char y\nproperty char z\nproperty float quality\nelement other 1\n"           \
    "property list uchar char things\nelement face 1\nproperty list uchar uchar vertex_indices\nend_header\n"

void fuzz_seeds(fuzz_seed_fn* seed, void* user)
{
    static const char ascii[] = "ply\nformat ascii 1.0\ncomment seed\n" REST "0 0 0 0\n1 0 0 0.5\n0 1 0 1\n2 5 6\n3 0 1 2\n";
    static const char little[] =
        "ply\nformat binary_little_endian 1.0\n" REST "\0\0\0\0\0\0\0\1\0\0\0\0\x80\x3f\0\1\0\0\0\0\0"
        "\2\5\6\3\0\1\2";
    static const char big[] = "ply\r\nformat binary_big_endian 1.0\r\n" REST "\0\0\0\0\0\0\0\1\0\0\x3f\x80\0\0\0\1\0\0\0\0\0"
                              "\2\5\6\3\0\1\2";
    seed(user, ascii, sizeof ascii - 1);
    seed(user, little, sizeof little - 1);
    seed(user, big, sizeof big - 1);
}
