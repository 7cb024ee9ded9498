/// flat_session.h: the session of a test of the flat interface.
#ifndef TEST_FLAT_SESSION_H
#define TEST_FLAT_SESSION_H

#include "support.h"

#include "bindings/flat/flat.h"

static flat_handle session;

static int open_session(void** state)
{
    (void)state;
    session = flat_open(2);
    return session ? 0 : -1;
}
static int close_session(void** state)
{
    (void)state;
    return flat_free(session);
}

static flat_handle must(flat_handle handle, flat_handle parent)
{
    if (!handle) fail_msg("%s", flat_error(parent));
    return handle;
}

#endif
