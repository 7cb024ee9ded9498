// Reads JSON in place: the document is copied to the arena once, strings are unescaped where they stand and numbers point at
// their own text. One pass, no recursion.
#include "base/numbers.h"
#include "supple/json.h"

#include <string.h>

enum {
    NODES_FIRST = 16,  // nodes come from the arena in batches that double up to
    NODES_LAST = 1024, // this many (64 kB), so that a small document stays small
    PADDING = 16,      // zeros behind the document: scanning stops there by itself, eight bytes at a time may look past it
};

typedef struct reader {
    sup_arena*  arena;
    const char* source; // as given, to report positions: the copy changes while it is read
    size_t      length;
    const char* name;
    char*       text; // the copy
    char*       at;
    sup_json*   nodes; // free ones of the newest batch
    uint32_t    nodes_left, batch;
    sup_error*  error;
    sup_result  result;
} reader;

// ---------------------------------------------------------------------------------------------- messages

// The character at an offset, for messages: 'x', a name for an invisible one, or the end.
static const char* describe(const reader* r, size_t offset, char* buffer, size_t size)
{
    unsigned char c = offset < r->length ? (unsigned char)r->source[offset] : 0;
    if (offset >= r->length) sup_format(buffer, size, "the end of the file");
    else if (c == '\n' || c == '\r') sup_format(buffer, size, "the end of the line");
    else if (c < 0x20 || c >= 0x7f) sup_format(buffer, size, "the byte 0x%02x", c);
    else sup_format(buffer, size, "'%c'", c);
    return buffer;
}

static bool fail_at(reader* r, const char* place, const char* expected)
{
    size_t   offset = (size_t)(place - r->text);
    uint32_t line = 1, column = 1;
    if (offset > r->length) offset = r->length;
    for (size_t i = 0; i < offset; ++i) {
        unsigned char c = (unsigned char)r->source[i];
        if (c == '\n') ++line, column = 1;
        else column += (c & 0xc0) != 0x80; // characters, not bytes
    }
    char found[32];
    r->result = sup_fail(r->error, SUP_ERROR_INPUT, "%s: line %u, column %u: expected %s, found %s", r->name, line, column,
                         expected, describe(r, offset, found, sizeof found));
    return false;
}

static bool fail_memory(reader* r)
{
    r->result = sup_fail_memory(r->error, "the values of a JSON document");
    return false;
}

// ---------------------------------------------------------------------------------------------- pieces

static sup_json* new_node(reader* r, sup_json_type type)
{
    if (r->nodes_left == 0) {
        r->nodes = SUP_NEW(r->arena, sup_json, r->batch);
        if (!r->nodes) {
            fail_memory(r);
            return NULL;
        }
        r->nodes_left = r->batch;
        if (r->batch < NODES_LAST) r->batch *= 2;
    }
    r->nodes_left--;
    sup_json* node = r->nodes++;
    node->type = type;
    return node;
}

static void skip_space(reader* r)
{
    char* p = r->at;
    while (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t') ++p;
    r->at = p;
}

// True where one of eight bytes is a quote, a backslash, a control character or not ASCII.
static bool has_special(uint64_t word)
{
    const uint64_t ones = 0x0101010101010101ull, tops = 0x8080808080808080ull;
    uint64_t       quote = word ^ ones * '"', slash = word ^ ones * '\\';
    return ((((quote - ones) & ~quote) | ((slash - ones) & ~slash) | (word - ones * 0x20) | word) & tops) != 0;
}

// Four hexadecimal digits, or -1 with a message.
static int32_t read_hex(reader* r, const char* p)
{
    int32_t value = 0;
    for (int i = 0; i < 4; ++i) {
        int digit = sup_hex_digit(p[i]);
        if (digit < 0) {
            fail_at(r, p + i, "four hexadecimal digits behind \\u");
            return -1;
        }
        value = value * 16 + digit;
    }
    return value;
}

static char* put_utf8(char* to, uint32_t code)
{
    if (code < 0x80) *to++ = (char)code;
    else if (code < 0x800) *to++ = (char)(0xc0 | code >> 6);
    else if (code < 0x10000) {
        *to++ = (char)(0xe0 | code >> 12);
        *to++ = (char)(0x80 | (code >> 6 & 0x3f));
    } else {
        *to++ = (char)(0xf0 | code >> 18);
        *to++ = (char)(0x80 | (code >> 12 & 0x3f));
        *to++ = (char)(0x80 | (code >> 6 & 0x3f));
    }
    if (code >= 0x80) *to++ = (char)(0x80 | (code & 0x3f));
    return to;
}

// The escape at *from (a backslash); both pointers move on. An escape is never shorter than what it stands for.
static bool read_escape(reader* r, char** from, char** to)
{
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    char*             p = *from;
    if (p[1] != 'u') {
        const char* letter = p[1] ? strchr(letters, p[1]) : NULL;
        if (!letter) return fail_at(r, p + 1, "one of \" \\ / b f n r t u behind \\");
        *(*to)++ = meanings[letter - letters];
        *from = p + 2;
        return true;
    }
    int32_t code = read_hex(r, p + 2);
    if (code < 0) return false;
    if (code >= 0xdc00 && code <= 0xdfff) return fail_at(r, p, "a high surrogate before a low one");
    p += 6;
    if (code >= 0xd800 && code <= 0xdbff) {
        if (p[0] != '\\' || p[1] != 'u') return fail_at(r, p, "the low surrogate of a pair (\\udc00 to \\udfff)");
        int32_t low = read_hex(r, p + 2);
        if (low < 0) return false;
        if (low < 0xdc00 || low > 0xdfff) return fail_at(r, p, "the low surrogate of a pair (\\udc00 to \\udfff)");
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        p += 6;
    }
    *to = put_utf8(*to, (uint32_t)code);
    *from = p;
    return true;
}

// The string after the quote at r->at, unescaped in place and ended by 0.
static bool read_string(reader* r, const char** text, uint32_t* length)
{
    char *start = r->at + 1, *p = start, *to = start;
    for (;;) {
        if (to == p) { // nothing to move yet: only scan
            uint64_t word;
            while (memcpy(&word, p, sizeof word), !has_special(word)) p += sizeof word;
            to = p;
        }
        unsigned char c = (unsigned char)*p;
        if (c == '"') break;
        if (c == '\\') {
            if (!read_escape(r, &p, &to)) return false;
        } else if (c < 0x20) {
            return fail_at(r, p,
                           (size_t)(p - r->text) < r->length ? "\\ before a control character" : "\" at the end of a string");
        } else {
            size_t n = sup_utf8_length((const unsigned char*)p);
            if (n == 0) return fail_at(r, p, "valid UTF-8");
            if (to != p) memmove(to, p, n);
            to += n;
            p += n;
        }
    }
    *to = 0;
    *text = start;
    *length = (uint32_t)(to - start);
    r->at = p + 1;
    return true;
}

static bool read_number(reader* r, sup_json* node)
{
    size_t      left = r->length - (size_t)(r->at - r->text);
    sup_decimal d = sup_decimal_scan(r->at, left);
    if (d.whole_digits == 0) return fail_at(r, d.digits, "a digit");
    if (d.digits[0] == '0' && d.whole_digits > 1) return fail_at(r, d.digits + 1, "no digit behind a leading 0");
    if (d.point && d.part_digits == 0) return fail_at(r, d.digits + d.whole_digits + 1, "a digit behind the decimal point");
    const char* end = r->at + d.length;
    if (*end == 'e' || *end == 'E')
        return fail_at(r, end + (end[1] == '+' || end[1] == '-' ? 2 : 1), "a digit of the exponent");
    node->text = r->at;
    node->length = (uint32_t)d.length;
    node->number = sup_decimal_value(&d);
    r->at += d.length;
    return true;
}

static bool read_word(reader* r, const char* word)
{
    size_t n = strlen(word);
    if (strncmp(r->at, word, n) != 0) return fail_at(r, r->at, "a value");
    r->at += n;
    return true;
}

// A value without its children: stops after the opening bracket of an array or object.
static sup_json* read_value(reader* r)
{
    static const sup_json_type kinds[] = { ['"'] = SUP_JSON_STRING, ['['] = SUP_JSON_ARRAY, ['f'] = SUP_JSON_FALSE,
                                           ['n'] = SUP_JSON_NULL,   ['t'] = SUP_JSON_TRUE,  ['{'] = SUP_JSON_OBJECT };
    unsigned char              c = (unsigned char)*r->at;
    bool                       number = c == '-' || (c >= '0' && c <= '9');
    bool                       word = c == 'n' || c == 't' || c == 'f';
    if (!number && !word && c != '"' && c != '[' && c != '{') {
        fail_at(r, r->at, "a value");
        return NULL;
    }
    sup_json* node = new_node(r, number ? SUP_JSON_NUMBER : kinds[c]);
    if (!node) return NULL;
    bool ok = true;
    switch (c) {
    case '{':
    case '[': r->at++; break;
    case '"': ok = read_string(r, &node->text, &node->length); break;
    case 'n': ok = read_word(r, "null"); break;
    case 't': ok = read_word(r, "true"); break;
    case 'f': ok = read_word(r, "false"); break;
    default: ok = read_number(r, node);
    }
    return ok ? node : NULL;
}

static bool read_key(reader* r, const char** key)
{
    if (*r->at != '"') return fail_at(r, r->at, "a name in quotes");
    char*    place = r->at;
    uint32_t length;
    if (!read_string(r, key, &length)) return false;
    // A name is a C string everywhere else; truncating it would silently change the document.
    if (strlen(*key) != length) return fail_at(r, place, "a name without \\u0000");
    skip_space(r);
    if (*r->at != ':') return fail_at(r, r->at, "':' behind a name");
    r->at++;
    skip_space(r);
    return true;
}

// ---------------------------------------------------------------------------------------------- document

static void append(sup_json* parent, sup_json* child)
{
    if (parent->last) parent->last->next = child;
    else parent->first = child;
    parent->last = child;
    parent->count++;
}

// After a value: closes the brackets that end here. False: an error, or the document is complete (*depth is 0).
static bool close_levels(reader* r, sup_json** stack, uint32_t* depth)
{
    while (*depth) {
        bool object = stack[*depth - 1]->type == SUP_JSON_OBJECT;
        skip_space(r);
        if (*r->at == ',') {
            r->at++;
            skip_space(r);
            return true;
        }
        if (*r->at != (object ? '}' : ']')) return fail_at(r, r->at, object ? "',' or '}'" : "',' or ']'");
        r->at++;
        --*depth;
    }
    return false;
}

static sup_json* read_tree(reader* r)
{
    sup_json *stack[SUP_JSON_DEPTH_MAX], *root = NULL;
    uint32_t  depth = 0;
    for (;;) {
        const char* key = NULL;
        if (depth && stack[depth - 1]->type == SUP_JSON_OBJECT && !read_key(r, &key)) return NULL;
        char*     place = r->at;
        sup_json* node = read_value(r);
        if (!node) return NULL;
        node->key = key;
        if (depth) append(stack[depth - 1], node);
        else root = node;
        if (node->type >= SUP_JSON_ARRAY) {
            if (depth == SUP_JSON_DEPTH_MAX) {
                fail_at(r, place, "at most 128 levels of nesting");
                return NULL;
            }
            skip_space(r);
            if (*r->at != (node->type == SUP_JSON_ARRAY ? ']' : '}')) {
                stack[depth++] = node;
                continue;
            }
            r->at++;
        }
        if (!close_levels(r, stack, &depth)) return r->result == SUP_OK ? root : NULL;
    }
}

sup_result sup_json_parse(const char* bytes, size_t length, const char* name, sup_arena* arena, sup_json** out,
                          sup_error* error)
{
    SUP_ASSERT((bytes || length == 0) && arena && out);
    if (!name) name = "JSON";
    if (length >= UINT32_MAX - PADDING)
        return sup_fail(error, SUP_ERROR_INPUT, "%s: a JSON document of 4 GiB or more; keep bulk data in binary buffers", name);
    if (length >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) bytes += 3, length -= 3;
    reader r = { .arena = arena, .source = bytes, .length = length, .name = name, .batch = NODES_FIRST, .error = error };
    r.text = sup_arena_alloc(arena, length + PADDING, 1);
    if (!r.text) return sup_fail_memory(error, "the text of a JSON document");
    if (length) memcpy(r.text, bytes, length);
    r.at = r.text;
    skip_space(&r);
    sup_json* root = read_tree(&r);
    if (!root) return r.result;
    skip_space(&r);
    if ((size_t)(r.at - r.text) != length) {
        fail_at(&r, r.at, "nothing behind the document");
        return r.result;
    }
    *out = root;
    return SUP_OK;
}
