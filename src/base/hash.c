#include "supple/base.h"

uint64_t sup_hash(uint64_t hash, const void* data, size_t bytes)
{
    const uint8_t* p = data;
    for (size_t i = 0; i < bytes; ++i) hash = (hash ^ p[i]) * 0x100000001b3ull;
    return hash;
}

// Every machine we run on is little-endian, so the bytes in memory are the bytes of the definition.
uint64_t sup_hash_points(const sup_vec3* points, uint32_t count)
{
    return sup_hash(SUP_HASH_START, points, (size_t)count * sizeof *points);
}
