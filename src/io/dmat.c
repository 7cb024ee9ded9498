// Reads tables of numbers as libigl (.dmat) and others (.tmat) write them.
#include "io/motion/motion_file.h"
#include "io/words.h"

#define BAD(...) sup_fail(error, SUP_ERROR_INPUT, __VA_ARGS__)

// Independent of the machine's byte order.
static double little_double(const char* bytes)
{
    uint64_t bits = 0;
    double   value;
    for (int i = 7; i >= 0; --i) bits = bits << 8 | (uint8_t)bytes[i];
    memcpy(&value, &bits, sizeof value);
    return value;
}

static sup_result read_binary(sup_words* w, uint64_t count, double* values, sup_error* error)
{
    if (w->at < w->end && *w->at == '\r') ++w->at;
    if (w->at < w->end && *w->at == '\n') ++w->at;
    if (count > (uint64_t)(w->end - w->at) / 8)
        return BAD("the file has only %zu of %llu numbers: it is truncated", (size_t)(w->end - w->at) / 8,
                   (unsigned long long)count);
    for (uint64_t i = 0; i < count; ++i) {
        values[i] = little_double(w->at + 8 * i);
        if (!isfinite(values[i])) return BAD("number %llu is not finite; repair the file", (unsigned long long)i + 1);
    }
    return SUP_OK;
}

static sup_result read_text(sup_words* w, uint64_t count, double* values, sup_error* error)
{
    for (uint64_t i = 0; i < count; ++i)
        if (!words_number(w, &values[i])) {
            if (w->at == w->end)
                return BAD("the file has only %llu of %llu numbers: it is truncated", (unsigned long long)i,
                           (unsigned long long)count);
            return BAD("line %zu: this is not a number", w->line);
        }
    return SUP_OK;
}

sup_result sup_dmat_parse(sup_bytes bytes, sup_arena* arena, sup_matrix* out, sup_error* error)
{
    sup_words w = words_begin(bytes.data, bytes.size);
    uint32_t  columns = 0, rows = 0;
    bool      good = words_count(&w, &columns) && words_count(&w, &rows), binary = good && columns == 0 && rows == 0;
    if (binary) good = words_count(&w, &columns) && words_count(&w, &rows);
    if (!good) return BAD("line %zu: a .dmat file begins with its columns and rows", w.line);
    uint64_t count = (uint64_t)columns * rows;
    if (count == 0) return BAD("the table is empty");
    // The data promised must exist before memory is allocated for it.
    size_t least = binary ? 8 : 2;
    if (count > ((uint64_t)(w.end - w.at) + 1) / least)
        return BAD("%u columns of %u numbers are announced, but the file ends before that; it is truncated", columns, rows);
    double* values = SUP_NEW(arena, double, count);
    if (!values) return sup_fail_memory(error, "a table");
    sup_result result = binary ? read_binary(&w, count, values, error) : read_text(&w, count, values, error);
    if (result == SUP_OK) *out = (sup_matrix){ rows, columns, values };
    return result;
}

sup_result sup_tmat_parse(sup_bytes bytes, sup_arena* arena, sup_matrix* out, sup_error* error)
{
    sup_words w = words_begin(bytes.data, bytes.size);
    uint32_t  columns = 0;
    uint64_t  count = 0;
    for (sup_words l = w;; ++count) { // how many, and how many in the first line
        double number;
        words_skip(&l);
        if (l.at == l.end) break;
        size_t line = l.line;
        if (!words_number(&l, &number)) return BAD("line %zu: this is not a number", l.line);
        words_skip_blanks(&l);
        if (columns == 0 && (l.at == l.end || *l.at == '\n')) columns = (uint32_t)(count + 1);
        if (columns == 0 && count > 4096) return BAD("line %zu: a row of more than 4096 numbers is not a pose", line);
    }
    if (count == 0 || columns == 0) return BAD("the table is empty");
    if (count % columns != 0 || count / columns >= UINT32_MAX)
        return BAD("%llu numbers do not fill rows of %u: the file is truncated", (unsigned long long)count, columns);
    uint32_t rows = (uint32_t)(count / columns);
    double*  values = SUP_NEW(arena, double, count);
    if (!values) return sup_fail_memory(error, "a table");
    for (uint32_t r = 0; r < rows; ++r)
        for (uint32_t c = 0; c < columns; ++c)
            if (!words_number(&w, &values[(size_t)c * rows + r])) return BAD("line %zu: this is not a number", w.line);
    *out = (sup_matrix){ rows, columns, values };
    return SUP_OK;
}
