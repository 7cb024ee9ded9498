#include "base/internal.h"
#include "supple/json.h"

#include <math.h>
#include <string.h>

typedef struct writer {
    const sup_text_sink* sink;
    bool                 ok;
    int                  indent, depth;
    size_t               used;
    char                 buffer[4096]; // the sink sees few, large pieces
} writer;

static void flush(writer* w)
{
    if (w->ok && w->used) w->ok = w->sink->write(w->sink->user, w->buffer, w->used);
    w->used = 0;
}

static void put(writer* w, const char* bytes, size_t length)
{
    if (length > sizeof w->buffer - w->used) flush(w);
    if (length > sizeof w->buffer) {
        if (w->ok) w->ok = w->sink->write(w->sink->user, bytes, length);
        return;
    }
    memcpy(w->buffer + w->used, bytes, length);
    w->used += length;
}

static void put_line(writer* w)
{
    if (!w->indent) return;
    put(w, "\n", 1);
    for (int i = 0; i < w->indent * w->depth; ++i) put(w, " ", 1);
}

// How many bytes at p can stand in a string as they are; stops before what must be escaped or is not UTF-8.
static size_t plain_length(const unsigned char* p, size_t length)
{
    size_t n = 0;
    while (n < length) {
        unsigned char c = p[n];
        size_t        size = c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
        if (c < 0x20 || c == '"' || c == '\\' || (c >= 0x80 && c < 0xc2) || c > 0xf4 || size > length - n) break;
        bool valid = true;
        for (size_t i = 1; i < size; ++i) valid &= (p[n + i] & 0xc0) == 0x80;
        valid &= !(c == 0xe0 && p[n + 1] < 0xa0) && !(c == 0xed && p[n + 1] > 0x9f);
        valid &= !(c == 0xf0 && p[n + 1] < 0x90) && !(c == 0xf4 && p[n + 1] > 0x8f);
        if (!valid) break;
        n += size;
    }
    return n;
}

static void put_string(writer* w, const char* text, size_t length)
{
    static const char controls[] = "\b\f\n\r\t\"\\", letters[] = "bfnrt\"\\";
    put(w, "\"", 1);
    for (size_t i = 0; i < length;) {
        size_t plain = plain_length((const unsigned char*)text + i, length - i);
        put(w, text + i, plain);
        i += plain;
        if (i == length) break;
        unsigned char c = (unsigned char)text[i++];
        const char*   control = c ? strchr(controls, c) : NULL;
        char          escape[8];
        if (control) put(w, (char[]){ '\\', letters[control - controls] }, 2);
        else if (c < 0x20) put(w, escape, sup_format(escape, sizeof escape, "\\u%04x", c));
        else put(w, "\xef\xbf\xbd", 3); // invalid UTF-8 (in a file name, say): the replacement character
    }
    put(w, "\"", 1);
}

static void put_number(writer* w, const sup_json* value)
{
    char text[SUP_NUMBER_MAX];
    if (value->text) put(w, value->text, value->length);
    else if (!isfinite(value->number)) put(w, "null", 4);
    else put(w, text, sup_print_double(value->number, text));
}

static void put_value(writer* w, const sup_json* value)
{
    switch (value->type) {
    case SUP_JSON_NULL: put(w, "null", 4); return;
    case SUP_JSON_FALSE: put(w, "false", 5); return;
    case SUP_JSON_TRUE: put(w, "true", 4); return;
    case SUP_JSON_NUMBER: put_number(w, value); return;
    case SUP_JSON_STRING: put_string(w, value->text, value->length); return;
    case SUP_JSON_ARRAY:
    case SUP_JSON_OBJECT: break;
    }
    bool object = value->type == SUP_JSON_OBJECT;
    put(w, object ? "{" : "[", 1);
    w->depth++;
    for (const sup_json* child = value->first; child && w->ok; child = child->next) {
        put_line(w);
        if (object) {
            put_string(w, child->key, strlen(child->key));
            put(w, ": ", w->indent ? 2 : 1);
        }
        put_value(w, child);
        if (child->next) put(w, ",", 1);
    }
    w->depth--;
    if (value->first) put_line(w);
    put(w, object ? "}" : "]", 1);
}

bool sup_json_write(const sup_json* value, int indent, const sup_text_sink* sink)
{
    SUP_ASSERT(value && sink);
    writer w = { .sink = sink, .ok = true, .indent = indent };
    put_value(&w, value);
    flush(&w);
    return w.ok;
}
