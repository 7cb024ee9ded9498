#include "base/internal.h"
#include "scenes/beast.h"
sup_result sup_beast_record(sup_draft* draft, sup_error* error)
{
    (void)draft;
    (void)error;
    return SUP_OK;
}
