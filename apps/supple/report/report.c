// Messages, JSON and tables.
#include "report.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void say(const char* kind, const char* format, va_list arguments)
{
    // stdout was written earlier: keep the order on a terminal that shows both.
    fflush(stdout);
    char    text[4096];
    va_list again;
    va_copy(again, arguments);
    int   length = vsnprintf(text, sizeof text, format, arguments);
    char* whole = length < (int)sizeof text ? text : malloc((size_t)length + 1);
    if (whole && whole != text) vsnprintf(whole, (size_t)length + 1, format, again);
    va_end(again);
    if (!whole) whole = text;
    sup_text_clean(whole); // file names may contain control characters
    fprintf(stderr, "supple: %s: %s\n", kind, whole);
    if (whole != text) free(whole);
}

void report_error(const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say("error", format, arguments);
    va_end(arguments);
}

void report_warning(const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say("warning", format, arguments);
    va_end(arguments);
}

void report_note(const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say("note", format, arguments);
    va_end(arguments);
}

// ---------------------------------------------------------------------------------------------- stdout

static bool write_stdout(void* user, const char* bytes, size_t length)
{
    (void)user;
    return fwrite(bytes, 1, length, stdout) == length;
}

bool print_json(const sup_json* value)
{
    if (!value) {
        report_error("out of memory while building the JSON result; close other programs or use a smaller file");
        return false;
    }
    const sup_text_sink sink = { write_stdout, NULL };
    // A refused write is reported once, by finish_stdout.
    return sup_json_write(value, 2, &sink) && fputc('\n', stdout) != EOF;
}

bool finish_stdout(void)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout)) return true;
    report_error("the result could not be written to standard output (%s); free some space or give the pipe a reader",
                 errno ? strerror(errno) : "write failed");
    return false;
}

// ---------------------------------------------------------------------------------------------- tables

static void push_cell(table* t, const char* text, size_t length)
{
    if (t->rows == t->capacity) {
        uint32_t capacity = t->capacity ? 2 * t->capacity : 64;
        char**   grown = realloc(t->cells, capacity * sizeof *grown);
        if (!grown) {
            t->failed = true;
            return;
        }
        t->cells = grown;
        t->capacity = capacity;
    }
    char* copy = malloc(length + 1);
    if (!copy) {
        t->failed = true;
        return;
    }
    memcpy(copy, text, length);
    copy[length] = 0;
    t->cells[t->rows++] = copy;
}

void table_begin(table* t, const char* heads)
{
    *t = (table){ 0 };
    for (const char* at = heads; *at && t->columns < TABLE_COLUMNS;) {
        if (*at == '>') {
            t->right[t->columns] = true;
            at++;
        }
        size_t length = strcspn(at, "|");
        push_cell(t, at, length);
        t->columns++;
        at += length + (at[length] == '|');
    }
}

void table_add(table* t, const char* format, ...)
{
    char    text[512];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length < 0) length = 0;
    push_cell(t, text, (size_t)length < sizeof text ? (size_t)length : sizeof text - 1);
}

// Terminal columns of a UTF-8 text: bytes that are not continuation bytes.
static int shown_width(const char* text)
{
    int width = 0;
    for (; *text; text++) width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

void table_print(table* t, int indent)
{
    int width[TABLE_COLUMNS] = { 0 };
    for (uint32_t i = 0; i < t->rows; i++) {
        int w = shown_width(t->cells[i]);
        if (w > width[i % t->columns]) width[i % t->columns] = w;
    }
    for (uint32_t i = 0; i < t->rows; i++) {
        uint32_t    column = i % t->columns;
        bool        last = column + 1 == t->columns;
        int         gap = width[column] - shown_width(t->cells[i]);
        const char* text = t->cells[i];
        if (column == 0) printf("%*s", indent, "");
        if (t->right[column]) printf("%*s%s", gap, "", text);
        else printf("%s%*s", text, last ? 0 : gap, "");
        fputs(last ? "\n" : "  ", stdout);
    }
    if (t->failed) report_warning("out of memory: the table above is not complete");
    table_free(t);
}

void table_free(table* t)
{
    for (uint32_t i = 0; i < t->rows; i++) free(t->cells[i]);
    free(t->cells);
    *t = (table){ 0 };
}
