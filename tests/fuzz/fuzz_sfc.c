// Any bytes as a runtime file of fourier: its player says what is wrong, or plays it without touching what is not there.
#include "fuzz.h"

#include "supple/deformer.h"
#include "supple/io.h"

#include "examples/sfc_check.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    char* bytes = malloc(size + 1); // where it is aligned, and ends exactly
    if (!bytes) return 0;
    memcpy(bytes, data, size);
    if (size >= sizeof(sfc)) { // a right hash, version and size, as somebody who means harm would write them
        uint32_t head[2] = { 3, 2166136261u };
        ((sfc*)bytes)->end = (uint32_t)size;
        for (size_t i = 12; i < size; ++i) head[1] = (head[1] ^ (uint8_t)bytes[i]) * 16777619u;
        memcpy(bytes + 4, head, sizeof head);
    }
    if (!sfc_wrong(bytes, size)) {
        const sfc* f = (const sfc*)bytes;
        double     work = f->numbers, rows = 0;
        for (const uint32_t *m = SFC_GET(uint32_t, f, move), *end = SFC_GET(uint32_t, f, row); m < end; m += 6)
            work += (double)m[2] + m[4];
        for (const uint32_t *r = SFC_GET(uint32_t, f, row), *end = SFC_GET(uint32_t, f, rest); r < end; r += 5)
            rows += 1.0 + r[1];
        work += 2 * rows * f->points;
        double* c = work < 1e6 ? malloc((f->numbers + 1) * sizeof *c) : NULL;
        if (c) sfc_at(f, 0.3, c);
        free(c);
    }
    free(bytes);
    return 0;
}

void fuzz_seeds(fuzz_seed_fn* seed, void* user)
{
    static const char* const links[] = { "fourier(terms=2,curves=3,residual=half,settle=1)",
                                         "fourier(terms=2,curves=3,residual=exact,way=along,sway=0.5,strength=0.5)" };
    sup_character*           c = NULL;
    sup_arena*               arena = sup_arena_create(NULL);
    sup_error                error;
    if (!arena || sup_builtin_create("arm", 100, NULL, &c, &error)) abort();
    for (int i = 0; i < 2; ++i) {
        sup_chain*  chain = NULL;
        const void* bytes;
        size_t      size;
        if (sup_chain_create(
                &(sup_chain_desc){ .character = c, .clip = sup_character_clip(c, i ? "flex" : "twist"), .links = links[i] },
                &chain, &error) ||
            sup_chain_save(chain, 1, arena, &bytes, &size, &error))
            abort();
        seed(user, bytes, size);
        sup_chain_destroy(chain);
    }
    sup_character_destroy(c);
    sup_arena_destroy(arena);
}
