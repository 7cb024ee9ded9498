/// tests/io/folder.h: a folder that the tests of one file share.
#ifndef SUP_TESTS_FOLDER_H
#define SUP_TESTS_FOLDER_H

#include "bake_support.h"

static test_folder folder;

static inline int folder_make(void** state)
{
    (void)state;
    test_folder_make(&folder);
    return 0;
}

static inline int folder_remove(void** state)
{
    (void)state;
    test_folder_remove(&folder);
    return 0;
}

#endif
