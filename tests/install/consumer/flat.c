// A stranger's program against the installed flat interface, as C and as C++.
#include <stdio.h>
#include <supple/flat.h>

int main(void)
{
    flat_handle session = flat_open(1), arm = flat_load(session, "builtin:arm?points=200", NULL, NULL, NULL);
    flat_handle chain = flat_chain(arm, "{\"links\":\"dualquat\",\"clip\":\"flex\"}", NULL, NULL), player = flat_play(chain, NULL);
    if (flat_abi() != FLAT_ABI || flat_evaluate(player, 0.5, NULL, 0) != FLAT_OK) {
        fprintf(stderr, "%s\n", flat_error(player));
        return 1;
    }
    printf("%s\n", flat_hash(player));
    return (int)flat_free(session);
}
