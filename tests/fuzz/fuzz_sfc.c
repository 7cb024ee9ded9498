// Any bytes as a runtime file of fourier: its player says what is wrong, or plays it without touching what is not there.
#include "fuzz.h"

#include "supple/deformer.h"
#include "supple/io.h"

int play_sfc_main(int argc, char** argv);
#define main play_sfc_main
#include "examples/04_play_sfc.c"
#undef main

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    char*     bytes = malloc(size + 1); // where it is aligned, and ends exactly
    sfc       f;
    sfc_track k;
    if (!bytes) return 0;
    memcpy(bytes, data, size);
    if (size >= 16) { // a right hash and version, as somebody who means harm would write them: the rest must stand by itself
        uint32_t head[2] = { 2, 2166136261u };
        for (size_t i = 16; i < size; ++i) head[1] = (head[1] ^ (uint8_t)bytes[i]) * 16777619u;
        memcpy(bytes + 4, head, sizeof head);
    }
    if (!sfc_open(bytes, size, &f)) {
        double work = (double)f.points * f.coefs;
        for (uint32_t i = 0; i < f.tracks && sfc_next(&f, i, &k); ++i)
            work += (double)k.modes * k.ways * (k.count + 40) + k.pieces;
        double* c = calloc(3 * ((size_t)f.coefs + f.weights) + 1, sizeof *c);
        float*  q = calloc(3 * (size_t)f.points + 1, sizeof *q);
        if (c && q && work < 1e7) sfc_at(&f, 0.3, c, q);
        free(q), free(c);
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
