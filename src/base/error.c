#include "base/internal.h"

sup_result sup_fail(sup_error* error, sup_result code, const char* format, ...)
{
    if (!error) return code;
    va_list arguments;
    va_start(arguments, format);
    error->code = code;
    sup_format_list(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    sup_text_clean(error->text);
    return code;
}

sup_result sup_fail_memory(sup_error* error, const char* what)
{
    return sup_fail(error, SUP_ERROR_MEMORY, "out of memory while making %s; use a smaller input or a machine with more memory",
                    what);
}

bool sup_progress_report(const sup_progress* progress, double fraction, const char* what)
{
    return !progress || !progress->report || progress->report(progress->user, fraction, what);
}
