// Any bytes as a Medit mesh: no crash, no leak, no hang, and words with every refusal.
#include "fuzz.h"

#include "fuzz_read.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    fuzz_read("a.mesh", data, size);
    return 0;
}

void fuzz_seeds(fuzz_seed_fn* seed, void* user)
{
    static const char surface[] = "MeshVersionFormatted 1\nDimension 3\nVertices\n4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 1\n"
                                  "Triangles\n1\n1 2 3 0\nQuadrilaterals 1\n1 2 3 4 0\nEdges\n0\nEnd\n";
    static const char solid[] = "MeshVersionFormatted\n2\n# one\nDimension\n3\nVertices 4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 1\n"
                                "Ridges 1 1\nTetrahedra 1\n1 2 3 4 0\n";
    seed(user, surface, sizeof surface - 1);
    seed(user, solid, sizeof solid - 1);
}
