// Any bytes as a packed buffer of EXT_meshopt_compression; the first four say how: mode, filter, count, stride.
#include "fuzz.h"

#include "fuzz_read.h"
#include "supple/io_extra.h"

#include <string.h>

enum { HEAD = 4 };

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    const sup_extra* extra = sup_extra_get();
    if (!extra->meshopt_decode || size < HEAD) return 0;
    uint32_t count = data[2], stride = data[3];
    uint8_t* out = calloc((size_t)count * stride + 1, 1);
    // An exact copy, so that a sanitizer sees a byte too many.
    uint8_t* packed = malloc(size - HEAD + 1);
    if (out && packed) {
        memcpy(packed, data + HEAD, size - HEAD);
        fuzz_good |= extra->meshopt_decode((sup_meshopt_mode)(data[0] % 3), (sup_meshopt_filter)(data[1] % 4), count, stride,
                                           (sup_bytes){ packed, size - HEAD }, out);
    }
    free(packed);
    free(out);
    return 0;
}

void fuzz_seeds(fuzz_seed_fn* seed, void* user)
{
    enum { COUNT = 24, STRIDE = 12 };
    const sup_extra*     extra = sup_extra_get();
    float                values[COUNT * 3];
    static const uint8_t triangle[HEAD + 18] = { 1, 0, 3, 4, 0xe0, 0xf0 };   // 0 1 2, all of them new
    static const uint8_t sequence[HEAD + 8] = { 2, 0, 3, 4, 0xd0, 0, 4, 4 }; // 0 1 2, by their differences
    for (int i = 0; i < COUNT * 3; ++i) values[i] = 0.125f * (float)(i % 7);
    seed(user, triangle, sizeof triangle);
    seed(user, sequence, sizeof sequence);
    if (!extra->meshopt_encode) return;
    size_t   capacity = extra->meshopt_bound(COUNT, STRIDE);
    uint8_t* packed = malloc(HEAD + capacity);
    if (!packed) return;
    for (uint8_t filter = 0; filter < 4; ++filter) {
        uint8_t stride = filter == 1 || filter == 2 ? 8 : STRIDE; // octahedra and quaternions are four shorts
        memcpy(packed, (const uint8_t[HEAD]){ 0, filter, COUNT, stride }, HEAD);
        seed(user, packed, HEAD + extra->meshopt_encode(COUNT, stride, values, packed + HEAD, capacity));
    }
    free(packed);
}
