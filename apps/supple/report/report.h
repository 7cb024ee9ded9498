/// report.h: what people read. Messages go to stderr in one form, results to stdout.
#ifndef SUPPLE_APP_REPORT_H
#define SUPPLE_APP_REPORT_H

#include "supple/json.h"

/// Prints "supple: error: ..." on stderr. The sentence has no final period.
void report_error(const char* format, ...) SUP_FORMAT(1, 2);
void report_warning(const char* format, ...) SUP_FORMAT(1, 2);
void report_note(const char* format, ...) SUP_FORMAT(1, 2);

/// Prints one JSON document and a line end to stdout. False (after a message) if the value is NULL or stdout fails.
bool print_json(const sup_json* value);
/// Flushes stdout. False after a message if not everything could be written: a full disk, a closed pipe.
bool finish_stdout(void);

/// Columns as wide as their longest cell, two spaces between; text left-aligned, numbers right-aligned.
#define TABLE_COLUMNS 13
typedef struct table {
    uint32_t columns, rows, capacity;
    bool     right[TABLE_COLUMNS];
    char**   cells; ///< row by row
    bool     failed;
} table;
/// heads: one word per column, separated by '|'; a leading '>' right-aligns the column.
void table_begin(table* t, const char* heads);
/// One cell after the other, row after row.
void table_add(table* t, const char* format, ...) SUP_FORMAT(2, 3);
/// Prints and frees. indent: spaces before each line.
void table_print(table* t, int indent);
void table_free(table* t);

#endif
