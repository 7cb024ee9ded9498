// Any bytes as a motion map: pairs with names, or words.
#include "fuzz.h"

#include "fuzz_read.h"
#include "io/motion/motion_file.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    size_t          live = 0;
    sup_allocator   memory = { fuzz_allocate, fuzz_release, &live };
    sup_arena*      arena = sup_arena_create(&memory);
    sup_joint_pair* pairs = NULL;
    uint32_t        count = 0;
    sup_error       error = { SUP_OK, "" };
    if (!arena) return 0;
    sup_result result = sup_motion_map_parse((sup_bytes){ data, size }, arena, &pairs, &count, &error);
    if (result != SUP_OK && (error.code != result || !error.text[0] || count)) abort();
    fuzz_good |= result == SUP_OK;
    for (uint32_t i = 0; i < count; ++i)
        if (!pairs[i].target || !pairs[i].target[0] || (pairs[i].source && !pairs[i].source[0])) abort();
    sup_arena_destroy(arena);
    if (live) abort();
    return 0;
}

void fuzz_seeds(fuzz_seed_fn* seed, void* user)
{
    static const char lines[] =
        "# joint of the character = joint of the motion\nk0 = Hips\r\n\t\"k 7\" =LeftUpLeg\n\ntail = -\n";
    static const char tree[] = " {\"k0\": \"Hips\", \"k 7\": \"LeftUpLeg\", \"tail\": null, \"ear\": \"-\"}\n";
    seed(user, lines, sizeof lines - 1);
    seed(user, tree, sizeof tree - 1);
}
