// The frames of one scene through the flat interface, for bindings/js/test/doors.mjs: doors SOURCE CLIP FPS FRAMES LINKS...
// prints a line of hashes for each chain.
#include <stdio.h>
#include <stdlib.h>
#include <supple/flat.h>

int main(int argc, char** argv)
{
    if (argc < 6) return 2;
    double      fps = atof(argv[3]);
    int         frames = atoi(argv[4]);
    flat_handle session = flat_open(2), character = flat_load(session, argv[1], NULL, NULL, NULL);
    if (flat_abi() != FLAT_ABI || !character) return fprintf(stderr, "%s\n", flat_error(session)), 1;
    for (int i = 5; i < argc; ++i) {
        char text[512];
        snprintf(text, sizeof text, "{\"links\":\"%s\",\"clip\":\"%s\"}", argv[i], argv[2]);
        flat_handle chain = flat_chain(character, text, NULL, NULL);
        flat_handle player = chain ? flat_play(chain, NULL) : 0;
        if (!player) return fprintf(stderr, "%s\n", flat_error(chain ? chain : character)), 1;
        for (int frame = 0; frame < frames; ++frame) {
            if (flat_evaluate(player, frame / fps, NULL, 0) != FLAT_OK) return fprintf(stderr, "%s\n", flat_error(player)), 1;
            printf("%s%s", frame ? " " : "", flat_hash(player));
        }
        printf("\n");
        flat_free(player), flat_free(chain);
    }
    return (int)flat_free(session);
}
