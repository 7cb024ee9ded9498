// Plays a runtime file of the fourier deformer: `04_play_sfc FILE SECONDS` prints the displacement of every point before
// skinning. Plain C, without the library: sfc.h evaluates the file, sfc_check.h checks that it is complete.
#include "sfc_check.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv)
{
    if (argc == 1) return puts("usage: 04_play_sfc FILE SECONDS"), 0;
    FILE* file = argc == 3 ? fopen(argv[1], "rb") : NULL;
    if (!file) return fprintf(stderr, "%s: cannot be opened, or a second is missing\n", argv[1]), 2;
    fseek(file, 0, SEEK_END);
    size_t size = (size_t)ftell(file);
    sfc*   f = malloc(size + 1);
    rewind(file);
    const char* wrong = f && fread(f, 1, size, file) == size ? sfc_wrong(f, size) : "it cannot be read";
    fclose(file);
    double* c = wrong ? NULL : malloc((f->numbers + 1) * sizeof *c);
    if (!wrong && !c) wrong = "there is not enough memory";
    if (!wrong) sfc_at(f, atof(argv[2]), c);
    for (uint32_t i = 0; !wrong && i < 3 * f->points; i += 3) printf("%.9g %.9g %.9g\n", c[i], c[i + 1], c[i + 2]);
    if (wrong) fprintf(stderr, "%s: %s\n", argv[1], wrong);
    free(c), free(f);
    return wrong != NULL;
}
