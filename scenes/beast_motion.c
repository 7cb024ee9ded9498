#include "scenes/beast.h"
#include "base/internal.h"
sup_result sup_beast_record(sup_draft* draft, sup_error* error){(void)draft;(void)error;return SUP_OK;}
