// Any bytes as a skeleton (.tgf), a table with a head (.dmat) or one without (.tmat), by the first byte.
#include "fuzz.h"

#include "fuzz_read.h"
#include "io/motion/motion_file.h"

#include <math.h>
#include <string.h>

static void check_rig(const sup_rig* rig)
{
    if (rig->bone_count == 0) abort();
    for (uint32_t b = 0; b < rig->bone_count; ++b)
        if (!rig->bones[b].name || (rig->bones[b].parent != SUP_NONE && rig->bones[b].parent >= rig->bone_count)) abort();
}

static void check_matrix(const sup_matrix* m)
{
    if (m->rows == 0 || m->columns == 0) abort();
    for (size_t i = 0; i < (size_t)m->rows * m->columns; ++i)
        if (!isfinite(m->values[i])) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    size_t        live = 0;
    sup_allocator memory = { fuzz_allocate, fuzz_release, &live };
    sup_arena*    arena = sup_arena_create(&memory);
    if (!arena) return 0;
    sup_error     error = { SUP_OK, "" };
    char          kind = size ? (char)data[0] : 't';
    sup_bytes     bytes = { data + (size > 0), size - (size > 0) };
    sup_rig       rig;
    sup_matrix    matrix;
    sup_result    result = kind == 't'   ? sup_tgf_parse(bytes, arena, &rig, &error)
                           : kind == 'd' ? sup_dmat_parse(bytes, arena, &matrix, &error)
                                         : sup_tmat_parse(bytes, arena, &matrix, &error);
    if (result != SUP_OK && (error.code != result || !error.text[0])) abort();
    fuzz_good |= result == SUP_OK;
    if (result == SUP_OK && kind == 't') check_rig(&rig);
    if (result == SUP_OK && kind != 't') check_matrix(&matrix);
    sup_arena_destroy(arena);
    if (live) abort();
    return 0;
}

void fuzz_seeds(fuzz_seed_fn* seed, void* user)
{
    static const char tgf[] = "t1 0 0 0 5e-324\n2 1 0.5 -1e1\n3 2 0 0\n#\n1 2\n2 3 0\n#\n";
    static const char dmat[] = "d2 3\n1\n0.5\n.25\n-1e-9\n2\n3\n";
    static const char tmat[] = "m1 0 0\n0 1 0\n0 0 1\n.5 0 -2\n";
    char              binary[32] = "d0 0\n1 2\n";
    double            numbers[2] = { 1.5, -2 };
    memcpy(binary + 9, numbers, sizeof numbers);
    seed(user, tgf, sizeof tgf - 1);
    seed(user, dmat, sizeof dmat - 1);
    seed(user, tmat, sizeof tmat - 1);
    seed(user, binary, 9 + sizeof numbers);
}
