/// tests/io/tube_support.h: the tube that a program bakes again and again, and the folder it bakes into.
#ifndef SUP_TESTS_IO_TUBE_H
#define SUP_TESTS_IO_TUBE_H

#include "bake_support.h"

static test_folder    folder;
static sup_character* tube;

static inline int make_of(sup_character* made)
{
    test_folder_make(&folder);
    tube = made;
    return 0;
}

static inline int unmake(void** state)
{
    (void)state;
    sup_character_destroy(tube);
    test_folder_remove(&folder);
    return 0;
}

#endif
